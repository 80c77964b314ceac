/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The objects of steering. A pointer from one to another holds a reference (sc_object_get), so that what is
 * pointed to cannot be destroyed; the commands in cmd/ make and change them, gta.c fills tables, walk.c
 * follows the pointers.
 */
#ifndef SOFTCX_OBJECTS_H
#define SOFTCX_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "softcx/core/device.h"
#include "softcx/core/object.h"
#include "softcx/steer/definer.h"
#include "softcx/steer/edit.h"
#include "softcx/steer/ste.h"
#include "softcx/steer/steer.h"

struct sc_root_matcher;

/*
 * Numbers of the table types that a NIC without e-switch has; the same in flow tables, RTCs, STCs and STEs.
 */
#define SC_TYPE_OF(domain) ((uint8_t)(domain))

enum sc_table_kind {
	SC_TABLE_RTC,      /* rtc_valid: an entry point of hardware steering */
	SC_TABLE_ORDINARY, /* groups and entries */
	SC_TABLE_ANCHOR,   /* goes on in the root at a priority */
};

struct sc_group;

struct sc_flow_table {
	struct sc_object obj;
	uint8_t kind, table_type, level, log_size;
	bool reformat_en, decap_en;
	struct sc_flow_table *miss; /* NULL: the domain's default */
	struct sc_rtc *rtc;
	struct sc_group *groups;    /* ordinary */
	uint16_t priority;          /* anchor */
};

struct sc_stc {
	uint8_t type;    /* PRM_STC_ACTION_*; a fresh element is NOP, valid nowhere */
	uint8_t offset;  /* dword of the STE; SC_STC_UNSET until first written */
	uint8_t reparse; /* PRM_STC_REPARSE_* */
	struct sc_edit edit;          /* actions on the bytes */
	struct sc_object *target;     /* TIR, table, counter bulk, pattern, STE range, or NULL */
	struct sc_object *argument;   /* ARG object, or NULL */
	uint32_t base;                /* counter: offset in the bulk; argument: first unit in its object */
};

#define SC_STC_UNSET 0xff

struct sc_stc_range {
	struct sc_object obj;
	uint8_t table_type;
	uint32_t nb;
	struct sc_stc *stc;
};

struct sc_rtc {
	struct sc_object obj;
	uint8_t table_type, log_rows, log_depth, reparse;
	bool jumbo;          /* 11DW entries */
	bool update_by_offset, access_linear;
	bool always_hit;     /* the definer only chooses the row */
	struct sc_object *pd;
	uint32_t first;      /* first place in the range */
	struct sc_definer *definer;
	struct sc_stc_range *stcs;
	struct sc_ste_range *stes;
	struct sc_flow_table *miss; /* NULL: a miss is impossible, or leads nowhere */
	struct sc_rtc *next_in_range;
};

/* A tag that was hashed when its work request was looked ahead at; whoever has the same tag has its hash. */
struct sc_gta_look {
	const struct sc_rtc *rtc; /* NULL: empty */
	uint32_t hash;
	uint8_t t[SC_TAG_BYTES];
};

#define SC_GTA_LOOKS 8

struct sc_pattern {
	struct sc_object obj;
	uint32_t nb;
	struct sc_edit edits[SC_PATTERN_MAX];
};

#define SC_ARG_UNIT 64

struct sc_arg {
	struct sc_object obj;
	struct sc_object *pd;
	uint32_t units;
	uint32_t written; /* units behind which all are zero */
	uint8_t *bytes;
};

struct sc_count {
	uint64_t packets, octets;
};

struct sc_counters {
	struct sc_object obj;
	uint32_t nb;
	struct sc_object *pd; /* whose queues may read them by ASO; NULL: nobody's */
	struct sc_count *counts;
};

struct sc_modify_header {
	struct sc_object obj;
	uint8_t table_type;
	uint32_t nb;
	struct sc_edit edits[]; /* with their data */
};

struct sc_reformat {
	struct sc_object obj;
	uint8_t table_type, type; /* PRM_REFORMAT_* */
	uint32_t len;
	uint8_t data[];
};

/* What a root rule or an entry of an ordinary table does with a frame. Pointers hold references. */
struct sc_destination {
	struct sc_object *object;      /* SC_TIR or SC_FLOW_TABLE; NULL: nowhere */
	struct sc_reformat *reformat;  /* of this copy alone, or NULL */
};

struct sc_fate {
	bool drop, allow, next_priority, tagged;
	uint32_t tag, counter_offset;
	struct sc_counters *counter;
	struct sc_modify_header *modify;
	struct sc_reformat *reformat;
	uint32_t nb_destinations;
	struct sc_destination *destinations;
};

/* Give back the references and the list. */
void sc_fate_release(struct sc_fate *fate);

struct sc_steering {
	struct sc_device *dev;
	struct sc_definer *trivial, *linear;
	struct sc_root_matcher *root[SC_DOMAINS]; /* by priority, then age */
	struct sc_steer_stats stats;
	uint32_t random;
	/* the object of the last GTA WQE, looked up again only when another is named or one has gone */
	struct sc_rtc *last_rtc;
	struct sc_arg *last_arg;
	struct sc_gta_look looks[SC_GTA_LOOKS]; /* by the work request's place in its ring */
};

/* Destructors: give back references and ids, free. The caller has seen refs == 0. */
void sc_flow_table_free(struct sc_flow_table *table);
void sc_stc_range_free(struct sc_stc_range *range);
void sc_ste_range_free(struct sc_ste_range *range);
void sc_rtc_free(struct sc_rtc *rtc);
void sc_definer_free(struct sc_definer *definer);
void sc_pattern_free(struct sc_pattern *pattern);
void sc_arg_free(struct sc_arg *arg);
void sc_counters_free(struct sc_counters *counters);
/* SC_MODIFY_HEADER, SC_REFORMAT */
void sc_flow_action_free(struct sc_object *object);

/* Forget what an STC element points to and make it a NOP valid nowhere. */
void sc_stc_clear(struct sc_stc *stc);

/* Point *link at object (or NULL), moving the reference. Links are pointers to structs that begin with
 * sc_object. */
#define sc_link(link, object) \
	sc_link_object((struct sc_object **)(void *)(link), (struct sc_object *)(void *)(object))
static inline void
sc_link_object(struct sc_object **link, struct sc_object *object)
{
	if (object != NULL)
		sc_object_get(object);
	if (*link != NULL)
		sc_object_put(*link);
	*link = object;
}

#endif
