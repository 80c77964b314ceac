/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What later releases than 22.11 added to the tables of ops: their entries, as initializers. Two lists, for what is
 * called per operation has moved to a table of its own in 24.03.
 */
#ifndef FLOW_OPS_SINCE_H
#define FLOW_OPS_SINCE_H

#include "flow/engine.h"

#ifdef FLOW_HAS_INDEX
struct rte_flow *flow_op_async_create_by_index(struct rte_eth_dev *dev, uint32_t queue_id,
	const struct rte_flow_op_attr *attr, struct rte_flow_template_table *table, uint32_t rule_index,
	const struct rte_flow_action actions[], uint8_t at_index, void *user_data, struct rte_flow_error *error);
int flow_refuse_query_update(struct rte_eth_dev *dev, struct rte_flow_action_handle *handle, const void *update,
	void *query, enum rte_flow_query_update_mode mode, struct rte_flow_error *error);
int flow_refuse_async_query_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_handle *handle, const void *update, void *query, enum rte_flow_query_update_mode mode,
	void *user_data, struct rte_flow_error *error);
#define FLOW_OPS_INDEX \
	.action_handle_query_update = flow_refuse_query_update,
#define FLOW_QUEUE_OPS_INDEX \
	.async_create_by_index = flow_op_async_create_by_index, \
	.async_action_handle_query_update = flow_refuse_async_query_update,
#else
#define FLOW_OPS_INDEX
#define FLOW_QUEUE_OPS_INDEX
#endif

#ifdef FLOW_HAS_UPDATE
int flow_refuse_actions_update(struct rte_eth_dev *dev, struct rte_flow *flow, const struct rte_flow_action actions[],
	struct rte_flow_error *error);
int flow_op_async_actions_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, const struct rte_flow_action actions[], uint8_t at_index, void *user_data,
	struct rte_flow_error *error);
struct rte_flow_action_list_handle *flow_refuse_list_create(struct rte_eth_dev *dev,
	const struct rte_flow_indir_action_conf *conf, const struct rte_flow_action actions[],
	struct rte_flow_error *error);
int flow_refuse_list_destroy(struct rte_eth_dev *dev, struct rte_flow_action_list_handle *handle,
	struct rte_flow_error *error);
int flow_refuse_list_query_update(struct rte_eth_dev *dev, const struct rte_flow_action_list_handle *handle,
	const void **update, void **query, enum rte_flow_query_update_mode mode, struct rte_flow_error *error);
struct rte_flow_action_list_handle *flow_refuse_async_list_create(struct rte_eth_dev *dev, uint32_t queue_id,
	const struct rte_flow_op_attr *attr, const struct rte_flow_indir_action_conf *conf,
	const struct rte_flow_action actions[], void *user_data, struct rte_flow_error *error);
int flow_refuse_async_list_destroy(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow_action_list_handle *handle, void *user_data, struct rte_flow_error *error);
int flow_refuse_async_list_query_update(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	const struct rte_flow_action_list_handle *handle, const void **update, void **query,
	enum rte_flow_query_update_mode mode, void *user_data, struct rte_flow_error *error);
#define FLOW_OPS_UPDATE \
	.actions_update = flow_refuse_actions_update, \
	.action_list_handle_create = flow_refuse_list_create, \
	.action_list_handle_destroy = flow_refuse_list_destroy, \
	.action_list_handle_query_update = flow_refuse_list_query_update,
#define FLOW_QUEUE_OPS_UPDATE \
	.async_actions_update = flow_op_async_actions_update, \
	.async_action_list_handle_create = flow_refuse_async_list_create, \
	.async_action_list_handle_destroy = flow_refuse_async_list_destroy, \
	.async_action_list_handle_query_update = flow_refuse_async_list_query_update,
#else
#define FLOW_OPS_UPDATE
#define FLOW_QUEUE_OPS_UPDATE
#endif

#ifdef FLOW_HAS_MISS_ACTIONS
int flow_refuse_miss_actions(struct rte_eth_dev *dev, uint32_t group, const struct rte_flow_group_attr *attr,
	const struct rte_flow_action actions[], struct rte_flow_error *error);
int flow_refuse_table_hash(struct rte_eth_dev *dev, const struct rte_flow_template_table *table,
	const struct rte_flow_item pattern[], uint8_t pt_index, uint32_t *hash, struct rte_flow_error *error);
#define FLOW_OPS_MISS_ACTIONS \
	.group_set_miss_actions = flow_refuse_miss_actions, \
	.flow_calc_table_hash = flow_refuse_table_hash,
#else
#define FLOW_OPS_MISS_ACTIONS
#endif

#ifdef FLOW_HAS_RESIZE
int flow_refuse_encap_hash(struct rte_eth_dev *dev, const struct rte_flow_item pattern[],
	enum rte_flow_encap_hash_field field, uint8_t *hash, struct rte_flow_error *error);
int flow_op_table_resize(struct rte_eth_dev *dev, struct rte_flow_template_table *table, uint32_t nb_rules,
	struct rte_flow_error *error);
int flow_op_update_resized(struct rte_eth_dev *dev, uint32_t queue_id, const struct rte_flow_op_attr *attr,
	struct rte_flow *flow, void *user_data, struct rte_flow_error *error);
int flow_op_table_resize_complete(struct rte_eth_dev *dev, struct rte_flow_template_table *table,
	struct rte_flow_error *error);
#define FLOW_OPS_RESIZE \
	.flow_calc_encap_hash = flow_refuse_encap_hash, \
	.flow_template_table_resize = flow_op_table_resize, \
	.flow_update_resized = flow_op_update_resized, \
	.flow_template_table_resize_complete = flow_op_table_resize_complete,
#else
#define FLOW_OPS_RESIZE
#endif

#ifdef FLOW_HAS_INDEX_PATTERN
struct rte_flow *flow_op_async_create_by_index_with_pattern(struct rte_eth_dev *dev, uint32_t queue_id,
	const struct rte_flow_op_attr *attr, struct rte_flow_template_table *table, uint32_t rule_index,
	const struct rte_flow_item pattern[], uint8_t pt_index, const struct rte_flow_action actions[],
	uint8_t at_index, void *user_data, struct rte_flow_error *error);
#define FLOW_QUEUE_OPS_INDEX_PATTERN \
	.async_create_by_index_with_pattern = flow_op_async_create_by_index_with_pattern,
#else
#define FLOW_QUEUE_OPS_INDEX_PATTERN
#endif

#define FLOW_OPS_SINCE FLOW_OPS_INDEX FLOW_OPS_UPDATE FLOW_OPS_MISS_ACTIONS FLOW_OPS_RESIZE
#define FLOW_QUEUE_OPS_SINCE FLOW_QUEUE_OPS_INDEX FLOW_QUEUE_OPS_UPDATE FLOW_QUEUE_OPS_INDEX_PATTERN

#endif
