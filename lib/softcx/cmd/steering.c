/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/cmd/steering.h"

#include <stdlib.h>

#include "prm/table.h"

bool
sc_table_type_known(uint8_t table_type)
{
	return table_type == PRM_FT_TYPE_NIC_RX || table_type == PRM_FT_TYPE_NIC_TX;
}

int
sc_call_check_unused(struct sc_call *call, const struct sc_object *obj)
{
	if (obj->refs == 0)
		return 0;
	return sc_refuse(call, PRM_STATUS_BAD_RES_STATE, "%s 0x%x is still named by %u other objects",
		sc_type_name(obj->type), obj->id, obj->refs);
}

int
sc_call_add(struct sc_call *call, enum sc_type type, struct sc_object *obj, uint32_t range)
{
	if (sc_object_add(call->dev, type, obj, range, call->uid) == 0)
		return 0;
	free(obj);
	return sc_refuse(call, PRM_STATUS_NO_RES, "no %u consecutive ids of type %s are left", range,
		sc_type_name(type));
}
