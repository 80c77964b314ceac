/* SPDX-License-Identifier: BSD-3-Clause */

/* Faults happen when ordered, once, and wrong orders are refused by name. */
#include "device.h"

#include <errno.h>
#include <string.h>

#include "softcx/core/engine.h"
#include "softcx/core/fault.h"

static void
commands(void **state)
{
	struct test_device t;
	char error[256];
	uint8_t out[16];

	test_open(&t, "fault=cmd:ALLOC_PD:2:0x8");
	test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(test_command(&t, PRM_CMD_OP_ALLOC_PD, 0, out), -ENOMEM);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), PRM_STATUS_LIM);
	test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	assert_null(t.dev->faults);
	assert_int_equal(sc_fault_order(t.dev, "cmd:0x816+cmd:alloc_transport_domain:1:6", error, sizeof(error)), 0);
	assert_int_equal(test_command(&t, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, 0, out), -EIO);
	assert_int_equal(test_command(&t, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, 0, out), -EBUSY);
	test_alloc(&t, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	test_close(&t);
}

static void
queues(void **state)
{
	struct test_device t;
	char error[256];

	test_open(&t, "");
	assert_int_equal(sc_fault_queue(t.dev, SC_SQ, 5), 0);
	assert_int_equal(sc_fault_order(t.dev, "sq:5:2+rq:*:1:0x13+stop:7", error, sizeof(error)), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_SQ, 4), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_SQ, 5), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_SQ, 5), 0x02);
	assert_int_equal(sc_fault_queue(t.dev, SC_SQ, 5), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_RQ, 9), 0x13);
	assert_true(sc_fault_stopped(t.dev, 7));
	assert_false(sc_fault_stopped(t.dev, 8));
	assert_int_equal(sc_fault_order(t.dev, "go:8", error, sizeof(error)), -EINVAL);
	assert_int_equal(sc_fault_order(t.dev, "go:7", error, sizeof(error)), 0);
	assert_false(sc_fault_stopped(t.dev, 7));
	assert_null(t.dev->faults);
	assert_int_equal(sc_fault_order(t.dev, "sq:*+clear", error, sizeof(error)), 0);
	assert_null(t.dev->faults);
	test_close(&t);
}

/* As often as ordered, every NTH; for ever with 0. */
static void
again(void **state)
{
	struct test_device t;
	char error[256];
	int i, n = 0;

	test_open(&t, "");
	assert_int_equal(sc_fault_order(t.dev, "rq:*:3:0x01:2+packet:5:2:0x04:0+cq:9:2", error, sizeof(error)), 0);
	for (i = 1; i <= 12; i++)
		assert_int_equal(sc_fault_queue(t.dev, SC_RQ, 7), i == 3 || i == 6 ? 0x01 : 0);
	for (i = 1; i <= 12; i++)
		n += sc_fault_packet(t.dev, 5) == 0x04;
	assert_int_equal(n, 6);
	assert_int_equal(sc_fault_packet(t.dev, 6), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_SQ, 5), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_CQ, 9), 0);
	assert_int_equal(sc_fault_queue(t.dev, SC_CQ, 9), 1);
	assert_int_equal(sc_fault_queue(t.dev, SC_CQ, 9), 0);
	assert_int_equal(sc_fault_order(t.dev, "clear", error, sizeof(error)), 0);
	assert_null(t.dev->faults);
	test_close(&t);
}

/* A dead device refuses everything but to destroy, and leaves nothing behind. */
static void
death(void **state)
{
	struct test_device t;
	char error[256];
	uint8_t out[16];
	uint32_t pd;

	test_open(&t, "");
	pd = test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	assert_int_equal(sc_fault_order(t.dev, "link:down", error, sizeof(error)), 0);
	assert_false(t.dev->link_up);
	assert_int_equal(sc_fault_order(t.dev, "link:up", error, sizeof(error)), 0);
	assert_true(t.dev->link_up);
	assert_int_equal(sc_fault_order(t.dev, "die", error, sizeof(error)), 0);
	assert_false(t.dev->link_up);
	assert_int_equal(test_command(&t, PRM_CMD_OP_ALLOC_PD, 0, out), -EIO);
	assert_int_not_equal(out[0], 0);
	test_part.polled = 0;
	assert_int_equal(sc_engine_step(0), 0);
	assert_int_equal(test_part.polled, 0);
	assert_int_equal(test_command(&t, PRM_CMD_OP_DEALLOC_PD, pd, out), 0);
	test_close(&t);
}

static void
wrong_orders(void **state)
{
	static const char *const wrong[] = {
		"", "cmd", "cmd:NO_SUCH", "cmd:ALLOC_PD:0", "cmd:ALLOC_PD:1:0", "cmd:ALLOC_PD:1:1:x", "cmd:ALLOC_PD:1:1:1:1", "cq:1:1:1", "sq:x", "sq:0", "stop:*",
		"link:sideways", "die:now", "burn", "sq:1+burn",
	};
	struct test_device t;
	char error[256];
	size_t i;

	test_open(&t, "");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error[0] = '\0';
		assert_int_equal(sc_fault_order(t.dev, wrong[i], error, sizeof(error)), -EINVAL);
		assert_non_null(strstr(error, "fault"));
	}
	sc_fault_clear(t.dev);
	test_close(&t);
	assert_int_equal(sc_port_create("fault=burn", error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "burn"));
	assert_int_equal(test_part.alive, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands), cmocka_unit_test(queues), cmocka_unit_test(again), cmocka_unit_test(death),
		cmocka_unit_test(wrong_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
