/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/actions.h"

#include <rte_common.h>

#include "flow/api.h"
#include "flow/plan.h"

#define BOTH_WAYS (FLOW_RX | FLOW_TX)
#define ACTION(upper, lower, directions, stage, fn, note) \
	{ RTE_FLOW_ACTION_TYPE_##upper, lower, directions, FLOW_STAGE_##stage, fn, note }

const struct flow_action_row flow_actions[] = {
	ACTION(VOID, "void", BOTH_WAYS, NONE, flow_plan_void, ""),
	ACTION(QUEUE, "queue", FLOW_RX, FATE, flow_plan_queue, "index fixed or per rule"),
	ACTION(RSS, "rss", FLOW_RX, FATE, flow_plan_rss, "Toeplitz, symmetric Toeplitz; level 0 to 2; fixed or per rule"),
	ACTION(DROP, "drop", BOTH_WAYS, FATE, flow_plan_drop, ""),
	ACTION(JUMP, "jump", BOTH_WAYS, FATE, flow_plan_jump, "not to group 0; groups below 65536"),
#ifdef FLOW_HAS_INDEX_PATTERN
	ACTION(JUMP_TO_TABLE_INDEX, "jump_to_table_index", BOTH_WAYS, FATE, flow_plan_jump_to_row,
	       "table and index fixed or per rule; tables by index with pattern"),
#endif
	ACTION(MARK, "mark", FLOW_RX, NONE, flow_plan_mark, "0 to 0xffffef"),
	ACTION(FLAG, "flag", FLOW_RX, NONE, flow_plan_flag, ""),
	ACTION(COUNT, "count", BOTH_WAYS, NONE, flow_plan_count, "one per rule, from the counters of configure"),
	ACTION(MODIFY_FIELD, "modify_field", BOTH_WAYS, MODIFY, flow_plan_modify_field, "set, add (immediate), copy"),
	ACTION(RAW_DECAP, "raw_decap", FLOW_RX, DECAP, flow_plan_raw_decap,
	       "L2 tunnels; with raw_encap of 14 or 18 bytes L3 tunnels"),
	ACTION(RAW_ENCAP, "raw_encap", BOTH_WAYS, ENCAP, flow_plan_raw_encap,
	       "even size up to 132; after raw_decap of an Ethernet header an L3 tunnel (ingress)"),
	ACTION(VXLAN_DECAP, "vxlan_decap", FLOW_RX, DECAP, flow_plan_vxlan_decap, ""),
	ACTION(VXLAN_ENCAP, "vxlan_encap", BOTH_WAYS, ENCAP, flow_plan_vxlan_encap, "eth, [vlan], ipv4 or ipv6, udp, vxlan"),
	ACTION(OF_POP_VLAN, "of_pop_vlan", BOTH_WAYS, POP, flow_plan_pop_vlan, "up to two"),
	ACTION(OF_PUSH_VLAN, "of_push_vlan", BOTH_WAYS, PUSH, flow_plan_push_vlan, "up to two, each with of_set_vlan_vid"),
	ACTION(OF_SET_VLAN_VID, "of_set_vlan_vid", BOTH_WAYS, PUSH, flow_plan_set_vid,
	       "of the tag pushed before it, or of the packet's own"),
	ACTION(OF_SET_VLAN_PCP, "of_set_vlan_pcp", BOTH_WAYS, PUSH, flow_plan_set_pcp, "of the tag pushed before it"),
	ACTION(INDIRECT, "indirect", BOTH_WAYS, NONE, flow_plan_indirect, "rss (ingress), count; the mask's type says which"),
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
