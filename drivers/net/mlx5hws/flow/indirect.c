/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Indirect actions: rss and count. An indirect RSS owns one STC; rules carry its number, and an update rewrites the STC, so no
 * rule is touched. The asynchronous ops do the work at once and give their result through the queue, in its order.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/error.h"

/* Whose caches of counters to use: the caller's queue, or the engine's own. */
static struct mlx5dr_queue *
borrow(struct flow_port *port, struct flow_queue *queue)
{
	return queue != NULL ? queue->hw : mlx5dr_own_queue_lock(port->ctx);
}

static void
give_back(struct flow_port *port, struct flow_queue *queue)
{
	if (queue == NULL)
		mlx5dr_own_queue_unlock(port->ctx);
}

/* The engine's own queue must not be held while a round of reading goes on. */
static int
counter_take(struct flow_port *port, struct flow_queue *queue, uint32_t *counter)
{
	int rc;

	if (queue != NULL)
		return flow_counter_take(port, queue->hw, counter);
	rc = mlx5dr_counter_get(port->counters, mlx5dr_own_queue_lock(port->ctx), counter);
	mlx5dr_own_queue_unlock(port->ctx);
	if (rc == -EAGAIN && mlx5dr_counter_refresh(port->counters) == 0) {
		rc = mlx5dr_counter_get(port->counters, mlx5dr_own_queue_lock(port->ctx), counter);
		mlx5dr_own_queue_unlock(port->ctx);
	}
	return rc == -ENOENT ? -ENOSPC : rc;
}

/* ---- create ---------------------------------------------------------------------------------------------------- */

static int
index_take(struct flow_port *port, struct rte_flow_action_handle *handle)
{
	for (uint32_t i = 0; i < port->nb_handles; i++) {
		uint32_t at = (port->next_handle + i) % port->nb_handles;

		if (port->handles[at] != NULL)
			continue;
		port->handles[at] = handle;
		port->next_handle = at + 1;
		handle->index = at;
		return 0;
	}
	return -ENOSPC;
}

static int
create_rss(struct flow_port *port, struct rte_flow_action_handle *handle, const struct rte_flow_action *action,
	struct rte_flow_error *error)
{
	int rc = flow_rss_check(action, action->conf, port->dev->data->nb_rx_queues, error);

	if (rc != 0)
		return rc;
	if (handle->directions & FLOW_TX)
		return flow_error_action(error, ENOTSUP, action, "indirect rss cannot be used in egress");
	rc = flow_rss_get(port, action->conf, &handle->rss);
	if (rc == 0)
		rc = mlx5dr_action_create(port->ctx, MLX5DR_NIC_RX, handle->rss->type, handle->rss->id, &handle->action);
	if (rc != 0) {
		flow_rss_put(port, handle->rss);
		return flow_error_action(error, -rc, action, "indirect rss: %s", flow_reason(NULL, rc));
	}
	handle->stc_be = mlx5dr_action_stc(handle->action);
	return 0;
}

static int
create_count(struct flow_port *port, struct flow_queue *queue, struct rte_flow_action_handle *handle,
	const struct rte_flow_action *action, struct rte_flow_error *error)
{
	int rc;

	if (port->counters == NULL)
		return flow_error_action(error, EINVAL, action, "indirect count: configure was given no counters");
	rc = counter_take(port, queue, &handle->counter);
	if (rc == 0)
		return 0;
	return flow_error_action(error, -rc, action, rc == -EAGAIN ?
		"indirect count: freed counters are not back yet, of %u none is free now" :
		"indirect count: all %u counters are in use", mlx5dr_counter_pool_size(port->counters));
}

static int
create(struct flow_port *port, struct flow_queue *queue, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action *action, struct rte_flow_action_handle **out, struct rte_flow_error *error)
{
	struct rte_flow_action_handle *handle;
	int rc;

	if (action->type != RTE_FLOW_ACTION_TYPE_RSS && action->type != RTE_FLOW_ACTION_TYPE_COUNT)
		return flow_error_action(error, ENOTSUP, action, "indirect %s is not supported",
			flow_action_name(action->type));
	handle = calloc(1, sizeof(*handle));
	if (handle == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, conf, "no memory for an indirect action");
	handle->type = action->type;
	handle->port = port;
	handle->directions = (conf->ingress ? FLOW_RX : 0) | (conf->egress ? FLOW_TX : 0);
	if (index_take(port, handle) != 0) {
		free(handle);
		return flow_error(error, ENOSPC, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, conf, "no more than %u indirect actions",
			port->nb_handles);
	}
	rc = action->type == RTE_FLOW_ACTION_TYPE_RSS ? create_rss(port, handle, action, error) :
		create_count(port, queue, handle, action, error);
	if (rc != 0) {
		port->handles[handle->index] = NULL;
		free(handle);
		return rc;
	}
	LIST_INSERT_HEAD(&port->handle_list, handle, next);
	*out = handle;
	return 0;
}

/* ---- destroy, update, query: under the lock -------------------------------------------------------------------- */

static void
handle_free(struct flow_port *port, struct flow_queue *queue, struct rte_flow_action_handle *handle)
{
	LIST_REMOVE(handle, next);
	port->handles[handle->index] = NULL;
	if (handle->type == RTE_FLOW_ACTION_TYPE_RSS) {
		mlx5dr_action_destroy(handle->action);
		flow_rss_put(port, handle->rss);
	} else {
		mlx5dr_counter_put(port->counters, borrow(port, queue), handle->counter);
		give_back(port, queue);
	}
	free(handle);
}

void
flow_handle_free(struct flow_port *port, struct rte_flow_action_handle *handle)
{
	handle_free(port, NULL, handle);
}

enum rte_flow_action_type
flow_handle_type(void *arg, const struct rte_flow_action_handle *handle)
{
	return handle->port == arg ? handle->type : RTE_FLOW_ACTION_TYPE_END;
}

static int
check_handle(const struct flow_port *port, const struct rte_flow_action_handle *handle, struct rte_flow_error *error)
{
	if (handle != NULL && handle->port == port)
		return 0;
	return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, handle, "indirect action: not one of this port");
}

static int
destroy(struct flow_port *port, struct flow_queue *queue, struct rte_flow_action_handle *handle,
	struct rte_flow_error *error)
{
	unsigned int refs;
	int rc = check_handle(port, handle, error);

	if (rc != 0)
		return rc;
	refs = atomic_load_explicit(&handle->refs, memory_order_acquire);
	if (refs != 0)
		return flow_error(error, EBUSY, RTE_FLOW_ERROR_TYPE_ACTION, handle,
			"indirect action: in use by %u rules or templates", refs);
	handle_free(port, queue, handle);
	return 0;
}

static int
update(struct flow_port *port, struct rte_flow_action_handle *handle, const void *how, struct rte_flow_error *error)
{
	const struct rte_flow_action *action = how;
	struct flow_rss *rss;
	int rc = check_handle(port, handle, error);

	if (rc != 0)
		return rc;
	if (handle->type != RTE_FLOW_ACTION_TYPE_RSS)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, handle, "indirect %s cannot be updated",
			flow_action_name(handle->type));
	if (action == NULL || action->type != RTE_FLOW_ACTION_TYPE_RSS)
		return flow_error_action(error, EINVAL, action, "indirect rss: the update is not an rss action");
	rc = flow_rss_check(action, action->conf, port->dev->data->nb_rx_queues, error);
	if (rc != 0)
		return rc;
	rc = flow_rss_get(port, action->conf, &rss);
	if (rc == 0) {
		rc = mlx5dr_action_update(handle->action, rss->type, rss->id);
		flow_rss_put(port, rc == 0 ? handle->rss : rss);
	}
	if (rc != 0)
		return flow_error_action(error, -rc, action, "indirect rss: %s", flow_reason(NULL, rc));
	handle->rss = rss;
	return 0;
}

static int
query(struct flow_port *port, const struct rte_flow_action_handle *handle, void *data, struct rte_flow_error *error)
{
	int rc = check_handle(port, handle, error);

	if (rc != 0)
		return rc;
	if (handle->type != RTE_FLOW_ACTION_TYPE_COUNT)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, handle, "indirect %s cannot be queried",
			flow_action_name(handle->type));
	if (data == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, handle, "query: data is NULL");
	return flow_counter_read(port, handle->counter, data, handle, error);
}

/* ---- one op: queue NULL is the synchronous call ---------------------------------------------------------------- */

enum what { CREATE, DESTROY, UPDATE, QUERY };

struct request {
	enum what what;
	struct rte_flow_action_handle *handle;
	const struct rte_flow_indir_action_conf *conf;
	const struct rte_flow_action *action;
	const void *update;
	void *data;
};

static int
check_create(const struct request *r, struct rte_flow_error *error)
{
	if (r->conf == NULL || r->action == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, r->action, "indirect action: %s is NULL",
			r->conf == NULL ? "conf" : "action");
	return flow_check_directions(r->conf, r->conf->ingress, r->conf->egress, r->conf->transfer, "indirect action",
		error);
}

static int
carry_out(struct flow_port *port, struct flow_queue *queue, struct request *r, struct rte_flow_error *error)
{
	int rc = flow_port_check(port, error);

	if (rc == 0 && r->what == CREATE)
		rc = check_create(r, error);
	if (rc != 0)
		return rc;
	pthread_mutex_lock(&port->lock);
	switch (r->what) {
	case CREATE:
		rc = create(port, queue, r->conf, r->action, &r->handle, error);
		break;
	case DESTROY:
		rc = destroy(port, queue, r->handle, error);
		break;
	case UPDATE:
		rc = update(port, r->handle, r->update, error);
		break;
	case QUERY:
		rc = query(port, r->handle, r->data, error);
		break;
	}
	pthread_mutex_unlock(&port->lock);
	return rc;
}

static int
carry_out_async(struct flow_port *port, uint32_t queue_id, struct request *r, void *user_data,
	struct rte_flow_error *error)
{
	struct flow_queue *queue;
	int rc = flow_port_check(port, error);

	if (rc != 0)
		return rc;
	if (queue_id >= port->nb_queues)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, port->dev,
			"flow queue %u: the port has %u", queue_id, port->nb_queues);
	queue = &port->queues[queue_id];
	if (!flow_queue_has_room(queue))
		return flow_error(error, EAGAIN, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, port->dev,
			"flow queue %u is full: %u operations wait for pull", queue_id, queue->size);
	rc = carry_out(port, queue, r, error);
	if (rc == 0)
		mlx5dr_queue_complete(queue->hw, user_data, FLOW_OP_HANDLE, 0);
	return rc;
}

/* ---- the ops --------------------------------------------------------------------------------------------------- */

struct rte_flow_action_handle *
flow_op_handle_create(struct rte_eth_dev *dev, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action *action, struct rte_flow_error *error)
{
	struct request r = { .what = CREATE, .conf = conf, .action = action };

	return carry_out(flow_port_of(dev), NULL, &r, error) == 0 ? r.handle : NULL;
}

int
flow_op_handle_destroy(struct rte_eth_dev *dev, struct rte_flow_action_handle *handle, struct rte_flow_error *error)
{
	struct request r = { .what = DESTROY, .handle = handle };

	return carry_out(flow_port_of(dev), NULL, &r, error);
}

int
flow_op_handle_update(struct rte_eth_dev *dev, struct rte_flow_action_handle *handle, const void *update,
	struct rte_flow_error *error)
{
	struct request r = { .what = UPDATE, .handle = handle, .update = update };

	return carry_out(flow_port_of(dev), NULL, &r, error);
}

int
flow_op_handle_query(struct rte_eth_dev *dev, const struct rte_flow_action_handle *handle, void *data,
	struct rte_flow_error *error)
{
	struct request r = { .what = QUERY, .handle = (void *)(uintptr_t)handle, .data = data };

	return carry_out(flow_port_of(dev), NULL, &r, error);
}

struct rte_flow_action_handle *
flow_op_async_handle_create(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	const struct rte_flow_indir_action_conf *conf, const struct rte_flow_action *action, void *user_data,
	struct rte_flow_error *error)
{
	struct request r = { .what = CREATE, .conf = conf, .action = action };

	return carry_out_async(flow_port_of(dev), queue_id, &r, user_data, error) == 0 ? r.handle : NULL;
}

int
flow_op_async_handle_destroy(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, void *user_data, struct rte_flow_error *error)
{
	struct request r = { .what = DESTROY, .handle = handle };

	return carry_out_async(flow_port_of(dev), queue_id, &r, user_data, error);
}

int
flow_op_async_handle_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, const void *update, void *user_data, struct rte_flow_error *error)
{
	struct request r = { .what = UPDATE, .handle = handle, .update = update };

	return carry_out_async(flow_port_of(dev), queue_id, &r, user_data, error);
}

int
flow_op_async_handle_query(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	const struct rte_flow_action_handle *handle, void *data, void *user_data, struct rte_flow_error *error)
{
	struct request r = { .what = QUERY, .handle = (void *)(uintptr_t)handle, .data = data };

	return carry_out_async(flow_port_of(dev), queue_id, &r, user_data, error);
}
