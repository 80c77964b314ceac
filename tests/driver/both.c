/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program with DPDK's mlx5 driver and ours in it, a port of each, a cable between: on both ports a rule
 * goes in by the template API, and frames cross in both directions. Without ports it says what its one
 * port is (see test_static.sh).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf.h>

#define FRAMES 100
#define CHECK(what, condition) do { \
		if (!(condition)) { \
			printf("port %u: %s\n", port, what); \
			return -1; \
		} \
	} while (0)

static int
start(uint16_t port, struct rte_mempool *pool)
{
	const struct rte_flow_port_attr flow = { .nb_counters = 0 };
	const struct rte_flow_queue_attr queue = { .size = 64 }, *queues[] = { &queue };
	struct rte_eth_conf conf = { 0 };
	struct rte_flow_error error = { 0 };

	CHECK("not configured", rte_eth_dev_configure(port, 1, 1, &conf) == 0);
	CHECK("no Rx queue", rte_eth_rx_queue_setup(port, 0, 256, 0, NULL, pool) == 0);
	CHECK("no Tx queue", rte_eth_tx_queue_setup(port, 0, 256, 0, NULL) == 0);
	CHECK("no flow queue", rte_flow_configure(port, &flow, 1, queues, &error) == 0);
	CHECK("not promiscuous", rte_eth_promiscuous_enable(port) == 0);
	CHECK("not started", rte_eth_dev_start(port) == 0);
	return 0;
}

/* In group 1: IPv4 to one address, to queue 0. */
static int
insert_rule(uint16_t port)
{
	const struct rte_flow_item_ipv4 mask = { .hdr.dst_addr = RTE_BE32(UINT32_MAX) };
	const struct rte_flow_item_ipv4 spec = { .hdr.dst_addr = RTE_BE32(RTE_IPV4(10, 0, 0, 1)) };
	const struct rte_flow_action_queue to = { .index = 0 };
	struct rte_flow_item items[] = { { .type = RTE_FLOW_ITEM_TYPE_ETH },
		{ .type = RTE_FLOW_ITEM_TYPE_IPV4, .mask = &mask }, { .type = RTE_FLOW_ITEM_TYPE_END } };
	const struct rte_flow_action actions[] = { { .type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &to },
		{ .type = RTE_FLOW_ACTION_TYPE_END } };
	const struct rte_flow_pattern_template_attr pattern_attr = { .relaxed_matching = 1, .ingress = 1 };
	const struct rte_flow_actions_template_attr actions_attr = { .ingress = 1 };
	const struct rte_flow_template_table_attr table_attr = {
		.flow_attr = { .group = 1, .ingress = 1 }, .nb_flows = 64,
	};
	const struct rte_flow_op_attr now = { .postpone = 0 };
	struct rte_flow_pattern_template *pattern;
	struct rte_flow_actions_template *action;
	struct rte_flow_template_table *table;
	struct rte_flow_error error = { 0 };
	struct rte_flow_op_result result;
	int got = 0;

	pattern = rte_flow_pattern_template_create(port, &pattern_attr, items, &error);
	action = rte_flow_actions_template_create(port, &actions_attr, actions, actions, &error);
	CHECK("no templates", pattern != NULL && action != NULL);
	table = rte_flow_template_table_create(port, &table_attr, &pattern, 1, &action, 1, &error);
	CHECK("no table", table != NULL);
	items[1].spec = &spec;
	items[1].mask = NULL;
	CHECK("no rule", rte_flow_async_create(port, 0, &now, table, items, 0, actions, 0, NULL, &error) != NULL);
	rte_flow_push(port, 0, &error);
	for (int i = 0; i < 2000 && got == 0; i++, usleep(1000))
		got = rte_flow_pull(port, 0, &result, 1, &error);
	CHECK("rule not inserted", got == 1 && result.status == RTE_FLOW_OP_SUCCESS);
	printf("port %u: rule inserted\n", port);
	return 0;
}

static int
cross(uint16_t port, uint16_t other, struct rte_mempool *pool)
{
	struct rte_mbuf *m, *got[32];
	unsigned int came = 0;

	for (int i = 0; i < FRAMES; i++) {
		m = rte_pktmbuf_alloc(pool);
		CHECK("no buffer", m != NULL);
		memset(rte_pktmbuf_append(m, 64), i, 64);
		memcpy(rte_pktmbuf_mtod(m, void *), "\2\0\0\0\0\1\2\0\0\0\0\2\x88\xb5", 14);
		while (rte_eth_tx_burst(port, 0, &m, 1) == 0)
			usleep(100);
		usleep(100);
	}
	for (int idle = 0; came < FRAMES && idle < 2000; idle++, usleep(1000)) {
		uint16_t nb = rte_eth_rx_burst(other, 0, got, 32);

		rte_pktmbuf_free_bulk(got, nb);
		came += nb;
	}
	printf("port %u to %u: %u of %u frames\n", port, other, came, FRAMES);
	return came == FRAMES ? 0 : -1;
}

static int
run_pair(void)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("frames", 2047, 32, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	struct rte_eth_link link;
	int ret = 0;

	if (pool == NULL)
		return -1;
	for (uint16_t port = 0; port < 2 && ret == 0; port++)
		ret = start(port, pool);
	for (uint16_t port = 0; port < 2 && ret == 0; port++) {
		rte_eth_link_get(port, &link);
		ret = insert_rule(port);
	}
	if (ret == 0)
		ret = cross(0, 1, pool) | cross(1, 0, pool);
	for (uint16_t port = 0; port < 2; port++) {
		rte_eth_dev_stop(port);
		ret |= rte_eth_dev_close(port);
	}
	return ret;
}

int
main(int argc, char **argv)
{
	struct rte_eth_dev_info info;
	int ret = 1;

	if (rte_eal_init(argc, argv) < 0)
		return 1;
	for (uint16_t port = 0; port < rte_eth_dev_count_avail(); port++)
		if (rte_eth_dev_info_get(port, &info) == 0)
			printf("port %u: %s\n", port, info.driver_name);
	if (rte_eth_dev_count_avail() == 2)
		ret = run_pair();
	else if (rte_eth_dev_count_avail() == 1)
		ret = rte_eth_dev_close(0);
	return rte_eal_cleanup() != 0 || ret != 0;
}
