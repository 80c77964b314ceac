/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The netdev of a port, where the kernel's driver would be: what programs set on it (address, MTU,
 * promiscuous) the device follows, as firmware follows the vport context that the kernel's driver writes.
 */
#ifndef SOFTCX_NETDEV_H
#define SOFTCX_NETDEV_H

#include "softcx/core/device.h"

struct sc_netdev {
	int fd;           /* route netlink, or -1 */
	unsigned int index;
	uint64_t next_ns; /* do not ask again before */
};

/* Hear of interface name from now on. @return 0 or -errno; nd->fd is -1 then. */
int sc_netdev_open(struct sc_netdev *nd, const char *name);
void sc_netdev_close(struct sc_netdev *nd);

/* Take over what changed since. Cheap: it asks the kernel once in a while. */
void sc_netdev_follow(struct sc_netdev *nd, struct sc_device *dev);

#endif
