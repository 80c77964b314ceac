/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_cross PLUGIN LIBSOFTCX [packets=N] [seed=N] [only=RUN] under softcx-run (test_cross.sh): our driver and DPDK's mlx5 in one
 * process, a cable between a port of each. Every way to receive meets every way to send, with sizes, segments, offloads and
 * queues drawn from the seed: ours to mlx5 and to ours, whose metadata must be the same; mlx5 to ours; ours to itself. A run's
 * draw follows from the seed and its number alone, so that it can be repeated by itself (only=7), or with those behind it
 * (only=7-). In the end all buffers are in their pools and the devices have no object left.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "cross_run.h"
#include "program.h"

#define NB_MBUFS_TX 12287
#define NB_MBUFS_RX 40959
#define NO_TRAFFIC_DESC 64
#define QUEUES_MAX 8
/* DPDK's mlx5 takes a tag to insert from the segment in which it is to stand, not from the first one (mlx5_tx_eseg_mdat). */
#define MLX5_HEAD 18
#define LONG_PACKETS 1000000 /* from here on every pair of ways meets */

#define CHECKSUMS \
	(RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM | \
	 RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM)
#define TSO (RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO)

/* Who sends to whom: functions 0 and 1 are joined by a cable, 2 hears itself (test_cross.sh). */
static const struct direction {
	const char *name;
	bool from_ours, to_ours, loop;
	bool keep, compare; /* what was told: for the next direction; with the one before */
} directions[] = {
	{ "ours to ours", true, true, false, true, false },
	{ "ours to mlx5", true, false, false, false, true },
	{ "mlx5 to ours", false, true, false, false, false },
	{ "ours to itself", true, true, true, false, false },
};

static struct program program = { .packets = 100000, .memory = "1024", .pci = true };
static struct rte_mempool *rx_pool, *tx_pools[2], *clones, *all[4];
static unsigned int full[4];
static uint8_t key[SEEN_KEY_BYTES];
static uint64_t sum_packets, sum_frames;
static const char *now; /* the run's name */

static void
must(bool good, const char *what)
{
	if (good)
		return;
	printf("%s: %s\n", now, what);
	exit(1);
}

static void
must_not(const char *wrong, const char *who)
{
	if (wrong == NULL)
		return;
	printf("%s: %s: %s\n", now, who, wrong);
	exit(1);
}

/* ---- the draw ---- */

struct draw {
	const struct rx_mode *rx;
	const struct tx_mode *tx;
	uint16_t rx_queues, tx_queues;
	uint64_t rx_offloads, tx_offloads;
	struct tx_mix mix;
};

static bool
chance(uint64_t *random, uint32_t of)
{
	return random_below(random, of) != 0;
}

static void
draw_round(uint32_t number, struct draw *d)
{
	/* Neighbouring seeds and numbers must not give neighbouring rows. */
	uint64_t random = (program.seed + 1) * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xd1342543de82ef95u;
	bool fast;

	for (int i = 0; i < 8; i++)
		random_below(&random, 2);
	memset(d, 0, sizeof(*d));
	d->rx = &rx_modes[number % nb_rx_modes];
	d->tx = &tx_modes[number % nb_tx_modes];
	d->rx_queues = (uint16_t)(1 + random_below(&random, QUEUES_MAX));
	d->tx_queues = (uint16_t)(1 + random_below(&random, QUEUES_MAX));
	fast = random_below(&random, 4) == 0;
	d->mix = (struct tx_mix){ .seed = program.seed + number, .checksum = chance(&random, 4), .vlan = chance(&random, 3),
		.segments = !fast && chance(&random, 4) };
	d->mix.tso = d->mix.checksum && d->mix.segments && chance(&random, 3);
	d->mix.tunnel = d->mix.checksum && chance(&random, 4);
	d->mix.longest = d->rx->mtu + RTE_ETHER_HDR_LEN;
	if (!d->mix.segments && d->mix.longest > RTE_MBUF_DEFAULT_DATAROOM)
		d->mix.longest = RTE_MBUF_DEFAULT_DATAROOM;
	d->tx_offloads = (fast ? RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE : 0) | (d->mix.checksum ? CHECKSUMS : 0) |
		(d->mix.vlan ? RTE_ETH_TX_OFFLOAD_VLAN_INSERT : 0) | (d->mix.segments ? RTE_ETH_TX_OFFLOAD_MULTI_SEGS : 0) |
		(d->mix.tso ? TSO : 0);
	d->rx_offloads = RTE_ETH_RX_OFFLOAD_RSS_HASH | (chance(&random, 4) ? RTE_ETH_RX_OFFLOAD_CHECKSUM : 0) |
		(chance(&random, 2) ? RTE_ETH_RX_OFFLOAD_VLAN_STRIP : 0);
}

/* ---- a run ---- */

static struct cross_port
receiver(const struct draw *d, const struct direction *way)
{
	return (struct cross_port){ .function = way->loop ? 2 : 1, .ours = way->to_ours, .rx = d->rx, .tx = d->tx,
		.rx_queues = d->rx_queues, .tx_queues = way->loop ? d->tx_queues : 1, .mtu = d->rx->mtu, .nb_desc = d->rx->nb_desc,
		.rx_offloads = d->rx_offloads, .tx_offloads = way->loop ? d->tx_offloads : 0, .pool = rx_pool, .key = key };
}

/* It receives nothing, but must be ready to receive as long frames as it sends. */
static struct cross_port
sender(const struct draw *d, const struct direction *way)
{
	return (struct cross_port){ .function = 0, .ours = way->from_ours, .tx = d->tx, .rx_queues = 1,
		.rx = rx_mode_named(d->rx->mtu > RTE_ETHER_MTU ? "scattered" : "plain"), .tx_queues = d->tx_queues,
		.mtu = d->rx->mtu, .nb_desc = NO_TRAFFIC_DESC, .tx_offloads = d->tx_offloads, .pool = rx_pool, .key = key };
}

static void
describe(const struct draw *d, const struct direction *way, char *text, size_t size, uint32_t number)
{
	snprintf(text, size, "run %u, %s: %s, %u queues%s%s%s%s%s%s -> %s, %u queues%s%s", number, way->name, d->tx->name, d->tx_queues,
		 d->mix.segments ? ", segments" : "", d->mix.checksum ? ", checksums" : "", d->mix.vlan ? ", tags" : "",
		 d->mix.tso ? ", TSO" : "", d->mix.tunnel ? ", VXLAN" : "",
		 d->tx_offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE ? ", fast free" : "", d->rx->name, d->rx_queues,
		 d->rx_offloads & RTE_ETH_RX_OFFLOAD_CHECKSUM ? ", checksums" : "",
		 d->rx_offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP ? ", strip" : "");
}

static void
check_pools(void)
{
	for (unsigned int i = 0; i < RTE_DIM(all); i++)
		must(rte_mempool_avail_count(all[i]) == full[i], "buffers are missing in a pool");
}

static void
go(const struct draw *d, const struct direction *way, uint32_t number, uint32_t packets, struct seen *told)
{
	bool fast = d->tx_offloads & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	struct cross_port to = receiver(d, way), from = sender(d, way);
	uint64_t random = program.seed ^ number;
	struct cross_run run = { .from = way->loop ? &to : &from, .to = &to, .mix = d->mix, .packets = packets,
		.source = { .pools = { tx_pools[0], fast ? NULL : tx_pools[1] }, .clones = clones, .random = &random, .clone = !fast,
			.chain = !fast && way->from_ours, /* though none was announced */
			.head = way->from_ours ? 0 : MLX5_HEAD },
		.how = { .checksum = d->rx_offloads & RTE_ETH_RX_OFFLOAD_CHECKSUM, .zero_hash = !way->to_ours,
			.no_types = !way->to_ours && d->rx->mlx5_no_types,
			.hash = !d->rx->no_hash ? SEEN_HASH : way->to_ours ? SEEN_HASH_OR_NONE : SEEN_HASH_OR_ANY,
			.strip = d->rx_offloads & RTE_ETH_RX_OFFLOAD_VLAN_STRIP },
		.told = way->keep ? told : NULL, .before = way->compare ? told : NULL };
	char name[256];

	describe(d, way, name, sizeof(name), number);
	now = name;
	memcpy(run.how.key, key, sizeof(key));
	must_not(cross_port_open(&to), "receiver");
	if (!way->loop)
		must_not(cross_port_open(&from), "sender");
	must(cross_run(&run) == 0, run.error);
	must_not(cross_port_close(&to), "receiver");
	if (!way->loop)
		must_not(cross_port_close(&from), "sender");
	check_pools();
	printf("%s: %u packets, %u frames, all as they must be\n", name, packets, run.frames);
	sum_packets += packets;
	sum_frames += run.frames;
}

/*
 * DPDK's mlx5 has no burst that cuts or chains, sums up and tags, all without inlining: its table has no such row (mlx5_tx.c). A
 * packet of 18 bytes, of which it is to inline some, it never sends.
 */
static struct draw
drawn_for(const struct draw *drawn, const struct direction *way)
{
	struct draw d = *drawn;

	if (!way->from_ours)
		d.mix.shortest = RTE_ETHER_MIN_LEN - RTE_ETHER_CRC_LEN;
	if (!way->from_ours && !d.tx->inlined && d.mix.segments && d.mix.checksum) {
		d.mix.vlan = false;
		d.tx_offloads &= ~RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
	}
	return d;
}

/* What only= asks for. */
static bool
wanted(uint32_t run)
{
	char from = 0;
	unsigned int asked;

	return program.only == NULL || sscanf(program.only, "%u%c", &asked, &from) < 1 || run == asked || (from == '-' && run > asked);
}

static bool
can_go(const struct rx_mode *rx, const struct direction *way)
{
	return way->to_ours || !rx->ours;
}

static void
go_round(uint32_t round, uint32_t packets)
{
	struct seen *told;
	struct draw d;
	bool before = false; /* the direction before was carried */

	draw_round(round, &d);
	told = calloc(cross_frames(&d.mix, packets), sizeof(*told));
	must(told != NULL, "no memory");
	for (uint32_t i = 0; i < RTE_DIM(directions); i++) {
		struct direction way = directions[i];
		struct draw mine = drawn_for(&d, &way);

		if (!wanted(round * RTE_DIM(directions) + i) || !can_go(d.rx, &way)) {
			before = false;
			continue;
		}
		way.compare &= before;
		before = true;
		go(&mine, &way, round * RTE_DIM(directions) + i, packets, told);
	}
	free(told);
}

/* ---- */

static int
prepare(void)
{
	struct rte_mempool **pools[] = { &rx_pool, &tx_pools[0], &tx_pools[1], &clones };
	uint64_t random = program.seed;

	rx_pool = rte_pktmbuf_pool_create("rx", NB_MBUFS_RX, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	tx_pools[0] = rte_pktmbuf_pool_create("first", NB_MBUFS_TX, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	tx_pools[1] = rte_pktmbuf_pool_create("second", NB_MBUFS_TX, 250, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	clones = rte_pktmbuf_pool_create("clones", NB_MBUFS_TX, 250, 0, 0, 0);
	for (unsigned int i = 0; i < RTE_DIM(pools); i++) {
		if (*pools[i] == NULL)
			return -1;
		all[i] = *pools[i];
		full[i] = rte_mempool_avail_count(all[i]);
	}
	for (unsigned int i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)random_below(&random, 256);
	return 0;
}

static uint64_t
objects(void)
{
	struct softcx_census_row counts[128];
	int nb = program.census(-1, counts, RTE_DIM(counts));
	uint64_t sum = 0;

	for (int i = 0; i < nb; i++)
		sum += counts[i].objects;
	return sum;
}

int
main(int argc, char **argv)
{
	int rc = program_begin(argc, argv, "test_cross", &program);
	uint32_t rounds, packets, runs = 0;

	if (rc != 0 || prepare() != 0)
		return 2;
	rounds = (uint32_t)(program.packets >= LONG_PACKETS ? nb_rx_modes * nb_tx_modes : nb_rx_modes);
	for (uint32_t i = 0; i < rounds * RTE_DIM(directions); i++)
		runs += can_go(&rx_modes[i / RTE_DIM(directions) % nb_rx_modes], &directions[i % RTE_DIM(directions)]);
	packets = program.packets / runs + 1;
	for (uint32_t round = 0; round < rounds; round++)
		go_round(round, packets);
	now = "in the end";
	must(objects() == 0, "objects are left in the devices");
	printf("%lu packets, %lu frames compared\n", sum_packets, sum_frames);
	rte_eal_cleanup();
	return 0;
}
