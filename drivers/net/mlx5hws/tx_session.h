/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sessions: one multi-packet descriptor (EMPW) for packets of one segment that ask for the same. Here those whose packets are
 * pointed to, one by one or four at once; tx_session_inline.h copies. flags as in tx_burst.h: constants. nic.md 2.8.
 */
#ifndef MLX5HWS_TX_SESSION_H
#define MLX5HWS_TX_SESSION_H

#include "tx.h"
#include "tx_plain.h"
#include "tx_post.h"
#include "tx_quad.h"
#include "tx_wqe.h"

#define TX_CS_WISHES \
	(RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_OUTER_IP_CKSUM | \
	 RTE_MBUF_F_TX_TUNNEL_MASK)

/* Can it be part of a session? */
static __rte_always_inline bool
tx_is_single(const struct mlx5hws_txq *txq, const struct rte_mbuf *m, const uint32_t flags)
{
	if ((flags & TX_TIME) && unlikely(m->ol_flags & txq->time_flag))
		return false;
	if (unlikely(m->nb_segs != 1 || m->data_len < RTE_ETHER_HDR_LEN))
		return false;
	if ((flags & TX_TSO) && unlikely(m->ol_flags & RTE_MBUF_F_TX_TCP_SEG))
		return false;
	return !(flags & TX_VLAN) || likely(!(m->ol_flags & RTE_MBUF_F_TX_VLAN));
}

/* What all packets of a session share. */
struct tx_shared {
	uint64_t wishes;
	uint32_t meta_be;
	uint8_t cs;
};

static __rte_always_inline void
tx_share(const struct mlx5hws_txq *txq, struct tx_shared *shared, const struct rte_mbuf *m, const uint32_t flags)
{
	shared->wishes = m->ol_flags & TX_CS_WISHES;
	shared->cs = flags & TX_CHECKSUM ? tx_checksum_flags(m->ol_flags) : 0;
	shared->meta_be = flags & TX_META ? tx_meta(txq, m) : 0;
}

static __rte_always_inline bool
tx_fits(const struct mlx5hws_txq *txq, struct tx_shared *shared, const struct rte_mbuf *m, const uint32_t flags)
{
	if (flags & TX_CHECKSUM && unlikely((m->ol_flags & TX_CS_WISHES) != shared->wishes)) {
		if (tx_checksum_flags(m->ol_flags) != shared->cs)
			return false;
		shared->wishes = m->ol_flags & TX_CS_WISHES;
	}
	return !(flags & TX_META) || likely(tx_meta(txq, m) == shared->meta_be);
}

/* What a session of pointers has in hand while it is filled. */
struct tx_filling {
	struct tx_shared shared;
	uintptr_t key_start, key_bytes;
	uint32_t lkey_be;
	struct rte_mbuf **at;
	uint8_t *ds;
	uintptr_t *elt;
	uint64_t bytes;
	struct tx_plain plain;
#ifdef TX_QUAD
	struct tx_quad quad;
	struct tx_doubts doubts;
	bool quads;   /* packets may be taken four at once */
	bool by_pool; /* and need not be compared with the key's memory */
#endif
};

/* The key of the last packet: nearly always the next one's too. */
static __rte_always_inline void
tx_take_key(const struct mlx5hws_txq *txq, struct tx_filling *fill)
{
	const struct mlx5hws_lkey *key = &txq->lkeys.entries[0];

	fill->key_start = key->start;
	fill->key_bytes = key->end - key->start;
	fill->lkey_be = key->lkey_be;
#ifdef TX_QUAD
	tx_quad_key(&fill->quad, fill->key_start, fill->key_bytes, fill->lkey_be);
	fill->by_pool = key->pool != NULL && key->pool == fill->plain.pool;
#endif
}

#ifdef TX_QUAD
/* Flags that packets taken together must have alike. */
static __rte_always_inline uint64_t
tx_asked(const struct mlx5hws_txq *txq, const uint32_t flags)
{
	uint64_t asked = flags & TX_CHECKSUM ? TX_CS_WISHES : 0;

	asked |= flags & TX_TSO ? RTE_MBUF_F_TX_TCP_SEG : 0;
	asked |= flags & TX_VLAN ? RTE_MBUF_F_TX_VLAN : 0;
	asked |= flags & TX_META ? txq->meta_flag : 0;
	asked |= flags & TX_TIME ? txq->time_flag : 0;
	return asked;
}

/* After tx_share, and again when the wishes have become others that come to the same. */
static __rte_always_inline void
tx_begin_quads(const struct mlx5hws_txq *txq, struct tx_filling *fill, const uint32_t flags)
{
	tx_quad_begin(&fill->quad, flags & TX_CHECKSUM ? fill->shared.wishes : 0, tx_asked(txq, flags), fill->plain.pool);
	fill->doubts = tx_doubts_none();
	/* Metadata are looked at packet by packet. */
	fill->quads = !(flags & TX_META) || fill->shared.meta_be == 0;
}

static __rte_always_inline void
tx_end_quads(struct tx_filling *fill)
{
	fill->bytes += tx_quad_bytes(&fill->doubts);
	fill->plain.doubts |= !tx_quad_plain(&fill->doubts);
}
#endif

/* Packets up to end, one by one. @return false: the next one is not of this session; its own if it is the first. */
static __rte_always_inline bool
tx_one_by_one(struct mlx5hws_txq *txq, struct rte_mbuf **first, struct tx_filling *fill, struct rte_mbuf **end, bool *alone,
	      const uint32_t flags)
{
	while (fill->at != end) {
		struct rte_mbuf *m = *fill->at;
		uintptr_t addr = (uintptr_t)m->buf_addr;
		uint32_t len = m->data_len;

		if (unlikely(!tx_is_single(txq, m, flags) || !tx_fits(txq, &fill->shared, m, flags)))
			return false;
		if (unlikely(addr - fill->key_start >= fill->key_bytes)) {
			if (mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY) {
				*alone = fill->at == first;
				return false;
			}
			tx_take_key(txq, fill); /* it is the cache's last one now, and the packet comes again */
			continue;
		}
		tx_pointer(fill->ds, len, fill->lkey_be, addr + m->data_off);
		*fill->elt++ = (uintptr_t)m;
		tx_look(&fill->plain, m);
		fill->bytes += len;
		fill->ds += TX_DS;
		fill->at++;
	}
	return true;
}

#ifdef TX_QUAD
/* Packets as long as nb of them are left before end, or by_pool those that can be. @return as above. */
static __rte_always_inline bool
tx_quads(struct mlx5hws_txq *txq, struct rte_mbuf **first, struct tx_filling *fill, struct rte_mbuf **end, bool *alone,
	 const uint32_t nb, const bool by_pool, const uint32_t flags)
{
	while (end - fill->at >= (ptrdiff_t)nb) {
		if (likely(tx_quad_take(&fill->quad, &fill->doubts, fill->at, fill->elt, fill->ds, nb, by_pool,
					!(flags & TX_CHECKSUM)))) {
			fill->at += nb;
			fill->elt += nb;
			fill->ds += nb * TX_DS;
			continue;
		}
		if (by_pool) {
			fill->by_pool = false;
			break;
		}
		if (!tx_one_by_one(txq, first, fill, fill->at + nb, alone, flags))
			return false;
		if (flags & TX_CHECKSUM) {
			tx_end_quads(fill);
			tx_begin_quads(txq, fill, flags);
		}
	}
	return true;
}
#endif

/* Packets up to end; neither session nor a ring ends before. */
static __rte_always_inline bool
tx_fill_session(struct mlx5hws_txq *txq, struct rte_mbuf **first, struct tx_filling *fill, struct rte_mbuf **end, bool *alone,
		const uint32_t flags)
{
#ifdef TX_QUAD
	if (likely(fill->quads && fill->by_pool)) {
		tx_quads(txq, first, fill, end, alone, 2 * TX_QUAD, true, flags);
		tx_quads(txq, first, fill, end, alone, TX_QUAD, true, flags);
	}
	if (unlikely(fill->quads && !fill->by_pool) && (!tx_quads(txq, first, fill, end, alone, 2 * TX_QUAD, false, flags) ||
							!tx_quads(txq, first, fill, end, alone, TX_QUAD, false, flags)))
		return false;
#endif
	return tx_one_by_one(txq, first, fill, end, alone, flags);
}

/*
 * One session, of pointers alone. @return packets in it; 0: no room, or *alone: the next packet wants a descriptor of its own, or
 * cannot be sent.
 */
static __rte_always_inline uint32_t
tx_session(struct mlx5hws_txq *txq, struct tx_run *run, bool *alone, const uint32_t flags)
{
	struct rte_mbuf **const first = &run->pkts[run->at], **stop;
	uint32_t room = RTE_MIN(tx_free_ds(txq), (uint32_t)TX_SESSION_DS), nb;
	uint8_t *wqe = hca_sq_wqebb(&txq->sq, txq->sq.pi);
	struct tx_filling fill = { .at = first, .ds = wqe + TX_HEAD_DS * TX_DS, .elt = &txq->elts[txq->elts_head & txq->elts_mask] };
	uintptr_t *const elts_end = txq->elts + txq->elts_mask + 1;

	if (unlikely(room <= TX_HEAD_DS))
		return 0;
	room = RTE_MIN(room - TX_HEAD_DS, tx_free_elts(txq));
	if (unlikely(room == 0))
		return 0;
	stop = first + RTE_MIN(run->nb - run->at, room);
	fill.plain = (struct tx_plain){ .pool = (*first)->pool };
	tx_share(txq, &fill.shared, *first, flags);
#ifdef TX_QUAD
	tx_begin_quads(txq, &fill, flags);
#endif
	tx_take_key(txq, &fill);
	for (;;) {
		ptrdiff_t flat = RTE_MIN((run->ring.end - fill.ds) / TX_DS, elts_end - fill.elt);
		bool more = tx_fill_session(txq, first, &fill, RTE_MIN(stop, fill.at + flat), alone, flags);

		if (likely(!more || fill.at == stop))
			break;
		fill.ds = tx_wrap(&run->ring, fill.ds);
		fill.elt = fill.elt != elts_end ? fill.elt : txq->elts;
	}
	nb = (uint32_t)(fill.at - first);
	if (unlikely(nb == 0))
		return 0;
#ifdef TX_QUAD
	tx_end_quads(&fill);
#endif
	tx_head(&txq->sq, wqe, PRM_WQE_OP_EMPW, TX_HEAD_DS + nb, (uint32_t)fill.shared.cs << 24, fill.shared.meta_be, 0);
	tx_advance(txq, run, wqe, TX_HEAD_DS + nb);
	txq->elts_head += nb;
	tx_note_plain(txq, &fill.plain, nb);
	run->bytes += fill.bytes;
	run->at += nb;
	run->copied = run->at;
	return nb;
}

#endif
