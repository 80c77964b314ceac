/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Statistics of a port's netdev, where the kernel's driver would keep them. Programs ask the interface by
 * SIOCETHTOOL; the tap that stands for it has none, so what asks for them is answered from the port's
 * counters, under the names of the kernel's driver (drivers/net/ethernet/mellanox/mlx5/core/en_stats.c).
 * Every other ioctl goes to the kernel.
 */
#include <errno.h>
#include <net/if.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/* From the program's memory, before the kernel has looked at it. */
static bool
copy_in(void *to, const void *from, size_t bytes)
{
	struct iovec ours = { .iov_base = to, .iov_len = bytes };
	struct iovec theirs = { .iov_base = (void *)(uintptr_t)from, .iov_len = bytes };

	return process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == (ssize_t)bytes;
}

/* To the program's memory, which may not be there: as the kernel, EFAULT. */
static int
copy_out(void *to, const void *from, size_t bytes)
{
	struct iovec ours = { .iov_base = (void *)(uintptr_t)from, .iov_len = bytes };
	struct iovec theirs = { .iov_base = to, .iov_len = bytes };
	ssize_t written = process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0);

	if (written == (ssize_t)bytes)
		return 0;
	if (written < 0 && (errno == ENOSYS || errno == EPERM)) {
		memcpy(to, from, bytes); /* a sandbox without that call */
		return 0;
	}
	errno = EFAULT;
	return -1;
}

static int
put_strings(struct ethtool_gstrings *to)
{
	uint8_t names[NB_STATISTICS * ETH_GSTRING_LEN] = { 0 };
	const uint32_t nb = NB_STATISTICS;

	for (size_t i = 0; i < NB_STATISTICS; i++)
		snprintf((char *)names + i * ETH_GSTRING_LEN, ETH_GSTRING_LEN, "%s", statistics[i].name);
	return copy_out(&to->len, &nb, sizeof(nb)) != 0 ? -1 : copy_out(to->data, names, sizeof(names));
}

static int
put_values(struct ethtool_stats *to, const struct sc_port_counters *counters)
{
	uint64_t values[NB_STATISTICS];
	const uint32_t nb = NB_STATISTICS;

	for (size_t i = 0; i < NB_STATISTICS; i++)
		memcpy(&values[i], (const uint8_t *)counters + statistics[i].offset, sizeof(values[i]));
	return copy_out(&to->n_stats, &nb, sizeof(nb)) != 0 ? -1 : copy_out(to->data, values, sizeof(values));
}

/* How many statistics: the kernel takes a set that is empty out of the mask. */
static bool
asks_for_number(const void *at)
{
	struct ethtool_sset_info info;
	struct ifreq ifr;

	return copy_in(&ifr, at, sizeof(ifr)) && copy_in(&info, ifr.ifr_data, sizeof(info)) &&
	       info.cmd == ETHTOOL_GSSET_INFO && info.sset_mask == UINT64_C(1) << ETH_SS_STATS;
}

static int
put_number(struct ethtool_sset_info *to)
{
	const uint64_t mask = UINT64_C(1) << ETH_SS_STATS;
	const uint32_t nb = NB_STATISTICS;

	return copy_out(&to->sset_mask, &mask, sizeof(mask)) != 0 ? -1 : copy_out(to->data, &nb, sizeof(nb));
}

/* The kernel has read the command: it has a name for what it is, and none of this. */
static int
answer(const struct ifreq *ifr, int ret, bool number, const struct sc_port_counters *counters)
{
	const uint32_t *command = (const void *)ifr->ifr_data;

	if (ret == 0 && number)
		return put_number((void *)ifr->ifr_data);
	if (ret == 0 && *command == ETHTOOL_GDRVINFO)
		((struct ethtool_drvinfo *)(void *)ifr->ifr_data)->n_stats = NB_STATISTICS;
	if (ret == 0 || errno != EOPNOTSUPP)
		return ret;
	if (*command == ETHTOOL_GSTRINGS &&
	    ((struct ethtool_gstrings *)(void *)ifr->ifr_data)->string_set == ETH_SS_STATS)
		return put_strings((void *)ifr->ifr_data);
	if (*command == ETHTOOL_GSTATS)
		return put_values((void *)ifr->ifr_data, counters);
	return ret;
}

/*
 * Nothing else waits for the device, which would change who comes first when a program asks for its link
 * in two threads.
 */
static bool
about_statistics(const struct ifreq *ifr)
{
	const uint32_t *command = (const void *)ifr->ifr_data;

	return *command == ETHTOOL_GDRVINFO || *command == ETHTOOL_GSTRINGS || *command == ETHTOOL_GSTATS;
}

/*
 * The kernel is asked first, as it knows what descriptor and pointers are good for; it has no statistics
 * of a tap.
 */
int
sc_ioctl(int fd, unsigned long request, ...)
{
	struct netdev_call call = { .name = NULL };
	const struct ifreq *ifr;
	va_list args;
	int ret, error;
	bool number;

	va_start(args, request);
	ifr = va_arg(args, void *);
	va_end(args);
	if (request != SIOCETHTOOL)
		return (int)syscall(SYS_ioctl, fd, request, ifr);
	number = asks_for_number(ifr);
	ret = (int)syscall(SYS_ioctl, fd, request, ifr);
	if ((ret != 0 && errno != EOPNOTSUPP) || !(number || about_statistics(ifr)))
		return ret;
	error = errno;
	call.name = ifr->ifr_name;
	if (sc_engine_call(read_counters, &call) == 0) {
		errno = error;
		return answer(ifr, ret, number, &call.counters);
	}
	errno = error;
	return ret;
}
