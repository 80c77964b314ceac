/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOW_PERF_REPORT_H
#define FLOW_PERF_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "port.h"
#include "run.h"

/* The table of one run, or the same as one JSON object on a line of its own. */
void report_table(FILE *out, const struct perf_port *port, const struct run_config *config, struct run_result *result);
void report_json(FILE *out, const struct perf_port *port, const struct run_config *config, struct run_result *result);

#endif
