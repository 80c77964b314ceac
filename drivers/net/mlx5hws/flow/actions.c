/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/actions.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_ether.h>
#include <rte_ip.h>

#include "flow/encap.h"
#include "flow/error.h"
#include "flow/rss.h"
#include "prm/modify.h"

/* ---- the planner's notes --------------------------------------------------------------------------------------- */

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
static struct mlx5dr_source
conf_source(const struct flow_planner *p, uint16_t offset, uint8_t unit, bool host_order)
{
	return (struct mlx5dr_source){
		.base = MLX5DR_ACTIONS, .unit = unit, .host_order = host_order, .offset = offset,
		.pointer_at = p->index * sizeof(struct rte_flow_action) + offsetof(struct rte_flow_action, conf),
	};
}

static struct mlx5dr_source
scratch_source(uint16_t at, uint8_t unit)
{
	return (struct mlx5dr_source){
		.base = MLX5DR_SCRATCH, .unit = unit, .offset = at, .pointer_at = MLX5DR_NO_POINTER,
	};
}

static struct mlx5dr_value
constant(uint32_t value)
{
	return (struct mlx5dr_value){ .from = MLX5DR_FROM_CONSTANT, .value = value };
}

static struct mlx5dr_value
from(struct mlx5dr_source source)
{
	return (struct mlx5dr_value){ .from = MLX5DR_FROM_SOURCE, .source = source };
}

/* Room for `bytes` of scratch and the step that fills it. */
static int
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
static int
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

static void
note(struct flow_planner *p, enum flow_stage stage, bool packet, bool vlan)
{
	p->seen[p->nb_seen++] = (struct seen){
		.index = p->index, .stage = stage, .packet = packet, .vlan = vlan, .name = p->row->name,
	};
}

/* ---- fates ----------------------------------------------------------------------------------------------------- */

static int
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

static int
plan_drop(struct flow_planner *p)
{
	return set_fate(p, FLOW_FATE_DROP, true);
}

static int
plan_queue(struct flow_planner *p)
{
	const struct rte_flow_action_queue *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->index != 0, "index");

	if (fixed < 0)
		return fixed;
	if (fixed && conf->index >= p->request->nb_queues)
		return REFUSE_CONF(p, EINVAL, "queue: index %u, the port has %u receive queues", conf->index,
			p->request->nb_queues);
	if (fixed)
		p->plan->queue = conf->index;
	return set_fate(p, FLOW_FATE_QUEUE, fixed);
}

int
flow_rss_check(const struct rte_flow_action *action, const struct rte_flow_action_rss *rss, uint16_t nb_queues,
	struct rte_flow_error *error)
{
	if (rss == NULL)
		return flow_error_action(error, EINVAL, action, "rss: conf is NULL");
	if (rss->func != RTE_ETH_HASH_FUNCTION_DEFAULT && rss->func != RTE_ETH_HASH_FUNCTION_TOEPLITZ &&
	    rss->func != RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ)
		return flow_error_conf(error, ENOTSUP, action, "rss: func %d is not supported", rss->func);
	if (rss->level > 2)
		return flow_error_conf(error, ENOTSUP, action, "rss: level %u: 0, 1 (outer) or 2 (inner)", rss->level);
	if (rss->types & ~FLOW_RSS_TYPES)
		return flow_error_conf(error, ENOTSUP, action, "rss: types 0x%" PRIx64 " cannot be hashed",
			rss->types & ~FLOW_RSS_TYPES);
	if (rss->key_len != 0 && rss->key_len != FLOW_RSS_KEY_BYTES)
		return flow_error_conf(error, ENOTSUP, action, "rss: key_len %u, a key has %u bytes", rss->key_len,
			FLOW_RSS_KEY_BYTES);
	if (rss->queue_num == 0 || rss->queue == NULL)
		return flow_error_conf(error, EINVAL, action, "rss: no queues");
	if (rss->queue_num > FLOW_RSS_MAX_QUEUES)
		return flow_error_conf(error, EINVAL, action, "rss: %u queues, at most %u", rss->queue_num,
			FLOW_RSS_MAX_QUEUES);
	for (uint32_t i = 0; i < rss->queue_num; i++)
		if (rss->queue[i] >= nb_queues)
			return flow_error_conf(error, EINVAL, action, "rss: queue %u, the port has %u receive queues",
				rss->queue[i], nb_queues);
	return 0;
}

static int
plan_rss(struct flow_planner *p)
{
	const struct rte_flow_action_rss *mask = p->mask->conf;
	struct flow_prepare *step;
	int fixed = is_fixed(p, mask != NULL && (mask->types != 0 || mask->queue_num != 0 || mask->queue != NULL ||
		mask->level != 0 || mask->key_len != 0 || mask->func != 0), "the conf");
	int rc;

	if (fixed < 0)
		return fixed;
	if (fixed) {
		rc = flow_rss_check(p->action, p->action->conf, p->request->nb_queues, p->error);
		p->plan->rss = p->action->conf;
	} else {
		rc = prepare(p, FLOW_PREPARE_RSS, sizeof(uint32_t), &step);
		if (rc == 0)
			p->plan->fate_scratch = step->scratch_at;
	}
	return rc != 0 ? rc : set_fate(p, FLOW_FATE_RSS, fixed);
}

int
flow_jump_check(const struct rte_flow_action *action, uint32_t group, struct rte_flow_error *error)
{
	if (group == 0)
		return flow_error_conf(error, EINVAL, action, "jump: to group 0, which is where packets come from");
	if (group >= FLOW_MAX_GROUPS)
		return flow_error_conf(error, EINVAL, action, "jump: group %u, groups are below %u", group,
			FLOW_MAX_GROUPS);
	return 0;
}

static int
plan_jump(struct flow_planner *p)
{
	const struct rte_flow_action_jump *conf = p->action->conf, *mask = p->mask->conf;
	struct flow_prepare *step;
	int fixed = is_fixed(p, mask != NULL && mask->group != 0, "group");
	int rc;

	if (fixed < 0)
		return fixed;
	if (fixed) {
		rc = flow_jump_check(p->action, conf->group, p->error);
		p->plan->group = conf->group;
	} else {
		rc = prepare(p, FLOW_PREPARE_JUMP, 0, &step);
	}
	return rc != 0 ? rc : set_fate(p, FLOW_FATE_JUMP, fixed);
}

/* ---- what leaves the packet alone ------------------------------------------------------------------------------ */

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

static int
plan_mark(struct flow_planner *p)
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

static int
plan_flag(struct flow_planner *p)
{
	int rc = take_tag(p);

	p->tag.flag = true;
	return rc;
}

static int
take_counter(struct flow_planner *p, enum flow_prepare_kind kind, struct flow_prepare **step)
{
	int rc;

	if (p->has_count)
		return REFUSE(p, ENOTSUP, "%s at position %u: one counter per rule, position %u has it", p->row->name,
			p->index, p->count_index);
	rc = prepare(p, kind, 8, step);
	if (rc != 0)
		return rc;
	p->has_count = true;
	p->count_index = p->index;
	p->count = (struct mlx5dr_slot){
		.type = MLX5DR_ACTION_COUNTER,
		.stc = scratch_source((*step)->scratch_at, 4),
		.value = from(scratch_source((*step)->scratch_at + 4, 4)),
	};
	return 0;
}

static int
plan_count(struct flow_planner *p)
{
	struct flow_prepare *step;

	return take_counter(p, FLOW_PREPARE_COUNT, &step);
}

static int
plan_void(struct flow_planner *p)
{
	return 0;
}

/* The mask's type says what the handle is; the handle is the template's where both have a conf. */
static int
plan_indirect(struct flow_planner *p)
{
	/* rte_flow hands handles over as const conf. */
	struct rte_flow_action_handle *handle = p->mask->conf != NULL ? (void *)(uintptr_t)p->action->conf : NULL;
	enum rte_flow_action_type type = p->mask->type;
	struct flow_prepare *step;
	int rc;

	if (p->request->rule && handle != NULL)
		type = p->request->indirect_type(p->request->arg, handle);
	if (type != RTE_FLOW_ACTION_TYPE_COUNT && type != RTE_FLOW_ACTION_TYPE_RSS)
		return flow_error_action(p->error, ENOTSUP, p->mask, "indirect: a handle of %s is not supported",
			flow_action_name(type));
	if (handle != NULL && p->request->indirect_type(p->request->arg, handle) != type)
		return REFUSE_CONF(p, EINVAL, "indirect: the template's handle is not a %s of this port",
			flow_action_name(type));
	if (type == RTE_FLOW_ACTION_TYPE_COUNT) {
		rc = take_counter(p, FLOW_PREPARE_INDIRECT_COUNT, &step);
		if (rc == 0)
			step->fixed = handle;
		return rc;
	}
	if (p->request->type != MLX5DR_NIC_RX)
		return REFUSE(p, ENOTSUP, "indirect rss cannot be used in egress");
	rc = prepare(p, FLOW_PREPARE_INDIRECT_RSS, 0, &step);
	if (rc != 0)
		return rc;
	step->fixed = handle;
	p->plan->handle = handle;
	return set_fate(p, FLOW_FATE_INDIRECT_RSS, handle != NULL);
}

/* ---- what changes the packet ----------------------------------------------------------------------------------- */

static int
append_commands(struct flow_planner *p, const struct mlx5dr_modify *command, unsigned int nb)
{
	struct flow_plan *plan = p->plan;

	if (plan->nb_modify + nb > MLX5DR_MAX_MODIFY)
		return REFUSE(p, E2BIG, "%s: more than %u modify commands in one template", p->row->name,
			MLX5DR_MAX_MODIFY);
	if (plan->nb_modify == 0)
		p->modify_index = p->index;
	memcpy(&plan->modify[plan->nb_modify], command, nb * sizeof(*command));
	plan->nb_modify += nb;
	return 0;
}

static int
plan_modify_field(struct flow_planner *p)
{
	struct flow_modify_request request = {
		.action = p->action, .mask = p->mask, .index = p->index, .type = p->request->type,
		.regs = p->request->regs, .scratch_at = RTE_ALIGN_CEIL(p->plan->scratch_used, 8),
		.rule = p->request->rule,
	};
	struct flow_modify_list list;
	struct flow_prepare *step;
	int rc = flow_modify_compile(&request, &list, p->error);

	if (rc == 0 && list.copies_pointer) {
		rc = prepare(p, FLOW_PREPARE_POINTER, sizeof(((struct rte_flow_action_modify_data *)0)->value), &step);
		if (rc == 0)
			step->bytes = list.image_bytes;
	}
	if (rc == 0)
		rc = append_commands(p, list.command, list.nb);
	if (rc == 0)
		note(p, FLOW_STAGE_MODIFY, list.touches_packet, list.touches_vlan);
	return rc;
}

static int
plan_pop_vlan(struct flow_planner *p)
{
	if (p->nb_pop == 2)
		return REFUSE(p, ENOTSUP, "of_pop_vlan: at most two tags can be removed");
	p->pop_index[p->nb_pop++] = p->index;
	note(p, FLOW_STAGE_POP, true, true);
	return 0;
}

static int
plan_push_vlan(struct flow_planner *p)
{
	const struct rte_flow_action_of_push_vlan *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->ethertype != 0, "ethertype");

	if (fixed < 0)
		return fixed;
	if (p->nb_push == 2)
		return REFUSE(p, ENOTSUP, "of_push_vlan: at most two tags can be added");
	if (fixed && conf->ethertype != rte_cpu_to_be_16(RTE_ETHER_TYPE_VLAN) &&
	    conf->ethertype != rte_cpu_to_be_16(RTE_ETHER_TYPE_QINQ))
		return REFUSE_CONF(p, EINVAL, "of_push_vlan: ethertype 0x%04x, 0x8100 or 0x88a8 is a tag",
			rte_be_to_cpu_16(conf->ethertype));
	p->push[p->nb_push++] = (struct push){
		.index = p->index,
		.ethertype = fixed ? constant(rte_be_to_cpu_16(conf->ethertype)) :
			from(conf_source(p, offsetof(struct rte_flow_action_of_push_vlan, ethertype), 2, false)),
		.vid = constant(0), .pcp = constant(0),
	};
	note(p, FLOW_STAGE_PUSH, true, true);
	return 0;
}

/* A VID set without a tag pushed in this rule rewrites the packet's own tag. */
static int
set_own_vid(struct flow_planner *p, const struct mlx5dr_value *vid)
{
	struct mlx5dr_modify command = {
		.op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_FIRST_VID, .length = 12, .data = *vid,
	};
	int rc = append_commands(p, &command, 1);

	if (rc == 0)
		note(p, FLOW_STAGE_MODIFY, true, true);
	return rc;
}

static int
plan_set_vid(struct flow_planner *p)
{
	const struct rte_flow_action_of_set_vlan_vid *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->vlan_vid != 0, "vlan_vid");
	struct push *push = p->nb_push > 0 ? &p->push[p->nb_push - 1] : NULL;
	struct mlx5dr_value vid;
	struct flow_prepare *step;
	int rc = 0;

	if (fixed < 0)
		return fixed;
	if (fixed && rte_be_to_cpu_16(conf->vlan_vid) > 0xfff)
		return REFUSE_CONF(p, EINVAL, "of_set_vlan_vid: vlan_vid %u, at most 4095",
			rte_be_to_cpu_16(conf->vlan_vid));
	if (!fixed)
		rc = prepare(p, FLOW_PREPARE_VID, 0, &step);
	if (rc != 0)
		return rc;
	vid = fixed ? constant(rte_be_to_cpu_16(conf->vlan_vid)) :
		from(conf_source(p, offsetof(struct rte_flow_action_of_set_vlan_vid, vlan_vid), 2, false));
	if (push == NULL)
		return set_own_vid(p, &vid);
	if (push->has_vid)
		return REFUSE(p, EINVAL, "of_set_vlan_vid at position %u: the tag of position %u already has its VID",
			p->index, push->index);
	push->has_vid = true;
	push->vid = vid;
	return 0;
}

static int
plan_set_pcp(struct flow_planner *p)
{
	const struct rte_flow_action_of_set_vlan_pcp *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->vlan_pcp != 0, "vlan_pcp");
	struct push *push = p->nb_push > 0 ? &p->push[p->nb_push - 1] : NULL;
	struct flow_prepare *step;
	int rc = 0;

	if (fixed < 0)
		return fixed;
	if (push == NULL)
		return REFUSE(p, ENOTSUP, "of_set_vlan_pcp: only for a tag that of_push_vlan adds before it");
	if (push->has_pcp)
		return REFUSE(p, EINVAL, "of_set_vlan_pcp at position %u: the tag of position %u already has its PCP",
			p->index, push->index);
	if (fixed && conf->vlan_pcp > 7)
		return REFUSE_CONF(p, EINVAL, "of_set_vlan_pcp: vlan_pcp %u, at most 7", conf->vlan_pcp);
	if (!fixed)
		rc = prepare(p, FLOW_PREPARE_PCP, 0, &step);
	if (rc != 0)
		return rc;
	push->has_pcp = true;
	push->pcp = fixed ? constant(conf->vlan_pcp) :
		from(conf_source(p, offsetof(struct rte_flow_action_of_set_vlan_pcp, vlan_pcp), 1, false));
	return 0;
}

/* A raw header longer than this holds a tunnel; shorter ones are an Ethernet header. */
#define TUNNEL_BYTES (sizeof(struct rte_ether_hdr) + sizeof(struct rte_ipv4_hdr))

static int
take_decap(struct flow_planner *p, bool tunnel)
{
	if (p->decap.present)
		return REFUSE(p, EINVAL, "%s at position %u: position %u already takes a header off", p->row->name,
			p->index, p->decap.index);
	p->decap = (struct reformat){ .present = true, .tunnel = tunnel, .index = p->index };
	note(p, tunnel ? FLOW_STAGE_DECAP : FLOW_STAGE_ENCAP, true, true);
	return 0;
}

static int
plan_vxlan_decap(struct flow_planner *p)
{
	return take_decap(p, true);
}

static int
plan_raw_decap(struct flow_planner *p)
{
	const struct rte_flow_action_raw_decap *conf = p->action->conf;

	if (conf == NULL || conf->size == 0)
		return REFUSE(p, EINVAL, "raw_decap: the template must give the size of what is taken off");
	if (conf->size > MLX5DR_MAX_HEADER_BYTES)
		return REFUSE_CONF(p, EINVAL, "raw_decap: size %zu, at most %u", conf->size, MLX5DR_MAX_HEADER_BYTES);
	return take_decap(p, conf->size > TUNNEL_BYTES);
}

static int
take_encap(struct flow_planner *p, const struct reformat *encap)
{
	if (p->encap.present)
		return REFUSE(p, EINVAL, "%s at position %u: position %u already puts a header on", p->row->name,
			p->index, p->encap.index);
	if (encap->bytes % 2 != 0)
		return REFUSE_CONF(p, ENOTSUP, "%s: size %u, the device inserts an even number of bytes", p->row->name,
			encap->bytes);
	p->encap = *encap;
	p->encap.present = true;
	p->encap.index = p->index;
	/* A new Ethernet header on a packet without tunnel is part of taking the tunnel off. */
	note(p, encap->tunnel ? FLOW_STAGE_ENCAP : FLOW_STAGE_DECAP, true, true);
	return 0;
}

static int
plan_raw_encap(struct flow_planner *p)
{
	const struct rte_flow_action_raw_encap *conf = p->action->conf, *mask = p->mask->conf;
	struct reformat encap = { 0 };
	struct flow_prepare *step;
	int fixed;
	int rc;

	if (conf == NULL || conf->size == 0)
		return REFUSE(p, EINVAL, "raw_encap: the template must give the header's size");
	if (conf->size > FLOW_MAX_ENCAP_BYTES)
		return REFUSE_CONF(p, EINVAL, "raw_encap: size %zu, at most %u", conf->size, FLOW_MAX_ENCAP_BYTES);
	fixed = mask != NULL && (mask->size != 0 || mask->data != NULL);
	if (fixed && conf->data == NULL)
		return REFUSE_CONF(p, EINVAL, "raw_encap: the mask fixes data, but data is NULL");
	encap.bytes = conf->size;
	encap.tunnel = conf->size > TUNNEL_BYTES;
	encap.fixed = fixed;
	if (fixed) {
		memcpy(p->plan->header[1], conf->data, conf->size);
	} else {
		rc = prepare(p, FLOW_PREPARE_RAW, sizeof(void *), &step);
		if (rc != 0)
			return rc;
		step->bytes = conf->size;
		encap.source = (struct mlx5dr_source){ .base = MLX5DR_SCRATCH, .unit = 4,
			.pointer_at = step->scratch_at };
	}
	return take_encap(p, &encap);
}

static int
plan_vxlan_encap(struct flow_planner *p)
{
	const struct rte_flow_action_vxlan_encap *conf = p->action->conf;
	struct reformat encap = { .tunnel = true, .fixed = p->mask->conf != NULL };
	struct flow_prepare *step;
	int len;

	if (conf == NULL)
		return REFUSE(p, EINVAL, "vxlan_encap: the template must give a definition");
	len = flow_encap_build(p->action, conf->definition, p->plan->header[1], p->error);
	if (len < 0)
		return len;
	encap.bytes = len;
	if (!encap.fixed) {
		int rc = prepare(p, FLOW_PREPARE_VXLAN, FLOW_MAX_ENCAP_BYTES, &step);

		if (rc != 0)
			return rc;
		step->bytes = len;
		encap.source = scratch_source(step->scratch_at, 4);
	}
	return take_encap(p, &encap);
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

#define BOTH_WAYS (FLOW_RX | FLOW_TX)
#define ACTION(upper, lower, directions, stage, fn, note) \
	{ RTE_FLOW_ACTION_TYPE_##upper, lower, directions, FLOW_STAGE_##stage, fn, note }

const struct flow_action_row flow_actions[] = {
	ACTION(VOID, "void", BOTH_WAYS, NONE, plan_void, ""),
	ACTION(QUEUE, "queue", FLOW_RX, FATE, plan_queue, "index fixed or per rule"),
	ACTION(RSS, "rss", FLOW_RX, FATE, plan_rss, "Toeplitz, symmetric Toeplitz; level 0 to 2; fixed or per rule"),
	ACTION(DROP, "drop", BOTH_WAYS, FATE, plan_drop, ""),
	ACTION(JUMP, "jump", BOTH_WAYS, FATE, plan_jump, "not to group 0; groups below 65536"),
	ACTION(MARK, "mark", FLOW_RX, NONE, plan_mark, "0 to 0xffffef"),
	ACTION(FLAG, "flag", FLOW_RX, NONE, plan_flag, ""),
	ACTION(COUNT, "count", BOTH_WAYS, NONE, plan_count, "one per rule, from the counters of configure"),
	ACTION(MODIFY_FIELD, "modify_field", BOTH_WAYS, MODIFY, plan_modify_field, "set, add (immediate), copy"),
	ACTION(RAW_DECAP, "raw_decap", FLOW_RX, DECAP, plan_raw_decap,
	       "L2 tunnels; with raw_encap of 14 or 18 bytes L3 tunnels"),
	ACTION(RAW_ENCAP, "raw_encap", BOTH_WAYS, ENCAP, plan_raw_encap,
	       "even size up to 132; after raw_decap of an Ethernet header an L3 tunnel (ingress)"),
	ACTION(VXLAN_DECAP, "vxlan_decap", FLOW_RX, DECAP, plan_vxlan_decap, ""),
	ACTION(VXLAN_ENCAP, "vxlan_encap", BOTH_WAYS, ENCAP, plan_vxlan_encap, "eth, [vlan], ipv4 or ipv6, udp, vxlan"),
	ACTION(OF_POP_VLAN, "of_pop_vlan", BOTH_WAYS, POP, plan_pop_vlan, "up to two"),
	ACTION(OF_PUSH_VLAN, "of_push_vlan", BOTH_WAYS, PUSH, plan_push_vlan, "up to two, each with of_set_vlan_vid"),
	ACTION(OF_SET_VLAN_VID, "of_set_vlan_vid", BOTH_WAYS, PUSH, plan_set_vid,
	       "of the tag pushed before it, or of the packet's own"),
	ACTION(OF_SET_VLAN_PCP, "of_set_vlan_pcp", BOTH_WAYS, PUSH, plan_set_pcp, "of the tag pushed before it"),
	ACTION(INDIRECT, "indirect", BOTH_WAYS, NONE, plan_indirect, "rss (ingress), count; the mask's type says which"),
};
const unsigned int flow_nb_actions = RTE_DIM(flow_actions);

const struct flow_action_row *
flow_action_row(enum rte_flow_action_type type)
{
	for (unsigned int i = 0; i < RTE_DIM(flow_actions); i++)
		if (flow_actions[i].type == type)
			return &flow_actions[i];
	return NULL;
}

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
	};
	struct flow_plan *plan = p->plan;
	struct mlx5dr_slot *slot;

	if (plan->fate == FLOW_FATE_NONE && plan->type == MLX5DR_NIC_RX)
		return flow_error(p->error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, p->request->actions,
			"no fate: an ingress rule needs queue, rss, jump or drop");
	slot = add_slot(plan, types[plan->fate], plan->fate_index);
	p->index = plan->fate_index;
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
