/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Part of each path (rx_path.c). Descriptors filled again: pointers straight out of this core's cache of the pool, and
 * addresses that follow from them, so that no fresh buffer is looked at. One doorbell record for all of them.
 */
#ifndef MLX5HWS_RX_REFILL_H
#define MLX5HWS_RX_REFILL_H

#include <rte_lcore.h>
#include <rte_mempool.h>

#include "prm/wqe.h"
#include "rx.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

_Static_assert(HCA_DATA_SEG_BYTES == 16, "length, key, address");

#if defined(__AVX2__)
/* Four pointers into elts, and the addresses that follow from them into their data segments. */
static __rte_always_inline void
rx_post_four(struct rte_mbuf **elts, __m256i m, uint8_t *segment, __m256i offset)
{
	const __m256i swap = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
					      7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
	__m256i be = _mm256_shuffle_epi8(_mm256_add_epi64(m, offset), swap);
	__m128i low = _mm256_castsi256_si128(be), high = _mm256_extracti128_si256(be, 1);

	_mm256_storeu_si256((__m256i *)elts, m);
	_mm_storel_epi64((__m128i *)(segment + 8), low);
	_mm_storeh_pd((double *)(segment + 24), _mm_castsi128_pd(low));
	_mm_storel_epi64((__m128i *)(segment + 40), high);
	_mm_storeh_pd((double *)(segment + 56), _mm_castsi128_pd(high));
}
#endif

static __rte_always_inline void
rx_post_row(const struct mlx5hws_rxq *rxq, struct rte_mbuf **elts, void *const *from, uint8_t *segment, uint32_t nb)
{
	uint32_t i = 0;

#if defined(__AVX2__)
	const __m256i offset = _mm256_set1_epi64x(rxq->buffer_at);

	for (; i + 4 <= nb; i += 4, segment += 4 * HCA_DATA_SEG_BYTES)
		rx_post_four(&elts[i], _mm256_loadu_si256((const __m256i *)&from[i]), segment, offset);
#endif
	for (; i < nb; i++, segment += HCA_DATA_SEG_BYTES) {
		elts[i] = from[i];
		prm_set64(segment, PRM_WQE_DATA_ADDR, (uintptr_t)from[i] + rxq->buffer_at);
	}
}

/* Of descriptors of several buffers: each of elts that was taken, one by one. @return whether the pool had all. */
static __rte_always_inline bool
rx_fill_holes(struct mlx5hws_rxq *rxq, uint32_t elt, uint32_t end)
{
	const uint32_t more_at = rxq->buffer_at - RTE_PKTMBUF_HEADROOM;

	for (; elt != end; elt++) {
		struct rte_mbuf *m;

		if (rxq->elts[elt] != NULL)
			continue;
		if (unlikely(rxq->nb_spares == 0)) {
			if (rte_mempool_get_bulk(rxq->pool, (void **)rxq->spares, MLX5HWS_RX_SPARES) != 0)
				return false;
			rxq->nb_spares = MLX5HWS_RX_SPARES;
		}
		m = rxq->spares[--rxq->nb_spares];
		rxq->elts[elt] = m;
		prm_set64(rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES, PRM_WQE_DATA_ADDR,
			  (uintptr_t)m + (mlx5hws_rx_is_first(rxq, elt) ? rxq->buffer_at : more_at));
	}
	return true;
}

#if defined(__AVX2__)
/* By which of four are wanted: pointers that lie side by side, brought to those places. */
#define TO(a, b, c, d) { 2 * (a), 2 * (a) + 1, 2 * (b), 2 * (b) + 1, 2 * (c), 2 * (c) + 1, 2 * (d), 2 * (d) + 1 }
static const uint32_t rx_places[16][8] __rte_aligned(32) = {
	TO(0, 0, 0, 0), TO(0, 0, 0, 0), TO(0, 0, 0, 0), TO(0, 1, 0, 0), TO(0, 0, 0, 0), TO(0, 0, 1, 0), TO(0, 0, 1, 0), TO(0, 1, 2, 0),
	TO(0, 0, 0, 0), TO(0, 0, 0, 1), TO(0, 0, 0, 1), TO(0, 1, 0, 2), TO(0, 0, 0, 1), TO(0, 0, 1, 2), TO(0, 0, 1, 2), TO(0, 1, 2, 3),
};
#undef TO

/* The same, four at once out of this core's cache of the pool. @return the first that is left. */
static __rte_always_inline uint32_t
rx_fill_fours(struct mlx5hws_rxq *rxq, uint32_t elt, uint32_t end)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(rxq->pool, rte_lcore_id());
	const __m256i more = _mm256_set1_epi64x(rxq->buffer_at - RTE_PKTMBUF_HEADROOM), none = _mm256_setzero_si256();
	/* Of four that begin a descriptor: they are two, or one, or part of one. */
	const __m256i first = _mm256_add_epi64(more, _mm256_setr_epi64x(RTE_PKTMBUF_HEADROOM, 0,
		rxq->log_sges == 1 ? RTE_PKTMBUF_HEADROOM : 0, 0));

	if (unlikely(cache == NULL))
		return elt;
	for (; elt + 4 <= end && likely(cache->len >= 4); elt += 4) {
		__m256i four = _mm256_loadu_si256((const __m256i *)&rxq->elts[elt]), taken = _mm256_cmpeq_epi64(four, none), fresh;
		const uint32_t wanted = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(taken));

		if (wanted == 0)
			continue;
		cache->len -= (uint32_t)__builtin_popcount(wanted);
		fresh = _mm256_loadu_si256((const __m256i *)&cache->objs[cache->len]);
		fresh = _mm256_permutevar8x32_epi32(fresh, _mm256_load_si256((const __m256i *)rx_places[wanted]));
		rx_post_four(&rxq->elts[elt], _mm256_blendv_epi8(four, fresh, taken),
			     rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES, mlx5hws_rx_is_first(rxq, elt) ? first : more);
	}
	return elt;
}
#endif

static __rte_always_inline bool
rx_refill_scattered(struct mlx5hws_rxq *rxq)
{
	uint32_t elt = (rxq->posted << rxq->log_sges) & rxq->elts_mask;
	const uint32_t nb = RTE_MIN(mlx5hws_rx_holes(rxq) << rxq->log_sges, rxq->elts_mask + 1 - elt), end = elt + nb;

#if defined(__AVX2__)
	elt = rx_fill_fours(rxq, elt, end);
#endif
	if (unlikely(!rx_fill_holes(rxq, elt, end)))
		return false;
	rxq->posted += nb >> rxq->log_sges;
	hca_rq_post(&rxq->rq, rxq->posted);
	return true;
}

/* Up to the ring's end; the rest comes with the next batch. */
static __rte_always_inline void
rx_refill(struct mlx5hws_rxq *rxq, const uint32_t flags)
{
	uint32_t at = rxq->posted & rxq->elts_mask, nb = RTE_MIN(mlx5hws_rx_holes(rxq), rxq->elts_mask + 1 - at);
	struct rte_mbuf **elts = &rxq->elts[at];
	struct rte_mempool_cache *cache;
	void *const *from;

	if (unlikely(!rxq->one_key || rxq->buffer_at == 0)) {
		mlx5hws_rx_refill(rxq);
		return;
	}
	if (flags & RX_SCATTER && rxq->log_sges != 0) {
		/* What it has filled stays so when the pool is dry: it is not NULL any more. */
		if (unlikely(!rx_refill_scattered(rxq)))
			mlx5hws_rx_refill(rxq);
		return;
	}
	cache = rte_mempool_default_cache(rxq->pool, rte_lcore_id());
	if (likely(cache != NULL && cache->len >= nb)) {
		cache->len -= nb;
		from = &cache->objs[cache->len];
	} else if (rte_mempool_get_bulk(rxq->pool, (void **)elts, nb) == 0) {
		from = (void *const *)elts;
	} else {
		mlx5hws_rx_refill(rxq);
		return;
	}
	rx_post_row(rxq, elts, from, rxq->rq.ring + (size_t)at * HCA_DATA_SEG_BYTES, nb);
	rxq->posted += nb;
	hca_rq_post(&rxq->rq, rxq->posted);
}

#endif
