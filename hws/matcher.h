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

/* How a rule of a pair is created, 0 being the common case: one WQE, nothing else. */
enum pair_special {
	PAIR_PLAIN,
	PAIR_STEPS,          /* several WQEs */
	PAIR_KEPT,           /* the record's index or a copy of the WQE is needed, be it one WQE or several */
};
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
	uint8_t special;     /* enum pair_special */
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
	uint32_t resources;  /* the set of the matcher's that its rules use */
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

/* What a set of action templates owns on the device: shared by all rules that were made with it. */
struct matcher_resources {
	uint32_t number;     /* of the set, among those of the matcher */
	struct matcher_slot (*slots)[MLX5DR_MAX_SLOTS]; /* [nb_at] */
	/* Action STEs: stride per rule, addressed by rule index. */
	uint32_t ste_stride;
	struct hca_obj *action_ste, *action_rtc;
	uint32_t jump_stc;
	bool has_jump_stc;
};

/* Old tables of a matcher that is being resized stand in the other half of its parts. */
#define MATCHER_RESIZABLE_PARTS (MLX5DR_MAX_TEMPLATES / 2)

struct mlx5dr_matcher {
	struct pool pool;    /* by index: empty */
	uint8_t *records;    /* struct mlx5dr_rule[] */
	size_t records_bytes;
	_Atomic size_t populated; /* bytes of records that have memory */
	uint32_t nb_records;
	uint32_t nb_caches;  /* queues that it serves, the engine's own too */
	struct mlx5dr_context *ctx;
	struct mlx5dr_table *table;
	uint16_t priority;
	uint8_t mode;        /* enum mlx5dr_matcher_mode */
	bool updatable;      /* resources twice: those of index + nb_records are a rule's second set */
	bool resizable;
	atomic_bool resizing; /* set after first_part, so that a queue that sees it sees that too */
	uint8_t nb_mt, nb_at;
	_Atomic uint8_t first_part; /* the tables that new rules go to */
	uint8_t nb_parts;
	uint8_t log_rows, log_columns;
	unsigned int refs;   /* jumps that lead here */
	struct mlx5dr_match_template **mt;  /* these three in one piece, which begins with parts */
	struct mlx5dr_action_template **at;
	uint8_t mt_part[MLX5DR_MAX_TEMPLATES]; /* from first_part on */
	struct matcher_part *parts; /* as many as there can be: matcher_max_parts */
	struct matcher_resources res;
	struct mlx5dr_pair **pairs; /* [mt * nb_at + at] */
	/* By index. */
	struct matcher_count *taken; /* per queue */
	/* Resizable. */
	uint8_t *images;     /* by record: the WQE of its match STE, its first 4 bytes the number of its resources */
	struct mlx5dr_pair **old_pairs;
	struct matcher_resources *old_res; /* of rules that were moved; nb_old_res */
	uint32_t nb_old_res;
	/*
	 * WQEs of deletions, tag and first 8 bytes missing; two per part, by MLX5DR_RULE_WHERE_SHIFT: part, main or collision
	 * table.
	 */
	uint8_t deletion[][PRM_WQE_GTA_BYTES] __attribute__((aligned(64)));
};

static inline unsigned int
matcher_max_parts(const struct mlx5dr_matcher *matcher)
{
	return (matcher->resizable ? MATCHER_RESIZABLE_PARTS : 0) + matcher->nb_mt;
}

/* Where a moved rule was before, as bits. */
static inline uint32_t
old_place(uint32_t bits)
{
	uint32_t place = (bits ^ MATCHER_RESIZABLE_PARTS << MLX5DR_RULE_PART_SHIFT) & ~MLX5DR_RULE_COLLISION;

	return (bits & MLX5DR_RULE_OLD_COLLISION) != 0 ? place | MLX5DR_RULE_COLLISION : place;
}

static inline bool
matcher_by_index(const struct mlx5dr_matcher *matcher)
{
	return matcher->mode != MLX5DR_MATCHER_BY_HASH;
}

/* The match's values do not reach the device: whatever stands in the row is hit. */
static inline bool
matcher_always_hits(const struct mlx5dr_matcher *matcher)
{
	return matcher->mode == MLX5DR_MATCHER_HASH_SPLIT || matcher->mode == MLX5DR_MATCHER_LINEAR;
}

/* records.c */
int records_create(struct mlx5dr_matcher *matcher, uint32_t nb_rules);
void records_destroy(struct mlx5dr_matcher *matcher);
/* Resizable: records beyond nb_rules, for what the queues' caches hold back from each other. */
uint32_t records_slack(const struct mlx5dr_matcher *matcher);
/* Resizable: memory for nb_rules in all, and nb_records says so; but none is given out before records_grown. */
int records_grow(struct mlx5dr_matcher *matcher, uint32_t nb_rules);
void records_grown(struct mlx5dr_matcher *matcher);
uint32_t records_nb_out(const struct mlx5dr_matcher *matcher);
uint32_t records_max(const struct mlx5dr_matcher *matcher);

/* parts.c: tables of a half. choose_size first. */
int parts_choose_size(struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct mlx5dr_error *error);
int parts_create(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error);
/* For a resize: the same masks and definers, each new table before the old one of its mask. */
int parts_create_again(struct mlx5dr_matcher *matcher, uint8_t old_first, struct mlx5dr_error *error);
void parts_destroy(struct mlx5dr_matcher *matcher, uint8_t first);
/* What all RTCs of a matcher have in common; a range of STEs as the device gives it. */
struct hca_rtc_attr;
void parts_init_rtc(const struct mlx5dr_matcher *matcher, struct hca_rtc_attr *rtc);
uint8_t parts_ste_log_range(const struct mlx5dr_matcher *matcher, uint32_t log);

/* matcher.c: resources and pairs, for resize.c too. */
int matcher_acquire_resources(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error);
void matcher_release_resources(struct mlx5dr_matcher *matcher, struct matcher_resources *res);
int matcher_build_pairs(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error);
void matcher_free_pairs(const struct mlx5dr_matcher *matcher, struct mlx5dr_pair **pairs);

/* Give memory to the first nb_records records. Any queue; a few system calls for a million rules. */
void matcher_populate(struct mlx5dr_matcher *matcher, uint32_t nb_records);

/* slot.c: acquire and release what one slot needs. Under the context's lock. */
int slot_acquire(struct mlx5dr_matcher *matcher, const struct mlx5dr_action_template *at, unsigned int which,
		 struct matcher_slot *slot, struct mlx5dr_error *error);
void slot_release(struct mlx5dr_matcher *matcher, struct matcher_slot *slot);

/* How many rules' worth of arguments and action STEs there are. */
static inline uint32_t
matcher_nb_owned(const struct mlx5dr_matcher *matcher)
{
	return matcher->updatable ? 2 * matcher->nb_records : matcher->nb_records;
}

/* STEs beside the match STE that a rule of these templates takes. */
static inline unsigned int
action_stes_of(const struct mlx5dr_action_template *at, bool jumbo)
{
	return at->nb_stes - (!jumbo || at->only_term ? 1 : 0);
}

/* pair.c */
int pair_build(const struct mlx5dr_matcher *matcher, unsigned int mt, unsigned int at, struct mlx5dr_pair **pair);

#endif
