/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory of large objects, which the next object of the same size gets: it is as empty as new memory, and told from
 * that of the program. And what is known of a work request from looking ahead: it does not outlive what it was about.
 */
#include "bench.h"

#include "softcx/steer/memory.h"
#include "softcx/steer/objects.h"

enum { LOG_ROWS = 13, NB = 6000, LOG_ARGS = 13 };

static const struct definer by_dst = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0xff, 0xff } };
static const uint32_t to_tir[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };

static void
tagged(uint8_t *data, uint32_t dst)
{
	uint8_t t[44] = { 0 };

	put32(t + 32, dst);
	image(data, t, false);
}

static int
write_ste(const struct fixture *f, uint32_t op, uint32_t dst)
{
	uint8_t data[64];

	tagged(data, dst);
	return gta(op, f->rtc, 0, op == 0 ? 4 : 0, op == 0 ? to_tir : NULL, data);
}

static const struct sc_ste_range *
range_of(const struct fixture *f)
{
	return sc_object_find(bench.dev, SC_STE, f->stes);
}

/* A table goes with its rules in it; none of them is in the next one. */
static void
no_rule_comes_back(void **state)
{
	const uint32_t *slots = NULL;
	struct fixture f;
	uint32_t i, round;

	for (round = 0; round < 3; round++) {
		fixture_open(&f, NIC_RX, &by_dst, false, LOG_ROWS, 2);
		if (round == 0)
			slots = range_of(&f)->slots;
		assert_ptr_equal(range_of(&f)->slots, slots); /* the same memory, or this shows nothing */
		assert_true(sc_memory_holds(slots) && sc_memory_holds(range_of(&f)->pool + NB));
		assert_int_equal(range_of(&f)->used, 0);
		for (i = 0; i < 4u << LOG_ROWS; i++)
			assert_int_equal(slots[i], 0);
		for (i = 0; i < NB; i++)
			assert_int_equal(write_ste(&f, 1, i), SC_WQE_FAILED);
		for (i = 0; i < NB; i++)
			assert_int_equal(write_ste(&f, 0, i), 0);
		for (i = 0; i < NB / 2; i++)
			assert_int_equal(write_ste(&f, 1, i), 0);
		fixture_close(&f);
		assert_true(sc_memory_holds(slots));
	}
	assert_false(sc_memory_holds(&f));
}

/* Tables of other sizes that take as many large pages have their entries where another's slots were. */
static void
sizes_do_not_mix(void **state)
{
	static const uint32_t log_rows[] = { 12, 11, 12, 10, 11 };
	struct fixture f;
	uint32_t i, round;

	for (round = 0; round < sizeof(log_rows) / sizeof(log_rows[0]); round++) {
		fixture_open(&f, NIC_RX, &by_dst, false, log_rows[round], 2);
		for (i = 0; i < 4u << log_rows[round]; i++)
			assert_int_equal(range_of(&f)->slots[i], 0);
		for (i = 0; i < 1u << log_rows[round]; i++)
			(void)write_ste(&f, 0, i);
		fixture_close(&f);
	}
}

static void
arguments_are_zero(void **state)
{
	static const uint8_t zero[64];
	const uint8_t *bytes = NULL;
	uint8_t unit[64];
	uint32_t round, i;

	memset(unit, 0xa5, sizeof(unit));
	for (round = 0; round < 3; round++) {
		uint32_t id = make_arg(LOG_ARGS);
		const struct sc_arg *arg = sc_object_find(bench.dev, SC_ARG, id);

		if (round == 0)
			bytes = arg->bytes;
		assert_ptr_equal(arg->bytes, bytes);
		for (i = 0; i < 1u << LOG_ARGS; i++)
			assert_memory_equal(arg->bytes + 64 * i, zero, 64);
		for (i = 0; i < 1000; i++)
			assert_int_equal(write_arg(id + i * 7 % 1024, unit, 64), 0);
		assert_int_equal(write_arg(id + (1u << LOG_ARGS) - 1, unit, 64), 0);
		free_object(0x23, id);
	}
}

/* The last device takes what was kept with it; before that another size gets its own. */
static void
goes_with_the_device(void **state)
{
	struct fixture f;
	const uint32_t *slots;

	assert_int_equal(bench_open(NULL), 0);
	fixture_open(&f, NIC_RX, &by_dst, false, LOG_ROWS, 2);
	slots = range_of(&f)->slots;
	fixture_close(&f);
	fixture_open(&f, NIC_RX, &by_dst, false, LOG_ROWS + 2, 2);
	assert_ptr_not_equal(range_of(&f)->slots, slots);
	fixture_close(&f);
	assert_true(sc_memory_holds(slots));
	assert_int_equal(bench_close(NULL), 0);
	assert_false(sc_memory_holds(slots));
}

/* A request of the bench's gta(), at first. */
static int
request(uint8_t *first, const struct fixture *f, const uint8_t *data, bool execute)
{
	put32(first + 0x00, 0x2c);
	put32(first + 0x04, 8);
	put32(first + 0x0c, f->rtc);
	for (uint32_t i = 0; i < 5; i++)
		put32(first + 0x14 + 4 * i, to_tir[i]);
	put32(first + 0x14, get32(first + 0x14) | 4u << 29);
	if (execute)
		return sc_gta_execute(bench.dev, bench.pd, first, data);
	sc_gta_prefetch(bench.dev, first, data);
	return 0;
}

/* A driver that writes to what it has posted gets what stands there when the device comes to it. */
static void
rewritten_after_the_look(void **state)
{
	static uint8_t ring[16][128] __attribute__((aligned(128)));
	struct fixture f;
	uint32_t i;

	fixture_open(&f, NIC_RX, &by_dst, false, 8, 2);
	assert_int_equal(write_ste(&f, 0, 0x09090909), 0); /* the last RTC is this one */
	for (i = 0; i < 16; i++) {
		tagged(ring[i] + 64, i);
		request(ring[i], &f, ring[i] + 64, false);
	}
	for (i = 0; i < 16; i++) {
		if (i % 2 == 0)
			tagged(ring[i] + 64, 100 + i);
		assert_int_equal(request(ring[i], &f, ring[i] + 64, true), 0);
	}
	for (i = 0; i < 16; i++) {
		assert_int_equal(write_ste(&f, 1, i % 2 == 0 ? i : 100 + i), SC_WQE_FAILED);
		assert_int_equal(write_ste(&f, 1, i % 2 == 0 ? 100 + i : i), 0);
	}
	fixture_close(&f);
}

/* The same bytes in another table, whose definer hashes fewer of them, and which may lie where the first one lay. */
static void
another_table_after_the_look(void **state)
{
	static const struct definer narrow = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0x00, 0x00 } };
	static uint8_t ring[8][128] __attribute__((aligned(128)));
	struct fixture f;
	uint32_t i;

	fixture_open(&f, NIC_RX, &by_dst, false, 8, 2);
	assert_int_equal(write_ste(&f, 0, 0x09090909), 0);
	for (i = 0; i < 8; i++) {
		tagged(ring[i] + 64, i << 16);
		request(ring[i], &f, ring[i] + 64, false);
	}
	fixture_close(&f);
	fixture_open(&f, NIC_RX, &narrow, false, 8, 2);
	for (i = 0; i < 8; i++)
		assert_int_equal(request(ring[i], &f, ring[i] + 64, true), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(write_ste(&f, 1, i << 16 | i), 0);
	fixture_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_rule_comes_back, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(sizes_do_not_mix, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(arguments_are_zero, bench_open, bench_close),
		cmocka_unit_test(goes_with_the_device),
		cmocka_unit_test_setup_teardown(rewritten_after_the_look, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(another_table_after_the_look, bench_open, bench_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
