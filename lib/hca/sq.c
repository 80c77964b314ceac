/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/sq.h"

#include <errno.h>
#include <string.h>

#include "hca/cmd_queue.h"
#include "hca/cq.h"
#include "hca/device.h"
#include "hca/log2.h"

#define SQ_LOG_MAX 15 /* producer counters are 16 bits */

/* A device that knows only the free-running clock takes 0; the others the port-wide default, 1. */
static uint8_t
ts_format(uint8_t capability)
{
	return capability == 0 ? 0 : 1;
}

int
hca_sq_create(struct hca_device *dev, const struct hca_sq_attr *attr, struct hca_sq *sq)
{
	struct hca_sqc sqc = {
		.uar_page = attr->uar->page_id,
		.cqn = attr->cq->cqn,
		.tisn = attr->non_wire ? 0 : dev->tis->id,
		.user_index = attr->user_index,
		.non_wire = attr->non_wire,
		.allow_multi_pkt_send_wqe = attr->multi_packet,
		.flush_in_error_en = true,
		.min_wqe_inline_mode = attr->min_inline,
		.ts_format = ts_format(dev->caps.sq_ts_format),
	};
	size_t dbr_offset;
	int ret;

	memset(sq, 0, sizeof(*sq));
	sqc.log_wq_sz = hca_log2_ceil(attr->nb_wqebbs);
	if (sqc.log_wq_sz > SQ_LOG_MAX || sqc.log_wq_sz > dev->caps.log_max_wq_sz)
		return -E2BIG;
	ret = hca_umem_create_ring(dev, (size_t)HCA_WQEBB_BYTES << sqc.log_wq_sz, &sq->umem, &dbr_offset);
	if (ret != 0)
		return ret;
	sqc.place = (struct hca_ring_place){
		.umem_id = sq->umem->id, .dbr_umem_id = sq->umem->id, .dbr_offset = dbr_offset,
	};
	ret = hca_cmd_create_sq(dev, &sqc, &sq->obj);
	if (ret == 0)
		ret = hca_cmd_modify_sq(sq->obj, HCA_WQ_RST, HCA_WQ_RDY);
	if (ret != 0) {
		hca_sq_destroy(sq);
		return ret;
	}
	sq->ring = sq->umem->addr;
	sq->dbrec = (uint32_t *)(sq->umem->addr + dbr_offset) + 1;
	sq->uar_reg = attr->uar->reg;
	sq->flush_uar = attr->uar->write_combining;
	sq->sqn = sq->obj->id;
	sq->mask = (uint16_t)((1u << sqc.log_wq_sz) - 1);
	return 0;
}

void
hca_sq_destroy(struct hca_sq *sq)
{
	hca_obj_destroy(sq->obj);
	hca_umem_destroy_ring(sq->umem);
	memset(sq, 0, sizeof(*sq));
}

int
hca_sq_reset(struct hca_sq *sq, bool from_error)
{
	int ret = 0;

	if (!sq->in_reset)
		ret = hca_cmd_modify_sq(sq->obj, from_error ? HCA_WQ_ERR : HCA_WQ_RDY, HCA_WQ_RST);
	if (ret != 0)
		return ret;
	sq->in_reset = true;
	/* The record is read again at RDY and must say that nothing is posted. */
	order_store_release32(sq->dbrec, 0);
	sq->pi = 0;
	ret = hca_cmd_modify_sq(sq->obj, HCA_WQ_RST, HCA_WQ_RDY);
	sq->in_reset = ret != 0;
	return ret;
}
