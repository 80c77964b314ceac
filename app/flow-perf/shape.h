/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The shape of the rules of a run: which items with which fields from the rule, and which actions.
 *
 * Grammar, blanks free:
 *	items    eth / ipv4 src dst / udp sport dport        fields that stand after an item are matched in full and come
 *	                                                     from the rule; an item alone matches its presence
 *	actions  mark / count / queue                        values come from the rule; "queue=3" is fixed by the template
 */
#ifndef FLOW_PERF_SHAPE_H
#define FLOW_PERF_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_flow.h>

#define SHAPE_ITEMS   8
#define SHAPE_ACTIONS 8
#define SHAPE_FIELDS  8
#define SHAPE_CONF    768 /* bytes of specs and confs of one rule, at most */

struct shape_item;
struct shape_action;

struct shape {
	char items_text[128];
	char actions_text[128];
	struct {
		const struct shape_item *kind;
		uint8_t field[SHAPE_FIELDS]; /* indexes into kind's fields */
		uint8_t nb_fields;
		uint16_t at; /* offset of its spec in a rule's storage */
	} item[SHAPE_ITEMS];
	struct {
		const struct shape_action *kind;
		bool fixed;
		uint32_t value;
		uint16_t at;
	} action[SHAPE_ACTIONS];
	unsigned int nb_items;
	unsigned int nb_actions;
	unsigned int conf_bytes;
	unsigned int varied_bits; /* of the match */
	uint16_t nb_queues;       /* receive queues that rules may name */
	bool egress;
	bool counts;              /* has a count action */
};

/* One rule ready for rte_flow_async_create. */
struct shape_rule {
	struct rte_flow_item items[SHAPE_ITEMS + 1];
	struct rte_flow_action actions[SHAPE_ACTIONS + 1];
	uint8_t conf[SHAPE_CONF] __attribute__((aligned(16)));
};

/* @return 0, or -EINVAL with the reason, naming the word, in why. */
int shape_parse(struct shape *shape, const char *items, const char *actions, uint16_t nb_queues, char *why, size_t size);

/* A drawn shape, the same for the same seed; parse it with shape_parse. */
void shape_draw(uint64_t seed, char *items, char *actions, size_t size);

/* Templates of the shape on port. NULL with error filled on refusal. */
struct rte_flow_pattern_template *shape_pattern(const struct shape *shape, uint16_t port, bool relaxed,
	struct rte_flow_error *error);
struct rte_flow_actions_template *shape_actions(const struct shape *shape, uint16_t port, struct rte_flow_error *error);

/* Point a rule's arrays at its storage; once per rule object. */
void shape_prepare(const struct shape *shape, struct shape_rule *rule);

/* Give rule the values of rule number index: distinct for distinct indexes below 2^32. */
void shape_fill(const struct shape *shape, struct shape_rule *rule, uint64_t index);

/* One line for each known item with its fields, and for each action. */
void shape_list(void);

#endif
