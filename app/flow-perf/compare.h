/* SPDX-License-Identifier: BSD-3-Clause */

/* The word "compare": ours beside others. The program flow-perf-compare, which lies beside this one, does it. */
#ifndef FLOW_PERF_COMPARE_H
#define FLOW_PERF_COMPARE_H

/* Become that program; argv are the words after "compare". Does not return on success. */
int compare_exec(int argc, char **argv);

#endif
