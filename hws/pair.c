/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Compile one (match template, action template) pair of a matcher: the image of the match STE's WQE with everything that
 * does not depend on the rule, images of the WQEs before it, and the programs that fill the rest in.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hws/context.h"
#include "hws/definer_cache.h"
#include "hws/match_template.h"
#include "hws/matcher.h"

#define GTA_AT PRM_WQE_CTRL_BYTES
#define DATA_AT PRM_WQE_GTA_DATA
#define NB_ACTIONS_SHIFT 29

/* Offsets in the WQE. */
enum {
	AT_IMM = 12,
	AT_INDEX = GTA_AT,
	AT_STC_COUNTER = PROGRAM_AT_STC_COUNTER,
	AT_STC_HIT = PROGRAM_AT_STC_HIT,
	AT_STC_DW5 = GTA_AT + 12,
	AT_STC_DW6 = GTA_AT + 16,
	AT_STC_DW7 = GTA_AT + 20,
	AT_COUNTER = PROGRAM_AT_COUNTER,
	AT_HIT = DATA_AT + 16,
	AT_DW5 = PROGRAM_AT_DW5,
	AT_DW7 = DATA_AT + 28,
	AT_TAG = DATA_AT + 20, /* of T's first byte */
};

struct builder {
	const struct mlx5dr_matcher *matcher;
	const struct mlx5dr_action_template *at;
	const struct matcher_slot *slots;
	struct op *ops;
	uint32_t nb_ops, max_ops;
	struct pair_step *steps;
	uint32_t nb_steps, max_steps;
	struct program_direct *direct; /* of the match STE, while that is being filled */
	struct program_index index[PAIR_INDEXES]; /* of the match STE */
	uint32_t nb_index;
	bool no_memory;
};

/* An op to be filled; a shared dummy when memory is out, which is found at the end. */
static struct op *
add_op(struct builder *b, enum op_code code, uint16_t to)
{
	static _Thread_local struct op dummy;
	struct op *op = &dummy;

	if (b->nb_ops == b->max_ops) {
		uint32_t max = b->max_ops == 0 ? 16 : b->max_ops * 2;
		struct op *ops = realloc(b->ops, max * sizeof(*ops));

		if (ops != NULL) {
			b->ops = ops;
			b->max_ops = max;
		} else {
			b->no_memory = true;
		}
	}
	if (b->nb_ops < b->max_ops)
		op = &b->ops[b->nb_ops++];
	memset(op, 0, sizeof(*op));
	op->code = code;
	op->to = to;
	return op;
}

/* dword at `to` = base + rule index * stride */
static void
add_index_op(struct builder *b, uint16_t to, uint32_t base, uint32_t stride)
{
	const struct program_index index = { .to = to, .constant = base, .stride = stride };
	struct op *op;

	if (b->direct != NULL) {
		b->index[b->nb_index++] = index;
		return;
	}
	if (!b->no_memory && b->steps[b->nb_steps - 1].index.to == 0) {
		b->steps[b->nb_steps - 1].index = index;
		return;
	}
	op = add_op(b, OP_INDEX, to);
	op->constant = base;
	op->mask = stride;
}

static void
init_image(uint8_t *image, uint8_t opmod, uint32_t imm)
{
	memset(image, 0, PRM_WQE_GTA_BYTES);
	prm_set(image, PRM_WQE_CTRL_OPC_MOD, opmod);
	prm_set(image, PRM_WQE_CTRL_OPCODE, PRM_WQE_OP_FLOW_TBL_ACCESS);
	prm_set(image, PRM_WQE_CTRL_DS, PRM_WQE_GTA_DS);
	prm_set(image, PRM_WQE_CTRL_IMM, imm);
}

static struct pair_step *
add_step(struct builder *b, uint8_t opmod, uint32_t imm)
{
	static _Thread_local struct pair_step dummy;
	struct pair_step *step = &dummy;

	if (b->nb_steps == b->max_steps) {
		uint32_t max = b->max_steps == 0 ? 8 : b->max_steps * 2;
		struct pair_step *steps = aligned_alloc(64, max * sizeof(*steps));

		if (steps != NULL) {
			if (b->nb_steps > 0)
				memcpy(steps, b->steps, b->nb_steps * sizeof(*steps));
			free(b->steps);
			b->steps = steps;
			b->max_steps = max;
		} else {
			b->no_memory = true;
		}
	}
	if (b->nb_steps < b->max_steps)
		step = &b->steps[b->nb_steps++];
	memset(step, 0, sizeof(*step));
	init_image(step->image, opmod, imm);
	step->opmod = opmod;
	step->first_op = b->nb_ops;
	return step;
}

/* A dword that is constant, or read from the rule. width: bits of the value; left: where it goes. */
static void
put_value(struct builder *b, uint8_t *image, uint16_t to, const struct mlx5dr_value *value, unsigned int width,
	  unsigned int left, enum op_code code)
{
	struct op *op;

	if (value->from == MLX5DR_FROM_CONSTANT) {
		program_or32(image + to, (width >= 32 ? value->value : value->value & ((1u << width) - 1)) << left);
		return;
	}
	op = add_op(b, code, to);
	program_read(op, value, width);
	op->left = left;
}

/* A value of the match STE that is read as it lies there: it needs no op. */
static bool
is_direct(const struct builder *b, const struct mlx5dr_value *value, uint8_t unit)
{
	const struct mlx5dr_source *source = &value->source;

	return b->direct != NULL && value->from == MLX5DR_FROM_SOURCE && source->unit == unit && source->host_order &&
	       source->shift == 0;
}

static struct program_unit_at
unit_at(const struct mlx5dr_source *source)
{
	struct op at;

	program_read_pointer(&at, source);
	return (struct program_unit_at){ .base = at.base, .pointer_at = at.pointer_at, .offset = at.offset };
}

static void
put_counter(struct builder *b, uint8_t *image, const struct mlx5dr_slot *what)
{
	uint32_t code = prm_load32(image + AT_STC_COUNTER);

	if (what->counters != NULL && b->direct != NULL) {
		b->direct->counters = what->counters;
		b->direct->counter_code_be = htobe32(code);
		b->direct->direction = b->matcher->table->type;
		return;
	}
	if (what->counters != NULL) {
		struct op *op = add_op(b, OP_COUNTER, AT_STC_COUNTER);

		op->counters = what->counters;
		op->constant = htobe32(code);
		op->unit = b->matcher->table->type;
		return;
	}
	if (what->action != NULL) {
		prm_store32(image + AT_STC_COUNTER, code | what->action->stc);
	} else {
		struct op *op = add_op(b, OP_RAW, AT_STC_COUNTER);

		program_read_pointer(op, &what->stc);
		op->constant = htobe32(code);
	}
	put_value(b, image, AT_COUNTER, &what->value, 32, 0, OP_SET);
}

/* -EINVAL: it needs an op. */
static int
put_fate_direct(struct builder *b, const struct mlx5dr_slot *what)
{
	const struct mlx5dr_source *source = &what->value.source;

	if (b->direct == NULL || source->shift != 0)
		return -EINVAL;
	if (what->map == NULL)
		b->direct->fate_is = FATE_RAW;
	else if (is_direct(b, &what->value, 2))
		b->direct->fate_is = FATE_MAP_16;
	else if (is_direct(b, &what->value, 4))
		b->direct->fate_is = FATE_MAP_32;
	else
		return -EINVAL;
	b->direct->map = what->map;
	b->direct->fate = unit_at(source);
	return 0;
}

static void
put_fate(struct builder *b, uint8_t *image, const struct mlx5dr_slot *what, const struct matcher_slot *slot)
{
	struct op *op;

	if (what->type == MLX5DR_ACTION_JUMP_TO_MATCHER)
		put_value(b, image, AT_HIT, &what->value, 32 - PRM_WQE_STE_HIT_INDEX_SHIFT, PRM_WQE_STE_HIT_INDEX_SHIFT, OP_SET);
	if (slot->has_stc) {
		prm_store32(image + AT_STC_HIT, slot->stc);
	} else if (what->action != NULL) {
		prm_store32(image + AT_STC_HIT, what->action->stc);
	} else if (what->type == MLX5DR_ACTION_JUMP_TO_MATCHER) {
		program_read_pointer(add_op(b, OP_RAW, AT_STC_HIT), &what->stc);
	} else if (put_fate_direct(b, what) == 0) {
		return;
	} else {
		op = add_op(b, what->map != NULL ? OP_MAP : OP_RAW, AT_STC_HIT);
		program_read(op, &what->value, 32);
		op->map = what->map;
	}
}

static void
put_single(struct builder *b, uint8_t *image, const struct mlx5dr_slot *what, const struct matcher_slot *slot)
{
	if (what->type == MLX5DR_ACTION_L2_TO_TNL_L3) {
		prm_store32(image + AT_STC_DW5, slot->single_stc);
		return;
	}
	prm_store32(image + AT_STC_DW5, slot->stc);
	if (what->type != MLX5DR_ACTION_TAG)
		return;
	if (what->flag) {
		prm_store32(image + AT_DW5, MLX5DR_TAG_FLAG);
	} else if (what->value.from == MLX5DR_FROM_CONSTANT) {
		prm_store32(image + AT_DW5, mlx5dr_mark_encode(what->value.value));
	} else if (is_direct(b, &what->value, 4)) {
		b->direct->has_mark = true;
		b->direct->mark = unit_at(&what->value.source);
	} else {
		put_value(b, image, AT_DW5, &what->value, 32, 0, OP_MARK);
	}
}

static void
put_twin(struct builder *b, uint8_t *image, const struct mlx5dr_slot *what, const struct matcher_slot *slot)
{
	const struct mlx5dr_value *parts[] = { &what->value, &what->value2, &what->value3 };

	prm_store32(image + AT_STC_DW6, slot->stc);
	prm_store32(image + AT_STC_DW7, 0);
	if (slot->arg_units != 0) {
		/* DW7 is the argument's offset from the base that the STC names. */
		if (slot->per_rule)
			add_index_op(b, AT_DW7, 0, slot->arg_units);
	} else if (what->type == MLX5DR_ACTION_MODIFY) {
		if (what->modify->op != MLX5DR_MODIFY_COPY)
			put_value(b, image, AT_DW7, &what->modify->data, what->modify->length, 0, OP_SET);
	} else {
		for (unsigned int i = 0; i < 3; i++)
			put_value(b, image, AT_DW7, parts[i], 32, what->left[i], OP_OR);
	}
}

/* Ops of an argument WQE that covers bytes [first, first + 64) of the data of a modify list. */
static void
put_list_data(struct builder *b, const struct mlx5dr_action_template *at, unsigned int which, uint32_t first)
{
	const struct mlx5dr_slot *what = &at->slots[which];

	for (unsigned int i = 0; i < what->nb_modify; i++) {
		uint32_t word = at->lists[which]->position[i] * PRM_MODIFY_ACTION_BYTES + 4;
		const struct mlx5dr_modify *command = &what->modify[i];

		if (word / PRM_ARG_UNIT_BYTES != first / PRM_ARG_UNIT_BYTES || command->op == MLX5DR_MODIFY_COPY ||
		    command->data.from == MLX5DR_FROM_CONSTANT)
			continue;
		put_value(b, NULL, DATA_AT + word - first, &command->data, command->length, 0, OP_SET);
	}
}

/* The same for an Ethernet header inside the list of an L3 decapsulation, byte by byte as the list has it. */
static void
put_l3_header(struct builder *b, const struct mlx5dr_slot *what)
{
	unsigned int at = 0;

	/* Words of four bytes from the end; what is left at the start are two bytes. */
	while (at < what->header_bytes) {
		unsigned int n = at == 0 && what->header_bytes % 4 != 0 ? what->header_bytes % 4 : 4;
		struct op *op = add_op(b, OP_BYTES, DATA_AT + modify_l3_decap_word(what->header_bytes, at));

		program_read_pointer(op, &what->bytes);
		op->offset += at;
		op->mask = n;
		at += n;
	}
}

static void
put_header(struct builder *b, const struct mlx5dr_slot *what, uint32_t first)
{
	uint32_t left = what->header_bytes - first;
	struct op *op = add_op(b, OP_BYTES, DATA_AT);

	program_read_pointer(op, &what->bytes);
	op->offset += first;
	op->mask = left < PRM_ARG_UNIT_BYTES ? left : PRM_ARG_UNIT_BYTES;
}

/* The WQEs that write a slot's argument for the rule. */
static void
add_argument_steps(struct builder *b, unsigned int which)
{
	const struct mlx5dr_slot *what = &b->at->slots[which];
	const struct matcher_slot *slot = &b->slots[which];
	const struct modify_list *list = b->at->lists[which];
	uint32_t bytes = list != NULL ? list->nb * PRM_MODIFY_ACTION_BYTES : what->header_bytes;

	if (!slot->per_rule)
		return;
	for (uint32_t first = 0; first < bytes; first += PRM_ARG_UNIT_BYTES) {
		struct pair_step *step = add_step(b, PRM_WQE_GTA_OPMOD_ARG, 0);
		uint32_t n = bytes - first < PRM_ARG_UNIT_BYTES ? bytes - first : PRM_ARG_UNIT_BYTES;

		add_index_op(b, AT_IMM, slot->arg->id + first / PRM_ARG_UNIT_BYTES, slot->arg_units);
		if (list != NULL)
			memcpy(step->image + DATA_AT, list->words + first, n);
		if (what->type == MLX5DR_ACTION_MODIFY)
			put_list_data(b, b->at, which, first);
		else if (what->type == MLX5DR_ACTION_TNL_L3_TO_L2)
			put_l3_header(b, what);
		else
			put_header(b, what, first);
		step->nb_ops = b->nb_ops - step->first_op;
	}
}

/* Everything an STE says beside tag and link. jumbo: only counter and hit exist. */
static void
put_ste(struct builder *b, uint8_t *image, const struct ste_plan *ste, bool jumbo)
{
	uint32_t code = jumbo ? PRM_WQE_GTA_NUM_JUMBO
			      : ste->twin >= 0 ? PRM_WQE_GTA_NUM_COMBO_1 : PRM_WQE_GTA_NUM_COMBO_2;

	prm_store32(image + AT_STC_COUNTER, code << NB_ACTIONS_SHIFT);
	prm_store32(image + AT_STC_HIT, STC_DEFAULT_HIT);
	if (!jumbo) {
		prm_store32(image + AT_STC_DW5, STC_NOP_DW5);
		prm_store32(image + AT_STC_DW6, STC_NOP_DW6);
		prm_store32(image + AT_STC_DW7, STC_NOP_DW7);
	}
	if (ste->single >= 0)
		put_single(b, image, &b->at->slots[ste->single], &b->slots[ste->single]);
	if (ste->twin >= 0)
		put_twin(b, image, &b->at->slots[ste->twin], &b->slots[ste->twin]);
	if (ste->hit >= 0)
		put_fate(b, image, &b->at->slots[ste->hit], &b->slots[ste->hit]);
	/* Last, so that no counter is taken for a rule whose other actions are refused. */
	if (ste->counter >= 0)
		put_counter(b, image, &b->at->slots[ste->counter]);
	else
		program_or32(image + AT_STC_COUNTER, STC_NOP_COUNTER);
}

/* Hit: go on at action STE number `next` of the rule. */
static void
put_link(struct builder *b, uint8_t *image, unsigned int next)
{
	prm_store32(image + AT_STC_HIT, b->matcher->res.jump_stc);
	add_index_op(b, AT_HIT, next << PRM_WQE_STE_HIT_INDEX_SHIFT,
		     b->matcher->res.ste_stride << PRM_WQE_STE_HIT_INDEX_SHIFT);
}

/* Action STEs from the last to the first, each after its arguments. `skip` STEs of the plan are in the match STE. */
static void
add_action_stes(struct builder *b, unsigned int skip)
{
	for (unsigned int i = b->at->nb_stes; i-- > skip;) {
		const struct ste_plan *ste = &b->at->stes[i];
		struct pair_step *step;
		uint32_t at;

		if (ste->twin >= 0)
			add_argument_steps(b, ste->twin);
		step = add_step(b, PRM_WQE_GTA_OPMOD_STE, b->matcher->res.action_rtc->id);
		at = (uint32_t)(step - b->steps);
		add_index_op(b, AT_INDEX, i - skip, b->matcher->res.ste_stride);
		put_ste(b, step->image, ste, false);
		if (i + 1 < b->at->nb_stes)
			put_link(b, step->image, i + 1 - skip);
		if (!b->no_memory)
			b->steps[at].nb_ops = b->nb_ops - b->steps[at].first_op;
	}
}

/* Copy what was built into one block behind the pair. */
static struct mlx5dr_pair *
assemble(const struct builder *b, const uint8_t *image, const struct tag_program *tag, uint32_t first_match_op)
{
	uint32_t nb_moves = tag->nb_moves[0] + tag->nb_moves[1] + tag->nb_moves[2] + tag->nb_moves[3];
	size_t steps = b->nb_steps * sizeof(struct pair_step), moves = nb_moves * sizeof(struct tag_move);
	size_t tag_ops = tag->nb_ops * sizeof(struct op), ops = b->nb_ops * sizeof(struct op);
	size_t bytes = (sizeof(struct mlx5dr_pair) + steps + moves + tag_ops + ops + 63) / 64 * 64;
	struct mlx5dr_pair *pair = aligned_alloc(64, bytes);
	uint8_t *at;

	if (pair == NULL)
		return NULL;
	memset(pair, 0, bytes);
	at = (uint8_t *)(pair + 1);
	memcpy(pair->image, image, PRM_WQE_GTA_BYTES);
	pair->bytes = bytes;
	memcpy(pair->nb_moves, tag->nb_moves, sizeof(pair->nb_moves));
	pair->nb_tag_ops = tag->nb_ops;
	pair->narrow = tag->nb_moves[2] + tag->nb_moves[3] != 0;
	pair->nb_action_ops = b->nb_ops - first_match_op;
	pair->has_ops = pair->nb_tag_ops + pair->nb_action_ops != 0;
	pair->nb_steps = b->nb_steps;
	pair->nb_bbs = (b->nb_steps + 1) * QUEUE_WQE_BBS;
	if (steps != 0)
		memcpy(at, b->steps, steps);
	pair->steps = (const struct pair_step *)(const void *)at;
	at += steps;
	memcpy(at, tag->moves, moves);
	pair->moves = (const struct tag_move *)(const void *)at;
	at += moves;
	memcpy(at, tag->ops, tag_ops);
	pair->tag_ops = (const struct op *)(const void *)at;
	at += tag_ops;
	if (ops != 0)
		memcpy(at, b->ops, ops);
	pair->step_ops = (const struct op *)(const void *)at;
	pair->action_ops = pair->step_ops + first_match_op;
	return pair;
}

int
pair_build(const struct mlx5dr_matcher *matcher, unsigned int mt, unsigned int at, struct mlx5dr_pair **built)
{
	const struct mlx5dr_match_template *match = matcher->mt[mt];
	unsigned int which = matcher->first_part + matcher->mt_part[mt];
	const struct matcher_part *part = &matcher->parts[which];
	static const struct ste_plan link_only = { .counter = -1, .single = -1, .twin = -1, .hit = -1 };
	struct builder b = { .matcher = matcher, .at = matcher->at[at], .slots = matcher->res.slots[at] };
	struct tag_program *tag = malloc(sizeof(*tag));
	struct program_direct direct = { 0 };
	uint8_t image[PRM_WQE_GTA_BYTES];
	struct mlx5dr_pair *pair = NULL;
	/* A jumbo tag leaves no room for actions: they all go behind, but for counter and fate alone. */
	bool all_behind = part->jumbo && !b.at->only_term;
	uint32_t first_match_op;

	if (tag == NULL)
		return -ENOMEM;
	memset(tag, 0, sizeof(*tag));
	if (!matcher_always_hits(matcher))
		program_compile_tag(match->fields, match->nb_fields, &part->definer->definer, tag);
	init_image(image, PRM_WQE_GTA_OPMOD_STE, part->nodes[0].rtc->id);
	add_action_stes(&b, all_behind ? 0 : 1);
	if (!all_behind && b.at->stes[0].twin >= 0)
		add_argument_steps(&b, b.at->stes[0].twin);
	first_match_op = b.nb_ops;
	b.direct = &direct;
	put_ste(&b, image, all_behind ? &link_only : &b.at->stes[0], part->jumbo);
	if (all_behind || b.at->nb_stes > 1)
		put_link(&b, image, 0);
	if (matcher_by_index(matcher))
		add_index_op(&b, AT_INDEX, 0, 1);
	if (part->jumbo)
		memcpy(image + AT_TAG, tag->constant, DEFINER_TAG_BYTES);
	else
		memcpy(image + AT_TAG + 12, tag->constant + 12, DEFINER_SHORT_TAG_BYTES);
	if (!b.no_memory)
		pair = assemble(&b, image, tag, first_match_op);
	free(tag);
	free(b.ops);
	free(b.steps);
	if (pair == NULL)
		return -ENOMEM;
	pair->matcher = matcher;
	pair->direct = direct;
	memcpy(pair->index, b.index, sizeof(pair->index));
	pair->nb_index = b.nb_index;
	pair->jumbo = part->jumbo;
	pair->bits = MLX5DR_RULE_CREATING | which << MLX5DR_RULE_PART_SHIFT | (part->jumbo ? MLX5DR_RULE_JUMBO : 0) |
		     (matcher_by_index(matcher) ? MLX5DR_RULE_INDEXED : 0);
	if (matcher_by_index(matcher) || matcher->resizable)
		pair->special = PAIR_KEPT;
	else
		pair->special = pair->nb_steps != 0 ? PAIR_STEPS : PAIR_PLAIN;
	pair->resources = matcher->res.number;
	pair->retry_rtc = part->nodes[1].rtc != NULL ? part->nodes[1].rtc->id : 0;
	*built = pair;
	return 0;
}
