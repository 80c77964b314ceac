/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The bursts there are: one row each, all made from tx_burst.h. A port takes the row that does all it was configured for and
 * the least beside.
 */
#include <rte_ethdev.h>
#include <rte_flow.h>

#include "port.h"
#include "tx.h"
#include "tx_burst.h"

#define CHAINS (TX_SEGMENTS | TX_VLAN | TX_TSO)

/* name, flags */
#define ROWS(ROW) \
	ROW(empw, TX_EMPW) \
	ROW(empw_cs, TX_EMPW | TX_CHECKSUM) \
	ROW(empw_cs_meta, TX_EMPW | TX_CHECKSUM | TX_META) \
	ROW(empw_seg, TX_EMPW | TX_SEGMENTS) \
	ROW(empw_seg_cs, TX_EMPW | TX_SEGMENTS | TX_CHECKSUM) \
	ROW(empw_vlan_cs, TX_EMPW | TX_VLAN | TX_CHECKSUM) \
	ROW(empw_all_but_meta, TX_EMPW | CHAINS | TX_CHECKSUM) \
	ROW(empw_all, TX_EMPW | CHAINS | TX_CHECKSUM | TX_META) \
	ROW(empw_inline, TX_EMPW | TX_INLINE) \
	ROW(empw_inline_cs, TX_EMPW | TX_INLINE | TX_CHECKSUM) \
	ROW(empw_inline_cs_meta, TX_EMPW | TX_INLINE | TX_CHECKSUM | TX_META) \
	ROW(empw_inline_seg_cs, TX_EMPW | TX_INLINE | TX_SEGMENTS | TX_CHECKSUM) \
	ROW(empw_inline_all, TX_EMPW | TX_INLINE | CHAINS | TX_CHECKSUM | TX_META) \
	ROW(send, 0) \
	ROW(send_cs, TX_CHECKSUM) \
	ROW(send_seg_cs, TX_SEGMENTS | TX_CHECKSUM) \
	ROW(send_all, CHAINS | TX_CHECKSUM | TX_META) \
	ROW(send_inline, TX_INLINE) \
	ROW(send_inline_cs, TX_INLINE | TX_CHECKSUM) \
	ROW(send_inline_all, TX_INLINE | CHAINS | TX_CHECKSUM | TX_META)

#define BURST(name, flags) \
	static uint16_t \
	burst_##name(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts) \
	{ \
		return tx_burst(txq, pkts, nb_pkts, flags); \
	}
ROWS(BURST)

static const struct row {
	eth_tx_burst_t burst;
	uint32_t flags;
} rows[] = {
#define ROW(name, flags) { burst_##name, flags },
	ROWS(ROW)
#undef ROW
};

enum tx_result
mlx5hws_tx_post_any(struct mlx5hws_txq *txq, struct tx_run *run, struct rte_mbuf *m)
{
	return tx_post(txq, run, m, TX_ALL);
}

uint16_t
mlx5hws_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts)
{
	return tx_burst(txq, pkts, nb_pkts, TX_ALL);
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
	flags |= txq->inline_send != 0 || txq->inline_empw != 0 || txq->inline_head != 0 ? TX_INLINE : 0;
	return flags;
}

static const struct row *
choose(const struct rte_eth_dev *dev)
{
	const struct row *best = NULL;
	uint32_t wanted = 0;

	for (uint16_t i = 0; i < dev->data->nb_tx_queues; i++)
		if (dev->data->tx_queues[i] != NULL)
			wanted |= needs(dev->data->tx_queues[i]);
	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		/* A queue whose SQ takes no multi-packet descriptor must not get one, so that flag fits exactly. */
		if ((rows[i].flags & wanted) == wanted && !((rows[i].flags ^ wanted) & TX_EMPW) &&
		    (best == NULL || __builtin_popcount(rows[i].flags) < __builtin_popcount(best->flags)))
			best = &rows[i];
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
		{ TX_VLAN, ", VLAN" }, { TX_META, ", metadata" },
	};
	uint32_t flags = TX_ALL;
	int used;

	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		if (rows[i].burst == dev->tx_pkt_burst)
			flags = rows[i].flags;
	used = snprintf(text, size, "%s", flags & TX_EMPW ? "Multi-packet" : "Single");
	for (unsigned int i = 0; i < RTE_DIM(words) && used > 0 && (size_t)used < size; i++)
		if (flags & words[i].flag)
			used += snprintf(text + used, size - used, "%s", words[i].name);
}
