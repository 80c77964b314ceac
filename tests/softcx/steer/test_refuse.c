/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Wrong commands: each is refused with a status and a line that names field and value, and leaves nothing
 * behind; and objects that are still pointed to are not destroyed.
 */
#include "bench.h"

#include <stdlib.h>

#include "softcx/core/object.h"

static uint8_t in[0x400];

static uint64_t
census(void)
{
	struct sc_census rows[SC_TYPES] = { 0 };
	uint64_t sum = 0;
	int i;

	sc_object_census(bench.dev, rows);
	for (i = 0; i < SC_TYPES; i++)
		sum += rows[i].objects * 1000003 + rows[i].refs;
	return sum;
}

static void
refused(uint16_t opcode, uint32_t len, const char *text)
{
	uint64_t before = census();

	bench_command(opcode, in, len);
	if (bench.status == 0)
		fail_msg("command 0x%x was not refused: %s", opcode, text);
	if (strstr(bench.dev->last_error, text) == NULL)
		fail_msg("command 0x%x says \"%s\", not \"%s\"", opcode, bench.dev->last_error, text);
	assert_int_equal(census(), before);
}

/* Start a command: zeroed, dword at 4. */
static void
begin(uint32_t dword_1)
{
	memset(in, 0, sizeof(in));
	put32(in + 4, dword_1);
}

static void
flow_tables(void **state)
{
	uint32_t rx = make_table(NIC_RX, true), tx = make_table(NIC_TX, true),
		 plain = make_table(NIC_RX, false);

	begin(0);
	put32(in + 0x10, 4u << 24);
	refused(0x930, 0x40, "table_type 4");
	put32(in + 0x10, 0);
	put32(in + 0x08, 1u << 31 | 3);
	refused(0x930, 0x40, "other_vport 1 vport_number 3");
	put32(in + 0x08, 0);
	put32(in + 0x18, 65u << 16);
	refused(0x930, 0x40, "level 65");
	put32(in + 0x18, 1u << 29);
	refused(0x930, 0x40, "sw_owner");
	put32(in + 0x18, 1u << 15 | 2u << 24);
	refused(0x930, 0x40, "table_miss_action 2");
	put32(in + 0x18, 1u << 15 | 1u << 24);
	put32(in + 0x1c, 0xffffff);
	refused(0x930, 0x40, "table_miss_id 0xffffff");
	put32(in + 0x1c, tx);
	refused(0x930, 0x40, "has table_type 1, the table has 0");
	put32(in + 0x18, 0);
	put32(in + 0x1c, 0);
	put32(in + 0x30, 7);
	refused(0x930, 0x40, "rtc_id_0 0x7 without rtc_valid");

	begin(0);
	put32(in + 0x14, rx);
	refused(0x93c, 0x40, "modify_field_select 0x0");
	put32(in + 0x0c, 4);
	refused(0x93c, 0x40, "modify_field_select 0x4");
	put32(in + 0x0c, 2);
	put32(in + 0x30, 0x1234);
	refused(0x93c, 0x40, "rtc_id_0 0x1234");
	put32(in + 0x30, 0);
	put32(in + 0x34, 5);
	refused(0x93c, 0x40, "rtc_id_1 0x5");
	put32(in + 0x34, 0);
	put32(in + 0x14, plain);
	refused(0x93c, 0x40, "without rtc_valid");
	put32(in + 0x14, 0xabcdef);
	refused(0x93c, 0x40, "table_id 0xabcdef");
	put32(in + 0x14, tx);
	refused(0x93c, 0x40, "has table_type 1, not 0");

	modify_table(NIC_RX, rx, 1, plain, 0);
	begin(0);
	put32(in + 0x14, plain);
	refused(0x931, 0x40, "still named by 1");
	modify_table(NIC_RX, rx, 1, 0, 0);
	free_table(NIC_RX, rx);
	free_table(NIC_RX, plain);
	free_table(NIC_TX, tx);
}

static void
ranges(void **state)
{
	uint32_t stcs = make_range(0x40, NIC_TX, 2);

	begin(0x42);
	put32(in + 0x20, 0xau << 16);
	refused(0xa00, 0x90, "ste table_type 0xa");
	put32(in + 0x20, 0);
	put32(in + 0x0c, 27u << 24);
	refused(0xa00, 0x90, "ste log_obj_range 27");
	put32(in + 0x0c, 1u << 31);
	refused(0xa00, 0x90, "alias_object");
	begin(0x40);
	put32(in + 0x0c, 17u << 24);
	refused(0xa00, 0x90, "stc log_obj_range 17");

	begin(0x40);
	put32(in + 0x08, stcs + 1);
	refused(0xa01, 0x90, "is no stc range");
	put32(in + 0x08, stcs);
	refused(0xa01, 0x90, "modify_field_select 0x0");
	put32(in + 0x14, 1);
	put32(in + 0x0c, 4);
	refused(0xa01, 0x90, "obj_offset 4");
	put32(in + 0x0c, 3);
	put32(in + 0x20, 3u << 8 | 0x00);
	refused(0xa01, 0x90, "ste_action_offset 3");
	put32(in + 0x20, 6u << 8 | 0x12);
	refused(0xa01, 0x90, "action_type 0x12 (ASO)");
	put32(in + 0x20, 3u << 8 | 0x85);
	refused(0xa01, 0x90, "action_type 0x85 (JUMP_TO_VPORT)");
	put32(in + 0x20, 3u << 24 | 3u << 8 | 0x83);
	refused(0xa01, 0x90, "reparse_mode 3");
	put32(in + 0x20, 3u << 8 | 0x82);
	put32(in + 0x30, 9);
	refused(0xa01, 0x90, "table_id 0x9");
	put32(in + 0x20, 3u << 8 | 0x81);
	refused(0xa01, 0x90, "jump to a tir in an stc range of table_type 1");
	put32(in + 0x20, 0u << 8 | 0x14);
	refused(0xa01, 0x90, "flow_counter_id 0x9");
	put32(in + 0x20, 6u << 8 | 0x06);
	put32(in + 0x30, 1u << 28 | 0x99u << 16);
	refused(0xa01, 0x90, "field 0x99");
	put32(in + 0x30, 2u << 28 | 0x0au << 16 | 8);
	refused(0xa01, 0x90, "action_type 2 in an stc of type 0x6");
	put32(in + 0x20, 5u << 8 | 0x08);
	put32(in + 0x30, 7u << 28 | 0x03u << 16 | 2);
	refused(0xa01, 0x90, "remove_start_anchor 0x3");
	put32(in + 0x20, 6u << 8 | 0x0e);
	put32(in + 0x30, 0x77);
	refused(0xa01, 0x90, "header_modify_pattern_id 0x77");
	free_object(0x40, stcs);
}

static void
definers_patterns_arguments(void **state)
{
	begin(0x18);
	refused(0xa00, 0x90, "format_id 0");
	put32(in + 0x20, 61);
	in[0x33] = 0x96; /* dword selector 0 */
	put32(in + 0x64 + 32, 1);
	refused(0xa00, 0x90, "format_select_dw0 0x96");
	begin(0x43);
	refused(0xa00, 0x90, "pattern_length 0");
	put32(in + 0x20, 65u << 24);
	refused(0xa00, 0x240, "pattern_length 65");
	put32(in + 0x20, 20u << 24);
	refused(0xa00, 0x90, "pattern_length 20 does not fit");
	put32(in + 0x20, 2u << 24);
	put32(in + 0x30, 6u << 28);
	put32(in + 0x38, 9u << 28);
	refused(0xa00, 0x90, "pattern command 1: action_type 9");
	begin(0x23);
	put32(in + 0x20, 0x4242);
	refused(0xa00, 0x70, "access_pd 0x4242");
	put32(in + 0x20, bench.pd);
	put32(in + 0x0c, 25u << 24);
	refused(0xa00, 0x70, "arg log_obj_range 25");
	begin(0x18);
	put32(in + 0x08, 99);
	refused(0xa03, 0x10, "obj_id 0x63 is no definer");
}

static void
rtcs(void **state)
{
	uint32_t stcs = make_range(0x40, NIC_RX, 2), stes = make_range(0x42, NIC_RX, 4),
		 tx = make_range(0x42, NIC_TX, 4);
	const struct rtc good = {.type = NIC_RX,
		.depth = 1,
		.rows = 2,
		.format = 4,
		.definer = SC_DEFINER_TRIVIAL,
		.stc = stcs,
		.ste = stes};
	struct definer far;
	struct rtc r;
	uint32_t id;

#define WRONG(field, v, text) do { \
		r = good; \
		r.field = v; \
		memset(in, 0, sizeof(in)); \
		rtc_body(in, &r); \
		refused(0xa00, 0x90, text); \
	} while (0)
	WRONG(type, 0xa, "rtc table_type 0xa");
	WRONG(update, 2, "update_index_mode 2");
	WRONG(access, 2, "access_index_mode 2");
	WRONG(access, 1, "linear access and update by hash");
	WRONG(reparse, 3, "reparse_mode 3");
	WRONG(nb_hash, 2, "num_hash_definer 2");
	WRONG(nb_hash, 1, "needs GENERATE_WQE");
	WRONG(format, 7, "ste_format_0 7");
	WRONG(depth, 7, "log_depth 7");
	WRONG(depth, 3, "log_hash_size 2 log_depth 3");
	WRONG(rows, 27, "log_hash_size 27");
	WRONG(first, 9, "ste_table_offset 9");
	WRONG(definer, 77, "match_definer_0 0x4d");
	WRONG(stc, stcs + 1, "stc_id");
	WRONG(ste, stes + 1, "ste_table_base_id");
	WRONG(ste, tx, "ste_table_base_id");
	WRONG(miss, 0x99, "miss_flow_table_id 0x99");
	memset(&far, 0, sizeof(far));
	put32(far.mask, 1);
	id = make_definer(&far);
	WRONG(definer, id, "dword selectors 6 to 8");
	free_object(0x18, id);
	id = make_rtc(&good);
	WRONG(first, 4, "belongs to rtc");
	begin(0x42);
	put32(in + 0x08, stes);
	refused(0xa03, 0x10, "still named by 1");
	begin(0x40);
	put32(in + 0x08, stcs);
	refused(0xa03, 0x10, "still named by 1");
	free_object(0x41, id);
	free_object(0x42, stes);
	free_object(0x42, tx);
	free_object(0x40, stcs);
}

/* Everything that points to a thing keeps it. */
static void
references(void **state)
{
	static const uint64_t nop[2] = { 6ull << 60, 6ull << 60 };
	uint32_t stcs = make_range(0x40, NIC_RX, 3), table = make_table(NIC_RX, true),
		 counters = make_counters(2);
	uint32_t pattern = make_pattern(nop, 2), arg = make_arg(2), stes = make_range(0x42, NIC_RX, 0),
		 tir = make_tir();

	set_stc(stcs, 0, 3, 0x82, 0, table, 0);
	set_stc(stcs, 1, 0, 0x14, 0, counters, 0);
	set_stc(stcs, 2, 6, 0x0e, 0, pattern, arg);
	set_stc(stcs, 3, 3, 0x80, 0, stes, SC_DEFINER_TRIVIAL);
	set_stc(stcs, 4, 3, 0x81, 0, tir, 0);
	begin(0);
	put32(in + 0x14, table);
	refused(0x931, 0x40, "flow_table");
	begin(0);
	put32(in + 0x08, counters);
	refused(0x93a, 0x10, "flow_counter");
	begin(0x43);
	put32(in + 0x08, pattern);
	refused(0xa03, 0x10, "pattern");
	begin(0x23);
	put32(in + 0x08, arg);
	refused(0xa03, 0x10, "arg");
	begin(0x42);
	put32(in + 0x08, stes);
	refused(0xa03, 0x10, "ste");
	assert_int_equal(((struct sc_object *)sc_object_find(bench.dev, SC_TIR, tir))->refs, 1);
	set_stc(stcs, 0, 3, 0x82, 0, table, 0); /* onto itself: still one reference */
	set_stc(stcs, 0, 3, 0x83, 0, 0, 0);
	free_table(NIC_RX, table);
	free_object(0x40, stcs); /* the range lets go of the rest */
	free_counters(counters);
	free_object(0x43, pattern);
	free_object(0x23, arg);
	free_object(0x42, stes);
	free_tir(tir);
}

static void
groups_and_entries(void **state)
{
	uint32_t rtc_table = make_table(NIC_RX, true), plain = make_table(NIC_RX, false), group;

	begin(0);
	put32(in + 0x14, rtc_table);
	refused(0x933, 0x400, "holds no groups");
	put32(in + 0x14, plain);
	put32(in + 0x24, 16);
	refused(0x933, 0x400, "0 to 16 do not fit");
	put32(in + 0x24, 3);
	put32(in + 0x3c, 1);
	in[0x40 + 0x18] = 0x80;
	refused(0x933, 0x400, "byte 0x18");
	in[0x40 + 0x18] = 0;
	group = bench_command(0x933, in, 0x400) & 0xffffff;
	assert_int_equal(bench.status, 0);
	put32(in + 0x1c, 3);
	put32(in + 0x24, 5);
	refused(0x933, 0x400, "are in group");
	begin(0);
	put32(in + 0x14, plain);
	put32(in + 0x44, group + 1);
	refused(0x936, 0x340, "is no group");
	put32(in + 0x44, group);
	put32(in + 0x20, 4);
	refused(0x936, 0x340, "flow_index 4");
	put32(in + 0x20, 1);
	refused(0x936, 0x340, "action 0x0");
	put32(in + 0x4c, 1 << 2);
	refused(0x936, 0x340, "destination_list_size 0");
	put32(in + 0x50, 1);
	refused(0x936, 0x340, "1 destinations and 0 counters do not fit");
	put32(in + 0x340, 2u << 24 | 0x77);
	refused(0x936, 0x350, "destination_id 0x77 of type 2");
	put32(in + 0x340, 8u << 24);
	refused(0x936, 0x350, "destination_type 8");
	put32(in + 0x4c, 1 << 1);
	put32(in + 0x50, 0);
	bench_command(0x936, in, 0x340);
	assert_int_equal(bench.status, 0);
	refused(0x936, 0x340, "flow_index 1 is in use");
	begin(0);
	put32(in + 0x14, plain);
	refused(0x931, 0x40, "still has flow groups");
	put32(in + 0x18, group);
	refused(0x934, 0x40, "still has entries");
	put32(in + 0x20, 2);
	refused(0x938, 0x40, "flow_index 2");
	put32(in + 0x20, 1);
	bench_command(0x938, in, 0x40);
	assert_int_equal(bench.status, 0);
	bench_command(0x934, in, 0x40);
	assert_int_equal(bench.status, 0);
	free_table(NIC_RX, plain);
	free_table(NIC_RX, rtc_table);
}

static void
counters(void **state)
{
	uint32_t id = make_counters(2);

	begin(0);
	put32(in + 0x0c, 25u << 8);
	refused(0x939, 0x10, "flow_counter_bulk_log_size 25");
	put32(in + 0x0c, 1u << 8 | 2);
	refused(0x939, 0x10, "flow_counter_bulk 0x2");
	begin(0);
	put32(in + 0x08, 0x555);
	refused(0x939, 0x10, "pd 0x555");
	begin(0);
	put32(in + 0x18, 5);
	put32(in + 0x1c, id);
	refused(0x93b, 0x20, "num_of_counters 5");
	put32(in + 0x18, 1u << 30 | 1);
	put32(in + 0x0c, 0x1234);
	refused(0x93b, 0x20, "mkey 0x1234");
	begin(0);
	put32(in + 0x08, id + 1);
	refused(0x93a, 0x10, "is no counter bulk");
	free_counters(id);
}

/* What the older model does not offer it refuses, though the newer takes it. */
static void
older_model(void **state)
{
	uint32_t stcs = make_range(0x40, NIC_RX, 2), stes = make_range(0x42, NIC_RX, 4);
	const struct rtc good = {.type = NIC_RX,
		.update = 1,
		.nb_hash = 1,
		.rows = 2,
		.format = 4,
		.stc = stcs,
		.ste = stes,
		.definer = SC_DEFINER_LINEAR};
	struct rtc r;

	WRONG(access, 1, "no linear tables");
	WRONG(access, 0, "no hash-split tables");
	begin(0x40);
	put32(in + 0x08, stcs);
	put32(in + 0x14, 1);
	put32(in + 0x20, 6u << 8 | 0x1b);
	put32(in + 0x30, 8u << 28 | 0x51u << 16);
	put32(in + 0x34, 0x52u << 16);
	refused(0xa01, 0x90, "action_type 0x1b (ADD_FIELD)");
	begin(0x18);
	put32(in + 0x20, 61);
	in[0x34] = 0x40; /* dword selector 7 */
	put32(in + 0x64 + 4, 1);
	refused(0xa00, 0x90, "format_select_dw7 0x40");
	free_object(0x42, stes);
	free_object(0x40, stcs);
}

/* A user context that ends leaves nothing, whatever pointed to what. */
static void
release(void **state)
{
	uint64_t before = census();
	struct sc_object *object;
	struct fixture f;
	enum sc_type type;
	static const struct definer by_dst = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0xff, 0xff } };
	uint32_t tir, tir2;

	fixture_open(&f, NIC_RX, &by_dst, false, 4, 2);
	tir = f.tir;
	tir2 = f.tir2;
	for (type = SC_FLOW_COUNTER; type < SC_TYPES; type++)
		for (object = sc_object_next(bench.dev, type, UINT32_MAX); object != NULL;
				object = sc_object_next(bench.dev, type, object->id))
			if (!(type == SC_DEFINER && object->id <= SC_DEFINER_LINEAR))
				object->uid = 9;
	sc_steer_release(bench.dev, 8);
	assert_int_not_equal(census(), before);
	sc_steer_release(bench.dev, 9);
	free_tir(tir);
	free_tir(tir2);
	assert_int_equal(census(), before);
}

/* An ordinary table whose one entry sends two copies back into it: a frame and its copies have one limit. */
static void
circle(void **state)
{
	uint32_t table = make_table(NIC_RX, false), group;
	struct sc_object *object = sc_object_find(bench.dev, SC_FLOW_TABLE, table);
	struct sc_root_action jump = { .type = SC_ROOT_DEST, .object = object };
	uint8_t any[0x200] = { 0 }, frame[60] = { 0 };
	struct sc_root_matcher *matcher;
	struct sc_root_rule *rule;
	struct sc_steer_stats stats;

	begin(0);
	put32(in + 0x14, table);
	group = bench_command(0x933, in, 0x400) & 0xffffff;
	begin(0);
	put32(in + 0x14, table);
	put32(in + 0x44, group);
	put32(in + 0x4c, 1 << 2);
	put32(in + 0x50, 2);
	put32(in + 0x340, 1u << 24 | table);
	put32(in + 0x348, 1u << 24 | table);
	bench_command(0x936, in, 0x350);
	assert_int_equal(bench.status, 0);
	assert_int_equal(sc_root_matcher_create(bench.dev, 0, SC_DOMAIN_RX, 0, 0, any, sizeof(any), &matcher), 0);
	assert_int_equal(sc_root_rule_create(matcher, 0, any, sizeof(any), &jump, 1, &rule), 0);
	receive(frame, sizeof(frame)); /* comes back at all */
	sc_steer_stats_get(bench.dev, &stats);
	assert_true(stats.loop_drops > 0 && stats.loop_drops <= 2 * SC_WALK_LIMIT);
	assert_int_equal(sc_root_rule_destroy(rule), 0);
	assert_int_equal(sc_root_matcher_destroy(matcher), 0);
	begin(0);
	put32(in + 0x14, table);
	bench_command(0x938, in, 0x40);
	assert_int_equal(bench.status, 0);
	put32(in + 0x18, group);
	bench_command(0x934, in, 0x40);
	assert_int_equal(bench.status, 0);
	free_table(NIC_RX, table);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		T(flow_tables),
		T(ranges),
		T(definers_patterns_arguments),
		T(rtcs),
		T(references),
		T(groups_and_entries),
		T(counters),
		T(release),
		T(circle),
		cmocka_unit_test_setup_teardown(older_model, bench_open_cx6dx, bench_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
