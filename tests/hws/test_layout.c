/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Positions of the header layout are typed twice, by the engine and by the software device, each from the specification.
 * This is the one place where both are seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "hws/header_layout.h"
#include "softcx/steer/hl.h"

#define ABSOLUTE(block, field) PRM_FIELD((block) + prm_offset(field), prm_high_bit(field), prm_width(field))

struct row {
	const char *name;
	int ours;
	uint32_t block;
	int field;
};

#define ROW(name, block, field) { #name, MLX5DR_HL_##name, SC_HL_##block, SC_HL_##field }
#define PAIR(name, block, field) \
	{ #name "_O", MLX5DR_HL_##name##_O, SC_HL_##block##_OUTER, SC_HL_##field }, \
	{ #name "_I", MLX5DR_HL_##name##_I, SC_HL_##block##_INNER, SC_HL_##field }

static const struct row rows[] = {
	PAIR(DMAC_47_16, L2, L2_DMAC_47_16),
	PAIR(DMAC_15_0, L2, L2_DMAC_15_0),
	PAIR(ETHERTYPE, L2, L2_ETHERTYPE),
	PAIR(IP_FRAGMENTED, L2, L2_IP_FRAGMENTED),
	PAIR(L3_TYPE, L2, L2_L3_TYPE),
	PAIR(L4_TYPE_BWC, L2, L2_L4_TYPE_BWC),
	PAIR(VLAN_QUALIFIER, L2, L2_FIRST_VLAN),
	PAIR(VLAN_TCI, L2, L2_FIRST_TCI),
	PAIR(L4_TYPE, L2, L2_L4_TYPE),
	PAIR(L2_OK, L2, L2_L2_OK),
	PAIR(L3_OK, L2, L2_L3_OK),
	PAIR(L4_OK, L2, L2_L4_OK),
	PAIR(VLAN2_QUALIFIER, L2, L2_SECOND_VLAN),
	PAIR(VLAN2_TCI, L2, L2_SECOND_TCI),
	PAIR(SMAC_47_16, L2_SRC, SRC_SMAC_47_16),
	PAIR(SMAC_15_0, L2_SRC, SRC_SMAC_15_0),
	PAIR(IP_VERSION, L3, L3_VERSION),
	PAIR(IP_IHL, L3, L3_IHL),
	PAIR(IP_TOS, L3, L3_TOS),
	PAIR(IP_TTL, L3, L3_TTL),
	PAIR(IP_PROTOCOL, L3, L3_PROTOCOL),
	PAIR(IPV4_ID, L3, L3_ID),
	PAIR(IPV4_FRAGMENT, L3, L3_FRAGMENT),
	PAIR(IPV4_TOTAL_LENGTH, L3, L3_TOTAL_LENGTH),
	PAIR(IPV4_CHECKSUM, L3, L3_CHECKSUM),
	PAIR(IPV6_FLOW_LABEL, L3, L3_FLOW_LABEL),
	PAIR(PACKET_LENGTH, L3, L3_PACKET_LENGTH),
	PAIR(IPV6_PAYLOAD_LENGTH, L3, L3_PAYLOAD_LENGTH),
	PAIR(L4_SPORT, L4, L4_SPORT),
	PAIR(L4_DPORT, L4, L4_DPORT),
	PAIR(TCP_DATA_OFFSET, L4, L4_DATA_OFFSET),
	PAIR(L4_IP_FRAGMENTED, L4, L4_IP_FRAGMENTED),
	ROW(FUNCTIONAL_LB, SOURCE, SOURCE_FUNCTIONAL_LB),
	ROW(SOURCE_QP, SOURCE, SOURCE_QP),
};

/* Whole dwords, of which the device names only the block. */
static const struct {
	const char *name;
	int ours;
	uint32_t offset;
} dwords[] = {
	{ "IPV4_SRC_O", MLX5DR_HL_IPV4_SRC_O, SC_HL_IPV4_OUTER },
	{ "IPV4_DST_O", MLX5DR_HL_IPV4_DST_O, SC_HL_IPV4_OUTER + 4 },
	{ "IPV4_SRC_I", MLX5DR_HL_IPV4_SRC_I, SC_HL_IPV4_INNER },
	{ "IPV4_DST_I", MLX5DR_HL_IPV4_DST_I, SC_HL_IPV4_INNER + 4 },
	{ "IPV6_DST_O", MLX5DR_HL_IPV6_DST_127_96_O, SC_HL_IPV6_DST_OUTER },
	{ "IPV6_DST_31_0_O", MLX5DR_HL_IPV6_DST_31_0_O, SC_HL_IPV6_DST_OUTER + 12 },
	{ "IPV6_DST_I", MLX5DR_HL_IPV6_DST_127_96_I, SC_HL_IPV6_DST_INNER },
	{ "IPV6_DST_31_0_I", MLX5DR_HL_IPV6_DST_31_0_I, SC_HL_IPV6_DST_INNER + 12 },
	{ "IPV6_SRC_O", MLX5DR_HL_IPV6_SRC_127_96_O, SC_HL_IPV6_SRC_OUTER },
	{ "IPV6_SRC_31_0_O", MLX5DR_HL_IPV6_SRC_31_0_O, SC_HL_IPV6_SRC_OUTER + 12 },
	{ "IPV6_SRC_I", MLX5DR_HL_IPV6_SRC_127_96_I, SC_HL_IPV6_SRC_INNER },
	{ "IPV6_SRC_31_0_I", MLX5DR_HL_IPV6_SRC_31_0_I, SC_HL_IPV6_SRC_INNER + 12 },
	{ "TCP_SEQUENCE", MLX5DR_HL_TCP_SEQUENCE, SC_HL_TCP_ICMP },
	{ "TUNNEL_0", MLX5DR_HL_TUNNEL_0, SC_HL_TUNNEL },
	{ "TUNNEL_1", MLX5DR_HL_TUNNEL_1, SC_HL_TUNNEL + 4 },
	{ "REG_A", MLX5DR_HL_REG_A, SC_HL_REG_A },
	{ "REG_B", MLX5DR_HL_REG_B, SC_HL_REG_B },
};

static void
fields_agree(void **state)
{
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int theirs = ABSOLUTE(rows[i].block, rows[i].field);

		if (rows[i].ours != theirs)
			fail_msg("%s: 0x%x here, 0x%x in the device", rows[i].name, rows[i].ours, theirs);
	}
	for (unsigned int i = 0; i < sizeof(dwords) / sizeof(dwords[0]); i++) {
		int theirs = PRM_FIELD(dwords[i].offset, 31, 32);

		if (dwords[i].ours != theirs)
			fail_msg("%s: 0x%x here, 0x%x in the device", dwords[i].name, dwords[i].ours, theirs);
	}
	printf("%zu fields and %zu dwords agree\n", sizeof(rows) / sizeof(rows[0]), sizeof(dwords) / sizeof(dwords[0]));
}

static void
ok_bits_agree(void **state)
{
	static const struct {
		int ours;
		unsigned int bit;
	} bits[] = {
		{ MLX5DR_HL_OK_IPV4_CHECKSUM_I, SC_OK_SECOND_IPV4_CHECKSUM },
		{ MLX5DR_HL_OK_L4_CHECKSUM_I, SC_OK_SECOND_L4_CHECKSUM },
		{ MLX5DR_HL_OK_IPV4_CHECKSUM_O, SC_OK_FIRST_IPV4_CHECKSUM },
		{ MLX5DR_HL_OK_L4_CHECKSUM_O, SC_OK_FIRST_L4_CHECKSUM },
		{ MLX5DR_HL_OK_L3_I, SC_OK_SECOND_L3 }, { MLX5DR_HL_OK_L4_I, SC_OK_SECOND_L4 },
		{ MLX5DR_HL_OK_L3_O, SC_OK_FIRST_L3 }, { MLX5DR_HL_OK_L4_O, SC_OK_FIRST_L4 },
		{ MLX5DR_HL_OK_VXLAN, SC_OK_VXLAN }, { MLX5DR_HL_OK_GRE, SC_OK_GRE },
	};

	for (unsigned int i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		assert_int_equal(bits[i].ours, PRM_FIELD(SC_HL_OK_BITS_1, bits[i].bit, 1));
}

static void
registers_agree(void **state)
{
	static const int ours[] = {
		MLX5DR_HL_REG_C_0, MLX5DR_HL_REG_C_1, MLX5DR_HL_REG_C_2, MLX5DR_HL_REG_C_3, MLX5DR_HL_REG_C_4,
		MLX5DR_HL_REG_C_5, MLX5DR_HL_REG_C_6, MLX5DR_HL_REG_C_7, MLX5DR_HL_REG_C_8, MLX5DR_HL_REG_C_9,
		MLX5DR_HL_REG_C_10, MLX5DR_HL_REG_C_11,
	};

	for (unsigned int i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		assert_int_equal(ours[i], PRM_FIELD(sc_hl_register[SC_REG_C_0 + i], 31, 32));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_agree),
		cmocka_unit_test(ok_bits_agree),
		cmocka_unit_test(registers_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
