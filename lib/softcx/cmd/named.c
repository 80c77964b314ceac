/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/cmd/named.h"

#include <stdlib.h>

#include "prm/cmd.h"
#include "softcx/core/command.h"

void *
sc_call_find(const struct sc_call *call, enum sc_type type, uint32_t id)
{
	struct sc_object *obj = sc_object_find(call->dev, type, id);

	return obj != NULL && (call->uid == 0 || obj->uid == 0 || obj->uid == call->uid) ? obj : NULL;
}

void *
sc_call_find_own(const struct sc_call *call, enum sc_type type, uint32_t id)
{
	struct sc_object *obj = sc_object_find(call->dev, type, id);

	return obj != NULL && obj->id == id && (call->uid == 0 || obj->uid == call->uid) ? obj : NULL;
}

void *
sc_object_new(struct sc_device *dev, enum sc_type type, size_t size, uint16_t uid)
{
	struct sc_object *obj = calloc(1, size);

	if (obj != NULL && sc_object_add(dev, type, obj, 1, uid) < 0) {
		free(obj);
		obj = NULL;
	}
	return obj;
}

/* Domains by number; 0 is none. */
struct sc_object *
sc_pd_find(const struct sc_device *dev, uint32_t pd)
{
	return pd == 0 ? NULL : sc_object_find(dev, SC_PD, pd);
}

/* The object of a destroy or query command, or NULL with the refusal in *ret. */
void *
sc_named(struct sc_call *call, enum sc_type type, int field, int *ret)
{
	uint32_t id = prm_get(call->in, field);
	struct sc_object *obj = sc_call_find(call, type, id);

	if (obj == NULL)
		*ret = sc_refuse(call, PRM_STATUS_BAD_RES, "there is no %s 0x%x", sc_type_name(type), id);
	return obj;
}

int
sc_destroy_named(struct sc_call *call, enum sc_type type, int field, int (*destroy)(struct sc_object *obj))
{
	uint32_t id = prm_get(call->in, field);
	struct sc_object *obj = sc_call_find_own(call, type, id);

	if (obj == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "there is no %s 0x%x of the caller",
			sc_type_name(type), id);
	if (obj->refs > 0)
		return sc_refuse(call, PRM_STATUS_RES_BUSY, "%s 0x%x is in use by %u others",
				 sc_type_name(type), obj->id, obj->refs);
	return destroy(obj);
}
