/* SPDX-License-Identifier: BSD-3-Clause */

/* What a burst has to do with completions: it takes those that are there before, and asks for one after. */
#ifndef MLX5HWS_TX_COMPLETION_H
#define MLX5HWS_TX_COMPLETION_H

#include "tx.h"
#include "tx_wqe.h"

/* Take what has completed. Out of line: once a burst. */
static void tx_complete(struct mlx5hws_txq *txq, uint32_t nb);

/* Before a burst looks at its packets. @return whether the queue takes any. */
static __rte_always_inline bool
tx_ready(struct mlx5hws_txq *txq)
{
	if (unlikely(txq->state != MLX5HWS_TX_GOOD) && !mlx5hws_tx_revive(txq))
		return false;
	mlx5hws_lkey_cache_check(&txq->lkeys);
	if (hca_cq_peek(&txq->cq) == NULL)
		return true;
	tx_complete(txq, UINT32_MAX);
	return likely(txq->state == MLX5HWS_TX_GOOD);
}

/* Ask for a completion with the last descriptor when enough waits since the last request. */
static __rte_always_inline void
tx_request_completion(struct mlx5hws_txq *txq, uint8_t *last, const uint32_t flags)
{
	const uint32_t share = flags & TX_INLINE ? MLX5HWS_TX_SHARE_COPIED : MLX5HWS_TX_SHARE;
	uint32_t blocks = (uint16_t)(txq->sq.pi - txq->request_pi), elts = txq->elts_head - txq->request_elts;
	struct mlx5hws_tx_mark *mark;

	/*
	 * Packets that were copied wait for nothing: only the ring does, for a part of it. Buffers have a ring too: many empty
	 * segments fill it before the descriptors fill theirs. Segments count, not packets: chains that are long on their way are cold
	 * when they come back.
	 */
	if (elts < MLX5HWS_TX_COMP_BUFFERS && blocks < (txq->sq.mask + 1u) / share && elts < (txq->elts_mask + 1) / MLX5HWS_TX_SHARE)
		return;
	mark = &txq->marks[txq->mark_head++ & txq->marks_mask];
	mark->elts_head = txq->elts_head;
	mark->packets = txq->packets_head;
	mark->pi = txq->sq.pi;
	mark->pool = elts == txq->plain_elts ? txq->plain_pool : NULL;
	txq->plain_elts = 0;
	tx_request(last);
	txq->request_pi = txq->sq.pi;
	txq->request_elts = txq->elts_head;
}

#endif
