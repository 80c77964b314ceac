/* SPDX-License-Identifier: BSD-3-Clause */

/* What the bus front ends (PCI, virtual device) share. */
#ifndef MLX5HWS_DRIVER_H
#define MLX5HWS_DRIVER_H

#include <stdbool.h>

struct rte_device;
struct rte_eth_dev;
struct mlx5hws_devargs;
struct mlx5hws_origin;

/*
 * Is the DPDK that loads us the one we were compiled for? Driver structures differ between releases of
 * one ABI version, so nothing is registered otherwise; says so in one line.
 */
bool mlx5hws_release_matches(void);

/*
 * Make the ethdev of a device: allocate, fill (the bus's own part by decorate), open, announce. Takes
 * over origin also when it fails.
 */
int mlx5hws_probe_port(struct rte_device *device, const struct mlx5hws_origin *origin,
		       const struct mlx5hws_devargs *devargs,
		       void (*decorate)(struct rte_eth_dev *dev, struct rte_device *device));
/* Stop, close and release it; 0 where it is gone already. */
int mlx5hws_remove_port(const char *name);

#endif
