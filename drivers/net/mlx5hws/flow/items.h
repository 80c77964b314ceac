/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Pattern items as data: one row per item, one row per field. The rows say what is matched, what may be masked, what an item
 * implies, and what may stand before it; the compiler, the errors and doc/flow.md come from them.
 */
#ifndef FLOW_ITEMS_H
#define FLOW_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hws/mlx5dr.h"

#include <rte_flow.h>

#include "flow/api.h"

/* How the bits of an item become bits of the header layout. */
enum flow_field_kind {
	FLOW_COPY,      /* as they are */
	FLOW_HAS_VLAN,  /* one bit -> VLAN qualifier: exactly one tag, or none */
	FLOW_HAS_MORE,  /* one bit -> VLAN qualifier: more tags follow, or exactly one */
	FLOW_FRAGMENT,  /* mask 0x3fff: "is a fragment"; other masks: the word itself */
	FLOW_META,      /* the metadata register of the direction */
	FLOW_TAG,       /* the register of the index that the template's spec names */
};

/*
 * A field is `unit` bytes at offset `off` of the item's structure (network order, or host order), shifted right by
 * `shift`, as wide as the header-layout field. Fields wider than 32 bits take several rows of one name.
 */
struct flow_item_field {
	const char *name;
	uint8_t off, unit, shift;
	bool host_order;
	enum flow_field_kind kind;
	int hl_outer, hl_inner; /* hl_inner 0: exists once */
};

/* A field that exists in rte_flow and is not matched: only its name, for the error. bits 0: whole bytes. */
struct flow_item_other {
	const char *name;
	uint8_t off, len;
	uint32_t bits;
};

/* What the presence of an item says about the packet, unless matching is relaxed. */
struct flow_implied {
	int hl_outer, hl_inner;
	uint16_t value;
	bool weak; /* gives way to a field that the pattern masks there */
};

enum flow_layer {
	FLOW_START = 1 << 0,
	FLOW_L2 = 1 << 1,
	FLOW_VLAN = 1 << 2,
	FLOW_L3 = 1 << 3,
	FLOW_L4 = 1 << 4,
	FLOW_TUNNEL = 1 << 5,
	FLOW_NO_LAYER = 1 << 6, /* metadata: may stand anywhere */
};

struct flow_item_row {
	enum rte_flow_item_type type;
	const char *name;
	uint8_t size; /* of its structure */
	uint8_t layer, follows;
	const struct flow_item_field *fields;
	uint8_t nb_fields;
	const struct flow_item_other *others;
	uint8_t nb_others;
	const struct flow_implied *implied;
	uint8_t nb_implied;
};

extern const struct flow_item_row flow_items[];
extern const unsigned int flow_nb_items;

const struct flow_item_row *flow_item_row(enum rte_flow_item_type type);

/* The unit of a field in an item's structure, host order, not shifted; and how many bits of it, shifted, the field has. */
uint32_t flow_item_load(const struct flow_item_field *field, const void *structure);
uint32_t flow_item_width_mask(const struct flow_item_field *field);

/* The bits of the item that may be masked, size bytes. */
void flow_item_supported(const struct flow_item_row *row, uint8_t *mask);

/* Registers, by what the application calls them. */
#define FLOW_MAX_TAGS 8
struct flow_regs {
	uint8_t nb_tags;
	uint8_t tag[FLOW_MAX_TAGS]; /* number n of REG_C_n */
	bool has_c3;
};

/* Tag registers of a device: what modify-header can write, less those with another purpose (flow/README.md). */
void flow_regs_init(struct flow_regs *regs, uint16_t metadata_reg_c);
/* Number n of the REG_C_n that a tag is; -1: there is no such tag. */
int flow_tag_register(const struct flow_regs *regs, uint32_t index);
int flow_reg_c_hl(uint8_t n);           /* header-layout field of REG_C_n */
int flow_meta_hl(enum mlx5dr_table_type type);

/* A pattern as header-layout fields. */
struct flow_pattern {
	struct mlx5dr_field fields[MLX5DR_MAX_FIELDS];
	uint8_t item[MLX5DR_MAX_FIELDS]; /* which item each came from, for errors */
	uint16_t nb_fields;
	uint16_t nb_items; /* with VOID, without END */
	bool uses_meta;    /* differs between the directions */
};

/*
 * Template items (mask decides, spec is read for the tag index alone) -> fields whose values come from a rule's items
 * array. @return 0 or -errno with error filled.
 */
int flow_pattern_compile(const struct rte_flow_item items[], bool relaxed, enum mlx5dr_table_type type,
	const struct flow_regs *regs, struct flow_pattern *pattern, struct rte_flow_error *error);

#endif
