/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/field.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "prm/field.h"
#include "softcx/steer/checksum.h"

/* What a field's position counts from. */
enum base { REGISTER, L2, TYPE, VLAN, L3, L4, TUNNEL, LABELS };

/* Which checksums cover it (hws.md 10.4): the IPv4 header's, the TCP or UDP one, both. */
enum sums { NO_SUM = 0, IP_SUM = 1, L4_SUM = 2, BOTH_SUMS = IP_SUM | L4_SUM };

/* Which L4 headers have it. */
enum { TCP = 1 << SC_L4_TCP, UDP = 1 << SC_L4_UDP, ESP = 1 << SC_L4_ESP, PORTS = TCP | UDP };

struct sc_field {
	uint16_t number;
	uint8_t base, inner, sums, needs;
	int at;   /* PRM_FIELD from the base; of an L3 field: in IPv4, 0 = IPv4 has none */
	int at_6; /* L3: in IPv6, 0 = none */
	uint8_t reg;
};

#define REG(n, r)              { .number = (n), .base = REGISTER, .at = PRM_FIELD(0, 31, 32), .reg = (r) }
#define REG_C(n, i)            REG(n, SC_REG_C_0 + (i))
#define PLAIN(n, b, i, o, h, w) { .number = (n), .base = (b), .inner = (i), .at = PRM_FIELD(o, h, w) }
#define IP4(n, i, s, o, h, w)                                                                                \
	{                                                                                                    \
		.number = (n), .base = L3, .inner = (i), .sums = (s), .at = PRM_FIELD(o, h, w)               \
	}
#define IP6(n, i, s, o, h, w)                                                                                \
	{                                                                                                    \
		.number = (n), .base = L3, .inner = (i), .sums = (s), .at_6 = PRM_FIELD(o, h, w)             \
	}
#define IP(n, i, s, four, six) \
	{ .number = (n), .base = L3, .inner = (i), .sums = (s), .at = four, .at_6 = six }
#define L4F(n, i, t, s, o, h, w) \
	{ .number = (n), .base = L4, .inner = (i), .needs = (t), .sums = (s), .at = PRM_FIELD(o, h, w) }

#define DSCP(n, i)     IP(n, i, IP_SUM, PRM_FIELD(0, 23, 6), PRM_FIELD(0, 27, 6))
#define ECN(n, i)      IP(n, i, IP_SUM, PRM_FIELD(0, 17, 2), PRM_FIELD(0, 21, 2))
#define TTL(n, i)      IP(n, i, IP_SUM, PRM_FIELD(8, 31, 8), PRM_FIELD(4, 7, 8))
#define PROTOCOL(n, i) IP(n, i, IP_SUM, PRM_FIELD(8, 23, 8), PRM_FIELD(4, 15, 8))

static const struct sc_field fields[] = {
	/* outer */
	PLAIN(0x01, L2, 0, 6, 31, 32),
	PLAIN(0x02, L2, 0, 8, 15, 16),
	PLAIN(0x03, TYPE, 0, 0, 31, 16),
	PLAIN(0x04, L2, 0, 0, 31, 32),
	PLAIN(0x05, L2, 0, 4, 31, 16),
	PLAIN(0x17, VLAN, 0, 0, 15, 16),
	DSCP(0x06, 0),
	ECN(0x73, 0),
	TTL(0x0a, 0),
	TTL(0x47, 0),
	PROTOCOL(0x4a, 0),
	L4F(0x07, 0, TCP, L4_SUM, 12, 24, 9),
	L4F(0x08, 0, PORTS, L4_SUM, 0, 31, 16),
	L4F(0x09, 0, PORTS, L4_SUM, 0, 15, 16),
	L4F(0x0b, 0, PORTS, L4_SUM, 0, 31, 16),
	L4F(0x0c, 0, PORTS, L4_SUM, 0, 15, 16),
	IP6(0x0d, 0, L4_SUM, 8, 31, 32),
	IP6(0x0e, 0, L4_SUM, 12, 31, 32),
	IP6(0x0f, 0, L4_SUM, 16, 31, 32),
	IP6(0x10, 0, L4_SUM, 20, 31, 32),
	IP6(0x11, 0, L4_SUM, 24, 31, 32),
	IP6(0x12, 0, L4_SUM, 28, 31, 32),
	IP6(0x13, 0, L4_SUM, 32, 31, 32),
	IP6(0x14, 0, L4_SUM, 36, 31, 32),
	IP4(0x15, 0, BOTH_SUMS, 12, 31, 32),
	IP4(0x16, 0, BOTH_SUMS, 16, 31, 32),
	L4F(0x59, 0, TCP, L4_SUM, 4, 31, 32),
	L4F(0x5b, 0, TCP, L4_SUM, 8, 31, 32),
	L4F(0x5e, 0, ESP, NO_SUM, 0, 31, 32),
	L4F(0x82, 0, ESP, NO_SUM, 4, 31, 32),
	IP6(0x11c, 0, NO_SUM, 0, 27, 8),
	IP4(0x11d, 0, IP_SUM, 0, 15, 16),
	IP6(0x11e, 0, NO_SUM, 4, 31, 16),
	IP4(0x11f, 0, IP_SUM, 0, 27, 4),
	L4F(0x120, 0, TCP, L4_SUM, 12, 31, 4),
	IP6(0x127, 0, NO_SUM, 0, 19, 20),
	/* inner */
	PLAIN(0x31, L2, 1, 6, 31, 32),
	PLAIN(0x32, L2, 1, 8, 15, 16),
	PLAIN(0x33, TYPE, 1, 0, 31, 16),
	PLAIN(0x34, L2, 1, 0, 31, 32),
	PLAIN(0x35, L2, 1, 4, 31, 16),
	DSCP(0x36, 1),
	ECN(0x74, 1),
	TTL(0x3a, 1),
	TTL(0x48, 1),
	L4F(0x37, 1, TCP, L4_SUM, 12, 24, 9),
	L4F(0x38, 1, PORTS, L4_SUM, 0, 31, 16),
	L4F(0x39, 1, PORTS, L4_SUM, 0, 15, 16),
	L4F(0x3b, 1, PORTS, L4_SUM, 0, 31, 16),
	L4F(0x3c, 1, PORTS, L4_SUM, 0, 15, 16),
	IP6(0x3d, 1, L4_SUM, 8, 31, 32),
	IP6(0x3e, 1, L4_SUM, 12, 31, 32),
	IP6(0x3f, 1, L4_SUM, 16, 31, 32),
	IP6(0x40, 1, L4_SUM, 20, 31, 32),
	IP6(0x41, 1, L4_SUM, 24, 31, 32),
	IP6(0x42, 1, L4_SUM, 28, 31, 32),
	IP6(0x43, 1, L4_SUM, 32, 31, 32),
	IP6(0x44, 1, L4_SUM, 36, 31, 32),
	IP4(0x45, 1, BOTH_SUMS, 12, 31, 32),
	IP4(0x46, 1, BOTH_SUMS, 16, 31, 32),
	L4F(0x5a, 1, TCP, L4_SUM, 4, 31, 32),
	L4F(0x5c, 1, TCP, L4_SUM, 8, 31, 32),
	L4F(0x5f, 1, ESP, NO_SUM, 0, 31, 32),
	L4F(0x83, 1, ESP, NO_SUM, 4, 31, 32),
	IP6(0x121, 1, NO_SUM, 0, 27, 8),
	IP4(0x122, 1, IP_SUM, 0, 15, 16),
	IP6(0x123, 1, NO_SUM, 4, 31, 16),
	IP4(0x124, 1, IP_SUM, 0, 27, 4),
	L4F(0x125, 1, TCP, L4_SUM, 12, 31, 4),
	IP6(0x128, 1, NO_SUM, 0, 19, 20),
	/* tunnel headers */
	PLAIN(0x6e, TUNNEL, 0, 4, 31, 32),
	PLAIN(0x75, TUNNEL, 0, 4, 31, 32),
	PLAIN(0x76, TUNNEL, 0, 12, 31, 32),
	PLAIN(0x8a, LABELS, 0, 0, 31, 32),
	PLAIN(0x8b, LABELS, 0, 4, 31, 32),
	PLAIN(0x8c, LABELS, 0, 8, 31, 32),
	PLAIN(0x8d, LABELS, 0, 12, 31, 32),
	PLAIN(0x8e, LABELS, 0, 16, 31, 32),
	/* registers */
	REG(0x49, SC_REG_A),
	REG(0x50, SC_REG_B),
	REG_C(0x51, 0),
	REG_C(0x52, 1),
	REG_C(0x53, 2),
	REG_C(0x54, 3),
	REG_C(0x55, 4),
	REG_C(0x56, 5),
	REG_C(0x57, 6),
	REG_C(0x58, 7),
	REG_C(0x8f, 8),
	REG_C(0x90, 9),
	REG_C(0x91, 10),
	REG_C(0x92, 11),
};

const struct sc_field *
sc_field_find(uint16_t number)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].number == number)
			return &fields[i];
	return NULL;
}

uint32_t
sc_field_width(const struct sc_field *field)
{
	return prm_width(field->at != 0 ? field->at : field->at_6);
}

struct place {
	const struct sc_parse_level *level;
	uint32_t header; /* offset of the base in the frame */
	int at;
};

/* @return whether the frame has the field, and where. */
static bool
locate(const struct sc_field *field, const struct sc_packet *pkt, const struct sc_parse *parse,
	struct place *place)
{
	const struct sc_parse_level *level = field->inner ? &parse->inner : &parse->outer;
	const uint16_t bases[] = {
		[L2] = level->l2,
		[TYPE] = level->type_at,
		[VLAN] = level->vlan,
		[L3] = level->l3,
		[L4] = level->l4,
		[TUNNEL] = parse->tunnel,
		[LABELS] = parse->labels,
	};

	place->level = level;
	place->header = bases[field->base];
	place->at = field->base == L3 && level->l3_type == SC_L3_IPV6 ? field->at_6 : field->at;
	if (place->header == SC_ABSENT || place->at == 0)
		return false;
	if (field->needs != 0 && !(field->needs & 1 << level->l4_type))
		return false;
	if (field->base == LABELS && prm_offset(place->at) / 4 >= parse->nb_labels)
		return false;
	return place->header + prm_offset(place->at) + (prm_shift(place->at) >= 16 ? 2 : 4) <= pkt->len;
}

int
sc_field_read(const struct sc_field *field, const struct sc_packet *pkt, const struct sc_parse *parse,
	uint32_t *value)
{
	struct place place;

	if (field->base == REGISTER) {
		*value = pkt->reg[field->reg];
		return 0;
	}
	if (!locate(field, pkt, parse, &place))
		return -ENOENT;
	*value = prm_get(pkt->data + place.header, place.at);
	return 0;
}

/* Bring the checksum at sum along with a dword below it. */
static void
follow(uint8_t *sum, uint32_t old_dword, uint32_t new_dword, bool udp)
{
	uint16_t value = sc_load16(sum);

	if (udp && value == 0) /* none was sent, none is made */
		return;
	value = sc_checksum_update(value, (uint16_t)(old_dword >> 16), (uint16_t)(new_dword >> 16));
	value = sc_checksum_update(value, (uint16_t)old_dword, (uint16_t)new_dword);
	sc_store16(sum, udp && value == 0 ? 0xffff : value);
}

static void
follow_sums(const struct sc_field *field, struct sc_packet *pkt, const struct place *place,
	uint32_t old_dword, uint32_t new_dword)
{
	enum { IPV4_SUM = 10, TCP_SUM = 16, UDP_SUM = 6 };
	const struct sc_parse_level *level = place->level;
	uint32_t l4;

	if (field->sums & IP_SUM && level->l3_type == SC_L3_IPV4 && level->l3 != SC_ABSENT)
		follow(pkt->data + level->l3 + IPV4_SUM, old_dword, new_dword, false);
	if (!(field->sums & L4_SUM) || level->l4 == SC_ABSENT)
		return;
	l4 = level->l4;
	if (level->l4_type == SC_L4_TCP && l4 + TCP_SUM + 2 <= pkt->len)
		follow(pkt->data + l4 + TCP_SUM, old_dword, new_dword, false);
	else if (level->l4_type == SC_L4_UDP && l4 + UDP_SUM + 2 <= pkt->len)
		follow(pkt->data + l4 + UDP_SUM, old_dword, new_dword, true);
}

int
sc_field_write(const struct sc_field *field, struct sc_packet *pkt, const struct sc_parse *parse,
	uint32_t value, uint32_t mask)
{
	uint32_t old_dword, new_dword;
	struct place place;
	uint8_t *dword;

	if (field->base == REGISTER) {
		pkt->reg[field->reg] = (pkt->reg[field->reg] & ~mask) | (value & mask);
		return 0;
	}
	if (!locate(field, pkt, parse, &place))
		return -ENOENT;
	dword = pkt->data + place.header + prm_offset(place.at);
	mask = (mask & prm_mask(place.at)) << prm_shift(place.at);
	old_dword = prm_load32(dword);
	new_dword = (old_dword & ~mask) | (value << prm_shift(place.at) & mask);
	prm_store32(dword, new_dword);
	follow_sums(field, pkt, &place, old_dword, new_dword);
	return 0;
}
