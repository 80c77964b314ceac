/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cmd_queue.h"

#include <string.h>

#include "hca/device.h"
#include "prm/cqe.h"
#include "prm/queue.h"

int
hca_cmd_create_cq(struct hca_device *dev, const struct hca_cqc *attr, struct hca_obj **cq)
{
	uint8_t in[PRM_CREATE_CQ_IN_BYTES] = { 0 };
	uint8_t *cqc = prm_area(in, PRM_CREATE_CQ_IN_CQC);

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_CQ);
	prm_set(in, PRM_CREATE_CQ_IN_CQ_UMEM_ID, attr->place.umem_id);
	prm_set64(in, PRM_CREATE_CQ_IN_CQ_UMEM_OFFSET, attr->place.offset);
	prm_set(in, PRM_CREATE_CQ_IN_CQ_UMEM_VALID, 1);
	prm_set(cqc, PRM_CQC_DBR_UMEM_VALID, 1);
	prm_set(cqc, PRM_CQC_DBR_UMEM_ID, attr->place.dbr_umem_id);
	prm_set64(cqc, PRM_CQC_DBR_ADDR, attr->place.dbr_offset);
	prm_set(cqc, PRM_CQC_CQE_SZ, PRM_CQC_CQE_SZ_64);
	prm_set(cqc, PRM_CQC_OI, attr->oi);
	if (attr->cqe_comp_en) {
		bool ext = attr->mini_cqe_format == PRM_MINI_CQE_FORMAT_L34H_STRIDX;

		prm_set(cqc, PRM_CQC_CQE_COMP_EN, 1);
		prm_set(cqc, PRM_CQC_CQE_COMP_LAYOUT, attr->enhanced);
		prm_set(cqc, PRM_CQC_MINI_CQE_RES_FORMAT, ext ? 0 : attr->mini_cqe_format);
		prm_set(cqc, PRM_CQC_MINI_CQE_RES_FORMAT_EXT, ext);
	}
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, attr->log_cq_size);
	prm_set(cqc, PRM_CQC_UAR_PAGE, attr->uar_page);
	prm_set(cqc, PRM_CQC_C_EQN, attr->c_eqn);
	return hca_cmd_create(dev, "CQ", in, sizeof(in), cq);
}

/* The part that send and receive queues have in common. */
static void
set_wq(uint8_t *wq, const struct hca_device *dev, const struct hca_ring_place *place, uint8_t log_wq_sz,
       uint8_t log_wq_stride)
{
	prm_set(wq, PRM_WQ_WQ_TYPE, PRM_WQ_TYPE_CYCLIC);
	prm_set(wq, PRM_WQ_PD, dev->pdn);
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, log_wq_stride);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, log_wq_sz);
	prm_set(wq, PRM_WQ_WQ_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_WQ_UMEM_ID, place->umem_id);
	prm_set64(wq, PRM_WQ_WQ_UMEM_OFFSET, place->offset);
	prm_set(wq, PRM_WQ_DBR_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_DBR_UMEM_ID, place->dbr_umem_id);
	prm_set64(wq, PRM_WQ_DBR_ADDR, place->dbr_offset);
}

int
hca_cmd_create_sq(struct hca_device *dev, const struct hca_sqc *attr, struct hca_obj **sq)
{
	uint8_t in[PRM_CREATE_SQ_IN_BYTES] = { 0 };
	uint8_t *sqc = prm_area(in, PRM_CREATE_SQ_IN_CTX), *wq = prm_area(sqc, PRM_SQC_WQ);

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_SQ);
	prm_set(sqc, PRM_SQC_FLUSH_IN_ERROR_EN, attr->flush_in_error_en);
	prm_set(sqc, PRM_SQC_ALLOW_MULTI_PKT_SEND_WQE, attr->allow_multi_pkt_send_wqe);
	prm_set(sqc, PRM_SQC_MIN_WQE_INLINE_MODE, attr->min_wqe_inline_mode);
	prm_set(sqc, PRM_SQC_NON_WIRE, attr->non_wire);
	prm_set(sqc, PRM_SQC_TS_FORMAT, attr->ts_format);
	prm_set(sqc, PRM_SQC_USER_INDEX, attr->user_index);
	prm_set(sqc, PRM_SQC_CQN, attr->cqn);
	if (attr->tisn != 0) {
		prm_set(sqc, PRM_SQC_TIS_LST_SZ, 1);
		prm_set(sqc, PRM_SQC_TIS_NUM_0, attr->tisn);
	}
	set_wq(wq, dev, &attr->place, attr->log_wq_sz, PRM_WQ_LOG_WQEBB);
	prm_set(wq, PRM_WQ_UAR_PAGE, attr->uar_page);
	return hca_cmd_create(dev, "SQ", in, sizeof(in), sq);
}

int
hca_cmd_modify_sq(struct hca_obj *sq, enum hca_wq_state from, enum hca_wq_state to)
{
	uint8_t in[PRM_MODIFY_SQ_IN_BYTES] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_SQ);
	prm_set(in, PRM_MODIFY_SQ_IN_SQ_STATE, from);
	prm_set(in, PRM_MODIFY_SQ_IN_SQN, sq->id);
	prm_set(prm_area(in, PRM_MODIFY_SQ_IN_CTX), PRM_SQC_STATE, to);
	return hca_cmd_modify(sq, in, sizeof(in));
}

/* The number of strides is coded as a difference from 2^9 in two's complement. */
static void
set_strides(uint8_t *wq, uint8_t log_strides, uint8_t log_stride_bytes)
{
	prm_set(wq, PRM_WQ_WQ_TYPE, PRM_WQ_TYPE_CYCLIC_STRIDING);
	prm_set(wq, PRM_WQ_SINGLE_WQE_LOG_NUM_OF_STRIDES, (uint32_t)(log_strides - PRM_WQ_STRIDES_BASE) & 0xf);
	prm_set(wq, PRM_WQ_SINGLE_STRIDE_LOG_NUM_OF_BYTES, (uint32_t)log_stride_bytes - PRM_WQ_STRIDE_SIZE_BASE);
}

int
hca_cmd_create_rq(struct hca_device *dev, const struct hca_rqc *attr, struct hca_obj **rq)
{
	uint8_t in[PRM_CREATE_RQ_IN_BYTES] = { 0 };
	uint8_t *rqc = prm_area(in, PRM_CREATE_RQ_IN_CTX), *wq = prm_area(rqc, PRM_RQC_WQ);

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_RQ);
	prm_set(rqc, PRM_RQC_MEM_RQ_TYPE, PRM_RQC_MEM_RQ_TYPE_INLINE);
	prm_set(rqc, PRM_RQC_VSD, attr->vsd);
	prm_set(rqc, PRM_RQC_SCATTER_FCS, attr->scatter_fcs);
	prm_set(rqc, PRM_RQC_FLUSH_IN_ERROR_EN, attr->flush_in_error_en);
	prm_set(rqc, PRM_RQC_TS_FORMAT, attr->ts_format);
	prm_set(rqc, PRM_RQC_USER_INDEX, attr->user_index);
	prm_set(rqc, PRM_RQC_CQN, attr->cqn);
	prm_set(rqc, PRM_RQC_COUNTER_SET_ID, attr->counter_set_id);
	set_wq(wq, dev, &attr->place, attr->log_wq_sz, attr->log_wq_stride);
	if (attr->log_strides != 0)
		set_strides(wq, attr->log_strides, attr->log_stride_bytes);
	return hca_cmd_create(dev, "RQ", in, sizeof(in), rq);
}

int
hca_cmd_modify_rq(struct hca_obj *rq, enum hca_wq_state from, enum hca_wq_state to)
{
	uint8_t in[PRM_MODIFY_RQ_IN_BYTES] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_RQ);
	prm_set(in, PRM_MODIFY_RQ_IN_RQ_STATE, from);
	prm_set(in, PRM_MODIFY_RQ_IN_RQN, rq->id);
	prm_set(prm_area(in, PRM_MODIFY_RQ_IN_CTX), PRM_RQC_STATE, to);
	return hca_cmd_modify(rq, in, sizeof(in));
}

int
hca_cmd_modify_rq_vsd(struct hca_obj *rq, bool vsd)
{
	uint8_t in[PRM_MODIFY_RQ_IN_BYTES] = { 0 };
	uint8_t *rqc = prm_area(in, PRM_MODIFY_RQ_IN_CTX);

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_RQ);
	prm_set(in, PRM_MODIFY_RQ_IN_RQ_STATE, HCA_WQ_RDY);
	prm_set(in, PRM_MODIFY_RQ_IN_RQN, rq->id);
	prm_set64(in, PRM_MODIFY_RQ_IN_MODIFY_BITMASK, PRM_MODIFY_RQ_VSD);
	prm_set(rqc, PRM_RQC_STATE, HCA_WQ_RDY);
	prm_set(rqc, PRM_RQC_VSD, vsd);
	return hca_cmd_modify(rq, in, sizeof(in));
}

int
hca_cmd_alloc_transport_domain(struct hca_device *dev, struct hca_obj **td)
{
	uint8_t in[PRM_CMD_HDR_BYTES] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	return hca_cmd_create(dev, "transport domain", in, sizeof(in), td);
}

int
hca_cmd_create_tis(struct hca_device *dev, uint32_t td, struct hca_obj **tis)
{
	uint8_t in[PRM_CREATE_TIS_IN_BYTES] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIS);
	prm_set(prm_area(in, PRM_CREATE_TIS_IN_CTX), PRM_TISC_TRANSPORT_DOMAIN, td);
	return hca_cmd_create(dev, "TIS", in, sizeof(in), tis);
}
