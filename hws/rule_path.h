/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The rule path, included by rule.c once per instruction set: PATH(name) gives the names, and the compiler makes of the
 * wide copies what the set has. What bounds this code is the number of stores, so whole lines are stored at once where
 * that can be, and nothing calls a function in the common case.
 */

/* The widest block that one instruction moves: PATH_BLOCK bytes. */
typedef uint8_t PATH(block) __attribute__((vector_size(PATH_BLOCK), aligned(1), may_alias));

static inline __attribute__((always_inline)) void
PATH(copy_half)(uint8_t *to, const uint8_t *from)
{
#if PATH_BLOCK == 16
	*(PATH(block) *)to = *(const PATH(block) *)from;
	*(PATH(block) *)(to + 16) = *(const PATH(block) *)(from + 16);
#else
	typedef uint8_t half __attribute__((vector_size(32), aligned(1), may_alias));

	*(half *)to = *(const half *)from;
#endif
}

static inline __attribute__((always_inline)) void
PATH(copy_line)(uint8_t *to, const uint8_t *from)
{
#if PATH_BLOCK == 64
	*(PATH(block) *)to = *(const PATH(block) *)from;
#else
	PATH(copy_half)(to, from);
	PATH(copy_half)(to + 32, from + 32);
#endif
}

/*
 * Fill the match STE's WQE, all but the first 8 bytes, and the record's tag. The record gets the same constants as the
 * image, then both get the moves.
 */
static inline __attribute__((always_inline)) int
PATH(build_match)(const struct mlx5dr_pair *pair, const struct mlx5dr_queue *queue, struct mlx5dr_rule *rule,
		  uint8_t *wqe)
{
	uint8_t *record = (uint8_t *)rule, *data = wqe + PRM_WQE_GTA_DATA;
	const struct tag_move *rest;
	int ret;

	PATH(copy_line)(wqe, pair->image);
	PATH(copy_line)(data, pair->image + PRM_WQE_GTA_DATA);
	PATH(copy_half)(rule->tag, pair->image + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_AT);
	if (unlikely(pair->jumbo))
		memcpy(rule->caller, pair->image + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_JUMBO_AT, sizeof(rule->caller));
	rest = program_run_wide(pair->moves, pair->nb_moves, queue->base, data, record);
	if (pair->narrow && rest != NULL)
		rest = program_run_narrow(rest, pair->nb_moves, queue->base, data, record);
	if (unlikely(rest == NULL))
		return -EINVAL;
	if (unlikely(pair->has_ops)) {
		ret = run_ops(pair, queue, rule, wqe);
		if (unlikely(ret < 0))
			return ret;
	}
	return program_run_direct(&pair->direct, queue->base, queue->index, rule, wqe);
}

/*
 * A rule with arguments or action STEs: these are posted now, the match STE is kept until the next push, when it follows
 * them behind a fence. Nothing counts before the last step has succeeded, so a refusal leaves no trace.
 */
static int
PATH(create_in_steps)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule)
{
	const struct program_rule which = { rule, rule_index(pair->matcher, rule), queue->index };
	uint32_t pi = queue->pi;
	struct queue_dependent *dependent = &queue->dependent[queue->nb_dependent];
	uint8_t *match = queue->dependent_wqes + (size_t)queue->nb_dependent * PRM_WQE_GTA_BYTES;
	int ret;

	for (unsigned int i = 0; i < pair->nb_steps; i++, pi += QUEUE_WQE_BBS) {
		const struct pair_step *step = &pair->steps[i];
		uint8_t *wqe = queue_wqe(queue, pi);

		PATH(copy_line)(wqe, step->image);
		PATH(copy_line)(wqe + PRM_WQE_GTA_DATA, step->image + PRM_WQE_GTA_DATA);
		queue_wqe_head(queue, wqe, pi, step->opmod);
		program_put_index(&step->index, which.index, wqe);
		if (step->nb_ops == 0)
			continue;
		ret = program_run_actions(pair->step_ops + step->first_op, step->nb_ops, queue->base, &which, wqe);
		if (unlikely(ret < 0))
			return ret;
	}
	ret = PATH(build_match)(pair, queue, rule, match);
	if (unlikely(ret < 0))
		return ret;
	put_indexes(pair, which.index, match);
	dependent->rule = rule;
	dependent->retry_rtc = pair->retry_rtc;
	queue->nb_dependent++;
	queue->pi = pi;
	queue_limit(queue);
	return 0;
}

/* A rule of one WQE, which goes to its place in the ring at once. */
static inline __attribute__((always_inline)) int
PATH(create_plain)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule)
{
	uint32_t pi = queue->pi;
	uint8_t *wqe = queue_wqe(queue, pi);
	int ret = PATH(build_match)(pair, queue, rule, wqe);

	if (unlikely(ret < 0))
		return ret;
	queue_wqe_head(queue, wqe, pi, PRM_WQE_GTA_OPMOD_STE);
	queue_enter(queue, rule, pair->retry_rtc, pi);
	queue->pi = pi + QUEUE_WQE_BBS;
	return 0;
}

/* Out of the common case: no room as it is, or several WQEs. */
static __attribute__((noinline)) int
PATH(create_otherwise)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
		       uint32_t flags)
{
	int ret;

	if (queue->pending >= queue->limit || !queue_has_room(queue, pair->nb_bbs)) {
		ret = queue_make_room(queue, pair->nb_bbs);
		if (ret < 0)
			return ret;
	}
	if (pair->nb_steps != 0)
		ret = PATH(create_in_steps)(queue, pair, rule);
	else
		ret = PATH(create_plain)(queue, pair, rule);
	return unlikely(ret < 0) ? ret : accepted(queue, rule, pair->bits, flags);
}

static int
PATH(create)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule, const void *items,
	     const void *actions, uint32_t flags)
{
	int ret;

	queue->base[MLX5DR_ITEMS] = items;
	queue->base[MLX5DR_ACTIONS] = actions;
	if (unlikely(pair->nb_steps != 0 || queue->pending >= queue->limit ||
		     !queue_has_room(queue, QUEUE_WQE_BBS)))
		return PATH(create_otherwise)(queue, pair, rule, flags);
	ret = PATH(create_plain)(queue, pair, rule);
	return unlikely(ret < 0) ? ret : accepted(queue, rule, pair->bits, flags);
}

/* No flags; which table; deactivate; nothing but the tag. */
static inline __attribute__((always_inline)) void
PATH(build_deletion)(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule, uint32_t bits, uint8_t *wqe)
{
	const uint8_t *image = matcher->deletion[bits >> MLX5DR_RULE_WHERE_SHIFT & (2 * MLX5DR_MAX_TEMPLATES - 1)];

	PATH(copy_line)(wqe, image);
	PATH(copy_half)(wqe + PRM_WQE_GTA_DATA, image + PRM_WQE_GTA_DATA);
	PATH(copy_half)(wqe + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_AT, rule->tag);
	if (unlikely((bits & MLX5DR_RULE_JUMBO) != 0))
		memcpy(wqe + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_JUMBO_AT, rule->caller, sizeof(rule->caller));
}

static inline __attribute__((always_inline)) int
PATH(post_deletion)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
		    uint32_t flags)
{
	uint32_t bits = rule->bits, pi = queue->pi;
	uint8_t *wqe = queue_wqe(queue, pi);

	PATH(build_deletion)(matcher, rule, bits, wqe);
	queue_wqe_head(queue, wqe, pi, PRM_WQE_GTA_OPMOD_STE);
	queue_enter(queue, rule, 0, pi);
	queue->pi = pi + QUEUE_WQE_BBS;
	return accepted(queue, rule, bits + MLX5DR_RULE_DELETING - MLX5DR_RULE_CREATED, flags);
}

static __attribute__((noinline)) int
PATH(destroy_otherwise)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
			uint32_t flags)
{
	int ret = make_destroyable(queue, rule);

	return ret <= 0 ? ret : PATH(post_deletion)(queue, matcher, rule, flags);
}

static int
PATH(destroy)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule, uint32_t flags)
{
	if (unlikely(mlx5dr_rule_state(rule) != MLX5DR_RULE_CREATED || queue->pending >= queue->limit ||
		     !queue_has_room(queue, QUEUE_WQE_BBS)))
		return PATH(destroy_otherwise)(queue, matcher, rule, flags);
	return PATH(post_deletion)(queue, matcher, rule, flags);
}
