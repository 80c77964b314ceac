/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/stc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hca/device.h"
#include "prm/object.h"

#define STC_LOG_RANGE 14
#define STC_NONE UINT32_MAX

void
stc_attr_nop(struct hca_stc_attr *attr, uint8_t ste_action_offset)
{
	memset(attr, 0, sizeof(*attr));
	attr->action_type = PRM_STC_ACTION_NOP;
	attr->ste_action_offset = ste_action_offset;
}

void
stc_attr_hit(struct hca_stc_attr *attr, uint8_t action_type)
{
	memset(attr, 0, sizeof(*attr));
	attr->action_type = action_type;
	attr->ste_action_offset = PRM_STC_OFFSET_HIT;
}

int
stc_range_create(struct hca_device *dev, uint8_t table_type, struct stc_range *range)
{
	const struct hca_caps *caps = &dev->caps;
	uint8_t log = STC_LOG_RANGE;

	if (log > caps->wqe.stc_alloc_log_max)
		log = caps->wqe.stc_alloc_log_max;
	if (log < caps->wqe.stc_alloc_log_granularity)
		log = caps->wqe.stc_alloc_log_granularity;
	memset(range, 0, sizeof(*range));
	range->size = 1u << log;
	range->free_list = STC_NONE;
	/* The same bit with which RTCs are told never to reparse by themselves (matcher.c). */
	range->by_stc_reparse = (caps->wqe.rtc_reparse_mode & 1 << PRM_RTC_REPARSE_BY_STC) != 0;
	return hca_cmd_create_stc(dev, table_type, log, &range->obj);
}

void
stc_range_destroy(struct stc_range *range)
{
	hca_obj_destroy(range->obj);
	free(range->elements);
	memset(range, 0, sizeof(*range));
}

/* A free element's number; its memory grows by doubling, as few of the range's elements are ever used. */
static int
take(struct stc_range *range, uint32_t *index)
{
	uint32_t nb = range->nb_allocated == 0 ? 64 : range->nb_allocated * 2;
	struct stc_element *elements;

	if (range->free_list != STC_NONE) {
		*index = range->free_list;
		range->free_list = range->elements[*index].next;
		return 0;
	}
	if (range->nb_used == range->size)
		return -ENOSPC;
	if (range->nb_used == range->nb_allocated) {
		elements = realloc(range->elements, nb * sizeof(*elements));
		if (elements == NULL)
			return -ENOMEM;
		range->elements = elements;
		range->nb_allocated = nb;
	}
	*index = range->nb_used++;
	return 0;
}

static void
untake(struct stc_range *range, uint32_t index)
{
	range->elements[index].refs = 0;
	range->elements[index].next = range->free_list;
	range->free_list = index;
}

int
stc_set(struct stc_range *range, uint32_t index, const struct hca_stc_attr *attr)
{
	struct hca_stc_attr written = *attr;
	int ret;

	if (!range->by_stc_reparse)
		written.reparse_mode = PRM_STC_REPARSE_IGNORE;
	ret = hca_cmd_modify_stc(range->obj, index, &written);
	if (ret == 0)
		range->elements[index].attr = *attr;
	return ret;
}

static int
get_new(struct stc_range *range, const struct hca_stc_attr *attr, bool shared, uint32_t *index)
{
	int ret = take(range, index);

	if (ret < 0)
		return ret;
	ret = stc_set(range, *index, attr);
	if (ret < 0) {
		untake(range, *index);
		return ret;
	}
	range->elements[*index].refs = 1;
	range->elements[*index].shared = shared;
	range->nb_refs++;
	return 0;
}

int
stc_get(struct stc_range *range, const struct hca_stc_attr *attr, uint32_t *index)
{
	for (uint32_t i = 0; i < range->nb_used; i++) {
		struct stc_element *element = &range->elements[i];

		if (element->refs == 0 || !element->shared || memcmp(&element->attr, attr, sizeof(*attr)) != 0)
			continue;
		element->refs++;
		range->nb_refs++;
		*index = i;
		return 0;
	}
	return get_new(range, attr, true, index);
}

int
stc_get_own(struct stc_range *range, const struct hca_stc_attr *attr, uint32_t *index)
{
	return get_new(range, attr, false, index);
}

void
stc_put(struct stc_range *range, uint32_t index)
{
	struct stc_element *element = &range->elements[index];
	struct hca_stc_attr drop;

	range->nb_refs--;
	if (--element->refs > 0)
		return;
	stc_attr_hit(&drop, PRM_STC_ACTION_DROP);
	/* A failure is logged below; the slot is lost to nobody, the next user rewrites it. */
	(void)hca_cmd_modify_stc(range->obj, index, &drop);
	untake(range, index);
}
