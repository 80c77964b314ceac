/* SPDX-License-Identifier: BSD-3-Clause */

/* What the port says of itself: only what the burst functions and the device really do. */
#include <errno.h>

#include <rte_ethdev.h>

#include "hca/device.h"
#include "hca/netdev.h"
#include "port.h"
#include "prm/wqe.h"
#include "rx.h"
#include "tx.h"

#define RX_DESC_MIN 32
#define TX_DESC_MIN 64
#define TSO_HEADERS_MAX 192

uint16_t
mlx5hws_tx_max_segs(const struct hca_caps *caps)
{
	uint32_t ds = caps->max_wqe_sz_sq == 0 ? PRM_WQE_DS_MAX :
		RTE_MIN((uint32_t)caps->max_wqe_sz_sq / PRM_WQE_DS_BYTES, (uint32_t)PRM_WQE_DS_MAX);

	return (uint16_t)(ds - 2); /* control and Ethernet segment */
}

static uint64_t
rx_offloads(const struct hca_caps *caps)
{
	uint64_t offloads = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_RSS_HASH | RTE_ETH_RX_OFFLOAD_VLAN_FILTER |
		RTE_ETH_RX_OFFLOAD_TIMESTAMP;

	if (caps->eth.csum_cap)
		offloads |= RTE_ETH_RX_OFFLOAD_CHECKSUM;
	if (caps->eth.vlan_cap)
		offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	return offloads;
}

static uint64_t
tx_offloads(const struct hca_caps *caps)
{
	uint64_t offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;

	if (caps->eth.csum_cap)
		offloads |= RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
	if (caps->eth.csum_cap && caps->eth.tunnel_stateless_vxlan)
		offloads |= RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM;
	if (caps->eth.csum_cap && caps->eth.max_lso_cap != 0) {
		offloads |= RTE_ETH_TX_OFFLOAD_TCP_TSO;
		offloads |= caps->eth.tunnel_stateless_vxlan ? RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO : 0;
		offloads |= caps->eth.tunnel_stateless_gre ? RTE_ETH_TX_OFFLOAD_GRE_TNL_TSO : 0;
		offloads |= caps->eth.tunnel_stateless_geneve ? RTE_ETH_TX_OFFLOAD_GENEVE_TNL_TSO : 0;
	}
	if (caps->eth.wqe_vlan_insert)
		offloads |= RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
	if (caps->wait_on_time)
		offloads |= RTE_ETH_TX_OFFLOAD_SEND_ON_TIMESTAMP;
	return offloads;
}

static const struct {
	uint32_t mbps, capability;
} speeds[] = {
	{ 1000, RTE_ETH_LINK_SPEED_1G }, { 10000, RTE_ETH_LINK_SPEED_10G }, { 25000, RTE_ETH_LINK_SPEED_25G },
	{ 40000, RTE_ETH_LINK_SPEED_40G }, { 50000, RTE_ETH_LINK_SPEED_50G }, { 100000, RTE_ETH_LINK_SPEED_100G },
	{ 200000, RTE_ETH_LINK_SPEED_200G },
#ifdef RTE_ETH_LINK_SPEED_400G
	{ 400000, RTE_ETH_LINK_SPEED_400G },
#endif
};

/*
 * The host does not tell which speeds a port could have; up to the one it has is certain enough to be
 * said.
 */
static uint32_t
speed_capa(const struct rte_eth_dev *dev)
{
	struct rte_eth_link link;
	uint32_t capa = 0, now;

	/* The interrupt thread may be changing it. */
	rte_eth_linkstatus_get(dev, &link);
	now = link.link_speed;
	if (now == RTE_ETH_SPEED_NUM_UNKNOWN)
		return 0;
	for (unsigned int i = 0; i < RTE_DIM(speeds); i++)
		if (speeds[i].mbps <= now)
			capa |= speeds[i].capability;
	return capa;
}

static uint16_t
queue_limit(uint8_t log_max)
{
	return (uint16_t)RTE_MIN(1u << log_max, (uint32_t)MLX5HWS_MAX_QUEUES);
}

int
mlx5hws_info_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	const struct mlx5hws_port *port = mlx5hws_port(dev);
	const struct hca_caps *caps = &port->hca->caps;
	/* Each queue has as many completions as descriptors at the most. */
	const uint16_t desc_max = (uint16_t)(1u << RTE_MIN(RTE_MIN(caps->log_max_wq_sz, caps->log_max_cq_sz), 15));
	const uint16_t segs = mlx5hws_tx_max_segs(caps), inlined = mlx5hws_tx_inline_units(port);

	info->if_index = port->netdev->if_index; /* 0: no netdev of the kernel's */
	info->min_mtu = MLX5HWS_MTU_MIN;
	info->max_mtu = MLX5HWS_MTU_MAX;
	info->min_rx_bufsize = 32;
	info->max_rx_pktlen = mlx5hws_frame_bytes(MLX5HWS_MTU_MAX);
	info->max_rx_queues = queue_limit(caps->log_max_rq);
	info->max_tx_queues = queue_limit(caps->log_max_sq);
	info->max_mac_addrs = MLX5HWS_MAX_MAC;
	info->rx_offload_capa = rx_offloads(caps);
	info->rx_queue_offload_capa = RTE_ETH_RX_OFFLOAD_VLAN_STRIP & info->rx_offload_capa;
	info->tx_offload_capa = tx_offloads(caps);
	info->tx_queue_offload_capa = info->tx_offload_capa;
	info->reta_size = mlx5hws_reta_size_max(port);
	info->hash_key_size = HCA_RSS_KEY_BYTES;
	info->flow_type_rss_offloads = MLX5HWS_RSS_TYPES;
	info->rx_desc_lim = (struct rte_eth_desc_lim){ .nb_max = desc_max, .nb_min = RX_DESC_MIN, .nb_align = 1 };
	info->tx_desc_lim = (struct rte_eth_desc_lim){
		.nb_max = desc_max, .nb_min = TX_DESC_MIN, .nb_align = 1,
		/* Headers of a packet that is cut stand in its descriptor too, as does what must be inlined of any. */
		.nb_seg_max = segs - RTE_MAX(TSO_HEADERS_MAX / PRM_WQE_DS_BYTES, inlined),
		.nb_mtu_seg_max = segs - inlined,
	};
	info->speed_capa = speed_capa(dev);
	info->default_rxportconf = (struct rte_eth_dev_portconf){ .burst_size = 64, .ring_size = 512, .nb_queues = 1 };
	info->default_txportconf = info->default_rxportconf;
	info->dev_capa = RTE_ETH_DEV_CAPA_RUNTIME_RX_QUEUE_SETUP | RTE_ETH_DEV_CAPA_RUNTIME_TX_QUEUE_SETUP;
	return 0;
}

const uint32_t *
mlx5hws_ptypes_get(MLX5HWS_PTYPES_PARAMS)
{
	MLX5HWS_PTYPES_SET_NB(mlx5hws_rx_nb_ptypes);
	RTE_SET_USED(dev);
	return mlx5hws_rx_ptypes;
}

int
mlx5hws_fw_version_get(struct rte_eth_dev *dev, char *version, size_t size)
{
	int len = snprintf(version, size, "%s", mlx5hws_port(dev)->hca->fw_ver);

	if (len < 0)
		return -EINVAL;
	return (size_t)len < size ? 0 : len + 1;
}
