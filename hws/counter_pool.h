/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Inside of a counter pool: what taking a counter for a rule reads and writes, so that the action program does it without
 * a call.
 */
#ifndef MLX5DR_COUNTER_POOL_H
#define MLX5DR_COUNTER_POOL_H

#include <endian.h>
#include <stdatomic.h>
#include <stdint.h>

#include "hca/mr.h"
#include "hws/counter.h"
#include "hws/pool.h"

#define COUNTER_MAX_BULKS 32

/* What the device answered last; from where a counter's present user counts. */
struct counter_value {
	_Atomic uint64_t packets, bytes;
};

/* Counters first .. first + nb - 1 are one object of the device; STCs by direction. */
struct counter_bulk {
	uint32_t first, nb;
	uint32_t stc_be[MLX5DR_NB_TABLE_TYPES];
};

/* The round under way. Under the lock of the engine's queue. */
struct counter_round {
	bool under_way, in_flight;
	uint32_t number;
	uint32_t first, nb, end; /* the batch, and where the round ends */
	uint32_t until;          /* position of the queue behind the batch */
	uint32_t begun, ended;
};

struct mlx5dr_counter_pool {
	/* Read per rule. */
	struct counter_value *values, *bases;
	struct counter_bulk bulks[COUNTER_MAX_BULKS];
	struct pool pool;
	/* The rest. */
	struct mlx5dr_context *ctx;
	uint32_t *links;
	uint32_t nb;               /* asked for */
	unsigned int nb_bulks;
	unsigned int refs;         /* action templates whose rules take counters; under the context's lock */
	struct hca_obj *obj[COUNTER_MAX_BULKS];
	struct mlx5dr_action *action[COUNTER_MAX_BULKS][MLX5DR_NB_TABLE_TYPES];
	_Atomic uint32_t sequence; /* odd while values change */
	_Atomic uint32_t round;    /* refreshes begun: stamp of counters that are given back */
	struct counter_round reading;
	uint8_t *staging;          /* the device writes here */
	struct hca_mr mr;
};

/* Acquire and release keep both accesses between those of `sequence`. */
static inline void
counter_load(const struct counter_value *value, uint64_t *packets, uint64_t *bytes)
{
	*packets = atomic_load_explicit(&value->packets, memory_order_acquire);
	*bytes = atomic_load_explicit(&value->bytes, memory_order_acquire);
}

static inline void
counter_store(struct counter_value *value, uint64_t packets, uint64_t bytes)
{
	atomic_store_explicit(&value->packets, packets, memory_order_release);
	atomic_store_explicit(&value->bytes, bytes, memory_order_release);
}

/*
 * A counter from cache `which`; POOL_NONE: none. One that had a user went through a refresh after that user was gone, so
 * its last value is where the new one begins. One that never had a user is zero in the device, and so is its base, which
 * stays untouched (and without memory).
 */
static inline __attribute__((always_inline)) uint32_t
counter_take(struct mlx5dr_counter_pool *counters, uint32_t which)
{
	struct pool_cache *cache = &counters->pool.caches[which];
	uint64_t packets, bytes;
	uint32_t index;

	if (__builtin_expect(which >= counters->pool.nb_caches, 0))
		return POOL_NONE;
	index = cache->head;
	if (index == POOL_NONE) {
		if (__builtin_expect(cache->fresh == cache->fresh_end, 0) && !pool_refill(&counters->pool, cache))
			return POOL_NONE;
		if (cache->head == POOL_NONE)
			return cache->fresh++;
		index = cache->head;
	}
	cache->head = counters->links[index];
	cache->nb--;
	counter_load(&counters->values[index], &packets, &bytes);
	counter_store(&counters->bases[index], packets, bytes);
	return index;
}

/* Bulks go from the largest to the smallest, so most counters are in the first and nearly all others in the second. */
static inline __attribute__((always_inline)) const struct counter_bulk *
counter_bulk_of(const struct mlx5dr_counter_pool *counters, uint32_t counter)
{
	const struct counter_bulk *bulk = counters->bulks;

	while (__builtin_expect(counter - bulk->first >= bulk->nb, 0))
		bulk++;
	return bulk;
}

#endif
