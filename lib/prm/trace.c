/* SPDX-License-Identifier: BSD-3-Clause */

#include "prm/trace.h"

#include <stdbool.h>

#include "prm/all.h"

#define L(layout) &prm_layout_##layout
#define ID_IN { 0, L(ID_IN) }
#define ID_OUT { 0, L(ID_OUT) }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct prm_command commands[] = {
	{ PRM_CMD_OP_QUERY_HCA_CAP, 0, { { 0, L(QUERY_HCA_CAP_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_SPECIAL_CONTEXTS, 0, { { 0 } }, { { 0, L(QUERY_SPECIAL_CONTEXTS_OUT) } } },

	{ PRM_CMD_OP_CREATE_MKEY, 0, { { 0, L(CREATE_MKEY_IN) }, { 0x10, L(MKC) } }, { ID_OUT } },
	{ PRM_CMD_OP_DESTROY_MKEY, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_UMEM, 0, { { 0x10, L(UMEM) } }, { ID_OUT } },
	{ PRM_CMD_OP_DESTROY_UMEM, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_ALLOC_PD, 0, { { 0 } }, { ID_OUT } },
	{ PRM_CMD_OP_DEALLOC_PD, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_ALLOC_UAR, 0, { { 0 } }, { ID_OUT } },
	{ PRM_CMD_OP_DEALLOC_UAR, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, 0, { { 0 } }, { ID_OUT } },
	{ PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, 0, { ID_IN }, { { 0 } } },

	{ PRM_CMD_OP_CREATE_CQ, 0, { { 0, L(CREATE_CQ_IN) }, { 0x10, L(CQC) } }, { ID_OUT } },
	{ PRM_CMD_OP_DESTROY_CQ, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_CQ, 0, { ID_IN }, { { 0x10, L(CQC) } } },
	{ PRM_CMD_OP_MODIFY_CQ, 0, { { 0, L(MODIFY_CQ_IN) }, { 0x10, L(CQC) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_SQ, 0, { { 0x20, L(SQC) }, { 0x50, L(WQ) } }, { ID_OUT } },
	{ PRM_CMD_OP_MODIFY_SQ, 0, { { 0, L(MODIFY_SQ_IN) }, { 0x20, L(SQC) } }, { { 0 } } },
	{ PRM_CMD_OP_DESTROY_SQ, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_SQ, 0, { ID_IN }, { { 0x20, L(SQC) }, { 0x50, L(WQ) } } },
	{ PRM_CMD_OP_CREATE_RQ, 0, { { 0x20, L(RQC) }, { 0x50, L(WQ) } }, { ID_OUT } },
	{ PRM_CMD_OP_MODIFY_RQ, 0, { { 0, L(MODIFY_RQ_IN) }, { 0x20, L(RQC) }, { 0x50, L(WQ) } }, { { 0 } } },
	{ PRM_CMD_OP_DESTROY_RQ, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_RQ, 0, { ID_IN }, { { 0x20, L(RQC) }, { 0x50, L(WQ) } } },
	{ PRM_CMD_OP_CREATE_RMP, 0, { { 0x20, L(RMPC) }, { 0x50, L(WQ) } }, { ID_OUT } },
	{ PRM_CMD_OP_DESTROY_RMP, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_RQT, 0, { { 0x20, L(RQTC) } }, { ID_OUT } },
	{ PRM_CMD_OP_MODIFY_RQT, 0, { { 0, L(MODIFY_RQT_IN) }, { 0x20, L(RQTC) } }, { { 0 } } },
	{ PRM_CMD_OP_DESTROY_RQT, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_TIR, 0, { { 0x20, L(TIRC) } }, { ID_OUT } },
	{ PRM_CMD_OP_MODIFY_TIR, 0, { { 0, L(MODIFY_TIR_IN) }, { 0x20, L(TIRC) } }, { { 0 } } },
	{ PRM_CMD_OP_DESTROY_TIR, 0, { ID_IN }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_TIR, 0, { ID_IN }, { { 0x20, L(TIRC) } } },
	{ PRM_CMD_OP_CREATE_TIS, 0, { { 0x20, L(TISC) } }, { ID_OUT } },
	{ PRM_CMD_OP_MODIFY_TIS, 0, { ID_IN, { 0x20, L(TISC) } }, { { 0 } } },
	{ PRM_CMD_OP_DESTROY_TIS, 0, { ID_IN }, { { 0 } } },

	{ PRM_CMD_OP_ALLOC_Q_COUNTER, 0, { { 0 } }, { { 0, L(ALLOC_Q_COUNTER_OUT) } } },
	{ PRM_CMD_OP_DEALLOC_Q_COUNTER, 0, { { 0, L(DEALLOC_Q_COUNTER_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_Q_COUNTER, 0, { { 0, L(QUERY_Q_COUNTER_IN) } }, { { 0, L(QUERY_Q_COUNTER_OUT) } } },
	{ PRM_CMD_OP_QUERY_VPORT_STATE, 0, { { 0, L(VPORT_IN) } }, { { 0, L(QUERY_VPORT_STATE_OUT) } } },
	{ PRM_CMD_OP_QUERY_NIC_VPORT_CONTEXT, 0, { { 0, L(VPORT_IN) }, { 0, L(QUERY_NIC_VPORT_CONTEXT_IN) } },
	  { { 0x10, L(NIC_VPORT_CONTEXT) } } },
	{ PRM_CMD_OP_MODIFY_NIC_VPORT_CONTEXT, 0, { { 0, L(VPORT_IN) }, { 0x100, L(NIC_VPORT_CONTEXT) } }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_ESW_VPORT_CONTEXT, 0, { { 0, L(VPORT_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_VPORT_COUNTER, 0, { { 0, L(VPORT_IN) }, { 0, L(QUERY_VPORT_COUNTER_IN) } },
	  { { 0, L(QUERY_VPORT_COUNTER_OUT) } } },
	{ PRM_CMD_OP_QUERY_VNIC_ENV, 0, { { 0, L(VPORT_IN) } }, { { 0x10, L(VNIC_ENV) } } },
	{ PRM_CMD_OP_ACCESS_REG, 0, { { 0, L(ACCESS_REG_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_ACCESS_REGISTER_USER, 0, { { 0, L(ACCESS_REG_IN) } }, { { 0 } } },

	{ PRM_CMD_OP_SET_FLOW_TABLE_ROOT, 0, { { 0, L(SET_FLOW_TABLE_ROOT_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_FLOW_TABLE, 0, { { 0, L(CREATE_FLOW_TABLE_IN) }, { 0x18, L(FLOW_TABLE_CONTEXT) } },
	  { { 0, L(CREATE_FLOW_TABLE_OUT) } } },
	{ PRM_CMD_OP_MODIFY_FLOW_TABLE, 0, { { 0, L(MODIFY_FLOW_TABLE_IN) }, { 0x18, L(FLOW_TABLE_CONTEXT) } },
	  { { 0 } } },
	{ PRM_CMD_OP_DESTROY_FLOW_TABLE, 0, { { 0, L(FLOW_TABLE_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_FLOW_TABLE, 0, { { 0, L(FLOW_TABLE_IN) } }, { { 0x18, L(FLOW_TABLE_CONTEXT) } } },
	{ PRM_CMD_OP_CREATE_FLOW_GROUP, 0, { { 0, L(CREATE_FLOW_GROUP_IN) }, { 0x40, L(FTE_MATCH) } },
	  { { 0, L(CREATE_FLOW_GROUP_OUT) } } },
	{ PRM_CMD_OP_DESTROY_FLOW_GROUP, 0, { { 0, L(DESTROY_FLOW_GROUP_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_SET_FLOW_TABLE_ENTRY, 0,
	  { { 0, L(SET_FTE_IN) }, { 0x40, L(FLOW_CONTEXT) }, { 0x80, L(FTE_MATCH) }, { 0x340, L(DEST_FORMAT) } },
	  { { 0 } } },
	{ PRM_CMD_OP_DELETE_FLOW_TABLE_ENTRY, 0, { { 0, L(DELETE_FTE_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_ALLOC_FLOW_COUNTER, 0, { { 0, L(ALLOC_FLOW_COUNTER_IN) } }, { { 0, L(ALLOC_FLOW_COUNTER_OUT) } } },
	{ PRM_CMD_OP_DEALLOC_FLOW_COUNTER, 0, { { 0, L(DEALLOC_FLOW_COUNTER_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_QUERY_FLOW_COUNTER, 0, { { 0, L(QUERY_FLOW_COUNTER_IN) } }, { { 0x10, L(TRAFFIC_COUNTER) } } },
	{ PRM_CMD_OP_ALLOC_PACKET_REFORMAT_CONTEXT, 0, { { 0x1c, L(PACKET_REFORMAT_CONTEXT) } },
	  { { 0, L(ALLOC_PACKET_REFORMAT_OUT) } } },
	{ PRM_CMD_OP_DEALLOC_PACKET_REFORMAT_CONTEXT, 0, { { 0, L(DEALLOC_PACKET_REFORMAT_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT, 0, { { 0, L(ALLOC_MODIFY_HEADER_IN) } },
	  { { 0, L(ALLOC_MODIFY_HEADER_OUT) } } },
	{ PRM_CMD_OP_ALLOW_OTHER_VHCA_ACCESS, 0, { { 0, L(ALLOW_OTHER_VHCA_ACCESS_IN) } }, { { 0 } } },
	{ PRM_CMD_OP_GENERATE_WQE, 0,
	  { { 0, L(GENERATE_WQE_IN) }, { 0x40, L(WQE_CTRL) }, { 0x50, L(WQE_GTA_CTRL) }, { 0x80, L(WQE_STE) } },
	  { { 0x40, L(CQE) } } },

	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_RTC, { { 0x10, L(RTC) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_STC, { { 0x10, L(STC) } }, { { 0 } } },
	{ PRM_CMD_OP_MODIFY_GENERAL_OBJECT, PRM_OBJ_TYPE_STC, { { 0x10, L(STC) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_STE, { { 0x10, L(STE_OBJ) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_DEFINER, { { 0x10, L(DEFINER) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_MODIFY_HEADER_PATTERN, { { 0x10, L(PATTERN) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_ARG, { { 0x10, L(ARG) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_FLOW_METER_ASO, { { 0x10, L(ASO_OBJ) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_FLOW_HIT_ASO, { { 0x10, L(ASO_OBJ) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_CONN_TRACK_OFFLOAD, { { 0x10, L(ASO_OBJ) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_FT_ALIAS, { { 0x10, L(ALIAS) } }, { { 0 } } },
	{ PRM_CMD_OP_CREATE_GENERAL_OBJECT, PRM_OBJ_TYPE_TIR_ALIAS, { { 0x10, L(ALIAS) } }, { { 0 } } },
};

/* The parameter of an STC by its action; actions without one are absent. */
static const struct {
	uint8_t action_type;
	const struct prm_layout *param;
} stc_params[] = {
	{ PRM_STC_ACTION_COPY, L(COPY_ACTION) },
	{ PRM_STC_ACTION_SET, L(SET_ACTION) },
	{ PRM_STC_ACTION_ADD, L(SET_ACTION) },
	{ PRM_STC_ACTION_ADD_FIELD, L(COPY_ACTION) },
	{ PRM_STC_ACTION_REMOVE_WORDS, L(REMOVE_WORDS) },
	{ PRM_STC_ACTION_HEADER_REMOVE, L(REMOVE_HEADER) },
	{ PRM_STC_ACTION_HEADER_INSERT, L(INSERT_HEADER) },
	{ PRM_STC_ACTION_ACC_MODIFY_LIST, L(STC_PARAM_MODIFY_LIST) },
	{ PRM_STC_ACTION_ASO, L(STC_PARAM_ASO) },
	{ PRM_STC_ACTION_COUNTER, L(STC_PARAM_COUNTER) },
	{ PRM_STC_ACTION_JUMP_TO_STE_TABLE, L(STC_PARAM_STE_TABLE) },
	{ PRM_STC_ACTION_JUMP_TO_TIR, L(STC_PARAM_TIR) },
	{ PRM_STC_ACTION_JUMP_TO_FT, L(STC_PARAM_TABLE) },
	{ PRM_STC_ACTION_JUMP_TO_FT_FDB_RX, L(STC_PARAM_TABLE) },
	{ PRM_STC_ACTION_JUMP_TO_VPORT, L(STC_PARAM_VPORT) },
	{ PRM_STC_ACTION_JUMP_TO_UPLINK, L(STC_PARAM_VPORT) },
};

/* The page of a capability group. */
static const struct {
	uint16_t group;
	struct prm_part part; /* of the page */
} cap_pages[] = {
	{ PRM_CAP_GROUP_GENERAL, { 0, L(CAP) } }, { PRM_CAP_GROUP_GENERAL_2, { 0, L(CAP2) } },
	{ PRM_CAP_GROUP_ETH, { 0, L(CAP_ETH) } }, { PRM_CAP_GROUP_WQE_FT, { 0, L(CAP_WQE_FT) } },
	{ PRM_CAP_GROUP_ROCE, { 0, L(CAP_ROCE) } }, { PRM_CAP_GROUP_QOS, { 0, L(CAP_QOS) } },
	{ PRM_CAP_GROUP_ESW, { 0, L(CAP_ESW) } }, { PRM_CAP_GROUP_ESW_FT, { 0, L(CAP_ESW_FT) } },
	{ PRM_CAP_GROUP_NIC_FT, { 0, L(CAP_NIC_FT) } },
	/* tables of receive and transmit; what may be modified in them */
	{ PRM_CAP_GROUP_NIC_FT, { 0x40, L(FT_PROP) } }, { PRM_CAP_GROUP_NIC_FT, { 0x100, L(FT_PROP) } },
	{ PRM_CAP_GROUP_NIC_FT, { 0x200, L(HEADER_MODIFY_CAP) } },
	{ PRM_CAP_GROUP_NIC_FT, { 0x380, L(HEADER_MODIFY_CAP) } },
};

/* The words of a modify-header list. */
static const struct {
	uint8_t action_type;
	const char *name;
	const struct prm_layout *layout;
} modify_words[] = {
	{ PRM_MODIFY_SET, "set", L(SET_ACTION) },
	{ PRM_MODIFY_ADD, "add", L(SET_ACTION) },
	{ PRM_MODIFY_COPY, "copy", L(COPY_ACTION) },
	{ PRM_MODIFY_INSERT, "insert", L(INSERT_HEADER) },
	{ PRM_MODIFY_REMOVE, "remove", L(REMOVE_HEADER) },
	{ PRM_MODIFY_NOP, "nop", NULL },
	{ PRM_MODIFY_REMOVE_WORDS, "remove words", L(REMOVE_WORDS) },
	{ PRM_MODIFY_ADD_FIELD, "add field", L(COPY_ACTION) },
};

static bool
is_general(uint16_t opcode)
{
	return opcode >= PRM_CMD_OP_CREATE_GENERAL_OBJECT && opcode <= PRM_CMD_OP_DESTROY_GENERAL_OBJECT;
}

/* One step further in than an indent of a trace. */
static const char *
deeper(const char *indent)
{
	static const char spaces[] = "                ";
	size_t len = strlen(indent) + 4;

	return len < sizeof(spaces) ? spaces + sizeof(spaces) - 1 - len : indent;
}

const struct prm_command *
prm_command_find(uint16_t opcode, uint16_t obj_type)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (commands[i].opcode == opcode && (!is_general(opcode) || commands[i].obj_type == obj_type))
			return &commands[i];
	return NULL;
}

/* Is a field of width 32 or less inside len? */
static bool
holds(size_t len, int field)
{
	return prm_offset(field) + 4 <= len;
}

static void
print_parts(FILE *to, const struct prm_part *parts, const uint8_t *bytes, size_t len, const char *indent)
{
	for (size_t i = 0; i < PRM_PARTS_MAX && parts[i].layout != NULL; i++)
		if (parts[i].at < len)
			prm_print_within(to, parts[i].layout, bytes + parts[i].at, len - parts[i].at, indent);
}

static void
print_modify_list(FILE *to, const uint8_t *words, size_t count, const char *indent)
{
	for (size_t i = 0; i < count; i++, words += PRM_MODIFY_ACTION_BYTES) {
		uint8_t type = prm_get(words, PRM_SET_ACTION_ACTION_TYPE);

		fprintf(to, "%s[%zu]", indent, i);
		for (size_t k = 0; k < COUNT(modify_words); k++) {
			if (modify_words[k].action_type != type)
				continue;
			fprintf(to, " %s\n", modify_words[k].name);
			if (modify_words[k].layout != NULL)
				prm_print(to, modify_words[k].layout, words, deeper(indent));
			break;
		}
		if (type == 0 || type > PRM_MODIFY_ADD_FIELD)
			fprintf(to, " unknown action type %u\n", type);
	}
}

/* What follows from a value inside: an STC's parameter, the words of a pattern or modify-header context. */
static void
print_variable(FILE *to, uint16_t opcode, uint16_t obj_type, const uint8_t *in, size_t len, const char *indent)
{
	const uint8_t *body = in + PRM_OBJ_BODY;
	const uint8_t *words = NULL;
	size_t count = 0;

	if (opcode == PRM_CMD_OP_MODIFY_GENERAL_OBJECT && obj_type == PRM_OBJ_TYPE_STC && len >= PRM_OBJ_BODY + 0x30) {
		uint8_t type = prm_get(body, PRM_STC_ACTION_TYPE);
		const char *name = prm_stc_action_name(type);

		fprintf(to, "%sstc action %s\n", indent, name != NULL ? name : "unknown");
		for (size_t i = 0; i < COUNT(stc_params); i++)
			if (stc_params[i].action_type == type)
				prm_print(to, stc_params[i].param, prm_area_const(body, PRM_STC_STC_PARAM), deeper(indent));
	}
	if (opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT && obj_type == PRM_OBJ_TYPE_MODIFY_HEADER_PATTERN &&
			len >= PRM_OBJ_BODY + 0x20) {
		words = prm_area_const(body, PRM_PATTERN_PATTERN_DATA);
		count = prm_get(body, PRM_PATTERN_PATTERN_LENGTH);
	} else if (opcode == PRM_CMD_OP_ALLOC_MODIFY_HEADER_CONTEXT && len >= PRM_CMD_HDR_BYTES) {
		words = prm_area_const(in, PRM_ALLOC_MODIFY_HEADER_IN_ACTIONS);
		count = prm_get(in, PRM_ALLOC_MODIFY_HEADER_IN_NUM_OF_ACTIONS);
	}
	if (words != NULL) {
		size_t room = (size_t)(in + len - words) / PRM_MODIFY_ACTION_BYTES;

		print_modify_list(to, words, count < room ? count : room, indent);
	}
}

static void
print_capabilities(FILE *to, uint16_t op_mod, const uint8_t *out, size_t len, const char *indent)
{
	size_t page = prm_offset(PRM_QUERY_HCA_CAP_OUT_CAPABILITY), at;

	for (size_t i = 0; i < COUNT(cap_pages); i++) {
		at = page + cap_pages[i].part.at;
		if (cap_pages[i].group != op_mod >> 1 || at >= len)
			continue;
		if (cap_pages[i].part.at != 0)
			fprintf(to, "%sat 0x%x\n", indent, cap_pages[i].part.at);
		prm_print_within(to, cap_pages[i].part.layout, out + at, len - at,
			cap_pages[i].part.at != 0 ? deeper(indent) : indent);
	}
}

/* What the heads of a general object's input and answer hold beside opcode, type and status. */
static void
print_general(FILE *to, const uint8_t *bytes, size_t len, bool answer, uint16_t opcode, const char *indent)
{
	if (holds(len, PRM_GENERAL_OBJ_IN_OBJ_ID) && prm_get(bytes, PRM_GENERAL_OBJ_IN_OBJ_ID) != 0)
		fprintf(to, "%sobj_id = 0x%x\n", indent, prm_get(bytes, PRM_GENERAL_OBJ_IN_OBJ_ID));
	if (answer)
		return;
	prm_print_within(to, opcode == PRM_CMD_OP_CREATE_GENERAL_OBJECT ? L(GENERAL_OBJ_CREATE) : L(GENERAL_OBJ_MODIFY),
		bytes, len, indent);
}

bool
prm_print_command(FILE *to, const void *bytes, size_t len, bool answer, uint16_t opcode, uint16_t obj_type,
	const char *indent)
{
	const struct prm_command *command = prm_command_find(opcode, obj_type);

	if (is_general(opcode))
		print_general(to, bytes, len, answer, opcode, indent);
	if (command != NULL)
		print_parts(to, answer ? command->out : command->in, bytes, len, indent);
	if (answer && opcode == PRM_CMD_OP_QUERY_HCA_CAP)
		print_capabilities(to, obj_type, bytes, len, indent);
	if (!answer)
		print_variable(to, opcode, obj_type, bytes, len, indent);
	return command != NULL;
}

static void
print_status(FILE *to, const uint8_t *out)
{
	uint8_t status = prm_get(out, PRM_CMD_OUT_STATUS);
	const char *text = prm_status_text(status);

	fprintf(to, "  -> status 0x%x (%s)", status, text != NULL ? text : "unknown");
	if (status != PRM_STATUS_OK)
		fprintf(to, ", syndrome 0x%x", prm_get(out, PRM_CMD_OUT_SYNDROME));
	fputc('\n', to);
}

void
prm_trace_command(FILE *to, const void *in, size_t in_len, const void *out, size_t out_len)
{
	uint16_t opcode, op_mod;
	const char *name;

	if (!holds(in_len, PRM_CMD_IN_OP_MOD)) {
		fprintf(to, "command of %zu bytes, shorter than its head\n", in_len);
		return;
	}
	opcode = prm_get(in, PRM_CMD_IN_OPCODE);
	op_mod = prm_get(in, PRM_CMD_IN_OP_MOD);
	name = prm_opcode_name(opcode);
	fprintf(to, "%s (0x%x)", name != NULL ? name : "unknown command", opcode);
	if (is_general(opcode)) {
		name = prm_obj_type_name(op_mod);
		fprintf(to, " %s (0x%x)", name != NULL ? name : "unknown object", op_mod);
	} else if (op_mod != 0) {
		fprintf(to, " op_mod 0x%x", op_mod);
	}
	fprintf(to, " uid %u, %zu bytes in, %zu out\n", prm_get(in, PRM_CMD_IN_UID), in_len, out_len);
	prm_print_command(to, in, in_len, false, opcode, op_mod, "    ");
	if (out == NULL || !holds(out_len, PRM_CMD_OUT_SYNDROME))
		return;
	print_status(to, out);
	if (prm_get(out, PRM_CMD_OUT_STATUS) == PRM_STATUS_OK)
		prm_print_command(to, out, out_len, true, opcode, op_mod, "    ");
}
