/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/definer_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd_steering.h"

/* The device sees selectors and mask; which selectors are "used" with a zero mask is our own bookkeeping. */
static bool
same(const struct definer *a, const struct definer *b)
{
	return a->jumbo == b->jumbo && memcmp(a->dw, b->dw, sizeof(a->dw)) == 0 &&
	       memcmp(a->byte, b->byte, sizeof(a->byte)) == 0 && memcmp(a->mask, b->mask, sizeof(a->mask)) == 0;
}

int
definer_get(struct definer_cache *cache, struct hca_device *dev, const struct definer *definer,
	    struct definer_object **object)
{
	struct hca_definer_attr attr;
	struct definer_object *new;
	int ret;

	for (new = cache->first; new != NULL; new = new->next) {
		if (!same(&new->definer, definer))
			continue;
		new->refs++;
		*object = new;
		return 0;
	}
	new = calloc(1, sizeof(*new));
	if (new == NULL)
		return -ENOMEM;
	memcpy(attr.dw, definer->dw, sizeof(attr.dw));
	memcpy(attr.byte, definer->byte, sizeof(attr.byte));
	memcpy(attr.mask, definer->mask, sizeof(attr.mask));
	ret = hca_cmd_create_definer(dev, &attr, &new->obj);
	if (ret < 0) {
		free(new);
		return ret;
	}
	new->definer = *definer;
	new->refs = 1;
	new->next = cache->first;
	cache->first = new;
	*object = new;
	return 0;
}

void
definer_put(struct definer_cache *cache, struct definer_object *object)
{
	struct definer_object **at;

	if (--object->refs > 0)
		return;
	for (at = &cache->first; *at != object; at = &(*at)->next)
		;
	*at = object->next;
	hca_obj_destroy(object->obj);
	free(object);
}
