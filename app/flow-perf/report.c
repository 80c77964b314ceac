/* SPDX-License-Identifier: BSD-3-Clause */

#include "report.h"

#include <inttypes.h>

static const char *const phase_names[RUN_PHASES] = {"insert", "query", "delete"};

static double
rate(const struct run_phase_result *phase)
{
	return phase->seconds > 0 ? (double)phase->operations / phase->seconds / 1e6 : 0;
}

static double
bytes_per_rule(const struct run_config *config, const struct run_result *result)
{
	if (!config->memory || result->memory_after <= result->memory_before)
		return 0;
	return (double)(result->memory_after - result->memory_before) / config->rules;
}

void
report_table(FILE *out, const struct perf_port *port, const struct run_config *config, struct run_result *result)
{
	fprintf(out, "port %u (%s), %s -> %s, %u rules, burst %u, %u queue(s), %s\n", port->id, port->name,
		config->shape->items_text, config->shape->actions_text, config->rules, config->burst, config->nb_queues,
		config->stepped ? "driver alone (stepped device)" : "end to end");
	fprintf(out, "%-8s %12s %10s %10s %10s %10s %12s %12s\n", "", "operations", "M/s mean", "ns p50", "ns p10", "ns p90",
		"burst us p50", "burst us p99");
	for (int i = 0; i < RUN_PHASES; i++) {
		struct run_phase_result *phase = &result->phase[i];

		if (phase->operations == 0)
			continue;
		fprintf(out, "%-8s %12" PRIu64 " %10.3f %10.1f %10.1f %10.1f %12.2f %12.2f\n", phase_names[i],
			phase->operations, rate(phase), samples_quantile(&phase->per_rule, 0.5),
			samples_quantile(&phase->per_rule, 0.1), samples_quantile(&phase->per_rule, 0.9),
			samples_quantile(&phase->latency, 0.5) / 1e3, samples_quantile(&phase->latency, 0.99) / 1e3);
	}
	for (uint32_t q = 0; config->nb_queues > 1 && q < config->nb_queues; q++)
		fprintf(out, "queue %-4u insert %8.1f ns/rule (median)\n", config->first_queue + q,
			samples_quantile(&result->per_queue[config->first_queue + q], 0.5));
	if (config->memory)
		fprintf(out, "memory: %.1f bytes a rule, table created in %.2f ms\n", bytes_per_rule(config, result),
			result->table_ms);
	if (result->failed > 0)
		fprintf(out, "FAILED: %" PRIu64 " operations came back with an error\n", result->failed);
}

void
report_json(FILE *out, const struct perf_port *port, const struct run_config *config, struct run_result *result)
{
	uint64_t inserted = result->phase[RUN_INSERT].operations, measured = inserted != 0 ? inserted : 1;

	fprintf(out, "{\"port\": %u, \"driver\": \"%s\", \"items\": \"%s\", \"actions\": \"%s\", \"rules\": %u, "
		"\"burst\": %u, \"queues\": %u, \"stepped\": %s, \"failed\": %" PRIu64 ", \"table_ms\": %.3f, "
		"\"bytes_per_rule\": %.2f, \"pattern_ms\": %.4f, \"device_ns\": %.2f, \"bus_bytes\": %.2f, \"doorbells\": %.5f, "
		"\"phases\": {", port->id, port->name, config->shape->items_text,
		config->shape->actions_text, config->rules, config->burst, config->nb_queues,
		config->stepped ? "true" : "false", result->failed, result->table_ms, bytes_per_rule(config, result),
		result->pattern_ms, result->device_seconds * 1e9 / config->rules, (double)result->bus_bytes / measured,
		(double)result->doorbells / measured);
	for (int i = 0, written = 0; i < RUN_PHASES; i++) {
		struct run_phase_result *phase = &result->phase[i];

		if (phase->operations == 0)
			continue;
		fprintf(out, "%s\"%s\": {\"operations\": %" PRIu64 ", \"mops\": %.4f, \"ns_p10\": %.2f, \"ns_p50\": %.2f, "
			"\"ns_p90\": %.2f, \"burst_ns_p50\": %.0f, \"burst_ns_p99\": %.0f}", written++ ? ", " : "",
			phase_names[i], phase->operations, rate(phase), samples_quantile(&phase->per_rule, 0.1),
			samples_quantile(&phase->per_rule, 0.5), samples_quantile(&phase->per_rule, 0.9),
			samples_quantile(&phase->latency, 0.5), samples_quantile(&phase->latency, 0.99));
	}
	fprintf(out, "}}\n");
}
