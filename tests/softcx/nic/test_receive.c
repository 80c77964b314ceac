/* SPDX-License-Identifier: BSD-3-Clause */

/* Receiving: the worked WQE and CQE of nic.md A.6 and A.7, scatter, VLAN, FCS, states, errors, flush. */
#include <errno.h>
#include <stdio.h>

#include "bench.h"

#include "softcx/cmd/resource.h"

#define LOG_RQ 3

struct queues {
	struct bench_cq cq;
	struct bench_rq rq;
	uint32_t tir;
	uint8_t *buf;
};

static void
open_with(struct queues *q, uint32_t log_cq, uint32_t log_sges, uint32_t dword0)
{
	uint8_t in[0x110];

	bench_cq(&q->cq, log_cq);
	bench_rq_in(&q->rq, &q->cq, LOG_RQ, log_sges, in);
	put32(in + 0x20, dword0);
	bench_rq_make(&q->rq, in);
	q->tir = bench_tir(q->rq.id);
	q->buf = bench_alloc(65536, 64);
	memset(q->buf, 0xee, 65536);
}

static void
open_queues(struct queues *q)
{
	open_with(q, 6, 0, 1u << 28 | 1u << 18); /* vsd, flush_in_error_en */
}

static void
close_queues(struct queues *q)
{
	bench_no_tir();
	bench_destroy(0x902, q->tir);
	bench_destroy(0x90a, q->rq.id);
	bench_destroy(0x401, q->cq.id);
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

/* TCP over IPv4 with data and good checksums, of len bytes in all. */
static void
tcp_frame(uint8_t *at, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		at[i] = (uint8_t)(i * 3);
	unhex("020000000002 020000000001 0800  4500 0000 0001 0000 4006 0000 42 09 95 bb a1 8e 64 50"
		"  0aea 06e6 00000001 00000001 5010 ffff 0000 0000", at);
	put16(at + 16, len - 14);
	put16(at + 24, ~ones_sum(at + 14, 20, 0));
	put16(at + 50, ~ones_sum(at + 34, len - 34, ones_sum(at + 26, 8, 6 + len - 34)));
}

static const uint8_t *
next(struct queues *q)
{
	const uint8_t *cqe = bench_cqe(&q->cq);

	assert_non_null(cqe);
	bench_cq_ack(&q->cq);
	return cqe;
}

/* A.7: VLAN 100 stripped, hash as in A.11, flow tag 0x2a0000; metadata besides. */
static void
test_cqe(void **state)
{
	uint8_t key[0x110] = { 0 }, out[0x200], frame[1518], expected[64];
	struct queues q;
	const uint8_t *cqe;

	bench_open_settings("ts_format=real");
	open_with(&q, 6, 0, 1u << 18 | 2u << 4); /* strip; real time */
	put32(key + 8, q.tir);
	put32(key + 0x14, 1u << 2);
	put32(key + 0x44, 2u << 28);
	unhex("6d5a56da 255b0ec2 4167253d 43a38fb0 d0ca2bcb ae7b30b4 77cb2da3 8030f20c 6a42b73b beac01fa", key + 0x48);
	put32(key + 0x70, 0xf);
	assert_int_equal(bench_command(0x901, key, sizeof(key), out), 0);
	bench.flow_tag = 0x2a0000;
	bench.reg_b = 0xcafe0001;

	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	assert_int_equal(get32(q.rq.ring), 0x800); /* A.6 */
	tcp_frame(frame + 4, 1514);
	memmove(frame, frame + 4, 12);
	put32(frame + 12, 0x81000064);
	bench_receive(frame, sizeof(frame));
	cqe = next(&q);
	unhex("00000000 00000000 00000000 51ccc178  44000000 beef0000 00000456 07490064  01000000 00000000 00000000 000005ea"
		"  655f0000 075bcd15 002a0000 00050020", expected);
	put16(expected + 0x14, ones_sum(frame + 18, 1500, 0));
	put32(expected + 0x18, q.rq.id);
	put32(expected + 0x20, 0x01000000 | 0xbeef);
	put32(expected + 0x24, 0xcafe0001);
	put64(expected + 0x30, (0x123456789aull / 1000000000) << 32 | 0x123456789aull % 1000000000);
	put16(expected + 0x3c, 0);
	assert_memory_equal(cqe, expected, 64);
	assert_memory_equal(q.buf, frame, 12);
	assert_memory_equal(q.buf + 12, frame + 16, 1502);
	assert_int_equal(q.buf[1514], 0xee);
	assert_int_equal(bench.dev->port.rx_frames, 1);
	assert_int_equal(bench.dev->port.rx_octets, 1518);
	close_queues(&q);
	bench_close(NULL);
}

/* What the header bits say of other packets: (frame, bytes 0, 0x1c, 0x1d). */
static void
test_header_bits(void **state)
{
	static const struct {
		const char *frame;
		uint8_t info, ok, type;
	} row[] = {
		/* ARP */
		{ "ffffffffffff 020000000001 0806 0001 0800 0604 0001", 0, 0x01, 0x00 },
		/* UDP, checksum 0 */
		{ "020000000002 020000000001 0800 4500 001c 0000 0000 4011 66cf 0a000001 0a000002 0001 0002 0008 0000", 0, 0x07, 0x28 },
		/* UDP, bad IP and UDP checksum */
		{ "020000000002 020000000001 0800 4500 001c 0000 0000 4011 66d0 0a000001 0a000002 0001 0002 0008 0001", 0, 0x01, 0x28 },
		/* first fragment of UDP */
		{ "020000000002 020000000001 0800 4500 001c 0000 2000 4011 46cf 0a000001 0a000002 0001 0002 0008 0000", 0, 0x03, 0x88 },
		/* ICMP with IP options */
		{ "020000000002 020000000001 0800 4600 0020 0000 0000 4001 63d9 0a000001 0a000002 01010101 0800 f7ff 0000 0000", 0,
			0x03, 0x0a },
		/* IPv6 UDP with a wrong sum */
		{ "020000000002 020000000001 86dd 60000000 0008 1140 fd000000000000000000000000000001"
			"fd000000000000000000000000000002 0001 0002 0008 0001", 0x02, 0x03, 0x24 },
		/* TCP SYN, ACK without data; sums not right */
		{ "020000000002 020000000001 0800 4500 0028 0000 0000 4006 66ce 0a000001 0a000002 0001 0002 00000000 00000000 5002"
			"0000 0000 0000", 0, 0x03, 0x18 },
		{ "020000000002 020000000001 0800 4500 0028 0000 0000 4006 66ce 0a000001 0a000002 0001 0002 00000000 00000000 5010"
			"0000 0000 0000", 0, 0x03, 0x38 },
		/* VXLAN over IPv6, inner UDP over IPv4 */
		{ "020000000002 020000000001 86dd 60000000 003a 1140 fd000000000000000000000000000001"
			"fd000000000000000000000000000002 c000 12b5 003a 0000 08000000 00002a00 020000000002 020000000001 0800"
			"4500 001c 0000 0000 4011 66cf 0a000001 0a000002 0001 0002 0008 0000", 0x03, 0x07, 0x28 },
	};
	struct queues q;

	open_queues(&q);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint8_t frame[256] = { 0 };
		uint32_t len = unhex(row[i].frame, frame);
		const uint8_t *cqe;

		if (len < 60)
			len = 60;
		bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
		bench_rq_ring(&q.rq);
		bench_receive(frame, len);
		cqe = next(&q);
		if (cqe[0] != row[i].info || cqe[0x1c] != row[i].ok || cqe[0x1d] != row[i].type)
			fail_msg("row %zu: pkt_info %02x, hdr_type_etc %02x%02x", i, cqe[0], cqe[0x1c], cqe[0x1d]);
	}
	close_queues(&q);
}

/* Four SGEs: filled in order, the terminator ends the list, the rest stays. */
static void
test_scatter(void **state)
{
	struct queues q;
	uint8_t frame[300], *wqe;

	open_with(&q, 6, 2, 1u << 28 | 1u << 18);
	tcp_frame(frame, sizeof(frame));
	bench_rq_post(&q.rq, q.buf, 100, bench.lkey);
	wqe = q.rq.ring;
	for (int i = 1; i < 3; i++) {
		put32(wqe + 16 * i, i == 1 ? 150 : 1000);
		put32(wqe + 16 * i + 4, bench.lkey);
		put64(wqe + 16 * i + 8, (uintptr_t)(q.buf + 1024 * i));
	}
	bench_rq_ring(&q.rq);
	bench_receive(frame, sizeof(frame));
	assert_int_equal(get32(next(&q) + 0x2c), 300);
	assert_memory_equal(q.buf, frame, 100);
	assert_memory_equal(q.buf + 1024, frame + 100, 150);
	assert_memory_equal(q.buf + 2048, frame + 250, 50);
	assert_int_equal(q.buf[100], 0xee);
	assert_int_equal(q.buf[2048 + 50], 0xee);
	close_queues(&q);
}

static void
test_too_long(void **state)
{
	struct queues q;
	uint8_t frame[300];
	const uint8_t *cqe;

	open_queues(&q);
	tcp_frame(frame, sizeof(frame));
	bench_rq_post(&q.rq, q.buf, 299, bench.lkey);
	bench_rq_post(&q.rq, q.buf + 1024, 300, bench.lkey);
	bench_rq_ring(&q.rq);
	bench_receive(frame, sizeof(frame));
	cqe = next(&q);
	assert_int_equal(cqe[63], 0xe0);
	assert_int_equal(cqe[0x37], 1);
	assert_int_equal(get32(cqe + 0x38), q.rq.id);
	assert_int_equal(get16(cqe + 0x3c), 0);
	assert_int_equal(q.buf[299], 0xee);
	bench_receive(frame, sizeof(frame)); /* the queue lives on */
	cqe = next(&q);
	assert_int_equal(cqe[63], 0x20);
	assert_int_equal(get16(cqe + 0x3c), 1);
	assert_memory_equal(q.buf + 1024, frame, 300);
	close_queues(&q);
}

/* A bad key puts the queue into ERR: posted WQEs come back flushed, also later ones; reset makes it new. */
static void
test_bad_key(void **state)
{
	struct queues q;
	uint8_t frame[60];
	const uint8_t *cqe;

	open_queues(&q);
	tcp_frame(frame, sizeof(frame));
	bench_rq_post(&q.rq, q.buf, 2048, 0xffffff00);
	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	bench_receive(frame, sizeof(frame));
	bench_step();
	assert_int_equal(next(&q)[0x37], 4);
	for (int i = 1; i < 3; i++) {
		cqe = next(&q);
		assert_int_equal(cqe[0x37], 5);
		assert_int_equal(get16(cqe + 0x3c), i);
	}
	assert_null(bench_cqe(&q.cq));
	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	bench_step();
	assert_int_equal(next(&q)[0x37], 5);
	bench_receive(frame, sizeof(frame));
	bench_step();
	assert_null(bench_cqe(&q.cq));
	assert_int_equal(bench_rq_modify(q.rq.id, 1, 0, 0, 0), 9); /* it is in ERR */
	assert_int_equal(bench_rq_modify(q.rq.id, 3, 1, 0, 0), 9); /* by way of RST only */
	assert_int_equal(bench_rq_modify(q.rq.id, 3, 0, 0, 0), 0);
	q.rq.pi = 0;
	bench_rq_ring(&q.rq);
	assert_int_equal(bench_rq_modify(q.rq.id, 0, 1, 0, 0), 0);
	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	bench_receive(frame, sizeof(frame));
	assert_int_equal(next(&q)[63], 0x20);
	close_queues(&q);
}

static void
test_out_of_buffer(void **state)
{
	uint8_t alloc[0x10] = { 0 }, out[0x200], query[0x20] = { 0 }, frame[60], in[0x110] = { 0 };
	struct queues q;
	uint32_t set;

	open_queues(&q);
	tcp_frame(frame, sizeof(frame));
	assert_int_equal(bench_command(0x771, alloc, sizeof(alloc), out), 0);
	set = out[0x0b];
	put32(in + 8, 1u << 28 | q.rq.id);
	put32(in + 0x14, 1u << 3);
	put32(in + 0x20, 1u << 20);
	in[0x2c] = (uint8_t)set;
	assert_int_equal(bench_command(0x909, in, sizeof(in), out), 0);
	bench_receive(frame, sizeof(frame));
	bench_receive(frame, sizeof(frame));
	query[0x1f] = (uint8_t)set;
	assert_int_equal(bench_command(0x773, query, sizeof(query), out), 0);
	assert_int_equal(get32(out + 0x30), 2);
	assert_null(bench_cqe(&q.cq));
	close_queues(&q);
	memset(alloc, 0, sizeof(alloc));
	alloc[0x0b] = (uint8_t)set;
	assert_int_equal(bench_command(0x772, alloc, sizeof(alloc), out), 0);
}

/* vsd toggled on a live queue; S-tags stay; FCS appended when asked. */
static void
test_vlan_and_fcs(void **state)
{
	struct queues q;
	uint8_t frame[64];
	const uint8_t *cqe;

	open_queues(&q);
	tcp_frame(frame + 4, 60);
	memmove(frame, frame + 4, 12);
	for (int i = 0; i < 4; i++)
		bench_rq_post(&q.rq, q.buf + i * 2048, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	put32(frame + 12, 0x8100e064);
	bench_receive(frame, 64);
	cqe = next(&q);
	assert_int_equal(get32(cqe + 0x2c), 64);
	assert_int_equal(cqe[0x1d] & 1, 0);
	assert_int_equal(bench_rq_modify(q.rq.id, 1, 1, 2, 0), 0); /* vsd 0 */
	bench_receive(frame, 64);
	cqe = next(&q);
	assert_int_equal(get32(cqe + 0x2c), 60);
	assert_int_equal(cqe[0x1d] & 1, 1);
	assert_int_equal(get16(cqe + 0x1e), 0xe064);
	put32(frame + 12, 0x88a8e064);
	bench_receive(frame, 64);
	cqe = next(&q);
	assert_int_equal(get32(cqe + 0x2c), 64);
	assert_int_equal(cqe[0x1d] & 1, 0);
	assert_int_equal(bench_rq_modify(q.rq.id, 1, 1, 4, 1u << 29), 0); /* scatter_fcs */
	bench_receive(frame, 64);
	assert_int_equal(get32(next(&q) + 0x2c), 68);
	/* A CRC over a frame with its FCS behind leaves this residue. */
	assert_int_equal(sc_crc32(q.buf + 3 * 2048, 68), 0x2144df1c);
	close_queues(&q);
}

static void
test_cq_overrun(void **state)
{
	struct queues q;
	uint8_t frame[60], in[0x10] = { 0 }, out[0x200];

	open_with(&q, 1, 0, 1u << 28 | 1u << 18);
	tcp_frame(frame, sizeof(frame));
	for (int i = 0; i < 8; i++)
		bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	for (int i = 0; i < 3; i++)
		bench_receive(frame, sizeof(frame));
	assert_int_equal(bench.nb_events, 2); /* the queue's, then the CQ's */
	assert_int_equal(bench.event, SC_EVENT_CQ_ERROR);
	put32(in + 8, q.rq.id);
	assert_int_equal(bench_command(0x90b, in, sizeof(in), out), 0);
	assert_int_equal(get32(out + 0x20) >> 20 & 15, 3);
	close_queues(&q);
}

/* 128-byte entries: the 64 bytes are the upper half. */
static void
test_wide_cqe(void **state)
{
	uint8_t in[0x110], out[0x200], frame[60];
	struct queues q;

	bench_cq_in(&q.cq, 4, in);
	put32(in + 0x10, get32(in + 0x10) | 1u << 21);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0);
	q.cq.id = get32(out + 8);
	q.cq.stride = 128;
	bench_cq_init(&q.cq);
	bench_rq_in(&q.rq, &q.cq, 3, 0, in);
	bench_rq_make(&q.rq, in);
	q.tir = bench_tir(q.rq.id);
	q.buf = bench_alloc(4096, 64);
	tcp_frame(frame, sizeof(frame));
	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	bench_receive(frame, sizeof(frame));
	bench_receive(frame, sizeof(frame));
	assert_int_equal(get32(q.cq.ring + 64 + 0x2c), 60);
	assert_int_equal(q.cq.ring[0x2f], 0);
	assert_int_equal(get16(next(&q) + 0x3c), 0);
	assert_int_equal(get16(next(&q) + 0x3c), 1);
	close_queues(&q);
}

/* Many frames through a small ring: the 16-bit counter wraps. */
static void
test_wrap(void **state)
{
	struct queues q;
	uint8_t frame[60];

	open_queues(&q);
	tcp_frame(frame, sizeof(frame));
	for (uint32_t i = 0; i < 70000; i++) {
		bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
		bench_rq_ring(&q.rq);
		bench_receive(frame, sizeof(frame));
		assert_int_equal(get16(next(&q) + 0x3c), i & 0xffff);
	}
	close_queues(&q);
}

/* A record that names more WQEs than the ring has is a driver's error. */
static void
test_record_beyond_ring(void **state)
{
	struct queues q;
	uint8_t frame[60];

	open_queues(&q);
	tcp_frame(frame, sizeof(frame));
	put32(q.rq.dbr, 9);
	bench_receive(frame, sizeof(frame));
	assert_int_equal(bench.event, SC_EVENT_WQ_CATASTROPHIC);
	assert_non_null(strstr(bench.dev->last_error, "9 WQEs ahead of 0; the ring has 8"));
	put32(q.rq.dbr, 0);
	assert_int_equal(bench_rq_modify(q.rq.id, 3, 0, 0, 0), 0);
	close_queues(&q);
}

static void
test_limit_event(void **state)
{
	uint8_t in[0x110] = { 0 }, out[0x200], frame[60];
	struct queues q;

	open_queues(&q);
	tcp_frame(frame, sizeof(frame));
	for (int i = 0; i < 6; i++)
		bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	put32(in + 8, 1u << 28 | q.rq.id);
	put32(in + 0x14, 1);
	put32(in + 0x20, 1u << 20);
	put32(in + 0x54, 5); /* lwm */
	assert_int_equal(bench_command(0x909, in, sizeof(in), out), 0);
	bench_receive(frame, sizeof(frame));
	assert_int_equal(bench.nb_events, 0); /* 5 are left */
	bench_receive(frame, sizeof(frame));
	assert_int_equal(bench.nb_events, 1);
	assert_int_equal(bench.event, SC_EVENT_RQ_LIMIT);
	bench_receive(frame, sizeof(frame));
	assert_int_equal(bench.nb_events, 1); /* once */
	close_queues(&q);
}

/* Own frames come back only through both gates. */
static void
test_self_loopback(void **state)
{
	uint8_t in[0x110] = { 0 }, out[0x200], wqe[64] = { 0 }, *frame;
	struct bench_cq cq;
	struct bench_sq sq;
	struct queues q;

	open_queues(&q);
	bench_cq(&cq, 4);
	bench_sq(&sq, &cq, 4);
	frame = bench_alloc(64, 64);
	tcp_frame(frame, 60);
	memcpy(frame, bench.dev->mac, 6);
	for (int i = 0; i < 4; i++)
		bench_rq_post(&q.rq, q.buf, 2048, bench.lkey);
	bench_rq_ring(&q.rq);
	unhex("0000000a 00000003 00000004 00000000  00000000 00000000 00000000 00000000  0000003c", wqe);
	put32(wqe + 0x24, bench.lkey);
	put64(wqe + 0x28, (uintptr_t)frame);
	bench_post(&sq, wqe, 64);
	bench_ring(&sq);
	assert_null(bench_cqe(&q.cq));
	assert_int_equal(bench.dev->port.tx_frames, 1); /* to the wire */
	bench.dev->disable_uc_local_lb = false;
	bench_post(&sq, wqe, 64);
	bench_ring(&sq);
	assert_null(bench_cqe(&q.cq)); /* same transport domain */
	put32(in + 8, q.tir);
	put32(in + 0x14, 1u << 4);
	put32(in + 0x44, 1u << 24);
	assert_int_equal(bench_command(0x901, in, sizeof(in), out), 0);
	bench_post(&sq, wqe, 64);
	bench_ring(&sq);
	assert_int_equal(get32(next(&q) + 0x2c), 60);
	assert_memory_equal(q.buf, frame, 60);
	assert_int_equal(bench.dev->port.tx_frames, 1);
	bench_destroy(0x906, sq.id);
	bench_destroy(0x401, cq.id);
	close_queues(&q);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cqe), TEST(test_header_bits), TEST(test_scatter), TEST(test_too_long), TEST(test_bad_key),
		TEST(test_out_of_buffer), TEST(test_vlan_and_fcs), TEST(test_cq_overrun), TEST(test_wide_cqe), TEST(test_wrap),
		TEST(test_record_beyond_ring), TEST(test_limit_event), TEST(test_self_loopback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
