/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/spread.h"

#include <string.h>

#include "hws/program.h"

#define CRC_POLYNOMIAL 0xedb88320u /* reflected; initial value 0, no final inversion */
#define MAX_CANDIDATES 5000
#define GOOD_ENOUGH 1 /* two rules a row; rows hold four */

/* The device's hash of a tag in which only this bit is set: all others are sums of these. */
static uint32_t
hash_of_bit(unsigned int tag_byte, unsigned int bit)
{
	uint32_t crc = 1u << bit;

	for (unsigned int t = tag_byte; t < DEFINER_TAG_BYTES; t++)
		for (unsigned int i = 0; i < 8; i++)
			crc = (crc & 1) != 0 ? crc >> 1 ^ CRC_POLYNOMIAL : crc >> 1;
	return __builtin_bswap32(crc);
}

/* Row bits of every bit of the tag. */
struct hashes {
	uint32_t of[DEFINER_TAG_BYTES][8];
};

static void
fill_hashes(struct hashes *hashes, unsigned int log_rows)
{
	for (unsigned int t = 0; t < DEFINER_TAG_BYTES; t++)
		for (unsigned int bit = 0; bit < 8; bit++)
			hashes->of[t][bit] = hash_of_bit(t, bit) & ((1u << log_rows) - 1);
}

/* Dimensions that counting in the field's lowest compared bits reaches, against those it could. */
static unsigned int
field_deficiency(const struct definer *definer, const struct mlx5dr_field *field, const struct hashes *hashes,
		 unsigned int log_rows)
{
	uint32_t basis[32] = { 0 };
	unsigned int nb = 0, rank = 0;

	for (unsigned int b = 0; b < 32 && nb < log_rows; b++) {
		unsigned int bit = prm_shift(field->hl) + b;
		uint32_t v;
		int t;

		if ((field->mask >> b & 1) == 0)
			continue;
		t = definer_tag_byte(definer, prm_offset(field->hl) + 3 - bit / 8);
		v = hashes->of[t][bit % 8];
		nb++;
		while (v != 0 && basis[__builtin_ctz(v)] != 0)
			v ^= basis[__builtin_ctz(v)];
		if (v != 0) {
			basis[__builtin_ctz(v)] = v;
			rank++;
		}
	}
	return nb - rank;
}

/*
 * Fields that rules count in. The upper dwords of an IPv6 address are not among them: they take the places that are left,
 * as a key of nine dwords leaves no choice for all.
 */
static bool
is_counted(const struct mlx5dr_field *field)
{
	unsigned int at = prm_offset(field->hl);
	bool ipv6 = at >= prm_offset(MLX5DR_HL_IPV6_DST_127_96_O) && at <= prm_offset(MLX5DR_HL_IPV6_SRC_31_0_I);

	return field->mask != 0 && field->value.from != MLX5DR_FROM_CONSTANT && (!ipv6 || at % 16 == 12);
}

static unsigned int
deficiency(const struct definer *definer, const struct mlx5dr_field *fields, uint16_t nb_fields,
	   const struct hashes *hashes, unsigned int log_rows)
{
	unsigned int worst = 0;

	for (uint16_t i = 0; i < nb_fields; i++) {
		unsigned int d = is_counted(&fields[i]) ? field_deficiency(definer, &fields[i], hashes, log_rows) : 0;

		worst = d > worst ? d : worst;
	}
	return worst;
}

unsigned int
spread_deficiency(const struct definer *definer, const struct mlx5dr_field *fields, uint16_t nb_fields,
		  unsigned int log_rows)
{
	struct hashes hashes;

	fill_hashes(&hashes, log_rows);
	return deficiency(definer, fields, nb_fields, &hashes, log_rows);
}

/* Chains of the definer's dwords, each in the order in which it lies in T: selector numbers fall. */
struct chains {
	uint8_t first[DEFINER_DWORDS], length[DEFINER_DWORDS];
	unsigned int nb;
};

struct search {
	const struct definer *start;
	const struct mlx5dr_field *fields;
	uint16_t nb_fields;
	unsigned int log_rows, nb_selectors;
	struct hashes hashes;
	struct chains chains;
	uint8_t place[DEFINER_DWORDS]; /* of each chain: selector of its first dword */
	struct definer best;
	unsigned int best_deficiency, nb_tried;
};

static void
find_chains(const struct definer *definer, const int8_t follows[DEFINER_DWORDS], unsigned int nb_selectors,
	    unsigned int max_length, struct chains *chains)
{
	memset(chains, 0, sizeof(*chains));
	for (int i = (int)nb_selectors - 1; i >= 0; i--) {
		if ((definer->used_dw >> i & 1) == 0)
			continue;
		/* Already arranged: what follows stands right below, so a chain is a run of neighbours. */
		if (chains->nb > 0 && i + 1 < (int)nb_selectors && follows[i + 1] == i &&
		    (definer->used_dw >> (i + 1) & 1) != 0 && chains->length[chains->nb - 1] < max_length) {
			chains->length[chains->nb - 1]++;
			continue;
		}
		chains->first[chains->nb] = i;
		chains->length[chains->nb++] = 1;
	}
}

static void
move_dword(const struct definer *from, unsigned int a, struct definer *to, unsigned int b)
{
	to->dw[b] = from->dw[a];
	to->used_dw |= 1 << b;
	memcpy(to->mask + 4 * (DEFINER_DWORDS - 1 - b), from->mask + 4 * (DEFINER_DWORDS - 1 - a), 4);
}

static void
try_candidate(struct search *s)
{
	struct definer candidate = *s->start;
	unsigned int d;

	for (unsigned int i = 0; i < s->nb_selectors; i++) {
		candidate.dw[i] = 0;
		candidate.used_dw &= ~(1 << i);
		memset(candidate.mask + 4 * (DEFINER_DWORDS - 1 - i), 0, 4);
	}
	for (unsigned int c = 0; c < s->chains.nb; c++)
		for (unsigned int i = 0; i < s->chains.length[c]; i++)
			move_dword(s->start, s->chains.first[c] - i, &candidate, s->place[c] - i);
	d = deficiency(&candidate, s->fields, s->nb_fields, &s->hashes, s->log_rows);
	s->nb_tried++;
	if (d < s->best_deficiency) {
		s->best_deficiency = d;
		s->best = candidate;
	}
}

static void
place_chain(struct search *s, unsigned int c, unsigned int taken)
{
	unsigned int length;

	if (c == s->chains.nb) {
		try_candidate(s);
		return;
	}
	length = s->chains.length[c];
	for (int first = (int)s->nb_selectors - 1; first >= (int)length - 1; first--) {
		unsigned int bits = ((1u << length) - 1) << (first + 1 - (int)length);

		if (s->best_deficiency <= GOOD_ENOUGH || s->nb_tried >= MAX_CANDIDATES)
			return;
		if ((taken & bits) != 0)
			continue;
		s->place[c] = first;
		place_chain(s, c + 1, taken | bits);
	}
}

void
spread_arrange(struct definer *definer, const struct definer_limits *limits, const struct mlx5dr_field *fields,
	       uint16_t nb_fields, unsigned int log_rows)
{
	struct search s = { .start = definer, .fields = fields, .nb_fields = nb_fields, .log_rows = log_rows };
	static const unsigned int lengths[] = { DEFINER_DWORDS, 2, 1 };
	int8_t follows[DEFINER_DWORDS];

	if (log_rows == 0)
		return;
	/* Selectors that reach only low dwords stay where they are. */
	s.nb_selectors = definer->jumbo && limits->any_dw_8_6 ? DEFINER_DWORDS : DEFINER_SHORT_DWORDS;
	fill_hashes(&s.hashes, log_rows);
	s.best = *definer;
	s.best_deficiency = deficiency(definer, fields, nb_fields, &s.hashes, log_rows);
	program_follows(fields, nb_fields, definer, follows);
	/* Whole chains first; then pairs, which one move of 8 bytes still takes; single dwords where nothing else helps. */
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]) && s.best_deficiency > GOOD_ENOUGH; i++) {
		find_chains(definer, follows, s.nb_selectors, lengths[i], &s.chains);
		s.nb_tried = 0;
		place_chain(&s, 0, 0);
	}
	*definer = s.best;
}
