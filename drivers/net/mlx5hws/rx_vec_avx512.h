/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Four packets at once with 512-bit vectors (rx_vec.h): F, BW, DQ and VL. Each packet has a lane of 16 bytes from the entry to the
 * mbuf, so that nothing is transposed; a condition is a mask of a bit for each dword of them. Eight at a time, in columns of eight
 * bytes, were 0.3 ns a packet slower: what counts is how soon the first mbuf is written.
 */
#ifndef MLX5HWS_RX_VEC_AVX512_H
#define MLX5HWS_RX_VEC_AVX512_H

#include <immintrin.h>

#include "rx_mbuf.h"

#define RX_STEP 4u

_Static_assert(RTE_MBUF_F_RX_IP_CKSUM_GOOD == 1 << 7 && RTE_MBUF_F_RX_L4_CKSUM_GOOD == 1 << 8,
	       "bits 1 and 2 of byte 0x1c, l3_ok and l4_ok");

/* The four lines of 16 bytes of each CQE, as they stand there: big-endian. */
struct rx_columns {
	__m512i first;  /* info 0x00, hash 0x0c */
	__m512i types;  /* hash type 0x10, checksums and types 0x1c, tag 0x1e */
	__m512i len;    /* metadata 0x24, length 0x2c */
	__m512i last;   /* stamp 0x30, mark 0x38 */
};

/* Dword n of each lane. */
#define RX_DWORD(n) ((__mmask16)(0x1111 << (n)))

/* The same in all lanes. */
#define RX_LANES(dword0, dword1, dword2, dword3) \
	_mm512_broadcast_i32x4(_mm_setr_epi32((int)(dword0), (int)(dword1), (int)(dword2), (int)(dword3)))

struct rx_bytes {
	__m512i sum; /* dword 1 */
};

static __rte_always_inline struct rx_bytes
rx_bytes_none(void)
{
	return (struct rx_bytes){ _mm512_setzero_si512() };
}

static __rte_always_inline uint64_t
rx_bytes_sum(const struct rx_bytes *bytes)
{
	return (uint64_t)_mm512_reduce_add_epi64(_mm512_srli_epi64(_mm512_maskz_mov_epi32(RX_DWORD(1), bytes->sum), 32));
}

/* What the last dword of an ordinary packet's entry is in this pass, in which bits. */
struct rx_own {
	__m512i expected, mask;
};

static __rte_always_inline struct rx_own
rx_own_expected(const struct hca_cq *cq, const uint32_t flags)
{
	return (struct rx_own){ _mm512_set1_epi32((int)rx_own_dword(cq, flags)), _mm512_set1_epi32((int)rx_own_bits(cq, flags)) };
}

/* 16 bytes of each of four entries, each by an aligned load of its own. */
static __rte_always_inline __m512i
rx_lines(const uint8_t *cqe, uint32_t at)
{
	const __m128i *line = (const __m128i *)(cqe + at);
	const size_t next = HCA_CQE_BYTES / sizeof(*line);
	__m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(line)), _mm_load_si128(line + next), 1);
	__m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128(line + 2 * next)),
					       _mm_load_si128(line + 3 * next), 1);

	return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/*
 * The last 16 bytes of each entry first. An aligned load of so many is one access on every processor with AVX (one of 64 bytes need
 * not be), so tag, stamp and op_own belong together; the rest is read after, which the compiler must be told: acquire, without an
 * instruction.
 */
static __rte_always_inline bool
rx_columns_of_cqes(struct rx_columns *columns, const uint8_t *cqe, const struct rx_own *own, const uint32_t flags)
{
	__m512i last = rx_lines(cqe, 48);

	if (unlikely(_mm512_mask_cmpneq_epi32_mask(RX_DWORD(3), _mm512_and_si512(last, own->mask), own->expected) != 0))
		return false;
	order_after_wide_load();
	columns->last = last;
	columns->first = rx_lines(cqe, 0);
	columns->types = rx_lines(cqe, 16);
	columns->len = rx_lines(cqe, 32);
	RTE_SET_USED(flags);
	return true;
}

static __rte_always_inline void
rx_columns_of_title(struct rx_columns *columns, const uint8_t *title, const bool hashed, const uint32_t flags)
{
	columns->first = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)title));
	columns->types = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(title + 16)));
	columns->len = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(title + 32)));
	columns->last = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(title + 48)));
	if (!hashed)
		columns->types = _mm512_mask_mov_epi32(columns->types, RX_DWORD(0), _mm512_setzero_si512());
	RTE_SET_USED(flags);
}

/* What the mini entries have instead of the title. */
static __rte_always_inline void
rx_columns_of_minis(struct rx_columns *columns, const uint8_t *minis, uint8_t format)
{
	__m512i four = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)minis));
	__m512i mini = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), four); /* in each half of its lane */

	columns->len = _mm512_mask_mov_epi32(columns->len, RX_DWORD(3), mini);
	if (likely(format == PRM_MINI_CQE_FORMAT_HASH)) {
		columns->first = _mm512_mask_mov_epi32(columns->first, RX_DWORD(3), _mm512_slli_epi64(mini, 32));
	} else if (format == PRM_MINI_CQE_FORMAT_FTAG_STRIDX) {
		/* Bytes 0x39..0x3b: the entry's byte 4, then 0 and 1. */
		const __m512i middle = _mm512_set1_epi64(0xff00), high = _mm512_set1_epi64(0xffff0000);
		__m512i tag = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi64(mini, 24), middle),
					      _mm512_and_si512(_mm512_slli_epi64(mini, 16), high));

		columns->len = _mm512_andnot_si512(RX_LANES(0, 0, 0, 0xff), columns->len);
		columns->last = _mm512_mask_mov_epi32(columns->last, RX_DWORD(2), tag);
	} else if (format == PRM_MINI_CQE_FORMAT_L34H_STRIDX) {
		/* Byte 0x1d: the entry's byte 0. */
		columns->types = _mm512_mask_mov_epi8(columns->types, 0x2000200020002000, _mm512_slli_epi64(mini, 40));
	}
}

/*
 * What every step needs, out of the compiler's sight: it would make each anew wherever it is used, or fetch 64 bytes of each. Here
 * they are made at a burst's begin, from integers and from the one line of shuffles.
 */
struct rx_constants {
	__m512i begin;  /* rearm, and the flags that all packets have */
	__m512i tag_flags, hash_flag, checksum_flags, has_tag, has_hash, types_bits, info_bits, mark_bits, meta_bits;
	__m512i bits, length, tag, hash; /* what goes where: bytes of a line */
	__m512i to_lane, pair01, pair23;
};

static __rte_always_inline __m512i
rx_opaque(__m512i constant)
{
	__asm__("" : "+v"(constant));
	return constant;
}

static __rte_always_inline __m512i
rx_constant(__mmask16 where, uint32_t value)
{
	__asm__("" : "+r"(value));
	return rx_opaque(_mm512_maskz_set1_epi32(where, (int)value));
}

/* A byte for each eight. */
static __rte_always_inline __m512i
rx_order(uint64_t bytes)
{
	return rx_opaque(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)bytes)));
}

static __rte_always_inline __m512i
rx_shuffle(const uint32_t *shuffle)
{
	return rx_opaque(_mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)shuffle)));
}

static const uint32_t rx_shuffles[4][4] __rte_cache_aligned = {
	{ ~0u, ~0u, 0x800c0d00, 0x800c0d00 }, /* hash type, 0x1d with cv, 0x1c with l3_ok and l4_ok */
	{ ~0u, 0x0c0d0e0f, 0x80800e0f, ~0u }, /* length, of the packet and of what is in the buffer */
	{ ~0u, ~0u, 0x0e0f8080, ~0u },        /* tag, above that */
	{ ~0u, ~0u, ~0u, 0x0c0d0e0f },        /* hash */
};

static __rte_always_inline struct rx_constants
rx_constants(const struct mlx5hws_rxq *rxq, const uint32_t flags)
{
	return (struct rx_constants){
		.begin = _mm512_broadcast_i32x4(_mm_set_epi64x(flags & RX_TIMESTAMP ? (long long)rxq->timestamp_flag : 0,
							       (long long)rxq->rearm)),
		.tag_flags = rx_constant(RX_DWORD(2), RX_TAG_FLAGS),
		.hash_flag = rx_constant(RX_DWORD(2), RTE_MBUF_F_RX_RSS_HASH),
		.checksum_flags = rx_constant(RX_DWORD(2), RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD),
		.has_tag = rx_constant(RX_DWORD(2), 0x100),
		.has_hash = rx_constant(RX_DWORD(2) | RX_DWORD(3), 0xff),
		.types_bits = rx_constant(RX_DWORD(2), 0x3f),
		.info_bits = rx_constant(RX_DWORD(2), 0xc0),
		.mark_bits = rx_constant(RX_DWORD(2), 0xffffff00),
		.meta_bits = rx_constant(RX_DWORD(1), UINT32_MAX),
		.bits = rx_shuffle(rx_shuffles[0]),
		.length = rx_shuffle(rx_shuffles[1]),
		.tag = rx_shuffle(rx_shuffles[2]),
		.hash = rx_shuffle(rx_shuffles[3]),
		.to_lane = rx_order(0x0003000200010000),
		.pair01 = rx_order(0x0b0a030209080100),
		.pair23 = rx_order(0x0f0e07060d0c0504),
	};
}

/* A packet's. */
#define RX_LANE(lanes, n) _mm512_extracti32x4_epi32(lanes, n)

/* By table: index is in dword 2, the type goes into dword 0. */
static __rte_always_inline __m512i
rx_packet_types(__m512i to, __m512i index, __m512i to_lane)
{
	const uint32_t *table = mlx5hws_rx_ptype_table;
	__m128i ab, cd;

	ab = _mm_cvtsi32_si128((int)table[(uint32_t)_mm_extract_epi32(RX_LANE(index, 0), 2)]);
	cd = _mm_cvtsi32_si128((int)table[(uint32_t)_mm_extract_epi32(RX_LANE(index, 2), 2)]);
	ab = _mm_insert_epi32(ab, (int)table[(uint32_t)_mm_extract_epi32(RX_LANE(index, 1), 2)], 1);
	cd = _mm_insert_epi32(cd, (int)table[(uint32_t)_mm_extract_epi32(RX_LANE(index, 3), 2)], 1);
	return _mm512_mask_permutexvar_epi32(to, RX_DWORD(0), to_lane, _mm512_castsi128_si512(_mm_unpacklo_epi64(ab, cd)));
}

/* The flags of marks, which few ports have. */
static __rte_always_inline __m512i
rx_mark_flags(__m512i flags, __m512i mark1, __mmask16 marked)
{
	__mmask16 id = _mm512_mask_cmpneq_epi32_mask(marked, mark1, _mm512_set1_epi32(FLOW_TAG_FLAG));

	flags = _mm512_mask_or_epi32(flags, marked, flags, _mm512_set1_epi32(RTE_MBUF_F_RX_FDIR));
	return _mm512_mask_or_epi32(flags, id, flags, _mm512_set1_epi32(RTE_MBUF_F_RX_FDIR_ID));
}

/* And of metadata, whose flag may be any. */
static __rte_always_inline __m512i
rx_meta_flags(__m512i flags, __m512i line, uint64_t flag)
{
	__mmask16 has = _mm512_test_epi32_mask(_mm512_shuffle_epi32(line, 0x50), RX_LANES(0, 0, ~0, ~0));

	return _mm512_mask_or_epi32(flags, has, flags, _mm512_set1_epi64((long long)flag));
}

static __rte_always_inline void
rx_put_stamps(const struct mlx5hws_rxq *rxq, __m512i line, struct rte_mbuf *const *elts)
{
	const __m512i swap = _mm512_set1_epi64(0x0001020304050607);
	__m512i stamps = _mm512_shuffle_epi8(line, swap); /* in the lower half of each lane */
	const int at = rxq->timestamp_offset;

	if (rxq->real_time)
		stamps = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(stamps, 32), _mm512_set1_epi64(1000000000)),
					  _mm512_and_si512(stamps, _mm512_set1_epi64(UINT32_MAX)));
	_mm_storel_epi64(RTE_MBUF_DYNFIELD(elts[0], at, __m128i *), RX_LANE(stamps, 0));
	_mm_storel_epi64(RTE_MBUF_DYNFIELD(elts[1], at, __m128i *), RX_LANE(stamps, 1));
	_mm_storel_epi64(RTE_MBUF_DYNFIELD(elts[2], at, __m128i *), RX_LANE(stamps, 2));
	_mm_storel_epi64(RTE_MBUF_DYNFIELD(elts[3], at, __m128i *), RX_LANE(stamps, 3));
}

/* A packet without metadata gets a zero that its flags do not tell of. */
static __rte_noinline void
rx_put_metas(const struct mlx5hws_rxq *rxq, struct rte_mbuf *const *elts, __m512i line)
{
	uint32_t values[4 * RX_STEP];

	_mm512_storeu_si512(values, line);
	for (uint32_t i = 0; i < RX_STEP && rxq->meta_offset >= 0; i++)
		*RTE_MBUF_DYNFIELD(elts[i], rxq->meta_offset, uint32_t *) = rte_be_to_cpu_32(values[4 * i + 1]);
}

/* The first lines of the mbufs: 32 bytes at once, and the id of a mark behind them while the line is at hand. */
static __rte_always_inline void
rx_put(struct rte_mbuf *const *elts, const __m512i pairs[2], __m512i mark1, const bool marked)
{
	__m512i ids = _mm512_add_epi32(mark1, _mm512_set1_epi32(-1));

#define PUT(n) do { \
		_mm256_storeu_si256((__m256i *)RTE_PTR_ADD(elts[n], MLX5HWS_REARM_AT), (n) & 1 ? \
			_mm512_extracti64x4_epi64(pairs[(n) / 2], 1) : _mm512_castsi512_si256(pairs[(n) / 2])); \
		if (marked) \
			elts[n]->hash.fdir.hi = (uint32_t)_mm_extract_epi32(RX_LANE(ids, n), 2); \
	} while (0)
	PUT(0);
	PUT(1);
	PUT(2);
	PUT(3);
#undef PUT
}

static __rte_always_inline bool
rx_finish(const struct mlx5hws_rxq *rxq, const struct rx_constants *constants, const struct rx_columns *columns,
	  struct rte_mbuf *const *elts, struct rte_mbuf **pkts, struct rx_bytes *bytes, const uint32_t burst)
{
	const __m512i bits = _mm512_shuffle_epi8(columns->types, constants->bits), shifted = _mm512_srli_epi32(bits, 10);
	const __mmask16 tagged = _mm512_test_epi32_mask(bits, constants->has_tag);
	const __mmask16 hashed = _mm512_test_epi32_mask(bits, constants->has_hash);
	const __mmask16 marks = _mm512_test_epi32_mask(columns->last, constants->mark_bits);
	const __mmask16 metas = _mm512_test_epi32_mask(columns->len, constants->meta_bits);
	__m512i mark1 = _mm512_srli_epi32(columns->last, 8), low = constants->begin; /* rearm, flags */
	__m512i high = _mm512_shuffle_epi8(columns->len, constants->length); /* type, length; in the buffer and tag, hash */
	__m512i index = _mm512_and_si512(_mm512_slli_epi32(_mm512_shuffle_epi32(columns->first, 0), 6), constants->info_bits);
	__m512i pairs[2];
	bool longer = false;

	_mm256_storeu_si256((__m256i *)pkts, _mm256_loadu_si256((const __m256i *)elts));
	bytes->sum = _mm512_add_epi32(bytes->sum, high);
	if (burst & RX_SCATTER) {
		__m512i room = _mm512_set1_epi32((int)rxq->room);
		__mmask16 above = _mm512_mask_cmpgt_epu32_mask(RX_DWORD(1), high, room);

		longer = above != 0;
		high = _mm512_mask_min_epu32(high, RX_DWORD(2), high, room);
		/* One segment more, which rx_chain_step brings. */
		low = _mm512_mask_add_epi32(low, above, low, _mm512_set1_epi32(1));
	}
	high = _mm512_mask_or_epi32(high, tagged, high, _mm512_shuffle_epi8(columns->types, constants->tag));
	low = _mm512_mask_or_epi32(low, tagged, low, constants->tag_flags);
	if (burst & RX_HASH) {
		high = _mm512_mask_or_epi32(high, hashed, high, _mm512_shuffle_epi8(columns->first, constants->hash));
		low = _mm512_mask_or_epi32(low, hashed, low, constants->hash_flag);
	}
	if (burst & RX_CHECKSUM)
		low = _mm512_or_si512(low, _mm512_and_si512(shifted, constants->checksum_flags));
	if (unlikely(marks != 0))
		low = rx_mark_flags(low, mark1, marks);
	if (unlikely(metas != 0))
		low = rx_meta_flags(low, columns->len, rxq->meta_flag);
	index = _mm512_or_si512(index, _mm512_and_si512(shifted, constants->types_bits));
	high = rx_packet_types(high, index, constants->to_lane);
	pairs[0] = _mm512_permutex2var_epi64(low, constants->pair01, high);
	pairs[1] = _mm512_permutex2var_epi64(low, constants->pair23, high);
	if (unlikely(marks != 0))
		rx_put(elts, pairs, mark1, true);
	else
		rx_put(elts, pairs, mark1, false);
	if (burst & RX_TIMESTAMP)
		rx_put_stamps(rxq, columns->last, elts);
	if (unlikely(metas != 0))
		rx_put_metas(rxq, elts, columns->len);
	return longer;
}

#endif
