/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HCA_LOG2_H
#define HCA_LOG2_H

#include <stdint.h>

/* Smallest n with 2^n >= value; 0 for 0 and 1. */
static inline uint8_t
hca_log2_ceil(uint32_t value)
{
	return value <= 1 ? 0 : (uint8_t)(32 - __builtin_clz(value - 1));
}

#endif
