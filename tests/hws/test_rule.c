/* SPDX-License-Identifier: BSD-3-Clause */

/* Life of rules on a stepped device: accepted and refused operations, results exactly once, nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "random.h"

#define QUEUE_SIZE 64

static struct tuple
tuple_of(uint32_t i)
{
	return (struct tuple){ .src = htobe32(0x0a000000 + i), .dst = htobe32(0xc0a80000 + i / 7),
			       .sport = htobe16(i), .dport = htobe16(4789) };
}

static void
insert_and_destroy(void **state)
{
	struct device device;
	struct tuple_table table;
	struct mlx5dr_queue *queue;
	struct mlx5dr_result result;
	struct mlx5dr_rule *rule;
	struct tuple tuple = tuple_of(1);
	uint64_t before;

	device_open(&device, "wire=null", 1, QUEUE_SIZE);
	before = device_objects(&device);
	queue = mlx5dr_context_queue(device.ctx, 0);
	tuple_table_create(&device, 100, &table);

	assert_int_equal(tuple_insert(&table, queue, &tuple, 0, &rule), 0);
	rule->user_data = &tuple;
	assert_int_equal(mlx5dr_queue_pending(queue), 1);
	assert_int_equal(mlx5dr_queue_poll(queue, &result, 1), 0);
	assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rule, 0), -EBUSY);
	device_step();
	assert_int_equal(mlx5dr_queue_poll(queue, &result, 0), 0);
	assert_int_equal(mlx5dr_queue_poll(queue, &result, 1), 1);
	assert_ptr_equal(result.op, rule);
	assert_int_equal(result.status, 0);
	assert_int_equal(result.kind, 0);
	assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_CREATED);
	assert_ptr_equal(rule->user_data, &tuple);
	assert_int_equal(mlx5dr_queue_poll(queue, &result, 1), 0);
	assert_int_equal(mlx5dr_matcher_destroy(table.matcher), -EBUSY);
	assert_int_equal(mlx5dr_match_template_destroy(table.mt), -EBUSY);

	assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rule, 0), 0);
	assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rule, 0), -EBUSY);
	device_step();
	assert_int_equal(mlx5dr_queue_poll(queue, &result, 1), 1);
	assert_int_equal(result.status, 0);
	assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_DELETED);
	assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rule, 0), -EINVAL);
	mlx5dr_rule_put(table.matcher, queue, rule);
	tuple_table_destroy(&table);
	assert_int_equal(device_objects(&device), before);
	device_close(&device);
}

/* A queue of n takes n, refuses the next without a trace, and takes again after a poll. */
static void
queue_full(void **state)
{
	struct device device;
	struct tuple_table table;
	struct mlx5dr_queue *queue;
	struct mlx5dr_result results[QUEUE_SIZE];
	struct mlx5dr_rule *rules[QUEUE_SIZE + 1];
	uint32_t failed;

	device_open(&device, "wire=null", 1, QUEUE_SIZE);
	queue = mlx5dr_context_queue(device.ctx, 0);
	tuple_table_create(&device, 1000, &table);
	for (unsigned int i = 0; i < QUEUE_SIZE; i++) {
		struct tuple tuple = tuple_of(i);

		assert_int_equal(tuple_insert(&table, queue, &tuple, MLX5DR_POSTPONE, &rules[i]), 0);
	}
	for (unsigned int tries = 0; tries < 3; tries++) {
		struct tuple tuple = tuple_of(QUEUE_SIZE);

		assert_int_equal(tuple_insert(&table, queue, &tuple, 0, &rules[QUEUE_SIZE]), -EAGAIN);
		assert_int_equal(mlx5dr_rule_state(rules[QUEUE_SIZE]), MLX5DR_RULE_FREE);
		mlx5dr_rule_put(table.matcher, queue, rules[QUEUE_SIZE]);
	}
	assert_int_equal(mlx5dr_queue_complete(queue, &table, 1, 0), -EAGAIN);
	/* Nothing was pushed: nothing happens. */
	device_step();
	assert_int_equal(mlx5dr_queue_poll(queue, results, QUEUE_SIZE), 0);
	assert_int_equal(mlx5dr_queue_push(queue), 0);
	device_step();
	assert_int_equal(mlx5dr_queue_poll(queue, results, 5), 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_ptr_equal(results[i].op, rules[i]);
	assert_int_equal(mlx5dr_queue_complete(queue, &table, 7, -ENOENT), 0);
	assert_int_equal(mlx5dr_queue_poll(queue, results, 1), 1);
	assert_ptr_equal(results[0].op, &table);
	assert_int_equal(results[0].kind, 7);
	assert_int_equal(results[0].status, -ENOENT);
	assert_int_equal(mlx5dr_queue_poll(queue, results, QUEUE_SIZE), QUEUE_SIZE - 5);
	assert_int_equal(mlx5dr_queue_pending(queue), 0);
	for (unsigned int i = 0; i < QUEUE_SIZE; i++)
		assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rules[i], MLX5DR_POSTPONE), 0);
	assert_int_equal(drain(queue, &failed), QUEUE_SIZE);
	assert_int_equal(failed, 0);
	for (unsigned int i = 0; i < QUEUE_SIZE; i++)
		mlx5dr_rule_put(table.matcher, queue, rules[i]);
	tuple_table_destroy(&table);
	device_close(&device);
}

static void
missing_spec(void **state)
{
	struct device device;
	struct tuple_table table;
	struct mlx5dr_queue *queue;
	struct tuple tuple = tuple_of(3);
	struct tuple_items items = { .ip = &tuple };
	struct mlx5dr_rule *rule;
	uint32_t failed;

	device_open(&device, "wire=null", 1, QUEUE_SIZE);
	queue = mlx5dr_context_queue(device.ctx, 0);
	tuple_table_create(&device, 10, &table);
	rule = mlx5dr_rule_get(table.matcher, queue);
	assert_int_equal(mlx5dr_rule_create(queue, table.pair, rule, &items, NULL, 0), -EINVAL);
	assert_int_equal(mlx5dr_queue_pending(queue), 0);
	items.udp = &tuple;
	assert_int_equal(mlx5dr_rule_create(queue, table.pair, rule, &items, NULL, 0), 0);
	assert_int_equal(drain(queue, &failed), 1);
	assert_int_equal(failed, 0);
	assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rule, 0), 0);
	assert_int_equal(drain(queue, &failed), 1);
	mlx5dr_rule_put(table.matcher, queue, rule);
	tuple_table_destroy(&table);
	device_close(&device);
}

/* Random operations on several queues against a count of what was accepted; every rule is deleted from where it landed. */
static void
mix(uint16_t nb_queues, uint32_t nb_rules, unsigned int nb_operations, bool random_keys)
{
	struct device device;
	struct tuple_table table;
	struct mlx5dr_rule **rules = calloc(nb_rules, sizeof(*rules));
	uint32_t nb_live = 0, accepted = 0, returned = 0, failed_sum = 0, collisions = 0, failed, n = 0;

	assert_non_null(rules);
	device_open(&device, "wire=null", nb_queues, QUEUE_SIZE);
	tuple_table_create(&device, nb_rules, &table);
	for (unsigned int i = 0; i < nb_operations; i++) {
		struct mlx5dr_queue *queue = mlx5dr_context_queue(device.ctx, random_below(nb_queues));
		bool destroy = nb_live == nb_rules || (nb_live > 0 && i > nb_operations / 2 && random_below(4) != 0);
		struct tuple tuple = tuple_of(n++);
		uint32_t which;
		int ret;

		if (mlx5dr_queue_pending(queue) == QUEUE_SIZE || random_below(100) == 0) {
			returned += drain(queue, &failed);
			failed_sum += failed;
		}
		if (!destroy) {
			if (random_keys) {
				tuple.src = random_u32();
				tuple.dst = random_u32();
				tuple.sport = random_u32();
			}
			ret = tuple_insert(&table, queue, &tuple, random_below(8) ? MLX5DR_POSTPONE : 0,
					   &rules[nb_live]);
			assert_int_equal(ret, 0);
			nb_live++;
			accepted++;
			continue;
		}
		which = random_below(nb_live);
		ret = mlx5dr_rule_destroy(queue, table.matcher, rules[which], MLX5DR_POSTPONE);
		if (ret == -EBUSY)
			continue;
		assert_int_equal(ret, 0);
		collisions += (rules[which]->bits & MLX5DR_RULE_COLLISION) != 0;
		accepted++;
		returned += drain(queue, &failed);
		failed_sum += failed;
		assert_int_equal(mlx5dr_rule_state(rules[which]), MLX5DR_RULE_DELETED);
		mlx5dr_rule_put(table.matcher, queue, rules[which]);
		rules[which] = rules[--nb_live];
	}
	for (unsigned int q = 0; q < nb_queues; q++) {
		returned += drain(mlx5dr_context_queue(device.ctx, q), &failed);
		failed_sum += failed;
	}
	assert_int_equal(accepted, returned);
	for (uint32_t i = 0; i < nb_live; i++) {
		struct mlx5dr_queue *queue = mlx5dr_context_queue(device.ctx, i % nb_queues);

		assert_int_equal(mlx5dr_rule_state(rules[i]), MLX5DR_RULE_CREATED);
		collisions += (rules[i]->bits & MLX5DR_RULE_COLLISION) != 0;
		assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rules[i], 0), 0);
		assert_int_equal(drain(queue, &failed), 1);
		assert_int_equal(failed, 0);
		mlx5dr_rule_put(table.matcher, queue, rules[i]);
	}
	assert_null(mlx5dr_rule_next(table.matcher, NULL));
	printf("%u accepted = %u returned, %u in the collision table\n", accepted, returned, collisions);
	assert_int_equal(failed_sum, 0);
	if (random_keys)
		assert_true(collisions > 0);
	tuple_table_destroy(&table);
	device_close(&device);
	free(rules);
}

static void
mix_one_queue(void **state)
{
	random_seed();
	mix(1, 500, 5000, false);
}

static void
mix_four_queues(void **state)
{
	random_seed();
	mix(4, 3000, 20000, false);
}

/* Rows of four entries and as many rules as rows: some rows overflow. */
static void
collisions(void **state)
{
	random_seed();
	mix(2, 16384, 40000, true);
}

/* The whole capacity from whichever queues ask, in any mix. */
static void
capacity(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 3, 17, 100, 1000, 5000 };
	struct device device;
	struct tuple_table table;

	random_seed();
	device_open(&device, "wire=null", 4, QUEUE_SIZE);
	for (unsigned int s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct mlx5dr_rule **rules = calloc(sizes[s], sizeof(*rules));

		tuple_table_create(&device, sizes[s], &table);
		for (unsigned int round = 0; round < 5; round++) {
			uint16_t favourite = random_below(4);

			for (uint32_t i = 0; i < sizes[s]; i++) {
				uint16_t q = random_below(3) ? favourite : random_below(4);

				rules[i] = mlx5dr_rule_get(table.matcher, mlx5dr_context_queue(device.ctx, q));
				assert_non_null(rules[i]);
			}
			for (uint32_t i = 0; i < sizes[s]; i++)
				mlx5dr_rule_put(table.matcher, mlx5dr_context_queue(device.ctx, random_below(4)),
						rules[i]);
		}
		tuple_table_destroy(&table);
		free(rules);
	}
	device_close(&device);
}

/* Order a fault with operations in flight, posted, postponed and done but not polled: each comes back once. */
static void
device_fails(const char *fault, bool threaded_death)
{
	struct device device;
	struct tuple_table table;
	struct mlx5dr_rule *rules[3 * QUEUE_SIZE];
	struct mlx5dr_result results[QUEUE_SIZE];
	unsigned int nb = 0, accepted = 0, returned = 0, bad = 0, nb_empty = 0;
	struct mlx5dr_queue *queue;
	uint32_t n, failed;

	device_open(&device, "wire=null", 1, QUEUE_SIZE);
	queue = mlx5dr_context_queue(device.ctx, 0);
	tuple_table_create(&device, 1000, &table);
	for (; nb < 20; nb++) {
		struct tuple tuple = tuple_of(nb);

		assert_int_equal(tuple_insert(&table, queue, &tuple, MLX5DR_POSTPONE, &rules[nb]), 0);
	}
	assert_int_equal(drain(queue, &failed), 20);
	for (; nb < 40; nb++) {
		struct tuple tuple = tuple_of(nb);

		assert_int_equal(tuple_insert(&table, queue, &tuple, 0, &rules[nb]), 0);
		accepted++;
	}
	device_step();
	for (unsigned int i = 0; i < 5; i++, accepted++)
		assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rules[i], 0), 0);
	device_fault(&device, fault);
	for (; nb < 60; nb++) {
		struct tuple tuple = tuple_of(nb);

		assert_int_equal(tuple_insert(&table, queue, &tuple, MLX5DR_POSTPONE, &rules[nb]), 0);
		accepted++;
	}
	mlx5dr_queue_push(queue);
	device_step();
	if (threaded_death)
		mlx5dr_context_fail(device.ctx);
	while (returned < accepted && nb_empty < 200000) {
		n = mlx5dr_queue_poll(queue, results, 7);
		nb_empty += n == 0;
		for (unsigned int i = 0; i < n; i++) {
			bad += results[i].status != 0;
			if (results[i].status != 0)
				assert_int_equal(results[i].status, -EIO);
		}
		returned += n;
	}
	printf("%s: %u accepted = %u returned, %u with an error, %u empty polls\n", fault, accepted, returned, bad, nb_empty);
	assert_int_equal(accepted, returned);
	assert_true(bad > 0);
	assert_int_equal(mlx5dr_queue_pending(queue), 0);

	/* From now on: no creation, and deletion without the device. */
	{
		struct tuple tuple = tuple_of(99);

		assert_int_equal(tuple_insert(&table, queue, &tuple, 0, &rules[nb]), -EIO);
		mlx5dr_rule_put(table.matcher, queue, rules[nb]);
	}
	for (unsigned int i = 0; i < nb; i++) {
		if (mlx5dr_rule_state(rules[i]) == MLX5DR_RULE_CREATED) {
			assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rules[i], 0), 0);
			assert_int_equal(mlx5dr_queue_poll(queue, results, QUEUE_SIZE), 1);
			assert_int_equal(results[0].status, 0);
		}
		mlx5dr_rule_put(table.matcher, queue, rules[i]);
	}
	tuple_table_destroy(&table);
	device_close(&device);
}

static void
error_completion(void **state)
{
	device_fails("sq:*:3", false);
}

/* The queue itself is well, its completions have nowhere to go: seen after a while of polling in vain. */
static void
completion_overrun(void **state)
{
	device_fails("cq:*:3", false);
}

static void
device_dies(void **state)
{
	device_fails("die", true);
}

static void
many_rules(void **state)
{
	const char *given = getenv("HWS_RULES");
	uint32_t nb = given != NULL ? strtoul(given, NULL, 0) : 100000, failed, sum = 0, bad = 0;
	struct mlx5dr_rule **rules = malloc(nb * sizeof(*rules));
	struct device device;
	struct tuple_table table;
	struct mlx5dr_queue *queue;

	assert_non_null(rules);
	device_open(&device, "wire=null", 1, 256);
	queue = mlx5dr_context_queue(device.ctx, 0);
	tuple_table_create(&device, nb, &table);
	for (unsigned int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < nb; i++) {
			struct tuple tuple = tuple_of(i);

			assert_int_equal(tuple_insert(&table, queue, &tuple, MLX5DR_POSTPONE, &rules[i]), 0);
			if (i % 128 == 127) {
				sum += drain(queue, &failed);
				bad += failed;
			}
		}
		sum += drain(queue, &failed);
		for (uint32_t i = 0; i < nb; i++) {
			assert_int_equal(mlx5dr_rule_destroy(queue, table.matcher, rules[i], MLX5DR_POSTPONE), 0);
			if (i % 128 == 127) {
				sum += drain(queue, &failed);
				bad += failed;
			}
		}
		sum += drain(queue, &failed);
		for (uint32_t i = 0; i < nb; i++)
			mlx5dr_rule_put(table.matcher, queue, rules[i]);
	}
	assert_int_equal(sum, 4 * nb);
	assert_int_equal(bad, 0);
	tuple_table_destroy(&table);
	device_close(&device);
	free(rules);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(insert_and_destroy),
		cmocka_unit_test(queue_full),
		cmocka_unit_test(missing_spec),
		cmocka_unit_test(mix_one_queue),
		cmocka_unit_test(mix_four_queues),
		cmocka_unit_test(collisions),
		cmocka_unit_test(capacity),
		cmocka_unit_test(error_completion), cmocka_unit_test(completion_overrun),
		cmocka_unit_test(device_dies),
		cmocka_unit_test(many_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
