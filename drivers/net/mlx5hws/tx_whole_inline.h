/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * As tx_whole.h, of a burst whose packets are all copied: short ones of one segment that ask for the same, in as many sessions as it
 * takes, all of which end before the ring does. What is copied is shown to the device only when all were found to be so.
 */
#ifndef MLX5HWS_TX_WHOLE_INLINE_H
#define MLX5HWS_TX_WHOLE_INLINE_H

#include "tx.h"
#include "tx_completion.h"
#include "tx_post.h"
#include "tx_session_inline.h"
#include "tx_whole.h"

#define TX_LEAST_DS 2 /* 16-byte units of the shortest packet that is copied, and its length */

/* Of all packets of a burst, or'ed: their flags, how they are not like the first's, their pools likewise, their counts. */
struct tx_alike {
	uint64_t flags, differ;
	uintptr_t pools;
	uint32_t owners, segments;
};

/* Are all of one segment, and alike in what they ask of the session? */
static __rte_always_inline bool
tx_alike_good(const struct mlx5hws_txq *txq, const struct tx_alike *alike, const uint32_t flags)
{
	return likely(alike->segments == 1) && likely((alike->flags & tx_odd_wishes(txq, flags)) == 0) &&
		(!(flags & TX_CHECKSUM) || likely((alike->differ & TX_CS_WISHES) == 0));
}

/* The head of the session from wqe up to ds; the queue moves on behind it. @return the next one's place. */
static __rte_always_inline uint8_t *
tx_whole_close(struct mlx5hws_txq *txq, uint8_t *wqe, const uint8_t *ds, uint8_t cs)
{
	const uint32_t used = (uint32_t)(ds - wqe) / TX_DS, blocks = (used + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB;

	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, used, (uint32_t)cs << 24, 0, 0);
	txq->sq.pi = (uint16_t)(txq->sq.pi + blocks);
	return wqe + blocks * HCA_WQEBB_BYTES;
}

/*
 * Packets into sessions, of which the last is left open: from *wqe to *ds. @return whether all of them are in; *full: there was no
 * room before limit.
 */
static __rte_always_inline bool
tx_whole_copies(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, struct rte_mbuf **stop, uint8_t **wqe, uint8_t **ds,
		const uint8_t *limit, bool *full, uint8_t cs, struct tx_alike *alike, uint64_t *bytes)
{
	const uint32_t span = txq->inline_empw - TX_SESSION_LEAST;
	const struct rte_mbuf *first = *pkts;
	uint8_t *at = *wqe + TX_HEAD_DS * TX_DS;
	const uint8_t *end = RTE_MIN(*wqe + TX_SESSION_DS * TX_DS, limit);
	struct tx_alike all = { 0 };
	uint64_t sum = 0;

	for (; pkts != stop; pkts++) {
		const struct rte_mbuf *m = *pkts;
		const uint32_t len = m->data_len, units = (sizeof(uint32_t) + len + TX_DS - 1) & ~(TX_DS - 1);
		const uint32_t head = htobe32(1u << 31 | len);

		if (unlikely(len - (TX_SESSION_LEAST + 1) >= span))
			return false;
		if (unlikely(at + units > end)) {
			if (at != *wqe + TX_HEAD_DS * TX_DS)
				*wqe = tx_whole_close(txq, *wqe, at, cs);
			at = *wqe + TX_HEAD_DS * TX_DS;
			end = RTE_MIN(*wqe + TX_SESSION_DS * TX_DS, limit);
			if (unlikely(at + units > end)) {
				*full = true;
				return false;
			}
		}
		memcpy(at, &head, sizeof(head));
		tx_copy_short(at + sizeof(head), rte_pktmbuf_mtod(m, const uint8_t *), len);
		all.owners |= rte_mbuf_refcnt_read(m);
		all.segments |= m->nb_segs;
		all.flags |= m->ol_flags;
		all.differ |= m->ol_flags ^ first->ol_flags;
		all.pools |= (uintptr_t)m->pool ^ (uintptr_t)first->pool;
		sum += len;
		at += units;
	}
	*ds = at;
	*alike = all;
	*bytes = sum;
	return true;
}

/* @return whether the packets are on their way; else nothing was posted. */
static __rte_always_inline bool
tx_whole_inline(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint32_t nb, const uint32_t flags)
{
	uint32_t block, room;
	struct tx_alike alike;
	uint8_t *wqe, *ds, cs;
	bool full = false;
	uint64_t bytes;
	uint16_t pi;

	if (!TX_MAY_BE_WHOLE(flags) || unlikely(nb == 0) || unlikely(txq->inline_empw <= TX_SESSION_LEAST) ||
	    !tx_whole_expected(txq, *pkts, flags))
		return false;
	pi = txq->sq.pi;
	block = pi & txq->sq.mask;
	room = RTE_MIN(txq->sq.mask + 1u - block, tx_free_ds(txq) / TX_DS_PER_WQEBB);
	if (unlikely(room * TX_DS_PER_WQEBB < TX_HEAD_DS + nb * TX_LEAST_DS)) /* what is copied would be copied again */
		return false;
	wqe = txq->sq.ring + (size_t)block * HCA_WQEBB_BYTES;
	cs = flags & TX_CHECKSUM ? tx_checksum_flags(pkts[0]->ol_flags) : 0;
	if (unlikely(!tx_whole_copies(txq, pkts, pkts + nb, &wqe, &ds, wqe + (size_t)room * HCA_WQEBB_BYTES, &full, cs, &alike, &bytes)) ||
	    unlikely(!tx_alike_good(txq, &alike, flags))) {
		txq->sq.pi = pi;
		txq->pause = full ? 0 : TX_WHOLE_PAUSE;
		return false;
	}
	tx_whole_close(txq, wqe, ds, cs);
	/* No buffer has no owner: or'ed, one each is 1. */
	tx_free_packets(pkts, nb, alike.owners == 1 && !(alike.flags & TX_FOREIGN) && alike.pools == 0 ? pkts[0]->pool : NULL);
	txq->packets_head += nb;
	tx_request_completion(txq, wqe, flags);
	hca_sq_doorbell(&txq->sq, wqe);
	mlx5hws_count(&txq->packets, nb);
	mlx5hws_count(&txq->bytes, bytes);
	return true;
}

#endif
