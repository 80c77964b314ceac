/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/definer.h"

#include <errno.h>
#include <string.h>

#define HL_DWORDS (MLX5DR_HL_BYTES / 4)
#define LOW_DWORDS 64 /* reach of byte selectors and of limited dword selectors */

/* Depth-first search over the used dwords. limited, full, bytes: selectors still free; cells: what was given so far. */
struct search {
	const uint8_t *mask;
	uint8_t used[HL_DWORDS];
	unsigned int nb_used;
	uint8_t dw_at[DEFINER_DWORDS + DEFINER_BYTES]; /* per used dword: selector, or BY_BYTES */
	unsigned int nb_full, nb_limited;
	/* [used dword][limited][full][bytes]: known not to lead anywhere */
	bool dead[DEFINER_DWORDS + DEFINER_BYTES][4][DEFINER_DWORDS + 1][DEFINER_BYTES + 1];
};

#define BY_BYTES 0xff

static unsigned int
nb_mask_bytes(const uint8_t *mask, unsigned int dw)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < 4; i++)
		n += mask[dw * 4 + i] != 0;
	return n;
}

static bool
search_from(struct search *s, unsigned int at, unsigned int limited, unsigned int full, unsigned int bytes)
{
	unsigned int dw, n;

	if (at == s->nb_used)
		return true;
	if (s->dead[at][limited][full][bytes])
		return false;
	dw = s->used[at];
	if (limited > 0 && dw < LOW_DWORDS) {
		s->dw_at[at] = DEFINER_SHORT_DWORDS + (s->nb_limited - limited);
		if (search_from(s, at + 1, limited - 1, full, bytes))
			return true;
	}
	if (full > 0) {
		s->dw_at[at] = s->nb_full - full;
		if (search_from(s, at + 1, limited, full - 1, bytes))
			return true;
	}
	n = nb_mask_bytes(s->mask, dw);
	if (dw < LOW_DWORDS && n <= bytes) {
		s->dw_at[at] = BY_BYTES;
		if (search_from(s, at + 1, limited, full, bytes - n))
			return true;
	}
	s->dead[at][limited][full][bytes] = true;
	return false;
}

static bool
search_run(struct search *s, unsigned int nb_full, unsigned int nb_limited)
{
	memset(s->dead, 0, sizeof(s->dead));
	s->nb_full = nb_full;
	s->nb_limited = nb_limited;
	return search_from(s, 0, nb_limited, nb_full, DEFINER_BYTES);
}

static unsigned int
tag_of_dw(unsigned int selector)
{
	return 4 * (DEFINER_DWORDS - 1 - selector);
}

static unsigned int
tag_of_byte(unsigned int selector)
{
	return DEFINER_TAG_BYTES - 1 - selector;
}

/* Write down what the search found. Byte selectors go from the highest number down. */
static void
fill(const struct search *s, struct definer *definer)
{
	unsigned int next_byte = DEFINER_BYTES;

	for (unsigned int i = 0; i < s->nb_used; i++) {
		unsigned int dw = s->used[i];
		const uint8_t *mask = s->mask + dw * 4;

		if (s->dw_at[i] != BY_BYTES) {
			definer->dw[s->dw_at[i]] = dw;
			definer->used_dw |= 1 << s->dw_at[i];
			memcpy(definer->mask + tag_of_dw(s->dw_at[i]), mask, 4);
			continue;
		}
		for (unsigned int b = 0; b < 4; b++) {
			if (mask[b] == 0)
				continue;
			next_byte--;
			definer->byte[next_byte] = dw * 4 + b;
			definer->used_byte |= 1 << next_byte;
			definer->mask[tag_of_byte(next_byte)] = mask[b];
		}
	}
}

int
definer_select(const uint8_t hl_mask[MLX5DR_HL_BYTES], const struct definer_limits *limits, struct definer *definer)
{
	struct search s = { .mask = hl_mask };
	bool found;

	memset(definer, 0, sizeof(*definer));
	for (unsigned int dw = 0; dw < HL_DWORDS; dw++)
		if (nb_mask_bytes(hl_mask, dw) != 0)
			s.used[s.nb_used++] = dw;
	if (s.nb_used > DEFINER_DWORDS + DEFINER_BYTES)
		return -E2BIG;
	found = search_run(&s, DEFINER_SHORT_DWORDS, 0);
	if (!found && limits->jumbo) {
		definer->jumbo = true;
		found = limits->any_dw_8_6 ? search_run(&s, DEFINER_DWORDS, 0)
					   : search_run(&s, DEFINER_SHORT_DWORDS, DEFINER_DWORDS - DEFINER_SHORT_DWORDS);
	}
	if (!found)
		return -E2BIG;
	fill(&s, definer);
	return 0;
}

int
definer_tag_byte(const struct definer *definer, unsigned int hl_byte)
{
	for (unsigned int i = 0; i < DEFINER_DWORDS; i++)
		if ((definer->used_dw >> i & 1) != 0 && definer->dw[i] == hl_byte / 4)
			return tag_of_dw(i) + hl_byte % 4;
	for (unsigned int i = 0; i < DEFINER_BYTES; i++)
		if ((definer->used_byte >> i & 1) != 0 && definer->byte[i] == hl_byte)
			return tag_of_byte(i);
	return -1;
}

/* Put the dwords of selectors first..last in the order of chains; T ascends while selector numbers descend. */
static void
arrange_range(const struct definer *old, struct definer *new, unsigned int first, unsigned int last,
	      const int8_t follows[DEFINER_DWORDS])
{
	bool placed[DEFINER_DWORDS] = { false }, has_front[DEFINER_DWORDS] = { false };
	int to = (int)last;

	for (unsigned int i = first; i <= last; i++)
		if (follows[i] >= 0 && follows[i] >= (int)first && follows[i] <= (int)last)
			has_front[follows[i]] = true;
	/* Heads of chains first; a second round takes what is left of circles. */
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = first; i <= last; i++) {
			if (placed[i] || (round == 0 && has_front[i]))
				continue;
			for (int j = (int)i; j >= (int)first && j <= (int)last && !placed[j]; j = follows[j]) {
				placed[j] = true;
				if ((old->used_dw >> j & 1) == 0)
					break;
				new->dw[to] = old->dw[j];
				new->used_dw |= 1 << to;
				memcpy(new->mask + tag_of_dw(to), old->mask + tag_of_dw(j), 4);
				to--;
			}
		}
	}
}

void
definer_arrange(struct definer *definer, const struct definer_limits *limits, const int8_t follows[DEFINER_DWORDS])
{
	struct definer old = *definer;

	memset(definer->dw, 0, sizeof(definer->dw));
	memset(definer->mask, 0, tag_of_dw(0) + 4);
	definer->used_dw = 0;
	if (old.jumbo && limits->any_dw_8_6) {
		arrange_range(&old, definer, 0, DEFINER_DWORDS - 1, follows);
		return;
	}
	arrange_range(&old, definer, 0, DEFINER_SHORT_DWORDS - 1, follows);
	arrange_range(&old, definer, DEFINER_SHORT_DWORDS, DEFINER_DWORDS - 1, follows);
}

unsigned int
definer_bytes_asked(const uint8_t hl_mask[MLX5DR_HL_BYTES])
{
	unsigned int bytes = 0;

	for (unsigned int dw = 0; dw < HL_DWORDS; dw++) {
		unsigned int n = nb_mask_bytes(hl_mask, dw);

		bytes += n != 0 && dw >= LOW_DWORDS ? 4 : n;
	}
	return bytes;
}
