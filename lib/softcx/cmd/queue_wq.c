/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/cmd/queue_wq.h"

#include <errno.h>

#include "prm/queue.h"
#include "prm/wqe.h"
#include "softcx/nic/nic.h"

static const struct sc_queue_zero not_offered[] = {
	{ "wq_signature", PRM_WQ_WQ_SIGNATURE, "WQE signatures are not offered" },
	{ "cd_slave", PRM_WQ_CD_SLAVE, "cross-channel queues are not offered" },
	{ "hds_skip_first_sge", PRM_WQ_HDS_SKIP_FIRST_SGE, "header split is not offered" },
	{ "end_padding_mode", PRM_WQ_END_PADDING_MODE, "end padding is not offered" },
	{ "log2_hds_buf_size", PRM_WQ_LOG2_HDS_BUF_SIZE, "header split is not offered" },
	{ NULL, 0, NULL },
};

static bool
is_striding(uint32_t type)
{
	return type == PRM_WQ_TYPE_CYCLIC_STRIDING || type == PRM_WQ_TYPE_LINKED_LIST_STRIDING;
}

static int
check_type(struct sc_call *call, struct sc_queue_wq *wq)
{
	if (wq->type < 32 && wq->types >> wq->type & 1)
		return 0;
	return sc_refuse(call, PRM_STATUS_BAD_PARAM,
		"%s wq_type %u: a linked list only of striding WQEs, and these only " "to receive", wq->what,
		wq->type);
}

/* The number of strides is coded as a signed difference from 2^9. */
static int
take_strides(struct sc_call *call, const void *context, struct sc_queue_wq *wq)
{
	int32_t strides = (int32_t)prm_get(context, PRM_WQ_SINGLE_WQE_LOG_NUM_OF_STRIDES);

	strides = PRM_WQ_STRIDES_BASE + (strides < 8 ? strides : strides - 16);
	wq->log_strides = (uint32_t)strides;
	wq->log_stride_bytes =
		PRM_WQ_STRIDE_SIZE_BASE + prm_get(context, PRM_WQ_SINGLE_STRIDE_LOG_NUM_OF_BYTES);
	wq->two_byte_shift = prm_get(context, PRM_WQ_TWO_BYTE_SHIFT_EN);
	if (strides < SC_LOG_STRIDES_MIN || strides > SC_LOG_STRIDES_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s: 2^%d strides of a WQE are not in 2^%u..2^%u", wq->what, strides,
			SC_LOG_STRIDES_MIN, SC_LOG_STRIDES_MAX);
	if (wq->log_strides + wq->log_stride_bytes < SC_LOG_STRIDE_WQE_MIN)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s: 2^%u strides of 2^%u bytes are below log_min_stride_wqe_sz %u", wq->what,
			wq->log_strides, wq->log_stride_bytes, SC_LOG_STRIDE_WQE_MIN);
	if (1ull << wq->log_stride != PRM_MPRQ_WQE_BYTES)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"%s log_wq_stride %u: a striding WQE has %u bytes", wq->what, wq->log_stride,
			PRM_MPRQ_WQE_BYTES);
	return 0;
}

static int
check_size(struct sc_call *call, const struct sc_queue_wq *wq)
{
	uint32_t log_max = sc_queue_log_max_wq(call->dev);

	if (wq->log_size > log_max)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "%s log_wq_sz %u is above log_max_wq_sz %u",
			wq->what, wq->log_size, log_max);
	if (wq->log_stride < wq->log_stride_min || wq->log_stride > wq->log_stride_max)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "%s log_wq_stride %u is not in %u..%u",
			wq->what, wq->log_stride, wq->log_stride_min, wq->log_stride_max);
	return 0;
}

int
sc_queue_wq(struct sc_call *call, const void *context, struct sc_queue_wq *wq)
{
	int ret;

	wq->type = prm_get(context, PRM_WQ_WQ_TYPE);
	wq->log_size = prm_get(context, PRM_WQ_LOG_WQ_SZ);
	wq->log_stride = prm_get(context, PRM_WQ_LOG_WQ_STRIDE);
	wq->uar = prm_get(context, PRM_WQ_UAR_PAGE);
	wq->lwm = prm_get(context, PRM_WQ_LWM);
	ret = check_type(call, wq);
	if (ret == 0)
		ret = sc_queue_zeros(call, context, not_offered);
	if (ret == 0)
		ret = check_size(call, wq);
	if (ret == 0 && is_striding(wq->type))
		ret = take_strides(call, context, wq);
	if (ret != 0)
		return ret;
	wq->ring = (struct sc_queue_mem){
		.what = "work queue ring",
		.valid = prm_get(context, PRM_WQ_WQ_UMEM_VALID),
		.umem_id = prm_get(context, PRM_WQ_WQ_UMEM_ID),
		.offset = prm_get64(context, PRM_WQ_WQ_UMEM_OFFSET),
		.len = (uint64_t)1 << (wq->log_size + wq->log_stride),
		.align = 64,
	};
	wq->record = (struct sc_queue_mem){
		.what = "work queue doorbell record",
		.valid = prm_get(context, PRM_WQ_DBR_UMEM_VALID),
		.umem_id = prm_get(context, PRM_WQ_DBR_UMEM_ID),
		.offset = prm_get64(context, PRM_WQ_DBR_ADDR),
		.len = PRM_DBR_BYTES,
		.align = PRM_DBR_BYTES,
	};
	ret = sc_queue_mem(call, &wq->ring);
	if (ret == 0)
		ret = sc_queue_mem(call, &wq->record);
	if (ret != 0)
		return ret;
	wq->pd = sc_queue_find(call, SC_PD, prm_get(context, PRM_WQ_PD), wq->what);
	return wq->pd == NULL ? -EINVAL : 0;
}
