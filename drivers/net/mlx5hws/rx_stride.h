/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Striding receive (MPRQ): a WQE is one large buffer of equal strides, and each packet takes the next few
 * of them. Short packets are copied into mbufs of the application's pool, longer ones stay where they are,
 * as external buffers of such mbufs. nic.md 2.7, 5.3.
 *
 *	buffer    | headroom | stride 0 | stride 1 | ...
 *	attached             data of one packet in one or more strides; the 128 bytes in front are its headroom, so the packet
 *	                     before must not have been attached with data or tailroom there
 *
 * References of a lent buffer are counted in bulk: when its first packet is attached the count is set to
 * one for each stride and one for the queue, and what was not lent is taken off when the device is through
 * with the buffer. No packet costs an atomic operation here.
 *
 * Threads as in rx.h.
 */
#ifndef MLX5HWS_RX_STRIDE_H
#define MLX5HWS_RX_STRIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

struct mlx5hws_port;
struct mlx5hws_rxq;
struct mlx5hws_stride_buffer;
struct mlx5hws_stride_pool;

/* What the device is asked for. */
struct mlx5hws_stride_shape {
	uint8_t log_strides, log_bytes; /* strides of a buffer, bytes of a stride; log_strides 0: not striding */
	uint32_t nb_wqes;
};

struct mlx5hws_rx_stride {
	/* data path */
	uint8_t *data;               /* of the buffer that the device fills now */
	struct mlx5hws_stride_buffer *current;
	struct mlx5hws_stride_buffer *spare; /* takes current's place once packets of it are lent; NULL: nothing is lent */
	uint32_t used;               /* strides of it that are consumed */
	uint32_t lent;               /* packets attached to it */
	int32_t busy;                /* bytes of data up to here are an attached packet's, tailroom included */
	uint32_t nb_strides;
	uint8_t log_bytes;
	uint32_t copy_max;           /* longer packets are attached */
	uint32_t chain_max;          /* what cannot be attached is copied if it is not longer than this */
	uint16_t chain_mbufs;        /* into so many mbufs, which are in hand before a completion is taken */
	struct mlx5hws_stride_buffer **posted; /* by WQE */

	/* control */
	struct mlx5hws_stride_shape shape;
	struct mlx5hws_stride_pool *pool; /* kept while the queue is stopped: packets may still be out */
};

/*
 * Is the queue to be striding, and how? By the port's arguments and its number of queues. Where they ask
 * for what this queue cannot have a log line says why, and the shape says "not". frame: the longest there
 * may be, in bytes.
 */
void mlx5hws_rx_stride_choose(const struct mlx5hws_rxq *rxq, uint32_t frame, struct mlx5hws_stride_shape *shape);
/* The longest frame that it takes as it was started. */
uint32_t mlx5hws_rx_stride_frame_max(const struct mlx5hws_rxq *rxq);

/* As it was opened. */
struct mlx5hws_stride_shape mlx5hws_rx_stride_shape(const struct mlx5hws_rxq *rxq);

/* Memory for this shape and frames. @return 0; -ENOMEM or what registration says, with a log line. */
int mlx5hws_rx_stride_open(struct mlx5hws_rxq *rxq, uint32_t frame, const struct mlx5hws_stride_shape *shape);
/* For ever. Not striding is fine. */
void mlx5hws_rx_stride_close(struct mlx5hws_rxq *rxq);

/* As mlx5hws_rx_fill and _drain; the packets themselves are taken by rx_stride_take.h. */
int mlx5hws_rx_stride_fill(struct mlx5hws_rxq *rxq);
void mlx5hws_rx_stride_drain(struct mlx5hws_rxq *rxq);

#endif
