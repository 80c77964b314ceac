/* SPDX-License-Identifier: BSD-3-Clause */

/* Two threads that insert into one table at the same time, against one. */
#ifndef FLOW_PERF_THREADS_H
#define FLOW_PERF_THREADS_H

#include <stdint.h>

#include "port.h"
#include "shape.h"

/*
 * The device stands still while rules are posted, so rules is at most what a flow queue holds. The first thread works on the
 * first core that the process may use, the second on the next. one, two: nanoseconds a rule that a thread spends, the
 * median over bursts and over repeated rounds. @return 0 or negative errno, said on stderr.
 */
int threads_measure(struct perf_port *port, const struct shape *shape, uint32_t rules, uint32_t burst, double *one,
	double *two);

#endif
