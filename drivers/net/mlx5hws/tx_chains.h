/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A run of packets of several segments, each by a SEND with a pointer to every segment, or by a TSO descriptor with its headers in front,
 * and nothing else asked for that a descriptor of its own can do (tx_post.h does). flags as in tx_burst.h: constants.
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
	const struct rte_mbuf *ahead; /* the packet behind this one; NULL: none */
#endif
};

static __rte_always_inline void
tx_walk_key(const struct mlx5hws_txq *txq, struct tx_walk *walk)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[0];

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
 * Pointers to all of a packet's segments from ds on, without the first skip bytes, which are no more than the first one has. The
 * links of those that are ours alone are cut while they are in hand: in a buffer that comes back the link's line is most often not
 * in the cache. @return pointers; 0: a segment is empty, or the device cannot have its memory; the packet is as it was.
 */
static __rte_noinline uint32_t
tx_walk_chain(struct mlx5hws_txq *txq, struct tx_walk *walk, struct rte_mbuf *m, uint32_t segments, uint8_t *ds, uint32_t skip)
{
#ifdef TX_TWOS
	const struct rte_mbuf *ahead = walk->ahead;
#endif
	uintptr_t *const first = walk->elt, *const last = first + segments - 1, *elt = first;
	uintptr_t key_start = walk->key_start, key_bytes = walk->key_bytes;
	const uintptr_t pool = (uintptr_t)walk->plain.pool;
	uint64_t doubts = walk->plain.doubts;
	uint32_t lkey_be = walk->lkey_be, nb = segments;

	for (;;) {
		const uintptr_t addr = (uintptr_t)m->buf_addr;
		const uint64_t shared = tx_shared_bits(m);
		const uint32_t len = m->data_len - skip;
		struct rte_mbuf *next;

		if (unlikely(addr - key_start >= key_bytes)) {
			if (m->data_len == 0 || mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY)
				break;
			tx_walk_key(txq, walk);
			key_start = walk->key_start;
			key_bytes = walk->key_bytes;
			lkey_be = walk->lkey_be;
		}
		if (likely(len != 0)) {
			tx_pointer(ds, len, lkey_be, addr + m->data_off + skip);
			ds += TX_DS;
		} else if (skip != 0) {
			nb--;
		} else {
			break; /* an empty segment is none: a length of 0 would mean 2^31 to some engines */
		}
		skip = 0;
		doubts |= shared | ((uintptr_t)m->pool ^ pool);
		*elt = (uintptr_t)m | (unlikely(shared != 0) ? TX_CHAINED : 0);
		if (unlikely(shared == 0 && m->nb_segs != 1))
			m->nb_segs = 1;
		if (elt++ == last)
			goto done;
		next = m->next;
		if (likely(shared == 0))
			m->next = NULL;
		m = next;
#ifdef TX_TWOS
		elt += tx_twos_more(&walk->twos, &m, (uint32_t)(last + 1 - elt), elt, &ds, &ahead);
		if (likely(elt > last))
			goto done;
#endif
	}
	tx_mend_chain(first, elt, m, segments);
	return 0;
done:
	walk->elt = elt;
	walk->plain.doubts = doubts;
	return nb;
}

/* Control segment and the first three dwords of the Ethernet segment; the fourth: what is inlined. */
static __rte_always_inline void
tx_chain_head(const struct mlx5hws_txq *txq, const struct rte_mbuf *m, uint8_t *wqe, uint32_t pi, uint32_t opcode_ds, uint32_t mss,
	      uint32_t word, const uint32_t flags)
{
	tx_store16(wqe, htobe32(pi << 8 | opcode_ds >> 8), htobe32(txq->sq.sqn << 8 | (opcode_ds & 0xff)), htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0);
	tx_store16(wqe + TX_DS, 0, htobe32((flags & TX_CHECKSUM ? (uint32_t)tx_checksum_flags(m->ol_flags) << 24 : 0) | mss),
		flags & TX_META ? tx_meta(txq, m) : 0, word);
}

/*
 * One packet that is to be cut, its headers whole in its first segment, into the descriptor at walk->wqe, of which left WQEBBs are free.
 * @return WQEBBs; 0: not such a packet, or as tx_walk_chain.
 */
static __rte_always_inline uint32_t
tx_walk_tso(struct mlx5hws_txq *txq, struct tx_walk *walk, struct rte_mbuf *m, uint32_t pi, uint32_t left, struct tx_run *run,
	    const uint32_t flags)
{
	const uint32_t head = tx_tso_head(m), segments = m->nb_segs, len = m->pkt_len, mss = m->tso_segsz;
	const uint32_t units = (head - TX_ETH_INLINE + TX_DS - 1) / TX_DS;
	const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t blocks, nb, more;
	uint16_t inlined;

	/* Something has to be left for a pointer, whatever pkt_len says. */
	if (unlikely(head < RTE_ETHER_HDR_LEN || head + (segments == 1) > m->data_len || head >= len || mss == 0 || head + mss > TX_FRAME_MAX ||
		     len - head > txq->max_tso))
		return 0;
	blocks = (TX_HEAD_DS + units + segments + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB;
	if (unlikely(TX_HEAD_DS + units + segments > txq->max_ds || blocks > left || segments > left))
		return 0;
	nb = tx_walk_chain(txq, walk, m, segments, walk->wqe + (TX_HEAD_DS + units) * TX_DS, head);
	if (unlikely(nb == 0))
		return 0;
	memcpy(&inlined, from, sizeof(inlined));
	tx_copy_flat(walk->wqe + TX_HEAD_DS * TX_DS, from + TX_ETH_INLINE, head - TX_ETH_INLINE);
	tx_chain_head(txq, m, walk->wqe, pi, PRM_WQE_OP_TSO << 8 | (TX_HEAD_DS + units + nb), mss, htobe32(head << 16 | be16toh(inlined)), flags);
	more = (len - head - 1) / mss;
	run->more_frames += more;
	walk->sum += len + (uint64_t)more * head;
	return (TX_HEAD_DS + units + nb + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB;
}

/*
 * @return packets posted. The next one is then not such, or cannot be sent; there is no room for it, or it lies over the end of a
 * ring; a segment of it is empty: tx_post knows.
 */
static __rte_always_inline uint32_t
tx_chains(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	const uint32_t most = txq->max_ds - TX_HEAD_DS;
	struct rte_mbuf **const first = &run->pkts[run->at], **const stop = &run->pkts[run->nb], **at = first;
	struct tx_walk walk; /* not zeroed whole: vectors */
	const uint64_t alone = tx_alone_flags(txq, flags);
	uint8_t *last = run->last;
	uint32_t pi = txq->sq.pi, nb, entries, left;

	walk.wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi);
	walk.elt = &txq->elts[txq->elts_head & txq->elts_mask];
	walk.sum = 0;
	walk.plain.doubts = 0;
	/* Of entries and WQEBBs, each up to the end of its ring, the fewer: one count stands for both. */
	left = RTE_MIN(tx_free_ds(txq) / TX_DS_PER_WQEBB, (uint32_t)(run->ring.end - walk.wqe) / HCA_WQEBB_BYTES);
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
#ifdef TX_TWOS
		walk.ahead = at + 1 != stop && at[1]->nb_segs > 2 ? at[1] : NULL;
#endif
		if ((flags & TX_TSO) && m->ol_flags & RTE_MBUF_F_TX_TCP_SEG) {
			if (unlikely(m->ol_flags & (alone & ~RTE_MBUF_F_TX_TCP_SEG)))
				break;
			blocks = tx_walk_tso(txq, &walk, m, pi, left, run, flags);
			if (unlikely(blocks == 0))
				break;
		} else {
			if (unlikely(!tx_is_chain(m, alone) || segments > most || segments > left) ||
			    unlikely(tx_walk_chain(txq, &walk, m, segments, walk.wqe + TX_HEAD_DS * TX_DS, 0) == 0))
				break;
			tx_chain_head(txq, m, walk.wqe, pi, PRM_WQE_OP_SEND << 8 | (TX_HEAD_DS + segments), 0, 0, flags);
			blocks = (TX_HEAD_DS + segments + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB;
			walk.sum += m->pkt_len;
		}
		last = walk.wqe;
		pi = (uint16_t)(pi + blocks);
		walk.wqe += blocks * HCA_WQEBB_BYTES;
		left -= RTE_MAX(segments, blocks);
		at++;
	}
	nb = (uint32_t)(at - first);
	entries = (uint32_t)(walk.elt - &txq->elts[txq->elts_head & txq->elts_mask]);
	txq->sq.pi = (uint16_t)pi;
	txq->elts_head += entries;
	tx_note_plain(txq, &walk.plain, entries);
	run->last = last;
	run->bytes += walk.sum;
	run->at += nb;
	run->copied = run->at;
	return nb;
}

#endif
