/* SPDX-License-Identifier: BSD-3-Clause */

#include "serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_version.h>

#include "floor.h"
#include "options.h"
#include "port.h"
#include "run.h"

#define WORDS 64

static struct perf_port ports[RTE_MAX_ETHPORTS];

static void
greet(void)
{
	struct rte_eth_dev_info info;
	const char *comma = "";
	uint16_t id;

	printf("{\"dpdk\": \"%s\", \"ports\": [", rte_version());
	RTE_ETH_FOREACH_DEV(id) {
		if (rte_eth_dev_info_get(id, &info) != 0)
			continue;
		printf("%s{\"id\": %u, \"driver\": \"%s\"}", comma, id, info.driver_name);
		comma = ", ";
	}
	printf("]}\n");
}

static int
do_run(const struct options *options)
{
	struct perf_port *port = &ports[options->port];
	struct run_result result = {0};
	int rc = run_loop(port, options->port, options, &result);

	if (rc == 0)
		run_report(port, options, &result);
	samples_free(&result.ns);
	return rc;
}

static int
do_floor(const struct options *options)
{
	struct perf_port *port = &ports[options->port];
	double ns = 0;
	int rc = port_open(port, options->port, options);

	if (rc == 0)
		rc = floor_measure(port, options, &ns);
	if (rc == 0)
		printf("{\"floor\": %.3f}\n", ns);
	return rc;
}

static int
answer(char *line)
{
	char *words[WORDS], *save;
	struct options options;
	int n = 0;

	for (char *word = strtok_r(line, "\t\n", &save); word != NULL && n < WORDS; word = strtok_r(NULL, "\t\n", &save))
		words[n++] = word;
	if (n == 0 || options_parse(&options, n, words) != 0)
		return -EINVAL;
	if (strcmp(words[0], "run") == 0)
		return do_run(&options);
	if (strcmp(words[0], "floor") == 0)
		return do_floor(&options);
	fprintf(stderr, "pkt-perf: --serve knows no '%s'\n", words[0]);
	return -EINVAL;
}

int
serve(void)
{
	char *line = NULL;
	size_t size = 0;

	greet();
	fflush(stdout);
	while (getline(&line, &size, stdin) > 0) {
		int rc = answer(line);

		if (rc != 0)
			printf("{\"error\": %d}\n", rc);
		fflush(stdout);
	}
	for (unsigned int id = 0; id < RTE_MAX_ETHPORTS; id++)
		port_close(&ports[id]);
	free(line);
	return 0;
}
