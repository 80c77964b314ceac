/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One field of a big-endian layout, and how to read and write it.
 *
 * Every mailbox, context, WQE, CQE, STE and capability page is an array of big-endian dwords. A field is named by
 * the byte offset of its (first) dword, the number of its most significant bit in that dword (31 = top) and its
 * width in bits: "0x10.23 w24" of the manuals is PRM_FIELD(0x10, 23, 24). A 64-bit field has bit 31 and width 64.
 * Fields wider than 64 bits are byte areas: only their offset and size are used (prm_area).
 *
 * All of it is inline and folds to one load, swap, shift and mask where the field is a constant.
 */
#ifndef PRM_FIELD_H
#define PRM_FIELD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Offset 15 bits, top bit 5 bits, width in bits 11 bits (up to 2047; a longer or variable area has width 0). */
#define PRM_FIELD(off, hi, width) ((int)((uint32_t)(off) << 16 | (uint32_t)(hi) << 11 | (uint32_t)(width)))

static inline uint32_t
prm_offset(int field)
{
	return (uint32_t)field >> 16;
}

static inline uint32_t
prm_high_bit(int field)
{
	return (uint32_t)field >> 11 & 31;
}

static inline uint32_t
prm_width(int field)
{
	return (uint32_t)field & 0x7ff;
}

static inline uint32_t
prm_mask(int field)
{
	return prm_width(field) >= 32 ? UINT32_MAX : (1u << prm_width(field)) - 1;
}

static inline uint32_t
prm_shift(int field)
{
	return prm_high_bit(field) + 1 - prm_width(field);
}

static inline uint32_t
prm_load32(const void *at)
{
	uint32_t be;

	memcpy(&be, at, sizeof(be));
	return be32toh(be);
}

static inline void
prm_store32(void *at, uint32_t value)
{
	uint32_t be = htobe32(value);

	memcpy(at, &be, sizeof(be));
}

/* A field of at most 32 bits, which lies inside one dword. */
static inline uint32_t
prm_get(const void *layout, int field)
{
	return prm_load32((const uint8_t *)layout + prm_offset(field)) >> prm_shift(field) & prm_mask(field);
}

/* Bits of value beyond the field's width are dropped; the rest of the dword stays. */
static inline void
prm_set(void *layout, int field, uint32_t value)
{
	uint8_t *at = (uint8_t *)layout + prm_offset(field);
	uint32_t mask = prm_mask(field) << prm_shift(field);

	prm_store32(at, (prm_load32(at) & ~mask) | (value << prm_shift(field) & mask));
}

static inline uint64_t
prm_get64(const void *layout, int field)
{
	uint64_t be;

	memcpy(&be, (const uint8_t *)layout + prm_offset(field), sizeof(be));
	return be64toh(be);
}

static inline void
prm_set64(void *layout, int field, uint64_t value)
{
	uint64_t be = htobe64(value);

	memcpy((uint8_t *)layout + prm_offset(field), &be, sizeof(be));
}

/* Where a nested layout, list or byte area begins. */
static inline void *
prm_area(void *layout, int field)
{
	return (uint8_t *)layout + prm_offset(field);
}

static inline const void *
prm_area_const(const void *layout, int field)
{
	return (const uint8_t *)layout + prm_offset(field);
}

#endif
