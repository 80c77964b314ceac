/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/anchor.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { PACKET_START = 0x00 };

#define OUTER(m) { 1, offsetof(struct sc_parse, outer) + offsetof(struct sc_parse_level, m) }
#define INNER(m) { 1, offsetof(struct sc_parse, inner) + offsetof(struct sc_parse_level, m) }

/* PRM anchor number to the member of the parse that holds its offset (hws.md 2.6.1). */
static const struct {
	uint8_t known;
	uint16_t member;
} anchors[] = {
	[PACKET_START] = { 1, 0 },
	[0x01] = OUTER(l2), [0x02] = OUTER(vlan), [0x07] = OUTER(l3), [0x08] = OUTER(l4), [0x09] = OUTER(l4),
	[0x0a] = { 1, offsetof(struct sc_parse, tunnel) },
	[0x13] = INNER(l2), [0x19] = INNER(l3), [0x1a] = INNER(l4),
	[0x1b] = OUTER(payload), [0x1c] = INNER(payload),
};

/* Every offset of a parse: all of them move. */
#define LEVEL_MEMBERS(level) \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, l2), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, vlan), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, l3), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, l4), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, payload), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, extension), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, l3_end), \
	offsetof(struct sc_parse, level) + offsetof(struct sc_parse_level, type_at)

static const uint16_t offsets[] = {
	LEVEL_MEMBERS(outer),
	LEVEL_MEMBERS(inner),
	offsetof(struct sc_parse, tunnel),
	offsetof(struct sc_parse, labels),
};

bool
sc_anchor_known(uint8_t anchor)
{
	return anchor < sizeof(anchors) / sizeof(anchors[0]) && anchors[anchor].known;
}

int
sc_anchor_offset(uint8_t anchor, const struct sc_parse *parse, uint32_t *offset)
{
	uint16_t at;

	if (anchor == PACKET_START) {
		*offset = 0;
		return 0;
	}
	memcpy(&at, (const uint8_t *)parse + anchors[anchor].member, sizeof(at));
	*offset = at;
	return at == SC_ABSENT ? -ENOENT : 0;
}

static void
shift_offsets(struct sc_parse *parse, uint32_t from, uint32_t gone, int32_t by)
{
	uint16_t *offset;
	size_t i;

	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		offset = (uint16_t *)((uint8_t *)parse + offsets[i]);
		if (*offset == SC_ABSENT || *offset < from)
			continue;
		*offset = *offset < from + gone ? SC_ABSENT : (uint16_t)(*offset + by);
	}
}

int
sc_bytes_insert(struct sc_packet *pkt, struct sc_parse *parse, uint32_t at, const uint8_t *bytes,
	uint32_t len)
{
	uint8_t *end = pkt->room + sizeof(pkt->room);

	if (pkt->len + len > SC_PACKET_MAX)
		return -ENOSPC;
	if (pkt->data >= pkt->room + len) { /* the front moves: it is the shorter part */
		memmove(pkt->data - len, pkt->data, at);
		pkt->data -= len;
	} else {
		if (pkt->data + pkt->len + len > end)
			return -ENOSPC;
		memmove(pkt->data + at + len, pkt->data + at, pkt->len - at);
	}
	memcpy(pkt->data + at, bytes, len);
	pkt->len += len;
	shift_offsets(parse, at, 0, (int32_t)len);
	return 0;
}

int
sc_bytes_remove(struct sc_packet *pkt, struct sc_parse *parse, uint32_t at, uint32_t len)
{
	if (at + len > pkt->len)
		return -ENOENT;
	memmove(pkt->data + len, pkt->data, at);
	pkt->data += len;
	pkt->len -= len;
	shift_offsets(parse, at, len, -(int32_t)len);
	return 0;
}
