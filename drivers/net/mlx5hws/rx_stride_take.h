/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Part of each path (rx_path.c): packets out of a striding queue. Where a packet lies follows from what
 * those before it consumed, for strides are used in order; so any format of compressed completion will do.
 */
#ifndef MLX5HWS_RX_STRIDE_TAKE_H
#define MLX5HWS_RX_STRIDE_TAKE_H

#include <rte_memcpy.h>
#include <rte_mempool.h>

#include "rx.h"
#include "rx_mbuf.h"
#include "rx_session.h"
#include "rx_stride.h"
#include "rx_stride_pool.h"
#include "rx_stride_wqe.h"
#include "rx_vec.h"

/* byte_cnt of a striding queue's CQE. nic.md 3.4. */
#define RX_STRIDE_FILLER (1u << 31)
#define RX_STRIDE_COUNT(bytes) ((bytes) >> 16 & 0x7fff)
#define RX_STRIDE_LENGTH(bytes) ((bytes) & 0xffff)

/* The device is through with the buffer: one that is lent is replaced, the WQE is posted again. */
static __rte_noinline void
rx_stride_next_buffer(struct mlx5hws_rxq *rxq, struct mlx5hws_rx_stride *stride)
{
	uint32_t index = rxq->posted & rxq->rq.mask, own = stride->nb_strides + 1 - stride->lent;

	/* Nothing lent, or all of it is back: the buffer stays in its WQE. */
	if (stride->lent != 0 && rte_mbuf_ext_refcnt_update(&stride->current->shared, (int16_t)-own) != 0) {
		stride->posted[index] = stride->spare;
		stride->spare = NULL;
		rx_stride_write_wqe(&rxq->rq, index, stride->posted[index]);
	}
	rxq->posted++;
	stride->current = stride->posted[rxq->posted & rxq->rq.mask];
	stride->data = mlx5hws_stride_data(stride->current);
	stride->used = 0;
	stride->lent = 0;
	stride->busy = -RTE_PKTMBUF_HEADROOM;
}

/* Mbufs in hand; the pool is asked for many at once, and for what is wanted when it has no more. */
static __rte_noinline bool
rx_stride_get_mbufs(struct mlx5hws_rxq *rxq, uint16_t wanted)
{
	uint16_t room = MLX5HWS_RX_SPARES - rxq->nb_spares;

	if (rte_mempool_get_bulk(rxq->pool, (void **)&rxq->spares[rxq->nb_spares], room) != 0) {
		room = wanted - rxq->nb_spares;
		if (rte_mempool_get_bulk(rxq->pool, (void **)&rxq->spares[rxq->nb_spares], room) != 0)
			return false;
	}
	rxq->nb_spares += room;
	return true;
}

/* May the packet that begins at start stay there? Its headroom is free, and the buffer can be replaced. */
static __rte_always_inline bool
rx_stride_may_lend(struct mlx5hws_rx_stride *stride, int32_t start)
{
	if (unlikely(start - RTE_PKTMBUF_HEADROOM < stride->busy))
		return false;
	if (unlikely(stride->spare == NULL)) {
		stride->spare = mlx5hws_stride_pool_get(stride->pool);
		if (stride->spare == NULL)
			return false;
	}
	if (stride->lent == 0)
		rte_mbuf_ext_refcnt_set(&stride->current->shared, (uint16_t)(stride->nb_strides + 1));
	return true;
}

/* count: strides that the packet took. Tailroom ends where the headroom of the next one begins. */
static __rte_always_inline void
rx_stride_lend(struct mlx5hws_rx_stride *stride, struct rte_mbuf *m, int32_t start, uint32_t len, uint32_t count)
{
	int32_t first = start - RTE_PKTMBUF_HEADROOM, end = first + (int32_t)(count << stride->log_bytes);

	end = RTE_MAX(end, start + (int32_t)len);
	m->buf_addr = stride->data + first;
	rte_mbuf_iova_set(m, stride->current->iova + first);
	m->buf_len = (uint16_t)RTE_MIN(end - first, UINT16_MAX);
	m->shinfo = &stride->current->shared;
	m->ol_flags |= RTE_MBUF_F_EXTERNAL;
	stride->busy = end;
	stride->lent++;
}

/* By whole lines: the stride has them, the mbuf too, which need not be looked at where all are laid out alike. */
static __rte_always_inline void
rx_stride_copy(const struct mlx5hws_rxq *rxq, struct rte_mbuf *m, const uint8_t *from, uint32_t len)
{
	uint8_t *to = likely(rxq->buffer_at != 0) ? RTE_PTR_ADD(m, rxq->buffer_at) : RTE_PTR_ADD(m->buf_addr, RTE_PKTMBUF_HEADROOM);

	rte_mov64(to, from);
	for (uint32_t at = 64; unlikely(at < len); at += 64)
		rte_mov64(to + at, from + at);
}

/* A long packet that cannot stay, into head and as many mbufs more as it takes, which are in hand. */
static __rte_noinline void
rx_stride_copy_chain(struct mlx5hws_rxq *rxq, struct rte_mbuf *head, const uint8_t *from, uint32_t len)
{
	struct rte_mbuf *last = head;

	while (len > rxq->room) {
		rte_memcpy((uint8_t *)last->buf_addr + RTE_PKTMBUF_HEADROOM, from, rxq->room);
		last->data_len = (uint16_t)rxq->room;
		from += rxq->room;
		len -= rxq->room;
		last->next = rxq->spares[--rxq->nb_spares];
		last = last->next;
		memcpy(RTE_PTR_ADD(last, MLX5HWS_REARM_AT), &rxq->rearm, sizeof(rxq->rearm));
		head->nb_segs++;
	}
	rte_memcpy((uint8_t *)last->buf_addr + RTE_PKTMBUF_HEADROOM, from, len);
	last->data_len = (uint16_t)len;
}

/* A packet that begins where the one before it ended. NULL: it can neither stay nor be copied. */
static __rte_always_inline struct rte_mbuf *
rx_stride_packet(struct mlx5hws_rxq *rxq, struct mlx5hws_rx_stride *stride, const uint8_t *cqe, uint32_t count, uint32_t len,
		 const uint32_t flags)
{
	int32_t start = (int32_t)(stride->used << stride->log_bytes);
	struct rte_mbuf *m = rxq->spares[rxq->nb_spares - 1];
	const uint8_t *from = stride->data + start;

	if (likely(len <= stride->copy_max)) {
		rxq->nb_spares--;
		rx_stride_copy(rxq, m, from, len);
		rx_describe(rxq, m, cqe, len, len, flags);
	} else if (likely(rx_stride_may_lend(stride, start))) {
		rxq->nb_spares--;
		rx_describe(rxq, m, cqe, len, len, flags);
		rx_stride_lend(stride, m, start, len, count);
	} else if (len > stride->chain_max) {
		return NULL;
	} else {
		rxq->nb_spares--;
		rx_describe(rxq, m, cqe, len, len, flags);
		rx_stride_copy_chain(rxq, m, from, len);
	}
	return m;
}

#ifdef RX_STRIDE_STEPS

/* Where the next step comes from: entries of the ring, or of the session's array. False: neither has one. */
static __rte_always_inline bool
rx_stride_columns(struct mlx5hws_rxq *rxq, struct rx_columns *columns, const uint32_t flags)
{
	const uint8_t *cqe = rx_slot(rxq, rxq->cq.ci);
	struct mlx5hws_rx_session *session = &rxq->session;
	struct rx_own own;

	if (flags & RX_COMPRESSED && session->left != 0) {
		if (session->at == PRM_MINI_CQES_PER_SLOT)
			rx_session_array(rxq, cqe, false);
		if (session->left < RX_STEP || session->at % RX_STEP != 0)
			return false;
		rx_columns_of_title(columns, session->title, true, flags);
		rx_columns_of_minis(columns, &session->minis[session->at * PRM_MINI_CQE_BYTES], rxq->mini_format);
		return true;
	}
	own = rx_own_expected(&rxq->cq, flags);
	return (rxq->cq.ci & rxq->cq.mask) + RX_STEP <= rxq->cq.mask + 1 && rx_columns_of_cqes(columns, cqe, &own, flags);
}

static __rte_always_inline void
rx_stride_taken(struct mlx5hws_rxq *rxq, const uint32_t flags)
{
	if (flags & RX_COMPRESSED && rxq->session.left != 0) {
		rxq->session.at += RX_STEP;
		rxq->session.left -= RX_STEP;
	} else {
		rxq->cq.ci += RX_STEP;
	}
}

/* Steps of packets that are all copied and do not end a buffer in their midst. */
static __rte_always_inline uint16_t
rx_stride_steps(struct mlx5hws_rxq *rxq, struct mlx5hws_rx_stride *stride, struct rte_mbuf **pkts, uint32_t nb, uint64_t *bytes,
		const uint32_t flags)
{
	const struct rx_constants constants = rx_constants(rxq, flags);
	struct rx_bytes sum = rx_bytes_none();
	uint32_t done = 0;

	if (flags & RX_COMPRESSED && rxq->session.left == 0) {
		const uint8_t *cqe = rx_slot(rxq, rxq->cq.ci);

		if (rx_session_is_next(rxq, cqe))
			rx_session_begin(rxq, cqe);
	}
	for (; done + RX_STEP <= nb; done += RX_STEP) {
		uint32_t byte_cnts[RX_STEP], at[RX_STEP], odd = 0, used = stride->used;
		struct rx_columns columns;
		struct rte_mbuf **elts;

		if (rxq->nb_spares < RX_STEP || !rx_stride_columns(rxq, &columns, flags))
			break;
		rx_columns_split(&columns, &constants, byte_cnts);
#pragma GCC unroll 8
		for (uint32_t i = 0; i < RX_STEP; i++) {
			at[i] = used << stride->log_bytes;
			used += RX_STRIDE_COUNT(byte_cnts[i]);
			odd |= byte_cnts[i] & RX_STRIDE_FILLER;
			odd |= RX_STRIDE_LENGTH(byte_cnts[i]) > stride->copy_max;
		}
		if (unlikely(odd != 0 || used > stride->nb_strides))
			break;
		rx_stride_taken(rxq, flags);
		rxq->nb_spares -= RX_STEP;
		elts = &rxq->spares[rxq->nb_spares];
		rx_finish(rxq, &constants, &columns, elts, &pkts[done], &sum, flags & ~RX_SCATTER);
#pragma GCC unroll 8
		for (uint32_t i = 0; i < RX_STEP; i++)
			rx_stride_copy(rxq, elts[i], stride->data + at[i], RX_STRIDE_LENGTH(byte_cnts[i]));
		stride->used = used;
		if (unlikely(used == stride->nb_strides))
			rx_stride_next_buffer(rxq, stride);
	}
	*bytes += rx_bytes_sum(&sum);
	return (uint16_t)done;
}

#endif

/* As rx_take, of which next is the source of completions. */
static __rte_always_inline uint16_t
rx_stride_take(struct mlx5hws_rxq *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts, uint64_t *bytes,
	       const uint8_t *(*next)(struct mlx5hws_rxq *rxq, const uint32_t flags), const uint32_t flags)
{
	struct mlx5hws_rx_stride *stride = rxq->stride;
	bool copied = true; /* the last one; what comes together is of a kind */
	uint16_t nb = 0;

	while (nb < nb_pkts) {
		const uint8_t *cqe;
		uint32_t byte_cnt, count;

		/* Before the completion is taken, for it cannot be put back. */
		if (unlikely(rxq->nb_spares < stride->chain_mbufs) && !rx_stride_get_mbufs(rxq, stride->chain_mbufs)) {
			if (hca_cq_peek_any(&rxq->cq) != NULL)
				mlx5hws_count(&rxq->no_mbuf, 1);
			break;
		}
#ifdef RX_STRIDE_STEPS
		if (copied) {
			uint16_t steps = rx_stride_steps(rxq, stride, &pkts[nb], nb_pkts - nb, bytes, flags);

			nb += steps;
			if (steps != 0)
				continue;
		}
#else
		RTE_SET_USED(copied);
#endif
		cqe = next(rxq, flags);
		if (cqe == NULL)
			break;
		byte_cnt = prm_get(cqe, PRM_CQE_BYTE_CNT);
		count = RX_STRIDE_COUNT(byte_cnt);
		/* A filler stands for strides that were too few for the next packet. */
		if (likely(!(byte_cnt & RX_STRIDE_FILLER))) {
			copied = RX_STRIDE_LENGTH(byte_cnt) <= stride->copy_max;
			pkts[nb] = rx_stride_packet(rxq, stride, cqe, count, RX_STRIDE_LENGTH(byte_cnt), flags);
			if (likely(pkts[nb] != NULL)) {
				*bytes += RX_STRIDE_LENGTH(byte_cnt);
				nb++;
			} else {
				mlx5hws_count(&rxq->no_mbuf, 1);
			}
		}
		stride->used += count;
		if (unlikely(stride->used >= stride->nb_strides))
			rx_stride_next_buffer(rxq, stride);
	}
	return nb;
}

#endif
