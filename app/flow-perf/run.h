/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One measured run: a template table in group 1, filled, perhaps queried, and emptied again, by one or more flow
 * queues of one thread. What is timed are the calls into the driver: create and push, then pull; stepped, the
 * device's own work between the two stands outside the clock.
 */
#ifndef FLOW_PERF_RUN_H
#define FLOW_PERF_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"
#include "shape.h"
#include "stats.h"

enum run_phase { RUN_INSERT, RUN_QUERY, RUN_DELETE, RUN_PHASES };

struct run_config {
	const struct shape *shape;
	uint64_t first;       /* number of the first rule: distinct runs in one table differ */
	uint32_t rules;
	uint32_t table_rules; /* capacity of the table; 0 = rules */
	uint32_t burst;       /* operations between two pushes */
	uint32_t first_queue;
	uint32_t nb_queues;   /* used in turn, a burst each */
	uint32_t nb_tables;   /* the queues' in turn; 0 = 1. Each has room for rules or table_rules */
	bool stepped;
	bool relaxed;
	bool query;
	bool memory;          /* count memory before and after: takes milliseconds */
	bool push_each;       /* push after every operation */
	bool progress;
};

struct run_phase_result {
	uint64_t operations;
	double seconds;            /* in the driver, when stepped; else wall clock */
	struct samples per_rule;   /* nanoseconds a rule, one sample a burst */
	struct samples latency;    /* nanoseconds from the first create of a burst to its last result */
};

struct run_result {
	struct run_phase_result phase[RUN_PHASES];
	struct samples per_queue[PORT_QUEUES]; /* nanoseconds a rule of the insertion, by queue */
	uint64_t failed;           /* operations that came back with an error */
	uint64_t memory_before;    /* bytes, before the table is created */
	uint64_t memory_after;     /* bytes, after the last insertion */
	double pattern_ms, table_ms; /* creating the pattern template, the last table */
	/* Of the insertion, on a software device. */
	double device_seconds;     /* the device's own work, when stepped */
	uint64_t bus_bytes;        /* both directions, where the device counts them (uar=trap) */
	uint64_t doorbells;
};

/*
 * @return 0; or negative errno after saying on stderr what failed. Rules and table are gone afterwards in both cases.
 * result is added to: call it again for more samples.
 */
int run_rules(struct perf_port *port, const struct run_config *config, struct run_result *result);

void run_result_free(struct run_result *result);

#endif
