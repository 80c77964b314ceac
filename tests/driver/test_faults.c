/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_faults PLUGIN LIBSOFTCX [seed=N] [only=MODE]: every kind of error completion in every way to receive and to send.
 * Each is counted once and recovered from once; what was sent is received, missed or an error; what came is as it was sent, once;
 * and what follows is not disturbed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "lossy.h"
#include "prm/cqe.h"

#define QUEUES 2
#define CHECKSUMS (RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM)

/* The syndromes of an error completion that a device may report: PRM, error CQE. */
static const uint8_t syndromes[] = { 0x01, 0x02, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x22 };

static struct program program = { .memory = "512" };

static void
order(const struct cross_port *port, const char *kind, uint32_t nth, uint8_t syndrome)
{
	char text[64], error[128];

	snprintf(text, sizeof(text), "%s:*:%u:%#x", kind, nth, syndrome);
	lossy_must(program.fault(port->function, text, error, sizeof(error)) == 0, "fault %s: %s", text, error);
}

static void
stats_of(const struct cross_port *port, struct rte_eth_stats *stats)
{
	lossy_must(rte_eth_stats_get(port->id, stats) == 0, "no statistics");
}

/* ---- receive ---- */

static void
rx_error(struct lossy *l, uint8_t syndrome, uint32_t nth)
{
	uint64_t since = lossy_time(), recoveries = lossy_xstat(&l->to, "rx_queue_recoveries");
	struct rte_eth_stats stats, before;

	stats_of(&l->to, &before);
	order(&l->to, "rq", nth, syndrome);
	do {
		lossy_send(l, (uint16_t)random_below(&l->random, QUEUES), LOSSY_BURST, true);
		/* Until all of it is accounted for: the error, and what came while the queue stood still. */
		for (stats_of(&l->to, &stats); l->taken + stats.imissed + stats.ierrors < l->sent; stats_of(&l->to, &stats)) {
			if (lossy_take(l) == 0)
				usleep(10);
			lossy_must(!lossy_late(since), "syndrome %#x: %u sent, %u received, %lu missed, %lu errors", syndrome, l->sent,
				   l->taken, stats.imissed, stats.ierrors);
		}
	} while (stats.ierrors == before.ierrors);
	lossy_must(stats.ierrors == before.ierrors + 1, "syndrome %#x: %lu errors, not 1", syndrome, stats.ierrors - before.ierrors);
	/* A frame that is too long costs its descriptor alone. */
	recoveries = lossy_xstat(&l->to, "rx_queue_recoveries") - recoveries;
	lossy_must(recoveries == (syndrome != PRM_CQE_SYND_LOCAL_LENGTH), "syndrome %#x: %lu recoveries", syndrome, recoveries);
	lossy_traffic(l, 256, "after an error");
}

static void
rx_errors(const struct rx_mode *mode)
{
	struct lossy l;

	lossy_open(&l, mode, &tx_modes[0], QUEUES, RTE_ETH_TX_OFFLOAD_MULTI_SEGS, NULL);
	for (uint32_t i = 0; i < 2 * RTE_DIM(syndromes); i++)
		rx_error(&l, syndromes[i / 2], i % 2 == 0 ? 1 : 2 + random_below(&l.random, 60));
	printf("%s: %u errors, %u packets sent, %u received\n", mode->name, 2 * (unsigned int)RTE_DIM(syndromes), l.sent, l.taken);
	lossy_close(&l);
	lossy_check_clean(&program, "receive");
}

/* ---- transmit ---- */

static uint64_t
failed(struct lossy *l)
{
	struct rte_eth_stats stats;

	/* An error is seen at the next burst. */
	for (uint16_t q = 0; q < QUEUES; q++)
		rte_eth_tx_burst(l->from.id, q, NULL, 0);
	stats_of(&l->from, &stats);
	lossy_must(stats.opackets + stats.oerrors == l->sent, "%u sent, %lu counted, %lu failed", l->sent, stats.opackets, stats.oerrors);
	return stats.oerrors;
}

/* singles: no multi-packet descriptors, whose packets may have left though they count as errors. */
static void
tx_error(struct lossy *l, const char *kind, uint8_t syndrome, uint32_t nth, bool singles)
{
	uint64_t since = lossy_time(), recoveries = lossy_xstat(&l->from, "tx_queue_recoveries"), before = failed(l), now;
	uint32_t gone = l->sent - l->taken, least;

	order(&l->from, kind, nth, syndrome);
	while ((now = failed(l)) == before) {
		if (l->sent - l->taken - gone < 8 * LOSSY_BURST)
			lossy_send(l, (uint16_t)random_below(&l->random, QUEUES), LOSSY_BURST, true);
		lossy_take(l);
		lossy_must(!lossy_late(since), "%s, syndrome %#x is not counted", kind, syndrome);
	}
	/* The other queue's packets may still be on their way. */
	least = l->sent - gone - (uint32_t)(now - before);
	while (l->taken < least) {
		if (lossy_take(l) == 0)
			usleep(10);
		lossy_must(!lossy_late(since), "%s, syndrome %#x: %u of %u packets came", kind, syndrome, l->taken, least);
	}
	recoveries = lossy_xstat(&l->from, "tx_queue_recoveries") - recoveries;
	lossy_must(recoveries == 1, "%s, syndrome %#x: %lu recoveries", kind, syndrome, recoveries);
	for (int i = 0; i < 20; i++, usleep(10))
		lossy_take(l);
	lossy_must(!singles || l->taken == least, "%s, syndrome %#x: %u packets counted as failed came", kind, syndrome, l->taken - least);
	lossy_must(failed(l) == now, "%s, syndrome %#x: more errors", kind, syndrome);
	lossy_traffic(l, 256, "after an error");
}

static void
tx_errors(const struct tx_mode *mode, uint64_t offloads, const char *name)
{
	static const char *const kinds[] = { "sq", "packet" };
	struct lossy l;

	lossy_open(&l, rx_mode_named("plain"), mode, QUEUES, offloads, NULL);
	for (uint32_t i = 0; i < 2 * RTE_DIM(syndromes); i++)
		for (uint32_t k = 0; k < RTE_DIM(kinds); k++)
			tx_error(&l, kinds[k], syndromes[i / 2], i % 2 == 0 ? 1 : 2 + random_below(&l.random, 30),
				 strncmp(mode->words, "Single", 6) == 0);
	printf("%s, %s: %u errors, %u packets sent, %u received\n", mode->name, name, 4 * (unsigned int)RTE_DIM(syndromes), l.sent,
	       l.taken);
	lossy_close(&l);
	lossy_check_clean(&program, "transmit");
}

int
main(int argc, char **argv)
{
	int rc = lossy_begin(argc, argv, "test_faults", &program);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < nb_rx_modes; i++) {
		lossy_now = rx_modes[i].name;
		if (lossy_wanted(&program, lossy_now))
			rx_errors(&rx_modes[i]);
	}
	for (size_t i = 0; i < nb_tx_modes; i++) {
		lossy_now = tx_modes[i].name;
		if (!lossy_wanted(&program, lossy_now))
			continue;
		tx_errors(&tx_modes[i], 0, "one segment");
		tx_errors(&tx_modes[i], RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE, "fast free");
		tx_errors(&tx_modes[i], RTE_ETH_TX_OFFLOAD_MULTI_SEGS | CHECKSUMS, "segments, checksums");
	}
	rte_eal_cleanup();
	return 0;
}
