/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Statistics. Packets and bytes are what the queues counted in software; misses are the device's
 * queue-counter set; the extended ones add the owner of the port (netdev or softcx) and what queues
 * recovered from.
 */
#include <errno.h>

#include <rte_ethdev.h>

#include "hca/cmd_counter.h"
#include "hca/cmd_queue.h"
#include "hca/device.h"
#include "hca/netdev.h"
#include "port.h"
#include "rx.h"
#include "tx.h"

/* The device counts 32 bits that wrap; the difference since the last look is added. */
static void
refresh_imissed(struct mlx5hws_port *port)
{
	uint32_t now;

	if (port->q_counter == NULL || hca_cmd_query_q_counter(port->q_counter, false, &now) != 0)
		return;
	port->imissed += (uint32_t)(now - port->q_counter_seen);
	port->q_counter_seen = now;
}

static void
add_rx(const struct mlx5hws_rxq *rxq, uint16_t idx, struct rte_eth_stats *stats, MLX5HWS_QUEUE_STATS *queues)
{
	uint64_t packets = mlx5hws_counted(&rxq->packets), bytes = mlx5hws_counted(&rxq->bytes);

	stats->ipackets += packets;
	stats->ibytes += bytes;
	stats->ierrors += mlx5hws_counted(&rxq->errors);
	stats->rx_nombuf += mlx5hws_counted(&rxq->no_mbuf);
	if (queues != NULL && idx < RTE_ETHDEV_QUEUE_STAT_CNTRS) {
		queues->q_ipackets[idx] = packets;
		queues->q_ibytes[idx] = bytes;
		queues->q_errors[idx] = mlx5hws_counted(&rxq->errors);
	}
}

static void
add_tx(const struct mlx5hws_txq *txq, uint16_t idx, struct rte_eth_stats *stats, MLX5HWS_QUEUE_STATS *queues)
{
	uint64_t packets = mlx5hws_counted(&txq->packets), bytes = mlx5hws_counted(&txq->bytes);

	stats->opackets += packets;
	stats->obytes += bytes;
	stats->oerrors += mlx5hws_counted(&txq->errors);
	if (queues != NULL && idx < RTE_ETHDEV_QUEUE_STAT_CNTRS) {
		queues->q_opackets[idx] = packets;
		queues->q_obytes[idx] = bytes;
	}
}

int
mlx5hws_stats_get(MLX5HWS_STATS_PARAMS)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		if (dev->data->rx_queues[i] != NULL)
			add_rx(dev->data->rx_queues[i], i, stats, MLX5HWS_QUEUE_STATS_OF(stats));
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		if (dev->data->tx_queues[i] != NULL)
			add_tx(dev->data->tx_queues[i], i, stats, MLX5HWS_QUEUE_STATS_OF(stats));
	refresh_imissed(port);
	stats->imissed = port->imissed;
	return 0;
}

int
mlx5hws_stats_reset(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++) {
		struct mlx5hws_rxq *rxq = dev->data->rx_queues[i];

		if (rxq == NULL)
			continue;
		mlx5hws_counter_reset(&rxq->packets);
		mlx5hws_counter_reset(&rxq->bytes);
		mlx5hws_counter_reset(&rxq->errors);
		mlx5hws_counter_reset(&rxq->no_mbuf);
	}
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++) {
		struct mlx5hws_txq *txq = dev->data->tx_queues[i];

		if (txq == NULL)
			continue;
		mlx5hws_counter_reset(&txq->packets);
		mlx5hws_counter_reset(&txq->bytes);
		mlx5hws_counter_reset(&txq->errors);
	}
	refresh_imissed(port);
	port->imissed = 0;
	return 0;
}

/*
 * ---- extended
 * ----------------------------------------------------------------------------------------------
 */

struct port_row {
	const char *name;
	size_t member;
};

#define PORT_ROW(name, member) { name, offsetof(struct hca_port_counters, member) }
static const struct port_row port_rows[] = {
	PORT_ROW("port_rx_packets", rx_packets),
	PORT_ROW("port_rx_bytes", rx_bytes),
	PORT_ROW("port_rx_errors", rx_errors),
	PORT_ROW("port_rx_discards", rx_discards),
	PORT_ROW("port_rx_unicast_packets", rx_unicast),
	PORT_ROW("port_rx_unicast_bytes", rx_unicast_bytes),
	PORT_ROW("port_rx_multicast_packets", rx_multicast),
	PORT_ROW("port_rx_multicast_bytes", rx_multicast_bytes),
	PORT_ROW("port_rx_broadcast_packets", rx_broadcast),
	PORT_ROW("port_rx_broadcast_bytes", rx_broadcast_bytes),
	PORT_ROW("port_rx_steering_discard", rx_steering_discard),
	PORT_ROW("port_tx_packets", tx_packets),
	PORT_ROW("port_tx_bytes", tx_bytes),
	PORT_ROW("port_tx_errors", tx_errors),
	PORT_ROW("port_tx_discards", tx_discards),
	PORT_ROW("port_tx_unicast_packets", tx_unicast),
	PORT_ROW("port_tx_unicast_bytes", tx_unicast_bytes),
	PORT_ROW("port_tx_multicast_packets", tx_multicast),
	PORT_ROW("port_tx_multicast_bytes", tx_multicast_bytes),
	PORT_ROW("port_tx_broadcast_packets", tx_broadcast),
	PORT_ROW("port_tx_broadcast_bytes", tx_broadcast_bytes),
	PORT_ROW("port_host_packets", host_packets),
};

enum { XSTAT_OUT_OF_BUFFER, XSTAT_RX_RECOVERIES, XSTAT_TX_RECOVERIES, XSTAT_PORT };
static const char *const own_names[XSTAT_PORT] = {
	[XSTAT_OUT_OF_BUFFER] = "rx_out_of_buffer",
	[XSTAT_RX_RECOVERIES] = "rx_queue_recoveries",
	[XSTAT_TX_RECOVERIES] = "tx_queue_recoveries",
};
#define NB_XSTATS (XSTAT_PORT + (unsigned int)RTE_DIM(port_rows))

static void
read_own(struct rte_eth_dev *dev, uint64_t values[XSTAT_PORT])
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	refresh_imissed(port);
	values[XSTAT_OUT_OF_BUFFER] = port->imissed;
	values[XSTAT_RX_RECOVERIES] = 0;
	values[XSTAT_TX_RECOVERIES] = 0;
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		if (dev->data->rx_queues[i] != NULL)
			values[XSTAT_RX_RECOVERIES] +=
				mlx5hws_counted(&((struct mlx5hws_rxq *)dev->data->rx_queues[i])->recoveries);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		if (dev->data->tx_queues[i] != NULL)
			values[XSTAT_TX_RECOVERIES] +=
				mlx5hws_counted(&((struct mlx5hws_txq *)dev->data->tx_queues[i])->recoveries);
}

/* As the netdev's owner and the vport count, since power-on. Who does not count reads as zeroes. */
static void
read_port(const struct mlx5hws_port *port, struct hca_port_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	if (port->netdev->ops->counters(port->netdev, counters) != 0)
		memset(counters, 0, sizeof(*counters));
	if (port->hca->caps.vport_counters)
		(void)hca_cmd_query_vport_counter(port->hca, counters);
}

static uint64_t
counter_at(const struct hca_port_counters *counters, size_t member)
{
	return *(const uint64_t *)((const char *)counters + member);
}

int
mlx5hws_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned int n)
{
	const struct mlx5hws_port *port = mlx5hws_port(dev);
	struct hca_port_counters counters;
	uint64_t own[XSTAT_PORT];

	if (xstats == NULL || n < NB_XSTATS)
		return NB_XSTATS;
	read_own(dev, own);
	for (unsigned int i = 0; i < XSTAT_PORT; i++)
		xstats[i] = (struct rte_eth_xstat){ .id = i, .value = own[i] };
	read_port(port, &counters);
	for (unsigned int i = 0; i < RTE_DIM(port_rows); i++)
		xstats[XSTAT_PORT + i] = (struct rte_eth_xstat){
			.id = XSTAT_PORT + i,
			.value = counter_at(&counters, port_rows[i].member) -
				counter_at(&port->counters_base, port_rows[i].member),
		};
	return NB_XSTATS;
}

int
mlx5hws_xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names, unsigned int n)
{
	RTE_SET_USED(dev);
	if (names == NULL || n < NB_XSTATS)
		return NB_XSTATS;
	for (unsigned int i = 0; i < NB_XSTATS; i++)
		snprintf(names[i].name, sizeof(names[i].name), "%s",
			 i < XSTAT_PORT ? own_names[i] : port_rows[i - XSTAT_PORT].name);
	return NB_XSTATS;
}

/* The owner's counters are his and go on: what they are now is where ours begin. */
int
mlx5hws_xstats_reset(struct rte_eth_dev *dev)
{
	read_port(mlx5hws_port(dev), &mlx5hws_port(dev)->counters_base);
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		if (dev->data->rx_queues[i] != NULL)
			mlx5hws_counter_reset(&((struct mlx5hws_rxq *)dev->data->rx_queues[i])->recoveries);
	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		if (dev->data->tx_queues[i] != NULL)
			mlx5hws_counter_reset(&((struct mlx5hws_txq *)dev->data->tx_queues[i])->recoveries);
	return mlx5hws_stats_reset(dev);
}
