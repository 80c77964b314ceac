/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The 8-byte words of a modify-header list, and the numbers of the fields they may name.
 *
 * A field is numbered from bit 0 of itself, not of the dword that holds it; `length` 0 means 32. Where a field lies in
 * the header layout is not said here: hws and softcx each hold that table. Sources: hws.md 2.8, 8.5, 10.5; kernel header
 * linux/mlx5/mlx5_ifc.h. Insertion, removal and word removal have their layouts in object.h.
 */
#ifndef PRM_MODIFY_H
#define PRM_MODIFY_H

#include "prm/layout.h"

#define PRM_SET_ACTION_FIELDS(F) \
	F(SET_ACTION, ACTION_TYPE, 0x00, 31, 4,  IFC(set_action_in, action_type)) \
	F(SET_ACTION, FIELD,       0x00, 27, 12, IFC(set_action_in, field)) \
	F(SET_ACTION, OFFSET,      0x00, 12, 5,  IFC(set_action_in, offset)) \
	F(SET_ACTION, LENGTH,      0x00, 4,  5,  IFC(set_action_in, length)) \
	F(SET_ACTION, DATA,        0x04, 31, 32, IFC(set_action_in, data))
PRM_LAYOUT(SET_ACTION);

/* Also ADD_FIELD. */
#define PRM_COPY_ACTION_FIELDS(F) \
	F(COPY_ACTION, ACTION_TYPE, 0x00, 31, 4,  IFC(copy_action_in, action_type)) \
	F(COPY_ACTION, SRC_FIELD,   0x00, 27, 12, IFC(copy_action_in, src_field)) \
	F(COPY_ACTION, SRC_OFFSET,  0x00, 12, 5,  IFC(copy_action_in, src_offset)) \
	F(COPY_ACTION, LENGTH,      0x00, 4,  5,  IFC(copy_action_in, length)) \
	F(COPY_ACTION, DST_FIELD,   0x04, 27, 12, IFC(copy_action_in, dst_field)) \
	F(COPY_ACTION, DST_OFFSET,  0x04, 12, 5,  IFC(copy_action_in, dst_offset))
PRM_LAYOUT(COPY_ACTION);

enum prm_modify_type {
	PRM_MODIFY_SET = 0x1,
	PRM_MODIFY_ADD = 0x2,
	PRM_MODIFY_COPY = 0x3,
	PRM_MODIFY_INSERT = 0x4,
	PRM_MODIFY_REMOVE = 0x5,
	PRM_MODIFY_NOP = 0x6,
	PRM_MODIFY_REMOVE_WORDS = 0x7,
	PRM_MODIFY_ADD_FIELD = 0x8,
};

/* Field: name, number, width in bits. */
#define PRM_MODIFY_FIELDS(X) \
	X(OUT_SMAC_47_16, 0x01, 32) \
	X(OUT_SMAC_15_0, 0x02, 16) \
	X(OUT_ETHERTYPE, 0x03, 16) \
	X(OUT_DMAC_47_16, 0x04, 32) \
	X(OUT_DMAC_15_0, 0x05, 16) \
	X(OUT_IP_DSCP, 0x06, 6) \
	X(OUT_TCP_FLAGS, 0x07, 9) \
	X(OUT_TCP_SPORT, 0x08, 16) \
	X(OUT_TCP_DPORT, 0x09, 16) \
	X(OUT_IPV4_TTL, 0x0a, 8) \
	X(OUT_UDP_SPORT, 0x0b, 16) \
	X(OUT_UDP_DPORT, 0x0c, 16) \
	X(OUT_SIPV6_127_96, 0x0d, 32) \
	X(OUT_SIPV6_95_64, 0x0e, 32) \
	X(OUT_SIPV6_63_32, 0x0f, 32) \
	X(OUT_SIPV6_31_0, 0x10, 32) \
	X(OUT_DIPV6_127_96, 0x11, 32) \
	X(OUT_DIPV6_95_64, 0x12, 32) \
	X(OUT_DIPV6_63_32, 0x13, 32) \
	X(OUT_DIPV6_31_0, 0x14, 32) \
	X(OUT_SIPV4, 0x15, 32) \
	X(OUT_DIPV4, 0x16, 32) \
	X(OUT_FIRST_VID, 0x17, 16) \
	X(IN_SMAC_47_16, 0x31, 32) \
	X(IN_SMAC_15_0, 0x32, 16) \
	X(IN_ETHERTYPE, 0x33, 16) \
	X(IN_DMAC_47_16, 0x34, 32) \
	X(IN_DMAC_15_0, 0x35, 16) \
	X(IN_IP_DSCP, 0x36, 6) \
	X(IN_TCP_FLAGS, 0x37, 9) \
	X(IN_TCP_SPORT, 0x38, 16) \
	X(IN_TCP_DPORT, 0x39, 16) \
	X(IN_IPV4_TTL, 0x3a, 8) \
	X(IN_UDP_SPORT, 0x3b, 16) \
	X(IN_UDP_DPORT, 0x3c, 16) \
	X(IN_SIPV6_127_96, 0x3d, 32) \
	X(IN_SIPV6_95_64, 0x3e, 32) \
	X(IN_SIPV6_63_32, 0x3f, 32) \
	X(IN_SIPV6_31_0, 0x40, 32) \
	X(IN_DIPV6_127_96, 0x41, 32) \
	X(IN_DIPV6_95_64, 0x42, 32) \
	X(IN_DIPV6_63_32, 0x43, 32) \
	X(IN_DIPV6_31_0, 0x44, 32) \
	X(IN_SIPV4, 0x45, 32) \
	X(IN_DIPV4, 0x46, 32) \
	X(OUT_IPV6_HOPLIMIT, 0x47, 8) \
	X(IN_IPV6_HOPLIMIT, 0x48, 8) \
	X(META_DATA_REG_A, 0x49, 32) \
	X(OUT_IP_PROTOCOL, 0x4a, 8) \
	X(META_DATA_REG_B, 0x50, 32) \
	X(META_REG_C_0, 0x51, 32) \
	X(META_REG_C_1, 0x52, 32) \
	X(META_REG_C_2, 0x53, 32) \
	X(META_REG_C_3, 0x54, 32) \
	X(META_REG_C_4, 0x55, 32) \
	X(META_REG_C_5, 0x56, 32) \
	X(META_REG_C_6, 0x57, 32) \
	X(META_REG_C_7, 0x58, 32) \
	X(OUT_TCP_SEQ_NUM, 0x59, 32) \
	X(IN_TCP_SEQ_NUM, 0x5a, 32) \
	X(OUT_TCP_ACK_NUM, 0x5b, 32) \
	X(IN_TCP_ACK_NUM, 0x5c, 32) \
	X(OUT_ESP_SPI, 0x5e, 32) \
	X(IN_ESP_SPI, 0x5f, 32) \
	X(GTP_TEID, 0x6e, 32) \
	X(OUT_IP_ECN, 0x73, 2) \
	X(IN_IP_ECN, 0x74, 2) \
	X(TUNNEL_HDR_DW_1, 0x75, 32) \
	X(GTPU_FIRST_EXT_DW_0, 0x76, 32) \
	X(HASH_RESULT, 0x81, 32) \
	X(OUT_ESP_SEQ_NUM, 0x82, 32) \
	X(IN_ESP_SEQ_NUM, 0x83, 32) \
	X(IN_MPLS_LABEL_0, 0x8a, 32) \
	X(IN_MPLS_LABEL_1, 0x8b, 32) \
	X(IN_MPLS_LABEL_2, 0x8c, 32) \
	X(IN_MPLS_LABEL_3, 0x8d, 32) \
	X(IN_MPLS_LABEL_4, 0x8e, 32) \
	X(META_REG_C_8, 0x8f, 32) \
	X(META_REG_C_9, 0x90, 32) \
	X(META_REG_C_10, 0x91, 32) \
	X(META_REG_C_11, 0x92, 32) \
	X(META_REG_C_12, 0x93, 32) \
	X(META_REG_C_13, 0x94, 32) \
	X(META_REG_C_14, 0x95, 32) \
	X(META_REG_C_15, 0x96, 32) \
	X(OUT_IPV6_TRAFFIC_CLASS, 0x11c, 8) \
	X(OUT_IPV4_TOTAL_LEN, 0x11d, 16) \
	X(OUT_IPV6_PAYLOAD_LEN, 0x11e, 16) \
	X(OUT_IPV4_IHL, 0x11f, 4) \
	X(OUT_TCP_DATA_OFFSET, 0x120, 4) \
	X(IN_IPV6_TRAFFIC_CLASS, 0x121, 8) \
	X(IN_IPV4_TOTAL_LEN, 0x122, 16) \
	X(IN_IPV6_PAYLOAD_LEN, 0x123, 16) \
	X(IN_IPV4_IHL, 0x124, 4) \
	X(IN_TCP_DATA_OFFSET, 0x125, 4) \
	X(IPSEC_NEXT_HDR, 0x126, 8) \
	X(OUT_IPV6_FLOW_LABEL, 0x127, 20) \
	X(IN_IPV6_FLOW_LABEL, 0x128, 20)

#define PRM_MODIFY_FIELD_ENUM(name, number, width) PRM_MODI_##name = number,
enum prm_modify_field { PRM_MODIFY_FIELDS(PRM_MODIFY_FIELD_ENUM) };

#define PRM_MODIFY_WIDTH_ENUM(name, number, width) PRM_MODI_##name##_WIDTH = width,
enum prm_modify_field_width { PRM_MODIFY_FIELDS(PRM_MODIFY_WIDTH_ENUM) };

/* Name and width of a field number; NULL and 0 for one that is not in the list. */
const char *prm_modify_field_name(uint16_t field);
unsigned int prm_modify_field_width(uint16_t field);

#endif
