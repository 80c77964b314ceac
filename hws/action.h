/* SPDX-License-Identifier: BSD-3-Clause */

/* Actions that are objects, and action templates, as the rest of the engine sees them. */
#ifndef MLX5DR_ACTION_H
#define MLX5DR_ACTION_H

#include "hws/mlx5dr.h"
#include "hws/pattern.h"

struct mlx5dr_action {
	struct mlx5dr_context *ctx;
	enum mlx5dr_table_type table_type;
	enum mlx5dr_action_type type;
	uint32_t id;
	uint32_t stc;
	struct mlx5dr_table *table; /* TABLE: where it is one of ours */
	struct mlx5dr_matcher *matcher; /* JUMP_TO_MATCHER */
	unsigned int refs;          /* templates that name it */
};

static inline bool
action_is_fate(enum mlx5dr_action_type type)
{
	return type <= MLX5DR_ACTION_JUMP_TO_MATCHER;
}

bool action_exists_in(enum mlx5dr_action_type type, enum mlx5dr_table_type table_type);

/* What an action object's STC says. */
struct hca_stc_attr;
void action_stc_attr(enum mlx5dr_action_type type, uint32_t id, struct hca_stc_attr *attr);

/* Slots of an STE, as a plan fills them: numbers of template slots, -1 none. */
struct ste_plan {
	uint16_t flags;
	int8_t counter, single, twin, hit; /* twin: the double action in DW6 and DW7 */
	uint8_t nb_pops;                   /* single is the removal of so many VLAN tags */
};

#define PLAN_MAX_STES 20

struct mlx5dr_action_template {
	struct mlx5dr_context *ctx;
	enum mlx5dr_table_type table_type;
	unsigned int refs; /* matchers */
	uint16_t nb_slots;
	uint16_t nb_stes;
	bool only_term;    /* one STE with nothing but counter and fate */
	struct modify_list *lists[MLX5DR_MAX_SLOTS]; /* MODIFY, TNL_L3_TO_L2 */
	struct ste_plan stes[PLAN_MAX_STES];
	struct mlx5dr_slot slots[];
};

/* Distribute the template's slots over STEs. @return 0; -E2BIG more STEs than a rule may have. */
int plan_stes(struct mlx5dr_action_template *at);

#endif
