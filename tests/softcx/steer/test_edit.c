/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Modify commands on frames: every field against the bytes of the manual's headers, checksums against a full
 * recomputation, moving anchors, and the lists that the engines build (hws.md 8.6-8.8, 8.12).
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frames.h"
#include "softcx/steer/checksum.h"
#include "softcx/steer/edit.h"
#include "softcx/steer/field.h"

static struct sc_packet pkt;
static struct sc_parse parse;

static void
load(const char *hex)
{
	sc_packet_reset(&pkt);
	pkt.len = unhex(hex, pkt.data);
	sc_parse_frame(pkt.data, pkt.len, &parse);
}

static uint64_t
set(uint32_t field, uint32_t offset, uint32_t length, uint32_t data)
{
	return (uint64_t)(1u << 28 | field << 16 | offset << 8 | length) << 32 | data;
}

static uint64_t
add(uint32_t field, uint32_t offset, uint32_t length, uint32_t data)
{
	return (uint64_t)(2u << 28 | field << 16 | offset << 8 | length) << 32 | data;
}

static uint64_t
copy(uint32_t src, uint32_t src_offset, uint32_t length, uint32_t dst, uint32_t dst_offset)
{
	return (uint64_t)(3u << 28 | src << 16 | src_offset << 8 | length) << 32 | dst << 16 | dst_offset << 8;
}

/* bytes of inline data: 4 */
static uint64_t
insert(uint32_t anchor, uint32_t data)
{
	return (uint64_t)(4u << 28 | 1u << 26 | anchor << 16 | 2) << 32 | data;
}

static uint64_t
cut(uint32_t from, uint32_t to)
{
	return (uint64_t)(5u << 28 | from << 16 | to << 8) << 32;
}

static uint64_t
cut_words(uint32_t anchor, uint32_t words)
{
	return (uint64_t)(7u << 28 | anchor << 16 | words) << 32;
}

static int
run(uint64_t command)
{
	struct sc_edit edit;
	uint8_t bytes[8];
	char why[128];

	put32(bytes, (uint32_t)(command >> 32));
	put32(bytes + 4, (uint32_t)command);
	if (sc_edit_decode(bytes, &edit, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	return sc_edit_run(&edit, &pkt, &parse, (uint32_t)command, NULL);
}

static void
reparse(void)
{
	sc_parse_frame(pkt.data, pkt.len, &parse);
}

/* Both levels' checksums recomputed in full agree with what is in the frame. */
static void
check_sums(void)
{
	struct sc_parse now;

	sc_parse_frame(pkt.data, pkt.len, &now);
	sc_parse_verify(pkt.data, pkt.len, &now);
	if (now.outer.l3_type == SC_L3_IPV4)
		assert_true(now.outer.l3_checksum_ok);
	if (now.inner.l3_type == SC_L3_IPV4)
		assert_true(now.inner.l3_checksum_ok);
	if (now.inner.l4_type == SC_L4_TCP || now.inner.l4_type == SC_L4_UDP)
		assert_true(now.inner.l4_checksum_ok);
	else if (now.outer.l4_type == SC_L4_TCP || now.outer.l4_type == SC_L4_UDP)
		assert_true(now.outer.l4_checksum_ok);
}

/* field, frame, byte where its dword begins, bits there; sums: stays valid (lengths and types do not) */
struct row {
	uint32_t field;
	const char *frame;
	uint32_t at, hi, width;
	bool sums;
};

static const struct row rows[] = {
	{0x01, UDP4, 6, 31, 32, true},
	{0x02, UDP4, 8, 15, 16, true},
	{0x03, UDP4, 12, 31, 16, false},
	{0x04, UDP4, 0, 31, 32, true},
	{0x05, UDP4, 4, 31, 16, true},
	{0x06, UDP4, 14, 23, 6, true},
	{0x06, TCP6, 14, 27, 6, true},
	{0x73, UDP4, 14, 17, 2, true},
	{0x0a, UDP4, 22, 31, 8, true},
	{0x47, TCP6, 18, 7, 8, true},
	{0x4a, UDP4, 22, 23, 8, false},
	{0x07, TCP4, 46, 24, 9, true},
	{0x08, TCP4, 34, 31, 16, true},
	{0x09, TCP4, 34, 15, 16, true},
	{0x0b, UDP6, 54, 31, 16, true},
	{0x0c, UDP4, 34, 15, 16, true},
	{0x0d, UDP6, 22, 31, 32, true},
	{0x0e, UDP6, 26, 31, 32, true},
	{0x0f, UDP6, 30, 31, 32, true},
	{0x10, UDP6, 34, 31, 32, true},
	{0x11, TCP6, 38, 31, 32, true},
	{0x12, TCP6, 42, 31, 32, true},
	{0x13, TCP6, 46, 31, 32, true},
	{0x14, TCP6, 50, 31, 32, true},
	{0x15, TCP4, 26, 31, 32, true},
	{0x16, UDP4, 30, 31, 32, true},
	{0x17, VLAN_UDP4, 12, 15, 16, true},
	{0x59, TCP4, 38, 31, 32, true},
	{0x5b, TCP4, 42, 31, 32, true},
	{0x11c, TCP6, 14, 27, 8, true},
	{0x11d, UDP4, 14, 15, 16, false},
	{0x11e, TCP6, 18, 31, 16, false},
	{0x11f, UDP4, 14, 27, 4, false},
	{0x120, TCP4, 46, 31, 4, false},
	{0x127, TCP6, 14, 19, 20, true},
	{0x5e, ESP, 34, 31, 32, true},
	{0x82, ESP, 38, 31, 32, true},
	{0x31, VXLAN, 56, 31, 32, true},
	{0x32, VXLAN, 58, 15, 16, true},
	{0x34, VXLAN, 50, 31, 32, true},
	{0x35, VXLAN, 54, 31, 16, true},
	{0x3a, VXLAN, 72, 31, 8, true},
	{0x45, VXLAN, 76, 31, 32, true},
	{0x46, VXLAN, 80, 31, 32, true},
	{0x3b, VXLAN, 84, 31, 16, true},
	{0x3c, VXLAN, 84, 15, 16, true},
	{0x3d, VXLAN_TCP6, 72, 31, 32, true},
	{0x38, VXLAN_TCP6, 104, 31, 16, true},
	{0x75, VXLAN, 46, 31, 32, true},
	{0x6e, GTPU, 46, 31, 32, true},
	{0x8a, MPLS_UDP, 42, 31, 32, false},
	{0x8b, MPLS_UDP, 46, 31, 32, false},
};

static uint32_t
field_bits(const struct row *r)
{
	return get32(pkt.data + r->at) >> (r->hi + 1 - r->width) &
	       (r->width == 32 ? UINT32_MAX : (1u << r->width) - 1);
}

static void
fields(void **state)
{
	uint32_t value, mask, before, i;

	srand(3);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		mask = r->width == 32 ? UINT32_MAX : (1u << r->width) - 1;
		value = ((uint32_t)rand() << 8 ^ (uint32_t)rand()) & mask;
		load(r->frame);
		assert_int_equal(run(set(r->field, 0, r->width & 31, value)), 0);
		if (field_bits(r) != value)
			fail_msg("field 0x%x: 0x%x, not 0x%x", r->field, field_bits(r), value);
		if (r->sums)
			check_sums();
		assert_int_equal(run(add(r->field, 0, r->width & 31, 0xfffffff5)), 0);
		assert_int_equal(field_bits(r), (value - 11) & mask);
		if (r->sums)
			check_sums();
		/* copies out and back */
		before = field_bits(r);
		assert_int_equal(run(copy(r->field, 0, r->width & 31, 0x53, 0)), 0);
		assert_int_equal(pkt.reg[SC_REG_C_0 + 2] & mask, before);
		assert_int_equal(run(set(r->field, 0, r->width & 31, 0)), 0);
		assert_int_equal(run(copy(0x53, 0, r->width & 31, r->field, 0)), 0);
		assert_int_equal(field_bits(r), before);
		if (r->sums)
			check_sums();
	}
}

static void
part_of_a_field(void **state)
{
	load(VLAN_UDP4);
	run(set(0x17, 0, 12, 0xabc)); /* VID */
	assert_int_equal(sc_load16(pkt.data + 14), 0xaabc);
	run(set(0x17, 13, 3, 3)); /* PCP */
	assert_int_equal(sc_load16(pkt.data + 14), 0x6abc);
	pkt.reg[SC_REG_C_0] = 0x11223344;
	run(copy(0x51, 8, 16, 0x52, 4));
	assert_int_equal(pkt.reg[SC_REG_C_0 + 1], 0x00022330);
	run(add(0x51, 0, 8, 0xff));
	assert_int_equal(pkt.reg[SC_REG_C_0], 0x11223343); /* no carry out of the bits named */
	load(TCP4);
	run(set(0x0b, 0, 16, 5)); /* UDP source port is the same place */
	assert_int_equal(sc_load16(pkt.data + 34), 5);
	check_sums();
}

static void
absent_fields(void **state)
{
	uint8_t before[FRAME_MAX];

	load(TCP4);
	memcpy(before, pkt.data, pkt.len);
	run(set(0x0d, 0, 0, 1)); /* IPv6 source */
	run(set(0x45, 0, 0, 1)); /* inner IPv4 source */
	run(set(0x17, 0, 12, 1)); /* VLAN */
	run(cut_words(0x02, 2));
	assert_memory_equal(pkt.data, before, pkt.len);
}

/* A UDP checksum of 0 stays 0, one that becomes 0 is sent as 0xffff. */
static void
udp_zero(void **state)
{
	uint32_t port;

	load(UDP4);
	sc_store16(pkt.data + 40, 0);
	run(set(0x15, 0, 0, 0x01020304));
	assert_int_equal(sc_load16(pkt.data + 40), 0);
	load(UDP4);
	for (port = 0; port < 65536; port++) {
		run(set(0x0b, 0, 16, port));
		assert_int_not_equal(sc_load16(pkt.data + 40), 0);
	}
	check_sums();
}

/* Insertions at packet start come out in reverse order, at a header in forward order. */
static void
anchors(void **state)
{
	load(UDP4);
	run(insert(0x00, 0xaaaaaaaa));
	run(insert(0x00, 0xbbbbbbbb));
	assert_int_equal(get32(pkt.data), 0xbbbbbbbb);
	assert_int_equal(get32(pkt.data + 4), 0xaaaaaaaa);
	load(UDP4);
	run(insert(0x07, 0xaaaaaaaa));
	run(insert(0x07, 0xbbbbbbbb));
	assert_int_equal(get32(pkt.data + 14), 0xaaaaaaaa);
	assert_int_equal(get32(pkt.data + 18), 0xbbbbbbbb);
	assert_int_equal(pkt.data[22], 0x45);
	run(set(0x0a, 0, 8, 7)); /* fields move with their header */
	assert_int_equal(pkt.data[30], 7);
	run(cut(0x07, 0x09));
	assert_int_equal(sc_load16(pkt.data + 22), 1111); /* the UDP header */
	assert_int_equal(pkt.len, 58 + 8 - 20);
	assert_int_not_equal(run(cut(0x09, 0x1a)), 0); /* no inner header to cut to */
}

/* The list of 8.7 for a 14-byte header: REMOVE to the inner IP, four inserts from the end on, two bytes too
 * many cut. */
static void
l3_decap(void **state)
{
	static const uint8_t header[14] = { 2, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 8, 0 };
	uint8_t inner[FRAME_MAX];
	uint32_t len;

	load(GRE_KEY);
	len = pkt.len - parse.inner.l3;
	memcpy(inner, pkt.data + parse.inner.l3, len);
	assert_int_equal(run(cut(0x00, 0x19)), 0);
	run(insert(0x00, get32(header + 10)));
	run(insert(0x00, get32(header + 6)));
	run(insert(0x00, get32(header + 2)));
	run(insert(0x00, (uint32_t)header[0] << 8 | header[1]));
	run(cut_words(0x00, 1));
	assert_int_equal(pkt.len, len + 14);
	assert_memory_equal(pkt.data, header, 14);
	assert_memory_equal(pkt.data + 14, inner, len);
	reparse();
	assert_int_equal(parse.outer.l3_type, SC_L3_IPV4);
	check_sums();
}

/* The four lists of 8.12, 64:ff9b::/96: what comes out is a right frame of the other version. */
static void
nat64_to_6(const char *frame)
{
	uint32_t i, src, dst;
	uint16_t l4_sum;

	load(frame);
	src = get32(pkt.data + 26);
	dst = get32(pkt.data + 30);
	/* 1 */
	run(copy(0x15, 0, 0, 0x58, 0)); /* addresses into REG_C_7, C_8 */
	run(copy(0x16, 0, 0, 0x8f, 0));
	run(copy(0x11d, 0, 16, 0x57, 0));
	run(copy(0x4a, 0, 8, 0x57, 16));
	run(copy(0x06, 0, 6, 0x57, 24));
	run(copy(0x73, 0, 2, 0x57, 30));
	run(set(0x15, 0, 0, 0));
	run(set(0x16, 0, 0, 0));
	/* 2 */
	run(set(0x03, 0, 16, 0x86dd));
	run(insert(0x07, 0x60000000));
	run(insert(0x07, 0x00000100));
	for (i = 0; i < 2; i++) {
		run(insert(0x07, 0x0064ff9b));
		run(insert(0x07, 0));
		run(insert(0x07, 0));
		run(insert(0x07, 0));
	}
	assert_int_equal(run(cut(0x07, 0x09)), 0);
	reparse();
	/* 3 */
	run(copy(0x57, 16, 8, 0x4a, 0));
	reparse();
	/* 4 */
	run(copy(0x57, 0, 16, 0x11e, 0));
	run(set(0x47, 0, 8, 64));
	run(copy(0x58, 0, 0, 0x10, 0));
	run(copy(0x8f, 0, 0, 0x14, 0));
	run(add(0x11e, 0, 16, 0xffffffec));
	reparse();
	assert_int_equal(parse.outer.l3_type, SC_L3_IPV6);
	assert_true(parse.outer.l3_ok && parse.outer.l4_ok);
	assert_int_equal(pkt.data[21], 64);
	assert_int_equal(get32(pkt.data + 22), 0x0064ff9b);
	assert_int_equal(get32(pkt.data + 34), src);
	assert_int_equal(get32(pkt.data + 50), dst);
	check_sums();
	l4_sum = sc_load16(pkt.data + 54 + (parse.outer.l4_type == SC_L4_TCP ? 16 : 6));
	assert_int_not_equal(l4_sum, 0);
}

static void
nat64_to_4(void)
{
	run(copy(0x10, 0, 0, 0x58, 0));
	run(copy(0x14, 0, 0, 0x8f, 0));
	run(copy(0x11e, 0, 16, 0x57, 0));
	run(copy(0x4a, 0, 8, 0x57, 16));
	for (uint32_t i = 0; i < 8; i++)
		run(set(0x0d + i, 0, 0, 0));
	run(set(0x03, 0, 16, 0x0800));
	run(insert(0x07, 0x45000000));
	run(insert(0x07, 0));
	run(insert(0x07, 0x0000baff));
	run(insert(0x07, 0));
	run(insert(0x07, 0));
	assert_int_equal(run(cut(0x07, 0x09)), 0);
	reparse();
	run(copy(0x57, 16, 8, 0x4a, 0));
	reparse();
	run(copy(0x57, 0, 16, 0x11d, 0));
	run(set(0x0a, 0, 8, 64));
	run(copy(0x58, 0, 0, 0x15, 0));
	run(copy(0x8f, 0, 0, 0x16, 0));
	run(add(0x11d, 0, 16, 20));
	reparse();
	assert_int_equal(parse.outer.l3_type, SC_L3_IPV4);
	assert_true(parse.outer.l3_ok && parse.outer.l4_ok);
	check_sums();
}

static void
nat64(void **state)
{
	nat64_to_6(UDP4);
	nat64_to_4();
	assert_int_equal(get32(pkt.data + 26), 0x0a010203);
	assert_int_equal(get32(pkt.data + 30), 0xc0a80709);
	nat64_to_6(TCP4);
	nat64_to_4();
	assert_int_equal(get32(pkt.data + 30), 0xc0a80709);
}

/* What is inserted as encapsulation gets its lengths and header checksum; a source port of 0 gets entropy. */
static void
encap(void **state)
{
	uint8_t header[50] = { 0 }, command[8] = { 0 }, first[8];
	struct sc_edit edit;
	char why[128];

	header[0] = header[6] = 2;
	header[12] = 0x08;
	header[14] = 0x45;
	header[22] = 64;
	header[23] = 17;
	header[26] = 1;
	header[30] = 2;
	sc_store16(header + 36, 4789);
	header[42] = 0x08;
	put32(command, 4u << 28 | 1u << 27 | sizeof(header) / 2);
	assert_int_equal(sc_edit_decode(command, &edit, why, sizeof(why)), 0);
	load(TCP4);
	assert_int_equal(sc_edit_run(&edit, &pkt, &parse, 0, header), 0);
	reparse();
	assert_int_equal(parse.tunnel_type, SC_TUNNEL_VXLAN);
	assert_true(parse.outer.l3_ok && parse.outer.l4_ok);
	assert_int_equal(sc_load16(pkt.data + 16), pkt.len - 14);
	assert_int_equal(sc_load16(pkt.data + 38), pkt.len - 34);
	assert_int_equal(sc_load16(pkt.data + 40), 0);
	assert_true(sc_load16(pkt.data + 34) >= 0xc000);
	check_sums();
	memcpy(first, pkt.data + 34, 2);
	load(TCP4); /* the same flow has the same entropy */
	sc_edit_run(&edit, &pkt, &parse, 0, header);
	assert_memory_equal(first, pkt.data + 34, 2);
	sc_store16(header + 34, 777);
	load(TCP4);
	sc_edit_run(&edit, &pkt, &parse, 0, header);
	assert_int_equal(sc_load16(pkt.data + 34), 777);
}

/* More headers than the headroom holds, then more than a frame may hold. */
static void
room(void **state)
{
	uint32_t i, grown = 0;
	uint8_t tail[16];

	load(UDP4);
	memcpy(tail, pkt.data + pkt.len - 16, 16);
	for (i = 0; i < SC_PACKET_MAX / 4; i++)
		grown += run(insert(0x00, i)) == 0;
	assert_true(pkt.len <= SC_PACKET_MAX && pkt.len > SC_PACKET_MAX - 4);
	assert_int_equal(pkt.len, 58 + 4 * grown);
	assert_memory_equal(pkt.data + pkt.len - 16, tail, 16);
	assert_int_equal(get32(pkt.data), grown - 1);
	assert_int_equal(get32(pkt.data + 4 * (grown - 1)), 0);
}

static uint64_t
random_command(uint32_t field)
{
	uint32_t width = sc_field_width(sc_field_find((uint16_t)field)), length = 1 + (uint32_t)rand() % width;

	return (rand() & 1 ? set : add)(field, 0, length % 32, (uint32_t)rand() << 1);
}

/* Bits beyond the end of a field are refused. */
static void
too_long(void **state)
{
	static const uint64_t wrong[] = {
		(uint64_t)(1u << 28 | 0x0au << 16 | 9) << 32,           /* 9 bits of TTL */
		(uint64_t)(1u << 28 | 0x0au << 16 | 1u << 8 | 8) << 32, /* 8 bits from bit 1 on */
		(uint64_t)(2u << 28 | 0x17u << 16) << 32,               /* 32 bits of a TCI */
		(uint64_t)(3u << 28 | 0x51u << 16) << 32 | 0x08u << 16, /* 32 bits of a register to a port */
	};
	struct sc_edit edit;
	uint8_t bytes[8];
	char why[128];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		put32(bytes, (uint32_t)(wrong[i] >> 32));
		put32(bytes + 4, (uint32_t)wrong[i]);
		assert_int_equal(sc_edit_decode(bytes, &edit, why, sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, "bits"));
	}
}

static void
random_lists(void **state)
{
	static const uint32_t safe[] = {
		0x01, 0x06, 0x73, 0x0a, 0x15, 0x16, 0x08, 0x09, 0x0d, 0x11, 0x14, 0x59, 0x5b, 0x07};
	static const char *const frames[] = { UDP4, TCP4, UDP6, TCP6, VLAN_UDP4 };
	unsigned int seed = (unsigned int)getpid();
	uint32_t i, k;

	print_message("seed %u\n", seed);
	srand(seed);
	for (i = 0; i < 2000; i++) {
		load(frames[rand() % 5]);
		for (k = 0; k < 8; k++)
			run(random_command(safe[rand() % 14]));
		check_sums();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(part_of_a_field),
		cmocka_unit_test(absent_fields),
		cmocka_unit_test(udp_zero),
		cmocka_unit_test(anchors),
		cmocka_unit_test(l3_decap),
		cmocka_unit_test(nat64),
		cmocka_unit_test(encap),
		cmocka_unit_test(room),
		cmocka_unit_test(too_long),
		cmocka_unit_test(random_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
