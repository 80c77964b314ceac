/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * twin_hws [rules=1000000] [ops=1000000] [samples=10000] [seed=N]
 *
 * Rules in and out and changed at random against a naive twin, in four runs: threaded and stepped, on 1 and on 4 queues. First
 * the table is filled, then deletions, updates and re-insertions go on between one another, postponed or not, through
 * whichever queue. At the end frames of tuples by chance meet the device, and each must do what the twin says: be dropped,
 * or come with the mark of its rule's last version, changed as that version's actions say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prm/modify.h"
#include "random.h"
#include "world.h"

#define QUEUES_MAX 4
#define QUEUE_SIZE 256
#define IP_SRC_AT 26
#define IP_DST_AT 30
#define NUMBER_AT 42
#define WAIT_SECONDS 30

enum shape { BARE, SET_ONE, ARGUMENT, NB_SHAPES };

/* The twin: which version of actions each tuple's rule has, 0: it has none. A tuple with an operation in flight is left alone. */
struct naive {
	uint32_t *version;
	uint32_t *next;      /* in flight: what it will be */
	uint8_t *in_flight;
};

struct twin {
	struct world w;
	struct templates t;
	struct mlx5dr_queue *queue[QUEUES_MAX];
	unsigned int nb_queues;
	bool stepped;
	struct naive naive;
	struct mlx5dr_rule **rule;
	uint32_t nb_rules, nb_tuples, nb_there, nb_versions;
	uint32_t nb_samples, *sample;
	uint64_t inserted, deleted, updated;
};

/* Tuples differ by src, which is a bijection of n. */
static struct tuple
tuple_of(uint32_t n)
{
	uint32_t mixed = n * 2654435761u;

	return (struct tuple){ htobe32(0x0a000000 + n), mixed ^ mixed >> 15, (uint16_t)(mixed >> 3), (uint16_t)(mixed >> 11) };
}

static enum shape
shape_of(uint32_t version)
{
	return (version * 2654435761u >> 16) % NB_SHAPES;
}

static void
make_templates(struct twin *twin)
{
	struct world *w = &twin->w;
	struct templates *t = &twin->t;
	struct mlx5dr_value version = scratch_value(offsetof(struct scratch, value));
	struct mlx5dr_modify list[2] = {
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_SIPV4, .length = 32, .data = version },
		{ .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_DIPV4, .length = 32, .data = version },
	};
	struct mlx5dr_slot tag = { .type = MLX5DR_ACTION_TAG, .value = version };
	struct mlx5dr_slot fate = { .type = MLX5DR_ACTION_TIR, .action = w->to_receiver };
	struct mlx5dr_slot one = { .type = MLX5DR_ACTION_MODIFY, .modify = &list[1], .nb_modify = 1 };
	struct mlx5dr_slot two = { .type = MLX5DR_ACTION_MODIFY, .modify = list, .nb_modify = 2 };
	struct mlx5dr_matcher_attr attr = { .nb_rules = twin->nb_rules, .nb_mt = 1, .nb_at = NB_SHAPES, .mt = t->mt,
					    .at = t->at, .updatable = true };
	struct mlx5dr_field fields[8];
	struct mlx5dr_error error;

	memset(t, 0, sizeof(*t));
	add_mt(w, t, fields, tuple_fields(fields));
	add_at(w, t, (struct mlx5dr_slot[]){ tag, fate }, 2);
	add_at(w, t, (struct mlx5dr_slot[]){ tag, one, fate }, 3);
	add_at(w, t, (struct mlx5dr_slot[]){ tag, two, fate }, 3);
	if (mlx5dr_matcher_create(w->table[0], &attr, &t->matcher, &error) != 0)
		fail_msg("matcher: %s", error.text);
}

static void
settle(struct twin *twin, struct mlx5dr_queue *queue, const struct mlx5dr_result *result)
{
	struct mlx5dr_rule *rule = result->op;
	uint32_t n = (uint32_t)(uintptr_t)rule->user_data;

	assert_int_equal(result->status, 0);
	assert_true(n < twin->nb_tuples && twin->naive.in_flight[n]);
	assert_ptr_equal(twin->rule[n], rule);
	twin->naive.in_flight[n] = false;
	twin->naive.version[n] = twin->naive.next[n];
	if (twin->naive.version[n] != 0) {
		assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_CREATED);
		return;
	}
	assert_int_equal(mlx5dr_rule_state(rule), MLX5DR_RULE_DELETED);
	mlx5dr_rule_put(twin->t.matcher, queue, rule);
	twin->rule[n] = NULL;
	twin->nb_there--;
}

static uint32_t
poll_some(struct twin *twin, struct mlx5dr_queue *queue, uint32_t n)
{
	struct mlx5dr_result results[64];
	uint32_t got;

	if (twin->stepped)
		device_step();
	got = mlx5dr_queue_poll(queue, results, n < 64 ? n : 64);
	for (uint32_t i = 0; i < got; i++)
		settle(twin, queue, &results[i]);
	return got;
}

static void
drain_all(struct twin *twin)
{
	for (unsigned int q = 0; q < twin->nb_queues; q++) {
		time_t end = time(NULL) + WAIT_SECONDS;

		mlx5dr_queue_push(twin->queue[q]);
		while (mlx5dr_queue_pending(twin->queue[q]) > 0) {
			if (poll_some(twin, twin->queue[q], 64) == 0 && !twin->stepped)
				sched_yield();
			assert_true(time(NULL) < end);
		}
	}
}

/* Refused as the queue is full: take results and try again. */
static bool
again(struct twin *twin, struct mlx5dr_queue *queue, int ret)
{
	if (ret == 0)
		return false;
	assert_int_equal(ret, -EAGAIN);
	mlx5dr_queue_push(queue);
	if (poll_some(twin, queue, 64) == 0 && !twin->stepped)
		sched_yield();
	return true;
}

static void
insert_or_update(struct twin *twin, struct mlx5dr_queue *queue, uint32_t n, uint32_t flags)
{
	struct scratch *scratch = mlx5dr_queue_scratch(queue);
	uint32_t version = ++twin->nb_versions;
	const struct mlx5dr_pair *pair = mlx5dr_matcher_pair(twin->t.matcher, 0, shape_of(version));
	struct tuple tuple = tuple_of(n);
	struct tuple_items items = { &tuple, &tuple };

	scratch->value = version;
	if (twin->rule[n] != NULL) {
		while (again(twin, queue, mlx5dr_rule_action_update(queue, pair, twin->rule[n], NULL, flags)))
			;
		twin->updated++;
	} else {
		twin->rule[n] = mlx5dr_rule_get(twin->t.matcher, queue);
		assert_non_null(twin->rule[n]);
		twin->rule[n]->user_data = (void *)(uintptr_t)n;
		while (again(twin, queue, mlx5dr_rule_create(queue, pair, twin->rule[n], &items, NULL, flags)))
			;
		twin->nb_there++;
		twin->inserted++;
	}
	twin->naive.next[n] = version;
	twin->naive.in_flight[n] = true;
}

static void
delete(struct twin *twin, struct mlx5dr_queue *queue, uint32_t n, uint32_t flags)
{
	while (again(twin, queue, mlx5dr_rule_destroy(queue, twin->t.matcher, twin->rule[n], flags)))
		;
	twin->naive.next[n] = 0;
	twin->naive.in_flight[n] = true;
	twin->deleted++;
}

static void
churn(struct twin *twin, uint32_t ops)
{
	uint32_t flags;

	for (uint32_t n = 0; n < twin->nb_rules; n++)
		insert_or_update(twin, twin->queue[n / 32 % twin->nb_queues], n, n % 32 != 31 ? MLX5DR_POSTPONE : 0);
	for (uint32_t i = 0; i < ops; i++) {
		struct mlx5dr_queue *queue = twin->queue[random_below(twin->nb_queues)];
		uint32_t n = random_below(twin->nb_tuples);

		flags = random_below(8) != 0 ? MLX5DR_POSTPONE : 0;
		if (random_below(16) == 0)
			poll_some(twin, queue, random_below(65));
		if (twin->naive.in_flight[n])
			continue;
		if (twin->rule[n] != NULL && random_below(2) == 0)
			delete(twin, queue, n, flags);
		else if (twin->rule[n] != NULL || twin->nb_there < twin->nb_rules)
			insert_or_update(twin, queue, n, flags);
	}
	drain_all(twin);
}

/* A frame came: its tuple's rule must be there, and all of it be of the twin's version. */
static void
compare_frame(const struct twin *twin, const uint8_t *frame, uint32_t tag, uint8_t *came)
{
	uint32_t i, version, src, dst, wanted;
	struct tuple tuple;

	memcpy(&i, frame + NUMBER_AT, sizeof(i));
	memcpy(&src, frame + IP_SRC_AT, sizeof(src));
	memcpy(&dst, frame + IP_DST_AT, sizeof(dst));
	assert_true(i < twin->nb_samples && !came[i]);
	came[i] = true;
	version = twin->naive.version[twin->sample[i]];
	tuple = tuple_of(twin->sample[i]);
	wanted = htobe32(version);
	assert_int_not_equal(version, 0);
	assert_int_equal(mlx5dr_mark_decode(tag), version);
	assert_int_equal(src, shape_of(version) == ARGUMENT ? wanted : tuple.src);
	assert_int_equal(dst, shape_of(version) == BARE ? tuple.dst : wanted);
}

static uint32_t
compare(struct twin *twin)
{
	uint8_t *came = calloc(twin->nb_samples, 1);
	uint32_t expected = 0, got = 0, tag;
	time_t end = time(NULL) + WAIT_SECONDS;

	assert_non_null(came);
	for (uint32_t i = 0; i < twin->nb_samples; i++)
		expected += twin->naive.version[twin->sample[i]] != 0;
	open_gate(&twin->w);
	for (bool done = false; !done || got < expected;) {
		const uint8_t *frame;

		assert_true(time(NULL) < end);
		done = device_wire_done(&twin->w.device);
		if (twin->stepped)
			device_step();
		while ((frame = receiver_take(&twin->w.receiver, &tag)) != NULL) {
			compare_frame(twin, frame, tag, came);
			receiver_give(&twin->w.receiver);
			got++;
		}
	}
	free(came);
	assert_int_equal(got, expected);
	return got;
}

static void
empty(struct twin *twin)
{
	for (uint32_t n = 0; n < twin->nb_tuples; n++)
		if (twin->rule[n] != NULL)
			delete(twin, twin->queue[n / 32 % twin->nb_queues], n, n % 32 != 31 ? MLX5DR_POSTPONE : 0);
	drain_all(twin);
	assert_int_equal(twin->nb_there, 0);
}

static void
one_run(uint32_t rules, uint32_t ops, uint32_t samples, unsigned int nb_queues, bool stepped)
{
	struct twin twin = { .nb_queues = nb_queues, .nb_rules = rules, .nb_tuples = rules + rules / 2,
			     .nb_samples = samples };
	uint32_t got;

	twin.naive.version = calloc(twin.nb_tuples, sizeof(uint32_t));
	twin.naive.next = calloc(twin.nb_tuples, sizeof(uint32_t));
	twin.naive.in_flight = calloc(twin.nb_tuples, 1);
	twin.rule = calloc(twin.nb_tuples, sizeof(*twin.rule));
	twin.sample = calloc(samples, sizeof(uint32_t));
	assert_true(twin.naive.version && twin.naive.next && twin.naive.in_flight && twin.rule && twin.sample);
	for (uint32_t i = 0; i < samples; i++) {
		struct tuple tuple;

		twin.sample[i] = random_below(twin.nb_tuples);
		tuple = tuple_of(twin.sample[i]);
		add_udp4(&tuple, 64);
		memcpy(frames[nb_frames - 1].bytes + NUMBER_AT, &i, sizeof(i));
	}
	world_open_queues(&twin.w, nb_queues, QUEUE_SIZE);
	for (unsigned int q = 0; q < nb_queues; q++)
		twin.queue[q] = mlx5dr_context_queue(twin.w.device.ctx, q);
	make_templates(&twin);
	twin.stepped = stepped;
	device_stepped(stepped);
	churn(&twin, ops);
	got = compare(&twin);
	empty(&twin);
	device_stepped(true);
	free_templates(&twin.t);
	world_close(&twin.w);
	printf("%s, %u queue(s): %u rules; %llu insertions, %llu updates, %llu deletions; %u samples agree, %u of them with a rule\n",
	       stepped ? "stepped" : "threaded", nb_queues, rules, (unsigned long long)twin.inserted,
	       (unsigned long long)twin.updated, (unsigned long long)twin.deleted, samples, got);
	fflush(stdout);
	free(twin.naive.version);
	free(twin.naive.next);
	free(twin.naive.in_flight);
	free(twin.rule);
	free(twin.sample);
}

static uint32_t rules = 1000000, ops = 1000000, samples = 10000;

static void
agrees(void **state)
{
	random_seed();
	for (unsigned int i = 0; i < 4; i++)
		one_run(rules, ops, samples, i & 1 ? 4 : 1, i & 2);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(agrees) };

	for (int i = 1; i < argc; i++)
		if (sscanf(argv[i], "rules=%u", &rules) != 1 && sscanf(argv[i], "ops=%u", &ops) != 1 &&
		    sscanf(argv[i], "samples=%u", &samples) != 1 &&
		    !(strncmp(argv[i], "seed=", 5) == 0 && setenv("SEED", argv[i] + 5, 1) == 0)) {
			fprintf(stderr, "usage: twin_hws [rules=N] [ops=N] [samples=N] [seed=N]\n");
			return 2;
		}
	if (rules < 1 || samples < 1 || samples > MAX_FRAMES || (uint64_t)rules + ops >= MLX5DR_MARK_LIMIT)
		return 2;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
