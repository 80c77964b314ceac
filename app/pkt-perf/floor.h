/* SPDX-License-Identifier: BSD-3-Clause */

/* What no driver can save: buffers back to their pool (or out of it and back), and the bytes of descriptors or completions. */
#ifndef PKT_PERF_FLOOR_H
#define PKT_PERF_FLOOR_H

#include <stdbool.h>

#include "port.h"

struct options;

/* Nanoseconds of a packet, the mean of the middle half of the samples: options->loop "tx" or "rx" (the forwarding loops are both). @return 0, -errno */
int floor_measure(struct perf_port *port, const struct options *options, double *ns);

#endif
