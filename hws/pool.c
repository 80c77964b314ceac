/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BULK 64

uint32_t
pool_bulk_size(uint32_t n, uint32_t nb_caches)
{
	uint32_t bulk = n / (16 * nb_caches);

	return bulk < 1 ? 1 : bulk > MAX_BULK ? MAX_BULK : bulk;
}

uint32_t
pool_slack(uint32_t n, uint32_t nb_caches)
{
	/* What all caches but the asking one can hold, one of them both a fresh bulk and a list. */
	return nb_caches < 2 ? 0 : (nb_caches - 1) * 3 * pool_bulk_size(n, nb_caches);
}

static void
stack_push(struct pool *pool, _Atomic uint64_t *stack, uint32_t bulk)
{
	uint64_t old = atomic_load_explicit(stack, memory_order_relaxed), new;

	do {
		atomic_store_explicit(&pool->bulks[bulk].next, (uint32_t)old, memory_order_relaxed);
		new = ((old >> 32) + 1) << 32 | bulk;
		/* Release: the bulk's members and its links come before it can be popped. */
	} while (!atomic_compare_exchange_weak_explicit(stack, &old, new, memory_order_acq_rel,
							memory_order_relaxed));
}

static uint32_t
stack_pop(struct pool *pool, _Atomic uint64_t *stack)
{
	uint64_t old = atomic_load_explicit(stack, memory_order_acquire), new;

	do {
		uint32_t next;

		if ((uint32_t)old == POOL_NONE)
			return POOL_NONE;
		/* May be stale when another queue pops first; the tag then makes the exchange fail. */
		next = atomic_load_explicit(&pool->bulks[(uint32_t)old].next, memory_order_relaxed);
		new = ((old >> 32) + 1) << 32 | next;
	} while (!atomic_compare_exchange_weak_explicit(stack, &old, new, memory_order_acq_rel,
							memory_order_acquire));
	return (uint32_t)old;
}

int
pool_init(struct pool *pool, uint32_t n, uint32_t nb_caches, uint8_t *links, uint32_t stride)
{
	uint32_t nb_bulks;

	memset(pool, 0, sizeof(*pool));
	pool->links = links;
	pool->stride = stride;
	pool->bulk = pool_bulk_size(n, nb_caches);
	pool->size = n + pool_slack(n, nb_caches);
	pool->nb_caches = nb_caches;
	nb_bulks = pool->size / pool->bulk + 1;
	pool->caches = aligned_alloc(64, nb_caches * sizeof(*pool->caches));
	pool->bulks = calloc(nb_bulks, sizeof(*pool->bulks));
	if (pool->caches == NULL || pool->bulks == NULL) {
		pool_fini(pool);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nb_caches; i++)
		pool->caches[i] = (struct pool_cache){ .head = POOL_NONE };
	atomic_init(&pool->full, POOL_NONE);
	atomic_init(&pool->empty, POOL_NONE);
	for (uint32_t i = 0; i < nb_bulks; i++)
		stack_push(pool, &pool->empty, nb_bulks - 1 - i);
	return 0;
}

void
pool_fini(struct pool *pool)
{
	free(pool->caches);
	free(pool->bulks);
	pool->caches = NULL;
	pool->bulks = NULL;
}

bool
pool_refill(struct pool *pool, struct pool_cache *cache)
{
	uint32_t bulk = stack_pop(pool, &pool->full), fresh, end;

	if (bulk != POOL_NONE) {
		cache->head = pool->bulks[bulk].head;
		cache->nb = pool->bulks[bulk].nb;
		stack_push(pool, &pool->empty, bulk);
		return true;
	}
	fresh = atomic_load_explicit(&pool->fresh, memory_order_relaxed);
	do {
		if (fresh == pool->size)
			return false;
		end = pool->size - fresh < pool->bulk ? pool->size : fresh + pool->bulk;
	} while (!atomic_compare_exchange_weak_explicit(&pool->fresh, &fresh, end, memory_order_relaxed,
							memory_order_relaxed));
	cache->fresh = fresh;
	cache->fresh_end = end;
	return true;
}

void
pool_spill(struct pool *pool, struct pool_cache *cache)
{
	uint32_t bulk = stack_pop(pool, &pool->empty);
	uint32_t index = cache->head, nb = pool->bulk;

	/* There are as many descriptors as bulks, so one is free. */
	pool->bulks[bulk].head = index;
	pool->bulks[bulk].nb = nb;
	for (uint32_t i = 1; i < nb; i++)
		index = *pool_link(pool, index);
	cache->head = *pool_link(pool, index);
	*pool_link(pool, index) = POOL_NONE;
	cache->nb -= nb;
	stack_push(pool, &pool->full, bulk);
}

uint32_t
pool_nb_out(const struct pool *pool)
{
	uint32_t in = pool->size - atomic_load_explicit(&pool->fresh, memory_order_relaxed);

	for (uint32_t i = 0; i < pool->nb_caches; i++)
		in += pool->caches[i].nb + (pool->caches[i].fresh_end - pool->caches[i].fresh);
	for (uint32_t b = (uint32_t)atomic_load_explicit(&pool->full, memory_order_relaxed); b != POOL_NONE;
	     b = atomic_load_explicit(&pool->bulks[b].next, memory_order_relaxed))
		in += pool->bulks[b].nb;
	return pool->size - in;
}
