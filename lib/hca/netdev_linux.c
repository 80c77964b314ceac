/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/netdev.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "hca/log.h"

struct netdev_linux {
	struct hca_netdev base;
	int socket;
};

static int
interface_ioctl(struct hca_netdev *nd, unsigned long request, struct ifreq *ifr)
{
	struct netdev_linux *linux_nd = (struct netdev_linux *)nd;

	/* Looked up anew: the interface may have been renamed since. */
	if (if_indextoname(nd->if_index, ifr->ifr_name) == NULL)
		return -errno;
	return ioctl(linux_nd->socket, request, ifr) < 0 ? -errno : 0;
}

static int
linux_mac_get(struct hca_netdev *nd, uint8_t mac[6])
{
	struct ifreq ifr = { 0 };
	int ret = interface_ioctl(nd, SIOCGIFHWADDR, &ifr);

	if (ret == 0)
		memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	return ret;
}

static int
linux_mac_set(struct hca_netdev *nd, const uint8_t mac[6])
{
	struct ifreq ifr = { 0 };

	ifr.ifr_hwaddr.sa_family = ARPHRD_ETHER;
	memcpy(ifr.ifr_hwaddr.sa_data, mac, 6);
	return interface_ioctl(nd, SIOCSIFHWADDR, &ifr);
}

static int
linux_mtu_get(struct hca_netdev *nd, uint16_t *mtu)
{
	struct ifreq ifr = { 0 };
	int ret = interface_ioctl(nd, SIOCGIFMTU, &ifr);

	if (ret == 0)
		*mtu = ifr.ifr_mtu > UINT16_MAX ? UINT16_MAX : (uint16_t)ifr.ifr_mtu;
	return ret;
}

static int
linux_mtu_set(struct hca_netdev *nd, uint16_t mtu)
{
	struct ifreq ifr = { 0 };
	uint16_t now;

	/* Setting takes a privilege even where nothing changes. */
	if (linux_mtu_get(nd, &now) == 0 && now == mtu)
		return 0;
	ifr.ifr_mtu = mtu;
	return interface_ioctl(nd, SIOCSIFMTU, &ifr);
}

/* Set or clear one flag, leaving the others as they are. */
static int
change_flag(struct hca_netdev *nd, short flag, bool on)
{
	struct ifreq ifr = { 0 };
	int ret = interface_ioctl(nd, SIOCGIFFLAGS, &ifr);
	short flags;

	if (ret != 0)
		return ret;
	flags = on ? ifr.ifr_flags | flag : ifr.ifr_flags & ~flag;
	if (flags == ifr.ifr_flags)
		return 0;
	ifr.ifr_flags = flags;
	return interface_ioctl(nd, SIOCSIFFLAGS, &ifr);
}

static int
linux_link_set(struct hca_netdev *nd, bool up)
{
	return change_flag(nd, IFF_UP, up);
}

static int
linux_promisc_set(struct hca_netdev *nd, bool on)
{
	return change_flag(nd, IFF_PROMISC, on);
}

static int
linux_allmulti_set(struct hca_netdev *nd, bool on)
{
	return change_flag(nd, IFF_ALLMULTI, on);
}

/*
 * The kernel first tells how many words its link mode masks have; speed is valid only in the second
 * answer.
 */
static int
link_settings(struct hca_netdev *nd, struct hca_link *link)
{
	union {
		struct ethtool_link_settings settings;
		uint8_t room[sizeof(struct ethtool_link_settings) + 3 * 4 * 127];
	} ask = { 0 };
	struct ifreq ifr = { 0 };
	int ret;

	ifr.ifr_data = (char *)&ask;
	ask.settings.cmd = ETHTOOL_GLINKSETTINGS;
	ret = interface_ioctl(nd, SIOCETHTOOL, &ifr);
	if (ret != 0 || ask.settings.link_mode_masks_nwords >= 0)
		return ret == 0 ? -ENOTSUP : ret;
	ask.settings.link_mode_masks_nwords = -ask.settings.link_mode_masks_nwords;
	ask.settings.cmd = ETHTOOL_GLINKSETTINGS;
	ret = interface_ioctl(nd, SIOCETHTOOL, &ifr);
	if (ret != 0)
		return ret;
	link->speed_mbps = ask.settings.speed == (uint32_t)SPEED_UNKNOWN ? 0 : ask.settings.speed;
	link->full_duplex = ask.settings.duplex != DUPLEX_HALF;
	link->autoneg = ask.settings.autoneg == AUTONEG_ENABLE;
	return 0;
}

static int
linux_link_get(struct hca_netdev *nd, struct hca_link *link)
{
	struct ifreq ifr = { 0 };
	int ret = interface_ioctl(nd, SIOCGIFFLAGS, &ifr);

	if (ret != 0)
		return ret;
	memset(link, 0, sizeof(*link));
	link->up = (ifr.ifr_flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
	link->full_duplex = true;
	/* A netdev that knows no speed still has a link. */
	link_settings(nd, link);
	return 0;
}

static int
read_statistic(const char *interface, const char *name, uint64_t *value)
{
	char path[128];
	FILE *file;
	int got;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", interface, name);
	file = fopen(path, "r");
	if (file == NULL)
		return -errno;
	got = fscanf(file, "%" SCNu64, value);
	fclose(file);
	return got == 1 ? 0 : -EIO;
}

static int
linux_counters(struct hca_netdev *nd, struct hca_port_counters *counters)
{
	const struct {
		const char *name;
		uint64_t *value;
	} rows[] = {
		{ "rx_packets", &counters->rx_packets }, { "rx_bytes", &counters->rx_bytes },
		{ "rx_errors", &counters->rx_errors }, { "rx_dropped", &counters->rx_discards },
		{ "tx_packets", &counters->tx_packets }, { "tx_bytes", &counters->tx_bytes },
		{ "tx_errors", &counters->tx_errors }, { "tx_dropped", &counters->tx_discards },
		{ "multicast", &counters->rx_multicast },
	};
	char interface[IF_NAMESIZE];
	int ret;

	memset(counters, 0, sizeof(*counters));
	if (if_indextoname(nd->if_index, interface) == NULL)
		return -errno;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ret = read_statistic(interface, rows[i].name, rows[i].value);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static void
linux_close(struct hca_netdev *nd)
{
	close(((struct netdev_linux *)nd)->socket);
	free(nd);
}

static const struct hca_netdev_ops linux_ops = {
	.mac_get = linux_mac_get,
	.mac_set = linux_mac_set,
	.mtu_get = linux_mtu_get,
	.mtu_set = linux_mtu_set,
	.link_get = linux_link_get,
	.link_set = linux_link_set,
	.promisc_set = linux_promisc_set,
	.allmulti_set = linux_allmulti_set,
	.counters = linux_counters,
	.close = linux_close,
};

/*
 * Port 1 of the device is the interface with dev_port 0; older kernels know only dev_id. Both are absent:
 * take it.
 */
static bool
is_port_0(const char *folder, const char *interface)
{
	char path[512];
	int value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/dev_port", folder, interface);
	file = fopen(path, "r");
	if (file == NULL)
		return true;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value == 0;
}

static int
find_interface(const char *ibdev_path, char name[IF_NAMESIZE])
{
	char folder[300];
	struct dirent *entry;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/device/net", ibdev_path);
	dir = opendir(folder);
	if (dir == NULL)
		return -ENODEV;
	name[0] = '\0';
	while (name[0] == '\0' && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < IF_NAMESIZE &&
		    is_port_0(folder, entry->d_name))
			memcpy(name, entry->d_name, strlen(entry->d_name) + 1);
	closedir(dir);
	return name[0] == '\0' ? -ENODEV : 0;
}

int
hca_netdev_open_linux(const char *ibdev_path, struct hca_netdev **out)
{
	struct netdev_linux *nd = calloc(1, sizeof(*nd));
	int ret;

	if (nd == NULL)
		return -ENOMEM;
	nd->base.ops = &linux_ops;
	ret = find_interface(ibdev_path, nd->base.name);
	if (ret == 0) {
		nd->base.if_index = if_nametoindex(nd->base.name);
		ret = nd->base.if_index == 0 ? -errno : 0;
	}
	if (ret == 0) {
		nd->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		ret = nd->socket < 0 ? -errno : 0;
	}
	if (ret != 0) {
		HCA_ERR("%s: no usable network interface: %s", ibdev_path, strerror(-ret));
		free(nd);
		return ret;
	}
	*out = &nd->base;
	return 0;
}
