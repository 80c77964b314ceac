/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/match.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "softcx/steer/checksum.h"
#include "softcx/steer/hl.h"
#include "softcx/steer/steer.h"

/* Sections of fte_match_param, in the order of the criteria bits. */
enum section { OUTER, MISC, INNER, MISC_2, MISC_3, MISC_4, MISC_5, SECTIONS };

static const struct {
	const char *name;
	uint16_t at, len;
} sections[SECTIONS] = {
	[OUTER] = { "outer_headers", 0x00, 0x40 }, [MISC] = { "misc_parameters", 0x40, 0x40 },
	[INNER] = { "inner_headers", 0x80, 0x40 }, [MISC_2] = { "misc_parameters_2", 0xc0, 0x40 },
	[MISC_3] = { "misc_parameters_3", 0x100, 0x40 }, [MISC_4] = { "misc_parameters_4", 0x140, 0x40 },
	[MISC_5] = { "misc_parameters_5", 0x180, 0x40 },
};

/* How a value comes from the header layout. */
enum how {
	COPY,      /* as it is */
	SPECIAL,   /* computed below, whatever `from` says */
};

struct row {
	uint8_t section, how;
	int to;       /* PRM_FIELD in the section */
	uint16_t block; /* of the header layout */
	int from;     /* PRM_FIELD in the block */
};

#define ROW(s, o, h, w, b, f)  { .section = s, .to = PRM_FIELD(o, h, w), .block = b, .from = f }
#define DWORD(s, o, at)        ROW(s, o, 31, 32, at, PRM_FIELD(0, 31, 32))
#define ONLY(s, o, h, w)       { .section = s, .how = SPECIAL, .to = PRM_FIELD(o, h, w) }

/* Both header sections: L2, source, L3, L4, IPv6 source and destination blocks of outer or inner headers. */
#define HEADERS(s, l2, src, l3, l4) \
	ROW(s, 0x00, 31, 32, src, SC_HL_SRC_SMAC_47_16), ROW(s, 0x04, 31, 16, src, SC_HL_SRC_SMAC_15_0), \
	ROW(s, 0x04, 15, 16, l2, SC_HL_L2_ETHERTYPE), \
	ROW(s, 0x08, 31, 32, l2, SC_HL_L2_DMAC_47_16), ROW(s, 0x0c, 31, 16, l2, SC_HL_L2_DMAC_15_0), \
	ROW(s, 0x0c, 15, 16, l2, SC_HL_L2_FIRST_TCI), \
	ROW(s, 0x10, 31, 8, l3, SC_HL_L3_PROTOCOL), ROW(s, 0x10, 23, 8, l3, SC_HL_L3_TOS), \
	ONLY(s, 0x10, 15, 1), ONLY(s, 0x10, 14, 1), \
	ROW(s, 0x10, 13, 1, l2, SC_HL_L2_IP_FRAGMENTED), ROW(s, 0x10, 12, 4, l3, SC_HL_L3_VERSION), \
	ONLY(s, 0x10, 8, 9), ONLY(s, 0x14, 31, 32), \
	ROW(s, 0x18, 15, 4, l3, SC_HL_L3_IHL), ROW(s, 0x18, 11, 1, l2, SC_HL_L2_L3_OK), \
	ROW(s, 0x18, 10, 1, l2, SC_HL_L2_L4_OK), ONLY(s, 0x18, 9, 2), \
	ROW(s, 0x18, 7, 8, l3, SC_HL_L3_TTL), ONLY(s, 0x1c, 31, 32), \
	ONLY(s, 0x20, 31, 32), ONLY(s, 0x24, 31, 32), ONLY(s, 0x28, 31, 32), ONLY(s, 0x2c, 31, 32), \
	ONLY(s, 0x30, 31, 32), ONLY(s, 0x34, 31, 32), ONLY(s, 0x38, 31, 32), ONLY(s, 0x3c, 31, 32)

static const struct row rows[] = {
	HEADERS(OUTER, SC_HL_L2_OUTER, SC_HL_L2_SRC_OUTER, SC_HL_L3_OUTER, SC_HL_L4_OUTER),
	HEADERS(INNER, SC_HL_L2_INNER, SC_HL_L2_SRC_INNER, SC_HL_L3_INNER, SC_HL_L4_INNER),
	/* misc */
	ONLY(MISC, 0x00, 31, 1),
	ONLY(MISC, 0x00, 29, 2),
	ROW(MISC, 0x00, 23, 24, SC_HL_SOURCE, SC_HL_SOURCE_QP),
	ONLY(MISC, 0x04, 15, 16), /* source vport: 0, a NIC has one */
	ROW(MISC, 0x08, 31, 16, SC_HL_L2_OUTER, SC_HL_L2_SECOND_TCI),
	ROW(MISC, 0x08, 15, 16, SC_HL_L2_INNER, SC_HL_L2_SECOND_TCI),
	ONLY(MISC, 0x0c, 31, 4),
	ONLY(MISC, 0x0c, 15, 16),
	ONLY(MISC, 0x10, 31, 32),
	ONLY(MISC, 0x14, 31, 24),
	ONLY(MISC, 0x18, 31, 24),
	ONLY(MISC, 0x18, 0, 1),
	ROW(MISC, 0x1c, 19, 20, SC_HL_L3_OUTER, SC_HL_L3_FLOW_LABEL),
	ROW(MISC, 0x20, 19, 20, SC_HL_L3_INNER, SC_HL_L3_FLOW_LABEL),
	ONLY(MISC, 0x24, 21, 22),
	ONLY(MISC, 0x2c, 31, 32),
	ONLY(MISC, 0x30, 31, 32),
	/* misc_2 */
	ONLY(MISC_2, 0x08, 31, 32),
	ONLY(MISC_2, 0x0c, 31, 32),
	DWORD(MISC_2, 0x10, 0x23c),
	DWORD(MISC_2, 0x14, 0x238),
	DWORD(MISC_2, 0x18, 0x244),
	DWORD(MISC_2, 0x1c, 0x240),
	DWORD(MISC_2, 0x20, 0x24c),
	DWORD(MISC_2, 0x24, 0x248),
	DWORD(MISC_2, 0x28, 0x254),
	DWORD(MISC_2, 0x2c, 0x250),
	DWORD(MISC_2, 0x30, SC_HL_REG_A),
	DWORD(MISC_2, 0x34, SC_HL_REG_B),
	/* misc_3 */
	ONLY(MISC_3, 0x00, 31, 32),
	ONLY(MISC_3, 0x04, 31, 32),
	ONLY(MISC_3, 0x08, 31, 32),
	ONLY(MISC_3, 0x0c, 31, 32),
	ONLY(MISC_3, 0x10, 23, 24),
	ONLY(MISC_3, 0x14, 31, 16),
	ONLY(MISC_3, 0x18, 31, 32),
	ONLY(MISC_3, 0x1c, 31, 32),
	ONLY(MISC_3, 0x20, 31, 32),
	DWORD(MISC_3, 0x28, 4 * SC_HL_GTPU_TEID),
	ONLY(MISC_3, 0x2c, 31, 16),
	DWORD(MISC_3, 0x30, 4 * SC_HL_GTPU_DW_2),
	DWORD(MISC_3, 0x34, 4 * SC_HL_GTPU_FIRST_EXT),
	DWORD(MISC_3, 0x38, 4 * SC_HL_GTPU_DW_0),
	/* misc_5 */
	DWORD(MISC_5, 0x10, SC_HL_TUNNEL),
	DWORD(MISC_5, 0x14, SC_HL_TUNNEL + 4),
	DWORD(MISC_5, 0x18, SC_HL_TUNNEL + 8),
	DWORD(MISC_5, 0x1c, SC_HL_TUNNEL + 12),
};

enum { NB_ROWS = sizeof(rows) / sizeof(rows[0]) };

static uint32_t
hl32(const struct sc_match_view *view, uint32_t at)
{
	return prm_load32(view->hl + at);
}

/* Bits by TPID, ports by protocol, addresses by version: what one header section has beyond plain copies. */
static void
make_headers(struct sc_match_view *view, uint8_t *out, const struct sc_parse_level *level, bool inner)
{
	const uint8_t *hl = view->hl, *data = view->pkt->data;
	const uint8_t *l4 = hl + (inner ? SC_HL_L4_INNER : SC_HL_L4_OUTER);
	const uint8_t *v4 = hl + (inner ? SC_HL_IPV4_INNER : SC_HL_IPV4_OUTER);

	if (level->vlan != SC_ABSENT)
		prm_set(out,
			sc_load16(data + level->vlan) == 0x8100 ? PRM_FIELD(0x10, 15, 1)
								: PRM_FIELD(0x10, 14, 1),
			1);
	if (level->l4_type == SC_L4_TCP) {
		prm_set(out, PRM_FIELD(0x10, 8, 9), prm_get(l4, SC_HL_L4_TCP_FLAGS));
		memcpy(out + 0x14, l4, 4);
	} else if (level->l4_type == SC_L4_UDP) {
		memcpy(out + 0x1c, l4, 4);
	}
	prm_set(out, PRM_FIELD(0x18, 9, 1), level->l3_checksum_ok && level->l3_type == SC_L3_IPV4);
	prm_set(out, PRM_FIELD(0x18, 8, 1), level->l4_checksum_ok);
	if (level->l3_type == SC_L3_IPV4) {
		memcpy(out + 0x2c, v4, 4);
		memcpy(out + 0x3c, v4 + 4, 4);
	} else if (level->l3_type == SC_L3_IPV6) {
		memcpy(out + 0x20, hl + (inner ? SC_HL_IPV6_SRC_INNER : SC_HL_IPV6_SRC_OUTER), 16);
		memcpy(out + 0x30, hl + (inner ? SC_HL_IPV6_DST_INNER : SC_HL_IPV6_DST_OUTER), 16);
	}
}

static void
make_outer(struct sc_match_view *view, uint8_t *out)
{
	make_headers(view, out, &view->parse->outer, false);
}

static void
make_inner(struct sc_match_view *view, uint8_t *out)
{
	make_headers(view, out, &view->parse->inner, true);
}

/* TPID of the second tag of a level, or 0. */
static uint16_t
second_tpid(const struct sc_match_view *view, const struct sc_parse_level *level)
{
	return level->nb_vlans > 1 ? sc_load16(view->pkt->data + level->vlan + 4) : 0;
}

static void
make_misc(struct sc_match_view *view, uint8_t *out)
{
	const struct sc_parse *parse = view->parse;
	uint32_t dw0 = hl32(view, SC_HL_TUNNEL), dw1 = hl32(view, SC_HL_TUNNEL + 4);
	uint16_t outer = second_tpid(view, &parse->outer), inner = second_tpid(view, &parse->inner);

	prm_set(out, PRM_FIELD(0x0c, 31, 1), outer == 0x8100);
	prm_set(out, PRM_FIELD(0x0c, 30, 1), inner == 0x8100);
	prm_set(out, PRM_FIELD(0x0c, 29, 1), outer == 0x88a8);
	prm_set(out, PRM_FIELD(0x0c, 28, 1), inner == 0x88a8);
	switch (parse->tunnel_type) {
	case SC_TUNNEL_GRE:
	case SC_TUNNEL_NVGRE:
		prm_set(out, PRM_FIELD(0x00, 31, 1), dw0 >> 31);
		prm_set(out, PRM_FIELD(0x00, 29, 2), dw0 >> 28);
		prm_set(out, PRM_FIELD(0x0c, 15, 16), dw0);
		prm_store32(out + 0x10, hl32(view, SC_HL_TUNNEL + 8));
		break;
	case SC_TUNNEL_VXLAN:
		prm_set(out, PRM_FIELD(0x14, 31, 24), dw1 >> 8);
		break;
	case SC_TUNNEL_GENEVE:
		prm_set(out, PRM_FIELD(0x18, 31, 24), dw1 >> 8);
		prm_set(out, PRM_FIELD(0x18, 0, 1), dw0 >> 23);
		prm_set(out, PRM_FIELD(0x24, 21, 6), dw0 >> 24);
		prm_set(out, PRM_FIELD(0x24, 15, 16), dw0);
		break;
	}
	if (parse->inner.l4_type == SC_L4_ESP)
		prm_store32(out + 0x2c, hl32(view, SC_HL_IPSEC));
	if (parse->outer.l4_type == SC_L4_ESP)
		prm_store32(out + 0x30, hl32(view, SC_HL_IPSEC));
}

static void
make_misc_2(struct sc_match_view *view, uint8_t *out)
{
	uint32_t label = hl32(view, SC_HL_MPLS_INNER);

	if (view->parse->tunnel_type == SC_TUNNEL_GRE)
		prm_store32(out + 0x08, label);
	else if (view->parse->tunnel_type == SC_TUNNEL_MPLS_UDP)
		prm_store32(out + 0x0c, label);
}

static void
make_misc_3(struct sc_match_view *view, uint8_t *out)
{
	const struct sc_parse *parse = view->parse;
	const struct sc_parse_level *last = sc_parse_innermost(parse);
	uint32_t first = hl32(view, SC_HL_TCP_ICMP), second = hl32(view, SC_HL_TCP_ICMP + 4);

	if (parse->inner.l4_type == SC_L4_TCP) {
		prm_store32(out + 0x00, first);
		prm_store32(out + 0x08, second);
	} else if (parse->outer.l4_type == SC_L4_TCP) {
		prm_store32(out + 0x04, first);
		prm_store32(out + 0x0c, second);
	}
	if (last->l4_type == SC_L4_ICMP) {
		prm_store32(out + (last->l3_type == SC_L3_IPV6 ? 0x1c : 0x18), second);
		prm_set(out, last->l3_type == SC_L3_IPV6 ? PRM_FIELD(0x20, 15, 16) : PRM_FIELD(0x20, 31, 16),
			first >> 16);
	}
	if (parse->tunnel_type == SC_TUNNEL_VXLAN_GPE) {
		prm_set(out, PRM_FIELD(0x10, 23, 24), hl32(view, SC_HL_TUNNEL + 4) >> 8);
		prm_set(out, PRM_FIELD(0x14, 31, 8), hl32(view, SC_HL_TUNNEL));
		prm_set(out, PRM_FIELD(0x14, 23, 8), hl32(view, SC_HL_TUNNEL) >> 24);
	} else if (parse->tunnel_type == SC_TUNNEL_GTPU) {
		prm_set(out, PRM_FIELD(0x2c, 31, 8), hl32(view, 4 * SC_HL_GTPU_DW_0) >> 16);
		prm_set(out, PRM_FIELD(0x2c, 23, 8), hl32(view, 4 * SC_HL_GTPU_DW_0) >> 24);
	}
}

static void
make_section(struct sc_match_view *view, uint32_t section)
{
	static void (*const specials[SECTIONS])(struct sc_match_view *, uint8_t *) = {
		[OUTER] = make_outer, [MISC] = make_misc, [INNER] = make_inner, [MISC_2] = make_misc_2,
		[MISC_3] = make_misc_3,
	};
	uint8_t *out = view->bytes + sections[section].at;
	uint32_t i;

	memset(out, 0, sections[section].len);
	for (i = 0; i < NB_ROWS; i++)
		if (rows[i].section == section && rows[i].how == COPY)
			prm_set(out, rows[i].to, prm_get(view->hl + rows[i].block, rows[i].from));
	if (specials[section] != NULL)
		specials[section](view, out);
	view->made |= 1u << section;
}

/* The bits of a section that rows cover. */
static void
section_coverage(uint32_t section, uint8_t *out)
{
	uint32_t i;

	memset(out, 0, sections[section].len);
	for (i = 0; i < NB_ROWS; i++)
		if (rows[i].section == section)
			prm_set(out, rows[i].to, UINT32_MAX);
}

int
sc_match_mask(struct sc_match *mask, uint8_t criteria, const void *bytes, size_t len, char *why, size_t size)
{
	uint8_t whole[SC_MATCH_BYTES] = { 0 }, covered[0x40];
	uint32_t section, i;

	memset(mask, 0, sizeof(*mask));
	if (criteria >> SC_MATCH_CRITERIA != 0)
		return snprintf(why, size, "match_criteria_enable 0x%x has unknown bits", criteria), -EINVAL;
	if (len > SC_MATCH_BYTES)
		return snprintf(why, size, "match parameters of %zu bytes, at most %u", len, SC_MATCH_BYTES),
		       -EINVAL;
	memcpy(whole, bytes, len);
	for (section = 0; section < SECTIONS; section++) {
		if (!(criteria & 1u << section))
			continue;
		section_coverage(section, covered);
		for (i = 0; i < sections[section].len; i++) {
			uint8_t byte = whole[sections[section].at + i];

			if (byte & ~covered[i])
				return snprintf(why, size,
					       "%s byte 0x%x mask 0x%02x: no field that can be matched",
					       sections[section].name, i, byte),
				       -EINVAL;
			mask->bytes[sections[section].at + i] = byte;
			if (byte != 0)
				mask->criteria |= 1u << section;
		}
	}
	return 0;
}

void
sc_match_value(struct sc_match *value, const struct sc_match *mask, const void *bytes, size_t len)
{
	size_t i;

	memset(value, 0, sizeof(*value));
	value->criteria = mask->criteria;
	for (i = 0; i < len && i < SC_MATCH_BYTES; i++)
		value->bytes[i] = ((const uint8_t *)bytes)[i] & mask->bytes[i];
}

static bool
section_hit(const uint8_t *mask, const uint8_t *value, const uint8_t *shown, uint32_t len)
{
	uint64_t m, v, s, differ = 0;
	uint32_t i;

	for (i = 0; i < len; i += sizeof(m)) {
		memcpy(&m, mask + i, sizeof(m));
		memcpy(&v, value + i, sizeof(v));
		memcpy(&s, shown + i, sizeof(s));
		differ |= (s & m) ^ v;
	}
	return differ == 0;
}

bool
sc_match_hit(const struct sc_match *mask, const struct sc_match *value, struct sc_match_view *view)
{
	uint32_t section, at;

	for (section = 0; section < SECTIONS; section++) {
		if (!(mask->criteria & 1u << section))
			continue;
		if (!(view->made & 1u << section))
			make_section(view, section);
		at = sections[section].at;
		if (!section_hit(mask->bytes + at, value->bytes + at, view->bytes + at,
		    sections[section].len))
			return false;
	}
	return true;
}

bool
sc_match_wants_verdict(const struct sc_match *mask)
{
	return prm_get(mask->bytes + sections[OUTER].at, PRM_FIELD(0x18, 9, 2)) != 0 ||
		prm_get(mask->bytes + sections[INNER].at, PRM_FIELD(0x18, 9, 2)) != 0;
}
