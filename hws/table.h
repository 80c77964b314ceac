/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A table and its chain. Every hash table (RTC) of every matcher is a node with an end flow table of its own, to which its
 * misses go:
 *
 *	start FT --rtc--> node 1 --miss--> end FT 1 --rtc--> node 2 --miss--> end FT 2 --> the table's miss
 *
 * Nodes are ordered by priority, equal ones by creation. All flow tables of a direction share one level.
 */
#ifndef MLX5DR_TABLE_H
#define MLX5DR_TABLE_H

#include "hws/mlx5dr.h"

struct hca_obj;
struct hca_rtc_attr;

struct table_node {
	struct table_node *next, *prev;
	uint16_t priority;
	bool isolated;       /* not in the chain; in a list of its own */
	struct hca_obj *rtc, *end;
};

struct mlx5dr_table {
	struct mlx5dr_context *ctx;
	struct mlx5dr_table *next;      /* of the context */
	enum mlx5dr_table_type type;
	struct hca_obj *start;
	uint32_t miss_id;               /* 0: the domain's default */
	unsigned int refs;              /* actions and misses that lead here */
	struct table_node *first;
	struct table_node *isolated;
};

/* All under the context's lock. */

/* Create the RTC (attr without its miss) and the end FT, and link them in. On failure nothing has changed. */
int table_add_node(struct mlx5dr_table *table, uint16_t priority, const struct hca_rtc_attr *attr,
		   struct table_node *node);
/* The same, right before a node that is there, with its priority. */
int table_add_node_before(struct mlx5dr_table *table, struct table_node *before, const struct hca_rtc_attr *attr,
			  struct table_node *node);
/* The same, but no packet comes here by the chain; only the misses go where the table's go. */
int table_add_isolated(struct mlx5dr_table *table, const struct hca_rtc_attr *attr, struct table_node *node);
void table_remove_node(struct mlx5dr_table *table, struct table_node *node);

/* The table whose start FT has this id and takes part in reference counting; NULL: not one of ours. */
struct mlx5dr_table *table_by_id(struct mlx5dr_context *ctx, uint32_t table_id);

#endif
