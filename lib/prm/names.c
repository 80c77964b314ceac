/* SPDX-License-Identifier: BSD-3-Clause */

/* Words for numbers: opcodes, object types, status codes, STC actions, WQE opcodes, syndromes, modify-header fields. */

#include "prm/all.h"

struct name {
	unsigned int number;
	const char *text;
	unsigned int width;
};

#define NAME(text, number) { number, #text, 0 },
#define FIELD_NAME(text, number, width) { number, #text, width },
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct name opcodes[] = { PRM_OPCODES(NAME) };
static const struct name obj_types[] = { PRM_OBJ_TYPES(NAME) };
static const struct name stc_actions[] = { PRM_STC_ACTIONS(NAME) };
static const struct name modify_fields[] = { PRM_MODIFY_FIELDS(FIELD_NAME) };

static const struct name statuses[] = {
	{ PRM_STATUS_OK, "ok", 0 },
	{ PRM_STATUS_INT_ERR, "internal error", 0 },
	{ PRM_STATUS_BAD_OP, "bad operation", 0 },
	{ PRM_STATUS_BAD_PARAM, "bad parameter", 0 },
	{ PRM_STATUS_BAD_SYS_STATE, "bad system state", 0 },
	{ PRM_STATUS_BAD_RES, "bad resource", 0 },
	{ PRM_STATUS_RES_BUSY, "resource busy", 0 },
	{ PRM_STATUS_LIM, "limit exceeded", 0 },
	{ PRM_STATUS_BAD_RES_STATE, "bad resource state", 0 },
	{ PRM_STATUS_IX, "bad index", 0 },
	{ PRM_STATUS_NO_RES, "no resources", 0 },
	{ PRM_STATUS_BAD_QP_STATE, "bad queue pair state", 0 },
	{ PRM_STATUS_BAD_PKT, "bad packet", 0 },
	{ PRM_STATUS_BAD_SIZE_OUTS_CQES, "bad size with outstanding completions", 0 },
	{ PRM_STATUS_BAD_INP_LEN, "bad input length", 0 },
	{ PRM_STATUS_BAD_OUTP_LEN, "bad output length", 0 },
};

static const struct name wqe_opcodes[] = {
	{ PRM_WQE_OP_NOP, "NOP", 0 },
	{ PRM_WQE_OP_SEND, "SEND", 0 },
	{ PRM_WQE_OP_SEND_IMM, "SEND_IMM", 0 },
	{ PRM_WQE_OP_TSO, "TSO", 0 },
	{ PRM_WQE_OP_WAIT, "WAIT", 0 },
	{ PRM_WQE_OP_SEND_EN, "SEND_EN", 0 },
	{ PRM_WQE_OP_DUMP, "DUMP", 0 },
	{ PRM_WQE_OP_UMR, "UMR", 0 },
	{ PRM_WQE_OP_EMPW, "EMPW", 0 },
	{ PRM_WQE_OP_FLOW_TBL_ACCESS, "FLOW_TBL_ACCESS", 0 },
	{ PRM_WQE_OP_ACCESS_ASO, "ACCESS_ASO", 0 },
	{ PRM_WQE_OP_MMO, "MMO", 0 },
};

static const struct name syndromes[] = {
	{ PRM_CQE_SYND_LOCAL_LENGTH, "local length error", 0 },
	{ PRM_CQE_SYND_LOCAL_QP_OP, "local queue operation error", 0 },
	{ PRM_CQE_SYND_LOCAL_PROT, "local protection error", 0 },
	{ PRM_CQE_SYND_WR_FLUSH, "work request flushed", 0 },
	{ PRM_CQE_SYND_MW_BIND, "memory window bind error", 0 },
	{ PRM_CQE_SYND_BAD_RESP, "bad response", 0 },
	{ PRM_CQE_SYND_LOCAL_ACCESS, "local access error", 0 },
	{ PRM_CQE_SYND_REMOTE_INVAL_REQ, "remote invalid request", 0 },
	{ PRM_CQE_SYND_REMOTE_ACCESS, "remote access error", 0 },
	{ PRM_CQE_SYND_REMOTE_OP, "remote operation error", 0 },
	{ PRM_CQE_SYND_TRANSPORT_RETRY, "transport retries exceeded", 0 },
	{ PRM_CQE_SYND_RNR_RETRY, "receiver-not-ready retries exceeded", 0 },
	{ PRM_CQE_SYND_REMOTE_ABORTED, "aborted", 0 },
};

static const struct name *
find(const struct name *names, size_t count, unsigned int number)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].number == number)
			return &names[i];
	return NULL;
}

static const char *
text(const struct name *found)
{
	return found != NULL ? found->text : NULL;
}

const char *
prm_opcode_name(uint16_t opcode)
{
	return text(find(opcodes, COUNT(opcodes), opcode));
}

const char *
prm_obj_type_name(uint16_t obj_type)
{
	return text(find(obj_types, COUNT(obj_types), obj_type));
}

const char *
prm_status_text(uint8_t status)
{
	return text(find(statuses, COUNT(statuses), status));
}

const char *
prm_stc_action_name(uint8_t action_type)
{
	return text(find(stc_actions, COUNT(stc_actions), action_type));
}

const char *
prm_wqe_opcode_name(uint8_t opcode)
{
	return text(find(wqe_opcodes, COUNT(wqe_opcodes), opcode));
}

const char *
prm_cqe_syndrome_text(uint8_t syndrome)
{
	return text(find(syndromes, COUNT(syndromes), syndrome));
}

const char *
prm_modify_field_name(uint16_t field)
{
	return text(find(modify_fields, COUNT(modify_fields), field));
}

unsigned int
prm_modify_field_width(uint16_t field)
{
	const struct name *found = find(modify_fields, COUNT(modify_fields), field);

	return found != NULL ? found->width : 0;
}
