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
	/* The next range may have it: an RTC that goes frees its places, and an entry is written before it is read. */
	if (range->used == 0)
		sc_keep(range->slots, range_bytes(range));
	else
		sc_unmap(range->slots, range_bytes(range));
	range->slots = NULL;
	range->pool = NULL;
}

/* What the hash adds to an entry's number in its slot: its high bits, which the row has not used. */
static inline uint32_t
fingerprint(const struct sc_ste_range *range, uint32_t hash)
{
	return hash & ~((1u << range->entry_bits) - 1);
}

int64_t
sc_ste_find(const struct sc_ste_range *range, uint32_t first, uint32_t count, uint32_t hash, const uint8_t *t,
	uint32_t from, int64_t *room)
{
	uint32_t low = (1u << range->entry_bits) - 1, print = fingerprint(range, hash), i, slot;
	const uint32_t *row = range->slots + first;

	*room = -1;
	for (i = 0; i < count; i++) {
		slot = row[i];
		if (slot == 0) {
			if (*room < 0)
				*room = first + i;
		} else if ((slot & ~low) == print &&
				memcmp(range->pool[slot & low].t + from, t + from,
				SC_TAG_BYTES - from) == 0) {
			return first + i;
		}
	}
	return -1;
}

struct sc_entry *
sc_ste_take(struct sc_ste_range *range, uint32_t place, uint32_t hash)
{
	uint32_t number = range->free_head;

	if (number != 0)
		range->free_head = range->pool[number].counter;
	else
		number = range->touched++;
	range->used++;
	range->slots[place] = number | fingerprint(range, hash);
	return range->pool + number;
}

void
sc_ste_give(struct sc_ste_range *range, uint32_t place)
{
	uint32_t number = range->slots[place] & ((1u << range->entry_bits) - 1);

	range->slots[place] = 0;
	range->pool[number].counter = range->free_head;
	range->free_head = number;
	range->used--;
}
