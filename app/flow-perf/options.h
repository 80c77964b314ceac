/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOW_PERF_OPTIONS_H
#define FLOW_PERF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
	uint16_t port;
	char items[128];
	char actions[128];
	uint32_t rules;
	uint32_t table_rules;
	uint32_t queues;      /* flow queues, shared out over the cores */
	uint32_t queue_size;
	uint32_t cores;       /* worker cores; 1 = the main core alone */
	uint32_t burst;
	uint32_t repeat;
	uint32_t counters;    /* 0 = as many as the rules need */
	uint16_t rx_queues;
	uint64_t seed;        /* of a drawn shape */
	bool draw;
	bool stepped;
	bool relaxed;
	bool push_each;
	bool json;
	bool memory;          /* serve: count memory */
	uint32_t tables;      /* of the queues, in turn */
	uint64_t first;       /* number of the first rule */
	bool serve;           /* runs as they are asked for on stdin */
};

/*
 * Parse what stands after EAL's "--". Wrong words are named on stderr.
 * @return 0; 1 when there is nothing more to do (--help, --list); -EINVAL.
 */
int options_parse(struct options *options, int argc, char **argv);

void options_usage(void);

#endif
