/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Queues: who owns a CQE over two passes of the ring, what acknowledge, post and doorbell store,
 * unwinding.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "hca/cmd.h"
#include "hca/cq.h"
#include "hca/cq_event.h"
#include "hca/rq.h"
#include "hca/sq.h"

static struct hca_device *dev;

static int
setup(void **state)
{
	fake_reset();
	dev = fake_open();
	return 0;
}

static int
teardown(void **state)
{
	hca_device_close(dev);
	assert_int_equal(fake.alive, 0);
	return 0;
}

static void
ownership_over_two_passes(void **state)
{
	const struct hca_cq_attr attr = { .nb_cqes = 3, .uar = &dev->uar };
	struct hca_cq cq;

	assert_int_equal(hca_cq_create(dev, &attr, &cq), 0);
	assert_int_equal(cq.mask, 3);
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t *op_own = cq.ring + (i & 3) * 64 + 63;

		assert_null(hca_cq_peek(&cq));
		*op_own = (uint8_t)(0x20 | (i >> 2 & 1)); /* RESP_SEND, owner of the pass */
		assert_ptr_equal(hca_cq_peek(&cq), cq.ring + (i & 3) * 64);
		cq.ci++;
	}
	hca_cq_ack(&cq);
	assert_int_equal(be32toh(*cq.dbrec), 8);
	cq.ci = 0x1000001;
	hca_cq_ack(&cq);
	assert_int_equal(be32toh(*cq.dbrec), 1);
	hca_cq_destroy(&cq);
}

static void
doorbell_is_record_then_register(void **state)
{
	const struct hca_cq_attr cq_attr = { .nb_cqes = 16, .uar = &dev->uar };
	struct hca_sq_attr sq_attr = { .nb_wqebbs = 64, .uar = &dev->uar };
	const uint8_t ctrl[8] = { 0, 0, 5, 0x0a, 0, 1, 2, 3 };
	struct hca_cq cq;
	struct hca_sq sq;

	assert_int_equal(hca_cq_create(dev, &cq_attr, &cq), 0);
	sq_attr.cq = &cq;
	assert_int_equal(hca_sq_create(dev, &sq_attr, &sq), 0);
	sq.pi = 0xfffe;
	assert_ptr_equal(hca_sq_wqebb(&sq, 0xffff), sq.ring + 63 * 64);
	hca_sq_doorbell(&sq, ctrl);
	assert_int_equal(be32toh(sq.dbrec[0]), 0xfffe);
	assert_int_equal(sq.dbrec[-1], 0);
	assert_memory_equal((const void *)sq.uar_reg, ctrl, 8);
	assert_int_equal(hca_sq_reset(&sq, true), 0);
	assert_int_equal(sq.pi, 0);
	assert_int_equal(sq.dbrec[0], 0);
	hca_sq_destroy(&sq);
	hca_cq_destroy(&cq);
}

static void
receive_counter_is_16_bits(void **state)
{
	const struct hca_cq_attr cq_attr = { .nb_cqes = 16, .uar = &dev->uar };
	struct hca_rq_attr rq_attr = { .nb_wqes = 16, .log_segments = 2 };
	struct hca_cq cq;
	struct hca_rq rq;

	assert_int_equal(hca_cq_create(dev, &cq_attr, &cq), 0);
	rq_attr.cq = &cq;
	assert_int_equal(hca_rq_create(dev, &rq_attr, &rq), 0);
	assert_ptr_equal(hca_rq_wqe(&rq, 17), rq.ring + 64);
	hca_rq_post(&rq, 0x12345);
	assert_int_equal(be32toh(*rq.dbrec), 0x2345);
	hca_rq_destroy(&rq);
	rq_attr.nb_wqes = 12;
	assert_int_equal(hca_rq_create(dev, &rq_attr, &rq), -EINVAL);
	rq_attr.nb_wqes = 1 << 16;
	assert_int_equal(hca_rq_create(dev, &rq_attr, &rq), -E2BIG);
	hca_cq_destroy(&cq);
}

static void
failed_creation_leaves_nothing(void **state)
{
	const struct hca_cq_attr cq_attr = { .nb_cqes = 16, .uar = &dev->uar };
	struct hca_sq_attr sq_attr = { .nb_wqebbs = 64, .uar = &dev->uar };
	struct hca_rq_attr rq_attr = { .nb_wqes = 16 };
	struct hca_cq cq;
	struct hca_sq sq;
	struct hca_rq rq;
	int before = fake.alive;

	/* umem, create, modify. What failed may be destroyed, as callers do who destroy all they have. */
	for (int i = 1; i <= 2; i++) {
		fake.fail_at = fake.calls + i;
		assert_true(hca_cq_create(dev, &cq_attr, &cq) < 0);
		hca_cq_destroy(&cq);
		assert_int_equal(fake.alive, before);
	}
	assert_int_equal(hca_cq_create(dev, &cq_attr, &cq), 0);
	sq_attr.cq = rq_attr.cq = &cq;
	before = fake.alive;
	for (int i = 1; i <= 3; i++) {
		fake.fail_at = fake.calls + i;
		assert_true(hca_sq_create(dev, &sq_attr, &sq) < 0);
		hca_sq_destroy(&sq);
		assert_int_equal(fake.alive, before);
	}
	for (int i = 1; i <= 2; i++) {
		fake.fail_at = fake.calls + i;
		assert_true(hca_rq_create(dev, &rq_attr, &rq) < 0);
		hca_rq_destroy(&rq);
		assert_int_equal(fake.alive, before);
	}
	hca_cq_destroy(&cq);
}

/* Bytes of nic.md A.10: CI 0x10 in the record's second word, the same and the CQ's number at 0x20 of the doorbell page. */
static void
arming_is_record_then_register(void **state)
{
	static const uint8_t word[] = { 0x10, 0, 0, 0x10 };
	const struct hca_cq_attr attr = { .nb_cqes = 64, .uar = &dev->uar };
	const uint8_t *reg = (const uint8_t *)dev->uar.base + 0x20;
	struct hca_cq_events events;
	struct hca_cq cq;

	assert_int_equal(hca_cq_create(dev, &attr, &cq), 0);
	assert_int_equal(hca_cq_events_open(dev, &events), 0);
	assert_int_equal(hca_cq_events_watch(&events, &cq), 0);
	assert_true(hca_cq_events_fd(&events) >= 0);
	assert_int_equal(hca_cq_events_take(&events), -EAGAIN);
	fake.events = 2; /* more than one notice is one event */
	assert_int_equal(hca_cq_events_take(&events), 0);
	assert_int_equal(fake.events, 0);
	cq.ci = 0x1000010;
	hca_cq_events_arm(&events, &cq);
	assert_memory_equal(cq.dbrec + 1, word, 4);
	assert_memory_equal(reg, word, 4);
	assert_int_equal(be32toh(((const uint32_t *)reg)[1]), cq.cqn);
	hca_cq_events_close(&events);
	hca_cq_destroy(&cq);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ownership_over_two_passes, setup, teardown),
		cmocka_unit_test_setup_teardown(doorbell_is_record_then_register, setup, teardown),
		cmocka_unit_test_setup_teardown(arming_is_record_then_register, setup, teardown),
		cmocka_unit_test_setup_teardown(receive_counter_is_16_bits, setup, teardown),
		cmocka_unit_test_setup_teardown(failed_creation_leaves_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
