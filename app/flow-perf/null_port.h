/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A port whose flow engine does nothing: every operation succeeds at once. What a run costs on it is the price of
 * rte_flow's own calls.
 */
#ifndef FLOW_PERF_NULL_PORT_H
#define FLOW_PERF_NULL_PORT_H

#include <stdint.h>

/* Make the port through EAL. @return 0 and its id, or negative errno. */
int null_port_create(uint16_t *id);
void null_port_destroy(uint16_t id);

#endif
