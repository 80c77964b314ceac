/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Jumps to one row of a table by index with pattern (jump_to_table_index). Packets come to such a table in no other way.
 *
 * Its rows are an action of mlx5dr, made when the first who may jump there holds the table. Templates that fix the table hold
 * it; where rules name it, the table of these rules does, from the first such rule until it has no rules and the other one is to
 * go. What a rule asks is one bit.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/error.h"

#ifdef FLOW_HAS_INDEX_PATTERN

#define WORD_BITS 64

static bool
reaches(const struct rte_flow_template_table *table, const struct rte_flow_template_table *rows)
{
	return __atomic_load_n(&table->row_targets[rows->index / WORD_BITS], __ATOMIC_ACQUIRE) >> rows->index % WORD_BITS & 1;
}

static void
forget(struct rte_flow_template_table *table, struct rte_flow_template_table *rows)
{
	table->row_targets[rows->index / WORD_BITS] &= ~((uint64_t)1 << rows->index % WORD_BITS);
	flow_rows_put(rows);
}

int
flow_rows_check(const struct flow_port *port, const struct rte_flow_template_table *rows, enum mlx5dr_table_type type,
	const struct rte_flow_action *action, struct rte_flow_error *error)
{
	if (rows == NULL || rows->port != port)
		return flow_error_conf(error, EINVAL, action, "jump_to_table_index: table is not one of this port");
	if (flow_index_mode(&rows->attr) != MLX5DR_MATCHER_ISOLATED)
		return flow_error_conf(error, EINVAL, action,
			"jump_to_table_index: the table's insertion type is not index with pattern");
	if (flow_type_of(&rows->attr.flow_attr) != type)
		return flow_error_conf(error, EINVAL, action, "jump_to_table_index: the table is for %s",
			type == MLX5DR_NIC_TX ? "ingress" : "egress");
	return 0;
}

int
flow_rows_check_row(const struct rte_flow_template_table *rows, uint32_t row, const struct rte_flow_action *action,
	struct rte_flow_error *error)
{
	if (likely(row < rows->attr.nb_flows))
		return 0;
	return flow_error_conf(error, EINVAL, action, "jump_to_table_index: index %u, the table has rows 0 to %u", row,
		rows->attr.nb_flows - 1);
}

int
flow_rows_hold(struct rte_flow_template_table *rows, const struct rte_flow_action *action, struct rte_flow_error *error)
{
	if (rows->row_jump == NULL) {
		int rc = mlx5dr_action_create_jump_to_matcher(rows->matcher, &rows->row_jump);

		if (rc != 0)
			return flow_error_conf(error, -rc, action, "jump_to_table_index: %s", flow_reason(NULL, rc));
	}
	rows->row_users++;
	return 0;
}

void
flow_rows_put(struct rte_flow_template_table *rows)
{
	rows->row_users--;
}

int
flow_rows_reach(struct rte_flow_template_table *table, struct rte_flow_template_table *rows, enum mlx5dr_table_type type,
	const struct rte_flow_action *action, struct rte_flow_error *error)
{
	int rc = flow_rows_check(table->port, rows, type, action, error);

	if (rc != 0)
		return rc;
	if (rows == table)
		return flow_error_conf(error, EINVAL, action, "jump_to_table_index: the table is the rule's own");
	if (likely(reaches(table, rows)))
		return 0;
	pthread_mutex_lock(&table->port->lock);
	if (!reaches(table, rows)) {
		rc = flow_rows_hold(rows, action, error);
		if (rc == 0)
			__atomic_or_fetch(&table->row_targets[rows->index / WORD_BITS], (uint64_t)1 << rows->index % WORD_BITS,
				__ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table->port->lock);
	return rc;
}

int
flow_rows_leave(struct flow_port *port, struct rte_flow_template_table *rows)
{
	struct rte_flow_template_table *table = rows->row_users != 0 ? LIST_FIRST(&port->table_list) : NULL;
	int rc = 0;

	for (; table != NULL; table = LIST_NEXT(table, next))
		if (table->row_targets != NULL && reaches(table, rows) && mlx5dr_rule_next(table->matcher, NULL) == NULL)
			forget(table, rows);
	if (rows->row_users != 0)
		return -EBUSY;
	if (rows->row_jump != NULL)
		rc = mlx5dr_action_destroy(rows->row_jump);
	if (rc == 0)
		rows->row_jump = NULL; /* made anew for the next user, should the table stay */
	return rc;
}

int
flow_rows_open(struct rte_flow_template_table *table, enum mlx5dr_table_type type)
{
	bool named = false;

	for (unsigned int i = 0; i < table->nb_at; i++) {
		const struct flow_plan *plan = &table->at[i]->side[type]->plan;

		named |= plan->fate == FLOW_FATE_ROW && !plan->fate_fixed;
	}
	if (!named)
		return 0;
	table->row_targets = calloc(FLOW_MAX_TABLES / WORD_BITS + 1, sizeof(table->row_targets[0]));
	return table->row_targets != NULL ? 0 : -ENOMEM;
}

void
flow_rows_close(struct rte_flow_template_table *table)
{
	for (unsigned int i = 0; table->row_targets != NULL && i < FLOW_MAX_TABLES; i++)
		if (table->port->tables[i] != NULL && reaches(table, table->port->tables[i]))
			forget(table, table->port->tables[i]);
	free(table->row_targets);
}

#endif /* FLOW_HAS_INDEX_PATTERN */
