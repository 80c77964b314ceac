/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx.h"

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mempool.h>

#include "flow/flow.h"
#include "hca/device.h"
#include "log.h"
#include "port.h"
#include "prm/cqe.h"
#include "prm/wqe.h"

const uint32_t mlx5hws_rx_ptypes[] = {
	RTE_PTYPE_L2_ETHER,
	RTE_PTYPE_L3_IPV4_EXT_UNKNOWN,
	RTE_PTYPE_L3_IPV6_EXT_UNKNOWN,
	RTE_PTYPE_L4_FRAG,
	RTE_PTYPE_L4_NONFRAG,
	RTE_PTYPE_L4_TCP,
	RTE_PTYPE_L4_UDP,
	RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN,
	RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN,
	RTE_PTYPE_INNER_L4_FRAG,
	RTE_PTYPE_INNER_L4_NONFRAG,
	RTE_PTYPE_INNER_L4_TCP,
	RTE_PTYPE_INNER_L4_UDP,
	RTE_PTYPE_UNKNOWN,
};
const size_t mlx5hws_rx_nb_ptypes = RTE_DIM(mlx5hws_rx_ptypes) - 1;

/*
 * Packet type by pkt_info[1:0] << 6 | hdr_type_etc[7:2]: bits 1:0 L3 type, 4:2 L4 type, 5 fragment, 6
 * tunnelled, 7 outer L3 is IPv6. In a tunnel the L3, L4 and fragment bits are those of the inner headers.
 */
static uint32_t packet_types[256];

static uint32_t
l4_type(uint8_t index)
{
	static const uint32_t types[8] = {
		[PRM_CQE_L4_NONE] = RTE_PTYPE_L4_NONFRAG,
		[PRM_CQE_L4_TCP_NO_ACK] = RTE_PTYPE_L4_TCP,
		[PRM_CQE_L4_UDP] = RTE_PTYPE_L4_UDP,
		[PRM_CQE_L4_TCP_ACK] = RTE_PTYPE_L4_TCP,
		[PRM_CQE_L4_TCP_ACK_DATA] = RTE_PTYPE_L4_TCP,
	};

	return index & 0x20 ? RTE_PTYPE_L4_FRAG : types[index >> 2 & 7];
}

static uint32_t
l3_l4_type(uint8_t index)
{
	switch (index & 3) {
	case PRM_CQE_L3_IPV4:
		return RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | l4_type(index);
	case PRM_CQE_L3_IPV6:
		return RTE_PTYPE_L3_IPV6_EXT_UNKNOWN | l4_type(index);
	default:
		return 0;
	}
}

/* An inner header's codes are the outer ones moved: RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN and so on. */
static uint32_t
inner_type(uint8_t index)
{
	static const struct {
		uint32_t outer, inner;
	} pairs[] = {
		{ RTE_PTYPE_L3_IPV4_EXT_UNKNOWN, RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN },
		{ RTE_PTYPE_L3_IPV6_EXT_UNKNOWN, RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN },
		{ RTE_PTYPE_L4_FRAG, RTE_PTYPE_INNER_L4_FRAG },
		{ RTE_PTYPE_L4_NONFRAG, RTE_PTYPE_INNER_L4_NONFRAG },
		{ RTE_PTYPE_L4_TCP, RTE_PTYPE_INNER_L4_TCP },
		{ RTE_PTYPE_L4_UDP, RTE_PTYPE_INNER_L4_UDP },
	};
	uint32_t type = l3_l4_type(index), inner = 0;

	for (unsigned int i = 0; i < RTE_DIM(pairs); i++) {
		uint32_t mask = pairs[i].outer & RTE_PTYPE_L3_MASK ? RTE_PTYPE_L3_MASK : RTE_PTYPE_L4_MASK;

		if ((type & mask) == pairs[i].outer)
			inner |= pairs[i].inner;
	}
	return inner;
}

RTE_INIT(mlx5hws_packet_types_init)
{
	for (unsigned int i = 0; i < RTE_DIM(packet_types); i++) {
		packet_types[i] = RTE_PTYPE_L2_ETHER;
		if (i & 0x40)
			packet_types[i] |= inner_type((uint8_t)i) |
				(i & 0x80 ? RTE_PTYPE_L3_IPV6_EXT_UNKNOWN : RTE_PTYPE_L3_IPV4_EXT_UNKNOWN);
		else
			packet_types[i] |= l3_l4_type((uint8_t)i);
	}
}

/* Address and key of a data segment; its length never changes. */
static inline void
write_segment(struct mlx5hws_rxq *rxq, uint32_t elt, struct rte_mbuf *m, bool with_key)
{
	uint8_t *segment = rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES;

	if (with_key) {
		uint32_t lkey_be = mlx5hws_lkey(&rxq->lkeys, m);

		memcpy(segment + 4, &lkey_be, sizeof(lkey_be));
	}
	prm_set64(segment, PRM_WQE_DATA_ADDR, (uint64_t)(uintptr_t)m->buf_addr + RTE_PKTMBUF_HEADROOM);
}

/* A fresh buffer of the pool as rte_mbuf_raw_alloc leaves it: set what a receiver owes. */
static inline void
rearm(const struct mlx5hws_rxq *rxq, struct rte_mbuf *m)
{
	memcpy(RTE_PTR_ADD(m, MLX5HWS_REARM_AT), &rxq->rearm, sizeof(rxq->rearm));
}

/* Buffers in hand that replace those of the next packet. False: the pool is empty. */
static inline bool
have_spares(struct mlx5hws_rxq *rxq, uint16_t wanted)
{
	uint16_t room = MLX5HWS_RX_SPARES - rxq->nb_spares;

	if (likely(rxq->nb_spares >= wanted))
		return true;
	if (rte_mempool_get_bulk(rxq->pool, (void **)&rxq->spares[rxq->nb_spares], room) == 0) {
		rxq->nb_spares += room;
		return true;
	}
	/* Not a whole bulk left: take what this packet needs. */
	room = wanted - rxq->nb_spares;
	if (rte_mempool_get_bulk(rxq->pool, (void **)&rxq->spares[rxq->nb_spares], room) != 0)
		return false;
	rxq->nb_spares += room;
	return true;
}

static inline struct rte_mbuf *
swap_buffer(struct mlx5hws_rxq *rxq, uint32_t elt)
{
	struct rte_mbuf *filled = rxq->elts[elt], *fresh = rxq->spares[--rxq->nb_spares];

	rearm(rxq, fresh);
	rxq->elts[elt] = fresh;
	write_segment(rxq, elt, fresh, !rxq->one_key);
	return filled;
}

/* The buffers of a packet of len bytes as a chain, each replaced. The caller made sure of the spares. */
static inline struct rte_mbuf *
take_packet(struct mlx5hws_rxq *rxq, uint32_t len)
{
	uint32_t elt = (rxq->posted << rxq->log_sges) & rxq->elts_mask;
	struct rte_mbuf *head = swap_buffer(rxq, elt), *last = head;

	head->pkt_len = len;
	while (unlikely(len > rxq->room)) {
		last->data_len = (uint16_t)rxq->room;
		len -= rxq->room;
		last->next = swap_buffer(rxq, ++elt);
		last = last->next;
		head->nb_segs++;
	}
	last->data_len = (uint16_t)len;
	return head;
}

static inline void
set_metadata(const struct mlx5hws_rxq *rxq, struct rte_mbuf *m, const uint8_t *cqe)
{
	uint16_t types = (uint16_t)prm_get(cqe, PRM_CQE_HDR_TYPE_ETC);
	uint32_t value;
	uint64_t flags = 0;

	m->packet_type = packet_types[(cqe[0] & 3) << 6 | (types & 0xff) >> 2];
	if (rxq->hash && prm_get(cqe, PRM_CQE_RX_HASH_TYPE) != 0) { /* the hash itself may be 0 */
		m->hash.rss = prm_get(cqe, PRM_CQE_RX_HASH_RESULT);
		flags |= RTE_MBUF_F_RX_RSS_HASH;
	}
	if (rxq->checksum) {
		if (types & 1 << 9)
			flags |= RTE_MBUF_F_RX_IP_CKSUM_GOOD;
		if (types & 1 << 10)
			flags |= RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	}
	if (types & 1) {
		m->vlan_tci = (uint16_t)prm_get(cqe, PRM_CQE_VLAN_INFO);
		flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	}
	value = flow_tag_to_mark1(prm_get(cqe, PRM_CQE_FLOW_TAG));
	if (value != 0) {
		flags |= RTE_MBUF_F_RX_FDIR;
		if (value != FLOW_TAG_FLAG) {
			flags |= RTE_MBUF_F_RX_FDIR_ID;
			m->hash.fdir.hi = value - 1;
		}
	}
	value = prm_get(cqe, PRM_CQE_FLOW_TABLE_METADATA);
	if (value != 0 && rxq->meta_offset >= 0) {
		*RTE_MBUF_DYNFIELD(m, rxq->meta_offset, uint32_t *) = value;
		flags |= rxq->meta_flag;
	}
	m->ol_flags = flags;
}

int
mlx5hws_rx_fill(struct mlx5hws_rxq *rxq)
{
	uint32_t nb_elts = rxq->elts_mask + 1;

	mlx5hws_lkey_cache_check(&rxq->lkeys);
	for (uint32_t elt = 0; elt < nb_elts; elt++) {
		uint8_t *segment = rxq->rq.ring + (size_t)elt * HCA_DATA_SEG_BYTES;

		if (rxq->elts[elt] == NULL)
			rxq->elts[elt] = rte_mbuf_raw_alloc(rxq->pool);
		if (rxq->elts[elt] == NULL)
			return -ENOMEM;
		rearm(rxq, rxq->elts[elt]);
		if (mlx5hws_lkey(&rxq->lkeys, rxq->elts[elt]) == MLX5HWS_NO_LKEY)
			return -EFAULT;
		prm_set(segment, PRM_WQE_DATA_BYTE_COUNT, rxq->room);
		write_segment(rxq, elt, rxq->elts[elt], true);
	}
	return 0;
}

void
mlx5hws_rx_drain(struct mlx5hws_rxq *rxq)
{
	for (uint32_t elt = 0; elt <= rxq->elts_mask; elt++) {
		if (rxq->elts[elt] != NULL)
			rte_mbuf_raw_free(rxq->elts[elt]);
		rxq->elts[elt] = NULL;
	}
	while (rxq->nb_spares != 0) {
		struct rte_mbuf *m = rxq->spares[--rxq->nb_spares];

		rearm(rxq, m);
		rte_mbuf_raw_free(m);
	}
}

/* Bring the queue back from ERR: RST, forget the flush errors, RDY, post everything again. nic.md 5.4. */
static int
recover(struct mlx5hws_rxq *rxq)
{
	int ret;

	if (rxq->state != MLX5HWS_RX_RESET) {
		rxq->state = MLX5HWS_RX_ERROR;
		ret = hca_rq_stop(&rxq->rq, true);
		if (ret != 0)
			return ret;
	}
	rxq->state = MLX5HWS_RX_RESET;
	while (hca_cq_peek(&rxq->cq) != NULL)
		rxq->cq.ci++;
	hca_cq_ack(&rxq->cq);
	ret = mlx5hws_rx_fill(rxq);
	if (ret == 0)
		ret = hca_rq_start(&rxq->rq);
	if (ret != 0)
		return ret;
	rxq->posted = rxq->rq.mask + 1;
	hca_rq_post(&rxq->rq, rxq->posted);
	rxq->state = MLX5HWS_RX_GOOD;
	mlx5hws_count(&rxq->recoveries, 1);
	return 0;
}

/*
 * An error CQE at the head of the queue. A packet too long for its descriptor costs that descriptor;
 * anything else has put the queue into ERR. @return true: the next CQE may be looked at.
 */
static bool
handle_error(struct mlx5hws_rxq *rxq, const uint8_t *cqe)
{
	uint8_t syndrome = cqe[HCA_CQE_SYNDROME];

	if (syndrome == PRM_CQE_SYND_LOCAL_LENGTH) {
		mlx5hws_count(&rxq->errors, 1);
		rxq->cq.ci++;
		rxq->posted++;
		return true;
	}
	if (atomic_load_explicit(&rxq->port->hca->dead, memory_order_relaxed))
		return false;
	if (rxq->state == MLX5HWS_RX_GOOD) {
		mlx5hws_count(&rxq->errors, 1);
		MLX5HWS_LOG(WARNING, "port %u Rx queue %u: error completion, syndrome 0x%x; the queue is reset",
			    rxq->port->dev->data->port_id, rxq->idx, syndrome);
	}
	return recover(rxq) == 0;
}

static bool
revive(struct mlx5hws_rxq *rxq)
{
	return rxq->state != MLX5HWS_RX_STOPPED &&
		!atomic_load_explicit(&rxq->port->hca->dead, memory_order_relaxed) && recover(rxq) == 0;
}

/* Length of the next packet if it can be taken, its CQE in *cqe; -1: nothing to take now. */
static inline int64_t
next_packet(struct mlx5hws_rxq *rxq, const uint8_t **cqe)
{
	uint32_t len;

	do {
		*cqe = hca_cq_peek(&rxq->cq);
		if (*cqe == NULL)
			return -1;
	} while (unlikely(hca_cqe_opcode(*cqe) != HCA_CQE_RESP_SEND) && handle_error(rxq, *cqe));
	if (unlikely(hca_cqe_opcode(*cqe) != HCA_CQE_RESP_SEND))
		return -1;
	len = prm_get(*cqe, PRM_CQE_BYTE_CNT);
	if (unlikely(!have_spares(rxq, (uint16_t)(1u << rxq->log_sges)))) {
		mlx5hws_count(&rxq->no_mbuf, 1);
		return -1;
	}
	return len;
}

uint16_t
mlx5hws_rx_burst(void *queue, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	struct mlx5hws_rxq *rxq = queue;
	uint32_t posted = rxq->posted;
	uint64_t bytes = 0;
	const uint8_t *cqe;
	uint16_t nb = 0;

	if (unlikely(rxq->state != MLX5HWS_RX_GOOD) && !revive(rxq))
		return 0;
	while (nb < nb_pkts) {
		int64_t len = next_packet(rxq, &cqe);

		if (len < 0)
			break;
		pkts[nb] = take_packet(rxq, (uint32_t)len);
		set_metadata(rxq, pkts[nb], cqe);
		bytes += (uint64_t)len;
		nb++;
		rxq->cq.ci++;
		rxq->posted++;
	}
	if (nb == 0 && posted == rxq->posted)
		return 0;
	/* In this order: a descriptor posted again may complete into a slot only after the slot was given back. */
	hca_cq_ack(&rxq->cq);
	hca_rq_post(&rxq->rq, rxq->posted);
	mlx5hws_count(&rxq->packets, nb);
	mlx5hws_count(&rxq->bytes, bytes);
	return nb;
}

/* Completions that wait, looked for one by one: for diagnosis, not for the data path. */
static uint32_t
waiting(const struct mlx5hws_rxq *rxq, uint32_t limit)
{
	struct hca_cq look = rxq->cq;
	uint32_t nb = 0;

	while (nb < limit && hca_cq_peek(&look) != NULL) {
		look.ci++;
		nb++;
	}
	return nb;
}

MLX5HWS_QUEUE_COUNT
mlx5hws_rx_queue_count(void *queue)
{
	const struct mlx5hws_rxq *rxq = queue;

	if (rxq->state == MLX5HWS_RX_STOPPED)
		return 0;
	return waiting(rxq, rxq->rq.mask + 1);
}

int
mlx5hws_rx_descriptor_status(void *queue, uint16_t offset)
{
	const struct mlx5hws_rxq *rxq = queue;

	if (rxq->state == MLX5HWS_RX_STOPPED || offset > rxq->rq.mask)
		return -EINVAL;
	return waiting(rxq, offset + 1u) > offset ? RTE_ETH_RX_DESC_DONE : RTE_ETH_RX_DESC_AVAIL;
}
