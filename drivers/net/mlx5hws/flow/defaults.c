/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Default rules: what reaches the receive queues as on an ordinary NIC, after all rules of the application in group 0.
 *
 *	group 0, last priority:  destination MAC (own, broadcast, multicast list) | any multicast | anything  -> entry
 *	entry:   the RSS destination, or with VLAN filter the VLAN table
 *	VLAN table:  no tag | VID                                                                            -> spread
 *	spread:  the RSS destination
 *
 * entry and spread are one STC each: when RSS changes they are rewritten, and no rule is touched.
 */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/log.h"

#define PRIORITY (FLOW_MAX_PRIORITY + 1)
#define MAX_ADDRESSES 512
#define MAX_VLANS 4096
#define UNTAGGED MAX_VLANS /* its place beside the VIDs */

enum { MATCH_MAC, MATCH_MULTICAST, MATCH_ALL, NB_MATCHES };
enum { MATCH_UNTAGGED, MATCH_VID, NB_VLAN_MATCHES };

/* In place of an rte_flow item. */
struct item {
	struct rte_ether_addr mac;
	rte_be16_t vid;
};

struct address {
	uint8_t match;
	struct item item;
	struct mlx5dr_rule *rule;
};

/* One matcher with one actions template, and its STC. */
struct stage {
	struct mlx5dr_match_template *mt[NB_MATCHES];
	struct mlx5dr_action *action;
	struct mlx5dr_action_template *at;
	struct mlx5dr_matcher *matcher;
};

struct flow_defaults_state {
	struct flow_rss *rss;
	struct stage entry, vlan;
	struct mlx5dr_table *vlan_table; /* NULL: no VLAN filter since start */
	bool filtering;
	struct address addresses[2 * MAX_ADDRESSES]; /* old and new ones stand side by side for a moment */
	uint32_t nb_addresses;
	struct mlx5dr_rule *vlans[MAX_VLANS + 1];
};

/* ---- stages ---------------------------------------------------------------------------------------------------- */

static struct mlx5dr_value
item_value(uint16_t offset, uint8_t unit)
{
	return (struct mlx5dr_value){
		.from = MLX5DR_FROM_SOURCE,
		.source = { .base = MLX5DR_ITEMS, .unit = unit, .pointer_at = 0, .offset = offset },
	};
}

static int
entry_templates(struct flow_port *port, struct stage *stage)
{
	const struct mlx5dr_field mac[] = {
		{ MLX5DR_HL_DMAC_47_16_O, UINT32_MAX, item_value(offsetof(struct item, mac), 4) },
		{ MLX5DR_HL_DMAC_15_0_O, UINT16_MAX, item_value(offsetof(struct item, mac) + 4, 2) },
	};
	const struct mlx5dr_field group_bit = {
		MLX5DR_HL_DMAC_47_16_O, 1u << 24, { .from = MLX5DR_FROM_CONSTANT, .value = 1u << 24 },
	};
	int rc = mlx5dr_match_template_create(port->ctx, mac, 2, &stage->mt[MATCH_MAC], NULL);

	if (rc == 0)
		rc = mlx5dr_match_template_create(port->ctx, &group_bit, 1, &stage->mt[MATCH_MULTICAST], NULL);
	if (rc == 0)
		rc = mlx5dr_match_template_create(port->ctx, NULL, 0, &stage->mt[MATCH_ALL], NULL);
	return rc;
}

static int
vlan_templates(struct flow_port *port, struct stage *stage)
{
	const struct mlx5dr_field untagged = {
		MLX5DR_HL_VLAN_QUALIFIER_O, 3, { .from = MLX5DR_FROM_CONSTANT, .value = MLX5DR_HL_VLAN_NONE },
	};
	const struct mlx5dr_field vid = { MLX5DR_HL_VLAN_VID_O, 0xfff, item_value(offsetof(struct item, vid), 2) };
	int rc = mlx5dr_match_template_create(port->ctx, &untagged, 1, &stage->mt[MATCH_UNTAGGED], NULL);

	return rc != 0 ? rc : mlx5dr_match_template_create(port->ctx, &vid, 1, &stage->mt[MATCH_VID], NULL);
}

static int
stage_open(struct flow_port *port, struct stage *stage, struct mlx5dr_table *table, uint32_t nb_rules, uint8_t nb_mt,
	const struct flow_rss *rss)
{
	struct mlx5dr_matcher_attr attr = {
		.nb_rules = nb_rules, .priority = PRIORITY, .nb_mt = nb_mt, .nb_at = 1, .mt = stage->mt, .at = &stage->at,
	};
	struct mlx5dr_slot slot = { .type = rss->type };
	int rc = mlx5dr_action_create(port->ctx, MLX5DR_NIC_RX, rss->type, rss->id, &stage->action);

	slot.action = stage->action;
	if (rc == 0)
		rc = mlx5dr_action_template_create(port->ctx, MLX5DR_NIC_RX, &slot, 1, &stage->at, NULL);
	return rc != 0 ? rc : mlx5dr_matcher_create(table, &attr, &stage->matcher, NULL);
}

static void
stage_close(struct stage *stage)
{
	if (stage->matcher != NULL)
		mlx5dr_matcher_destroy(stage->matcher);
	if (stage->at != NULL)
		mlx5dr_action_template_destroy(stage->at);
	if (stage->action != NULL)
		mlx5dr_action_destroy(stage->action);
	for (unsigned int i = 0; i < NB_MATCHES; i++)
		if (stage->mt[i] != NULL)
			mlx5dr_match_template_destroy(stage->mt[i]);
	memset(stage, 0, sizeof(*stage));
}

/* ---- addresses ------------------------------------------------------------------------------------------------- */

/* What is wanted, each address once. -ENOSPC: more than fit. */
struct wish {
	struct address address[MAX_ADDRESSES];
	uint32_t nb;
};

static int
wish_add(struct wish *wish, uint8_t match, const struct rte_ether_addr *mac)
{
	struct address *a = &wish->address[wish->nb];

	if (wish->nb == MAX_ADDRESSES)
		return -ENOSPC;
	memset(a, 0, sizeof(*a));
	a->match = match;
	if (mac != NULL)
		a->item.mac = *mac;
	for (uint32_t i = 0; i < wish->nb; i++)
		if (wish->address[i].match == match && rte_is_same_ether_addr(&wish->address[i].item.mac, &a->item.mac))
			return 0;
	wish->nb++;
	return 0;
}

static int
wish_make(const struct flow_defaults *want, struct wish *wish)
{
	static const struct rte_ether_addr broadcast = { .addr_bytes = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } };
	int rc = wish_add(wish, MATCH_MAC, &broadcast);

	for (uint32_t i = 0; rc == 0 && i < want->nb_mac; i++)
		if (!rte_is_zero_ether_addr(&want->mac[i]))
			rc = wish_add(wish, MATCH_MAC, &want->mac[i]);
	for (uint32_t i = 0; rc == 0 && i < want->nb_multicast; i++)
		rc = wish_add(wish, MATCH_MAC, &want->multicast[i]);
	if (rc == 0 && want->allmulticast)
		rc = wish_add(wish, MATCH_MULTICAST, NULL);
	if (rc == 0 && want->promiscuous)
		rc = wish_add(wish, MATCH_ALL, NULL);
	return rc;
}

static bool
is_in(const struct address *list, uint32_t nb, const struct address *a)
{
	for (uint32_t i = 0; i < nb; i++)
		if (list[i].match == a->match && rte_is_same_ether_addr(&list[i].item.mac, &a->item.mac))
			return true;
	return false;
}

static void
remove_address(struct flow_port *port, struct flow_defaults_state *s, uint32_t i)
{
	flow_internal_destroy(port, s->entry.matcher, s->addresses[i].rule);
	s->addresses[i] = s->addresses[--s->nb_addresses];
}

/* New ones first, so that nothing wanted falls between; on failure the new ones go again. */
static int
apply_addresses(struct flow_port *port, struct flow_defaults_state *s, const struct wish *wish)
{
	uint32_t before = s->nb_addresses;

	for (uint32_t i = 0; i < wish->nb; i++) {
		struct address *a = &s->addresses[s->nb_addresses];
		int rc;

		if (is_in(s->addresses, before, &wish->address[i]))
			continue;
		*a = wish->address[i];
		rc = flow_internal_create(port, s->entry.matcher, a->match, 0, &a->item, &a->rule);
		if (rc != 0) {
			while (s->nb_addresses > before)
				remove_address(port, s, s->nb_addresses - 1);
			return rc;
		}
		s->nb_addresses++;
	}
	for (uint32_t i = s->nb_addresses; i-- > 0;)
		if (!is_in(wish->address, wish->nb, &s->addresses[i]))
			remove_address(port, s, i);
	return 0;
}

/* ---- VLANs ----------------------------------------------------------------------------------------------------- */

static int
set_vlan(struct flow_port *port, struct flow_defaults_state *s, uint32_t i, bool on)
{
	struct item item = { .vid = rte_cpu_to_be_16(i) };

	if (on == (s->vlans[i] != NULL))
		return 0;
	if (on)
		return flow_internal_create(port, s->vlan.matcher, i == UNTAGGED ? MATCH_UNTAGGED : MATCH_VID, 0, &item,
			&s->vlans[i]);
	flow_internal_destroy(port, s->vlan.matcher, s->vlans[i]);
	s->vlans[i] = NULL;
	return 0;
}

static void
vlan_close(struct flow_port *port, struct flow_defaults_state *s)
{
	for (uint32_t i = 0; i <= MAX_VLANS; i++)
		set_vlan(port, s, i, false);
	stage_close(&s->vlan);
	if (s->vlan_table != NULL)
		mlx5dr_table_destroy(s->vlan_table);
	s->vlan_table = NULL;
}

static int
vlan_open(struct flow_port *port, struct flow_defaults_state *s)
{
	int rc = mlx5dr_table_create(port->ctx, MLX5DR_NIC_RX, &s->vlan_table);

	if (rc != 0)
		return rc;
	/* A tag that does not pass is the kernel's, like everything that group 0 misses. */
	if (port->anchor != NULL)
		rc = mlx5dr_table_set_miss(s->vlan_table, flow_anchor_id(port));
	if (rc == 0)
		rc = vlan_templates(port, &s->vlan);
	if (rc == 0)
		rc = stage_open(port, &s->vlan, s->vlan_table, MAX_VLANS + 1, NB_VLAN_MATCHES, s->rss);
	if (rc != 0)
		vlan_close(port, s);
	return rc;
}

static int
apply_vlans(struct flow_port *port, struct flow_defaults_state *s, const struct flow_defaults *want)
{
	bool wanted[MAX_VLANS + 1] = { false };
	int rc = 0;

	if (!want->vlan_filter)
		return 0;
	if (s->vlan_table == NULL)
		rc = vlan_open(port, s);
	wanted[UNTAGGED] = true;
	for (uint32_t i = 0; i < want->nb_vlan; i++)
		if (want->vlan[i] < MAX_VLANS)
			wanted[want->vlan[i]] = true;
	for (uint32_t i = 0; rc == 0 && i <= MAX_VLANS; i++)
		if (wanted[i])
			rc = set_vlan(port, s, i, true);
	for (uint32_t i = 0; rc == 0 && i <= MAX_VLANS; i++)
		if (!wanted[i])
			rc = set_vlan(port, s, i, false);
	return rc;
}

/* ---- where it all goes ----------------------------------------------------------------------------------------- */

static int
rss_wanted(struct flow_port *port, const struct flow_defaults *want, struct flow_rss **rss)
{
	struct rte_flow_action_rss conf = {
		.func = want->rss_types == 0 ? FLOW_RSS_NO_HASH : RTE_ETH_HASH_FUNCTION_TOEPLITZ,
		.types = want->rss_types & FLOW_RSS_TYPES,
		.key = want->rss_key, .key_len = want->rss_key_len,
		.queue = want->queue, .queue_num = want->rss_types == 0 ? 1 : want->nb_queue,
	};

	return flow_rss_get(port, &conf, rss);
}

static int
point_actions(struct flow_defaults_state *s, const struct flow_rss *rss, bool filtering)
{
	int rc = 0;

	if (s->vlan.action != NULL)
		rc = mlx5dr_action_update(s->vlan.action, rss->type, rss->id);
	if (rc != 0)
		return rc;
	if (filtering)
		return mlx5dr_action_update(s->entry.action, MLX5DR_ACTION_TABLE, mlx5dr_table_id(s->vlan_table));
	return mlx5dr_action_update(s->entry.action, rss->type, rss->id);
}

static int
state_open(struct flow_port *port, const struct flow_defaults *want)
{
	struct flow_defaults_state *s = calloc(1, sizeof(*s));
	int rc;

	if (s == NULL)
		return -ENOMEM;
	port->defaults = s;
	rc = rss_wanted(port, want, &s->rss);
	if (rc == 0)
		rc = entry_templates(port, &s->entry);
	if (rc == 0)
		rc = stage_open(port, &s->entry, port->groups[MLX5DR_NIC_RX][0]->table, 2 * MAX_ADDRESSES, NB_MATCHES,
			s->rss);
	return rc;
}

void
flow_defaults_close(struct flow_port *port)
{
	struct flow_defaults_state *s = port->defaults;

	if (s == NULL)
		return;
	while (s->nb_addresses > 0)
		remove_address(port, s, s->nb_addresses - 1);
	stage_close(&s->entry);
	vlan_close(port, s);
	flow_rss_put(port, s->rss);
	free(s);
	port->defaults = NULL;
}

static int
apply(struct flow_port *port, const struct flow_defaults *want, const struct wish *wish)
{
	struct flow_defaults_state *s = port->defaults;
	struct flow_rss *rss;
	int rc = rss_wanted(port, want, &rss);

	if (rc != 0)
		return rc;
	rc = apply_vlans(port, s, want);
	if (rc == 0)
		rc = point_actions(s, rss, want->vlan_filter);
	if (rc == 0)
		rc = apply_addresses(port, s, wish);
	if (rc != 0) {
		point_actions(s, s->rss, s->filtering);
		flow_rss_put(port, rss);
		return rc;
	}
	flow_rss_put(port, s->rss);
	s->rss = rss;
	s->filtering = want->vlan_filter;
	if (!s->filtering && s->vlan_table != NULL)
		vlan_close(port, s);
	return 0;
}

int
flow_defaults_apply(struct flow_port *port, const struct flow_defaults *want)
{
	bool first = port->defaults == NULL;
	struct wish *wish;
	int rc;

	if (want->nb_queue == 0) { /* a port that only sends: all is the kernel's */
		flow_defaults_close(port);
		return 0;
	}
	wish = calloc(1, sizeof(*wish));
	if (wish == NULL)
		return -ENOMEM;
	rc = wish_make(want, wish);
	if (rc == 0 && first)
		rc = state_open(port, want);
	if (rc == 0)
		rc = apply(port, want, wish);
	if (rc != 0)
		HCA_ERR("%s: default rules: %s", port->dev->data->name, strerror(-rc));
	if (rc != 0 && first)
		flow_defaults_close(port);
	free(wish);
	return rc;
}
