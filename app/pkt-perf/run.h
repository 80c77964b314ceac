/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PKT_PERF_RUN_H
#define PKT_PERF_RUN_H

#include "options.h"
#include "port.h"
#include "stats.h"

struct run_result {
	struct samples ns;         /* of a packet, a sample of 50 bursts each */
	uint64_t packets;
	uint64_t bus_bytes, doorbells;
	char rx_mode[64], tx_mode[64];
};

/* Open the port as options say, run one loop on it. @return 0; -errno with a line on stderr. */
int run_loop(struct perf_port *port, uint16_t id, const struct options *options, struct run_result *result);

/* One JSON object. */
void run_report(const struct perf_port *port, const struct options *options, struct run_result *result);

#endif
