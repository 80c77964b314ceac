/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Twin: random definers, masks and rules in a device, and the same rules in a list that is compared field by
 * field. Frames are drawn from few values, so that they hit often. The seed is printed; argument 1 sets it.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "softcx/steer/checksum.h"

enum { ROUNDS = 60, RULES = 200, FRAMES = 300, FIELDS = 14 };

/* A field as the naive matcher knows it: where in the header layout, and how wide. */
static const struct field {
	uint16_t at;
	uint8_t bytes;
} fields[FIELDS] = {
	{0x00, 4},
	{0x04, 2},
	{0x20, 4},
	{0x38 + 1, 1},
	{0x38 + 2, 1},
	{0x38 + 3, 1},
	{0x3c, 2},
	{0x60, 2},
	{0x62, 2},
	{0x100, 4},
	{0x104, 4},
	{0x178, 4},
	{0x1f0, 4},
	{0x44, 4},
};

/* What a frame shows in each of them, right aligned. */
struct view {
	uint32_t value[FIELDS];
};

struct rule {
	uint32_t value[FIELDS];
	uint32_t tag;
	bool there;
};

static unsigned int seed;

static uint32_t
few(uint32_t base)
{
	return base ^ (uint32_t)(rand() % 3) * 0x01010101u;
}

/* A TCP or UDP frame over IPv4, and its naive view. */
static uint32_t
make_frame(uint8_t *frame, struct view *v)
{
	bool tcp = rand() & 1;
	uint32_t len = 14 + 20 + (tcp ? 20 : 8) + 10;
	uint8_t *ip = frame + 14, *l4 = frame + 34;

	memset(frame, 0, len);
	put32(frame, few(0x02112233));
	sc_store16(frame + 4, (uint16_t)few(0x4455));
	put32(frame + 6, few(0x02aabbcc));
	sc_store16(frame + 12, 0x0800);
	ip[0] = 0x45;
	ip[1] = (uint8_t)few(8);
	sc_store16(ip + 2, (uint16_t)(len - 14));
	sc_store16(ip + 4, (uint16_t)few(0x1000));
	ip[8] = (uint8_t)few(64);
	ip[9] = tcp ? 6 : 17;
	put32(ip + 12, few(0x0a000001));
	put32(ip + 16, few(0xc0a80001));
	sc_store16(ip + 10, (uint16_t)~sc_sum_fold(sc_sum_add(0, ip, 20)));
	sc_store16(l4, (uint16_t)few(1000));
	sc_store16(l4 + 2, (uint16_t)few(2000));
	if (tcp) {
		put32(l4 + 4, few(0x77777777));
		l4[12] = 0x50;
	} else {
		sc_store16(l4 + 4, 18);
	}
	*v = (struct view){ { get32(frame), sc_load16(frame + 4), get32(frame + 6), ip[1], ip[8], ip[9],
		sc_load16(ip + 4), sc_load16(l4), sc_load16(l4 + 2), get32(ip + 12), get32(ip + 16),
		tcp ? get32(l4 + 4) : 0, 0, 0 } };
	return len;
}

/* A definer over the fields chosen, in selectors drawn at random, and where each field begins in T. */
static bool
draw_definer(struct definer *definer, const uint32_t *mask, uint32_t nb_dwords, uint8_t *where)
{
	uint8_t dword_of[9];
	uint32_t i, k, used = 0, free_bytes = 8; /* the highest ones first, down to 0 */

	memset(definer, 0, sizeof(*definer));
	for (i = 0; i < FIELDS; i++) {
		uint32_t at = fields[i].at, bytes = fields[i].bytes;

		if (mask[i] == 0)
			continue;
		if (bytes <= 2 && at + bytes <= 256 && free_bytes >= bytes && (rand() & 1)) {
			/* by bytes: neighbours in T in descending selectors */
			for (k = 0; k < bytes; k++)
				definer->byte[free_bytes - 1 - k] = (uint8_t)(at + k);
			where[i] = (uint8_t)(44 - free_bytes);
			free_bytes -= bytes;
		} else {
			for (k = 0; k < used && definer->dw[dword_of[k]] != at / 4; k++)
				;
			if (k == used) {
				if (used == nb_dwords)
					return false;
				dword_of[used] = (uint8_t)used;
				definer->dw[used++] = (uint8_t)(at / 4);
			}
			where[i] = (uint8_t)(4 * (8 - dword_of[k]) + at % 4);
		}
		for (k = 0; k < bytes; k++)
			definer->mask[where[i] + k] = (uint8_t)(mask[i] >> 8 * (bytes - 1 - k));
	}
	return true;
}

static uint32_t
draw_mask(uint32_t bytes)
{
	uint32_t whole = bytes == 4 ? UINT32_MAX : (1u << 8 * bytes) - 1;

	switch (rand() % 4) {
	case 0:
		return whole;
	case 1:
		return whole << (rand() % (int)(8 * bytes)) & whole;
	case 2:
		return ((uint32_t)rand() << 9 ^ (uint32_t)rand()) & whole;
	default:
		return 0;
	}
}

static const struct rule *
naive(const struct rule *rules, const uint32_t *mask, const struct view *v)
{
	const struct rule *found = NULL;
	uint32_t i, k;

	for (i = 0; i < RULES; i++) {
		for (k = 0; k < FIELDS; k++)
			if ((v->value[k] ^ rules[i].value[k]) & mask[k])
				break;
		if (k == FIELDS && rules[i].there)
			found = &rules[i];
	}
	return found;
}

static void
tag_of(const struct rule *rule, const uint8_t *where, const uint32_t *mask, uint8_t *t)
{
	uint32_t i, k;

	memset(t, 0, 44);
	for (i = 0; i < FIELDS; i++)
		for (k = 0; mask[i] != 0 && k < fields[i].bytes; k++)
			t[where[i] + k] |=
				(uint8_t)(rule->value[i] >> 8 * (fields[i].bytes - 1 - k)); /* not masked */
}

static void
check_frames(const struct rule *rules, const uint32_t *mask, bool jumbo)
{
	uint8_t frame[FRAME_MAX];
	const struct rule *want;
	struct view v;
	uint32_t i, len;

	for (i = 0; i < FRAMES; i++) {
		len = make_frame(frame, &v);
		want = naive(rules, mask, &v);
		receive(frame, len);
		if ((bench.nb_out != 0) != (want != NULL) ||
				(want != NULL && !jumbo && bench.out[0].flow_tag != want->tag))
			fail_msg("seed %u: frame %u %s, the list says %s (%u, %u)", seed, i,
				bench.nb_out ? "hit" : "missed", want ? "hit" : "miss",
				bench.nb_out ? bench.out[0].flow_tag : 0, want ? want->tag : 0);
	}
}

/* An equal tag overwrites: the older rule is gone with it. */
static void
supersede(struct rule *rules, uint32_t nb, const uint32_t *mask)
{
	struct view v;
	uint32_t i, k;

	memcpy(v.value, rules[nb].value, sizeof(v.value));
	for (i = 0; i < nb; i++) {
		for (k = 0; k < FIELDS; k++)
			if ((v.value[k] ^ rules[i].value[k]) & mask[k])
				break;
		if (k == FIELDS)
			rules[i].there = false;
	}
}

static void
one_round(bool jumbo)
{
	static const uint32_t actions[5] = { STC_NOP0, STC_TIR, STC_TAG, STC_NOP6, STC_NOP7 };
	static struct rule rules[RULES];
	uint32_t mask[FIELDS], i, k, len;
	uint8_t where[FIELDS], t[44], data[64], frame[FRAME_MAX];
	struct definer definer;
	struct fixture f;
	struct view v;

	do {
		for (i = 0; i < FIELDS; i++)
			mask[i] = rand() % 3 == 0 || i >= 12 ? 0 : draw_mask(fields[i].bytes);
	} while (!draw_definer(&definer, mask, jumbo ? 9 : 6, where));
	fixture_open(&f, NIC_RX, &definer, jumbo, 6, 3);
	for (i = 0; i < RULES; i++) {
		len = make_frame(frame, &v);
		(void)len;
		memcpy(rules[i].value, v.value, sizeof(v.value));
		rules[i].tag = i + 1;
		tag_of(&rules[i], where, mask, t);
		image(data, t, jumbo);
		if (!jumbo)
			put32(data + 0x14, rules[i].tag);
		rules[i].there = gta(0, f.rtc, 0, jumbo ? 1 : 4, actions, data) == 0;
		if (rules[i].there)
			supersede(rules, i, mask);
	}
	check_frames(rules, mask, jumbo);
	for (k = 0; k < RULES; k += 2) {
		tag_of(&rules[k], where, mask, t);
		image(data, t, jumbo);
		assert_int_equal(gta(1, f.rtc, 0, 0, NULL, data) == 0,
			naive(rules, mask, (struct view *)(void *)&rules[k]) != NULL);
		memcpy(v.value, rules[k].value, sizeof(v.value));
		for (i = 0; i < RULES; i++)
			if (&rules[i] == naive(rules, mask, &v))
				rules[i].there = false;
	}
	check_frames(rules, mask, jumbo);
	fixture_close(&f);
}

static void
twin(void **state)
{
	uint32_t i;

	print_message("seed %u\n", seed);
	srand(seed);
	for (i = 0; i < ROUNDS; i++)
		one_round(i & 1);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(twin, bench_open, bench_close) };

	seed = argc > 1 ? (unsigned int)atoi(argv[1]) : (unsigned int)getpid();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
