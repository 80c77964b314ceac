/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Buffers back to their pools. Most come back as they were given: one owner, one segment, all of one pool. A run of such is
 * found by one look at each mbuf's first cache line and goes back by one copy.
 */
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "tx.h"

#define CHAINED ((uintptr_t)1)
#define FREE_BULK 64

/* refcnt and nb_segs, neighbours in the mbuf, of a buffer that is ours alone and no chain's first. */
#define REFCNT_AT offsetof(struct rte_mbuf, refcnt)
_Static_assert(offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, refcnt) + 2, "read as one dword");
#define ALONE 0x00010001u

static inline bool
is_plain(const struct rte_mbuf *m)
{
	uint32_t counts;

	memcpy(&counts, (const uint8_t *)m + REFCNT_AT, sizeof(counts));
	return counts == ALONE && RTE_MBUF_DIRECT(m);
}

/* How many of nb, from the first on, are plain and of the first one's pool. An entry with its bit set is neither. */
static inline uint32_t
plain_run(const uintptr_t *elts, uint32_t nb, struct rte_mempool **pool)
{
	const struct rte_mbuf *m = (const struct rte_mbuf *)elts[0];
	uint32_t n = 0;

	if (elts[0] & CHAINED)
		return 0;
	*pool = m->pool;
	for (; n < nb; n++) {
		m = (const struct rte_mbuf *)elts[n];
		if (elts[n] & CHAINED || !is_plain(m) || m->pool != *pool)
			break;
	}
	return n;
}

/* Those that are chained, shared or not in their own memory: one by one to the last owner, then in bulk. */
static uint32_t
free_odd(const uintptr_t *elts, uint32_t nb)
{
	struct rte_mempool *pool = NULL;
	void *bulk[FREE_BULK];
	uint32_t n = 0, held = 0;

	for (; n < nb; n++) {
		struct rte_mbuf *m = (struct rte_mbuf *)(elts[n] & ~CHAINED);

		if (!(elts[n] & CHAINED) && n != 0 && is_plain(m))
			break;
		m = rte_pktmbuf_prefree_seg(m);
		if (m == NULL)
			continue;
		if (held == FREE_BULK || (held != 0 && m->pool != pool)) {
			rte_mempool_put_bulk(pool, bulk, held);
			held = 0;
		}
		pool = m->pool;
		bulk[held++] = m;
	}
	if (held != 0)
		rte_mempool_put_bulk(pool, bulk, held);
	return n;
}

static inline void
free_row(const struct mlx5hws_txq *txq, uintptr_t *elts, uint32_t nb)
{
	struct rte_mempool *pool;

	/* The application promised one pool and one owner. */
	if (txq->fast_free) {
		rte_mempool_put_bulk(((struct rte_mbuf *)elts[0])->pool, (void **)elts, nb);
		return;
	}
	while (nb != 0) {
		uint32_t n = plain_run(elts, nb, &pool);

		if (n != 0)
			rte_mempool_put_bulk(pool, (void **)elts, n);
		else
			n = free_odd(elts, nb);
		elts += n;
		nb -= n;
	}
}

void
mlx5hws_tx_free_packets(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint32_t nb)
{
	free_row(txq, (uintptr_t *)pkts, nb);
}

void
mlx5hws_tx_free_up_to(struct mlx5hws_txq *txq, uint32_t head)
{
	while (txq->elts_tail != head) {
		uint32_t at = txq->elts_tail & txq->elts_mask, nb = head - txq->elts_tail;
		uint32_t to_end = txq->elts_mask + 1 - at;

		if (nb > to_end)
			nb = to_end;
		free_row(txq, &txq->elts[at], nb);
		txq->elts_tail += nb;
	}
}
