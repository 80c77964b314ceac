/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The port and its netdev: it follows MTU, address, promiscuous mode, and sends what the kernel sends. Needs a tap, so
 * root; otherwise skipped.
 */
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#include "prm/cmd.h"
#include "softcx/wire/wire.h"

static struct ifreq request;

/* Set something of the tap, and let the device look. */
static void
set(unsigned long what)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_int_equal(ioctl(fd, what, &request), 0);
	close(fd);
	for (int i = 0; i < 1000; i++) /* of a microsecond */
		bench_step();
}

static void
follows(void **state)
{
	static const uint8_t mac[6] = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 };
	char host[32], error[128];

	snprintf(request.ifr_name, sizeof(request.ifr_name), "sxn%d", getpid());
	snprintf(host, sizeof(host), "tap:%.20s", request.ifr_name);
	bench_open_wire("null");
	if (sc_host_open(bench.dev, host, error, sizeof(error)) != 0)
		fail_msg("%s", error);
	assert_int_equal(bench.dev->mtu, 1500);
	assert_false(bench.dev->promisc);
	request.ifr_mtu = 4000;
	set(SIOCSIFMTU);
	assert_int_equal(bench.dev->mtu, 4000);
	request.ifr_mtu = 60000; /* a tap takes it, the port is at its end */
	set(SIOCSIFMTU);
	assert_int_equal(bench.dev->mtu, 9978);
	request.ifr_flags = IFF_UP | IFF_PROMISC;
	set(SIOCSIFFLAGS);
	assert_true(bench.dev->promisc);
	assert_false(bench.dev->allmulti);
	request.ifr_flags = IFF_ALLMULTI;
	set(SIOCSIFFLAGS);
	assert_false(bench.dev->promisc);
	assert_true(bench.dev->allmulti);
	request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(request.ifr_hwaddr.sa_data, mac, sizeof(mac));
	set(SIOCSIFHWADDR);
	assert_memory_equal(bench.dev->mac, mac, sizeof(mac));
	sc_host_close(bench.dev);
	bench_close(NULL);
}

/* What the kernel sends through the tap comes to the transmit tables, from no queue of a user. */
static void
kernel_sends(void **state)
{
	uint8_t frame[60] = { 0x02, 1, 2, 3, 4, 5, 0x02, 6, 7, 8, 9, 10, 0x88, 0xb5 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	char host[32], error[128];
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "sxk%d", getpid());
	snprintf(host, sizeof(host), "tap:%.20s", request.ifr_name);
	bench_open_wire("null");
	if (sc_host_open(bench.dev, host, error, sizeof(error)) != 0)
		fail_msg("%s", error);
	request.ifr_flags = IFF_UP;
	set(SIOCSIFFLAGS);
	to.sll_ifindex = (int)if_nametoindex(request.ifr_name);
	assert_int_equal(sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to)), sizeof(frame));
	bench_step();
	assert_int_equal(bench.nb_sent, 1);
	assert_int_equal(bench.sent[0].sqn, 0);
	assert_memory_equal(bench.sent[0].data, frame, sizeof(frame));
	close(fd);
	sc_host_close(bench.dev);
	bench_close(NULL);
}

/* Nor does it wait long where queues keep the device busy. */
static void
kernel_sends_to_a_busy_port(void **state)
{
	static const uint8_t nop[64] = { [7] = 1 };
	uint8_t frame[60] = { 0x02, 1, 2, 3, 4, 5, 0x02, 6, 7, 8, 9, 10, 0x88, 0xb5 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = 6 };
	char host[32], error[128];
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), steps;
	struct bench_cq cq;
	struct bench_sq sq;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "sxb%d", getpid());
	snprintf(host, sizeof(host), "tap:%.20s", request.ifr_name);
	bench_open_wire("null");
	if (sc_host_open(bench.dev, host, error, sizeof(error)) != 0)
		fail_msg("%s", error);
	request.ifr_flags = IFF_UP;
	set(SIOCSIFFLAGS);
	bench_cq(&cq, 3);
	bench_sq(&sq, &cq, 8);
	to.sll_ifindex = (int)if_nametoindex(request.ifr_name);
	for (int n = 1; n <= 3; n++) {
		assert_int_equal(sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to)), sizeof(frame));
		for (steps = 0; bench.nb_sent < (uint32_t)n; steps++) {
			assert_true(steps < 16);
			bench_post(&sq, nop, sizeof(nop));
			bench_ring(&sq);
		}
	}
	bench_destroy(PRM_CMD_OP_DESTROY_SQ, sq.id);
	bench_destroy(PRM_CMD_OP_DESTROY_CQ, cq.id);
	close(fd);
	sc_host_close(bench.dev);
	bench_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows), cmocka_unit_test(kernel_sends), cmocka_unit_test(kernel_sends_to_a_busy_port),
	};

	if (geteuid() != 0 || access("/dev/net/tun", R_OK | W_OK) != 0)
		return 77; /* skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
