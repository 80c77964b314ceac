/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Counters of rules and of indirect actions. Values are host copies; a query that finds them older than the port's refresh time
 * reads all of them from the device first. A counter that was given back can be taken again after a further round of
 * reading: rounds go on step by step inside pull, as soon as enough counters wait for one. Nothing runs in the background
 * unless devarg service_core asks for it (service.c), and nothing of the rule path waits for the device.
 */

#include "flow/engine.h"

#include <errno.h>
#include <sched.h>

#include "flow/error.h"

#define SILENCE_MS 200 /* of the device, before a query is answered from the copies */
#define TAKE_MS 5      /* that taking a counter may go on with a round when all free ones wait */

int
flow_counters_read(struct flow_port *port)
{
	uint64_t deadline = flow_now_ms() + SILENCE_MS;
	uint32_t begun, ended, before;
	int rc = 0;

	pthread_mutex_lock(&port->refresh_lock);
	mlx5dr_counter_rounds(port->counters, &begun, &ended);
	before = begun;
	while (rc >= 0 && (int32_t)(ended - before) <= 0) {
		uint32_t was = ended;

		rc = mlx5dr_counter_step(port->counters);
		mlx5dr_counter_rounds(port->counters, &begun, &ended);
		if (ended != was)
			deadline = flow_now_ms() + SILENCE_MS;
		else if (flow_now_ms() > deadline)
			rc = -ETIMEDOUT;
		else
			sched_yield();
	}
	__atomic_store_n(&port->counters_read_at, flow_now_ms(), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&port->refresh_lock);
	return rc < 0 ? rc : 0;
}

int
flow_counters_refresh(struct flow_port *port)
{
	uint64_t last = __atomic_load_n(&port->counters_read_at, __ATOMIC_RELAXED);

	if (last != 0 && flow_now_ms() - last < port->attr.counter_refresh_ms)
		return 0;
	return flow_counters_read(port);
}

void
flow_counters_service(struct flow_port *port, struct flow_queue *queue)
{
	uint32_t wanted = __atomic_load_n(&port->rounds_wanted, __ATOMIC_RELAXED);

	if (queue->counter_puts >= port->round_puts) {
		queue->counter_puts = 0;
		/* A round that is under way may have begun too early for the latest. */
		wanted = wanted != 0 ? 2 : 1;
		__atomic_store_n(&port->rounds_wanted, wanted, __ATOMIC_RELAXED);
	}
	/* Another queue may count down too: a round too few then; the next give-backs ask again. */
	if (mlx5dr_counter_step(port->counters) != 0 && wanted != 0)
		__atomic_store_n(&port->rounds_wanted, wanted - 1, __ATOMIC_RELAXED);
}

bool
flow_counters_coming(struct flow_port *port, const struct mlx5dr_queue *queue, uint64_t *deadline)
{
	uint64_t now = flow_now_ms();

	if (!mlx5dr_counter_some_wait(port->counters, queue))
		return false;
	if (*deadline == 0)
		*deadline = now + TAKE_MS;
	return now <= *deadline && mlx5dr_counter_step(port->counters) >= 0;
}

int
flow_counter_take(struct flow_port *port, struct mlx5dr_queue *queue, uint32_t *counter)
{
	uint64_t deadline = 0;
	int rc;

	do
		rc = mlx5dr_counter_get(port->counters, queue, counter);
	while (rc == -EAGAIN && flow_counters_coming(port, queue, &deadline));
	return rc == -ENOENT ? -ENOSPC : rc;
}

void
flow_rule_release(struct flow_port *port, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	if (rule->counter != MLX5DR_NO_COUNTER) {
		if (rule->counter & FLOW_SHARED_COUNTER)
			atomic_fetch_sub_explicit(&port->handles[rule->counter & ~FLOW_SHARED_COUNTER]->refs, 1,
				memory_order_release);
		else
			mlx5dr_counter_put(port->counters, queue, rule->counter);
		rule->counter = MLX5DR_NO_COUNTER;
	}
	if (rule->fate != 0) {
		uint32_t handle = rule->fate & ~FLOW_FATE_MARKS;

		if (FLOW_FATE_MARKS == 0 || handle != 0)
			atomic_fetch_sub_explicit(&port->handles[handle - 1]->refs, 1, memory_order_release);
		rule->fate = 0;
	}
}

int
flow_counter_read(struct flow_port *port, uint32_t counter, struct rte_flow_query_count *count, const void *cause,
	struct rte_flow_error *error)
{
	int rc = flow_counters_refresh(port);

	/* A device that is silent, or dead, has no newer values. */
	if (rc == 0 || rc == -ETIMEDOUT || rc == -EIO)
		rc = mlx5dr_counter_query(port->counters, counter, count->reset, &count->hits, &count->bytes);
	if (rc != 0)
		return flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_HANDLE, cause, "count: %s", flow_reason(NULL, rc));
	count->hits_set = 1;
	count->bytes_set = 1;
	return 0;
}

int
flow_op_query(struct rte_eth_dev *dev, struct rte_flow *flow, const struct rte_flow_action *action, void *data,
	struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	const struct mlx5dr_rule *rule = (const struct mlx5dr_rule *)flow;
	uint32_t counter;
	int rc = flow_port_check(port, error);

	if (rc != 0)
		return rc;
	if (flow == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, dev, "query: the rule is NULL");
	if (action == NULL || action->type != RTE_FLOW_ACTION_TYPE_COUNT)
		return flow_error_action(error, ENOTSUP, action, "query: %s cannot be queried, only count can",
			action != NULL ? flow_action_name(action->type) : "NULL");
	if (data == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, action, "query: data is NULL");
	if (mlx5dr_rule_state(rule) != MLX5DR_RULE_CREATED)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, flow, "query: the rule is not in the device%s",
			mlx5dr_rule_state(rule) == MLX5DR_RULE_CREATING ? ": its creation has not been pulled" : "");
	counter = rule->counter;
	if (counter == MLX5DR_NO_COUNTER)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE, flow, "query: the rule has no count action");
	if (counter & FLOW_SHARED_COUNTER)
		counter = port->handles[counter & ~FLOW_SHARED_COUNTER]->counter;
	return flow_counter_read(port, counter, data, flow, error);
}
