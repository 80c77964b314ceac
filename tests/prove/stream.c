/* SPDX-License-Identifier: BSD-3-Clause */

#include "stream.h"

#include <string.h>
#include <time.h>

#include <rte_errno.h>

#define DRAIN_SECONDS 20

/* Some RSS to begin with, made by the synchronous call. */
static void
make_handles(struct stream *s)
{
	const struct rte_flow_indir_action_conf conf = { .ingress = 1 };

	for (uint32_t i = 0; i < 4; i++) {
		struct rte_flow_error error = { 0 };
		struct rte_flow_action_rss rss;
		uint16_t queues[NB_RX];
		const struct rte_flow_action action = { RTE_FLOW_ACTION_TYPE_RSS, &rss };

		shape_rss(chance_below(&s->chance, 128), &rss, queues);
		s->handles[i].handle = rte_flow_action_handle_create(s->port->id, &conf, &action, &error);
		CHECK(s->handles[i].handle != NULL, "indirect rss: %s", error.message);
		s->handles[i].state = THING_THERE;
	}
}

void
stream_begin(struct stream *s)
{
	shapes_create(&s->shapes, s->port);
	make_handles(s);
	for (uint32_t i = 0; i < STREAM_RULES; i++)
		s->rules[i].rss = s->rules[i].count = -1;
}

/* ---- the book --------------------------------------------------------------------------------------------------- */

static void *
book(struct stream *s, enum op_kind kind, uint32_t queue, uint32_t thing)
{
	s->ops[s->nb_ops] = (struct op){ .kind = kind, .queue = queue, .thing = thing, .life = s->rules[thing].life };
	return &s->ops[s->nb_ops];
}

/* The call took the operation. */
static void
take(struct stream *s, uint32_t queue)
{
	s->ops[s->nb_ops++].state = OP_ACCEPTED;
	s->accepted++;
	s->out[queue]++;
	CHECK(s->out[queue] <= s->port->queue_size, "queue %u of size %u took %u operations", queue, s->port->queue_size,
		s->out[queue]);
}

/* It did not: the reason must be told. */
static bool
refuse(struct stream *s, const char *call, int rc, const struct rte_flow_error *error)
{
	CHECK(rc != 0, "%s was refused without a reason", call);
	CHECK(error->message != NULL && error->message[0] != '\0', "%s was refused without a message (%s)", call,
		rte_strerror(rc));
	s->refused++;
	return false;
}

static void
release_handles(struct stream *s, struct rule *rule)
{
	if (rule->rss >= 0)
		s->handles[rule->rss].users--;
	if (rule->count >= 0)
		s->handles[rule->count].users--;
	rule->rss = rule->count = -1;
}

static void
rule_result(struct stream *s, struct rule *rule, enum op_kind kind, bool good)
{
	if (kind == OP_INSERT) {
		CHECK(rule->state == THING_MAKING, "insertion of a rule in state %d returned", rule->state);
		rule->state = good ? THING_THERE : THING_FAILED;
		if (!good)
			release_handles(s, rule);
		return;
	}
	CHECK(rule->state == THING_GOING, "deletion of a rule in state %d returned", rule->state);
	release_handles(s, rule);
	rule->state = THING_NONE;
}

static void
handle_result(struct handle *handle, enum op_kind kind, bool good)
{
	CHECK(good, "an operation %d on an indirect action failed after it was taken", kind);
	if (kind == OP_HANDLE_CREATE)
		handle->state = THING_THERE;
	else if (kind == OP_HANDLE_DESTROY)
		handle->state = THING_NONE;
}

static void
settle(struct stream *s, uint32_t queue, const struct rte_flow_op_result *result)
{
	struct op *op = result->user_data;
	bool good = result->status == RTE_FLOW_OP_SUCCESS;

	CHECK(op >= s->ops && op < s->ops + s->nb_ops, "queue %u returned user_data %p, which nobody gave", queue,
		(void *)op);
	CHECK(op->state != OP_RETURNED, "operation %ld (kind %d) came back twice", (long)(op - s->ops), op->kind);
	CHECK(op->queue == queue, "operation %ld of queue %u came back on queue %u", (long)(op - s->ops), op->queue, queue);
	CHECK(good || result->status == RTE_FLOW_OP_ERROR, "status %d", result->status);
	op->state = OP_RETURNED;
	op->good = good;
	s->returned++;
	s->failed += !good;
	s->out[queue]--;
	if (op->kind > OP_DELETE)
		handle_result(&s->handles[op->thing], op->kind, good);
	else if (op->life == s->rules[op->thing].life)
		rule_result(s, &s->rules[op->thing], op->kind, good);
}

uint32_t
stream_pull(struct stream *s, uint32_t queue, uint32_t n)
{
	struct rte_flow_op_result results[64];
	struct rte_flow_error error = { 0 };
	int got;

	n = RTE_MIN(n, (uint32_t)RTE_DIM(results));
	got = rte_flow_pull(s->port->id, queue, results, (uint16_t)n, &error);
	CHECK(got >= 0 && (uint32_t)got <= n, "pull of %u gave %d: %s", n, got, error.message);
	for (int i = 0; i < got; i++)
		settle(s, queue, &results[i]);
	return (uint32_t)got;
}

void
stream_drain(struct stream *s)
{
	time_t deadline = time(NULL) + DRAIN_SECONDS;
	struct rte_flow_error error;

	for (uint32_t queue = 0; queue < s->port->nb_queues; queue++) {
		rte_flow_push(s->port->id, queue, &error); /* a failed queue says so, its results come all the same */
		while (s->out[queue] > 0) {
			device_move();
			if (stream_pull(s, queue, 64) == 0)
				CHECK(time(NULL) < deadline, "%u operations of queue %u never came back", s->out[queue], queue);
		}
		CHECK(stream_pull(s, queue, 64) == 0, "queue %u gives results that nobody waits for", queue);
	}
}

void
stream_rules_gone(struct stream *s)
{
	for (uint32_t i = 0; i < STREAM_RULES; i++) {
		release_handles(s, &s->rules[i]);
		s->rules[i].state = THING_NONE;
		s->rules[i].life++;
	}
}

/* ---- one operation ---------------------------------------------------------------------------------------------- */

/* A handle that is there, by chance; -1: none. */
static int
some_handle(struct stream *s, bool counts)
{
	uint32_t at = chance_below(&s->chance, STREAM_HANDLES);

	for (uint32_t i = 0; i < STREAM_HANDLES; i++) {
		const struct handle *h = &s->handles[(at + i) % STREAM_HANDLES];

		if (h->state == THING_THERE && h->counts == counts)
			return (int)((at + i) % STREAM_HANDLES);
	}
	return -1;
}

static bool
insert(struct stream *s, uint32_t queue)
{
	uint32_t at = chance_below(&s->chance, STREAM_RULES);
	enum shape shape = chance_below(&s->chance, NB_SHAPES);
	struct rule *rule = &s->rules[at];
	struct shape_handles handles = { 0 };
	struct rte_flow_error error = { 0 };

	if (rule->state != THING_NONE || (s->stepped && shape == SHAPE_COUNT))
		return false;
	if (shape == SHAPE_INDIRECT) {
		rule->rss = some_handle(s, false);
		rule->count = some_handle(s, true);
		if (rule->rss < 0 || rule->count < 0) {
			rule->rss = rule->count = -1;
			return false;
		}
		handles.rss = s->handles[rule->rss].handle;
		handles.count = s->handles[rule->count].handle;
	}
	rule->flow = shape_insert(&s->shapes, s->port, shape, queue, at, &handles, chance_below(&s->chance, 2),
		book(s, OP_INSERT, queue, at), &error);
	if (rule->flow == NULL) {
		rule->rss = rule->count = -1;
		return refuse(s, "async_create", rte_errno, &error);
	}
	if (shape == SHAPE_INDIRECT) {
		s->handles[rule->rss].users++;
		s->handles[rule->count].users++;
	}
	rule->shape = shape;
	rule->state = THING_MAKING;
	take(s, queue);
	return true;
}

/* Rules that are there or failed; sometimes one whose operation is under way, which must be refused. */
static bool
delete(struct stream *s, uint32_t queue)
{
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&s->chance, 2) };
	uint32_t at = chance_below(&s->chance, STREAM_RULES);
	struct rule *rule = &s->rules[at];
	struct rte_flow_error error = { 0 };
	int rc;

	if (rule->state == THING_NONE)
		return false;
	rc = rte_flow_async_destroy(s->port->id, queue, &attr, rule->flow, book(s, OP_DELETE, queue, at), &error);
	if (rule->state == THING_MAKING || rule->state == THING_GOING)
		CHECK(rc != 0, "a rule whose operation has not been pulled was taken for deletion");
	if (rc != 0)
		return refuse(s, "async_destroy", -rc, &error);
	rule->state = THING_GOING;
	take(s, queue);
	return true;
}

static bool
handle_create(struct stream *s, uint32_t queue)
{
	const struct rte_flow_indir_action_conf conf = { .ingress = 1 };
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&s->chance, 2) };
	uint32_t at = chance_below(&s->chance, STREAM_HANDLES);
	struct handle *handle = &s->handles[at];
	struct rte_flow_action action = { .type = RTE_FLOW_ACTION_TYPE_COUNT };
	const struct rte_flow_action_count count = { 0 };
	struct rte_flow_error error = { 0 };
	struct rte_flow_action_rss rss;
	uint16_t queues[NB_RX];

	if (handle->state != THING_NONE)
		return false;
	/* An RSS has rules of the driver's own in it, for which a stepped device would not move. */
	handle->counts = s->stepped || chance_below(&s->chance, 2);
	action.conf = &count;
	if (!handle->counts) {
		shape_rss(chance_below(&s->chance, 128), &rss, queues);
		action = (struct rte_flow_action){ RTE_FLOW_ACTION_TYPE_RSS, &rss };
	}
	handle->handle = rte_flow_async_action_handle_create(s->port->id, queue, &attr, &conf, &action,
		book(s, OP_HANDLE_CREATE, queue, at), &error);
	if (handle->handle == NULL)
		return refuse(s, "async_action_handle_create", rte_errno, &error);
	handle->users = 0;
	handle->state = THING_MAKING;
	take(s, queue);
	return true;
}

static bool
handle_destroy(struct stream *s, uint32_t queue)
{
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&s->chance, 2) };
	uint32_t at = chance_below(&s->chance, STREAM_HANDLES);
	struct handle *handle = &s->handles[at];
	struct rte_flow_error error = { 0 };
	int rc;

	if (handle->state != THING_THERE || (s->stepped && !handle->counts))
		return false;
	rc = rte_flow_async_action_handle_destroy(s->port->id, queue, &attr, handle->handle,
		book(s, OP_HANDLE_DESTROY, queue, at), &error);
	if (handle->users > 0)
		CHECK(rc != 0, "an indirect action of %u rules was taken for destruction", handle->users);
	if (rc != 0)
		return refuse(s, "async_action_handle_destroy", -rc, &error);
	handle->state = THING_GOING;
	take(s, queue);
	return true;
}

static bool
handle_update(struct stream *s, uint32_t queue)
{
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&s->chance, 2) };
	int at = s->stepped ? -1 : some_handle(s, false);
	struct rte_flow_error error = { 0 };
	struct rte_flow_action_rss rss;
	uint16_t queues[NB_RX];
	const struct rte_flow_action action = { RTE_FLOW_ACTION_TYPE_RSS, &rss };
	int rc;

	if (at < 0)
		return false;
	shape_rss(chance_below(&s->chance, 128), &rss, queues);
	rc = rte_flow_async_action_handle_update(s->port->id, queue, &attr, s->handles[at].handle, &action,
		book(s, OP_HANDLE_UPDATE, queue, (uint32_t)at), &error);
	if (rc != 0)
		return refuse(s, "async_action_handle_update", -rc, &error);
	take(s, queue);
	return true;
}

/* Reads the counters through the driver's own queue, for which a stepped device would not move. */
static bool
handle_query(struct stream *s, uint32_t queue)
{
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&s->chance, 2) };
	int at = s->stepped ? -1 : some_handle(s, true);
	struct rte_flow_error error = { 0 };
	int rc;

	if (at < 0)
		return false;
	rc = rte_flow_async_action_handle_query(s->port->id, queue, &attr, s->handles[at].handle, &s->handles[at].value,
		book(s, OP_HANDLE_QUERY, queue, (uint32_t)at), &error);
	if (rc != 0)
		return refuse(s, "async_action_handle_query", -rc, &error);
	take(s, queue);
	return true;
}

static bool
push(struct stream *s, uint32_t queue)
{
	struct rte_flow_error error = { 0 };
	int rc = rte_flow_push(s->port->id, queue, &error);

	return rc == 0 || refuse(s, "push", -rc, &error);
}

static bool
pull_some(struct stream *s, uint32_t queue)
{
	device_move();
	return stream_pull(s, queue, chance_below(&s->chance, 33)) > 0;
}

/* Operations under way are finished by it, their results are for pull. */
static bool
flush(struct stream *s, uint32_t queue)
{
	struct rte_flow_error error = { 0 };

	if (s->stepped || s->paused)
		return false;
	CHECK(rte_flow_flush(s->port->id, &error) == 0, "flush: %s", error.message);
	stream_rules_gone(s);
	return true;
}

static const struct {
	bool (*run)(struct stream *s, uint32_t queue);
	uint32_t weight;
} choices[] = {
	{ insert, 400 }, { delete, 300 }, { handle_create, 40 }, { handle_destroy, 30 }, { handle_update, 30 },
	{ handle_query, 10 }, { push, 60 }, { pull_some, 120 }, { flush, 1 },
};

void
stream_run(struct stream *s, uint32_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < RTE_DIM(choices); i++)
		sum += choices[i].weight;
	while (n-- > 0 && s->nb_ops < STREAM_OPS - 1) {
		uint32_t at = chance_below(&s->chance, sum), i = 0;

		while (at >= choices[i].weight)
			at -= choices[i++].weight;
		choices[i].run(s, chance_below(&s->chance, s->port->nb_queues));
	}
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static void
delete_rules(struct stream *s)
{
	const struct rte_flow_op_attr attr = { .postpone = 1 };
	uint32_t queue = 0;

	for (uint32_t i = 0; i < STREAM_RULES; i++) {
		struct rte_flow_error error = { 0 };

		if (s->rules[i].state != THING_THERE && s->rules[i].state != THING_FAILED)
			continue;
		if (s->out[queue] == s->port->queue_size || s->nb_ops == STREAM_OPS) {
			stream_drain(s);
			s->nb_ops = 0;
		}
		CHECK(rte_flow_async_destroy(s->port->id, queue, &attr, s->rules[i].flow, book(s, OP_DELETE, queue, i),
			&error) == 0, "last deletion of rule %u: %s", i, error.message);
		s->rules[i].state = THING_GOING;
		take(s, queue);
		queue = (queue + 1) % s->port->nb_queues;
	}
	stream_drain(s);
}

void
stream_end(struct stream *s)
{
	struct rte_flow_error error = { 0 };

	stream_drain(s);
	s->nb_ops = 0;
	delete_rules(s);
	for (uint32_t i = 0; i < STREAM_HANDLES; i++) {
		if (s->handles[i].state == THING_NONE)
			continue;
		CHECK(rte_flow_action_handle_destroy(s->port->id, s->handles[i].handle, &error) == 0,
			"indirect action %u stays: %s", i, error.message);
		s->handles[i].state = THING_NONE;
	}
	shapes_destroy(&s->shapes, s->port);
}
