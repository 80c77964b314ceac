/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <rte_eal.h>
#include <rte_ethdev.h>

int
main(int argc, char **argv)
{
	struct rte_eth_dev_info info;
	uint16_t port;

	if (rte_eal_init(argc, argv) < 0)
		return 1;
	RTE_ETH_FOREACH_DEV(port)
		if (rte_eth_dev_info_get(port, &info) == 0)
			printf("port %u: %s, %u Rx queues\n", port, info.driver_name, info.max_rx_queues);
	return rte_eal_cleanup() != 0;
}
