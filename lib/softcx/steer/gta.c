/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * GTA work requests: STEs written and erased, arguments filled (hws.md 5, 10.9). This is what a rule's
 * insertion is made of, so the way of a good one is short: find the RTC, look at five STCs, mask and hash the
 * tag, search the row, store.
 */
#include <string.h>

#include "prm/object.h"
#include "prm/wqe.h"
#include "softcx/core/trace.h"
#include "softcx/steer/objects.h"

enum {
	SYNDROME_LOCAL_OPERATION = 0x02,
	SYNDROME_LOCAL_PROTECTION = 0x04,
	GTA_AT = PRM_WQE_CTRL_BYTES, /* of the GTA control segment in the first block */
	STC_IX_AT = 4,               /* in it */
};

#define WRONG(dev, syndrome, ...) (sc_complain((dev), __VA_ARGS__), -(syndrome))

/* What one STE write says. */
struct request {
	struct sc_device *dev;
	struct sc_rtc *rtc;
	const uint8_t *gta;  /* control */
	const uint8_t *data; /* STE image */
	uint32_t row;        /* by offset */
	uint8_t t[SC_TAG_BYTES] __attribute__((aligned(16))); /* the tag under the mask, action bytes zero */
};

/* What take_actions() finds, as an entry has it. */
struct actions {
	uint16_t stc[SC_NB_SLOTS_OF_STE];
	uint8_t code;
};

/* STE dword of each slot of stc_ix[], by number-of-actions code. */
static const struct {
	bool known;
	uint8_t nb;
	uint8_t offset[SC_NB_SLOTS_OF_STE];
} combos[8] = {
	[PRM_WQE_GTA_NUM_JUMBO] = { true, 2, { 0, 3 } },
	[PRM_WQE_GTA_NUM_COMBO_1] = { true, 4, { 0, 3, 5, 6 } },
	[PRM_WQE_GTA_NUM_COMBO_2] = { true, 5, { 0, 3, 5, 6, 7 } },
};

/* stc_ix[0] shares its dword with the code, the others follow, a dword each. */
_Static_assert(PRM_WQE_GTA_CTRL_STC_IX_0 == PRM_FIELD(STC_IX_AT, 28, 29) &&
	PRM_WQE_GTA_CTRL_STC_IX_1 == PRM_FIELD(STC_IX_AT + 4, 31, 32) &&
	PRM_WQE_GTA_CTRL_STC_IX_2 == PRM_FIELD(STC_IX_AT + 8, 31, 32) &&
	PRM_WQE_GTA_CTRL_STC_IX_3 == PRM_FIELD(STC_IX_AT + 12, 31, 32) &&
	PRM_WQE_GTA_CTRL_STC_IX_4 == PRM_FIELD(STC_IX_AT + 16, 31, 32), "stc_ix[] as they are read");

static struct sc_rtc *
find_rtc(struct sc_steering *steering, uint32_t id)
{
	struct sc_rtc *rtc = steering->last_rtc;

	if (rtc == NULL || rtc->obj.id != id) {
		rtc = sc_object_find(steering->dev, SC_RTC, id);
		steering->last_rtc = rtc;
	}
	return rtc;
}

static inline uint32_t
tag_from(const struct sc_rtc *rtc)
{
	return rtc->jumbo ? 0 : SC_TAG_8DW_AT;
}

static int __attribute__((noinline, cold))
wrong_stc(const struct request *r, uint32_t i, uint32_t index, uint8_t slot)
{
	const struct sc_stc_range *stcs = r->rtc->stcs;

	if (index >= stcs->nb)
		return WRONG(r->dev, SYNDROME_LOCAL_OPERATION,
			"gta wqe: stc_ix[%u] %u: the rtc's stc range has %u", i, index, stcs->nb);
	return WRONG(r->dev, SYNDROME_LOCAL_OPERATION,
		"gta wqe: stc_ix[%u] %u has ste_action_offset %u, the slot is %u", i, index,
		stcs->stc[index].offset, slot);
}

/* The STC indices and their slots. */
static inline int
take_actions(const struct request *r, struct actions *actions)
{
	const struct sc_stc_range *stcs = r->rtc->stcs;
	const uint8_t *slot, *named = r->gta + STC_IX_AT;
	uint32_t code = prm_get(r->gta, PRM_WQE_GTA_CTRL_NUM_ACTIONS), i, index;

	if (!combos[code].known)
		return WRONG(r->dev, SYNDROME_LOCAL_OPERATION, "gta wqe: number-of-actions code %u", code);
	if ((code == PRM_WQE_GTA_NUM_JUMBO) != r->rtc->jumbo)
		return WRONG(r->dev, SYNDROME_LOCAL_OPERATION,
			"gta wqe: number-of-actions code %u in rtc 0x%x of %s format", code, r->rtc->obj.id,
			r->rtc->jumbo ? "11DW" : "8DW");
	slot = combos[code].offset;
	index = prm_get(r->gta, PRM_WQE_GTA_CTRL_STC_IX_0);
	for (i = 0;;) {
		if (__builtin_expect(index >= stcs->nb || stcs->stc[index].offset != slot[i], 0))
			return wrong_stc(r, i, index, slot[i]);
		actions->stc[i] = (uint16_t)index;
		if (++i == combos[code].nb)
			break;
		index = prm_load32(named + 4 * i);
	}
	actions->code = (uint8_t)code;
	return 0;
}

/* The entry that an image makes: actions as taken, tag as masked. */
static inline void
fill(const struct request *r, const struct actions *actions, struct sc_entry *entry)
{
	memcpy(entry->stc, actions->stc, sizeof(entry->stc));
	entry->code = actions->code;
	entry->counter = prm_get(r->data, PRM_WQE_STE_COUNTER_OFFSET);
	entry->hit = prm_get(r->data, PRM_WQE_STE_HIT_LSB);
	memcpy(entry->t, r->t, SC_TAG_BYTES);
	if (!r->rtc->jumbo)
		memcpy(entry->t, r->data + PRM_WQE_STE_TAG_JUMBO_AT, SC_TAG_8DW_AT);
}

/* First place of the row that a hash names. */
static uint32_t
row_of(const struct sc_rtc *rtc, uint32_t hash)
{
	return rtc->first + ((hash & ((1u << rtc->log_rows) - 1)) << rtc->log_depth);
}

static inline struct sc_gta_look *
look_of(struct sc_steering *steering, const uint8_t *first)
{
	return &steering->looks[(uintptr_t)first / PRM_WQE_GTA_BYTES % SC_GTA_LOOKS];
}

/* Hash of the masked tag: what looking ahead found for an equal one of the same RTC, else computed. */
static inline uint32_t
hash_of(const struct request *r)
{
	const struct sc_gta_look *look = look_of(r->dev->steering, r->gta - GTA_AT);

	if (__builtin_expect(look->rtc == r->rtc && sc_tag_equal(look->t, r->t, tag_from(r->rtc)), 1))
		return look->hash;
	return sc_definer_hash(r->rtc->definer, r->t);
}

static int
activate(struct request *r)
{
	struct sc_ste_range *stes = r->rtc->stes;
	struct actions actions = { .code = 0 };
	struct sc_entry *entry;
	int64_t place, room;
	uint32_t hash = 0;
	int rc = take_actions(r, &actions);

	if (rc != 0)
		return rc;
	if (r->rtc->update_by_offset) {
		place = r->rtc->first + r->row;
		room = place;
		if (stes->slots[place] == 0)
			place = -1;
	} else {
		hash = hash_of(r);
		place = sc_ste_find(stes, row_of(r->rtc, hash), 1u << r->rtc->log_depth, hash, r->t,
			tag_from(r->rtc), &room);
		if (place < 0 && room < 0)
			return SC_WQE_FAILED;
	}
	entry = place >= 0 ? sc_ste_at(stes, (uint32_t)place) : sc_ste_take(stes, (uint32_t)room, hash);
	fill(r, &actions, entry);
	r->dev->steering->stats.inserted++;
	return 0;
}

static int
deactivate(struct request *r)
{
	struct sc_ste_range *stes = r->rtc->stes;
	int64_t place, room;
	uint32_t hash;

	if (r->rtc->update_by_offset) {
		place = stes->slots[r->rtc->first + r->row] == 0 ? -1 : (int64_t)(r->rtc->first + r->row);
	} else {
		hash = hash_of(r);
		place = sc_ste_find(stes, row_of(r->rtc, hash), 1u << r->rtc->log_depth, hash, r->t,
			tag_from(r->rtc), &room);
	}
	if (place < 0)
		return SC_WQE_FAILED;
	sc_ste_give(stes, (uint32_t)place);
	r->dev->steering->stats.deleted++;
	return 0;
}

static int
write_ste(struct sc_device *dev, uint32_t pd, uint32_t id, const uint8_t *gta, const uint8_t *data)
{
	struct request r;
	uint32_t op = prm_get(gta, PRM_WQE_GTA_CTRL_OP);
	int rc;

	r.dev = dev;
	r.gta = gta;
	r.data = data;
	r.rtc = find_rtc(dev->steering, id);
	if (r.rtc == NULL)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION, "gta wqe: imm 0x%x is no rtc", id);
	if (r.rtc->pd->id != pd)
		return WRONG(dev, SYNDROME_LOCAL_PROTECTION, "gta wqe: rtc 0x%x has pd 0x%x, the sq 0x%x", id,
			r.rtc->pd->id, pd);
	if (op > PRM_WQE_GTA_OP_DEACTIVATE)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION, "gta wqe: gta opcode %u", op);
	r.row = prm_get(gta, PRM_WQE_GTA_CTRL_DIRECT_INDEX);
	if (r.rtc->update_by_offset) {
		if (r.row >> (r.rtc->log_rows + r.rtc->log_depth) != 0) {
			dev->steering->stats.failed++;
			return SC_WQE_FAILED;
		}
	} else if (r.row != 0) {
		return WRONG(dev, SYNDROME_LOCAL_OPERATION,
			"gta wqe: direct index %u, rtc 0x%x is updated by hash", r.row, id);
	}
	/* Drivers do not mask it (4.4). */
	sc_definer_mask(r.rtc->definer, data + PRM_WQE_STE_TAG_JUMBO_AT, tag_from(r.rtc), r.t);
	rc = op == PRM_WQE_GTA_OP_ACTIVATE ? activate(&r) : deactivate(&r);
	if (rc == SC_WQE_FAILED)
		dev->steering->stats.failed++;
	return rc;
}

static int
write_argument(struct sc_device *dev, uint32_t pd, uint32_t id, const uint8_t *data)
{
	struct sc_steering *steering = dev->steering;
	struct sc_arg *arg = steering->last_arg;
	uint32_t unit;

	if (arg == NULL || id - arg->obj.id >= arg->units) {
		arg = sc_object_find(dev, SC_ARG, id);
		steering->last_arg = arg;
	}
	if (arg == NULL)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION, "gta wqe: imm 0x%x is inside no argument", id);
	if (arg->pd->id != pd)
		return WRONG(dev, SYNDROME_LOCAL_PROTECTION,
			"gta wqe: argument 0x%x has access_pd 0x%x, the sq 0x%x", id, arg->pd->id, pd);
	unit = id - arg->obj.id;
	if (unit >= arg->written)
		arg->written = unit + 1;
	memcpy(arg->bytes + (size_t)unit * SC_ARG_UNIT, data, SC_ARG_UNIT);
	steering->stats.arguments++;
	return 0;
}

/*
 * Rows are met at random, so in a large table each costs a memory access that nothing hides; a look ahead
 * does. Bytes and numbers are not believed: whatever they are, only an address inside the RTC's places and
 * the hash of a tag come out.
 */
void
sc_gta_prefetch(struct sc_device *dev, const uint8_t *first, const uint8_t *second)
{
	const struct sc_rtc *rtc = dev->steering->last_rtc;
	struct sc_gta_look *look;

	if (rtc == NULL || rtc->update_by_offset || prm_get(first, PRM_WQE_CTRL_IMM) != rtc->obj.id ||
			prm_get(first, PRM_WQE_CTRL_OPC_MOD) != PRM_WQE_GTA_OPMOD_STE)
		return;
	look = look_of(dev->steering, first);
	sc_definer_mask(rtc->definer, second + PRM_WQE_STE_TAG_JUMBO_AT, tag_from(rtc), look->t);
	look->hash = sc_definer_hash(rtc->definer, look->t);
	look->rtc = rtc;
	__builtin_prefetch(rtc->stes->slots + row_of(rtc, look->hash), 1);
}

int
sc_gta_execute(struct sc_device *dev, uint32_t pd, const uint8_t *first, const uint8_t *second)
{
	uint32_t id = prm_get(first, PRM_WQE_CTRL_IMM), mode = prm_get(first, PRM_WQE_CTRL_OPC_MOD);

	if (prm_get(first, PRM_WQE_CTRL_DS) != PRM_WQE_GTA_DS)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION, "gta wqe: ds %u, not %u",
			prm_get(first, PRM_WQE_CTRL_DS), PRM_WQE_GTA_DS);
	if (mode == PRM_WQE_GTA_OPMOD_STE)
		return write_ste(dev, pd, id, first + GTA_AT, second);
	if (mode == PRM_WQE_GTA_OPMOD_ARG)
		return write_argument(dev, pd, id, second);
	return WRONG(dev, SYNDROME_LOCAL_OPERATION, "gta wqe: opc_mod %u", mode);
}
