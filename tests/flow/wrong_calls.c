/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * wrong_calls PLUGIN LIBSOFTCX: calls that must be refused, one row each: the call, the errno, and the part of the message that
 * names the culprit. After every refusal the device's census must be as before. Real rte_flow functions on a softcx port.
 */

#include "wrong_calls.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "softcx/front/softcx.h"

#define DEVICE "net_softcx0"
#define JUNK 0x5a

struct world world;

static int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
static int (*fault)(unsigned int index, const char *order, char *error, size_t size);
static struct softcx_census_row before[128], after[128];
static unsigned int nb_calls, nb_refused, nb_named, nb_traces;

static void
die(const char *what)
{
	fprintf(stderr, "wrong_calls: %s: %s\n", what, rte_strerror(rte_errno));
	exit(1);
}

#define MUST(condition) do { if (!(condition)) die(#condition); } while (0)

/* ---- one row --------------------------------------------------------------------------------------------------- */

static bool
left_a_trace(const char *name)
{
	int nb = census(-1, after, 128);

	for (int i = 0; i < nb; i++) {
		if (before[i].objects == after[i].objects && before[i].ids == after[i].ids && before[i].refs == after[i].refs &&
		    before[i].bytes == after[i].bytes)
			continue;
		printf("TRACE %s: %s had %" PRIu64 " objects, %" PRIu64 " references, has %" PRIu64 ", %" PRIu64 "\n", name,
			after[i].type, before[i].objects, before[i].refs, after[i].objects, after[i].refs);
		return true;
	}
	return false;
}

static bool
is_named(const struct wrong *row, const struct rte_flow_error *error)
{
	struct rte_flow_error junk;

	memset(&junk, JUNK, sizeof(junk));
	if (error->type == junk.type || error->cause == junk.cause || error->message == junk.message) {
		printf("ERROR NOT FILLED %s\n", row->name);
		return false;
	}
	if (error->message != NULL && strstr(error->message, row->part) != NULL && strchr(error->message, '\n') == NULL)
		return true;
	printf("NOT NAMED %s: \"%s\" lacks \"%s\"\n", row->name, error->message, row->part);
	return false;
}

static void
run(const struct wrong *row)
{
	struct rte_flow_error error;
	bool failed;

	memset(&error, JUNK, sizeof(error));
	census(-1, before, 128);
	MUST(row->fault == NULL || fault(0, row->fault, NULL, 0) == 0);
	rte_errno = 0;
	failed = row->call(row, &error);
	nb_calls++;
	if (!failed)
		printf("NOT REFUSED %s\n", row->name);
	else if (rte_errno != row->err)
		printf("OTHER ERRNO %s: %s, not %s (%s)\n", row->name, strerror(rte_errno), strerror(row->err), error.message);
	else
		nb_refused++;
	if (failed)
		nb_named += is_named(row, &error);
	nb_traces += left_a_trace(row->name);
}

/* ---- the port and the objects that rows use -------------------------------------------------------------------- */

static void
configure_port(void)
{
	struct rte_eth_conf conf = { 0 };
	struct rte_mempool *pool = rte_pktmbuf_pool_create("mbufs", 1023, 0, 0, 2176, 0);

	MUST(pool != NULL);
	MUST(rte_eth_dev_configure(world.port, NB_QUEUES, NB_QUEUES, &conf) == 0);
	for (uint16_t i = 0; i < NB_QUEUES; i++) {
		MUST(rte_eth_rx_queue_setup(world.port, i, 64, 0, NULL, pool) == 0);
		MUST(rte_eth_tx_queue_setup(world.port, i, 64, 0, NULL) == 0);
	}
}

static void
configure_flow(void)
{
	const struct rte_flow_port_attr attr = { .nb_counters = 64 };
	const struct rte_flow_queue_attr queue = { .size = QUEUE_SIZE };
	const struct rte_flow_queue_attr *queues[] = { &queue, &queue };

	MUST(rte_flow_configure(world.port, &attr, 2, queues, NULL) == 0);
}

static void
pull_all(uint32_t queue, unsigned int nb)
{
	struct rte_flow_op_result result;

	while (nb > 0) {
		int rc = rte_flow_pull(world.port, queue, &result, 1, NULL);

		MUST(rc >= 0);
		nb -= rc;
	}
}

static void
make_world(void)
{
	static const uint16_t queues[] = { 0, 1 };
	const struct rte_flow_action_rss rss = { .queue = queues, .queue_num = 2, .types = RTE_ETH_RSS_IPV4 };
	const struct rte_flow_action rss_action = { RTE_FLOW_ACTION_TYPE_RSS, &rss };
	const struct rte_flow_action count_action = { RTE_FLOW_ACTION_TYPE_COUNT, NULL };
	const struct rte_flow_indir_action_conf ingress = { .ingress = 1 };
	const struct rte_flow_op_attr now = { 0 };

	world.pt = rte_flow_pattern_template_create(world.port, &wrong_ingress_pattern, wrong_items, NULL);
	world.pt_unused = rte_flow_pattern_template_create(world.port, &wrong_ingress_pattern, wrong_items, NULL);
	world.pt_egress = rte_flow_pattern_template_create(world.port, &(struct rte_flow_pattern_template_attr){ .egress = 1 },
		wrong_items, NULL);
	world.at = rte_flow_actions_template_create(world.port, &wrong_ingress_actions, wrong_actions, wrong_masks, NULL);
	world.at_jump = rte_flow_actions_template_create(world.port, &wrong_ingress_actions, wrong_jump, wrong_jump_mask, NULL);
	MUST(world.pt != NULL && world.pt_unused != NULL && world.pt_egress != NULL && world.at != NULL &&
		world.at_jump != NULL);
	world.table = rte_flow_template_table_create(world.port,
		&(struct rte_flow_template_table_attr){ .flow_attr = { .group = 1, .ingress = 1 }, .nb_flows = 1 },
		&world.pt, 1, (struct rte_flow_actions_template *[]){ world.at, world.at_jump }, 2, NULL);
	MUST(world.table != NULL);
	world.big = rte_flow_template_table_create(world.port,
		&(struct rte_flow_template_table_attr){ .flow_attr = { .group = 1, .ingress = 1 }, .nb_flows = 256 },
		&world.pt, 1, (struct rte_flow_actions_template *[]){ world.at, world.at_jump }, 2, NULL);
	MUST(world.big != NULL);
	world.rss = rte_flow_action_handle_create(world.port, &ingress, &rss_action, NULL);
	world.count = rte_flow_action_handle_create(world.port, &ingress, &count_action, NULL);
	MUST(world.rss != NULL && world.count != NULL);
	/* One rule that is there, one whose creation nobody has pulled, and a full queue 1. */
	world.rule = rte_flow_async_create(world.port, 0, &now, world.big, wrong_rule_items, 0, wrong_rule_actions, 0, NULL, NULL);
	MUST(world.rule != NULL);
	pull_all(0, 1);
	/* A table made for one rule may hold a few more: it is full when it says so. */
	while (rte_flow_async_create(world.port, 0, &now, world.table, wrong_rule_items, 0, wrong_rule_actions, 0, NULL, NULL) !=
	       NULL)
		pull_all(0, 1);
	world.unpulled = rte_flow_async_create(world.port, 0, &now, world.big, wrong_rule_items, 0, wrong_rule_actions, 0, NULL,
		NULL);
	MUST(world.unpulled != NULL);
	for (unsigned int i = 0; i < QUEUE_SIZE; i++)
		MUST(rte_flow_async_create(world.port, 1, &now, world.big, wrong_rule_items, 0, wrong_rule_actions, 0, NULL,
			NULL) != NULL);
	usleep(20000); /* the device has carried out what it was given */
}

int
main(int argc, char **argv)
{
	char *eal[] = { argv[0], "--no-huge", "-m", "128", "--no-pci", "--no-shconf", "--no-telemetry", "--file-prefix",
		"wrongcalls", "-l", "0", "-d", argv[1], NULL };
	void *library;

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	MUST(rte_eal_init((int)RTE_DIM(eal) - 1, eal) >= 0);
	library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		die(dlerror());
	*(void **)&census = dlsym(library, "softcx_census");
	*(void **)&fault = dlsym(library, "softcx_fault");
	MUST(census != NULL && fault != NULL);
	MUST(rte_vdev_init(DEVICE, "wire=null") == 0);
	MUST(rte_eth_dev_get_port_by_name(DEVICE, &world.port) == 0);
	configure_port();
	for (unsigned int i = 0; i < nb_wrong_before; i++)
		run(&wrong_before[i]);
	configure_flow();
	MUST(rte_eth_dev_start(world.port) == 0);
	make_world();
	for (unsigned int i = 0; i < nb_wrong; i++)
		run(&wrong[i]);
	MUST(rte_eth_dev_stop(world.port) == 0);
	for (unsigned int i = 0; i < nb_wrong_stopped; i++)
		run(&wrong_stopped[i]);
	MUST(rte_eth_dev_close(world.port) == 0);
	MUST(rte_vdev_uninit(DEVICE) == 0);
	printf("wrong calls: %u refused, %u named, %u traces\n", nb_refused, nb_named, nb_traces);
	return nb_refused == nb_calls && nb_named == nb_calls && nb_traces == 0 && nb_calls >= 100 ? 0 : 1;
}
