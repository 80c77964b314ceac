/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/rq.h"

#include <errno.h>
#include <string.h>

#include "hca/cmd_queue.h"
#include "hca/cq.h"
#include "hca/device.h"
#include "hca/log2.h"

#define RQ_LOG_MAX 15
#define LOG_DATA_SEG 4
#define LOG_STRIDING_WQE 5

int
hca_rq_create(struct hca_device *dev, const struct hca_rq_attr *attr, struct hca_rq *rq)
{
	struct hca_rqc rqc = {
		.log_wq_sz = hca_log2_ceil(attr->nb_wqes),
		.log_wq_stride = (uint8_t)(attr->log_strides != 0 ? LOG_STRIDING_WQE : LOG_DATA_SEG + attr->log_segments),
		.log_strides = attr->log_strides,
		.log_stride_bytes = attr->log_stride_bytes,
		.cqn = attr->cq->cqn,
		.user_index = attr->user_index,
		.counter_set_id = attr->counter_set_id,
		.vsd = !attr->vlan_strip,
		.flush_in_error_en = true,
		.ts_format = dev->caps.rq_ts_format == 0 ? 0 : 1,
	};
	size_t dbr_offset;
	int ret;

	memset(rq, 0, sizeof(*rq));
	if (attr->nb_wqes == 0 || (attr->nb_wqes & (attr->nb_wqes - 1)) != 0)
		return -EINVAL;
	if (rqc.log_wq_sz > RQ_LOG_MAX || rqc.log_wq_sz > dev->caps.log_max_wq_sz)
		return -E2BIG;
	ret = hca_umem_create_ring(dev, (size_t)attr->nb_wqes << rqc.log_wq_stride, &rq->umem, &dbr_offset);
	if (ret != 0)
		return ret;
	rqc.place = (struct hca_ring_place){
		.umem_id = rq->umem->id, .dbr_umem_id = rq->umem->id, .dbr_offset = dbr_offset,
	};
	ret = hca_cmd_create_rq(dev, &rqc, &rq->obj);
	if (ret != 0) {
		hca_rq_destroy(rq);
		return ret;
	}
	rq->ring = rq->umem->addr;
	rq->dbrec = (uint32_t *)(rq->umem->addr + dbr_offset);
	rq->rqn = rq->obj->id;
	rq->mask = attr->nb_wqes - 1;
	rq->log_stride = rqc.log_wq_stride;
	return 0;
}

void
hca_rq_destroy(struct hca_rq *rq)
{
	hca_obj_destroy(rq->obj);
	hca_umem_destroy_ring(rq->umem);
	memset(rq, 0, sizeof(*rq));
}

int
hca_rq_start(struct hca_rq *rq)
{
	hca_rq_post(rq, 0);
	return hca_cmd_modify_rq(rq->obj, HCA_WQ_RST, HCA_WQ_RDY);
}

int
hca_rq_stop(struct hca_rq *rq, bool from_error)
{
	return hca_cmd_modify_rq(rq->obj, from_error ? HCA_WQ_ERR : HCA_WQ_RDY, HCA_WQ_RST);
}

int
hca_rq_set_vlan_strip(struct hca_rq *rq, bool strip)
{
	return hca_cmd_modify_rq_vsd(rq->obj, !strip);
}
