/* SPDX-License-Identifier: BSD-3-Clause */

/* Shared receive contexts: same question, same object; tables follow their queues; odd lists are spread. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake.h"
#include "hca/rss.h"

static struct hca_device *dev;
static struct hca_rss_pool *pool;
static int empty; /* alive with an empty pool */

static int
setup(void **state)
{
	fake_reset();
	dev = fake_open();
	assert_int_equal(hca_rss_pool_create(dev, 8, &pool), 0);
	empty = fake.alive;
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(fake.alive, empty);
	hca_rss_pool_destroy(pool);
	hca_device_close(dev);
	assert_int_equal(fake.alive, 0);
	return 0;
}

static void
same_question_same_object(void **state)
{
	const uint16_t queues[] = { 0, 1 }, other[] = { 1, 0 };
	struct hca_rss_attr attr = { .queues = queues, .nb_queues = 2 };
	struct hca_rss *a, *b, *c, *d;

	assert_int_equal(hca_rss_get(pool, &attr, &a), 0);
	assert_int_equal(hca_rss_get(pool, &attr, &b), 0);
	assert_ptr_equal(a, b);
	/* Another hash over the same table: a TIR more, no RQT more. */
	attr.hash.fields = HCA_HASH_SRC_IP;
	assert_int_equal(hca_rss_get(pool, &attr, &c), 0);
	assert_ptr_not_equal(a, c);
	assert_int_equal(fake.alive, empty + 3);
	attr.queues = other;
	assert_int_equal(hca_rss_get(pool, &attr, &d), 0);
	assert_int_equal(fake.alive, empty + 5);
	hca_rss_put(d);
	hca_rss_put(c);
	hca_rss_put(a);
	assert_int_equal(fake.alive, empty + 2);
	hca_rss_put(b);
}

static void
tables_follow_queues(void **state)
{
	const uint16_t queues[] = { 3 };
	const struct hca_rss_attr attr = { .queues = queues, .nb_queues = 1 };
	struct hca_rss *rss;

	assert_int_equal(hca_rss_get(pool, &attr, &rss), 0);
	assert_int_equal(fake_dw(&fake.last_create, 0x00) >> 16, 0x900);
	assert_int_equal(hca_rss_pool_set_queue(pool, 3, 0x999), 0);
	assert_int_equal(fake_dw(&fake.last_modify, 0x00) >> 16, 0x917);
	assert_int_equal(fake_dw(&fake.last_modify, 0x14), 1);
	assert_int_equal(fake_dw(&fake.last_modify, 0x38), 1);
	assert_int_equal(fake_dw(&fake.last_modify, 0x110), 0x999);
	assert_int_equal(hca_rss_pool_set_queue(pool, 3, 0), 0);
	assert_int_equal(fake_dw(&fake.last_modify, 0x110), hca_rss_pool_drop_rqn(pool));
	hca_rss_put(rss);
}

static void
odd_lists_fill_the_largest_table(void **state)
{
	const uint16_t queues[] = { 0, 1, 2 };
	const struct hca_rss_attr attr = { .queues = queues, .nb_queues = 3 };
	struct hca_rss *rss;

	for (uint16_t i = 0; i < 3; i++)
		assert_int_equal(hca_rss_pool_set_queue(pool, i, 0x500u + i), 0);
	assert_int_equal(hca_rss_get(pool, &attr, &rss), 0);
	assert_int_equal(hca_rss_pool_set_queue(pool, 2, 0x602), 0);
	assert_int_equal(fake_dw(&fake.last_modify, 0x38), 16);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(fake_dw(&fake.last_modify, 0x110 + i * 4), i % 3 == 2 ? 0x602 : 0x500 + i % 3);
	hca_rss_put(rss);
}

static void
wrong_lists_are_refused(void **state)
{
	const uint16_t queues[17] = { 0, 8 };
	struct hca_rss_attr attr = { .queues = queues };
	struct hca_rss *rss;

	assert_int_equal(hca_rss_get(pool, &attr, &rss), -EINVAL);
	attr.nb_queues = 2;
	assert_int_equal(hca_rss_get(pool, &attr, &rss), -EINVAL);
	attr.nb_queues = 17;
	assert_int_equal(hca_rss_get(pool, &attr, &rss), -EINVAL);
	assert_int_equal(hca_rss_pool_set_queue(pool, 8, 1), -EINVAL);
}

static void
failures_leave_nothing(void **state)
{
	const uint16_t queues[] = { 0 };
	const struct hca_rss_attr attr = { .queues = queues, .nb_queues = 1 };
	struct hca_rss *rss;

	for (int i = 1; i <= 2; i++) { /* RQT, TIR */
		fake.fail_at = fake.calls + i;
		assert_true(hca_rss_get(pool, &attr, &rss) < 0);
		assert_int_equal(fake.alive, empty);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(same_question_same_object, setup, teardown),
		cmocka_unit_test_setup_teardown(tables_follow_queues, setup, teardown),
		cmocka_unit_test_setup_teardown(odd_lists_fill_the_largest_table, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_lists_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(failures_leave_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
