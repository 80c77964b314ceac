/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Actions templates: a plan per direction, given its objects. What the template fixes is held from here on (queues' TIRs,
 * the RSS destination, the group of a jump, handles), so tables and rules need no look at it.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/error.h"

static struct mlx5dr_slot *
fate_slot(struct flow_plan *plan)
{
	return &plan->slots[plan->nb_slots - 1];
}

static int
hold_queues(struct flow_port *port, struct flow_actions_side *side)
{
	struct mlx5dr_slot *slot = fate_slot(&side->plan);
	int rc = flow_queue_map_get(port);

	if (rc != 0)
		return rc;
	side->holds_queues = true;
	if (side->plan.fate_fixed)
		slot->action = port->queue_dests[side->plan.queue].action;
	else
		slot->map = port->queue_map;
	return 0;
}

static int
hold_rss(struct flow_port *port, struct flow_actions_side *side)
{
	struct mlx5dr_slot *slot = fate_slot(&side->plan);
	int rc;

	if (!side->plan.fate_fixed)
		return 0;
	rc = flow_rss_get(port, side->plan.rss, &side->rss);
	if (rc != 0)
		return rc;
	slot->type = side->rss->type;
	return flow_rss_action(port, side->rss, &slot->action);
}

static int
hold_jump(struct flow_port *port, struct flow_actions_side *side)
{
	struct mlx5dr_slot *slot = fate_slot(&side->plan);
	int rc;

	if (!side->plan.fate_fixed) {
		slot->map = port->jumps[side->plan.type];
		return 0;
	}
	rc = flow_group_get(port, side->plan.type, side->plan.group, &side->jump);
	if (rc == 0)
		slot->action = side->jump->jump;
	return rc;
}

/* Where the rule names the table, the rule holds it (prepare.c). */
static int
hold_rows(struct flow_port *port, struct flow_actions_side *side, const struct rte_flow_action actions[],
	struct rte_flow_error *error)
{
	struct mlx5dr_slot *slot = fate_slot(&side->plan);
	const struct rte_flow_action *action = &actions[side->plan.fate_index];
	int rc;

	if (!side->plan.fate_fixed)
		return 0;
	rc = flow_rows_check(port, side->plan.rows, side->plan.type, action, error);
	if (rc == 0 && slot->value.from == MLX5DR_FROM_CONSTANT)
		rc = flow_rows_check_row(side->plan.rows, slot->value.value, action, error);
	if (rc == 0)
		rc = flow_rows_hold(side->plan.rows, action, error);
	if (rc != 0)
		return rc;
	side->rows = side->plan.rows;
	slot->action = side->rows->row_jump;
	return 0;
}

static int
hold_fate(struct flow_port *port, struct flow_actions_side *side)
{
	struct mlx5dr_slot *slot = fate_slot(&side->plan);

	switch (side->plan.fate) {
	case FLOW_FATE_QUEUE:
		return hold_queues(port, side);
	case FLOW_FATE_RSS:
		return hold_rss(port, side);
	case FLOW_FATE_JUMP:
		return hold_jump(port, side);
	case FLOW_FATE_INDIRECT_RSS:
		if (side->plan.fate_fixed)
			slot->action = side->plan.handle->action;
		return 0;
	case FLOW_FATE_DROP:
	case FLOW_FATE_NONE:
	case FLOW_FATE_ROW: /* hold_rows */
		return 0;
	}
	return 0;
}

/* Rules of the template take the port's counters: they stay as long as templates do. */
static int
hold_counters(struct flow_port *port, struct flow_plan *plan, const struct rte_flow_action actions[],
	struct rte_flow_error *error)
{
	for (unsigned int i = 0; plan->counts && i < plan->nb_slots; i++) {
		if (plan->slots[i].type != MLX5DR_ACTION_COUNTER)
			continue;
		if (port->counters == NULL)
			return flow_error_action(error, EINVAL, &actions[plan->slot_index[i]],
				"count: configure was given no counters");
		plan->slots[i].counters = port->counters;
	}
	return 0;
}

static void
hold_handles(struct flow_actions_side *side)
{
	unsigned int nb = 0;

	for (unsigned int i = 0; i < side->plan.nb_prepare && nb < RTE_DIM(side->handles); i++) {
		struct rte_flow_action_handle *handle = side->plan.prepare[i].fixed;

		if (handle == NULL)
			continue;
		atomic_fetch_add_explicit(&handle->refs, 1, memory_order_relaxed);
		side->handles[nb++] = handle;
	}
}

static void
side_free(struct flow_port *port, struct flow_actions_side *side)
{
	if (side->at != NULL)
		mlx5dr_action_template_destroy(side->at);
	for (unsigned int i = 0; i < RTE_DIM(side->handles); i++)
		if (side->handles[i] != NULL)
			atomic_fetch_sub_explicit(&side->handles[i]->refs, 1, memory_order_relaxed);
	if (side->holds_queues)
		flow_queue_map_put(port);
	flow_rss_put(port, side->rss);
	if (side->jump != NULL)
		flow_group_put(port, side->jump);
	if (side->rows != NULL)
		flow_rows_put(side->rows);
	free(side);
}

static int
refuse_slots(const struct mlx5dr_error *reason, int rc, const struct flow_plan *plan,
	const struct rte_flow_action actions[], struct rte_flow_error *error)
{
	const struct rte_flow_action *action = &actions[plan->slot_index[plan->nb_slots - 1]];

	if (reason->index >= 0 && reason->index < plan->nb_slots)
		action = &actions[plan->slot_index[reason->index]];
	return flow_error_action(error, -rc, action, "action %s: %s", flow_action_name(action->type),
		flow_reason(reason, rc));
}

/* mlx5dr has its own copy of lists and headers. */
static struct flow_actions_side *
side_finish(struct flow_actions_side *side)
{
	struct flow_actions_side *kept;

	for (unsigned int i = 0; i < side->plan.nb_slots; i++) {
		side->plan.slots[i].modify = NULL;
		side->plan.slots[i].header = NULL;
	}
	kept = realloc(side, offsetof(struct flow_actions_side, plan) + FLOW_PLAN_KEPT_BYTES);
	return kept != NULL ? kept : side;
}

static int
side_create(struct flow_port *port, struct rte_flow_actions_template *at, enum mlx5dr_table_type type,
	const struct rte_flow_action actions[], const struct rte_flow_action masks[], struct rte_flow_error *error)
{
	struct flow_plan_request request = {
		.actions = actions, .masks = masks, .type = type, .regs = &port->regs,
		.nb_queues = port->dev->data->nb_rx_queues, .indirect_type = flow_handle_type, .arg = port,
	};
	struct flow_actions_side *side = calloc(1, sizeof(*side));
	struct mlx5dr_error reason = { .index = -1 };
	int rc;

	if (side == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, actions, "no memory for a template");
	rc = flow_plan(&request, &side->plan, error);
	if (rc == 0)
		rc = hold_counters(port, &side->plan, actions, error);
	if (rc != 0) {
		free(side);
		return rc;
	}
	hold_handles(side);
	if (side->plan.fate == FLOW_FATE_ROW) {
		rc = hold_rows(port, side, actions, error);
		if (rc != 0) {
			side_free(port, side);
			return rc;
		}
	}
	rc = hold_fate(port, side);
	if (rc == 0)
		rc = mlx5dr_action_template_create(port->ctx, type, side->plan.slots, side->plan.nb_slots, &side->at,
			&reason);
	if (rc == 0) {
		side = side_finish(side);
		at->side[type] = side;
		at->nb_actions = side->plan.nb_actions;
		return 0;
	}
	refuse_slots(&reason, rc, &side->plan, actions, error);
	side_free(port, side);
	return rc;
}

/* Types, for dumps and for naming what is wrong with a rule. */
static int
copy_types(struct rte_flow_actions_template *at, const struct rte_flow_action actions[], struct rte_flow_error *error)
{
	at->actions = calloc(at->nb_actions + 1, sizeof(at->actions[0]));
	if (at->actions == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, actions, "no memory for a template");
	for (unsigned int i = 0; i < at->nb_actions; i++)
		at->actions[i].type = actions[i].type;
	return 0;
}

void
flow_actions_template_free(struct rte_flow_actions_template *at)
{
	LIST_REMOVE(at, next);
	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++)
		if (at->side[type] != NULL)
			side_free(at->port, at->side[type]);
	free(at->actions);
	free(at);
}

static int
create(struct flow_port *port, const struct rte_flow_actions_template_attr *attr,
	const struct rte_flow_action actions[], const struct rte_flow_action masks[],
	struct rte_flow_actions_template **out, struct rte_flow_error *error)
{
	struct rte_flow_actions_template *at = calloc(1, sizeof(*at));
	int rc = 0;

	if (at == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, attr, "no memory for a template");
	at->port = port;
	at->directions = (attr->ingress ? FLOW_RX : 0) | (attr->egress ? FLOW_TX : 0);
	LIST_INSERT_HEAD(&port->actions_templates, at, next);
	if (attr->ingress)
		rc = side_create(port, at, MLX5DR_NIC_RX, actions, masks, error);
	if (rc == 0 && attr->egress)
		rc = side_create(port, at, MLX5DR_NIC_TX, actions, masks, error);
	if (rc == 0)
		rc = copy_types(at, actions, error);
	if (rc != 0) {
		flow_actions_template_free(at);
		return rc;
	}
	*out = at;
	return 0;
}

struct rte_flow_actions_template *
flow_op_actions_template_create(struct rte_eth_dev *dev, const struct rte_flow_actions_template_attr *attr,
	const struct rte_flow_action actions[], const struct rte_flow_action masks[], struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct rte_flow_actions_template *at = NULL;
	int rc = flow_port_check(port, error);

	if (rc == 0)
		rc = flow_check_directions(attr, attr->ingress, attr->egress, attr->transfer, "actions template", error);
	if (rc != 0)
		return NULL;
	pthread_mutex_lock(&port->lock);
	rc = create(port, attr, actions, masks, &at, error);
	pthread_mutex_unlock(&port->lock);
	return rc == 0 ? at : NULL;
}

int
flow_op_actions_template_destroy(struct rte_eth_dev *dev, struct rte_flow_actions_template *at,
	struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	int rc = 0;

	if (at == NULL || at->port != port)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, at,
			"actions template: not one of this port");
	pthread_mutex_lock(&port->lock);
	if (at->refs != 0)
		rc = flow_error(error, EBUSY, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, at,
			"actions template: in use by %u tables", at->refs);
	else
		flow_actions_template_free(at);
	pthread_mutex_unlock(&port->lock);
	return rc;
}
