/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Receive interrupts: a descriptor for each receive queue, for an application that sleeps until packets
 * come (rte_eth_dev_rx_intr_ctl_q, _enable, _disable). Where intr_conf.rxq asks for them, every queue has
 * its channel from port start to port stop, so the descriptors outlive a queue that is stopped and started
 * again; each new CQ is led into it.
 *
 * Threads: open, close, attach: control. Enable, disable: the one that polls the queue.
 */
#ifndef MLX5HWS_RX_INTR_H
#define MLX5HWS_RX_INTR_H

#include <stdint.h>

struct hca_cq;
struct mlx5hws_port;
struct rte_eth_dev;

/* Before the queues are started. 0 where the application wants none; -errno with a log line, nothing is open then. */
int mlx5hws_rx_intr_open(struct rte_eth_dev *dev);
/* After the queues are stopped. */
void mlx5hws_rx_intr_close(struct rte_eth_dev *dev);

/* The queue has a new CQ. 0 where no interrupts are wanted. */
int mlx5hws_rx_intr_attach(struct mlx5hws_port *port, uint16_t idx, const struct hca_cq *cq);

/*
 * One wake-up by the next completion, also by one that is there already: nothing falls between the last
 * look at the queue and this call. -EINVAL: the port was not started with interrupts, or the queue is
 * stopped.
 */
int mlx5hws_rx_intr_enable(struct rte_eth_dev *dev, uint16_t idx);
/*
 * Forget the wake-up that came. One that was ordered and did not come yet may still come, once: the device
 * takes no order back.
 */
int mlx5hws_rx_intr_disable(struct rte_eth_dev *dev, uint16_t idx);

#endif
