/* SPDX-License-Identifier: BSD-3-Clause */

/* The kernel's flow tables for programs: matchers and rules of the root. */
#include "softcx/front/flow.h"

#include <stdlib.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/front/devx.h"

int
sc_flow_domain(enum mlx5dv_flow_table_type ft_type, enum sc_domain *domain)
{
	static const enum sc_domain domains[] = {
		[MLX5DV_FLOW_TABLE_TYPE_NIC_RX] = SC_DOMAIN_RX,
		[MLX5DV_FLOW_TABLE_TYPE_NIC_TX] = SC_DOMAIN_TX,
	};

	if ((unsigned int)ft_type > MLX5DV_FLOW_TABLE_TYPE_NIC_TX)
		return -EOPNOTSUPP;
	*domain = domains[ft_type];
	return 0;
}

/* ---- matchers ---- */

struct mlx5dv_flow_matcher {
	struct ibv_context *context;
	struct sc_root_matcher *matcher;
};

struct matcher_call {
	struct sc_user *user;
	enum sc_domain domain;
	const struct mlx5dv_flow_matcher_attr *attr;
	struct sc_root_matcher *matcher;
};

static int
create_matcher(void *arg)
{
	struct matcher_call *call = arg;
	const struct mlx5dv_flow_matcher_attr *attr = call->attr;

	return sc_root_matcher_create(call->user->dev, call->user->uid, call->domain, attr->priority,
				      attr->match_criteria_enable, attr->match_mask->match_buf,
				      attr->match_mask->match_sz, &call->matcher);
}

static int
destroy_matcher(void *arg)
{
	struct matcher_call *call = arg;

	return sc_destroyed(call->user->dev, sc_root_matcher_destroy(call->matcher));
}

/*
 * The kind of table is in ft_type where comp_mask says so, else in flags (IBV_FLOW_ATTR_FLAGS_EGRESS), as
 * in the years before ft_type.
 */
static int
matcher_domain(const struct mlx5dv_flow_matcher_attr *attr, enum sc_domain *domain)
{
	if (attr->type != IBV_FLOW_ATTR_NORMAL ||
	    attr->comp_mask & ~(uint64_t)MLX5DV_FLOW_MATCHER_MASK_FT_TYPE)
		return -EOPNOTSUPP;
	if (attr->comp_mask & MLX5DV_FLOW_MATCHER_MASK_FT_TYPE)
		return attr->flags != 0 ? -EINVAL : sc_flow_domain(attr->ft_type, domain);
	if (attr->flags & ~IBV_FLOW_ATTR_FLAGS_EGRESS)
		return -EOPNOTSUPP;
	*domain = attr->flags != 0 ? SC_DOMAIN_TX : SC_DOMAIN_RX;
	return 0;
}

struct mlx5dv_flow_matcher *
mlx5dv_create_flow_matcher(struct ibv_context *context, struct mlx5dv_flow_matcher_attr *attr)
{
	struct matcher_call call = { .user = sc_user_of(context), .attr = attr };
	struct mlx5dv_flow_matcher *matcher = NULL;
	int rc = matcher_domain(attr, &call.domain);

	if (rc == 0) {
		matcher = calloc(1, sizeof(*matcher));
		rc = matcher == NULL ? -ENOMEM : sc_engine_call(create_matcher, &call);
	}
	if (rc != 0) {
		free(matcher);
		errno = -rc;
		return NULL;
	}
	matcher->context = context;
	matcher->matcher = call.matcher;
	return matcher;
}

int
mlx5dv_destroy_flow_matcher(struct mlx5dv_flow_matcher *matcher)
{
	struct matcher_call call = { .user = sc_user_of(matcher->context), .matcher = matcher->matcher };
	int rc = sc_engine_call(destroy_matcher, &call);

	if (rc == 0)
		free(matcher);
	return sc_verbs_return(rc);
}

/* ---- rules ---- */

#define ACTIONS_MAX 16

struct flow {
	struct ibv_flow ibv;
	struct sc_root_rule *rule;
};

struct rule_call {
	struct sc_user *user;
	struct sc_root_matcher *matcher;
	const struct mlx5dv_flow_match_parameters *value;
	const struct mlx5dv_flow_action_attr *attrs;
	size_t nb_attrs;
	struct sc_root_rule *rule;
};

/* Handles are those of one context: the kernel knows no other's. */
static int
devx_action(const struct sc_user *user, const struct mlx5dv_flow_action_attr *attr,
	struct sc_root_action *action)
{
	const struct sc_devx_object *object = &attr->obj->object;

	if (attr->obj->user != user)
		return -EINVAL;
	action->object = object->type == SC_TYPES ? NULL :
		sc_object_find(attr->obj->user->dev, object->type, object->id);
	return action->object == NULL ? -EINVAL : 0;
}

static int
tag_action(const struct sc_user *user, const struct mlx5dv_flow_action_attr *attr,
	struct sc_root_action *action)
{
	action->value = attr->tag_value;
	return 0;
}

static int
verbs_action(const struct sc_user *user, const struct mlx5dv_flow_action_attr *attr,
	struct sc_root_action *action)
{
	if (sc_user_of(attr->action->context) != user)
		return -EINVAL;
	action->object = ((struct sc_verbs_action *)attr->action)->object;
	return 0;
}

static int
plain_action(const struct sc_user *user, const struct mlx5dv_flow_action_attr *attr,
	struct sc_root_action *action)
{
	return 0;
}

/*
 * By number of enum mlx5dv_flow_action_type; no translate: queue pairs and verbs counters do not exist
 * here.
 */
static const struct {
	enum sc_root_action_type type;
	int (*translate)(const struct sc_user *user, const struct mlx5dv_flow_action_attr *attr,
			 struct sc_root_action *action);
} root_actions[] = {
	[MLX5DV_FLOW_ACTION_DROP] = { SC_ROOT_DROP, plain_action },
	[MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION] = { SC_ROOT_FLOW_ACTION, verbs_action },
	[MLX5DV_FLOW_ACTION_TAG] = { SC_ROOT_TAG, tag_action },
	[MLX5DV_FLOW_ACTION_DEST_DEVX] = { SC_ROOT_DEST, devx_action },
	[MLX5DV_FLOW_ACTION_COUNTERS_DEVX] = { SC_ROOT_COUNTER, devx_action },
	[MLX5DV_FLOW_ACTION_DEFAULT_MISS] = { SC_ROOT_DEFAULT_MISS, plain_action },
};

#define ROOT_ACTIONS (sizeof(root_actions) / sizeof(root_actions[0]))

static int
create_rule(void *arg)
{
	struct rule_call *call = arg;
	struct sc_root_action actions[ACTIONS_MAX] = { 0 };

	for (size_t i = 0; i < call->nb_attrs; i++) {
		unsigned int type = call->attrs[i].type;
		int rc = -EOPNOTSUPP;

		if (type < ROOT_ACTIONS && root_actions[type].translate != NULL)
			rc = root_actions[type].translate(call->user, &call->attrs[i], &actions[i]);
		if (rc != 0)
			return rc;
		actions[i].type = root_actions[type].type;
	}
	return sc_root_rule_create(call->matcher, call->user->uid, call->value->match_buf,
				   call->value->match_sz, actions, call->nb_attrs, &call->rule);
}

static int
destroy_rule(void *arg)
{
	struct rule_call *call = arg;

	return sc_destroyed(call->user->dev, sc_root_rule_destroy(call->rule));
}

struct ibv_flow *
mlx5dv_create_flow(struct mlx5dv_flow_matcher *matcher, struct mlx5dv_flow_match_parameters *match_value,
		   size_t num_actions, struct mlx5dv_flow_action_attr actions_attr[])
{
	struct rule_call call = {
		.user = sc_user_of(matcher->context), .matcher = matcher->matcher, .value = match_value,
		.attrs = actions_attr, .nb_attrs = num_actions,
	};
	struct flow *flow = NULL;
	int rc = -EINVAL;

	if (num_actions <= ACTIONS_MAX) {
		flow = calloc(1, sizeof(*flow));
		rc = flow == NULL ? -ENOMEM : sc_engine_call(create_rule, &call);
	}
	if (rc != 0) {
		free(flow);
		errno = -rc;
		return NULL;
	}
	flow->ibv.context = matcher->context;
	flow->rule = call.rule;
	return &flow->ibv;
}

int
sc_flow_destroy(struct ibv_flow *ibv)
{
	struct flow *flow = (struct flow *)ibv;
	struct rule_call call = { .user = sc_user_of(ibv->context), .rule = flow->rule };
	int rc = sc_engine_call(destroy_rule, &call);

	if (rc == 0)
		free(flow);
	return sc_verbs_return(rc);
}
