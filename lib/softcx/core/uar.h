/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * UAR pages: where drivers ring doorbells.
 *
 * uar=trap: the driver's page is read-only; a store faults, the handler decodes and carries it out on a
 * writable second mapping of the page, and gives the eight bytes to nic/ (sc_nic_doorbell) through
 * sc_engine_call: when the store "returns", the device has noted the doorbell. x86-64. uar=poll: an
 * ordinary page that nobody looks at.
 */
#ifndef SOFTCX_UAR_H
#define SOFTCX_UAR_H

#include <stdint.h>

#include "softcx/core/object.h"

#define SC_UAR_BYTES 4096

struct sc_uar {
	struct sc_object obj;
	uint8_t *page;   /* what the driver gets */
	uint8_t *shadow; /* the same page, writable; page itself under uar=poll */
	uint64_t doorbells;
	uint64_t stray;  /* stores that no queue answers to */
};

/* Engine owned. */
int sc_uar_create(struct sc_device *dev, uint16_t uid, struct sc_uar **uar);
int sc_uar_destroy(struct sc_uar *uar); /* -EBUSY while queues use it */

#endif
