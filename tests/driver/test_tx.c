/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_tx PLUGIN LIBSOFTCX [packets=N] [seed=N] [only=ROW]: random packets through every kind of burst, and each frame that comes
 * back compared with what must be on the wire (tx_frames.h). After each row all buffers are in their pools and the device has
 * no object left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "program.h"
#include "tx_mbufs.h"

#define DEVICE "net_softcx0"
#define MTU 9600
#define NB_DESC 256
#define NB_MBUFS 12287
#define IN_FLIGHT 60 /* packets, so that a pool of ordinary size has room for all their segments and copies */
#define BURST 32
#define BURST_MAX 64
#define NB_KEPT 16
#define KEPT_BYTES 64

#define PATIENCE_S 20

#define CHECKSUMS \
	(RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM | \
	 RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM)
#define TSO (RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO)
#define ALL (CHECKSUMS | TSO | RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_VLAN_INSERT)
#define FAST RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE
#define SEGMENTS RTE_ETH_TX_OFFLOAD_MULTI_SEGS
#define VLAN RTE_ETH_TX_OFFLOAD_VLAN_INSERT

/* One port: arguments of the device, queues, offloads; odd: also chains where no chains were announced, clones, shared buffers. */
static const struct row {
	const char *name, *devargs;
	uint16_t queues;
	uint64_t offloads;
	bool odd;
	uint32_t fault_every; /* WQEs; 0: never */
	const char *mode;     /* what the burst mode must begin with */
	uint32_t alike;       /* tx_mix; then bursts of up to BURST_MAX */
	uint16_t nb_desc;     /* 0: NB_DESC */
} rows[] = {
	{ "pointers", "", 2, 0, true, 0, "Multi-packet" },
	{ "pointers, fast free", "", 1, FAST, false, 0, "Multi-packet" },
	{ "pointers, checksums", "", 2, CHECKSUMS, true, 0, "Multi-packet, checksum" },
	{ "pointers, segments", "", 2, SEGMENTS, true, 0, "Multi-packet, segments" },
	{ "pointers, tags", "", 2, VLAN, true, 0, "Multi-packet, checksum, VLAN" },
	{ "pointers, all", "", 4, ALL, true, 0, "Multi-packet, segments, TSO, checksum, VLAN" },
	{ "inline", "", 8, 0, true, 0, "Multi-packet, inline" },
	{ "inline, checksums, fast free", "", 8, CHECKSUMS | FAST, false, 0, "Multi-packet, inline, checksum" },
	{ "inline, all", "txqs_min_inline=2", 2, ALL, true, 0, "Multi-packet, inline, segments, TSO, checksum, VLAN" },
	{ "inline, long", "txqs_min_inline=1,txq_inline_max=930,txq_inline_mpw=924", 2, ALL, true, 0, "Multi-packet, inline" },
	{ "inline, least", "txq_inline_min=60", 2, ALL, true, 0, "Multi-packet, inline" },
	{ "single", "txq_mpw_en=0", 2, 0, true, 0, "Single" },
	{ "single, all", "txq_mpw_en=0", 2, ALL, true, 0, "Single, segments, TSO, checksum, VLAN" },
	{ "single, inline", "txq_mpw_en=0,txqs_min_inline=1", 2, CHECKSUMS, true, 0, "Single, inline, checksum" },
	{ "single, inline, all", "txq_mpw_en=0,txqs_min_inline=1", 2, ALL, true, 0, "Single, inline, segments" },
	{ "errors, pointers", "", 2, ALL, true, 40, "Multi-packet" },
	{ "errors, inline", "txqs_min_inline=1", 2, ALL, true, 40, "Multi-packet, inline" },
	{ "alike, pointers", "", 1, 0, true, 0, "Multi-packet", 100, 0 },
	{ "alike, pointers, checksums", "", 2, CHECKSUMS, true, 0, "Multi-packet, checksum", 100, 0 },
	{ "alike, pointers, all, few", "", 1, ALL, true, 0, "Multi-packet, segments, TSO, checksum, VLAN", 100, 64 },
	{ "alike, inline", "txqs_min_inline=1", 1, 0, true, 0, "Multi-packet, inline", 100, 0 },
	{ "alike, inline, few", "txqs_min_inline=1", 1, 0, true, 0, "Multi-packet, inline", 100, 64 },
	{ "alike, inline, segments", "txqs_min_inline=1", 1, SEGMENTS | CHECKSUMS, true, 0, "Multi-packet, inline", 100, 0 },
	{ "alike, inline, all, few", "txqs_min_inline=1", 1, ALL, true, 0, "Multi-packet, inline, segments, TSO, checksum, VLAN", 100, 64 },
	{ "errors, alike, pointers", "", 1, 0, true, 40, "Multi-packet", 100, 0 },
	{ "errors, alike, inline", "txqs_min_inline=1", 1, 0, true, 40, "Multi-packet, inline", 100, 0 },
	{ "errors, single", "txq_mpw_en=0", 2, ALL, true, 40, "Single" },
};

static const struct row *row;
static struct rte_mempool *pools[2], *clones;
static uint16_t port;
static struct program program = { .packets = 100000 };
static uint32_t packets; /* of a row */
static struct tx_mix mix;
static uint32_t *came; /* bytes of payload seen of each number, + 1 for each frame's end */

static uint64_t chance;

static uint32_t
any(uint32_t limit)
{
	return random_below(&chance, limit);
}

/* ---- send -------------------------------------------------------------------------------------------------- */

/* Some packets are the application's for longer than the queue's, some for shorter; until then nobody writes to them. */
static struct {
	struct rte_mbuf *m;
	uint32_t len;
	uint8_t begin[KEPT_BYTES];
} kept[NB_KEPT];

static void
keep(uint32_t place, struct rte_mbuf *m)
{
	struct rte_mbuf *old = kept[place].m;
	uint32_t n;

	if (old != NULL) {
		n = RTE_MIN(old->data_len, (uint32_t)KEPT_BYTES);
		CHECK(old->pkt_len == kept[place].len && memcmp(rte_pktmbuf_mtod(old, void *), kept[place].begin, n) == 0,
		      "a packet that is the application's too was given back to its pool");
		rte_pktmbuf_free(old);
	}
	kept[place].m = m;
	if (m == NULL)
		return;
	rte_pktmbuf_refcnt_update(m, 1);
	kept[place].len = m->pkt_len;
	memcpy(kept[place].begin, rte_pktmbuf_mtod(m, void *), RTE_MIN(m->data_len, (uint32_t)KEPT_BYTES));
}

static struct rte_mbuf *
make(uint32_t number)
{
	const struct tx_source source = { .pools = { pools[0], row->offloads & FAST ? NULL : pools[1] }, .clones = clones,
		.random = &chance, .clone = row->odd, .chain = row->odd };
	struct rte_mbuf *m = tx_mbufs_make(&source, &mix, number);

	CHECK(m != NULL, "no buffer: they leak");
	if (!(row->offloads & FAST) && any(20) == 0)
		keep(any(NB_KEPT), m);
	return m;
}

/* ---- receive ----------------------------------------------------------------------------------------------- */

static void
compare(struct rte_mbuf *m)
{
	struct tx_packet p;
	uint32_t offset;
	char error[128];
	int payload = tx_mbufs_compare(&mix, packets, m, false, &p, &offset, NULL, error, sizeof(error));

	CHECK(payload >= 0, "%s", error);
	came[p.number] += (uint32_t)payload + 1;
	rte_pktmbuf_free(m);
}

static uint32_t
receive(uint32_t queues)
{
	struct rte_mbuf *pkts[BURST];
	uint32_t nb = 0;

	for (uint16_t q = 0; q < queues; q++) {
		uint16_t got = rte_eth_rx_burst(port, q, pkts, BURST);

		for (uint16_t i = 0; i < got; i++)
			compare(pkts[i]);
		nb += got;
	}
	return nb;
}

/* Frames and bytes that a packet is on the wire, counted as came counts them. */
static uint32_t
whole(uint32_t number, uint32_t *frames)
{
	struct tx_packet p;

	tx_packet_describe(&mix, number, &p);
	*frames = tx_packet_frames(&p);
	return p.len - p.payload + *frames;
}

/* ---- a row ------------------------------------------------------------------------------------------------- */

static uint64_t
xstat(const char *name)
{
	uint64_t id, value = 0;

	CHECK(rte_eth_xstats_get_id_by_name(port, name, &id) == 0 && rte_eth_xstats_get_by_id(port, &id, &value, 1) == 1,
	      "no statistic %s", name);
	return value;
}

static void
start(void)
{
	struct rte_eth_conf conf = { .rxmode = { .mtu = MTU, .offloads = RTE_ETH_RX_OFFLOAD_SCATTER } };
	struct rte_eth_burst_mode mode;
	char args[256];

	snprintf(args, sizeof(args), "wire=loop:hold%s%s", row->devargs[0] != '\0' ? "," : "", row->devargs);
	CHECK(rte_vdev_init(DEVICE, args) == 0, "no device with %s", args);
	CHECK(rte_eth_dev_get_port_by_name(DEVICE, &port) == 0, "no port");
	conf.txmode.offloads = row->offloads;
	CHECK(rte_eth_dev_configure(port, 1, row->queues, &conf) == 0, "not configured");
	CHECK(rte_eth_rx_queue_setup(port, 0, 1024, 0, NULL, pools[0]) == 0, "no Rx queue");
	for (uint16_t q = 0; q < row->queues; q++)
		CHECK(rte_eth_tx_queue_setup(port, q, row->nb_desc != 0 ? row->nb_desc : NB_DESC, 0, NULL) == 0, "no Tx queue");
	CHECK(rte_eth_promiscuous_enable(port) == 0 && rte_eth_dev_start(port) == 0, "not started");
	CHECK(rte_eth_tx_burst_mode_get(port, 0, &mode) == 0, "no burst mode");
	CHECK(strncmp(mode.info, row->mode, strlen(row->mode)) == 0, "burst mode \"%s\", not \"%s\"", mode.info, row->mode);
}

static void
finish(const unsigned int *full)
{
	struct softcx_census_row counts[128];
	uint64_t objects = 0;
	int nb;

	for (uint32_t i = 0; i < NB_KEPT; i++)
		keep(i, NULL);
	CHECK(rte_eth_dev_stop(port) == 0 && rte_eth_dev_close(port) == 0 && rte_vdev_uninit(DEVICE) == 0, "not closed");
	nb = program.census(-1, counts, 128);
	for (int i = 0; i < nb; i++)
		objects += counts[i].objects;
	CHECK(objects == 0, "%lu objects are left", objects);
	CHECK(rte_mempool_avail_count(pools[0]) == full[0] && rte_mempool_avail_count(pools[1]) == full[1] &&
	      rte_mempool_avail_count(clones) == full[2], "buffers missing: %u of %u, %u of %u, %u of %u",
	      rte_mempool_avail_count(pools[0]), full[0], rte_mempool_avail_count(pools[1]), full[1],
	      rte_mempool_avail_count(clones), full[2]);
}

/* What was accepted came once and whole; where the device failed, no more than that. */
static void
check_all(uint64_t sent_bytes)
{
	struct rte_eth_stats stats;
	uint32_t lost = 0, total = 0;

	for (uint32_t n = 0; n < packets; n++) {
		uint32_t frames, all = whole(n, &frames);

		total += frames;

		CHECK(came[n] == all || (row->fault_every != 0 && came[n] < all), "packet %u: %u of %u bytes and frames", n, came[n],
		      all);
		lost += came[n] != all;
	}
	CHECK(rte_eth_stats_get(port, &stats) == 0, "no statistics");
	CHECK(stats.opackets + stats.oerrors == total, "%lu sent and %lu failed of %u", stats.opackets, stats.oerrors, total);
	/* Some packets of a multi-packet descriptor may have left before the one that failed. */
	CHECK(stats.oerrors >= lost && (row->fault_every != 0 || stats.oerrors == 0), "%lu errors, %u lost", stats.oerrors, lost);
	CHECK(row->fault_every != 0 || stats.obytes == sent_bytes, "%lu bytes counted of %lu", stats.obytes, sent_bytes);
	CHECK((xstat("tx_queue_recoveries") != 0) == (row->fault_every != 0), "%lu recoveries", xstat("tx_queue_recoveries"));
	CHECK(xstat("rx_errors") == 0 && xstat("rx_out_of_buffer") == 0, "frames lost on the way in");
	printf("%s: %u packets%s", row->name, packets, row->fault_every != 0 ? "" : ", all equal");
	if (row->fault_every != 0)
		printf(", %lu failed in %lu errors, none twice", stats.oerrors, xstat("tx_queue_recoveries"));
	printf("\n");
}

/* What the statistics must count for a packet. */
static uint32_t
wire_bytes(uint32_t number)
{
	struct tx_packet p;
	uint32_t frames;

	tx_packet_describe(&mix, number, &p);
	whole(number, &frames);
	return p.len + (frames - 1) * p.payload + frames * (p.vlan != 0 ? 4 : 0);
}

static void
carry(void)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint32_t sent = 0, arrived = 0, expected = 0, idle = 0, next_fault = row->fault_every;
	uint64_t bytes = 0;
	char error[128];

	while (sent < packets || arrived < expected) {
		uint32_t nb = RTE_MIN(1 + any(row->alike != 0 ? BURST_MAX : BURST), packets - sent), at = 0, got;
		uint16_t queue = (uint16_t)any(row->queues);

		if (row->fault_every != 0 && sent >= next_fault) {
			CHECK(program.fault(0, "sq:*:1", error, sizeof(error)) == 0, "no fault: %s", error);
			next_fault = sent + row->fault_every * (10 + any(20));
		}
		for (uint32_t i = 0; i < nb; i++) {
			uint32_t frames;

			pkts[i] = make(sent + i);
			whole(sent + i, &frames);
			expected += frames;
			bytes += wire_bytes(sent + i);
		}
		for (uint64_t since = rte_get_timer_cycles(); at < nb;) {
			got = rte_eth_tx_burst(port, queue, pkts + at, (uint16_t)(nb - at));
			at += got;
			arrived += receive(1);
			/* By the clock: the device's thread may have to wait for a CPU. */
			CHECK(got != 0 || rte_get_timer_cycles() - since < PATIENCE_S * rte_get_timer_hz(), "the queue takes no packets");
		}
		sent += nb;
		/* With errors nobody knows how many will come: until none do. */
		for (idle = 0; arrived + IN_FLIGHT < expected || (sent == packets && arrived < expected); idle = got == 0 ? idle + 1 : 0) {
			got = receive(1);
			arrived += got;
			if (got == 0)
				usleep(20);
			if (row->fault_every != 0 && idle > 300)
				expected = arrived;
			CHECK(idle < 100000, "%u of %u frames came", arrived, expected);
		}
	}
	/* What came late because the device's thread had no CPU. */
	for (uint64_t since = rte_get_timer_cycles(); row->fault_every != 0 && rte_get_timer_cycles() - since < rte_get_timer_hz();) {
		if (receive(1) != 0)
			since = rte_get_timer_cycles();
		usleep(100);
	}
	/* The errors of the last packets are seen by one more call. */
	usleep(2000);
	for (uint16_t q = 0; q < row->queues; q++)
		rte_eth_tx_burst(port, q, pkts, 0);
	check_all(bytes);
}

static void
run_row(void)
{
	const unsigned int full[] = { rte_mempool_avail_count(pools[0]), rte_mempool_avail_count(pools[1]),
		rte_mempool_avail_count(clones) };

	mix = (struct tx_mix){ .seed = program.seed, .checksum = (row->offloads & CHECKSUMS) != 0, .vlan = (row->offloads & VLAN) != 0,
		.tso = (row->offloads & TSO) != 0, .segments = (row->offloads & SEGMENTS) != 0,
		.tunnel = (row->offloads & CHECKSUMS) != 0, .alike = row->alike };
	mix.longest = mix.segments ? MTU : RTE_MBUF_DEFAULT_DATAROOM;
	memset(came, 0, packets * sizeof(*came));
	start();
	carry();
	finish(full);
}

/* Started and stopped with packets under way: nothing is lost of what belongs to the pools. */
static void
restart_under_load(void)
{
	const unsigned int full[] = { rte_mempool_avail_count(pools[0]), rte_mempool_avail_count(pools[1]),
		rte_mempool_avail_count(clones) };
	struct rte_mbuf *pkts[BURST];

	mix = (struct tx_mix){ .seed = program.seed, .longest = MTU, .segments = true, .checksum = true, .vlan = true, .tso = true };
	start();
	for (int i = 0; i < 100; i++) {
		for (uint32_t burst = 0; burst < 4; burst++) {
			uint16_t nb;

			for (uint32_t n = 0; n < BURST; n++)
				pkts[n] = make(i * 4 + burst + n);
			nb = rte_eth_tx_burst(port, (uint16_t)any(row->queues), pkts, BURST);
			rte_pktmbuf_free_bulk(pkts + nb, BURST - nb);
		}
		CHECK(rte_eth_dev_stop(port) == 0 && rte_eth_dev_start(port) == 0, "not started again");
	}
	finish(full);
	printf("%s: 100 starts and stops under load\n", row->name);
}

static int
prepare(void)
{
	for (int i = 0; i < 2; i++)
		pools[i] = rte_pktmbuf_pool_create(i == 0 ? "first" : "second", NB_MBUFS, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	clones = rte_pktmbuf_pool_create("clones", NB_MBUFS, 250, 0, 0, 0);
	came = calloc(packets, sizeof(*came));
	return pools[0] == NULL || pools[1] == NULL || clones == NULL || came == NULL ? -1 : 0;
}

int
main(int argc, char **argv)
{
	int rc = program_begin(argc, argv, "test_tx", &program);

	chance = program.seed | 1;
	packets = RTE_MAX(program.packets / (uint32_t)RTE_DIM(rows), 1000u);
	if (rc != 0 || prepare() != 0)
		return 2;
	for (row = rows; row != rows + RTE_DIM(rows); row++)
		if (program.only == NULL || strcmp(program.only, row->name) == 0)
			run_row();
	row = &rows[8];
	if (program.only == NULL)
		restart_under_load();
	rte_eal_cleanup();
	return 0;
}
