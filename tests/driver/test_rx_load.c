/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_rx_load PLUGIN LIBSOFTCX [seed=N] [only=MODE]: more packets than a port takes, in every way to receive. What is sent to
 * a port that is not polled, or whose pool is dry, is received or counted as missed, none more and none less, and nothing is
 * lost as soon as there is room again. A port that is started and stopped a hundred times while another one sends without
 * a pause has all its mbufs back each time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "lossy.h"

#define QUEUES 2
#define SPARE_MBUFS 1023 /* of a pool that runs dry: beside those of the rings */
#define HELD 65536
#define CYCLES 100
#define LOAD_PACKETS 256 /* whole bursts */

/* Those that differ in what they hold when they are stopped; one that is named is restarted whichever it is. */
static const char *const restarted[] = { "plain", "scattered", "compressed, hash", "striding", "striding, scattered" };

static struct program program = { .memory = "512" };

/* ---- nothing is lost uncounted ---- */

static void
stats_of(const struct lossy *l, struct rte_eth_stats *stats)
{
	lossy_must(rte_eth_stats_get(l->to.id, stats) == 0, "no statistics");
}

/* Until everything that was sent is received or counted; and no more than that comes. */
static void
settle(struct lossy *l, const char *when)
{
	uint64_t since = lossy_time();
	struct rte_eth_stats stats;

	for (stats_of(l, &stats); l->taken + stats.imissed < l->sent; stats_of(l, &stats)) {
		if (lossy_take(l) == 0)
			usleep(10);
		lossy_must(!lossy_late(since), "%s: %u sent, %u received, %lu missed", when, l->sent, l->taken, stats.imissed);
	}
	for (int i = 0; i < 100; i++, usleep(10))
		lossy_take(l);
	stats_of(l, &stats);
	lossy_must(l->taken + stats.imissed == l->sent && stats.ipackets == l->taken && stats.ierrors == 0,
		   "%s: %u sent, %u received (%lu counted), %lu missed, %lu errors", when, l->sent, l->taken, stats.ipackets, stats.imissed,
		   stats.ierrors);
}

static void
overload(const struct rx_mode *mode)
{
	struct rte_eth_stats stats;
	struct lossy l;

	lossy_open(&l, mode, &tx_modes[0], QUEUES, RTE_ETH_TX_OFFLOAD_MULTI_SEGS, NULL);
	for (uint32_t round = 0; round < 2; round++) {
		uint64_t missed;

		stats_of(&l, &stats);
		missed = stats.imissed;
		for (uint32_t sent = 0; sent < QUEUES * mode->nb_desc * 3u / 2; sent += LOSSY_BURST)
			lossy_send(&l, 0, LOSSY_BURST, false);
		settle(&l, "not polled");
		stats_of(&l, &stats);
		lossy_must(stats.imissed > missed, "nothing was dropped");
		lossy_traffic(&l, 1024, "after it was not polled");
	}
	stats_of(&l, &stats);
	printf("%s: %u sent, %u received, %lu missed\n", mode->name, l.sent, l.taken, stats.imissed);
	lossy_close(&l);
	lossy_check_clean(&program, "overload");
}

/* Everything is kept until there is nothing left to receive into. */
static void
dry(const struct rx_mode *mode)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("small", (unsigned int)QUEUES * mode->nb_desc + SPARE_MBUFS, 0, 0,
							   RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	unsigned int full = pool != NULL ? rte_mempool_avail_count(pool) : 0;
	struct rte_mbuf **held = calloc(HELD, sizeof(*held));
	uint64_t since = lossy_time();
	struct rte_eth_stats stats;
	struct lossy l;

	lossy_must(pool != NULL && held != NULL, "no memory");
	lossy_open(&l, mode, &tx_modes[0], QUEUES, RTE_ETH_TX_OFFLOAD_MULTI_SEGS, pool);
	l.hold = held;
	for (stats.rx_nombuf = 0; stats.rx_nombuf == 0 || stats.imissed == 0; stats_of(&l, &stats)) {
		lossy_send(&l, 0, LOSSY_BURST, true);
		lossy_must(!lossy_late(since) && l.sent < HELD, "the pool does not run dry: %u kept", l.taken);
	}
	for (int i = 0; i < 100; i++, usleep(10))
		lossy_take(&l);
	rte_pktmbuf_free_bulk(held, l.taken);
	l.hold = NULL;
	settle(&l, "pool dry");
	lossy_traffic(&l, 1024, "after the pool was dry");
	stats_of(&l, &stats);
	printf("%s: pool dry: %u sent, %u received, %lu missed\n", mode->name, l.sent, l.taken, stats.imissed);
	lossy_close(&l);
	free(held);
	lossy_must(rte_mempool_avail_count(pool) == full, "mbufs of the dry pool are missing: %u of %u", rte_mempool_avail_count(pool),
		   full);
	rte_mempool_free(pool);
	lossy_check_clean(&program, "dry");
}

/* ---- started and stopped under load ---- */

static struct lossy load;
static atomic_bool enough;

/* The same packets again and again, which are made but once: the device and the receiver shall have the CPU. */
static void *
send_without_pause(void *arg)
{
	struct rte_mbuf *pkts[LOAD_PACKETS];
	uint16_t at = 0, sent;

	for (uint32_t i = 0; i < LOAD_PACKETS; i++) {
		pkts[i] = tx_mbufs_make(&load.source, &load.mix, i);
		lossy_must(pkts[i] != NULL, "no buffer to send");
	}
	while (!atomic_load_explicit(&enough, memory_order_relaxed)) {
		for (uint16_t i = 0; i < LOSSY_BURST; i++)
			rte_pktmbuf_refcnt_update(pkts[at + i], 1);
		sent = rte_eth_tx_burst(load.from.id, (uint16_t)random_below(&load.random, QUEUES), pkts + at, LOSSY_BURST);
		for (uint16_t i = sent; i < LOSSY_BURST; i++)
			rte_pktmbuf_refcnt_update(pkts[at + i], -1);
		if (sent == 0)
			usleep(10);
		at = (uint16_t)((at + LOSSY_BURST) % LOAD_PACKETS);
	}
	rte_pktmbuf_free_bulk(pkts, LOAD_PACKETS);
	return arg;
}

static void
restart(const struct rx_mode *mode)
{
	unsigned int idle;
	pthread_t sender;

	lossy_open(&load, mode, &tx_modes[0], QUEUES, RTE_ETH_TX_OFFLOAD_MULTI_SEGS, NULL);
	free(load.came);
	load.came = NULL; /* they come more than once */
	lossy_must(rte_eth_dev_stop(load.to.id) == 0, "not stopped");
	idle = rte_mempool_avail_count(lossy_rx_pool()); /* but for the sender's own few */
	atomic_store(&enough, false);
	lossy_must(pthread_create(&sender, NULL, send_without_pause, NULL) == 0, "no thread");
	for (uint32_t i = 0; i < CYCLES; i++) {
		uint32_t before = load.taken, wanted = i % 10 == 0 ? 500 : i % 3;
		uint64_t since = lossy_time();

		lossy_must(rte_eth_dev_start(load.to.id) == 0, "not started");
		/* Stopped at any state of its ring: soon, or after many packets. */
		while (load.taken - before < wanted) {
			if (lossy_take(&load) == 0)
				usleep(10);
			lossy_must(!lossy_late(since), "nothing comes after %u starts", i + 1);
		}
		lossy_must(rte_eth_dev_stop(load.to.id) == 0, "not stopped");
		lossy_must(rte_mempool_avail_count(lossy_rx_pool()) == idle, "%u mbufs leaked after %u stops",
			   idle - rte_mempool_avail_count(lossy_rx_pool()), i + 1);
	}
	atomic_store(&enough, true);
	pthread_join(sender, NULL);
	lossy_must(rte_eth_dev_start(load.to.id) == 0, "not started");
	printf("%s: %u starts and stops under load, %u packets came\n", mode->name, CYCLES, load.taken);
	lossy_close(&load);
	lossy_check_clean(&program, "restart");
}

int
main(int argc, char **argv)
{
	int rc = lossy_begin(argc, argv, "test_rx_load", &program);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < nb_rx_modes; i++) {
		if (!lossy_wanted(&program, rx_modes[i].name))
			continue;
		lossy_now = rx_modes[i].name;
		overload(&rx_modes[i]);
		dry(&rx_modes[i]);
		for (size_t k = 0; k < RTE_DIM(restarted); k++)
			if (program.only != NULL ? k == 0 : strcmp(restarted[k], rx_modes[i].name) == 0)
				restart(&rx_modes[i]);
	}
	rte_eal_cleanup();
	return 0;
}
