/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/action.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/device.h"
#include "hws/context.h"
#include "hws/matcher.h"
#include "hws/table.h"
#include "prm/object.h"

/* One row per action: its place in the device's order and the directions it exists in. */
static const struct {
	const char *name;
	uint8_t order;
	bool tx;
	bool object; /* mlx5dr_action_create makes it */
} rows[MLX5DR_NB_ACTION_TYPES] = {
	[MLX5DR_ACTION_TAG]           = { "tag", 0, false, false },
	[MLX5DR_ACTION_TNL_L2_TO_L2]  = { "decapsulation", 1, false, false },
	[MLX5DR_ACTION_TNL_L3_TO_L2]  = { "L3 decapsulation", 1, false, false },
	[MLX5DR_ACTION_POP_VLAN]      = { "pop VLAN", 2, true, false },
	[MLX5DR_ACTION_COUNTER]       = { "counter", 3, true, true },
	[MLX5DR_ACTION_PUSH_VLAN]     = { "push VLAN", 4, true, false },
	[MLX5DR_ACTION_MODIFY]        = { "modify header", 5, true, false },
	[MLX5DR_ACTION_L2_TO_TNL_L2]  = { "encapsulation", 6, true, false },
	[MLX5DR_ACTION_L2_TO_TNL_L3]  = { "L3 encapsulation", 6, true, false },
	[MLX5DR_ACTION_DROP]          = { "drop", 7, true, true },
	[MLX5DR_ACTION_MISS]          = { "default miss", 7, true, true },
	[MLX5DR_ACTION_TIR]           = { "TIR", 7, false, true },
	[MLX5DR_ACTION_TABLE]         = { "jump", 7, true, true },
	[MLX5DR_ACTION_JUMP_TO_MATCHER] = { "jump to a matcher", 7, true, false }, /* by its own call */
};

unsigned int
mlx5dr_action_order(enum mlx5dr_action_type type)
{
	return rows[type].order;
}

const char *
mlx5dr_action_name(enum mlx5dr_action_type type)
{
	return rows[type].name;
}

bool
action_exists_in(enum mlx5dr_action_type type, enum mlx5dr_table_type table_type)
{
	return table_type == MLX5DR_NIC_RX || rows[type].tx;
}

void
action_stc_attr(enum mlx5dr_action_type type, uint32_t id, struct hca_stc_attr *attr)
{
	switch (type) {
	case MLX5DR_ACTION_TIR:
		stc_attr_hit(attr, PRM_STC_ACTION_JUMP_TO_TIR);
		prm_set(attr->param, PRM_STC_PARAM_TIR_TIRN, id);
		break;
	case MLX5DR_ACTION_TABLE:
		stc_attr_hit(attr, PRM_STC_ACTION_JUMP_TO_FT);
		prm_set(attr->param, PRM_STC_PARAM_TABLE_TABLE_ID, id);
		break;
	case MLX5DR_ACTION_MISS:
		stc_attr_hit(attr, PRM_STC_ACTION_ALLOW);
		break;
	case MLX5DR_ACTION_COUNTER:
		memset(attr, 0, sizeof(*attr));
		attr->action_type = PRM_STC_ACTION_COUNTER;
		attr->ste_action_offset = PRM_STC_OFFSET_COUNTER;
		prm_set(attr->param, PRM_STC_PARAM_COUNTER_FLOW_COUNTER_ID, id);
		break;
	default:
		stc_attr_hit(attr, PRM_STC_ACTION_DROP);
		break;
	}
}

/* Count the table an action leads to, so that it cannot be destroyed before. */
static void
set_table(struct mlx5dr_action *action)
{
	if (action->table != NULL)
		action->table->refs--;
	action->table = action->type == MLX5DR_ACTION_TABLE ? table_by_id(action->ctx, action->id) : NULL;
	if (action->table != NULL)
		action->table->refs++;
}

/* An STC of its own with what attr says. */
static int
create(struct mlx5dr_context *ctx, const struct mlx5dr_action *what, const struct hca_stc_attr *attr,
       struct mlx5dr_action **created)
{
	struct mlx5dr_action *action = malloc(sizeof(*action));
	int ret;

	if (action == NULL)
		return -ENOMEM;
	*action = *what;
	action->ctx = ctx;
	pthread_mutex_lock(&ctx->lock);
	ret = stc_get_own(&ctx->stc[action->table_type], attr, &action->stc);
	if (ret == 0) {
		set_table(action);
		if (action->matcher != NULL)
			action->matcher->refs++;
		ctx->nb_objects++;
		*created = action;
	} else {
		free(action);
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

int
mlx5dr_action_create(struct mlx5dr_context *ctx, enum mlx5dr_table_type table_type, enum mlx5dr_action_type type,
		     uint32_t id, struct mlx5dr_action **created)
{
	struct mlx5dr_action action = { .table_type = table_type, .type = type, .id = id };
	struct hca_stc_attr attr;

	if (type >= MLX5DR_NB_ACTION_TYPES || !rows[type].object || table_type >= MLX5DR_NB_TABLE_TYPES)
		return -EINVAL;
	if (!action_exists_in(type, table_type))
		return -ENOTSUP;
	action_stc_attr(type, id, &attr);
	return create(ctx, &action, &attr, created);
}

int
mlx5dr_action_create_jump_to_matcher(struct mlx5dr_matcher *matcher, struct mlx5dr_action **created)
{
	struct mlx5dr_action action = { .table_type = matcher->table->type, .type = MLX5DR_ACTION_JUMP_TO_MATCHER,
					.matcher = matcher };
	struct hca_stc_attr attr;

	if (matcher->mode != MLX5DR_MATCHER_ISOLATED)
		return -EINVAL;
	action.id = matcher->parts[0].ste[0]->id;
	stc_attr_hit(&attr, PRM_STC_ACTION_JUMP_TO_STE_TABLE);
	prm_set(attr.param, PRM_STC_PARAM_STE_TABLE_STE_OBJ_ID, action.id);
	prm_set(attr.param, PRM_STC_PARAM_STE_TABLE_MATCH_DEFINER_ID, matcher->ctx->dev->caps.wqe.trivial_match_definer);
	return create(matcher->ctx, &action, &attr, created);
}

int
mlx5dr_action_update(struct mlx5dr_action *action, enum mlx5dr_action_type type, uint32_t id)
{
	struct mlx5dr_context *ctx = action->ctx;
	struct hca_stc_attr attr;
	int ret;

	if (!action_is_fate(action->type) || type >= MLX5DR_NB_ACTION_TYPES || !action_is_fate(type) ||
	    action->type == MLX5DR_ACTION_JUMP_TO_MATCHER || type == MLX5DR_ACTION_JUMP_TO_MATCHER)
		return -EINVAL;
	if (!action_exists_in(type, action->table_type))
		return -ENOTSUP;
	action_stc_attr(type, id, &attr);
	pthread_mutex_lock(&ctx->lock);
	ret = stc_set(&ctx->stc[action->table_type], action->stc, &attr);
	if (ret == 0) {
		action->type = type;
		action->id = id;
		set_table(action);
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

int
mlx5dr_action_destroy(struct mlx5dr_action *action)
{
	struct mlx5dr_context *ctx;

	if (action == NULL)
		return 0;
	ctx = action->ctx;
	pthread_mutex_lock(&ctx->lock);
	if (action->refs != 0) {
		pthread_mutex_unlock(&ctx->lock);
		return -EBUSY;
	}
	stc_put(&ctx->stc[action->table_type], action->stc);
	if (action->table != NULL)
		action->table->refs--;
	if (action->matcher != NULL)
		action->matcher->refs--;
	ctx->nb_objects--;
	pthread_mutex_unlock(&ctx->lock);
	free(action);
	return 0;
}

uint32_t
mlx5dr_action_stc(const struct mlx5dr_action *action)
{
	return htobe32(action->stc);
}
