/* SPDX-License-Identifier: BSD-3-Clause */

/* Matchers by index: rows taken and given back, and how packets find their row in each of the three kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "prm/modify.h"
#include "random.h"
#include "world.h"

/* -ENOTSUP is an answer. */
static int
make_by_index(struct world *w, struct templates *t, struct mlx5dr_table *table, uint8_t mode, uint32_t nb_rules)
{
	struct mlx5dr_matcher_attr attr = { .nb_rules = nb_rules, .nb_mt = t->nb_mt, .nb_at = t->nb_at, .mt = t->mt,
					    .at = t->at, .mode = mode, .updatable = true };
	struct mlx5dr_error error = { .text = "" };
	int ret;

	device_stepped(false);
	ret = mlx5dr_matcher_create(table, &attr, &t->matcher, &error);
	device_stepped(true);
	assert_int_equal(ret == -ENOTSUP, mlx5dr_matcher_mode_unsupported(w->device.hca, mode) != NULL);
	if (ret == -ENOTSUP)
		assert_string_equal(error.text, mlx5dr_matcher_mode_unsupported(w->device.hca, mode));
	else if (ret != 0)
		fail_msg("matcher: %s", error.text);
	return ret;
}

static void
set_counter(struct world *w, struct mlx5dr_rule *rule)
{
	assert_int_equal(mlx5dr_counter_get(w->counters, w->queue, &rule->counter), 0);
	mlx5dr_counter_place(w->counters, MLX5DR_NIC_RX, rule->counter, &scratch_of(w)->place);
}

static struct mlx5dr_rule *
add_row(struct world *w, struct templates *t, uint32_t index, unsigned int at, const void *items)
{
	struct mlx5dr_rule *rule;
	uint32_t failed;

	assert_int_equal(mlx5dr_rule_take(t->matcher, w->queue, index, &rule), 0);
	assert_int_equal(mlx5dr_rule_index(t->matcher, rule), index);
	set_counter(w, rule);
	assert_int_equal(mlx5dr_rule_create(w->queue, mlx5dr_matcher_pair(t->matcher, 0, at), rule, items, NULL,
					    MLX5DR_POSTPONE), 0);
	assert_int_equal(drain(w->queue, &failed), 1);
	assert_int_equal(failed, 0);
	return rule;
}

static void
remove_row(struct world *w, struct templates *t, struct mlx5dr_rule *rule)
{
	uint32_t failed;

	assert_int_equal(mlx5dr_rule_destroy(w->queue, t->matcher, rule, MLX5DR_POSTPONE), 0);
	assert_int_equal(drain(w->queue, &failed), 1);
	assert_int_equal(failed, 0);
	mlx5dr_counter_put(w->counters, w->queue, rule->counter);
	mlx5dr_rule_release(t->matcher, w->queue, rule);
}

static void
free_if_made(struct templates *t, bool made)
{
	if (!made)
		t->matcher = NULL;
	free_templates(t);
}

static void
rows_are_taken_once(void **state)
{
	struct mlx5dr_slot slots[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct tuple tuple = { 1, 2, 3, 4 };
	struct tuple_items items = { &tuple, &tuple };
	struct templates t = { .nb_mt = 0 }, by_hash = { .nb_mt = 0 };
	struct mlx5dr_queue *other;
	struct mlx5dr_rule *rule, *second, *walk;
	struct mlx5dr_field fields[8];
	struct world w;
	uint32_t failed;

	world_open_on(&w, "wire=null");
	other = mlx5dr_context_queue(w.device.ctx, 1);
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, slots, 2);
	assert_int_equal(make_by_index(&w, &t, w.table[0], MLX5DR_MATCHER_ISOLATED, 100), 0);
	add_mt(&w, &by_hash, fields, tuple_fields(fields));
	add_at(&w, &by_hash, slots, 2);
	make_matcher(&w, &by_hash, w.table[0], 100, 0);
	assert_int_equal(mlx5dr_rule_take(by_hash.matcher, w.queue, 0, &second), -EINVAL);
	assert_int_equal(mlx5dr_rule_take(t.matcher, w.queue, 100, &second), -ERANGE);
	assert_int_equal(mlx5dr_rule_take(t.matcher, w.queue, UINT32_MAX, &second), -ERANGE);
	rule = add_row(&w, &t, 99, 0, &items);
	assert_int_equal(mlx5dr_rule_take(t.matcher, other, 99, &second), -EEXIST);
	assert_int_equal(mlx5dr_rule_take(t.matcher, other, 0, &second), 0);
	assert_int_equal(mlx5dr_rule_take(t.matcher, w.queue, 0, &walk), -EEXIST);
	walk = mlx5dr_rule_next(t.matcher, NULL);
	assert_ptr_equal(walk, second);
	walk = mlx5dr_rule_next(t.matcher, walk);
	assert_ptr_equal(walk, rule);
	assert_null(mlx5dr_rule_next(t.matcher, walk));
	assert_int_equal(mlx5dr_matcher_destroy(t.matcher), -EBUSY);
	mlx5dr_rule_release(t.matcher, w.queue, second);
	assert_int_equal(mlx5dr_matcher_destroy(t.matcher), -EBUSY);
	/* A creation that is refused leaves the row taken. */
	assert_int_equal(mlx5dr_rule_take(t.matcher, other, 0, &second), 0);
	items.ip = NULL;
	assert_int_equal(mlx5dr_rule_create(other, mlx5dr_matcher_pair(t.matcher, 0, 0), second, &items, NULL, 0), -EINVAL);
	assert_int_equal(mlx5dr_rule_state(second), MLX5DR_RULE_TAKEN);
	mlx5dr_rule_release(t.matcher, other, second);
	/* A rule leaves by another queue than it came. */
	assert_int_equal(mlx5dr_rule_destroy(other, t.matcher, rule, 0), 0);
	assert_int_equal(mlx5dr_rule_take(t.matcher, other, 99, &second), -EEXIST);
	assert_int_equal(drain(other, &failed), 1);
	assert_int_equal(failed, 0);
	mlx5dr_counter_put(w.counters, w.queue, rule->counter);
	mlx5dr_rule_release(t.matcher, other, rule);
	free_templates(&t);
	free_templates(&by_hash);
	world_close(&w);
}

#define NB_ROWS 16
#define NB_TUPLES 320

/* Each tuple has its row; a row without rule misses; other actions come by update, and at the row only. */
static void
hash_split(void **state)
{
	static struct tuple tuples[NB_TUPLES];
	struct mlx5dr_slot slots[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct mlx5dr_slot to_next[2] = { counter_slot(), { .type = MLX5DR_ACTION_TABLE } };
	struct templates t = { .nb_mt = 0 }, behind = { .nb_mt = 0 };
	struct mlx5dr_rule *rows[NB_ROWS], *missed;
	struct mlx5dr_action *jump;
	struct mlx5dr_field fields[8];
	uint64_t sum = 0, jumped;
	uint32_t failed;
	struct world w;

	random_seed();
	for (unsigned int i = 0; i < NB_TUPLES; i++) {
		tuples[i] = (struct tuple){ random_u32(), random_u32(), random_u32(), random_u32() };
		for (unsigned int n = 0; n < 3; n++)
			add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &jump), 0);
	to_next[1].action = jump;
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, slots, 2);
	add_at(&w, &t, to_next, 2);
	if (make_by_index(&w, &t, w.table[0], MLX5DR_MATCHER_HASH_SPLIT, NB_ROWS) == 0) {
		add_mt(&w, &behind, fields, 0);
		add_at(&w, &behind, slots, 2);
		make_matcher(&w, &behind, w.table[1], 1, 0);
		missed = add_rule(&w, &behind, 0, 0, NULL, NULL);
		assert_int_equal(mlx5dr_table_set_miss(w.table[0], mlx5dr_table_id(w.table[1])), 0);
		for (unsigned int i = 0; i < NB_ROWS; i++)
			rows[i] = add_row(&w, &t, i, 0, NULL);
		remove_row(&w, &t, rows[3]);
		remove_row(&w, &t, rows[4]);
		rows[4] = add_row(&w, &t, 4, 0, NULL);
		/* Row 5 counts and sends on. */
		mlx5dr_counter_place(w.counters, MLX5DR_NIC_RX, rows[5]->counter, &scratch_of(&w)->place);
		assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 1), rows[5], NULL, 0), 0);
		assert_int_equal(drain(w.queue, &failed), 1);
		assert_int_equal(failed, 0);
		run_frames(&w);
		for (unsigned int i = 0; i < NB_ROWS; i++) {
			uint64_t packets = i == 3 ? 3 : packets_of(&w, rows[i]->counter);

			/* 20 tuples a row on average: none is empty, and equal frames go one way. */
			assert_true(packets > 0);
			assert_int_equal(packets % 3, 0);
			sum += i == 3 ? 0 : packets;
		}
		jumped = packets_of(&w, rows[5]->counter);
		assert_true(sum < 3 * NB_TUPLES);
		assert_int_equal(packets_of(&w, missed->counter), 3 * NB_TUPLES - sum + jumped);
		for (unsigned int i = 0; i < NB_ROWS; i++)
			if (i != 3)
				remove_row(&w, &t, rows[i]);
		remove_rule(&w, &behind, missed);
		free_templates(&behind);
		free_if_made(&t, true);
	} else {
		free_if_made(&t, false);
	}
	assert_int_equal(mlx5dr_table_set_miss(w.table[0], 0), 0);
	assert_int_equal(mlx5dr_action_destroy(jump), 0);
	world_close(&w);
}

/* The row is what an earlier table wrote to the upper half of REG_C_3. */
static void
linear(void **state)
{
	enum { NB = 200, ROWS = 256 };
	static struct tuple tuples[NB];
	struct mlx5dr_modify set = { .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_META_REG_C_3, .offset = 16, .length = 16,
				     .data = scratch_value(offsetof(struct scratch, value)) };
	struct mlx5dr_slot last[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct mlx5dr_slot first[3] = { counter_slot(), { .type = MLX5DR_ACTION_MODIFY, .modify = &set, .nb_modify = 1 },
					{ .type = MLX5DR_ACTION_TABLE } };
	struct templates t = { .nb_mt = 0 }, rows = { .nb_mt = 0 };
	static struct mlx5dr_rule *rules[NB], *row[ROWS];
	struct mlx5dr_action *jump;
	struct mlx5dr_field fields[8];
	struct mlx5dr_error error;
	bool made;
	struct world w;

	random_seed();
	for (unsigned int i = 0; i < NB; i++) {
		tuples[i] = (struct tuple){ random_u32(), random_u32(), random_u32(), random_u32() };
		for (unsigned int n = 0; n < i % 4; n++)
			add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	assert_int_equal(mlx5dr_action_create(w.device.ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TABLE,
					      mlx5dr_table_id(w.table[1]), &jump), 0);
	first[2].action = jump;
	add_mt(&w, &rows, fields, 0);
	add_at(&w, &rows, last, 2);
	made = make_by_index(&w, &rows, w.table[1], MLX5DR_MATCHER_LINEAR, ROWS) == 0;
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, first, 3);
	if (made) {
		struct mlx5dr_matcher_attr attr = { .nb_rules = ROWS, .nb_mt = 1, .nb_at = 1, .mt = t.mt, .at = rows.at,
						    .mode = MLX5DR_MATCHER_LINEAR };
		struct mlx5dr_matcher *never;

		assert_int_equal(mlx5dr_matcher_create(w.table[1], &attr, &never, &error), -EINVAL);
		attr.mt = rows.mt;
		attr.nb_rules = MLX5DR_MAX_LINEAR_ROWS + 1;
		assert_int_equal(mlx5dr_matcher_create(w.table[1], &attr, &never, &error), -E2BIG);
	}
	make_matcher(&w, &t, w.table[0], NB, 0);
	for (unsigned int i = 0; i < NB; i++) {
		struct tuple_items items = { &tuples[i], &tuples[i] };

		scratch_of(&w)->value = 255 - i;
		rules[i] = add_rule(&w, &t, 0, 0, &items, NULL);
	}
	for (unsigned int i = 0; made && i < ROWS; i++)
		row[i] = add_row(&w, &rows, i, 0, NULL);
	run_frames(&w);
	for (unsigned int i = 0; i < ROWS; i++) {
		if (made) {
			assert_int_equal(packets_of(&w, row[i]->counter), 255 - i < NB ? (255 - i) % 4 : 0);
			remove_row(&w, &rows, row[i]);
		}
		if (i < NB) {
			assert_int_equal(packets_of(&w, rules[i]->counter), i % 4);
			remove_rule(&w, &t, rules[i]);
		}
	}
	free_templates(&t);
	free_if_made(&rows, made);
	assert_int_equal(mlx5dr_action_destroy(jump), 0);
	world_close(&w);
}

/*
 * A jump to one row: its rule takes the packet when it matches, and what it does not match follows the table's miss. named: the
 * matcher is told by each rule, not by the template.
 */
static void
jump_to_rows(bool named)
{
	enum { NB = 128 };
	static struct tuple tuples[NB];
	static struct mlx5dr_rule *rules[NB], *row[NB];
	struct mlx5dr_slot last[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct mlx5dr_slot first[2] = { counter_slot(), { .type = MLX5DR_ACTION_JUMP_TO_MATCHER,
							  .value = scratch_value(offsetof(struct scratch, value)) } };
	struct templates t = { .nb_mt = 0 }, rows = { .nb_mt = 0 }, rest = { .nb_mt = 0 };
	struct mlx5dr_table *behind;
	struct mlx5dr_action *jump, *never;
	struct mlx5dr_rule *missed;
	struct mlx5dr_field fields[8];
	struct world w;
	uint32_t stc_be;

	random_seed();
	for (unsigned int i = 0; i < NB; i++) {
		tuples[i] = (struct tuple){ random_u32(), random_u32(), random_u32(), random_u32() };
		add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	assert_int_equal(mlx5dr_table_create(w.device.ctx, MLX5DR_NIC_RX, &behind), 0);
	assert_int_equal(mlx5dr_table_set_miss(w.table[1], mlx5dr_table_id(w.table[0])), 0);
	add_mt(&w, &rows, fields, tuple_fields(fields));
	add_at(&w, &rows, last, 2);
	assert_int_equal(make_by_index(&w, &rows, w.table[1], MLX5DR_MATCHER_ISOLATED, NB), 0);
	/* Its misses follow the table's miss when that changes. */
	assert_int_equal(mlx5dr_table_set_miss(w.table[1], mlx5dr_table_id(behind)), 0);
	assert_int_equal(mlx5dr_action_create_jump_to_matcher(rows.matcher, &jump), 0);
	assert_int_equal(mlx5dr_action_update(jump, MLX5DR_ACTION_DROP, 0), -EINVAL);
	stc_be = mlx5dr_action_stc(jump);
	if (named)
		first[1].stc = scratch_value(offsetof(struct scratch, header)).source;
	else
		first[1].action = jump;
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, first, 2);
	make_matcher(&w, &t, w.table[0], NB, 0);
	assert_int_equal(mlx5dr_action_create_jump_to_matcher(t.matcher, &never), -EINVAL);
	assert_int_equal(mlx5dr_matcher_destroy(rows.matcher), -EBUSY);
	add_mt(&w, &rest, fields, 0);
	add_at(&w, &rest, last, 2);
	make_matcher(&w, &rest, behind, 1, 0);
	missed = add_rule(&w, &rest, 0, 0, NULL, NULL);
	/* Every fourth row has the tuple that comes to it, every fourth another, every fourth none; the rest like the first. */
	for (unsigned int i = 0; i < NB; i++) {
		struct tuple_items items = { &tuples[i], &tuples[i] };

		scratch_of(&w)->value = NB - 1 - i;
		memcpy(scratch_of(&w)->header, &stc_be, sizeof(stc_be));
		rules[i] = add_rule(&w, &t, 0, 0, &items, NULL);
		if (i % 4 == 1)
			items.udp = &tuples[(i + 1) % NB];
		row[i] = i % 4 == 2 ? NULL : add_row(&w, &rows, NB - 1 - i, 0, &items);
	}
	run_frames(&w);
	assert_int_equal(packets_of(&w, missed->counter), NB / 2);
	for (unsigned int i = 0; i < NB; i++) {
		assert_int_equal(packets_of(&w, rules[i]->counter), 1);
		remove_rule(&w, &t, rules[i]);
		if (row[i] == NULL)
			continue;
		assert_int_equal(packets_of(&w, row[i]->counter), i % 4 != 1);
		remove_row(&w, &rows, row[i]);
	}
	remove_rule(&w, &rest, missed);
	free_templates(&rest);
	free_templates(&t);
	assert_int_equal(mlx5dr_action_destroy(jump), 0);
	free_templates(&rows);
	assert_int_equal(mlx5dr_table_set_miss(w.table[1], 0), 0);
	assert_int_equal(mlx5dr_table_destroy(behind), 0);
	world_close(&w);
}

static void
isolated(void **state)
{
	jump_to_rows(false);
	jump_to_rows(true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_taken_once),
		cmocka_unit_test(hash_split),
		cmocka_unit_test(linear),
		cmocka_unit_test(isolated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
