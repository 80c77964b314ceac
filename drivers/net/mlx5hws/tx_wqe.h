/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The segments of a send descriptor, written and, after an error, read back. Descriptors run over the end of the ring: a
 * position moves on by tx_next or tx_copy, which know where the ring ends. nic.md 2.4 to 2.8.
 */
#ifndef MLX5HWS_TX_WQE_H
#define MLX5HWS_TX_WQE_H

#include <endian.h>
#include <string.h>

#include <rte_atomic.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_vect.h>

#include "hca/sq.h"
#include "prm/wqe.h"

#define TX_DS PRM_WQE_DS_BYTES
#define TX_DS_PER_WQEBB 4
#define TX_HEAD_DS 2          /* control and Ethernet segment in front of the data */
#define TX_ETH_INLINE 2       /* inlined bytes that lie in the Ethernet segment itself */
#define TX_TAG 4
#define TX_FRAME_MAX 10000    /* longer than any frame that the port may send, with its tags */
#define TX_NS_PER_S UINT64_C(1000000000)

struct tx_ring {
	uint8_t *start, *end;
};

static inline uint32_t
tx_load_be32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

static inline uint8_t *
tx_wrap(const struct tx_ring *ring, uint8_t *at)
{
	return likely(at < ring->end) ? at : ring->start + (at - ring->end);
}

/* The next unit. */
static __rte_always_inline uint8_t *
tx_next(const struct tx_ring *ring, uint8_t *at)
{
	at += TX_DS;
	return likely(at != ring->end) ? at : ring->start;
}

/* Sixteen bytes by one store where the machine has it. */
static __rte_always_inline void
tx_store16(uint8_t *at, uint32_t dw0, uint32_t dw1, uint32_t dw2, uint32_t dw3)
{
#if defined(__SSE2__)
	_mm_store_si128((__m128i *)at, _mm_setr_epi32((int)dw0, (int)dw1, (int)dw2, (int)dw3));
#else
	const uint32_t dw[] = { dw0, dw1, dw2, dw3 };

	memcpy(at, dw, sizeof(dw));
#endif
}

/* key: the lkey in device order. */
static __rte_always_inline void
tx_pointer(uint8_t *at, uint32_t len, uint32_t lkey_be, uintptr_t addr)
{
	uint64_t first = (uint64_t)lkey_be << 32 | htobe32(len), second = htobe64((uint64_t)addr);

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	first = (uint64_t)htobe32(len) << 32 | lkey_be;
#endif
	memcpy(at, &first, sizeof(first));
	/* Two stores: to make one of them in a vector register takes longer. */
	rte_compiler_barrier();
	memcpy(at + 8, &second, sizeof(second));
}

/* Control and Ethernet segment. last: inline size and first bytes, or the tag, or 0; in device order, as meta_be. */
static __rte_always_inline void
tx_head(const struct hca_sq *sq, uint8_t *wqe, uint8_t opcode, uint32_t ds, uint32_t cs_and_mss, uint32_t meta_be, uint32_t last)
{
	tx_store16(wqe, htobe32((uint32_t)sq->pi << 8 | opcode), htobe32(sq->sqn << 8 | ds), htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0);
	tx_store16(wqe + TX_DS, 0, htobe32(cs_and_mss), meta_be, last);
}

/* Ask for a completion with this descriptor. */
static inline void
tx_request(uint8_t *wqe)
{
	uint32_t always = htobe32(PRM_WQE_CE_ALWAYS << 2);

	memcpy(wqe + 8, &always, sizeof(always));
}

/* Copy exactly len bytes; both ends overlap in the middle, so there is no loop for the small ones. */
static __rte_always_inline void
tx_copy_flat(uint8_t *to, const uint8_t *from, uint32_t len)
{
#if defined(__AVX2__)
	if (likely(len >= 32)) {
		const uint8_t *const last = from + len - 32;
		__m256i tail = _mm256_loadu_si256((const __m256i *)last);
		ptrdiff_t offset = to - from;

		for (; from < last; from += 32)
			_mm256_storeu_si256((__m256i *)(from + offset), _mm256_loadu_si256((const __m256i *)from));
		_mm256_storeu_si256((__m256i *)(last + offset), tail);
		return;
	}
#endif
#if defined(__SSE2__)
	if (likely(len >= 16)) {
		__m128i tail = _mm_loadu_si128((const __m128i *)(from + len - 16));

		for (uint32_t at = 0; at + 16 < len; at += 16)
			_mm_storeu_si128((__m128i *)(to + at), _mm_loadu_si128((const __m128i *)(from + at)));
		_mm_storeu_si128((__m128i *)(to + len - 16), tail);
		return;
	}
#endif
	memcpy(to, from, len);
}

/* The same into the ring at a position; @return the position behind. */
static __rte_always_inline uint8_t *
tx_copy(const struct tx_ring *ring, uint8_t *to, const void *from, uint32_t len)
{
	uint32_t room = (uint32_t)(ring->end - to);

	if (likely(len <= room)) {
		tx_copy_flat(to, from, len);
	} else {
		memcpy(to, from, room);
		memcpy(ring->start, (const uint8_t *)from + room, len - room);
	}
	return tx_wrap(ring, to + len);
}

static inline uint8_t *
tx_align(const struct tx_ring *ring, uint8_t *at)
{
	return tx_wrap(ring, (uint8_t *)(((uintptr_t)at + TX_DS - 1) & ~(uintptr_t)(TX_DS - 1)));
}

/* Headers that come before each segment of a packet that is cut. */
static __rte_always_inline uint32_t
tx_tso_head(const struct rte_mbuf *m)
{
	uint32_t head = m->l2_len + m->l3_len + m->l4_len;

	return m->ol_flags & RTE_MBUF_F_TX_TUNNEL_MASK ? head + m->outer_l2_len + m->outer_l3_len : head;
}

/*
 * Outer flags of a tunnel are asked for one by one; the device fills inner checksums by their own bits. A packet that is to
 * be cut has all of TCP's. nic.md 2.5.
 */
static __rte_always_inline uint8_t
tx_checksum_flags(uint64_t flags)
{
	const uint64_t l4 = RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_TCP_SEG;
	uint8_t cs = 0;

	if (likely(!(flags & RTE_MBUF_F_TX_TUNNEL_MASK))) {
		cs |= flags & RTE_MBUF_F_TX_IP_CKSUM ? PRM_WQE_CS_L3 : 0;
		cs |= flags & l4 ? PRM_WQE_CS_L4 : 0;
		return cs;
	}
	cs |= flags & RTE_MBUF_F_TX_OUTER_IP_CKSUM ? PRM_WQE_CS_L3 : 0;
	cs |= flags & RTE_MBUF_F_TX_IP_CKSUM ? PRM_WQE_CS_L3_INNER : 0;
	cs |= flags & l4 ? PRM_WQE_CS_L4_INNER : 0;
	return cs;
}

/* Frames and bytes that descriptors stand for. */
struct tx_wqe_sum {
	uint64_t packets, bytes;
};

/* Add what the descriptor at pi would have sent, as the burst counted it. @return its WQEBBs. */
uint16_t tx_wqe_add(const struct hca_sq *sq, uint16_t pi, struct tx_wqe_sum *sum);

#endif
