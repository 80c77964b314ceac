/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sleeping on a completion queue: a channel with a descriptor to wait on, the completions of a CQ led into
 * it, and the order for one event. nic.md 3.9. Another channel may hear of a CQ's error, which needs no order.
 *
 * Life: open; watch a CQ, which ends with that CQ; watch the next one; close. Arm and take: the thread that
 * polls the CQ. The descriptor may be waited on by any.
 */
#ifndef HCA_CQ_EVENT_H
#define HCA_CQ_EVENT_H

#include <stdint.h>

struct hca_cq;
struct hca_device;
struct mlx5dv_devx_event_channel;

struct hca_cq_events {
	struct hca_device *dev;
	struct mlx5dv_devx_event_channel *channel; /* NULL: not open */
	uint8_t sn; /* counts the events taken; the device knows orders apart by its two lowest bits */
};

/* @return 0; -errno with a log line. The descriptor is non-blocking. */
int hca_cq_events_open(struct hca_device *dev, struct hca_cq_events *events);
void hca_cq_events_close(struct hca_cq_events *events);

/* Readable while an event waits. It stays the same from open to close. */
int hca_cq_events_fd(const struct hca_cq_events *events);

/* From here on this CQ's events come, and its numbering of orders begins. @return 0; -errno with a log line. */
int hca_cq_events_watch(struct hca_cq_events *events, const struct hca_cq *cq);

/*
 * A channel that many CQs share hears of their errors: that one has failed (it overran) comes as an event, once; nothing is
 * written to it any more. cookie: what hca_cq_events_next gives then. @return 0; -errno with a log line.
 */
int hca_cq_events_watch_error(struct hca_cq_events *events, const struct hca_cq *cq, uint64_t cookie);
/* Any thread, several at once: each event goes to one of them. @return 0: *cookie is filled; -EAGAIN: none waits; -errno. */
int hca_cq_events_next(const struct hca_cq_events *events, uint64_t *cookie);

/*
 * Order one event: it comes when the entry at cq->ci, or a later one, is written, at once where it is
 * already. To be called again only after an event was taken; before that it moves the order to the new
 * cq->ci.
 */
void hca_cq_events_arm(const struct hca_cq_events *events, const struct hca_cq *cq);

/* Take what waits. @return 0: an event was there; -EAGAIN: none; -errno. */
int hca_cq_events_take(struct hca_cq_events *events);

#endif
