/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The common burst: packets of one segment that ask for the same, all of the pool whose key was used last, in one session that ends
 * before the ring does. It is described four packets at once without regard to anything else, and shown to the device only when all
 * were found to be so; else nothing was posted and the burst that knows the rest begins anew. Little code: what a burst costs before its
 * first packet is mostly code that has to be fetched. flags as in tx_burst.h: constants.
 */
#ifndef MLX5HWS_TX_WHOLE_H
#define MLX5HWS_TX_WHOLE_H

#include "tx.h"
#include "tx_completion.h"
#include "tx_post.h"
#include "tx_quad.h"
#include "tx_session.h"

#define TX_WHOLE_PAUSE 8 /* bursts that are not tried after one that was none */

/* May a burst that is made for these be whole at all? */
#define TX_MAY_BE_WHOLE(flags) (((flags) & TX_EMPW) != 0)

/* What no packet of a whole burst may ask for. */
static __rte_always_inline uint64_t
tx_odd_wishes(const struct mlx5hws_txq *txq, const uint32_t flags)
{
	uint64_t odd = flags & TX_TSO ? RTE_MBUF_F_TX_TCP_SEG : 0;

	odd |= flags & TX_VLAN ? RTE_MBUF_F_TX_VLAN : 0;
	odd |= flags & TX_META ? txq->meta_flag : 0;
	odd |= flags & TX_TIME ? txq->time_flag : 0;
	return odd;
}

/* Is it worth a try? The first packet tells of most that are not, before anything is done that would be done again. */
static __rte_always_inline bool
tx_whole_expected(struct mlx5hws_txq *txq, const struct rte_mbuf *first, const uint32_t flags)
{
	if ((flags & TX_SEGMENTS) && first->nb_segs != 1)
		return false;
	if (first->ol_flags & tx_odd_wishes(txq, flags))
		return false;
	if (likely(txq->pause == 0))
		return true;
	txq->pause--;
	return false;
}

#ifdef TX_QUAD

/* Four or eight packets from i on. */
static __rte_always_inline bool
tx_whole_step(const struct tx_quad *quad, struct tx_doubts *doubts, struct rte_mbuf **pkts, uintptr_t *elts, uint8_t *ds, uint32_t i,
	      const uint32_t step, const uint32_t flags)
{
	return likely(tx_quad_take(quad, doubts, &pkts[i], &elts[i], ds + i * TX_DS, step, true, !(flags & TX_CHECKSUM)));
}

static __rte_always_inline uint64_t
tx_whole_bytes(struct rte_mbuf **pkts, uint32_t from, uint32_t to)
{
	uint64_t bytes = 0;

#pragma GCC unroll 1
	for (; from != to; from++)
		bytes += pkts[from]->pkt_len;
	return bytes;
}

/*
 * nb packets, at least four. *twice, written only where there are such: bytes that were counted more than once. @return whether all are
 * as the quad wants them.
 */
static __rte_always_inline bool
tx_whole_quads(const struct tx_quad *quad, struct tx_doubts *doubts, struct rte_mbuf **pkts, uintptr_t *elts, uint8_t *ds, uint32_t nb,
	       uint64_t *twice, const uint32_t flags)
{
	uint32_t i = 0;

	for (; i + 2 * TX_QUAD <= nb; i += 2 * TX_QUAD)
		if (unlikely(!tx_whole_step(quad, doubts, pkts, elts, ds, i, 2 * TX_QUAD, flags)))
			return false;
	while (i != nb) {
		if (unlikely(nb - i < TX_QUAD)) { /* the last four, of which some have been described before */
			*twice = tx_whole_bytes(pkts, nb - TX_QUAD, i);
			i = nb - TX_QUAD;
		}
		if (unlikely(!tx_whole_step(quad, doubts, pkts, elts, ds, i, TX_QUAD, flags)))
			return false;
		i += TX_QUAD;
	}
	return true;
}

/* @return whether the packets are on their way; else nothing was posted. */
static __rte_always_inline bool
tx_whole(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint32_t nb, const uint32_t flags)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[0];
	uint32_t at, block;
	struct tx_doubts doubts = tx_doubts_none();
	struct rte_mbuf *few[TX_QUAD];
	uint32_t places = nb;
	struct tx_shared shared;
	struct tx_plain plain;
	struct tx_quad quad;
	uint64_t twice = 0;
	uint8_t *wqe;

	if (!TX_MAY_BE_WHOLE(flags) || unlikely(nb - 1 > TX_SESSION_DS - TX_HEAD_DS - 1) || !tx_whole_expected(txq, *pkts, flags))
		return false;
	if (unlikely(nb < TX_QUAD)) { /* the last of them fills the quad: its places are behind the session's */
		places = TX_QUAD;
		for (uint32_t i = 0; i < TX_QUAD; i++)
			few[i] = pkts[RTE_MIN(i, nb - 1)];
		pkts = few;
		twice = (uint64_t)(TX_QUAD - nb) * pkts[TX_QUAD - 1]->pkt_len;
	}
	plain = (struct tx_plain){ .pool = pkts[0]->pool };
	at = txq->elts_head & txq->elts_mask;
	block = txq->sq.pi & txq->sq.mask;
	if (unlikely(key->pool != plain.pool) || unlikely(RTE_MIN(txq->elts_mask + 1 - at, tx_free_elts(txq)) < places) ||
	    unlikely(RTE_MIN((txq->sq.mask + 1u - block) * TX_DS_PER_WQEBB, tx_free_ds(txq)) < places + TX_HEAD_DS))
		return false;
	tx_share(txq, &shared, pkts[0], flags);
	tx_quad_begin(&quad, flags & TX_CHECKSUM ? shared.wishes : 0, tx_asked(txq, flags), plain.pool);
	quad.key = tx_both((uint64_t)key->lkey_be << 32, 0);
	wqe = txq->sq.ring + (size_t)block * HCA_WQEBB_BYTES;
	if (unlikely(!tx_whole_quads(&quad, &doubts, pkts, &txq->elts[at], wqe + TX_HEAD_DS * TX_DS, places, &twice, flags))) {
		txq->pause = TX_WHOLE_PAUSE;
		return false;
	}
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, TX_HEAD_DS + nb, (uint32_t)shared.cs << 24, 0, 0);
	txq->sq.pi = (uint16_t)(txq->sq.pi + (TX_HEAD_DS + nb + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB);
	txq->elts_head += nb;
	txq->packets_head += nb;
	plain.doubts = !tx_quad_plain_by_pool(&doubts);
	tx_note_plain(txq, &plain, nb);
	tx_request_completion(txq, wqe, flags);
	hca_sq_doorbell(&txq->sq, wqe);
	mlx5hws_count(&txq->packets, nb);
	mlx5hws_count(&txq->bytes, tx_quad_bytes(&doubts) - twice);
	return true;
}

#else

static __rte_always_inline bool
tx_whole(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint32_t nb, const uint32_t flags)
{
	RTE_SET_USED(txq);
	RTE_SET_USED(pkts);
	RTE_SET_USED(nb);
	RTE_SET_USED(flags);
	return false;
}

#endif
#endif
