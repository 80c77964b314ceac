/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Flow groups and entries of ordinary tables (hws.md 2.3, nic.md 1.18).
 */
#include <stdlib.h>
#include <string.h>

#include "prm/table.h"
#include "softcx/cmd/steering.h"
#include "softcx/steer/ordinary.h"

enum { DESTINATIONS_MAX = 1024 };

static int
find_ordinary(struct sc_call *call, struct sc_flow_table **table)
{
	uint32_t id = prm_get(call->in, PRM_FLOW_TABLE_IN_TABLE_ID);
	uint32_t type = prm_get(call->in, PRM_FLOW_TABLE_IN_TABLE_TYPE);

	*table = sc_call_find_own(call, SC_FLOW_TABLE, id);
	if (*table == NULL || (*table)->table_type != type)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "table_id 0x%x is no flow table of table_type %u",
			id, type);
	if ((*table)->kind != SC_TABLE_ORDINARY)
		return sc_refuse(call, PRM_STATUS_BAD_RES_STATE,
			"table_id 0x%x has rtc_valid: it holds no groups", id);
	return 0;
}

int
sc_create_flow_group(struct sc_call *call)
{
	const void *criteria = prm_area_const(call->in, PRM_CREATE_FLOW_GROUP_IN_MATCH_CRITERIA);
	uint8_t enable = (uint8_t)prm_get(call->in, PRM_CREATE_FLOW_GROUP_IN_MATCH_CRITERIA_ENABLE);
	uint32_t first = prm_get(call->in, PRM_CREATE_FLOW_GROUP_IN_START_FLOW_INDEX);
	uint32_t last = prm_get(call->in, PRM_CREATE_FLOW_GROUP_IN_END_FLOW_INDEX);
	struct sc_group *group, **link;
	struct sc_flow_table *table;
	char why[128];
	int rc = find_ordinary(call, &table);

	if (rc != 0)
		return rc;
	if (last < first || last >= 1u << (table->log_size & 31))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"flow indices %u to %u do not fit a table of log_size %u", first, last,
			table->log_size);
	for (link = &table->groups; *link != NULL && (*link)->last < first; link = &(*link)->next)
		;
	if (*link != NULL && (*link)->first <= last)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"flow indices %u to %u are in group 0x%x already", first, last, (*link)->obj.id);
	group = calloc(1, sizeof(*group));
	if (group == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for a flow group");
	if (sc_match_mask(&group->mask, enable, criteria, SC_MATCH_BYTES, why, sizeof(why)) != 0) {
		free(group);
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "%s", why);
	}
	rc = sc_call_add(call, SC_FLOW_GROUP, &group->obj, 1);
	if (rc != 0)
		return rc;
	group->table = table;
	group->first = first;
	group->last = last;
	group->next = *link;
	*link = group;
	prm_set(call->out, PRM_CREATE_FLOW_GROUP_OUT_GROUP_ID, group->obj.id);
	return 0;
}

int
sc_destroy_flow_group(struct sc_call *call)
{
	uint32_t id = prm_get(call->in, PRM_DESTROY_FLOW_GROUP_IN_GROUP_ID);
	struct sc_flow_table *table;
	struct sc_group *group;
	int rc = find_ordinary(call, &table);

	if (rc != 0)
		return rc;
	group = sc_call_find_own(call, SC_FLOW_GROUP, id);
	if (group == NULL || group->table != table)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "group_id 0x%x is no group of table 0x%x", id,
			table->obj.id);
	if (group->entries != NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES_STATE, "group_id 0x%x still has entries", id);
	sc_group_free(group);
	return 0;
}

static int
find_destination(struct sc_call *call, const uint8_t *format, bool extended,
	struct sc_destination *destination)
{
	uint8_t type = (uint8_t)prm_get(format, PRM_DEST_FORMAT_DESTINATION_TYPE);
	uint32_t id = prm_get(format, PRM_DEST_FORMAT_DESTINATION_ID);
	struct sc_object *object = NULL;
	struct sc_reformat *reformat = NULL;

	if (type == PRM_DEST_TYPE_TIR)
		object = sc_call_find(call, SC_TIR, id);
	else if (type == PRM_DEST_TYPE_FLOW_TABLE)
		object = sc_call_find(call, SC_FLOW_TABLE, id);
	else if (type != PRM_DEST_TYPE_NOWHERE)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "destination_type %u is not one of a NIC", type);
	if (object == NULL && type != PRM_DEST_TYPE_NOWHERE)
		return sc_refuse(
			call, PRM_STATUS_BAD_RES, "destination_id 0x%x of type %u does not exist", id, type);
	if (extended && prm_get(format, PRM_DEST_FORMAT_PACKET_REFORMAT)) {
		id = prm_get(format, PRM_DEST_FORMAT_PACKET_REFORMAT_ID);
		reformat = sc_call_find(call, SC_REFORMAT, id);
		if (reformat == NULL)
			return sc_refuse(
				call, PRM_STATUS_BAD_RES, "packet_reformat_id 0x%x does not exist", id);
	}
	sc_link(&destination->object, object);
	sc_link(&destination->reformat, reformat);
	return 0;
}

/* The destination list, and behind it the counter list. */
static int
read_lists(struct sc_call *call, const uint8_t *context, uint32_t action, struct sc_fate *fate)
{
	bool extended = prm_get(context, PRM_FLOW_CONTEXT_EXTENDED_DESTINATION);
	uint32_t stride = extended ? PRM_EXTENDED_DEST_FORMAT_BYTES : PRM_DEST_FORMAT_BYTES;
	uint32_t nb = prm_get(context, PRM_FLOW_CONTEXT_DESTINATION_LIST_SIZE);
	uint32_t nb_counters = prm_get(context, PRM_FLOW_CONTEXT_FLOW_COUNTER_LIST_SIZE), i, id;
	const uint8_t *list = prm_area_const(context, PRM_FLOW_CONTEXT_DESTINATION);
	struct sc_counters *counter;
	int rc;

	if (!(action & PRM_FLOW_ACTION_FWD_DEST) != (nb == 0) || nb > DESTINATIONS_MAX)
		return sc_refuse(
			call, PRM_STATUS_BAD_PARAM, "destination_list_size %u with action 0x%x", nb, action);
	if (nb_counters != (action & PRM_FLOW_ACTION_COUNT ? 1 : 0))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "flow_counter_list_size %u with action 0x%x",
			nb_counters, action);
	if (call->in_len < PRM_SET_FTE_IN_BYTES + nb * stride + nb_counters * PRM_DEST_FORMAT_BYTES)
		return sc_refuse(call, PRM_STATUS_BAD_INP_LEN,
			"%u destinations and %u counters do not fit %u bytes", nb, nb_counters, call->in_len);
	if (nb != 0 && (fate->destinations = calloc(nb, sizeof(*fate->destinations))) == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for %u destinations", nb);
	for (i = 0; i < nb; i++) {
		rc = find_destination(call, list + i * stride, extended, &fate->destinations[i]);
		if (rc != 0)
			return rc;
		fate->nb_destinations = i + 1;
	}
	if (nb_counters != 0) {
		id = prm_load32(list + nb * stride);
		counter = sc_call_find(call, SC_FLOW_COUNTER, id);
		if (counter == NULL || id - counter->obj.id >= counter->nb)
			return sc_refuse(call, PRM_STATUS_BAD_RES, "flow counter 0x%x does not exist", id);
		sc_link(&fate->counter, counter);
		fate->counter_offset = id - counter->obj.id;
	}
	return 0;
}

static int
read_fate(struct sc_call *call, const uint8_t *context, struct sc_fate *fate)
{
	enum {
		KNOWN = PRM_FLOW_ACTION_ALLOW | PRM_FLOW_ACTION_DROP | PRM_FLOW_ACTION_FWD_DEST |
			PRM_FLOW_ACTION_COUNT | PRM_FLOW_ACTION_PACKET_REFORMAT |
			PRM_FLOW_ACTION_MODIFY_HEADER,
		FATES = PRM_FLOW_ACTION_ALLOW | PRM_FLOW_ACTION_DROP | PRM_FLOW_ACTION_FWD_DEST,
	};
	uint32_t action = prm_get(context, PRM_FLOW_CONTEXT_ACTION), id;
	struct sc_object *object;

	if (action & ~(uint32_t)KNOWN || __builtin_popcount(action & FATES) != 1)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"action 0x%x: allow, drop or forward, with count, reformat and "
			"modify header",
			action);
	fate->drop = action & PRM_FLOW_ACTION_DROP;
	fate->allow = action & PRM_FLOW_ACTION_ALLOW;
	fate->tag = prm_get(context, PRM_FLOW_CONTEXT_FLOW_TAG);
	fate->tagged = fate->tag != 0;
	if (action & PRM_FLOW_ACTION_PACKET_REFORMAT) {
		id = prm_get(context, PRM_FLOW_CONTEXT_PACKET_REFORMAT_ID);
		object = sc_call_find(call, SC_REFORMAT, id);
		if (object == NULL)
			return sc_refuse(
				call, PRM_STATUS_BAD_RES, "packet_reformat_id 0x%x does not exist", id);
		sc_link(&fate->reformat, object);
	}
	if (action & PRM_FLOW_ACTION_MODIFY_HEADER) {
		id = prm_get(context, PRM_FLOW_CONTEXT_MODIFY_HEADER_ID);
		object = sc_call_find(call, SC_MODIFY_HEADER, id);
		if (object == NULL)
			return sc_refuse(call, PRM_STATUS_BAD_RES, "modify_header_id 0x%x does not exist",
				id);
		sc_link(&fate->modify, object);
	}
	return read_lists(call, context, action, fate);
}

int
sc_set_flow_table_entry(struct sc_call *call)
{
	const uint8_t *context = prm_area_const(call->in, PRM_SET_FTE_IN_FLOW_CONTEXT);
	uint32_t index = prm_get(call->in, PRM_SET_FTE_IN_FLOW_INDEX);
	uint32_t group_id = prm_get(context, PRM_FLOW_CONTEXT_GROUP_ID);
	struct sc_flow_table *table;
	struct sc_fte *entry, **link;
	struct sc_group *group;
	int rc = find_ordinary(call, &table);

	if (rc != 0)
		return rc;
	group = sc_call_find_own(call, SC_FLOW_GROUP, group_id);
	if (group == NULL || group->table != table)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "group_id 0x%x is no group of table 0x%x",
			group_id, table->obj.id);
	if (index < group->first || index > group->last)
		return sc_refuse(call, PRM_STATUS_IX, "flow_index %u is outside group 0x%x (%u to %u)", index,
			group_id, group->first, group->last);
	if (call->op_mod != 0)
		return sc_refuse(
			call, PRM_STATUS_BAD_OP, "op_mod %u: an entry is set as a whole", call->op_mod);
	for (link = &group->entries; *link != NULL && (*link)->index < index; link = &(*link)->next)
		;
	if (*link != NULL && (*link)->index == index)
		return sc_refuse(call, PRM_STATUS_BAD_RES_STATE, "flow_index %u is in use", index);
	entry = calloc(1, sizeof(*entry));
	if (entry == NULL)
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for a flow table entry");
	entry->index = index;
	sc_match_value(&entry->value, &group->mask, prm_area_const(context, PRM_FLOW_CONTEXT_MATCH_VALUE),
		SC_MATCH_BYTES);
	rc = read_fate(call, context, &entry->fate);
	if (rc != 0) {
		sc_fate_release(&entry->fate);
		free(entry);
		return rc;
	}
	entry->next = *link;
	*link = entry;
	return 0;
}

int
sc_delete_flow_table_entry(struct sc_call *call)
{
	uint32_t index = prm_get(call->in, PRM_DELETE_FTE_IN_FLOW_INDEX);
	struct sc_fte *entry, **link;
	struct sc_flow_table *table;
	struct sc_group *group;
	int rc = find_ordinary(call, &table);

	if (rc != 0)
		return rc;
	for (group = table->groups; group != NULL; group = group->next)
		for (link = &group->entries; (entry = *link) != NULL; link = &entry->next)
			if (entry->index == index) {
				*link = entry->next;
				sc_fate_release(&entry->fate);
				free(entry);
				return 0;
			}
	return sc_refuse(call, PRM_STATUS_IX, "flow_index %u of table 0x%x is empty", index, table->obj.id);
}
