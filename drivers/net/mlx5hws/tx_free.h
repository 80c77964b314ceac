/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Part of each path (tx_path.c). Buffers back to their pools. Most come back as they were given: one owner, memory of their own,
 * all of one pool. Where that is not known of them yet (tx_plain.h), a run of such is found by one look at each mbuf's first cache line;
 * links that are still there are cut on the way.
 * Their pointers go straight into this core's cache of the pool: to write them down elsewhere and have them copied at once by
 * wider loads would wait for the writing.
 */
#ifndef MLX5HWS_TX_FREE_H
#define MLX5HWS_TX_FREE_H

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "tx.h"
#include "tx_plain.h"
#include "tx_wqe.h"

#define TX_FREE_BULK 64

/* refcnt and nb_segs, neighbours in the mbuf, and what they are in a buffer that is ours alone and no chain's first. */
_Static_assert(offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, refcnt) + 2, "read as one dword");
typedef uint32_t __attribute__((may_alias, aligned(2))) tx_counts;
#define TX_ALONE 0x00010001u

/* Where a run goes: the cache, as far as there is room, or a list that is given to the pool. */
struct tx_home {
	struct rte_mempool *pool;
	struct rte_mempool_cache *cache;
	void **to;
	uint32_t room;
	void *list[TX_FREE_BULK];
};

static __rte_always_inline void
tx_home_begin(struct tx_home *home, struct rte_mempool *pool)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(pool, rte_lcore_id());
	uint32_t room = cache == NULL ? 0 : cache->flushthresh - RTE_MIN(cache->len, cache->flushthresh);

	home->pool = pool;
	home->cache = room != 0 ? cache : NULL;
	home->to = room != 0 ? &cache->objs[cache->len] : home->list;
	home->room = room != 0 ? room : TX_FREE_BULK;
}

static __rte_always_inline void
tx_home_end(struct tx_home *home, uint32_t nb)
{
	if (likely(home->cache != NULL))
		home->cache->len += nb;
	else if (nb != 0)
		rte_mempool_put_bulk(home->pool, home->list, nb);
}

#if defined(__AVX2__)
#define TX_FREE_STEP 8u
_Static_assert(offsetof(struct rte_mbuf, refcnt) == 18 && offsetof(struct rte_mbuf, ol_flags) == 24 &&
	       offsetof(struct rte_mbuf, pool) == 56, "what lies in the 16 bytes that are read");

static __rte_always_inline __m256i
tx_halves(uintptr_t first, uintptr_t second, size_t offset)
{
	__m128i low = _mm_loadu_si128((const __m128i *)(first + offset));

	return _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm_loadu_si128((const __m128i *)(second + offset)), 1);
}

/* Eight at once, as long as all eight are plain: no bit is set in any that must not be. */
static __rte_always_inline uint32_t
tx_plain_steps(const uintptr_t *elts, uint32_t nb, const struct rte_mempool *pool, void **to)
{
	const long long alone = (long long)TX_ALONE << 16, owner = (long long)(uintptr_t)pool;
	const long long foreign = TX_FOREIGN;
	const __m256i counts = _mm256_setr_epi64x(alone, 0, alone, 0);
	const __m256i asked = _mm256_setr_epi64x((long long)UINT32_MAX << 16, foreign, (long long)UINT32_MAX << 16, foreign);
	const __m256i pools = _mm256_setr_epi64x(0, owner, 0, owner), no_pool = _mm256_setr_epi64x(-1, 0, -1, 0);
	const __m256i tag = _mm256_set1_epi64x(TX_CHAINED);
	uint32_t n = 0;

	for (; n + TX_FREE_STEP <= nb; n += TX_FREE_STEP, elts += TX_FREE_STEP, to += TX_FREE_STEP) {
		__m256i tags = _mm256_setzero_si256(), set = tags, others = tags;

#pragma GCC unroll 4
		for (uint32_t i = 0; i < TX_FREE_STEP; i += 2) {
			const uintptr_t first = elts[i], second = elts[i + 1];

			set = _mm256_or_si256(set, tx_halves(first, second, offsetof(struct rte_mbuf, data_off)));
			others = _mm256_or_si256(others, _mm256_xor_si256(pools,
				tx_halves(first, second, offsetof(struct rte_mbuf, pool) - sizeof(uint64_t))));
		}
#pragma GCC unroll 2
		for (uint32_t i = 0; i < TX_FREE_STEP; i += 4) {
			__m256i four = _mm256_loadu_si256((const __m256i *)&elts[i]);

			_mm256_storeu_si256((__m256i *)&to[i], four);
			tags = _mm256_or_si256(tags, four);
		}
		set = _mm256_and_si256(_mm256_xor_si256(set, counts), asked);
		set = _mm256_or_si256(set, _mm256_and_si256(tags, tag));
		if (unlikely(!_mm256_testz_si256(set, set)) || unlikely(!_mm256_testc_si256(no_pool, others)))
			break;
	}
	return n;
}
#endif

/* How many of nb, from the first on, went home as they are. */
static __rte_always_inline uint32_t
tx_plain_run(const uintptr_t *elts, uint32_t nb, struct rte_mempool *pool)
{
	struct tx_home home;
	uint32_t n = 0;

	tx_home_begin(&home, pool);
	nb = RTE_MIN(nb, home.room);
#if defined(__AVX2__)
	n = tx_plain_steps(elts, nb, pool, home.to);
#endif
	for (; n < nb; n++) {
		struct rte_mbuf *m = (struct rte_mbuf *)elts[n];

		if (unlikely(elts[n] & TX_CHAINED) || unlikely(*(const tx_counts *)&m->refcnt != TX_ALONE) ||
		    unlikely(m->pool != pool) || unlikely(!RTE_MBUF_DIRECT(m)))
			break;
		home.to[n] = m;
	}
	tx_home_end(&home, n);
	return n;
}

/* The same of segments of chains, whose links are cut. */
static __rte_always_inline uint32_t
tx_chained_run(const uintptr_t *elts, uint32_t nb, struct rte_mempool *pool)
{
	struct tx_home home;
	uint32_t n = 0;

	tx_home_begin(&home, pool);
	nb = RTE_MIN(nb, home.room);
	for (; n < nb && elts[n] & TX_CHAINED; n++) {
		struct rte_mbuf *m = (struct rte_mbuf *)(elts[n] ^ TX_CHAINED);

		if (unlikely(m->pool != pool || rte_mbuf_refcnt_read(m) != 1 || !RTE_MBUF_DIRECT(m)))
			break;
		/* Looked at first: loads that miss the cache do not wait for each other, stores do. */
		if (m->next != NULL)
			m->next = NULL;
		if (m->nb_segs != 1)
			m->nb_segs = 1;
		home.to[n] = m;
	}
	tx_home_end(&home, n);
	return n;
}

/* What the cache has no room for. */
static __rte_noinline void
tx_put_bulk(struct rte_mempool *pool, const uintptr_t *elts, uint32_t nb)
{
	rte_mempool_put_bulk(pool, (void *const *)elts, nb);
}

/* All of one pool, as they are. */
static __rte_always_inline void
tx_put(struct rte_mempool *pool, const uintptr_t *elts, uint32_t nb)
{
	struct rte_mempool_cache *cache = rte_mempool_default_cache(pool, rte_lcore_id());

	if (likely(cache != NULL && cache->len + nb <= cache->flushthresh)) {
		tx_copy_flat((uint8_t *)&cache->objs[cache->len], (const uint8_t *)elts, nb * sizeof(*elts));
		cache->len += nb;
	} else {
		tx_put_bulk(pool, elts, nb);
	}
}

/* Out of line, as what is known to be plain does not come here. */
static __rte_noinline void
tx_free_row(const uintptr_t *elts, uint32_t nb)
{
	while (nb != 0) {
		struct rte_mbuf *m = (struct rte_mbuf *)(elts[0] & ~TX_CHAINED);
		uint32_t n = elts[0] & TX_CHAINED ? tx_chained_run(elts, nb, m->pool) : tx_plain_run(elts, nb, m->pool);

		if (unlikely(n == 0)) {
			rte_pktmbuf_free_seg(m); /* shared, or not in its own memory */
			n = 1;
		}
		elts += n;
		nb -= n;
	}
}

/* Buffers of elts, up to head. pool: where all of them go as they are, NULL: not known. */
static __rte_always_inline void
tx_free_up_to(struct mlx5hws_txq *txq, uint32_t head, struct rte_mempool *pool)
{
	while (txq->elts_tail != head) {
		uint32_t at = txq->elts_tail & txq->elts_mask, nb = head - txq->elts_tail;
		uint32_t to_end = txq->elts_mask + 1 - at;

		if (nb > to_end)
			nb = to_end;
		if (likely(pool != NULL))
			tx_put(pool, &txq->elts[at], nb);
		else
			tx_free_row(&txq->elts[at], nb);
		txq->elts_tail += nb;
	}
}

#endif
