/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * When a completion queue tells: armed, moderated by count and period (nic.md 1.7). One step is one
 * microsecond.
 */
#include "bench.h"

#include "softcx/cmd/resource.h"

#define PERIOD_US 50

struct fixture {
	struct bench_cq cq;
	struct bench_sq sq;
};

/* mode: cq_period_mode; count 0: not moderated */
static void
make(struct fixture *f, uint32_t mode, uint32_t period, uint32_t count)
{
	uint8_t in[0x110], out[0x200];

	bench_cq_in(&f->cq, 6, in);
	put32(in + 0x10, get32(in + 0x10) | mode << 15 | 1u << 18);
	put32(in + 0x20, period << 16 | count);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0);
	f->cq.id = get32(out + 8) & 0xffffff;
	bench_cq_init(&f->cq);
	bench_sq(&f->sq, &f->cq, 6);
}

static void
unmake(struct fixture *f)
{
	bench_destroy(0x906, f->sq.id);
	bench_destroy(0x401, f->cq.id);
}

/* n NOPs that complete; solicited: the last with the event bit */
static void
complete(struct fixture *f, uint32_t n, bool solicited)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t wqe[64] = { 0 };

		put32(wqe + 4, 1);
		wqe[11] = solicited && i + 1 == n ? 0x0c : 0x08;
		bench_post(&f->sq, wqe, sizeof(wqe));
	}
	bench_ring(&f->sq);
}

static void
arm(struct fixture *f, uint32_t ci)
{
	sc_cq_arm(sc_object_find(bench.dev, SC_CQ, f->cq.id), false, ci);
}

static void
steps(uint32_t n)
{
	while (n-- > 0)
		bench_step();
}

static void
at_once(void **state)
{
	struct fixture f;

	make(&f, 0, PERIOD_US, 0);
	arm(&f, 0);
	complete(&f, 1, false);
	assert_int_equal(bench.nb_events, 1);
	complete(&f, 1, false); /* not armed again */
	assert_int_equal(bench.nb_events, 1);
	unmake(&f);
}

static void
by_count(void **state)
{
	struct fixture f;

	make(&f, 0, 4000, 3);
	arm(&f, 0);
	complete(&f, 2, false);
	assert_int_equal(bench.nb_events, 0);
	complete(&f, 1, false);
	assert_int_equal(bench.nb_events, 1);
	/* what is there already counts when it is armed */
	complete(&f, 3, false);
	assert_int_equal(bench.nb_events, 1);
	arm(&f, 3);
	assert_int_equal(bench.nb_events, 2);
	unmake(&f);
}

static void
by_period(void **state)
{
	struct fixture f;

	make(&f, 0, PERIOD_US, 100);
	arm(&f, 0);
	complete(&f, 1, false);
	steps(PERIOD_US / 2);
	assert_int_equal(bench.nb_events, 0);
	complete(&f, 1, false); /* mode 0: the first entry's period goes on */
	steps(PERIOD_US / 2 + 2);
	assert_int_equal(bench.nb_events, 1);
	steps(2 * PERIOD_US);
	assert_int_equal(bench.nb_events, 1);
	unmake(&f);
}

static void
period_anew(void **state)
{
	struct fixture f;

	make(&f, 1, PERIOD_US, 100);
	arm(&f, 0);
	complete(&f, 1, false);
	steps(PERIOD_US - 10);
	complete(&f, 1, false);
	steps(PERIOD_US - 10);
	assert_int_equal(bench.nb_events, 0);
	steps(20);
	assert_int_equal(bench.nb_events, 1);
	unmake(&f);
}

/* scqe_break_moderation_en */
static void
solicited(void **state)
{
	struct fixture f;

	make(&f, 0, PERIOD_US, 100);
	arm(&f, 0);
	complete(&f, 1, true);
	assert_int_equal(bench.nb_events, 1);
	unmake(&f);
}

/* A CQ that goes takes its waiting event along. */
static void
gone(void **state)
{
	struct fixture f;

	make(&f, 0, PERIOD_US, 100);
	arm(&f, 0);
	complete(&f, 1, false);
	assert_int_equal(bench.dev->nic->nb_moderated, 1);
	unmake(&f);
	assert_int_equal(bench.dev->nic->nb_moderated, 0);
	steps(2 * PERIOD_US);
	assert_int_equal(bench.nb_events, 0);
}

/* What no device takes. */
static void
refused(void **state)
{
	uint8_t in[0x110], out[0x200];
	struct bench_cq cq;
	struct sc_umem *umem;

	bench_cq_in(&cq, 6, in);
	put32(in + 0x24, 9);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0x05);
	assert_non_null(strstr(bench.dev->last_error, "c_eqn 9"));
	bench_cq_in(&cq, 6, in);
	put32(in + 0x10, get32(in + 0x10) | 2 << 15);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0x03);
	assert_non_null(strstr(bench.dev->last_error, "cq_period_mode 2"));
	/* a ring that the device may not write */
	assert_int_equal(sc_umem_create(bench.dev, 0, bench.arena, ARENA, 0, &umem), 0);
	bench_cq_in(&cq, 6, in);
	put32(in + 0x58, umem->obj.id);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0x03);
	assert_non_null(strstr(bench.dev->last_error, "without local write"));
	assert_int_equal(sc_umem_destroy(umem), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(at_once, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(by_count, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(by_period, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(period_anew, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(solicited, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(gone, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(refused, bench_open, bench_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
