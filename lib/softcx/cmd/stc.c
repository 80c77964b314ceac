/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Steering contexts (hws.md 2.6): ranges of action types. An element is written whole, and may be rewritten
 * while STEs use it: they name it, they do not copy it. Freeing one is writing DROP to it.
 */
#include <stdlib.h>
#include <string.h>

#include "prm/cap.h"
#include "prm/object.h"
#include "prm/table.h"
#include "softcx/cmd/capability.h"
#include "softcx/cmd/steering.h"
#include "softcx/steer/memory.h"
#include "softcx/steer/objects.h"

int
sc_create_stc(struct sc_call *call)
{
	uint8_t type = (uint8_t)prm_get(sc_call_body(call), PRM_STC_TABLE_TYPE);
	uint32_t log = prm_get(call->in, PRM_GENERAL_OBJ_IN_LOG_OBJ_RANGE), i;
	struct sc_stc_range *range;

	if (prm_get(call->in, PRM_GENERAL_OBJ_IN_ALIAS_OBJECT))
		return sc_refuse(
			call, PRM_STATUS_BAD_PARAM, "alias_object: sharing between functions is not offered");
	if (!sc_table_type_known(type))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"stc table_type 0x%x: only NIC receive 0 and transmit 1 exist", type);
	if (log > SC_LOG_STC_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"stc log_obj_range %u is above stc_alloc_log_max %u", log, SC_LOG_STC_MAX);
	range = calloc(1, sizeof(*range));
	if (range != NULL)
		range->stc = sc_map(sizeof(*range->stc) << log, "stcs");
	if (range == NULL || range->stc == NULL) {
		free(range);
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for 2^%u stcs", log);
	}
	range->table_type = type;
	range->nb = 1u << log;
	for (i = 0; i < range->nb; i++)
		range->stc[i].offset = SC_STC_UNSET;
	if (sc_object_add(call->dev, SC_STC, &range->obj, range->nb, call->uid) != 0) {
		sc_unmap(range->stc, sizeof(*range->stc) << log);
		free(range);
		return sc_refuse(call, PRM_STATUS_NO_RES, "no 2^%u consecutive ids of type stc are left",
			log);
	}
	range->obj.bytes = (uint64_t)range->nb * sizeof(*range->stc);
	return sc_call_answer_id(call, range->obj.id);
}

int
sc_destroy_stc(struct sc_call *call)
{
	struct sc_stc_range *range = sc_call_find_own(call, SC_STC, sc_call_obj_id(call));
	int rc;

	if (range == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "obj_id 0x%x is no stc range of the caller",
			sc_call_obj_id(call));
	rc = sc_call_check_unused(call, &range->obj);
	if (rc == 0)
		sc_stc_range_free(range);
	return rc;
}

/* ---- parameters by type: each reads stc_param into a fresh element; pointers in it hold no reference yet
 * ---- */

static int
read_nothing(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range, struct sc_stc *stc)
{
	return 0;
}

/* The eight bytes of a command, with the type that the STC itself has. */
static int
read_edit(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range, struct sc_stc *stc)
{
	static const struct {
		uint8_t stc, command;
	} types[] = {
		{PRM_STC_ACTION_COPY, SC_EDIT_COPY},
		{PRM_STC_ACTION_SET, SC_EDIT_SET},
		{PRM_STC_ACTION_ADD, SC_EDIT_ADD},
		{PRM_STC_ACTION_ADD_FIELD, SC_EDIT_ADD_FIELD},
		{PRM_STC_ACTION_REMOVE_WORDS, SC_EDIT_REMOVE_WORDS},
		{PRM_STC_ACTION_HEADER_REMOVE, SC_EDIT_REMOVE},
		{PRM_STC_ACTION_HEADER_INSERT, SC_EDIT_INSERT},
	};
	struct sc_arg *arg;
	char why[128];
	size_t i;

	if (sc_edit_decode(param, &stc->edit, why, sizeof(why)) != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "stc_param: %s", why);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].stc == stc->type && types[i].command != stc->edit.type)
			return sc_refuse(call, PRM_STATUS_BAD_PARAM,
				"stc_param action_type %u in an stc of type 0x%x", stc->edit.type, stc->type);
	if (stc->edit.type != SC_EDIT_INSERT || stc->edit.inline_data)
		return 0;
	arg = sc_call_find(call, SC_ARG, stc->edit.argument);
	if (arg == NULL)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES, "insert_argument 0x%x is no argument", stc->edit.argument);
	stc->argument = &arg->obj;
	stc->base = stc->edit.argument - arg->obj.id;
	return 0;
}

static int
read_list(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range, struct sc_stc *stc)
{
	uint32_t pattern_id = prm_get(param, PRM_STC_PARAM_MODIFY_LIST_HEADER_MODIFY_PATTERN_ID);
	uint32_t arg_id = prm_get(param, PRM_STC_PARAM_MODIFY_LIST_HEADER_MODIFY_ARGUMENT_ID);
	struct sc_arg *arg = sc_call_find(call, SC_ARG, arg_id);

	stc->target = sc_call_find(call, SC_PATTERN, pattern_id);
	if (stc->target == NULL)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES, "header_modify_pattern_id 0x%x is no pattern", pattern_id);
	if (arg == NULL)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES, "header_modify_argument_id 0x%x is no argument", arg_id);
	stc->argument = &arg->obj;
	stc->base = arg_id - arg->obj.id;
	return 0;
}

static int
read_counter(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range, struct sc_stc *stc)
{
	uint32_t id = prm_get(param, PRM_STC_PARAM_COUNTER_FLOW_COUNTER_ID);
	struct sc_counters *counters = sc_call_find(call, SC_FLOW_COUNTER, id);

	if (counters == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "flow_counter_id 0x%x does not exist", id);
	stc->target = &counters->obj;
	stc->base = id - counters->obj.id;
	return 0;
}

static int
read_ste_table(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range,
	struct sc_stc *stc)
{
	uint32_t id = prm_get(param, PRM_STC_PARAM_STE_TABLE_STE_OBJ_ID);
	uint32_t definer = prm_get(param, PRM_STC_PARAM_STE_TABLE_MATCH_DEFINER_ID);
	uint32_t log = prm_get(param, PRM_STC_PARAM_STE_TABLE_LOG_HASH_SIZE);
	struct sc_ste_range *stes = sc_call_find(call, SC_STE, id);

	if (stes == NULL || stes->table_type != range->table_type)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "ste_obj_id 0x%x is no ste range of table_type %u",
			id, range->table_type);
	if (sc_call_find(call, SC_DEFINER, definer) == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "match_definer_id 0x%x does not exist", definer);
	if (log != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "log_hash_size %u in a jump to one ste", log);
	stc->target = &stes->obj;
	stc->base = id - stes->obj.id;
	return 0;
}

static int
read_tir(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range, struct sc_stc *stc)
{
	uint32_t tirn = prm_get(param, PRM_STC_PARAM_TIR_TIRN);

	if (range->table_type != PRM_FT_TYPE_NIC_RX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "jump to a tir in an stc range of table_type %u",
			range->table_type);
	stc->target = sc_call_find(call, SC_TIR, tirn);
	if (stc->target == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "tirn 0x%x does not exist", tirn);
	return 0;
}

static int
read_table(struct sc_call *call, const uint8_t *param, const struct sc_stc_range *range, struct sc_stc *stc)
{
	uint32_t id = prm_get(param, PRM_STC_PARAM_TABLE_TABLE_ID);
	struct sc_flow_table *table = sc_call_find(call, SC_FLOW_TABLE, id);

	if (table == NULL || table->table_type != range->table_type)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "table_id 0x%x is no flow table of table_type %u",
			id, range->table_type);
	stc->target = &table->obj;
	return 0;
}

/* Where an action may stand: bit n is STE dword n. */
enum {
	AT_0 = 1 << 0,
	AT_3 = 1 << 3,
	AT_5 = 1 << 5,
	AT_6 = 1 << 6,
	AT_7 = 1 << 7,
	AT_ANY = AT_0 | AT_5 | AT_6 | AT_7
};

static const struct kind {
	uint8_t type, offsets;
	int (*read)(struct sc_call *, const uint8_t *, const struct sc_stc_range *, struct sc_stc *);
} kinds[] = {
	{ PRM_STC_ACTION_NOP, AT_ANY, read_nothing },
	{ PRM_STC_ACTION_COPY, AT_6, read_edit },
	{ PRM_STC_ACTION_SET, AT_6, read_edit },
	{ PRM_STC_ACTION_ADD, AT_6, read_edit },
	{ PRM_STC_ACTION_ADD_FIELD, AT_6, read_edit },
	{ PRM_STC_ACTION_REMOVE_WORDS, AT_5, read_edit },
	{ PRM_STC_ACTION_HEADER_REMOVE, AT_5, read_edit },
	{ PRM_STC_ACTION_HEADER_INSERT, AT_6, read_edit },
	{ PRM_STC_ACTION_TAG, AT_5, read_nothing },
	{ PRM_STC_ACTION_ACC_MODIFY_LIST, AT_6, read_list },
	{ PRM_STC_ACTION_COUNTER, AT_0, read_counter },
	{ PRM_STC_ACTION_JUMP_TO_STE_TABLE, AT_3, read_ste_table },
	{ PRM_STC_ACTION_JUMP_TO_TIR, AT_3, read_tir },
	{ PRM_STC_ACTION_JUMP_TO_FT, AT_3, read_table },
	{ PRM_STC_ACTION_DROP, AT_3, read_nothing },
	{ PRM_STC_ACTION_ALLOW, AT_3, read_nothing },
};

/* Bit n of the first capability word is type n, bit k of the second is type 0x80 + k. */
static bool
model_has(const struct sc_device *dev, uint8_t type)
{
	if (type < 0x80)
		return sc_cap_get(dev, PRM_CAP_GROUP_WQE_FT, PRM_CAP_WQE_FT_STC_ACTION_TYPE_63_0) >> type & 1;
	return sc_cap_get(dev, PRM_CAP_GROUP_WQE_FT, PRM_CAP_WQE_FT_STC_ACTION_TYPE_127_64) >> (type - 0x80) &
	       1;
}

static const struct kind *
find_kind(const struct sc_device *dev, uint8_t type)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].type == type)
			return model_has(dev, type) ? &kinds[i] : NULL;
	return NULL;
}

/* What the command says, in fresh. */
static int
read_stc(struct sc_call *call, const struct sc_stc_range *range, struct sc_stc *fresh)
{
	const uint8_t *body = sc_call_body(call);
	const struct kind *kind;

	fresh->type = (uint8_t)prm_get(body, PRM_STC_ACTION_TYPE);
	fresh->offset = (uint8_t)prm_get(body, PRM_STC_STE_ACTION_OFFSET);
	fresh->reparse = (uint8_t)prm_get(body, PRM_STC_REPARSE_MODE);
	kind = find_kind(call->dev, fresh->type);
	if (kind == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "stc action_type 0x%x (%s) is not offered",
			fresh->type,
			prm_stc_action_name(fresh->type) != NULL ? prm_stc_action_name(fresh->type)
								 : "unknown");
	if (fresh->offset > 7 || !(kind->offsets & 1 << fresh->offset))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"ste_action_offset %u does not take an action of type 0x%x", fresh->offset,
			fresh->type);
	if (fresh->reparse > PRM_STC_REPARSE_ALWAYS)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "stc reparse_mode %u", fresh->reparse);
	return kind->read(call, prm_area_const(body, PRM_STC_STC_PARAM), range, fresh);
}

int
sc_modify_stc(struct sc_call *call)
{
	uint32_t id = sc_call_obj_id(call), at = prm_get(call->in, PRM_GENERAL_OBJ_IN_OBJ_OFFSET);
	struct sc_stc_range *range = sc_call_find_own(call, SC_STC, id);
	struct sc_stc fresh = { 0 }, *stc;
	int rc;

	if (range == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "obj_id 0x%x is no stc range of the caller", id);
	if (at >= range->nb)
		return sc_refuse(
			call, PRM_STATUS_IX, "obj_offset %u: the stc range has %u elements", at, range->nb);
	if (prm_get64(sc_call_body(call), PRM_STC_MODIFY_FIELD_SELECT) != PRM_STC_MODIFY_NEW_STC)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "stc modify_field_select 0x%llx",
			(unsigned long long)prm_get64(sc_call_body(call), PRM_STC_MODIFY_FIELD_SELECT));
	rc = read_stc(call, range, &fresh);
	if (rc != 0)
		return rc;
	/* Take the new references first: old and new may be the same object. */
	if (fresh.target != NULL)
		sc_object_get(fresh.target);
	if (fresh.argument != NULL)
		sc_object_get(fresh.argument);
	stc = &range->stc[at];
	sc_stc_clear(stc);
	*stc = fresh;
	return 0;
}
