/* SPDX-License-Identifier: BSD-3-Clause */

/* One log type for the driver and what is below it: pmd.net.mlx5hws. */
#ifndef MLX5HWS_LOG_H
#define MLX5HWS_LOG_H

#include <rte_log.h>

extern int mlx5hws_logtype;

#define MLX5HWS_LOG(level, fmt, ...) \
	rte_log(RTE_LOG_##level, mlx5hws_logtype, "mlx5hws: " fmt "\n", ##__VA_ARGS__)

#endif
