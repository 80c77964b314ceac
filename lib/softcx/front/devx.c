/* SPDX-License-Identifier: BSD-3-Clause */

/* DevX: firmware commands of a program, through the kernel's filter (core/devx.h). */
#include "softcx/front/devx.h"

#include <stdlib.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/front/channel.h"

int
mlx5dv_devx_general_cmd(struct ibv_context *context, const void *in, size_t inlen, void *out, size_t outlen)
{
	struct sc_user *user = sc_user_of(context);

	return sc_verbs_return(sc_devx(user->dev, user->uid, SC_DEVX_GENERAL, NULL, in, inlen, out, outlen));
}

struct mlx5dv_devx_obj *
mlx5dv_devx_obj_create(struct ibv_context *context, const void *in, size_t inlen, void *out, size_t outlen)
{
	struct mlx5dv_devx_obj *obj = calloc(1, sizeof(*obj));
	int rc;

	if (obj == NULL)
		return NULL;
	obj->user = sc_user_of(context);
	rc = sc_devx(obj->user->dev, obj->user->uid, SC_DEVX_CREATE, &obj->object, in, inlen, out, outlen);
	if (rc != 0) {
		free(obj);
		errno = -rc;
		return NULL;
	}
	return obj;
}

int
mlx5dv_devx_obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	return sc_verbs_return(sc_devx(obj->user->dev, obj->user->uid, SC_DEVX_QUERY, &obj->object, in, inlen,
				       out, outlen));
}

int
mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, size_t outlen)
{
	return sc_verbs_return(sc_devx(obj->user->dev, obj->user->uid, SC_DEVX_MODIFY, &obj->object, in,
				       inlen, out, outlen));
}

static int
destroy_object(void *arg)
{
	const struct mlx5dv_devx_obj *obj = arg;

	return sc_destroyed(obj->user->dev, sc_devx_destroy(obj->user->dev, obj->user->uid, &obj->object));
}

int
mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *obj)
{
	int rc = sc_engine_call(destroy_object, obj);

	if (rc != 0)
		return sc_verbs_return(rc);
	sc_channels_forget(obj->user->dev, obj->object.type, obj->object.id);
	free(obj);
	return 0;
}

/* One event queue stands for all vectors, as on a kernel with one core. */
int
mlx5dv_devx_query_eqn(struct ibv_context *context, uint32_t vector, uint32_t *eqn)
{
	if (vector >= SC_COMP_VECTORS)
		return sc_verbs_return(-EINVAL);
	*eqn = SC_EQN_FIRST + vector;
	return 0;
}
