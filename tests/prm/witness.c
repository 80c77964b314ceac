/* SPDX-License-Identifier: BSD-3-Clause */

#include "witness.h"

#include <infiniband/mlx5dv.h>

#ifdef IFC_HEADER
typedef uint8_t u8;
#define BIT(n) (1u << (n))
#define BIT_ULL(n) (1ull << (n))
#include IFC_HEADER
/* In the kernel's structures one byte stands for one bit, so offsets and sizes are bits. */
#define IFC(s, f) PRM_WITNESS_IFC, #s "." #f, offsetof(struct mlx5_ifc_##s##_bits, f), \
	sizeof(((struct mlx5_ifc_##s##_bits *)0)->f)
#define IFC_AT(s, f) PRM_WITNESS_IFC, #s "." #f, offsetof(struct mlx5_ifc_##s##_bits, f), 0
#define IFC_BYTES(s) (sizeof(struct mlx5_ifc_##s##_bits) / 8)
const char *const witness_missing;
#else
#define IFC(s, f) PRM_WITNESS_IFC, #s "." #f, 0, 0
#define IFC_AT(s, f) IFC(s, f)
#define IFC_BYTES(s) 0
const char *const witness_missing =
	"linux/mlx5/mlx5_ifc.h was not found when this test was built: install linux-headers-amd64 and configure again";
#endif

#define DV(s, f) PRM_WITNESS_DV, #s "." #f, offsetof(struct s, f) * 8, sizeof(((struct s *)0)->f) * 8
#define RUN PRM_WITNESS_RUN, "", 0, 0
#define NONE PRM_WITNESS_NONE, "", 0, 0

/* After the kernel's header, whose enumerators and members the columns name. */
#include "prm/all.h"

#define ROW(layout, name, off, hi, width, witness) { #layout, #name, PRM_FIELD(off, hi, width), witness },
#define ROWS(layout) PRM_##layout##_FIELDS(ROW)

const struct witness_row witness_rows[] = { PRM_LAYOUTS(ROWS) };
const size_t nb_witness_rows = sizeof(witness_rows) / sizeof(witness_rows[0]);

#define SIZE(constant, s) { #s, PRM_##constant##_BYTES, IFC_BYTES(s) },

const struct witness_size witness_sizes[] = {
	SIZE(CQC, cqc)
	SIZE(WQ, wq)
	SIZE(SQC, sqc)
	SIZE(RQC, rqc)
	SIZE(RQTC, rqtc)
	SIZE(TIRC, tirc)
	SIZE(TISC, tisc)
	SIZE(MKC, mkc)
	SIZE(CREATE_CQ_IN, create_cq_in)
	SIZE(MODIFY_CQ_IN, modify_cq_in)
	SIZE(QUERY_CQ_OUT, query_cq_out)
	SIZE(CREATE_SQ_IN, create_sq_in)
	SIZE(MODIFY_SQ_IN, modify_sq_in)
	SIZE(QUERY_SQ_OUT, query_sq_out)
	SIZE(CREATE_RQ_IN, create_rq_in)
	SIZE(MODIFY_RQ_IN, modify_rq_in)
	SIZE(QUERY_RQ_OUT, query_rq_out)
	SIZE(CREATE_RQT_IN, create_rqt_in)
	SIZE(MODIFY_RQT_IN, modify_rqt_in)
	SIZE(CREATE_TIR_IN, create_tir_in)
	SIZE(MODIFY_TIR_IN, modify_tir_in)
	SIZE(QUERY_TIR_OUT, query_tir_out)
	SIZE(CREATE_TIS_IN, create_tis_in)
	SIZE(CREATE_MKEY_IN, create_mkey_in)
	SIZE(NIC_VPORT_CONTEXT, nic_vport_context)
	SIZE(VNIC_ENV, vnic_diagnostic_statistics)
	SIZE(QUERY_Q_COUNTER_IN, query_q_counter_in)
	SIZE(QUERY_Q_COUNTER_OUT, query_q_counter_out)
	SIZE(QUERY_VPORT_COUNTER_IN, query_vport_counter_in)
	SIZE(QUERY_VPORT_COUNTER_OUT, query_vport_counter_out)
	SIZE(PMTU, pmtu_reg)
	SIZE(PTYS, ptys_reg)
	SIZE(PAOS, paos_reg)
	SIZE(PPCNT, ppcnt_reg)
	SIZE(FLOW_TABLE_CONTEXT, flow_table_context)
	SIZE(CREATE_FLOW_TABLE_IN, create_flow_table_in)
	SIZE(MODIFY_FLOW_TABLE_IN, modify_flow_table_in)
	SIZE(FLOW_TABLE_IN, destroy_flow_table_in)
	SIZE(CREATE_FLOW_GROUP_IN, create_flow_group_in)
	SIZE(DESTROY_FLOW_GROUP_IN, destroy_flow_group_in)
	SIZE(SET_FTE_IN, set_fte_in)
	SIZE(DELETE_FTE_IN, delete_fte_in)
	SIZE(FLOW_CONTEXT, flow_context)
	SIZE(DEST_FORMAT, dest_format_struct)
	SIZE(EXTENDED_DEST_FORMAT, extended_dest_format)
	SIZE(QUERY_FLOW_COUNTER_IN, query_flow_counter_in)
	SIZE(TRAFFIC_COUNTER, traffic_counter)
	SIZE(DEFINER, match_definer)
	SIZE(FLOW_METER, flow_meter_parameters)
	SIZE(ASO_OBJ, flow_meter_aso_obj)
	SIZE(MODIFY_ACTION, set_action_in)
	SIZE(MODIFY_ACTION, copy_action_in)
	SIZE(FTE_MATCH, fte_match_param)
};
const size_t nb_witness_sizes = sizeof(witness_sizes) / sizeof(witness_sizes[0]);
