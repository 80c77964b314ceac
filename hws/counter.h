/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Counters of rules. A pool is made of bulks (largest power of two first); counter k is (bulk, offset), which is what a
 * rule's WQE carries. Values are copies in host memory, refreshed by ASO reads of all counters in use. A counter that
 * was given back is handed out again only after a further refresh, so that the value it starts from is known and counts
 * of its former rule cannot be taken for its own.
 *
 * A counter that never had a user is zero: a bulk's are so when the device gives it.
 *
 * Threads: get and put by the queue's owner, query by anybody, refresh by one thread at a time.
 */
#ifndef MLX5DR_COUNTER_H
#define MLX5DR_COUNTER_H

#include "hws/mlx5dr.h"

struct mlx5dr_counter_pool;

#define MLX5DR_NO_COUNTER UINT32_MAX

/* nb counters, >= 1, usable in both directions. */
int mlx5dr_counter_pool_create(struct mlx5dr_context *ctx, uint32_t nb, struct mlx5dr_counter_pool **pool,
			       struct mlx5dr_error *error);
/* -EBUSY while counters are out, or action templates name the pool. */
int mlx5dr_counter_pool_destroy(struct mlx5dr_counter_pool *pool);

/* A counter for the queue's next rule. @return 0; -EAGAIN none just now, freed ones wait for a refresh; -ENOENT none. */
int mlx5dr_counter_get(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue, uint32_t *counter);
void mlx5dr_counter_put(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue, uint32_t counter);
/* Where none was to be had: will freed ones come back after a refresh? */
bool mlx5dr_counter_some_wait(const struct mlx5dr_counter_pool *pool, const struct mlx5dr_queue *queue);

/* What a rule carries that does not take its counter itself (struct mlx5dr_slot): both words big endian, ready for
 * scratch (slot COUNTER: stc and value). */
struct mlx5dr_counter_place {
	uint32_t stc_be;
	uint32_t offset_be;
};
void mlx5dr_counter_place(const struct mlx5dr_counter_pool *pool, enum mlx5dr_table_type type, uint32_t counter,
			  struct mlx5dr_counter_place *place);

/*
 * A round reads all counters that are out from the device, batch by batch. One step of it: begin a round where none is
 * under way, post a batch, or take its answers if they have come. Never waits, any thread; 0 too where another thread holds
 * the engine's queue.
 * @return 1 the round has ended with this step; 0 not yet; -EIO the queue failed, the round is over.
 */
int mlx5dr_counter_step(struct mlx5dr_counter_pool *pool);

/* Rounds begun and ended so far. Values are as new as a moment t when a round begun after t has ended. */
void mlx5dr_counter_rounds(struct mlx5dr_counter_pool *pool, uint32_t *begun, uint32_t *ended);

/* A whole round, waited for. -EIO the queue failed; -ETIMEDOUT no answer for seconds. */
int mlx5dr_counter_refresh(struct mlx5dr_counter_pool *pool);

/* Since the counter was got, or since the last query with reset; as of the last refresh. */
int mlx5dr_counter_query(struct mlx5dr_counter_pool *pool, uint32_t counter, bool reset, uint64_t *packets,
			 uint64_t *bytes);

uint32_t mlx5dr_counter_pool_size(const struct mlx5dr_counter_pool *pool);

#endif
