/* SPDX-License-Identifier: BSD-3-Clause */

/* WAIT on time (nic.md 2.9): a queue stands still until its clock says so. One step is a microsecond. */
#include "bench.h"

#include "softcx/core/engine.h"

struct queues {
	struct bench_cq cq;
	struct bench_sq sq;
	uint8_t *buf;
};

static void
open_queues(struct queues *q, uint32_t ts_format)
{
	uint8_t in[0x110];

	bench_cq(&q->cq, 6);
	bench_sq_in(&q->sq, &q->cq, 6, in);
	put32(in + 0x20, get32(in + 0x20) | ts_format << 4);
	bench_sq_make(&q->sq, in);
	q->buf = bench_alloc(64, 64);
	q->buf[0] = 2;
}

static void
close_queues(struct queues *q)
{
	bench_destroy(0x906, q->sq.id);
	bench_destroy(0x401, q->cq.id);
}

static void
post_wait(struct queues *q, uint32_t operation, uint64_t value, uint64_t mask)
{
	uint8_t wqe[64] = { 2, 0, 0, 0x0f, 0, 0, 0, 3, 0, 0, 0, 4 };

	put32(wqe + 0x10, operation);
	put64(wqe + 0x20, value);
	put64(wqe + 0x28, mask);
	bench_post(&q->sq, wqe, sizeof(wqe));
}

static void
post_send(struct queues *q)
{
	uint8_t wqe[64] = { 0, 0, 0, 0x0a, 0, 0, 0, 3, 0, 0, 0, 8 };

	put32(wqe + 0x20, 60);
	put32(wqe + 0x24, bench.lkey);
	put64(wqe + 0x28, (uintptr_t)q->buf);
	bench_post(&q->sq, wqe, sizeof(wqe));
}

/* Steps until the packet leaves. @return how many */
static uint32_t
steps_until_sent(uint32_t max)
{
	uint32_t n = 0, sent = bench.nb_sent;

	for (; bench.nb_sent == sent && n < max; n++)
		bench_step();
	return n;
}

/* As DPDK asks: cyclic smaller, 48 bits. Another queue goes on meanwhile. */
static void
until(void **state)
{
	struct queues q, other;
	uint32_t n;

	open_queues(&q, 0);
	open_queues(&other, 0);
	post_wait(&q, 5, sc_now_ns() + 50000, 0xffffffffffff);
	post_send(&q);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 0);
	post_send(&other);
	bench_ring(&other.sq);
	assert_int_equal(bench.nb_sent, 1);
	assert_null(bench_cqe(&q.cq));
	n = steps_until_sent(200);
	assert_in_range(n, 46, 50);
	assert_int_equal(get16(bench_cqe(&q.cq) + 0x3c), 1); /* the WAIT asked for none */
	close_queues(&q);
	close_queues(&other);
}

/* A time that is over does not wait, nor does one over the edge of the mask behind it. */
static void
over(void **state)
{
	struct queues q;

	open_queues(&q, 0);
	post_wait(&q, 5, sc_now_ns() - 1, ~UINT64_C(0));
	post_wait(&q, 5, sc_now_ns() - 1000, 0xffff);
	post_send(&q);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 1);
	close_queues(&q);
}

static void
conditions(void **state)
{
	static const struct {
		uint32_t operation;
		int64_t away; /* from now */
		bool waits;
	} row[] = {
		{ 2, -100000, true }, { 2, 100000, false }, { 3, -100000, false }, { 3, 100000, true }, { 4, -100000, true },
		{ 4, 100000, false }, { 1, 100000, false }, { 0x11, 100000, true }, { 0x15, -100000, true }, { 0x12, -1000000, false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint32_t sent = bench.nb_sent;
		struct queues q;

		open_queues(&q, 0);
		for (int k = 0; k < 2000; k++)
			bench_step();
		post_wait(&q, row[i].operation, sc_now_ns() + (uint64_t)row[i].away, ~UINT64_C(0));
		post_send(&q);
		bench_ring(&q.sq);
		assert_int_equal(bench.nb_sent - sent, !row[i].waits);
		close_queues(&q);
	}
}

/* Seconds and nanoseconds where the queue shows them; the port's clock when it is set. */
static void
real_time(void **state)
{
	struct queues q;
	uint64_t at;

	bench_open_settings("ts_format=real");
	bench.dev->clock_offset = UINT64_C(1700000000) * 1000000000;
	open_queues(&q, 2);
	at = sc_device_clock(bench.dev) + 30000;
	post_wait(&q, 5, (at / 1000000000) << 32 | at % 1000000000, (UINT64_C(16) << 32) - 1);
	post_send(&q);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 0);
	assert_in_range(steps_until_sent(100), 26, 30);
	close_queues(&q);
	bench_close(NULL);
}

static void
assert_fails(struct queues *q, const char *text)
{
	bench_ring(&q->sq);
	assert_int_equal(bench_cqe(&q->cq)[0x37], 2);
	if (strstr(bench.dev->last_error, text) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", bench.dev->last_error, text);
	close_queues(q);
}

static void
refused(void **state)
{
	static const uint32_t wrong[] = { 0, 6, 15 };
	uint8_t wqe[64] = { 0, 0, 0, 0x0f, 0, 0, 0, 2 };
	struct queues q;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		open_queues(&q, 0);
		post_wait(&q, wrong[i], 0, ~UINT64_C(0));
		assert_fails(&q, "condition");
	}
	open_queues(&q, 0);
	bench_post(&q.sq, wqe, sizeof(wqe)); /* on a completion queue's index */
	assert_fails(&q, "op_mod 0 (2)");
}

static void
other_model(void **state)
{
	struct queues q;

	bench_open_settings("model=cx6dx");
	open_queues(&q, 0);
	post_wait(&q, 5, 0, ~UINT64_C(0));
	assert_fails(&q, "wait_on_time is not offered");
	bench_close(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(until), TEST(over), TEST(conditions), TEST(refused), cmocka_unit_test(real_time), cmocka_unit_test(other_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
