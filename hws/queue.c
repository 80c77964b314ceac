/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hws/backlog.h"
#include "hws/context.h"
#include "hws/program.h"

#define WQES_PER_OP 32  /* room in the backlog per operation: two lists of 64 commands and two headers take 27 */
#define MIN_WQEBBS 64
#define MAX_LOG_WQEBBS 15

static uint32_t
pow2(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static uint32_t
max_wqebbs(const struct hca_device *dev)
{
	uint8_t log = dev->caps.log_max_wq_sz;

	return 1u << (log < MAX_LOG_WQEBBS ? log : MAX_LOG_WQEBBS);
}

uint32_t
mlx5dr_max_queue_size(const struct hca_device *dev)
{
	/* Room for two WQEs per operation and as many completions. */
	uint32_t by_sq = max_wqebbs(dev) / (2 * QUEUE_WQE_BBS);
	uint32_t by_cq = 1u << (dev->caps.log_max_cq_sz > 20 ? 20 : dev->caps.log_max_cq_sz) >> 1;

	return by_sq < by_cq ? by_sq : by_cq;
}

static int
open_rings(struct mlx5dr_context *ctx, struct mlx5dr_queue *queue)
{
	uint32_t wqebbs = pow2(queue->size) * QUEUE_WQE_BBS, max = max_wqebbs(ctx->dev);
	struct hca_cq_attr cq_attr = { .uar = &queue->uar };
	struct hca_sq_attr sq_attr = { .cq = &queue->cq, .uar = &queue->uar, .non_wire = true };
	int ret;

	sq_attr.nb_wqebbs = wqebbs < MIN_WQEBBS ? MIN_WQEBBS : wqebbs > max ? max : wqebbs;
	/* For every WQE of the ring, whatever of them is signalled, and as many that have come and were not given back. */
	cq_attr.nb_cqes = sq_attr.nb_wqebbs / QUEUE_WQE_BBS * 2;
	ret = hca_uar_alloc(ctx->dev, &queue->uar);
	if (ret < 0)
		return ret;
	ret = hca_cq_create(ctx->dev, &cq_attr, &queue->cq);
	if (ret < 0)
		goto free_uar;
	ret = hca_cq_events_watch_error(&ctx->errors, &queue->cq, (uintptr_t)queue);
	if (ret < 0)
		goto destroy_cq;
	ret = hca_sq_create(ctx->dev, &sq_attr, &queue->sq);
	if (ret < 0)
		goto destroy_cq;
	ret = backlog_open(queue, wqebbs * WQES_PER_OP);
	if (ret < 0)
		goto destroy_sq;
	backlog_end(queue);
	queue->ctrl_head = (uint64_t)PRM_WQE_OP_FLOW_TBL_ACCESS << 32 | (uint64_t)queue->sq.sqn << 8 | PRM_WQE_GTA_DS;
	return 0;
destroy_sq:
	hca_sq_destroy(&queue->sq);
destroy_cq:
	hca_cq_destroy(&queue->cq);
	queue_hear_errors(ctx);
free_uar:
	hca_uar_free(ctx->dev, &queue->uar);
	return ret;
}

static void
close_rings(struct mlx5dr_queue *queue)
{
	backlog_close(queue);
	hca_sq_destroy(&queue->sq);
	hca_cq_destroy(&queue->cq);
	queue_hear_errors(queue->ctx); /* nothing names the queue after this */
	hca_uar_free(queue->ctx->dev, &queue->uar);
}

static void
free_memory(struct mlx5dr_queue *queue)
{
	free(queue->entries);
	free(queue->soft);
	free(queue->dependent);
	free(queue->dependent_wqes);
	free((void *)(uintptr_t)queue->base[MLX5DR_SCRATCH]);
	free(queue);
}

/* Every operation can appear twice among entries: where it failed and where it is attempted again. */
static int
alloc_memory(struct mlx5dr_queue *queue, uint32_t scratch_bytes)
{
	uint32_t size = pow2(queue->size);
	size_t scratch_size = PROGRAM_SCRATCH_HEAD + ((size_t)scratch_bytes + 127) / 64 * 64;
	uint8_t *head = aligned_alloc(64, scratch_size), *scratch = head + PROGRAM_SCRATCH_HEAD;

	/* A pointer to the scratch, padding, the scratch. */
	queue->base[MLX5DR_SCRATCH] = head;
	queue->entries = aligned_alloc(64, 2 * (size < 4 ? 4 : size) * sizeof(*queue->entries));
	queue->entry_mask = 2 * (size < 4 ? 4 : size) - 1;
	queue->soft = calloc(size, sizeof(*queue->soft));
	queue->soft_mask = size - 1;
	queue->dependent = calloc(size, sizeof(*queue->dependent));
	queue->dependent_wqes = aligned_alloc(64, (size_t)size * PRM_WQE_GTA_BYTES);
	if (head == NULL || queue->entries == NULL || queue->soft == NULL || queue->dependent == NULL ||
	    queue->dependent_wqes == NULL)
		return -ENOMEM;
	memset(head, 0, scratch_size);
	memcpy(head, &scratch, sizeof(scratch));
	return 0;
}

int
queue_open(struct mlx5dr_context *ctx, uint16_t index, uint32_t size, uint32_t scratch_bytes,
	   struct mlx5dr_queue **opened)
{
	struct mlx5dr_queue *queue = aligned_alloc(64, sizeof(*queue));
	int ret;

	if (queue == NULL)
		return -ENOMEM;
	memset(queue, 0, sizeof(*queue));
	queue->ctx = ctx;
	queue->index = index;
	queue->size = size;
	queue->limit = size;
	ret = alloc_memory(queue, scratch_bytes);
	if (ret == 0)
		ret = open_rings(ctx, queue);
	if (ret < 0) {
		free_memory(queue);
		return ret;
	}
	*opened = queue;
	return 0;
}

void
queue_close(struct mlx5dr_queue *queue)
{
	close_rings(queue);
	free_memory(queue);
}

/* ---- posting --------------------------------------------------------------------------------------------------- */

static void
flush_dependent(struct mlx5dr_queue *queue)
{
	for (uint32_t i = 0; i < queue->nb_dependent; i++) {
		uint8_t *wqe = queue_wqe(queue, queue->pi);

		memcpy(wqe, queue->dependent_wqes + (size_t)i * PRM_WQE_GTA_BYTES, PRM_WQE_GTA_BYTES);
		queue_wqe_head(queue, wqe, queue->pi, PRM_WQE_GTA_OPMOD_STE);
		/* One fence covers all that was posted before, so the first WQE of the row carries it. */
		if (i == 0)
			wqe[QUEUE_FLAGS_BYTE] |= PRM_WQE_FM_CE_SE_SMALL_FENCE;
		queue_enter(queue, queue->dependent[i].rule, queue->dependent[i].retry_rtc, queue->pi);
		queue->pi += QUEUE_WQE_BBS;
	}
	queue->nb_dependent = 0;
	queue_limit(queue);
}

int
queue_ring(struct mlx5dr_queue *queue)
{
	uint8_t *last;

	if (queue->nb_dependent != 0)
		flush_dependent(queue);
	queue->retried = false;
	if (queue->pi == queue->rung)
		return 0;
	last = queue_wqe(queue, queue->pi - QUEUE_WQE_BBS);
	last[QUEUE_FLAGS_BYTE] |= PRM_WQE_FM_CE_SE_SIGNAL;
	queue->rung = queue->pi;
	if (queue->behind) {
		backlog_drain(queue);
		return 0;
	}
	queue->sq.pi = (uint16_t)queue->pi;
	hca_sq_doorbell(&queue->sq, last);
	return 0;
}

int
mlx5dr_queue_push(struct mlx5dr_queue *queue)
{
	if (queue->failed)
		return -EIO;
	return queue_ring(queue);
}

uint8_t *
queue_raw(struct mlx5dr_queue *queue, uint8_t opcode, uint8_t opmod, uint32_t imm)
{
	uint8_t *wqe = queue_wqe(queue, queue->pi);

	if (queue->failed || !queue_has_room(queue, QUEUE_WQE_BBS))
		return NULL;
	memset(wqe, 0, PRM_WQE_GTA_BYTES);
	queue_wqe_head(queue, wqe, queue->pi, opmod);
	prm_set(wqe, PRM_WQE_CTRL_OPCODE, opcode);
	prm_set(wqe, PRM_WQE_CTRL_IMM, imm);
	return wqe;
}

void
queue_raw_post(struct mlx5dr_queue *queue)
{
	queue->pi += QUEUE_WQE_BBS;
}

int
mlx5dr_queue_complete(struct mlx5dr_queue *queue, void *op, uint32_t kind, int status)
{
	struct mlx5dr_result *result;

	/* Also on a failed queue, as long as its results find room. */
	if (queue->pending >= queue->size)
		return -EAGAIN;
	result = &queue->soft[queue->soft_tail++ & queue->soft_mask];
	result->op = op;
	result->kind = kind;
	result->status = status;
	queue->pending++;
	return 0;
}

uint32_t
mlx5dr_queue_pending(const struct mlx5dr_queue *queue)
{
	return queue->pending;
}

uint32_t
mlx5dr_queue_size(const struct mlx5dr_queue *queue)
{
	return queue->size;
}

uint16_t
mlx5dr_queue_index(const struct mlx5dr_queue *queue)
{
	return queue->index - 1;
}

void *
mlx5dr_queue_scratch(struct mlx5dr_queue *queue)
{
	return (void *)(uintptr_t)(queue->base[MLX5DR_SCRATCH] + PROGRAM_SCRATCH_HEAD);
}
