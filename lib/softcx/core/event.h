/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Asynchronous events of a device (ibv_get_async_event): one queue per open context, each with a descriptor.
 */
#ifndef SOFTCX_EVENT_H
#define SOFTCX_EVENT_H

#include <stdint.h>

struct sc_device;
struct sc_event_queue;

/* Event queues of completions, made by the kernel: numbers FIRST to FIRST + NB - 1. */
#define SC_EQN_FIRST    1
#define SC_COMP_VECTORS 4

/* Values of enum ibv_event_type, so that the front need not translate. */
enum sc_async {
	SC_ASYNC_CQ_ERR = 0, SC_ASYNC_DEVICE_FATAL = 8, SC_ASYNC_PORT_ACTIVE = 9, SC_ASYNC_PORT_ERR = 10,
};

struct sc_async_event {
	uint32_t type; /* enum sc_async */
	uint32_t element; /* port number (1), or the number of the CQ */
};

/* Engine owned. */
int sc_events_open(struct sc_device *dev, struct sc_event_queue **queue);
void sc_events_close(struct sc_event_queue *queue);
void sc_event_raise(struct sc_device *dev, enum sc_async type, uint32_t element);

/* An eventfd (semaphore): readable while events wait; O_NONBLOCK may be set on it. */
int sc_events_fd(const struct sc_event_queue *queue);

/* Any thread, outside the engine. Blocks as the descriptor does. @return 0 or -errno (-EAGAIN). */
int sc_events_get(struct sc_event_queue *queue, struct sc_async_event *event);

#endif
