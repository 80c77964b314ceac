/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Arithmetic on powers of two, for softcx, which may not use DPDK's headers, and for whoever else finds it handy.
 */
#ifndef UTIL_BITS_H
#define UTIL_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool
is_pow2_u64(uint64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

/* Largest n with 2^n <= value; value must not be 0. */
static inline unsigned int
ilog2_floor(uint64_t value)
{
	return 63 - (unsigned int)__builtin_clzll(value);
}

/* Smallest n with 2^n >= value; 0 for 0 and 1. */
static inline unsigned int
ilog2_ceil(uint64_t value)
{
	return value <= 1 ? 0 : ilog2_floor(value - 1) + 1;
}

/* alignment is a power of two. */
static inline uint64_t
align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

static inline uint64_t
align_down(uint64_t value, uint64_t alignment)
{
	return value & ~(alignment - 1);
}

static inline uint64_t
div_ceil(uint64_t value, uint64_t unit)
{
	return value / unit + (value % unit != 0);
}

#endif
