/* SPDX-License-Identifier: BSD-3-Clause */

/* Control of striding receive: shape, memory, buffers before the first and after the last packet. */
#include "rx_stride.h"

#include <errno.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "hca/device.h"
#include "hca/log2.h"
#include "log.h"
#include "port.h"
#include "rx.h"
#include "rx_stride_pool.h"
#include "rx_stride_wqe.h"

/* As users of DPDK's mlx5 know them. */
#define QUEUES_MIN 12
#define LOG_STRIDES 6
#define COPY_MAX 128
/* Of the device: nic.md 2.7. */
#define LOG_STRIDES_MIN 9
#define LOG_STRIDES_MIN_EXTENDED 3
#define LOG_STRIDES_MAX 12 /* the device has more; references of a buffer are counted in 16 bits, clones with them */
#define LOG_BYTES_MIN 6
#define LOG_BYTES_MAX 13
#define LOG_WQE_MIN 14
/* Buffers for each WQE: what packets that the application keeps may hold. */
#define BUFFERS_PER_WQE 4

static uint8_t
log_wqe_min(const struct hca_caps *caps)
{
	return caps->log_min_stride_wqe_sz != 0 ? caps->log_min_stride_wqe_sz : LOG_WQE_MIN;
}

/* NULL: all is well. */
static const char *
reason_against(const struct mlx5hws_rxq *rxq, uint32_t frame, uint32_t room, const struct mlx5hws_stride_shape *shape)
{
	const struct hca_caps *caps = &rxq->port->hca->caps;
	uint32_t least = caps->ext_stride_num_range ? LOG_STRIDES_MIN_EXTENDED : LOG_STRIDES_MIN;
	bool scattered = (rxq->offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;

	if (!caps->striding_rq)
		return "the device has no striding queues";
	if (shape->log_strides < least || shape->log_strides > LOG_STRIDES_MAX)
		return "mprq_log_stride_num is out of range (3 to 12; from 9 on without ext_stride_num_range)";
	if (shape->log_bytes < LOG_BYTES_MIN || shape->log_bytes > LOG_BYTES_MAX)
		return "a stride has 2^6 to 2^13 bytes, and a frame with its headroom must fit where mprq_log_stride_size is not given";
	if (shape->log_strides + shape->log_bytes < log_wqe_min(caps))
		return "strides and their size make a buffer that is too small for the device";
	if (frame > 1u << (shape->log_strides + shape->log_bytes))
		return "a frame does not fit a buffer of all strides";
	if (rxq->nb_desc >> shape->log_strides < 2)
		return "the queue has not descriptors for two buffers";
	/* What cannot stay in its strides, for those behind are the next one's headroom, must fit an mbuf. */
	if (!scattered && frame > room && frame + RTE_PKTMBUF_HEADROOM > 1u << shape->log_bytes)
		return "a frame with its headroom fits neither a stride nor an mbuf, and packets are not scattered";
	return NULL;
}

void
mlx5hws_rx_stride_choose(const struct mlx5hws_rxq *rxq, uint32_t frame, struct mlx5hws_stride_shape *shape)
{
	const struct mlx5hws_devargs *devargs = &rxq->port->devargs;
	const uint32_t room = rte_pktmbuf_data_room_size(rxq->pool) - RTE_PKTMBUF_HEADROOM;
	const int queues = devargs->rxqs_min_mprq >= 0 ? devargs->rxqs_min_mprq : QUEUES_MIN;
	const char *reason;

	*shape = (struct mlx5hws_stride_shape){ 0 };
	if (devargs->mprq_en <= 0 || rxq->port->dev->data->nb_rx_queues < queues)
		return;
	shape->log_strides = (uint8_t)(devargs->mprq_log_stride_num >= 0 ? devargs->mprq_log_stride_num : LOG_STRIDES);
	shape->log_bytes = (uint8_t)(devargs->mprq_log_stride_size >= 0 ? devargs->mprq_log_stride_size :
		hca_log2_ceil(frame + RTE_PKTMBUF_HEADROOM));
	reason = reason_against(rxq, frame, room, shape);
	shape->nb_wqes = (uint32_t)rxq->nb_desc >> shape->log_strides;
	if (reason == NULL)
		return;
	MLX5HWS_LOG(WARNING, "port %u Rx queue %u is not striding (2^%u strides of 2^%u bytes, frames of %u, %u descriptors): %s",
		    rxq->port->dev->data->port_id, rxq->idx, shape->log_strides, shape->log_bytes, frame, rxq->nb_desc, reason);
	*shape = (struct mlx5hws_stride_shape){ 0 };
}

/* A new pool, unless the one from before fits and has enough of its buffers back. */
static int
open_pool(struct mlx5hws_rxq *rxq, struct mlx5hws_rx_stride *stride, const struct mlx5hws_stride_shape *shape)
{
	uint32_t bytes = 1u << (shape->log_strides + shape->log_bytes);

	if (stride->pool != NULL && stride->shape.log_strides == shape->log_strides &&
	    stride->shape.log_bytes == shape->log_bytes && stride->shape.nb_wqes == shape->nb_wqes &&
	    mlx5hws_stride_pool_count(stride->pool) > shape->nb_wqes)
		return 0;
	mlx5hws_stride_pool_close(stride->pool);
	stride->pool = NULL;
	return mlx5hws_stride_pool_open(&rxq->port->memory, shape->nb_wqes * BUFFERS_PER_WQE, bytes, rxq->socket,
					&stride->pool);
}

int
mlx5hws_rx_stride_open(struct mlx5hws_rxq *rxq, uint32_t frame, const struct mlx5hws_stride_shape *shape)
{
	const int copy = rxq->port->devargs.mprq_max_memcpy_len;
	struct mlx5hws_rx_stride *stride = rxq->stride;
	int ret;

	if (stride == NULL)
		stride = rte_zmalloc_socket("mlx5hws_stride", sizeof(*stride), RTE_CACHE_LINE_SIZE, rxq->socket);
	if (stride == NULL)
		return -ENOMEM;
	rxq->stride = stride;
	rte_free(stride->posted);
	stride->posted = rte_calloc_socket("mlx5hws_posted", shape->nb_wqes, sizeof(*stride->posted), 0, rxq->socket);
	ret = stride->posted == NULL ? -ENOMEM : open_pool(rxq, stride, shape);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u Rx queue %u: no memory for %u buffers of %u KiB: %s", rxq->port->dev->data->port_id,
			    rxq->idx, shape->nb_wqes * BUFFERS_PER_WQE, 1u << (shape->log_strides + shape->log_bytes) >> 10,
			    strerror(-ret));
		mlx5hws_rx_stride_close(rxq);
		return ret;
	}
	stride->shape = *shape;
	stride->nb_strides = 1u << shape->log_strides;
	stride->log_bytes = shape->log_bytes;
	/* By whole cache lines, whatever the length. */
	stride->copy_max = RTE_MIN((uint32_t)(copy >= 0 ? copy : COPY_MAX), RTE_ALIGN_FLOOR(rxq->room, RTE_CACHE_LINE_SIZE));
	stride->copy_max = RTE_MIN(stride->copy_max, 1u << (shape->log_strides + shape->log_bytes));
	stride->chain_mbufs = 1;
	if (rxq->offloads & RTE_ETH_RX_OFFLOAD_SCATTER)
		stride->chain_mbufs = (uint16_t)RTE_MIN((frame + rxq->room - 1) / rxq->room, (uint32_t)MLX5HWS_RX_SPARES);
	stride->chain_max = stride->chain_mbufs * rxq->room;
	return 0;
}

struct mlx5hws_stride_shape
mlx5hws_rx_stride_shape(const struct mlx5hws_rxq *rxq)
{
	return rxq->stride == NULL ? (struct mlx5hws_stride_shape){ 0 } : rxq->stride->shape;
}

uint32_t
mlx5hws_rx_stride_frame_max(const struct mlx5hws_rxq *rxq)
{
	const struct mlx5hws_rx_stride *stride = rxq->stride;
	uint32_t attached = (1u << stride->log_bytes) - RTE_PKTMBUF_HEADROOM;

	return RTE_MIN(RTE_MAX(attached, stride->chain_max), stride->nb_strides << stride->log_bytes);
}

void
mlx5hws_rx_stride_close(struct mlx5hws_rxq *rxq)
{
	if (rxq->stride == NULL)
		return;
	mlx5hws_stride_pool_close(rxq->stride->pool);
	rte_free(rxq->stride->posted);
	rte_free(rxq->stride);
	rxq->stride = NULL;
}

/*
 * The current buffer is begun no further. What is lent of it comes home by itself, and the spare, which is
 * there where anything is lent, takes its place.
 */
static void
settle(struct mlx5hws_rx_stride *stride)
{
	uint32_t own = stride->nb_strides + 1 - stride->lent;

	for (uint32_t i = 0; stride->lent != 0 && i < stride->shape.nb_wqes; i++) {
		if (stride->posted[i] != stride->current)
			continue;
		if (rte_mbuf_ext_refcnt_update(&stride->current->shared, (int16_t)-own) != 0) {
			stride->posted[i] = stride->spare;
			stride->spare = NULL;
		}
		stride->lent = 0;
	}
	stride->current = NULL;
	stride->used = 0;
	stride->busy = -RTE_PKTMBUF_HEADROOM;
}

/* As rte_pktmbuf_init lays buffers out: in all mbufs in hand, or each is looked at. */
static void
learn_layout(struct mlx5hws_rxq *rxq)
{
	if (rxq->nb_spares == 0 && rte_mempool_get_bulk(rxq->pool, (void **)rxq->spares, MLX5HWS_RX_SPARES) == 0)
		rxq->nb_spares = MLX5HWS_RX_SPARES;
	rxq->buffer_at = 0;
	for (uint16_t i = 0; i < rxq->nb_spares; i++) {
		const struct rte_mbuf *m = rxq->spares[i];
		uint32_t at = (uint32_t)((uintptr_t)m->buf_addr - (uintptr_t)m) + RTE_PKTMBUF_HEADROOM;

		rxq->buffer_at = i == 0 || at == rxq->buffer_at ? at : 0;
	}
}

int
mlx5hws_rx_stride_fill(struct mlx5hws_rxq *rxq)
{
	struct mlx5hws_rx_stride *stride = rxq->stride;

	settle(stride);
	learn_layout(rxq);
	for (uint32_t i = 0; i <= rxq->rq.mask; i++) {
		if (stride->posted[i] == NULL)
			stride->posted[i] = mlx5hws_stride_pool_get(stride->pool);
		if (stride->posted[i] == NULL)
			return -ENOMEM;
		rx_stride_write_wqe(&rxq->rq, i, stride->posted[i]);
	}
	stride->current = stride->posted[0];
	stride->data = mlx5hws_stride_data(stride->current);
	return 0;
}

void
mlx5hws_rx_stride_drain(struct mlx5hws_rxq *rxq)
{
	struct mlx5hws_rx_stride *stride = rxq->stride;

	settle(stride);
	for (uint32_t i = 0; i < stride->shape.nb_wqes; i++) {
		if (stride->posted[i] != NULL)
			mlx5hws_stride_pool_put(stride->posted[i]);
		stride->posted[i] = NULL;
	}
	if (stride->spare != NULL)
		mlx5hws_stride_pool_put(stride->spare);
	stride->spare = NULL;
	if (rxq->nb_spares != 0)
		rte_mempool_put_bulk(rxq->pool, (void **)rxq->spares, rxq->nb_spares);
	rxq->nb_spares = 0;
}
