/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Indices 0 .. size-1 handed to several queues without a lock. Each queue has a cache that only its owner touches: fresh
 * indices by a pair of numbers, returned ones as lists through a 32-bit link per index, which lives wherever the user
 * says (inside a free rule's record). A cache that runs dry or over moves a whole list, a bulk, from or to the shared part,
 * two stacks of bulk descriptors changed by compare-and-swap on (tag, index).
 *
 * A cache has two lists: one that indices come to and go from, and one set aside when it had grown to a bulk. That one goes
 * to the shared part when the next is complete, as it is: no list is walked to be cut, but where more come back at once
 * than two bulks.
 *
 * A list has fewer than 2 x bulk indices, a cache's two together fewer than 3 x bulk. So a pool that must always yield n
 * indices to any mix of queues has n + pool_slack() of them.
 *
 * An index may also be returned to the waiting room (pool_put_waiting) with a stamp, a number that never falls; it comes
 * back into use when somebody calls pool_release with a later one.
 */
#ifndef MLX5DR_POOL_H
#define MLX5DR_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_NONE UINT32_MAX

struct pool_cache {
	uint32_t fresh, fresh_end; /* never used yet */
	uint32_t head;             /* list of returned ones, POOL_NONE: empty */
	uint32_t nb;               /* in the list */
	uint32_t aside_head, nb_aside; /* the list set aside: none, or at least a bulk */
	uint32_t wait_head, nb_wait; /* returned, but not to be used before pool_release */
} __attribute__((aligned(64)));

struct pool_bulk {
	_Atomic uint32_t next;
	uint32_t head;
	uint32_t nb;
	uint32_t stamp;            /* of a waiting bulk */
};

struct pool {
	uint8_t *links;       /* link of index i: 4 bytes at links + i * stride */
	uint32_t stride;
	uint32_t size;
	uint32_t bulk;
	uint32_t nb_caches;
	struct pool_cache *caches;
	struct pool_bulk *bulks;
	size_t bulks_bytes;
	_Atomic uint32_t fresh __attribute__((aligned(64)));
	_Atomic uint32_t fresh_bulk;           /* descriptors from here on were never used */
	_Atomic uint64_t full, empty, waiting; /* stacks of bulks: tag << 32 | index */
};

/* How many indices a bulk has in a pool for n, and what caches can hold back from each other. */
uint32_t pool_bulk_size(uint32_t n, uint32_t nb_caches);
uint32_t pool_slack(uint32_t n, uint32_t nb_caches);

/* @return 0 or -ENOMEM. links stays the caller's. n: what must be available to any mix; size is n + slack. */
int pool_init(struct pool *pool, uint32_t n, uint32_t nb_caches, uint8_t *links, uint32_t stride);
void pool_fini(struct pool *pool);

/* Slow halves of get and put. Refill, for an empty list and no fresh index: false, nothing is left. Settle: for a list of at
 * least a bulk. */
bool pool_refill(struct pool *pool, struct pool_cache *cache);
void pool_settle(struct pool *pool, struct pool_cache *cache);

static inline uint32_t *
pool_link(const struct pool *pool, uint32_t index)
{
	return (uint32_t *)(void *)(pool->links + (size_t)index * pool->stride);
}

/* POOL_NONE: none left. */
static inline uint32_t
pool_get(struct pool *pool, uint32_t which)
{
	struct pool_cache *cache = &pool->caches[which];
	uint32_t index = cache->head;

	if (index != POOL_NONE) {
		cache->head = *pool_link(pool, index);
		cache->nb--;
		return index;
	}
	if (__builtin_expect(cache->fresh == cache->fresh_end, 0)) {
		if (!pool_refill(pool, cache))
			return POOL_NONE;
		return pool_get(pool, which);
	}
	return cache->fresh++;
}

static inline void
pool_put(struct pool *pool, uint32_t which, uint32_t index)
{
	struct pool_cache *cache = &pool->caches[which];

	*pool_link(pool, index) = cache->head;
	cache->head = index;
	if (__builtin_expect(++cache->nb >= pool->bulk, 0))
		pool_settle(pool, cache);
}

void pool_put_waiting(struct pool *pool, uint32_t which, uint32_t index, uint32_t stamp);
/* Whole bulks whose newest stamp is below `before`. One caller at a time. */
void pool_release(struct pool *pool, uint32_t before);
bool pool_some_wait(const struct pool *pool, uint32_t which);

/* Indices that are out, with no queue at work. */
uint32_t pool_nb_out(const struct pool *pool);

#endif
