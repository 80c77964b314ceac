/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"

#include <errno.h>

#include <rte_ethdev.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>

#include "hca/cmd_counter.h"
#include "hca/cmd_queue.h"
#include "hca/device.h"
#include "hca/netdev.h"
#include "hca/rss.h"
#include "log.h"
#include "rx.h"
#include "rx_intr.h"
#include "rx_stride.h"
#include "tx.h"

/*
 * ---- settings -> default rules
 * -----------------------------------------------------------------------------
 */

/* The flow engine copies what it needs; vlans is the caller's scratch. */
static void
gather_defaults(struct rte_eth_dev *dev, struct flow_defaults *defaults, uint16_t vlans[MLX5HWS_VLANS])
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	uint64_t offloads = dev->data->dev_conf.rxmode.offloads;

	*defaults = (struct flow_defaults){
		.mac = dev->data->mac_addrs,
		.nb_mac = MLX5HWS_MAX_MAC,
		.multicast = port->multicast,
		.nb_multicast = port->nb_multicast,
		.promiscuous = dev->data->promiscuous,
		.allmulticast = dev->data->all_multicast,
		.vlan_filter = (offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER) != 0,
		.vlan = vlans,
		.queue = port->reta,
		.nb_queue = port->reta_size,
		.rss_types = port->rss_types,
		.rss_key = port->rss_key,
		.rss_key_len = HCA_RSS_KEY_BYTES,
	};
	for (uint32_t vlan = 0; vlan < MLX5HWS_VLANS; vlan++)
		if (port->vlan_bits[vlan / 8] & 1u << vlan % 8)
			vlans[defaults->nb_vlan++] = (uint16_t)vlan;
	/* One queue needs no hash: the table would hold the same number throughout. */
	if (dev->data->nb_rx_queues == 1)
		defaults->nb_queue = 1;
}

int
mlx5hws_port_update_defaults(struct rte_eth_dev *dev)
{
	struct flow_defaults defaults;
	uint16_t vlans[MLX5HWS_VLANS];

	if (!dev->data->dev_started)
		return 0;
	gather_defaults(dev, &defaults, vlans);
	return flow_default_update(mlx5hws_port(dev)->flow, &defaults);
}

/*
 * ---- configure, start, stop
 * --------------------------------------------------------------------------------
 */

/* What of a configuration is not served, in words; NULL: nothing. Offloads are ethdev's to check. */
static const char *
not_served(const struct rte_eth_conf *conf)
{
	if (conf->link_speeds & RTE_ETH_LINK_SPEED_FIXED)
		return "the speed is the host's to set";
	if (conf->lpbk_mode > 1)
		return "loopback modes are 0 and 1";
	if (conf->rxmode.mq_mode & ~RTE_ETH_MQ_RX_RSS_FLAG || conf->txmode.mq_mode != RTE_ETH_MQ_TX_NONE)
		return "queues are spread by RSS or not at all: no DCB, no VMDq";
	return NULL;
}

static int
port_configure(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	const char *reason = not_served(&dev->data->dev_conf);
	int ret;

	if (reason != NULL) {
		MLX5HWS_LOG(ERR, "port %u: not configured so: %s", dev->data->port_id, reason);
		return -ENOTSUP;
	}
	port->loopback = dev->data->dev_conf.lpbk_mode == 1;
	port->wants_link = dev->data->dev_conf.intr_conf.lsc;
	port->wants_removal = dev->data->dev_conf.intr_conf.rmv;
	ret = mlx5hws_tx_schedule_register(port, dev->data->dev_conf.txmode.offloads);
	if (ret != 0)
		return ret;
	/* The hash costs nothing: whoever spreads by it gets it. */
	if (dev->data->dev_conf.rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG)
		dev->data->dev_conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	ret = flow_queues_changed(port->flow);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u: no destinations for flow rules to its queues: %s", dev->data->port_id, strerror(-ret));
		return ret;
	}
	return mlx5hws_rss_configure(dev);
}

/*
 * Loopback: the port itself where its owner can (softcx), else frames to our own address and multicast
 * come back inside the device.
 */
static int
set_loopback(struct mlx5hws_port *port, bool on)
{
	const struct hca_netdev_ops *ops = port->netdev->ops;
	int ret = ops->loopback_set == NULL ? -ENOTSUP : ops->loopback_set(port->netdev, on);

	if (ret != -ENOTSUP)
		return ret;
	ret = hca_device_set_self_loopback(port->hca, on);
	return ret != 0 ? ret : hca_rss_pool_set_self_loopback(port->rss, on);
}

static int
port_start(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct flow_defaults defaults;
	uint16_t vlans[MLX5HWS_VLANS];
	int ret;

	ret = port->netdev->ops->mtu_set(port->netdev, dev->data->mtu);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u: MTU %u not set: %s", dev->data->port_id, dev->data->mtu, strerror(-ret));
		return ret;
	}
	ret = set_loopback(port, port->loopback);
	if (ret != 0)
		return ret;
	ret = mlx5hws_rx_intr_open(dev);
	if (ret != 0)
		return ret;
	ret = mlx5hws_queue_start_all(dev);
	if (ret != 0)
		goto close_intr;
	gather_defaults(dev, &defaults, vlans);
	ret = flow_port_start(port->flow, &defaults);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u: default rules not installed: %s", dev->data->port_id, strerror(-ret));
		goto stop_queues;
	}
	ret = port->netdev->ops->link_set(port->netdev, true);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u: link not set up: %s", dev->data->port_id, strerror(-ret));
		goto stop_flow;
	}
	mlx5hws_link_update(dev, 0);
	return 0;
stop_flow:
	flow_port_stop(port->flow);
stop_queues:
	mlx5hws_queue_stop_all(dev);
close_intr:
	mlx5hws_rx_intr_close(dev);
	return ret;
}

static int
port_stop(struct rte_eth_dev *dev)
{
	/* Rules first: while they stand, packets may come. */
	flow_port_stop(mlx5hws_port(dev)->flow);
	mlx5hws_queue_stop_all(dev);
	mlx5hws_rx_intr_close(dev);
	return 0;
}

static int
port_flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **ops)
{
	RTE_SET_USED(dev);
	*ops = flow_ops();
	return 0;
}

static const struct eth_dev_ops port_ops = {
	.dev_configure = port_configure,
	.dev_start = port_start,
	.dev_stop = port_stop,
	.dev_close = mlx5hws_port_close,
	.dev_infos_get = mlx5hws_info_get,
	.dev_supported_ptypes_get = mlx5hws_ptypes_get,
	.fw_version_get = mlx5hws_fw_version_get,
	.is_removed = mlx5hws_is_removed,
	.dev_set_link_up = mlx5hws_link_up,
	.dev_set_link_down = mlx5hws_link_down,
	.link_update = mlx5hws_link_update,
	.mtu_set = mlx5hws_mtu_set,
	.rx_queue_setup = mlx5hws_rx_queue_setup,
	.rx_queue_release = mlx5hws_rx_queue_release,
	.rx_queue_start = mlx5hws_rx_queue_start,
	.rx_queue_stop = mlx5hws_rx_queue_stop,
	.rxq_info_get = mlx5hws_rxq_info_get,
	.rx_queue_intr_enable = mlx5hws_rx_intr_enable,
	.rx_queue_intr_disable = mlx5hws_rx_intr_disable,
	.rx_burst_mode_get = mlx5hws_rx_burst_mode_get,
	.read_clock = mlx5hws_read_clock,
	.tx_queue_setup = mlx5hws_tx_queue_setup,
	.tx_queue_release = mlx5hws_tx_queue_release,
	.tx_queue_start = mlx5hws_tx_queue_start,
	.tx_queue_stop = mlx5hws_tx_queue_stop,
	.txq_info_get = mlx5hws_txq_info_get,
	.tx_burst_mode_get = mlx5hws_tx_burst_mode_get,
	.tx_done_cleanup = mlx5hws_tx_done_cleanup,
	.stats_get = mlx5hws_stats_get,
	.stats_reset = mlx5hws_stats_reset,
	.xstats_get = mlx5hws_xstats_get,
	.xstats_get_names = mlx5hws_xstats_get_names,
	.xstats_reset = mlx5hws_xstats_reset,
	.mac_addr_add = mlx5hws_mac_addr_add,
	.mac_addr_remove = mlx5hws_mac_addr_remove,
	.mac_addr_set = mlx5hws_mac_addr_set,
	.set_mc_addr_list = mlx5hws_set_mc_addr_list,
	.promiscuous_enable = mlx5hws_promiscuous_enable,
	.promiscuous_disable = mlx5hws_promiscuous_disable,
	.allmulticast_enable = mlx5hws_allmulticast_enable,
	.allmulticast_disable = mlx5hws_allmulticast_disable,
	.vlan_filter_set = mlx5hws_vlan_filter_set,
	.vlan_offload_set = mlx5hws_vlan_offload_set,
	.vlan_strip_queue_set = mlx5hws_vlan_strip_queue_set,
	.rss_hash_update = mlx5hws_rss_hash_update,
	.rss_hash_conf_get = mlx5hws_rss_hash_conf_get,
	.reta_update = mlx5hws_reta_update,
	.reta_query = mlx5hws_reta_query,
	.flow_ops_get = port_flow_ops_get,
};

/*
 * ---- open and close
 * ----------------------------------------------------------------------------------------
 */

static int
open_netdev(struct mlx5hws_port *port)
{
	if (port->origin.netdev_open != NULL)
		return port->origin.netdev_open(port->origin.arg, &port->netdev);
	return hca_netdev_open_linux(port->hca->ibdev_path, &port->netdev);
}

/* The inline mode that a WQE owes: devices of interest want none; those that say "ask" are asked. */
static int
check_inline(struct mlx5hws_port *port)
{
	enum { INLINE_L2, INLINE_ASK_VPORT, INLINE_NONE };
	int ret = 0;

	if (port->hca->caps.eth.wqe_inline_mode == INLINE_NONE)
		return 0;
	port->min_inline = 1;
	if (port->hca->caps.eth.wqe_inline_mode == INLINE_ASK_VPORT)
		ret = hca_cmd_query_min_inline(port->hca, &port->min_inline);
	if (ret == 0 && port->min_inline != 0) {
		MLX5HWS_LOG(ERR, "%s wants packet headers inside descriptors (mode %u): ConnectX-6 Dx and later do not",
			    port->hca->name, port->min_inline);
		ret = -ENOTSUP;
	}
	return ret;
}

static int
open_data(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct rte_ether_addr mac;
	uint16_t mtu;
	int ret = port->netdev->ops->mac_get(port->netdev, mac.addr_bytes);

	if (ret == 0)
		ret = port->netdev->ops->mtu_get(port->netdev, &mtu);
	if (ret != 0)
		return ret;
	dev->data->mac_addrs = rte_zmalloc("mlx5hws_mac", MLX5HWS_MAX_MAC * sizeof(mac), 0);
	if (dev->data->mac_addrs == NULL)
		return -ENOMEM;
	dev->data->mac_addrs[0] = mac;
	dev->data->mtu = mtu;
	dev->data->dev_flags |= RTE_ETH_DEV_INTR_LSC | RTE_ETH_DEV_INTR_RMV | RTE_ETH_DEV_AUTOFILL_QUEUE_XSTATS;
	return 0;
}

static int
open_flow(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	const struct flow_port_attr attr = {
		.dev = dev,
		.hca = port->hca,
		.rss = port->rss,
		.counter_refresh_ms = port->devargs.svc_cycle_time_ms,
		.service_core = port->devargs.service_core,
		.reclaim_memory = port->devargs.reclaim_memory,
	};
	int ret;

	ret = flow_port_open(&attr, &port->flow);
	dev->process_private = port->flow;
	return ret;
}

/* Everything from the device to the flow engine; close_all undoes whatever part of it was reached. */
static int
open_all(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	int ret;

	ret = hca_device_open(port->origin.verbs, port->origin.device, &port->hca);
	if (ret != 0)
		return ret;
	ret = open_netdev(port);
	if (ret != 0)
		return ret;
	ret = check_inline(port);
	if (ret != 0)
		return ret;
	ret = mlx5hws_mr_table_open(&port->memory, port->hca);
	if (ret != 0)
		return ret;
	ret = hca_rss_pool_create(port->hca, MLX5HWS_MAX_QUEUES, &port->rss);
	if (ret != 0)
		return ret;
	/*
	 * A device out of counter sets still carries packets: imissed is then not counted, as the
	 * command's line says.
	 */
	hca_cmd_alloc_q_counter(port->hca, &port->q_counter);
	ret = open_data(dev);
	if (ret != 0)
		return ret;
	ret = open_flow(dev);
	if (ret != 0)
		return ret;
	return mlx5hws_events_open(dev);
}

static void
close_all(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	mlx5hws_events_close(dev);
	if (port->flow != NULL)
		flow_port_close(port->flow);
	port->flow = NULL;
	dev->process_private = NULL;
	hca_obj_destroy(port->q_counter);
	port->q_counter = NULL;
	hca_rss_pool_destroy(port->rss);
	port->rss = NULL;
	mlx5hws_mr_table_close(&port->memory);
	if (port->netdev != NULL)
		port->netdev->ops->close(port->netdev);
	port->netdev = NULL;
	hca_device_close(port->hca);
	port->hca = NULL;
	if (port->origin.release != NULL)
		port->origin.release(port->origin.arg);
	hca_verbs_close(port->origin.verbs);
	memset(&port->origin, 0, sizeof(port->origin));
}

int
mlx5hws_port_create(struct rte_eth_dev *dev, const struct mlx5hws_origin *origin,
		    const struct mlx5hws_devargs *devargs)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	int ret;

	port->dev = dev;
	port->origin = *origin;
	port->devargs = *devargs;
	ret = open_all(dev);
	if (ret != 0) {
		close_all(dev);
		rte_free(dev->data->mac_addrs);
		dev->data->mac_addrs = NULL;
		return ret;
	}
	dev->dev_ops = &port_ops;
	dev->rx_pkt_burst = mlx5hws_rx_burst;
	dev->tx_pkt_burst = mlx5hws_tx_burst;
	dev->rx_queue_count = mlx5hws_rx_queue_count;
	dev->rx_descriptor_status = mlx5hws_rx_descriptor_status;
	dev->tx_descriptor_status = mlx5hws_tx_descriptor_status;
	flow_ops_attach(dev);
	MLX5HWS_LOG(INFO, "port %u is %s, firmware %s", dev->data->port_id, port->hca->name, port->hca->fw_ver);
	return 0;
}

/* ethdev stops the port before; queues are still set up. Memory of dev->data is ethdev's to free. */
int
mlx5hws_port_close(struct rte_eth_dev *dev)
{
	if (rte_eal_process_type() != RTE_PROC_PRIMARY || mlx5hws_port(dev)->hca == NULL)
		return 0;
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		mlx5hws_rx_queue_release(dev, i);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		mlx5hws_tx_queue_release(dev, i);
	close_all(dev);
	return 0;
}
