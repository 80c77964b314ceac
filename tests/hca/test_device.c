/* SPDX-License-Identifier: BSD-3-Clause */

/* Opening a device: found by name, capabilities parsed, and nothing left behind whichever step fails. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake.h"
#include "hca/cmd.h"

static void
opens_and_closes(void **state)
{
	struct hca_device *dev;

	fake_reset();
	dev = fake_open();
	assert_int_equal(dev->pdn, 0xabc);
	assert_int_equal(dev->eqn, 5);
	assert_string_equal(dev->fw_ver, "1.2.3");
	assert_int_equal(dev->uar.page_id, 7);
	hca_device_close(dev);
	assert_int_equal(fake.alive, 0);
}

static void
unknown_name(void **state)
{
	struct hca_device *dev = NULL;

	fake_reset();
	assert_int_equal(hca_device_open(fake_verbs(), "fake1", &dev), -ENODEV);
	assert_null(dev);
	assert_int_equal(fake.alive, 0);
}

static void
every_failure_unwinds(void **state)
{
	struct hca_device *dev = NULL;
	int calls;

	fake_reset();
	hca_device_close(fake_open());
	calls = fake.calls;
	assert_true(calls > 5);
	for (int i = 1; i <= calls; i++) {
		fake_reset();
		fake.fail_at = i;
		/* A device without a non-cached doorbell page takes a write-combining one: the last call may fail. */
		if (hca_device_open(fake_verbs(), "fake0", &dev) == 0) {
			assert_int_equal(i, calls);
			assert_true(dev->uar.write_combining);
			hca_device_close(dev);
		}
		assert_int_equal(fake.alive, 0);
	}
}

static void
capabilities_by_offset(void **state)
{
	struct hca_device *dev;

	fake_reset();
	/*
	 * nic.md 1.3: log_max_sq 0x6c[20:16]; max_lso_cap group 1 0x00[20:16]; hws.md 1.3:
	 * ste_alloc_log_max 0x04.4 w5
	 */
	fake.caps[0][0x6c + 1] = 17;
	fake.caps[0][0x3c + 3] = 1 << 4; /* wqe_based_flow_table_update_cap */
	fake.caps[1][0x01] = 18;
	fake.caps[0x1b][0x07] = 22;
	/* granularity 8, of which 6 are the offset's: 0xec.19 w4 and 0xec.23 w4 */
	fake.caps[0][0xec + 1] = 6 << 4 | 8;
	dev = fake_open();
	assert_int_equal(dev->caps.log_max_sq, 17);
	assert_int_equal(dev->caps.eth.max_lso_cap, 18);
	assert_true(dev->caps.wqe_based_flow_table_update_cap);
	assert_int_equal(dev->caps.wqe.ste_alloc_log_max, 22);
	assert_int_equal(dev->caps.log_header_modify_argument_granularity, 2);
	hca_device_close(dev);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_and_closes),
		cmocka_unit_test(unknown_name),
		cmocka_unit_test(every_failure_unwinds),
		cmocka_unit_test(capabilities_by_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
