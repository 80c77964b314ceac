/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The body of all receive bursts. flags is a constant where it is used: each use is a burst of its own, with what the port was
 * configured for and nothing else (rx_table.c).
 *
 *	entries taken, one by one or several at once (rx_take) -> CQ's consumer index -> descriptors filled again, RQ's record
 *
 * In this order: a descriptor posted again may complete into a slot only after the slot was given back. A CQE is read after an
 * acquire load of its last byte; there are no fences.
 */
#ifndef MLX5HWS_RX_BURST_H
#define MLX5HWS_RX_BURST_H

#include "rx.h"
#include "rx_mbuf.h"
#include "rx_refill.h"
#include "rx_session.h"
#include "rx_vec.h"
#include "rx_stride_take.h"

/* The CQE of the next packet, taken off the queue; it may be read until the consumer index is written. NULL: nothing more. */
static __rte_always_inline const uint8_t *
rx_next(struct mlx5hws_rxq *rxq, const uint32_t flags)
{
	const uint8_t *cqe = rx_slot(rxq, rxq->cq.ci);

	if (flags & RX_COMPRESSED && rxq->session.left != 0)
		return rx_session_next(rxq);
	if (unlikely(!rx_is_packet(&rxq->cq, cqe, flags)))
		return mlx5hws_rx_odd(rxq);
	rxq->cq.ci++;
	return cqe;
}

static __rte_always_inline struct rte_mbuf *
rx_packet(struct mlx5hws_rxq *rxq, const uint8_t *cqe, uint32_t len, const uint32_t flags)
{
	struct rte_mbuf *head = rxq->elts[rxq->taken++ & rxq->elts_mask];

	rx_describe(rxq, head, cqe, len, len, flags);
	return head;
}

static __rte_always_inline struct rte_mbuf *
rx_packet_scattered(struct mlx5hws_rxq *rxq, const uint8_t *cqe, uint32_t len, const uint32_t flags)
{
	struct rte_mbuf **elt = &rxq->elts[(rxq->taken++ << rxq->log_sges) & rxq->elts_mask], *head = *elt;

	*elt = NULL;
	rx_describe(rxq, head, cqe, len, RTE_MIN(len, rxq->room), flags);
	if (len > rxq->room) {
		head->nb_segs = 2;
		rx_chain(rxq, elt, head, len);
	}
	return head;
}

/* Packets in steps where there are steps, else one by one. @return how many; their bytes are added to *bytes. */
static __rte_always_inline uint16_t
rx_take(struct mlx5hws_rxq *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts, uint64_t *bytes, const uint32_t flags)
{
	uint32_t nb = 0;

	while (nb < nb_pkts) {
		const uint8_t *cqe;
		uint32_t len;

#ifdef RX_STEP
		uint32_t steps = rx_steps(rxq, &pkts[nb], nb_pkts - nb, bytes, flags);

		if (likely(steps != 0)) {
			nb += steps;
			continue;
		}
#endif
		cqe = rx_next(rxq, flags);
		if (cqe == NULL)
			break;
		len = prm_get(cqe, PRM_CQE_BYTE_CNT);
		pkts[nb++] = flags & RX_SCATTER ? rx_packet_scattered(rxq, cqe, len, flags) : rx_packet(rxq, cqe, len, flags);
		*bytes += len;
	}
	return (uint16_t)nb;
}

static __rte_always_inline uint16_t
rx_burst(struct mlx5hws_rxq *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts, const uint32_t flags)
{
	const bool striding = flags & RX_STRIDING && rxq->stride != NULL; /* a port may have both kinds */
	const uint32_t ci = rxq->cq.ci, posted = rxq->posted;
	uint64_t bytes = 0;
	uint16_t nb;

	if (unlikely(rxq->state != MLX5HWS_RX_GOOD) && !mlx5hws_rx_revive(rxq))
		return 0;
	nb = striding ? rx_stride_take(rxq, pkts, nb_pkts, &bytes, rx_next, flags) : rx_take(rxq, pkts, nb_pkts, &bytes, flags);
	if (unlikely(rxq->state != MLX5HWS_RX_GOOD)) /* its recovery did not come to an end */
		return nb;
	if (likely(rxq->cq.ci != ci)) {
		if (flags & RX_COMPRESSED && unlikely(rxq->cq.enhanced))
			rx_session_keep(rxq);
		hca_cq_ack(&rxq->cq);
	}
	if (striding) {
		if (rxq->posted != posted)
			hca_rq_post(&rxq->rq, rxq->posted);
	} else if (mlx5hws_rx_holes(rxq) >= rxq->batch) {
		rx_refill(rxq, flags);
	}
	if (likely(nb != 0)) {
		mlx5hws_count(&rxq->packets, nb);
		mlx5hws_count(&rxq->bytes, bytes);
	}
	return nb;
}

#endif
