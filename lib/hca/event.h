/* SPDX-License-Identifier: BSD-3-Clause */

/* Asynchronous events of a device: link, death. */
#ifndef HCA_EVENT_H
#define HCA_EVENT_H

struct hca_device;

enum hca_event { HCA_EVENT_NONE, HCA_EVENT_LINK, HCA_EVENT_FATAL, HCA_EVENT_OTHER };

/*
 * Readable when an event waits; set non-blocking by the call. -errno on failure. The fd belongs to the
 * device.
 */
int hca_event_fd(struct hca_device *dev);

/* Take one event. HCA_EVENT_NONE: nothing waits. A fatal event also marks the device dead. */
enum hca_event hca_event_next(struct hca_device *dev);

#endif
