/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Two threads with a queue each work on one table at full speed, and a third refreshes and reads counters; the device
 * runs on its own thread. For ThreadSanitizer as much as for its assertions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define NB_THREADS 2
#define NB_RULES 4000 /* per thread */
#define ROUNDS 3

struct worker {
	pthread_t thread;
	struct tuple_table *table;
	struct mlx5dr_queue *queue;
	struct mlx5dr_counter_pool *counters;
	uint32_t number;
	uint64_t accepted, returned, failed;
};

static void
pull(struct worker *worker, bool put)
{
	struct mlx5dr_result results[32];
	uint32_t n = mlx5dr_queue_poll(worker->queue, results, 32);

	if (n == 0)
		sched_yield();
	for (uint32_t i = 0; i < n; i++) {
		struct mlx5dr_rule *rule = results[i].op;

		worker->failed += results[i].status != 0;
		if (!put)
			continue;
		mlx5dr_counter_put(worker->counters, worker->queue, rule->counter);
		mlx5dr_rule_put(worker->table->matcher, worker->queue, rule);
	}
	worker->returned += n;
}

static void
pull_all(struct worker *worker, bool put)
{
	mlx5dr_queue_push(worker->queue);
	while (mlx5dr_queue_pending(worker->queue) > 0)
		pull(worker, put);
}

static void
insert(struct worker *worker, uint32_t i, struct mlx5dr_rule **rule)
{
	struct tuple tuple = { .src = htobe32(i), .dst = htobe32(worker->number), .sport = htobe16(i), .dport = 1 };
	uint32_t counter;
	int ret;

	while (mlx5dr_counter_get(worker->counters, worker->queue, &counter) == -EAGAIN)
		pull(worker, false);
	while ((ret = tuple_insert(worker->table, worker->queue, &tuple, i % 32 == 31 ? 0 : MLX5DR_POSTPONE, rule)) ==
	       -EAGAIN) {
		mlx5dr_rule_put(worker->table->matcher, worker->queue, *rule);
		mlx5dr_queue_push(worker->queue);
		pull(worker, false);
	}
	if (ret != 0)
		abort();
	(*rule)->counter = counter;
	worker->accepted++;
}

static void *
work(void *arg)
{
	struct worker *worker = arg;
	struct mlx5dr_rule **rules = calloc(NB_RULES, sizeof(*rules));

	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < NB_RULES; i++)
			insert(worker, i, &rules[i]);
		pull_all(worker, false);
		for (uint32_t i = 0; i < NB_RULES; i++) {
			int ret;

			while ((ret = mlx5dr_rule_destroy(worker->queue, worker->table->matcher, rules[i],
							  MLX5DR_POSTPONE)) == -EAGAIN) {
				mlx5dr_queue_push(worker->queue);
				pull(worker, true);
			}
			if (ret != 0)
				abort();
			worker->accepted++;
		}
		pull_all(worker, true);
	}
	free(rules);
	return NULL;
}

static atomic_bool stop;

static void *
refresh(void *arg)
{
	struct mlx5dr_counter_pool *counters = arg;
	uint64_t packets, bytes, sum = 0;

	while (!atomic_load(&stop)) {
		if (mlx5dr_counter_refresh(counters) != 0)
			abort();
		for (uint32_t i = 0; i < mlx5dr_counter_pool_size(counters); i += 7) {
			mlx5dr_counter_query(counters, i, false, &packets, &bytes);
			sum += packets;
		}
		sched_yield();
	}
	return (void *)(uintptr_t)sum;
}

static void
two_queues_one_table(void **state)
{
	struct worker workers[NB_THREADS];
	struct mlx5dr_counter_pool *counters;
	struct device device;
	struct tuple_table table;
	pthread_t refresher;
	uint64_t before;

	device_open(&device, "wire=null,uar=poll", NB_THREADS, 64);
	before = device_objects(&device);
	tuple_table_create(&device, NB_THREADS * NB_RULES, &table);
	assert_int_equal(mlx5dr_counter_pool_create(device.ctx, NB_THREADS * NB_RULES, &counters, NULL), 0);
	device_stepped(false);
	atomic_store(&stop, false);
	assert_int_equal(pthread_create(&refresher, NULL, refresh, counters), 0);
	for (unsigned int i = 0; i < NB_THREADS; i++) {
		workers[i] = (struct worker){ .table = &table, .counters = counters, .number = i,
					      .queue = mlx5dr_context_queue(device.ctx, i) };
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned int i = 0; i < NB_THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	atomic_store(&stop, true);
	pthread_join(refresher, NULL);
	for (unsigned int i = 0; i < NB_THREADS; i++) {
		assert_int_equal(workers[i].accepted, 2 * NB_RULES * ROUNDS);
		assert_int_equal(workers[i].returned, workers[i].accepted);
		assert_int_equal(workers[i].failed, 0);
	}
	assert_int_equal(mlx5dr_counter_pool_destroy(counters), 0);
	tuple_table_destroy(&table);
	assert_int_equal(device_objects(&device), before);
	device_close(&device);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_queues_one_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
