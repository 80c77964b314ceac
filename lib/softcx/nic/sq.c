/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The send queue: takes over its doorbell record, executes WQEs strictly in order up to it, completes
 * them, fails.
 */
#include <string.h>

#include "prm/cqe.h"
#include "prm/queue.h"
#include "prm/wqe.h"
#include "softcx/core/engine.h"
#include "softcx/core/fault.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/steer.h"
#include "softcx/wire/wire.h"
#include "util/order.h"

#define OP_UNREADABLE 0xff /* of a WQE whose control segment says nothing sure */

/*
 * How far ahead of a steering WQE the queue looks, in WQEBBs: at the ring, which the driver's core wrote,
 * and, of what is posted, at the row that the WQE there will search.
 */
#define GTA_RING_AHEAD 16
#define GTA_ROW_AHEAD  8
#define GTA_BLOCKS     2 /* WQEBBs of a steering WQE */

typedef uint8_t (*wqe_fn)(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe);

static uint8_t
send_nop(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe)
{
	return 0;
}

/* What a send queue executes besides the two of steering; all else is a local operation error. */
static const struct wqe_op {
	wqe_fn run;
	uint8_t min_ds;
	bool wire; /* only on a queue that is connected to the wire */
	uint8_t op_mod;
} wqe_ops[64] = {
	[PRM_WQE_OP_NOP] = { send_nop, 1, false },
	[PRM_WQE_OP_SEND] = { sc_send_frame, 2, true },
	[PRM_WQE_OP_TSO] = { sc_send_tso, 2, true },
	[PRM_WQE_OP_EMPW] = { sc_send_multi, 3, true },
	[PRM_WQE_OP_WAIT] = { sc_wait, PRM_WQE_WAIT_DS, true, PRM_WQE_WAIT_ON_TIME },
};

static void
start_cqe(const struct sc_sq *sq, const struct sc_wqe *wqe, enum prm_cqe_opcode opcode, struct sc_cqe *cqe)
{
	memset(cqe, 0, sizeof(*cqe));
	prm_set(cqe->bytes, PRM_CQE_USER_INDEX, sq->user_index);
	prm_set(cqe->bytes, PRM_CQE_SEND_WQE_OPCODE, wqe->opcode);
	prm_set(cqe->bytes, PRM_CQE_QPN, sq->obj.id);
	prm_set(cqe->bytes, PRM_CQE_WQE_COUNTER, wqe->index);
	prm_set(cqe->bytes, PRM_CQE_OPCODE, opcode);
}

/* failed: the table operation of a steering WQE was not carried out; the queue lives on. */
static void
complete(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, bool failed, bool solicited)
{
	struct sc_cqe cqe;

	if (sc_fault_queue(dev, SC_CQ, sq->cq->obj.id) != 0) {
		sc_cq_overrun(dev, sq->cq);
		return;
	}
	start_cqe(sq, wqe, PRM_CQE_REQ, &cqe);
	prm_set(cqe.bytes, PRM_CQE_GTA_FAILED, failed);
	prm_set64(cqe.bytes, PRM_CQE_TIMESTAMP, sc_nic_timestamp(dev, sq->ts_format, dev->nic->now_ns));
	sc_cq_write(dev, sq->cq, &cqe, solicited);
}

static void
complete_error(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, uint8_t syndrome)
{
	struct sc_cqe cqe;

	start_cqe(sq, wqe, PRM_CQE_REQ_ERR, &cqe);
	prm_set(cqe.bytes, PRM_ERR_CQE_SYNDROME, syndrome);
	sc_cq_write(dev, sq->cq, &cqe, true);
	sq->error_reported = true;
}

void
sc_sq_to_error(struct sc_device *dev, struct sc_sq *sq)
{
	sq->state = SC_QUEUE_ERR;
	sc_trace(dev, "sq %#x goes to ERR at WQE %u", sq->obj.id, sq->ci);
}

static void
fail(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, uint8_t syndrome)
{
	complete_error(dev, sq, wqe, syndrome);
	sc_sq_to_error(dev, sq);
}

/* The WQEBB that many behind the one to be executed next. */
static const uint8_t *
block_at(const struct sc_sq *sq, uint32_t ahead)
{
	return sq->ring + (size_t)((sq->ci + ahead) & sq->mask) * SC_WQEBB;
}

/*
 * Read the control segment of the WQE at ci. @return its WQEBBs, or 0 where it is not one: wrong index,
 * queue or length, or it would end behind the record.
 */
static uint32_t
fetch(struct sc_device *dev, struct sc_sq *sq, struct sc_wqe *wqe)
{
	const uint8_t *at = block_at(sq, 0);
	uint32_t head = prm_load32(at), tail = prm_load32(at + 4);
	uint32_t blocks = ((tail & 0x3f) + 3) / 4;

	wqe->at = at;
	wqe->index = sq->ci;
	wqe->opcode = (uint8_t)head;
	wqe->op_mod = (uint8_t)(head >> 24);
	wqe->ds = tail & 0x3f;
	if ((uint16_t)(head >> 8) == sq->ci && tail >> 8 == sq->obj.id && (tail & 0xc0) == 0 &&
		blocks != 0 && blocks <= (uint16_t)(sq->pi - sq->ci)) {
		if (__builtin_expect(!sq->waits, 1))
			sc_account_read(&dev->account, SC_BUS_WQE, at, (uint64_t)blocks * SC_WQEBB);
		return blocks;
	}
	if (sq->state == SC_QUEUE_RDY)
		sc_complain(dev,
			"sq %#x WQE %u: control segment says index %u, sq %#x, ds %u; posted up to %u",
			sq->obj.id, sq->ci, head >> 8 & 0xffff, tail >> 8, tail & 0xff, sq->pi);
	return 0;
}

/* A WQE that wraps over the end of the ring is copied, so that its readers see it in one piece. */
static void
straighten(struct sc_device *dev, struct sc_sq *sq, struct sc_wqe *wqe, uint32_t blocks)
{
	uint32_t at = sq->ci & sq->mask, before_end = sq->mask + 1 - at;
	uint8_t *copy = dev->nic->wqe;

	if (blocks <= before_end)
		return;
	memcpy(copy, wqe->at, (size_t)before_end * SC_WQEBB);
	memcpy(copy + (size_t)before_end * SC_WQEBB, sq->ring, (size_t)(blocks - before_end) * SC_WQEBB);
	wqe->at = copy;
}

/*
 * Look ahead as far as there is something posted: where a burst begins at all that lies in reach, then,
 * WQE by WQE, at the one that comes into it. What stands there need not be a steering WQE.
 */
static inline void
look_ahead(struct sc_device *dev, struct sc_sq *sq)
{
	uint32_t posted = (uint16_t)(sq->pi - sq->ci), looked = (uint16_t)(sq->looked - sq->ci), i;

	if (looked < GTA_BLOCKS || looked > GTA_ROW_AHEAD) {
		looked = GTA_BLOCKS;
		for (i = GTA_BLOCKS; i < GTA_RING_AHEAD && i < posted; i++)
			__builtin_prefetch(block_at(sq, i));
	}
	__builtin_prefetch(block_at(sq, GTA_RING_AHEAD));
	__builtin_prefetch(block_at(sq, GTA_RING_AHEAD + 1));
	for (; looked <= GTA_ROW_AHEAD && looked + GTA_BLOCKS <= posted; looked += GTA_BLOCKS)
		sc_gta_prefetch(dev, block_at(sq, looked), block_at(sq, looked + 1));
	sq->looked = (uint16_t)(sq->ci + looked);
}

/* @return 0, SC_WQE_FAILED, or a syndrome as a negative number */
static int
run_steering(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe)
{
	const uint8_t *second = block_at(sq, 1);

	look_ahead(dev, sq);
	if (wqe->ds != PRM_WQE_GTA_DS) {
		sc_complain(dev, "sq %#x WQE %u: ds %u of opcode %#x is not %u", sq->obj.id, wqe->index,
			wqe->ds, wqe->opcode, PRM_WQE_GTA_DS);
		return -PRM_CQE_SYND_LOCAL_QP_OP;
	}
	if (wqe->opcode == PRM_WQE_OP_ACCESS_ASO)
		return sc_aso_execute(dev, sq->pd, wqe->at, second);
	if (!sq->non_wire) {
		sc_complain(dev, "sq %#x WQE %u: opcode %#x wants an SQ made with non_wire", sq->obj.id,
			wqe->index, wqe->opcode);
		return -PRM_CQE_SYND_LOCAL_QP_OP;
	}
	return sc_gta_execute(dev, sq->pd, wqe->at, second);
}

static int
run_other(struct sc_device *dev, struct sc_sq *sq, struct sc_wqe *wqe, uint32_t blocks)
{
	const struct wqe_op *op = wqe->opcode < 64 ? &wqe_ops[wqe->opcode] : &wqe_ops[63];

	if (op->run == NULL) {
		sc_complain(dev, "sq %#x WQE %u: opcode %#x is not supported", sq->obj.id, wqe->index,
			wqe->opcode);
		return -PRM_CQE_SYND_LOCAL_QP_OP;
	}
	if (wqe->ds < op->min_ds || wqe->op_mod != op->op_mod) {
		sc_complain(dev, "sq %#x WQE %u: opcode %#x with ds %u (at least %u), op_mod %u (%u)",
			sq->obj.id, wqe->index, wqe->opcode, wqe->ds, op->min_ds, wqe->op_mod, op->op_mod);
		return -PRM_CQE_SYND_LOCAL_QP_OP;
	}
	if (op->wire && (sq->non_wire || sq->tis == NULL)) {
		sc_complain(dev,
			"sq %#x WQE %u: opcode %#x on an SQ without a way to the wire (non_wire %d, TIS %d)",
			sq->obj.id, wqe->index, wqe->opcode, sq->non_wire, sq->tis != NULL);
		return -PRM_CQE_SYND_LOCAL_QP_OP;
	}
	straighten(dev, sq, wqe, blocks);
	return -op->run(dev, sq, wqe);
}

/* @return false: the queue stands still in front of a WAIT. */
static bool
execute(struct sc_device *dev, struct sc_sq *sq)
{
	struct sc_wqe wqe;
	uint32_t blocks = fetch(dev, sq, &wqe);
	uint8_t ce, fault;
	bool solicited;
	int ret;

	if (__builtin_expect(blocks == 0, 0)) {
		fail(dev, sq, &wqe, PRM_CQE_SYND_LOCAL_QP_OP);
		sq->ci = sq->pi; /* nothing behind it can be found */
		return true;
	}
	sq->waits = __builtin_expect(wqe.opcode == PRM_WQE_OP_WAIT, 0) && sc_wait_holds(dev, sq, &wqe);
	if (__builtin_expect(sq->waits, 0))
		return false;
	ce = (uint8_t)prm_get(wqe.at, PRM_WQE_CTRL_CE);
	solicited = ce == PRM_WQE_CE_ALWAYS_EVENT || prm_get(wqe.at, PRM_WQE_CTRL_SE);
	fault = sc_fault_queue(dev, SC_SQ, sq->obj.id);
	if (__builtin_expect(fault != 0, 0))
		ret = -fault;
	else if (wqe.opcode == PRM_WQE_OP_FLOW_TBL_ACCESS || wqe.opcode == PRM_WQE_OP_ACCESS_ASO)
		ret = run_steering(dev, sq, &wqe);
	else
		ret = run_other(dev, sq, &wqe, blocks);
	sq->ci = (uint16_t)(sq->ci + blocks);
	sq->wqes++;
	if (__builtin_expect(ret < 0, 0))
		fail(dev, sq, &wqe, (uint8_t)-ret);
	else if (__builtin_expect(ret == SC_WQE_FAILED, 0))
		complete(dev, sq, &wqe, true, solicited);
	else if (ce >= PRM_WQE_CE_ALWAYS)
		complete(dev, sq, &wqe, false, solicited);
	return true;
}

/*
 * In ERR nothing is executed: every WQE comes back, with a CQE unless it asked to hear of the first
 * error only.
 */
static void
flush_one(struct sc_device *dev, struct sc_sq *sq)
{
	struct sc_wqe wqe;
	uint32_t blocks = fetch(dev, sq, &wqe);
	uint32_t ce = prm_get(wqe.at, PRM_WQE_CTRL_CE);

	if (blocks == 0)
		wqe.opcode = OP_UNREADABLE;
	if (sq->flush_in_error && !(ce == PRM_WQE_CE_FIRST_ERROR && sq->error_reported))
		complete_error(dev, sq, &wqe, PRM_CQE_SYND_WR_FLUSH);
	sq->ci = blocks == 0 ? sq->pi : (uint16_t)(sq->ci + blocks);
}

static uint32_t
run(struct sc_device *dev, struct sc_sq *sq, uint32_t budget)
{
	uint32_t done;

	for (done = 0; done < budget && sq->ci != sq->pi; done++) {
		if (__builtin_expect(sq->state == SC_QUEUE_ERR, 0)) {
			if (sq->flush_in_error && sq->cq->status == 0 && !sc_cq_has_room(sq->cq, 1))
				break; /* the driver has to make room first */
			flush_one(dev, sq);
			continue;
		}
		if (!execute(dev, sq)) {
			dev->nic->sq_waits = true;
			return done;
		}
		if (!sq->non_wire && (sc_frames_full(&dev->nic->inbound) || !sc_wire_ready(dev)))
			return done + 1;
	}
	return done;
}

uint32_t
sc_sq_run(struct sc_device *dev, struct sc_sq *sq, uint32_t budget)
{
	uint32_t done;

	dev->account.queue = sq->bus;
	done = run(dev, sq, budget);
	dev->account.queue = NULL;
	return done;
}

/* The record may name at most a ring full of WQEBBs. */
static void
take_over(struct sc_device *dev, struct sc_sq *sq, uint16_t record)
{
	uint32_t posted = (uint16_t)(record - sq->ci);
	struct sc_wqe wqe = { .index = sq->ci, .opcode = OP_UNREADABLE };

	if (posted <= sq->mask + 1) {
		sq->pi = record;
		return;
	}
	if (sq->state != SC_QUEUE_RDY)
		return;
	sc_complain(dev, "sq %#x doorbell record %u is %u WQEBBs ahead of %u; the ring has %u", sq->obj.id,
		record, posted, sq->ci, sq->mask + 1);
	fail(dev, sq, &wqe, PRM_CQE_SYND_LOCAL_QP_OP);
}

void
sc_sq_take_record(struct sc_sq *sq)
{
	uint16_t record = (uint16_t)order_load_acquire_be32(sq->dbr + PRM_DBR_SND);

	/*
	 * A driver may leave the old record until its first doorbell after RDY; polling, the change is
	 * the doorbell.
	 */
	if (__builtin_expect(sq->stale, 0)) {
		if (record == sq->stale_record)
			return;
		sq->stale = false;
	}
	if (record == sq->pi)
		return;
	take_over(sq->obj.dev, sq, record);
}

void
sc_sq_doorbell(struct sc_device *dev, struct sc_sq *sq, uint64_t value)
{
	uint64_t rung = be64toh(value);
	uint16_t record, end = (uint16_t)((rung >> 40) + ((rung & 0x3f) + 3) / 4);

	sq->doorbells++;
	sc_account_queue_doorbell(&dev->account, sq->bus, sizeof(value));
	if (sq->state == SC_QUEUE_RST) {
		sc_trace(dev, "sq %#x rung in RST: ignored", sq->obj.id);
		return;
	}
	record = (uint16_t)order_load_acquire_be32(sq->dbr + PRM_DBR_SND);
	dev->account.queue = sq->bus;
	sc_account_read(&dev->account, SC_BUS_RECORD, sq->dbr + PRM_DBR_SND, 4);
	dev->account.queue = NULL;
	if (end != record) {
		sq->doorbells_mismatch++;
		sc_trace(dev, "sq %#x rung for a WQE that ends at %u, record says %u", sq->obj.id, end,
			record);
	}
	if (record == sq->pi)
		sq->doorbells_idle++;
	sq->stale = false;
	take_over(dev, sq, record);
}

/* Trapped, in RDY: does the record name WQEs that no doorbell told of? */
static bool
is_forgotten(const struct sc_sq *sq)
{
	return !sq->obj.dev->nic->poll_records && sq->state == SC_QUEUE_RDY && !sq->stale &&
	       (uint16_t)order_load_acquire_be32(sq->dbr + PRM_DBR_SND) != sq->pi;
}

void
sc_sq_stats_add(const struct sc_sq *sq, struct sc_nic_stats *stats)
{
	stats->wqes += sq->wqes;
	stats->doorbells += sq->doorbells;
	stats->idle += sq->doorbells_idle;
	stats->mismatch += sq->doorbells_mismatch;
	stats->forgotten += sq->doorbells_forgotten + is_forgotten(sq);
}

void
sc_sq_reset(struct sc_sq *sq)
{
	sq->doorbells_forgotten += is_forgotten(sq);
	sq->state = SC_QUEUE_RST;
	sq->ci = sq->pi = 0;
	sq->error_reported = false;
	sq->stale = false;
	sq->waits = false;
}

void
sc_sq_ready(struct sc_device *dev, struct sc_sq *sq)
{
	sc_sq_reset(sq);
	sq->stale_record = (uint16_t)order_load_acquire_be32(sq->dbr + PRM_DBR_SND);
	sq->stale = sq->stale_record != 0;
	sq->state = SC_QUEUE_RDY;
}
