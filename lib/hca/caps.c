/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/caps.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd.h"
#include "prm/cap.h"

/*
 * One capability: its group, where its layout begins in the group's page, the field, and the member it
 * fills.
 */
struct cap_row {
	uint8_t group;
	uint16_t base;
	int field;
	uint16_t member;
	uint8_t size;
};

#define MEMBER(m) (uint16_t)offsetof(struct hca_caps, m), sizeof(((struct hca_caps *)0)->m)
#define ROW(group, field, member) { PRM_CAP_GROUP_##group, 0, PRM_##field, MEMBER(member) }
#define NESTED(group, area, field, member) \
	{ PRM_CAP_GROUP_##group, (uint16_t)((uint32_t)PRM_##area >> 16), PRM_##field, MEMBER(member) }

static const struct cap_row cap_rows[] = {
	ROW(GENERAL, CAP_HCA_CAP_2, hca_cap_2),
	ROW(GENERAL, CAP_VHCA_ID, vhca_id),
	ROW(GENERAL, CAP_ETH_NET_OFFLOADS, eth_net_offloads),
	ROW(GENERAL, CAP_NIC_FLOW_TABLE, nic_flow_table),
	ROW(GENERAL, CAP_ESWITCH_MANAGER, eswitch_manager),
	ROW(GENERAL, CAP_VPORT_COUNTERS, vport_counters),
	ROW(GENERAL, CAP_NON_WIRE_SQ, non_wire_sq),
	ROW(GENERAL, CAP_WQE_BASED_FLOW_TABLE_UPDATE, wqe_based_flow_table_update_cap),
	ROW(GENERAL, CAP_CQE_COMPRESSION, cqe_compression),
	ROW(GENERAL, CAP_ENHANCED_CQE_COMPRESSION, enhanced_cqe_compression),
	ROW(GENERAL, CAP_MINI_CQE_RESP_FLOW_TAG, mini_cqe_resp_flow_tag),
	ROW(GENERAL, CAP_MINI_CQE_RESP_L3_L4_TAG, mini_cqe_resp_l3_l4_tag),
	ROW(GENERAL, CAP_ACCESS_REGISTER_USER, access_register_user),
	ROW(GENERAL, CAP_STRIDING_RQ, striding_rq),
	ROW(GENERAL, CAP_EXT_STRIDE_NUM_RANGE, ext_stride_num_range),
	ROW(GENERAL, CAP_RQ_DELAY_DROP, rq_delay_drop),
	ROW(GENERAL, CAP_FLOW_COUNTER_ACCESS_ASO, flow_counter_access_aso),
	ROW(GENERAL, CAP_FLOW_ACCESS_ASO_OPC_MOD, flow_access_aso_opc_mod),
	ROW(GENERAL, CAP_ALLOC_FLOW_COUNTER_PD, alloc_flow_counter_pd),
	ROW(GENERAL, CAP_CQE_VERSION, cqe_version),
	ROW(GENERAL, CAP_PORT_TYPE, port_type),
	ROW(GENERAL, CAP_NUM_PORTS, num_ports),
	ROW(GENERAL, CAP_STEERING_FORMAT_VERSION, steering_format_version),
	ROW(GENERAL, CAP_LOG_MAX_CQ, log_max_cq),
	ROW(GENERAL, CAP_LOG_MAX_CQ_SZ, log_max_cq_sz),
	ROW(GENERAL, CAP_LOG_MAX_SQ, log_max_sq),
	ROW(GENERAL, CAP_LOG_MAX_RQ, log_max_rq),
	ROW(GENERAL, CAP_LOG_MAX_WQ_SZ, log_max_wq_sz),
	ROW(GENERAL, CAP_LOG_MAX_TIR, log_max_tir),
	ROW(GENERAL, CAP_LOG_MAX_TIS, log_max_tis),
	ROW(GENERAL, CAP_LOG_MAX_RQT, log_max_rqt),
	ROW(GENERAL, CAP_LOG_MAX_RQT_SIZE, log_max_rqt_size),
	ROW(GENERAL, CAP_LOG_MIN_STRIDE_SZ_RQ, log_min_stride_sz_rq),
	ROW(GENERAL, CAP_LOG_MAX_STRIDE_SZ_RQ, log_max_stride_sz_rq),
	ROW(GENERAL, CAP_MAX_WQE_SZ_SQ, max_wqe_sz_sq),
	ROW(GENERAL, CAP_WAIT_ON_TIME, wait_on_time),
	ROW(GENERAL, CAP_SQ_TS_FORMAT, sq_ts_format),
	ROW(GENERAL, CAP_RQ_TS_FORMAT, rq_ts_format),
	ROW(GENERAL, CAP_DEVICE_FREQUENCY_KHZ, device_frequency_khz),
	ROW(GENERAL, CAP_GENERAL_OBJ_TYPES, general_obj_types),
	ROW(GENERAL, CAP_MATCH_DEFINER_FORMAT_SUPPORTED, match_definer_format_supported),
	ROW(GENERAL, CAP_FLOW_COUNTER_BULK_ALLOC, flow_counter_bulk_alloc),
	ROW(GENERAL, CAP_LOG_MAX_FLOW_COUNTER_BULK, log_max_flow_counter_bulk),
	ROW(GENERAL, CAP_LOG_HEADER_MODIFY_ARGUMENT_GRANULARITY, log_header_modify_argument_granularity),
	ROW(GENERAL, CAP_LOG_HEADER_MODIFY_ARGUMENT_MAX_ALLOC, log_header_modify_argument_max_alloc),

	ROW(GENERAL_2, CAP2_LOG_MIN_STRIDE_WQE_SZ, log_min_stride_wqe_sz),
	ROW(GENERAL_2, CAP2_FORMAT_SELECT_DW_8_6_EXT, format_select_dw_8_6_ext),
	ROW(GENERAL_2, CAP2_FLOW_COUNTER_BULK_LOG_MAX_ALLOC, flow_counter_bulk_log_max_alloc),
	ROW(GENERAL_2, CAP2_FLOW_COUNTER_BULK_LOG_GRANULARITY, flow_counter_bulk_log_granularity),
	ROW(GENERAL_2, CAP2_ENCAP_ENTROPY_HASH_TYPE, encap_entropy_hash_type),
	ROW(GENERAL_2, CAP2_FLOW_TABLE_HASH_TYPE, flow_table_hash_type),
	ROW(GENERAL_2, CAP2_GENERATE_WQE_TYPE, generate_wqe_type),

	ROW(ETH, CAP_ETH_CSUM_CAP, eth.csum_cap),
	ROW(ETH, CAP_ETH_VLAN_CAP, eth.vlan_cap),
	ROW(ETH, CAP_ETH_WQE_VLAN_INSERT, eth.wqe_vlan_insert),
	ROW(ETH, CAP_ETH_SCATTER_FCS, eth.scatter_fcs),
	ROW(ETH, CAP_ETH_SWP, eth.swp),
	ROW(ETH, CAP_ETH_SELF_LB_UC, eth.self_lb_uc),
	ROW(ETH, CAP_ETH_SELF_LB_MC, eth.self_lb_mc),
	ROW(ETH, CAP_ETH_ENHANCED_MULTI_PKT_SEND_WQE, eth.enhanced_multi_pkt_send_wqe),
	ROW(ETH, CAP_ETH_TUNNEL_STATELESS_VXLAN, eth.tunnel_stateless_vxlan),
	ROW(ETH, CAP_ETH_TUNNEL_STATELESS_GRE, eth.tunnel_stateless_gre),
	ROW(ETH, CAP_ETH_TUNNEL_STATELESS_GENEVE_RX, eth.tunnel_stateless_geneve),
	ROW(ETH, CAP_ETH_MULTI_PKT_SEND_WQE, eth.multi_pkt_send_wqe),
	ROW(ETH, CAP_ETH_MAX_LSO_CAP, eth.max_lso_cap),
	ROW(ETH, CAP_ETH_WQE_INLINE_MODE, eth.wqe_inline_mode),
	ROW(ETH, CAP_ETH_RSS_IND_TBL_CAP, eth.rss_ind_tbl_cap),

	NESTED(NIC_FT, CAP_NIC_FT_NIC_RECEIVE, FT_PROP_FT_SUPPORT, nic_rx.ft_support),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_RECEIVE, FT_PROP_MAX_FT_LEVEL, nic_rx.max_ft_level),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_RECEIVE, FT_PROP_REPARSE, nic_rx.reparse),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_RECEIVE, FT_PROP_IGNORE_FLOW_LEVEL_RTC_VALID,
	       nic_rx.ignore_flow_level_rtc_valid),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_RECEIVE, FT_PROP_CROSS_VHCA_OBJECT, nic_rx.cross_vhca_object),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_TRANSMIT, FT_PROP_FT_SUPPORT, nic_tx.ft_support),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_TRANSMIT, FT_PROP_MAX_FT_LEVEL, nic_tx.max_ft_level),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_TRANSMIT, FT_PROP_REPARSE, nic_tx.reparse),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_TRANSMIT, FT_PROP_IGNORE_FLOW_LEVEL_RTC_VALID,
	       nic_tx.ignore_flow_level_rtc_valid),
	NESTED(NIC_FT, CAP_NIC_FT_NIC_TRANSMIT, FT_PROP_CROSS_VHCA_OBJECT, nic_tx.cross_vhca_object),
	NESTED(NIC_FT, CAP_NIC_FT_HEADER_MODIFY_NIC_RECEIVE, HEADER_MODIFY_CAP_METADATA_REG_C_X, metadata_reg_c),

	ROW(WQE_FT, CAP_WQE_FT_LOG_MAX_NUM_STE, wqe.log_max_num_ste),
	ROW(WQE_FT, CAP_WQE_FT_LOG_MAX_NUM_STC, wqe.log_max_num_stc),
	ROW(WQE_FT, CAP_WQE_FT_LOG_MAX_NUM_RTC, wqe.log_max_num_rtc),
	ROW(WQE_FT, CAP_WQE_FT_LOG_MAX_NUM_HEADER_MODIFY_PATTERN, wqe.log_max_num_header_modify_pattern),
	ROW(WQE_FT, CAP_WQE_FT_STC_ALLOC_LOG_GRANULARITY, wqe.stc_alloc_log_granularity),
	ROW(WQE_FT, CAP_WQE_FT_STC_ALLOC_LOG_MAX, wqe.stc_alloc_log_max),
	ROW(WQE_FT, CAP_WQE_FT_STE_ALLOC_LOG_GRANULARITY, wqe.ste_alloc_log_granularity),
	ROW(WQE_FT, CAP_WQE_FT_STE_ALLOC_LOG_MAX, wqe.ste_alloc_log_max),
	ROW(WQE_FT, CAP_WQE_FT_RTC_REPARSE_MODE, wqe.rtc_reparse_mode),
	ROW(WQE_FT, CAP_WQE_FT_RTC_INDEX_MODE, wqe.rtc_index_mode),
	ROW(WQE_FT, CAP_WQE_FT_RTC_LOG_DEPTH_MAX, wqe.rtc_log_depth_max),
	ROW(WQE_FT, CAP_WQE_FT_MAX_HEADER_MODIFY_PATTERN_LENGTH, wqe.max_header_modify_pattern_length),
	ROW(WQE_FT, CAP_WQE_FT_STE_FORMAT, wqe.ste_format),
	ROW(WQE_FT, CAP_WQE_FT_STC_ACTION_TYPE_63_0, wqe.stc_action_type[0]),
	ROW(WQE_FT, CAP_WQE_FT_STC_ACTION_TYPE_127_64, wqe.stc_action_type[1]),
	ROW(WQE_FT, CAP_WQE_FT_HEADER_INSERT_TYPE, wqe.header_insert_type),
	ROW(WQE_FT, CAP_WQE_FT_HEADER_REMOVE_TYPE, wqe.header_remove_type),
	ROW(WQE_FT, CAP_WQE_FT_TRIVIAL_MATCH_DEFINER, wqe.trivial_match_definer),
	ROW(WQE_FT, CAP_WQE_FT_LINEAR_MATCH_DEFINER_REG_C3, wqe.linear_match_definer_reg_c3),
	ROW(WQE_FT, CAP_WQE_FT_ACCESS_INDEX_MODE, wqe.access_index_mode),
	ROW(WQE_FT, CAP_WQE_FT_RTC_MAX_NUM_HASH_DEFINER_GEN_WQE, wqe.rtc_max_num_hash_definer_gen_wqe),
	ROW(WQE_FT, CAP_WQE_FT_RTC_HASH_SPLIT_TABLE, wqe.rtc_hash_split_table),
	ROW(WQE_FT, CAP_WQE_FT_RTC_LINEAR_LOOKUP_TABLE, wqe.rtc_linear_lookup_table),
};

/* Members are of 1, 2, 4 or 8 bytes; booleans are 1. */
static void
store(void *member, uint8_t size, uint64_t value)
{
	uint8_t v8 = (uint8_t)value;
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;
	const void *from = size == 1 ? (void *)&v8 : size == 2 ? (void *)&v16 : size == 4 ? (void *)&v32 : &value;

	memcpy(member, from, size);
}

static void
parse_group(struct hca_caps *caps, uint8_t group, const uint8_t *page)
{
	for (size_t i = 0; i < sizeof(cap_rows) / sizeof(cap_rows[0]); i++) {
		const struct cap_row *row = &cap_rows[i];
		const uint8_t *layout = page + row->base;

		if (row->group != group)
			continue;
		store((uint8_t *)caps + row->member, row->size,
		      prm_width(row->field) == 64 ? prm_get64(layout, row->field) : prm_get(layout, row->field));
	}
}

/* Members that are made of two fields. */
static void
parse_general_rest(struct hca_caps *caps, const uint8_t *page)
{
	uint32_t offset = prm_get(page, PRM_CAP_LOG_HEADER_MODIFY_ARGUMENT_GRANULARITY_OFFSET);

	caps->max_flow_counter = prm_get(page, PRM_CAP_MAX_FLOW_COUNTER_31_16) << 16 |
		prm_get(page, PRM_CAP_MAX_FLOW_COUNTER_15_0);
	caps->log_header_modify_argument_granularity -= offset < caps->log_header_modify_argument_granularity ?
		offset : caps->log_header_modify_argument_granularity;
}

static int
query_group(struct hca_device *dev, uint8_t group, struct hca_caps *caps, uint8_t *out)
{
	uint8_t in[PRM_CMD_HDR_BYTES] = { 0 };
	const uint8_t *page;
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD, (uint32_t)group << 1 | PRM_CAP_MODE_CURRENT);
	ret = hca_cmd_general(dev, in, sizeof(in), out, PRM_QUERY_HCA_CAP_OUT_BYTES);
	if (ret != 0)
		return ret;
	page = prm_area(out, PRM_QUERY_HCA_CAP_OUT_CAPABILITY);
	parse_group(caps, group, page);
	if (group == PRM_CAP_GROUP_GENERAL)
		parse_general_rest(caps, page);
	return 0;
}

int
hca_caps_query(struct hca_device *dev, struct hca_caps *caps)
{
	uint8_t *out = calloc(1, PRM_QUERY_HCA_CAP_OUT_BYTES);
	int ret;

	if (out == NULL)
		return -ENOMEM;
	memset(caps, 0, sizeof(*caps));
	ret = query_group(dev, PRM_CAP_GROUP_GENERAL, caps, out);
	if (ret == 0 && caps->hca_cap_2)
		ret = query_group(dev, PRM_CAP_GROUP_GENERAL_2, caps, out);
	if (ret == 0 && caps->eth_net_offloads)
		ret = query_group(dev, PRM_CAP_GROUP_ETH, caps, out);
	if (ret == 0 && caps->nic_flow_table)
		ret = query_group(dev, PRM_CAP_GROUP_NIC_FT, caps, out);
	if (ret == 0 && caps->wqe_based_flow_table_update_cap)
		ret = query_group(dev, PRM_CAP_GROUP_WQE_FT, caps, out);
	free(out);
	return ret;
}
