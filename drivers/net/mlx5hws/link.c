/* SPDX-License-Identifier: BSD-3-Clause */

/* Link, MTU, and the device's asynchronous events: link change and removal, told to the application. */
#include <errno.h>

#include <rte_ethdev.h>
#include <rte_interrupts.h>

#include "hca/device.h"
#include "hca/event.h"
#include "hca/netdev.h"
#include "log.h"
#include "port.h"
#include "rx.h"
#include "rx_stride.h"

int
mlx5hws_link_update(struct rte_eth_dev *dev, int wait)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct rte_eth_link link = { 0 };
	struct hca_link now = { 0 };
	int ret;

	RTE_SET_USED(wait);
	if (!atomic_load_explicit(&port->hca->dead, memory_order_relaxed)) {
		ret = port->netdev->ops->link_get(port->netdev, &now);
		if (ret != 0)
			return ret;
	}
	link.link_status = now.up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN;
	link.link_duplex = now.full_duplex ? RTE_ETH_LINK_FULL_DUPLEX : RTE_ETH_LINK_HALF_DUPLEX;
	link.link_autoneg = now.autoneg ? RTE_ETH_LINK_AUTONEG : RTE_ETH_LINK_FIXED;
	link.link_speed = now.up ? now.speed_mbps : RTE_ETH_SPEED_NUM_NONE;
	if (now.up && now.speed_mbps == 0)
		link.link_speed = RTE_ETH_SPEED_NUM_UNKNOWN;
	return rte_eth_linkstatus_set(dev, &link);
}

int
mlx5hws_link_up(struct rte_eth_dev *dev)
{
	struct hca_netdev *netdev = mlx5hws_port(dev)->netdev;
	int ret = netdev->ops->link_set(netdev, true);

	if (ret == 0)
		mlx5hws_link_update(dev, 0);
	return ret;
}

int
mlx5hws_link_down(struct rte_eth_dev *dev)
{
	struct hca_netdev *netdev = mlx5hws_port(dev)->netdev;
	int ret = netdev->ops->link_set(netdev, false);

	if (ret == 0)
		mlx5hws_link_update(dev, 0);
	return ret;
}

static uint32_t
frame_max(const struct mlx5hws_rxq *rxq)
{
	return rxq->stride != NULL ? mlx5hws_rx_stride_frame_max(rxq) : mlx5hws_rx_frame_max(rxq);
}

/* A started queue keeps the buffers per packet it was made with: a larger frame needs a restart. */
static bool
fits_started_queues(struct rte_eth_dev *dev, uint16_t mtu)
{
	for (uint16_t i = 0; i < dev->data->nb_rx_queues; i++) {
		const struct mlx5hws_rxq *rxq = dev->data->rx_queues[i];

		if (rxq != NULL && rxq->started && mlx5hws_frame_bytes(mtu) > frame_max(rxq)) {
			MLX5HWS_LOG(ERR, "port %u: an MTU of %u does not fit the buffers of Rx queue %u; stop the "
				    "port first", dev->data->port_id, mtu, i);
			return false;
		}
	}
	return true;
}

int
mlx5hws_mtu_set(struct rte_eth_dev *dev, uint16_t mtu)
{
	struct hca_netdev *netdev = mlx5hws_port(dev)->netdev;

	if (!fits_started_queues(dev, mtu))
		return -EBUSY;
	return netdev->ops->mtu_set(netdev, mtu);
}

int
mlx5hws_is_removed(struct rte_eth_dev *dev)
{
	return atomic_load_explicit(&mlx5hws_port(dev)->hca->dead, memory_order_relaxed);
}

/*
 * Has the link changed since this was last asked? Not since it was last read: whoever asks for the link, or sets it, reads it
 * too, and the change would be told to nobody.
 */
static bool
link_changed(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct rte_eth_link now;

	if (mlx5hws_link_update(dev, 0) < -1)
		return false;
	rte_eth_linkstatus_get(dev, &now);
	if (now.link_status == port->told_up && now.link_speed == port->told_speed)
		return false;
	port->told_up = now.link_status;
	port->told_speed = now.link_speed;
	return true;
}

/* What waits at the device, and what of it the application wants to hear; RTE_ETH_EVENT_MAX: nothing. */
static enum rte_eth_event_type
take_events(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	bool link = false, fatal = false;
	enum hca_event event;

	while ((event = hca_event_next(port->hca)) != HCA_EVENT_NONE) {
		link |= event == HCA_EVENT_LINK;
		fatal |= event == HCA_EVENT_FATAL;
	}
	if ((!link && !fatal) || (!link_changed(dev) && !fatal))
		return RTE_ETH_EVENT_MAX;
	if (fatal && port->wants_removal)
		return RTE_ETH_EVENT_INTR_RMV;
	return port->wants_link ? RTE_ETH_EVENT_INTR_LSC : RTE_ETH_EVENT_MAX;
}

/*
 * On EAL's interrupt thread. The lock orders this against the close of the port on another thread. The
 * application's callback comes last and without it: it may close this very port, after which nothing of
 * it may be touched.
 */
static void
handle_events(void *arg)
{
	struct rte_eth_dev *dev = arg;
	struct mlx5hws_port *port = mlx5hws_port(dev);
	enum rte_eth_event_type event;

	pthread_mutex_lock(&port->events_lock);
	event = take_events(dev);
	pthread_mutex_unlock(&port->events_lock);
	if (event != RTE_ETH_EVENT_MAX)
		rte_eth_dev_callback_process(dev, event, NULL);
}

static void
free_interrupt(struct rte_intr_handle *handle, void *arg)
{
	RTE_SET_USED(arg);
	rte_intr_instance_free(handle);
}

int
mlx5hws_events_open(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	int fd = hca_event_fd(port->hca), ret;

	if (fd < 0)
		return fd;
	/* What the first event is compared with; from the registration on both are the interrupt thread's. */
	mlx5hws_link_update(dev, 0);
	port->told_up = dev->data->dev_link.link_status;
	port->told_speed = dev->data->dev_link.link_speed;
	port->interrupt = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_SHARED);
	if (port->interrupt == NULL)
		return -ENOMEM;
	pthread_mutex_init(&port->events_lock, NULL);
	ret = rte_intr_fd_set(port->interrupt, fd);
	if (ret == 0)
		ret = rte_intr_type_set(port->interrupt, RTE_INTR_HANDLE_EXT);
	if (ret == 0)
		ret = rte_intr_callback_register(port->interrupt, handle_events, dev);
	if (ret != 0) {
		pthread_mutex_destroy(&port->events_lock);
		rte_intr_instance_free(port->interrupt);
		port->interrupt = NULL;
		return ret < 0 ? ret : -EIO;
	}
	return 0;
}

void
mlx5hws_events_close(struct rte_eth_dev *dev)
{
	struct mlx5hws_port *port = mlx5hws_port(dev);
	struct rte_intr_handle *handle = port->interrupt;
	int ret;

	if (handle == NULL)
		return;
	port->interrupt = NULL;
	ret = rte_intr_callback_unregister(handle, handle_events, dev);
	if (ret == -EAGAIN && rte_thread_is_intr()) {
		/* Called from our own event: the handle goes when the handler has returned. */
		rte_intr_callback_unregister_pending(handle, handle_events, dev, free_interrupt);
		pthread_mutex_destroy(&port->events_lock);
		return;
	}
	if (ret == -EAGAIN)
		ret = rte_intr_callback_unregister_sync(handle, handle_events, dev);
	if (ret < 0)
		MLX5HWS_LOG(WARNING, "port %u: event handler not unregistered: %s", dev->data->port_id,
			    strerror(-ret));
	/* What the handler did comes before what follows here. */
	pthread_mutex_lock(&port->events_lock);
	pthread_mutex_unlock(&port->events_lock);
	pthread_mutex_destroy(&port->events_lock);
	rte_intr_instance_free(handle);
}
