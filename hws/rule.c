/* SPDX-License-Identifier: BSD-3-Clause */

/* The rule path. What a template fixes was computed by pair.c; here images are stored and programs run. */
#include "hws/rule.h"

#include <errno.h>
#include <string.h>

#include "hws/matcher.h"
#include "hws/program.h"
#include "hws/queue.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

struct mlx5dr_rule *
mlx5dr_rule_get(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue)
{
	struct mlx5dr_rule *rule;
	uint32_t index;

	if (unlikely(queue->index >= matcher->pool.nb_caches))
		return NULL;
	index = pool_get(&matcher->pool, queue->index);
	if (unlikely(index == POOL_NONE))
		return NULL;
	rule = (struct mlx5dr_rule *)(void *)matcher->records + index;
	rule->bits = MLX5DR_RULE_TAKEN;
	return rule;
}

uint32_t
mlx5dr_rule_index(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule)
{
	return (uint32_t)(rule - (const struct mlx5dr_rule *)(const void *)matcher->records);
}

void
mlx5dr_rule_put(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	rule->bits = MLX5DR_RULE_FREE;
	pool_put(&matcher->pool, queue->index, mlx5dr_rule_index(matcher, rule));
}

struct mlx5dr_rule *
mlx5dr_rule_next(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *after)
{
	struct mlx5dr_rule *records = (struct mlx5dr_rule *)(void *)matcher->records;
	/* Records behind the shared part's mark were never touched; looking at them would only fault their pages in. */
	uint32_t end = atomic_load_explicit(&matcher->pool.fresh, memory_order_relaxed);
	uint32_t i = after == NULL ? 0 : mlx5dr_rule_index(matcher, after) + 1;

	for (; i < end; i++)
		if (mlx5dr_rule_state(&records[i]) != MLX5DR_RULE_FREE)
			return &records[i];
	return NULL;
}

bool
mlx5dr_pair_is_jumbo(const struct mlx5dr_pair *pair)
{
	return pair->jumbo;
}

/*
 * Fill the match STE's WQE, all but the first 8 bytes, and the record's tag. The record gets the same constants as the
 * image, then both get the moves.
 */
static inline __attribute__((always_inline)) int
build_match(const struct mlx5dr_pair *pair, const uint8_t *const base[], struct mlx5dr_rule *rule, uint8_t *wqe)
{
	uint8_t *record = (uint8_t *)rule;
	int ret;

	memcpy(wqe, pair->image, PRM_WQE_GTA_BYTES);
	memcpy(rule->tag, pair->image + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_AT, sizeof(rule->tag));
	if (pair->jumbo)
		memcpy(rule->caller, pair->image + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_JUMBO_AT, sizeof(rule->caller));
	ret = program_run_tag(pair->moves, pair->nb_moves, pair->tag_ops, pair->nb_tag_ops, base,
			      wqe + PRM_WQE_GTA_DATA, record);
	if (unlikely(ret < 0))
		return ret;
	if (pair->nb_action_ops == 0)
		return 0;
	return program_run_actions(pair->action_ops, pair->nb_action_ops, base,
				   mlx5dr_rule_index(pair->matcher, rule), wqe);
}

/*
 * A rule with arguments or action STEs: these are posted now, the match STE is kept until the next push, when it follows
 * them behind a fence. Nothing counts before the last step has succeeded, so a refusal leaves no trace.
 */
static __attribute__((noinline)) int
create_in_steps(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, const uint8_t *const base[],
		struct mlx5dr_rule *rule)
{
	uint32_t index = mlx5dr_rule_index(pair->matcher, rule), pi = queue->pi;
	struct queue_dependent *dependent = &queue->dependent[queue->nb_dependent];
	int ret;

	for (unsigned int i = 0; i < pair->nb_steps; i++, pi += QUEUE_WQE_BBS) {
		const struct pair_step *step = &pair->steps[i];
		uint8_t *wqe = queue_wqe(queue, pi);

		memcpy(wqe, step->image, PRM_WQE_GTA_BYTES);
		queue_wqe_head(queue, wqe, pi, step->opmod);
		ret = program_run_actions(pair->step_ops + step->first_op, step->nb_ops, base, index, wqe);
		if (unlikely(ret < 0))
			return ret;
	}
	ret = build_match(pair, base, rule, queue->dependent_wqes + (size_t)queue->nb_dependent * PRM_WQE_GTA_BYTES);
	if (unlikely(ret < 0))
		return ret;
	dependent->rule = rule;
	dependent->retry_rtc = pair->retry_rtc;
	queue->nb_dependent++;
	queue->pi = pi;
	return 0;
}

int
mlx5dr_rule_create(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
		   const void *items, const void *actions, uint32_t flags)
{
	const uint8_t *const base[] = {
		[MLX5DR_ITEMS] = items,
		[MLX5DR_ACTIONS] = actions,
		[MLX5DR_SCRATCH] = queue->scratch_head,
	};
	uint8_t *wqe;
	int ret;

	if (unlikely(queue->pending >= queue->limit || !queue_has_room(queue, pair->nb_bbs))) {
		ret = queue_make_room(queue, pair->nb_bbs);
		if (ret < 0)
			return ret;
	}
	if (pair->nb_steps != 0) {
		ret = create_in_steps(queue, pair, base, rule);
		if (unlikely(ret < 0))
			return ret;
	} else {
		wqe = queue_wqe(queue, queue->pi);
		ret = build_match(pair, base, rule, wqe);
		if (unlikely(ret < 0))
			return ret;
		queue_wqe_head(queue, wqe, queue->pi, PRM_WQE_GTA_OPMOD_STE);
		queue_enter(queue, rule, pair->retry_rtc, queue->pi);
		queue->pi += QUEUE_WQE_BBS;
	}
	rule->bits = pair->bits;
	queue->pending++;
	if ((flags & MLX5DR_POSTPONE) == 0)
		queue_ring(queue);
	return 0;
}

/* A failed queue still ends rules, without the device. */
static int
destroy_without_device(struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	if (queue->pending >= queue->size)
		return -EAGAIN;
	queue_enter(queue, rule, 0, queue->done - QUEUE_WQE_BBS);
	queue->pending++;
	rule->bits += MLX5DR_RULE_DELETING - MLX5DR_RULE_CREATED;
	return 0;
}

int
mlx5dr_rule_destroy(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
		    uint32_t flags)
{
	const struct matcher_part *part = &matcher->parts[rule->bits >> MLX5DR_RULE_PART_SHIFT & 31];
	enum mlx5dr_rule_state state = mlx5dr_rule_state(rule);
	uint8_t *wqe;

	if (unlikely(state != MLX5DR_RULE_CREATED))
		return state == MLX5DR_RULE_CREATING || state == MLX5DR_RULE_DELETING ? -EBUSY : -EINVAL;
	if (unlikely(queue->pending >= queue->limit || !queue_has_room(queue, QUEUE_WQE_BBS))) {
		int ret = queue_make_room(queue, QUEUE_WQE_BBS);

		if (ret == -EIO)
			return destroy_without_device(queue, rule);
		if (ret < 0)
			return ret;
	}
	wqe = queue_wqe(queue, queue->pi);
	/* No flags; which table; deactivate; nothing but the tag. */
	queue_wqe_head(queue, wqe, queue->pi, PRM_WQE_GTA_OPMOD_STE);
	memcpy(wqe + 8, &part->ctrl_tail[(rule->bits & MLX5DR_RULE_COLLISION) != 0], 8);
	memset(wqe + PRM_WQE_CTRL_BYTES, 0, PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_AT - PRM_WQE_CTRL_BYTES);
	wqe[PRM_WQE_CTRL_BYTES] = PRM_WQE_GTA_OP_DEACTIVATE << 4;
	memcpy(wqe + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_AT, rule->tag, sizeof(rule->tag));
	if (part->jumbo)
		memcpy(wqe + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_JUMBO_AT, rule->caller, sizeof(rule->caller));
	queue_enter(queue, rule, 0, queue->pi);
	queue->pi += QUEUE_WQE_BBS;
	queue->pending++;
	rule->bits += MLX5DR_RULE_DELETING - MLX5DR_RULE_CREATED;
	if ((flags & MLX5DR_POSTPONE) == 0)
		queue_ring(queue);
	return 0;
}
