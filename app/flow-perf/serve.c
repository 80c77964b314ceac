/* SPDX-License-Identifier: BSD-3-Clause */

#include "serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_version.h>

#include "cost.h"
#include "device.h"
#include "floor.h"
#include "null_port.h"
#include "port.h"
#include "report.h"
#include "run.h"
#include "shape.h"
#include "threads.h"

#define WORDS 64
#define FLOOR_BURSTS 256

struct server {
	const struct options *options; /* of the ports */
	struct perf_port port[RTE_MAX_ETHPORTS];
	bool open[RTE_MAX_ETHPORTS];
	uint16_t null_id;
};

static void
greet(const struct server *server)
{
	struct rte_eth_dev_info info;
	const char *comma = "";
	uint16_t id;

	printf("{\"dpdk\": \"%s\", \"ports\": [", rte_version());
	RTE_ETH_FOREACH_DEV(id) {
		if (rte_eth_dev_info_get(id, &info) != 0)
			continue;
		printf("%s{\"id\": %u, \"driver\": \"%s\"}", comma, id, id == server->null_id ? "null" : info.driver_name);
		comma = ", ";
	}
	printf("]}\n");
}

static int
open_port(struct server *server, uint16_t id)
{
	const struct options *options = server->options;
	const struct port_config config = {.rx_queues = options->rx_queues, .flow_queues = options->queues,
		.flow_queue_size = options->queue_size, .counters = id == server->null_id ? 0 : options->counters};
	int rc;

	if (!rte_eth_dev_is_valid_port(id)) {
		fprintf(stderr, "flow-perf: there is no port %u\n", id);
		return -ENODEV;
	}
	if (server->open[id])
		return 0;
	rc = port_open(&server->port[id], id, &config);
	server->open[id] = rc == 0;
	return rc;
}

static int
do_run(struct server *server, const struct options *options, const struct shape *shape)
{
	const struct run_config config = {
		.shape = shape,
		.first = options->first,
		.rules = options->rules,
		.table_rules = options->table_rules,
		.burst = options->burst,
		.nb_queues = options->queues,
		.nb_tables = options->tables,
		.stepped = options->stepped,
		.relaxed = options->relaxed,
		.memory = options->memory,
		.push_each = options->push_each,
	};
	struct run_result result = {0};
	int rc = run_rules(&server->port[options->port], &config, &result);

	if (rc == 0)
		report_json(stdout, &server->port[options->port], &config, &result);
	run_result_free(&result);
	return rc;
}

static int
do_floor(struct server *server, const struct options *options, const struct shape *shape)
{
	printf("{\"floor\": %.3f}\n", floor_sample(options->burst, FLOOR_BURSTS));
	return 0;
}

static int
do_cost(struct server *server, const struct options *options, const struct shape *shape)
{
	struct cost cost;
	int rc = cost_measure(&server->port[options->port], options->rules, &cost);

	if (rc == 0)
		printf("{\"table_ms\": %.4f, \"pattern_ms\": %.4f, \"bytes\": %.0f}\n", cost.table_ms, cost.pattern_ms,
			(double)cost.bytes);
	return rc;
}

static int
do_threads(struct server *server, const struct options *options, const struct shape *shape)
{
	double one, two;
	int rc = threads_measure(&server->port[options->port], shape, options->rules, options->burst, &one, &two);

	if (rc == 0)
		printf("{\"one\": %.3f, \"two\": %.3f}\n", one, two);
	return rc;
}

static const struct {
	const char *word;
	int (*answer)(struct server *server, const struct options *options, const struct shape *shape);
} requests[] = {{"run", do_run}, {"floor", do_floor}, {"cost", do_cost}, {"threads", do_threads}};

static int
answer(struct server *server, char *line)
{
	char *words[WORDS], *save, why[128];
	struct options options;
	struct shape shape;
	int n = 0, rc;

	for (char *word = strtok_r(line, "\t\n", &save); word != NULL && n < WORDS; word = strtok_r(NULL, "\t\n", &save))
		words[n++] = word;
	if (n == 0)
		return -EINVAL;
	rc = options_parse(&options, n, words);
	if (rc != 0)
		return -EINVAL;
	if (options.draw)
		shape_draw(options.seed, options.items, options.actions, sizeof(options.items));
	if (shape_parse(&shape, options.items, options.actions, server->options->rx_queues, why, sizeof(why)) != 0) {
		fprintf(stderr, "flow-perf: %s\n", why);
		return -EINVAL;
	}
	rc = open_port(server, options.port);
	if (rc != 0)
		return rc;
	for (size_t i = 0; i < RTE_DIM(requests); i++)
		if (strcmp(requests[i].word, words[0]) == 0)
			return requests[i].answer(server, &options, &shape);
	fprintf(stderr, "flow-perf: --serve knows no '%s'\n", words[0]);
	return -EINVAL;
}

int
serve(const struct options *options)
{
	struct server *server = calloc(1, sizeof(*server));
	char *line = NULL;
	size_t size = 0;
	int rc;

	if (server == NULL)
		return -ENOMEM;
	server->options = options;
	rc = null_port_create(&server->null_id);
	if (rc == 0)
		greet(server);
	fflush(stdout);
	while (rc == 0 && getline(&line, &size, stdin) > 0) {
		int failed = answer(server, line);

		if (failed != 0)
			printf("{\"error\": %d}\n", failed);
		fflush(stdout);
	}
	for (unsigned int id = 0; id < RTE_MAX_ETHPORTS; id++)
		if (server->open[id])
			port_close(&server->port[id]);
	free(line);
	free(server);
	return rc;
}
