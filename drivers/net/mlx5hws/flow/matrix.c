/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/matrix.h"

#include "flow/actions.h"
#include "flow/fields.h"
#include "flow/items.h"

static const struct {
	uint8_t layer;
	const char *name;
} layers[] = {
	{ FLOW_START, "nothing" }, { FLOW_L2, "eth" }, { FLOW_VLAN, "vlan" }, { FLOW_L3, "IP" },
	{ FLOW_L4, "L4" }, { FLOW_TUNNEL, "tunnel" },
};

static void
print_follows(FILE *out, const struct flow_item_row *row)
{
	const char *comma = "";

	if (row->layer == FLOW_NO_LAYER) {
		fprintf(out, "anything");
		return;
	}
	for (unsigned int i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		if ((row->follows & layers[i].layer) == 0)
			continue;
		fprintf(out, "%s%s", comma, layers[i].name);
		comma = ", ";
	}
}

static void
print_fields(FILE *out, const struct flow_item_row *row)
{
	const char *last = "";

	for (unsigned int i = 0; i < row->nb_fields; i++) {
		if (row->fields[i].name == last)
			continue;
		fprintf(out, "%s%s", i == 0 ? "" : ", ", row->fields[i].name);
		last = row->fields[i].name;
	}
}

static void
print_others(FILE *out, const struct flow_item_row *row)
{
	for (unsigned int i = 0; i < row->nb_others; i++)
		fprintf(out, "%s%s", i == 0 ? "" : ", ", row->others[i].name);
}

static void
print_items(FILE *out)
{
	fprintf(out, "| item | may follow | matched | refused | implies (not relaxed) |\n|---|---|---|---|---|\n");
	for (unsigned int i = 0; i < flow_nb_items; i++) {
		const struct flow_item_row *row = &flow_items[i];

		fprintf(out, "| %s | ", row->name);
		print_follows(out, row);
		fprintf(out, " | ");
		print_fields(out, row);
		fprintf(out, " | ");
		print_others(out, row);
		fprintf(out, " | %s |\n", row->nb_implied == 0 ? "" : row->nb_implied == 1 ? "its type" :
			"its type and that of the header before it");
	}
}

static void
print_actions(FILE *out)
{
	fprintf(out, "| action | ingress | egress | notes |\n|---|---|---|---|\n");
	for (unsigned int i = 0; i < flow_nb_actions; i++)
		fprintf(out, "| %s | %s | %s | %s |\n", flow_actions[i].name,
			flow_actions[i].directions & FLOW_RX ? "yes" : "", flow_actions[i].directions & FLOW_TX ? "yes" : "",
			flow_actions[i].note);
}

static void
print_modify(FILE *out)
{
	fprintf(out, "| field | bits | levels | commands |\n|---|---|---|---|\n");
	for (unsigned int i = 0; i < flow_nb_modify_fields; i++) {
		const struct flow_modify_row *row = &flow_modify_fields[i];

		fprintf(out, "| %s | %u | %s | %u |\n", row->name, row->width,
			row->special == FLOW_FIELD_REG_TAG ? "index of the tag" : row->special == FLOW_FIELD_REG_META ? "" :
			row->parts[0].inner != 0 ? "outer, inner" : "outer", row->nb_parts);
	}
}

void
flow_matrix_print(FILE *out)
{
	fprintf(out, "### Items\n\n");
	print_items(out);
	fprintf(out, "\n### Actions\n\n");
	print_actions(out);
	fprintf(out, "\n### Fields of modify_field\n\n");
	print_modify(out);
}
