/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Completion: writing entries in the order of ownership, overrun, arming.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/cqe.h"
#include "prm/queue.h"
#include "softcx/core/dma.h"
#include "softcx/core/engine.h"
#include "softcx/core/event.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"
#include "util/order.h"

#define CQ_COUNTER_MASK  0xffffffu /* indexes are 24 bits wide */
#define CQ_ERROR_OVERRUN 1         /* syndrome of the event */
#define PERIOD_FROM_CQE  1         /* cq_period_mode: the timer restarts at each entry */

/*
 * Entries that the driver has not given back, as far as its record says; an open session's are as good as
 * written.
 */
static uint32_t
unread(const struct sc_cq *cq)
{
	uint32_t waiting = cq->session != NULL ? sc_session_packets(cq) : 0;

	return (cq->pi + waiting - cq->ci) & CQ_COUNTER_MASK;
}

static void
read_record(struct sc_device *dev, struct sc_cq *cq)
{
	cq->ci = order_load_acquire_be32(cq->dbr + PRM_DBR_CQ_CI) & CQ_COUNTER_MASK;
	sc_account_read(&dev->account, SC_BUS_RECORD, cq->dbr, 4);
}

bool
sc_cq_has_room(struct sc_cq *cq, uint32_t n)
{
	if (cq->status != 0)
		return false;
	if (cq->oi || unread(cq) + n <= cq->mask + 1)
		return true;
	read_record(cq->obj.dev, cq);
	return unread(cq) + n <= cq->mask + 1;
}

uint8_t *
sc_cq_slot(const struct sc_cq *cq, uint32_t ahead)
{
	return cq->ring + ((size_t)(cq->cc ? 0 : (cq->pi + ahead) & cq->mask) << cq->log_stride) + cq->cqe_offset;
}

void
sc_cq_store(struct sc_cq *cq, uint32_t ahead, const uint8_t *bytes)
{
	uint32_t pass = (cq->pi + ahead) >> cq->log_size;
	uint8_t *entry = sc_cq_slot(cq, ahead), op_own = bytes[PRM_CQE_OP_OWN_AT] | (pass & 1);

	memcpy(entry, bytes, PRM_CQE_OP_OWN_AT - (cq->enhanced ? 1 : 0));
	order_store_release8(entry + PRM_CQE_OP_OWN_AT, op_own);
	/* Of an enhanced queue the byte before it is what a driver waits for. */
	if (cq->enhanced)
		order_store_release8(entry + PRM_CQE_VALIDITY_ITERATION_AT, (uint8_t)pass);
	sc_account_write(&cq->obj.dev->account, SC_BUS_CQE, entry, PRM_CQE_BYTES);
}

uint32_t
sc_cq_unread(struct sc_cq *cq)
{
	/* A question of the wire, not of the device: the bus does not see it. */
	cq->ci = order_load_acquire_be32(cq->dbr + PRM_DBR_CQ_CI) & CQ_COUNTER_MASK;
	return unread(cq);
}

/*
 * No completion can tell the queues' owner any more, so their fall is an event of its own, before the
 * CQ's.
 */
void
sc_cq_overrun(struct sc_device *dev, struct sc_cq *cq)
{
	struct sc_nic *nic = dev->nic;

	if (cq->status != 0)
		return;
	if (cq->session != NULL)
		sc_session_close(cq);
	cq->status = PRM_CQC_STATUS_OVERFLOW;
	sc_trace(dev, "cq %#x overrun: producer %u, consumer %u, %u entries", cq->obj.id,
		cq->pi & CQ_COUNTER_MASK, cq->ci, cq->mask + 1);
	for (uint32_t i = 0; i < nic->sq.nb; i++) {
		struct sc_sq *sq = (struct sc_sq *)nic->sq.item[i];

		if (sq->cq != cq || sq->state != SC_QUEUE_RDY)
			continue;
		sc_sq_to_error(dev, sq);
		sc_nic_event(dev, SC_EVENT_WQ_CATASTROPHIC, &sq->obj, 0);
	}
	for (uint32_t i = 0; i < nic->rq.nb; i++) {
		struct sc_rq *rq = (struct sc_rq *)nic->rq.item[i];

		if (rq->cq != cq || rq->state != SC_QUEUE_RDY)
			continue;
		sc_rq_to_error(dev, rq);
		sc_nic_event(dev, SC_EVENT_WQ_CATASTROPHIC, &rq->obj, 0);
	}
	sc_nic_event(dev, SC_EVENT_CQ_ERROR, &cq->obj, CQ_ERROR_OVERRUN);
	if (cq->mem != NULL) /* a verbs CQ: its owner hears of it by an asynchronous event */
		sc_event_raise(dev, SC_ASYNC_CQ_ERR, cq->obj.id);
}

static void
fire(struct sc_cq *cq)
{
	struct sc_nic *nic = cq->obj.dev->nic;

	nic->nb_moderated -= cq->due_ns != 0;
	cq->due_ns = 0;
	cq->armed = false;
	cq->fired = true;
	cq->last_notified = (cq->pi - 1) & CQ_COUNTER_MASK;
	cq->events++;
	sc_nic_event(cq->obj.dev, SC_EVENT_COMPLETION, &cq->obj, 0);
}

/* Let the event wait for its period, from the first entry or (mode 1) anew from each. */
static void
wait_for_more(struct sc_cq *cq)
{
	struct sc_nic *nic = cq->obj.dev->nic;

	if (cq->due_ns != 0 && cq->period_mode != PERIOD_FROM_CQE)
		return;
	nic->nb_moderated += cq->due_ns == 0;
	cq->due_ns = sc_now_ns() + (uint64_t)cq->period * 1000;
}

/*
 * An event is due when an entry of the armed index or above is there. Moderation holds it back until there
 * are max_count of them or the period is over; it is off where either is 0.
 */
static void
fire_when_due(struct sc_cq *cq, bool solicited)
{
	uint32_t ahead = (cq->pi - cq->arm_ci) & CQ_COUNTER_MASK;

	if (!cq->armed || ahead == 0 || ahead > CQ_COUNTER_MASK / 2)
		return;
	if (cq->period == 0 || cq->max_count == 0 || ahead >= cq->max_count || (solicited && cq->solicited_at_once))
		fire(cq);
	else
		wait_for_more(cq);
}

uint32_t
sc_cq_fire_moderated(struct sc_device *dev)
{
	uint64_t now = dev->nic->now_ns;
	struct sc_cq *cq = sc_object_next(dev, SC_CQ, UINT32_MAX);
	uint32_t fired = 0;

	for (; cq != NULL; cq = sc_object_next(dev, SC_CQ, cq->obj.id))
		if (cq->due_ns != 0 && cq->due_ns <= now) {
			fire(cq);
			fired++;
		}
	return fired;
}

/* An event that waited is forgotten: the driver has looked, or the CQ goes. */
static void
forget_event(struct sc_cq *cq)
{
	cq->obj.dev->nic->nb_moderated -= cq->due_ns != 0;
	cq->due_ns = 0;
}

void
sc_cq_arm(struct sc_cq *cq, bool solicited, uint32_t ci)
{
	forget_event(cq);
	cq->armed = true;
	cq->armed_solicited = solicited;
	cq->fired = false;
	cq->arm_ci = ci;
	if (!solicited)
		fire_when_due(cq, false);
}

void
sc_cq_advance(struct sc_cq *cq, uint32_t n, bool solicited)
{
	cq->pi += n;
	cq->cqes += n;
	if (cq->armed && (solicited || !cq->armed_solicited))
		fire_when_due(cq, solicited);
}

int
sc_cq_write(struct sc_device *dev, struct sc_cq *cq, const struct sc_cqe *cqe, bool solicited)
{
	if (cq->session != NULL)
		sc_session_close(cq);
	if (!sc_cq_has_room(cq, 1)) {
		sc_cq_overrun(dev, cq);
		return -ENOSPC;
	}
	sc_cq_store(cq, 0, cqe->bytes);
	sc_cq_advance(cq, 1, solicited);
	return 0;
}

int
sc_cq_create_owned(struct sc_device *dev, uint8_t log_size, uint32_t uar, uint16_t uid, struct sc_cq **out)
{
	size_t entries = (size_t)1 << log_size;
	struct sc_cq *cq = calloc(1, sizeof(*cq));
	int ret = -ENOMEM;

	if (cq == NULL)
		return -ENOMEM;
	/* The record has a cache line of its own behind the ring. */
	if (posix_memalign((void **)&cq->mem, 4096, entries * PRM_CQE_BYTES + 64) != 0)
		goto free_cq;
	memset(cq->mem, 0, entries * PRM_CQE_BYTES + 64);
	for (size_t i = 0; i < entries; i++)
		cq->mem[i * PRM_CQE_BYTES + PRM_CQE_OP_OWN_AT] = PRM_CQE_OP_OWN_INIT;
	cq->ring = cq->mem;
	cq->dbr = cq->mem + entries * PRM_CQE_BYTES;
	cq->mask = (uint32_t)entries - 1;
	cq->log_size = log_size;
	cq->log_stride = 6;
	cq->uar = uar;
	ret = sc_object_add(dev, SC_CQ, &cq->obj, 1, uid);
	if (ret != 0)
		goto free_mem;
	cq->obj.bytes = entries * PRM_CQE_BYTES + 64;
	*out = cq;
	return 0;

free_mem:
	free(cq->mem);
free_cq:
	free(cq);
	return ret;
}

void
sc_cq_free(void *arg)
{
	struct sc_cq *cq = arg;

	forget_event(cq);
	sc_session_free(cq);
	sc_object_remove(&cq->obj);
	if (cq->uar_obj != NULL)
		sc_object_put(cq->uar_obj);
	if (cq->ring_umem != NULL)
		sc_object_put(&cq->ring_umem->obj);
	if (cq->dbr_umem != NULL)
		sc_object_put(&cq->dbr_umem->obj);
	free(cq->mem);
	free(cq);
}

int
sc_cq_destroy(struct sc_cq *cq)
{
	if (cq->obj.refs != 0)
		return -EBUSY;
	sc_cq_free(cq);
	return 0;
}
