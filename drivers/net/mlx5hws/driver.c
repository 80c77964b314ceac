/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <errno.h>

#include <dev_driver.h>
#include <ethdev_driver.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_version.h>

#include "hca/log.h"
#include "hca/verbs.h"
#include "log.h"
#include "port.h"

int mlx5hws_logtype;

static void
log_from_below(enum hca_log_level level, const char *format, va_list args)
{
	static const uint32_t levels[] = {
		[HCA_LOG_ERR] = RTE_LOG_ERR, [HCA_LOG_WARNING] = RTE_LOG_WARNING,
		[HCA_LOG_INFO] = RTE_LOG_INFO, [HCA_LOG_DEBUG] = RTE_LOG_DEBUG,
	};
	char line[512];

	vsnprintf(line, sizeof(line), format, args);
	rte_log(levels[level], (uint32_t)mlx5hws_logtype, "mlx5hws: %s\n", line);
}

/* Log types come before drivers, which may already speak in their constructors. */
RTE_INIT_PRIO(mlx5hws_log_init, LOG)
{
	mlx5hws_logtype = rte_log_register_type_and_pick_level("pmd.net.mlx5hws", RTE_LOG_INFO);
	hca_log_set_hook(log_from_below);
}

bool
mlx5hws_release_matches(void)
{
	if (rte_version_year() == RTE_VER_YEAR && rte_version_month() == RTE_VER_MONTH)
		return true;
	MLX5HWS_LOG(ERR, "built for DPDK %u.%02u, loaded by %u.%02u: not registered", RTE_VER_YEAR, RTE_VER_MONTH,
		    rte_version_year(), rte_version_month());
	return false;
}

static void
discard_origin(const struct mlx5hws_origin *origin)
{
	if (origin->release != NULL)
		origin->release(origin->arg);
	hca_verbs_close(origin->verbs);
}

int
mlx5hws_probe_port(struct rte_device *device, const struct mlx5hws_origin *origin,
		   const struct mlx5hws_devargs *devargs,
		   void (*decorate)(struct rte_eth_dev *dev, struct rte_device *device))
{
	struct rte_eth_dev *dev = rte_eth_dev_allocate(device->name);
	int ret;

	if (dev == NULL) {
		discard_origin(origin);
		return -ENOMEM;
	}
	dev->data->dev_private = rte_zmalloc_socket("mlx5hws_port", sizeof(struct mlx5hws_port), RTE_CACHE_LINE_SIZE,
						    device->numa_node);
	if (dev->data->dev_private == NULL) {
		discard_origin(origin);
		rte_eth_dev_release_port(dev);
		return -ENOMEM;
	}
	dev->device = device;
	dev->data->numa_node = device->numa_node;
	if (decorate != NULL)
		decorate(dev, device);
	ret = mlx5hws_port_create(dev, origin, devargs);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "%s not probed: %s", device->name, strerror(-ret));
		rte_eth_dev_release_port(dev);
		return ret;
	}
	rte_eth_dev_probing_finish(dev);
	return 0;
}

int
mlx5hws_remove_port(const char *name)
{
	struct rte_eth_dev *dev = rte_eth_dev_allocated(name);
	int ret;

	if (dev == NULL)
		return 0;
	if (dev->data->dev_started) {
		ret = rte_eth_dev_stop(dev->data->port_id);
		if (ret != 0)
			return ret;
	}
	return rte_eth_dev_close(dev->data->port_id);
}
