/* SPDX-License-Identifier: BSD-3-Clause */

/* rte_flow_dev_dump: groups, tables, templates and rules as text. */

#include "flow/engine.h"

#include <errno.h>

#include "flow/error.h"

static const char *const states[] = {
	[MLX5DR_RULE_FREE] = "free", [MLX5DR_RULE_CREATING] = "creating",
	[MLX5DR_RULE_CREATED] = "created", [MLX5DR_RULE_DELETING] = "deleting", [MLX5DR_RULE_DELETED] = "deleted",
	[MLX5DR_RULE_FAILED] = "failed", [MLX5DR_RULE_TAKEN] = "taken",
};

static void
dump_rule(const struct mlx5dr_rule *rule, const struct rte_flow_template_table *table, FILE *file)
{
	fprintf(file, "    rule %u: %s%s, tag", mlx5dr_rule_index(table->matcher, rule),
		states[mlx5dr_rule_state(rule)], rule->bits & MLX5DR_RULE_COLLISION ? ", in the collision table" : "");
	for (unsigned int i = 0; i < sizeof(rule->tag); i++)
		fprintf(file, "%s%02x", i % 4 == 0 ? " " : "", rule->tag[i]);
	if (rule->counter == MLX5DR_NO_COUNTER)
		fprintf(file, "\n");
	else
		fprintf(file, ", %s %u\n", rule->counter & FLOW_SHARED_COUNTER ? "indirect" : "counter",
			rule->counter & ~FLOW_SHARED_COUNTER);
}

static void
dump_templates(const struct rte_flow_template_table *table, FILE *file)
{
	for (unsigned int i = 0; i < table->nb_pt; i++) {
		fprintf(file, "    pattern %u%s:", i, table->pt[i]->relaxed ? " (relaxed)" : "");
		for (unsigned int j = 0; j < table->pt[i]->nb_items; j++)
			fprintf(file, " %s /", flow_item_name(table->pt[i]->items[j].type));
		fprintf(file, " end\n");
	}
	for (unsigned int i = 0; i < table->nb_at; i++) {
		fprintf(file, "    actions %u:", i);
		for (unsigned int j = 0; j < table->at[i]->nb_actions; j++)
			fprintf(file, " %s /", flow_action_name(table->at[i]->actions[j].type));
		fprintf(file, " end\n");
	}
}

static void
dump_table(const struct rte_flow_template_table *table, FILE *file)
{
	const struct rte_flow_attr *attr = &table->attr.flow_attr;

	fprintf(file, "  table %u: %s group %u priority %u, flow table 0x%x, room for %u rules, %zu bytes\n", table->index,
		attr->egress ? "egress" : "ingress", attr->group, attr->priority, mlx5dr_table_id(table->group->table),
		table->attr.nb_flows, mlx5dr_matcher_bytes(table->matcher));
	dump_templates(table, file);
	for (struct mlx5dr_rule *r = mlx5dr_rule_next(table->matcher, NULL); r != NULL;
	     r = mlx5dr_rule_next(table->matcher, r))
		dump_rule(r, table, file);
}

static void
dump_port(const struct flow_port *port, FILE *file)
{
	const struct rte_flow_template_table *table;
	const struct rte_flow_action_handle *handle;

	fprintf(file, "port %s: %s%s, %u flow queues, %u counters\n", port->dev->data->name,
		port->started ? "started" : "stopped", port->isolated ? ", isolated" : "", port->nb_queues,
		port->counters != NULL ? mlx5dr_counter_pool_size(port->counters) : 0);
	fprintf(file, "  group 0: ingress flow table 0x%x, misses %s; egress flow table 0x%x, misses to the wire\n",
		mlx5dr_table_id(port->groups[MLX5DR_NIC_RX][0]->table),
		port->anchor != NULL ? "to the kernel" : "are dropped",
		mlx5dr_table_id(port->groups[MLX5DR_NIC_TX][0]->table));
	LIST_FOREACH(table, &port->table_list, next)
		dump_table(table, file);
	LIST_FOREACH(handle, &port->handle_list, next)
		fprintf(file, "  indirect %u: %s, %u users\n", handle->index, flow_action_name(handle->type),
			atomic_load_explicit(&handle->refs, memory_order_relaxed));
}

int
flow_op_dev_dump(struct rte_eth_dev *dev, struct rte_flow *flow, FILE *file, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	const struct mlx5dr_rule *rule = (const struct mlx5dr_rule *)flow;

	if (port->unsupported != NULL)
		return flow_port_check(port, error);
	if (file == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev, "dump: file is NULL");
	pthread_mutex_lock(&port->lock);
	if (rule == NULL)
		dump_port(port, file);
	else if (port->tables[rule->table] != NULL)
		dump_rule(rule, port->tables[rule->table], file);
	pthread_mutex_unlock(&port->lock);
	return 0;
}
