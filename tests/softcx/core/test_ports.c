/* SPDX-License-Identifier: BSD-3-Clause */

/* Ports by environment and by function: which there are, when they have power, what is refused. */
#include "device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/core/engine.h"

static void
by_environment(void **state)
{
	struct sc_port_id ids[SC_PORTS_MAX];
	struct sc_device *a, *b;
	char error[256];

	setenv("SOFTCX", "ports=2,model=cx6dx,exec=stepped,mtu1=9000", 1);
	assert_int_equal(sc_port_list(ids, error, sizeof(error)), 2);
	assert_string_equal(ids[1].name, "softcx1");
	assert_string_equal(ids[1].bdf, "0000:51:00.1");
	assert_string_equal(ids[0].model->name, "cx6dx");
	assert_int_equal(test_part.alive, 0);
	assert_int_equal(sc_device_open(0, &a, error, sizeof(error)), 0);
	assert_int_equal(test_part.alive, 2); /* both have power, one is open */
	assert_int_equal(sc_device_open(1, &b, error, sizeof(error)), 0);
	assert_int_equal(b->mtu, 9000);
	assert_int_equal(a->mtu, 1500);
	assert_true(a->disable_uc_local_lb);
	sc_device_close(a);
	assert_int_equal(test_part.alive, 2);
	sc_device_close(b);
	assert_int_equal(test_part.alive, 0);
	assert_int_equal(sc_device_open(2, &a, error, sizeof(error)), -ENODEV);
	unsetenv("SOFTCX");
}

static void
wrong_environment(void **state)
{
	struct sc_port_id ids[SC_PORTS_MAX];
	char error[256];

	setenv("SOFTCX", "ports=9", 1);
	assert_int_equal(sc_port_list(ids, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "SOFTCX"));
	assert_non_null(strstr(error, "ports=9"));
	unsetenv("SOFTCX");
	assert_int_equal(sc_port_list(ids, error, sizeof(error)), 1);
}

static void
by_function(void **state)
{
	struct sc_port_id ids[SC_PORTS_MAX];
	struct sc_device *dev;
	char error[256];
	int a, b;

	a = sc_port_create("exec=stepped,mtu=2000", error, sizeof(error));
	assert_int_equal(a, 0);
	assert_int_equal(test_part.alive, 1);
	/* the environment's one default port does not stand beside it */
	assert_int_equal(sc_port_list(ids, error, sizeof(error)), 1);
	b = sc_port_create("mtu=3000", error, sizeof(error));
	assert_int_equal(b, 1);
	assert_int_equal(sc_port_create("exec=threaded", error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "exec"));
	assert_int_equal(sc_port_create("nonsense=1", error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "nonsense"));
	test_part.init_error = -ENOMEM;
	assert_int_equal(sc_port_create("", error, sizeof(error)), -ENOMEM);
	test_part.init_error = 0;
	assert_int_equal(sc_port_list(ids, error, sizeof(error)), 2);
	assert_int_equal(sc_device_open((uint32_t)b, &dev, error, sizeof(error)), 0);
	assert_int_equal(dev->mtu, 3000);
	assert_int_equal(sc_port_destroy((uint32_t)b), -EBUSY);
	sc_device_close(dev);
	assert_int_equal(sc_port_destroy((uint32_t)a), 0);
	assert_int_equal(sc_port_destroy((uint32_t)a), -ENODEV);
	assert_int_equal(sc_port_destroy((uint32_t)b), 0);
	assert_int_equal(test_part.alive, 0);
}

/* The second context opens the vport to itself, as the kernel does. */
static void
loopback_gate(void **state)
{
	struct sc_device *second;
	struct test_device t;
	char error[256];

	test_open(&t, "");
	assert_true(t.dev->disable_uc_local_lb && t.dev->disable_mc_local_lb);
	assert_int_equal(sc_device_open((uint32_t)t.port, &second, error, sizeof(error)), 0);
	assert_ptr_equal(second, t.dev);
	assert_false(t.dev->disable_uc_local_lb || t.dev->disable_mc_local_lb);
	/* a second handle of one context is no second user */
	sc_device_imported(second);
	assert_true(t.dev->disable_uc_local_lb && t.dev->disable_mc_local_lb);
	sc_device_not_imported(second);
	assert_false(t.dev->disable_uc_local_lb || t.dev->disable_mc_local_lb);
	sc_device_close(second);
	assert_true(t.dev->disable_uc_local_lb);
	test_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_environment), cmocka_unit_test(wrong_environment), cmocka_unit_test(by_function),
		cmocka_unit_test(loopback_gate),
	};

	unsetenv("SOFTCX");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
