/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/definer.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "softcx/steer/hl.h"

/*
 * With initial value 0 and no inversion the CRC is linear: the CRC of a tag is the exclusive or of one table
 * entry a byte, chosen by the byte's distance from the end. So dwords that are masked away cost nothing, and
 * the look-ups do not wait for one another.
 */
static uint32_t crc_tables[SC_TAG_BYTES][256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void
crc_tables_make(void)
{
	enum { POLYNOMIAL = 0xEDB88320 };
	uint32_t value, crc;
	int at, bit;

	for (value = 0; value < 256; value++) {
		crc = value;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ (uint32_t)POLYNOMIAL : crc >> 1;
		crc_tables[SC_TAG_BYTES - 1][value] = crc;
	}
	for (at = SC_TAG_BYTES - 2; at >= 0; at--)
		for (value = 0; value < 256; value++) {
			crc = crc_tables[at + 1][value];
			crc_tables[at][value] = crc >> 8 ^ crc_tables[SC_TAG_BYTES - 1][crc & 0xff];
		}
}

uint32_t
sc_hash_crc(const uint8_t *bytes, uint32_t len)
{
	uint32_t crc = 0, i;

	pthread_once(&crc_once, crc_tables_make);
	for (i = 0; i < len; i++)
		crc ^= crc_tables[SC_TAG_BYTES - len + i][bytes[i]];
	return crc;
}

/* What the four bytes of T from byte at on add to the CRC. dword: as they lie in memory. */
static inline uint32_t
crc_dword(uint32_t at, uint32_t dword)
{
	const uint32_t (*table)[256] = (const uint32_t (*)[256])&crc_tables[at];

	dword = le32toh(dword); /* the first byte is the lowest */
	return table[0][dword & 0xff] ^ table[1][dword >> 8 & 0xff] ^ table[2][dword >> 16 & 0xff] ^
		table[3][dword >> 24];
}

uint32_t
sc_definer_hash(const struct sc_definer *definer, const uint8_t *t)
{
	uint32_t crc = 0, i, dword;

	for (i = 0; i < definer->nb_used; i++) {
		memcpy(&dword, t + definer->used[i], sizeof(dword));
		crc ^= crc_dword(definer->used[i], dword);
	}
	return __builtin_bswap32(crc);
}

int
sc_definer_compile(struct sc_definer *definer, unsigned int *bad)
{
	uint32_t i, to, mask;

	pthread_once(&crc_once, crc_tables_make);
	definer->nb_dwords = definer->nb_bytes = definer->nb_used = 0;
	definer->wants_verdict = false;
	for (i = 0; i < SC_DEFINER_DWORDS; i++) {
		to = 4 * (SC_DEFINER_DWORDS - 1 - i);
		memcpy(&mask, definer->mask + to, sizeof(mask));
		if (mask == 0)
			continue;
		if (definer->dword_selector[i] >= SC_HL_DWORDS) {
			*bad = i;
			return -EINVAL;
		}
		definer->wants_verdict |= sc_hl_has_verdict(definer->dword_selector[i], be32toh(mask));
		definer->dwords[definer->nb_dwords].from = (uint16_t)(4 * definer->dword_selector[i]);
		definer->dwords[definer->nb_dwords].to = (uint8_t)to;
		definer->dwords[definer->nb_dwords++].mask = mask;
	}
	for (i = 0; i < SC_DEFINER_BYTES; i++) {
		to = SC_TAG_BYTES - 1 - i;
		if (definer->mask[to] == 0)
			continue;
		definer->wants_verdict |= sc_hl_has_verdict(definer->byte_selector[i] / 4,
			(uint32_t)definer->mask[to] << (8 * (3 - definer->byte_selector[i] % 4)));
		definer->bytes[definer->nb_bytes].from = definer->byte_selector[i];
		definer->bytes[definer->nb_bytes].to = (uint8_t)to;
		definer->bytes[definer->nb_bytes++].mask = definer->mask[to];
	}
	for (i = 0; i < SC_TAG_BYTES; i += sizeof(mask)) {
		memcpy(&mask, definer->mask + i, sizeof(mask));
		if (mask != 0 && i < SC_TAG_8DW_AT)
			definer->beyond_8dw = true;
		if (mask != 0)
			definer->used[definer->nb_used++] = (uint8_t)i;
	}
	return 0;
}

void
sc_definer_tag(const struct sc_definer *definer, const uint8_t *hl, uint8_t *t)
{
	uint32_t i, dword;

	memset(t, 0, SC_TAG_BYTES);
	for (i = 0; i < definer->nb_dwords; i++) {
		memcpy(&dword, hl + definer->dwords[i].from, sizeof(dword));
		dword &= definer->dwords[i].mask;
		memcpy(t + definer->dwords[i].to, &dword, sizeof(dword));
	}
	for (i = 0; i < definer->nb_bytes; i++)
		t[definer->bytes[i].to] = hl[definer->bytes[i].from] & definer->bytes[i].mask;
}
