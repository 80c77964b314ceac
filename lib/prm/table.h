/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Flow tables, groups and entries, flow counters, packet-reformat and modify-header contexts: the steering commands
 * that are not general objects.
 *
 * Sources: hws.md 2.3, 2.10, 2.11; nic.md 1.18; kernel header linux/mlx5/mlx5_ifc.h. Match criteria and values have
 * the layout of fte_match.h.
 */
#ifndef PRM_TABLE_H
#define PRM_TABLE_H

#include "prm/cmd.h"

/* Flow table types. The plain FDB number is for flow tables only, the last three for RTC, STC and STE only. */
enum prm_ft_type {
	PRM_FT_TYPE_NIC_RX = 0x0,
	PRM_FT_TYPE_NIC_TX = 0x1,
	PRM_FT_TYPE_ESW_EGRESS_ACL = 0x2,
	PRM_FT_TYPE_ESW_INGRESS_ACL = 0x3,
	PRM_FT_TYPE_FDB = 0x4,
	PRM_FT_TYPE_SNIFFER_RX = 0x5,
	PRM_FT_TYPE_SNIFFER_TX = 0x6,
	PRM_FT_TYPE_RDMA_RX = 0x7,
	PRM_FT_TYPE_RDMA_TX = 0x8,
	PRM_FT_TYPE_PORT_SEL = 0x9,
	PRM_FT_TYPE_FDB_RX = 0xa,
	PRM_FT_TYPE_FDB_TX = 0xb,
	PRM_FT_TYPE_FDB_UNIFIED = 0xc,
};

/* RTC_ID_* (a table with RTC_VALID) shares its place with the ICM roots of a software-owned table. */
#define PRM_FLOW_TABLE_CONTEXT_FIELDS(F) \
	F(FLOW_TABLE_CONTEXT, REFORMAT_EN,       0x00, 31, 1,  IFC(flow_table_context, reformat_en)) \
	F(FLOW_TABLE_CONTEXT, DECAP_EN,          0x00, 30, 1,  IFC(flow_table_context, decap_en)) \
	F(FLOW_TABLE_CONTEXT, SW_OWNER,          0x00, 29, 1,  IFC(flow_table_context, sw_owner)) \
	F(FLOW_TABLE_CONTEXT, TERMINATION_TABLE, 0x00, 28, 1,  IFC(flow_table_context, termination_table)) \
	F(FLOW_TABLE_CONTEXT, TABLE_MISS_ACTION, 0x00, 27, 4,  IFC(flow_table_context, table_miss_action)) \
	F(FLOW_TABLE_CONTEXT, LEVEL,             0x00, 23, 8,  IFC(flow_table_context, level)) \
	F(FLOW_TABLE_CONTEXT, RTC_VALID,         0x00, 15, 1,  RUN) \
	F(FLOW_TABLE_CONTEXT, LOG_SIZE,          0x00, 7,  8,  IFC(flow_table_context, log_size)) \
	F(FLOW_TABLE_CONTEXT, TABLE_MISS_ID,     0x04, 23, 24, IFC(flow_table_context, table_miss_id)) \
	F(FLOW_TABLE_CONTEXT, LAG_MASTER_NEXT_TABLE_ID, 0x08, 23, 24, \
	  IFC(flow_table_context, lag_master_next_table_id)) \
	F(FLOW_TABLE_CONTEXT, RTC_ID_0,          0x18, 31, 32, RUN) \
	F(FLOW_TABLE_CONTEXT, RTC_ID_1,          0x1c, 31, 32, RUN)
PRM_LAYOUT(FLOW_TABLE_CONTEXT);

enum {
	PRM_FLOW_TABLE_CONTEXT_BYTES = 0x28,
	PRM_FT_MISS_DEFAULT = 0,		/* table_miss_action */
	PRM_FT_MISS_GOTO_TABLE = 1,
	PRM_MODIFY_FT_MISS = 1 << 0,		/* modify_field_select */
	PRM_MODIFY_FT_RTC_ID = 1 << 1,
};

#define PRM_CREATE_FLOW_TABLE_IN_FIELDS(F) \
	F(CREATE_FLOW_TABLE_IN, OTHER_VPORT,        0x08, 31, 1,  IFC(create_flow_table_in, other_vport)) \
	F(CREATE_FLOW_TABLE_IN, VPORT_NUMBER,       0x08, 15, 16, IFC(create_flow_table_in, vport_number)) \
	F(CREATE_FLOW_TABLE_IN, TABLE_TYPE,         0x10, 31, 8,  IFC(create_flow_table_in, table_type)) \
	F(CREATE_FLOW_TABLE_IN, FLOW_TABLE_CONTEXT, 0x18, 31, 0,  IFC(create_flow_table_in, flow_table_context))
PRM_LAYOUT(CREATE_FLOW_TABLE_IN);

#define PRM_CREATE_FLOW_TABLE_OUT_FIELDS(F) \
	F(CREATE_FLOW_TABLE_OUT, TABLE_ID, 0x08, 23, 24, IFC(create_flow_table_out, table_id))
PRM_LAYOUT(CREATE_FLOW_TABLE_OUT);

#define PRM_MODIFY_FLOW_TABLE_IN_FIELDS(F) \
	F(MODIFY_FLOW_TABLE_IN, OTHER_VPORT,         0x08, 31, 1,  IFC(modify_flow_table_in, other_vport)) \
	F(MODIFY_FLOW_TABLE_IN, VPORT_NUMBER,        0x08, 15, 16, IFC(modify_flow_table_in, vport_number)) \
	F(MODIFY_FLOW_TABLE_IN, MODIFY_FIELD_SELECT, 0x0c, 15, 16, IFC(modify_flow_table_in, modify_field_select)) \
	F(MODIFY_FLOW_TABLE_IN, TABLE_TYPE,          0x10, 31, 8,  IFC(modify_flow_table_in, table_type)) \
	F(MODIFY_FLOW_TABLE_IN, TABLE_ID,            0x14, 23, 24, IFC(modify_flow_table_in, table_id)) \
	F(MODIFY_FLOW_TABLE_IN, FLOW_TABLE_CONTEXT,  0x18, 31, 0,  IFC(modify_flow_table_in, flow_table_context))
PRM_LAYOUT(MODIFY_FLOW_TABLE_IN);

/* Destroy and query of a table, and the head of group and entry commands. */
#define PRM_FLOW_TABLE_IN_FIELDS(F) \
	F(FLOW_TABLE_IN, OTHER_VPORT,  0x08, 31, 1,  IFC(destroy_flow_table_in, other_vport)) \
	F(FLOW_TABLE_IN, VPORT_NUMBER, 0x08, 15, 16, IFC(destroy_flow_table_in, vport_number)) \
	F(FLOW_TABLE_IN, TABLE_TYPE,   0x10, 31, 8,  IFC(destroy_flow_table_in, table_type)) \
	F(FLOW_TABLE_IN, TABLE_ID,     0x14, 23, 24, IFC(destroy_flow_table_in, table_id))
PRM_LAYOUT(FLOW_TABLE_IN);

#define PRM_QUERY_FLOW_TABLE_OUT_FIELDS(F) \
	F(QUERY_FLOW_TABLE_OUT, FLOW_TABLE_CONTEXT, 0x18, 31, 0, IFC(query_flow_table_out, flow_table_context))
PRM_LAYOUT(QUERY_FLOW_TABLE_OUT);

#define PRM_SET_FLOW_TABLE_ROOT_IN_FIELDS(F) \
	F(SET_FLOW_TABLE_ROOT_IN, TABLE_TYPE,   0x10, 31, 8,  IFC(set_flow_table_root_in, table_type)) \
	F(SET_FLOW_TABLE_ROOT_IN, TABLE_ID,     0x14, 23, 24, IFC(set_flow_table_root_in, table_id)) \
	F(SET_FLOW_TABLE_ROOT_IN, UNDERLAY_QPN, 0x18, 23, 24, IFC(set_flow_table_root_in, underlay_qpn))
PRM_LAYOUT(SET_FLOW_TABLE_ROOT_IN);

#define PRM_CREATE_FLOW_GROUP_IN_FIELDS(F) \
	F(CREATE_FLOW_GROUP_IN, TABLE_TYPE,            0x10, 31, 8,  IFC(create_flow_group_in, table_type)) \
	F(CREATE_FLOW_GROUP_IN, GROUP_TYPE,            0x10, 19, 4,  IFC(create_flow_group_in, group_type)) \
	F(CREATE_FLOW_GROUP_IN, TABLE_ID,              0x14, 23, 24, IFC(create_flow_group_in, table_id)) \
	F(CREATE_FLOW_GROUP_IN, START_FLOW_INDEX,      0x1c, 31, 32, IFC(create_flow_group_in, start_flow_index)) \
	F(CREATE_FLOW_GROUP_IN, END_FLOW_INDEX,        0x24, 31, 32, IFC(create_flow_group_in, end_flow_index)) \
	F(CREATE_FLOW_GROUP_IN, MATCH_CRITERIA_ENABLE, 0x3c, 7,  8,  IFC(create_flow_group_in, match_criteria_enable)) \
	F(CREATE_FLOW_GROUP_IN, MATCH_CRITERIA,        0x40, 31, 0,  IFC(create_flow_group_in, match_criteria))
PRM_LAYOUT(CREATE_FLOW_GROUP_IN);

#define PRM_CREATE_FLOW_GROUP_OUT_FIELDS(F) \
	F(CREATE_FLOW_GROUP_OUT, GROUP_ID, 0x08, 23, 24, IFC(create_flow_group_out, group_id))
PRM_LAYOUT(CREATE_FLOW_GROUP_OUT);

#define PRM_DESTROY_FLOW_GROUP_IN_FIELDS(F) \
	F(DESTROY_FLOW_GROUP_IN, TABLE_TYPE, 0x10, 31, 8,  IFC(destroy_flow_group_in, table_type)) \
	F(DESTROY_FLOW_GROUP_IN, TABLE_ID,   0x14, 23, 24, IFC(destroy_flow_group_in, table_id)) \
	F(DESTROY_FLOW_GROUP_IN, GROUP_ID,   0x18, 31, 32, IFC(destroy_flow_group_in, group_id))
PRM_LAYOUT(DESTROY_FLOW_GROUP_IN);

#define PRM_SET_FTE_IN_FIELDS(F) \
	F(SET_FTE_IN, TABLE_TYPE,         0x10, 31, 8,  IFC(set_fte_in, table_type)) \
	F(SET_FTE_IN, TABLE_ID,           0x14, 23, 24, IFC(set_fte_in, table_id)) \
	F(SET_FTE_IN, IGNORE_FLOW_LEVEL,  0x18, 31, 1,  IFC(set_fte_in, ignore_flow_level)) \
	F(SET_FTE_IN, MODIFY_ENABLE_MASK, 0x18, 7,  8,  IFC(set_fte_in, modify_enable_mask)) \
	F(SET_FTE_IN, FLOW_INDEX,         0x20, 31, 32, IFC(set_fte_in, flow_index)) \
	F(SET_FTE_IN, FLOW_CONTEXT,       0x40, 31, 0,  IFC(set_fte_in, flow_context))
PRM_LAYOUT(SET_FTE_IN);

#define PRM_DELETE_FTE_IN_FIELDS(F) \
	F(DELETE_FTE_IN, TABLE_TYPE, 0x10, 31, 8,  IFC(delete_fte_in, table_type)) \
	F(DELETE_FTE_IN, TABLE_ID,   0x14, 23, 24, IFC(delete_fte_in, table_id)) \
	F(DELETE_FTE_IN, FLOW_INDEX, 0x20, 31, 32, IFC(delete_fte_in, flow_index))
PRM_LAYOUT(DELETE_FTE_IN);

#define PRM_FLOW_CONTEXT_FIELDS(F) \
	F(FLOW_CONTEXT, PUSH_VLAN,              0x00,  31, 32, IFC(flow_context, push_vlan)) \
	F(FLOW_CONTEXT, GROUP_ID,               0x04,  31, 32, IFC(flow_context, group_id)) \
	F(FLOW_CONTEXT, FLOW_TAG,               0x08,  23, 24, IFC(flow_context, flow_tag)) \
	F(FLOW_CONTEXT, ACTION,                 0x0c,  15, 16, IFC(flow_context, action)) \
	F(FLOW_CONTEXT, EXTENDED_DESTINATION,   0x10,  31, 1,  IFC(flow_context, extended_destination)) \
	F(FLOW_CONTEXT, FLOW_SOURCE,            0x10,  29, 2,  IFC(flow_context, flow_source)) \
	F(FLOW_CONTEXT, ENCRYPT_DECRYPT_TYPE,   0x10,  27, 4,  IFC(flow_context, encrypt_decrypt_type)) \
	F(FLOW_CONTEXT, DESTINATION_LIST_SIZE,  0x10,  23, 24, IFC(flow_context, destination_list_size)) \
	F(FLOW_CONTEXT, FLOW_COUNTER_LIST_SIZE, 0x14,  23, 24, IFC(flow_context, flow_counter_list_size)) \
	F(FLOW_CONTEXT, PACKET_REFORMAT_ID,     0x18,  31, 32, IFC(flow_context, packet_reformat_id)) \
	F(FLOW_CONTEXT, MODIFY_HEADER_ID,       0x1c,  31, 32, IFC(flow_context, modify_header_id)) \
	F(FLOW_CONTEXT, PUSH_VLAN_2,            0x20,  31, 32, IFC(flow_context, push_vlan_2)) \
	F(FLOW_CONTEXT, ENCRYPT_DECRYPT_OBJ_ID, 0x24,  31, 32, IFC(flow_context, encrypt_decrypt_obj_id)) \
	F(FLOW_CONTEXT, MATCH_VALUE,            0x40,  31, 0,  IFC(flow_context, match_value)) \
	F(FLOW_CONTEXT, DESTINATION,            0x300, 31, 0,  IFC_AT(flow_context, destination))
PRM_LAYOUT(FLOW_CONTEXT);

#define PRM_DEST_FORMAT_FIELDS(F) \
	F(DEST_FORMAT, DESTINATION_TYPE, 0x00, 31, 8,  IFC(dest_format_struct, destination_type)) \
	F(DEST_FORMAT, DESTINATION_ID,   0x00, 23, 24, IFC(dest_format_struct, destination_id)) \
	F(DEST_FORMAT, DESTINATION_ESWITCH_OWNER_VHCA_ID_VALID, 0x04, 31, 1, \
	  IFC(dest_format_struct, destination_eswitch_owner_vhca_id_valid)) \
	F(DEST_FORMAT, PACKET_REFORMAT,  0x04, 30, 1,  IFC(dest_format_struct, packet_reformat)) \
	F(DEST_FORMAT, DESTINATION_ESWITCH_OWNER_VHCA_ID, 0x04, 15, 16, \
	  IFC(dest_format_struct, destination_eswitch_owner_vhca_id)) \
	F(DEST_FORMAT, PACKET_REFORMAT_ID, 0x08, 31, 32, IFC(extended_dest_format, packet_reformat_id))
PRM_LAYOUT(DEST_FORMAT);

enum {
	PRM_CREATE_FLOW_TABLE_IN_BYTES = 0x40,
	PRM_MODIFY_FLOW_TABLE_IN_BYTES = 0x40,
	PRM_FLOW_TABLE_IN_BYTES = 0x40,
	PRM_QUERY_FLOW_TABLE_OUT_BYTES = 0x40,
	PRM_CREATE_FLOW_GROUP_IN_BYTES = 0x400,
	PRM_DESTROY_FLOW_GROUP_IN_BYTES = 0x40,
	PRM_SET_FTE_IN_BYTES = 0x340,		/* plus the destinations */
	PRM_DELETE_FTE_IN_BYTES = 0x40,
	PRM_FLOW_CONTEXT_BYTES = 0x300,
	PRM_DEST_FORMAT_BYTES = 8,
	PRM_EXTENDED_DEST_FORMAT_BYTES = 16,

	PRM_FLOW_ACTION_ALLOW = 1 << 0,		/* flow_context.action */
	PRM_FLOW_ACTION_DROP = 1 << 1,
	PRM_FLOW_ACTION_FWD_DEST = 1 << 2,
	PRM_FLOW_ACTION_COUNT = 1 << 3,
	PRM_FLOW_ACTION_PACKET_REFORMAT = 1 << 4,
	PRM_FLOW_ACTION_DECAP = 1 << 5,
	PRM_FLOW_ACTION_MODIFY_HEADER = 1 << 6,
	PRM_FLOW_ACTION_VLAN_POP = 1 << 7,
	PRM_FLOW_ACTION_VLAN_PUSH = 1 << 8,

	PRM_DEST_TYPE_VPORT = 0x0,		/* destination_type */
	PRM_DEST_TYPE_FLOW_TABLE = 0x1,
	PRM_DEST_TYPE_TIR = 0x2,
	PRM_DEST_TYPE_SAMPLER = 0x6,
	PRM_DEST_TYPE_UPLINK = 0x8,
	PRM_DEST_TYPE_TABLE_TYPE = 0xa,
	PRM_DEST_TYPE_NOWHERE = 0xb,

	PRM_FLOW_SOURCE_ANY = 0,
	PRM_FLOW_SOURCE_UPLINK = 1,
	PRM_FLOW_SOURCE_LOCAL_VPORT = 2,
	PRM_VPORT_UPLINK = 0xffff,
};

/* Flow counters. Counter k of a bulk is flow_counter_id + k. */
#define PRM_ALLOC_FLOW_COUNTER_IN_FIELDS(F) \
	F(ALLOC_FLOW_COUNTER_IN, PD,                         0x08, 23, 24, RUN) \
	F(ALLOC_FLOW_COUNTER_IN, FLOW_COUNTER_BULK_LOG_SIZE, 0x0c, 12, 5, \
	  IFC(alloc_flow_counter_in, flow_counter_bulk_log_size)) \
	F(ALLOC_FLOW_COUNTER_IN, FLOW_COUNTER_BULK,          0x0c, 7,  8, IFC(alloc_flow_counter_in, flow_counter_bulk))
PRM_LAYOUT(ALLOC_FLOW_COUNTER_IN);

#define PRM_ALLOC_FLOW_COUNTER_OUT_FIELDS(F) \
	F(ALLOC_FLOW_COUNTER_OUT, FLOW_COUNTER_ID, 0x08, 31, 32, IFC(alloc_flow_counter_out, flow_counter_id))
PRM_LAYOUT(ALLOC_FLOW_COUNTER_OUT);

#define PRM_DEALLOC_FLOW_COUNTER_IN_FIELDS(F) \
	F(DEALLOC_FLOW_COUNTER_IN, FLOW_COUNTER_ID, 0x08, 31, 32, IFC(dealloc_flow_counter_in, flow_counter_id))
PRM_LAYOUT(DEALLOC_FLOW_COUNTER_IN);

#define PRM_QUERY_FLOW_COUNTER_IN_FIELDS(F) \
	F(QUERY_FLOW_COUNTER_IN, MKEY,            0x0c, 31, 32, NONE) \
	F(QUERY_FLOW_COUNTER_IN, ADDRESS,         0x10, 31, 64, NONE) \
	F(QUERY_FLOW_COUNTER_IN, CLEAR,           0x18, 31, 1,  IFC(query_flow_counter_in, clear)) \
	F(QUERY_FLOW_COUNTER_IN, DUMP_TO_MEMORY,  0x18, 30, 1,  NONE) \
	F(QUERY_FLOW_COUNTER_IN, NUM_OF_COUNTERS, 0x18, 29, 30, NONE) \
	F(QUERY_FLOW_COUNTER_IN, FLOW_COUNTER_ID, 0x1c, 31, 32, IFC(query_flow_counter_in, flow_counter_id))
PRM_LAYOUT(QUERY_FLOW_COUNTER_IN);

#define PRM_QUERY_FLOW_COUNTER_OUT_FIELDS(F) \
	F(QUERY_FLOW_COUNTER_OUT, FLOW_STATISTICS, 0x10, 31, 0, IFC_AT(query_flow_counter_out, flow_statistics))
PRM_LAYOUT(QUERY_FLOW_COUNTER_OUT);

#define PRM_TRAFFIC_COUNTER_FIELDS(F) \
	F(TRAFFIC_COUNTER, PACKETS, 0x00, 31, 64, IFC(traffic_counter, packets)) \
	F(TRAFFIC_COUNTER, OCTETS,  0x08, 31, 64, IFC(traffic_counter, octets))
PRM_LAYOUT(TRAFFIC_COUNTER);

enum {
	PRM_QUERY_FLOW_COUNTER_IN_BYTES = 0x20,
	PRM_TRAFFIC_COUNTER_BYTES = 0x10,
	PRM_COUNTERS_PER_ASO = 4,		/* counters that one ASO read covers */
};

/* Packet reformat context. REFORMAT_DATA begins in the middle of dword 1 and runs on. */
#define PRM_PACKET_REFORMAT_CONTEXT_FIELDS(F) \
	F(PACKET_REFORMAT_CONTEXT, REFORMAT_TYPE,      0x00, 31, 8,  IFC(packet_reformat_context_in, reformat_type)) \
	F(PACKET_REFORMAT_CONTEXT, REFORMAT_PARAM_0,   0x00, 19, 4,  IFC(packet_reformat_context_in, reformat_param_0)) \
	F(PACKET_REFORMAT_CONTEXT, REFORMAT_DATA_SIZE, 0x00, 9,  10, IFC(packet_reformat_context_in, reformat_data_size)) \
	F(PACKET_REFORMAT_CONTEXT, REFORMAT_PARAM_1,   0x04, 31, 8,  IFC(packet_reformat_context_in, reformat_param_1))
PRM_LAYOUT(PACKET_REFORMAT_CONTEXT);

#define PRM_ALLOC_PACKET_REFORMAT_IN_FIELDS(F) \
	F(ALLOC_PACKET_REFORMAT_IN, PACKET_REFORMAT_CONTEXT, 0x1c, 31, 0, \
	  IFC(alloc_packet_reformat_context_in, packet_reformat_context))
PRM_LAYOUT(ALLOC_PACKET_REFORMAT_IN);

#define PRM_ALLOC_PACKET_REFORMAT_OUT_FIELDS(F) \
	F(ALLOC_PACKET_REFORMAT_OUT, PACKET_REFORMAT_ID, 0x08, 31, 32, \
	  IFC(alloc_packet_reformat_context_out, packet_reformat_id))
PRM_LAYOUT(ALLOC_PACKET_REFORMAT_OUT);

#define PRM_DEALLOC_PACKET_REFORMAT_IN_FIELDS(F) \
	F(DEALLOC_PACKET_REFORMAT_IN, PACKET_REFORMAT_ID, 0x08, 31, 32, \
	  IFC(dealloc_packet_reformat_context_in, packet_reformat_id))
PRM_LAYOUT(DEALLOC_PACKET_REFORMAT_IN);

enum {
	PRM_PACKET_REFORMAT_DATA = 6,		/* byte offset of the data in the context */
	PRM_REFORMAT_L2_TO_VXLAN = 0x0,
	PRM_REFORMAT_L2_TO_NVGRE = 0x1,
	PRM_REFORMAT_L2_TO_L2_TUNNEL = 0x2,
	PRM_REFORMAT_L3_TUNNEL_TO_L2 = 0x3,
	PRM_REFORMAT_L2_TO_L3_TUNNEL = 0x4,
	PRM_REFORMAT_INSERT_HDR = 0xf,
	PRM_REFORMAT_REMOVE_HDR = 0x10,
};

/* Modify-header context of entries of ordinary tables; its actions are the words of object.h with data in place. */
#define PRM_ALLOC_MODIFY_HEADER_IN_FIELDS(F) \
	F(ALLOC_MODIFY_HEADER_IN, TABLE_TYPE,     0x0c, 31, 8, IFC(alloc_modify_header_context_in, table_type)) \
	F(ALLOC_MODIFY_HEADER_IN, NUM_OF_ACTIONS, 0x0c, 7,  8, IFC(alloc_modify_header_context_in, num_of_actions)) \
	F(ALLOC_MODIFY_HEADER_IN, ACTIONS,        0x10, 31, 0, IFC_AT(alloc_modify_header_context_in, actions))
PRM_LAYOUT(ALLOC_MODIFY_HEADER_IN);

#define PRM_ALLOC_MODIFY_HEADER_OUT_FIELDS(F) \
	F(ALLOC_MODIFY_HEADER_OUT, MODIFY_HEADER_ID, 0x08, 31, 32, \
	  IFC(alloc_modify_header_context_out, modify_header_id))
PRM_LAYOUT(ALLOC_MODIFY_HEADER_OUT);

#endif
