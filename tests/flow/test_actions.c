/* SPDX-License-Identifier: BSD-3-Clause */

/* Plans: lists in any order that has one meaning come out in the device's order, others are refused with the position. */

#include "flow/actions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rte_byteorder.h>
#include <rte_common.h>

#include "flow/error.h"

#define A(t, ...) { .type = RTE_FLOW_ACTION_TYPE_##t, __VA_ARGS__ }
#define LIST(...) ((const struct rte_flow_action[]){ __VA_ARGS__, A(END) })

static struct flow_regs regs;
static struct flow_plan plan;
static struct rte_flow_error error;

static enum rte_flow_action_type
no_handle(void *arg, const struct rte_flow_action_handle *handle)
{
	return RTE_FLOW_ACTION_TYPE_END;
}

static int
make(const struct rte_flow_action *actions, const struct rte_flow_action *masks, enum mlx5dr_table_type type)
{
	const struct flow_plan_request request = {
		.actions = actions, .masks = masks, .type = type, .regs = &regs, .nb_queues = 4,
		.indirect_type = no_handle,
	};

	memset(&error, 0x5a, sizeof(error));
	return flow_plan(&request, &plan, &error);
}

static uint8_t bytes[128];
static const struct rte_flow_action_queue queue1 = { .index = 1 };
static const struct rte_flow_action_mark mark7 = { .id = 7 };
static const struct rte_flow_action_jump jump1 = { .group = 1 };
static const struct rte_flow_action_of_push_vlan push = { .ethertype = RTE_BE16(0x8100) };
static const struct rte_flow_action_of_set_vlan_vid vid = { .vlan_vid = RTE_BE16(5) };
static const struct rte_flow_action_raw_encap tunnel = { .data = bytes, .size = 50 };
static const struct rte_flow_action_raw_encap ethernet = { .data = bytes, .size = 14 };
static const struct rte_flow_action_raw_decap off_tunnel = { .data = bytes, .size = 50 };
static const struct rte_flow_action_raw_decap off_ethernet = { .data = bytes, .size = 14 };
static const struct rte_flow_action_modify_field ttl = {
	.width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL }, .src = { .field = RTE_FLOW_FIELD_VALUE, .value = { 9 } },
};
static const struct rte_flow_action_modify_field ttl_mask = {
	.width = UINT32_MAX, .dst = { .level = -1, .offset = UINT32_MAX }, .src = { .value = { 0xff } },
};
#define TTL A(MODIFY_FIELD, &ttl)
#define TTL_MASK A(MODIFY_FIELD, &ttl_mask)

/* The device's order of types, whatever the list's. */
static void
assert_order(unsigned int nb, ...)
{
	va_list types;

	assert_int_equal(plan.nb_slots, nb);
	va_start(types, nb);
	for (unsigned int i = 0; i < nb; i++)
		assert_int_equal(plan.slots[i].type, va_arg(types, int));
	va_end(types);
}

static void
test_sorted(void **state)
{
	assert_int_equal(make(LIST(A(QUEUE, &queue1), A(COUNT), A(MARK, &mark7)),
		LIST(A(QUEUE, &queue1), A(COUNT), A(MARK, &mark7)), MLX5DR_NIC_RX), 0);
	assert_order(3, MLX5DR_ACTION_TAG, MLX5DR_ACTION_COUNTER, MLX5DR_ACTION_TIR);
	assert_true(plan.fate_fixed);
	assert_int_equal(plan.queue, 1);
	assert_int_equal(plan.slot_index[0], 2);
	/* The counter is taken by mlx5dr: nothing is prepared. */
	assert_true(plan.counts);
	assert_int_equal(plan.nb_prepare, 0);
	/* A field that is no tag may be set before or after tags come and go. */
	assert_int_equal(make(LIST(TTL, A(OF_POP_VLAN), A(DROP)), LIST(TTL_MASK, A(OF_POP_VLAN), A(DROP)), MLX5DR_NIC_RX), 0);
	assert_order(3, MLX5DR_ACTION_POP_VLAN, MLX5DR_ACTION_MODIFY, MLX5DR_ACTION_DROP);
	/* Egress without a fate goes on to the wire. */
	assert_int_equal(make(LIST(A(RAW_ENCAP, &tunnel), A(COUNT)), LIST(A(RAW_ENCAP, &tunnel), A(COUNT)), MLX5DR_NIC_TX), 0);
	assert_order(3, MLX5DR_ACTION_COUNTER, MLX5DR_ACTION_L2_TO_TNL_L2, MLX5DR_ACTION_MISS);
}

static void
test_open_values(void **state)
{
	assert_int_equal(make(LIST(A(MARK), A(JUMP)), LIST(A(MARK), A(JUMP)), MLX5DR_NIC_RX), 0);
	assert_order(2, MLX5DR_ACTION_TAG, MLX5DR_ACTION_TABLE);
	assert_int_equal(plan.slots[0].value.from, MLX5DR_FROM_SOURCE);
	assert_true(plan.slots[0].value.source.host_order);
	assert_int_equal(plan.slots[1].value.source.pointer_at, sizeof(struct rte_flow_action) + 8);
	assert_false(plan.fate_fixed);
	assert_int_equal(plan.prepare[0].kind, FLOW_PREPARE_JUMP);
}

static void
test_tunnels(void **state)
{
	/* L3: the Ethernet header goes, a tunnel comes. */
	assert_int_equal(make(LIST(A(RAW_DECAP, &off_ethernet), A(RAW_ENCAP, &tunnel), A(DROP)),
		LIST(A(RAW_DECAP), A(RAW_ENCAP, &tunnel), A(DROP)), MLX5DR_NIC_RX), 0);
	assert_order(2, MLX5DR_ACTION_L2_TO_TNL_L3, MLX5DR_ACTION_DROP);
	assert_int_equal(plan.slots[0].header_bytes, 50);
	/* L3: a tunnel goes, an Ethernet header comes; fields are set after. */
	assert_int_equal(make(LIST(A(RAW_DECAP, &off_tunnel), A(RAW_ENCAP, &ethernet), TTL, A(DROP)),
		LIST(A(RAW_DECAP), A(RAW_ENCAP), TTL_MASK, A(DROP)), MLX5DR_NIC_RX), 0);
	assert_order(3, MLX5DR_ACTION_TNL_L3_TO_L2, MLX5DR_ACTION_MODIFY, MLX5DR_ACTION_DROP);
	assert_null(plan.slots[0].header);
	assert_int_equal(plan.prepare[0].kind, FLOW_PREPARE_RAW);
	/* One tunnel for another. */
	assert_int_equal(make(LIST(A(RAW_DECAP, &off_tunnel), A(RAW_ENCAP, &tunnel), A(QUEUE, &queue1)),
		LIST(A(RAW_DECAP), A(RAW_ENCAP, &tunnel), A(QUEUE, &queue1)), MLX5DR_NIC_RX), 0);
	assert_order(3, MLX5DR_ACTION_TNL_L2_TO_L2, MLX5DR_ACTION_L2_TO_TNL_L2, MLX5DR_ACTION_TIR);
}

static void
test_vlan(void **state)
{
	assert_int_equal(make(LIST(A(OF_PUSH_VLAN, &push), A(OF_SET_VLAN_VID), A(OF_SET_VLAN_PCP), A(JUMP, &jump1)),
		LIST(A(OF_PUSH_VLAN, &push), A(OF_SET_VLAN_VID), A(OF_SET_VLAN_PCP), A(JUMP, &jump1)), MLX5DR_NIC_TX), 0);
	assert_order(2, MLX5DR_ACTION_PUSH_VLAN, MLX5DR_ACTION_TABLE);
	assert_int_equal(plan.slots[0].value.value, 0x8100);
	assert_int_equal(plan.slots[0].left[0], 16);
	assert_int_equal(plan.slots[0].value2.from, MLX5DR_FROM_SOURCE);
	assert_int_equal(plan.slots[0].left[2], 13);
	assert_int_equal(plan.nb_prepare, 2);
	/* Without a tag of its own a VID is the packet's. */
	assert_int_equal(make(LIST(A(OF_SET_VLAN_VID, &vid), A(DROP)), LIST(A(OF_SET_VLAN_VID, &vid), A(DROP)), MLX5DR_NIC_RX), 0);
	assert_order(2, MLX5DR_ACTION_MODIFY, MLX5DR_ACTION_DROP);
}

/* Pairs that would mean something else in the device's order. */
static void
test_out_of_place(void **state)
{
	static const struct {
		struct rte_flow_action first, second, first_mask, second_mask;
	} pairs[] = {
		{ TTL, A(RAW_DECAP, &off_tunnel), TTL_MASK, A(RAW_DECAP) },
		{ A(RAW_ENCAP, &tunnel), TTL, A(RAW_ENCAP, &tunnel), TTL_MASK },
		{ A(OF_SET_VLAN_VID, &vid), A(OF_POP_VLAN), A(OF_SET_VLAN_VID, &vid), A(OF_POP_VLAN) },
		{ A(RAW_ENCAP, &tunnel), A(OF_POP_VLAN), A(RAW_ENCAP, &tunnel), A(OF_POP_VLAN) },
		{ A(OF_POP_VLAN), A(VXLAN_DECAP), A(OF_POP_VLAN), A(VXLAN_DECAP) },
		{ A(RAW_ENCAP, &tunnel), A(VXLAN_DECAP), A(RAW_ENCAP, &tunnel), A(VXLAN_DECAP) },
	};

	for (unsigned int i = 0; i < RTE_DIM(pairs); i++) {
		const struct rte_flow_action *actions = LIST(A(VOID), pairs[i].first, pairs[i].second, A(DROP));

		assert_int_equal(make(actions, LIST(A(VOID), pairs[i].first_mask, pairs[i].second_mask, A(DROP)),
			MLX5DR_NIC_RX), -ENOTSUP);
		assert_non_null(strstr(error.message, "at position 2 is out of place"));
		assert_non_null(strstr(error.message, "at position 1"));
		assert_ptr_equal(error.cause, &actions[2]);
	}
}

/* Every action that rte_flow knows is in the table or refused by its name. */
static void
test_every_type(void **state)
{
	for (unsigned int type = RTE_FLOW_ACTION_TYPE_VOID; type <= RTE_FLOW_ACTION_TYPE_SEND_TO_KERNEL; type++) {
		if (flow_action_row(type) != NULL)
			continue;
		assert_int_equal(make(LIST({ .type = type }), LIST({ .type = type }), MLX5DR_NIC_RX), -ENOTSUP);
		assert_int_equal(error.type, RTE_FLOW_ERROR_TYPE_ACTION);
		assert_non_null(strstr(error.message, flow_action_name(type)));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorted), cmocka_unit_test(test_open_values), cmocka_unit_test(test_tunnels),
		cmocka_unit_test(test_vlan), cmocka_unit_test(test_out_of_place), cmocka_unit_test(test_every_type),
	};

	flow_regs_init(&regs, 0xff);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
