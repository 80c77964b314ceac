/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "prm/field.h"
#include "prm/table.h"
#include "softcx/core/trace.h"

#define REFUSE(dev, ...) (sc_complain((dev), __VA_ARGS__), -EINVAL)

static const char *const domain_names[SC_DOMAINS] = { "receive", "transmit" };

/* Where mask has bits: "08:ffffffff" is the dword at byte 8. */
static void
describe(const struct sc_match *match, const struct sc_match *mask, char *text, size_t size)
{
	size_t n = 0;
	uint32_t at, bits;

	text[0] = '\0';
	for (at = 0; at < SC_MATCH_BYTES && n < size; at += 4) {
		bits = prm_load32(mask->bytes + at);
		if (bits != 0)
			n += (size_t)snprintf(text + n, size - n, " %02x:%08x", at,
				prm_load32(match->bytes + at));
	}
}

int
sc_root_matcher_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, uint16_t priority,
	uint8_t criteria, const void *mask, size_t len, struct sc_root_matcher **matcher)
{
	struct sc_root_matcher *m, **link;
	char why[128];
	int rc;

	if (domain >= SC_DOMAINS)
		return REFUSE(
			dev, "root matcher of domain %u: only NIC receive 0 and transmit 1 exist", domain);
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return -ENOMEM;
	rc = sc_match_mask(&m->mask, criteria, mask, len, why, sizeof(why));
	if (rc != 0) {
		free(m);
		return REFUSE(dev, "root matcher: %s", why);
	}
	rc = sc_object_add(dev, SC_ROOT_MATCHER, &m->obj, 1, uid);
	if (rc != 0) {
		free(m);
		return rc;
	}
	m->domain = (uint8_t)domain;
	m->priority = priority;
	m->wants_verdict = sc_match_wants_verdict(&m->mask);
	m->last = &m->rules;
	for (link = &dev->steering->root[domain]; *link != NULL && (*link)->priority <= priority;
		link = &(*link)->next)
		;
	m->next = *link;
	*link = m;
	*matcher = m;
	describe(&m->mask, &m->mask, why, sizeof(why));
	sc_trace(dev, "root matcher 0x%x: %s, priority %u, mask%s", m->obj.id, domain_names[domain], priority,
		 why[0] == '\0' ? " of nothing" : why);
	return 0;
}

void
sc_root_matcher_free(struct sc_root_matcher *matcher)
{
	struct sc_root_matcher **link = &matcher->obj.dev->steering->root[matcher->domain];

	while (*link != matcher)
		link = &(*link)->next;
	*link = matcher->next;
	sc_object_remove(&matcher->obj);
	free(matcher);
}

int
sc_root_matcher_destroy(struct sc_root_matcher *matcher)
{
	if (matcher->rules != NULL) {
		sc_complain(matcher->obj.dev, "root matcher 0x%x still has rules", matcher->obj.id);
		return -EBUSY;
	}
	sc_root_matcher_free(matcher);
	return 0;
}

/* ---- actions into a fate; each checks and takes its reference ---- */

static int
set_drop(struct sc_root_matcher *m, const struct sc_root_action *action, struct sc_fate *fate)
{
	if (fate->drop)
		return REFUSE(m->obj.dev, "root rule: a second drop");
	fate->drop = true;
	return 0;
}

static int
set_tag(struct sc_root_matcher *m, const struct sc_root_action *action, struct sc_fate *fate)
{
	if (fate->tagged)
		return REFUSE(m->obj.dev, "root rule: a second tag");
	if (m->domain != SC_DOMAIN_RX)
		return REFUSE(m->obj.dev, "root rule: a flow tag on transmit");
	fate->tagged = true;
	fate->tag = action->value & 0xffffff;
	return 0;
}

static int
set_destination(struct sc_root_matcher *m, const struct sc_root_action *action, struct sc_fate *fate)
{
	const struct sc_object *object = action->object;

	if (object == NULL || (object->type != SC_TIR && object->type != SC_FLOW_TABLE))
		return REFUSE(m->obj.dev, "root rule: the destination is neither tir nor flow table");
	if (object->type == SC_TIR && m->domain != SC_DOMAIN_RX)
		return REFUSE(m->obj.dev, "root rule: tir 0x%x as destination on transmit", object->id);
	if (object->type == SC_FLOW_TABLE &&
		((const struct sc_flow_table *)(const void *)object)->table_type != SC_TYPE_OF(m->domain))
		return REFUSE(m->obj.dev, "root rule: flow table 0x%x is of another table_type", object->id);
	if (fate->nb_destinations != 0)
		return REFUSE(m->obj.dev, "root rule: a second destination");
	fate->destinations = calloc(1, sizeof(*fate->destinations));
	if (fate->destinations == NULL)
		return -ENOMEM;
	fate->nb_destinations = 1;
	sc_link(&fate->destinations[0].object, action->object);
	return 0;
}

static int
set_counter(struct sc_root_matcher *m, const struct sc_root_action *action, struct sc_fate *fate)
{
	struct sc_counters *counters = (struct sc_counters *)(void *)action->object;

	if (counters == NULL || counters->obj.type != SC_FLOW_COUNTER)
		return REFUSE(m->obj.dev, "root rule: the counter is not a flow counter");
	if (action->value >= counters->nb)
		return REFUSE(m->obj.dev, "root rule: counter offset %u in a bulk of %u", action->value,
			counters->nb);
	if (fate->counter != NULL)
		return REFUSE(m->obj.dev, "root rule: a second counter");
	sc_link(&fate->counter, counters);
	fate->counter_offset = action->value;
	return 0;
}

static int
set_default_miss(struct sc_root_matcher *m, const struct sc_root_action *action, struct sc_fate *fate)
{
	fate->next_priority = true;
	return 0;
}

static int
set_flow_action(struct sc_root_matcher *m, const struct sc_root_action *action, struct sc_fate *fate)
{
	struct sc_modify_header *modify = (struct sc_modify_header *)(void *)action->object;
	struct sc_reformat *reformat = (struct sc_reformat *)(void *)action->object;
	uint8_t table_type;

	if (action->object == NULL ||
			(action->object->type != SC_MODIFY_HEADER && action->object->type != SC_REFORMAT))
		return REFUSE(m->obj.dev, "root rule: the flow action is neither modify header nor reformat");
	table_type = action->object->type == SC_MODIFY_HEADER ? modify->table_type : reformat->table_type;
	if (table_type != SC_TYPE_OF(m->domain) && table_type != SC_TYPE_OF(SC_DOMAINS))
		return REFUSE(m->obj.dev, "root rule: the flow action was made for table_type %u",
			table_type);
	if (action->object->type == SC_MODIFY_HEADER ? fate->modify != NULL : fate->reformat != NULL)
		return REFUSE(m->obj.dev, "root rule: a second %s", sc_type_name(action->object->type));
	if (action->object->type == SC_MODIFY_HEADER)
		sc_link(&fate->modify, modify);
	else
		sc_link(&fate->reformat, reformat);
	return 0;
}

static int
read_actions(struct sc_root_matcher *m, const struct sc_root_action *actions, unsigned int nb,
	struct sc_fate *fate)
{
	static int (*const set[])(struct sc_root_matcher *, const struct sc_root_action *, struct sc_fate *) =
		{
		[SC_ROOT_DROP] = set_drop, [SC_ROOT_TAG] = set_tag, [SC_ROOT_DEST] = set_destination,
		[SC_ROOT_COUNTER] = set_counter, [SC_ROOT_DEFAULT_MISS] = set_default_miss,
		[SC_ROOT_FLOW_ACTION] = set_flow_action,
	};
	unsigned int i, fates;
	int rc;

	for (i = 0; i < nb; i++) {
		if (actions[i].type >= sizeof(set) / sizeof(set[0]))
			return REFUSE(m->obj.dev, "root rule: action type %u", actions[i].type);
		rc = set[actions[i].type](m, &actions[i], fate);
		if (rc != 0)
			return rc;
	}
	fates = fate->drop + fate->next_priority + fate->nb_destinations;
	if (fates > 1 || (fates == 0 && m->domain == SC_DOMAIN_RX))
		return REFUSE(m->obj.dev, "root rule: %u of drop, default miss and destination, %s", fates,
			fates == 0 ? "one is needed on receive" : "only one can be");
	fate->allow = fates == 0;
	return 0;
}

static void
trace_rule(const struct sc_root_rule *r)
{
	const struct sc_fate *fate = &r->fate;
	const struct sc_object *to = fate->nb_destinations != 0 ? fate->destinations[0].object : NULL;
	char value[128];

	describe(&r->value, &r->matcher->mask, value, sizeof(value));
	sc_trace(r->obj.dev, "root rule 0x%x of matcher 0x%x:%s ->%s%s%s%s%s%s%s%s 0x%x", r->obj.id,
		 r->matcher->obj.id, value, fate->counter != NULL ? " count" : "", fate->tagged ? " tag" : "",
		 fate->modify != NULL ? " modify" : "",
		 fate->reformat != NULL ? " reformat" : "", fate->drop ? " drop" : "",
		 fate->next_priority ? " next priority" : "", to != NULL ? " " : "", to != NULL ?
		 sc_type_name(to->type) : "", to != NULL ? to->id : 0);
}

int
sc_root_rule_create(struct sc_root_matcher *matcher, uint16_t uid, const void *value, size_t len,
	const struct sc_root_action *actions, unsigned int nb_actions, struct sc_root_rule **rule)
{
	struct sc_root_rule *r;
	int rc;

	if (len > SC_MATCH_BYTES)
		return REFUSE(matcher->obj.dev, "root rule: match value of %zu bytes", len);
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	sc_match_value(&r->value, &matcher->mask, value, len);
	rc = read_actions(matcher, actions, nb_actions, &r->fate);
	if (rc == 0)
		rc = sc_object_add(matcher->obj.dev, SC_ROOT_RULE, &r->obj, 1, uid);
	if (rc != 0) {
		sc_fate_release(&r->fate);
		free(r);
		return rc;
	}
	r->matcher = matcher;
	sc_object_get(&matcher->obj);
	*matcher->last = r;
	matcher->last = &r->next;
	*rule = r;
	trace_rule(r);
	return 0;
}

void
sc_root_rule_free(struct sc_root_rule *rule)
{
	struct sc_root_matcher *matcher = rule->matcher;
	struct sc_root_rule **link = &matcher->rules;

	while (*link != rule)
		link = &(*link)->next;
	*link = rule->next;
	if (rule->next == NULL)
		matcher->last = link;
	sc_trace(rule->obj.dev, "root rule 0x%x is gone", rule->obj.id);
	sc_object_put(&matcher->obj);
	sc_fate_release(&rule->fate);
	sc_object_remove(&rule->obj);
	free(rule);
}

int
sc_root_rule_destroy(struct sc_root_rule *rule)
{
	sc_root_rule_free(rule);
	return 0;
}

const struct sc_root_rule *
sc_root_lookup(const struct sc_root_matcher *matcher, uint32_t priority, struct sc_match_view *view)
{
	const struct sc_root_rule *rule;

	for (; matcher != NULL; matcher = matcher->next) {
		if (matcher->priority < priority)
			continue;
		for (rule = matcher->rules; rule != NULL; rule = rule->next)
			if (sc_match_hit(&matcher->mask, &rule->value, view))
				return rule;
	}
	return NULL;
}

/* ---- steering anchors ---- */

int
sc_anchor_create(struct sc_device *dev, uint16_t uid, enum sc_domain domain, uint16_t priority,
	struct sc_anchor **anchor, uint32_t *table_id)
{
	struct sc_anchor *a;
	int rc;

	if (domain >= SC_DOMAINS)
		return REFUSE(
			dev, "steering anchor of domain %u: only NIC receive 0 and transmit 1 exist", domain);
	a = calloc(1, sizeof(*a));
	if (a == NULL || (a->table = calloc(1, sizeof(*a->table))) == NULL) {
		free(a);
		return -ENOMEM;
	}
	a->table->kind = SC_TABLE_ANCHOR;
	a->table->table_type = SC_TYPE_OF(domain);
	a->table->priority = priority;
	rc = sc_object_add(dev, SC_FLOW_TABLE, &a->table->obj, 1, uid);
	if (rc != 0)
		goto free_both;
	rc = sc_object_add(dev, SC_ANCHOR, &a->obj, 1, uid);
	if (rc != 0)
		goto remove_table;
	*anchor = a;
	*table_id = a->table->obj.id;
	return 0;

remove_table:
	sc_object_remove(&a->table->obj);
free_both:
	free(a->table);
	free(a);
	return rc;
}

void
sc_anchor_free(struct sc_anchor *anchor)
{
	sc_flow_table_free(anchor->table);
	sc_object_remove(&anchor->obj);
	free(anchor);
}

int
sc_anchor_destroy(struct sc_anchor *anchor)
{
	if (anchor->table->obj.refs != 0) {
		sc_complain(anchor->obj.dev, "steering anchor: flow table 0x%x is still named by %u others",
			anchor->table->obj.id, anchor->table->obj.refs);
		return -EBUSY;
	}
	sc_anchor_free(anchor);
	return 0;
}
