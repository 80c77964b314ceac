/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tag programs against a naive twin: random fields, sources and packets. The twin compares field by field, the engine's
 * side compares (packet's tag & mask) with the tag that the program made.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "hws/program.h"
#include "random.h"

#define NB_ITEMS 4
#define ITEM_BYTES 24

struct item {
	uint32_t type;
	const void *spec;
};

static const struct definer_limits limits = { .jumbo = true, .any_dw_8_6 = true };

/* What a source gives, said once more in plain words. */
static uint32_t
read_source(const struct mlx5dr_source *source, const struct item *items, const uint8_t *scratch)
{
	const uint8_t *from = scratch;
	uint32_t value = 0;

	if (source->base == MLX5DR_ITEMS)
		from = items[(source->pointer_at - offsetof(struct item, spec)) / sizeof(*items)].spec;
	for (unsigned int i = 0; i < source->unit; i++)
		value = value << 8 | from[source->offset + (source->host_order ? source->unit - 1 - i : i)];
	return value >> source->shift;
}

static uint32_t
read_value(const struct mlx5dr_value *value, const struct item *items, const uint8_t *scratch)
{
	uint32_t v;

	if (value->from == MLX5DR_FROM_CONSTANT)
		return value->value;
	v = read_source(&value->source, items, scratch);
	if (value->from == MLX5DR_FROM_CHOICE)
		return (v & value->test) != 0 ? value->value : value->otherwise;
	return v;
}

/* A field of the layout at a plausible place: low dwords mostly, byte-aligned or not. */
static int
random_hl(void)
{
	unsigned int dw = random_below(3) == 0 ? 0x40 + random_below(0x56) : random_below(0x24);
	unsigned int width = random_below(2) ? 8u << random_below(3) : 1 + random_below(32);
	unsigned int hi = width == 32 ? 31 : width - 1 + random_below(33 - width);

	if (width % 8 == 0 && random_below(2))
		hi = hi / 8 * 8 + 7 >= width ? (hi / 8 * 8 + 7 > 31 ? 31 : hi / 8 * 8 + 7) : 31;
	return PRM_FIELD(dw * 4, hi, width);
}

static void
random_value(struct mlx5dr_value *value)
{
	static const uint8_t units[] = { 1, 2, 4 };

	memset(value, 0, sizeof(*value));
	value->from = random_below(6) == 0 ? MLX5DR_FROM_CHOICE :
		      random_below(4) == 0 ? MLX5DR_FROM_CONSTANT : MLX5DR_FROM_SOURCE;
	value->value = random_u32();
	value->otherwise = random_u32();
	value->test = 1u << random_below(8);
	value->source.base = random_below(5) == 0 ? MLX5DR_SCRATCH : MLX5DR_ITEMS;
	value->source.unit = units[random_below(3)];
	value->source.host_order = random_below(3) == 0;
	value->source.shift = random_below(3) == 0 ? random_below(value->source.unit * 8) : 0;
	value->source.pointer_at = value->source.base == MLX5DR_SCRATCH ? MLX5DR_NO_POINTER :
				   random_below(NB_ITEMS) * sizeof(struct item) + offsetof(struct item, spec);
	value->source.offset = random_below(ITEM_BYTES - 3);
}

/* Fields that do not overlap. */
static unsigned int
random_fields(struct mlx5dr_field *fields, unsigned int n)
{
	uint8_t used[MLX5DR_HL_BYTES] = { 0 };
	unsigned int nb = 0;

	for (unsigned int tries = 0; tries < n; tries++) {
		struct mlx5dr_field *field = &fields[nb];
		uint32_t bits;

		field->hl = random_hl();
		field->mask = (random_below(3) ? UINT32_MAX : random_u32()) & prm_mask(field->hl);
		random_value(&field->value);
		bits = field->mask << prm_shift(field->hl);
		if ((prm_load32(used + prm_offset(field->hl)) & bits) != 0)
			continue;
		prm_store32(used + prm_offset(field->hl), prm_load32(used + prm_offset(field->hl)) | bits);
		nb++;
	}
	return nb;
}

struct rule_under_test {
	struct mlx5dr_rule rule;
	uint8_t data[64];
};

static int
run(const struct tag_program *program, const struct item *items, const uint8_t *scratch_head,
    struct rule_under_test *r)
{
	const uint8_t *const base[] = { (const uint8_t *)items, NULL, scratch_head };
	const struct tag_move *rest;

	memset(r, 0, sizeof(*r));
	memcpy(r->data + 20, program->constant, DEFINER_TAG_BYTES);
	memcpy((uint8_t *)&r->rule + 20, program->constant, DEFINER_TAG_BYTES);
	rest = program_run_wide(program->moves, program->nb_moves, base, r->data, (uint8_t *)&r->rule);
	if (rest != NULL)
		rest = program_run_narrow(rest, program->nb_moves, base, r->data, (uint8_t *)&r->rule);
	if (rest == NULL)
		return -EINVAL;
	return program_run_tag_ops(program->ops, program->nb_ops, base, r->data, (uint8_t *)&r->rule);
}

static int
tag_matches(const struct definer *definer, const uint8_t *packet, const uint8_t *tag)
{
	uint8_t gathered[DEFINER_TAG_BYTES] = { 0 };

	for (unsigned int b = 0; b < MLX5DR_HL_BYTES; b++) {
		int t = definer_tag_byte(definer, b);

		if (t >= 0)
			gathered[t] = packet[b] & definer->mask[t];
	}
	return memcmp(gathered, tag, DEFINER_TAG_BYTES) == 0;
}

static int
naive_matches(const struct mlx5dr_field *fields, unsigned int nb, const uint8_t *packet, const struct item *items,
	      const uint8_t *scratch)
{
	for (unsigned int i = 0; i < nb; i++) {
		uint32_t want = read_value(&fields[i].value, items, scratch);

		if (((prm_get(packet, fields[i].hl) ^ want) & fields[i].mask) != 0)
			return 0;
	}
	return 1;
}

static void
twin(void **state)
{
	static uint8_t scratch_block[PROGRAM_SCRATCH_HEAD + 64];
	uint8_t specs[NB_ITEMS][ITEM_BYTES], *scratch = scratch_block + PROGRAM_SCRATCH_HEAD;
	struct item items[NB_ITEMS];
	unsigned int nb_compiled = 0, nb_moves = 0;

	random_seed();
	memcpy(scratch_block, &scratch, sizeof(scratch));
	for (unsigned int round = 0; round < 5000; round++) {
		struct mlx5dr_field fields[16];
		unsigned int nb = random_fields(fields, 1 + random_below(10));
		uint8_t mask[MLX5DR_HL_BYTES], packet[MLX5DR_HL_BYTES];
		int8_t follows[DEFINER_DWORDS];
		struct tag_program program;
		struct rule_under_test r;
		struct definer definer;
		int bad;

		assert_int_equal(program_hl_mask(fields, nb, mask, &bad), 0);
		if (definer_select(mask, &limits, &definer) < 0)
			continue;
		program_follows(fields, nb, &definer, follows);
		definer_arrange(&definer, &limits, follows);
		program_compile_tag(fields, nb, &definer, &program);
		nb_compiled++;
		nb_moves += program.nb_moves[0] + program.nb_moves[1];
		for (unsigned int i = 0; i < NB_ITEMS; i++) {
			for (unsigned int b = 0; b < ITEM_BYTES; b++)
				specs[i][b] = random_u32();
			items[i].spec = specs[i];
		}
		for (unsigned int b = 0; b < 64; b++)
			scratch[b] = random_u32();
		assert_int_equal(run(&program, items, scratch_block, &r), 0);
		assert_memory_equal(r.data + 20, (uint8_t *)&r.rule + 20, DEFINER_TAG_BYTES);
		if (!definer.jumbo)
			for (unsigned int t = 0; t < 12; t++)
				assert_int_equal(r.data[20 + t], 0);

		/* A packet that matches, one bit wrong somewhere in the mask, and one bit wrong outside. */
		for (unsigned int b = 0; b < MLX5DR_HL_BYTES; b++)
			packet[b] = random_u32();
		for (unsigned int i = 0; i < nb; i++) {
			uint32_t have = prm_get(packet, fields[i].hl);
			uint32_t want = read_value(&fields[i].value, items, scratch);

			prm_set(packet, fields[i].hl, (have & ~fields[i].mask) | (want & fields[i].mask));
		}
		assert_true(naive_matches(fields, nb, packet, items, scratch));
		assert_true(tag_matches(&definer, packet, r.data + 20));
		for (unsigned int flips = 0; flips < 8; flips++) {
			unsigned int bit = random_below(0x258 * 8);

			packet[bit / 8] ^= 1 << bit % 8;
			assert_int_equal(naive_matches(fields, nb, packet, items, scratch),
					 tag_matches(&definer, packet, r.data + 20));
			if (nb > 0) {
				int hl = fields[random_below(nb)].hl;

				prm_set(packet, hl, prm_get(packet, hl) ^ 1u << random_below(prm_width(hl)));
			}
			assert_int_equal(naive_matches(fields, nb, packet, items, scratch),
					 tag_matches(&definer, packet, r.data + 20));
		}
		/* A missing spec is refused. */
		if (program.nb_moves[0] + program.nb_moves[1] > 0) {
			for (unsigned int i = 0; i < NB_ITEMS; i++)
				items[i].spec = NULL;
			if (program.moves[0].base == MLX5DR_ITEMS)
				assert_int_equal(run(&program, items, scratch_block, &r), -EINVAL);
		}
	}
	printf("%u programs, %u moves of 8 or 4 bytes\n", nb_compiled, nb_moves);
	assert_true(nb_compiled > 2000 && nb_moves > 0);
}

static struct mlx5dr_field
ipv4_field(int hl, uint16_t item, uint16_t offset, uint8_t unit)
{
	return (struct mlx5dr_field){
		.hl = hl,
		.mask = prm_mask(hl),
		.value = {
			.from = MLX5DR_FROM_SOURCE,
			.source = { .base = MLX5DR_ITEMS, .unit = unit, .offset = offset,
				    .pointer_at = item * sizeof(struct item) + offsetof(struct item, spec) },
		},
	};
}

/* The 4-tuple is two moves: both addresses, both ports. */
static void
four_tuple_is_two_moves(void **state)
{
	const struct mlx5dr_field fields[] = {
		{ .hl = MLX5DR_HL_L3_TYPE_O, .mask = 3, .value = { .value = MLX5DR_HL_L3_TYPE_IPV4 } },
		{ .hl = MLX5DR_HL_L4_TYPE_BWC_O, .mask = 3, .value = { .value = MLX5DR_HL_L4_BWC_UDP } },
		ipv4_field(MLX5DR_HL_IPV4_SRC_O, 1, 12, 4),
		ipv4_field(MLX5DR_HL_IPV4_DST_O, 1, 16, 4),
		ipv4_field(MLX5DR_HL_L4_SPORT_O, 2, 0, 2),
		ipv4_field(MLX5DR_HL_L4_DPORT_O, 2, 2, 2),
	};
	uint8_t mask[MLX5DR_HL_BYTES];
	int8_t follows[DEFINER_DWORDS];
	struct tag_program program;
	struct definer definer;
	int bad;

	assert_int_equal(program_hl_mask(fields, 6, mask, &bad), 0);
	assert_int_equal(definer_select(mask, &limits, &definer), 0);
	program_follows(fields, 6, &definer, follows);
	definer_arrange(&definer, &limits, follows);
	program_compile_tag(fields, 6, &definer, &program);
	assert_int_equal(program.nb_moves[0], 1);
	assert_int_equal(program.nb_moves[1], 1);
	assert_int_equal(program.nb_moves[2] + program.nb_moves[3] + program.nb_ops, 0);
}

static void
overlap_is_refused(void **state)
{
	const struct mlx5dr_field fields[] = {
		{ .hl = MLX5DR_HL_IP_TOS_O, .mask = 0xfc },
		{ .hl = MLX5DR_HL_IP_ECN_O, .mask = 3 },
		{ .hl = MLX5DR_HL_IP_DSCP_O, .mask = 1 },
	};
	uint8_t mask[MLX5DR_HL_BYTES];
	int bad;

	assert_int_equal(program_hl_mask(fields, 2, mask, &bad), 0);
	assert_int_equal(bad, -1);
	assert_int_equal(program_hl_mask(fields, 3, mask, &bad), -EINVAL);
	assert_int_equal(bad, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twin),
		cmocka_unit_test(four_tuple_is_two_moves),
		cmocka_unit_test(overlap_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
