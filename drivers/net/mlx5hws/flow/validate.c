/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * rte_flow_validate says what rte_flow_create would say, from the same compilers: the pattern's specs with their masks, the
 * actions as if a template fixed all of them.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/error.h"

static int
check_attr(const struct rte_flow_attr *attr, struct rte_flow_error *error)
{
	int rc;

	if (attr == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR, NULL, "rule: attr is NULL");
	rc = flow_check_directions(attr, attr->ingress, attr->egress, attr->transfer, "rule", error);
	if (rc != 0)
		return rc;
	if (attr->ingress && attr->egress)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_EGRESS, attr,
			"rule: ingress and egress, a rule has one direction");
	if (attr->group >= FLOW_MAX_GROUPS)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr, "rule: group %u, groups are below %u",
			attr->group, FLOW_MAX_GROUPS);
	if (attr->priority > FLOW_MAX_PRIORITY)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, attr, "rule: priority %u, at most %u",
			attr->priority, FLOW_MAX_PRIORITY);
	return 0;
}

static int
check_actions(struct flow_port *port, enum mlx5dr_table_type type, const struct rte_flow_action actions[],
	struct rte_flow_error *error)
{
	struct flow_plan_request request = {
		.actions = actions, .masks = actions, .type = type, .regs = &port->regs,
		.nb_queues = port->dev->data->nb_rx_queues, .indirect_type = flow_handle_type, .arg = port, .rule = true,
	};
	struct flow_plan *plan = calloc(1, sizeof(*plan));
	int rc;

	if (plan == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, actions, "no memory");
	rc = flow_plan(&request, plan, error);
	free(plan);
	return rc;
}

int
flow_op_validate(struct rte_eth_dev *dev, const struct rte_flow_attr *attr, const struct rte_flow_item pattern[],
	const struct rte_flow_action actions[], struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct flow_pattern compiled;
	int rc = check_attr(attr, error);

	if (rc == 0 && port->unsupported != NULL)
		rc = flow_port_check(port, error);
	if (rc == 0)
		rc = flow_pattern_compile(pattern, false, flow_type_of(attr), &port->regs, &compiled, error);
	if (rc == 0)
		rc = check_actions(port, flow_type_of(attr), actions, error);
	if (rc != 0)
		return rc;
	return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev,
		"create: synchronous rules are not supported yet, use template tables");
}
