/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Rules by queue: what runs millions of times a second.
 *
 * Creating a rule is a record of mlx5dr, four stores into it, the steps of the template's plan if it has any, and the
 * compiled pair, which takes the rule's counter too. Nothing is allocated, locked or looked up. Arguments that would corrupt something are refused; whether
 * the rule's items are those of the template is the application's promise, as the API has it.
 */

#include "flow/engine.h"

#include <errno.h>

#include "flow/error.h"

/* Results that flush kept count against the queue until they are pulled. */
static inline bool
queue_is_full(const struct flow_queue *queue)
{
	return unlikely(queue->nb_stashed != 0) && !flow_queue_has_room(queue);
}

static __attribute__((cold, noinline)) int
refuse_queue(const struct flow_port *port, uint32_t queue_id, struct rte_flow_error *error)
{
	if (port->nb_queues == 0)
		return flow_port_check((struct flow_port *)(uintptr_t)port, error);
	return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, port->dev,
		"flow queue %u: the port has %u", queue_id, port->nb_queues);
}

static __attribute__((cold, noinline)) int
refuse_full(const struct flow_port *port, uint32_t queue_id, struct rte_flow_error *error)
{
	return flow_error(error, EAGAIN, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, port->dev,
		"flow queue %u is full: %u operations wait for pull", queue_id, port->queues[queue_id].size);
}

static __attribute__((cold, noinline)) struct rte_flow *
refuse_create(const struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_template_table *table,
	const struct rte_flow_item pattern[], uint8_t pt_index, const struct rte_flow_action actions[],
	uint8_t at_index, struct rte_flow_error *error)
{
	const struct flow_port *port = flow_port_of(dev);

	if (queue_id >= port->nb_queues)
		refuse_queue(port, queue_id, error);
	else if (table == NULL || table->port != port)
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table, "table: not one of this port");
	else if (pt_index >= table->nb_pt)
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"pattern template index %u: the table has %u", pt_index, table->nb_pt);
	else if (at_index >= table->nb_at)
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, table,
			"actions template index %u: the table has %u", at_index, table->nb_at);
	else if (pattern == NULL)
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_NUM, table, "no pattern: items is NULL");
	else
		flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, table, "no actions: actions is NULL");
	return NULL;
}

struct flow_queue *
flow_queue_for(struct flow_port *port, uint32_t queue_id, struct rte_flow_error *error)
{
	if (unlikely(queue_id >= port->nb_queues)) {
		refuse_queue(port, queue_id, error);
		return NULL;
	}
	if (likely(!queue_is_full(&port->queues[queue_id])))
		return &port->queues[queue_id];
	refuse_full(port, queue_id, error);
	return NULL;
}

/* All free counters waited for a round. The rule is tried again after each step of it. */
static __attribute__((cold, noinline)) int
create_when_counters_come(struct flow_queue *queue, const struct mlx5dr_pair *pair, struct mlx5dr_rule *rule,
	const struct rte_flow_item pattern[], const struct rte_flow_action actions[], uint32_t flags)
{
	uint64_t deadline = 0;
	bool coming;
	int rc;

	do {
		coming = flow_counters_coming(queue->port, queue->hw, &deadline);
		rc = mlx5dr_rule_create(queue->hw, pair, rule, pattern, actions, flags);
	} while (rc == -ENOBUFS && coming);
	return rc;
}

/* The rule leaves no trace, and error says why. */
static __attribute__((cold, noinline)) struct rte_flow *
refuse_rule(struct flow_queue *queue, struct rte_flow_template_table *table, struct mlx5dr_rule *rule, uint8_t pt_index,
	uint8_t at_index, const struct rte_flow_item pattern[], const struct rte_flow_action actions[], int rc,
	struct rte_flow_error *error)
{
	const struct flow_pair *pair = &table->pairs[pt_index * table->nb_at + at_index];

	flow_rule_release(queue->port, queue->hw, rule);
	mlx5dr_rule_put(table->matcher, queue->hw, rule);
	if (pair->plan != NULL)
		flow_prepare_undo(queue, table, pair->plan);
	return flow_explain(queue, table, pt_index, at_index, pattern, actions, rc, error);
}

struct rte_flow *
flow_op_async_create(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_template_table *table, const struct rte_flow_item pattern[], uint8_t pt_index,
	const struct rte_flow_action actions[], uint8_t at_index, void *user_data, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	const struct flow_pair *pair;
	struct flow_queue *queue;
	struct mlx5dr_rule *rule;
	int rc;

	if (unlikely(queue_id >= port->nb_queues || table == NULL || table->port != port || pt_index >= table->nb_pt ||
		     at_index >= table->nb_at || pattern == NULL || actions == NULL))
		return refuse_create(dev, queue_id, table, pattern, pt_index, actions, at_index, error);
	queue = &port->queues[queue_id];
	if (queue_is_full(queue)) {
		refuse_full(port, queue_id, error);
		return NULL;
	}
	rule = mlx5dr_rule_get(table->matcher, queue->hw);
	if (unlikely(rule == NULL))
		return flow_explain(queue, table, pt_index, at_index, pattern, actions, -ENOSPC, error);
	rule->user_data = user_data;
	rule->counter = MLX5DR_NO_COUNTER;
	rule->fate = 0;
	rule->table = table->index;
	pair = &table->pairs[pt_index * table->nb_at + at_index];
	if (pair->plan != NULL) {
		rc = flow_prepare_rule(queue, table, pair->plan, actions, rule, error);
		if (unlikely(rc != 0)) {
			mlx5dr_rule_put(table->matcher, queue->hw, rule);
			return NULL;
		}
	}
	rc = mlx5dr_rule_create(queue->hw, pair->pair, rule, pattern, actions,
		attr != NULL && attr->postpone ? MLX5DR_POSTPONE : 0);
	if (unlikely(rc == -ENOBUFS))
		rc = create_when_counters_come(queue, pair->pair, rule, pattern, actions,
			attr != NULL && attr->postpone ? MLX5DR_POSTPONE : 0);
	if (likely(rc == 0))
		return (struct rte_flow *)rule;
	return refuse_rule(queue, table, rule, pt_index, at_index, pattern, actions, rc, error);
}

/* A creation that failed left nothing in the device: its destruction is done at once. */
static int
destroy_failed(struct flow_queue *queue, struct mlx5dr_rule *rule, void *user_data)
{
	int rc = mlx5dr_queue_complete(queue->hw, rule, FLOW_OP_FAILED_RULE, 0);

	if (rc != 0)
		return rc;
	rule->bits = (rule->bits & ~7) | MLX5DR_RULE_DELETED;
	rule->user_data = user_data;
	return 0;
}

/* Not what mlx5dr takes as it is: a rule whose creation failed, or a refusal to explain. */
static __attribute__((cold, noinline)) int
destroy_otherwise(struct flow_queue *queue, struct mlx5dr_rule *rule, void *user_data, int rc)
{
	const struct flow_port *port = queue->port;
	struct rte_flow_error *error = queue->error;

	if (rc == -EINVAL && mlx5dr_rule_state(rule) == MLX5DR_RULE_FAILED && port->tables[rule->table] != NULL) {
		rc = destroy_failed(queue, rule, user_data);
		if (rc == 0)
			return 0;
	}
	if (rc == -EAGAIN)
		return refuse_full(port, (uint32_t)(queue - port->queues), error);
	/* Deleted without the device, which is gone; the result waits. */
	if (rc == -EINVAL && mlx5dr_rule_state(rule) == MLX5DR_RULE_DELETED)
		rc = -EBUSY;
	return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_HANDLE, rule,
		rc == -EBUSY ? "rule: its creation or destruction has not been pulled yet" :
		rc == -EINVAL ? "rule: it is not in the device" : "rule: destruction failed: %s", flow_reason(NULL, rc));
}

static inline __attribute__((always_inline)) int
destroy(const struct flow_port *port, struct flow_queue *queue, const struct rte_flow_op_attr *attr,
	struct mlx5dr_rule *rule, void *user_data, struct rte_flow_error *error)
{
	const struct rte_flow_template_table *table = port->tables[rule->table];
	int rc;

	/* Kept where it costs one store, not a register over the call. */
	queue->error = error;
	if (unlikely(table == NULL))
		return destroy_otherwise(queue, rule, user_data, -EINVAL);
	rc = mlx5dr_rule_destroy(queue->hw, table->matcher, rule, attr != NULL && attr->postpone ? MLX5DR_POSTPONE : 0);
	if (unlikely(rc != 0))
		return destroy_otherwise(queue, rule, user_data, rc);
	rule->user_data = user_data;
	return 0;
}

/* Also with results that flush kept. */
static __attribute__((cold, noinline)) int
destroy_or_refuse(struct flow_port *port, uint32_t queue_id, const struct rte_flow_op_attr *attr, struct rte_flow *flow,
	void *user_data, struct rte_flow_error *error)
{
	if (queue_id >= port->nb_queues)
		return refuse_queue(port, queue_id, error);
	if (flow == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, port->dev, "rule: NULL");
	if (queue_is_full(&port->queues[queue_id]))
		return refuse_full(port, queue_id, error);
	return destroy(port, &port->queues[queue_id], attr, (struct mlx5dr_rule *)flow, user_data, error);
}

int
flow_op_async_destroy(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *user_data, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);

	if (unlikely(queue_id >= port->nb_queues || flow == NULL || port->queues[queue_id].nb_stashed != 0))
		return destroy_or_refuse(port, queue_id, attr, flow, user_data, error);
	return destroy(port, &port->queues[queue_id], attr, (struct mlx5dr_rule *)flow, user_data, error);
}

int
flow_op_push(struct rte_eth_dev *dev, uint32_t queue_id, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	int rc;

	if (unlikely(queue_id >= port->nb_queues))
		return refuse_queue(port, queue_id, error);
	rc = mlx5dr_queue_push(port->queues[queue_id].hw);
	if (unlikely(rc != 0))
		return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev,
			"flow queue %u has failed: its operations come back as errors", queue_id);
	return 0;
}

/* ---- results --------------------------------------------------------------------------------------------------- */

/* A result is turned into the API's where it lies. */
static_assert(sizeof(struct rte_flow_op_result) == sizeof(struct mlx5dr_result) &&
	offsetof(struct rte_flow_op_result, user_data) == offsetof(struct mlx5dr_result, op) &&
	offsetof(struct rte_flow_op_result, status) == offsetof(struct mlx5dr_result, status) &&
	RTE_FLOW_OP_SUCCESS == 0, "mlx5dr's results become the API's in place");

/* What a rule held, free again. */
static __attribute__((noinline)) void
release(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_rule *rule)
{
	queue->counter_puts += rule->counter < FLOW_SHARED_COUNTER;
	flow_rule_release(port, queue->hw, rule);
}

/* Failed, or no rule's. */
static __attribute__((noinline)) void
finish_otherwise(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_result *result)
{
	struct mlx5dr_rule *rule = result->op;
	uint32_t kind = result->kind;

	((struct rte_flow_op_result *)result)->status =
		result->status == 0 ? RTE_FLOW_OP_SUCCESS : RTE_FLOW_OP_ERROR;
	if (kind == FLOW_OP_HANDLE)
		return;
	result->op = rule->user_data;
	switch (mlx5dr_rule_state(rule)) {
	case MLX5DR_RULE_DELETED:
		release(port, queue, rule);
		flow_record_put(port->tables[rule->table], queue->hw, rule);
		break;
	case MLX5DR_RULE_FAILED:
		/* The handle stays the application's until it destroys it; what the rule held is free now. */
		flow_rule_release(port, queue->hw, rule);
		break;
	default:
		/* It is in the device as before. */
		if ((rule->fate & FLOW_FATE_CHANGING) != 0)
			flow_change_done(port, queue, rule, true);
		break;
	}
}

/*
 * A rule of the common kind gives back what it held, and its record follows in a chain. false: one of another kind, which is
 * done with: a change that has succeeded, or a deletion from a table by index.
 */
#ifdef FLOW_HAS_INDEX
static __attribute__((noinline)) bool
is_common(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_rule *rule)
{
	uint32_t marks = rule->fate & FLOW_FATE_MARKS;

	if ((marks & FLOW_FATE_CHANGING) != 0) {
		flow_change_done(port, queue, rule, false);
		return false;
	}
	release(port, queue, rule);
	if (marks != 0)
		mlx5dr_rule_release(port->tables[rule->table]->matcher, queue->hw, rule);
	return marks == 0;
}
#else
static inline bool
is_common(struct flow_port *port, struct flow_queue *queue, struct mlx5dr_rule *rule)
{
	release(port, queue, rule);
	return true;
}
#endif

/* Records of one table that go back to its free ones together. */
struct chain {
	struct mlx5dr_matcher *matcher;
	struct mlx5dr_rule *records, *last;
	uint32_t table, first, nb;
};

#define NO_TABLE UINT32_MAX

static inline void
chain_put(const struct chain *chain, struct flow_queue *queue)
{
	if (chain->table != NO_TABLE)
		mlx5dr_rule_put_chain(chain->matcher, queue->hw, chain->first, chain->last, chain->nb);
}

static inline struct chain
chain_begin(const struct flow_port *port, struct mlx5dr_rule *rule)
{
	struct mlx5dr_matcher *matcher = port->tables[rule->table]->matcher;

	return (struct chain){ .matcher = matcher, .records = mlx5dr_rule_first(matcher), .last = rule,
		.table = rule->table };
}

static inline void
chain_add(struct chain *chain, struct mlx5dr_rule *rule)
{
	rule->bits = MLX5DR_RULE_FREE;
	rule->counter = chain->first;
	chain->first = (uint32_t)(rule - chain->records);
	chain->nb++;
}

/*
 * After a success a rule is created or deleted: one bit tells. One that was changed (updated, moved) has another bit, which stays:
 * the marks of its fate tell what the result is about.
 */
static_assert((MLX5DR_RULE_CREATED & MLX5DR_RULE_DELETED) == 0, "told apart by a bit");
#ifdef FLOW_HAS_UPDATE
enum { MORE_THAN_CREATED = MLX5DR_RULE_DELETED | MLX5DR_RULE_CHANGED };
#else
enum { MORE_THAN_CREATED = MLX5DR_RULE_DELETED };
#endif
static inline bool
is_created(const struct mlx5dr_rule *rule)
{
	return (rule->bits & MORE_THAN_CREATED) == 0;
}

uint32_t
flow_queue_collect(struct flow_port *port, struct flow_queue *queue, struct rte_flow_op_result res[], uint32_t n)
{
	struct mlx5dr_result *results = (struct mlx5dr_result *)res;
	uint32_t got = mlx5dr_queue_poll(queue->hw, results, n);
	struct chain chain = { .table = NO_TABLE };

	for (uint32_t i = 0; i < got; i++) {
		struct mlx5dr_rule *rule = results[i].op;

		if (unlikely(results[i].status != 0 || results[i].kind != FLOW_OP_RULE)) {
			finish_otherwise(port, queue, &results[i]);
			continue;
		}
		results[i].op = rule->user_data;
		if (is_created(rule))
			continue;
		if (unlikely(rule->counter != MLX5DR_NO_COUNTER || rule->fate != 0) && !is_common(port, queue, rule))
			continue;
		if (unlikely(rule->table != chain.table)) {
			chain_put(&chain, queue);
			chain = chain_begin(port, rule);
		}
		chain_add(&chain, rule);
	}
	chain_put(&chain, queue);
	return got;
}

static uint32_t
take_stashed(struct flow_queue *queue, struct rte_flow_op_result res[], uint32_t n)
{
	uint32_t nb = RTE_MIN(n, queue->nb_stashed);

	for (uint32_t i = 0; i < nb; i++)
		res[i] = queue->stash[(queue->stash_next + i) % queue->size];
	queue->stash_next = (queue->stash_next + nb) % queue->size;
	queue->nb_stashed -= nb;
	return nb;
}

int
flow_op_pull(struct rte_eth_dev *dev, uint32_t queue_id, struct rte_flow_op_result res[], uint16_t n_res,
	struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct flow_queue *queue;
	uint32_t nb = 0;

	if (unlikely(queue_id >= port->nb_queues))
		return refuse_queue(port, queue_id, error);
	if (unlikely(res == NULL && n_res != 0))
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev, "pull: res is NULL");
	queue = &port->queues[queue_id];
	if (unlikely(queue->nb_stashed != 0))
		nb = take_stashed(queue, res, n_res);
	nb += flow_queue_collect(port, queue, res + nb, n_res - nb);
	if (unlikely(queue->counter_puts >= port->round_puts || __atomic_load_n(&port->rounds_wanted, __ATOMIC_RELAXED) != 0))
		flow_counters_service(port, queue);
	return nb;
}
