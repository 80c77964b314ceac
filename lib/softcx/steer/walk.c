/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The loop of hws.md 10.2: table to rule table to entry to table, until a frame comes out somewhere.
 */
#include "softcx/steer/walk.h"

#include <stdlib.h>
#include <string.h>

#include "softcx/steer/ordinary.h"
#include "softcx/steer/root.h"

void
sc_walk_reparse(struct sc_walk *walk)
{
	sc_parse_frame(walk->pkt->data, walk->pkt->len, &walk->parse);
	walk->hl_fresh = false;
	walk->edited = false;
}

void
sc_walk_show(struct sc_walk *walk, bool verdicts)
{
	if (verdicts && !walk->parse.verified) {
		sc_parse_verify(walk->pkt->data, walk->pkt->len, &walk->parse);
		walk->hl_fresh = false;
	}
	if (walk->hl_fresh)
		return;
	sc_hl_fill(walk->hl, walk->pkt, &walk->parse, walk->random);
	sc_match_view_init(&walk->view, walk->hl, walk->pkt, &walk->parse);
	walk->hl_fresh = true;
}

/* ---- ends ---- */

/* The frame leaves steering: with it goes the parse of its bytes. */
static struct sc_packet *
finished(struct sc_walk *walk)
{
	if (walk->edited)
		sc_walk_reparse(walk);
	walk->pkt->parse = &walk->parse;
	return walk->pkt;
}

struct sc_next
sc_walk_drop(struct sc_walk *walk, uint64_t *why)
{
	(*why)++;
	return SC_NOWHERE;
}

void
sc_walk_deliver(struct sc_walk *walk, struct sc_object *tir)
{
	sc_nic_deliver(walk->dev, finished(walk), (struct sc_tir *)(void *)tir);
}

/*
 * Miss action "default" of a hardware-steering table, and the ALLOW action: on transmit the wire. On receive
 * there is no default in the domain of a user's tables: what shall reach the kernel goes through a steering
 * anchor.
 */
struct sc_next
sc_walk_default(struct sc_walk *walk)
{
	if (walk->domain == SC_DOMAIN_TX) {
		sc_port_transmit(walk->dev, finished(walk));
		return SC_NOWHERE;
	}
	walk->dev->port.rx_steering_discard++;
	return sc_walk_drop(walk, &walk->steering->stats.miss_drops);
}

/* Would the kernel's netdev have this frame? */
static bool
host_wants(const struct sc_device *dev, const struct sc_packet *pkt)
{
	bool multicast = pkt->data[0] & 1; /* broadcast too */

	return dev->promisc || multicast || memcmp(pkt->data, dev->mac, sizeof(dev->mac)) == 0;
}

/* Behind the last root table is the kernel. */
static struct sc_next
root_default(struct sc_walk *walk)
{
	if (walk->domain == SC_DOMAIN_TX || !host_wants(walk->dev, walk->pkt))
		return sc_walk_default(walk);
	sc_port_to_host(walk->dev, finished(walk));
	return SC_NOWHERE;
}

/* ---- tables ---- */

static struct sc_next
visit_root(struct sc_walk *walk, uint32_t priority)
{
	const struct sc_root_matcher *first = walk->steering->root[walk->domain], *matcher;
	const struct sc_root_rule *rule;
	bool verdicts = false;

	if (first == NULL)
		return root_default(walk);
	for (matcher = first; matcher != NULL; matcher = matcher->next)
		verdicts |= matcher->wants_verdict;
	sc_walk_show(walk, verdicts);
	rule = sc_root_lookup(first, priority, &walk->view);
	if (rule == NULL)
		return root_default(walk);
	return sc_fate_execute(walk, &rule->fate, rule->matcher->priority);
}

static struct sc_next
follow_miss(struct sc_walk *walk, const struct sc_flow_table *miss)
{
	if (miss == NULL)
		return sc_walk_default(walk);
	return (struct sc_next){ .table = miss };
}

/* The entry a packet's tag hits in the row from place first on, or NULL. */
static const struct sc_entry *
search_row(const struct sc_rtc *rtc, uint32_t first, uint32_t hash, const uint8_t *t)
{
	uint32_t from = rtc->jumbo ? 0 : SC_TAG_8DW_AT, place, end = first + (1u << rtc->log_depth);
	const struct sc_entry *entry;
	int64_t found, room;

	if (!rtc->update_by_offset) {
		found = sc_ste_find(rtc->stes, first, 1u << rtc->log_depth, hash, t, from, &room);
		return found < 0 ? NULL : sc_ste_at(rtc->stes, (uint32_t)found);
	}
	/* Entries put there by index: nothing of their hash is known. */
	for (place = first; place < end; place++) {
		entry = sc_ste_at(rtc->stes, place);
		if (entry != NULL && (rtc->always_hit ||
				memcmp(entry->t + from, t + from, SC_TAG_BYTES - from) == 0))
			return entry;
	}
	return NULL;
}

static struct sc_next
visit_rtc(struct sc_walk *walk, const struct sc_rtc *rtc)
{
	uint8_t t[SC_TAG_BYTES] __attribute__((aligned(16)));
	const struct sc_entry *entry;
	uint32_t hash, row;

	sc_walk_show(walk, rtc->definer->wants_verdict);
	sc_definer_tag(rtc->definer, walk->hl, t);
	hash = sc_definer_hash(rtc->definer, t);
	row = rtc->access_linear ? walk->pkt->reg[SC_REG_C_0 + 3] >> 16 : hash;
	row &= (1u << rtc->log_rows) - 1;
	entry = search_row(rtc, rtc->first + (row << rtc->log_depth), hash, t);
	if (entry == NULL)
		return follow_miss(walk, rtc->miss);
	return sc_entry_execute(walk, rtc, entry);
}

static struct sc_next
visit_table(struct sc_walk *walk, const struct sc_flow_table *table)
{
	const struct sc_group *group;
	const struct sc_fte *entry;
	bool verdicts = false;

	switch (table->kind) {
	case SC_TABLE_ANCHOR:
		return (struct sc_next){ .root = true, .priority = table->priority };
	case SC_TABLE_ORDINARY:
		for (group = table->groups; group != NULL; group = group->next)
			verdicts |= sc_match_wants_verdict(&group->mask);
		sc_walk_show(walk, verdicts);
		entry = sc_ordinary_lookup(table, &walk->view);
		return entry == NULL ? follow_miss(walk, table->miss)
				     : sc_fate_execute(walk, &entry->fate, UINT32_MAX);
	default:
		return table->rtc == NULL ? follow_miss(walk, table->miss) : visit_rtc(walk, table->rtc);
	}
}

/*
 * A jump to one STE. The RTC that lies over it says whether the tag there is compared: action STEs have the
 * trivial definer and are always hit; an array of match STEs has a real one, and a mismatch follows that
 * RTC's miss (10.3).
 */
static struct sc_next
visit_place(struct sc_walk *walk, const struct sc_ste_range *stes, uint32_t place)
{
	uint8_t t[SC_TAG_BYTES] __attribute__((aligned(16)));
	const struct sc_entry *entry;
	const struct sc_rtc *rtc;

	for (rtc = stes->rtcs; rtc != NULL; rtc = rtc->next_in_range)
		if (place >= rtc->first && place - rtc->first < 1u << (rtc->log_rows + rtc->log_depth))
			break;
	if (rtc == NULL)
		return sc_walk_drop(walk, &walk->steering->stats.miss_drops);
	entry = sc_ste_at(stes, place);
	if (entry != NULL && !rtc->always_hit && rtc->definer->nb_used != 0) {
		uint32_t from = rtc->jumbo ? 0 : SC_TAG_8DW_AT;

		sc_walk_show(walk, rtc->definer->wants_verdict);
		sc_definer_tag(rtc->definer, walk->hl, t);
		if (memcmp(entry->t + from, t + from, SC_TAG_BYTES - from) != 0)
			entry = NULL;
	}
	if (entry == NULL)
		return follow_miss(walk, rtc->miss);
	return sc_entry_execute(walk, rtc, entry);
}

static void
run(struct sc_walk *walk, struct sc_next next)
{
	while (next.root || next.table != NULL || next.stes != NULL) {
		if (++walk->steps > SC_WALK_LIMIT) {
			sc_walk_drop(walk, &walk->steering->stats.loop_drops);
			return;
		}
		if (next.root)
			next = visit_root(walk, next.priority);
		else if (next.table != NULL)
			next = visit_table(walk, next.table);
		else
			next = visit_place(walk, next.stes, next.place);
	}
}

static void
begin(struct sc_walk *walk, struct sc_device *dev, struct sc_packet *pkt, enum sc_domain domain)
{
	struct sc_steering *steering = dev->steering;

	walk->dev = dev;
	walk->steering = steering;
	walk->pkt = pkt;
	walk->domain = domain;
	walk->steps = 0;
	steering->random ^= steering->random << 13;
	steering->random ^= steering->random >> 17;
	steering->random ^= steering->random << 5;
	walk->random = steering->random;
	sc_walk_reparse(walk);
}

void
sc_walk_fork(struct sc_walk *walk, const struct sc_destination *destination)
{
	struct sc_packet *copy = malloc(sizeof(*copy));
	struct sc_walk child;

	if (copy == NULL) {
		sc_walk_drop(walk, &walk->steering->stats.action_drops);
		return;
	}
	memcpy(copy, walk->pkt, offsetof(struct sc_packet, room));
	copy->data = copy->room + (walk->pkt->data - walk->pkt->room);
	copy->parse = NULL;
	memcpy(copy->data, walk->pkt->data, walk->pkt->len);
	begin(&child, walk->dev, copy, walk->domain);
	child.steps = walk->steps;
	if (destination->reformat != NULL && sc_reformat_run(&child, destination->reformat) != 0)
		sc_walk_drop(walk, &walk->steering->stats.action_drops);
	else if (destination->object == NULL)
		sc_walk_drop(walk, &walk->steering->stats.rule_drops);
	else if (destination->object->type == SC_TIR)
		sc_walk_deliver(&child, destination->object);
	else
		run(&child,
			(struct sc_next){.table = (const struct sc_flow_table *)(void *)destination->object});
	walk->steps = child.steps; /* one limit for the frame and all its copies: tables may lead in circles */
	free(copy);
}

void
sc_steer_receive(struct sc_device *dev, struct sc_packet *pkt)
{
	struct sc_walk walk;

	memset(pkt->reg, 0, sizeof(pkt->reg));
	pkt->flow_tag = 0;
	pkt->transmit = false;
	begin(&walk, dev, pkt, SC_DOMAIN_RX);
	run(&walk, (struct sc_next){ .root = true });
}

void
sc_steer_transmit(struct sc_device *dev, struct sc_packet *pkt)
{
	struct sc_walk walk;

	pkt->transmit = true;
	begin(&walk, dev, pkt, SC_DOMAIN_TX);
	run(&walk, (struct sc_next){ .root = true });
}
