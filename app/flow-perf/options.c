/* SPDX-License-Identifier: BSD-3-Clause */

#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port.h"
#include "shape.h"

enum kind { TEXT, NUMBER, FLAG, WORD };

#define AT(member) offsetof(struct options, member), sizeof(((struct options *)0)->member)

/* One row an option: where its value goes, and the range of a number. */
static const struct row {
	const char *name;
	enum kind kind;
	size_t offset, size;
	uint64_t least, most;
	const char *help;
} rows[] = {
	{"port", NUMBER, AT(port), 0, 31, "ethdev port to measure (0)"},
	{"items", TEXT, AT(items), 0, 0, "match, such as \"eth / ipv4 src dst / udp sport dport\""},
	{"actions", TEXT, AT(actions), 0, 0, "actions, such as \"mark / count / queue\"; =N fixes a value in the template"},
	{"rules", NUMBER, AT(rules), 1, 1u << 30, "rules a run (65536)"},
	{"table-rules", NUMBER, AT(table_rules), 1, 1u << 30, "capacity of the table (as many as rules)"},
	{"queues", NUMBER, AT(queues), 1, PORT_QUEUES, "flow queues (1)"},
	{"queue-size", NUMBER, AT(queue_size), 2, 1u << 16, "operations a flow queue holds (1024)"},
	{"cores", NUMBER, AT(cores), 1, 64, "cores that insert, each with its own queues and table (1)"},
	{"burst", NUMBER, AT(burst), 1, 1024, "operations between two pushes (64)"},
	{"repeat", NUMBER, AT(repeat), 1, 100000, "runs (3)"},
	{"counters", NUMBER, AT(counters), 1, 1u << 30, "counters to configure (twice the rules, where counted)"},
	{"rx-queues", NUMBER, AT(rx_queues), 1, 64, "receive queues of the port (4)"},
	{"draw", NUMBER, AT(seed), 0, UINT64_MAX, "draw a shape from this seed instead of --items and --actions"},
	{"stepped", FLAG, AT(stepped), 0, 0, "software device: time the driver alone"},
	{"relaxed", FLAG, AT(relaxed), 0, 0, "relaxed matching"},
	{"push-each", FLAG, AT(push_each), 0, 0, "push after every operation"},
	{"json", FLAG, AT(json), 0, 0, "one JSON object a run"},
	{"tables", NUMBER, AT(tables), 1, PORT_QUEUES, "tables of a core, its queues' in turn (1)"},
	{"first", NUMBER, AT(first), 0, UINT64_MAX, "number of the first rule (0)"},
	{"memory", FLAG, AT(memory), 0, 0, "--serve: count memory"},
	{"serve", FLAG, AT(serve), 0, 0, "do what lines on stdin ask for (serve.h)"},
	{"list", WORD, 0, 0, 0, 0, "the items, fields and actions that are known"},
	{"help", WORD, 0, 0, 0, 0, "this"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

void
options_usage(void)
{
	printf("usage: mlx5hws-flow-perf [EAL options] -- [options]     one run on a port of the application\n"
	       "       mlx5hws-flow-perf compare [options]              ours and others on softcx (compare --help)\n\n");
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].help != NULL)
			printf("  --%-13s %s\n", rows[i].name, rows[i].help);
}

static int
set_number(struct options *options, const struct row *row, const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (*text == '\0' || *text == '-' || *end != '\0' || value < row->least || value > row->most) {
		fprintf(stderr, "flow-perf: --%s '%s' is not a number from %llu to %llu\n", row->name, text,
			(unsigned long long)row->least, (unsigned long long)row->most);
		return -EINVAL;
	}
	memcpy((char *)options + row->offset, &value, row->size); /* little endian hosts */
	return 0;
}

static int
set_text(struct options *options, const struct row *row, const char *text)
{
	if (snprintf((char *)options + row->offset, row->size, "%s", text) < (int)row->size)
		return 0;
	fprintf(stderr, "flow-perf: --%s is longer than %zu characters\n", row->name, row->size - 1);
	return -EINVAL;
}

static int
apply(struct options *options, const struct row *row, const char *value)
{
	switch (row->kind) {
	case NUMBER:
		if (strcmp(row->name, "draw") == 0)
			options->draw = true;
		return set_number(options, row, value);
	case TEXT:
		return set_text(options, row, value);
	case FLAG:
		*(bool *)((char *)options + row->offset) = true;
		return 0;
	case WORD:
		break;
	}
	if (strcmp(row->name, "list") == 0)
		shape_list();
	else
		options_usage();
	return 1;
}

int
options_parse(struct options *options, int argc, char **argv)
{
	struct option known[ROWS + 1] = {0};
	int rc = 0, index;

	*options = (struct options){.rules = 65536, .queues = 1, .queue_size = 1024, .cores = 1, .tables = 1, .burst = 64, .repeat = 3,
		.rx_queues = 4, .items = "eth / ipv4 src dst / udp sport dport", .actions = "queue"};
	for (size_t i = 0; i < ROWS; i++)
		known[i] = (struct option){rows[i].name,
			rows[i].kind == NUMBER || rows[i].kind == TEXT ? required_argument : no_argument, NULL, 0};
	optind = 1;
	while (rc == 0) {
		int c = getopt_long(argc, argv, "", known, &index);

		if (c == -1)
			break;
		rc = c != 0 ? -EINVAL : apply(options, &rows[index], optarg);
	}
	if (rc == 0 && optind < argc) {
		fprintf(stderr, "flow-perf: '%s' is not an option (--help lists them)\n", argv[optind]);
		rc = -EINVAL;
	}
	if (rc == 0 && options->burst > options->queue_size) {
		fprintf(stderr, "flow-perf: --burst %u is above --queue-size %u\n", options->burst, options->queue_size);
		rc = -EINVAL;
	}
	if (rc == 0 && options->cores > options->queues) {
		fprintf(stderr, "flow-perf: --cores %u need a flow queue each, --queues is %u\n", options->cores,
			options->queues);
		rc = -EINVAL;
	}
	return rc;
}
