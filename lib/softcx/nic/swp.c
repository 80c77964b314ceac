/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The software parser: a send WQE says where the headers are that the device's own parser does not reach
 * (IP in UDP, tunnels on ports of one's own). What the parser finds by itself stays as found.
 */
#include "prm/wqe.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/checksum.h"

static void
add_l3(const uint8_t *frame, uint32_t len, uint32_t at, bool ipv6, struct sc_parse_level *level)
{
	uint32_t header, end;

	if (at + (ipv6 ? 40 : 20) > len || frame[at] >> 4 != (ipv6 ? 6 : 4))
		return;
	header = ipv6 ? 40 : (frame[at] & 15u) * 4;
	end = at + (ipv6 ? 40 : 0) + sc_load16(frame + at + (ipv6 ? 4 : 2));
	if (header < 20 || at + header > len)
		return;
	level->l3 = (uint16_t)at;
	level->l3_type = ipv6 ? SC_L3_IPV6 : SC_L3_IPV4;
	level->l3_ok = end >= at + header && end <= len;
	level->l3_end = (uint16_t)(level->l3_ok ? end : len);
	level->fragment = !ipv6 && (sc_load16(frame + at + 6) & 0x3fff) != 0;
}

static void
add_l4(const uint8_t *frame, uint32_t at, bool udp, struct sc_parse_level *level)
{
	uint32_t header;

	if (at < level->l3 || at + (udp ? 8u : 20u) > level->l3_end)
		return;
	header = udp ? 8 : (frame[at + 12] >> 4) * 4u;
	level->l4 = (uint16_t)at;
	level->l4_type = udp ? SC_L4_UDP : SC_L4_TCP;
	level->payload = (uint16_t)(at + header);
	level->l4_ok = level->l3_ok && at + header <= level->l3_end;
}

static bool
knows_l4(const struct sc_parse_level *level)
{
	return level->l4 != SC_ABSENT && (level->l4_type == SC_L4_TCP || level->l4_type == SC_L4_UDP);
}

static void
complement(const uint8_t *frame, uint32_t len, const uint8_t offsets[2], bool ipv6, bool udp,
	struct sc_parse_level *level)
{
	uint32_t l4 = offsets[0] * 2u, l3 = offsets[1] * 2u;

	if (level->l3 == SC_ABSENT && l3 != 0)
		add_l3(frame, len, l3, ipv6, level);
	if (level->l3 != SC_ABSENT && !knows_l4(level) && l4 != 0)
		add_l4(frame, l4, udp, level);
}

void
sc_eth_parse_frame(const struct sc_eth *eth, const uint8_t *frame, uint32_t len, struct sc_parse *parse)
{
	sc_parse_frame(frame, len, parse);
	if (!eth->swp)
		return;
	complement(frame, len, eth->swp_offsets, eth->swp_flags & PRM_WQE_SWP_OUTER_L3_IPV6,
		eth->swp_flags & PRM_WQE_SWP_OUTER_L4_UDP, &parse->outer);
	complement(frame, len, eth->swp_offsets + 2, eth->swp_flags & PRM_WQE_SWP_INNER_L3_IPV6,
		eth->swp_flags & PRM_WQE_SWP_INNER_L4_UDP, &parse->inner);
}
