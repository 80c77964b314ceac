/* SPDX-License-Identifier: BSD-3-Clause */

/* Rows of wrong calls (wrong_rows.c) and what they may use (made in wrong_calls.c). */
#ifndef TEST_WRONG_CALLS_H
#define TEST_WRONG_CALLS_H

#include <errno.h>
#include <stdbool.h>

#include <rte_ethdev.h>
#include <rte_flow.h>

#define NB_QUEUES 2
#define QUEUE_SIZE 8

struct wrong {
	const char *name;
	/* @return true: the call failed, as it should. */
	bool (*call)(const struct wrong *row, struct rte_flow_error *error);
	int err;
	const char *part;
	/* what the call needs of these */
	const struct rte_flow_item *items;
	const struct rte_flow_action *actions, *masks;
	const void *attr;
	uint32_t number;
	const char *fault; /* ordered of the device before the call */
};

struct world {
	uint16_t port;
	struct rte_flow_pattern_template *pt, *pt_unused, *pt_egress;
	struct rte_flow_actions_template *at, *at_jump;
	struct rte_flow_template_table *table, *big; /* one rule and full; many */
	struct rte_flow_action_handle *rss, *count;
	struct rte_flow *rule, *unpulled;
};
extern struct world world;

/* The templates of world.table: eth / ipv4 dst / udp -> mark, count, queue, all per rule; and jump per rule. */
extern const struct rte_flow_item wrong_items[], wrong_rule_items[];
extern const struct rte_flow_action wrong_actions[], wrong_masks[], wrong_rule_actions[], wrong_jump[], wrong_jump_mask[];
extern const struct rte_flow_pattern_template_attr wrong_ingress_pattern;
extern const struct rte_flow_actions_template_attr wrong_ingress_actions;

/* Before rte_flow_configure; on the started port; on the stopped port. */
extern const struct wrong wrong_before[], wrong[], wrong_stopped[];
extern const unsigned int nb_wrong_before, nb_wrong, nb_wrong_stopped;

#endif
