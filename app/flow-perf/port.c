/* SPDX-License-Identifier: BSD-3-Clause */

#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "device.h"

int
port_say(const struct perf_port *port, const char *call, int rc, const struct rte_flow_error *error)
{
	fprintf(stderr, "flow-perf: port %u (%s): %s: %s%s%s\n", port->id, port->name, call, rte_strerror(rc < 0 ? -rc : rc),
		error != NULL && error->message != NULL ? ": " : "",
		error != NULL && error->message != NULL ? error->message : "");
	return rc < 0 ? rc : -rc;
}

static int
configure(struct perf_port *port)
{
	const struct rte_eth_conf conf = {
		.rxmode = {.mq_mode = RTE_ETH_MQ_RX_RSS},
		.rx_adv_conf = {.rss_conf = {.rss_hf = RTE_ETH_RSS_IP}},
	};
	struct rte_eth_dev_info info;
	struct rte_eth_conf fitting = conf;
	int rc;

	rc = rte_eth_dev_info_get(port->id, &info);
	if (rc != 0)
		return port_say(port, "dev_info_get", rc, NULL);
	snprintf(port->name, sizeof(port->name), "%s", info.driver_name);
	fitting.rx_adv_conf.rss_conf.rss_hf &= info.flow_type_rss_offloads;
	rc = rte_eth_dev_configure(port->id, port->config.rx_queues, 1, &fitting);
	if (rc != 0)
		return port_say(port, "dev_configure", rc, NULL);
	for (uint16_t q = 0; q < port->config.rx_queues; q++) {
		rc = rte_eth_rx_queue_setup(port->id, q, 64, SOCKET_ID_ANY, NULL, port->pool);
		if (rc != 0)
			return port_say(port, "rx_queue_setup", rc, NULL);
	}
	rc = rte_eth_tx_queue_setup(port->id, 0, 64, SOCKET_ID_ANY, NULL);
	return rc == 0 ? 0 : port_say(port, "tx_queue_setup", rc, NULL);
}

static int
configure_flow(struct perf_port *port)
{
	const struct rte_flow_port_attr attr = {.nb_counters = port->config.counters};
	const struct rte_flow_queue_attr queue = {.size = port->config.flow_queue_size};
	const struct rte_flow_queue_attr *queues[PORT_QUEUES];
	struct rte_flow_error error = {0};
	int rc;

	for (uint32_t i = 0; i < port->config.flow_queues; i++)
		queues[i] = &queue;
	rc = rte_flow_configure(port->id, &attr, port->config.flow_queues, queues, &error);
	return rc == 0 ? 0 : port_say(port, "flow_configure", rc, &error);
}

/* Wait for one result on queue 0; the device may need steps. */
static int
one_result(struct perf_port *port, struct rte_flow_error *error)
{
	struct rte_flow_op_result result;

	for (int tries = 0; tries < 200000; tries++) {
		int n;

		if (tries > 1000)
			usleep(50); /* the device's thread may need this core */
		device_step();
		n = rte_flow_pull(port->id, 0, &result, 1, error);
		if (n < 0)
			return n;
		if (n == 1)
			return result.status == RTE_FLOW_OP_SUCCESS ? 0 : -EIO;
	}
	return -ETIMEDOUT;
}

static int
lead_to_group_1(struct perf_port *port)
{
	const struct rte_flow_op_attr now = {.postpone = 0};
	const struct rte_flow_pattern_template_attr pattern_attr = {.ingress = 1};
	const struct rte_flow_actions_template_attr actions_attr = {.ingress = 1};
	const struct rte_flow_template_table_attr table_attr = {.flow_attr = {.ingress = 1}, .nb_flows = 1};
	const struct rte_flow_item pattern[] = {{.type = RTE_FLOW_ITEM_TYPE_ETH}, {.type = RTE_FLOW_ITEM_TYPE_END}};
	const struct rte_flow_action_jump group = {.group = 1}, all = {.group = UINT32_MAX};
	const struct rte_flow_action actions[] = {
		{.type = RTE_FLOW_ACTION_TYPE_JUMP, .conf = &group}, {.type = RTE_FLOW_ACTION_TYPE_END}};
	const struct rte_flow_action masks[] = {
		{.type = RTE_FLOW_ACTION_TYPE_JUMP, .conf = &all}, {.type = RTE_FLOW_ACTION_TYPE_END}};
	struct rte_flow_error error = {0};
	int rc;

	port->lead_pattern = rte_flow_pattern_template_create(port->id, &pattern_attr, pattern, &error);
	if (port->lead_pattern == NULL)
		return port_say(port, "pattern_template_create (group 0)", rte_errno, &error);
	port->lead_actions = rte_flow_actions_template_create(port->id, &actions_attr, actions, masks, &error);
	if (port->lead_actions == NULL)
		return port_say(port, "actions_template_create (group 0)", rte_errno, &error);
	port->lead_table = rte_flow_template_table_create(port->id, &table_attr, &port->lead_pattern, 1,
		&port->lead_actions, 1, &error);
	if (port->lead_table == NULL)
		return port_say(port, "template_table_create (group 0)", rte_errno, &error);
	port->lead = rte_flow_async_create(port->id, 0, &now, port->lead_table, pattern, 0, actions, 0, NULL, &error);
	if (port->lead == NULL)
		return port_say(port, "async_create (group 0)", rte_errno, &error);
	rc = one_result(port, &error);
	return rc == 0 ? 0 : port_say(port, "pull (group 0)", rc, &error);
}

static void
undo_lead(struct perf_port *port)
{
	const struct rte_flow_op_attr now = {.postpone = 0};
	struct rte_flow_error error;

	if (port->lead != NULL && rte_flow_async_destroy(port->id, 0, &now, port->lead, NULL, &error) == 0)
		one_result(port, &error);
	if (port->lead_table != NULL)
		rte_flow_template_table_destroy(port->id, port->lead_table, &error);
	if (port->lead_actions != NULL)
		rte_flow_actions_template_destroy(port->id, port->lead_actions, &error);
	if (port->lead_pattern != NULL)
		rte_flow_pattern_template_destroy(port->id, port->lead_pattern, &error);
}

void
port_close(struct perf_port *port)
{
	undo_lead(port);
	if (port->started)
		rte_eth_dev_stop(port->id);
	rte_eth_dev_close(port->id);
	rte_mempool_free(port->pool);
}

int
port_open(struct perf_port *port, uint16_t id, const struct port_config *config)
{
	char name[32];
	int rc;

	*port = (struct perf_port){.id = id, .config = *config, .name = "?"};
	snprintf(name, sizeof(name), "flow-perf-%u", id);
	port->pool = rte_pktmbuf_pool_create(name, 64 * config->rx_queues + 512, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
		SOCKET_ID_ANY);
	if (port->pool == NULL)
		return port_say(port, "pktmbuf_pool_create", rte_errno, NULL);
	rc = configure(port);
	if (rc == 0)
		rc = configure_flow(port);
	if (rc == 0) {
		rc = rte_eth_dev_start(id);
		if (rc != 0)
			port_say(port, "dev_start", rc, NULL);
		port->started = rc == 0;
	}
	if (rc == 0)
		rc = lead_to_group_1(port);
	if (rc != 0)
		port_close(port);
	return rc;
}
