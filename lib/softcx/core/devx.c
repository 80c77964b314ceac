/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/devx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/cmd.h"
#include "prm/queue.h"
#include "prm/resource.h"
#include "prm/table.h"
#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/internal.h"
#include "softcx/core/trace.h"

/*
 * The kernel's filter (Linux 6.1, drivers/infiniband/hw/mlx5/devx.c): which opcodes pass in which kind of
 * call. An opcode without a row passes in none: so no program gets at vport context, port registers, UARs,
 * EQs or the root of the flow tables, all of which are the kernel's.
 */

enum { G = 1 << SC_DEVX_GENERAL, C = 1 << SC_DEVX_CREATE, M = 1 << SC_DEVX_MODIFY, Q = 1 << SC_DEVX_QUERY,
	D = 1 << 7 };

/* Where in a modify, query or destroy command (or, for a create, in the answer) the object's number is. */
#define ID24 PRM_ID_IN_ID
#define ID32 PRM_FIELD(0x08, 31, 32)
#define ID8  PRM_FIELD(0x08, 7, 8)

struct row {
	uint16_t opcode;
	uint8_t kinds;
	uint16_t family;  /* the create opcode the object comes from; 0: no object */
	int id;
	uint16_t destroy; /* create: what undoes it */
	enum sc_type type;
};

#define OBJECT(create, destroy, type, id) \
	{ PRM_CMD_OP_##create, C, PRM_CMD_OP_##create, id, PRM_CMD_OP_##destroy, type }, \
	{ PRM_CMD_OP_##destroy, D, PRM_CMD_OP_##create, id, 0, type }
#define ON(opcode, kind, create, id) { PRM_CMD_OP_##opcode, kind, PRM_CMD_OP_##create, id, 0, SC_TYPES }
#define GENERAL(opcode) { PRM_CMD_OP_##opcode, G, 0, 0, 0, SC_TYPES }

static const struct row rows[] = {
	GENERAL(QUERY_HCA_CAP), GENERAL(QUERY_ADAPTER), GENERAL(QUERY_ISSI), GENERAL(QUERY_VPORT_STATE),
	GENERAL(QUERY_ESW_VPORT_CONTEXT), GENERAL(QUERY_NIC_VPORT_CONTEXT), GENERAL(QUERY_VNIC_ENV),
	GENERAL(QUERY_VPORT_COUNTER), GENERAL(QUERY_LAG), GENERAL(NOP),

	OBJECT(CREATE_MKEY, DESTROY_MKEY, SC_MKEY, ID24), ON(QUERY_MKEY, Q, CREATE_MKEY, ID24),
	OBJECT(ALLOC_PD, DEALLOC_PD, SC_PD, ID24),
	OBJECT(ALLOC_TRANSPORT_DOMAIN, DEALLOC_TRANSPORT_DOMAIN, SC_TD, ID24),
	OBJECT(ALLOC_Q_COUNTER, DEALLOC_Q_COUNTER, SC_Q_COUNTER, ID8),
	ON(QUERY_Q_COUNTER, Q, ALLOC_Q_COUNTER, PRM_QUERY_Q_COUNTER_IN_COUNTER_SET_ID),

	OBJECT(CREATE_CQ, DESTROY_CQ, SC_CQ, ID24), ON(QUERY_CQ, Q, CREATE_CQ, ID24),
	ON(MODIFY_CQ, M, CREATE_CQ, ID24),
	OBJECT(CREATE_SQ, DESTROY_SQ, SC_SQ, ID24), ON(QUERY_SQ, Q, CREATE_SQ, ID24),
	ON(MODIFY_SQ, M, CREATE_SQ, ID24),
	OBJECT(CREATE_RQ, DESTROY_RQ, SC_RQ, ID24), ON(QUERY_RQ, Q, CREATE_RQ, ID24),
	ON(MODIFY_RQ, M, CREATE_RQ, ID24),
	OBJECT(CREATE_RMP, DESTROY_RMP, SC_TYPES, ID24), ON(QUERY_RMP, Q, CREATE_RMP, ID24),
	ON(MODIFY_RMP, M, CREATE_RMP, ID24),
	OBJECT(CREATE_TIR, DESTROY_TIR, SC_TIR, ID24), ON(QUERY_TIR, Q, CREATE_TIR, ID24),
	ON(MODIFY_TIR, M, CREATE_TIR, ID24),
	OBJECT(CREATE_TIS, DESTROY_TIS, SC_TIS, ID24), ON(QUERY_TIS, Q, CREATE_TIS, ID24),
	ON(MODIFY_TIS, M, CREATE_TIS, ID24),
	OBJECT(CREATE_RQT, DESTROY_RQT, SC_RQT, ID24), ON(QUERY_RQT, Q, CREATE_RQT, ID24),
	ON(MODIFY_RQT, M, CREATE_RQT, ID24),

	OBJECT(CREATE_FLOW_TABLE, DESTROY_FLOW_TABLE, SC_FLOW_TABLE, ID24),
	ON(QUERY_FLOW_TABLE, Q, CREATE_FLOW_TABLE, PRM_FLOW_TABLE_IN_TABLE_ID),
	ON(MODIFY_FLOW_TABLE, M, CREATE_FLOW_TABLE, PRM_FLOW_TABLE_IN_TABLE_ID),
	OBJECT(CREATE_FLOW_GROUP, DESTROY_FLOW_GROUP, SC_FLOW_GROUP, ID24),
	ON(QUERY_FLOW_GROUP, Q, CREATE_FLOW_GROUP, PRM_DESTROY_FLOW_GROUP_IN_GROUP_ID),
	OBJECT(SET_FLOW_TABLE_ENTRY, DELETE_FLOW_TABLE_ENTRY, SC_TYPES, PRM_SET_FTE_IN_FLOW_INDEX), /* op_mod 0 */
	ON(SET_FLOW_TABLE_ENTRY, M, SET_FLOW_TABLE_ENTRY, PRM_SET_FTE_IN_FLOW_INDEX),
	ON(QUERY_FLOW_TABLE_ENTRY, Q, SET_FLOW_TABLE_ENTRY, PRM_SET_FTE_IN_FLOW_INDEX),
	OBJECT(ALLOC_FLOW_COUNTER, DEALLOC_FLOW_COUNTER, SC_FLOW_COUNTER, ID32),
	ON(QUERY_FLOW_COUNTER, Q, ALLOC_FLOW_COUNTER, PRM_QUERY_FLOW_COUNTER_IN_FLOW_COUNTER_ID),
	OBJECT(ALLOC_PACKET_REFORMAT_CONTEXT, DEALLOC_PACKET_REFORMAT_CONTEXT, SC_REFORMAT, ID32),
	OBJECT(ALLOC_MODIFY_HEADER_CONTEXT, DEALLOC_MODIFY_HEADER_CONTEXT, SC_MODIFY_HEADER, ID32),
	OBJECT(CREATE_GENERAL_OBJECT, DESTROY_GENERAL_OBJECT, SC_TYPES, ID32),
	ON(QUERY_GENERAL_OBJECT, Q, CREATE_GENERAL_OBJECT, ID32),
	ON(MODIFY_GENERAL_OBJECT, M, CREATE_GENERAL_OBJECT, ID32),
};

#define NB_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct {
	uint16_t obj_type;
	enum sc_type type;
} general[] = {
	{ PRM_OBJ_TYPE_DEFINER, SC_DEFINER }, { PRM_OBJ_TYPE_STC, SC_STC }, { PRM_OBJ_TYPE_RTC, SC_RTC },
	{ PRM_OBJ_TYPE_STE, SC_STE }, { PRM_OBJ_TYPE_MODIFY_HEADER_PATTERN, SC_PATTERN },
	{ PRM_OBJ_TYPE_ARG, SC_ARG },
};

#define NB_GENERAL (sizeof(general) / sizeof(general[0]))

/* 0xb00 .. 0xcff pass as general commands, whatever they are. */
static const struct row general_range = { 0, G, 0, 0, 0, SC_TYPES };

/*
 * Opcodes that the kernel lets pass and this firmware does not know: so that they are refused where they
 * would be.
 */
static const struct {
	uint16_t opcode;
	uint8_t kind;
} unknown_to_firmware[] = {
	{ 0x760, G }, { 0x762, G }, { 0x80a, G }, { 0x822, G }, { 0x824, G }, { 0x826, G }, /* RoCE, IB */
	{ 0x500, C }, { 0x600, C }, { 0x700, C }, { 0x705, C }, { 0x710, C }, { 0x717, C }, /* QP, PSV, SRQ */
	{ 0x782, C }, { 0x806, C }, { 0x80e, C }, { 0x827, C }, { 0x829, C },               /* QoS, VXLAN */
};

static const struct row unknown_row = { 0, 0, 0, 0, 0, SC_TYPES };

static const struct row *
find(uint16_t opcode, uint8_t kind)
{
	size_t i;

	for (i = 0; i < NB_ROWS; i++)
		if (rows[i].opcode == opcode && rows[i].kinds & kind)
			return &rows[i];
	for (i = 0; i < sizeof(unknown_to_firmware) / sizeof(unknown_to_firmware[0]); i++)
		if (unknown_to_firmware[i].opcode == opcode && unknown_to_firmware[i].kind == kind)
			return &unknown_row;
	return kind == G && opcode >= 0xb00 && opcode < 0xd00 ? &general_range : NULL;
}

bool
sc_devx_destroys(uint16_t opcode)
{
	return find(opcode, D) != NULL;
}

/* ---- what the kernel writes into commands -------------------------------------------------------------- */

/* A field of a layout nested at byte at of the command. */
#define NESTED(at, field) ((int)((uint32_t)(field) + ((uint32_t)(at) << 16)))
#define CQC_AT            0x10
#define WQ_AT             0x50 /* the work queue of both SQ and RQ: context at 0x20, WQ 0x30 inside it */

/* The ids of umems in commands of user contexts count, whether the program said so or not. */
static const struct {
	uint16_t opcode;
	uint16_t min_len;
	int field;
} umem_valid[] = {
	{ PRM_CMD_OP_CREATE_CQ, PRM_CREATE_CQ_IN_BYTES, PRM_CREATE_CQ_IN_CQ_UMEM_VALID },
	{ PRM_CMD_OP_CREATE_CQ, PRM_CREATE_CQ_IN_BYTES, NESTED(CQC_AT, PRM_CQC_DBR_UMEM_VALID) },
	{ PRM_CMD_OP_MODIFY_CQ, PRM_CREATE_CQ_IN_BYTES, PRM_CREATE_CQ_IN_CQ_UMEM_VALID },
	{ PRM_CMD_OP_CREATE_SQ, PRM_CREATE_SQ_IN_BYTES, NESTED(WQ_AT, PRM_WQ_DBR_UMEM_VALID) },
	{ PRM_CMD_OP_CREATE_SQ, PRM_CREATE_SQ_IN_BYTES, NESTED(WQ_AT, PRM_WQ_WQ_UMEM_VALID) },
	{ PRM_CMD_OP_CREATE_RQ, PRM_CREATE_RQ_IN_BYTES, NESTED(WQ_AT, PRM_WQ_DBR_UMEM_VALID) },
	{ PRM_CMD_OP_CREATE_RQ, PRM_CREATE_RQ_IN_BYTES, NESTED(WQ_AT, PRM_WQ_WQ_UMEM_VALID) },
};

static void
set_umem_valid(uint8_t *in, uint32_t in_len, uint16_t opcode)
{
	const uint8_t *mkc = in + prm_offset(PRM_CREATE_MKEY_IN_MKC);
	uint32_t mode;
	size_t i;

	for (i = 0; i < sizeof(umem_valid) / sizeof(umem_valid[0]); i++)
		if (umem_valid[i].opcode == opcode && in_len >= umem_valid[i].min_len)
			prm_set(in, umem_valid[i].field, 1);
	if (opcode != PRM_CMD_OP_CREATE_MKEY)
		return;
	/* An indirect key brings its list along; every other takes its pages from a umem. */
	mode = prm_get(mkc, PRM_MKC_ACCESS_MODE_4_2) << 2 | prm_get(mkc, PRM_MKC_ACCESS_MODE_1_0);
	if (mode != PRM_MKC_ACCESS_MODE_KLM && mode != PRM_MKC_ACCESS_MODE_KSM)
		prm_set(in, PRM_CREATE_MKEY_IN_MKEY_UMEM_VALID, 1);
}

/* ---- objects ------------------------------------------------------------------------------------------- */

static enum sc_type
type_of(const struct row *row, const uint8_t *in)
{
	uint16_t obj_type = prm_get(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE);
	size_t i;

	if (row->family != PRM_CMD_OP_CREATE_GENERAL_OBJECT)
		return row->type;
	for (i = 0; i < NB_GENERAL; i++)
		if (general[i].obj_type == obj_type)
			return general[i].type;
	return SC_TYPES;
}

/* Families tell apart what may carry the same number: general objects by their type. */
static uint16_t
family_of(const struct row *row, const uint8_t *in)
{
	return row->family == PRM_CMD_OP_CREATE_GENERAL_OBJECT ?
		prm_get(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE) | 0x8000 : row->family;
}

/* The command that undoes the create in, answered by out. */
static void
build_destroy(struct sc_devx_object *obj, const struct row *row, const uint8_t *in)
{
	uint8_t *d = obj->destroy;

	memset(d, 0, sizeof(obj->destroy));
	obj->destroy_len = PRM_CMD_HDR_BYTES;
	prm_set(d, PRM_CMD_IN_OPCODE, row->destroy);
	switch (row->family) {
	case PRM_CMD_OP_CREATE_GENERAL_OBJECT:
		prm_set(d, PRM_GENERAL_OBJ_IN_OBJ_TYPE, prm_get(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE));
		prm_set(d, PRM_GENERAL_OBJ_IN_OBJ_ID, obj->id);
		return;
	case PRM_CMD_OP_CREATE_FLOW_TABLE:
		prm_set(d, PRM_FLOW_TABLE_IN_TABLE_TYPE, prm_get(in, PRM_CREATE_FLOW_TABLE_IN_TABLE_TYPE));
		prm_set(d, PRM_FLOW_TABLE_IN_TABLE_ID, obj->id);
		obj->destroy_len = 0x40;
		return;
	case PRM_CMD_OP_CREATE_FLOW_GROUP:
		prm_set(d, PRM_DESTROY_FLOW_GROUP_IN_TABLE_TYPE,
			prm_get(in, PRM_CREATE_FLOW_GROUP_IN_TABLE_TYPE));
		prm_set(d, PRM_DESTROY_FLOW_GROUP_IN_TABLE_ID,
			prm_get(in, PRM_CREATE_FLOW_GROUP_IN_TABLE_ID));
		prm_set(d, PRM_DESTROY_FLOW_GROUP_IN_GROUP_ID, obj->id);
		obj->destroy_len = 0x40;
		return;
	case PRM_CMD_OP_SET_FLOW_TABLE_ENTRY:
		prm_set(d, PRM_DELETE_FTE_IN_TABLE_TYPE, prm_get(in, PRM_SET_FTE_IN_TABLE_TYPE));
		prm_set(d, PRM_DELETE_FTE_IN_TABLE_ID, prm_get(in, PRM_SET_FTE_IN_TABLE_ID));
		prm_set(d, PRM_DELETE_FTE_IN_FLOW_INDEX, obj->id);
		obj->destroy_len = 0x40;
		return;
	default:
		prm_set(d, row->id, obj->id);
	}
}

static void
fill_object(struct sc_devx_object *obj, const struct row *row, const uint8_t *in, const uint8_t *out)
{
	memset(obj, 0, sizeof(*obj));
	obj->family = family_of(row, in);
	/* a flow table entry's number is its caller's choice */
	obj->id = prm_get(row->family == PRM_CMD_OP_SET_FLOW_TABLE_ENTRY ? in : out, row->id);
	obj->type = type_of(row, in);
	build_destroy(obj, row, in);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
	[SC_DEVX_GENERAL] = "general", [SC_DEVX_CREATE] = "create", [SC_DEVX_MODIFY] = "modify",
	[SC_DEVX_QUERY] = "query",
};

static int
refused(struct sc_device *dev, enum sc_devx_kind kind, uint16_t opcode, const char *why)
{
	const char *name = prm_opcode_name(opcode);

	sc_complain(dev, "kernel refuses %s (0x%x) in a DevX %s call: %s", name == NULL ? "opcode" : name,
		    opcode, kind_names[kind], why);
	return -EINVAL;
}

struct devx_call {
	struct sc_device *dev;
	uint16_t uid;
	enum sc_devx_kind kind;
	struct sc_devx_object *obj;
	const void *in;
	void *out;
	uint32_t in_len, out_len;
};

static int
run(void *arg)
{
	struct devx_call *c = arg;
	const struct row *row;
	uint16_t opcode;
	uint8_t *in;
	int ret;

	if (c->in_len < PRM_CMD_HDR_BYTES || c->out_len < PRM_CMD_HDR_BYTES)
		return refused(c->dev, c->kind, c->in_len < 4 ? 0 : prm_get(c->in, PRM_CMD_IN_OPCODE),
			       "input or output is shorter than 16 bytes");
	opcode = prm_get(c->in, PRM_CMD_IN_OPCODE);
	row = find(opcode, (uint8_t)(1 << c->kind));
	if (row == NULL)
		return refused(c->dev, c->kind, opcode, "not one of those it passes");
	if (opcode == PRM_CMD_OP_SET_FLOW_TABLE_ENTRY &&
	    prm_get(c->in, PRM_CMD_IN_OP_MOD) != (c->kind == SC_DEVX_MODIFY ? 1 : 0))
		return refused(c->dev, c->kind, opcode, "op_mod 0 creates an entry, 1 modifies it");
	if (opcode == PRM_CMD_OP_CREATE_MKEY && c->in_len < PRM_CREATE_MKEY_IN_BYTES)
		return refused(c->dev, c->kind, opcode, "it is shorter than the context of a key");
	if ((c->kind == SC_DEVX_MODIFY || c->kind == SC_DEVX_QUERY) && row->family != 0) {
		if (c->in_len < prm_offset(row->id) + 4 || family_of(row, c->in) != c->obj->family ||
		    prm_get(c->in, row->id) != c->obj->id)
			return refused(c->dev, c->kind, opcode,
				"it names another object than the one it is called on");
	}
	in = malloc(c->in_len);
	if (in == NULL)
		return -ENOMEM;
	memcpy(in, c->in, c->in_len);
	prm_set(in, PRM_CMD_IN_UID, c->uid);
	if (c->kind == SC_DEVX_CREATE || c->kind == SC_DEVX_MODIFY)
		set_umem_valid(in, c->in_len, opcode);
	ret = sc_command_run(c->dev, c->uid, in, c->in_len, c->out, c->out_len);
	if (ret == 0 && c->kind == SC_DEVX_CREATE)
		fill_object(c->obj, row, in, c->out);
	free(in);
	if (ret < 0)
		ret = c->dev->dead ? -EIO : -EREMOTEIO;
	return ret;
}

int
sc_devx(struct sc_device *dev, uint16_t uid, enum sc_devx_kind kind, struct sc_devx_object *obj,
	const void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	struct devx_call c = {
		.dev = dev, .uid = uid, .kind = kind, .obj = obj, .in = in, .out = out, .in_len = in_len,
		.out_len = out_len,
	};

	return sc_engine_call(run, &c);
}

int
sc_devx_destroy(struct sc_device *dev, uint16_t uid, const struct sc_devx_object *obj)
{
	uint8_t in[SC_DEVX_DESTROY_BYTES], out[PRM_CMD_HDR_BYTES];

	memcpy(in, obj->destroy, sizeof(in));
	prm_set(in, PRM_CMD_IN_UID, uid);
	return sc_engine_command(dev, uid, in, obj->destroy_len, out, sizeof(out));
}

/* ---- for object.c -------------------------------------------------------------------------------------- */

int
sc_object_destroy(struct sc_object *obj, sc_destroy_fn hook)
{
	uint8_t in[SC_DEVX_DESTROY_BYTES] = { 0 }, out[PRM_CMD_HDR_BYTES];
	struct sc_devx_object devx = { .id = obj->id };
	size_t i;

	if (hook != NULL)
		return hook(obj);
	/*
	 * Only what the create command said of the object beside its number is missing; tables have
	 * hooks for that.
	 */
	for (i = 0; i < NB_GENERAL; i++)
		if (general[i].type == obj->type)
			prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, general[i].obj_type);
	for (i = 0; i < NB_ROWS; i++)
		if (rows[i].kinds & C && rows[i].destroy != 0 && type_of(&rows[i], in) == obj->type)
			break;
	if (i == NB_ROWS)
		return -EINVAL;
	build_destroy(&devx, &rows[i], in);
	return sc_command_run(obj->dev, obj->uid, devx.destroy, devx.destroy_len, out, sizeof(out));
}
