/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The work queue inside a send or receive queue context.
 */
#ifndef SOFTCX_CMD_QUEUE_WQ_H
#define SOFTCX_CMD_QUEUE_WQ_H

#include "softcx/cmd/queue.h"

struct sc_queue_wq {
	const char *what; /* "SQ", "RQ" */
	uint32_t types;   /* allowed, 1 << PRM_WQ_TYPE_* */
	uint32_t log_stride_min, log_stride_max;
	/* found: */
	struct sc_queue_mem ring, record;
	struct sc_object *pd;
	uint32_t uar, type, log_size, log_stride, lwm;
	uint32_t log_strides, log_stride_bytes; /* striding types */
	bool two_byte_shift;
};

/*
 * Check a work queue and find its memory and domain. @return 0, or the command refused. Takes no
 * reference.
 */
int sc_queue_wq(struct sc_call *call, const void *context, struct sc_queue_wq *wq);

#endif
