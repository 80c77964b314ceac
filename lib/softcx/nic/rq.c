/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The receive queue: a frame meets the next WQE, is scattered, described in a CQE. The cyclic kind is
 * here, the striding one in striding.c.
 */
#include <string.h>

#include "prm/cqe.h"
#include "prm/queue.h"
#include "prm/wqe.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/dma.h"
#include "softcx/core/fault.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/checksum.h"
#include "util/order.h"

#define LAG_MIN_CQ     63    /* smaller queues are used up to their end */
#define LKEY_TERMINATE 0x100 /* with byte count 0: the list ends here */
#define FCS_BYTES      4

/* The record is read when the WQEs it told of are used up; waiting for it to move costs the bus nothing. */
uint32_t
sc_rq_posted(struct sc_rq *rq, uint32_t want)
{
	struct sc_device *dev = rq->obj.dev;
	uint32_t known = (uint16_t)(rq->pi - rq->ci), posted;

	if (want != 0 && known >= want)
		return known;
	posted = (uint16_t)(order_load_acquire_be32(rq->dbr + PRM_DBR_RCV) - rq->ci);
	if (want == 0 || posted == known)
		return posted;
	sc_account_read(&dev->account, SC_BUS_RECORD, rq->dbr, 4);
	if (posted > rq->mask + 1) {
		sc_complain(dev, "rq %#x doorbell record is %u WQEs ahead of %u; the ring has %u", rq->obj.id,
			posted, rq->ci, rq->mask + 1);
		sc_rq_to_error(dev, rq);
		sc_nic_event(dev, SC_EVENT_WQ_CATASTROPHIC, &rq->obj, 0);
		return 0;
	}
	rq->pi = (uint16_t)(rq->ci + posted);
	return posted;
}

/* ---- cyclic: one WQE of 2^n SGEs for one frame ---- */

static bool
cyclic_has_room(struct sc_rq *rq, uint32_t len)
{
	return sc_rq_posted(rq, 1) != 0;
}

static uint32_t
cyclic_nb_cqes(const struct sc_rq *rq, uint32_t len)
{
	return 1;
}

static void
cyclic_place(const struct sc_rq *rq, struct sc_cqe *cqe)
{
	prm_set(cqe->bytes, PRM_CQE_WQE_COUNTER, rq->ci);
}

static void
cyclic_skip(struct sc_rq *rq)
{
	rq->ci++;
}

static uint8_t
cyclic_scatter(
	struct sc_device *dev, struct sc_rq *rq, const uint8_t *frame, uint32_t len, struct sc_cqe *cqe)
{
	const uint8_t *sge = rq->ring + ((size_t)(rq->ci & rq->mask) << rq->log_stride);
	const uint8_t *end = sge + ((size_t)1 << rq->log_stride);
	uint32_t done = 0;

	sc_account_read(&dev->account, SC_BUS_WQE, sge, (uint64_t)(end - sge));
	prm_set(cqe->bytes, PRM_CQE_WQE_COUNTER, rq->ci);
	prm_set(cqe->bytes, PRM_CQE_BYTE_CNT, len);
	for (; sge < end && done < len; sge += PRM_WQE_DATA_BYTES) {
		uint32_t room = prm_get(sge, PRM_WQE_DATA_BYTE_COUNT),
			 lkey = prm_get(sge, PRM_WQE_DATA_LKEY), n = len - done;
		uint64_t va = prm_get64(sge, PRM_WQE_DATA_ADDR);

		if (room == 0 && lkey == LKEY_TERMINATE)
			break;
		if (room >> 31) {
			sc_complain(dev, "rq %#x WQE %u: byte count %#x has bit 31 set", rq->obj.id, rq->ci, room);
			return PRM_CQE_SYND_LOCAL_QP_OP;
		}
		if (n > room)
			n = room;
		if (n != 0 && sc_dma_write(dev, lkey, rq->pd, va, frame + done, n) != 0) {
			sc_complain(dev, "rq %#x WQE %u: lkey %#x does not allow %u bytes at %#llx",
				rq->obj.id, rq->ci, lkey, n, (unsigned long long)va);
			return PRM_CQE_SYND_LOCAL_PROT;
		}
		done += n;
	}
	if (done < len)
		return PRM_CQE_SYND_LOCAL_LENGTH;
	rq->ci++;
	return 0;
}

const struct sc_rq_ops sc_rq_cyclic = {
	.has_room = cyclic_has_room, .nb_cqes = cyclic_nb_cqes, .scatter = cyclic_scatter, .place = cyclic_place,
	.skip = cyclic_skip,
};

/* ---- states ---- */

void
sc_rq_to_error(struct sc_device *dev, struct sc_rq *rq)
{
	if (rq->state == SC_QUEUE_ERR)
		return;
	rq->state = SC_QUEUE_ERR;
	dev->nic->nb_err_rq++;
	sc_trace(dev, "rq %#x goes to ERR at WQE %u", rq->obj.id, rq->ci);
}

void
sc_rq_reset(struct sc_rq *rq)
{
	if (rq->state == SC_QUEUE_ERR)
		rq->obj.dev->nic->nb_err_rq--;
	rq->state = SC_QUEUE_RST;
	rq->filled = false;
	rq->ci = rq->pi = 0;
	rq->node = 0;
	rq->used = 0;
}

/* cqe: place filled in, of a frame or WQE that failed. */
static void
complete_error(struct sc_device *dev, struct sc_rq *rq, struct sc_cqe *cqe, uint8_t syndrome)
{
	if (rq->counter != NULL) {
		uint32_t *count = syndrome == PRM_CQE_SYND_WR_FLUSH ? &rq->counter->resp_cqe_flush_error
								    : &rq->counter->resp_cqe_error;

		(*count)++;
		rq->counter->resp_local_length_error += syndrome == PRM_CQE_SYND_LOCAL_LENGTH;
	}
	prm_set(cqe->bytes, PRM_ERR_CQE_SRQN_UIDX, rq->user_index);
	prm_set(cqe->bytes, PRM_ERR_CQE_SYNDROME, syndrome);
	prm_set(cqe->bytes, PRM_ERR_CQE_QPN, rq->obj.id);
	prm_set(cqe->bytes, PRM_CQE_OPCODE, PRM_CQE_RESP_ERR);
	sc_cq_write(dev, rq->cq, cqe, true);
}

uint32_t
sc_rq_flush(struct sc_device *dev, struct sc_rq *rq)
{
	uint32_t posted = sc_rq_posted(rq, 0), done = 0;

	if (posted > rq->mask + 1)
		posted = rq->mask + 1;
	if (!rq->flush_in_error || rq->cq->status != 0) {
		rq->ci = (uint16_t)(rq->ci + posted);
		return 0;
	}
	dev->account.queue = rq->bus;
	for (; done < posted && sc_cq_has_room(rq->cq, 1); done++) {
		struct sc_cqe cqe = { 0 };

		rq->ops->place(rq, &cqe);
		rq->used = 0;
		rq->ci++;
		complete_error(dev, rq, &cqe, PRM_CQE_SYND_WR_FLUSH);
	}
	dev->account.queue = NULL;
	return done;
}

/* ---- one frame ---- */

bool
sc_rq_listens(struct sc_rq *rq)
{
	if (rq->state != SC_QUEUE_RDY)
		return false;
	if (!rq->filled)
		rq->filled = sc_rq_posted(rq, 0) != 0;
	return rq->filled;
}

static bool
is_tagged(const struct sc_packet *pkt)
{
	return pkt->len >= 18 && sc_load16(pkt->data + 12) == 0x8100;
}

uint32_t
sc_rq_length(const struct sc_rq *rq, const struct sc_packet *pkt)
{
	return pkt->len + (rq->scatter_fcs && !pkt->loopback ? FCS_BYTES : 0) - (!rq->vsd && is_tagged(pkt) ? 4 : 0);
}

bool
sc_rq_starved(struct sc_rq *rq, const struct sc_packet *pkt)
{
	uint32_t len = sc_rq_length(rq, pkt);
	struct sc_account *account = &rq->obj.dev->account;
	bool starved;

	account->queue = rq->bus;
	starved = sc_rq_listens(rq) && rq->cq->status == 0 &&
		  !(rq->ops->has_room(rq, len) && sc_cq_has_room(rq->cq, rq->ops->nb_cqes(rq, len)));
	account->queue = NULL;
	return starved;
}

bool
sc_rq_lags(struct sc_rq *rq)
{
	return rq->state == SC_QUEUE_RDY && rq->cq->mask >= LAG_MIN_CQ &&
	       sc_cq_unread(rq->cq) > rq->cq->mask / 2;
}

static void
out_of_buffer(struct sc_rq *rq)
{
	rq->out_of_buffer++;
	if (rq->counter != NULL)
		rq->counter->out_of_buffer++;
}

/* The outermost C-tag leaves the frame. @return true and its TCI. */
static bool
strip_vlan(struct sc_packet *pkt, uint16_t *tci)
{
	if (!is_tagged(pkt))
		return false;
	*tci = sc_load16(pkt->data + 14);
	memmove(pkt->data + 4, pkt->data, 12);
	pkt->data += 4;
	pkt->len -= 4;
	return true;
}

static uint32_t
l4_header_type(const uint8_t *frame, const struct sc_parse_level *level)
{
	if (level->l4 == SC_ABSENT || level->fragment)
		return PRM_CQE_L4_NONE;
	if (level->l4_type == SC_L4_UDP)
		return PRM_CQE_L4_UDP;
	if (level->l4_type != SC_L4_TCP)
		return PRM_CQE_L4_NONE;
	if (!(frame[level->l4 + 13] & 0x10))
		return PRM_CQE_L4_TCP_NO_ACK;
	return level->l3_end > level->payload ? PRM_CQE_L4_TCP_ACK_DATA : PRM_CQE_L4_TCP_ACK;
}

static void
describe_headers(const uint8_t *frame, const struct sc_parse_level *level, uint8_t *at)
{
	bool has_sum = level->l4_type == SC_L4_TCP || level->l4_type == SC_L4_UDP;

	prm_set(at, PRM_CQE_L2_OK, 1);
	if (level->l3 == SC_ABSENT)
		return;
	prm_set(at, PRM_CQE_L3_HDR_TYPE, level->l3_type == SC_L3_IPV6 ? PRM_CQE_L3_IPV6 : PRM_CQE_L3_IPV4);
	prm_set(at, PRM_CQE_L4_HDR_TYPE, l4_header_type(frame, level));
	prm_set(at, PRM_CQE_IP_EXT_OPTS, level->options);
	prm_set(at, PRM_CQE_IP_FRAG, level->fragment);
	prm_set(at, PRM_CQE_L3_OK, level->l3_checksum_ok);
	prm_set(at, PRM_CQE_L4_OK, has_sum && level->l4_checksum_ok);
}

/* What the CQE says of the frame's headers; all offsets are still those of the unstripped frame. */
static void
describe(struct sc_device *dev, const struct sc_rq *rq, const struct sc_packet *pkt, struct sc_parse *parse,
	const struct sc_rss *rss, struct sc_cqe *cqe)
{
	uint8_t *at = cqe->bytes;

	sc_parse_verify(pkt->data, pkt->len, parse);
	prm_set(at, PRM_CQE_TUNNELED, parse->tunnel_type != SC_TUNNEL_NONE);
	prm_set(at, PRM_CQE_OUTER_L3_IPV6,
		parse->outer.l3 != SC_ABSENT && parse->outer.l3_type == SC_L3_IPV6);
	prm_set(at, PRM_CQE_RX_HASH_RESULT, rss->hash);
	prm_set(at, PRM_CQE_RX_HASH_TYPE, rss->type);
	if (parse->outer.l3 != SC_ABSENT && parse->outer.l3_ok)
		prm_set(at, PRM_CQE_CHECK_SUM,
			sc_sum_fold(sc_sum_add(0, pkt->data + parse->outer.l3,
				(uint32_t)parse->outer.l3_end - parse->outer.l3)));
	prm_set(at, PRM_CQE_RQPN, rq->obj.id);
	describe_headers(pkt->data, sc_parse_innermost(parse), at);
	prm_set(at, PRM_CQE_LRO_NUM_SEG, 1);
	prm_set(at, PRM_CQE_USER_INDEX, rq->user_index);
	prm_set(at, PRM_CQE_FLOW_TABLE_METADATA, pkt->reg[SC_REG_B]);
	prm_set64(at, PRM_CQE_TIMESTAMP, sc_nic_timestamp(dev, rq->ts_format, pkt->timestamp_ns));
	prm_set(at, PRM_CQE_FLOW_TAG, pkt->flow_tag);
	prm_set(at, PRM_CQE_OPCODE, PRM_CQE_RESP_SEND);
}

static void
append_fcs(struct sc_packet *pkt)
{
	uint32_t fcs = htole32(sc_crc32(pkt->data, pkt->len));

	memcpy(pkt->data + pkt->len, &fcs, sizeof(fcs));
	pkt->len += (uint32_t)sizeof(fcs);
}

/* One event when fewer than lwm WQEs are left; the driver arms it anew. */
static void
check_limit(struct sc_device *dev, struct sc_rq *rq)
{
	if (rq->lwm == 0 || sc_rq_posted(rq, 0) >= rq->lwm)
		return;
	rq->lwm = 0;
	sc_nic_event(dev, SC_EVENT_RQ_LIMIT, &rq->obj, 0);
}

/*
 * The frame for the WQE (or strides) to be used next ends in an error; all but a wrong length stop the
 * queue.
 */
static void
fail(struct sc_device *dev, struct sc_rq *rq, uint8_t syndrome)
{
	struct sc_cqe cqe = { 0 };

	rq->errors++;
	rq->ops->place(rq, &cqe);
	rq->ops->skip(rq);
	complete_error(dev, rq, &cqe, syndrome);
	if (syndrome != PRM_CQE_SYND_LOCAL_LENGTH)
		sc_rq_to_error(dev, rq);
}

static void
receive(struct sc_device *dev, struct sc_rq *rq, struct sc_packet *pkt, struct sc_parse *parse,
	const struct sc_rss *rss)
{
	uint32_t len = sc_rq_length(rq, pkt);
	struct sc_cqe cqe = { 0 };
	uint8_t syndrome;
	uint16_t tci;

	if (rq->state != SC_QUEUE_RDY || !rq->ops->has_room(rq, len)) {
		out_of_buffer(rq);
		return;
	}
	if (!sc_cq_has_room(rq->cq, rq->ops->nb_cqes(rq, len)) || sc_fault_queue(dev, SC_CQ, rq->cq->obj.id) != 0) {
		if (rq->counter != NULL)
			rq->counter->cq_overflow++;
		sc_cq_overrun(dev, rq->cq);
		return;
	}
	describe(dev, rq, pkt, parse, rss, &cqe);
	if (rq->scatter_fcs && !pkt->loopback)
		append_fcs(pkt);
	if (!rq->vsd && strip_vlan(pkt, &tci)) {
		prm_set(cqe.bytes, PRM_CQE_CV, 1);
		prm_set(cqe.bytes, PRM_CQE_VLAN_INFO, tci);
	}
	pkt->parse = NULL; /* the frame changed */
	syndrome = sc_fault_queue(dev, SC_RQ, rq->obj.id);
	if (syndrome == 0)
		syndrome = rq->ops->scatter(dev, rq, pkt->data, pkt->len, &cqe);
	if (syndrome != 0) {
		fail(dev, rq, syndrome);
		return;
	}
	rq->packets++;
	rq->octets += pkt->len;
	if (rq->cq->session != NULL)
		sc_session_put(rq->cq, &cqe, rq->strides == 0 ? 1 : prm_get(cqe.bytes, PRM_CQE_MPRQ_STRIDES));
	else
		sc_cq_write(dev, rq->cq, &cqe, false);
	check_limit(dev, rq);
}

void
sc_rq_receive(struct sc_device *dev, struct sc_rq *rq, struct sc_packet *pkt, struct sc_parse *parse,
	const struct sc_rss *rss)
{
	dev->account.queue = rq->bus;
	receive(dev, rq, pkt, parse, rss);
	dev->account.queue = NULL;
}
