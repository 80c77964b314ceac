/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mlx5hws-flow-perf: how fast rules go in and out through the template API of rte_flow, on any ethdev port.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "compare.h"
#include "device.h"
#include "options.h"
#include "port.h"
#include "report.h"
#include "run.h"
#include "serve.h"
#include "shape.h"

/* What one core does: its share of queues, with a table of its own. */
struct worker {
	struct perf_port *port;
	struct run_config config;
	struct run_result result;
	int rc;
};

static int
work(void *arg)
{
	struct worker *worker = arg;

	worker->rc = run_rules(worker->port, &worker->config, &worker->result);
	return worker->rc;
}

/* The first core is this one; the others are EAL's workers. */
static int
run_on_cores(struct worker *workers, uint32_t cores)
{
	unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	int rc;

	for (uint32_t i = 1; i < cores; i++) {
		rte_eal_remote_launch(work, &workers[i], lcore);
		lcore = rte_get_next_lcore(lcore, 1, 0);
	}
	work(&workers[0]);
	rte_eal_mp_wait_lcore();
	for (uint32_t i = 0; i < cores; i++) {
		rc = workers[i].rc;
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
repeat(struct perf_port *port, const struct options *options, const struct shape *shape)
{
	uint32_t cores = options->cores;
	struct worker *workers = calloc(cores, sizeof(*workers));
	int rc = 0;

	if (workers == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < cores; i++) {
		uint32_t from = options->queues * i / cores, to = options->queues * (i + 1) / cores;

		workers[i].port = port;
		workers[i].config = (struct run_config){
			.shape = shape,
			.first = options->first + (uint64_t)i * options->rules,
			.rules = options->rules,
			.table_rules = options->table_rules,
			.burst = options->burst,
			.first_queue = from,
			.nb_queues = to - from,
			.nb_tables = options->tables,
			.stepped = options->stepped,
			.relaxed = options->relaxed,
			.query = true,
			.memory = cores == 1,
			.push_each = options->push_each,
			.progress = i == 0 && !options->json,
		};
	}
	for (uint32_t i = 0; rc == 0 && i < options->repeat; i++)
		rc = run_on_cores(workers, cores);
	for (uint32_t i = 0; i < cores; i++) {
		if (rc == 0 && options->json)
			report_json(stdout, port, &workers[i].config, &workers[i].result);
		else if (rc == 0)
			report_table(stdout, port, &workers[i].config, &workers[i].result);
		if (workers[i].result.failed > 0)
			rc = -EIO;
		run_result_free(&workers[i].result);
	}
	free(workers);
	return rc;
}

static int
single(const struct options *options)
{
	struct port_config config = {.rx_queues = options->rx_queues, .flow_queues = options->queues,
		.flow_queue_size = options->queue_size};
	char why[128], items[128], actions[128];
	struct perf_port port;
	struct shape shape;
	int rc;

	snprintf(items, sizeof(items), "%s", options->items);
	snprintf(actions, sizeof(actions), "%s", options->actions);
	if (options->draw)
		shape_draw(options->seed, items, actions, sizeof(items));
	if (shape_parse(&shape, items, actions, options->rx_queues, why, sizeof(why)) != 0) {
		fprintf(stderr, "flow-perf: %s\n", why);
		return -EINVAL;
	}
	if (!rte_eth_dev_is_valid_port(options->port)) {
		fprintf(stderr, "flow-perf: there is no port %u (%u ports)\n", options->port, rte_eth_dev_count_avail());
		return -ENODEV;
	}
	if (options->cores > rte_lcore_count()) {
		fprintf(stderr, "flow-perf: --cores %u, EAL has %u (-l)\n", options->cores, rte_lcore_count());
		return -EINVAL;
	}
	if (options->stepped && !device_find()) {
		fprintf(stderr, "flow-perf: --stepped needs softcx in this process, it is not there\n");
		return -ENOTSUP;
	}
	if (options->stepped && options->cores > 1) {
		fprintf(stderr, "flow-perf: --stepped times one core\n");
		return -EINVAL;
	}
	if (shape.counts)
		config.counters = options->counters != 0 ? options->counters : 2 * options->rules * options->cores;
	rc = port_open(&port, options->port, &config);
	if (rc != 0)
		return rc;
	rc = repeat(&port, options, &shape);
	port_close(&port);
	return rc;
}

int
main(int argc, char **argv)
{
	struct options options;
	int used, rc;

	if (argc > 1 && strcmp(argv[1], "compare") == 0)
		return compare_exec("flow-perf-compare", argc - 2, argv + 2) == 0 ? 0 : 1;
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--list") == 0))
		return options_parse(&options, argc, argv) == 1 ? 0 : 2;
	used = rte_eal_init(argc, argv);
	if (used < 0)
		return 2;
	rc = options_parse(&options, argc - used, argv + used);
	if (rc == 0)
		rc = options.serve ? serve(&options) : single(&options);
	else
		rc = rc == 1 ? 0 : 2;
	rte_eal_cleanup();
	return rc == 0 ? 0 : rc > 0 ? rc : 1;
}
