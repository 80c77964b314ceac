/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A definer gathers dwords and bytes of the header layout into a tag, under a mask, and hashes tags into
 * rows.
 *
 * A tag is the 44-byte array T of hws.md 4.2: dword selector i at byte 4 * (8 - i), byte selector j at byte
 * 43 - j. The 8DW format uses T bytes 12..43 only; bytes 0..11 are then zero.
 */
#ifndef SOFTCX_DEFINER_H
#define SOFTCX_DEFINER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "softcx/core/object.h"

#define SC_TAG_BYTES      44
#define SC_TAG_8DW_AT     12 /* where the tag of the 8DW format begins in T */
#define SC_DEFINER_DWORDS 9
#define SC_DEFINER_BYTES  8

struct sc_definer {
	struct sc_object obj;
	uint8_t mask[SC_TAG_BYTES];
	bool beyond_8dw;    /* the mask has bits in T bytes 0..11: only for the 11DW format */
	bool wants_verdict; /* looks at checksum verdicts */
	bool linear;        /* predefined: the row is the upper half of REG_C_3 */
	uint8_t nb_dwords, nb_bytes, nb_used;
	/* only what the mask leaves */
	struct {
		uint16_t from; /* byte offset in the header layout */
		uint8_t to;    /* in T */
		uint32_t mask; /* as it lies in memory */
	} dwords[SC_DEFINER_DWORDS];
	struct {
		uint8_t from, to, mask;
	} bytes[SC_DEFINER_BYTES];
	uint8_t used[SC_TAG_BYTES /
		     4]; /* where the dwords of T begin that are not masked away: the hash needs no other */
	uint8_t dword_selector[SC_DEFINER_DWORDS], byte_selector[SC_DEFINER_BYTES];
};

/*
 * Compile selectors and mask. @return 0; -EINVAL and, in *bad, the number of the dword selector that shows
 * nothing although its mask is not zero.
 */
int sc_definer_compile(struct sc_definer *definer, unsigned int *bad);

/* T of a frame, masked; all 44 bytes are written. */
void sc_definer_tag(const struct sc_definer *definer, const uint8_t *hl, uint8_t *t);

/*
 * The hash of flow_table_hash_type 0 (hws.md 6.5) of a masked T: CRC-32 reflected, initial value 0, not
 * inverted, byte swapped. The row is its low bits.
 */
uint32_t sc_definer_hash(const struct sc_definer *definer, const uint8_t *t);

/*
 * What follows is done for every work request, so by the longest words that all machines have: T bytes
 * 12..43 as two of 16, the rest as 8 and 4. from: 0, or SC_TAG_8DW_AT where the bytes before it are zero
 * in all T.
 */
typedef uint64_t sc_long_word __attribute__((vector_size(16)));

/* t = unmasked T under the mask; with from, bytes before it are zero. */
static inline void
sc_definer_mask(const struct sc_definer *definer, const uint8_t *unmasked, uint32_t from, uint8_t *t)
{
	sc_long_word value[2], mask[2];
	uint64_t low = 0, low_mask;
	uint32_t next = 0, next_mask;

	if (from == 0) {
		memcpy(&low, unmasked, sizeof(low));
		memcpy(&low_mask, definer->mask, sizeof(low_mask));
		memcpy(&next, unmasked + sizeof(low), sizeof(next));
		memcpy(&next_mask, definer->mask + sizeof(low), sizeof(next_mask));
		low &= low_mask;
		next &= next_mask;
	}
	memcpy(t, &low, sizeof(low));
	memcpy(t + sizeof(low), &next, sizeof(next));
	memcpy(value, unmasked + SC_TAG_8DW_AT, sizeof(value));
	memcpy(mask, definer->mask + SC_TAG_8DW_AT, sizeof(mask));
	value[0] &= mask[0];
	value[1] &= mask[1];
	memcpy(t + SC_TAG_8DW_AT, value, sizeof(value));
}

static inline bool
sc_tag_equal(const uint8_t *a, const uint8_t *b, uint32_t from)
{
	uint64_t x[4], y[4];

	memcpy(x, a + SC_TAG_8DW_AT, sizeof(x));
	memcpy(y, b + SC_TAG_8DW_AT, sizeof(y));
	if (((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) != 0)
		return false;
	return from != 0 || memcmp(a, b, SC_TAG_8DW_AT) == 0;
}

/* The CRC before the swap, over any bytes up to 44; for tests. */
uint32_t sc_hash_crc(const uint8_t *bytes, uint32_t len);

#endif
