/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/counter.h"

#include <endian.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hca/cmd_counter.h"
#include "hca/device.h"
#include "hca/mr.h"
#include "hws/action.h"
#include "hws/context.h"
#include "hws/counter_pool.h"
#include "prm/table.h"
#include "util/bits.h"

#define PER_READ PRM_COUNTERS_PER_ASO
#define READ_BYTES (PER_READ * PRM_TRAFFIC_COUNTER_BYTES)
#define MAX_READS 1024    /* of one batch: staging memory and ring are sized for so many */
#define ASO_BYTEWISE_64 1 /* data mask mode */
#define WAIT_SECONDS 5    /* for one batch */

/* Bulks from the largest power of two down, until `nb` counters are there. */
static int
alloc_bulks(struct mlx5dr_counter_pool *pool, uint32_t nb)
{
	const struct hca_caps *caps = &pool->ctx->dev->caps;
	unsigned int max = caps->flow_counter_bulk_log_max_alloc, min = caps->flow_counter_bulk_log_granularity;
	uint32_t first = 0;

	if (max == 0)
		max = caps->log_max_flow_counter_bulk;
	if (min < ilog2_ceil(PER_READ))
		min = ilog2_ceil(PER_READ);
	while (first < nb) {
		unsigned int n = pool->nb_bulks;
		struct counter_bulk *bulk = &pool->bulks[n];
		unsigned int log = ilog2_floor(nb - first);
		int ret;

		if (n == COUNTER_MAX_BULKS)
			return -E2BIG;
		log = log > max ? max : log < min ? min : log;
		ret = hca_cmd_alloc_flow_counter(pool->ctx->dev, pool->ctx->dev->pdn, log, &pool->obj[n]);
		if (ret < 0)
			return ret;
		bulk->first = first;
		bulk->nb = 1u << log;
		first += bulk->nb;
		pool->nb_bulks++;
		for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++) {
			ret = mlx5dr_action_create(pool->ctx, type, MLX5DR_ACTION_COUNTER, pool->obj[n]->id,
						   &pool->action[n][type]);
			if (ret < 0)
				return ret;
			bulk->stc_be[type] = mlx5dr_action_stc(pool->action[n][type]);
		}
	}
	return 0;
}

static void
free_pool(struct mlx5dr_counter_pool *pool)
{
	for (unsigned int i = 0; i < pool->nb_bulks; i++) {
		for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++)
			mlx5dr_action_destroy(pool->action[i][type]);
		hca_obj_destroy(pool->obj[i]);
	}
	hca_mr_unregister(&pool->mr);
	free(pool->staging);
	free(pool->values);
	free(pool->bases);
	free(pool->links);
	pool_fini(&pool->pool);
	free(pool);
}

static int
alloc_memory(struct mlx5dr_counter_pool *pool)
{
	uint32_t nb_caches = pool->ctx->nb_queues + 1u, size = pool->nb + pool_slack(pool->nb, nb_caches);
	uint32_t rounded = (size + PER_READ - 1) / PER_READ * PER_READ;
	int ret;

	pool->links = calloc(size, sizeof(*pool->links));
	pool->values = calloc(rounded, sizeof(*pool->values));
	pool->bases = calloc(rounded, sizeof(*pool->bases));
	pool->staging = aligned_alloc(4096, MAX_READS * READ_BYTES);
	if (pool->links == NULL || pool->values == NULL || pool->bases == NULL || pool->staging == NULL)
		return -ENOMEM;
	memset(pool->staging, 0, MAX_READS * READ_BYTES);
	ret = pool_init(&pool->pool, pool->nb, nb_caches, (uint8_t *)pool->links, sizeof(*pool->links));
	if (ret < 0)
		return ret;
	return hca_mr_register(pool->ctx->dev, pool->staging, MAX_READS * READ_BYTES, &pool->mr);
}

int
mlx5dr_counter_pool_create(struct mlx5dr_context *ctx, uint32_t nb, struct mlx5dr_counter_pool **created,
			   struct mlx5dr_error *error)
{
	struct mlx5dr_counter_pool *pool;
	int ret;

	if (nb == 0)
		return context_error(error, -1, -EINVAL, "a pool of no counters");
	if (!ctx->dev->caps.flow_counter_access_aso)
		return context_error(error, -1, -ENOTSUP, "the device's counters cannot be read by work requests");
	pool = aligned_alloc(64, (sizeof(*pool) + 63) / 64 * 64);
	if (pool == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	memset(pool, 0, sizeof(*pool));
	pool->ctx = ctx;
	pool->nb = nb;
	ret = alloc_memory(pool);
	if (ret < 0)
		context_error(error, -1, ret, "no memory for %u counters", nb);
	if (ret == 0) {
		ret = alloc_bulks(pool, pool->pool.size);
		if (ret < 0)
			context_command_error(error, ret, "counters");
	}
	if (ret < 0) {
		free_pool(pool);
		return ret;
	}
	pthread_mutex_lock(&ctx->lock);
	ctx->nb_objects++;
	pthread_mutex_unlock(&ctx->lock);
	*created = pool;
	return 0;
}

int
mlx5dr_counter_pool_destroy(struct mlx5dr_counter_pool *pool)
{
	struct mlx5dr_context *ctx;

	if (pool == NULL)
		return 0;
	ctx = pool->ctx;
	if (pool->refs != 0)
		return -EBUSY;
	for (unsigned int i = 0; i < pool->nb_bulks; i++)
		for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++)
			if (pool->action[i][type]->refs != 0)
				return -EBUSY;
	if (pool_nb_out(&pool->pool) != 0)
		return -EBUSY;
	/* The device may still write answers of a round that nobody waits for. */
	if (pool->reading.in_flight) {
		queue_wait(mlx5dr_own_queue_lock(ctx));
		mlx5dr_own_queue_unlock(ctx);
	}
	free_pool(pool);
	pthread_mutex_lock(&ctx->lock);
	ctx->nb_objects--;
	pthread_mutex_unlock(&ctx->lock);
	return 0;
}

uint32_t
mlx5dr_counter_pool_size(const struct mlx5dr_counter_pool *pool)
{
	return pool->nb;
}

int
mlx5dr_counter_get(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue, uint32_t *counter)
{
	uint32_t index = counter_take(pool, queue->index);

	if (index == POOL_NONE)
		return mlx5dr_counter_some_wait(pool, queue) ? -EAGAIN : -ENOENT;
	*counter = index;
	return 0;
}

bool
mlx5dr_counter_some_wait(const struct mlx5dr_counter_pool *pool, const struct mlx5dr_queue *queue)
{
	return queue->index < pool->pool.nb_caches && pool_some_wait(&pool->pool, queue->index);
}

void
mlx5dr_counter_put(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue, uint32_t counter)
{
	pool_put_waiting(&pool->pool, queue->index, counter,
			 atomic_load_explicit(&pool->round, memory_order_relaxed));
}

void
mlx5dr_counter_place(const struct mlx5dr_counter_pool *pool, enum mlx5dr_table_type type, uint32_t counter,
		     struct mlx5dr_counter_place *place)
{
	const struct counter_bulk *bulk = counter_bulk_of(pool, counter);

	place->stc_be = bulk->stc_be[type];
	place->offset_be = htobe32(counter - bulk->first);
}

/* Read four counters from `counter` on into staging slot `slot`. */
static int
post_read(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue, uint32_t counter, uint32_t slot)
{
	const struct counter_bulk *bulk = counter_bulk_of(pool, counter);
	uint32_t id = pool->obj[bulk - pool->bulks]->id + (counter - bulk->first);
	uint64_t address = (uintptr_t)pool->staging + (uint64_t)slot * READ_BYTES;
	uint8_t *wqe = queue_raw(queue, PRM_WQE_OP_ACCESS_ASO, pool->ctx->dev->caps.flow_access_aso_opc_mod,
				 id / PER_READ), *aso;

	if (wqe == NULL)
		return -EAGAIN;
	aso = wqe + PRM_WQE_CTRL_BYTES;
	prm_set(aso, PRM_WQE_ASO_VA_H, (uint32_t)(address >> 32));
	prm_set(aso, PRM_WQE_ASO_VA_L, (uint32_t)address >> 1);
	prm_set(aso, PRM_WQE_ASO_READ_ENABLE, 1);
	prm_set(aso, PRM_WQE_ASO_LKEY, pool->mr.lkey);
	/* Both conditions are "always false", 0: nothing is written. */
	prm_set(aso, PRM_WQE_ASO_DATA_MASK_MODE, ASO_BYTEWISE_64);
	prm_set64(aso, PRM_WQE_ASO_DATA_MASK, UINT64_MAX);
	queue_raw_post(queue);
	return 0;
}

static void
take_answers(struct mlx5dr_counter_pool *pool, uint32_t first, uint32_t nb)
{
	uint32_t sequence = atomic_load_explicit(&pool->sequence, memory_order_relaxed);

	atomic_store_explicit(&pool->sequence, sequence + 1, memory_order_relaxed);
	for (uint32_t i = 0; i < nb; i++) {
		const uint8_t *answer = pool->staging + (size_t)i * PRM_TRAFFIC_COUNTER_BYTES;

		counter_store(&pool->values[first + i], prm_get64(answer, PRM_TRAFFIC_COUNTER_PACKETS),
			    prm_get64(answer, PRM_TRAFFIC_COUNTER_OCTETS));
	}
	atomic_store_explicit(&pool->sequence, sequence + 2, memory_order_release);
}

/* ---- rounds ---------------------------------------------------------------------------------------------------- */

static int
post_batch(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue)
{
	struct counter_round *r = &pool->reading;
	uint32_t slot = 0;

	while (r->first + slot * PER_READ < r->end && slot < MAX_READS &&
	       post_read(pool, queue, r->first + slot * PER_READ, slot) == 0)
		slot++;
	if (slot == 0) /* the ring is full of others' work: next time */
		return queue->failed ? -EIO : 0;
	queue_ring(queue);
	r->nb = r->end - r->first < slot * PER_READ ? r->end - r->first : slot * PER_READ;
	r->until = queue->pi;
	r->in_flight = true;
	return 0;
}

static void
begin_round(struct mlx5dr_counter_pool *pool)
{
	struct counter_round *r = &pool->reading;

	/* Counters given back from now on have a later stamp and wait for the next round. */
	r->number = atomic_fetch_add_explicit(&pool->round, 1, memory_order_relaxed) + 1;
	r->first = 0;
	r->end = atomic_load_explicit(&pool->pool.fresh, memory_order_relaxed);
	r->under_way = true;
	r->begun++;
}

static void
end_round(struct mlx5dr_counter_pool *pool)
{
	pool->reading.under_way = false;
	pool->reading.in_flight = false;
	pool->reading.ended++;
}

static int
step(struct mlx5dr_counter_pool *pool, struct mlx5dr_queue *queue)
{
	struct counter_round *r = &pool->reading;
	int ret = 0;

	if (!r->under_way)
		begin_round(pool);
	if (r->in_flight) {
		if (!queue_caught_up(queue, r->until))
			return 0;
		r->in_flight = false;
		if (!queue->failed)
			take_answers(pool, r->first, r->nb);
		r->first += r->nb;
	}
	if (queue->failed)
		ret = -EIO;
	else if (r->first < r->end)
		ret = post_batch(pool, queue);
	if (ret == 0 && r->first < r->end)
		return 0;
	if (ret == 0)
		pool_release(&pool->pool, r->number);
	end_round(pool);
	return ret < 0 ? ret : 1;
}

int
mlx5dr_counter_step(struct mlx5dr_counter_pool *pool)
{
	struct mlx5dr_context *ctx = pool->ctx;
	int ret;

	if (pthread_mutex_trylock(&ctx->own_lock) != 0)
		return 0;
	ret = step(pool, ctx->own);
	pthread_mutex_unlock(&ctx->own_lock);
	return ret;
}

void
mlx5dr_counter_rounds(struct mlx5dr_counter_pool *pool, uint32_t *begun, uint32_t *ended)
{
	mlx5dr_own_queue_lock(pool->ctx);
	*begun = pool->reading.begun;
	*ended = pool->reading.ended;
	mlx5dr_own_queue_unlock(pool->ctx);
}

int
mlx5dr_counter_refresh(struct mlx5dr_counter_pool *pool)
{
	uint32_t begun, ended, before, first = 0;
	struct timespec now;
	time_t deadline = 0;

	mlx5dr_counter_rounds(pool, &begun, &ended);
	before = begun;
	do {
		struct mlx5dr_queue *queue = mlx5dr_own_queue_lock(pool->ctx);
		int ret = step(pool, queue);
		uint32_t at = pool->reading.first + pool->reading.ended;

		mlx5dr_own_queue_unlock(pool->ctx);
		if (ret < 0)
			return ret;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (deadline == 0 || at != first)
			deadline = now.tv_sec + WAIT_SECONDS;
		first = at;
		if (now.tv_sec > deadline)
			return -ETIMEDOUT;
		if (ret == 0)
			sched_yield();
		mlx5dr_counter_rounds(pool, &begun, &ended);
	} while ((int32_t)(ended - before) <= 0);
	return 0;
}

int
mlx5dr_counter_query(struct mlx5dr_counter_pool *pool, uint32_t counter, bool reset, uint64_t *packets,
		     uint64_t *bytes)
{
	uint64_t value_packets, value_bytes, base_packets, base_bytes;
	uint32_t before, after;

	if (counter >= pool->pool.size)
		return -EINVAL;
	do {
		before = atomic_load_explicit(&pool->sequence, memory_order_acquire);
		counter_load(&pool->values[counter], &value_packets, &value_bytes);
		after = atomic_load_explicit(&pool->sequence, memory_order_relaxed);
	} while (before != after || (before & 1) != 0);
	counter_load(&pool->bases[counter], &base_packets, &base_bytes);
	*packets = value_packets - base_packets;
	*bytes = value_bytes - base_bytes;
	if (reset)
		counter_store(&pool->bases[counter], value_packets, value_bytes);
	return 0;
}
