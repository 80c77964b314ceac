/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FLOW_PERF_FLOOR_H
#define FLOW_PERF_FLOOR_H

#include <stdint.h>

/*
 * What no driver can go below: nanoseconds a rule to store the 128 bytes of its WQE in a ring and ring a doorbell
 * (record and 8-byte store) once a burst. One sample of bursts bursts.
 */
double floor_sample(uint32_t burst, uint32_t bursts);

#endif
