/* SPDX-License-Identifier: BSD-3-Clause */

/* Frames through tables built by hand: hit, miss, chains, action STEs, indexed tables, reparse, loops,
 * anchors. */
#include "bench.h"

#include "frames.h"
#include "softcx/steer/definer.h"
#include "softcx/steer/hl.h"

/* The IPv4 destination in DW0. */
static const struct definer by_dst = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0xff, 0xff } };
static const uint32_t DST = 0xc0a80709; /* 192.168.7.9 */

static uint8_t frame[FRAME_MAX];
static uint32_t len;

static struct sc_steer_stats
stats(void)
{
	struct sc_steer_stats now;

	sc_steer_stats_get(bench.dev, &now);
	return now;
}

/* One rule: tag value of DW0, the five STC indices, DW0, DW4, DW5, DW6, DW7. */
static void
rule(uint32_t rtc, uint32_t direct, uint32_t dw0, const uint32_t *stc, uint32_t counter, uint32_t hit,
	uint32_t dw5, uint32_t dw6, uint32_t dw7)
{
	uint8_t t[44] = { 0 }, data[64];

	put32(t + 32, dw0);
	image(data, t, false);
	put32(data + 0x00, counter);
	put32(data + 0x10, hit);
	put32(data + 0x14, dw5);
	put32(data + 0x18, dw6);
	put32(data + 0x1c, dw7);
	assert_int_equal(gta(0, rtc, direct, stc[3] == STC_NOP6 ? 4 : 3, stc, data), 0);
}

static void
hit_and_miss(void **state)
{
	static const uint32_t stc[5] = { STC_COUNTER, STC_TIR, STC_TAG, STC_NOP6, STC_NOP7 };
	struct fixture f;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	receive(frame, len); /* nothing there: the end table has no miss, the frame is lost and counted */
	assert_int_equal(bench.nb_out, 0);
	assert_int_equal(stats().miss_drops, 1);
	assert_int_equal(bench.dev->port.rx_steering_discard, 1);
	rule(f.rtc, 0, DST, stc, 5, 0, 0x004e0000, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	assert_int_equal(bench.out[0].kind, OUT_TIR);
	assert_int_equal(bench.out[0].tir, f.tir);
	assert_int_equal(bench.out[0].flow_tag, 0x4e0000);
	assert_memory_equal(bench.out[0].data, frame, len);
	assert_int_equal(counter_packets(f.counters + 5), 1);
	assert_int_equal(counter_octets(f.counters + 5), len);
	assert_int_equal(counter_packets(f.counters + 4), 0);
	len = unhex(VXLAN, frame); /* the same outer destination */
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	assert_int_equal(bench.out[0].parse.tunnel_type, SC_TUNNEL_VXLAN);
	len = unhex(ARP, frame);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 0);
	fixture_close(&f);
}

/* start -> RTC -> end -> RTC of a second matcher -> its end -> miss table; and the miss of a table. */
static void
chain(void **state)
{
	static const uint32_t first[5] = { STC_NOP0, STC_DROP, STC_NOP5, STC_NOP6, STC_NOP7 };
	static const uint32_t second[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct fixture f;
	uint32_t stes, rtc, last;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	last = make_table(NIC_RX, true);
	stes = make_range(0x42, NIC_RX, 4);
	rtc = make_rtc(&(struct rtc){.type = NIC_RX,
		.depth = 2,
		.rows = 2,
		.format = 4,
		.definer = f.definer,
		.stc = f.stcs,
		.ste = stes,
		.miss = last});
	rule(rtc, 0, DST, second, 0, 0, 0, 0, 0);
	modify_table(NIC_RX, f.end, 2, 0, rtc);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	rule(f.rtc, 0, DST, first, 0, 0, 0, 0, 0); /* the first matcher goes before */
	receive(frame, len);
	assert_int_equal(bench.nb_out, 0);
	assert_int_equal(stats().rule_drops, 1);
	/* A table that misses into itself is a loop: the frame is given up and counted. */
	modify_table(NIC_RX, last, 1, last, 0);
	len = unhex(ARP, frame);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 0);
	assert_int_equal(stats().loop_drops, 1);
	modify_table(NIC_RX, last, 1, 0, 0);
	modify_table(NIC_RX, f.end, 2, 0, 0);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	free_table(NIC_RX, last);
	fixture_close(&f);
}

/*
 * A match STE whose hit is an action STE, which rewrites two registers' worth of frame and jumps to the
 * TIR.
 */
static void
action_ste(void **state)
{
	static const uint32_t match[5] = { STC_NOP0, STC_A, STC_NOP5, STC_NOP6, STC_NOP7 };
	static const uint32_t action[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_B };
	struct fixture f;
	uint32_t stes, rtc;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	stes = make_range(0x42, NIC_RX, 3);
	rtc = make_rtc(&(struct rtc){.type = NIC_RX,
		.update = 1,
		.rows = 3,
		.format = 4,
		.definer = SC_DEFINER_TRIVIAL,
		.stc = f.stcs,
		.ste = stes});
	set_stc(f.stcs, STC_A, 3, 0x80, 0, stes, SC_DEFINER_TRIVIAL);
	set_stc(f.stcs, STC_B, 6, 0x06, 0, 1u << 28 | 0x0a << 16 | 8, 0); /* SET IPv4 TTL, 8 bits */
	rule(f.rtc, 0, DST, match, 0, 5 << 6, 0, 0, 0);
	receive(frame, len); /* the action STE is not there yet */
	assert_int_equal(bench.nb_out, 0);
	rule(rtc, 5, 0, action, 0, 0, 0, 0, 99);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	assert_int_equal(bench.out[0].data[14 + 8], 99);
	sc_parse_verify(bench.out[0].data, bench.out[0].len, &bench.out[0].parse);
	assert_true(bench.out[0].parse.outer.l3_checksum_ok && bench.out[0].parse.outer.l4_checksum_ok);
	modify_table(NIC_RX, f.start, 2, 0, 0);
	set_stc(f.stcs, STC_A, 3, 0x83, 0, 0, 0);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	fixture_close(&f);
}

/* An STC is read when a frame comes by: rewriting it turns rules that are there. */
static void
stc_rewritten(void **state)
{
	static const uint32_t stc[5] = { STC_NOP0, STC_A, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct fixture f;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	set_stc(f.stcs, STC_A, 3, 0x81, 0, f.tir, 0);
	rule(f.rtc, 0, DST, stc, 0, 0, 0, 0, 0);
	set_stc(f.stcs, STC_A, 3, 0x81, 0, f.tir2, 0);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, f.tir2);
	set_stc(f.stcs, STC_A, 3, 0x83, 0, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 0);
	fixture_close(&f);
}

/* Linear access: the row is the upper half of REG_C_3, set by the rule before. */
static void
linear(void **state)
{
	static const uint32_t to_linear[5] = { STC_NOP0, STC_A, STC_NOP5, STC_B };
	static const uint32_t to_tir[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct fixture f;
	uint32_t stes, rtc, table, i;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	table = make_table(NIC_RX, true);
	stes = make_range(0x42, NIC_RX, 4);
	rtc = make_rtc(&(struct rtc){.type = NIC_RX,
		.update = 1,
		.access = 1,
		.nb_hash = 1,
		.rows = 4,
		.format = 4,
		.definer = SC_DEFINER_LINEAR,
		.stc = f.stcs,
		.ste = stes,
		.miss = f.end});
	modify_table(NIC_RX, table, 2, 0, rtc);
	set_stc(f.stcs, STC_A, 3, 0x82, 0, table, 0);
	set_stc(f.stcs, STC_B, 6, 0x06, 0, 1u << 28 | 0x54 << 16 | 0, 0); /* SET REG_C_3, 32 bits */
	rule(rtc, 9, 0, to_tir, 0, 0, 0, 0, 0);
	for (i = 0; i < 16; i++) {
		rule(f.rtc, 0, DST, to_linear, 0, 0, 0, 0, i << 16 | 0x1234);
		receive(frame, len);
		assert_int_equal(bench.nb_out, i == 9);
	}
	set_stc(f.stcs, STC_A, 3, 0x83, 0, 0, 0);
	modify_table(NIC_RX, table, 2, 0, 0);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	free_table(NIC_RX, table);
	fixture_close(&f);
}

/* Hash split: filled by index, the packet's hash chooses the row, an entry there always hits. */
static void
hash_split(void **state)
{
	static const uint32_t to_tir[5] = { STC_COUNTER, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct sc_definer definer = { .dword_selector = { 0x41 } };
	uint8_t hl[SC_HL_BYTES] = { 0 }, t[44];
	struct fixture f;
	uint32_t stes, rtc, i, row;
	unsigned int bad;

	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	stes = make_range(0x42, NIC_RX, 3);
	rtc = make_rtc(&(struct rtc){ .type = NIC_RX, .update = 1, .nb_hash = 1, .rows = 3, .format = 4,
		.definer = f.definer, .stc = f.stcs, .ste = stes, .miss = f.end });
	modify_table(NIC_RX, f.start, 2, 0, rtc);
	for (i = 0; i < 8; i++)
		rule(rtc, i, 0, to_tir, i, 0, 0, 0, 0);
	len = unhex(UDP4, frame);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	memset(definer.mask + 32, 0xff, 4);
	assert_int_equal(sc_definer_compile(&definer, &bad), 0);
	put32(hl + 0x104, DST);
	sc_definer_tag(&definer, hl, t);
	row = sc_definer_hash(&definer, t) & 7;
	for (i = 0; i < 8; i++)
		assert_int_equal(counter_packets(f.counters + i), i == row);
	modify_table(NIC_RX, f.start, 2, 0, f.rtc);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	fixture_close(&f);
}

/* An array of match STEs reached by jump: the tag there is compared, a mismatch takes that RTC's miss. */
static void
ste_array(void **state)
{
	static const uint32_t to_array[5] = { STC_NOP0, STC_A, STC_NOP5, STC_NOP6, STC_NOP7 };
	static const uint32_t to_tir[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };
	static const uint32_t to_tir2[5] = { STC_NOP0, STC_B, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct fixture f;
	uint32_t stes, rtc, other, other_rtc;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	stes = make_range(0x42, NIC_RX, 2);
	other = make_range(0x42, NIC_RX, 0);
	other_rtc = make_rtc(&(struct rtc){.type = NIC_RX,
		.update = 1,
		.format = 4,
		.definer = SC_DEFINER_TRIVIAL,
		.stc = f.stcs,
		.ste = other});
	set_stc(f.stcs, STC_B, 3, 0x81, 0, f.tir2, 0);
	rule(other_rtc, 0, 0, to_tir2, 0, 0, 0, 0, 0);
	modify_table(NIC_RX, f.end, 2, 0, other_rtc); /* what misses goes to the second TIR */
	rtc = make_rtc(&(struct rtc){ .type = NIC_RX, .update = 1, .rows = 2, .format = 4, .definer = f.definer,
		.stc = f.stcs, .ste = stes, .miss = f.end });
	set_stc(f.stcs, STC_A, 3, 0x80, 0, stes, SC_DEFINER_TRIVIAL);
	rule(rtc, 1, DST, to_tir, 0, 0, 0, 0, 0);
	rule(rtc, 2, DST + 1, to_tir, 0, 0, 0, 0, 0);
	rule(f.rtc, 0, DST, to_array, 0, 1 << 6, 0, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, f.tir);
	rule(f.rtc, 0, DST, to_array, 0, 2 << 6, 0, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, f.tir2);
	rule(f.rtc, 0, DST, to_array, 0, 3 << 6, 0, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, f.tir2);
	set_stc(f.stcs, STC_A, 3, 0x83, 0, 0, 0);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	modify_table(NIC_RX, f.end, 2, 0, 0);
	free_object(0x41, other_rtc);
	free_object(0x42, other);
	fixture_close(&f);
}

/* A rule rewrites what the next table matches, without a reparse: the new value is seen (10.2). */
static void
write_through(void **state)
{
	static const uint32_t rewrite[5] = { STC_NOP0, STC_A, STC_NOP5, STC_B };
	static const uint32_t to_tir[5] = { STC_NOP0, STC_TIR, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct fixture f;
	uint32_t stes, rtc, table;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	table = make_table(NIC_RX, true);
	stes = make_range(0x42, NIC_RX, 2);
	rtc = make_rtc(&(struct rtc){.type = NIC_RX,
		.depth = 2,
		.format = 4,
		.definer = f.definer,
		.stc = f.stcs,
		.ste = stes,
		.miss = f.end});
	modify_table(NIC_RX, table, 2, 0, rtc);
	set_stc(f.stcs, STC_A, 3, 0x82, 0, table, 0);
	set_stc(f.stcs, STC_B, 6, 0x06, 0, 1u << 28 | 0x16 << 16 | 0, 0); /* SET IPv4 destination */
	rule(f.rtc, 0, DST, rewrite, 0, 0, 0, 0, 0x0b0c0d0e);
	rule(rtc, 0, 0x0b0c0d0e, to_tir, 0, 0, 0, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	assert_int_equal(get32(bench.out[0].data + 30), 0x0b0c0d0e);
	set_stc(f.stcs, STC_A, 3, 0x83, 0, 0, 0);
	modify_table(NIC_RX, table, 2, 0, 0);
	free_object(0x41, rtc);
	free_object(0x42, stes);
	free_table(NIC_RX, table);
	fixture_close(&f);
}

/* Transmit: REG_A matches, what misses goes to the wire. */
static void
transmit_side(void **state)
{
	static const struct definer by_reg_a = { .dw = { 0x7c }, .mask = { [32] = 0xff, 0xff, 0xff, 0xff } };
	static const uint32_t drop[5] = { STC_NOP0, STC_DROP, STC_NOP5, STC_NOP6, STC_NOP7 };
	struct fixture f;

	len = unhex(TCP4, frame);
	fixture_open(&f, NIC_TX, &by_reg_a, false, 4, 2);
	rule(f.rtc, 0, 0x55, drop, 0, 0, 0, 0, 0);
	bench.reg_a = 0x54;
	transmit(frame, len);
	assert_int_equal(bench.nb_out, 1);
	assert_int_equal(bench.out[0].kind, OUT_WIRE);
	bench.reg_a = 0x55;
	transmit(frame, len);
	assert_int_equal(bench.nb_out, 0);
	fixture_close(&f);
}

/* Tables in twos: a destination array gives each its own copy. */
static void
mirror(void **state)
{
	static const uint32_t to_array[5] = { STC_NOP0, STC_A, STC_TAG, STC_NOP6, STC_NOP7 };
	uint8_t group[0x400] = { 0 }, entry[0x340 + 16] = { 0 }, del[0x40] = { 0 };
	struct fixture f;
	uint32_t array, group_id;

	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	array = make_table(NIC_RX, false);
	put32(group + 0x14, array);
	group_id = bench_command(0x933, group, sizeof(group)) & 0xffffff;
	assert_int_equal(bench.status, 0);
	put32(entry + 0x14, array);
	put32(entry + 0x44, group_id);
	put32(entry + 0x4c, 1 << 2);
	put32(entry + 0x50, 2);
	put32(entry + 0x340, 2u << 24 | f.tir);
	put32(entry + 0x348, 2u << 24 | f.tir2);
	bench_command(0x936, entry, sizeof(entry));
	assert_int_equal(bench.status, 0);
	set_stc(f.stcs, STC_A, 3, 0x82, 0, array, 0);
	rule(f.rtc, 0, DST, to_array, 0, 0, 7, 0, 0);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 2);
	assert_int_equal(bench.out[0].tir, f.tir);
	assert_int_equal(bench.out[1].tir, f.tir2);
	assert_int_equal(bench.out[0].flow_tag, 7);
	assert_memory_equal(bench.out[0].data, frame, len);
	assert_memory_equal(bench.out[1].data, frame, len);
	set_stc(f.stcs, STC_A, 3, 0x83, 0, 0, 0);
	put32(del + 0x14, array);
	bench_command(0x938, del, sizeof(del));
	assert_int_equal(bench.status, 0);
	put32(del + 0x18, group_id);
	bench_command(0x934, del, sizeof(del));
	assert_int_equal(bench.status, 0);
	free_table(NIC_RX, array);
	fixture_close(&f);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		T(hit_and_miss),
		T(chain),
		T(action_ste),
		T(stc_rewritten),
		T(linear),
		T(hash_split),
		T(ste_array),
		T(write_through),
		T(transmit_side),
		T(mirror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
