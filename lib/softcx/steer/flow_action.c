/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Modify-header and packet-reformat objects: what root rules and entries of ordinary tables do to bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "prm/table.h"
#include "softcx/core/trace.h"
#include "softcx/steer/objects.h"

enum { COMMAND_BYTES = 8, HEADER_MAX = 512 };

int
sc_modify_header_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, const void *commands,
	unsigned int nb_commands, struct sc_object **object)
{
	struct sc_modify_header *modify;
	char why[128];
	unsigned int i;
	int rc;

	if (nb_commands == 0 || nb_commands > SC_PATTERN_MAX) {
		sc_complain(dev, "modify header of %u commands: 1 to %u", nb_commands, SC_PATTERN_MAX);
		return -EINVAL;
	}
	modify = calloc(1, sizeof(*modify) + nb_commands * sizeof(modify->edits[0]));
	if (modify == NULL)
		return -ENOMEM;
	modify->table_type = SC_TYPE_OF(domain);
	modify->nb = nb_commands;
	for (i = 0; i < nb_commands; i++) {
		rc = sc_edit_decode(
			(const uint8_t *)commands + i * COMMAND_BYTES, &modify->edits[i], why, sizeof(why));
		if (rc == 0 && modify->edits[i].type == SC_EDIT_INSERT && !modify->edits[i].inline_data)
			rc = (snprintf(why, sizeof(why), "an insertion from an argument"), -EINVAL);
		if (rc != 0) {
			sc_complain(dev, "modify header command %u: %s", i, why);
			free(modify);
			return rc;
		}
	}
	rc = sc_object_add(dev, SC_MODIFY_HEADER, &modify->obj, 1, uid);
	if (rc != 0) {
		free(modify);
		return rc;
	}
	*object = &modify->obj;
	return 0;
}

/* Which types there are, and how much data each takes. */
static const struct {
	uint8_t type;
	uint16_t min, max;
} reformats[] = {
	{ 0, 0, 0 }, /* removal of an L2 tunnel: no PRM number, the kernel's flow entry has a bit for it */
	{ PRM_REFORMAT_L2_TO_L2_TUNNEL, 14, HEADER_MAX },
	{ PRM_REFORMAT_L3_TUNNEL_TO_L2, 14, 18 },
	{ PRM_REFORMAT_L2_TO_L3_TUNNEL, 14, HEADER_MAX },
};

int
sc_reformat_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, uint8_t type, const void *data,
	size_t len, struct sc_object **object)
{
	struct sc_reformat *reformat;
	size_t i;
	int rc;

	for (i = 0; i < sizeof(reformats) / sizeof(reformats[0]); i++)
		if (reformats[i].type == type)
			break;
	if (i == sizeof(reformats) / sizeof(reformats[0])) {
		sc_complain(dev, "reformat_type %u is not offered", type);
		return -EINVAL;
	}
	if (len < reformats[i].min || len > reformats[i].max || len % 2 != 0) {
		sc_complain(dev, "reformat_type %u with %zu bytes: an even number, %u to %u", type, len,
			reformats[i].min, reformats[i].max);
		return -EINVAL;
	}
	reformat = calloc(1, sizeof(*reformat) + len);
	if (reformat == NULL)
		return -ENOMEM;
	reformat->table_type = SC_TYPE_OF(domain);
	reformat->type = type;
	reformat->len = (uint32_t)len;
	if (len != 0)
		memcpy(reformat->data, data, len);
	rc = sc_object_add(dev, SC_REFORMAT, &reformat->obj, 1, uid);
	if (rc != 0) {
		free(reformat);
		return rc;
	}
	*object = &reformat->obj;
	return 0;
}

int
sc_flow_action_destroy(struct sc_object *object)
{
	if (object->refs != 0) {
		sc_complain(object->dev, "%s 0x%x is still used by %u rules", sc_type_name(object->type),
			object->id, object->refs);
		return -EBUSY;
	}
	sc_flow_action_free(object);
	return 0;
}
