/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cq.h"

#include <errno.h>
#include <string.h>

#include "hca/cmd_queue.h"
#include "hca/device.h"
#include "hca/log2.h"

/* Invalid, owner 1, validity count 255: nothing reads as complete before the device's first pass. */
static void
invalidate_all(struct hca_cq *cq)
{
	for (uint32_t i = 0; i <= cq->mask; i++) {
		uint8_t *cqe = cq->ring + (size_t)i * HCA_CQE_BYTES;

		cqe[HCA_CQE_OP_OWN - 1] = 0xff;
		cqe[HCA_CQE_OP_OWN] = HCA_CQE_INVALID << 4 | 1;
	}
}

int
hca_cq_create(struct hca_device *dev, const struct hca_cq_attr *attr, struct hca_cq *cq)
{
	struct hca_cqc cqc = { .uar_page = attr->uar->page_id, .c_eqn = dev->eqn, .oi = attr->overrun_ignore,
		.cqe_comp_en = attr->compressed, .mini_cqe_format = attr->mini_cqe_format, .enhanced = attr->enhanced };
	size_t dbr_offset;
	int ret;

	memset(cq, 0, sizeof(*cq));
	cq->log_size = hca_log2_ceil(attr->nb_cqes);
	cq->enhanced = attr->enhanced;
	if (cq->log_size > dev->caps.log_max_cq_sz)
		return -E2BIG;
	cq->mask = (1u << cq->log_size) - 1;
	ret = hca_umem_create_ring(dev, (size_t)HCA_CQE_BYTES << cq->log_size, &cq->umem, &dbr_offset);
	if (ret != 0)
		return ret;
	cq->ring = cq->umem->addr;
	cq->dbrec = (uint32_t *)(cq->umem->addr + dbr_offset);
	invalidate_all(cq);
	cqc.log_cq_size = cq->log_size;
	cqc.place = (struct hca_ring_place){
		.umem_id = cq->umem->id, .dbr_umem_id = cq->umem->id, .dbr_offset = dbr_offset,
	};
	ret = hca_cmd_create_cq(dev, &cqc, &cq->obj);
	if (ret != 0) {
		hca_cq_destroy(cq);
		return ret;
	}
	cq->cqn = cq->obj->id;
	return 0;
}

void
hca_cq_destroy(struct hca_cq *cq)
{
	hca_obj_destroy(cq->obj);
	hca_umem_destroy_ring(cq->umem);
	memset(cq, 0, sizeof(*cq));
}
