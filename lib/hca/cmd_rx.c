/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cmd_rx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/device.h"
#include "prm/queue.h"

static void
set_rqt(uint8_t *rqtc, const uint32_t *rqns, uint32_t nb_rqs)
{
	uint8_t *list = prm_area(rqtc, PRM_RQTC_RQ_NUM);

	prm_set(rqtc, PRM_RQTC_RQT_ACTUAL_SIZE, nb_rqs);
	for (uint32_t i = 0; i < nb_rqs; i++)
		prm_set(list + (size_t)i * PRM_RQ_NUM_BYTES, PRM_RQ_NUM_RQ_NUM, rqns[i]);
}

int
hca_cmd_create_rqt(struct hca_device *dev, const uint32_t *rqns, uint32_t nb_rqs, uint32_t max_size,
		   struct hca_obj **rqt)
{
	size_t len = PRM_CREATE_RQT_IN_BYTES + (size_t)nb_rqs * PRM_RQ_NUM_BYTES;
	uint8_t *in = calloc(1, len), *rqtc;
	int ret;

	if (in == NULL)
		return -ENOMEM;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_RQT);
	rqtc = prm_area(in, PRM_CREATE_RQT_IN_RQT_CONTEXT);
	prm_set(rqtc, PRM_RQTC_RQT_MAX_SIZE, max_size);
	set_rqt(rqtc, rqns, nb_rqs);
	ret = hca_cmd_create(dev, "RQT", in, len, rqt);
	free(in);
	return ret;
}

int
hca_cmd_modify_rqt(struct hca_obj *rqt, const uint32_t *rqns, uint32_t nb_rqs)
{
	size_t len = PRM_MODIFY_RQT_IN_BYTES + (size_t)nb_rqs * PRM_RQ_NUM_BYTES;
	uint8_t *in = calloc(1, len);
	int ret;

	if (in == NULL)
		return -ENOMEM;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_RQT);
	prm_set(in, PRM_MODIFY_RQT_IN_RQTN, rqt->id);
	prm_set(in, PRM_MODIFY_RQT_IN_RQN_LIST, 1);
	set_rqt(prm_area(in, PRM_MODIFY_RQT_IN_CTX), rqns, nb_rqs);
	ret = hca_cmd_modify(rqt, in, len);
	free(in);
	return ret;
}

static void
set_hash(uint8_t *tirc, const struct hca_hash *hash)
{
	const int l3 = hash->inner ? PRM_TIRC_INNER_L3_PROT_TYPE : PRM_TIRC_OUTER_L3_PROT_TYPE;
	const int l4 = hash->inner ? PRM_TIRC_INNER_L4_PROT_TYPE : PRM_TIRC_OUTER_L4_PROT_TYPE;
	const int fields = hash->inner ? PRM_TIRC_INNER_SELECTED_FIELDS : PRM_TIRC_OUTER_SELECTED_FIELDS;

	prm_set(tirc, PRM_TIRC_RX_HASH_FN, PRM_RX_HASH_FN_TOEPLITZ);
	prm_set(tirc, PRM_TIRC_RX_HASH_SYMMETRIC, hash->symmetric);
	prm_set(tirc, PRM_TIRC_TUNNELED_OFFLOAD_EN, hash->inner);
	memcpy(prm_area(tirc, PRM_TIRC_RX_HASH_TOEPLITZ_KEY), hash->key, sizeof(hash->key));
	prm_set(tirc, l3, hash->l3);
	prm_set(tirc, l4, hash->l4);
	prm_set(tirc, fields, hash->fields);
}

int
hca_cmd_create_tir(struct hca_device *dev, const struct hca_tirc *attr, struct hca_obj **tir)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = { 0 };
	uint8_t *tirc = prm_area(in, PRM_CREATE_TIR_IN_CTX);

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIR);
	prm_set(tirc, PRM_TIRC_DISP_TYPE, PRM_TIRC_DISP_TYPE_INDIRECT);
	prm_set(tirc, PRM_TIRC_INDIRECT_TABLE, attr->rqtn);
	prm_set(tirc, PRM_TIRC_TRANSPORT_DOMAIN, attr->transport_domain);
	if (attr->allow_self_loopback)
		prm_set(tirc, PRM_TIRC_SELF_LB_BLOCK, PRM_SELF_LB_ALLOW_UC | PRM_SELF_LB_ALLOW_MC);
	if (attr->hash.fields != 0)
		set_hash(tirc, &attr->hash);
	return hca_cmd_create(dev, "TIR", in, sizeof(in), tir);
}

int
hca_cmd_modify_tir_self_loopback(struct hca_obj *tir, bool allow)
{
	uint8_t in[PRM_MODIFY_TIR_IN_BYTES] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_TIR);
	prm_set(in, PRM_MODIFY_TIR_IN_TIRN, tir->id);
	prm_set64(in, PRM_MODIFY_TIR_IN_MODIFY_BITMASK, PRM_MODIFY_TIR_SELF_LB);
	if (allow)
		prm_set(prm_area(in, PRM_MODIFY_TIR_IN_CTX), PRM_TIRC_SELF_LB_BLOCK,
			PRM_SELF_LB_ALLOW_UC | PRM_SELF_LB_ALLOW_MC);
	return hca_cmd_modify(tir, in, sizeof(in));
}
