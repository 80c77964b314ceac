/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * --serve: runs as they are asked for, so that several drivers and processes can take turns.
 *
 * First a line {"dpdk": VERSION, "ports": [{"id", "driver"}...]}. Then for each line on stdin, words separated by tabs, one
 * object on stdout: "run" and options answers as --json does, "floor" and options {"floor": NS}; what failed {"error": -ERRNO}.
 */
#ifndef PKT_PERF_SERVE_H
#define PKT_PERF_SERVE_H

/* Until stdin ends. @return 0; -errno. */
int serve(void);

#endif
