/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_mbufs.h"

#include <stdio.h>
#include <string.h>

#define PACKET_MAX 32768

uint32_t
random_below(uint64_t *state, uint32_t limit)
{
	*state |= *state == 0;
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32) % limit;
}

/* By turns from any of both pools, and 128 packets on end from one. */
static struct rte_mbuf *
fresh(const struct tx_source *source, uint32_t number)
{
	uint32_t pool = number & 256 ? random_below(source->random, 2) : number >> 7 & 1;

	return rte_pktmbuf_alloc(source->pools[source->pools[1] != NULL ? pool : 0]);
}

/* len bytes in at least nb segments, cut at random places; headers need not lie in the first. */
static struct rte_mbuf *
in_segments(const struct tx_source *source, uint32_t number, const uint8_t *bytes, uint32_t len, uint32_t nb)
{
	struct rte_mbuf *head = NULL, *m;

	for (uint32_t at = 0, made = 0; at < len; made++) {
		uint32_t part = RTE_MIN(len - at, (uint32_t)RTE_MBUF_DEFAULT_DATAROOM);

		if (made + 1 < nb)
			part = random_below(source->random, RTE_MIN(part, 2 * (len - at) / (nb - made)) + 1);
		if (made == 0 && part < source->head)
			part = RTE_MIN(source->head, len);
		m = fresh(source, number);
		if (m == NULL || (head != NULL && rte_pktmbuf_chain(head, m) != 0)) {
			rte_pktmbuf_free(m);
			rte_pktmbuf_free(head);
			return NULL;
		}
		m->data_len = (uint16_t)part;
		memcpy(rte_pktmbuf_mtod(m, void *), bytes + at, part);
		at += part;
		if (head == NULL)
			head = m;
		head->pkt_len = at;
	}
	return head;
}

static void
ask(struct rte_mbuf *m, const struct tx_packet *p)
{
	const bool v6 = p->kind == TX_UDP6 || p->kind == TX_TCP6, tcp = p->kind == TX_TCP4 || p->kind == TX_TCP6 ||
		p->kind == TX_VXLAN_TCP;

	if (p->vlan != 0) {
		m->ol_flags |= RTE_MBUF_F_TX_VLAN;
		m->vlan_tci = p->vlan;
	}
	if (!p->checksum)
		return;
	m->ol_flags |= v6 ? RTE_MBUF_F_TX_IPV6 : RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM;
	m->ol_flags |= tcp ? RTE_MBUF_F_TX_TCP_CKSUM : RTE_MBUF_F_TX_UDP_CKSUM;
	m->l2_len = p->l3;
	m->l3_len = p->l4 - p->l3;
	m->l4_len = p->payload - p->l4;
	if (p->outer_l3 != 0) {
		m->ol_flags |= RTE_MBUF_F_TX_TUNNEL_VXLAN | RTE_MBUF_F_TX_OUTER_IPV4 | RTE_MBUF_F_TX_OUTER_IP_CKSUM;
		m->outer_l2_len = p->outer_l3;
		m->outer_l3_len = p->outer_l4 - p->outer_l3;
		m->l2_len = p->l3 - p->outer_l4;
	}
	if (p->mss != 0) {
		m->ol_flags |= RTE_MBUF_F_TX_TCP_SEG;
		m->tso_segsz = p->mss;
	}
}

static void
free_lender(void *buffer, void *lender)
{
	rte_pktmbuf_free(lender);
}

/* The same packet in a buffer that belongs to another mbuf, most often of the other pool, which has another key. */
static struct rte_mbuf *
in_lent(const struct tx_source *source, uint32_t number, const uint8_t *bytes, uint32_t len)
{
	struct rte_mbuf *lender = fresh(source, number ^ 128), *m = lender == NULL ? NULL : fresh(source, number);
	uint16_t size = lender == NULL ? 0 : lender->buf_len;

	if (m == NULL || len + sizeof(struct rte_mbuf_ext_shared_info) + sizeof(uintptr_t) > size) {
		rte_pktmbuf_free(m);
		rte_pktmbuf_free(lender);
		return NULL;
	}
	rte_pktmbuf_attach_extbuf(m, lender->buf_addr, rte_mbuf_iova_get(lender), size,
		rte_pktmbuf_ext_shinfo_init_helper(lender->buf_addr, &size, free_lender, lender));
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), bytes, len);
	return m;
}

struct rte_mbuf *
tx_mbufs_make(const struct tx_source *source, const struct tx_mix *mix, uint32_t number)
{
	static uint8_t bytes[PACKET_MAX];
	struct rte_mbuf *m, *clone;
	struct tx_packet p;

	tx_packet_describe(mix, number, &p);
	tx_packet_write(&p, bytes);
	m = in_segments(source, number, bytes, p.len, source->chain && !mix->segments && random_below(source->random, 50) == 0 ?
		1 + random_below(source->random, 5) : p.segments);
	if (m != NULL && source->clone && number & 512 && random_below(source->random, 10) == 0) {
		/* As applications may hold it too: a copy that shares its data, of a pool of such or of one that has data itself. */
		clone = rte_pktmbuf_clone(m, random_below(source->random, 2) == 0 ? source->clones : source->pools[0]);
		rte_pktmbuf_free(m);
		m = clone;
	} else if (m != NULL && source->clone && p.len <= 1500 && m->nb_segs == 1 && number & 512 &&
		   random_below(source->random, 10) == 0) {
		rte_pktmbuf_free(m);
		m = in_lent(source, number, bytes, p.len);
	}
	if (m != NULL)
		ask(m, &p);
	return m;
}

#define DIFFERS(...) do { snprintf(error, size, __VA_ARGS__); return -1; } while (0)

int
tx_mbufs_compare(const struct tx_mix *mix, uint32_t packets, const struct rte_mbuf *m, bool stripped, struct tx_packet *p,
		 uint32_t *offset, const uint8_t **frame, char *error, size_t size)
{
	static uint8_t scratch[TX_FRAME_MAX + 64], wanted[PACKET_MAX + 64];
	const uint8_t *bytes = m->pkt_len > sizeof(scratch) ? NULL : rte_pktmbuf_read(m, 0, m->pkt_len, scratch);
	uint32_t number, len, payload, on_wire;

	if (frame != NULL)
		*frame = wanted;
	if (bytes == NULL || !tx_frame_find(bytes, m->pkt_len, &number, offset) || number >= packets)
		DIFFERS("a frame of nobody's, %u bytes", m->pkt_len);
	tx_packet_describe(mix, number, p);
	if (*offset != 0 && (p->mss == 0 || *offset % p->mss != 0 || *offset >= p->len - p->payload))
		DIFFERS("packet %u: a piece at %u", number, *offset);
	len = tx_packet_frame(p, *offset, wanted);
	payload = len - p->payload - (p->vlan != 0 ? 4 : 0);
	on_wire = RTE_MAX(len, 60u);
	if (stripped && p->vlan != 0) {
		/* It was padded with its tag. */
		on_wire -= 4;
		len -= 4;
		memmove(wanted + 12, wanted + 16, len - 12);
	}
	if (m->pkt_len != on_wire)
		DIFFERS("packet %u (kind %u, mss %u) at %u: %u bytes, not %u", number, p->kind, p->mss, *offset, m->pkt_len, on_wire);
	if (memcmp(bytes, wanted, len) == 0)
		return (int)payload;
	for (uint32_t i = 0; i < len; i++)
		if (bytes[i] != wanted[i])
			DIFFERS("packet %u (kind %u, mss %u, vlan %u, %u bytes) at %u: byte %u is %02x, not %02x", number, p->kind, p->mss,
				p->vlan, p->len, *offset, i, bytes[i], wanted[i]);
	return -1;
}
