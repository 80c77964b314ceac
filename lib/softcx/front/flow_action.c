/* SPDX-License-Identifier: BSD-3-Clause */

/* Flow actions of verbs: modify header and packet reformat, for root rules. */
#include "softcx/front/flow.h"

#include <stdlib.h>

#include "softcx/core/engine.h"

struct action_call {
	struct sc_user *user;
	enum sc_domain domain;
	const void *data;
	size_t len;
	uint8_t reformat;
	struct sc_object *object;
};

static int
create_modify_header(void *arg)
{
	struct action_call *call = arg;

	return sc_modify_header_create(call->user->dev, call->user->uid, call->domain, call->data,
				       call->len / 8, &call->object);
}

static int
create_reformat(void *arg)
{
	struct action_call *call = arg;

	return sc_reformat_create(call->user->dev, call->user->uid, call->domain, call->reformat, call->data,
				  call->len, &call->object);
}

static int
destroy_action(void *arg)
{
	struct action_call *call = arg;

	return sc_destroyed(call->user->dev, sc_flow_action_destroy(call->object));
}

static struct ibv_flow_action *
create_action(struct ibv_context *context, enum mlx5dv_flow_table_type ft_type, int (*create)(void *),
	      struct action_call *call)
{
	struct sc_verbs_action *action = NULL;
	int rc = sc_flow_domain(ft_type, &call->domain);

	call->user = sc_user_of(context);
	if (rc == 0) {
		action = calloc(1, sizeof(*action));
		rc = action == NULL ? -ENOMEM : sc_engine_call(create, call);
	}
	if (rc != 0) {
		free(action);
		errno = -rc;
		return NULL;
	}
	action->ibv.context = context;
	action->object = call->object;
	return &action->ibv;
}

struct ibv_flow_action *
mlx5dv_create_flow_action_modify_header(struct ibv_context *context, size_t actions_sz, uint64_t actions[],
					enum mlx5dv_flow_table_type ft_type)
{
	struct action_call call = { .data = actions, .len = actions_sz };

	if (actions_sz == 0 || actions_sz % 8 != 0) {
		errno = EINVAL;
		return NULL;
	}
	return create_action(context, ft_type, create_modify_header, &call);
}

struct ibv_flow_action *
mlx5dv_create_flow_action_packet_reformat(struct ibv_context *context, size_t data_sz, void *data,
					  enum mlx5dv_flow_action_packet_reformat_type reformat_type,
					  enum mlx5dv_flow_table_type ft_type)
{
	/* verbs numbers to those of the PRM (hws.md 2.10) */
	static const uint8_t types[] = {
		[MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2] = 0,
		[MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL] = 2,
		[MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2] = 3,
		[MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL] = 4,
	};
	struct action_call call = { .data = data, .len = data_sz };

	if ((unsigned int)reformat_type >= sizeof(types)) {
		errno = EINVAL;
		return NULL;
	}
	call.reformat = types[reformat_type];
	return create_action(context, ft_type, create_reformat, &call);
}

int
sc_flow_action_destroy_verbs(struct ibv_flow_action *ibv)
{
	struct sc_verbs_action *action = (struct sc_verbs_action *)ibv;
	struct action_call call = { .user = sc_user_of(ibv->context), .object = action->object };
	int rc = sc_engine_call(destroy_action, &call);

	if (rc == 0)
		free(action);
	return sc_verbs_return(rc);
}

/*
 * ---- the actions of software steering that are nothing but the library's notes ----
 *
 * Drivers ask for them before they know whether the device can do software steering, and crash without
 * them; the domain, without which they are of no use, is what is refused.
 */

struct mlx5dv_dr_action {
	int none; /* nothing here ever asks what it was */
};

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_default_miss(void)
{
	return calloc(1, sizeof(struct mlx5dv_dr_action));
}

struct mlx5dv_dr_action *
mlx5dv_dr_action_create_dest_devx_tir(struct mlx5dv_devx_obj *tir)
{
	return calloc(1, sizeof(struct mlx5dv_dr_action));
}

int
mlx5dv_dr_action_destroy(struct mlx5dv_dr_action *action)
{
	free(action);
	return 0;
}
