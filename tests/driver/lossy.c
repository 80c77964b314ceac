/* SPDX-License-Identifier: BSD-3-Clause */
#include "lossy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#define NB_MBUFS 12287

const char *lossy_now = "";
static struct rte_mempool *rx_pool, *tx_pool, *clones;
static unsigned int rx_full, tx_full;

void
lossy_must(bool good, const char *format, ...)
{
	va_list args;

	if (good)
		return;
	printf("%s: ", lossy_now);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

int
lossy_begin(int argc, char **argv, const char *name, struct program *program)
{
	int rc = program_begin(argc, argv, name, program);

	if (rc != 0)
		return rc;
	rx_pool = rte_pktmbuf_pool_create("rx", NB_MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	tx_pool = rte_pktmbuf_pool_create("tx", NB_MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	clones = rte_pktmbuf_pool_create("clones", NB_MBUFS, 250, 0, 0, 0);
	if (rx_pool == NULL || tx_pool == NULL || clones == NULL)
		return 2;
	rx_full = rte_mempool_avail_count(rx_pool);
	tx_full = rte_mempool_avail_count(tx_pool);
	return 0;
}

struct rte_mempool *
lossy_rx_pool(void)
{
	return rx_pool;
}

void
lossy_check_clean(const struct program *program, const char *what)
{
	struct softcx_census_row rows[128];
	int nb = program->census(-1, rows, RTE_DIM(rows));

	for (int i = 0; i < nb; i++)
		lossy_must(rows[i].objects == 0, "%s: %lu of %s are left in the devices", what, (unsigned long)rows[i].objects,
			   rows[i].type);
	lossy_must(rte_mempool_avail_count(rx_pool) == rx_full, "%s: %u mbufs to receive into are missing", what,
		   rx_full - rte_mempool_avail_count(rx_pool));
	lossy_must(rte_mempool_avail_count(tx_pool) == tx_full && rte_mempool_avail_count(clones) == NB_MBUFS,
		   "%s: %u mbufs to send are missing", what, tx_full - rte_mempool_avail_count(tx_pool));
}

bool
lossy_wanted(const struct program *program, const char *name)
{
	return program->only == NULL || strcmp(program->only, name) == 0;
}

uint64_t
lossy_time(void)
{
	return rte_get_timer_cycles();
}

/* By the clock: the device's thread may have to wait for a CPU. */
bool
lossy_late(uint64_t since)
{
	return rte_get_timer_cycles() - since > LOSSY_PATIENCE_S * rte_get_timer_hz();
}

uint64_t
lossy_xstat(const struct cross_port *port, const char *name)
{
	uint64_t id, value = 0;

	lossy_must(rte_eth_xstats_get_id_by_name(port->id, name, &id) == 0 && rte_eth_xstats_get_by_id(port->id, &id, &value, 1) == 1,
		   "no statistic %s", name);
	return value;
}

void
lossy_open(struct lossy *l, const struct rx_mode *rx, const struct tx_mode *tx, uint16_t queues, uint64_t tx_offloads,
	   struct rte_mempool *pool)
{
	const bool segments = tx_offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	const char *wrong;

	memset(l, 0, sizeof(*l));
	l->random = 1;
	l->to = (struct cross_port){ .function = 0, .wire = "pair:1", .ours = true, .rx = rx, .tx = &tx_modes[0], .rx_queues = queues,
		.tx_queues = 1, .mtu = rx->mtu, .nb_desc = rx->nb_desc, .pool = pool != NULL ? pool : rx_pool };
	l->from = (struct cross_port){ .function = 1, .wire = "pair:0", .ours = true, .tx = tx, .rx_queues = 1, .tx_queues = queues,
		.rx = rx_mode_named(rx->mtu > RTE_ETHER_MTU ? "scattered" : "plain"), .mtu = rx->mtu, .nb_desc = 64,
		.tx_offloads = tx_offloads, .pool = rx_pool };
	l->source = (struct tx_source){ .pools = { tx_pool }, .clones = clones, .random = &l->random };
	l->mix = (struct tx_mix){ .longest = rx->mtu + RTE_ETHER_HDR_LEN, .segments = segments,
		.checksum = tx_offloads & RTE_ETH_TX_OFFLOAD_UDP_CKSUM };
	if (!segments && l->mix.longest > RTE_MBUF_DEFAULT_DATAROOM)
		l->mix.longest = RTE_MBUF_DEFAULT_DATAROOM;
	l->came = calloc(LOSSY_PACKETS, 1);
	lossy_must(l->came != NULL, "no memory");
	wrong = cross_port_open(&l->to);
	lossy_must(wrong == NULL, "receiver: %s", wrong);
	wrong = cross_port_open(&l->from);
	lossy_must(wrong == NULL, "sender: %s", wrong);
}

void
lossy_close(struct lossy *l)
{
	const char *wrong = cross_port_close(&l->from);

	lossy_must(wrong == NULL, "sender: %s", wrong);
	wrong = cross_port_close(&l->to);
	lossy_must(wrong == NULL, "receiver: %s", wrong);
	free(l->came);
}

void
lossy_send(struct lossy *l, uint16_t queue, uint32_t nb, bool take)
{
	struct rte_mbuf *pkts[LOSSY_BURST];
	uint64_t since = lossy_time();
	uint32_t at = 0;

	lossy_must(l->came == NULL || l->sent + nb <= LOSSY_PACKETS, "too many packets for one pair of ports");
	for (uint32_t i = 0; i < nb; i++) {
		pkts[i] = tx_mbufs_make(&l->source, &l->mix, l->sent + i);
		lossy_must(pkts[i] != NULL, "no buffer to send: they leak");
	}
	l->sent += nb;
	while (at < nb) {
		uint16_t accepted = rte_eth_tx_burst(l->from.id, queue, pkts + at, (uint16_t)(nb - at));

		at += accepted;
		if ((take ? lossy_take(l) : 0) + accepted == 0)
			usleep(10);
		lossy_must(!lossy_late(since), "packets are not sent");
	}
}

static void
check(struct lossy *l, struct rte_mbuf *m)
{
	struct tx_packet p;
	uint32_t offset;
	char error[256];

	lossy_must(tx_mbufs_compare(&l->mix, l->came != NULL ? l->sent : UINT32_MAX, m, false, &p, &offset, NULL, error,
				    sizeof(error)) >= 0, "%s", error);
	if (l->came == NULL)
		return;
	lossy_must(!l->came[p.number], "packet %u came twice", p.number);
	l->came[p.number] = 1;
}

uint32_t
lossy_take(struct lossy *l)
{
	struct rte_mbuf *pkts[LOSSY_BURST];
	uint32_t nb = 0;

	for (uint16_t q = 0; q < l->to.rx_queues; q++) {
		uint16_t got = rte_eth_rx_burst(l->to.id, q, pkts, LOSSY_BURST);

		for (uint16_t i = 0; i < got; i++) {
			check(l, pkts[i]);
			if (l->hold != NULL)
				l->hold[l->taken + nb + i] = pkts[i];
			else
				rte_pktmbuf_free(pkts[i]);
		}
		nb += got;
	}
	l->taken += nb;
	return nb;
}

void
lossy_traffic(struct lossy *l, uint32_t nb, const char *when)
{
	uint64_t since = lossy_time();

	for (uint32_t at = 0; at < nb; at += LOSSY_BURST) {
		uint32_t wanted = l->taken + LOSSY_BURST;

		lossy_send(l, (uint16_t)random_below(&l->random, l->from.tx_queues), LOSSY_BURST, true);
		while (l->taken < wanted) {
			if (lossy_take(l) == 0)
				usleep(10);
			lossy_must(!lossy_late(since), "%s: %u packets are missing", when, wanted - l->taken);
		}
	}
}
