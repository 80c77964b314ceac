/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A run of packets of one segment, each by a SEND with a pointer: one WQEBB, with a tag for the device to insert where it has one.
 * Where the machine has 256-bit vectors, four at once of those that ask for the same (tx_quad.h). flags as in tx_burst.h:
 * constants.
 */
#ifndef MLX5HWS_TX_SINGLES_H
#define MLX5HWS_TX_SINGLES_H

#include "tx.h"
#include "tx_plain.h"
#include "tx_post.h"
#include "tx_quad.h"
#include "tx_session.h"
#include "tx_wqe.h"

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
	tx_copy_flat((uint8_t *)&txq->elts[at], (const uint8_t *)pkts, nb * sizeof(*pkts));
}

/* A run in hand; the memory of its packets is most often that of the ones before. */
struct tx_singles {
	struct rte_mbuf **at;
	uint8_t *wqe;
	uintptr_t key_start, key_bytes;
	uint32_t lkey_be;
	struct tx_plain plain;
	uint64_t bytes;
};

static __rte_always_inline void
tx_singles_key(const struct mlx5hws_txq *txq, struct tx_singles *run)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[0];

	run->key_start = key->start;
	run->key_bytes = key->end - key->start;
	run->lkey_be = key->lkey_be;
}

static __rte_always_inline bool
tx_is_tagged(const struct rte_mbuf *m, const uint32_t flags)
{
	return (flags & TX_VLAN) && m->ol_flags & RTE_MBUF_F_TX_VLAN;
}

/* Packets up to end. @return false: the next one is another's. */
static __rte_always_inline bool
tx_singles_one_by_one(struct mlx5hws_txq *txq, struct tx_singles *run, struct rte_mbuf **end, const uint32_t flags)
{
	for (; run->at != end; run->at++, run->wqe += HCA_WQEBB_BYTES) {
		const struct rte_mbuf *m = *run->at;
		const bool tagged = tx_is_tagged(m, flags);
		const uintptr_t addr = (uintptr_t)m->buf_addr;
		const uint32_t len = m->data_len;

		/* Ports with multi-packet descriptors send only tagged packets so. */
		if (unlikely(!tx_is_single(txq, m, flags & ~TX_VLAN)) || ((flags & TX_EMPW) && !tagged) ||
		    (tagged && unlikely(!txq->vlan_by_device)))
			return false;
		if (unlikely(addr - run->key_start >= run->key_bytes)) {
			if (mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY)
				return false;
			tx_singles_key(txq, run);
		}
		tx_head(&txq->sq, run->wqe, PRM_WQE_OP_SEND, TX_HEAD_DS + 1,
			flags & TX_CHECKSUM ? (uint32_t)tx_checksum_flags(m->ol_flags) << 24 : 0, flags & TX_META ? tx_meta(txq, m) : 0,
			tagged ? htobe32(1u << 31 | m->vlan_tci) : 0);
		tx_pointer(run->wqe + TX_HEAD_DS * TX_DS, len, run->lkey_be, addr + m->data_off);
		tx_look(&run->plain, m);
		txq->sq.pi++;
		run->bytes += len + (tagged ? TX_TAG : 0);
	}
	return true;
}

#ifdef TX_QUAD
/* What four packets at once are to have in common: what the run's next packet asks for. */
struct tx_single_quads {
	struct tx_quad quad;
	struct tx_doubts doubts;
	__m256i control, ethernet; /* segments, twice; without the descriptor's number and the tag */
	__m256i numbers;           /* of the next two descriptors, with the opcode: first dword of each control segment, little-endian */
};

static __rte_always_inline void
tx_single_quads_begin(const struct mlx5hws_txq *txq, struct tx_single_quads *quads, const struct tx_singles *run, const uint32_t flags)
{
	const uint64_t asked = tx_asked(txq, flags), wanted = (*run->at)->ol_flags & asked;
	const uint32_t cs = flags & TX_CHECKSUM ? tx_checksum_flags(wanted) : 0;

	tx_quad_begin(&quads->quad, wanted, asked, run->plain.pool);
	tx_quad_key(&quads->quad, run->key_start, run->key_bytes, run->lkey_be);
	quads->doubts = tx_doubts_none();
	quads->control = _mm256_broadcastsi128_si256(_mm_setr_epi32(0, (int)htobe32(txq->sq.sqn << 8 | (TX_HEAD_DS + 1)),
		(int)htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0));
	quads->ethernet = _mm256_broadcastsi128_si256(_mm_setr_epi32(0, (int)htobe32(cs << 24), 0,
		wanted & RTE_MBUF_F_TX_VLAN ? (int)htobe32(1u << 31) : 0));
	quads->numbers = _mm256_setr_epi32((int)((uint32_t)txq->sq.pi << 8 | PRM_WQE_OP_SEND), 0, 0, 0,
		(int)((txq->sq.pi + 1u) << 8 | PRM_WQE_OP_SEND), 0, 0, 0);
}

static __rte_always_inline void
tx_single_quads_end(struct tx_singles *run, struct tx_single_quads *quads)
{
	run->bytes += tx_quad_bytes(&quads->doubts);
	run->plain.doubts |= !tx_quad_plain(&quads->doubts);
	quads->doubts = tx_doubts_none();
}

/* Two packets' descriptors. */
static __rte_always_inline void
tx_single_two(struct tx_single_quads *quads, struct tx_doubts *doubts, struct rte_mbuf *const *pkts, uint8_t *wqe, const bool tagged)
{
	/* Of the third quarter bytes 10 and 11 into the segment's last two. */
	const __m256i tags = _mm256_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 11, 10,
					      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 11, 10);
	/* 16 bits of a number and 8 of an opcode. */
	const __m256i swap = _mm256_setr_epi8(-1, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
					      -1, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
	const struct tx_pair pair = tx_pair(pkts[0], pkts[1]);
	const __m256i pointers = tx_quad_describe(&quads->quad, doubts, &pair, false, false);
	const __m256i control = _mm256_or_si256(quads->control, _mm256_shuffle_epi8(quads->numbers, swap));
	__m256i ethernet = quads->ethernet;
	__m128i *to = (__m128i *)wqe, *then = (__m128i *)(wqe + HCA_WQEBB_BYTES);

	if (tagged)
		ethernet = _mm256_or_si256(ethernet, _mm256_shuffle_epi8(pair.len, tags));
	quads->numbers = _mm256_add_epi32(quads->numbers, tx_both(2 << 8, 0));
	_mm256_storeu_si256((__m256i *)to, _mm256_inserti128_si256(control, _mm256_castsi256_si128(ethernet), 1));
	_mm_store_si128(to + 2, _mm256_castsi256_si128(pointers));
	_mm256_storeu_si256((__m256i *)then, _mm256_permute2x128_si256(control, ethernet, 0x31));
	_mm_store_si128(then + 2, _mm256_extracti128_si256(pointers, 1));
}

/* Packets as long as four of them are left before end. */
static __rte_always_inline void
tx_singles_quads(struct mlx5hws_txq *txq, struct tx_singles *run, struct rte_mbuf **end, const uint32_t flags)
{
	const bool tagged = tx_is_tagged(*run->at, flags);
	struct tx_single_quads quads;

	/* What all are to have like the first: none of what is another's, and no metadata. */
	if (unlikely(!tx_is_single(txq, *run->at, flags & ~TX_VLAN)) || ((flags & TX_EMPW) && !tagged) ||
	    (tagged && unlikely(!txq->vlan_by_device)) || ((flags & TX_META) && (*run->at)->ol_flags & txq->meta_flag))
		return;
	tx_single_quads_begin(txq, &quads, run, flags);
	for (; end - run->at >= TX_QUAD; run->at += TX_QUAD, run->wqe += TX_QUAD * HCA_WQEBB_BYTES) {
		struct tx_doubts doubts = quads.doubts;

		tx_single_two(&quads, &doubts, run->at, run->wqe, tagged);
		tx_single_two(&quads, &doubts, run->at + 2, run->wqe + 2 * HCA_WQEBB_BYTES, tagged);
		if (unlikely(!tx_quad_good(&quads.quad, &doubts, false, false)))
			break;
		quads.doubts = doubts;
		txq->sq.pi = (uint16_t)(txq->sq.pi + TX_QUAD);
		run->bytes += tagged ? TX_QUAD * TX_TAG : 0;
	}
	tx_single_quads_end(run, &quads);
}
#endif

/* Up to end; the ring does not end before. @return false: the next one is another's. */
static __rte_always_inline bool
tx_singles_flat(struct mlx5hws_txq *txq, struct tx_singles *run, struct rte_mbuf **end, const uint32_t flags)
{
#ifdef TX_QUAD
	while (end - run->at >= TX_QUAD) {
		tx_singles_quads(txq, run, end, flags);
		if (run->at != end && !tx_singles_one_by_one(txq, run, run->at + RTE_MIN(end - run->at, TX_QUAD), flags))
			return false;
	}
#endif
	return tx_singles_one_by_one(txq, run, end, flags);
}

/* @return packets posted. There is no room for the next one, or it is another's. */
static __rte_always_inline uint32_t
tx_singles(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	struct rte_mbuf **const first = &run->pkts[run->at];
	const uint32_t blocks = RTE_MIN(tx_free_ds(txq) / TX_DS_PER_WQEBB, tx_free_elts(txq));
	struct rte_mbuf **const stop = first + RTE_MIN(run->nb - run->at, blocks);
	struct tx_singles singles = { .at = first, .wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), .plain.pool = (*first)->pool };
	uint32_t nb;

	tx_singles_key(txq, &singles);
	while (singles.at != stop) {
		const ptrdiff_t flat = RTE_MIN((run->ring.end - singles.wqe) / HCA_WQEBB_BYTES, stop - singles.at);

		if (!tx_singles_flat(txq, &singles, singles.at + flat, flags))
			break;
		singles.wqe = likely(singles.wqe != run->ring.end) ? singles.wqe : run->ring.start;
	}
	nb = (uint32_t)(singles.at - first);
	if (nb == 0)
		return 0;
	run->last = (singles.wqe == run->ring.start ? run->ring.end : singles.wqe) - HCA_WQEBB_BYTES;
	run->bytes += singles.bytes;
	run->copied = run->at += nb;
	tx_keep(txq, first, nb);
	tx_note_plain(txq, &singles.plain, nb);
	return nb;
}

#endif
