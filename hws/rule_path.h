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

/* The WQEs before the match STE's: arguments and action STEs of that index. Not counted before the caller moves queue->pi. */
static inline __attribute__((always_inline)) int
PATH(post_steps)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule, uint32_t index,
		 uint32_t *end)
{
	const struct program_rule which = { rule, index, queue->index };
	uint32_t pi = queue->pi;

	for (unsigned int i = 0; i < pair->nb_steps; i++, pi += QUEUE_WQE_BBS) {
		const struct pair_step *step = &pair->steps[i];
		uint8_t *wqe = queue_wqe(queue, pi);
		int ret;

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
	*end = pi;
	return 0;
}

/*
 * A rule with arguments or action STEs: these are posted now, the match STE is kept until the next push, when it follows
 * them behind a fence. Nothing counts before the last step has succeeded, so a refusal leaves no trace.
 */
static int
PATH(create_in_steps)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule)
{
	uint32_t index = rule_index(pair->matcher, rule), pi;
	uint8_t *match = queue_dependent_wqe(queue);
	int ret = PATH(post_steps)(queue, pair, rule, index, &pi);

	if (unlikely(ret < 0))
		return ret;
	ret = PATH(build_match)(pair, queue, rule, match);
	if (unlikely(ret < 0))
		return ret;
	put_indexes(pair, index, match);
	queue_keep_dependent(queue, rule, pair->retry_rtc, pi);
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

/* A rule of a matcher by index, or of one that keeps the WQEs of match STEs as it may be resized. */
static __attribute__((noinline)) int
PATH(create_kept)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule)
{
	uint32_t index = rule_index(pair->matcher, rule);
	uint8_t *wqe = pair->nb_steps != 0 ? queue_dependent_wqe(queue) : queue_wqe(queue, queue->pi);
	int ret;

	if (pair->nb_steps != 0) {
		ret = PATH(create_in_steps)(queue, pair, rule);
	} else {
		ret = PATH(create_plain)(queue, pair, rule);
		put_indexes(pair, index, wqe);
	}
	if (ret == 0 && pair->matcher->images != NULL)
		keep_image(pair, index, wqe);
	return ret;
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
	if (pair->special == PAIR_STEPS)
		ret = PATH(create_in_steps)(queue, pair, rule);
	else if (pair->special == PAIR_PLAIN)
		ret = PATH(create_plain)(queue, pair, rule);
	else
		ret = PATH(create_kept)(queue, pair, rule);
	return unlikely(ret < 0) ? ret : accepted(queue, rule, pair->bits, flags);
}

static int
PATH(create)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule, const void *items,
	     const void *actions, uint32_t flags)
{
	int ret;

	queue->base[MLX5DR_ITEMS] = items;
	queue->base[MLX5DR_ACTIONS] = actions;
	if (unlikely(pair->special != PAIR_PLAIN || queue->pending >= queue->limit ||
		     !queue_has_room(queue, QUEUE_WQE_BBS)))
		return PATH(create_otherwise)(queue, pair, rule, flags);
	ret = PATH(create_plain)(queue, pair, rule);
	return unlikely(ret < 0) ? ret : accepted(queue, rule, pair->bits, flags);
}

/* No flags; which table; deactivate; nothing but the tag. */
static inline __attribute__((always_inline)) void
PATH(build_deletion)(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule, uint32_t bits, uint8_t *wqe)
{
	const uint8_t *image = matcher->deletion[place_of(bits)];

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

/* A rule whose row is its index; or one that a resize has brought to the new table while it is in the old one still. */
static int
PATH(post_special_deletion)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
			    uint32_t flags)
{
	uint8_t *wqe = queue_wqe(queue, queue->pi);

	if (in_both_tables(matcher, rule->bits)) {
		PATH(build_deletion)(matcher, rule, old_place(rule->bits), wqe);
		queue_wqe_head(queue, wqe, queue->pi, PRM_WQE_GTA_OPMOD_STE);
		queue->pi += QUEUE_WQE_BBS;
		wqe = queue_wqe(queue, queue->pi);
	}
	PATH(build_deletion)(matcher, rule, rule->bits, wqe);
	if ((rule->bits & MLX5DR_RULE_INDEXED) != 0)
		program_or32(wqe + AT_GTA_INDEX, rule_index(matcher, rule));
	queue_wqe_head(queue, wqe, queue->pi, PRM_WQE_GTA_OPMOD_STE);
	queue_enter(queue, rule, 0, queue->pi);
	queue->pi += QUEUE_WQE_BBS;
	return accepted(queue, rule, rule->bits + MLX5DR_RULE_DELETING - MLX5DR_RULE_CREATED, flags);
}

static __attribute__((noinline)) int
PATH(destroy_otherwise)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule,
			uint32_t flags)
{
	int ret = make_destroyable(queue, rule);

	if (ret <= 0)
		return ret;
	if ((rule->bits & (MLX5DR_RULE_INDEXED | MLX5DR_RULE_MOVED)) != 0)
		return PATH(post_special_deletion)(queue, matcher, rule, flags);
	return PATH(post_deletion)(queue, matcher, rule, flags);
}

static int
PATH(destroy)(struct mlx5dr_queue *queue, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule, uint32_t flags)
{
	/* In the device, and neither indexed nor moved. */
	if (unlikely((rule->bits & (7 | MLX5DR_RULE_INDEXED | MLX5DR_RULE_MOVED)) != MLX5DR_RULE_CREATED ||
		     queue->pending >= queue->limit || !queue_has_room(queue, QUEUE_WQE_BBS)))
		return PATH(destroy_otherwise)(queue, matcher, rule, flags);
	return PATH(post_deletion)(queue, matcher, rule, flags);
}

/* As build_match, but the tag is the record's, and the table is where the rule sits. Of the record
 * nothing changes but the counter, where the template's rules take one. */
static int
PATH(build_update)(const struct mlx5dr_pair *pair, const struct mlx5dr_queue *queue, struct mlx5dr_rule *rule,
		   uint32_t index, uint8_t *wqe)
{
	const struct program_rule which = { rule, index, queue->index };
	const struct mlx5dr_matcher *matcher = pair->matcher;
	int ret;

	PATH(copy_line)(wqe, pair->image);
	PATH(copy_line)(wqe + PRM_WQE_GTA_DATA, pair->image + PRM_WQE_GTA_DATA);
	PATH(copy_half)(wqe + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_AT, rule->tag);
	if (pair->jumbo)
		memcpy(wqe + PRM_WQE_GTA_DATA + PRM_WQE_STE_TAG_JUMBO_AT, rule->caller, sizeof(rule->caller));
	memcpy(wqe + AT_CTRL_IMM, matcher->deletion[place_of(rule->bits)] + AT_CTRL_IMM, sizeof(uint32_t));
	ret = program_run_actions(pair->action_ops, pair->nb_action_ops, queue->base, &which, wqe);
	if (ret == 0)
		ret = program_run_direct(&pair->direct, queue->base, queue->index, rule, wqe);
	put_indexes(pair, index, wqe);
	if (ret == 0 && (rule->bits & MLX5DR_RULE_INDEXED) != 0)
		prm_store32(wqe + AT_GTA_INDEX, rule_index(matcher, rule));
	return ret;
}

/*
 * One WQE replaces the match STE. Arguments and action STEs that it needs are written before, to the set that is not in
 * force; so packets on their way through the old ones still find these whole.
 */
static int
PATH(update)(struct mlx5dr_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule, const void *actions,
	     uint32_t flags)
{
	uint16_t bits = rule->bits ^ MLX5DR_RULE_SECOND;
	uint32_t index = rule_index(pair->matcher, rule), pi = queue->pi;
	int ret = make_updatable(queue, pair, rule);

	if (ret < 0)
		return ret;
	pi = queue->pi;
	if ((bits & MLX5DR_RULE_SECOND) != 0)
		index += pair->matcher->nb_records;
	queue->base[MLX5DR_ITEMS] = no_items;
	queue->base[MLX5DR_ACTIONS] = actions;
	if (pair->nb_steps != 0) {
		ret = PATH(post_steps)(queue, pair, rule, index, &pi);
		if (ret == 0)
			ret = PATH(build_update)(pair, queue, rule, index, queue_dependent_wqe(queue));
		if (ret < 0)
			return ret;
		queue_keep_dependent(queue, rule, 0, pi);
	} else {
		uint8_t *wqe = queue_wqe(queue, pi);

		ret = PATH(build_update)(pair, queue, rule, index, wqe);
		if (ret < 0)
			return ret;
		queue_wqe_head(queue, wqe, pi, PRM_WQE_GTA_OPMOD_STE);
		queue_enter(queue, rule, 0, pi);
		queue->pi = pi + QUEUE_WQE_BBS;
	}
	return accepted(queue, rule, (bits & ~7) | MLX5DR_RULE_CREATING | MLX5DR_RULE_CHANGED, flags);
}
