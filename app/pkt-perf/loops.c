/* SPDX-License-Identifier: BSD-3-Clause */

#include "loops.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "device.h"

static int
make_burst(struct loop_state *state)
{
	return frames_make(&state->frames, state->port->pool, state->pkts, state->burst);
}

static int
make_and_send(struct loop_state *state)
{
	int rc = make_burst(state);
	uint16_t nb;

	if (rc != 0)
		return rc;
	nb = rte_eth_tx_burst(state->port->id, 0, state->pkts, state->burst);
	if (nb < state->burst) {
		rte_pktmbuf_free_bulk(&state->pkts[nb], state->burst - nb);
		return -ENOBUFS;
	}
	device_step();
	return 0;
}

static int
nothing(struct loop_state *state)
{
	return 0;
}

void
loops_drain(struct loop_state *state, uint32_t most)
{
	uint32_t taken = 0;
	uint16_t nb;

	do {
		nb = rte_eth_rx_burst(state->port->id, 0, state->other, BURST_MAX);
		rte_pktmbuf_free_bulk(state->other, nb);
		taken += nb;
	} while (nb != 0 && taken < most);
}

/* What comes back on a wire that loops is not measured. */
static int
take_all(struct loop_state *state)
{
	loops_drain(state, state->burst);
	return 0;
}

static uint16_t
send_burst(struct loop_state *state)
{
	return rte_eth_tx_burst(state->port->id, 0, state->pkts, state->burst);
}

static uint16_t
receive_and_free(struct loop_state *state)
{
	uint16_t nb = rte_eth_rx_burst(state->port->id, 0, state->other, state->burst);

	rte_pktmbuf_free_bulk(state->other, nb);
	return nb;
}

static uint16_t
forward(struct loop_state *state)
{
	uint16_t nb = rte_eth_rx_burst(state->port->id, 0, state->pkts, state->burst);

	return rte_eth_tx_burst(state->port->id, 0, state->pkts, nb);
}

static uint16_t
forward_swapped(struct loop_state *state)
{
	uint16_t nb = rte_eth_rx_burst(state->port->id, 0, state->pkts, state->burst);

	for (uint16_t i = 0; i < nb; i++) {
		struct rte_ether_hdr *eth = rte_pktmbuf_mtod(state->pkts[i], struct rte_ether_hdr *);
		struct rte_ether_addr source = eth->src_addr;

		if (i + 1 < nb)
			rte_prefetch0(rte_pktmbuf_mtod(state->pkts[i + 1], void *));
		eth->src_addr = eth->dst_addr;
		eth->dst_addr = source;
	}
	return rte_eth_tx_burst(state->port->id, 0, state->pkts, nb);
}

/* The headers are read, both checksums cleared and asked for. */
static uint16_t
forward_checksummed(struct loop_state *state)
{
	uint16_t nb = rte_eth_rx_burst(state->port->id, 0, state->pkts, state->burst);

	for (uint16_t i = 0; i < nb; i++) {
		struct rte_mbuf *m = state->pkts[i];
		struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
		struct rte_udp_hdr *udp = RTE_PTR_ADD(ip, (ip->version_ihl & 0xf) * 4);

		if (i + 1 < nb)
			rte_prefetch0(rte_pktmbuf_mtod(state->pkts[i + 1], void *));
		if (eth->ether_type != RTE_BE16(RTE_ETHER_TYPE_IPV4) || ip->next_proto_id != IPPROTO_UDP)
			continue;
		ip->hdr_checksum = 0;
		udp->dgram_cksum = 0;
		m->l2_len = sizeof(*eth);
		m->l3_len = (ip->version_ihl & 0xf) * 4;
		m->ol_flags = (m->ol_flags & RTE_MBUF_F_EXTERNAL) | RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM |
			RTE_MBUF_F_TX_UDP_CKSUM;
	}
	return rte_eth_tx_burst(state->port->id, 0, state->pkts, nb);
}

static const struct loop loops[] = {
	{"tx", "tx_burst, with the completions of the burst before and the release of its buffers", false, make_burst,
		send_burst, take_all},
	{"rx", "rx_burst and bulk free; the port sends to itself (wire=loop)", false, make_and_send, receive_and_free, nothing},
	{"io", "rx_burst and tx_burst (wire=loop)", true, nothing, forward, nothing},
	{"macswap", "the same with source and destination swapped", true, nothing, forward_swapped, nothing},
	{"csum", "the same with headers read and checksums asked for", true, nothing, forward_checksummed, nothing},
};

const struct loop *
loops_find(const char *name)
{
	for (size_t i = 0; i < RTE_DIM(loops); i++)
		if (strcmp(loops[i].name, name) == 0)
			return &loops[i];
	fprintf(stderr, "pkt-perf: there is no loop '%s' (--help lists them)\n", name);
	return NULL;
}

void
loops_help(void)
{
	for (size_t i = 0; i < RTE_DIM(loops); i++)
		printf("  %-10s %s\n", loops[i].name, loops[i].help);
}
