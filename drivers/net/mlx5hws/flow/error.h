/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * How a refused call is told: one line that names the culprit, rte_errno, and all three fields of rte_flow_error.
 *
 * A message is built at the moment of the error, in a ring of the calling thread; it stays readable until the thread has
 * made FLOW_ERROR_RING more errors.
 */
#ifndef FLOW_ERROR_H
#define FLOW_ERROR_H

#include <errno.h>
#include <rte_flow.h>

#define FLOW_ERROR_RING 16
#define FLOW_ERROR_LEN 192

/*
 * Fill error (may be NULL) and rte_errno.
 *
 * err:   positive errno.
 * cause: the item, action, attribute or handle that is wrong, as type says.
 *
 * @return -err, for "return flow_error(...)".
 */
int flow_error(struct rte_flow_error *error, int err, enum rte_flow_error_type type, const void *cause,
	const char *format, ...) __attribute__((format(printf, 5, 6), cold));

/* The names that rte_flow itself prints; "of type N" for what it has no name for. */
const char *flow_item_name(enum rte_flow_item_type type);
const char *flow_action_name(enum rte_flow_action_type type);

/* Short forms for the commonest culprits. */
#define flow_error_item(error, err, item, ...) \
	flow_error(error, err, RTE_FLOW_ERROR_TYPE_ITEM, item, __VA_ARGS__)
#define flow_error_action(error, err, action, ...) \
	flow_error(error, err, RTE_FLOW_ERROR_TYPE_ACTION, action, __VA_ARGS__)
#define flow_error_conf(error, err, action, ...) \
	flow_error(error, err, RTE_FLOW_ERROR_TYPE_ACTION_CONF, (action)->conf, __VA_ARGS__)

#endif
