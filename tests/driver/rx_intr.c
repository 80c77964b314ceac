/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program that sleeps until packets come, as l3fwd-power does, for a test outside that sends them: arms all queues of port 0,
 * says "armed", and for each wake-up "queue Q woke for N"; "still asleep" when nothing woke it for the time of the
 * argument (milliseconds). Ends when its standard input does, or with "failed: ..." and status 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <poll.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_interrupts.h>
#include <rte_mbuf.h>

#define QUEUES 4
#define BURST  32

static void
check(int ret, const char *what)
{
	if (ret >= 0)
		return;
	printf("failed: %s: %d\n", what, ret);
	exit(1);
}

static void
start(uint16_t port)
{
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
		.intr_conf.rxq = 1,
	};
	const struct rte_flow_port_attr flow = { 0 };
	const struct rte_flow_queue_attr queue = { .size = 64 };
	const struct rte_flow_queue_attr *queues[] = { &queue };
	struct rte_mempool *pool = rte_pktmbuf_pool_create("rx_intr", 4096, 64, 0, 2176, SOCKET_ID_ANY);
	struct rte_flow_error error;

	check(pool == NULL ? -1 : 0, "mempool");
	check(rte_eth_dev_configure(port, QUEUES, QUEUES, &conf), "configure");
	for (uint16_t q = 0; q < QUEUES; q++) {
		check(rte_eth_rx_queue_setup(port, q, 256, SOCKET_ID_ANY, NULL, pool), "rx queue");
		check(rte_eth_tx_queue_setup(port, q, 256, SOCKET_ID_ANY, NULL), "tx queue");
	}
	check(rte_flow_configure(port, &flow, 1, queues, &error), "flow configure");
	check(rte_eth_dev_start(port), "start");
	for (uint16_t q = 0; q < QUEUES; q++)
		check(rte_eth_dev_rx_intr_ctl_q(port, q, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, (void *)(uintptr_t)q),
			"interrupt control");
}

static unsigned int
drain(uint16_t port, uint16_t q)
{
	struct rte_mbuf *pkts[BURST];
	unsigned int all = 0;
	uint16_t n;

	while ((n = rte_eth_rx_burst(port, q, pkts, BURST)) != 0) {
		rte_pktmbuf_free_bulk(pkts, n);
		all += n;
	}
	return all;
}

/* What comes between the last look and arming fires at once. */
static void
arm(uint16_t port, uint16_t q)
{
	check(rte_eth_dev_rx_intr_enable(port, q), "interrupt enable");
}

static void
wake(uint16_t port, uint16_t q)
{
	check(rte_eth_dev_rx_intr_disable(port, q), "interrupt disable");
	printf("queue %u woke for %u\n", q, drain(port, q));
	arm(port, q);
}

static int
over(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char c;

	return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, &c, 1) <= 0;
}

int
main(int argc, char **argv)
{
	int eal = rte_eal_init(argc, argv);
	struct rte_epoll_event events[QUEUES];

	setvbuf(stdout, NULL, _IOLBF, 0);
	check(eal, "EAL");
	check(argc - eal != 2 ? -1 : 0, "one argument behind --");
	start(0);
	for (uint16_t q = 0; q < QUEUES; q++)
		arm(0, q);
	printf("armed\n");
	while (!over()) {
		int n = rte_epoll_wait(RTE_EPOLL_PER_THREAD, events, QUEUES, atoi(argv[eal + 1]));

		check(n, "epoll");
		for (int i = 0; i < n; i++)
			wake(0, (uint16_t)(uintptr_t)events[i].epdata.data);
		if (n == 0)
			printf("still asleep\n");
	}
	check(rte_eth_dev_stop(0), "stop");
	check(rte_eth_dev_close(0), "close");
	printf("closed\n");
	return rte_eal_cleanup();
}
