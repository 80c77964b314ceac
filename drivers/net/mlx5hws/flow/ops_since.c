/* SPDX-License-Identifier: BSD-3-Clause */

/* Calls of later releases than 22.11 that this driver has not: refused by name. */

#include "flow/ops_since.h"

#include <errno.h>

#include "flow/error.h"

/* Also used where the caller wants a pointer: the error is what counts. */
#define REFUSE(dev, error, text) \
	flow_error(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, dev, "%s", text)

#ifdef FLOW_HAS_INDEX
int
flow_refuse_query_update(struct rte_eth_dev *dev, struct rte_flow_action_handle *handle, const void *update,
	void *query, enum rte_flow_query_update_mode mode, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "action_handle_query_update: not supported, query and update one after the other");
}

int
flow_refuse_async_query_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, const void *update, void *query, enum rte_flow_query_update_mode mode,
	void *user_data, struct rte_flow_error *error)
{
	return flow_refuse_query_update(dev, handle, update, query, mode, error);
}
#endif

#ifdef FLOW_HAS_UPDATE
int
flow_refuse_actions_update(struct rte_eth_dev *dev, struct rte_flow *flow, const struct rte_flow_action actions[],
	struct rte_flow_error *error)
{
	return REFUSE(dev, error, "actions_update: synchronous rules are not supported, use rte_flow_async_actions_update");
}

struct rte_flow_action_list_handle *
flow_refuse_list_create(struct rte_eth_dev *dev, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action actions[], struct rte_flow_error *error)
{
	REFUSE(dev, error, "action_list_handle_create: lists of indirect actions are not supported");
	return NULL;
}

int
flow_refuse_list_destroy(struct rte_eth_dev *dev, struct rte_flow_action_list_handle *handle,
	struct rte_flow_error *error)
{
	return REFUSE(dev, error, "action_list_handle_destroy: lists of indirect actions are not supported");
}

int
flow_refuse_list_query_update(struct rte_eth_dev *dev, const struct rte_flow_action_list_handle *handle,
	const void **update, void **query, enum rte_flow_query_update_mode mode, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "action_list_handle_query_update: lists of indirect actions are not supported");
}

struct rte_flow_action_list_handle *
flow_refuse_async_list_create(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	const struct rte_flow_indir_action_conf *conf, const struct rte_flow_action actions[], void *user_data,
	struct rte_flow_error *error)
{
	return flow_refuse_list_create(dev, conf, actions, error);
}

int
flow_refuse_async_list_destroy(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_list_handle *handle, void *user_data, struct rte_flow_error *error)
{
	return flow_refuse_list_destroy(dev, handle, error);
}

int
flow_refuse_async_list_query_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	const struct rte_flow_action_list_handle *handle, const void **update, void **query,
	enum rte_flow_query_update_mode mode, void *user_data, struct rte_flow_error *error)
{
	return flow_refuse_list_query_update(dev, handle, update, query, mode, error);
}
#endif

#ifdef FLOW_HAS_MISS_ACTIONS
int
flow_refuse_miss_actions(struct rte_eth_dev *dev, uint32_t group, const struct rte_flow_group_attr *attr,
	const struct rte_flow_action actions[], struct rte_flow_error *error)
{
	return REFUSE(dev, error, "group_set_miss_actions: not supported, make a table of lowest priority that matches all");
}

int
flow_refuse_table_hash(struct rte_eth_dev *dev, const struct rte_flow_template_table *table,
	const struct rte_flow_item pattern[], uint8_t pt_index, uint32_t *hash, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "calc_table_hash: not supported, the row of a packet is not predicted");
}
#endif

#ifdef FLOW_HAS_RESIZE
int
flow_refuse_encap_hash(struct rte_eth_dev *dev, const struct rte_flow_item pattern[],
	enum rte_flow_encap_hash_field field, uint8_t *hash, struct rte_flow_error *error)
{
	return REFUSE(dev, error, "calc_encap_hash: not supported, encapsulation takes its ports from the rule");
}
#endif
