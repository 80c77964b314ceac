/* SPDX-License-Identifier: BSD-3-Clause */

/* What many ops ask first, and how they tell afterwards why something below refused. */

#include "flow/engine.h"

#include <string.h>

#include "flow/error.h"
#include "hca/cmd.h"

const char *
flow_reason(const struct mlx5dr_error *reason, int rc)
{
	const struct hca_error *command = hca_cmd_last_error();

	if (reason != NULL && reason->text[0] != '\0')
		return reason->text;
	if (command != NULL && command->command != NULL && command->err == (rc < 0 ? -rc : rc))
		return command->text;
	/* No command of the device said so: what the driver itself shares out is its action contexts. */
	if (rc == -ENOSPC)
		return "all action contexts (STCs) of the device are in use";
	return strerror(rc < 0 ? -rc : rc);
}

int
flow_port_check(struct flow_port *port, struct rte_flow_error *error)
{
	hca_cmd_forget_error(); /* every op that may have to tell a reason begins here */
	if (port->unsupported != NULL)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_STATE, port->dev,
			"no hardware steering on this device: %s", port->unsupported);
	if (port->nb_queues == 0)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_STATE, port->dev,
			"rte_flow_configure has not been called on this port");
	return 0;
}

int
flow_check_directions(const void *attr, bool ingress, bool egress, bool transfer, const char *what,
	struct rte_flow_error *error)
{
	if (transfer)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_TRANSFER, attr,
			"%s: transfer is not supported", what);
	if (!ingress && !egress)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR, attr,
			"%s: no direction, set ingress or egress", what);
	return 0;
}
