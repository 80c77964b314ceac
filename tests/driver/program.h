/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A test of the data path as a program: PLUGIN LIBSOFTCX [packets=N] [seed=N] [only=ROW], one row of a table after the other.
 */
#ifndef TESTS_DRIVER_PROGRAM_H
#define TESTS_DRIVER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "softcx/front/softcx.h"

struct program {
	/* Before program_begin: the default, or what it needs. */
	uint32_t packets;
	const char *memory; /* megabytes, NULL: 256 */
	bool pci;           /* functions of softcx-run, for hot-plug; else virtual devices alone */

	uint64_t seed;
	const char *only;  /* row, NULL: all */
	int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
	int (*fault)(unsigned int index, const char *order, char *error, size_t size);
};

/* Ends the program where the condition does not hold, with the words that follow, behind the name of the row that runs. */
#define CHECK(condition, ...) do { \
		if (!(condition)) { \
			printf("%s: ", row->name); \
			printf(__VA_ARGS__); \
			printf("\n"); \
			exit(1); \
		} \
	} while (0)

/* Reads the arguments, prints the seed, starts EAL with the plugin and finds softcx. 0; 2 after saying what is wrong: main's. */
int program_begin(int argc, char **argv, const char *name, struct program *program);

#endif
