/* SPDX-License-Identifier: BSD-3-Clause */

/* rte_flow calls through its table unseen: no entry of ours may be missing. And marks go to the device as mlx5's do. */

#include "flow/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ethdev_driver.h>
#include <rte_flow_driver.h>

#include "hws/rule.h"

static void
test_no_op_is_missing(void **state)
{
	void *const *ops = (void *const *)flow_ops();

	for (size_t i = 0; i < sizeof(struct rte_flow_ops) / sizeof(void *); i++)
		assert_non_null(ops[i]);
}

static void
test_marks(void **state)
{
	const uint32_t ids[] = { 0, 7, 77, 0x123456, FLOW_MARK_MAX };

	assert_int_equal(flow_mark_to_tag(77), 0x4e0000);
	for (unsigned int i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		assert_int_equal(flow_tag_to_mark1(flow_mark_to_tag(ids[i])), ids[i] + 1);
		assert_int_equal(flow_mark_to_tag(ids[i]), mlx5dr_mark_encode(ids[i]));
	}
	assert_int_equal(flow_tag_to_mark1(0), 0);
	assert_int_equal(flow_tag_to_mark1(FLOW_TAG_FLAG), FLOW_TAG_FLAG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_no_op_is_missing), cmocka_unit_test(test_marks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
