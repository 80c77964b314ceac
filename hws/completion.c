/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What comes back on a steering queue: completions, second attempts in the collision table, failure of queue or device, and
 * how all of it becomes results, each exactly once.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hca/log.h"
#include "hws/backlog.h"
#include "hws/context.h"
#include "hws/matcher.h"
#include "hws/queue.h"
#include "prm/cqe.h"

#define EMPTY_LOOKS 65536  /* at the CQ, to one call into the kernel that asks whether it has failed */
#define WAIT_SECONDS 5
#define WAIT_YIELDS 100
#define WAIT_SLEEP_US 50

/* The entry posted at bb; NULL: that WQE was no operation's match STE. Entries ascend in bb. */
static struct queue_entry *
find_entry(struct mlx5dr_queue *queue, uint32_t bb)
{
	uint32_t low = queue->head, high = queue->tail;

	while (low != high) {
		uint32_t middle = low + (high - low) / 2;
		struct queue_entry *entry = &queue->entries[middle & queue->entry_mask];
		int32_t distance = (int32_t)((entry->bb & ~QUEUE_SPECIAL) - bb);

		if (distance == 0)
			return entry;
		if (distance < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Post the WQE of a failed insertion once more, to the collision table. The WQE is still in the SQ's ring: its place was
 * given free only by the completion that brought us here.
 */
static void
retry(struct mlx5dr_queue *queue, struct queue_entry *entry)
{
	uint8_t copy[PRM_WQE_GTA_BYTES], *wqe = queue_wqe(queue, queue->pi);

	memcpy(copy, hca_sq_wqebb(&queue->sq, (uint16_t)entry->bb), sizeof(copy));
	copy[QUEUE_FLAGS_BYTE] = 0;
	prm_set(copy, PRM_WQE_CTRL_IMM, entry->code);
	memcpy(wqe, copy, sizeof(copy));
	queue_wqe_head(queue, wqe, queue->pi, PRM_WQE_GTA_OPMOD_STE);
	queue_enter(queue, entry->rule, QUEUE_COLLISION, queue->pi | QUEUE_SPECIAL);
	entry->code = QUEUE_MOVED;
	entry->bb |= QUEUE_SPECIAL;
	queue->pi += QUEUE_WQE_BBS;
	queue->retried = true;
}

/* The operation of an entry has failed. What an update or a move had noted ahead of its success is taken back. */
static void
end_failed(struct queue_entry *entry, int error)
{
	struct mlx5dr_rule *rule = entry->rule;
	uint32_t bits = rule->bits;

	entry->bb |= QUEUE_SPECIAL;
	entry->code = error;
	if (MLX5DR_RULE_STATE(bits) != MLX5DR_RULE_CREATING || (bits & MLX5DR_RULE_CHANGED) == 0)
		return;
	if ((bits & MLX5DR_RULE_MOVED) != 0)
		bits = old_place(bits) & ~(MLX5DR_RULE_MOVED | MLX5DR_RULE_OLD_COLLISION);
	else
		bits ^= MLX5DR_RULE_SECOND;
	rule->bits = bits;
}

static void
operation_failed(struct mlx5dr_queue *queue, uint32_t bb)
{
	struct queue_entry *entry = find_entry(queue, bb);

	if (entry == NULL) {
		HCA_ERR("%s: steering queue %u: an argument or action write was refused", queue->ctx->dev->name,
			queue->index);
		return;
	}
	if ((entry->bb & QUEUE_SPECIAL) == 0 && entry->code != 0) {
		retry(queue, entry);
		return;
	}
	end_failed(entry, mlx5dr_rule_state(entry->rule) == MLX5DR_RULE_DELETING ? -ENOENT : -ENOSPC);
}

/* All that has not completed comes back with an error, and nothing new is taken. */
static void
queue_fail(struct mlx5dr_queue *queue)
{
	for (uint32_t i = queue->head; i != queue->tail; i++) {
		struct queue_entry *entry = &queue->entries[i & queue->entry_mask];

		if ((int32_t)(entry->bb - queue->done) < 0)
			continue;
		/* Not what was attempted again: its operation stands further on. */
		if ((entry->bb & QUEUE_SPECIAL) == 0 || entry->code != QUEUE_MOVED)
			end_failed(entry, -EIO);
	}
	for (uint32_t i = 0; i < queue->nb_dependent; i++) {
		queue_enter(queue, queue->dependent[i].rule, 0, queue->pi);
		end_failed(&queue->entries[(queue->tail - 1) & queue->entry_mask], -EIO);
	}
	queue->nb_dependent = 0;
	queue->pi += QUEUE_WQE_BBS;
	queue->done = queue->pi;
	queue->rung = queue->pi;
	backlog_end(queue);
	queue->limit = 0;
	queue->failed = true;
	HCA_ERR("%s: steering queue %u failed; its operations return with an error", queue->ctx->dev->name,
		queue->index);
}

static bool
device_gone(const struct mlx5dr_queue *queue)
{
	return atomic_load_explicit(&queue->ctx->failed, memory_order_relaxed) ||
	       atomic_load_explicit(&queue->ctx->dev->dead, memory_order_relaxed);
}

void
queue_hear_errors(struct mlx5dr_context *ctx)
{
	uint64_t cookie;

	while (hca_cq_events_next(&ctx->errors, &cookie) == 0)
		atomic_store_explicit(&((struct mlx5dr_queue *)(uintptr_t)cookie)->cq_failed, true, memory_order_relaxed);
}

/* A CQ that overran gives no completion any more, and the device tells so by an event alone. */
static __attribute__((noinline)) bool
cq_failed(struct mlx5dr_queue *queue)
{
	queue->nb_empty = 0;
	queue_hear_errors(queue->ctx);
	if (!atomic_load_explicit(&queue->cq_failed, memory_order_relaxed))
		return false;
	HCA_ERR("%s: steering queue %u: its completion queue 0x%x has failed (overrun)", queue->ctx->dev->name, queue->index,
		queue->cq.cqn);
	return true;
}

/* Take one CQE. false: there is none. */
static bool
reap(struct mlx5dr_queue *queue)
{
	const uint8_t *cqe;
	uint16_t wqe;

	if (queue->failed)
		return false;
	cqe = hca_cq_peek(&queue->cq);
	if (cqe == NULL) {
		if (!device_gone(queue) && (++queue->nb_empty < EMPTY_LOOKS || !cq_failed(queue)))
			return false;
		queue_fail(queue);
		return true;
	}
	queue->cq.ci++;
	wqe = hca_cqe_wqe_counter(cqe);
	if (__builtin_expect(hca_cqe_opcode(cqe) != HCA_CQE_REQ, 0)) {
		/* Those before the failing one were good. */
		queue->done += (uint16_t)(wqe - queue->done);
		HCA_ERR("%s: steering queue %u: error completion, syndrome 0x%x", queue->ctx->dev->name, queue->index,
			cqe[HCA_CQE_SYNDROME]);
		queue_fail(queue);
		return true;
	}
	queue->done += (uint16_t)(wqe + QUEUE_WQE_BBS - queue->done);
	queue_limit(queue);
	if (__builtin_expect(prm_get(cqe, PRM_CQE_GTA_FAILED), 0))
		operation_failed(queue, queue->done - QUEUE_WQE_BBS);
	if (__builtin_expect(queue->behind, 0))
		backlog_drain(queue);
	return true;
}

static void
reaped(struct mlx5dr_queue *queue, uint32_t ci)
{
	if (ci != queue->cq.ci)
		hca_cq_ack(&queue->cq);
	if (queue->retried)
		queue_ring(queue);
}

int
queue_make_room(struct mlx5dr_queue *queue, uint32_t bbs)
{
	uint32_t ci = queue->cq.ci;

	if (queue->failed)
		return -EIO;
	if (queue->pending >= queue->limit)
		return -EAGAIN;
	queue_ring(queue);
	while (!queue_has_room(queue, bbs) && reap(queue))
		;
	reaped(queue, ci);
	if (queue->failed)
		return -EIO;
	if (!queue_has_room(queue, bbs) && !queue->behind)
		backlog_begin(queue);
	return queue_has_room(queue, bbs) ? 0 : -EAGAIN;
}

bool
queue_caught_up(struct mlx5dr_queue *queue, uint32_t until)
{
	uint32_t ci = queue->cq.ci;

	while ((int32_t)(queue->done - until) < 0 && reap(queue))
		;
	reaped(queue, ci);
	return queue->failed || (int32_t)(queue->done - until) >= 0;
}

int
queue_wait(struct mlx5dr_queue *queue)
{
	uint32_t ci = queue->cq.ci, until, nb_idle = 0;
	struct timespec now, end;

	queue_ring(queue);
	until = queue->pi;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += WAIT_SECONDS;
	while (!queue->failed && (int32_t)(queue->done - until) < 0) {
		if (reap(queue))
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec))
			break;
		/* Answers take microseconds; who waits longer leaves the processor to others. */
		if (++nb_idle < WAIT_YIELDS) {
			sched_yield();
		} else {
			usleep(WAIT_SLEEP_US);
			queue->nb_empty = EMPTY_LOOKS;
		}
	}
	reaped(queue, ci);
	if (queue->failed)
		return -EIO;
	return (int32_t)(queue->done - until) < 0 ? -ETIMEDOUT : 0;
}

static uint32_t
give_soft(struct mlx5dr_queue *queue, struct mlx5dr_result *results, uint32_t n)
{
	uint32_t got = 0;

	while (got < n && queue->soft_head != queue->soft_tail)
		results[got++] = queue->soft[queue->soft_head++ & queue->soft_mask];
	return got;
}

/* An entry that did not simply succeed. 0: it is no operation (any more). */
static __attribute__((noinline)) uint32_t
give_special(const struct queue_entry *entry, struct mlx5dr_result *result)
{
	struct mlx5dr_rule *rule = entry->rule;

	if (entry->code == QUEUE_MOVED)
		return 0;
	result->op = rule;
	result->kind = 0;
	rule->bits++; /* CREATING -> CREATED, DELETING -> DELETED */
	if (entry->code == QUEUE_COLLISION) {
		result->status = 0;
		rule->bits |= MLX5DR_RULE_COLLISION;
		return 1;
	}
	result->status = (int32_t)entry->code;
	if ((rule->bits & (7 | MLX5DR_RULE_CHANGED)) == MLX5DR_RULE_CREATED)
		rule->bits += MLX5DR_RULE_FAILED - MLX5DR_RULE_CREATED;
	return 1;
}

/* Entries that lie side by side, up to one that has not completed. Moves *result. @return how many. */
static inline __attribute__((always_inline)) uint32_t
give_row(const struct queue_entry *first, uint32_t nb, uint32_t done, struct mlx5dr_result **next)
{
	const struct queue_entry *entry = first, *end = first + nb;
	struct mlx5dr_result *result = *next;

	for (; entry != end; entry++) {
		struct mlx5dr_rule *rule = entry->rule;

		if ((int32_t)(entry->bb - done) >= 0)
			break;
		if (__builtin_expect(entry->bb & QUEUE_SPECIAL, 0)) {
			result += give_special(entry, result);
			continue;
		}
		rule->bits++; /* CREATING -> CREATED, DELETING -> DELETED */
		result->status = 0;
		result->kind = 0;
		result->op = rule;
		result++;
	}
	*next = result;
	return (uint32_t)(entry - first);
}

/* Results of entries that have completed, at most n. */
static uint32_t
give_completed(struct mlx5dr_queue *queue, struct mlx5dr_result *results, uint32_t n)
{
	struct mlx5dr_result *result = results;

	for (;;) {
		uint32_t at = queue->head & queue->entry_mask, nb = queue->tail - queue->head, given;
		uint32_t wanted = n - (uint32_t)(result - results);

		if (nb > queue->entry_mask + 1 - at)
			nb = queue->entry_mask + 1 - at;
		if (nb > wanted)
			nb = wanted;
		given = give_row(&queue->entries[at], nb, queue->done, &result);
		queue->head += given;
		/* Otherwise the row ended with the ring, or some of it were no results. */
		if (given < nb || nb == 0)
			return (uint32_t)(result - results);
	}
}

uint32_t
mlx5dr_queue_poll(struct mlx5dr_queue *queue, struct mlx5dr_result *results, uint32_t n)
{
	uint32_t got = 0, ci = queue->cq.ci;

	if (__builtin_expect(queue->soft_head != queue->soft_tail, 0))
		got = give_soft(queue, results, n);
	for (;;) {
		got += give_completed(queue, results + got, n - got);
		if (got == n || (queue->head == queue->tail && queue->nb_dependent == 0) || !reap(queue))
			break;
	}
	queue->pending -= got;
	reaped(queue, ci);
	return got;
}
