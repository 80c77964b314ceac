/* SPDX-License-Identifier: BSD-3-Clause */

/* Template tables: one matcher of mlx5dr each, which compiles every pair of templates. */

#include "flow/engine.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/error.h"

/* ---- what a table may be --------------------------------------------------------------------------------------- */

static int
check_attr(const struct rte_flow_template_table_attr *attr, struct rte_flow_error *error)
{
	const struct rte_flow_attr *flow = &attr->flow_attr;
	int rc = flow_check_directions(flow, flow->ingress, flow->egress, flow->transfer, "table", error);

	if (rc != 0)
		return rc;
	if (flow->ingress && flow->egress)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_EGRESS, flow,
			"table: ingress and egress, a table has one direction");
	if (flow->group >= FLOW_MAX_GROUPS)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, flow,
			"table: group %u, groups are below %u", flow->group, FLOW_MAX_GROUPS);
	if (flow->priority > FLOW_MAX_PRIORITY)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, flow,
			"table: priority %u, at most %u", flow->priority, FLOW_MAX_PRIORITY);
	if (attr->nb_flows == 0 || attr->nb_flows > FLOW_MAX_RULES)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR, attr, "table: nb_flows %u, 1 to %u",
			attr->nb_flows, FLOW_MAX_RULES);
	return 0;
}

static int
check_count(const void *list, uint8_t nb, const char *what, struct rte_flow_error *error)
{
	if (list != NULL && nb >= 1 && nb <= FLOW_MAX_TEMPLATES_PER_TABLE)
		return 0;
	return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, list, "table: %u %s templates, 1 to %u", nb,
		what, FLOW_MAX_TEMPLATES_PER_TABLE);
}

static int
check_template(const struct flow_port *port, const struct flow_port *owner, uint8_t directions, uint8_t direction,
	const void *template, const char *what, unsigned int i, struct rte_flow_error *error)
{
	if (template == NULL || owner != port)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, template,
			"table: %s template %u is not one of this port", what, i);
	if ((directions & direction) == 0)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, template,
			"table: %s template %u is not for %s", what, i, direction == FLOW_TX ? "egress" : "ingress");
	return 0;
}

static int
check_templates(struct flow_port *port, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *pts[], uint8_t nb_pts, struct rte_flow_actions_template *ats[],
	uint8_t nb_ats, struct rte_flow_error *error)
{
	enum mlx5dr_table_type type = flow_type_of(&attr->flow_attr);
	uint8_t direction = type == MLX5DR_NIC_TX ? FLOW_TX : FLOW_RX;
	int rc = check_count(pts, nb_pts, "pattern", error);

	if (rc == 0)
		rc = check_count(ats, nb_ats, "actions", error);
	for (unsigned int i = 0; rc == 0 && i < nb_pts; i++)
		rc = check_template(port, pts[i] != NULL ? pts[i]->port : NULL, pts[i] != NULL ? pts[i]->directions : 0,
			direction, pts[i], "pattern", i, error);
	for (unsigned int i = 0; rc == 0 && i < nb_ats; i++) {
		rc = check_template(port, ats[i] != NULL ? ats[i]->port : NULL, ats[i] != NULL ? ats[i]->directions : 0,
			direction, ats[i], "actions", i, error);
		if (rc == 0 && ats[i]->side[type]->jump != NULL &&
		    ats[i]->side[type]->jump->number == attr->flow_attr.group)
			rc = flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr,
				"table: actions template %u jumps to group %u, the table's own", i, attr->flow_attr.group);
	}
	return rc;
}

/* ---- create ---------------------------------------------------------------------------------------------------- */

static bool
prepares(const struct flow_plan *plan, enum flow_prepare_kind kind)
{
	for (unsigned int i = 0; i < plan->nb_prepare; i++)
		if (plan->prepare[i].kind == kind)
			return true;
	return false;
}

static int
pairs_create(struct rte_flow_template_table *table, enum mlx5dr_table_type type)
{
	struct flow_port *port = table->port;
	bool rss = false;

	table->pairs = calloc((size_t)table->nb_pt * table->nb_at, sizeof(table->pairs[0]));
	if (table->pairs == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < table->nb_at; i++) {
		const struct flow_plan *plan = &table->at[i]->side[type]->plan;

		rss |= prepares(plan, FLOW_PREPARE_RSS);
		table->jumps_by_rule |= prepares(plan, FLOW_PREPARE_JUMP);
		for (unsigned int j = 0; j < table->nb_pt; j++)
			table->pairs[j * table->nb_at + i] = (struct flow_pair){
				.pair = mlx5dr_matcher_pair(table->matcher, j, i),
				.plan = plan->nb_prepare != 0 ? plan : NULL,
			};
	}
	if (!rss)
		return 0;
	table->rss_cache = calloc(port->nb_queues, sizeof(table->rss_cache[0]));
	return table->rss_cache != NULL ? 0 : -ENOMEM;
}

static int
matcher_create(struct rte_flow_template_table *table, enum mlx5dr_table_type type, struct mlx5dr_error *reason)
{
	struct mlx5dr_match_template *mt[FLOW_MAX_TEMPLATES_PER_TABLE];
	struct mlx5dr_action_template *at[FLOW_MAX_TEMPLATES_PER_TABLE];
	struct mlx5dr_matcher_attr attr = {
		.nb_rules = table->attr.nb_flows, .priority = table->attr.flow_attr.priority,
		.nb_mt = table->nb_pt, .nb_at = table->nb_at, .mt = mt, .at = at,
		.mode = flow_index_mode(&table->attr), .resizable = flow_table_is_resizable(&table->attr),
	};
	int rc;

	for (unsigned int i = 0; i < table->nb_pt; i++)
		mt[i] = table->linear_mt != NULL ? table->linear_mt : table->pt[i]->mt[type];
	for (unsigned int i = 0; i < table->nb_at; i++)
		at[i] = table->at[i]->side[type]->at;
#ifdef FLOW_HAS_UPDATE
	/* The API has no word for it: every table's rules may be updated, unless their arguments twice are more than one object. */
	attr.updatable = !attr.resizable;
#endif
	rc = mlx5dr_matcher_create(table->group->table, &attr, &table->matcher, reason);
	if (rc != -E2BIG || !attr.updatable)
		return rc;
	attr.updatable = false;
	return mlx5dr_matcher_create(table->group->table, &attr, &table->matcher, reason);
}

static int
index_take(struct flow_port *port, struct rte_flow_template_table *table)
{
	for (unsigned int i = 0; i < FLOW_MAX_TABLES; i++) {
		if (port->tables[i] != NULL)
			continue;
		table->index = i;
		port->tables[i] = table;
		return 0;
	}
	return -ENOSPC;
}

static void
table_release(struct flow_port *port, struct rte_flow_template_table *table)
{
	while (table->rss_list != NULL) {
		struct flow_rule_rss *entry = table->rss_list;

		table->rss_list = entry->next;
		flow_rss_put(port, entry->rss);
		free(entry);
	}
	if (table->group != NULL)
		flow_group_put(port, table->group);
	flow_index_close(table);
	flow_change_close(table);
	flow_rows_close(table);
	free(table->rss_cache);
	free(table->pairs);
	free(table);
}

static int
table_open(struct flow_port *port, struct rte_flow_template_table *table, struct mlx5dr_error *reason)
{
	enum mlx5dr_table_type type = flow_type_of(&table->attr.flow_attr);
	int rc = flow_group_get(port, type, table->attr.flow_attr.group, &table->group);

	if (rc == 0)
		rc = flow_index_open(table);
	if (rc == 0)
		rc = matcher_create(table, type, reason);
	if (rc != 0)
		return rc;
	rc = pairs_create(table, type);
	if (rc == 0)
		rc = flow_change_open(table, type);
	if (rc == 0)
		rc = flow_rows_open(table, type);
	if (rc == 0 && index_take(port, table) != 0) {
		snprintf(reason->text, sizeof(reason->text), "%u tables exist, that is all there can be", FLOW_MAX_TABLES);
		rc = -ENOSPC;
	}
	if (rc != 0)
		mlx5dr_matcher_destroy(table->matcher);
	return rc;
}

static int
table_create(struct flow_port *port, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *pts[], uint8_t nb_pts, struct rte_flow_actions_template *ats[],
	uint8_t nb_ats, struct rte_flow_template_table **out, struct rte_flow_error *error)
{
	struct rte_flow_template_table *table = calloc(1, sizeof(*table));
	struct mlx5dr_error reason = { .index = -1 };
	int rc;

	if (table == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, attr, "no memory for a table");
	table->port = port;
	table->attr = *attr;
	table->nb_pt = nb_pts;
	table->nb_at = nb_ats;
	memcpy(table->pt, pts, nb_pts * sizeof(pts[0]));
	memcpy(table->at, ats, nb_ats * sizeof(ats[0]));
	rc = table_open(port, table, &reason);
	if (rc != 0) {
		flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, attr, "table of %u rules in group %u: %s",
			attr->nb_flows, attr->flow_attr.group, flow_reason(&reason, rc));
		table_release(port, table);
		return rc;
	}
	for (unsigned int i = 0; i < nb_pts; i++)
		pts[i]->refs++;
	for (unsigned int i = 0; i < nb_ats; i++)
		ats[i]->refs++;
	port->nb_rule_jump_tables += table->jumps_by_rule;
	LIST_INSERT_HEAD(&port->table_list, table, next);
	*out = table;
	return 0;
}

struct rte_flow_template_table *
flow_op_table_create(struct rte_eth_dev *dev, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *pts[], uint8_t nb_pts, struct rte_flow_actions_template *ats[],
	uint8_t nb_ats, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct rte_flow_template_table *table = NULL;
	int rc = flow_port_check(port, error);

	if (rc == 0)
		rc = check_attr(attr, error);
	if (rc != 0)
		return NULL;
	pthread_mutex_lock(&port->lock);
	rc = check_templates(port, attr, pts, nb_pts, ats, nb_ats, error);
	if (rc == 0)
		rc = flow_index_check(port, attr, pts, nb_pts, error);
	if (rc == 0)
		rc = table_create(port, attr, pts, nb_pts, ats, nb_ats, &table, error);
	pthread_mutex_unlock(&port->lock);
	return rc == 0 ? table : NULL;
}

/* ---- destroy --------------------------------------------------------------------------------------------------- */

/* -EBUSY: it has rules, or others jump to its rows; nothing has changed. */
int
flow_table_free(struct flow_port *port, struct rte_flow_template_table *table)
{
	int rc = flow_rows_leave(port, table);

	if (rc == 0)
		rc = mlx5dr_matcher_destroy(table->matcher);
	if (rc != 0)
		return rc;
	LIST_REMOVE(table, next);
	port->tables[table->index] = NULL;
	for (unsigned int i = 0; i < table->nb_pt; i++)
		table->pt[i]->refs--;
	for (unsigned int i = 0; i < table->nb_at; i++)
		table->at[i]->refs--;
	port->nb_rule_jump_tables -= table->jumps_by_rule;
	if (port->nb_rule_jump_tables == 0 && table->jumps_by_rule)
		flow_groups_release_kept(port);
	table_release(port, table);
	return 0;
}

int
flow_op_table_destroy(struct rte_eth_dev *dev, struct rte_flow_template_table *table, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	int rc;

	if (table == NULL || table->port != port)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"table: not one of this port");
	pthread_mutex_lock(&port->lock);
	rc = flow_table_free(port, table);
	if (rc != 0)
		flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, rc != -EBUSY ? "table: %s" :
			table->row_users != 0 ? "table: rules or templates jump to its rows" : "table: it has rules",
			flow_reason(NULL, rc));
	pthread_mutex_unlock(&port->lock);
	if (rc == 0 && port->attr.reclaim_memory)
		malloc_trim(0);
	return rc;
}
