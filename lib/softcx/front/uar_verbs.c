/* SPDX-License-Identifier: BSD-3-Clause */

/* UAR pages as programs get them. */
#include "softcx/front/user.h"

#include <stdlib.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/core/uar.h"

/* First send register of a page; the mapping type that programs may ask for. */
#define UAR_SEND   0x800
#define UAR_TYPE_NC MLX5DV_UAR_ALLOC_TYPE_NC

struct uar {
	struct mlx5dv_devx_uar dv;
	struct sc_uar *uar;
};

struct uar_call {
	struct sc_user *user;
	struct sc_uar *uar;
};

static int
create_uar(void *arg)
{
	struct uar_call *call = arg;

	return sc_uar_create(call->user->dev, call->user->uid, &call->uar);
}

static int
destroy_uar(void *arg)
{
	return sc_uar_destroy(((struct uar_call *)arg)->uar);
}

/* Write-combining or not makes no difference: every store is seen at once. */
struct mlx5dv_devx_uar *
mlx5dv_devx_alloc_uar(struct ibv_context *context, uint32_t flags)
{
	struct uar_call call = { .user = sc_user_of(context) };
	struct uar *uar = NULL;
	int rc = -EOPNOTSUPP;

	if ((flags & ~(uint32_t)UAR_TYPE_NC) == 0) {
		uar = calloc(1, sizeof(*uar));
		rc = uar == NULL ? -ENOMEM : sc_engine_call(create_uar, &call);
	}
	if (rc != 0) {
		free(uar);
		errno = -rc;
		return NULL;
	}
	uar->uar = call.uar;
	uar->dv.base_addr = call.uar->page;
	uar->dv.reg_addr = call.uar->page + UAR_SEND;
	uar->dv.page_id = call.uar->obj.id;
	return &uar->dv;
}

void
mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *dv)
{
	struct uar *uar = (struct uar *)dv;
	struct uar_call call = { .uar = uar->uar };

	sc_engine_call(destroy_uar, &call);
	free(uar);
}
