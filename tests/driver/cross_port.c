/* SPDX-License-Identifier: BSD-3-Clause */
#include "cross_port.h"

#include <stdio.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>

#define TX_DESC 512

static const char *
read_reta(struct cross_port *port)
{
	struct rte_eth_rss_reta_entry64 groups[RTE_DIM(port->reta) / RTE_ETH_RETA_GROUP_SIZE];
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(port->id, &info) != 0 || info.reta_size == 0 || info.reta_size > RTE_DIM(port->reta))
		return "size of the redirection table";
	port->reta_size = info.reta_size;
	for (unsigned int i = 0; i < RTE_DIM(groups); i++)
		groups[i].mask = UINT64_MAX;
	if (rte_eth_dev_rss_reta_query(port->id, groups, info.reta_size) != 0)
		return "redirection table";
	for (uint16_t i = 0; i < info.reta_size; i++)
		port->reta[i] = groups[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
	return NULL;
}

static const char *
check_modes(const struct cross_port *port)
{
	struct rte_eth_burst_mode mode;
	const char *words = port->rx->words;

	if (!port->ours)
		return NULL;
#ifdef __SANITIZE_THREAD__ /* which does not know wide loads: there are no vectors then */
	words = strcmp(words, "Vector") == 0 ? "Scalar" : words;
#endif
	if (rte_eth_rx_burst_mode_get(port->id, 0, &mode) != 0 || strstr(mode.info, words) == NULL)
		return "another receive burst than it should have";
	if (rte_eth_tx_burst_mode_get(port->id, 0, &mode) != 0 || strncmp(mode.info, port->tx->words, strlen(port->tx->words)) != 0)
		return "another transmit burst than it should have";
	return NULL;
}

/* DPDK's mlx5 in this mode takes no packets before its flow engine has queues; ours does. */
static const char *
configure_flow(const struct cross_port *port)
{
	const struct rte_flow_queue_attr queue = { .size = 64 }, *queues[] = { &queue };
	const struct rte_flow_port_attr none = { 0 };
	struct rte_flow_error error;

	return port->ours || rte_flow_configure(port->id, &none, 1, queues, &error) == 0 ? NULL : "no flow queue";
}

static const char *
configure(struct cross_port *port)
{
	struct rte_eth_conf conf = {
		.rxmode = { .mq_mode = RTE_ETH_MQ_RX_RSS, .mtu = port->mtu, .offloads = port->rx->offloads | port->rx_offloads },
		.txmode.offloads = port->tx_offloads,
		.rx_adv_conf.rss_conf = { .rss_key = port->key, .rss_key_len = port->key != NULL ? 40 : 0,
			.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP },
	};
	const char *wrong;

	if (rte_eth_dev_configure(port->id, port->rx_queues, port->tx_queues, &conf) != 0)
		return "not configured";
	for (uint16_t q = 0; q < port->rx_queues; q++)
		if (rte_eth_rx_queue_setup(port->id, q, port->nb_desc, 0, NULL, port->pool) != 0)
			return "no receive queue";
	for (uint16_t q = 0; q < port->tx_queues; q++)
		if (rte_eth_tx_queue_setup(port->id, q, TX_DESC, 0, NULL) != 0)
			return "no transmit queue";
	wrong = configure_flow(port);
	if (wrong != NULL)
		return wrong;
	if (rte_eth_promiscuous_enable(port->id) != 0)
		return "not promiscuous";
	return rte_eth_dev_start(port->id) != 0 ? "not started" : NULL;
}

static void
name_of(const struct cross_port *port, char *name, size_t size)
{
	snprintf(name, size, port->wire != NULL ? "net_softcx%u" : "0000:51:00.%u", port->function);
}

static const char *
bus_of(const struct cross_port *port)
{
	return port->wire != NULL ? "vdev" : "pci";
}

const char *
cross_port_open(struct cross_port *port)
{
	char name[16], args[256];
	const char *wrong;

	name_of(port, name, sizeof(name));
	snprintf(args, sizeof(args), "%s%s,%s%s%s", port->wire != NULL ? "wire=" : port->ours ? "pmd=mlx5hws" : "dv_flow_en=2",
		 port->wire != NULL ? port->wire : "", port->rx->devargs, port->tx->devargs[0] == '\0' ? "" : ",", port->tx->devargs);
	if (rte_eal_hotplug_add(bus_of(port), name, args) != 0)
		return "not plugged in";
	if (rte_eth_dev_get_port_by_name(name, &port->id) != 0)
		return "no port";
	wrong = configure(port);
	if (wrong == NULL)
		wrong = check_modes(port);
	return wrong != NULL ? wrong : read_reta(port);
}

const char *
cross_port_close(struct cross_port *port)
{
	char name[16];

	name_of(port, name, sizeof(name));
	if (rte_eth_dev_stop(port->id) != 0)
		return "not stopped";
	if (rte_eth_dev_close(port->id) != 0)
		return "not closed";
	return rte_eal_hotplug_remove(bus_of(port), name) != 0 ? "not unplugged" : NULL;
}
