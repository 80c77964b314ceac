/* SPDX-License-Identifier: BSD-3-Clause */

/* A command and its answer in words: what lies where in which command is a table in trace.c. */
#ifndef PRM_TRACE_H
#define PRM_TRACE_H

#include <stdbool.h>

#include "prm/layout.h"

/* A layout and the byte offset where it begins in a command's input or output. */
struct prm_part {
	uint16_t at;
	const struct prm_layout *layout;
};

enum { PRM_PARTS_MAX = 4 };

/* Parts of a command; a part without layout ends the list. The common heads are not in it. */
struct prm_command {
	uint16_t opcode;
	uint16_t obj_type;			/* of general object commands, else 0 */
	struct prm_part in[PRM_PARTS_MAX];
	struct prm_part out[PRM_PARTS_MAX];
};

/* NULL for a command without fields of its own, or one that is not known. */
const struct prm_command *prm_command_find(uint16_t opcode, uint16_t obj_type);

/*
 * Print the non-zero fields of a command's input, or of its answer, each line after indent (spaces). Nested contexts, an
 * STC's parameter, the words of a modify list and capability pages are included; opcode and status are not. obj_type is
 * the command's op_mod: the object type of general objects, the group of QUERY_HCA_CAP.
 *
 * @return false where no layout is known for this command: then little or nothing was printed.
 */
bool prm_print_command(FILE *to, const void *bytes, size_t len, bool answer, uint16_t opcode, uint16_t obj_type,
	const char *indent);

/*
 * Print a command: its name, the non-zero fields of its input, its status and the non-zero fields of its answer.
 *
 * Bytes beyond in_len and out_len are not read; out may be NULL (command without an answer yet). Several lines, each
 * ending with a newline; a device prefixes nothing, so lock the stream if others write to it.
 */
void prm_trace_command(FILE *to, const void *in, size_t in_len, const void *out, size_t out_len);

#endif
