/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * From a packet's buffer to the key the device knows it by. The port keeps one table of registered
 * regions; each queue keeps the last few it used. A region goes when its mempool is destroyed or its
 * memory is unmapped; the table's generation then moves on and queues forget what they remember at their
 * next burst.
 *
 * Threads: the table has a lock; a cache belongs to its queue.
 */
#ifndef MLX5HWS_MEMORY_H
#define MLX5HWS_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>

struct hca_device;
struct mlx5hws_region;

#define MLX5HWS_NO_LKEY UINT32_MAX
#define MLX5HWS_LKEY_CACHE 8

struct mlx5hws_mr_table {
	struct hca_device *hca;
	pthread_mutex_t lock;
	struct mlx5hws_region *regions;
	uint32_t nb_regions, capacity;
	atomic_uint generation;
};

struct mlx5hws_lkey {
	uintptr_t start, end; /* [start, end) */
	const struct rte_mempool *pool; /* whose buffers lie in it, all of them; NULL: not known of any */
	uint32_t lkey_be;
};

/* Up to the first entry read by every burst. */
struct mlx5hws_lkey_cache {
	uint32_t generation;
	uint32_t victim;     /* of the others, where the first one went last: the one behind it is to go */
	struct mlx5hws_mr_table *table;
	struct mlx5hws_lkey entries[MLX5HWS_LKEY_CACHE]; /* the first: of the last hit, nearly always the next one too */
};

int mlx5hws_mr_table_open(struct mlx5hws_mr_table *table, struct hca_device *hca);
/* All queues are gone. */
void mlx5hws_mr_table_close(struct mlx5hws_mr_table *table);

/* Register what the pool's objects lie in; done already is fine. -ENOTSUP: buffers outside of the pool. */
int mlx5hws_mr_add_mempool(struct mlx5hws_mr_table *table, struct rte_mempool *pool);

/*
 * The same for other memory of EAL's. The region goes when its memory is unmapped or the table is closed; whoever takes
 * the same memory again finds it.
 */
int mlx5hws_mr_add_memory(struct mlx5hws_mr_table *table, void *addr, size_t bytes, uint32_t *lkey_be);

/* Do all objects of the pool lie under one key? */
bool mlx5hws_mr_is_one_region(struct mlx5hws_mr_table *table, const struct rte_mempool *pool);

void mlx5hws_lkey_cache_init(struct mlx5hws_lkey_cache *cache, struct mlx5hws_mr_table *table);

/*
 * Not in the cache: look in the table, register the mbuf's pool or memory. MLX5HWS_NO_LKEY: the device
 * cannot have it.
 */
uint32_t mlx5hws_lkey_slow(struct mlx5hws_lkey_cache *cache, const struct rte_mbuf *m, uintptr_t addr);

/* Once per burst, before any lookup. */
static inline void
mlx5hws_lkey_cache_check(struct mlx5hws_lkey_cache *cache)
{
	uint32_t generation = atomic_load_explicit(&cache->table->generation, memory_order_acquire);

	if (unlikely(cache->generation != generation)) {
		mlx5hws_lkey_cache_init(cache, cache->table);
		cache->generation = generation;
	}
}

/* Key, in network order, of the memory that this segment's data lies in. */
static inline uint32_t
mlx5hws_lkey(struct mlx5hws_lkey_cache *cache, const struct rte_mbuf *m)
{
	const struct mlx5hws_lkey *entry = &cache->entries[0];
	uintptr_t addr = (uintptr_t)m->buf_addr;

	if (likely(addr >= entry->start && addr < entry->end))
		return entry->lkey_be;
	return mlx5hws_lkey_slow(cache, m, addr);
}

#endif
