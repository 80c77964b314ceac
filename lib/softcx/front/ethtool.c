/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Statistics of a port's netdev, where the kernel's driver would keep them. Programs ask the interface by SIOCETHTOOL; the
 * tap that stands for it has none, so what asks for them is answered from the port's counters, under the names of the kernel's
 * driver (drivers/net/ethernet/mellanox/mlx5/core/en_stats.c). Every other ioctl goes to the kernel.
 */
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/settings.h"
#include "softcx/wire/wire.h"

/* Found instead of libc's only under the version that programs were linked with. */
#ifdef __x86_64__
#define LIBC_NODE "GLIBC_2.2.5"
#else
#define LIBC_NODE "GLIBC_2.17"
#endif
int sc_ioctl(int fd, unsigned long request, ...) __attribute__((symver("ioctl@@" LIBC_NODE)));

#define CAST_ROWS(cast, name) \
	{ "rx_vport_" name "_packets", offsetof(struct sc_port_counters, rx_frames_of[cast]) }, \
	{ "rx_vport_" name "_bytes", offsetof(struct sc_port_counters, rx_octets_of[cast]) }, \
	{ "tx_vport_" name "_packets", offsetof(struct sc_port_counters, tx_frames_of[cast]) }, \
	{ "tx_vport_" name "_bytes", offsetof(struct sc_port_counters, tx_octets_of[cast]) }

static const struct {
	const char *name;
	size_t offset;
} statistics[] = {
	CAST_ROWS(SC_UNICAST, "unicast"), CAST_ROWS(SC_MULTICAST, "multicast"), CAST_ROWS(SC_BROADCAST, "broadcast"),
	{ "rx_packets_phy", offsetof(struct sc_port_counters, rx_frames) },
	{ "tx_packets_phy", offsetof(struct sc_port_counters, tx_frames) },
	{ "rx_oversize_pkts_phy", offsetof(struct sc_port_counters, rx_too_long) },
	{ "rx_steer_missed_packets", offsetof(struct sc_port_counters, rx_steering_discard) },
};

#define NB_STATISTICS (sizeof(statistics) / sizeof(statistics[0]))

struct netdev_call {
	const char *name;
	struct sc_port_counters counters;
};

/* -ENODEV: that interface is no port's. */
static int
read_counters(void *arg)
{
	struct netdev_call *call = arg;

	for (uint32_t i = 0; i < SC_PORTS_MAX; i++) {
		const struct sc_device *dev = sc_device_at(i);

		if (dev == NULL || strncmp(sc_host_netdev_name(dev), call->name, IFNAMSIZ) != 0)
			continue;
		call->counters = dev->port;
		return 0;
	}
	return -ENODEV;
}

static void
put_name(uint8_t *at, const char *name)
{
	memset(at, 0, ETH_GSTRING_LEN);
	snprintf((char *)at, ETH_GSTRING_LEN, "%s", name);
}

static void
put_strings(struct ethtool_gstrings *strings)
{
	strings->len = NB_STATISTICS;
	for (size_t i = 0; i < NB_STATISTICS; i++)
		put_name(strings->data + i * ETH_GSTRING_LEN, statistics[i].name);
}

static void
put_values(struct ethtool_stats *values, const struct sc_port_counters *counters)
{
	values->n_stats = NB_STATISTICS;
	for (size_t i = 0; i < NB_STATISTICS; i++)
		memcpy(&values->data[i], (const uint8_t *)counters + statistics[i].offset, sizeof(values->data[i]));
}

/* Asked for that set alone. */
static bool
put_length(struct ethtool_sset_info *info)
{
	if (info->sset_mask != UINT64_C(1) << ETH_SS_STATS)
		return false;
	info->data[0] = NB_STATISTICS;
	return true;
}

/* @return what ioctl returns, errno set. */
static int
answer(int fd, struct ifreq *ifr, const struct sc_port_counters *counters)
{
	const uint32_t *command = (const void *)ifr->ifr_data;
	int ret;

	switch (*command) {
	case ETHTOOL_GDRVINFO:
		ret = (int)syscall(SYS_ioctl, fd, SIOCETHTOOL, ifr);
		if (ret == 0)
			((struct ethtool_drvinfo *)(void *)ifr->ifr_data)->n_stats = NB_STATISTICS;
		return ret;
	case ETHTOOL_GSSET_INFO:
		if (put_length((void *)ifr->ifr_data))
			return 0;
		break;
	case ETHTOOL_GSTRINGS:
		if (((struct ethtool_gstrings *)(void *)ifr->ifr_data)->string_set != ETH_SS_STATS)
			break;
		put_strings((void *)ifr->ifr_data);
		return 0;
	case ETHTOOL_GSTATS:
		put_values((void *)ifr->ifr_data, counters);
		return 0;
	}
	return (int)syscall(SYS_ioctl, fd, SIOCETHTOOL, ifr);
}

int
sc_ioctl(int fd, unsigned long request, ...)
{
	struct netdev_call call = { .name = NULL };
	struct ifreq *ifr;
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	ifr = arg;
	if (request != SIOCETHTOOL || ifr == NULL || ifr->ifr_data == NULL)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	call.name = ifr->ifr_name;
	if (sc_engine_call(read_counters, &call) != 0)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	return answer(fd, ifr, &call.counters);
}
