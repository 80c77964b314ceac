/* SPDX-License-Identifier: BSD-3-Clause */

/* The table of ops. None is missing: rte_flow calls through it unseen. What there is not yet says so by name. */

#include "flow/engine.h"

#include <errno.h>

#include "flow/error.h"
#include "flow/ops_since.h"

#define REFUSE(dev, error, text) \
	flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev, "%s", text)

static struct rte_flow *
refuse_create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr, const struct rte_flow_item pattern[],
	const struct rte_flow_action actions[], struct rte_flow_error *error)
{
	/* What is wrong with the rule itself is worth more than that no rule would do. */
	flow_op_validate(dev, attr, pattern, actions, error);
	return NULL;
}

static int
refuse_destroy(struct rte_eth_dev *dev, struct rte_flow *flow, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "destroy: synchronous rules are not supported yet, use rte_flow_async_destroy");
}

static int
refuse_aged(struct rte_eth_dev *dev, void **contexts, uint32_t nb, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "get_aged_flows: the age action is not supported");
}

static int
refuse_q_aged(struct rte_eth_dev *dev, uint32_t queue_id, void **contexts, uint32_t nb, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "get_q_aged_flows: the age action is not supported");
}

static int
refuse_tunnel_decap_set(struct rte_eth_dev *dev, struct rte_flow_tunnel *tunnel, struct rte_flow_action **actions,
	uint32_t *nb, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "tunnel_decap_set: tunnel offload is not supported");
}

static int
refuse_tunnel_match(struct rte_eth_dev *dev, struct rte_flow_tunnel *tunnel, struct rte_flow_item **items,
	uint32_t *nb, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "tunnel_match: tunnel offload is not supported");
}

static int
refuse_restore_info(struct rte_eth_dev *dev, struct rte_mbuf *m, struct rte_flow_restore_info *info,
	struct rte_flow_error *error)
{
	return REFUSE(dev, error, "get_restore_info: tunnel offload is not supported");
}

static int
refuse_tunnel_actions_release(struct rte_eth_dev *dev, struct rte_flow_action *actions, uint32_t nb,
	struct rte_flow_error *error)
{
	return REFUSE(dev, error, "tunnel_action_decap_release: tunnel offload is not supported");
}

static int
refuse_tunnel_items_release(struct rte_eth_dev *dev, struct rte_flow_item *items, uint32_t nb,
	struct rte_flow_error *error)
{
	return REFUSE(dev, error, "tunnel_item_release: tunnel offload is not supported");
}

static struct rte_flow_item_flex_handle *
refuse_flex_create(struct rte_eth_dev *dev, const struct rte_flow_item_flex_conf *conf, struct rte_flow_error *error)
{
	REFUSE(dev, error, "flex_item_create: flex items are not supported");
	return NULL;
}

static int
refuse_flex_release(struct rte_eth_dev *dev, const struct rte_flow_item_flex_handle *handle,
	struct rte_flow_error *error)
{
	return REFUSE(dev, error, "flex_item_release: flex items are not supported");
}

/* Without a switch every port answers for itself. */
static int
pick_transfer_proxy(struct rte_eth_dev *dev, uint16_t *proxy_port_id, struct rte_flow_error *error)
{
	*proxy_port_id = dev->data->port_id;
	return 0;
}

/* What is called per operation: part of the one table before 24.03, of a table of its own since. */
#define FLOW_QUEUE_OPS \
	.async_create = flow_op_async_create, \
	.async_destroy = flow_op_async_destroy, \
	.push = flow_op_push, \
	.pull = flow_op_pull, \
	.async_action_handle_create = flow_op_async_handle_create, \
	.async_action_handle_destroy = flow_op_async_handle_destroy, \
	.async_action_handle_update = flow_op_async_handle_update, \
	.async_action_handle_query = flow_op_async_handle_query, \
	FLOW_QUEUE_OPS_SINCE

const struct rte_flow_ops flow_ops_table = {
	.validate = flow_op_validate,
	.create = refuse_create,
	.destroy = refuse_destroy,
	.flush = flow_op_flush,
	.query = flow_op_query,
	.isolate = flow_op_isolate,
	.dev_dump = flow_op_dev_dump,
	.get_aged_flows = refuse_aged,
	.get_q_aged_flows = refuse_q_aged,
	.action_handle_create = flow_op_handle_create,
	.action_handle_destroy = flow_op_handle_destroy,
	.action_handle_update = flow_op_handle_update,
	.action_handle_query = flow_op_handle_query,
	.tunnel_decap_set = refuse_tunnel_decap_set,
	.tunnel_match = refuse_tunnel_match,
	.get_restore_info = refuse_restore_info,
	.tunnel_action_decap_release = refuse_tunnel_actions_release,
	.tunnel_item_release = refuse_tunnel_items_release,
	.pick_transfer_proxy = pick_transfer_proxy,
	.flex_item_create = refuse_flex_create,
	.flex_item_release = refuse_flex_release,
	.info_get = flow_op_info_get,
	.configure = flow_op_configure,
	.pattern_template_create = flow_op_pattern_template_create,
	.pattern_template_destroy = flow_op_pattern_template_destroy,
	.actions_template_create = flow_op_actions_template_create,
	.actions_template_destroy = flow_op_actions_template_destroy,
	.template_table_create = flow_op_table_create,
	.template_table_destroy = flow_op_table_destroy,
	FLOW_OPS_SINCE
#ifndef FLOW_HAS_FP_OPS
	FLOW_QUEUE_OPS
#endif
};

#ifdef FLOW_HAS_FP_OPS
static const struct rte_flow_fp_ops queue_ops = { FLOW_QUEUE_OPS };
#endif

void
flow_ops_attach(struct rte_eth_dev *dev)
{
#ifdef FLOW_HAS_FP_OPS
	dev->flow_fp_ops = &queue_ops;
#else
	RTE_SET_USED(dev);
#endif
}
