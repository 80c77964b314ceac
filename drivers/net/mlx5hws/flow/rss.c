/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/rss.h"

const uint8_t flow_rss_default_key[FLOW_RSS_KEY_BYTES] = {
	0x2c, 0xc6, 0x81, 0xd1, 0x5b, 0xdb, 0xf4, 0xf7, 0xfc, 0xa2, 0x83, 0x19, 0xdb, 0x1a, 0x3e, 0x94,
	0x6b, 0x9e, 0x38, 0xd9, 0x2c, 0x9c, 0x03, 0xd1, 0xad, 0x99, 0x44, 0xa7, 0xd9, 0x56, 0x3d, 0x59,
	0x06, 0x3c, 0x25, 0xf3, 0xfc, 0x1f, 0xdc, 0x2a,
};

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

struct shape {
	uint64_t types;     /* any of them asks for the shape */
	uint8_t l3, l4;     /* encodings of the header layout; l4 0: any */
	uint8_t hash_l3, hash_l4;
	bool ports;
};

static const struct shape shapes[] = {
	{ RTE_ETH_RSS_NONFRAG_IPV4_TCP, MLX5DR_HL_L3_TYPE_IPV4, MLX5DR_HL_L4_BWC_TCP, HCA_HASH_IPV4, HCA_HASH_TCP, true },
	{ RTE_ETH_RSS_NONFRAG_IPV4_UDP, MLX5DR_HL_L3_TYPE_IPV4, MLX5DR_HL_L4_BWC_UDP, HCA_HASH_IPV4, HCA_HASH_UDP, true },
	{ FLOW_RSS_IPV6_TCP, MLX5DR_HL_L3_TYPE_IPV6, MLX5DR_HL_L4_BWC_TCP, HCA_HASH_IPV6, HCA_HASH_TCP, true },
	{ FLOW_RSS_IPV6_UDP, MLX5DR_HL_L3_TYPE_IPV6, MLX5DR_HL_L4_BWC_UDP, HCA_HASH_IPV6, HCA_HASH_UDP, true },
	{ FLOW_RSS_IPV4, MLX5DR_HL_L3_TYPE_IPV4, 0, HCA_HASH_IPV4, 0, false },
	{ FLOW_RSS_IPV6, MLX5DR_HL_L3_TYPE_IPV6, 0, HCA_HASH_IPV6, 0, false },
};
#define NB_SHAPES RTE_DIM(shapes)
#define PLAIN NB_SHAPES /* what has no shape: no hash, first queue */

/* Match templates of the sorting table, most special first: an earlier one wins. */
enum { SORT_L3_L4, SORT_L3, SORT_ALL, NB_SORTS };

/* The templates of all sorting tables of a port; one set for outer headers, one for inner. */
struct flow_rss_sort {
	struct mlx5dr_match_template *mt[NB_SORTS];
	struct mlx5dr_action_template *at;
	uint32_t refs;
};

struct flow_rss_parts {
	struct hca_rss *tir[NB_SHAPES + 1];
	struct mlx5dr_action *action[NB_SHAPES + 1];
	struct mlx5dr_rule *rule[NB_SHAPES + 1];
	struct flow_rss_sort **sort; /* the port's; NULL: no sorting */
	struct mlx5dr_table *table;
	struct mlx5dr_matcher *matcher;
};

static uint8_t
hash_fields(const struct shape *shape, uint64_t types)
{
	uint64_t l3_only = types & (RTE_ETH_RSS_L3_SRC_ONLY | RTE_ETH_RSS_L3_DST_ONLY);
	uint64_t l4_only = types & (RTE_ETH_RSS_L4_SRC_ONLY | RTE_ETH_RSS_L4_DST_ONLY);
	uint8_t fields = 0;

	/* Asking for both sides alone is asking for both. */
	if (l3_only == 0 || l3_only & RTE_ETH_RSS_L3_SRC_ONLY)
		fields |= HCA_HASH_SRC_IP;
	if (l3_only == 0 || l3_only & RTE_ETH_RSS_L3_DST_ONLY)
		fields |= HCA_HASH_DST_IP;
	if (shape->ports && (l4_only == 0 || l4_only & RTE_ETH_RSS_L4_SRC_ONLY))
		fields |= HCA_HASH_L4_SPORT;
	if (shape->ports && (l4_only == 0 || l4_only & RTE_ETH_RSS_L4_DST_ONLY))
		fields |= HCA_HASH_L4_DPORT;
	return fields;
}

static int
tir_get(struct flow_port *port, const struct rte_flow_action_rss *conf, unsigned int i, struct hca_rss **tir)
{
	struct hca_rss_attr attr = { .queues = conf->queue, .nb_queues = conf->queue_num };

	if (i == PLAIN) {
		attr.nb_queues = 1;
		return hca_rss_get(port->attr.rss, &attr, tir);
	}
	attr.hash.fields = hash_fields(&shapes[i], conf->types);
	attr.hash.l3 = shapes[i].hash_l3;
	attr.hash.l4 = shapes[i].hash_l4;
	attr.hash.inner = conf->level == 2;
	attr.hash.symmetric = conf->func == RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ;
	memcpy(attr.hash.key, conf->key, sizeof(attr.hash.key));
	return hca_rss_get(port->attr.rss, &attr, tir);
}

/* ---- the sorting table ----------------------------------------------------------------------------------------- */

/* What its rules carry in place of an rte_flow item. */
struct sort_item {
	uint32_t stc_be; /* of the TIR */
	uint8_t l3, l4;
};

static struct mlx5dr_value
sort_value(uint16_t offset, uint8_t unit)
{
	return (struct mlx5dr_value){
		.from = MLX5DR_FROM_SOURCE,
		.source = { .base = MLX5DR_ITEMS, .unit = unit, .pointer_at = 0, .offset = offset },
	};
}

static struct mlx5dr_field
sort_field(int hl, uint16_t offset)
{
	return (struct mlx5dr_field){ .hl = hl, .mask = prm_mask(hl), .value = sort_value(offset, 1) };
}

static void
sort_put(struct flow_rss_sort **at)
{
	struct flow_rss_sort *sort = *at;

	if (--sort->refs != 0)
		return;
	for (unsigned int i = 0; i < NB_SORTS; i++)
		mlx5dr_match_template_destroy(sort->mt[i]);
	mlx5dr_action_template_destroy(sort->at);
	free(sort);
	*at = NULL;
}

/* The first sorting table makes the templates, the last one takes them away. */
static int
sort_get(struct flow_port *port, struct flow_rss_parts *parts, bool inner)
{
	const struct mlx5dr_slot slot = {
		.type = MLX5DR_ACTION_TIR, .value = sort_value(offsetof(struct sort_item, stc_be), 4),
	};
	struct mlx5dr_field fields[] = {
		sort_field(inner ? MLX5DR_HL_L3_TYPE_I : MLX5DR_HL_L3_TYPE_O, offsetof(struct sort_item, l3)),
		sort_field(inner ? MLX5DR_HL_L4_TYPE_BWC_I : MLX5DR_HL_L4_TYPE_BWC_O, offsetof(struct sort_item, l4)),
	};
	struct flow_rss_sort **at = &port->rss_sort[inner], *sort = *at;
	int rc = 0;

	if (sort == NULL) {
		sort = *at = calloc(1, sizeof(*sort));
		if (sort == NULL)
			return -ENOMEM;
		for (unsigned int i = 0; rc == 0 && i < NB_SORTS; i++)
			rc = mlx5dr_match_template_create(port->ctx, fields, NB_SORTS - 1 - i, &sort->mt[i], NULL);
		if (rc == 0)
			rc = mlx5dr_action_template_create(port->ctx, MLX5DR_NIC_RX, &slot, 1, &sort->at, NULL);
	}
	sort->refs++;
	parts->sort = at;
	return rc;
}

static int
sort_rule(struct flow_port *port, struct flow_rss_parts *parts, unsigned int i)
{
	struct sort_item item = { .stc_be = mlx5dr_action_stc(parts->action[i]) };
	uint8_t mt = SORT_ALL;

	if (i != PLAIN) {
		item.l3 = shapes[i].l3;
		item.l4 = shapes[i].l4;
		mt = shapes[i].l4 != 0 ? SORT_L3_L4 : SORT_L3;
	}
	return flow_internal_create(port, parts->matcher, mt, 0, &item, &parts->rule[i]);
}

static int
sort_open(struct flow_port *port, struct flow_rss_parts *parts, bool inner)
{
	struct mlx5dr_matcher_attr attr = { .nb_mt = NB_SORTS, .nb_at = 1 };
	int rc = sort_get(port, parts, inner);

	for (unsigned int i = 0; rc == 0 && i <= PLAIN; i++) {
		if (parts->tir[i] == NULL)
			continue;
		rc = mlx5dr_action_create(port->ctx, MLX5DR_NIC_RX, MLX5DR_ACTION_TIR, parts->tir[i]->tir->id,
			&parts->action[i]);
		attr.nb_rules++;
	}
	if (rc == 0)
		rc = mlx5dr_table_create(port->ctx, MLX5DR_NIC_RX, &parts->table);
	if (rc == 0) {
		attr.mt = (*parts->sort)->mt;
		attr.at = &(*parts->sort)->at;
		rc = mlx5dr_matcher_create(parts->table, &attr, &parts->matcher, NULL);
	}
	for (unsigned int i = 0; rc == 0 && i <= PLAIN; i++)
		if (parts->tir[i] != NULL)
			rc = sort_rule(port, parts, i);
	return rc;
}

static void
parts_free(struct flow_port *port, struct flow_rss_parts *parts)
{
	for (unsigned int i = 0; i <= PLAIN; i++)
		if (parts->rule[i] != NULL)
			flow_internal_destroy(port, parts->matcher, parts->rule[i]);
	if (parts->matcher != NULL)
		mlx5dr_matcher_destroy(parts->matcher);
	if (parts->table != NULL)
		mlx5dr_table_destroy(parts->table);
	if (parts->sort != NULL)
		sort_put(parts->sort);
	for (unsigned int i = 0; i <= PLAIN; i++) {
		if (parts->action[i] != NULL)
			mlx5dr_action_destroy(parts->action[i]);
		hca_rss_put(parts->tir[i]);
	}
	free(parts);
}

/* ---- destinations ---------------------------------------------------------------------------------------------- */

static int
parts_open(struct flow_port *port, struct flow_rss *rss)
{
	struct flow_rss_parts *parts = calloc(1, sizeof(*parts));
	unsigned int nb = 0, only = PLAIN;
	int rc = 0;

	if (parts == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; rc == 0 && i < NB_SHAPES; i++) {
		if ((rss->conf.types & shapes[i].types) == 0)
			continue;
		rc = tir_get(port, &rss->conf, i, &parts->tir[i]);
		nb++;
		only = i;
	}
	/* A TIR of one shape sends what has another shape to the first queue without hash by itself. */
	if (rc == 0 && nb != 1) {
		rc = tir_get(port, &rss->conf, PLAIN, &parts->tir[PLAIN]);
		only = PLAIN;
	}
	if (rc == 0 && nb > 1)
		rc = sort_open(port, parts, rss->conf.level == 2);
	if (rc != 0) {
		parts_free(port, parts);
		return rc;
	}
	rss->type = nb > 1 ? MLX5DR_ACTION_TABLE : MLX5DR_ACTION_TIR;
	rss->id = nb > 1 ? mlx5dr_table_id(parts->table) : parts->tir[only]->tir->id;
	rss->parts = parts;
	return 0;
}

static bool
same(const struct rte_flow_action_rss *a, const struct rte_flow_action_rss *b)
{
	return a->func == b->func && a->level == b->level && a->types == b->types && a->queue_num == b->queue_num &&
		memcmp(a->key, b->key, FLOW_RSS_KEY_BYTES) == 0 &&
		memcmp(a->queue, b->queue, a->queue_num * sizeof(a->queue[0])) == 0;
}

/* What means the same looks the same. */
static struct rte_flow_action_rss
normal(const struct rte_flow_action_rss *conf)
{
	struct rte_flow_action_rss n = *conf;

	if (n.func == RTE_ETH_HASH_FUNCTION_DEFAULT)
		n.func = RTE_ETH_HASH_FUNCTION_TOEPLITZ;
	if (n.level == 0)
		n.level = 1;
	if (n.func == FLOW_RSS_NO_HASH)
		n.types = 0;
	else if ((n.types & ~FLOW_RSS_ONLY) == 0)
		n.types |= RTE_ETH_RSS_IP;
	if (n.key == NULL || n.key_len == 0)
		n.key = flow_rss_default_key;
	n.key_len = FLOW_RSS_KEY_BYTES;
	return n;
}

bool
flow_rss_matches(const struct flow_rss *rss, const struct rte_flow_action_rss *conf)
{
	struct rte_flow_action_rss n = normal(conf);

	return same(&rss->conf, &n);
}

static struct flow_rss *
rss_new(const struct rte_flow_action_rss *conf)
{
	size_t queues = conf->queue_num * sizeof(conf->queue[0]);
	struct flow_rss *rss = calloc(1, sizeof(*rss) + queues + FLOW_RSS_KEY_BYTES);
	uint8_t *behind = (uint8_t *)(rss + 1);

	if (rss == NULL)
		return NULL;
	memcpy(behind, conf->queue, queues);
	memcpy(behind + queues, conf->key, FLOW_RSS_KEY_BYTES);
	rss->conf = *conf;
	rss->conf.queue = (const uint16_t *)behind;
	rss->conf.key = behind + queues;
	rss->refs = 1;
	return rss;
}

int
flow_rss_get(struct flow_port *port, const struct rte_flow_action_rss *given, struct flow_rss **out)
{
	struct rte_flow_action_rss conf = normal(given);
	struct flow_rss *rss;
	int rc;

	for (rss = port->rss; rss != NULL; rss = rss->next) {
		if (same(&rss->conf, &conf)) {
			rss->refs++;
			*out = rss;
			return 0;
		}
	}
	rss = rss_new(&conf);
	if (rss == NULL)
		return -ENOMEM;
	rc = parts_open(port, rss);
	if (rc != 0) {
		free(rss);
		return rc;
	}
	rss->next = port->rss;
	port->rss = rss;
	*out = rss;
	return 0;
}

void
flow_rss_put(struct flow_port *port, struct flow_rss *rss)
{
	struct flow_rss **at = &port->rss;

	if (rss == NULL || --rss->refs != 0)
		return;
	while (*at != rss)
		at = &(*at)->next;
	*at = rss->next;
	if (rss->action != NULL)
		mlx5dr_action_destroy(rss->action);
	parts_free(port, rss->parts);
	free(rss);
}

int
flow_rss_action(struct flow_port *port, struct flow_rss *rss, const struct mlx5dr_action **action)
{
	int rc = 0;

	if (rss->action == NULL)
		rc = mlx5dr_action_create(port->ctx, MLX5DR_NIC_RX, rss->type, rss->id, &rss->action);
	*action = rss->action;
	return rc;
}
