/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A transmit queue: an SQ of 64-byte WQEBBs and a CQ for the completions that are asked for, about one per 32 packets. Buffers
 * that the device may still read stand in elts; a packet that was copied into its descriptor does not. Data path: one thread.
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
#define MLX5HWS_TX_SHARE 4 /* a completion is asked for at the latest when this part of a ring waits */

/* What one requested completion retires: everything before these. */
struct mlx5hws_tx_mark {
	uint32_t elts_head;
	uint32_t packets;
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
	/*
	 * Every segment that the device may still read. Bit 0 is set on those of a chain, whose link must be cut before they go
	 * back to their pool.
	 */
	uintptr_t *elts;
	uint32_t elts_mask;
	uint32_t elts_head, elts_tail;
	uint32_t packets_head, packets_done; /* posted; of them, known to be sent */
	uint16_t done_pi;            /* WQEBBs before this one are free again */
	uint16_t request_pi;         /* where the last completion was asked for */
	uint32_t request_elts;       /* elts_head then */
	uint32_t request_packets;    /* packets_head then */
	uint16_t failed_pi;          /* BROKEN: the first descriptor that was not sent */
	enum mlx5hws_tx_state state;
	struct mlx5hws_tx_mark *marks;
	uint32_t marks_mask;
	uint32_t mark_head;          /* written at requests; read at cq.ci */
	bool fast_free;
	bool empw;                   /* the SQ takes multi-packet descriptors */
	bool vlan_by_device;         /* else tags are written into inlined bytes */
	uint8_t max_ds;              /* 16-byte units of a descriptor */
	uint16_t inline_send;        /* a packet up to so long is copied into its SEND */
	uint16_t inline_empw;        /* and so long into its place in a multi-packet descriptor */
	uint16_t inline_head;        /* and so much of any other; 0: nothing */
	bool inline_required;        /* the device refuses less than inline_head */
	uint32_t max_tso;            /* bytes of payload that the device cuts */
	int meta_offset;
	uint64_t meta_flag;
	struct mlx5hws_lkey_cache lkeys;

	/* counted by the data path, read by anyone */
	struct mlx5hws_counter packets, bytes, errors, recoveries;

	/* control */
	struct mlx5hws_port *port;
	uint16_t idx;
	uint16_t nb_desc;            /* WQEBBs */
	int socket;                  /* SOCKET_ID_ANY is one */
	bool started, deferred;
	uint64_t offloads;
	struct rte_eth_txconf conf;
};

/* Serves whatever a packet may ask for, fast where the table of tx_table.c has nothing better. */
uint16_t mlx5hws_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts);
int mlx5hws_tx_descriptor_status(void *txq, uint16_t offset);
int mlx5hws_tx_done_cleanup(void *txq, uint32_t free_cnt);

/* Take what has completed, buffers go home, at most nb CQEs; an error resets the queue. Out of line: once a burst. */
void mlx5hws_tx_complete(struct mlx5hws_txq *txq, uint32_t nb);
/* BROKEN: try the reset again. @return whether the queue is good. */
bool mlx5hws_tx_revive(struct mlx5hws_txq *txq);

/* Buffers of elts go back to their pools, up to head. */
void mlx5hws_tx_free_up_to(struct mlx5hws_txq *txq, uint32_t head);
/* Packets of one segment, as the application gave them, go back to their pools. */
void mlx5hws_tx_free_packets(struct mlx5hws_txq *txq, struct rte_mbuf **pkts, uint32_t nb);
/* Free every buffer the queue holds; the device does not own any. */
static inline void
mlx5hws_tx_drain(struct mlx5hws_txq *txq)
{
	mlx5hws_tx_free_up_to(txq, txq->elts_head);
}

/* Choose the port's burst function for its queues' offloads; what a running port gets more of, it gets at once. */
void mlx5hws_tx_select(struct rte_eth_dev *dev);
/* What the function of this port does, in words. */
void mlx5hws_tx_name(const struct rte_eth_dev *dev, char *text, size_t size);

#endif
