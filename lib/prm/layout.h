/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The one table idiom of this folder. A layout is a list of rows, written once:
 *
 *	#define PRM_SQC_FIELDS(F) \
 *		F(SQC, RLKY,  0x00, 31, 1, IFC(sqc, rlky)) \
 *		F(SQC, STATE, 0x00, 23, 4, IFC(sqc, state))
 *	PRM_LAYOUT(SQC);
 *
 * PRM_LAYOUT makes of it the constants PRM_SQC_RLKY, PRM_SQC_STATE for prm_get and prm_set, and declares
 * prm_layout_SQC, the array of rows that the printer and the command trace walk. A layout is entered in all.h too: so
 * layout.c makes its array and the layout test compares it with its witnesses.
 *
 * Columns: layout, field, byte offset of the dword, top bit, width in bits (64: two dwords; more: a byte area; 0: a
 * nested layout or a list of variable length, of which only the place is known), and the witness, somebody else's
 * statement of the same position:
 *	IFC(s, f)   struct mlx5_ifc_s_bits of the kernel's public header linux/mlx5/mlx5_ifc.h, member f
 *	IFC_AT(s, f) the same where f is a list without a size: only its place is compared
 *	DV(s, f)    struct s of infiniband/mlx5dv.h, member f
 *	RUN         a run of a stock mlx5 driver on a device that reads the field there
 *	NONE        nobody yet; the layout test counts these and fails when they grow
 */
#ifndef PRM_LAYOUT_H
#define PRM_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

#include "prm/field.h"

enum prm_witness { PRM_WITNESS_NONE, PRM_WITNESS_RUN, PRM_WITNESS_IFC, PRM_WITNESS_DV };

struct prm_row {
	const char *name;
	int field;
	enum prm_witness witness;
};

struct prm_layout {
	const char *name;
	const struct prm_row *rows;
	size_t nb_rows;
};

#define PRM_ENUM_ROW(layout, name, off, hi, width, witness) PRM_##layout##_##name = PRM_FIELD(off, hi, width),
#define PRM_LAYOUT(layout) \
	extern const struct prm_layout prm_layout_##layout; \
	enum prm_##layout##_field { PRM_##layout##_FIELDS(PRM_ENUM_ROW) }

/* Print every non-zero field of a layout, one "name = 0xvalue" per line after indent. Areas print as bytes. */
void prm_print(FILE *out, const struct prm_layout *layout, const void *bytes, const char *indent);

/* The same of bytes that end after len: fields that do not lie inside are left out. Returns how many were printed. */
size_t prm_print_within(FILE *out, const struct prm_layout *layout, const void *bytes, size_t len, const char *indent);

#endif
