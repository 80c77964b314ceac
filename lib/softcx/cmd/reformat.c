/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Packet-reformat and modify-header contexts (hws.md 2.10, nic.md): what entries of ordinary tables point to.
 * The objects are the same that front/ makes for root rules.
 */
#include "prm/table.h"

#include <errno.h>

#include "softcx/cmd/steering.h"
#include "softcx/core/device.h"
#include "softcx/steer/objects.h"

/* The makers put their reason into last_error; a command passes it on. */
static int
refuse_why(struct sc_call *call, int rc)
{
	char why[sizeof(call->dev->last_error)];

	__builtin_memcpy(why, call->dev->last_error, sizeof(why));
	return sc_refuse(call, rc == -ENOSPC ? PRM_STATUS_NO_RES : PRM_STATUS_BAD_PARAM, "%s", why);
}

int
sc_alloc_packet_reformat(struct sc_call *call)
{
	const uint8_t *context =
		prm_area_const(call->in, PRM_ALLOC_PACKET_REFORMAT_IN_PACKET_REFORMAT_CONTEXT);
	uint32_t len = prm_get(context, PRM_PACKET_REFORMAT_CONTEXT_REFORMAT_DATA_SIZE);
	uint8_t type = (uint8_t)prm_get(context, PRM_PACKET_REFORMAT_CONTEXT_REFORMAT_TYPE);
	struct sc_object *object;
	int rc;

	if (call->in_len < 0x1c + PRM_PACKET_REFORMAT_DATA + len)
		return sc_refuse(call, PRM_STATUS_BAD_INP_LEN, "reformat_data_size %u does not fit %u bytes",
			len, call->in_len);
	/* The context says no domain; what it does fits both. */
	rc = sc_reformat_create(
		call->dev, call->uid, SC_DOMAINS, type, context + PRM_PACKET_REFORMAT_DATA, len, &object);
	if (rc != 0)
		return refuse_why(call, rc);
	prm_set(call->out, PRM_ALLOC_PACKET_REFORMAT_OUT_PACKET_REFORMAT_ID, object->id);
	return 0;
}

static int
dealloc(struct sc_call *call, enum sc_type type)
{
	uint32_t id = prm_get(call->in, PRM_DEALLOC_PACKET_REFORMAT_IN_PACKET_REFORMAT_ID);
	struct sc_object *object = sc_call_find_own(call, type, id);
	int rc;

	if (object == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "%s 0x%x does not exist", sc_type_name(type), id);
	rc = sc_call_check_unused(call, object);
	if (rc == 0)
		sc_flow_action_free(object);
	return rc;
}

int
sc_dealloc_packet_reformat(struct sc_call *call)
{
	return dealloc(call, SC_REFORMAT);
}

int
sc_alloc_modify_header(struct sc_call *call)
{
	uint8_t type = (uint8_t)prm_get(call->in, PRM_ALLOC_MODIFY_HEADER_IN_TABLE_TYPE);
	uint32_t nb = prm_get(call->in, PRM_ALLOC_MODIFY_HEADER_IN_NUM_OF_ACTIONS);
	struct sc_object *object;
	int rc;

	if (!sc_table_type_known(type))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"table_type %u: only NIC receive 0 and transmit 1 exist", type);
	if (call->in_len < 0x10 + nb * 8)
		return sc_refuse(call, PRM_STATUS_BAD_INP_LEN, "num_of_actions %u does not fit %u bytes", nb,
			call->in_len);
	rc = sc_modify_header_create(call->dev, call->uid, (enum sc_domain)type, prm_area_const(call->in,
		PRM_ALLOC_MODIFY_HEADER_IN_ACTIONS), nb, &object);
	if (rc != 0)
		return refuse_why(call, rc);
	prm_set(call->out, PRM_ALLOC_MODIFY_HEADER_OUT_MODIFY_HEADER_ID, object->id);
	return 0;
}

int
sc_dealloc_modify_header(struct sc_call *call)
{
	return dealloc(call, SC_MODIFY_HEADER);
}
