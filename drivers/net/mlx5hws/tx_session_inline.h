/* SPDX-License-Identifier: BSD-3-Clause */

/* Sessions whose short packets are copied into the descriptor, and whose long ones are pointed to. Else as tx_session.h. */
#ifndef MLX5HWS_TX_SESSION_INLINE_H
#define MLX5HWS_TX_SESSION_INLINE_H

#include "tx_session.h"

#define TX_SESSION_LEAST 18   /* a shorter packet is not copied into one */

/* A packet into its place of so many units in a session, with its tag where it has one. @return the position behind. */
static __rte_always_inline uint8_t *
tx_copy_packet(const struct tx_ring *ring, uint8_t *ds, const struct rte_mbuf *m, uint32_t len, uint32_t units, bool tagged)
{
	const uint8_t *from = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t head = htobe32(1u << 31 | len);
	const uint32_t macs = 2 * RTE_ETHER_ADDR_LEN;
	uint8_t *end = ds + units * TX_DS;

	memcpy(ds, &head, sizeof(head));
	ds += sizeof(head);
	if (likely(!tagged && end <= ring->end)) {
		tx_copy_flat(ds, from, len);
		return likely(end != ring->end) ? end : ring->start;
	}
	if (tagged) {
		uint32_t tag_be = htobe32((uint32_t)RTE_ETHER_TYPE_VLAN << 16 | m->vlan_tci);

		ds = tx_copy(ring, ds, from, macs);
		ds = tx_copy(ring, ds, &tag_be, TX_TAG);
		from += macs;
		len -= macs + TX_TAG;
	}
	tx_copy(ring, ds, from, len);
	return tx_wrap(ring, end);
}

/* One session of packets that are copied where they are short, else pointed to. As tx_session. */
static __rte_always_inline uint32_t
tx_session_inline(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), used = TX_HEAD_DS, first = run->at;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi), *ds = wqe + TX_HEAD_DS * TX_DS;
	struct rte_mbuf *m = run->pkts[first];
	struct tx_shared shared = { 0 };

	tx_share(txq, &shared, m, flags);
	for (; run->at != run->nb; run->at++) {
		bool tagged;
		uint32_t len, need;

		m = run->pkts[run->at];
		tagged = (flags & TX_VLAN) && m->ol_flags & RTE_MBUF_F_TX_VLAN;
		len = m->data_len + (tagged ? TX_TAG : 0);
		if (unlikely(!tx_is_single(txq, m, flags & ~TX_VLAN) || !tx_fits(txq, &shared, m, flags)))
			break;
		need = (sizeof(uint32_t) + len + TX_DS - 1) / TX_DS;
		if (likely(len <= txq->inline_empw && len > TX_SESSION_LEAST)) {
			if (used + need > room)
				break;
			ds = tx_copy_packet(&run->ring, ds, m, len, need, tagged);
			used += need;
		} else {
			uint32_t lkey_be = mlx5hws_lkey(&txq->lkeys, m);

			/* A tag, or headers that must be inlined: the packet is copied or has a descriptor of its own. */
			if (unlikely(tagged || txq->inline_required || lkey_be == MLX5HWS_NO_LKEY)) {
				*alone = run->at == first;
				break;
			}
			if (used + 1 > room || tx_free_elts(txq) == 0)
				break;
			tx_free_copied(txq, run, flags);
			tx_pointer(ds, len, lkey_be, rte_pktmbuf_mtod(m, uintptr_t));
			ds = tx_next(&run->ring, ds);
			txq->elts[txq->elts_head++ & txq->elts_mask] = (uintptr_t)m;
			run->copied = run->at + 1;
			used++;
		}
		run->bytes += len;
	}
	if (unlikely(run->at == first))
		return 0;
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, used, (uint32_t)shared.cs << 24, shared.meta_be, 0);
	tx_advance(txq, run, wqe, used);
	return run->at - first;
}

#endif
