/* SPDX-License-Identifier: BSD-3-Clause */

#include "shapes.h"

#include <string.h>

#include "tuples.h"

#define ACTIONS_MAX 4
#define CROWD 3 /* tuples of SHAPE_CROWDED */

struct confs {
	struct rte_flow_action_mark mark;
	struct rte_flow_action_queue queue;
	struct rte_flow_action_count count;
	struct rte_flow_action_modify_field modify;
};

/* ---- the actions of each shape ---------------------------------------------------------------------------------- */

static const enum rte_flow_action_type types[NB_SHAPES][ACTIONS_MAX] = {
	[SHAPE_PLAIN] = { RTE_FLOW_ACTION_TYPE_MARK, RTE_FLOW_ACTION_TYPE_QUEUE },
	[SHAPE_COUNT] = { RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_MARK, RTE_FLOW_ACTION_TYPE_QUEUE },
	[SHAPE_ARGUMENT] = { RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, RTE_FLOW_ACTION_TYPE_QUEUE },
	/* the mask's type says which */
	[SHAPE_INDIRECT] = { RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_RSS },
	[SHAPE_CROWDED] = { RTE_FLOW_ACTION_TYPE_MARK, RTE_FLOW_ACTION_TYPE_QUEUE },
};

static const void *
conf_of(enum rte_flow_action_type type, const struct confs *confs)
{
	switch (type) {
	case RTE_FLOW_ACTION_TYPE_MARK:
		return &confs->mark;
	case RTE_FLOW_ACTION_TYPE_QUEUE:
		return &confs->queue;
	case RTE_FLOW_ACTION_TYPE_COUNT:
		return &confs->count;
	case RTE_FLOW_ACTION_TYPE_MODIFY_FIELD:
		return &confs->modify;
	default:
		return NULL;
	}
}

static void
fill_confs(struct confs *confs, uint32_t n)
{
	*confs = (struct confs){
		.mark = { tuple_mark(0, n) },
		.queue = { tuple_queue(0, n) },
		.modify = {
			.operation = RTE_FLOW_MODIFY_SET,
			.dst = { .field = RTE_FLOW_FIELD_IPV4_TTL },
			.src = { .field = RTE_FLOW_FIELD_VALUE, .value = { (uint8_t)n } },
			.width = 8,
		},
	};
}

static void
fill_masks(struct confs *masks)
{
	memset(masks, 0, sizeof(*masks));
	masks->modify = (struct rte_flow_action_modify_field){
		.operation = RTE_FLOW_MODIFY_SET,
		.dst = { .field = RTE_FLOW_FIELD_IPV4_TTL, .level = -1, .offset = UINT32_MAX },
		.src = { .field = RTE_FLOW_FIELD_VALUE },
		.width = UINT32_MAX,
	};
}

static void
fill_actions(enum shape shape, const struct confs *confs, struct rte_flow_action *actions)
{
	uint32_t i;

	for (i = 0; i < ACTIONS_MAX - 1 && types[shape][i] != RTE_FLOW_ACTION_TYPE_END; i++)
		actions[i] = (struct rte_flow_action){ .type = types[shape][i], .conf = conf_of(types[shape][i], confs) };
	actions[i] = (struct rte_flow_action){ .type = RTE_FLOW_ACTION_TYPE_END };
}

/* ---- templates and tables --------------------------------------------------------------------------------------- */

static struct rte_flow_actions_template *
make_actions(const struct port *port, enum shape shape)
{
	const struct rte_flow_actions_template_attr attr = { .ingress = 1 };
	struct rte_flow_action actions[ACTIONS_MAX], masks[ACTIONS_MAX];
	struct rte_flow_error error = { 0 };
	struct rte_flow_actions_template *at;
	struct confs confs, mask_confs;

	fill_confs(&confs, 1);
	fill_masks(&mask_confs);
	fill_actions(shape, &confs, actions);
	fill_actions(shape, &mask_confs, masks);
	if (shape == SHAPE_INDIRECT)
		for (uint32_t i = 0; i < 2; i++) {
			actions[i] = (struct rte_flow_action){ .type = RTE_FLOW_ACTION_TYPE_INDIRECT };
			masks[i].conf = NULL;
		}
	at = rte_flow_actions_template_create(port->id, &attr, actions, masks, &error);
	CHECK(at != NULL, "actions template of shape %d: %s", shape, error.message);
	return at;
}

void
shapes_create(struct shapes *shapes, const struct port *port)
{
	struct tuple_table tuples;
	struct rte_flow_error error = { 0 };

	/* The first table comes with the pattern of all. */
	tuple_table_create(&tuples, port, SHAPE_RULES, SHAPE_PLAIN);
	shapes->pattern = tuples.pattern;
	shapes->actions[SHAPE_PLAIN] = tuples.actions;
	shapes->table[SHAPE_PLAIN] = tuples.table;
	for (int i = SHAPE_PLAIN + 1; i < NB_SHAPES; i++) {
		const struct rte_flow_template_table_attr attr = {
			.flow_attr = { .ingress = 1, .priority = (uint32_t)i }, .nb_flows = SHAPE_RULES,
		};

		shapes->actions[i] = make_actions(port, i);
		shapes->table[i] = rte_flow_template_table_create(port->id, &attr, &shapes->pattern, 1,
			&shapes->actions[i], 1, &error);
		CHECK(shapes->table[i] != NULL, "table of shape %d: %s", i, error.message);
	}
}

void
shapes_destroy(struct shapes *shapes, const struct port *port)
{
	struct rte_flow_error error = { 0 };

	for (int i = 0; i < NB_SHAPES; i++) {
		CHECK(rte_flow_template_table_destroy(port->id, shapes->table[i], &error) == 0,
			"table of shape %d stays: %s", i, error.message);
		CHECK(rte_flow_actions_template_destroy(port->id, shapes->actions[i], &error) == 0,
			"actions of shape %d stay: %s", i, error.message);
	}
	CHECK(rte_flow_pattern_template_destroy(port->id, shapes->pattern, &error) == 0, "pattern stays: %s",
		error.message);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

struct rte_flow *
shape_insert(const struct shapes *shapes, const struct port *port, enum shape shape, uint32_t queue, uint32_t n,
	const struct shape_handles *handles, bool postpone, void *user_data, struct rte_flow_error *error)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	const struct tuple tuple = tuple_of(0, shape == SHAPE_CROWDED ? n % CROWD : n);
	const struct rte_flow_item_ipv4 ip = { .hdr = { .src_addr = tuple.src, .dst_addr = tuple.dst } };
	const struct rte_flow_item_udp udp = { .hdr = { .src_port = tuple.sport, .dst_port = tuple.dport } };
	const struct rte_flow_item items[] = {
		{ .type = RTE_FLOW_ITEM_TYPE_ETH },
		{ .type = RTE_FLOW_ITEM_TYPE_IPV4, .spec = &ip },
		{ .type = RTE_FLOW_ITEM_TYPE_UDP, .spec = &udp },
		{ .type = RTE_FLOW_ITEM_TYPE_END },
	};
	struct rte_flow_action actions[ACTIONS_MAX];
	struct confs confs;

	fill_confs(&confs, n);
	fill_actions(shape, &confs, actions);
	if (shape == SHAPE_INDIRECT) {
		actions[0] = (struct rte_flow_action){ RTE_FLOW_ACTION_TYPE_INDIRECT, handles->count };
		actions[1] = (struct rte_flow_action){ RTE_FLOW_ACTION_TYPE_INDIRECT, handles->rss };
	}
	return rte_flow_async_create(port->id, queue, &attr, shapes->table[shape], items, 0, actions, 0, user_data, error);
}

void
shape_rss(uint32_t n, struct rte_flow_action_rss *conf, uint16_t queues[NB_RX])
{
	uint32_t nb = 1 + n % NB_RX;

	for (uint32_t i = 0; i < nb; i++)
		queues[i] = (uint16_t)((n / NB_RX + i) % NB_RX);
	*conf = (struct rte_flow_action_rss){
		.types = n & 64 ? RTE_ETH_RSS_IP : RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP, .queue_num = nb, .queue = queues,
	};
}
