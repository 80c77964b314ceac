/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Steering anchors: table numbers by which hardware steering goes on in the root, and from there to the
 * kernel.
 */
#include "softcx/front/flow.h"

#include <stdlib.h>

#include "softcx/core/engine.h"

struct anchor {
	struct mlx5dv_steering_anchor dv;
	struct sc_user *user;
	struct sc_anchor *anchor;
};

struct anchor_call {
	struct sc_user *user;
	enum sc_domain domain;
	uint16_t priority;
	struct sc_anchor *anchor;
	uint32_t table_id;
};

static int
create_anchor(void *arg)
{
	struct anchor_call *call = arg;

	return sc_anchor_create(call->user->dev, call->user->uid, call->domain, call->priority, &call->anchor,
				&call->table_id);
}

static int
destroy_anchor(void *arg)
{
	struct anchor_call *call = arg;

	return sc_destroyed(call->user->dev, sc_anchor_destroy(call->anchor));
}

struct mlx5dv_steering_anchor *
mlx5dv_create_steering_anchor(struct ibv_context *context, struct mlx5dv_steering_anchor_attr *attr)
{
	struct anchor_call call = { .user = sc_user_of(context), .priority = attr->priority };
	struct anchor *anchor = NULL;
	int rc = attr->comp_mask != 0 ? -EOPNOTSUPP : sc_flow_domain(attr->ft_type, &call.domain);

	if (rc == 0) {
		anchor = calloc(1, sizeof(*anchor));
		rc = anchor == NULL ? -ENOMEM : sc_engine_call(create_anchor, &call);
	}
	if (rc != 0) {
		free(anchor);
		errno = -rc;
		return NULL;
	}
	anchor->dv.id = call.table_id;
	anchor->user = call.user;
	anchor->anchor = call.anchor;
	return &anchor->dv;
}

int
mlx5dv_destroy_steering_anchor(struct mlx5dv_steering_anchor *dv)
{
	struct anchor *anchor = (struct anchor *)dv;
	struct anchor_call call = { .user = anchor->user, .anchor = anchor->anchor };
	int rc = sc_engine_call(destroy_anchor, &call);

	if (rc == 0)
		free(anchor);
	return sc_verbs_return(rc);
}
