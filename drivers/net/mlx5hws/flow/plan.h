/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Inside of the planner: what it notes while it walks a list of actions. plan.c walks, checks the order and lays out the
 * slots; actions_fate.c, actions_keep.c and actions_packet.c hold what each action means; the table is in actions.c.
 */
#ifndef FLOW_PLAN_H
#define FLOW_PLAN_H

#include "flow/actions.h"

#include <errno.h>

#include <rte_common.h>
#include <rte_ether.h>
#include <rte_ip.h>

#include "flow/error.h"

/* One action that touches packet bytes, for the check of the order. */
struct seen {
	uint8_t index;
	enum flow_stage stage;
	bool packet, vlan;
	const char *name;
};

struct push {
	uint8_t index;
	bool has_vid, has_pcp;
	struct mlx5dr_value ethertype, vid, pcp;
};

struct reformat {
	bool present, tunnel; /* tunnel: more than an Ethernet header */
	uint8_t index;
	uint16_t bytes;
	bool fixed;
	struct mlx5dr_source source;
};

struct flow_planner {
	const struct flow_plan_request *request;
	struct flow_plan *plan;
	struct rte_flow_error *error;
	const struct rte_flow_action *action, *mask; /* at hand */
	const struct flow_action_row *row;
	uint8_t index;
	bool fixed; /* the template fixes the conf: both confs are there */
	struct seen seen[FLOW_MAX_ACTIONS];
	unsigned int nb_seen;
	bool has_tag, has_count;
	struct mlx5dr_slot tag, count;
	uint8_t tag_index, count_index, modify_index;
	struct reformat decap, encap;
	uint8_t pop_index[2], nb_pop;
	struct push push[2];
	uint8_t nb_push;
};

#define REFUSE(p, err, ...) flow_error_action((p)->error, err, (p)->action, __VA_ARGS__)
#define REFUSE_CONF(p, err, ...) flow_error_conf((p)->error, err, (p)->action, __VA_ARGS__)

/* Where the rule's conf of the action at hand says something. */
static inline struct mlx5dr_source
conf_source(const struct flow_planner *p, uint16_t offset, uint8_t unit, bool host_order)
{
	return (struct mlx5dr_source){
		.base = MLX5DR_ACTIONS, .unit = unit, .host_order = host_order, .offset = offset,
		.pointer_at = p->index * sizeof(struct rte_flow_action) + offsetof(struct rte_flow_action, conf),
	};
}

static inline struct mlx5dr_source
scratch_source(uint16_t at, uint8_t unit)
{
	return (struct mlx5dr_source){
		.base = MLX5DR_SCRATCH, .unit = unit, .offset = at, .pointer_at = MLX5DR_NO_POINTER,
	};
}

static inline struct mlx5dr_value
constant(uint32_t value)
{
	return (struct mlx5dr_value){ .from = MLX5DR_FROM_CONSTANT, .value = value };
}

static inline struct mlx5dr_value
from(struct mlx5dr_source source)
{
	return (struct mlx5dr_value){ .from = MLX5DR_FROM_SOURCE, .source = source };
}

/* Room for `bytes` of scratch and the step that fills it. */
static inline int
prepare(struct flow_planner *p, enum flow_prepare_kind kind, uint16_t bytes, struct flow_prepare **step)
{
	struct flow_plan *plan = p->plan;
	uint16_t at = RTE_ALIGN_CEIL(plan->scratch_used, 8);

	if (plan->nb_prepare == FLOW_MAX_PREPARE || at + RTE_MAX(bytes, 16) > FLOW_SCRATCH_BYTES)
		return REFUSE(p, E2BIG, "%s: too many actions of this template vary per rule", p->row->name);
	plan->scratch_used = at + bytes;
	*step = &plan->prepare[plan->nb_prepare++];
	**step = (struct flow_prepare){ .kind = kind, .index = p->index, .scratch_at = at, .bytes = bytes };
	return 0;
}

/*
 * Is the member fixed by the template? The mask says so with any bit; then the template must have a conf.
 * @return 1 fixed, 0 from the rule, -errno.
 */
static inline int
is_fixed(struct flow_planner *p, bool mask_set, const char *member)
{
	if (p->request->rule && p->action->conf == NULL)
		return REFUSE(p, EINVAL, "%s: no conf", p->row->name);
	if (p->request->rule)
		return 1;
	if (!mask_set)
		return 0;
	if (p->action->conf == NULL)
		return REFUSE(p, EINVAL, "%s: the mask fixes %s, but the template has no conf", p->row->name, member);
	return 1;
}

static inline void
note(struct flow_planner *p, enum flow_stage stage, bool packet, bool vlan)
{
	p->seen[p->nb_seen++] = (struct seen){
		.index = p->index, .stage = stage, .packet = packet, .vlan = vlan, .name = p->row->name,
	};
}

static inline int
set_fate(struct flow_planner *p, enum flow_fate fate, bool fixed)
{
	if (p->plan->fate != FLOW_FATE_NONE)
		return REFUSE(p, EINVAL, "%s at position %u: the packet already has a fate at position %u",
			p->row->name, p->index, p->plan->fate_index);
	p->plan->fate = fate;
	p->plan->fate_fixed = fixed;
	p->plan->fate_index = p->index;
	return 0;
}

/* A raw header longer than this holds a tunnel; shorter ones are an Ethernet header. */
#define TUNNEL_BYTES (sizeof(struct rte_ether_hdr) + sizeof(struct rte_ipv4_hdr))

/* One per row of the table: note what the action at hand means, or refuse it by name. */
int flow_plan_drop(struct flow_planner *p);
int flow_plan_queue(struct flow_planner *p);
int flow_plan_rss(struct flow_planner *p);
int flow_plan_jump(struct flow_planner *p);
int flow_plan_jump_to_row(struct flow_planner *p);
int flow_plan_mark(struct flow_planner *p);
int flow_plan_flag(struct flow_planner *p);
int flow_plan_count(struct flow_planner *p);
int flow_plan_void(struct flow_planner *p);
int flow_plan_indirect(struct flow_planner *p);
int flow_plan_modify_field(struct flow_planner *p);
int flow_plan_pop_vlan(struct flow_planner *p);
int flow_plan_push_vlan(struct flow_planner *p);
int flow_plan_set_vid(struct flow_planner *p);
int flow_plan_set_pcp(struct flow_planner *p);
int flow_plan_vxlan_decap(struct flow_planner *p);
int flow_plan_raw_decap(struct flow_planner *p);
int flow_plan_raw_encap(struct flow_planner *p);
int flow_plan_vxlan_encap(struct flow_planner *p);

#endif
