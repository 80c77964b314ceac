/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Taking all rules out: flush, stop, close. Operations in flight are finished first and their results kept for the pulls to
 * come; then every record that is in the device is deleted through the engine's own queue, in bursts. The application's
 * queues must be at rest meanwhile, as the API has it.
 */

#include "flow/engine.h"

#include <unistd.h>

#include "hca/log.h"

#define BURST 64
#define SILENCE_MS 5000

/* A device that stays silent is given up: what is outstanding then comes back as failed. */
struct patience {
	struct flow_port *port;
	uint64_t deadline;
};

static void
be_patient(struct patience *p, bool progress)
{
	if (progress) {
		p->deadline = flow_now_ms() + SILENCE_MS;
		return;
	}
	if (flow_now_ms() > p->deadline) {
		HCA_ERR("%s: no answer to flow rules in %u ms, steering is given up", p->port->dev->data->name, SILENCE_MS);
		mlx5dr_context_fail(p->port->ctx);
		p->deadline = UINT64_MAX;
	}
	usleep(20);
}

static void
drain(struct flow_port *port, struct flow_queue *queue, struct patience *patience)
{
	mlx5dr_queue_push(queue->hw);
	while (mlx5dr_queue_pending(queue->hw) != 0) {
		struct rte_flow_op_result result;
		uint32_t got = flow_queue_collect(port, queue, &result, 1);

		if (got != 0)
			queue->stash[(queue->stash_next + queue->nb_stashed++) % queue->size] = result;
		be_patient(patience, got != 0);
	}
}

/* ---- deletion in bursts ---------------------------------------------------------------------------------------- */

static void
collect_deleted(struct flow_port *port, const struct rte_flow_template_table *table, struct mlx5dr_queue *queue,
	struct patience *patience)
{
	struct mlx5dr_result results[BURST];

	mlx5dr_queue_push(queue);
	while (mlx5dr_queue_pending(queue) != 0) {
		uint32_t got = mlx5dr_queue_poll(queue, results, BURST);

		for (uint32_t i = 0; i < got; i++) {
			flow_rule_release(port, queue, results[i].op);
			flow_record_put(table, queue, results[i].op);
		}
		be_patient(patience, got != 0);
	}
}

static void
flush_table(struct flow_port *port, struct rte_flow_template_table *table, struct mlx5dr_queue *queue,
	struct patience *patience)
{
	struct mlx5dr_matcher *matcher = table->matcher;
	struct mlx5dr_rule *rule = mlx5dr_rule_next(matcher, NULL);
	unsigned int nb = 0;

	while (rule != NULL) {
		struct mlx5dr_rule *next = mlx5dr_rule_next(matcher, rule);

		if (mlx5dr_rule_state(rule) == MLX5DR_RULE_CREATED) {
			if (mlx5dr_rule_destroy(queue, matcher, rule, MLX5DR_POSTPONE) == 0)
				nb++;
		} else {
			flow_rule_release(port, queue, rule);
			flow_record_put(table, queue, rule);
		}
		if (nb == BURST || next == NULL) {
			collect_deleted(port, table, queue, patience);
			nb = 0;
		}
		rule = next;
	}
}

void
flow_flush_rules(struct flow_port *port)
{
	struct patience patience = { .port = port, .deadline = flow_now_ms() + SILENCE_MS };
	struct rte_flow_template_table *table;
	struct mlx5dr_queue *own;

	for (uint16_t i = 0; i < port->nb_queues; i++)
		drain(port, &port->queues[i], &patience);
	own = mlx5dr_own_queue_lock(port->ctx);
	LIST_FOREACH(table, &port->table_list, next)
		flush_table(port, table, own, &patience);
	mlx5dr_own_queue_unlock(port->ctx);
	flow_groups_release_kept(port);
}

int
flow_op_flush(struct rte_eth_dev *dev, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);

	if (port->ctx == NULL)
		return 0;
	pthread_mutex_lock(&port->lock);
	flow_flush_rules(port);
	pthread_mutex_unlock(&port->lock);
	return 0;
}
