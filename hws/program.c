/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/program.h"

#include <endian.h>

/* Where T begins in a data segment and in a record. */
#define DATA_TAG_OFFSET 20

/* One byte of the tag, as the compiler sees it. */
struct tag_byte {
	bool used;
	uint16_t base, pointer_at, offset;
	uint8_t mask;
};

static unsigned int
width_mask(unsigned int width)
{
	return width >= 32 ? UINT32_MAX : (1u << width) - 1;
}

int
program_check_source(const struct mlx5dr_source *source)
{
	if (source->base > MLX5DR_SCRATCH)
		return -EINVAL;
	if (source->pointer_at == MLX5DR_NO_POINTER)
		return source->base == MLX5DR_SCRATCH ? 0 : -EINVAL;
	return source->pointer_at < UINT16_MAX - PROGRAM_SCRATCH_HEAD ? 0 : -EINVAL;
}

int
program_check_value(const struct mlx5dr_value *value)
{
	unsigned int unit = value->source.unit;

	if (value->from == MLX5DR_FROM_CONSTANT)
		return 0;
	if (value->from > MLX5DR_FROM_CHOICE || (unit != 1 && unit != 2 && unit != 4))
		return -EINVAL;
	if (value->source.shift >= unit * 8)
		return -EINVAL;
	return program_check_source(&value->source);
}

int
program_hl_mask(const struct mlx5dr_field *fields, uint16_t nb_fields, uint8_t hl_mask[MLX5DR_HL_BYTES], int *bad)
{
	memset(hl_mask, 0, MLX5DR_HL_BYTES);
	for (uint16_t i = 0; i < nb_fields; i++) {
		const struct mlx5dr_field *field = &fields[i];
		unsigned int at = prm_offset(field->hl);
		uint32_t bits, had;

		*bad = i;
		if (at + 4 > MLX5DR_HL_BYTES || prm_width(field->hl) == 0 || prm_width(field->hl) > 32)
			return -EINVAL;
		if ((field->mask & ~prm_mask(field->hl)) != 0)
			return -EINVAL;
		if (field->mask != 0 && program_check_value(&field->value) < 0)
			return -EINVAL;
		bits = field->mask << prm_shift(field->hl);
		had = prm_load32(hl_mask + at);
		if ((had & bits) != 0)
			return -EINVAL;
		prm_store32(hl_mask + at, had | bits);
	}
	*bad = -1;
	return 0;
}

void
program_read_pointer(struct op *op, const struct mlx5dr_source *source)
{
	op->base = source->base;
	op->offset = source->offset;
	op->pointer_at = source->pointer_at == MLX5DR_NO_POINTER ? 0 : source->pointer_at;
	/* The self pointer is at the scratch head's first byte; pointers of the caller lie behind the head. */
	if (source->base == MLX5DR_SCRATCH && source->pointer_at != MLX5DR_NO_POINTER)
		op->pointer_at += PROGRAM_SCRATCH_HEAD;
}

void
program_read(struct op *op, const struct mlx5dr_value *value, unsigned int width)
{
	const struct mlx5dr_source *source = &value->source;

	program_read_pointer(op, source);
	switch (source->unit) {
	case 1:
		op->unit = UNIT_8;
		break;
	case 2:
		op->unit = source->host_order ? UNIT_16_HOST : UNIT_16_BE;
		break;
	default:
		op->unit = source->host_order ? UNIT_32_HOST : UNIT_32_BE;
		break;
	}
	op->shift = source->shift;
	op->mask = width_mask(width);
	op->choice = value->from == MLX5DR_FROM_CHOICE;
	if (op->choice) {
		op->test = value->test;
		op->constant = value->value & op->mask;
		op->otherwise = value->otherwise & op->mask;
	}
}

/* Can the value be moved byte by byte, every bit keeping its place in the byte? */
static bool
is_move(const struct mlx5dr_field *field)
{
	const struct mlx5dr_source *source = &field->value.source;

	if (field->mask == 0 || field->value.from != MLX5DR_FROM_SOURCE)
		return false;
	/* Bits beyond the unit would be zero, which a move cannot make. */
	if (source->shift + 32 - (unsigned int)__builtin_clz(field->mask) > source->unit * 8u)
		return false;
	return (prm_shift(field->hl) - source->shift) % 8 == 0;
}

/* Source byte that holds bit `bit` of the unit. */
static unsigned int
unit_byte(const struct mlx5dr_source *source, unsigned int bit)
{
	bool little_endian = source->host_order && __BYTE_ORDER == __LITTLE_ENDIAN;

	return little_endian ? bit / 8 : source->unit - 1 - bit / 8;
}

/*
 * Enter a field's bytes. false: one of its tag bytes is fed by another source already, so the field must be shifted in.
 */
static bool
add_move(const struct mlx5dr_field *field, const struct definer *definer, struct tag_byte bytes[DEFINER_TAG_BYTES])
{
	const struct mlx5dr_source *source = &field->value.source;
	uint32_t dword_mask = field->mask << prm_shift(field->hl);
	struct op at = { 0 };

	program_read_pointer(&at, source);
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int b = 0; b < 4; b++) {
			uint8_t mask = dword_mask >> (24 - 8 * b);
			struct tag_byte *byte;
			unsigned int bit, offset;

			if (mask == 0)
				continue;
			/* The byte's lowest bit in the unit: its place in the dword, less the field's, plus the shift. */
			bit = (24 - 8 * b) + source->shift - prm_shift(field->hl);
			offset = source->offset + unit_byte(source, bit);
			byte = &bytes[definer_tag_byte(definer, prm_offset(field->hl) + b)];
			if (pass == 0) {
				if (byte->used && (byte->base != at.base || byte->pointer_at != at.pointer_at ||
						   byte->offset != offset))
					return false;
				continue;
			}
			byte->used = true;
			byte->base = at.base;
			byte->pointer_at = at.pointer_at;
			byte->offset = offset;
			byte->mask |= mask;
		}
	}
	return true;
}

static void
add_constant(const struct mlx5dr_field *field, const struct definer *definer, uint8_t constant[DEFINER_TAG_BYTES])
{
	uint32_t bits = (field->value.value & field->mask) << prm_shift(field->hl);

	for (unsigned int b = 0; b < 4; b++)
		if ((uint8_t)(bits >> (24 - 8 * b)) != 0)
			constant[definer_tag_byte(definer, prm_offset(field->hl) + b)] |= bits >> (24 - 8 * b);
}

/* A field that is shifted or chosen: one op where a dword selector holds it, else one per byte. */
static void
add_op(const struct mlx5dr_field *field, const struct definer *definer, struct tag_program *program)
{
	uint32_t dword_mask = field->mask << prm_shift(field->hl);
	int tag[4];
	bool whole = true;

	for (unsigned int b = 0; b < 4; b++) {
		tag[b] = definer_tag_byte(definer, prm_offset(field->hl) + b);
		whole = whole && tag[b] >= 0 && tag[b] == tag[0] + (int)b;
	}
	for (unsigned int b = 0; b < (whole ? 1 : 4); b++) {
		struct op *op;
		uint32_t mask;
		int left;

		if (!whole && (uint8_t)(dword_mask >> (24 - 8 * b)) == 0)
			continue;
		op = &program->ops[program->nb_ops++];
		op->code = OP_OR_TAG;
		program_read(op, &field->value, prm_width(field->hl));
		/* Value bits that land in this dword, or in this byte of it. */
		mask = whole ? field->mask
			     : (dword_mask & 0xffu << (24 - 8 * b)) >> prm_shift(field->hl);
		left = (int)prm_shift(field->hl);
		op->to = DATA_TAG_OFFSET + (whole ? tag[0] : tag[b]);
		if (!whole) {
			/* An OR of a dword needs four bytes inside the tag: put the byte last where it can be. */
			op->to -= 3;
			left -= 24 - 8 * (int)b;
		}
		op->mask &= mask;
		op->constant &= mask;
		op->otherwise &= mask;
		if (left < 0) {
			/* The byte is above bit 0 of the value: read further up instead. */
			op->mask >>= -left;
			op->constant >>= -left;
			op->otherwise >>= -left;
			op->shift += op->choice ? 0 : -left;
			left = 0;
		}
		op->left = left;
		/* Above the unit's end there is nothing but zeros. */
		if (op->shift > 31)
			program->nb_ops--;
	}
}

static bool
bytes_adjacent(const struct tag_byte *bytes, unsigned int t, unsigned int n)
{
	if (t + n > DEFINER_TAG_BYTES || !bytes[t].used)
		return false;
	for (unsigned int i = 1; i < n; i++)
		if (!bytes[t + i].used || bytes[t + i].base != bytes[t].base ||
		    bytes[t + i].pointer_at != bytes[t].pointer_at || bytes[t + i].offset != bytes[t].offset + i)
			return false;
	return true;
}

/* The tag bytes as moves, widest first. */
static void
emit_moves(struct tag_byte bytes[DEFINER_TAG_BYTES], struct tag_program *program)
{
	struct tag_move *move = program->moves;

	for (unsigned int width = 0; width < 4; width++) {
		unsigned int n = 8 >> width;

		for (unsigned int t = 0; t < DEFINER_TAG_BYTES; t++) {
			uint8_t mask[8] = { 0 }, value[8] = { 0 };

			if (!bytes_adjacent(bytes, t, n))
				continue;
			for (unsigned int i = 0; i < n; i++) {
				mask[i] = bytes[t + i].mask;
				value[i] = program->constant[t + i];
				bytes[t + i].used = false;
			}
			move->base = bytes[t].base;
			move->pointer_at = bytes[t].pointer_at;
			move->offset = bytes[t].offset;
			move->to = DATA_TAG_OFFSET + t;
			/* In memory order, like the source. */
			memcpy(&move->mask, mask, sizeof(mask));
			memcpy(&move->value, value, sizeof(value));
			move++;
			program->nb_moves[width]++;
		}
	}
}

void
program_compile_tag(const struct mlx5dr_field *fields, uint16_t nb_fields, const struct definer *definer,
		    struct tag_program *program)
{
	struct tag_byte bytes[DEFINER_TAG_BYTES];

	memset(program, 0, sizeof(*program));
	memset(bytes, 0, sizeof(bytes));
	for (uint16_t i = 0; i < nb_fields; i++) {
		if (fields[i].mask == 0)
			continue;
		if (fields[i].value.from == MLX5DR_FROM_CONSTANT)
			add_constant(&fields[i], definer, program->constant);
		else if (!is_move(&fields[i]) || !add_move(&fields[i], definer, bytes))
			add_op(&fields[i], definer, program);
	}
	emit_moves(bytes, program);
}

void
program_follows(const struct mlx5dr_field *fields, uint16_t nb_fields, const struct definer *definer,
		int8_t follows[DEFINER_DWORDS])
{
	struct tag_byte bytes[DEFINER_TAG_BYTES];

	memset(bytes, 0, sizeof(bytes));
	for (uint16_t i = 0; i < nb_fields; i++)
		if (is_move(&fields[i]))
			add_move(&fields[i], definer, bytes);
	for (unsigned int a = 0; a < DEFINER_DWORDS; a++) {
		const struct tag_byte *last = &bytes[4 * (DEFINER_DWORDS - 1 - a) + 3];

		follows[a] = -1;
		for (unsigned int b = 0; b < DEFINER_DWORDS && last->used; b++) {
			const struct tag_byte *first = &bytes[4 * (DEFINER_DWORDS - 1 - b)];

			if (a != b && first->used && first->base == last->base &&
			    first->pointer_at == last->pointer_at && first->offset == last->offset + 1)
				follows[a] = b;
		}
	}
}

/* ---- running what is not inlined ------------------------------------------------------------------------------- */

int
program_run_tag_ops(const struct op *ops, unsigned int nb_ops, const uint8_t *const base[], uint8_t *data,
		    uint8_t *record)
{
	for (; nb_ops > 0; nb_ops--, ops++) {
		const uint8_t *from = program_pointer(base, ops->base, ops->pointer_at);
		uint32_t v;

		if (from == NULL)
			return -EINVAL;
		v = program_value(ops, from + ops->offset) << ops->left;
		program_or32(data + ops->to, v);
		program_or32(record + ops->to, v);
	}
	return 0;
}

static inline __attribute__((always_inline)) int
run_action(const struct op *op, const uint8_t *const base[], const struct program_rule *rule, uint8_t *wqe)
{
	const uint8_t *from;
	uint32_t v;

	if (op->code == OP_INDEX) {
		prm_store32(wqe + op->to, op->constant + rule->index * op->mask);
		return 0;
	}
	if (op->code == OP_COUNTER)
		return program_take_counter(op->counters, rule->cache, op->unit, op->constant, rule->rule, wqe);
	from = program_pointer(base, op->base, op->pointer_at);
	if (__builtin_expect(from == NULL, 0))
		return -EINVAL;
	from += op->offset;
	switch (op->code) {
	case OP_SET:
		v = program_value(op, from) << op->left;
		prm_store32(wqe + op->to, op->choice ? v : v | op->constant);
		return 0;
	case OP_OR:
		program_or32(wqe + op->to, program_value(op, from) << op->left);
		return 0;
	case OP_RAW:
		return program_raw(from, op->constant, wqe + op->to);
	case OP_MAP:
		return program_map(op->map, program_value(op, from), wqe + op->to);
	case OP_MARK:
		return program_mark(program_value(op, from), wqe + op->to);
	default: /* OP_BYTES */
		memcpy(wqe + op->to, from, op->mask);
		return 0;
	}
}

int
program_run_actions(const struct op *ops, unsigned int nb_ops, const uint8_t *const base[],
		    const struct program_rule *rule, uint8_t *wqe)
{
	for (; nb_ops > 0; nb_ops--, ops++) {
		int ret = run_action(ops, base, rule, wqe);

		if (__builtin_expect(ret < 0, 0))
			return ret;
	}
	return 0;
}
