/* SPDX-License-Identifier: BSD-3-Clause */

/* What waits in a receive queue, looked for entry by entry: for diagnosis, not for the data path. */
#include <errno.h>

#include "rx.h"
#include "rx_session.h"

static uint32_t
waiting(const struct mlx5hws_rxq *rxq, uint32_t limit)
{
	const struct mlx5hws_rx_session *session = &rxq->session;
	uint32_t nb = session->left, in_hand = RTE_MIN(nb, PRM_MINI_CQES_PER_SLOT - session->at);
	struct hca_cq look = rxq->cq;
	const uint8_t *cqe;

	if (nb != 0)
		look.ci += nb - in_hand; /* its arrays not read yet */
	while (nb < limit && (cqe = hca_cq_peek_any(&look)) != NULL) {
		const uint32_t packets = rx_packets_of(&look, cqe);

		look.ci += packets;
		nb += packets;
	}
	return RTE_MIN(nb, limit);
}

MLX5HWS_QUEUE_COUNT
mlx5hws_rx_queue_count(void *queue)
{
	const struct mlx5hws_rxq *rxq = queue;

	if (rxq->state == MLX5HWS_RX_STOPPED)
		return 0;
	return waiting(rxq, rxq->cq.mask + 1);
}

int
mlx5hws_rx_descriptor_status(void *queue, uint16_t offset)
{
	const struct mlx5hws_rxq *rxq = queue;

	if (rxq->state == MLX5HWS_RX_STOPPED || offset > rxq->cq.mask)
		return -EINVAL;
	if (waiting(rxq, offset + 1u) > offset)
		return RTE_ETH_RX_DESC_DONE;
	if (rxq->stride != NULL) /* one for each stride, all posted but of the few buffers that wait for the next burst */
		return RTE_ETH_RX_DESC_AVAIL;
	return offset < rxq->posted - rxq->taken ? RTE_ETH_RX_DESC_AVAIL : RTE_ETH_RX_DESC_UNAVAIL;
}
