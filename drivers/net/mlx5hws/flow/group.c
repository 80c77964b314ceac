/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Groups: group N of a direction is one table of mlx5dr, made by whoever names it first and gone with the last who does.
 *
 * Group 0 exists as long as the port. While the port is started one root rule per direction sends every packet to it;
 * its own misses go on to the kernel (ingress, by the steering anchor) or to the wire (egress). What misses in another
 * group meets the default of the domain.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "hca/device.h"
#include "hca/log.h"
#include "hca/root.h"

/* Our root rule comes first, and the anchor continues behind it: otherwise what misses would come round again. */
#define ROOT_PRIORITY 0
#define ANCHOR_PRIORITY 1

static int
group_create(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number, struct flow_group **out)
{
	struct flow_group *group = calloc(1, sizeof(*group));
	int rc;

	if (group == NULL)
		return -ENOMEM;
	group->number = number;
	group->type = type;
	rc = mlx5dr_table_create(port->ctx, type, &group->table);
	if (rc == 0 && number != 0)
		rc = mlx5dr_action_create(port->ctx, type, MLX5DR_ACTION_TABLE, mlx5dr_table_id(group->table),
			&group->jump);
	if (rc != 0) {
		if (group->table != NULL)
			mlx5dr_table_destroy(group->table);
		free(group);
		return rc;
	}
	port->groups[type][number] = group;
	if (number != 0)
		__atomic_store_n(&port->jumps[type]->stc_be[number], mlx5dr_action_stc(group->jump), __ATOMIC_RELEASE);
	*out = group;
	return 0;
}

static void
group_destroy(struct flow_port *port, struct flow_group *group)
{
	__atomic_store_n(&port->jumps[group->type]->stc_be[group->number], 0, __ATOMIC_RELEASE);
	port->groups[group->type][group->number] = NULL;
	if (group->jump != NULL)
		mlx5dr_action_destroy(group->jump);
	mlx5dr_table_destroy(group->table);
	free(group);
}

int
flow_group_get(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number, struct flow_group **group)
{
	int rc = 0;

	*group = port->groups[type][number];
	if (*group == NULL)
		rc = group_create(port, type, number, group);
	if (rc == 0)
		(*group)->refs++;
	return rc;
}

void
flow_group_put(struct flow_port *port, struct flow_group *group)
{
	if (--group->refs == 0)
		group_destroy(port, group);
}

int
flow_group_keep(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number)
{
	bool is_new = port->groups[type][number] == NULL;
	struct flow_group *group;
	int rc;

	if (port->kept[type][number])
		return 0;
	rc = flow_group_get(port, type, number, &group);
	if (rc != 0)
		return rc;
	__atomic_store_n(&port->kept[type][number], 1, __ATOMIC_RELEASE);
	return is_new;
}

void
flow_group_unkeep(struct flow_port *port, enum mlx5dr_table_type type, uint32_t number)
{
	if (!port->kept[type][number])
		return;
	__atomic_store_n(&port->kept[type][number], 0, __ATOMIC_RELEASE);
	flow_group_put(port, port->groups[type][number]);
}

void
flow_groups_release_kept(struct flow_port *port)
{
	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++)
		for (uint32_t i = 1; i < FLOW_MAX_GROUPS; i++)
			flow_group_unkeep(port, type, i);
}

/* ---- group 0 and the root -------------------------------------------------------------------------------------- */

uint32_t
flow_anchor_id(const struct flow_port *port)
{
	return hca_anchor_table_id(port->anchor);
}

static int
anchor_open(struct flow_port *port)
{
	int rc = hca_anchor_create(port->attr.hca, HCA_ROOT_NIC_RX, ANCHOR_PRIORITY, &port->anchor);

	if (rc != 0) {
		port->anchor = NULL;
		HCA_WARN("%s: no steering anchor (%s): unmatched traffic will not reach the kernel while the port is "
			"started", port->dev->data->name, strerror(-rc));
		return 0;
	}
	return mlx5dr_table_set_miss(port->groups[MLX5DR_NIC_RX][0]->table, hca_anchor_table_id(port->anchor));
}

int
flow_groups_open(struct flow_port *port)
{
	struct flow_group *group;
	int rc = 0;

	for (unsigned int type = 0; rc == 0 && type < MLX5DR_NB_TABLE_TYPES; type++) {
		port->groups[type] = calloc(FLOW_MAX_GROUPS, sizeof(port->groups[type][0]));
		port->jumps[type] = calloc(1, sizeof(*port->jumps[type]) + FLOW_MAX_GROUPS * sizeof(uint32_t));
		port->kept[type] = calloc(FLOW_MAX_GROUPS, sizeof(port->kept[type][0]));
		if (port->groups[type] == NULL || port->jumps[type] == NULL || port->kept[type] == NULL) {
			rc = -ENOMEM;
			break;
		}
		port->jumps[type]->nb = FLOW_MAX_GROUPS;
		rc = flow_group_get(port, type, 0, &group);
	}
	if (rc == 0)
		rc = anchor_open(port);
	if (rc != 0)
		flow_groups_close(port);
	return rc;
}

void
flow_groups_close(struct flow_port *port)
{
	flow_root_remove(port);
	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++) {
		if (port->groups[type] != NULL && port->groups[type][0] != NULL)
			flow_group_put(port, port->groups[type][0]);
		free(port->groups[type]);
		free(port->jumps[type]);
		free(port->kept[type]);
		port->groups[type] = NULL;
		port->jumps[type] = NULL;
		port->kept[type] = NULL;
	}
	if (port->anchor != NULL)
		hca_anchor_destroy(port->anchor);
	port->anchor = NULL;
}

int
flow_root_install(struct flow_port *port)
{
	static const uint8_t all[HCA_ROOT_MATCH_BYTES]; /* criteria 0, nothing compared */

	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++) {
		enum hca_root_type root = type == MLX5DR_NIC_TX ? HCA_ROOT_NIC_TX : HCA_ROOT_NIC_RX;
		int rc = hca_root_matcher_create(port->attr.hca, root, ROOT_PRIORITY, 0, all,
			&port->root_matcher[type]);

		if (rc == 0)
			rc = hca_root_rule_create(port->root_matcher[type], all,
				mlx5dr_table_obj(port->groups[type][0]->table), &port->root_rule[type]);
		if (rc != 0) {
			HCA_ERR("%s: no root rule to group 0 of %s: %s", port->dev->data->name,
				type == MLX5DR_NIC_TX ? "egress" : "ingress", strerror(-rc));
			flow_root_remove(port);
			return rc;
		}
	}
	return 0;
}

void
flow_root_remove(struct flow_port *port)
{
	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++) {
		if (port->root_rule[type] != NULL)
			hca_root_rule_destroy(port->root_rule[type]);
		if (port->root_matcher[type] != NULL)
			hca_root_matcher_destroy(port->root_matcher[type]);
		port->root_rule[type] = NULL;
		port->root_matcher[type] = NULL;
	}
}
