/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a root rule or an entry of an ordinary table does with a frame: counter, tag, decapsulation, modify
 * header, encapsulation, destination.
 */
#include <errno.h>
#include <string.h>

#include "prm/object.h"
#include "prm/table.h"
#include "softcx/steer/anchor.h"
#include "softcx/steer/encap.h"
#include "softcx/steer/walk.h"

enum { L2_TUNNEL_TO_L2 = 0 }; /* type of a reformat without PRM number, see flow_action.c */

/* Cut from the packet's start to an anchor. */
static int
cut_to(struct sc_walk *walk, uint8_t anchor)
{
	uint32_t end;

	if (sc_anchor_offset(anchor, &walk->parse, &end) != 0)
		return -ENOENT;
	return sc_bytes_remove(walk->pkt, &walk->parse, 0, end);
}

static int
put_in_front(struct sc_walk *walk, const struct sc_reformat *reformat)
{
	return sc_bytes_insert(walk->pkt, &walk->parse, 0, reformat->data, reformat->len);
}

static int
encapsulate(struct sc_walk *walk, const struct sc_reformat *reformat, bool keep_l2)
{
	struct sc_flow_key key;
	int rc;

	sc_flow_key_take(&key, walk->pkt, &walk->parse);
	if (!keep_l2 && (rc = cut_to(walk, PRM_ANCHOR_IPV6_IPV4)) != 0)
		return rc;
	rc = put_in_front(walk, reformat);
	if (rc == 0)
		sc_encap_finish(walk->pkt, reformat->len, &key);
	return rc;
}

int
sc_reformat_run(struct sc_walk *walk, const struct sc_reformat *reformat)
{
	int rc = -EINVAL;

	switch (reformat->type) {
	case L2_TUNNEL_TO_L2:
		rc = cut_to(walk, PRM_ANCHOR_INNER_MAC);
		break;
	case PRM_REFORMAT_L3_TUNNEL_TO_L2:
		rc = cut_to(walk, PRM_ANCHOR_INNER_IPV6_IPV4);
		if (rc == 0)
			rc = put_in_front(walk, reformat);
		break;
	case PRM_REFORMAT_L2_TO_L2_TUNNEL:
		rc = encapsulate(walk, reformat, true);
		break;
	case PRM_REFORMAT_L2_TO_L3_TUNNEL:
		rc = encapsulate(walk, reformat, false);
		break;
	}
	if (rc == 0)
		sc_walk_reparse(walk);
	return rc;
}

static bool
is_decap(const struct sc_reformat *reformat)
{
	return reformat->type == L2_TUNNEL_TO_L2 || reformat->type == PRM_REFORMAT_L3_TUNNEL_TO_L2;
}

static int
run_modify(struct sc_walk *walk, const struct sc_modify_header *modify)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < modify->nb && rc == 0; i++)
		rc = sc_edit_run(&modify->edits[i], walk->pkt, &walk->parse, modify->edits[i].data, NULL);
	sc_walk_reparse(walk);
	return rc;
}

static int
run_actions(struct sc_walk *walk, const struct sc_fate *fate)
{
	struct sc_count *count;
	int rc = 0;

	if (fate->counter != NULL) {
		count = &fate->counter->counts[fate->counter_offset];
		count->packets++;
		count->octets += walk->pkt->len;
	}
	if (fate->tagged)
		walk->pkt->flow_tag = fate->tag;
	if (fate->reformat != NULL && is_decap(fate->reformat))
		rc = sc_reformat_run(walk, fate->reformat);
	if (rc == 0 && fate->modify != NULL)
		rc = run_modify(walk, fate->modify);
	if (rc == 0 && fate->reformat != NULL && !is_decap(fate->reformat))
		rc = sc_reformat_run(walk, fate->reformat);
	return rc;
}

/* The last destination takes the frame itself, the others copies. */
static struct sc_next
distribute(struct sc_walk *walk, const struct sc_fate *fate)
{
	const struct sc_destination *last = &fate->destinations[fate->nb_destinations - 1];
	uint32_t i;

	for (i = 0; i + 1 < fate->nb_destinations; i++)
		sc_walk_fork(walk, &fate->destinations[i]);
	if (last->reformat != NULL && sc_reformat_run(walk, last->reformat) != 0)
		return sc_walk_drop(walk, &walk->steering->stats.action_drops);
	if (last->object == NULL)
		return sc_walk_drop(walk, &walk->steering->stats.rule_drops);
	if (last->object->type == SC_FLOW_TABLE)
		return (struct sc_next){ .table = (const struct sc_flow_table *)(void *)last->object };
	sc_walk_deliver(walk, last->object);
	return SC_NOWHERE;
}

struct sc_next
sc_fate_execute(struct sc_walk *walk, const struct sc_fate *fate, uint32_t priority)
{
	if (run_actions(walk, fate) != 0)
		return sc_walk_drop(walk, &walk->steering->stats.action_drops);
	if (fate->drop)
		return sc_walk_drop(walk, &walk->steering->stats.rule_drops);
	if (fate->next_priority)
		return (struct sc_next){ .root = true, .priority = priority + 1 };
	if (fate->nb_destinations != 0)
		return distribute(walk, fate);
	return sc_walk_default(walk);
}
