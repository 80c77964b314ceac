/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_stride_pool.h"

#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_memzone.h>
#include <rte_ring.h>

#include "memory.h"

static void
drop_reference(struct mlx5hws_stride_pool *pool)
{
	/* Release: what this thread did with its buffer comes before the area goes; acquire: what the others did. */
	if (atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1)
		return;
	rte_ring_free(pool->home);
	rte_memzone_free(pool->area);
	rte_free(pool);
}

void
mlx5hws_stride_pool_put(struct mlx5hws_stride_buffer *buffer)
{
	struct mlx5hws_stride_pool *pool = buffer->pool;

	rte_ring_mp_enqueue(pool->home, buffer); /* it has room for all there are */
	drop_reference(pool);
}

/* rte_mbuf calls this when the last reference goes. */
static void
come_home(void *addr, void *buffer)
{
	RTE_SET_USED(addr);
	mlx5hws_stride_pool_put(buffer);
}

struct mlx5hws_stride_buffer *
mlx5hws_stride_pool_get(struct mlx5hws_stride_pool *pool)
{
	void *buffer;

	if (rte_ring_sc_dequeue(pool->home, &buffer) != 0)
		return NULL;
	/* The caller's own reference keeps the pool meanwhile. */
	atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
	return buffer;
}

uint32_t
mlx5hws_stride_pool_count(const struct mlx5hws_stride_pool *pool)
{
	return rte_ring_count(pool->home);
}

static size_t
buffer_size(uint32_t bytes)
{
	return sizeof(struct mlx5hws_stride_buffer) + RTE_PKTMBUF_HEADROOM + RTE_ALIGN_CEIL(bytes, RTE_CACHE_LINE_SIZE);
}

static void
fill_ring(struct mlx5hws_stride_pool *pool)
{
	for (uint32_t i = 0; i < pool->nb; i++) {
		struct mlx5hws_stride_buffer *buffer = RTE_PTR_ADD(pool->area->addr, i * buffer_size(pool->bytes));

		buffer->shared.free_cb = come_home;
		buffer->shared.fcb_opaque = buffer;
		buffer->pool = pool;
		buffer->iova = pool->area->iova == RTE_BAD_IOVA ? RTE_BAD_IOVA :
			pool->area->iova + RTE_PTR_DIFF(mlx5hws_stride_data(buffer), pool->area->addr);
		rte_ring_mp_enqueue(pool->home, buffer);
	}
}

int
mlx5hws_stride_pool_open(struct mlx5hws_mr_table *table, uint32_t nb, uint32_t bytes, int socket,
			 struct mlx5hws_stride_pool **out)
{
	static atomic_uint pools; /* one may live on under its name when its queue and port are gone */
	struct mlx5hws_stride_pool *pool = rte_zmalloc_socket("mlx5hws_strides", sizeof(*pool), RTE_CACHE_LINE_SIZE, socket);
	char name[RTE_MEMZONE_NAMESIZE - 4]; /* a ring puts something in front */
	int ret = -ENOMEM;

	if (pool == NULL)
		return -ENOMEM;
	snprintf(name, sizeof(name), "mlx5hws_%u", atomic_fetch_add(&pools, 1));
	pool->nb = nb;
	pool->bytes = bytes;
	atomic_init(&pool->references, 1);
	pool->home = rte_ring_create(name, nb, socket, RING_F_SC_DEQ | RING_F_EXACT_SZ);
	if (pool->home == NULL)
		goto fail;
	/* Other drivers that are to send such a packet go by its bus address: contiguous, as in a mempool's object. */
	pool->area = rte_memzone_reserve_aligned(name, nb * buffer_size(bytes), socket, RTE_MEMZONE_IOVA_CONTIG,
						 RTE_CACHE_LINE_SIZE);
	if (pool->area == NULL)
		goto fail;
	ret = mlx5hws_mr_add_memory(table, pool->area->addr, nb * buffer_size(bytes), &pool->lkey_be);
	if (ret != 0)
		goto fail;
	fill_ring(pool);
	*out = pool;
	return 0;
fail:
	drop_reference(pool);
	return ret;
}

void
mlx5hws_stride_pool_close(struct mlx5hws_stride_pool *pool)
{
	if (pool != NULL)
		drop_reference(pool);
}
