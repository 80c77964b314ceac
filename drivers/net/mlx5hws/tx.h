/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A transmit queue: an SQ of 64-byte WQEBBs and a CQ for the completions that are asked for, about one per 32 buffers. Those
 * that the device may still read stand in elts; a packet that was copied into its descriptor does not. Data path: one thread.
 */
#ifndef MLX5HWS_TX_H
#define MLX5HWS_TX_H

#include <ethdev_driver.h>
#include <rte_mbuf.h>

#include "count.h"
#include "hca/cq.h"
#include "hca/sq.h"
#include "memory.h"

struct mlx5hws_port;

#define MLX5HWS_TX_COMP_BUFFERS 32 /* a completion is asked for when as many buffers wait, */
#define MLX5HWS_TX_SHARE 4        /* at the latest when this part of a ring waits, */
#define MLX5HWS_TX_SHARE_COPIED 2 /* or this of a ring whose packets are mostly copied */

/* 16-byte units of a multi-packet descriptor: as long as any driver makes one. */
#define TX_SESSION_DS 60

/* What a burst is made for (tx_burst.h). */
#define TX_EMPW     0x01u
#define TX_INLINE   0x02u
#define TX_CHECKSUM 0x04u
#define TX_META     0x08u
#define TX_SEGMENTS 0x10u
#define TX_VLAN     0x20u
#define TX_TSO      0x40u
#define TX_TIME     0x80u
#define TX_ALL      (TX_INLINE | TX_CHECKSUM | TX_META | TX_SEGMENTS | TX_VLAN | TX_TSO | TX_TIME)

/* Bit 0 of an entry of elts: a segment of a chain whose link was not cut when it was sent: it must be before it goes back to its pool. */
#define TX_CHAINED ((uintptr_t)1)

/* What one requested completion retires: everything before these. */
struct mlx5hws_tx_mark {
	uint32_t elts_head;
	uint32_t packets;
	struct rte_mempool *pool;       /* where all of its buffers go as they are; NULL: they must be looked at */
	uint16_t pi;
};

/*
 * BROKEN: the device stopped at failed_pi. A queue whose reset failed tries again at the next burst.
 * Stopped and broken ones take no packets.
 */
enum mlx5hws_tx_state { MLX5HWS_TX_STOPPED, MLX5HWS_TX_GOOD, MLX5HWS_TX_BROKEN };

struct mlx5hws_txq {
	/* Every burst: four lines, to the end of the first key. */
	struct hca_sq sq;
	/* Every segment that the device may still read, with TX_CHAINED where its link is still to be cut. */
	uintptr_t *elts;
	struct hca_cq cq;
	uint32_t elts_mask;
	uint32_t elts_head, elts_tail;
	uint32_t packets_head;       /* posted */
	struct mlx5hws_counter packets, bytes; /* counted by the data path, read by anyone; so are those below */
	struct rte_mempool *plain_pool;       /* of the entries of elts since the last request: */
	uint32_t plain_elts;         /* so many go back to it as they are */
	uint32_t request_elts;       /* elts_head when the last completion was asked for */
	struct mlx5hws_tx_mark *marks;
	uint32_t marks_mask;
	uint32_t mark_head;          /* written at requests; read at cq.ci */
	uint16_t request_pi;         /* where the last completion was asked for */
	uint16_t done_pi;            /* WQEBBs before this one are free again */
	uint32_t packets_done;       /* of those that were posted, known to be sent */
	uint8_t state;               /* enum mlx5hws_tx_state */
	uint8_t pause;               /* bursts that are not tried as a whole (tx_whole.h) */
	uint16_t failed_pi;          /* BROKEN: the first descriptor that was not sent */
	struct mlx5hws_lkey_cache lkeys;

	/* Some bursts. */
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
	int time_offset;             /* dynamic field: when a packet is to leave */
	uint64_t time_flag;          /* it is; 0: packets are not scheduled */
	bool real_time;              /* the queue's clock shows seconds and nanoseconds, else ticks */
	struct mlx5hws_counter errors, recoveries;

	/* control */
	struct mlx5hws_port *port;
	uint16_t idx;
	uint16_t nb_desc;            /* WQEBBs */
	int socket;                  /* SOCKET_ID_ANY is one */
	bool started, deferred;
	bool refused;                /* one of its packets, and said so */
	uint64_t offloads;
	struct rte_eth_txconf conf;
};

_Static_assert(offsetof(struct mlx5hws_txq, lkeys.entries[1]) == 4 * RTE_CACHE_LINE_MIN_SIZE, "read by every burst: four lines");

int mlx5hws_tx_descriptor_status(void *txq, uint16_t offset);
int mlx5hws_tx_done_cleanup(void *txq, uint32_t free_cnt);

/* 16-byte units of a descriptor that are taken by what must be inlined of each packet. */
uint16_t mlx5hws_tx_inline_units(const struct mlx5hws_port *port);

/* What one instruction set offers (tx_path.c). The first burst serves whatever a packet may ask for. */
struct mlx5hws_tx_burst {
	eth_tx_burst_t burst;
	uint32_t flags; /* TX_... */
};

struct mlx5hws_tx_path {
	const char *name;
	const struct mlx5hws_tx_burst *bursts;
	uint32_t nb_bursts;
	void (*complete)(struct mlx5hws_txq *txq, uint32_t nb);
	void (*free_up_to)(struct mlx5hws_txq *txq, uint32_t head);
};

extern const struct mlx5hws_tx_path mlx5hws_tx_path_base;
#if defined(__x86_64__)
extern const struct mlx5hws_tx_path mlx5hws_tx_path_avx2;
#endif

uint16_t mlx5hws_tx_burst(void *txq, struct rte_mbuf **pkts, uint16_t nb_pkts);

/* Take what has completed, at most nb CQEs: buffers go home, an error resets the queue. */
void mlx5hws_tx_complete(struct mlx5hws_txq *txq, uint32_t nb);
/* An error CQE that is the next one: reset the queue. */
void mlx5hws_tx_failed(struct mlx5hws_txq *txq, const uint8_t *cqe);
/* A packet that cannot be sent: say why, once for each start of the queue (tx_refuse.c). */
void mlx5hws_tx_refuse(struct mlx5hws_txq *txq, const struct rte_mbuf *m);
/* BROKEN: try the reset again. @return whether the queue is good. */
bool mlx5hws_tx_revive(struct mlx5hws_txq *txq);
/* Free every buffer the queue holds; the device does not own any. */
void mlx5hws_tx_drain(struct mlx5hws_txq *txq);

/* Choose the port's burst function for its queues' offloads; what a running port gets more of, it gets at once. */
void mlx5hws_tx_select(struct rte_eth_dev *dev);
/* What the function of this port does, in words. */
void mlx5hws_tx_name(const struct rte_eth_dev *dev, char *text, size_t size);

#endif
