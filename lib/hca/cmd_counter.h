/* SPDX-License-Identifier: BSD-3-Clause */

/* Flow counters, and what the vport context demands. hws.md 2.11, nic.md 1.15. */
#ifndef HCA_CMD_COUNTER_H
#define HCA_CMD_COUNTER_H

#include <stdbool.h>

#include "hca/cmd.h"

struct hca_port_counters; /* netdev.h */

/*
 * A bulk of 2^log_bulk counters, ids obj->id ... Readable by command and, where the device can, by ASO
 * WQE (pd).
 */
int hca_cmd_alloc_flow_counter(struct hca_device *dev, uint32_t pd, uint8_t log_bulk, struct hca_obj **counters);
/* One counter of a bulk, by command: slow, for control paths. */
int hca_cmd_query_flow_counter(struct hca_obj *counters, uint32_t offset, bool clear, uint64_t *packets,
			       uint64_t *octets);

/* The vport's frames and octets by kind of destination address, into the members of that name; others stay. */
int hca_cmd_query_vport_counter(struct hca_device *dev, struct hca_port_counters *counters);

/* Smallest header part that a WQE must inline: 0 none, 1 L2 ... */
int hca_cmd_query_min_inline(struct hca_device *dev, uint8_t *min_wqe_inline_mode);

#endif
