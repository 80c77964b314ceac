/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One packet in a descriptor of its own, SEND or TSO: any number of segments, headers or all of it inlined, a tag by the
 * device or by hand (runs of plainer ones: tx_singles.h, tx_chains.h); in front of it a WAIT where it has a time to leave at. And what
 * a burst has in hand. flags as in tx_burst.h: constants.
 */
#ifndef MLX5HWS_TX_POST_H
#define MLX5HWS_TX_POST_H

#include "tx.h"
#include "tx_plain.h"
#include "tx_wqe.h"

/* What a burst has in hand. It lives in registers. */
struct tx_run {
	struct rte_mbuf **pkts;
	uint32_t at, nb;         /* the next packet, all packets */
	uint32_t copied;         /* packets from here to at were copied into descriptors and are to be freed: */
	struct tx_plain plain;   /* those */
	uint8_t *last;           /* the newest descriptor */
	uint64_t bytes;          /* of all frames */
	uint32_t more_frames;    /* of packets that are cut, beside the first */
	uint32_t dropped;
	struct tx_ring ring;
};

static __rte_always_inline uint32_t
tx_free_ds(const struct mlx5hws_txq *txq)
{
	return (txq->sq.mask + 1u - (uint16_t)(txq->sq.pi - txq->done_pi)) * TX_DS_PER_WQEBB;
}

static __rte_always_inline uint32_t
tx_free_elts(const struct mlx5hws_txq *txq)
{
	return txq->elts_mask + 1 - (txq->elts_head - txq->elts_tail);
}

static __rte_always_inline uint32_t
tx_meta(const struct mlx5hws_txq *txq, const struct rte_mbuf *m)
{
	return m->ol_flags & txq->meta_flag ? htobe32(*RTE_MBUF_DYNFIELD(m, txq->meta_offset, const uint32_t *)) : 0;
}

/* Packets of one segment, as the application gave them, go back to pool; NULL: each to its own. Out of line. */
static void tx_free_packets(struct rte_mbuf **pkts, uint32_t nb, struct rte_mempool *pool);

/* Packets that were copied have no entry in elts: they go home together. */
static __rte_always_inline void
tx_free_copied(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	if ((flags & TX_INLINE) && run->at != run->copied) {
		tx_free_packets(&run->pkts[run->copied], run->at - run->copied,
				run->plain.doubts == 0 ? run->plain.pool : NULL);
		run->plain.doubts = 0;
	}
	run->copied = run->at;
}

static __rte_always_inline void
tx_advance(struct mlx5hws_txq *txq, struct tx_run *run, uint8_t *wqe, uint32_t ds)
{
	run->last = wqe;
	txq->sq.pi = (uint16_t)(txq->sq.pi + (ds + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB);
}

/*
 * The queue stands still until the packet's time has come: while its clock is behind, cyclically. nic.md 2.9. @return
 * whether there was room.
 */
static __rte_always_inline bool
tx_post_wait(struct mlx5hws_txq *txq, const struct rte_mbuf *m)
{
	uint64_t when = *RTE_MBUF_DYNFIELD(m, txq->time_offset, const uint64_t *);
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi);

	if (unlikely(tx_free_ds(txq) < TX_DS_PER_WQEBB))
		return false;
	if (txq->real_time)
		when = when / TX_NS_PER_S << 32 | when % TX_NS_PER_S;
	tx_store16(wqe, htobe32((uint32_t)PRM_WQE_WAIT_ON_TIME << 24 | (uint32_t)txq->sq.pi << 8 | PRM_WQE_OP_WAIT),
		htobe32(txq->sq.sqn << 8 | PRM_WQE_WAIT_DS), htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0);
	tx_store16(wqe + TX_DS, htobe32(PRM_WQE_WAIT_CYCLIC_SMALLER), 0, 0, 0);
	tx_store16(wqe + 2 * TX_DS, htobe32((uint32_t)(when >> 32)), htobe32((uint32_t)when), UINT32_MAX, UINT32_MAX);
	txq->sq.pi++;
	return true;
}

enum tx_result { TX_POSTED, TX_NO_ROOM, TX_BAD };

/* Where the data of a chain is read. Segments that are left behind stand in elts, behind its head: they count with the packet. */
struct tx_chain {
	struct rte_mbuf *m;
	uint32_t offset, left; /* in m; segments from m on */
	uint32_t at;           /* where the next one is kept: of these */
	uintptr_t *elts, chained;
	uint32_t mask;
};

static __rte_always_inline void
tx_leave_segment(struct tx_chain *chain)
{
	struct rte_mbuf *m = chain->m;

	chain->elts[chain->at++ & chain->mask] = (uintptr_t)m | chain->chained;
	chain->offset = 0;
	/* By count, not by pointer: next lies in the mbuf's second line, which one segment need not touch. */
	if (--chain->left != 0)
		chain->m = m->next;
}

/* head bytes of the chain into the descriptor, behind the first two in the Ethernet segment, with a tag behind the MACs. */
static __rte_always_inline uint8_t *
tx_inline_head(const struct tx_ring *ring, uint8_t *wqe, struct tx_chain *chain, uint32_t head, uint32_t tag_be, uint32_t *word)
{
	uint8_t *at = wqe + TX_HEAD_DS * TX_DS, first[2] = { 0 };
	uint32_t done = 0, total = head + (tag_be != 0 ? TX_TAG : 0), stop = tag_be != 0 ? 2 * RTE_ETHER_ADDR_LEN : head;

	while (done < head && chain->left != 0) {
		const uint8_t *from = rte_pktmbuf_mtod_offset(chain->m, const uint8_t *, chain->offset);
		uint32_t n = RTE_MIN((uint32_t)chain->m->data_len - chain->offset, stop - done), skip;

		chain->offset += n;
		for (skip = 0; done + skip < TX_ETH_INLINE && skip < n; skip++)
			first[done + skip] = from[skip];
		at = tx_copy(ring, at, from + skip, n - skip);
		done += n;
		if (tag_be != 0 && done == stop && stop != head) {
			at = tx_copy(ring, at, &tag_be, TX_TAG);
			stop = head;
		}
		if (chain->offset == chain->m->data_len)
			tx_leave_segment(chain);
	}
	*word = htobe32(total << 16 | (uint32_t)first[0] << 8 | first[1]);
	return tx_align(ring, at);
}

/* Pointers to what is left of the chain. @return the position behind, NULL: the device cannot have the memory of one. */
static __rte_always_inline uint8_t *
tx_pointers(struct mlx5hws_txq *txq, const struct tx_ring *ring, uint8_t *at, struct tx_chain *chain, uint32_t *nb)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[0];
	uintptr_t start = key->start, bytes = key->end - key->start;
	uint32_t lkey_be = key->lkey_be;

	*nb = 0;
	while (chain->left != 0) {
		const struct rte_mbuf *m = chain->m;
		uintptr_t addr = (uintptr_t)m->buf_addr;
		uint32_t len = m->data_len - chain->offset;

		/* An empty segment is none: a length of 0 would mean 2^31 to some engines. */
		if (likely(len != 0)) {
			if (unlikely(addr - start >= bytes)) {
				lkey_be = mlx5hws_lkey(&txq->lkeys, m);
				if (unlikely(lkey_be == MLX5HWS_NO_LKEY))
					return NULL;
				key = &txq->lkeys.entries[0];
				start = key->start;
				bytes = key->end - key->start;
			}
			tx_pointer(at, len, lkey_be, addr + m->data_off + chain->offset);
			at = tx_next(ring, at);
			(*nb)++;
		}
		tx_leave_segment(chain);
	}
	return at;
}

/* So many entries come free for certain: of the others' part no completion has been asked for yet (tx_request_completion). */
static __rte_always_inline uint32_t
tx_most_segments(const struct mlx5hws_txq *txq)
{
	return (txq->elts_mask + 1) / MLX5HWS_TX_SHARE * (MLX5HWS_TX_SHARE - 1);
}

/* More units than any descriptor has, unless many of the segments are empty. */
static __rte_noinline bool
tx_too_many(const struct rte_mbuf *m, uint32_t ds, uint32_t max_ds)
{
	for (uint32_t left = m->nb_segs; left != 0; left--, m = left != 0 ? m->next : m)
		ds += m->data_len != 0;
	return ds > max_ds;
}

static __rte_always_inline enum tx_result
tx_post(struct mlx5hws_txq *txq, struct tx_run *run, struct rte_mbuf *m, const uint32_t flags)
{
	const uint64_t wishes = m->ol_flags;
	const bool cut = (flags & TX_TSO) && (wishes & RTE_MBUF_F_TX_TCP_SEG) && tx_tso_head(m) < m->pkt_len;
	uint32_t len = m->pkt_len, segments = flags & TX_SEGMENTS ? m->nb_segs : 1, head = 0, tag_be = 0, word = 0, units, ds, nb;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), *at = wqe + TX_HEAD_DS * TX_DS;
	struct tx_chain chain = { .m = m, .left = segments, .at = txq->elts_head,
		.elts = txq->elts, .mask = txq->elts_mask, .chained = segments != 1 };
	bool tagged = (flags & TX_VLAN) && (wishes & RTE_MBUF_F_TX_VLAN), whole = false;

	if (unlikely(len < RTE_ETHER_HDR_LEN) || unlikely(segments > tx_most_segments(txq)))
		return TX_BAD;
	if (cut) {
		head = tx_tso_head(m);
		if (unlikely(m->tso_segsz == 0 || head + m->tso_segsz > TX_FRAME_MAX || head < RTE_ETHER_HDR_LEN ||
			     len - head > txq->max_tso))
			return TX_BAD;
	} else if (flags & TX_INLINE) {
		whole = len + (tagged ? TX_TAG : 0) <= txq->inline_send;
		head = whole ? len : RTE_MIN((uint32_t)txq->inline_head, len);
		if (tagged && !whole && head != 0 && !txq->inline_required)
			head -= TX_TAG; /* the tag fills the place */
	}
	if (tagged) {
		uint32_t tci = m->vlan_tci;

		if (head == 0 && txq->vlan_by_device) {
			word = htobe32(1u << 31 | tci);
		} else {
			head = RTE_MAX(head, (uint32_t)RTE_ETHER_HDR_LEN);
			tag_be = htobe32((uint32_t)RTE_ETHER_TYPE_VLAN << 16 | tci);
		}
	}
	units = head + (tag_be != 0 ? TX_TAG : 0);
	units = units > TX_ETH_INLINE ? (units - TX_ETH_INLINE + TX_DS - 1) / TX_DS : 0;
	ds = TX_HEAD_DS + units + (whole ? 0 : segments);
	if (unlikely(ds > txq->max_ds)) {
		/* What was to be inlined for speed alone makes room first. */
		if ((flags & TX_INLINE) && !cut && !whole && !txq->inline_required && (!tagged || txq->vlan_by_device)) {
			word = tagged ? htobe32(1u << 31 | m->vlan_tci) : 0;
			head = tag_be = units = 0;
		}
		if (tx_too_many(m, TX_HEAD_DS + units, txq->max_ds))
			return TX_BAD;
		ds = RTE_MIN(ds, (uint32_t)txq->max_ds);
	}
	if (unlikely(ds > tx_free_ds(txq)) || unlikely(segments > tx_free_elts(txq)))
		return TX_NO_ROOM;
	if (head != 0)
		at = tx_inline_head(&run->ring, wqe, &chain, head, tag_be, &word);
	ds = TX_HEAD_DS + units;
	if (!whole) {
		if (unlikely(tx_pointers(txq, &run->ring, at, &chain, &nb) == NULL))
			return TX_BAD;
		ds += nb;
	} else {
		while (chain.left != 0)
			tx_leave_segment(&chain); /* empty ones at the end */
	}
	tx_head(&txq->sq, wqe, cut ? PRM_WQE_OP_TSO : PRM_WQE_OP_SEND, ds,
		(flags & TX_CHECKSUM ? (uint32_t)tx_checksum_flags(wishes) << 24 : 0) | (cut ? m->tso_segsz : 0),
		flags & TX_META ? tx_meta(txq, m) : 0, word);
	tx_advance(txq, run, wqe, ds);
	run->bytes += len + (tagged ? TX_TAG : 0);
	if (cut) {
		const uint32_t more = (len - head - 1) / m->tso_segsz;

		run->more_frames += more;
		run->bytes += (uint64_t)more * (head + (tagged ? TX_TAG : 0));
	}
	if (whole && segments == 1) {
		tx_look(&run->plain, m);
		run->at++;
		return TX_POSTED;
	}
	tx_free_copied(txq, run, flags);
	txq->elts_head += segments;
	run->copied = ++run->at;
	return TX_POSTED;
}

/* The same for a short packet of one segment that is copied whole into its SEND, and is no entry of elts. */
static __rte_always_inline enum tx_result
tx_post_short(struct mlx5hws_txq *txq, struct tx_run *run, const struct rte_mbuf *m, const uint32_t flags)
{
	const uint32_t len = m->data_len, ds = TX_HEAD_DS + (len - TX_ETH_INLINE + TX_DS - 1) / TX_DS;
	const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi);

	if (unlikely(ds > tx_free_ds(txq)))
		return TX_NO_ROOM;
	tx_copy(&run->ring, wqe + TX_HEAD_DS * TX_DS, from + TX_ETH_INLINE, len - TX_ETH_INLINE);
	tx_head(&txq->sq, wqe, PRM_WQE_OP_SEND, ds, flags & TX_CHECKSUM ? (uint32_t)tx_checksum_flags(m->ol_flags) << 24 : 0,
		flags & TX_META ? tx_meta(txq, m) : 0, htobe32(len << 16 | (uint32_t)from[0] << 8 | from[1]));
	tx_advance(txq, run, wqe, ds);
	tx_look(&run->plain, m);
	run->bytes += len;
	run->at++;
	return TX_POSTED;
}

static __rte_always_inline bool
tx_is_short(const struct mlx5hws_txq *txq, const struct rte_mbuf *m, const uint32_t flags)
{
	if (!(flags & TX_INLINE) || m->nb_segs != 1 || m->data_len < RTE_ETHER_HDR_LEN || m->data_len > txq->inline_send)
		return false;
	return !((flags & TX_TSO) && m->ol_flags & RTE_MBUF_F_TX_TCP_SEG) && !((flags & TX_VLAN) && m->ol_flags & RTE_MBUF_F_TX_VLAN);
}

/* For what a burst was not made for: out of line. */
static enum tx_result tx_post_any(struct mlx5hws_txq *txq, struct tx_run *run, struct rte_mbuf *m);

#endif
