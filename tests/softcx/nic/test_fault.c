/* SPDX-License-Identifier: BSD-3-Clause */

/* Errors to order, where they happen: inside multi-packet and TSO requests, on completion queues; and after them. */
#include <stdio.h>

#include "bench.h"

#include "softcx/core/fault.h"

struct queues {
	struct bench_cq cq;
	struct bench_sq sq;
	uint8_t *buf;
};

static void
open_queues(struct queues *q)
{
	bench_cq(&q->cq, 6);
	bench_sq(&q->sq, &q->cq, 6);
	q->buf = bench_alloc(8192, 64);
	memset(q->buf, 2, 8192);
}

static void
close_queues(struct queues *q)
{
	bench_destroy(0x906, q->sq.id);
	bench_destroy(0x401, q->cq.id);
}

static void
order(const char *text)
{
	char error[256];

	assert_int_equal(sc_fault_order(bench.dev, text, error, sizeof(error)), 0);
}

/* Three packets of 60, 61 and 62 bytes in one WQE that asks for a completion (ce 2). */
static void
post_multi(struct queues *q)
{
	uint8_t wqe[128] = { 0, 0, 0, 0x29, 0, 0, 0, 5, 0, 0, 0, 8 };

	for (uint32_t i = 0; i < 3; i++) {
		put32(wqe + 0x20 + i * 16, 60 + i);
		put32(wqe + 0x24 + i * 16, bench.lkey);
		put64(wqe + 0x28 + i * 16, (uintptr_t)q->buf);
	}
	bench_post(&q->sq, wqe, sizeof(wqe));
}

static void
recover(struct queues *q)
{
	assert_int_equal(bench_sq_modify(q->sq.id, 3, 0), 0);
	assert_int_equal(bench_sq_modify(q->sq.id, 0, 1), 0);
	q->sq.pi = 0;
	put32(q->sq.dbr + 4, 0);
	bench_step();
	bench_cq_ack(&q->cq);
}

static void
assert_error(struct queues *q, uint8_t syndrome, uint8_t opcode, uint16_t index)
{
	const uint8_t *cqe = bench_cqe(&q->cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[63] >> 4, 0xd);
	assert_int_equal(cqe[0x37], syndrome);
	assert_int_equal(cqe[0x38], opcode);
	assert_int_equal(get16(cqe + 0x3c), index);
}

/* The fifth packet is the second of the second WQE: four have left, the third WQE is flushed. */
static void
in_a_session(void **state)
{
	struct queues q;

	open_queues(&q);
	order("packet:*:5");
	for (int i = 0; i < 3; i++)
		post_multi(&q);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 4);
	assert_int_equal(bench.sent[3].len, 60);
	assert_int_equal(get16(bench_cqe(&q.cq) + 0x3c), 0);
	assert_error(&q, 0x04, 0x29, 2);
	assert_error(&q, 0x05, 0x29, 4);
	assert_null(bench_cqe(&q.cq));
	recover(&q);
	post_multi(&q);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 7);
	assert_int_equal(bench_cqe(&q.cq)[63] >> 4, 0);
	close_queues(&q);
}

static void
in_segments(void **state)
{
	uint8_t wqe[128] = { 0, 0, 0, 0x0e, 0, 0, 0, 7, 0, 0, 0, 8 };
	struct queues q;

	open_queues(&q);
	order("packet:*:3:0x11");
	wqe[0x14] = 0xc0;
	put16(wqe + 0x16, 1000);
	put16(wqe + 0x1c, 54);
	unhex("020000000002 020000000001 0800  4500 0000 fffe 4000 4006 1234 0a000001 0a000002"
		"  0400 0800 00001000 00000001 5099 ffff 5678 0000", wqe + 0x1e);
	put32(wqe + 0x60, 5000);
	put32(wqe + 0x64, bench.lkey);
	put64(wqe + 0x68, (uintptr_t)q.buf);
	bench_post(&q.sq, wqe, sizeof(wqe));
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 2);
	assert_error(&q, 0x11, 0x0e, 0);
	close_queues(&q);
}

/* Every second WQE fails, ten times, and the queue is brought back each time. */
static void
again_and_again(void **state)
{
	struct queues q;

	open_queues(&q);
	order("sq:*:2:0x02:10");
	for (int i = 0; i < 10; i++) {
		post_multi(&q);
		post_multi(&q);
		bench_ring(&q.sq);
		assert_int_equal(bench.nb_sent, 3u * (uint32_t)(i + 1));
		assert_int_equal(bench_cqe(&q.cq)[63] >> 4, 0);
		assert_error(&q, 0x02, 0x29, 2);
		recover(&q);
	}
	assert_null(bench.dev->faults);
	close_queues(&q);
}

static void
overrun(void **state)
{
	struct queues q;
	char text[32];

	open_queues(&q);
	snprintf(text, sizeof(text), "cq:%u:2", q.cq.id);
	order(text);
	for (int i = 0; i < 3; i++)
		post_multi(&q);
	bench_ring(&q.sq);
	assert_int_equal(bench_cqe(&q.cq)[63] >> 4, 0);
	assert_null(bench_cqe(&q.cq));
	assert_int_equal(bench.event, SC_EVENT_CQ_ERROR);
	assert_int_equal(((struct sc_cq *)sc_object_find(bench.dev, SC_CQ, q.cq.id))->status, 9);
	assert_int_equal(((struct sc_sq *)sc_object_find(bench.dev, SC_SQ, q.sq.id))->state, SC_QUEUE_ERR);
	close_queues(&q);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int
main(void)
{
	const struct CMUnitTest tests[] = { TEST(in_a_session), TEST(in_segments), TEST(again_and_again), TEST(overrun) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
