/* SPDX-License-Identifier: BSD-3-Clause */

/* The word "compare": ours beside others. A script that lies beside the program does it. */
#ifndef PERF_COMPARE_H
#define PERF_COMPARE_H

/* Become that script; argv are the words after "compare". Does not return on success; else -errno. */
int compare_exec(const char *script, int argc, char **argv);

#endif
