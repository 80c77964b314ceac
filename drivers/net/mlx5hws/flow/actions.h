/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Actions as data, and the plan that an actions template becomes.
 *
 * A plan is what the list means, in the device's order, without any object of the device yet: slots of mlx5dr, the fate by
 * name (queue 3, group 7), and what has to be prepared per rule in the queue's scratch. A plan can be made, and refused,
 * without a device; actions_template.c gives it its objects.
 */
#ifndef FLOW_ACTIONS_H
#define FLOW_ACTIONS_H

#include "hws/mlx5dr.h"

#include <rte_flow.h>

#include "flow/fields.h"
#include "flow/items.h"

#define FLOW_MAX_ACTIONS 64
#define FLOW_MAX_PREPARE 16
#define FLOW_SCRATCH_BYTES 1024

/* Where a handle of an indirect RSS keeps what a rule carries (struct rte_flow_action_handle in engine.h). */
#define FLOW_HANDLE_STC_OFFSET 0

enum flow_direction { FLOW_RX = 1 << 0, FLOW_TX = 1 << 1 };

/* Where an action takes place in the device; also the order of what the packet sees. */
enum flow_stage {
	FLOW_STAGE_NONE,  /* touches no packet byte: its place in the list has no meaning */
	FLOW_STAGE_DECAP,
	FLOW_STAGE_POP,
	FLOW_STAGE_PUSH,
	FLOW_STAGE_MODIFY,
	FLOW_STAGE_ENCAP,
	FLOW_STAGE_FATE,
};

struct flow_plan;
struct flow_planner;

struct flow_action_row {
	enum rte_flow_action_type type;
	const char *name;
	uint8_t directions;
	enum flow_stage stage;
	int (*plan)(struct flow_planner *planner);
	const char *note; /* for the matrix */
};

extern const struct flow_action_row flow_actions[];
extern const unsigned int flow_nb_actions;

const struct flow_action_row *flow_action_row(enum rte_flow_action_type type);

enum flow_fate {
	FLOW_FATE_NONE, /* egress only: on to the wire */
	FLOW_FATE_DROP,
	FLOW_FATE_QUEUE,
	FLOW_FATE_RSS,
	FLOW_FATE_JUMP,
	FLOW_FATE_INDIRECT_RSS,
	FLOW_FATE_ROW, /* of a table whose rules stand at rows and have patterns */
};

/* What async.c does for a rule of the template before it calls mlx5dr. */
enum flow_prepare_kind {
	FLOW_PREPARE_INDIRECT_COUNT, /* check handle, reference; place -> scratch */
	FLOW_PREPARE_INDIRECT_RSS,   /* check handle, reference */
	FLOW_PREPARE_RSS,            /* STC of the rule's RSS -> scratch */
	FLOW_PREPARE_JUMP,           /* see that the group exists, mark it used */
	FLOW_PREPARE_RAW,            /* pointer to the rule's bytes -> scratch */
	FLOW_PREPARE_VXLAN,          /* header from the rule's items -> scratch */
	FLOW_PREPARE_POINTER,        /* modify_field: the value behind src.pvalue -> scratch */
	FLOW_PREPARE_VID,            /* check <= 4095 */
	FLOW_PREPARE_PCP,            /* check <= 7 */
	FLOW_PREPARE_ROW,            /* check the row; where the rule names the table: hold it, its STC -> scratch */
};

struct flow_prepare {
	enum flow_prepare_kind kind;
	uint8_t index;       /* of the action in the list */
	uint16_t scratch_at;
	uint16_t bytes;
	struct rte_flow_action_handle *fixed; /* INDIRECT_*: the template's handle; NULL: the rule's */
};

struct flow_plan {
	enum mlx5dr_table_type type;
	uint16_t nb_actions; /* with VOID, without END */
	struct mlx5dr_slot slots[MLX5DR_MAX_SLOTS];
	uint8_t slot_index[MLX5DR_MAX_SLOTS]; /* which action each slot came from */
	uint16_t nb_slots;   /* the last is the fate, whose action is still to be filled */
	bool counts;         /* each rule takes a counter: the port's are still to be filled in */
	enum flow_fate fate;
	uint8_t fate_index;
	bool fate_fixed;
	union {
		uint16_t queue;
		uint32_t group;
		const struct rte_flow_action_rss *rss;
		const struct rte_flow_action_handle *handle;
		struct rte_flow_template_table *rows;
	};
	struct mlx5dr_value row;
	uint16_t fate_scratch;
	struct flow_prepare prepare[FLOW_MAX_PREPARE];
	uint8_t nb_prepare;
	uint16_t scratch_used;
	/* What slots point to while mlx5dr makes its template; not kept beyond (FLOW_PLAN_KEPT_BYTES). */
	struct mlx5dr_modify modify[MLX5DR_MAX_MODIFY];
	uint16_t nb_modify;
	uint8_t header[2][MLX5DR_MAX_HEADER_BYTES]; /* decap stage, encap stage */
};

#define FLOW_PLAN_KEPT_BYTES offsetof(struct flow_plan, modify)

/*
 * Plan an actions template for one direction. actions and masks are parallel. indirect_type tells what a handle is
 * (RTE_FLOW_ACTION_TYPE_END: not one of this port's), for handles that the template fixes.
 */
struct flow_plan_request {
	const struct rte_flow_action *actions, *masks;
	enum mlx5dr_table_type type;
	const struct flow_regs *regs;
	uint16_t nb_queues; /* queue indices below this exist */
	bool rule;          /* not a template: every conf counts, masks is actions */
	enum rte_flow_action_type (*indirect_type)(void *arg, const struct rte_flow_action_handle *handle);
	void *arg;
};

int flow_plan(const struct flow_plan_request *request, struct flow_plan *plan, struct rte_flow_error *error);

/* Checks an RSS conf by name. Used by rules and handles too. */
int flow_rss_check(const struct rte_flow_action *action, const struct rte_flow_action_rss *rss, uint16_t nb_queues,
	struct rte_flow_error *error);

#define FLOW_MAX_GROUPS 65536
int flow_jump_check(const struct rte_flow_action *action, uint32_t group, struct rte_flow_error *error);

#endif
