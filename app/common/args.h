/* SPDX-License-Identifier: BSD-3-Clause */

/* Options of a program as rows of a table: --name=value into a member of a structure, or --name for a flag. */
#ifndef PERF_ARGS_H
#define PERF_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arg_kind {
	ARG_TEXT,   /* char array, ended by NUL */
	ARG_NUMBER, /* unsigned integer of any size, least to most; hosts are little endian */
	ARG_FLAG,   /* bool */
	ARG_WORD,   /* show() does it, and that is all */
};

struct arg {
	const char *name;
	enum arg_kind kind;
	size_t offset, size;
	uint64_t least, most;
	const char *help; /* NULL: not for people */
	void (*show)(void);
};

#define ARG_AT(type, member) offsetof(type, member), sizeof(((type *)0)->member)

/*
 * argv[0] is skipped; at most 64 rows. Wrong words are named on stderr after the program's name. @return 0; 1 after an
 * ARG_WORD; -EINVAL.
 */
int args_parse(const char *program, const struct arg *args, size_t nb, void *into, int argc, char **argv);

/* One line an option. */
void args_help(const struct arg *args, size_t nb);

#endif
