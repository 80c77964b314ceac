/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Striding receive queues (nic.md 2.7, 3.4, 8.1): strides, fillers, shifts, linked lists, errors, and with
 * compression.
 */
#include "bench.h"

#include "softcx/core/fault.h"

#define LOG_STRIDES 5
#define STRIDES     (1u << LOG_STRIDES)
#define LOG_STRIDE  9 /* 512 bytes */
#define STRIDE      (1u << LOG_STRIDE)
#define WQE         (STRIDES * STRIDE)
#define NB_WQES     8

enum { LINKED = 2, CYCLIC = 3 };

struct fixture {
	struct bench_cq cq;
	struct bench_rq rq;
	uint32_t tir;
	uint8_t *buf; /* NB_WQES of them */
};

/* The command, of 32 strides of 512 bytes in a ring of 8. */
static void
rq_in(struct fixture *f, uint32_t type, uint8_t *in)
{
	bench_rq_in(&f->rq, &f->cq, 3, 1, in);
	put32(in + 0x50, type << 28);
	put32(in + 0x74, get32(in + 0x74) | ((LOG_STRIDES - 9) & 0xf) << 8 | (LOG_STRIDE - 6));
}

static void
post(struct fixture *f, uint32_t at, uint32_t next)
{
	uint8_t *wqe = f->rq.ring + at * 32;

	memset(wqe, 0, 32);
	put16(wqe + 2, next);
	put32(wqe + 16, WQE);
	put32(wqe + 20, bench.lkey);
	put64(wqe + 24, (uintptr_t)f->buf + at * WQE);
}

static void
make(struct fixture *f, uint8_t *in, int format)
{
	uint8_t cq[0x110], out[0x200];

	bench_cq_in(&f->cq, 8, cq);
	if (format >= 0)
		put32(cq + 0x10, get32(cq + 0x10) | 1u << 14 | (uint32_t)format << 12);
	assert_int_equal(bench_command(0x400, cq, sizeof(cq), out), 0);
	f->cq.id = get32(out + 8) & 0xffffff;
	bench_cq_init(&f->cq);
	put32(in + 0x28, f->cq.id);
	bench_rq_make(&f->rq, in);
	f->tir = bench_tir(f->rq.id);
	f->buf = bench_alloc(NB_WQES * WQE, 4096);
	for (uint32_t i = 0; i < NB_WQES; i++)
		post(f, i, i + 1);
}

static void
give(struct fixture *f, uint32_t n)
{
	f->rq.pi += n;
	bench_rq_ring(&f->rq);
}

static void
unmake(struct fixture *f)
{
	bench_no_tir();
	bench_destroy(0x902, f->tir);
	bench_destroy(0x90a, f->rq.id);
	bench_destroy(0x401, f->cq.id);
}

static void
receive(uint32_t len, uint8_t mark)
{
	uint8_t frame[10240];

	memset(frame, mark, len);
	frame[0] = 2;
	put16(frame + 12, 0x88b5);
	bench_receive(frame, len);
}

/* byte_cnt, wqe_id and stride index of the next completion */
static void
assert_next(struct fixture *f, uint32_t byte_cnt, uint32_t wqe, uint32_t index)
{
	const uint8_t *cqe = bench_cqe(&f->cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[63] & 0xfe, 0x20);
	assert_int_equal(get32(cqe + 0x2c), byte_cnt);
	assert_int_equal(get16(cqe + 2), wqe);
	assert_int_equal(get16(cqe + 0x3c), index);
	bench_cq_ack(&f->cq);
}

static void
assert_frame(struct fixture *f, uint32_t wqe, uint32_t index, uint32_t shift, uint32_t len, uint8_t mark)
{
	const uint8_t *at = f->buf + wqe * WQE + index * STRIDE + shift;

	assert_int_equal(at[0], 2);
	assert_int_equal(at[14], mark);
	assert_int_equal(at[len - 1], mark);
	assert_int_not_equal(at[len], mark);
}

static void
strides(void **state)
{
	uint8_t in[0x110];
	struct fixture f;

	bench_cq_in(&f.cq, 8, in);
	rq_in(&f, CYCLIC, in);
	make(&f, in, -1);
	give(&f, 2);
	receive(60, 1);
	receive(512, 2);
	receive(513, 3);
	receive(1500, 4);
	assert_next(&f, 1 << 16 | 60, 0, 0);
	assert_next(&f, 1 << 16 | 512, 0, 1);
	assert_next(&f, 2 << 16 | 513, 0, 2);
	assert_next(&f, 3 << 16 | 1500, 0, 4);
	assert_frame(&f, 0, 0, 0, 60, 1);
	assert_frame(&f, 0, 2, 0, 513, 3);
	assert_frame(&f, 0, 4, 0, 1500, 4);
	for (uint32_t i = 7; i < STRIDES - 1; i++)
		receive(60, 5);
	for (uint32_t i = 7; i < STRIDES - 1; i++)
		assert_next(&f, 1 << 16 | 60, 0, i);
	/* one stride is left, two are needed */
	receive(600, 6);
	assert_next(&f, 0x80000000 | 1 << 16, 0, STRIDES - 1);
	assert_next(&f, 2 << 16 | 600, 1, 0);
	assert_frame(&f, 1, 0, 0, 600, 6);
	/* all of the second WQE is used, then nothing is posted */
	for (uint32_t i = 2; i < STRIDES; i++)
		receive(60, 7);
	receive(60, 8);
	for (uint32_t i = 2; i < STRIDES; i++)
		assert_next(&f, 1 << 16 | 60, 1, i);
	assert_null(bench_cqe(&f.cq));
	give(&f, 1);
	receive(60, 9);
	assert_next(&f, 1 << 16 | 60, 2, 0);
	unmake(&f);
}

/* What needs the next WQE, which is not posted yet, is dropped, and nothing is passed over. */
static void
no_next(void **state)
{
	uint8_t in[0x110];
	struct fixture f;

	bench_cq_in(&f.cq, 8, in);
	rq_in(&f, CYCLIC, in);
	make(&f, in, -1);
	give(&f, 1);
	receive(15 * STRIDE - 100, 1);
	receive(15 * STRIDE, 1);
	receive(1500, 2);
	receive(60, 3);
	assert_next(&f, 15 << 16 | (15 * STRIDE - 100), 0, 0);
	assert_next(&f, 15 << 16 | 15 * STRIDE, 0, 15);
	assert_next(&f, 1 << 16 | 60, 0, 30);
	assert_null(bench_cqe(&f.cq));
	assert_int_equal(((struct sc_rq *)sc_object_find(bench.dev, SC_RQ, f.rq.id))->out_of_buffer, 1);
	unmake(&f);
}

/* two_byte_shift_en: frames of a stride's length need two */
static void
shifted(void **state)
{
	uint8_t in[0x110];
	struct fixture f;

	bench_cq_in(&f.cq, 8, in);
	rq_in(&f, CYCLIC, in);
	put32(in + 0x74, get32(in + 0x74) | 1u << 7);
	make(&f, in, -1);
	give(&f, 1);
	receive(510, 1);
	receive(511, 2);
	receive(60, 3);
	assert_next(&f, 1 << 16 | 510, 0, 0);
	assert_next(&f, 2 << 16 | 511, 0, 1);
	assert_next(&f, 1 << 16 | 60, 0, 3);
	assert_frame(&f, 0, 0, 2, 510, 1);
	assert_frame(&f, 0, 1, 2, 511, 2);
	unmake(&f);
}

/* WQEs in the order of the chain: 0, 5, 2, ... */
static void
linked(void **state)
{
	static const uint32_t order[] = { 0, 5, 2, 7, 1 };
	uint8_t in[0x110];
	struct fixture f;

	bench_cq_in(&f.cq, 8, in);
	rq_in(&f, LINKED, in);
	make(&f, in, -1);
	for (uint32_t i = 0; i + 1 < 5; i++)
		post(&f, order[i], order[i + 1]);
	give(&f, 5);
	for (uint32_t i = 0; i < 5; i++) {
		receive(17 * STRIDE, 1 + i);
		if (i > 0)
			assert_next(&f, 0x80000000 | 15 << 16, order[i - 1], 17);
		assert_next(&f, 17 << 16 | 17 * STRIDE, order[i], 0);
		assert_frame(&f, order[i], 0, 0, 17 * STRIDE, 1 + i);
	}
	unmake(&f);
}

/* Longer than a WQE; a key that does not allow it; what is posted comes back flushed, one completion a WQE. */
static void
errors(void **state)
{
	uint8_t in[0x110];
	const uint8_t *cqe;
	struct fixture f;

	bench_cq_in(&f.cq, 8, in);
	rq_in(&f, CYCLIC, in);
	make(&f, in, -1);
	post(&f, 1, 2);
	put32(f.rq.ring + 32 + 20, 0xffffff00);
	give(&f, 4);
	receive(60, 1);
	assert_next(&f, 1 << 16 | 60, 0, 0);
	receive(15 * STRIDE, 2);
	assert_next(&f, 15 << 16 | 15 * STRIDE, 0, 1);
	receive(16 * STRIDE, 2);
	assert_next(&f, 16 << 16 | 16 * STRIDE, 0, 16);
	receive(60, 3);
	cqe = bench_cqe(&f.cq);
	assert_int_equal(cqe[63], 0xe0);
	assert_int_equal(cqe[0x37], 0x04);
	assert_int_equal(get16(cqe + 2), 1);
	assert_int_equal(get32(cqe + 0x2c), 0);
	bench_step();
	for (uint32_t i = 1; i < 4; i++) {
		cqe = bench_cqe(&f.cq);
		assert_int_equal(cqe[0x37], 0x05);
		assert_int_equal(get16(cqe + 2), i);
	}
	assert_null(bench_cqe(&f.cq));
	/* reset and begun anew: from WQE 0, stride 0 */
	assert_int_equal(bench_rq_modify(f.rq.id, 3, 0, 0, 0), 0);
	f.rq.pi = 0;
	bench_rq_ring(&f.rq);
	assert_int_equal(bench_rq_modify(f.rq.id, 0, 1, 0, 0), 0);
	post(&f, 1, 2);
	give(&f, 2);
	bench_cq_ack(&f.cq);
	receive(60, 4);
	assert_next(&f, 1 << 16 | 60, 0, 0);
	unmake(&f);
}

/* A packet error by order takes no strides, for its completion says so. */
static void
ordered_error(void **state)
{
	uint8_t in[0x110];
	const uint8_t *cqe;
	char error[128];
	struct fixture f;

	bench_cq_in(&f.cq, 8, in);
	rq_in(&f, CYCLIC, in);
	make(&f, in, -1);
	give(&f, 2);
	assert_int_equal(sc_fault_order(bench.dev, "rq:*:2:0x01", error, sizeof(error)), 0);
	receive(60, 1);
	receive(600, 2);
	receive(60, 3);
	assert_next(&f, 1 << 16 | 60, 0, 0);
	cqe = bench_cqe(&f.cq);
	assert_int_equal(cqe[0x37], 0x01);
	assert_int_equal(get16(cqe + 0x3c), 1);
	assert_int_equal(get32(cqe + 0x2c), 0);
	assert_next(&f, 1 << 16 | 60, 0, 1);
	unmake(&f);
}

/* Sessions of one WQE each; the filler stands between them. */
static void
compressed(void **state)
{
	for (int format = 0; format <= 3; format += 3) {
		uint8_t in[0x110];
		const uint8_t *mini;
		struct fixture f;

		bench_cq_in(&f.cq, 8, in);
		rq_in(&f, CYCLIC, in);
		make(&f, in, format);
		give(&f, 2);
		for (uint32_t i = 0; i < 10; i++)
			receive(1500, 1); /* three strides each */
		receive(1500, 1); /* two are left */
		receive(1500, 1);
		bench_step();
		assert_int_equal(f.cq.ring[63], 0x2c);
		assert_int_equal(get32(f.cq.ring + 0x2c), 10);
		for (uint32_t i = 0; i < 10; i++) {
			mini = f.cq.ring + (i < 8 ? 1 : 8) * 64 + i % 8 * 8;
			assert_int_equal(get32(mini + 4), 3 << 16 | 1500);
			if (format == 3)
				assert_int_equal(get16(mini + 2), i * 3);
		}
		f.cq.ci = 10;
		assert_next(&f, 0x80000000 | 2 << 16, 0, 30);
		assert_int_equal(f.cq.ring[11 * 64 + 63], 0x2c);
		assert_int_equal(get32(f.cq.ring + 11 * 64 + 0x2c), 2);
		assert_int_equal(get16(f.cq.ring + 11 * 64 + 2), 1);
		unmake(&f);
	}
}

static void
refused(void **state)
{
	static const struct {
		uint32_t at, clear, set;
		const char *text;
	} wrong[] = {
		{ 0x74, 0xf00, 7u << 8, "2^16 strides" },
		{ 0x74, 0xf00, 9u << 8, "2^2 strides" },
		{ 0x74, 7, 0, "below log_min_stride_wqe_sz 14" },
		{ 0x70, 0xf0000, 4u << 16, "log_wq_stride 4" },
	};
	uint8_t in[0x110], out[0x200];
	struct fixture f;

	bench_cq(&f.cq, 4);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		rq_in(&f, CYCLIC, in);
		put32(in + wrong[i].at, (get32(in + wrong[i].at) & ~wrong[i].clear) | wrong[i].set);
		assert_int_equal(bench_command(0x908, in, sizeof(in), out), 3);
		if (strstr(bench.dev->last_error, wrong[i].text) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", bench.dev->last_error, wrong[i].text);
	}
	bench_destroy(0x401, f.cq.id);
}

static int
open_long(void **state)
{
	bench_open_settings("mtu=9000");
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_long, bench_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(strides), TEST(no_next), TEST(shifted), TEST(linked), TEST(errors), TEST(ordered_error), TEST(compressed),
		TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
