/* SPDX-License-Identifier: BSD-3-Clause */

/* Segmentation against an expectation worked out by hand: plain TCP over IPv4 and IPv6, and inside VXLAN. */
#include <stdio.h>

#include "bench.h"

struct queues {
	struct bench_cq cq;
	struct bench_sq sq;
	uint8_t *payload;
};

static void
open_queues(struct queues *q)
{
	bench_cq(&q->cq, 6);
	bench_sq(&q->sq, &q->cq, 6);
	q->payload = bench_alloc(300000, 64);
	for (uint32_t i = 0; i < 300000; i++)
		q->payload[i] = (uint8_t)(i * 13 + i / 251);
}

static void
close_queues(struct queues *q)
{
	bench_destroy(0x906, q->sq.id);
	bench_destroy(0x401, q->cq.id);
}

/* One TSO WQE: all headers inline, the payload by one pointer. */
static void
send_tso(struct queues *q, const uint8_t *head, uint32_t head_len, uint32_t mss, uint8_t cs_flags, uint32_t payload)
{
	uint32_t units = 1 + (head_len - 2 + 15) / 16, ds = 2 + units;
	uint8_t wqe[512] = { 0, 0, 0, 0x0e, 0, 0, 0, (uint8_t)ds, 0, 0, 0, 8 };

	wqe[0x14] = cs_flags;
	put16(wqe + 0x16, mss);
	put16(wqe + 0x1c, head_len);
	memcpy(wqe + 0x1e, head, head_len);
	put32(wqe + 0x10 + units * 16, payload);
	put32(wqe + 0x14 + units * 16, bench.lkey);
	put64(wqe + 0x18 + units * 16, (uintptr_t)q->payload);
	bench_post(&q->sq, wqe, (ds + 3) / 4 * 64);
	bench_ring(&q->sq);
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
assert_l4_sum(const uint8_t *ip, uint32_t l4_len, bool ipv6, uint8_t protocol)
{
	uint32_t pseudo = ones_sum(ip + (ipv6 ? 8 : 12), ipv6 ? 32 : 8, protocol + l4_len);

	assert_int_equal(ones_sum(ip + (ipv6 ? 40 : 20), l4_len, pseudo), 0xffff);
}

/* TCP at l4: sequence 0x1000 + offset; flags of the template CWR|PSH|FIN|ACK. */
static void
assert_tcp(const uint8_t *l4, uint32_t offset, bool first, bool last)
{
	assert_int_equal(get32(l4 + 4), 0x1000 + offset);
	assert_int_equal(l4[13], 0x10 | (first ? 0x80 : 0) | (last ? 0x09 : 0));
}

static void
test_ipv4(void **state)
{
	struct queues q;
	uint8_t head[54];

	open_queues(&q);
	/* nic.md A.3: 54 bytes of header, MSS 1448, 8000 bytes; total length and checksums are nonsense */
	unhex("020000000002 020000000001 0800  4500 0000 fffe 4000 4006 1234 0a000001 0a000002"
		"  0400 0800 00001000 00000001 5099 ffff 5678 0000", head);
	send_tso(&q, head, sizeof(head), 1448, 0xc0, 8000);
	assert_int_equal(bench.nb_sent, 6);
	for (uint32_t i = 0; i < 6; i++) {
		const uint8_t *f = bench.sent[i].data;
		uint32_t n = i < 5 ? 1448 : 760;

		assert_int_equal(bench.sent[i].len, 54 + n);
		assert_int_equal(get16(f + 16), 40 + n);
		assert_int_equal(get16(f + 18), (0xfffe + i) & 0xffff);
		assert_int_equal(ones_sum(f + 14, 20, 0), 0xffff);
		assert_tcp(f + 34, 1448 * i, i == 0, i == 5);
		assert_l4_sum(f + 14, 20 + n, false, 6);
		assert_memory_equal(f + 54, q.payload + 1448 * i, n);
	}
	assert_int_equal(get16(bench_cqe(&q.cq) + 0x3c), 0);
	close_queues(&q);
}

/* The inline bytes have to be the headers, all of them and nothing else. */
static void
test_headers_not_inline(void **state)
{
	static const uint32_t len[] = { 42, 53, 56 };
	uint8_t head[64] = { 0 };
	struct queues q;

	open_queues(&q);
	unhex("020000000002 020000000001 0800  4500 0000 fffe 4000 4006 1234 0a000001 0a000002"
		"  0400 0800 00001000 00000001 5099 ffff 5678 0000", head);
	for (int i = 0; i < 3; i++) {
		send_tso(&q, head, len[i], 1000, 0xc0, 2500);
		assert_int_equal(bench.nb_sent, 0);
		assert_int_equal(bench_cqe(&q.cq)[0x37], 2);
		bench_cq_ack(&q.cq);
		assert_int_equal(bench_sq_modify(q.sq.id, 3, 0), 0);
		assert_int_equal(bench_sq_modify(q.sq.id, 0, 1), 0);
		q.sq.pi = 0;
		put32(q.sq.dbr + 4, 0);
		bench_step();
	}
	close_queues(&q);
}

static void
test_ipv6(void **state)
{
	struct queues q;
	uint8_t head[90];

	open_queues(&q);
	assert_int_equal(unhex("020000000002 020000000001 8100 0064 86dd  60000000 ffff 0640  fd000000000000000000000000000001"
		"  fd000000000000000000000000000002  0400 0800 00001000 00000001 8099 ffff 0000 0000 0101080a 00000001 00000002",
		head), 90);
	send_tso(&q, head, 90, 1000, 0x80, 2500);
	assert_int_equal(bench.nb_sent, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const uint8_t *f = bench.sent[i].data;
		uint32_t n = i < 2 ? 1000 : 500;

		assert_int_equal(bench.sent[i].len, 90 + n);
		assert_int_equal(get16(f + 18 + 4), 32 + n);
		assert_tcp(f + 58, 1000 * i, i == 0, i == 2);
		assert_l4_sum(f + 18, 32 + n, true, 6);
		assert_memory_equal(f + 90, q.payload + 1000 * i, n);
	}
	close_queues(&q);
}

static void
test_vxlan(void **state)
{
	struct queues q;
	uint8_t head[104];

	open_queues(&q);
	assert_int_equal(unhex("020000000002 020000000001 0800  4500 0000 0007 4000 4011 0000 c0a80001 c0a80002"
		"  c000 12b5 0000 0000  08000000 00002a00"
		"  0200000000bb 0200000000aa 0800  4500 0000 0100 4000 4006 0000 0a000001 0a000002"
		"  0400 0800 00001000 00000001 5099 ffff 0000 0000", head), 104);
	send_tso(&q, head, 104, 1400, 0x70, 4000); /* outer L3, inner L3, inner L4 */
	assert_int_equal(bench.nb_sent, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const uint8_t *f = bench.sent[i].data;
		uint32_t n = i < 2 ? 1400 : 1200;

		assert_int_equal(bench.sent[i].len, 104 + n);
		assert_int_equal(get16(f + 16), 90 + n);
		assert_int_equal(get16(f + 18), 7 + i);
		assert_int_equal(ones_sum(f + 14, 20, 0), 0xffff);
		assert_int_equal(get16(f + 38), 70 + n);  /* UDP length */
		assert_int_equal(get16(f + 40), 0);       /* its checksum stays as supplied */
		assert_int_equal(get16(f + 66), 40 + n);
		assert_int_equal(get16(f + 68), 0x100 + i);
		assert_int_equal(ones_sum(f + 64, 20, 0), 0xffff);
		assert_tcp(f + 84, 1400 * i, i == 0, i == 2);
		assert_l4_sum(f + 64, 20 + n, false, 6);
		assert_memory_equal(f + 104, q.payload + 1400 * i, n);
	}
	close_queues(&q);
}

static void
test_limits(void **state)
{
	struct queues q;
	uint8_t head[54];

	open_queues(&q);
	unhex("020000000002 020000000001 0800  4500 0000 fffe 4000 4006 1234 0a000001 0a000002"
		"  0400 0800 00001000 00000001 5099 ffff 5678 0000", head);
	send_tso(&q, head, sizeof(head), 1460, 0xc0, 256 * 1024);
	assert_int_equal(bench.nb_sent, 180); /* 262144 / 1460, rounded up */
	assert_int_equal(bench_cqe(&q.cq)[63] >> 4, 0);
	bench_cq_ack(&q.cq);
	send_tso(&q, head, sizeof(head), 1460, 0xc0, 256 * 1024 + 1);
	assert_int_equal(bench_cqe(&q.cq)[0x37], 2);
	assert_non_null(strstr(bench.dev->last_error, "max_lso_cap"));
	close_queues(&q);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		TEST(test_ipv4), TEST(test_ipv6), TEST(test_headers_not_inline), TEST(test_vxlan), TEST(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
