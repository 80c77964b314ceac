/* SPDX-License-Identifier: BSD-3-Clause */

/* rte_flow_info_get and rte_flow_configure: how many flow queues and counters a port may have, and has. */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/error.h"
#include "flow/service.h"
#include "hca/device.h"
#include "hca/log.h"

void
flow_queues_free(struct flow_port *port)
{
	for (uint16_t i = 0; i < port->nb_queues; i++)
		free(port->queues[i].stash);
	free(port->queues);
	port->queues = NULL;
	port->nb_queues = 0;
}

static int
queues_alloc(uint16_t nb, const uint32_t *sizes, struct flow_queue **out)
{
	struct flow_queue *queues = aligned_alloc(RTE_CACHE_LINE_SIZE, nb * sizeof(*queues));

	if (queues == NULL)
		return -ENOMEM;
	memset(queues, 0, nb * sizeof(*queues));
	for (uint16_t i = 0; i < nb; i++) {
		queues[i].size = sizes[i];
		queues[i].stash = calloc(sizes[i], sizeof(queues[i].stash[0]));
		if (queues[i].stash != NULL)
			continue;
		while (i-- > 0)
			free(queues[i].stash);
		free(queues);
		return -ENOMEM;
	}
	*out = queues;
	return 0;
}

static void
queues_bind(struct flow_port *port, struct flow_queue *queues, uint16_t nb)
{
	for (uint16_t i = 0; i < nb; i++) {
		queues[i].hw = mlx5dr_context_queue(port->ctx, i);
		queues[i].scratch = mlx5dr_queue_scratch(queues[i].hw);
		queues[i].port = port;
	}
	flow_queues_free(port);
	port->queues = queues;
	port->nb_queues = nb;
}

static int
set_queues(struct flow_port *port, uint16_t nb, const uint32_t *sizes, struct mlx5dr_error *reason)
{
	struct mlx5dr_context_attr attr = {
		.nb_queues = nb, .queue_size = sizes, .own_queue_size = FLOW_OWN_QUEUE_SIZE, .scratch_bytes = FLOW_SCRATCH_BYTES,
	};

	return mlx5dr_context_set_queues(port->ctx, &attr, reason);
}

/* The queues of the configuration before, as they were: empty. */
static void
restore_queues(struct flow_port *port)
{
	uint32_t sizes[FLOW_MAX_QUEUES];
	int rc;

	for (uint16_t i = 0; i < port->nb_queues; i++)
		sizes[i] = port->queues[i].size;
	rc = set_queues(port, port->nb_queues, sizes, NULL);
	if (rc != 0) {
		HCA_ERR("%s: the flow queues of the former configuration are lost: %s", port->dev->data->name,
			strerror(-rc));
		flow_queues_free(port);
	} else {
		for (uint16_t i = 0; i < port->nb_queues; i++) {
			port->queues[i].hw = mlx5dr_context_queue(port->ctx, i);
			port->queues[i].scratch = mlx5dr_queue_scratch(port->queues[i].hw);
		}
	}
}

static int
configure(struct flow_port *port, const struct rte_flow_port_attr *attr, uint16_t nb_queues, const uint32_t *sizes,
	struct mlx5dr_error *reason)
{
	struct mlx5dr_counter_pool *counters = NULL;
	struct flow_queue *queues;
	int rc = queues_alloc(nb_queues, sizes, &queues);

	if (rc != 0)
		return rc;
	rc = set_queues(port, nb_queues, sizes, reason);
	if (rc == 0 && attr->nb_counters != 0) {
		rc = mlx5dr_counter_pool_create(port->ctx, attr->nb_counters, &counters, reason);
		if (rc != 0)
			restore_queues(port);
	}
	if (rc != 0) {
		for (uint16_t i = 0; i < nb_queues; i++)
			free(queues[i].stash);
		free(queues);
		return rc;
	}
	queues_bind(port, queues, nb_queues);
	if (port->counters != NULL)
		mlx5dr_counter_pool_destroy(port->counters);
	port->counters = counters;
	port->rounds_wanted = 0;
	port->round_puts = counters != NULL ? RTE_MAX(attr->nb_counters / 4 / nb_queues, 1u) : UINT32_MAX;
	port->config = *attr;
	return 0;
}

static uint32_t
max_queues(const struct flow_port *port)
{
	return RTE_MIN((uint32_t)FLOW_MAX_QUEUES, 1u << RTE_MIN(port->attr.hca->caps.log_max_sq, 16) >> 1);
}

static uint32_t
max_counters(const struct flow_port *port)
{
	const struct hca_caps *caps = &port->attr.hca->caps;

	return RTE_MIN(caps->max_flow_counter, FLOW_SHARED_COUNTER - 1);
}

int
flow_op_info_get(struct rte_eth_dev *dev, struct rte_flow_port_info *port_info,
	struct rte_flow_queue_info *queue_info, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);

	if (port->unsupported != NULL)
		return flow_port_check(port, error);
	*port_info = (struct rte_flow_port_info){
		.max_nb_queues = max_queues(port),
		.max_nb_counters = max_counters(port),
	};
	if (queue_info != NULL)
		*queue_info = (struct rte_flow_queue_info){ .max_size = mlx5dr_max_queue_size(port->attr.hca) };
	return 0;
}

static int
check_port_attr(const struct flow_port *port, const struct rte_flow_port_attr *attr, struct rte_flow_error *error)
{
	const struct {
		const char *name;
		uint32_t asked, most;
	} rows[] = {
		{ "nb_counters", attr->nb_counters, max_counters(port) },
		{ "nb_aging_objects", attr->nb_aging_objects, 0 },
		{ "nb_meters", attr->nb_meters, 0 },
		{ "nb_conn_tracks", attr->nb_conn_tracks, 0 },
	};

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		if (rows[i].asked <= rows[i].most)
			continue;
		return flow_error(error, rows[i].most == 0 ? ENOTSUP : EINVAL, RTE_FLOW_ERROR_TYPE_ATTR, attr,
			rows[i].most == 0 ? "configure: %s %u is not supported" : "configure: %s %u, at most %u",
			rows[i].name, rows[i].asked, rows[i].most);
	}
	if (attr->flags != 0)
		return flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR, attr,
			"configure: flags 0x%x are not supported", attr->flags);
	return 0;
}

static int
check_queues(const struct flow_port *port, uint16_t nb_queue, const struct rte_flow_queue_attr *queue_attr[],
	uint32_t *sizes, struct rte_flow_error *error)
{
	uint32_t most = mlx5dr_max_queue_size(port->attr.hca);

	if (nb_queue == 0 || nb_queue > max_queues(port))
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, queue_attr,
			"configure: %u queues, 1 to %u", nb_queue, max_queues(port));
	for (uint16_t i = 0; i < nb_queue; i++) {
		if (queue_attr[i] == NULL)
			return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, queue_attr,
				"configure: queue %u has no attributes", i);
		sizes[i] = queue_attr[i]->size;
		if (sizes[i] == 0 || sizes[i] > most)
			return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, queue_attr[i],
				"configure: size %u of queue %u, 1 to %u", sizes[i], i, most);
	}
	return 0;
}

/* A second call starts afresh, which nothing of the first may outlive. */
static int
check_unused(const struct flow_port *port, struct rte_flow_error *error)
{
	const char *what = NULL;

	if (!LIST_EMPTY(&port->table_list) || !LIST_EMPTY(&port->pattern_templates) ||
	    !LIST_EMPTY(&port->actions_templates))
		what = "templates or tables exist";
	else if (!LIST_EMPTY(&port->handle_list))
		what = "indirect actions exist";
	for (uint16_t i = 0; i < port->nb_queues; i++)
		if (port->queues[i].nb_stashed != 0 || mlx5dr_queue_pending(port->queues[i].hw) != 0)
			what = "operations wait for pull";
	if (what == NULL)
		return 0;
	return flow_error(error, EBUSY, RTE_FLOW_ERROR_TYPE_STATE, port->dev, "configure: %s", what);
}

/* Counters work without it, so its failure is told and no more. */
static void
start_service(struct flow_port *port)
{
	int rc = flow_service_start(port);

	if (rc != 0)
		HCA_ERR("%s: no counter thread on CPU %d (%s): queries and pulls read the counters", port->dev->data->name,
			port->attr.service_core, strerror(-rc));
}

int
flow_op_configure(struct rte_eth_dev *dev, const struct rte_flow_port_attr *attr, uint16_t nb_queue,
	const struct rte_flow_queue_attr *queue_attr[], struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	uint32_t sizes[FLOW_MAX_QUEUES];
	struct mlx5dr_error reason = { 0 };
	int rc = 0;

	if (port->unsupported != NULL)
		return flow_port_check(port, error);
	pthread_mutex_lock(&port->lock);
	if (port->started)
		rc = flow_error(error, EBUSY, RTE_FLOW_ERROR_TYPE_STATE, dev, "configure: the port is started");
	if (rc == 0)
		rc = check_port_attr(port, attr, error);
	if (rc == 0)
		rc = check_queues(port, nb_queue, queue_attr, sizes, error);
	if (rc == 0)
		rc = check_unused(port, error);
	if (rc == 0) {
		flow_service_stop(port);
		rc = configure(port, attr, nb_queue, sizes, &reason);
		if (rc != 0)
			flow_error(error, -rc, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, attr, "configure: %s",
				flow_reason(&reason, rc));
		start_service(port);
	}
	pthread_mutex_unlock(&port->lock);
	return rc;
}
