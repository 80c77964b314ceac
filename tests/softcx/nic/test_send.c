/* SPDX-License-Identifier: BSD-3-Clause */

/* Sending: the worked WQEs of nic.md A.1, A.2, A.4, A.5 as typed there, completions, every kind of error. */
#include <errno.h>
#include <stdio.h>

#include "bench.h"

struct queues {
	struct bench_cq cq;
	struct bench_sq sq;
	uint8_t *buf;
};

static void
open_queues(struct queues *q, uint32_t log_size)
{
	bench_cq(&q->cq, 6);
	bench_sq(&q->sq, &q->cq, log_size);
	q->buf = bench_alloc(16384, 64);
	for (int i = 0; i < 16384; i++)
		q->buf[i] = (uint8_t)(i * 7 + 1);
}

static void
close_queues(struct queues *q)
{
	bench_destroy(0x906, q->sq.id);
	bench_destroy(0x401, q->cq.id);
}

/* An IPv4 UDP frame with wrong checksums. */
static void
udp_frame(uint8_t *at, uint32_t len)
{
	uint8_t head[42];

	unhex("020000000002 020000000001 0800  45000000 00010000 40111111 0a000001 0a000002  0400 0800 0000 2222", head);
	put16(head + 16, len - 14);
	put16(head + 38, len - 34);
	memcpy(at, head, sizeof(head));
}

static uint32_t
ones_sum(const uint8_t *at, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void
assert_udp_checksums(const uint8_t *frame, uint32_t len)
{
	uint32_t pseudo = ones_sum(frame + 26, 8, 17 + len - 34);

	assert_int_equal(ones_sum(frame + 14, 20, 0), 0xffff);
	assert_int_equal(ones_sum(frame + 34, len - 34, pseudo), 0xffff);
}

static void
point(uint8_t *segment, const uint8_t *buf)
{
	put32(segment + 4, bench.lkey);
	put64(segment + 8, (uintptr_t)buf);
}

static void
assert_done(struct queues *q, uint8_t opcode, uint16_t index)
{
	const uint8_t *cqe = bench_cqe(&q->cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[63] >> 4, 0);
	assert_int_equal(get32(cqe + 0x2c), 0);
	assert_int_equal(get32(cqe + 0x38), (uint32_t)opcode << 24 | q->sq.id);
	assert_int_equal(get16(cqe + 0x3c), index);
	assert_int_equal(get32(cqe + 0x20), 0xabcd);
	bench_cq_ack(&q->cq);
}

static void
assert_error(struct queues *q, uint8_t syndrome, uint16_t index)
{
	const uint8_t *cqe = bench_cqe(&q->cq);

	assert_non_null(cqe);
	assert_int_equal(cqe[63] >> 4, 0xd);
	assert_int_equal(cqe[0x37], syndrome);
	assert_int_equal(get16(cqe + 0x3c), index);
	bench_cq_ack(&q->cq);
}

static void
test_send(void **state)
{
	struct queues q;
	uint8_t wqe[64] = { 0 };

	open_queues(&q, 4);
	for (int i = 0; i < 7; i++) { /* NOPs without completion, so that the index is 7 as in A.1 */
		uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1 };

		bench_post(&q.sq, nop, 64);
	}
	udp_frame(q.buf, 60);
	unhex("0000070a 00123403 00000008 00000000  00000000 c0000000 12345678 00000000  0000003c 00182a01 00007f11 22334400",
		wqe);
	point(wqe + 0x20, q.buf);
	bench_post(&q.sq, wqe, 64);
	assert_int_equal(bench.nb_sent, 0); /* nothing before the record */
	bench_step();
	assert_int_equal(bench.nb_sent, 0);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 1);
	assert_int_equal(bench.sent[0].len, 60);
	assert_int_equal(bench.sent[0].reg_a, 0x12345678);
	assert_int_equal(bench.sent[0].sqn, q.sq.id);
	assert_udp_checksums(bench.sent[0].data, 60);
	assert_memory_equal(bench.sent[0].data + 42, q.buf + 42, 18);
	assert_done(&q, 0x0a, 7);
	assert_null(bench_cqe(&q.cq));
	assert_int_equal(bench.dev->port.tx_frames, 1);
	assert_int_equal(bench.dev->port.tx_octets, 60);
	close_queues(&q);
}

static void
test_inline(void **state)
{
	struct queues q;
	uint8_t wqe[64] = { 0 };

	open_queues(&q, 4);
	udp_frame(q.buf, 60);
	unhex("0000080a 00123404 00000004 00000000  00000000 c0000000 00000000 00120200  00000002 02000000 00010800 45000001"
		"  0000002a 00182a01 00007f11 22334412", wqe);
	memcpy(wqe + 0x1e, q.buf, 18);
	point(wqe + 0x30, q.buf + 18);
	bench_post(&q.sq, wqe, 64);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 1);
	assert_int_equal(bench.sent[0].len, 60);
	assert_udp_checksums(bench.sent[0].data, 60);
	assert_memory_equal(bench.sent[0].data + 42, q.buf + 42, 18);
	assert_null(bench_cqe(&q.cq)); /* ce 1 */
	close_queues(&q);
}

static void
test_multi(void **state)
{
	static const uint32_t len[3] = { 60, 64, 1514 };
	struct queues q;
	uint8_t wqe[128] = { 0 };

	open_queues(&q, 3); /* 8 WQEBBs: the fourth session wraps */
	for (int round = 0; round < 7; round++) {
		bench.nb_sent = 0;
		unhex("00000b29 00123405 00000008 00000000  00000000 00000000 00000000 00000000  0000003c 00182a01 00007f11 22334400"
			"  00000040 00182a01 00007f11 22334d00  000005ea 00182a01 00007f11 22335600", wqe);
		for (int i = 0; i < 3; i++)
			point(wqe + 0x20 + i * 16, q.buf + 2048 * i);
		bench_post(&q.sq, wqe, 128);
		bench_ring(&q.sq);
		assert_int_equal(bench.nb_sent, 3);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(bench.sent[i].len, len[i]);
			assert_memory_equal(bench.sent[i].data, q.buf + 2048 * i, len[i]);
		}
		assert_done(&q, 0x29, (uint16_t)(q.sq.pi - 2));
		if (round == 4) { /* one WQEBB, so that the next sessions straddle the ring's end */
			uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1 };

			bench_post(&q.sq, nop, 64);
		}
	}
	close_queues(&q);
}

static void
test_multi_inline(void **state)
{
	struct queues q;
	uint8_t wqe[128] = { 0 };

	open_queues(&q, 4);
	unhex("00000d29 00123407 00000004 00000000  00000000 00000000 00000000 00000000  8000003c 02000000 00020200 00000001"
		"  08004500 00010203 04050607 08090a0b  0c0d0e0f 10111213 14151617 18191a1b  1c1d1e1f 20212223 24252627 28292a2b"
		"  00000040 00182a01 00007f11 22334400", wqe);
	point(wqe + 0x60, q.buf);
	bench_post(&q.sq, wqe, 128);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 2);
	assert_int_equal(bench.sent[0].len, 60);
	assert_memory_equal(bench.sent[0].data, wqe + 0x24, 60);
	assert_int_equal(bench.sent[1].len, 64);
	assert_memory_equal(bench.sent[1].data, q.buf, 64);
	close_queues(&q);
}

static void
test_vlan(void **state)
{
	static const char *const words[2] = { "80000064", "80010064" };
	static const uint16_t tpid[2] = { 0x8100, 0x88a8 };
	struct queues q;

	open_queues(&q, 4);
	for (int i = 0; i < 2; i++) {
		uint8_t wqe[64] = { 0 };

		udp_frame(q.buf, 60);
		unhex("0000000a 00123403 00000008 00000000  00000000 c0000000 00000000", wqe);
		unhex(words[i], wqe + 0x1c);
		put32(wqe + 0x20, 60);
		point(wqe + 0x20, q.buf);
		bench_post(&q.sq, wqe, 64);
		bench_ring(&q.sq);
		assert_int_equal(bench.sent[i].len, 64);
		assert_memory_equal(bench.sent[i].data, q.buf, 12);
		assert_int_equal(get16(bench.sent[i].data + 12), tpid[i]);
		assert_int_equal(get16(bench.sent[i].data + 14), 100);
		assert_udp_checksums(bench.sent[i].data + 4, 60);
	}
	close_queues(&q);
}

static void
test_short_frame_is_padded(void **state)
{
	struct queues q;
	uint8_t wqe[64] = { 0 };

	open_queues(&q, 4);
	unhex("0000000a 00123403 00000008 00000000  00000000 00000000 00000000 00000000  00000014", wqe);
	point(wqe + 0x20, q.buf);
	bench_post(&q.sq, wqe, 64);
	bench_ring(&q.sq);
	assert_int_equal(bench.sent[0].len, 20); /* steering sees what was sent */
	assert_int_equal(bench.dev->port.tx_octets, 60);
	close_queues(&q);
}

static void
test_too_long_is_dropped_with_good_completion(void **state)
{
	static const uint32_t len[] = { 1519, 12000 };
	struct queues q;

	open_queues(&q, 4);
	for (int i = 0; i < 2; i++) {
		uint8_t wqe[64] = { 0 };

		unhex("0000000a 00123403 00000008", wqe);
		put32(wqe + 0x20, len[i]);
		point(wqe + 0x20, q.buf);
		bench_post(&q.sq, wqe, 64);
		bench_ring(&q.sq);
		assert_done(&q, 0x0a, (uint16_t)i);
		assert_int_equal(bench.dev->port.tx_too_long, i + 1);
	}
	assert_int_equal(bench.dev->port.tx_frames, 0);
	close_queues(&q);
}

/* One row: a WQE that is wrong, and the syndrome of its CQE. */
static void
test_refused_wqes(void **state)
{
	static const struct {
		const char *wqe;
		uint8_t syndrome;
		const char *text;
	} row[] = {
		{ "0000000b 00000003 00000004", 0x02, "opcode 0xb is not supported" },
		{ "00000017 00000003 00000004", 0x02, "opcode 0x17 is not supported" },
		{ "00000025 00000004 00000004", 0x02, "opcode 0x25 is not supported" },
		{ "0000000a 00000001 00000004", 0x02, "ds 1 (at least 2)" },
		{ "0100000a 00000003 00000004", 0x02, "op_mod 1" },
		{ "0000000a 00000000 00000004", 0x02, "control segment says" },
		{ "0000002c 00000008 00000004", 0x02, "non_wire" },
		{ "0000002c 00000004 00000004", 0x02, "is not 8" },
		{ "0000000a 00000003 00000004 00000000 01000000", 0x02, "software parser" },
		{ "0000000a 00000003 00000004 00000000 00000000 01000000", 0x02, "cs_flags" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000001 00000000 00000000 0000003c", 0x02, "MSS in a SEND" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000000 00000000 00400000", 0x02, "inline header runs over" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000000 00000000 80020000", 0x02, "VLAN insert word" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000000 00000000 00000000 80000100", 0x02, "inline segment runs" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000000 00000000 00000000 0000000d KEY", 0x02, "shorter than an Eth" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000000 00000000 00000000 0000003c ffffffff", 0x04, "lkey 0xffffffff" },
		{ "0000000a 00000003 00000004 00000000 00000000 00000000 00000000 00000000 0000003c KEY END", 0x04, "does not allow" },
		{ "00000029 00000003 00000004 00000000 00000000 00000000 00000000 80000064 0000003c KEY", 0x02, "multi-packet WQE has" },
		{ "0000000e 00000003 00000004 00000000 00000000 00000000 00000000 00000000 0000003c KEY", 0x02, "MSS" },
	};
	struct queues q;

	open_queues(&q, 4);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint8_t wqe[128] = { 0 }, bad[64] = { 0 };
		const char *key = strstr(row[i].wqe, "KEY");
		char text[160];

		snprintf(text, sizeof(text), "%.*s", key ? (int)(key - row[i].wqe) : (int)strlen(row[i].wqe), row[i].wqe);
		unhex(text, wqe);
		if (key != NULL)
			point(wqe + 0x20, strstr(row[i].wqe, "END") ? bench.arena + ARENA - 59 : q.buf);
		bench_post(&q.sq, wqe, (wqe[7] + 3u) / 4 > 1 ? 128 : 64);
		unhex("00000000 00000001 00000008", bad); /* a NOP that will be flushed */
		bench_post(&q.sq, bad, 64);
		bench_ring(&q.sq);
		assert_error(&q, row[i].syndrome, 0);
		if (strstr(bench.dev->last_error, row[i].text) == NULL)
			fail_msg("row %zu: \"%s\" does not say \"%s\"", i, bench.dev->last_error, row[i].text);
		if ((wqe[7] & 0x3f) != 0)
			assert_error(&q, 0x05, (wqe[7] + 3) / 4 > 1 ? 2 : 1);
		assert_null(bench_cqe(&q.cq));
		assert_int_equal(bench.nb_sent, 0);
		/* recovery as drivers do it */
		assert_int_equal(bench_sq_modify(q.sq.id, 1, 0), 9);
		assert_int_equal(bench_sq_modify(q.sq.id, 3, 0), 0);
		assert_int_equal(bench_sq_modify(q.sq.id, 0, 1), 0);
		q.sq.pi = 0;
		bench_step(); /* the old record is not a doorbell */
		put32(q.sq.dbr + 4, 0);
		bench_step();
		assert_null(bench_cqe(&q.cq));
	}
	close_queues(&q);
}

/* A multi-packet session whose second packet has a bad key: the first was sent. */
static void
test_bad_key_inside_session(void **state)
{
	struct queues q;
	uint8_t wqe[64] = { 0 };

	open_queues(&q, 4);
	unhex("00000029 00000004 00000004 00000000  00000000 00000000 00000000 00000000  0000003c 00000000 00000000 00000000"
		"  0000003c 00000000 00000000 00000000", wqe);
	point(wqe + 0x20, q.buf);
	bench_post(&q.sq, wqe, 64);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 1);
	assert_error(&q, 0x04, 0);
	close_queues(&q);
}

/* ce: 0 flushes with a CQE, 1 only for the first error. */
static void
test_flush_by_ce(void **state)
{
	struct queues q;
	uint8_t wqe[64] = { 0 };

	open_queues(&q, 4);
	unhex("0000000b 00000003 00000004", wqe);
	bench_post(&q.sq, wqe, 64);
	unhex("00000000 00000001 00000004", wqe);
	bench_post(&q.sq, wqe, 64); /* ce 1 after the first error: silent */
	unhex("00000000 00000001 00000000", wqe);
	bench_post(&q.sq, wqe, 64); /* ce 0 */
	unhex("00000000 00000001 00000008", wqe);
	bench_post(&q.sq, wqe, 64); /* ce 2 */
	bench_ring(&q.sq);
	assert_error(&q, 0x02, 0);
	assert_error(&q, 0x05, 2);
	assert_error(&q, 0x05, 3);
	assert_null(bench_cqe(&q.cq));
	bench_post(&q.sq, wqe, 64); /* also what is posted later */
	bench_ring(&q.sq);
	assert_error(&q, 0x05, 4);
	close_queues(&q);
}

static void
test_record_beyond_ring(void **state)
{
	struct queues q;

	open_queues(&q, 2);
	q.sq.pi = 5;
	bench_ring(&q.sq);
	assert_error(&q, 0x02, 0);
	assert_non_null(strstr(bench.dev->last_error, "doorbell record 5"));
	close_queues(&q);
}

/* Thousands of NOPs through a small ring and a small CQ: indexes and owner bits wrap. */
static void
test_wrap(void **state)
{
	uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8 };
	struct queues q;

	open_queues(&q, 3);
	for (uint32_t i = 0; i < 70000; i++) {
		bench_post(&q.sq, nop, 64);
		put32(q.sq.dbr + 4, q.sq.pi);
		if (i % 8 != 7)
			continue;
		bench_step();
		for (uint32_t j = i - 7; j <= i; j++)
			assert_done(&q, 0, (uint16_t)j);
	}
	close_queues(&q);
}

static void
test_cq_overrun(void **state)
{
	uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8 }, in[0x10] = { 0 }, out[0x200];
	struct queues q;

	bench_cq(&q.cq, 1);
	bench_sq(&q.sq, &q.cq, 4);
	for (int i = 0; i < 3; i++)
		bench_post(&q.sq, nop, 64);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_events, 2); /* the queue's, then the CQ's */
	assert_int_equal(bench.event, SC_EVENT_CQ_ERROR);
	assert_int_equal(bench.event_obj, q.cq.id);
	put32(in + 8, q.cq.id);
	assert_int_equal(bench_command(0x402, in, sizeof(in), out), 0);
	assert_int_equal(out[0x10] >> 4, 9);
	assert_int_equal(get32(out + 0x10 + 0x2c), 2);
	put32(in + 8, q.sq.id);
	assert_int_equal(bench_command(0x907, in, sizeof(in), out), 0);
	assert_int_equal(get32(out + 0x20) >> 20 & 15, 3);
	close_queues(&q);
}

/* oi: a collapsed CQ as Snabb's driver uses it; the newest completion is in entry 0. */
static void
test_collapsed(void **state)
{
	uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8 }, in[0x110], out[0x200];
	struct queues q;

	bench_cq_in(&q.cq, 0, in);
	put32(in + 0x10, get32(in + 0x10) | 1u << 17 | 1u << 20);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0);
	q.cq.id = get32(out + 8);
	bench_sq(&q.sq, &q.cq, 4);
	for (int i = 0; i < 9; i++)
		bench_post(&q.sq, nop, 64);
	bench_ring(&q.sq);
	assert_int_equal(get16(q.cq.ring + 0x3c), 8);
	assert_int_equal(bench.nb_events, 0);
	close_queues(&q);
}

static void
test_arm(void **state)
{
	uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8 }, value[8];
	uint64_t word;
	struct queues q;

	open_queues(&q, 4);
	put32(value, 1u << 28); /* sequence 1, any CQE, CI 0 */
	put32(value + 4, q.cq.id);
	memcpy(&word, value, 8);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar, 0x20, word), 0);
	assert_int_equal(bench.nb_events, 0);
	bench_post(&q.sq, nop, 64);
	bench_post(&q.sq, nop, 64);
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_events, 1); /* one event an arm */
	assert_int_equal(bench.event, SC_EVENT_COMPLETION);
	put32(value, 2u << 28 | 1); /* index 1 is there already */
	memcpy(&word, value, 8);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar, 0x20, word), 0);
	assert_int_equal(bench.nb_events, 2);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar + 1, 0x20, word), -EINVAL);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar, 0x28, word), -EINVAL);
	close_queues(&q);
}

/* uar=trap: only the store moves the queue, and it is held against the record. */
static void
test_trap(void **state)
{
	uint8_t nop[64] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 8 };
	uint64_t word;
	struct queues q;
	struct sc_sq *sq;

	open_queues(&q, 4);
	sq = sc_object_find(bench.dev, SC_SQ, q.sq.id);
	sc_nic_set_poll(bench.dev, false);
	bench_post(&q.sq, nop, 64);
	bench_ring(&q.sq);
	assert_null(bench_cqe(&q.cq));
	memcpy(&word, q.sq.ring, 8);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar, 0x800, word), 0);
	bench_step();
	assert_done(&q, 0, 0);
	assert_int_equal(sq->doorbells, 1);
	assert_int_equal(sq->doorbells_idle, 0);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar, 0x900, word), 0);
	assert_int_equal(sq->doorbells_idle, 1);
	bench_post(&q.sq, nop, 64);
	bench_post(&q.sq, nop, 64);
	put32(q.sq.dbr + 4, q.sq.pi);
	assert_int_equal(sc_nic_doorbell(bench.dev, bench.uar, 0x800, word), 0); /* rung with the old WQE */
	assert_int_equal(sq->doorbells_mismatch, 1);
	bench_step();
	assert_done(&q, 0, 1);
	assert_done(&q, 0, 2);
	close_queues(&q);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		TEST(test_send), TEST(test_inline), TEST(test_multi), TEST(test_multi_inline), TEST(test_vlan),
		TEST(test_short_frame_is_padded), TEST(test_too_long_is_dropped_with_good_completion), TEST(test_refused_wqes),
		TEST(test_bad_key_inside_session), TEST(test_flush_by_ce), TEST(test_record_beyond_ring), TEST(test_wrap),
		TEST(test_cq_overrun), TEST(test_collapsed), TEST(test_arm), TEST(test_trap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
