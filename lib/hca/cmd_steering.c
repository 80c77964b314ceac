/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cmd_steering.h"

#include <errno.h>
#include <string.h>

#include "hca/device.h"
#include "prm/object.h"
#include "prm/table.h"

int
hca_cmd_create_flow_table(struct hca_device *dev, const struct hca_flow_table_attr *attr, struct hca_obj **table)
{
	uint8_t in[PRM_CREATE_FLOW_TABLE_IN_BYTES] = { 0 };
	uint8_t *ftc = prm_area(in, PRM_CREATE_FLOW_TABLE_IN_FLOW_TABLE_CONTEXT);
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_FLOW_TABLE);
	prm_set(in, PRM_CREATE_FLOW_TABLE_IN_TABLE_TYPE, attr->table_type);
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_LEVEL, attr->level);
	prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_VALID, attr->rtc_valid);
	ret = hca_cmd_create(dev, "flow table", in, sizeof(in), table);
	if (ret == 0)
		(*table)->table_type = attr->table_type;
	return ret;
}

int
hca_cmd_modify_flow_table(struct hca_obj *table, const struct hca_flow_table_modify *modify)
{
	uint8_t in[PRM_MODIFY_FLOW_TABLE_IN_BYTES] = { 0 };
	uint8_t *ftc = prm_area(in, PRM_MODIFY_FLOW_TABLE_IN_FLOW_TABLE_CONTEXT);

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_FLOW_TABLE);
	prm_set(in, PRM_MODIFY_FLOW_TABLE_IN_MODIFY_FIELD_SELECT, modify->select);
	prm_set(in, PRM_MODIFY_FLOW_TABLE_IN_TABLE_TYPE, table->table_type);
	prm_set(in, PRM_MODIFY_FLOW_TABLE_IN_TABLE_ID, table->id);
	if (modify->select & HCA_FT_SELECT_MISS) {
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ACTION, modify->miss_action);
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ID, modify->miss_table_id);
	}
	if (modify->select & HCA_FT_SELECT_RTC) {
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_0, modify->rtc_id_0);
		prm_set(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_1, modify->rtc_id_1);
	}
	return hca_cmd_modify(table, in, sizeof(in));
}

int
hca_cmd_query_flow_table(struct hca_obj *table, struct hca_flow_table_modify *state)
{
	uint8_t in[PRM_FLOW_TABLE_IN_BYTES] = { 0 }, out[PRM_QUERY_FLOW_TABLE_OUT_BYTES] = { 0 };
	const uint8_t *ftc;
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_FLOW_TABLE);
	prm_set(in, PRM_FLOW_TABLE_IN_TABLE_TYPE, table->table_type);
	prm_set(in, PRM_FLOW_TABLE_IN_TABLE_ID, table->id);
	ret = hca_cmd_query(table, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	ftc = prm_area(out, PRM_QUERY_FLOW_TABLE_OUT_FLOW_TABLE_CONTEXT);
	*state = (struct hca_flow_table_modify){
		.miss_action = (uint8_t)prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ACTION),
		.miss_table_id = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_TABLE_MISS_ID),
		.rtc_id_0 = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_0),
		.rtc_id_1 = prm_get(ftc, PRM_FLOW_TABLE_CONTEXT_RTC_ID_1),
	};
	return 0;
}

/* Head of a general object's create command; gives back its body. */
static uint8_t *
object_head(uint8_t *in, uint16_t type, uint8_t log_range)
{
	prm_set(in, PRM_GENERAL_OBJ_IN_OPCODE, PRM_CMD_OP_CREATE_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, type);
	prm_set(in, PRM_GENERAL_OBJ_IN_LOG_OBJ_RANGE, log_range);
	return in + PRM_OBJ_BODY;
}

static int
create_range(struct hca_device *dev, const char *what, const uint8_t *in, size_t in_len, uint8_t log_range,
	     struct hca_obj **obj)
{
	int ret = hca_cmd_create(dev, what, in, in_len, obj);

	if (ret == 0)
		(*obj)->log_range = log_range;
	return ret;
}

int
hca_cmd_create_rtc(struct hca_device *dev, const struct hca_rtc_attr *attr, struct hca_obj **rtc)
{
	uint8_t in[PRM_OBJ_BODY + PRM_RTC_BYTES] = { 0 };
	uint8_t *body = object_head(in, PRM_OBJ_TYPE_RTC, 0);

	prm_set(body, PRM_RTC_UPDATE_INDEX_MODE, attr->update_index_mode);
	prm_set(body, PRM_RTC_REPARSE_MODE, attr->reparse_mode);
	prm_set(body, PRM_RTC_NUM_MATCH_STE, attr->num_match_ste);
	prm_set(body, PRM_RTC_PD, attr->pd);
	prm_set(body, PRM_RTC_ACCESS_INDEX_MODE, attr->access_index_mode);
	prm_set(body, PRM_RTC_NUM_HASH_DEFINER, attr->num_hash_definer);
	prm_set(body, PRM_RTC_UPDATE_METHOD, attr->update_method);
	prm_set(body, PRM_RTC_LOG_DEPTH, attr->log_depth);
	prm_set(body, PRM_RTC_LOG_HASH_SIZE, attr->log_hash_size);
	prm_set(body, PRM_RTC_STE_FORMAT_0, attr->ste_format_0);
	prm_set(body, PRM_RTC_STE_FORMAT_1, attr->ste_format_1);
	prm_set(body, PRM_RTC_TABLE_TYPE, attr->table_type);
	prm_set(body, PRM_RTC_MATCH_DEFINER_0, attr->match_definer_0);
	prm_set(body, PRM_RTC_MATCH_DEFINER_1, attr->match_definer_1);
	prm_set(body, PRM_RTC_STC_ID, attr->stc_id);
	prm_set(body, PRM_RTC_STE_TABLE_BASE_ID, attr->ste_table_base_id);
	prm_set(body, PRM_RTC_STE_TABLE_OFFSET, attr->ste_table_offset);
	prm_set(body, PRM_RTC_MISS_FLOW_TABLE_ID, attr->miss_flow_table_id);
	return hca_cmd_create(dev, "RTC", in, sizeof(in), rtc);
}

int
hca_cmd_create_ste(struct hca_device *dev, uint8_t table_type, uint8_t log_range, struct hca_obj **ste)
{
	uint8_t in[PRM_OBJ_BODY + PRM_STE_OBJ_BYTES] = { 0 };

	prm_set(object_head(in, PRM_OBJ_TYPE_STE, log_range), PRM_STE_OBJ_TABLE_TYPE, table_type);
	return create_range(dev, "STE range", in, sizeof(in), log_range, ste);
}

int
hca_cmd_create_stc(struct hca_device *dev, uint8_t table_type, uint8_t log_range, struct hca_obj **stc)
{
	uint8_t in[PRM_OBJ_BODY + PRM_STC_BYTES] = { 0 };

	prm_set(object_head(in, PRM_OBJ_TYPE_STC, log_range), PRM_STC_TABLE_TYPE, table_type);
	return create_range(dev, "STC range", in, sizeof(in), log_range, stc);
}

int
hca_cmd_modify_stc(struct hca_obj *stc, uint32_t offset, const struct hca_stc_attr *attr)
{
	uint8_t in[PRM_OBJ_BODY + PRM_STC_BYTES] = { 0 };
	uint8_t *body = in + PRM_OBJ_BODY;

	if (offset >> stc->log_range != 0)
		return -EINVAL;
	prm_set(in, PRM_GENERAL_OBJ_IN_OPCODE, PRM_CMD_OP_MODIFY_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, PRM_OBJ_TYPE_STC);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_ID, stc->id);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_OFFSET, offset);
	prm_set64(body, PRM_STC_MODIFY_FIELD_SELECT, PRM_STC_MODIFY_NEW_STC);
	prm_set(body, PRM_STC_REPARSE_MODE, attr->reparse_mode);
	prm_set(body, PRM_STC_STE_ACTION_OFFSET, attr->ste_action_offset);
	prm_set(body, PRM_STC_ACTION_TYPE, attr->action_type);
	memcpy(prm_area(body, PRM_STC_STC_PARAM), attr->param, sizeof(attr->param));
	return hca_cmd_modify(stc, in, sizeof(in));
}

int
hca_cmd_create_definer(struct hca_device *dev, const struct hca_definer_attr *attr, struct hca_obj **definer)
{
	static const int dw_fields[HCA_DEFINER_DWORDS] = {
		PRM_DEFINER_FORMAT_SELECT_DW0, PRM_DEFINER_FORMAT_SELECT_DW1, PRM_DEFINER_FORMAT_SELECT_DW2,
		PRM_DEFINER_FORMAT_SELECT_DW3, PRM_DEFINER_FORMAT_SELECT_DW4, PRM_DEFINER_FORMAT_SELECT_DW5,
		PRM_DEFINER_FORMAT_SELECT_DW6, PRM_DEFINER_FORMAT_SELECT_DW7, PRM_DEFINER_FORMAT_SELECT_DW8,
	};
	static const int byte_fields[HCA_DEFINER_BYTES] = {
		PRM_DEFINER_FORMAT_SELECT_BYTE0, PRM_DEFINER_FORMAT_SELECT_BYTE1, PRM_DEFINER_FORMAT_SELECT_BYTE2,
		PRM_DEFINER_FORMAT_SELECT_BYTE3, PRM_DEFINER_FORMAT_SELECT_BYTE4, PRM_DEFINER_FORMAT_SELECT_BYTE5,
		PRM_DEFINER_FORMAT_SELECT_BYTE6, PRM_DEFINER_FORMAT_SELECT_BYTE7,
	};
	uint8_t in[PRM_OBJ_BODY + PRM_DEFINER_BYTES] = { 0 };
	uint8_t *body = object_head(in, PRM_OBJ_TYPE_DEFINER, 0);

	prm_set(body, PRM_DEFINER_FORMAT_ID, PRM_DEFINER_FORMAT_SELECT);
	for (int i = 0; i < HCA_DEFINER_DWORDS; i++)
		prm_set(body, dw_fields[i], attr->dw[i]);
	for (int i = 0; i < HCA_DEFINER_BYTES; i++)
		prm_set(body, byte_fields[i], attr->byte[i]);
	memcpy(prm_area(body, PRM_DEFINER_MATCH_MASK), attr->mask, sizeof(attr->mask));
	return hca_cmd_create(dev, "definer", in, sizeof(in), definer);
}

int
hca_cmd_create_modify_header_pattern(struct hca_device *dev, const uint8_t *actions, uint8_t nb_actions,
				     struct hca_obj **pattern)
{
	uint8_t in[PRM_OBJ_BODY + PRM_PATTERN_BYTES] = { 0 };
	uint8_t *body = object_head(in, PRM_OBJ_TYPE_MODIFY_HEADER_PATTERN, 0);

	if (nb_actions == 0 || nb_actions > HCA_PATTERN_MAX_ACTIONS)
		return -EINVAL;
	prm_set(body, PRM_PATTERN_PATTERN_LENGTH, nb_actions);
	memcpy(prm_area(body, PRM_PATTERN_PATTERN_DATA), actions, (size_t)nb_actions * PRM_MODIFY_ACTION_BYTES);
	return hca_cmd_create(dev, "modify-header pattern", in, sizeof(in), pattern);
}

int
hca_cmd_create_modify_header_arg(struct hca_device *dev, uint32_t pd, uint8_t log_range, struct hca_obj **arg)
{
	uint8_t in[PRM_OBJ_BODY + PRM_ARG_BODY_BYTES] = { 0 };

	prm_set(object_head(in, PRM_OBJ_TYPE_ARG, log_range), PRM_ARG_ACCESS_PD, pd);
	return create_range(dev, "modify-header argument", in, sizeof(in), log_range, arg);
}
