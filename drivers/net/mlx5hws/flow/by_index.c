/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tables whose rules say at which row they stand: packets find the row by a hash of the pattern's fields, or by the number in
 * a register (rte_flow_async_create_by_index), or by a jump that names it, and then they must match too
 * (rte_flow_async_create_by_index_with_pattern; rows.c has the jump).
 */

#include "flow/engine.h"

#include <errno.h>

#include "flow/error.h"
#include "flow/ops_since.h"

#ifdef FLOW_HAS_INDEX

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* A linear table reads its row from the upper half of the register that this tag is, and from nothing else. */
static bool
is_linear_pattern(const struct rte_flow_pattern_template *pt)
{
	const struct rte_flow_item_tag *spec, *mask;

	if (pt->nb_items != 1 || pt->items[0].type != RTE_FLOW_ITEM_TYPE_TAG)
		return false;
	spec = pt->items[0].spec;
	mask = pt->items[0].mask;
	return spec != NULL && mask != NULL && spec->index == FLOW_LINEAR_TAG && mask->data == 0xffff0000;
}

static bool
is_with_pattern(const struct rte_flow_template_table_attr *attr)
{
#ifdef FLOW_HAS_INDEX_PATTERN
	return attr->insertion_type == RTE_FLOW_TABLE_INSERTION_TYPE_INDEX_WITH_PATTERN;
#else
	return false;
#endif
}

static int
check_by_index(const struct rte_flow_template_table_attr *attr, uint8_t nb_pts, struct rte_flow_error *error)
{
	if (nb_pts != 1)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr,
			"table: %u pattern templates, a table by index has one", nb_pts);
	if (flow_table_is_resizable(attr))
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr, "table: one by index cannot be resized");
	if (is_with_pattern(attr) && attr->hash_func != RTE_FLOW_TABLE_HASH_FUNC_DEFAULT)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr,
			"table: hash_func %u, packets come to rules by index with pattern by jumps alone (default)", attr->hash_func);
	if (attr->hash_func == RTE_FLOW_TABLE_HASH_FUNC_DEFAULT || attr->hash_func == RTE_FLOW_TABLE_HASH_FUNC_LINEAR)
		return 0;
	return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr,
		"table: hash_func %u, the device has default and linear", attr->hash_func);
}

int
flow_index_check(struct flow_port *port, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *pts[], uint8_t nb_pts, struct rte_flow_error *error)
{
	const char *reason;
	int rc;

	if (attr->insertion_type == RTE_FLOW_TABLE_INSERTION_TYPE_PATTERN) {
		if (attr->hash_func == RTE_FLOW_TABLE_HASH_FUNC_DEFAULT)
			return 0;
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr,
			"table: hash_func %u, of rules by pattern the device chooses it (default)", attr->hash_func);
	}
	if (attr->insertion_type != RTE_FLOW_TABLE_INSERTION_TYPE_INDEX && !is_with_pattern(attr))
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr, "table: insertion_type %u is not supported",
			attr->insertion_type);
	rc = check_by_index(attr, nb_pts, error);
	if (rc != 0)
		return rc;
	reason = mlx5dr_matcher_mode_unsupported(port->attr.hca, flow_index_mode(attr));
	if (reason != NULL)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr, "table: %s", reason);
	if (attr->hash_func == RTE_FLOW_TABLE_HASH_FUNC_LINEAR && !is_linear_pattern(pts[0]))
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, pts[0],
			"table: of a linear one the pattern is tag %u with mask 0xffff0000, nothing else", FLOW_LINEAR_TAG);
	return 0;
}

uint8_t
flow_index_mode(const struct rte_flow_template_table_attr *attr)
{
	if (attr->insertion_type == RTE_FLOW_TABLE_INSERTION_TYPE_PATTERN)
		return MLX5DR_MATCHER_BY_HASH;
	if (is_with_pattern(attr))
		return MLX5DR_MATCHER_ISOLATED;
	return attr->hash_func == RTE_FLOW_TABLE_HASH_FUNC_LINEAR ? MLX5DR_MATCHER_LINEAR : MLX5DR_MATCHER_HASH_SPLIT;
}

int
flow_index_open(struct rte_flow_template_table *table)
{
	table->by_index = flow_index_mode(&table->attr) != MLX5DR_MATCHER_BY_HASH;
	if (flow_index_mode(&table->attr) != MLX5DR_MATCHER_LINEAR)
		return 0;
	/* The register is no field of the match. */
	return mlx5dr_match_template_create(table->port->ctx, NULL, 0, &table->linear_mt, NULL);
}

void
flow_index_close(struct rte_flow_template_table *table)
{
	if (table->linear_mt != NULL)
		mlx5dr_match_template_destroy(table->linear_mt);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static int
refuse(const struct flow_port *port, const struct rte_flow_template_table *table, const struct rte_flow_action actions[],
	uint8_t at_index, bool with_pattern, struct rte_flow_error *error)
{
	if (table == NULL || table->port != port)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "table: not one of this port");
	if (!table->by_index)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "table: its rules go by pattern");
	if (is_with_pattern(&table->attr) != with_pattern)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, with_pattern ?
			"table: its rules go by index alone" : "table: its rules go by index with pattern");
	if (at_index >= table->nb_at)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"actions template index %u: the table has %u", at_index, table->nb_at);
	if (actions == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, table, "no actions: actions is NULL");
	return 0;
}

static int
refuse_row(const struct rte_flow_template_table *table, uint32_t index, int rc, struct rte_flow_error *error)
{
	switch (rc) {
	case -ERANGE:
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "rule index %u: the table has rows 0 to %u",
			index, table->attr.nb_flows - 1);
	case -EEXIST:
		return flow_error(error, EEXIST, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "rule index %u: there is a rule", index);
	default:
		return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"rule index %u: the table is older than the flow queue", index);
	}
}

/* 0: the record is a rule's. Otherwise it was given back. */
static int
create(struct flow_queue *queue, struct rte_flow_template_table *table, struct mlx5dr_rule *rule,
	const struct rte_flow_item items[], const struct rte_flow_action actions[], uint8_t at, uint32_t flags,
	struct rte_flow_error *error)
{
	const struct flow_pair *pair = &table->pairs[at];
	uint64_t deadline = 0;
	int rc = 0;

	if (pair->plan != NULL)
		rc = flow_prepare_rule(queue, table, pair->plan, actions, rule, error);
	if (rc != 0) {
		mlx5dr_rule_release(table->matcher, queue->hw, rule);
		return rc;
	}
	rule->fate |= FLOW_FATE_INDEXED;
	do
		rc = mlx5dr_rule_create(queue->hw, pair->pair, rule, items, actions, flags);
	while (rc == -ENOBUFS && flow_counters_coming(queue->port, queue->hw, &deadline));
	if (rc == 0)
		return 0;
	flow_rule_release(queue->port, queue->hw, rule);
	mlx5dr_rule_release(table->matcher, queue->hw, rule);
	if (pair->plan != NULL)
		flow_prepare_undo(queue, table, pair->plan);
	flow_explain(queue, table, 0, at, items, actions, rc, error);
	return rc;
}

/* items: NULL where rules have none. */
static struct rte_flow *
create_at(struct flow_queue *queue, const struct rte_flow_op_attr *attr, struct rte_flow_template_table *table, uint32_t row,
	const struct rte_flow_item items[], const struct rte_flow_action actions[], uint8_t at, void *user_data,
	struct rte_flow_error *error)
{
	struct mlx5dr_rule *rule;
	int rc = mlx5dr_rule_take(table->matcher, queue->hw, row, &rule);

	if (rc != 0) {
		refuse_row(table, row, rc, error);
		return NULL;
	}
	rule->user_data = user_data;
	rule->counter = MLX5DR_NO_COUNTER;
	rule->fate = 0;
	rule->table = table->index;
	rc = create(queue, table, rule, items, actions, at, attr != NULL && attr->postpone ? MLX5DR_POSTPONE : 0, error);
	return rc == 0 ? (struct rte_flow *)rule : NULL;
}

struct rte_flow *
flow_op_async_create_by_index(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_template_table *table, uint32_t rule_index, const struct rte_flow_action actions[],
	uint8_t at_index, void *user_data, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct flow_queue *queue = flow_queue_for(port, queue_id, error);

	if (queue == NULL || refuse(port, table, actions, at_index, false, error) != 0)
		return NULL;
	return create_at(queue, attr, table, rule_index, NULL, actions, at_index, user_data, error);
}

#ifdef FLOW_HAS_INDEX_PATTERN
struct rte_flow *
flow_op_async_create_by_index_with_pattern(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_template_table *table, uint32_t rule_index, const struct rte_flow_item pattern[], uint8_t pt_index,
	const struct rte_flow_action actions[], uint8_t at_index, void *user_data, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct flow_queue *queue = flow_queue_for(port, queue_id, error);

	if (queue == NULL || refuse(port, table, actions, at_index, true, error) != 0)
		return NULL;
	if (pt_index >= table->nb_pt) {
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"pattern template index %u: the table has %u", pt_index, table->nb_pt);
		return NULL;
	}
	if (pattern == NULL) {
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_NUM, table, "no items: pattern is NULL");
		return NULL;
	}
	return create_at(queue, attr, table, rule_index, pattern, actions, at_index, user_data, error);
}
#endif

#endif /* FLOW_HAS_INDEX */
