/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A receive queue: a cyclic RQ of 2^log_sges buffers per packet and its CQ. Every descriptor always holds
 * buffers: a packet is taken out only when its replacement is in hand. Data path: one thread. The rest:
 * control thread, queue stopped or not polled.
 */
#ifndef MLX5HWS_RX_H
#define MLX5HWS_RX_H

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "compat.h"
#include "count.h"
#include "hca/cq.h"
#include "hca/rq.h"
#include "memory.h"

struct mlx5hws_port;

#define MLX5HWS_RX_SPARES 64

/* data_off, refcnt, nb_segs and port of an mbuf, eight bytes that are set by one store. */
#define MLX5HWS_REARM_AT offsetof(struct rte_mbuf, data_off)

/*
 * Recovery that fails is taken up at the next burst where it stopped. A stopped queue answers "no
 * packets".
 */
enum mlx5hws_rx_state { MLX5HWS_RX_STOPPED, MLX5HWS_RX_GOOD, MLX5HWS_RX_ERROR, MLX5HWS_RX_RESET };

struct mlx5hws_rxq {
	/* data path */
	struct hca_cq cq;
	struct hca_rq rq;
	struct rte_mbuf **elts;      /* buffer of each data segment */
	uint32_t posted;             /* descriptors given to the device, free running */
	uint32_t elts_mask;
	uint32_t room;               /* bytes of a data segment */
	uint8_t log_sges;
	bool hash, checksum;
	bool one_key;                /* the pool lies in one region: the key in the descriptors never changes */
	enum mlx5hws_rx_state state;
	int meta_offset;             /* dynamic field of the packet metadata; -1: not registered */
	uint64_t meta_flag;
	uint64_t rearm;              /* data_off, refcnt, nb_segs, port of a fresh buffer */
	struct rte_mempool *pool;
	uint16_t nb_spares;
	struct rte_mbuf *spares[MLX5HWS_RX_SPARES];
	struct mlx5hws_lkey_cache lkeys;

	/* counted by the data path, read by anyone */
	struct mlx5hws_counter packets, bytes, errors, no_mbuf, recoveries;

	/* control */
	struct mlx5hws_port *port;
	uint16_t idx;
	uint16_t nb_desc;            /* as asked for; nb_desc >> log_sges descriptors */
	int socket;                  /* SOCKET_ID_ANY is one */
	bool started, deferred;
	uint64_t offloads;
	struct rte_eth_rxconf conf;
};

uint16_t mlx5hws_rx_burst(void *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts);
int mlx5hws_rx_descriptor_status(void *rxq, uint16_t offset);
MLX5HWS_QUEUE_COUNT mlx5hws_rx_queue_count(void *rxq);

/*
 * Every descriptor with fresh buffers; the queue is RST. -ENOMEM: pool empty. -EFAULT: no key for a
 * buffer.
 */
int mlx5hws_rx_fill(struct mlx5hws_rxq *rxq);
/* Give all buffers back to the pool; the device does not own any. */
void mlx5hws_rx_drain(struct mlx5hws_rxq *rxq);

/* The packet types that rx_burst reports, ended by RTE_PTYPE_UNKNOWN; the number is without that. */
extern const uint32_t mlx5hws_rx_ptypes[];
extern const size_t mlx5hws_rx_nb_ptypes;

#endif
