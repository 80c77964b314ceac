/* SPDX-License-Identifier: BSD-3-Clause */

/* RSS of the default rules: types, key, redirection table. Kept here, carried out by the flow engine. */
#include <errno.h>

#include <rte_ethdev.h>

#include "hca/device.h"
#include "log.h"
#include "port.h"

/* Used until the application gives one: the key of the Microsoft specification's examples. */
static const uint8_t default_key[HCA_RSS_KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b,
	0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac,
	0x01, 0xfa,
};

uint16_t
mlx5hws_reta_size_max(const struct mlx5hws_port *port)
{
	const struct hca_caps *caps = &port->hca->caps;
	uint32_t size = 1u << caps->log_max_rqt_size;

	if (caps->eth.rss_ind_tbl_cap != 0)
		size = RTE_MIN(size, 1u << caps->eth.rss_ind_tbl_cap);
	return (uint16_t)RTE_MIN(size, (uint32_t)MLX5HWS_MAX_RETA);
}

/* Queues one after the other over the whole table. */
static void
fill_reta(struct mlx5hws_port *port, uint16_t nb_queues)
{
	port->reta_size = mlx5hws_reta_size_max(port);
	for (uint16_t i = 0; i < port->reta_size; i++)
		port->reta[i] = i % nb_queues;
}

static int
set_key(struct mlx5hws_port *port, const uint8_t *key, uint8_t len)
{
	if (key == NULL)
		return 0;
	if (len != HCA_RSS_KEY_BYTES) {
		MLX5HWS_LOG(ERR, "an RSS key of %u bytes: the device has %u", len, HCA_RSS_KEY_BYTES);
		return -EINVAL;
	}
	memcpy(port->rss_key, key, HCA_RSS_KEY_BYTES);
	return 0;
}

/* At configure: the table starts anew, the key stays unless one is given. */
int
mlx5hws_rss_configure(struct rte_eth_dev *dev)
{
	static const uint8_t no_key[HCA_RSS_KEY_BYTES];
	const struct rte_eth_rss_conf *conf = &dev->data->dev_conf.rx_adv_conf.rss_conf;
	struct mlx5hws_port *port = mlx5hws_port(dev);

	if (memcmp(port->rss_key, no_key, sizeof(no_key)) == 0)
		memcpy(port->rss_key, default_key, sizeof(default_key));
	port->rss_types = 0;
	port->reta_size = 0;
	if (dev->data->nb_rx_queues == 0)
		return 0;
	fill_reta(port, dev->data->nb_rx_queues);
	if (!(dev->data->dev_conf.rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG))
		return 0;
	port->rss_types = conf->rss_hf;
	return set_key(port, conf->rss_key, conf->rss_key_len);
}

int
mlx5hws_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	uint8_t key[HCA_RSS_KEY_BYTES];
	uint64_t types = port->rss_types;
	int ret;

	if (conf->rss_hf & ~MLX5HWS_RSS_TYPES) {
		MLX5HWS_LOG(ERR, "RSS types 0x%" PRIx64 " are not served", conf->rss_hf & ~MLX5HWS_RSS_TYPES);
		return -EINVAL;
	}
	memcpy(key, port->rss_key, sizeof(key));
	ret = set_key(port, conf->rss_key, conf->rss_key_len);
	if (ret != 0)
		return ret;
	port->rss_types = conf->rss_hf;
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0) {
		memcpy(port->rss_key, key, sizeof(key));
		port->rss_types = types;
	}
	return ret;
}

int
mlx5hws_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	if (conf->rss_key != NULL && conf->rss_key_len >= HCA_RSS_KEY_BYTES)
		memcpy(conf->rss_key, port->rss_key, HCA_RSS_KEY_BYTES);
	conf->rss_key_len = HCA_RSS_KEY_BYTES;
	conf->rss_hf = port->rss_types;
	return 0;
}

int
mlx5hws_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	uint16_t before[MLX5HWS_MAX_RETA];
	int ret;

	if (size > port->reta_size) {
		MLX5HWS_LOG(ERR, "a redirection table of %u entries: the device has %u", size, port->reta_size);
		return -EINVAL;
	}
	memcpy(before, port->reta, sizeof(before));
	for (uint16_t i = 0; i < size; i++) {
		const struct rte_eth_rss_reta_entry64 *group = &conf[i / RTE_ETH_RETA_GROUP_SIZE];

		if (group->mask & UINT64_C(1) << i % RTE_ETH_RETA_GROUP_SIZE)
			port->reta[i] = group->reta[i % RTE_ETH_RETA_GROUP_SIZE];
	}
	ret = mlx5hws_port_update_defaults(dev);
	if (ret != 0)
		memcpy(port->reta, before, sizeof(before));
	return ret;
}

int
mlx5hws_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size)
{
	const struct mlx5hws_port *port = mlx5hws_port(dev);

	if (size > port->reta_size)
		return -EINVAL;
	for (uint16_t i = 0; i < size; i++) {
		struct rte_eth_rss_reta_entry64 *group = &conf[i / RTE_ETH_RETA_GROUP_SIZE];

		if (group->mask & UINT64_C(1) << i % RTE_ETH_RETA_GROUP_SIZE)
			group->reta[i % RTE_ETH_RETA_GROUP_SIZE] = port->reta[i];
	}
	return 0;
}
