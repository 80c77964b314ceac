/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Part of each path (tx_path.c). Buffers back to their pools. Most come back as they were given: one owner, memory of their own, all of one pool. A run of such
 * is found by one look at each mbuf's first cache line and goes back by one copy; of a chain each link is cut on the way.
 */
#ifndef MLX5HWS_TX_FREE_H
#define MLX5HWS_TX_FREE_H

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "tx.h"

#define TX_CHAINED ((uintptr_t)1)
#define TX_FREE_BULK 64

/* refcnt and nb_segs, neighbours in the mbuf, and what they are in a buffer that is ours alone and no chain's first. */
_Static_assert(offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, refcnt) + 2, "read as one dword");
typedef uint32_t __attribute__((may_alias, aligned(2))) tx_counts;
#define TX_ALONE 0x00010001u

/* How many of nb, from the first on, can go back to one pool as they are. */
static __rte_always_inline uint32_t
tx_plain_run(const uintptr_t *elts, uint32_t nb, const struct rte_mempool *pool)
{
	const uintptr_t *at = elts, *const end = elts + nb;

	for (; at != end; at++) {
		const struct rte_mbuf *m = (const struct rte_mbuf *)*at;

		if (unlikely(*at & TX_CHAINED) || unlikely(*(const tx_counts *)&m->refcnt != TX_ALONE) || unlikely(m->pool != pool) ||
		    unlikely(!RTE_MBUF_DIRECT(m)))
			break;
	}
	return (uint32_t)(at - elts);
}

/*
 * Segments of chains: each link is cut, and the bare pointers go straight into this core's cache of the pool; to write them down
 * elsewhere and have them copied at once by wider loads would wait for the writing. @return how many; 0: not the first one.
 */
static __rte_always_inline uint32_t
tx_chained_run(const uintptr_t *elts, uint32_t nb, struct rte_mempool *pool)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(pool, rte_lcore_id());
	uint32_t room = cache == NULL ? 0 : cache->flushthresh - RTE_MIN(cache->len, cache->flushthresh), n = 0;
	void *local[TX_FREE_BULK], **to = room != 0 ? &cache->objs[cache->len] : local;

	nb = RTE_MIN(nb, room != 0 ? room : TX_FREE_BULK);
	for (; n < nb && elts[n] & TX_CHAINED; n++) {
		struct rte_mbuf *m = (struct rte_mbuf *)(elts[n] ^ TX_CHAINED);

		if (unlikely(m->pool != pool || rte_mbuf_refcnt_read(m) != 1 || !RTE_MBUF_DIRECT(m)))
			break;
		/* Looked at first: loads that miss the cache do not wait for each other, stores do. */
		if (m->next != NULL)
			m->next = NULL;
		if (m->nb_segs != 1)
			m->nb_segs = 1;
		to[n] = m;
	}
	if (room != 0)
		cache->len += n;
	else if (n != 0)
		rte_mempool_put_bulk(pool, local, n);
	return n;
}

static inline void
tx_free_row(const struct mlx5hws_txq *txq, uintptr_t *elts, uint32_t nb)
{
	/* The application promised one pool and one owner. */
	if (txq->fast_free) {
		rte_mempool_put_bulk(((struct rte_mbuf *)elts[0])->pool, (void **)elts, nb);
		return;
	}
	while (nb != 0) {
		struct rte_mbuf *m = (struct rte_mbuf *)(elts[0] & ~TX_CHAINED);
		struct rte_mempool *pool = m->pool;
		uint32_t n = tx_plain_run(elts, nb, pool);

		if (likely(n != 0)) {
			rte_mempool_put_bulk(pool, (void **)elts, n);
		} else if ((n = tx_chained_run(elts, nb, pool)) == 0) {
			rte_pktmbuf_free_seg(m); /* shared, or not in its own memory */
			n = 1;
		}
		elts += n;
		nb -= n;
	}
}

/* Buffers of elts, up to head. */
static __rte_noinline void
tx_free_up_to(struct mlx5hws_txq *txq, uint32_t head)
{
	while (txq->elts_tail != head) {
		uint32_t at = txq->elts_tail & txq->elts_mask, nb = head - txq->elts_tail;
		uint32_t to_end = txq->elts_mask + 1 - at;

		if (nb > to_end)
			nb = to_end;
		tx_free_row(txq, &txq->elts[at], nb);
		txq->elts_tail += nb;
	}
}

#endif
