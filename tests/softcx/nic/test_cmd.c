/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The queue commands: what they refuse, with status and the word in the line; references; what they answer.
 */
#include <errno.h>
#include <stdio.h>

#include "bench.h"

/* One wrong value in an otherwise good command. */
struct wrong {
	uint16_t at;     /* byte of the command */
	uint32_t clear, set; /* bits of the dword there */
	uint8_t status;
	const char *text;
};

static void
assert_refused(size_t row, const struct wrong *w, uint16_t opcode, uint8_t *in, uint32_t len)
{
	uint8_t copy[0x400], out[0x200], status;

	memcpy(copy, in, len);
	put32(copy + w->at, (get32(copy + w->at) & ~w->clear) | w->set);
	status = bench_command(opcode, copy, len, out);
	if (status != w->status || get32(out + 4) == 0)
		fail_msg("command %#x row %zu (%s): status %#x, syndrome %#x", opcode, row, w->text, status, get32(out + 4));
	if (strstr(bench.dev->last_error, w->text) == NULL)
		fail_msg("command %#x row %zu: \"%s\" does not say \"%s\"", opcode, row, bench.dev->last_error, w->text);
}

#define ROWS(w) (sizeof(w) / sizeof((w)[0]))

static void
test_cq(void **state)
{
	static const struct wrong wrong[] = {
		{ 0x10, 1u << 25, 0, 3, "umem valid bit" },
		{ 0x5c, 1u << 31, 0, 3, "umem valid bit" },
		{ 0x14, ~0u, 0x7777, 5, "CQ doorbell record: there is no" },
		{ 0x58, ~0u, 0x7777, 5, "CQ ring: there is no" },
		{ 0x1c, 0xffffff, 0x7777, 5, "CQ uar_page" },
		{ 0x1c, 0, 31u << 24, 3, "log_cq_size 31" },
		{ 0x10, 0, 3u << 21, 3, "cqe_sz 3" },
		{ 0x10, 0, 2, 3, "cqe_comp_layout 2" },
		{ 0x18, 0, 2u << 2, 3, "mini_cqe_res_format_ext 2" },
		{ 0x10, 0, 9u << 28, 3, "status 9" },
		{ 0x54, 0, ARENA, 3, "are not inside umem" },
		{ 0x54, 0, 4, 3, "is not a multiple of 64" },
		{ 0x4c, 0, 4, 3, "is not a multiple of 8" },
		{ 0x4c, ~0u, ARENA - 4, 3, "are not inside umem" },
	};
	uint8_t in[0x110], out[0x200], modify[0x110] = { 0 };
	struct bench_cq cq;

	bench_cq_in(&cq, 4, in);
	for (size_t i = 0; i < ROWS(wrong); i++)
		assert_refused(i, &wrong[i], 0x400, in, sizeof(in));
	bench_cq(&cq, 4);
	for (uint32_t i = 0; i < 64u << 4; i++) /* created without a look at the ring: it is as it was */
		assert_int_equal(cq.ring[i], i % 64 == 63 ? 0xf1 : 0);
	put32(modify + 8, cq.id);
	put32(modify + 0x0c, 7);
	put32(modify + 0x10, 1u << 17);
	put32(modify + 0x20, 16u << 16 | 32);
	assert_int_equal(bench_command(0x403, modify, sizeof(modify), out), 0);
	put32(modify + 0x0c, 8);
	assert_int_equal(bench_command(0x403, modify, sizeof(modify), out), 3);
	put16(modify + 6, 1);
	assert_int_equal(bench_command(0x403, modify, sizeof(modify), out), 2);
	memset(in, 0, 0x10);
	put32(in + 8, cq.id);
	assert_int_equal(bench_command(0x402, in, 0x10, out), 0);
	assert_int_equal(get32(out + 0x10) >> 17 & 1, 1);
	assert_int_equal(get32(out + 0x20), 16u << 16 | 32);
	assert_int_equal(get32(out + 0x1c) >> 24, 4);
	bench_destroy(0x401, cq.id);
	assert_int_equal(bench_try_destroy(0x401, cq.id), 5);
}

static void
test_sq(void **state)
{
	static const struct wrong wrong[] = {
		{ 0x20, 0, 1u << 31, 3, "rlky" },
		{ 0x20, 0, 1u << 30, 3, "cd_master" },
		{ 0x20, 0, 1u << 29, 3, "fre" },
		{ 0x20, 0, 5u << 24, 3, "min_wqe_inline_mode 5" },
		{ 0x20, 0, 1u << 20, 3, "state 1" },
		{ 0x20, 0, 1u << 19, 3, "reg_umr" },
		{ 0x20, 0, 1u << 17, 3, "hairpin" },
		{ 0x20, 0, 1u << 15, 3, "static_sq_wq" },
		{ 0x28, 0xffffff, 0x7777, 5, "SQ cqn" },
		{ 0x3c, 0, 1, 3, "pacing" },
		{ 0x40, ~0u, 2u << 16, 3, "tis_lst_sz 2" },
		{ 0x4c, 0xffffff, 0x7777, 5, "tis_num_0" },
		{ 0x50, 0xf0000000, 0, 3, "wq_type 0" },
		{ 0x50, 0xf0000000, 3u << 28, 3, "striding" },
		{ 0x50, 0, 1u << 27, 3, "wq_signature" },
		{ 0x58, 0xffffff, 0x7777, 5, "SQ: there is no" },
		{ 0x5c, 0xffffff, 0x7777, 5, "SQ uar_page" },
		{ 0x70, 0xf0000, 5u << 16, 3, "log_wq_stride 5" },
		{ 0x70, 0x1f, 16, 3, "log_wq_sz 16" },
		{ 0x74, 1u << 31, 0, 3, "valid bit" },
		{ 0x74, 1u << 30, 0, 3, "valid bit" },
		{ 0x78, ~0u, 0x7777, 5, "doorbell record: there is no" },
		{ 0x7c, ~0u, 0x7777, 5, "ring: there is no" },
		{ 0x84, 0, ARENA, 3, "are not inside umem" },
	};
	struct bench_cq cq;
	struct bench_sq sq;
	uint8_t in[0x110];

	bench_cq(&cq, 4);
	bench_sq_in(&sq, &cq, 4, in);
	for (size_t i = 0; i < ROWS(wrong); i++)
		assert_refused(i, &wrong[i], 0x904, in, sizeof(in));
	bench_sq_make(&sq, in);
	assert_int_equal(bench_try_destroy(0x401, cq.id), 6);
	assert_int_equal(bench_sq_modify(sq.id, 0, 1), 9); /* it is in RDY */
	assert_int_equal(bench_sq_modify(sq.id, 1, 2), 9);
	assert_int_equal(bench_sq_modify(sq.id, 1, 1), 0);
	assert_int_equal(bench_sq_modify(sq.id, 1, 3), 0);
	assert_int_equal(bench_sq_modify(sq.id, 3, 1), 9);
	assert_int_equal(bench_sq_modify(sq.id, 3, 0), 0);
	assert_int_equal(bench_sq_modify(sq.id, 0, 3), 9);
	bench_destroy(0x906, sq.id);
	assert_int_equal(bench_sq_modify(sq.id, 0, 1), 5);
	bench_destroy(0x401, cq.id);
}

static void
test_rq(void **state)
{
	static const struct wrong wrong[] = {
		{ 0x20, 0, 1u << 31, 3, "rlky" },
		{ 0x20, 0, 1u << 30, 3, "delay" },
		{ 0x20, 0, 1u << 24, 3, "memory pools" },
		{ 0x20, 0, 1u << 20, 3, "state 1" },
		{ 0x20, 0, 1u << 17, 3, "hairpin" },
		{ 0x20, 0, 2u << 4, 3, "ts_format 2" },
		{ 0x50, 0, 1u << 25, 3, "end padding" },
		{ 0x28, 0xffffff, 0x7777, 5, "RQ cqn" },
		{ 0x2c, 0, 77u << 24, 5, "counter_set_id" },
		{ 0x50, 0xf0000000, 0, 3, "wq_type 0" },
		{ 0x70, 0xf0000, 10u << 16, 3, "log_wq_stride 10" },
		{ 0x70, 0xf0000, 3u << 16, 3, "log_wq_stride 3" },
		{ 0x70, 0x1f, 16, 3, "log_wq_sz 16" },
	};
	struct bench_cq cq;
	struct bench_rq rq;
	uint8_t in[0x110];

	bench_cq(&cq, 4);
	bench_rq_in(&rq, &cq, 4, 0, in);
	for (size_t i = 0; i < ROWS(wrong); i++)
		assert_refused(i, &wrong[i], 0x908, in, sizeof(in));
	bench_rq_make(&rq, in);
	assert_int_equal(bench_rq_modify(rq.id, 1, 1, 0x10, 0), 3);
	assert_int_equal(bench_rq_modify(rq.id, 0, 1, 0, 0), 9);
	bench_destroy(0x90a, rq.id);
	/* the smallest queue there is: the drop queue of drivers */
	bench_rq_in(&rq, &cq, 0, 0, in);
	bench_rq_make(&rq, in);
	bench_destroy(0x90a, rq.id);
	bench_destroy(0x401, cq.id);
}

static void
test_rqt_tir(void **state)
{
	static const struct wrong wrong_rqt[] = {
		{ 0x34, 0, 1u << 24, 3, "list_q_type" },
		{ 0x34, 0xffff, 0, 3, "rqt_max_size 0" },
		{ 0x34, 0xffff, 4096, 3, "rqt_max_size 4096" },
		{ 0x38, 0xffff, 3, 3, "rqt_actual_size 3" },
		{ 0x38, 0xffff, 8, 3, "rqt_actual_size 8" },
		{ 0x38, 0xffff, 4, 0x50, "ends before the list" },
		{ 0x114, 0xffffff, 0x7777, 5, "RQT entry" },
	};
	static const struct wrong wrong_tir[] = {
		{ 0x24, ~0u, 2u << 28, 3, "disp_type 2" },
		{ 0x24, 0, 1u << 27, 3, "tls_en" },
		{ 0x30, 0, 1u << 8, 3, "LRO" },
		{ 0x40, 0xffffff, 0x7777, 5, "indirect_table" },
		{ 0x44, 0xf0000000, 1u << 28, 3, "rx_hash_fn 1" },
		{ 0x44, 0xffffff, 0x7777, 5, "transport_domain" },
		{ 0x70, 0, 1u << 5, 3, "selector_outer" },
		{ 0x74, 0, 1u << 6, 3, "selector_inner" },
		{ 0x74, 0, 3, 3, "both hash field selectors" },
	};
	struct bench_cq cq;
	struct bench_rq rq;
	uint8_t in[0x118] = { 0 }, rqc[0x110], out[0x200];
	uint32_t rqt, tir;

	bench_cq(&cq, 4);
	bench_rq_in(&rq, &cq, 4, 0, rqc);
	bench_rq_make(&rq, rqc);
	put32(in + 0x34, 4);
	put32(in + 0x38, 2);
	put32(in + 0x110, rq.id);
	put32(in + 0x114, rq.id);
	for (size_t i = 0; i < ROWS(wrong_rqt); i++)
		assert_refused(i, &wrong_rqt[i], 0x916, in, sizeof(in));
	assert_int_equal(bench_command(0x916, in, sizeof(in), out), 0);
	rqt = get32(out + 8);
	memset(in, 0, 0x10);
	put32(in + 8, rqt);
	assert_int_equal(bench_command(0x919, in, 0x10, out), 0);
	assert_int_equal(get32(out + 0x38), 2);
	assert_int_equal(get32(out + 0x114), rq.id);

	memset(in, 0, sizeof(in));
	put32(in + 0x24, 1u << 28);
	put32(in + 0x40, rqt);
	put32(in + 0x44, 2u << 28 | bench.td);
	put32(in + 0x70, 3);
	for (size_t i = 0; i < ROWS(wrong_tir); i++)
		assert_refused(i, &wrong_tir[i], 0x900, in, 0x110);
	put32(in + 0x44, 2u << 28); /* no transport domain: a drop TIR */
	assert_int_equal(bench_command(0x900, in, 0x110, out), 0);
	bench_destroy(0x902, get32(out + 8));
	put32(in + 0x44, 2u << 28 | bench.td);
	assert_int_equal(bench_command(0x900, in, 0x110, out), 0);
	tir = get32(out + 8);
	memset(in, 0, 0x10);
	put32(in + 8, tir);
	assert_int_equal(bench_command(0x903, in, 0x10, out), 0);
	assert_int_equal(get32(out + 0x40), rqt);
	assert_int_equal(bench_try_destroy(0x90a, rq.id), 6);
	assert_int_equal(bench_try_destroy(0x918, rqt), 6);
	bench_destroy(0x902, tir);
	bench_destroy(0x918, rqt);
	bench_destroy(0x90a, rq.id);
	bench_destroy(0x401, cq.id);
}

static void
test_owned_cq(void **state)
{
	struct sc_cq *cq;

	assert_int_equal(sc_cq_create_owned(bench.dev, 5, bench.uar, 3, &cq), 0);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(cq->ring[i * 64 + 63], 0xf1);
	assert_int_equal(cq->obj.uid, 3);
	cq->obj.refs++;
	assert_int_equal(sc_cq_destroy(cq), -EBUSY);
	cq->obj.refs--;
	assert_int_equal(sc_cq_destroy(cq), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		TEST(test_cq), TEST(test_sq), TEST(test_rq), TEST(test_rqt_tir), TEST(test_owned_cq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
