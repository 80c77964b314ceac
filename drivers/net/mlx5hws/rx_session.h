/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A compressed session, basic layout: a title at slot t that stands for n packets in n slots, arrays of eight mini entries at t + 1,
 * t + 8, t + 16 ... Each array is copied before its slots are invalidated and go back. nic.md 3.7.
 */
#ifndef MLX5HWS_RX_SESSION_H
#define MLX5HWS_RX_SESSION_H

#include "rx.h"

static inline uint8_t *
rx_slot(const struct mlx5hws_rxq *rxq, uint32_t index)
{
	return rxq->cq.ring + (size_t)(index & rxq->cq.mask) * HCA_CQE_BYTES;
}

/* Is the next entry's op_own a title's in this pass? */
static inline bool
rx_is_title(const struct hca_cq *cq, uint8_t op_own)
{
	uint32_t owner = cq->ci >> cq->log_size & 1;

	return (op_own & 0xfdu) == (HCA_CQE_RESP_SEND << 4 | PRM_CQE_FORMAT_COMPRESSED << 2 | owner);
}

/* The slots of this array: what the device skipped there would read as new two passes later. The title's was written by it. */
static inline void
rx_session_array(struct mlx5hws_rxq *rxq, const uint8_t *array, uint32_t first)
{
	uint32_t nb = RTE_MIN(rxq->session.left, (uint32_t)PRM_MINI_CQES_PER_SLOT);

	memcpy(rxq->session.minis, array, HCA_CQE_BYTES);
	if (likely(nb == PRM_MINI_CQES_PER_SLOT && (rxq->cq.ci & rxq->cq.mask) + nb <= rxq->cq.mask + 1)) {
		uint8_t *own = rx_slot(rxq, rxq->cq.ci) + HCA_CQE_OP_OWN;

		/* The title's too: the device wrote it in this pass, so that in the next it is not read as new either way. */
#pragma GCC unroll 8
		for (uint32_t i = 0; i < PRM_MINI_CQES_PER_SLOT; i++)
			own[i * HCA_CQE_BYTES] = PRM_CQE_OP_OWN_INVALIDATED;
	} else {
		for (uint32_t i = first; i < nb; i++)
			rx_slot(rxq, rxq->cq.ci + i)[HCA_CQE_OP_OWN] = PRM_CQE_OP_OWN_INVALIDATED;
	}
	rxq->cq.ci += nb;
	rxq->session.at = 0;
}

/* A title is the next entry; the device wrote the arrays before it. */
static inline void
rx_session_begin(struct mlx5hws_rxq *rxq, const uint8_t *title)
{
	struct mlx5hws_rx_session *session = &rxq->session;

	memcpy(session->title, title, HCA_CQE_BYTES);
	session->left = RTE_MIN(prm_get(title, PRM_CQE_BYTE_CNT), rxq->cq.mask + 1);
	if (unlikely(session->left == 0))
		session->left = 1;
	/* Of a session whose entries do not tell it, only the title's packet would have a hash. */
	if (rxq->mini_format != PRM_MINI_CQE_FORMAT_HASH)
		prm_set(session->title, PRM_CQE_RX_HASH_TYPE, 0);
	rx_session_array(rxq, rx_slot(rxq, rxq->cq.ci + 1), 1);
}

/* The title with what the next mini entry says. The session has packets left. */
static inline const uint8_t *
rx_session_next(struct mlx5hws_rxq *rxq)
{
	struct mlx5hws_rx_session *session = &rxq->session;
	uint8_t *title = session->title;
	const uint8_t *mini;
	uint32_t bytes;

	if (session->at == PRM_MINI_CQES_PER_SLOT)
		rx_session_array(rxq, rx_slot(rxq, rxq->cq.ci), 0);
	mini = &session->minis[session->at++ * PRM_MINI_CQE_BYTES];
	session->left--;
	bytes = prm_get(mini, PRM_MINI_CQE_BYTE_CNT);
	switch (rxq->mini_format) {
	case PRM_MINI_CQE_FORMAT_HASH:
		prm_set(title, PRM_CQE_RX_HASH_RESULT, prm_get(mini, PRM_MINI_CQE_RX_HASH_RESULT));
		break;
	case PRM_MINI_CQE_FORMAT_FTAG_STRIDX:
		prm_set(title, PRM_CQE_FLOW_TAG,
			prm_get(mini, PRM_MINI_CQE_FTAG_HIGH) << 16 | prm_get(mini, PRM_MINI_CQE_FTAG_LOW));
		bytes = prm_get(mini, PRM_MINI_CQE_FTAG_BYTE_CNT);
		break;
	case PRM_MINI_CQE_FORMAT_L34H_STRIDX:
		prm_set(title, PRM_CQE_L4_L3_HDR_TYPE, prm_get(mini, PRM_MINI_CQE_L4_L3_HDR_TYPE));
		break;
	default: /* checksums are not told */
		break;
	}
	prm_set(title, PRM_CQE_BYTE_CNT, bytes);
	return title;
}

#endif
