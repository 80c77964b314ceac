/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_rules PLUGIN LIBSOFTCX: the life of rules through rte_flow on a softcx port: every operation accepted is returned exactly
 * once, counters and handles come back, groups and RSS destinations that rules name go with them, nothing is left.
 */

#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#include "softcx/front/softcx.h"

#define DEVICE "net_softcx0"
#define NB_QUEUES 2
#define FLOW_QUEUES 2
#define QUEUE_SIZE 32
#define NB_COUNTERS 256
#define NB_RULES 512

static struct rte_mempool *pool;
static uint16_t port;
static int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
static int (*fault)(unsigned int index, const char *order, char *error, size_t size);

static const struct rte_flow_op_attr now, later = { .postpone = 1 };
static const struct rte_flow_pattern_template_attr pattern_in = { .ingress = 1 };
static const struct rte_flow_actions_template_attr actions_in = { .ingress = 1 };

#define I(t, ...) { .type = RTE_FLOW_ITEM_TYPE_##t, __VA_ARGS__ }
#define A(t, ...) { .type = RTE_FLOW_ACTION_TYPE_##t, __VA_ARGS__ }
#define ACTIONS(...) ((const struct rte_flow_action[]){ __VA_ARGS__, A(END) })

static uint64_t
objects(const char *type)
{
	struct softcx_census_row rows[128];
	int nb = census(-1, rows, 128);
	uint64_t sum = 0;

	for (int i = 0; i < nb; i++)
		if (type == NULL || strcmp(rows[i].type, type) == 0)
			sum += rows[i].objects;
	return sum;
}

static const struct rte_flow_action_mark mark = { .id = 5 };
static const struct rte_flow_action_queue queue1 = { .index = 1 };

/* ---- a port with one table ------------------------------------------------------------------------------------- */

static struct rte_flow_pattern_template *pt;

static struct rte_flow_actions_template *
actions(const struct rte_flow_action *list, const struct rte_flow_action *masks)
{
	struct rte_flow_actions_template *at = rte_flow_actions_template_create(port, &actions_in, list,
		masks != NULL ? masks : list, NULL);

	assert_non_null(at);
	return at;
}

static struct rte_flow_template_table *
table(uint32_t group, uint32_t nb, struct rte_flow_actions_template *at)
{
	const struct rte_flow_template_table_attr attr = { .flow_attr = { .group = group, .ingress = 1 }, .nb_flows = nb };
	struct rte_flow_template_table *t = rte_flow_template_table_create(port, &attr, &pt, 1, &at, 1, NULL);

	assert_non_null(t);
	return t;
}

static struct rte_flow *
rule(uint32_t queue, struct rte_flow_template_table *t, uint32_t address, const struct rte_flow_action *list,
	const struct rte_flow_op_attr *attr, void *user_data)
{
	const struct rte_flow_item_ipv4 dst = { .hdr.dst_addr = rte_cpu_to_be_32(address) };
	const struct rte_flow_item items[] = { I(ETH), I(IPV4, .spec = &dst), I(END) };

	return rte_flow_async_create(port, queue, attr, t, items, 0, list, 0, user_data, NULL);
}

/* One result; fails when none comes. */
static struct rte_flow_op_result
pull_one(uint32_t queue)
{
	struct rte_flow_op_result result;

	for (unsigned int i = 0; i < 50000; i++) {
		int rc = rte_flow_pull(port, queue, &result, 1, NULL);

		assert_true(rc >= 0);
		if (rc == 1)
			return result;
		usleep(100);
	}
	fail_msg("no result on queue %u", queue);
	return result;
}

static struct rte_flow *
insert(struct rte_flow_template_table *t, uint32_t address, const struct rte_flow_action *list)
{
	struct rte_flow *flow = rule(0, t, address, list, &now, &port);

	/* Counters that were given back are free again with the next round, which a device without a CPU may be late with. */
	for (unsigned int i = 0; flow == NULL && rte_errno == EAGAIN && i < 1000; i++) {
		usleep(1000);
		flow = rule(0, t, address, list, &now, &port);
	}
	assert_non_null(flow);
	assert_int_equal(pull_one(0).status, RTE_FLOW_OP_SUCCESS);
	return flow;
}

static void
delete(struct rte_flow *flow)
{
	assert_int_equal(rte_flow_async_destroy(port, 0, &now, flow, NULL, NULL), 0);
	assert_int_equal(pull_one(0).status, RTE_FLOW_OP_SUCCESS);
}

static void
configure_port(uint16_t queues)
{
	struct rte_eth_conf conf = { 0 };

	assert_int_equal(rte_eth_dev_configure(port, queues, queues, &conf), 0);
	for (uint16_t i = 0; i < queues; i++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, i, 64, 0, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port, i, 64, 0, NULL), 0);
	}
}

static int
setup(void **state)
{
	static const struct rte_flow_item_ipv4 mask = { .hdr.dst_addr = UINT32_MAX };
	static const struct rte_flow_item items[] = { I(ETH), I(IPV4, .mask = &mask), I(END) };
	const struct rte_flow_port_attr attr = { .nb_counters = NB_COUNTERS };
	const struct rte_flow_queue_attr queue = { .size = QUEUE_SIZE }, *queues[] = { &queue, &queue };

	assert_int_equal(rte_vdev_init(DEVICE, "wire=null"), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name(DEVICE, &port), 0);
	configure_port(NB_QUEUES);
	assert_int_equal(rte_flow_configure(port, &attr, FLOW_QUEUES, queues, NULL), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	pt = rte_flow_pattern_template_create(port, &pattern_in, items, NULL);
	assert_non_null(pt);
	return 0;
}

static int
teardown(void **state)
{
	rte_eth_dev_stop(port);
	assert_int_equal(rte_eth_dev_close(port), 0);
	assert_int_equal(rte_vdev_uninit(DEVICE), 0);
	assert_int_equal(objects(NULL), 0);
	return 0;
}

/* ---- exactly once ---------------------------------------------------------------------------------------------- */

/* What is known of one address: its rule, and whether an operation of it is outstanding. */
struct slot {
	struct rte_flow *flow;
	enum { NONE, CREATING, THERE, UPDATING, FAILED, DELETING } state;
	uint32_t queue;
	unsigned int results;
};

static struct slot slots[NB_RULES];
static unsigned int accepted, returned;

static void
take(uint32_t queue, const struct rte_flow_op_result *result)
{
	struct slot *slot = result->user_data;

	assert_true(slot >= slots && slot < slots + NB_RULES);
	assert_int_equal(slot->queue, queue);
	assert_true(slot->state == CREATING || slot->state == UPDATING || slot->state == DELETING);
	/* An update that failed left the rule as it was. */
	slot->state = slot->state == DELETING ? NONE :
		slot->state == UPDATING || result->status == RTE_FLOW_OP_SUCCESS ? THERE : FAILED;
	returned++;
}

static void
pull_some(uint32_t queue)
{
	struct rte_flow_op_result results[8];
	int nb = rte_flow_pull(port, queue, results, RTE_DIM(results), NULL);

	assert_true(nb >= 0);
	for (int i = 0; i < nb; i++)
		take(queue, &results[i]);
}

/* Other actions for a rule; in releases that have no such call, none. */
static int
update(uint32_t queue, struct slot *slot, const struct rte_flow_action *list, const struct rte_flow_op_attr *attr)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
	return rte_flow_async_actions_update(port, queue, attr, slot->flow, list, 0, slot, NULL);
#else
	return -EAGAIN;
#endif
}

static void
act(struct rte_flow_template_table *t, struct slot *slot)
{
	const struct rte_flow_op_attr *attr = rand() % 2 ? &now : &later;
	const struct rte_flow_action *list = ACTIONS(A(MARK, &mark), A(COUNT), A(QUEUE, &queue1));
	uint32_t queue = rand() % FLOW_QUEUES;

	if (slot->state == NONE) {
		slot->flow = rule(queue, t, 0x0a000000 + (uint32_t)(slot - slots),
			list, attr, slot);
		if (slot->flow == NULL)
			return;
		slot->state = CREATING;
	} else if (slot->state == THERE && rand() % 2) {
		if (update(queue, slot, list, attr) != 0)
			return;
		slot->state = UPDATING;
	} else if (slot->state == THERE || slot->state == FAILED) {
		if (rte_flow_async_destroy(port, queue, attr, slot->flow, slot, NULL) != 0)
			return;
		slot->state = DELETING;
	} else {
		/* Outstanding: refused, and nothing changes. */
		int rc = rand() % 2 ? rte_flow_async_destroy(port, queue, attr, slot->flow, slot, NULL) :
			update(queue, slot, list, attr);

		/* EIO is what rte_flow makes of any refusal once the device is gone. */
		if (rc != -EBUSY && rc != -EAGAIN && rc != -EIO)
			fail_msg("destroyed in state %u: %d", slot->state, rc);
		return;
	}
	slot->queue = queue;
	accepted++;
}

static void
random_work(struct rte_flow_template_table *t, unsigned int steps)
{
	for (unsigned int i = 0; i < steps; i++) {
		switch (rand() % 4) {
		case 0:
			assert_true(rte_flow_push(port, rand() % FLOW_QUEUES, NULL) == 0 || rte_errno == EIO);
			break;
		case 1:
			pull_some(rand() % FLOW_QUEUES);
			break;
		default:
			act(t, &slots[rand() % NB_RULES]);
			break;
		}
	}
}

/* All that is outstanding comes, and no more. */
static void
pull_rest(void)
{
	for (uint32_t q = 0; q < FLOW_QUEUES; q++)
		rte_flow_push(port, q, NULL);
	for (unsigned int i = 0; i < 5000 && accepted != returned; i++) {
		for (uint32_t q = 0; q < FLOW_QUEUES; q++)
			pull_some(q);
		usleep(1000);
	}
	for (unsigned int i = 0; i < 20; i++)
		for (uint32_t q = 0; q < FLOW_QUEUES; q++)
			pull_some(q);
	assert_int_equal(accepted, returned);
}

static struct rte_flow_template_table *
begin(struct rte_flow_actions_template **at)
{
	memset(slots, 0, sizeof(slots));
	accepted = returned = 0;
	*at = actions(ACTIONS(A(MARK), A(COUNT), A(QUEUE)), NULL);
	return table(1, NB_RULES, *at);
}

static void
test_exactly_once(void **state)
{
	struct rte_flow_actions_template *at;
	struct rte_flow_template_table *t = begin(&at);

	/* How far the device gets meanwhile depends on the CPU that its thread has. */
	for (unsigned int i = 0; i < 10 || (accepted <= 1000 && i < 10000); i++) {
		random_work(t, 2000);
		if (i >= 10)
			usleep(1000);
	}
	pull_rest();
	print_message("accepted %u = returned %u\n", accepted, returned);
	assert_true(accepted > 1000);
}

/* Flush with operations in flight: their results still come, and rules are gone. */
static void
test_flush_in_flight(void **state)
{
	struct rte_flow_actions_template *at;
	struct rte_flow_template_table *t = begin(&at);

	for (unsigned int round = 0; round < 20; round++) {
		random_work(t, 300);
		assert_int_equal(rte_flow_flush(port, NULL), 0);
		pull_rest();
		memset(slots, 0, sizeof(slots));
	}
	/* No counter was lost on the way. */
	for (uint32_t i = 0; i < NB_COUNTERS; i++)
		insert(t, 0x0b000000 + i, ACTIONS(A(MARK, &mark), A(COUNT), A(QUEUE, &queue1)));
	assert_int_equal(rte_flow_flush(port, NULL), 0);
	assert_int_equal(rte_flow_template_table_destroy(port, t, NULL), 0);
	assert_int_equal(rte_flow_actions_template_destroy(port, at, NULL), 0);
	print_message("accepted %u = returned %u\n", accepted, returned);
}

static void
test_stop_in_flight(void **state)
{
	struct rte_flow_actions_template *at;
	struct rte_flow_template_table *t = begin(&at);

	for (unsigned int round = 0; round < 5; round++) {
		random_work(t, 300);
		assert_int_equal(rte_eth_dev_stop(port), 0);
		pull_rest();
		memset(slots, 0, sizeof(slots));
		assert_int_equal(rte_eth_dev_start(port), 0);
	}
	print_message("accepted %u = returned %u\n", accepted, returned);
}

/* A device that dies: what was accepted comes back, as an error where it was not done. */
static void
test_death(void **state)
{
	struct rte_flow_actions_template *at;
	struct rte_flow_template_table *t = begin(&at);

	random_work(t, 500);
	assert_int_equal(fault(0, "die", NULL, 0), 0);
	random_work(t, 500);
	pull_rest();
	print_message("accepted %u = returned %u\n", accepted, returned);
}

/* ---- what rules hold ------------------------------------------------------------------------------------------- */

/* More rules in turn than there are counters: those that were freed come back. */
static void
test_counters_come_back(void **state)
{
	struct rte_flow_template_table *t = table(1, NB_COUNTERS, actions(ACTIONS(A(COUNT), A(DROP)), NULL));
	struct rte_flow *flows[QUEUE_SIZE];
	unsigned int short_of = 0;

	for (unsigned int round = 0; round < 100; round++) {
		for (unsigned int i = 0; i < QUEUE_SIZE; i++) {
			while ((flows[i] = rule(0, t, i, ACTIONS(A(COUNT), A(DROP)), &now, NULL)) == NULL) {
				assert_int_equal(rte_errno, EAGAIN);
				short_of++;
				assert_true(short_of < 1000);
			}
			pull_one(0);
		}
		for (unsigned int i = 0; i < QUEUE_SIZE; i++)
			delete(flows[i]);
	}
	print_message("short of counters %u times\n", short_of);
}

static void
test_all_counters_out(void **state)
{
	struct rte_flow_template_table *t = table(1, 4 * NB_COUNTERS, actions(ACTIONS(A(COUNT), A(DROP)), NULL));
	unsigned int nb = 0;
	struct rte_flow *flow;

	while ((flow = rule(0, t, nb, ACTIONS(A(COUNT), A(DROP)), &now, NULL)) != NULL) {
		pull_one(0);
		nb++;
	}
	assert_int_equal(rte_errno, ENOSPC);
	assert_true(nb >= NB_COUNTERS);
}

/* Rules may name the queues that the port has now: these and no others. */
static void
check_queues(struct rte_flow_template_table *t, uint16_t nb)
{
	for (uint16_t i = 0; i < nb + 3; i++) {
		const struct rte_flow_action_queue queue = { .index = i };

		if (i < nb) {
			delete(insert(t, i, ACTIONS(A(QUEUE, &queue))));
			continue;
		}
		assert_null(rule(0, t, i, ACTIONS(A(QUEUE, &queue)), &now, NULL));
		assert_int_equal(rte_errno, EINVAL);
	}
}

/* A template outlives a change of the number of queues, whether its rules come before or after the start. */
static void
test_other_queues(void **state)
{
	static const uint16_t numbers[] = { 1, NB_QUEUES + 2, NB_QUEUES, 1, NB_QUEUES };
	struct rte_flow_template_table *t = table(1, 64, actions(ACTIONS(A(QUEUE)), NULL));

	for (unsigned int n = 0; n < RTE_DIM(numbers); n++) {
		assert_int_equal(rte_eth_dev_stop(port), 0);
		configure_port(numbers[n]);
		check_queues(t, numbers[n]);
		assert_int_equal(rte_eth_dev_start(port), 0);
		check_queues(t, numbers[n]);
	}
}

/* What only some of these want to know may be left out. */
static void
test_info_without_queues(void **state)
{
	struct rte_flow_port_info info;

	assert_int_equal(rte_flow_info_get(port, &info, NULL, NULL), 0);
	assert_true(info.max_nb_queues >= FLOW_QUEUES);
}

/* A group that a rule names is made for it, and goes when no table has such rules. */
static void
test_jump_by_rule(void **state)
{
	const struct rte_flow_action_jump jump = { .group = 77 };
	struct rte_flow_actions_template *at = actions(ACTIONS(A(JUMP)), NULL);
	struct rte_flow_template_table *t = table(1, 16, at);
	uint64_t tables = objects("flow_table");
	struct rte_flow *flow = insert(t, 1, ACTIONS(A(JUMP, &jump)));

	assert_true(objects("flow_table") > tables);
	delete(flow);
	assert_int_equal(rte_flow_template_table_destroy(port, t, NULL), 0);
	t = table(1, 16, at);
	assert_int_equal(objects("flow_table"), tables);
}

static void
test_rss_by_rule(void **state)
{
	static const uint16_t both[] = { 0, 1 }, turned[] = { 1, 0 };
	struct rte_flow_template_table *t = table(1, 64, actions(ACTIONS(A(RSS)), NULL));
	uint64_t tirs = objects("tir");

	for (unsigned int i = 0; i < 32; i++) {
		const struct rte_flow_action_rss rss = {
			.types = i & 2 ? RTE_ETH_RSS_IPV4 : RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP, .queue = i & 1 ? both : turned, .queue_num = 2,
		};

		insert(t, i, ACTIONS(A(RSS, &rss)));
	}
	/* Four different ones: two of one shape, two of IPv4, IPv6, UDP over each and the rest (shared TIRs count once). */
	assert_in_range(objects("tir") - tirs, 4, 14);
	assert_int_equal(rte_flow_flush(port, NULL), 0);
	assert_int_equal(rte_flow_template_table_destroy(port, t, NULL), 0);
	assert_int_equal(objects("tir"), tirs);
}

static void
test_handle_in_use(void **state)
{
	static const uint16_t both[] = { 0, 1 }, one[] = { 1 };
	const struct rte_flow_action_rss rss = { .queue = both, .queue_num = 2 }, other = { .queue = one, .queue_num = 1 };
	const struct rte_flow_action rss_action = A(RSS, &rss), other_action = A(RSS, &other), count_action = A(COUNT);
	const struct rte_flow_indir_action_conf in = { .ingress = 1 };
	struct rte_flow_action_handle *h = rte_flow_action_handle_create(port, &in, &rss_action, NULL);
	struct rte_flow_action_handle *c = rte_flow_async_action_handle_create(port, 1, &now, &in, &count_action, &port, NULL);
	struct rte_flow_query_count count = { 0 };
	struct rte_flow_template_table *t;
	struct rte_flow *flow;

	assert_non_null(h);
	assert_non_null(c);
	assert_ptr_equal(pull_one(1).user_data, &port);
	t = table(1, 16, actions(ACTIONS(A(INDIRECT), A(INDIRECT)), ACTIONS(A(COUNT), A(RSS))));
	flow = insert(t, 1, ACTIONS(A(INDIRECT, c), A(INDIRECT, h)));
	assert_int_equal(rte_flow_action_handle_destroy(port, h, NULL), -EBUSY);
	assert_int_equal(rte_flow_action_handle_destroy(port, c, NULL), -EBUSY);
	assert_int_equal(rte_flow_action_handle_update(port, h, &other_action, NULL), 0);
	assert_int_equal(rte_flow_query(port, flow, ACTIONS(A(COUNT)), &count, NULL), 0);
	assert_int_equal(count.hits_set, 1);
	delete(flow);
	assert_int_equal(rte_flow_action_handle_destroy(port, h, NULL), 0);
	assert_int_equal(rte_flow_async_action_handle_destroy(port, 1, &now, c, NULL, NULL), 0);
	assert_int_equal(pull_one(1).status, RTE_FLOW_OP_SUCCESS);
}

/* Everything is left behind: close takes it. */
static void
test_close_takes_all(void **state)
{
	const struct rte_flow_action count_action = A(COUNT);
	const struct rte_flow_indir_action_conf in = { .ingress = 1 };
	struct rte_flow_actions_template *at;
	struct rte_flow_template_table *t = begin(&at);

	assert_non_null(rte_flow_action_handle_create(port, &in, &count_action, NULL));
	random_work(t, 500);
}

int
main(int argc, char **argv)
{
	char *eal[] = { argv[0], "--no-huge", "-m", "128", "--no-pci", "--no-shconf", "--no-telemetry", "--file-prefix", "testrules",
		"-l", "0", "-d", argv[1], NULL };
	const char *seed = getenv("SEED");
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_exactly_once), TEST(test_flush_in_flight), TEST(test_stop_in_flight), TEST(test_death),
		TEST(test_counters_come_back), TEST(test_all_counters_out), TEST(test_jump_by_rule), TEST(test_other_queues), TEST(test_info_without_queues),
		TEST(test_rss_by_rule),
		TEST(test_handle_in_use), TEST(test_close_takes_all),
	};
	unsigned int start = seed != NULL ? strtoul(seed, NULL, 0) : 1;
	void *library;

	if (argc != 3 || rte_eal_init((int)RTE_DIM(eal) - 1, eal) < 0)
		return 2;
	library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return 2;
	*(void **)&census = dlsym(library, "softcx_census");
	*(void **)&fault = dlsym(library, "softcx_fault");
	pool = rte_pktmbuf_pool_create("mbufs", 1023, 0, 0, 2176, 0);
	if (pool == NULL)
		return 2;
	printf("seed %u\n", start);
	srand(start);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
