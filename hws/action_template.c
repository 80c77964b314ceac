/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hws/action.h"
#include "hws/context.h"
#include "hws/counter_pool.h"
#include "hws/program.h"

/* How often a type may appear in one template. */
static unsigned int
max_of(enum mlx5dr_action_type type)
{
	return type == MLX5DR_ACTION_POP_VLAN || type == MLX5DR_ACTION_PUSH_VLAN ? 2 : 1;
}

static int
check_sequence(const struct mlx5dr_action_template *at, struct mlx5dr_error *error)
{
	unsigned int seen[8] = { 0 }; /* by order: kinds that exclude each other share one */

	for (unsigned int i = 0; i < at->nb_slots; i++) {
		enum mlx5dr_action_type type = at->slots[i].type;
		unsigned int order = mlx5dr_action_order(type);

		if (!action_exists_in(type, at->table_type))
			return context_error(error, (int)i, -ENOTSUP, "%s is not possible in egress tables",
					     mlx5dr_action_name(type));
		if (i > 0 && order < mlx5dr_action_order(at->slots[i - 1].type))
			return context_error(error, (int)i, -EINVAL, "%s cannot follow %s", mlx5dr_action_name(type),
					     mlx5dr_action_name(at->slots[i - 1].type));
		if (++seen[order] > max_of(type))
			return context_error(error, (int)i, -EINVAL, "%s more than %u time(s) in one rule",
					     mlx5dr_action_name(type), max_of(type));
	}
	if (!action_is_fate(at->slots[at->nb_slots - 1].type))
		return context_error(error, at->nb_slots - 1, -EINVAL, "the last action must decide the packet's fate");
	return 0;
}

static int
check_header(const struct mlx5dr_slot *slot)
{
	if (slot->header == NULL && program_check_source(&slot->bytes) < 0)
		return -EINVAL;
	if (slot->type == MLX5DR_ACTION_TNL_L3_TO_L2)
		return slot->header_bytes == 14 || slot->header_bytes == 18 ? 0 : -EINVAL;
	return slot->header_bytes % 2 == 0 && slot->header_bytes > 0 &&
	       slot->header_bytes <= MLX5DR_MAX_HEADER_BYTES ? 0 : -EINVAL;
}

static int
check_fate_target(const struct mlx5dr_slot *slot)
{
	bool to_matcher = slot->type == MLX5DR_ACTION_JUMP_TO_MATCHER;

	if (to_matcher && slot->action == NULL)
		return program_check_source(&slot->stc);
	/* Fates may be pointed elsewhere; a jump to a matcher, which has a row too, may not. */
	if (slot->action != NULL)
		return action_is_fate(slot->action->type) &&
		       (slot->action->type == MLX5DR_ACTION_JUMP_TO_MATCHER) == to_matcher ? 0 : -EINVAL;
	return slot->value.from == MLX5DR_FROM_SOURCE ? program_check_value(&slot->value) : -EINVAL;
}

static int
check_slot(const struct mlx5dr_context *ctx, const struct mlx5dr_slot *slot)
{
	switch (slot->type) {
	case MLX5DR_ACTION_TIR:
	case MLX5DR_ACTION_TABLE:
		return check_fate_target(slot);
	case MLX5DR_ACTION_JUMP_TO_MATCHER:
		return program_check_value(&slot->value) < 0 ? -EINVAL : check_fate_target(slot);
	case MLX5DR_ACTION_TAG:
		if (!slot->flag && slot->value.from == MLX5DR_FROM_CONSTANT && slot->value.value >= MLX5DR_MARK_LIMIT)
			return -ERANGE;
		return slot->flag ? 0 : program_check_value(&slot->value);
	case MLX5DR_ACTION_COUNTER:
		if (slot->counters != NULL)
			return slot->counters->ctx == ctx ? 0 : -EINVAL;
		if (slot->action == NULL ? program_check_source(&slot->stc) < 0 :
					   slot->action->type != MLX5DR_ACTION_COUNTER)
			return -EINVAL;
		return program_check_value(&slot->value);
	case MLX5DR_ACTION_PUSH_VLAN:
		if (program_check_value(&slot->value) < 0 || program_check_value(&slot->value2) < 0)
			return -EINVAL;
		return program_check_value(&slot->value3);
	case MLX5DR_ACTION_MODIFY:
		if (slot->nb_modify < 1 || slot->nb_modify > MLX5DR_MAX_MODIFY)
			return -EINVAL;
		for (unsigned int i = 0; i < slot->nb_modify; i++)
			if (slot->modify[i].op != MLX5DR_MODIFY_COPY &&
			    program_check_value(&slot->modify[i].data) < 0)
				return -EINVAL;
		return 0;
	case MLX5DR_ACTION_TNL_L3_TO_L2:
	case MLX5DR_ACTION_L2_TO_TNL_L2:
	case MLX5DR_ACTION_L2_TO_TNL_L3:
		return check_header(slot);
	default:
		return 0;
	}
}

static void
free_template(struct mlx5dr_action_template *at)
{
	for (unsigned int i = 0; i < at->nb_slots; i++) {
		free((void *)(uintptr_t)at->slots[i].modify);
		free((void *)(uintptr_t)at->slots[i].header);
		free(at->lists[i]);
	}
	free(at);
}

static void *
copy_of(const void *from, size_t size)
{
	void *to = malloc(size);

	if (to != NULL)
		memcpy(to, from, size);
	return to;
}

/* Own the memory behind a slot, and encode its list. */
static int
copy_slot(struct mlx5dr_action_template *at, unsigned int i, const struct mlx5dr_slot *from)
{
	struct mlx5dr_slot *slot = &at->slots[i];

	*slot = *from;
	slot->modify = NULL;
	slot->header = NULL;
	if (from->type == MLX5DR_ACTION_MODIFY) {
		slot->modify = copy_of(from->modify, from->nb_modify * sizeof(*from->modify));
		if (slot->modify == NULL)
			return -ENOMEM;
	}
	if (from->header != NULL) {
		slot->header = copy_of(from->header, from->header_bytes);
		if (slot->header == NULL)
			return -ENOMEM;
	}
	if (from->type != MLX5DR_ACTION_MODIFY && from->type != MLX5DR_ACTION_TNL_L3_TO_L2)
		return 0;
	at->lists[i] = malloc(sizeof(*at->lists[i]));
	if (at->lists[i] == NULL)
		return -ENOMEM;
	if (from->type == MLX5DR_ACTION_MODIFY)
		return modify_encode(slot->modify, slot->nb_modify, at->lists[i]);
	modify_l3_decap(slot->header_bytes, slot->header, at->lists[i]);
	return 0;
}

static int
fill_template(struct mlx5dr_action_template *at, const struct mlx5dr_slot *slots, uint16_t nb_slots,
	      struct mlx5dr_error *error)
{
	int ret;

	for (unsigned int i = 0; i < nb_slots; i++) {
		if (slots[i].type >= MLX5DR_NB_ACTION_TYPES)
			return context_error(error, (int)i, -EINVAL, "unknown action");
		ret = check_slot(at->ctx, &slots[i]);
		if (ret < 0)
			return context_error(error, (int)i, ret, "%s: %s", mlx5dr_action_name(slots[i].type),
					     ret == -ERANGE ? "value out of range" : "malformed");
		at->nb_slots = i + 1;
		ret = copy_slot(at, i, &slots[i]);
		if (ret < 0)
			return context_error(error, (int)i, ret, "%s: %s", mlx5dr_action_name(slots[i].type),
					     ret == -E2BIG ? "more commands than a list holds" : strerror(-ret));
		if (at->lists[i] != NULL && at->lists[i]->nb > at->ctx->dev->caps.wqe.max_header_modify_pattern_length)
			return context_error(error, (int)i, -E2BIG, "%s: %u commands, the device takes %u",
					     mlx5dr_action_name(slots[i].type), at->lists[i]->nb,
					     at->ctx->dev->caps.wqe.max_header_modify_pattern_length);
	}
	ret = check_sequence(at, error);
	if (ret < 0)
		return ret;
	ret = plan_stes(at);
	if (ret < 0)
		return context_error(error, -1, ret, "the actions need more than %u steering entries", PLAN_MAX_STES);
	return 0;
}

/* Action objects and counters must not go while a template names them. */
static void
count_actions(struct mlx5dr_action_template *at, int by)
{
	for (unsigned int i = 0; i < at->nb_slots; i++) {
		if (at->slots[i].action != NULL)
			((struct mlx5dr_action *)(uintptr_t)at->slots[i].action)->refs += by;
		if (at->slots[i].type == MLX5DR_ACTION_COUNTER && at->slots[i].counters != NULL)
			at->slots[i].counters->refs += by;
	}
}

int
mlx5dr_action_template_create(struct mlx5dr_context *ctx, enum mlx5dr_table_type table_type,
			      const struct mlx5dr_slot *slots, uint16_t nb_slots,
			      struct mlx5dr_action_template **created, struct mlx5dr_error *error)
{
	struct mlx5dr_action_template *at;
	int ret;

	if (nb_slots < 1 || nb_slots > MLX5DR_MAX_SLOTS)
		return context_error(error, -1, nb_slots < 1 ? -EINVAL : -E2BIG, "%u actions, 1..%u are possible",
				     nb_slots, MLX5DR_MAX_SLOTS);
	at = calloc(1, sizeof(*at) + nb_slots * sizeof(*slots));
	if (at == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	at->ctx = ctx;
	at->table_type = table_type;
	ret = fill_template(at, slots, nb_slots, error);
	if (ret < 0) {
		free_template(at);
		return ret;
	}
	pthread_mutex_lock(&ctx->lock);
	count_actions(at, 1);
	ctx->nb_objects++;
	pthread_mutex_unlock(&ctx->lock);
	*created = at;
	return 0;
}

int
mlx5dr_action_template_destroy(struct mlx5dr_action_template *at)
{
	struct mlx5dr_context *ctx;

	if (at == NULL)
		return 0;
	ctx = at->ctx;
	pthread_mutex_lock(&ctx->lock);
	if (at->refs != 0) {
		pthread_mutex_unlock(&ctx->lock);
		return -EBUSY;
	}
	count_actions(at, -1);
	ctx->nb_objects--;
	pthread_mutex_unlock(&ctx->lock);
	free_template(at);
	return 0;
}
