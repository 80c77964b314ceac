/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Time of the rule path alone: bursts of creations on a stepped device, the device's own work not timed. Arguments:
 * number of rules, burst, rounds. Needs LIBSOFTCX.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"

static double ns_per_tick;

static uint64_t
ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
}

static void
calibrate(void)
{
	struct timespec a, b;
	uint64_t start = ticks();

	clock_gettime(CLOCK_MONOTONIC, &a);
	do
		clock_gettime(CLOCK_MONOTONIC, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < 20000000);
	ns_per_tick = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)(ticks() - start);
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double
median(double *samples, uint32_t nb)
{
	qsort(samples, nb, sizeof(*samples), by_value);
	return samples[nb / 2];
}

struct bench {
	struct device device;
	struct tuple_table table;
	struct mlx5dr_queue *queue;
	struct mlx5dr_rule **rules;
	struct mlx5dr_result results[1024];
	struct tuple tuple;
	struct tuple_items items;
	uint32_t nb, burst;
};

/* One burst: post, push; step aside; poll. Ticks of our own work. */
static __attribute__((noinline)) uint64_t
insert_burst(struct bench *b, uint32_t first)
{
	uint64_t start = ticks(), spent;

	for (uint32_t i = first; i < first + b->burst; i++) {
		struct mlx5dr_rule *rule = mlx5dr_rule_get(b->table.matcher, b->queue);

		b->tuple.src = htobe32(0x0a000000 + i);
		b->tuple.sport = htobe16(i);
		b->rules[i] = rule;
		if (rule == NULL || mlx5dr_rule_create(b->queue, b->table.pair, rule, &b->items, NULL, MLX5DR_POSTPONE) != 0)
			abort();
	}
	mlx5dr_queue_push(b->queue);
	spent = ticks() - start;
	device_step();
	start = ticks();
	if (mlx5dr_queue_poll(b->queue, b->results, b->burst) != b->burst)
		abort();
	return spent + ticks() - start;
}

static __attribute__((noinline)) uint64_t
delete_burst(struct bench *b, uint32_t first)
{
	uint64_t start = ticks(), spent;

	for (uint32_t i = first; i < first + b->burst; i++)
		if (mlx5dr_rule_destroy(b->queue, b->table.matcher, b->rules[i], MLX5DR_POSTPONE) != 0)
			abort();
	mlx5dr_queue_push(b->queue);
	spent = ticks() - start;
	device_step();
	start = ticks();
	if (mlx5dr_queue_poll(b->queue, b->results, b->burst) != b->burst)
		abort();
	for (uint32_t i = 0; i < b->burst; i++)
		mlx5dr_rule_put(b->table.matcher, b->queue, b->results[i].op);
	return spent + ticks() - start;
}

int
main(int argc, char **argv)
{
	struct bench b = { .nb = argc > 1 ? strtoul(argv[1], NULL, 0) : 65536,
			   .burst = argc > 2 ? strtoul(argv[2], NULL, 0) : 64 };
	uint32_t rounds = argc > 3 ? strtoul(argv[3], NULL, 0) : 5;
	double *samples = malloc(2 * b.nb / b.burst * sizeof(*samples));

	calibrate();
	b.rules = malloc(b.nb * sizeof(*b.rules));
	device_open(&b.device, "wire=null,uar=poll", 1, 256);
	b.queue = mlx5dr_context_queue(b.device.ctx, 0);
	tuple_table_create(&b.device, b.nb, &b.table);
	b.items.ip = &b.tuple;
	b.items.udp = &b.tuple;
	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t n = 0;
		double insert;

		for (uint32_t i = 0; i + b.burst <= b.nb; i += b.burst)
			samples[n++] = ns_per_tick * (double)insert_burst(&b, i) / b.burst;
		insert = median(samples, n);
		n = 0;
		for (uint32_t i = 0; i + b.burst <= b.nb; i += b.burst)
			samples[n++] = ns_per_tick * (double)delete_burst(&b, i) / b.burst;
		printf("round %" PRIu32 ": insert %.1f ns, delete %.1f ns per rule (medians of bursts)\n", round, insert,
		       median(samples, n));
	}
	tuple_table_destroy(&b.table);
	device_close(&b.device);
	free(b.rules);
	free(samples);
	return 0;
}
