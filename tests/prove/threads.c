/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * prove_threads PLUGIN LIBSOFTCX [seed=N] [seconds=N]
 *
 * Two threads insert and delete rules, each on two flow queues of its own, first in one table, then each in its own, then in tables
 * of all shapes (counters, arguments, indirect actions); a thread sends and one receives; a fourth makes and destroys templates, tables and indirect actions and asks for statistics. A frame that
 * is marked must bear the mark and the queue of its own tuple. For ThreadSanitizer too.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_errno.h>
#include <rte_mbuf.h>

#include "shapes.h"
#include "tuples.h"

#define RULES 4096
#define WRITERS 2
#define SHAPED_RULES 960 /* over four tables of SHAPE_RULES */

enum layout { ONE_TABLE, TWO_TABLES, ALL_SHAPES, NB_LAYOUTS };
static const char *const layouts[NB_LAYOUTS] = { "one table", "two tables", "tables of all shapes" };

struct writer {
	const struct port *port;
	const struct tuple_table *table;  /* NULL: shapes */
	const struct shapes *shapes;
	struct shape_handles handles;
	uint64_t salt;
	uint32_t index, nb_rules;
	struct chance chance;
	uint8_t there[RULES / WRITERS], busy[RULES / WRITERS];
	struct rte_flow *flow[RULES / WRITERS];
	uint32_t out[2];
	uint64_t done;
};

struct traffic {
	const struct port *port;
	uint64_t salt;
	struct chance chance;
	uint64_t sent, received, marked;
};

static atomic_bool over;

/* ---- writers: tuples index, index + WRITERS, ... are this one's ------------------------------------------------- */

static void
writer_pull(struct writer *w, uint32_t q)
{
	struct rte_flow_op_result results[32];
	struct rte_flow_error error = { 0 };
	int got = rte_flow_pull(w->port->id, (uint16_t)(2 * w->index + q), results, 32, &error);

	CHECK(got >= 0, "pull: %s", error.message);
	for (int i = 0; i < got; i++) {
		uint32_t at = (uint32_t)(uintptr_t)results[i].user_data;

		CHECK(results[i].status == RTE_FLOW_OP_SUCCESS && at < RULES / WRITERS && w->busy[at], "result of rule %u", at);
		w->busy[at] = 0;
		w->there[at] ^= 1;
		w->out[q]--;
		w->done++;
	}
}

/* @return false: a counter that was given back is not yet ready again. */
static bool
writer_insert(struct writer *w, uint32_t queue, uint32_t at, bool postpone)
{
	uint32_t n = at * WRITERS + w->index;
	void *user_data = (void *)(uintptr_t)at;
	struct rte_flow_error error = { 0 };
	enum shape shape = n / WRITERS % SHAPE_CROWDED;

	if (w->table != NULL)
		w->flow[at] = tuple_insert(w->table, w->port, queue, w->salt, n, postpone, user_data, &error);
	else
		w->flow[at] = shape_insert(w->shapes, w->port, shape, queue, n, &w->handles, postpone, user_data, &error);
	CHECK(w->flow[at] != NULL || (w->table == NULL && shape == SHAPE_COUNT && rte_errno == EAGAIN), "insertion: %s",
		error.message);
	return w->flow[at] != NULL;
}

static void
writer_turn(struct writer *w, uint32_t q, uint32_t at)
{
	const struct rte_flow_op_attr attr = { .postpone = chance_below(&w->chance, 8) != 0 };
	uint32_t queue = 2 * w->index + q;
	struct rte_flow_error error = { 0 };

	if (w->busy[at] || w->out[q] == w->port->queue_size)
		return;
	if (!w->there[at] && !writer_insert(w, queue, at, attr.postpone))
		return;
	if (w->there[at])
		CHECK(rte_flow_async_destroy(w->port->id, queue, &attr, w->flow[at], (void *)(uintptr_t)at, &error) == 0,
			"deletion: %s", error.message);
	w->busy[at] = 1;
	w->out[q]++;
}

static void
writer_drain(struct writer *w)
{
	struct rte_flow_error error;

	for (uint32_t q = 0; q < 2; q++) {
		CHECK(rte_flow_push(w->port->id, 2 * w->index + q, &error) == 0, "push: %s", error.message);
		while (w->out[q] > 0) {
			writer_pull(w, q);
			sched_yield();
		}
	}
}

static void *
writer_run(void *arg)
{
	struct writer *w = arg;

	while (!atomic_load(&over)) {
		uint32_t q = chance_below(&w->chance, 2);

		writer_turn(w, q, chance_below(&w->chance, w->nb_rules / WRITERS));
		if (chance_below(&w->chance, 16) == 0) {
			writer_pull(w, q);
			sched_yield();
		}
		if (w->out[q] == w->port->queue_size)
			writer_drain(w);
	}
	writer_drain(w);
	for (uint32_t at = 0; at < RULES / WRITERS; at++) {
		if (w->out[at & 1] == w->port->queue_size)
			writer_drain(w);
		if (w->there[at])
			writer_turn(w, at & 1, at);
	}
	writer_drain(w);
	return NULL;
}

/* ---- traffic ---------------------------------------------------------------------------------------------------- */

static void *
sender_run(void *arg)
{
	struct traffic *t = arg;

	for (uint16_t queue = 0; !atomic_load(&over); queue = (queue + 1) % NB_RX) {
		struct rte_mbuf *m = frame_make(t->port, t->salt, chance_below(&t->chance, RULES), 0);

		if (m != NULL && rte_eth_tx_burst(t->port->id, queue, &m, 1) == 1)
			t->sent++;
		else
			rte_pktmbuf_free(m);
		if ((t->sent & 15) == 0)
			sched_yield();
	}
	return NULL;
}

static void
judge(struct traffic *t, struct rte_mbuf *m, uint16_t queue)
{
	uint32_t place, n;

	frame_read(m, &place, &n);
	CHECK(n < RULES, "a frame that nobody sent");
	t->received++;
	if ((m->ol_flags & RTE_MBUF_F_RX_FDIR_ID) == 0)
		return;
	t->marked++;
	CHECK(m->hash.fdir.hi == tuple_mark(t->salt, n), "tuple %u: mark %u", n, m->hash.fdir.hi);
	CHECK(queue == tuple_queue(t->salt, n), "tuple %u: queue %u", n, queue);
}

static void *
receiver_run(void *arg)
{
	struct traffic *t = arg;
	struct rte_mbuf *pkts[32];

	while (!atomic_load(&over)) {
		for (uint16_t queue = 0; queue < NB_RX; queue++) {
			uint16_t got = rte_eth_rx_burst(t->port->id, queue, pkts, 32);

			for (uint16_t i = 0; i < got; i++) {
				judge(t, pkts[i], queue);
				rte_pktmbuf_free(pkts[i]);
			}
		}
		sched_yield();
	}
	return NULL;
}

/* ---- control ---------------------------------------------------------------------------------------------------- */

static void
control_once(const struct port *port, uint32_t round)
{
	const struct rte_flow_indir_action_conf conf = { .ingress = 1 };
	struct rte_flow_action_rss rss;
	uint16_t queues[NB_RX];
	const struct rte_flow_action action = { RTE_FLOW_ACTION_TYPE_RSS, &rss };
	struct rte_flow_action_handle *handle;
	struct rte_flow_error error = { 0 };
	struct rte_eth_stats stats;
	struct tuple_table table;

	shape_rss(round, &rss, queues);
	handle = rte_flow_action_handle_create(port->id, &conf, &action, &error);
	CHECK(handle != NULL, "indirect rss: %s", error.message);
	tuple_table_create(&table, port, 64, 5);
	shape_rss(round + 1, &rss, queues);
	CHECK(rte_flow_action_handle_update(port->id, handle, &action, &error) == 0, "update: %s", error.message);
	CHECK(rte_eth_stats_get(port->id, &stats) == 0, "statistics");
	tuple_table_destroy(&table, port);
	CHECK(rte_flow_action_handle_destroy(port->id, handle, &error) == 0, "destroy: %s", error.message);
}

/* Before a writer's thread begins. */
static void
writer_open(struct writer *w, const struct port *port, uint32_t index, enum layout layout, const struct tuple_table *tables,
	const struct shapes *shapes)
{
	const struct rte_flow_indir_action_conf conf = { .ingress = 1 };
	struct rte_flow_action_rss rss;
	uint16_t queues[NB_RX];
	const struct rte_flow_action spread = { RTE_FLOW_ACTION_TYPE_RSS, &rss };
	const struct rte_flow_action_count count = { 0 };
	const struct rte_flow_action counting = { RTE_FLOW_ACTION_TYPE_COUNT, &count };
	struct rte_flow_error error = { 0 };

	memset(w, 0, sizeof(*w));
	w->port = port;
	w->index = index;
	w->nb_rules = layout == ALL_SHAPES ? SHAPED_RULES : RULES;
	w->salt = layout == ALL_SHAPES ? 0 : prove_seed;
	w->chance.state = prove_seed + 10 + index;
	if (layout != ALL_SHAPES) {
		w->table = &tables[layout == ONE_TABLE ? 0 : index];
		return;
	}
	w->shapes = shapes;
	shape_rss(index + 2, &rss, queues);
	w->handles.rss = rte_flow_action_handle_create(port->id, &conf, &spread, &error);
	w->handles.count = rte_flow_action_handle_create(port->id, &conf, &counting, &error);
	CHECK(w->handles.rss != NULL && w->handles.count != NULL, "indirect actions: %s", error.message);
}

static void
writer_close(struct writer *w)
{
	struct rte_flow_error error = { 0 };

	if (w->table != NULL)
		return;
	CHECK(rte_flow_action_handle_destroy(w->port->id, w->handles.rss, &error) == 0, "rss stays: %s", error.message);
	CHECK(rte_flow_action_handle_destroy(w->port->id, w->handles.count, &error) == 0, "count stays: %s", error.message);
}

static void
run_threads(const struct port *port, struct writer *writers, struct traffic *out, struct traffic *in, uint32_t seconds)
{
	pthread_t threads[WRITERS + 2];
	time_t end = time(NULL) + seconds;

	atomic_store(&over, false);
	for (uint32_t i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, writer_run, &writers[i]);
	pthread_create(&threads[WRITERS], NULL, sender_run, out);
	pthread_create(&threads[WRITERS + 1], NULL, receiver_run, in);
	for (uint32_t round = 0; time(NULL) < end; round++) {
		control_once(port, round);
		sched_yield();
	}
	atomic_store(&over, true);
	for (uint32_t i = 0; i < WRITERS + 2; i++)
		pthread_join(threads[i], NULL);
}

static void
one_round(struct port *port, enum layout layout, uint32_t seconds, uint64_t *done, uint64_t *marked)
{
	static struct writer writers[WRITERS];
	struct traffic out = { .port = port, .salt = layout == ALL_SHAPES ? 0 : prove_seed, .chance = { prove_seed + 1 } };
	struct traffic in = out;
	struct tuple_table tables[WRITERS];
	struct shapes shapes;

	port_open(port, "wire=loop");
	for (uint32_t i = 0; i < WRITERS && layout != ALL_SHAPES; i++)
		tuple_table_create(&tables[i], port, layout == ONE_TABLE ? RULES : RULES / WRITERS, i);
	if (layout == ALL_SHAPES)
		shapes_create(&shapes, port);
	for (uint32_t i = 0; i < WRITERS; i++)
		writer_open(&writers[i], port, i, layout, tables, &shapes);
	run_threads(port, writers, &out, &in, seconds);
	for (uint32_t i = 0; i < WRITERS; i++) {
		writer_close(&writers[i]);
		*done += writers[i].done;
	}
	for (uint32_t i = 0; i < WRITERS && layout != ALL_SHAPES; i++)
		tuple_table_destroy(&tables[i], port);
	if (layout == ALL_SHAPES)
		shapes_destroy(&shapes, port);
	*marked += in.marked;
	printf("%s: %llu + %llu rule operations, %llu frames out, %llu in, %llu of them marked\n", layouts[layout],
		(unsigned long long)writers[0].done, (unsigned long long)writers[1].done, (unsigned long long)out.sent,
		(unsigned long long)in.received, (unsigned long long)in.marked);
	port_close(port);
}

int
main(int argc, char **argv)
{
	struct port port = { .nb_queues = 2 * WRITERS, .queue_size = 64, .counters = 1024 };
	uint64_t done = 0, marked = 0;
	uint32_t seconds;

	if (argc < 3) {
		fprintf(stderr, "usage: prove_threads PLUGIN LIBSOFTCX [seed=N] [seconds=N]\n");
		return 2;
	}
	option_seed(argc, argv);
	seconds = (uint32_t)option(argc, argv, "seconds", 6);
	printf("seed=%llu\n", (unsigned long long)prove_seed);
	prove_open(argv[0], argv[1], argv[2], 64);
	for (enum layout layout = 0; layout < NB_LAYOUTS; layout++)
		one_round(&port, layout, (seconds + NB_LAYOUTS - 1) / NB_LAYOUTS, &done, &marked);
	rte_mempool_free(port.pool);
	prove_close();
	CHECK(done > 0 && marked > 0, "nothing happened");
	printf("threads: %llu rule operations beside traffic, %llu marked frames right\n", (unsigned long long)done,
		(unsigned long long)marked);
	return 0;
}
