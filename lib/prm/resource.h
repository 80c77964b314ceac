/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory keys and umems, counters of queues and vports, the vport's own context, and port registers.
 *
 * PD, transport domain and UAR have no fields beyond PRM_ID_IN_ID and PRM_ID_OUT_ID (cmd.h). Sources: nic.md 1.4-1.6,
 * 1.14-1.17; kernel header linux/mlx5/mlx5_ifc.h.
 */
#ifndef PRM_RESOURCE_H
#define PRM_RESOURCE_H

#include "prm/cmd.h"

/* Memory key context. lkey = mkey_index << 8 | mkey_7_0. */
#define PRM_MKC_FIELDS(F) \
	F(MKC, FREE,                      0x00, 30, 1,  IFC(mkc, free)) \
	F(MKC, ACCESS_MODE_4_2,           0x00, 28, 3,  IFC(mkc, access_mode_4_2)) \
	F(MKC, RELAXED_ORDERING_WRITE,    0x00, 18, 1,  IFC(mkc, relaxed_ordering_write)) \
	F(MKC, SMALL_FENCE_ON_RDMA_READ,  0x00, 16, 1,  IFC(mkc, small_fence_on_rdma_read_response)) \
	F(MKC, UMR_EN,                    0x00, 15, 1,  IFC(mkc, umr_en)) \
	F(MKC, A,                         0x00, 14, 1,  IFC(mkc, a)) \
	F(MKC, RW,                        0x00, 13, 1,  IFC(mkc, rw)) \
	F(MKC, RR,                        0x00, 12, 1,  IFC(mkc, rr)) \
	F(MKC, LW,                        0x00, 11, 1,  IFC(mkc, lw)) \
	F(MKC, LR,                        0x00, 10, 1,  IFC(mkc, lr)) \
	F(MKC, ACCESS_MODE_1_0,           0x00, 9,  2,  IFC(mkc, access_mode_1_0)) \
	F(MKC, QPN,                       0x04, 31, 24, IFC(mkc, qpn)) \
	F(MKC, MKEY_7_0,                  0x04, 7,  8,  IFC(mkc, mkey_7_0)) \
	F(MKC, LENGTH64,                  0x0c, 31, 1,  IFC(mkc, length64)) \
	F(MKC, BSF_EN,                    0x0c, 30, 1,  IFC(mkc, bsf_en)) \
	F(MKC, SYNC_UMR,                  0x0c, 29, 1,  IFC(mkc, sync_umr)) \
	F(MKC, EXPECTED_SIGERR_COUNT,     0x0c, 26, 1,  IFC(mkc, expected_sigerr_count)) \
	F(MKC, EN_RINVAL,                 0x0c, 24, 1,  IFC(mkc, en_rinval)) \
	F(MKC, PD,                        0x0c, 23, 24, IFC(mkc, pd)) \
	F(MKC, START_ADDR,                0x10, 31, 64, IFC(mkc, start_addr)) \
	F(MKC, LEN,                       0x18, 31, 64, IFC(mkc, len)) \
	F(MKC, BSF_OCTWORD_SIZE,          0x20, 31, 32, IFC(mkc, bsf_octword_size)) \
	F(MKC, TRANSLATIONS_OCTWORD_SIZE, 0x34, 31, 32, IFC(mkc, translations_octword_size)) \
	F(MKC, RELAXED_ORDERING_READ,     0x38, 6,  1,  IFC(mkc, relaxed_ordering_read)) \
	F(MKC, LOG_PAGE_SIZE,             0x38, 4,  5,  IFC(mkc, log_page_size))
PRM_LAYOUT(MKC);

#define PRM_CREATE_MKEY_IN_FIELDS(F) \
	F(CREATE_MKEY_IN, PG_ACCESS,       0x0c, 31, 1,  IFC(create_mkey_in, pg_access)) \
	F(CREATE_MKEY_IN, MKEY_UMEM_VALID, 0x0c, 30, 1,  IFC(create_mkey_in, mkey_umem_valid)) \
	F(CREATE_MKEY_IN, MKC,             0x10, 31, 0,  IFC(create_mkey_in, memory_key_mkey_entry)) \
	F(CREATE_MKEY_IN, TRANSLATIONS_OCTWORD_ACTUAL_SIZE, 0x60, 31, 32, \
	  IFC(create_mkey_in, translations_octword_actual_size)) \
	F(CREATE_MKEY_IN, MKEY_UMEM_ID,     0x64, 31, 32, NONE) \
	F(CREATE_MKEY_IN, MKEY_UMEM_OFFSET, 0x68, 31, 64, NONE) \
	F(CREATE_MKEY_IN, KLM_PAS_MTT,      0x110, 31, 0, IFC_AT(create_mkey_in, klm_pas_mtt))
PRM_LAYOUT(CREATE_MKEY_IN);

/* One entry of an indirect key. */
#define PRM_KLM_FIELDS(F) \
	F(KLM, BYTE_COUNT, 0x00, 31, 32, DV(mlx5_wqe_umr_klm_seg, byte_count)) \
	F(KLM, MKEY,       0x04, 31, 32, DV(mlx5_wqe_umr_klm_seg, mkey)) \
	F(KLM, ADDRESS,    0x08, 31, 64, DV(mlx5_wqe_umr_klm_seg, address))
PRM_LAYOUT(KLM);

enum {
	PRM_MKC_BYTES = 0x40,
	PRM_KLM_BYTES = 0x10,
	PRM_CREATE_MKEY_IN_BYTES = 0x110,
	PRM_MKC_ACCESS_MODE_PA = 0,
	PRM_MKC_ACCESS_MODE_MTT = 1,
	PRM_MKC_ACCESS_MODE_KLM = 2,
	PRM_MKC_ACCESS_MODE_KSM = 3,
	PRM_MKC_QPN_ANY = 0xffffff,
	PRM_MTT_RD = 1 << 0,
	PRM_MTT_WR = 1 << 1,
	PRM_INVALID_LKEY = 0x100,
};

#define PRM_UMEM_FIELDS(F) \
	F(UMEM, ATS,           0x10, 31, 1,  IFC(umem, ats)) \
	F(UMEM, LOG_PAGE_SIZE, 0x10, 4,  5,  IFC(umem, log_page_size)) \
	F(UMEM, PAGE_OFFSET,   0x14, 31, 32, IFC(umem, page_offset)) \
	F(UMEM, NUM_OF_MTT,    0x18, 31, 64, IFC(umem, num_of_mtt)) \
	F(UMEM, MTT,           0x20, 31, 0,  IFC_AT(umem, mtt))
PRM_LAYOUT(UMEM);

#define PRM_CREATE_UMEM_IN_FIELDS(F) \
	F(CREATE_UMEM_IN, UMEM, 0x10, 31, 0, IFC(create_umem_in, umem))
PRM_LAYOUT(CREATE_UMEM_IN);

#define PRM_QUERY_SPECIAL_CONTEXTS_OUT_FIELDS(F) \
	F(QUERY_SPECIAL_CONTEXTS_OUT, DUMP_FILL_MKEY, 0x08, 31, 32, IFC(query_special_contexts_out, dump_fill_mkey)) \
	F(QUERY_SPECIAL_CONTEXTS_OUT, RESD_LKEY,      0x0c, 31, 32, IFC(query_special_contexts_out, resd_lkey)) \
	F(QUERY_SPECIAL_CONTEXTS_OUT, NULL_MKEY,      0x10, 31, 32, IFC(query_special_contexts_out, null_mkey))
PRM_LAYOUT(QUERY_SPECIAL_CONTEXTS_OUT);

/* Queue counter sets. */
#define PRM_ALLOC_Q_COUNTER_OUT_FIELDS(F) \
	F(ALLOC_Q_COUNTER_OUT, COUNTER_SET_ID, 0x08, 7, 8, IFC(alloc_q_counter_out, counter_set_id))
PRM_LAYOUT(ALLOC_Q_COUNTER_OUT);

#define PRM_DEALLOC_Q_COUNTER_IN_FIELDS(F) \
	F(DEALLOC_Q_COUNTER_IN, COUNTER_SET_ID, 0x08, 7, 8, IFC(dealloc_q_counter_in, counter_set_id))
PRM_LAYOUT(DEALLOC_Q_COUNTER_IN);

#define PRM_QUERY_Q_COUNTER_IN_FIELDS(F) \
	F(QUERY_Q_COUNTER_IN, CLEAR,          0x18, 31, 1, IFC(query_q_counter_in, clear)) \
	F(QUERY_Q_COUNTER_IN, COUNTER_SET_ID, 0x1c, 7,  8, IFC(query_q_counter_in, counter_set_id))
PRM_LAYOUT(QUERY_Q_COUNTER_IN);

#define PRM_QUERY_Q_COUNTER_OUT_FIELDS(F) \
	F(QUERY_Q_COUNTER_OUT, RX_WRITE_REQUESTS,       0x10, 31, 32, IFC(query_q_counter_out, rx_write_requests)) \
	F(QUERY_Q_COUNTER_OUT, OUT_OF_BUFFER,           0x30, 31, 32, IFC(query_q_counter_out, out_of_buffer)) \
	F(QUERY_Q_COUNTER_OUT, OUT_OF_SEQUENCE,         0x38, 31, 32, IFC(query_q_counter_out, out_of_sequence)) \
	F(QUERY_Q_COUNTER_OUT, RESP_LOCAL_LENGTH_ERROR, 0x78, 31, 32, IFC(query_q_counter_out, resp_local_length_error)) \
	F(QUERY_Q_COUNTER_OUT, RESP_CQE_ERROR,          0x90, 31, 32, IFC(query_q_counter_out, resp_cqe_error)) \
	F(QUERY_Q_COUNTER_OUT, REQ_CQE_ERROR,           0x94, 31, 32, IFC(query_q_counter_out, req_cqe_error)) \
	F(QUERY_Q_COUNTER_OUT, CQ_OVERFLOW,             0xb8, 31, 32, IFC(query_q_counter_out, cq_overflow)) \
	F(QUERY_Q_COUNTER_OUT, RESP_CQE_FLUSH_ERROR,    0xbc, 31, 32, IFC(query_q_counter_out, resp_cqe_flush_error)) \
	F(QUERY_Q_COUNTER_OUT, REQ_CQE_FLUSH_ERROR,     0xc0, 31, 32, IFC(query_q_counter_out, req_cqe_flush_error))
PRM_LAYOUT(QUERY_Q_COUNTER_OUT);

enum { PRM_QUERY_Q_COUNTER_IN_BYTES = 0x20, PRM_QUERY_Q_COUNTER_OUT_BYTES = 0x100 };

/* Head of the commands that may address another vport. */
#define PRM_VPORT_IN_FIELDS(F) \
	F(VPORT_IN, OTHER_VPORT,  0x08, 31, 1,  IFC(query_vport_state_in, other_vport)) \
	F(VPORT_IN, VPORT_NUMBER, 0x08, 15, 16, IFC(query_vport_state_in, vport_number))
PRM_LAYOUT(VPORT_IN);

#define PRM_QUERY_VPORT_STATE_OUT_FIELDS(F) \
	F(QUERY_VPORT_STATE_OUT, ADMIN_STATE, 0x0c, 7, 4, IFC(query_vport_state_out, admin_state)) \
	F(QUERY_VPORT_STATE_OUT, STATE,       0x0c, 3, 4, IFC(query_vport_state_out, state))
PRM_LAYOUT(QUERY_VPORT_STATE_OUT);

enum {
	PRM_VPORT_STATE_OP_NIC = 0,		/* op_mod */
	PRM_VPORT_STATE_OP_ESW = 1,
	PRM_VPORT_STATE_OP_UPLINK = 2,
	PRM_VPORT_STATE_DOWN = 0,
	PRM_VPORT_STATE_UP = 1,
	PRM_VPORT_ADMIN_DOWN = 0,
	PRM_VPORT_ADMIN_UP = 1,
	PRM_VPORT_ADMIN_FOLLOW = 2,
};

#define PRM_QUERY_NIC_VPORT_CONTEXT_IN_FIELDS(F) \
	F(QUERY_NIC_VPORT_CONTEXT_IN, ALLOWED_LIST_TYPE, 0x0c, 26, 3, IFC(query_nic_vport_context_in, allowed_list_type))
PRM_LAYOUT(QUERY_NIC_VPORT_CONTEXT_IN);

#define PRM_QUERY_NIC_VPORT_CONTEXT_OUT_FIELDS(F) \
	F(QUERY_NIC_VPORT_CONTEXT_OUT, NIC_VPORT_CONTEXT, 0x10, 31, 0, IFC(query_nic_vport_context_out, nic_vport_context))
PRM_LAYOUT(QUERY_NIC_VPORT_CONTEXT_OUT);

#define PRM_NIC_VPORT_CONTEXT_FIELDS(F) \
	F(NIC_VPORT_CONTEXT, MIN_WQE_INLINE_MODE, 0x00, 26, 3,  IFC(nic_vport_context, min_wqe_inline_mode)) \
	F(NIC_VPORT_CONTEXT, DISABLE_MC_LOCAL_LB, 0x00, 2,  1,  IFC(nic_vport_context, disable_mc_local_lb)) \
	F(NIC_VPORT_CONTEXT, DISABLE_UC_LOCAL_LB, 0x00, 1,  1,  IFC(nic_vport_context, disable_uc_local_lb)) \
	F(NIC_VPORT_CONTEXT, ROCE_EN,             0x00, 0,  1,  IFC(nic_vport_context, roce_en)) \
	F(NIC_VPORT_CONTEXT, ARM_CHANGE_EVENT,    0x04, 31, 1,  IFC(nic_vport_context, arm_change_event)) \
	F(NIC_VPORT_CONTEXT, MTU,                 0x24, 15, 16, IFC(nic_vport_context, mtu)) \
	F(NIC_VPORT_CONTEXT, SYSTEM_IMAGE_GUID,   0x28, 31, 64, IFC(nic_vport_context, system_image_guid)) \
	F(NIC_VPORT_CONTEXT, PORT_GUID,           0x30, 31, 64, IFC(nic_vport_context, port_guid)) \
	F(NIC_VPORT_CONTEXT, NODE_GUID,           0x38, 31, 64, IFC(nic_vport_context, node_guid)) \
	F(NIC_VPORT_CONTEXT, PROMISC_UC,          0xf0, 31, 1,  IFC(nic_vport_context, promisc_uc)) \
	F(NIC_VPORT_CONTEXT, PROMISC_MC,          0xf0, 30, 1,  IFC(nic_vport_context, promisc_mc)) \
	F(NIC_VPORT_CONTEXT, PROMISC_ALL,         0xf0, 29, 1,  IFC(nic_vport_context, promisc_all)) \
	F(NIC_VPORT_CONTEXT, ALLOWED_LIST_TYPE,   0xf0, 26, 3,  IFC(nic_vport_context, allowed_list_type)) \
	F(NIC_VPORT_CONTEXT, ALLOWED_LIST_SIZE,   0xf0, 11, 12, IFC(nic_vport_context, allowed_list_size)) \
	F(NIC_VPORT_CONTEXT, PERMANENT_MAC_47_32, 0xf4, 15, 16, IFC(nic_vport_context, permanent_address.mac_addr_47_32)) \
	F(NIC_VPORT_CONTEXT, PERMANENT_MAC_31_0,  0xf8, 31, 32, IFC(nic_vport_context, permanent_address.mac_addr_31_0)) \
	F(NIC_VPORT_CONTEXT, ADDRESS_LIST,        0x100, 31, 0, IFC_AT(nic_vport_context, current_uc_mac_address))
PRM_LAYOUT(NIC_VPORT_CONTEXT);

enum {
	PRM_NIC_VPORT_CONTEXT_BYTES = 0x100,
	PRM_ALLOWED_LIST_UC = 0,
	PRM_ALLOWED_LIST_MC = 1,
	PRM_ALLOWED_LIST_VLAN = 2,
};

#define PRM_QUERY_VPORT_COUNTER_IN_FIELDS(F) \
	F(QUERY_VPORT_COUNTER_IN, PORT_NUM, 0x08, 19, 4, IFC(query_vport_counter_in, port_num)) \
	F(QUERY_VPORT_COUNTER_IN, CLEAR,    0x18, 31, 1, IFC(query_vport_counter_in, clear))
PRM_LAYOUT(QUERY_VPORT_COUNTER_IN);

/* Two 64-bit numbers of every class: packets at +0, octets at +8. */
#define PRM_VPORT_COUNTER(F, name, off, member) \
	F(QUERY_VPORT_COUNTER_OUT, name##_PACKETS, off, 31, 64, IFC(query_vport_counter_out, member.packets)) \
	F(QUERY_VPORT_COUNTER_OUT, name##_OCTETS, (off) + 8, 31, 64, IFC(query_vport_counter_out, member.octets))
#define PRM_QUERY_VPORT_COUNTER_OUT_FIELDS(F) \
	PRM_VPORT_COUNTER(F, RECEIVED_ERRORS, 0x10, received_errors) \
	PRM_VPORT_COUNTER(F, TRANSMIT_ERRORS, 0x20, transmit_errors) \
	PRM_VPORT_COUNTER(F, RECEIVED_ETH_BROADCAST, 0x70, received_eth_broadcast) \
	PRM_VPORT_COUNTER(F, TRANSMITTED_ETH_BROADCAST, 0x80, transmitted_eth_broadcast) \
	PRM_VPORT_COUNTER(F, RECEIVED_ETH_UNICAST, 0x90, received_eth_unicast) \
	PRM_VPORT_COUNTER(F, TRANSMITTED_ETH_UNICAST, 0xa0, transmitted_eth_unicast) \
	PRM_VPORT_COUNTER(F, RECEIVED_ETH_MULTICAST, 0xb0, received_eth_multicast) \
	PRM_VPORT_COUNTER(F, TRANSMITTED_ETH_MULTICAST, 0xc0, transmitted_eth_multicast)
PRM_LAYOUT(QUERY_VPORT_COUNTER_OUT);

#define PRM_VNIC_ENV_FIELDS(F) \
	F(VNIC_ENV, NIC_RECEIVE_STEERING_DISCARD, 0x10, 31, 64, \
	  IFC(vnic_diagnostic_statistics, nic_receive_steering_discard)) \
	F(VNIC_ENV, RECEIVE_DISCARD_VPORT_DOWN,   0x18, 31, 64, \
	  IFC(vnic_diagnostic_statistics, receive_discard_vport_down)) \
	F(VNIC_ENV, TRANSMIT_DISCARD_VPORT_DOWN,  0x20, 31, 64, \
	  IFC(vnic_diagnostic_statistics, transmit_discard_vport_down)) \
	F(VNIC_ENV, ASYNC_EQ_OVERRUN,             0x28, 31, 32, IFC(vnic_diagnostic_statistics, async_eq_overrun)) \
	F(VNIC_ENV, COMP_EQ_OVERRUN,              0x2c, 31, 32, IFC(vnic_diagnostic_statistics, comp_eq_overrun)) \
	F(VNIC_ENV, INTERNAL_RQ_OUT_OF_BUFFER,    0x3c, 31, 32, \
	  IFC(vnic_diagnostic_statistics, internal_rq_out_of_buffer)) \
	F(VNIC_ENV, CQ_OVERRUN,                   0x40, 31, 32, IFC(vnic_diagnostic_statistics, cq_overrun)) \
	F(VNIC_ENV, ETH_WQE_TOO_SMALL,            0x44, 31, 32, IFC(vnic_diagnostic_statistics, eth_wqe_too_small))
PRM_LAYOUT(VNIC_ENV);

#define PRM_QUERY_VNIC_ENV_OUT_FIELDS(F) \
	F(QUERY_VNIC_ENV_OUT, VPORT_ENV, 0x10, 31, 0, IFC(query_vnic_env_out, vport_env))
PRM_LAYOUT(QUERY_VNIC_ENV_OUT);

enum {
	PRM_QUERY_VPORT_COUNTER_IN_BYTES = 0x20,
	PRM_QUERY_VPORT_COUNTER_OUT_BYTES = 0x210,
	PRM_VNIC_ENV_BYTES = 0x200,
};

/* Port registers. */
#define PRM_ACCESS_REG_IN_FIELDS(F) \
	F(ACCESS_REG_IN, REGISTER_ID,   0x08, 15, 16, IFC(access_register_in, register_id)) \
	F(ACCESS_REG_IN, ARGUMENT,      0x0c, 31, 32, IFC(access_register_in, argument)) \
	F(ACCESS_REG_IN, REGISTER_DATA, 0x10, 31, 0,  IFC_AT(access_register_in, register_data))
PRM_LAYOUT(ACCESS_REG_IN);

#define PRM_ACCESS_REG_OUT_FIELDS(F) \
	F(ACCESS_REG_OUT, REGISTER_DATA, 0x10, 31, 0, IFC_AT(access_register_out, register_data))
PRM_LAYOUT(ACCESS_REG_OUT);

enum prm_reg_id {
	PRM_REG_PCAP = 0x5001,
	PRM_REG_PMLP = 0x5002,
	PRM_REG_PMTU = 0x5003,
	PRM_REG_PTYS = 0x5004,
	PRM_REG_PAOS = 0x5006,
	PRM_REG_PFCC = 0x5007,
	PRM_REG_PPCNT = 0x5008,
	PRM_REG_PPLR = 0x5018,
	PRM_REG_MTUTC = 0x9055,
};

enum { PRM_ACCESS_REG_WRITE = 0, PRM_ACCESS_REG_READ = 1 };	/* op_mod */

/* Clock. */
#define PRM_MTUTC_FIELDS(F) \
	F(MTUTC, TIME_STAMP_MODE,  0x00, 31, 2,  RUN) \
	F(MTUTC, OPERATION,        0x00, 3,  4,  IFC(mtutc_reg, operation)) \
	F(MTUTC, FREQ_ADJUSTMENT,  0x04, 31, 32, IFC(mtutc_reg, freq_adjustment)) \
	F(MTUTC, UTC_SEC,          0x10, 31, 32, IFC(mtutc_reg, utc_sec)) \
	F(MTUTC, UTC_NSEC,         0x14, 29, 30, IFC(mtutc_reg, utc_nsec)) \
	F(MTUTC, TIME_ADJUSTMENT,  0x18, 31, 32, IFC(mtutc_reg, time_adjustment))
PRM_LAYOUT(MTUTC);

enum {
	PRM_MTUTC_BYTES = 0x1c,
	PRM_MTUTC_FREE_RUNNING = 0,		/* time_stamp_mode */
	PRM_MTUTC_REAL_TIME = 1,
};

#define PRM_PMTU_FIELDS(F) \
	F(PMTU, LOCAL_PORT, 0x00, 23, 8,  IFC(pmtu_reg, local_port)) \
	F(PMTU, MAX_MTU,    0x04, 31, 16, IFC(pmtu_reg, max_mtu)) \
	F(PMTU, ADMIN_MTU,  0x08, 31, 16, IFC(pmtu_reg, admin_mtu)) \
	F(PMTU, OPER_MTU,   0x0c, 31, 16, IFC(pmtu_reg, oper_mtu))
PRM_LAYOUT(PMTU);

#define PRM_PTYS_FIELDS(F) \
	F(PTYS, AN_DISABLE_ADMIN,         0x00, 30, 1,  IFC(ptys_reg, an_disable_admin)) \
	F(PTYS, AN_DISABLE_CAP,           0x00, 29, 1,  IFC(ptys_reg, an_disable_cap)) \
	F(PTYS, LOCAL_PORT,               0x00, 23, 8,  IFC(ptys_reg, local_port)) \
	F(PTYS, PROTO_MASK,               0x00, 2,  3,  IFC(ptys_reg, proto_mask)) \
	F(PTYS, AN_STATUS,                0x04, 31, 4,  IFC(ptys_reg, an_status)) \
	F(PTYS, DATA_RATE_OPER,           0x04, 15, 16, IFC(ptys_reg, data_rate_oper)) \
	F(PTYS, EXT_ETH_PROTO_CAPABILITY, 0x08, 31, 32, IFC(ptys_reg, ext_eth_proto_capability)) \
	F(PTYS, ETH_PROTO_CAPABILITY,     0x0c, 31, 32, IFC(ptys_reg, eth_proto_capability)) \
	F(PTYS, EXT_ETH_PROTO_ADMIN,      0x14, 31, 32, IFC(ptys_reg, ext_eth_proto_admin)) \
	F(PTYS, ETH_PROTO_ADMIN,          0x18, 31, 32, IFC(ptys_reg, eth_proto_admin)) \
	F(PTYS, EXT_ETH_PROTO_OPER,       0x20, 31, 32, IFC(ptys_reg, ext_eth_proto_oper)) \
	F(PTYS, ETH_PROTO_OPER,           0x24, 31, 32, IFC(ptys_reg, eth_proto_oper)) \
	F(PTYS, CONNECTOR_TYPE,           0x2c, 3,  4,  IFC(ptys_reg, connector_type))
PRM_LAYOUT(PTYS);

#define PRM_PAOS_FIELDS(F) \
	F(PAOS, SWID,         0x00, 31, 8, IFC(paos_reg, swid)) \
	F(PAOS, LOCAL_PORT,   0x00, 23, 8, IFC(paos_reg, local_port)) \
	F(PAOS, ADMIN_STATUS, 0x00, 11, 4, IFC(paos_reg, admin_status)) \
	F(PAOS, OPER_STATUS,  0x00, 3,  4, IFC(paos_reg, oper_status)) \
	F(PAOS, ASE,          0x04, 31, 1, IFC(paos_reg, ase)) \
	F(PAOS, EE,           0x04, 30, 1, IFC(paos_reg, ee)) \
	F(PAOS, E,            0x04, 1,  2, IFC(paos_reg, e))
PRM_LAYOUT(PAOS);

#define PRM_PPCNT_FIELDS(F) \
	F(PPCNT, SWID,        0x00, 31, 8, IFC(ppcnt_reg, swid)) \
	F(PPCNT, LOCAL_PORT,  0x00, 23, 8, IFC(ppcnt_reg, local_port)) \
	F(PPCNT, PNAT,        0x00, 15, 2, IFC(ppcnt_reg, pnat)) \
	F(PPCNT, GRP,         0x00, 5,  6, IFC(ppcnt_reg, grp)) \
	F(PPCNT, CLR,         0x04, 31, 1, IFC(ppcnt_reg, clr)) \
	F(PPCNT, PRIO_TC,     0x04, 2,  3, IFC(ppcnt_reg, prio_tc)) \
	F(PPCNT, COUNTER_SET, 0x08, 31, 0, IFC(ppcnt_reg, counter_set))
PRM_LAYOUT(PPCNT);

enum {
	PRM_PMTU_BYTES = 0x10,
	PRM_PTYS_BYTES = 0x40,
	PRM_PAOS_BYTES = 0x10,
	PRM_PPCNT_BYTES = 0x100,
	PRM_PTYS_PROTO_ETH = 4,
	PRM_PAOS_UP = 1,
	PRM_PAOS_DOWN = 2,
	PRM_PPCNT_IEEE_802_3 = 0x0,		/* grp */
	PRM_PPCNT_RFC_2863 = 0x1,
	PRM_PPCNT_RFC_2819 = 0x2,
	PRM_PPCNT_RFC_3635 = 0x3,
};

#endif
