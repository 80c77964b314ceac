/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_rx_queues PLUGIN LIBSOFTCX [packets=N] [seed=N] [only=ROW]: what a receive queue owes beside the
 * burst itself, for cyclic and striding ones. Packets are kept for a while, cloned, their head- and
 * tailroom written to, and must still be what was sent; queues are broken, stopped and started under load;
 * a port is closed with packets still out. After each row all mbufs are in their pools, the device has no
 * object and EAL no memory zone left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memzone.h>

#include "program.h"

#define DEVICE "net_softcx0"
#define NB_DESC 512
#define NB_MBUFS 8191
#define BURST 32
#define LONGEST 1514
#define KEPT 300
#define QUEUES 2
#define PATIENCE_S 20

static const struct row {
	const char *name, *devargs;
	uint16_t mtu;
	uint64_t offloads;
	const char *mode; /* what the burst mode must have in it */
} rows[] = {
	{ "cyclic", "", 1500, 0, ", hash" },
	{ "striding", "mprq_en=1,rxqs_min_mprq=1", 1500, 0, "striding" },
	{ "striding, all attached", "mprq_en=1,rxqs_min_mprq=1,mprq_max_memcpy_len=0", 1500, 0, "striding" },
	{ "striding, none attached", "mprq_en=1,rxqs_min_mprq=1,mprq_max_memcpy_len=2048", 1500, 0, "striding" },
	{ "striding, small strides", "mprq_en=1,rxqs_min_mprq=1,mprq_log_stride_num=6,mprq_log_stride_size=8", 1500, 0, "striding" },
	{ "striding, scattered", "mprq_en=1,rxqs_min_mprq=1,mprq_log_stride_num=4,mprq_log_stride_size=12", 9600,
		RTE_ETH_RX_OFFLOAD_SCATTER, "striding" },
};

static const struct row *row;
static struct rte_mempool *rx_pool, *tx_pool, *clones;
static unsigned int rx_full, tx_full, clones_full, zones_before;
static uint16_t port;
static uint32_t sent, taken;
static struct program program = { .packets = 20000 };

/* What was received and is not given back yet. */
static struct kept {
	struct rte_mbuf *m, *clone;
	uint32_t number;
} kept[KEPT];

static uint32_t
any(uint32_t limit)
{
	static uint64_t state;

	if (state == 0)
		state = program.seed | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % limit;
}

/* ---- frames: all of one follows from its number ---- */

static uint32_t
length_of(uint32_t number)
{
	uint32_t hash = (number * 2654435761u) >> 8, longest = row->mtu + RTE_ETHER_HDR_LEN;

	return hash % 3 == 0 ? 60 + hash % 70 : 60 + hash % (longest - 59);
}

static uint8_t
byte_of(uint32_t number, uint32_t at)
{
	return (uint8_t)(number * 31 + at * 7 + (at >> 8));
}

static struct rte_mbuf *
make(uint32_t number)
{
	static const uint8_t head[] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 };
	uint32_t len = length_of(number), at = 0;
	struct rte_mbuf *m = NULL, *last = NULL;

	while (at < len) {
		uint32_t part = RTE_MIN(len - at, (uint32_t)RTE_MBUF_DEFAULT_DATAROOM);
		struct rte_mbuf *next = rte_pktmbuf_alloc(tx_pool);
		uint8_t *bytes;

		CHECK(next != NULL, "no buffer to send: they leak");
		bytes = (uint8_t *)rte_pktmbuf_append(next, (uint16_t)part);
		for (uint32_t i = 0; i < part; i++)
			bytes[i] = byte_of(number, at + i);
		if (at == 0) {
			memcpy(bytes, head, sizeof(head));
			memcpy(bytes + sizeof(head), &number, sizeof(number));
			m = next;
		} else {
			last->next = next;
			m->nb_segs++;
			m->pkt_len += part;
		}
		last = next;
		at += part;
	}
	return m;
}

static uint32_t
number_of(const struct rte_mbuf *m)
{
	uint32_t number;

	memcpy(&number, rte_pktmbuf_mtod_offset(m, uint8_t *, 14), sizeof(number));
	return number;
}

static void
check_frame(const struct rte_mbuf *m, uint32_t number, const char *when)
{
	uint32_t at = 0;

	CHECK(m->pkt_len == length_of(number), "%s: packet %u has %u bytes, not %u", when, number, m->pkt_len, length_of(number));
	for (const struct rte_mbuf *s = m; s != NULL; s = s->next)
		for (uint32_t i = 0; i < s->data_len; i++, at++)
			CHECK((at >= 14 && at < 18) || at < 14 || rte_pktmbuf_mtod(s, uint8_t *)[i] == byte_of(number, at),
			      "%s: packet %u differs at byte %u of %u", when, number, at, m->pkt_len);
	CHECK(at == m->pkt_len, "%s: packet %u has %u bytes in its segments, not %u", when, number, at, m->pkt_len);
}

/* ---- traffic ---- */

/* An application may write in front of and behind a packet of its own; no other packet's bytes may lie there. */
static void
scribble(struct rte_mbuf *m)
{
	struct rte_mbuf *last = rte_pktmbuf_lastseg(m);

	CHECK(rte_pktmbuf_headroom(m) >= RTE_PKTMBUF_HEADROOM, "packet %u has %u bytes of headroom", number_of(m),
	      rte_pktmbuf_headroom(m));
	memset(m->buf_addr, 0xee, rte_pktmbuf_headroom(m));
	memset(rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len), 0xdd, rte_pktmbuf_tailroom(last));
}

static void
give_back(struct kept *k)
{
	if (k->m == NULL)
		return;
	check_frame(k->m, k->number, "kept");
	rte_pktmbuf_free(k->m);
	k->m = NULL;
	if (k->clone == NULL)
		return;
	check_frame(k->clone, k->number, "clone");
	rte_pktmbuf_free(k->clone);
	k->clone = NULL;
}

static void
give_all_back(void)
{
	for (uint32_t i = 0; i < KEPT; i++)
		give_back(&kept[i]);
}

/* In place of one that was kept, which is looked at again. */
static void
keep(struct rte_mbuf *m)
{
	struct kept *k = &kept[any(KEPT)];

	give_back(k);
	k->m = m;
	k->number = number_of(m);
	scribble(m);
	k->clone = any(8) == 0 ? rte_pktmbuf_clone(m, clones) : NULL;
}

static uint32_t
take(uint16_t queue)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t nb = rte_eth_rx_burst(port, queue, pkts, BURST);

	/* First all, then the scribbling: a packet's neighbours may be in the same burst. */
	for (uint16_t i = 0; i < nb; i++)
		check_frame(pkts[i], number_of(pkts[i]), "taken");
	for (uint16_t i = 0; i < nb; i++)
		keep(pkts[i]);
	taken += nb;
	return nb;
}

static void
send_some(uint32_t nb)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t done = 0;

	for (uint32_t i = 0; i < nb; i++)
		pkts[i] = make(sent + i);
	for (uint64_t end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz(); done < nb;) {
		done += rte_eth_tx_burst(port, 0, pkts + done, (uint16_t)(nb - done));
		CHECK(rte_get_timer_cycles() < end, "packets are not sent");
	}
	sent += nb;
}

/* All that was sent is here within a time. */
static void
take_until(uint32_t wanted, const char *what)
{
	uint64_t end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz();

	while (taken < wanted) {
		for (uint16_t q = 0; q < QUEUES; q++)
			take(q);
		CHECK(rte_get_timer_cycles() < end, "%s: %u of %u packets came", what, taken, wanted);
	}
}

static void
traffic(uint32_t nb, const char *what)
{
	for (uint32_t at = 0; at < nb; at += BURST) {
		uint32_t before = taken;

		send_some(BURST);
		take_until(before + BURST, what);
	}
}

/* ---- life ---- */

static void
count_zone(const struct rte_memzone *zone, void *arg)
{
	(*(unsigned int *)arg)++;
}

static unsigned int
zones(void)
{
	unsigned int nb = 0;

	rte_memzone_walk(count_zone, &nb);
	return nb;
}

static uint64_t
objects(void)
{
	struct softcx_census_row found[128];
	int nb = program.census(-1, found, RTE_DIM(found));
	uint64_t sum = 0;

	for (int i = 0; i < nb; i++)
		sum += found[i].objects;
	return sum;
}

static void
open_port(void)
{
	struct rte_eth_conf conf = { .rxmode = { .mtu = row->mtu, .offloads = row->offloads },
		.txmode.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS };
	struct rte_eth_burst_mode mode;
	char args[256];

	snprintf(args, sizeof(args), "wire=loop%s%s", row->devargs[0] == '\0' ? "" : ",", row->devargs);
	CHECK(rte_vdev_init(DEVICE, args) == 0 && rte_eth_dev_get_port_by_name(DEVICE, &port) == 0, "no port");
	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	CHECK(rte_eth_dev_configure(port, QUEUES, 1, &conf) == 0, "not configured");
	for (uint16_t q = 0; q < QUEUES; q++)
		CHECK(rte_eth_rx_queue_setup(port, q, NB_DESC, 0, NULL, rx_pool) == 0, "no receive queue");
	CHECK(rte_eth_tx_queue_setup(port, 0, NB_DESC, 0, NULL) == 0, "no transmit queue");
	CHECK(rte_eth_promiscuous_enable(port) == 0 && rte_eth_dev_start(port) == 0, "not started");
	CHECK(rte_eth_rx_burst_mode_get(port, 0, &mode) == 0 && strstr(mode.info, row->mode) != NULL, "burst mode \"%s\"", mode.info);
	sent = taken = 0;
}

static void
close_port(void)
{
	CHECK(rte_eth_dev_stop(port) == 0 && rte_eth_dev_close(port) == 0, "not closed");
	CHECK(rte_vdev_uninit(DEVICE) == 0 && objects() == 0, "%lu objects are left in the device", (unsigned long)objects());
}

static void
check_nothing_left(const char *what)
{
	CHECK(rte_mempool_avail_count(rx_pool) == rx_full && rte_mempool_avail_count(tx_pool) == tx_full &&
	      rte_mempool_avail_count(clones) == clones_full, "%s: mbufs leak: %u, %u, %u", what,
	      rx_full - rte_mempool_avail_count(rx_pool), tx_full - rte_mempool_avail_count(tx_pool),
	      clones_full - rte_mempool_avail_count(clones));
	CHECK(zones() == zones_before, "%s: %d memory zones leak", what, (int)(zones() - zones_before));
}

/* ---- rows ---- */

static void
compare(void)
{
	open_port();
	traffic(program.packets, "compare");
	give_all_back();
	close_port();
	check_nothing_left("compare");
}

/* Whatever is kept, what comes later is received as long as there are mbufs: what cannot stay in a buffer is copied. */
static void
hold_all(void)
{
	static struct rte_mbuf *held[4096];
	uint64_t end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz();
	uint32_t nb = 0;

	open_port();
	while (nb < 4096) {
		uint32_t wanted = nb + BURST;

		send_some(BURST);
		while (nb < wanted) {
			for (uint16_t q = 0; q < QUEUES; q++)
				nb += rte_eth_rx_burst(port, q, held + nb, (uint16_t)(wanted - nb));
			CHECK(rte_get_timer_cycles() < end, "only %u packets came while all were held", nb);
		}
	}
	for (uint32_t i = 0; i < nb; i++)
		check_frame(held[i], number_of(held[i]), "held");
	rte_pktmbuf_free_bulk(held, nb);
	traffic(2000, "after all were held");
	give_all_back();
	close_port();
	check_nothing_left("hold all");
}

/* Errors that stop the queue, and one that does not: what comes later is good. */
static void
recover(void)
{
	static const char *const syndromes[] = { "0x01", "0x02", "0x04" };
	struct rte_eth_stats stats;
	char order[64], error[128];

	open_port();
	for (uint32_t i = 0; i < 12; i++) {
		uint64_t errors;

		rte_eth_stats_get(port, &stats);
		errors = stats.ierrors;
		snprintf(order, sizeof(order), "rq:*:%u:%s", 1 + any(20), syndromes[i % 3]);
		CHECK(program.fault(0, order, error, sizeof(error)) == 0, "fault %s: %s", order, error);
		send_some(BURST);
		for (uint64_t end = rte_get_timer_cycles() + PATIENCE_S * rte_get_timer_hz(); stats.ierrors == errors;) {
			for (uint16_t q = 0; q < QUEUES; q++)
				take(q);
			rte_eth_stats_get(port, &stats);
			CHECK(rte_get_timer_cycles() < end, "error of %s was not counted", order);
		}
		for (int spin = 0; spin < 200; spin++)
			for (uint16_t q = 0; q < QUEUES; q++)
				take(q);
		sent = taken;
		traffic(256, "after an error");
	}
	give_all_back();
	close_port();
	check_nothing_left("recover");
}

/* Under load, with packets kept from before. Every other time the queues alone. */
static void
restart(void)
{
	open_port();
	for (uint32_t i = 0; i < 100; i++) {
		for (uint32_t burst = 0; burst < 4; burst++) {
			send_some(BURST);
			take((uint16_t)any(QUEUES));
		}
		if (i % 2 == 0) {
			CHECK(rte_eth_dev_stop(port) == 0 && rte_eth_dev_start(port) == 0, "not started again");
			continue;
		}
		for (uint16_t q = 0; q < QUEUES; q++)
			CHECK(rte_eth_dev_rx_queue_stop(port, q) == 0 && rte_eth_dev_rx_queue_start(port, q) == 0,
			      "queue %u not started again", q);
	}
	for (int spin = 0; spin < 1000; spin++)
		for (uint16_t q = 0; q < QUEUES; q++)
			take(q);
	sent = taken;
	traffic(1000, "after restarts");
	give_all_back();
	close_port();
	check_nothing_left("restart");
}

/* Packets outlive their port. */
static void
close_early(void)
{
	open_port();
	traffic(1000, "before the close");
	close_port();
	give_all_back();
	check_nothing_left("closed early");
}

static int
prepare(void)
{
	rx_pool = rte_pktmbuf_pool_create("rx", NB_MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	tx_pool = rte_pktmbuf_pool_create("tx", NB_MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	clones = rte_pktmbuf_pool_create("clones", NB_MBUFS, 250, 0, 0, 0);
	if (rx_pool == NULL || tx_pool == NULL || clones == NULL)
		return -1;
	rx_full = rte_mempool_avail_count(rx_pool);
	tx_full = rte_mempool_avail_count(tx_pool);
	clones_full = rte_mempool_avail_count(clones);
	return 0;
}

int
main(int argc, char **argv)
{
	int rc = program_begin(argc, argv, "test_rx_queues", &program);

	if (rc != 0 || prepare() != 0)
		return 2;
	for (row = rows; row != rows + RTE_DIM(rows); row++) {
		if (program.only != NULL && strcmp(program.only, row->name) != 0)
			continue;
		open_port(); /* ethdev keeps zones of its own from the first port on */
		close_port();
		zones_before = zones();
		compare();
		hold_all();
		recover();
		restart();
		close_early();
		printf("%s: as sent\n", row->name);
	}
	rte_eal_cleanup();
	return 0;
}
