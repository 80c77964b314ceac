/* SPDX-License-Identifier: BSD-3-Clause */

/* Four packets at once with 256-bit vectors (rx_vec.h). Columns hold bytes as they stand in the CQE, big-endian. */
#ifndef MLX5HWS_RX_VEC_AVX2_H
#define MLX5HWS_RX_VEC_AVX2_H

#include <immintrin.h>

#include "rx_mbuf.h"

#define RX_STEP 4u
#define RX_STRIDE_STEPS /* rx_columns_split */

_Static_assert(RTE_MBUF_F_RX_IP_CKSUM_GOOD == 1 << 7 && RTE_MBUF_F_RX_L4_CKSUM_GOOD == 1 << 8,
	       "bits 1 and 2 of byte 0x1c, l3_ok and l4_ok, six places up");

struct rx_columns {
	__m128i info, hash;       /* bytes 0x00 and 0x0c of each CQE, and so on */
	__m128i hash_type, types; /* 0x10, 0x1c: with the tag in the upper half */
	__m128i meta, len;        /* 0x24, 0x2c */
	__m128i tag;              /* 0x38 */
	__m128i stamp01, stamp23; /* 0x30, eight bytes each; meant only where asked for */
};

struct rx_bytes {
	__m128i sum;
};

static __rte_always_inline struct rx_bytes
rx_bytes_none(void)
{
	return (struct rx_bytes){ _mm_setzero_si128() };
}

static __rte_always_inline uint64_t
rx_bytes_sum(const struct rx_bytes *bytes)
{
	__m128i sum = _mm_add_epi32(bytes->sum, _mm_unpackhi_epi64(bytes->sum, bytes->sum));

	return (uint32_t)_mm_cvtsi128_si32(sum) + (uint64_t)(uint32_t)_mm_extract_epi32(sum, 1);
}

/* What the last dword of an ordinary packet's entry is in this pass, in which bits. */
struct rx_own {
	__m128i expected, mask;
};

static __rte_always_inline struct rx_own
rx_own_expected(const struct hca_cq *cq, const uint32_t flags)
{
	return (struct rx_own){ _mm_set1_epi32((int)rx_own_dword(cq, flags)), _mm_set1_epi32((int)rx_own_bits(cq, flags)) };
}

/* Dword n of each of four lines of 16 bytes: n 0 and 1 by low, 2 and 3 by high. */
#define RX_LOW(a, b, c, d, half) _mm_##half##_epi64(_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d))
#define RX_HIGH(a, b, c, d, half) _mm_##half##_epi64(_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d))

static __rte_always_inline __m128i
rx_line(const uint8_t *cqe, uint32_t n, uint32_t at)
{
	return _mm_load_si128((const __m128i *)(cqe + n * HCA_CQE_BYTES + at));
}

/*
 * The last 16 bytes of each entry first. An aligned load of so many is one access on every processor with AVX, so tag, stamp and
 * op_own belong together; the rest is read after, which the compiler must be told: acquire, without an instruction.
 */
static __rte_always_inline bool
rx_columns_of_cqes(struct rx_columns *columns, const uint8_t *cqe, const struct rx_own *own, const uint32_t flags)
{
	__m128i a = rx_line(cqe, 0, 48), b = rx_line(cqe, 1, 48), c = rx_line(cqe, 2, 48), d = rx_line(cqe, 3, 48);
	__m128i owns = RX_HIGH(a, b, c, d, unpackhi);

	if (unlikely(_mm_movemask_epi8(_mm_cmpeq_epi32(_mm_and_si128(owns, own->mask), own->expected)) != 0xffff))
		return false;
	order_after_wide_load();
	columns->tag = RX_HIGH(a, b, c, d, unpacklo);
	if (flags & RX_TIMESTAMP) {
		columns->stamp01 = _mm_unpacklo_epi64(a, b);
		columns->stamp23 = _mm_unpacklo_epi64(c, d);
	}
	a = rx_line(cqe, 0, 0), b = rx_line(cqe, 1, 0), c = rx_line(cqe, 2, 0), d = rx_line(cqe, 3, 0);
	columns->info = RX_LOW(a, b, c, d, unpacklo);
	columns->hash = RX_HIGH(a, b, c, d, unpackhi);
	a = rx_line(cqe, 0, 16), b = rx_line(cqe, 1, 16), c = rx_line(cqe, 2, 16), d = rx_line(cqe, 3, 16);
	columns->hash_type = RX_LOW(a, b, c, d, unpacklo);
	columns->types = RX_HIGH(a, b, c, d, unpackhi);
	a = rx_line(cqe, 0, 32), b = rx_line(cqe, 1, 32), c = rx_line(cqe, 2, 32), d = rx_line(cqe, 3, 32);
	columns->meta = RX_LOW(a, b, c, d, unpackhi);
	columns->len = RX_HIGH(a, b, c, d, unpackhi);
	return true;
}

static __rte_always_inline void
rx_columns_of_title(struct rx_columns *columns, const uint8_t *title, const bool hashed, const uint32_t flags)
{
	uint32_t words[HCA_CQE_BYTES / 4];

	memcpy(words, title, sizeof(words));
	if (flags & RX_TIMESTAMP)
		columns->stamp01 = columns->stamp23 = _mm_set1_epi64x((long long)((uint64_t)words[13] << 32 | words[12]));
	columns->info = _mm_set1_epi32((int)words[0]);
	columns->hash = _mm_set1_epi32((int)words[3]);
	columns->hash_type = hashed ? _mm_set1_epi32((int)words[4]) : _mm_setzero_si128();
	columns->types = _mm_set1_epi32((int)words[7]);
	columns->meta = _mm_set1_epi32((int)words[9]);
	columns->len = _mm_set1_epi32((int)words[11]);
	columns->tag = _mm_set1_epi32((int)words[14]);
}

/* What the mini entries have instead of the title. */
static __rte_always_inline void
rx_columns_of_minis(struct rx_columns *columns, const uint8_t *minis, uint8_t format)
{
	__m128 a = _mm_loadu_ps((const float *)minis), b = _mm_loadu_ps((const float *)(minis + 16));
	__m128i first = _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88)), second = _mm_castps_si128(_mm_shuffle_ps(a, b, 0xdd));

	columns->len = second;
	if (likely(format == PRM_MINI_CQE_FORMAT_HASH)) {
		columns->hash = first;
	} else if (format == PRM_MINI_CQE_FORMAT_FTAG_STRIDX) {
		/* Bytes 0x39..0x3b: the entry's byte 4, then 0 and 1. */
		const __m128i high = _mm_set1_epi32(0xff);

		columns->len = _mm_andnot_si128(high, second);
		columns->tag = _mm_or_si128(_mm_slli_epi32(_mm_and_si128(second, high), 8), _mm_slli_epi32(first, 16));
	} else if (format == PRM_MINI_CQE_FORMAT_L34H_STRIDX) {
		/* Byte 0x1d: the entry's byte 0. */
		const __m128i byte = _mm_set1_epi32(0xff00);

		columns->types = _mm_or_si128(_mm_andnot_si128(byte, columns->types), _mm_and_si128(_mm_slli_epi32(first, 8), byte));
	}
}

/*
 * What every step needs, side by side in two cache lines, as memory operands. The compiler would make each of them anew from an integer,
 * three instructions a time, if it could see what they are.
 */
struct rx_constant_table {
	__m128i swap, tag_bits, hash_bits, hash_flag, checksum_flags, tag_flags, types_bits, info_bits;
};

#define RX_FOUR(value) { (long long)((uint64_t)(uint32_t)(value) << 32 | (uint32_t)(value)), \
			 (long long)((uint64_t)(uint32_t)(value) << 32 | (uint32_t)(value)) }
static const struct rx_constant_table rx_constant_table __rte_cache_aligned = {
	.swap = { 0x0405060700010203, 0x0c0d0e0f08090a0b },
	.tag_bits = RX_FOUR(0xffffff00u),
	.hash_bits = RX_FOUR(0xff),
	.hash_flag = RX_FOUR(RTE_MBUF_F_RX_RSS_HASH),
	.checksum_flags = RX_FOUR(RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD),
	.tag_flags = RX_FOUR(RX_TAG_FLAGS),
	.types_bits = RX_FOUR(0x3f),
	.info_bits = RX_FOUR(0xc0),
};

struct rx_constants {
	__m256i rearm;
	const struct rx_constant_table *table;
};

static __rte_always_inline struct rx_constants
rx_constants(const struct mlx5hws_rxq *rxq, const uint32_t flags)
{
	const struct rx_constant_table *table = &rx_constant_table;

	RTE_SET_USED(flags);
	__asm__("" : "+r"(table));
	return (struct rx_constants){ .rearm = _mm256_set1_epi64x((long long)rxq->rearm), .table = table };
}

/* A striding queue's lengths have more in their upper halves: all of it to the caller, the lengths stay. */
static __rte_always_inline void
rx_columns_split(struct rx_columns *columns, const struct rx_constants *constants, uint32_t *byte_cnts)
{
	_mm_storeu_si128((__m128i *)byte_cnts, _mm_shuffle_epi8(columns->len, constants->table->swap));
	columns->len = _mm_and_si128(columns->len, _mm_set1_epi32((int)0xffff0000u));
}

static __rte_always_inline __m128i
rx_packet_types(const struct rx_columns *columns, __m128i types_bits, __m128i info_bits)
{
	__m128i index = _mm_or_si128(_mm_and_si128(_mm_srli_epi32(columns->types, 10), types_bits),
				     _mm_and_si128(_mm_slli_epi32(columns->info, 6), info_bits));
	uint64_t low = (uint64_t)_mm_cvtsi128_si64(index), high = (uint64_t)_mm_extract_epi64(index, 1);
	const uint32_t *table = mlx5hws_rx_ptype_table;
	__m128i ab = _mm_cvtsi32_si128((int)table[(uint32_t)low]), cd = _mm_cvtsi32_si128((int)table[(uint32_t)high]);

	ab = _mm_insert_epi32(ab, (int)table[low >> 32], 1);
	cd = _mm_insert_epi32(cd, (int)table[high >> 32], 1);
	return _mm_unpacklo_epi64(ab, cd);
}

/* The flags of marks, which few ports have. */
static __rte_always_inline __m128i
rx_mark_flags(__m128i tag)
{
	__m128i mark1 = _mm_srli_epi32(tag, 8);
	__m128i none = _mm_cmpeq_epi32(mark1, _mm_setzero_si128());
	__m128i flagged = _mm_cmpeq_epi32(mark1, _mm_set1_epi32(FLOW_TAG_FLAG));

	return _mm_or_si128(_mm_andnot_si128(none, _mm_set1_epi32(RTE_MBUF_F_RX_FDIR)),
			    _mm_andnot_si128(_mm_or_si128(none, flagged), _mm_set1_epi32(RTE_MBUF_F_RX_FDIR_ID)));
}

/* Timestamps as the application reads them. */
static __rte_always_inline __m128i
rx_stamps(const struct mlx5hws_rxq *rxq, __m128i big_endian)
{
	const __m128i swap = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
	__m128i stamps = _mm_shuffle_epi8(big_endian, swap);

	if (!rxq->real_time)
		return stamps;
	return _mm_add_epi64(_mm_mul_epu32(_mm_srli_epi64(stamps, 32), _mm_set1_epi64x(1000000000)),
			     _mm_and_si128(stamps, _mm_set1_epi64x(UINT32_MAX)));
}

static __rte_always_inline void
rx_put_stamps(const struct mlx5hws_rxq *rxq, const struct rx_columns *columns, struct rte_mbuf *const *elts)
{
	__m128i stamp01 = rx_stamps(rxq, columns->stamp01), stamp23 = rx_stamps(rxq, columns->stamp23);
	const int at = rxq->timestamp_offset;

	_mm_storel_epi64(RTE_MBUF_DYNFIELD(elts[0], at, __m128i *), stamp01);
	_mm_storeh_pd(RTE_MBUF_DYNFIELD(elts[1], at, double *), _mm_castsi128_pd(stamp01));
	_mm_storel_epi64(RTE_MBUF_DYNFIELD(elts[2], at, __m128i *), stamp23);
	_mm_storeh_pd(RTE_MBUF_DYNFIELD(elts[3], at, double *), _mm_castsi128_pd(stamp23));
}

/* A packet without metadata gets a zero that its flags do not tell of. */
static __rte_noinline void
rx_put_metas(const struct mlx5hws_rxq *rxq, struct rte_mbuf *const *elts, __m128i meta)
{
	uint32_t values[RX_STEP];

	_mm_storeu_si128((__m128i *)values, meta);
	for (uint32_t i = 0; i < RX_STEP && rxq->meta_offset >= 0; i++)
		*RTE_MBUF_DYNFIELD(elts[i], rxq->meta_offset, uint32_t *) = values[i];
}

/* The first lines of the mbufs: 32 bytes at once, and the id of a mark behind them while the line is at hand. */
static __rte_always_inline void
rx_put(struct rte_mbuf *const *elts, const __m256i halves[2], const __m128i rest[4], __m128i tag, const bool marked)
{
	__m128i id = _mm_add_epi32(_mm_srli_epi32(tag, 8), _mm_set1_epi32(-1));

#define PUT(n, half, place) do { \
		_mm256_storeu_si256((__m256i *)RTE_PTR_ADD(elts[n], MLX5HWS_REARM_AT), \
			_mm256_permute2x128_si256(halves[(n) & 1], _mm256_castsi128_si256(_mm_##half##_epi64( \
				rest[(n) / 2 * 2], rest[(n) / 2 * 2 + 1])), place)); \
		if (marked) \
			elts[n]->hash.fdir.hi = (uint32_t)_mm_extract_epi32(id, n); \
	} while (0)
	PUT(0, unpacklo, 0x20);
	PUT(1, unpackhi, 0x20);
	PUT(2, unpacklo, 0x21);
	PUT(3, unpackhi, 0x21);
#undef PUT
}

static __rte_always_inline bool
rx_finish(const struct mlx5hws_rxq *rxq, const struct rx_constants *constants, const struct rx_columns *columns,
	  struct rte_mbuf *const *elts, struct rte_mbuf **pkts, struct rx_bytes *bytes, const uint32_t burst)
{
	const __m128i swap_tag = _mm_setr_epi8(-1, -1, 3, 2, -1, -1, 7, 6, -1, -1, 11, 10, -1, -1, 15, 14);
	__m128i len = _mm_shuffle_epi8(columns->len, constants->table->swap), data_len = len, hash = _mm_setzero_si128();
	__m128i types = rx_packet_types(columns, constants->table->types_bits, constants->table->info_bits);
	__m128i tagged = _mm_srai_epi32(_mm_slli_epi32(columns->types, 23), 31); /* cv: bit 0 of byte 0x1d */
	__m128i flags = _mm_and_si128(tagged, constants->table->tag_flags), lengths;
	const bool marked = !_mm_testz_si128(columns->tag, constants->table->tag_bits);
	const bool metas = !_mm_testz_si128(columns->meta, columns->meta);
	__m256i rearm = constants->rearm, all, halves[2];
	__m128i rest[4];
	bool longer = false;

	_mm256_storeu_si256((__m256i *)pkts, _mm256_loadu_si256((const __m256i *)elts));
	bytes->sum = _mm_add_epi32(bytes->sum, len);
	if (burst & RX_HASH) {
		__m128i none = _mm_cmpeq_epi32(_mm_and_si128(columns->hash_type, constants->table->hash_bits), hash);

		hash = _mm_andnot_si128(none, _mm_shuffle_epi8(columns->hash, constants->table->swap));
		flags = _mm_or_si128(flags, _mm_andnot_si128(none, constants->table->hash_flag));
	}
	if (burst & RX_CHECKSUM)
		flags = _mm_or_si128(flags, _mm_and_si128(_mm_slli_epi32(columns->types, 6), constants->table->checksum_flags));
	if (unlikely(marked))
		flags = _mm_or_si128(flags, rx_mark_flags(columns->tag));
	if (burst & RX_SCATTER) {
		__m128i room = _mm_set1_epi32((int)rxq->room), above = _mm_cmpgt_epi32(len, room);

		longer = !_mm_testz_si128(above, above);
		data_len = _mm_min_epi32(len, room);
		/* One segment more, which rx_chain_step brings. */
		rearm = _mm256_sub_epi64(rearm, _mm256_slli_epi64(_mm256_cvtepi32_epi64(above), 32));
	}
	/* A buffer is shorter than 64 KB: the packet's tag comes above what is in it. */
	lengths = _mm_or_si128(data_len, _mm_and_si128(tagged, _mm_shuffle_epi8(columns->types, swap_tag)));
	all = _mm256_cvtepu32_epi64(flags);
	if (burst & RX_TIMESTAMP)
		all = _mm256_or_si256(all, _mm256_set1_epi64x((long long)rxq->timestamp_flag));
	if (unlikely(metas)) {
		__m256i none = _mm256_cvtepi32_epi64(_mm_cmpeq_epi32(columns->meta, _mm_setzero_si128()));

		all = _mm256_or_si256(all, _mm256_andnot_si256(none, _mm256_set1_epi64x((long long)rxq->meta_flag)));
	}
	halves[0] = _mm256_unpacklo_epi64(rearm, all); /* of packets 0 and 2 */
	halves[1] = _mm256_unpackhi_epi64(rearm, all); /* of 1 and 3 */
	rest[0] = _mm_unpacklo_epi32(types, len);
	rest[1] = _mm_unpacklo_epi32(lengths, hash);
	rest[2] = _mm_unpackhi_epi32(types, len);
	rest[3] = _mm_unpackhi_epi32(lengths, hash);
	if (unlikely(marked))
		rx_put(elts, halves, rest, columns->tag, true);
	else
		rx_put(elts, halves, rest, columns->tag, false);
	if (burst & RX_TIMESTAMP)
		rx_put_stamps(rxq, columns, elts);
	if (unlikely(metas))
		rx_put_metas(rxq, elts, _mm_shuffle_epi8(columns->meta, constants->table->swap));
	return longer;
}

#endif
