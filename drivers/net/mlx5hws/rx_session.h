/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compressed sessions. Basic layout: a title at slot t that stands for n packets in n slots, arrays of eight mini entries at t + 1,
 * t + 8, t + 16 ... Each array is copied before its slots are invalidated and go back. nic.md 3.7. Enhanced layout: blocks, of which each is
 * a session of its own here. nic.md 3.8.
 */
#ifndef MLX5HWS_RX_SESSION_H
#define MLX5HWS_RX_SESSION_H

#include "rx.h"

static inline uint8_t *
rx_slot(const struct mlx5hws_rxq *rxq, uint32_t index)
{
	return rxq->cq.ring + (size_t)(index & rxq->cq.mask) * HCA_CQE_BYTES;
}

/* The last dword of an ordinary packet's entry in this pass, but for bit 1 of op_own (solicited): op_own is its last byte. */
static __rte_always_inline uint32_t
rx_own_dword(const struct hca_cq *cq, const uint32_t flags)
{
	const uint32_t good = (uint32_t)(HCA_CQE_RESP_SEND << 4) << 24;

	if (flags & RX_COMPRESSED && cq->enhanced)
		return good | (uint32_t)hca_cq_pass(cq) << 16;
	return good | (cq->ci >> cq->log_size & 1) << 24;
}

static __rte_always_inline uint32_t
rx_own_bits(const struct hca_cq *cq, const uint32_t flags)
{
	return flags & RX_COMPRESSED && cq->enhanced ? 0xfcff0000u : 0xfd000000u;
}

/* Is the next entry an ordinary packet's? All of it may be read then. */
static __rte_always_inline bool
rx_is_packet(const struct hca_cq *cq, const uint8_t *cqe, const uint32_t flags)
{
	if (flags & RX_COMPRESSED && cq->enhanced)
		return order_load_acquire8(cqe + HCA_CQE_VALIDITY) == hca_cq_pass(cq) &&
			(cqe[HCA_CQE_OP_OWN] & 0xfcu) == HCA_CQE_RESP_SEND << 4;
	return (order_load_acquire8(cqe + HCA_CQE_OP_OWN) & 0xfdu) == rx_own_dword(cq, flags) >> 24;
}

/* Is the next entry's op_own a title's in this pass? */
static inline bool
rx_is_title(const struct hca_cq *cq, uint8_t op_own)
{
	uint32_t owner = cq->ci >> cq->log_size & 1;

	return (op_own & 0xfdu) == (HCA_CQE_RESP_SEND << 4 | PRM_CQE_FORMAT_COMPRESSED << 2 | owner);
}

/* Does a session, or a block of one, begin with the next entry? */
static __rte_always_inline bool
rx_session_is_next(const struct mlx5hws_rxq *rxq, const uint8_t *cqe)
{
	if (unlikely(rxq->cq.enhanced))
		return order_load_acquire8(cqe + HCA_CQE_VALIDITY) == hca_cq_pass(&rxq->cq) &&
			prm_get(cqe, PRM_CQE_FORMAT) == PRM_CQE_FORMAT_COMPRESSED;
	return rx_is_title(&rxq->cq, order_load_acquire8(cqe + HCA_CQE_OP_OWN));
}

/*
 * The slots of a full array, from the one whose op_own this is: those that the device wrote, or all. titled: the title stands in the first
 * of them, the array in the second.
 */
static __rte_always_inline void
rx_session_invalidate(uint8_t *own, bool titled, bool all)
{
	own[0] = PRM_CQE_OP_OWN_INVALIDATED;
	if (titled)
		own[HCA_CQE_BYTES] = PRM_CQE_OP_OWN_INVALIDATED;
	if (unlikely(all))
#pragma GCC unroll 1
		for (uint32_t i = 1; i < PRM_MINI_CQES_PER_SLOT; i++)
			own[i * HCA_CQE_BYTES] = PRM_CQE_OP_OWN_INVALIDATED;
}

/*
 * The slots of this array, which stands in the second slot of a session (titled), later in the first of its own. What the device has
 * written here or skipped would read as new two passes later, so all of it is invalidated; but as long as session follows on session,
 * slots that are skipped have been left so a pass ago.
 */
static inline void
rx_session_array(struct mlx5hws_rxq *rxq, const uint8_t *array, const bool titled)
{
	struct mlx5hws_rx_session *session = &rxq->session;
	uint32_t nb = RTE_MIN(session->left, (uint32_t)PRM_MINI_CQES_PER_SLOT);

	memcpy(session->minis, array, HCA_CQE_BYTES);
	if (likely(nb == PRM_MINI_CQES_PER_SLOT && (rxq->cq.ci & rxq->cq.mask) + nb <= rxq->cq.mask + 1)) {
		rx_session_invalidate(rx_slot(rxq, rxq->cq.ci) + HCA_CQE_OP_OWN, titled, session->invalid <= rxq->cq.mask);
	} else {
		for (uint32_t i = 0; i < nb; i++)
			rx_slot(rxq, rxq->cq.ci + i)[HCA_CQE_OP_OWN] = PRM_CQE_OP_OWN_INVALIDATED;
	}
	rxq->cq.ci += nb;
	session->at = 0;
	session->behind = rxq->cq.ci;
	session->invalid += nb;
}

/* Of a session whose entries do not tell it, only the title's packet would have a hash. */
static inline void
rx_session_title(struct mlx5hws_rxq *rxq, const uint8_t *title)
{
	memcpy(rxq->session.title, title, HCA_CQE_BYTES);
	if (rxq->mini_format != PRM_MINI_CQE_FORMAT_HASH)
		prm_set(rxq->session.title, PRM_CQE_RX_HASH_TYPE, 0);
}

/*
 * Enhanced layout: blocks of mini entries, of one slot each, that stand for as many slots. What they do not tell is in the last ordinary
 * entry before them: in the ring, or kept, where that slot has been given back since. Nothing is invalidated.
 */
static inline void
rx_session_block(struct mlx5hws_rxq *rxq, const uint8_t *block)
{
	struct mlx5hws_rx_session *session = &rxq->session;

	if (rxq->cq.ci != session->behind && rxq->cq.ci != session->acked)
		rx_session_title(rxq, rx_slot(rxq, rxq->cq.ci - 1));
	memcpy(session->minis, block, HCA_CQE_BYTES);
	session->left = RTE_MIN((block[HCA_CQE_OP_OWN] >> 4) + 1u, (uint32_t)PRM_MINI_CQES_PER_ENHANCED_SLOT);
	session->at = 0;
	rxq->cq.ci += session->left;
	session->behind = rxq->cq.ci;
}

/* Before the slots that were read are given back. */
static inline void
rx_session_keep(struct mlx5hws_rxq *rxq)
{
	struct mlx5hws_rx_session *session = &rxq->session;

	if (rxq->cq.ci != session->behind && rxq->cq.ci != session->acked)
		rx_session_title(rxq, rx_slot(rxq, rxq->cq.ci - 1));
	session->acked = rxq->cq.ci;
}

/* Is it a session's, in either layout? */
static inline bool
rx_is_compressed(const struct hca_cq *cq, const uint8_t *cqe)
{
	return prm_get(cqe, PRM_CQE_FORMAT) == PRM_CQE_FORMAT_COMPRESSED &&
		(cq->enhanced || hca_cqe_opcode(cqe) == HCA_CQE_RESP_SEND);
}

/* Packets that an entry stands for. */
static inline uint32_t
rx_packets_of(const struct hca_cq *cq, const uint8_t *cqe)
{
	if (!rx_is_compressed(cq, cqe))
		return 1;
	return cq->enhanced ? (cqe[HCA_CQE_OP_OWN] >> 4) + 1u : RTE_MAX(prm_get(cqe, PRM_CQE_BYTE_CNT), 1u);
}

/* The next entry is a session's; in the basic layout its title, before which the device wrote the arrays. */
static inline void
rx_session_begin(struct mlx5hws_rxq *rxq, const uint8_t *title)
{
	struct mlx5hws_rx_session *session = &rxq->session;

	if (unlikely(rxq->cq.enhanced)) {
		rx_session_block(rxq, title);
		return;
	}
	rx_session_title(rxq, title);
	session->left = RTE_MIN(prm_get(title, PRM_CQE_BYTE_CNT), rxq->cq.mask + 1);
	if (unlikely(session->left == 0))
		session->left = 1;
	if (unlikely(rxq->cq.ci != session->behind)) /* other entries came between */
		session->invalid = 0;
	rx_session_array(rxq, rx_slot(rxq, rxq->cq.ci + 1), true);
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
		rx_session_array(rxq, rx_slot(rxq, rxq->cq.ci), false);
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
