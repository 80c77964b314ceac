/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * From the device's event queues to whoever asked: DevX event channels (channel.c), completion channels of
 * verbs CQs (queue.c).
 */
#ifndef SOFTCX_CHANNEL_H
#define SOFTCX_CHANNEL_H

#include <stdint.h>

#include "softcx/core/event.h"
#include "softcx/core/object.h"

/* One wish to hear of one event type of one object. Listed under the channels' lock. */
struct sc_subscription {
	struct sc_subscription *next;
	struct sc_device *dev;
	uint32_t id;
	uint16_t type;  /* enum sc_type */
	uint16_t event; /* EQE type */
	/* Under the channels' lock, on the engine's thread; must not call into the engine. */
	void (*deliver)(struct sc_subscription *sub, const uint8_t *eqe);
	/* Its object is gone and so is its listing: free what is left. May be NULL. */
	void (*release)(struct sc_subscription *sub);
};

#define SC_EQE_BYTES 64

void sc_channels_lock(void);
void sc_channels_unlock(void);

/* Take the device's events over. Engine owned; again for the same device is harmless. */
void sc_channels_attach(struct sc_device *dev);

void sc_channels_subscribe(struct sc_subscription *sub);
void sc_channels_unsubscribe(struct sc_subscription *sub);

/* The object was destroyed: nobody hears of it any more. */
void sc_channels_forget(struct sc_device *dev, enum sc_type type, uint32_t id);

#endif
