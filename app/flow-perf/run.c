/* SPDX-License-Identifier: BSD-3-Clause */

#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_flow.h>

#include "clock.h"
#include "collect.h"
#include "device.h"
#include "memory.h"

#define BURST_MAX 1024
#define PULL_PATIENCE 20000000 /* empty pulls before a result counts as lost */

struct run {
	struct perf_port *port;
	const struct run_config *config;
	struct run_result *result;
	struct rte_flow_pattern_template *pattern;
	struct rte_flow_actions_template *actions;
	struct rte_flow_template_table *table[PORT_QUEUES];
	struct rte_flow_template_table *filling; /* of the burst */
	struct rte_flow **flows;
	struct shape_rule *rules; /* burst of them */
	uint32_t inserted;
	uint64_t overhead;
	struct rte_flow_error error;
};

static uint32_t
nb_tables(const struct run_config *config)
{
	return config->nb_tables != 0 ? config->nb_tables : 1;
}

static int
make_table(struct run *run)
{
	const struct run_config *config = run->config;
	const struct rte_flow_template_table_attr attr = {
		.flow_attr = {.group = 1, .ingress = !config->shape->egress, .egress = config->shape->egress},
		.nb_flows = config->table_rules != 0 ? config->table_rules : config->rules,
	};
	uint64_t begin = clock_now();

	run->pattern = shape_pattern(config->shape, run->port->id, config->relaxed, &run->error);
	run->result->pattern_ms = clock_ns((double)(clock_now() - begin)) / 1e6;
	if (run->pattern == NULL)
		return port_say(run->port, "pattern_template_create", rte_errno, &run->error);
	run->actions = shape_actions(config->shape, run->port->id, &run->error);
	if (run->actions == NULL)
		return port_say(run->port, "actions_template_create", rte_errno, &run->error);
	for (uint32_t i = 0; i < nb_tables(config); i++) {
		begin = clock_now();
		run->table[i] = rte_flow_template_table_create(run->port->id, &attr, &run->pattern, 1, &run->actions, 1,
			&run->error);
		run->result->table_ms = clock_ns((double)(clock_now() - begin)) / 1e6;
		if (run->table[i] == NULL)
			return port_say(run->port, "template_table_create", rte_errno, &run->error);
	}
	return 0;
}

static void
free_table(struct run *run)
{
	for (uint32_t i = 0; i < nb_tables(run->config); i++) {
		int rc = 0;

		if (run->table[i] != NULL)
			rc = rte_flow_template_table_destroy(run->port->id, run->table[i], &run->error);
		if (rc != 0)
			port_say(run->port, "template_table_destroy", rc, &run->error);
	}
	if (run->actions != NULL)
		rte_flow_actions_template_destroy(run->port->id, run->actions, &run->error);
	if (run->pattern != NULL)
		rte_flow_pattern_template_destroy(run->port->id, run->pattern, &run->error);
}

/* Post operations first .. first + n - 1. What the loops themselves do counts too, so they hold in registers what they can. */
static int
post_inserts(struct run *run, uint32_t queue, uint32_t first, uint32_t n)
{
	const bool each = run->config->push_each;
	const struct rte_flow_op_attr attr = {.postpone = !each};
	struct rte_flow_template_table *table = run->filling;
	struct rte_flow **flow = &run->flows[first];
	const uint16_t port = run->port->id;
	uintptr_t number = first;

	for (const struct shape_rule *r = run->rules, *end = r + n; r != end; r++) {
		struct rte_flow *made = rte_flow_async_create(port, queue, &attr, table, r->items, 0, r->actions, 0,
			(void *)++number, &run->error);

		if (made == NULL)
			return -rte_errno;
		*flow++ = made;
		if (each)
			rte_flow_push(port, queue, &run->error);
	}
	return 0;
}

static int
post_deletes(struct run *run, uint32_t queue, uint32_t first, uint32_t n)
{
	const bool each = run->config->push_each;
	const struct rte_flow_op_attr attr = {.postpone = !each};
	const uint16_t port = run->port->id;
	uintptr_t number = first;

	for (struct rte_flow **flow = &run->flows[first], **end = flow + n; flow != end; flow++) {
		int rc = rte_flow_async_destroy(port, queue, &attr, *flow, (void *)++number, &run->error);

		if (rc != 0)
			return rc;
		if (each)
			rte_flow_push(port, queue, &run->error);
	}
	return 0;
}

static const struct {
	const char *name;
	const char *call;
	int (*post)(struct run *run, uint32_t queue, uint32_t first, uint32_t n);
} phases[RUN_PHASES] = {
	[RUN_INSERT] = {"insert", "async_create", post_inserts},
	[RUN_DELETE] = {"delete", "async_destroy", post_deletes},
};

/* Take n results off queue. Adds the cycles spent in the driver to *spent when stepped. */
static int
pull(struct run *run, uint32_t queue, uint32_t n, uint64_t *spent)
{
	struct rte_flow_op_result results[64];
	uint32_t idle = 0;

	while (n > 0) {
		uint64_t begin;
		int got;

		count_switch();
		begin = clock_now();
		got = rte_flow_pull(run->port->id, queue, results, n < 64 ? n : 64, &run->error);
		*spent += clock_now() - begin - run->overhead;
		count_switch();
		if (got < 0)
			return port_say(run->port, "pull", got, &run->error);
		for (int i = 0; i < got; i++)
			run->result->failed += results[i].status != RTE_FLOW_OP_SUCCESS;
		n -= got;
		if (got > 0) {
			idle = 0;
		} else if (++idle > PULL_PATIENCE) {
			fprintf(stderr, "flow-perf: port %u (%s): queue %u: %u results did not come\n", run->port->id,
				run->port->name, queue, n);
			return -ETIMEDOUT;
		} else {
			device_step();
		}
	}
	return 0;
}

/* One burst: posts operations first .. first + n - 1 on queue and takes their results. */
static int
burst(struct run *run, enum run_phase phase, uint32_t queue, uint32_t first, uint32_t n)
{
	struct run_phase_result *result = &run->result->phase[phase];
	uint64_t begin, posted, wall, driver, pulling = 0;
	int rc;

	run->filling = run->table[(queue - run->config->first_queue) % nb_tables(run->config)];
	if (phase == RUN_INSERT)
		for (uint32_t i = 0; i < n; i++)
			shape_fill(run->config->shape, &run->rules[i], run->config->first + first + i);
	count_switch();
	begin = clock_now();
	rc = phases[phase].post(run, queue, first, n);
	if (rc != 0)
		return port_say(run->port, phases[phase].call, rc, &run->error);
	if (!run->config->push_each)
		rte_flow_push(run->port->id, queue, &run->error);
	posted = clock_now();
	count_switch();
	if (run->config->stepped) {
		uint64_t from = clock_now();

		device_step();
		if (phase == RUN_INSERT)
			run->result->device_seconds += clock_ns((double)(clock_now() - from)) / 1e9;
	}
	rc = pull(run, queue, n, &pulling);
	wall = clock_now() - begin;
	if (rc != 0)
		return rc;
	driver = posted - begin - run->overhead + pulling;
	result->operations += n;
	result->seconds += clock_ns((double)(int64_t)(run->config->stepped ? driver : wall)) / 1e9;
	samples_add(&result->per_rule, clock_ns((double)(int64_t)(run->config->stepped ? driver : wall)) / n);
	samples_add(&result->latency, clock_ns((double)wall));
	if (phase == RUN_INSERT)
		samples_add(&run->result->per_queue[queue], clock_ns((double)(int64_t)(run->config->stepped ? driver : wall)) / n);
	return 0;
}

static int
query_all(struct run *run)
{
	const struct rte_flow_action count[] = {{.type = RTE_FLOW_ACTION_TYPE_COUNT}, {.type = RTE_FLOW_ACTION_TYPE_END}};
	struct run_phase_result *result = &run->result->phase[RUN_QUERY];
	uint32_t step = run->config->burst;

	for (uint32_t first = 0; first < run->config->rules; first += step) {
		uint32_t n = run->config->rules - first < step ? run->config->rules - first : step;
		uint64_t begin = clock_now(), spent;

		for (uint32_t i = 0; i < n; i++) {
			struct rte_flow_query_count value = {0};
			int rc = rte_flow_query(run->port->id, run->flows[first + i], count, &value, &run->error);

			if (rc != 0)
				return port_say(run->port, "query", rc, &run->error);
		}
		spent = clock_now() - begin - run->overhead;
		result->operations += n;
		result->seconds += clock_ns((double)(int64_t)spent) / 1e9;
		samples_add(&result->per_rule, clock_ns((double)(int64_t)spent) / n);
	}
	return 0;
}

static void
progress(const struct run *run, enum run_phase phase, uint32_t done, uint32_t rules)
{
	if (run->config->progress && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %u of %u rules %s", phases[phase].name, done, rules, done == rules ? "\n" : "");
}

/*
 * The first burst of an insertion and the last of a deletion are not measured, and the device works meanwhile: what a
 * driver makes once for many rules (an RSS that the first of them names) it makes there, and waits for the device.
 */
static int
edge_burst(struct run *run, enum run_phase phase, uint32_t first, uint32_t n)
{
	struct run_result *measured = run->result, unmeasured = {0};
	int rc;

	count_phase(phases[phase].name);
	device_stepped(false);
	run->result = &unmeasured;
	rc = burst(run, phase, run->config->first_queue, first, n);
	run->result = measured;
	run->result->failed += unmeasured.failed;
	run_result_free(&unmeasured);
	device_stepped(true);
	count_phase("edge");
	return rc;
}

static bool
is_edge(const struct run *run, enum run_phase phase, uint32_t first, uint32_t n, uint32_t rules)
{
	return run->config->stepped && (phase == RUN_INSERT ? first == 0 : first + n == rules);
}

/* Rules 0 .. rules - 1 through one phase, the queues in turn. */
static int
all(struct run *run, enum run_phase phase, uint32_t rules)
{
	uint32_t queue = 0, shown = 0;
	uint64_t bytes = 0, doorbells = 0;

	device_bus(&bytes, &doorbells);
	for (uint32_t first = 0; first < rules; first += run->config->burst) {
		uint32_t n = rules - first < run->config->burst ? rules - first : run->config->burst;
		int rc = is_edge(run, phase, first, n, rules) ? edge_burst(run, phase, first, n) :
			burst(run, phase, run->config->first_queue + queue, first, n);

		if (rc != 0)
			return rc;
		queue = (queue + 1) % run->config->nb_queues;
		/* The bus is measured where time is. */
		if (phase == RUN_INSERT && is_edge(run, phase, first, n, rules))
			device_bus(&bytes, &doorbells);
		if (phase == RUN_INSERT)
			run->inserted = first + n;
		if (first - shown > 100000 || first + n == rules) {
			progress(run, phase, first + n, rules);
			shown = first;
		}
	}
	count_phase(phases[phase].name);
	if (phase == RUN_INSERT) {
		device_bus(&run->result->bus_bytes, &run->result->doorbells);
		run->result->bus_bytes -= bytes;
		run->result->doorbells -= doorbells;
	}
	return 0;
}

/* The measured part. Only here does the device stand still between steps: drivers wait for it in set-up and tear-down. */
static int
fill_and_empty(struct run *run)
{
	const struct run_config *config = run->config;
	int rc, emptied;

	if (config->stepped) {
		rc = device_stepped(true);
		if (rc != 0)
			return port_say(run->port, "stepped device", rc, NULL);
	}
	rc = all(run, RUN_INSERT, config->rules);
	if (config->memory)
		run->result->memory_after = memory_in_use();
	if (rc == 0 && config->query && config->shape->counts)
		rc = query_all(run);
	emptied = all(run, RUN_DELETE, run->inserted);
	if (config->stepped)
		device_stepped(false);
	return rc != 0 ? rc : emptied;
}

static void
reserve_samples(const struct run_config *config, struct run_result *result)
{
	size_t bursts = config->rules / config->burst + 1;

	for (uint32_t q = 0; q < config->nb_queues; q++) {
		struct samples *samples = &result->per_queue[config->first_queue + q];

		samples_reserve(samples, samples->count + bursts);
	}
	for (int i = 0; i < RUN_PHASES; i++) {
		samples_reserve(&result->phase[i].per_rule, result->phase[i].per_rule.count + bursts);
		samples_reserve(&result->phase[i].latency, result->phase[i].latency.count + bursts);
	}
}

static int
check(const struct run_config *config)
{
	if (config->burst == 0 || config->burst > BURST_MAX) {
		fprintf(stderr, "flow-perf: burst %u is not in 1..%u\n", config->burst, BURST_MAX);
		return -EINVAL;
	}
	if (config->nb_tables > PORT_QUEUES || config->nb_queues > PORT_QUEUES) {
		fprintf(stderr, "flow-perf: more than %u tables or queues\n", PORT_QUEUES);
		return -EINVAL;
	}
	if (config->shape->varied_bits < 32 && config->rules > 1) {
		fprintf(stderr, "flow-perf: %u rules need a match of 32 bits or more, '%s' gives %u\n", config->rules,
			config->shape->items_text, config->shape->varied_bits);
		return -EINVAL;
	}
	return 0;
}

int
run_rules(struct perf_port *port, const struct run_config *config, struct run_result *result)
{
	struct run run = {.port = port, .config = config, .result = result, .overhead = clock_overhead()};
	int rc = check(config);

	if (rc != 0)
		return rc;
	run.flows = calloc(config->rules, sizeof(*run.flows));
	run.rules = aligned_alloc(64, ((config->burst * sizeof(*run.rules)) + 63) & ~63ul);
	if (run.flows == NULL || run.rules == NULL) {
		free(run.flows);
		free(run.rules);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < config->burst; i++)
		shape_prepare(config->shape, &run.rules[i]);
	memset(run.flows, 0xff, config->rules * sizeof(*run.flows)); /* resident before memory is counted */
	reserve_samples(config, result);
	if (config->memory)
		result->memory_before = memory_in_use();
	rc = make_table(&run);
	if (rc == 0)
		rc = fill_and_empty(&run);
	free_table(&run);
	free(run.flows);
	free(run.rules);
	return rc;
}

void
run_result_free(struct run_result *result)
{
	for (int i = 0; i < RUN_PHASES; i++) {
		samples_free(&result->phase[i].per_rule);
		samples_free(&result->phase[i].latency);
	}
	for (int i = 0; i < PORT_QUEUES; i++)
		samples_free(&result->per_queue[i]);
	*result = (struct run_result){0};
}
