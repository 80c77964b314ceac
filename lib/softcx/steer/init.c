/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Birth and death of a device's steering, and what a user context leaves behind.
 */
#include <errno.h>
#include <stdlib.h>

#include "softcx/core/settings.h"
#include "softcx/steer/memory.h"
#include "softcx/steer/ordinary.h"
#include "softcx/steer/root.h"

static struct sc_definer *
predefined(struct sc_device *dev)
{
	struct sc_definer *definer = calloc(1, sizeof(*definer));
	unsigned int bad;

	if (definer == NULL)
		return NULL;
	/* No selector, no mask: every entry is hit. */
	(void)sc_definer_compile(definer, &bad);
	if (sc_object_add(dev, SC_DEFINER, &definer->obj, 1, 0) != 0) {
		free(definer);
		return NULL;
	}
	return definer;
}

/* Of the setting seed and the port; not 0, which the generator would never leave. */
static uint32_t
first_random(const struct sc_device *dev)
{
	uint64_t mixed = (dev->settings->seed + 1 + dev->index) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(mixed >> 32) | 1;
}

int
sc_steer_init(struct sc_device *dev)
{
	struct sc_steering *steering = calloc(1, sizeof(*steering));

	if (steering == NULL)
		return -ENOMEM;
	sc_memory_open();
	steering->dev = dev;
	steering->random = first_random(dev);
	dev->steering = steering;
	steering->trivial = predefined(dev);
	steering->linear = predefined(dev);
	if (steering->trivial == NULL || steering->linear == NULL) {
		sc_steer_fini(dev);
		return -ENOMEM;
	}
	steering->linear->linear = true;
	return 0;
}

/* The next object of a type after id that belongs to uid; uid 0: any. */
static void *
next_of(const struct sc_device *dev, enum sc_type type, uint16_t uid, uint32_t after)
{
	struct sc_object *object = sc_object_next(dev, type, after);

	while (object != NULL && uid != 0 && object->uid != uid)
		object = sc_object_next(dev, type, object->id);
	return object;
}

/*
 * Links first, so that nothing points to anything; then objects of each type, those that others were in
 * (rules, groups) before their owners.
 */
static void
cut_links(struct sc_device *dev, uint16_t uid)
{
	struct sc_flow_table *table = NULL;
	struct sc_stc_range *stcs = NULL;
	uint32_t after, i;

	for (after = UINT32_MAX; (table = next_of(dev, SC_FLOW_TABLE, uid, after)) != NULL;
		after = table->obj.id) {
		sc_link(&table->miss, NULL);
		sc_link(&table->rtc, NULL);
		sc_groups_free(table);
	}
	for (after = UINT32_MAX; (stcs = next_of(dev, SC_STC, uid, after)) != NULL; after = stcs->obj.id)
		for (i = 0; i < stcs->nb; i++)
			sc_stc_clear(&stcs->stc[i]);
}

#define FREE_ALL(dev, uid, type, ctype, release) do { \
		struct ctype *object_; \
		while ((object_ = next_of(dev, type, uid, UINT32_MAX)) != NULL) \
			release(object_); \
	} while (0)

static void
release(struct sc_device *dev, uint16_t uid)
{
	FREE_ALL(dev, uid, SC_ROOT_RULE, sc_root_rule, sc_root_rule_free);
	FREE_ALL(dev, uid, SC_ROOT_MATCHER, sc_root_matcher, sc_root_matcher_free);
	cut_links(dev, uid);
	FREE_ALL(dev, uid, SC_RTC, sc_rtc, sc_rtc_free);
	FREE_ALL(dev, uid, SC_ANCHOR, sc_anchor, sc_anchor_free);
	FREE_ALL(dev, uid, SC_FLOW_TABLE, sc_flow_table, sc_flow_table_free);
	FREE_ALL(dev, uid, SC_STE, sc_ste_range, sc_ste_range_free);
	FREE_ALL(dev, uid, SC_STC, sc_stc_range, sc_stc_range_free);
	FREE_ALL(dev, uid, SC_PATTERN, sc_pattern, sc_pattern_free);
	FREE_ALL(dev, uid, SC_ARG, sc_arg, sc_arg_free);
	FREE_ALL(dev, uid, SC_FLOW_COUNTER, sc_counters, sc_counters_free);
	FREE_ALL(dev, uid, SC_MODIFY_HEADER, sc_object, sc_flow_action_free);
	FREE_ALL(dev, uid, SC_REFORMAT, sc_object, sc_flow_action_free);
	FREE_ALL(dev, uid, SC_DEFINER, sc_definer, sc_definer_free);
}

void
sc_steer_release(struct sc_device *dev, uint16_t uid)
{
	if (uid != 0)
		release(dev, uid);
}

void
sc_steer_fini(struct sc_device *dev)
{
	if (dev->steering == NULL)
		return;
	release(dev, 0);
	sc_memory_close();
	free(dev->steering);
	dev->steering = NULL;
}

void
sc_steer_stats_get(const struct sc_device *dev, struct sc_steer_stats *stats)
{
	const struct sc_ste_range *range = NULL;
	uint32_t after;

	*stats = dev->steering->stats;
	for (after = UINT32_MAX; (range = next_of(dev, SC_STE, 0, after)) != NULL; after = range->obj.id) {
		stats->entries += range->used;
		stats->entry_bytes += (uint64_t)range->touched * sizeof(struct sc_entry);
	}
}
