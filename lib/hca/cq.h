/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A completion queue made by DevX: 2^log_size CQEs of 64 bytes and a doorbell record in one umem. Life:
 * create, polled by one thread at a time, destroyed after every queue that completes into it. nic.md 1.7,
 * 3.3.
 *
 * Also the one place that knows the ownership rules: entry at free-running index ci is ours when its opcode is not 0xf (invalid) and, in the
 * basic layout, its owner bit equals bit log_size of ci; in the enhanced one, its validity iteration count equals the number of
 * the pass.
 */
#ifndef HCA_CQ_H
#define HCA_CQ_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>

#include "hca/umem.h"
#include "util/order.h"

struct hca_obj;
struct hca_uar;

#define HCA_CQE_BYTES 64
#define HCA_CQE_OP_OWN 63         /* byte: opcode 7:4, format 3:2, owner 0 */
#define HCA_CQE_VALIDITY 62       /* byte, enhanced layout: the device's pass over the ring, from 0 on */
#define HCA_CQE_SYNDROME 55       /* byte, error CQEs */
#define HCA_CQE_WQE_COUNTER 60    /* 16 bits, big endian */

enum hca_cqe_opcode {
	HCA_CQE_REQ = 0x0,
	HCA_CQE_RESP_SEND = 0x2,
	HCA_CQE_REQ_ERR = 0xd,
	HCA_CQE_RESP_ERR = 0xe,
	HCA_CQE_INVALID = 0xf,
};

struct hca_cq {
	uint8_t *ring;
	uint32_t *dbrec;   /* word 0: consumer index; word 1: arming, cq_event.h */
	uint32_t ci;       /* free running; the device sees 24 bits */
	uint32_t mask;
	uint8_t log_size;
	bool enhanced;     /* the layout */
	uint32_t cqn;
	struct hca_obj *obj;
	struct hca_umem *umem;  /* of the ring and the record */
};

struct hca_cq_attr {
	uint32_t nb_cqes;          /* rounded up to a power of two */
	const struct hca_uar *uar;
	bool overrun_ignore;       /* the device does not look at the consumer index */
	bool compressed;           /* the device may make sessions (nic.md 3.7) of mini_cqe_format, PRM_MINI_CQE_FORMAT_... */
	uint8_t mini_cqe_format;
	bool enhanced;             /* in the enhanced layout (nic.md 3.8) */
};

/*
 * dev->eqn is used; events of the queue are cq_event.h's. @return 0; -E2BIG more than log_max_cq_sz; a
 * command's error; what failed is zeroed and may be destroyed.
 */
int hca_cq_create(struct hca_device *dev, const struct hca_cq_attr *attr, struct hca_cq *cq);
void hca_cq_destroy(struct hca_cq *cq);

/* The next CQE of a queue in the basic layout, or NULL where none is there yet. All of it may be read after a non-NULL answer. */
static inline const uint8_t *
hca_cq_peek(const struct hca_cq *cq)
{
	const uint8_t *cqe = cq->ring + (size_t)(cq->ci & cq->mask) * HCA_CQE_BYTES;
	/* Pairs with the device's release of the last byte of the CQE. */
	uint8_t op_own = order_load_acquire8(cqe + HCA_CQE_OP_OWN);

	if ((op_own >> 4) == HCA_CQE_INVALID || (op_own & 1) != (cq->ci >> cq->log_size & 1))
		return NULL;
	return cqe;
}

static inline uint8_t
hca_cq_pass(const struct hca_cq *cq)
{
	return (uint8_t)(cq->ci >> cq->log_size);
}

/* The same in either layout. In the enhanced one a compressed entry has a count in place of the opcode. */
static inline const uint8_t *
hca_cq_peek_any(const struct hca_cq *cq)
{
	const uint8_t *cqe = cq->ring + (size_t)(cq->ci & cq->mask) * HCA_CQE_BYTES;

	if (!cq->enhanced)
		return hca_cq_peek(cq);
	if (order_load_acquire8(cqe + HCA_CQE_VALIDITY) != hca_cq_pass(cq) || cqe[HCA_CQE_OP_OWN] >> 4 == HCA_CQE_INVALID)
		return NULL;
	return cqe;
}

static inline enum hca_cqe_opcode
hca_cqe_opcode(const uint8_t *cqe)
{
	return (enum hca_cqe_opcode)(cqe[HCA_CQE_OP_OWN] >> 4);
}

static inline uint16_t
hca_cqe_wqe_counter(const uint8_t *cqe)
{
	return (uint16_t)(cqe[HCA_CQE_WQE_COUNTER] << 8 | cqe[HCA_CQE_WQE_COUNTER + 1]);
}

/* Give all entries before ci back to the device. Once per burst is enough. */
static inline void
hca_cq_ack(struct hca_cq *cq)
{
	/* Release: our reads of the entries come before the device may write them again. */
	order_store_release32(cq->dbrec, htobe32(cq->ci & 0xffffff));
}

#endif
