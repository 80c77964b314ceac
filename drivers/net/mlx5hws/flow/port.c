/* SPDX-License-Identifier: BSD-3-Clause */

/* The life of a port's flow engine; isolated mode. */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/error.h"
#include "flow/service.h"
#include "hca/device.h"
#include "hca/log.h"

#define DEFAULT_REFRESH_MS 500
#define MAX_HANDLES (1u << 20)

static int
context_open(struct flow_port *port)
{
	struct mlx5dr_context_attr attr = { .own_queue_size = FLOW_OWN_QUEUE_SIZE, .scratch_bytes = FLOW_SCRATCH_BYTES };
	struct mlx5dr_error reason = { 0 };
	int rc;

	port->unsupported = mlx5dr_unsupported(port->attr.hca);
	if (port->unsupported != NULL) {
		HCA_WARN("%s: no hardware steering: %s", port->dev->data->name, port->unsupported);
		return 0;
	}
	rc = mlx5dr_context_open(port->attr.hca, &attr, &port->ctx, &reason);
	if (rc != 0) {
		HCA_ERR("%s: steering context: %s", port->dev->data->name, flow_reason(&reason, rc));
		return rc;
	}
	rc = flow_groups_open(port);
	if (rc != 0) {
		HCA_ERR("%s: group 0: %s", port->dev->data->name, flow_reason(NULL, rc));
		mlx5dr_context_close(port->ctx);
		port->ctx = NULL;
	}
	return rc;
}

int
flow_port_open(const struct flow_port_attr *attr, struct flow_port **out)
{
	struct flow_port *port = calloc(1, sizeof(*port));
	int rc = -ENOMEM;

	if (port == NULL)
		return -ENOMEM;
	port->attr = *attr;
	if (port->attr.counter_refresh_ms == 0)
		port->attr.counter_refresh_ms = DEFAULT_REFRESH_MS;
	port->dev = attr->dev;
	port->round_puts = UINT32_MAX;
	pthread_mutex_init(&port->lock, NULL);
	pthread_mutex_init(&port->refresh_lock, NULL);
	flow_regs_init(&port->regs, attr->hca->caps.metadata_reg_c);
	port->tables = calloc(FLOW_MAX_TABLES, sizeof(port->tables[0]));
	port->handles = calloc(MAX_HANDLES, sizeof(port->handles[0]));
	port->nb_handles = MAX_HANDLES;
	if (port->tables != NULL && port->handles != NULL)
		rc = context_open(port);
	if (rc == 0) {
		*out = port;
		return 0;
	}
	free(port->handles);
	free(port->tables);
	pthread_mutex_destroy(&port->refresh_lock);
	pthread_mutex_destroy(&port->lock);
	free(port);
	return rc;
}

/* A table may use templates that jump to the rows of another: whatever nothing uses goes, until nothing more does. */
static bool
tables_free(struct flow_port *port)
{
	bool some = false;

	for (struct rte_flow_template_table *table = LIST_FIRST(&port->table_list), *next; table != NULL; table = next) {
		next = LIST_NEXT(table, next);
		some |= flow_table_free(port, table) == 0;
	}
	return some;
}

static bool
actions_templates_free(struct flow_port *port)
{
	bool some = false;

	for (struct rte_flow_actions_template *at = LIST_FIRST(&port->actions_templates), *next; at != NULL; at = next) {
		next = LIST_NEXT(at, next);
		if (at->refs != 0)
			continue;
		flow_actions_template_free(at);
		some = true;
	}
	return some;
}

/* Whatever the application left, in reverse order of use. */
static void
objects_free(struct flow_port *port)
{
	while (tables_free(port) || actions_templates_free(port))
		;
	/* Stop took all rules out, so this is a fault of ours: better a leak that is told than a close without end. */
	if (!LIST_EMPTY(&port->table_list)) {
		HCA_ERR("%s: a table cannot be freed", port->dev->data->name);
		return;
	}
	while (!LIST_EMPTY(&port->pattern_templates))
		flow_pattern_template_free(LIST_FIRST(&port->pattern_templates));
	while (!LIST_EMPTY(&port->handle_list))
		flow_handle_free(port, LIST_FIRST(&port->handle_list));
}

/* Stop has finished every operation; what lies here is what the application never pulled. */
static void
tell_dropped(const struct flow_port *port)
{
	uint32_t nb = 0;

	for (uint16_t i = 0; i < port->nb_queues; i++)
		nb += port->queues[i].nb_stashed + mlx5dr_queue_pending(port->queues[i].hw);
	if (nb != 0)
		HCA_INFO("%s: %u results nobody pulled are dropped", port->dev->data->name, nb);
}

void
flow_port_close(struct flow_port *port)
{
	int rc;

	if (port == NULL)
		return;
	if (port->ctx != NULL) {
		flow_service_stop(port);
		flow_port_stop(port);
		tell_dropped(port);
		objects_free(port);
		if (port->counters != NULL)
			mlx5dr_counter_pool_destroy(port->counters);
		flow_queues_free(port);
		flow_groups_close(port);
		rc = mlx5dr_context_close(port->ctx);
		if (rc != 0)
			HCA_ERR("%s: steering context not closed: %s", port->dev->data->name, strerror(-rc));
	}
	free(port->handles);
	free(port->tables);
	pthread_mutex_destroy(&port->refresh_lock);
	pthread_mutex_destroy(&port->lock);
	free(port);
}

int
flow_port_start(struct flow_port *port, const struct flow_defaults *defaults)
{
	int rc = 0;

	pthread_mutex_lock(&port->lock);
	if (port->ctx != NULL && !port->started) {
		if (!port->isolated)
			rc = flow_defaults_apply(port, defaults);
		if (rc == 0)
			rc = flow_root_install(port);
		if (rc != 0)
			flow_defaults_close(port);
	}
	if (rc == 0)
		port->started = true;
	pthread_mutex_unlock(&port->lock);
	return rc;
}

int
flow_queues_changed(struct flow_port *port)
{
	int rc;

	pthread_mutex_lock(&port->lock);
	rc = flow_queue_map_fill(port);
	pthread_mutex_unlock(&port->lock);
	return rc;
}

void
flow_port_stop(struct flow_port *port)
{
	pthread_mutex_lock(&port->lock);
	if (port->ctx != NULL) {
		flow_root_remove(port);
		flow_flush_rules(port);
		flow_defaults_close(port);
	}
	port->started = false;
	pthread_mutex_unlock(&port->lock);
}

int
flow_default_update(struct flow_port *port, const struct flow_defaults *defaults)
{
	int rc = 0;

	pthread_mutex_lock(&port->lock);
	if (port->ctx != NULL && port->started && !port->isolated)
		rc = flow_defaults_apply(port, defaults);
	pthread_mutex_unlock(&port->lock);
	return rc;
}

bool
flow_port_is_isolated(const struct flow_port *port)
{
	return port->isolated;
}

int
flow_op_isolate(struct rte_eth_dev *dev, int set, struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	int rc = 0;

	pthread_mutex_lock(&port->lock);
	if (port->started)
		rc = flow_error(error, EBUSY, RTE_FLOW_ERROR_TYPE_STATE, dev, "isolate: the port must be stopped first");
	else
		port->isolated = set != 0;
	pthread_mutex_unlock(&port->lock);
	return rc;
}
