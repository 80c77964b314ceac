/* SPDX-License-Identifier: BSD-3-Clause */

/* Every row of every layout together with what its witness says. */
#ifndef TEST_PRM_WITNESS_H
#define TEST_PRM_WITNESS_H

#include "prm/layout.h"

struct witness_row {
	const char *layout;
	const char *field;
	int position;
	enum prm_witness kind;
	const char *source;			/* "struct.member" of the witness */
	size_t first_bit;			/* where the witness has it, counted from the start of its structure */
	size_t nb_bits;
};

/* A structure whose size both state. */
struct witness_size {
	const char *name;
	size_t bytes;
	size_t witness_bytes;
};

extern const struct witness_row witness_rows[];
extern const size_t nb_witness_rows;
extern const struct witness_size witness_sizes[];
extern const size_t nb_witness_sizes;

/* NULL when the kernel's header was found at build time; otherwise what to install. */
extern const char *const witness_missing;

#endif
