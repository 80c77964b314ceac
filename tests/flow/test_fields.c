/* SPDX-License-Identifier: BSD-3-Clause */

/* modify_field: which commands an action becomes. No device. */

#include "flow/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <rte_byteorder.h>
#include <rte_common.h>

#include "prm/modify.h"

static struct flow_regs regs;

static const struct rte_flow_action_modify_field fixed_mask = {
	.width = UINT32_MAX, .dst = { .level = -1, .offset = UINT32_MAX }, .src = { .value = { 0xff } },
};
static const struct rte_flow_action_modify_field open_mask = {
	.width = UINT32_MAX, .dst = { .level = -1, .offset = UINT32_MAX },
};
static const struct rte_flow_action_modify_field copy_mask = {
	.width = UINT32_MAX, .dst = { .level = -1, .offset = UINT32_MAX },
	.src = { .level = -1, .offset = UINT32_MAX },
};

static int
compile(const struct rte_flow_action_modify_field *conf, const struct rte_flow_action_modify_field *mask,
	enum mlx5dr_table_type type, struct flow_modify_list *list)
{
	const struct rte_flow_action action = { RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, conf };
	const struct rte_flow_action mask_action = { RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, mask };
	const struct flow_modify_request request = {
		.action = &action, .mask = &mask_action, .index = 3, .type = type, .regs = &regs, .scratch_at = 64,
	};
	struct rte_flow_error error;

	return flow_modify_compile(&request, list, &error);
}

static void
assert_command(const struct mlx5dr_modify *c, enum mlx5dr_modify_op op, uint16_t field, uint8_t offset, uint8_t length)
{
	assert_int_equal(c->op, op);
	assert_int_equal(c->field, field);
	assert_int_equal(c->offset, offset);
	assert_int_equal(c->length, length);
}

/* 48 bits in two commands, low part first; the value in network order. */
static void
test_mac(void **state)
{
	const struct rte_flow_action_modify_field conf = {
		.width = 48, .dst = { .field = RTE_FLOW_FIELD_MAC_DST },
		.src = { .field = RTE_FLOW_FIELD_VALUE, .value = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 } },
	};
	struct flow_modify_list list;

	assert_int_equal(compile(&conf, &fixed_mask, MLX5DR_NIC_RX, &list), 0);
	assert_int_equal(list.nb, 2);
	assert_command(&list.command[0], MLX5DR_MODIFY_SET, PRM_MODI_OUT_DMAC_15_0, 0, 16);
	assert_int_equal(list.command[0].data.value, 0x4455);
	assert_command(&list.command[1], MLX5DR_MODIFY_SET, PRM_MODI_OUT_DMAC_47_16, 0, 32);
	assert_int_equal(list.command[1].data.value, 0x02112233);
	assert_true(list.touches_packet);
}

/* Bits 12 to 35 of the address: value bits at the same places. */
static void
test_part_of_mac(void **state)
{
	const struct rte_flow_action_modify_field conf = {
		.width = 24, .dst = { .field = RTE_FLOW_FIELD_MAC_SRC, .offset = 12 },
		.src = { .field = RTE_FLOW_FIELD_VALUE, .value = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 } },
	};
	struct flow_modify_list list;

	assert_int_equal(compile(&conf, &fixed_mask, MLX5DR_NIC_RX, &list), 0);
	assert_int_equal(list.nb, 2);
	assert_command(&list.command[0], MLX5DR_MODIFY_SET, PRM_MODI_OUT_SMAC_15_0, 12, 4);
	assert_int_equal(list.command[0].data.value, 0x4);
	assert_command(&list.command[1], MLX5DR_MODIFY_SET, PRM_MODI_OUT_SMAC_47_16, 0, 20);
	assert_int_equal(list.command[1].data.value, 0x12233);
}

static void
test_from_rule(void **state)
{
	const struct rte_flow_action_modify_field conf = {
		.operation = RTE_FLOW_MODIFY_ADD, .width = 8, .dst = { .field = RTE_FLOW_FIELD_IPV4_TTL, .level = 2 },
		.src = { .field = RTE_FLOW_FIELD_VALUE },
	};
	struct flow_modify_list list;

	assert_int_equal(compile(&conf, &open_mask, MLX5DR_NIC_TX, &list), 0);
	assert_int_equal(list.nb, 1);
	assert_command(&list.command[0], MLX5DR_MODIFY_ADD, PRM_MODI_IN_IPV4_TTL, 0, 8);
	assert_int_equal(list.command[0].data.from, MLX5DR_FROM_SOURCE);
	assert_int_equal(list.command[0].data.source.pointer_at, 3 * sizeof(struct rte_flow_action) + 8);
	assert_int_equal(list.command[0].data.source.offset, offsetof(struct rte_flow_action_modify_field, src.value));
}

static void
test_pointer(void **state)
{
	const struct rte_flow_action_modify_field conf = {
		.width = 24, .dst = { .field = RTE_FLOW_FIELD_VXLAN_VNI }, .src = { .field = RTE_FLOW_FIELD_POINTER },
	};
	struct flow_modify_list list;

	assert_int_equal(compile(&conf, &open_mask, MLX5DR_NIC_RX, &list), 0);
	assert_true(list.copies_pointer);
	assert_int_equal(list.image_bytes, 3);
	assert_command(&list.command[0], MLX5DR_MODIFY_SET, PRM_MODI_TUNNEL_HDR_DW_1, 8, 24);
	assert_int_equal(list.command[0].data.source.base, MLX5DR_SCRATCH);
	assert_int_equal(list.command[0].data.source.offset, 64);
	assert_int_equal(list.command[0].data.source.shift, 8);
}

/* META on ingress is two registers; egress one. */
static void
test_meta(void **state)
{
	struct rte_flow_action_modify_field conf = {
		.width = 32, .dst = { .field = RTE_FLOW_FIELD_META }, .src = { .field = RTE_FLOW_FIELD_VALUE },
	};
	const uint32_t value = 0x12345678;
	struct flow_modify_list list;

	memcpy(conf.src.value, &value, sizeof(value));
	assert_int_equal(compile(&conf, &fixed_mask, MLX5DR_NIC_RX, &list), 0);
	assert_int_equal(list.nb, 2);
	assert_command(&list.command[0], MLX5DR_MODIFY_SET, PRM_MODI_META_REG_C_1, 0, 32);
	assert_command(&list.command[1], MLX5DR_MODIFY_SET, PRM_MODI_META_DATA_REG_B, 0, 32);
	assert_int_equal(list.command[0].data.value, value);
	assert_false(list.touches_packet);
	assert_int_equal(compile(&conf, &fixed_mask, MLX5DR_NIC_TX, &list), 0);
	assert_int_equal(list.nb, 1);
	assert_command(&list.command[0], MLX5DR_MODIFY_SET, PRM_MODI_META_DATA_REG_A, 0, 32);
}

/* Copies are cut where either side's device field ends. */
static void
test_copy(void **state)
{
	const struct rte_flow_action_modify_field conf = {
		.width = 32, .dst = { .field = RTE_FLOW_FIELD_TAG, .level = 0 },
		.src = { .field = RTE_FLOW_FIELD_MAC_SRC, .offset = 8 },
	};
	struct flow_modify_list list;

	assert_int_equal(compile(&conf, &copy_mask, MLX5DR_NIC_RX, &list), 0);
	assert_int_equal(list.nb, 2);
	assert_command(&list.command[0], MLX5DR_MODIFY_COPY, PRM_MODI_META_REG_C_2, 0, 8);
	assert_int_equal(list.command[0].src_field, PRM_MODI_OUT_SMAC_15_0);
	assert_int_equal(list.command[0].src_offset, 8);
	assert_command(&list.command[1], MLX5DR_MODIFY_COPY, PRM_MODI_META_REG_C_2, 8, 24);
	assert_int_equal(list.command[1].src_field, PRM_MODI_OUT_SMAC_47_16);
	assert_true(list.touches_packet);
}

/* Each part lies inside its device field, and the parts of a field cover it once. */
static void
test_table(void **state)
{
	for (unsigned int i = 0; i < flow_nb_modify_fields; i++) {
		const struct flow_modify_row *row = &flow_modify_fields[i];
		unsigned int covered = 0;

		for (unsigned int j = 0; j < row->nb_parts; j++) {
			const struct flow_modify_part *part = &row->parts[j];

			assert_int_equal(part->low, covered);
			covered += part->width;
			assert_true(part->at + part->width <= prm_modify_field_width(part->outer));
			if (part->inner != 0)
				assert_int_equal(prm_modify_field_width(part->outer), prm_modify_field_width(part->inner));
		}
		assert_int_equal(covered, row->width);
		assert_true(row->image_bytes * 8 >= row->width);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mac), cmocka_unit_test(test_part_of_mac), cmocka_unit_test(test_from_rule),
		cmocka_unit_test(test_pointer), cmocka_unit_test(test_meta), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_table),
	};

	flow_regs_init(&regs, 0xff);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
