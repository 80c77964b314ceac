/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which STE carries which action. An STE offers four slots, carried out in this order: counter, single (DW5), twin (DW6
 * and DW7), hit. Actions are placed in the template's order, each into the first STE, from the start or from the last one
 * used, that has none of the flags it avoids. REMOVE, INSERT and MODIFY keep apart what would come out in the wrong
 * order within one STE.
 */
#include <errno.h>
#include <string.h>

#include "hws/action.h"

enum {
	SINGLE = 1 << 0,
	TWIN = 1 << 1,
	INSERT = 1 << 2,
	REMOVE = 1 << 3,
	MODIFY = 1 << 4,
	COUNTER = 1 << 5,
	HIT = 1 << 6,
};

struct placing {
	bool from_start; /* search from the first STE, else from the last used */
	uint16_t avoid;
	uint16_t takes;
};

static const struct placing placings[MLX5DR_NB_ACTION_TYPES] = {
	[MLX5DR_ACTION_TAG]          = { true, SINGLE, SINGLE },
	[MLX5DR_ACTION_COUNTER]      = { true, COUNTER, COUNTER },
	[MLX5DR_ACTION_POP_VLAN]     = { false, SINGLE | MODIFY | INSERT, SINGLE | REMOVE },
	[MLX5DR_ACTION_TNL_L2_TO_L2] = { false, SINGLE | MODIFY | INSERT, SINGLE | REMOVE },
	[MLX5DR_ACTION_TNL_L3_TO_L2] = { false, TWIN | REMOVE, TWIN | MODIFY | INSERT },
	[MLX5DR_ACTION_PUSH_VLAN]    = { false, TWIN | REMOVE, TWIN | INSERT },
	[MLX5DR_ACTION_MODIFY]       = { false, TWIN | REMOVE, TWIN | MODIFY },
	[MLX5DR_ACTION_L2_TO_TNL_L2] = { false, TWIN | REMOVE, TWIN | INSERT },
	/* The Ethernet header goes in the single slot, the tunnel comes in the twin one behind it. */
	[MLX5DR_ACTION_L2_TO_TNL_L3] = { false, SINGLE | TWIN | REMOVE, SINGLE | TWIN | INSERT },
	[MLX5DR_ACTION_DROP]         = { false, 0, HIT },
	[MLX5DR_ACTION_MISS]         = { false, 0, HIT },
	[MLX5DR_ACTION_TIR]          = { false, 0, HIT },
	[MLX5DR_ACTION_TABLE]        = { false, 0, HIT },
	[MLX5DR_ACTION_JUMP_TO_MATCHER] = { false, 0, HIT },
};

static void
place(struct ste_plan *ste, enum mlx5dr_action_type type, int slot)
{
	uint16_t takes = placings[type].takes;

	ste->flags |= takes;
	if ((takes & COUNTER) != 0)
		ste->counter = slot;
	if ((takes & SINGLE) != 0)
		ste->single = slot;
	if ((takes & TWIN) != 0)
		ste->twin = slot;
	if ((takes & HIT) != 0)
		ste->hit = slot;
	if (type == MLX5DR_ACTION_POP_VLAN)
		ste->nb_pops = 1;
}

int
plan_stes(struct mlx5dr_action_template *at)
{
	unsigned int last = 0;
	struct ste_plan *pop = NULL;

	for (unsigned int i = 0; i < PLAN_MAX_STES; i++)
		at->stes[i] = (struct ste_plan){ .counter = -1, .single = -1, .twin = -1, .hit = -1 };
	for (unsigned int s = 0; s < at->nb_slots; s++) {
		enum mlx5dr_action_type type = at->slots[s].type;
		const struct placing *placing = &placings[type];
		unsigned int i = placing->from_start ? 0 : last;

		/* Two tags go in one removal. */
		if (type == MLX5DR_ACTION_POP_VLAN && pop != NULL) {
			pop->nb_pops++;
			continue;
		}
		while (i < PLAN_MAX_STES && (at->stes[i].flags & placing->avoid) != 0)
			i++;
		if (i == PLAN_MAX_STES)
			return -E2BIG;
		place(&at->stes[i], type, (int)s);
		if (type == MLX5DR_ACTION_POP_VLAN)
			pop = &at->stes[i];
		last = i > last ? i : last;
	}
	at->nb_stes = last + 1;
	at->only_term = at->nb_stes == 1 && (at->stes[0].flags & ~(COUNTER | HIT)) == 0;
	return 0;
}
