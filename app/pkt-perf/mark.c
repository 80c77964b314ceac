/* SPDX-License-Identifier: BSD-3-Clause */

#include "mark.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_flow.h>

#include "port.h"

#define MARK 0x1234
#define PULLS 1000000

struct mark_rule {
	struct rte_flow_pattern_template *pattern;
	struct rte_flow_actions_template *actions;
	struct rte_flow_template_table *table;
	struct rte_flow *rule;
};

static int
one_result(const struct perf_port *port)
{
	struct rte_flow_op_result result;
	struct rte_flow_error error;

	for (int i = 0; i < PULLS; i++) {
		int n = rte_flow_pull(port->id, 0, &result, 1, &error);

		if (n != 0)
			return n < 0 ? n : result.status == RTE_FLOW_OP_SUCCESS ? 0 : -EIO;
	}
	return -ETIMEDOUT;
}

/* @return what failed; NULL: nothing. */
static const char *
make(const struct perf_port *port, struct mark_rule *mark)
{
	const struct rte_flow_op_attr now = {.postpone = 0};
	const struct rte_flow_pattern_template_attr pattern_attr = {.ingress = 1};
	const struct rte_flow_actions_template_attr actions_attr = {.ingress = 1};
	const struct rte_flow_template_table_attr table_attr = {.flow_attr = {.ingress = 1}, .nb_flows = 1};
	const struct rte_flow_item pattern[] = {{.type = RTE_FLOW_ITEM_TYPE_ETH}, {.type = RTE_FLOW_ITEM_TYPE_END}};
	const struct rte_flow_action_mark id = {.id = MARK}, every_id = {.id = UINT32_MAX};
	const struct rte_flow_action_queue queue = {.index = 0}, every_queue = {.index = UINT16_MAX};
	const struct rte_flow_action actions[] = {{.type = RTE_FLOW_ACTION_TYPE_MARK, .conf = &id},
		{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue}, {.type = RTE_FLOW_ACTION_TYPE_END}};
	const struct rte_flow_action masks[] = {{.type = RTE_FLOW_ACTION_TYPE_MARK, .conf = &every_id},
		{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &every_queue}, {.type = RTE_FLOW_ACTION_TYPE_END}};
	struct rte_flow_error error = {0};

	mark->pattern = rte_flow_pattern_template_create(port->id, &pattern_attr, pattern, &error);
	if (mark->pattern == NULL)
		return "pattern_template_create";
	mark->actions = rte_flow_actions_template_create(port->id, &actions_attr, actions, masks, &error);
	if (mark->actions == NULL)
		return "actions_template_create";
	mark->table = rte_flow_template_table_create(port->id, &table_attr, &mark->pattern, 1, &mark->actions, 1, &error);
	if (mark->table == NULL)
		return "template_table_create";
	mark->rule = rte_flow_async_create(port->id, 0, &now, mark->table, pattern, 0, actions, 0, NULL, &error);
	if (mark->rule == NULL)
		return "flow_async_create";
	rte_errno = -one_result(port);
	return rte_errno == 0 ? NULL : "flow_pull";
}

int
mark_open(const struct perf_port *port, struct mark_rule **mark)
{
	const char *failed;
	int rc;

	*mark = calloc(1, sizeof(**mark));
	if (*mark == NULL)
		return port_say(port, "calloc", ENOMEM);
	failed = make(port, *mark);
	if (failed == NULL)
		return 0;
	rc = port_say(port, failed, rte_errno);
	mark_close(port, *mark);
	*mark = NULL;
	return rc;
}

void
mark_close(const struct perf_port *port, struct mark_rule *mark)
{
	const struct rte_flow_op_attr now = {.postpone = 0};
	struct rte_flow_error error;

	if (mark == NULL)
		return;
	if (mark->rule != NULL && rte_flow_async_destroy(port->id, 0, &now, mark->rule, NULL, &error) == 0)
		one_result(port);
	if (mark->table != NULL)
		rte_flow_template_table_destroy(port->id, mark->table, &error);
	if (mark->actions != NULL)
		rte_flow_actions_template_destroy(port->id, mark->actions, &error);
	if (mark->pattern != NULL)
		rte_flow_pattern_template_destroy(port->id, mark->pattern, &error);
	free(mark);
}
