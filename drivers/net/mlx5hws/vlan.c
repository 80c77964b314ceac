/* SPDX-License-Identifier: BSD-3-Clause */

/* VLAN: ids let in (default rules), stripping (a bit of each receive queue). Insertion is in tx.c. */
#include <errno.h>

#include <rte_ethdev.h>

#include "hca/rq.h"
#include "log.h"
#include "port.h"
#include "rx.h"

int
mlx5hws_vlan_filter_set(struct rte_eth_dev *dev, uint16_t vlan, int on)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	uint8_t *byte, before;
	int ret;

	if (vlan >= MLX5HWS_VLANS)
		return -EINVAL;
	byte = &port->vlan_bits[vlan / 8];
	before = *byte;
	if (on)
		*byte |= (uint8_t)(1u << vlan % 8);
	else
		*byte &= (uint8_t)~(1u << vlan % 8);
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0)
		*byte = before;
	return ret;
}

static int
set_strip(struct rte_eth_dev *dev, uint16_t idx, bool on)
{
	struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];
	int ret = 0;

	if (rxq == NULL)
		return 0;
	if (rxq->started)
		ret = hca_rq_set_vlan_strip(&rxq->rq, on);
	if (ret != 0)
		return ret;
	if (on)
		rxq->offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	else
		rxq->offloads &= ~RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	return 0;
}

void
mlx5hws_vlan_strip_queue_set(struct rte_eth_dev *dev, uint16_t idx, int on)
{
	if (idx >= dev->data->nb_rx_queues || set_strip(dev, idx, on != 0) != 0)
		MLX5HWS_LOG(ERR, "port %u: VLAN stripping of queue %u not changed", dev->data->port_id, idx);
}

/* ethdev has written the wanted state into rxmode.offloads and takes it back when this fails. */
int
mlx5hws_vlan_offload_set(struct rte_eth_dev *dev, int mask)
{
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads;
	bool strip = (offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP) != 0;
	uint16_t done = 0;
	int ret = 0;

	if (mask & (RTE_ETH_VLAN_EXTEND_MASK | RTE_ETH_QINQ_STRIP_MASK) &&
	    offloads & (RTE_ETH_RX_OFFLOAD_VLAN_EXTEND | RTE_ETH_RX_OFFLOAD_QINQ_STRIP)) {
		MLX5HWS_LOG(ERR, "port %u: outer tags are neither stripped nor told apart", dev->data->port_id);
		return -ENOTSUP;
	}
	while (mask & RTE_ETH_VLAN_STRIP_MASK && ret == 0 && done < dev->data->nb_rx_queues)
		ret = set_strip(dev, done++, strip);
	if (ret == 0 && mask & RTE_ETH_VLAN_FILTER_MASK)
		ret = mlx5hws_port_update_defaults(dev);
	while (ret != 0 && done > 0)
		set_strip(dev, --done, !strip);
	return ret;
}
