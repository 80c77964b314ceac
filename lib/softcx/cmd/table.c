/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Flow tables (hws.md 2.3), and the list of the commands around them. A NIC without e-switch has two kinds of
 * table, NIC receive and transmit; RTC 1, the other half of an e-switch table, does not exist here.
 */
#include "prm/table.h"

#include <stdlib.h>

#include "softcx/cmd/steering.h"
#include "softcx/core/command.h"
#include "softcx/steer/objects.h"

struct context {
	uint8_t miss_action;
	uint32_t miss_id;
	uint32_t rtc_0, rtc_1;
};

static struct context
read_context(const uint8_t *ftc)
{
	return (struct context){
		.miss_action = (uint8_t)prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ACTION),
		.miss_id = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ID),
		.rtc_0 = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_0),
		.rtc_1 = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_1),
	};
}

static int
check_other_vport(struct sc_call *call)
{
	if (prm_get(call->in, PRM_FLOW_TABLE_IN_OTHER_VPORT) ||
		prm_get(call->in, PRM_FLOW_TABLE_IN_VPORT_NUMBER))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"other_vport %u vport_number %u: there is no other vport",
			prm_get(call->in, PRM_FLOW_TABLE_IN_OTHER_VPORT),
			prm_get(call->in, PRM_FLOW_TABLE_IN_VPORT_NUMBER));
	return 0;
}

/* The miss table that the context names; *miss NULL is the default. */
static int
find_miss(struct sc_call *call, const struct context *context, uint8_t table_type,
	struct sc_flow_table **miss)
{
	*miss = NULL;
	if (context->miss_action == PRM_FT_MISS_DEFAULT)
		return 0;
	if (context->miss_action != PRM_FT_MISS_GOTO_TABLE)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "table_miss_action %u", context->miss_action);
	*miss = sc_call_find(call, SC_FLOW_TABLE, context->miss_id);
	if (*miss == NULL)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES, "table_miss_id 0x%x is no flow table", context->miss_id);
	if ((*miss)->table_type != table_type)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"table_miss_id 0x%x has table_type %u, the table has %u", context->miss_id,
			(*miss)->table_type, table_type);
	return 0;
}

static int
find_rtc(struct sc_call *call, const struct context *context, uint8_t table_type, struct sc_rtc **rtc)
{
	*rtc = NULL;
	if (context->rtc_1 != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc_id_1 0x%x: a NIC table has only rtc_id_0",
			context->rtc_1);
	if (context->rtc_0 == 0)
		return 0;
	*rtc = sc_call_find(call, SC_RTC, context->rtc_0);
	if (*rtc == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "rtc_id_0 0x%x is no rtc", context->rtc_0);
	if ((*rtc)->table_type != table_type)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc_id_0 0x%x has table_type %u, the table has %u", context->rtc_0,
			(*rtc)->table_type, table_type);
	return 0;
}

static int
check_context(struct sc_call *call, const uint8_t *ftc)
{
	uint32_t level = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_LEVEL);

	if (prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_SW_OWNER))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "sw_owner 1: software steering is not offered");
	if (prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_TERMINATION_TABLE))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"termination_table 1: only an e-switch has them");
	if (level > SC_LEVEL_MAX)
		return sc_refuse(
			call, PRM_STATUS_BAD_PARAM, "level %u is above max_ft_level %u", level, SC_LEVEL_MAX);
	if (prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_LAG_MASTER_NEXT_TABLE_ID))
		return sc_refuse(
			call, PRM_STATUS_BAD_PARAM, "lag_master_next_table_id is set: there is no lag");
	if (!prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_VALID) && read_context(ftc).rtc_0 != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc_id_0 0x%x without rtc_valid",
			read_context(ftc).rtc_0);
	return 0;
}

int
sc_create_flow_table(struct sc_call *call)
{
	const uint8_t *ftc = prm_area_const(call->in, PRM_CREATE_FLOW_TABLE_IN_FLOW_TABLE_CONTEXT);
	uint8_t type = (uint8_t)prm_get(call->in, PRM_CREATE_FLOW_TABLE_IN_TABLE_TYPE);
	struct context context = read_context(ftc);
	struct sc_flow_table *table, *miss;
	struct sc_rtc *rtc;
	int rc;

	if ((rc = check_other_vport(call)) != 0 || (rc = check_context(call, ftc)) != 0)
		return rc;
	if (!sc_table_type_known(type))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"table_type %u: only NIC receive 0 and transmit 1 exist", type);
	if ((rc = find_miss(call, &context, type, &miss)) != 0 ||
		(rc = find_rtc(call, &context, type, &rtc)) != 0)
		return rc;
	table = calloc(1, sizeof(*table));
	if (table == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for a flow table");
	table->table_type = type;
	table->level = (uint8_t)prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_LEVEL);
	table->log_size = (uint8_t)prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_LOG_SIZE);
	table->reformat_en = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_REFORMAT_EN);
	table->decap_en = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_DECAP_EN);
	table->kind = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_VALID) ? SC_TABLE_RTC : SC_TABLE_ORDINARY;
	rc = sc_call_add(call, SC_FLOW_TABLE, &table->obj, 1);
	if (rc != 0)
		return rc;
	sc_link(&table->miss, miss);
	sc_link(&table->rtc, rtc);
	prm_set(call->out, PRM_CREATE_FLOW_TABLE_OUT_TABLE_ID, table->obj.id);
	return 0;
}

/* The table that a command changes, of the type it says; anchors are the kernel's. */
static int
find_table(struct sc_call *call, struct sc_flow_table **table)
{
	uint32_t id = prm_get(call->in, PRM_FLOW_TABLE_IN_TABLE_ID);
	uint32_t type = prm_get(call->in, PRM_FLOW_TABLE_IN_TABLE_TYPE);

	*table = sc_call_find_own(call, SC_FLOW_TABLE, id);
	if (*table == NULL || (*table)->kind == SC_TABLE_ANCHOR)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "table_id 0x%x is no flow table of the caller",
			id);
	if ((*table)->table_type != type)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "table_id 0x%x has table_type %u, not %u", id,
			(*table)->table_type, type);
	return 0;
}

int
sc_modify_flow_table(struct sc_call *call)
{
	const uint8_t *ftc = prm_area_const(call->in, PRM_MODIFY_FLOW_TABLE_IN_FLOW_TABLE_CONTEXT);
	uint32_t select = prm_get(call->in, PRM_MODIFY_FLOW_TABLE_IN_MODIFY_FIELD_SELECT);
	struct context context = read_context(ftc);
	struct sc_flow_table *table, *miss = NULL;
	struct sc_rtc *rtc = NULL;
	int rc;

	if (select == 0 || select & ~(uint32_t)(PRM_MODIFY_FT_MISS | PRM_MODIFY_FT_RTC_ID))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "modify_field_select 0x%x", select);
	if ((rc = check_other_vport(call)) != 0 || (rc = find_table(call, &table)) != 0)
		return rc;
	if (select & PRM_MODIFY_FT_MISS && (rc = find_miss(call, &context, table->table_type, &miss)) != 0)
		return rc;
	if (select & PRM_MODIFY_FT_RTC_ID) {
		if (table->kind != SC_TABLE_RTC)
			return sc_refuse(call, PRM_STATUS_BAD_RES_STATE,
				"table_id 0x%x was created without rtc_valid", table->obj.id);
		if ((rc = find_rtc(call, &context, table->table_type, &rtc)) != 0)
			return rc;
		sc_link(&table->rtc, rtc);
	}
	if (select & PRM_MODIFY_FT_MISS)
		sc_link(&table->miss, miss);
	return 0;
}

int
sc_query_flow_table(struct sc_call *call)
{
	uint8_t *ftc = prm_area(call->out, PRM_QUERY_FLOW_TABLE_OUT_FLOW_TABLE_CONTEXT);
	struct sc_flow_table *table;
	int rc = find_table(call, &table);

	if (rc != 0)
		return rc;
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_REFORMAT_EN, table->reformat_en);
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_DECAP_EN, table->decap_en);
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_LEVEL, table->level);
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_LOG_SIZE, table->log_size);
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_VALID, table->kind == SC_TABLE_RTC);
	if (table->miss != NULL) {
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ACTION, PRM_FT_MISS_GOTO_TABLE);
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ID, table->miss->obj.id);
	}
	if (table->rtc != NULL)
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_0, table->rtc->obj.id);
	return 0;
}

int
sc_destroy_flow_table(struct sc_call *call)
{
	struct sc_flow_table *table;
	int rc;

	if ((rc = find_table(call, &table)) != 0 || (rc = sc_call_check_unused(call, &table->obj)) != 0)
		return rc;
	if (table->groups != NULL)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES_STATE, "table_id 0x%x still has flow groups", table->obj.id);
	sc_flow_table_free(table);
	return 0;
}

#define ROW(op, in, out, run) { PRM_CMD_OP_##op, 0, #op, in, out, run }

const struct sc_command sc_commands_table[] = {
	ROW(CREATE_FLOW_TABLE, 0x40, 0x10, sc_create_flow_table),
	ROW(MODIFY_FLOW_TABLE, 0x40, 0x10, sc_modify_flow_table),
	ROW(QUERY_FLOW_TABLE, 0x18, 0x40, sc_query_flow_table),
	ROW(DESTROY_FLOW_TABLE, 0x18, 0x10, sc_destroy_flow_table),
	ROW(CREATE_FLOW_GROUP, 0x240, 0x10, sc_create_flow_group),
	ROW(DESTROY_FLOW_GROUP, 0x1c, 0x10, sc_destroy_flow_group),
	ROW(SET_FLOW_TABLE_ENTRY, PRM_SET_FTE_IN_BYTES, 0x10, sc_set_flow_table_entry),
	ROW(DELETE_FLOW_TABLE_ENTRY, 0x24, 0x10, sc_delete_flow_table_entry),
	ROW(ALLOC_FLOW_COUNTER, 0x10, 0x10, sc_alloc_flow_counter),
	ROW(DEALLOC_FLOW_COUNTER, 0x10, 0x10, sc_dealloc_flow_counter),
	ROW(QUERY_FLOW_COUNTER, 0x20, 0x10, sc_query_flow_counter),
	ROW(ALLOC_PACKET_REFORMAT_CONTEXT, 0x24, 0x10, sc_alloc_packet_reformat),
	ROW(DEALLOC_PACKET_REFORMAT_CONTEXT, 0x10, 0x10, sc_dealloc_packet_reformat),
	ROW(ALLOC_MODIFY_HEADER_CONTEXT, 0x10, 0x10, sc_alloc_modify_header),
	ROW(DEALLOC_MODIFY_HEADER_CONTEXT, 0x10, 0x10, sc_dealloc_modify_header),
	{ 0 },
};
