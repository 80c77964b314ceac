/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One ethdev port: a device of hca, the host's side of it, the flow engine, and what the application
 * configured.
 *
 * Life: mlx5hws_port_create (probe) -> configure -> queue set-up -> start <-> stop -> close. Device
 * queues exist while their queue is started; between, their indices are served by the RSS pool's drop
 * queue.
 */
#ifndef MLX5HWS_PORT_H
#define MLX5HWS_PORT_H

#include <stdatomic.h>

#include <ethdev_driver.h>

#include "compat.h"
#include "devargs.h"
#include "flow/flow.h"
#include "hca/cmd_rx.h"
#include "hca/caps.h"
#include "hca/netdev.h"
#include "memory.h"

struct hca_device;
struct hca_netdev;
struct hca_obj;
struct hca_rss_pool;
struct hca_verbs;
struct mlx5hws_rx_intr;

#define MLX5HWS_MAX_QUEUES 256
#define MLX5HWS_MAX_MAC 128
#define MLX5HWS_MAX_MULTICAST 128
#define MLX5HWS_MAX_RETA 512
#define MLX5HWS_VLANS 4096
#define MLX5HWS_MTU_MIN 68
#define MLX5HWS_MTU_MAX 9978
#define MLX5HWS_FRAME_OVERHEAD 22 /* Ethernet header and two tags; the device adds and takes the FCS itself */

#define MLX5HWS_RSS_TYPES \
	(RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | \
	 RTE_ETH_RSS_L3_SRC_ONLY | RTE_ETH_RSS_L3_DST_ONLY | RTE_ETH_RSS_L4_SRC_ONLY | RTE_ETH_RSS_L4_DST_ONLY)

/* What the bus layer (PCI, vdev) found; the port takes ownership of all of it. */
struct mlx5hws_origin {
	struct hca_verbs *verbs;
	const char *device;         /* ibv name or PCI address */
	/* Opens the host's side once the device is open; NULL: the Linux netdev below ibdev_path. */
	int (*netdev_open)(void *arg, struct hca_netdev **netdev);
	/* After everything else is closed. */
	void (*release)(void *arg);
	void *arg;
};

struct mlx5hws_port {
	struct flow_port *flow;     /* also dev->process_private: the ops of rte_flow find it there */
	struct rte_eth_dev *dev;
	struct mlx5hws_origin origin;
	struct mlx5hws_devargs devargs;
	struct hca_device *hca;
	struct hca_netdev *netdev;
	struct hca_port_counters counters_base; /* at the last reset of extended statistics */
	struct hca_rss_pool *rss;
	struct mlx5hws_mr_table memory;
	struct rte_intr_handle *interrupt;
	pthread_mutex_t events_lock; /* the event handler against close; valid while interrupt is */
	/* what the application wants to hear; ethdev's own copy changes under the interrupt thread */
	atomic_bool wants_link, wants_removal;
	bool told_up;                    /* the link as the last event told it; on the interrupt thread */
	uint32_t told_speed;

	/* receive side, as configured */
	uint64_t rss_types;
	uint8_t rss_key[HCA_RSS_KEY_BYTES];
	uint16_t reta[MLX5HWS_MAX_RETA];
	uint16_t reta_size;
	struct rte_ether_addr multicast[MLX5HWS_MAX_MULTICAST];
	uint32_t nb_multicast;
	uint8_t vlan_bits[MLX5HWS_VLANS / 8];
	uint8_t min_inline;         /* min_wqe_inline_mode of the vport */
	bool loopback;              /* lpbk_mode, applied at start */
	struct mlx5hws_rx_intr *rx_intr; /* NULL: not started with interrupts of receive queues */

	/* counters */
	struct hca_obj *q_counter;  /* NULL: imissed stays 0 */
	uint32_t q_counter_seen;    /* 32 bits of the device at the last look */
	uint64_t imissed;
};

static inline struct mlx5hws_port *
mlx5hws_port(const struct rte_eth_dev *dev)
{
	return dev->data->dev_private;
}

/* Frames of this many bytes must fit a receive descriptor: header, tags and payload, without FCS. */
static inline uint32_t
mlx5hws_frame_bytes(uint16_t mtu)
{
	return mtu + MLX5HWS_FRAME_OVERHEAD;
}

/*
 * Fills dev (ops, bursts, data) and opens everything behind it. On failure everything is given back,
 * origin included. dev->data->dev_private is a zeroed struct mlx5hws_port.
 */
int mlx5hws_port_create(struct rte_eth_dev *dev, const struct mlx5hws_origin *origin,
			const struct mlx5hws_devargs *devargs);
int mlx5hws_port_close(struct rte_eth_dev *dev);

/*
 * Tell the flow engine what the port's MAC, VLAN, promiscuous and RSS settings are now. 0 on a stopped
 * port.
 */
int mlx5hws_port_update_defaults(struct rte_eth_dev *dev);

/* The parts of eth_dev_ops, one file each. */
int mlx5hws_queue_start_all(struct rte_eth_dev *dev);
void mlx5hws_queue_stop_all(struct rte_eth_dev *dev);
int mlx5hws_rx_queue_setup(struct rte_eth_dev *dev, uint16_t idx, uint16_t nb_desc, unsigned int socket,
			   const struct rte_eth_rxconf *conf, struct rte_mempool *pool);
/* Flag and field of mbufs for a packet's time, if offloads have that. -errno: there is no room. */
int mlx5hws_tx_schedule_register(const struct mlx5hws_port *port, uint64_t offloads);
int mlx5hws_tx_queue_setup(struct rte_eth_dev *dev, uint16_t idx, uint16_t nb_desc, unsigned int socket,
			   const struct rte_eth_txconf *conf);
void mlx5hws_rx_queue_release(struct rte_eth_dev *dev, uint16_t idx);
void mlx5hws_tx_queue_release(struct rte_eth_dev *dev, uint16_t idx);
int mlx5hws_rx_queue_start(struct rte_eth_dev *dev, uint16_t idx);
int mlx5hws_rx_queue_stop(struct rte_eth_dev *dev, uint16_t idx);
int mlx5hws_tx_queue_start(struct rte_eth_dev *dev, uint16_t idx);
int mlx5hws_tx_queue_stop(struct rte_eth_dev *dev, uint16_t idx);
void mlx5hws_rxq_info_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_rxq_info *info);
void mlx5hws_txq_info_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_txq_info *info);
int mlx5hws_rx_burst_mode_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_burst_mode *mode);
int mlx5hws_tx_burst_mode_get(struct rte_eth_dev *dev, uint16_t idx, struct rte_eth_burst_mode *mode);

int mlx5hws_stats_get(MLX5HWS_STATS_PARAMS);
int mlx5hws_stats_reset(struct rte_eth_dev *dev);
int mlx5hws_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned int n);
int mlx5hws_xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names, unsigned int n);
int mlx5hws_xstats_reset(struct rte_eth_dev *dev);

int mlx5hws_mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *mac, uint32_t idx, uint32_t vmdq);
void mlx5hws_mac_addr_remove(struct rte_eth_dev *dev, uint32_t idx);
int mlx5hws_mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *mac);
int mlx5hws_set_mc_addr_list(struct rte_eth_dev *dev, struct rte_ether_addr *list, uint32_t nb);
int mlx5hws_promiscuous_enable(struct rte_eth_dev *dev);
int mlx5hws_promiscuous_disable(struct rte_eth_dev *dev);
int mlx5hws_allmulticast_enable(struct rte_eth_dev *dev);
int mlx5hws_allmulticast_disable(struct rte_eth_dev *dev);

int mlx5hws_vlan_filter_set(struct rte_eth_dev *dev, uint16_t vlan, int on);
int mlx5hws_vlan_offload_set(struct rte_eth_dev *dev, int mask);
void mlx5hws_vlan_strip_queue_set(struct rte_eth_dev *dev, uint16_t idx, int on);

int mlx5hws_rss_configure(struct rte_eth_dev *dev);
int mlx5hws_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int mlx5hws_rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf);
int mlx5hws_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size);
int mlx5hws_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *conf, uint16_t size);
uint16_t mlx5hws_reta_size_max(const struct mlx5hws_port *port);

int mlx5hws_link_update(struct rte_eth_dev *dev, int wait);
int mlx5hws_link_up(struct rte_eth_dev *dev);
int mlx5hws_link_down(struct rte_eth_dev *dev);
int mlx5hws_mtu_set(struct rte_eth_dev *dev, uint16_t mtu);
int mlx5hws_is_removed(struct rte_eth_dev *dev);
int mlx5hws_events_open(struct rte_eth_dev *dev);
void mlx5hws_events_close(struct rte_eth_dev *dev);

/* Data segments that fit the largest descriptor. */
uint16_t mlx5hws_tx_max_segs(const struct hca_caps *caps);

int mlx5hws_info_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info);
const uint32_t *mlx5hws_ptypes_get(MLX5HWS_PTYPES_PARAMS);
int mlx5hws_read_clock(struct rte_eth_dev *dev, uint64_t *clock);
int mlx5hws_fw_version_get(struct rte_eth_dev *dev, char *version, size_t size);

#endif
