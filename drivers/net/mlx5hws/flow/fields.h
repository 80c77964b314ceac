/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * modify_field: one row per field of rte_flow, with its parts among the device's modify-header fields.
 *
 * A part covers the bits [low, low + width) of rte_flow's field, counted from its least significant bit, and lies at bit
 * `at` of the device's field. Values come as rte_flow has them: the image of the field in network order, or a number in
 * host order (tag, meta).
 */
#ifndef FLOW_FIELDS_H
#define FLOW_FIELDS_H

#include "hws/mlx5dr.h"

#include <rte_flow.h>

#include "flow/items.h"

struct flow_modify_part {
	uint16_t outer, inner; /* PRM field numbers; inner 0: outer only */
	uint8_t low, width, at;
	uint8_t value_off, value_unit; /* where these bits lie in the image */
};

enum flow_field_special { FLOW_FIELD_PACKET, FLOW_FIELD_REG_TAG, FLOW_FIELD_REG_META };

struct flow_modify_row {
	enum rte_flow_field_id field;
	const char *name;
	uint8_t width, image_bytes;
	bool host_order;
	enum flow_field_special special;
	bool is_vlan; /* changes meaning when VLAN tags come or go */
	const struct flow_modify_part *parts;
	uint8_t nb_parts;
};

extern const struct flow_modify_row flow_modify_fields[];
extern const unsigned int flow_nb_modify_fields;

const struct flow_modify_row *flow_modify_row(enum rte_flow_field_id field);
/* rte_flow's own name of a field that has no row. */
const char *flow_field_name(enum rte_flow_field_id field);

/* Commands of one action. */
#define FLOW_MAX_MODIFY_PER_ACTION 12

struct flow_modify_request {
	const struct rte_flow_action *action;
	const struct rte_flow_action *mask;
	unsigned int index;           /* of the action in its list: where the rule's conf pointer lies */
	enum mlx5dr_table_type type;
	const struct flow_regs *regs;
	bool rule;                    /* not a template: all of it is fixed, mask is action */
	uint16_t scratch_at;          /* where a rule's pointed-to value is copied to, 16 bytes */
};

struct flow_modify_list {
	struct mlx5dr_modify command[FLOW_MAX_MODIFY_PER_ACTION];
	unsigned int nb;
	bool copies_pointer; /* the rule's src.pvalue must be copied to scratch first */
	uint8_t image_bytes; /* how much of it */
	bool touches_packet; /* reads or writes a packet field: order against other actions matters */
	bool touches_vlan;
};

int flow_modify_compile(const struct flow_modify_request *request, struct flow_modify_list *list,
	struct rte_flow_error *error);

#endif
