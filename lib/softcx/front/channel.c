/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/front/channel.h"

#include <pthread.h>
#include <string.h>

#include "softcx/nic/nic.h"

static pthread_mutex_t channels_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sc_subscription *subscriptions;

void
sc_channels_lock(void)
{
	pthread_mutex_lock(&channels_lock);
}

void
sc_channels_unlock(void)
{
	pthread_mutex_unlock(&channels_lock);
}

static void
put_be32(uint8_t *p, uint32_t value)
{
	value = __builtin_bswap32(value);
	memcpy(p, &value, sizeof(value));
}

/* Event queue entry (PRM, EQE): type in byte 1; the number's place depends on the type. */
static void
write_eqe(uint8_t eqe[SC_EQE_BYTES], enum sc_event_type type, const struct sc_object *obj, uint8_t syndrome)
{
	memset(eqe, 0, SC_EQE_BYTES);
	eqe[1] = type;
	switch (type) {
	case SC_EVENT_CQ_ERROR:
		put_be32(eqe + 0x20, obj->id);
		eqe[0x2b] = syndrome;
		break;
	default:
		eqe[0x34] = obj->type == SC_SQ ? 2 : obj->type == SC_RQ ? 1 : 0;
		put_be32(eqe + 0x38, obj->id);
	}
}

static void
on_event(void *arg, enum sc_event_type type, struct sc_object *obj, uint8_t syndrome)
{
	uint8_t eqe[SC_EQE_BYTES];

	write_eqe(eqe, type, obj, syndrome);
	sc_channels_lock();
	for (struct sc_subscription *sub = subscriptions; sub != NULL; sub = sub->next)
		if (sub->dev == arg && sub->id == obj->id && sub->type == obj->type && sub->event == type)
			sub->deliver(sub, eqe);
	sc_channels_unlock();
}

void
sc_channels_attach(struct sc_device *dev)
{
	sc_nic_set_event(dev, on_event, dev);
}

void
sc_channels_subscribe(struct sc_subscription *sub)
{
	sc_channels_lock();
	sub->next = subscriptions;
	subscriptions = sub;
	sc_channels_unlock();
}

void
sc_channels_unsubscribe(struct sc_subscription *sub)
{
	struct sc_subscription **at = &subscriptions;

	sc_channels_lock();
	while (*at != NULL && *at != sub)
		at = &(*at)->next;
	if (*at != NULL)
		*at = sub->next;
	sc_channels_unlock();
}

void
sc_channels_forget(struct sc_device *dev, enum sc_type type, uint32_t id)
{
	struct sc_subscription **at = &subscriptions, *sub;

	sc_channels_lock();
	while ((sub = *at) != NULL) {
		if (sub->dev != dev || sub->type != type || sub->id != id) {
			at = &sub->next;
			continue;
		}
		*at = sub->next;
		if (sub->release != NULL)
			sub->release(sub);
	}
	sc_channels_unlock();
}
