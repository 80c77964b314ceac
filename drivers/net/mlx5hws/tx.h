/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A transmit queue: an SQ of 64-byte WQEBBs and a CQ for the completions that are asked for, about one
 * per 32 packets. Every packet is one SEND descriptor. Data path: one thread.
 */
#ifndef MLX5HWS_TX_H
#define MLX5HWS_TX_H

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "count.h"
#include "hca/cq.h"
#include "hca/sq.h"
#include "memory.h"

struct mlx5hws_port;

#define MLX5HWS_TX_COMP_PACKETS 32

/* What one requested completion retires: everything before these. */
struct mlx5hws_tx_mark {
	uint32_t elts_head;
	uint16_t pi;
};

/*
 * BROKEN: the device stopped at failed_pi. A queue whose reset failed tries again at the next burst.
 * Stopped and broken ones take no packets.
 */
enum mlx5hws_tx_state { MLX5HWS_TX_STOPPED, MLX5HWS_TX_GOOD, MLX5HWS_TX_BROKEN };

struct mlx5hws_txq {
	/* data path */
	struct hca_sq sq;
	struct hca_cq cq;
	struct rte_mbuf **elts;      /* every segment that the device may still read */
	uint32_t elts_mask;
	uint32_t elts_head, elts_tail;
	uint16_t done_pi;            /* WQEBBs before this one are free again */
	uint16_t request_pi;         /* where the last completion was asked for */
	uint32_t request_elts;       /* elts_head then */
	uint32_t request_packets;    /* packets since then */
	uint16_t failed_pi;          /* BROKEN: the first descriptor that was not sent */
	struct mlx5hws_tx_mark *marks;
	uint32_t marks_mask;
	uint32_t mark_head;          /* written at requests; read at cq.ci */
	bool fast_free, vlan_insert;
	enum mlx5hws_tx_state state;
	uint8_t max_segs;
	int meta_offset;
	uint64_t meta_flag;
	struct mlx5hws_lkey_cache lkeys;

	/* counted by the data path, read by anyone */
	struct mlx5hws_counter packets, bytes, errors, recoveries;

	/* control */
	struct mlx5hws_port *port;
	uint16_t idx;
	uint16_t nb_desc;
	int socket;                  /* SOCKET_ID_ANY is one */
	bool started, deferred;
	uint64_t offloads;
	struct rte_eth_txconf conf;
};

uint16_t mlx5hws_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts);
int mlx5hws_tx_descriptor_status(void *txq, uint16_t offset);
int mlx5hws_tx_done_cleanup(void *txq, uint32_t free_cnt);

/* Free every buffer the queue holds; the device does not own any. */
void mlx5hws_tx_drain(struct mlx5hws_txq *txq);

#endif
