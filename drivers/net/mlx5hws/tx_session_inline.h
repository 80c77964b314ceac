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

/* A run of copies in hand: packets from at on, units from ds on. */
struct tx_copying {
	struct rte_mbuf **at;
	uint8_t *ds;
	uint64_t bytes;
};

/* What lies in a short packet's frame; most are of one or two vectors. */
static __rte_always_inline void
tx_copy_short(uint8_t *to, const uint8_t *from, uint32_t len)
{
#if defined(__AVX2__)
	if (likely(len - 32 <= 32)) {
		__m256i tail = _mm256_loadu_si256((const __m256i *)(from + len - 32));

		_mm256_storeu_si256((__m256i *)to, _mm256_loadu_si256((const __m256i *)from));
		_mm256_storeu_si256((__m256i *)(to + len - 32), tail);
		return;
	}
#endif
	tx_copy_flat(to, from, len);
}

/*
 * Packets that are short, of one segment, without a tag and like the session's others, as far as they lie before end. The rest is
 * looked at one by one.
 */
static __rte_always_inline void
tx_copies(const struct mlx5hws_txq *txq, struct tx_copying *copying, struct rte_mbuf **stop, const uint8_t *end,
	  struct tx_shared *shared, struct tx_plain *plain, const uint32_t flags)
{
	const uint32_t most = txq->inline_empw, span = most > TX_SESSION_LEAST ? most - TX_SESSION_LEAST : 0;
	uint64_t foreign = 0, pools = 0, bytes = 0;
	uint32_t owners = 0;
	struct rte_mbuf **at = copying->at;
	uint8_t *ds = copying->ds;

	for (; at != stop; at++) {
		const struct rte_mbuf *m = *at;
		const uint32_t len = m->data_len;
		uint8_t *next = ds + ((sizeof(uint32_t) + len + TX_DS - 1) & ~(TX_DS - 1));
		const uint32_t head = htobe32(1u << 31 | len);

		if (unlikely(len - (TX_SESSION_LEAST + 1) >= span) || unlikely(next > end) ||
		    unlikely(!tx_is_single(txq, m, flags)) || unlikely(!tx_fits(txq, shared, m, flags)))
			break;
		memcpy(ds, &head, sizeof(head));
		tx_copy_short(ds + sizeof(head), rte_pktmbuf_mtod(m, const uint8_t *), len);
		owners |= rte_mbuf_refcnt_read(m);
		foreign |= m->ol_flags;
		pools |= (uintptr_t)m->pool ^ (uintptr_t)plain->pool;
		bytes += len;
		ds = next;
	}
	if (at == copying->at)
		return;
	/* No buffer has no owner: or'ed, one each is 1. */
	plain->doubts |= (owners ^ 1) | (foreign & TX_FOREIGN) | pools;
	copying->at = at;
	copying->ds = ds;
	copying->bytes += bytes;
}

/* One session of packets that are copied where they are short, else pointed to. As tx_session. */
static __rte_always_inline uint32_t
tx_session_inline(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), used = TX_HEAD_DS, first = run->at;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi);
	struct tx_copying copying = { .at = &run->pkts[first], .ds = wqe + TX_HEAD_DS * TX_DS };
	struct rte_mbuf *m = run->pkts[first];
	struct tx_shared shared = { 0 };

	tx_share(txq, &shared, m, flags);
	for (; room > used; run->at++) {
		const uint8_t *before = copying.ds, *end = RTE_MIN(before + (room - used) * TX_DS, run->ring.end);
		bool tagged;
		uint32_t len, need;

		tx_copies(txq, &copying, &run->pkts[run->nb], end, &shared, &run->plain, flags);
		run->at = (uint32_t)(copying.at - run->pkts);
		used += (uint32_t)(copying.ds - before) / TX_DS;
		copying.ds = likely(copying.ds != run->ring.end) ? copying.ds : run->ring.start;
		if (run->at == run->nb)
			break;
		m = *copying.at++;
		tagged = (flags & TX_VLAN) && m->ol_flags & RTE_MBUF_F_TX_VLAN;
		len = m->data_len + (tagged ? TX_TAG : 0);
		if (unlikely(!tx_is_single(txq, m, flags & ~TX_VLAN) || !tx_fits(txq, &shared, m, flags)))
			break;
		need = (sizeof(uint32_t) + len + TX_DS - 1) / TX_DS;
		if (likely(len <= txq->inline_empw && len > TX_SESSION_LEAST)) {
			if (used + need > room)
				break;
			copying.ds = tx_copy_packet(&run->ring, copying.ds, m, len, need, tagged);
			tx_look(&run->plain, m);
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
			tx_pointer(copying.ds, len, lkey_be, rte_pktmbuf_mtod(m, uintptr_t));
			copying.ds = tx_next(&run->ring, copying.ds);
			txq->elts[txq->elts_head++ & txq->elts_mask] = (uintptr_t)m;
			tx_note_plain(txq, &(struct tx_plain){ m->pool, tx_shared_bits(m) }, 1);
			run->copied = run->at + 1;
			used++;
		}
		copying.bytes += len;
	}
	if (unlikely(run->at == first))
		return 0;
	run->bytes += copying.bytes;
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, used, (uint32_t)shared.cs << 24, shared.meta_be, 0);
	tx_advance(txq, run, wqe, used);
	return run->at - first;
}

#endif
