/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The engine: calls from many threads while it switches between threaded and stepped, stepping, clock,
 * sleep and wake.
 */
#include "device.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "softcx/core/engine.h"
#include "softcx/core/event.h"
#include "softcx/core/port.h"

static void
stepped(void **state)
{
	struct test_device t;
	uint64_t now;

	test_open(&t, "step_ns=500");
	test_part.polled = test_part.asked = test_part.asked_busy = 0;
	test_part.work = 5;
	now = sc_now_ns();
	assert_int_equal(sc_engine_step(2), 2);
	assert_int_equal(test_part.polled, 2);
	assert_int_equal(sc_now_ns(), now + 500);
	assert_int_equal(sc_engine_step(0), 3);
	assert_int_equal(test_part.asked, 6);
	assert_int_equal(test_part.asked_busy, 6); /* five, and the one behind them */
	assert_int_equal(sc_engine_step(0), 0);
	assert_int_equal(test_part.asked, 7);
	assert_int_equal(test_part.asked_busy, 6);
	usleep(2000);
	assert_int_equal(sc_now_ns(), now + 1500); /* time stands still between steps */
	test_close(&t);
}

static void
switching(void **state)
{
	struct test_device t;
	uint64_t now;

	test_open(&t, "");
	now = sc_now_ns();
	assert_int_equal(sc_engine_exec(SC_EXEC_THREADED), 0);
	assert_int_equal(sc_engine_step(1), -EINVAL);
	test_alloc(&t, PRM_CMD_OP_ALLOC_PD);
	usleep(1000);
	assert_true(sc_now_ns() > now);
	assert_int_equal(sc_engine_exec(SC_EXEC_STEPPED), 0);
	now = sc_now_ns();
	assert_int_equal(sc_engine_step(1), 0);
	assert_true(sc_now_ns() > now);
	assert_int_equal(sc_engine_exec(7), -EINVAL);
	test_close(&t);
}

#define CALLERS 4
#define CALLS   300

static int
allocate_and_free(void *arg)
{
	struct test_device *t = arg;
	uint8_t out[16];
	uint32_t pd;

	assert_true(sc_engine_owned());
	pd = test_alloc(t, PRM_CMD_OP_ALLOC_PD); /* a call inside a call */
	return test_command(t, PRM_CMD_OP_DEALLOC_PD, pd, out);
}

static void *
caller(void *arg)
{
	uintptr_t bad = 0;
	int i;

	for (i = 0; i < CALLS; i++)
		bad += sc_engine_call(allocate_and_free, arg) != 0;
	return (void *)bad;
}

static void
many_callers(void **state)
{
	pthread_t thread[CALLERS];
	struct test_device t;
	void *bad;
	int i;

	test_open(&t, "");
	for (i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, caller, &t), 0);
	for (i = 0; i < 20; i++)
		assert_int_equal(sc_engine_exec(i & 1 ? SC_EXEC_STEPPED : SC_EXEC_THREADED), 0);
	for (i = 0; i < CALLERS; i++) {
		pthread_join(thread[i], &bad);
		assert_null(bad);
	}
	assert_int_equal(sc_engine_exec(SC_EXEC_STEPPED), 0);
	assert_int_equal(test_count(&t, SC_PD), 0);
	test_close(&t);
}

static int
set_work(void *arg)
{
	test_part.work = 3;
	return 0;
}

static int
work_left(void *arg)
{
	return (int)test_part.work;
}

static int
rounds(void *arg)
{
	*(uint64_t *)arg = test_part.polled;
	return 0;
}

/* An idle engine sleeps (few rounds), and a call wakes it. */
static void
sleep_and_wake(void **state)
{
	struct test_device t;
	uint64_t before, after;
	int i;

	test_open(&t, "");
	assert_int_equal(sc_engine_exec(SC_EXEC_THREADED), 0);
	usleep(20000);
	sc_engine_call(rounds, &before);
	usleep(100000);
	sc_engine_call(rounds, &after);
	assert_true(after - before < 2000);
	sc_engine_call(set_work, NULL);
	for (i = 0; i < 1000 && sc_engine_call(work_left, NULL) > 0; i++)
		usleep(1000);
	assert_int_equal(sc_engine_call(work_left, NULL), 0);
	assert_int_equal(sc_engine_exec(SC_EXEC_STEPPED), 0);
	test_close(&t);
}

struct link_call {
	struct sc_device *dev;
	bool up;
	struct sc_event_queue *queue;
};

static int
open_events(void *arg)
{
	struct link_call *c = arg;

	return sc_events_open(c->dev, &c->queue);
}

static int
close_events(void *arg)
{
	sc_events_close(((struct link_call *)arg)->queue);
	return 0;
}

static int
move_link(void *arg)
{
	struct link_call *c = arg;

	sc_port_carrier(c->dev, c->up);
	return 0;
}

static void
events(void **state)
{
	struct sc_async_event event;
	struct link_call c = { 0 };
	struct test_device t;

	test_open(&t, "");
	c.dev = t.dev;
	assert_int_equal(sc_engine_call(open_events, &c), 0);
	sc_engine_call(move_link, &c); /* down */
	sc_engine_call(move_link, &c); /* no change, no event */
	c.up = true;
	sc_engine_call(move_link, &c);
	assert_int_equal(sc_events_get(c.queue, &event), 0);
	assert_int_equal(event.type, SC_ASYNC_PORT_ERR);
	assert_int_equal(sc_events_get(c.queue, &event), 0);
	assert_int_equal(event.type, SC_ASYNC_PORT_ACTIVE);
	assert_true(t.dev->link_up);
	sc_engine_call(close_events, &c);
	test_close(&t);
}

static int
where_it_may_run(void *arg)
{
	return sched_getaffinity(0, sizeof(cpu_set_t), arg);
}

/* A program that pins its threads does not pin the device's with them. */
static void
leaves_the_starters_cpu(void **state)
{
	cpu_set_t before, one, device;
	struct test_device t;
	int cpu = sched_getcpu();

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (CPU_COUNT(&before) < 2)
		skip();
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	test_open(&t, "");
	assert_int_equal(sc_engine_exec(SC_EXEC_THREADED), 0);
	assert_int_equal(sc_engine_call(where_it_may_run, &device), 0);
	assert_false(CPU_ISSET(cpu, &device));
	assert_int_equal(sc_engine_exec(SC_EXEC_STEPPED), 0);
	test_close(&t);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stepped), cmocka_unit_test(switching), cmocka_unit_test(many_callers),
		cmocka_unit_test(sleep_and_wake), cmocka_unit_test(events), cmocka_unit_test(leaves_the_starters_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
