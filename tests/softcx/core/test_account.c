/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The bus account against numbers worked out by hand: 24 bytes of overhead, 256 payload, 512 read request,
 * RCB 64.
 */
#include "device.h"

static struct sc_account
fresh(void)
{
	return (struct sc_account){ .on = true, .mps = 256, .mrrs = 512, .rcb = 64, .overhead = 24 };
}

static void
doorbell(void **state)
{
	struct sc_account a = fresh();
	const struct sc_bus_count *c = &a.kind[SC_BUS_DOORBELL];

	sc_account_doorbell(&a, 8);
	assert_int_equal(c->operations, 1);
	assert_int_equal(c->bytes, 8);
	assert_int_equal(c->packets_down, 1);
	assert_int_equal(c->bytes_down, 32);
	assert_int_equal(c->bytes_up, 0);
}

static void
writes(void **state)
{
	struct sc_account a = fresh();
	const struct sc_bus_count *c = &a.kind[SC_BUS_CQE];

	sc_account_dma_write(&a, SC_BUS_CQE, 0x1000, 64);
	assert_int_equal(c->packets_up, 1);
	assert_int_equal(c->bytes_up, 88);
	/* 300 bytes from 0x10f0: up to 0x1100 (16), up to 0x1200 (256), the rest (28) */
	sc_account_dma_write(&a, SC_BUS_CQE, 0x10f0, 300);
	assert_int_equal(c->packets_up, 4);
	assert_int_equal(c->bytes_up, 88 + 300 + 3 * 24);
	assert_int_equal(c->bytes_down, 0);
}

static void
reads(void **state)
{
	struct sc_account a = fresh();
	const struct sc_bus_count *c = &a.kind[SC_BUS_WQE];

	sc_account_dma_read(&a, SC_BUS_WQE, 0x2000, 64);
	assert_int_equal(c->packets_up, 1);
	assert_int_equal(c->bytes_up, 24);
	assert_int_equal(c->packets_down, 1);
	assert_int_equal(c->bytes_down, 64 + 20);
	/*
	 * 1500 bytes from 0x2010: requests up to 0x2200, 0x2400, and 492 to 0x25ec. Completions: 0x2010..0x2100
	 * (240, which ends at a multiple of 64), ..0x2200; 256, 256; 256, 236.
	 */
	sc_account_dma_read(&a, SC_BUS_WQE, 0x2010, 1500);
	assert_int_equal(c->packets_up, 1 + 3);
	assert_int_equal(c->bytes_up, 4 * 24);
	assert_int_equal(c->packets_down, 1 + 6);
	assert_int_equal(c->bytes_down, 84 + 1500 + 6 * 20);
}

static void
off(void **state)
{
	struct sc_account a = fresh();
	char byte;

	a.on = false;
	sc_account_doorbell(&a, 8);
	sc_account_read(&a, SC_BUS_WQE, &byte, 64);
	sc_account_write(&a, SC_BUS_CQE, &byte, 64);
	assert_int_equal(a.kind[SC_BUS_DOORBELL].operations + a.kind[SC_BUS_WQE].operations + a.kind[SC_BUS_CQE].operations, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doorbell), cmocka_unit_test(writes), cmocka_unit_test(reads), cmocka_unit_test(off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
