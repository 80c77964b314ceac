/* SPDX-License-Identifier: BSD-3-Clause */

/* Steering WQEs through a send queue: who is called, when a completion is written, what failure does. */
#include "bench.h"

#include <time.h>

#include "softcx/steer/steer.h"

struct queues {
	struct bench_cq cq;
	struct bench_sq sq;
};

static void
open_queues(struct queues *q, uint32_t log_size)
{
	uint8_t in[0x110];

	bench_cq(&q->cq, 6);
	bench_sq_in(&q->sq, &q->cq, log_size, in);
	put32(in + 0x20, 1u << 28 | 1u << 16); /* flush_in_error_en, non_wire */
	put32(in + 0x40, 0);                   /* no TIS */
	put32(in + 0x4c, 0);
	bench_sq_make(&q->sq, in);
}

static void
close_queues(struct queues *q)
{
	bench_destroy(0x906, q->sq.id);
	bench_destroy(0x401, q->cq.id);
}

static void
post(struct queues *q, uint8_t flags)
{
	uint8_t wqe[128] = { 0, 0, 0, 0x2c, 0, 0, 0, 8, 0, 0, 0, flags };

	bench_post(&q->sq, wqe, sizeof(wqe));
}

static void
assert_cqe(struct queues *q, uint8_t opcode, uint16_t index, uint32_t byte_cnt)
{
	const uint8_t *cqe = bench_cqe(&q->cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[63] >> 4, opcode);
	assert_int_equal(get16(cqe + 0x3c), index);
	assert_int_equal(get32(cqe + 0x38), 0x2cu << 24 | q->sq.id);
	if (opcode == 0)
		assert_int_equal(get32(cqe + 0x2c), byte_cnt);
	bench_cq_ack(&q->cq);
}

static void
test_completes_where_asked(void **state)
{
	struct queues q;

	open_queues(&q, 4);
	post(&q, 0);
	post(&q, 0x20); /* fence alone */
	post(&q, 0x08);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_gta, 3);
	assert_ptr_equal(bench.gta_first, q.sq.ring + 4 * 64);
	assert_ptr_equal(bench.gta_second, q.sq.ring + 5 * 64);
	assert_cqe(&q, 0, 4, 0);
	assert_null(bench_cqe(&q.cq));
	close_queues(&q);
}

static void
test_wraps(void **state)
{
	uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	struct queues q;

	open_queues(&q, 1);
	bench_post(&q.sq, nop, 64);
	bench_ring(&q.sq);
	post(&q, 0x08);
	bench_ring(&q.sq);
	assert_ptr_equal(bench.gta_first, q.sq.ring + 64);
	assert_ptr_equal(bench.gta_second, q.sq.ring);
	assert_cqe(&q, 0, 1, 0);
	close_queues(&q);
}

/* A failed table operation always has its own CQE, and the queue lives on. */
static void
test_failed_operation(void **state)
{
	struct queues q;

	open_queues(&q, 4);
	bench.gta_result = SC_WQE_FAILED;
	post(&q, 0);
	bench_ring(&q.sq);
	bench.gta_result = 0;
	post(&q, 0x08);
	bench_ring(&q.sq);
	assert_cqe(&q, 0, 0, 1u << 31);
	assert_cqe(&q, 0, 2, 0);
	close_queues(&q);
}

static void
test_wrong_wqe(void **state)
{
	struct queues q;
	const uint8_t *cqe;

	open_queues(&q, 4);
	bench.gta_result = -2;
	post(&q, 0);
	bench_ring(&q.sq);
	cqe = bench_cqe(&q.cq);
	assert_non_null(cqe);
	assert_int_equal(cqe[63] >> 4, 0xd);
	assert_int_equal(cqe[0x37], 2);
	bench.gta_result = 0;
	post(&q, 0x08);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_gta, 1);
	cqe = bench_cqe(&q.cq);
	assert_non_null(cqe);
	assert_int_equal(cqe[0x37], 5);
	close_queues(&q);
}

static void
test_aso(void **state)
{
	uint8_t wqe[128] = { 0, 0, 0, 0x2d, 0, 0, 0, 8, 0, 0, 0, 8 };
	struct queues q;

	open_queues(&q, 4);
	bench_post(&q.sq, wqe, sizeof(wqe));
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_aso, 1);
	assert_int_equal(bench_cqe(&q.cq)[63] >> 4, 0);
	close_queues(&q);
}

/* What the queue itself costs a rule: printed, so that a change shows; no limit, machines are shared. */
static void
test_cost(void **state)
{
	enum { RULES = 200000, BATCH = 32 };
	struct timespec from, to;
	uint64_t ns = 0;
	struct queues q;

	open_queues(&q, 8);
	for (uint32_t i = 0; i < RULES / BATCH; i++) {
		for (uint32_t j = 0; j < BATCH; j++)
			post(&q, j == BATCH - 1 ? 0x08 : 0);
		put32(q.sq.dbr + 4, q.sq.pi);
		clock_gettime(CLOCK_MONOTONIC, &from);
		bench_step();
		clock_gettime(CLOCK_MONOTONIC, &to);
		ns += (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
		assert_non_null(bench_cqe(&q.cq));
		bench_cq_ack(&q.cq);
	}
	print_message("%u steering WQEs in batches of %u: %.1f ns each without steering\n", bench.nb_gta, BATCH,
		(double)ns / bench.nb_gta);
	close_queues(&q);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		TEST(test_completes_where_asked), TEST(test_wraps), TEST(test_failed_operation), TEST(test_wrong_wqe),
		TEST(test_aso), TEST(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
