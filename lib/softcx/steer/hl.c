/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Header positions to header layout: one function a block, in the order of hws.md section 3.
 */
#include "softcx/steer/hl.h"

#include <string.h>

#include "softcx/steer/checksum.h"
#include "softcx/steer/steer.h"

const uint16_t sc_hl_register[SC_REGS] = {
	[SC_REG_A] = SC_HL_REG_A,
	[SC_REG_B] = SC_HL_REG_B,
	[SC_REG_C_0 + 0] = 0x250,
	[SC_REG_C_0 + 1] = 0x254,
	[SC_REG_C_0 + 2] = 0x248,
	[SC_REG_C_0 + 3] = 0x24c,
	[SC_REG_C_0 + 4] = 0x240,
	[SC_REG_C_0 + 5] = 0x244,
	[SC_REG_C_0 + 6] = 0x238,
	[SC_REG_C_0 + 7] = 0x23c,
	[SC_REG_C_0 + 8] = 0x230,
	[SC_REG_C_0 + 9] = 0x234,
	[SC_REG_C_0 + 10] = 0x228,
	[SC_REG_C_0 + 11] = 0x22c,
};

enum {
	VLAN_NONE = 0,
	VLAN_MORE_FOLLOW = 1,
	VLAN_LAST = 2
}; /* S-VLAN and C-VLAN of the manual, read as drivers do */

struct view {
	uint8_t *hl;
	const uint8_t *data;
	const struct sc_packet *pkt;
};

/* What several blocks repeat of one level. */
struct summary {
	uint32_t l3_type, l4_bwc, l4_type, first_vlan;
};

static struct summary
summarize(const struct sc_parse_level *level)
{
	static const uint8_t bwc[] = { [SC_L4_TCP] = 1, [SC_L4_UDP] = 2, [SC_L4_ESP] = 3 };
	static const uint8_t full[] = { [SC_L4_TCP] = 1, [SC_L4_UDP] = 2, [SC_L4_ICMP] = 3, [SC_L4_ESP] = 0 };
	static const uint8_t vlan[] = { VLAN_NONE, VLAN_LAST, VLAN_MORE_FOLLOW };

	return (struct summary){
		level->l3_type, bwc[level->l4_type], full[level->l4_type], vlan[level->nb_vlans]};
}

/* One field of a dword that is made whole. */
#define BITS(field, value) (((uint32_t)(value) & prm_mask(field)) << prm_shift(field))

static void
fill_l2(const struct view *v, const struct sc_parse_level *level, const struct summary *s, uint32_t block)
{
	uint8_t *out = v->hl + block;
	uint32_t type = level->ethertype, first_tci = 0, second = 0;

	if (level->l2 != SC_ABSENT)
		memcpy(out, v->data + level->l2, 6);
	if (level->type_at != SC_ABSENT)
		type = sc_load16(v->data + level->type_at);
	if (level->vlan != SC_ABSENT)
		first_tci = sc_load16(v->data + level->vlan + 2);
	if (level->nb_vlans > 1 && level->vlan != SC_ABSENT)
		second = BITS(SC_HL_L2_SECOND_VLAN, VLAN_LAST) |
			BITS(SC_HL_L2_SECOND_TCI, sc_load16(v->data + level->vlan + 6));
	sc_store16(out + 6, (uint16_t)type);
	prm_store32(out + 8, BITS(SC_HL_L2_FUNCTIONAL_LB, v->pkt->loopback) |
		BITS(SC_HL_L2_IP_FRAGMENTED, level->fragment) | BITS(SC_HL_L2_L3_TYPE, s->l3_type) |
		BITS(SC_HL_L2_L4_TYPE_BWC, s->l4_bwc) | BITS(SC_HL_L2_FIRST_VLAN, s->first_vlan) |
		BITS(SC_HL_L2_FIRST_TCI, first_tci));
	prm_store32(out + 12, BITS(SC_HL_L2_L4_TYPE, s->l4_type) |
		BITS(SC_HL_L2_L2_OK, level->l2 != SC_ABSENT) | BITS(SC_HL_L2_L3_OK, level->l3_ok) |
		BITS(SC_HL_L2_L4_OK, level->l4_ok) | second);
}

static void
fill_l2_source(const struct view *v, const struct sc_parse_level *level, const struct summary *s,
	uint32_t block)
{
	uint8_t *out = v->hl + block;
	uint32_t low = BITS(SC_HL_SRC_LOOPBACK, v->pkt->loopback) | BITS(SC_HL_SRC_L3_TYPE, s->l3_type) |
		BITS(SC_HL_SRC_L4_TYPE_BWC, s->l4_bwc) | BITS(SC_HL_SRC_FIRST_VLAN, s->first_vlan) |
		BITS(SC_HL_SRC_IP_FRAGMENTED, level->fragment) |
		BITS(SC_HL_SRC_FUNCTIONAL_LB, v->pkt->loopback);

	if (level->l2 != SC_ABSENT)
		memcpy(out, v->data + level->l2 + 6, 6);
	sc_store16(out + 6, (uint16_t)low);
}

static void
fill_ipv4(const struct view *v, const uint8_t *ip, uint8_t *out, uint32_t addresses)
{
	/* version, length and TOS stand as in the header; so do identification and fragment word */
	prm_store32(out, (uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 | BITS(SC_HL_L3_TTL, ip[8]) |
		BITS(SC_HL_L3_PROTOCOL, ip[9]));
	memcpy(out + 4, ip + 4, 4);
	memcpy(out + 8, ip + 2, 2);
	memcpy(out + 10, ip + 10, 2);
	memcpy(out + 16, ip + 2, 2);
	memcpy(v->hl + addresses, ip + 12, 8);
}

static void
fill_ipv6(const struct view *v, const struct sc_parse_level *level, const uint8_t *ip, uint8_t *out,
	bool inner)
{
	enum { NEXT_ROUTING = 43 };
	uint32_t word = prm_load32(ip);
	uint16_t payload = sc_load16(ip + 4);
	/*
	 * Shown as next header: what the drivers' items ask for. Without extensions the byte itself (it may
	 * have been rewritten); a routing header shows as such; other extensions are looked through.
	 */
	uint8_t next = !level->options ? ip[6] : level->routing ? NEXT_ROUTING : level->protocol;

	prm_store32(out, BITS(SC_HL_L3_VERSION, word >> 28) | BITS(SC_HL_L3_TOS, word >> 20) |
		BITS(SC_HL_L3_TTL, ip[7]) | BITS(SC_HL_L3_PROTOCOL, next));
	prm_store32(out + 12, BITS(SC_HL_L3_FLOW_LABEL, word));
	prm_store32(out + 16, BITS(SC_HL_L3_PACKET_LENGTH, payload + 40u) |
		BITS(SC_HL_L3_PAYLOAD_LENGTH, payload));
	memcpy(v->hl + (inner ? SC_HL_IPV6_SRC_INNER : SC_HL_IPV6_SRC_OUTER), ip + 8, 16);
	memcpy(v->hl + (inner ? SC_HL_IPV6_DST_INNER : SC_HL_IPV6_DST_OUTER), ip + 24, 16);
}

static void
fill_l3(const struct view *v, const struct sc_parse_level *level, bool inner)
{
	uint8_t *out = v->hl + (inner ? SC_HL_L3_INNER : SC_HL_L3_OUTER);
	const uint8_t *ip = v->data + level->l3;

	if (level->l3 == SC_ABSENT)
		return;
	if (level->l3_type == SC_L3_IPV4)
		fill_ipv4(v, ip, out, inner ? SC_HL_IPV4_INNER : SC_HL_IPV4_OUTER);
	else
		fill_ipv6(v, level, ip, out, inner);
}

/* InfiniBand base transport header: a dword of the layout holds fields of two of the frame's. */
static void
fill_bth(const struct view *v, const uint8_t *bth)
{
	uint8_t *out = v->hl + SC_HL_IB_L4;

	prm_store32(out, (uint32_t)bth[0] << 24 | (prm_load32(bth + 4) & 0xffffff));
	prm_set(out, SC_HL_IB_SE, bth[1] >> 7);
	prm_set(out, SC_HL_IB_MIGREQ, bth[1] >> 6);
	prm_set(out, SC_HL_IB_ACKREQ, bth[8] >> 7);
	prm_set(out, SC_HL_IB_FECN, bth[4] >> 7);
	prm_set(out, SC_HL_IB_BECN, bth[4] >> 6);
	prm_set(out, SC_HL_IB_BTH_PRESENT, 1);
	prm_set(out, SC_HL_IB_PAD, bth[1] >> 4);
	prm_set(out, SC_HL_IB_TVER, bth[1]);
	prm_set(out, SC_HL_IB_P_KEY, sc_load16(bth + 2));
}

/* What is known by its UDP port and is no tunnel. */
static void
fill_over_udp(const struct view *v, const struct sc_parse_level *level)
{
	enum { ESP_PORT = 4500, ESP_BYTES = 8, ROCE_PORT = 4791, BTH_BYTES = 12 };
	uint16_t port = sc_load16(v->data + level->l4 + 2);
	const uint8_t *payload = v->data + level->payload;

	if (level->payload == SC_ABSENT || level->fragment)
		return;
	if (port == ESP_PORT && level->payload + (uint32_t)ESP_BYTES <= v->pkt->len)
		memcpy(v->hl + SC_HL_IPSEC, payload, ESP_BYTES);
	else if (port == ROCE_PORT && level->payload + (uint32_t)BTH_BYTES <= v->pkt->len)
		fill_bth(v, payload);
}

/* TCP sequence, acknowledgement, window or ICMP dwords: one place for outer and inner, the inner ones win. */
static void
fill_l4(const struct view *v, const struct sc_parse_level *level, uint32_t block)
{
	uint8_t *out = v->hl + block;
	const uint8_t *l4 = v->data + level->l4;

	prm_store32(out + 4, BITS(SC_HL_L4_L4_OK, level->l4_ok) | BITS(SC_HL_L4_L3_OK, level->l3_ok) |
		BITS(SC_HL_L4_IP_FRAGMENTED, level->fragment) |
		BITS(SC_HL_L4_FIRST_FRAGMENT, level->first_fragment));
	if (level->l4 == SC_ABSENT)
		return;
	switch (level->l4_type) {
	case SC_L4_TCP:
		memcpy(out, l4, 4);
		prm_set(out, SC_HL_L4_DATA_OFFSET, l4[12] >> 4);
		prm_set(out, SC_HL_L4_TCP_FLAGS, sc_load16(l4 + 12));
		memcpy(v->hl + SC_HL_TCP_ICMP, l4 + 4, 8);
		memcpy(v->hl + SC_HL_TCP_ICMP + 8, l4 + 14, 2);
		break;
	case SC_L4_UDP:
		memcpy(out, l4, 4);
		fill_over_udp(v, level);
		break;
	case SC_L4_ICMP:
		memcpy(v->hl + SC_HL_TCP_ICMP, l4, 8);
		break;
	case SC_L4_ESP:
		memcpy(v->hl + SC_HL_IPSEC, l4, 8);
		break;
	}
}

/* Fixed positions whatever options are there: protocol word, checksum, key, sequence. */
static void
fill_gre(const struct view *v, const uint8_t *gre)
{
	static const uint16_t present[] = { 0x8000, 0x2000, 0x1000 };
	uint16_t flags = sc_load16(gre);
	uint32_t i, at = 4;

	memcpy(v->hl + SC_HL_TUNNEL, gre, 4);
	for (i = 0; i < 3; i++) {
		if (!(flags & present[i]))
			continue;
		memcpy(v->hl + SC_HL_TUNNEL + 4 + 4 * i, gre + at, 4);
		at += 4;
	}
}

static void
fill_gtpu(const struct view *v, const uint8_t *gtp)
{
	memcpy(v->hl + 4 * SC_HL_GTPU_DW_0, gtp, 4);
	memcpy(v->hl + 4 * SC_HL_GTPU_TEID, gtp + 4, 4);
	if ((gtp[0] & 7) == 0)
		return;
	memcpy(v->hl + 4 * SC_HL_GTPU_DW_2, gtp + 8, 4);
	if (gtp[0] & 4 && gtp[11] != 0)
		memcpy(v->hl + 4 * SC_HL_GTPU_FIRST_EXT, gtp + 12, 4);
}

static void
fill_labels(const struct view *v, const struct sc_parse *parse)
{
	enum { SHOWN = 5 };
	uint8_t *ok = v->hl + SC_HL_OK_BITS_2;
	uint32_t i, bits = 1u << 21;

	for (i = 0; i < parse->nb_labels && i < SHOWN; i++) {
		const uint8_t *label = v->data + parse->labels + 4 * i;

		memcpy(v->hl + SC_HL_MPLS_INNER + 4 * i, label, 4);
		bits |= 1u << (11 + 2 * i) | (label[2] & 1u) << (12 + 2 * i);
	}
	prm_store32(ok, prm_load32(ok) | bits);
}

static void
fill_tunnel(const struct view *v, const struct sc_parse *parse)
{
	if (parse->tunnel != SC_ABSENT) {
		const uint8_t *at = v->data + parse->tunnel;

		switch (parse->tunnel_type) {
		case SC_TUNNEL_GRE:
		case SC_TUNNEL_NVGRE:
			fill_gre(v, at);
			break;
		case SC_TUNNEL_GTPU:
			fill_gtpu(v, at);
			break;
		case SC_TUNNEL_VXLAN:
		case SC_TUNNEL_VXLAN_GPE:
		case SC_TUNNEL_GENEVE:
			memcpy(v->hl + SC_HL_TUNNEL, at, 8);
			break;
		}
	}
	if (parse->labels != SC_ABSENT)
		fill_labels(v, parse);
}

static void
fill_source(const struct view *v, const struct sc_parse_level *outer, const struct summary *s)
{
	uint8_t *out = v->hl + SC_HL_SOURCE;

	prm_store32(out, BITS(SC_HL_SOURCE_L3_TYPE, s->l3_type) | BITS(SC_HL_SOURCE_L4_TYPE_BWC, s->l4_bwc) |
		BITS(SC_HL_SOURCE_FIRST_VLAN, s->first_vlan) |
		BITS(SC_HL_SOURCE_FUNCTIONAL_LB, v->pkt->loopback));
	prm_store32(out + 4, BITS(SC_HL_SOURCE_IP_FRAGMENTED, outer->fragment) |
		BITS(SC_HL_SOURCE_IS_REQUESTOR, v->pkt->transmit) |
		BITS(SC_HL_SOURCE_QP, v->pkt->source_sqn));
}

/* The bits of one level, moved to where "first" and "second" have them. */
static uint32_t
level_ok_bits(const struct sc_parse_level *l, bool inner)
{
#define BIT(cond, first, second) ((uint32_t)!!(cond) << (inner ? SC_OK_##second : SC_OK_##first))
	bool v4 = l->l3_type == SC_L3_IPV4;

	return BIT(l->l3_checksum_ok && v4, FIRST_IPV4_CHECKSUM, SECOND_IPV4_CHECKSUM) |
		BIT(l->l4_checksum_ok, FIRST_L4_CHECKSUM, SECOND_L4_CHECKSUM) |
		BIT(l->l3_ok, FIRST_L3, SECOND_L3) | BIT(l->l4_ok, FIRST_L4, SECOND_L4) |
		BIT(l->l3_type == SC_L3_IPV6 && l->options, FIRST_EXTENSION, SECOND_EXTENSION) |
		BIT(l->l4_type == SC_L4_TCP && l->l4_ok, FIRST_TCP, SECOND_TCP) |
		BIT(l->l4_type == SC_L4_UDP && l->l4_ok, FIRST_UDP, SECOND_UDP) |
		BIT(v4 && l->l3_ok, FIRST_IPV4, SECOND_IPV4) |
		BIT(l->l3_type == SC_L3_IPV6 && l->l3_ok, FIRST_IPV6, SECOND_IPV6) |
		BIT(l->l2 != SC_ABSENT, FIRST_L2, SECOND_L2);
#undef BIT
}

static void
fill_ok_bits(const struct view *v, const struct sc_parse *parse)
{
	bool tunnel = parse->tunnel_type != SC_TUNNEL_NONE;
	uint32_t bits = level_ok_bits(&parse->outer, false) | level_ok_bits(&parse->inner, true);

	bits |= (uint32_t)(tunnel && parse->inner.l2 != SC_ABSENT) << SC_OK_L2_TUNNEL;
	bits |= (uint32_t)(tunnel && parse->inner.l2 == SC_ABSENT && parse->inner.l3 != SC_ABSENT)
		<< SC_OK_L3_TUNNEL;
	bits |= (uint32_t)(parse->tunnel_type == SC_TUNNEL_VXLAN) << SC_OK_VXLAN;
	bits |= (uint32_t)(parse->tunnel_type == SC_TUNNEL_GRE || parse->tunnel_type == SC_TUNNEL_NVGRE)
		<< SC_OK_GRE;
	prm_store32(v->hl + SC_HL_OK_BITS_1, bits);
}

static void
fill_metadata(const struct view *v, uint32_t random)
{
	uint32_t i;

	prm_store32(v->hl + SC_HL_RANDOM, random << 16);
	prm_set64(v->hl + SC_HL_TIMESTAMP, PRM_FIELD(0, 31, 64), v->pkt->timestamp_ns);
	prm_store32(v->hl + SC_HL_UTC, (uint32_t)(v->pkt->timestamp_ns / 1000000000));
	prm_store32(v->hl + SC_HL_UTC + 4, (uint32_t)(v->pkt->timestamp_ns % 1000000000));
	for (i = 0; i < SC_REGS; i++)
		prm_store32(v->hl + sc_hl_register[i], v->pkt->reg[i]);
}

void
sc_hl_fill(uint8_t *hl, const struct sc_packet *pkt, const struct sc_parse *parse, uint32_t random)
{
	struct view v = { .hl = hl, .data = pkt->data, .pkt = pkt };
	struct summary outer = summarize(&parse->outer), inner;

	memset(hl, 0, SC_HL_BYTES);
	fill_l2(&v, &parse->outer, &outer, SC_HL_L2_OUTER);
	fill_l2_source(&v, &parse->outer, &outer, SC_HL_L2_SRC_OUTER);
	fill_l3(&v, &parse->outer, false);
	fill_l4(&v, &parse->outer, SC_HL_L4_OUTER);
	if (parse->tunnel_type != SC_TUNNEL_NONE) {
		inner = summarize(&parse->inner);
		fill_l2(&v, &parse->inner, &inner, SC_HL_L2_INNER);
		fill_l2_source(&v, &parse->inner, &inner, SC_HL_L2_SRC_INNER);
		fill_l3(&v, &parse->inner, true);
		fill_l4(&v, &parse->inner, SC_HL_L4_INNER);
		fill_tunnel(&v, parse);
	}
	fill_source(&v, &parse->outer, &outer);
	fill_ok_bits(&v, parse);
	fill_metadata(&v, random);
}

int
sc_hl_has_verdict(uint32_t dw, uint32_t mask)
{
	return dw == SC_HL_OK_BITS_1 / 4 && (mask >> SC_OK_FIRST_L4_CHECKSUM) != 0;
}
