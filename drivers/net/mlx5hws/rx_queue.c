/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Control of receive queues: set-up keeps what the application asked for, start makes the device's queue, stop destroys it.
 * Between stop and start the queue's index is served by the RSS pool's drop queue, so rules and tables that name it stay valid.
 */
#include <errno.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>

#include "hca/device.h"
#include "hca/rss.h"
#include "log.h"
#include "port.h"
#include "rx.h"
#include "rx_intr.h"
#include "rx_stride.h"

#define MAX_LOG_SGES 5

void
mlx5hws_rx_queue_release(struct rte_eth_dev *dev, uint16_t idx)
{
	struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];

	if (rxq == NULL)
		return;
	if (rxq->started)
		mlx5hws_rx_queue_stop(dev, idx);
	mlx5hws_rx_stride_close(rxq);
	dev->data->rx_queues[idx] = NULL;
	rte_free(rxq);
}

int
mlx5hws_rx_queue_setup(struct rte_eth_dev *dev, uint16_t idx, uint16_t nb_desc, unsigned int socket,
		       const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	struct mlx5hws_rxq *rxq;
	int ret;

	if (pool == NULL || conf->rx_nseg != 0) {
		MLX5HWS_LOG(ERR, "port %u Rx queue %u: one mempool per queue; buffer split is not served",
			    dev->data->port_id, idx);
		return -ENOTSUP;
	}
	if (!rte_is_power_of_2(nb_desc))
		nb_desc = (uint16_t)rte_align32pow2(nb_desc);
	ret = mlx5hws_mr_add_mempool(&mlx5hws_port(dev)->memory, pool);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u Rx queue %u: mempool %s cannot be registered: %s", dev->data->port_id, idx,
			    pool->name, ret == -ENOTSUP ? "pinned external buffers are not served" : strerror(-ret));
		return ret;
	}
	rxq = rte_zmalloc_socket("mlx5hws_rxq", sizeof(*rxq), RTE_CACHE_LINE_SIZE, (int)socket);
	if (rxq == NULL)
		return -ENOMEM;
	rxq->port = mlx5hws_port(dev);
	rxq->idx = idx;
	rxq->nb_desc = nb_desc;
	rxq->socket = (int)socket;
	rxq->pool = pool;
	rxq->conf = *conf;
	rxq->deferred = conf->rx_deferred_start;
	rxq->offloads = conf->offloads | dev->data->dev_conf.rxmode.offloads;
	dev->data->rx_queues[idx] = rxq;
	return 0;
}

/* How many buffers a frame of this port's MTU may need, as log2. */
static int
choose_segments(struct mlx5hws_rxq *rxq, uint16_t mtu)
{
	uint32_t frame = mlx5hws_frame_bytes(mtu);
	struct mlx5hws_stride_shape shape;

	rxq->more_room = rte_pktmbuf_data_room_size(rxq->pool);
	if (rxq->more_room <= RTE_PKTMBUF_HEADROOM) {
		MLX5HWS_LOG(ERR, "Rx queue %u: buffers of %s have no room behind the headroom", rxq->idx,
			    rxq->pool->name);
		return -EINVAL;
	}
	rxq->room = rxq->more_room - RTE_PKTMBUF_HEADROOM;
	rxq->log_sges = 0;
	mlx5hws_rx_stride_choose(rxq, frame, &shape);
	if (shape.log_strides != 0)
		return mlx5hws_rx_stride_open(rxq, frame, &shape);
	mlx5hws_rx_stride_close(rxq);
	if (!(rxq->offloads & RTE_ETH_RX_OFFLOAD_SCATTER)) {
		if (frame <= rxq->room)
			return 0;
		MLX5HWS_LOG(ERR, "Rx queue %u: a frame of %u bytes does not fit a buffer of %u; larger buffers or the "
			    "scatter offload are needed", rxq->idx, frame, rxq->room);
		return -EINVAL;
	}
	while (mlx5hws_rx_frame_max(rxq) < frame && rxq->log_sges < MAX_LOG_SGES)
		rxq->log_sges++;
	if (mlx5hws_rx_frame_max(rxq) < frame || rxq->nb_desc >> rxq->log_sges == 0) {
		MLX5HWS_LOG(ERR, "Rx queue %u: a frame of %u bytes does not fit %u buffers of %u, one with headroom", rxq->idx, frame,
			    RTE_MIN(1u << MAX_LOG_SGES, (uint32_t)rxq->nb_desc), rxq->more_room);
		return -EINVAL;
	}
	return 0;
}

/* The eight bytes that every received packet starts with. */
static uint64_t
rearm_template(uint16_t port_id)
{
	struct rte_mbuf m;
	uint64_t rearm;

	memset(&m, 0, sizeof(m));
	m.data_off = RTE_PKTMBUF_HEADROOM;
	m.nb_segs = 1;
	m.port = port_id;
	rte_mbuf_refcnt_set(&m, 1);
	memcpy(&rearm, RTE_PTR_ADD(&m, MLX5HWS_REARM_AT), sizeof(rearm));
	return rearm;
}

static void
prepare_rx_path(struct mlx5hws_rxq *rxq, uint16_t port_id)
{
	rxq->batch = (uint16_t)RTE_MAX(1u, RTE_MIN((uint32_t)MLX5HWS_RX_BATCH, ((uint32_t)rxq->nb_desc >> rxq->log_sges) / 4));
	memset(&rxq->session, 0, sizeof(rxq->session));
	rxq->rearm = rearm_template(port_id);
	rxq->meta_offset = rte_flow_dynf_metadata_avail() ? rte_flow_dynf_metadata_offs : -1;
	rxq->meta_flag = rte_flow_dynf_metadata_avail() ? rte_flow_dynf_metadata_mask : 0;
	mlx5hws_lkey_cache_init(&rxq->lkeys, &rxq->port->memory);
}

/*
 * Compressed completions, as DPDK's mlx5 has them: on unless told otherwise. Not with timestamps, which a session has only one of.
 */
static void
choose_compression(struct mlx5hws_rxq *rxq)
{
	static const uint8_t formats[] = {
		0, PRM_MINI_CQE_FORMAT_HASH, PRM_MINI_CQE_FORMAT_FTAG_STRIDX, PRM_MINI_CQE_FORMAT_CSUM, PRM_MINI_CQE_FORMAT_L34H_STRIDX,
	};
	const struct hca_caps *caps = &rxq->port->hca->caps;
	const int asked = rxq->port->devargs.rxq_cqe_comp_en;
	const int wanted = asked < 0 ? 1 : asked & ~MLX5HWS_CQE_ENHANCED;
	const bool told = asked > 0;

	rxq->mini_format = formats[wanted];
	rxq->compressed = wanted != 0 && caps->cqe_compression && !(rxq->offloads & RTE_ETH_RX_OFFLOAD_TIMESTAMP);
	if (told && wanted != 0 && !rxq->compressed)
		MLX5HWS_LOG(WARNING, "port %u Rx queue %u: rxq_cqe_comp_en=%d: completions are not compressed, %s",
			    rxq->port->dev->data->port_id, rxq->idx, asked,
			    caps->cqe_compression ? "packets have timestamps" : "the device cannot");
	if ((rxq->mini_format == PRM_MINI_CQE_FORMAT_FTAG_STRIDX && !caps->mini_cqe_resp_flow_tag) ||
	    (rxq->mini_format == PRM_MINI_CQE_FORMAT_L34H_STRIDX && !caps->mini_cqe_resp_l3_l4_tag)) {
		MLX5HWS_LOG(WARNING, "port %u Rx queue %u: rxq_cqe_comp_en=%d: a format that the device has not; 1 is taken",
			    rxq->port->dev->data->port_id, rxq->idx, asked);
		rxq->mini_format = PRM_MINI_CQE_FORMAT_HASH;
	}
	rxq->enhanced = rxq->compressed && told && asked & MLX5HWS_CQE_ENHANCED && caps->enhanced_cqe_compression;
	if (rxq->compressed && told && asked & MLX5HWS_CQE_ENHANCED && !rxq->enhanced)
		MLX5HWS_LOG(WARNING, "port %u Rx queue %u: rxq_cqe_comp_en=%d: the device has no enhanced layout; the basic one is taken",
			    rxq->port->dev->data->port_id, rxq->idx, asked);
}

/* Where timestamps go in mbufs. */
static int
choose_timestamp(struct mlx5hws_rxq *rxq)
{
	rxq->real_time = rxq->port->hca->real_time;
	if (!(rxq->offloads & RTE_ETH_RX_OFFLOAD_TIMESTAMP))
		return 0;
	if (rte_mbuf_dyn_rx_timestamp_register(&rxq->timestamp_offset, &rxq->timestamp_flag) == 0)
		return 0;
	MLX5HWS_LOG(ERR, "Rx queue %u: no room in mbufs for a timestamp: %s", rxq->idx, rte_strerror(rte_errno));
	return -rte_errno;
}

/* Data segments, or buffers of a striding queue. */
static uint32_t
nb_descriptors(const struct mlx5hws_rxq *rxq)
{
	return (uint32_t)rxq->nb_desc >> mlx5hws_rx_stride_shape(rxq).log_strides;
}

static int
create_rx_objects(struct mlx5hws_rxq *rxq)
{
	struct mlx5hws_port *port = rxq->port;
	const struct mlx5hws_stride_shape shape = mlx5hws_rx_stride_shape(rxq);
	uint32_t nb_wqes = nb_descriptors(rxq) >> rxq->log_sges;
	const struct hca_cq_attr cq = { .nb_cqes = rxq->nb_desc, .uar = &port->hca->uar,
		.compressed = rxq->compressed, .mini_cqe_format = rxq->mini_format, .enhanced = rxq->enhanced };
	const struct hca_rq_attr rq = {
		.nb_wqes = nb_wqes,
		.log_segments = rxq->log_sges,
		.log_strides = shape.log_strides,
		.log_stride_bytes = shape.log_bytes,
		.cq = &rxq->cq,
		.counter_set_id = port->q_counter == NULL ? 0 : (uint8_t)port->q_counter->id,
		.vlan_strip = (rxq->offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP) != 0,
	};
	int ret = hca_cq_create(port->hca, &cq, &rxq->cq);

	if (ret == 0)
		ret = mlx5hws_rx_intr_attach(port, rxq->idx, &rxq->cq);
	return ret != 0 ? ret : hca_rq_create(port->hca, &rq, &rxq->rq);
}

static void
destroy_rx_objects(struct mlx5hws_rxq *rxq)
{
	hca_rq_destroy(&rxq->rq);
	if (rxq->elts != NULL)
		mlx5hws_rx_drain(rxq);
	if (rxq->stride != NULL)
		mlx5hws_rx_stride_drain(rxq);
	rte_free(rxq->elts);
	rxq->elts = NULL;
	hca_cq_destroy(&rxq->cq);
}

int
mlx5hws_rx_queue_start(struct rte_eth_dev *dev, uint16_t idx)
{
	struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];
	int ret;

	if (rxq->started)
		return 0;
	ret = choose_segments(rxq, dev->data->mtu);
	if (ret != 0)
		return ret;
	ret = choose_timestamp(rxq);
	if (ret != 0)
		return ret;
	choose_compression(rxq);
	prepare_rx_path(rxq, dev->data->port_id);
	rxq->one_key = false;
	rxq->taken = 0;
	rxq->posted = nb_descriptors(rxq) >> rxq->log_sges; /* nothing is to be filled again, all is to be filled */
	rxq->elts_mask = nb_descriptors(rxq) - 1u;
	if (rxq->stride == NULL)
		rxq->elts = rte_calloc_socket("mlx5hws_elts", rxq->nb_desc, sizeof(*rxq->elts), 0, rxq->socket);
	ret = rxq->elts == NULL && rxq->stride == NULL ? -ENOMEM : create_rx_objects(rxq);
	if (ret == 0)
		ret = rxq->stride != NULL ? mlx5hws_rx_stride_fill(rxq) : mlx5hws_rx_fill(rxq);
	if (ret == 0)
		ret = hca_rq_start(&rxq->rq);
	if (ret != 0)
		goto fail;
	/* One region holds all buffers: the key written by the fill stays right for every later one. */
	rxq->one_key = mlx5hws_mr_is_one_region(&rxq->port->memory, rxq->pool);
	hca_rq_post(&rxq->rq, rxq->posted);
	ret = hca_rss_pool_set_queue(rxq->port->rss, idx, rxq->rq.rqn);
	if (ret != 0)
		goto fail_rss;
	rxq->state = MLX5HWS_RX_GOOD;
	rxq->started = true;
	mlx5hws_rx_select(dev);
	dev->data->rx_queue_state[idx] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
fail_rss:
	hca_rss_pool_set_queue(rxq->port->rss, idx, 0);
	hca_rq_stop(&rxq->rq, false);
fail:
	MLX5HWS_LOG(ERR, "port %u Rx queue %u not started: %s", dev->data->port_id, idx, strerror(-ret));
	if (ret == -ENOMEM)
		MLX5HWS_LOG(ERR, "port %u Rx queue %u: it wants %u buffers, pool %s has %u of %u left", dev->data->port_id, idx,
			    rxq->elts_mask + 1, rxq->pool->name, rte_mempool_avail_count(rxq->pool), rxq->pool->size);
	destroy_rx_objects(rxq);
	return ret;
}

int
mlx5hws_rx_queue_stop(struct rte_eth_dev *dev, uint16_t idx)
{
	struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];

	if (!rxq->started)
		return 0;
	/* First nobody is sent here any more, then the device lets go of the buffers, then they go home. */
	hca_rss_pool_set_queue(rxq->port->rss, idx, 0);
	if (rxq->state == MLX5HWS_RX_GOOD)
		hca_rq_stop(&rxq->rq, false);
	rxq->state = MLX5HWS_RX_STOPPED;
	destroy_rx_objects(rxq);
	rxq->started = false;
	dev->data->rx_queue_state[idx] = RTE_ETH_QUEUE_STATE_STOPPED;
	return 0;
}

void
mlx5hws_rxq_info_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_rxq_info *info)
{
	const struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];

	info->mp = rxq->pool;
	info->conf = rxq->conf;
	info->conf.rx_drop_en = 1;
	info->conf.offloads = rxq->offloads;
	info->scattered_rx = (rxq->offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
	info->nb_desc = rxq->nb_desc;
	info->rx_buf_size = (uint16_t)(rte_pktmbuf_data_room_size(rxq->pool) - RTE_PKTMBUF_HEADROOM);
}

int
mlx5hws_rx_burst_mode_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_burst_mode *mode)
{
	const struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];

	if (rxq == NULL)
		return -EINVAL;
	mode->flags = 0;
	mlx5hws_rx_name(dev, mode->info, sizeof(mode->info));
	return 0;
}
