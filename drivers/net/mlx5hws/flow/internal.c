/* SPDX-License-Identifier: BSD-3-Clause */

/* Rules of the engine itself, one at a time through its own queue: default rules, RSS tables, flushing. */

#include "flow/engine.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "hca/log.h"

#define ANSWER_TIMEOUT_MS 5000

uint64_t
flow_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The one result outstanding on the own queue. A device that stays silent is given up. */
static int
wait_result(struct flow_port *port, struct mlx5dr_queue *queue)
{
	uint64_t deadline = flow_now_ms() + ANSWER_TIMEOUT_MS;
	struct mlx5dr_result result;
	bool failed = false;

	while (mlx5dr_queue_poll(queue, &result, 1) == 0) {
		if (flow_now_ms() > deadline && !failed) {
			HCA_ERR("%s: no answer to a rule of the driver in %u ms, steering is given up",
				port->dev->data->name, ANSWER_TIMEOUT_MS);
			mlx5dr_context_fail(port->ctx);
			failed = true;
		}
		usleep(20);
	}
	return result.status;
}

int
flow_internal_create(struct flow_port *port, struct mlx5dr_matcher *matcher, uint8_t mt, uint8_t at,
	const void *items, struct mlx5dr_rule **rule)
{
	const struct mlx5dr_pair *pair = mlx5dr_matcher_pair(matcher, mt, at);
	struct mlx5dr_queue *queue = mlx5dr_own_queue_lock(port->ctx);
	struct mlx5dr_rule *r = mlx5dr_rule_get(matcher, queue);
	const void *item = items;
	int rc = r != NULL ? mlx5dr_rule_create(queue, pair, r, &item, NULL, 0) : -ENOSPC;

	if (rc == 0)
		rc = wait_result(port, queue);
	if (rc != 0 && r != NULL)
		mlx5dr_rule_put(matcher, queue, r);
	mlx5dr_own_queue_unlock(port->ctx);
	if (rc == 0)
		*rule = r;
	return rc;
}

int
flow_internal_destroy(struct flow_port *port, struct mlx5dr_matcher *matcher, struct mlx5dr_rule *rule)
{
	struct mlx5dr_queue *queue = mlx5dr_own_queue_lock(port->ctx);
	int rc = mlx5dr_rule_destroy(queue, matcher, rule, 0);

	if (rc == 0)
		rc = wait_result(port, queue);
	if (mlx5dr_rule_state(rule) != MLX5DR_RULE_CREATED)
		mlx5dr_rule_put(matcher, queue, rule);
	mlx5dr_own_queue_unlock(port->ctx);
	return rc;
}
