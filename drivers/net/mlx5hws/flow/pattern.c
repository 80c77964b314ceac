/* SPDX-License-Identifier: BSD-3-Clause */

/* A pattern becomes fields of the header layout: what is masked, and what its headers imply. */

#include "flow/items.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "flow/error.h"

struct compiler {
	const struct rte_flow_item *item; /* at hand */
	const struct flow_item_row *row;
	unsigned int index;
	uint8_t layer;       /* of the item before */
	bool inner;
	bool relaxed;
	enum mlx5dr_table_type type;
	const struct flow_regs *regs;
	struct flow_pattern *out;
	struct {
		int hl;
		uint16_t value;
		bool weak;
		uint8_t item;
	} implied[MLX5DR_MAX_FIELDS];
	unsigned int nb_implied;
	const struct rte_flow_item *eth_typed; /* an eth item that masks its type */
	struct rte_flow_error *error;
};

/* The lowest byte of the mask that no row supports, by name. */
static int
check_mask(struct compiler *c)
{
	uint8_t supported[UINT8_MAX];
	const uint8_t *mask = c->item->mask;
	uint32_t word;

	flow_item_supported(c->row, supported);
	for (unsigned int i = 0; i < c->row->size; i++) {
		if ((mask[i] & ~supported[i]) == 0)
			continue;
		for (unsigned int j = 0; j < c->row->nb_others; j++) {
			const struct flow_item_other *other = &c->row->others[j];

			if (i < other->off || i >= other->off + other->len)
				continue;
			memcpy(&word, mask + other->off, RTE_MIN(other->len, sizeof(word)));
			if (other->bits == 0 || word & other->bits)
				return flow_error(c->error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_MASK, c->item->mask,
					"%s.%s cannot be matched", c->row->name, other->name);
		}
		/* Not a field by any name: padding of the structure. */
	}
	return 0;
}

static bool
overlap(int a, int b)
{
	return prm_offset(a) == prm_offset(b) &&
		(prm_mask(a) << prm_shift(a) & prm_mask(b) << prm_shift(b)) != 0;
}

static void
drop_field(struct flow_pattern *p, unsigned int i)
{
	memmove(&p->fields[i], &p->fields[i + 1], (p->nb_fields - i - 1) * sizeof(p->fields[0]));
	memmove(&p->item[i], &p->item[i + 1], (p->nb_fields - i - 1) * sizeof(p->item[0]));
	p->nb_fields--;
}

static int
append(struct compiler *c, const struct mlx5dr_field *field, unsigned int item, const char *name)
{
	struct flow_pattern *p = c->out;

	for (unsigned int i = p->nb_fields; i-- > 0;) {
		if (!overlap(p->fields[i].hl, field->hl))
			continue;
		/* has_more_vlan of the vlan item says more than has_vlan of the eth item. */
		if (p->fields[i].value.from == MLX5DR_FROM_CHOICE && field->value.from == MLX5DR_FROM_CHOICE) {
			drop_field(p, i);
			continue;
		}
		return flow_error_item(c->error, EINVAL, c->item, "%s.%s is matched twice in this pattern",
			c->row->name, name);
	}
	if (p->nb_fields == MLX5DR_MAX_FIELDS)
		return flow_error(c->error, E2BIG, RTE_FLOW_ERROR_TYPE_ITEM_NUM, c->item,
			"%s.%s: more than %u fields in one pattern", c->row->name, name, MLX5DR_MAX_FIELDS);
	p->item[p->nb_fields] = item;
	p->fields[p->nb_fields++] = *field;
	return 0;
}

static int
tag_register(struct compiler *c, int *hl)
{
	const struct rte_flow_item_tag *spec = c->item->spec;

	if (spec == NULL)
		return flow_error(c->error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, c->item,
			"tag.index must be given by the template's spec");
	if (flow_tag_register(c->regs, spec->index) < 0)
		return flow_error(c->error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, spec,
			"tag.index %u: this device has tags 0 to %d", spec->index, c->regs->nb_tags - 1);
	*hl = flow_reg_c_hl(flow_tag_register(c->regs, spec->index));
	return 0;
}

static int
add_field(struct compiler *c, const struct flow_item_field *row)
{
	uint32_t mask = flow_item_load(row, c->item->mask) >> row->shift & flow_item_width_mask(row);
	struct mlx5dr_field field = {
		.hl = c->inner && row->hl_inner != 0 ? row->hl_inner : row->hl_outer,
		.mask = mask,
		.value = {
			.from = MLX5DR_FROM_SOURCE,
			.source = {
				.base = MLX5DR_ITEMS, .unit = row->unit, .host_order = row->host_order,
				.shift = row->shift, .offset = row->off,
				.pointer_at = c->index * sizeof(struct rte_flow_item) +
					offsetof(struct rte_flow_item, spec),
			},
		},
	};
	int rc;

	if (mask == 0)
		return 0;
	switch (row->kind) {
	case FLOW_COPY:
		break;
	case FLOW_HAS_VLAN:
		field.mask = 3;
		field.value.from = MLX5DR_FROM_CHOICE;
		field.value.test = 1;
		field.value.value = MLX5DR_HL_VLAN_C;
		field.value.otherwise = MLX5DR_HL_VLAN_NONE;
		break;
	case FLOW_HAS_MORE:
		field.mask = 3;
		field.value.from = MLX5DR_FROM_CHOICE;
		field.value.test = 1;
		field.value.value = MLX5DR_HL_VLAN_S;
		field.value.otherwise = MLX5DR_HL_VLAN_C;
		break;
	case FLOW_FRAGMENT:
		if (mask != 0x3fff)
			break;
		field.hl = c->inner ? MLX5DR_HL_IP_FRAGMENTED_I : MLX5DR_HL_IP_FRAGMENTED_O;
		field.mask = 1;
		field.value.from = MLX5DR_FROM_CHOICE;
		field.value.test = 0x3fff;
		field.value.value = 1;
		break;
	case FLOW_META:
		field.hl = flow_meta_hl(c->type);
		c->out->uses_meta = true;
		break;
	case FLOW_TAG:
		rc = tag_register(c, &field.hl);
		if (rc != 0)
			return rc;
		break;
	}
	return append(c, &field, c->index, row->name);
}

static int
add_implied(struct compiler *c)
{
	for (unsigned int i = 0; i < c->row->nb_implied; i++) {
		const struct flow_implied *implied = &c->row->implied[i];
		int hl = c->inner ? implied->hl_inner : implied->hl_outer;
		unsigned int j;

		for (j = 0; j < c->nb_implied && c->implied[j].hl != hl; j++)
			;
		if (j < c->nb_implied && c->implied[j].value != implied->value)
			return flow_error_item(c->error, EINVAL, c->item, "%s contradicts the item before it",
				c->row->name);
		if (j < c->nb_implied)
			continue;
		c->implied[j].hl = hl;
		c->implied[j].value = implied->value;
		c->implied[j].weak = implied->weak;
		c->implied[j].item = c->index;
		c->nb_implied++;
	}
	return 0;
}

static int
finish_implied(struct compiler *c)
{
	for (unsigned int i = 0; i < c->nb_implied; i++) {
		struct mlx5dr_field field = {
			.hl = c->implied[i].hl, .mask = prm_mask(c->implied[i].hl),
			.value = { .from = MLX5DR_FROM_CONSTANT, .value = c->implied[i].value },
		};
		unsigned int j;
		int rc;

		for (j = 0; j < c->out->nb_fields && !overlap(c->out->fields[j].hl, field.hl); j++)
			;
		if (j < c->out->nb_fields && c->implied[i].weak)
			continue;
		rc = append(c, &field, c->implied[i].item, "type");
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int
check_place(struct compiler *c)
{
	if (c->row->layer == FLOW_NO_LAYER)
		return 0;
	if (c->row->layer == FLOW_TUNNEL && c->inner)
		return flow_error_item(c->error, ENOTSUP, c->item, "%s inside a tunnel cannot be matched", c->row->name);
	if ((c->row->follows & c->layer) == 0)
		return flow_error_item(c->error, c->row->layer == c->layer ? ENOTSUP : EINVAL, c->item,
			c->row->layer == c->layer ? "%s: one such header per level can be matched" :
			"%s cannot stand at this place of the pattern", c->row->name);
	/* The parser keeps the type behind the tags: that of the eth item is then the tag's own, which it does not keep. */
	if (c->row->layer == FLOW_VLAN && c->eth_typed != NULL)
		return flow_error_item(c->error, ENOTSUP, c->eth_typed,
			"eth.type before a vlan item cannot be matched; mask vlan.inner_type");
	return 0;
}

static int
compile_item(struct compiler *c)
{
	const struct flow_item_row *row;
	int rc;

	row = flow_item_row(c->item->type);
	if (row == NULL)
		return flow_error_item(c->error, ENOTSUP, c->item, "item %s is not supported",
			flow_item_name(c->item->type));
	c->row = row;
	if (c->item->last != NULL)
		return flow_error(c->error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_LAST, c->item->last,
			"%s.last: ranges cannot be matched", row->name);
	rc = check_place(c);
	if (rc == 0 && c->item->mask != NULL)
		rc = check_mask(c);
	for (unsigned int i = 0; rc == 0 && c->item->mask != NULL && i < row->nb_fields; i++)
		rc = add_field(c, &row->fields[i]);
	if (rc == 0 && !c->relaxed)
		rc = add_implied(c);
	if (rc != 0)
		return rc;
	if (row->type == RTE_FLOW_ITEM_TYPE_ETH) {
		const struct rte_flow_item_eth *mask = c->item->mask;

		c->eth_typed = mask != NULL && mask->type != 0 ? c->item : NULL;
	}
	if (row->layer != FLOW_NO_LAYER)
		c->layer = row->layer;
	if (row->layer == FLOW_TUNNEL)
		c->inner = true;
	return 0;
}

int
flow_pattern_compile(const struct rte_flow_item items[], bool relaxed, enum mlx5dr_table_type type,
	const struct flow_regs *regs, struct flow_pattern *pattern, struct rte_flow_error *error)
{
	struct compiler c = {
		.layer = FLOW_START, .relaxed = relaxed, .type = type, .regs = regs, .out = pattern, .error = error,
	};
	int rc;

	pattern->nb_fields = 0;
	pattern->nb_items = 0;
	pattern->uses_meta = false;
	if (items == NULL)
		return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_NUM, NULL, "no pattern: items is NULL");
	for (; items[c.index].type != RTE_FLOW_ITEM_TYPE_END; c.index++) {
		if (c.index == UINT8_MAX)
			return flow_error(error, E2BIG, RTE_FLOW_ERROR_TYPE_ITEM_NUM, items,
				"more than %d items in one pattern", UINT8_MAX);
		if (items[c.index].type == RTE_FLOW_ITEM_TYPE_VOID)
			continue;
		c.item = &items[c.index];
		rc = compile_item(&c);
		if (rc != 0)
			return rc;
	}
	pattern->nb_items = c.index;
	return finish_implied(&c);
}
