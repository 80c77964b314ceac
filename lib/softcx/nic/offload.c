/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Checksums of transmitted frames, as cs_flags ask for them.
 */
#include "prm/wqe.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/checksum.h"

static void
fill_l3(uint8_t *frame, const struct sc_parse_level *level)
{
	uint8_t *l3 = frame + level->l3;

	if (level->l3_type != SC_L3_IPV4 || !level->l3_ok)
		return;
	sc_store16(l3 + 10, 0);
	sc_store16(l3 + 10, (uint16_t)~sc_sum_fold(sc_sum_add(0, l3, (l3[0] & 15u) * 4)));
}

/* TCP and UDP differ in where the sum is, and UDP never sends a zero. */
static void
fill_l4(uint8_t *frame, const struct sc_parse_level *level)
{
	bool udp = level->l4_type == SC_L4_UDP;
	uint32_t len = (uint32_t)level->l3_end - level->l4;
	uint8_t *field = frame + level->l4 + (udp ? 6 : 16);
	uint16_t sum;

	if (level->l4 == SC_ABSENT || !level->l4_ok || level->fragment ||
		(!udp && level->l4_type != SC_L4_TCP))
		return;
	sc_store16(field, 0);
	sum = (uint16_t)~sc_sum_fold(sc_sum_add(
		sc_sum_pseudo(frame + level->l3, level->l3_type == SC_L3_IPV6, udp ? 17 : 6, len),
		frame + level->l4, len));
	sc_store16(field, udp && sum == 0 ? 0xffff : sum);
}

void
sc_offload_checksum(const struct sc_eth *eth, uint8_t *frame, uint32_t len)
{
	uint8_t cs_flags = eth->cs_flags;
	struct sc_parse parse;

	sc_eth_parse_frame(eth, frame, len, &parse);
	/* Inside out: the outer sum covers the inner one. */
	if (cs_flags & PRM_WQE_CS_L3_INNER && parse.inner.l3 != SC_ABSENT)
		fill_l3(frame, &parse.inner);
	if (cs_flags & PRM_WQE_CS_L4_INNER && parse.inner.l3 != SC_ABSENT)
		fill_l4(frame, &parse.inner);
	if (cs_flags & PRM_WQE_CS_L3 && parse.outer.l3 != SC_ABSENT)
		fill_l3(frame, &parse.outer);
	if (cs_flags & PRM_WQE_CS_L4 && parse.outer.l3 != SC_ABSENT)
		fill_l4(frame, &parse.outer);
}
