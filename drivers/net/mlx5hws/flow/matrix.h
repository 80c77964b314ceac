/* SPDX-License-Identifier: BSD-3-Clause */

/* The support matrix as markdown, from the tables that the compilers use: doc/flow.md is made of it, a test compares. */
#ifndef FLOW_MATRIX_H
#define FLOW_MATRIX_H

#include <stdio.h>

void flow_matrix_print(FILE *out);

#endif
