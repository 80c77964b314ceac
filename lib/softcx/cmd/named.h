/* SPDX-License-Identifier: BSD-3-Clause */

/* Making an object with a number, and finding the one that a command names. */
#ifndef SOFTCX_NAMED_H
#define SOFTCX_NAMED_H

#include <stddef.h>
#include <stdint.h>

#include "softcx/core/object.h"

struct sc_call;

/* The object of that id if the caller's user context may name it (its own, or the kernel's), else NULL. */
void *sc_call_find(const struct sc_call *call, enum sc_type type, uint32_t id);

/* The same for a command that changes or destroys it: the caller's own only, named by its first id. */
void *sc_call_find_own(const struct sc_call *call, enum sc_type type, uint32_t id);

/* size zeroed bytes that begin with struct sc_object, with an id. NULL: no memory or no id is left. */
void *sc_object_new(struct sc_device *dev, enum sc_type type, size_t size, uint16_t uid);

/* 0 is no domain: NULL. */
struct sc_object *sc_pd_find(const struct sc_device *dev, uint32_t pd);

/* The object whose number is in that field of the command; NULL: refused, with the errno in *ret. */
void *sc_named(struct sc_call *call, enum sc_type type, int field, int *ret);

/* Refuse what is not the caller's own and what is referenced, else destroy it. */
int sc_destroy_named(struct sc_call *call, enum sc_type type, int field,
	int (*destroy)(struct sc_object *obj));

/* mkey.c: what closes keys of a context that ends. */
void sc_mkey_init(struct sc_device *dev);

#endif
