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

#define LOG_SGE      4 /* bytes of one data segment */
#define LOG_SGES_MAX 5
#define MODIFY_KNOWN                                                                                       \
	(PRM_MODIFY_RQ_LWM | PRM_MODIFY_RQ_VSD | PRM_MODIFY_RQ_SCATTER_FCS | PRM_MODIFY_RQ_COUNTER_SET_ID)

static const struct sc_queue_zero not_offered[] = {
	{ "rlky", PRM_RQC_RLKY, "the reserved lkey is not offered" },
	{ "delay_drop_en", PRM_RQC_DELAY_DROP_EN, "delayed drop is not offered" },
	{ "mem_rq_type", PRM_RQC_MEM_RQ_TYPE, "receive memory pools are not offered" },
	{ "hairpin", PRM_RQC_HAIRPIN, "hairpin queues are not offered" },
	{ "state", PRM_RQC_STATE, "a queue is created in RST" },
	{ NULL, 0, NULL },
};

/* Counter set 0 is none. @return 0 with *counter, or the command refused. */
static int
find_counter(struct sc_call *call, const uint8_t *rqc, struct sc_q_counter **counter)
{
	uint32_t id = prm_get(rqc, PRM_RQC_COUNTER_SET_ID);

	*counter = NULL;
	if (id == 0)
		return 0;
	*counter = sc_queue_find(call, SC_Q_COUNTER, id, "RQ counter_set_id");
	return *counter == NULL ? -EINVAL : 0;
}

static void
charge_counter(struct sc_rq *rq, struct sc_q_counter *counter)
{
	if (counter != NULL)
		sc_object_get(&counter->obj);
	if (rq->counter != NULL)
		sc_object_put(&rq->counter->obj);
	rq->counter = counter;
}

static int
take_context(struct sc_call *call, struct sc_rq *rq, struct sc_q_counter **counter)
{
	const uint8_t *rqc = prm_area_const(call->in, PRM_CREATE_RQ_IN_CTX);
	struct sc_queue_wq wq = {
		.what = "RQ",
		.types =
		1 << PRM_WQ_TYPE_CYCLIC | 1 << PRM_WQ_TYPE_CYCLIC_STRIDING | 1 << PRM_WQ_TYPE_LINKED_LIST_STRIDING,
		.log_stride_min = LOG_SGE, .log_stride_max = LOG_SGE + LOG_SGES_MAX
	};
	int ret;

	ret = sc_queue_zeros(call, rqc, not_offered);
	if (ret == 0)
		ret = sc_queue_wq(call, prm_area_const(rqc, PRM_RQC_WQ), &wq);
	if (ret == 0)
		ret = find_counter(call, rqc, counter);
	if (ret != 0)
		return ret;
	ret = sc_queue_ts_format(call, "RQ", prm_get(rqc, PRM_RQC_TS_FORMAT));
	if (ret != 0)
		return ret;
	rq->cq = sc_queue_find(call, SC_CQ, prm_get(rqc, PRM_RQC_CQN), "RQ cqn");
	if (rq->cq == NULL)
		return -EINVAL;
	rq->ops = wq.type == PRM_WQ_TYPE_CYCLIC ? &sc_rq_cyclic : &sc_rq_striding;
	if (wq.type != PRM_WQ_TYPE_CYCLIC)
		rq->strides = 1u << wq.log_strides;
	rq->log_stride_bytes = (uint8_t)wq.log_stride_bytes;
	rq->two_byte_shift = wq.two_byte_shift;
	rq->linked = wq.type == PRM_WQ_TYPE_LINKED_LIST_STRIDING;
	rq->ring = wq.ring.at;
	rq->ring_umem = wq.ring.umem;
	rq->dbr = wq.record.at;
	rq->dbr_umem = wq.record.umem;
	rq->pd_obj = wq.pd;
	rq->pd = wq.pd->id;
	rq->mask = (1u << wq.log_size) - 1;
	rq->log_stride = (uint8_t)wq.log_stride;
	rq->lwm = (uint16_t)wq.lwm;
	rq->vsd = prm_get(rqc, PRM_RQC_VSD);
	rq->scatter_fcs = prm_get(rqc, PRM_RQC_SCATTER_FCS);
	rq->flush_in_error = prm_get(rqc, PRM_RQC_FLUSH_IN_ERROR_EN);
	rq->ts_format = (uint8_t)prm_get(rqc, PRM_RQC_TS_FORMAT);
	rq->user_index = prm_get(rqc, PRM_RQC_USER_INDEX);
	memcpy(rq->context, rqc, PRM_RQC_BYTES);
	return 0;
}

int
sc_cmd_create_rq(struct sc_call *call)
{
	struct sc_rq *rq = calloc(1, sizeof(*rq));
	struct sc_q_counter *counter;
	int ret;

	if (rq == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an RQ");
	ret = take_context(call, rq, &counter);
	if (ret != 0)
		goto free_rq;
	if (sc_object_add(call->dev, SC_RQ, &rq->obj, 1, call->uid) != 0) {
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "all RQ numbers are in use");
		goto free_rq;
	}
	if (sc_list_add(&call->dev->nic->rq, &rq->obj) != 0) {
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an RQ");
		goto remove_rq;
	}
	sc_object_get(&rq->cq->obj);
	sc_object_get(rq->pd_obj);
	sc_object_get(&rq->ring_umem->obj);
	sc_object_get(&rq->dbr_umem->obj);
	charge_counter(rq, counter);
	prm_set(call->out, PRM_ID_OUT_ID, rq->obj.id);
	return 0;

remove_rq:
	sc_object_remove(&rq->obj);
free_rq:
	free(rq);
	return ret;
}

/* Fields that may change under traffic, or on the way to another state. */
static int
modify_fields(struct sc_call *call, struct sc_rq *rq, const uint8_t *rqc, uint64_t bits)
{
	struct sc_q_counter *counter;

	if (bits & ~(uint64_t)MODIFY_KNOWN)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"modify_bitmask %#llx: only bits 0 (lwm), 1 (vsd), 2 (scatter_fcs), "
			"3 (counter_set_id)",
			(unsigned long long)bits);
	if (bits & PRM_MODIFY_RQ_COUNTER_SET_ID) {
		if (find_counter(call, rqc, &counter) != 0)
			return -EINVAL;
		charge_counter(rq, counter);
		prm_set(rq->context, PRM_RQC_COUNTER_SET_ID, prm_get(rqc, PRM_RQC_COUNTER_SET_ID));
	}
	if (bits & PRM_MODIFY_RQ_LWM)
		rq->lwm = (uint16_t)prm_get(prm_area_const(rqc, PRM_RQC_WQ), PRM_WQ_LWM);
	if (bits & PRM_MODIFY_RQ_VSD)
		rq->vsd = prm_get(rqc, PRM_RQC_VSD);
	if (bits & PRM_MODIFY_RQ_SCATTER_FCS)
		rq->scatter_fcs = prm_get(rqc, PRM_RQC_SCATTER_FCS);
	return 0;
}

int
sc_cmd_modify_rq(struct sc_call *call)
{
	const uint8_t *rqc = prm_area_const(call->in, PRM_MODIFY_RQ_IN_CTX);
	uint32_t next = prm_get(rqc, PRM_RQC_STATE);
	struct sc_rq *rq = sc_queue_find(call, SC_RQ, prm_get(call->in, PRM_MODIFY_RQ_IN_RQN), "MODIFY_RQ");
	int ret;

	if (rq == NULL)
		return -EINVAL;
	ret = sc_queue_transition(
		call, "RQ", rq->obj.id, rq->state, prm_get(call->in, PRM_MODIFY_RQ_IN_RQ_STATE), next);
	if (ret == 0)
		ret = modify_fields(call, rq, rqc, prm_get64(call->in, PRM_MODIFY_RQ_IN_MODIFY_BITMASK));
	if (ret != 0 || next == rq->state)
		return ret;
	if (next == PRM_QUEUE_STATE_ERR) {
		sc_rq_to_error(call->dev, rq);
		return 0;
	}
	sc_rq_reset(rq);
	rq->state = (uint8_t)next;
	return 0;
}

int
sc_cmd_query_rq(struct sc_call *call)
{
	uint8_t *rqc = prm_area(call->out, PRM_QUERY_RQ_OUT_RQ_CONTEXT), *wq = prm_area(rqc, PRM_RQC_WQ);
	struct sc_rq *rq = sc_queue_find(call, SC_RQ, prm_get(call->in, PRM_ID_IN_ID), "QUERY_RQ");

	if (rq == NULL)
		return -EINVAL;
	memcpy(rqc, rq->context, PRM_RQC_BYTES);
	prm_set(rqc, PRM_RQC_STATE, rq->state);
	prm_set(rqc, PRM_RQC_VSD, rq->vsd);
	prm_set(rqc, PRM_RQC_SCATTER_FCS, rq->scatter_fcs);
	prm_set(wq, PRM_WQ_LWM, rq->lwm);
	prm_set(wq, PRM_WQ_HW_COUNTER, rq->ci);
	prm_set(wq, PRM_WQ_SW_COUNTER, (uint16_t)(rq->ci + sc_rq_posted(rq, 0)));
	return 0;
}

int
sc_cmd_destroy_rq(struct sc_call *call)
{
	return sc_queue_destroy(call, SC_RQ, "DESTROY_RQ", sc_rq_free);
}

void
sc_rq_free(void *arg)
{
	struct sc_rq *rq = arg;

	if (rq->cq->session != NULL)
		sc_session_close(rq->cq); /* its packets may be among those that wait */
	sc_rq_reset(rq); /* leaves the list of those in ERR */
	sc_list_remove(&rq->obj.dev->nic->rq, &rq->obj);
	sc_object_remove(&rq->obj);
	charge_counter(rq, NULL);
	sc_object_put(&rq->cq->obj);
	sc_object_put(rq->pd_obj);
	sc_object_put(&rq->ring_umem->obj);
	sc_object_put(&rq->dbr_umem->obj);
	free(rq);
}
