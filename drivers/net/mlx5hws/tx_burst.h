/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The body of all transmit bursts. flags is a constant where it is used: each use is a burst of its own, with what the port was
 * configured for and nothing else (tx_table.c). What a burst was not made for is still sent rightly, by the burst that
 * knows all, so a flag is about speed, not about what is possible; of a flag that a packet's wish needs, the table makes sure.
 *
 *	packets of one segment          -> sessions of a multi-packet descriptor (EMPW), each by pointer or copied (INLINE)
 *	several segments, a tag, TSO    -> a SEND or TSO descriptor of its own
 *	a time to leave at              -> a WAIT, then a descriptor of its own
 */
#ifndef MLX5HWS_TX_BURST_H
#define MLX5HWS_TX_BURST_H

#include "tx.h"
#include "tx_post.h"
#include "tx_quad.h"
#include "tx_wqe.h"

#define TX_SESSION_LEAST 18   /* a shorter packet is not copied into one */
#define TX_CS_WISHES \
	(RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_OUTER_IP_CKSUM | \
	 RTE_MBUF_F_TX_TUNNEL_MASK)

/* Can it be part of a session? */
static __rte_always_inline bool
tx_is_single(const struct mlx5hws_txq *txq, const struct rte_mbuf *m, const uint32_t flags)
{
	if ((flags & TX_TIME) && unlikely(m->ol_flags & txq->time_flag))
		return false;
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

/* What a session of pointers has in hand while it is filled. */
struct tx_filling {
	struct tx_shared shared;
	uintptr_t key_start, key_bytes;
	uint32_t lkey_be;
	uint32_t at;
	uint8_t *ds;
	uint64_t bytes;
#ifdef TX_QUAD
	struct tx_quad quad;
#endif
};

/* The key of the last packet: nearly always the next one's too. */
static __rte_always_inline void
tx_take_key(const struct mlx5hws_txq *txq, struct tx_filling *fill)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[txq->lkeys.last];

	fill->key_start = key->start;
	fill->key_bytes = key->end - key->start;
	fill->lkey_be = key->lkey_be;
#ifdef TX_QUAD
	tx_quad_key(&fill->quad, fill->key_start, fill->key_bytes, fill->lkey_be);
#endif
}

static __rte_always_inline void
tx_share(const struct mlx5hws_txq *txq, struct tx_shared *shared, const struct rte_mbuf *m, const uint32_t flags)
{
	shared->wishes = m->ol_flags & TX_CS_WISHES;
	shared->cs = flags & TX_CHECKSUM ? tx_checksum_flags(m->ol_flags) : 0;
	shared->meta_be = flags & TX_META ? tx_meta(txq, m) : 0;
}

/* Packets up to end, one by one. @return false: the next one is not of this session; its own if it is the first. */
static __rte_always_inline bool
tx_one_by_one(struct mlx5hws_txq *txq, const struct tx_run *run, struct tx_filling *fill, uint32_t end, bool *alone,
	      const uint32_t flags)
{
	while (fill->at != end) {
		const struct rte_mbuf *m = run->pkts[fill->at];
		uintptr_t addr = (uintptr_t)m->buf_addr;
		uint32_t len = m->data_len;

		if (unlikely(!tx_is_single(txq, m, flags) || !tx_fits(txq, &fill->shared, m, flags)))
			return false;
		if (unlikely(addr - fill->key_start >= fill->key_bytes)) {
			if (mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY) {
				*alone = fill->at == run->at;
				return false;
			}
			tx_take_key(txq, fill); /* it is the cache's last one now, and the packet comes again */
			continue;
		}
		tx_pointer(fill->ds, len, fill->lkey_be, addr + m->data_off);
		fill->bytes += len;
		fill->ds += TX_DS;
		fill->at++;
	}
	return true;
}

/* Packets up to end; neither session nor ring ends before. */
static __rte_always_inline bool
tx_fill_session(struct mlx5hws_txq *txq, const struct tx_run *run, struct tx_filling *fill, uint32_t end, bool *alone,
		const uint32_t flags)
{
#ifdef TX_QUAD
	while (!(flags & (TX_META | TX_TIME)) && end - fill->at >= TX_QUAD) {
		if (likely(tx_quad_four(&fill->quad, &run->pkts[fill->at], fill->ds))) {
			fill->at += TX_QUAD;
			fill->ds += TX_QUAD * TX_DS;
			continue;
		}
		if (!tx_one_by_one(txq, run, fill, fill->at + TX_QUAD, alone, flags))
			return false;
		if (flags & TX_CHECKSUM) /* other wishes may come to the same */
			fill->quad.wanted = tx_quad_wanted(fill->shared.wishes);
	}
#endif
	return tx_one_by_one(txq, run, fill, end, alone, flags);
}

/*
 * One session, of pointers alone. @return packets in it; 0: no room, or *alone: the next packet wants a descriptor of its own, or
 * cannot be sent.
 */
static __rte_always_inline uint32_t
tx_session(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), stop, nb;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi);
	struct tx_filling fill = { .at = run->at, .ds = wqe + TX_HEAD_DS * TX_DS };
	bool more = true;

	room = room > TX_HEAD_DS ? room - TX_HEAD_DS : 0;
	stop = RTE_MIN(run->nb, run->at + RTE_MIN(room, tx_free_elts(txq)));
	if (unlikely(run->at == stop))
		return 0;
	tx_share(txq, &fill.shared, run->pkts[run->at], flags);
#ifdef TX_QUAD
	tx_quad_begin(&fill.quad, flags & TX_CHECKSUM ? fill.shared.wishes : 0, (flags & TX_CHECKSUM ? TX_CS_WISHES : 0) |
		(flags & TX_TSO ? RTE_MBUF_F_TX_TCP_SEG : 0) | (flags & TX_VLAN ? RTE_MBUF_F_TX_VLAN : 0));
#endif
	tx_take_key(txq, &fill);
	while (more && fill.at != stop) {
		more = tx_fill_session(txq, run, &fill,
			RTE_MIN(stop, fill.at + (uint32_t)(run->ring.end - fill.ds) / TX_DS), alone, flags);
		fill.ds = tx_wrap(&run->ring, fill.ds);
	}
	nb = fill.at - run->at;
	if (unlikely(nb == 0))
		return 0;
#ifdef TX_QUAD
	fill.bytes += tx_quad_bytes(&fill.quad);
#endif
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, TX_HEAD_DS + nb, (uint32_t)fill.shared.cs << 24, fill.shared.meta_be, 0);
	tx_advance(txq, run, wqe, TX_HEAD_DS + nb);
	tx_keep(txq, &run->pkts[run->at], nb);
	run->bytes += fill.bytes;
	run->at = fill.at;
	run->copied = fill.at;
	return nb;
}

/* A packet into its place of so many units in a session, with its tag where it has one. @return the position behind. */
static __rte_always_inline uint8_t *
tx_copy_packet(const struct tx_ring *ring, uint8_t *ds, const struct rte_mbuf *m, uint32_t len, uint32_t units, bool tagged)
{
	const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t head = htobe32(1u << 31 | len);
	const uint32_t macs = 2 * RTE_ETHER_ADDR_LEN;
	uint8_t *end = ds + units * TX_DS;

	memcpy(ds, &head, sizeof(head));
	ds += sizeof(head);
	if (likely(!tagged && end <= ring->end)) {
		tx_copy_flat(ds, from, len);
		return likely(end != ring->end) ? end : ring->start;
	}
	if (tagged) {
		uint32_t tag_be = htobe32((uint32_t)RTE_ETHER_TYPE_VLAN << 16 | m->vlan_tci);

		ds = tx_copy(ring, ds, from, macs);
		ds = tx_copy(ring, ds, &tag_be, TX_TAG);
		from += macs;
		len -= macs + TX_TAG;
	}
	tx_copy(ring, ds, from, len);
	return tx_wrap(ring, end);
}

/* One session of packets that are copied where they are short, else pointed to. As tx_session. */
static __rte_always_inline uint32_t
tx_session_inline(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), used = TX_HEAD_DS, first = run->at;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), *ds = wqe + TX_HEAD_DS * TX_DS;
	struct rte_mbuf *m = run->pkts[first];
	struct tx_shared shared = { 0 };

	tx_share(txq, &shared, m, flags);
	for (; run->at != run->nb; run->at++) {
		bool tagged;
		uint32_t len, need;

		m = run->pkts[run->at];
		tagged = (flags & TX_VLAN) && m->ol_flags & RTE_MBUF_F_TX_VLAN;
		len = m->data_len + (tagged ? TX_TAG : 0);
		if (unlikely(!tx_is_single(txq, m, flags & ~TX_VLAN) || !tx_fits(txq, &shared, m, flags)))
			break;
		need = (sizeof(uint32_t) + len + TX_DS - 1) / TX_DS;
		if (likely(len <= txq->inline_empw && len > TX_SESSION_LEAST)) {
			if (used + need > room)
				break;
			ds = tx_copy_packet(&run->ring, ds, m, len, need, tagged);
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
			ds = tx_next(&run->ring, ds);
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

/* Take what has completed. Out of line: once a burst. */
static void tx_complete(struct mlx5hws_txq *txq, uint32_t nb);

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
	const uint16_t pi = txq->sq.pi;
	enum tx_result result;

	if ((flags & TX_TIME) && unlikely(m->ol_flags & txq->time_flag) && !tx_post_wait(txq, m))
		return false;
	if (tx_is_short(txq, m, flags)) {
		result = tx_post_short(txq, run, m, flags);
	} else if (!(flags & TX_SEGMENTS) && unlikely(m->nb_segs != 1)) {
		struct tx_run other = *run; /* so that run itself may stay in registers */

		result = tx_post_any(txq, &other, m);
		*run = other;
	} else {
		result = tx_post(txq, run, m, flags);
	}
	if (likely(result == TX_POSTED))
		return true;
	if (flags & TX_TIME)
		txq->sq.pi = pi; /* a WAIT for nothing: the device has not been told of it */
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
		bool alone = false, other = false;

		if ((flags & TX_EMPW) && likely(tx_is_single(txq, run->pkts[run->at], flags & TX_INLINE ? flags & ~TX_VLAN : flags))) {
			if (likely((flags & TX_INLINE ? tx_session_inline(txq, run, &alone, flags) :
				tx_session(txq, run, &alone, flags)) != 0))
				continue;
			if (!alone)
				break;
		} else if (!(flags & TX_INLINE) && (!(flags & TX_EMPW) || flags & TX_VLAN)) {
			if (likely(tx_singles(txq, run, &other, flags) != 0))
				continue;
			if (!other)
				break;
		}
		more = tx_alone(txq, run, flags);
	}
	tx_free_copied(txq, run, flags);
}

/*
 * Lines that will be written come into the cache side by side while completions are looked at; a store that misses would hold up
 * all stores behind it.
 */
static __rte_always_inline void
tx_prefetch(const struct mlx5hws_txq *txq, uint32_t nb_pkts, const uint32_t flags)
{
	uint32_t lines = flags & TX_EMPW && !(flags & (TX_INLINE | TX_SEGMENTS)) ? nb_pkts / TX_DS_PER_WQEBB + 1 : nb_pkts;
	const uint8_t *elts = (const uint8_t *)&txq->elts[txq->elts_head & txq->elts_mask];
	uint16_t pi = txq->sq.pi;

	for (lines = RTE_MIN(lines, 32u); lines != 0; lines--)
		__builtin_prefetch(hca_sq_wqebb(&txq->sq, pi++), 1);
	for (uint32_t at = 0; at < RTE_MIN(nb_pkts, 64u) * sizeof(uintptr_t); at += RTE_CACHE_LINE_SIZE)
		__builtin_prefetch(elts + at, 1);
}

static __rte_always_inline uint16_t
tx_burst(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint16_t nb_pkts, const uint32_t flags)
{
	struct tx_run run = { .pkts = pkts, .nb = nb_pkts };
	uint32_t posted;

	if (unlikely(txq->state != MLX5HWS_TX_GOOD) && !mlx5hws_tx_revive(txq))
		return 0;
	tx_prefetch(txq, nb_pkts, flags);
	mlx5hws_lkey_cache_check(&txq->lkeys);
	if (hca_cq_peek(&txq->cq) != NULL) {
		tx_complete(txq, UINT32_MAX);
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
