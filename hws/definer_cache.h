/* SPDX-License-Identifier: BSD-3-Clause */

/* Definer objects of the device by content, with reference counts: ids are few (8 bits). Under the context's lock. */
#ifndef MLX5DR_DEFINER_CACHE_H
#define MLX5DR_DEFINER_CACHE_H

#include "hws/definer.h"

struct hca_device;
struct hca_obj;

struct definer_object {
	struct definer_object *next;
	struct hca_obj *obj;
	unsigned int refs;
	struct definer definer;
};

struct definer_cache {
	struct definer_object *first;
};

int definer_get(struct definer_cache *cache, struct hca_device *dev, const struct definer *definer,
		struct definer_object **object);
void definer_put(struct definer_cache *cache, struct definer_object *object);

#endif
