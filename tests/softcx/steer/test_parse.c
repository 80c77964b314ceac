/* SPDX-License-Identifier: BSD-3-Clause */

/* The parser and the header layout: frames made by scapy, positions typed from hws.md section 3. */
#include "bench.h"

#include "frames.h"
#include "softcx/steer/hl.h"

static uint8_t hl[SC_HL_BYTES];
static struct sc_parse parse;
static struct sc_packet pkt;

static void
show(const char *hex)
{
	sc_packet_reset(&pkt);
	pkt.len = unhex(hex, pkt.data);
	sc_parse_frame(pkt.data, pkt.len, &parse);
	sc_parse_verify(pkt.data, pkt.len, &parse);
	sc_hl_fill(hl, &pkt, &parse, 0xbeef);
}

/* Bits of the dword at this byte offset. */
static uint32_t
bits(uint32_t at, uint32_t hi, uint32_t width)
{
	return get32(hl + at) >> (hi + 1 - width) & (width == 32 ? UINT32_MAX : (1u << width) - 1);
}

struct expect {
	uint32_t at, hi, width, value;
};

static void
check(const char *name, const char *hex, const struct expect *expect, size_t nb)
{
	size_t i;

	show(hex);
	for (i = 0; i < nb; i++)
		if (bits(expect[i].at, expect[i].hi, expect[i].width) != expect[i].value)
			fail_msg("%s: 0x%x.%u w%u is 0x%x, not 0x%x", name, expect[i].at, expect[i].hi,
				expect[i].width, bits(expect[i].at, expect[i].hi, expect[i].width),
				expect[i].value);
}

#define CHECK(frame, ...) do { \
		static const struct expect e_[] = { __VA_ARGS__ }; \
		check(#frame, frame, e_, sizeof(e_) / sizeof(e_[0])); \
	} while (0)

static void
layer_2(void **state)
{
	CHECK(UDP4, { 0x00, 31, 32, 0x02112233 }, { 0x04, 31, 16, 0x4455 }, { 0x04, 15, 16, 0x0800 },
		{ 0x20, 31, 32, 0x02aabbcc }, { 0x24, 31, 16, 0xddee }, { 0x08, 21, 2, 1 }, { 0x08, 19, 2, 2 },
		{ 0x08, 17, 2, 0 }, { 0x0c, 31, 4, 2 }, { 0x08, 28, 1, 0 });
	CHECK(VLAN_UDP4, {0x04, 15, 16, 0x0800}, {0x08, 17, 2, 2}, {0x08, 15, 16, 0xa064}, {0x0c, 17, 2, 0});
	CHECK(QINQ_UDP4, {0x04, 15, 16, 0x0800}, {0x08, 17, 2, 1}, {0x08, 15, 16, 0x2007}, {0x0c, 17, 2, 2},
		{0x0c, 15, 16, 0xa064});
	CHECK(ARP, { 0x04, 15, 16, 0x0806 }, { 0x08, 21, 2, 0 }, { 0x38, 31, 32, 0 });
}

static void
layer_3(void **state)
{
	CHECK(UDP4, {0x38, 31, 4, 4}, {0x38, 27, 4, 5}, {0x38, 23, 8, 0x2b}, {0x38, 15, 8, 61},
		{0x38, 7, 8, 17}, {0x3c, 31, 16, 0x1234}, {0x40, 31, 16, 44}, {0x48, 31, 16, 44},
		{0x100, 31, 32, 0x0a010203}, {0x104, 31, 32, 0xc0a80709}, {0x4c, 31, 32, 0});
	CHECK(UDP6, {0x38, 31, 4, 6}, {0x38, 23, 8, 0x5a}, {0x38, 15, 8, 33}, {0x38, 7, 8, 17},
		{0x44, 19, 20, 0x12345}, {0x48, 15, 16, 24}, {0x110, 31, 32, 0x20010db8}, {0x11c, 31, 32, 9},
		{0x130, 31, 32, 0x20010db8}, {0x13c, 31, 32, 0x00010002}, {0x08, 21, 2, 2});
}

static void
layer_4(void **state)
{
	CHECK(UDP4, { 0x60, 31, 16, 1111 }, { 0x60, 15, 16, 4242 }, { 0x64, 27, 1, 1 }, { 0x64, 26, 1, 1 });
	CHECK(TCP4, {0x60, 31, 16, 1111}, {0x60, 15, 16, 80}, {0x64, 31, 4, 5}, {0x64, 23, 8, 0x12},
		{0x178, 31, 32, 0x01020304}, {0x17c, 31, 32, 0x0a0b0c0d}, {0x180, 31, 16, 0x1122},
		{0x08, 19, 2, 1}, {0x0c, 31, 4, 1});
	CHECK(ICMP4, {0x178, 31, 16, 0x0800}, {0x17c, 31, 32, 0x00770099}, {0x0c, 31, 4, 3},
		{0x08, 19, 2, 0});
	CHECK(ICMP6, {0x178, 31, 16, 0x8000}, {0x17c, 31, 32, 0x00770099}, {0x0c, 31, 4, 3},
		{0x38, 7, 8, 58});
	CHECK(ESP, {0x1e0, 31, 32, 0x01020304}, {0x1e4, 31, 32, 0x0a0b0c0d}, {0x08, 19, 2, 3},
		{0x38, 7, 8, 50});
}

static void
over_udp(void **state)
{
	CHECK(ROCE, { 0x78, 31, 32, 0x64123456 }, { 0x7c, 31, 1, 1 }, { 0x7c, 29, 1, 1 }, { 0x7c, 26, 1, 1 },
		{ 0x7c, 15, 16, 0xffee });
	CHECK(ESP_UDP, { 0x1e0, 31, 32, 0x01020304 }, { 0x1e4, 31, 32, 0x0a0b0c0d }, { 0x08, 19, 2, 2 });
	CHECK(UDP4, { 0x78, 31, 32, 0 }, { 0x1e0, 31, 32, 0 });
}

static void
tunnels(void **state)
{
	CHECK(VXLAN, {0x184, 31, 32, 0x08000000}, {0x188, 31, 32, 0x12345600}, {0x60, 15, 16, 4789},
		{0x10, 31, 32, 0x02666666}, {0x28, 31, 32, 0x02777777}, {0x14, 15, 16, 0x0800},
		{0x18, 21, 2, 1}, {0x4c, 15, 8, 9}, {0x108, 31, 32, 0x01010101}, {0x10c, 31, 32, 0x02020202},
		{0x68, 31, 32, 0x000a0014}, {0x84, 6, 1, 1}, {0x84, 12, 1, 1}, {0x84, 13, 1, 0});
	CHECK(VXLAN_TCP6, { 0x18, 21, 2, 2 }, { 0x120, 31, 32, 0x20010db8 }, { 0x140, 31, 32, 0x20010db8 },
		{ 0x18, 19, 2, 1 }, { 0x5c, 15, 16, 36 });
	CHECK(GENEVE, { 0x184, 31, 32, 0x00006558 }, { 0x188, 31, 24, 0xabcdef }, { 0x18, 19, 2, 1 });
	CHECK(GRE_KEY, {0x184, 31, 32, 0x20000800}, {0x188, 31, 32, 0}, {0x18c, 31, 32, 0xdeadbeef},
		{0x84, 5, 1, 1}, {0x84, 13, 1, 1}, {0x108, 31, 32, 0x01010101}, {0x10, 31, 32, 0},
		{0x68, 31, 32, 0x000a0014});
	CHECK(MPLS_UDP, {0x1a8, 31, 32, 0x12345607}, {0x1ac, 31, 32, 0x54321308}, {0x88, 21, 1, 1},
		{0x88, 11, 1, 1}, {0x88, 12, 1, 0}, {0x88, 13, 1, 1}, {0x88, 14, 1, 1}, {0x88, 15, 1, 0},
		{0x108, 31, 32, 0x01010101});
	CHECK(GTPU, { 4 * SC_HL_GTPU_TEID, 31, 32, 0x11223344 }, { 4 * SC_HL_GTPU_DW_0, 31, 16, 0x34ff },
		{ 4 * SC_HL_GTPU_DW_2, 7, 8, 0x85 }, { 4 * SC_HL_GTPU_FIRST_EXT, 31, 32, 0x01100900 },
		{ 0x108, 31, 32, 0x01010101 });
	CHECK(IPIP, {0x100, 31, 32, 0x0a010203}, {0x108, 31, 32, 0x01010101}, {0x38, 7, 8, 4},
		{0x84, 13, 1, 1});
}

static void
fragments(void **state)
{
	CHECK(FRAG_FIRST, { 0x08, 28, 1, 1 }, { 0x3c, 15, 16, 0x2000 }, { 0x64, 25, 1, 1 }, { 0x64, 15, 1, 1 },
		{ 0x60, 15, 16, 4242 });
	CHECK(FRAG_LATER, { 0x08, 28, 1, 1 }, { 0x3c, 15, 16, 5 }, { 0x60, 31, 32, 0 }, { 0x08, 19, 2, 0 });
	CHECK(FRAG6, { 0x08, 28, 1, 1 }, { 0x64, 25, 1, 1 }, { 0x38, 7, 8, 17 }, { 0x84, 14, 1, 1 });
}

static void
verdicts(void **state)
{
	CHECK(UDP4, { 0x84, 29, 2, 3 }, { 0x84, 25, 2, 3 }, { 0x84, 3, 2, 3 });
	CHECK(TCP6, { 0x84, 28, 1, 1 }, { 0x84, 29, 1, 0 }, { 0x84, 4, 1, 1 }, { 0x84, 1, 1, 1 });
	CHECK(BAD_IP_SUM, { 0x84, 29, 1, 0 }, { 0x84, 28, 1, 1 }, { 0x84, 25, 1, 1 });
	CHECK(BAD_L4_SUM, { 0x84, 29, 1, 1 }, { 0x84, 28, 1, 0 }, { 0x84, 24, 1, 1 });
	CHECK(VXLAN, { 0x84, 31, 2, 3 }, { 0x84, 27, 2, 3 }, { 0x84, 9, 2, 2 }, { 0x84, 7, 1, 1 });
}

static void
registers(void **state)
{
	static const uint16_t at[12] = {
		0x250, 0x254, 0x248, 0x24c, 0x240, 0x244, 0x238, 0x23c, 0x230, 0x234, 0x228, 0x22c,
	};
	uint32_t i;

	show(UDP4);
	for (i = 0; i < SC_REGS; i++)
		pkt.reg[i] = 0x1000 + i;
	sc_hl_fill(hl, &pkt, &parse, 0xbeef);
	assert_int_equal(get32(hl + 0x1f0), 0x1000);
	assert_int_equal(get32(hl + 0x1ec), 0x1001);
	for (i = 0; i < 12; i++)
		assert_int_equal(get32(hl + at[i]), 0x1002 + i);
	assert_int_equal(get32(hl + 0x1dc), 0xbeef0000);
}

/* Every prefix of every frame: nothing is read behind the end (the sanitizers watch), nothing lies behind it.
 */
static void
cut_short(void **state)
{
	static const char *const frames[] = {
		UDP4, TCP6, QINQ_UDP4, ICMP6, VXLAN, GENEVE, GRE_KEY, MPLS_UDP, GTPU, IPIP, FRAG6, ESP,
	};
	uint8_t whole[FRAME_MAX], *part;
	uint32_t len, cut;
	size_t i;

	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		len = unhex(frames[i], whole);
		for (cut = 0; cut <= len; cut++) {
			part = test_malloc(cut + 1);
			memcpy(part, whole, cut);
			sc_parse_frame(part, cut, &parse);
			sc_parse_verify(part, cut, &parse);
			assert_true(parse.outer.l4 == SC_ABSENT || parse.outer.l4 < cut);
			assert_true(parse.inner.payload == SC_ABSENT || parse.inner.payload <= cut);
			test_free(part);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layer_2), cmocka_unit_test(layer_3), cmocka_unit_test(layer_4),
		cmocka_unit_test(over_udp), cmocka_unit_test(tunnels),
		cmocka_unit_test(fragments), cmocka_unit_test(verdicts), cmocka_unit_test(registers),
		cmocka_unit_test(cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
