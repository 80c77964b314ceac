/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Packets of two plain segments (tx_plain.h), most often headers and what belongs to them, where the machine has 256-bit vectors:
 * each segment takes half of one, all that must be so is asked at once, and both pointers are one store. So are two and two segments of
 * longer packets, behind the first. What is not so is left as it is, for tx_chains.h. flags as in tx_burst.h: constants.
 */
#ifndef MLX5HWS_TX_TWOS_H
#define MLX5HWS_TX_TWOS_H

#include "tx_post.h"
#include "tx_quad.h"
#include "tx_wqe.h"

#ifdef TX_QUAD
#define TX_TWOS

/* What a packet's two segments, or two behind the first, must be like. The lower half is the first segment's. */
struct tx_two_like {
	__m256i wanted, asked; /* counts and flags: what they must be, which bits count */
	__m256i shortest;      /* data_len, in words 4 and 12. Above 32,767 it is negative, and left to others */
};

/* Of a run. */
struct tx_twos {
	struct tx_two_like packet, more;
	__m256i pool;          /* in the high halves */
	__m256i start, last;   /* of the key's memory; its last byte */
	__m256i key;           /* the lkey's place in a descriptor */
	__m128i control;       /* segment, but for the descriptor's number */
};

static __rte_always_inline struct tx_two_like
tx_two_like(uint16_t segments, uint64_t alone, int16_t shortest)
{
	const uint64_t counted = (uint64_t)UINT32_MAX << 16, one = (uint64_t)1 << 16;

	return (struct tx_two_like){
		.wanted = _mm256_setr_epi64x((long long)(one | (uint64_t)segments << 32), 0, (long long)(one | (uint64_t)1 << 32), 0),
		.asked = _mm256_setr_epi64x((long long)counted, (long long)(TX_FOREIGN | alone), (long long)counted, (long long)TX_FOREIGN),
		.shortest = _mm256_setr_epi16(INT16_MIN, INT16_MIN, INT16_MIN, INT16_MIN, shortest, INT16_MIN, INT16_MIN, INT16_MIN,
					      INT16_MIN, INT16_MIN, INT16_MIN, INT16_MIN, 1, INT16_MIN, INT16_MIN, INT16_MIN),
	};
}

static __rte_always_inline void
tx_twos_begin(struct tx_twos *twos, uint64_t alone, const struct rte_mempool *pool, uint32_t sqn)
{
	twos->packet = tx_two_like(2, alone, RTE_ETHER_HDR_LEN);
	twos->more = tx_two_like(1, 0, 1);
	twos->pool = tx_both(0, (uintptr_t)pool);
	twos->control = _mm_setr_epi32(0, (int)htobe32(sqn << 8 | (TX_HEAD_DS + 2)), (int)htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0);
}

static __rte_always_inline void
tx_twos_key(struct tx_twos *twos, uintptr_t start, uintptr_t bytes, uint32_t lkey_be)
{
	twos->start = tx_both(start, 0);
	twos->last = tx_both(start + bytes - 1, 0);
	twos->key = tx_both((uint64_t)lkey_be << 32, 0);
}

/* Both pointers. @return whether the segments are as wanted; what was written is to be overwritten where they are not. */
static __rte_always_inline bool
tx_two(const struct tx_twos *twos, const struct tx_two_like *like, const struct rte_mbuf *first, const struct rte_mbuf *second, uint8_t *ds)
{
	const __m256i shuffle = _mm256_setr_epi8(-1, -1, 9, 8, -1, -1, -1, -1, 7, 6, 5, 4, 3, 2, 1, 0,
						 -1, -1, 9, 8, -1, -1, -1, -1, 7, 6, 5, 4, 3, 2, 1, 0);
	const __m256i bits = tx_both((uint64_t)1 << 63, UINT64_MAX);
	const struct tx_pair pair = tx_pair(first, second);
	__m256i addr = pair.addr, odd, where;

	odd = _mm256_and_si256(_mm256_xor_si256(pair.counts, like->wanted), like->asked);
	odd = _mm256_or_si256(odd, _mm256_cmpgt_epi16(like->shortest, pair.len));
	where = _mm256_or_si256(_mm256_sub_epi64(addr, twos->start), _mm256_sub_epi64(twos->last, addr));
	where = _mm256_blend_epi32(where, _mm256_xor_si256(pair.pool, twos->pool), 0xcc);
	odd = _mm256_or_si256(odd, _mm256_and_si256(where, bits));
	addr = _mm256_add_epi64(addr, _mm256_and_si256(pair.counts, tx_both(UINT16_MAX, 0)));
	/* Address into the lower quarter, whose upper half is free; bytes 8 and 9 hold the length. */
	addr = _mm256_blend_epi32(addr, pair.len, 0xcc);
	_mm256_storeu_si256((__m256i *)ds, _mm256_or_si256(_mm256_shuffle_epi8(addr, shuffle), twos->key));
	return likely(_mm256_testz_si256(odd, odd));
}

/*
 * Segments of a longer packet from *at on, as long as nb or two of them are left: their entries and pointers. @return how many; at and ds
 * stand behind them. at is NULL behind the last one.
 */
static __rte_always_inline uint32_t
tx_twos_more(const struct tx_twos *twos, struct rte_mbuf **at, uint32_t nb, uintptr_t *elt, uint8_t **ds, const struct rte_mbuf **ahead)
{
	const struct rte_mbuf *coming = *ahead;
	struct rte_mbuf *m = *at;
	uint32_t i;

	for (i = 0; i + 2 <= nb; i += 2, *ds += 2 * TX_DS) {
		struct rte_mbuf *second = m->next, *next;

		/* Two links of the next packet's, which nothing here waits for. */
		if (coming != NULL)
			coming = coming->next;
		if (coming != NULL) {
			rte_prefetch0(coming);
			coming = coming->next;
		}
		rte_prefetch0(coming);
		if (unlikely(!tx_two(twos, &twos->more, m, second, *ds)))
			break;
		elt[i] = (uintptr_t)m;
		elt[i + 1] = (uintptr_t)second;
		m->next = NULL;
		if (i + 2 == nb) {
			m = NULL; /* the last one's link is none, and its line need not be touched */
			continue;
		}
		next = second->next;
		second->next = NULL;
		m = next;
	}
	*at = m;
	*ahead = coming;
	return i;
}

/* Up to nb packets from *at on: entries and whole descriptors. @return how many; the next one is not such. */
static __rte_always_inline uint32_t
tx_twos_take(const struct mlx5hws_txq *txq, const struct tx_twos *twos, struct rte_mbuf *const *at, uint32_t nb, uintptr_t *elt,
	     uint8_t *wqe, uint32_t pi, uint64_t *bytes, const uint32_t flags)
{
	const uint64_t checked = RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_OUTER_IP_CKSUM |
		RTE_MBUF_F_TX_TUNNEL_MASK | RTE_MBUF_F_TX_TCP_SEG;
	uint64_t sum = 0, wishes = 0;
	uint32_t cs_be = 0, i;

	for (i = 0; i < nb; i++, elt += 2, wqe += HCA_WQEBB_BYTES, pi++) {
		struct rte_mbuf *m = at[i], *second;
		uint32_t meta_be = 0;

		if (unlikely(m->nb_segs != 2))
			break;
		second = m->next;
		if (unlikely(!tx_two(twos, &twos->packet, m, second, wqe + TX_HEAD_DS * TX_DS)))
			break;
		if (flags & TX_CHECKSUM && unlikely((m->ol_flags & checked) != wishes)) {
			wishes = m->ol_flags & checked;
			cs_be = htobe32((uint32_t)tx_checksum_flags(wishes) << 24);
		}
		if (flags & TX_META)
			meta_be = tx_meta(txq, m);
		sum += m->pkt_len;
		elt[0] = (uintptr_t)m;
		elt[1] = (uintptr_t)second;
		m->next = NULL;
		m->nb_segs = 1;
		_mm_store_si128((__m128i *)wqe, _mm_insert_epi32(twos->control, (int)htobe32(pi << 8 | PRM_WQE_OP_SEND), 0));
		_mm_store_si128((__m128i *)(wqe + TX_DS), flags & (TX_CHECKSUM | TX_META) ?
			_mm_setr_epi32(0, (int)cs_be, (int)meta_be, 0) : _mm_setzero_si128());
	}
	*bytes += sum;
	return i;
}

#endif
#endif
