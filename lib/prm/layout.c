/* SPDX-License-Identifier: BSD-3-Clause */

#include "prm/layout.h"

#include <ctype.h>
#include <stdbool.h>

#include "prm/all.h"

/* What the witness column means here: only its kind. The layout test reads the same column in full. */
#define IFC(s, f) PRM_WITNESS_IFC
#define IFC_AT(s, f) PRM_WITNESS_IFC
#define DV(s, f) PRM_WITNESS_DV
#define RUN PRM_WITNESS_RUN
#define NONE PRM_WITNESS_NONE

#define ROW(layout, name, off, hi, width, witness) { #name, PRM_FIELD(off, hi, width), witness },
#define ROWS(layout) \
	static const struct prm_row rows_##layout[] = { PRM_##layout##_FIELDS(ROW) }; \
	const struct prm_layout prm_layout_##layout = { \
		#layout, rows_##layout, sizeof(rows_##layout) / sizeof(rows_##layout[0]) \
	};

PRM_LAYOUTS(ROWS)

static size_t
field_bytes(int field)
{
	return prm_width(field) <= 32 ? 4 : prm_width(field) / 8;
}

static bool
is_zero(const uint8_t *bytes, size_t len)
{
	while (len > 0)
		if (bytes[--len] != 0)
			return false;
	return true;
}

static void
print_name(FILE *out, const char *name, const char *indent)
{
	fputs(indent, out);
	for (; *name != '\0'; name++)
		fputc(tolower((unsigned char)*name), out);
	fputs(" = ", out);
}

/* Returns whether there was something to print. */
static bool
print_field(FILE *out, const struct prm_row *row, const void *bytes, const char *indent)
{
	const uint8_t *area = prm_area_const(bytes, row->field);
	size_t len = field_bytes(row->field);

	if (prm_width(row->field) <= 32) {
		uint32_t value = prm_get(bytes, row->field);

		if (value == 0)
			return false;
		print_name(out, row->name, indent);
		fprintf(out, "0x%x\n", value);
		return true;
	}
	if (is_zero(area, len))
		return false;
	print_name(out, row->name, indent);
	if (len == 8) {
		fprintf(out, "0x%llx\n", (unsigned long long)prm_get64(bytes, row->field));
		return true;
	}
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%02x%s", area[i], i + 1 == len ? "\n" : i % 4 == 3 ? " " : "");
	return true;
}

size_t
prm_print_within(FILE *out, const struct prm_layout *layout, const void *bytes, size_t len, const char *indent)
{
	size_t printed = 0;

	for (size_t i = 0; i < layout->nb_rows; i++) {
		int field = layout->rows[i].field;

		if (prm_width(field) == 0 || prm_offset(field) + field_bytes(field) > len)
			continue;
		printed += print_field(out, &layout->rows[i], bytes, indent);
	}
	return printed;
}

void
prm_print(FILE *out, const struct prm_layout *layout, const void *bytes, const char *indent)
{
	prm_print_within(out, layout, bytes, SIZE_MAX, indent);
}
