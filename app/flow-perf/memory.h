/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOW_PERF_MEMORY_H
#define FLOW_PERF_MEMORY_H

#include <stdint.h>

/*
 * Bytes of this process that are resident (huge pages included), less the memory that the software device named as
 * its own ("[anon:softcx ...]" or "/memfd:softcx ..." in /proc/self/smaps): what driver and application hold.
 */
uint64_t memory_in_use(void);

#endif
