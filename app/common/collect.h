/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Under callgrind (--collect-atstart=no) exactly what the clock covers is counted, one profile for each phase. Without
 * it the marks cost a few instructions that do nothing, outside of the clock.
 */
#ifndef PERF_COLLECT_H
#define PERF_COLLECT_H

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define count_switch() CALLGRIND_TOGGLE_COLLECT
#define count_phase(name) CALLGRIND_DUMP_STATS_AT(name)
#endif
#endif

#ifndef count_switch
#define count_switch() do { } while (0)
#define count_phase(name) do { } while (0)
#endif

#endif
