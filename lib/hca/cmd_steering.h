/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Hardware steering objects: flow tables, RTC, STE, STC, definer, modify-header pattern and argument.
 * Field names are the PRM's. hws.md 2.2 to 2.9.
 */
#ifndef HCA_CMD_STEERING_H
#define HCA_CMD_STEERING_H

#include <stdbool.h>

#include "hca/cmd.h"

/* Flow table types (command) and table types of RTC, STE, STC: the same numbers for the NIC domains. */
enum hca_table_type { HCA_TABLE_NIC_RX = 0, HCA_TABLE_NIC_TX = 1 };

struct hca_flow_table_attr {
	uint8_t table_type;
	uint8_t level;
	bool rtc_valid;
};
int hca_cmd_create_flow_table(struct hca_device *dev, const struct hca_flow_table_attr *attr, struct hca_obj **table);

enum hca_flow_table_select { HCA_FT_SELECT_MISS = 1 << 0, HCA_FT_SELECT_RTC = 1 << 1 };
enum hca_flow_table_miss { HCA_FT_MISS_DEFAULT = 0, HCA_FT_MISS_TABLE = 1 };
struct hca_flow_table_modify {
	uint32_t select;        /* enum hca_flow_table_select */
	uint8_t miss_action;    /* enum hca_flow_table_miss */
	uint32_t miss_table_id;
	uint32_t rtc_id_0, rtc_id_1;
};
int hca_cmd_modify_flow_table(struct hca_obj *table, const struct hca_flow_table_modify *modify);

/* What QUERY_FLOW_TABLE answers, for dumps. */
int hca_cmd_query_flow_table(struct hca_obj *table, struct hca_flow_table_modify *state);

struct hca_rtc_attr {
	uint8_t update_index_mode; /* 0 by hash, 1 by offset */
	uint8_t access_index_mode; /* 0 by hash, 1 linear */
	uint8_t reparse_mode;      /* 0 never, 1 always, 2 by STC */
	uint8_t num_match_ste, num_hash_definer, update_method;
	uint8_t log_depth, log_hash_size;
	uint8_t ste_format_0, ste_format_1;
	uint8_t table_type;
	uint32_t pd;
	uint32_t match_definer_0, match_definer_1;
	uint32_t stc_id;
	uint32_t ste_table_base_id, ste_table_offset;
	uint32_t miss_flow_table_id;
};
int hca_cmd_create_rtc(struct hca_device *dev, const struct hca_rtc_attr *attr, struct hca_obj **rtc);

int hca_cmd_create_ste(struct hca_device *dev, uint8_t table_type, uint8_t log_range, struct hca_obj **ste);

int hca_cmd_create_stc(struct hca_device *dev, uint8_t table_type, uint8_t log_range, struct hca_obj **stc);
struct hca_stc_attr {
	uint8_t action_type;
	uint8_t ste_action_offset;
	uint8_t reparse_mode;
	uint8_t param[16];         /* stc_param, in device layout */
};
/* One element of a range. Calls on one range must be serialised by the caller. */
int hca_cmd_modify_stc(struct hca_obj *stc, uint32_t offset, const struct hca_stc_attr *attr);

#define HCA_DEFINER_DWORDS 9
#define HCA_DEFINER_BYTES 8
#define HCA_DEFINER_MASK_BYTES 44
struct hca_definer_attr {
	uint8_t dw[HCA_DEFINER_DWORDS];    /* format_select_dw0.. */
	uint8_t byte[HCA_DEFINER_BYTES];   /* format_select_byte0.. */
	uint8_t mask[HCA_DEFINER_MASK_BYTES]; /* in the layout of the tag */
};
int hca_cmd_create_definer(struct hca_device *dev, const struct hca_definer_attr *attr, struct hca_obj **definer);

#define HCA_PATTERN_MAX_ACTIONS 64
/* actions are 8 bytes each, in device layout, data words already zeroed where they come from an argument. */
int hca_cmd_create_modify_header_pattern(struct hca_device *dev, const uint8_t *actions, uint8_t nb_actions,
					 struct hca_obj **pattern);

/* 2^log_range units of 64 bytes, writable by WQE from queues of this pd. */
int hca_cmd_create_modify_header_arg(struct hca_device *dev, uint32_t pd, uint8_t log_range, struct hca_obj **arg);

#endif
