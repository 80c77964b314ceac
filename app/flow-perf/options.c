/* SPDX-License-Identifier: BSD-3-Clause */

#include "options.h"

#include <errno.h>
#include <stdio.h>

#include "args.h"
#include "port.h"
#include "shape.h"

#define NO_SEED UINT64_MAX
#define AT(member) ARG_AT(struct options, member)

/* One row an option: where its value goes, and the range of a number. */
static const struct arg rows[] = {
	{"port", ARG_NUMBER, AT(port), 0, 31, "ethdev port to measure (0)"},
	{"items", ARG_TEXT, AT(items), 0, 0, "match, such as \"eth / ipv4 src dst / udp sport dport\""},
	{"actions", ARG_TEXT, AT(actions), 0, 0, "actions, such as \"mark / count / queue\"; =N fixes a value in the template"},
	{"rules", ARG_NUMBER, AT(rules), 1, 1u << 30, "rules a run (65536)"},
	{"table-rules", ARG_NUMBER, AT(table_rules), 1, 1u << 30, "capacity of the table (as many as rules)"},
	{"queues", ARG_NUMBER, AT(queues), 1, PORT_QUEUES, "flow queues (1)"},
	{"queue-size", ARG_NUMBER, AT(queue_size), 2, 1u << 16, "operations a flow queue holds (1024)"},
	{"cores", ARG_NUMBER, AT(cores), 1, 64, "cores that insert, each with its own queues and table (1)"},
	{"burst", ARG_NUMBER, AT(burst), 1, 1024, "operations between two pushes (64)"},
	{"repeat", ARG_NUMBER, AT(repeat), 1, 100000, "runs (3)"},
	{"counters", ARG_NUMBER, AT(counters), 1, 1u << 30, "counters to configure (twice the rules, where counted)"},
	{"rx-queues", ARG_NUMBER, AT(rx_queues), 1, 64, "receive queues of the port (4)"},
	{"draw", ARG_NUMBER, AT(seed), 0, NO_SEED - 1, "draw a shape from this seed instead of --items and --actions"},
	{"stepped", ARG_FLAG, AT(stepped), 0, 0, "software device: time the driver alone"},
	{"relaxed", ARG_FLAG, AT(relaxed), 0, 0, "relaxed matching"},
	{"push-each", ARG_FLAG, AT(push_each), 0, 0, "push after every operation"},
	{"json", ARG_FLAG, AT(json), 0, 0, "one JSON object a run"},
	{"tables", ARG_NUMBER, AT(tables), 1, PORT_QUEUES, "tables of a core, its queues' in turn (1)"},
	{"first", ARG_NUMBER, AT(first), 0, UINT64_MAX, "number of the first rule (0)"},
	{"memory", ARG_FLAG, AT(memory), 0, 0, "--serve: count memory"},
	{"serve", ARG_FLAG, AT(serve), 0, 0, "do what lines on stdin ask for (serve.h)"},
	{"list", ARG_WORD, 0, 0, 0, 0, "the items, fields and actions that are known", shape_list},
	{"help", ARG_WORD, 0, 0, 0, 0, "this", options_usage},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

void
options_usage(void)
{
	printf("usage: mlx5hws-flow-perf [EAL options] -- [options]     one run on a port of the application\n"
	       "       mlx5hws-flow-perf compare [options]              ours and others on softcx (compare --help)\n\n");
	args_help(rows, ROWS);
}

int
options_parse(struct options *options, int argc, char **argv)
{
	int rc;

	*options = (struct options){.rules = 65536, .queues = 1, .queue_size = 1024, .cores = 1, .tables = 1, .burst = 64, .repeat = 3,
		.rx_queues = 4, .seed = NO_SEED, .items = "eth / ipv4 src dst / udp sport dport", .actions = "queue"};
	rc = args_parse("flow-perf", rows, ROWS, options, argc, argv);
	options->draw = options->seed != NO_SEED;
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
