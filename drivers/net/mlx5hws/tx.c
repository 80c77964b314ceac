/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx.h"

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mempool.h>

#include "hca/device.h"
#include "log.h"
#include "port.h"
#include "prm/wqe.h"

#define TX_FREE_BULK 64
#define TX_CTRL_AND_ETH 2 /* 16-byte segments in front of the data segments */
#define TX_DS_PER_WQEBB 4

/*
 * ---- buffers back to their pools
 * ---------------------------------------------------------------------------
 */

struct free_bulk {
	struct rte_mempool *pool;
	unsigned int nb;
	void *mbufs[TX_FREE_BULK];
};

static inline void
free_bulk_flush(struct free_bulk *bulk)
{
	if (bulk->nb != 0)
		rte_mempool_put_bulk(bulk->pool, bulk->mbufs, bulk->nb);
	bulk->nb = 0;
}

static inline void
free_bulk_add(struct free_bulk *bulk, struct rte_mbuf *m)
{
	if (bulk->nb == TX_FREE_BULK || bulk->pool != m->pool)
		free_bulk_flush(bulk);
	bulk->pool = m->pool;
	bulk->mbufs[bulk->nb++] = m;
}

/* Segments up to head are no longer read by the device. Each is its own entry, whatever packet it was of. */
static void
free_up_to(struct mlx5hws_txq *txq, uint32_t head)
{
	struct free_bulk bulk = { 0 };

	for (; txq->elts_tail != head; txq->elts_tail++) {
		struct rte_mbuf *m = txq->elts[txq->elts_tail & txq->elts_mask];

		if (!txq->fast_free)
			m = rte_pktmbuf_prefree_seg(m);
		if (m != NULL)
			free_bulk_add(&bulk, m);
	}
	free_bulk_flush(&bulk);
}

void
mlx5hws_tx_drain(struct mlx5hws_txq *txq)
{
	free_up_to(txq, txq->elts_head);
}

/* The 16-byte segment ds of the descriptor at pi; a descriptor may run over the end of the ring. */
static inline uint8_t *
segment_of(const struct mlx5hws_txq *txq, uint16_t pi, uint32_t ds)
{
	uint32_t index = (pi * TX_DS_PER_WQEBB + ds) & ((txq->sq.mask + 1u) * TX_DS_PER_WQEBB - 1);

	return txq->sq.ring + (size_t)index * PRM_WQE_DS_BYTES;
}

/*
 * ---- completions
 * -------------------------------------------------------------------------------------------
 */

/* Forget all that was posted: after a reset the device reads none of it. */
static void
reset_indexes(struct mlx5hws_txq *txq)
{
	txq->done_pi = 0;
	txq->request_pi = 0;
	txq->request_elts = txq->elts_head;
	txq->request_packets = 0;
	txq->mark_head = txq->cq.ci;
}

static inline uint32_t
read_be32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

/* Packets from the failed descriptor on were counted as sent when they were posted: they are errors. */
static void
count_lost(struct mlx5hws_txq *txq)
{
	uint64_t packets = 0, bytes = 0;
	uint16_t pi = txq->failed_pi;

	while (pi != txq->sq.pi) {
		uint32_t nb_ds = read_be32(hca_sq_wqebb(&txq->sq, pi) + 4) & 0x3f;

		for (uint32_t ds = TX_CTRL_AND_ETH; ds < nb_ds; ds++)
			bytes += read_be32(segment_of(txq, pi, ds));
		pi = (uint16_t)(pi + (nb_ds + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB);
		packets++;
	}
	mlx5hws_uncount(&txq->packets, packets);
	mlx5hws_uncount(&txq->bytes, bytes);
	mlx5hws_count(&txq->errors, packets);
}

/* The device found a descriptor it could not send; the queue is in ERR. nic.md 5.6. */
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
	free_up_to(txq, txq->elts_head);
	reset_indexes(txq);
	txq->state = MLX5HWS_TX_GOOD;
	mlx5hws_count(&txq->recoveries, 1);
	return 0;
}

static bool
revive(struct mlx5hws_txq *txq)
{
	return txq->state == MLX5HWS_TX_BROKEN &&
		!atomic_load_explicit(&txq->port->hca->dead, memory_order_relaxed) && recover(txq) == 0;
}

static void
handle_error(struct mlx5hws_txq *txq, const uint8_t *cqe)
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

/* Take what has completed; each good completion retires all up to its mark. */
static inline void
complete(struct mlx5hws_txq *txq)
{
	const struct mlx5hws_tx_mark *mark = NULL;
	const uint8_t *cqe;

	while ((cqe = hca_cq_peek(&txq->cq)) != NULL) {
		if (unlikely(hca_cqe_opcode(cqe) != HCA_CQE_REQ))
			break;
		mark = &txq->marks[txq->cq.ci & txq->marks_mask];
		txq->cq.ci++;
	}
	if (mark != NULL) {
		hca_cq_ack(&txq->cq);
		txq->done_pi = mark->pi;
		free_up_to(txq, mark->elts_head);
	}
	if (unlikely(cqe != NULL))
		handle_error(txq, cqe);
}

/*
 * ---- descriptors
 * -------------------------------------------------------------------------------------------
 */

static inline uint16_t
free_wqebbs(const struct mlx5hws_txq *txq)
{
	return (uint16_t)(txq->sq.mask + 1 - (uint16_t)(txq->sq.pi - txq->done_pi));
}

/*
 * Outer flags of a tunnel are asked for one by one; the device fills inner checksums by their own bits.
 * nic.md 2.5.
 */
static inline uint8_t
checksum_flags(uint64_t flags)
{
	uint8_t cs = 0;

	if (likely(!(flags & RTE_MBUF_F_TX_TUNNEL_MASK))) {
		if (flags & RTE_MBUF_F_TX_IP_CKSUM)
			cs |= PRM_WQE_CS_L3;
		if (flags & RTE_MBUF_F_TX_L4_MASK)
			cs |= PRM_WQE_CS_L4;
		return cs;
	}
	if (flags & RTE_MBUF_F_TX_OUTER_IP_CKSUM)
		cs |= PRM_WQE_CS_L3;
	if (flags & RTE_MBUF_F_TX_IP_CKSUM)
		cs |= PRM_WQE_CS_L3_INNER;
	if (flags & RTE_MBUF_F_TX_L4_MASK)
		cs |= PRM_WQE_CS_L4_INNER;
	return cs;
}

/* Control and Ethernet segment: the first half of a WQEBB. */
static inline void
write_head(const struct mlx5hws_txq *txq, uint8_t *wqe, const struct rte_mbuf *m, uint32_t ds)
{
	uint32_t *dw = (uint32_t *)wqe;
	uint32_t meta_be = 0;

	dw[0] = htobe32((uint32_t)txq->sq.pi << 8 | PRM_WQE_OP_SEND);
	dw[1] = htobe32(txq->sq.sqn << 8 | ds);
	dw[2] = htobe32(PRM_WQE_CE_FIRST_ERROR << 2);
	dw[3] = 0;
	if (m->ol_flags & txq->meta_flag)
		meta_be = htobe32(*RTE_MBUF_DYNFIELD(m, txq->meta_offset, const uint32_t *));
	dw[4] = 0;
	dw[5] = htobe32((uint32_t)checksum_flags(m->ol_flags) << 24);
	dw[6] = meta_be;
	dw[7] = m->ol_flags & RTE_MBUF_F_TX_VLAN && txq->vlan_insert ? htobe32(1u << 31 | m->vlan_tci) : 0;
}

static inline void
write_data(uint8_t *segment, const struct rte_mbuf *m, uint32_t lkey_be)
{
	uint32_t *dw = (uint32_t *)segment;
	uint64_t addr_be = htobe64((uint64_t)rte_pktmbuf_mtod(m, uintptr_t));

	dw[0] = htobe32(m->data_len);
	dw[1] = lkey_be;
	memcpy(&dw[2], &addr_be, sizeof(addr_be));
}

enum tx_result { TX_POSTED, TX_NO_ROOM, TX_DROPPED };

/* Can this packet be described at all? Its keys are looked up, so that they are in the cache below. */
static inline bool
can_send(struct mlx5hws_txq *txq, const struct rte_mbuf *m)
{
	if (unlikely(m->nb_segs > txq->max_segs || m->pkt_len < RTE_ETHER_HDR_LEN))
		return false;
	/* By count, not by pointer: next lies in the mbuf's second line, which one segment need not touch. */
	for (uint16_t left = m->nb_segs; ; m = m->next) {
		if (unlikely(mlx5hws_lkey(&txq->lkeys, m) == MLX5HWS_NO_LKEY))
			return false;
		if (--left == 0)
			return true;
	}
}

static inline enum tx_result
post_packet(struct mlx5hws_txq *txq, struct rte_mbuf *m)
{
	uint32_t ds = TX_CTRL_AND_ETH, segs = m->nb_segs;
	struct rte_mbuf *seg = m;

	if (unlikely(!can_send(txq, m)))
		return TX_DROPPED;
	if ((TX_CTRL_AND_ETH + segs + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB > free_wqebbs(txq) ||
	    segs > txq->elts_mask + 1 - (txq->elts_head - txq->elts_tail))
		return TX_NO_ROOM;
	for (uint32_t left = segs; left != 0; left--) {
		txq->elts[txq->elts_head++ & txq->elts_mask] = seg;
		/* An empty segment is none: a length of 0 would mean 2^31 to some engines. */
		if (likely(seg->data_len != 0))
			write_data(segment_of(txq, txq->sq.pi, ds++), seg, mlx5hws_lkey(&txq->lkeys, seg));
		if (unlikely(left > 1))
			seg = seg->next;
	}
	write_head(txq, segment_of(txq, txq->sq.pi, 0), m, ds);
	txq->sq.pi = (uint16_t)(txq->sq.pi + (ds + TX_DS_PER_WQEBB - 1) / TX_DS_PER_WQEBB);
	txq->request_packets++;
	return TX_POSTED;
}

/* Ask for a completion with the last descriptor when enough waits since the last request. */
static inline void
request_completion(struct mlx5hws_txq *txq, uint8_t *last)
{
	uint16_t wqebbs = (uint16_t)(txq->sq.pi - txq->request_pi);
	struct mlx5hws_tx_mark *mark;

	/* Buffers too: many empty segments fill their ring before the descriptors fill theirs. */
	if (txq->request_packets < MLX5HWS_TX_COMP_PACKETS && wqebbs < (txq->sq.mask + 1) / 4 &&
	    txq->elts_head - txq->request_elts < (txq->elts_mask + 1) / 4)
		return;
	/* More requests than completion entries cannot wait: each stands for a fourth of a ring or 32 packets. */
	mark = &txq->marks[txq->mark_head++ & txq->marks_mask];
	mark->elts_head = txq->elts_head;
	mark->pi = txq->sq.pi;
	((uint32_t *)last)[2] = htobe32(PRM_WQE_CE_ALWAYS << 2);
	txq->request_pi = txq->sq.pi;
	txq->request_elts = txq->elts_head;
	txq->request_packets = 0;
}

uint16_t
mlx5hws_tx_burst(void *queue, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	struct mlx5hws_txq *txq = queue;
	uint16_t nb = 0, posted = 0, dropped = 0;
	uint8_t *last = NULL;
	uint64_t bytes = 0;

	if (unlikely(txq->state != MLX5HWS_TX_GOOD) && !revive(txq))
		return 0;
	mlx5hws_lkey_cache_check(&txq->lkeys);
	complete(txq);
	if (unlikely(txq->state != MLX5HWS_TX_GOOD))
		return 0;
	for (; nb < nb_pkts; nb++) {
		uint8_t *wqe = segment_of(txq, txq->sq.pi, 0);
		uint32_t len = pkts[nb]->pkt_len;
		enum tx_result result = post_packet(txq, pkts[nb]);

		if (result == TX_NO_ROOM)
			break;
		if (unlikely(result == TX_DROPPED)) {
			rte_pktmbuf_free(pkts[nb]);
			dropped++;
			continue;
		}
		last = wqe;
		bytes += len;
		posted++;
	}
	if (posted != 0) {
		request_completion(txq, last);
		hca_sq_doorbell(&txq->sq, last);
		mlx5hws_count(&txq->packets, posted);
		mlx5hws_count(&txq->bytes, bytes);
	}
	if (unlikely(dropped != 0))
		mlx5hws_count(&txq->errors, dropped);
	return nb;
}

int
mlx5hws_tx_done_cleanup(void *queue, uint32_t free_cnt)
{
	struct mlx5hws_txq *txq = queue;
	uint32_t before = txq->elts_tail;

	RTE_SET_USED(free_cnt);
	if (txq->state == MLX5HWS_TX_GOOD)
		complete(txq);
	return (int)(txq->elts_tail - before);
}

int
mlx5hws_tx_descriptor_status(void *queue, uint16_t offset)
{
	struct mlx5hws_txq *txq = queue;

	if (offset >= txq->nb_desc)
		return -EINVAL;
	if (txq->state == MLX5HWS_TX_GOOD)
		complete(txq);
	return offset < (uint16_t)(txq->sq.pi - txq->done_pi) ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE;
}
