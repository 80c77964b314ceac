/* SPDX-License-Identifier: BSD-3-Clause */

/* What templates and tables cost before the first rule. */
#ifndef FLOW_PERF_COST_H
#define FLOW_PERF_COST_H

#include <stdint.h>

#include "port.h"

struct cost {
	double pattern_ms; /* a pattern template, the median of four different ones */
	double table_ms;   /* a table of four pattern and four actions templates */
	uint64_t bytes;    /* what the process grew by, with templates */
};

/* A table for rules rules on all queues of the port. @return 0 or negative errno, said on stderr; nothing is left. */
int cost_measure(struct perf_port *port, uint32_t rules, struct cost *cost);

#endif
