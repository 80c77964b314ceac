/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The choice of a burst: of the instruction sets the widest that the processor has and EAL allows, of its bursts the one that does
 * all that the port was configured for and the least beside.
 */
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_vect.h>

#include "port.h"
#include "tx.h"

static const struct mlx5hws_tx_path *
path(void)
{
#if defined(__x86_64__)
	if (rte_vect_get_max_simd_bitwidth() >= RTE_VECT_SIMD_256 && __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi2"))
		return &mlx5hws_tx_path_avx2;
#endif
	return &mlx5hws_tx_path_base;
}

uint16_t
mlx5hws_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	return mlx5hws_tx_path_base.bursts[0].burst(txq, pkts, nb_pkts);
}

void
mlx5hws_tx_complete(struct mlx5hws_txq *txq, uint32_t nb)
{
	path()->complete(txq, nb);
}

void
mlx5hws_tx_drain(struct mlx5hws_txq *txq)
{
	path()->free_up_to(txq, txq->elts_head);
}

#define ANY_CHECKSUM \
	(RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM | \
	 RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM)
#define ANY_TSO \
	(RTE_ETH_TX_OFFLOAD_TCP_TSO | RTE_ETH_TX_OFFLOAD_VXLAN_TNL_TSO | RTE_ETH_TX_OFFLOAD_GRE_TNL_TSO | \
	 RTE_ETH_TX_OFFLOAD_GENEVE_TNL_TSO)

/* What one queue needs. */
static uint32_t
needs(const struct mlx5hws_txq *txq)
{
	uint32_t flags = txq->empw ? TX_EMPW : 0;

	flags |= txq->offloads & ANY_CHECKSUM ? TX_CHECKSUM : 0;
	flags |= txq->offloads & ANY_TSO ? TX_TSO | TX_CHECKSUM : 0;
	flags |= txq->offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS ? TX_SEGMENTS : 0;
	flags |= txq->offloads & RTE_ETH_TX_OFFLOAD_VLAN_INSERT ? TX_VLAN : 0;
	flags |= txq->meta_flag != 0 ? TX_META : 0;
	flags |= txq->time_flag != 0 ? TX_TIME : 0;
	flags |= txq->inline_send != 0 || txq->inline_empw != 0 || txq->inline_head != 0 ? TX_INLINE : 0;
	return flags;
}

static const struct mlx5hws_tx_burst *
choose(const struct rte_eth_dev *dev)
{
	const struct mlx5hws_tx_burst *best = NULL, *row = path()->bursts;
	uint32_t wanted = 0;

	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		if (dev->data->tx_queues[i] != NULL)
			wanted |= needs(dev->data->tx_queues[i]);
	for (; row != path()->bursts + path()->nb_bursts; row++)
		/* A queue whose SQ takes no multi-packet descriptor must not get one, so that flag fits exactly. */
		if ((row->flags & wanted) == wanted && !((row->flags ^ wanted) & TX_EMPW) &&
		    (best == NULL || __builtin_popcount(row->flags) < __builtin_popcount(best->flags)))
			best = row;
	return best;
}

void
mlx5hws_tx_select(struct rte_eth_dev *dev)
{
	dev->tx_pkt_burst = choose(dev)->burst;
	/* A queue that joins a running port brings what it needs; the others' packets are none the worse for it. */
	if (dev->data->dev_started)
		rte_eth_fp_ops[dev->data->port_id].tx_pkt_burst = dev->tx_pkt_burst;
}

void
mlx5hws_tx_name(const struct rte_eth_dev *dev, char *text, size_t size)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} words[] = {
		{ TX_INLINE, ", inline" }, { TX_SEGMENTS, ", segments" }, { TX_TSO, ", TSO" }, { TX_CHECKSUM, ", checksum" },
		{ TX_VLAN, ", VLAN" }, { TX_META, ", metadata" }, { TX_TIME, ", scheduled" },
	};
	uint32_t flags = TX_ALL;
	int used;

	for (uint32_t i = 0; i < path()->nb_bursts; i++)
		if (path()->bursts[i].burst == dev->tx_pkt_burst)
			flags = path()->bursts[i].flags;
	used = snprintf(text, size, "%s", flags & TX_EMPW ? "Multi-packet" : "Single");
	for (unsigned int i = 0; i < RTE_DIM(words) && used > 0 && (size_t)used < size; i++)
		if (flags & words[i].flag)
			used += snprintf(text + used, size - used, "%s", words[i].name);
	if (path() != &mlx5hws_tx_path_base && used > 0 && (size_t)used < size)
		snprintf(text + used, size - used, ", %s", path()->name);
}
