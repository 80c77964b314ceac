/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Ids to objects: one radix tree of three levels per type (10 + 10 + 11 bits). A range that covers whole
 * nodes is stored as one tagged entry on the level it covers, so that a range of 2^26 STEs costs 32 entries
 * and is found as fast as a single id.
 */
#include "softcx/core/object.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "softcx/core/device.h"
#include "softcx/core/internal.h"

#define TOP_BITS  10
#define MID_BITS  10
#define LEAF_BITS 11
#define MID_IDS   (1u << (MID_BITS + LEAF_BITS)) /* ids under one entry of the top */
#define LEAF_IDS  (1u << LEAF_BITS)              /* ids under one entry of a middle node */

/* An entry is NULL, a node, or an object (tagged) that covers all ids below it. */
#define TAG ((uintptr_t)1)

struct leaf {
	uint32_t used;
	struct sc_object *object[LEAF_IDS];
};

struct middle {
	uint32_t used;
	uintptr_t entry[1 << MID_BITS];
};

struct id_space {
	uintptr_t entry[1 << TOP_BITS];
	uint32_t cursor; /* ids are given out in turn, so that a stale one is not soon somebody else's */
};

struct sc_objects {
	struct id_space space[SC_TYPES];
	sc_destroy_fn on_close[SC_TYPES];
	uint64_t births;
};

static const struct {
	const char *name;
	uint32_t first, last;
} types[SC_TYPES] = {
	[SC_PD] = { "pd", 1, 0xffffff },
	[SC_UAR] = { "uar", 1, 0xffffff },
	[SC_TD] = { "td", 1, 0xffffff },
	[SC_TIS] = { "tis", 1, 0xffffff },
	[SC_TIR] = { "tir", 1, 0xffffff },
	[SC_RQT] = { "rqt", 1, 0xffffff },
	[SC_EQ] = { "eq", 1, 0xff },
	[SC_CQ] = { "cq", 1, 0xffffff },
	[SC_SQ] = { "sq", 1, 0xffffff },
	[SC_RQ] = { "rq", 1, 0xffffff },
	[SC_MKEY] = { "mkey", 1, 0xffffff },
	[SC_UMEM] = { "umem", 1, 0xffffff },
	[SC_Q_COUNTER] = { "q_counter", 1, 0xff },
	[SC_FLOW_COUNTER] = { "flow_counter", 4, 0x7fffffff },
	[SC_FLOW_TABLE] = { "flow_table", 1, 0xffffff },
	[SC_FLOW_GROUP] = { "flow_group", 1, 0xffffff },
	/* drivers keep definer ids in eight bits */
	[SC_DEFINER] = { "definer", 1, 0xff },
	[SC_STC] = { "stc", 1, 0x7fffffff },
	[SC_RTC] = { "rtc", 1, 0xffffff },
	[SC_STE] = { "ste", 1, 0x7fffffff },
	[SC_PATTERN] = { "pattern", 1, 0xffffff },
	[SC_ARG] = { "arg", 1, 0x7fffffff },
	[SC_REFORMAT] = { "reformat", 1, 0xffffff },
	[SC_MODIFY_HEADER] = { "modify_header", 1, 0xffffff },
	[SC_ROOT_MATCHER] = { "root_matcher", 1, 0xffffff },
	[SC_ROOT_RULE] = { "root_rule", 1, 0xffffff },
	[SC_ROOT_ACTION] = { "root_action", 1, 0xffffff },
	[SC_ANCHOR] = { "anchor", 1, 0xffffff },
};

const char *
sc_type_name(enum sc_type type)
{
	return type < SC_TYPES ? types[type].name : "unknown";
}

int
sc_objects_init(struct sc_device *dev)
{
	dev->objects = calloc(1, sizeof(*dev->objects));
	return dev->objects == NULL ? -ENOMEM : 0;
}

void
sc_objects_fini(struct sc_device *dev)
{
	struct id_space *space;
	struct middle *mid;
	unsigned int type, i, j;

	if (dev->objects == NULL)
		return;
	for (type = 0; type < SC_TYPES; type++) {
		space = &dev->objects->space[type];
		for (i = 0; i < 1u << TOP_BITS; i++) {
			if (space->entry[i] == 0 || space->entry[i] & TAG)
				continue;
			mid = (struct middle *)space->entry[i];
			for (j = 0; j < 1u << MID_BITS; j++)
				if (mid->entry[j] != 0 && !(mid->entry[j] & TAG))
					free((void *)mid->entry[j]);
			free(mid);
		}
	}
	free(dev->objects);
	dev->objects = NULL;
}

void *
sc_object_find(const struct sc_device *dev, enum sc_type type, uint32_t id)
{
	uintptr_t entry;

	if (id > 0x7fffffff)
		return NULL;
	entry = dev->objects->space[type].entry[id >> (MID_BITS + LEAF_BITS)];
	if (entry == 0 || entry & TAG)
		return (void *)(entry & ~TAG);
	entry = ((struct middle *)entry)->entry[id >> LEAF_BITS & ((1u << MID_BITS) - 1)];
	if (entry == 0 || entry & TAG)
		return (void *)(entry & ~TAG);
	return ((struct leaf *)entry)->object[id & (LEAF_IDS - 1)];
}

/* The object that covers id or else the first one above it. */
static struct sc_object *
find_from(const struct id_space *space, uint64_t id)
{
	const struct middle *mid;
	const struct leaf *leaf;
	uintptr_t entry;

	while (id <= 0x7fffffff) {
		entry = space->entry[id >> (MID_BITS + LEAF_BITS)];
		if (entry & TAG)
			return (struct sc_object *)(entry & ~TAG);
		if (entry == 0) {
			id = (id | (MID_IDS - 1)) + 1;
			continue;
		}
		mid = (const struct middle *)entry;
		entry = mid->entry[id >> LEAF_BITS & ((1u << MID_BITS) - 1)];
		if (entry & TAG)
			return (struct sc_object *)(entry & ~TAG);
		if (entry == 0) {
			id = (id | (LEAF_IDS - 1)) + 1;
			continue;
		}
		leaf = (const struct leaf *)entry;
		if (leaf->object[id & (LEAF_IDS - 1)] != NULL)
			return leaf->object[id & (LEAF_IDS - 1)];
		id++;
	}
	return NULL;
}

static struct middle *
middle_get(struct id_space *space, uint32_t id)
{
	uintptr_t *entry = &space->entry[id >> (MID_BITS + LEAF_BITS)];

	if (*entry == 0)
		*entry = (uintptr_t)calloc(1, sizeof(struct middle));
	return (struct middle *)*entry;
}

static struct leaf *
leaf_get(struct middle *mid, uint32_t id)
{
	uintptr_t *entry = &mid->entry[id >> LEAF_BITS & ((1u << MID_BITS) - 1)];

	if (*entry == 0) {
		*entry = (uintptr_t)calloc(1, sizeof(struct leaf));
		if (*entry != 0)
			mid->used++;
	}
	return (struct leaf *)*entry;
}

/* Give back nodes on the way to id that hold nothing. */
static void
prune(struct id_space *space, uint32_t id)
{
	uintptr_t *top = &space->entry[id >> (MID_BITS + LEAF_BITS)], *entry;
	struct middle *mid;

	if (*top == 0 || *top & TAG)
		return;
	mid = (struct middle *)*top;
	entry = &mid->entry[id >> LEAF_BITS & ((1u << MID_BITS) - 1)];
	if (*entry != 0 && !(*entry & TAG) && ((struct leaf *)*entry)->used == 0) {
		free((void *)*entry);
		*entry = 0;
		mid->used--;
	}
	if (mid->used == 0) {
		free(mid);
		*top = 0;
	}
}

/*
 * Write value (an object or NULL) into the tree from id on, in the largest step that fits.
 * @return ids covered; 0: no memory.
 */
static uint32_t
put(struct id_space *space, uint32_t id, uint32_t left, struct sc_object *value)
{
	uintptr_t tagged = value == NULL ? 0 : (uintptr_t)value | TAG, *entry;
	struct middle *mid;
	struct leaf *leaf;

	if ((id & (MID_IDS - 1)) == 0 && left >= MID_IDS) {
		space->entry[id >> (MID_BITS + LEAF_BITS)] = tagged;
		return MID_IDS;
	}
	mid = middle_get(space, id);
	if (mid == NULL)
		return 0;
	if ((id & (LEAF_IDS - 1)) == 0 && left >= LEAF_IDS) {
		entry = &mid->entry[id >> LEAF_BITS & ((1u << MID_BITS) - 1)];
		mid->used += (tagged != 0) - (*entry != 0);
		*entry = tagged;
		prune(space, id);
		return LEAF_IDS;
	}
	leaf = leaf_get(mid, id);
	if (leaf == NULL) {
		prune(space, id);
		return 0;
	}
	leaf->used += (value != NULL) - (leaf->object[id & (LEAF_IDS - 1)] != NULL);
	leaf->object[id & (LEAF_IDS - 1)] = value;
	prune(space, id);
	return 1;
}

static int
put_range(struct id_space *space, uint32_t id, uint32_t range, struct sc_object *value)
{
	uint32_t done = 0, step;

	while (done < range) {
		step = put(space, id + done, range - done, value);
		if (step == 0) {
			put_range(space, id, done, NULL);
			return -ENOMEM;
		}
		done += step;
	}
	return 0;
}

/* First free aligned range in from .. last, or 0. */
static uint32_t
search(const struct id_space *space, uint64_t from, uint64_t last, uint32_t range)
{
	const struct sc_object *next;
	uint64_t id = (from + range - 1) / range * range;

	while (id + range - 1 <= last) {
		next = find_from(space, id);
		if (next == NULL || next->id >= id + range)
			return (uint32_t)id;
		id = ((uint64_t)next->id + next->range + range - 1) / range * range;
	}
	return 0;
}

int
sc_object_add(struct sc_device *dev, enum sc_type type, struct sc_object *obj, uint32_t range, uint16_t uid)
{
	struct id_space *space = &dev->objects->space[type];
	uint32_t first = types[type].first, last = types[type].last, id;
	int ret;

	if (range == 0 || range > last)
		return -ENOSPC;
	id = search(space, space->cursor < first ? first : space->cursor, last, range);
	if (id == 0)
		id = search(space, first, last, range);
	if (id == 0)
		return -ENOSPC;
	ret = put_range(space, id, range, obj);
	if (ret < 0)
		return ret;
	space->cursor = id + range;
	obj->dev = dev;
	obj->id = id;
	obj->range = range;
	obj->refs = 0;
	obj->type = type;
	obj->uid = uid;
	obj->birth = ++dev->objects->births;
	return 0;
}

void
sc_object_remove(struct sc_object *obj)
{
	struct id_space *space = &obj->dev->objects->space[obj->type];

	/* Clearing needs no memory: the nodes that hold the range are there. */
	put_range(space, obj->id, obj->range, NULL);
}

void *
sc_object_next(const struct sc_device *dev, enum sc_type type, uint32_t after)
{
	const struct sc_object *obj;

	if (after == UINT32_MAX)
		return find_from(&dev->objects->space[type], 0);
	obj = sc_object_find(dev, type, after);
	return find_from(&dev->objects->space[type], obj == NULL ? (uint64_t)after + 1 :
		(uint64_t)obj->id + obj->range);
}

void
sc_object_census(const struct sc_device *dev, struct sc_census rows[SC_TYPES])
{
	const struct sc_object *obj;
	unsigned int type;

	for (type = 0; type < SC_TYPES; type++) {
		struct sc_census *row = &rows[type];

		for (obj = sc_object_next(dev, type, UINT32_MAX); obj != NULL;
		     obj = sc_object_next(dev, type, obj->id)) {
			row->objects++;
			row->ids += obj->range;
			row->refs += obj->refs;
			row->bytes += obj->bytes;
		}
	}
}

/* ---- the end of a user context ------------------------------------------------------------------------- */

void
sc_object_on_close(struct sc_device *dev, enum sc_type type, sc_destroy_fn fn)
{
	dev->objects->on_close[type] = fn;
}

static int
younger_first(const void *a, const void *b)
{
	const struct sc_object *x = *(struct sc_object *const *)a, *y = *(struct sc_object *const *)b;

	return x->birth < y->birth ? 1 : x->birth > y->birth ? -1 : 0;
}

/* uid SC_UID_ANY: every object. */
static size_t
collect(struct sc_device *dev, uint32_t uid, struct sc_object **list)
{
	struct sc_object *obj;
	unsigned int type;
	size_t n = 0;

	for (type = 0; type < SC_TYPES; type++)
		for (obj = sc_object_next(dev, type, UINT32_MAX); obj != NULL;
		    obj = sc_object_next(dev, type, obj->id))
			if (obj->uid == uid || uid == SC_UID_ANY) {
				if (list != NULL)
					list[n] = obj;
				n++;
			}
	return n;
}

/* @return objects left because something still refers to them. */
size_t
sc_objects_close(struct sc_device *dev, uint32_t uid)
{
	size_t n = collect(dev, uid, NULL), left, gone, i;
	struct sc_object **list;
	struct sc_object *obj;

	if (n == 0)
		return 0;
	list = calloc(n, sizeof(*list));
	if (list == NULL)
		return n;
	collect(dev, uid, list);
	qsort(list, n, sizeof(*list), younger_first);
	/* The youngest first, as the kernel does; again while that frees what others waited for. */
	do {
		left = gone = 0;
		for (i = 0; i < n; i++) {
			obj = list[i];
			if (obj == NULL)
				continue;
			if (obj->refs == 0 &&
			    sc_object_destroy(obj, dev->objects->on_close[obj->type]) == 0) {
				list[i] = NULL;
				gone++;
			} else {
				left++;
			}
		}
	} while (gone > 0 && left > 0);
	free(list);
	return left;
}
