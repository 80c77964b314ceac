/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the files of the steering commands share, and the run functions that the tables in table.c and
 * object.c list.
 */
#ifndef SOFTCX_CMD_STEERING_H
#define SOFTCX_CMD_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "prm/cmd.h"
#include "softcx/cmd/named.h"
#include "softcx/core/command.h"
#include "softcx/core/object.h"

/* Table types that exist without an e-switch: NIC receive and transmit. */
bool sc_table_type_known(uint8_t table_type);

/* @return 0, or a refusal naming what still points to the object. */
int sc_call_check_unused(struct sc_call *call, const struct sc_object *obj);

/* General objects: the body behind the header, and the answer's id. */
static inline const uint8_t *
sc_call_body(const struct sc_call *call)
{
	return call->in + PRM_OBJ_BODY;
}

static inline uint32_t
sc_call_obj_id(const struct sc_call *call)
{
	return prm_get(call->in, PRM_GENERAL_OBJ_IN_OBJ_ID);
}

static inline int
sc_call_answer_id(struct sc_call *call, uint32_t id)
{
	prm_set(call->out, PRM_GENERAL_OBJ_OUT_OBJ_ID, id);
	return 0;
}

/*
 * Make obj findable under range ids for the caller. @return 0, or a refusal (and obj is freed) when ids are
 * used up.
 */
int sc_call_add(struct sc_call *call, enum sc_type type, struct sc_object *obj, uint32_t range);

/* table.c, group.c, counter.c, reformat.c */
int sc_create_flow_table(struct sc_call *call);
int sc_modify_flow_table(struct sc_call *call);
int sc_query_flow_table(struct sc_call *call);
int sc_destroy_flow_table(struct sc_call *call);
int sc_create_flow_group(struct sc_call *call);
int sc_destroy_flow_group(struct sc_call *call);
int sc_set_flow_table_entry(struct sc_call *call);
int sc_delete_flow_table_entry(struct sc_call *call);
int sc_alloc_flow_counter(struct sc_call *call);
int sc_dealloc_flow_counter(struct sc_call *call);
int sc_query_flow_counter(struct sc_call *call);
int sc_alloc_packet_reformat(struct sc_call *call);
int sc_dealloc_packet_reformat(struct sc_call *call);
int sc_alloc_modify_header(struct sc_call *call);
int sc_dealloc_modify_header(struct sc_call *call);

/* object.c, stc.c, rtc.c */
int sc_create_stc(struct sc_call *call);
int sc_modify_stc(struct sc_call *call);
int sc_destroy_stc(struct sc_call *call);
int sc_create_rtc(struct sc_call *call);
int sc_destroy_rtc(struct sc_call *call);

#endif
