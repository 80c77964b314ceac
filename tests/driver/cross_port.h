/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A port of either driver on a PCI function of softcx-run, or of ours on a virtual device: plugged in, started, closed, unplugged.
 */
#ifndef TESTS_DRIVER_CROSS_PORT_H
#define TESTS_DRIVER_CROSS_PORT_H

#include <rte_mempool.h>

#include "modes.h"

struct cross_port {
	unsigned int function; /* of 0000:51:00, or of net_softcx */
	const char *wire;      /* of a virtual device, NULL: a PCI function */
	bool ours;             /* else DPDK's mlx5 */
	const struct rx_mode *rx;
	const struct tx_mode *tx;
	uint16_t rx_queues, tx_queues, mtu, nb_desc;
	uint64_t rx_offloads, tx_offloads;
	struct rte_mempool *pool;
	uint8_t *key;          /* of RSS by addresses and ports, 40 bytes; NULL: the driver's */

	/* cross_port_open writes */
	uint16_t id;
	uint16_t reta[512], reta_size;
};

/* @return NULL, or what went wrong; the port is then as far as it came. */
const char *cross_port_open(struct cross_port *port);
const char *cross_port_close(struct cross_port *port);

#endif
