/* SPDX-License-Identifier: BSD-3-Clause */

/* Hash and indirection: the vectors of nic.md A.11, selectors, symmetry, tables that change under traffic. */
#include <arpa/inet.h>
#include <stdio.h>

#include "bench.h"

static const char default_key[] =
	"6d5a56da 255b0ec2 4167253d 43a38fb0 d0ca2bcb ae7b30b4 77cb2da3 8030f20c 6a42b73b beac01fa";

struct flow {
	const char *src, *dst;
	uint16_t sport, dport;
	bool ipv6;
	uint32_t with_ports, addresses;
};

static const struct flow flows[] = {
	{ "66.9.149.187", "161.142.100.80", 2794, 1766, false, 0x51ccc178, 0x323e8fc2 },
	{ "199.92.111.2", "65.69.140.83", 14230, 4739, false, 0xc626b0ea, 0xd718262a },
	{ "3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, true, 0x40207d3d, 0x2cc18cd5 },
};

#define NB_FLOWS (sizeof(flows) / sizeof(flows[0]))

static uint32_t
frame_of(const struct flow *f, bool udp, bool reversed, uint8_t *frame)
{
	uint32_t l3 = 14, l4 = f->ipv6 ? 54 : 34, len = l4 + (udp ? 8 : 20) + 20, n = f->ipv6 ? 16 : 4;
	uint8_t *ip = frame + l3;

	memset(frame, 0, len);
	put16(frame + 12, f->ipv6 ? 0x86dd : 0x0800);
	if (f->ipv6) {
		ip[0] = 0x60;
		put16(ip + 4, len - 54);
		ip[6] = udp ? 17 : 6;
	} else {
		ip[0] = 0x45;
		put16(ip + 2, len - 14);
		ip[9] = udp ? 17 : 6;
	}
	inet_pton(f->ipv6 ? AF_INET6 : AF_INET, reversed ? f->dst : f->src, ip + (f->ipv6 ? 8 : 12));
	inet_pton(f->ipv6 ? AF_INET6 : AF_INET, reversed ? f->src : f->dst, ip + (f->ipv6 ? 8 : 12) + n);
	put16(frame + l4, reversed ? f->dport : f->sport);
	put16(frame + l4 + 2, reversed ? f->sport : f->dport);
	if (udp)
		put16(frame + l4 + 4, len - l4);
	else
		frame[l4 + 12] = 0x50;
	return len;
}

static struct sc_rss
hash(struct sc_tir *tir, const struct flow *f, bool udp, bool reversed)
{
	uint8_t frame[128];
	struct sc_parse parse;
	struct sc_rss rss;

	sc_parse_frame(frame, frame_of(f, udp, reversed, frame), &parse);
	sc_rss_hash(tir, frame, &parse, &rss);
	return rss;
}

static void
test_toeplitz(void **state)
{
	for (size_t i = 0; i < NB_FLOWS; i++) {
		const struct flow *f = &flows[i];
		uint32_t n = f->ipv6 ? 16 : 4;
		uint8_t key[40], input[36];

		unhex(default_key, key);
		inet_pton(f->ipv6 ? AF_INET6 : AF_INET, f->src, input);
		inet_pton(f->ipv6 ? AF_INET6 : AF_INET, f->dst, input + n);
		put16(input + 2 * n, f->sport);
		put16(input + 2 * n + 2, f->dport);
		assert_int_equal(sc_toeplitz(key, input, 2 * n + 4), f->with_ports);
		assert_int_equal(sc_toeplitz(key, input, 2 * n), f->addresses);
	}
}

/* The six selector dwords of the usual layout, on TCP and UDP of both versions. */
static void
test_selectors(void **state)
{
	struct sc_tir tir = { .hash_fn = 2 };

	unhex(default_key, tir.key);
	for (size_t i = 0; i < NB_FLOWS; i++) {
		const struct flow *f = &flows[i];
		uint32_t l3 = f->ipv6 ? 1u << 31 : 0;

		tir.outer = l3 | 3;
		assert_int_equal(hash(&tir, f, false, false).hash, f->addresses);
		assert_int_equal(hash(&tir, f, true, false).hash, f->addresses);
		assert_int_equal(hash(&tir, f, true, false).type, f->ipv6 ? 0x08 : 0x04);
		tir.outer = l3 | 0xf;
		assert_int_equal(hash(&tir, f, false, false).hash, f->with_ports);
		assert_int_equal(hash(&tir, f, false, false).type, f->ipv6 ? 0x48 : 0x44);
		assert_int_equal(hash(&tir, f, true, false).hash, 0); /* UDP on a TCP selector */
		assert_int_equal(hash(&tir, f, true, false).type, 0);
		tir.outer = l3 | 1u << 30 | 0xf;
		assert_int_equal(hash(&tir, f, true, false).hash, f->with_ports);
		assert_int_equal(hash(&tir, f, true, false).type, f->ipv6 ? 0x88 : 0x84);
		assert_int_equal(hash(&tir, f, false, false).hash, 0);
		tir.outer = (l3 ^ 1u << 31) | 3;
		assert_int_equal(hash(&tir, f, false, false).hash, 0); /* the other IP version */
	}
}

static void
test_symmetric(void **state)
{
	struct sc_tir tir = { .hash_fn = 2, .symmetric = true };

	unhex(default_key, tir.key);
	for (size_t i = 0; i < NB_FLOWS; i++) {
		tir.outer = (flows[i].ipv6 ? 1u << 31 : 0) | 0xf;
		assert_int_equal(hash(&tir, &flows[i], false, false).hash, hash(&tir, &flows[i], false, true).hash);
		assert_int_not_equal(hash(&tir, &flows[i], false, false).hash, 0);
	}
	tir.outer = 0xf;
	assert_int_equal(hash(&tir, &flows[0], false, false).hash, 0xa65524fa);
}

/* Four queues, a table, the hash picks by its low bits; then the table is changed. */
static void
test_table(void **state)
{
	uint8_t in[0x110 + 32] = { 0 }, out[0x200], frame[128], *buf = bench_alloc(8192, 64);
	struct bench_cq cq[4];
	struct bench_rq rq[4];
	uint32_t rqt, tir, len;
	const uint8_t *cqe;

	for (int i = 0; i < 4; i++) {
		uint8_t rqc[0x110];

		bench_cq(&cq[i], 4);
		bench_rq_in(&rq[i], &cq[i], 3, 0, rqc);
		bench_rq_make(&rq[i], rqc);
		for (int j = 0; j < 4; j++)
			bench_rq_post(&rq[i], buf + 512 * (i * 4 + j), 512, bench.lkey);
		bench_rq_ring(&rq[i]);
	}
	put32(in + 0x34, 8); /* max 8 */
	put32(in + 0x38, 4);
	for (int i = 0; i < 4; i++)
		put32(in + 0x110 + 4 * i, rq[i].id);
	assert_int_equal(bench_command(0x916, in, 0x120, out), 0);
	rqt = get32(out + 8);
	memset(in, 0, sizeof(in));
	put32(in + 0x24, 1u << 28);
	put32(in + 0x40, rqt);
	put32(in + 0x44, 2u << 28 | bench.td);
	unhex(default_key, in + 0x48);
	put32(in + 0x70, 0xf);
	assert_int_equal(bench_command(0x900, in, 0x110, out), 0);
	tir = get32(out + 8);
	bench.tir = sc_object_find(bench.dev, SC_TIR, tir);
	bench.tir->obj.refs++;

	len = frame_of(&flows[0], false, false, frame); /* hash 0x51ccc178: entry 0 */
	bench_receive(frame, len);
	cqe = bench_cqe(&cq[0]);
	assert_non_null(cqe);
	assert_int_equal(get32(cqe + 0x0c), 0x51ccc178);
	assert_int_equal(cqe[0x10], 0x44);
	len = frame_of(&flows[1], false, false, frame); /* 0xc626b0ea: entry 2 */
	bench_receive(frame, len);
	assert_non_null(bench_cqe(&cq[2]));
	len = frame_of(&flows[1], true, false, frame); /* no hash: entry 0 */
	bench_receive(frame, len);
	cqe = bench_cqe(&cq[0]);
	assert_non_null(cqe);
	assert_int_equal(get32(cqe + 0x0c), 0);

	memset(in, 0, sizeof(in)); /* now everything to queue 3, twice in an 8-entry table */
	put32(in + 8, rqt);
	put32(in + 0x14, 1);
	put32(in + 0x34, 8);
	put32(in + 0x38, 8);
	for (int i = 0; i < 8; i++)
		put32(in + 0x110 + 4 * i, rq[3].id);
	assert_int_equal(bench_command(0x917, in, sizeof(in), out), 0);
	len = frame_of(&flows[1], false, false, frame);
	bench_receive(frame, len);
	assert_non_null(bench_cqe(&cq[3]));
	bench_destroy(0x90a, rq[0].id); /* no longer in the table */
	assert_int_equal(bench_try_destroy(0x90a, rq[3].id), 6);
	assert_int_equal(bench_try_destroy(0x918, rqt), 6);

	memset(in, 0, sizeof(in)); /* MODIFY_TIR: hash off, live */
	put32(in + 8, tir);
	put32(in + 0x14, 1u << 2);
	assert_int_equal(bench_command(0x901, in, 0x110, out), 0);
	bench_receive(frame, len);
	assert_int_equal(get32(bench_cqe(&cq[3]) + 0x0c), 0);

	bench_no_tir();
	bench_destroy(0x902, tir);
	bench_destroy(0x918, rqt);
	for (int i = 0; i < 4; i++) {
		if (i > 0)
			bench_destroy(0x90a, rq[i].id);
		bench_destroy(0x401, cq[i].id);
	}
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		TEST(test_toeplitz), TEST(test_selectors), TEST(test_symmetric), TEST(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
