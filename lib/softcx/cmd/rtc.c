/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Rule table contexts (hws.md 2.4, 6.4): a hash or indexed table laid over a part of an STE range.
 */
#include <stdlib.h>

#include "prm/cap.h"
#include "prm/object.h"
#include "softcx/cmd/capability.h"
#include "softcx/cmd/steering.h"
#include "softcx/steer/objects.h"

/* The numbers of the body, before they are believed. */
struct numbers {
	uint32_t update, reparse, nb_ste, pd, access, nb_hash, method, depth, rows, format_0, format_1, type;
	uint32_t definer, stc, ste, first, miss;
};

static struct numbers
read_numbers(const uint8_t *body)
{
	return (struct numbers){
		.update = prm_get(body, PRM_RTC_UPDATE_INDEX_MODE),
		.reparse = prm_get(body, PRM_RTC_REPARSE_MODE),
		.nb_ste = prm_get(body, PRM_RTC_NUM_MATCH_STE),
		.pd = prm_get(body, PRM_RTC_PD),
		.access = prm_get(body, PRM_RTC_ACCESS_INDEX_MODE),
		.nb_hash = prm_get(body, PRM_RTC_NUM_HASH_DEFINER),
		.method = prm_get(body, PRM_RTC_UPDATE_METHOD),
		.depth = prm_get(body, PRM_RTC_LOG_DEPTH),
		.rows = prm_get(body, PRM_RTC_LOG_HASH_SIZE),
		.format_0 = prm_get(body, PRM_RTC_STE_FORMAT_0),
		.format_1 = prm_get(body, PRM_RTC_STE_FORMAT_1),
		.type = prm_get(body, PRM_RTC_TABLE_TYPE),
		.definer = prm_get(body, PRM_RTC_MATCH_DEFINER_0),
		.stc = prm_get(body, PRM_RTC_STC_ID),
		.ste = prm_get(body, PRM_RTC_STE_TABLE_BASE_ID),
		.first = prm_get(body, PRM_RTC_STE_TABLE_OFFSET),
		.miss = prm_get(body, PRM_RTC_MISS_FLOW_TABLE_ID),
	};
}

static int
check_modes(struct sc_call *call, const struct numbers *n)
{
	if (n->update > PRM_RTC_UPDATE_BY_OFFSET)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc update_index_mode %u", n->update);
	if (n->access > PRM_RTC_ACCESS_LINEAR)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc access_index_mode %u", n->access);
	if (n->reparse > PRM_RTC_REPARSE_BY_STC)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc reparse_mode %u", n->reparse);
	if (n->method != PRM_RTC_METHOD_WQE)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc update_method %u: rules by GENERATE_WQE are not offered", n->method);
	if (n->nb_ste > 1 || n->format_1 != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc num_match_ste %u ste_format_1 %u: ranges are not offered", n->nb_ste,
			n->format_1);
	if (n->nb_hash > 1)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc num_hash_definer %u", n->nb_hash);
	if (n->format_0 != PRM_STE_FORMAT_8DW && n->format_0 != PRM_STE_FORMAT_11DW)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc ste_format_0 %u: 8DW 4 and 11DW 5 are offered", n->format_0);
	if (n->access == PRM_RTC_ACCESS_LINEAR &&
			!sc_cap_get(call->dev, PRM_CAP_GROUP_WQE_FT, PRM_CAP_WQE_FT_RTC_LINEAR_LOOKUP_TABLE))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc access_index_mode %u: this model has no linear tables", n->access);
	if (n->access == PRM_RTC_ACCESS_LINEAR && n->update != PRM_RTC_UPDATE_BY_OFFSET)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc with linear access and update by hash");
	if (n->update == PRM_RTC_UPDATE_BY_HASH && n->nb_hash != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc num_hash_definer 1 with update by hash needs GENERATE_WQE");
	if (n->access == PRM_RTC_ACCESS_BY_HASH && n->nb_hash != 0 &&
			!sc_cap_get(call->dev, PRM_CAP_GROUP_WQE_FT, PRM_CAP_WQE_FT_RTC_HASH_SPLIT_TABLE))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc num_hash_definer 1: this model has no hash-split tables");
	return 0;
}

static int
check_size(struct sc_call *call, const struct numbers *n, const struct sc_ste_range *stes)
{
	uint64_t places;

	if (n->depth > SC_LOG_DEPTH_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc log_depth %u is above rtc_log_depth_max %u",
			n->depth, SC_LOG_DEPTH_MAX);
	if (n->rows > SC_LOG_STE_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc log_hash_size %u is above ste_alloc_log_max %u", n->rows, SC_LOG_STE_MAX);
	places = 1ull << (n->rows + n->depth);
	if (n->first + places > stes->places)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc log_hash_size %u log_depth %u ste_table_offset %u: the ste range has %u",
			n->rows, n->depth, n->first, stes->places);
	return 0;
}

/* Two RTCs over the same places would fill each other's rows. */
static int
check_overlap(struct sc_call *call, const struct numbers *n, const struct sc_ste_range *stes)
{
	uint64_t end = n->first + (1ull << (n->rows + n->depth));
	const struct sc_rtc *other;

	for (other = stes->rtcs; other != NULL; other = other->next_in_range)
		if (n->first < other->first + (1ull << (other->log_rows + other->log_depth)) &&
			other->first < end)
			return sc_refuse(call, PRM_STATUS_BAD_RES_STATE,
				"ste range 0x%x from %u on belongs to rtc 0x%x", stes->obj.id, n->first,
				other->obj.id);
	return 0;
}

struct parts {
	struct sc_object *pd;
	struct sc_definer *definer;
	struct sc_stc_range *stcs;
	struct sc_ste_range *stes;
	struct sc_flow_table *miss;
};

static int
find_parts(struct sc_call *call, const struct numbers *n, struct parts *p)
{
	p->definer = sc_call_find(call, SC_DEFINER, n->definer);
	p->stcs = sc_call_find(call, SC_STC, n->stc);
	p->stes = sc_call_find(call, SC_STE, n->ste);
	p->miss = n->miss == 0 ? NULL : sc_call_find(call, SC_FLOW_TABLE, n->miss);
	p->pd = sc_call_find(call, SC_PD, n->pd);
	if (p->pd == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "rtc pd 0x%x does not exist", n->pd);
	if (p->definer == NULL)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES, "rtc match_definer_0 0x%x does not exist", n->definer);
	if (p->definer->beyond_8dw && n->format_0 == PRM_STE_FORMAT_8DW)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc ste_format_0 8DW with match_definer_0 0x%x, whose mask uses dword selectors 6 "
			"to 8",
			n->definer);
	if (p->stcs == NULL || p->stcs->obj.id != n->stc || p->stcs->table_type != n->type)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "rtc stc_id 0x%x is no stc range of table_type %u",
			n->stc, n->type);
	if (p->stes == NULL || p->stes->obj.id != n->ste || p->stes->table_type != n->type)
		return sc_refuse(call, PRM_STATUS_BAD_RES,
			"rtc ste_table_base_id 0x%x is no ste range of table_type %u", n->ste, n->type);
	if (n->miss != 0 && (p->miss == NULL || p->miss->table_type != n->type))
		return sc_refuse(call, PRM_STATUS_BAD_RES,
			"rtc miss_flow_table_id 0x%x is no flow table of table_type %u", n->miss, n->type);
	if (n->access == PRM_RTC_ACCESS_LINEAR && !p->definer->linear)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc match_definer_0 0x%x is not linear_match_definer_reg_c3", n->definer);
	return 0;
}

int
sc_create_rtc(struct sc_call *call)
{
	struct numbers n = read_numbers(sc_call_body(call));
	struct parts p = { 0 };
	struct sc_rtc *rtc;
	int rc;

	if (prm_get(call->in, PRM_GENERAL_OBJ_IN_ALIAS_OBJECT) ||
		prm_get(call->in, PRM_GENERAL_OBJ_IN_LOG_OBJ_RANGE))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "rtc alias_object or log_obj_range is set");
	if (!sc_table_type_known((uint8_t)n.type))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rtc table_type 0x%x: only NIC receive 0 and transmit 1 exist", n.type);
	if ((rc = check_modes(call, &n)) != 0 || (rc = find_parts(call, &n, &p)) != 0 ||
			(rc = check_size(call, &n, p.stes)) != 0 ||
			(rc = check_overlap(call, &n, p.stes)) != 0)
		return rc;
	rtc = calloc(1, sizeof(*rtc));
	if (rtc == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for an rtc");
	rtc->table_type = (uint8_t)n.type;
	rtc->log_rows = (uint8_t)n.rows;
	rtc->log_depth = (uint8_t)n.depth;
	rtc->reparse = (uint8_t)n.reparse;
	rtc->jumbo = n.format_0 == PRM_STE_FORMAT_11DW;
	rtc->update_by_offset = n.update == PRM_RTC_UPDATE_BY_OFFSET;
	rtc->access_linear = n.access == PRM_RTC_ACCESS_LINEAR;
	rtc->always_hit = n.nb_hash == 1;
	rtc->first = n.first;
	rc = sc_call_add(call, SC_RTC, &rtc->obj, 1);
	if (rc != 0)
		return rc;
	sc_link(&rtc->pd, p.pd);
	sc_link(&rtc->definer, p.definer);
	sc_link(&rtc->stcs, p.stcs);
	sc_link(&rtc->stes, p.stes);
	sc_link(&rtc->miss, p.miss);
	rtc->next_in_range = p.stes->rtcs;
	p.stes->rtcs = rtc;
	return sc_call_answer_id(call, rtc->obj.id);
}

int
sc_destroy_rtc(struct sc_call *call)
{
	struct sc_rtc *rtc = sc_call_find_own(call, SC_RTC, sc_call_obj_id(call));
	int rc;

	if (rtc == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "obj_id 0x%x is no rtc of the caller",
			sc_call_obj_id(call));
	rc = sc_call_check_unused(call, &rtc->obj);
	if (rc == 0)
		sc_rtc_free(rtc);
	return rc;
}
