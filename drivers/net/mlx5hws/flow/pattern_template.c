/* SPDX-License-Identifier: BSD-3-Clause */

/* Pattern templates: compiled for each direction they are for, so that what cannot be matched is refused here. */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/error.h"

/* Items with mask and spec, values copied behind them. */
static int
copy_items(struct rte_flow_pattern_template *pt, const struct rte_flow_item pattern[], struct rte_flow_error *error)
{
	int size = rte_flow_conv(RTE_FLOW_CONV_OP_PATTERN, NULL, 0, pattern, error);

	if (size < 0)
		return size;
	pt->items = calloc(1, size);
	if (pt->items == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, pattern, "no memory for a pattern");
	size = rte_flow_conv(RTE_FLOW_CONV_OP_PATTERN, pt->items, size, pattern, error);
	return size < 0 ? size : 0;
}

/* Addresses, registers and tunnel headers: what the device can only pick by one of its six full word selectors. */
#define NEAR_WORDS 64
#define FAR_SELECTORS 6

static unsigned int
nb_far_words(const struct flow_pattern *p)
{
	unsigned int nb = 0;

	for (unsigned int i = 0; i < p->nb_fields; i++) {
		uint32_t word = prm_offset(p->fields[i].hl) / 4;
		unsigned int j;

		for (j = 0; j < i && prm_offset(p->fields[j].hl) / 4 != word; j++)
			;
		nb += word >= NEAR_WORDS && j == i;
	}
	return nb;
}

static int
refuse_fields(const struct mlx5dr_error *reason, int rc, const struct flow_pattern *p,
	const struct rte_flow_item pattern[], struct rte_flow_error *error)
{
	const struct rte_flow_item *item = pattern;

	if (reason->index >= 0 && reason->index < p->nb_fields)
		item = &pattern[p->item[reason->index]];
	if (rc == -E2BIG && reason->bytes_asked <= reason->bytes_available)
		return flow_error_item(error, E2BIG, item,
			"the pattern needs %u words of addresses, registers and tunnel headers, this device has %u selectors for them",
			nb_far_words(p), FAR_SELECTORS);
	if (rc == -E2BIG)
		return flow_error_item(error, E2BIG, item,
			"the pattern needs %u bytes of match key, this device has %u", reason->bytes_asked,
			reason->bytes_available);
	return flow_error_item(error, -rc, item, "pattern: %s", flow_reason(reason, rc));
}

static int
compile(struct flow_port *port, struct rte_flow_pattern_template *pt, enum mlx5dr_table_type type,
	const struct rte_flow_item pattern[], struct rte_flow_error *error)
{
	struct mlx5dr_error reason = { .index = -1 };
	struct flow_pattern p;
	int rc = flow_pattern_compile(pattern, pt->relaxed, type, &port->regs, &p, error);

	if (rc != 0)
		return rc;
	pt->nb_items = p.nb_items;
	rc = mlx5dr_match_template_create(port->ctx, p.fields, p.nb_fields, &pt->mt[type], &reason);
	return rc == 0 ? 0 : refuse_fields(&reason, rc, &p, pattern, error);
}

void
flow_pattern_template_free(struct rte_flow_pattern_template *pt)
{
	LIST_REMOVE(pt, next);
	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++)
		if (pt->mt[type] != NULL)
			mlx5dr_match_template_destroy(pt->mt[type]);
	free(pt->items);
	free(pt);
}

static int
create(struct flow_port *port, const struct rte_flow_pattern_template_attr *attr, const struct rte_flow_item pattern[],
	struct rte_flow_pattern_template **out, struct rte_flow_error *error)
{
	struct rte_flow_pattern_template *pt = calloc(1, sizeof(*pt));
	int rc = 0;

	if (pt == NULL)
		return flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, attr, "no memory for a template");
	pt->port = port;
	pt->relaxed = attr->relaxed_matching;
	pt->directions = (attr->ingress ? FLOW_RX : 0) | (attr->egress ? FLOW_TX : 0);
	LIST_INSERT_HEAD(&port->pattern_templates, pt, next);
	if (attr->ingress)
		rc = compile(port, pt, MLX5DR_NIC_RX, pattern, error);
	if (rc == 0 && attr->egress)
		rc = compile(port, pt, MLX5DR_NIC_TX, pattern, error);
	if (rc == 0)
		rc = copy_items(pt, pattern, error);
	if (rc != 0) {
		flow_pattern_template_free(pt);
		return rc;
	}
	*out = pt;
	return 0;
}

struct rte_flow_pattern_template *
flow_op_pattern_template_create(struct rte_eth_dev *dev, const struct rte_flow_pattern_template_attr *attr,
	const struct rte_flow_item pattern[], struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	struct rte_flow_pattern_template *pt = NULL;
	int rc = flow_port_check(port, error);

	if (rc == 0)
		rc = flow_check_directions(attr, attr->ingress, attr->egress, attr->transfer, "pattern template", error);
	if (rc != 0)
		return NULL;
	pthread_mutex_lock(&port->lock);
	rc = create(port, attr, pattern, &pt, error);
	pthread_mutex_unlock(&port->lock);
	return rc == 0 ? pt : NULL;
}

int
flow_op_pattern_template_destroy(struct rte_eth_dev *dev, struct rte_flow_pattern_template *pt,
	struct rte_flow_error *error)
{
	struct flow_port *port = flow_port_of(dev);
	int rc = 0;

	if (pt == NULL || pt->port != port)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, pt,
			"pattern template: not one of this port");
	pthread_mutex_lock(&port->lock);
	if (pt->refs != 0)
		rc = flow_error(error, EBUSY, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, pt,
			"pattern template: in use by %u tables", pt->refs);
	else
		flow_pattern_template_free(pt);
	pthread_mutex_unlock(&port->lock);
	return rc;
}
