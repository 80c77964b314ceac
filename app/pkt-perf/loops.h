/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The loops that are measured, one row each: what is done before the clock, under it and after it. The device works between
 * two bursts, outside of the clock.
 */
#ifndef PKT_PERF_LOOPS_H
#define PKT_PERF_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "frames.h"
#include "port.h"

#define SAMPLE_BURSTS 50 /* bursts of a sample: the clock's steps are as long as some packets take */
#define BURST_MAX 256

struct loop_state {
	struct perf_port *port;
	struct frames frames;
	uint16_t burst;
	struct rte_mbuf *pkts[BURST_MAX];
	struct rte_mbuf *other[BURST_MAX];
};

struct loop {
	const char *name, *help;
	bool circulates; /* packets go round; else they are made and taken by this program */
	/* Outside of the clock. @return 0, or -errno */
	int (*before)(struct loop_state *state);
	/* The calls that are measured. @return packets that went through */
	uint16_t (*measured)(struct loop_state *state);
	int (*after)(struct loop_state *state);
};

/* Take and free what was received, until nothing comes or there were most of them: a driver may make packets without end. */
void loops_drain(struct loop_state *state, uint32_t most);

/* NULL: no such loop. */
const struct loop *loops_find(const char *name);
void loops_help(void);

#endif
