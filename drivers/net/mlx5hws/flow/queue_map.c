/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Receive queue -> TIR -> STC, for queue actions. A TIR stands on a one-entry RQT that the pool of hca re-points when a queue
 * starts or stops, so rules made before start stay valid. The map holds as many queues as the port has; it exists
 * while some template has a queue action.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/rss.h"

static void
queue_drop(struct flow_port *port, uint16_t i)
{
	struct flow_queue_dest *dest = &port->queue_dests[i];

	__atomic_store_n(&port->queue_map->stc_be[i], 0, __ATOMIC_RELEASE);
	if (dest->action != NULL)
		mlx5dr_action_destroy(dest->action);
	hca_rss_put(dest->tir);
	*dest = (struct flow_queue_dest){ 0 };
}

static void
publish(struct flow_port *port, uint16_t i)
{
	__atomic_store_n(&port->queue_map->stc_be[i], mlx5dr_action_stc(port->queue_dests[i].action), __ATOMIC_RELEASE);
}

static int
queue_add(struct flow_port *port, uint16_t i)
{
	struct hca_rss_attr attr = { .queues = &i, .nb_queues = 1 };
	struct flow_queue_dest *dest = &port->queue_dests[i];
	int rc = hca_rss_get(port->attr.rss, &attr, &dest->tir);

	if (rc == 0)
		rc = mlx5dr_action_create(port->ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TIR, dest->tir->tir->id, &dest->action);
	if (rc != 0) {
		queue_drop(port, i);
		return rc;
	}
	publish(port, i);
	return 0;
}

/* The map must not move, as rules read it; what stands behind it may. */
static int
map_alloc(struct flow_port *port)
{
	uint32_t max = RTE_MAX_QUEUES_PER_PORT;

	port->queue_map = calloc(1, sizeof(*port->queue_map) + max * sizeof(uint32_t));
	if (port->queue_map == NULL)
		return -ENOMEM;
	port->queue_map->nb = max;
	return 0;
}

static int
dests_grow(struct flow_port *port, uint32_t nb)
{
	struct flow_queue_dest *dests;

	if (nb <= port->nb_queue_dests)
		return 0;
	dests = realloc(port->queue_dests, nb * sizeof(*dests));
	if (dests == NULL)
		return -ENOMEM;
	memset(dests + port->nb_queue_dests, 0, (nb - port->nb_queue_dests) * sizeof(*dests));
	port->queue_dests = dests;
	port->nb_queue_dests = nb;
	return 0;
}

int
flow_queue_map_fill(struct flow_port *port)
{
	uint16_t nb = port->dev->data->nb_rx_queues;
	int rc;

	if (port->queue_map_refs == 0)
		return 0;
	rc = dests_grow(port, nb);
	for (uint32_t i = nb; i < port->queue_map->nb; i++)
		__atomic_store_n(&port->queue_map->stc_be[i], 0, __ATOMIC_RELEASE);
	for (uint16_t i = 0; rc == 0 && i < nb; i++) {
		if (port->queue_dests[i].action == NULL)
			rc = queue_add(port, i);
		else
			publish(port, i);
	}
	return rc;
}

int
flow_queue_map_get(struct flow_port *port)
{
	int rc;

	if (port->queue_map_refs == 0) {
		rc = map_alloc(port);
		if (rc != 0)
			return rc;
	}
	port->queue_map_refs++;
	rc = flow_queue_map_fill(port);
	if (rc != 0)
		flow_queue_map_put(port);
	return rc;
}

void
flow_queue_map_put(struct flow_port *port)
{
	if (--port->queue_map_refs != 0)
		return;
	for (uint32_t i = 0; i < port->nb_queue_dests; i++)
		queue_drop(port, i);
	free(port->queue_map);
	free(port->queue_dests);
	port->queue_map = NULL;
	port->queue_dests = NULL;
	port->nb_queue_dests = 0;
}
