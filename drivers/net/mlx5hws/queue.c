/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Control of transmit queues, and of all queues of a port at once: set-up keeps what the application asked for, start makes the
 * device's queue, stop destroys it. Receive queues: rx_queue.c.
 */
#include <errno.h>
#include <stdlib.h>

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>

#include "hca/cmd.h"
#include "hca/device.h"
#include "log.h"
#include "port.h"
#include "rx_stride.h"
#include "rx.h"
#include "tx.h"
#include "tx_wqe.h"

/* Lengths up to which packets are copied into descriptors, and from how many queues on: as users of DPDK's mlx5 know them. */
#define INLINE_SEND 290
#define INLINE_EMPW 268
#define INLINE_HEAD 18
#define TXQS_MIN_INLINE 8

void
mlx5hws_tx_queue_release(struct rte_eth_dev *dev, uint16_t idx)
{
	struct mlx5hws_txq *txq = dev->data->tx_queues[idx];

	if (txq == NULL)
		return;
	if (txq->started)
		mlx5hws_tx_queue_stop(dev, idx);
	dev->data->tx_queues[idx] = NULL;
	rte_free(txq);
}

/* Field and flag of mbufs stay for good and are few: nobody who does not ask gets them. */
int
mlx5hws_tx_schedule_register(const struct mlx5hws_port *port, uint64_t offloads)
{
	if ((offloads & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) == 0 || rte_mbuf_dyn_tx_timestamp_register(NULL, NULL) == 0)
		return 0;
	MLX5HWS_LOG(ERR, "port %u: no room in mbufs for the time of a packet: %s", port->dev->data->port_id,
		    rte_strerror(rte_errno));
	return -rte_errno;
}

int
mlx5hws_tx_queue_setup(struct rte_eth_dev *dev, uint16_t idx, uint16_t nb_desc, unsigned int socket,
		       const struct rte_eth_txconf *conf)
{
	struct mlx5hws_txq *txq;
	int ret = mlx5hws_tx_schedule_register(mlx5hws_port(dev), conf->offloads);

	if (ret != 0)
		return ret;
	txq = rte_zmalloc_socket("mlx5hws_txq", sizeof(*txq), RTE_CACHE_LINE_SIZE, (int)socket);
	if (txq == NULL)
		return -ENOMEM;
	txq->port = mlx5hws_port(dev);
	txq->idx = idx;
	txq->nb_desc = (uint16_t)rte_align32pow2(nb_desc);
	txq->socket = (int)socket;
	txq->conf = *conf;
	txq->deferred = conf->tx_deferred_start;
	txq->offloads = conf->offloads | dev->data->dev_conf.txmode.offloads;
	dev->data->tx_queues[idx] = txq;
	return 0;
}

_Static_assert(TX_FRAME_MAX >= MLX5HWS_MTU_MAX + RTE_ETHER_HDR_LEN + 2 * TX_TAG, "any frame");

/* Bytes that min_wqe_inline_mode wants at the least, for the longest headers there are: L2 with a tag, IP, TCP. nic.md 2.5. */
static uint16_t
required_inline(uint8_t mode)
{
	static const uint16_t bytes[] = { 0, 18, 18 + 60, 18 + 60 + 60 };

	return bytes[RTE_MIN(mode, RTE_DIM(bytes) - 1)];
}

/* What must be inlined of each packet, in bytes: the device's demand or the user's. */
static uint16_t
inline_demand(const struct mlx5hws_port *port)
{
	return (uint16_t)RTE_MAX(RTE_MAX(port->devargs.txq_inline_min, 0), (int)required_inline(port->min_inline));
}

uint16_t
mlx5hws_tx_inline_units(const struct mlx5hws_port *port)
{
	const uint16_t bytes = inline_demand(port);

	return bytes > TX_ETH_INLINE ? (uint16_t)((bytes - TX_ETH_INLINE + TX_DS - 1) / TX_DS) : 0;
}

/*
 * Packets are copied into descriptors where the bus is dearer than the copy: with many queues, or where the device wants
 * their headers.
 */
static void
choose_inlining(struct mlx5hws_txq *txq)
{
	const struct mlx5hws_devargs *devargs = &txq->port->devargs;
	const int queues = devargs->txqs_min_inline >= 0 ? devargs->txqs_min_inline : TXQS_MIN_INLINE;

	txq->inline_send = txq->inline_empw = 0;
	txq->inline_head = inline_demand(txq->port);
	txq->inline_required = txq->inline_head != 0;
	if (txq->inline_head == 0 && txq->port->dev->data->nb_tx_queues < queues)
		return;
	if (txq->inline_head == 0)
		txq->inline_head = INLINE_HEAD;
	txq->inline_send = (uint16_t)(devargs->txq_inline_max >= 0 ? devargs->txq_inline_max : INLINE_SEND);
	if (txq->empw)
		txq->inline_empw = (uint16_t)(devargs->txq_inline_mpw >= 0 ? devargs->txq_inline_mpw : INLINE_EMPW);
}

/* Flag and field are registered where the offload is wanted. */
static void
prepare_schedule(struct mlx5hws_txq *txq)
{
	bool wanted = (txq->offloads & RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP) != 0;
	int flag = wanted ? rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_TX_TIMESTAMP_NAME, NULL) : -1;

	txq->time_flag = flag < 0 ? 0 : RTE_BIT64(flag);
	txq->time_offset = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);
	txq->real_time = txq->port->hca->real_time;
}

static void
prepare_tx_path(struct mlx5hws_txq *txq)
{
	const struct hca_caps *caps = &txq->port->hca->caps;
	const struct mlx5hws_devargs *devargs = &txq->port->devargs;

	txq->vlan_by_device = caps->eth.wqe_vlan_insert;
	txq->max_ds = (uint8_t)(mlx5hws_tx_max_segs(caps) + TX_HEAD_DS);
	txq->empw = caps->eth.enhanced_multi_pkt_send_wqe && caps->eth.multi_pkt_send_wqe != 0 && txq->port->min_inline == 0 &&
		txq->max_ds >= TX_SESSION_DS && devargs->txq_mpw_en != 0;
	txq->max_tso = caps->eth.max_lso_cap == 0 ? 0 : 1u << caps->eth.max_lso_cap;
	choose_inlining(txq);
	txq->meta_offset = rte_flow_dynf_metadata_avail() ? rte_flow_dynf_metadata_offs : -1;
	txq->meta_flag = rte_flow_dynf_metadata_avail() ? rte_flow_dynf_metadata_mask : 0;
	prepare_schedule(txq);
	txq->elts_head = 0;
	txq->elts_tail = 0;
	txq->packets_head = 0;
	txq->packets_done = 0;
	txq->done_pi = 0;
	txq->request_pi = 0;
	txq->request_elts = 0;
	txq->plain_elts = 0;
	txq->mark_head = 0;
	txq->refused = false;
	mlx5hws_lkey_cache_init(&txq->lkeys, &txq->port->memory);
}

static int
create_tx_objects(struct mlx5hws_txq *txq)
{
	struct mlx5hws_port *port = txq->port;
	/*
	 * Requests that can be open at once (per 32 buffers, of which there are two for each descriptor; fourth of the ring,
	 * fourth of the buffers), and errors.
	 */
	const struct hca_cq_attr cq = {
		.nb_cqes = 3u * txq->nb_desc / MLX5HWS_TX_COMP_BUFFERS + 2 * MLX5HWS_TX_SHARE + 8,
		.uar = &port->hca->uar,
	};
	/* A packet that is copied takes more than a block. */
	const bool copies = txq->inline_send != 0 || txq->inline_empw != 0;
	const uint32_t most = 1u << RTE_MIN(port->hca->caps.log_max_wq_sz, 15);
	const struct hca_sq_attr sq = {
		.nb_wqebbs = RTE_MIN((uint32_t)txq->nb_desc << copies, most),
		.cq = &txq->cq,
		.uar = &port->hca->uar,
		.min_inline = port->min_inline,
		.multi_packet = txq->empw,
	};
	int ret = hca_cq_create(port->hca, &cq, &txq->cq);

	if (ret != 0)
		return ret;
	txq->marks_mask = txq->cq.mask;
	txq->marks = rte_calloc_socket("mlx5hws_marks", txq->marks_mask + 1, sizeof(*txq->marks), 0, txq->socket);
	return txq->marks == NULL ? -ENOMEM : hca_sq_create(port->hca, &sq, &txq->sq);
}

static void
destroy_tx_objects(struct mlx5hws_txq *txq)
{
	hca_sq_destroy(&txq->sq);
	if (txq->elts != NULL)
		mlx5hws_tx_drain(txq);
	rte_free(txq->elts);
	txq->elts = NULL;
	rte_free(txq->marks);
	txq->marks = NULL;
	hca_cq_destroy(&txq->cq);
}

int
mlx5hws_tx_queue_start(struct rte_eth_dev *dev, uint16_t idx)
{
	struct mlx5hws_txq *txq = dev->data->tx_queues[idx];
	uint32_t nb_elts = txq->nb_desc * 2u;
	int ret;

	if (txq->started)
		return 0;
	prepare_tx_path(txq);
	txq->elts_mask = nb_elts - 1;
	txq->elts = rte_calloc_socket("mlx5hws_elts", nb_elts, sizeof(*txq->elts), 0, txq->socket);
	ret = txq->elts == NULL ? -ENOMEM : create_tx_objects(txq);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u Tx queue %u not started: %s", dev->data->port_id, idx, strerror(-ret));
		destroy_tx_objects(txq);
		return ret;
	}
	txq->state = MLX5HWS_TX_GOOD;
	txq->started = true;
	mlx5hws_tx_select(dev);
	dev->data->tx_queue_state[idx] = RTE_ETH_QUEUE_STATE_STARTED;
	return 0;
}

int
mlx5hws_tx_queue_stop(struct rte_eth_dev *dev, uint16_t idx)
{
	struct mlx5hws_txq *txq = dev->data->tx_queues[idx];

	if (!txq->started)
		return 0;
	txq->state = MLX5HWS_TX_STOPPED;
	destroy_tx_objects(txq);
	txq->started = false;
	dev->data->tx_queue_state[idx] = RTE_ETH_QUEUE_STATE_STOPPED;
	return 0;
}

void
mlx5hws_txq_info_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_txq_info *info)
{
	const struct mlx5hws_txq *txq = dev->data->tx_queues[idx];

	info->conf = txq->conf;
	info->conf.offloads = txq->offloads;
	info->nb_desc = txq->nb_desc;
}

int
mlx5hws_tx_burst_mode_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_burst_mode *mode)
{
	const struct mlx5hws_txq *txq = dev->data->tx_queues[idx];

	if (txq == NULL)
		return -EINVAL;
	mode->flags = 0;
	mlx5hws_tx_name(dev, mode->info, sizeof(mode->info));
	return 0;
}

static int
check_all_set_up(const struct rte_eth_dev *dev)
{
	const struct rte_eth_dev_data *data = dev->data;
	uint16_t rx = 0, tx = 0;

	while (rx < data->nb_rx_queues && data->rx_queues[rx] != NULL)
		rx++;
	while (tx < data->nb_tx_queues && data->tx_queues[tx] != NULL)
		tx++;
	if (rx == data->nb_rx_queues && tx == data->nb_tx_queues)
		return 0;
	MLX5HWS_LOG(ERR, "port %u: %s queue %u is configured but not set up", data->port_id,
		    rx < data->nb_rx_queues ? "Rx" : "Tx", rx < data->nb_rx_queues ? rx : tx);
	return -EINVAL;
}

void
mlx5hws_queue_stop_all(struct rte_eth_dev *dev)
{
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		if (dev->data->rx_queues[i] != NULL)
			mlx5hws_rx_queue_stop(dev, i);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		if (dev->data->tx_queues[i] != NULL)
			mlx5hws_tx_queue_stop(dev, i);
}

int
mlx5hws_queue_start_all(struct rte_eth_dev *dev)
{
	int ret = check_all_set_up(dev);

	for (uint16_t i = 0; i < dev->data->nb_tx_queues && ret == 0; i++)
		if (!((struct mlx5hws_txq *)dev->data->tx_queues[i])->deferred)
			ret = mlx5hws_tx_queue_start(dev, i);
	for (uint16_t i = 0; i < dev->data->nb_rx_queues && ret == 0; i++)
		if (!((struct mlx5hws_rxq *)dev->data->rx_queues[i])->deferred)
			ret = mlx5hws_rx_queue_start(dev, i);
	if (ret != 0)
		mlx5hws_queue_stop_all(dev);
	return ret;
}
