/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A stream of random operations on the flow queues of a port, and the book of them: each that was accepted must come back by
 * pull once, on its queue, with its user_data. Rules and handles are followed through their states, so that the stream knows
 * what it may ask next, and what must be refused.
 */
#ifndef TESTS_PROVE_STREAM_H
#define TESTS_PROVE_STREAM_H

#include "shapes.h"

#define STREAM_OPS 4096
#define STREAM_RULES 1024
#define STREAM_HANDLES 64

enum op_kind { OP_INSERT, OP_DELETE, OP_HANDLE_CREATE, OP_HANDLE_DESTROY, OP_HANDLE_UPDATE, OP_HANDLE_QUERY };
/* Of an operation; of a rule or handle. */
enum op_state { OP_FREE, OP_ACCEPTED, OP_RETURNED };
enum thing_state { THING_NONE, THING_MAKING, THING_THERE, THING_FAILED, THING_GOING };

struct op {
	enum op_state state;
	enum op_kind kind;
	uint32_t queue;
	uint32_t thing; /* rule or handle */
	uint32_t life;  /* of the rule when it was asked */
	bool good;      /* it came back with success */
};

struct rule {
	enum thing_state state;
	enum shape shape;
	uint32_t life;  /* a flush begins another: results of the one before say nothing about it */
	struct rte_flow *flow;
	int rss, count; /* handles it refers to, -1: none */
};

struct handle {
	enum thing_state state;
	bool counts;
	uint32_t users;
	struct rte_flow_action_handle *handle;
	struct rte_flow_query_count value;
};

struct stream {
	struct port *port;
	struct shapes shapes;
	struct chance chance;
	bool stepped;
	bool paused;    /* a send queue was stopped: whoever waits for it gives steering up */
	struct op ops[STREAM_OPS];
	uint32_t nb_ops;
	struct rule rules[STREAM_RULES];
	struct handle handles[STREAM_HANDLES];
	uint32_t accepted, returned, failed, refused; /* failed: of the returned */
	uint32_t out[FLOW_QUEUES_MAX];                /* accepted and not returned */
};

/* All zero but port and chance. Makes templates and tables. */
void stream_begin(struct stream *s);
/* Some n operations by chance, with pushes and pulls among them; ends early when the book is full. */
void stream_run(struct stream *s, uint32_t n);
/* Take at most n results of a queue. @return how many came. */
uint32_t stream_pull(struct stream *s, uint32_t queue, uint32_t n);
/* Push and pull everything; all must have come back within 20 s. */
void stream_drain(struct stream *s);
/* The port was stopped or flushed: no rule is there any more, whatever its operations come to. */
void stream_rules_gone(struct stream *s);
/* Take rules and handles out (drains in between), tables and templates too. */
void stream_end(struct stream *s);

#endif
