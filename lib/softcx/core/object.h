/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a device owns: numbered objects of a type, with references between them.
 *
 * Threads: the engine's thread only (or, stepped, whoever holds the engine). Nothing here locks.
 */
#ifndef SOFTCX_OBJECT_H
#define SOFTCX_OBJECT_H

#include <stdint.h>
#include <stddef.h>

struct sc_device;

enum sc_type {
	SC_PD, SC_UAR, SC_TD, SC_TIS, SC_TIR, SC_RQT, SC_EQ, SC_CQ, SC_SQ, SC_RQ, SC_MKEY, SC_UMEM,
	SC_Q_COUNTER, SC_FLOW_COUNTER, SC_FLOW_TABLE, SC_FLOW_GROUP, SC_DEFINER, SC_STC, SC_RTC, SC_STE,
	SC_PATTERN, SC_ARG,
	SC_REFORMAT, SC_MODIFY_HEADER, SC_ROOT_MATCHER, SC_ROOT_RULE, SC_ROOT_ACTION, SC_ANCHOR,
	SC_TYPES
};

/* The head of every object; the object's own struct begins with it. */
struct sc_object {
	struct sc_device *dev;
	uint32_t id;    /* first id */
	uint32_t range; /* ids it occupies: id .. id + range - 1 */
	uint32_t refs;  /* how many others point to it; not destroyed before 0 */
	uint16_t type;  /* enum sc_type */
	uint16_t uid;   /* user context that made it; 0 = the kernel's side */
	uint64_t birth; /* order of making, for close: the youngest goes first */
	uint64_t bytes; /* host memory it covers or holds, for the census; the owner of the type sets it */
};

/*
 * Give obj a free id (range consecutive ids, the first aligned to range) and make it findable.
 * Each type has its own id space and limit (object.c has the table): definers 1..255, most others 24 bits.
 * @return 0, or -ENOSPC when the type's ids are used up.
 */
int sc_object_add(struct sc_device *dev, enum sc_type type, struct sc_object *obj, uint32_t range,
	uint16_t uid);

/* The object whose id range holds id, or NULL. O(1) for single ids. */
void *sc_object_find(const struct sc_device *dev, enum sc_type type, uint32_t id);

static inline void
sc_object_get(struct sc_object *obj)
{
	obj->refs++;
}

static inline void
sc_object_put(struct sc_object *obj)
{
	obj->refs--;
}

/* Forget obj and free its ids; the caller has seen refs == 0 and frees the memory itself. */
void sc_object_remove(struct sc_object *obj);

/*
 * The next object of the type with an id above after (start with UINT32_MAX), or NULL. For census and
 * close.
 */
void *sc_object_next(const struct sc_device *dev, enum sc_type type, uint32_t after);

const char *sc_type_name(enum sc_type type);

/*
 * How the device gets rid of an object of that type when its user context closes (0 or -EBUSY while it is
 * referenced; the object is gone afterwards). Types without one are destroyed by their DESTROY command.
 */
typedef int (*sc_destroy_fn)(struct sc_object *obj);
void sc_object_on_close(struct sc_device *dev, enum sc_type type, sc_destroy_fn fn);

struct sc_census {
	uint64_t objects, ids, refs, bytes;
};
void sc_object_census(const struct sc_device *dev, struct sc_census rows[SC_TYPES]);

#endif
