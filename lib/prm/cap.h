/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * QUERY_HCA_CAP and the capability groups that a NIC and hardware-steering driver reads.
 *
 * Offsets of the group layouts count from the start of the capability page, which is at PRM_QUERY_HCA_CAP_OUT_CAPABILITY
 * of the answer. A group's name is that of the kernel's structure where it has one.
 *
 * Sources: nic.md 1.3; hws.md 1; verbs-abi.md (c).
 */
#ifndef PRM_CAP_H
#define PRM_CAP_H

#include "prm/cmd.h"

enum prm_cap_group {
	PRM_CAP_GROUP_GENERAL = 0x0,
	PRM_CAP_GROUP_ETH = 0x1,
	PRM_CAP_GROUP_ODP = 0x2,
	PRM_CAP_GROUP_ATOMIC = 0x3,
	PRM_CAP_GROUP_ROCE = 0x4,
	PRM_CAP_GROUP_NIC_FT = 0x7,
	PRM_CAP_GROUP_ESW_FT = 0x8,
	PRM_CAP_GROUP_ESW = 0x9,
	PRM_CAP_GROUP_VECTOR_CALC = 0xb,
	PRM_CAP_GROUP_QOS = 0xc,
	PRM_CAP_GROUP_DEBUG = 0xd,
	PRM_CAP_GROUP_DEV_MEM = 0xf,
	PRM_CAP_GROUP_TLS = 0x11,
	PRM_CAP_GROUP_VDPA = 0x13,
	PRM_CAP_GROUP_DEV_EVENT = 0x14,
	PRM_CAP_GROUP_IPSEC = 0x15,
	PRM_CAP_GROUP_CRYPTO = 0x1a,
	PRM_CAP_GROUP_WQE_FT = 0x1b,
	PRM_CAP_GROUP_PARSE_GRAPH = 0x1c,
	PRM_CAP_GROUP_SHAMPO = 0x1d,
	PRM_CAP_GROUP_MACSEC = 0x1f,
	PRM_CAP_GROUP_GENERAL_2 = 0x20,
	PRM_CAP_GROUP_PORT_SELECTION = 0x25,
};

enum {
	PRM_CAP_PAGE_BYTES = 0x1000,
	PRM_CAP_MODE_MAX = 0,			/* op_mod = group << 1 | mode */
	PRM_CAP_MODE_CURRENT = 1,
	PRM_QUERY_HCA_CAP_OUT_BYTES = 0x1010,
};

#define PRM_QUERY_HCA_CAP_IN_FIELDS(F) \
	F(QUERY_HCA_CAP_IN, OTHER_FUNCTION, 0x08, 31, 1,  IFC(query_hca_cap_in, other_function)) \
	F(QUERY_HCA_CAP_IN, FUNCTION_ID,    0x08, 15, 16, IFC(query_hca_cap_in, function_id))
PRM_LAYOUT(QUERY_HCA_CAP_IN);

#define PRM_QUERY_HCA_CAP_OUT_FIELDS(F) \
	F(QUERY_HCA_CAP_OUT, CAPABILITY, 0x10, 31, 0, IFC(query_hca_cap_out, capability))
PRM_LAYOUT(QUERY_HCA_CAP_OUT);

/* Group 0x0: general device. */
#define PRM_CAP_FIELDS(F) \
	F(CAP, ALLOC_FLOW_COUNTER_PD,         0x00, 30, 1,  RUN) \
	F(CAP, FLOW_COUNTER_ACCESS_ASO,       0x00, 29, 1,  RUN) \
	F(CAP, FLOW_ACCESS_ASO_OPC_MOD,       0x00, 23, 8,  RUN) \
	F(CAP, HCA_CAP_2,                     0x04, 31, 1,  IFC(cmd_hca_cap, hca_cap_2)) \
	F(CAP, VHCA_ID,                       0x04, 15, 16, IFC(cmd_hca_cap, vhca_id)) \
	F(CAP, LOG_MAX_SRQ_SZ,                0x10, 31, 8,  IFC(cmd_hca_cap, log_max_srq_sz)) \
	F(CAP, LOG_MAX_QP_SZ,                 0x10, 23, 8,  IFC(cmd_hca_cap, log_max_qp_sz)) \
	F(CAP, WQE_INDEX_IGNORE_CAP,          0x10, 6,  1,  RUN) \
	F(CAP, LOG_MAX_QP,                    0x10, 4,  5,  IFC(cmd_hca_cap, log_max_qp)) \
	F(CAP, LOG_MAX_SRQ,                   0x14, 20, 5,  IFC(cmd_hca_cap, log_max_srq)) \
	F(CAP, SCATTER_FCS_W_DECAP_DISABLE,   0x14, 4,  1,  RUN) \
	F(CAP, LOG_MAX_CQ_SZ,                 0x18, 23, 8,  IFC(cmd_hca_cap, log_max_cq_sz)) \
	F(CAP, ACCESS_REGISTER_USER,          0x18, 13, 1,  RUN) \
	F(CAP, LOG_MAX_CQ,                    0x18, 4,  5,  IFC(cmd_hca_cap, log_max_cq)) \
	F(CAP, LOG_MAX_EQ_SZ,                 0x1c, 31, 8,  IFC(cmd_hca_cap, log_max_eq_sz)) \
	F(CAP, RELAXED_ORDERING_WRITE,        0x1c, 23, 1,  IFC(cmd_hca_cap, relaxed_ordering_write)) \
	F(CAP, RELAXED_ORDERING_READ,         0x1c, 22, 1,  IFC(cmd_hca_cap, relaxed_ordering_read)) \
	F(CAP, LOG_MAX_MKEY,                  0x1c, 21, 6,  IFC(cmd_hca_cap, log_max_mkey)) \
	F(CAP, LOG_MAX_EQ,                    0x1c, 3,  4,  IFC(cmd_hca_cap, log_max_eq)) \
	F(CAP, MAX_INDIRECTION,               0x20, 31, 8,  IFC(cmd_hca_cap, max_indirection)) \
	F(CAP, FIXED_BUFFER_SIZE,             0x20, 23, 1,  IFC(cmd_hca_cap, fixed_buffer_size)) \
	F(CAP, LOG_MAX_MRW_SZ,                0x20, 22, 7,  IFC(cmd_hca_cap, log_max_mrw_sz)) \
	F(CAP, NULL_MKEY,                     0x20, 6,  1,  IFC(cmd_hca_cap, null_mkey)) \
	F(CAP, LOG_MAX_KLM_LIST_SIZE,         0x20, 5,  6,  IFC(cmd_hca_cap, log_max_klm_list_size)) \
	F(CAP, NON_WIRE_SQ,                   0x24, 31, 1,  RUN) \
	F(CAP, LOG_MAX_STATIC_SQ_WQ,          0x24, 12, 5,  RUN) \
	F(CAP, END_PAD,                       0x2c, 31, 1,  IFC(cmd_hca_cap, end_pad)) \
	F(CAP, CACHE_LINE_128BYTE,            0x2c, 27, 1,  IFC(cmd_hca_cap, cache_line_128byte)) \
	F(CAP, QCAM_REG,                      0x2c, 16, 1,  IFC(cmd_hca_cap, qcam_reg)) \
	F(CAP, VPORT_COUNTERS,                0x30, 30, 1,  IFC(cmd_hca_cap, vport_counters)) \
	F(CAP, MODIFY_RQ_COUNTER_SET_ID,      0x30, 27, 1,  IFC(cmd_hca_cap, modify_rq_counter_set_id)) \
	F(CAP, RQ_DELAY_DROP,                 0x30, 26, 1,  IFC(cmd_hca_cap, rq_delay_drop)) \
	F(CAP, VPORT_GROUP_MANAGER,           0x34, 31, 1,  IFC(cmd_hca_cap, vport_group_manager)) \
	F(CAP, ETH_VIRT,                      0x34, 28, 1,  IFC(cmd_hca_cap, eth_virt)) \
	F(CAP, VNIC_ENV_QUEUE_COUNTERS,       0x34, 27, 1,  IFC(cmd_hca_cap, vnic_env_queue_counters)) \
	F(CAP, NIC_FLOW_TABLE,                0x34, 25, 1,  IFC(cmd_hca_cap, nic_flow_table)) \
	F(CAP, ESWITCH_MANAGER,               0x34, 24, 1,  IFC(cmd_hca_cap, eswitch_manager)) \
	F(CAP, DEVICE_MEMORY,                 0x34, 23, 1,  IFC(cmd_hca_cap, device_memory)) \
	F(CAP, MCAM_REG,                      0x34, 22, 1,  IFC(cmd_hca_cap, mcam_reg)) \
	F(CAP, PCAM_REG,                      0x34, 21, 1,  IFC(cmd_hca_cap, pcam_reg)) \
	F(CAP, PORT_TYPE,                     0x34, 9,  2,  IFC(cmd_hca_cap, port_type)) \
	F(CAP, NUM_PORTS,                     0x34, 7,  8,  IFC(cmd_hca_cap, num_ports)) \
	F(CAP, WQE_BASED_FLOW_TABLE_UPDATE,   0x3c, 4,  1,  RUN) \
	F(CAP, CQE_VERSION,                   0x3c, 3,  4,  IFC(cmd_hca_cap, cqe_version)) \
	F(CAP, STRIDING_RQ,                   0x40, 30, 1,  IFC(cmd_hca_cap, striding_rq)) \
	F(CAP, CMDIF_CHECKSUM,                0x40, 15, 2,  IFC(cmd_hca_cap, cmdif_checksum)) \
	F(CAP, SCTR_DATA_CQE,                 0x40, 10, 1,  IFC(cmd_hca_cap, sctr_data_cqe)) \
	F(CAP, QOS,                           0x40, 4,  1,  IFC(cmd_hca_cap, qos)) \
	F(CAP, ETH_NET_OFFLOADS,              0x40, 3,  1,  IFC(cmd_hca_cap, eth_net_offloads)) \
	F(CAP, ROCE,                          0x40, 2,  1,  IFC(cmd_hca_cap, roce)) \
	F(CAP, ATOMIC,                        0x40, 1,  1,  IFC(cmd_hca_cap, atomic)) \
	F(CAP, CQ_OI,                         0x44, 31, 1,  IFC(cmd_hca_cap, cq_oi)) \
	F(CAP, CQ_RESIZE,                     0x44, 30, 1,  IFC(cmd_hca_cap, cq_resize)) \
	F(CAP, CQ_MODERATION,                 0x44, 29, 1,  IFC(cmd_hca_cap, cq_moderation)) \
	F(CAP, BLOCK_LB_MC,                   0x44, 23, 1,  IFC(cmd_hca_cap, block_lb_mc)) \
	F(CAP, CQ_PERIOD_START_FROM_CQE,      0x44, 20, 1,  IFC(cmd_hca_cap, cq_period_start_from_cqe)) \
	F(CAP, CD,                            0x44, 19, 1,  IFC(cmd_hca_cap, cd)) \
	F(CAP, UAR_4K,                        0x48, 31, 1,  IFC(cmd_hca_cap, uar_4k)) \
	F(CAP, UAR_SZ,                        0x48, 21, 6,  IFC(cmd_hca_cap, uar_sz)) \
	F(CAP, LOG_PG_SZ,                     0x48, 7,  8,  IFC(cmd_hca_cap, log_pg_sz)) \
	F(CAP, BF,                            0x4c, 31, 1,  IFC(cmd_hca_cap, bf)) \
	F(CAP, PAD_TX_ETH_PACKET,             0x4c, 29, 1,  IFC(cmd_hca_cap, pad_tx_eth_packet)) \
	F(CAP, LOG_BF_REG_SIZE,               0x4c, 20, 5,  IFC(cmd_hca_cap, log_bf_reg_size)) \
	F(CAP, LAG_MASTER,                    0x4c, 4,  1,  IFC(cmd_hca_cap, lag_master)) \
	F(CAP, NUM_LAG_PORTS,                 0x4c, 3,  4,  IFC(cmd_hca_cap, num_lag_ports)) \
	F(CAP, MAX_WQE_SZ_SQ,                 0x50, 15, 16, IFC(cmd_hca_cap, max_wqe_sz_sq)) \
	F(CAP, MAX_WQE_SZ_RQ,                 0x54, 15, 16, IFC(cmd_hca_cap, max_wqe_sz_rq)) \
	F(CAP, MAX_FLOW_COUNTER_31_16,        0x58, 31, 16, IFC(cmd_hca_cap, max_flow_counter_31_16)) \
	F(CAP, FLOW_COUNTER_BULK_ALLOC,       0x60, 15, 8,  IFC(cmd_hca_cap, flow_counter_bulk_alloc)) \
	F(CAP, LOG_MAX_TRANSPORT_DOMAIN,      0x64, 28, 5,  IFC(cmd_hca_cap, log_max_transport_domain)) \
	F(CAP, PCI_RELAXED_ORDERED_READ,      0x64, 21, 1,  NONE) \
	F(CAP, LOG_MAX_PD,                    0x64, 20, 5,  IFC(cmd_hca_cap, log_max_pd)) \
	F(CAP, NIC_RECEIVE_STEERING_DISCARD,  0x68, 31, 1,  IFC(cmd_hca_cap, nic_receive_steering_discard)) \
	F(CAP, LOG_MAX_FLOW_COUNTER_BULK,     0x68, 23, 8,  IFC(cmd_hca_cap, log_max_flow_counter_bulk)) \
	F(CAP, MAX_FLOW_COUNTER_15_0,         0x68, 15, 16, IFC(cmd_hca_cap, max_flow_counter_15_0)) \
	F(CAP, MODIFY_TIS,                    0x6c, 31, 1,  RUN) \
	F(CAP, LOG_MAX_RQ,                    0x6c, 28, 5,  IFC(cmd_hca_cap, log_max_rq)) \
	F(CAP, LOG_MAX_SQ,                    0x6c, 20, 5,  IFC(cmd_hca_cap, log_max_sq)) \
	F(CAP, LOG_MAX_TIR,                   0x6c, 12, 5,  IFC(cmd_hca_cap, log_max_tir)) \
	F(CAP, LOG_MAX_TIS,                   0x6c, 4,  5,  IFC(cmd_hca_cap, log_max_tis)) \
	F(CAP, BASIC_CYCLIC_RCV_WQE,          0x70, 31, 1,  IFC(cmd_hca_cap, basic_cyclic_rcv_wqe)) \
	F(CAP, MEM_RQ_RMP,                    0x70, 29, 1,  RUN) \
	F(CAP, LOG_MAX_RMP,                   0x70, 28, 5,  IFC(cmd_hca_cap, log_max_rmp)) \
	F(CAP, LOG_MAX_RQT,                   0x70, 20, 5,  IFC(cmd_hca_cap, log_max_rqt)) \
	F(CAP, LOG_MAX_RQT_SIZE,              0x70, 12, 5,  IFC(cmd_hca_cap, log_max_rqt_size)) \
	F(CAP, LOG_MAX_TIS_PER_SQ,            0x70, 4,  5,  IFC(cmd_hca_cap, log_max_tis_per_sq)) \
	F(CAP, EXT_STRIDE_NUM_RANGE,          0x74, 31, 1,  IFC(cmd_hca_cap, ext_stride_num_range)) \
	F(CAP, LOG_MAX_STRIDE_SZ_RQ,          0x74, 28, 5,  IFC(cmd_hca_cap, log_max_stride_sz_rq)) \
	F(CAP, MKC_ORDER_READ_AFTER_WRITE,    0x74, 23, 1,  NONE) \
	F(CAP, MKC_ORDER_WRITE_AFTER_WRITE,   0x74, 22, 1,  NONE) \
	F(CAP, LOG_MIN_STRIDE_SZ_RQ,          0x74, 20, 5,  IFC(cmd_hca_cap, log_min_stride_sz_rq)) \
	F(CAP, LOG_MAX_STRIDE_SZ_SQ,          0x74, 12, 5,  IFC(cmd_hca_cap, log_max_stride_sz_sq)) \
	F(CAP, LOG_MIN_STRIDE_SZ_SQ,          0x74, 4,  5,  IFC(cmd_hca_cap, log_min_stride_sz_sq)) \
	F(CAP, HAIRPIN,                       0x78, 31, 1,  IFC(cmd_hca_cap, hairpin)) \
	F(CAP, LOG_MAX_HAIRPIN_QUEUES,        0x78, 28, 5,  IFC(cmd_hca_cap, log_max_hairpin_queues)) \
	F(CAP, LOG_MAX_HAIRPIN_WQ_DATA_SZ,    0x78, 20, 5,  IFC(cmd_hca_cap, log_max_hairpin_wq_data_sz)) \
	F(CAP, LOG_MAX_HAIRPIN_NUM_PACKETS,   0x78, 12, 5,  IFC(cmd_hca_cap, log_max_hairpin_num_packets)) \
	F(CAP, LOG_MAX_WQ_SZ,                 0x78, 4,  5,  IFC(cmd_hca_cap, log_max_wq_sz)) \
	F(CAP, NIC_VPORT_CHANGE_EVENT,        0x7c, 31, 1,  IFC(cmd_hca_cap, nic_vport_change_event)) \
	F(CAP, DISABLE_LOCAL_LB_UC,           0x7c, 30, 1,  IFC(cmd_hca_cap, disable_local_lb_uc)) \
	F(CAP, DISABLE_LOCAL_LB_MC,           0x7c, 29, 1,  IFC(cmd_hca_cap, disable_local_lb_mc)) \
	F(CAP, LOG_MAX_VLAN_LIST,             0x7c, 20, 5,  IFC(cmd_hca_cap, log_max_vlan_list)) \
	F(CAP, LOG_MAX_CURRENT_MC_LIST,       0x7c, 12, 5,  IFC(cmd_hca_cap, log_max_current_mc_list)) \
	F(CAP, LOG_MAX_CURRENT_UC_LIST,       0x7c, 4,  5,  IFC(cmd_hca_cap, log_max_current_uc_list)) \
	F(CAP, GENERAL_OBJ_TYPES,             0x80, 31, 64, IFC(cmd_hca_cap, general_obj_types)) \
	F(CAP, SQ_TS_FORMAT,                  0x88, 31, 2,  IFC(cmd_hca_cap, sq_ts_format)) \
	F(CAP, RQ_TS_FORMAT,                  0x88, 29, 2,  IFC(cmd_hca_cap, rq_ts_format)) \
	F(CAP, STEERING_FORMAT_VERSION,       0x88, 27, 4,  IFC(cmd_hca_cap, steering_format_version)) \
	F(CAP, IPSEC_OFFLOAD,                 0x8c, 21, 1,  IFC(cmd_hca_cap, ipsec_offload)) \
	F(CAP, LOG_MAX_UMEM,                  0x8c, 20, 5,  IFC(cmd_hca_cap, log_max_umem)) \
	F(CAP, MAX_NUM_EQS,                   0x8c, 15, 16, IFC(cmd_hca_cap, max_num_eqs)) \
	F(CAP, LOG_UAR_PAGE_SZ,               0x90, 15, 16, IFC(cmd_hca_cap, log_uar_page_sz)) \
	F(CAP, DEVICE_FREQUENCY_MHZ,          0x98, 31, 32, IFC(cmd_hca_cap, device_frequency_mhz)) \
	F(CAP, DEVICE_FREQUENCY_KHZ,          0x9c, 31, 32, IFC(cmd_hca_cap, device_frequency_khz)) \
	F(CAP, NUM_OF_UARS_PER_PAGE,          0xa4, 31, 32, IFC(cmd_hca_cap, num_of_uars_per_page)) \
	F(CAP, FLEX_PARSER_PROTOCOLS,         0xa8, 31, 32, IFC(cmd_hca_cap, flex_parser_protocols)) \
	F(CAP, ENHANCED_CQE_COMPRESSION,      0xb4, 15, 1,  IFC(cmd_hca_cap, enhanced_cqe_compression)) \
	F(CAP, MINI_CQE_RESP_L3_L4_TAG,       0xb4, 6,  1,  NONE) \
	F(CAP, MINI_CQE_RESP_FLOW_TAG,        0xb4, 5,  1,  NONE) \
	F(CAP, MINI_CQE_RESP_STRIDE_INDEX,    0xb4, 3,  1,  IFC(cmd_hca_cap, mini_cqe_resp_stride_index)) \
	F(CAP, CQE_COMPRESSION_128,           0xb4, 1,  1,  IFC(cmd_hca_cap, cqe_compression_128)) \
	F(CAP, CQE_COMPRESSION,               0xb4, 0,  1,  IFC(cmd_hca_cap, cqe_compression)) \
	F(CAP, CQE_COMPRESSION_TIMEOUT,       0xb8, 31, 16, IFC(cmd_hca_cap, cqe_compression_timeout)) \
	F(CAP, CQE_COMPRESSION_MAX_NUM,       0xb8, 15, 16, IFC(cmd_hca_cap, cqe_compression_max_num)) \
	F(CAP, NATIVE_PORT_NUM,               0xc0, 23, 8,  IFC(cmd_hca_cap, native_port_num)) \
	F(CAP, NUM_VHCA_PORTS,                0xc0, 15, 8,  IFC(cmd_hca_cap, num_vhca_ports)) \
	F(CAP, WAIT_ON_DATA,                  0xd0, 20, 1,  NONE) \
	F(CAP, WAIT_ON_TIME,                  0xd0, 19, 1,  NONE) \
	F(CAP, LOG_HEADER_MODIFY_ARGUMENT_GRANULARITY_OFFSET, 0xec, 23, 4, RUN) \
	F(CAP, LOG_HEADER_MODIFY_ARGUMENT_GRANULARITY,        0xec, 19, 4, RUN) \
	F(CAP, LOG_HEADER_MODIFY_ARGUMENT_MAX_ALLOC,          0xec, 12, 5, RUN) \
	F(CAP, MATCH_DEFINER_FORMAT_SUPPORTED, 0xf8, 31, 64, IFC(cmd_hca_cap, match_definer_format_supported))
PRM_LAYOUT(CAP);

enum {
	PRM_CAP_PORT_TYPE_ETH = 1,
	PRM_CAP_STEERING_FORMAT_CX5 = 0,
	PRM_CAP_STEERING_FORMAT_CX6DX = 1,
	PRM_CAP_STEERING_FORMAT_CX7 = 2,
	PRM_CAP_TS_FREE_RUNNING = 0,		/* sq_ts_format, rq_ts_format */
	PRM_CAP_TS_REAL_TIME = 1,
	PRM_CAP_TS_BOTH = 2,
	PRM_CAP_MATCH_DEFINER_SELECT = 61,	/* bit of match_definer_format_supported */
};

/* Group 0x20: general device, second page. */
#define PRM_CAP2_FIELDS(F) \
	F(CAP2, LOG_MIN_STRIDE_WQE_SZ,                 0x18, 28, 5,  NONE) \
	F(CAP2, CROSS_VHCA_OBJECT_TO_OBJECT_SUPPORTED, 0x1c, 31, 32, NONE) \
	F(CAP2, ALLOWED_OBJECT_FOR_OTHER_VHCA_ACCESS,  0x24, 31, 32, NONE) \
	F(CAP2, FORMAT_SELECT_DW_8_6_EXT,              0x34, 21, 1,  RUN) \
	F(CAP2, FLOW_COUNTER_BULK_LOG_MAX_ALLOC,       0x48, 12, 5,  RUN) \
	F(CAP2, FLOW_COUNTER_BULK_LOG_GRANULARITY,     0x48, 4,  5,  RUN) \
	F(CAP2, FORMAT_SELECT_DW_GTPU_DW_0,            0x50, 31, 8,  RUN) \
	F(CAP2, FORMAT_SELECT_DW_GTPU_DW_1,            0x50, 23, 8,  RUN) \
	F(CAP2, FORMAT_SELECT_DW_GTPU_DW_2,            0x50, 15, 8,  RUN) \
	F(CAP2, FORMAT_SELECT_DW_GTPU_FIRST_EXT_DW_0,  0x50, 7,  8,  RUN) \
	F(CAP2, GENERATE_WQE_TYPE,                     0x54, 31, 32, NONE) \
	F(CAP2, ENCAP_ENTROPY_HASH_TYPE,               0x84, 7,  4,  NONE) \
	F(CAP2, FLOW_TABLE_HASH_TYPE,                  0x84, 3,  4,  NONE)
PRM_LAYOUT(CAP2);

/* Group 0x1: Ethernet offloads. */
#define PRM_CAP_ETH_FIELDS(F) \
	F(CAP_ETH, CSUM_CAP,                    0x00, 31, 1,  IFC(per_protocol_networking_offload_caps, csum_cap)) \
	F(CAP_ETH, VLAN_CAP,                    0x00, 30, 1,  IFC(per_protocol_networking_offload_caps, vlan_cap)) \
	F(CAP_ETH, LRO_CAP,                     0x00, 29, 1,  IFC(per_protocol_networking_offload_caps, lro_cap)) \
	F(CAP_ETH, LRO_PSH_FLAG,                0x00, 28, 1,  IFC(per_protocol_networking_offload_caps, lro_psh_flag)) \
	F(CAP_ETH, LRO_TIME_STAMP,              0x00, 27, 1,  IFC(per_protocol_networking_offload_caps, lro_time_stamp)) \
	F(CAP_ETH, LRO_MAX_MSG_SZ_MODE,         0x00, 26, 2,  NONE) \
	F(CAP_ETH, WQE_VLAN_INSERT,             0x00, 24, 1,  IFC(per_protocol_networking_offload_caps, wqe_vlan_insert)) \
	F(CAP_ETH, SELF_LB_EN_MODIFIABLE,       0x00, 23, 1, \
	  IFC(per_protocol_networking_offload_caps, self_lb_en_modifiable)) \
	F(CAP_ETH, SELF_LB_MC,                  0x00, 22, 1,  NONE) \
	F(CAP_ETH, SELF_LB_UC,                  0x00, 21, 1,  NONE) \
	F(CAP_ETH, MAX_LSO_CAP,                 0x00, 20, 5,  IFC(per_protocol_networking_offload_caps, max_lso_cap)) \
	F(CAP_ETH, MULTI_PKT_SEND_WQE,          0x00, 15, 2, \
	  IFC(per_protocol_networking_offload_caps, multi_pkt_send_wqe)) \
	F(CAP_ETH, WQE_INLINE_MODE,             0x00, 13, 2,  IFC(per_protocol_networking_offload_caps, wqe_inline_mode)) \
	F(CAP_ETH, RSS_IND_TBL_CAP,             0x00, 11, 4,  IFC(per_protocol_networking_offload_caps, rss_ind_tbl_cap)) \
	F(CAP_ETH, REG_UMR_SQ,                  0x00, 7,  1,  IFC(per_protocol_networking_offload_caps, reg_umr_sq)) \
	F(CAP_ETH, SCATTER_FCS,                 0x00, 6,  1,  IFC(per_protocol_networking_offload_caps, scatter_fcs)) \
	F(CAP_ETH, ENHANCED_MULTI_PKT_SEND_WQE, 0x00, 5,  1, \
	  IFC(per_protocol_networking_offload_caps, enhanced_multi_pkt_send_wqe)) \
	F(CAP_ETH, TUNNEL_LSO_CONST_OUT_IP_ID,  0x00, 4,  1, \
	  IFC(per_protocol_networking_offload_caps, tunnel_lso_const_out_ip_id)) \
	F(CAP_ETH, TUNNEL_LRO_GRE,              0x00, 3,  1,  IFC(per_protocol_networking_offload_caps, tunnel_lro_gre)) \
	F(CAP_ETH, TUNNEL_LRO_VXLAN,            0x00, 2,  1,  IFC(per_protocol_networking_offload_caps, tunnel_lro_vxlan)) \
	F(CAP_ETH, TUNNEL_STATELESS_GRE,        0x00, 1,  1, \
	  IFC(per_protocol_networking_offload_caps, tunnel_stateless_gre)) \
	F(CAP_ETH, TUNNEL_STATELESS_VXLAN,      0x00, 0,  1, \
	  IFC(per_protocol_networking_offload_caps, tunnel_stateless_vxlan)) \
	F(CAP_ETH, SWP,                         0x04, 31, 1,  IFC(per_protocol_networking_offload_caps, swp)) \
	F(CAP_ETH, SWP_CSUM,                    0x04, 30, 1,  IFC(per_protocol_networking_offload_caps, swp_csum)) \
	F(CAP_ETH, SWP_LSO,                     0x04, 29, 1,  IFC(per_protocol_networking_offload_caps, swp_lso)) \
	F(CAP_ETH, CQE_CHECKSUM_FULL,           0x04, 28, 1, \
	  IFC(per_protocol_networking_offload_caps, cqe_checksum_full)) \
	F(CAP_ETH, TUNNEL_STATELESS_GTP,        0x04, 20, 1,  NONE) \
	F(CAP_ETH, TUNNEL_STATELESS_VXLAN_GPE_NSH, 0x04, 17, 1, NONE) \
	F(CAP_ETH, MAX_VXLAN_UDP_PORTS,         0x04, 15, 8, \
	  IFC(per_protocol_networking_offload_caps, max_vxlan_udp_ports)) \
	F(CAP_ETH, MAX_GENEVE_OPT_LEN,          0x04, 1,  1, \
	  IFC(per_protocol_networking_offload_caps, max_geneve_opt_len)) \
	F(CAP_ETH, TUNNEL_STATELESS_GENEVE_RX,  0x04, 0,  1, \
	  IFC(per_protocol_networking_offload_caps, tunnel_stateless_geneve_rx)) \
	F(CAP_ETH, LRO_MIN_MSS_SIZE,            0x08, 15, 16, \
	  IFC(per_protocol_networking_offload_caps, lro_min_mss_size)) \
	F(CAP_ETH, LRO_TIMER_SUPPORTED_PERIODS, 0x30, 31, 128, \
	  IFC(per_protocol_networking_offload_caps, lro_timer_supported_periods))
PRM_LAYOUT(CAP_ETH);

enum {
	PRM_WQE_INLINE_MODE_L2 = 0,		/* wqe_inline_mode */
	PRM_WQE_INLINE_MODE_VPORT_CONTEXT = 1,
	PRM_WQE_INLINE_MODE_NOT_REQUIRED = 2,
};

/* Properties of one kind of flow table; found in the NIC and e-switch groups at the places named there. */
#define PRM_FT_PROP_FIELDS(F) \
	F(FT_PROP, FT_SUPPORT,               0x00, 31, 1, IFC(flow_table_prop_layout, ft_support)) \
	F(FT_PROP, FLOW_COUNTER,             0x00, 29, 1, IFC(flow_table_prop_layout, flow_counter)) \
	F(FT_PROP, FLOW_MODIFY_EN,           0x00, 28, 1, IFC(flow_table_prop_layout, flow_modify_en)) \
	F(FT_PROP, MODIFY_ROOT,              0x00, 27, 1, IFC(flow_table_prop_layout, modify_root)) \
	F(FT_PROP, IDENTIFIED_MISS_TABLE,    0x00, 26, 1, IFC(flow_table_prop_layout, identified_miss_table_mode)) \
	F(FT_PROP, FLOW_TABLE_MODIFY,        0x00, 25, 1, IFC(flow_table_prop_layout, flow_table_modify)) \
	F(FT_PROP, REFORMAT,                 0x00, 24, 1, IFC(flow_table_prop_layout, reformat)) \
	F(FT_PROP, DECAP,                    0x00, 23, 1, IFC(flow_table_prop_layout, decap)) \
	F(FT_PROP, POP_VLAN,                 0x00, 21, 1, IFC(flow_table_prop_layout, pop_vlan)) \
	F(FT_PROP, PUSH_VLAN,                0x00, 20, 1, IFC(flow_table_prop_layout, push_vlan)) \
	F(FT_PROP, POP_VLAN_2,               0x00, 18, 1, IFC(flow_table_prop_layout, pop_vlan_2)) \
	F(FT_PROP, PUSH_VLAN_2,              0x00, 17, 1, IFC(flow_table_prop_layout, push_vlan_2)) \
	F(FT_PROP, SW_OWNER,                 0x00, 14, 1, IFC(flow_table_prop_layout, sw_owner)) \
	F(FT_PROP, REFORMAT_L3_TUNNEL_TO_L2, 0x00, 13, 1, IFC(flow_table_prop_layout, reformat_l3_tunnel_to_l2)) \
	F(FT_PROP, REFORMAT_L2_TO_L3_TUNNEL, 0x00, 12, 1, IFC(flow_table_prop_layout, reformat_l2_to_l3_tunnel)) \
	F(FT_PROP, REFORMAT_AND_MODIFY,      0x00, 11, 1, IFC(flow_table_prop_layout, reformat_and_modify_action)) \
	F(FT_PROP, IGNORE_FLOW_LEVEL,        0x00, 10, 1, IFC(flow_table_prop_layout, ignore_flow_level)) \
	F(FT_PROP, TERMINATION_TABLE,        0x00, 7,  1, IFC(flow_table_prop_layout, termination_table)) \
	F(FT_PROP, SW_OWNER_V2,              0x00, 1,  1, IFC(flow_table_prop_layout, sw_owner_v2)) \
	F(FT_PROP, LOG_MAX_FT_SIZE,          0x04, 29, 6, IFC(flow_table_prop_layout, log_max_ft_size)) \
	F(FT_PROP, LOG_MAX_MODIFY_HEADER_CONTEXT, 0x04, 23, 8, \
	  IFC(flow_table_prop_layout, log_max_modify_header_context)) \
	F(FT_PROP, MAX_MODIFY_HEADER_ACTIONS, 0x04, 15, 8, IFC(flow_table_prop_layout, max_modify_header_actions)) \
	F(FT_PROP, MAX_FT_LEVEL,             0x04, 7,  8, IFC(flow_table_prop_layout, max_ft_level)) \
	F(FT_PROP, EXECUTE_ASO,              0x08, 25, 1, IFC(flow_table_prop_layout, execute_aso)) \
	F(FT_PROP, REFORMAT_INSERT,          0x0c, 29, 1, IFC(flow_table_prop_layout, reformat_insert)) \
	F(FT_PROP, REFORMAT_REMOVE,          0x0c, 28, 1, IFC(flow_table_prop_layout, reformat_remove)) \
	F(FT_PROP, REPARSE,                  0x0c, 21, 1, RUN) \
	F(FT_PROP, CROSS_VHCA_OBJECT,        0x0c, 19, 1, NONE) \
	F(FT_PROP, IGNORE_FLOW_LEVEL_RTC_VALID, 0x0c, 16, 1, RUN) \
	F(FT_PROP, LOG_MAX_FT_NUM,           0x0c, 7,  8, IFC(flow_table_prop_layout, log_max_ft_num)) \
	F(FT_PROP, LOG_MAX_FLOW_COUNTER,     0x10, 15, 8, IFC(flow_table_prop_layout, log_max_flow_counter)) \
	F(FT_PROP, LOG_MAX_DESTINATION,      0x10, 7,  8, IFC(flow_table_prop_layout, log_max_destination)) \
	F(FT_PROP, LOG_MAX_FLOW,             0x14, 7,  8, IFC(flow_table_prop_layout, log_max_flow)) \
	F(FT_PROP, FT_FIELD_SUPPORT,         0x20, 31, 128, IFC(flow_table_prop_layout, ft_field_support)) \
	F(FT_PROP, FT_FIELD_BITMASK_SUPPORT, 0x30, 31, 128, IFC(flow_table_prop_layout, ft_field_bitmask_support))
PRM_LAYOUT(FT_PROP);

/* What a modify-header action may write: a nested layout of the NIC and e-switch groups. */
#define PRM_HEADER_MODIFY_CAP_FIELDS(F) \
	F(HEADER_MODIFY_CAP, SET_FIELD_SUPPORT, 0x00, 31, 96, NONE) \
	F(HEADER_MODIFY_CAP, METADATA_REG_C_X,  0x0c, 7,  8,  RUN)
PRM_LAYOUT(HEADER_MODIFY_CAP);

/* Second page of matchable fields, a nested layout of the same groups. */
#define PRM_FT_FIELD_SUPPORT_2_FIELDS(F) \
	F(FT_FIELD_SUPPORT_2, METADATA_REG_C_8_15, 0x04, 31, 8, NONE)
PRM_LAYOUT(FT_FIELD_SUPPORT_2);

/* Group 0x7: NIC flow tables. */
#define PRM_CAP_NIC_FT_FIELDS(F) \
	F(CAP_NIC_FT, ENCAP_GENERAL_HEADER,            0x04, 31, 1,  IFC(flow_table_nic_cap, encap_general_header)) \
	F(CAP_NIC_FT, LOG_MAX_PACKET_REFORMAT_CONTEXT, 0x04, 20, 5, \
	  IFC(flow_table_nic_cap, log_max_packet_reformat_context)) \
	F(CAP_NIC_FT, MAX_ENCAP_HEADER_SIZE,           0x04, 9,  10, IFC(flow_table_nic_cap, max_encap_header_size)) \
	F(CAP_NIC_FT, NIC_RECEIVE,                     0x40, 31, 0, \
	  IFC(flow_table_nic_cap, flow_table_properties_nic_receive)) \
	F(CAP_NIC_FT, NIC_TRANSMIT,                    0x100, 31, 0, \
	  IFC(flow_table_nic_cap, flow_table_properties_nic_transmit)) \
	F(CAP_NIC_FT, HEADER_MODIFY_NIC_RECEIVE,       0x200, 31, 0, RUN) \
	F(CAP_NIC_FT, FT_FIELD_SUPPORT_2_NIC_RECEIVE,  0x280, 31, 0, NONE) \
	F(CAP_NIC_FT, FT_FIELD_SUPPORT_2_NIC_TRANSMIT, 0x2e0, 31, 0, NONE) \
	F(CAP_NIC_FT, HEADER_MODIFY_NIC_TRANSMIT,      0x380, 31, 0, RUN)
PRM_LAYOUT(CAP_NIC_FT);

/* Group 0x8: e-switch flow tables. */
#define PRM_CAP_ESW_FT_FIELDS(F) \
	F(CAP_ESW_FT, FDB_TO_VPORT_REG_C_ID, 0x00, 31, 8, IFC(flow_table_eswitch_cap, fdb_to_vport_reg_c_id)) \
	F(CAP_ESW_FT, FLOW_SOURCE,           0x00, 8,  1, IFC(flow_table_eswitch_cap, flow_source)) \
	F(CAP_ESW_FT, FDB,                   0x40, 31, 0, \
	  IFC(flow_table_eswitch_cap, flow_table_properties_nic_esw_fdb)) \
	F(CAP_ESW_FT, ACL_INGRESS,           0x80, 31, 0, \
	  IFC(flow_table_eswitch_cap, flow_table_properties_esw_acl_ingress)) \
	F(CAP_ESW_FT, ACL_EGRESS,            0xc0, 31, 0, \
	  IFC(flow_table_eswitch_cap, flow_table_properties_esw_acl_egress)) \
	F(CAP_ESW_FT, HEADER_MODIFY_FDB,     0x100, 31, 0, RUN)
PRM_LAYOUT(CAP_ESW_FT);

/* Group 0x9: e-switch. */
#define PRM_CAP_ESW_FIELDS(F) \
	F(CAP_ESW, MERGED_ESWITCH,                  0x00, 2,  1,  IFC(e_switch_cap, merged_eswitch)) \
	F(CAP_ESW, ESW_MANAGER_VPORT_NUMBER_VALID,  0x0c, 31, 1,  RUN) \
	F(CAP_ESW, ESW_MANAGER_VPORT_NUMBER,        0x0c, 15, 16, RUN)
PRM_LAYOUT(CAP_ESW);

/* Group 0x4: RoCE; only the source-port range that tunnel entropy uses. */
#define PRM_CAP_ROCE_FIELDS(F) \
	F(CAP_ROCE, R_ROCE_MAX_SRC_UDP_PORT, 0x18, 31, 16, IFC(roce_cap, r_roce_max_src_udp_port)) \
	F(CAP_ROCE, R_ROCE_MIN_SRC_UDP_PORT, 0x18, 15, 16, IFC(roce_cap, r_roce_min_src_udp_port))
PRM_LAYOUT(CAP_ROCE);

/* Group 0xc: quality of service; the meter part. */
#define PRM_CAP_QOS_FIELDS(F) \
	F(CAP_QOS, PACKET_PACING,             0x00, 31, 1, IFC(qos_cap, packet_pacing)) \
	F(CAP_QOS, FLOW_METER_OLD,            0x00, 24, 1, NONE) \
	F(CAP_QOS, LOG_MAX_FLOW_METER,        0x00, 15, 8, NONE) \
	F(CAP_QOS, FLOW_METER_REG_ID,         0x00, 7,  8, RUN) \
	F(CAP_QOS, FLOW_METER,                0x04, 19, 1, NONE) \
	F(CAP_QOS, LOG_METER_ASO_GRANULARITY, 0x24, 28, 5, IFC(qos_cap, log_meter_aso_granularity)) \
	F(CAP_QOS, LOG_METER_ASO_MAX_ALLOC,   0x24, 20, 5, IFC(qos_cap, log_meter_aso_max_alloc)) \
	F(CAP_QOS, LOG_MAX_NUM_METER_ASO,     0x24, 12, 5, IFC(qos_cap, log_max_num_meter_aso))
PRM_LAYOUT(CAP_QOS);

/* Group 0x1b: WQE based flow table (hardware steering). */
#define PRM_CAP_WQE_FT_FIELDS(F) \
	F(CAP_WQE_FT, LOG_MAX_NUM_STE,                   0x00, 28, 5,  RUN) \
	F(CAP_WQE_FT, LOG_MAX_NUM_STC,                   0x00, 20, 5,  RUN) \
	F(CAP_WQE_FT, LOG_MAX_NUM_RTC,                   0x00, 12, 5,  RUN) \
	F(CAP_WQE_FT, LOG_MAX_NUM_HEADER_MODIFY_PATTERN, 0x00, 4,  5,  RUN) \
	F(CAP_WQE_FT, RTC_HASH_SPLIT_TABLE,              0x04, 31, 1,  RUN) \
	F(CAP_WQE_FT, RTC_LINEAR_LOOKUP_TABLE,           0x04, 30, 1,  RUN) \
	F(CAP_WQE_FT, STC_ALLOC_LOG_GRANULARITY,         0x04, 28, 5,  RUN) \
	F(CAP_WQE_FT, STC_ALLOC_LOG_MAX,                 0x04, 20, 5,  RUN) \
	F(CAP_WQE_FT, STE_ALLOC_LOG_GRANULARITY,         0x04, 12, 5,  RUN) \
	F(CAP_WQE_FT, STE_ALLOC_LOG_MAX,                 0x04, 4,  5,  RUN) \
	F(CAP_WQE_FT, RTC_REPARSE_MODE,                  0x08, 20, 5,  RUN) \
	F(CAP_WQE_FT, RTC_INDEX_MODE,                    0x08, 12, 5,  RUN) \
	F(CAP_WQE_FT, RTC_LOG_DEPTH_MAX,                 0x08, 4,  5,  RUN) \
	F(CAP_WQE_FT, MAX_HEADER_MODIFY_PATTERN_LENGTH,  0x0c, 23, 8,  RUN) \
	F(CAP_WQE_FT, STE_FORMAT,                        0x0c, 15, 16, RUN) \
	F(CAP_WQE_FT, STC_ACTION_TYPE_63_0,              0x10, 31, 64, RUN) \
	F(CAP_WQE_FT, STC_ACTION_TYPE_127_64,            0x18, 31, 64, RUN) \
	F(CAP_WQE_FT, HEADER_INSERT_TYPE,                0x20, 31, 16, RUN) \
	F(CAP_WQE_FT, HEADER_REMOVE_TYPE,                0x20, 15, 16, RUN) \
	F(CAP_WQE_FT, TRIVIAL_MATCH_DEFINER,             0x24, 31, 32, RUN) \
	F(CAP_WQE_FT, RTC_MAX_NUM_HASH_DEFINER_GEN_WQE,  0x28, 4,  5,  RUN) \
	F(CAP_WQE_FT, ACCESS_INDEX_MODE,                 0x2c, 7,  8,  RUN) \
	F(CAP_WQE_FT, STE_FORMAT_GEN_WQE,                0x30, 15, 16, RUN) \
	F(CAP_WQE_FT, LINEAR_MATCH_DEFINER_REG_C3,       0x34, 31, 32, RUN) \
	F(CAP_WQE_FT, FDB_JUMP_TO_TIR_STC,               0x38, 31, 1,  RUN) \
	F(CAP_WQE_FT, FDB_RX_SET_FLOW_TAG_STC,           0x38, 30, 1,  RUN) \
	F(CAP_WQE_FT, FDB_UNIFIED_EN,                    0x38, 29, 1,  RUN)
PRM_LAYOUT(CAP_WQE_FT);

/* Bits of the bitmaps above. The numbers are those of the RTC fields (object.h). */
enum {
	PRM_CAP_RTC_REPARSE_NEVER = 1 << 0,	/* rtc_reparse_mode */
	PRM_CAP_RTC_REPARSE_ALWAYS = 1 << 1,
	PRM_CAP_RTC_REPARSE_BY_STC = 1 << 2,
	PRM_CAP_RTC_INDEX_BY_HASH = 1 << 0,	/* rtc_index_mode */
	PRM_CAP_RTC_INDEX_BY_OFFSET = 1 << 1,
	PRM_CAP_STE_FORMAT_8DW = 1 << 4,	/* ste_format */
	PRM_CAP_STE_FORMAT_11DW = 1 << 5,
	PRM_CAP_ACCESS_INDEX_LINEAR = 1 << 1,	/* access_index_mode */
};

#endif
