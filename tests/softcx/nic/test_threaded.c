/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A driver and the engine's thread meet in rings and records only: frames go round a loop, in order and
 * whole. Made for ThreadSanitizer; the driver's side uses util/order.h as drivers do.
 */
#include <sched.h>

#include "bench.h"

#include "softcx/core/engine.h"
#include "util/order.h"

enum { FRAMES = 20000, RING = 64, LEN = 100 };

static const uint8_t *
poll_cq(struct bench_cq *cq)
{
	const uint8_t *entry = cq->ring + (cq->ci & ((1u << cq->log_size) - 1)) * 64;
	uint8_t op_own = order_load_acquire8(entry + 63);

	if (op_own >> 4 == 0xf || (op_own & 1) != (cq->ci >> cq->log_size & 1))
		return NULL;
	cq->ci++;
	return entry;
}

static void
test_loop(void **state)
{
	struct bench_cq rx_cq, tx_cq;
	struct bench_rq rq;
	struct bench_sq sq;
	uint8_t in[0x110], *buf, *out;
	uint32_t tir, sent = 0, got = 0, done = 0;

	bench_open_wire("loop");
	buf = bench_alloc(RING * 2048, 64);
	out = bench_alloc(RING * 2048, 64);
	bench_cq(&rx_cq, 6);
	bench_cq(&tx_cq, 6);
	bench_rq_in(&rq, &rx_cq, 6, 0, in);
	bench_rq_make(&rq, in);
	bench_sq(&sq, &tx_cq, 6);
	tir = bench_tir(rq.id);
	for (uint32_t i = 0; i < RING; i++)
		bench_rq_post(&rq, buf + i * 2048, 2048, bench.lkey);
	bench_rq_ring(&rq);
	assert_int_equal(sc_engine_exec(SC_EXEC_THREADED), 0);

	while (got < FRAMES) {
		const uint8_t *cqe;

		while (sent < FRAMES && sent - got < RING && sent - done < RING) {
			uint8_t wqe[64] = { 0, 0, 0, 0x0a, 0, 0, 0, 3, 0, 0, 0, 8 }, *frame = out + sent % RING * 2048;

			memset(frame, (int)(sent & 0xff), LEN);
			frame[0] = 2;
			put32(frame + 20, sent);
			put32(wqe + 0x20, LEN);
			put32(wqe + 0x24, bench.lkey);
			put64(wqe + 0x28, (uintptr_t)frame);
			bench_post(&sq, wqe, 64);
			sent++;
		}
		order_store_release_be32(sq.dbr + 4, sq.pi);
		while (poll_cq(&tx_cq) != NULL)
			done++;
		order_store_release_be32(tx_cq.dbr, tx_cq.ci & 0xffffff);
		while ((cqe = poll_cq(&rx_cq)) != NULL) {
			const uint8_t *frame = buf + got % RING * 2048;

			assert_int_equal(cqe[63] >> 4, 2);
			assert_int_equal(get32(cqe + 0x2c), LEN);
			assert_int_equal(get32(frame + 20), got);
			assert_int_equal(frame[LEN - 1], got & 0xff);
			rq.pi++;
			got++;
		}
		order_store_release_be32(rx_cq.dbr, rx_cq.ci & 0xffffff);
		order_store_release_be32(rq.dbr, rq.pi);
		sched_yield();
	}
	assert_int_equal(sc_engine_exec(SC_EXEC_STEPPED), 0);
	bench_no_tir();
	bench_destroy(0x902, tir);
	bench_destroy(0x90a, rq.id);
	bench_destroy(0x906, sq.id);
	bench_destroy(0x401, rx_cq.id);
	bench_destroy(0x401, tx_cq.id);
	bench_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_loop) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
