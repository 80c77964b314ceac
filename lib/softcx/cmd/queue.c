/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The commands of queues and receive contexts: their table, and what they share.
 */
#include "softcx/cmd/queue.h"

#include <errno.h>

#include "prm/queue.h"
#include "softcx/cmd/named.h"
#include "softcx/core/device.h"
#include "softcx/core/dma.h"
#include "softcx/core/settings.h"
#include "softcx/nic/nic.h"

#define ROW(op, run, in, out) { PRM_CMD_OP_##op, 0, #op, (in), (out), (run) }
#define ID_BYTES 0x10 /* a command that carries only a number */

const struct sc_command sc_commands_queue[] = {
	ROW(CREATE_CQ, sc_cmd_create_cq, PRM_CREATE_CQ_IN_BYTES, ID_BYTES),
	ROW(MODIFY_CQ, sc_cmd_modify_cq, 0x50, ID_BYTES),
	ROW(QUERY_CQ, sc_cmd_query_cq, ID_BYTES, 0x50),
	ROW(DESTROY_CQ, sc_cmd_destroy_cq, ID_BYTES, ID_BYTES),
	ROW(CREATE_SQ, sc_cmd_create_sq, PRM_CREATE_SQ_IN_BYTES, ID_BYTES),
	ROW(MODIFY_SQ, sc_cmd_modify_sq, PRM_MODIFY_SQ_IN_BYTES, ID_BYTES),
	ROW(QUERY_SQ, sc_cmd_query_sq, ID_BYTES, PRM_QUERY_SQ_OUT_BYTES),
	ROW(DESTROY_SQ, sc_cmd_destroy_sq, ID_BYTES, ID_BYTES),
	ROW(CREATE_RQ, sc_cmd_create_rq, PRM_CREATE_RQ_IN_BYTES, ID_BYTES),
	ROW(MODIFY_RQ, sc_cmd_modify_rq, PRM_MODIFY_RQ_IN_BYTES, ID_BYTES),
	ROW(QUERY_RQ, sc_cmd_query_rq, ID_BYTES, PRM_QUERY_RQ_OUT_BYTES),
	ROW(DESTROY_RQ, sc_cmd_destroy_rq, ID_BYTES, ID_BYTES),
	ROW(CREATE_RQT, sc_cmd_create_rqt, PRM_CREATE_RQT_IN_BYTES, ID_BYTES),
	ROW(MODIFY_RQT, sc_cmd_modify_rqt, PRM_MODIFY_RQT_IN_BYTES, ID_BYTES),
	ROW(QUERY_RQT, sc_cmd_query_rqt, ID_BYTES, PRM_CREATE_RQT_IN_BYTES),
	ROW(DESTROY_RQT, sc_cmd_destroy_rqt, ID_BYTES, ID_BYTES),
	ROW(CREATE_TIR, sc_cmd_create_tir, PRM_CREATE_TIR_IN_BYTES, ID_BYTES),
	ROW(MODIFY_TIR, sc_cmd_modify_tir, PRM_MODIFY_TIR_IN_BYTES, ID_BYTES),
	ROW(QUERY_TIR, sc_cmd_query_tir, ID_BYTES, PRM_QUERY_TIR_OUT_BYTES),
	ROW(DESTROY_TIR, sc_cmd_destroy_tir, ID_BYTES, ID_BYTES),
	{ 0 },
};

void *
sc_queue_find(struct sc_call *call, enum sc_type type, uint32_t id, const char *what)
{
	/*
	 * A UAR is found whoever has it: the kernel hands out page numbers, and a wrong one hurts only
	 * who names it.
	 */
	void *obj = type == SC_UAR ? sc_object_find(call->dev, type, id) : sc_call_find(call, type, id);

	if (obj == NULL)
		sc_refuse(call, PRM_STATUS_BAD_RES, "%s: there is no %s %#x", what, sc_type_name(type), id);
	return obj;
}

int
sc_queue_mem(struct sc_call *call, struct sc_queue_mem *mem)
{
	if (!mem->valid)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s: the umem valid bit is 0; page lists are not supported", mem->what);
	mem->umem = sc_queue_find(call, SC_UMEM, mem->umem_id, mem->what);
	if (mem->umem == NULL)
		return -EINVAL;
	if (mem->written && !(mem->umem->access & SC_ACCESS_LOCAL_WRITE))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s: umem %#x was registered without local write", mem->what, mem->umem_id);
	mem->at = sc_umem_at(call->dev, mem->umem_id, mem->offset, mem->len);
	if (mem->at == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s: %llu bytes at offset %#llx are not inside umem %#x of %llu", mem->what,
			(unsigned long long)mem->len, (unsigned long long)mem->offset, mem->umem_id,
			(unsigned long long)mem->umem->len);
	if ((uintptr_t)mem->at % mem->align != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s: offset %#llx of umem %#x is not a multiple of %u bytes", mem->what,
			(unsigned long long)mem->offset, mem->umem_id, mem->align);
	return 0;
}

int
sc_queue_zeros(struct sc_call *call, const void *context, const struct sc_queue_zero *zeros)
{
	for (; zeros->name != NULL; zeros++) {
		uint32_t value = prm_get(context, zeros->field);

		if (value != 0)
			return sc_refuse(
				call, PRM_STATUS_BAD_PARAM, "%s %u: %s", zeros->name, value, zeros->why);
	}
	return 0;
}

static const char *
state_name(uint32_t state)
{
	static const char *const names[] = {
		[PRM_QUEUE_STATE_RST] = "RST",
		[PRM_QUEUE_STATE_RDY] = "RDY",
		[PRM_QUEUE_STATE_ERR] = "ERR",
	};

	return state <= PRM_QUEUE_STATE_ERR && names[state] != NULL ? names[state] : "?";
}

int
sc_queue_transition(
	struct sc_call *call, const char *what, uint32_t id, uint8_t state, uint32_t named, uint32_t next)
{
	/* RDY to RDY changes fields of a live queue. */
	static const bool allowed[4][4] = {
		[PRM_QUEUE_STATE_RST] = { [PRM_QUEUE_STATE_RST] = true, [PRM_QUEUE_STATE_RDY] = true },
		[PRM_QUEUE_STATE_RDY] = { true, [PRM_QUEUE_STATE_RDY] = true,
			[PRM_QUEUE_STATE_ERR] = true },
		[PRM_QUEUE_STATE_ERR] = { true, [PRM_QUEUE_STATE_ERR] = true },
	};

	if (named != state)
		return sc_refuse(call, PRM_STATUS_BAD_RES_STATE, "%s %#x is in state %s, not %s (%u)", what,
			id, state_name(state), state_name(named), named);
	if (next > PRM_QUEUE_STATE_ERR || !allowed[state][next])
		return sc_refuse(call, PRM_STATUS_BAD_RES_STATE, "%s %#x cannot go from %s to %s (%u)",
			what, id, state_name(state), state_name(next), next);
	return 0;
}

int
sc_queue_ts_format(struct sc_call *call, const char *what, uint32_t format)
{
	bool real_time = call->dev->settings->ts_format != 0;

	if (format == PRM_TS_FORMAT_DEFAULT ||
		format == (real_time ? PRM_TS_FORMAT_REAL_TIME : PRM_TS_FORMAT_FREE_RUNNING))
		return 0;
	return sc_refuse(call, PRM_STATUS_BAD_PARAM, "%s ts_format %u: the port's clock is %s", what,
		format, real_time ? "real time (2) only" : "free running (0) only");
}

uint32_t
sc_queue_log_max_wq(const struct sc_device *dev)
{
	uint32_t log = dev->settings->log_max_wq_sz;

	return log < SC_WQ_LOG_MAX ? log : SC_WQ_LOG_MAX;
}

uint32_t
sc_queue_log_max_cq(const struct sc_device *dev)
{
	uint32_t log = dev->settings->log_max_cq_sz;

	return log < SC_CQ_LOG_MAX ? log : SC_CQ_LOG_MAX;
}

int
sc_queue_destroy(struct sc_call *call, enum sc_type type, const char *what, void (*release)(void *))
{
	struct sc_object *obj = sc_queue_find(call, type, prm_get(call->in, PRM_ID_IN_ID), what);

	if (obj == NULL)
		return -EINVAL;
	if (obj->refs != 0)
		return sc_refuse(call, PRM_STATUS_RES_BUSY, "%s %#x is in use: %u references",
			sc_type_name(type),
			obj->id, obj->refs);
	release(obj);
	return 0;
}
