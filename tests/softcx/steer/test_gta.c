/* SPDX-License-Identifier: BSD-3-Clause */

/* Work requests: insertion, update, deletion, full rows, indexed tables, arguments, wrong ones; and counters
 * by ASO. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>

#include "softcx/cmd/resource.h"
#include "softcx/steer/objects.h"

/* One dword of tag: the IPv4 destination, in DW0. */
static const struct definer by_dst = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0xff, 0xff } };
static const uint32_t to_tir[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };

static uint64_t
entries(void)
{
	struct sc_steer_stats stats;

	sc_steer_stats_get(bench.dev, &stats);
	return stats.entries;
}

static int
insert(const struct fixture *f, uint32_t dst)
{
	uint8_t t[44] = { 0 }, data[64];

	put32(t + 32, dst);
	image(data, t, false);
	return gta(0, f->rtc, 0, 4, to_tir, data);
}

static int
delete(const struct fixture *f, uint32_t dst)
{
	uint8_t t[44] = { 0 }, data[64];

	put32(t + 32, dst);
	image(data, t, false);
	return gta(1, f->rtc, 0, 0, NULL, data);
}

static void
insert_delete(void **state)
{
	struct fixture f;
	uint32_t i;

	fixture_open(&f, NIC_RX, &by_dst, false, 8, 2);
	for (i = 0; i < 512; i++)
		assert_int_equal(insert(&f, 0x0a000000 + i), 0);
	assert_int_equal(entries(), 512);
	assert_int_equal(insert(&f, 0x0a000000), 0); /* an equal tag: overwritten */
	assert_int_equal(entries(), 512);
	for (i = 0; i < 512; i++)
		assert_int_equal(delete(&f, 0x0a000000 + i), 0);
	assert_int_equal(entries(), 0);
	assert_int_equal(delete(&f, 0x0a000000), SC_WQE_FAILED);
	fixture_close(&f);
}

static void
row_full(void **state)
{
	struct fixture f;
	uint32_t i;

	fixture_open(&f, NIC_RX, &by_dst, false, 0, 2); /* one row of four */
	for (i = 0; i < 4; i++)
		assert_int_equal(insert(&f, i), 0);
	assert_int_equal(insert(&f, 4), SC_WQE_FAILED);
	assert_int_equal(insert(&f, 2), 0);
	assert_int_equal(delete(&f, 1), 0);
	assert_int_equal(insert(&f, 4), 0);
	assert_int_equal(insert(&f, 1), SC_WQE_FAILED);
	fixture_close(&f); /* with entries in it */
	assert_int_equal(entries(), 0);
}

/* Drivers send the tag unmasked, in insertion and deletion. */
static void
tag_unmasked(void **state)
{
	static const struct definer narrow = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0xff, 0x00 } };
	struct fixture f;

	fixture_open(&f, NIC_RX, &narrow, false, 8, 2);
	assert_int_equal(insert(&f, 0x07070709), 0);
	assert_int_equal(insert(&f, 0x07070733), 0);
	assert_int_equal(entries(), 1);
	assert_int_equal(delete(&f, 0x07070755), 0);
	assert_int_equal(entries(), 0);
	fixture_close(&f);
}

static void
jumbo(void **state)
{
	static const uint32_t stc[5] = { STC_NOP0, STC_TIR };
	struct definer definer = { .dw = { 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48 } };
	uint8_t t[44], data[64];
	struct fixture f;

	memset(definer.mask, 0xff, sizeof(definer.mask));
	fixture_open(&f, NIC_RX, &definer, true, 4, 1);
	memset(t, 0x5a, sizeof(t));
	image(data, t, true);
	assert_int_equal(gta(0, f.rtc, 0, 1, stc, data), 0);
	assert_int_equal(gta(0, f.rtc, 0, 4, to_tir, data), -0x02); /* action count of the other format */
	t[0] = 0;
	image(data, t, true);
	assert_int_equal(gta(1, f.rtc, 0, 0, NULL, data), SC_WQE_FAILED);
	t[0] = 0x5a;
	image(data, t, true);
	assert_int_equal(gta(1, f.rtc, 0, 0, NULL, data), 0);
	fixture_close(&f);
}

static void
by_offset(void **state)
{
	uint8_t data[64] = { 0 };
	struct fixture f;
	uint32_t stes, rtc;

	fixture_open(&f, NIC_RX, &by_dst, false, 2, 0);
	stes = make_range(0x42, NIC_RX, 3);
	rtc = make_rtc(&(struct rtc){.type = NIC_RX,
		.update = 1,
		.rows = 3,
		.format = 4,
		.definer = SC_DEFINER_TRIVIAL,
		.stc = f.stcs,
		.ste = stes});
	assert_int_equal(gta(0, rtc, 7, 4, to_tir, data), 0);
	assert_int_equal(gta(0, rtc, 7, 4, to_tir, data), 0);
	assert_int_equal(entries(), 1);
	assert_int_equal(gta(0, rtc, 8, 4, to_tir, data), SC_WQE_FAILED);
	assert_int_equal(gta(1, rtc, 7, 0, NULL, data), 0);
	assert_int_equal(gta(1, rtc, 7, 0, NULL, data), SC_WQE_FAILED);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	fixture_close(&f);
}

static void
wrong_requests(void **state)
{
	static const uint32_t wrong_slot[5] = { STC_NOP0, STC_TIR, STC_NOP6, STC_NOP6, STC_NOP7 };
	static const uint32_t outside[5] = { STC_NOP0, STC_TIR, 32, STC_NOP6, STC_NOP7 };
	static const uint32_t unset[5] = { STC_NOP0, STC_TIR, STC_D, STC_NOP6, STC_NOP7 };
	uint8_t data[64] = { 0 }, first[64] = { 0 };
	struct fixture f;

	fixture_open(&f, NIC_RX, &by_dst, false, 2, 0);
	assert_int_equal(gta(0, f.rtc + 1, 0, 4, to_tir, data), -0x02);
	assert_int_equal(gta(2, f.rtc, 0, 4, to_tir, data), -0x02);
	assert_int_equal(gta(0, f.rtc, 1, 4, to_tir, data), -0x02);
	assert_int_equal(gta(0, f.rtc, 0, 2, to_tir, data), -0x02);
	assert_int_equal(gta(0, f.rtc, 0, 4, wrong_slot, data), -0x02);
	assert_non_null(strstr(bench.dev->last_error, "ste_action_offset 6"));
	assert_int_equal(gta(0, f.rtc, 0, 4, outside, data), -0x02);
	assert_int_equal(gta(0, f.rtc, 0, 4, unset, data), -0x02);
	put32(first + 0, 0x2c);
	put32(first + 4, 8);
	put32(first + 12, f.rtc);
	assert_int_equal(sc_gta_execute(bench.dev, bench.pd + 1, first, data), -0x04);
	put32(first + 4, 12);
	assert_int_equal(sc_gta_execute(bench.dev, bench.pd, first, data), -0x02);
	assert_int_equal(entries(), 0);
	fixture_close(&f);
}

static void
arguments(void **state)
{
	uint8_t bytes[64], first[64] = { 0 };
	uint32_t arg = make_arg(3);
	struct sc_arg *object = sc_object_find(bench.dev, SC_ARG, arg);

	memset(bytes, 0xa5, sizeof(bytes));
	assert_int_equal(write_arg(arg + 7, bytes, 64), 0);
	assert_memory_equal(object->bytes + 7 * 64, bytes, 64);
	assert_int_equal(write_arg(arg + 8, bytes, 64), -0x02);
	put32(first + 0, 1u << 24 | 0x2c);
	put32(first + 4, 8);
	put32(first + 12, arg);
	assert_int_equal(sc_gta_execute(bench.dev, bench.pd + 1, first, bytes), -0x04);
	free_object(0x23, arg);
	assert_int_equal(write_arg(arg, bytes, 64), -0x02);
}

/* 2^18 random tags at a load of one half in rows of four, all found again, against nothing but their own
 * list. */
static void
many(void **state)
{
	enum { NB = 1 << 18 };
	struct fixture f;
	uint32_t i, failed = 0, *keys = calloc(NB, sizeof(*keys));

	srand(7);
	fixture_open(&f, NIC_RX, &by_dst, false, 17, 2);
	for (i = 0; i < NB; i++) {
		keys[i] = (uint32_t)rand() << 1 ^ (uint32_t)rand() << 17;
		if (insert(&f, keys[i]) == SC_WQE_FAILED) {
			failed++;
			keys[i--] = 0;
			if (failed > NB)
				break;
		}
	}
	assert_true(failed < NB / 8);
	for (i = 0; i < NB; i++)
		(void)delete(&f, keys[i]); /* a key drawn twice is there once */
	assert_int_equal(entries(), 0);
	free(keys);
	fixture_close(&f);
}

static int
aso(uint32_t mode, uint32_t id, const void *va, uint32_t lkey, uint32_t operands)
{
	uint8_t first[64] = { 0 }, second[64] = { 0 };
	uint64_t address = (uintptr_t)va;

	put32(first + 0x00, mode << 24 | 0x2d);
	put32(first + 0x04, 8);
	put32(first + 0x0c, id / 4);
	put32(first + 0x10, (uint32_t)(address >> 32));
	put32(first + 0x14, (uint32_t)address | 1);
	put32(first + 0x18, lkey);
	put32(first + 0x1c, operands);
	memset(first + 0x38, 0xff, 8);
	return sc_aso_execute(bench.dev, bench.pd, first, second);
}

static void
counters_by_aso(void **state)
{
	static uint8_t memory[128] __attribute__((aligned(64)));
	uint32_t id = make_counters(3);
	struct sc_counters *counters = sc_object_find(bench.dev, SC_FLOW_COUNTER, id);
	struct sc_mkey *mkey;
	struct sc_pd *other;
	uint32_t own;

	assert_int_equal(id % 4, 0);
	assert_int_equal(
		sc_mkey_create(bench.dev, 0, bench.pd, memory, (uintptr_t)memory, sizeof(memory), 1, &mkey),
		0);
	counters->counts[6] = (struct sc_count){ 3, 0x100000002 };
	assert_int_equal(aso(1, id + 4, memory, mkey->lkey, 0x40000000), 0);
	assert_int_equal(get32(memory + 2 * 16 + 4), 3);
	assert_int_equal(get32(memory + 2 * 16 + 8), 1);
	assert_int_equal(get32(memory + 2 * 16 + 12), 2);
	assert_int_equal(get32(memory + 16 + 4), 0);
	assert_int_equal(aso(2, id, memory, mkey->lkey, 0x40000000), -0x02); /* connection, meter, ... */
	assert_int_equal(aso(1, id + 8, memory, mkey->lkey, 0x40000000), -0x02);     /* no such counter */
	assert_int_equal(aso(1, id, memory, mkey->lkey + 0x100, 0x40000000), -0x04); /* no such key */
	assert_int_equal(aso(1, id, memory + 80, mkey->lkey, 0x40000000), -0x04);    /* beyond the key */
	assert_int_equal(aso(1, id, memory, mkey->lkey, 0x40110000), -0x02);         /* would write */
	/* of another protection domain */
	assert_int_equal(sc_pd_create(bench.dev, 0, &other), 0);
	own = bench.pd;
	bench.pd = other->obj.id;
	assert_int_equal(aso(1, id, memory, mkey->lkey, 0x40000000), -0x04);
	bench.pd = own;
	assert_int_equal(sc_pd_destroy(other), 0);
	assert_int_equal(sc_pd_destroy(sc_object_find(bench.dev, SC_PD, bench.pd)), -EBUSY); /* the counters are in it */
	assert_int_equal(sc_mkey_destroy(mkey), 0);
	free_counters(id);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(insert_delete, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(row_full, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(tag_unmasked, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(jumbo, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(by_offset, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(wrong_requests, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(arguments, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(many, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(counters_by_aso, bench_open, bench_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
