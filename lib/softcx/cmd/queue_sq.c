/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/queue.h"
#include "softcx/cmd/queue.h"
#include "softcx/cmd/queue_wq.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/dma.h"
#include "softcx/nic/internal.h"

static const struct sc_queue_zero not_offered[] = {
	{ "rlky", PRM_SQC_RLKY, "the reserved lkey is not offered" },
	{ "cd_master", PRM_SQC_CD_MASTER, "cross-channel queues are not offered" },
	{ "fre", PRM_SQC_FRE, "fast registration is not offered" },
	{ "reg_umr", PRM_SQC_REG_UMR, "UMR is not offered" },
	{ "hairpin", PRM_SQC_HAIRPIN, "hairpin queues are not offered" },
	{ "static_sq_wq", PRM_SQC_STATIC_SQ_WQ, "static queues are not offered" },
	{ "packet_pacing_rate_limit_index", PRM_SQC_PACKET_PACING_RATE_LIMIT_INDEX,
		"packet pacing is not offered" },
	{ "state", PRM_SQC_STATE, "a queue is created in RST" },
	{ NULL, 0, NULL },
};

/* The TIS, where the context names one: queues of steering and ASO have none. */
static int
take_tis(struct sc_call *call, const uint8_t *sqc, struct sc_sq *sq)
{
	uint32_t nb = prm_get(sqc, PRM_SQC_TIS_LST_SZ);

	if (nb == 0)
		return 0;
	if (nb != 1)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "tis_lst_sz %u is not 0 or 1", nb);
	sq->tis = sc_queue_find(call, SC_TIS, prm_get(sqc, PRM_SQC_TIS_NUM_0), "SQ tis_num_0");
	if (sq->tis == NULL)
		return -EINVAL;
	sq->td = sq->tis->td;
	return 0;
}

static int
take_context(struct sc_call *call, struct sc_sq *sq)
{
	const uint8_t *sqc = prm_area_const(call->in, PRM_CREATE_SQ_IN_CTX);
	struct sc_queue_wq wq = {
		.what = "SQ", .types = 1 << PRM_WQ_TYPE_CYCLIC, .log_stride_min = PRM_WQ_LOG_WQEBB,
			.log_stride_max = PRM_WQ_LOG_WQEBB
	};
	int ret;

	ret = sc_queue_zeros(call, sqc, not_offered);
	if (ret == 0)
		ret = sc_queue_wq(call, prm_area_const(sqc, PRM_SQC_WQ), &wq);
	if (ret == 0)
		ret = take_tis(call, sqc, sq);
	if (ret != 0)
		return ret;
	sq->min_inline = (uint8_t)prm_get(sqc, PRM_SQC_MIN_WQE_INLINE_MODE);
	if (sq->min_inline > PRM_MIN_INLINE_TCP_UDP)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"min_wqe_inline_mode %u: modes above 3 are not offered", sq->min_inline);
	ret = sc_queue_ts_format(call, "SQ", prm_get(sqc, PRM_SQC_TS_FORMAT));
	if (ret != 0)
		return ret;
	sq->cq = sc_queue_find(call, SC_CQ, prm_get(sqc, PRM_SQC_CQN), "SQ cqn");
	if (sq->cq == NULL)
		return -EINVAL;
	sq->uar = wq.uar;
	sq->uar_obj = sc_queue_find(call, SC_UAR, wq.uar, "SQ uar_page");
	if (sq->uar_obj == NULL)
		return -EINVAL;
	sq->ring = wq.ring.at;
	sq->ring_umem = wq.ring.umem;
	sq->dbr = wq.record.at;
	sq->dbr_umem = wq.record.umem;
	sq->pd_obj = wq.pd;
	sq->pd = wq.pd->id;
	sq->mask = (1u << wq.log_size) - 1;
	sq->non_wire = prm_get(sqc, PRM_SQC_NON_WIRE);
	sq->allow_mpw = prm_get(sqc, PRM_SQC_ALLOW_MULTI_PKT_SEND_WQE);
	sq->allow_swp = prm_get(sqc, PRM_SQC_ALLOW_SWP);
	sq->flush_in_error = prm_get(sqc, PRM_SQC_FLUSH_IN_ERROR_EN);
	sq->user_index = prm_get(sqc, PRM_SQC_USER_INDEX);
	sq->ts_format = (uint8_t)prm_get(sqc, PRM_SQC_TS_FORMAT);
	memcpy(sq->context, sqc, PRM_SQC_BYTES);
	return 0;
}

int
sc_cmd_create_sq(struct sc_call *call)
{
	struct sc_sq *sq = calloc(1, sizeof(*sq));
	int ret;

	if (sq == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an SQ");
	ret = take_context(call, sq);
	if (ret != 0)
		goto free_sq;
	if (sc_object_add(call->dev, SC_SQ, &sq->obj, 1, call->uid) != 0) {
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "all SQ numbers are in use");
		goto free_sq;
	}
	if (sc_list_add(&call->dev->nic->sq, &sq->obj) != 0) {
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an SQ");
		goto remove_sq;
	}
	sc_object_get(&sq->cq->obj);
	sc_object_get(sq->uar_obj);
	sc_object_get(sq->pd_obj);
	sc_object_get(&sq->ring_umem->obj);
	sc_object_get(&sq->dbr_umem->obj);
	if (sq->tis != NULL)
		sc_object_get(&sq->tis->obj);
	prm_set(call->out, PRM_ID_OUT_ID, sq->obj.id);
	return 0;

remove_sq:
	sc_object_remove(&sq->obj);
free_sq:
	free(sq);
	return ret;
}

int
sc_cmd_modify_sq(struct sc_call *call)
{
	const uint8_t *sqc = prm_area_const(call->in, PRM_MODIFY_SQ_IN_CTX);
	uint32_t next = prm_get(sqc, PRM_SQC_STATE);
	uint64_t bits = prm_get64(call->in, PRM_MODIFY_SQ_IN_MODIFY_BITMASK);
	struct sc_sq *sq = sc_queue_find(call, SC_SQ, prm_get(call->in, PRM_MODIFY_SQ_IN_SQN), "MODIFY_SQ");
	int ret;

	if (sq == NULL)
		return -EINVAL;
	ret = sc_queue_transition(
		call, "SQ", sq->obj.id, sq->state, prm_get(call->in, PRM_MODIFY_SQ_IN_SQ_STATE), next);
	if (ret != 0)
		return ret;
	if (bits != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"modify_bitmask %#llx: pacing and queue groups are not offered",
			(unsigned long long)bits);
	if (next == sq->state)
		return 0;
	if (next == PRM_QUEUE_STATE_RST)
		sc_sq_reset(sq);
	else if (next == PRM_QUEUE_STATE_RDY)
		sc_sq_ready(call->dev, sq);
	else
		sc_sq_to_error(call->dev, sq);
	return 0;
}

int
sc_cmd_query_sq(struct sc_call *call)
{
	uint8_t *sqc = prm_area(call->out, PRM_QUERY_SQ_OUT_SQ_CONTEXT), *wq = prm_area(sqc, PRM_SQC_WQ);
	struct sc_sq *sq = sc_queue_find(call, SC_SQ, prm_get(call->in, PRM_ID_IN_ID), "QUERY_SQ");

	if (sq == NULL)
		return -EINVAL;
	memcpy(sqc, sq->context, PRM_SQC_BYTES);
	prm_set(sqc, PRM_SQC_STATE, sq->state);
	prm_set(wq, PRM_WQ_HW_COUNTER, sq->ci);
	prm_set(wq, PRM_WQ_SW_COUNTER, sq->pi);
	return 0;
}

int
sc_cmd_destroy_sq(struct sc_call *call)
{
	return sc_queue_destroy(call, SC_SQ, "DESTROY_SQ", sc_sq_free);
}

void
sc_sq_free(void *arg)
{
	struct sc_sq *sq = arg;

	sc_sq_stats_add(sq, &sq->obj.dev->nic->stats);
	sc_list_remove(&sq->obj.dev->nic->sq, &sq->obj);
	sc_object_remove(&sq->obj);
	sc_object_put(&sq->cq->obj);
	sc_object_put(sq->uar_obj);
	sc_object_put(sq->pd_obj);
	sc_object_put(&sq->ring_umem->obj);
	sc_object_put(&sq->dbr_umem->obj);
	if (sq->tis != NULL)
		sc_object_put(&sq->tis->obj);
	free(sq);
}
