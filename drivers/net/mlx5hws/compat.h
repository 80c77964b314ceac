/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What differs between DPDK releases, in one place. The driver is written for 22.11 and says here what a newer release
 * calls otherwise.
 */
#ifndef MLX5HWS_COMPAT_H
#define MLX5HWS_COMPAT_H

#include <rte_version.h>

/* 24.03: packet-type callbacks get the number of elements. */
#define MLX5HWS_PTYPES_COUNTED (RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0))

/* 25.11: per-queue counters of the basic statistics come in a structure of their own. */
#define MLX5HWS_QUEUE_STATS_APART (RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0))

/* 26.07: one macro for all buses. */
#ifndef RTE_BUS_DEVICE
#define MLX5HWS_TO_PCI(dev) RTE_DEV_TO_PCI(dev)
#define MLX5HWS_TO_VDEV(dev) RTE_DEV_TO_VDEV(dev)
#else
#define MLX5HWS_TO_PCI(dev) RTE_BUS_DEVICE(dev, *(struct rte_pci_device *)0)
#define MLX5HWS_TO_VDEV(dev) RTE_BUS_DEVICE(dev, *(struct rte_vdev_device *)0)
#endif

/* 26.07: PCI drivers are no longer chained in their own structure. */
#define MLX5HWS_PCI_DRIVER_LINKED (RTE_VERSION < RTE_VERSION_NUM(26, 7, 0, 0))

#endif
