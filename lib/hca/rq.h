/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A cyclic receive queue: WQEs of 2^n data segments, or (striding) of one large buffer that takes many packets, and a
 * doorbell record in one umem. The caller writes the WQEs. States: created RST, hca_rq_start makes it RDY with an empty ring, hca_rq_stop RST again
 * (posted WQEs are dropped); the device makes it ERR. nic.md 1.9, 2.2.
 */
#ifndef HCA_RQ_H
#define HCA_RQ_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "hca/umem.h"
#include "util/order.h"

struct hca_cq;
struct hca_obj;

#define HCA_DATA_SEG_BYTES 16
#define HCA_STRIDING_WQE_BYTES 32
#define HCA_STRIDING_WQE_DATA 16 /* where its data segment lies */

struct hca_rq {
	uint8_t *ring;
	uint32_t *dbrec;        /* word 0 of the record: WQEs posted */
	uint32_t rqn;
	uint32_t mask;          /* WQEs - 1 */
	uint8_t log_stride;     /* log2 bytes of a WQE */
	struct hca_obj *obj;
	struct hca_umem *umem;  /* of the ring and the record */
};

struct hca_rq_attr {
	uint32_t nb_wqes;        /* power of two, at most 2^15 */
	uint8_t log_segments;    /* data segments per WQE: 2^this */
	uint8_t log_strides;     /* not 0: a WQE is HCA_STRIDING_WQE_BYTES, its buffer 2^this strides of 2^log_stride_bytes */
	uint8_t log_stride_bytes;
	const struct hca_cq *cq;
	uint32_t user_index;
	uint8_t counter_set_id;
	bool vlan_strip;
};

/* @return 0, the queue is RST; -EINVAL, -E2BIG; a command's error: what failed is zeroed and may be destroyed. */
int hca_rq_create(struct hca_device *dev, const struct hca_rq_attr *attr, struct hca_rq *rq);
void hca_rq_destroy(struct hca_rq *rq);

/* RST -> RDY with a zero record; WQEs are posted after. */
int hca_rq_start(struct hca_rq *rq);
/* RDY or, after an error CQE with a critical syndrome, ERR -> RST. */
int hca_rq_stop(struct hca_rq *rq, bool from_error);
/* In RDY. */
int hca_rq_set_vlan_strip(struct hca_rq *rq, bool strip);

static inline uint8_t *
hca_rq_wqe(const struct hca_rq *rq, uint32_t index)
{
	return rq->ring + ((size_t)(index & rq->mask) << rq->log_stride);
}

/* WQEs up to the free-running posted count belong to the device from here on. */
static inline void
hca_rq_post(struct hca_rq *rq, uint32_t posted)
{
	/* Release: WQE contents before the record. The device acquires the record before it reads a WQE. */
	order_store_release32(rq->dbrec, htobe32(posted & 0xffff));
}

#endif
