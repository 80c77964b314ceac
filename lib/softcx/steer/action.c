/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What an STE does with a frame that hits it: its slots in the order counter, DW5, DW6/DW7, hit, each by what
 * the STC of the slot says now (hws.md 10.4).
 */
#include <string.h>

#include "prm/object.h"
#include "prm/wqe.h"
#include "softcx/steer/walk.h"

/* The dwords of the STE that a slot has: DW0 of the counter, DW5, or DW6 and DW7. */
struct operands {
	uint32_t low, high;
};

static uint32_t
dword(const struct sc_entry *entry, uint32_t number)
{
	return prm_load32(entry->t + 4 * (number - 5));
}

/* 0, or negative: the frame is lost. */
static int
run_nop(struct sc_walk *walk, const struct sc_stc *stc, struct operands op)
{
	return 0;
}

static int
run_counter(struct sc_walk *walk, const struct sc_stc *stc, struct operands op)
{
	struct sc_counters *counters = (struct sc_counters *)(void *)stc->target;
	uint32_t at = stc->base + op.low;

	if (at < counters->nb) {
		counters->counts[at].packets++;
		counters->counts[at].octets += walk->pkt->len;
	}
	return 0;
}

static int
run_tag(struct sc_walk *walk, const struct sc_stc *stc, struct operands op)
{
	walk->pkt->flow_tag = op.low & 0xffffff;
	return 0;
}

/* Where size bytes lie in the argument from its unit on, or NULL beyond its end. */
static const uint8_t *
argument(const struct sc_stc *stc, uint32_t unit, uint32_t size)
{
	const struct sc_arg *arg = (const struct sc_arg *)(const void *)stc->argument;
	uint64_t at = (uint64_t)(stc->base + unit) * SC_ARG_UNIT;

	return at + size <= (uint64_t)arg->units * SC_ARG_UNIT ? arg->bytes + at : NULL;
}

static int
run_edit(struct sc_walk *walk, const struct sc_stc *stc, struct operands op)
{
	const uint8_t *bytes = NULL;

	if (stc->argument != NULL && (bytes = argument(stc, op.high, stc->edit.size)) == NULL)
		return -1;
	walk->hl_fresh = false;
	walk->edited = true;
	return sc_edit_run(&stc->edit, walk->pkt, &walk->parse, op.high, bytes);
}

/*
 * The pattern's commands in order, each with its data from the argument; all on the parse as it was before.
 */
static int
run_list(struct sc_walk *walk, const struct sc_stc *stc, struct operands op)
{
	enum { COMMAND_BYTES = 8 };
	const struct sc_pattern *pattern = (const struct sc_pattern *)(const void *)stc->target;
	const uint8_t *bytes = argument(stc, op.high, pattern->nb * COMMAND_BYTES);
	uint32_t i;

	if (bytes == NULL)
		return -1;
	walk->hl_fresh = false;
	walk->edited = true;
	for (i = 0; i < pattern->nb; i++, bytes += COMMAND_BYTES)
		if (sc_edit_run(&pattern->edits[i], walk->pkt, &walk->parse, sc_edit_operand(bytes),
		    NULL) != 0)
			return -1;
	return 0;
}

static struct sc_next
hit_ste(struct sc_walk *walk, const struct sc_stc *stc, uint32_t hit)
{
	const struct sc_ste_range *stes = (const struct sc_ste_range *)(const void *)stc->target;
	uint32_t place = stc->base + (hit >> PRM_WQE_STE_HIT_INDEX_SHIFT);

	if (place >= stes->places)
		return sc_walk_drop(walk, &walk->steering->stats.miss_drops);
	return (struct sc_next){ .stes = stes, .place = place };
}

static struct sc_next
hit_tir(struct sc_walk *walk, const struct sc_stc *stc, uint32_t hit)
{
	sc_walk_deliver(walk, stc->target);
	return SC_NOWHERE;
}

static struct sc_next
hit_table(struct sc_walk *walk, const struct sc_stc *stc, uint32_t hit)
{
	return (struct sc_next){ .table = (const struct sc_flow_table *)(const void *)stc->target };
}

static struct sc_next
hit_drop(struct sc_walk *walk, const struct sc_stc *stc, uint32_t hit)
{
	return sc_walk_drop(walk, &walk->steering->stats.rule_drops);
}

static struct sc_next
hit_allow(struct sc_walk *walk, const struct sc_stc *stc, uint32_t hit)
{
	return sc_walk_default(walk);
}

enum { HIT_BASE = PRM_STC_ACTION_JUMP_TO_STE_TABLE };

static int (*const runs[])(struct sc_walk *, const struct sc_stc *, struct operands) = {
	[PRM_STC_ACTION_NOP] = run_nop, [PRM_STC_ACTION_COPY] = run_edit, [PRM_STC_ACTION_SET] = run_edit,
	[PRM_STC_ACTION_ADD] = run_edit, [PRM_STC_ACTION_ADD_FIELD] = run_edit,
	[PRM_STC_ACTION_REMOVE_WORDS] = run_edit, [PRM_STC_ACTION_HEADER_REMOVE] = run_edit,
	[PRM_STC_ACTION_HEADER_INSERT] = run_edit, [PRM_STC_ACTION_TAG] = run_tag,
	[PRM_STC_ACTION_ACC_MODIFY_LIST] = run_list, [PRM_STC_ACTION_COUNTER] = run_counter,
};

static struct sc_next (*const hits[])(struct sc_walk *, const struct sc_stc *, uint32_t) = {
	[PRM_STC_ACTION_JUMP_TO_STE_TABLE - HIT_BASE] = hit_ste,
	[PRM_STC_ACTION_JUMP_TO_TIR - HIT_BASE] = hit_tir,
	[PRM_STC_ACTION_JUMP_TO_FT - HIT_BASE] = hit_table,
	[PRM_STC_ACTION_DROP - HIT_BASE] = hit_drop,
	[PRM_STC_ACTION_ALLOW - HIT_BASE] = hit_allow,
};

/*
 * An STC may have been rewritten after an STE took it; what no longer fits its slot (a freed one is a DROP at
 * the hit slot) loses the frame.
 */
static bool
fits(const struct sc_stc *stc, bool hit)
{
	size_t at = hit ? (size_t)stc->type - HIT_BASE : stc->type;

	if (stc->offset == SC_STC_UNSET || (stc->type >= HIT_BASE) != hit)
		return false;
	return hit ? at < sizeof(hits) / sizeof(hits[0]) && hits[at] != NULL :
		at < sizeof(runs) / sizeof(runs[0]) && runs[at] != NULL;
}

static int
run_slot(struct sc_walk *walk, const struct sc_stc *stc, struct operands op, bool *reparse)
{
	if (!fits(stc, false))
		return -1;
	*reparse |= stc->reparse == PRM_STC_REPARSE_ALWAYS;
	return runs[stc->type](walk, stc, op);
}

struct sc_next
sc_entry_execute(struct sc_walk *walk, const struct sc_rtc *rtc, const struct sc_entry *entry)
{
	const struct sc_stc *stcs = rtc->stcs->stc, *hit = stcs + entry->stc[1];
	bool reparse = rtc->reparse == PRM_RTC_REPARSE_ALWAYS;
	int rc = run_slot(walk, stcs + entry->stc[0], (struct operands){ entry->counter, 0 }, &reparse);

	if (rc == 0 && entry->code != PRM_WQE_GTA_NUM_JUMBO) {
		rc = run_slot(walk, stcs + entry->stc[2], (struct operands){ dword(entry, 5), 0 }, &reparse);
		if (rc == 0)
			rc = run_slot(walk, stcs + entry->stc[3],
				(struct operands){dword(entry, 6), dword(entry, 7)}, &reparse);
		if (rc == 0 && entry->code == PRM_WQE_GTA_NUM_COMBO_2)
			rc = run_slot(
				walk, stcs + entry->stc[4], (struct operands){dword(entry, 7), 0}, &reparse);
	}
	if (rc != 0 || !fits(hit, true))
		return sc_walk_drop(walk, &walk->steering->stats.action_drops);
	reparse |= hit->reparse == PRM_STC_REPARSE_ALWAYS;
	/* Nothing changed: parsing again would only say the same. */
	if (reparse && walk->edited)
		sc_walk_reparse(walk);
	return hits[hit->type - HIT_BASE](walk, hit, entry->hit);
}
