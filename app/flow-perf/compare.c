/* SPDX-License-Identifier: BSD-3-Clause */

#include "compare.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "device.h"
#include "floor.h"
#include "null_port.h"
#include "port.h"
#include "run.h"
#include "shape.h"

#define ROUNDS_MAX 64

enum peer { PEER_OURS, PEER_MLX5, PEER_NULL, PEERS };

static const char *const peer_names[PEERS] = {"mlx5hws", "mlx5", "null"};

/* A row of the comparison. */
static const struct row {
	const char *name;
	const char *items;
	const char *actions;
	uint32_t rules;
	uint32_t burst;
	bool push_each;
	bool quick; /* part of --quick */
} rows[] = {
	{"4-tuple -> queue, 64 K", "eth / ipv4 src dst / udp sport dport", "queue", 65536, 64, false, true},
	{"4-tuple -> queue, 1 M", "eth / ipv4 src dst / udp sport dport", "queue", 1 << 20, 64, false, false},
	{"with counter", "eth / ipv4 src dst / udp sport dport", "count / queue", 65536, 64, false, true},
	{"with mark, RSS of the template", "eth / ipv4 src dst / udp sport dport", "mark / rss=1", 65536, 64, false, true},
	{"raw encap from the rule, jump", "eth / ipv4 src dst / udp sport dport", "raw_encap / jump", 65536, 64, false,
		true},
	{"2 modify_field from the rule", "eth / ipv4 src dst / udp sport dport", "set_ipv4_src / set_ipv4_dst / queue",
		65536, 64, false, true},
	{"IPv6 5-tuple jumbo", "eth / ipv6 src dst proto / udp sport dport", "queue", 65536, 64, false, true},
	{"RSS in full from the rule", "eth / ipv4 src dst / udp sport dport", "rss", 65536, 64, false, true},
	{"push for every rule", "eth / ipv4 src dst / udp sport dport", "queue", 65536, 64, true, true},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* What one peer did on one row: the median of every run. */
struct figure {
	struct samples insert;
	struct samples delete;
	double bytes;
	uint64_t failed;
	int rc;
};

struct compare {
	struct perf_port port[PEERS];
	bool there[PEERS];
	struct figure figure[ROWS][PEERS];
	struct samples floor;
	const struct options *options;
};

static int
open_peer(struct compare *compare, enum peer peer, uint16_t id)
{
	const struct port_config config = {.rx_queues = 4, .flow_queues = 4, .flow_queue_size = 1024,
		.counters = peer == PEER_NULL ? 0 : 4 * 65536};
	int rc = port_open(&compare->port[peer], id, &config);

	compare->there[peer] = rc == 0;
	return rc;
}

/* Which peer a port is, by the name of its driver. */
static enum peer
peer_of(uint16_t id)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(id, &info) != 0)
		return PEERS;
	if (strstr(info.driver_name, "mlx5hws") != NULL || strstr(info.driver_name, "softcx") != NULL)
		return PEER_OURS;
	return strstr(info.driver_name, "mlx5") != NULL ? PEER_MLX5 : PEERS;
}

static int
open_all(struct compare *compare)
{
	uint16_t id, null_id;
	int rc;

	RTE_ETH_FOREACH_DEV(id) {
		enum peer peer = peer_of(id);

		if (peer == PEERS || compare->there[peer])
			continue;
		rc = open_peer(compare, peer, id);
		if (rc != 0)
			return rc;
	}
	if (!compare->there[PEER_OURS]) {
		fprintf(stderr, "flow-perf: no port of ours among %u\n", rte_eth_dev_count_avail());
		return -ENODEV;
	}
	rc = null_port_create(&null_id);
	return rc != 0 ? rc : open_peer(compare, PEER_NULL, null_id);
}

static void
one_run(struct compare *compare, size_t row, enum peer peer, const struct shape *shape, uint32_t round)
{
	struct figure *figure = &compare->figure[row][peer];
	const struct run_config config = {
		.shape = shape,
		.first = (uint64_t)round << 32,
		.rules = rows[row].rules,
		.burst = rows[row].burst,
		.nb_queues = 1,
		.stepped = true,
		.memory = round == 0,
		.push_each = rows[row].push_each,
	};
	struct run_result result = {0};

	figure->rc = run_rules(&compare->port[peer], &config, &result);
	if (figure->rc == 0) {
		samples_add(&figure->insert, samples_quantile(&result.phase[RUN_INSERT].per_rule, 0.5));
		samples_add(&figure->delete, samples_quantile(&result.phase[RUN_DELETE].per_rule, 0.5));
		figure->failed += result.failed;
		if (round == 0 && result.memory_after > result.memory_before)
			figure->bytes = (double)(result.memory_after - result.memory_before) / config.rules;
	}
	run_result_free(&result);
	/* drivers give freed counters back only after their next reading of all, every half second */
	if (peer != PEER_NULL && shape->counts)
		usleep(1200000);
}

static void
measure_row(struct compare *compare, size_t row, uint32_t rounds)
{
	struct shape shape;
	char why[128];

	if (shape_parse(&shape, rows[row].items, rows[row].actions, 4, why, sizeof(why)) != 0) {
		fprintf(stderr, "flow-perf: %s\n", why);
		return;
	}
	for (uint32_t round = 0; round < rounds; round++) {
		for (enum peer peer = 0; peer < PEERS; peer++)
			if (compare->there[peer] && compare->figure[row][peer].rc == 0)
				one_run(compare, row, peer, &shape, round);
		samples_add(&compare->floor, floor_sample(rows[row].burst, 256));
	}
}

static double
median(struct samples *s)
{
	return samples_quantile(s, 0.5);
}

/* Half the distance between the 10th and the 90th percentile, in per cent of the median. */
static double
spread(struct samples *s)
{
	double middle = median(s);

	return middle == 0 ? 0 : 50 * (samples_quantile(s, 0.9) - samples_quantile(s, 0.1)) / middle;
}

static void
print_cell(struct figure *figure, struct samples *s)
{
	if (figure->rc != 0)
		printf(" %12s", "failed");
	else if (s->count == 0)
		printf(" %12s", "-");
	else
		printf(" %6.1f ±%3.0f%%", median(s), spread(s));
}

static double
ratio(struct samples *ours, struct samples *peer)
{
	return median(peer) > 0 ? median(ours) / median(peer) : NAN;
}

static void
print_table(struct compare *compare)
{
	printf("nanoseconds a rule in the driver (create + push + pull), device stepped; median of runs ± spread\n");
	printf("%-31s %-7s", "", "");
	for (enum peer peer = 0; peer < PEERS; peer++)
		printf(" %12s", peer_names[peer]);
	printf(" %9s %18s\n", "ours/mlx5", "bytes/rule o : m");
	for (size_t row = 0; row < ROWS; row++) {
		struct figure *figure = compare->figure[row];

		if (figure[PEER_OURS].rc == 0 && figure[PEER_OURS].insert.count == 0)
			continue;
		printf("%-31s %-7s", rows[row].name, "insert");
		for (enum peer peer = 0; peer < PEERS; peer++)
			print_cell(&figure[peer], &figure[peer].insert);
		printf(" %9.3f %8.1f : %.1f\n", ratio(&figure[PEER_OURS].insert, &figure[PEER_MLX5].insert),
			figure[PEER_OURS].bytes, figure[PEER_MLX5].bytes);
		printf("%-31s %-7s", "", "delete");
		for (enum peer peer = 0; peer < PEERS; peer++)
			print_cell(&figure[peer], &figure[peer].delete);
		printf(" %9.3f\n", ratio(&figure[PEER_OURS].delete, &figure[PEER_MLX5].delete));
	}
	printf("floor (128 bytes stored, one doorbell a burst): %.2f ns\n", median(&compare->floor));
}

static void
print_json(struct compare *compare)
{
	printf("{\"unit\": \"ns per rule, driver alone\", \"floor\": %.3f, \"rows\": [", median(&compare->floor));
	for (size_t row = 0, written = 0; row < ROWS; row++) {
		struct figure *figure = compare->figure[row];

		if (figure[PEER_OURS].rc == 0 && figure[PEER_OURS].insert.count == 0)
			continue;
		printf("%s{\"name\": \"%s\", \"rules\": %u, \"burst\": %u", written++ ? ", " : "", rows[row].name,
			rows[row].rules, rows[row].burst);
		for (enum peer peer = 0; peer < PEERS; peer++)
			printf(", \"%s\": {\"insert\": %.2f, \"delete\": %.2f, \"bytes\": %.1f, \"runs\": %zu, \"rc\": %d}",
				peer_names[peer], median(&figure[peer].insert), median(&figure[peer].delete),
				figure[peer].bytes, figure[peer].insert.count, figure[peer].rc);
		printf("}");
	}
	printf("]}\n");
}

/* Operations that failed, or a peer that could not run a row, make the comparison worthless: say so. */
static int
verdict(struct compare *compare)
{
	int rc = 0;

	for (size_t row = 0; row < ROWS; row++)
		for (enum peer peer = 0; peer < PEERS; peer++) {
			struct figure *figure = &compare->figure[row][peer];

			if (figure->rc == 0 && figure->failed == 0)
				continue;
			fprintf(stderr, "flow-perf: %s: %s: %s, %" PRIu64 " operations failed\n", rows[row].name,
				peer_names[peer], figure->rc == 0 ? "ran" : strerror(-figure->rc), figure->failed);
			if (peer == PEER_OURS)
				rc = 1;
		}
	return rc;
}

int
compare_run(const struct options *options)
{
	struct compare *compare = calloc(1, sizeof(*compare));
	uint32_t rounds = options->quick ? 5 : 15;
	int rc;

	if (compare == NULL)
		return -ENOMEM;
	compare->options = options;
	if (!device_find()) {
		fprintf(stderr, "flow-perf: compare needs softcx in the process\n");
		free(compare);
		return -ENOTSUP;
	}
	rc = open_all(compare);
	for (size_t row = 0; rc == 0 && row < ROWS; row++)
		if (!options->quick || rows[row].quick)
			measure_row(compare, row, rounds);
	if (rc == 0) {
		if (options->json)
			print_json(compare);
		else
			print_table(compare);
		rc = verdict(compare);
	}
	for (enum peer peer = 0; peer < PEERS; peer++)
		if (compare->there[peer])
			port_close(&compare->port[peer]);
	for (size_t row = 0; row < ROWS; row++)
		for (enum peer peer = 0; peer < PEERS; peer++) {
			samples_free(&compare->figure[row][peer].insert);
			samples_free(&compare->figure[row][peer].delete);
		}
	samples_free(&compare->floor);
	free(compare);
	return rc;
}
