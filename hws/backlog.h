/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a steering queue has accepted beyond what its ring holds.
 *
 * A queue promises so many operations, and some take several WQEs. A ring for all of these would be written round and
 * round through the caches, so the device's ring has room for one WQE of each operation, and what comes on top of it goes
 * on in a second ring, the backlog, at positions counted on. While there is a backlog queue->ring is that ring: what
 * builds WQEs does not know the difference. From there they are copied to the device's ring as it drains.
 */
#ifndef MLX5DR_BACKLOG_H
#define MLX5DR_BACKLOG_H

#include <stdint.h>

struct mlx5dr_queue;

/* Memory for as many WQEs as the queue may hold, untouched until needed. The SQ is there. -ENOMEM. */
int backlog_open(struct mlx5dr_queue *queue, uint32_t nb_wqebbs);
void backlog_close(struct mlx5dr_queue *queue);

/* The device's ring is full, and everything in it is rung: go on in the backlog. */
void backlog_begin(struct mlx5dr_queue *queue);

/* To the device what was rung and now fits; the backlog ends with its last WQE. After each change of done or rung. */
void backlog_drain(struct mlx5dr_queue *queue);

/* Back to the device's ring, whatever was in the backlog. */
void backlog_end(struct mlx5dr_queue *queue);

#endif
