/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The striding receive queue: one WQE is a large buffer of equal strides, each packet takes as many of them
 * as it needs from where the last one ended. A packet that does not fit into what is left of its WQE makes
 * the device pass over that, with a filler completion, and begin the next.
 */
#include "prm/cqe.h"
#include "prm/queue.h"
#include "prm/wqe.h"
#include "softcx/core/dma.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"

static uint32_t
shift_of(const struct sc_rq *rq)
{
	return rq->two_byte_shift ? 2 : 0;
}

static uint32_t
strides_for(const struct sc_rq *rq, uint32_t len)
{
	uint32_t n = (len + shift_of(rq) + (1u << rq->log_stride_bytes) - 1) >> rq->log_stride_bytes;

	return n != 0 ? n : 1;
}

/* What the current WQE is too short for, and the next one is not. */
static bool
needs_filler(const struct sc_rq *rq, uint32_t n)
{
	return n > rq->strides - rq->used && n <= rq->strides;
}

static bool
has_room(struct sc_rq *rq, uint32_t len)
{
	uint32_t wqes = needs_filler(rq, strides_for(rq, len)) ? 2 : 1;

	return sc_rq_posted(rq, wqes) >= wqes;
}

static uint32_t
nb_cqes(const struct sc_rq *rq, uint32_t len)
{
	return needs_filler(rq, strides_for(rq, len)) ? 2 : 1;
}

/* The WQE to be used, in the ring: cyclic, or by the chain of next indexes. */
static const uint8_t *
wqe_of(const struct sc_rq *rq)
{
	uint32_t at = rq->linked ? rq->node : rq->ci;

	return rq->ring + ((size_t)(at & rq->mask) << rq->log_stride);
}

static uint16_t
wqe_id(const struct sc_rq *rq)
{
	return rq->linked ? rq->node & (uint16_t)rq->mask : rq->ci;
}

static void
use(struct sc_rq *rq, uint32_t n)
{
	rq->used += n;
	if (rq->used < rq->strides)
		return;
	if (rq->linked)
		rq->node = (uint16_t)prm_get(wqe_of(rq), PRM_WQE_NEXT_NEXT_WQE_INDEX);
	rq->used = 0;
	rq->ci++;
}

static void
place(const struct sc_rq *rq, struct sc_cqe *cqe)
{
	prm_set(cqe->bytes, PRM_CQE_WQE_ID, wqe_id(rq));
	prm_set(cqe->bytes, PRM_CQE_WQE_COUNTER, rq->used);
}

static void
write_filler(struct sc_device *dev, struct sc_rq *rq)
{
	uint32_t left = rq->strides - rq->used;
	struct sc_cqe cqe = { 0 };

	place(rq, &cqe);
	prm_set(cqe.bytes, PRM_CQE_RQPN, rq->obj.id);
	prm_set(cqe.bytes, PRM_CQE_USER_INDEX, rq->user_index);
	prm_set(cqe.bytes, PRM_CQE_MPRQ_FILLER, 1);
	prm_set(cqe.bytes, PRM_CQE_MPRQ_STRIDES, left);
	prm_set(cqe.bytes, PRM_CQE_OPCODE, PRM_CQE_RESP_SEND);
	use(rq, left);
	sc_cq_write(dev, rq->cq, &cqe, false);
}

static uint8_t
scatter(struct sc_device *dev, struct sc_rq *rq, const uint8_t *frame, uint32_t len, struct sc_cqe *cqe)
{
	uint32_t n = strides_for(rq, len), offset, room, lkey;
	const uint8_t *seg;
	uint64_t va;

	if (needs_filler(rq, n))
		write_filler(dev, rq);
	if (n > rq->strides) { /* no WQE can hold it: this one is left as it is */
		sc_complain(dev, "rq %#x: a frame of %u bytes is longer than a WQE of %u strides", rq->obj.id, len,
			rq->strides);
		return PRM_CQE_SYND_LOCAL_LENGTH;
	}
	seg = wqe_of(rq) + PRM_MPRQ_WQE_DATA;
	if (rq->used == 0)
		sc_account_read(&dev->account, SC_BUS_WQE, wqe_of(rq), PRM_MPRQ_WQE_BYTES);
	room = prm_get(seg, PRM_WQE_DATA_BYTE_COUNT);
	lkey = prm_get(seg, PRM_WQE_DATA_LKEY);
	va = prm_get64(seg, PRM_WQE_DATA_ADDR);
	offset = (rq->used << rq->log_stride_bytes) + shift_of(rq);
	if (room >> 31 || room < rq->strides << rq->log_stride_bytes) {
		sc_complain(dev, "rq %#x WQE %u: byte count %#x is not that of %u strides of %u bytes", rq->obj.id,
			wqe_id(rq), room, rq->strides, 1u << rq->log_stride_bytes);
		return PRM_CQE_SYND_LOCAL_QP_OP;
	}
	if (sc_dma_write(dev, lkey, rq->pd, va + offset, frame, len) != 0) {
		sc_complain(dev, "rq %#x WQE %u: lkey %#x does not allow %u bytes at %#llx", rq->obj.id, wqe_id(rq),
			lkey, len, (unsigned long long)(va + offset));
		return PRM_CQE_SYND_LOCAL_PROT;
	}
	place(rq, cqe);
	prm_set(cqe->bytes, PRM_CQE_MPRQ_STRIDES, n);
	prm_set(cqe->bytes, PRM_CQE_MPRQ_BYTES, len);
	use(rq, n);
	return 0;
}

/* A packet that failed takes no strides: its completion says none. */
static void
skip(struct sc_rq *rq)
{
}

const struct sc_rq_ops sc_rq_striding = {
	.has_room = has_room, .nb_cqes = nb_cqes, .scatter = scatter, .place = place, .skip = skip,
};
