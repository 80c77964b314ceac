/* SPDX-License-Identifier: BSD-3-Clause */

/* Actions that change the packet: fields, VLAN tags, headers. */

#include "flow/plan.h"

#include <string.h>

#include <rte_byteorder.h>

#include "flow/encap.h"
#include "prm/modify.h"

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

int
flow_plan_modify_field(struct flow_planner *p)
{
	struct flow_modify_request request = {
		.action = p->action, .mask = p->mask, .index = p->index, .type = p->request->type,
		.regs = p->request->regs, .scratch_at = RTE_ALIGN_CEIL(p->plan->scratch_used, 8),
		.rule = p->request->rule,
	};
	struct flow_modify_list list;
	struct flow_prepare *step = NULL;
	int rc = flow_modify_compile(&request, &list, p->error);

	if (rc == 0 && list.copies_pointer) {
		rc = prepare(p, FLOW_PREPARE_POINTER, sizeof(((flow_field_data *)0)->value), &step);
		if (rc == 0)
			step->bytes = list.image_bytes;
	}
	if (rc == 0)
		rc = append_commands(p, list.command, list.nb);
	if (rc == 0)
		note(p, FLOW_STAGE_MODIFY, list.touches_packet, list.touches_vlan);
	return rc;
}

int
flow_plan_pop_vlan(struct flow_planner *p)
{
	if (p->nb_pop == 2)
		return REFUSE(p, ENOTSUP, "of_pop_vlan: at most two tags can be removed");
	p->pop_index[p->nb_pop++] = p->index;
	note(p, FLOW_STAGE_POP, true, true);
	return 0;
}

int
flow_plan_push_vlan(struct flow_planner *p)
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

int
flow_plan_set_vid(struct flow_planner *p)
{
	const struct rte_flow_action_of_set_vlan_vid *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->vlan_vid != 0, "vlan_vid");
	struct push *push = p->nb_push > 0 ? &p->push[p->nb_push - 1] : NULL;
	struct mlx5dr_value vid;
	struct flow_prepare *step = NULL;
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

int
flow_plan_set_pcp(struct flow_planner *p)
{
	const struct rte_flow_action_of_set_vlan_pcp *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->vlan_pcp != 0, "vlan_pcp");
	struct push *push = p->nb_push > 0 ? &p->push[p->nb_push - 1] : NULL;
	struct flow_prepare *step = NULL;
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

int
flow_plan_vxlan_decap(struct flow_planner *p)
{
	return take_decap(p, true);
}

int
flow_plan_raw_decap(struct flow_planner *p)
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

int
flow_plan_raw_encap(struct flow_planner *p)
{
	const struct rte_flow_action_raw_encap *conf = p->action->conf, *mask = p->mask->conf;
	struct reformat encap = { 0 };
	struct flow_prepare *step = NULL;
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

int
flow_plan_vxlan_encap(struct flow_planner *p)
{
	const struct rte_flow_action_vxlan_encap *conf = p->action->conf;
	struct reformat encap = { .tunnel = true, .fixed = p->mask->conf != NULL };
	struct flow_prepare *step = NULL;
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
