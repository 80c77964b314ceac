/* SPDX-License-Identifier: BSD-3-Clause */

/* DevX user contexts: a number that marks what a program made, and the end of all of that. */
#include <errno.h>
#include <stdatomic.h>

#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/internal.h"
#include "softcx/core/parts.h"
#include "softcx/core/trace.h"

struct uctx_call {
	struct sc_device *dev;
	uint16_t uid;
	size_t left;
};

static int
uctx_create_call(void *arg)
{
	struct uctx_call *c = arg;

	if (c->dev->dead)
		return -EIO;
	c->uid = ++c->dev->next_uid;
	if (c->uid == 0)
		c->uid = ++c->dev->next_uid;
	return 0;
}

int
sc_uctx_create(struct sc_device *dev, uint16_t *uid)
{
	struct uctx_call c = { .dev = dev };
	int ret = sc_engine_call(uctx_create_call, &c);

	*uid = c.uid;
	return ret;
}

static _Atomic uint64_t left_behind;

uint64_t
sc_uctx_left_behind(void)
{
	return atomic_load(&left_behind);
}

/* A program that ends well has destroyed what it made. What it has not is destroyed for it, and told. */
static void
note_left_behind(struct sc_device *dev, uint16_t uid)
{
	const struct sc_object *obj;
	unsigned int type, n;

	for (type = 0; type < SC_TYPES; type++) {
		n = 0;
		for (obj = sc_object_next(dev, type, UINT32_MAX); obj != NULL;
		    obj = sc_object_next(dev, type, obj->id))
			n += obj->uid == uid;
		if (n == 0)
			continue;
		atomic_fetch_add(&left_behind, n);
		sc_complain(dev, "context %u closed without destroying %u %s", uid, n, sc_type_name(type));
	}
}

static int
uctx_destroy_call(void *arg)
{
	struct uctx_call *c = arg;
	const struct sc_part *const *part;

	note_left_behind(c->dev, c->uid);
	for (part = sc_parts; *part != NULL; part++)
		if ((*part)->release != NULL)
			(*part)->release(c->dev, c->uid);
	c->left = sc_objects_close(c->dev, c->uid);
	if (c->left > 0)
		sc_complain(c->dev, "context %u closed, %zu of its objects are still in use", c->uid,
			c->left);
	return 0;
}

size_t
sc_uctx_destroy(struct sc_device *dev, uint16_t uid)
{
	struct uctx_call c = { .dev = dev, .uid = uid };

	sc_engine_call(uctx_destroy_call, &c);
	return c.left;
}
