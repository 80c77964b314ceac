/* SPDX-License-Identifier: BSD-3-Clause */

/* A list of actions in the application's order becomes slots in the device's, if that means the same. */

#include "flow/plan.h"

#include <string.h>

/* ---- the order ------------------------------------------------------------------------------------------------- */

/* Would the packet come out otherwise if these two changed places? */
static bool
order_matters(const struct seen *a, const struct seen *b)
{
	const struct seen *modify = a->stage == FLOW_STAGE_MODIFY ? a : b;
	const struct seen *other = modify == a ? b : a;

	if (modify->stage != FLOW_STAGE_MODIFY)
		return true;
	if (other->stage == FLOW_STAGE_POP || other->stage == FLOW_STAGE_PUSH)
		return modify->vlan;
	return modify->packet;
}

static int
check_order(struct flow_planner *p)
{
	const struct rte_flow_action *actions = p->request->actions;

	for (unsigned int j = 1; j < p->nb_seen; j++) {
		for (unsigned int i = 0; i < j; i++) {
			const struct seen *a = &p->seen[i], *b = &p->seen[j];

			if (a->stage <= b->stage || !order_matters(a, b))
				continue;
			return flow_error_action(p->error, ENOTSUP, &actions[b->index],
				"%s at position %u is out of place: the device carries it out before %s at position %u",
				b->name, b->index, a->name, a->index);
		}
	}
	return 0;
}

/* ---- slots in the device's order ------------------------------------------------------------------------------- */

static struct mlx5dr_slot *
add_slot(struct flow_plan *plan, enum mlx5dr_action_type type, uint8_t index)
{
	struct mlx5dr_slot *slot = &plan->slots[plan->nb_slots];

	plan->slot_index[plan->nb_slots++] = index;
	*slot = (struct mlx5dr_slot){ .type = type };
	return slot;
}

static void
add_header(struct flow_planner *p, enum mlx5dr_action_type type)
{
	struct mlx5dr_slot *slot = add_slot(p->plan, type, p->encap.index);

	slot->header_bytes = p->encap.bytes;
	if (p->encap.fixed)
		slot->header = p->plan->header[1];
	else
		slot->bytes = p->encap.source;
}

static int
add_decap(struct flow_planner *p)
{
	const struct rte_flow_action *actions = p->request->actions;

	if (p->decap.present && !p->decap.tunnel && !(p->encap.present && p->encap.tunnel))
		return flow_error_action(p->error, EINVAL, &actions[p->decap.index],
			"raw_decap of an Ethernet header needs a raw_encap of a tunnel after it");
	if (p->encap.present && !p->encap.tunnel && !(p->decap.present && p->decap.tunnel))
		return flow_error_action(p->error, EINVAL, &actions[p->encap.index],
			"raw_encap of %u bytes: a tunnel has more than %zu, an Ethernet header needs a raw_decap before it",
			p->encap.bytes, TUNNEL_BYTES);
	if (!p->decap.present || !p->decap.tunnel)
		return 0;
	if (!p->encap.present || p->encap.tunnel) {
		add_slot(p->plan, MLX5DR_ACTION_TNL_L2_TO_L2, p->decap.index);
		return 0;
	}
	if (p->encap.index < p->decap.index)
		return flow_error_action(p->error, EINVAL, &actions[p->encap.index],
			"raw_encap of an Ethernet header stands before the raw_decap of the tunnel");
	if (p->encap.bytes != 14 && p->encap.bytes != 18)
		return flow_error_action(p->error, ENOTSUP, &actions[p->encap.index],
			"raw_encap of %u bytes after raw_decap: an Ethernet header has 14 or 18", p->encap.bytes);
	add_header(p, MLX5DR_ACTION_TNL_L3_TO_L2);
	return 0;
}

static int
add_pushes(struct flow_planner *p)
{
	for (unsigned int i = 0; i < p->nb_push; i++) {
		const struct push *push = &p->push[i];
		struct mlx5dr_slot *slot = add_slot(p->plan, MLX5DR_ACTION_PUSH_VLAN, push->index);

		if (!push->has_vid)
			return flow_error_action(p->error, EINVAL, &p->request->actions[push->index],
				"of_push_vlan at position %u needs an of_set_vlan_vid after it", push->index);
		slot->value = push->ethertype;
		slot->left[0] = 16;
		slot->value2 = push->vid;
		slot->value3 = push->pcp;
		slot->left[2] = 13;
	}
	return 0;
}

static int
add_fate(struct flow_planner *p)
{
	static const enum mlx5dr_action_type types[] = {
		[FLOW_FATE_NONE] = MLX5DR_ACTION_MISS, [FLOW_FATE_DROP] = MLX5DR_ACTION_DROP,
		[FLOW_FATE_QUEUE] = MLX5DR_ACTION_TIR, [FLOW_FATE_RSS] = MLX5DR_ACTION_TIR,
		[FLOW_FATE_JUMP] = MLX5DR_ACTION_TABLE, [FLOW_FATE_INDIRECT_RSS] = MLX5DR_ACTION_TIR,
		[FLOW_FATE_ROW] = MLX5DR_ACTION_JUMP_TO_MATCHER,
	};
	struct flow_plan *plan = p->plan;
	struct mlx5dr_slot *slot;

	if (plan->fate == FLOW_FATE_NONE && plan->type == MLX5DR_NIC_RX)
		return flow_error(p->error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, p->request->actions,
			"no fate: an ingress rule needs queue, rss, jump or drop");
	slot = add_slot(plan, types[plan->fate], plan->fate_index);
	p->index = plan->fate_index;
	if (plan->fate == FLOW_FATE_ROW)
		slot->value = plan->row;
	if (plan->fate_fixed)
		return 0;
	switch (plan->fate) {
	case FLOW_FATE_QUEUE:
		slot->value = from(conf_source(p, offsetof(struct rte_flow_action_queue, index), 2, true));
		break;
	case FLOW_FATE_JUMP:
		slot->value = from(conf_source(p, offsetof(struct rte_flow_action_jump, group), 4, true));
		break;
	case FLOW_FATE_RSS:
		slot->value = from(scratch_source(plan->fate_scratch, 4));
		break;
	case FLOW_FATE_ROW:
		slot->stc = scratch_source(plan->fate_scratch, 4);
		break;
	case FLOW_FATE_INDIRECT_RSS:
		slot->value = from(conf_source(p, FLOW_HANDLE_STC_OFFSET, 4, false));
		break;
	default:
		break;
	}
	return 0;
}

static int
assemble(struct flow_planner *p)
{
	struct flow_plan *plan = p->plan;
	struct mlx5dr_slot *slot;
	int rc;

	if (p->has_tag)
		*add_slot(plan, MLX5DR_ACTION_TAG, p->tag_index) = p->tag;
	rc = add_decap(p);
	if (rc != 0)
		return rc;
	for (unsigned int i = 0; i < p->nb_pop; i++)
		add_slot(plan, MLX5DR_ACTION_POP_VLAN, p->pop_index[i]);
	if (p->has_count)
		*add_slot(plan, MLX5DR_ACTION_COUNTER, p->count_index) = p->count;
	rc = add_pushes(p);
	if (rc != 0)
		return rc;
	if (plan->nb_modify != 0) {
		slot = add_slot(plan, MLX5DR_ACTION_MODIFY, p->modify_index);
		slot->modify = plan->modify;
		slot->nb_modify = plan->nb_modify;
	}
	if (p->encap.present && p->encap.tunnel) {
		bool l3 = p->decap.present && !p->decap.tunnel;

		if (l3 && p->encap.index < p->decap.index)
			return flow_error_action(p->error, EINVAL, &p->request->actions[p->decap.index],
				"raw_decap of an Ethernet header stands after the raw_encap of the tunnel");
		add_header(p, l3 ? MLX5DR_ACTION_L2_TO_TNL_L3 : MLX5DR_ACTION_L2_TO_TNL_L2);
	}
	return add_fate(p);
}

/* ---- the list -------------------------------------------------------------------------------------------------- */

static int
plan_action(struct flow_planner *p)
{
	uint8_t direction = p->request->type == MLX5DR_NIC_RX ? FLOW_RX : FLOW_TX;

	p->row = flow_action_row(p->action->type);
	if (p->row == NULL)
		return REFUSE(p, ENOTSUP, "action %s is not supported", flow_action_name(p->action->type));
	if (p->action->type != RTE_FLOW_ACTION_TYPE_INDIRECT && p->mask->type != p->action->type)
		return flow_error_action(p->error, EINVAL, p->mask, "masks[%u] is %s, actions[%u] is %s", p->index,
			flow_action_name(p->mask->type), p->index, flow_action_name(p->action->type));
	if ((p->row->directions & direction) == 0)
		return REFUSE(p, ENOTSUP, "%s cannot be used in %s", p->row->name,
			direction == FLOW_RX ? "ingress" : "egress");
	return p->row->plan(p);
}

int
flow_plan(const struct flow_plan_request *request, struct flow_plan *plan, struct rte_flow_error *error)
{
	struct flow_planner p = { .request = request, .plan = plan, .error = error };
	int rc;

	memset(plan, 0, sizeof(*plan));
	plan->type = request->type;
	if (request->actions == NULL || request->masks == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, NULL, "%s is NULL",
			request->actions == NULL ? "actions" : "masks");
	for (; request->actions[p.index].type != RTE_FLOW_ACTION_TYPE_END; p.index++) {
		if (p.index == FLOW_MAX_ACTIONS)
			return flow_error(error, E2BIG, RTE_FLOW_ERROR_TYPE_ACTION_NUM, request->actions,
				"more than %u actions in one template", FLOW_MAX_ACTIONS);
		p.action = &request->actions[p.index];
		p.mask = &request->masks[p.index];
		rc = plan_action(&p);
		if (rc != 0)
			return rc;
	}
	plan->nb_actions = p.index;
	if (request->masks[p.index].type != RTE_FLOW_ACTION_TYPE_END)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, request->masks,
			"masks has more entries than actions");
	rc = check_order(&p);
	return rc != 0 ? rc : assemble(&p);
}
