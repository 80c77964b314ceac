/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/event.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "softcx/core/device.h"
#include "softcx/core/internal.h"
#include "softcx/core/trace.h"

#define EVENTS_MAX 64 /* waiting in one queue; more are lost, as on an overrun event queue */

/* The one place of the core with a lock of its own: readers sit outside the engine. */
struct sc_event_queue {
	struct sc_device *dev;
	struct sc_event_queue *next;
	pthread_mutex_t lock;
	int fd;
	uint32_t head, tail;
	struct sc_async_event event[EVENTS_MAX];
};

int
sc_events_open(struct sc_device *dev, struct sc_event_queue **out)
{
	struct sc_event_queue *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return -ENOMEM;
	q->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	if (q->fd < 0) {
		free(q);
		return -errno;
	}
	pthread_mutex_init(&q->lock, NULL);
	q->dev = dev;
	q->next = dev->event_queues;
	dev->event_queues = q;
	*out = q;
	return 0;
}

void
sc_events_close(struct sc_event_queue *q)
{
	struct sc_event_queue **at;

	for (at = &q->dev->event_queues; *at != NULL; at = &(*at)->next)
		if (*at == q) {
			*at = q->next;
			break;
		}
	close(q->fd);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

void
sc_events_free(struct sc_device *dev)
{
	while (dev->event_queues != NULL)
		sc_events_close(dev->event_queues);
}

void
sc_event_raise(struct sc_device *dev, enum sc_async type, uint32_t element)
{
	struct sc_event_queue *q;
	uint64_t one = 1;
	bool room;

	sc_trace(dev, "event %d of %u", type, element);
	for (q = dev->event_queues; q != NULL; q = q->next) {
		pthread_mutex_lock(&q->lock);
		room = q->head - q->tail < EVENTS_MAX;
		if (room)
			q->event[q->head++ % EVENTS_MAX] = (struct sc_async_event){ type, element };
		pthread_mutex_unlock(&q->lock);
		if (room && write(q->fd, &one, sizeof(one)) != sizeof(one))
			sc_trace(dev, "event descriptor %d: %d", q->fd, errno);
	}
}

int
sc_events_fd(const struct sc_event_queue *q)
{
	return q->fd;
}

int
sc_events_get(struct sc_event_queue *q, struct sc_async_event *event)
{
	uint64_t one;
	ssize_t n;
	int ret = -EAGAIN;

	do {
		n = read(q->fd, &one, sizeof(one));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	pthread_mutex_lock(&q->lock);
	if (q->head != q->tail) {
		*event = q->event[q->tail++ % EVENTS_MAX];
		ret = 0;
	}
	pthread_mutex_unlock(&q->lock);
	return ret;
}
