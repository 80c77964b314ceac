/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A send queue: ring of 64-byte WQEBBs and a doorbell record in one umem. Serves Tx (on the wire) and
 * steering (non_wire). States and who moves them: created RST, hca_sq_create makes it RDY, the device
 * makes it ERR at the first failing WQE, hca_sq_reset brings it back to RDY with all counters zero.
 * nic.md 1.8, 2.2, 2.3.
 *
 * Threads: one at a time per queue.
 */
#ifndef HCA_SQ_H
#define HCA_SQ_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hca/umem.h"
#include "util/order.h"

struct hca_cq;
struct hca_obj;
struct hca_uar;

#define HCA_WQEBB_BYTES 64

struct hca_sq {
	uint8_t *ring;
	uint32_t *dbrec;        /* word 1 of the record: WQEBBs posted */
	volatile uint64_t *uar_reg;
	uint32_t sqn;
	uint16_t mask;          /* WQEBBs in the ring - 1 */
	uint16_t pi;            /* free running: where the next WQE is built */
	bool flush_uar;         /* the doorbell page is write-combining */
	bool in_reset;          /* a reset came as far as RST: the next one goes on from there */
	struct hca_obj *obj;
	struct hca_umem *umem;  /* of the ring and the record */
};

struct hca_sq_attr {
	uint32_t nb_wqebbs;     /* rounded up to a power of two; at most 2^15 */
	const struct hca_cq *cq;
	const struct hca_uar *uar;
	bool non_wire;          /* steering and ASO work only; no TIS */
	bool multi_packet;      /* EMPW allowed */
	uint8_t min_inline;     /* min_wqe_inline_mode */
	uint32_t user_index;
};

/* @return 0, the queue is RDY; -E2BIG more than the device's log_max_wq_sz or 2^15; a command's error: what failed is zeroed and
 * may be destroyed. */
int hca_sq_create(struct hca_device *dev, const struct hca_sq_attr *attr, struct hca_sq *sq);
void hca_sq_destroy(struct hca_sq *sq);

/* ERR (or RDY) -> RST -> RDY. Nothing may be in flight that the caller still wants. pi and record are zero after. A
 * reset that failed may be tried again. */
int hca_sq_reset(struct hca_sq *sq, bool from_error);

/* The WQEBB at a free-running index. */
static inline uint8_t *
hca_sq_wqebb(const struct hca_sq *sq, uint16_t index)
{
	return sq->ring + (size_t)(index & sq->mask) * HCA_WQEBB_BYTES;
}

/*
 * Show the device everything up to pi. ctrl is the control segment of the last WQE: its first 8 bytes are
 * what the doorbell register takes.
 */
static inline void
hca_sq_doorbell(struct hca_sq *sq, const void *ctrl)
{
	uint64_t head;

	memcpy(&head, ctrl, sizeof(head));
	/* Release: the WQEs before the record. The device acquires the record before it reads them. */
	order_store_release32(sq->dbrec, htobe32(sq->pi));
	order_doorbell64(sq->uar_reg, head, sq->flush_uar);
}

#endif
