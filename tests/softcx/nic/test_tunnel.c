/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What is sent in tunnels: checksums and segmentation in GRE, GENEVE and VXLAN, which the device's parser knows, and
 * in tunnels that only the WQE knows (software parser, nic.md 2.5, 6.3). Expectations are worked out here.
 */
#include "bench.h"

#define INNER "4500 0000 0100 4000 4006 0000 0a000001 0a000002  0400 0800 00001000 00000001 5099 ffff 5678 0000"
#define INNER_LEN 40
#define ETH "020000000002 020000000001 "
#define INNER_ETH "0200000000bb 0200000000aa 0800"

struct tunnel {
	const char *name, *outer; /* headers in front of the inner IPv4, lengths and sums left 0 */
	uint32_t udp;             /* its offset, 0 none */
	bool ipv6;                /* outside */
	bool swp;                 /* nobody else knows */
};

static const struct tunnel tunnels[] = {
	{ "GRE", ETH "0800  4500 0000 0007 4000 402f 0000 c0a80001 c0a80002  0000 0800", 0, false, false },
	{ "GRE with key and Ethernet", ETH "0800  4500 0000 0007 4000 402f 0000 c0a80001 c0a80002"
		"  2000 6558 00002a00 " INNER_ETH, 0, false, false },
	{ "GENEVE with options", ETH "0800  4500 0000 0007 4000 4011 0000 c0a80001 c0a80002"
		"  c000 17c1 0000 0000  0200 6558 00002a00 0102 8001 deadbeef " INNER_ETH, 34, false, false },
	{ "VXLAN over IPv6", ETH "86dd  60000000 0000 1140  fd000000000000000000000000000001"
		"  fd000000000000000000000000000002  c000 12b5 0000 0000  08000000 00002a00 " INNER_ETH, 54, true, false },
	{ "IP in IP", ETH "0800  4500 0000 0007 4000 4004 0000 c0a80001 c0a80002", 0, false, false },
	{ "IP in UDP", ETH "0800  4500 0000 0007 4000 4011 0000 c0a80001 c0a80002  c000 1388 0000 0000", 34, false, true },
	{ "VXLAN on a port of one's own", ETH "8100 0005 0800  4500 0000 0007 4000 4011 0000 c0a80001 c0a80002"
		"  c000 1389 0000 0000  08000000 00002a00 " INNER_ETH, 38, false, true },
	{ "IP in UDP over IPv6", ETH "86dd  60000000 0000 1140  fd000000000000000000000000000001"
		"  fd000000000000000000000000000002  c000 1388 0000 0000", 54, true, true },
};

#define NB_TUNNELS (sizeof(tunnels) / sizeof(tunnels[0]))

struct queues {
	struct bench_cq cq;
	struct bench_sq sq;
	uint8_t *payload;
};

static void
open_queues(struct queues *q, bool swp)
{
	uint8_t in[0x110];

	bench_cq(&q->cq, 6);
	bench_sq_in(&q->sq, &q->cq, 6, in);
	put32(in + 0x20, get32(in + 0x20) | (uint32_t)swp << 18);
	bench_sq_make(&q->sq, in);
	q->payload = bench_alloc(10000, 64);
	for (uint32_t i = 0; i < 10000; i++)
		q->payload[i] = (uint8_t)(i * 13 + i / 251);
}

static void
close_queues(struct queues *q)
{
	bench_destroy(0x906, q->sq.id);
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

static uint32_t
headers(const struct tunnel *t, uint8_t *head)
{
	uint32_t n = unhex(t->outer, head);

	unhex(INNER, head + n);
	return n;
}

static uint32_t
outer_l3(const struct tunnel *t)
{
	return t->udp != 0 ? t->udp - (t->ipv6 ? 40 : 20) : 14;
}

/* Headers inline, n bytes of payload by pointer. mss 0: SEND. */
static void
send(struct queues *q, const struct tunnel *t, uint8_t *head, uint32_t inner, uint32_t mss, uint32_t n, bool swp)
{
	uint32_t head_len = inner + INNER_LEN, units = 1 + (head_len - 2 + 15) / 16, ds = 2 + units;
	uint8_t wqe[512] = { 0, 0, 0, mss != 0 ? 0x0e : 0x0a, 0, 0, 0, (uint8_t)ds, 0, 0, 0, 8 };

	if (swp) {
		wqe[0x10] = (uint8_t)(t->udp / 2);
		wqe[0x11] = (uint8_t)(outer_l3(t) / 2);
		wqe[0x12] = (uint8_t)((inner + 20) / 2);
		wqe[0x13] = (uint8_t)(inner / 2);
		wqe[0x15] = (t->ipv6 ? 0x10 : 0) | (t->udp != 0 ? 0x20 : 0);
	}
	wqe[0x14] = 0x70;
	put16(wqe + 0x16, mss);
	put16(wqe + 0x1c, head_len);
	memcpy(wqe + 0x1e, head, head_len);
	put32(wqe + 0x10 + units * 16, n);
	put32(wqe + 0x14 + units * 16, bench.lkey);
	put64(wqe + 0x18 + units * 16, (uintptr_t)q->payload);
	bench_post(&q->sq, wqe, (ds + 3) / 4 * 64);
	bench_ring(&q->sq);
}

static void
assert_inner(const uint8_t *ip, uint32_t l4_len)
{
	assert_int_equal(ones_sum(ip, 20, 0), 0xffff);
	assert_int_equal(ones_sum(ip + 20, l4_len, ones_sum(ip + 12, 8, 6 + l4_len)), 0xffff);
}

static void
segmented(void **state)
{
	for (size_t k = 0; k < NB_TUNNELS; k++) {
		const struct tunnel *t = &tunnels[k];
		uint32_t first = bench.nb_sent, inner, l3 = outer_l3(t);
		uint8_t head[200];
		struct queues q;

		open_queues(&q, t->swp);
		inner = headers(t, head);
		send(&q, t, head, inner, 1000, 2500, t->swp);
		if (bench.nb_sent != first + 3)
			fail_msg("%s: %u segments: %s", t->name, bench.nb_sent - first, bench.dev->last_error);
		for (uint32_t i = 0; i < 3; i++) {
			const uint8_t *f = bench.sent[first + i].data;
			uint32_t n = i < 2 ? 1000 : 500, all = inner + INNER_LEN + n;

			assert_int_equal(bench.sent[first + i].len, all);
			if (t->ipv6) {
				assert_int_equal(get16(f + l3 + 4), all - l3 - 40);
			} else {
				assert_int_equal(get16(f + l3 + 2), all - l3);
				assert_int_equal(get16(f + l3 + 4), 7 + i);
				assert_int_equal(ones_sum(f + l3, 20, 0), 0xffff);
			}
			if (t->udp != 0)
				assert_int_equal(get16(f + t->udp + 4), all - t->udp);
			assert_int_equal(get16(f + inner + 2), INNER_LEN + n);
			assert_int_equal(get16(f + inner + 4), 0x100 + i);
			assert_int_equal(get32(f + inner + 24), 0x1000 + 1000 * i);
			assert_inner(f + inner, 20 + n);
			assert_memory_equal(f + inner + INNER_LEN, q.payload + 1000 * i, n);
		}
		close_queues(&q);
	}
}

/* The lengths are the sender's own here; without the offsets nobody finds what is inside. */
static void
summed(void **state)
{
	for (size_t k = 0; k < NB_TUNNELS; k++) {
		const struct tunnel *t = &tunnels[k];
		uint32_t inner, l3 = outer_l3(t), all;
		uint8_t head[200];
		struct queues q;

		open_queues(&q, true);
		inner = headers(t, head);
		all = inner + INNER_LEN + 301;
		put16(head + l3 + (t->ipv6 ? 4 : 2), all - l3 - (t->ipv6 ? 40 : 0));
		if (t->udp != 0)
			put16(head + t->udp + 4, all - t->udp);
		put16(head + inner + 2, INNER_LEN + 301);
		bench.nb_sent = 0;
		send(&q, t, head, inner, 0, 301, true);
		send(&q, t, head, inner, 0, 301, false);
		assert_int_equal(bench.nb_sent, 2);
		assert_inner(bench.sent[0].data + inner, 20 + 301);
		if (!t->ipv6)
			assert_int_equal(ones_sum(bench.sent[0].data + l3, 20, 0), 0xffff);
		if (t->swp)
			assert_int_equal(get16(bench.sent[1].data + inner + 36), 0x5678);
		else
			assert_inner(bench.sent[1].data + inner, 20 + 301);
		close_queues(&q);
	}
}

/* Offsets count from the frame as it leaves: a tag that the device inserts is in them. */
static void
with_inserted_tag(void **state)
{
	const struct tunnel *t = &tunnels[5];
	uint8_t head[200], *frame = bench_alloc(512, 64);
	uint8_t wqe[64] = { 0, 0, 0, 0x0a, 0, 0, 0, 3, 0, 0, 0, 8, [0x10] = 38 / 2, 18 / 2, 66 / 2, 46 / 2, 0x70, 0x20 };
	uint32_t inner = headers(t, head), all = inner + INNER_LEN + 60;
	struct queues q;

	open_queues(&q, true);
	put16(head + 16, all - 14);
	put16(head + 38, all - 34);
	put16(head + inner + 2, INNER_LEN + 60);
	memcpy(frame, head, inner + INNER_LEN);
	put32(wqe + 0x1c, 0x80000064);
	put32(wqe + 0x20, all);
	put32(wqe + 0x24, bench.lkey);
	put64(wqe + 0x28, (uintptr_t)frame);
	bench_post(&q.sq, wqe, sizeof(wqe));
	bench_ring(&q.sq);
	assert_int_equal(bench.nb_sent, 1);
	assert_int_equal(bench.sent[0].len, all + 4);
	assert_int_equal(get32(bench.sent[0].data + 12), 0x81000064);
	assert_int_equal(ones_sum(bench.sent[0].data + 18, 20, 0), 0xffff);
	assert_inner(bench.sent[0].data + inner + 4, 20 + 60);
	close_queues(&q);
}

/* Offsets behind the frame, or at what is no such header, find nothing; nothing is written there. */
static void
nonsense(void **state)
{
	static const uint8_t offsets[][4] = {
		{ 0, 0, 255, 255 }, { 0, 0, 20, 200 }, { 0, 0, 7, 21 }, { 0, 0, 0, 6 }, { 255, 255, 255, 255 }, { 3, 1, 2, 1 },
	};
	const struct tunnel *t = &tunnels[5];
	uint8_t head[200], expected[512];
	uint32_t inner = headers(t, head), all = inner + INNER_LEN + 60;
	struct queues q;

	open_queues(&q, true);
	put16(head + 16, all - 14);
	put16(head + 38, all - 34);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		uint8_t wqe[192] = { 0, 0, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0, 8 };
		uint32_t units = 1 + (inner + INNER_LEN - 2 + 15) / 16;

		wqe[7] = (uint8_t)(2 + units);
		memcpy(wqe + 0x10, offsets[i], 4);
		wqe[0x14] = 0x30;
		put16(wqe + 0x1c, inner + INNER_LEN);
		memcpy(wqe + 0x1e, head, inner + INNER_LEN);
		put32(wqe + 0x10 + units * 16, 60);
		put32(wqe + 0x14 + units * 16, bench.lkey);
		put64(wqe + 0x18 + units * 16, (uintptr_t)q.payload);
		bench.nb_sent = 0;
		bench_post(&q.sq, wqe, (2 + units + 3) / 4 * 64);
		bench_ring(&q.sq);
		assert_int_equal(bench.nb_sent, 1);
		memcpy(expected, head, inner + INNER_LEN);
		memcpy(expected + inner + INNER_LEN, q.payload, 60);
		assert_memory_equal(bench.sent[0].data, expected, all);
	}
	close_queues(&q);
}

static void
refused(void **state)
{
	static const uint8_t first[] = { 0x00, 0x08 };

	for (int i = 0; i < 2; i++) {
		uint8_t wqe[64] = { 0, 0, 0, 0x0a, 0, 0, 0, 3, 0, 0, 0, 8, [0x13] = 21 };
		struct queues q;

		open_queues(&q, i == 1);
		wqe[0x15] = first[i];
		put32(wqe + 0x20, 60);
		put32(wqe + 0x24, bench.lkey);
		put64(wqe + 0x28, (uintptr_t)q.payload);
		bench_post(&q.sq, wqe, sizeof(wqe));
		bench_ring(&q.sq);
		assert_int_equal(bench_cqe(&q.cq)[0x37], 2);
		assert_non_null(strstr(bench.dev->last_error, i == 0 ? "without allow_swp" : "swp_flags has reserved bits"));
		close_queues(&q);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(segmented), TEST(summed), TEST(with_inserted_tag), TEST(nonsense), TEST(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
