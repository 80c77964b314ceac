/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Pointers of a session four at once, where the machine has 256-bit vectors. Each packet takes half of one: its flags and
 * counts, its buffer's address, its length are brought together and turned into two descriptors by one shuffle. Whether
 * all of them may be in the session is asked once, after; if not, nothing has been moved on and they are taken one by one.
 *
 * by_pool: the key is that of all buffers of the first packet's pool. Then it is enough that a packet is of that pool and its data where
 * the pool has put them; else each address is compared with the key's memory.
 */
#ifndef MLX5HWS_TX_QUAD_H
#define MLX5HWS_TX_QUAD_H

#include "tx.h"
#include "tx_plain.h"
#include "tx_wqe.h"

#if defined(__AVX2__)

#include <immintrin.h>

#define TX_QUAD 4

/* What lies where in an mbuf's first line. */
_Static_assert(offsetof(struct rte_mbuf, buf_addr) == 0, "first quarter");
_Static_assert(offsetof(struct rte_mbuf, data_off) == 16 && offsetof(struct rte_mbuf, refcnt) == 18 &&
	       offsetof(struct rte_mbuf, nb_segs) == 20 && offsetof(struct rte_mbuf, ol_flags) == 24, "second quarter");
_Static_assert(offsetof(struct rte_mbuf, pkt_len) == 36 && offsetof(struct rte_mbuf, data_len) == 40, "third quarter");
_Static_assert(offsetof(struct rte_mbuf, pool) == 56, "fourth quarter");

/* What is known before, side by side: elsewhere each would be in a cache line of its own. Low and high half of either half of a vector. */
struct tx_quad_constants {
	__m128i swap;              /* length and address into a descriptor's order; swaps bytes */
	__m128i shortest, data_off, one_segment;
	__m128i counts, counts_by_pool, where_by_pool;
};

static const struct tx_quad_constants tx_quad_constants __rte_cache_aligned = {
	.swap = { (long long)0xffffffff04050607, 0x08090a0b0c0d0e0f },
	.shortest = { (long long)RTE_ETHER_HDR_LEN << 32, 0 },
	.data_off = { UINT16_MAX, 0 },
	.one_segment = { (long long)1 << 32, 0 },
	.counts = { (long long)UINT16_MAX << 32, 0 },
	.counts_by_pool = { (long long)UINT16_MAX << 32, (long long)TX_FOREIGN },
	.where_by_pool = { INT64_MIN, -1 },
};

/* Of a session, the same in both halves. */
struct tx_quad {
	__m256i wanted, asked;     /* nb_segs and flags: what they must be, which bits count */
	__m256i asked_by_pool, where_by_pool;
	__m256i swap, shortest, data_off;
	__m256i start, last;       /* of the key's memory; its last byte */
	__m256i key;               /* the lkey's place in a descriptor */
	__m256i pool;              /* of the first packet, in the high halves */
};

/* Of the packets so far. */
struct tx_doubts {
	__m256i odd;               /* bits of counts and flags that are not as wanted */
	/*
	 * Low halves, the sign: an address before or behind the key's memory, a packet shorter than a frame's head. High
	 * halves: bits of the pool.
	 */
	__m256i where;
	__m256i bytes;             /* sum of lengths, in dwords 1 and 5 */
};

static __rte_always_inline __m256i
tx_both(uint64_t low, uint64_t high)
{
	return _mm256_set_epi64x((long long)high, (long long)low, (long long)high, (long long)low);
}

static __rte_always_inline __m256i
tx_twice(__m128i half)
{
	return _mm256_broadcastsi128_si256(half);
}

/* Of packets of one segment: what their flags must be. */
static __rte_always_inline void
tx_quad_begin(struct tx_quad *quad, uint64_t wanted, uint64_t asked, const struct rte_mempool *pool)
{
	const struct tx_quad_constants *constants = &tx_quad_constants;

	__asm__("" : "+r"(constants)); /* else the compiler would copy them to where it keeps its own */
	quad->wanted = _mm256_or_si256(tx_twice(constants->one_segment), tx_both(0, wanted));
	quad->asked = _mm256_or_si256(tx_twice(constants->counts), tx_both(0, asked));
	quad->asked_by_pool = _mm256_or_si256(tx_twice(constants->counts_by_pool), tx_both(0, asked));
	quad->where_by_pool = tx_twice(constants->where_by_pool);
	quad->swap = tx_twice(constants->swap);
	quad->shortest = tx_twice(constants->shortest);
	quad->data_off = tx_twice(constants->data_off);
	quad->pool = tx_both(0, (uintptr_t)pool);
}

static __rte_always_inline void
tx_quad_key(struct tx_quad *quad, uintptr_t start, uintptr_t bytes, uint32_t lkey_be)
{
	quad->start = tx_both(start, 0);
	quad->last = tx_both(start + bytes - 1, 0);
	quad->key = tx_both((uint64_t)lkey_be << 32, 0);
}

static __rte_always_inline struct tx_doubts
tx_doubts_none(void)
{
	const __m256i none = _mm256_setzero_si256();

	return (struct tx_doubts){ none, none, none };
}

/* What has been gathered, as the compiler is to see it: else it would gather later, from more values than there are registers. */
static __rte_always_inline __m256i
tx_gathered(__m256i value)
{
	__asm__("" : "+x"(value));
	return value;
}

/* The first lines of two mbufs, quarter by quarter, the second's in the upper halves. */
struct tx_pair {
	__m256i addr, counts, len, pool;
};

/* By two loads a line: of one that is not in the first cache each load is tried more than once. */
static __rte_always_inline struct tx_pair
tx_pair(const struct rte_mbuf *first, const struct rte_mbuf *second)
{
	const __m256i *a = (const __m256i *)first, *b = (const __m256i *)second;
	__m256i a0 = _mm256_load_si256(a), b0 = _mm256_load_si256(b), a1 = _mm256_load_si256(a + 1), b1 = _mm256_load_si256(b + 1);

	return (struct tx_pair){
		.addr = _mm256_inserti128_si256(a0, _mm256_castsi256_si128(b0), 1),
		.counts = _mm256_permute2x128_si256(a0, b0, 0x31),
		.len = _mm256_inserti128_si256(a1, _mm256_castsi256_si128(b1), 1),
		.pool = _mm256_permute2x128_si256(a1, b1, 0x31),
	};
}

/* Two pointers as the device reads them. no_flags: none of the flags that count may be set. */
static __rte_always_inline __m256i
tx_quad_describe(const struct tx_quad *quad, struct tx_doubts *doubts, const struct tx_pair *pair, const bool by_pool,
		 const bool no_flags)
{
	__m256i addr = pair->addr, len = pair->len, where;

	where = _mm256_sub_epi32(len, quad->shortest);
	if (!by_pool)
		where = _mm256_or_si256(where, _mm256_or_si256(_mm256_sub_epi64(addr, quad->start), _mm256_sub_epi64(quad->last, addr)));
	where = _mm256_blend_epi32(where, _mm256_xor_si256(quad->pool, pair->pool), 0xcc);
	doubts->odd = tx_gathered(_mm256_or_si256(doubts->odd, no_flags ? pair->counts : _mm256_xor_si256(pair->counts, quad->wanted)));
	doubts->where = tx_gathered(_mm256_or_si256(doubts->where, where));
	doubts->bytes = tx_gathered(_mm256_add_epi32(doubts->bytes, len));
	addr = _mm256_add_epi64(addr, _mm256_and_si256(pair->counts, quad->data_off));
	len = _mm256_shuffle_epi8(_mm256_unpacklo_epi64(len, addr), quad->swap);
	return _mm256_or_si256(len, quad->key);
}

/* Are all packets as the quad wants them? */
static __rte_always_inline bool
tx_quad_good(const struct tx_quad *quad, const struct tx_doubts *doubts, const bool by_pool, const bool no_flags)
{
	/* Of a count that was or'ed: 1 is as it was, for no packet has 0 segments. */
	const __m256i odd = no_flags ? _mm256_xor_si256(doubts->odd, quad->wanted) : doubts->odd;

	return likely(_mm256_testz_si256(odd, by_pool ? quad->asked_by_pool : quad->asked)) &&
		likely(_mm256_testz_si256(doubts->where, by_pool ? quad->where_by_pool : tx_both((uint64_t)1 << 63, 0)));
}

/* nb packets, a multiple of four, and their entries of elts. @return whether all of them are in the session now. */
static __rte_always_inline bool
tx_quad_take(const struct tx_quad *quad, struct tx_doubts *so_far, struct rte_mbuf *const *pkts, uintptr_t *elts, uint8_t *ds,
	     const uint32_t nb, const bool by_pool, const bool no_flags)
{
	struct tx_doubts doubts = *so_far;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < nb; i += TX_QUAD) {
		_mm256_storeu_si256((__m256i *)&elts[i], _mm256_loadu_si256((const __m256i *)&pkts[i]));
#pragma GCC unroll 2
		for (uint32_t j = i; j < i + TX_QUAD; j += 2) {
			const struct tx_pair pair = tx_pair(pkts[j], pkts[j + 1]);

			_mm256_storeu_si256((__m256i *)(ds + j * TX_DS), tx_quad_describe(quad, &doubts, &pair, by_pool, no_flags));
		}
	}
	if (!tx_quad_good(quad, &doubts, by_pool, no_flags))
		return false;
	*so_far = doubts;
	return true;
}

/* Of the packets that were taken: are all of them ours alone, in memory of their own, of the pool? */
static __rte_always_inline bool
tx_quad_plain(const struct tx_doubts *doubts)
{
	const uint64_t foreign = TX_FOREIGN;
	__m256i odd = _mm256_and_si256(doubts->odd, tx_both((uint64_t)UINT16_MAX << 16, foreign));
	__m256i strange = _mm256_and_si256(doubts->where, tx_both(0, UINT64_MAX));

	/* No packet: as if they were. refcnt was or'ed: 1 is as it was. */
	return _mm256_testz_si256(_mm256_or_si256(_mm256_andnot_si256(tx_both((uint64_t)1 << 16, 0), odd), strange),
				  tx_both(UINT64_MAX, UINT64_MAX));
}

/* The same of packets of the pool that are in its memory, which is known of those that were taken by_pool. */
static __rte_always_inline bool
tx_quad_plain_by_pool(const struct tx_doubts *doubts)
{
	const __m128i both = _mm_or_si128(_mm256_castsi256_si128(doubts->odd), _mm256_extracti128_si256(doubts->odd, 1));

	return ((uint64_t)_mm_cvtsi128_si64(both) >> 16 & UINT16_MAX) == 1;
}

static __rte_always_inline uint64_t
tx_quad_bytes(const struct tx_doubts *doubts)
{
	return (uint64_t)(uint32_t)_mm256_extract_epi32(doubts->bytes, 1) + (uint32_t)_mm256_extract_epi32(doubts->bytes, 5);
}

#endif
#endif
