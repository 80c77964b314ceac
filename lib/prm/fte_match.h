/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * fte_match_param: criteria (mask) and value of flow groups, flow entries and root rules. One flat layout with absolute
 * offsets; outer and inner headers have the same fields, 0x80 apart.
 *
 * Sources: hws.md 9.1; kernel header linux/mlx5/mlx5_ifc.h. Addresses are byte areas; IPv4 is in the last four bytes.
 */
#ifndef PRM_FTE_MATCH_H
#define PRM_FTE_MATCH_H

#include "prm/layout.h"

#define PRM_FTE_MATCH_LYR(F, P, B, M) \
	F(FTE_MATCH, P##_SMAC_47_16,         (B) + 0x00, 31, 32, IFC(fte_match_param, M.smac_47_16)) \
	F(FTE_MATCH, P##_SMAC_15_0,          (B) + 0x04, 31, 16, IFC(fte_match_param, M.smac_15_0)) \
	F(FTE_MATCH, P##_ETHERTYPE,          (B) + 0x04, 15, 16, IFC(fte_match_param, M.ethertype)) \
	F(FTE_MATCH, P##_DMAC_47_16,         (B) + 0x08, 31, 32, IFC(fte_match_param, M.dmac_47_16)) \
	F(FTE_MATCH, P##_DMAC_15_0,          (B) + 0x0c, 31, 16, IFC(fte_match_param, M.dmac_15_0)) \
	F(FTE_MATCH, P##_FIRST_PRIO,         (B) + 0x0c, 15, 3,  IFC(fte_match_param, M.first_prio)) \
	F(FTE_MATCH, P##_FIRST_CFI,          (B) + 0x0c, 12, 1,  IFC(fte_match_param, M.first_cfi)) \
	F(FTE_MATCH, P##_FIRST_VID,          (B) + 0x0c, 11, 12, IFC(fte_match_param, M.first_vid)) \
	F(FTE_MATCH, P##_IP_PROTOCOL,        (B) + 0x10, 31, 8,  IFC(fte_match_param, M.ip_protocol)) \
	F(FTE_MATCH, P##_IP_DSCP,            (B) + 0x10, 23, 6,  IFC(fte_match_param, M.ip_dscp)) \
	F(FTE_MATCH, P##_IP_ECN,             (B) + 0x10, 17, 2,  IFC(fte_match_param, M.ip_ecn)) \
	F(FTE_MATCH, P##_CVLAN_TAG,          (B) + 0x10, 15, 1,  IFC(fte_match_param, M.cvlan_tag)) \
	F(FTE_MATCH, P##_SVLAN_TAG,          (B) + 0x10, 14, 1,  IFC(fte_match_param, M.svlan_tag)) \
	F(FTE_MATCH, P##_FRAG,               (B) + 0x10, 13, 1,  IFC(fte_match_param, M.frag)) \
	F(FTE_MATCH, P##_IP_VERSION,         (B) + 0x10, 12, 4,  IFC(fte_match_param, M.ip_version)) \
	F(FTE_MATCH, P##_TCP_FLAGS,          (B) + 0x10, 8,  9,  IFC(fte_match_param, M.tcp_flags)) \
	F(FTE_MATCH, P##_TCP_SPORT,          (B) + 0x14, 31, 16, IFC(fte_match_param, M.tcp_sport)) \
	F(FTE_MATCH, P##_TCP_DPORT,          (B) + 0x14, 15, 16, IFC(fte_match_param, M.tcp_dport)) \
	F(FTE_MATCH, P##_IPV4_IHL,           (B) + 0x18, 15, 4,  IFC(fte_match_param, M.ipv4_ihl)) \
	F(FTE_MATCH, P##_L3_OK,              (B) + 0x18, 11, 1,  NONE) \
	F(FTE_MATCH, P##_L4_OK,              (B) + 0x18, 10, 1,  NONE) \
	F(FTE_MATCH, P##_IPV4_CHECKSUM_OK,   (B) + 0x18, 9,  1,  NONE) \
	F(FTE_MATCH, P##_L4_CHECKSUM_OK,     (B) + 0x18, 8,  1,  NONE) \
	F(FTE_MATCH, P##_TTL_HOPLIMIT,       (B) + 0x18, 7,  8,  IFC(fte_match_param, M.ttl_hoplimit)) \
	F(FTE_MATCH, P##_UDP_SPORT,          (B) + 0x1c, 31, 16, IFC(fte_match_param, M.udp_sport)) \
	F(FTE_MATCH, P##_UDP_DPORT,          (B) + 0x1c, 15, 16, IFC(fte_match_param, M.udp_dport)) \
	F(FTE_MATCH, P##_SRC_IP,             (B) + 0x20, 31, 128, IFC(fte_match_param, M.src_ipv4_src_ipv6)) \
	F(FTE_MATCH, P##_DST_IP,             (B) + 0x30, 31, 128, IFC(fte_match_param, M.dst_ipv4_dst_ipv6)) \
	F(FTE_MATCH, P##_SRC_IPV4,           (B) + 0x2c, 31, 32, \
	  IFC(fte_match_param, M.src_ipv4_src_ipv6.ipv4_layout.ipv4)) \
	F(FTE_MATCH, P##_DST_IPV4,           (B) + 0x3c, 31, 32, \
	  IFC(fte_match_param, M.dst_ipv4_dst_ipv6.ipv4_layout.ipv4))

#define PRM_FTE_MATCH_MISC(F) \
	F(FTE_MATCH, GRE_C_PRESENT,          0x40, 31, 1,  IFC(fte_match_param, misc_parameters.gre_c_present)) \
	F(FTE_MATCH, GRE_K_PRESENT,          0x40, 29, 1,  IFC(fte_match_param, misc_parameters.gre_k_present)) \
	F(FTE_MATCH, GRE_S_PRESENT,          0x40, 28, 1,  IFC(fte_match_param, misc_parameters.gre_s_present)) \
	F(FTE_MATCH, SOURCE_VHCA_PORT,       0x40, 27, 4,  IFC(fte_match_param, misc_parameters.source_vhca_port)) \
	F(FTE_MATCH, SOURCE_SQN,             0x40, 23, 24, IFC(fte_match_param, misc_parameters.source_sqn)) \
	F(FTE_MATCH, SOURCE_PORT,            0x44, 15, 16, IFC(fte_match_param, misc_parameters.source_port)) \
	F(FTE_MATCH, OUTER_SECOND_PRIO,      0x48, 31, 3,  IFC(fte_match_param, misc_parameters.outer_second_prio)) \
	F(FTE_MATCH, OUTER_SECOND_CFI,       0x48, 28, 1,  IFC(fte_match_param, misc_parameters.outer_second_cfi)) \
	F(FTE_MATCH, OUTER_SECOND_VID,       0x48, 27, 12, IFC(fte_match_param, misc_parameters.outer_second_vid)) \
	F(FTE_MATCH, INNER_SECOND_PRIO,      0x48, 15, 3,  IFC(fte_match_param, misc_parameters.inner_second_prio)) \
	F(FTE_MATCH, INNER_SECOND_CFI,       0x48, 12, 1,  IFC(fte_match_param, misc_parameters.inner_second_cfi)) \
	F(FTE_MATCH, INNER_SECOND_VID,       0x48, 11, 12, IFC(fte_match_param, misc_parameters.inner_second_vid)) \
	F(FTE_MATCH, OUTER_SECOND_CVLAN_TAG, 0x4c, 31, 1,  IFC(fte_match_param, misc_parameters.outer_second_cvlan_tag)) \
	F(FTE_MATCH, INNER_SECOND_CVLAN_TAG, 0x4c, 30, 1,  IFC(fte_match_param, misc_parameters.inner_second_cvlan_tag)) \
	F(FTE_MATCH, OUTER_SECOND_SVLAN_TAG, 0x4c, 29, 1,  IFC(fte_match_param, misc_parameters.outer_second_svlan_tag)) \
	F(FTE_MATCH, INNER_SECOND_SVLAN_TAG, 0x4c, 28, 1,  IFC(fte_match_param, misc_parameters.inner_second_svlan_tag)) \
	F(FTE_MATCH, GRE_PROTOCOL,           0x4c, 15, 16, IFC(fte_match_param, misc_parameters.gre_protocol)) \
	F(FTE_MATCH, GRE_KEY,                0x50, 31, 32, IFC(fte_match_param, misc_parameters.gre_key)) \
	F(FTE_MATCH, VXLAN_VNI,              0x54, 31, 24, IFC(fte_match_param, misc_parameters.vxlan_vni)) \
	F(FTE_MATCH, GENEVE_VNI,             0x58, 31, 24, IFC(fte_match_param, misc_parameters.geneve_vni)) \
	F(FTE_MATCH, GENEVE_TLV_OPTION_0_EXIST, 0x58, 1, 1, \
	  IFC(fte_match_param, misc_parameters.geneve_tlv_option_0_exist)) \
	F(FTE_MATCH, GENEVE_OAM,             0x58, 0,  1,  IFC(fte_match_param, misc_parameters.geneve_oam)) \
	F(FTE_MATCH, OUTER_IPV6_FLOW_LABEL,  0x5c, 19, 20, IFC(fte_match_param, misc_parameters.outer_ipv6_flow_label)) \
	F(FTE_MATCH, INNER_IPV6_FLOW_LABEL,  0x60, 19, 20, IFC(fte_match_param, misc_parameters.inner_ipv6_flow_label)) \
	F(FTE_MATCH, GENEVE_OPT_LEN,         0x64, 21, 6,  IFC(fte_match_param, misc_parameters.geneve_opt_len)) \
	F(FTE_MATCH, GENEVE_PROTOCOL_TYPE,   0x64, 15, 16, IFC(fte_match_param, misc_parameters.geneve_protocol_type)) \
	F(FTE_MATCH, BTH_DST_QP,             0x68, 23, 24, IFC(fte_match_param, misc_parameters.bth_dst_qp)) \
	F(FTE_MATCH, INNER_ESP_SPI,          0x6c, 31, 32, NONE) \
	F(FTE_MATCH, OUTER_ESP_SPI,          0x70, 31, 32, IFC(fte_match_param, misc_parameters.outer_esp_spi))

#define PRM_FTE_MATCH_MISC2(F) \
	F(FTE_MATCH, OUTER_FIRST_MPLS,          0xc0, 31, 32, IFC(fte_match_param, misc_parameters_2.outer_first_mpls)) \
	F(FTE_MATCH, INNER_FIRST_MPLS,          0xc4, 31, 32, IFC(fte_match_param, misc_parameters_2.inner_first_mpls)) \
	F(FTE_MATCH, OUTER_FIRST_MPLS_OVER_GRE, 0xc8, 31, 32, \
	  IFC(fte_match_param, misc_parameters_2.outer_first_mpls_over_gre)) \
	F(FTE_MATCH, OUTER_FIRST_MPLS_OVER_UDP, 0xcc, 31, 32, \
	  IFC(fte_match_param, misc_parameters_2.outer_first_mpls_over_udp)) \
	F(FTE_MATCH, METADATA_REG_C_7, 0xd0, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_7)) \
	F(FTE_MATCH, METADATA_REG_C_6, 0xd4, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_6)) \
	F(FTE_MATCH, METADATA_REG_C_5, 0xd8, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_5)) \
	F(FTE_MATCH, METADATA_REG_C_4, 0xdc, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_4)) \
	F(FTE_MATCH, METADATA_REG_C_3, 0xe0, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_3)) \
	F(FTE_MATCH, METADATA_REG_C_2, 0xe4, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_2)) \
	F(FTE_MATCH, METADATA_REG_C_1, 0xe8, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_1)) \
	F(FTE_MATCH, METADATA_REG_C_0, 0xec, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_c_0)) \
	F(FTE_MATCH, METADATA_REG_A,   0xf0, 31, 32, IFC(fte_match_param, misc_parameters_2.metadata_reg_a)) \
	F(FTE_MATCH, METADATA_REG_B,   0xf4, 31, 32, RUN)

#define PRM_FTE_MATCH_MISC3(F) \
	F(FTE_MATCH, INNER_TCP_SEQ_NUM, 0x100, 31, 32, IFC(fte_match_param, misc_parameters_3.inner_tcp_seq_num)) \
	F(FTE_MATCH, OUTER_TCP_SEQ_NUM, 0x104, 31, 32, IFC(fte_match_param, misc_parameters_3.outer_tcp_seq_num)) \
	F(FTE_MATCH, INNER_TCP_ACK_NUM, 0x108, 31, 32, IFC(fte_match_param, misc_parameters_3.inner_tcp_ack_num)) \
	F(FTE_MATCH, OUTER_TCP_ACK_NUM, 0x10c, 31, 32, IFC(fte_match_param, misc_parameters_3.outer_tcp_ack_num)) \
	F(FTE_MATCH, VXLAN_GPE_VNI,     0x110, 23, 24, IFC(fte_match_param, misc_parameters_3.outer_vxlan_gpe_vni)) \
	F(FTE_MATCH, VXLAN_GPE_NEXT_PROTOCOL, 0x114, 31, 8, \
	  IFC(fte_match_param, misc_parameters_3.outer_vxlan_gpe_next_protocol)) \
	F(FTE_MATCH, VXLAN_GPE_FLAGS,   0x114, 23, 8,  IFC(fte_match_param, misc_parameters_3.outer_vxlan_gpe_flags)) \
	F(FTE_MATCH, ICMP_HEADER_DATA,  0x118, 31, 32, IFC(fte_match_param, misc_parameters_3.icmp_header_data)) \
	F(FTE_MATCH, ICMPV6_HEADER_DATA, 0x11c, 31, 32, IFC(fte_match_param, misc_parameters_3.icmpv6_header_data)) \
	F(FTE_MATCH, ICMP_TYPE,         0x120, 31, 8,  IFC(fte_match_param, misc_parameters_3.icmp_type)) \
	F(FTE_MATCH, ICMP_CODE,         0x120, 23, 8,  IFC(fte_match_param, misc_parameters_3.icmp_code)) \
	F(FTE_MATCH, ICMPV6_TYPE,       0x120, 15, 8,  IFC(fte_match_param, misc_parameters_3.icmpv6_type)) \
	F(FTE_MATCH, ICMPV6_CODE,       0x120, 7,  8,  IFC(fte_match_param, misc_parameters_3.icmpv6_code)) \
	F(FTE_MATCH, GENEVE_TLV_OPTION_0_DATA, 0x124, 31, 32, \
	  IFC(fte_match_param, misc_parameters_3.geneve_tlv_option_0_data)) \
	F(FTE_MATCH, GTPU_TEID,         0x128, 31, 32, IFC(fte_match_param, misc_parameters_3.gtpu_teid)) \
	F(FTE_MATCH, GTPU_MSG_TYPE,     0x12c, 31, 8,  IFC(fte_match_param, misc_parameters_3.gtpu_msg_type)) \
	F(FTE_MATCH, GTPU_MSG_FLAGS,    0x12c, 23, 8,  IFC(fte_match_param, misc_parameters_3.gtpu_msg_flags)) \
	F(FTE_MATCH, GTPU_DW_2,         0x130, 31, 32, IFC(fte_match_param, misc_parameters_3.gtpu_dw_2)) \
	F(FTE_MATCH, GTPU_FIRST_EXT_DW_0, 0x134, 31, 32, IFC(fte_match_param, misc_parameters_3.gtpu_first_ext_dw_0)) \
	F(FTE_MATCH, GTPU_DW_0,         0x138, 31, 32, IFC(fte_match_param, misc_parameters_3.gtpu_dw_0))

#define PRM_FTE_MATCH_MISC45(F) \
	F(FTE_MATCH, PROG_SAMPLE_FIELDS, 0x140, 31, 512, IFC(fte_match_param, misc_parameters_4)) \
	F(FTE_MATCH, MACSEC_TAG_0,      0x180, 31, 32, IFC(fte_match_param, misc_parameters_5.macsec_tag_0)) \
	F(FTE_MATCH, MACSEC_TAG_1,      0x184, 31, 32, IFC(fte_match_param, misc_parameters_5.macsec_tag_1)) \
	F(FTE_MATCH, MACSEC_TAG_2,      0x188, 31, 32, IFC(fte_match_param, misc_parameters_5.macsec_tag_2)) \
	F(FTE_MATCH, MACSEC_TAG_3,      0x18c, 31, 32, IFC(fte_match_param, misc_parameters_5.macsec_tag_3)) \
	F(FTE_MATCH, TUNNEL_HEADER_0,   0x190, 31, 32, IFC(fte_match_param, misc_parameters_5.tunnel_header_0)) \
	F(FTE_MATCH, TUNNEL_HEADER_1,   0x194, 31, 32, IFC(fte_match_param, misc_parameters_5.tunnel_header_1)) \
	F(FTE_MATCH, TUNNEL_HEADER_2,   0x198, 31, 32, IFC(fte_match_param, misc_parameters_5.tunnel_header_2)) \
	F(FTE_MATCH, TUNNEL_HEADER_3,   0x19c, 31, 32, IFC(fte_match_param, misc_parameters_5.tunnel_header_3))

#define PRM_FTE_MATCH_FIELDS(F) \
	PRM_FTE_MATCH_LYR(F, OUTER, 0x00, outer_headers) \
	PRM_FTE_MATCH_MISC(F) \
	PRM_FTE_MATCH_LYR(F, INNER, 0x80, inner_headers) \
	PRM_FTE_MATCH_MISC2(F) \
	PRM_FTE_MATCH_MISC3(F) \
	PRM_FTE_MATCH_MISC45(F)
PRM_LAYOUT(FTE_MATCH);

enum {
	PRM_FTE_MATCH_BYTES = 0x200,
	PRM_FTE_MATCH_DV_BYTES = 0x1c0,		/* what DPDK hands to mlx5dv calls: without the tail */
	PRM_FTE_MATCH_SECTION_BYTES = 0x40,
	PRM_CRITERIA_OUTER = 1 << 0,		/* match_criteria_enable: which 64-byte sections count */
	PRM_CRITERIA_MISC = 1 << 1,
	PRM_CRITERIA_INNER = 1 << 2,
	PRM_CRITERIA_MISC_2 = 1 << 3,
	PRM_CRITERIA_MISC_3 = 1 << 4,
	PRM_CRITERIA_MISC_4 = 1 << 5,
	PRM_CRITERIA_MISC_5 = 1 << 6,
};

#endif
