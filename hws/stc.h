/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * STCs of one direction: a range made when the context opens, elements given out by content. Two users of the same
 * action share one element. A freed element is rewritten to DROP first, so that it names no object any more.
 *
 * Threads: under the context's lock.
 */
#ifndef MLX5DR_STC_H
#define MLX5DR_STC_H

#include <stdint.h>

#include "hca/cmd_steering.h"

struct hca_device;

struct stc_element {
	struct hca_stc_attr attr;
	uint32_t refs;   /* 0: free */
	bool shared;     /* may be found by content */
	uint32_t next;   /* free list */
};

struct stc_range {
	struct hca_obj *obj;
	struct stc_element *elements; /* the first nb_used of them were used so far */
	uint32_t nb_used, nb_allocated, size;
	uint32_t free_list;
	uint32_t nb_refs;
	bool by_stc_reparse;
};

int stc_range_create(struct hca_device *dev, uint8_t table_type, struct stc_range *range);
void stc_range_destroy(struct stc_range *range);

/* An element with this content, new or shared. @return 0; -ENOSPC the range is used up; a command's error. */
int stc_get(struct stc_range *range, const struct hca_stc_attr *attr, uint32_t *index);
/* An element of one's own, whose content may be changed by stc_set. */
int stc_get_own(struct stc_range *range, const struct hca_stc_attr *attr, uint32_t *index);
int stc_set(struct stc_range *range, uint32_t index, const struct hca_stc_attr *attr);
void stc_put(struct stc_range *range, uint32_t index);

/* The common contents. */
void stc_attr_nop(struct hca_stc_attr *attr, uint8_t ste_action_offset);
void stc_attr_hit(struct hca_stc_attr *attr, uint8_t action_type);

#endif
