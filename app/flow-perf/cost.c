/* SPDX-License-Identifier: BSD-3-Clause */

#include "cost.h"

#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>

#include "clock.h"
#include "memory.h"
#include "shape.h"
#include "stats.h"

#define TEMPLATES 4

static const char *const items[TEMPLATES] = {"eth / ipv4 src dst / udp sport dport", "eth / ipv4 src dst / tcp dport",
	"eth / ipv4 src", "eth / ipv6 dst / udp dport"};
static const char *const actions[TEMPLATES] = {"queue", "mark / queue", "mark / rss=1", "drop"};

struct set {
	struct rte_flow_pattern_template *pattern[TEMPLATES];
	struct rte_flow_actions_template *actions[TEMPLATES];
	struct rte_flow_template_table *table;
	struct rte_flow_error error;
};

static int
make_templates(struct perf_port *port, struct set *set, struct samples *pattern_ms)
{
	struct shape shape;
	char why[128];

	for (int i = 0; i < TEMPLATES; i++) {
		uint64_t begin;

		if (shape_parse(&shape, items[i], actions[i], port->config.rx_queues, why, sizeof(why)) != 0)
			return -EINVAL;
		begin = clock_now();
		set->pattern[i] = shape_pattern(&shape, port->id, false, &set->error);
		samples_add(pattern_ms, clock_ns((double)(clock_now() - begin)) / 1e6);
		if (set->pattern[i] == NULL)
			return port_say(port, "pattern_template_create", rte_errno, &set->error);
		set->actions[i] = shape_actions(&shape, port->id, &set->error);
		if (set->actions[i] == NULL)
			return port_say(port, "actions_template_create", rte_errno, &set->error);
	}
	return 0;
}

static void
free_set(struct perf_port *port, struct set *set)
{
	if (set->table != NULL)
		rte_flow_template_table_destroy(port->id, set->table, &set->error);
	for (int i = 0; i < TEMPLATES; i++) {
		if (set->pattern[i] != NULL)
			rte_flow_pattern_template_destroy(port->id, set->pattern[i], &set->error);
		if (set->actions[i] != NULL)
			rte_flow_actions_template_destroy(port->id, set->actions[i], &set->error);
	}
}

int
cost_measure(struct perf_port *port, uint32_t rules, struct cost *cost)
{
	const struct rte_flow_template_table_attr attr = {.flow_attr = {.group = 1, .ingress = 1}, .nb_flows = rules};
	uint64_t before = memory_in_use(), begin, after;
	struct samples pattern_ms = {0};
	struct set set = {0};
	int rc = make_templates(port, &set, &pattern_ms);

	if (rc == 0) {
		begin = clock_now();
		set.table = rte_flow_template_table_create(port->id, &attr, set.pattern, TEMPLATES, set.actions, TEMPLATES,
			&set.error);
		cost->table_ms = clock_ns((double)(clock_now() - begin)) / 1e6;
		if (set.table == NULL)
			rc = port_say(port, "template_table_create", rte_errno, &set.error);
	}
	after = memory_in_use();
	cost->bytes = after > before ? after - before : 0;
	cost->pattern_ms = samples_quantile(&pattern_ms, 0.5);
	samples_free(&pattern_ms);
	free_set(port, &set);
	return rc;
}
