/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/encap.h"

#include <string.h>

#include "softcx/steer/checksum.h"

enum { PORT_MIN = 0xc000, PORT_MAX = 0xffff }; /* r_roce_min_src_udp_port, r_roce_max_src_udp_port */

void
sc_flow_key_take(struct sc_flow_key *key, const struct sc_packet *pkt, const struct sc_parse *parse)
{
	const struct sc_parse_level *outer = &parse->outer;
	const uint8_t *l3 = pkt->data + outer->l3, *l4 = pkt->data + outer->l4;
	uint8_t *bytes = key->bytes;

	memset(bytes, 0, sizeof(key->bytes));
	if (outer->l3 == SC_ABSENT)
		return;
	if (outer->l3_type == SC_L3_IPV4) {
		memcpy(bytes + 12, l3 + 16, 4);
		memcpy(bytes + 28, l3 + 12, 4);
	} else {
		memcpy(bytes, l3 + 24, 16);
		memcpy(bytes + 16, l3 + 8, 16);
	}
	bytes[32] = outer->protocol;
	if (outer->l4 != SC_ABSENT && (outer->l4_type == SC_L4_TCP || outer->l4_type == SC_L4_UDP)) {
		memcpy(bytes + 33, l4 + 2, 2);
		memcpy(bytes + 35, l4, 2);
	}
}

uint16_t
sc_flow_key_crc(const struct sc_flow_key *key)
{
	enum { POLYNOMIAL = 0x100b };
	uint16_t crc = 0;
	size_t i;
	int bit;

	for (i = 0; i < sizeof(key->bytes); i++) {
		crc ^= (uint16_t)(key->bytes[i] << 8);
		for (bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ POLYNOMIAL : crc << 1);
	}
	return crc;
}

void
sc_encap_finish(struct sc_packet *pkt, uint32_t len, const struct sc_flow_key *key)
{
	struct sc_parse parse;
	const struct sc_parse_level *outer = &parse.outer;
	uint8_t *at;

	sc_parse_frame(pkt->data, pkt->len, &parse);
	if (outer->l3 == SC_ABSENT || outer->l3 >= len) /* no IP in what was inserted */
		return;
	at = pkt->data + outer->l3;
	if (outer->l3_type == SC_L3_IPV4) {
		sc_store16(at + 2, (uint16_t)(pkt->len - outer->l3));
		sc_store16(at + 10, 0);
		sc_store16(at + 10, (uint16_t)~sc_sum_fold(sc_sum_add(0, at, (at[0] & 0xf) * 4)));
	} else {
		sc_store16(at + 4, (uint16_t)(pkt->len - outer->l3 - 40));
	}
	if (outer->l4_type != SC_L4_UDP || outer->l4 + 8u > len)
		return;
	at = pkt->data + outer->l4;
	sc_store16(at + 4, (uint16_t)(pkt->len - outer->l4));
	if (sc_load16(at) == 0)
		sc_store16(at, (uint16_t)((PORT_MIN | sc_flow_key_crc(key)) & PORT_MAX));
}
