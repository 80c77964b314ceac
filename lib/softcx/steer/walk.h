/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A frame on its way through the tables (hws.md 10): what is known of it, and where it goes next.
 */
#ifndef SOFTCX_WALK_H
#define SOFTCX_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "softcx/steer/hl.h"
#include "softcx/steer/match.h"
#include "softcx/steer/objects.h"

struct sc_walk {
	struct sc_device *dev;
	struct sc_steering *steering;
	struct sc_packet *pkt;
	enum sc_domain domain;
	uint32_t steps;    /* tables and STEs so far */
	uint32_t random;
	bool hl_fresh;     /* hl shows what pkt is */
	bool edited;       /* bytes changed since the frame was parsed */
	struct sc_parse parse;
	struct sc_match_view view;
	uint8_t hl[SC_HL_BYTES] __attribute__((aligned(16)));
};

/* Where a frame goes: exactly one of them, or nowhere any more. */
struct sc_next {
	const struct sc_flow_table *table;
	const struct sc_ste_range *stes; /* and place in it */
	uint32_t place;
	bool root;                       /* root tables, from this priority on */
	uint32_t priority;
};

static const struct sc_next SC_NOWHERE;

/* Make hl (and the checksum verdicts) agree with the frame. */
void sc_walk_show(struct sc_walk *walk, bool verdicts);

/* Parse the frame as it is now. */
void sc_walk_reparse(struct sc_walk *walk);

/* The end of a frame's way, or its default where a table leads nowhere. */
struct sc_next sc_walk_default(struct sc_walk *walk);
struct sc_next sc_walk_drop(struct sc_walk *walk, uint64_t *why);
void sc_walk_deliver(struct sc_walk *walk, struct sc_object *tir);

/* Send a copy of the frame, as it is now, its own way. The walk goes on with the original. */
void sc_walk_fork(struct sc_walk *walk, const struct sc_destination *destination);

/* ---- action.c: what entries do ---- */

/* Run the actions of an STE; @return where it sends the frame. */
struct sc_next sc_entry_execute(struct sc_walk *walk, const struct sc_rtc *rtc, const struct sc_entry *entry);

/* ---- fate.c: what root rules and entries of ordinary tables do ---- */

struct sc_next sc_fate_execute(struct sc_walk *walk, const struct sc_fate *fate, uint32_t priority);
/* @return 0, or negative where the frame would grow too long. */
int sc_reformat_run(struct sc_walk *walk, const struct sc_reformat *reformat);

#endif
