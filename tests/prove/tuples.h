/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Rules for IPv4 UDP 4-tuples by number, and frames that match them. Tuple n: four fields that differ from those of every other n
 * of the same salt (src is a bijection of n, the rest is a hash). Its rule marks with tuple_mark(n) and sends to queue
 * tuple_queue(n); so what a frame meets says which rule took it.
 */
#ifndef TESTS_PROVE_TUPLES_H
#define TESTS_PROVE_TUPLES_H

#include "prove.h"

struct tuple {
	rte_be32_t src, dst;
	rte_be16_t sport, dport;
};

struct tuple tuple_of(uint64_t salt, uint32_t n);
uint32_t tuple_mark(uint64_t salt, uint32_t n);
uint16_t tuple_queue(uint64_t salt, uint32_t n);

/* Templates and table of such rules in group 0. */
struct tuple_table {
	struct rte_flow_pattern_template *pattern;
	struct rte_flow_actions_template *actions;
	struct rte_flow_template_table *table;
};

void tuple_table_create(struct tuple_table *t, const struct port *port, uint32_t nb_rules, uint32_t priority);
void tuple_table_destroy(struct tuple_table *t, const struct port *port);

/* NULL: refused, see error. */
struct rte_flow *tuple_insert(const struct tuple_table *t, const struct port *port, uint32_t queue, uint64_t salt,
	uint32_t n, bool postpone, void *user_data, struct rte_flow_error *error);

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* A frame of tuple n with two numbers in its payload; NULL: no mbuf. */
struct rte_mbuf *frame_make(const struct port *port, uint64_t salt, uint32_t n, uint32_t place);
/* Those numbers, of a frame that came back and must be whole. */
void frame_read(const struct rte_mbuf *m, uint32_t *place, uint32_t *n);

#define FRAMES_MAX 64

struct frame_seen {
	uint16_t queue;
	bool marked;
	uint32_t mark;
};

/*
 * Sends one frame of each tuple and takes them back (wire=loop), at most FRAMES_MAX of them; each must come back once and
 * whole. seen[i] is what happened to that of n[i].
 */
void frames_exchange(const struct port *port, uint64_t salt, const uint32_t *n, uint32_t nb, struct frame_seen *seen);

/* Frames for n[i]: the rule of it must have taken them where there[i], no rule else. @return how many were held against it. */
uint32_t frames_compare(const struct port *port, uint64_t salt, const uint32_t *n, const bool *there, uint32_t nb);

#endif
