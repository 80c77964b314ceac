/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The hash and what a good order of selectors does for it: rows that a counting field reaches are counted one by one with
 * a plain CRC, whose published check value is verified first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "hws/program.h"
#include "hws/spread.h"

static const struct definer_limits limits = { .jumbo = true, .any_dw_8_6 = true };

static uint32_t
crc(const uint8_t *bytes, size_t n)
{
	uint32_t c = 0;

	for (size_t i = 0; i < n; i++) {
		c ^= bytes[i];
		for (unsigned int b = 0; b < 8; b++)
			c = (c & 1) != 0 ? c >> 1 ^ 0xedb88320 : c >> 1;
	}
	return c;
}

static void
check_value(void **state)
{
	assert_int_equal(crc((const uint8_t *)"123456789", 9), 0x2dfd2d88);
}

static struct mlx5dr_field
counting(int hl)
{
	return (struct mlx5dr_field){ .hl = hl, .mask = prm_mask(hl),
				      .value = { .from = MLX5DR_FROM_SOURCE, .source = { .unit = 4 } } };
}

/* Rows reached when the field counts from 0 to 2^log_rows - 1 (or all its values). */
static unsigned int
rows_reached(const struct definer *definer, int hl, unsigned int log_rows)
{
	unsigned int skip = definer->jumbo ? 0 : 12, nb = 0;
	unsigned int values = prm_width(hl) < log_rows ? 1u << prm_width(hl) : 1u << log_rows;
	uint8_t *seen = calloc(1u << log_rows, 1);

	for (unsigned int v = 0; v < values; v++) {
		uint8_t packet[4] = { 0 }, tag[DEFINER_TAG_BYTES] = { 0 };
		uint32_t row;

		prm_store32(packet, v << prm_shift(hl));
		for (unsigned int b = 0; b < 4; b++) {
			int t = definer_tag_byte(definer, prm_offset(hl) + b);

			if (t >= 0)
				tag[t] = packet[b] & definer->mask[t];
		}
		row = __builtin_bswap32(crc(tag + skip, DEFINER_TAG_BYTES - skip)) & ((1u << log_rows) - 1);
		nb += !seen[row];
		seen[row] = 1;
	}
	free(seen);
	return nb;
}

static void
check(const struct mlx5dr_field *fields, unsigned int nb)
{
	uint8_t mask[MLX5DR_HL_BYTES];
	struct definer definer;
	int bad;

	assert_int_equal(program_hl_mask(fields, nb, mask, &bad), 0);
	for (unsigned int log_rows = 4; log_rows <= 18; log_rows += 2) {
		unsigned int before, after, worst = 0;

		assert_int_equal(definer_select(mask, &limits, &definer), 0);
		before = spread_deficiency(&definer, fields, nb, log_rows);
		spread_arrange(&definer, &limits, fields, nb, log_rows);
		after = spread_deficiency(&definer, fields, nb, log_rows);
		assert_true(after <= before);
		/* Rows hold four entries: one missing dimension is two of them. */
		assert_true(after <= 1);
		/* The device's own arithmetic agrees: each missing dimension halves the rows. */
		for (unsigned int i = 0; i < nb; i++) {
			unsigned int bits = prm_width(fields[i].hl) < log_rows ? prm_width(fields[i].hl) : log_rows;
			unsigned int rows = rows_reached(&definer, fields[i].hl, log_rows), missing = 0;

			/* Upper dwords of IPv6 addresses take what is left. */
			if (prm_offset(fields[i].hl) >= 0x110 && prm_offset(fields[i].hl) % 16 != 12)
				continue;
			while (rows << missing < 1u << bits)
				missing++;
			worst = missing > worst ? missing : worst;
		}
		assert_int_equal(worst, after);
		for (unsigned int b = 0; b < MLX5DR_HL_BYTES; b++)
			if (mask[b] != 0)
				assert_int_equal(definer.mask[definer_tag_byte(&definer, b)], mask[b]);
	}
}

static void
ipv4_tuple(void **state)
{
	const struct mlx5dr_field fields[] = {
		counting(MLX5DR_HL_IPV4_SRC_O), counting(MLX5DR_HL_IPV4_DST_O),
		counting(MLX5DR_HL_L4_SPORT_O), counting(MLX5DR_HL_L4_DPORT_O),
	};

	check(fields, 4);
	check(fields, 1);
	check(fields + 1, 1);
	check(fields + 2, 2);
}

static void
ipv6_tuple(void **state)
{
	struct mlx5dr_field fields[10];
	unsigned int nb = 0;

	for (unsigned int i = 0; i < 4; i++) {
		fields[nb++] = counting(PRM_FIELD(0x110 + 4 * i, 31, 32));
		fields[nb++] = counting(PRM_FIELD(0x130 + 4 * i, 31, 32));
	}
	fields[nb++] = counting(MLX5DR_HL_L4_SPORT_O);
	fields[nb++] = counting(MLX5DR_HL_L4_DPORT_O);
	check(fields, nb);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_value),
		cmocka_unit_test(ipv4_tuple),
		cmocka_unit_test(ipv6_tuple),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
