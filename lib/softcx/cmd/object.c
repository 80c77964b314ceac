/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * General objects of steering: the simple ones (STE ranges, definers, modify-header patterns, arguments) and
 * the list of all. STCs and RTCs have files of their own.
 */
#include "prm/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/cap.h"
#include "softcx/cmd/capability.h"
#include "softcx/cmd/steering.h"
#include "softcx/core/command.h"
#include "softcx/steer/memory.h"
#include "softcx/steer/objects.h"

static int
check_no_alias(struct sc_call *call)
{
	if (prm_get(call->in, PRM_GENERAL_OBJ_IN_ALIAS_OBJECT))
		return sc_refuse(
			call, PRM_STATUS_BAD_PARAM, "alias_object: sharing between functions is not offered");
	return 0;
}

/* The object that a destroy names, unused. */
static int
find_to_destroy(struct sc_call *call, enum sc_type type, void **object)
{
	*object = sc_call_find_own(call, type, sc_call_obj_id(call));
	if (*object == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "obj_id 0x%x is no %s of the caller",
			sc_call_obj_id(call), sc_type_name(type));
	return sc_call_check_unused(call, *object);
}

/* ---- STE ranges ---- */

static int
create_ste(struct sc_call *call)
{
	uint8_t type = (uint8_t)prm_get(sc_call_body(call), PRM_STE_OBJ_TABLE_TYPE);
	uint32_t log = prm_get(call->in, PRM_GENERAL_OBJ_IN_LOG_OBJ_RANGE);
	struct sc_ste_range *range;
	int rc = check_no_alias(call);

	if (rc != 0)
		return rc;
	if (!sc_table_type_known(type))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"ste table_type 0x%x: only NIC receive 0 and transmit 1 exist", type);
	if (log > SC_LOG_STE_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"ste log_obj_range %u is above ste_alloc_log_max %u", log, SC_LOG_STE_MAX);
	range = calloc(1, sizeof(*range));
	if (range == NULL || sc_ste_range_init(range, (uint8_t)log) != 0) {
		free(range);
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for 2^%u stes", log);
	}
	range->table_type = type;
	if (sc_object_add(call->dev, SC_STE, &range->obj, 1u << log, call->uid) != 0) {
		sc_ste_range_fini(range);
		free(range);
		return sc_refuse(call, PRM_STATUS_NO_RES, "no 2^%u consecutive ids of type ste are left",
			log);
	}
	range->obj.bytes = (uint64_t)range->places * sizeof(*range->slots);
	return sc_call_answer_id(call, range->obj.id);
}

static int
destroy_ste(struct sc_call *call)
{
	void *range;
	int rc = find_to_destroy(call, SC_STE, &range);

	if (rc == 0)
		sc_ste_range_free(range);
	return rc;
}

/* ---- definers ---- */

static const int dword_fields[PRM_DEFINER_DW_SELECTORS] = {
	PRM_DEFINER_FORMAT_SELECT_DW0, PRM_DEFINER_FORMAT_SELECT_DW1, PRM_DEFINER_FORMAT_SELECT_DW2,
	PRM_DEFINER_FORMAT_SELECT_DW3, PRM_DEFINER_FORMAT_SELECT_DW4, PRM_DEFINER_FORMAT_SELECT_DW5,
	PRM_DEFINER_FORMAT_SELECT_DW6, PRM_DEFINER_FORMAT_SELECT_DW7, PRM_DEFINER_FORMAT_SELECT_DW8,
};

static const int byte_fields[PRM_DEFINER_BYTE_SELECTORS] = {
	PRM_DEFINER_FORMAT_SELECT_BYTE0, PRM_DEFINER_FORMAT_SELECT_BYTE1, PRM_DEFINER_FORMAT_SELECT_BYTE2,
	PRM_DEFINER_FORMAT_SELECT_BYTE3, PRM_DEFINER_FORMAT_SELECT_BYTE4, PRM_DEFINER_FORMAT_SELECT_BYTE5,
	PRM_DEFINER_FORMAT_SELECT_BYTE6, PRM_DEFINER_FORMAT_SELECT_BYTE7,
};

/*
 * Without format_select_dw_8_6_ext the selectors 6 to 8 take only the first 64 dwords of the header layout.
 * @return the selector in use that breaks this, or PRM_DEFINER_DW_SELECTORS.
 */
static uint32_t
limited_selector(const struct sc_device *dev, const struct sc_definer *definer)
{
	enum { FIRST_LIMITED = 6, LIMITED_DWORDS = 64 };
	static const uint8_t nothing[4];
	uint32_t i;

	if (sc_cap_get(dev, PRM_CAP_GROUP_GENERAL_2, PRM_CAP2_FORMAT_SELECT_DW_8_6_EXT))
		return PRM_DEFINER_DW_SELECTORS;
	for (i = FIRST_LIMITED; i < PRM_DEFINER_DW_SELECTORS; i++)
		if (definer->dword_selector[i] >= LIMITED_DWORDS &&
				memcmp(definer->mask + 4 * (PRM_DEFINER_DW_SELECTORS - 1 - i), nothing,
				4) != 0)
			return i;
	return PRM_DEFINER_DW_SELECTORS;
}

static int
create_definer(struct sc_call *call)
{
	const uint8_t *body = sc_call_body(call);
	uint32_t format = prm_get(body, PRM_DEFINER_FORMAT_ID), i;
	struct sc_definer *definer;
	unsigned int bad = 0;
	int rc = check_no_alias(call);

	if (rc != 0)
		return rc;
	if (format != PRM_DEFINER_FORMAT_SELECT)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"definer format_id %u, only %u (select) is offered", format,
			PRM_DEFINER_FORMAT_SELECT);
	definer = calloc(1, sizeof(*definer));
	if (definer == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for a definer");
	for (i = 0; i < PRM_DEFINER_DW_SELECTORS; i++)
		definer->dword_selector[i] = (uint8_t)prm_get(body, dword_fields[i]);
	for (i = 0; i < PRM_DEFINER_BYTE_SELECTORS; i++)
		definer->byte_selector[i] = (uint8_t)prm_get(body, byte_fields[i]);
	memcpy(definer->mask, prm_area_const(body, PRM_DEFINER_MATCH_MASK), SC_TAG_BYTES);
	if (sc_definer_compile(definer, &bad) != 0) {
		i = definer->dword_selector[bad];
		free(definer);
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"format_select_dw%u 0x%x: the header layout shows nothing there", bad, i);
	}
	i = limited_selector(call->dev, definer);
	if (i < PRM_DEFINER_DW_SELECTORS) {
		bad = definer->dword_selector[i];
		free(definer);
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"format_select_dw%u 0x%x: this model reaches dwords below 64", i, bad);
	}
	rc = sc_call_add(call, SC_DEFINER, &definer->obj, 1);
	return rc != 0 ? rc : sc_call_answer_id(call, definer->obj.id);
}

static int
destroy_definer(struct sc_call *call)
{
	void *definer;
	int rc = find_to_destroy(call, SC_DEFINER, &definer);

	if (rc == 0)
		sc_definer_free(definer);
	return rc;
}

/* ---- modify-header patterns ---- */

static int
create_pattern(struct sc_call *call)
{
	const uint8_t *body = sc_call_body(call), *data = prm_area_const(body, PRM_PATTERN_PATTERN_DATA);
	uint32_t nb = prm_get(body, PRM_PATTERN_PATTERN_LENGTH), i;
	struct sc_pattern *pattern;
	char why[128];
	int rc = check_no_alias(call);

	if (rc != 0)
		return rc;
	if (nb == 0 || nb > SC_PATTERN_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "pattern_length %u: 1 to %u commands", nb,
			SC_PATTERN_MAX);
	if (call->in_len < (uint32_t)(data - call->in) + nb * PRM_MODIFY_ACTION_BYTES)
		return sc_refuse(call, PRM_STATUS_BAD_INP_LEN, "pattern_length %u does not fit %u bytes", nb,
			call->in_len);
	pattern = calloc(1, sizeof(*pattern));
	if (pattern == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for a pattern");
	pattern->nb = nb;
	for (i = 0; i < nb; i++) {
		rc = sc_edit_decode(data + i * PRM_MODIFY_ACTION_BYTES, &pattern->edits[i], why, sizeof(why));
		if (rc == 0 && pattern->edits[i].type == SC_EDIT_INSERT && !pattern->edits[i].inline_data)
			rc = (snprintf(why, sizeof(why), "an insertion that is not inline"), -EINVAL);
		if (rc != 0) {
			free(pattern);
			return sc_refuse(call, PRM_STATUS_BAD_PARAM, "pattern command %u: %s", i, why);
		}
	}
	rc = sc_call_add(call, SC_PATTERN, &pattern->obj, 1);
	return rc != 0 ? rc : sc_call_answer_id(call, pattern->obj.id);
}

static int
destroy_pattern(struct sc_call *call)
{
	void *pattern;
	int rc = find_to_destroy(call, SC_PATTERN, &pattern);

	if (rc == 0)
		sc_pattern_free(pattern);
	return rc;
}

/* ---- arguments ---- */

static int
create_arg(struct sc_call *call)
{
	uint32_t pdn = prm_get(sc_call_body(call), PRM_ARG_ACCESS_PD);
	struct sc_object *pd = sc_call_find(call, SC_PD, pdn);
	uint32_t log = prm_get(call->in, PRM_GENERAL_OBJ_IN_LOG_OBJ_RANGE);
	struct sc_arg *arg;
	int rc = check_no_alias(call);

	if (rc != 0)
		return rc;
	if (log > SC_LOG_ARG_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"arg log_obj_range %u is above log_header_modify_argument_max_alloc %u", log,
			SC_LOG_ARG_MAX);
	if (pd == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "arg access_pd 0x%x does not exist", pdn);
	arg = calloc(1, sizeof(*arg));
	if (arg != NULL) {
		arg->units = 1u << log;
		arg->bytes = sc_map((size_t)arg->units * SC_ARG_UNIT, "arguments");
	}
	if (arg == NULL || arg->bytes == NULL) {
		free(arg);
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for 2^%u arguments", log);
	}
	if (sc_object_add(call->dev, SC_ARG, &arg->obj, arg->units, call->uid) != 0) {
		sc_unmap(arg->bytes, (size_t)arg->units * SC_ARG_UNIT);
		free(arg);
		return sc_refuse(call, PRM_STATUS_NO_RES, "no 2^%u consecutive ids of type arg are left",
			log);
	}
	sc_link(&arg->pd, pd);
	arg->obj.bytes = (uint64_t)arg->units * SC_ARG_UNIT;
	return sc_call_answer_id(call, arg->obj.id);
}

static int
destroy_arg(struct sc_call *call)
{
	void *arg;
	int rc = find_to_destroy(call, SC_ARG, &arg);

	if (rc == 0)
		sc_arg_free(arg);
	return rc;
}

#define ROW(op, obj, in, run)                                                                                \
	{                                                                                                    \
		PRM_CMD_OP_##op##_GENERAL_OBJECT, PRM_OBJ_TYPE_##obj, #op "_" #obj, in, 0x10, run            \
	}

const struct sc_command sc_commands_object[] = {
	ROW(CREATE, STC, 0x24, sc_create_stc),
	ROW(MODIFY, STC, 0x40, sc_modify_stc),
	ROW(DESTROY, STC, 0x10, sc_destroy_stc),
	ROW(CREATE, RTC, 0x44, sc_create_rtc),
	ROW(DESTROY, RTC, 0x10, sc_destroy_rtc),
	ROW(CREATE, STE, 0x24, create_ste),
	ROW(DESTROY, STE, 0x10, destroy_ste),
	ROW(CREATE, DEFINER, PRM_OBJ_BODY + PRM_DEFINER_BYTES, create_definer),
	ROW(DESTROY, DEFINER, 0x10, destroy_definer),
	ROW(CREATE, MODIFY_HEADER_PATTERN, 0x38, create_pattern),
	ROW(DESTROY, MODIFY_HEADER_PATTERN, 0x10, destroy_pattern),
	ROW(CREATE, ARG, 0x24, create_arg),
	ROW(DESTROY, ARG, 0x10, destroy_arg),
	{ 0 },
};
