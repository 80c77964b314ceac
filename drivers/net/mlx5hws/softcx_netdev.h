/* SPDX-License-Identifier: BSD-3-Clause */

/* The host's side of a softcx port, over the functions of softcx.h found in the library that was opened. */
#ifndef MLX5HWS_SOFTCX_NETDEV_H
#define MLX5HWS_SOFTCX_NETDEV_H

#include "softcx/front/softcx.h"

struct hca_netdev;

/* F(name): what the driver calls of libsoftcx.so beside the verbs functions. */
#define MLX5HWS_SOFTCX_FUNCTIONS(F) \
	F(softcx_port_create) \
	F(softcx_port_destroy) \
	F(softcx_setting_known) \
	F(softcx_port_mac_get) \
	F(softcx_port_mac_set) \
	F(softcx_port_mtu_get) \
	F(softcx_port_mtu_set) \
	F(softcx_port_link) \
	F(softcx_port_set_up) \
	F(softcx_port_promisc_set) \
	F(softcx_port_allmulti_set) \
	F(softcx_port_loopback_set) \
	F(softcx_port_stats)

struct mlx5hws_softcx {
#define MLX5HWS_SOFTCX_MEMBER(name) __typeof__(name) *name;
	MLX5HWS_SOFTCX_FUNCTIONS(MLX5HWS_SOFTCX_MEMBER)
#undef MLX5HWS_SOFTCX_MEMBER
	unsigned int index;
};

/* api must outlive the netdev. */
int mlx5hws_softcx_netdev_open(const struct mlx5hws_softcx *api, struct hca_netdev **netdev);

#endif
