/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/ste.h"

#include <errno.h>

#include "softcx/steer/memory.h"

/* The slots, then, from a cache line on, the entries: together in as few large pages as can be. */
static size_t
slots_bytes(const struct sc_ste_range *range)
{
	return ((size_t)range->places * sizeof(*range->slots) + sizeof(*range->pool) - 1) / sizeof(*range->pool) *
	       sizeof(*range->pool);
}

static size_t
range_bytes(const struct sc_ste_range *range)
{
	return slots_bytes(range) + ((size_t)range->places + 1) * sizeof(*range->pool);
}

int
sc_ste_range_init(struct sc_ste_range *range, uint8_t log_places)
{
	uint8_t *memory;

	range->places = 1u << log_places;
	range->entry_bits = log_places + 1;
	memory = sc_map(range_bytes(range), "stes");
	if (memory == NULL)
		return -ENOMEM;
	range->slots = (uint32_t *)(void *)memory;
	range->pool = (struct sc_entry *)(void *)(memory + slots_bytes(range));
	range->touched = 1;
	return 0;
}

void
sc_ste_range_fini(struct sc_ste_range *range)
{
	/*
	 * The next range may have it: an RTC that goes frees its places, and an entry is written before it
	 * is read.
	 */
	if (range->used == 0)
		sc_keep(range->slots, range_bytes(range));
	else
		sc_unmap(range->slots, range_bytes(range));
	range->slots = NULL;
	range->pool = NULL;
}
