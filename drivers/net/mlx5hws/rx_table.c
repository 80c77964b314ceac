/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The choice of a burst: of the instruction sets the widest that the processor has and EAL allows, of its bursts the one that does
 * all that the port's queues were configured for and the least beside.
 */
#include <rte_ethdev.h>
#include <rte_vect.h>

#include "port.h"
#include "rx.h"

bool
mlx5hws_rx_path_runs(const struct mlx5hws_rx_path *rx_path)
{
#if defined(__x86_64__)
	if (rx_path == &mlx5hws_rx_path_avx512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
	if (rx_path == &mlx5hws_rx_path_avx2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
#endif
	return rx_path == &mlx5hws_rx_path_base;
}

/* EAL allows 512 bits only where it is told to: they slow some processors down, and seldom gain what that costs. */
static const struct mlx5hws_rx_path *
path(const struct mlx5hws_port *port)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	static const struct {
		const struct mlx5hws_rx_path *path;
		uint16_t bits;
	} vectors[] = {
		{ &mlx5hws_rx_path_avx512, RTE_VECT_SIMD_512 },
		{ &mlx5hws_rx_path_avx2, RTE_VECT_SIMD_256 },
	};

	for (unsigned int i = 0; port->devargs.rx_vec_en != 0 && i < RTE_DIM(vectors); i++)
		if (rte_vect_get_max_simd_bitwidth() >= vectors[i].bits && mlx5hws_rx_path_runs(vectors[i].path))
			return vectors[i].path;
#else
	RTE_SET_USED(port);
#endif
	return &mlx5hws_rx_path_base;
}

uint16_t
mlx5hws_rx_burst(void *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	return mlx5hws_rx_path_base.bursts[0].burst(rxq, pkts, nb_pkts);
}

/* What one queue needs. */
static uint32_t
needs(const struct mlx5hws_rxq *rxq)
{
	uint32_t flags = 0;

	flags |= rxq->offloads & RTE_ETH_RX_OFFLOAD_RSS_HASH ? RX_HASH : 0;
	flags |= rxq->offloads & RTE_ETH_RX_OFFLOAD_CHECKSUM ? RX_CHECKSUM : 0;
	flags |= rxq->timestamp_flag != 0 ? RX_TIMESTAMP : 0; /* the mbufs have a place for it */
	flags |= rxq->log_sges != 0 ? RX_SCATTER : 0;
	flags |= rxq->compressed ? RX_COMPRESSED : 0;
	flags |= rxq->stride != NULL ? RX_STRIDING : 0;
	return flags;
}

static const struct mlx5hws_rx_burst *
choose(const struct rte_eth_dev *dev)
{
	const struct mlx5hws_rx_path *rx_path = path(mlx5hws_port(dev));
	const struct mlx5hws_rx_burst *best = NULL, *row = rx_path->bursts;
	uint32_t wanted = 0;

	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++)
		if (dev->data->rx_queues[i] != NULL)
			wanted |= needs(dev->data->rx_queues[i]);
	for (; row != rx_path->bursts + rx_path->nb_bursts; row++) {
		/* Hash and checksums cost little and are also done unasked; a packet's timestamp is in a dynamic field, which must be there. */
		if ((row->flags & wanted) == wanted && !((row->flags ^ wanted) & RX_TIMESTAMP) &&
		    (best == NULL || __builtin_popcount(row->flags) < __builtin_popcount(best->flags)))
			best = row;
	}
	return best;
}

/* A burst that stamps does so on every queue of the port: also on one that was set up before the offload was asked for. */
static void
share_timestamp(const struct rte_eth_dev *dev)
{
	const struct mlx5hws_rxq *from = NULL;
	struct mlx5hws_rxq *rxq;

	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++) {
		rxq = dev->data->rx_queues[i];
		if (rxq != NULL && rxq->timestamp_flag != 0)
			from = rxq;
	}
	for (uint16_t i = 0; from != NULL && i < dev->data->nb_rx_queues; i++) {
		rxq = dev->data->rx_queues[i];
		if (rxq == NULL)
			continue;
		rxq->timestamp_offset = from->timestamp_offset;
		rxq->timestamp_flag = from->timestamp_flag;
		rxq->real_time = from->real_time;
	}
}

void
mlx5hws_rx_select(struct rte_eth_dev *dev)
{
	share_timestamp(dev);
	dev->rx_pkt_burst = choose(dev)->burst;
	/* A queue that joins a running port brings what it needs; the others' packets are none the worse for it. */
	if (dev->data->dev_started)
		rte_eth_fp_ops[dev->data->port_id].rx_pkt_burst = dev->rx_pkt_burst;
}

void
mlx5hws_rx_name(const struct rte_eth_dev *dev, char *text, size_t size)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} words[] = {
		{ RX_STRIDING, ", striding" }, { RX_SCATTER, ", scattered" }, { RX_COMPRESSED, ", compressed" },
		{ RX_HASH, ", hash" }, { RX_CHECKSUM, ", checksum" }, { RX_TIMESTAMP, ", timestamp" },
	};
	const struct mlx5hws_rx_path *rx_path = path(mlx5hws_port(dev));
	uint32_t flags = RX_ALL;
	int used;

	for (uint32_t i = 0; i < rx_path->nb_bursts; i++)
		if (rx_path->bursts[i].burst == dev->rx_pkt_burst)
			flags = rx_path->bursts[i].flags;
	used = snprintf(text, size, "%s", rx_path == &mlx5hws_rx_path_base ? "Scalar" : "Vector");
	for (unsigned int i = 0; i < RTE_DIM(words) && used > 0 && (size_t)used < size; i++)
		if (flags & words[i].flag)
			used += snprintf(text + used, size - used, "%s", words[i].name);
	if (rx_path != &mlx5hws_rx_path_base && used > 0 && (size_t)used < size)
		snprintf(text + used, size - used, ", %s", rx_path->name);
}
