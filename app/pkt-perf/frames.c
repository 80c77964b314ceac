/* SPDX-License-Identifier: BSD-3-Clause */

#include "frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "options.h"

static int
parse_ask(const char *text, uint64_t *flags)
{
	char copy[64], *save, *word;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &save); word != NULL; word = strtok_r(NULL, ",", &save)) {
		if (strcmp(word, "checksum") == 0) {
			*flags |= RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_UDP_CKSUM;
		} else if (strcmp(word, "vlan") == 0) {
			*flags |= RTE_MBUF_F_TX_VLAN;
		} else {
			fprintf(stderr, "pkt-perf: --ask '%s': checksum and vlan are known\n", word);
			return -EINVAL;
		}
	}
	return 0;
}

int
frames_prepare(struct frames *frames, const struct options *options)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)frames->header;
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
	int rc;

	memset(frames, 0, sizeof(*frames));
	frames->size = options->size;
	frames->segments = options->segments;
	frames->tso = options->tso;
	rc = parse_ask(options->ask, &frames->ask);
	if (rc != 0)
		return rc;
	if ((options->size + options->segments - 1u) / options->segments > RTE_MBUF_DEFAULT_DATAROOM) {
		fprintf(stderr, "pkt-perf: %u bytes need more than %u segments\n", options->size, options->segments);
		return -EINVAL;
	}
	memcpy(eth, "\2\0\0\0\0\2\2\0\0\0\0\1\x08\0", 14);
	ip->version_ihl = RTE_IPV4_VHL_DEF;
	ip->total_length = rte_cpu_to_be_16((uint16_t)(options->size - sizeof(*eth)));
	ip->time_to_live = 64;
	ip->next_proto_id = options->tso != 0 ? IPPROTO_TCP : IPPROTO_UDP;
	ip->src_addr = RTE_BE32(RTE_IPV4(10, 0, 0, 1));
	ip->dst_addr = RTE_BE32(RTE_IPV4(10, 0, 0, 2));
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	if (options->tso != 0) {
		struct rte_tcp_hdr *tcp = (struct rte_tcp_hdr *)(ip + 1);

		tcp->src_port = tcp->dst_port = RTE_BE16(1000);
		tcp->data_off = sizeof(*tcp) / 4 << 4;
		tcp->tcp_flags = RTE_TCP_ACK_FLAG;
		frames->header_bytes = sizeof(*eth) + sizeof(*ip) + sizeof(*tcp);
		frames->ask |= RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_TCP_SEG | RTE_MBUF_F_TX_TCP_CKSUM;
	} else {
		struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

		udp->src_port = udp->dst_port = RTE_BE16(1000);
		udp->dgram_len = rte_cpu_to_be_16((uint16_t)(options->size - sizeof(*eth) - sizeof(*ip)));
		frames->header_bytes = sizeof(*eth) + sizeof(*ip) + sizeof(*udp);
	}
	return 0;
}

static void
fill(const struct frames *frames, struct rte_mbuf **segments)
{
	uint32_t room = (frames->size + frames->segments - 1) / frames->segments, left = frames->size;
	struct rte_mbuf *m = segments[0];

	for (uint32_t i = 0; i < frames->segments; i++) {
		uint32_t n = left < room ? left : room;

		segments[i]->data_len = (uint16_t)n;
		segments[i]->next = i + 1 < frames->segments ? segments[i + 1] : NULL;
		left -= n;
	}
	m->pkt_len = frames->size;
	m->nb_segs = (uint16_t)frames->segments;
	m->ol_flags |= frames->ask;
	m->vlan_tci = 100;
	m->l2_len = sizeof(struct rte_ether_hdr);
	m->l3_len = sizeof(struct rte_ipv4_hdr);
	m->l4_len = frames->header_bytes - m->l2_len - m->l3_len;
	m->tso_segsz = frames->tso;
	memcpy(rte_pktmbuf_mtod(m, void *), frames->header, frames->header_bytes);
}

int
frames_make(const struct frames *frames, struct rte_mempool *pool, struct rte_mbuf **pkts, unsigned int nb)
{
	struct rte_mbuf *segments[64];

	for (unsigned int i = 0; i < nb; i++) {
		if (rte_pktmbuf_alloc_bulk(pool, segments, frames->segments) != 0) {
			rte_pktmbuf_free_bulk(pkts, i);
			return -ENOMEM;
		}
		fill(frames, segments);
		pkts[i] = segments[0];
	}
	return 0;
}
