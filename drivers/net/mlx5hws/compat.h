/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What differs between DPDK releases, in one place. The driver is written for 22.11 and says here what a
 * newer release calls otherwise.
 */
#ifndef MLX5HWS_COMPAT_H
#define MLX5HWS_COMPAT_H

#include <rte_version.h>

/* 24.03: the list of packet types is given with its length. */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define MLX5HWS_PTYPES_PARAMS struct rte_eth_dev *dev, size_t *nb_types
#define MLX5HWS_PTYPES_SET_NB(nb) (*nb_types = (nb))
#else
#define MLX5HWS_PTYPES_PARAMS struct rte_eth_dev *dev
#define MLX5HWS_PTYPES_SET_NB(nb) RTE_SET_USED(nb)
#endif

/* 25.11: per-queue counters of the basic statistics have a structure of their own, which may be NULL. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#define MLX5HWS_STATS_PARAMS struct rte_eth_dev *dev, struct rte_eth_stats *stats, struct eth_queue_stats *queues
#define MLX5HWS_QUEUE_STATS struct eth_queue_stats
#define MLX5HWS_QUEUE_STATS_OF(stats) queues
#else
#define MLX5HWS_STATS_PARAMS struct rte_eth_dev *dev, struct rte_eth_stats *stats
#define MLX5HWS_QUEUE_STATS struct rte_eth_stats
#define MLX5HWS_QUEUE_STATS_OF(stats) (stats)
#endif

/* 26.07: one macro for all buses. */
#ifndef RTE_BUS_DEVICE
#define MLX5HWS_TO_PCI(dev) RTE_DEV_TO_PCI(dev)
#define MLX5HWS_TO_VDEV(dev) RTE_DEV_TO_VDEV(dev)
#else
#define MLX5HWS_TO_PCI(dev) RTE_BUS_DEVICE(dev, *(struct rte_pci_device *)0)
#define MLX5HWS_TO_VDEV(dev) RTE_BUS_DEVICE(dev, *(struct rte_vdev_device *)0)
#endif

/* 25.07: the exported name is told apart by itself, not by a counter. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 7, 0, 0)
#define MLX5HWS_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name)
#else
#define MLX5HWS_PMD_EXPORT_NAME(name) RTE_PMD_EXPORT_NAME(name, __COUNTER__)
#endif

/* 25.11: the count of a receive queue's packets may be an error. */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#define MLX5HWS_QUEUE_COUNT int
#else
#define MLX5HWS_QUEUE_COUNT uint32_t
#endif

/* 26.07: PCI drivers are no longer chained in their own structure. */
#define MLX5HWS_PCI_DRIVER_LINKED (RTE_VERSION < RTE_VERSION_NUM(26, 7, 0, 0))

#endif
