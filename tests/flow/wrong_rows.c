/* SPDX-License-Identifier: BSD-3-Clause */

#include "wrong_calls.h"

#include <stdio.h>

#define I(t, ...) { .type = RTE_FLOW_ITEM_TYPE_##t, __VA_ARGS__ }
#define A(t, ...) { .type = RTE_FLOW_ACTION_TYPE_##t, __VA_ARGS__ }
#define ITEMS(...) ((const struct rte_flow_item[]){ __VA_ARGS__, I(END) })
#define ACTIONS(...) ((const struct rte_flow_action[]){ __VA_ARGS__, A(END) })

/* ---- what is right, for the world ------------------------------------------------------------------------------ */

static const struct rte_flow_item_ipv4 dst_mask = { .hdr.dst_addr = RTE_BE32(UINT32_MAX) };
static const struct rte_flow_item_ipv4 dst = { .hdr.dst_addr = RTE_BE32(0x0a000001) };
const struct rte_flow_item wrong_items[] = { I(ETH), I(IPV4, .mask = &dst_mask), I(UDP), I(END) };
const struct rte_flow_item wrong_rule_items[] = { I(ETH), I(IPV4, .spec = &dst), I(UDP), I(END) };
const struct rte_flow_action wrong_actions[] = { A(MARK), A(COUNT), A(QUEUE), A(END) };
const struct rte_flow_action wrong_masks[] = { A(MARK), A(COUNT), A(QUEUE), A(END) };
static const struct rte_flow_action_mark mark = { .id = 1 };
static const struct rte_flow_action_queue queue0 = { .index = 0 }, queue9 = { .index = 9 };
const struct rte_flow_action wrong_rule_actions[] = { A(MARK, &mark), A(COUNT), A(QUEUE, &queue0), A(END) };
const struct rte_flow_action wrong_jump[] = { A(JUMP), A(END) };
const struct rte_flow_action wrong_jump_mask[] = { A(JUMP), A(END) };
const struct rte_flow_pattern_template_attr wrong_ingress_pattern = { .ingress = 1 };
const struct rte_flow_actions_template_attr wrong_ingress_actions = { .ingress = 1 };

static const struct rte_flow_op_attr now;
static const uint8_t ones[64] = { [0 ... 63] = 0xff };

/* ---- calls ----------------------------------------------------------------------------------------------------- */

static bool
pattern(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_pattern_template_create(world.port, row->attr != NULL ? row->attr : &wrong_ingress_pattern, row->items,
		error) == NULL;
}

static bool
actions(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_actions_template_create(world.port, row->attr != NULL ? row->attr : &wrong_ingress_actions,
		row->actions, row->masks != NULL ? row->masks : row->actions, error) == NULL;
}

static bool
pattern_destroy(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_pattern_template_destroy(world.port, world.pt, error) != 0;
}

static bool
actions_destroy(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_actions_template_destroy(world.port, world.at, error) != 0;
}

static bool
table(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_template_table_create(world.port, row->attr, &world.pt, 1, &world.at, 1, error) == NULL;
}

static bool
table_templates(const struct wrong *row, struct rte_flow_error *error)
{
	static const struct rte_flow_template_table_attr attr = { .flow_attr = { .group = 2, .ingress = 1 }, .nb_flows = 8 };
	struct rte_flow_pattern_template *pts[64], *pt = row->number == 1 ? world.pt_egress : row->number == 2 ? NULL : world.pt;
	struct rte_flow_actions_template *ats[64], *at = row->number == 3 ? NULL : world.at;

	for (unsigned int i = 0; i < 64; i++) {
		pts[i] = pt;
		ats[i] = at;
	}
	return rte_flow_template_table_create(world.port, &attr, pts, row->number == 4 ? 0 : row->number == 5 ? 33 : 1, ats,
		row->number == 6 ? 0 : row->number == 7 ? 33 : 1, error) == NULL;
}

#define DEFINERS 256 /* more than the device has */

/* Tables that match a different mask each, until the device has no definer left. */
static bool
definers(const struct wrong *row, struct rte_flow_error *error)
{
	static const struct rte_flow_template_table_attr attr = { .flow_attr = { .group = 3, .ingress = 1 }, .nb_flows = 1 };
	struct rte_flow_template_table *tables[DEFINERS] = { NULL };
	struct rte_flow_pattern_template *pts[DEFINERS] = { NULL };
	unsigned int n;
	int err = 0;

	for (n = 0; n < DEFINERS && err == 0; n++) {
		struct rte_flow_item_ipv4 mask = { .hdr.dst_addr = rte_cpu_to_be_32(n + 1) };
		struct rte_flow_item items[] = { I(ETH), I(IPV4, .mask = &mask), I(END) };

		pts[n] = rte_flow_pattern_template_create(world.port, &wrong_ingress_pattern, items, error);
		if (pts[n] != NULL)
			tables[n] = rte_flow_template_table_create(world.port, &attr, &pts[n], 1, &world.at, 1, error);
		err = tables[n] == NULL ? rte_errno : 0;
	}
	while (n-- > 0) {
		if (tables[n] != NULL && rte_flow_template_table_destroy(world.port, tables[n], NULL) != 0)
			return false;
		if (pts[n] != NULL && rte_flow_pattern_template_destroy(world.port, pts[n], NULL) != 0)
			return false;
	}
	rte_errno = err;
	return err != 0;
}

static bool
table_destroy(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_template_table_destroy(world.port, world.big, error) != 0;
}

/* number: queue | pattern index << 8 | actions index << 16 | 1 << 24: the full table | 2 << 24: no table */
static bool
create(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow_template_table *t = row->number >> 24 == 1 ? world.table : row->number >> 24 == 2 ? NULL : world.big;

	return rte_flow_async_create(world.port, row->number & 0xff, &now, t, row->items, row->number >> 8 & 0xff,
		row->actions, row->number >> 16 & 0xff, NULL, error) == NULL;
}

static bool
destroy(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow *rules[] = { NULL, world.rule, world.unpulled };

	return rte_flow_async_destroy(world.port, row->number & 0xff, &now, rules[row->number >> 8], NULL, error) != 0;
}

static bool
push(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_push(world.port, row->number, error) != 0;
}

static bool
pull(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow_op_result result;

	return rte_flow_pull(world.port, row->number & 0xff, row->number >> 8 ? NULL : &result, 1, error) < 0;
}

static const struct rte_flow_indir_action_conf both_ways = { .ingress = 1, .egress = 1 }, in = { .ingress = 1 }, nowhere = { 0 },
	across = { .transfer = 1 };

static bool
handle(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_action_handle_create(world.port, row->attr != NULL ? row->attr : &in, row->actions, error) == NULL;
}

static bool
async_handle(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_async_action_handle_create(world.port, row->number, &now, &in, row->actions, NULL, error) == NULL;
}

static bool
handle_destroy(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_action_handle_destroy(world.port, NULL, error) != 0;
}

static bool
handle_update(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_action_handle_update(world.port, row->number ? world.count : world.rss, row->actions, error) != 0;
}

static bool
handle_query(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow_query_count count = { 0 };

	return rte_flow_action_handle_query(world.port, row->number ? world.count : world.rss, row->number ? NULL : &count,
		error) != 0;
}

static bool
async_handle_destroy(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_async_action_handle_destroy(world.port, row->number, &now, world.count, NULL, error) != 0;
}

static bool
async_handle_update(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_async_action_handle_update(world.port, row->number, &now, world.count, row->actions, NULL, error) != 0;
}

static bool
async_handle_query(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow_query_count count = { 0 };

	return rte_flow_async_action_handle_query(world.port, row->number, &now, world.rss, &count, NULL, error) != 0;
}

static bool
query(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow_query_count count = { 0 };
	struct rte_flow *rules[] = { NULL, world.rule, world.unpulled };

	return rte_flow_query(world.port, rules[row->number & 0xff], row->actions, row->number >> 8 ? NULL : &count, error) != 0;
}

static bool
configure(const struct wrong *row, struct rte_flow_error *error)
{
	const struct rte_flow_queue_attr attr = { .size = row->number >> 16 };
	const struct rte_flow_queue_attr *attrs[2048];
	static const struct rte_flow_port_attr none;

	for (unsigned int i = 0; i < 2048; i++)
		attrs[i] = &attr;
	return rte_flow_configure(world.port, row->attr != NULL ? row->attr : &none, row->number & 0xffff, attrs, error) != 0;
}

static bool
isolate(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_isolate(world.port, 1, error) != 0;
}

static bool
validate(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_validate(world.port, row->attr, row->items, row->actions, error) != 0;
}

static bool
sync_create(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_create(world.port, row->attr, row->items, row->actions, error) == NULL;
}

static bool
sync_destroy(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_destroy(world.port, world.rule, error) != 0;
}

static bool
dump(const struct wrong *row, struct rte_flow_error *error)
{
	return rte_flow_dev_dump(world.port, NULL, NULL, error) != 0;
}

static bool
aged(const struct wrong *row, struct rte_flow_error *error)
{
	return (row->number ? rte_flow_get_q_aged_flows(world.port, 0, NULL, 0, error) :
		rte_flow_get_aged_flows(world.port, NULL, 0, error)) < 0;
}

static bool
tunnel(const struct wrong *row, struct rte_flow_error *error)
{
	struct rte_flow_tunnel t = { 0 };
	struct rte_flow_action *a = NULL;
	struct rte_flow_item *i = NULL;
	struct rte_flow_restore_info info;
	uint32_t nb = 0;

	switch (row->number) {
	case 0:
		return rte_flow_tunnel_decap_set(world.port, &t, &a, &nb, error) != 0;
	case 1:
		return rte_flow_tunnel_match(world.port, &t, &i, &nb, error) != 0;
	case 2:
		return rte_flow_get_restore_info(world.port, NULL, &info, error) != 0;
	case 3:
		return rte_flow_tunnel_action_decap_release(world.port, a, 0, error) != 0;
	default:
		return rte_flow_tunnel_item_release(world.port, i, 0, error) != 0;
	}
}

static bool
flex(const struct wrong *row, struct rte_flow_error *error)
{
	const struct rte_flow_item_flex_conf conf = { 0 };

	return row->number ? rte_flow_flex_item_release(world.port, NULL, error) != 0 :
		rte_flow_flex_item_create(world.port, &conf, error) == NULL;
}

/* ---- confs ----------------------------------------------------------------------------------------------------- */

static uint8_t bytes[256];
static const uint16_t two_queues[] = { 0, 1 }, bad_queues[] = { 0, 7 };
#define CONST(type, name, ...) static const struct rte_flow_action_##type name = { __VA_ARGS__ }
CONST(mark, big_mark, .id = 0xfffff0);
CONST(mark, fixed_mark, .id = 5);
CONST(jump, jump0, .group = 0);
CONST(jump, jump5, .group = 5);
CONST(jump, jump_far, .group = 70000);
CONST(jump, jump_all, .group = UINT32_MAX);
CONST(of_push_vlan, push_8100, .ethertype = RTE_BE16(0x8100));
CONST(of_push_vlan, push_0800, .ethertype = RTE_BE16(0x0800));
CONST(of_set_vlan_vid, vid5, .vlan_vid = RTE_BE16(5));
CONST(of_set_vlan_vid, vid5000, .vlan_vid = RTE_BE16(5000));
CONST(of_set_vlan_pcp, pcp1, .vlan_pcp = 1);
CONST(of_set_vlan_pcp, pcp9, .vlan_pcp = 9);
CONST(raw_encap, encap50, .data = bytes, .size = 50);
CONST(raw_encap, encap14, .data = bytes, .size = 14);
CONST(raw_encap, encap16, .data = bytes, .size = 16);
CONST(raw_encap, encap51, .data = bytes, .size = 51);
CONST(raw_encap, encap200, .data = bytes, .size = 200);
CONST(raw_encap, encap0, .data = bytes, .size = 0);
CONST(raw_encap, encap_null, .data = NULL, .size = 50);
CONST(raw_decap, decap14, .data = bytes, .size = 14);
CONST(raw_decap, decap50, .data = bytes, .size = 50);
CONST(raw_decap, decap0, .size = 0);
CONST(rss, rss_none, .types = RTE_ETH_RSS_IP);
CONST(rss, rss_bad, .types = RTE_ETH_RSS_IP, .queue = bad_queues, .queue_num = 2);
CONST(rss, rss_level, .types = RTE_ETH_RSS_IP, .queue = two_queues, .queue_num = 2, .level = 3);
CONST(rss, rss_func, .types = RTE_ETH_RSS_IP, .queue = two_queues, .queue_num = 2, .func = RTE_ETH_HASH_FUNCTION_SIMPLE_XOR);
CONST(rss, rss_types, .types = RTE_ETH_RSS_ESP, .queue = two_queues, .queue_num = 2);
CONST(rss, rss_key, .types = RTE_ETH_RSS_IP, .queue = two_queues, .queue_num = 2, .key = bytes, .key_len = 12);
CONST(rss, rss_good, .types = RTE_ETH_RSS_IP, .queue = two_queues, .queue_num = 2);
static struct rte_flow_item no_vxlan[] = { I(ETH, .spec = ones), I(IPV4, .spec = ones), I(END) };
static struct rte_flow_item gre[] = { I(ETH, .spec = ones), I(GRE, .spec = ones), I(END) };
static struct rte_flow_item backwards[] = { I(UDP, .spec = ones), I(ETH, .spec = ones), I(END) };
static struct rte_flow_item no_spec[] = { I(ETH), I(END) };
CONST(vxlan_encap, vxlan_short, .definition = no_vxlan);
CONST(vxlan_encap, vxlan_gre, .definition = gre);
CONST(vxlan_encap, vxlan_backwards, .definition = backwards);
CONST(vxlan_encap, vxlan_no_spec, .definition = no_spec);
CONST(vxlan_encap, vxlan_null, .definition = NULL);

#define ALL -1 /* a level has 32 bits in 22.11, 8 later */
#define MF(name, ...) CONST(modify_field, name, __VA_ARGS__)
#define VALUE .src = { .field = RTE_FLOW_FIELD_VALUE, .value = { 1 } }
MF(mf_mask, .width = ALL, .dst = { .level = ALL, .offset = ALL }, .src = { .value = { 0xff } });
MF(mf_copy_mask, .width = ALL, .dst = { .level = ALL, .offset = ALL }, .src = { .level = ALL, .offset = ALL });
MF(mf_no_width, .dst = { .level = ALL, .offset = ALL });
MF(mf_no_level, .width = ALL, .dst = { .offset = ALL });
MF(mf_ttl, .width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL }, VALUE);
MF(mf_sub, .operation = RTE_FLOW_MODIFY_SUB, .width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL }, VALUE);
MF(mf_mark, .width = 8, .dst = { .field = RTE_FLOW_FIELD_MARK }, VALUE);
MF(mf_start, .width = 8, .dst = { .field = RTE_FLOW_FIELD_START }, VALUE);
MF(mf_geneve, .width = 8, .dst = { .field = RTE_FLOW_FIELD_GENEVE_VNI }, VALUE);
MF(mf_vlan_type, .width = 8, .dst = { .field = RTE_FLOW_FIELD_VLAN_TYPE }, VALUE);
MF(mf_tag, .width = 8, .dst = { .field = RTE_FLOW_FIELD_TAG, .level = 77 }, VALUE);
MF(mf_level, .width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL, .level = 3 }, VALUE);
MF(mf_inner_vlan, .width = 8, .dst = { .field = RTE_FLOW_FIELD_VLAN_ID, .level = 2 }, VALUE);
MF(mf_zero, .width = 0, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL }, VALUE);
MF(mf_wide, .width = 9, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL }, VALUE);
MF(mf_offset, .width = 4, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL, .offset = 6 }, VALUE);
MF(mf_add_mac, .operation = RTE_FLOW_MODIFY_ADD, .width = 48, .dst = { .field = RTE_FLOW_FIELD_MAC_SRC }, VALUE);
MF(mf_add_field, .operation = RTE_FLOW_MODIFY_ADD, .width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL },
	.src = { .field = RTE_FLOW_FIELD_IPV6_HOPLIMIT });
MF(mf_copy_wide, .width = 16, .dst = { .field = RTE_FLOW_FIELD_UDP_PORT_SRC }, .src = { .field = RTE_FLOW_FIELD_IPV4_TTL });
MF(mf_copy_meter, .width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL }, .src = { .field = RTE_FLOW_FIELD_METER_COLOR });
#define MODIFY(conf, mask) ACTIONS(A(MODIFY_FIELD, &(conf)), A(DROP)), ACTIONS(A(MODIFY_FIELD, &(mask)), A(DROP))

static const struct rte_flow_pattern_template_attr pattern_transfer = { .transfer = 1 }, pattern_nowhere;
static const struct rte_flow_actions_template_attr actions_transfer = { .transfer = 1 }, actions_nowhere,
	actions_egress = { .egress = 1 };
static const struct rte_flow_item_eth eth_type = { .type = RTE_BE16(0xffff) };
static const struct rte_flow_item_tag tag_mask = { .data = 1 }, tag99 = { .index = 99 };
static const struct rte_flow_item_ipv4 checksum = { .hdr.hdr_checksum = 1 };
/* An IPv6 address is an array, and from 24.11 on a structure with one in it: without inner braces both take the same list. */
#pragma GCC diagnostic ignored "-Wmissing-braces"
#define ONES 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
static const struct rte_flow_item_ipv6 wide6 = {
	.hdr = { .vtc_flow = RTE_BE32(0x0fffffff), .payload_len = RTE_BE16(0xffff), .proto = 0xff, .hop_limits = 0xff,
		.src_addr = { ONES }, .dst_addr = { ONES } },
};
static const struct rte_flow_item_eth wide2 = {
	.dst = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } }, .src = { { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } }, .type = RTE_BE16(0xffff),
};
static const struct rte_flow_item_tcp ports = { .hdr = { .src_port = RTE_BE16(0xffff), .dst_port = RTE_BE16(0xffff) } };

#define TABLE_ATTR(name, ...) static const struct rte_flow_template_table_attr name = { __VA_ARGS__ }
TABLE_ATTR(table_new_group, .flow_attr = { .group = 77, .ingress = 1 }, .nb_flows = 8);
TABLE_ATTR(table_transfer, .flow_attr = { .transfer = 1 }, .nb_flows = 8);
TABLE_ATTR(table_nowhere, .nb_flows = 8);
TABLE_ATTR(table_both, .flow_attr = { .ingress = 1, .egress = 1 }, .nb_flows = 8);
TABLE_ATTR(table_group, .flow_attr = { .ingress = 1, .group = 65536 }, .nb_flows = 8);
TABLE_ATTR(table_priority, .flow_attr = { .ingress = 1, .priority = 65536 }, .nb_flows = 8);
TABLE_ATTR(table_none, .flow_attr = { .ingress = 1, .group = 2 }, .nb_flows = 0);
TABLE_ATTR(table_huge, .flow_attr = { .ingress = 1, .group = 2 }, .nb_flows = UINT32_MAX);
TABLE_ATTR(table_egress, .flow_attr = { .egress = 1, .group = 2 }, .nb_flows = 8);

static const struct rte_flow_port_attr ask_counters = { .nb_counters = UINT32_MAX }, ask_aging = { .nb_aging_objects = 1 },
	ask_meters = { .nb_meters = 1 }, ask_conntrack = { .nb_conn_tracks = 1 }, ask_flags = { .flags = 1 };

static const struct rte_flow_attr rule_in = { .ingress = 1 }, rule_both = { .ingress = 1, .egress = 1 }, rule_nowhere,
	rule_transfer = { .transfer = 1 }, rule_group = { .ingress = 1, .group = 1u << 20 };

/* ---- rows ------------------------------------------------------------------------------------------------------ */

#define NO_ITEM(t) { "pattern " #t, pattern, ENOTSUP, #t, .items = ITEMS(I(t)) }
#define NO_ACTION(t) { "actions " #t, actions, ENOTSUP, #t, .actions = ACTIONS(A(t), A(DROP)) }
#define PATTERN(name, err, part, ...) { "pattern " name, pattern, err, part, .items = ITEMS(__VA_ARGS__) }
#define ACTION(name, err, part, ...) { "actions " name, actions, err, part, .actions = ACTIONS(__VA_ARGS__) }
#define MODIFIES(name, err, part, lists) { "modify " name, actions, err, part, NULL, lists }

const struct wrong wrong_before[] = {
	/* Templates and tables are refused by rte_flow itself then. */
	{ "push before configure", push, EINVAL, "rte_flow_configure" },
	{ "pull before configure", pull, EINVAL, "rte_flow_configure" },
	{ "indirect action before configure", handle, EINVAL, "rte_flow_configure", .actions = ACTIONS(A(COUNT)) },
	{ "configure: too many counters", configure, EINVAL, "nb_counters", .attr = &ask_counters, .number = 8 << 16 | 1 },
	{ "configure: aging", configure, ENOTSUP, "nb_aging_objects", .attr = &ask_aging, .number = 8 << 16 | 1 },
	{ "configure: meters", configure, ENOTSUP, "nb_meters", .attr = &ask_meters, .number = 8 << 16 | 1 },
	{ "configure: connections", configure, ENOTSUP, "nb_conn_tracks", .attr = &ask_conntrack, .number = 8 << 16 | 1 },
	{ "configure: flags", configure, ENOTSUP, "flags 0x1", .attr = &ask_flags, .number = 8 << 16 | 1 },
	{ "configure: no queues", configure, EINVAL, "0 queues", .number = 8 << 16 },
	{ "configure: too many queues", configure, EINVAL, "2000 queues", .number = 8 << 16 | 2000 },
	{ "configure: queue of size 0", configure, EINVAL, "size 0 of queue 0", .number = 1 },
	{ "configure: queue too large", configure, EINVAL, "of queue 0", .number = 65535u << 16 | 1 },
};
const unsigned int nb_wrong_before = RTE_DIM(wrong_before);

const struct wrong wrong[] = {
	/* items that there are not */
	NO_ITEM(INVERT), NO_ITEM(ANY), NO_ITEM(PORT_ID), NO_ITEM(RAW), NO_ITEM(SCTP), NO_ITEM(NVGRE), NO_ITEM(MPLS), NO_ITEM(GRE),
	NO_ITEM(GTPU), NO_ITEM(ESP), NO_ITEM(GENEVE), NO_ITEM(VXLAN_GPE), NO_ITEM(ARP_ETH_IPV4), NO_ITEM(MARK), NO_ITEM(GRE_KEY),
	NO_ITEM(IPV6_FRAG_EXT), NO_ITEM(INTEGRITY), NO_ITEM(CONNTRACK), NO_ITEM(PORT_REPRESENTOR), NO_ITEM(REPRESENTED_PORT),
	NO_ITEM(FLEX), NO_ITEM(METER_COLOR),
	/* patterns */
	PATTERN("range", ENOTSUP, "eth.last", I(ETH, .last = ones)),
	PATTERN("checksum", ENOTSUP, "ipv4.hdr_checksum", I(IPV4, .mask = &checksum)),
	PATTERN("udp length", ENOTSUP, "udp.dgram_len", I(UDP, .mask = ones)),
	PATTERN("tcp sequence", ENOTSUP, "tcp.sent_seq", I(TCP, .mask = ones)),
	PATTERN("ipv6 extension", ENOTSUP, "ipv6.has_hop_ext", I(IPV6, .mask = ones)),
	PATTERN("eth reserved", ENOTSUP, "eth.reserved", I(ETH, .mask = ones)),
	PATTERN("vlan reserved", ENOTSUP, "vlan.reserved", I(VLAN, .mask = ones)),
	PATTERN("vxlan reserved", ENOTSUP, "vxlan.rsvd0", I(VXLAN, .mask = ones)),
	PATTERN("order", EINVAL, "ipv4 cannot stand", I(UDP), I(IPV4)),
	PATTERN("two IP headers", ENOTSUP, "ipv4: one such header", I(IPV4), I(IPV4)),
	PATTERN("two tags", ENOTSUP, "vlan: one such header", I(VLAN), I(VLAN)),
	PATTERN("icmp over ipv6", EINVAL, "icmp contradicts", I(IPV6), I(ICMP)),
	PATTERN("vxlan over tcp", EINVAL, "vxlan contradicts", I(TCP), I(VXLAN)),
	PATTERN("two tunnels", ENOTSUP, "vxlan inside a tunnel", I(VXLAN), I(UDP), I(VXLAN)),
	PATTERN("type of the tag", ENOTSUP, "vlan.inner_type", I(ETH, .mask = &eth_type), I(VLAN)),
	PATTERN("tag without index", EINVAL, "tag.index", I(TAG, .mask = &tag_mask)),
	PATTERN("tag 99", EINVAL, "tag.index 99", I(TAG, .mask = &tag_mask, .spec = &tag99)),
	PATTERN("too wide", E2BIG, "bytes of match key", I(ETH, .mask = &wide2), I(IPV6, .mask = &wide6), I(TCP, .mask = &ports)),
	{ "pattern transfer", pattern, ENOTSUP, "transfer", .items = ITEMS(I(ETH)), .attr = &pattern_transfer },
	{ "pattern without direction", pattern, EINVAL, "no direction", .items = ITEMS(I(ETH)), .attr = &pattern_nowhere },
	{ "pattern template in use destroyed", pattern_destroy, EBUSY, "in use by 2 tables" },
	/* actions that there are not */
	NO_ACTION(PASSTHRU), NO_ACTION(PF), NO_ACTION(VF), NO_ACTION(PORT_ID), NO_ACTION(METER), NO_ACTION(SECURITY),
	NO_ACTION(OF_DEC_NW_TTL), NO_ACTION(OF_POP_MPLS), NO_ACTION(NVGRE_ENCAP), NO_ACTION(NVGRE_DECAP), NO_ACTION(SET_IPV4_SRC),
	NO_ACTION(DEC_TTL), NO_ACTION(SET_TAG), NO_ACTION(SET_META), NO_ACTION(AGE), NO_ACTION(SAMPLE), NO_ACTION(CONNTRACK),
	NO_ACTION(PORT_REPRESENTOR), NO_ACTION(REPRESENTED_PORT), NO_ACTION(METER_MARK), NO_ACTION(SEND_TO_KERNEL),
	/* actions */
	ACTION("queue 9", EINVAL, "queue: index 9", A(QUEUE, &queue9)),
	ACTION("two fates", EINVAL, "drop at position 1", A(JUMP, &jump5), A(DROP)),
	ACTION("no fate", EINVAL, "no fate", A(COUNT)),
	ACTION("two marks", EINVAL, "flag at position 1", A(MARK), A(FLAG), A(DROP)),
	ACTION("two counters", ENOTSUP, "count at position 1", A(COUNT), A(COUNT), A(DROP)),
	ACTION("mark too large", EINVAL, "mark: id 0xfffff0", A(MARK, &big_mark), A(DROP)),
	ACTION("rss without queues", EINVAL, "rss: no queues", A(RSS, &rss_none)),
	ACTION("rss queue", EINVAL, "rss: queue 7", A(RSS, &rss_bad)),
	ACTION("rss level", ENOTSUP, "rss: level 3", A(RSS, &rss_level)),
	ACTION("rss function", ENOTSUP, "rss: func", A(RSS, &rss_func)),
	ACTION("rss types", ENOTSUP, "rss: types", A(RSS, &rss_types)),
	ACTION("rss key", ENOTSUP, "rss: key_len 12", A(RSS, &rss_key)),
	ACTION("vlan ethertype", EINVAL, "ethertype 0x0800", A(OF_PUSH_VLAN, &push_0800), A(OF_SET_VLAN_VID, &vid5), A(DROP)),
	ACTION("push without vid", EINVAL, "needs an of_set_vlan_vid", A(OF_PUSH_VLAN, &push_8100), A(DROP)),
	ACTION("vid", EINVAL, "vlan_vid 5000", A(OF_PUSH_VLAN, &push_8100), A(OF_SET_VLAN_VID, &vid5000), A(DROP)),
	ACTION("two vids", EINVAL, "of_set_vlan_vid at position 2", A(OF_PUSH_VLAN, &push_8100), A(OF_SET_VLAN_VID, &vid5),
	       A(OF_SET_VLAN_VID, &vid5), A(DROP)),
	ACTION("pcp alone", ENOTSUP, "of_set_vlan_pcp: only", A(OF_SET_VLAN_PCP, &pcp1), A(DROP)),
	ACTION("pcp", EINVAL, "vlan_pcp 9", A(OF_PUSH_VLAN, &push_8100), A(OF_SET_VLAN_VID, &vid5), A(OF_SET_VLAN_PCP, &pcp9),
	       A(DROP)),
	ACTION("three pops", ENOTSUP, "of_pop_vlan: at most two", A(OF_POP_VLAN), A(OF_POP_VLAN), A(OF_POP_VLAN), A(DROP)),
	ACTION("encap of odd size", ENOTSUP, "size 51", A(RAW_ENCAP, &encap51), A(DROP)),
	ACTION("encap too large", EINVAL, "size 200", A(RAW_ENCAP, &encap200), A(DROP)),
	ACTION("encap without size", EINVAL, "raw_encap: the template must give", A(RAW_ENCAP, &encap0), A(DROP)),
	ACTION("encap without data", EINVAL, "data is NULL", A(RAW_ENCAP, &encap_null), A(DROP)),
	ACTION("encap of an Ethernet header", EINVAL, "raw_encap of 14 bytes", A(RAW_ENCAP, &encap14), A(DROP)),
	ACTION("decap of an Ethernet header", EINVAL, "needs a raw_encap", A(RAW_DECAP, &decap14), A(DROP)),
	ACTION("decap without size", EINVAL, "raw_decap: the template must give", A(RAW_DECAP, &decap0), A(DROP)),
	ACTION("Ethernet header of 16 bytes", ENOTSUP, "14 or 18", A(RAW_DECAP, &decap50), A(RAW_ENCAP, &encap16), A(DROP)),
	ACTION("two decaps", EINVAL, "vxlan_decap at position 1", A(RAW_DECAP, &decap50), A(VXLAN_DECAP), A(DROP)),
	ACTION("two encaps", EINVAL, "raw_encap at position 1", A(RAW_ENCAP, &encap50), A(RAW_ENCAP, &encap50), A(DROP)),
	ACTION("push after encap", ENOTSUP, "of_push_vlan at position 1 is out of place", A(RAW_ENCAP, &encap50),
	       A(OF_PUSH_VLAN, &push_8100), A(OF_SET_VLAN_VID, &vid5), A(DROP)),
	ACTION("vxlan without vxlan", EINVAL, "does not end with vxlan", A(VXLAN_ENCAP, &vxlan_short), A(DROP)),
	ACTION("vxlan with gre", ENOTSUP, "GRE in the definition", A(VXLAN_ENCAP, &vxlan_gre), A(DROP)),
	ACTION("vxlan backwards", EINVAL, "udp is out of place", A(VXLAN_ENCAP, &vxlan_backwards), A(DROP)),
	ACTION("vxlan without spec", EINVAL, "eth has no spec", A(VXLAN_ENCAP, &vxlan_no_spec), A(DROP)),
	ACTION("vxlan NULL", EINVAL, "definition is NULL", A(VXLAN_ENCAP, &vxlan_null), A(DROP)),
	{ "jump to group 0", actions, EINVAL, "group 0", .actions = ACTIONS(A(JUMP, &jump0)), .masks = ACTIONS(A(JUMP, &jump_all)) },
	{ "jump too far", actions, EINVAL, "group 70000", .actions = ACTIONS(A(JUMP, &jump_far)) },
	{ "fixed without conf", actions, EINVAL, "mark: the mask fixes id", .actions = ACTIONS(A(MARK), A(DROP)),
	  .masks = ACTIONS(A(MARK, &fixed_mark), A(DROP)) },
	{ "masks of other types", actions, EINVAL, "masks[0] is MARK", .actions = ACTIONS(A(COUNT), A(DROP)),
	  .masks = ACTIONS(A(MARK), A(DROP)) },
	{ "masks too long", actions, EINVAL, "more entries", .actions = ACTIONS(A(DROP)), .masks = ACTIONS(A(DROP), A(COUNT)) },
	{ "indirect age", actions, ENOTSUP, "handle of AGE", .actions = ACTIONS(A(INDIRECT), A(DROP)),
	  .masks = ACTIONS(A(AGE), A(DROP)) },
	{ "actions transfer", actions, ENOTSUP, "transfer", .actions = ACTIONS(A(DROP)), .attr = &actions_transfer },
	{ "actions without direction", actions, EINVAL, "no direction", .actions = ACTIONS(A(DROP)), .attr = &actions_nowhere },
	{ "queue in egress", actions, ENOTSUP, "queue cannot be used in egress", .actions = ACTIONS(A(QUEUE)),
	  .attr = &actions_egress },
	{ "mark in egress", actions, ENOTSUP, "mark cannot be used in egress", .actions = ACTIONS(A(MARK), A(DROP)),
	  .attr = &actions_egress },
	{ "decap in egress", actions, ENOTSUP, "vxlan_decap cannot be used in egress", .actions = ACTIONS(A(VXLAN_DECAP)),
	  .attr = &actions_egress },
	{ "actions template in use destroyed", actions_destroy, EBUSY, "in use by 2 tables" },
	/* modify_field */
	MODIFIES("sub", ENOTSUP, "operation sub", MODIFY(mf_sub, mf_mask)),
	MODIFIES("mark", ENOTSUP, "dst field mark", MODIFY(mf_mark, mf_mask)),
	MODIFIES("start", ENOTSUP, "dst field start", MODIFY(mf_start, mf_mask)),
	MODIFIES("geneve", ENOTSUP, "dst field geneve_vni", MODIFY(mf_geneve, mf_mask)),
	MODIFIES("vlan type", ENOTSUP, "dst field vlan_type", MODIFY(mf_vlan_type, mf_mask)),
	MODIFIES("tag 77", EINVAL, "dst tag 77", MODIFY(mf_tag, mf_mask)),
	MODIFIES("level", ENOTSUP, "dst level 3", MODIFY(mf_level, mf_mask)),
	MODIFIES("inner vlan", ENOTSUP, "vlan_id exists in the outer", MODIFY(mf_inner_vlan, mf_mask)),
	MODIFIES("no width", EINVAL, "width is 0", MODIFY(mf_zero, mf_mask)),
	MODIFIES("too wide", EINVAL, "ipv4_ttl has 8 bits", MODIFY(mf_wide, mf_mask)),
	MODIFIES("beyond", EINVAL, "not 4 from bit 6", MODIFY(mf_offset, mf_mask)),
	MODIFIES("add to 48 bits", ENOTSUP, "add carries", MODIFY(mf_add_mac, mf_mask)),
	MODIFIES("add field", ENOTSUP, "add of field ipv6_hoplimit", MODIFY(mf_add_field, mf_copy_mask)),
	MODIFIES("copy wide", EINVAL, "src ipv4_ttl has 8 bits", MODIFY(mf_copy_wide, mf_copy_mask)),
	MODIFIES("copy color", ENOTSUP, "src field meter_color", MODIFY(mf_copy_meter, mf_copy_mask)),
	MODIFIES("open width", EINVAL, "must fix width", MODIFY(mf_ttl, mf_no_width)),
	MODIFIES("open level", EINVAL, "must fix dst level", MODIFY(mf_ttl, mf_no_level)),
	/* tables */
	{ "table transfer", table, ENOTSUP, "transfer", .attr = &table_transfer },
	{ "table without direction", table, EINVAL, "no direction", .attr = &table_nowhere },
	{ "table both ways", table, EINVAL, "ingress and egress", .attr = &table_both },
	{ "table group", table, EINVAL, "group 65536", .attr = &table_group },
	{ "table priority", table, EINVAL, "priority 65536", .attr = &table_priority },
	{ "table of 0", table, EINVAL, "nb_flows 0", .attr = &table_none },
	{ "table of too many", table, EINVAL, "nb_flows 4294967295", .attr = &table_huge },
	{ "table in egress", table, EINVAL, "template 0 is not for egress", .attr = &table_egress },
	{ "table with an egress pattern", table_templates, EINVAL, "pattern template 0 is not for ingress", .number = 1 },
	{ "table with no pattern", table_templates, EINVAL, "pattern template 0", .number = 2 },
	{ "table with no actions", table_templates, EINVAL, "actions template 0", .number = 3 },
	{ "table of 0 patterns", table_templates, EINVAL, "0 pattern templates", .number = 4 },
	{ "table of 33 patterns", table_templates, EINVAL, "33 pattern templates", .number = 5 },
	{ "table of 0 actions", table_templates, EINVAL, "0 actions templates", .number = 6 },
	{ "table of 33 actions", table_templates, EINVAL, "33 actions templates", .number = 7 },
	{ "definers of the device", definers, ENOSPC, "the device has no room for another definer" },
#define NO_ROOM "the device has no room for another "
	{ "no room for a table's first", table_templates, ENOSPC, NO_ROOM, .fault = "cmd:CREATE_GENERAL_OBJECT:1:0xf" },
	{ "no room for a table's second", table_templates, ENOSPC, NO_ROOM, .fault = "cmd:CREATE_GENERAL_OBJECT:2:0x8" },
	{ "no room for a group", table, ENOSPC, NO_ROOM "flow table", .attr = &table_new_group,
	  .fault = "cmd:CREATE_FLOW_TABLE:1:0xf" },
	{ "no room for RSS", handle, ENOSPC, NO_ROOM "TIR", .actions = ACTIONS(A(RSS, &rss_good)), .fault = "cmd:CREATE_TIR:1:0xf" },
	{ "table with rules destroyed", table_destroy, EBUSY, "it has rules" },
	/* rules */
	{ "rule: queue", create, EINVAL, "flow queue 5", .items = wrong_rule_items, .actions = wrong_rule_actions, .number = 5 },
	{ "rule: no table", create, EINVAL, "table", .items = wrong_rule_items, .actions = wrong_rule_actions, .number = 2 << 24 },
	{ "rule: pattern index", create, EINVAL, "pattern template index 1", .items = wrong_rule_items,
	  .actions = wrong_rule_actions, .number = 1 << 8 },
	{ "rule: actions index", create, EINVAL, "actions template index 7", .items = wrong_rule_items,
	  .actions = wrong_rule_actions, .number = 7 << 16 },
	{ "rule: no items", create, EINVAL, "items is NULL", .actions = wrong_rule_actions },
	{ "rule: no actions", create, EINVAL, "actions is NULL", .items = wrong_rule_items },
	{ "rule: no spec", create, EINVAL, "item 1, IPV4: spec is NULL", .items = ITEMS(I(ETH), I(IPV4), I(UDP)),
	  .actions = wrong_rule_actions },
	{ "rule: other item", create, EINVAL, "item 1 is IPV6", .items = ITEMS(I(ETH), I(IPV6), I(UDP)),
	  .actions = wrong_rule_actions },
	{ "rule: no conf", create, EINVAL, "QUEUE: the rule gives no conf", .items = wrong_rule_items,
	  .actions = ACTIONS(A(MARK, &mark), A(COUNT), A(QUEUE)) },
	{ "rule: queue 9", create, EINVAL, "queue: index 9", .items = wrong_rule_items,
	  .actions = ACTIONS(A(MARK, &mark), A(COUNT), A(QUEUE, &queue9)) },
	{ "rule: mark", create, EINVAL, "mark: id 0xfffff0", .items = wrong_rule_items,
	  .actions = ACTIONS(A(MARK, &big_mark), A(COUNT), A(QUEUE, &queue0)) },
	{ "rule: jump to group 0", create, EINVAL, "group 0", .items = wrong_rule_items, .actions = ACTIONS(A(JUMP, &jump0)),
	  .number = 1 << 16 },
	{ "rule: jump without conf", create, EINVAL, "JUMP: the rule gives no conf", .items = wrong_rule_items,
	  .actions = ACTIONS(A(JUMP)), .number = 1 << 16 },
	{ "rule: jump too far", create, EINVAL, "group 70000", .items = wrong_rule_items, .actions = ACTIONS(A(JUMP, &jump_far)),
	  .number = 1 << 16 },
	{ "rule: full table", create, ENOSPC, "made for 1 rules", .items = wrong_rule_items, .actions = wrong_rule_actions,
	  .number = 1 << 24 },
	{ "rule: full queue", create, EAGAIN, "flow queue 1 is full", .items = wrong_rule_items, .actions = wrong_rule_actions,
	  .number = 1 },
	{ "rule: jump to a new group on a full queue", create, EAGAIN, "flow queue 1 is full", .items = wrong_rule_items,
	  .actions = ACTIONS(A(JUMP, &jump5)), .number = 1 << 16 | 1 },
	{ "destroy: queue", destroy, EINVAL, "flow queue 5", .number = 1 << 8 | 5 },
	{ "destroy: NULL", destroy, EINVAL, "rule: NULL" },
	{ "destroy: not pulled", destroy, EBUSY, "has not been pulled", .number = 2 << 8 },
	{ "destroy: full queue", destroy, EAGAIN, "flow queue 1 is full", .number = 1 << 8 | 1 },
	{ "push: queue", push, EINVAL, "flow queue 5", .number = 5 },
	{ "pull: queue", pull, EINVAL, "flow queue 5", .number = 5 },
	{ "pull: no room", pull, EINVAL, "res is NULL", .number = 1 << 8 },
	/* indirect actions */
	{ "indirect age", handle, ENOTSUP, "indirect AGE", .actions = ACTIONS(A(AGE)) },
	{ "indirect mark", handle, ENOTSUP, "indirect MARK", .actions = ACTIONS(A(MARK, &mark)) },
	{ "indirect nowhere", handle, EINVAL, "no direction", .actions = ACTIONS(A(COUNT)), .attr = &nowhere },
	{ "indirect transfer", handle, ENOTSUP, "transfer", .actions = ACTIONS(A(COUNT)), .attr = &across },
	{ "indirect rss in egress", handle, ENOTSUP, "egress", .actions = ACTIONS(A(RSS, &rss_good)), .attr = &both_ways },
	{ "indirect rss queue", handle, EINVAL, "rss: queue 7", .actions = ACTIONS(A(RSS, &rss_bad)) },
	{ "indirect rss without conf", handle, EINVAL, "rss: conf is NULL", .actions = ACTIONS(A(RSS)) },
	{ "indirect on queue 5", async_handle, EINVAL, "flow queue 5", .actions = ACTIONS(A(COUNT)), .number = 5 },
	{ "indirect on a full queue", async_handle, EAGAIN, "flow queue 1 is full", .actions = ACTIONS(A(COUNT)), .number = 1 },
	{ "indirect NULL destroyed", handle_destroy, EINVAL, "not one of this port" },
	{ "indirect destroyed on queue 5", async_handle_destroy, EINVAL, "flow queue 5", .number = 5 },
	{ "indirect destroyed on a full queue", async_handle_destroy, EAGAIN, "flow queue 1 is full", .number = 1 },
	{ "count updated", handle_update, ENOTSUP, "COUNT cannot be updated", .actions = ACTIONS(A(COUNT)), .number = 1 },
	{ "count updated on queue 0", async_handle_update, ENOTSUP, "COUNT cannot be updated", .actions = ACTIONS(A(COUNT)) },
	{ "rss updated by count", handle_update, EINVAL, "not an rss action", .actions = ACTIONS(A(COUNT)) },
	{ "rss updated with a wrong queue", handle_update, EINVAL, "rss: queue 7", .actions = ACTIONS(A(RSS, &rss_bad)) },
	{ "rss queried", handle_query, ENOTSUP, "RSS cannot be queried" },
	{ "rss queried on queue 0", async_handle_query, ENOTSUP, "RSS cannot be queried" },
	{ "count queried to nowhere", handle_query, EINVAL, "data is NULL", .number = 1 },
	/* queries and the rest */
	{ "query: NULL", query, EINVAL, "rule is NULL", .actions = ACTIONS(A(COUNT)) },
	{ "query: mark", query, ENOTSUP, "MARK cannot be queried", .actions = ACTIONS(A(MARK)), .number = 1 },
	{ "query: not pulled", query, EINVAL, "not in the device", .actions = ACTIONS(A(COUNT)), .number = 2 },
	{ "query: to nowhere", query, EINVAL, "data is NULL", .actions = ACTIONS(A(COUNT)), .number = 1 << 8 | 1 },
	{ "isolate while started", isolate, EBUSY, "stopped first" },
	{ "dump to nowhere", dump, EINVAL, "file is NULL" },
	{ "validate: attr", validate, EINVAL, "no direction", .attr = &rule_nowhere, .items = wrong_rule_items,
	  .actions = wrong_rule_actions },
	{ "validate: both ways", validate, EINVAL, "one direction", .attr = &rule_both, .items = wrong_rule_items,
	  .actions = wrong_rule_actions },
	{ "validate: transfer", validate, ENOTSUP, "transfer", .attr = &rule_transfer, .items = wrong_rule_items,
	  .actions = wrong_rule_actions },
	{ "validate: group", validate, EINVAL, "group 1048576", .attr = &rule_group, .items = wrong_rule_items,
	  .actions = wrong_rule_actions },
	{ "validate: item", validate, ENOTSUP, "GRE", .attr = &rule_in, .items = ITEMS(I(GRE)), .actions = wrong_rule_actions },
	{ "validate: action", validate, ENOTSUP, "AGE", .attr = &rule_in, .items = wrong_rule_items, .actions = ACTIONS(A(AGE)) },
	{ "validate: jump to group 0", validate, EINVAL, "group 0", .attr = &rule_in, .items = wrong_rule_items,
	  .actions = ACTIONS(A(JUMP, &jump0)) },
	{ "validate: nothing wrong", validate, ENOTSUP, "template tables", .attr = &rule_in, .items = wrong_rule_items,
	  .actions = wrong_rule_actions },
	{ "create", sync_create, ENOTSUP, "template tables", .attr = &rule_in, .items = wrong_rule_items,
	  .actions = wrong_rule_actions },
	{ "destroy", sync_destroy, ENOTSUP, "rte_flow_async_destroy" },
	{ "aged flows", aged, ENOTSUP, "get_aged_flows" },
	{ "aged flows of a queue", aged, ENOTSUP, "get_q_aged_flows", .number = 1 },
	{ "tunnel decap set", tunnel, ENOTSUP, "tunnel_decap_set", .number = 0 },
	{ "tunnel match", tunnel, ENOTSUP, "tunnel_match", .number = 1 },
	{ "restore info", tunnel, ENOTSUP, "get_restore_info", .number = 2 },
	{ "tunnel actions release", tunnel, ENOTSUP, "tunnel_action_decap_release", .number = 3 },
	{ "tunnel items release", tunnel, ENOTSUP, "tunnel_item_release", .number = 4 },
	{ "flex item", flex, ENOTSUP, "flex_item_create" },
	{ "flex item release", flex, ENOTSUP, "flex_item_release", .number = 1 },
};
const unsigned int nb_wrong = RTE_DIM(wrong);

const struct wrong wrong_stopped[] = {
	{ "configure in use", configure, EBUSY, "operations wait for pull", .number = 8 << 16 | 1 },
};
const unsigned int nb_wrong_stopped = RTE_DIM(wrong_stopped);
