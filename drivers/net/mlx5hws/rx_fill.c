/* SPDX-License-Identifier: BSD-3-Clause */

/* Buffers into descriptors and back to their pool: all at start and after errors, and where the short way of rx_refill.h is none. */
#include <errno.h>

#include <rte_mempool.h>

#include "prm/wqe.h"
#include "rx.h"

/* Address and key of a data segment; its length never changes. */
static void
write_segment(struct mlx5hws_rxq *rxq, uint32_t elt, const struct rte_mbuf *m, bool with_key)
{
	uint8_t *segment = rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES;

	if (with_key) {
		uint32_t lkey_be = mlx5hws_lkey(&rxq->lkeys, m);

		memcpy(segment + 4, &lkey_be, sizeof(lkey_be));
	}
	prm_set64(segment, PRM_WQE_DATA_ADDR,
		  (uint64_t)(uintptr_t)m->buf_addr + (mlx5hws_rx_is_first(rxq, elt) ? RTE_PKTMBUF_HEADROOM : 0));
}

/* A buffer in hand; the pool is asked for many at once, and for few when it has no more. */
static bool
have_spare(struct mlx5hws_rxq *rxq)
{
	uint16_t wanted = MLX5HWS_RX_SPARES;

	if (likely(rxq->nb_spares != 0))
		return true;
	for (; wanted != 0; wanted /= 2)
		if (rte_mempool_get_bulk(rxq->pool, (void **)rxq->spares, wanted) == 0)
			break;
	rxq->nb_spares = wanted;
	return wanted != 0;
}

/* @return whether every segment of the descriptor has a buffer now. */
static bool
fill_descriptor(struct mlx5hws_rxq *rxq, uint32_t index)
{
	uint32_t elt = (index << rxq->log_sges) & rxq->elts_mask, end = elt + (1u << rxq->log_sges);

	for (; elt != end; elt++) {
		if (rxq->log_sges != 0 && rxq->elts[elt] != NULL)
			continue;
		if (!have_spare(rxq))
			return false;
		rxq->elts[elt] = rxq->spares[--rxq->nb_spares];
		write_segment(rxq, elt, rxq->elts[elt], !rxq->one_key);
	}
	return true;
}

void
mlx5hws_rx_refill(struct mlx5hws_rxq *rxq)
{
	const uint32_t before = rxq->posted, end = rxq->taken + mlx5hws_rx_ring(rxq);

	mlx5hws_lkey_cache_check(&rxq->lkeys);
	while (rxq->posted != end && fill_descriptor(rxq, rxq->posted))
		rxq->posted++;
	if (rxq->posted != end)
		mlx5hws_count(&rxq->no_mbuf, 1);
	if (rxq->posted != before)
		hca_rq_post(&rxq->rq, rxq->posted);
}

int
mlx5hws_rx_fill(struct mlx5hws_rxq *rxq)
{
	uint32_t nb_elts = rxq->elts_mask + 1;

	mlx5hws_lkey_cache_check(&rxq->lkeys);
	rxq->buffer_at = 0;
	for (uint32_t elt = 0; elt < nb_elts; elt++) {
		uint8_t *segment = rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES;
		struct rte_mbuf *m = rxq->elts[elt];
		uint32_t at;

		if (m == NULL && have_spare(rxq))
			m = rxq->elts[elt] = rxq->spares[--rxq->nb_spares];
		if (m == NULL)
			return -ENOMEM;
		if (mlx5hws_lkey(&rxq->lkeys, m) == MLX5HWS_NO_LKEY)
			return -EFAULT;
		prm_set(segment, PRM_WQE_DATA_BYTE_COUNT, mlx5hws_rx_is_first(rxq, elt) ? rxq->room : rxq->more_room);
		write_segment(rxq, elt, m, true);
		/* As rte_pktmbuf_init lays buffers out: in all that are seen here, or the short way is not taken. */
		at = (uint32_t)((uintptr_t)m->buf_addr - (uintptr_t)m) + RTE_PKTMBUF_HEADROOM;
		rxq->buffer_at = elt == 0 || at == rxq->buffer_at ? at : 0;
	}
	return 0;
}

void
mlx5hws_rx_mark_holes(struct mlx5hws_rxq *rxq)
{
	const uint32_t end = rxq->taken + mlx5hws_rx_ring(rxq);

	for (; rxq->posted != end; rxq->posted++)
		if (rxq->log_sges == 0)
			rxq->elts[rxq->posted & rxq->elts_mask] = NULL;
}

void
mlx5hws_rx_drain(struct mlx5hws_rxq *rxq)
{
	mlx5hws_rx_mark_holes(rxq);
	for (uint32_t elt = 0; elt <= rxq->elts_mask; elt++) {
		if (rxq->elts[elt] != NULL)
			rte_mbuf_raw_free(rxq->elts[elt]);
		rxq->elts[elt] = NULL;
	}
	while (rxq->nb_spares != 0)
		rte_mbuf_raw_free(rxq->spares[--rxq->nb_spares]);
}
