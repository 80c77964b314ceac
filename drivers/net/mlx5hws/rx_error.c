/* SPDX-License-Identifier: BSD-3-Clause */

/* Entries of the CQ that are no packet of their own: errors, after which the queue is brought back, and titles of sessions. */
#include "hca/device.h"
#include "log.h"
#include "port.h"
#include "rx.h"
#include "rx_session.h"
#include "rx_stride.h"

/* Forget what the CQ still holds: all of a queue that is RST. */
static void
drop_entries(struct mlx5hws_rxq *rxq)
{
	const uint8_t *cqe;

	rxq->session.left = 0;
	while ((cqe = hca_cq_peek_any(&rxq->cq)) != NULL)
		rxq->cq.ci += rxq->cq.enhanced ? rx_packets_of(&rxq->cq, cqe) : 1;
	rxq->session.acked = rxq->cq.ci;
	/* What a session of the basic layout has skipped reads as if it were new in two passes. */
	for (uint32_t slot = 0; rxq->compressed && !rxq->cq.enhanced && slot <= rxq->cq.mask; slot++)
		rxq->cq.ring[(size_t)slot * HCA_CQE_BYTES + HCA_CQE_OP_OWN] = PRM_CQE_OP_OWN_INVALIDATED;
	hca_cq_ack(&rxq->cq);
}

/* Bring the queue back from ERR: RST, forget the flush errors, RDY, post everything again. nic.md 5.4. */
static int
recover(struct mlx5hws_rxq *rxq)
{
	int ret;

	if (rxq->state != MLX5HWS_RX_RESET) {
		rxq->state = MLX5HWS_RX_ERROR;
		ret = hca_rq_stop(&rxq->rq, true);
		if (ret != 0)
			return ret;
		if (rxq->stride == NULL) /* a striding queue has no elts */
			mlx5hws_rx_mark_holes(rxq);
		rxq->state = MLX5HWS_RX_RESET;
	}
	drop_entries(rxq);
	ret = rxq->stride != NULL ? mlx5hws_rx_stride_fill(rxq) : mlx5hws_rx_fill(rxq);
	if (ret == 0)
		ret = hca_rq_start(&rxq->rq);
	if (ret != 0)
		return ret;
	rxq->taken = 0;
	rxq->posted = mlx5hws_rx_ring(rxq);
	hca_rq_post(&rxq->rq, rxq->posted);
	rxq->state = MLX5HWS_RX_GOOD;
	mlx5hws_count(&rxq->recoveries, 1);
	return 0;
}

/*
 * An error CQE at the head of the queue. A packet too long for its descriptor costs that descriptor;
 * anything else has put the queue into ERR. @return true: the next CQE may be looked at.
 */
static bool
handle_error(struct mlx5hws_rxq *rxq, const uint8_t *cqe)
{
	uint8_t syndrome = cqe[HCA_CQE_SYNDROME];

	if (syndrome == PRM_CQE_SYND_LOCAL_LENGTH) {
		mlx5hws_count(&rxq->errors, 1);
		rxq->cq.ci++;
		if (rxq->stride != NULL) /* it took no strides */
			return true;
		/* It is to be filled again and so must hold nothing; of several buffers those that are there stay. */
		if (rxq->log_sges == 0)
			rte_mbuf_raw_free(rxq->elts[rxq->taken & rxq->elts_mask]);
		rxq->taken++;
		return true;
	}
	if (atomic_load_explicit(&rxq->port->hca->dead, memory_order_relaxed))
		return false;
	if (rxq->state == MLX5HWS_RX_GOOD) {
		mlx5hws_count(&rxq->errors, 1);
		MLX5HWS_LOG(WARNING, "port %u Rx queue %u: error completion, syndrome 0x%x; the queue is reset",
			    rxq->port->dev->data->port_id, rxq->idx, syndrome);
	}
	return recover(rxq) == 0;
}

bool
mlx5hws_rx_revive(struct mlx5hws_rxq *rxq)
{
	return rxq->state != MLX5HWS_RX_STOPPED &&
		!atomic_load_explicit(&rxq->port->hca->dead, memory_order_relaxed) && recover(rxq) == 0;
}

const uint8_t *
mlx5hws_rx_odd(struct mlx5hws_rxq *rxq)
{
	const uint8_t *cqe;

	while ((cqe = hca_cq_peek_any(&rxq->cq)) != NULL) {
		if (rx_is_compressed(&rxq->cq, cqe)) {
			rx_session_begin(rxq, cqe);
			return rx_session_next(rxq);
		}
		if (hca_cqe_opcode(cqe) != HCA_CQE_RESP_SEND) {
			if (!handle_error(rxq, cqe))
				return NULL;
			continue;
		}
		rxq->cq.ci++;
		return cqe;
	}
	return NULL;
}
