/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/cap.h"
#include "prm/cqe.h"
#include "prm/queue.h"
#include "softcx/cmd/capability.h"
#include "softcx/cmd/queue.h"
#include "softcx/core/dma.h"
#include "softcx/core/event.h"
#include "softcx/nic/internal.h"

static const struct sc_queue_zero not_offered[] = {
	{ "page_offset", PRM_CQC_PAGE_OFFSET, "a ring in a umem has no page offset" },
	{ "status", PRM_CQC_STATUS, "set by the device" },
	{ "st", PRM_CQC_ST, "set by arming" },
	{ NULL, 0, NULL },
};

static int
take_sizes(struct sc_call *call, const uint8_t *cqc, struct sc_cq *cq)
{
	uint32_t log_size = prm_get(cqc, PRM_CQC_LOG_CQ_SIZE), log_max = sc_queue_log_max_cq(call->dev);

	if (log_size > log_max)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "log_cq_size %u is above log_max_cq_sz %u",
			log_size, log_max);
	cq->cqe_sz = (uint8_t)prm_get(cqc, PRM_CQC_CQE_SZ);
	if (cq->cqe_sz > PRM_CQC_CQE_SZ_128_PAD)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "cqe_sz %u is not 0, 1 or 2", cq->cqe_sz);
	cq->log_size = (uint8_t)log_size;
	cq->mask = (1u << log_size) - 1;
	cq->log_stride = cq->cqe_sz == PRM_CQC_CQE_SZ_64 ? 6 : 7;
	cq->cqe_offset = cq->cqe_sz == PRM_CQC_CQE_SZ_128 ? 64 : 0;
	return 0;
}

/*
 * cqe_comp_en only allows the device to compress: it does so in entries of 64 bytes that are not collapsed.
 * A format is looked at where it means something.
 */
static int
take_compression(struct sc_call *call, const uint8_t *cqc, struct sc_cq *cq)
{
	uint32_t layout = prm_get(cqc, PRM_CQC_CQE_COMP_LAYOUT),
		ext = prm_get(cqc, PRM_CQC_MINI_CQE_RES_FORMAT_EXT),
		 format = prm_get(cqc, PRM_CQC_MINI_CQE_RES_FORMAT);

	cq->comp_en = prm_get(cqc, PRM_CQC_CQE_COMP_EN);
	if (layout > 1 ||
	    (layout == 1 && !sc_cap_get(call->dev, PRM_CAP_GROUP_GENERAL, PRM_CAP_ENHANCED_CQE_COMPRESSION)))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "cqe_comp_layout %u: %s", layout,
			layout == 1 ? "enhanced_cqe_compression is not offered" :
			"layouts are 0 (basic) and 1 (enhanced)");
	if (ext > 1 || (ext == 1 && format != 0))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"mini_cqe_res_format %u with mini_cqe_res_format_ext %u", format, ext);
	cq->enhanced = layout == 1;
	cq->mini_format = (uint8_t)(ext == 1 ? PRM_MINI_CQE_FORMAT_L34H_STRIDX : format);
	if (cq->comp_en && !cq->cc && cq->cqe_sz == PRM_CQC_CQE_SZ_64 && sc_session_create(cq) != 0)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for a CQ");
	return 0;
}

static int
take_memory(struct sc_call *call, const uint8_t *cqc, struct sc_cq *cq)
{
	struct sc_queue_mem ring = {
		.what = "CQ ring",
		.valid = prm_get(call->in, PRM_CREATE_CQ_IN_CQ_UMEM_VALID),
		.umem_id = prm_get(call->in, PRM_CREATE_CQ_IN_CQ_UMEM_ID),
		.offset = prm_get64(call->in, PRM_CREATE_CQ_IN_CQ_UMEM_OFFSET),
		.len = (uint64_t)1 << (cq->log_size + cq->log_stride),
		.align = SC_WQEBB,
		.written = true,
	};
	struct sc_queue_mem record = {
		.what = "CQ doorbell record",
		.valid = prm_get(cqc, PRM_CQC_DBR_UMEM_VALID),
		.umem_id = prm_get(cqc, PRM_CQC_DBR_UMEM_ID),
		.offset = prm_get64(cqc, PRM_CQC_DBR_ADDR),
		.len = PRM_DBR_BYTES,
		.align = PRM_DBR_BYTES,
	};
	int ret = sc_queue_mem(call, &ring);

	if (ret == 0)
		ret = sc_queue_mem(call, &record);
	if (ret != 0)
		return ret;
	cq->ring = ring.at;
	cq->ring_umem = ring.umem;
	cq->dbr = record.at;
	cq->dbr_umem = record.umem;
	cq->dbr_addr = record.offset;
	return 0;
}

/* Fill cq from the context. Takes no reference. */
static int
take_context(struct sc_call *call, struct sc_cq *cq)
{
	const uint8_t *cqc = prm_area_const(call->in, PRM_CREATE_CQ_IN_CQC);
	int ret = sc_queue_zeros(call, cqc, not_offered);

	if (ret == 0)
		ret = take_sizes(call, cqc, cq);
	if (ret == 0)
		ret = take_memory(call, cqc, cq);
	if (ret != 0)
		return ret;
	cq->uar = prm_get(cqc, PRM_CQC_UAR_PAGE);
	cq->uar_obj = sc_queue_find(call, SC_UAR, cq->uar, "CQ uar_page");
	if (cq->uar_obj == NULL)
		return -EINVAL;
	cq->oi = prm_get(cqc, PRM_CQC_OI);
	cq->cc = prm_get(cqc, PRM_CQC_CC);
	cq->eqn = prm_get(cqc, PRM_CQC_C_EQN);
	if (cq->eqn - SC_EQN_FIRST >= SC_COMP_VECTORS)
		return sc_refuse(call, PRM_STATUS_BAD_RES,
			"c_eqn %u: completions go to event queues %u to %u", cq->eqn, SC_EQN_FIRST,
			SC_EQN_FIRST + SC_COMP_VECTORS - 1);
	cq->solicited_at_once = prm_get(cqc, PRM_CQC_SCQE_BREAK_MODERATION_EN);
	cq->period_mode = (uint8_t)prm_get(cqc, PRM_CQC_CQ_PERIOD_MODE);
	if (cq->period_mode > 1)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "cq_period_mode %u is not 0 or 1",
			cq->period_mode);
	cq->period = (uint16_t)prm_get(cqc, PRM_CQC_CQ_PERIOD);
	cq->max_count = (uint16_t)prm_get(cqc, PRM_CQC_CQ_MAX_COUNT);
	return take_compression(call, cqc, cq);
}

int
sc_cmd_create_cq(struct sc_call *call)
{
	struct sc_cq *cq = calloc(1, sizeof(*cq));
	int ret;

	if (cq == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for a CQ");
	ret = take_context(call, cq);
	if (ret == 0 && sc_object_add(call->dev, SC_CQ, &cq->obj, 1, call->uid) != 0)
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "all CQ numbers are in use");
	if (ret != 0) {
		free(cq->session);
		free(cq);
		return ret;
	}
	sc_object_get(cq->uar_obj);
	sc_object_get(&cq->ring_umem->obj);
	sc_object_get(&cq->dbr_umem->obj);
	prm_set(call->out, PRM_ID_OUT_ID, cq->obj.id);
	return 0;
}

int
sc_cmd_modify_cq(struct sc_call *call)
{
	const uint8_t *cqc = prm_area_const(call->in, PRM_MODIFY_CQ_IN_CQC);
	uint32_t select = prm_get(call->in, PRM_MODIFY_CQ_IN_MODIFY_FIELD_SELECT);
	struct sc_cq *cq = sc_queue_find(call, SC_CQ, prm_get(call->in, PRM_MODIFY_CQ_IN_CQN), "MODIFY_CQ");

	if (cq == NULL)
		return -EINVAL;
	if (call->op_mod != 0)
		return sc_refuse(
			call, PRM_STATUS_BAD_OP, "op_mod %u: resizing a CQ is not supported", call->op_mod);
	if (select & ~(uint32_t)(PRM_MODIFY_CQ_PERIOD | PRM_MODIFY_CQ_MAX_COUNT | PRM_MODIFY_CQ_OI))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"modify_field_select %#x: only bits 0 (period), 1 (count), 2 (oi)", select);
	if (select & PRM_MODIFY_CQ_PERIOD)
		cq->period = (uint16_t)prm_get(cqc, PRM_CQC_CQ_PERIOD);
	if (select & PRM_MODIFY_CQ_MAX_COUNT)
		cq->max_count = (uint16_t)prm_get(cqc, PRM_CQC_CQ_MAX_COUNT);
	if (select & PRM_MODIFY_CQ_OI)
		cq->oi = prm_get(cqc, PRM_CQC_OI);
	return 0;
}

static uint32_t
arm_state(const struct sc_cq *cq)
{
	if (cq->armed)
		return cq->armed_solicited ? PRM_CQC_ST_SOLICITED_ARMED : PRM_CQC_ST_ARMED;
	return cq->fired ? PRM_CQC_ST_FIRED : 0;
}

int
sc_cmd_query_cq(struct sc_call *call)
{
	uint8_t *cqc = prm_area(call->out, PRM_QUERY_CQ_OUT_CQC);
	struct sc_cq *cq = sc_queue_find(call, SC_CQ, prm_get(call->in, PRM_ID_IN_ID), "QUERY_CQ");

	if (cq == NULL)
		return -EINVAL;
	if (cq->session != NULL)
		sc_session_close(cq); /* so that the producer counter tells of all packets */
	prm_set(cqc, PRM_CQC_STATUS, cq->status);
	prm_set(cqc, PRM_CQC_DBR_UMEM_VALID, cq->dbr_umem != NULL);
	prm_set(cqc, PRM_CQC_CQE_SZ, cq->cqe_sz);
	prm_set(cqc, PRM_CQC_CC, cq->cc);
	prm_set(cqc, PRM_CQC_OI, cq->oi);
	prm_set(cqc, PRM_CQC_CQE_COMP_EN, cq->comp_en);
	prm_set(cqc, PRM_CQC_CQE_COMP_LAYOUT, cq->enhanced);
	if (cq->mini_format == PRM_MINI_CQE_FORMAT_L34H_STRIDX)
		prm_set(cqc, PRM_CQC_MINI_CQE_RES_FORMAT_EXT, 1);
	else
		prm_set(cqc, PRM_CQC_MINI_CQE_RES_FORMAT, cq->mini_format);
	prm_set(cqc, PRM_CQC_SCQE_BREAK_MODERATION_EN, cq->solicited_at_once);
	prm_set(cqc, PRM_CQC_CQ_PERIOD_MODE, cq->period_mode);
	prm_set(cqc, PRM_CQC_ST, arm_state(cq));
	prm_set(cqc, PRM_CQC_DBR_UMEM_ID, cq->dbr_umem != NULL ? cq->dbr_umem->obj.id : 0);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, cq->log_size);
	prm_set(cqc, PRM_CQC_UAR_PAGE, cq->uar);
	prm_set(cqc, PRM_CQC_CQ_PERIOD, cq->period);
	prm_set(cqc, PRM_CQC_CQ_MAX_COUNT, cq->max_count);
	prm_set(cqc, PRM_CQC_C_EQN, cq->eqn);
	prm_set(cqc, PRM_CQC_LAST_NOTIFIED_INDEX, cq->last_notified);
	prm_set(cqc, PRM_CQC_CONSUMER_COUNTER, cq->ci);
	prm_set(cqc, PRM_CQC_PRODUCER_COUNTER, cq->pi);
	prm_set64(cqc, PRM_CQC_DBR_ADDR, cq->dbr_addr);
	return 0;
}

int
sc_cmd_destroy_cq(struct sc_call *call)
{
	return sc_queue_destroy(call, SC_CQ, "DESTROY_CQ", sc_cq_free);
}
