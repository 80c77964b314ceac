/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * From a send WQE to frames: Ethernet segment, gathering through keys, VLAN insertion, checksums, and
 * the way into the transmit tables. SEND makes one frame, EMPW one for each of its data segments; TSO
 * is in tso.c.
 */
#include <errno.h>
#include <string.h>

#include "prm/cqe.h"
#include "prm/queue.h"
#include "prm/wqe.h"
#include "softcx/core/dma.h"
#include "softcx/core/fault.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/checksum.h"

#define DS_BYTES        PRM_WQE_DS_BYTES
#define ETH_UNIT        1      /* the Ethernet segment follows the control segment */
#define FRAME_MIN       14     /* shorter than its Ethernet header is not a frame */
#define VLAN_WORD_KNOWN 0x8001 /* of the word that else is the inline size: insert, service tag */
#define CS_FLAGS_KNOWN  (PRM_WQE_CS_L3 | PRM_WQE_CS_L4 | PRM_WQE_CS_L3_INNER | PRM_WQE_CS_L4_INNER)

#define SWP_FLAGS_KNOWN                                                                                    \
	(PRM_WQE_SWP_INNER_L3_IPV6 | PRM_WQE_SWP_INNER_L4_UDP | PRM_WQE_SWP_OUTER_L3_IPV6 | PRM_WQE_SWP_OUTER_L4_UDP)

#define MIN_INLINE_L2 14

static uint8_t
refuse(struct sc_sq *sq, const struct sc_wqe *wqe, const char *what, uint32_t value)
{
	sc_complain(sq->obj.dev, "sq %#x WQE %u (opcode %#x): %s: %#x", sq->obj.id, wqe->index, wqe->opcode,
		what, value);
	return PRM_CQE_SYND_LOCAL_QP_OP;
}

static uint8_t
parse_inline(struct sc_sq *sq, const struct sc_wqe *wqe, struct sc_eth *eth, uint32_t len)
{
	eth->inline_len = len;
	eth->units = 1 + (len > 2 ? (len - 2 + DS_BYTES - 1) / DS_BYTES : 0);
	if (ETH_UNIT + eth->units > wqe->ds)
		return refuse(sq, wqe, "inline header runs over the end of the WQE, bytes", len);
	return 0;
}

uint8_t
sc_eth_parse(struct sc_sq *sq, const struct sc_wqe *wqe, struct sc_eth *eth)
{
	const uint8_t *at = wqe->at + ETH_UNIT * DS_BYTES;
	uint32_t swp = prm_load32(at), word = prm_get(at, PRM_WQE_ETH_INLINE_HDR_SZ);

	memset(eth, 0, sizeof(*eth));
	eth->units = 1;
	eth->cs_flags = (uint8_t)prm_get(at, PRM_WQE_ETH_CS_FLAGS);
	eth->mss = (uint16_t)prm_get(at, PRM_WQE_ETH_MSS);
	eth->metadata = prm_get(at, PRM_WQE_ETH_FLOW_TABLE_METADATA);
	eth->inline_bytes = at + PRM_WQE_ETH_INLINE_HDR;
	if (eth->cs_flags & ~CS_FLAGS_KNOWN)
		return refuse(sq, wqe, "cs_flags has reserved bits", eth->cs_flags);
	eth->swp_flags = (uint8_t)prm_get(at, PRM_WQE_ETH_SWP_FLAGS);
	if ((swp != 0 || eth->swp_flags != 0) && !sq->allow_swp)
		return refuse(sq, wqe, "software parser fields on an SQ without allow_swp", swp);
	if (eth->swp_flags & ~SWP_FLAGS_KNOWN)
		return refuse(sq, wqe, "swp_flags has reserved bits", eth->swp_flags);
	eth->swp = swp != 0;
	memcpy(eth->swp_offsets, at, sizeof(eth->swp_offsets));
	if (prm_get(at, PRM_WQE_ETH_VLAN_INSERT)) {
		if (word & ~(uint32_t)VLAN_WORD_KNOWN)
			return refuse(sq, wqe, "VLAN insert word has reserved bits", word);
		eth->vlan_insert = true;
		eth->vlan_service = prm_get(at, PRM_WQE_ETH_VLAN_SVLAN);
		eth->vlan_tci = (uint16_t)prm_get(at, PRM_WQE_ETH_VLAN_TCI);
		word = 0;
	}
	if (word < MIN_INLINE_L2 && sq->min_inline >= PRM_MIN_INLINE_L2)
		return refuse(
			sq, wqe, "inline header shorter than min_wqe_inline_mode asks for, bytes", word);
	return parse_inline(sq, wqe, eth, word);
}

/* len bytes at va: copied as far as there is room, checked in any case. */
static uint8_t
gather_pointer(
	struct sc_device *dev, struct sc_sq *sq, const uint8_t *seg, uint32_t n, uint8_t *to, uint32_t room)
{
	uint32_t lkey = prm_get(seg, PRM_WQE_DATA_LKEY);
	uint64_t va = prm_get64(seg, PRM_WQE_DATA_ADDR);
	bool good;

	if (n == 0)
		return 0;
	if (n <= room)
		good = sc_dma_read(dev, lkey, sq->pd, va, to, n) == 0;
	else
		good = sc_dma_at(dev, lkey, sq->pd, va, n, false) != NULL;
	if (good)
		return 0;
	sc_complain(dev, "sq %#x: lkey %#x does not allow %u bytes at %#llx", sq->obj.id, lkey, n,
		(unsigned long long)va);
	return PRM_CQE_SYND_LOCAL_PROT;
}

/* One data segment at unit *at, which moves on behind it. *len += its bytes. */
static uint8_t
gather_segment(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, uint32_t *at, uint8_t *to,
	uint32_t room, uint64_t *len)
{
	const uint8_t *seg = wqe->at + *at * DS_BYTES;
	uint32_t n = prm_get(seg, PRM_WQE_DATA_LENGTH), units = 1;
	uint8_t syndrome = 0;

	if (prm_get(seg, PRM_WQE_DATA_INLINE)) {
		units = n > SC_WQEBB * 16 ? UINT32_MAX / 2
					  : (PRM_WQE_INLINE_DATA + n + DS_BYTES - 1) / DS_BYTES;
		if (*at + units > wqe->ds)
			return refuse(sq, wqe, "inline segment runs over the end of the WQE, bytes", n);
		if (n <= room)
			memcpy(to, seg + PRM_WQE_INLINE_DATA, n);
	} else {
		syndrome = gather_pointer(dev, sq, seg, n, to, room);
	}
	*at += units;
	*len += n;
	return syndrome;
}

uint8_t
sc_gather(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, uint32_t first, uint8_t *to,
	uint32_t room, uint64_t *len)
{
	uint8_t syndrome = 0;
	uint64_t all = 0;

	for (uint32_t at = first; at < wqe->ds && syndrome == 0;) {
		uint32_t left = all < room ? room - (uint32_t)all : 0;

		syndrome = gather_segment(dev, sq, wqe, &at, to + (room - left), left, &all);
	}
	*len += all;
	return syndrome;
}

static void
insert_vlan(struct sc_packet *pkt, const struct sc_eth *eth)
{
	pkt->data -= 4;
	pkt->len += 4;
	memmove(pkt->data, pkt->data + 4, 12);
	sc_store16(pkt->data + 12, eth->vlan_service ? 0x88a8 : 0x8100);
	sc_store16(pkt->data + 14, eth->vlan_tci);
}

void
sc_send_packet(struct sc_device *dev, struct sc_sq *sq, const struct sc_eth *eth)
{
	struct sc_packet *pkt = dev->nic->tx;

	if (pkt->len > SC_PACKET_MAX) {
		dev->port.tx_too_long++;
		return;
	}
	if (eth->vlan_insert)
		insert_vlan(pkt, eth);
	if (eth->cs_flags != 0)
		sc_offload_checksum(eth, pkt->data, pkt->len);
	pkt->transmit = true;
	pkt->source_sqn = sq->obj.id;
	pkt->source_td = sq->td;
	pkt->timestamp_ns = dev->nic->now_ns;
	pkt->reg[SC_REG_A] = eth->metadata;
	sq->packets++;
	sq->octets += pkt->len;
	sc_steer_transmit(dev, pkt);
}

/* The frame in nic->tx has len bytes, of which those that fit were gathered. */
static uint8_t
finish_frame(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe, const struct sc_eth *eth,
	uint64_t len)
{
	uint8_t fault;

	if (len < FRAME_MIN)
		return refuse(sq, wqe, "frame shorter than an Ethernet header, bytes", (uint32_t)len);
	fault = sc_fault_packet(dev, sq->obj.id);
	if (fault != 0)
		return fault;
	dev->nic->tx->len = len > SC_PACKET_MAX ? SC_PACKET_MAX + 1 : (uint32_t)len;
	sc_send_packet(dev, sq, eth);
	return 0;
}

/* Modes 2 and 3 count headers: through IP, through TCP or UDP, as far as the frame has them. */
static bool
inlined_enough(const struct sc_sq *sq, const struct sc_eth *eth, const uint8_t *frame, uint64_t len)
{
	struct sc_parse parse;
	uint16_t end;

	if (sq->min_inline < PRM_MIN_INLINE_IP)
		return true;
	sc_parse_frame(frame, len > SC_PACKET_MAX ? SC_PACKET_MAX : (uint32_t)len, &parse);
	end = sq->min_inline == PRM_MIN_INLINE_IP ? parse.outer.l4 : parse.outer.payload;
	return end == SC_ABSENT || eth->inline_len >= end;
}

uint8_t
sc_send_frame(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe)
{
	struct sc_packet *pkt = dev->nic->tx;
	struct sc_eth eth;
	uint8_t syndrome = sc_eth_parse(sq, wqe, &eth);
	uint64_t len = eth.inline_len;

	if (syndrome != 0)
		return syndrome;
	if (eth.mss != 0)
		return refuse(sq, wqe, "MSS in a SEND", eth.mss);
	sc_packet_reset(pkt);
	memcpy(pkt->data, eth.inline_bytes, eth.inline_len);
	syndrome = sc_gather(dev, sq, wqe, ETH_UNIT + eth.units, pkt->data + eth.inline_len,
		SC_PACKET_MAX - eth.inline_len, &len);
	if (syndrome == 0 && !inlined_enough(sq, &eth, pkt->data, len))
		return refuse(sq, wqe, "inline header shorter than min_wqe_inline_mode asks for, bytes",
			eth.inline_len);
	return syndrome != 0 ? syndrome : finish_frame(dev, sq, wqe, &eth, len);
}

uint8_t
sc_send_multi(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe)
{
	struct sc_packet *pkt = dev->nic->tx;
	struct sc_eth eth;
	uint8_t syndrome;

	if (!sq->allow_mpw)
		return refuse(sq, wqe, "allow_multi_pkt_send_wqe is not set, ds", wqe->ds);
	syndrome = sc_eth_parse(sq, wqe, &eth);
	if (syndrome != 0)
		return syndrome;
	if (eth.mss != 0 || eth.inline_len != 0 || eth.vlan_insert)
		return refuse(sq, wqe, "a multi-packet WQE has MSS, inline header or VLAN insertion",
			prm_get(wqe->at + ETH_UNIT * DS_BYTES, PRM_WQE_ETH_INLINE_HDR_SZ));
	for (uint32_t at = ETH_UNIT + 1; at < wqe->ds && syndrome == 0;) {
		uint64_t len = 0;

		sc_packet_reset(pkt);
		syndrome = gather_segment(dev, sq, wqe, &at, pkt->data, SC_PACKET_MAX, &len);
		if (syndrome == 0)
			syndrome = finish_frame(dev, sq, wqe, &eth, len);
	}
	return syndrome;
}
