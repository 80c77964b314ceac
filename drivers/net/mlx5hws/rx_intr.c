/* SPDX-License-Identifier: BSD-3-Clause */
#include "rx_intr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_interrupts.h>

#include "hca/cq_event.h"
#include "log.h"
#include "port.h"
#include "rx.h"

struct mlx5hws_rx_intr {
	struct rte_intr_handle *handle;   /* what ethdev finds the descriptors by */
	struct rte_intr_handle *replaced; /* the bus's own, back in its place at stop */
	uint16_t nb;
	struct hca_cq_events queues[];
};

/* Vector n of the handle is receive queue n's, whether that is started or not. */
static int
fill_handle(struct mlx5hws_rx_intr *intr)
{
	int ret = rte_intr_vec_list_alloc(intr->handle, NULL, intr->nb);

	/*
	 * The kind that has a descriptor for each queue (rte_intr_cap_multiple): of others, the event adapter watches the first
	 * queue's alone. EAL reads no byte of it: that is intr_disable's business.
	 */
	if (ret == 0)
		ret = rte_intr_type_set(intr->handle, RTE_INTR_HANDLE_VDEV);
	if (ret == 0)
		ret = rte_intr_efd_counter_size_set(intr->handle, 0);
	for (uint16_t i = 0; i < intr->nb && ret == 0; i++) {
		ret = rte_intr_vec_list_index_set(intr->handle, i, RTE_INTR_VEC_RXTX_OFFSET + i);
		if (ret == 0)
			ret = rte_intr_efds_index_set(intr->handle, i, hca_cq_events_fd(&intr->queues[i]));
	}
	return ret == 0 ? rte_intr_nb_efd_set(intr->handle, intr->nb) : ret;
}

static void
discard(struct mlx5hws_rx_intr *intr)
{
	if (intr->handle != NULL) {
		rte_intr_free_epoll_fd(intr->handle); /* out of every epoll set that it was put into */
		rte_intr_vec_list_free(intr->handle);
		rte_intr_instance_free(intr->handle);
	}
	for (uint16_t i = 0; i < intr->nb; i++)
		hca_cq_events_close(&intr->queues[i]);
	free(intr);
}

int
mlx5hws_rx_intr_open(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	uint16_t nb = dev->data->nb_rx_queues;
	struct mlx5hws_rx_intr *intr;
	int ret = 0;

	if (!dev->data->dev_conf.intr_conf.rxq || nb == 0)
		return 0;
	intr = calloc(1, sizeof(*intr) + nb * sizeof(intr->queues[0]));
	if (intr == NULL)
		return -ENOMEM;
	intr->nb = nb;
	intr->handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_SHARED);
	if (intr->handle == NULL)
		ret = -ENOMEM;
	for (uint16_t i = 0; i < nb && ret == 0; i++)
		ret = hca_cq_events_open(port->hca, &intr->queues[i]);
	if (ret == 0)
		ret = fill_handle(intr);
	if (ret != 0) {
		MLX5HWS_LOG(ERR, "port %u: no interrupts of %u Rx queues: %s", dev->data->port_id, nb, strerror(-ret));
		discard(intr);
		return ret;
	}
	intr->replaced = dev->intr_handle;
	dev->intr_handle = intr->handle;
	port->rx_intr = intr;
	return 0;
}

void
mlx5hws_rx_intr_close(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);

	if (port->rx_intr == NULL)
		return;
	dev->intr_handle = port->rx_intr->replaced;
	discard(port->rx_intr);
	port->rx_intr = NULL;
}

int
mlx5hws_rx_intr_attach(struct mlx5hws_port *port, uint16_t idx, const struct hca_cq *cq)
{
	return port->rx_intr == NULL ? 0 : hca_cq_events_watch(&port->rx_intr->queues[idx], cq);
}

/* Its events, where the queue can raise any now. */
static struct hca_cq_events *
events_of(struct rte_eth_dev *dev, uint16_t idx)
{
	const struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];
	struct mlx5hws_rx_intr *intr = mlx5hws_port(dev)->rx_intr;

	return intr == NULL || idx >= intr->nb || rxq == NULL || !rxq->started ? NULL : &intr->queues[idx];
}

int
mlx5hws_rx_intr_enable(struct rte_eth_dev *dev, uint16_t idx)
{
	const struct mlx5hws_rxq *rxq = dev->data->rx_queues[idx];
	const struct hca_cq_events *events = events_of(dev, idx);

	if (events == NULL)
		return -EINVAL;
	hca_cq_events_arm(events, &rxq->cq);
	return 0;
}

int
mlx5hws_rx_intr_disable(struct rte_eth_dev *dev, uint16_t idx)
{
	struct hca_cq_events *events = events_of(dev, idx);
	int ret = events == NULL ? -EINVAL : hca_cq_events_take(events);

	return ret == -EAGAIN ? 0 : ret;
}
