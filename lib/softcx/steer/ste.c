/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/ste.h"

#include <errno.h>
#include <sys/mman.h>

#include "softcx/steer/memory.h"

enum { HUGE_PAGE = 2 << 20 };

static size_t
slots_bytes(const struct sc_ste_range *range)
{
	return (size_t)range->places * sizeof(*range->slots);
}

static size_t
pool_bytes(const struct sc_ste_range *range)
{
	return ((size_t)range->places + 1) * sizeof(*range->pool);
}

int
sc_ste_range_init(struct sc_ste_range *range, uint8_t log_places)
{
	range->places = 1u << log_places;
	range->entry_bits = log_places + 1;
	range->slots = sc_map(slots_bytes(range), "ste places");
	range->pool = sc_map(pool_bytes(range), "ste entries");
	if (range->slots == NULL || range->pool == NULL) {
		sc_ste_range_fini(range);
		return -ENOMEM;
	}
	/* Rows are met at random: without large pages each costs a walk of the page table too. */
	if (slots_bytes(range) >= HUGE_PAGE)
		(void)madvise(range->slots, slots_bytes(range), MADV_HUGEPAGE);
	range->touched = 1;
	return 0;
}

void
sc_ste_range_fini(struct sc_ste_range *range)
{
	sc_unmap(range->slots, slots_bytes(range));
	sc_unmap(range->pool, pool_bytes(range));
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
