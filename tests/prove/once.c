/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * prove_once PLUGIN LIBSOFTCX [seed=N] [runs=N] [silent=0]
 *
 * Random streams of flow operations, on 1 and 4 queues, threaded and stepped, with faults ordered in their midst: error completions,
 * refused commands, a stopped send queue, the death of the device; ended by a drain, a stop, a close or the removal of the port
 * with operations in flight. Every operation that was accepted comes back by pull once, on its queue, with its user_data;
 * what a close drops unpulled, the driver tells, and the sum must be right.
 *
 * silent: how many of 100 runs leave a send queue stopped for good (the driver waits 5 s for it).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_log.h>


#include "stream.h"

enum ending { END_DRAIN, END_STOP, END_RESTART, END_CLOSE, END_REMOVE, NB_ENDINGS };
static const char *const endings[NB_ENDINGS] = { "drain", "stop", "stop, start", "close", "removal" };

/* Queue numbers of the device begin at 1: the engine's own queue, then the flow queues. */
#define FIRST_FLOW_SQ 2u

static FILE *log_file;
static struct stream stream;

struct totals {
	uint64_t runs, accepted, returned, dropped, failed, refused, by_ending[NB_ENDINGS];
};

/* ---- what the driver said --------------------------------------------------------------------------------------- */

static void
log_begin(void)
{
	fflush(log_file);
	CHECK(ftruncate(fileno(log_file), 0) == 0, "log: %s", strerror(errno));
	rewind(log_file);
}

/* The number in the driver's line about results that nobody pulled. */
static uint32_t
log_dropped(void)
{
	uint32_t dropped = 0;
	char line[512];

	fflush(log_file);
	rewind(log_file);
	while (fgets(line, sizeof(line), log_file) != NULL) {
		const char *at = strstr(line, "results nobody pulled are dropped");

		if (at == NULL)
			continue;
		while (at > line && at[-1] != ':')
			at--;
		dropped += (uint32_t)strtoul(at, NULL, 10);
	}
	return dropped;
}

/* ---- faults ----------------------------------------------------------------------------------------------------- */

/* A destruction that firmware refuses leaves its object, by nature; to modify is also how an STC lets go of its target. */
static const char *const commands[] = {
	"CREATE_TIR", "CREATE_RQT", "CREATE_GENERAL_OBJECT", "MODIFY_GENERAL_OBJECT",
};
#define MODIFY 3

enum fault { FAULT_NONE, FAULT_WQE, FAULT_ANY_WQE, FAULT_COMMANDS, FAULT_PAUSE, FAULT_DEATH, NB_FAULTS };

static enum fault
order_fault(struct stream *s, bool silent, bool *may_leave)
{
	enum fault fault = silent ? FAULT_PAUSE : chance_below(&s->chance, NB_FAULTS);
	uint32_t nb_queues = s->port->nb_queues;

	switch (fault) {
	case FAULT_WQE:
		device_fault("sq:%u:%u", FIRST_FLOW_SQ + chance_below(&s->chance, nb_queues), 1 + chance_below(&s->chance, 100));
		break;
	case FAULT_ANY_WQE:
		device_fault("sq:*:%u:0x%x", 1 + chance_below(&s->chance, 300), 1 + chance_below(&s->chance, 0x22));
		break;
	case FAULT_COMMANDS:
		for (uint32_t i = 1 + chance_below(&s->chance, 4); i > 0; i--) {
			uint32_t which = chance_below(&s->chance, RTE_DIM(commands));

			device_fault("cmd:%s:%u", commands[which], 1 + chance_below(&s->chance, 6));
			*may_leave |= which == MODIFY;
		}
		break;
	case FAULT_PAUSE:
		device_fault("stop:%u", FIRST_FLOW_SQ + chance_below(&s->chance, nb_queues));
		break;
	case FAULT_DEATH:
		device_fault("die"); /* takes no destruction, its objects go with it */
		*may_leave = true;
		break;
	default:
		break;
	}
	return fault;
}

/* ---- one run ---------------------------------------------------------------------------------------------------- */

static void
stop(struct stream *s)
{
	CHECK(rte_eth_dev_stop(s->port->id) == 0, "stop");
	stream_rules_gone(s);
}

/* Operations that are out when the port goes. */
static uint32_t
out_now(const struct stream *s)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < s->port->nb_queues; i++)
		sum += s->out[i];
	return sum;
}

/* @return how many operations were never pulled. */
static uint32_t
finish(struct stream *s, enum ending ending, bool engine_hit)
{
	uint32_t out;

	switch (ending) {
	case END_RESTART:
		stop(s);
		/* A steering queue that failed stays so until the port is closed; the engine's own is needed for the start. */
		if (rte_eth_dev_start(s->port->id) == 0)
			stream_run(s, 300);
		else
			CHECK(engine_hit, "start after stop");
		stream_end(s);
		port_close(s->port);
		return 0;
	case END_STOP:
		stop(s);
		stream_end(s);
		CHECK(rte_eth_dev_close(s->port->id) == 0, "close");
		port_remove(s->port);
		return 0;
	case END_CLOSE:
		CHECK(rte_eth_dev_stop(s->port->id) == 0, "stop");
		out = out_now(s);
		CHECK(rte_eth_dev_close(s->port->id) == 0, "close");
		port_remove(s->port);
		return out;
	case END_REMOVE:
		out = out_now(s);
		port_remove(s->port);
		return out;
	default:
		stream_end(s);
		port_close(s->port);
		return 0;
	}
}

static void
one_run(struct port *port, uint64_t seed, bool silent, struct totals *totals)
{
	struct stream *s = &stream;
	enum ending ending;
	enum fault fault;
	struct books before, after;
	uint32_t dropped, told;
	bool may_leave = false;

	memset(s, 0, sizeof(*s));
	s->port = port;
	s->chance.state = seed;
	port->nb_queues = chance_below(&s->chance, 2) ? 4 : 1;
	port->queue_size = 1u << chance_below(&s->chance, 8);
	port->counters = SHAPE_RULES + STREAM_HANDLES;
	s->stepped = chance_below(&s->chance, 3) == 0;
	log_begin();
	books_take(&before);
	port_open(port, chance_below(&s->chance, 2) ? "wire=null,model=cx6dx" : "wire=null,model=cx7");
	stream_begin(s);
	if (s->stepped)
		device_stepped(true);
	stream_run(s, 200 + chance_below(&s->chance, 800));
	fault = order_fault(s, silent, &may_leave);
	s->paused = fault == FAULT_PAUSE;
	stream_run(s, 100 + chance_below(&s->chance, 1000));
	s->paused = false;
	if (fault == FAULT_PAUSE && !silent)
		device_fault("clear");
	if (s->stepped)
		device_stepped(false);
	if (fault == FAULT_COMMANDS)
		device_fault("clear");
	/* A queue that is silent for good ends nothing but by stop. */
	ending = silent ? END_STOP + chance_below(&s->chance, NB_ENDINGS - END_STOP) : chance_below(&s->chance, NB_ENDINGS);
	dropped = finish(s, ending, fault == FAULT_DEATH || fault == FAULT_ANY_WQE || silent);
	told = log_dropped();
	CHECK(told == dropped, "%u operations were never pulled, the driver says it dropped %u", dropped, told);
	CHECK(s->accepted == s->returned + dropped, "accepted %u, returned %u, dropped by close %u", s->accepted, s->returned,
		dropped);
	books_take(&after);
	CHECK(may_leave || after.left_behind == before.left_behind, "%llu objects were not destroyed by the driver",
		(unsigned long long)(after.left_behind - before.left_behind));
	/* What could not be destroyed keeps its handle. The first run warms up what libraries keep for good. */
	if (totals->runs > 0 && (!may_leave || fault == FAULT_DEATH))
		books_compare(&before, &after, UINT32_MAX);
	totals->runs++;
	totals->accepted += s->accepted;
	totals->returned += s->returned;
	totals->dropped += dropped;
	totals->failed += s->failed;
	totals->refused += s->refused;
	totals->by_ending[ending]++;
	if (getenv("PROVE_VERBOSE") != NULL)
		printf("seed=%llu: %u queues of %u, fault %d, %s: accepted %u = returned %u + dropped by close %u; %u failed, %u refused\n",
			(unsigned long long)seed, port->nb_queues, port->queue_size, fault, endings[ending], s->accepted,
			s->returned, dropped, s->failed, s->refused);
}

static void
print_totals(const struct totals *t)
{
	printf("%llu runs (", (unsigned long long)t->runs);
	for (int i = 0; i < NB_ENDINGS; i++)
		printf("%s%s: %llu", i == 0 ? "" : ", ", endings[i], (unsigned long long)t->by_ending[i]);
	printf("), %llu operations failed, %llu calls refused by name\n", (unsigned long long)t->failed,
		(unsigned long long)t->refused);
	printf("seed=%llu: accepted %llu = returned %llu", (unsigned long long)prove_seed, (unsigned long long)t->accepted,
		(unsigned long long)t->returned);
	if (t->dropped != 0)
		printf(" + %llu that a close dropped unpulled, as the driver told", (unsigned long long)t->dropped);
	printf("\n");
}

int
main(int argc, char **argv)
{
	struct totals totals = { 0 };
	struct port port = { 0 };
	uint32_t runs, silent;
	uint64_t begin;

	books_exact(argv);
	if (argc < 3) {
		fprintf(stderr, "usage: prove_once PLUGIN LIBSOFTCX [seed=N] [runs=N] [silent=PERCENT]\n");
		return 2;
	}
	option_seed(argc, argv);
	begin = prove_seed;
	runs = (uint32_t)option(argc, argv, "runs", 100);
	silent = (uint32_t)option(argc, argv, "silent", 0);
	printf("seed=%llu\n", (unsigned long long)prove_seed);
	log_file = tmpfile();
	CHECK(log_file != NULL, "tmpfile: %s", strerror(errno));
	prove_open(argv[0], argv[1], argv[2], 64);
	rte_log_set_level_pattern("pmd.net.mlx5hws", RTE_LOG_INFO);
	if (getenv("PROVE_LOG") == NULL)
		rte_openlog_stream(log_file);
	for (uint32_t i = 0; i < runs; i++) {
		prove_seed = begin + i;
		one_run(&port, prove_seed, i % 100 < silent, &totals);
	}
	prove_seed = begin;
	print_totals(&totals);
	rte_openlog_stream(stderr);
	fclose(log_file);
	rte_mempool_free(port.pool);
	prove_close();
	return 0;
}
