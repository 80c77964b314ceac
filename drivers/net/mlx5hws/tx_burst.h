/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The body of all transmit bursts. flags is a constant where it is used: each use is a burst of its own, with what the port was
 * configured for and nothing else (tx_table.c). What a burst was not made for is still sent rightly, by the burst that
 * knows all, so a flag is about speed, not about what is possible; of a flag that a packet's wish needs, the table makes sure.
 *
 *	packets of one segment          -> sessions of a multi-packet descriptor (EMPW), each by pointer or copied (INLINE)
 *	several segments, a tag, TSO    -> a SEND or TSO descriptor of its own
 */
#ifndef MLX5HWS_TX_BURST_H
#define MLX5HWS_TX_BURST_H

#include "tx.h"
#include "tx_post.h"
#include "tx_wqe.h"

#define TX_SESSION_DS 60      /* as long as any driver makes one */
#define TX_SESSION_LEAST 18   /* a shorter packet is not copied into one */
#define TX_CS_WISHES \
	(RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_OUTER_IP_CKSUM | \
	 RTE_MBUF_F_TX_TUNNEL_MASK)

/* Can it be part of a session? */
static __rte_always_inline bool
tx_is_single(const struct rte_mbuf *m, const uint32_t flags)
{
	if (unlikely(m->nb_segs != 1 || m->data_len < RTE_ETHER_HDR_LEN))
		return false;
	if ((flags & TX_TSO) && unlikely(m->ol_flags & RTE_MBUF_F_TX_TCP_SEG))
		return false;
	return !(flags & TX_VLAN) || likely(!(m->ol_flags & RTE_MBUF_F_TX_VLAN));
}

/* What all packets of a session share. */
struct tx_shared {
	uint64_t wishes;
	uint32_t meta_be;
	uint8_t cs;
};

static __rte_always_inline bool
tx_fits(const struct mlx5hws_txq *txq, struct tx_shared *shared, const struct rte_mbuf *m, const uint32_t flags)
{
	if (flags & TX_CHECKSUM && unlikely((m->ol_flags & TX_CS_WISHES) != shared->wishes)) {
		if (tx_checksum_flags(m->ol_flags) != shared->cs)
			return false;
		shared->wishes = m->ol_flags & TX_CS_WISHES;
	}
	return !(flags & TX_META) || likely(tx_meta(txq, m) == shared->meta_be);
}

/* Entries of a run of packets of one segment, as the application lists them. */
static __rte_always_inline void
tx_keep(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint32_t nb)
{
	uint32_t at = txq->elts_head & txq->elts_mask, to_end = txq->elts_mask + 1 - at;

	txq->elts_head += nb;
	if (unlikely(nb > to_end)) {
		memcpy(&txq->elts[at], pkts, to_end * sizeof(*pkts));
		memcpy(txq->elts, pkts + to_end, (nb - to_end) * sizeof(*pkts));
		return;
	}
	memcpy(&txq->elts[at], pkts, nb * sizeof(*pkts));
}

/*
 * One session, of pointers alone. @return packets in it; 0: no room, or *alone: the next packet wants a descriptor of its own, or
 * cannot be sent.
 */
static __rte_always_inline uint32_t
tx_session(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), at = run->at, first = at, stop, chunk, nb;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), *ds = wqe + TX_HEAD_DS * TX_DS;
	struct rte_mbuf **const pkts = run->pkts, *m = pkts[at];
	struct tx_shared shared = { 0 };
	uint64_t bytes = 0;

	room = room > TX_HEAD_DS ? room - TX_HEAD_DS : 0;
	stop = RTE_MIN(run->nb, at + RTE_MIN(room, tx_free_elts(txq)));
	if (unlikely(at == stop))
		return 0;
	shared.wishes = m->ol_flags & TX_CS_WISHES;
	shared.cs = flags & TX_CHECKSUM ? tx_checksum_flags(m->ol_flags) : 0;
	shared.meta_be = flags & TX_META ? tx_meta(txq, m) : 0;
	do {
		const struct mlx5hws_lkey *key = &txq->lkeys.entries[txq->lkeys.last];
		const uintptr_t key_start = key->start, key_bytes = key->end - key->start;
		const uint32_t lkey_be = key->lkey_be;

		/* As far as neither the session nor the ring ends: no such test for each packet. */
		chunk = RTE_MIN(stop, at + (uint32_t)(run->ring.end - ds) / TX_DS);
		while (at != chunk) {
			uintptr_t addr;
			uint32_t len;

			m = pkts[at];
			addr = (uintptr_t)m->buf_addr;
			len = m->data_len;
			if (unlikely(!tx_is_single(m, flags) || !tx_fits(txq, &shared, m, flags))) {
				stop = at;
				break;
			}
			if (unlikely(addr - key_start >= key_bytes)) {
				/* Another key: it is the cache's last one now, and the packet comes again. */
				if (mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY) {
					*alone = at == first;
					stop = at;
				}
				break;
			}
			tx_pointer(ds, len, lkey_be, addr + m->data_off);
			bytes += len;
			ds += TX_DS;
			at++;
		}
		ds = tx_wrap(&run->ring, ds);
	} while (at != stop);
	nb = at - first;
	if (unlikely(nb == 0))
		return 0;
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, TX_HEAD_DS + nb, (uint32_t)shared.cs << 24, shared.meta_be, 0);
	tx_advance(txq, run, wqe, TX_HEAD_DS + nb);
	tx_keep(txq, &pkts[first], nb);
	run->bytes += bytes;
	run->at = at;
	run->copied = at;
	return nb;
}

/* A packet into its place in a session, with its tag where it has one. @return the position behind. */
static __rte_always_inline uint8_t *
tx_copy_packet(const struct tx_ring *ring, uint8_t *ds, const struct rte_mbuf *m, uint32_t len, bool tagged)
{
	const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t head = htobe32(1u << 31 | len), tag_be = htobe32((uint32_t)RTE_ETHER_TYPE_VLAN << 16 | m->vlan_tci);
	const uint32_t macs = 2 * RTE_ETHER_ADDR_LEN;

	memcpy(ds, &head, sizeof(head));
	ds += sizeof(head);
	if (unlikely(tagged)) {
		ds = tx_copy(ring, ds, from, macs);
		ds = tx_copy(ring, ds, &tag_be, TX_TAG);
		from += macs;
		len -= macs + TX_TAG;
	}
	return tx_align(ring, tx_copy(ring, ds, from, len));
}

/* One session of packets that are copied where they are short, else pointed to. As tx_session. */
static __rte_always_inline uint32_t
tx_session_inline(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), used = TX_HEAD_DS, first = run->at;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), *ds = wqe + TX_HEAD_DS * TX_DS;
	struct rte_mbuf *m = run->pkts[first];
	struct tx_shared shared = { 0 };

	shared.wishes = m->ol_flags & TX_CS_WISHES;
	shared.cs = flags & TX_CHECKSUM ? tx_checksum_flags(m->ol_flags) : 0;
	shared.meta_be = flags & TX_META ? tx_meta(txq, m) : 0;
	for (; run->at != run->nb; run->at++) {
		bool tagged;
		uint32_t len, need;

		m = run->pkts[run->at];
		tagged = (flags & TX_VLAN) && m->ol_flags & RTE_MBUF_F_TX_VLAN;
		len = m->data_len + (tagged ? TX_TAG : 0);
		if (unlikely(!tx_is_single(m, flags & ~TX_VLAN) || !tx_fits(txq, &shared, m, flags)))
			break;
		need = (sizeof(uint32_t) + len + TX_DS - 1) / TX_DS;
		if (likely(len <= txq->inline_empw && len > TX_SESSION_LEAST)) {
			if (used + need > room)
				break;
			ds = tx_copy_packet(&run->ring, ds, m, len, tagged);
			used += need;
		} else {
			uint32_t lkey_be = mlx5hws_lkey(&txq->lkeys, m);

			/* A tag, or headers that must be inlined: the packet is copied or has a descriptor of its own. */
			if (unlikely(tagged || txq->inline_required || lkey_be == MLX5HWS_NO_LKEY)) {
				*alone = run->at == first;
				break;
			}
			if (used + 1 > room || tx_free_elts(txq) == 0)
				break;
			tx_free_copied(txq, run, flags);
			tx_pointer(ds, len, lkey_be, rte_pktmbuf_mtod(m, uintptr_t));
			ds = tx_wrap(&run->ring, ds + TX_DS);
			txq->elts[txq->elts_head++ & txq->elts_mask] = (uintptr_t)m;
			run->copied = run->at + 1;
			used++;
		}
		run->bytes += len;
	}
	if (unlikely(run->at == first))
		return 0;
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, used, (uint32_t)shared.cs << 24, shared.meta_be, 0);
	tx_advance(txq, run, wqe, used);
	return run->at - first;
}

/*
 * ---- the burst
 */

/* Ask for a completion with the last descriptor when enough waits since the last request. */
static __rte_always_inline void
tx_request_completion(struct mlx5hws_txq *txq, uint8_t *last)
{
	uint32_t blocks = (uint16_t)(txq->sq.pi - txq->request_pi), elts = txq->elts_head - txq->request_elts;
	struct mlx5hws_tx_mark *mark;

	/* Buffers too: many empty segments fill their ring before the descriptors fill theirs. */
	if (txq->packets_head - txq->request_packets < MLX5HWS_TX_COMP_PACKETS &&
	    blocks < (txq->sq.mask + 1u) / MLX5HWS_TX_SHARE && elts < (txq->elts_mask + 1) / MLX5HWS_TX_SHARE)
		return;
	mark = &txq->marks[txq->mark_head++ & txq->marks_mask];
	mark->elts_head = txq->elts_head;
	mark->packets = txq->packets_head;
	mark->pi = txq->sq.pi;
	tx_request(last);
	txq->request_pi = txq->sq.pi;
	txq->request_elts = txq->elts_head;
	txq->request_packets = txq->packets_head;
}

/* The next packet in a descriptor of its own. @return whether to go on. */
static __rte_always_inline bool
tx_alone(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	struct rte_mbuf *m = run->pkts[run->at];
	enum tx_result result;

	if (!(flags & TX_SEGMENTS) && unlikely(m->nb_segs != 1)) {
		struct tx_run other = *run; /* so that run itself may stay in registers */

		result = mlx5hws_tx_post_any(txq, &other, m);
		*run = other;
	} else {
		result = tx_post(txq, run, m, flags);
	}
	if (likely(result == TX_POSTED))
		return true;
	if (result == TX_NO_ROOM)
		return false;
	tx_free_copied(txq, run, flags);
	rte_pktmbuf_free(m);
	run->dropped++;
	run->copied = ++run->at;
	return true;
}

static __rte_always_inline void
tx_fill(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	bool more = true;

	while (more && run->at != run->nb) {
		bool alone = false;

		if ((flags & TX_EMPW) && likely(tx_is_single(run->pkts[run->at], flags & TX_INLINE ? flags & ~TX_VLAN : flags))) {
			if (likely((flags & TX_INLINE ? tx_session_inline(txq, run, &alone, flags) :
				tx_session(txq, run, &alone, flags)) != 0))
				continue;
			if (!alone)
				break;
		}
		more = tx_alone(txq, run, flags);
	}
	tx_free_copied(txq, run, flags);
}

static __rte_always_inline uint16_t
tx_burst(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint16_t nb_pkts, const uint32_t flags)
{
	struct tx_run run = { .pkts = pkts, .nb = nb_pkts };
	uint32_t posted;

	if (unlikely(txq->state != MLX5HWS_TX_GOOD) && !mlx5hws_tx_revive(txq))
		return 0;
	mlx5hws_lkey_cache_check(&txq->lkeys);
	if (hca_cq_peek(&txq->cq) != NULL) {
		mlx5hws_tx_complete(txq, UINT32_MAX);
		if (unlikely(txq->state != MLX5HWS_TX_GOOD))
			return 0;
	}
	run.ring.start = txq->sq.ring;
	run.ring.end = txq->sq.ring + (txq->sq.mask + 1u) * HCA_WQEBB_BYTES;
	tx_fill(txq, &run, flags);
	posted = run.at - run.dropped;
	if (likely(posted != 0)) {
		txq->packets_head += posted;
		tx_request_completion(txq, run.last);
		hca_sq_doorbell(&txq->sq, run.last);
		mlx5hws_count(&txq->packets, posted);
		mlx5hws_count(&txq->bytes, run.bytes);
	}
	if (unlikely(run.dropped != 0))
		mlx5hws_count(&txq->errors, run.dropped);
	return (uint16_t)run.at;
}

#endif
