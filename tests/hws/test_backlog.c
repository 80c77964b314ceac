/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A queue of n takes n operations of whatever size, also while the device stands still: what its ring has no room for waits
 * in the backlog, and comes back once.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "hws/matcher.h"
#include "hws/queue.h"
#include "prm/modify.h"
#include "world.h"

#define SIZE 64
#define ENCAP_BYTES 50

struct heavy {
	struct world w;
	struct templates t;
	struct mlx5dr_rule *rules[SIZE];
};

static struct tuple
tuple_of(unsigned int n)
{
	return (struct tuple){ htobe32(0x0b000000 + n), htobe32(0x0c000000), htobe16(7), htobe16(53) };
}

#define NB_FIELDS 32

/* A header and many fields from each rule: five argument WQEs and more before the match STE. */
static void
open_heavy(struct heavy *h, uint32_t nb_rules)
{
	struct mlx5dr_modify list[NB_FIELDS];
	struct mlx5dr_slot modify = { .type = MLX5DR_ACTION_MODIFY, .modify = list, .nb_modify = NB_FIELDS };
	struct mlx5dr_slot encap = { .type = MLX5DR_ACTION_L2_TO_TNL_L2, .header_bytes = ENCAP_BYTES,
				     .bytes = { .base = MLX5DR_SCRATCH,
						.pointer_at = offsetof(struct scratch, header_pointer) } };
	struct mlx5dr_slot mark = { .type = MLX5DR_ACTION_TAG, .value = { .value = 77 } };
	struct mlx5dr_slot drop = { .type = MLX5DR_ACTION_DROP };
	struct mlx5dr_field fields[8];

	for (unsigned int i = 0; i < NB_FIELDS; i++)
		list[i] = (struct mlx5dr_modify){ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_DIPV4, .length = 32,
						  .data = scratch_value(offsetof(struct scratch, value)) };
	memset(h, 0, sizeof(*h));
	for (unsigned int i = 0; i < 2 * SIZE; i++) {
		struct tuple tuple = tuple_of(i);

		add_udp4(&tuple, 64);
	}
	world_open_queues(&h->w, 1, SIZE);
	scratch_of(&h->w)->header_pointer = scratch_of(&h->w)->header;
	add_mt(&h->w, &h->t, fields, tuple_fields(fields));
	add_at(&h->w, &h->t, (struct mlx5dr_slot[]){ mark, counter_slot(), modify, encap, drop }, 5);
	add_at(&h->w, &h->t, (struct mlx5dr_slot[]){ counter_slot(), drop }, 2);
	make_matcher(&h->w, &h->t, h->w.table[0], nb_rules, 0);
	assert_true(mlx5dr_matcher_pair(h->t.matcher, 0, 0)->nb_bbs > 4 * QUEUE_WQE_BBS);
}

static void
close_heavy(struct heavy *h)
{
	free_templates(&h->t);
	world_close(&h->w);
}

/* The rule of tuple n with actions at: 0 has several WQEs, 1 has one. */
static int
insert(struct heavy *h, unsigned int n, unsigned int at, struct mlx5dr_rule **rule)
{
	struct tuple tuple = tuple_of(n);
	struct tuple_items items = { &tuple, &tuple };

	*rule = mlx5dr_rule_get(h->t.matcher, h->w.queue);
	assert_non_null(*rule);
	(*rule)->user_data = (void *)(uintptr_t)n;
	memset(&scratch_of(&h->w)->place, 0, sizeof(scratch_of(&h->w)->place));
	assert_int_equal(mlx5dr_counter_get(h->w.counters, h->w.queue, &(*rule)->counter), 0);
	mlx5dr_counter_place(h->w.counters, MLX5DR_NIC_RX, (*rule)->counter, &scratch_of(&h->w)->place);
	scratch_of(&h->w)->value = n;
	return mlx5dr_rule_create(h->w.queue, mlx5dr_matcher_pair(h->t.matcher, 0, at), *rule, &items, NULL,
				  MLX5DR_POSTPONE);
}

static void
forget(struct heavy *h, struct mlx5dr_rule *rule)
{
	mlx5dr_counter_put(h->w.counters, h->w.queue, rule->counter);
	mlx5dr_rule_put(h->t.matcher, h->w.queue, rule);
}

static void
check_full(struct heavy *h)
{
	struct mlx5dr_rule *rule;

	assert_int_equal(insert(h, SIZE, 0, &rule), -EAGAIN);
	assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_FREE);
	forget(h, rule);
}

/* Marks the rule of a result; which it was before says how often. */
static bool
returned(struct heavy *h, const struct mlx5dr_rule *rule, bool seen[SIZE])
{
	for (unsigned int i = 0; i < SIZE; i++)
		if (h->rules[i] == rule) {
			bool before = seen[i];

			seen[i] = true;
			return !before;
		}
	return false;
}

/* All of the queue's operations once, however the device and the calls take turns. */
static void
take_all(struct heavy *h, unsigned int each)
{
	struct mlx5dr_result results[SIZE];
	bool seen[SIZE] = { false };
	unsigned int nb = 0;

	for (unsigned int turn = 0; nb < SIZE && turn < 4 * SIZE; turn++) {
		uint32_t got;

		device_step();
		got = mlx5dr_queue_poll(h->w.queue, results, each);
		for (uint32_t i = 0; i < got; i++) {
			assert_int_equal(results[i].status, 0);
			assert_true(returned(h, results[i].op, seen));
		}
		nb += got;
	}
	assert_int_equal(nb, SIZE);
	assert_int_equal(mlx5dr_queue_pending(h->w.queue), 0);
	assert_int_equal(mlx5dr_queue_poll(h->w.queue, results, SIZE), 0);
}

/* Big and small ones, in and out, in one row: the second half of the first rules goes while others come. */
static void
mixed(struct heavy *h, unsigned int each)
{
	struct mlx5dr_rule *gone[SIZE / 2];

	for (unsigned int i = 0; i < SIZE; i++)
		assert_int_equal(insert(h, i, i % 3 == 1, &h->rules[i]), 0);
	check_full(h);
	assert_int_equal(mlx5dr_queue_push(h->w.queue), 0);
	check_full(h);
	take_all(h, each);
	assert_false(h->w.queue->behind);
	for (unsigned int i = 0; i < SIZE; i += 2) {
		gone[i / 2] = h->rules[i];
		assert_int_equal(mlx5dr_rule_destroy(h->w.queue, h->t.matcher, h->rules[i], MLX5DR_POSTPONE), 0);
		assert_int_equal(insert(h, SIZE + i, i % 4 == 0, &h->rules[i + 1]), 0);
		/* Rung in the middle too. */
		if (i == SIZE / 2)
			assert_int_equal(mlx5dr_queue_push(h->w.queue), 0);
	}
	check_full(h);
	assert_int_equal(mlx5dr_queue_push(h->w.queue), 0);
	take_all(h, each);
	for (unsigned int i = 0; i < SIZE; i += 2)
		forget(h, gone[i / 2]);
}

static void
test_once_each(void **state)
{
	static const unsigned int each[] = { SIZE, 7, 1 };

	for (unsigned int i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct heavy h;
		unsigned int nb_once = 0;

		/* Much larger than needed: that there are rows with more than they hold is not asked for. */
		open_heavy(&h, 4096);
		mixed(&h, each[i]);
		run_frames(&h.w);
		/* Those from tuple SIZE on are there, each with its frame; of the first ones h.rules lost hold. */
		for (unsigned int n = 0; n < SIZE; n += 2)
			nb_once += packets_of(&h.w, h.rules[n + 1]->counter) == 1;
		assert_int_equal(nb_once, SIZE / 2);
		assert_int_equal(mlx5dr_queue_size(h.w.queue), SIZE);
		for (struct mlx5dr_rule *rule = NULL; (rule = mlx5dr_rule_next(h.t.matcher, rule)) != NULL;)
			remove_rule(&h.w, &h.t, rule);
		close_heavy(&h);
	}
}

/* The device works on a backlog while it is polled: what has come and was not given back never fills the CQ. */
static void
test_beside_device(void **state)
{
	struct mlx5dr_result results[SIZE];
	struct heavy h;

	open_heavy(&h, 4096);
	for (unsigned int round = 0; round < 100; round++) {
		uint32_t got = 0;

		/* Each with its completion, and a backlog that follows them one by one. */
		for (unsigned int i = 0; i < SIZE; i++) {
			assert_int_equal(insert(&h, i, 0, &h.rules[i]), 0);
			assert_int_equal(mlx5dr_queue_push(h.w.queue), 0);
		}
		device_stepped(false);
		for (time_t end = time(NULL) + 10; got < SIZE && time(NULL) < end;) {
			uint32_t nb = mlx5dr_queue_poll(h.w.queue, results, SIZE);

			for (uint32_t i = 0; i < nb; i++)
				assert_int_equal(results[i].status, 0);
			got += nb;
		}
		assert_int_equal(got, SIZE);
		assert_int_equal(mlx5dr_counter_refresh(h.w.counters), 0); /* those of earlier rounds come back */
		device_stepped(true);
		for (unsigned int i = 0; i < SIZE; i++)
			remove_rule(&h.w, &h.t, h.rules[i]);
	}
	close_heavy(&h);
}

/* The queue fails with a backlog: all of it comes back, once, and deletions go without the device. */
static void
test_failure(void **state)
{
	struct mlx5dr_result results[SIZE];
	uint32_t got = 0, bad = 0, nb;
	bool seen[SIZE] = { false };
	struct heavy h;

	open_heavy(&h, 4096);
	for (unsigned int i = 0; i < SIZE; i++)
		assert_int_equal(insert(&h, i, 0, &h.rules[i]), 0);
	assert_int_equal(mlx5dr_queue_push(h.w.queue), 0);
	assert_true(h.w.queue->behind);
	device_fault(&h.w.device, "sq:*:200");
	for (unsigned int turn = 0; turn < 3 * SIZE; turn++) {
		device_step();
		nb = mlx5dr_queue_poll(h.w.queue, results, 10);
		for (uint32_t i = 0; i < nb; i++) {
			bad += results[i].status == -EIO;
			assert_true(returned(&h, results[i].op, seen));
		}
		got += nb;
	}
	assert_int_equal(got, SIZE);
	assert_true(bad > 0);
	assert_int_equal(mlx5dr_queue_pending(h.w.queue), 0);
	assert_int_equal(mlx5dr_queue_push(h.w.queue), -EIO);
	for (unsigned int i = 0; i < SIZE; i++) {
		if (mlx5dr_rule_state(h.rules[i]) == MLX5DR_RULE_CREATED) {
			assert_int_equal(mlx5dr_rule_destroy(h.w.queue, h.t.matcher, h.rules[i], 0), 0);
			assert_int_equal(mlx5dr_queue_poll(h.w.queue, results, SIZE), 1);
		}
		forget(&h, h.rules[i]);
	}
	close_heavy(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once_each),
		cmocka_unit_test(test_beside_device),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
