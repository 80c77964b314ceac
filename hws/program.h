/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The two programs of a (match template, action template) pair: how a rule's values get into its WQE.
 *
 * The tag program is a list of moves, whole bytes that keep their place within the byte, sorted by width (as many bytes
 * at once as lie side by side in the source and in the tag), and of the few fields that must be shifted or chosen. It
 * writes the WQE's data segment and the rule's record at one and the same offset.
 *
 * The action program writes dwords anywhere in a WQE. Of the match STE, what most templates have is no list of ops but
 * fields with a fixed place each (struct program_direct).
 */
#ifndef MLX5DR_PROGRAM_H
#define MLX5DR_PROGRAM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hws/counter_pool.h"
#include "hws/definer.h"
#include "hws/mlx5dr.h"
#include "hws/rule.h"
#include "prm/wqe.h"

/* A queue's scratch is preceded by a pointer to itself, so that direct values are read like all others. */
#define PROGRAM_SCRATCH_HEAD 64

enum op_unit { UNIT_8, UNIT_16_BE, UNIT_16_HOST, UNIT_32_BE, UNIT_32_HOST };

enum op_code {
	/* tag */
	OP_OR_TAG,     /* dword at `to` |= value, in WQE and record */
	/* actions: dword at `to` of the WQE */
	OP_SET,        /* = constant | value << left */
	OP_OR,         /* |= value << left */
	OP_RAW,        /* = the unit as it lies there | constant (big endian); zero: -ENOENT */
	OP_MAP,        /* = map[value]; zero or out of range: -ENOENT */
	OP_MARK,       /* = encoded mark; out of range: -ERANGE */
	OP_INDEX,      /* = constant + rule index * mask */
	OP_BYTES,      /* mask bytes from the source to `to` */
	OP_COUNTER,    /* a counter is taken; constant (big endian) stands beside its STC, unit is the direction. None: -ENOBUFS */
};

/* One move: v = (source & mask) | value, of 8, 4, 2 or 1 bytes as they lie in memory. */
struct tag_move {
	uint16_t base; /* enum mlx5dr_base */
	uint16_t pointer_at;
	uint16_t offset;
	uint16_t to;   /* offset in data segment and record */
	uint64_t mask, value;
};

struct op {
	uint8_t code;  /* enum op_code */
	uint8_t unit;  /* enum op_unit */
	uint8_t base;
	uint8_t shift, left;
	bool choice;   /* value = unit >> shift & test ? constant : otherwise, instead of unit >> shift & mask */
	uint16_t to;
	uint16_t pointer_at;
	uint16_t offset;
	uint32_t mask;
	uint32_t constant;
	uint32_t test, otherwise;
	union {
		const struct mlx5dr_stc_map *map;
		struct mlx5dr_counter_pool *counters;
	};
};

#define PROGRAM_MAX_MOVES DEFINER_TAG_BYTES
#define PROGRAM_MAX_TAG_OPS (2 * MLX5DR_MAX_FIELDS)

struct tag_program {
	uint8_t nb_moves[4];   /* of 8, 4, 2, 1 bytes */
	uint8_t nb_ops;
	struct tag_move moves[PROGRAM_MAX_MOVES];
	struct op ops[PROGRAM_MAX_TAG_OPS];
	uint8_t constant[DEFINER_TAG_BYTES]; /* what the image's tag holds before the program runs */
};

/* hl_mask of a template's fields. @return 0; -EINVAL a field is malformed or compares a bit twice; *bad is which. */
int program_hl_mask(const struct mlx5dr_field *fields, uint16_t nb_fields, uint8_t hl_mask[MLX5DR_HL_BYTES],
		    int *bad);

/* Which dword selector should follow which, for long moves (definer_arrange). */
void program_follows(const struct mlx5dr_field *fields, uint16_t nb_fields, const struct definer *definer,
		     int8_t follows[DEFINER_DWORDS]);

void program_compile_tag(const struct mlx5dr_field *fields, uint16_t nb_fields, const struct definer *definer,
			 struct tag_program *program);

/* @return 0; -EINVAL the value's source cannot be read. */
int program_check_value(const struct mlx5dr_value *value);
int program_check_source(const struct mlx5dr_source *source);

/* Fill the reading half of an op. The value is cut to width bits. */
void program_read(struct op *op, const struct mlx5dr_value *value, unsigned int width);
void program_read_pointer(struct op *op, const struct mlx5dr_source *source);

/* ---- running --------------------------------------------------------------------------------------------------- */

static inline const uint8_t *
program_pointer(const uint8_t *const base[], unsigned int which, uint16_t pointer_at)
{
	const uint8_t *pointer;

	memcpy(&pointer, base[which] + pointer_at, sizeof(pointer));
	return pointer;
}

/* Moves of one width; the compiler unrolls nothing and keeps all in registers. */
#define PROGRAM_MOVES(width, type) \
static inline __attribute__((always_inline)) const struct tag_move * \
program_moves_##width(const struct tag_move *move, unsigned int n, const uint8_t *const base[], uint8_t *data, \
		      uint8_t *record) \
{ \
	for (; n > 0; n--, move++) { \
		const uint8_t *from = program_pointer(base, move->base, move->pointer_at); \
		type v, mask, value; \
\
		if (__builtin_expect(from == NULL, 0)) \
			return NULL; \
		memcpy(&v, from + move->offset, sizeof(v)); \
		memcpy(&mask, &move->mask, sizeof(mask)); \
		memcpy(&value, &move->value, sizeof(value)); \
		v = (type)((v & mask) | value); \
		memcpy(data + move->to, &v, sizeof(v)); \
		memcpy(record + move->to, &v, sizeof(v)); \
	} \
	return move; \
}

PROGRAM_MOVES(8, uint64_t)
PROGRAM_MOVES(4, uint32_t)
PROGRAM_MOVES(2, uint16_t)
PROGRAM_MOVES(1, uint8_t)

static inline uint32_t
program_unit(unsigned int unit, const uint8_t *from)
{
	uint32_t v32;
	uint16_t v16;

	switch (unit) {
	case UNIT_8:
		return *from;
	case UNIT_16_BE:
	case UNIT_16_HOST:
		memcpy(&v16, from, sizeof(v16));
		return unit == UNIT_16_BE ? be16toh(v16) : v16;
	default:
		memcpy(&v32, from, sizeof(v32));
		return unit == UNIT_32_BE ? be32toh(v32) : v32;
	}
}

static inline uint32_t
program_value(const struct op *op, const uint8_t *from)
{
	uint32_t v = program_unit(op->unit, from) >> op->shift;

	if (op->choice)
		return (v & op->test) != 0 ? op->constant : op->otherwise;
	return v & op->mask;
}

static inline void
program_or32(uint8_t *at, uint32_t value)
{
	prm_store32(at, prm_load32(at) | value);
}

/* Moves of 8 and 4 bytes: what most templates consist of. NULL: a pointer was NULL. */
static inline __attribute__((always_inline)) const struct tag_move *
program_run_wide(const struct tag_move *moves, const uint8_t nb_moves[4], const uint8_t *const base[], uint8_t *data,
		 uint8_t *record)
{
	moves = program_moves_8(moves, nb_moves[0], base, data, record);
	if (__builtin_expect(moves == NULL, 0))
		return NULL;
	return program_moves_4(moves, nb_moves[1], base, data, record);
}

/* Moves of 2 and 1 bytes. NULL as above. */
static inline __attribute__((always_inline)) const struct tag_move *
program_run_narrow(const struct tag_move *moves, const uint8_t nb_moves[4], const uint8_t *const base[], uint8_t *data,
		   uint8_t *record)
{
	moves = program_moves_2(moves, nb_moves[2], base, data, record);
	if (__builtin_expect(moves == NULL, 0))
		return NULL;
	return program_moves_1(moves, nb_moves[3], base, data, record);
}

/* The rest of a tag program, out of line. @return 0; -EINVAL a pointer was NULL. */
int program_run_tag_ops(const struct op *ops, unsigned int nb_ops, const uint8_t *const base[], uint8_t *data,
			uint8_t *record);

/* Whose rule an action program runs for. */
struct program_rule {
	struct mlx5dr_rule *rule;
	uint32_t index; /* only where ops say OP_INDEX */
	uint32_t cache; /* of counters */
};

/* Action ops, out of line. 0 or -errno as rule.h says. */
int program_run_actions(const struct op *ops, unsigned int nb_ops, const uint8_t *const base[],
			const struct program_rule *rule, uint8_t *wqe);

/*
 * What most rules have of actions beside constants, each at its fixed place of the match STE and none more than once: a
 * fate by number, a mark, a counter. Where such a value needs more than being read, it is an op.
 */
struct program_unit_at {
	uint16_t base, pointer_at, offset;
};

enum program_fate {
	FATE_FIXED,
	FATE_RAW,    /* mlx5dr_action_stc as it lies there; zero: -ENOENT */
	FATE_MAP_16, /* map[number in host order]; zero or out of range: -ENOENT */
	FATE_MAP_32,
};

struct program_direct {
	const struct mlx5dr_stc_map *map;
	struct mlx5dr_counter_pool *counters; /* NULL: none */
	struct program_unit_at fate, mark;    /* mark: 32 bits in host order */
	uint8_t fate_is;                      /* enum program_fate */
	bool has_mark;
	uint8_t direction;                    /* of the counter's STC */
	uint32_t counter_code_be;             /* beside it in its dword */
};

/* dword at `to` = constant + rule index * stride */
struct program_index {
	uint32_t to;
	uint32_t constant, stride;
};

enum { /* Offsets in the WQE. */
	PROGRAM_AT_STC_COUNTER = PRM_WQE_CTRL_BYTES + 4,
	PROGRAM_AT_STC_HIT = PRM_WQE_CTRL_BYTES + 8,
	PROGRAM_AT_COUNTER = PRM_WQE_GTA_DATA,
	PROGRAM_AT_DW5 = PRM_WQE_GTA_DATA + 20,
};

static inline void
program_put_index(const struct program_index *at, uint32_t rule_index, uint8_t *wqe)
{
	prm_store32(wqe + at->to, at->constant + rule_index * at->stride);
}

static inline __attribute__((always_inline)) int
program_take_counter(struct mlx5dr_counter_pool *counters, uint32_t cache, unsigned int direction, uint32_t code_be,
		     struct mlx5dr_rule *rule, uint8_t *wqe)
{
	uint32_t counter = counter_take(counters, cache), be;
	const struct counter_bulk *bulk;

	if (__builtin_expect(counter == POOL_NONE, 0))
		return -ENOBUFS;
	rule->counter = counter;
	bulk = counter_bulk_of(counters, counter);
	be = bulk->stc_be[direction] | code_be;
	memcpy(wqe + PROGRAM_AT_STC_COUNTER, &be, sizeof(be));
	prm_store32(wqe + PROGRAM_AT_COUNTER, counter - bulk->first);
	return 0;
}

static inline __attribute__((always_inline)) int
program_map(const struct mlx5dr_stc_map *map, uint32_t number, uint8_t *at)
{
	uint32_t be;

	if (__builtin_expect(number >= map->nb, 0))
		return -ENOENT;
	be = __atomic_load_n(&map->stc_be[number], __ATOMIC_RELAXED);
	if (__builtin_expect(be == 0, 0))
		return -ENOENT;
	memcpy(at, &be, sizeof(be));
	return 0;
}

static inline __attribute__((always_inline)) int
program_raw(const uint8_t *from, uint32_t beside_be, uint8_t *at)
{
	uint32_t be;

	memcpy(&be, from, sizeof(be));
	if (__builtin_expect(be == 0, 0))
		return -ENOENT;
	be |= beside_be;
	memcpy(at, &be, sizeof(be));
	return 0;
}

static inline __attribute__((always_inline)) int
program_fate(const struct program_direct *direct, const uint8_t *from, uint8_t *at)
{
	uint32_t number;
	uint16_t number_16;

	if (direct->fate_is == FATE_RAW)
		return program_raw(from, 0, at);
	if (direct->fate_is == FATE_MAP_16) {
		memcpy(&number_16, from, sizeof(number_16));
		number = number_16;
	} else {
		memcpy(&number, from, sizeof(number));
	}
	return program_map(direct->map, number, at);
}

static inline __attribute__((always_inline)) int
program_mark(uint32_t mark, uint8_t *at)
{
	if (__builtin_expect(mark >= MLX5DR_MARK_LIMIT, 0))
		return -ERANGE;
	prm_store32(at, mlx5dr_mark_encode(mark));
	return 0;
}

/* The counter comes last, so that none is taken for a rule that is refused. 0 or -errno as rule.h says. */
static inline __attribute__((always_inline)) int
program_run_direct(const struct program_direct *direct, const uint8_t *const base[], uint32_t cache,
		   struct mlx5dr_rule *rule, uint8_t *wqe)
{
	const uint8_t *from;
	uint32_t mark;

	if (direct->fate_is != FATE_FIXED) {
		int ret;

		from = program_pointer(base, direct->fate.base, direct->fate.pointer_at);
		if (__builtin_expect(from == NULL, 0))
			return -EINVAL;
		ret = program_fate(direct, from + direct->fate.offset, wqe + PROGRAM_AT_STC_HIT);
		if (__builtin_expect(ret < 0, 0))
			return ret;
	}
	if (direct->has_mark) {
		from = program_pointer(base, direct->mark.base, direct->mark.pointer_at);
		if (__builtin_expect(from == NULL, 0))
			return -EINVAL;
		memcpy(&mark, from + direct->mark.offset, sizeof(mark));
		if (__builtin_expect(program_mark(mark, wqe + PROGRAM_AT_DW5) < 0, 0))
			return -ERANGE;
	}
	if (direct->counters == NULL)
		return 0;
	return program_take_counter(direct->counters, cache, direct->direction, direct->counter_code_be, rule, wqe);
}

#endif
