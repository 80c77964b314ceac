/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The body of all transmit bursts. flags is a constant where it is used: each use is a burst of its own, with what the port was
 * configured for and nothing else (tx_table.c). What a burst was not made for is still sent rightly, by the burst that
 * knows all, so a flag is about speed, not about what is possible; of a flag that a packet's wish needs, the table makes sure.
 *
 *	plain ones that ask for the same -> one session, described without a look at anything else: tx_whole.h
 *	packets of one segment          -> sessions of a multi-packet descriptor (EMPW): tx_session.h, copied tx_session_inline.h
 *	several segments, TSO           -> a SEND or TSO descriptor each: tx_chains.h
 *	a tag; no multi-packet ones     -> a SEND each: tx_singles.h, copied tx_shorts.h
 *	anything else                   -> a SEND or TSO descriptor of its own: tx_post.h
 *	a time to leave at              -> a WAIT, then a descriptor of its own
 *
 * In all but the last two buffers are looked at once and not again (tx_plain.h).
 */
#ifndef MLX5HWS_TX_BURST_H
#define MLX5HWS_TX_BURST_H

#include "tx.h"
#include "tx_chains.h"
#include "tx_completion.h"
#include "tx_post.h"
#include "tx_session.h"
#include "tx_session_inline.h"
#include "tx_shorts.h"
#include "tx_singles.h"
#include "tx_whole.h"
#include "tx_whole_inline.h"
#include "tx_wqe.h"

/* The next packet in a descriptor of its own. @return whether to go on. */
static __rte_always_inline bool
tx_alone(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	struct rte_mbuf *m = run->pkts[run->at];
	const uint16_t pi = txq->sq.pi;
	enum tx_result result;

	if ((flags & TX_TIME) && unlikely(m->ol_flags & txq->time_flag) && !tx_post_wait(txq, m))
		return false;
	if (tx_is_short(txq, m, flags)) {
		result = tx_post_short(txq, run, m, flags);
	} else if (!(flags & TX_SEGMENTS) && unlikely(m->nb_segs != 1)) {
		struct tx_run other = *run; /* so that run itself may stay in registers */

		result = tx_post_any(txq, &other, m);
		*run = other;
	} else {
		result = tx_post(txq, run, m, flags);
	}
	if (likely(result == TX_POSTED))
		return true;
	if (flags & TX_TIME)
		txq->sq.pi = pi; /* a WAIT for nothing: the device has not been told of it */
	if (result == TX_NO_ROOM)
		return false;
	tx_free_copied(txq, run, flags);
	mlx5hws_tx_refuse(txq, m);
	rte_pktmbuf_free(m);
	run->dropped++;
	run->copied = ++run->at;
	return true;
}

/*
 * Packets that are in no session of pointers, from the next one on and up to the first that is to be. @return whether to go on:
 * false when there is no room.
 */
static __rte_always_inline bool
tx_others(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	do {
		if ((flags & TX_INLINE) && !(flags & TX_EMPW) && tx_shorts(txq, run, flags) != 0)
			continue;
		if ((flags & TX_SEGMENTS) && !(flags & TX_INLINE) && tx_chains(txq, run, flags) != 0)
			continue;
		if (!(flags & TX_INLINE) && (!(flags & TX_EMPW) || flags & TX_VLAN) && likely(tx_singles(txq, run, flags) != 0))
			continue;
		if (!tx_alone(txq, run, flags))
			return false;
	} while (run->at != run->nb && !((flags & TX_EMPW) && likely(tx_is_single(txq, run->pkts[run->at],
										  flags & TX_INLINE ? flags & ~TX_VLAN : flags))));
	return true;
}

/* others: tx_others for these flags, out of line so that sessions have the registers. */
static __rte_always_inline void
tx_fill(struct mlx5hws_txq *txq, struct tx_run *run, bool (*others)(struct mlx5hws_txq *txq, struct tx_run *run),
	const uint32_t flags)
{
	while (run->at != run->nb) {
		bool alone = false, more;
		struct tx_run other;

		if ((flags & TX_EMPW) && likely(tx_is_single(txq, run->pkts[run->at], flags & TX_INLINE ? flags & ~TX_VLAN : flags))) {
			if (likely((flags & TX_INLINE ? tx_session_inline(txq, run, &alone, flags) :
				tx_session(txq, run, &alone, flags)) != 0))
				continue;
			if (!alone)
				break;
		}
		other = *run;
		more = others(txq, &other);
		*run = other;
		if (!more)
			break;
	}
	tx_free_copied(txq, run, flags);
}

/* The queue is ready. */
static __rte_always_inline uint16_t
tx_burst(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint16_t nb_pkts,
	 bool (*others)(struct mlx5hws_txq *txq, struct tx_run *run), const uint32_t flags)
{
	struct tx_run run = { .pkts = pkts, .nb = nb_pkts };
	uint32_t posted;

	if (flags & TX_INLINE && nb_pkts != 0)
		run.plain.pool = pkts[0]->pool;
	run.ring.start = txq->sq.ring;
	run.ring.end = txq->sq.ring + (txq->sq.mask + 1u) * HCA_WQEBB_BYTES;
	tx_fill(txq, &run, others, flags);
	posted = run.at - run.dropped;
	if (likely(posted != 0)) {
		txq->packets_head += posted;
		tx_request_completion(txq, run.last, flags);
		hca_sq_doorbell(&txq->sq, run.last);
		mlx5hws_count(&txq->packets, posted + run.more_frames);
		mlx5hws_count(&txq->bytes, run.bytes);
	}
	if (unlikely(run.dropped != 0))
		mlx5hws_count(&txq->errors, run.dropped);
	return (uint16_t)run.at;
}

/* The common bursts first; the queue is ready. @return whether all packets are on their way; else it is tx_burst's turn. */
static __rte_always_inline bool
tx_burst_whole(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint16_t nb_pkts, const uint32_t flags)
{
	return (flags & TX_INLINE) ? tx_whole_inline(txq, pkts, nb_pkts, flags) : tx_whole(txq, pkts, nb_pkts, flags);
}

#endif
