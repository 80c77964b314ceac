/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Counters of the data path: one writer, any reader. Values are whole for readers on other threads,
 * without a locked instruction for the writer. A reset remembers where the counter stood instead of
 * writing it, so it never races the writer.
 */
#ifndef MLX5HWS_COUNT_H
#define MLX5HWS_COUNT_H

#include <stdint.h>

struct mlx5hws_counter {
	uint64_t now;  /* the data path's */
	uint64_t base; /* the control thread's: what now was at the last reset */
};

static inline void
mlx5hws_count(struct mlx5hws_counter *counter, uint64_t n)
{
	__atomic_store_n(&counter->now, counter->now + n, __ATOMIC_RELAXED);
}

/* What was counted did not come true: take n back. */
static inline void
mlx5hws_uncount(struct mlx5hws_counter *counter, uint64_t n)
{
	__atomic_store_n(&counter->now, counter->now - n, __ATOMIC_RELAXED);
}

/* Since the last reset; 0 where more was taken back than counted since. */
static inline uint64_t
mlx5hws_counted(const struct mlx5hws_counter *counter)
{
	uint64_t now = __atomic_load_n(&counter->now, __ATOMIC_RELAXED);

	return now > counter->base ? now - counter->base : 0;
}

static inline void
mlx5hws_counter_reset(struct mlx5hws_counter *counter)
{
	counter->base = __atomic_load_n(&counter->now, __ATOMIC_RELAXED);
}

#endif
