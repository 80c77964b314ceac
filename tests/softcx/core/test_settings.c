/* SPDX-License-Identifier: BSD-3-Clause */

/* Settings: what is read, and that each wrong one is refused by name with what is allowed. */
#include "device.h"

#include <errno.h>
#include <string.h>

#include "softcx/core/settings.h"

static void
defaults(void **state)
{
	struct sc_settings s;

	sc_settings_default(&s, 2);
	assert_string_equal(s.model->name, "cx7");
	assert_int_equal(s.ports, 1);
	assert_string_equal(s.wire, "null");
	assert_string_equal(s.host, "count");
	assert_int_equal(s.mtu, 1500);
	assert_int_equal(s.exec, SC_EXEC_THREADED);
	assert_int_equal(s.uar, SC_UAR_POLL);
	assert_int_equal(s.mac[5], 2);
	assert_int_equal(s.seed, 1);
}

static void
values(void **state)
{
	struct sc_settings s;
	char error[256];

	sc_settings_default(&s, 0);
	assert_int_equal(sc_settings_parse(&s, 0,
		"model=cx6dx,wire=[pcap:in=a.pcap,out=b.pcap],uar=trap,exec=stepped,mac=02:11:22:33:44:55,,"
		"speed=25000,bdf=0001:a0:1f.0,seed=0xffffffffffffffff,host=tap:x=y", error, sizeof(error)), 0);
	assert_string_equal(s.model->name, "cx6dx");
	assert_int_equal(s.model->pci_device, 0x101d);
	assert_string_equal(s.wire, "pcap:in=a.pcap,out=b.pcap");
	assert_string_equal(s.host, "tap:x=y");
	assert_int_equal(s.uar, SC_UAR_TRAP);
	assert_int_equal(s.exec, SC_EXEC_STEPPED);
	assert_int_equal(s.mac[1], 0x11);
	assert_int_equal(s.speed_mbps, 25000);
	assert_string_equal(s.bdf, "0001:a0:1f.0");
	assert_int_equal(s.seed, UINT64_MAX);
}

/* wire1 speaks to port 1 alone, before or after wire. */
static void
per_port(void **state)
{
	const char *text = "ports=2,wire1=loop,wire=null,host0=tap:a";
	struct sc_settings s;
	char error[256];

	sc_settings_default(&s, 0);
	assert_int_equal(sc_settings_parse(&s, 0, text, error, sizeof(error)), 0);
	assert_string_equal(s.wire, "null");
	assert_string_equal(s.host, "tap:a");
	sc_settings_default(&s, 1);
	assert_int_equal(sc_settings_parse(&s, 1, text, error, sizeof(error)), 0);
	assert_string_equal(s.wire, "loop");
	assert_string_equal(s.host, "count");
	assert_true(sc_setting_known("wire1"));
	assert_true(sc_setting_known("wire"));
	assert_false(sc_setting_known("exec1"));
	assert_false(sc_setting_known("pmd"));
}

static void
refusals(void **state)
{
	static const struct {
		const char *text, *names, *allows;
	} wrong[] = {
		{ "wir=loop", "\"wir\"", "wire" },
		{ "loop", "\"loop\"", "key=value" },
		{ "model=cx5", "model=cx5", "cx7|cx6dx" },
		{ "ports=5", "ports=5", "1..4" },
		{ "ports=0", "ports=0", "1..4" },
		{ "ports=-1", "ports=-1", "1..4" },
		{ "ports=2x", "ports=2x", "1..4" },
		{ "uar=fast", "uar=fast", "poll|trap" },
		{ "exec=both", "exec=both", "threaded|stepped" },
		{ "mac=01:00:00:00:00:00", "mac=01:00:00:00:00:00", "multicast" },
		{ "mac=00:00:00:00:00:00", "mac=", "zero" },
		{ "mac=02:00:00:00:00", "mac=", "six bytes" },
		{ "mtu=20000", "mtu=20000", "68..9978" },
		{ "bus_mps=100", "bus_mps=100", "128..4096" },
		{ "bus_mps=300", "bus_mps=300", "power of two" },
		{ "bdf=51:00.0", "bdf=", "DDDD:BB:DD.F" },
		{ "mtu1=1", "mtu1=1", "68" }, /* also where it speaks to another port */
		{ "exec1=stepped", "\"exec1\"", "known" },
	};
	struct sc_settings s, before;
	char error[1024];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		sc_settings_default(&s, 0);
		before = s;
		assert_int_equal(sc_settings_parse(&s, 0, wrong[i].text, error, sizeof(error)), -EINVAL);
		if (strstr(error, wrong[i].names) == NULL || strstr(error, wrong[i].allows) == NULL)
			fail_msg("%s: \"%s\"", wrong[i].text, error);
		assert_memory_equal(&s, &before, sizeof(s));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults), cmocka_unit_test(values), cmocka_unit_test(per_port), cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
