/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Addresses and what else is let in: MAC list, multicast list, promiscuous, all-multicast. The flow
 * engine's default rules do the filtering; the host's side is told where it must let packets through.
 * ethdev writes its copy of a setting after the call, so each function writes it first and takes it back
 * on failure.
 */
#include <errno.h>

#include <rte_ethdev.h>
#include <rte_ether.h>

#include "hca/netdev.h"
#include "log.h"
#include "port.h"

int
mlx5hws_mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *mac, uint32_t idx, uint32_t vmdq)
{
	struct rte_ether_addr *slot = &dev->data->mac_addrs[idx], before = *slot;
	int ret;

	if (vmdq != 0) {
		MLX5HWS_LOG(ERR, "port %u: no VMDq pools, so no addresses of pool %u", dev->data->port_id, vmdq);
		return -ENOTSUP;
	}
	if (rte_is_same_ether_addr(slot, mac)) /* ethdev sets all again after start */
		return 0;
	*slot = *mac;
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0)
		*slot = before;
	return ret;
}

void
mlx5hws_mac_addr_remove(struct rte_eth_dev *dev, uint32_t idx)
{
	struct rte_ether_addr *slot = &dev->data->mac_addrs[idx], before = *slot;

	memset(slot, 0, sizeof(*slot));
	if (mlx5hws_port_update_defaults(dev) != 0) {
		*slot = before;
		MLX5HWS_LOG(ERR, "port %u: MAC address %u stays in the filter", dev->data->port_id, idx);
	}
}

int
mlx5hws_mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *mac)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct rte_ether_addr before = dev->data->mac_addrs[0];
	int ret;

	if (rte_is_same_ether_addr(&before, mac))
		return 0;
	ret = port->netdev->ops->mac_set(port->netdev, mac->addr_bytes);
	if (ret != 0)
		return ret;
	dev->data->mac_addrs[0] = *mac;
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0) {
		dev->data->mac_addrs[0] = before;
		port->netdev->ops->mac_set(port->netdev, before.addr_bytes);
	}
	return ret;
}

int
mlx5hws_set_mc_addr_list(struct rte_eth_dev *dev, struct rte_ether_addr *list, uint32_t nb)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct rte_ether_addr before[MLX5HWS_MAX_MULTICAST];
	uint32_t nb_before = port->nb_multicast;
	int ret;

	if (nb > MLX5HWS_MAX_MULTICAST) {
		MLX5HWS_LOG(ERR, "port %u: %u multicast addresses, at most %u", dev->data->port_id, nb,
			    MLX5HWS_MAX_MULTICAST);
		return -ENOSPC;
	}
	memcpy(before, port->multicast, sizeof(before));
	if (nb != 0)
		memcpy(port->multicast, list, nb * sizeof(*list));
	port->nb_multicast = nb;
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0) {
		memcpy(port->multicast, before, sizeof(before));
		port->nb_multicast = nb_before;
	}
	return ret;
}

/* The netdev must pass on what it would filter; an isolated port leaves it alone. */
static int
tell_netdev(struct rte_eth_dev *dev, int (*set)(struct hca_netdev *nd, bool on), bool on)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	return flow_port_is_isolated(port->flow) ? 0 : set(port->netdev, on);
}

static int
set_promiscuous(struct rte_eth_dev *dev, bool on)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	int ret = tell_netdev(dev, port->netdev->ops->promisc_set, on);

	if (ret != 0)
		return ret;
	dev->data->promiscuous = on;
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0) {
		dev->data->promiscuous = !on;
		tell_netdev(dev, port->netdev->ops->promisc_set, !on);
	}
	return ret;
}

static int
set_allmulticast(struct rte_eth_dev *dev, bool on)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	int ret = tell_netdev(dev, port->netdev->ops->allmulti_set, on);

	if (ret != 0)
		return ret;
	dev->data->all_multicast = on;
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0) {
		dev->data->all_multicast = !on;
		tell_netdev(dev, port->netdev->ops->allmulti_set, !on);
	}
	return ret;
}

int
mlx5hws_promiscuous_enable(struct rte_eth_dev *dev)
{
	return set_promiscuous(dev, true);
}

int
mlx5hws_promiscuous_disable(struct rte_eth_dev *dev)
{
	return set_promiscuous(dev, false);
}

int
mlx5hws_allmulticast_enable(struct rte_eth_dev *dev)
{
	return set_allmulticast(dev, true);
}

int
mlx5hws_allmulticast_disable(struct rte_eth_dev *dev)
{
	return set_allmulticast(dev, false);
}
