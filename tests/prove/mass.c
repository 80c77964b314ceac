/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * prove_mass PLUGIN LIBSOFTCX [rules=1000000] [rounds=10] [samples=1000] [queues=4] [seed=N]
 *
 * A port is made, filled with rules, sampled by frames (rules that are there, tuples that have none), emptied, sampled again and
 * closed, round after round. After each the device's objects are 0, and heap, DPDK's heap and resident memory are what they were
 * after the first.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tuples.h"

struct mass {
	struct port port;
	struct tuple_table table;
	uint64_t salt;
	uint32_t nb_rules, samples;
	struct rte_flow **flows;
};

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Results of one queue: user_data is the rule's number + 1. */
static uint32_t
pull(const struct mass *m, uint32_t queue)
{
	struct rte_flow_op_result results[64];
	struct rte_flow_error error = { 0 };
	int got = rte_flow_pull(m->port.id, queue, results, RTE_DIM(results), &error);

	CHECK(got >= 0, "pull: %s", error.message);
	for (int i = 0; i < got; i++) {
		uint64_t n = (uint64_t)(uintptr_t)results[i].user_data - 1;

		CHECK(results[i].status == RTE_FLOW_OP_SUCCESS, "operation on rule %llu failed", (unsigned long long)n);
		CHECK(n < m->nb_rules, "result of rule %llu", (unsigned long long)n);
	}
	return (uint32_t)got;
}

static void
post(struct mass *m, uint32_t queue, uint32_t n, bool insert, bool postpone)
{
	const struct rte_flow_op_attr attr = { .postpone = postpone };
	void *user_data = (void *)(uintptr_t)(n + 1);
	struct rte_flow_error error = { 0 };

	if (insert) {
		m->flows[n] = tuple_insert(&m->table, &m->port, queue, m->salt, n, postpone, user_data, &error);
		CHECK(m->flows[n] != NULL, "rule %u: %s", n, error.message);
	} else {
		CHECK(rte_flow_async_destroy(m->port.id, queue, &attr, m->flows[n], user_data, &error) == 0,
			"deletion of rule %u: %s", n, error.message);
	}
}

/* All rules in or out, in bursts of 32, the flow queues in turn. */
static void
all(struct mass *m, bool insert)
{
	uint32_t waiting[FLOW_QUEUES_MAX] = { 0 }, queue = 0, burst = 32, done = 0;

	for (uint32_t first = 0; first < m->nb_rules; first += burst, queue = (queue + 1) % m->port.nb_queues) {
		uint32_t nb = RTE_MIN(burst, m->nb_rules - first);

		while (waiting[queue] + nb > m->port.queue_size) {
			uint32_t got = pull(m, queue);

			if (got == 0)
				device_move();
			waiting[queue] -= got;
			done += got;
		}
		for (uint32_t i = 0; i < nb; i++)
			post(m, queue, first + i, insert, i + 1 < nb);
		waiting[queue] += nb;
	}
	for (queue = 0; queue < m->port.nb_queues; queue++)
		for (time_t deadline = time(NULL) + 30; waiting[queue] > 0;) {
			uint32_t got = pull(m, queue);

			if (got == 0)
				device_move();
			waiting[queue] -= got;
			done += got;
			CHECK(time(NULL) < deadline, "%u results of queue %u did not come", waiting[queue], queue);
		}
	CHECK(done == m->nb_rules, "%u results of %u operations", done, m->nb_rules);
}

/* Frames of rules by chance, and as many in ten that have none. */
static uint32_t
sample(const struct mass *m, struct chance *chance, bool there)
{
	uint32_t n[FRAMES_MAX], compared = 0;
	bool has[FRAMES_MAX];

	while (compared < m->samples + m->samples / 10) {
		for (uint32_t i = 0; i < 44; i++) {
			has[i] = i % 11 != 10;
			n[i] = chance_below(chance, m->nb_rules) + (has[i] ? 0 : m->nb_rules);
			has[i] = has[i] && there;
		}
		compared += frames_compare(&m->port, m->salt, n, has, 44);
	}
	return compared;
}

static void
one_round(struct mass *m, struct chance *chance, uint32_t number, struct books *books)
{
	double begin, inserted, deleted;
	uint32_t sampled;

	port_open(&m->port, "wire=loop:hold");
	m->salt = chance_next(chance);
	tuple_table_create(&m->table, &m->port, m->nb_rules, 0);
	begin = seconds();
	all(m, true);
	inserted = seconds() - begin;
	sampled = sample(m, chance, true);
	begin = seconds();
	all(m, false);
	deleted = seconds() - begin;
	sample(m, chance, false);
	tuple_table_destroy(&m->table, &m->port);
	port_close(&m->port);
	books_take(books);
	CHECK(books->left_behind == 0, "%llu objects were not destroyed by the driver",
		(unsigned long long)books->left_behind);
	printf("round %u: %u rules in %.2f s, out %.2f s; %u frames agree; heap %zu, dpdk heap %zu bytes, resident %llu KiB\n",
		number, m->nb_rules, inserted, deleted, sampled, books->heap, books->dpdk,
		(unsigned long long)books->rss_kib);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct mass m = { .port = { .queue_size = 128 } };
	struct books first, now;
	struct chance chance;
	uint32_t rounds;

	books_exact(argv);
	if (argc < 3) {
		fprintf(stderr, "usage: prove_mass PLUGIN LIBSOFTCX [rules=N] [rounds=N] [samples=N] [queues=N] [seed=N]\n");
		return 2;
	}
	option_seed(argc, argv);
	chance.state = prove_seed;
	m.nb_rules = (uint32_t)option(argc, argv, "rules", 1000000);
	m.samples = (uint32_t)option(argc, argv, "samples", 1000);
	m.port.nb_queues = (uint32_t)option(argc, argv, "queues", 4);
	rounds = (uint32_t)option(argc, argv, "rounds", 10);
	printf("seed=%llu\n", (unsigned long long)prove_seed);
	prove_open(argv[0], argv[1], argv[2], 64);
	m.flows = calloc(m.nb_rules, sizeof(*m.flows));
	CHECK(m.flows != NULL && m.port.nb_queues >= 1 && m.port.nb_queues <= FLOW_QUEUES_MAX, "rules or queues");
	for (uint32_t i = 0; i < rounds; i++) {
		one_round(&m, &chance, i + 1, i == 0 ? &first : &now);
		if (i > 0)
			books_compare(&first, &now, 512);
	}
	free(m.flows);
	rte_mempool_free(m.port.pool);
	prove_close();
	printf("mass: %u x %u rules inserted, sampled and deleted, census and heap as before\n", rounds, m.nb_rules);
	return 0;
}
