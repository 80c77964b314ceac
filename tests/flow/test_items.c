/* SPDX-License-Identifier: BSD-3-Clause */

/* The item table: what a pattern becomes in the header layout, what is refused and by which name. No device. */

#include "flow/items.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <rte_common.h>
#include <rte_errno.h>

#include "flow/error.h"

static struct flow_regs regs;

#define ITEM(t, ...) { .type = RTE_FLOW_ITEM_TYPE_##t, __VA_ARGS__ }
#define END { .type = RTE_FLOW_ITEM_TYPE_END }
#define PATTERN(...) ((const struct rte_flow_item[]){ __VA_ARGS__, END })

static int
compile(const struct rte_flow_item *items, bool relaxed, struct flow_pattern *p, struct rte_flow_error *error)
{
	memset(error, 0x5a, sizeof(*error));
	return flow_pattern_compile(items, relaxed, MLX5DR_NIC_RX, &regs, p, error);
}

static const struct mlx5dr_field *
find(const struct flow_pattern *p, int hl)
{
	for (unsigned int i = 0; i < p->nb_fields; i++)
		if (p->fields[i].hl == hl)
			return &p->fields[i];
	return NULL;
}

static void
test_presence(void **state)
{
	const struct rte_flow_item *items = PATTERN(ITEM(ETH), ITEM(IPV4), ITEM(UDP), ITEM(VXLAN), ITEM(ETH), ITEM(IPV6),
		ITEM(TCP));
	struct rte_flow_error error;
	struct flow_pattern p;

	assert_int_equal(compile(items, false, &p, &error), 0);
	assert_int_equal(p.nb_fields, 5);
	assert_int_equal(find(&p, MLX5DR_HL_L3_TYPE_O)->value.value, MLX5DR_HL_L3_TYPE_IPV4);
	assert_int_equal(find(&p, MLX5DR_HL_L4_TYPE_BWC_O)->value.value, MLX5DR_HL_L4_BWC_UDP);
	assert_int_equal(find(&p, MLX5DR_HL_L4_DPORT_O)->value.value, 4789);
	assert_int_equal(find(&p, MLX5DR_HL_L3_TYPE_I)->value.value, MLX5DR_HL_L3_TYPE_IPV6);
	assert_int_equal(find(&p, MLX5DR_HL_L4_TYPE_BWC_I)->value.value, MLX5DR_HL_L4_BWC_TCP);
	/* Relaxed: only what is masked, and nothing is. */
	assert_int_equal(compile(items, true, &p, &error), 0);
	assert_int_equal(p.nb_fields, 0);
}

static void
test_sources(void **state)
{
	struct rte_flow_item_ipv6 ip = { .hdr.vtc_flow = RTE_BE32(0x0ff12345) };
	const struct rte_flow_item_tag tag_mask = { .data = 0xffff }, tag_spec = { .index = 1 };
	struct rte_flow_error error;
	struct flow_pattern p;
	const struct mlx5dr_field *f;

	*(uint8_t *)&ip.hdr.src_addr = 0xff; /* an array, from 24.11 on a structure */
	assert_int_equal(compile(PATTERN(ITEM(VOID), ITEM(IPV6, .mask = &ip), ITEM(TAG, .spec = &tag_spec, .mask = &tag_mask)),
		true, &p, &error), 0);
	f = find(&p, MLX5DR_HL_IP_TOS_O);
	assert_int_equal(f->mask, 0xff);
	assert_int_equal(f->value.source.shift, 20);
	assert_int_equal(f->value.source.unit, 4);
	assert_int_equal(f->value.source.pointer_at, sizeof(struct rte_flow_item) + offsetof(struct rte_flow_item, spec));
	assert_int_equal(find(&p, MLX5DR_HL_IPV6_FLOW_LABEL_O)->mask, 0x12345);
	f = find(&p, MLX5DR_HL_IPV6_SRC_127_96_O);
	assert_int_equal(f->mask, 0xff000000);
	assert_int_equal(f->value.source.offset, offsetof(struct rte_ipv6_hdr, src_addr));
	assert_null(find(&p, MLX5DR_HL_IPV6_SRC_95_64_O));
	f = find(&p, flow_reg_c_hl(regs.tag[1]));
	assert_int_equal(f->mask, 0xffff);
	assert_true(f->value.source.host_order);
}

static void
test_vlan(void **state)
{
	const struct rte_flow_item_eth eth = { .has_vlan = 1 };
	const struct rte_flow_item_vlan vlan = { .has_more_vlan = 1 };
	struct rte_flow_error error;
	struct flow_pattern p;
	const struct mlx5dr_field *f;

	assert_int_equal(compile(PATTERN(ITEM(ETH), ITEM(VLAN)), false, &p, &error), 0);
	f = find(&p, MLX5DR_HL_VLAN_QUALIFIER_O);
	assert_int_equal(f->value.from, MLX5DR_FROM_CONSTANT);
	assert_int_equal(f->value.value, MLX5DR_HL_VLAN_C);
	assert_int_equal(compile(PATTERN(ITEM(ETH, .mask = &eth)), false, &p, &error), 0);
	f = find(&p, MLX5DR_HL_VLAN_QUALIFIER_O);
	assert_int_equal(f->value.value, MLX5DR_HL_VLAN_C);
	assert_int_equal(f->value.otherwise, MLX5DR_HL_VLAN_NONE);
	/* The vlan item says more. */
	assert_int_equal(compile(PATTERN(ITEM(ETH, .mask = &eth), ITEM(VLAN, .mask = &vlan)), false, &p, &error), 0);
	assert_int_equal(p.nb_fields, 1);
	assert_int_equal(p.fields[0].value.value, MLX5DR_HL_VLAN_S);
	assert_int_equal(p.fields[0].value.otherwise, MLX5DR_HL_VLAN_C);
}

static void
test_fragment(void **state)
{
	const struct rte_flow_item_ipv4 any = { .hdr.fragment_offset = RTE_BE16(0x3fff) };
	const struct rte_flow_item_ipv4 flag = { .hdr.fragment_offset = RTE_BE16(0x2000) };
	struct rte_flow_error error;
	struct flow_pattern p;

	assert_int_equal(compile(PATTERN(ITEM(IPV4, .mask = &any)), true, &p, &error), 0);
	assert_int_equal(p.fields[0].hl, MLX5DR_HL_IP_FRAGMENTED_O);
	assert_int_equal(p.fields[0].value.test, 0x3fff);
	assert_int_equal(compile(PATTERN(ITEM(IPV4, .mask = &flag)), true, &p, &error), 0);
	assert_int_equal(p.fields[0].hl, MLX5DR_HL_IPV4_FRAGMENT_O);
	assert_int_equal(p.fields[0].mask, 0x2000);
}

static void
test_meta_by_direction(void **state)
{
	const struct rte_flow_item_meta mask = { .data = UINT32_MAX };
	struct rte_flow_error error;
	struct flow_pattern p;

	assert_int_equal(flow_pattern_compile(PATTERN(ITEM(META, .mask = &mask)), false, MLX5DR_NIC_RX, &regs, &p, &error), 0);
	assert_int_equal(p.fields[0].hl, MLX5DR_HL_REG_C_1);
	assert_int_equal(flow_pattern_compile(PATTERN(ITEM(META, .mask = &mask)), false, MLX5DR_NIC_TX, &regs, &p, &error), 0);
	assert_int_equal(p.fields[0].hl, MLX5DR_HL_REG_A);
}

/* Every byte of every item: a masked bit is matched, or refused with the item's name. Padding is neither. */
static void
test_no_bit_is_ignored(void **state)
{
	for (unsigned int i = 0; i < flow_nb_items; i++) {
		const struct flow_item_row *row = &flow_items[i];
		uint8_t supported[UINT8_MAX], mask[UINT8_MAX];
		unsigned int padding = 0;

		flow_item_supported(row, supported);
		for (unsigned int bit = 0; bit < row->size * 8u; bit++) {
			const struct rte_flow_item_tag spec = { 0 };
			struct rte_flow_error error;
			struct flow_pattern p;
			int rc;

			memset(mask, 0, sizeof(mask));
			mask[bit / 8] = 1 << bit % 8;
			rc = compile(PATTERN({ .type = row->type, .mask = mask, .spec = &spec }), true, &p, &error);
			if (supported[bit / 8] & mask[bit / 8]) {
				assert_int_equal(rc, 0);
				continue;
			}
			if (rc == 0) {
				assert_int_equal(p.nb_fields, 0);
				padding++;
				continue;
			}
			assert_int_equal(rc, -ENOTSUP);
			assert_non_null(strstr(error.message, row->name));
			assert_ptr_equal(error.cause, mask);
		}
		/* Structures end or are filled up at 4 bytes: eth has 2 of padding, tag 3. */
		assert_int_equal(padding, row->type == RTE_FLOW_ITEM_TYPE_ETH ? 16 :
			row->type == RTE_FLOW_ITEM_TYPE_TAG ? 24 : 0);
	}
}

/* Every item that rte_flow knows is in the table or refused by its name. */
static void
test_every_type(void **state)
{
	for (unsigned int type = RTE_FLOW_ITEM_TYPE_INVERT; type <= RTE_FLOW_ITEM_TYPE_METER_COLOR; type++) {
		const struct rte_flow_item_tag spec = { 0 };
		struct rte_flow_error error;
		struct flow_pattern p;
		int rc = compile(PATTERN({ .type = type, .spec = &spec }), false, &p, &error);

		if (flow_item_row(type) != NULL) {
			assert_int_equal(rc, 0);
			continue;
		}
		assert_int_equal(rc, -ENOTSUP);
		assert_int_equal(error.type, RTE_FLOW_ERROR_TYPE_ITEM);
		assert_non_null(strstr(error.message, flow_item_name(type)));
		assert_null(strstr(error.message, "of type"));
	}
}

static const uint8_t ones[64] = { [0 ... 63] = 0xff };
static const struct rte_flow_item_eth typed = { .type = RTE_BE16(0xffff) };
static const struct rte_flow_item_tag tag0 = { .index = 0 }, tag99 = { .index = 99 }, tag_mask = { .data = 1 };
static const struct rte_flow_item_meta meta_mask = { .data = 1 };

static const struct {
	const struct rte_flow_item *items;
	int err;
	const char *part;
} refused[] = {
	{ PATTERN(ITEM(ETH, .last = ones)), ENOTSUP, "eth.last" },
	{ PATTERN(ITEM(IPV4, .mask = ones)), ENOTSUP, "ipv4.hdr_checksum" },
	{ PATTERN(ITEM(UDP), ITEM(IPV4)), EINVAL, "ipv4 cannot stand" },
	{ PATTERN(ITEM(IPV4), ITEM(ETH)), EINVAL, "eth cannot stand" },
	{ PATTERN(ITEM(IPV4), ITEM(IPV4)), ENOTSUP, "ipv4: one such header" },
	{ PATTERN(ITEM(VLAN), ITEM(VLAN)), ENOTSUP, "vlan: one such header" },
	{ PATTERN(ITEM(UDP), ITEM(TCP)), ENOTSUP, "tcp: one such header" },
	{ PATTERN(ITEM(IPV6), ITEM(ICMP)), EINVAL, "icmp contradicts" },
	{ PATTERN(ITEM(IPV4), ITEM(ICMP6)), EINVAL, "icmp6 contradicts" },
	{ PATTERN(ITEM(TCP), ITEM(VXLAN)), EINVAL, "vxlan contradicts" },
	{ PATTERN(ITEM(VXLAN), ITEM(UDP), ITEM(VXLAN)), ENOTSUP, "vxlan inside a tunnel" },
	{ PATTERN(ITEM(ETH, .mask = &typed), ITEM(VLAN)), ENOTSUP, "vlan.inner_type" },
	{ PATTERN(ITEM(TAG, .mask = &tag_mask)), EINVAL, "tag.index" },
	{ PATTERN(ITEM(TAG, .mask = &tag_mask, .spec = &tag99)), EINVAL, "tag.index 99" },
	{ PATTERN(ITEM(TAG, .mask = &tag_mask, .spec = &tag0), ITEM(TAG, .mask = &tag_mask, .spec = &tag0)), EINVAL,
	  "tag.data is matched twice" },
	{ PATTERN(ITEM(META, .mask = &meta_mask), ITEM(META, .mask = &meta_mask)), EINVAL, "meta.data is matched twice" },
	{ NULL, EINVAL, "items is NULL" },
};

static void
test_refused(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(refused); i++) {
		struct rte_flow_error error;
		struct flow_pattern p;
		int rc = compile(refused[i].items, false, &p, &error);

		if (rc != -refused[i].err || strstr(error.message, refused[i].part) == NULL)
			fail_msg("row %u (%s): %d, \"%s\"", i, refused[i].part, rc, rc != 0 ? error.message : "");
		assert_int_equal(rte_errno, refused[i].err);
	}
}

static void
test_registers(void **state)
{
	struct flow_regs r;

	flow_regs_init(&r, 0xff);
	assert_int_equal(r.nb_tags, 5);
	assert_int_equal(r.tag[0], 2);
	flow_regs_init(&r, 0xfff);
	assert_int_equal(r.nb_tags, FLOW_MAX_TAGS);
	flow_regs_init(&r, 0);
	assert_int_equal(r.nb_tags, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presence), cmocka_unit_test(test_sources), cmocka_unit_test(test_vlan),
		cmocka_unit_test(test_fragment), cmocka_unit_test(test_meta_by_direction),
		cmocka_unit_test(test_no_bit_is_ignored), cmocka_unit_test(test_every_type), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_registers),
	};

	flow_regs_init(&regs, 0xff);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
