/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A steering queue: the SQ that carries GTA and ASO WQEs, its CQ, and the ring of operations in flight.
 *
 * All WQEs here are two WQEBBs and the ring has an even number of them, so a WQE never wraps. Positions (pi, done, bb) are
 * counted in WQEBBs by free-running 32-bit numbers; the device sees the low 16 bits. What the ring has no room for goes to
 * the backlog (backlog.h).
 *
 * An operation is entered when its match STE is posted, so entries ascend in bb, and a completion of position w completes
 * all entries before it: whether an entry is done is one comparison with `done`. Operations whose match STE must come
 * after ARG or action STE writes wait, as finished WQEs, in `dependent` until the next push; they are then posted in
 * one row, a fence on the first.
 */
#ifndef MLX5DR_QUEUE_H
#define MLX5DR_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "hca/cq.h"
#include "hca/device.h"
#include "hca/sq.h"
#include "hws/rule.h"
#include "prm/wqe.h"

#define QUEUE_WQE_BBS (PRM_WQE_GTA_BYTES / PRM_WQEBB_BYTES)
#define QUEUE_FLAGS_BYTE 11   /* of a WQE: the control segment's FM_CE_SE */

/* An operation in flight. Low bit of bb: `code` says something special, otherwise it is the RTC for a second attempt. */
struct queue_entry {
	struct mlx5dr_rule *rule;
	uint32_t code;
	uint32_t bb;
};

#define QUEUE_SPECIAL 1u
#define QUEUE_MOVED 1u      /* code: attempted again further on; not an operation any more */
#define QUEUE_COLLISION 2u  /* code: second attempt, lands in the collision table; other codes are -errno */

struct queue_dependent {
	struct mlx5dr_rule *rule;
	uint32_t retry_rtc;
};

struct mlx5dr_queue {
	/* Read and written by every rule. base: by enum mlx5dr_base; the last is fixed. */
	const uint8_t *base[3];
	uint8_t *ring;         /* where WQEs are built: the SQ's, or the backlog */
	uint64_t ctrl_head;    /* first 8 bytes of a STE WQE's control segment at position 0, host order */
	struct queue_entry *entries;
	uint32_t ring_mask;    /* WQEBBs - 1 */
	uint32_t entry_mask;
	uint32_t pi;           /* next WQE */
	uint32_t stop;         /* the last position where a WQE fits, those of `dependent` counted: queue_limit */
	uint32_t pending;      /* operations accepted and not given out */
	uint32_t limit;        /* of pending; 0 once the queue failed */
	uint32_t head, tail;   /* of entries */
	/* Less often. */
	uint32_t done;         /* everything before has completed */
	uint32_t room;         /* WQEBBs that may be outstanding in ring */
	uint32_t nb_dependent;
	uint32_t rung;         /* pi at the last doorbell */
	uint16_t index;        /* 0: the engine's own; the caller's are from 1 on */
	bool failed;
	bool retried;          /* a second attempt was posted and not rung */
	bool behind;           /* ring is the backlog */
	uint32_t posted;       /* while behind: everything before is in the SQ's ring */
	uint32_t backlog_mask;
	uint8_t *backlog;
	uint8_t *dependent_wqes;
	struct queue_dependent *dependent;
	struct mlx5dr_result *soft;  /* finished without the device */
	uint32_t soft_head, soft_tail, soft_mask;
	uint32_t size;
	struct hca_sq sq;
	struct hca_cq cq;
	uint32_t nb_empty;           /* looks at cq that found nothing, since the context's errors were looked at */
	atomic_bool cq_failed;       /* set by whichever thread reads the event */
	struct hca_uar uar;
	struct mlx5dr_context *ctx;
} __attribute__((aligned(64)));

int queue_open(struct mlx5dr_context *ctx, uint16_t index, uint32_t size, uint32_t scratch_bytes,
	       struct mlx5dr_queue **queue);
void queue_close(struct mlx5dr_queue *queue);
/* Reads what the context's channel has, and tells the queues whose CQs have failed. Any thread. */
void queue_hear_errors(struct mlx5dr_context *ctx);

static inline uint8_t *
queue_wqe(const struct mlx5dr_queue *queue, uint32_t bb)
{
	return queue->ring + (size_t)(bb & queue->ring_mask) * PRM_WQEBB_BYTES;
}

/* After each change of done or nb_dependent. */
static inline void
queue_limit(struct mlx5dr_queue *queue)
{
	queue->stop = queue->done + queue->room - (queue->nb_dependent + 1) * QUEUE_WQE_BBS;
}

static inline bool
queue_has_room(const struct mlx5dr_queue *queue, uint32_t bbs)
{
	return (int32_t)(queue->stop - queue->pi) >= (int32_t)(bbs - QUEUE_WQE_BBS);
}

/* Start of a WQE at bb: opcode, index, SQ number, DS. opmod 0: STE, 1: ARG. */
static inline void
queue_wqe_head(const struct mlx5dr_queue *queue, uint8_t *wqe, uint32_t bb, uint32_t opmod)
{
	uint64_t head = htobe64(queue->ctrl_head | (uint64_t)opmod << 56 | (uint64_t)(uint16_t)bb << 40);

	memcpy(wqe, &head, sizeof(head));
}

static inline void
queue_enter(struct mlx5dr_queue *queue, struct mlx5dr_rule *rule, uint32_t code, uint32_t bb)
{
	struct queue_entry *entry = &queue->entries[queue->tail++ & queue->entry_mask];

	entry->rule = rule;
	entry->code = code;
	entry->bb = bb;
}

/* Where the next operation that waits for the writes before it puts its WQE; it counts once it is kept. */
static inline uint8_t *
queue_dependent_wqe(const struct mlx5dr_queue *queue)
{
	return queue->dependent_wqes + (size_t)queue->nb_dependent * PRM_WQE_GTA_BYTES;
}

/* pi: behind the writes that it waits for. */
static inline void
queue_keep_dependent(struct mlx5dr_queue *queue, struct mlx5dr_rule *rule, uint32_t retry_rtc, uint32_t pi)
{
	struct queue_dependent *dependent = &queue->dependent[queue->nb_dependent++];

	dependent->rule = rule;
	dependent->retry_rtc = retry_rtc;
	queue->pi = pi;
	queue_limit(queue);
}

/* Why no operation is taken now: -EIO, -EAGAIN. Rings and reaps to make room for bbs; 0 when that helped. */
int queue_make_room(struct mlx5dr_queue *queue, uint32_t bbs);

/* Post dependent WQEs, signal the last WQE, ring. Returns 0, for callers whose last step it is. */
int queue_ring(struct mlx5dr_queue *queue);

/*
 * For the engine's own work, without an operation: a zeroed WQE with its control segment filled at the next position,
 * NULL when the ring is full; posted by queue_raw_post.
 */
uint8_t *queue_raw(struct mlx5dr_queue *queue, uint8_t opcode, uint8_t opmod, uint32_t imm);
void queue_raw_post(struct mlx5dr_queue *queue);

/* Takes what has come, without waiting. True: everything before `until` has completed, or the queue has failed. */
bool queue_caught_up(struct mlx5dr_queue *queue, uint32_t until);

/* Ring, and wait until all that was posted has completed. -EIO; -ETIMEDOUT the device did not answer within seconds. */
int queue_wait(struct mlx5dr_queue *queue);

#endif
