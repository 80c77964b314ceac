/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The large buffers of a striding receive queue. All lie in one area under one key. A buffer is the
 * queue's, or lent: mbufs point into it as external memory, each holds a reference, and the last one that
 * is freed brings the buffer home, on whatever thread.
 *
 * Life: the queue opens a pool and closes it; the area goes with the last buffer that comes home, which may
 * be later than the queue or the port. Get and put: one thread, the queue's; home-coming: any.
 */
#ifndef MLX5HWS_RX_STRIDE_POOL_H
#define MLX5HWS_RX_STRIDE_POOL_H

#include <stdatomic.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_mbuf.h>

struct mlx5hws_mr_table;
struct rte_memzone;
struct rte_ring;

struct mlx5hws_stride_pool {
	struct rte_ring *home;
	const struct rte_memzone *area;
	uint32_t nb;
	uint32_t bytes;         /* of a buffer's data */
	uint32_t lkey_be;
	atomic_uint references; /* one of the queue, one of each buffer that is not home */
};

/* In front of the data, with the headroom of the first packet between. */
struct mlx5hws_stride_buffer {
	/* Its count is the buffer's: rte_mbuf counts in it as for any external buffer. */
	struct rte_mbuf_ext_shared_info shared;
	struct mlx5hws_stride_pool *pool;
	rte_iova_t iova;        /* of the data */
} __rte_cache_aligned;

static inline uint8_t *
mlx5hws_stride_data(const struct mlx5hws_stride_buffer *buffer)
{
	return (uint8_t *)(uintptr_t)(buffer + 1) + RTE_PKTMBUF_HEADROOM;
}

/* nb buffers of so many bytes, registered in the port's table. @return 0; -ENOMEM, or what the registration says. */
int mlx5hws_stride_pool_open(struct mlx5hws_mr_table *table, uint32_t nb, uint32_t bytes, int socket,
			     struct mlx5hws_stride_pool **pool);
/* The queue holds none any more. NULL is allowed. */
void mlx5hws_stride_pool_close(struct mlx5hws_stride_pool *pool);

/* NULL: all are in use. */
struct mlx5hws_stride_buffer *mlx5hws_stride_pool_get(struct mlx5hws_stride_pool *pool);
/* No mbuf points into it. */
void mlx5hws_stride_pool_put(struct mlx5hws_stride_buffer *buffer);

/* Buffers at home. */
uint32_t mlx5hws_stride_pool_count(const struct mlx5hws_stride_pool *pool);

#endif
