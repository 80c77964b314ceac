/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The queues' side of a device as a whole: its life, doorbells, and one round of work.
 */
#include "softcx/nic/nic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/queue.h"
#include "softcx/core/engine.h"
#include "softcx/core/fault.h"
#include "softcx/core/settings.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"
#include "softcx/wire/wire.h"
#include "util/order.h"

#define ROUND_FRAMES       64 /* frames of each source that one round takes in */
#define MODERATION_STEP_US 10

int
sc_nic_init(struct sc_device *dev)
{
	struct sc_nic *nic = calloc(1, sizeof(*nic));

	if (nic == NULL)
		return -ENOMEM;
	nic->dev = dev;
	nic->poll_records = dev->settings->uar == SC_UAR_POLL;
	nic->held_last = &nic->held_first;
	nic->tx = malloc(sizeof(*nic->tx));
	nic->rx = malloc(sizeof(*nic->rx));
	nic->gather = malloc(SC_GATHER_MAX);
	if (nic->tx == NULL || nic->rx == NULL || nic->gather == NULL) {
		free(nic->tx);
		free(nic->rx);
		free(nic->gather);
		free(nic);
		return -ENOMEM;
	}
	dev->nic = nic;
	return 0;
}

static void
free_all(struct sc_device *dev, enum sc_type type, void (*release)(void *))
{
	struct sc_object *obj;

	while ((obj = sc_object_next(dev, type, UINT32_MAX)) != NULL)
		release(obj);
}

void
sc_nic_fini(struct sc_device *dev)
{
	struct sc_nic *nic = dev->nic;

	if (nic == NULL)
		return;
	sc_sessions_drop_all(dev); /* its users are gone */
	/* Users before what they use. */
	free_all(dev, SC_TIR, sc_tir_free);
	free_all(dev, SC_RQT, sc_rqt_free);
	free_all(dev, SC_RQ, sc_rq_free);
	free_all(dev, SC_SQ, sc_sq_free);
	free_all(dev, SC_CQ, sc_cq_free);
	while (nic->held_first != NULL) {
		struct sc_held *held = nic->held_first;

		nic->held_first = held->next;
		free(held);
	}
	sc_frames_free(&nic->inbound);
	free(nic->tx);
	free(nic->rx);
	free(nic->gather);
	free(nic->sq.item);
	free(nic->rq.item);
	free(nic);
	dev->nic = NULL;
}

void
sc_nic_set_poll(struct sc_device *dev, bool poll_records)
{
	dev->nic->poll_records = poll_records;
}

void
sc_nic_set_event(struct sc_device *dev, sc_event_fn fn, void *arg)
{
	dev->nic->event = fn;
	dev->nic->event_arg = arg;
}

void
sc_nic_event(struct sc_device *dev, enum sc_event_type type, struct sc_object *obj, uint8_t syndrome)
{
	if (dev->nic->event != NULL)
		dev->nic->event(dev->nic->event_arg, type, obj, syndrome);
}

int
sc_list_add(struct sc_list *list, struct sc_object *obj)
{
	uint32_t at;

	if (list->nb == list->cap) {
		uint32_t cap = list->cap ? list->cap * 2 : 16;
		struct sc_object **item = realloc(list->item, cap * sizeof(struct sc_object *));

		if (item == NULL)
			return -ENOMEM;
		list->item = item;
		list->cap = cap;
	}
	for (at = list->nb; at > 0 && list->item[at - 1]->id > obj->id; at--)
		list->item[at] = list->item[at - 1];
	list->item[at] = obj;
	list->nb++;
	return 0;
}

void
sc_list_remove(struct sc_list *list, const struct sc_object *obj)
{
	for (uint32_t i = 0; i < list->nb; i++) {
		if (list->item[i] != obj)
			continue;
		memmove(list->item + i, list->item + i + 1, (list->nb - i - 1) * sizeof(*list->item));
		list->nb--;
		return;
	}
}

/* An Ethernet queue waits while the other end cannot take more; steering's queues never do. */
static bool
may_send(const struct sc_device *dev, const struct sc_sq *sq)
{
	return sq->non_wire || (!sc_frames_full(&dev->nic->inbound) && sc_wire_ready(dev));
}

static uint32_t
run_send_queues(struct sc_device *dev)
{
	struct sc_nic *nic = dev->nic;
	uint32_t done = 0;

	for (uint32_t i = 0; i < nic->sq.nb; i++) {
		struct sc_sq *sq = (struct sc_sq *)nic->sq.item[i];

		if (sq->state == SC_QUEUE_RST)
			continue;
		if (nic->poll_records)
			sc_sq_take_record(sq);
		if (sq->ci == sq->pi || sc_fault_stopped(dev, sq->obj.id) || !may_send(dev, sq))
			continue;
		done += sc_sq_run(dev, sq, SC_SQ_BUDGET);
	}
	return done;
}

/* What a driver posts to a receive queue in ERR comes back flushed. */
static uint32_t
flush_receive_queues(struct sc_device *dev)
{
	struct sc_nic *nic = dev->nic;
	uint32_t done = 0;

	for (uint32_t i = 0; nic->nb_err_rq != 0 && i < nic->rq.nb; i++) {
		struct sc_rq *rq = (struct sc_rq *)nic->rq.item[i];

		if (rq->state == SC_QUEUE_ERR)
			done += sc_rq_flush(dev, rq);
	}
	return done;
}

uint32_t
sc_nic_poll(struct sc_device *dev)
{
	uint32_t done = 0;

	if (dev->dead)
		return 0;
	dev->nic->now_ns = sc_now_ns();
	done += sc_port_drain(dev, ROUND_FRAMES);
	if (dev->nic->held_first != NULL)
		done += sc_port_release(dev);
	if (dev->nic->held_first == NULL)
		done += sc_wire_poll(dev, ROUND_FRAMES);
	dev->nic->sq_waits = false;
	done += run_send_queues(dev);
	done += flush_receive_queues(dev);
	if (dev->nic->sessions != NULL)
		sc_sessions_expire(dev);
	if (dev->nic->nb_moderated != 0)
		done += sc_cq_fire_moderated(dev);
	return done;
}

uint32_t
sc_nic_ask(struct sc_device *dev, bool busy)
{
	uint32_t done = dev->nic->held_first == NULL ? sc_wire_ask(dev, ROUND_FRAMES, busy) : 0;

	return done + sc_host_poll(dev, ROUND_FRAMES, busy);
}

static int
stray_doorbell(struct sc_device *dev, uint32_t uar, uint32_t offset, uint64_t value, const char *why)
{
	dev->nic->stats.stray++;
	sc_trace(dev, "doorbell uar %#x + %#x = %016llx: %s", uar, offset,
		(unsigned long long)be64toh(value), why);
	return -EINVAL;
}

/* Dword 0 as the arm word of the record, dword 1 the CQ. */
static int
arm_doorbell(struct sc_device *dev, uint32_t uar, uint64_t value)
{
	uint32_t word = (uint32_t)(be64toh(value) >> 32);
	struct sc_cq *cq = sc_object_find(dev, SC_CQ, (uint32_t)be64toh(value) & 0xffffff);

	if (cq == NULL)
		return stray_doorbell(dev, uar, 0x20, value, "no such CQ");
	if (cq->uar != uar)
		return stray_doorbell(dev, uar, 0x20, value, "the CQ is armed through another UAR");
	sc_cq_arm(cq, word >> 24 & 1, word & 0xffffff);
	return 0;
}

static int
send_doorbell(struct sc_device *dev, uint32_t uar, uint32_t offset, uint64_t value)
{
	struct sc_sq *sq = sc_object_find(dev, SC_SQ, (uint32_t)be64toh(value) >> 8);

	if (sq == NULL)
		return stray_doorbell(dev, uar, offset, value, "no such SQ");
	if (sq->uar != uar)
		return stray_doorbell(dev, uar, offset, value, "the SQ is rung through another UAR");
	sc_sq_doorbell(dev, sq, value);
	return 0;
}

int
sc_nic_doorbell(struct sc_device *dev, uint32_t uar, uint32_t offset, uint64_t value)
{
	if (offset == 0x20)
		return arm_doorbell(dev, uar, value);
	if ((offset & ~0x300u) == 0x800)
		return send_doorbell(dev, uar, offset, value);
	return stray_doorbell(dev, uar, offset, value, "no register there");
}

void
sc_nic_stats_get(const struct sc_device *dev, struct sc_nic_stats *stats)
{
	const struct sc_nic *nic = dev->nic;

	*stats = nic->stats;
	for (uint32_t i = 0; i < nic->sq.nb; i++)
		sc_sq_stats_add((const struct sc_sq *)nic->sq.item[i], stats);
}

int
sc_nic_fds(const struct sc_device *dev, int *fds, int max)
{
	int nb = 0;

	if (nb < max && sc_wire_fd(dev) >= 0 && dev->nic->held_first == NULL)
		fds[nb++] = sc_wire_fd(dev);
	if (nb < max && sc_host_fd(dev) >= 0)
		fds[nb++] = sc_host_fd(dev);
	if (nb < max && sc_host_netdev_fd(dev) >= 0)
		fds[nb++] = sc_host_netdev_fd(dev);
	return nb;
}

uint32_t
sc_nic_sleep_us(const struct sc_device *dev)
{
	/* While frames wait for a receive queue, the wire waits too. */
	uint32_t us = dev->nic->held_first != NULL ? UINT32_MAX : sc_wire_sleep_us(dev);
	uint32_t host = sc_host_sleep_us(dev);

	if (us > host)
		us = host;
	/*
	 * The finest step of an event's period, a session's patience, a packet's time; exact enough for
	 * what only delays.
	 */
	if ((dev->nic->nb_moderated != 0 || dev->nic->sessions != NULL || dev->nic->sq_waits) &&
	    us > MODERATION_STEP_US)
		us = MODERATION_STEP_US;
	return us;
}

bool
sc_nic_waits(const struct sc_device *dev)
{
	const struct sc_nic *nic = dev->nic;

	for (uint32_t i = 0; i < nic->sq.nb; i++) {
		const struct sc_sq *sq = (const struct sc_sq *)nic->sq.item[i];
		uint16_t record;

		if (sq->state != SC_QUEUE_RDY)
			continue;
		record = nic->poll_records ? (uint16_t)order_load_acquire_be32(sq->dbr + PRM_DBR_SND) : sq->pi;
		if (record != sq->ci && !(sq->stale && record == sq->stale_record))
			return true;
	}
	return false;
}

bool
sc_nic_watches(const struct sc_device *dev)
{
	return dev->nic->held_first != NULL || dev->nic->nb_err_rq != 0;
}

uint64_t
sc_nic_timestamp(const struct sc_device *dev, uint8_t ts_format, uint64_t ns)
{
	bool real_time = ts_format == PRM_TS_FORMAT_REAL_TIME ||
			 (ts_format == PRM_TS_FORMAT_DEFAULT && dev->settings->ts_format != 0);

	ns += dev->clock_offset;
	return real_time ? (ns / 1000000000) << 32 | ns % 1000000000 : ns;
}
