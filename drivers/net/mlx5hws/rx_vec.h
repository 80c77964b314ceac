/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Several packets at once, where the path has vectors: RX_STEP of them, from as many entries of the CQ, or from mini entries of a
 * session. An instruction set gives (rx_vec_avx2.h; another one may be put beside it)
 *
 *	struct rx_columns              the fields of RX_STEP completions, a vector for each
 *	rx_columns_of_cqes             from the ring; false: not all are packets of their own
 *	rx_columns_of_title, ..minis   from a session; of a title whose hash is only its own packet's it is left out
 *	rx_columns_split               a striding queue's lengths and counts of strides, where RX_STRIDE_STEPS is defined
 *	rx_constants                   what a burst needs at every step
 *	rx_finish                      columns into mbufs; adds up bytes. true: one is longer than a buffer (asked where scattered)
 *
 * Buffers are not prefetched: their lines are written whole and early enough, and to ask for them cost more than it saved.
 * What does not come in steps (the ring's end, the last few, errors) is left to the scalar code.
 */
#ifndef MLX5HWS_RX_VEC_H
#define MLX5HWS_RX_VEC_H

#include "rx.h"
#include "rx_session.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "rx_vec_avx512.h"
#elif defined(__AVX2__)
#include "rx_vec_avx2.h"
#endif

#ifdef RX_STEP

/*
 * Descriptors of several buffers: the first of each is taken like any other; of packets that are longer, the others are taken and
 * chained after.
 */
static __rte_always_inline void
rx_take_heads(struct mlx5hws_rxq *rxq, uint32_t elt, struct rte_mbuf **heads)
{
#if defined(__AVX2__)
	if (likely(rxq->log_sges == 1)) {
		__m256i *row = (__m256i *)&rxq->elts[elt], low = _mm256_loadu_si256(row), high = _mm256_loadu_si256(row + 1);
		const __m256i none = _mm256_setzero_si256();

		_mm256_storeu_si256((__m256i *)heads, _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(low, high), 0xd8));
		_mm256_storeu_si256(row, _mm256_blend_epi32(none, low, 0xcc));
		_mm256_storeu_si256(row + 1, _mm256_blend_epi32(none, high, 0xcc));
		return;
	}
#endif
	for (uint32_t i = 0; i < RX_STEP; i++, elt += 1u << rxq->log_sges) {
		heads[i] = rxq->elts[elt];
		rxq->elts[elt] = NULL;
	}
}

static __rte_always_inline void
rx_chain_step(struct mlx5hws_rxq *rxq, uint32_t elt, struct rte_mbuf **heads)
{
	/* What will be written: side by side into the cache, for a store that misses holds up those behind it. */
	for (uint32_t i = 0; i < RX_STEP; i++) {
		__builtin_prefetch(rxq->elts[elt + (i << rxq->log_sges) + 1], 1);
		__builtin_prefetch(&heads[i]->next, 1);
	}
	for (uint32_t i = 0; i < RX_STEP; i++, elt += 1u << rxq->log_sges) {
		struct rte_mbuf **more = &rxq->elts[elt + 1];
		const uint32_t len = heads[i]->pkt_len;

		if (len <= rxq->room)
			continue;
		if (likely(rxq->log_sges == 1)) {
			heads[i]->next = *more;
			rx_more(rxq, *more, len - rxq->room);
			*more = NULL;
		} else {
			rx_chain(rxq, &rxq->elts[elt], heads[i], len);
		}
	}
}

static __rte_always_inline uint32_t
rx_steps_plain(struct mlx5hws_rxq *rxq, struct rte_mbuf **pkts, uint32_t nb, struct rx_bytes *bytes, const uint32_t flags)
{
	const uint32_t log_sges = flags & RX_SCATTER ? rxq->log_sges : 0;
	uint32_t at = rxq->cq.ci & rxq->cq.mask, elt = (rxq->taken << log_sges) & rxq->elts_mask, done = 0;
	const uint8_t *cqe = rxq->cq.ring + (size_t)at * HCA_CQE_BYTES;
	struct rte_mbuf **elts = &rxq->elts[elt];
	const struct rx_own own = rx_own_expected(&rxq->cq, flags);
	const struct rx_constants constants = rx_constants(rxq, flags);

	nb = RTE_MIN(nb, rxq->cq.mask + 1 - at);
	nb = RTE_MIN(nb, (rxq->elts_mask + 1 - elt) >> log_sges);
	for (; done + RX_STEP <= nb; done += RX_STEP, cqe += RX_STEP * HCA_CQE_BYTES) {
		struct rx_columns columns;

		if (unlikely(!rx_columns_of_cqes(&columns, cqe, &own, flags)))
			break;
		if (flags & RX_SCATTER) {
			struct rte_mbuf *heads[RX_STEP];

			rx_take_heads(rxq, elt + (done << log_sges), heads);
			if (unlikely(rx_finish(rxq, &constants, &columns, heads, &pkts[done], bytes, flags)))
				rx_chain_step(rxq, elt + (done << log_sges), heads);
		} else {
			rx_finish(rxq, &constants, &columns, &elts[done], &pkts[done], bytes, flags);
		}
	}
	rxq->cq.ci += done;
	rxq->taken += done;
	return done;
}

/* Of a session that was begun; whole steps of its arrays. */
static __rte_always_inline uint32_t
rx_steps_session(struct mlx5hws_rxq *rxq, struct rte_mbuf **pkts, uint32_t nb, struct rx_bytes *bytes, const uint32_t flags)
{
	struct mlx5hws_rx_session *session = &rxq->session;
	const struct rx_constants constants = rx_constants(rxq, flags);
	struct rx_columns title, columns;
	const uint32_t log_sges = flags & RX_SCATTER ? rxq->log_sges : 0;
	uint32_t elt = (rxq->taken << log_sges) & rxq->elts_mask, done = 0;

	nb = RTE_MIN(nb, session->left);
	nb = RTE_MIN(nb, (rxq->elts_mask + 1 - elt) >> log_sges);
	if (nb < RX_STEP)
		return 0;
	rx_columns_of_title(&title, session->title, true, flags);
	for (; done + RX_STEP <= nb; done += RX_STEP) {
		if (session->at == PRM_MINI_CQES_PER_SLOT)
			rx_session_array(rxq, rx_slot(rxq, rxq->cq.ci), false);
		if (unlikely(session->at % RX_STEP != 0))
			break;
		columns = title;
		rx_columns_of_minis(&columns, &session->minis[session->at * PRM_MINI_CQE_BYTES], rxq->mini_format);
		session->at += RX_STEP;
		session->left -= RX_STEP;
		if (flags & RX_SCATTER) {
			struct rte_mbuf *heads[RX_STEP];

			rx_take_heads(rxq, elt + (done << log_sges), heads);
			if (unlikely(rx_finish(rxq, &constants, &columns, heads, &pkts[done], bytes, flags)))
				rx_chain_step(rxq, elt + (done << log_sges), heads);
		} else {
			rx_finish(rxq, &constants, &columns, &rxq->elts[elt + done], &pkts[done], bytes, flags);
		}
	}
	rxq->taken += done;
	return done;
}

/*
 * A session of the basic layout that begins with this entry and is not longer than what is wanted: its full arrays are read where they
 * stand. What is left of it, less than an array, becomes a session that was begun. @return packets taken.
 */
static __rte_always_inline uint32_t
rx_steps_whole_session(struct mlx5hws_rxq *rxq, const uint8_t *title, struct rte_mbuf **pkts, uint32_t nb, struct rx_bytes *bytes,
		       const uint32_t flags)
{
	struct mlx5hws_rx_session *session = &rxq->session;
	const uint32_t ci = rxq->cq.ci, elt = rxq->taken & rxq->elts_mask, left = prm_get(title, PRM_CQE_BYTE_CNT);
	const struct rx_constants constants = rx_constants(rxq, flags);
	const uint32_t arrays = left / PRM_MINI_CQES_PER_SLOT, packets = arrays * PRM_MINI_CQES_PER_SLOT;
	const uint8_t *minis = title + HCA_CQE_BYTES;
	uint8_t *own = rx_slot(rxq, ci) + HCA_CQE_OP_OWN;
	const uint8_t format = rxq->mini_format;
	struct rx_columns of_title, columns;
	uint32_t invalid;

	if (unlikely(arrays == 0) || unlikely(left > nb) || unlikely((ci & rxq->cq.mask) + left > rxq->cq.mask + 1) ||
	    unlikely(elt + packets > rxq->elts_mask + 1))
		return 0;
	invalid = likely(ci == session->behind) ? session->invalid : 0;
	rx_columns_of_title(&of_title, title, likely(format == PRM_MINI_CQE_FORMAT_HASH), flags);
	for (uint32_t done = 0; done < packets; done += PRM_MINI_CQES_PER_SLOT) {
#pragma GCC unroll 2
		for (uint32_t i = 0; i < PRM_MINI_CQES_PER_SLOT; i += RX_STEP) {
			columns = of_title;
			rx_columns_of_minis(&columns, minis + i * PRM_MINI_CQE_BYTES, format);
			rx_finish(rxq, &constants, &columns, &rxq->elts[elt + done + i], &pkts[done + i], bytes, flags);
		}
		rx_session_invalidate(own, done == 0, invalid <= rxq->cq.mask);
		own += PRM_MINI_CQES_PER_SLOT * HCA_CQE_BYTES;
		minis = own - HCA_CQE_OP_OWN;
		invalid += PRM_MINI_CQES_PER_SLOT;
	}
	session->invalid = invalid;
	session->behind = ci + packets;
	rxq->cq.ci = ci + packets;
	rxq->taken += packets;
	if (unlikely(left != packets)) {
		session->left = left - packets;
		rx_session_title(rxq, title);
		rx_session_array(rxq, minis, false);
	}
	return packets;
}

static __rte_always_inline uint32_t
rx_steps(struct mlx5hws_rxq *rxq, struct rte_mbuf **pkts, uint32_t nb, uint64_t *bytes, const uint32_t flags)
{
	struct rx_bytes sum = rx_bytes_none();
	uint32_t done;

	if (flags & RX_COMPRESSED) {
		const uint8_t *cqe = rx_slot(rxq, rxq->cq.ci);

		if (rxq->session.left == 0 && rx_session_is_next(rxq, cqe)) {
			if (!(flags & RX_SCATTER) && likely(!rxq->cq.enhanced)) {
				done = rx_steps_whole_session(rxq, cqe, pkts, nb, &sum, flags);
				if (likely(done != 0)) {
					*bytes += rx_bytes_sum(&sum);
					return done;
				}
			}
			rx_session_begin(rxq, cqe);
		}
		if (rxq->session.left != 0) {
			done = rx_steps_session(rxq, pkts, nb, &sum, flags);
			*bytes += rx_bytes_sum(&sum);
			return done;
		}
	}
	done = rx_steps_plain(rxq, pkts, nb, &sum, flags);
	*bytes += rx_bytes_sum(&sum);
	return done;
}

#endif
#endif
