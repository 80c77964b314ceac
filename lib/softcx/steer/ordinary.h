/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Ordinary flow tables: groups, each with one mask, and entries in them. The engines use them for
 * default-miss tables and destination arrays: one wildcard group, one entry.
 */
#ifndef SOFTCX_ORDINARY_H
#define SOFTCX_ORDINARY_H

#include <stdint.h>

#include "softcx/steer/match.h"
#include "softcx/steer/objects.h"

struct sc_fte {
	uint32_t index;
	struct sc_match value;
	struct sc_fate fate;
	struct sc_fte *next; /* by index */
};

struct sc_group {
	struct sc_object obj;
	struct sc_flow_table *table;
	uint32_t first, last; /* flow indices it covers */
	struct sc_match mask;
	struct sc_fte *entries;
	struct sc_group *next; /* by first index */
};

void sc_groups_free(struct sc_flow_table *table);
void sc_group_free(struct sc_group *group);

/* The entry that a frame hits, lowest flow index first, or NULL. */
const struct sc_fte *sc_ordinary_lookup(const struct sc_flow_table *table, struct sc_match_view *view);

#endif
