/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * From a TIR to a receive queue: hash and indirection.
 */
#include <string.h>

#include "prm/field.h"
#include "prm/queue.h"
#include "softcx/nic/internal.h"
#include "softcx/steer/checksum.h"

#define SELECTED_FIELDS 0x3fffffffu
#define FIELDS_IP       (PRM_HASH_FIELD_SRC_IP | PRM_HASH_FIELD_DST_IP)
#define FIELDS_PORT     (PRM_HASH_FIELD_L4_SPORT | PRM_HASH_FIELD_L4_DPORT)

uint32_t
sc_toeplitz(const uint8_t *key, const uint8_t *input, uint32_t len)
{
	/*
	 * The 32 key bits over the current input bit are the high half; the next key byte waits in the
	 * low one.
	 */
	uint64_t window = (uint64_t)prm_load32(key) << 32 | (uint64_t)prm_load32(key + 4);
	uint32_t hash = 0;

	for (uint32_t i = 0; i < len; i++) {
		for (int bit = 7; bit >= 0; bit--) {
			if (input[i] >> bit & 1)
				hash ^= (uint32_t)(window >> 32);
			window <<= 1;
		}
		/* Eight bits were shifted out; the key's byte i + 8 goes to the free end. */
		window |= i + 8 < SC_RSS_KEY_BYTES ? key[i + 8] : 0;
	}
	return hash;
}

/* A pair made the same for both directions: OR of the two first, XOR second. */
static void
mix_pair(uint8_t *first, uint8_t *second, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		uint8_t a = first[i], b = second[i];

		first[i] = a | b;
		second[i] = a ^ b;
	}
}

/* Append the chosen of two neighbouring fields of len bytes each. @return bytes appended. */
static uint32_t
append_pair(uint8_t *to, const uint8_t *src, const uint8_t *dst, uint32_t len, bool want_src, bool want_dst,
	bool symmetric)
{
	uint32_t n = 0;

	if (want_src) {
		memcpy(to, src, len);
		n += len;
	}
	if (want_dst) {
		memcpy(to + n, dst, len);
		n += len;
	}
	if (symmetric && want_src && want_dst)
		mix_pair(to, to + len, len);
	return n;
}

/* Does the selector speak of this kind of packet? */
static bool
fits(uint32_t selector, const struct sc_parse_level *level)
{
	uint32_t fields = selector & SELECTED_FIELDS;
	bool want_ipv6 = selector >> 31, want_udp = selector >> 30 & 1;

	if (fields == 0 || level->l3 == SC_ABSENT ||
		level->l3_type != (want_ipv6 ? SC_L3_IPV6 : SC_L3_IPV4))
		return false;
	if (fields & FIELDS_PORT)
		return level->l4 != SC_ABSENT && !level->fragment &&
		       level->l4_type == (want_udp ? SC_L4_UDP : SC_L4_TCP);
	if (fields & PRM_HASH_FIELD_IPSEC_SPI)
		return level->l4 != SC_ABSENT && level->l4_type == SC_L4_ESP;
	return true;
}

static uint8_t
hash_type(uint32_t selector)
{
	uint8_t l3 = selector & FIELDS_IP ? 1 + (selector >> 31) : 0, l4 = 0;

	if (selector & FIELDS_PORT)
		l4 = 1 + (selector >> 30 & 1);
	else if (selector & PRM_HASH_FIELD_IPSEC_SPI)
		l4 = 3;
	return (uint8_t)(l4 << 6 | l3 << 2);
}

void
sc_rss_hash(
	const struct sc_tir *tir, const uint8_t *frame, const struct sc_parse *parse, struct sc_rss *rss)
{
	bool inner = (tir->inner & SELECTED_FIELDS) != 0;
	uint32_t selector = inner ? tir->inner : tir->outer;
	const struct sc_parse_level *level = inner ? &parse->inner : &parse->outer;
	uint8_t input[36];
	const uint8_t *ip, *l4;
	uint32_t n = 0, len;

	rss->hash = 0;
	rss->type = 0;
	if (tir->hash_fn != PRM_RX_HASH_FN_TOEPLITZ || !fits(selector, level))
		return;
	len = level->l3_type == SC_L3_IPV6 ? 16 : 4;
	ip = frame + level->l3 + (level->l3_type == SC_L3_IPV6 ? 8 : 12);
	l4 = frame + level->l4;
	n += append_pair(input, ip, ip + len, len, selector & PRM_HASH_FIELD_SRC_IP,
		selector & PRM_HASH_FIELD_DST_IP, tir->symmetric);
	if (selector & FIELDS_PORT) {
		n += append_pair(input + n, l4, l4 + 2, 2, selector & PRM_HASH_FIELD_L4_SPORT,
			selector & PRM_HASH_FIELD_L4_DPORT, tir->symmetric);
	} else if (selector & PRM_HASH_FIELD_IPSEC_SPI) {
		memcpy(input + n, l4, 4);
		n += 4;
	}
	rss->hash = sc_toeplitz(tir->key, input, n);
	rss->type = hash_type(selector);
}

struct sc_rq *
sc_rss_queue(const struct sc_tir *tir, const struct sc_rss *rss)
{
	return tir->indirect ? tir->rqt->rq[rss->hash & (tir->rqt->size - 1)] : tir->rq;
}
