/* SPDX-License-Identifier: BSD-3-Clause */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>

#include "flow/error.h"

static __thread char ring[FLOW_ERROR_RING][FLOW_ERROR_LEN];
static __thread unsigned int ring_next;

int
flow_error(struct rte_flow_error *error, int err, enum rte_flow_error_type type, const void *cause,
	const char *format, ...)
{
	char *message = ring[ring_next++ % FLOW_ERROR_RING];
	va_list args;

	va_start(args, format);
	vsnprintf(message, FLOW_ERROR_LEN, format, args);
	va_end(args);
	if (error != NULL)
		*error = (struct rte_flow_error){ .type = type, .cause = cause, .message = message };
	rte_errno = err;
	return -err;
}

/* A type that rte_flow has no name for is told by its number. */
static const char *
name_of(enum rte_flow_conv_op op, uintptr_t type)
{
	static __thread char number[24];
	const char *name = NULL;

	if (rte_flow_conv(op, &name, sizeof(name), (const void *)type, NULL) > 0 && name != NULL)
		return name;
	snprintf(number, sizeof(number), "of type %u", (unsigned int)type);
	return number;
}

const char *
flow_item_name(enum rte_flow_item_type type)
{
	/* Missing in the table of 22.11. */
	if (type == RTE_FLOW_ITEM_TYPE_MACSEC)
		return "MACSEC";
	return name_of(RTE_FLOW_CONV_OP_ITEM_NAME_PTR, type);
}

const char *
flow_action_name(enum rte_flow_action_type type)
{
	return name_of(RTE_FLOW_CONV_OP_ACTION_NAME_PTR, type);
}
