/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Completion queue entries: the 64 bytes of a success, of an error, the mini entries of a compressed session, and who
 * owns an entry.
 *
 * Of a 128-byte entry these are the upper 64 bytes. Sources: nic.md 3; hws.md 5.8, 10.7; infiniband/mlx5dv.h.
 */
#ifndef PRM_CQE_H
#define PRM_CQE_H

#include <stdbool.h>

#include "prm/layout.h"

/* Success; receive names first, what a send or steering completion has in the same place behind. */
#define PRM_CQE_FIELDS(F) \
	F(CQE, PKT_INFO,            0x00, 31, 8,  DV(mlx5_cqe64, rsvd0)) \
	F(CQE, TUNNELED,            0x00, 24, 1,  RUN) \
	F(CQE, OUTER_L3_IPV6,       0x00, 25, 1,  RUN) \
	F(CQE, WQE_ID,              0x00, 15, 16, DV(mlx5_cqe64, wqe_id)) \
	F(CQE, LRO_TCPPSH,          0x04, 30, 1,  NONE) \
	F(CQE, LRO_MIN_TTL,         0x04, 23, 8,  NONE) \
	F(CQE, LRO_TCP_WIN,         0x04, 15, 16, NONE) \
	F(CQE, LRO_ACK_SEQ_NUM,     0x08, 31, 32, NONE) \
	F(CQE, RX_HASH_RESULT,      0x0c, 31, 32, RUN) \
	F(CQE, RX_HASH_TYPE,        0x10, 31, 8,  NONE) \
	F(CQE, ML_PATH,             0x10, 23, 8,  DV(mlx5_cqe64, ml_path)) \
	F(CQE, CHECK_SUM,           0x14, 31, 16, NONE) \
	F(CQE, SLID,                0x14, 15, 16, NONE) \
	F(CQE, RQPN,                0x18, 23, 24, DV(mlx5_cqe64, flags_rqpn)) \
	F(CQE, HDS_IP_EXT,          0x1c, 31, 8,  DV(mlx5_cqe64, hds_ip_ext)) \
	F(CQE, L4_L3_HDR_TYPE,      0x1c, 23, 8,  DV(mlx5_cqe64, l4_hdr_type_etc)) \
	F(CQE, HDR_TYPE_ETC,        0x1c, 31, 16, RUN) \
	F(CQE, L4_OK,               0x1c, 26, 1,  RUN) \
	F(CQE, L3_OK,               0x1c, 25, 1,  RUN) \
	F(CQE, L2_OK,               0x1c, 24, 1,  RUN) \
	F(CQE, IP_FRAG,             0x1c, 23, 1,  RUN) \
	F(CQE, L4_HDR_TYPE,         0x1c, 22, 3,  RUN) \
	F(CQE, L3_HDR_TYPE,         0x1c, 19, 2,  RUN) \
	F(CQE, IP_EXT_OPTS,         0x1c, 17, 1,  RUN) \
	F(CQE, CV,                  0x1c, 16, 1,  RUN) \
	F(CQE, VLAN_INFO,           0x1c, 15, 16, DV(mlx5_cqe64, vlan_info)) \
	F(CQE, LRO_NUM_SEG,         0x20, 31, 8,  NONE) \
	F(CQE, USER_INDEX,          0x20, 23, 24, DV(mlx5_cqe64, srqn_uidx)) \
	F(CQE, FLOW_TABLE_METADATA, 0x24, 31, 32, DV(mlx5_cqe64, imm_inval_pkey)) \
	F(CQE, BYTE_CNT,            0x2c, 31, 32, DV(mlx5_cqe64, byte_cnt)) \
	F(CQE, MPRQ_FILLER,         0x2c, 31, 1,  RUN) \
	F(CQE, MPRQ_STRIDES,        0x2c, 30, 15, RUN) \
	F(CQE, MPRQ_BYTES,          0x2c, 15, 16, RUN) \
	F(CQE, GTA_FAILED,          0x2c, 31, 1,  RUN) \
	F(CQE, TIMESTAMP,           0x30, 31, 64, DV(mlx5_cqe64, timestamp)) \
	F(CQE, SEND_WQE_OPCODE,     0x38, 31, 8,  DV(mlx5_cqe64, sop_drop_qpn)) \
	F(CQE, FLOW_TAG,            0x38, 23, 24, DV(mlx5_cqe64, sop_drop_qpn)) \
	F(CQE, QPN,                 0x38, 23, 24, DV(mlx5_cqe64, sop_drop_qpn)) \
	F(CQE, WQE_COUNTER,         0x3c, 31, 16, DV(mlx5_cqe64, wqe_counter)) \
	F(CQE, SIGNATURE,           0x3c, 15, 8,  DV(mlx5_cqe64, signature)) \
	F(CQE, VALIDITY_ITERATION,  0x3c, 15, 8,  DV(mlx5_cqe64, signature)) \
	F(CQE, OP_OWN,              0x3c, 7,  8,  DV(mlx5_cqe64, op_own)) \
	F(CQE, OPCODE,              0x3c, 7,  4,  DV(mlx5_cqe64, op_own)) \
	F(CQE, FORMAT,              0x3c, 3,  2,  DV(mlx5_cqe64, op_own)) \
	F(CQE, SE,                  0x3c, 1,  1,  DV(mlx5_cqe64, op_own)) \
	F(CQE, OWNER,               0x3c, 0,  1,  DV(mlx5_cqe64, op_own))
PRM_LAYOUT(CQE);

/* Error. */
#define PRM_ERR_CQE_FIELDS(F) \
	F(ERR_CQE, WQE_ID,           0x00, 15, 16, RUN) \
	F(ERR_CQE, SRQN_UIDX,        0x20, 31, 32, DV(mlx5_err_cqe, srqn)) \
	F(ERR_CQE, BYTE_CNT,         0x2c, 31, 32, RUN) \
	F(ERR_CQE, HW_ERR_SYND,      0x34, 31, 8,  NONE) \
	F(ERR_CQE, HW_SYND_TYPE,     0x34, 23, 8,  NONE) \
	F(ERR_CQE, VENDOR_ERR_SYND,  0x34, 15, 8,  DV(mlx5_err_cqe, vendor_err_synd)) \
	F(ERR_CQE, SYNDROME,         0x34, 7,  8,  DV(mlx5_err_cqe, syndrome)) \
	F(ERR_CQE, S_WQE_OPCODE,     0x38, 31, 8,  DV(mlx5_err_cqe, s_wqe_opcode_qpn)) \
	F(ERR_CQE, QPN,              0x38, 23, 24, DV(mlx5_err_cqe, s_wqe_opcode_qpn)) \
	F(ERR_CQE, WQE_COUNTER,      0x3c, 31, 16, DV(mlx5_err_cqe, wqe_counter)) \
	F(ERR_CQE, SIGNATURE,        0x3c, 15, 8,  DV(mlx5_err_cqe, signature)) \
	F(ERR_CQE, OP_OWN,           0x3c, 7,  8,  DV(mlx5_err_cqe, op_own))
PRM_LAYOUT(ERR_CQE);

enum {
	PRM_CQE_BYTES = 64,
	PRM_CQE_OP_OWN_AT = 0x3f,		/* byte offsets of the two bytes that say who owns an entry */
	PRM_CQE_VALIDITY_ITERATION_AT = 0x3e,
	PRM_CQE_L4_L3_HDR_AT = 0x1d,		/* the byte of l4_l3_hdr_type, and cv in it */
	PRM_CQE_CV_BIT = 0x01,
	PRM_CQE_OP_OWN_INIT = 0xf1,		/* what software writes before use */
	PRM_CQE_VALIDITY_ITERATION_INIT = 0xff,
	PRM_CQE_OP_OWN_INVALIDATED = 0xf0,	/* slots of a compressed session after use */
};

enum prm_cqe_opcode {
	PRM_CQE_REQ = 0x0,			/* send or steering completion */
	PRM_CQE_RESP_WR_IMM = 0x1,
	PRM_CQE_RESP_SEND = 0x2,		/* every Ethernet receive */
	PRM_CQE_RESP_SEND_IMM = 0x3,
	PRM_CQE_RESP_SEND_INV = 0x4,
	PRM_CQE_RESIZE_CQ = 0x5,
	PRM_CQE_NO_PACKET = 0x6,
	PRM_CQE_SIG_ERR = 0xc,
	PRM_CQE_REQ_ERR = 0xd,
	PRM_CQE_RESP_ERR = 0xe,
	PRM_CQE_INVALID = 0xf,
};

enum {
	PRM_CQE_FORMAT_NO_INLINE = 0,
	PRM_CQE_FORMAT_INLINE_32 = 1,
	PRM_CQE_FORMAT_INLINE_64 = 2,
	PRM_CQE_FORMAT_COMPRESSED = 3,

	PRM_CQE_L3_NONE = 0,			/* l3_hdr_type */
	PRM_CQE_L3_IPV6 = 1,
	PRM_CQE_L3_IPV4 = 2,
	PRM_CQE_L4_NONE = 0,			/* l4_hdr_type */
	PRM_CQE_L4_TCP_NO_ACK = 1,
	PRM_CQE_L4_UDP = 2,
	PRM_CQE_L4_TCP_ACK = 3,
	PRM_CQE_L4_TCP_ACK_DATA = 4,

	PRM_CQE_HASH_IP_IPV4 = 1 << 2,		/* rx_hash_type: destination side */
	PRM_CQE_HASH_IP_IPV6 = 2 << 2,
	PRM_CQE_HASH_L4_TCP = 1 << 6,
	PRM_CQE_HASH_L4_UDP = 2 << 6,
	PRM_CQE_HASH_L4_SPI = 3 << 6,
};

enum prm_cqe_syndrome {
	PRM_CQE_SYND_LOCAL_LENGTH = 0x01,
	PRM_CQE_SYND_LOCAL_QP_OP = 0x02,
	PRM_CQE_SYND_LOCAL_PROT = 0x04,
	PRM_CQE_SYND_WR_FLUSH = 0x05,
	PRM_CQE_SYND_MW_BIND = 0x06,
	PRM_CQE_SYND_BAD_RESP = 0x10,
	PRM_CQE_SYND_LOCAL_ACCESS = 0x11,
	PRM_CQE_SYND_REMOTE_INVAL_REQ = 0x12,
	PRM_CQE_SYND_REMOTE_ACCESS = 0x13,
	PRM_CQE_SYND_REMOTE_OP = 0x14,
	PRM_CQE_SYND_TRANSPORT_RETRY = 0x15,
	PRM_CQE_SYND_RNR_RETRY = 0x16,
	PRM_CQE_SYND_REMOTE_ABORTED = 0x22,
};

/* A number without a name gives NULL. */
const char *prm_cqe_syndrome_text(uint8_t syndrome);

/* Mini entries, 8 bytes each, eight in a slot; the name says mini_cqe_res_format. */
#define PRM_MINI_CQE_FIELDS(F) \
	F(MINI_CQE, RX_HASH_RESULT,        0x00, 31, 32, RUN) \
	F(MINI_CQE, CHECKSUM,              0x00, 31, 16, RUN) \
	F(MINI_CQE, STRIDE_INDEX,          0x00, 15, 16, RUN) \
	F(MINI_CQE, FTAG_LOW,              0x00, 31, 16, RUN) \
	F(MINI_CQE, L4_L3_HDR_TYPE,        0x00, 31, 8,  RUN) \
	F(MINI_CQE, BYTE_CNT,              0x04, 31, 32, RUN) \
	F(MINI_CQE, FTAG_HIGH,             0x04, 31, 8,  RUN) \
	F(MINI_CQE, FTAG_BYTE_CNT,         0x04, 23, 24, RUN)
PRM_LAYOUT(MINI_CQE);

enum {
	PRM_MINI_CQE_BYTES = 8,
	PRM_MINI_CQES_PER_SLOT = 8,
	PRM_MINI_CQES_PER_ENHANCED_SLOT = 7,
	PRM_MINI_CQE_FORMAT_HASH = 0,
	PRM_MINI_CQE_FORMAT_CSUM = 1,
	PRM_MINI_CQE_FORMAT_FTAG_STRIDX = 2,
	PRM_MINI_CQE_FORMAT_CSUM_STRIDX = 3,
	PRM_MINI_CQE_FORMAT_L34H_STRIDX = 4,	/* in the context: mini_cqe_res_format_ext 1 */
};

/*
 * Basic layout: the entry of free-running index belongs to software when its op_own says so. Read op_own with acquire
 * order (util/order.h) and the rest of the entry after it.
 */
static inline bool
prm_cqe_is_software(uint8_t op_own, uint32_t index, uint8_t log_cq_size)
{
	return op_own >> 4 != PRM_CQE_INVALID && (op_own & 1u) == (index >> log_cq_size & 1u);
}

/* Enhanced layout: the pass number decides instead. */
static inline bool
prm_cqe_is_software_enhanced(uint8_t iteration, uint8_t op_own, uint32_t index, uint8_t log_cq_size)
{
	return op_own >> 4 != PRM_CQE_INVALID && iteration == (uint8_t)(index >> log_cq_size);
}

#endif
