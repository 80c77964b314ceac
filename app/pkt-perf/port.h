/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PKT_PERF_PORT_H
#define PKT_PERF_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mempool.h>

struct mark_rule;
struct options;

/* One port as a loop wants it. Zeroed memory is a port that was never opened. */
struct perf_port {
	uint16_t id;
	char name[32];            /* of the driver */
	struct rte_mempool *pool; /* of both directions */
	bool started, flow_ready;
	struct mark_rule *mark;   /* NULL: none */
	struct { uint16_t rx_desc, tx_desc, mtu, tx_queues; uint64_t rx_offloads, tx_offloads, mark; } now;
};

/*
 * Configure and start the port for these options; nothing is done where it runs so already. @return 0, or -errno with a line
 * on stderr.
 */
int port_open(struct perf_port *port, uint16_t id, const struct options *options);
void port_close(struct perf_port *port);

/* The burst function in use, as the driver names it; "" where it does not. */
void port_mode(const struct perf_port *port, bool rx, char *text, size_t size);

/* What --rx-offloads and --tx-offloads know. */
void port_help(void);

/* Say what failed. @return rc as a negative number. */
int port_say(const struct perf_port *port, const char *call, int rc);

#endif
