/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx_netdev.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/netdev.h"

struct softcx_netdev {
	struct hca_netdev base;
	const struct mlx5hws_softcx *api;
};

static const struct mlx5hws_softcx *
api_of(struct hca_netdev *nd)
{
	return ((struct softcx_netdev *)nd)->api;
}

static int
mac_get(struct hca_netdev *nd, uint8_t mac[6])
{
	return api_of(nd)->softcx_port_mac_get(api_of(nd)->index, mac);
}

static int
mac_set(struct hca_netdev *nd, const uint8_t mac[6])
{
	return api_of(nd)->softcx_port_mac_set(api_of(nd)->index, mac);
}

static int
mtu_get(struct hca_netdev *nd, uint16_t *mtu)
{
	uint32_t wide = 0;
	int ret = api_of(nd)->softcx_port_mtu_get(api_of(nd)->index, &wide);

	*mtu = (uint16_t)wide;
	return ret;
}

static int
mtu_set(struct hca_netdev *nd, uint16_t mtu)
{
	return api_of(nd)->softcx_port_mtu_set(api_of(nd)->index, mtu);
}

static int
link_get(struct hca_netdev *nd, struct hca_link *link)
{
	struct softcx_link now = { 0 };
	int ret = api_of(nd)->softcx_port_link(api_of(nd)->index, &now);

	*link = (struct hca_link){ .up = now.up, .full_duplex = true, .autoneg = true, .speed_mbps = now.speed_mbps };
	return ret;
}

static int
link_set(struct hca_netdev *nd, bool up)
{
	return api_of(nd)->softcx_port_set_up(api_of(nd)->index, up);
}

static int
promisc_set(struct hca_netdev *nd, bool on)
{
	return api_of(nd)->softcx_port_promisc_set(api_of(nd)->index, on);
}

static int
allmulti_set(struct hca_netdev *nd, bool on)
{
	return api_of(nd)->softcx_port_allmulti_set(api_of(nd)->index, on);
}

static int
loopback_set(struct hca_netdev *nd, bool on)
{
	return api_of(nd)->softcx_port_loopback_set(api_of(nd)->index, on);
}

static int
counters_get(struct hca_netdev *nd, struct hca_port_counters *out)
{
	struct softcx_stats stats;
	int ret = api_of(nd)->softcx_port_stats(api_of(nd)->index, &stats);

	if (ret != 0)
		return ret;
	*out = (struct hca_port_counters){
		.rx_packets = stats.rx_frames, .rx_bytes = stats.rx_octets,
		.rx_unicast = stats.rx_unicast, .rx_multicast = stats.rx_multicast,
		.rx_broadcast = stats.rx_broadcast,
		.rx_errors = stats.rx_too_long, .rx_discards = stats.rx_link_down + stats.rx_out_of_buffer,
		.rx_steering_discard = stats.rx_steering_discard, .rx_steering_discard_valid = true,
		.tx_packets = stats.tx_frames, .tx_bytes = stats.tx_octets,
		.tx_unicast = stats.tx_unicast, .tx_multicast = stats.tx_multicast,
		.tx_broadcast = stats.tx_broadcast,
		.tx_errors = stats.tx_too_long, .tx_discards = stats.tx_link_down,
		.host_packets = stats.host_frames,
	};
	return 0;
}

static void
netdev_close(struct hca_netdev *nd)
{
	free(nd);
}

static const struct hca_netdev_ops softcx_ops = {
	.mac_get = mac_get,
	.mac_set = mac_set,
	.mtu_get = mtu_get,
	.mtu_set = mtu_set,
	.link_get = link_get,
	.link_set = link_set,
	.promisc_set = promisc_set,
	.allmulti_set = allmulti_set,
	.loopback_set = loopback_set,
	.counters = counters_get,
	.close = netdev_close,
};

int
mlx5hws_softcx_netdev_open(const struct mlx5hws_softcx *api, struct hca_netdev **netdev)
{
	struct softcx_netdev *nd = calloc(1, sizeof(*nd));
	int ret;

	if (nd == NULL)
		return -ENOMEM;
	nd->base.ops = &softcx_ops;
	snprintf(nd->base.name, sizeof(nd->base.name), "softcx%u", api->index);
	nd->api = api;
	/* The port is ours alone: nothing comes in before it is started and its rules are there. */
	ret = link_set(&nd->base, false);
	if (ret != 0) {
		free(nd);
		return ret;
	}
	*netdev = &nd->base;
	return 0;
}
