/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MLX5HWS_COUNT_H
#define MLX5HWS_COUNT_H

#include <stdint.h>

/* Counters with one writer: whole values for readers on other threads, no locked instruction for the writer. */
static inline void
mlx5hws_count(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline uint64_t
mlx5hws_counted(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif
