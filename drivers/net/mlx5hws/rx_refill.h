/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Part of each path (rx_path.c). Descriptors of one buffer filled again: pointers straight out of this core's cache of the pool, and
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

static __rte_always_inline void
rx_post_row(const struct mlx5hws_rxq *rxq, struct rte_mbuf **elts, void *const *from, uint8_t *segment, uint32_t nb)
{
	uint32_t i = 0;

#if defined(__AVX2__)
	const __m256i offset = _mm256_set1_epi64x(rxq->buffer_at);
	const __m256i swap = _mm256_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
					      7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);

	for (; i + 4 <= nb; i += 4, segment += 4 * HCA_DATA_SEG_BYTES) {
		__m256i m = _mm256_loadu_si256((const __m256i *)&from[i]);
		__m256i be = _mm256_shuffle_epi8(_mm256_add_epi64(m, offset), swap);
		__m128i low = _mm256_castsi256_si128(be), high = _mm256_extracti128_si256(be, 1);

		_mm256_storeu_si256((__m256i *)&elts[i], m);
		_mm_storel_epi64((__m128i *)(segment + 8), low);
		_mm_storeh_pd((double *)(segment + 24), _mm_castsi128_pd(low));
		_mm_storel_epi64((__m128i *)(segment + 40), high);
		_mm_storeh_pd((double *)(segment + 56), _mm_castsi128_pd(high));
	}
#endif
	for (; i < nb; i++, segment += HCA_DATA_SEG_BYTES) {
		elts[i] = from[i];
		prm_set64(segment, PRM_WQE_DATA_ADDR, (uintptr_t)from[i] + rxq->buffer_at);
	}
}

/* The same where a descriptor has several buffers, of those that were taken. @return whether the pool had all. */
static __rte_always_inline bool
rx_refill_scattered(struct mlx5hws_rxq *rxq)
{
	uint32_t holes = mlx5hws_rx_holes(rxq), elt = (rxq->posted << rxq->log_sges) & rxq->elts_mask;
	uint32_t nb = RTE_MIN(holes << rxq->log_sges, rxq->elts_mask + 1 - elt), spares = rxq->nb_spares;
	uint8_t *segment = rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES;

	for (struct rte_mbuf **at = &rxq->elts[elt], **end = at + nb; at != end; at++, segment += HCA_DATA_SEG_BYTES) {
		struct rte_mbuf *m;

		if (*at != NULL)
			continue;
		if (unlikely(spares == 0)) {
			if (rte_mempool_get_bulk(rxq->pool, (void **)rxq->spares, MLX5HWS_RX_SPARES) != 0) {
				rxq->nb_spares = 0;
				return false;
			}
			spares = MLX5HWS_RX_SPARES;
		}
		m = rxq->spares[--spares];
		*at = m;
		prm_set64(segment, PRM_WQE_DATA_ADDR, (uintptr_t)m + rxq->buffer_at);
	}
	rxq->nb_spares = (uint16_t)spares;
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
