/* SPDX-License-Identifier: BSD-3-Clause */

/* Accessors against bytes typed by hand. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "prm/field.h"

static void
reads_fields_of_every_shape(void **state)
{
	static const uint8_t bytes[] = {
		0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x01, 0x02, 0x03, 0x04,
	};

	assert_int_equal(prm_get(bytes, PRM_FIELD(0, 31, 32)), 0x12345678);
	assert_int_equal(prm_get(bytes, PRM_FIELD(0, 31, 4)), 0x1);
	assert_int_equal(prm_get(bytes, PRM_FIELD(0, 27, 12)), 0x234);
	assert_int_equal(prm_get(bytes, PRM_FIELD(0, 7, 8)), 0x78);
	assert_int_equal(prm_get(bytes, PRM_FIELD(0, 3, 1)), 1);
	assert_int_equal(prm_get(bytes, PRM_FIELD(0, 0, 1)), 0);
	assert_int_equal(prm_get(bytes, PRM_FIELD(4, 23, 24)), 0xbcdef0);
	assert_true(prm_get64(bytes, PRM_FIELD(4, 31, 64)) == 0x9abcdef001020304ull);
}

static void
writes_only_the_field(void **state)
{
	uint8_t bytes[12] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0 };
	static const uint8_t expected[12] = { 0xf5, 0xa7, 0xff, 0xff, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0x80 };

	prm_set(bytes, PRM_FIELD(0, 27, 8), 0x5a);
	prm_set(bytes, PRM_FIELD(0, 19, 4), 0x7);
	prm_set(bytes, PRM_FIELD(4, 31, 32), 0x11223344);
	prm_set(bytes, PRM_FIELD(8, 7, 1), 0xffffffff);
	assert_memory_equal(bytes, expected, sizeof(bytes));
}

static void
drops_bits_beyond_the_width(void **state)
{
	uint8_t bytes[4] = { 0 };
	static const uint8_t expected[4] = { 0x00, 0x0f, 0x00, 0x00 };

	prm_set(bytes, PRM_FIELD(0, 19, 4), 0xabcdef);
	assert_memory_equal(bytes, expected, sizeof(bytes));
}

static void
works_on_unaligned_bytes(void **state)
{
	uint8_t bytes[16] = { 0 };
	static const uint8_t expected[16] = { 0, 0, 0, 0, 0, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0, 0, 0 };

	prm_set64(bytes + 1, PRM_FIELD(4, 31, 64), 0x0102030405060708ull);
	assert_memory_equal(bytes, expected, sizeof(bytes));
	assert_int_equal(prm_get(bytes + 1, PRM_FIELD(8, 31, 16)), 0x0506);
}

static void
names_areas(void **state)
{
	uint8_t bytes[0x30];

	assert_ptr_equal(prm_area(bytes, PRM_FIELD(0x20, 31, 128)), bytes + 0x20);
	assert_int_equal(prm_width(PRM_FIELD(0x28, 31, 320)), 320);
	assert_int_equal(prm_offset(PRM_FIELD(0x7ffc, 31, 0)), 0x7ffc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_fields_of_every_shape),
		cmocka_unit_test(writes_only_the_field),
		cmocka_unit_test(drops_bits_beyond_the_width),
		cmocka_unit_test(works_on_unaligned_bytes),
		cmocka_unit_test(names_areas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
