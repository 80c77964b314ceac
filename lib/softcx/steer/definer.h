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

/* The same of a T that is not masked yet. */
uint32_t sc_definer_hash_masked(const struct sc_definer *definer, const uint8_t *t);

/* The CRC before the swap, over any bytes up to 44; for tests. */
uint32_t sc_hash_crc(const uint8_t *bytes, uint32_t len);

#endif
