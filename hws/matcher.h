/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A matcher as the engine sees it: records, hash tables (parts), what its action templates own on the device, and the
 * compiled pairs.
 */
#ifndef MLX5DR_MATCHER_H
#define MLX5DR_MATCHER_H

#include "hws/action.h"
#include "hws/pool.h"
#include "hws/program.h"
#include "hws/rule.h"
#include "hws/table.h"
#include "prm/wqe.h"

struct definer_object;
struct mlx5dr_match_template;

/* ---- compiled pair --------------------------------------------------------------------------------------------- */

/* A WQE that precedes the match STE: an argument or an action STE. */
struct pair_step {
	uint8_t image[PRM_WQE_GTA_BYTES];
	uint32_t opmod;
	uint32_t first_op, nb_ops; /* in step_ops */
	struct program_index index; /* every such WQE has one at least; more of them are ops */
} __attribute__((aligned(64)));

#define PAIR_INDEXES 3 /* link, argument, and one to spare */

struct mlx5dr_pair {
	uint8_t image[PRM_WQE_GTA_BYTES]; /* of the match STE, SQ number and index missing */
	/* What the plain path reads. */
	uint8_t nb_moves[4];
	uint32_t retry_rtc;  /* 0: no second attempt */
	uint16_t bits;       /* of a rule being created */
	bool jumbo;
	bool narrow;         /* the tag program has moves of 2 and 1 bytes */
	bool has_ops;        /* tag or action ops */
	uint8_t nb_steps;
	const struct tag_move *moves;
	struct program_direct direct;
	/* The rest. */
	uint8_t nb_tag_ops, nb_action_ops;
	uint16_t nb_bbs;     /* WQEBBs of one rule in all */
	uint8_t nb_index;
	struct program_index index[PAIR_INDEXES]; /* of the match STE */
	const struct op *tag_ops;
	const struct op *action_ops;
	const struct pair_step *steps;
	const struct op *step_ops;
	const struct mlx5dr_matcher *matcher;
	size_t bytes;
} __attribute__((aligned(64)));

static_assert(offsetof(struct mlx5dr_pair, nb_moves) == 128 && offsetof(struct mlx5dr_pair, nb_tag_ops) <= 192,
	      "image, then one line for the plain path");

/* ---- matcher --------------------------------------------------------------------------------------------------- */

/* One hash table of the device and its collision table; all templates with one mask share it. */
struct matcher_part {
	bool jumbo;
	uint8_t nb_nodes;    /* linked so far */
	const struct mlx5dr_match_template *first; /* whose definer it has */
	struct definer_object *definer;
	struct hca_obj *ste[2];
	struct table_node nodes[2];
};

/* What a slot of an action template owns on the device, for this matcher. */
struct matcher_slot {
	bool has_stc, has_single_stc;
	bool per_rule;       /* its argument is written by every rule */
	uint32_t stc;        /* in the slot's main place */
	uint32_t single_stc; /* L3 encapsulation: what removes the Ethernet header */
	uint32_t arg_units;  /* of 64 bytes, a power of two; 0: no argument */
	struct hca_obj *arg;
	struct pattern_object *pattern;
};

struct mlx5dr_matcher {
	struct pool pool;
	uint8_t *records;    /* struct mlx5dr_rule[pool.size] */
	size_t records_bytes;
	_Atomic size_t populated; /* bytes of records that have memory */
	struct mlx5dr_context *ctx;
	struct mlx5dr_table *table;
	uint8_t nb_mt, nb_at, nb_parts;
	uint8_t log_rows, log_columns;
	struct mlx5dr_match_template *mt[MLX5DR_MAX_TEMPLATES];
	struct mlx5dr_action_template *at[MLX5DR_MAX_TEMPLATES];
	uint8_t mt_part[MLX5DR_MAX_TEMPLATES];
	struct matcher_part parts[MLX5DR_MAX_TEMPLATES];
	/* WQEs of deletions, tag and first 8 bytes missing; by MLX5DR_RULE_WHERE_SHIFT: part, main or collision table. */
	uint8_t deletion[2 * MLX5DR_MAX_TEMPLATES][PRM_WQE_GTA_BYTES] __attribute__((aligned(64)));
	struct matcher_slot (*slots)[MLX5DR_MAX_SLOTS]; /* [nb_at] */
	/* Action STEs: stride per rule, addressed by rule index. */
	uint32_t ste_stride;
	struct hca_obj *action_ste, *action_rtc;
	uint32_t jump_stc;
	bool has_jump_stc;
	struct mlx5dr_pair **pairs; /* [mt * nb_at + at] */
};

/* Give memory to the first nb_records records. Any queue; a few system calls for a million rules. */
void matcher_populate(struct mlx5dr_matcher *matcher, uint32_t nb_records);

/* slot.c: acquire and release what one slot needs. Under the context's lock. */
int slot_acquire(struct mlx5dr_matcher *matcher, const struct mlx5dr_action_template *at, unsigned int which,
		 struct matcher_slot *slot, struct mlx5dr_error *error);
void slot_release(struct mlx5dr_matcher *matcher, struct matcher_slot *slot);

/* STEs beside the match STE that a rule of these templates takes. */
static inline unsigned int
action_stes_of(const struct mlx5dr_action_template *at, bool jumbo)
{
	return at->nb_stes - (!jumbo || at->only_term ? 1 : 0);
}

/* pair.c */
int pair_build(const struct mlx5dr_matcher *matcher, unsigned int mt, unsigned int at, struct mlx5dr_pair **pair);

#endif
