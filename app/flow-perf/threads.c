/* SPDX-License-Identifier: BSD-3-Clause */

#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_flow.h>

#include "clock.h"
#include "device.h"
#include "stats.h"

#define THREADS 2
#define ROUNDS  40
#define PATIENCE 1000000

struct poster {
	struct perf_port *port;
	struct rte_flow_template_table *table;
	struct shape_rule *rules;  /* all of them, filled before the clock runs */
	struct rte_flow **flows;
	uint32_t nb_rules, burst, queue, core;
	pthread_barrier_t *begin;
	struct samples per_rule;
	uint32_t posted;
} __attribute__((aligned(128))); /* no line of one is near one of the other */

/* Post all, a clock reading for each burst; a burst that the scheduler cut is an outlier that the median forgets. */
static void *
post(void *arg)
{
	const struct rte_flow_op_attr later = {.postpone = 1};
	struct poster *poster = arg;
	struct rte_flow_error error;
	cpu_set_t core;

	CPU_ZERO(&core);
	CPU_SET(poster->core, &core);
	pthread_setaffinity_np(pthread_self(), sizeof(core), &core);
	pthread_barrier_wait(poster->begin);
	for (poster->posted = 0; poster->posted < poster->nb_rules;) {
		uint64_t begin = clock_now();

		for (uint32_t i = 0; i < poster->burst; i++) {
			struct shape_rule *rule = &poster->rules[poster->posted];
			struct rte_flow *flow = rte_flow_async_create(poster->port->id, poster->queue, &later, poster->table,
				rule->items, 0, rule->actions, 0, NULL, &error);

			if (flow == NULL)
				return NULL;
			poster->flows[poster->posted++] = flow;
		}
		rte_flow_push(poster->port->id, poster->queue, &error);
		samples_add(&poster->per_rule, clock_ns((double)(clock_now() - begin)) / poster->burst);
	}
	return NULL;
}

static int
take(struct poster *poster, uint32_t n)
{
	struct rte_flow_op_result results[64];
	struct rte_flow_error error;
	int idle = 0;

	while (n > 0) {
		int got = rte_flow_pull(poster->port->id, poster->queue, results, n < 64 ? n : 64, &error);

		if (got < 0 || (got == 0 && ++idle > PATIENCE))
			return port_say(poster->port, "pull", got < 0 ? got : -ETIMEDOUT, &error);
		n -= got;
		device_step();
	}
	return 0;
}

static int
empty(struct poster *poster)
{
	const struct rte_flow_op_attr later = {.postpone = 1};
	struct rte_flow_error error;
	int rc = take(poster, poster->posted);

	for (uint32_t i = 0; rc == 0 && i < poster->posted; i++)
		rc = rte_flow_async_destroy(poster->port->id, poster->queue, &later, poster->flows[i], NULL, &error);
	if (rc != 0)
		return port_say(poster->port, "async_destroy", rc, &error);
	rte_flow_push(poster->port->id, poster->queue, &error);
	return take(poster, poster->posted);
}

/* One round of nb threads, of the first of posters on. */
static int
round_of(struct poster *posters, uint32_t nb)
{
	pthread_barrier_t begin;
	pthread_t id[THREADS];
	int rc = 0;

	pthread_barrier_init(&begin, NULL, nb);
	for (uint32_t i = 0; i < nb; i++) {
		posters[i].begin = &begin;
		if (pthread_create(&id[i], NULL, post, &posters[i]) != 0)
			abort(); /* the others wait for it */
	}
	for (uint32_t i = 0; i < nb; i++)
		pthread_join(id[i], NULL);
	pthread_barrier_destroy(&begin);
	for (uint32_t i = 0; rc == 0 && i < nb; i++) {
		if (posters[i].posted < posters[i].nb_rules)
			rc = port_say(posters[i].port, "async_create", -rte_errno, NULL);
		if (rc == 0)
			rc = empty(&posters[i]);
	}
	return rc;
}

static void
collect(struct poster *poster, struct samples *into)
{
	for (size_t s = 0; into != NULL && s < poster->per_rule.count; s++)
		samples_add(into, poster->per_rule.value[s]);
	samples_free(&poster->per_rule);
}

static void
prepare(struct poster *posters, struct perf_port *port, const struct shape *shape, uint32_t rules, uint32_t burst)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		struct poster *poster = &posters[t];

		*poster = (struct poster){.port = port, .nb_rules = rules / burst * burst, .burst = burst, .queue = t,
			.core = t % (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
		poster->rules = aligned_alloc(64, (rules * sizeof(*poster->rules) + 63) & ~63ul);
		poster->flows = calloc(rules, sizeof(*poster->flows));
		if (poster->rules == NULL || poster->flows == NULL)
			abort();
		for (uint32_t i = 0; i < rules; i++) {
			shape_prepare(shape, &poster->rules[i]);
			shape_fill(shape, &poster->rules[i], (uint64_t)t * rules + i);
		}
	}
}

int
threads_measure(struct perf_port *port, const struct shape *shape, uint32_t rules, uint32_t burst, double *one,
	double *two)
{
	const struct rte_flow_template_table_attr attr = {.flow_attr = {.group = 1, .ingress = 1}, .nb_flows = 65536};
	struct poster posters[THREADS];
	struct samples alone[THREADS] = {{0}}, both[THREADS] = {{0}};
	struct rte_flow_error error = {0};
	struct rte_flow_pattern_template *pattern = shape_pattern(shape, port->id, false, &error);
	struct rte_flow_actions_template *actions = shape_actions(shape, port->id, &error);
	struct rte_flow_template_table *table = NULL;
	int rc = 0;

	if (rules > port->config.flow_queue_size || burst > rules || port->config.flow_queues < THREADS)
		rc = port_say(port, "two threads: rules, burst or queues", -EINVAL, NULL);
	if (rc == 0 && pattern != NULL && actions != NULL)
		table = rte_flow_template_table_create(port->id, &attr, &pattern, 1, &actions, 1, &error);
	if (rc == 0 && table == NULL)
		rc = port_say(port, "template_table_create", rte_errno, &error);
	prepare(posters, port, shape, rules, burst);
	device_stepped(true);
	posters[0].table = posters[1].table = table;
	/*
	 * In turn, so that what disturbs one disturbs the other. Each thread is held against itself alone on its core: the
	 * device is stepped on the first, so the second finds its ring in the other core's cache. The first round warms up.
	 */
	for (int i = 0; rc == 0 && i <= ROUNDS; i++) {
		for (uint32_t t = 0; rc == 0 && t < THREADS; t++) {
			rc = round_of(&posters[t], 1);
			collect(&posters[t], i > 0 ? &alone[t] : NULL);
		}
		if (rc == 0)
			rc = round_of(posters, THREADS);
		for (uint32_t t = 0; t < THREADS; t++)
			collect(&posters[t], i > 0 ? &both[t] : NULL);
	}
	device_stepped(false);
	*one = *two = 0;
	for (uint32_t t = 0; t < THREADS; t++) {
		*one += samples_quantile(&alone[t], 0.5) / THREADS;
		*two += samples_quantile(&both[t], 0.5) / THREADS;
		samples_free(&alone[t]);
		samples_free(&both[t]);
		free(posters[t].rules);
		free(posters[t].flows);
	}
	if (table != NULL)
		rte_flow_template_table_destroy(port->id, table, &error);
	if (actions != NULL)
		rte_flow_actions_template_destroy(port->id, actions, &error);
	if (pattern != NULL)
		rte_flow_pattern_template_destroy(port->id, pattern, &error);
	return rc;
}
