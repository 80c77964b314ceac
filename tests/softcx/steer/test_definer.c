/* SPDX-License-Identifier: BSD-3-Clause */

/* Tags and hashes: the worked example of Appendix B, the check value of 6.5, a CRC made bit by bit. */
#include "bench.h"

#include <stdlib.h>

#include "softcx/steer/definer.h"
#include "softcx/steer/hl.h"

static uint32_t
crc_bitwise(const uint8_t *bytes, uint32_t len)
{
	uint32_t crc = 0, i;
	int bit;

	for (i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
	}
	return crc;
}

static void
check_value(void **state)
{
	assert_int_equal(sc_hash_crc((const uint8_t *)"123456789", 9), 0x2dfd2d88);
}

static void
crc_against_bits(void **state)
{
	uint8_t bytes[SC_TAG_BYTES];
	uint32_t len, i;

	srand(1);
	for (len = 0; len <= SC_TAG_BYTES; len++) {
		for (i = 0; i < len; i++)
			bytes[i] = (uint8_t)rand();
		assert_int_equal(sc_hash_crc(bytes, len), crc_bitwise(bytes, len));
	}
}

/* Outer IPv4 source, destination, UDP destination port 4789. */
static void
appendix_b(void **state)
{
	struct sc_definer definer = { .dword_selector = { 0x02, 0x18, 0x40, 0x41 } };
	uint8_t hl[SC_HL_BYTES] = { 0 }, t[SC_TAG_BYTES], want[SC_TAG_BYTES] = { 0 };
	unsigned int bad;

	put32(definer.mask + 32, 0x003c0000);
	put32(definer.mask + 28, 0x0000ffff);
	put32(definer.mask + 24, 0xffffffff);
	put32(definer.mask + 20, 0xffffffff);
	assert_int_equal(sc_definer_compile(&definer, &bad), 0);
	put32(hl + 0x08,
		1u << 20 | 2u << 18 | 0x10c3ffff); /* l3_type 1, l4_type_bwc 2, and what is masked away */
	put32(hl + 0x60, 0x123412b5);
	put32(hl + 0x100, 0x0a010203);
	put32(hl + 0x104, 0xc0a80709);
	sc_definer_tag(&definer, hl, t);
	put32(want + 32, 0x00180000);
	put32(want + 28, 0x000012b5);
	put32(want + 24, 0x0a010203);
	put32(want + 20, 0xc0a80709);
	assert_memory_equal(t, want, SC_TAG_BYTES);
	assert_int_equal(sc_definer_hash(&definer, t), __builtin_bswap32(crc_bitwise(t + 12, 32)));
}

/* Every selector lands where 4.2 says. */
static void
positions(void **state)
{
	struct sc_definer definer = { .dword_selector = { 10, 11, 12, 13, 14, 15, 16, 17, 0x95 },
		.byte_selector = { 1, 2, 3, 4, 5, 6, 7, 255 } };
	uint8_t hl[SC_HL_BYTES], t[SC_TAG_BYTES];
	unsigned int bad;
	uint32_t i;

	memset(definer.mask, 0xff, sizeof(definer.mask));
	for (i = 0; i < SC_HL_BYTES; i++)
		hl[i] = (uint8_t)(i * 7 + i / 256);
	assert_int_equal(sc_definer_compile(&definer, &bad), 0);
	sc_definer_tag(&definer, hl, t);
	for (i = 0; i < 9; i++)
		assert_memory_equal(t + 4 * (8 - i), hl + 4 * definer.dword_selector[i], 4);
	for (i = 0; i < 8; i++)
		assert_int_equal(t[43 - i], hl[definer.byte_selector[i]]);
	assert_int_equal(sc_definer_hash(&definer, t), __builtin_bswap32(crc_bitwise(t, 44)));
}

static void
beyond_layout(void **state)
{
	struct sc_definer definer = { .dword_selector = { 0xff, 0, 0x96 } };
	unsigned int bad = 0;

	put32(definer.mask + 4 * 7, 1); /* dword selector 1 */
	assert_int_equal(sc_definer_compile(&definer, &bad), 0); /* 0xff and 0x96 are masked away */
	put32(definer.mask + 4 * 6, 1);
	assert_int_not_equal(sc_definer_compile(&definer, &bad), 0);
	assert_int_equal(bad, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_value), cmocka_unit_test(crc_against_bits), cmocka_unit_test(appendix_b),
		cmocka_unit_test(positions), cmocka_unit_test(beyond_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
