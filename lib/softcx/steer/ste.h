/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The memory of STEs. A range is an array of slots, one a place of an STE, and a pool of entries, one an STE
 * in use; a slot holds the number of its entry and a few bits of the tag's hash. So a table much larger than
 * what it holds costs four bytes a place, a row is searched within a cache line, and rules inserted in a row
 * lie side by side.
 */
#ifndef SOFTCX_STE_H
#define SOFTCX_STE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "softcx/core/object.h"
#include "softcx/steer/definer.h"

#define SC_NB_SLOTS_OF_STE 5 /* counter, hit, DW5, DW6, DW7: what stc_ix[] names */
#define SC_STE_AHEAD 8       /* entries never used, looked ahead for */

struct sc_rtc;

/* One STE in use; a cache line. T stands where it stands in the STE itself, behind 20 bytes of control. */
struct sc_entry {
	uint16_t stc[SC_NB_SLOTS_OF_STE];
	uint8_t code;      /* number-of-actions code: index of the last valid stc[] */
	uint8_t unused;
	uint32_t counter;  /* DW0; in a free entry: the next free one */
	uint32_t hit;      /* DW4 */
	uint8_t t[SC_TAG_BYTES]; /* DW5..DW15: actions and tag, or a jumbo tag */
};

_Static_assert(sizeof(struct sc_entry) == 64, "an entry is a cache line");

struct sc_ste_range {
	struct sc_object obj;
	uint8_t table_type;
	uint8_t entry_bits;     /* low bits of a slot: number of its entry, 0 = free place */
	uint32_t places;
	uint32_t *slots;
	struct sc_entry *pool;  /* entry 0 is not used */
	uint32_t touched;       /* entries ever used */
	uint32_t free_head;     /* chain of entries given back, 0 = none */
	uint32_t used;
	struct sc_rtc *rtcs;    /* chain by next_in_range */
};

/* Fill range (obj is set by the caller). @return 0 or -ENOMEM. */
int sc_ste_range_init(struct sc_ste_range *range, uint8_t log_places);
void sc_ste_range_fini(struct sc_ste_range *range);

static inline uint32_t
sc_ste_number(const struct sc_ste_range *range, uint32_t slot)
{
	return slot & ((1u << range->entry_bits) - 1);
}

/* What the hash adds to an entry's number in its slot: its high bits, which the row has not used. */
static inline uint32_t
sc_ste_fingerprint(const struct sc_ste_range *range, uint32_t hash)
{
	return hash & ~((1u << range->entry_bits) - 1);
}

static inline struct sc_entry *
sc_ste_at(const struct sc_ste_range *range, uint32_t place)
{
	uint32_t slot = range->slots[place];

	return slot == 0 ? NULL : range->pool + sc_ste_number(range, slot);
}

/*
 * Among count places from first on: the one whose entry holds t (from byte from on), or -1; *room is then a
 * free place, or -1 where all are taken.
 */
static inline int64_t
sc_ste_find(const struct sc_ste_range *range, uint32_t first, uint32_t count, uint32_t hash, const uint8_t *t,
	uint32_t from, int64_t *room)
{
	uint32_t print = sc_ste_fingerprint(range, hash), i, slot;
	const uint32_t *row = range->slots + first;

	*room = -1;
	for (i = 0; i < count; i++) {
		slot = row[i];
		if (slot == 0) {
			if (*room < 0)
				*room = first + i;
		} else if (sc_ste_fingerprint(range, slot) == print &&
				sc_tag_equal(range->pool[sc_ste_number(range, slot)].t, t, from)) {
			return first + i;
		}
	}
	return -1;
}

/*
 * Give a free place an entry, contents undefined. There is always one: as many entries as places. The next
 * one to be taken is looked ahead for.
 */
static inline struct sc_entry *
sc_ste_take(struct sc_ste_range *range, uint32_t place, uint32_t hash)
{
	uint32_t number = range->free_head;

	if (number != 0) {
		range->free_head = range->pool[number].counter;
		__builtin_prefetch(range->pool + range->free_head, 1);
	} else {
		number = range->touched++;
		__builtin_prefetch(range->pool + number + SC_STE_AHEAD, 1);
	}
	range->used++;
	range->slots[place] = number | sc_ste_fingerprint(range, hash);
	return range->pool + number;
}

static inline void
sc_ste_give(struct sc_ste_range *range, uint32_t place)
{
	uint32_t number = sc_ste_number(range, range->slots[place]);

	range->slots[place] = 0;
	range->pool[number].counter = range->free_head;
	range->free_head = number;
	range->used--;
}

#endif
