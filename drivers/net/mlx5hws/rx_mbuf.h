/* SPDX-License-Identifier: BSD-3-Clause */

/* What a completion tells, into the packet's first mbuf: the reference that vector code agrees with. */
#ifndef MLX5HWS_RX_MBUF_H
#define MLX5HWS_RX_MBUF_H

#include <rte_ethdev.h>

#include "flow/flow.h"
#include "rx.h"

_Static_assert(MLX5HWS_REARM_AT == 16 && offsetof(struct rte_mbuf, ol_flags) == 24 &&
	       offsetof(struct rte_mbuf, packet_type) == 32 && offsetof(struct rte_mbuf, pkt_len) == 36 &&
	       offsetof(struct rte_mbuf, data_len) == 40 && offsetof(struct rte_mbuf, vlan_tci) == 42 &&
	       offsetof(struct rte_mbuf, hash.rss) == 44 && offsetof(struct rte_mbuf, hash.fdir.hi) == 48,
	       "one block of an mbuf's first line, written by wide stores");

/* Bits of hdr_type_etc. */
#define RX_HDR_CV    (1u << 0)
#define RX_HDR_L3_OK (1u << 9)
#define RX_HDR_L4_OK (1u << 10)

#define RX_TAG_FLAGS (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)

static __rte_always_inline uint64_t
rx_timestamp(const struct mlx5hws_rxq *rxq, const uint8_t *cqe)
{
	uint64_t stamp = prm_get64(cqe, PRM_CQE_TIMESTAMP);

	return rxq->real_time ? (stamp >> 32) * 1000000000u + (uint32_t)stamp : stamp;
}

/* A mark, which few packets have. @return its flags */
static __rte_always_inline uint64_t
rx_mark(struct rte_mbuf *m, uint32_t tag)
{
	uint32_t mark1 = flow_tag_to_mark1(tag);

	if (mark1 == 0)
		return 0;
	if (mark1 == FLOW_TAG_FLAG)
		return RTE_MBUF_F_RX_FDIR;
	m->hash.fdir.hi = mark1 - 1;
	return RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
}

/* Line by line: to come back to a line that was not in the cache costs as much again as the first store. */
static __rte_always_inline void
rx_describe(const struct mlx5hws_rxq *rxq, struct rte_mbuf *m, const uint8_t *cqe, uint32_t pkt_len, uint32_t data_len,
	    const uint32_t burst)
{
	uint32_t types = prm_get(cqe, PRM_CQE_HDR_TYPE_ETC);
	uint32_t tag = prm_get(cqe, PRM_CQE_FLOW_TAG), meta = prm_get(cqe, PRM_CQE_FLOW_TABLE_METADATA), hash = 0, tci = 0;
	uint64_t flags = 0;

	if (burst & RX_HASH && prm_get(cqe, PRM_CQE_RX_HASH_TYPE) != 0) { /* the hash itself may be 0 */
		hash = prm_get(cqe, PRM_CQE_RX_HASH_RESULT);
		flags |= RTE_MBUF_F_RX_RSS_HASH;
	}
	if (burst & RX_CHECKSUM) {
		flags |= types & RX_HDR_L3_OK ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : 0;
		flags |= types & RX_HDR_L4_OK ? RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0;
	}
	if (types & RX_HDR_CV) {
		tci = prm_get(cqe, PRM_CQE_VLAN_INFO);
		flags |= RX_TAG_FLAGS;
	}
	if (unlikely(tag != 0))
		flags |= rx_mark(m, tag);
	flags |= unlikely(meta != 0) ? rxq->meta_flag : 0;
	flags |= burst & RX_TIMESTAMP ? rxq->timestamp_flag : 0;
	memcpy(RTE_PTR_ADD(m, MLX5HWS_REARM_AT), &rxq->rearm, sizeof(rxq->rearm));
	m->ol_flags = flags;
	m->packet_type = mlx5hws_rx_ptype_table[(cqe[0] & 3) << 6 | (types & 0xff) >> 2];
	m->pkt_len = pkt_len;
	m->data_len = (uint16_t)data_len;
	m->vlan_tci = (uint16_t)tci;
	m->hash.rss = hash;
	if (burst & RX_TIMESTAMP)
		*RTE_MBUF_DYNFIELD(m, rxq->timestamp_offset, uint64_t *) = rx_timestamp(rxq, cqe);
	if (unlikely(meta != 0) && rxq->meta_offset >= 0)
		*RTE_MBUF_DYNFIELD(m, rxq->meta_offset, uint32_t *) = meta;
}

/* A buffer behind a packet's first, which has no headroom. */
static __rte_always_inline void
rx_more(const struct mlx5hws_rxq *rxq, struct rte_mbuf *m, uint32_t len)
{
	const uint64_t rearm = htole64(le64toh(rxq->rearm) & ~(uint64_t)UINT16_MAX);

	memcpy(RTE_PTR_ADD(m, MLX5HWS_REARM_AT), &rearm, sizeof(rearm));
	m->data_len = (uint16_t)len;
}

/*
 * A packet longer than its first buffer, which is out of its descriptor and described as the first of two: the others are taken out
 * and chained.
 */
static __rte_always_inline void
rx_chain(const struct mlx5hws_rxq *rxq, struct rte_mbuf **elt, struct rte_mbuf *head, uint32_t len)
{
	struct rte_mbuf *last = head;
	uint16_t segs = 1;

	len -= rxq->room;
	do {
		struct rte_mbuf *m = *++elt;

		*elt = NULL;
		last->next = m;
		rx_more(rxq, m, RTE_MIN(len, rxq->more_room));
		len -= m->data_len;
		last = m;
		segs++;
	} while (len != 0);
	if (segs != 2)
		head->nb_segs = segs;
}

#endif
