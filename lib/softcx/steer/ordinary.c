/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/ordinary.h"

#include <stdlib.h>

void
sc_group_free(struct sc_group *group)
{
	struct sc_group **link = &group->table->groups;
	struct sc_fte *entry;

	while (*link != group)
		link = &(*link)->next;
	*link = group->next;
	while ((entry = group->entries) != NULL) {
		group->entries = entry->next;
		sc_fate_release(&entry->fate);
		free(entry);
	}
	sc_object_remove(&group->obj);
	free(group);
}

void
sc_groups_free(struct sc_flow_table *table)
{
	while (table->groups != NULL)
		sc_group_free(table->groups);
}

const struct sc_fte *
sc_ordinary_lookup(const struct sc_flow_table *table, struct sc_match_view *view)
{
	const struct sc_group *group;
	const struct sc_fte *entry;

	for (group = table->groups; group != NULL; group = group->next)
		for (entry = group->entries; entry != NULL; entry = entry->next)
			if (sc_match_hit(&group->mask, &entry->value, view))
				return entry;
	return NULL;
}
