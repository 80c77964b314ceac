/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What every command has in common: opcodes, status codes, the two dwords at the head of input and output, and the
 * header of general objects. The fields of single commands are in the header of their family.
 *
 * Sources: nic.md 1.1, 1.2; hws.md 2.1, 2.2; kernel header linux/mlx5/mlx5_ifc.h.
 */
#ifndef PRM_CMD_H
#define PRM_CMD_H

#include "prm/layout.h"

/* Opcodes: name and number. */
#define PRM_OPCODES(X) \
	X(QUERY_HCA_CAP, 0x100) \
	X(QUERY_ADAPTER, 0x101) \
	X(INIT_HCA, 0x102) \
	X(TEARDOWN_HCA, 0x103) \
	X(ENABLE_HCA, 0x104) \
	X(DISABLE_HCA, 0x105) \
	X(QUERY_PAGES, 0x107) \
	X(MANAGE_PAGES, 0x108) \
	X(SET_HCA_CAP, 0x109) \
	X(QUERY_ISSI, 0x10a) \
	X(SET_ISSI, 0x10b) \
	X(SET_DRIVER_VERSION, 0x10d) \
	X(CREATE_MKEY, 0x200) \
	X(QUERY_MKEY, 0x201) \
	X(DESTROY_MKEY, 0x202) \
	X(QUERY_SPECIAL_CONTEXTS, 0x203) \
	X(CREATE_EQ, 0x301) \
	X(DESTROY_EQ, 0x302) \
	X(QUERY_EQ, 0x303) \
	X(CREATE_CQ, 0x400) \
	X(DESTROY_CQ, 0x401) \
	X(QUERY_CQ, 0x402) \
	X(MODIFY_CQ, 0x403) \
	X(CREATE_QP, 0x500) \
	X(DESTROY_QP, 0x501) \
	X(RST2INIT_QP, 0x502) \
	X(INIT2RTR_QP, 0x503) \
	X(RTR2RTS_QP, 0x504) \
	X(2ERR_QP, 0x507) \
	X(2RST_QP, 0x50a) \
	X(QUERY_QP, 0x50b) \
	X(QUERY_VPORT_STATE, 0x750) \
	X(MODIFY_VPORT_STATE, 0x751) \
	X(QUERY_ESW_VPORT_CONTEXT, 0x752) \
	X(MODIFY_ESW_VPORT_CONTEXT, 0x753) \
	X(QUERY_NIC_VPORT_CONTEXT, 0x754) \
	X(MODIFY_NIC_VPORT_CONTEXT, 0x755) \
	X(QUERY_VNIC_ENV, 0x76f) \
	X(QUERY_VPORT_COUNTER, 0x770) \
	X(ALLOC_Q_COUNTER, 0x771) \
	X(DEALLOC_Q_COUNTER, 0x772) \
	X(QUERY_Q_COUNTER, 0x773) \
	X(SET_PP_RATE_LIMIT, 0x780) \
	X(ALLOC_PD, 0x800) \
	X(DEALLOC_PD, 0x801) \
	X(ALLOC_UAR, 0x802) \
	X(DEALLOC_UAR, 0x803) \
	X(ACCESS_REG, 0x805) \
	X(NOP, 0x80d) \
	X(ALLOC_TRANSPORT_DOMAIN, 0x816) \
	X(DEALLOC_TRANSPORT_DOMAIN, 0x817) \
	X(ADD_VXLAN_UDP_DPORT, 0x827) \
	X(DELETE_VXLAN_UDP_DPORT, 0x828) \
	X(SET_L2_TABLE_ENTRY, 0x829) \
	X(DELETE_L2_TABLE_ENTRY, 0x82b) \
	X(CREATE_LAG, 0x840) \
	X(MODIFY_LAG, 0x841) \
	X(QUERY_LAG, 0x842) \
	X(DESTROY_LAG, 0x843) \
	X(CREATE_TIR, 0x900) \
	X(MODIFY_TIR, 0x901) \
	X(DESTROY_TIR, 0x902) \
	X(QUERY_TIR, 0x903) \
	X(CREATE_SQ, 0x904) \
	X(MODIFY_SQ, 0x905) \
	X(DESTROY_SQ, 0x906) \
	X(QUERY_SQ, 0x907) \
	X(CREATE_RQ, 0x908) \
	X(MODIFY_RQ, 0x909) \
	X(DESTROY_RQ, 0x90a) \
	X(QUERY_RQ, 0x90b) \
	X(CREATE_RMP, 0x90c) \
	X(MODIFY_RMP, 0x90d) \
	X(DESTROY_RMP, 0x90e) \
	X(QUERY_RMP, 0x90f) \
	X(SET_DELAY_DROP_PARAMS, 0x910) \
	X(CREATE_TIS, 0x912) \
	X(MODIFY_TIS, 0x913) \
	X(DESTROY_TIS, 0x914) \
	X(QUERY_TIS, 0x915) \
	X(CREATE_RQT, 0x916) \
	X(MODIFY_RQT, 0x917) \
	X(DESTROY_RQT, 0x918) \
	X(QUERY_RQT, 0x919) \
	X(SET_FLOW_TABLE_ROOT, 0x92f) \
	X(CREATE_FLOW_TABLE, 0x930) \
	X(DESTROY_FLOW_TABLE, 0x931) \
	X(QUERY_FLOW_TABLE, 0x932) \
	X(CREATE_FLOW_GROUP, 0x933) \
	X(DESTROY_FLOW_GROUP, 0x934) \
	X(QUERY_FLOW_GROUP, 0x935) \
	X(SET_FLOW_TABLE_ENTRY, 0x936) \
	X(QUERY_FLOW_TABLE_ENTRY, 0x937) \
	X(DELETE_FLOW_TABLE_ENTRY, 0x938) \
	X(ALLOC_FLOW_COUNTER, 0x939) \
	X(DEALLOC_FLOW_COUNTER, 0x93a) \
	X(QUERY_FLOW_COUNTER, 0x93b) \
	X(MODIFY_FLOW_TABLE, 0x93c) \
	X(ALLOC_PACKET_REFORMAT_CONTEXT, 0x93d) \
	X(DEALLOC_PACKET_REFORMAT_CONTEXT, 0x93e) \
	X(ALLOC_MODIFY_HEADER_CONTEXT, 0x940) \
	X(DEALLOC_MODIFY_HEADER_CONTEXT, 0x941) \
	X(CREATE_GENERAL_OBJECT, 0xa00) \
	X(MODIFY_GENERAL_OBJECT, 0xa01) \
	X(QUERY_GENERAL_OBJECT, 0xa02) \
	X(DESTROY_GENERAL_OBJECT, 0xa03) \
	X(CREATE_UCTX, 0xa04) \
	X(DESTROY_UCTX, 0xa06) \
	X(CREATE_UMEM, 0xa08) \
	X(DESTROY_UMEM, 0xa0a) \
	X(SYNC_STEERING, 0xb00) \
	X(ACCESS_REGISTER_USER, 0xb0c) \
	X(QUERY_MATCH_SAMPLE_INFO, 0xb13) \
	X(ALLOW_OTHER_VHCA_ACCESS, 0xb16) \
	X(GENERATE_WQE, 0xb17)

#define PRM_OPCODE_ENUM(name, number) PRM_CMD_OP_##name = number,
enum prm_cmd_op { PRM_OPCODES(PRM_OPCODE_ENUM) };

enum prm_status {
	PRM_STATUS_OK = 0x0,
	PRM_STATUS_INT_ERR = 0x1,
	PRM_STATUS_BAD_OP = 0x2,		/* opcode or op_mod */
	PRM_STATUS_BAD_PARAM = 0x3,
	PRM_STATUS_BAD_SYS_STATE = 0x4,
	PRM_STATUS_BAD_RES = 0x5,
	PRM_STATUS_RES_BUSY = 0x6,
	PRM_STATUS_LIM = 0x8,
	PRM_STATUS_BAD_RES_STATE = 0x9,
	PRM_STATUS_IX = 0xa,			/* index error */
	PRM_STATUS_NO_RES = 0xf,
	PRM_STATUS_BAD_QP_STATE = 0x10,
	PRM_STATUS_BAD_PKT = 0x30,
	PRM_STATUS_BAD_SIZE_OUTS_CQES = 0x40,
	PRM_STATUS_BAD_INP_LEN = 0x50,
	PRM_STATUS_BAD_OUTP_LEN = 0x51,
};

/* Head of every input. */
#define PRM_CMD_IN_FIELDS(F) \
	F(CMD_IN, OPCODE, 0x00, 31, 16, IFC(destroy_sq_in, opcode)) \
	F(CMD_IN, UID,    0x00, 15, 16, IFC(destroy_sq_in, uid)) \
	F(CMD_IN, OP_MOD, 0x04, 15, 16, IFC(destroy_sq_in, op_mod))
PRM_LAYOUT(CMD_IN);

/* Head of every output. */
#define PRM_CMD_OUT_FIELDS(F) \
	F(CMD_OUT, STATUS,   0x00, 31, 8,  IFC(destroy_sq_out, status)) \
	F(CMD_OUT, SYNDROME, 0x04, 31, 32, IFC(destroy_sq_out, syndrome))
PRM_LAYOUT(CMD_OUT);

/* Modify, query and destroy commands of the 24-bit numbered objects (cq, sq, rq, tir, tis, rqt, mkey, pd, td, uar). */
#define PRM_ID_IN_FIELDS(F) \
	F(ID_IN, ID, 0x08, 23, 24, IFC(destroy_sq_in, sqn))
PRM_LAYOUT(ID_IN);

/* Answer of their create and alloc commands; one 24-bit number for all of them. */
#define PRM_ID_OUT_FIELDS(F) \
	F(ID_OUT, ID, 0x08, 23, 24, IFC(create_sq_out, sqn))
PRM_LAYOUT(ID_OUT);

/* General objects, input. The last dword is a union: alias flag and range in a create, offset in a modify or query. */
#define PRM_GENERAL_OBJ_IN_FIELDS(F) \
	F(GENERAL_OBJ_IN, OPCODE,   0x00, 31, 16, IFC(general_obj_in_cmd_hdr, opcode)) \
	F(GENERAL_OBJ_IN, UID,      0x00, 15, 16, IFC(general_obj_in_cmd_hdr, uid)) \
	F(GENERAL_OBJ_IN, OBJ_TYPE, 0x04, 15, 16, IFC(general_obj_in_cmd_hdr, obj_type)) \
	F(GENERAL_OBJ_IN, OBJ_ID,   0x08, 31, 32, IFC(general_obj_in_cmd_hdr, obj_id))
PRM_LAYOUT(GENERAL_OBJ_IN);

#define PRM_GENERAL_OBJ_CREATE_FIELDS(F) \
	F(GENERAL_OBJ_IN, ALIAS_OBJECT,  0x0c, 31, 1, NONE) \
	F(GENERAL_OBJ_IN, LOG_OBJ_RANGE, 0x0c, 28, 5, IFC(general_obj_in_cmd_hdr, log_obj_range))
PRM_LAYOUT(GENERAL_OBJ_CREATE);

#define PRM_GENERAL_OBJ_MODIFY_FIELDS(F) \
	F(GENERAL_OBJ_IN, OBJ_OFFSET, 0x0c, 31, 32, RUN)
PRM_LAYOUT(GENERAL_OBJ_MODIFY);

#define PRM_GENERAL_OBJ_OUT_FIELDS(F) \
	F(GENERAL_OBJ_OUT, STATUS,   0x00, 31, 8,  IFC(general_obj_out_cmd_hdr, status)) \
	F(GENERAL_OBJ_OUT, SYNDROME, 0x04, 31, 32, IFC(general_obj_out_cmd_hdr, syndrome)) \
	F(GENERAL_OBJ_OUT, OBJ_ID,   0x08, 31, 32, IFC(general_obj_out_cmd_hdr, obj_id))
PRM_LAYOUT(GENERAL_OBJ_OUT);

#define PRM_OBJ_TYPES(X) \
	X(GENEVE_TLV_OPT, 0x000b) \
	X(VIRTIO_NET_Q, 0x000d) \
	X(DEFINER, 0x0018) \
	X(SAMPLER, 0x0020) \
	X(FLEX_PARSE_GRAPH, 0x0022) \
	X(ARG, 0x0023) \
	X(FLOW_METER_ASO, 0x0024) \
	X(FLOW_HIT_ASO, 0x0025) \
	X(CONN_TRACK_OFFLOAD, 0x0031) \
	X(STC, 0x0040) \
	X(RTC, 0x0041) \
	X(STE, 0x0042) \
	X(MODIFY_HEADER_PATTERN, 0x0043) \
	X(FT_ALIAS, 0xff15) \
	X(TIR_ALIAS, 0xff16)

#define PRM_OBJ_TYPE_ENUM(name, number) PRM_OBJ_TYPE_##name = number,
enum prm_obj_type { PRM_OBJ_TYPES(PRM_OBJ_TYPE_ENUM) };

enum {
	PRM_CMD_HDR_BYTES = 0x10,		/* shortest input and output; a general object's header */
	PRM_OBJ_BODY = 0x10,			/* where a general object's body begins, in input and output */
};

/* Words for a trace; a number without a name gives NULL. */
const char *prm_opcode_name(uint16_t opcode);
const char *prm_obj_type_name(uint16_t obj_type);
const char *prm_status_text(uint8_t status);

#endif
