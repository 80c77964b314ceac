/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Completion, send and receive queues, the contexts traffic enters and leaves through (TIR, TIS, RQT), and the commands
 * that make, change and ask for them.
 *
 * The number in modify, query and destroy commands is PRM_ID_IN_ID, in answers PRM_ID_OUT_ID (cmd.h). Sources: nic.md
 * 1.7-1.13, 2.2; kernel header linux/mlx5/mlx5_ifc.h.
 */
#ifndef PRM_QUEUE_H
#define PRM_QUEUE_H

#include "prm/cmd.h"

/* Completion queue context. */
#define PRM_CQC_FIELDS(F) \
	F(CQC, STATUS,                   0x00, 31, 4,  IFC(cqc, status)) \
	F(CQC, DBR_UMEM_VALID,           0x00, 25, 1,  IFC(cqc, dbr_umem_valid)) \
	F(CQC, CQE_SZ,                   0x00, 23, 3,  IFC(cqc, cqe_sz)) \
	F(CQC, CC,                       0x00, 20, 1,  IFC(cqc, cc)) \
	F(CQC, SCQE_BREAK_MODERATION_EN, 0x00, 18, 1,  IFC(cqc, scqe_break_moderation_en)) \
	F(CQC, OI,                       0x00, 17, 1,  IFC(cqc, oi)) \
	F(CQC, CQ_PERIOD_MODE,           0x00, 16, 2,  IFC(cqc, cq_period_mode)) \
	F(CQC, CQE_COMP_EN,              0x00, 14, 1,  IFC(cqc, cqe_comp_en)) \
	F(CQC, MINI_CQE_RES_FORMAT,      0x00, 13, 2,  IFC(cqc, mini_cqe_res_format)) \
	F(CQC, ST,                       0x00, 11, 4,  IFC(cqc, st)) \
	F(CQC, CQE_COMP_LAYOUT,          0x00, 1,  2,  IFC(cqc, cqe_compression_layout)) \
	F(CQC, DBR_UMEM_ID,              0x04, 31, 32, RUN) \
	F(CQC, PAGE_OFFSET,              0x08, 11, 6,  IFC(cqc, page_offset)) \
	F(CQC, MINI_CQE_RES_FORMAT_EXT,  0x08, 3,  2,  NONE) \
	F(CQC, CQ_TIMESTAMP_FORMAT,      0x08, 1,  2,  NONE) \
	F(CQC, LOG_CQ_SIZE,              0x0c, 28, 5,  IFC(cqc, log_cq_size)) \
	F(CQC, UAR_PAGE,                 0x0c, 23, 24, IFC(cqc, uar_page)) \
	F(CQC, CQ_PERIOD,                0x10, 27, 12, IFC(cqc, cq_period)) \
	F(CQC, CQ_MAX_COUNT,             0x10, 15, 16, IFC(cqc, cq_max_count)) \
	F(CQC, C_EQN,                    0x14, 31, 32, IFC(cqc, c_eqn_or_apu_element)) \
	F(CQC, LOG_PAGE_SIZE,            0x18, 28, 5,  IFC(cqc, log_page_size)) \
	F(CQC, LAST_NOTIFIED_INDEX,      0x20, 23, 24, IFC(cqc, last_notified_index)) \
	F(CQC, LAST_SOLICIT_INDEX,       0x24, 23, 24, IFC(cqc, last_solicit_index)) \
	F(CQC, CONSUMER_COUNTER,         0x28, 23, 24, IFC(cqc, consumer_counter)) \
	F(CQC, PRODUCER_COUNTER,         0x2c, 23, 24, IFC(cqc, producer_counter)) \
	F(CQC, DBR_ADDR,                 0x38, 31, 64, IFC(cqc, dbr_addr))
PRM_LAYOUT(CQC);

enum {
	PRM_CQC_BYTES = 0x40,
	PRM_CQC_STATUS_OK = 0x0,
	PRM_CQC_STATUS_OVERFLOW = 0x9,
	PRM_CQC_STATUS_WRITE_FAIL = 0xa,
	PRM_CQC_CQE_SZ_64 = 0,
	PRM_CQC_CQE_SZ_128 = 1,
	PRM_CQC_CQE_SZ_128_PAD = 2,
	PRM_CQC_ST_SOLICITED_ARMED = 0x6,
	PRM_CQC_ST_ARMED = 0x9,
	PRM_CQC_ST_FIRED = 0xa,
};

#define PRM_CREATE_CQ_IN_FIELDS(F) \
	F(CREATE_CQ_IN, CQC,            0x10,  31, 0,  IFC(create_cq_in, cq_context)) \
	F(CREATE_CQ_IN, CQ_UMEM_OFFSET, 0x50,  31, 64, RUN) \
	F(CREATE_CQ_IN, CQ_UMEM_ID,     0x58,  31, 32, RUN) \
	F(CREATE_CQ_IN, CQ_UMEM_VALID,  0x5c,  31, 1,  IFC(create_cq_in, cq_umem_valid)) \
	F(CREATE_CQ_IN, PAS,            0x110, 31, 0,  IFC_AT(create_cq_in, pas))
PRM_LAYOUT(CREATE_CQ_IN);

#define PRM_MODIFY_CQ_IN_FIELDS(F) \
	F(MODIFY_CQ_IN, CQN,                 0x08, 23, 24, IFC(modify_cq_in, cqn)) \
	F(MODIFY_CQ_IN, MODIFY_FIELD_SELECT, 0x0c, 31, 32, IFC(modify_cq_in, modify_field_select_resize_field_select)) \
	F(MODIFY_CQ_IN, CQC,                 0x10, 31, 0,  IFC(modify_cq_in, cq_context))
PRM_LAYOUT(MODIFY_CQ_IN);

#define PRM_QUERY_CQ_OUT_FIELDS(F) \
	F(QUERY_CQ_OUT, CQC, 0x10, 31, 0, IFC(query_cq_out, cq_context))
PRM_LAYOUT(QUERY_CQ_OUT);

enum {
	PRM_CREATE_CQ_IN_BYTES = 0x110,
	PRM_MODIFY_CQ_IN_BYTES = 0x110,
	PRM_QUERY_CQ_OUT_BYTES = 0x110,
	PRM_MODIFY_CQ_PERIOD = 1 << 0,		/* modify_field_select */
	PRM_MODIFY_CQ_MAX_COUNT = 1 << 1,
	PRM_MODIFY_CQ_OI = 1 << 2,
};

/* Work queue, a part of the send, receive and memory-pool contexts (at PRM_SQC_WQ, PRM_RQC_WQ). */
#define PRM_WQ_FIELDS(F) \
	F(WQ, WQ_TYPE,                        0x00, 31, 4,  IFC(wq, wq_type)) \
	F(WQ, WQ_SIGNATURE,                   0x00, 27, 1,  IFC(wq, wq_signature)) \
	F(WQ, END_PADDING_MODE,               0x00, 26, 2,  IFC(wq, end_padding_mode)) \
	F(WQ, CD_SLAVE,                       0x00, 24, 1,  IFC(wq, cd_slave)) \
	F(WQ, HDS_SKIP_FIRST_SGE,             0x04, 31, 1,  IFC(wq, hds_skip_first_sge)) \
	F(WQ, LOG2_HDS_BUF_SIZE,              0x04, 30, 3,  IFC(wq, log2_hds_buf_size)) \
	F(WQ, PAGE_OFFSET,                    0x04, 20, 5,  IFC(wq, page_offset)) \
	F(WQ, LWM,                            0x04, 15, 16, IFC(wq, lwm)) \
	F(WQ, PD,                             0x08, 23, 24, IFC(wq, pd)) \
	F(WQ, UAR_PAGE,                       0x0c, 23, 24, IFC(wq, uar_page)) \
	F(WQ, DBR_ADDR,                       0x10, 31, 64, IFC(wq, dbr_addr)) \
	F(WQ, HW_COUNTER,                     0x18, 31, 32, IFC(wq, hw_counter)) \
	F(WQ, SW_COUNTER,                     0x1c, 31, 32, IFC(wq, sw_counter)) \
	F(WQ, LOG_WQ_STRIDE,                  0x20, 19, 4,  IFC(wq, log_wq_stride)) \
	F(WQ, LOG_WQ_PG_SZ,                   0x20, 12, 5,  IFC(wq, log_wq_pg_sz)) \
	F(WQ, LOG_WQ_SZ,                      0x20, 4,  5,  IFC(wq, log_wq_sz)) \
	F(WQ, DBR_UMEM_VALID,                 0x24, 31, 1,  IFC(wq, dbr_umem_valid)) \
	F(WQ, WQ_UMEM_VALID,                  0x24, 30, 1,  IFC(wq, wq_umem_valid)) \
	F(WQ, LOG_HAIRPIN_NUM_PACKETS,        0x24, 28, 5,  IFC(wq, log_hairpin_num_packets)) \
	F(WQ, LOG_HAIRPIN_DATA_SZ,            0x24, 20, 5,  IFC(wq, log_hairpin_data_sz)) \
	F(WQ, SINGLE_WQE_LOG_NUM_OF_STRIDES,  0x24, 11, 4,  IFC(wq, log_wqe_num_of_strides)) \
	F(WQ, TWO_BYTE_SHIFT_EN,              0x24, 7,  1,  IFC(wq, two_byte_shift_en)) \
	F(WQ, SINGLE_STRIDE_LOG_NUM_OF_BYTES, 0x24, 2,  3,  IFC(wq, log_wqe_stride_size)) \
	F(WQ, DBR_UMEM_ID,                    0x28, 31, 32, RUN) \
	F(WQ, WQ_UMEM_ID,                     0x2c, 31, 32, RUN) \
	F(WQ, WQ_UMEM_OFFSET,                 0x30, 31, 64, RUN) \
	F(WQ, PAS,                            0xc0, 31, 0,  IFC_AT(wq, pas))
PRM_LAYOUT(WQ);

enum {
	PRM_WQ_BYTES = 0xc0,
	PRM_WQ_TYPE_LINKED_LIST = 0,
	PRM_WQ_TYPE_CYCLIC = 1,
	PRM_WQ_TYPE_LINKED_LIST_STRIDING = 2,
	PRM_WQ_TYPE_CYCLIC_STRIDING = 3,
	PRM_WQ_LOG_WQEBB = 6,			/* log_wq_stride of a send queue */
	PRM_WQ_MAX_LOG_SZ = 15,
	PRM_WQ_STRIDES_BASE = 9,		/* strides per WQE = 2^(9 + field), the field being signed */
	PRM_WQ_STRIDE_SIZE_BASE = 6,		/* bytes per stride = 2^(6 + field) */
};

/* States of send and receive queues. */
enum {
	PRM_QUEUE_STATE_RST = 0,
	PRM_QUEUE_STATE_RDY = 1,
	PRM_QUEUE_STATE_ERR = 3,
};

/* ts_format of send and receive queues. */
enum {
	PRM_TS_FORMAT_FREE_RUNNING = 0,
	PRM_TS_FORMAT_DEFAULT = 1,
	PRM_TS_FORMAT_REAL_TIME = 2,
};

/* Send queue context. */
#define PRM_SQC_FIELDS(F) \
	F(SQC, RLKY,                     0x00, 31, 1,  IFC(sqc, rlky)) \
	F(SQC, CD_MASTER,                0x00, 30, 1,  IFC(sqc, cd_master)) \
	F(SQC, FRE,                      0x00, 29, 1,  IFC(sqc, fre)) \
	F(SQC, FLUSH_IN_ERROR_EN,        0x00, 28, 1,  IFC(sqc, flush_in_error_en)) \
	F(SQC, ALLOW_MULTI_PKT_SEND_WQE, 0x00, 27, 1,  IFC(sqc, allow_multi_pkt_send_wqe)) \
	F(SQC, MIN_WQE_INLINE_MODE,      0x00, 26, 3,  IFC(sqc, min_wqe_inline_mode)) \
	F(SQC, STATE,                    0x00, 23, 4,  IFC(sqc, state)) \
	F(SQC, REG_UMR,                  0x00, 19, 1,  IFC(sqc, reg_umr)) \
	F(SQC, ALLOW_SWP,                0x00, 18, 1,  IFC(sqc, allow_swp)) \
	F(SQC, HAIRPIN,                  0x00, 17, 1,  IFC(sqc, hairpin)) \
	F(SQC, NON_WIRE,                 0x00, 16, 1,  RUN) \
	F(SQC, STATIC_SQ_WQ,             0x00, 15, 1,  NONE) \
	F(SQC, TS_FORMAT,                0x00, 5,  2,  IFC(sqc, ts_format)) \
	F(SQC, USER_INDEX,               0x04, 23, 24, IFC(sqc, user_index)) \
	F(SQC, CQN,                      0x08, 23, 24, IFC(sqc, cqn)) \
	F(SQC, HAIRPIN_PEER_RQ,          0x0c, 23, 24, IFC(sqc, hairpin_peer_rq)) \
	F(SQC, HAIRPIN_PEER_VHCA,        0x10, 15, 16, IFC(sqc, hairpin_peer_vhca)) \
	F(SQC, PACKET_PACING_RATE_LIMIT_INDEX, 0x1c, 15, 16, IFC(sqc, packet_pacing_rate_limit_index)) \
	F(SQC, TIS_LST_SZ,               0x20, 31, 16, IFC(sqc, tis_lst_sz)) \
	F(SQC, QOS_QUEUE_GROUP_ID,       0x20, 15, 16, IFC(sqc, qos_queue_group_id)) \
	F(SQC, TIS_NUM_0,                0x2c, 23, 24, IFC(sqc, tis_num_0)) \
	F(SQC, WQ,                       0x30, 31, 0,  IFC(sqc, wq))
PRM_LAYOUT(SQC);

enum {
	PRM_SQC_BYTES = 0xf0,			/* with the work queue, without a page list */
	PRM_MIN_INLINE_NONE = 0,		/* min_wqe_inline_mode */
	PRM_MIN_INLINE_L2 = 1,
	PRM_MIN_INLINE_IP = 2,
	PRM_MIN_INLINE_TCP_UDP = 3,
	PRM_MIN_INLINE_INNER_L2 = 5,
	PRM_MIN_INLINE_INNER_IP = 6,
	PRM_MIN_INLINE_INNER_TCP_UDP = 7,
};

#define PRM_CREATE_SQ_IN_FIELDS(F) \
	F(CREATE_SQ_IN, CTX, 0x20, 31, 0, IFC(create_sq_in, ctx))
PRM_LAYOUT(CREATE_SQ_IN);

#define PRM_MODIFY_SQ_IN_FIELDS(F) \
	F(MODIFY_SQ_IN, SQ_STATE,       0x08, 31, 4,  IFC(modify_sq_in, sq_state)) \
	F(MODIFY_SQ_IN, SQN,            0x08, 23, 24, IFC(modify_sq_in, sqn)) \
	F(MODIFY_SQ_IN, MODIFY_BITMASK, 0x10, 31, 64, IFC(modify_sq_in, modify_bitmask)) \
	F(MODIFY_SQ_IN, CTX,            0x20, 31, 0,  IFC(modify_sq_in, ctx))
PRM_LAYOUT(MODIFY_SQ_IN);

#define PRM_QUERY_SQ_OUT_FIELDS(F) \
	F(QUERY_SQ_OUT, SQ_CONTEXT, 0x20, 31, 0, IFC(query_sq_out, sq_context))
PRM_LAYOUT(QUERY_SQ_OUT);

/* Receive queue context. */
#define PRM_RQC_FIELDS(F) \
	F(RQC, RLKY,                     0x00, 31, 1,  IFC(rqc, rlky)) \
	F(RQC, DELAY_DROP_EN,            0x00, 30, 1,  IFC(rqc, delay_drop_en)) \
	F(RQC, SCATTER_FCS,              0x00, 29, 1,  IFC(rqc, scatter_fcs)) \
	F(RQC, VSD,                      0x00, 28, 1,  IFC(rqc, vsd)) \
	F(RQC, MEM_RQ_TYPE,              0x00, 27, 4,  IFC(rqc, mem_rq_type)) \
	F(RQC, STATE,                    0x00, 23, 4,  IFC(rqc, state)) \
	F(RQC, FLUSH_IN_ERROR_EN,        0x00, 18, 1,  IFC(rqc, flush_in_error_en)) \
	F(RQC, HAIRPIN,                  0x00, 17, 1,  IFC(rqc, hairpin)) \
	F(RQC, HAIRPIN_DATA_BUFFER_TYPE, 0x00, 10, 3,  NONE) \
	F(RQC, TS_FORMAT,                0x00, 5,  2,  IFC(rqc, ts_format)) \
	F(RQC, USER_INDEX,               0x04, 23, 24, IFC(rqc, user_index)) \
	F(RQC, CQN,                      0x08, 23, 24, IFC(rqc, cqn)) \
	F(RQC, COUNTER_SET_ID,           0x0c, 31, 8,  IFC(rqc, counter_set_id)) \
	F(RQC, RMPN,                     0x10, 23, 24, IFC(rqc, rmpn)) \
	F(RQC, HAIRPIN_PEER_SQ,          0x14, 23, 24, IFC(rqc, hairpin_peer_sq)) \
	F(RQC, HAIRPIN_PEER_VHCA,        0x18, 15, 16, IFC(rqc, hairpin_peer_vhca)) \
	F(RQC, WQ,                       0x30, 31, 0,  IFC(rqc, wq))
PRM_LAYOUT(RQC);

enum {
	PRM_RQC_BYTES = 0xf0,
	PRM_RQC_MEM_RQ_TYPE_INLINE = 0,
	PRM_RQC_MEM_RQ_TYPE_RMP = 1,
	PRM_MODIFY_RQ_LWM = 1 << 0,		/* modify_bitmask */
	PRM_MODIFY_RQ_VSD = 1 << 1,
	PRM_MODIFY_RQ_SCATTER_FCS = 1 << 2,
	PRM_MODIFY_RQ_COUNTER_SET_ID = 1 << 3,
};

#define PRM_CREATE_RQ_IN_FIELDS(F) \
	F(CREATE_RQ_IN, CTX, 0x20, 31, 0, IFC(create_rq_in, ctx))
PRM_LAYOUT(CREATE_RQ_IN);

#define PRM_MODIFY_RQ_IN_FIELDS(F) \
	F(MODIFY_RQ_IN, RQ_STATE,       0x08, 31, 4,  IFC(modify_rq_in, rq_state)) \
	F(MODIFY_RQ_IN, RQN,            0x08, 23, 24, IFC(modify_rq_in, rqn)) \
	F(MODIFY_RQ_IN, MODIFY_BITMASK, 0x10, 31, 64, IFC(modify_rq_in, modify_bitmask)) \
	F(MODIFY_RQ_IN, CTX,            0x20, 31, 0,  IFC(modify_rq_in, ctx))
PRM_LAYOUT(MODIFY_RQ_IN);

#define PRM_QUERY_RQ_OUT_FIELDS(F) \
	F(QUERY_RQ_OUT, RQ_CONTEXT, 0x20, 31, 0, IFC(query_rq_out, rq_context))
PRM_LAYOUT(QUERY_RQ_OUT);

enum {
	PRM_CREATE_SQ_IN_BYTES = 0x110,
	PRM_MODIFY_SQ_IN_BYTES = 0x110,
	PRM_QUERY_SQ_OUT_BYTES = 0x110,
	PRM_CREATE_RQ_IN_BYTES = 0x110,
	PRM_MODIFY_RQ_IN_BYTES = 0x110,
	PRM_QUERY_RQ_OUT_BYTES = 0x110,
};

/* Receive memory pool context. */
#define PRM_RMPC_FIELDS(F) \
	F(RMPC, STATE,                0x00, 23, 4, IFC(rmpc, state)) \
	F(RMPC, BASIC_CYCLIC_RCV_WQE, 0x04, 31, 1, IFC(rmpc, basic_cyclic_rcv_wqe)) \
	F(RMPC, WQ,                   0x30, 31, 0, IFC(rmpc, wq))
PRM_LAYOUT(RMPC);

/* Receive-queue table context; the list of queue numbers (one dword each, number in 23:0) follows. */
#define PRM_RQTC_FIELDS(F) \
	F(RQTC, LIST_Q_TYPE,     0x14, 26, 3,  IFC(rqtc, list_q_type)) \
	F(RQTC, RQT_MAX_SIZE,    0x14, 15, 16, IFC(rqtc, rqt_max_size)) \
	F(RQTC, RQT_ACTUAL_SIZE, 0x18, 15, 16, IFC(rqtc, rqt_actual_size)) \
	F(RQTC, RQ_NUM,          0xf0, 31, 0,  IFC_AT(rqtc, rq_num))
PRM_LAYOUT(RQTC);

#define PRM_RQ_NUM_FIELDS(F) \
	F(RQ_NUM, RQ_NUM, 0x00, 23, 24, IFC(rq_num, rq_num))
PRM_LAYOUT(RQ_NUM);

#define PRM_CREATE_RQT_IN_FIELDS(F) \
	F(CREATE_RQT_IN, RQT_CONTEXT, 0x20, 31, 0, IFC(create_rqt_in, rqt_context))
PRM_LAYOUT(CREATE_RQT_IN);

#define PRM_MODIFY_RQT_IN_FIELDS(F) \
	F(MODIFY_RQT_IN, RQTN,         0x08, 23, 24, IFC(modify_rqt_in, rqtn)) \
	F(MODIFY_RQT_IN, RQN_LIST,     0x14, 0,  1,  IFC(modify_rqt_in, bitmask.rqn_list)) \
	F(MODIFY_RQT_IN, CTX,          0x20, 31, 0,  IFC(modify_rqt_in, ctx))
PRM_LAYOUT(MODIFY_RQT_IN);

enum {
	PRM_RQTC_BYTES = 0xf0,
	PRM_RQ_NUM_BYTES = 4,
	PRM_CREATE_RQT_IN_BYTES = 0x110,	/* plus PRM_RQ_NUM_BYTES per entry */
	PRM_MODIFY_RQT_IN_BYTES = 0x110,
};

/* Transport interface receive context: where steering ends. */
#define PRM_TIRC_FIELDS(F) \
	F(TIRC, DISP_TYPE,               0x04, 31, 4,   IFC(tirc, disp_type)) \
	F(TIRC, TLS_EN,                  0x04, 27, 1,   IFC(tirc, tls_en)) \
	F(TIRC, LRO_TIMEOUT_PERIOD_USECS, 0x10, 27, 16, IFC(tirc, lro_timeout_period_usecs)) \
	F(TIRC, LRO_ENABLE_MASK,         0x10, 11, 4,   IFC(tirc, packet_merge_mask)) \
	F(TIRC, LRO_MAX_MSG_SZ,          0x10, 7,  8,   IFC(tirc, lro_max_ip_payload_size)) \
	F(TIRC, INLINE_RQN,              0x1c, 23, 24,  IFC(tirc, inline_rqn)) \
	F(TIRC, RX_HASH_SYMMETRIC,       0x20, 31, 1,   IFC(tirc, rx_hash_symmetric)) \
	F(TIRC, TUNNELED_OFFLOAD_EN,     0x20, 29, 1,   IFC(tirc, tunneled_offload_en)) \
	F(TIRC, INDIRECT_TABLE,          0x20, 23, 24,  IFC(tirc, indirect_table)) \
	F(TIRC, RX_HASH_FN,              0x24, 31, 4,   IFC(tirc, rx_hash_fn)) \
	F(TIRC, SELF_LB_BLOCK,           0x24, 25, 2,   IFC(tirc, self_lb_block)) \
	F(TIRC, TRANSPORT_DOMAIN,        0x24, 23, 24,  IFC(tirc, transport_domain)) \
	F(TIRC, RX_HASH_TOEPLITZ_KEY,    0x28, 31, 320, IFC(tirc, rx_hash_toeplitz_key)) \
	F(TIRC, OUTER_L3_PROT_TYPE,      0x50, 31, 1,   IFC(tirc, rx_hash_field_selector_outer.l3_prot_type)) \
	F(TIRC, OUTER_L4_PROT_TYPE,      0x50, 30, 1,   IFC(tirc, rx_hash_field_selector_outer.l4_prot_type)) \
	F(TIRC, OUTER_SELECTED_FIELDS,   0x50, 29, 30,  IFC(tirc, rx_hash_field_selector_outer.selected_fields)) \
	F(TIRC, INNER_L3_PROT_TYPE,      0x54, 31, 1,   IFC(tirc, rx_hash_field_selector_inner.l3_prot_type)) \
	F(TIRC, INNER_L4_PROT_TYPE,      0x54, 30, 1,   IFC(tirc, rx_hash_field_selector_inner.l4_prot_type)) \
	F(TIRC, INNER_SELECTED_FIELDS,   0x54, 29, 30,  IFC(tirc, rx_hash_field_selector_inner.selected_fields))
PRM_LAYOUT(TIRC);

enum {
	PRM_TIRC_BYTES = 0xf0,
	PRM_TIRC_DISP_TYPE_DIRECT = 0,
	PRM_TIRC_DISP_TYPE_INDIRECT = 1,
	PRM_RX_HASH_FN_NONE = 0,
	PRM_RX_HASH_FN_INVERTED_XOR8 = 1,
	PRM_RX_HASH_FN_TOEPLITZ = 2,
	PRM_RX_HASH_KEY_BYTES = 40,
	PRM_SELF_LB_ALLOW_UC = 1 << 0,		/* self_lb_block: in spite of its name a set bit lets frames through */
	PRM_SELF_LB_ALLOW_MC = 1 << 1,
	PRM_L3_PROT_IPV4 = 0,			/* *_prot_type */
	PRM_L3_PROT_IPV6 = 1,
	PRM_L4_PROT_TCP = 0,
	PRM_L4_PROT_UDP = 1,
	PRM_HASH_FIELD_SRC_IP = 1 << 0,		/* *_selected_fields */
	PRM_HASH_FIELD_DST_IP = 1 << 1,
	PRM_HASH_FIELD_L4_SPORT = 1 << 2,
	PRM_HASH_FIELD_L4_DPORT = 1 << 3,
	PRM_HASH_FIELD_IPSEC_SPI = 1 << 4,
};

#define PRM_CREATE_TIR_IN_FIELDS(F) \
	F(CREATE_TIR_IN, CTX, 0x20, 31, 0, IFC(create_tir_in, ctx))
PRM_LAYOUT(CREATE_TIR_IN);

#define PRM_MODIFY_TIR_IN_FIELDS(F) \
	F(MODIFY_TIR_IN, TIRN,           0x08, 23, 24, IFC(modify_tir_in, tirn)) \
	F(MODIFY_TIR_IN, MODIFY_BITMASK, 0x10, 31, 64, IFC(modify_tir_in, bitmask)) \
	F(MODIFY_TIR_IN, CTX,            0x20, 31, 0,  IFC(modify_tir_in, ctx))
PRM_LAYOUT(MODIFY_TIR_IN);

#define PRM_QUERY_TIR_OUT_FIELDS(F) \
	F(QUERY_TIR_OUT, TIR_CONTEXT, 0x20, 31, 0, IFC(query_tir_out, tir_context))
PRM_LAYOUT(QUERY_TIR_OUT);

enum {
	PRM_CREATE_TIR_IN_BYTES = 0x110,
	PRM_MODIFY_TIR_IN_BYTES = 0x110,
	PRM_QUERY_TIR_OUT_BYTES = 0x110,
	PRM_MODIFY_TIR_LRO = 1 << 0,		/* low dword of modify_bitmask */
	PRM_MODIFY_TIR_INDIRECT_TABLE = 1 << 1,
	PRM_MODIFY_TIR_HASH = 1 << 2,
	PRM_MODIFY_TIR_SELF_LB = 1 << 4,
};

/* Transport interface send context. */
#define PRM_TISC_FIELDS(F) \
	F(TISC, STRICT_LAG_TX_PORT_AFFINITY, 0x00, 31, 1,  IFC(tisc, strict_lag_tx_port_affinity)) \
	F(TISC, TLS_EN,                      0x00, 30, 1,  IFC(tisc, tls_en)) \
	F(TISC, LAG_TX_PORT_AFFINITY,        0x00, 27, 4,  IFC(tisc, lag_tx_port_affinity)) \
	F(TISC, PRIO,                        0x00, 19, 4,  IFC(tisc, prio)) \
	F(TISC, TRANSPORT_DOMAIN,            0x24, 23, 24, IFC(tisc, transport_domain)) \
	F(TISC, UNDERLAY_QPN,                0x28, 23, 24, IFC(tisc, underlay_qpn)) \
	F(TISC, PD,                          0x2c, 23, 24, IFC(tisc, pd))
PRM_LAYOUT(TISC);

#define PRM_CREATE_TIS_IN_FIELDS(F) \
	F(CREATE_TIS_IN, CTX, 0x20, 31, 0, IFC(create_tis_in, ctx))
PRM_LAYOUT(CREATE_TIS_IN);

enum {
	PRM_TISC_BYTES = 0xa0,
	PRM_CREATE_TIS_IN_BYTES = 0xc0,
};

/* Doorbell records: 8 bytes each, big-endian dwords at these offsets. */
enum {
	PRM_DBR_BYTES = 8,
	PRM_DBR_RCV = 0,			/* receive queue: WQEs posted, 16 bits */
	PRM_DBR_SND = 4,			/* send queue: WQEBBs posted, 16 bits */
	PRM_DBR_CQ_CI = 0,			/* completion queue: consumer index, 24 bits */
	PRM_DBR_CQ_ARM = 4,
};

/* The arm doorbell of a completion queue: dword 1 of its record and, with the cq number, the register. */
#define PRM_CQ_ARM_FIELDS(F) \
	F(CQ_ARM, CMD_SN, 0x00, 29, 2,  NONE) \
	F(CQ_ARM, CMD,    0x00, 24, 1,  NONE) \
	F(CQ_ARM, CI,     0x00, 23, 24, NONE) \
	F(CQ_ARM, CQN,    0x04, 23, 24, NONE)
PRM_LAYOUT(CQ_ARM);

/* Registers in a user access region (page). */
enum {
	PRM_UAR_BYTES = 4096,
	PRM_UAR_CQ_ARM = 0x20,
	PRM_UAR_EQ_ARM = 0x40,
	PRM_UAR_EQ_UPDATE = 0x48,
	PRM_UAR_DB = 0x800,			/* send doorbell; its BlueFlame partner at +0x100, the next pair at 0xa00 */
	PRM_UAR_DB_NEXT = 0x200,
};

#endif
