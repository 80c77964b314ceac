/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/queue.h"
#include "softcx/cmd/queue.h"
#include "softcx/nic/internal.h"

#define MODIFY_KNOWN   (PRM_MODIFY_TIR_INDIRECT_TABLE | PRM_MODIFY_TIR_HASH | PRM_MODIFY_TIR_SELF_LB)
#define SELECTED_KNOWN 0x1fu /* source and destination IP, both ports, SPI */

static const struct sc_queue_zero not_offered[] = {
	{ "tls_en", PRM_TIRC_TLS_EN, "TLS is not offered" },
	{ "lro_enable_mask", PRM_TIRC_LRO_ENABLE_MASK, "LRO is not offered" },
	{ NULL, 0, NULL },
};

static int
check_selector(struct sc_call *call, const char *what, uint32_t fields)
{
	if (fields & ~SELECTED_KNOWN)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rx_hash_field_selector_%s %#x has fields above bit 4", what, fields);
	if (fields & PRM_HASH_FIELD_IPSEC_SPI &&
		fields & (PRM_HASH_FIELD_L4_SPORT | PRM_HASH_FIELD_L4_DPORT))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rx_hash_field_selector_%s %#x wants ports and SPI", what, fields);
	return 0;
}

/* Hash function, key and what is hashed. */
static int
take_hash(struct sc_call *call, const uint8_t *tirc, struct sc_tir *tir)
{
	uint32_t fn = prm_get(tirc, PRM_TIRC_RX_HASH_FN);
	uint32_t outer = prm_get(tirc, PRM_TIRC_OUTER_SELECTED_FIELDS);
	uint32_t inner = prm_get(tirc, PRM_TIRC_INNER_SELECTED_FIELDS);

	if (fn != PRM_RX_HASH_FN_NONE && fn != PRM_RX_HASH_FN_TOEPLITZ)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"rx_hash_fn %u: only 0 (none) and 2 (Toeplitz) are offered", fn);
	if (check_selector(call, "outer", outer) != 0 || check_selector(call, "inner", inner) != 0)
		return -EINVAL;
	if (outer != 0 && inner != 0)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"both hash field selectors have fields: outer %#x, inner %#x", outer, inner);
	tir->hash_fn = (uint8_t)fn;
	tir->symmetric = prm_get(tirc, PRM_TIRC_RX_HASH_SYMMETRIC);
	tir->outer = prm_load32(tirc + prm_offset(PRM_TIRC_OUTER_SELECTED_FIELDS));
	tir->inner = prm_load32(tirc + prm_offset(PRM_TIRC_INNER_SELECTED_FIELDS));
	memcpy(tir->key, prm_area_const(tirc, PRM_TIRC_RX_HASH_TOEPLITZ_KEY), sizeof(tir->key));
	return 0;
}

static int
take_destination(struct sc_call *call, const uint8_t *tirc, struct sc_tir *tir)
{
	uint32_t type = prm_get(tirc, PRM_TIRC_DISP_TYPE);

	if (type == PRM_TIRC_DISP_TYPE_DIRECT) {
		tir->rq = sc_queue_find(call, SC_RQ, prm_get(tirc, PRM_TIRC_INLINE_RQN), "TIR inline_rqn");
		return tir->rq == NULL ? -EINVAL : 0;
	}
	if (type != PRM_TIRC_DISP_TYPE_INDIRECT)
		return sc_refuse(
			call, PRM_STATUS_BAD_PARAM, "disp_type %u is not 0 (direct) or 1 (indirect)", type);
	tir->indirect = true;
	tir->rqt =
		sc_queue_find(call, SC_RQT, prm_get(tirc, PRM_TIRC_INDIRECT_TABLE), "TIR indirect_table");
	return tir->rqt == NULL ? -EINVAL : 0;
}

static struct sc_object *
destination(const struct sc_tir *tir)
{
	return tir->indirect ? &tir->rqt->obj : &tir->rq->obj;
}

static int
take_context(struct sc_call *call, struct sc_tir *tir)
{
	const uint8_t *tirc = prm_area_const(call->in, PRM_CREATE_TIR_IN_CTX);
	int ret = sc_queue_zeros(call, tirc, not_offered);

	if (ret == 0)
		ret = take_destination(call, tirc, tir);
	if (ret == 0)
		ret = take_hash(call, tirc, tir);
	if (ret != 0)
		return ret;
	tir->td = prm_get(tirc, PRM_TIRC_TRANSPORT_DOMAIN);
	/* Drivers make TIRs of no domain, for dropping, and hardware takes them. */
	if (tir->td != 0) {
		tir->td_obj = sc_queue_find(call, SC_TD, tir->td, "TIR transport_domain");
		if (tir->td_obj == NULL)
			return -EINVAL;
	}
	tir->self_loopback = (uint8_t)prm_get(tirc, PRM_TIRC_SELF_LB_BLOCK);
	memcpy(tir->context, tirc, PRM_TIRC_BYTES);
	return 0;
}

int
sc_cmd_create_tir(struct sc_call *call)
{
	struct sc_tir *tir = calloc(1, sizeof(*tir));
	int ret;

	if (tir == NULL)
		return sc_refuse(call, PRM_STATUS_NO_RES, "no memory for a TIR");
	ret = take_context(call, tir);
	if (ret == 0 && sc_object_add(call->dev, SC_TIR, &tir->obj, 1, call->uid) != 0)
		ret = sc_refuse(call, PRM_STATUS_NO_RES, "all TIR numbers are in use");
	if (ret != 0) {
		free(tir);
		return ret;
	}
	if (tir->td_obj != NULL)
		sc_object_get(tir->td_obj);
	sc_object_get(destination(tir));
	prm_set(call->out, PRM_ID_OUT_ID, tir->obj.id);
	return 0;
}

/* Copy the dwords from byte first to before of a context into the one that QUERY_TIR shows. */
static void
keep(struct sc_tir *tir, const uint8_t *tirc, uint32_t first, uint32_t before)
{
	memcpy(tir->context + first, tirc + first, before - first);
}

static int
modify_table(struct sc_call *call, const uint8_t *tirc, const struct sc_tir *tir, struct sc_tir *changed)
{
	if (!tir->indirect)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "TIR %#x is direct: it has no indirect_table",
			tir->obj.id);
	changed->rqt =
		sc_queue_find(call, SC_RQT, prm_get(tirc, PRM_TIRC_INDIRECT_TABLE), "TIR indirect_table");
	return changed->rqt == NULL ? -EINVAL : 0;
}

static void
change_hash(struct sc_tir *tir, const struct sc_tir *changed, const uint8_t *tirc)
{
	tir->hash_fn = changed->hash_fn;
	tir->symmetric = changed->symmetric;
	tir->outer = changed->outer;
	tir->inner = changed->inner;
	memcpy(tir->key, changed->key, sizeof(tir->key));
	keep(tir, tirc, prm_offset(PRM_TIRC_RX_HASH_TOEPLITZ_KEY), 0x58);
	prm_set(tir->context, PRM_TIRC_RX_HASH_FN, tir->hash_fn);
	prm_set(tir->context, PRM_TIRC_RX_HASH_SYMMETRIC, tir->symmetric);
}

int
sc_cmd_modify_tir(struct sc_call *call)
{
	const uint8_t *tirc = prm_area_const(call->in, PRM_MODIFY_TIR_IN_CTX);
	uint64_t bits = prm_get64(call->in, PRM_MODIFY_TIR_IN_MODIFY_BITMASK);
	struct sc_tir *tir =
		sc_queue_find(call, SC_TIR, prm_get(call->in, PRM_MODIFY_TIR_IN_TIRN), "MODIFY_TIR");
	struct sc_tir changed;
	int ret = 0;

	if (tir == NULL)
		return -EINVAL;
	if (bits & ~(uint64_t)MODIFY_KNOWN)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"bitmask %#llx: only bits 1 (indirect table), 2 (hash), 4 (self "
			"loopback)",
			(unsigned long long)bits);
	changed = *tir;
	if (bits & PRM_MODIFY_TIR_INDIRECT_TABLE)
		ret = modify_table(call, tirc, tir, &changed);
	if (ret == 0 && bits & PRM_MODIFY_TIR_HASH)
		ret = take_hash(call, tirc, &changed);
	if (ret != 0)
		return ret;
	if (bits & PRM_MODIFY_TIR_INDIRECT_TABLE) {
		sc_object_get(&changed.rqt->obj);
		sc_object_put(&tir->rqt->obj);
		tir->rqt = changed.rqt;
		prm_set(tir->context, PRM_TIRC_INDIRECT_TABLE, tir->rqt->obj.id);
	}
	if (bits & PRM_MODIFY_TIR_HASH)
		change_hash(tir, &changed, tirc);
	if (bits & PRM_MODIFY_TIR_SELF_LB) {
		tir->self_loopback = (uint8_t)prm_get(tirc, PRM_TIRC_SELF_LB_BLOCK);
		prm_set(tir->context, PRM_TIRC_SELF_LB_BLOCK, tir->self_loopback);
	}
	return 0;
}

int
sc_cmd_query_tir(struct sc_call *call)
{
	struct sc_tir *tir = sc_queue_find(call, SC_TIR, prm_get(call->in, PRM_ID_IN_ID), "QUERY_TIR");

	if (tir == NULL)
		return -EINVAL;
	memcpy(prm_area(call->out, PRM_QUERY_TIR_OUT_TIR_CONTEXT), tir->context, PRM_TIRC_BYTES);
	return 0;
}

int
sc_cmd_destroy_tir(struct sc_call *call)
{
	return sc_queue_destroy(call, SC_TIR, "DESTROY_TIR", sc_tir_free);
}

void
sc_tir_free(void *arg)
{
	struct sc_tir *tir = arg;

	sc_object_remove(&tir->obj);
	sc_object_put(destination(tir));
	if (tir->td_obj != NULL)
		sc_object_put(tir->td_obj);
	free(tir);
}
