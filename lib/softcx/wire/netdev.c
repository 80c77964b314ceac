/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/wire/netdev.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "softcx/core/port.h"
#include "softcx/core/trace.h"
#include "softcx/nic/port.h"

#define ASK_NS 200000

int
sc_netdev_open(struct sc_netdev *nd, const char *name)
{
	struct sockaddr_nl at = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	int ret;

	nd->index = if_nametoindex(name);
	nd->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (nd->fd >= 0 && nd->index != 0 && bind(nd->fd, (struct sockaddr *)&at, sizeof(at)) == 0)
		return 0;
	ret = -errno;
	sc_netdev_close(nd);
	return ret;
}

void
sc_netdev_close(struct sc_netdev *nd)
{
	if (nd->fd >= 0)
		close(nd->fd);
	nd->fd = -1;
}

static void
take_attribute(struct sc_device *dev, const struct rtattr *attribute)
{
	uint32_t mtu;

	if (attribute->rta_type == IFLA_ADDRESS && RTA_PAYLOAD(attribute) == sizeof(dev->mac)) {
		memcpy(dev->mac, RTA_DATA(attribute), sizeof(dev->mac));
	} else if (attribute->rta_type == IFLA_MTU && RTA_PAYLOAD(attribute) == sizeof(mtu)) {
		memcpy(&mtu, RTA_DATA(attribute), sizeof(mtu));
		dev->mtu = mtu < SC_MTU_MIN ? SC_MTU_MIN : mtu > SC_MTU_MAX ? SC_MTU_MAX : mtu;
	}
}

static void
take_link(const struct sc_netdev *nd, struct sc_device *dev, const struct nlmsghdr *message)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);
	int left = (int)IFLA_PAYLOAD(message);

	if (message->nlmsg_type != RTM_NEWLINK || info->ifi_family != AF_UNSPEC ||
	    (unsigned int)info->ifi_index != nd->index)
		return;
	dev->promisc = info->ifi_flags & IFF_PROMISC;
	dev->allmulti = info->ifi_flags & IFF_ALLMULTI;
	for (const struct rtattr *a = IFLA_RTA(info); RTA_OK(a, left); a = RTA_NEXT(a, left))
		take_attribute(dev, a);
	sc_trace(dev, "netdev says: mtu %u, promiscuous %d, all multicast %d", dev->mtu, dev->promisc,
		dev->allmulti);
}

void
sc_netdev_follow(struct sc_netdev *nd, struct sc_device *dev)
{
	char room[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t len;

	if (nd->fd < 0 || sc_nic_now(dev) < nd->next_ns)
		return;
	nd->next_ns = sc_nic_now(dev) + ASK_NS;
	while ((len = recv(nd->fd, room, sizeof(room), 0)) > 0) {
		unsigned int left = (unsigned int)len;

		for (struct nlmsghdr *m = (struct nlmsghdr *)room; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left))
			take_link(nd, dev, m);
	}
}
