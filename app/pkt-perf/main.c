/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * mlx5hws-pkt-perf: what a packet costs in the driver alone, on any ethdev port.
 */
#include <stdio.h>
#include <string.h>

#include <rte_eal.h>

#include "compare.h"
#include "device.h"
#include "options.h"
#include "run.h"
#include "serve.h"

static int
single(const struct options *options)
{
	static struct perf_port port;
	struct run_result result = {0};
	int rc;

	if (options->stepped && !device_find()) {
		fprintf(stderr, "pkt-perf: --stepped needs softcx in this process, it is not there\n");
		return -1;
	}
	rc = run_loop(&port, options->port, options, &result);
	if (rc == 0 && options->json)
		run_report(&port, options, &result);
	else if (rc == 0)
		printf("%s, %s: %.2f ns a packet (10th percentile %.2f, 90th %.2f); Rx \"%s\", Tx \"%s\"\n", port.name, options->loop,
			samples_middle(&result.ns), samples_quantile(&result.ns, 0.1), samples_quantile(&result.ns, 0.9),
			result.rx_mode, result.tx_mode);
	samples_free(&result.ns);
	port_close(&port);
	return rc;
}

int
main(int argc, char **argv)
{
	struct options options;
	int used, rc;

	if (argc > 1 && strcmp(argv[1], "compare") == 0)
		return compare_exec("pkt-perf-compare", argc - 2, argv + 2) == 0 ? 0 : 1;
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return options_parse(&options, argc, argv) == 1 ? 0 : 2;
	used = rte_eal_init(argc, argv);
	if (used < 0)
		return 2;
	rc = options_parse(&options, argc - used, argv + used);
	if (rc == 0)
		rc = options.serve ? serve() : single(&options);
	else
		rc = rc == 1 ? 0 : 2;
	rte_eal_cleanup();
	return rc == 0 ? 0 : rc > 0 ? rc : 1;
}
