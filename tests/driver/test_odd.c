/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_odd PLUGIN LIBSOFTCX [seed=N] [only=ROW]: what applications may do and seldom do. Each row opens its own ports on softcx, and
 * leaves no object of the device and no buffer behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "program.h"

#define NB_MBUFS 4095
#define NB_DESC 256
#define PATIENCE_MS 20000

struct row {
	const char *name;
	void (*run)(void);
};

static const struct row *row;
static struct rte_mempool *pool;
static struct program program;

/* ---- ports ------------------------------------------------------------------------------------------------- */

static uint16_t
open_port(int device, const char *args, uint16_t nb_rx, uint16_t nb_desc, uint64_t tx_offloads)
{
	struct rte_eth_conf conf = { .txmode.offloads = tx_offloads };
	char name[32];
	uint16_t port;

	snprintf(name, sizeof(name), "net_softcx%d", device);
	CHECK(rte_vdev_init(name, args) == 0 && rte_eth_dev_get_port_by_name(name, &port) == 0, "no port with %s", args);
	CHECK(rte_eth_dev_configure(port, nb_rx, 1, &conf) == 0, "not configured");
	CHECK(nb_rx == 0 || rte_eth_rx_queue_setup(port, 0, NB_DESC, SOCKET_ID_ANY, NULL, pool) == 0, "no Rx queue");
	CHECK(rte_eth_tx_queue_setup(port, 0, nb_desc, SOCKET_ID_ANY, NULL) == 0, "no Tx queue");
	CHECK(rte_eth_dev_start(port) == 0, "not started");
	CHECK(nb_rx == 0 || rte_eth_promiscuous_enable(port) == 0, "not promiscuous");
	return port;
}

static void
close_port(int device, uint16_t port)
{
	char name[32];

	snprintf(name, sizeof(name), "net_softcx%d", device);
	CHECK(rte_eth_dev_stop(port) == 0 && rte_eth_dev_close(port) == 0 && rte_vdev_uninit(name) == 0, "%s not closed", name);
}

static void
check_nothing_left(void)
{
	struct softcx_census_row counts[128];
	uint64_t objects = 0;
	int nb = program.census(-1, counts, 128);

	for (int i = 0; i < nb; i++)
		objects += counts[i].objects;
	CHECK(objects == 0, "%lu objects are left", objects);
	CHECK(rte_mempool_avail_count(pool) == NB_MBUFS, "%u of %u buffers are back", rte_mempool_avail_count(pool), NB_MBUFS);
}

/* "stop" or "go": every send queue there is; those of the flow engine too. */
static void
all_queues(const char *what)
{
	char order[32], error[128];
	int nb = 0;

	for (int number = 1; number < 64; number++) {
		snprintf(order, sizeof(order), "%s:%d", what, number);
		nb += program.fault(0, order, error, sizeof(error)) == 0;
	}
	CHECK(nb != 0, "%s: %s", what, error);
}

/* ---- packets ----------------------------------------------------------------------------------------------- */

/* In so many segments, of which all but the first and the last are empty where bytes is 0. */
static struct rte_mbuf *
make(struct rte_mempool *from, uint32_t segments, uint16_t bytes)
{
	struct rte_mbuf *head = rte_pktmbuf_alloc(from), *m;
	char *data;

	CHECK(head != NULL, "no buffer");
	data = rte_pktmbuf_append(head, 60);
	CHECK(data != NULL, "no room");
	memset(data, 0x55, 60);
	memset(data, 0xff, 2 * RTE_ETHER_ADDR_LEN);
	while (head->nb_segs < segments) {
		m = rte_pktmbuf_alloc(from);
		CHECK(m != NULL && (bytes == 0 || rte_pktmbuf_append(m, bytes) != NULL) && rte_pktmbuf_chain(head, m) == 0, "no chain");
	}
	return head;
}

static void
send_all(uint16_t port, struct rte_mbuf **pkts, uint16_t nb)
{
	uint16_t sent = 0;

	for (int ms = 0; sent < nb; ms++) {
		CHECK(ms < PATIENCE_MS, "%u of %u packets were taken", sent, nb);
		sent += rte_eth_tx_burst(port, 0, pkts + sent, nb - sent);
		if (sent < nb)
			usleep(1000);
	}
}

static uint32_t
receive(uint16_t port, struct rte_mbuf **pkts, uint32_t nb)
{
	uint32_t came = 0;

	for (int ms = 0; came < nb && ms < PATIENCE_MS; ms++) {
		came += rte_eth_rx_burst(port, 0, pkts + came, (uint16_t)(nb - came));
		if (came < nb)
			usleep(1000);
	}
	return came;
}

static void
receive_and_free(uint16_t port, uint32_t nb)
{
	struct rte_mbuf *pkts[64];
	uint32_t came = receive(port, pkts, nb);

	rte_pktmbuf_free_bulk(pkts, came);
	CHECK(came == nb, "%u of %u packets came", came, nb);
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

static void
no_receive_queue(void)
{
	uint16_t port = open_port(0, "wire=null", 0, 64, 0);
	struct rte_eth_stats stats;
	struct rte_mbuf *m = make(pool, 1, 0);

	send_all(port, &m, 1);
	CHECK(rte_eth_stats_get(port, &stats) == 0 && stats.opackets == 1 && stats.oerrors == 0, "not sent");
	CHECK(rte_eth_promiscuous_enable(port) == 0 && rte_eth_promiscuous_disable(port) == 0, "filters cannot be changed");
	close_port(0, port);
}

/* Any packet with as many segments as are announced can be sent, whatever must be inlined of it. */
static void
announced_segments(void)
{
	uint16_t port = open_port(0, "wire=loop,txq_inline_min=290", 1, 128, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	struct rte_eth_dev_info info;
	struct rte_eth_stats stats;
	struct rte_mbuf *m;

	CHECK(rte_eth_dev_info_get(port, &info) == 0, "no information");
	CHECK(info.tx_desc_lim.nb_mtu_seg_max >= 32 && info.tx_desc_lim.nb_mtu_seg_max < 61, "%u segments announced",
	      info.tx_desc_lim.nb_mtu_seg_max);
	for (int i = 0; i < 20; i++) {
		m = make(pool, info.tx_desc_lim.nb_mtu_seg_max, 20);
		send_all(port, &m, 1);
		receive_and_free(port, 1);
	}
	CHECK(rte_eth_stats_get(port, &stats) == 0 && stats.oerrors == 0, "%lu errors", stats.oerrors);
	close_port(0, port);
}

/* A packet for which there will never be room is dropped and counted; those behind it leave. */
static void
never_any_room(void)
{
	static const uint32_t segments[] = { 97, 110, 128, 200 };
	uint16_t port = open_port(0, "wire=loop", 1, 64, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
	struct rte_eth_stats stats;
	struct rte_mbuf *pkts[12];

	for (unsigned int i = 0; i < RTE_DIM(segments); i++) {
		for (unsigned int k = 0; k < RTE_DIM(pkts); k++)
			pkts[k] = make(pool, 1, 0);
		send_all(port, pkts, RTE_DIM(pkts));
		pkts[0] = make(pool, segments[i], 0);
		pkts[1] = make(pool, 1, 0);
		send_all(port, pkts, 2);
		receive_and_free(port, RTE_DIM(pkts) + 1);
	}
	CHECK(rte_eth_stats_get(port, &stats) == 0 && stats.oerrors == RTE_DIM(segments), "%lu errors", stats.oerrors);
	close_port(0, port);
}

/* Packets lent by a striding queue on a queue that was promised plain ones: their buffers come back whole. */
static void
lent(const char *args, bool striding_first)
{
	const char *const striding = "wire=loop,mprq_en=1,rxqs_min_mprq=1,mprq_max_memcpy_len=0";
	uint16_t to = 0, from;
	struct rte_mbuf *pkts[64], *all[NB_MBUFS];
	uint32_t nb = 0;

	if (!striding_first)
		to = open_port(0, args, 1, 256, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
	from = open_port(1, striding, 1, 256, 0);
	for (unsigned int i = 0; i < RTE_DIM(pkts); i++)
		pkts[i] = make(pool, 1, 0);
	send_all(from, pkts, RTE_DIM(pkts));
	CHECK(receive(from, pkts, RTE_DIM(pkts)) == RTE_DIM(pkts) && RTE_MBUF_HAS_EXTBUF(pkts[0]), "no lent packets came");
	if (striding_first) {
		close_port(1, from);
		to = open_port(0, args, 1, 256, RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
	}
	send_all(to, pkts, RTE_DIM(pkts));
	receive_and_free(to, RTE_DIM(pkts));
	close_port(0, to);
	if (!striding_first)
		close_port(1, from);
	while (nb < NB_MBUFS && rte_mempool_get(pool, (void **)&all[nb]) == 0)
		nb++;
	for (uint32_t i = 0; i < nb; i++)
		CHECK(RTE_MBUF_DIRECT(all[i]) && all[i]->buf_addr == rte_mbuf_to_baddr(all[i]), "a buffer that points elsewhere");
	rte_mempool_put_bulk(pool, (void **)all, nb);
}

static void
lent_buffers(void)
{
	lent("wire=loop", false);
	lent("wire=loop", true);
	lent("wire=loop,txqs_min_inline=1", false);
	lent("wire=loop,txq_mpw_en=0", false);
}

/* Two small pools in one page: the packet of one leaves although the other, whose packets went before, is gone. */
static void
page_of_two(int goes)
{
	const int stays = !goes;
	struct rte_mempool *small[2];
	struct rte_mbuf *m;
	uint16_t port;

	for (int i = 0; i < 2; i++) {
		small[i] = rte_pktmbuf_pool_create(i == 0 ? "first" : "second", 1, 0, 0, RTE_PKTMBUF_HEADROOM + 64, SOCKET_ID_ANY);
		CHECK(small[i] != NULL, "no pool");
	}
	port = open_port(0, "wire=loop", 1, 64, 0);
	m = make(small[goes], 1, 0);
	send_all(port, &m, 1);
	receive_and_free(port, 1);
	for (int i = 0; i < 200 && rte_mempool_avail_count(small[goes]) != 1; i++) {
		m = make(pool, 1, 0); /* a completion is asked for by and by */
		send_all(port, &m, 1);
		receive_and_free(port, 1);
	}
	CHECK(rte_mempool_avail_count(small[goes]) == 1, "a buffer does not come back");
	all_queues("stop");
	m = make(small[stays], 1, 0);
	send_all(port, &m, 1);
	rte_mempool_free(small[goes]);
	all_queues("go");
	receive_and_free(port, 1);
	close_port(0, port);
	rte_mempool_free(small[stays]);
}

static void
pools_in_one_page(void)
{
	page_of_two(0);
	page_of_two(1); /* the other one lies before it */
}

int
main(int argc, char **argv)
{
	static const struct row rows[] = {
		{ "no receive queue", no_receive_queue }, { "announced segments", announced_segments },
		{ "never any room", never_any_room }, { "lent buffers", lent_buffers }, { "pools in one page", pools_in_one_page },
	};
	int rc = program_begin(argc, argv, "test_odd", &program);

	if (rc != 0)
		return rc;
	pool = rte_pktmbuf_pool_create("packets", NB_MBUFS, 128, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	if (pool == NULL)
		return 2;
	for (row = rows; row != rows + RTE_DIM(rows); row++) {
		if (program.only != NULL && strcmp(program.only, row->name) != 0)
			continue;
#ifdef __SANITIZE_THREAD__ /* of EAL's interrupt thread, whose lock it does not see, and the close of one port of two */
		if (row->run == lent_buffers)
			continue;
#endif
		row->run();
		check_nothing_left();
		printf("%s: as it must be\n", row->name);
	}
	rte_eal_cleanup();
	return 0;
}
