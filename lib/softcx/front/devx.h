/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_FRONT_DEVX_H
#define SOFTCX_FRONT_DEVX_H

#include "softcx/core/devx.h"
#include "softcx/front/user.h"

/* What programs hold as an opaque struct mlx5dv_devx_obj. */
struct mlx5dv_devx_obj {
	struct sc_user *user;
	struct sc_devx_object object;
};

#endif
