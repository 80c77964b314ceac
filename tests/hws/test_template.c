/* SPDX-License-Identifier: BSD-3-Clause */

/* Templates and matchers: what is refused, and why; that refusals leave nothing; the largest matcher. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "hws/counter.h"
#include "prm/modify.h"

static const uint8_t header[256];

static const struct mlx5dr_modify set_ttl = { .op = MLX5DR_MODIFY_SET, .field = PRM_MODI_OUT_IPV4_TTL, .length = 8 };
static const struct mlx5dr_modify too_wide = { .op = MLX5DR_MODIFY_SET, .field = 1, .offset = 30, .length = 8 };
static const struct mlx5dr_modify no_length = { .op = MLX5DR_MODIFY_ADD, .field = 1 };

#define DROP { .type = MLX5DR_ACTION_DROP }
#define TAG { .type = MLX5DR_ACTION_TAG, .flag = true }
#define POP { .type = MLX5DR_ACTION_POP_VLAN }
#define PUSH { .type = MLX5DR_ACTION_PUSH_VLAN }
#define MODIFY(m, n) { .type = MLX5DR_ACTION_MODIFY, .modify = m, .nb_modify = n }
#define ENCAP(n) { .type = MLX5DR_ACTION_L2_TO_TNL_L2, .header = header, .header_bytes = n }
#define DECAP_L3(n) { .type = MLX5DR_ACTION_TNL_L3_TO_L2, .header = header, .header_bytes = n }
#define DECAP { .type = MLX5DR_ACTION_TNL_L2_TO_L2 }

static const struct {
	enum mlx5dr_table_type direction;
	int ret;
	int index;
	const char *text; /* part of the reason */
	struct mlx5dr_slot slots[6];
	uint16_t nb;
} wrong_actions[] = {
	{ MLX5DR_NIC_RX, -EINVAL, -1, "0 actions", { DROP }, 0 },
	{ MLX5DR_NIC_RX, -E2BIG, -1, "17 actions", { DROP }, 17 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "fate", { TAG }, 1 },
	{ MLX5DR_NIC_RX, -EINVAL, 1, "more than 1", { DROP, DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 1, "tag cannot follow push VLAN", { PUSH, TAG, DROP }, 3 },
	{ MLX5DR_NIC_RX, -EINVAL, 2, "more than 2", { POP, POP, POP, DROP }, 4 },
	{ MLX5DR_NIC_RX, -EINVAL, 1, "more than 1", { DECAP, DECAP_L3(14), DROP }, 3 },
	{ MLX5DR_NIC_TX, -ENOTSUP, 0, "egress", { TAG, DROP }, 2 },
	{ MLX5DR_NIC_TX, -ENOTSUP, 0, "egress", { DECAP, DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "malformed", { MODIFY(&set_ttl, 0), DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "modify header", { MODIFY(&too_wide, 1), DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "modify header", { MODIFY(&no_length, 1), DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "encapsulation", { ENCAP(51), DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "encapsulation", { ENCAP(256), DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "L3 decapsulation", { DECAP_L3(16), DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "jump", { { .type = MLX5DR_ACTION_TABLE } }, 1 },
	{ MLX5DR_NIC_RX, -ERANGE, 0, "out of range",
	  { { .type = MLX5DR_ACTION_TAG, .value = { .value = MLX5DR_MARK_LIMIT } }, DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "tag",
	  { { .type = MLX5DR_ACTION_TAG, .value = { .from = MLX5DR_FROM_SOURCE, .source = { .unit = 3 } } }, DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "tag",
	  { { .type = MLX5DR_ACTION_TAG, .value = { .from = MLX5DR_FROM_SOURCE,
						    .source = { .unit = 4, .pointer_at = MLX5DR_NO_POINTER } } },
	    DROP }, 2 },
	{ MLX5DR_NIC_RX, -EINVAL, 0, "unknown action", { { .type = MLX5DR_NB_ACTION_TYPES } }, 1 },
};

static void
wrong_action_templates(void **state)
{
	struct device device;
	uint64_t before;

	device_open(&device, "wire=null", 1, 16);
	before = device_objects(&device);
	for (unsigned int i = 0; i < sizeof(wrong_actions) / sizeof(wrong_actions[0]); i++) {
		struct mlx5dr_slot slots[MLX5DR_MAX_SLOTS + 1];
		struct mlx5dr_action_template *at = NULL;
		struct mlx5dr_error error = { .index = -2 };
		int ret;

		memset(slots, 0, sizeof(slots));
		memcpy(slots, wrong_actions[i].slots, sizeof(wrong_actions[i].slots));
		ret = mlx5dr_action_template_create(device.ctx, wrong_actions[i].direction, slots, wrong_actions[i].nb,
						    &at, &error);
		if (ret != wrong_actions[i].ret || error.index != wrong_actions[i].index ||
		    strstr(error.text, wrong_actions[i].text) == NULL)
			fail_msg("row %u: %d, index %d, \"%s\"", i, ret, error.index, error.text);
	}
	assert_int_equal(device_objects(&device), before);
	device_close(&device);
}

static void
wrong_match_templates(void **state)
{
	static const struct mlx5dr_field outside = { .hl = PRM_FIELD(1024, 31, 32), .mask = 1 };
	static const struct mlx5dr_field wide = { .hl = MLX5DR_HL_IP_TTL_O, .mask = 0x100 };
	static const struct mlx5dr_field bad_unit = { .hl = MLX5DR_HL_IP_TTL_O, .mask = 1,
						      .value = { .from = MLX5DR_FROM_SOURCE, .source.unit = 8 } };
	static const struct mlx5dr_field twice[2] = { { .hl = MLX5DR_HL_IP_TTL_O, .mask = 3 },
						      { .hl = MLX5DR_HL_IP_TTL_O, .mask = 2 } };
	struct mlx5dr_match_template *mt;
	struct mlx5dr_field many[16];
	struct mlx5dr_error error;
	struct device device;

	device_open(&device, "wire=null", 1, 16);
	assert_int_equal(mlx5dr_match_template_create(device.ctx, &outside, 1, &mt, &error), -EINVAL);
	assert_int_equal(error.index, 0);
	assert_int_equal(mlx5dr_match_template_create(device.ctx, &wide, 1, &mt, &error), -EINVAL);
	assert_int_equal(mlx5dr_match_template_create(device.ctx, &bad_unit, 1, &mt, &error), -EINVAL);
	assert_int_equal(mlx5dr_match_template_create(device.ctx, twice, 2, &mt, &error), -EINVAL);
	assert_int_equal(error.index, 1);
	memset(many, 0, sizeof(many));
	for (unsigned int i = 0; i < 16; i++) {
		many[i].hl = PRM_FIELD(0x100 + 4 * i, 31, 32);
		many[i].mask = UINT32_MAX;
	}
	assert_int_equal(mlx5dr_match_template_create(device.ctx, many, 16, &mt, &error), -E2BIG);
	assert_int_equal(error.bytes_asked, 64);
	assert_int_equal(error.bytes_available, 44);
	assert_non_null(strstr(error.text, "64 key bytes"));
	device_close(&device);
}

static void
wrong_matchers(void **state)
{
	struct device device;
	struct mlx5dr_table *rx, *tx;
	struct mlx5dr_match_template *mt;
	struct mlx5dr_action_template *at;
	struct mlx5dr_slot drop = DROP;
	struct mlx5dr_matcher *matcher;
	struct mlx5dr_error error;
	uint64_t before;

	device_open(&device, "wire=null", 1, 16);
	assert_int_equal(mlx5dr_table_create(device.ctx, MLX5DR_NIC_RX, &rx), 0);
	assert_int_equal(mlx5dr_table_create(device.ctx, MLX5DR_NIC_TX, &tx), 0);
	assert_int_equal(mlx5dr_match_template_create(device.ctx, NULL, 0, &mt, &error), 0);
	assert_int_equal(mlx5dr_action_template_create(device.ctx, MLX5DR_NIC_RX, &drop, 1, &at, &error), 0);
	before = device_objects(&device);
	struct mlx5dr_matcher_attr attr = { .nb_rules = 0, .nb_mt = 1, .nb_at = 1, .mt = &mt, .at = &at };

	assert_int_equal(mlx5dr_matcher_create(rx, &attr, &matcher, &error), -EINVAL);
	attr.nb_rules = 1u << 28;
	assert_int_equal(mlx5dr_matcher_create(rx, &attr, &matcher, &error), -E2BIG);
	attr.nb_rules = 5;
	assert_int_equal(mlx5dr_matcher_create(tx, &attr, &matcher, &error), -EINVAL);
	assert_non_null(strstr(error.text, "other direction"));
	attr.nb_at = 0;
	assert_int_equal(mlx5dr_matcher_create(rx, &attr, &matcher, &error), -EINVAL);
	attr.nb_at = 1;
	/* A command that fails at any step: nothing stays. */
	for (unsigned int nth = 1; nth <= 8; nth++) {
		char order[64];
		int ret;

		snprintf(order, sizeof(order), "cmd:0xa00:%u+cmd:0x930:%u", nth, nth);
		device_fault(&device, order);
		attr.nb_rules = 5000;
		ret = mlx5dr_matcher_create(rx, &attr, &matcher, &error);
		device_fault(&device, "clear");
		if (ret == 0)
			assert_int_equal(mlx5dr_matcher_destroy(matcher), 0);
		else
			assert_true(strlen(error.text) > 0);
		assert_int_equal(device_objects(&device), before);
	}
	assert_int_equal(mlx5dr_action_template_destroy(at), 0);
	assert_int_equal(mlx5dr_match_template_destroy(mt), 0);
	assert_int_equal(mlx5dr_table_destroy(rx), 0);
	assert_int_equal(mlx5dr_table_destroy(tx), 0);
	device_close(&device);
}

/* 32 different masks and 32 action templates: 1024 pairs, each takes a rule. */
static void
largest_matcher(void **state)
{
	struct mlx5dr_match_template *mt[MLX5DR_MAX_TEMPLATES];
	struct mlx5dr_action_template *at[MLX5DR_MAX_TEMPLATES];
	struct mlx5dr_matcher_attr attr = { .nb_rules = 1024, .nb_mt = 32, .nb_at = 32, .mt = mt, .at = at };
	static struct mlx5dr_rule *rules[1024];
	struct mlx5dr_matcher *matcher;
	struct mlx5dr_queue *queue;
	struct mlx5dr_table *table;
	struct timespec start, end;
	struct mlx5dr_error error;
	struct device device;
	uint64_t before;
	uint32_t failed;

	device_open(&device, "wire=null", 1, 64);
	before = device_objects(&device);
	queue = mlx5dr_context_queue(device.ctx, 0);
	assert_int_equal(mlx5dr_table_create(device.ctx, MLX5DR_NIC_RX, &table), 0);
	for (unsigned int i = 0; i < 32; i++) {
		struct mlx5dr_field field = { .hl = MLX5DR_HL_IPV4_SRC_O, .mask = UINT32_MAX << i,
					      .value = { .value = UINT32_MAX } };
		struct mlx5dr_slot slots[2] = { { .type = MLX5DR_ACTION_TAG, .value = { .value = i } }, DROP };

		assert_int_equal(mlx5dr_match_template_create(device.ctx, &field, 1, &mt[i], &error), 0);
		assert_int_equal(mlx5dr_action_template_create(device.ctx, MLX5DR_NIC_RX, slots, 2, &at[i], &error), 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (mlx5dr_matcher_create(table, &attr, &matcher, &error) != 0)
		fail_msg("matcher: %s", error.text);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("1024 pairs in %.1f ms, at most %zu KB\n",
	       (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6,
	       mlx5dr_matcher_bytes(matcher) / 1024);
	/* One value per mask: the 32 rules of a mask replace each other, each deletion but the first finds nothing. */
	for (unsigned int i = 0; i < 1024; i++) {
		rules[i] = mlx5dr_rule_get(matcher, queue);
		assert_non_null(rules[i]);
		assert_int_equal(mlx5dr_rule_create(queue, mlx5dr_matcher_pair(matcher, i / 32, i % 32), rules[i], NULL,
						    NULL, 0), 0);
		assert_int_equal(drain(queue, &failed), 1);
		assert_int_equal(failed, 0);
	}
	for (unsigned int i = 0; i < 1024; i++) {
		assert_int_equal(mlx5dr_rule_destroy(queue, matcher, rules[i], 0), 0);
		assert_int_equal(drain(queue, &failed), 1);
		assert_int_equal(failed, i % 32 != 0);
		mlx5dr_rule_put(matcher, queue, rules[i]);
	}
	assert_int_equal(mlx5dr_matcher_destroy(matcher), 0);
	for (unsigned int i = 0; i < 32; i++) {
		assert_int_equal(mlx5dr_match_template_destroy(mt[i]), 0);
		assert_int_equal(mlx5dr_action_template_destroy(at[i]), 0);
	}
	assert_int_equal(mlx5dr_table_destroy(table), 0);
	assert_int_equal(device_objects(&device), before);
	device_close(&device);
}

/* Queues can be exchanged when they are empty; a matcher serves only as many as there were when it was made. */
static void
queues_replaced(void **state)
{
	static const uint32_t sizes[4] = { 8, 1, 100, 4 };
	struct mlx5dr_context_attr attr = { .nb_queues = 4, .queue_size = sizes };
	uint32_t zero = 0, failed;
	struct mlx5dr_context_attr bad = { .nb_queues = 1, .queue_size = &zero };
	struct tuple tuple = { 1, 2, 3, 4 };
	struct mlx5dr_rule *rule;
	struct tuple_table old, new;
	struct mlx5dr_error error;
	struct device device;

	device_open(&device, "wire=null", 1, 16);
	tuple_table_create(&device, 10, &old);
	assert_int_equal(tuple_insert(&old, mlx5dr_context_queue(device.ctx, 0), &tuple, 0, &rule), 0);
	assert_int_equal(mlx5dr_context_set_queues(device.ctx, &attr, &error), -EBUSY);
	assert_int_equal(drain(mlx5dr_context_queue(device.ctx, 0), &failed), 1);
	assert_int_equal(mlx5dr_context_set_queues(device.ctx, &bad, &error), -EINVAL);
	assert_int_equal(mlx5dr_queue_size(mlx5dr_context_queue(device.ctx, 0)), 16);
	assert_int_equal(mlx5dr_context_set_queues(device.ctx, &attr, &error), 0);
	assert_null(mlx5dr_context_queue(device.ctx, 4));
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(mlx5dr_queue_size(mlx5dr_context_queue(device.ctx, i)), sizes[i]);
		assert_int_equal(mlx5dr_queue_index(mlx5dr_context_queue(device.ctx, i)), i);
	}
	assert_null(mlx5dr_rule_get(old.matcher, mlx5dr_context_queue(device.ctx, 3)));
	tuple_table_create(&device, 10, &new);
	assert_int_equal(mlx5dr_rule_destroy(mlx5dr_context_queue(device.ctx, 0), old.matcher, rule, 0), 0);
	assert_int_equal(drain(mlx5dr_context_queue(device.ctx, 0), &failed), 1);
	mlx5dr_rule_put(old.matcher, mlx5dr_context_queue(device.ctx, 0), rule);
	/* A queue of one. */
	assert_int_equal(tuple_insert(&new, mlx5dr_context_queue(device.ctx, 1), &tuple, 0, &rule), 0);
	{
		struct mlx5dr_rule *second;

		assert_int_equal(tuple_insert(&new, mlx5dr_context_queue(device.ctx, 1), &tuple, 0, &second), -EAGAIN);
		mlx5dr_rule_put(new.matcher, mlx5dr_context_queue(device.ctx, 1), second);
	}
	assert_int_equal(drain(mlx5dr_context_queue(device.ctx, 1), &failed), 1);
	assert_int_equal(mlx5dr_rule_destroy(mlx5dr_context_queue(device.ctx, 3), new.matcher, rule, 0), 0);
	assert_int_equal(drain(mlx5dr_context_queue(device.ctx, 3), &failed), 1);
	mlx5dr_rule_put(new.matcher, mlx5dr_context_queue(device.ctx, 3), rule);
	tuple_table_destroy(&new);
	tuple_table_destroy(&old);
	device_close(&device);
}

/* A round's reads fill the ring of the engine's own queue: a constant argument waits for their answers, and the round goes on. */
static void
argument_behind_counter_reads(void **state)
{
	enum { NB_COUNTERS = 5000 }; /* four a read: more reads than the ring takes */
	static uint32_t counters[NB_COUNTERS];
	struct mlx5dr_slot slots[2] = { ENCAP(50), { .type = MLX5DR_ACTION_MISS } };
	struct mlx5dr_matcher_attr attr = { .nb_rules = 5, .nb_mt = 1, .nb_at = 1 };
	struct mlx5dr_error error = { .text = "" };
	struct mlx5dr_counter_pool *pool;
	struct mlx5dr_action_template *at;
	struct mlx5dr_match_template *mt;
	struct mlx5dr_matcher *matcher;
	struct mlx5dr_table *table;
	struct mlx5dr_field fields[8];
	struct mlx5dr_queue *queue;
	struct device device;
	uint64_t packets, bytes;
	uint32_t begun, ended;
	int ret;

	device_open(&device, "wire=null", 1, 16);
	queue = mlx5dr_context_queue(device.ctx, 0);
	assert_int_equal(mlx5dr_counter_pool_create(device.ctx, NB_COUNTERS, &pool, &error), 0);
	for (unsigned int i = 0; i < NB_COUNTERS; i++)
		assert_int_equal(mlx5dr_counter_get(pool, queue, &counters[i]), 0);
	assert_int_equal(mlx5dr_table_create(device.ctx, MLX5DR_NIC_RX, &table), 0);
	assert_int_equal(mlx5dr_match_template_create(device.ctx, fields, tuple_fields(fields), &mt, &error), 0);
	assert_int_equal(mlx5dr_action_template_create(device.ctx, MLX5DR_NIC_RX, slots, 2, &at, &error), 0);
	attr.mt = &mt;
	attr.at = &at;
	/* The device stands still: the batch stays in the ring. */
	assert_int_equal(mlx5dr_counter_step(pool), 0);
	assert_int_equal(mlx5dr_counter_step(pool), 0);
	device_stepped(false);
	ret = mlx5dr_matcher_create(table, &attr, &matcher, &error);
	if (ret != 0)
		fail_msg("matcher: %s", error.text);
	for (time_t end = time(NULL) + 10; (ret = mlx5dr_counter_step(pool)) == 0;)
		assert_true(time(NULL) < end);
	assert_int_equal(ret, 1);
	mlx5dr_counter_rounds(pool, &begun, &ended);
	assert_int_equal(begun, ended);
	for (unsigned int i = 0; i < NB_COUNTERS; i++) {
		assert_int_equal(mlx5dr_counter_query(pool, counters[i], false, &packets, &bytes), 0);
		assert_int_equal(packets, 0);
		mlx5dr_counter_put(pool, queue, counters[i]);
	}
	assert_int_equal(mlx5dr_matcher_destroy(matcher), 0);
	assert_int_equal(mlx5dr_action_template_destroy(at), 0);
	assert_int_equal(mlx5dr_match_template_destroy(mt), 0);
	assert_int_equal(mlx5dr_table_destroy(table), 0);
	assert_int_equal(mlx5dr_counter_pool_destroy(pool), 0);
	device_close(&device);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_action_templates),
		cmocka_unit_test(wrong_match_templates),
		cmocka_unit_test(wrong_matchers),
		cmocka_unit_test(largest_matcher),
		cmocka_unit_test(queues_replaced),
		cmocka_unit_test(argument_behind_counter_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
