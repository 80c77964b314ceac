/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Stepped, queues move in softcx_step() alone. A program that waits for an answer and never steps waits
 * for ever, and what it says when it gives up does not name the cause; so the device does, once.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "softcx/core/device.h"
#include "softcx/core/engine_internal.h"
#include "softcx/core/parts.h"
#include "softcx/core/trace.h"

#define PATIENCE_NS 2000000000ull

/* Last step, or since when there is no thread. Told and asked under different locks. */
static _Atomic uint64_t moved_ns;
static atomic_bool told;

void
sc_stepped_moved(uint64_t now_ns)
{
	atomic_store_explicit(&moved_ns, now_ns, memory_order_relaxed);
}

static bool
waits(const struct sc_device *dev)
{
	const struct sc_part *const *part;

	for (part = sc_parts; *part != NULL; part++)
		if ((*part)->waits != NULL && (*part)->waits(dev))
			return true;
	return false;
}

void
sc_stepped_look(struct sc_device *const devices[SC_PORTS_MAX], uint64_t now_ns)
{
	uint64_t moved = atomic_load_explicit(&moved_ns, memory_order_relaxed);
	uint32_t i;

	if (atomic_load_explicit(&told, memory_order_relaxed) || now_ns - moved < PATIENCE_NS)
		return;
	for (i = 0; i < SC_PORTS_MAX; i++)
		if (devices[i] != NULL && waits(devices[i]))
			break;
	if (i == SC_PORTS_MAX)
		return;
	if (atomic_exchange_explicit(&told, true, memory_order_relaxed))
		return;
	fprintf(stderr,
		"softcx: %s: work requests wait, and nobody has called softcx_step() for %u s; with exec=stepped "
		"queues move only there\n", devices[i]->name, (unsigned int)((now_ns - moved) / 1000000000));
	sc_trace(devices[i], "work requests wait, and nobody steps");
}
