/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Rules and queues: what runs millions of times a second.
 *
 * A rule is one cache line. While it is in the device the line is also the operation: no job object exists. The second
 * half mirrors the tag half of the STE, so that the tag program writes WQE and record with one offset, and deletion
 * copies the tag back.
 *
 * Life of a record, and who moves it:
 *	FREE      mlx5dr_rule_get takes it (the caller's from then on), mlx5dr_rule_create ->
 *	CREATING  until its result is polled: CREATED, or FAILED (nothing in the device)
 *	CREATED   mlx5dr_rule_action_update, mlx5dr_rule_move -> CREATING, and in any case back to CREATED
 *	CREATED   mlx5dr_rule_destroy ->
 *	DELETING  until its result is polled: DELETED
 *	FREE, FAILED, DELETED   mlx5dr_rule_put -> FREE
 *
 * A matcher by index has no free list: mlx5dr_rule_take makes the record of an index TAKEN, mlx5dr_rule_release gives it back.
 *
 * Threads: a queue belongs to one thread at a time; nothing here takes a lock, allocates or blocks. Different queues may
 * work on one matcher, and a rule may be destroyed through another queue than the one that made it (once its creation
 * was polled).
 */
#ifndef MLX5DR_RULE_H
#define MLX5DR_RULE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "hws/mlx5dr.h"

enum mlx5dr_rule_state {
	MLX5DR_RULE_FREE,
	MLX5DR_RULE_CREATING,
	MLX5DR_RULE_CREATED,
	MLX5DR_RULE_DELETING,
	MLX5DR_RULE_DELETED,
	MLX5DR_RULE_FAILED,
	MLX5DR_RULE_TAKEN,
};

#define MLX5DR_RULE_STATE(bits) ((bits) & 7)
#define MLX5DR_RULE_COLLISION (1 << 3) /* sits in the collision table */
#define MLX5DR_RULE_PART_SHIFT 4       /* which hash table of the matcher, 5 bits */
#define MLX5DR_RULE_WHERE_SHIFT 3      /* both together: which table of the device */
#define MLX5DR_RULE_JUMBO (1 << 9)     /* the tag has 44 bytes */
#define MLX5DR_RULE_SECOND (1 << 10)   /* its second set of arguments and action entries is in force */
#define MLX5DR_RULE_CHANGED (1 << 11)  /* the last creation was an update or a move: failed, the rule is as it was */
#define MLX5DR_RULE_MOVED (1 << 12)    /* by a resize; until that is completed it sits in the old table too, */
#define MLX5DR_RULE_OLD_COLLISION (1 << 13) /* namely in its collision table */
#define MLX5DR_RULE_INDEXED (1 << 14)  /* its row is its record's index */

struct mlx5dr_rule {
	/*
	 * The caller's. hws neither reads nor clears them, but for counter: it links the free list in free records, and is
	 * set by mlx5dr_rule_create where the template's rules take counters (struct mlx5dr_slot). Giving that back is the
	 * caller's, also after a refusal.
	 */
	void *user_data;
	uint32_t counter;
	uint32_t fate;
	uint16_t table;
	/* The engine's. */
	uint16_t bits;         /* state and where it is */
	uint8_t caller[12];    /* the caller's, but only where the tag is short (mlx5dr_pair_is_jumbo) */
	uint8_t tag[32];       /* with caller[] before it: the 44 bytes of a jumbo tag */
} __attribute__((aligned(64)));

static_assert(sizeof(struct mlx5dr_rule) == 64, "a rule is one cache line");
static_assert(offsetof(struct mlx5dr_rule, tag) == 32, "the tag lies as in the STE");

static inline enum mlx5dr_rule_state
mlx5dr_rule_state(const struct mlx5dr_rule *rule)
{
	return (enum mlx5dr_rule_state)MLX5DR_RULE_STATE(rule->bits);
}

/* ---- records ------------------------------------------------------------------------------------------------- */

/* A record of the matcher, state FREE, other contents undefined. NULL: the table is full, or too old for the queue. */
struct mlx5dr_rule *mlx5dr_rule_get(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue);
/* Give it back, on any queue. State FREE, FAILED or DELETED. */
void mlx5dr_rule_put(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule);

/*
 * Several at once: the caller sets each to FREE and links them by `counter`, the index of the next (its distance from the
 * matcher's first record). first is the index where the chain begins; last's counter is filled here.
 */
struct mlx5dr_rule *mlx5dr_rule_first(const struct mlx5dr_matcher *matcher);
void mlx5dr_rule_put_chain(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, uint32_t first,
			   struct mlx5dr_rule *last, uint32_t nb);

/*
 * By index: the record of that index, state TAKEN, for mlx5dr_rule_create with pairs of this matcher. Several queues may try.
 * @return 0; -ERANGE no such row; -EEXIST it has a rule; -EINVAL the matcher is not by index, or too old for the queue.
 */
int mlx5dr_rule_take(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, uint32_t index,
		     struct mlx5dr_rule **rule);
/* Give it back, on any queue; instead of mlx5dr_rule_put. State TAKEN, FAILED or DELETED. */
void mlx5dr_rule_release(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule);

/* 0 .. a bit more than nb_rules; fixed for the record's life. */
uint32_t mlx5dr_rule_index(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule);

/*
 * Which of the matcher's tables, one per mask, a rule is in, or a pair's rules go to; below MLX5DR_MAX_TEMPLATES. What
 * mlx5dr_rule_action_update compares. Of a resizable matcher it changes.
 */
static inline unsigned int
mlx5dr_rule_part(const struct mlx5dr_rule *rule)
{
	return rule->bits >> MLX5DR_RULE_PART_SHIFT & (MLX5DR_MAX_TEMPLATES - 1);
}
unsigned int mlx5dr_pair_part(const struct mlx5dr_pair *pair);

/* Walk all records that are not FREE; NULL starts and ends. No queue may work on the matcher meanwhile. */
struct mlx5dr_rule *mlx5dr_rule_next(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *after);

bool mlx5dr_pair_is_jumbo(const struct mlx5dr_pair *pair);

/* ---- operations ---------------------------------------------------------------------------------------------- */

#define MLX5DR_POSTPONE 1 /* flag: no doorbell yet; a later operation without it, or mlx5dr_queue_push, rings */

/* The hot functions in the form that this processor runs best; chosen when the library is loaded. */
struct mlx5dr_path {
	int (*create)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
		      const void *items, const void *actions, uint32_t flags);
	int (*destroy)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
		       uint32_t flags);
	int (*update)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
		      const void *actions, uint32_t flags);
	const char *name; /* for reports */
};
extern struct mlx5dr_path mlx5dr_path;

/**
 * Write a rule into the device.
 *
 * items and actions are the caller's arrays that the sources of the pair's templates speak of; they and what they
 * point to are read before the call returns. The queue's scratch must be filled where a template uses it.
 *
 * @param rule  state FREE, from mlx5dr_rule_get, or TAKEN, from mlx5dr_rule_take.
 * @return 0 accepted: exactly one result will come from this queue; otherwise no trace is left but in the record:
 *         -EAGAIN the queue holds as many operations as it can: poll first;
 *         -EINVAL a pointer that a template needs is NULL; -ENOENT an index names nothing (mlx5dr_stc_map);
 *         -ERANGE a mark is out of range; -ENOBUFS no counter is free (mlx5dr_counter_some_wait); -EIO the queue or
 *         device failed.
 */
static inline int
mlx5dr_rule_create(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
		   const void *items, const void *actions, uint32_t flags)
{
	return mlx5dr_path.create(queue, pair, rule, items, actions, flags);
}

/**
 * Take a rule out of the device.
 *
 * @return 0 accepted: one result will come; otherwise the rule stays as it was:
 *         -EBUSY its creation has not been polled, or it is being destroyed; -EINVAL it is not in the device;
 *         -EAGAIN the queue is full.
 */
static inline int
mlx5dr_rule_destroy(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
		    uint32_t flags)
{
	return mlx5dr_path.destroy(queue, matcher, rule, flags);
}

/**
 * Give a rule other actions: its match stays. Packets meet the old actions or the new ones, all of them, and never miss.
 *
 * pair: new actions, of the rule's matcher, with a match template whose mask is that of the rule's. One result will come;
 * with status 0 the new actions are in force, otherwise the old ones: only then does the caller give back what the other
 * ones named (counters). bits then has MLX5DR_RULE_CHANGED, which tells the result from a creation's. -EIO (device or
 * queue failed) leaves unknown which of the two the device has.
 *
 * Where the template's rules take counters, the record's counter is the new one from the call on: the caller keeps the old,
 * and writes it back when the update fails.
 *
 * @param actions  as of mlx5dr_rule_create; values from items are refused with -EINVAL, there are none.
 * @return 0 accepted; otherwise nothing has changed: as mlx5dr_rule_create, and
 *         -EBUSY an operation on the rule has not been polled; -EINVAL it is not in the device, or the pair has another mask;
 *         -ENOTSUP see mlx5dr_matcher_is_updatable.
 */
static inline int
mlx5dr_rule_action_update(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
			  const void *actions, uint32_t flags)
{
	return mlx5dr_path.update(queue, pair, rule, actions, flags);
}

/**
 * While the matcher is being resized: bring a rule into the new tables. Packets meet it all the time.
 *
 * @return 0 accepted: one result will come, with bits MLX5DR_RULE_CHANGED; -ENOSPC in it: no room in the new tables, the rule
 *         stays where it was. A rule that is in the new tables gets its result at once.
 *         -EINVAL no resize has begun, or the rule is not in the device; -EBUSY an operation on it has not been polled;
 *         -EAGAIN, -EIO as of mlx5dr_rule_create.
 */
int mlx5dr_rule_move(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule, uint32_t flags);

/* Start everything that was postponed. Nothing to start is fine. -EIO the queue failed (results still come). */
int mlx5dr_queue_push(struct mlx5dr_queue *queue);

/* Laid out so that a caller may have it filled into results of his own that begin with a status and end with a pointer. */
struct mlx5dr_result {
	int32_t status;  /* 0 or -errno: -ENOSPC no room in its row, -EIO device error, -ENOENT not found on deletion */
	uint32_t kind;   /* 0: a rule, whose state tells what ended; else the caller's number */
	void *op;        /* the rule; or what mlx5dr_queue_complete was given */
} __attribute__((may_alias));

/* At most n results, oldest first; what is beyond stays. Never blocks. Number of results. */
uint32_t mlx5dr_queue_poll(struct mlx5dr_queue *queue, struct mlx5dr_result *results, uint32_t n);

/*
 * An operation of the caller's own that is already finished shall appear among the results (kind != 0). Counts against
 * the queue's size. @return 0; -EAGAIN full.
 */
int mlx5dr_queue_complete(struct mlx5dr_queue *queue, void *op, uint32_t kind, int status);

/* Operations accepted and not yet given out by poll. */
uint32_t mlx5dr_queue_pending(const struct mlx5dr_queue *queue);
uint32_t mlx5dr_queue_size(const struct mlx5dr_queue *queue);
/* As in mlx5dr_context_queue; UINT16_MAX: the engine's own. */
uint16_t mlx5dr_queue_index(const struct mlx5dr_queue *queue);

/* scratch_bytes of the context attribute, 64-byte aligned. */
void *mlx5dr_queue_scratch(struct mlx5dr_queue *queue);

/* ---- marks ---------------------------------------------------------------------------------------------------- */

/*
 * The flow tag is the mark plus one (0 is "no mark"), in 24 bits whose bytes are reversed on the way to the device, as
 * DPDK's mlx5 does it, so that other software on the port reads the same. 0xffffff is "matched, no number".
 */
#define MLX5DR_TAG_FLAG 0xffffffu

static inline uint32_t
mlx5dr_mark_encode(uint32_t mark)
{
	return __builtin_bswap32(mark + 1) >> 8;
}

/* tag: low 24 bits of the CQE's dword 0x38, host order; not 0 and not MLX5DR_TAG_FLAG. */
static inline uint32_t
mlx5dr_mark_decode(uint32_t tag)
{
	return (__builtin_bswap32(tag) >> 8) - 1;
}

#endif
