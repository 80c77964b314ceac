/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/queue.h"
#include "softcx/cmd/queue.h"
#include "softcx/nic/internal.h"

#define LOG_RQT_MAX 11 /* log_max_rqt_size of the capability table */

/*
 * The list behind a context: checked and referenced into rq, of size entries. On refusal nothing is
 * held.
 */
static int
take_list(struct sc_call *call, const uint8_t *rqtc, uint32_t size, struct sc_rq **rq)
{
	const uint8_t *list = prm_area_const(rqtc, PRM_RQTC_RQ_NUM);

	if ((uint64_t)(list - call->in) + (uint64_t)size * PRM_RQ_NUM_BYTES > call->in_len)
		return sc_refuse(call, PRM_STATUS_BAD_INP_LEN,
			"rqt_actual_size %u: the command of %u bytes ends before the list", size,
			call->in_len);
	for (uint32_t i = 0; i < size; i++) {
		rq[i] = sc_queue_find(
			call, SC_RQ, prm_get(list + i * PRM_RQ_NUM_BYTES, PRM_RQ_NUM_RQ_NUM), "RQT entry");
		if (rq[i] == NULL)
			return -EINVAL;
	}
	for (uint32_t i = 0; i < size; i++)
		sc_object_get(&rq[i]->obj);
	return 0;
}

static int
check_sizes(struct sc_call *call, uint32_t actual, uint32_t max)
{
	if (max == 0 || max > 1u << LOG_RQT_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rqt_max_size %u is not in 1..%u", max,
			1u << LOG_RQT_MAX);
	if (actual == 0 || actual > max || (actual & (actual - 1)) != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rqt_actual_size %u is not a power of two up to %u", actual, max);
	return 0;
}

static void
release_list(struct sc_rqt *rqt)
{
	for (uint32_t i = 0; i < rqt->size; i++)
		sc_object_put(&rqt->rq[i]->obj);
}

int
sc_cmd_create_rqt(struct sc_call *call)
{
	const uint8_t *rqtc = prm_area_const(call->in, PRM_CREATE_RQT_IN_RQT_CONTEXT);
	uint32_t actual = prm_get(rqtc, PRM_RQTC_RQT_ACTUAL_SIZE),
		 max = prm_get(rqtc, PRM_RQTC_RQT_MAX_SIZE);
	struct sc_rqt *rqt;
	int ret;

	if (prm_get(rqtc, PRM_RQTC_LIST_Q_TYPE) != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "list_q_type %u is not 0 (RQ)",
			prm_get(rqtc, PRM_RQTC_LIST_Q_TYPE));
	ret = check_sizes(call, actual, max);
	if (ret != 0)
		return ret;
	rqt = calloc(1, sizeof(*rqt));
	if (rqt == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an RQT");
	rqt->rq = calloc(max, sizeof(struct sc_rq *));
	if (rqt->rq == NULL) {
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an RQT");
		goto free_rqt;
	}
	ret = take_list(call, rqtc, actual, rqt->rq);
	if (ret != 0)
		goto free_list;
	rqt->size = actual;
	rqt->max_size = max;
	if (sc_object_add(call->dev, SC_RQT, &rqt->obj, 1, call->uid) != 0) {
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "all RQT numbers are in use");
		goto put_list;
	}
	prm_set(call->out, PRM_ID_OUT_ID, rqt->obj.id);
	return 0;

put_list:
	release_list(rqt);
free_list:
	free(rqt->rq);
free_rqt:
	free(rqt);
	return ret;
}

/* Packets see the old list or the new one. */
int
sc_cmd_modify_rqt(struct sc_call *call)
{
	const uint8_t *rqtc = prm_area_const(call->in, PRM_MODIFY_RQT_IN_CTX);
	uint32_t actual = prm_get(rqtc, PRM_RQTC_RQT_ACTUAL_SIZE);
	struct sc_rqt *rqt =
		sc_queue_find(call, SC_RQT, prm_get(call->in, PRM_MODIFY_RQT_IN_RQTN), "MODIFY_RQT");
	struct sc_rq **list;
	int ret;

	if (rqt == NULL)
		return -EINVAL;
	if (!prm_get(call->in, PRM_MODIFY_RQT_IN_RQN_LIST))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "bitmask.rqn_list is 0: nothing to modify");
	ret = check_sizes(call, actual, rqt->max_size);
	if (ret != 0)
		return ret;
	list = calloc(rqt->max_size, sizeof(struct sc_rq *));
	if (list == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for an RQT");
	ret = take_list(call, rqtc, actual, list);
	if (ret != 0) {
		free(list);
		return ret;
	}
	release_list(rqt);
	free(rqt->rq);
	rqt->rq = list;
	rqt->size = actual;
	return 0;
}

int
sc_cmd_query_rqt(struct sc_call *call)
{
	/* The answer's context and list lie where those of CREATE_RQT's input do. */
	uint8_t *rqtc = prm_area(call->out, PRM_CREATE_RQT_IN_RQT_CONTEXT);
	struct sc_rqt *rqt = sc_queue_find(call, SC_RQT, prm_get(call->in, PRM_ID_IN_ID), "QUERY_RQT");
	uint8_t *list = prm_area(rqtc, PRM_RQTC_RQ_NUM);

	if (rqt == NULL)
		return -EINVAL;
	if (call->out_len < PRM_CREATE_RQT_IN_BYTES + rqt->size * PRM_RQ_NUM_BYTES)
		return sc_refuse(call, PRM_STATUS_BAD_OUTP_LEN,
			"output of %u bytes does not hold %u entries", call->out_len, rqt->size);
	prm_set(rqtc, PRM_RQTC_RQT_MAX_SIZE, rqt->max_size);
	prm_set(rqtc, PRM_RQTC_RQT_ACTUAL_SIZE, rqt->size);
	for (uint32_t i = 0; i < rqt->size; i++)
		prm_set(list + i * PRM_RQ_NUM_BYTES, PRM_RQ_NUM_RQ_NUM, rqt->rq[i]->obj.id);
	return 0;
}

int
sc_cmd_destroy_rqt(struct sc_call *call)
{
	return sc_queue_destroy(call, SC_RQT, "DESTROY_RQT", sc_rqt_free);
}

void
sc_rqt_free(void *arg)
{
	struct sc_rqt *rqt = arg;

	sc_object_remove(&rqt->obj);
	release_list(rqt);
	free(rqt->rq);
	free(rqt);
}
