/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Ours beside others, in one process, on one software device: DPDK's own mlx5 driver on a second port, a driver that
 * does nothing (the price of the API) and the floor (the price of the bytes). The peers take turns run by run, so
 * what disturbs the machine disturbs all of them.
 */
#ifndef FLOW_PERF_COMPARE_H
#define FLOW_PERF_COMPARE_H

#include "options.h"

/*
 * Start again under the software device with two ports, one for each driver. Does not return on success.
 * argv are the words after "compare", handed on.
 */
int compare_exec(const char *program, int argc, char **argv);

/* The measurement itself, on the ports of this process. @return 0; 1 with --check when a row misses its target. */
int compare_run(const struct options *options);

#endif
