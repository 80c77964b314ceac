/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Frame to header positions. Each function takes one header at a given offset, notes it and goes on to what
 * it carries; where a frame is cut short or makes no sense the parse ends, and everything behind stays
 * absent.
 */
#include "softcx/steer/parse.h"

#include <string.h>

#include "softcx/core/packet.h"
#include "softcx/steer/checksum.h"

enum {
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	TYPE_CVLAN = 0x8100,
	TYPE_SVLAN = 0x88a8,
	TYPE_BRIDGE = 0x6558,
	TYPE_MPLS = 0x8847,
	PROTO_HOPOPT = 0,
	PROTO_ICMP = 1,
	PROTO_IPV4 = 4,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_IPV6 = 41,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_GRE = 47,
	PROTO_ESP = 50,
	PROTO_AH = 51,
	PROTO_ICMPV6 = 58,
	PROTO_DSTOPTS = 60,
	PROTO_MOBILITY = 135,
	EXTENSIONS_MAX = 8,
	LABELS_MAX = 8,
};

struct frame {
	const uint8_t *data;
	uint32_t len;
	struct sc_parse *parse;
};

static void parse_l3(struct frame *f, struct sc_parse_level *level, uint32_t at, uint16_t ethertype);

static bool
has(const struct frame *f, uint32_t at, uint32_t bytes)
{
	return at + bytes <= f->len;
}

static bool
is_tpid(uint16_t type)
{
	return type == TYPE_CVLAN || type == TYPE_SVLAN;
}

static void
parse_ethernet(struct frame *f, struct sc_parse_level *level, uint32_t at)
{
	uint16_t type;

	if (!has(f, at, 14))
		return;
	level->l2 = (uint16_t)at;
	at += 12;
	type = sc_load16(f->data + at);
	while (is_tpid(type) && level->nb_vlans < 2 && has(f, at, 6)) {
		if (level->nb_vlans++ == 0)
			level->vlan = (uint16_t)at;
		at += 4;
		type = sc_load16(f->data + at);
	}
	level->type_at = (uint16_t)at;
	level->ethertype = type;
	parse_l3(f, level, at + 2, type);
}

/* Behind MPLS and GTP-U nothing says what follows but the IP version itself. */
static uint16_t
type_by_version(const struct frame *f, uint32_t at)
{
	if (!has(f, at, 1))
		return 0;
	switch (f->data[at] >> 4) {
	case 4:
		return TYPE_IPV4;
	case 6:
		return TYPE_IPV6;
	default:
		return 0;
	}
}

static void
parse_inner(struct frame *f, uint32_t at, uint16_t type)
{
	struct sc_parse_level *inner = &f->parse->inner;

	if (type == TYPE_BRIDGE) {
		parse_ethernet(f, inner, at);
	} else {
		inner->ethertype = type;
		parse_l3(f, inner, at, type);
	}
}

static void
parse_labels(struct frame *f, uint32_t at)
{
	struct sc_parse *parse = f->parse;
	bool bottom = false;
	uint16_t type;

	parse->labels = (uint16_t)at;
	while (!bottom && parse->nb_labels < LABELS_MAX && has(f, at, 4)) {
		bottom = f->data[at + 2] & 1;
		parse->nb_labels++;
		at += 4;
	}
	if (!bottom)
		return;
	type = type_by_version(f, at);
	parse_inner(f, at, type != 0 ? type : TYPE_BRIDGE);
}

static void
parse_gre(struct frame *f, uint32_t at)
{
	uint16_t flags, type;
	uint32_t len = 4;

	if (!has(f, at, 4))
		return;
	flags = sc_load16(f->data + at);
	type = sc_load16(f->data + at + 2);
	if ((flags & 0x4fff) != 0) /* source routing and versions other than 0 are not looked into */
		return;
	len += (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0);
	if (!has(f, at, len))
		return;
	f->parse->tunnel = (uint16_t)at;
	f->parse->tunnel_type = flags == 0x2000 && type == TYPE_BRIDGE ? SC_TUNNEL_NVGRE : SC_TUNNEL_GRE;
	if (type == TYPE_MPLS)
		parse_labels(f, at + len);
	else
		parse_inner(f, at + len, type);
}

static void
parse_vxlan(struct frame *f, uint32_t at)
{
	if (!has(f, at, 8))
		return;
	f->parse->tunnel = (uint16_t)at;
	f->parse->tunnel_type = SC_TUNNEL_VXLAN;
	parse_inner(f, at + 8, TYPE_BRIDGE);
}

static void
parse_vxlan_gpe(struct frame *f, uint32_t at)
{
	static const uint16_t carried[] = { 0, TYPE_IPV4, TYPE_IPV6, TYPE_BRIDGE };

	if (!has(f, at, 8))
		return;
	f->parse->tunnel = (uint16_t)at;
	f->parse->tunnel_type = SC_TUNNEL_VXLAN_GPE;
	if (f->data[at + 3] < sizeof(carried) / sizeof(carried[0]))
		parse_inner(f, at + 8, carried[f->data[at + 3]]);
}

static void
parse_geneve(struct frame *f, uint32_t at)
{
	uint32_t len;

	if (!has(f, at, 8) || f->data[at] >> 6 != 0)
		return;
	len = 8 + (f->data[at] & 0x3f) * 4;
	if (!has(f, at, len))
		return;
	f->parse->tunnel = (uint16_t)at;
	f->parse->tunnel_type = SC_TUNNEL_GENEVE;
	parse_inner(f, at + len, sc_load16(f->data + at + 2));
}

static void
parse_mpls_udp(struct frame *f, uint32_t at)
{
	if (!has(f, at, 4))
		return;
	f->parse->tunnel = (uint16_t)at;
	f->parse->tunnel_type = SC_TUNNEL_MPLS_UDP;
	parse_labels(f, at);
}

static void
parse_gtpu(struct frame *f, uint32_t at)
{
	uint32_t end = at + 8, blocks;
	uint8_t flags, next;

	if (!has(f, at, 8) || f->data[at] >> 4 != 3) /* version 1, GTP and not GTP' */
		return;
	flags = f->data[at] & 7;
	if (flags != 0) {
		end += 4;
		if (!has(f, at, 12))
			return;
		next = flags & 4 ? f->data[end - 1] : 0;
		for (blocks = 0; next != 0 && blocks < EXTENSIONS_MAX; blocks++) {
			if (!has(f, end, 4) || f->data[end] == 0 || !has(f, end, f->data[end] * 4))
				return;
			end += f->data[end] * 4;
			next = f->data[end - 1];
		}
	}
	f->parse->tunnel = (uint16_t)at;
	f->parse->tunnel_type = SC_TUNNEL_GTPU;
	if (f->data[at + 1] == 0xff)
		parse_inner(f, end, type_by_version(f, end));
}

static const struct {
	uint16_t port;
	void (*parse)(struct frame *f, uint32_t at);
} udp_tunnels[] = {
	{ 4789, parse_vxlan }, { 4790, parse_vxlan_gpe }, { 6081, parse_geneve }, { 6635, parse_mpls_udp },
	{ 2152, parse_gtpu },
};

static void
parse_udp(struct frame *f, struct sc_parse_level *level, uint32_t at)
{
	uint16_t len, port;
	size_t i;

	if (!has(f, at, 8))
		return;
	level->l4_type = SC_L4_UDP;
	level->payload = (uint16_t)(at + 8);
	len = sc_load16(f->data + at + 4);
	level->l4_ok = level->l3_ok && len >= 8 && at + len <= level->l3_end;
	if (level != &f->parse->outer || level->fragment)
		return;
	port = sc_load16(f->data + at + 2);
	for (i = 0; i < sizeof(udp_tunnels) / sizeof(udp_tunnels[0]); i++)
		if (udp_tunnels[i].port == port)
			udp_tunnels[i].parse(f, at + 8);
}

static void
parse_tcp(struct frame *f, struct sc_parse_level *level, uint32_t at)
{
	uint32_t len;

	if (!has(f, at, 20))
		return;
	len = (f->data[at + 12] >> 4) * 4;
	level->l4_type = SC_L4_TCP;
	if (len < 20 || !has(f, at, len))
		return;
	level->payload = (uint16_t)(at + len);
	level->l4_ok = level->l3_ok && at + len <= level->l3_end;
}

static void
parse_l4(struct frame *f, struct sc_parse_level *level, uint32_t at, uint8_t protocol)
{
	bool outer = level == &f->parse->outer;

	level->protocol = protocol;
	if ((level->fragment && !level->first_fragment) || !has(f, at, 1))
		return;
	level->l4 = (uint16_t)at;
	switch (protocol) {
	case PROTO_TCP:
		parse_tcp(f, level, at);
		break;
	case PROTO_UDP:
		parse_udp(f, level, at);
		break;
	case PROTO_ICMP:
	case PROTO_ICMPV6:
		if ((protocol == PROTO_ICMP) == (level->l3_type == SC_L3_IPV4) && has(f, at, 8)) {
			level->l4_type = SC_L4_ICMP;
			level->payload = (uint16_t)(at + 8);
		}
		break;
	case PROTO_ESP:
		if (has(f, at, 8)) {
			level->l4_type = SC_L4_ESP;
			level->payload = (uint16_t)(at + 8);
		}
		break;
	case PROTO_GRE:
		if (outer && !level->fragment)
			parse_gre(f, at);
		break;
	case PROTO_IPV4:
	case PROTO_IPV6:
		if (outer && !level->fragment) {
			f->parse->tunnel_type = SC_TUNNEL_IP;
			parse_inner(f, at, protocol == PROTO_IPV4 ? TYPE_IPV4 : TYPE_IPV6);
		}
		break;
	}
}

static void
parse_ipv4(struct frame *f, struct sc_parse_level *level, uint32_t at)
{
	uint16_t word, total;
	uint32_t len;

	if (!has(f, at, 20) || f->data[at] >> 4 != 4)
		return;
	len = (f->data[at] & 0xf) * 4;
	if (len < 20 || !has(f, at, len))
		return;
	total = sc_load16(f->data + at + 2);
	word = sc_load16(f->data + at + 6);
	level->l3 = (uint16_t)at;
	level->l3_type = SC_L3_IPV4;
	level->l3_ok = total >= len && has(f, at, total);
	level->l3_end = (uint16_t)(level->l3_ok ? at + total : f->len);
	level->options = len > 20;
	level->fragment = (word & 0x3fff) != 0;
	level->first_fragment = (word & 0x3fff) == 0x2000;
	parse_l4(f, level, at + len, f->data[at + 9]);
}

/* @return the length of the extension header at this place, or 0 where protocol is none. */
static uint32_t
extension_len(const struct frame *f, uint8_t protocol, uint32_t at)
{
	switch (protocol) {
	case PROTO_HOPOPT:
	case PROTO_ROUTING:
	case PROTO_DSTOPTS:
	case PROTO_MOBILITY:
		return has(f, at, 8) ? (f->data[at + 1] + 1u) * 8 : 0;
	case PROTO_FRAGMENT:
		return has(f, at, 8) ? 8 : 0;
	case PROTO_AH:
		return has(f, at, 8) ? (f->data[at + 1] + 2u) * 4 : 0;
	default:
		return 0;
	}
}

static void
parse_ipv6(struct frame *f, struct sc_parse_level *level, uint32_t at)
{
	uint32_t next_at = at + 40, len, seen;
	uint16_t payload, word;
	uint8_t protocol;

	if (!has(f, at, 40) || f->data[at] >> 4 != 6)
		return;
	payload = sc_load16(f->data + at + 4);
	protocol = f->data[at + 6];
	level->l3 = (uint16_t)at;
	level->l3_type = SC_L3_IPV6;
	level->l3_ok = has(f, next_at, payload);
	level->l3_end = (uint16_t)(level->l3_ok ? next_at + payload : f->len);
	for (seen = 0; seen < EXTENSIONS_MAX; seen++) {
		len = extension_len(f, protocol, next_at);
		if (len == 0 || !has(f, next_at, len))
			break;
		if (!level->options)
			level->extension = (uint16_t)next_at;
		level->options = true;
		level->routing |= protocol == PROTO_ROUTING;
		if (protocol == PROTO_FRAGMENT) {
			word = sc_load16(f->data + next_at + 2);
			level->fragment = (word & 0xfff9) != 0;
			level->first_fragment = (word & 0xfff9) == 1;
		}
		protocol = f->data[next_at];
		next_at += len;
		if (level->fragment && !level->first_fragment)
			break;
	}
	parse_l4(f, level, next_at, protocol);
}

static void
parse_l3(struct frame *f, struct sc_parse_level *level, uint32_t at, uint16_t ethertype)
{
	if (ethertype == TYPE_IPV4)
		parse_ipv4(f, level, at);
	else if (ethertype == TYPE_IPV6)
		parse_ipv6(f, level, at);
}

static void
level_clear(struct sc_parse_level *level)
{
	memset(level, 0, sizeof(*level));
	level->l2 = level->vlan = level->l3 = level->l4 = SC_ABSENT;
	level->payload = level->extension = level->l3_end = level->type_at = SC_ABSENT;
}

void
sc_parse_frame(const uint8_t *data, uint32_t len, struct sc_parse *parse)
{
	struct frame f = { .data = data, .len = len, .parse = parse };

	level_clear(&parse->outer);
	level_clear(&parse->inner);
	parse->tunnel = SC_ABSENT;
	parse->labels = SC_ABSENT;
	parse->tunnel_type = SC_TUNNEL_NONE;
	parse->nb_labels = 0;
	parse->verified = false;
	parse_ethernet(&f, &parse->outer, 0);
}

static bool
l4_checksum_good(const uint8_t *data, const struct sc_parse_level *level)
{
	uint32_t len = level->l3_end - level->l4;
	bool ipv6 = level->l3_type == SC_L3_IPV6;

	if (level->fragment || !level->l4_ok)
		return false;
	if (level->l4_type == SC_L4_UDP) {
		len = sc_load16(data + level->l4 + 4);
		if (sc_load16(data + level->l4 + 6) == 0)
			return !ipv6;
	} else if (level->l4_type != SC_L4_TCP) {
		return false;
	}
	return sc_sum_fold(sc_sum_add(sc_sum_pseudo(data + level->l3, ipv6, level->protocol, len),
		       data + level->l4, len)) == 0xffff;
}

static void
verify_level(const uint8_t *data, struct sc_parse_level *level)
{
	if (!level->l3_ok)
		return;
	level->l3_checksum_ok = level->l3_type == SC_L3_IPV6 ||
		sc_sum_fold(sc_sum_add(0, data + level->l3, (data[level->l3] & 0xf) * 4)) == 0xffff;
	level->l4_checksum_ok = l4_checksum_good(data, level);
}

void
sc_parse_verify(const uint8_t *data, uint32_t len, struct sc_parse *parse)
{
	if (parse->verified)
		return;
	verify_level(data, &parse->outer);
	verify_level(data, &parse->inner);
	parse->verified = true;
}

struct sc_parse *
sc_packet_parse(struct sc_packet *pkt, struct sc_parse *storage)
{
	if (pkt->parse == NULL) {
		sc_parse_frame(pkt->data, pkt->len, storage);
		pkt->parse = storage;
	}
	return pkt->parse;
}
