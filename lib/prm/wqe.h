/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Work queue entries: control, Ethernet, data and inline segments, the steering (GTA) and ASO segments, UMR control.
 *
 * Each layout counts from the start of its segment. Sources: nic.md 2.4-2.10; hws.md 2.12, 5; infiniband/mlx5dv.h.
 */
#ifndef PRM_WQE_H
#define PRM_WQE_H

#include "prm/layout.h"

enum {
	PRM_WQEBB_BYTES = 64,
	PRM_WQE_DS_BYTES = 16,
	PRM_WQE_DS_MAX = 63,
};

enum prm_wqe_opcode {
	PRM_WQE_OP_NOP = 0x00,
	PRM_WQE_OP_SEND = 0x0a,
	PRM_WQE_OP_SEND_IMM = 0x0b,
	PRM_WQE_OP_TSO = 0x0e,
	PRM_WQE_OP_WAIT = 0x0f,
	PRM_WQE_OP_SEND_EN = 0x17,
	PRM_WQE_OP_DUMP = 0x23,
	PRM_WQE_OP_UMR = 0x25,
	PRM_WQE_OP_EMPW = 0x29,
	PRM_WQE_OP_FLOW_TBL_ACCESS = 0x2c,
	PRM_WQE_OP_ACCESS_ASO = 0x2d,
	PRM_WQE_OP_MMO = 0x2f,
};

/* A number without a name gives NULL. */
const char *prm_wqe_opcode_name(uint8_t opcode);

/* Control segment, 16 bytes. */
#define PRM_WQE_CTRL_FIELDS(F) \
	F(WQE_CTRL, OPC_MOD,   0x00, 31, 8,  DV(mlx5_wqe_ctrl_seg, opmod_idx_opcode)) \
	F(WQE_CTRL, WQE_INDEX, 0x00, 23, 16, DV(mlx5_wqe_ctrl_seg, opmod_idx_opcode)) \
	F(WQE_CTRL, OPCODE,    0x00, 7,  8,  DV(mlx5_wqe_ctrl_seg, opmod_idx_opcode)) \
	F(WQE_CTRL, SQN,       0x04, 31, 24, DV(mlx5_wqe_ctrl_seg, qpn_ds)) \
	F(WQE_CTRL, DS,        0x04, 5,  6,  DV(mlx5_wqe_ctrl_seg, qpn_ds)) \
	F(WQE_CTRL, SIGNATURE, 0x08, 31, 8,  DV(mlx5_wqe_ctrl_seg, signature)) \
	F(WQE_CTRL, FM_CE_SE,  0x08, 7,  8,  DV(mlx5_wqe_ctrl_seg, fm_ce_se)) \
	F(WQE_CTRL, FM,        0x08, 7,  3,  DV(mlx5_wqe_ctrl_seg, fm_ce_se)) \
	F(WQE_CTRL, CE,        0x08, 3,  2,  DV(mlx5_wqe_ctrl_seg, fm_ce_se)) \
	F(WQE_CTRL, SE,        0x08, 1,  1,  DV(mlx5_wqe_ctrl_seg, fm_ce_se)) \
	F(WQE_CTRL, IMM,       0x0c, 31, 32, DV(mlx5_wqe_ctrl_seg, imm))
PRM_LAYOUT(WQE_CTRL);

enum {
	PRM_WQE_CTRL_BYTES = 16,
	PRM_WQE_CE_ERROR = 0,			/* ce: completion on error, on the first error, always, always with event */
	PRM_WQE_CE_FIRST_ERROR = 1,
	PRM_WQE_CE_ALWAYS = 2,
	PRM_WQE_CE_ALWAYS_EVENT = 3,
	PRM_WQE_FM_NONE = 0,			/* fm: fence mode */
	PRM_WQE_FM_INITIATOR_SMALL = 1,
	PRM_WQE_FM_FENCE = 2,
	PRM_WQE_FM_STRONG_ORDER = 3,
	PRM_WQE_FM_SMALL_AND_FENCE = 4,
	PRM_WQE_FM_CE_SE_SIGNAL = PRM_WQE_CE_ALWAYS << 2,	/* the whole byte */
	PRM_WQE_FM_CE_SE_SMALL_FENCE = PRM_WQE_FM_INITIATOR_SMALL << 5,
};

/* Ethernet segment, 16 bytes; an inline header runs on behind INLINE_HDR_START. */
#define PRM_WQE_ETH_FIELDS(F) \
	F(WQE_ETH, SWP_OUTER_L4_OFFSET, 0x00, 31, 8,  DV(mlx5_wqe_eth_seg, rsvd0)) \
	F(WQE_ETH, SWP_OUTER_L3_OFFSET, 0x00, 23, 8,  DV(mlx5_wqe_eth_seg, rsvd0)) \
	F(WQE_ETH, SWP_INNER_L4_OFFSET, 0x00, 15, 8,  DV(mlx5_wqe_eth_seg, rsvd0)) \
	F(WQE_ETH, SWP_INNER_L3_OFFSET, 0x00, 7,  8,  DV(mlx5_wqe_eth_seg, rsvd0)) \
	F(WQE_ETH, CS_FLAGS,            0x04, 31, 8,  DV(mlx5_wqe_eth_seg, cs_flags)) \
	F(WQE_ETH, SWP_FLAGS,           0x04, 23, 8,  DV(mlx5_wqe_eth_seg, rsvd1)) \
	F(WQE_ETH, MSS,                 0x04, 15, 16, DV(mlx5_wqe_eth_seg, mss)) \
	F(WQE_ETH, FLOW_TABLE_METADATA, 0x08, 31, 32, DV(mlx5_wqe_eth_seg, rsvd2)) \
	F(WQE_ETH, INLINE_HDR_SZ,       0x0c, 31, 16, DV(mlx5_wqe_eth_seg, inline_hdr_sz)) \
	F(WQE_ETH, INLINE_HDR_START,    0x0c, 15, 16, DV(mlx5_wqe_eth_seg, inline_hdr_start)) \
	F(WQE_ETH, VLAN_INSERT,         0x0c, 31, 1,  DV(mlx5_wqe_eth_seg, inline_hdr_sz)) \
	F(WQE_ETH, VLAN_SVLAN,          0x0c, 16, 1,  DV(mlx5_wqe_eth_seg, inline_hdr_sz)) \
	F(WQE_ETH, VLAN_TCI,            0x0c, 15, 16, DV(mlx5_wqe_eth_seg, inline_hdr_start))
PRM_LAYOUT(WQE_ETH);

enum {
	PRM_WQE_ETH_BYTES = 16,
	PRM_WQE_ETH_INLINE_HDR = 14,		/* byte offset of the inline header */
	PRM_WQE_CS_L3 = 0x40,			/* cs_flags; outer, or the only header */
	PRM_WQE_CS_L4 = 0x80,
	PRM_WQE_CS_L3_INNER = 0x10,
	PRM_WQE_CS_L4_INNER = 0x20,
	PRM_WQE_SWP_INNER_L3_IPV6 = 0x01,	/* swp_flags */
	PRM_WQE_SWP_INNER_L4_UDP = 0x02,
	PRM_WQE_SWP_OUTER_L3_IPV6 = 0x10,
	PRM_WQE_SWP_OUTER_L4_UDP = 0x20,
};

/* Data segment: pointer, or, with INLINE set, LENGTH bytes of data from byte 4 on. */
#define PRM_WQE_DATA_FIELDS(F) \
	F(WQE_DATA, BYTE_COUNT, 0x00, 31, 32, DV(mlx5_wqe_data_seg, byte_count)) \
	F(WQE_DATA, INLINE,     0x00, 31, 1,  DV(mlx5_wqe_inl_data_seg, byte_count)) \
	F(WQE_DATA, LENGTH,     0x00, 30, 31, DV(mlx5_wqe_inl_data_seg, byte_count)) \
	F(WQE_DATA, LKEY,       0x04, 31, 32, DV(mlx5_wqe_data_seg, lkey)) \
	F(WQE_DATA, ADDR,       0x08, 31, 64, DV(mlx5_wqe_data_seg, addr))
PRM_LAYOUT(WQE_DATA);

/* WAIT on time (op_mod 2): the queue stands still while the condition between clock and value holds. */
#define PRM_WQE_WAIT_FIELDS(F) \
	F(WQE_WAIT, INVERT,    0x00, 4,  1,  RUN) \
	F(WQE_WAIT, CONDITION, 0x00, 3,  4,  RUN) \
	F(WQE_WAIT, LKEY,      0x04, 31, 32, RUN) \
	F(WQE_WAIT, VA,        0x08, 31, 64, RUN) \
	F(WQE_WAIT, VALUE,     0x10, 31, 64, RUN) \
	F(WQE_WAIT, MASK,      0x18, 31, 64, RUN)
PRM_LAYOUT(WQE_WAIT);

enum {
	PRM_WQE_WAIT_DS = 3,
	PRM_WQE_WAIT_ON_TIME = 2,		/* op_mod */
	PRM_WQE_WAIT_CYCLIC_SMALLER = 5,	/* condition */
};

/* First segment of a receive WQE in a linked list (and, unused, of a cyclic striding one). */
#define PRM_WQE_NEXT_FIELDS(F) \
	F(WQE_NEXT, NEXT_WQE_INDEX, 0x00, 15, 16, DV(mlx5_wqe_srq_next_seg, next_wqe_index))
PRM_LAYOUT(WQE_NEXT);

enum {
	PRM_WQE_DATA_BYTES = 16,
	PRM_WQE_INLINE_DATA = 4,		/* byte offset of inline data in its segment */
	PRM_MPRQ_WQE_BYTES = 32,		/* 16 unused, then a data segment */
	PRM_MPRQ_WQE_DATA = 16,
};

/* Steering WQE: control, GTA control (48 bytes), STE or ARG data (64 bytes); always two WQEBBs. */
#define PRM_WQE_GTA_CTRL_FIELDS(F) \
	F(WQE_GTA_CTRL, OP,           0x00, 31, 4,  RUN) \
	F(WQE_GTA_CTRL, DIRECT_INDEX, 0x00, 27, 28, RUN) \
	F(WQE_GTA_CTRL, NUM_ACTIONS,  0x04, 31, 3,  RUN) \
	F(WQE_GTA_CTRL, STC_IX_0,     0x04, 28, 29, RUN) \
	F(WQE_GTA_CTRL, STC_IX_1,     0x08, 31, 32, RUN) \
	F(WQE_GTA_CTRL, STC_IX_2,     0x0c, 31, 32, RUN) \
	F(WQE_GTA_CTRL, STC_IX_3,     0x10, 31, 32, RUN) \
	F(WQE_GTA_CTRL, STC_IX_4,     0x14, 31, 32, RUN)
PRM_LAYOUT(WQE_GTA_CTRL);

/* STE data. TAG is that of an 8DW entry; a jumbo entry's tag begins at DW5. */
#define PRM_WQE_STE_FIELDS(F) \
	F(WQE_STE, COUNTER_OFFSET, 0x00, 31, 32, RUN) \
	F(WQE_STE, DEFINER_ID,     0x04, 31, 24, NONE) \
	F(WQE_STE, HIT_LSB,        0x10, 31, 32, RUN) \
	F(WQE_STE, DW5,            0x14, 31, 32, RUN) \
	F(WQE_STE, DW6,            0x18, 31, 32, RUN) \
	F(WQE_STE, DW7,            0x1c, 31, 32, RUN) \
	F(WQE_STE, TAG,            0x20, 31, 256, RUN)
PRM_LAYOUT(WQE_STE);

enum {
	PRM_WQE_GTA_CTRL_BYTES = 48,
	PRM_WQE_GTA_DATA_BYTES = 64,
	PRM_WQE_GTA_BYTES = 128,
	PRM_WQE_GTA_DATA = 64,			/* byte offset of the data segment in the WQE */
	PRM_WQE_GTA_DS = 8,
	PRM_WQE_GTA_RANGE_DS = 12,
	PRM_WQE_GTA_OPMOD_STE = 0,		/* opc_mod of the control segment */
	PRM_WQE_GTA_OPMOD_ARG = 1,
	PRM_WQE_GTA_OP_ACTIVATE = 0,
	PRM_WQE_GTA_OP_DEACTIVATE = 1,
	PRM_WQE_GTA_NUM_JUMBO = 1,		/* NUM_ACTIONS = index of the last valid STC_IX */
	PRM_WQE_GTA_NUM_COMBO_1 = 3,		/* counter, hit, DW5, DW6+DW7 */
	PRM_WQE_GTA_NUM_COMBO_2 = 4,		/* counter, hit, DW5, DW6, DW7 */
	PRM_WQE_STE_TAG_AT = 0x20,		/* byte offset of the tag in the data segment */
	PRM_WQE_STE_TAG_JUMBO_AT = 0x14,
	PRM_WQE_STE_HIT_INDEX_SHIFT = 6,	/* HIT_LSB = index in the STE table << 6 */
};

/* ASO control segment, behind the control segment; data of 64 bytes follows in the second WQEBB. */
#define PRM_WQE_ASO_FIELDS(F) \
	F(WQE_ASO, VA_H,               0x00, 31, 32, RUN) \
	F(WQE_ASO, VA_L,               0x04, 31, 31, RUN) \
	F(WQE_ASO, READ_ENABLE,        0x04, 0,  1,  RUN) \
	F(WQE_ASO, LKEY,               0x08, 31, 32, RUN) \
	F(WQE_ASO, DATA_MASK_MODE,     0x0c, 31, 2,  RUN) \
	F(WQE_ASO, COND_0_OPER,        0x0c, 23, 4,  RUN) \
	F(WQE_ASO, COND_1_OPER,        0x0c, 19, 4,  RUN) \
	F(WQE_ASO, COND_OPERAND,       0x0c, 7,  2,  RUN) \
	F(WQE_ASO, OPERAND_MASKS,      0x0c, 31, 32, RUN) \
	F(WQE_ASO, CONDITION_0_DATA,   0x10, 31, 32, NONE) \
	F(WQE_ASO, CONDITION_0_MASK,   0x14, 31, 32, NONE) \
	F(WQE_ASO, CONDITION_1_DATA,   0x18, 31, 32, NONE) \
	F(WQE_ASO, CONDITION_1_MASK,   0x1c, 31, 32, NONE) \
	F(WQE_ASO, BITWISE_DATA,       0x20, 31, 64, NONE) \
	F(WQE_ASO, DATA_MASK,          0x28, 31, 64, RUN)
PRM_LAYOUT(WQE_ASO);

enum {
	PRM_WQE_ASO_CTRL_BYTES = 48,
	PRM_WQE_ASO_DS = 8,
	PRM_ASO_MASK_BITWISE_64BIT = 0,		/* DATA_MASK_MODE */
	PRM_ASO_MASK_BYTEWISE_64BYTE = 1,
	PRM_ASO_MASK_CALCULATED_64BYTE = 2,
	PRM_ASO_COND_ALWAYS_FALSE = 0,		/* COND_*_OPER */
	PRM_ASO_COND_ALWAYS_TRUE = 1,
};

/* UMR control segment, 48 bytes. */
#define PRM_WQE_UMR_FIELDS(F) \
	F(WQE_UMR, FLAGS,              0x00, 31, 8,  DV(mlx5_wqe_umr_ctrl_seg, flags)) \
	F(WQE_UMR, KLM_OCTOWORDS,      0x04, 31, 16, DV(mlx5_wqe_umr_ctrl_seg, klm_octowords)) \
	F(WQE_UMR, TRANSLATION_OFFSET, 0x04, 15, 16, DV(mlx5_wqe_umr_ctrl_seg, translation_offset)) \
	F(WQE_UMR, MKEY_MASK,          0x08, 31, 64, DV(mlx5_wqe_umr_ctrl_seg, mkey_mask))
PRM_LAYOUT(WQE_UMR);

#endif
