/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Capabilities of a device as QUERY_HCA_CAP answered, one member per field that somebody above asks for.
 * Members have the manual's names. A group that the device does not have reads as zero.
 */
#ifndef HCA_CAPS_H
#define HCA_CAPS_H

#include <stdbool.h>
#include <stdint.h>

struct hca_device;

struct hca_caps {
	/* group 0, general */
	uint16_t vhca_id;
	bool hca_cap_2, eth_net_offloads, nic_flow_table, eswitch_manager, vport_counters, non_wire_sq;
	bool wqe_based_flow_table_update_cap;
	bool cqe_compression, enhanced_cqe_compression, mini_cqe_resp_flow_tag, mini_cqe_resp_l3_l4_tag, access_register_user;
	bool striding_rq, ext_stride_num_range, rq_delay_drop, wait_on_time;
	bool flow_counter_access_aso, alloc_flow_counter_pd;
	uint8_t flow_access_aso_opc_mod;
	uint8_t cqe_version, port_type, num_ports, steering_format_version;
	uint8_t log_max_cq, log_max_cq_sz, log_max_sq, log_max_rq, log_max_wq_sz, log_max_tir, log_max_tis;
	uint8_t log_max_rqt, log_max_rqt_size;
	uint8_t log_min_stride_sz_rq, log_max_stride_sz_rq;
	uint16_t max_wqe_sz_sq; /* bytes */
	uint8_t sq_ts_format, rq_ts_format; /* 0 free-running, 1 real time, 2 both */
	uint32_t device_frequency_khz;
	uint64_t general_obj_types;
	uint64_t match_definer_format_supported;
	uint32_t max_flow_counter;
	uint8_t flow_counter_bulk_alloc;  /* legacy bitmap */
	uint8_t log_max_flow_counter_bulk;
	uint8_t log_header_modify_argument_granularity; /* granularity offset already subtracted */
	uint8_t log_header_modify_argument_max_alloc;

	/* group 0x20, general 2 */
	bool format_select_dw_8_6_ext;
	uint8_t log_min_stride_wqe_sz; /* log2 bytes of a striding WQE's buffer; 0: not told */
	uint8_t flow_counter_bulk_log_max_alloc, flow_counter_bulk_log_granularity;
	uint8_t encap_entropy_hash_type, flow_table_hash_type;
	uint32_t generate_wqe_type;

	/* group 1, Ethernet offloads */
	struct {
		bool csum_cap, vlan_cap, wqe_vlan_insert, scatter_fcs, swp, self_lb_uc, self_lb_mc;
		bool enhanced_multi_pkt_send_wqe, tunnel_stateless_vxlan, tunnel_stateless_gre, tunnel_stateless_geneve;
		uint8_t multi_pkt_send_wqe;
		uint8_t max_lso_cap;      /* log2 bytes; 0: no TSO */
		uint8_t wqe_inline_mode;  /* 0 L2 must be inlined, 1 ask the vport context, 2 nothing */
		uint8_t rss_ind_tbl_cap;  /* log2 */
	} eth;

	/* groups 7 and 8, flow table properties of NIC receive and transmit */
	struct hca_ft_caps {
		uint8_t max_ft_level;
		bool ft_support, reparse, ignore_flow_level_rtc_valid, cross_vhca_object;
	} nic_rx, nic_tx;
	uint8_t metadata_reg_c; /* bitmap: registers C_0.. usable by modify-header */

	/* group 0x1b, WQE based flow table */
	struct {
		uint8_t log_max_num_ste, log_max_num_stc, log_max_num_rtc, log_max_num_header_modify_pattern;
		uint8_t stc_alloc_log_granularity, stc_alloc_log_max;
		uint8_t ste_alloc_log_granularity, ste_alloc_log_max;
		uint8_t rtc_reparse_mode, rtc_index_mode, rtc_log_depth_max;
		uint8_t max_header_modify_pattern_length; /* in 8-byte actions */
		uint16_t ste_format;
		uint64_t stc_action_type[2]; /* bit n of the 128: STC action type n */
		uint16_t header_insert_type, header_remove_type;
		uint32_t trivial_match_definer;
		uint32_t linear_match_definer_reg_c3;
		uint8_t access_index_mode, rtc_max_num_hash_definer_gen_wqe;
		bool rtc_hash_split_table, rtc_linear_lookup_table;
	} wqe;
};

/* Ask all groups; dev needs only verbs and context. 0, or the error of the first command that failed. */
int hca_caps_query(struct hca_device *dev, struct hca_caps *caps);

#endif
