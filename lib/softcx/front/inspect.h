/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_INSPECT_H
#define SOFTCX_INSPECT_H

/*
 * Append an inspection (census, port counters, doorbells, bus account of each port) to the file path at
 * exit of the process, and whenever it gets SIGUSR2. path may be empty: nothing. Only the first call
 * counts.
 */
void sc_inspect_to(const char *path);

#endif
