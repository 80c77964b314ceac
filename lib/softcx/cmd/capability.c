/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the device can do, one row per PRM field with its value on each model; fields without a row are 0.
 * Rule: a row stands here only when the device carries it out.
 *
 * Nothing is settable (SET_HCA_CAP is the kernel's), so current and maximum are the same.
 * Sources: nic.md 1.3, hws.md 1, verbs-abi.md (c).
 */
#include "softcx/cmd/capability.h"

#include <stdbool.h>
#include <stddef.h>

#include "prm/cap.h"
#include "prm/object.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/settings.h"
#include "softcx/nic/nic.h"
#include "softcx/steer/steer.h"

#define MODELS 2 /* columns: cx7, cx6dx */

struct cap_row {
	uint8_t group;
	uint16_t base; /* of a nested layout inside the page */
	int field;
	uint64_t value[MODELS];
	/* where it depends on the port; NULL: value */
	uint64_t (*ask)(const struct sc_device *dev);
};

#define BOTH(v)      { (v), (v) }
#define GENERAL(f, ...)  { PRM_CAP_GROUP_GENERAL, 0, PRM_CAP_##f, __VA_ARGS__ }
#define GENERAL2(f, ...) { PRM_CAP_GROUP_GENERAL_2, 0, PRM_CAP2_##f, __VA_ARGS__ }
#define ETH(f, ...)      { PRM_CAP_GROUP_ETH, 0, PRM_CAP_ETH_##f, __VA_ARGS__ }
#define WQE_FT(f, ...)   { PRM_CAP_GROUP_WQE_FT, 0, PRM_CAP_WQE_FT_##f, __VA_ARGS__ }
#define NIC_FT(at, f, ...) { PRM_CAP_GROUP_NIC_FT, at, PRM_##f, __VA_ARGS__ }

/* nested layouts of the NIC flow table page */
#define RX_PROP   0x40
#define TX_PROP   0x100
#define RX_MODIFY 0x200
#define TX_MODIFY 0x380

#define LOG_MAX_OBJECTS 16

/* STC actions of both models, as bits of stc_action_type */
#define STC(action) (UINT64_C(1) << PRM_STC_ACTION_##action)
#define STC_ACTIONS \
	(STC(NOP) | STC(COPY) | STC(SET) | STC(ADD) | STC(REMOVE_WORDS) | STC(HEADER_REMOVE) | STC(HEADER_INSERT) | \
	 STC(TAG) | STC(ACC_MODIFY_LIST) | STC(COUNTER))
/* the second word begins at type 0x80 */
#define STC_HIT(action) (UINT64_C(1) << (PRM_STC_ACTION_##action - 0x80))
#define STC_HITS \
	(STC_HIT(JUMP_TO_STE_TABLE) | STC_HIT(JUMP_TO_TIR) | STC_HIT(JUMP_TO_FT) | STC_HIT(DROP) | STC_HIT(ALLOW))

static uint64_t
vhca_id(const struct sc_device *dev)
{
	return dev->index;
}

static uint64_t
log_max_wq_sz(const struct sc_device *dev)
{
	return dev->settings->log_max_wq_sz;
}

static uint64_t
log_max_cq_sz(const struct sc_device *dev)
{
	return dev->settings->log_max_cq_sz;
}

static uint64_t
ts_format(const struct sc_device *dev)
{
	return dev->settings->ts_format;
}

static uint64_t
cqe_comp_us(const struct sc_device *dev)
{
	return dev->settings->cqe_comp_us;
}

#define ASK(function) BOTH(0), function

static const struct cap_row rows[] = {
	/* ---- general ---- */
	GENERAL(HCA_CAP_2, BOTH(1)),
	GENERAL(VHCA_ID, ASK(vhca_id)),
	GENERAL(PORT_TYPE, BOTH(1)), /* Ethernet */
	GENERAL(NUM_PORTS, BOTH(1)),
	GENERAL(NATIVE_PORT_NUM, BOTH(1)),
	GENERAL(NUM_VHCA_PORTS, BOTH(1)),
	GENERAL(ETH_NET_OFFLOADS, BOTH(1)),
	GENERAL(NIC_FLOW_TABLE, BOTH(1)),
	GENERAL(CQE_VERSION, BOTH(1)),
	GENERAL(VPORT_COUNTERS, BOTH(1)),
	GENERAL(NIC_RECEIVE_STEERING_DISCARD, BOTH(1)),
	/* memory */
	GENERAL(LOG_MAX_PD, BOTH(20)),
	GENERAL(LOG_MAX_MKEY, BOTH(24)),
	GENERAL(LOG_MAX_MRW_SZ, BOTH(48)),
	GENERAL(LOG_MAX_KLM_LIST_SIZE, BOTH(12)),
	GENERAL(MAX_INDIRECTION, BOTH(4)),
	GENERAL(FIXED_BUFFER_SIZE, BOTH(1)),
	GENERAL(LOG_MAX_UMEM, BOTH(20)),
	/* a device in the program's own address space has one order only: the flags are taken and mean nothing */
	GENERAL(RELAXED_ORDERING_WRITE, BOTH(1)),
	GENERAL(RELAXED_ORDERING_READ, BOTH(1)),
	/* doorbells: 4 KiB pages, no BlueFlame */
	GENERAL(UAR_4K, BOTH(1)),
	GENERAL(UAR_SZ, BOTH(4)),
	GENERAL(LOG_PG_SZ, BOTH(12)),
	GENERAL(LOG_BF_REG_SIZE, BOTH(9)),
	GENERAL(NUM_OF_UARS_PER_PAGE, BOTH(1)),
	/* queues */
	GENERAL(LOG_MAX_CQ, BOTH(LOG_MAX_OBJECTS)),
	GENERAL(LOG_MAX_CQ_SZ, ASK(log_max_cq_sz)),
	GENERAL(CQ_OI, BOTH(1)),
	GENERAL(CQ_MODERATION, BOTH(1)),
	GENERAL(CQ_PERIOD_START_FROM_CQE, BOTH(1)),
	GENERAL(LOG_MAX_SQ, BOTH(LOG_MAX_OBJECTS)),
	GENERAL(LOG_MAX_RQ, BOTH(LOG_MAX_OBJECTS)),
	GENERAL(LOG_MAX_WQ_SZ, ASK(log_max_wq_sz)),
	GENERAL(MAX_WQE_SZ_SQ, BOTH(1024)),
	GENERAL(MAX_WQE_SZ_RQ, BOTH(512)),
	GENERAL(BASIC_CYCLIC_RCV_WQE, BOTH(1)),
	GENERAL(STRIDING_RQ, BOTH(1)),
	GENERAL(EXT_STRIDE_NUM_RANGE, BOTH(1)),
	/* completions: what each bit allows is in nic/session.c */
	GENERAL(CQE_COMPRESSION, BOTH(1)),
	GENERAL(ENHANCED_CQE_COMPRESSION, { 1, 0 }),
	GENERAL(MINI_CQE_RESP_STRIDE_INDEX, BOTH(1)),
	GENERAL(MINI_CQE_RESP_FLOW_TAG, BOTH(1)),
	GENERAL(MINI_CQE_RESP_L3_L4_TAG, BOTH(1)),
	GENERAL(CQE_COMPRESSION_MAX_NUM, BOTH(SC_SESSION_MAX)),
	GENERAL(CQE_COMPRESSION_TIMEOUT, ASK(cqe_comp_us)),
	GENERAL(LOG_MIN_STRIDE_SZ_RQ, BOTH(4)),
	GENERAL(LOG_MAX_STRIDE_SZ_RQ, BOTH(9)),
	GENERAL(LOG_MIN_STRIDE_SZ_SQ, BOTH(6)),
	GENERAL(LOG_MAX_STRIDE_SZ_SQ, BOTH(6)),
	GENERAL(NON_WIRE_SQ, BOTH(1)),
	GENERAL(LOG_MAX_TRANSPORT_DOMAIN, BOTH(LOG_MAX_OBJECTS)),
	GENERAL(LOG_MAX_TIS, BOTH(LOG_MAX_OBJECTS)),
	GENERAL(LOG_MAX_TIR, BOTH(20)),
	GENERAL(LOG_MAX_RQT, BOTH(20)),
	GENERAL(LOG_MAX_RQT_SIZE, BOTH(11)),
	GENERAL(SQ_TS_FORMAT, ASK(ts_format)),
	GENERAL(RQ_TS_FORMAT, ASK(ts_format)),
	GENERAL(WAIT_ON_TIME, { 1, 0 }),
	GENERAL(ACCESS_REGISTER_USER, BOTH(1)),
	GENERAL(DEVICE_FREQUENCY_MHZ, BOTH(1000)),
	GENERAL(DEVICE_FREQUENCY_KHZ, BOTH(1000000)),
	GENERAL(DISABLE_LOCAL_LB_UC, BOTH(1)),
	GENERAL(DISABLE_LOCAL_LB_MC, BOTH(1)),
	/* steering */
	GENERAL(WQE_BASED_FLOW_TABLE_UPDATE, BOTH(1)),
	GENERAL(STEERING_FORMAT_VERSION, { 2, 1 }),
	GENERAL(MATCH_DEFINER_FORMAT_SUPPORTED, BOTH(UINT64_C(1) << 61)), /* select */
	GENERAL(GENERAL_OBJ_TYPES, BOTH(UINT64_C(1) << PRM_OBJ_TYPE_DEFINER | UINT64_C(1) << PRM_OBJ_TYPE_ARG)),
	/* GTP-U: TEID, and its dwords 0, 2 and first of the extension */
	GENERAL(FLEX_PARSER_PROTOCOLS, BOTH(1 << 11 | 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19)),
	GENERAL(LOG_HEADER_MODIFY_ARGUMENT_MAX_ALLOC, BOTH(SC_LOG_ARG_MAX)),
	GENERAL(ALLOC_FLOW_COUNTER_PD, BOTH(1)),
	GENERAL(FLOW_COUNTER_ACCESS_ASO, BOTH(1)),
	GENERAL(FLOW_ACCESS_ASO_OPC_MOD, BOTH(SC_ASO_COUNTER_MOD)),
	GENERAL(MAX_FLOW_COUNTER_31_16, BOTH((1u << SC_LOG_COUNTER_MAX) >> 16)),

	/* ---- general, second page ---- */
	GENERAL2(LOG_MIN_STRIDE_WQE_SZ, BOTH(SC_LOG_STRIDE_WQE_MIN)),
	GENERAL2(FORMAT_SELECT_DW_8_6_EXT, { 1, 0 }),
	GENERAL2(FLOW_COUNTER_BULK_LOG_MAX_ALLOC, BOTH(SC_LOG_COUNTER_MAX)),
	GENERAL2(FORMAT_SELECT_DW_GTPU_DW_0, BOTH(SC_HL_GTPU_DW_0)),
	GENERAL2(FORMAT_SELECT_DW_GTPU_DW_1, BOTH(SC_HL_GTPU_TEID)),
	GENERAL2(FORMAT_SELECT_DW_GTPU_DW_2, BOTH(SC_HL_GTPU_DW_2)),
	GENERAL2(FORMAT_SELECT_DW_GTPU_FIRST_EXT_DW_0, BOTH(SC_HL_GTPU_FIRST_EXT)),

	/* ---- Ethernet ---- */
	ETH(CSUM_CAP, BOTH(1)),
	ETH(VLAN_CAP, BOTH(1)),
	ETH(WQE_VLAN_INSERT, BOTH(1)),
	ETH(SELF_LB_EN_MODIFIABLE, BOTH(1)),
	ETH(SELF_LB_MC, BOTH(1)),
	ETH(SELF_LB_UC, BOTH(1)),
	ETH(MAX_LSO_CAP, BOTH(18)),
	ETH(MULTI_PKT_SEND_WQE, BOTH(1)),
	ETH(ENHANCED_MULTI_PKT_SEND_WQE, BOTH(1)),
	ETH(WQE_INLINE_MODE, BOTH(PRM_WQE_INLINE_MODE_NOT_REQUIRED)),
	ETH(RSS_IND_TBL_CAP, BOTH(11)),
	ETH(SCATTER_FCS, BOTH(1)),
	ETH(TUNNEL_STATELESS_VXLAN, BOTH(1)),
	ETH(TUNNEL_STATELESS_GRE, BOTH(1)),
	ETH(TUNNEL_STATELESS_GENEVE_RX, BOTH(1)),
	ETH(MAX_GENEVE_OPT_LEN, BOTH(1)), /* 252 bytes */
	ETH(SWP, BOTH(1)),
	ETH(SWP_CSUM, BOTH(1)),
	ETH(SWP_LSO, BOTH(1)),
	ETH(MAX_VXLAN_UDP_PORTS, BOTH(4)),

	/* ---- NIC flow tables: both directions ---- */
	NIC_FT(RX_PROP, FT_PROP_FT_SUPPORT, BOTH(1)),
	NIC_FT(RX_PROP, FT_PROP_FLOW_COUNTER, BOTH(1)),
	NIC_FT(RX_PROP, FT_PROP_FLOW_TABLE_MODIFY, BOTH(1)),
	NIC_FT(RX_PROP, FT_PROP_MAX_FT_LEVEL, BOTH(SC_LEVEL_MAX)),
	NIC_FT(RX_PROP, FT_PROP_EXECUTE_ASO, BOTH(0)),
	NIC_FT(RX_PROP, FT_PROP_REPARSE, BOTH(1)),
	NIC_FT(RX_PROP, FT_PROP_IGNORE_FLOW_LEVEL_RTC_VALID, BOTH(1)),
	NIC_FT(TX_PROP, FT_PROP_FT_SUPPORT, BOTH(1)),
	NIC_FT(TX_PROP, FT_PROP_FLOW_COUNTER, BOTH(1)),
	NIC_FT(TX_PROP, FT_PROP_FLOW_TABLE_MODIFY, BOTH(1)),
	NIC_FT(TX_PROP, FT_PROP_MAX_FT_LEVEL, BOTH(SC_LEVEL_MAX)),
	NIC_FT(TX_PROP, FT_PROP_REPARSE, BOTH(1)),
	NIC_FT(TX_PROP, FT_PROP_IGNORE_FLOW_LEVEL_RTC_VALID, BOTH(1)),
	NIC_FT(RX_MODIFY, HEADER_MODIFY_CAP_METADATA_REG_C_X, BOTH(0xff)),
	NIC_FT(TX_MODIFY, HEADER_MODIFY_CAP_METADATA_REG_C_X, BOTH(0xff)),

	/* ---- hardware steering ---- */
	WQE_FT(LOG_MAX_NUM_STE, BOTH(SC_LOG_STE_MAX)),
	WQE_FT(LOG_MAX_NUM_STC, BOTH(SC_LOG_STC_MAX)),
	WQE_FT(LOG_MAX_NUM_RTC, BOTH(LOG_MAX_OBJECTS)),
	WQE_FT(LOG_MAX_NUM_HEADER_MODIFY_PATTERN, BOTH(LOG_MAX_OBJECTS)),
	WQE_FT(STC_ALLOC_LOG_MAX, BOTH(SC_LOG_STC_MAX)),
	WQE_FT(STE_ALLOC_LOG_MAX, BOTH(SC_LOG_STE_MAX)),
	WQE_FT(RTC_REPARSE_MODE, BOTH(PRM_CAP_RTC_REPARSE_NEVER | PRM_CAP_RTC_REPARSE_ALWAYS |
				      PRM_CAP_RTC_REPARSE_BY_STC)),
	WQE_FT(RTC_INDEX_MODE, BOTH(PRM_CAP_RTC_INDEX_BY_HASH | PRM_CAP_RTC_INDEX_BY_OFFSET)),
	WQE_FT(RTC_LOG_DEPTH_MAX, BOTH(SC_LOG_DEPTH_MAX)),
	WQE_FT(MAX_HEADER_MODIFY_PATTERN_LENGTH, BOTH(SC_PATTERN_MAX)),
	WQE_FT(STE_FORMAT, BOTH(PRM_CAP_STE_FORMAT_8DW | PRM_CAP_STE_FORMAT_11DW)),
	WQE_FT(TRIVIAL_MATCH_DEFINER, BOTH(SC_DEFINER_TRIVIAL)),
	WQE_FT(STC_ACTION_TYPE_63_0, { STC_ACTIONS | STC(ADD_FIELD), STC_ACTIONS }),
	WQE_FT(STC_ACTION_TYPE_127_64, BOTH(STC_HITS)),
	/* rules by index */
	WQE_FT(RTC_HASH_SPLIT_TABLE, { 1, 0 }),
	WQE_FT(RTC_LINEAR_LOOKUP_TABLE, { 1, 0 }),
	WQE_FT(ACCESS_INDEX_MODE, { 1 | PRM_CAP_ACCESS_INDEX_LINEAR, 0 }),
	WQE_FT(LINEAR_MATCH_DEFINER_REG_C3, { SC_DEFINER_LINEAR, 0 }),
};

static uint64_t
value_of(const struct sc_device *dev, const struct cap_row *row)
{
	return row->ask != NULL ? row->ask(dev) : row->value[dev->model->caps];
}

uint64_t
sc_cap_get(const struct sc_device *dev, uint8_t group, int field)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].group == group && rows[i].base == 0 && rows[i].field == field)
			return value_of(dev, &rows[i]);
	return 0;
}

static void
fill(const struct sc_device *dev, uint8_t *page, const struct cap_row *row)
{
	uint64_t value = value_of(dev, row);

	if (prm_width(row->field) == 64)
		prm_set64(page + row->base, row->field, value);
	else
		prm_set(page + row->base, row->field, (uint32_t)value);
}

static int
query_hca_cap(struct sc_call *call)
{
	uint16_t group = call->op_mod >> 1;
	uint8_t *page = prm_area(call->out, PRM_QUERY_HCA_CAP_OUT_CAPABILITY);
	bool known = false;
	size_t i;

	if (prm_get(call->in, PRM_QUERY_HCA_CAP_IN_OTHER_FUNCTION))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "other_function is set, the function manages no other");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		known |= rows[i].group == group;
	if (!known)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "capability group 0x%x is not there", group);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].group == group)
			fill(call->dev, page, &rows[i]);
	return 0;
}

static int
nop(struct sc_call *call)
{
	return 0;
}

const struct sc_command sc_commands_capability[] = {
	{ PRM_CMD_OP_QUERY_HCA_CAP, 0, "QUERY_HCA_CAP", 16, PRM_QUERY_HCA_CAP_OUT_BYTES, query_hca_cap },
	{ PRM_CMD_OP_NOP, 0, "NOP", 16, 16, nop },
	{ 0 },
};
