/* SPDX-License-Identifier: BSD-3-Clause */

/* Asynchronous events of verbs: port up and down, device dead, CQ overrun. */
#include "softcx/front/queue.h"

#include <string.h>

#include "softcx/core/event.h"

int
ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct sc_user *user = sc_user_of(context);
	struct sc_async_event from;
	int rc;

	for (;;) {
		rc = sc_events_get(user->events, &from);
		if (rc != 0) {
			errno = -rc;
			return -1;
		}
		memset(event, 0, sizeof(*event));
		event->event_type = (enum ibv_event_type)from.type;
		if (from.type != SC_ASYNC_CQ_ERR) {
			event->element.port_num = from.element;
			return 0;
		}
		/* Only verbs CQs have a name in verbs; a DevX CQ's error goes to DevX event channels. */
		event->element.cq = sc_cq_by_number(user->dev, from.element);
		if (event->element.cq != NULL)
			return 0;
	}
}

void
ibv_ack_async_event(struct ibv_async_event *event)
{
	if (event->event_type != IBV_EVENT_CQ_ERR)
		return;
	pthread_mutex_lock(&event->element.cq->mutex);
	event->element.cq->async_events_completed++;
	pthread_cond_signal(&event->element.cq->cond);
	pthread_mutex_unlock(&event->element.cq->mutex);
}
