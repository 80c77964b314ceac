/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A run of packets of several segments, each by a SEND with a pointer to every segment that is not empty, and nothing else asked
 * for that a descriptor of its own can do (tx_post.h does). flags as in tx_burst.h: constants.
 */
#ifndef MLX5HWS_TX_CHAINS_H
#define MLX5HWS_TX_CHAINS_H

#include "tx.h"
#include "tx_plain.h"
#include "tx_post.h"
#include "tx_twos.h"
#include "tx_wqe.h"

/* What a packet asks for that is not for a run. */
static __rte_always_inline uint64_t
tx_alone_flags(const struct mlx5hws_txq *txq, const uint32_t flags)
{
	return (flags & TX_TSO ? RTE_MBUF_F_TX_TCP_SEG : 0) | (flags & TX_VLAN ? RTE_MBUF_F_TX_VLAN : 0) |
		(flags & TX_TIME ? txq->time_flag : 0);
}

/* Is it one of a run? */
static __rte_always_inline bool
tx_is_chain(const struct rte_mbuf *m, uint64_t alone)
{
	return likely(m->nb_segs >= 2) && likely(m->pkt_len >= RTE_ETHER_HDR_LEN) && likely(!(m->ol_flags & alone));
}

/* What is in hand while a run is described; the memory of its segments is most often that of the ones before. */
struct tx_walk {
	uintptr_t key_start, key_bytes;
	uint32_t lkey_be;
	uint8_t *wqe;
	uintptr_t *elt;
	struct tx_plain plain;
	uint64_t sum;
#ifdef TX_TWOS
	struct tx_twos twos;
#endif
};

static __rte_always_inline void
tx_walk_key(const struct mlx5hws_txq *txq, struct tx_walk *walk)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[txq->lkeys.last];

	walk->key_start = key->start;
	walk->key_bytes = key->end - key->start;
	walk->lkey_be = key->lkey_be;
#ifdef TX_TWOS
	tx_twos_key(&walk->twos, walk->key_start, walk->key_bytes, walk->lkey_be);
#endif
}

/* The links of a packet as they were: from entry first on, of which m would have been the next. */
static __rte_noinline void
tx_mend_chain(const uintptr_t *first, const uintptr_t *next, struct rte_mbuf *m, uint32_t segments)
{
	while (next != first) {
		struct rte_mbuf *before = (struct rte_mbuf *)(*--next & ~TX_CHAINED);

		before->next = m;
		m = before;
	}
	m->nb_segs = (uint16_t)segments;
}

/*
 * Pointers to all of a packet's segments. The links of those that are ours alone are cut while they are in hand: in a buffer
 * that comes back the link's line is most often not in the cache. @return false: one is empty, or the device cannot have its
 * memory; the packet is as it was.
 */
static __rte_always_inline bool
tx_walk_chain(struct mlx5hws_txq *txq, struct tx_walk *walk, struct rte_mbuf *m, uint32_t segments)
{
	uint8_t *ds = walk->wqe + TX_HEAD_DS * TX_DS;
	uintptr_t *elt = walk->elt, *const end = elt + segments;

	for (;;) {
		const uintptr_t addr = (uintptr_t)m->buf_addr;
		const uint64_t shared = tx_shared_bits(m);
		const uint32_t len = m->data_len;
		struct rte_mbuf *next = NULL;

		if (unlikely(addr - walk->key_start >= walk->key_bytes)) {
			if (len == 0 || mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY)
				break;
			tx_walk_key(txq, walk);
		}
		/* An empty segment is none: a length of 0 would mean 2^31 to some engines. */
		if (unlikely(len == 0))
			break;
		tx_pointer(ds, len, walk->lkey_be, addr + m->data_off);
		walk->plain.doubts |= shared | ((uintptr_t)m->pool ^ (uintptr_t)walk->plain.pool);
		if (elt + 1 != end)
			next = m->next;
		if (likely(shared == 0)) {
			if (next != NULL)
				m->next = NULL;
			if (m->nb_segs != 1)
				m->nb_segs = 1;
		}
		ds += TX_DS;
		*elt++ = (uintptr_t)m | (unlikely(shared != 0) ? TX_CHAINED : 0);
		if (elt == end) {
			walk->elt = elt;
			return true;
		}
		m = next;
	}
	tx_mend_chain(walk->elt, elt, m, segments);
	return false;
}

/*
 * @return packets posted. The next one is then not such, or cannot be sent; there is no room for it, or it lies over the end of a
 * ring; a segment of it is empty: tx_post knows.
 */
static __rte_always_inline uint32_t
tx_chains(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	const uint32_t most = txq->max_ds - TX_HEAD_DS, sqn_be = htobe32(txq->sq.sqn << 8);
	struct rte_mbuf **const first = &run->pkts[run->at], **const stop = &run->pkts[run->nb], **at = first;
	struct tx_walk walk = { .wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), .elt = &txq->elts[txq->elts_head & txq->elts_mask] };
	const uint64_t alone = tx_alone_flags(txq, flags);
	uint8_t *last = run->last;
	uint32_t pi = txq->sq.pi, nb, entries;
	/* A packet of two segments or more takes as many entries and at most as many WQEBBs, so that one count stands for all. */
	uint32_t left = RTE_MIN(tx_free_ds(txq) / TX_DS_PER_WQEBB, (uint32_t)(run->ring.end - walk.wqe) / HCA_WQEBB_BYTES);
	left = RTE_MIN(left, RTE_MIN(tx_free_elts(txq), (uint32_t)(txq->elts + txq->elts_mask + 1 - walk.elt)));

	walk.plain.pool = (*first)->pool;
#ifdef TX_TWOS
	tx_twos_begin(&walk.twos, alone, walk.plain.pool, txq->sq.sqn);
#endif
	tx_walk_key(txq, &walk);
	while (at != stop) {
		struct rte_mbuf *m = *at;
		const uint32_t segments = m->nb_segs;
		uint32_t blocks;

#ifdef TX_TWOS
		if (likely(segments == 2)) {
			uint32_t taken = tx_twos_take(txq, &walk.twos, at, RTE_MIN((uint32_t)(stop - at), left / 2), walk.elt, walk.wqe,
						      pi, &walk.sum, flags);

			if (likely(taken != 0)) {
				at += taken;
				pi = (uint16_t)(pi + taken);
				walk.elt += 2 * taken;
				walk.wqe += taken * HCA_WQEBB_BYTES;
				left -= 2 * taken;
				last = walk.wqe - HCA_WQEBB_BYTES;
				continue;
			}
		}
#endif
		if (unlikely(!tx_is_chain(m, alone) || segments > most || segments > left) ||
		    unlikely(!tx_walk_chain(txq, &walk, m, segments)))
			break;
		tx_store16(walk.wqe, htobe32(pi << 8 | PRM_WQE_OP_SEND), sqn_be | htobe32(TX_HEAD_DS + segments),
			htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0);
		tx_store16(walk.wqe + TX_DS, 0, flags & TX_CHECKSUM ? htobe32((uint32_t)tx_checksum_flags(m->ol_flags) << 24) : 0,
			flags & TX_META ? tx_meta(txq, m) : 0, 0);
		blocks = (TX_HEAD_DS + segments + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB;
		walk.sum += m->pkt_len;
		last = walk.wqe;
		pi = (uint16_t)(pi + blocks);
		walk.wqe += blocks * HCA_WQEBB_BYTES;
		left -= segments;
		at++;
	}
	nb = (uint32_t)(at - first);
	if (unlikely(txq->fast_free) && nb != 0)
		txq->fast_free = false; /* the port knows chains, this queue promised none */
	txq->sq.pi = (uint16_t)pi;
	entries = (uint32_t)(walk.elt - &txq->elts[txq->elts_head & txq->elts_mask]);
	txq->elts_head += entries;
	tx_note_plain(txq, &walk.plain, entries);
	run->last = last;
	run->bytes += walk.sum;
	run->at += nb;
	run->copied = run->at;
	return nb;
}

#endif
