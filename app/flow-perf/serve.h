/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Measurements on demand, so that several processes (each with its DPDK and its driver) can take turns run by run.
 *
 * First line out: {"dpdk": version, "ports": [{"id", "driver"}]}, a port of a driver that does nothing among them. Then for
 * each line in, words separated by tabs, one line out:
 *	run OPTIONS      what the program's options say, once: a JSON object as of --json
 *	floor OPTIONS    {"floor": nanoseconds to store a WQE and to ring once per --burst}
 *	cost OPTIONS     {"table_ms", "pattern_ms", "bytes"}: a table of 4 x 4 templates for --rules rules, empty
 *	threads OPTIONS  {"one", "two"}: nanoseconds a rule, --rules of them into one table whose device stands still, by one
 *	                 thread and by two at a time, on the cores that the process may use
 * An answer {"error": number} says that stderr tells why not. End of input ends. Ports are opened when first named.
 */
#ifndef FLOW_PERF_SERVE_H
#define FLOW_PERF_SERVE_H

#include "options.h"

/* options: flow queues, sizes, receive queues and counters of the ports. @return 0 or negative errno. */
int serve(const struct options *options);

#endif
