/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Rules that change while they are in the device: other actions (rte_flow_async_actions_update), and the move to the new
 * tables of a resize (rte_flow_async_update_resized).
 *
 * Until its result is pulled a rule that is being updated holds twice: what its new actions named is in the record, what
 * the old ones named lies in the table's `held`. The result says which of both is given back. A bit of the record's
 * `fate` marks the rule, so that the path of all others does not ask.
 */

#include "flow/engine.h"

#include <errno.h>
#include <sys/mman.h>

#include "flow/error.h"
#include "flow/ops_since.h"

#ifdef FLOW_HAS_UPDATE

/* ---- what rules hold -------------------------------------------------------------------------------------------- */

static bool
rules_hold(const struct rte_flow_template_table *table, enum mlx5dr_table_type type)
{
	for (unsigned int i = 0; i < table->nb_at; i++) {
		const struct flow_plan *plan = &table->at[i]->side[type]->plan;

		if (plan->counts)
			return true;
		for (unsigned int j = 0; j < plan->nb_prepare; j++)
			if (plan->prepare[j].kind == FLOW_PREPARE_INDIRECT_COUNT ||
			    plan->prepare[j].kind == FLOW_PREPARE_INDIRECT_RSS)
				return true;
	}
	return false;
}

int
flow_change_open(struct rte_flow_template_table *table, enum mlx5dr_table_type type)
{
	unsigned int nb_pairs = (unsigned int)table->nb_pt * table->nb_at;

	/* Backwards, so that the first template of a mask stays. */
	for (unsigned int i = nb_pairs; i-- > 0;)
		table->pt_of_part[mlx5dr_pair_part(table->pairs[i].pair)] = i / table->nb_at;
	if (!rules_hold(table, type) || flow_table_is_resizable(&table->attr))
		return 0;
	/* Address space: memory comes with the first updates. */
	table->held_bytes = (size_t)mlx5dr_matcher_nb_records(table->matcher) * sizeof(table->held[0]);
	table->held = mmap(NULL, table->held_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table->held != MAP_FAILED)
		return 0;
	table->held = NULL;
	return -ENOMEM;
}

void
flow_change_close(struct rte_flow_template_table *table)
{
	if (table->held != NULL)
		munmap(table->held, table->held_bytes);
}

static struct flow_held
hold_of(const struct mlx5dr_rule *rule)
{
	return (struct flow_held){ .counter = rule->counter, .fate = rule->fate };
}

static void
put_hold(struct mlx5dr_rule *rule, const struct flow_held *held)
{
	rule->counter = held->counter;
	rule->fate = held->fate;
}

void
flow_change_done(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_rule *rule, bool failed)
{
	struct rte_flow_template_table *table = port->tables[rule->table];
	struct mlx5dr_rule other;
	struct flow_held now, before;

	rule->fate &= ~FLOW_FATE_CHANGING;
	if (table->held == NULL)
		return;
	now = hold_of(rule);
	before = table->held[mlx5dr_rule_index(table->matcher, rule)];
	put_hold(&other, failed ? &now : &before);
	put_hold(rule, failed ? &before : &now);
	queue->counter_puts += other.counter < FLOW_SHARED_COUNTER;
	flow_rule_release(port, queue->hw, &other);
}

/* ---- update ------------------------------------------------------------------------------------------------------ */

static int
refuse_state(const struct mlx5dr_rule *rule, struct rte_flow_error *error)
{
	enum mlx5dr_rule_state state = mlx5dr_rule_state(rule);
	bool busy = state == MLX5DR_RULE_CREATING || state == MLX5DR_RULE_DELETING || state == MLX5DR_RULE_DELETED;

	return flow_error(error, busy ? EBUSY : EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, rule,
		busy ? "rule: an operation on it has not been pulled yet" : "rule: it is not in the device");
}

/* Of which queue and table: NULL after filling error. */
static struct flow_queue *
find(struct flow_port *port, uint32_t queue_id, const struct mlx5dr_rule *rule, struct rte_flow_template_table **table,
	struct rte_flow_error *error)
{
	struct flow_queue *queue = flow_queue_for(port, queue_id, error);

	if (queue == NULL)
		return NULL;
	*table = rule != NULL ? port->tables[rule->table] : NULL;
	if (*table == NULL) {
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, rule, "rule: %s",
			rule == NULL ? "NULL" : "it is not in the device");
		return NULL;
	}
	if (mlx5dr_rule_state(rule) == MLX5DR_RULE_CREATED)
		return queue;
	refuse_state(rule, error);
	return NULL;
}

static int
refuse_update(struct flow_queue *queue, struct rte_flow_template_table *table, uint8_t pt, uint8_t at,
	const struct rte_flow_action actions[], int rc, struct rte_flow_error *error)
{
	if (rc == -ENOTSUP)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "update: %s",
			flow_table_is_resizable(&table->attr) ? "rules of a resizable table cannot be updated" :
			"the device had no room for the arguments of this table's rules twice");
	flow_explain(queue, table, pt, at, NULL, actions, rc, error);
	return rc;
}

/* The record has the new actions' things, or is as it was. */
static int
update(struct flow_queue *queue, struct rte_flow_template_table *table, struct mlx5dr_rule *rule,
	const struct rte_flow_action actions[], uint8_t at, uint32_t flags, struct rte_flow_error *error)
{
	uint8_t pt = table->pt_of_part[mlx5dr_rule_part(rule)];
	const struct flow_pair *pair = &table->pairs[pt * table->nb_at + at];
	uint64_t deadline = 0;
	int rc = 0;

	rule->counter = MLX5DR_NO_COUNTER;
	rule->fate = 0;
	if (pair->plan != NULL)
		rc = flow_prepare_rule(queue, table, pair->plan, actions, rule, error);
	if (rc != 0)
		return rc;
	do
		rc = mlx5dr_rule_action_update(queue->hw, pair->pair, rule, actions, flags);
	while (rc == -ENOBUFS && flow_counters_coming(queue->port, queue->hw, &deadline));
	if (likely(rc == 0))
		return 0;
	flow_rule_release(queue->port, queue->hw, rule);
	if (pair->plan != NULL)
		flow_prepare_undo(queue, table, pair->plan);
	return refuse_update(queue, table, pt, at, actions, rc, error);
}

int
flow_op_async_actions_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, const struct rte_flow_action actions[], uint8_t at_index, void *user_data,
	struct rte_flow_error *error)
{
	struct mlx5dr_rule *rule = (struct mlx5dr_rule *)flow;
	struct rte_flow_template_table *table;
	struct flow_queue *queue = find(flow_port_of(dev), queue_id, rule, &table, error);
	struct flow_held before;
	int rc;

	if (unlikely(queue == NULL))
		return -rte_errno;
	if (unlikely(at_index >= table->nb_at))
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"actions template index %u: the table has %u", at_index, table->nb_at);
	if (unlikely(actions == NULL))
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, table, "no actions: actions is NULL");
	before = hold_of(rule);
	rc = update(queue, table, rule, actions, at_index, attr != NULL && attr->postpone ? MLX5DR_POSTPONE : 0, error);
	if (unlikely(rc != 0)) {
		put_hold(rule, &before);
		return rc;
	}
	if (table->held != NULL)
		table->held[mlx5dr_rule_index(table->matcher, rule)] = before;
	rule->fate |= FLOW_FATE_CHANGING | (before.fate & FLOW_FATE_INDEXED);
	rule->user_data = user_data;
	return 0;
}

#endif /* FLOW_HAS_UPDATE */

/* ---- resize ------------------------------------------------------------------------------------------------------ */

#ifdef FLOW_HAS_RESIZE

bool
flow_table_is_resizable(const struct rte_flow_template_table_attr *attr)
{
	return (attr->specialize & RTE_FLOW_TABLE_SPECIALIZE_RESIZABLE) != 0;
}

static int
check_table(const struct flow_port *port, const struct rte_flow_template_table *table, struct rte_flow_error *error)
{
	if (table == NULL || table->port != port)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "table: not one of this port");
	return 0;
}

int
flow_op_table_resize(struct rte_eth_dev *dev, struct rte_flow_template_table *table, uint32_t nb_rules,
	struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct mlx5dr_error reason = { .index = -1 };
	int rc = check_table(port, table, error);

	if (rc != 0)
		return rc;
	if (nb_rules > FLOW_MAX_RULES)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "resize: nb_rules %u, 1 to %u", nb_rules,
			FLOW_MAX_RULES);
	pthread_mutex_lock(&port->lock);
	rc = mlx5dr_matcher_resize(table->matcher, nb_rules, &reason);
	if (rc == 0) {
		table->attr.nb_flows = nb_rules;
		/* Rules go to the new tables from here on; one that a queue is making now is an old one. */
		for (unsigned int i = 0; i < (unsigned int)table->nb_pt * table->nb_at; i++)
			__atomic_store_n(&table->pairs[i].pair,
				mlx5dr_matcher_pair(table->matcher, i / table->nb_at, i % table->nb_at), __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&port->lock);
	if (rc == 0)
		return 0;
	return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "resize: %s", flow_reason(&reason, rc));
}

int
flow_op_update_resized(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *user_data, struct rte_flow_error *error)
{
	struct mlx5dr_rule *rule = (struct mlx5dr_rule *)flow;
	struct rte_flow_template_table *table;
	struct flow_queue *queue = find(flow_port_of(dev), queue_id, rule, &table, error);
	int rc;

	if (unlikely(queue == NULL))
		return -rte_errno;
	rc = mlx5dr_rule_move(queue->hw, table->matcher, rule, attr != NULL && attr->postpone ? MLX5DR_POSTPONE : 0);
	if (unlikely(rc == -EAGAIN))
		return flow_error(error, EAGAIN, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev,
			"flow queue %u is full: %u operations wait for pull", queue_id, queue->size);
	if (unlikely(rc != 0))
		return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_HANDLE, rule, "update_resized: %s",
			rc == -EINVAL ? "the rule's table is not being resized" : flow_reason(NULL, rc));
	rule->fate |= FLOW_FATE_CHANGING;
	rule->user_data = user_data;
	return 0;
}

int
flow_op_table_resize_complete(struct rte_eth_dev *dev, struct rte_flow_template_table *table, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct mlx5dr_error reason = { .index = -1 };
	int rc = check_table(port, table, error);

	if (rc != 0)
		return rc;
	pthread_mutex_lock(&port->lock);
	rc = mlx5dr_matcher_resize_complete(table->matcher, &reason);
	pthread_mutex_unlock(&port->lock);
	if (rc == 0)
		return 0;
	return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "resize_complete: %s", flow_reason(&reason, rc));
}

#endif /* FLOW_HAS_RESIZE */
