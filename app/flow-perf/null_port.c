/* SPDX-License-Identifier: BSD-3-Clause */

#include "null_port.h"

#include <stdlib.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_bus_vdev.h>
#include <rte_flow_driver.h>
#include <rte_version.h>

#include "port.h"

#define NULL_NAME  "net_flowperf_null"
#define NULL_DEPTH 2048 /* results a queue holds */

struct null_queue {
	void *user_data[NULL_DEPTH];
	uint32_t head, tail;
};

struct null_private {
	struct null_queue queue[PORT_QUEUES];
	uint64_t rules; /* something for a handle to point to */
};

/* An object of which there is only one: templates, tables. */
static uint64_t null_object;

static int
null_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	info->max_rx_queues = info->max_tx_queues = PORT_QUEUES;
	info->max_rx_pktlen = UINT16_MAX;
	info->max_mac_addrs = 1;
	info->driver_name = NULL_NAME;
	return 0;
}

static int
null_configure(struct rte_eth_dev *dev)
{
	return 0;
}

static int
null_start(struct rte_eth_dev *dev)
{
	return 0;
}

static int
null_stop(struct rte_eth_dev *dev)
{
	return 0;
}

static int
null_close(struct rte_eth_dev *dev)
{
	return 0;
}

static int
null_rxq(struct rte_eth_dev *dev, uint16_t q, uint16_t n, unsigned int socket, const struct rte_eth_rxconf *conf,
	struct rte_mempool *pool)
{
	dev->data->rx_queues[q] = pool;
	return 0;
}

static int
null_txq(struct rte_eth_dev *dev, uint16_t q, uint16_t n, unsigned int socket, const struct rte_eth_txconf *conf)
{
	dev->data->tx_queues[q] = dev;
	return 0;
}

static int
null_link(struct rte_eth_dev *dev, int wait)
{
	return 0;
}

static int
null_flow_configure(struct rte_eth_dev *dev, const struct rte_flow_port_attr *attr, uint16_t nb,
	const struct rte_flow_queue_attr *queues[], struct rte_flow_error *error)
{
	return 0;
}

static struct rte_flow_pattern_template *
null_pattern(struct rte_eth_dev *dev, const struct rte_flow_pattern_template_attr *attr, const struct rte_flow_item *items,
	struct rte_flow_error *error)
{
	return (void *)&null_object;
}

static int
null_pattern_destroy(struct rte_eth_dev *dev, struct rte_flow_pattern_template *t, struct rte_flow_error *error)
{
	return 0;
}

static struct rte_flow_actions_template *
null_actions(struct rte_eth_dev *dev, const struct rte_flow_actions_template_attr *attr,
	const struct rte_flow_action *actions, const struct rte_flow_action *masks, struct rte_flow_error *error)
{
	return (void *)&null_object;
}

static int
null_actions_destroy(struct rte_eth_dev *dev, struct rte_flow_actions_template *t, struct rte_flow_error *error)
{
	return 0;
}

static struct rte_flow_template_table *
null_table(struct rte_eth_dev *dev, const struct rte_flow_template_table_attr *attr,
	struct rte_flow_pattern_template *patterns[], uint8_t nb_patterns, struct rte_flow_actions_template *actions[],
	uint8_t nb_actions, struct rte_flow_error *error)
{
	return (void *)&null_object;
}

static int
null_table_destroy(struct rte_eth_dev *dev, struct rte_flow_template_table *t, struct rte_flow_error *error)
{
	return 0;
}

static struct rte_flow *
null_create(struct rte_eth_dev *dev, uint32_t queue, const struct rte_flow_op_attr *attr,
	struct rte_flow_template_table *table, const struct rte_flow_item items[], uint8_t pattern,
	const struct rte_flow_action actions[], uint8_t action, void *user_data, struct rte_flow_error *error)
{
	struct null_private *priv = dev->data->dev_private;
	struct null_queue *q = &priv->queue[queue];

	q->user_data[q->head++ % NULL_DEPTH] = user_data;
	return (void *)&priv->rules;
}

static int
null_destroy(struct rte_eth_dev *dev, uint32_t queue, const struct rte_flow_op_attr *attr, struct rte_flow *flow,
	void *user_data, struct rte_flow_error *error)
{
	struct null_private *priv = dev->data->dev_private;
	struct null_queue *q = &priv->queue[queue];

	q->user_data[q->head++ % NULL_DEPTH] = user_data;
	return 0;
}

static int
null_push(struct rte_eth_dev *dev, uint32_t queue, struct rte_flow_error *error)
{
	return 0;
}

static int
null_pull(struct rte_eth_dev *dev, uint32_t queue, struct rte_flow_op_result res[], uint16_t n,
	struct rte_flow_error *error)
{
	struct null_private *priv = dev->data->dev_private;
	struct null_queue *q = &priv->queue[queue];
	uint16_t i;

	for (i = 0; i < n && q->tail != q->head; i++)
		res[i] = (struct rte_flow_op_result){.status = RTE_FLOW_OP_SUCCESS,
			.user_data = q->user_data[q->tail++ % NULL_DEPTH]};
	return i;
}

static int
null_query(struct rte_eth_dev *dev, struct rte_flow *flow, const struct rte_flow_action *actions, void *data,
	struct rte_flow_error *error)
{
	return 0;
}

/* From 24.03 on the calls on flow queues have a table of their own. */
#define NULL_QUEUE_CALLS .async_create = null_create, .async_destroy = null_destroy, .push = null_push, .pull = null_pull
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define NULL_QUEUE_OPS
static const struct rte_flow_fp_ops null_queue_ops = {NULL_QUEUE_CALLS};
#else
#define NULL_QUEUE_OPS NULL_QUEUE_CALLS
#endif

static const struct rte_flow_ops null_flow_ops = {
	.query = null_query,
	.configure = null_flow_configure,
	.pattern_template_create = null_pattern,
	.pattern_template_destroy = null_pattern_destroy,
	.actions_template_create = null_actions,
	.actions_template_destroy = null_actions_destroy,
	.template_table_create = null_table,
	.template_table_destroy = null_table_destroy,
	NULL_QUEUE_OPS
};

static int
null_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **ops)
{
	*ops = &null_flow_ops;
	return 0;
}

static const struct eth_dev_ops null_dev_ops = {
	.dev_configure = null_configure,
	.dev_start = null_start,
	.dev_stop = null_stop,
	.dev_close = null_close,
	.dev_infos_get = null_info,
	.rx_queue_setup = null_rxq,
	.tx_queue_setup = null_txq,
	.link_update = null_link,
	.flow_ops_get = null_ops_get,
};

static uint16_t
null_burst(void *queue, struct rte_mbuf **pkts, uint16_t n)
{
	return 0;
}

static int
null_probe(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *dev = rte_eth_vdev_allocate(vdev, sizeof(struct null_private));

	if (dev == NULL)
		return -ENOMEM;
	dev->dev_ops = &null_dev_ops;
	dev->rx_pkt_burst = null_burst;
	dev->tx_pkt_burst = null_burst;
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
	dev->flow_fp_ops = &null_queue_ops;
#endif
	dev->data->mac_addrs = rte_zmalloc(NULL, sizeof(struct rte_ether_addr), 0);
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int
null_remove(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));

	if (dev != NULL)
		rte_eth_dev_release_port(dev);
	return 0;
}

static struct rte_vdev_driver null_driver = {.probe = null_probe, .remove = null_remove};

RTE_PMD_REGISTER_VDEV(net_flowperf_null, null_driver);

int
null_port_create(uint16_t *id)
{
	int rc = rte_vdev_init(NULL_NAME, NULL);

	return rc != 0 ? rc : rte_eth_dev_get_port_by_name(NULL_NAME, id);
}

void
null_port_destroy(uint16_t id)
{
	rte_vdev_uninit(NULL_NAME);
}
