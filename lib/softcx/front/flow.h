/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_FRONT_FLOW_H
#define SOFTCX_FRONT_FLOW_H

#include <infiniband/mlx5dv.h>

#include "softcx/front/user.h"
#include "softcx/steer/steer.h"

/* What programs hold as struct ibv_flow_action: a modify header or a packet reformat. */
struct sc_verbs_action {
	struct ibv_flow_action ibv;
	struct sc_object *object;
};

/* @return -EOPNOTSUPP for what is neither NIC receive nor NIC transmit (FDB, RDMA). */
int sc_flow_domain(enum mlx5dv_flow_table_type ft_type, enum sc_domain *domain);

#endif
