/* SPDX-License-Identifier: BSD-3-Clause */

/* Ids: where they begin and end, ranges and their alignment, and random use against a plain list. */
#include "device.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void
first_ids(void **state)
{
	struct sc_object a, b;
	struct test_device t;

	test_open(&t, "");
	assert_int_equal(sc_object_add(t.dev, SC_DEFINER, &a, 1, 0), 0);
	assert_int_equal(sc_object_add(t.dev, SC_DEFINER, &b, 1, 0), 0);
	assert_int_equal(a.id, 1);
	assert_int_equal(b.id, 2);
	assert_null(sc_object_find(t.dev, SC_DEFINER, 0));
	assert_null(sc_object_find(t.dev, SC_DEFINER, 3));
	assert_null(sc_object_find(t.dev, SC_DEFINER, UINT32_MAX));
	assert_ptr_equal(sc_object_find(t.dev, SC_DEFINER, 2), &b);
	assert_null(sc_object_find(t.dev, SC_STC, 2));
	sc_object_remove(&a);
	sc_object_remove(&b);
	assert_null(sc_object_find(t.dev, SC_DEFINER, 2));
	test_close(&t);
}

/* 255 definers and not one more; a freed id comes back, in turn. */
static void
definers_run_out(void **state)
{
	struct sc_object d[256];
	struct test_device t;
	int i;

	test_open(&t, "");
	for (i = 0; i < 255; i++) {
		assert_int_equal(sc_object_add(t.dev, SC_DEFINER, &d[i], 1, 0), 0);
		assert_in_range(d[i].id, 1, 255);
	}
	assert_int_equal(sc_object_add(t.dev, SC_DEFINER, &d[255], 1, 0), -ENOSPC);
	sc_object_remove(&d[100]);
	assert_int_equal(sc_object_add(t.dev, SC_DEFINER, &d[255], 1, 0), 0);
	assert_int_equal(d[255].id, 101);
	d[100] = d[255];
	sc_object_remove(&d[255]);
	for (i = 0; i < 255; i++)
		if (i != 100)
			sc_object_remove(&d[i]);
	test_close(&t);
}

static void
large_ranges(void **state)
{
	struct sc_object a, b, c, one;
	struct test_device t;

	test_open(&t, "");
	assert_int_equal(sc_object_add(t.dev, SC_STE, &one, 1, 0), 0);
	assert_int_equal(sc_object_add(t.dev, SC_STE, &a, 1u << 26, 0), 0);
	assert_int_equal(sc_object_add(t.dev, SC_STE, &b, 1u << 26, 0), 0);
	assert_int_equal(sc_object_add(t.dev, SC_STE, &c, 3000, 0), 0);
	assert_int_equal(a.id % (1u << 26), 0);
	assert_int_not_equal(a.id, 0);
	assert_int_equal(b.id, a.id + (1u << 26));
	assert_ptr_equal(sc_object_find(t.dev, SC_STE, a.id + (1u << 26) - 1), &a);
	assert_ptr_equal(sc_object_find(t.dev, SC_STE, b.id), &b);
	assert_ptr_equal(sc_object_find(t.dev, SC_STE, c.id + 2999), &c);
	assert_null(sc_object_find(t.dev, SC_STE, c.id + 3000));
	assert_ptr_equal(sc_object_next(t.dev, SC_STE, UINT32_MAX), &one);
	assert_ptr_equal(sc_object_next(t.dev, SC_STE, one.id), &a);
	assert_ptr_equal(sc_object_next(t.dev, SC_STE, a.id), &b);
	assert_ptr_equal(sc_object_next(t.dev, SC_STE, b.id + 5), &c);
	assert_null(sc_object_next(t.dev, SC_STE, c.id));
	assert_int_equal(sc_object_add(t.dev, SC_STE, &one, 1u << 31, 0), -ENOSPC);
	sc_object_remove(&a);
	sc_object_remove(&b);
	sc_object_remove(&c);
	assert_null(sc_object_next(t.dev, SC_STE, one.id));
	one.range = 1;
	sc_object_remove(&one);
	test_close(&t);
}

#define TWINS 400

static bool
overlaps(const struct sc_object *x, const struct sc_object *y)
{
	return x->id < y->id + y->range && y->id < x->id + x->range;
}

static void
random_twin(void **state)
{
	unsigned int seed = (unsigned int)time(NULL);
	static struct sc_object twin[TWINS];
	bool alive[TWINS] = { false };
	struct test_device t;
	int round, i, j;

	print_message("seed %u\n", seed);
	srand(seed);
	test_open(&t, "");
	for (round = 0; round < 20000; round++) {
		i = rand() % TWINS;
		if (alive[i]) {
			assert_ptr_equal(sc_object_find(t.dev, SC_ARG, twin[i].id + (uint32_t)rand() % twin[i].range),
					 &twin[i]);
			sc_object_remove(&twin[i]);
			assert_null(sc_object_find(t.dev, SC_ARG, twin[i].id));
			alive[i] = false;
			continue;
		}
		if (sc_object_add(t.dev, SC_ARG, &twin[i], 1u << rand() % 24, 0) < 0)
			continue;
		alive[i] = true;
		assert_int_equal(twin[i].id % twin[i].range, 0);
		for (j = 0; j < TWINS; j++)
			if (j != i && alive[j] && overlaps(&twin[i], &twin[j]))
				fail_msg("ids %u+%u and %u+%u overlap", twin[i].id, twin[i].range, twin[j].id, twin[j].range);
	}
	for (i = 0; i < TWINS; i++)
		if (alive[i])
			sc_object_remove(&twin[i]);
	assert_null(sc_object_next(t.dev, SC_ARG, UINT32_MAX));
	test_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_ids), cmocka_unit_test(definers_run_out), cmocka_unit_test(large_ranges),
		cmocka_unit_test(random_twin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
