/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A receive queue: a cyclic RQ of 2^log_sges buffers per packet and its CQ, of as many entries as there are buffers. Buffers are taken out with
 * their packets and descriptors filled again in batches:
 *
 *	taken                         posted                     taken + ring
 *	  | buffers, the device's (or complete) | to be filled again   |        (free running descriptor counts)
 *
 * A descriptor of one buffer that is to be filled again holds none, whatever stands in elts; of one with several, those that were
 * taken are NULL. Data path: one thread. The rest: control thread, queue stopped or not polled.
 */
#ifndef MLX5HWS_RX_H
#define MLX5HWS_RX_H

#include <ethdev_driver.h>
#include <rte_mbuf.h>

#include "compat.h"
#include "count.h"
#include "hca/cq.h"
#include "hca/rq.h"
#include "memory.h"
#include "prm/cqe.h"

struct mlx5hws_port;
struct mlx5hws_rx_stride;

#define MLX5HWS_RX_SPARES 64
#define MLX5HWS_RX_BATCH 32  /* descriptors that are filled again at once, or a quarter of the ring if that is less */

/* What a burst is made for (rx_burst.h). Tags, marks and metadata are always seen to. */
#define RX_HASH       0x01u
#define RX_CHECKSUM   0x02u
#define RX_TIMESTAMP  0x04u
#define RX_SCATTER    0x08u
#define RX_COMPRESSED 0x10u
#define RX_STRIDING   0x20u
#define RX_ALL        (RX_HASH | RX_CHECKSUM | RX_TIMESTAMP | RX_SCATTER | RX_COMPRESSED | RX_STRIDING)

/* data_off, refcnt, nb_segs and port of an mbuf, eight bytes that are set by one store. */
#define MLX5HWS_REARM_AT offsetof(struct rte_mbuf, data_off)

/*
 * Recovery that fails is taken up at the next burst where it stopped. A stopped queue answers "no
 * packets".
 */
enum mlx5hws_rx_state { MLX5HWS_RX_STOPPED, MLX5HWS_RX_GOOD, MLX5HWS_RX_ERROR, MLX5HWS_RX_RESET };

/*
 * A compressed session that is being taken. Copies, so that its slots can go back to the device array by array: the CQ's consumer
 * index is always where the next array, or behind the last one the next entry, stands. nic.md 3.7.
 */
struct mlx5hws_rx_session {
	uint8_t title[HCA_CQE_BYTES];     /* with the fields of the packet that was taken last */
	uint8_t minis[HCA_CQE_BYTES];
	uint32_t left;                    /* packets not taken; 0: no session */
	uint32_t at;                      /* of minis, the next one */
	uint32_t behind;                  /* index behind the last array or block that was taken */
	uint32_t invalid;                 /* basic layout: slots up to there that were taken and invalidated, nothing else between them */
	uint32_t acked;                   /* enhanced layout: consumer index as it was written last */
};

struct mlx5hws_rxq {
	/* Every burst: the first line and, of both queues, the first half. */
	struct rte_mbuf **elts;      /* buffer of each data segment */
	uint64_t rearm;              /* data_off, refcnt, nb_segs, port of a received packet */
	uint32_t elts_mask;
	uint32_t taken, posted;
	uint16_t batch;
	uint8_t log_sges;
	uint8_t state;               /* enum mlx5hws_rx_state */
	struct hca_cq cq;
	struct rte_mempool *pool;
	uint32_t room;               /* bytes of a descriptor's first buffer, behind the headroom */
	uint32_t buffer_at;          /* from an mbuf to where packets begin, where that is the same for all; else 0 */
	struct hca_rq rq __rte_cache_aligned;
	struct mlx5hws_counter packets, bytes; /* counted by the data path, read by anyone; so are those below */

	/* Some bursts. */
	int meta_offset;             /* dynamic field of the packet metadata; -1: not registered */
	int timestamp_offset;
	uint64_t meta_flag, timestamp_flag;
	bool one_key;                /* the pool lies in one region: the key in the descriptors never changes */
	bool real_time;              /* timestamps are seconds and nanoseconds, not ticks */
	uint8_t mini_format;         /* PRM_MINI_CQE_FORMAT_...; meant only where compressed */
	bool compressed, enhanced;   /* completions; in the enhanced layout */
	struct mlx5hws_rx_stride *stride; /* NULL: the queue is not striding */
	uint32_t more_room;          /* bytes of a descriptor's other buffers, which have no headroom */
	uint16_t nb_spares;          /* several buffers a descriptor, or several packets a buffer */
	struct rte_mbuf *spares[MLX5HWS_RX_SPARES];
	struct mlx5hws_rx_session session __rte_cache_aligned;
	struct mlx5hws_lkey_cache lkeys;
	struct mlx5hws_counter errors, no_mbuf, recoveries;

	/* control */
	struct mlx5hws_port *port;
	uint16_t idx;
	uint16_t nb_desc;            /* as asked for; nb_desc >> log_sges descriptors */
	int socket;                  /* SOCKET_ID_ANY is one */
	bool started, deferred;
	uint64_t offloads;
	struct rte_eth_rxconf conf;
};

_Static_assert(offsetof(struct mlx5hws_rxq, cq) == 32 && offsetof(struct hca_cq, cqn) == 28, "read by every burst: one line");
_Static_assert(offsetof(struct mlx5hws_rxq, rq) == 2 * RTE_CACHE_LINE_MIN_SIZE, "and one line");

static inline uint32_t
mlx5hws_rx_ring(const struct mlx5hws_rxq *rxq)
{
	return (rxq->elts_mask + 1) >> rxq->log_sges;
}

/* Descriptors that could be filled again. */
static inline uint32_t
mlx5hws_rx_holes(const struct mlx5hws_rxq *rxq)
{
	return rxq->taken + mlx5hws_rx_ring(rxq) - rxq->posted;
}

/* The longest packet of a descriptor. */
static inline uint32_t
mlx5hws_rx_frame_max(const struct mlx5hws_rxq *rxq)
{
	return rxq->room + ((1u << rxq->log_sges) - 1) * rxq->more_room;
}

/* Is it a descriptor's first buffer? */
static inline bool
mlx5hws_rx_is_first(const struct mlx5hws_rxq *rxq, uint32_t elt)
{
	return (elt & ((1u << rxq->log_sges) - 1)) == 0;
}

/* What one instruction set offers (rx_path.c). The first burst serves whatever a queue may have. */
struct mlx5hws_rx_burst {
	eth_rx_burst_t burst;
	uint32_t flags; /* RX_... */
};

struct mlx5hws_rx_path {
	const char *name;
	const struct mlx5hws_rx_burst *bursts;
	uint32_t nb_bursts;
};

extern const struct mlx5hws_rx_path mlx5hws_rx_path_base;
#if defined(__x86_64__)
extern const struct mlx5hws_rx_path mlx5hws_rx_path_avx2;
extern const struct mlx5hws_rx_path mlx5hws_rx_path_avx512;
#endif

/* May this processor run it? (rx_table.c) */
bool mlx5hws_rx_path_runs(const struct mlx5hws_rx_path *path);

/* rx_table.c: choose the port's burst function for its queues; what a running port gets more of, it gets at once. */
void mlx5hws_rx_select(struct rte_eth_dev *dev);
/* What the function of this port does for its queues, in words. */
void mlx5hws_rx_name(const struct rte_eth_dev *dev, char *text, size_t size);
/* Takes from every queue, whatever it is configured for. */
uint16_t mlx5hws_rx_burst(void *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts);

/* rx_status.c */
int mlx5hws_rx_descriptor_status(void *rxq, uint16_t offset);
MLX5HWS_QUEUE_COUNT mlx5hws_rx_queue_count(void *rxq);

/* rx_fill.c, rx_error.c: out of line, seldom. */

/*
 * Every descriptor with buffers; the queue is RST. -ENOMEM: pool empty, what was filled stays. -EFAULT: no key for a buffer.
 */
int mlx5hws_rx_fill(struct mlx5hws_rxq *rxq);
/* Post all that can be filled again, where several buffers make a descriptor or not all have one key, or the pool ran dry. */
void mlx5hws_rx_refill(struct mlx5hws_rxq *rxq);
/* Give all buffers back to the pool; the device does not own any. */
void mlx5hws_rx_drain(struct mlx5hws_rxq *rxq);
/* From here on a NULL in elts tells that there is no buffer, whatever the descriptor; nothing is to be filled again. */
void mlx5hws_rx_mark_holes(struct mlx5hws_rxq *rxq);

/*
 * The next entry is none of a packet of its own: take errors, and the title of a session.
 * @return the CQE of a packet, already taken off the queue; NULL: nothing to take now.
 */
const uint8_t *mlx5hws_rx_odd(struct mlx5hws_rxq *rxq);
/* A queue that is not good: go on with its recovery. @return whether it is good. */
bool mlx5hws_rx_revive(struct mlx5hws_rxq *rxq);

/* rx_ptype.c: packet type by pkt_info[1:0] << 6 | hdr_type_etc[7:2]. */
extern uint32_t mlx5hws_rx_ptype_table[256];
/* The packet types that rx_burst reports, ended by RTE_PTYPE_UNKNOWN; the number is without that. */
extern const uint32_t mlx5hws_rx_ptypes[];
extern const size_t mlx5hws_rx_nb_ptypes;

#endif
