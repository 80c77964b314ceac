/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The header layout: what the parser shows of a frame to match on, 256 dwords of which 0x96 are known.
 * Positions from hws.md section 3, typed here for the device alone; the driver types its own.
 *
 * A field of a layer is named relative to the layer's block, a block by its byte offset for outer and inner
 * headers.
 */
#ifndef SOFTCX_HL_H
#define SOFTCX_HL_H

#include <stdint.h>

#include "prm/field.h"
#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"

#define SC_HL_DWORDS 0x96
#define SC_HL_BYTES  (SC_HL_DWORDS * 4)

/* Blocks: outer, inner */
enum sc_hl_block {
	SC_HL_L2_OUTER = 0x000, SC_HL_L2_INNER = 0x010,
	SC_HL_L2_SRC_OUTER = 0x020, SC_HL_L2_SRC_INNER = 0x028,
	SC_HL_L3_OUTER = 0x038, SC_HL_L3_INNER = 0x04c,
	SC_HL_L4_OUTER = 0x060, SC_HL_L4_INNER = 0x068,
	SC_HL_SOURCE = 0x070, SC_HL_IB_L4 = 0x078, SC_HL_OK_BITS_1 = 0x084, SC_HL_OK_BITS_2 = 0x088,
	SC_HL_IPV4_OUTER = 0x100, SC_HL_IPV4_INNER = 0x108,
	SC_HL_IPV6_DST_OUTER = 0x110, SC_HL_IPV6_DST_INNER = 0x120,
	SC_HL_IPV6_SRC_OUTER = 0x130, SC_HL_IPV6_SRC_INNER = 0x140,
	SC_HL_TCP_ICMP = 0x178, SC_HL_TUNNEL = 0x184,
	SC_HL_MPLS_OUTER = 0x194, SC_HL_MPLS_INNER = 0x1a8,
	SC_HL_RANDOM = 0x1dc, SC_HL_IPSEC = 0x1e0,
	SC_HL_REG_B = 0x1ec, SC_HL_REG_A = 0x1f0, SC_HL_HASH = 0x1f4,
	SC_HL_UTC = 0x1f8, SC_HL_TIMESTAMP = 0x200, SC_HL_FLEX_0 = 0x224,
};

/* L2 block, 3.2 */
enum {
	SC_HL_L2_DMAC_47_16 = PRM_FIELD(0x00, 31, 32),
	SC_HL_L2_DMAC_15_0 = PRM_FIELD(0x04, 31, 16),
	SC_HL_L2_ETHERTYPE = PRM_FIELD(0x04, 15, 16),
	SC_HL_L2_FUNCTIONAL_LB = PRM_FIELD(0x08, 29, 1),
	SC_HL_L2_IP_FRAGMENTED = PRM_FIELD(0x08, 28, 1),
	SC_HL_L2_L3_TYPE = PRM_FIELD(0x08, 21, 2),
	SC_HL_L2_L4_TYPE_BWC = PRM_FIELD(0x08, 19, 2),
	SC_HL_L2_FIRST_VLAN = PRM_FIELD(0x08, 17, 2),
	SC_HL_L2_FIRST_TCI = PRM_FIELD(0x08, 15, 16),
	SC_HL_L2_L4_TYPE = PRM_FIELD(0x0c, 31, 4),
	SC_HL_L2_L2_OK = PRM_FIELD(0x0c, 20, 1),
	SC_HL_L2_L3_OK = PRM_FIELD(0x0c, 19, 1),
	SC_HL_L2_L4_OK = PRM_FIELD(0x0c, 18, 1),
	SC_HL_L2_SECOND_VLAN = PRM_FIELD(0x0c, 17, 2),
	SC_HL_L2_SECOND_TCI = PRM_FIELD(0x0c, 15, 16),
};

/* L2 source block, 3.3 */
enum {
	SC_HL_SRC_SMAC_47_16 = PRM_FIELD(0x00, 31, 32),
	SC_HL_SRC_SMAC_15_0 = PRM_FIELD(0x04, 31, 16),
	SC_HL_SRC_LOOPBACK = PRM_FIELD(0x04, 15, 8),
	SC_HL_SRC_L3_TYPE = PRM_FIELD(0x04, 7, 2),
	SC_HL_SRC_L4_TYPE_BWC = PRM_FIELD(0x04, 5, 2),
	SC_HL_SRC_FIRST_VLAN = PRM_FIELD(0x04, 3, 2),
	SC_HL_SRC_IP_FRAGMENTED = PRM_FIELD(0x04, 1, 1),
	SC_HL_SRC_FUNCTIONAL_LB = PRM_FIELD(0x04, 0, 1),
};

/* L3 block, 3.5 */
enum {
	SC_HL_L3_VERSION = PRM_FIELD(0x00, 31, 4),
	SC_HL_L3_IHL = PRM_FIELD(0x00, 27, 4),
	SC_HL_L3_TOS = PRM_FIELD(0x00, 23, 8),
	SC_HL_L3_TTL = PRM_FIELD(0x00, 15, 8),
	SC_HL_L3_PROTOCOL = PRM_FIELD(0x00, 7, 8),
	SC_HL_L3_ID = PRM_FIELD(0x04, 31, 16),
	SC_HL_L3_FRAGMENT = PRM_FIELD(0x04, 15, 16),
	SC_HL_L3_TOTAL_LENGTH = PRM_FIELD(0x08, 31, 16),
	SC_HL_L3_CHECKSUM = PRM_FIELD(0x08, 15, 16),
	SC_HL_L3_FLOW_LABEL = PRM_FIELD(0x0c, 19, 20),
	SC_HL_L3_PACKET_LENGTH = PRM_FIELD(0x10, 31, 16),
	SC_HL_L3_PAYLOAD_LENGTH = PRM_FIELD(0x10, 15, 16),
};

/* L4 block, 3.6 */
enum {
	SC_HL_L4_SPORT = PRM_FIELD(0x00, 31, 16),
	SC_HL_L4_DPORT = PRM_FIELD(0x00, 15, 16),
	SC_HL_L4_DATA_OFFSET = PRM_FIELD(0x04, 31, 4),
	SC_HL_L4_L4_OK = PRM_FIELD(0x04, 27, 1),
	SC_HL_L4_L3_OK = PRM_FIELD(0x04, 26, 1),
	SC_HL_L4_IP_FRAGMENTED = PRM_FIELD(0x04, 25, 1),
	SC_HL_L4_TCP_FLAGS = PRM_FIELD(0x04, 24, 9), /* NS and the eight flags */
	SC_HL_L4_FIRST_FRAGMENT = PRM_FIELD(0x04, 15, 1),
};

/* Source block, 3.7 */
enum {
	SC_HL_SOURCE_L3_TYPE = PRM_FIELD(0x00, 23, 2),
	SC_HL_SOURCE_L4_TYPE_BWC = PRM_FIELD(0x00, 21, 2),
	SC_HL_SOURCE_FIRST_VLAN = PRM_FIELD(0x00, 19, 2),
	SC_HL_SOURCE_FUNCTIONAL_LB = PRM_FIELD(0x00, 16, 1),
	SC_HL_SOURCE_IP_FRAGMENTED = PRM_FIELD(0x04, 30, 1),
	SC_HL_SOURCE_IS_REQUESTOR = PRM_FIELD(0x04, 29, 1),
	SC_HL_SOURCE_QP = PRM_FIELD(0x04, 23, 24),
};

/* InfiniBand L4 block, 3.8 */
enum {
	SC_HL_IB_SE = PRM_FIELD(0x04, 31, 1),
	SC_HL_IB_MIGREQ = PRM_FIELD(0x04, 30, 1),
	SC_HL_IB_ACKREQ = PRM_FIELD(0x04, 29, 1),
	SC_HL_IB_FECN = PRM_FIELD(0x04, 28, 1),
	SC_HL_IB_BECN = PRM_FIELD(0x04, 27, 1),
	SC_HL_IB_BTH_PRESENT = PRM_FIELD(0x04, 26, 1),
	SC_HL_IB_PAD = PRM_FIELD(0x04, 21, 2),
	SC_HL_IB_TVER = PRM_FIELD(0x04, 19, 4),
	SC_HL_IB_P_KEY = PRM_FIELD(0x04, 15, 16),
};

/* OK bits 1, 3.9: bit numbers; "first" is outer, "second" inner */
enum {
	SC_OK_SECOND_IPV4_CHECKSUM = 31, SC_OK_SECOND_L4_CHECKSUM = 30,
	SC_OK_FIRST_IPV4_CHECKSUM = 29, SC_OK_FIRST_L4_CHECKSUM = 28,
	SC_OK_SECOND_L3 = 27, SC_OK_SECOND_L4 = 26, SC_OK_FIRST_L3 = 25, SC_OK_FIRST_L4 = 24,
	SC_OK_SECOND_EXTENSION = 15, SC_OK_FIRST_EXTENSION = 14, SC_OK_L3_TUNNEL = 13, SC_OK_L2_TUNNEL = 12,
	SC_OK_SECOND_TCP = 11, SC_OK_SECOND_UDP = 10, SC_OK_SECOND_IPV4 = 9, SC_OK_SECOND_IPV6 = 8,
	SC_OK_SECOND_L2 = 7, SC_OK_VXLAN = 6, SC_OK_GRE = 5, SC_OK_FIRST_TCP = 4, SC_OK_FIRST_UDP = 3,
	SC_OK_FIRST_IPV4 = 2, SC_OK_FIRST_IPV6 = 1, SC_OK_FIRST_L2 = 0,
};

/* Byte offset in the layout of register reg (3.10). */
extern const uint16_t sc_hl_register[SC_REGS];

/*
 * Show pkt, of which parse says where its headers are, in hl (SC_HL_BYTES, written whole). Checksum verdicts
 * are those of parse: sc_parse_verify first where a definer looks at them (sc_hl_has_verdict).
 */
void sc_hl_fill(uint8_t *hl, const struct sc_packet *pkt, const struct sc_parse *parse, uint32_t random);

/* Does dword number dw of the layout hold a bit that needs checksums verified, under this mask? */
int sc_hl_has_verdict(uint32_t dw, uint32_t mask);

#endif
