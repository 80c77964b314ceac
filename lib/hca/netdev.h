/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What is not the device's but the host's: MAC, MTU, link, promiscuous, counters of the port. One ops
 * struct, two implementations: the Linux netdev here (ioctl, netlink, sysfs), softcx's port functions in
 * the driver's vdev probe.
 *
 * All functions: 0 or -errno; control path; one caller at a time per netdev.
 */
#ifndef HCA_NETDEV_H
#define HCA_NETDEV_H

#include <stdbool.h>
#include <stdint.h>

struct hca_netdev;

struct hca_link {
	bool up;
	bool full_duplex;
	bool autoneg;
	uint32_t speed_mbps; /* 0: unknown */
};

/* Totals of the port as its owner counts them. */
struct hca_port_counters {
	uint64_t rx_packets, rx_bytes, rx_errors, rx_discards;
	uint64_t tx_packets, tx_bytes, tx_errors, tx_discards;
	uint64_t rx_unicast, rx_multicast, rx_broadcast, tx_unicast, tx_multicast, tx_broadcast;
	uint64_t rx_unicast_bytes, rx_multicast_bytes, rx_broadcast_bytes;
	uint64_t tx_unicast_bytes, tx_multicast_bytes, tx_broadcast_bytes;
	uint64_t rx_steering_discard, host_packets;
	bool rx_steering_discard_valid;
};

struct hca_netdev_ops {
	int (*mac_get)(struct hca_netdev *nd, uint8_t mac[6]);
	int (*mac_set)(struct hca_netdev *nd, const uint8_t mac[6]);
	/* The IP MTU; frames are up to 22 bytes longer (header and two tags). */
	int (*mtu_get)(struct hca_netdev *nd, uint16_t *mtu);
	int (*mtu_set)(struct hca_netdev *nd, uint16_t mtu);
	int (*link_get)(struct hca_netdev *nd, struct hca_link *link);
	int (*link_set)(struct hca_netdev *nd, bool up); /* administrative state */
	int (*promisc_set)(struct hca_netdev *nd, bool on);
	int (*allmulti_set)(struct hca_netdev *nd, bool on);
	/* What is sent comes back as received, without a wire. -ENOTSUP where the owner cannot. */
	int (*loopback_set)(struct hca_netdev *nd, bool on);
	/* -ENOTSUP where the owner does not count */
	int (*counters)(struct hca_netdev *nd, struct hca_port_counters *counters);
	void (*close)(struct hca_netdev *nd);
};

/* Implementations put this first in their own struct. */
struct hca_netdev {
	const struct hca_netdev_ops *ops;
	uint32_t if_index; /* 0: no kernel interface */
	char name[16];
};

/* The kernel interface of an RDMA device, found below ibdev_path in sysfs. -ENODEV: it has none. */
int hca_netdev_open_linux(const char *ibdev_path, struct hca_netdev **nd);

#endif
