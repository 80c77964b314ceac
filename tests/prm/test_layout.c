/* SPDX-License-Identifier: BSD-3-Clause */

/* Every layout row lies where its witness has it; rows without a witness are counted and may not grow unnoticed. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "witness.h"

/* Rows that nobody else has confirmed. Lower it when a row gains a witness; raising it needs a reason in the commit. */
#define MAX_NONE 87

/* Fields counted from the first bit of the layout, as the kernel's structures do. */
static size_t
first_bit(int position)
{
	return prm_offset(position) * 8 + 31 - prm_high_bit(position);
}

/* Areas of width 0 state their place only. A field may be a part of a witness of mlx5dv, whose members are whole words. */
static bool
agrees(const struct witness_row *row)
{
	size_t bit = first_bit(row->position), bits = prm_width(row->position);

	if (row->kind == PRM_WITNESS_IFC)
		return bit == row->first_bit && (bits == 0 || bits == row->nb_bits);
	return bit >= row->first_bit && bit + bits <= row->first_bit + row->nb_bits;
}

static void
rows_agree_with_their_witness(void **state)
{
	size_t wrong = 0;

	if (witness_missing != NULL)
		fail_msg("%s", witness_missing);
	for (size_t i = 0; i < nb_witness_rows; i++) {
		const struct witness_row *row = &witness_rows[i];

		if (row->kind != PRM_WITNESS_IFC && row->kind != PRM_WITNESS_DV)
			continue;
		if (agrees(row))
			continue;
		print_error("%s.%s: bit %zu width %u, but %s has bit %zu width %zu\n", row->layout, row->field,
			first_bit(row->position), prm_width(row->position), row->source, row->first_bit, row->nb_bits);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void
sizes_agree_with_their_witness(void **state)
{
	if (witness_missing != NULL)
		fail_msg("%s", witness_missing);
	for (size_t i = 0; i < nb_witness_sizes; i++)
		if (witness_sizes[i].bytes != witness_sizes[i].witness_bytes)
			fail_msg("%s: %zu bytes, but the witness has %zu", witness_sizes[i].name, witness_sizes[i].bytes,
				witness_sizes[i].witness_bytes);
}

/* A field of at most 32 bits lies in one dword; a longer one starts at a dword and is whole bytes. */
static void
rows_are_well_formed(void **state)
{
	for (size_t i = 0; i < nb_witness_rows; i++) {
		const struct witness_row *row = &witness_rows[i];
		unsigned int hi = prm_high_bit(row->position), width = prm_width(row->position);
		bool good = prm_offset(row->position) % 4 == 0 &&
			(width == 0 || width > 32 ? hi == 31 && width % 8 == 0 : width <= hi + 1);

		if (!good)
			fail_msg("%s.%s is malformed", row->layout, row->field);
	}
}

static void
rows_without_witness_do_not_grow(void **state)
{
	static const char *const names[] = {
		[PRM_WITNESS_NONE] = "none", [PRM_WITNESS_RUN] = "run", [PRM_WITNESS_IFC] = "mlx5_ifc.h",
		[PRM_WITNESS_DV] = "mlx5dv.h",
	};
	size_t counts[4] = { 0 };

	for (size_t i = 0; i < nb_witness_rows; i++)
		counts[witness_rows[i].kind]++;
	for (size_t i = 0; i < 4; i++)
		print_message("witness %s: %zu rows\n", names[i], counts[i]);
	if (counts[PRM_WITNESS_NONE] > MAX_NONE)
		fail_msg("%zu rows have no witness, at most %d were known", counts[PRM_WITNESS_NONE], MAX_NONE);
	if (counts[PRM_WITNESS_NONE] < MAX_NONE)
		fail_msg("only %zu rows are without witness: lower MAX_NONE to it", counts[PRM_WITNESS_NONE]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_agree_with_their_witness),
		cmocka_unit_test(sizes_agree_with_their_witness),
		cmocka_unit_test(rows_are_well_formed),
		cmocka_unit_test(rows_without_witness_do_not_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
