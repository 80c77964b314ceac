/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Hardware steering, control side: context, tables, templates, actions, matchers. What runs per rule is in rule.h.
 *
 *	context   one opened device: queues, one extra queue for the engine itself, STC ranges, caches
 *	table     a flow table of one direction; holds a chain of matchers by priority
 *	matcher   what the flow API calls a template table: match templates x action templates, room for N rules. Every
 *	          (match, action) pair is compiled here, once, into WQE images and two short programs (struct mlx5dr_pair)
 *	rule      one 64-byte record
 *
 * hws does not know where a rule's values come from: a template says, per field, "so many bytes behind the pointer that
 * lies at that offset of the caller's array" (struct mlx5dr_source), and the caller passes its arrays as they are.
 *
 * Threads: everything in this file takes the context's lock and may be called from any thread; none of it is for the
 * rule path. Objects must be destroyed in reverse order of use; -EBUSY otherwise, with nothing changed.
 * Errors: 0 or -errno. Where a reason helps, the call takes a struct mlx5dr_error (NULL is allowed).
 */
#ifndef MLX5DR_H
#define MLX5DR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hws/header_layout.h"

struct hca_device;
struct mlx5dr_context;
struct mlx5dr_counter_pool;
struct mlx5dr_table;
struct mlx5dr_match_template;
struct mlx5dr_action;
struct mlx5dr_action_template;
struct mlx5dr_matcher;
struct mlx5dr_queue;
struct mlx5dr_pair;

/* Why a call failed, for the user. index: which field, slot or template is meant, -1: none in particular. */
struct mlx5dr_error {
	int index;
	uint16_t bytes_asked, bytes_available; /* E2BIG of a match: its key bytes and those a definer has */
	char text[192];
};

/* Direction. The numbers are the device's table types. */
enum mlx5dr_table_type { MLX5DR_NIC_RX = 0, MLX5DR_NIC_TX = 1 };
#define MLX5DR_NB_TABLE_TYPES 2

/* ---- context ------------------------------------------------------------------------------------------------- */

struct mlx5dr_context_attr {
	uint16_t nb_queues;         /* the caller's; the engine's own queue comes on top */
	const uint32_t *queue_size; /* per queue: operations that may be outstanding, >= 1 */
	uint32_t own_queue_size;    /* of the engine's queue; 0: 256 */
	uint32_t scratch_bytes;     /* per queue, for values that the caller composes (MLX5DR_SCRATCH) */
};

/* Largest queue_size that mlx5dr_context_open takes on this device. */
uint32_t mlx5dr_max_queue_size(const struct hca_device *dev);

/* Why this device cannot do hardware steering: a sentence, NULL when it can. */
const char *mlx5dr_unsupported(const struct hca_device *dev);

/* @return 0; -ENOTSUP the device cannot (see mlx5dr_unsupported); -EINVAL a queue size out of range; a command's error. */
int mlx5dr_context_open(struct hca_device *dev, const struct mlx5dr_context_attr *attr, struct mlx5dr_context **ctx,
			struct mlx5dr_error *error);
/* -EBUSY while tables, actions, counters exist. Outstanding operations are forgotten: pull them before. */
int mlx5dr_context_close(struct mlx5dr_context *ctx);

/*
 * Replace the caller's queues by others (nb_queues may be 0); the engine's own stays. Matchers serve only as many queues
 * as there were when they were created. -EBUSY an operation is outstanding: nothing has changed; otherwise errors as
 * of mlx5dr_context_open leave the old queues.
 */
int mlx5dr_context_set_queues(struct mlx5dr_context *ctx, const struct mlx5dr_context_attr *attr,
			      struct mlx5dr_error *error);

/* The caller's queues, 0 .. nb_queues - 1; NULL beyond. */
struct mlx5dr_queue *mlx5dr_context_queue(struct mlx5dr_context *ctx, uint16_t index);

/*
 * The engine's own queue for the caller's internal rules. Shared with argument writes and counter refresh, so it is
 * used between lock and unlock, and left empty (all results pulled). Nothing else of this file may be called between.
 */
struct mlx5dr_queue *mlx5dr_own_queue_lock(struct mlx5dr_context *ctx);
void mlx5dr_own_queue_unlock(struct mlx5dr_context *ctx);

/*
 * The device is gone or must be treated so: every operation outstanding on any queue comes back as failed on its next
 * polls, new creations are refused with -EIO, destructions succeed without the device. Any thread. Also noticed
 * by itself from hca_device.dead.
 */
void mlx5dr_context_fail(struct mlx5dr_context *ctx);

/* ---- table --------------------------------------------------------------------------------------------------- */

int mlx5dr_table_create(struct mlx5dr_context *ctx, enum mlx5dr_table_type type, struct mlx5dr_table **table);
/* -EBUSY: has matchers, or is the destination of an action or of another table's miss. */
int mlx5dr_table_destroy(struct mlx5dr_table *table);

/* The flow table to send packets to; a root rule's or a jump's destination. */
uint32_t mlx5dr_table_id(const struct mlx5dr_table *table);
struct hca_obj *mlx5dr_table_obj(const struct mlx5dr_table *table);

/* Where packets go that no matcher takes: a flow table id (another table's or a steering anchor's); 0: the default of
 * the domain (NIC_RX: dropped or the kernel's; NIC_TX: the wire). May change under traffic. */
int mlx5dr_table_set_miss(struct mlx5dr_table *table, uint32_t table_id);

/* ---- where a value comes from -------------------------------------------------------------------------------- */

enum mlx5dr_base {
	MLX5DR_ITEMS,   /* the items array given to mlx5dr_rule_create */
	MLX5DR_ACTIONS, /* its actions array */
	MLX5DR_SCRATCH, /* the queue's scratch (mlx5dr_queue_scratch) */
};

#define MLX5DR_NO_POINTER UINT16_MAX

/*
 * The unit of 1, 2 or 4 bytes at offset behind a pointer; the pointer lies at byte pointer_at of the base. With
 * MLX5DR_NO_POINTER, which only MLX5DR_SCRATCH may have, the unit itself lies at offset in the base. A pointer that is
 * NULL when the rule is made: -EINVAL.
 */
struct mlx5dr_source {
	uint8_t base;        /* enum mlx5dr_base */
	uint8_t unit;        /* bytes: 1, 2, 4 */
	bool host_order;     /* else network order */
	uint8_t shift;       /* the value starts at this bit of the unit */
	uint16_t pointer_at;
	uint16_t offset;
};

enum mlx5dr_from {
	MLX5DR_FROM_CONSTANT, /* value */
	MLX5DR_FROM_SOURCE,   /* unit >> shift, cut to the destination's width */
	MLX5DR_FROM_CHOICE,   /* (unit >> shift & test) ? value : otherwise */
};

struct mlx5dr_value {
	enum mlx5dr_from from;
	uint32_t value, otherwise, test;
	struct mlx5dr_source source;
};

/* ---- match template ------------------------------------------------------------------------------------------ */

/* One field of the header layout: (packet's field & mask) must equal (value & mask). */
struct mlx5dr_field {
	int hl;        /* MLX5DR_HL_... */
	uint32_t mask; /* right-aligned in the field; 0: the field is not matched at all */
	struct mlx5dr_value value;
};

#define MLX5DR_MAX_FIELDS 64

/*
 * Copies fields. Two fields must not compare the same bit, -EINVAL (index is the later one); a caller that lets a later
 * item replace an earlier one drops the earlier field itself. No field at all matches every packet.
 *
 * @return 0; -E2BIG when the fields do not fit the largest definer of this device: bytes_asked and bytes_available are
 * set; -EINVAL.
 */
int mlx5dr_match_template_create(struct mlx5dr_context *ctx, const struct mlx5dr_field *fields, uint16_t nb_fields,
				 struct mlx5dr_match_template **mt, struct mlx5dr_error *error);
/* -EBUSY while a matcher uses it. */
int mlx5dr_match_template_destroy(struct mlx5dr_match_template *mt);

/* ---- actions ------------------------------------------------------------------------------------------------- */

enum mlx5dr_action_type {
	/* fates: the last slot of every action template */
	MLX5DR_ACTION_DROP,
	MLX5DR_ACTION_MISS,  /* the domain's default, as if nothing had matched in the whole table */
	MLX5DR_ACTION_TIR,   /* NIC_RX only */
	MLX5DR_ACTION_TABLE, /* any flow table: a jump, or an anchor to the kernel */
	MLX5DR_ACTION_JUMP_TO_MATCHER, /* one row of an isolated matcher (mlx5dr_matcher_attr) */
	/* the others, in the order in which the device carries them out */
	MLX5DR_ACTION_TAG,             /* NIC_RX only: flow tag, what the CQE shows as mark */
	MLX5DR_ACTION_TNL_L2_TO_L2,    /* decapsulation, inner Ethernet header stays */
	MLX5DR_ACTION_TNL_L3_TO_L2,    /* decapsulation, a new Ethernet header (14 or 18 bytes) is put on the inner IP */
	MLX5DR_ACTION_POP_VLAN,        /* up to twice */
	MLX5DR_ACTION_COUNTER,
	MLX5DR_ACTION_PUSH_VLAN,       /* up to twice */
	MLX5DR_ACTION_MODIFY,          /* a list of set, add, copy */
	MLX5DR_ACTION_L2_TO_TNL_L2,    /* encapsulation */
	MLX5DR_ACTION_L2_TO_TNL_L3,    /* encapsulation, the Ethernet header goes */
	MLX5DR_NB_ACTION_TYPES,
};

/* Position of a type in the device's order; an action template's slots must not decrease in it. Fates are last. */
unsigned int mlx5dr_action_order(enum mlx5dr_action_type type);
const char *mlx5dr_action_name(enum mlx5dr_action_type type);

/*
 * Actions that are objects: fates with their target, and a counter bulk. One STC each, shared by all rules and tables
 * of that direction. id: TIR number, flow table id or first counter id; 0 where the type has none.
 */
int mlx5dr_action_create(struct mlx5dr_context *ctx, enum mlx5dr_table_type table_type, enum mlx5dr_action_type type,
			 uint32_t id, struct mlx5dr_action **action);
/*
 * A jump to the rows of an isolated matcher; which row is the slot's value. A packet whose row holds no rule, or one that
 * it does not match, goes on where the matcher's table misses to. The matcher must outlive the action.
 * @return 0; -EINVAL the matcher is not isolated; a command's error.
 */
int mlx5dr_action_create_jump_to_matcher(struct mlx5dr_matcher *matcher, struct mlx5dr_action **action);
/* Point it elsewhere; rules that use it follow at once, without being touched. Only fates, jumps to a matcher excepted. */
int mlx5dr_action_update(struct mlx5dr_action *action, enum mlx5dr_action_type type, uint32_t id);
int mlx5dr_action_destroy(struct mlx5dr_action *action);

/* What a rule carries to name the action (big endian); never 0. For mlx5dr_stc_map and for scratch. */
uint32_t mlx5dr_action_stc(const struct mlx5dr_action *action);

/*
 * Actions by number: queue index -> TIR, group -> table. The caller fills and may change entries at any time (aligned
 * 32-bit stores); 0 is "no such thing" and refuses the rule with -ENOENT.
 */
struct mlx5dr_stc_map {
	uint32_t nb;
	uint32_t stc_be[]; /* mlx5dr_action_stc */
};

/* One command of a modify list; numbers of fields are the PRM's modify-header field ids. */
enum mlx5dr_modify_op { MLX5DR_MODIFY_SET = 1, MLX5DR_MODIFY_ADD = 2, MLX5DR_MODIFY_COPY = 3 };
struct mlx5dr_modify {
	enum mlx5dr_modify_op op;
	uint16_t field;      /* written */
	uint8_t offset;      /* first bit, from the field's least significant */
	uint8_t length;      /* bits, 1 .. 32 */
	uint16_t src_field;  /* COPY */
	uint8_t src_offset;
	struct mlx5dr_value data; /* SET, ADD: right-aligned */
};
/* The engine puts NOPs between commands that depend on each other; they count against this limit. */
#define MLX5DR_MAX_MODIFY 64

#define MLX5DR_MAX_HEADER_BYTES 254

/*
 * One action of a template. Which members count:
 *
 *	DROP MISS        nothing
 *	TIR TABLE        action; or from the rule: value (an index into map, or with map NULL an mlx5dr_action_stc in
 *	                 network order)
 *	JUMP_TO_MATCHER  action, or with action NULL stc: source of mlx5dr_action_stc; value: the row. One beyond the matcher's rows
 *	                 drops the packet
 *	TAG              value: a number below MLX5DR_MARK_LIMIT (encoded by the engine); or flag: only that it was matched
 *	COUNTER          counters: each rule takes one of them, whose number is then in its record (struct mlx5dr_rule);
 *	                 else action, or with action NULL stc: source of mlx5dr_action_stc; value: index inside the bulk
 *	PUSH_VLAN        value, value2, value3 are put together by OR: (TPID << 16 | TCI), each shifted left by left[]
 *	MODIFY           modify, nb_modify
 *	L2_TO_TNL_*      header_bytes (even); header, or with header NULL the rule's bytes at `bytes`
 *	TNL_L3_TO_L2     the same, header_bytes is 14 or 18
 *	TNL_L2_TO_L2 POP_VLAN   nothing
 */
struct mlx5dr_slot {
	enum mlx5dr_action_type type;
	bool flag;
	uint16_t header_bytes;
	uint16_t nb_modify;
	uint8_t left[3];
	const struct mlx5dr_action *action;
	const struct mlx5dr_stc_map *map;
	struct mlx5dr_counter_pool *counters;
	struct mlx5dr_value value, value2, value3;
	struct mlx5dr_source stc;
	const struct mlx5dr_modify *modify;
	const uint8_t *header;
	struct mlx5dr_source bytes; /* unit is ignored */
};

#define MLX5DR_MAX_SLOTS 16
#define MLX5DR_MARK_LIMIT 0xfffff0

/*
 * Copies slots, lists and headers; actions, maps and counters must outlive it. The order is checked (mlx5dr_action_order), the
 * last slot is a fate.
 */
int mlx5dr_action_template_create(struct mlx5dr_context *ctx, enum mlx5dr_table_type table_type,
				  const struct mlx5dr_slot *slots, uint16_t nb_slots,
				  struct mlx5dr_action_template **at, struct mlx5dr_error *error);
int mlx5dr_action_template_destroy(struct mlx5dr_action_template *at);

/* ---- matcher ------------------------------------------------------------------------------------------------- */

#define MLX5DR_MAX_TEMPLATES 32

/*
 * How a rule finds its place, and a packet its rule:
 *
 *	BY_HASH     by the match's values. The ordinary table
 *	HASH_SPLIT  the rule's place is an index, and a packet's is the hash of the fields that the match template names: it takes
 *	            the rule of that row, whatever its fields are. For spreading traffic over rows
 *	LINEAR      the rule's place is an index, and a packet's is the upper half of REG_C_3; the match template has no field
 *	ISOLATED    the rule's place is an index, and packets come by MLX5DR_ACTION_JUMP_TO_MATCHER only; they must match too
 *
 * The last three are "by index". There templates must have one mask, and records are taken by mlx5dr_rule_take.
 */
enum mlx5dr_matcher_mode {
	MLX5DR_MATCHER_BY_HASH,
	MLX5DR_MATCHER_HASH_SPLIT,
	MLX5DR_MATCHER_LINEAR,
	MLX5DR_MATCHER_ISOLATED,
};
#define MLX5DR_MAX_LINEAR_ROWS (1u << 16)

struct mlx5dr_matcher_attr {
	uint32_t nb_rules; /* >= 1; at least so many fit, whichever queues they come from. By index: rows 0 .. nb_rules - 1 */
	uint16_t priority; /* lower comes first; equal ones in order of creation. Isolated: none */
	uint8_t nb_mt, nb_at;
	uint8_t mode;      /* enum mlx5dr_matcher_mode */
	bool updatable;    /* arguments and action entries twice, so that rules that need them can be updated */
	bool resizable;    /* mlx5dr_matcher_resize; only BY_HASH, not updatable, at most 16 different masks */
	struct mlx5dr_match_template *const *mt;
	struct mlx5dr_action_template *const *at;
};

/* Why this device has no matchers of that mode: a sentence, NULL when it has. */
const char *mlx5dr_matcher_mode_unsupported(const struct hca_device *dev, enum mlx5dr_matcher_mode mode);

/*
 * BY_HASH: templates with the same mask share one hash table of the device; different masks are searched one after the
 * other in the order of mt[]: where a packet matches rules of two templates, the rule of the earlier template wins. Two
 * rules with equal templates and values share one entry: the later one replaces the earlier.
 *
 * @return 0; -ENOTSUP the device has not that mode; -EINVAL, -E2BIG attributes; a command's error.
 */
int mlx5dr_matcher_create(struct mlx5dr_table *table, const struct mlx5dr_matcher_attr *attr,
			  struct mlx5dr_matcher **matcher, struct mlx5dr_error *error);
/* -EBUSY while rules are in use (mlx5dr_rule_put not called), or a jump leads here. */
int mlx5dr_matcher_destroy(struct mlx5dr_matcher *matcher);

/*
 * Can rules be given other actions by mlx5dr_rule_action_update? Every template pair of one WQE can; those with arguments
 * or action entries can where the matcher was made updatable. False: some of them cannot (-ENOTSUP), or none as the matcher
 * is resizable.
 */
bool mlx5dr_matcher_is_updatable(const struct mlx5dr_matcher *matcher);

/*
 * Other tables on the device, for nb_rules rules: more, or fewer but not fewer than there are. From now on:
 *
 *	- mlx5dr_matcher_pair gives other pairs; rules made with them are in the new tables. The old pairs may be used until
 *	  mlx5dr_matcher_resize_complete; their rules are old ones.
 *	- every old rule must be moved (mlx5dr_rule_move) or destroyed. Packets meet each rule all the time.
 *	- mlx5dr_matcher_resize_complete ends it.
 *
 * A record and its address never change. Queues may work on the matcher meanwhile, with the pairs they have; but during the
 * call itself only where it asks for as many rules as the matcher ever had room for: to fewer it counts them. Arguments and action
 * entries of moved rules stay where they are; they are given back by the resize_complete that finds none of them in use.
 *
 * @return 0; -EINVAL not resizable, or nb_rules out of range; -EBUSY the last resize was not completed; -ENOSPC there are more
 * rules than that; a command's error. Nothing has changed then.
 */
int mlx5dr_matcher_resize(struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct mlx5dr_error *error);
/*
 * The old tables go. No queue may work on the matcher during the call.
 * @return 0; -EINVAL no resize has begun; -EBUSY a rule was not moved or its move was not polled (index: its record's).
 */
int mlx5dr_matcher_resize_complete(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error);

/* What mlx5dr_rule_create takes for templates mt, at of this matcher; lives as long as the matcher, or as mlx5dr_matcher_resize
 * says. */
const struct mlx5dr_pair *mlx5dr_matcher_pair(const struct mlx5dr_matcher *matcher, uint8_t mt, uint8_t at);

/* Indices of rules (mlx5dr_rule_index) are below it. Of a resizable matcher it grows. */
uint32_t mlx5dr_matcher_nb_records(const struct mlx5dr_matcher *matcher);

/* Memory that the matcher and its rules hold at most, for info and tests. */
size_t mlx5dr_matcher_bytes(const struct mlx5dr_matcher *matcher);

#endif
