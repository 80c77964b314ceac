/* SPDX-License-Identifier: BSD-3-Clause */

/* The bus account of queues: each has its own, and together they are the port's. */
#include "bench.h"

#include "softcx/core/engine.h"

static struct bench_cq tx_cq, rx_cq;
static struct bench_sq sq[2];
static struct bench_rq rq[2];

static int
ring(void *arg)
{
	struct bench_sq *q = arg;
	uint64_t value;

	memcpy(&value, q->ring + ((uint16_t)(q->pi - 1) & q->mask) * 64u, sizeof(value));
	return sc_nic_doorbell(bench.dev, bench.uar, 0x800, value);
}

static void
send(struct bench_sq *q, const uint8_t *from, uint32_t len)
{
	uint8_t wqe[64] = { 0, 0, 0, 0x0a, 0, 0, 0, 3, 0, 0, 0, 8 };

	put32(wqe + 0x20, len);
	put32(wqe + 0x24, bench.lkey);
	put64(wqe + 0x28, (uintptr_t)from);
	bench_post(q, wqe, sizeof(wqe));
	put32(q->dbr + 4, q->pi);
	assert_int_equal(sc_engine_call(ring, q), 0);
	bench_step();
}

static const struct sc_bus_count *
sq_bus(int i)
{
	return ((struct sc_sq *)sc_object_find(bench.dev, SC_SQ, sq[i].id))->bus;
}

static const struct sc_bus_count *
rq_bus(int i)
{
	return ((struct sc_rq *)sc_object_find(bench.dev, SC_RQ, rq[i].id))->bus;
}

static void
assert_count(const struct sc_bus_count *bus, enum sc_bus kind, uint64_t operations, uint64_t bytes)
{
	if (bus[kind].operations != operations || bus[kind].bytes != bytes)
		fail_msg("%s: %llu of %llu bytes, expected %llu of %llu", sc_bus_name(kind),
			(unsigned long long)bus[kind].operations, (unsigned long long)bus[kind].bytes,
			(unsigned long long)operations, (unsigned long long)bytes);
}

static void
each_its_own(void **state)
{
	uint8_t in[0x110], out[0x200], frame[1000] = { 2 }, *buf = bench_alloc(4096, 64);
	uint32_t tir[2];

	bench.dev->account.on = true;
	bench_cq(&tx_cq, 6);
	bench_cq_in(&rx_cq, 6, in);
	put32(in + 0x10, get32(in + 0x10) | 1u << 14); /* both receive queues in one CQ that compresses */
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0);
	rx_cq.id = get32(out + 8) & 0xffffff;
	bench_cq_init(&rx_cq);
	for (int i = 0; i < 2; i++) {
		bench_sq(&sq[i], &tx_cq, 6);
		bench_rq_in(&rq[i], &rx_cq, 6, i, in);
		bench_rq_make(&rq[i], in);
		for (int k = 0; k < 20; k++)
			bench_rq_post(&rq[i], buf, 2048, bench.lkey);
		bench_rq_ring(&rq[i]);
	}
	send(&sq[0], buf, 60);
	send(&sq[1], buf, 100);
	send(&sq[1], buf, 1000);
	assert_count(sq_bus(0), SC_BUS_DOORBELL, 1, 8);
	assert_count(sq_bus(0), SC_BUS_RECORD, 1, 4);
	assert_count(sq_bus(0), SC_BUS_WQE, 1, 64);
	assert_count(sq_bus(0), SC_BUS_DATA_READ, 1, 60);
	assert_count(sq_bus(0), SC_BUS_CQE, 1, 64);
	assert_count(sq_bus(1), SC_BUS_DOORBELL, 2, 16);
	assert_count(sq_bus(1), SC_BUS_DATA_READ, 2, 1100);
	assert_count(sq_bus(1), SC_BUS_CQE, 2, 128);
	assert_int_equal(sq_bus(1)[SC_BUS_DOORBELL].bytes_down, 2 * 32);

	put16(frame + 12, 0x88b5);
	for (int i = 0; i < 2; i++) {
		tir[i] = bench_tir(rq[i].id);
		for (int k = 0; k < 9 + i; k++)
			bench_receive(frame, 100);
		bench_no_tir();
	}
	bench_step();
	/* a title and two arrays each */
	assert_count(rq_bus(0), SC_BUS_CQE, 3, 192);
	assert_count(rq_bus(0), SC_BUS_WQE, 9, 9 * 16);
	assert_count(rq_bus(0), SC_BUS_DATA_WRITE, 9, 900);
	assert_count(rq_bus(1), SC_BUS_CQE, 3, 192);
	assert_count(rq_bus(1), SC_BUS_WQE, 10, 10 * 32);
	assert_count(rq_bus(1), SC_BUS_RECORD, 1, 4);
	for (int kind = SC_BUS_RECORD; kind < SC_BUS_KINDS; kind++) {
		const struct sc_bus_count *all = &bench.dev->account.kind[kind];
		uint64_t bytes = 0, up = 0, down = 0;

		for (int i = 0; i < 2; i++) {
			bytes += sq_bus(i)[kind].bytes + rq_bus(i)[kind].bytes;
			up += sq_bus(i)[kind].bytes_up + rq_bus(i)[kind].bytes_up;
			down += sq_bus(i)[kind].bytes_down + rq_bus(i)[kind].bytes_down;
		}
		assert_int_equal(bytes, all->bytes);
		assert_int_equal(up, all->bytes_up);
		assert_int_equal(down, all->bytes_down);
	}
	for (int i = 0; i < 2; i++) {
		bench_destroy(0x902, tir[i]);
		bench_destroy(0x90a, rq[i].id);
		bench_destroy(0x906, sq[i].id);
	}
	bench_destroy(0x401, rx_cq.id);
	bench_destroy(0x401, tx_cq.id);
}

/* A queue that goes takes the session along that its packets are in. */
static void
queue_gone(void **state)
{
	uint8_t in[0x110], out[0x200], frame[100] = { 2 }, *buf;
	uint32_t tir;

	bench_open_settings("cqe_comp_us=1000");
	bench.dev->account.on = true;
	buf = bench_alloc(4096, 64);
	bench_cq_in(&rx_cq, 6, in);
	put32(in + 0x10, get32(in + 0x10) | 1u << 14);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0);
	rx_cq.id = get32(out + 8) & 0xffffff;
	bench_cq_init(&rx_cq);
	bench_rq_in(&rq[0], &rx_cq, 6, 0, in);
	bench_rq_make(&rq[0], in);
	for (int k = 0; k < 20; k++)
		bench_rq_post(&rq[0], buf, 2048, bench.lkey);
	bench_rq_ring(&rq[0]);
	tir = bench_tir(rq[0].id);
	for (int k = 0; k < 3; k++)
		bench_receive(frame, sizeof(frame));
	bench_step();
	assert_null(bench_cqe(&rx_cq));
	bench_no_tir();
	bench_destroy(0x902, tir);
	bench_destroy(0x90a, rq[0].id);
	assert_int_equal(rx_cq.ring[63], 0x2c);
	assert_int_equal(get32(rx_cq.ring + 0x2c), 3);
	bench_destroy(0x401, rx_cq.id);
	bench_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_its_own, bench_open, bench_close),
		cmocka_unit_test(queue_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
