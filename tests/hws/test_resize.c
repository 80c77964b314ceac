/* SPDX-License-Identifier: BSD-3-Clause */

/* Resize of a matcher: packets meet every rule all the time, records stay where they are, and the old tables go at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prm/modify.h"
#include "random.h"
#include "world.h"

static void
make_resizable(struct world *w, struct templates *t, uint32_t nb_rules)
{
	struct mlx5dr_matcher_attr attr = { .nb_rules = nb_rules, .nb_mt = t->nb_mt, .nb_at = t->nb_at, .mt = t->mt,
					    .at = t->at, .resizable = true };
	struct mlx5dr_error error;

	device_stepped(false);
	if (mlx5dr_matcher_create(w->table[0], &attr, &t->matcher, &error) != 0)
		fail_msg("matcher: %s", error.text);
	device_stepped(true);
}

static void
resize(struct templates *t, uint32_t nb_rules)
{
	struct mlx5dr_error error;

	device_stepped(false);
	if (mlx5dr_matcher_resize(t->matcher, nb_rules, &error) != 0)
		fail_msg("resize to %u: %s", nb_rules, error.text);
	device_stepped(true);
}

static void
complete(struct templates *t)
{
	struct mlx5dr_error error;

	device_stepped(false);
	if (mlx5dr_matcher_resize_complete(t->matcher, &error) != 0)
		fail_msg("completion: %s", error.text);
	device_stepped(true);
}

static void
move(struct world *w, struct templates *t, struct mlx5dr_rule *rule)
{
	uint32_t failed;

	assert_int_equal(mlx5dr_rule_move(w->queue, t->matcher, rule, MLX5DR_POSTPONE), 0);
	assert_int_equal(mlx5dr_rule_move(w->queue, t->matcher, rule, 0),
			 mlx5dr_rule_state(rule) == MLX5DR_RULE_CREATED ? 0 : -EBUSY);
	drain(w->queue, &failed);
	assert_int_equal(failed, 0);
	assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_CREATED);
	assert_true(rule->bits & MLX5DR_RULE_CHANGED);
}

/* ---- with frames in the end ---------------------------------------------------------------------------------------- */

#define NB_TUPLES 3000

/* The shapes of actions: counter and fate alone; a list whose data every rule has, behind which is a second STE. */
static void
add_shapes(struct world *w, struct templates *t, const struct mlx5dr_action *jump)
{
	struct mlx5dr_value value = scratch_value(offsetof(struct scratch, value));
	struct mlx5dr_modify list[2] = {
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_META_REG_C_1, .length = 32, .data = value },
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_META_REG_C_2, .length = 32, .data = value },
	};
	struct mlx5dr_slot vlan = { .type = MLX5DR_ACTION_PUSH_VLAN, .value = { .value = 0x81000005 } };
	struct mlx5dr_slot modify = { .type = MLX5DR_ACTION_MODIFY, .modify = list, .nb_modify = 2 };
	struct mlx5dr_slot to_next = { .type = MLX5DR_ACTION_TABLE, .action = jump };

	add_at(w, t, (struct mlx5dr_slot[]){ counter_slot(), { .type = MLX5DR_ACTION_DROP } }, 2);
	add_at(w, t, (struct mlx5dr_slot[]){ counter_slot(), vlan, modify, to_next }, 4);
}

/* The table behind: which value did the rule write. */
static void
add_behind(struct world *w, struct templates *t)
{
	struct mlx5dr_field regs[2] = {
		{ .hl = MLX5DR_HL_REG_C_1, .mask = UINT32_MAX, .value = scratch_value(offsetof(struct scratch, value)) },
		{ .hl = MLX5DR_HL_REG_C_2, .mask = UINT32_MAX, .value = scratch_value(offsetof(struct scratch, value)) },
	};

	add_mt(w, t, regs, 2);
	add_at(w, t, (struct mlx5dr_slot[]){ counter_slot(), { .type = MLX5DR_ACTION_DROP } }, 2);
	make_matcher(w, t, w->table[1], NB_TUPLES, 0);
}

static struct mlx5dr_rule *
insert(struct world *w, struct templates *t, const struct tuple *tuple, unsigned int i)
{
	struct tuple_items items = { tuple, tuple };

	scratch_of(w)->value = i;
	return add_rule(w, t, i % 2, i / 2 % 2, &items, NULL);
}

/*
 * Grow, shrink, grow: before, while and after a resize rules come and go, some of them moved and some not, two masks, one and
 * two STEs with arguments. In the end each rule takes its frame.
 */
static void
rules_come_and_go(void **state)
{
	static const uint32_t sizes[] = { 4000, 3100, 6000, 6000 };
	static struct tuple tuples[NB_TUPLES];
	static struct mlx5dr_rule *rules[NB_TUPLES], *behind[NB_TUPLES];
	struct templates t = { .nb_mt = 0 }, second = { .nb_mt = 0 };
	struct mlx5dr_field fields[8];
	struct mlx5dr_action *jump;
	struct mlx5dr_error error;
	uint32_t nb = 0, moved = 0;
	struct world w;

	random_seed();
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		tuples[i] = (struct tuple){ random_u32(), random_u32(), random_u32(), random_u32() };
		add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &jump), 0);
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_mt(&w, &t, fields, tuple_fields(fields) - 1);
	add_shapes(&w, &t, jump);
	make_resizable(&w, &t, 300);
	add_behind(&w, &second);
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		scratch_of(&w)->value = i;
		if (i / 2 % 2 == 1)
			behind[i] = add_rule(&w, &second, 0, 0, NULL, NULL);
	}
	for (unsigned int round = 0; round < 4; round++) {
		/* Some leave, some come. */
		for (unsigned int n = 0; n < 300; n++) {
			unsigned int i = random_u32() % NB_TUPLES;

			if (rules[i] != NULL && n % 3 == 0) {
				remove_rule(&w, &t, rules[i]);
				rules[i] = NULL;
				nb--;
			} else if (rules[i] == NULL && (round > 0 || nb < 300)) {
				rules[i] = insert(&w, &t, &tuples[i], i);
				nb++;
			}
		}
		assert_int_equal(mlx5dr_matcher_resize_complete(t.matcher, &error), -EINVAL);
		resize(&t, sizes[round]);
		assert_int_equal(mlx5dr_matcher_resize(t.matcher, 8000, &error), -EBUSY);
		for (unsigned int n = 0; n < 2000; n++) {
			unsigned int i = random_u32() % NB_TUPLES;

			if (rules[i] == NULL) {
				rules[i] = insert(&w, &t, &tuples[i], i);
				nb++;
			} else if (n % 3 == 0) {
				remove_rule(&w, &t, rules[i]);
				rules[i] = NULL;
				nb--;
			} else {
				struct mlx5dr_rule *same = rules[i];

				move(&w, &t, rules[i]);
				assert_ptr_equal(same, rules[i]);
				moved++;
			}
		}
		for (unsigned int i = 0; i < NB_TUPLES; i++) {
			if (rules[i] == NULL)
				continue;
			/* The last round ends under the eyes of the frames, half moved. */
			if (round == 3 && i % 2 == 0)
				continue;
			move(&w, &t, rules[i]);
			moved++;
		}
		if (round < 3)
			complete(&t);
	}
	assert_int_equal(mlx5dr_matcher_resize_complete(t.matcher, &error), -EBUSY);
	assert_true(error.index >= 0);
	run_frames(&w);
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		if (rules[i] != NULL)
			assert_int_equal(packets_of(&w, rules[i]->counter), 1);
		if (behind[i] != NULL)
			assert_int_equal(packets_of(&w, behind[i]->counter), rules[i] != NULL);
	}
	print_message("%u rules in the end, %u moves\n", nb, moved);
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		if (rules[i] != NULL)
			remove_rule(&w, &t, rules[i]);
		if (behind[i] != NULL)
			remove_rule(&w, &second, behind[i]);
	}
	complete(&t);
	free_templates(&t);
	free_templates(&second);
	assert_int_equal(mlx5dr_action_destroy(jump), 0);
	world_close(&w);
}

/* Whichever command fails, a resize has left nothing and may be tried again. */
static void
failing_commands(struct world *w, struct templates *t, struct mlx5dr_rule **rules, unsigned int nb_rules)
{
	static const char *const commands[] = { "0xa00", "0x930", "0x93c" };
	unsigned int nb_failed = 0;

	for (unsigned int c = 0; c < 3; c++) {
		int ret = -1;

		for (unsigned int nth = 1; ret != 0; nth++) {
			uint64_t objects = device_objects(&w->device);
			struct mlx5dr_error error = { .text = "" };
			char order[64];

			snprintf(order, sizeof(order), "cmd:%s:%u", commands[c], nth);
			device_fault(&w->device, order);
			device_stepped(false);
			ret = mlx5dr_matcher_resize(t->matcher, 20000 * (c + 1), &error);
			device_stepped(true);
			device_fault(&w->device, "clear");
			if (ret == 0)
				break;
			nb_failed++;
			assert_true(strlen(error.text) > 0);
			assert_int_equal(device_objects(&w->device), objects);
			assert_int_equal(mlx5dr_rule_move(w->queue, t->matcher, rules[0], 0), -EINVAL);
		}
		for (unsigned int i = 0; i < nb_rules; i++)
			move(w, t, rules[i]);
		complete(t);
	}
	print_message("%u failed commands\n", nb_failed);
	/* Argument, action STEs and their RTC, STEs and RTCs of two tables; two end tables; two links of each. */
	assert_int_equal(nb_failed, 7 + 2 + 4);
}

static void
refusals(void **state)
{
	struct mlx5dr_slot drop = { .type = MLX5DR_ACTION_DROP };
	struct tuple tuple = { 1, 2, 3, 4 };
	struct tuple_items items = { &tuple, &tuple };
	struct templates t = { .nb_mt = 0 }, fixed = { .nb_mt = 0 };
	struct mlx5dr_matcher_attr attr = { .nb_rules = 10, .nb_mt = 1, .nb_at = 1, .resizable = true };
	struct mlx5dr_matcher *never;
	struct mlx5dr_field fields[8];
	struct mlx5dr_error error;
	struct mlx5dr_rule *rules[20], *rule;
	struct mlx5dr_action *jump;
	uint32_t failed;
	struct world w;

	world_open_on(&w, "wire=null");
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &jump), 0);
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, &drop, 1);
	add_shapes(&w, &t, jump);
	make_resizable(&w, &t, 100);
	assert_false(mlx5dr_matcher_is_updatable(t.matcher));
	add_mt(&w, &fixed, fields, tuple_fields(fields));
	add_at(&w, &fixed, &drop, 1);
	make_matcher(&w, &fixed, w.table[1], 100, 0);
	attr.mt = t.mt;
	attr.at = t.at;
	attr.updatable = true;
	assert_int_equal(mlx5dr_matcher_create(w.table[0], &attr, &never, &error), -ENOTSUP);
	attr.updatable = false;
	attr.mode = MLX5DR_MATCHER_ISOLATED;
	assert_int_equal(mlx5dr_matcher_create(w.table[0], &attr, &never, &error), -ENOTSUP);
	assert_int_equal(mlx5dr_matcher_resize(fixed.matcher, 200, &error), -EINVAL);
	assert_int_equal(mlx5dr_matcher_resize(t.matcher, 0, &error), -EINVAL);
	assert_int_equal(mlx5dr_matcher_resize(t.matcher, UINT32_MAX, &error), -EINVAL);
	for (unsigned int i = 0; i < 20; i++) {
		tuple.src = i;
		rules[i] = mlx5dr_rule_get(t.matcher, w.queue);
		assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), rules[i], &items, NULL,
						    MLX5DR_POSTPONE), 0);
	}
	assert_int_equal(drain(w.queue, &failed), 20);
	assert_int_equal(mlx5dr_rule_move(w.queue, t.matcher, rules[0], 0), -EINVAL);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), rules[0], NULL, 0), -ENOTSUP);
	assert_int_equal(mlx5dr_matcher_resize(t.matcher, 19, &error), -ENOSPC);
	failing_commands(&w, &t, rules, 20);
	resize(&t, 20);
	rule = mlx5dr_rule_get(t.matcher, w.queue);
	assert_int_equal(mlx5dr_rule_move(w.queue, t.matcher, rule, 0), -EINVAL);
	mlx5dr_rule_put(t.matcher, w.queue, rule);
	/* Two in one burst; the rest go. */
	assert_int_equal(mlx5dr_rule_move(w.queue, t.matcher, rules[0], MLX5DR_POSTPONE), 0);
	assert_int_equal(mlx5dr_rule_move(w.queue, t.matcher, rules[1], MLX5DR_POSTPONE), 0);
	assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rules[0], 0), -EBUSY);
	assert_int_equal(drain(w.queue, &failed), 2);
	for (unsigned int i = 0; i < 20; i++) {
		assert_int_equal(mlx5dr_matcher_resize_complete(t.matcher, &error), -EBUSY);
		assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rules[i], 0), 0);
		assert_int_equal(mlx5dr_matcher_resize_complete(t.matcher, &error), -EBUSY);
		assert_int_equal(drain(w.queue, &failed), 1);
		assert_int_equal(failed, 0);
	}
	complete(&t);
	for (unsigned int i = 0; i < 20; i++)
		mlx5dr_rule_put(t.matcher, w.queue, rules[i]);
	free_templates(&t);
	free_templates(&fixed);
	assert_int_equal(mlx5dr_action_destroy(jump), 0);
	world_close(&w);
}

/* ---- under traffic --------------------------------------------------------------------------------------------------- */

/* A generator sends all the time to rules that are moved to and fro: each frame meets its rule. */
static void
under_traffic(void **state)
{
	enum { FLOWS = 64 };
	struct mlx5dr_slot slots[2] = { { .type = MLX5DR_ACTION_TAG, .value = scratch_value(offsetof(struct scratch, value)) },
					{ .type = MLX5DR_ACTION_TIR } };
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_rule *rules[FLOWS];
	struct mlx5dr_result results[FLOWS];
	struct mlx5dr_field fields[8];
	struct mlx5dr_error error;
	uint64_t frames = 0, last = 0;
	struct world w;

	world_open_on(&w, "wire=[gen:pps=30000,flows=64]");
	slots[1].action = w.to_receiver;
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, slots, 2);
	make_resizable(&w, &t, FLOWS);
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct tuple tuple = { htobe32(0x0a000000 + i), htobe32(0x0a010000), htobe16(1024), htobe16(2048) };
		struct tuple_items items = { &tuple, &tuple };
		uint32_t failed;

		scratch_of(&w)->value = i;
		rules[i] = mlx5dr_rule_get(t.matcher, w.queue);
		assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), rules[i], &items, NULL, 0), 0);
		assert_int_equal(drain(w.queue, &failed), 1);
		assert_int_equal(failed, 0);
	}
	device_stepped(false);
	for (unsigned int round = 0; round < 60; round++) {
		unsigned int nb = 0, next = 0;
		const uint8_t *frame;
		uint64_t number;
		uint32_t tag;

		assert_int_equal(mlx5dr_matcher_resize(t.matcher, round % 2 ? FLOWS : 5000, &error), 0);
		while (nb < FLOWS) {
			if (next < FLOWS && mlx5dr_rule_move(w.queue, t.matcher, rules[next], 0) == 0)
				next++;
			nb += mlx5dr_queue_poll(w.queue, results, FLOWS);
			while ((frame = receiver_take(&w.receiver, &tag)) != NULL) {
				memcpy(&number, frame + 42, sizeof(number));
				number = be64toh(number);
				assert_int_equal(mlx5dr_mark_decode(tag), frame[29]);
				/* The first ones may come before their rules. */
				if (round > 0)
					assert_int_equal(number, last + 1);
				last = number;
				frames++;
				receiver_give(&w.receiver);
			}
		}
		assert_int_equal(mlx5dr_matcher_resize_complete(t.matcher, &error), 0);
	}
	print_message("60 resizes under %llu frames\n", (unsigned long long)frames);
	assert_true(frames > 1000);
	for (unsigned int i = 0; i < FLOWS; i++) {
		assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rules[i], 0), 0);
		while (mlx5dr_queue_poll(w.queue, results, 1) == 0)
			sched_yield();
		assert_int_equal(results[0].status, 0);
		mlx5dr_rule_put(t.matcher, w.queue, rules[i]);
	}
	device_stepped(true);
	free_templates(&t);
	world_close(&w);
}

/* ---- beside a writer -------------------------------------------------------------------------------------------------- */

struct writer {
	struct mlx5dr_queue *queue;
	struct mlx5dr_matcher *matcher;
	_Atomic(const struct mlx5dr_pair *) pair;
	atomic_bool stop;
	uint32_t nb;
};

static void
wait_for(struct mlx5dr_queue *queue, uint32_t nb)
{
	struct mlx5dr_result results[32];

	while (nb > 0) {
		uint32_t got = mlx5dr_queue_poll(queue, results, 32);

		for (uint32_t i = 0; i < got; i++)
			if (results[i].status != 0)
				abort();
		nb -= got;
		sched_yield();
	}
}

/* 32 rules in and out, again and again, with the pair of the moment. */
static void *
write_rules(void *arg)
{
	struct writer *writer = arg;
	struct mlx5dr_rule *rules[32];

	while (!writer->stop) {
		for (unsigned int i = 0; i < 32; i++) {
			struct tuple tuple = { i, 77, 1, 2 };
			struct tuple_items items = { &tuple, &tuple };

			rules[i] = mlx5dr_rule_get(writer->matcher, writer->queue);
			if (rules[i] == NULL || mlx5dr_rule_create(writer->queue, writer->pair, rules[i], &items, NULL,
								   i < 31 ? MLX5DR_POSTPONE : 0) != 0)
				abort();
		}
		wait_for(writer->queue, 32);
		for (unsigned int i = 0; i < 32; i++)
			if (mlx5dr_rule_destroy(writer->queue, writer->matcher, rules[i], i < 31 ? MLX5DR_POSTPONE : 0) != 0)
				abort();
		wait_for(writer->queue, 32);
		for (unsigned int i = 0; i < 32; i++)
			mlx5dr_rule_put(writer->matcher, writer->queue, rules[i]);
		writer->nb += 32;
	}
	return NULL;
}

/* Another queue's thread works on the matcher while it is resized and rules are moved; it rests for the completion alone. */
static void
beside_a_writer(void **state)
{
	enum { NB = 200 };
	struct mlx5dr_slot drop = { .type = MLX5DR_ACTION_DROP };
	struct writer writer = { .nb = 0 };
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_rule *rules[NB];
	struct mlx5dr_field fields[8];
	struct mlx5dr_error error;
	struct world w;

	world_open_on(&w, "wire=null");
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, &drop, 1);
	make_resizable(&w, &t, NB + 64);
	device_stepped(false);
	for (unsigned int i = 0; i < NB; i++) {
		struct tuple tuple = { i, 1, 2, 3 };
		struct tuple_items items = { &tuple, &tuple };

		rules[i] = mlx5dr_rule_get(t.matcher, w.queue);
		assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), rules[i], &items, NULL, 0), 0);
		wait_for(w.queue, 1);
	}
	writer.queue = mlx5dr_context_queue(w.device.ctx, 1);
	writer.matcher = t.matcher;
	for (unsigned int round = 0; round < 10; round++) {
		pthread_t thread;

		writer.pair = mlx5dr_matcher_pair(t.matcher, 0, 0);
		writer.stop = false;
		assert_int_equal(pthread_create(&thread, NULL, write_rules, &writer), 0);
		assert_int_equal(mlx5dr_matcher_resize(t.matcher, 1000 + 300 * round, &error), 0);
		for (unsigned int i = 0; i < NB; i++) {
			if (i == NB / 2)
				writer.pair = mlx5dr_matcher_pair(t.matcher, 0, 0);
			assert_int_equal(mlx5dr_rule_move(w.queue, t.matcher, rules[i], 0), 0);
			wait_for(w.queue, 1);
		}
		writer.stop = true;
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(mlx5dr_matcher_resize_complete(t.matcher, &error), 0);
	}
	assert_true(writer.nb > 0);
	for (unsigned int i = 0; i < NB; i++) {
		assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rules[i], 0), 0);
		wait_for(w.queue, 1);
		mlx5dr_rule_put(t.matcher, w.queue, rules[i]);
	}
	device_stepped(true);
	free_templates(&t);
	world_close(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_come_and_go),
		cmocka_unit_test(refusals),
		cmocka_unit_test(under_traffic),
		cmocka_unit_test(beside_a_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
