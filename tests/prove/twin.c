/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * prove_twin PLUGIN LIBSOFTCX [seed=N] [runs=N] [ops=N] [rules=N]
 *
 * Rules of a small world of tuples go in and out at random, on 1 or 4 flow queues (a rule may leave by another queue than it
 * came), threaded and stepped, with and without postpone. Beside it the naive twin: for each tuple, is there a rule. Now and then
 * all is pulled, and frames by chance must meet what the twin says. A table of N rules takes N, from any mix of queues.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_errno.h>

#include "tuples.h"

enum tuple_state { ABSENT, COMING, THERE, LEAVING };

struct world {
	struct port port;
	struct tuple_table table;
	struct chance chance;
	uint64_t salt;
	uint32_t nb_rules, nb_tuples;
	uint32_t nb;      /* records in use: neither ABSENT */
	uint8_t *state;   /* enum tuple_state of each tuple: the twin */
	struct rte_flow **flow;
	uint32_t out[FLOW_QUEUES_MAX];
	uint64_t inserted, deleted, compared;
};

static void
settle(struct world *w, uint32_t queue, const struct rte_flow_op_result *result)
{
	uint32_t n = (uint32_t)(uintptr_t)result->user_data;

	CHECK(result->status == RTE_FLOW_OP_SUCCESS, "tuple %u: operation failed in state %u", n, w->state[n]);
	CHECK(n < w->nb_tuples && (w->state[n] == COMING || w->state[n] == LEAVING), "result for tuple %u, none is due", n);
	w->out[queue]--;
	if (w->state[n] == LEAVING)
		w->nb--;
	w->state[n] = w->state[n] == COMING ? THERE : ABSENT;
}

static uint32_t
pull(struct world *w, uint32_t queue, uint32_t n)
{
	struct rte_flow_op_result results[64];
	struct rte_flow_error error = { 0 };
	int got = rte_flow_pull(w->port.id, queue, results, (uint16_t)RTE_MIN(n, 64u), &error);

	CHECK(got >= 0, "pull: %s", error.message);
	for (int i = 0; i < got; i++)
		settle(w, queue, &results[i]);
	return (uint32_t)got;
}

static void
drain(struct world *w)
{
	time_t deadline = time(NULL) + 20;
	struct rte_flow_error error;

	for (uint32_t queue = 0; queue < w->port.nb_queues; queue++) {
		CHECK(rte_flow_push(w->port.id, queue, &error) == 0, "push: %s", error.message);
		while (w->out[queue] > 0) {
			device_move();
			CHECK(pull(w, queue, 64) > 0 || time(NULL) < deadline, "%u results of queue %u do not come",
				w->out[queue], queue);
		}
	}
}

/* Turn tuple n: in if it is out, out if it is in. */
static void
turn(struct world *w, uint32_t n, uint32_t queue)
{
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&w->chance, 4) != 0 };
	void *user_data = (void *)(uintptr_t)n;
	struct rte_flow_error error = { 0 };

	if (w->out[queue] == w->port.queue_size)
		return;
	if (w->state[n] == ABSENT && w->nb < w->nb_rules) {
		w->flow[n] = tuple_insert(&w->table, &w->port, queue, w->salt, n, attr.postpone, user_data, &error);
		CHECK(w->flow[n] != NULL, "rule %u of %u, queue %u: %s", w->nb + 1, w->nb_rules, queue, error.message);
		w->state[n] = COMING;
		w->nb++;
		w->inserted++;
	} else if (w->state[n] == THERE) {
		CHECK(rte_flow_async_destroy(w->port.id, queue, &attr, w->flow[n], user_data, &error) == 0,
			"deletion of tuple %u: %s", n, error.message);
		w->state[n] = LEAVING;
		w->deleted++;
	} else {
		return;
	}
	w->out[queue]++;
}

static void
compare(struct world *w)
{
	uint32_t n[FRAMES_MAX];
	bool there[FRAMES_MAX];

	drain(w);
	for (uint32_t i = 0; i < FRAMES_MAX; i++) {
		n[i] = chance_below(&w->chance, w->nb_tuples);
		there[i] = w->state[n[i]] == THERE;
	}
	w->compared += frames_compare(&w->port, w->salt, n, there, FRAMES_MAX);
}

static void
churn(struct world *w, uint32_t ops)
{
	for (uint32_t i = 0; i < ops; i++) {
		uint32_t queue = chance_below(&w->chance, w->port.nb_queues);

		turn(w, chance_below(&w->chance, w->nb_tuples), queue);
		if (chance_below(&w->chance, 16) == 0) {
			device_move();
			pull(w, queue, chance_below(&w->chance, 65));
		}
		if (w->out[queue] == w->port.queue_size)
			drain(w);
		if (chance_below(&w->chance, 3000) == 0)
			compare(w);
	}
	compare(w);
}

/* Until the table is full, from queue 0 alone every other time. */
static void
fill(struct world *w, bool one_queue)
{
	for (uint32_t n = 0; w->nb < w->nb_rules; n = (n + 1) % w->nb_tuples) {
		uint32_t queue = one_queue ? 0 : chance_below(&w->chance, w->port.nb_queues);

		if (w->out[queue] == w->port.queue_size)
			drain(w);
		if (w->state[n] == ABSENT)
			turn(w, n, queue);
	}
	compare(w);
}

static void
empty(struct world *w)
{
	drain(w);
	for (uint32_t n = 0; n < w->nb_tuples; n++) {
		uint32_t queue = chance_below(&w->chance, w->port.nb_queues);

		if (w->out[queue] == w->port.queue_size)
			drain(w);
		if (w->state[n] == THERE)
			turn(w, n, queue);
	}
	compare(w);
	CHECK(w->nb == 0, "%u rules are left", w->nb);
}

static void
one_run(struct world *w, uint32_t number, uint32_t rules, uint32_t ops)
{
	bool stepped = number & 1;

	w->chance.state = prove_seed;
	w->port.nb_queues = number & 2 ? 4 : 1;
	w->port.queue_size = 1u << (4 + chance_below(&w->chance, 5));
	w->nb_rules = 1 + chance_below(&w->chance, rules);
	w->nb_tuples = 2 * w->nb_rules + 16;
	w->salt = chance_next(&w->chance);
	w->state = calloc(w->nb_tuples, sizeof(*w->state));
	w->flow = calloc(w->nb_tuples, sizeof(*w->flow));
	CHECK(w->state != NULL && w->flow != NULL, "no memory");
	port_open(&w->port, chance_below(&w->chance, 2) ? "wire=loop:hold,model=cx6dx" : "wire=loop:hold,model=cx7");
	tuple_table_create(&w->table, &w->port, w->nb_rules, 0);
	device_stepped(stepped);
	for (int i = 0; i < 3; i++) {
		churn(w, ops / 3);
		fill(w, i & 1);
	}
	empty(w);
	device_stepped(false);
	tuple_table_destroy(&w->table, &w->port);
	port_close(&w->port);
	free(w->state);
	free(w->flow);
	printf("seed=%llu: %s, %u queues of %u, %u rules of %u tuples\n", (unsigned long long)prove_seed,
		stepped ? "stepped" : "threaded", w->port.nb_queues, w->port.queue_size, w->nb_rules, w->nb_tuples);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct world world = { 0 };
	uint32_t runs, rules, ops;
	uint64_t begin;

	if (argc < 3) {
		fprintf(stderr, "usage: prove_twin PLUGIN LIBSOFTCX [seed=N] [runs=N] [ops=N] [rules=N]\n");
		return 2;
	}
	option_seed(argc, argv);
	begin = prove_seed;
	runs = (uint32_t)option(argc, argv, "runs", 8);
	rules = (uint32_t)option(argc, argv, "rules", 20000);
	ops = (uint32_t)option(argc, argv, "ops", 200000);
	prove_open(argv[0], argv[1], argv[2], 64);
	for (uint32_t i = 0; i < runs; i++) {
		prove_seed = begin + i;
		/* The seed alone says which run it is. */
		one_run(&world, (uint32_t)prove_seed, rules, ops);
	}
	rte_mempool_free(world.port.pool);
	prove_close();
	printf("seed=%llu: %llu insertions, %llu deletions, %llu frames agree with the twin\n", (unsigned long long)begin,
		(unsigned long long)world.inserted, (unsigned long long)world.deleted, (unsigned long long)world.compared);
	return 0;
}
