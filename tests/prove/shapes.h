/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tables of several shapes over the same 4-tuples, so that a stream of operations goes every way through the driver: one WQE, counters,
 * arguments (rules in several WQEs), indirect actions, and a table where few tuples are inserted again and again until their row
 * is full and the device refuses.
 */
#ifndef TESTS_PROVE_SHAPES_H
#define TESTS_PROVE_SHAPES_H

#include "prove.h"

enum shape { SHAPE_PLAIN, SHAPE_COUNT, SHAPE_ARGUMENT, SHAPE_INDIRECT, SHAPE_CROWDED, NB_SHAPES };

#define SHAPE_RULES 256

struct shapes {
	struct rte_flow_pattern_template *pattern;
	struct rte_flow_actions_template *actions[NB_SHAPES];
	struct rte_flow_template_table *table[NB_SHAPES];
};

void shapes_create(struct shapes *shapes, const struct port *port);
/* Tables, then templates: there must be no rule left. */
void shapes_destroy(struct shapes *shapes, const struct port *port);

/* What a rule of SHAPE_INDIRECT refers to. */
struct shape_handles {
	struct rte_flow_action_handle *rss, *count;
};

/* A rule of number n; NULL: refused. */
struct rte_flow *shape_insert(const struct shapes *shapes, const struct port *port, enum shape shape, uint32_t queue,
	uint32_t n, const struct shape_handles *handles, bool postpone, void *user_data,
	struct rte_flow_error *error);

/* An RSS over queues chosen by n, for indirect actions; conf and queues must live as long as it is used. */
void shape_rss(uint32_t n, struct rte_flow_action_rss *conf, uint16_t queues[NB_RX]);

#endif
