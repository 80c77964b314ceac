/* SPDX-License-Identifier: BSD-3-Clause */
#include "seen.h"

#include <stdio.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_thash.h>

#define GOOD (RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD)
#define TUPLE_WORDS 9 /* two IPv6 addresses and two ports */

static bool
is_ipv6(const struct tx_packet *p)
{
	return p->kind == TX_UDP6 || p->kind == TX_TCP6;
}

static const uint32_t types[TX_KINDS] = {
	[TX_RAW] = RTE_PTYPE_L2_ETHER,
	[TX_UDP4] = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP,
	[TX_TCP4] = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_TCP,
	[TX_UDP6] = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV6_EXT_UNKNOWN | RTE_PTYPE_L4_UDP,
	[TX_TCP6] = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV6_EXT_UNKNOWN | RTE_PTYPE_L4_TCP,
	[TX_VXLAN_UDP] = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN |
		RTE_PTYPE_INNER_L4_UDP,
	[TX_VXLAN_TCP] = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN |
		RTE_PTYPE_INNER_L4_TCP,
};

/* The addresses and ports of the outer headers, in host order, as rte_softrss takes them. */
static uint32_t
hash_of(const struct tx_packet *p, const uint8_t *frame, const uint8_t *key)
{
	uint32_t l3 = p->outer_l3 != 0 ? p->outer_l3 : p->l3, l4 = p->outer_l3 != 0 ? p->outer_l4 : p->l4;
	uint32_t at = l3 + (is_ipv6(p) ? 8 : 12), words = is_ipv6(p) ? 8 : 2, tuple[TUPLE_WORDS];

	memcpy(tuple, frame + at, words * sizeof(*tuple));
	memcpy(&tuple[words++], frame + l4, sizeof(*tuple));
	for (uint32_t i = 0; i < words; i++)
		tuple[i] = rte_be_to_cpu_32(tuple[i]);
	return rte_softrss(tuple, words, key);
}

/* Of the innermost headers: their checksums summed up. */
static uint64_t
checksum_flags(const struct tx_packet *p, const uint8_t *frame)
{
	const void *l3 = frame + p->l3, *l4 = frame + p->l4;

	if (is_ipv6(p))
		return RTE_MBUF_F_RX_IP_CKSUM_GOOD | (rte_ipv6_udptcp_cksum_verify(l3, l4) == 0 ? RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0);
	return (rte_raw_cksum(l3, sizeof(struct rte_ipv4_hdr)) == 0xffff ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : 0) |
		(rte_ipv4_udptcp_cksum_verify(l3, l4) == 0 ? RTE_MBUF_F_RX_L4_CKSUM_GOOD : 0);
}

void
seen_expect(const struct tx_packet *p, const uint8_t *frame, const struct seen_how *how, struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	seen->types = types[p->kind];
	if (how->strip && p->vlan != 0) {
		seen->flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
		seen->tci = p->vlan;
	} else if (p->vlan != 0) {
		frame += sizeof(struct rte_vlan_hdr);
	}
	if (p->kind == TX_RAW)
		return;
	seen->flags |= RTE_MBUF_F_RX_RSS_HASH | (p->checksum ? GOOD : checksum_flags(p, frame));
	seen->hash = hash_of(p, frame, how->key);
}

void
seen_of(const struct rte_mbuf *m, struct seen *seen)
{
	seen->flags = m->ol_flags & SEEN_FLAGS;
	seen->types = m->packet_type;
	seen->hash = m->ol_flags & RTE_MBUF_F_RX_RSS_HASH ? m->hash.rss : 0;
	seen->tci = m->ol_flags & RTE_MBUF_F_RX_VLAN ? m->vlan_tci : 0;
}

static bool
hash_agrees(const struct seen *seen, const struct seen *wanted, const struct seen_how *how)
{
	if (how->hash == SEEN_HASH_OR_ANY)
		return true;
	if (!(seen->flags & RTE_MBUF_F_RX_RSS_HASH))
		return how->hash == SEEN_HASH_OR_NONE || !(wanted->flags & RTE_MBUF_F_RX_RSS_HASH);
	return seen->hash == wanted->hash && (wanted->flags & RTE_MBUF_F_RX_RSS_HASH || how->zero_hash);
}

static bool
flags_agree(const struct seen *seen, const struct seen *wanted, const struct seen_how *how)
{
	uint64_t differ = (seen->flags ^ wanted->flags) & ~RTE_MBUF_F_RX_RSS_HASH;

	if (how->no_types)
		return !(differ & ~(SEEN_CHECKSUMS | SEEN_TAGS));
	return differ == 0 || (!how->checksum && !(seen->flags & SEEN_CHECKSUMS) && !(differ & ~SEEN_CHECKSUMS));
}

bool
seen_agree(const struct seen *seen, const struct seen *wanted, const struct seen_how *how, char *error, size_t size)
{
	char got[128], want[128];

	if (flags_agree(seen, wanted, how) && hash_agrees(seen, wanted, how) &&
	    (how->no_types || (seen->types == wanted->types && seen->tci == wanted->tci)))
		return true;
	rte_get_rx_ol_flag_list(seen->flags, got, sizeof(got));
	rte_get_rx_ol_flag_list(wanted->flags, want, sizeof(want));
	snprintf(error, size, "types %#x hash %#x tci %#x flags %s, not types %#x hash %#x tci %#x flags %s", seen->types, seen->hash,
		 seen->tci, got, wanted->types, wanted->hash, wanted->tci, want);
	return false;
}
