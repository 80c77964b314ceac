/* SPDX-License-Identifier: BSD-3-Clause */

/* Actions that leave the packet's bytes alone: their place in the list has no meaning. */

#include "flow/plan.h"

static int
take_tag(struct flow_planner *p)
{
	if (p->has_tag)
		return REFUSE(p, EINVAL, "%s at position %u: the packet is already marked at position %u", p->row->name,
			p->index, p->tag_index);
	p->has_tag = true;
	p->tag_index = p->index;
	p->tag = (struct mlx5dr_slot){ .type = MLX5DR_ACTION_TAG };
	return 0;
}

int
flow_plan_mark(struct flow_planner *p)
{
	const struct rte_flow_action_mark *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->id != 0, "id");
	int rc = fixed < 0 ? fixed : take_tag(p);

	if (rc != 0)
		return rc;
	if (fixed && conf->id >= MLX5DR_MARK_LIMIT)
		return REFUSE_CONF(p, EINVAL, "mark: id 0x%x, at most 0x%x", conf->id, MLX5DR_MARK_LIMIT - 1);
	p->tag.value = fixed ? constant(conf->id) :
		from(conf_source(p, offsetof(struct rte_flow_action_mark, id), 4, true));
	return 0;
}

int
flow_plan_flag(struct flow_planner *p)
{
	int rc = take_tag(p);

	p->tag.flag = true;
	return rc;
}

static int
take_counter(struct flow_planner *p)
{
	if (p->has_count)
		return REFUSE(p, ENOTSUP, "%s at position %u: one counter per rule, position %u has it", p->row->name,
			p->index, p->count_index);
	p->has_count = true;
	p->count_index = p->index;
	p->count = (struct mlx5dr_slot){ .type = MLX5DR_ACTION_COUNTER };
	return 0;
}

/* mlx5dr takes the counter itself. */
int
flow_plan_count(struct flow_planner *p)
{
	int rc = take_counter(p);

	p->plan->counts |= rc == 0;
	return rc;
}

static int
plan_indirect_count(struct flow_planner *p, struct rte_flow_action_handle *handle)
{
	struct flow_prepare *step = NULL;
	int rc = take_counter(p);

	if (rc == 0)
		rc = prepare(p, FLOW_PREPARE_INDIRECT_COUNT, 8, &step);
	if (rc != 0)
		return rc;
	step->fixed = handle;
	p->count.stc = scratch_source(step->scratch_at, 4);
	p->count.value = from(scratch_source(step->scratch_at + 4, 4));
	return 0;
}

int
flow_plan_void(struct flow_planner *p)
{
	return 0;
}

/* The mask's type says what the handle is; the handle is the template's where both have a conf. */
int
flow_plan_indirect(struct flow_planner *p)
{
	/* rte_flow hands handles over as const conf. */
	struct rte_flow_action_handle *handle = p->mask->conf != NULL ? (void *)(uintptr_t)p->action->conf : NULL;
	enum rte_flow_action_type type = p->mask->type;
	struct flow_prepare *step = NULL;
	int rc;

	if (p->request->rule && handle != NULL)
		type = p->request->indirect_type(p->request->arg, handle);
	if (type != RTE_FLOW_ACTION_TYPE_COUNT && type != RTE_FLOW_ACTION_TYPE_RSS)
		return flow_error_action(p->error, ENOTSUP, p->mask, "indirect: a handle of %s is not supported",
			flow_action_name(type));
	if (handle != NULL && p->request->indirect_type(p->request->arg, handle) != type)
		return REFUSE_CONF(p, EINVAL, "indirect: the template's handle is not a %s of this port",
			flow_action_name(type));
	if (type == RTE_FLOW_ACTION_TYPE_COUNT)
		return plan_indirect_count(p, handle);
	if (p->request->type != MLX5DR_NIC_RX)
		return REFUSE(p, ENOTSUP, "indirect rss cannot be used in egress");
	rc = prepare(p, FLOW_PREPARE_INDIRECT_RSS, 0, &step);
	if (rc != 0)
		return rc;
	step->fixed = handle;
	p->plan->handle = handle;
	return set_fate(p, FLOW_FATE_INDIRECT_RSS, handle != NULL);
}
