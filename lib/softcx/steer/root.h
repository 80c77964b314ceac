/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Root tables as the walk sees them: matchers by priority, rules under them (steer.h has the calls that make
 * them).
 */
#ifndef SOFTCX_ROOT_H
#define SOFTCX_ROOT_H

#include <stdint.h>

#include "softcx/steer/match.h"
#include "softcx/steer/objects.h"

struct sc_root_rule {
	struct sc_object obj;
	struct sc_root_matcher *matcher;
	struct sc_match value;
	struct sc_fate fate;
	struct sc_root_rule *next; /* in order of making */
};

struct sc_root_matcher {
	struct sc_object obj;
	uint8_t domain;
	uint16_t priority;
	bool wants_verdict;
	struct sc_match mask;
	struct sc_root_rule *rules, **last;
	struct sc_root_matcher *next;
};

struct sc_anchor {
	struct sc_object obj;
	struct sc_flow_table *table;
};

/* The first rule that a frame hits in matchers of this priority number and above, or NULL. */
const struct sc_root_rule *sc_root_lookup(const struct sc_root_matcher *matcher, uint32_t priority,
	struct sc_match_view *view);

/* Free without asking for references. */
void sc_root_matcher_free(struct sc_root_matcher *matcher);
void sc_root_rule_free(struct sc_root_rule *rule);
void sc_anchor_free(struct sc_anchor *anchor);

#endif
