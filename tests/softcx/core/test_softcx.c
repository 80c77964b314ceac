/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The public header on the whole device: a port as the vdev probe makes it, its host side, its accounts,
 * faults.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/front/softcx.h"

static unsigned int
open_port(const char *settings)
{
	char error[512] = "";
	int port = softcx_port_create(settings, error, sizeof(error));

	if (port < 0)
		fail_msg("%s", error);
	return (unsigned int)port;
}

static uint64_t
objects(void)
{
	struct softcx_census_row rows[64];
	int n = softcx_census(-1, rows, 64), i;
	uint64_t sum = 0;

	for (i = 0; i < n; i++)
		sum += rows[i].objects;
	return sum;
}

static void
life(void **state)
{
	unsigned int a, b;
	uint64_t before;

	assert_int_equal(objects(), 0);
	a = open_port("exec=stepped,wire=loop");
	before = objects(); /* what steering predefines */
	b = open_port("model=cx6dx");
	assert_int_equal(softcx_port_index("softcx0"), a);
	assert_int_equal(softcx_port_index("softcx1"), b);
	assert_int_equal(softcx_port_index("mlx5_0"), -ENODEV);
	assert_int_equal(softcx_step(0), 0);
	assert_int_equal(softcx_port_destroy(b), 0);
	assert_int_equal(objects(), before);
	assert_int_equal(softcx_port_destroy(a), 0);
	assert_int_equal(objects(), 0);
	assert_int_equal(softcx_port_destroy(a), -ENODEV);
}

static void
host_side(void **state)
{
	static const uint8_t mac[6] = { 2, 1, 2, 3, 4, 5 }, multicast[6] = { 1 }, zero[6];
	unsigned int p = open_port("exec=stepped,speed=25000");
	struct softcx_stats stats;
	struct softcx_link link;
	uint8_t got[6];
	uint32_t mtu;

	assert_int_equal(softcx_port_mac_set(p, multicast), -EINVAL);
	assert_int_equal(softcx_port_mac_set(p, zero), -EINVAL);
	assert_int_equal(softcx_port_mac_set(p, mac), 0);
	assert_int_equal(softcx_port_mac_get(p, got), 0);
	assert_memory_equal(got, mac, 6);
	assert_int_equal(softcx_port_mtu_set(p, 67), -EINVAL);
	assert_int_equal(softcx_port_mtu_set(p, 9979), -EINVAL);
	assert_int_equal(softcx_port_mtu_set(p, 9000), 0);
	assert_int_equal(softcx_port_mtu_get(p, &mtu), 0);
	assert_int_equal(mtu, 9000);
	assert_int_equal(softcx_port_link(p, &link), 0);
	assert_true(link.up && link.admin_up);
	assert_int_equal(link.speed_mbps, 25000);
	assert_int_equal(softcx_port_set_up(p, false), 0);
	softcx_port_link(p, &link);
	assert_false(link.up || link.admin_up);
	assert_int_equal(softcx_port_promisc_set(p, true), 0);
	assert_int_equal(softcx_port_allmulti_set(p, true), 0);
	assert_int_equal(softcx_port_loopback_set(p, true), 0);
	assert_int_equal(softcx_port_stats(p, &stats), 0);
	assert_int_equal(stats.rx_frames + stats.tx_frames, 0);
	assert_int_equal(softcx_port_stats(p + 1, &stats), -ENODEV);
	assert_int_equal(softcx_port_destroy(p), 0);
}

static void
accounts(void **state)
{
	unsigned int p = open_port("exec=stepped,bus_mps=128");
	struct softcx_doorbells bells;
	struct softcx_bus_row rows[16];
	char *text = NULL;
	size_t len = 0;
	FILE *out;
	int n;

	n = softcx_bus(p, rows, 16);
	assert_int_equal(n, 6);
	assert_string_equal(rows[0].kind, "doorbell");
	assert_int_equal(softcx_doorbells(p, &bells), 0);
	assert_int_equal(bells.rung + bells.stray, 0);
	out = open_memstream(&text, &len);
	softcx_bus_formula(p, out);
	softcx_settings_help(out);
	softcx_census_print(-1, out);
	fclose(out);
	assert_non_null(strstr(text, "multiples of 128"));
	assert_non_null(strstr(text, "bus_mrrs"));
	assert_non_null(strstr(text, "sum"));
	free(text);
	assert_int_equal(softcx_port_destroy(p), 0);
}

static void
faults(void **state)
{
	unsigned int p = open_port("exec=stepped");
	struct softcx_link link;
	char error[128];

	assert_int_equal(softcx_fault(p, "link:down", error, sizeof(error)), 0);
	softcx_port_link(p, &link);
	assert_false(link.up);
	assert_true(link.admin_up);
	assert_int_equal(softcx_fault(p, "explode", error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "explode"));
	assert_int_equal(softcx_fault(p, "die", error, sizeof(error)), 0);
	assert_int_equal(softcx_last_error(p, error, sizeof(error)), 0);
	assert_non_null(strstr(error, "died"));
	assert_int_equal(softcx_port_destroy(p), 0);
}

/* A wrong wire or host is refused at once, by name, and leaves no port behind. */
static void
wrong_settings(void **state)
{
	static const char *const wrong[][2] = {
		{ "wire=cable", "wire=cable" }, { "host=kernel", "host=kernel" }, { "wire=pcap:in=/nowhere/x.pcap", "wire=" },
		{ "colour=red", "colour" },
	};
	char error[1024];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error[0] = '\0';
		assert_true(softcx_port_create(wrong[i][0], error, sizeof(error)) < 0);
		if (strstr(error, wrong[i][1]) == NULL)
			fail_msg("%s: \"%s\"", wrong[i][0], error);
	}
	assert_int_equal(objects(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life), cmocka_unit_test(host_side), cmocka_unit_test(accounts), cmocka_unit_test(faults),
		cmocka_unit_test(wrong_settings),
	};

	unsetenv("SOFTCX");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
