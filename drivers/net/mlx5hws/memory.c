/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "hca/mr.h"
#include "log.h"

#define HEAP_BYTES 256 /* more than what the heap has around a chunk, less than any pool */

/* Grown with realloc, not from EAL's heap: the heap may call us back with our lock held. */
struct mlx5hws_region {
	struct hca_mr mr;
	const struct rte_mempool *pool; /* NULL: memory that no pool told us of */
};

struct range {
	uintptr_t start, end;
};

struct range_list {
	struct range *ranges;
	uint32_t nb, capacity;
	int err;
};

static void
drop_region(struct mlx5hws_mr_table *table, uint32_t i)
{
	hca_mr_unregister(&table->regions[i].mr);
	table->regions[i] = table->regions[--table->nb_regions];
	atomic_fetch_add_explicit(&table->generation, 1, memory_order_release);
}

static void
mempool_event(enum rte_mempool_event event, struct rte_mempool *pool, void *arg)
{
	struct mlx5hws_mr_table *table = arg;

	if (event != RTE_MEMPOOL_EVENT_DESTROY)
		return;
	pthread_mutex_lock(&table->lock);
	for (uint32_t i = table->nb_regions; i-- > 0;)
		if (table->regions[i].pool == pool)
			drop_region(table, i);
	pthread_mutex_unlock(&table->lock);
}

/* Memory is about to be unmapped: keys over it must not survive. */
static void
memory_event(enum rte_mem_event event, const void *addr, size_t len, void *arg)
{
	struct mlx5hws_mr_table *table = arg;
	uintptr_t start = (uintptr_t)addr, end = start + len;

	if (event != RTE_MEM_EVENT_FREE)
		return;
	pthread_mutex_lock(&table->lock);
	for (uint32_t i = table->nb_regions; i-- > 0;)
		if (table->regions[i].mr.start < end && start < table->regions[i].mr.end)
			drop_region(table, i);
	pthread_mutex_unlock(&table->lock);
}

int
mlx5hws_mr_table_open(struct mlx5hws_mr_table *table, struct hca_device *hca)
{
	char name[32];
	int ret;

	memset(table, 0, sizeof(*table));
	table->hca = hca;
	pthread_mutex_init(&table->lock, NULL);
	ret = rte_mempool_event_callback_register(mempool_event, table);
	if (ret != 0) {
		pthread_mutex_destroy(&table->lock);
		return -rte_errno;
	}
	/* Not there without dynamic memory; then nothing is unmapped either. */
	snprintf(name, sizeof(name), "mlx5hws_%p", (void *)table);
	rte_mem_event_callback_register(name, memory_event, table);
	return 0;
}

void
mlx5hws_mr_table_close(struct mlx5hws_mr_table *table)
{
	char name[32];

	if (table->hca == NULL)
		return;
	snprintf(name, sizeof(name), "mlx5hws_%p", (void *)table);
	rte_mem_event_callback_unregister(name, table);
	rte_mempool_event_callback_unregister(mempool_event, table);
	while (table->nb_regions != 0)
		drop_region(table, table->nb_regions - 1);
	free(table->regions);
	pthread_mutex_destroy(&table->lock);
	memset(table, 0, sizeof(*table));
}

/* With the lock held. */
static int
add_region(struct mlx5hws_mr_table *table, uintptr_t start, uintptr_t end, const struct rte_mempool *pool)
{
	struct mlx5hws_region *grown;
	int ret;

	if (table->nb_regions == table->capacity) {
		uint32_t capacity = table->capacity == 0 ? 16 : table->capacity * 2;

		grown = realloc(table->regions, capacity * sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		table->regions = grown;
		table->capacity = capacity;
	}
	ret = hca_mr_register(table->hca, (void *)start, end - start, &table->regions[table->nb_regions].mr);
	if (ret != 0)
		return ret;
	table->regions[table->nb_regions++].pool = pool;
	return 0;
}

static void
collect_range(struct rte_mempool *pool, void *opaque, struct rte_mempool_memhdr *memhdr, unsigned int idx)
{
	struct range_list *list = opaque;
	struct range *grown;

	RTE_SET_USED(pool);
	RTE_SET_USED(idx);
	if (list->err != 0)
		return;
	if (list->nb == list->capacity) {
		list->capacity = list->capacity == 0 ? 16 : list->capacity * 2;
		grown = realloc(list->ranges, list->capacity * sizeof(*grown));
		if (grown == NULL) {
			list->err = -ENOMEM;
			return;
		}
		list->ranges = grown;
	}
	list->ranges[list->nb].start = (uintptr_t)memhdr->addr;
	list->ranges[list->nb++].end = (uintptr_t)memhdr->addr + memhdr->len;
}

static int
compare_ranges(const void *a, const void *b)
{
	uintptr_t left = ((const struct range *)a)->start, right = ((const struct range *)b)->start;

	return left < right ? -1 : left > right;
}

/*
 * Neighbours become one, for fewer keys and more cache hits. Between two chunks of a pool lie some bytes of the heap's, but no other
 * pool: a packet of one must not go out under the key of another, which may be gone before the device reads it.
 */
static void
merge_ranges(struct range_list *list)
{
	uint32_t last = 0;

	qsort(list->ranges, list->nb, sizeof(list->ranges[0]), compare_ranges);
	for (uint32_t i = 0; i < list->nb; i++) {
		struct range *range = &list->ranges[i];

		if (i == 0)
			continue;
		if (range->start <= list->ranges[last].end + HEAP_BYTES)
			list->ranges[last].end = RTE_MAX(list->ranges[last].end, range->end);
		else
			list->ranges[++last] = *range;
	}
	list->nb = list->nb == 0 ? 0 : last + 1;
}

static bool
is_registered(const struct mlx5hws_mr_table *table, const struct rte_mempool *pool)
{
	for (uint32_t i = 0; i < table->nb_regions; i++)
		if (table->regions[i].pool == pool)
			return true;
	return false;
}

/* With the lock held. All of the pool or nothing. */
static int
add_mempool(struct mlx5hws_mr_table *table, struct rte_mempool *pool)
{
	struct range_list list = { 0 };
	uint32_t before = table->nb_regions;

	if (is_registered(table, pool))
		return 0;
	rte_mempool_mem_iter(pool, collect_range, &list);
	if (list.err == 0)
		merge_ranges(&list);
	for (uint32_t i = 0; i < list.nb && list.err == 0; i++)
		list.err = add_region(table, list.ranges[i].start, list.ranges[i].end, pool);
	if (list.err != 0)
		while (table->nb_regions > before)
			drop_region(table, table->nb_regions - 1);
	free(list.ranges);
	return list.err;
}

int
mlx5hws_mr_add_mempool(struct mlx5hws_mr_table *table, struct rte_mempool *pool)
{
	int ret;

	if (rte_pktmbuf_priv_flags(pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF)
		return -ENOTSUP;
	pthread_mutex_lock(&table->lock);
	ret = add_mempool(table, pool);
	pthread_mutex_unlock(&table->lock);
	return ret;
}

/* With the lock held. */
static const struct hca_mr *
find_memory(const struct mlx5hws_mr_table *table, uintptr_t start, uintptr_t end)
{
	for (uint32_t i = 0; i < table->nb_regions; i++)
		if (table->regions[i].pool == NULL && table->regions[i].mr.start <= start && end <= table->regions[i].mr.end)
			return &table->regions[i].mr;
	return NULL;
}

int
mlx5hws_mr_add_memory(struct mlx5hws_mr_table *table, void *addr, size_t bytes, uint32_t *lkey_be)
{
	const uintptr_t start = (uintptr_t)addr, end = start + bytes;
	int ret = 0;

	pthread_mutex_lock(&table->lock);
	if (find_memory(table, start, end) == NULL)
		ret = add_region(table, start, end, NULL);
	if (ret == 0)
		*lkey_be = find_memory(table, start, end)->lkey_be;
	pthread_mutex_unlock(&table->lock);
	return ret;
}

/* With the lock held. */
static bool
is_one_region(const struct mlx5hws_mr_table *table, const struct rte_mempool *pool)
{
	uint32_t nb = 0;

	for (uint32_t i = 0; i < table->nb_regions; i++)
		nb += table->regions[i].pool == pool;
	return nb == 1;
}

bool
mlx5hws_mr_is_one_region(struct mlx5hws_mr_table *table, const struct rte_mempool *pool)
{
	bool one;

	pthread_mutex_lock(&table->lock);
	one = is_one_region(table, pool);
	pthread_mutex_unlock(&table->lock);
	return one;
}

/*
 * The region that addr lies in. That of its own pool goes first: memory that no pool told us of (add_eal_memory) may have been registered
 * before the pool was made in it.
 */
static const struct mlx5hws_region *
find_region(const struct mlx5hws_mr_table *table, uintptr_t addr, const struct rte_mempool *pool)
{
	const struct mlx5hws_region *other = NULL;

	for (uint32_t i = 0; i < table->nb_regions; i++) {
		const struct mlx5hws_region *region = &table->regions[i];

		if (addr < region->mr.start || addr >= region->mr.end)
			continue;
		if (region->pool == pool)
			return region;
		other = region;
	}
	return other;
}

/* The run of mapped EAL pages around an address: external buffers, pools with pinned ones. */
static int
add_eal_memory(struct mlx5hws_mr_table *table, uintptr_t addr)
{
	struct rte_memseg_list *msl = rte_mem_virt2memseg_list((void *)addr);
	uintptr_t start, end;

	if (msl == NULL)
		return -EFAULT;
	if (!rte_eal_has_hugepages() || msl->external) {
		start = (uintptr_t)msl->base_va;
		return add_region(table, start, start + msl->len, NULL);
	}
	start = RTE_ALIGN_FLOOR(addr, (uintptr_t)msl->page_sz);
	end = start + msl->page_sz;
	while (start > (uintptr_t)msl->base_va && rte_mem_virt2memseg((void *)(start - msl->page_sz), msl) != NULL)
		start -= msl->page_sz;
	while (end < (uintptr_t)msl->base_va + msl->len && rte_mem_virt2memseg((void *)end, msl) != NULL)
		end += msl->page_sz;
	return add_region(table, start, end, NULL);
}

/* The pool that the data of a segment comes from; NULL for an external buffer. */
static struct rte_mempool *
data_pool(const struct rte_mbuf *m)
{
	if (RTE_MBUF_HAS_EXTBUF(m))
		return NULL;
	if (RTE_MBUF_CLONED(m))
		return rte_mbuf_from_indirect((struct rte_mbuf *)(uintptr_t)m)->pool;
	return m->pool;
}

void
mlx5hws_lkey_cache_init(struct mlx5hws_lkey_cache *cache, struct mlx5hws_mr_table *table)
{
	memset(cache, 0, sizeof(*cache));
	cache->table = table;
	cache->generation = atomic_load_explicit(&table->generation, memory_order_acquire);
}

/* The entry becomes the first one. */
static void
swap_entries(struct mlx5hws_lkey_cache *cache, uint32_t i)
{
	struct mlx5hws_lkey first = cache->entries[0];

	cache->entries[0] = cache->entries[i];
	cache->entries[i] = first;
}

static uint32_t
table_lkey(struct mlx5hws_lkey_cache *cache, const struct rte_mbuf *m, uintptr_t addr)
{
	struct mlx5hws_mr_table *table = cache->table;
	struct rte_mempool *pool = data_pool(m);
	const struct mlx5hws_region *region;
	struct mlx5hws_lkey *entry;
	uint32_t lkey_be = MLX5HWS_NO_LKEY;

	pthread_mutex_lock(&table->lock);
	if (pool != NULL)
		add_mempool(table, pool);
	region = find_region(table, addr, pool);
	if (region == NULL && add_eal_memory(table, addr) == 0)
		region = find_region(table, addr, pool);
	if (region != NULL) {
		cache->victim = cache->victim % (MLX5HWS_LKEY_CACHE - 1) + 1;
		swap_entries(cache, cache->victim);
		entry = &cache->entries[0];
		*entry = (struct mlx5hws_lkey){ .start = region->mr.start, .end = region->mr.end, .lkey_be = region->mr.lkey_be };
		/* Of a pool that is not full yet more may lie elsewhere later. */
		if (region->pool != NULL && region->pool->populated_size == region->pool->size && is_one_region(table, region->pool))
			entry->pool = region->pool;
		lkey_be = entry->lkey_be;
	}
	pthread_mutex_unlock(&table->lock);
	return lkey_be;
}

uint32_t
mlx5hws_lkey_slow(struct mlx5hws_lkey_cache *cache, const struct rte_mbuf *m, uintptr_t addr)
{
	for (uint32_t i = 0; i < MLX5HWS_LKEY_CACHE; i++)
		if (addr >= cache->entries[i].start && addr < cache->entries[i].end) {
			swap_entries(cache, i);
			return cache->entries[0].lkey_be;
		}
	return table_lkey(cache, m, addr);
}
