/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Packets decide whether rules mean what they should: frames of a capture walk the tables of a stepped device, and the
 * rules' counters tell who took them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prm/modify.h"
#include "random.h"
#include "world.h"

/* ---- the tests ------------------------------------------------------------------------------------------------------ */

#define NB_TUPLES 2500

/* Many rules, some in the collision table; each sees exactly its own packets, deleted ones none. */
static void
tuples_hit_their_rules(void **state)
{
	static struct tuple tuples[NB_TUPLES];
	static struct mlx5dr_rule *rules[NB_TUPLES];
	struct mlx5dr_field fields[8];
	struct mlx5dr_slot slots[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct templates t = { .nb_mt = 0 };
	struct world w;

	random_seed();
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		tuples[i] = (struct tuple){ random_u32(), random_u32(), random_u32(), random_u32() };
		if (i % 2 == 0)
			add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, slots, 2);
	make_matcher(&w, &t, w.table[0], NB_TUPLES, 0);
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		struct tuple_items items = { &tuples[i], &tuples[i] };

		rules[i] = add_rule(&w, &t, 0, 0, &items, NULL);
	}
	for (unsigned int i = 0; i < NB_TUPLES; i += 5) {
		remove_rule(&w, &t, rules[i]);
		rules[i] = NULL;
	}
	run_frames(&w);
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		if (rules[i] == NULL)
			continue;
		assert_int_equal(packets_of(&w, rules[i]->counter), i % 2 == 0);
		remove_rule(&w, &t, rules[i]);
	}
	free_templates(&t);
	world_close(&w);
}

static struct mlx5dr_field
from_item(int hl, uint16_t pointer_at, uint16_t offset, uint8_t unit)
{
	return (struct mlx5dr_field){
		.hl = hl,
		.mask = prm_mask(hl),
		.value = { .from = MLX5DR_FROM_SOURCE,
			   .source = { .base = MLX5DR_ITEMS, .unit = unit, .pointer_at = pointer_at, .offset = offset } },
	};
}

/* Different masks in one matcher: the earlier template wins; matchers by priority; what nobody takes misses. */
static void
order_of_templates(void **state)
{
	const struct tuple a = { htobe32(0x0a000001), htobe32(0x0a000002), htobe16(1), htobe16(53) };
	const struct tuple b = { htobe32(0x0a000001), htobe32(0x0a000002), htobe16(1), htobe16(54) };
	const struct tuple c = { htobe32(0x0a0000ff), htobe32(0x0a000002), htobe16(1), htobe16(53) };
	const struct tuple d = { htobe32(0x14000000), htobe32(0x0a000002), htobe16(1), htobe16(99) };
	struct mlx5dr_field port = from_item(MLX5DR_HL_L4_DPORT_O, offsetof(struct tuple_items, udp),
					     offsetof(struct tuple, dport), 2);
	struct mlx5dr_field src = from_item(MLX5DR_HL_IPV4_SRC_O, offsetof(struct tuple_items, ip),
					    offsetof(struct tuple, src), 4);
	struct mlx5dr_field prefix = src, none = src;
	struct mlx5dr_slot slots[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct templates t = { .nb_mt = 0 }, late = { .nb_mt = 0 }, second = { .nb_mt = 0 };
	struct tuple_items items = { &a, &a };
	struct mlx5dr_rule *by_port, *by_src, *by_prefix, *by_priority, *missed;
	struct world w;

	add_udp4(&a, 64);
	add_udp4(&b, 64);
	add_udp4(&b, 64);
	add_udp4(&c, 64);
	add_udp4(&c, 64);
	add_udp4(&c, 64);
	add_udp4(&d, 64);
	world_open(&w);
	prefix.mask = 0xffffff00;
	none.mask = 0;
	/* Made first, searched last. */
	add_mt(&w, &late, &prefix, 1);
	add_at(&w, &late, slots, 2);
	make_matcher(&w, &late, w.table[0], 5000, 9);
	add_mt(&w, &t, &port, 1);
	add_mt(&w, &t, &src, 1);
	add_at(&w, &t, slots, 2);
	make_matcher(&w, &t, w.table[0], 16, 3);
	assert_int_equal(mlx5dr_table_set_miss(w.table[0], mlx5dr_table_id(w.table[1])), 0);
	assert_int_equal(mlx5dr_table_destroy(w.table[1]), -EBUSY);
	add_mt(&w, &second, &none, 1);
	add_at(&w, &second, slots, 2);
	make_matcher(&w, &second, w.table[1], 1, 0);

	by_src = add_rule(&w, &t, 1, 0, &items, NULL);
	by_port = add_rule(&w, &t, 0, 0, &items, NULL);
	by_priority = add_rule(&w, &late, 0, 0, &items, NULL);
	items.ip = &c;
	by_prefix = by_priority;
	missed = add_rule(&w, &second, 0, 0, &items, NULL);
	run_frames(&w);
	assert_int_equal(packets_of(&w, by_port->counter), 4); /* a, and c three times */
	assert_int_equal(packets_of(&w, by_src->counter), 2);  /* b */
	assert_int_equal(packets_of(&w, by_prefix->counter), 0);
	assert_int_equal(packets_of(&w, missed->counter), 1);  /* d */
	remove_rule(&w, &t, by_src);
	remove_rule(&w, &t, by_port);
	remove_rule(&w, &late, by_priority);
	remove_rule(&w, &second, missed);
	free_templates(&t);
	free_templates(&late);
	free_templates(&second);
	assert_int_equal(mlx5dr_table_set_miss(w.table[0], 0), 0);
	world_close(&w);
}

struct tuple6_items {
	const void *ip;
};

/* A jumbo tag; its actions sit in a second STE. */
static void
ipv6_jumbo(void **state)
{
	static struct tuple6 tuples[300];
	static struct mlx5dr_rule *rules[300];
	struct mlx5dr_field fields[12] = { { .hl = MLX5DR_HL_L3_TYPE_O, .mask = 3, .value = { .value = 2 } },
					   { .hl = MLX5DR_HL_L4_TYPE_BWC_O, .mask = 3, .value = { .value = 2 } } };
	struct mlx5dr_modify set = { .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_META_REG_C_1, .length = 32,
				     .data = scratch_value(offsetof(struct scratch, value)) };
	struct mlx5dr_field reg = { .hl = MLX5DR_HL_REG_C_1, .mask = UINT32_MAX,
				    .value = scratch_value(offsetof(struct scratch, value)) };
	struct mlx5dr_slot last[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct mlx5dr_slot first[3] = { counter_slot(), { .type = MLX5DR_ACTION_MODIFY, .modify = &set, .nb_modify = 1 },
					{ .type = MLX5DR_ACTION_TABLE } };
	struct templates t = { .nb_mt = 0 }, behind = { .nb_mt = 0 };
	struct mlx5dr_action *jump;
	struct mlx5dr_rule *seen;
	unsigned int nb = 2;
	struct world w;

	random_seed();
	for (unsigned int i = 0; i < 4; i++) {
		fields[nb++] = from_item(MLX5DR_HL_IPV6_SRC_127_96_O + (PRM_FIELD(4 * i, 0, 0)), 0,
					 offsetof(struct tuple6, src) + 4 * i, 4);
		fields[nb++] = from_item(MLX5DR_HL_IPV6_DST_127_96_O + (PRM_FIELD(4 * i, 0, 0)), 0,
					 offsetof(struct tuple6, dst) + 4 * i, 4);
	}
	fields[nb++] = from_item(MLX5DR_HL_L4_SPORT_O, 0, offsetof(struct tuple6, sport), 2);
	fields[nb++] = from_item(MLX5DR_HL_L4_DPORT_O, 0, offsetof(struct tuple6, dport), 2);
	for (unsigned int i = 0; i < 300; i++) {
		for (unsigned int b = 0; b < sizeof(tuples[i]); b++)
			((uint8_t *)&tuples[i])[b] = random_u32();
		for (unsigned int n = 0; n < i % 4; n++)
			add_udp6(&tuples[i]);
	}
	world_open(&w);
	if (!w.device.hca->caps.format_select_dw_8_6_ext) {
		struct mlx5dr_error error = { .index = -1 };

		/* Eight address dwords do not fit here, and the refusal says so in numbers. */
		assert_int_equal(mlx5dr_match_template_create(w.device.ctx, fields, nb, &t.mt[0], &error), -E2BIG);
		assert_int_equal(error.bytes_asked, 37);
		assert_int_equal(error.bytes_available, 44);
		world_close(&w);
		return;
	}
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &jump), 0);
	first[2].action = jump;
	add_mt(&w, &t, fields, nb);
	add_at(&w, &t, last, 2);  /* counter and fate only: one STE */
	add_at(&w, &t, first, 3); /* more: two */
	make_matcher(&w, &t, w.table[0], 300, 0);
	assert_true(mlx5dr_pair_is_jumbo(mlx5dr_matcher_pair(t.matcher, 0, 0)));
	add_mt(&w, &behind, &reg, 1);
	add_at(&w, &behind, last, 2);
	make_matcher(&w, &behind, w.table[1], 4, 0);
	for (unsigned int i = 0; i < 300; i++) {
		struct tuple6_items items = { &tuples[i] };

		scratch_of(&w)->value = i % 3;
		rules[i] = add_rule(&w, &t, 0, i % 2, &items, NULL);
	}
	scratch_of(&w)->value = 2;
	seen = add_rule(&w, &behind, 0, 0, NULL, NULL);
	run_frames(&w);
	unsigned int expected = 0;
	for (unsigned int i = 0; i < 300; i++) {
		assert_int_equal(packets_of(&w, rules[i]->counter), i % 4);
		expected += i % 2 == 1 && i % 3 == 2 ? i % 4 : 0;
		remove_rule(&w, &t, rules[i]);
	}
	assert_int_equal(packets_of(&w, seen->counter), expected);
	remove_rule(&w, &behind, seen);
	free_templates(&t);
	free_templates(&behind);
	assert_int_equal(mlx5dr_table_destroy(w.table[1]), -EBUSY);
	assert_int_equal(mlx5dr_action_destroy(jump), 0);
	world_close(&w);
}

/*
 * Every action that changes packets, several in one rule, some with per-rule data: the second table matches what should
 * have come out. Each variant of the first table's actions is one action template.
 */
static void
changed_packets(void **state)
{
	static const uint8_t vxlan[50] = {
		2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x08, 0x00,
		0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 172, 16, 0, 1, 172, 16, 0, 2,
		0x12, 0x34, 0x12, 0xb5, 0, 0, 0, 0,
		0x08, 0, 0, 0, 0x00, 0x12, 0x34, 0,
	};
	struct mlx5dr_modify list[] = {
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_DIPV4, .length = 32,
		  .data = scratch_value(offsetof(struct scratch, value)) },
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_IPV4_TTL, .length = 8, .data = { .value = 33 } },
		{ .op = MLX5DR_MODIFY_ADD, .field = PRM_MODI_OUT_IPV4_TTL, .length = 8, .data = { .value = 0xff } },
		{ .op = MLX5DR_MODIFY_COPY, .field = PRM_MODI_META_REG_C_2, .length = 16, .offset = 8,
		  .src_field = PRM_MODI_OUT_UDP_DPORT },
	};
	struct mlx5dr_slot modify = { .type = MLX5DR_ACTION_MODIFY, .modify = list, .nb_modify = 4 };
	struct mlx5dr_slot push = { .type = MLX5DR_ACTION_PUSH_VLAN, .left = { 16, 0, 13 },
				    .value = { .value = 0x8100 },
				    .value2 = scratch_value(offsetof(struct scratch, value)), .value3 = { .value = 5 } };
	struct mlx5dr_slot encap = { .type = MLX5DR_ACTION_L2_TO_TNL_L2, .header_bytes = 50, .header = vxlan };
	struct mlx5dr_slot encap_rule = { .type = MLX5DR_ACTION_L2_TO_TNL_L2, .header_bytes = 50,
					  .bytes = { .base = MLX5DR_SCRATCH,
						     .pointer_at = offsetof(struct scratch, header_pointer) } };
	struct mlx5dr_slot mark = { .type = MLX5DR_ACTION_TAG, .value = { .value = 77 } };
	struct mlx5dr_slot jump = { .type = MLX5DR_ACTION_TABLE };
	struct mlx5dr_field src = from_item(MLX5DR_HL_IPV4_SRC_O, offsetof(struct tuple_items, ip),
					    offsetof(struct tuple, src), 4);
	/* After modification; VLAN; tunnel with the packet inside. */
	struct mlx5dr_field changed[] = {
		{ .hl = MLX5DR_HL_IPV4_DST_O, .mask = UINT32_MAX, .value = { .value = 0x01020304 } },
		{ .hl = MLX5DR_HL_IP_TTL_O, .mask = 0xff, .value = { .value = 32 } },
		{ .hl = MLX5DR_HL_REG_C_2, .mask = UINT32_MAX, .value = { .value = 53 << 8 } },
	};
	struct mlx5dr_field tagged[] = {
		{ .hl = MLX5DR_HL_VLAN_QUALIFIER_O, .mask = 3, .value = { .value = MLX5DR_HL_VLAN_C } },
		{ .hl = MLX5DR_HL_VLAN_TCI_O, .mask = 0xffff, .value = { .value = 5 << 13 | 100 } },
		{ .hl = MLX5DR_HL_ETHERTYPE_O, .mask = 0xffff, .value = { .value = 0x0800 } },
	};
	struct mlx5dr_field tunnelled[] = {
		{ .hl = MLX5DR_HL_VXLAN_VNI, .mask = 0xffffff,
		  .value = scratch_value(offsetof(struct scratch, value)) },
		{ .hl = MLX5DR_HL_IPV4_SRC_O, .mask = UINT32_MAX, .value = { .value = 0xac100001 } },
		{ .hl = MLX5DR_HL_L4_DPORT_I, .mask = 0xffff, .value = { .value = 53 } },
		{ .hl = MLX5DR_HL_IPV4_TOTAL_LENGTH_O, .mask = 0xffff, .value = { .value = 20 + 8 + 8 + 60 } },
	};
	struct mlx5dr_slot end[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct templates t = { .nb_mt = 0 }, behind = { .nb_mt = 0 };
	struct mlx5dr_rule *rules[4], *seen[4];
	struct mlx5dr_action *to_second;
	struct tuple tuples[4];
	struct scratch *scratch;
	struct world w;

	for (unsigned int i = 0; i < 4; i++) {
		tuples[i] = (struct tuple){ htobe32(0x0b000000 + i), htobe32(0x0c000000), htobe16(7), htobe16(53) };
		for (unsigned int n = 0; n < i + 1; n++)
			add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	scratch = scratch_of(&w);
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &to_second), 0);
	jump.action = to_second;
	add_mt(&w, &t, &src, 1);
	add_at(&w, &t, (struct mlx5dr_slot[]){ mark, counter_slot(), modify, jump }, 4);
	add_at(&w, &t, (struct mlx5dr_slot[]){ counter_slot(), push, jump }, 3);
	add_at(&w, &t, (struct mlx5dr_slot[]){ mark, counter_slot(), encap, jump }, 4);
	add_at(&w, &t, (struct mlx5dr_slot[]){ counter_slot(), push, modify, encap_rule, jump }, 5);
	make_matcher(&w, &t, w.table[0], 100, 0);
	add_mt(&w, &behind, changed, 3);
	add_mt(&w, &behind, tagged, 3);
	add_mt(&w, &behind, tunnelled, 3);
	add_mt(&w, &behind, tunnelled, 4);
	add_at(&w, &behind, end, 2);
	make_matcher(&w, &behind, w.table[1], 4, 0);

	for (unsigned int i = 0; i < 4; i++) {
		static const uint32_t values[4] = { 0x01020304, 100, 0, 100 };
		struct tuple_items items = { &tuples[i], &tuples[i] };

		scratch->value = values[i];
		memcpy(scratch->header, vxlan, sizeof(vxlan));
		scratch->header[48] = 0x99;
		scratch->header_pointer = scratch->header;
		rules[i] = add_rule(&w, &t, 0, i, &items, NULL);
	}
	for (unsigned int i = 0; i < 4; i++) {
		static const uint32_t values[4] = { 0, 0, 0x1234, 0x1299 };

		scratch->value = values[i];
		if (i == 3) {
			/* One more VLAN tag inside: four bytes more in the outer length. */
			seen[i] = add_rule(&w, &behind, 2, 0, NULL, NULL);
		} else {
			seen[i] = add_rule(&w, &behind, i == 2 ? 3 : i, 0, NULL, NULL);
		}
	}
	run_frames(&w);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(packets_of(&w, rules[i]->counter), i + 1);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(packets_of(&w, seen[i]->counter), i + 1);
	for (unsigned int i = 0; i < 4; i++) {
		remove_rule(&w, &t, rules[i]);
		remove_rule(&w, &behind, seen[i]);
	}
	free_templates(&t);
	free_templates(&behind);
	assert_int_equal(mlx5dr_action_destroy(to_second), 0);
	world_close(&w);
}

/*
 * What removes headers: pop of one and two tags, L2 and L3 decapsulation (the new header constant or from the rule), and
 * L3 encapsulation. Each rule of the first table takes one frame; the second table says what came out.
 */
static void
cut_packets(void **state)
{
	static const uint8_t ethernet[14] = { 2, 0, 0, 0, 0, 0x77, 2, 0, 0, 0, 0, 0x66, 0x08, 0x00 };
	static const uint8_t gre[38] = {
		2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x08, 0x00,
		0x45, 0, 0, 0, 0, 0, 0, 0, 64, 47, 0, 0, 172, 16, 0, 1, 172, 16, 0, 2, 0, 0, 0x08, 0x00,
	};
	struct mlx5dr_slot jump = { .type = MLX5DR_ACTION_TABLE }, pop = { .type = MLX5DR_ACTION_POP_VLAN };
	struct mlx5dr_slot decap = { .type = MLX5DR_ACTION_TNL_L2_TO_L2 };
	struct mlx5dr_slot decap_l3 = { .type = MLX5DR_ACTION_TNL_L3_TO_L2, .header_bytes = 14, .header = ethernet };
	struct mlx5dr_slot decap_rule = { .type = MLX5DR_ACTION_TNL_L3_TO_L2, .header_bytes = 14,
					  .bytes = { .base = MLX5DR_SCRATCH,
						     .pointer_at = offsetof(struct scratch, header_pointer) } };
	struct mlx5dr_slot encap_l3 = { .type = MLX5DR_ACTION_L2_TO_TNL_L3, .header_bytes = 38, .header = gre };
	struct mlx5dr_slot mark = { .type = MLX5DR_ACTION_TAG, .value = { .value = 1 } };
	struct mlx5dr_slot end[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	/* The source MAC's low half tells the frames apart, before and where it survives. */
	struct mlx5dr_field smac = { .hl = MLX5DR_HL_SMAC_15_0_O, .mask = 0xffff,
				     .value = scratch_value(offsetof(struct scratch, value)) };
	struct mlx5dr_field result[] = {
		{ .hl = MLX5DR_HL_DMAC_15_0_O, .mask = 0xffff, .value = scratch_value(offsetof(struct scratch, value)) },
		{ .hl = MLX5DR_HL_VLAN_QUALIFIER_O, .mask = 3, .value = { .value = MLX5DR_HL_VLAN_NONE } },
		{ .hl = MLX5DR_HL_IPV4_SRC_O, .mask = UINT32_MAX, .value = { .value = 0x0b000001 } },
		{ .hl = MLX5DR_HL_L4_DPORT_O, .mask = 0xffff, .value = { .value = 53 } },
	};
	struct mlx5dr_field tunnel[] = {
		{ .hl = MLX5DR_HL_IP_PROTOCOL_O, .mask = 0xff, .value = { .value = 47 } },
		{ .hl = MLX5DR_HL_IPV4_SRC_I, .mask = UINT32_MAX, .value = { .value = 0x0b000001 } },
		{ .hl = MLX5DR_HL_L4_DPORT_I, .mask = 0xffff, .value = { .value = 53 } },
	};
	const struct tuple inner = { htobe32(0x0b000001), htobe32(0x0c000000), htobe16(7), htobe16(53) };
	struct templates t = { .nb_mt = 0 }, behind = { .nb_mt = 0 };
	struct mlx5dr_rule *rules[6], *seen[6];
	struct mlx5dr_action *to_second;
	struct scratch *scratch;
	struct world w;

	/* 0: one tag; 1: two; 2: VXLAN with Ethernet inside; 3, 4: GRE with IP inside; 5: plain. */
	for (unsigned int i = 0; i < 6; i++) {
		static const uint8_t cut[6] = { 4, 8, 50, 38, 38, 0 }; /* bytes that stand before or between */
		struct frame plain;
		uint8_t *at;

		add_udp4(&inner, 64);
		plain = frames[--nb_frames];
		add_frame(plain.size + (i == 3 || i == 4 ? 38 - 14 : cut[i]), i < 2 ? 0x8100 : 0x0800);
		at = frames[nb_frames - 1].bytes;
		if (i < 2) {
			memcpy(at + 14, i == 0 ? "\x00\x64\x08\x00" : "\x00\x64\x81\x00\x00\x65\x08\x00", cut[i]);
			memcpy(at + 14 + cut[i], plain.bytes + 14, plain.size - 14);
		} else if (i == 2) {
			static const uint8_t vxlan[36] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 172, 16, 0, 1, 172, 16, 0, 2,
							   0x12, 0x34, 0x12, 0xb5, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 9, 0 };

			memcpy(at + 14, vxlan, 36);
			put16(at + 16, 36 + plain.size);
			put16(at + 14 + 10, ip_checksum(at + 14));
			put16(at + 14 + 24, 16 + plain.size);
			memcpy(at + 50, plain.bytes, plain.size);
		} else if (i < 5) {
			memcpy(at + 14, gre + 14, 24);
			put16(at + 16, 24 + plain.size - 14);
			put16(at + 14 + 10, ip_checksum(at + 14));
			memcpy(at + 38, plain.bytes + 14, plain.size - 14);
		} else {
			memcpy(at + 14, plain.bytes + 14, plain.size - 14);
		}
		put16(at + 10, i);
	}
	world_open(&w);
	scratch = scratch_of(&w);
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &to_second), 0);
	jump.action = to_second;
	add_mt(&w, &t, &smac, 1);
	add_at(&w, &t, (struct mlx5dr_slot[]){ pop, counter_slot(), jump }, 3);
	add_at(&w, &t, (struct mlx5dr_slot[]){ mark, pop, pop, counter_slot(), jump }, 5);
	add_at(&w, &t, (struct mlx5dr_slot[]){ mark, decap, counter_slot(), jump }, 4);
	add_at(&w, &t, (struct mlx5dr_slot[]){ decap_l3, counter_slot(), jump }, 3);
	add_at(&w, &t, (struct mlx5dr_slot[]){ mark, decap_rule, counter_slot(), jump }, 4);
	add_at(&w, &t, (struct mlx5dr_slot[]){ counter_slot(), encap_l3, jump }, 3);
	make_matcher(&w, &t, w.table[0], 100, 0);
	add_mt(&w, &behind, result, 4);
	add_mt(&w, &behind, tunnel, 3);
	add_at(&w, &behind, end, 2);
	make_matcher(&w, &behind, w.table[1], 8, 0);
	memcpy(scratch->header, ethernet, sizeof(ethernet));
	scratch->header[5] = 0x78;
	scratch->header_pointer = scratch->header;
	for (unsigned int i = 0; i < 6; i++) {
		scratch->value = i;
		rules[i] = add_rule(&w, &t, 0, i, NULL, NULL);
	}
	/* The plain frame's destination ends in 0001; the two new headers in 0077 and 0078. */
	for (unsigned int i = 0; i < 4; i++) {
		static const uint32_t dmac[4] = { 1, 0x77, 0x78, 0 };

		scratch->value = dmac[i];
		seen[i] = add_rule(&w, &behind, i == 3, 0, NULL, NULL);
	}
	run_frames(&w);
	for (unsigned int i = 0; i < 6; i++) {
		assert_int_equal(packets_of(&w, rules[i]->counter), 1);
		remove_rule(&w, &t, rules[i]);
	}
	for (unsigned int i = 0; i < 4; i++) {
		static const uint32_t expected[4] = { 3, 1, 1, 1 };

		assert_int_equal(packets_of(&w, seen[i]->counter), expected[i]);
		remove_rule(&w, &behind, seen[i]);
	}
	free_templates(&t);
	free_templates(&behind);
	assert_int_equal(mlx5dr_action_destroy(to_second), 0);
	world_close(&w);
}

struct queue_actions {
	const void *mark, *queue;
};

/* Marks and a fate by index, as a flow API's rule gives them; wrong ones are refused. */
static void
mark_and_queue(void **state)
{
	struct mlx5dr_slot mark = { .type = MLX5DR_ACTION_TAG,
				    .value = { .from = MLX5DR_FROM_SOURCE,
					       .source = { .base = MLX5DR_ACTIONS, .unit = 4, .host_order = true,
							   .pointer_at = offsetof(struct queue_actions, mark) } } };
	struct mlx5dr_slot queue = { .type = MLX5DR_ACTION_TIR,
				     .value = { .from = MLX5DR_FROM_SOURCE,
						.source = { .base = MLX5DR_ACTIONS, .unit = 2, .host_order = true,
							    .pointer_at = offsetof(struct queue_actions, queue) } } };
	static const uint32_t marks[3] = { 0, 0x123456, MLX5DR_MARK_LIMIT - 1 }, too_big = MLX5DR_MARK_LIMIT;
	struct mlx5dr_stc_map *map = calloc(1, sizeof(*map) + 4 * sizeof(map->stc_be[0]));
	struct mlx5dr_slot flag = { .type = MLX5DR_ACTION_TAG, .flag = true };
	const uint16_t one = 1, none = 2, beyond = 4;
	struct queue_actions actions = { .queue = &one };
	struct mlx5dr_field fields[8];
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_rule *rules[4], *refused;
	struct tuple tuples[4];
	struct tuple_items items;
	struct world w;

	for (unsigned int i = 0; i < 4; i++) {
		tuples[i] = (struct tuple){ htobe32(i + 1), htobe32(7), htobe16(8), htobe16(9) };
		add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	map->nb = 4;
	map->stc_be[1] = mlx5dr_action_stc(w.to_receiver);
	queue.map = map;
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, (struct mlx5dr_slot[]){ mark, counter_slot(), queue }, 3);
	add_at(&w, &t, (struct mlx5dr_slot[]){ flag, counter_slot(), queue }, 3);
	make_matcher(&w, &t, w.table[0], 16, 0);
	for (unsigned int i = 0; i < 4; i++) {
		items = (struct tuple_items){ &tuples[i], &tuples[i] };
		actions.mark = &marks[i % 3];
		rules[i] = add_rule(&w, &t, 0, i / 3, &items, &actions);
	}
	refused = mlx5dr_rule_get(t.matcher, w.queue);
	refused->counter = MLX5DR_NO_COUNTER;
	actions.mark = &too_big;
	assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), refused, &items, &actions, 0),
			 -ERANGE);
	actions = (struct queue_actions){ &marks[0], &none };
	assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), refused, &items, &actions, 0),
			 -ENOENT);
	actions.queue = &beyond;
	assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), refused, &items, &actions, 0),
			 -ENOENT);
	/* No counter was taken for it. */
	assert_int_equal(refused->counter, MLX5DR_NO_COUNTER);
	mlx5dr_rule_put(t.matcher, w.queue, refused);
	assert_int_equal(mlx5dr_queue_pending(w.queue), 0);
	run_frames(&w);
	for (unsigned int i = 0; i < 3; i++) {
		int64_t tag = receiver_next(&w.receiver);

		assert_int_equal(mlx5dr_mark_decode((uint32_t)tag), marks[i]);
	}
	assert_int_equal(receiver_next(&w.receiver), MLX5DR_TAG_FLAG);
	assert_int_equal(receiver_next(&w.receiver), -1);
	for (unsigned int i = 0; i < 4; i++)
		remove_rule(&w, &t, rules[i]);
	free_templates(&t);
	free(map);
	world_close(&w);
}

/* A rule that can have no counter is refused without a trace. */
static void
refused_without_counter(struct world *w, struct templates *t, const struct tuple_items *items)
{
	struct mlx5dr_rule *rule = mlx5dr_rule_get(t->matcher, w->queue);

	rule->counter = MLX5DR_NO_COUNTER;
	assert_int_equal(mlx5dr_rule_create(w->queue, mlx5dr_matcher_pair(t->matcher, 0, 0), rule, items, NULL, 0), -ENOBUFS);
	assert_int_equal(rule->counter, MLX5DR_NO_COUNTER);
	assert_int_equal(mlx5dr_queue_pending(w->queue), 0);
	assert_true(mlx5dr_counter_some_wait(w->counters, w->queue));
	mlx5dr_rule_put(t->matcher, w->queue, rule);
}

/* A counter that comes back starts from zero, and only after a refresh. */
static void
counters_come_back(void **state)
{
	const struct tuple a = { htobe32(0x0a000001), htobe32(0x0a000002), htobe16(1), htobe16(53) };
	struct mlx5dr_field fields[8];
	struct mlx5dr_slot slots[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct templates t = { .nb_mt = 0 };
	struct tuple_items items = { &a, &a };
	struct mlx5dr_rule *rule;
	uint32_t *all = calloc(20000, sizeof(*all)), nb = 0, counter;
	uint64_t packets, bytes;
	struct world w;
	int ret;

	for (unsigned int i = 0; i < 3; i++)
		add_udp4(&a, 64);
	world_open(&w);
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, slots, 2);
	make_matcher(&w, &t, w.table[0], 16, 0);
	rule = add_rule(&w, &t, 0, 0, &items, NULL);
	run_frames(&w);
	assert_int_equal(mlx5dr_counter_query(w.counters, rule->counter, true, &packets, &bytes), 0);
	assert_int_equal(packets, 3);
	assert_int_equal(bytes, 3 * 60);
	assert_int_equal(packets_of(&w, rule->counter), 0);
	counter = rule->counter;
	remove_rule(&w, &t, rule);
	while ((ret = mlx5dr_counter_get(w.counters, w.queue, &all[nb])) == 0) {
		assert_true(all[nb] != counter);
		nb++;
	}
	assert_true(nb >= 5000 - 1);
	assert_int_equal(ret, -EAGAIN);
	if (path_takes_counters)
		refused_without_counter(&w, &t, &items);
	for (uint32_t i = 0; i < nb; i++)
		mlx5dr_counter_put(w.counters, w.queue, all[i]);
	assert_int_equal(mlx5dr_counter_get(w.counters, w.queue, &all[0]), -EAGAIN);
	device_stepped(false);
	assert_int_equal(mlx5dr_counter_refresh(w.counters), 0);
	device_stepped(true);
	for (nb = 0; mlx5dr_counter_get(w.counters, w.queue, &all[nb]) == 0; nb++)
		assert_int_equal(packets_of(&w, all[nb]), 0);
	assert_true(nb >= 5000);
	for (uint32_t i = 0; i < nb; i++)
		mlx5dr_counter_put(w.counters, w.queue, all[i]);
	/* A pool stays while templates name it. */
	if (path_takes_counters)
		assert_int_equal(mlx5dr_counter_pool_destroy(w.counters), -EBUSY);
	free(all);
	free_templates(&t);
	world_close(&w);
}

static int
got_here(void **state)
{
	path_takes_counters = false;
	return 0;
}

static int
taken(void **state)
{
	path_takes_counters = true;
	return 0;
}

#define TWICE(test) cmocka_unit_test_setup(test, got_here), cmocka_unit_test_setup(test, taken)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TWICE(tuples_hit_their_rules),
		TWICE(order_of_templates),
		TWICE(ipv6_jumbo),
		TWICE(changed_packets),
		TWICE(cut_packets),
		TWICE(mark_and_queue),
		TWICE(counters_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
