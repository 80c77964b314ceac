/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A run of short packets of one segment without a tag, each copied whole into a SEND of its own, where there are no multi-packet
 * descriptors. What lies over the end of the ring is left to tx_post_short. flags as in tx_burst.h: constants.
 */
#ifndef MLX5HWS_TX_SHORTS_H
#define MLX5HWS_TX_SHORTS_H

#include "tx.h"
#include "tx_plain.h"
#include "tx_post.h"
#include "tx_session_inline.h"
#include "tx_wqe.h"

/* @return packets posted. The next one is then not such, or there is no room for it before the end of the ring. */
static __rte_always_inline uint32_t
tx_shorts(struct mlx5hws_txq *txq, struct tx_run *run, const uint32_t flags)
{
	const uint32_t longest = txq->inline_send, span = longest >= RTE_ETHER_HDR_LEN ? longest - RTE_ETHER_HDR_LEN + 1 : 0;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), *last = run->last;
	const uint8_t *const end = RTE_MIN(wqe + (size_t)tx_free_ds(txq) * TX_DS, run->ring.end);
	struct rte_mbuf **const first = &run->pkts[run->at], **const stop = &run->pkts[run->nb], **at = first;
	struct tx_plain plain = run->plain;
	uint32_t pi = txq->sq.pi;
	uint64_t bytes = 0;

	for (; at != stop; at++) {
		const struct rte_mbuf *m = *at;
		const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
		const uint32_t len = m->data_len;
		const uint32_t ds = TX_HEAD_DS + (len - TX_ETH_INLINE + TX_DS - 1) / TX_DS;
		const uint32_t blocks = (ds + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB;
		uint16_t inlined;

		if (unlikely(len - RTE_ETHER_HDR_LEN >= span) || unlikely(wqe + blocks * HCA_WQEBB_BYTES > end) ||
		    unlikely(!tx_is_single(txq, m, flags)))
			break;
		memcpy(&inlined, from, sizeof(inlined));
		tx_store16(wqe, htobe32(pi << 8 | PRM_WQE_OP_SEND), htobe32(txq->sq.sqn << 8 | ds), htobe32(PRM_WQE_CE_FIRST_ERROR << 2), 0);
		tx_store16(wqe + TX_DS, 0, flags & TX_CHECKSUM ? htobe32((uint32_t)tx_checksum_flags(m->ol_flags) << 24) : 0,
			flags & TX_META ? tx_meta(txq, m) : 0, htobe32(len << 16 | be16toh(inlined)));
		tx_copy_short(wqe + TX_HEAD_DS * TX_DS, from + TX_ETH_INLINE, len - TX_ETH_INLINE);
		tx_look(&plain, m);
		bytes += len;
		last = wqe;
		wqe += blocks * HCA_WQEBB_BYTES;
		pi = (uint16_t)(pi + blocks);
	}
	txq->sq.pi = (uint16_t)pi;
	run->plain = plain;
	run->last = last;
	run->bytes += bytes;
	run->at += (uint32_t)(at - first);
	return (uint32_t)(at - first);
}

#endif
