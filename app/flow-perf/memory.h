/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOW_PERF_MEMORY_H
#define FLOW_PERF_MEMORY_H

#include <stdint.h>

/*
 * Bytes of this process that are resident (huge pages included), less the memory of the software device, by its name
 * ("[anon:softcx ...]" or "/memfd:softcx ..." in /proc/self/smaps) or because it says so: what driver and application
 * hold.
 */
uint64_t memory_in_use(void);

#endif
