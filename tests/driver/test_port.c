/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * test_port PLUGIN LIBSOFTCX: the whole driver on softcx, through the ethdev API of an ordinary program.
 * Each test makes a virtual device, and after its close the device's census and the mempool must be as
 * before: nothing left, no buffer lost.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "softcx/front/softcx.h"

#define DEVICE "net_softcx0"
#define NB_QUEUES 2
#define NB_DESC 64
#define NB_MBUFS 2047
#define FRAME 100

static struct rte_mempool *pool;
static uint16_t port;
static unsigned int pool_full;
static atomic_int lsc_events, rmv_events;

static int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
static int (*fault)(unsigned int index, const char *order, char *error, size_t size);

static int
count_event(uint16_t port_id, enum rte_eth_event_type type, void *arg, void *ret)
{
	atomic_fetch_add((atomic_int *)arg, 1);
	return 0;
}

/* Objects of all ports, but for tables that the device itself owns. */
static uint64_t
objects(void)
{
	struct softcx_census_row rows[128];
	int nb = census(-1, rows, 128);
	uint64_t sum = 0;

	assert_in_range(nb, 1, 128);
	for (int i = 0; i < nb; i++)
		sum += rows[i].objects;
	return sum;
}

static void
wait_ms(unsigned int ms)
{
	usleep(ms * 1000);
}

static bool
within_2_s(atomic_int *value, int wanted)
{
	for (int i = 0; i < 200 && atomic_load(value) < wanted; i++)
		wait_ms(10);
	return atomic_load(value) >= wanted;
}

static void
start_port(void)
{
	struct rte_eth_conf conf = { .intr_conf = { .lsc = 1, .rmv = 1 } };

	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_UDP | RTE_ETH_RSS_IP;
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES, NB_QUEUES, &conf), 0);
	for (uint16_t i = 0; i < NB_QUEUES; i++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, i, NB_DESC, 0, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port, i, NB_DESC, 0, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static int
setup(void **state)
{
	assert_int_equal(objects(), 0);
	assert_int_equal(rte_vdev_init(DEVICE, "wire=loop"), 0);
	assert_int_equal(rte_eth_dev_get_port_by_name(DEVICE, &port), 0);
	lsc_events = 0;
	rmv_events = 0;
	rte_eth_dev_callback_register(port, RTE_ETH_EVENT_INTR_LSC, count_event, &lsc_events);
	rte_eth_dev_callback_register(port, RTE_ETH_EVENT_INTR_RMV, count_event, &rmv_events);
	assert_int_equal(rte_eth_promiscuous_enable(port), 0);
	start_port();
	return 0;
}

static int
teardown(void **state)
{
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_close(port), 0);
	assert_int_equal(rte_vdev_uninit(DEVICE), 0);
	assert_int_equal(objects(), 0);
	assert_int_equal(rte_mempool_avail_count(pool), pool_full);
	return 0;
}

/* A UDP frame whose source port is number and whose payload depends on it, in segs segments. */
static struct rte_mbuf *
make_frame(uint16_t number, uint16_t segs)
{
	struct rte_mbuf *head = NULL, *m;
	uint8_t bytes[FRAME] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, FRAME - 14, 0, 0, 0, 0, 64, 17, 0, 0,
		10, 0, 0, 1, 10, 0, 0, 2, 0, 0, 0, 53, 0, FRAME - 34 };

	bytes[34] = (uint8_t)(number >> 8);
	bytes[35] = (uint8_t)number;
	for (int i = 42; i < FRAME; i++)
		bytes[i] = (uint8_t)(number + i);
	for (uint16_t i = 0, at = 0; i < segs; i++) {
		uint16_t len = i + 1 == segs ? FRAME - at : FRAME / segs;

		m = rte_pktmbuf_alloc(pool);
		assert_non_null(m);
		memcpy(rte_pktmbuf_append(m, len), bytes + at, len);
		at += len;
		if (head == NULL)
			head = m;
		else
			assert_int_equal(rte_pktmbuf_chain(head, m), 0);
	}
	return head;
}

static bool
is_frame(const struct rte_mbuf *m, uint16_t *number)
{
	const uint8_t *bytes = rte_pktmbuf_mtod(m, const uint8_t *);

	if (m->pkt_len != FRAME || m->nb_segs != 1)
		return false;
	*number = (uint16_t)(bytes[34] << 8 | bytes[35]);
	for (int i = 42; i < FRAME; i++)
		if (bytes[i] != (uint8_t)(*number + i))
			return false;
	return true;
}

static void
send_frames(uint16_t queue, uint16_t first, uint16_t nb, uint16_t segs)
{
	for (uint16_t i = 0; i < nb; i++) {
		struct rte_mbuf *m = make_frame((uint16_t)(first + i), segs);

		for (int tries = 0; rte_eth_tx_burst(port, queue, &m, 1) == 0; tries++) {
			assert_in_range(tries, 0, 1000);
			wait_ms(1);
		}
	}
}

/* Receive on all queues until wanted frames are there or half a second brings none; each must be whole. */
static unsigned int
receive_frames(unsigned int wanted)
{
	struct rte_mbuf *pkts[32];
	unsigned int nb = 0, idle = 0;
	uint16_t number;

	while (nb < wanted && idle < 50) {
		unsigned int before = nb;

		for (uint16_t queue = 0; queue < NB_QUEUES; queue++) {
			uint16_t got = rte_eth_rx_burst(port, queue, pkts, 32);

			for (uint16_t i = 0; i < got; i++) {
				assert_true(is_frame(pkts[i], &number));
				assert_int_equal(pkts[i]->port, port);
				rte_pktmbuf_free(pkts[i]);
			}
			nb += got;
		}
		idle = nb == before ? idle + 1 : 0;
		if (nb == before)
			wait_ms(10);
	}
	return nb;
}

/* By name: until 25.11 the basic statistics have them too, later they do not. */
static uint64_t
queue_counter(const char *name)
{
	uint64_t id, value;

	assert_int_equal(rte_eth_xstats_get_id_by_name(port, name, &id), 0);
	assert_int_equal(rte_eth_xstats_get_by_id(port, &id, &value, 1), 1);
	return value;
}

static void
frames_come_back(void **state)
{
	struct rte_eth_stats stats;

	for (uint16_t round = 0; round < 10; round++) {
		send_frames(round % NB_QUEUES, round * 40, 40, 1 + round % 4);
		assert_int_equal(receive_frames(40), 40);
	}
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.ipackets, 400);
	assert_int_equal(stats.opackets, 400);
	assert_int_equal(stats.obytes, 400 * FRAME);
	assert_int_equal(queue_counter("rx_q0_packets") + queue_counter("rx_q1_packets"), 400);
	assert_true(queue_counter("rx_q0_packets") != 0 && queue_counter("rx_q1_packets") != 0);
	assert_int_equal(queue_counter("tx_q0_bytes") + queue_counter("tx_q1_bytes"), 400 * FRAME);
	assert_int_equal(stats.imissed + stats.ierrors + stats.oerrors + stats.rx_nombuf, 0);
}

static void
restarts_under_load(void **state)
{
	for (uint16_t round = 0; round < 30; round++) {
		send_frames(round % NB_QUEUES, 0, 50, 1);
		receive_frames(10);
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_int_equal(rte_mempool_avail_count(pool), pool_full);
		assert_int_equal(rte_eth_dev_start(port), 0);
	}
	send_frames(0, 0, 40, 1);
	assert_int_equal(receive_frames(40), 40);
}

static void
stopped_queue_drops(void **state)
{
	struct rte_mbuf *m;
	unsigned int got;

	assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
	assert_int_equal(rte_eth_rx_burst(port, 0, &m, 1), 0);
	send_frames(0, 0, 60, 1);
	got = receive_frames(60);
	assert_in_range(got, 1, 59); /* the other queue's share */
	assert_int_equal(rte_eth_dev_rx_queue_start(port, 0), 0);
	send_frames(0, 0, 60, 1);
	assert_int_equal(receive_frames(60), 60);
	assert_int_equal(rte_eth_dev_tx_queue_stop(port, 1), 0);
	m = make_frame(0, 1);
	assert_int_equal(rte_eth_tx_burst(port, 1, &m, 1), 0);
	assert_int_equal(rte_eth_dev_tx_queue_start(port, 1), 0);
	assert_int_equal(rte_eth_tx_burst(port, 1, &m, 1), 1);
	assert_int_equal(receive_frames(1), 1);
}

static void
order_fault(const char *order)
{
	char error[128] = "";

	if (fault(0, order, error, sizeof(error)) != 0)
		fail_msg("fault %s: %s", order, error);
}

static uint64_t
xstat(const char *name)
{
	uint64_t value = 0, id;

	assert_int_equal(rte_eth_xstats_get_id_by_name(port, name, &id), 0);
	assert_int_equal(rte_eth_xstats_get_by_id(port, &id, &value, 1), 1);
	return value;
}

static void
receive_error_is_recovered(void **state)
{
	order_fault("rq:*:3:0x4");
	send_frames(0, 0, 40, 1);
	receive_frames(40);
	assert_int_equal(xstat("rx_queue_recoveries"), 1);
	for (uint16_t round = 0; round < 5; round++) {
		send_frames(0, 0, 40, 1);
		assert_int_equal(receive_frames(40), 40);
	}
	/* A frame that is too long for its buffers costs itself alone. */
	order_fault("rq:*:1:0x1");
	send_frames(0, 0, 10, 1);
	assert_int_equal(receive_frames(10), 9);
	assert_int_equal(xstat("rx_queue_recoveries"), 1);
}

static void
send_error_is_recovered(void **state)
{
	struct rte_eth_stats stats;
	unsigned int came = 0;

	for (uint16_t round = 0; round < 3; round++) {
		order_fault("sq:*:5");
		send_frames(0, 0, 20, 1 + round);
		wait_ms(50);
		send_frames(0, 0, 1, 1); /* sees the error */
		came += receive_frames(40);
		send_frames(0, 0, 40, 1);
		assert_int_equal(receive_frames(40), 40);
		came += 40;
	}
	assert_int_equal(xstat("tx_queue_recoveries"), 3);
	/* Packets, whatever their segments: each is sent or an error, never both. */
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.opackets, came);
	assert_int_equal(stats.obytes, came * FRAME);
	assert_int_equal(stats.opackets + stats.oerrors, 3 * 61);
}

/* A reset that the device refuses half way is taken up again. */
static void
refused_reset_is_tried_again(void **state)
{
	order_fault("sq:*:5+cmd:MODIFY_SQ:2");
	send_frames(0, 0, 20, 1);
	wait_ms(50);
	send_frames(0, 0, 60, 1);
	receive_frames(80);
	assert_int_equal(xstat("tx_queue_recoveries"), 1);
	send_frames(0, 0, 40, 1);
	assert_int_equal(receive_frames(40), 40);
}

/* Whatever command of a start is refused: it fails, nothing is left of it, and the next one comes up. */
static void
refused_start_leaves_nothing(void **state)
{
	static const char *const commands[] = { "CREATE_CQ", "CREATE_SQ", "CREATE_RQ", "MODIFY_SQ", "MODIFY_RQ", "CREATE_RQT", "CREATE_TIR",
		"CREATE_MKEY", "CREATE_FLOW_TABLE" };
	uint64_t before;

	assert_int_equal(rte_eth_dev_stop(port), 0);
	before = objects();
	for (size_t i = 0; i < RTE_DIM(commands); i++) {
		int ret = -1;

		for (int nth = 1; nth <= 100 && ret != 0; nth++) {
			char order[64];

			snprintf(order, sizeof(order), "cmd:%s:%d", commands[i], nth);
			order_fault(order);
			ret = rte_eth_dev_start(port);
			order_fault("clear");
			if (ret == 0)
				assert_int_equal(rte_eth_dev_stop(port), 0);
			assert_int_equal(objects(), before);
		}
		assert_int_equal(ret, 0);
	}
	assert_int_equal(rte_eth_dev_start(port), 0);
	send_frames(0, 0, 40, 1);
	assert_int_equal(receive_frames(40), 40);
}

/*
 * Segments without a byte take buffers of the ring and no room of a descriptor: completions must be asked
 * for all the same.
 */
static void
empty_segments_do_not_stall(void **state)
{
	struct rte_mbuf *head, *empty;

	for (int i = 0; i < 200; i++) {
		head = make_frame(0, 1);
		while (head->nb_segs < 60) {
			empty = rte_pktmbuf_alloc(pool);
			assert_non_null(empty);
			assert_int_equal(rte_pktmbuf_chain(head, empty), 0);
		}
		for (int tries = 0; rte_eth_tx_burst(port, 0, &head, 1) == 0; tries++) {
			assert_in_range(tries, 0, 500);
			wait_ms(1);
		}
		if (i % 16 == 15)
			assert_int_equal(receive_frames(16), 16);
	}
	assert_int_equal(receive_frames(8), 8);
}

static void
refused_with_nothing_changed(void **state)
{
	struct rte_eth_conf conf = { 0 };

	assert_int_equal(rte_eth_dev_stop(port), 0);
	conf.rxmode.mq_mode = RTE_ETH_MQ_RX_DCB;
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES, NB_QUEUES, &conf), -ENOTSUP);
	conf = (struct rte_eth_conf){ .link_speeds = RTE_ETH_LINK_SPEED_FIXED | RTE_ETH_LINK_SPEED_100G };
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES, NB_QUEUES, &conf), -ENOTSUP);
	conf = (struct rte_eth_conf){ .lpbk_mode = 2 };
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES, NB_QUEUES, &conf), -ENOTSUP);
	/* A queue that was configured and never set up. */
	conf = (struct rte_eth_conf){ 0 };
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES + 1, NB_QUEUES, &conf), 0);
	for (uint16_t i = 0; i < NB_QUEUES; i++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, i, NB_DESC, 0, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port, i, NB_DESC, 0, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(port), -EINVAL);
	assert_int_equal(rte_eth_rx_queue_setup(port, NB_QUEUES, NB_DESC, 0, NULL, pool), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	send_frames(0, 0, 10, 1);
	assert_int_equal(receive_frames(10), 10);
}

/* What an application has put into its epoll set stays good while queues come and go. */
static void
interrupt_descriptors_stay(void **state)
{
	struct rte_eth_conf conf = { .intr_conf = { .rxq = 1 } };
	int fds[NB_QUEUES];

	assert_true(rte_eth_dev_rx_intr_enable(port, 0) < 0); /* not asked for */
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES, NB_QUEUES, &conf), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	for (uint16_t i = 0; i < NB_QUEUES; i++) {
		fds[i] = rte_eth_dev_rx_intr_ctl_q_get_fd(port, i);
		assert_true(fds[i] >= 0);
		assert_int_equal(rte_eth_dev_rx_intr_enable(port, i), 0);
	}
	assert_int_not_equal(fds[0], fds[1]);
	assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), -EINVAL);
	assert_int_equal(rte_eth_dev_rx_queue_start(port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_ctl_q_get_fd(port, 0), fds[0]);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_disable(port, 0), 0); /* none came: no error */
	send_frames(0, 0, 10, 1);
	assert_int_equal(receive_frames(10), 10);
}

/* A mempool beside ours, whose registration may cover a page of ours, comes and goes. */
static void
neighbour_pool_goes(void **state)
{
	struct rte_mempool *other = rte_pktmbuf_pool_create("other", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	struct rte_mbuf *m;

	assert_non_null(other);
	m = rte_pktmbuf_alloc(other);
	assert_non_null(m);
	memset(rte_pktmbuf_append(m, FRAME), 0xff, FRAME);
	assert_int_equal(rte_eth_tx_burst(port, 0, &m, 1), 1);
	wait_ms(20);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_int_equal(rte_mempool_avail_count(other), 255);
	rte_mempool_free(other);
	for (int i = 0; i < 10; i++) {
		send_frames(0, 0, 40, 1);
		assert_int_equal(receive_frames(40), 40);
	}
	assert_int_equal(xstat("rx_queue_recoveries") + xstat("tx_queue_recoveries"), 0);
}

/* With lsc asked for, ethdev answers from what events have written. */
static bool
link_becomes(uint16_t status, struct rte_eth_link *link)
{
	for (int i = 0; i < 200; i++, wait_ms(10)) {
		assert_int_equal(rte_eth_link_get_nowait(port, link), 0);
		if (link->link_status == status)
			return true;
	}
	return false;
}

static void
link_events(void **state)
{
	struct rte_eth_link link;
	int before;

	/* The start has set the link up, and its event may still be on the way. */
	assert_true(link_becomes(RTE_ETH_LINK_UP, &link));
	wait_ms(50);
	before = atomic_load(&lsc_events);
	order_fault("link:down");
	assert_true(within_2_s(&lsc_events, before + 1));
	assert_true(link_becomes(RTE_ETH_LINK_DOWN, &link));
	order_fault("link:up");
	assert_true(within_2_s(&lsc_events, before + 2));
	assert_true(link_becomes(RTE_ETH_LINK_UP, &link));
	assert_int_equal(link.link_speed, 100000);
}

static void
death_is_told(void **state)
{
	struct rte_mbuf *pkts[32];

	send_frames(0, 0, 30, 1);
	order_fault("die");
	assert_true(within_2_s(&rmv_events, 1));
	assert_int_equal(rte_eth_dev_is_removed(port), 1);
	for (int i = 0; i < 32; i++)
		pkts[i] = make_frame(0, 1);
	/* Whatever is not taken stays the caller's. */
	for (uint16_t i = rte_eth_tx_burst(port, 0, pkts, 32); i < 32; i++)
		rte_pktmbuf_free(pkts[i]);
	receive_frames(40);
}

static void
settings_are_kept(void **state)
{
	struct rte_ether_addr mac = { .addr_bytes = { 2, 0, 0, 0, 0, 9 } }, mc = { .addr_bytes = { 1, 0, 0x5e, 0, 0, 5 } };
	struct rte_eth_rss_reta_entry64 reta[8] = { 0 };
	struct rte_eth_dev_info info;
	uint16_t mtu;

	assert_int_equal(rte_eth_dev_info_get(port, &info), 0);
	assert_true(info.max_rx_queues >= 64 && info.max_tx_queues >= 64);
	/* Frames go to 02:00:00:00:00:09, which is let in by the filter alone. */
	assert_int_equal(rte_eth_promiscuous_disable(port), 0);
	send_frames(0, 0, 10, 1);
	assert_int_equal(receive_frames(10), 0);
	assert_int_equal(rte_eth_dev_mac_addr_add(port, &mac, 0), 0);
	send_frames(0, 0, 10, 1);
	assert_int_equal(receive_frames(10), 10);
	assert_int_equal(rte_eth_dev_mac_addr_remove(port, &mac), 0);
	send_frames(0, 0, 10, 1);
	assert_int_equal(receive_frames(10), 0);
	assert_int_equal(rte_eth_dev_default_mac_addr_set(port, &mac), 0);
	assert_int_equal(rte_eth_dev_set_mc_addr_list(port, &mc, 1), 0);
	/* All of the table to queue 1. */
	assert_int_equal(info.reta_size, 512);
	for (int i = 0; i < 8; i++) {
		reta[i].mask = UINT64_MAX;
		for (int j = 0; j < 64; j++)
			reta[i].reta[j] = 1;
	}
	assert_int_equal(rte_eth_stats_reset(port), 0);
	assert_int_equal(rte_eth_dev_rss_reta_update(port, reta, 512), 0);
	send_frames(0, 0, 40, 1);
	assert_int_equal(receive_frames(40), 40);
	assert_int_equal(xstat("rx_q1_packets"), 40);
	assert_int_equal(rte_eth_dev_set_mtu(port, 1300), 0);
	assert_int_equal(rte_eth_dev_get_mtu(port, &mtu), 0);
	assert_int_equal(mtu, 1300);
	/* Larger than what the started queues hold. */
	assert_true(rte_eth_dev_set_mtu(port, 9000) < 0);
}

static void
wrong_arguments_leave_nothing(void **state)
{
	static const char *const args[] = {
		"nonsense=1", "wire=nowire", "wire=loop,dv_flow_en=1", "model=cx5", "tx_pp=500", "wire=loop,representor=0",
	};

	for (size_t i = 0; i < RTE_DIM(args); i++) {
		assert_true(rte_vdev_init("net_softcx7", args[i]) < 0);
		assert_int_equal(rte_eth_dev_count_avail(), 0);
		assert_int_equal(objects(), 0);
	}
}

static void
detach_and_attach(void **state)
{
	for (int i = 0; i < 5; i++) {
		assert_int_equal(rte_vdev_init(DEVICE, "wire=null"), 0);
		assert_int_equal(rte_eth_dev_get_port_by_name(DEVICE, &port), 0);
		start_port();
		/* Without stop and close: removal does both. */
		assert_int_equal(rte_vdev_uninit(DEVICE), 0);
		assert_int_equal(objects(), 0);
		assert_int_equal(rte_mempool_avail_count(pool), pool_full);
	}
}

/*
 * ---- random frames
 * -----------------------------------------------------------------------------------------
 */

#define MIX_MTU 9000
#define MIX_FRAMES 3000
#define MIX_BATCH 8
#define MIX_DESC 256

static uint32_t mix_state;

static uint32_t
mix_random(uint32_t below)
{
	mix_state = mix_state * 1664525 + 1013904223;
	return (mix_state >> 8) % below;
}

/* Byte at of frame number: what sender and receiver agree on. */
static uint8_t
mix_byte(uint32_t number, uint32_t at)
{
	static const uint8_t head[] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 };

	if (at < sizeof(head))
		return head[at];
	return at < 18 ? (uint8_t)(number >> 8 * (at - 14)) : (uint8_t)(number * 31 + at * 7);
}

/* A frame of len bytes in segments of random lengths, some of them empty. */
static struct rte_mbuf *
mix_frame(uint32_t number, uint32_t len)
{
	struct rte_mbuf *head = NULL, *m;
	uint32_t at = 0, segs = 0;

	while (at < len) {
		uint32_t room = RTE_MIN(len - at, (uint32_t)RTE_MBUF_DEFAULT_DATAROOM);
		uint32_t part = segs < 24 ? mix_random(room + 1) : room;
		uint8_t *data;

		m = rte_pktmbuf_alloc(pool);
		assert_non_null(m);
		if (head == NULL)
			part = RTE_MAX(part, RTE_MIN(len, 14u));
		data = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)part);
		for (uint32_t i = 0; i < part; i++)
			data[i] = mix_byte(number, at + i);
		at += part;
		segs++;
		if (head == NULL)
			head = m;
		else
			assert_int_equal(rte_pktmbuf_chain(head, m), 0);
	}
	return head;
}

static void
mix_check(struct rte_mbuf *m, const uint32_t *lens)
{
	uint8_t scratch[MIX_MTU + 64];
	const uint8_t *bytes = rte_pktmbuf_read(m, 0, m->pkt_len, scratch);
	uint32_t number;

	assert_int_equal(rte_mbuf_check(m, 1, (const char *[1]){ NULL }), 0);
	number = bytes[14] | bytes[15] << 8 | bytes[16] << 16 | (uint32_t)bytes[17] << 24;
	assert_in_range(number, 0, MIX_FRAMES - 1);
	assert_int_equal(m->pkt_len, RTE_MAX(lens[number], 60u));
	for (uint32_t i = 0; i < lens[number]; i++)
		if (bytes[i] != mix_byte(number, i))
			fail_msg("frame %u of %u bytes differs at %u", number, lens[number], i);
	rte_pktmbuf_free(m);
}

static void
mix_start(void)
{
	struct rte_eth_conf conf = { .rxmode = { .mtu = MIX_MTU, .offloads = RTE_ETH_RX_OFFLOAD_SCATTER } };

	conf.txmode.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_configure(port, NB_QUEUES, NB_QUEUES, &conf), 0);
	for (uint16_t i = 0; i < NB_QUEUES; i++) {
		assert_int_equal(rte_eth_rx_queue_setup(port, i, MIX_DESC, 0, NULL, pool), 0);
		assert_int_equal(rte_eth_tx_queue_setup(port, i, MIX_DESC, 0, NULL), 0);
	}
	assert_int_equal(rte_eth_dev_start(port), 0);
}

static void
random_frames_come_back_whole(void **state)
{
	static uint32_t lens[MIX_FRAMES];
	struct rte_mbuf *pkts[32];
	uint32_t sent = 0, received = 0;

	mix_state = (uint32_t)getpid();
	print_message("seed %u\n", mix_state);
	mix_start();
	while (received < MIX_FRAMES) {
		unsigned int idle = 0;

		for (uint32_t i = 0; i < MIX_BATCH && sent < MIX_FRAMES; i++, sent++) {
			lens[sent] = 18 + mix_random(mix_random(2) ? 200 : MIX_MTU - 4);
			pkts[0] = mix_frame(sent, lens[sent]);
			assert_int_equal(rte_eth_tx_burst(port, (uint16_t)mix_random(NB_QUEUES), pkts, 1), 1);
		}
		while (received < sent) {
			uint16_t nb = 0;

			for (uint16_t queue = 0; queue < NB_QUEUES; queue++) {
				uint16_t got = rte_eth_rx_burst(port, queue, pkts, 32);

				for (uint16_t i = 0; i < got; i++)
					mix_check(pkts[i], lens);
				nb += got;
			}
			received += nb;
			idle = nb == 0 ? idle + 1 : 0;
			assert_in_range(idle, 0, 2000);
			if (nb == 0)
				usleep(100);
		}
	}
	assert_int_equal(xstat("tx_errors") + xstat("rx_errors") + xstat("rx_out_of_buffer"), 0);
}

static int
open_softcx(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (library == NULL)
		return -1;
	*(void **)&census = dlsym(library, "softcx_census");
	*(void **)&fault = dlsym(library, "softcx_fault");
	return census == NULL || fault == NULL ? -1 : 0;
}

#define ON_PORT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ON_PORT(frames_come_back),
		ON_PORT(restarts_under_load),
		ON_PORT(stopped_queue_drops),
		ON_PORT(receive_error_is_recovered),
		ON_PORT(send_error_is_recovered),
		ON_PORT(refused_reset_is_tried_again),
		ON_PORT(refused_start_leaves_nothing),
		ON_PORT(empty_segments_do_not_stall),
		ON_PORT(refused_with_nothing_changed),
		ON_PORT(interrupt_descriptors_stay),
		ON_PORT(neighbour_pool_goes),
		ON_PORT(link_events),
		ON_PORT(settings_are_kept),
		ON_PORT(random_frames_come_back_whole),
		ON_PORT(death_is_told),
		cmocka_unit_test(wrong_arguments_leave_nothing),
		cmocka_unit_test(detach_and_attach),
	};
	char prefix[32];
	char *eal[] = { argv[0], "--no-huge", "-m", "64", "--no-pci", "--no-shconf", "-l", "0", "--file-prefix", prefix,
		"-d", NULL, "--log-level", "pmd.net.mlx5hws:critical", "--log-level", "lib.eal:error" };
	int ret;

	if (argc != 3 || open_softcx(argv[2]) != 0) {
		fprintf(stderr, "usage: test_port PLUGIN LIBSOFTCX\n");
		return 2;
	}
	snprintf(prefix, sizeof(prefix), "port%d", (int)getpid());
	eal[11] = argv[1];
	if (rte_eal_init(RTE_DIM(eal), eal) < 0)
		return 2;
	pool = rte_pktmbuf_pool_create("frames", NB_MBUFS, 32, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	if (pool == NULL)
		return 2;
	pool_full = rte_mempool_avail_count(pool);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rte_eal_cleanup();
	return ret;
}
