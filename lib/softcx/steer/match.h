/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Matching on fte_match_param, as root tables and ordinary flow tables do it (hws.md 9.1). What a frame shows
 * in a field is taken from its header layout, by one table; the fields that can be matched are the rows of
 * that table.
 */
#ifndef SOFTCX_MATCH_H
#define SOFTCX_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"

#define SC_MATCH_BYTES    0x200
#define SC_MATCH_CRITERIA 7 /* outer, misc, inner, misc_2 .. misc_5 */

/* A mask or a value. In a mask, criteria bit s is set where section s has a bit set. */
struct sc_match {
	uint8_t criteria;
	uint8_t bytes[SC_MATCH_BYTES];
};

/* A frame as fte_match_param, made section by section when somebody asks. */
struct sc_match_view {
	const uint8_t *hl;
	const struct sc_packet *pkt;
	const struct sc_parse *parse;
	uint8_t made; /* criteria bits of the sections that are there */
	uint8_t bytes[SC_MATCH_BYTES];
};

static inline void
sc_match_view_init(struct sc_match_view *view, const uint8_t *hl, const struct sc_packet *pkt,
	const struct sc_parse *parse)
{
	view->hl = hl;
	view->pkt = pkt;
	view->parse = parse;
	view->made = 0;
}

/*
 * Take over a mask of len bytes under a criteria bitmap; bits of sections outside the bitmap do not count.
 * @return 0, or -EINVAL with a line in why: a bit in a field that cannot be matched.
 */
int sc_match_mask(
	struct sc_match *mask, uint8_t criteria, const void *bytes, size_t len, char *why, size_t size);

/* Take over a value for that mask; bits outside the mask are dropped. */
void sc_match_value(struct sc_match *value, const struct sc_match *mask, const void *bytes, size_t len);

bool sc_match_hit(const struct sc_match *mask, const struct sc_match *value, struct sc_match_view *view);

/* Does the mask look at checksum verdicts? */
bool sc_match_wants_verdict(const struct sc_match *mask);

#endif
