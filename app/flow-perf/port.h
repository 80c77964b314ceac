/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One port made ready for the template API: configured, flow queues made, started, and a rule that leads from
 * group 0 into group 1, where the measured tables are.
 */
#ifndef FLOW_PERF_PORT_H
#define FLOW_PERF_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_flow.h>

#define PORT_QUEUES 64

struct rte_mempool;

struct port_config {
	uint16_t rx_queues;
	uint32_t flow_queues;
	uint32_t flow_queue_size;
	uint32_t counters;
};

struct perf_port {
	uint16_t id;
	char name[64];   /* the driver's */
	struct port_config config;
	struct rte_mempool *pool;
	/* group 0 -> group 1 */
	struct rte_flow_pattern_template *lead_pattern;
	struct rte_flow_actions_template *lead_actions;
	struct rte_flow_template_table *lead_table;
	struct rte_flow *lead;
	bool started;
};

/* @return 0, or a negative errno after saying on stderr which call failed and why. Leaves nothing behind then. */
int port_open(struct perf_port *port, uint16_t id, const struct port_config *config);

/* Everything of port_open undone; the port is closed. */
void port_close(struct perf_port *port);

/* Say what failed, with rte_flow_error's text; returns -rc for convenience. */
int port_say(const struct perf_port *port, const char *call, int rc, const struct rte_flow_error *error);

#endif
