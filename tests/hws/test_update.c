/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Update of a rule's actions: packets meet the old actions or the new ones, never a mixture and never a miss; exactly one
 * result; what fails leaves the rule as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "prm/modify.h"
#include "random.h"
#include "world.h"

#define HEADER_BYTES 50
#define IP_SRC_AT 26
#define IP_DST_AT 30

static const struct tuple gen_tuple = { .src = 0x0000000a, .dst = 0x0000010a, .sport = 0x0004, .dport = 0x0008 };

/* What a rule's actions say is made of one number, so that a mixture of two shows. */
static void
set_version(struct world *w, uint32_t version)
{
	struct scratch *scratch = scratch_of(w);

	scratch->value = version;
	memset(scratch->header, 0x45, sizeof(scratch->header));
	memcpy(scratch->header + IP_SRC_AT, &version, sizeof(version));
	scratch->header_pointer = scratch->header;
}

enum shape { BARE, SET_ONE, ARGUMENT, ENTRIES, NB_SHAPES };

/* Action templates of each shape, all of which mark with the version. */
static void
add_shapes(struct world *w, struct templates *t)
{
	struct mlx5dr_value version = scratch_value(offsetof(struct scratch, value));
	struct mlx5dr_modify list[2] = {
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_SIPV4, .length = 32, .data = version },
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_DIPV4, .length = 32, .data = version },
	};
	struct mlx5dr_slot tag = { .type = MLX5DR_ACTION_TAG, .value = version };
	struct mlx5dr_slot fate = { .type = MLX5DR_ACTION_TIR, .action = w->to_receiver };
	struct mlx5dr_slot one = { .type = MLX5DR_ACTION_MODIFY, .modify = &list[1], .nb_modify = 1 };
	struct mlx5dr_slot two = { .type = MLX5DR_ACTION_MODIFY, .modify = list, .nb_modify = 2 };
	struct mlx5dr_slot encap = {
		.type = MLX5DR_ACTION_L2_TO_TNL_L2, .header_bytes = HEADER_BYTES,
		.bytes = { .base = MLX5DR_SCRATCH, .unit = 1, .pointer_at = offsetof(struct scratch, header_pointer) },
	};

	add_at(w, t, (struct mlx5dr_slot[]){ tag, fate }, 2);
	add_at(w, t, (struct mlx5dr_slot[]){ tag, one, fate }, 3);
	add_at(w, t, (struct mlx5dr_slot[]){ tag, two, fate }, 3);
	add_at(w, t, (struct mlx5dr_slot[]){ tag, two, encap, fate }, 4);
}

/* The shape whose every part says the version that the mark says. */
static enum shape
shape_of(const uint8_t *frame, uint32_t tag)
{
	uint32_t version = mlx5dr_mark_decode(tag), src, dst;
	uint32_t src_be = htobe32(version);
	bool tunnel = frame[0] == 0x45;

	if (tunnel) {
		memcpy(&src, frame + IP_SRC_AT, sizeof(src));
		assert_int_equal(src, version);
		frame += HEADER_BYTES;
	}
	memcpy(&src, frame + IP_SRC_AT, sizeof(src));
	memcpy(&dst, frame + IP_DST_AT, sizeof(dst));
	if (!tunnel && src == gen_tuple.src && dst == gen_tuple.dst)
		return BARE;
	assert_int_equal(dst, src_be);
	if (!tunnel && src == gen_tuple.src)
		return SET_ONE;
	assert_int_equal(src, src_be);
	return tunnel ? ENTRIES : ARGUMENT;
}

/* Shape of a version, so that shapes follow one another in every order. */
static enum shape
shape_for(uint32_t version)
{
	return (version * 2654435761u) >> 30;
}

struct seen {
	uint32_t last; /* version of the last frame */
	uint64_t number; /* of the last frame, as its generator counts */
	uint64_t frames, changes;
};

static void
look_at_frames(struct world *w, struct seen *seen)
{
	const uint8_t *frame;
	uint64_t number;
	uint32_t tag;

	while ((frame = receiver_take(&w->receiver, &tag)) != NULL) {
		uint32_t version = mlx5dr_mark_decode(tag);
		enum shape shape = shape_of(frame, tag);

		assert_int_equal(shape, shape_for(version));
		memcpy(&number, frame + 42 + (shape == ENTRIES ? HEADER_BYTES : 0), sizeof(number));
		number = be64toh(number);
		/* Every frame was taken, and versions only go on. */
		if (seen->frames != 0)
			assert_int_equal(number, seen->number + 1);
		assert_true(version >= seen->last);
		seen->changes += version != seen->last;
		seen->number = number;
		seen->last = version;
		seen->frames++;
		receiver_give(&w->receiver);
	}
}

static void
make_updatable(struct world *w, struct templates *t, uint32_t nb_rules, bool updatable)
{
	struct mlx5dr_matcher_attr attr = { .nb_rules = nb_rules, .nb_mt = t->nb_mt, .nb_at = t->nb_at, .mt = t->mt,
					    .at = t->at, .updatable = updatable };
	struct mlx5dr_error error;

	device_stepped(false);
	if (mlx5dr_matcher_create(w->table[0], &attr, &t->matcher, &error) != 0)
		fail_msg("matcher: %s", error.text);
	device_stepped(true);
}

/* While a generator sends all the time, the rule changes its shape some thousand times. */
static void
under_traffic(void **state)
{
	struct tuple_items items = { &gen_tuple, &gen_tuple };
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_field fields[8];
	struct mlx5dr_result result;
	struct mlx5dr_rule *rule;
	struct seen seen = { 0 };
	struct world w;
	uint32_t version = 1;

	world_open_on(&w, "wire=[gen:pps=30000]");
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_shapes(&w, &t);
	make_updatable(&w, &t, 10, true);
	assert_true(mlx5dr_matcher_is_updatable(t.matcher));
	set_version(&w, version);
	device_stepped(false);
	rule = mlx5dr_rule_get(t.matcher, w.queue);
	assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, shape_for(version)), rule, &items,
					    NULL, 0), 0);
	while (mlx5dr_queue_poll(w.queue, &result, 1) == 0)
		sched_yield();
	assert_int_equal(result.status, 0);
	assert_false(rule->bits & MLX5DR_RULE_CHANGED);
	for (unsigned int i = 0; i < 3000; i++) {
		set_version(&w, ++version);
		assert_int_equal(mlx5dr_rule_action_update(w.queue,
							   mlx5dr_matcher_pair(t.matcher, 0, shape_for(version)), rule,
							   NULL, i % 2 ? 0 : MLX5DR_POSTPONE), 0);
		assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 0, 0), rule, NULL, 0),
				 -EBUSY);
		assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rule, 0), -EBUSY);
		mlx5dr_queue_push(w.queue);
		while (mlx5dr_queue_poll(w.queue, &result, 1) == 0)
			look_at_frames(&w, &seen);
		assert_int_equal(result.status, 0);
		assert_ptr_equal(result.op, rule);
		assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_CREATED);
		assert_true(rule->bits & MLX5DR_RULE_CHANGED);
		assert_int_equal(mlx5dr_queue_pending(w.queue), 0);
		look_at_frames(&w, &seen);
	}
	/* The last version is met in the end. */
	for (time_t end = time(NULL) + 10; seen.last != version;) {
		assert_true(time(NULL) < end);
		look_at_frames(&w, &seen);
	}
	print_message("%u updates, %llu frames, %llu of them the first of a version\n", version - 1,
		      (unsigned long long)seen.frames, (unsigned long long)seen.changes);
	assert_true(seen.changes > 100);
	device_stepped(true);
	assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rule, 0), 0);
	device_step();
	assert_int_equal(mlx5dr_queue_poll(w.queue, &result, 1), 1);
	assert_int_equal(result.status, 0);
	assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_DELETED);
	mlx5dr_rule_put(t.matcher, w.queue, rule);
	free_templates(&t);
	world_close(&w);
}

/* What is not possible is refused, and leaves no trace. */
static void
refusals(void **state)
{
	struct tuple tuple = { 1, 2, 3, 4 };
	struct tuple_items items = { &tuple, &tuple };
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_field fields[8];
	struct mlx5dr_rule *rule;
	const struct mlx5dr_pair *pair[NB_SHAPES];
	uint32_t failed;
	uint16_t bits;
	struct world w;

	world_open_on(&w, "wire=null");
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_mt(&w, &t, fields, tuple_fields(fields) - 1);
	add_shapes(&w, &t);
	make_updatable(&w, &t, 10, false);
	assert_false(mlx5dr_matcher_is_updatable(t.matcher));
	for (unsigned int a = 0; a < NB_SHAPES; a++)
		pair[a] = mlx5dr_matcher_pair(t.matcher, 0, a);
	set_version(&w, 7);
	rule = mlx5dr_rule_get(t.matcher, w.queue);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[BARE], rule, NULL, 0), -EINVAL);
	assert_int_equal(mlx5dr_rule_create(w.queue, pair[ENTRIES], rule, &items, NULL, 0), 0);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[BARE], rule, NULL, 0), -EBUSY);
	assert_int_equal(drain(w.queue, &failed), 1);
	bits = rule->bits;
	/* One set of arguments: a rule may leave it, not change it. */
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[ENTRIES], rule, NULL, 0), -ENOTSUP);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[ARGUMENT], rule, NULL, 0), -ENOTSUP);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 1, BARE), rule, NULL, 0),
			 -EINVAL);
	scratch_of(&w)->value = MLX5DR_MARK_LIMIT;
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[BARE], rule, NULL, 0), -ERANGE);
	assert_int_equal(rule->bits, bits);
	assert_int_equal(mlx5dr_queue_pending(w.queue), 0);
	scratch_of(&w)->value = 7;
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[BARE], rule, NULL, 0), 0);
	assert_int_equal(drain(w.queue, &failed), 1);
	assert_int_equal(failed, 0);
	assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rule, 0), 0);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[BARE], rule, NULL, 0), -EBUSY);
	assert_int_equal(drain(w.queue, &failed), 1);
	assert_int_equal(mlx5dr_rule_action_update(w.queue, pair[BARE], rule, NULL, 0), -EINVAL);
	mlx5dr_rule_put(t.matcher, w.queue, rule);
	free_templates(&t);
	world_close(&w);
}

/* Frames of after the update are the new counter's, which the caller or the rule itself took; some rules are in the collision table. */
static void
counters_change_hands(void **state)
{
	enum { NB = 1500 };
	static struct tuple tuples[NB];
	static struct mlx5dr_rule *rules[NB];
	struct mlx5dr_slot slots[2] = { counter_slot(), { .type = MLX5DR_ACTION_DROP } };
	struct mlx5dr_slot taken[2] = { { .type = MLX5DR_ACTION_COUNTER }, { .type = MLX5DR_ACTION_DROP } };
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_field fields[8];
	struct mlx5dr_result result;
	uint32_t old[NB], failed, nb_behind = 0;
	struct world w;

	random_seed();
	for (unsigned int i = 0; i < NB; i++) {
		tuples[i] = (struct tuple){ random_u32(), random_u32(), random_u32(), random_u32() };
		add_udp4(&tuples[i], 64);
	}
	world_open(&w);
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_at(&w, &t, slots, 2);
	taken[0].counters = w.counters;
	add_at(&w, &t, taken, 2);
	make_updatable(&w, &t, NB, false);
	assert_true(mlx5dr_matcher_is_updatable(t.matcher));
	for (unsigned int i = 0; i < NB; i++) {
		struct tuple_items items = { &tuples[i], &tuples[i] };

		rules[i] = add_rule(&w, &t, 0, 0, &items, NULL);
		nb_behind += (rules[i]->bits & MLX5DR_RULE_COLLISION) != 0;
	}
	for (unsigned int i = 0; i < NB; i += 2) {
		bool takes = i % 4 == 0; /* its counter by itself */

		old[i] = rules[i]->counter;
		if (!takes) {
			assert_int_equal(mlx5dr_counter_get(w.counters, w.queue, &rules[i]->counter), 0);
			mlx5dr_counter_place(w.counters, MLX5DR_NIC_RX, rules[i]->counter, &scratch_of(&w)->place);
		}
		assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 0, takes), rules[i], NULL,
							   MLX5DR_POSTPONE), 0);
		assert_int_not_equal(rules[i]->counter, old[i]);
		assert_int_equal(drain(w.queue, &failed), 1);
		assert_int_equal(failed, 0);
	}
	run_frames(&w);
	for (unsigned int i = 0; i < NB; i++) {
		assert_int_equal(packets_of(&w, rules[i]->counter), 1);
		if (i % 2 != 0)
			continue;
		assert_int_equal(packets_of(&w, old[i]), 0);
		mlx5dr_counter_put(w.counters, w.queue, old[i]);
	}
	print_message("%u of %u rules were in the collision table\n", nb_behind, NB);
	for (unsigned int i = 0; i < NB; i++)
		remove_rule(&w, &t, rules[i]);
	assert_int_equal(mlx5dr_queue_poll(w.queue, &result, 1), 0);
	free_templates(&t);
	world_close(&w);
}

/* Updates that were posted, and ones that wait for their arguments, come back once when the device dies. */
static void
device_dies(void **state)
{
	struct templates t = { .nb_mt = 0 };
	struct mlx5dr_field fields[8];
	struct mlx5dr_rule *rules[NB_SHAPES];
	struct mlx5dr_result results[NB_SHAPES + 1];
	uint16_t bits[NB_SHAPES];
	uint32_t failed;
	struct world w;

	world_open_on(&w, "wire=null");
	add_mt(&w, &t, fields, tuple_fields(fields));
	add_shapes(&w, &t);
	make_updatable(&w, &t, 10, true);
	set_version(&w, 1);
	for (unsigned int i = 0; i < NB_SHAPES; i++) {
		struct tuple tuple = { i, 2, 3, 4 };
		struct tuple_items items = { &tuple, &tuple };

		rules[i] = mlx5dr_rule_get(t.matcher, w.queue);
		assert_int_equal(mlx5dr_rule_create(w.queue, mlx5dr_matcher_pair(t.matcher, 0, i), rules[i], &items, NULL, 0), 0);
	}
	assert_int_equal(drain(w.queue, &failed), NB_SHAPES);
	for (unsigned int i = 0; i < NB_SHAPES; i++) {
		bits[i] = rules[i]->bits;
		assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 0, i), rules[i], NULL,
							   MLX5DR_POSTPONE), 0);
	}
	mlx5dr_context_fail(w.device.ctx);
	assert_int_equal(mlx5dr_queue_poll(w.queue, results, NB_SHAPES + 1), NB_SHAPES);
	for (unsigned int i = 0; i < NB_SHAPES; i++)
		assert_int_equal(results[i].status, -EIO);
	for (unsigned int i = 0; i < NB_SHAPES; i++) {
		assert_int_equal(rules[i]->bits & ~MLX5DR_RULE_CHANGED, bits[i]);
		assert_int_equal(mlx5dr_rule_action_update(w.queue, mlx5dr_matcher_pair(t.matcher, 0, i), rules[i], NULL, 0), -EIO);
		assert_int_equal(mlx5dr_rule_destroy(w.queue, t.matcher, rules[i], 0), 0);
	}
	assert_int_equal(drain(w.queue, &failed), NB_SHAPES);
	for (unsigned int i = 0; i < NB_SHAPES; i++)
		mlx5dr_rule_put(t.matcher, w.queue, rules[i]);
	free_templates(&t);
	world_close(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(under_traffic),
		cmocka_unit_test(refusals),
		cmocka_unit_test(counters_change_hands),
		cmocka_unit_test(device_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
