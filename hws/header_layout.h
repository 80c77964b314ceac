/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The header layout (HL): what the device's parser makes of a packet, 256 big-endian dwords of which a definer selects
 * some. One constant per field, as PRM_FIELD(byte offset of the dword, top bit, width). Suffix _O is the outer header,
 * _I the inner one; fields without suffix exist once.
 *
 * Fields wider than 32 bits are split as the parser splits them (MAC addresses 32 + 16, IPv6 addresses 4 x 32).
 * Typed from the functional specification of hardware steering, section 3; softcx has its own copy of these positions,
 * and only a test compares the two.
 */
#ifndef MLX5DR_HEADER_LAYOUT_H
#define MLX5DR_HEADER_LAYOUT_H

#include "prm/field.h"

#define MLX5DR_HL_BYTES 1024

/*
 * The same block of fields at its outer and at its inner place. Names are pasted in the macro that is used, not one
 * further in: some of them are macros of the system's headers.
 */
#define MLX5DR_HL_AT(outer, inner, at, hi, width, name_o, name_i) \
	name_o = PRM_FIELD((outer) + (at), hi, width), name_i = PRM_FIELD((inner) + (at), hi, width)
#define MLX5DR_HL_L2(name, at, hi, width) \
	MLX5DR_HL_AT(0x000, 0x010, at, hi, width, MLX5DR_HL_##name##_O, MLX5DR_HL_##name##_I)
#define MLX5DR_HL_L2SRC(name, at, hi, width) \
	MLX5DR_HL_AT(0x020, 0x028, at, hi, width, MLX5DR_HL_##name##_O, MLX5DR_HL_##name##_I)
#define MLX5DR_HL_L3(name, at, hi, width) \
	MLX5DR_HL_AT(0x038, 0x04c, at, hi, width, MLX5DR_HL_##name##_O, MLX5DR_HL_##name##_I)
#define MLX5DR_HL_L4(name, at, hi, width) \
	MLX5DR_HL_AT(0x060, 0x068, at, hi, width, MLX5DR_HL_##name##_O, MLX5DR_HL_##name##_I)
#define MLX5DR_HL_V4(name, at, hi, width) \
	MLX5DR_HL_AT(0x100, 0x108, at, hi, width, MLX5DR_HL_##name##_O, MLX5DR_HL_##name##_I)
#define MLX5DR_HL_V6(name, outer, inner) \
	MLX5DR_HL_AT(outer, inner, 0, 31, 32, MLX5DR_HL_##name##_O, MLX5DR_HL_##name##_I)

enum mlx5dr_hl {
	/* L2 */
	MLX5DR_HL_L2(DMAC_47_16, 0x00, 31, 32),
	MLX5DR_HL_L2(DMAC_15_0, 0x04, 31, 16),
	MLX5DR_HL_L2(ETHERTYPE, 0x04, 15, 16), /* the type after the VLAN tags */
	MLX5DR_HL_L2(IP_FRAGMENTED, 0x08, 28, 1),
	MLX5DR_HL_L2(L3_TYPE, 0x08, 21, 2),
	MLX5DR_HL_L2(L4_TYPE_BWC, 0x08, 19, 2),
	MLX5DR_HL_L2(VLAN_QUALIFIER, 0x08, 17, 2),
	MLX5DR_HL_L2(VLAN_TCI, 0x08, 15, 16),
	MLX5DR_HL_L2(VLAN_PCP, 0x08, 15, 3),
	MLX5DR_HL_L2(VLAN_CFI, 0x08, 12, 1),
	MLX5DR_HL_L2(VLAN_VID, 0x08, 11, 12),
	MLX5DR_HL_L2(L4_TYPE, 0x0c, 31, 4),
	MLX5DR_HL_L2(L2_OK, 0x0c, 20, 1),
	MLX5DR_HL_L2(L3_OK, 0x0c, 19, 1),
	MLX5DR_HL_L2(L4_OK, 0x0c, 18, 1),
	MLX5DR_HL_L2(VLAN2_QUALIFIER, 0x0c, 17, 2),
	MLX5DR_HL_L2(VLAN2_TCI, 0x0c, 15, 16),

	/* L2 source */
	MLX5DR_HL_L2SRC(SMAC_47_16, 0x00, 31, 32),
	MLX5DR_HL_L2SRC(SMAC_15_0, 0x04, 31, 16),

	/* L3 */
	MLX5DR_HL_L3(IP_VERSION, 0x00, 31, 4),
	MLX5DR_HL_L3(IP_IHL, 0x00, 27, 4),
	MLX5DR_HL_L3(IP_TOS, 0x00, 23, 8),
	MLX5DR_HL_L3(IP_DSCP, 0x00, 23, 6),
	MLX5DR_HL_L3(IP_ECN, 0x00, 17, 2),
	MLX5DR_HL_L3(IP_TTL, 0x00, 15, 8), /* and hop limit */
	MLX5DR_HL_L3(IP_PROTOCOL, 0x00, 7, 8), /* and next header */
	MLX5DR_HL_L3(IPV4_ID, 0x04, 31, 16),
	MLX5DR_HL_L3(IPV4_FRAGMENT, 0x04, 15, 16), /* flags and offset as they are in the header */
	MLX5DR_HL_L3(IPV4_TOTAL_LENGTH, 0x08, 31, 16),
	MLX5DR_HL_L3(IPV4_CHECKSUM, 0x08, 15, 16),
	MLX5DR_HL_L3(IPV6_FLOW_LABEL, 0x0c, 19, 20),
	MLX5DR_HL_L3(PACKET_LENGTH, 0x10, 31, 16),
	MLX5DR_HL_L3(IPV6_PAYLOAD_LENGTH, 0x10, 15, 16),

	/* L4, TCP and UDP alike */
	MLX5DR_HL_L4(L4_SPORT, 0x00, 31, 16),
	MLX5DR_HL_L4(L4_DPORT, 0x00, 15, 16),
	MLX5DR_HL_L4(TCP_DATA_OFFSET, 0x04, 31, 4),
	MLX5DR_HL_L4(L4_IP_FRAGMENTED, 0x04, 25, 1),
	MLX5DR_HL_L4(TCP_FLAGS, 0x04, 23, 8),

	/* Where the packet came from */
	MLX5DR_HL_FUNCTIONAL_LB = PRM_FIELD(0x070, 16, 1),
	MLX5DR_HL_SOURCE_GVMI = PRM_FIELD(0x070, 15, 16),
	MLX5DR_HL_SOURCE_QP = PRM_FIELD(0x074, 23, 24), /* TX: the SQ's number */

	/* What the parser found right; "1" is outer, "2" inner */
	MLX5DR_HL_OK_IPV4_CHECKSUM_I = PRM_FIELD(0x084, 31, 1),
	MLX5DR_HL_OK_L4_CHECKSUM_I = PRM_FIELD(0x084, 30, 1),
	MLX5DR_HL_OK_IPV4_CHECKSUM_O = PRM_FIELD(0x084, 29, 1),
	MLX5DR_HL_OK_L4_CHECKSUM_O = PRM_FIELD(0x084, 28, 1),
	MLX5DR_HL_OK_L3_I = PRM_FIELD(0x084, 27, 1),
	MLX5DR_HL_OK_L4_I = PRM_FIELD(0x084, 26, 1),
	MLX5DR_HL_OK_L3_O = PRM_FIELD(0x084, 25, 1),
	MLX5DR_HL_OK_L4_O = PRM_FIELD(0x084, 24, 1),
	MLX5DR_HL_OK_VXLAN = PRM_FIELD(0x084, 6, 1),
	MLX5DR_HL_OK_GRE = PRM_FIELD(0x084, 5, 1),

	/* Addresses */
	MLX5DR_HL_V4(IPV4_SRC, 0x00, 31, 32),
	MLX5DR_HL_V4(IPV4_DST, 0x04, 31, 32),
	MLX5DR_HL_V6(IPV6_DST_127_96, 0x110, 0x120),
	MLX5DR_HL_V6(IPV6_DST_95_64, 0x114, 0x124),
	MLX5DR_HL_V6(IPV6_DST_63_32, 0x118, 0x128),
	MLX5DR_HL_V6(IPV6_DST_31_0, 0x11c, 0x12c),
	MLX5DR_HL_V6(IPV6_SRC_127_96, 0x130, 0x140),
	MLX5DR_HL_V6(IPV6_SRC_95_64, 0x134, 0x144),
	MLX5DR_HL_V6(IPV6_SRC_63_32, 0x138, 0x148),
	MLX5DR_HL_V6(IPV6_SRC_31_0, 0x13c, 0x14c),

	/* TCP numbers or ICMP dwords share one place, which is not split by outer and inner */
	MLX5DR_HL_TCP_SEQUENCE = PRM_FIELD(0x178, 31, 32),
	MLX5DR_HL_TCP_ACK = PRM_FIELD(0x17c, 31, 32),
	MLX5DR_HL_ICMP_TYPE = PRM_FIELD(0x178, 31, 8),
	MLX5DR_HL_ICMP_CODE = PRM_FIELD(0x178, 23, 8),
	MLX5DR_HL_ICMP_CHECKSUM = PRM_FIELD(0x178, 15, 16),
	MLX5DR_HL_ICMP_IDENT = PRM_FIELD(0x17c, 31, 16),
	MLX5DR_HL_ICMP_SEQUENCE = PRM_FIELD(0x17c, 15, 16),

	/* Tunnel header, dwords 0..3. VXLAN: flags and reserved, then VNI and its last byte. */
	MLX5DR_HL_TUNNEL_0 = PRM_FIELD(0x184, 31, 32),
	MLX5DR_HL_TUNNEL_1 = PRM_FIELD(0x188, 31, 32),
	MLX5DR_HL_TUNNEL_2 = PRM_FIELD(0x18c, 31, 32),
	MLX5DR_HL_TUNNEL_3 = PRM_FIELD(0x190, 31, 32),
	MLX5DR_HL_VXLAN_FLAGS = PRM_FIELD(0x184, 31, 8),
	MLX5DR_HL_VXLAN_VNI = PRM_FIELD(0x188, 31, 24),

	MLX5DR_HL_RANDOM = PRM_FIELD(0x1dc, 31, 16),

	/* Registers */
	MLX5DR_HL_REG_B = PRM_FIELD(0x1ec, 31, 32), /* metadata to CQE */
	MLX5DR_HL_REG_A = PRM_FIELD(0x1f0, 31, 32), /* general purpose; TX: the send WQE's metadata */
	MLX5DR_HL_REG_C_0 = PRM_FIELD(0x250, 31, 32),
	MLX5DR_HL_REG_C_1 = PRM_FIELD(0x254, 31, 32),
	MLX5DR_HL_REG_C_2 = PRM_FIELD(0x248, 31, 32),
	MLX5DR_HL_REG_C_3 = PRM_FIELD(0x24c, 31, 32),
	MLX5DR_HL_REG_C_4 = PRM_FIELD(0x240, 31, 32),
	MLX5DR_HL_REG_C_5 = PRM_FIELD(0x244, 31, 32),
	MLX5DR_HL_REG_C_6 = PRM_FIELD(0x238, 31, 32),
	MLX5DR_HL_REG_C_7 = PRM_FIELD(0x23c, 31, 32),
	MLX5DR_HL_REG_C_8 = PRM_FIELD(0x230, 31, 32),
	MLX5DR_HL_REG_C_9 = PRM_FIELD(0x234, 31, 32),
	MLX5DR_HL_REG_C_10 = PRM_FIELD(0x228, 31, 32),
	MLX5DR_HL_REG_C_11 = PRM_FIELD(0x22c, 31, 32),
};

/* Values of the encoded fields. */
enum {
	MLX5DR_HL_L3_TYPE_IPV4 = 1,
	MLX5DR_HL_L3_TYPE_IPV6 = 2,
	MLX5DR_HL_L4_BWC_TCP = 1,
	MLX5DR_HL_L4_BWC_UDP = 2,
	MLX5DR_HL_L4_BWC_ESP = 3,
	MLX5DR_HL_L4_TCP = 1,
	MLX5DR_HL_L4_UDP = 2,
	MLX5DR_HL_L4_ICMP = 3, /* ICMP and ICMPv6 */
	MLX5DR_HL_VLAN_NONE = 0,
	MLX5DR_HL_VLAN_S = 1, /* more tags follow */
	MLX5DR_HL_VLAN_C = 2, /* exactly one tag */
};

#endif
