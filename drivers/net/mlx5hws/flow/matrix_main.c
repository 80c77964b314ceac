/* SPDX-License-Identifier: BSD-3-Clause */

/* Prints the support matrix: ninja flow-matrix; then doc/flow.md between its marks. */

#include "flow/matrix.h"

int
main(void)
{
	flow_matrix_print(stdout);
	return 0;
}
