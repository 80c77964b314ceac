/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * All bursts, compiled once for each instruction set: TX_PATH is its name. One row each, all made from tx_burst.h; tx_table.c
 * chooses among them.
 */
#include "tx.h"
#include "tx_burst.h"
#include "tx_free.h"

#ifndef TX_PATH
#define TX_PATH base
#endif

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define TEXT_OF(a) #a
#define TEXT(a) TEXT_OF(a)

/* Each good completion retires all up to its mark. */
static __rte_noinline void
tx_complete(struct mlx5hws_txq *txq, uint32_t nb)
{
	const struct mlx5hws_tx_mark *mark = NULL;
	const uint8_t *cqe = NULL;

	for (; nb != 0; nb--) {
		cqe = hca_cq_peek(&txq->cq);
		if (cqe == NULL || unlikely(hca_cqe_opcode(cqe) != HCA_CQE_REQ))
			break;
		mark = &txq->marks[txq->cq.ci & txq->marks_mask];
		tx_free_up_to(txq, mark->elts_head, mark->pool);
		txq->cq.ci++;
		cqe = NULL;
		if (likely(mark->pi == txq->sq.pi)) /* nothing more is on its way: the next entry need not be looked at */
			break;
	}
	if (likely(mark != NULL)) {
		hca_cq_ack(&txq->cq);
		txq->done_pi = mark->pi;
		txq->packets_done = mark->packets;
	}
	if (unlikely(cqe != NULL))
		mlx5hws_tx_failed(txq, cqe);
}

static __rte_noinline void
tx_drain(struct mlx5hws_txq *txq, uint32_t head)
{
	tx_free_up_to(txq, head, NULL);
}

static __rte_noinline void
tx_free_packets(struct rte_mbuf **pkts, uint32_t nb, struct rte_mempool *pool)
{
	if (likely(pool != NULL))
		tx_put(pool, (uintptr_t *)pkts, nb);
	else
		tx_free_row((uintptr_t *)pkts, nb);
}

static __rte_noinline enum tx_result
tx_post_any(struct mlx5hws_txq *txq, struct tx_run *run, struct rte_mbuf *m)
{
	return tx_post(txq, run, m, TX_ALL);
}

#define CHAINS (TX_SEGMENTS | TX_VLAN | TX_TSO)

/* name, flags */
#define ROWS(ROW) \
	ROW(any, TX_ALL) \
	ROW(empw, TX_EMPW) \
	ROW(empw_cs, TX_EMPW | TX_CHECKSUM) \
	ROW(empw_cs_meta, TX_EMPW | TX_CHECKSUM | TX_META) \
	ROW(empw_seg, TX_EMPW | TX_SEGMENTS) \
	ROW(empw_seg_cs, TX_EMPW | TX_SEGMENTS | TX_CHECKSUM) \
	ROW(empw_vlan_cs, TX_EMPW | TX_VLAN | TX_CHECKSUM) \
	ROW(empw_all_but_meta, TX_EMPW | CHAINS | TX_CHECKSUM) \
	ROW(empw_all, TX_EMPW | CHAINS | TX_CHECKSUM | TX_META) \
	ROW(empw_inline, TX_EMPW | TX_INLINE) \
	ROW(empw_inline_cs, TX_EMPW | TX_INLINE | TX_CHECKSUM) \
	ROW(empw_inline_cs_meta, TX_EMPW | TX_INLINE | TX_CHECKSUM | TX_META) \
	ROW(empw_inline_seg_cs, TX_EMPW | TX_INLINE | TX_SEGMENTS | TX_CHECKSUM) \
	ROW(empw_inline_all, TX_EMPW | TX_INLINE | CHAINS | TX_CHECKSUM | TX_META) \
	ROW(empw_any, TX_EMPW | TX_ALL) \
	ROW(send, 0) \
	ROW(send_cs, TX_CHECKSUM) \
	ROW(send_seg_cs, TX_SEGMENTS | TX_CHECKSUM) \
	ROW(send_all, CHAINS | TX_CHECKSUM | TX_META) \
	ROW(send_inline, TX_INLINE) \
	ROW(send_inline_cs, TX_INLINE | TX_CHECKSUM) \
	ROW(send_inline_all, TX_INLINE | CHAINS | TX_CHECKSUM | TX_META)

/* What a common burst of pointers executes is less than 2 KB: it lies in one page. */
#ifdef TX_QUAD
#define TX_ALIGNED __attribute__((aligned(2048)))
#else
#define TX_ALIGNED
#endif

#define BURST(name, flags) \
	static __rte_noinline bool \
	others_##name(struct mlx5hws_txq *txq, struct tx_run *run) \
	{ \
		return tx_others(txq, run, flags); \
	} \
	static __rte_noinline uint16_t \
	rest_##name(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint16_t nb_pkts) \
	{ \
		return tx_burst(txq, pkts, nb_pkts, others_##name, flags); \
	} \
	static TX_ALIGNED uint16_t \
	burst_##name(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts) \
	{ \
		if (unlikely(!tx_ready(txq))) \
			return 0; \
		if (likely(tx_burst_whole(txq, pkts, nb_pkts, flags))) \
			return nb_pkts; \
		return rest_##name(txq, pkts, nb_pkts); \
	}
ROWS(BURST)

static const struct mlx5hws_tx_burst bursts[] = {
#define ROW(name, flags) { burst_##name, flags },
	ROWS(ROW)
#undef ROW
};

const struct mlx5hws_tx_path JOIN(mlx5hws_tx_path_, TX_PATH) = {
	.name = TEXT(TX_PATH), .bursts = bursts, .nb_bursts = RTE_DIM(bursts), .complete = tx_complete,
	.free_up_to = tx_drain,
};
