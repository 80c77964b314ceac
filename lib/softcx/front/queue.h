/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_FRONT_QUEUE_H
#define SOFTCX_FRONT_QUEUE_H

#include "softcx/core/devx.h"
#include "softcx/front/user.h"

/* The verbs CQ of that number, or NULL. */
struct ibv_cq *sc_cq_by_number(const struct sc_device *dev, uint32_t cqn);

uint32_t sc_cq_number(const struct ibv_cq *cq);

/* A DevX query or modify of a verbs CQ. @return 0 or positive errno. */
int sc_cq_command(struct ibv_cq *cq, enum sc_devx_kind kind, const void *in, size_t inlen, void *out,
	size_t outlen);

#endif
