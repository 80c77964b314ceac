/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd_steering.h"
#include "hca/device.h"
#include "hws/context.h"

static const struct hca_ft_caps *
ft_caps(const struct mlx5dr_table *table)
{
	const struct hca_caps *caps = &table->ctx->dev->caps;

	return table->type == MLX5DR_NIC_RX ? &caps->nic_rx : &caps->nic_tx;
}

/* Anchors all have one level: jumps between tables that hold RTCs may stay on it. */
static int
create_ft(struct mlx5dr_table *table, struct hca_obj **ft)
{
	struct hca_flow_table_attr attr = {
		.table_type = table->type,
		.level = ft_caps(table)->max_ft_level - 1,
		.rtc_valid = true,
	};

	return hca_cmd_create_flow_table(table->ctx->dev, &attr, ft);
}

static int
set_rtc(struct hca_obj *ft, uint32_t rtc_id)
{
	struct hca_flow_table_modify modify = { .select = HCA_FT_SELECT_RTC, .rtc_id_0 = rtc_id };

	return hca_cmd_modify_flow_table(ft, &modify);
}

/* miss_id 0: the domain's default. */
static int
write_miss(struct hca_obj *ft, uint32_t miss_id)
{
	struct hca_flow_table_modify modify = {
		.select = HCA_FT_SELECT_MISS,
		.miss_action = miss_id == 0 ? HCA_FT_MISS_DEFAULT : HCA_FT_MISS_TABLE,
		.miss_table_id = miss_id,
	};

	return hca_cmd_modify_flow_table(ft, &modify);
}

/* The flow table whose RTC or miss leads to what follows prev. */
static struct hca_obj *
ft_behind(struct mlx5dr_table *table, struct table_node *prev)
{
	return prev == NULL ? table->start : prev->end;
}

static struct table_node *
last_node(struct mlx5dr_table *table)
{
	struct table_node *node = table->first;

	while (node != NULL && node->next != NULL)
		node = node->next;
	return node;
}

/* The new tail is complete before one command switches the traffic over. */
static int
link_node(struct mlx5dr_table *table, struct table_node *node)
{
	struct hca_obj *before = ft_behind(table, node->prev);
	int ret;

	if (node->next != NULL)
		ret = set_rtc(node->end, node->next->rtc->id);
	else
		ret = table->miss_id == 0 ? 0 : write_miss(node->end, table->miss_id);
	if (ret < 0)
		return ret;
	ret = set_rtc(before, node->rtc->id);
	if (ret < 0)
		return ret;
	/*
	 * Drop a reference that no packet follows any more; traffic is right without it, so a failure is only logged. Some
	 * devices drop the RTC together with the miss: there it stays, as a table with an RTC does not look at its miss.
	 */
	if (node->next == NULL && table->miss_id != 0 && ft_caps(table)->ignore_flow_level_rtc_valid)
		(void)write_miss(before, 0);
	if (node->prev == NULL)
		table->first = node;
	else
		node->prev->next = node;
	if (node->next != NULL)
		node->next->prev = node;
	return 0;
}

/* The RTC with an end flow table of its own, not linked to anything. */
static int
create_node(struct mlx5dr_table *table, const struct hca_rtc_attr *attr, struct table_node *node)
{
	struct hca_rtc_attr rtc = *attr;
	int ret;

	ret = create_ft(table, &node->end);
	if (ret < 0)
		return ret;
	rtc.miss_flow_table_id = node->end->id;
	ret = hca_cmd_create_rtc(table->ctx->dev, &rtc, &node->rtc);
	if (ret < 0) {
		hca_obj_destroy(node->end);
		node->end = NULL;
		node->rtc = NULL;
	}
	return ret;
}

static void
destroy_node(struct table_node *node)
{
	hca_obj_destroy(node->rtc);
	hca_obj_destroy(node->end);
	node->rtc = NULL;
	node->end = NULL;
}

/* Between node->prev and node->next. */
static int
add_between(struct mlx5dr_table *table, const struct hca_rtc_attr *attr, struct table_node *node)
{
	int ret = create_node(table, attr, node);

	if (ret < 0)
		return ret;
	ret = link_node(table, node);
	if (ret < 0) {
		set_rtc(node->end, 0);
		destroy_node(node);
	}
	return ret;
}

int
table_add_node(struct mlx5dr_table *table, uint16_t priority, const struct hca_rtc_attr *attr,
	       struct table_node *node)
{
	memset(node, 0, sizeof(*node));
	node->priority = priority;
	node->next = table->first;
	while (node->next != NULL && node->next->priority <= priority) {
		node->prev = node->next;
		node->next = node->next->next;
	}
	return add_between(table, attr, node);
}

int
table_add_node_before(struct mlx5dr_table *table, struct table_node *before, const struct hca_rtc_attr *attr,
		      struct table_node *node)
{
	memset(node, 0, sizeof(*node));
	node->priority = before->priority;
	node->next = before;
	node->prev = before->prev;
	return add_between(table, attr, node);
}

int
table_add_isolated(struct mlx5dr_table *table, const struct hca_rtc_attr *attr, struct table_node *node)
{
	int ret;

	memset(node, 0, sizeof(*node));
	node->isolated = true;
	ret = create_node(table, attr, node);
	if (ret == 0 && table->miss_id != 0) {
		ret = write_miss(node->end, table->miss_id);
		if (ret < 0)
			destroy_node(node);
	}
	if (ret < 0)
		return ret;
	node->next = table->isolated;
	if (node->next != NULL)
		node->next->prev = node;
	table->isolated = node;
	return 0;
}

static void
remove_isolated(struct mlx5dr_table *table, struct table_node *node)
{
	if (node->prev == NULL)
		table->isolated = node->next;
	else
		node->prev->next = node->next;
	if (node->next != NULL)
		node->next->prev = node->prev;
	destroy_node(node);
}

void
table_remove_node(struct mlx5dr_table *table, struct table_node *node)
{
	struct hca_obj *before = ft_behind(table, node->prev);

	if (node->rtc == NULL)
		return;
	if (node->isolated) {
		remove_isolated(table, node);
		return;
	}
	if (node->next != NULL) {
		set_rtc(before, node->next->rtc->id);
		node->next->prev = node->prev;
		set_rtc(node->end, 0);
	} else {
		/* The miss first: between the two commands packets still find the RTC. */
		if (table->miss_id != 0)
			write_miss(before, table->miss_id);
		set_rtc(before, 0);
	}
	if (node->prev == NULL)
		table->first = node->next;
	else
		node->prev->next = node->next;
	destroy_node(node);
}

struct mlx5dr_table *
table_by_id(struct mlx5dr_context *ctx, uint32_t table_id)
{
	struct mlx5dr_table *table;

	for (table = ctx->tables; table != NULL; table = table->next)
		if (table->start->id == table_id)
			return table;
	return NULL;
}

int
mlx5dr_table_create(struct mlx5dr_context *ctx, enum mlx5dr_table_type type, struct mlx5dr_table **created)
{
	struct mlx5dr_table *table = calloc(1, sizeof(*table));
	int ret;

	if (table == NULL)
		return -ENOMEM;
	table->ctx = ctx;
	table->type = type;
	pthread_mutex_lock(&ctx->lock);
	ret = create_ft(table, &table->start);
	if (ret == 0) {
		table->next = ctx->tables;
		ctx->tables = table;
		ctx->nb_objects++;
		*created = table;
	} else {
		free(table);
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

static void
release_miss(struct mlx5dr_table *table)
{
	struct mlx5dr_table *to = table->miss_id == 0 ? NULL : table_by_id(table->ctx, table->miss_id);

	if (to != NULL)
		to->refs--;
}

int
mlx5dr_table_destroy(struct mlx5dr_table *table)
{
	struct mlx5dr_context *ctx;
	struct mlx5dr_table **at;

	if (table == NULL)
		return 0;
	ctx = table->ctx;
	pthread_mutex_lock(&ctx->lock);
	if (table->first != NULL || table->isolated != NULL || table->refs != 0) {
		pthread_mutex_unlock(&ctx->lock);
		return -EBUSY;
	}
	for (at = &ctx->tables; *at != table; at = &(*at)->next)
		;
	release_miss(table);
	*at = table->next;
	hca_obj_destroy(table->start);
	ctx->nb_objects--;
	pthread_mutex_unlock(&ctx->lock);
	free(table);
	return 0;
}

uint32_t
mlx5dr_table_id(const struct mlx5dr_table *table)
{
	return table->start->id;
}

struct hca_obj *
mlx5dr_table_obj(const struct mlx5dr_table *table)
{
	return table->start;
}

/* Of the chain's end and of the isolated ones. On failure those that were changed go back. */
static int
write_misses(struct mlx5dr_table *table, uint32_t table_id)
{
	struct table_node *node, *changed;
	int ret = 0;

	for (node = table->isolated; node != NULL && ret == 0; node = node->next)
		ret = write_miss(node->end, table_id);
	if (ret == 0)
		ret = write_miss(ft_behind(table, last_node(table)), table_id);
	for (changed = table->isolated; ret < 0 && changed != node; changed = changed->next)
		(void)write_miss(changed->end, table->miss_id);
	return ret;
}

int
mlx5dr_table_set_miss(struct mlx5dr_table *table, uint32_t table_id)
{
	struct mlx5dr_context *ctx = table->ctx;
	struct mlx5dr_table *to;
	int ret;

	pthread_mutex_lock(&ctx->lock);
	to = table_id == 0 ? NULL : table_by_id(ctx, table_id);
	/* The chain's last flow table has no RTC that could be lost, so the default may be written whatever the device. */
	if (to == table)
		ret = -EINVAL;
	else
		ret = write_misses(table, table_id);
	if (ret == 0) {
		release_miss(table);
		table->miss_id = table_id;
		if (to != NULL)
			to->refs++;
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}
