/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Segmentation of a TSO WQE: the inline headers are replicated in front of every MSS bytes of payload,
 * with lengths, IP identification, TCP sequence and flags of each segment; checksums as cs_flags ask.
 */
#include <string.h>

#include "prm/cqe.h"
#include "softcx/core/fault.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/checksum.h"

#define TCP_FIN     0x01
#define TCP_PSH     0x08
#define TCP_CWR     0x80
#define MAX_PAYLOAD (256 * 1024) /* 2^max_lso_cap */

/* Where the fields are that change from one segment to the next. */
struct tso_level {
	uint16_t l3, udp; /* udp: the tunnel's header, or SC_ABSENT */
	bool ipv6;
};

struct tso_shape {
	struct tso_level level[2];
	uint32_t nb_levels;
	uint16_t tcp;
};

static uint8_t
refuse(struct sc_sq *sq, const struct sc_wqe *wqe, const char *what, uint32_t value)
{
	sc_complain(sq->obj.dev, "sq %#x WQE %u (TSO): %s: %u", sq->obj.id, wqe->index, what, value);
	return PRM_CQE_SYND_LOCAL_QP_OP;
}

/*
 * Write the lengths of one level for a frame of len bytes; its headers' own values may have been
 * anything.
 */
static void
set_lengths(uint8_t *frame, uint32_t len, const struct tso_level *level)
{
	uint32_t bytes = len - level->l3;

	if (level->ipv6)
		sc_store16(frame + level->l3 + 4, (uint16_t)(bytes - 40));
	else
		sc_store16(frame + level->l3 + 2, (uint16_t)bytes);
	if (level->udp != SC_ABSENT)
		sc_store16(frame + level->udp + 4, (uint16_t)(len - level->udp));
}

static bool
take_level(const struct sc_parse_level *from, struct tso_level *level)
{
	if (from->l3 == SC_ABSENT)
		return false;
	level->l3 = from->l3;
	level->ipv6 = from->l3_type == SC_L3_IPV6;
	level->udp = from->l4_type == SC_L4_UDP ? from->l4 : SC_ABSENT;
	return true;
}

/*
 * Find the headers in the first segment. The parser believes lengths, which the driver need not have
 * filled, so they are set level by level, from the outside in, before it looks further.
 */
static bool
find_shape(const struct sc_eth *eth, uint8_t *frame, uint32_t len, struct tso_shape *shape)
{
	const struct sc_parse_level *last;
	struct sc_parse parse;

	memset(shape, 0, sizeof(*shape));
	sc_eth_parse_frame(eth, frame, len, &parse);
	if (!take_level(&parse.outer, &shape->level[0]))
		return false;
	shape->nb_levels = 1;
	/* Once for the IP length, once more for a UDP header that comes in sight with it. */
	for (int pass = 0; pass < 2; pass++) {
		set_lengths(frame, len, &shape->level[0]);
		sc_eth_parse_frame(eth, frame, len, &parse);
		take_level(&parse.outer, &shape->level[0]);
	}
	for (int pass = 0; pass < 2 && take_level(&parse.inner, &shape->level[1]); pass++) {
		shape->nb_levels = 2;
		set_lengths(frame, len, &shape->level[1]);
		sc_eth_parse_frame(eth, frame, len, &parse);
	}
	last = shape->nb_levels == 2 ? &parse.inner : &parse.outer;
	if (last->l4_type != SC_L4_TCP || last->l4 == SC_ABSENT)
		return false;
	shape->tcp = last->l4;
	return true;
}

/*
 * Turn a copy of the headers into those of segment number index, which carries the payload from offset
 * on.
 */
static void
set_segment(uint8_t *frame, uint32_t len, const struct tso_shape *shape, uint32_t index, uint32_t offset,
	bool last)
{
	uint8_t *tcp = frame + shape->tcp;

	for (uint32_t i = 0; i < shape->nb_levels; i++) {
		const struct tso_level *level = &shape->level[i];

		set_lengths(frame, len, level);
		if (!level->ipv6)
			sc_store16(frame + level->l3 + 4,
				(uint16_t)(sc_load16(frame + level->l3 + 4) + index));
	}
	prm_store32(tcp + 4, prm_load32(tcp + 4) + offset);
	if (!last)
		tcp[13] &= (uint8_t)~(TCP_FIN | TCP_PSH);
	if (index != 0)
		tcp[13] &= (uint8_t)~TCP_CWR;
}

static void
build(struct sc_packet *pkt, const struct sc_eth *eth, const uint8_t *payload, uint32_t len)
{
	sc_packet_reset(pkt);
	memcpy(pkt->data, eth->inline_bytes, eth->inline_len);
	memcpy(pkt->data + eth->inline_len, payload, len);
	pkt->len = eth->inline_len + len;
}

uint8_t
sc_send_tso(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe)
{
	struct sc_packet *pkt = dev->nic->tx;
	uint8_t *payload = dev->nic->gather;
	struct tso_shape shape;
	struct sc_eth eth;
	uint64_t len = 0;
	uint8_t syndrome = sc_eth_parse(sq, wqe, &eth);

	if (syndrome != 0)
		return syndrome;
	if (eth.mss == 0)
		return refuse(sq, wqe, "MSS", 0);
	if (eth.inline_len + eth.mss > SC_PACKET_MAX)
		return refuse(sq, wqe, "headers and MSS are longer than any frame, bytes",
			eth.inline_len + eth.mss);
	syndrome = sc_gather(dev, sq, wqe, 1 + eth.units, payload, MAX_PAYLOAD, &len);
	if (syndrome != 0)
		return syndrome;
	if (len > MAX_PAYLOAD)
		return refuse(sq, wqe, "payload is above 2^max_lso_cap, bytes", (uint32_t)len);
	build(pkt, &eth, payload, len < eth.mss ? (uint32_t)len : eth.mss);
	if (!find_shape(&eth, pkt->data, pkt->len, &shape))
		return refuse(sq, wqe, "no TCP header among the inline bytes", eth.inline_len);
	if (shape.tcp + 20u > eth.inline_len ||
		shape.tcp + (pkt->data[shape.tcp + 12] >> 4) * 4u != eth.inline_len)
		return refuse(sq, wqe, "the inline bytes do not end with the TCP header", eth.inline_len);
	for (uint32_t index = 0, offset = 0; offset < len || index == 0; index++, offset += eth.mss) {
		uint32_t left = (uint32_t)len - offset, n = left < eth.mss ? left : eth.mss;

		syndrome = sc_fault_packet(dev, sq->obj.id);
		if (syndrome != 0)
			return syndrome;
		build(pkt, &eth, payload + offset, n);
		set_segment(pkt->data, pkt->len, &shape, index, offset, n == left);
		sc_send_packet(dev, sq, &eth);
	}
	return 0;
}
