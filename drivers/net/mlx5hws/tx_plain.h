/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Plain buffers: one owner, memory of their own, one pool. As nobody else may touch such a buffer once it is sent, it still is
 * plain when it was sent: it is looked at while its packet is described, when its first line is in hand, and never again. What
 * one completion retires then goes home by one copy (tx_free.h), as do packets that were copied. It is as fast as not to look at all, so
 * the promise of fast free is not relied on: buffers that a striding queue lends do not keep it, wherever they come from.
 */
#ifndef MLX5HWS_TX_PLAIN_H
#define MLX5HWS_TX_PLAIN_H

#include <rte_mbuf.h>

#include "tx.h"

/* Of a run of buffers: bits that say no. Its pool is the first one's. */
struct tx_plain {
	struct rte_mempool *pool;
	uint64_t doubts;
};

#define TX_FOREIGN (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)

/* Somebody else's too, or in memory that is not its own. @return 0: neither */
static __rte_always_inline uint64_t
tx_shared_bits(const struct rte_mbuf *m)
{
	return (rte_mbuf_refcnt_read(m) ^ 1u) | (m->ol_flags & TX_FOREIGN);
}

static __rte_always_inline void
tx_look(struct tx_plain *plain, const struct rte_mbuf *m)
{
	plain->doubts |= tx_shared_bits(m) | ((uintptr_t)m->pool ^ (uintptr_t)plain->pool);
}

/* The nb newest entries of elts have been looked at. */
static __rte_always_inline void
tx_note_plain(struct mlx5hws_txq *txq, const struct tx_plain *plain, uint32_t nb)
{
	if (likely(plain->doubts == 0)) {
		if (txq->plain_elts == 0)
			txq->plain_pool = plain->pool;
		txq->plain_elts += txq->plain_pool == plain->pool ? nb : 0;
	}
}

#endif
