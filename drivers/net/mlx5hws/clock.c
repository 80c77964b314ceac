/* SPDX-License-Identifier: BSD-3-Clause */

/* The clock of receive timestamps, as rte_eth_read_clock wants it. */
#include "hca/clock.h"
#include "port.h"

int
mlx5hws_read_clock(struct rte_eth_dev *dev, uint64_t *clock)
{
	return hca_clock_read(mlx5hws_port(dev)->hca, clock);
}
