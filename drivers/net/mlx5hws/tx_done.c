/* SPDX-License-Identifier: BSD-3-Clause */

/* What completions tell of: errors, and how a queue recovers from them (nic.md 5.6); what is asked of them beside the bursts. */
#include <rte_ethdev.h>

#include "hca/device.h"
#include "log.h"
#include "port.h"
#include "prm/wqe.h"
#include "tx.h"
#include "tx_wqe.h"

/* Forget all that was posted: after a reset the device reads none of it. */
static void
reset_indexes(struct mlx5hws_txq *txq)
{
	txq->done_pi = 0;
	txq->request_pi = 0;
	txq->request_elts = txq->elts_head;
	txq->plain_elts = 0;
	txq->packets_done = txq->packets_head;
	txq->mark_head = txq->cq.ci;
}

/*
 * Packets from the failed descriptor on were counted as sent when they were posted: they are errors. Of a multi-packet
 * descriptor the device does not tell at which packet it failed: all of them are.
 */
static void
count_lost(struct mlx5hws_txq *txq)
{
	struct tx_wqe_sum sum = { 0 };

	for (uint16_t pi = txq->failed_pi; pi != txq->sq.pi;)
		pi = (uint16_t)(pi + tx_wqe_add(&txq->sq, pi, &sum));
	mlx5hws_uncount(&txq->packets, sum.packets);
	mlx5hws_uncount(&txq->bytes, sum.bytes);
	mlx5hws_count(&txq->errors, sum.packets);
}

/* The device found a descriptor it could not send; the queue is in ERR. */
static int
recover(struct mlx5hws_txq *txq)
{
	int ret;

	if (txq->state == MLX5HWS_TX_GOOD)
		count_lost(txq);
	txq->state = MLX5HWS_TX_BROKEN;
	ret = hca_sq_reset(&txq->sq, true);
	if (ret != 0)
		return ret;
	while (hca_cq_peek(&txq->cq) != NULL)
		txq->cq.ci++;
	hca_cq_ack(&txq->cq);
	mlx5hws_tx_drain(txq);
	reset_indexes(txq);
	txq->state = MLX5HWS_TX_GOOD;
	mlx5hws_count(&txq->recoveries, 1);
	return 0;
}

bool
mlx5hws_tx_revive(struct mlx5hws_txq *txq)
{
	return txq->state == MLX5HWS_TX_BROKEN &&
		!atomic_load_explicit(&txq->port->hca->dead, memory_order_relaxed) && recover(txq) == 0;
}

void
mlx5hws_tx_failed(struct mlx5hws_txq *txq, const uint8_t *cqe)
{
	if (atomic_load_explicit(&txq->port->hca->dead, memory_order_relaxed)) {
		txq->state = MLX5HWS_TX_BROKEN;
		return;
	}
	MLX5HWS_LOG(WARNING, "port %u Tx queue %u: error completion, syndrome 0x%x; the queue is reset",
		    txq->port->dev->data->port_id, txq->idx, cqe[HCA_CQE_SYNDROME]);
	txq->failed_pi = hca_cqe_wqe_counter(cqe);
	recover(txq);
}

int
mlx5hws_tx_done_cleanup(void *queue, uint32_t free_cnt)
{
	struct mlx5hws_txq *txq = queue;
	uint32_t before = txq->packets_done, done = 0;

	/* As far as asked for, by whole completions. */
	while (txq->state == MLX5HWS_TX_GOOD && hca_cq_peek(&txq->cq) != NULL && (free_cnt == 0 || done < free_cnt)) {
		mlx5hws_tx_complete(txq, 1);
		done = txq->packets_done - before;
	}
	return (int)done;
}

/* Descriptors are counted as packets: several may share one, and one may take several of the ring's blocks. */
int
mlx5hws_tx_descriptor_status(void *queue, uint16_t offset)
{
	struct mlx5hws_txq *txq = queue;

	if (offset >= txq->nb_desc)
		return -EINVAL;
	if (txq->state == MLX5HWS_TX_GOOD)
		mlx5hws_tx_complete(txq, UINT32_MAX);
	return offset < txq->packets_head - txq->packets_done ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE;
}
