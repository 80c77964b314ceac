/* SPDX-License-Identifier: BSD-3-Clause */

/* Why mlx5dr refused a rule: it says only "a pointer is NULL" or "nothing has that number"; here the culprit gets its name. */

#include "flow/engine.h"

#include <errno.h>

#include "flow/error.h"

struct explainer {
	const struct rte_flow_template_table *table;
	const struct rte_flow_pattern_template *pt;
	const struct rte_flow_actions_template *at;
	const struct flow_plan *plan;
	const struct rte_flow_item *items;
	const struct rte_flow_action *actions;
	struct rte_flow_error *error;
};

/* @return 0: nothing wrong found. */
static int
wrong_item(const struct explainer *e)
{
	/* NULL: an update, or a rule by index, which have none. */
	for (unsigned int i = 0; e->items != NULL && i < e->pt->nb_items; i++) {
		const struct rte_flow_item *have = &e->items[i], *want = &e->pt->items[i];

		if (have->type != want->type)
			return flow_error_item(e->error, EINVAL, have, "item %u is %s, the template has %s", i,
				flow_item_name(have->type), flow_item_name(want->type));
		if (want->mask != NULL && have->spec == NULL)
			return flow_error(e->error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, have,
				"item %u, %s: spec is NULL, the template matches fields of it", i,
				flow_item_name(have->type));
	}
	return 0;
}

static int
wrong_action(const struct explainer *e)
{
	for (unsigned int i = 0; i < e->at->nb_actions; i++) {
		const struct rte_flow_action *have = &e->actions[i];

		if (have->type != e->at->actions[i].type)
			return flow_error_action(e->error, EINVAL, have, "action %u is %s, the template has %s", i,
				flow_action_name(have->type), flow_action_name(e->at->actions[i].type));
	}
	for (unsigned int i = 0; i < e->plan->nb_slots; i++) {
		const struct mlx5dr_slot *slot = &e->plan->slots[i];
		const struct rte_flow_action *have = &e->actions[e->plan->slot_index[i]];
		bool open = slot->value.from == MLX5DR_FROM_SOURCE && slot->value.source.base == MLX5DR_ACTIONS;

		if (open && have->conf == NULL)
			return flow_error_action(e->error, EINVAL, have,
				"%s: the rule gives no conf, and the template leaves it open", flow_action_name(have->type));
	}
	return 0;
}

static int
wrong_number(const struct explainer *e)
{
	const struct rte_flow_action *fate = &e->actions[e->plan->fate_index];
	const struct rte_flow_action_queue *queue = fate->conf;

	if (e->plan->fate == FLOW_FATE_QUEUE && !e->plan->fate_fixed && queue != NULL)
		return flow_error_conf(e->error, EINVAL, fate, "queue: index %u, the port has %u receive queues",
			queue->index, e->table->port->dev->data->nb_rx_queues);
	return 0;
}

static int
out_of_range(const struct explainer *e)
{
	for (unsigned int i = 0; i < e->plan->nb_slots; i++) {
		const struct rte_flow_action *have = &e->actions[e->plan->slot_index[i]];
		const struct rte_flow_action_mark *mark = have->conf;

		if (e->plan->slots[i].type == MLX5DR_ACTION_TAG && mark != NULL)
			return flow_error_conf(e->error, EINVAL, have, "mark: id 0x%x, at most 0x%x", mark->id,
				MLX5DR_MARK_LIMIT - 1);
	}
	return 0;
}

static int
no_counter(const struct explainer *e, const struct flow_queue *queue)
{
	const struct mlx5dr_counter_pool *counters = queue->port->counters;
	bool wait = mlx5dr_counter_some_wait(counters, queue->hw);
	const struct rte_flow_action *count = e->actions;

	for (unsigned int i = 0; i < e->plan->nb_slots; i++)
		if (e->plan->slots[i].type == MLX5DR_ACTION_COUNTER)
			count = &e->actions[e->plan->slot_index[i]];
	return flow_error_action(e->error, wait ? EAGAIN : ENOSPC, count, wait ?
		"count: freed counters are not back yet, of %u none is free now" :
		"count: all %u counters are in use", mlx5dr_counter_pool_size(counters));
}

static int
explain(const struct explainer *e, const struct flow_queue *queue, int rc)
{
	int said = 0;

	switch (rc) {
	case -EAGAIN:
		return flow_error(e->error, EAGAIN, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, e->table,
			"flow queue %u is full: %u operations wait for pull", mlx5dr_queue_index(queue->hw), queue->size);
	case -ENOSPC:
		return flow_error(e->error, ENOSPC, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, e->table,
			"table is full: it was made for %u rules", e->table->attr.nb_flows);
	case -ENOBUFS:
		return no_counter(e, queue);
	case -EIO:
		return flow_error(e->error, EIO, RTE_FLOW_ERROR_TYPE_STATE, e->table,
			"flow queue %u has failed", mlx5dr_queue_index(queue->hw));
	case -ENOENT:
		said = wrong_number(e);
		break;
	case -ERANGE:
		said = out_of_range(e);
		break;
	default:
		break;
	}
	if (said == 0)
		said = wrong_item(e);
	if (said == 0)
		said = wrong_action(e);
	if (said == 0)
		said = flow_error(e->error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, e->table, "rule: %s",
			flow_reason(NULL, rc));
	return said;
}

struct rte_flow *
flow_explain(struct flow_queue *queue, struct rte_flow_template_table *table, uint8_t pt, uint8_t at,
	const struct rte_flow_item items[], const struct rte_flow_action actions[], int rc,
	struct rte_flow_error *error)
{
	struct explainer e = {
		.table = table, .pt = table->pt[pt], .at = table->at[at], .items = items, .actions = actions,
		.plan = &table->at[at]->side[flow_type_of(&table->attr.flow_attr)]->plan, .error = error,
	};

	explain(&e, queue, rc);
	return NULL;
}
