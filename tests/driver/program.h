/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A test of the data path as a program: PLUGIN LIBSOFTCX [packets=N] [seed=N] [only=ROW], one row of a table after the other.
 */
#ifndef TESTS_DRIVER_PROGRAM_H
#define TESTS_DRIVER_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "softcx/front/softcx.h"

struct program {
	uint32_t packets;  /* before program_begin: the default */
	uint64_t seed;
	const char *only;  /* row, NULL: all */
	int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
	int (*fault)(unsigned int index, const char *order, char *error, size_t size);
};

/* Reads the arguments, prints the seed, starts EAL with the plugin and finds softcx. 0; 2 after saying what is wrong: main's. */
int program_begin(int argc, char **argv, const char *name, struct program *program);

#endif
