/* SPDX-License-Identifier: BSD-3-Clause */

#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf.h>

#include "mark.h"
#include "options.h"
#include "pool.h"

static const struct offload {
	const char *name;
	uint64_t rx, tx;
} offloads[] = {
	{"fast", 0, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE},
	{"segments", RTE_ETH_RX_OFFLOAD_SCATTER, RTE_ETH_TX_OFFLOAD_MULTI_SEGS},
	{"checksum", RTE_ETH_RX_OFFLOAD_CHECKSUM,
		RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM},
	{"vlan", RTE_ETH_RX_OFFLOAD_VLAN_STRIP, RTE_ETH_TX_OFFLOAD_VLAN_INSERT},
	{"tso", 0, RTE_ETH_TX_OFFLOAD_TCP_TSO},
	{"hash", RTE_ETH_RX_OFFLOAD_RSS_HASH, 0},
	{"timestamp", RTE_ETH_RX_OFFLOAD_TIMESTAMP, 0},
};

int
port_say(const struct perf_port *port, const char *call, int rc)
{
	fprintf(stderr, "pkt-perf: port %u (%s): %s: %s\n", port->id, port->name, call, rte_strerror(rc < 0 ? -rc : rc));
	return rc < 0 ? rc : -rc;
}

void
port_help(void)
{
	for (size_t i = 0; i < RTE_DIM(offloads); i++)
		printf("  %-10s %s%s\n", offloads[i].name, offloads[i].rx != 0 ? "receive " : "",
			offloads[i].tx != 0 ? "transmit" : "");
}

static int
parse_offloads(const char *text, bool rx, uint64_t *mask)
{
	char copy[128], *save, *word;

	*mask = 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &save); word != NULL; word = strtok_r(NULL, ",", &save)) {
		size_t i;

		for (i = 0; i < RTE_DIM(offloads); i++)
			if (strcmp(offloads[i].name, word) == 0 && (rx ? offloads[i].rx : offloads[i].tx) != 0)
				break;
		if (i == RTE_DIM(offloads)) {
			fprintf(stderr, "pkt-perf: '%s' is no %s offload (--help lists them)\n", word, rx ? "receive" : "transmit");
			return -EINVAL;
		}
		*mask |= rx ? offloads[i].rx : offloads[i].tx;
	}
	return 0;
}

/* DPDK's mlx5 leads packets to its queues by hardware steering only after this; who has no flow engine refuses it. */
static int
configure_flow(struct perf_port *port)
{
	const struct rte_flow_port_attr attr = {0};
	const struct rte_flow_queue_attr queue = {.size = 64}, *queues[] = {&queue};
	struct rte_flow_error error = {0};
	int rc = port->flow_ready ? 0 : rte_flow_configure(port->id, &attr, 1, queues, &error);

	port->flow_ready = rc == 0;
	return rc == 0 || rc == -ENOSYS || rc == -ENOTSUP ? 0 : port_say(port, "flow_configure", rc);
}

static int
configure(struct perf_port *port)
{
	struct rte_eth_conf conf = {
		.rxmode = {.mtu = port->now.mtu, .offloads = port->now.rx_offloads},
		.txmode = {.offloads = port->now.tx_offloads},
	};
	struct rte_eth_dev_info info;
	int rc = rte_eth_dev_info_get(port->id, &info);

	if (rc != 0)
		return port_say(port, "dev_info_get", rc);
	/* One queue, but DPDK's mlx5 leads packets to it only so. */
	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf.rx_adv_conf.rss_conf.rss_hf = (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP) & info.flow_type_rss_offloads;
	rc = rte_eth_dev_configure(port->id, 1, port->now.tx_queues, &conf);
	if (rc != 0)
		return port_say(port, "dev_configure", rc);
	rc = rte_eth_rx_queue_setup(port->id, 0, port->now.rx_desc, SOCKET_ID_ANY, NULL, port->pool);
	if (rc != 0)
		return port_say(port, "rx_queue_setup", rc);
	for (uint16_t q = 0; q < port->now.tx_queues; q++) {
		struct rte_eth_txconf txconf = info.default_txconf;

		txconf.offloads = port->now.tx_offloads;
		rc = rte_eth_tx_queue_setup(port->id, q, port->now.tx_desc, SOCKET_ID_ANY, &txconf);
		if (rc != 0)
			return port_say(port, "tx_queue_setup", rc);
	}
	rc = configure_flow(port);
	if (rc != 0)
		return rc;
	rc = rte_eth_promiscuous_enable(port->id);
	return rc == 0 || rc == -ENOTSUP ? 0 : port_say(port, "promiscuous_enable", rc);
}

static void
stop(struct perf_port *port)
{
	mark_close(port, port->mark);
	port->mark = NULL;
	if (port->started)
		rte_eth_dev_stop(port->id);
	port->started = false;
}

static int
make_pool(struct perf_port *port, const struct options *options)
{
	struct rte_eth_dev_info info;
	char name[32];

	if (port->pool != NULL)
		return 0;
	if (rte_eth_dev_info_get(port->id, &info) == 0)
		snprintf(port->name, sizeof(port->name), "%s", info.driver_name);
	snprintf(name, sizeof(name), "pkt-perf-%u", port->id);
	port->pool = pool_make(name, options->buffer, options->alike);
	return port->pool != NULL ? 0 : port_say(port, "buffers", rte_errno);
}

int
port_open(struct perf_port *port, uint16_t id, const struct options *options)
{
	struct perf_port wanted = {.id = id};
	int rc;

	if (!rte_eth_dev_is_valid_port(id)) {
		fprintf(stderr, "pkt-perf: there is no port %u (%u ports)\n", id, rte_eth_dev_count_avail());
		return -ENODEV;
	}
	wanted.now.rx_desc = options->rx_desc;
	wanted.now.tx_desc = options->tx_desc;
	wanted.now.mtu = options->mtu;
	wanted.now.tx_queues = options->tx_queues;
	wanted.now.mark = options->mark;
	rc = parse_offloads(options->rx_offloads, true, &wanted.now.rx_offloads);
	if (rc == 0)
		rc = parse_offloads(options->tx_offloads, false, &wanted.now.tx_offloads);
	if (rc != 0)
		return rc;
	port->id = id;
	if (port->started && memcmp(&port->now, &wanted.now, sizeof(port->now)) == 0)
		return 0;
	stop(port);
	rc = make_pool(port, options);
	memcpy(&port->now, &wanted.now, sizeof(port->now));
	if (rc == 0)
		rc = configure(port);
	if (rc != 0)
		return rc;
	rc = rte_eth_dev_start(id);
	if (rc != 0)
		return port_say(port, "dev_start", rc);
	port->started = true;
	return options->mark ? mark_open(port, &port->mark) : 0;
}

void
port_close(struct perf_port *port)
{
	if (port->pool == NULL)
		return;
	stop(port);
	rte_eth_dev_close(port->id);
	pool_free(port->pool);
	port->pool = NULL;
}

void
port_mode(const struct perf_port *port, bool rx, char *text, size_t size)
{
	struct rte_eth_burst_mode mode = {0};
	int rc = rx ? rte_eth_rx_burst_mode_get(port->id, 0, &mode) : rte_eth_tx_burst_mode_get(port->id, 0, &mode);

	snprintf(text, size, "%s", rc == 0 ? mode.info : "");
}
