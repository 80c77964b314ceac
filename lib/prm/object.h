/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * General objects of hardware steering: RTC, STC, STE, definer, modify-header pattern, argument, ASO objects, aliases,
 * and the GENERATE_WQE command.
 *
 * Body layouts count from the start of the body, which follows the 16-byte header in input and output (PRM_OBJ_BODY).
 * Sources: hws.md 2.4-2.9, 2.12-2.14. The kernel's public header does not hold them: their witness is the stock driver.
 */
#ifndef PRM_OBJECT_H
#define PRM_OBJECT_H

#include "prm/cmd.h"

/* Rule table context: a hash or indexed table of steering entries. */
#define PRM_RTC_FIELDS(F) \
	F(RTC, MODIFY_FIELD_SELECT, 0x00, 31, 64, RUN) \
	F(RTC, UPDATE_INDEX_MODE,   0x10, 31, 2,  RUN) \
	F(RTC, REPARSE_MODE,        0x10, 29, 2,  RUN) \
	F(RTC, NUM_MATCH_STE,       0x10, 27, 4,  RUN) \
	F(RTC, PD,                  0x10, 23, 24, RUN) \
	F(RTC, ACCESS_INDEX_MODE,   0x14, 22, 3,  RUN) \
	F(RTC, NUM_HASH_DEFINER,    0x14, 19, 4,  RUN) \
	F(RTC, UPDATE_METHOD,       0x14, 15, 1,  RUN) \
	F(RTC, LOG_DEPTH,           0x14, 12, 5,  RUN) \
	F(RTC, LOG_HASH_SIZE,       0x14, 7,  8,  RUN) \
	F(RTC, STE_FORMAT_0,        0x18, 31, 8,  RUN) \
	F(RTC, TABLE_TYPE,          0x18, 23, 8,  RUN) \
	F(RTC, STE_FORMAT_1,        0x18, 15, 8,  RUN) \
	F(RTC, MATCH_DEFINER_0,     0x1c, 31, 32, RUN) \
	F(RTC, STC_ID,              0x20, 31, 32, RUN) \
	F(RTC, STE_TABLE_BASE_ID,   0x24, 31, 32, RUN) \
	F(RTC, STE_TABLE_OFFSET,    0x28, 31, 32, RUN) \
	F(RTC, MISS_FLOW_TABLE_ID,  0x2c, 23, 24, RUN) \
	F(RTC, MATCH_DEFINER_1,     0x30, 31, 32, RUN)
PRM_LAYOUT(RTC);

enum {
	PRM_RTC_BYTES = 0x80,
	PRM_RTC_UPDATE_BY_HASH = 0,		/* update_index_mode: how a WQE chooses the row */
	PRM_RTC_UPDATE_BY_OFFSET = 1,
	PRM_RTC_ACCESS_BY_HASH = 0,		/* access_index_mode: how a packet does */
	PRM_RTC_ACCESS_LINEAR = 1,
	PRM_RTC_REPARSE_NEVER = 0,
	PRM_RTC_REPARSE_ALWAYS = 1,
	PRM_RTC_REPARSE_BY_STC = 2,
	PRM_RTC_METHOD_WQE = 0,			/* update_method */
	PRM_RTC_METHOD_GENERATE_WQE = 1,
	PRM_STE_FORMAT_8DW = 4,			/* ste_format_* */
	PRM_STE_FORMAT_11DW = 5,
	PRM_STE_FORMAT_RANGE = 7,
	PRM_STE_FORMAT_4DW_RANGE = 8,
};

/* Range of steering table entries; its size is LOG_OBJ_RANGE of the header. */
#define PRM_STE_OBJ_FIELDS(F) \
	F(STE_OBJ, MODIFY_FIELD_SELECT, 0x00, 31, 64, RUN) \
	F(STE_OBJ, TABLE_TYPE,          0x10, 23, 8,  RUN)
PRM_LAYOUT(STE_OBJ);

/* Steering context, one element of a range. STC_PARAM has the layout that the action type says. */
#define PRM_STC_FIELDS(F) \
	F(STC, MODIFY_FIELD_SELECT, 0x00, 31, 64, RUN) \
	F(STC, REPARSE_MODE,        0x10, 25, 2,  RUN) \
	F(STC, TABLE_TYPE,          0x10, 23, 8,  RUN) \
	F(STC, STE_ACTION_OFFSET,   0x10, 15, 8,  RUN) \
	F(STC, ACTION_TYPE,         0x10, 7,  8,  RUN) \
	F(STC, STC_PARAM,           0x20, 31, 128, RUN)
PRM_LAYOUT(STC);

enum {
	PRM_STE_OBJ_BYTES = 0x80,
	PRM_STC_BYTES = 0x80,
	PRM_STC_PARAM_BYTES = 0x10,
	PRM_STC_MODIFY_NEW_STC = 1 << 0,	/* modify_field_select */
	PRM_STC_REPARSE_IGNORE = 0,		/* reparse_mode: the RTC decides */
	PRM_STC_REPARSE_NEVER = 1,
	PRM_STC_REPARSE_ALWAYS = 2,
	PRM_STC_OFFSET_COUNTER = 0,		/* ste_action_offset: dword of the STE that the action occupies */
	PRM_STC_OFFSET_HIT = 3,
	PRM_STC_OFFSET_DW5 = 5,
	PRM_STC_OFFSET_DW6 = 6,
	PRM_STC_OFFSET_DW7 = 7,
};

#define PRM_STC_ACTIONS(X) \
	X(NOP, 0x00) \
	X(COPY, 0x05) \
	X(SET, 0x06) \
	X(ADD, 0x07) \
	X(REMOVE_WORDS, 0x08) \
	X(HEADER_REMOVE, 0x09) \
	X(HEADER_INSERT, 0x0b) \
	X(TAG, 0x0c) \
	X(ACC_MODIFY_LIST, 0x0e) \
	X(CRYPTO_IPSEC_ENCRYPTION, 0x10) \
	X(CRYPTO_IPSEC_DECRYPTION, 0x11) \
	X(ASO, 0x12) \
	X(TRAILER, 0x13) \
	X(COUNTER, 0x14) \
	X(ADD_FIELD, 0x1b) \
	X(JUMP_TO_STE_TABLE, 0x80) \
	X(JUMP_TO_TIR, 0x81) \
	X(JUMP_TO_FT, 0x82) \
	X(DROP, 0x83) \
	X(ALLOW, 0x84) \
	X(JUMP_TO_VPORT, 0x85) \
	X(JUMP_TO_UPLINK, 0x86) \
	X(JUMP_TO_FT_FDB_RX, 0x87)

#define PRM_STC_ACTION_ENUM(name, number) PRM_STC_ACTION_##name = number,
enum prm_stc_action { PRM_STC_ACTIONS(PRM_STC_ACTION_ENUM) };

/* A number without a name gives NULL. */
const char *prm_stc_action_name(uint8_t action_type);

/* The layouts of STC_PARAM. */
#define PRM_STC_PARAM_STE_TABLE_FIELDS(F) \
	F(STC_PARAM_STE_TABLE, STE_OBJ_ID,       0x00, 31, 32, RUN) \
	F(STC_PARAM_STE_TABLE, MATCH_DEFINER_ID, 0x04, 31, 32, RUN) \
	F(STC_PARAM_STE_TABLE, LOG_HASH_SIZE,    0x08, 28, 5,  RUN)
PRM_LAYOUT(STC_PARAM_STE_TABLE);

#define PRM_STC_PARAM_TIR_FIELDS(F) \
	F(STC_PARAM_TIR, TIRN, 0x00, 23, 24, RUN)
PRM_LAYOUT(STC_PARAM_TIR);

#define PRM_STC_PARAM_TABLE_FIELDS(F) \
	F(STC_PARAM_TABLE, TABLE_ID, 0x00, 23, 24, RUN)
PRM_LAYOUT(STC_PARAM_TABLE);

#define PRM_STC_PARAM_COUNTER_FIELDS(F) \
	F(STC_PARAM_COUNTER, FLOW_COUNTER_ID, 0x00, 31, 32, RUN)
PRM_LAYOUT(STC_PARAM_COUNTER);

#define PRM_STC_PARAM_ASO_FIELDS(F) \
	F(STC_PARAM_ASO, ASO_OBJECT_ID, 0x00, 31, 32, NONE) \
	F(STC_PARAM_ASO, RETURN_REG_ID, 0x04, 31, 4,  NONE) \
	F(STC_PARAM_ASO, ASO_TYPE,      0x04, 27, 4,  NONE)
PRM_LAYOUT(STC_PARAM_ASO);

#define PRM_STC_PARAM_MODIFY_LIST_FIELDS(F) \
	F(STC_PARAM_MODIFY_LIST, HEADER_MODIFY_PATTERN_ID,  0x00, 31, 32, RUN) \
	F(STC_PARAM_MODIFY_LIST, HEADER_MODIFY_ARGUMENT_ID, 0x04, 31, 32, RUN)
PRM_LAYOUT(STC_PARAM_MODIFY_LIST);

#define PRM_STC_PARAM_VPORT_FIELDS(F) \
	F(STC_PARAM_VPORT, ESWITCH_OWNER_VHCA_ID,       0x00, 31, 16, RUN) \
	F(STC_PARAM_VPORT, VPORT_NUMBER,                0x00, 15, 16, RUN) \
	F(STC_PARAM_VPORT, ESWITCH_OWNER_VHCA_ID_VALID, 0x04, 31, 1,  RUN)
PRM_LAYOUT(STC_PARAM_VPORT);

/* Header removal, insertion and word removal: as STC_PARAM and as a word of a modify list alike. */
#define PRM_REMOVE_HEADER_FIELDS(F) \
	F(REMOVE_HEADER, ACTION_TYPE,         0x00, 31, 4, RUN) \
	F(REMOVE_HEADER, DECAP,               0x00, 27, 1, RUN) \
	F(REMOVE_HEADER, REMOVE_START_ANCHOR, 0x00, 21, 6, RUN) \
	F(REMOVE_HEADER, REMOVE_END_ANCHOR,   0x00, 13, 6, RUN)
PRM_LAYOUT(REMOVE_HEADER);

#define PRM_INSERT_HEADER_FIELDS(F) \
	F(INSERT_HEADER, ACTION_TYPE,     0x00, 31, 4,  RUN) \
	F(INSERT_HEADER, ENCAP,           0x00, 27, 1,  RUN) \
	F(INSERT_HEADER, INLINE_DATA,     0x00, 26, 1,  RUN) \
	F(INSERT_HEADER, PUSH_ESP,        0x00, 25, 1,  NONE) \
	F(INSERT_HEADER, INSERT_ANCHOR,   0x00, 21, 6,  RUN) \
	F(INSERT_HEADER, INSERT_OFFSET,   0x00, 14, 7,  RUN) \
	F(INSERT_HEADER, INSERT_SIZE,     0x00, 6,  7,  RUN) \
	F(INSERT_HEADER, INSERT_ARGUMENT, 0x04, 31, 32, RUN)
PRM_LAYOUT(INSERT_HEADER);

#define PRM_REMOVE_WORDS_FIELDS(F) \
	F(REMOVE_WORDS, ACTION_TYPE,         0x00, 31, 4, RUN) \
	F(REMOVE_WORDS, REMOVE_START_ANCHOR, 0x00, 21, 6, RUN) \
	F(REMOVE_WORDS, REMOVE_OFFSET,       0x00, 14, 7, RUN) \
	F(REMOVE_WORDS, REMOVE_SIZE,         0x00, 5,  6, RUN)
PRM_LAYOUT(REMOVE_WORDS);

enum {
	PRM_ANCHOR_PACKET_START = 0x00,
	PRM_ANCHOR_MAC = 0x01,
	PRM_ANCHOR_FIRST_VLAN_START = 0x02,
	PRM_ANCHOR_IPV6_IPV4 = 0x07,
	PRM_ANCHOR_ESP = 0x08,
	PRM_ANCHOR_TCP_UDP = 0x09,
	PRM_ANCHOR_TUNNEL_HEADER = 0x0a,
	PRM_ANCHOR_INNER_MAC = 0x13,
	PRM_ANCHOR_INNER_IPV6_IPV4 = 0x19,
	PRM_ANCHOR_INNER_TCP_UDP = 0x1a,
	PRM_ANCHOR_L4_PAYLOAD = 0x1b,
	PRM_ANCHOR_INNER_L4_PAYLOAD = 0x1c,
};

/* Match definer: which dwords and bytes of the header layout make the tag, and their mask. */
#define PRM_DEFINER_FIELDS(F) \
	F(DEFINER, MODIFY_FIELD_SELECT, 0x00, 31, 64, IFC(match_definer, modify_field_select)) \
	F(DEFINER, FORMAT_ID,           0x10, 15, 16, IFC(match_definer, format_id)) \
	F(DEFINER, FORMAT_SELECT_DW3,   0x20, 31, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW2,   0x20, 23, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW1,   0x20, 15, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW0,   0x20, 7,  8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW7,   0x24, 31, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW6,   0x24, 23, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW5,   0x24, 15, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW4,   0x24, 7,  8,  RUN) \
	F(DEFINER, FORMAT_SELECT_DW8,   0x28, 7,  8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE3, 0x30, 31, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE2, 0x30, 23, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE1, 0x30, 15, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE0, 0x30, 7,  8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE7, 0x34, 31, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE6, 0x34, 23, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE5, 0x34, 15, 8,  RUN) \
	F(DEFINER, FORMAT_SELECT_BYTE4, 0x34, 7,  8,  RUN) \
	F(DEFINER, CTRL,                0x40, 31, 160, RUN) \
	F(DEFINER, MATCH_MASK,          0x54, 31, 352, RUN)
PRM_LAYOUT(DEFINER);

enum {
	PRM_DEFINER_BYTES = 0x80,
	PRM_DEFINER_FORMAT_SELECT = 61,
	PRM_DEFINER_DW_SELECTORS = 9,
	PRM_DEFINER_BYTE_SELECTORS = 8,
	PRM_DEFINER_MASK_BYTES = 44,
	PRM_DEFINER_ID_MAX = 255,		/* drivers keep a definer's number in one byte */
	PRM_TAG_BYTES = 32,			/* tag of an 8DW entry */
	PRM_TAG_JUMBO_BYTES = 44,		/* of an 11DW entry; an 8DW tag is its last 32 bytes */
};

/* Modify-header pattern: the control half of a list of actions. */
#define PRM_PATTERN_FIELDS(F) \
	F(PATTERN, MODIFY_FIELD_SELECT, 0x00, 31, 64, RUN) \
	F(PATTERN, PATTERN_LENGTH,      0x10, 31, 8,  RUN) \
	F(PATTERN, PATTERN_DATA,        0x20, 31, 0,  RUN)
PRM_LAYOUT(PATTERN);

enum {
	PRM_PATTERN_BYTES = 0x220,
	PRM_PATTERN_DATA_BYTES = 0x200,
	PRM_MODIFY_ACTION_BYTES = 8,
	PRM_PATTERN_MAX_ACTIONS = PRM_PATTERN_DATA_BYTES / PRM_MODIFY_ACTION_BYTES,
};

/* Argument: the data half. Its size is LOG_OBJ_RANGE of the header, in units of 64 bytes. */
#define PRM_ARG_FIELDS(F) \
	F(ARG, ACCESS_PD, 0x10, 23, 24, RUN)
PRM_LAYOUT(ARG);

enum {
	PRM_ARG_BODY_BYTES = 0x60,
	PRM_ARG_UNIT_BYTES = 64,
	PRM_ARG_MAX_UNITS = 8,			/* of one list or header */
};

/* ASO objects. The kernel header has the flow meter; hit and connection tracking share its head. */
#define PRM_ASO_OBJ_FIELDS(F) \
	F(ASO_OBJ, MODIFY_FIELD_SELECT, 0x00, 31, 64, IFC(flow_meter_aso_obj, modify_field_select)) \
	F(ASO_OBJ, ACCESS_PD,           0x10, 23, 24, IFC(flow_meter_aso_obj, meter_aso_access_pd)) \
	F(ASO_OBJ, DATA,                0x40, 31, 512, IFC(flow_meter_aso_obj, flow_meter_parameters))
PRM_LAYOUT(ASO_OBJ);

/* One of the two meters of a flow-meter element. */
#define PRM_FLOW_METER_FIELDS(F) \
	F(FLOW_METER, VALID,                 0x00, 31, 1,  IFC(flow_meter_parameters, valid)) \
	F(FLOW_METER, BUCKET_OVERFLOW,       0x00, 30, 1,  IFC(flow_meter_parameters, bucket_overflow)) \
	F(FLOW_METER, START_COLOR,           0x00, 29, 2,  IFC(flow_meter_parameters, start_color)) \
	F(FLOW_METER, BOTH_BUCKETS_ON_GREEN, 0x00, 27, 1,  IFC(flow_meter_parameters, both_buckets_on_green)) \
	F(FLOW_METER, METER_MODE,            0x00, 25, 2,  IFC(flow_meter_parameters, meter_mode)) \
	F(FLOW_METER, CBS_EXPONENT,          0x08, 28, 5,  IFC(flow_meter_parameters, cbs_exponent)) \
	F(FLOW_METER, CBS_MANTISSA,          0x08, 23, 8,  IFC(flow_meter_parameters, cbs_mantissa)) \
	F(FLOW_METER, CIR_EXPONENT,          0x08, 12, 5,  IFC(flow_meter_parameters, cir_exponent)) \
	F(FLOW_METER, CIR_MANTISSA,          0x08, 7,  8,  IFC(flow_meter_parameters, cir_mantissa)) \
	F(FLOW_METER, C_TOKENS,              0x0c, 31, 32, NONE) \
	F(FLOW_METER, EBS_EXPONENT,          0x10, 28, 5,  IFC(flow_meter_parameters, ebs_exponent)) \
	F(FLOW_METER, EBS_MANTISSA,          0x10, 23, 8,  IFC(flow_meter_parameters, ebs_mantissa)) \
	F(FLOW_METER, EIR_EXPONENT,          0x10, 12, 5,  IFC(flow_meter_parameters, eir_exponent)) \
	F(FLOW_METER, EIR_MANTISSA,          0x10, 7,  8,  IFC(flow_meter_parameters, eir_mantissa)) \
	F(FLOW_METER, E_TOKENS,              0x14, 31, 32, NONE) \
	F(FLOW_METER, TIMESTAMP,             0x18, 31, 64, NONE)
PRM_LAYOUT(FLOW_METER);

enum {
	PRM_ASO_OBJ_BYTES = 0x80,
	PRM_FLOW_METER_BYTES = 0x20,
	PRM_ASO_TYPE_IPSEC = 0,			/* STC_PARAM_ASO_ASO_TYPE; also the op_mod of an ASO WQE */
	PRM_ASO_TYPE_CT = 1,
	PRM_ASO_TYPE_POLICER = 2,
	PRM_ASO_TYPE_FLOW_HIT = 4,
};

/* Alias of another function's object, and the command by which that function allows it. */
#define PRM_ALIAS_FIELDS(F) \
	F(ALIAS, VHCA_ID,    0x00, 31, 16,  NONE) \
	F(ALIAS, STATUS,     0x00, 2,  3,   NONE) \
	F(ALIAS, OBJECT_ID,  0x04, 31, 32,  NONE) \
	F(ALIAS, ACCESS_KEY, 0x10, 31, 256, NONE) \
	F(ALIAS, METADATA,   0x30, 31, 128, NONE)
PRM_LAYOUT(ALIAS);

#define PRM_ALLOW_OTHER_VHCA_ACCESS_IN_FIELDS(F) \
	F(ALLOW_OTHER_VHCA_ACCESS_IN, OBJECT_TYPE, 0x10, 15, 16,  NONE) \
	F(ALLOW_OTHER_VHCA_ACCESS_IN, OBJECT_ID,   0x14, 31, 32,  NONE) \
	F(ALLOW_OTHER_VHCA_ACCESS_IN, ACCESS_KEY,  0x20, 31, 256, NONE)
PRM_LAYOUT(ALLOW_OTHER_VHCA_ACCESS_IN);

/* A steering WQE carried out by command. */
#define PRM_GENERATE_WQE_IN_FIELDS(F) \
	F(GENERATE_WQE_IN, PDN,            0x10, 23, 24,  NONE) \
	F(GENERATE_WQE_IN, WQE_CTRL,       0x40, 31, 128, NONE) \
	F(GENERATE_WQE_IN, WQE_GTA_CTRL,   0x50, 31, 384, NONE) \
	F(GENERATE_WQE_IN, WQE_GTA_DATA_0, 0x80, 31, 512, NONE) \
	F(GENERATE_WQE_IN, WQE_GTA_DATA_1, 0xc0, 31, 512, NONE)
PRM_LAYOUT(GENERATE_WQE_IN);

#define PRM_GENERATE_WQE_OUT_FIELDS(F) \
	F(GENERATE_WQE_OUT, CQE_DATA, 0x40, 31, 512, NONE)
PRM_LAYOUT(GENERATE_WQE_OUT);

enum {
	PRM_ALIAS_BYTES = 0x40,
	PRM_GENERATE_WQE_IN_BYTES = 0x100,
	PRM_GENERATE_WQE_OUT_BYTES = 0x80,
};

#endif
