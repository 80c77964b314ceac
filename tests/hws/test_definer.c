/* SPDX-License-Identifier: BSD-3-Clause */

/* Selection of definers: the specification's worked example, jumbo, limits, and that every masked bit has its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "hws/definer.h"
#include "random.h"

static const struct definer_limits all_dwords = { .jumbo = true, .any_dw_8_6 = true };
static const struct definer_limits low_dwords = { .jumbo = true, .any_dw_8_6 = false };
static const struct definer_limits short_only = { .jumbo = false };

static void
worked_example(void **state)
{
	uint8_t mask[MLX5DR_HL_BYTES] = { 0 };
	static const uint8_t expected[DEFINER_TAG_BYTES] = {
		[20] = 0xff, 0xff, 0xff, 0xff, /* DW3: destination */
		[24] = 0xff, 0xff, 0xff, 0xff, /* DW2: source */
		[28] = 0x00, 0x00, 0xff, 0xff, /* DW1: ports */
		[32] = 0x00, 0x3c, 0x00, 0x00, /* DW0: types */
	};
	struct definer d;

	prm_set(mask, MLX5DR_HL_L3_TYPE_O, 3);
	prm_set(mask, MLX5DR_HL_L4_TYPE_BWC_O, 3);
	prm_set(mask, MLX5DR_HL_L4_DPORT_O, 0xffff);
	prm_set(mask, MLX5DR_HL_IPV4_SRC_O, UINT32_MAX);
	prm_set(mask, MLX5DR_HL_IPV4_DST_O, UINT32_MAX);
	assert_int_equal(definer_select(mask, &all_dwords, &d), 0);
	assert_false(d.jumbo);
	assert_int_equal(d.used_dw, 0xf);
	assert_int_equal(d.used_byte, 0);
	assert_int_equal(d.dw[0], 0x02);
	assert_int_equal(d.dw[1], 0x18);
	assert_int_equal(d.dw[2], 0x40);
	assert_int_equal(d.dw[3], 0x41);
	assert_memory_equal(d.mask, expected, sizeof(expected));
	assert_int_equal(definer_tag_byte(&d, 0x100), 24);
	assert_int_equal(definer_tag_byte(&d, 0x009), 33);
	assert_int_equal(definer_tag_byte(&d, 0x00c), -1);
}

static void
ipv6_mask(uint8_t mask[MLX5DR_HL_BYTES])
{
	memset(mask, 0, MLX5DR_HL_BYTES);
	memset(mask + 0x110, 0xff, 16);
	memset(mask + 0x130, 0xff, 16);
	prm_set(mask, MLX5DR_HL_L4_SPORT_O, 0xffff);
	prm_set(mask, MLX5DR_HL_L4_DPORT_O, 0xffff);
	prm_set(mask, MLX5DR_HL_L3_TYPE_O, 3);
	prm_set(mask, MLX5DR_HL_L4_TYPE_BWC_O, 3);
}

/* Eight dwords above the reach of bytes: only nine dword selectors take them. */
static void
ipv6_five_tuple(void **state)
{
	uint8_t mask[MLX5DR_HL_BYTES];
	struct definer d;

	ipv6_mask(mask);
	assert_int_equal(definer_select(mask, &all_dwords, &d), 0);
	assert_true(d.jumbo);
	assert_int_equal(definer_select(mask, &low_dwords, &d), -E2BIG);
	assert_int_equal(definer_select(mask, &short_only, &d), -E2BIG);
	assert_int_equal(definer_bytes_asked(mask), 32 + 4 + 1);
}

/* The older device: three low dwords in DW6..DW8 free the full ones for addresses. */
static void
limited_selectors(void **state)
{
	uint8_t mask[MLX5DR_HL_BYTES] = { 0 };
	struct definer d;

	memset(mask + 0x110, 0xff, 16);
	memset(mask + 0x100, 0xff, 8);
	memset(mask + 0x000, 0xff, 16);
	memset(mask + 0x060, 0xff, 4);
	assert_int_equal(definer_select(mask, &short_only, &d), -E2BIG);
	assert_int_equal(definer_select(mask, &low_dwords, &d), 0);
	assert_true(d.jumbo);
	for (unsigned int i = 6; i < 9; i++)
		if ((d.used_dw >> i & 1) != 0)
			assert_true(d.dw[i] < 64);
}

static void
no_fields(void **state)
{
	uint8_t mask[MLX5DR_HL_BYTES] = { 0 };
	struct definer d;

	assert_int_equal(definer_select(mask, &all_dwords, &d), 0);
	assert_int_equal(d.used_dw, 0);
	assert_false(d.jumbo);
}

/* Tag bytes are distinct, carry the mask of their header byte, and nothing else is masked. */
static void
check_cover(const uint8_t *mask, const struct definer *d)
{
	uint8_t seen[DEFINER_TAG_BYTES] = { 0 };

	for (unsigned int b = 0; b < MLX5DR_HL_BYTES; b++) {
		int t = definer_tag_byte(d, b);

		if (mask[b] == 0)
			continue;
		assert_true(t >= (d->jumbo ? 0 : 12));
		assert_false(seen[t]);
		seen[t] = 1;
		assert_int_equal(d->mask[t], mask[b]);
	}
	for (unsigned int t = 0; t < DEFINER_TAG_BYTES; t++)
		if (!seen[t])
			assert_int_equal(d->mask[t], 0);
}

/* Brute force: can this mask fit at all? Greedy is exact for one kind of selector at a time, so count both. */
static int
fits(const uint8_t *mask, unsigned int dwords)
{
	unsigned int high = 0, sizes[5] = { 0 }, bytes = 8;

	for (unsigned int dw = 0; dw < MLX5DR_HL_BYTES / 4; dw++) {
		unsigned int n = 0;

		for (unsigned int b = 0; b < 4; b++)
			n += mask[dw * 4 + b] != 0;
		if (n != 0 && dw >= 64)
			high++;
		else
			sizes[n]++;
	}
	if (high > dwords)
		return 0;
	/* Small ones by bytes first; the rest need dwords. */
	dwords -= high;
	for (unsigned int n = 1; n <= 4; n++)
		for (; sizes[n] > 0; sizes[n]--) {
			if (bytes >= n)
				bytes -= n;
			else if (dwords > 0)
				dwords--;
			else
				return 0;
		}
	return 1;
}

static void
random_masks(void **state)
{
	unsigned int nb_fit = 0;

	random_seed();
	for (unsigned int round = 0; round < 20000; round++) {
		uint8_t mask[MLX5DR_HL_BYTES] = { 0 };
		unsigned int n = random_below(18);
		struct definer d;
		int8_t follows[DEFINER_DWORDS];
		int ret;

		while (n-- > 0)
			mask[random_below(2) ? random_below(0x90) : random_below(0x258)] = random_below(255) + 1;
		ret = definer_select(mask, &all_dwords, &d);
		assert_int_equal(ret == 0, fits(mask, 9));
		if (ret < 0)
			continue;
		assert_int_equal(d.jumbo, !fits(mask, 6));
		nb_fit++;
		check_cover(mask, &d);
		for (unsigned int i = 0; i < DEFINER_DWORDS; i++)
			follows[i] = (int8_t)random_below(10) - 1;
		definer_arrange(&d, &all_dwords, follows);
		check_cover(mask, &d);
	}
	assert_true(nb_fit > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(ipv6_five_tuple),
		cmocka_unit_test(limited_selectors),
		cmocka_unit_test(no_fields),
		cmocka_unit_test(random_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
