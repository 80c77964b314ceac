/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Wires into the kernel of the machine: a tap interface, or a packet socket on an existing one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "softcx/wire/ops.h"

struct fd_wire {
	struct sc_wire wire;
	char name[IFNAMSIZ];
	int fd;
	bool down; /* the interface is not up: there is nothing to wait for */
};

static const struct sc_option fd_options[] = { { "drop", true }, { NULL, false } };

static int
fd_parse(struct sc_wire *wire, struct sc_options *o)
{
	struct fd_wire *w = (struct fd_wire *)wire;

	if (strlen(o->word) >= IFNAMSIZ)
		return sc_options_refuse(o, "\"%s:%s\": an interface name has at most %d characters",
			o->kind, o->word, IFNAMSIZ - 1);
	strcpy(w->name, o->word);
	return 0;
}

/*
 * The kernel would send its own router solicitations and reports; a wire carries what the tests put on
 * it.
 */
static void
silence_ipv6(const char *name)
{
	char path[64 + IFNAMSIZ];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "1", 1) != 1) {
		/* Then it talks. */
	}
	close(fd);
}

static int
set_up_interface(const char *name, const uint8_t *mac, uint32_t mtu, bool up)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret = 0;
	struct ifreq request = { 0 };

	if (fd < 0)
		return -errno;
	strcpy(request.ifr_name, name);
	request.ifr_mtu = (int)mtu;
	if (ioctl(fd, SIOCSIFMTU, &request) != 0)
		ret = -errno;
	if (ret == 0 && mac != NULL) {
		request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
		memcpy(request.ifr_hwaddr.sa_data, mac, 6);
		if (ioctl(fd, SIOCSIFHWADDR, &request) != 0)
			ret = -errno;
	}
	if (ret == 0 && up) {
		if (ioctl(fd, SIOCGIFFLAGS, &request) == 0)
			request.ifr_flags |= IFF_UP;
		if (ioctl(fd, SIOCSIFFLAGS, &request) != 0)
			ret = -errno;
	}
	close(fd);
	return ret;
}

int
sc_tap_open(const char *name, const uint8_t *mac, uint32_t mtu, bool up, struct sc_options *o)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), ret;

	if (fd < 0) {
		ret = -errno;
		sc_options_refuse(o, "tap:%s: /dev/net/tun: %s", name, strerror(-ret));
		return ret;
	}
	strcpy(request.ifr_name, name);
	ret = ioctl(fd, TUNSETIFF, &request) == 0 ? 0 : -errno;
	if (ret == 0) {
		silence_ipv6(name);
		ret = set_up_interface(name, mac, mtu, up);
	}
	if (ret == 0)
		return fd;
	sc_options_refuse(o, "tap:%s: %s", name, strerror(-ret));
	close(fd);
	return ret;
}

/*
 * The kernel first tells how many words its masks of link modes have: only a question of that length is
 * answered.
 */
static int
set_speed(int fd, const char *name, uint32_t mbps)
{
	union {
		struct ethtool_link_settings settings;
		uint8_t room[sizeof(struct ethtool_link_settings) + 3 * 4 * 127];
	} link = { .settings = { .cmd = ETHTOOL_GLINKSETTINGS } };
	struct ifreq request = { .ifr_data = (char *)&link };

	strcpy(request.ifr_name, name);
	if (ioctl(fd, SIOCETHTOOL, &request) != 0)
		return -errno;
	link.settings.link_mode_masks_nwords = (int8_t)-link.settings.link_mode_masks_nwords;
	if (ioctl(fd, SIOCETHTOOL, &request) != 0)
		return -errno;
	link.settings.cmd = ETHTOOL_SLINKSETTINGS;
	link.settings.speed = mbps;
	link.settings.duplex = DUPLEX_FULL;
	return ioctl(fd, SIOCETHTOOL, &request) == 0 ? 0 : -errno;
}

bool
sc_tap_set_speed(const char *name, uint32_t mbps)
{
	char path[64 + IFNAMSIZ];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/class/net/%s/tun_flags", name);
	if (access(path, F_OK) != 0)
		return true;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	ret = set_speed(fd, name, mbps);
	close(fd);
	return ret == 0;
}

static int
tap_open(struct sc_wire *wire, struct sc_options *o)
{
	struct fd_wire *w = (struct fd_wire *)wire;

	w->fd = sc_tap_open(w->name, NULL, wire->dev->mtu, true, o);
	return w->fd < 0 ? w->fd : 0;
}

static int
socket_open(struct sc_wire *wire, struct sc_options *o)
{
	struct fd_wire *w = (struct fd_wire *)wire;
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htobe16(ETH_P_ALL) };
	struct packet_mreq promisc = { .mr_type = PACKET_MR_PROMISC };
	int one = 1, ret;

	at.sll_ifindex = (int)if_nametoindex(w->name);
	promisc.mr_ifindex = at.sll_ifindex;
	w->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (w->fd >= 0 && at.sll_ifindex != 0 &&
		setsockopt(w->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) == 0 &&
		setsockopt(w->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc)) == 0 &&
		bind(w->fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		return 0;
	ret = -errno;
	sc_options_refuse(o, "af_packet:%s: %s", w->name, strerror(-ret));
	if (w->fd >= 0)
		close(w->fd);
	return ret;
}

static void
fd_close(struct sc_wire *wire)
{
	close(((struct fd_wire *)wire)->fd);
}

static void
fd_send(struct sc_wire *wire, const uint8_t *frame, uint32_t len)
{
	if (write(((struct fd_wire *)wire)->fd, frame, len) != (ssize_t)len)
		wire->counters.lost++;
}

static uint32_t
fd_ask(struct sc_wire *wire, uint32_t max)
{
	struct fd_wire *w = (struct fd_wire *)wire;
	uint8_t frame[SC_FRAME_MAX];
	uint32_t done = 0;

	while (done < max && !sc_nic_holds(wire->dev) && sc_wire_may_receive(wire)) {
		ssize_t len = read(w->fd, frame, sizeof(frame));

		w->down = len < 0 && errno != EAGAIN && errno != EINTR;
		if (len < 14)
			break;
		sc_wire_input(wire, frame, (uint32_t)len, sc_nic_now(wire->dev));
		done++;
	}
	return done;
}

/* A descriptor of an interface that is down is always "ready". */
static int
fd_fd(const struct sc_wire *wire)
{
	const struct fd_wire *w = (const struct fd_wire *)wire;

	return w->down ? -1 : w->fd;
}

static uint32_t
fd_sleep_us(const struct sc_wire *wire)
{
	return ((const struct fd_wire *)wire)->down ? 10000 : UINT32_MAX;
}

const struct sc_wire_ops sc_wire_tap = {
	.kind = "tap",
	.word = "NAME",
	.options = fd_options,
	.size = sizeof(struct fd_wire),
	.parse = fd_parse,
	.open = tap_open,
	.close = fd_close,
	.send = fd_send,
	.ask = fd_ask,
	.fd = fd_fd,
	.sleep_us = fd_sleep_us,
};

const struct sc_wire_ops sc_wire_af_packet = {
	.kind = "af_packet",
	.word = "INTERFACE",
	.options = fd_options,
	.size = sizeof(struct fd_wire),
	.parse = fd_parse,
	.open = socket_open,
	.close = fd_close,
	.send = fd_send,
	.ask = fd_ask,
	.fd = fd_fd,
	.sleep_us = fd_sleep_us,
};
