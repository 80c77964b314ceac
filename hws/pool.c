/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_BULK 64
#define MAPPED_BYTES 8192 /* descriptors of so many bytes are a mapping, of which only what is used becomes memory */

uint32_t
pool_bulk_size(uint32_t n, uint32_t nb_caches)
{
	uint32_t bulk = n / (16 * nb_caches);

	return bulk < 1 ? 1 : bulk > MAX_BULK ? MAX_BULK : bulk;
}

uint32_t
pool_slack(uint32_t n, uint32_t nb_caches)
{
	uint32_t bulk = pool_bulk_size(n, nb_caches);

	/* What the other caches can hold: a fresh bulk, a list aside of less than two, another and a waiting room of less than one; and
	 * one's own waiting room. */
	return (nb_caches - 1) * (bulk + 2 * bulk - 1 + bulk - 1 + bulk - 1) + bulk - 1;
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

/* There are as many descriptors as bulks, so one is free. Those never used stay untouched, for the sake of memory. */
static uint32_t
take_empty(struct pool *pool)
{
	uint32_t bulk = stack_pop(pool, &pool->empty);

	return bulk != POOL_NONE ? bulk : atomic_fetch_add_explicit(&pool->fresh_bulk, 1, memory_order_relaxed);
}

/* Zeroed. */
static struct pool_bulk *
alloc_bulks(size_t bytes)
{
	void *mapping;

	if (bytes < MAPPED_BYTES)
		return calloc(1, bytes);
	mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return mapping != MAP_FAILED ? mapping : NULL;
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
	pool->bulks_bytes = nb_bulks * sizeof(*pool->bulks);
	pool->bulks = alloc_bulks(pool->bulks_bytes);
	if (pool->caches == NULL || pool->bulks == NULL) {
		pool_fini(pool);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nb_caches; i++)
		pool->caches[i] = (struct pool_cache){ .head = POOL_NONE, .wait_head = POOL_NONE };
	atomic_init(&pool->full, POOL_NONE);
	atomic_init(&pool->empty, POOL_NONE);
	atomic_init(&pool->waiting, POOL_NONE);
	return 0;
}

void
pool_fini(struct pool *pool)
{
	free(pool->caches);
	if (pool->bulks_bytes < MAPPED_BYTES)
		free(pool->bulks);
	else if (pool->bulks != NULL)
		munmap(pool->bulks, pool->bulks_bytes);
	pool->caches = NULL;
	pool->bulks = NULL;
}

bool
pool_refill(struct pool *pool, struct pool_cache *cache)
{
	/* Size: may be raised meanwhile, see records.c. */
	uint32_t bulk, fresh, end, size = __atomic_load_n(&pool->size, __ATOMIC_ACQUIRE);

	if (cache->nb_aside != 0) {
		cache->head = cache->aside_head;
		cache->nb = cache->nb_aside;
		cache->nb_aside = 0;
		return true;
	}
	bulk = stack_pop(pool, &pool->full);
	if (bulk != POOL_NONE) {
		cache->head = pool->bulks[bulk].head;
		cache->nb = pool->bulks[bulk].nb;
		stack_push(pool, &pool->empty, bulk);
		return true;
	}
	fresh = atomic_load_explicit(&pool->fresh, memory_order_relaxed);
	do {
		if (fresh >= size)
			return false;
		end = size - fresh < pool->bulk ? size : fresh + pool->bulk;
	} while (!atomic_compare_exchange_weak_explicit(&pool->fresh, &fresh, end, memory_order_relaxed,
							memory_order_relaxed));
	cache->fresh = fresh;
	cache->fresh_end = end;
	return true;
}

static void
share(struct pool *pool, uint32_t head, uint32_t nb)
{
	uint32_t bulk = take_empty(pool);

	pool->bulks[bulk].head = head;
	pool->bulks[bulk].nb = nb;
	stack_push(pool, &pool->full, bulk);
}

/* So many came back at once that a bulk of them must be cut off for the others. */
static void
cut(struct pool *pool, struct pool_cache *cache)
{
	uint32_t first = cache->head, last = first;

	for (uint32_t i = 1; i < pool->bulk; i++)
		last = *pool_link(pool, last);
	cache->head = *pool_link(pool, last);
	cache->nb -= pool->bulk;
	*pool_link(pool, last) = POOL_NONE;
	share(pool, first, pool->bulk);
}

void
pool_settle(struct pool *pool, struct pool_cache *cache)
{
	while (cache->nb >= 2 * pool->bulk)
		cut(pool, cache);
	if (cache->nb_aside != 0)
		share(pool, cache->aside_head, cache->nb_aside);
	cache->aside_head = cache->head;
	cache->nb_aside = cache->nb;
	cache->head = POOL_NONE;
	cache->nb = 0;
}

void
pool_put_waiting(struct pool *pool, uint32_t which, uint32_t index, uint32_t stamp)
{
	struct pool_cache *cache = &pool->caches[which];
	uint32_t bulk;

	*pool_link(pool, index) = cache->wait_head;
	cache->wait_head = index;
	if (++cache->nb_wait < pool->bulk)
		return;
	bulk = take_empty(pool);
	pool->bulks[bulk].head = cache->wait_head;
	pool->bulks[bulk].nb = cache->nb_wait;
	pool->bulks[bulk].stamp = stamp; /* the newest of the bulk */
	cache->wait_head = POOL_NONE;
	cache->nb_wait = 0;
	stack_push(pool, &pool->waiting, bulk);
}

void
pool_release(struct pool *pool, uint32_t before)
{
	uint32_t kept = POOL_NONE, bulk;

	while ((bulk = stack_pop(pool, &pool->waiting)) != POOL_NONE) {
		if ((int32_t)(pool->bulks[bulk].stamp - before) < 0) {
			stack_push(pool, &pool->full, bulk);
			continue;
		}
		/* Ours while popped: chain it aside. */
		atomic_store_explicit(&pool->bulks[bulk].next, kept, memory_order_relaxed);
		kept = bulk;
	}
	while (kept != POOL_NONE) {
		bulk = kept;
		kept = atomic_load_explicit(&pool->bulks[bulk].next, memory_order_relaxed);
		stack_push(pool, &pool->waiting, bulk);
	}
}

bool
pool_some_wait(const struct pool *pool, uint32_t which)
{
	return pool->caches[which].nb_wait != 0 ||
	       (uint32_t)atomic_load_explicit(&pool->waiting, memory_order_relaxed) != POOL_NONE;
}

static uint32_t
stack_nb(const struct pool *pool, const _Atomic uint64_t *stack)
{
	uint32_t nb = 0;

	for (uint32_t b = (uint32_t)atomic_load_explicit(stack, memory_order_relaxed); b != POOL_NONE;
	     b = atomic_load_explicit(&pool->bulks[b].next, memory_order_relaxed))
		nb += pool->bulks[b].nb;
	return nb;
}

uint32_t
pool_nb_out(const struct pool *pool)
{
	uint32_t in = pool->size - atomic_load_explicit(&pool->fresh, memory_order_relaxed);

	for (uint32_t i = 0; i < pool->nb_caches; i++) {
		const struct pool_cache *cache = &pool->caches[i];

		in += cache->nb + cache->nb_aside + cache->nb_wait + (cache->fresh_end - cache->fresh);
	}
	in += stack_nb(pool, &pool->full) + stack_nb(pool, &pool->waiting);
	return pool->size - in;
}
