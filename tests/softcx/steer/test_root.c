/* SPDX-License-Identifier: BSD-3-Clause */

/* Root tables: priorities, fte_match_param, actions, the kernel behind them, anchors. */
#include "bench.h"

#include <errno.h>

#include "frames.h"
#include "softcx/core/object.h"
#include "softcx/steer/root.h"

static uint8_t frame[FRAME_MAX], mask[0x1c0], value[0x1c0];
static uint32_t len;

static struct sc_object *
object(enum sc_type type, uint32_t id)
{
	return sc_object_find(bench.dev, type, id);
}

static struct sc_root_matcher *
matcher(enum sc_domain domain, uint16_t priority, uint8_t criteria)
{
	struct sc_root_matcher *m = NULL;

	if (sc_root_matcher_create(bench.dev, 0, domain, priority, criteria, mask, sizeof(mask), &m) != 0)
		fail_msg("%s", bench.dev->last_error);
	return m;
}

static struct sc_root_rule *
rule(struct sc_root_matcher *m, const struct sc_root_action *actions, unsigned int nb)
{
	struct sc_root_rule *r = NULL;

	if (sc_root_rule_create(m, 0, value, sizeof(value), actions, nb, &r) != 0)
		fail_msg("%s", bench.dev->last_error);
	return r;
}

static void
clear(void)
{
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
}

static void
kernel_behind(void **state)
{
	static const uint8_t mac[6] = { 2, 0x11, 0x22, 0x33, 0x44, 0x55 };

	len = unhex(UDP4, frame);
	receive(frame, len); /* not for this port */
	assert_int_equal(bench.nb_out, 0);
	assert_int_equal(bench.dev->port.rx_steering_discard, 1);
	memcpy(bench.dev->mac, mac, 6);
	receive(frame, len);
	assert_int_equal(bench.out[0].kind, OUT_HOST);
	memset(bench.dev->mac, 2, 6);
	bench.dev->promisc = true;
	receive(frame, len);
	assert_int_equal(bench.out[0].kind, OUT_HOST);
	bench.dev->promisc = false;
	frame[0] = 0x33; /* multicast */
	receive(frame, len);
	assert_int_equal(bench.out[0].kind, OUT_HOST);
	transmit(frame, len);
	assert_int_equal(bench.out[0].kind, OUT_WIRE);
}

/* The lower number first; equal ones by age; default miss goes on. */
static void
priorities(void **state)
{
	uint32_t tirs[3] = { make_tir(), make_tir(), make_tir() }, i;
	struct sc_root_action to[3], miss = { .type = SC_ROOT_DEFAULT_MISS };
	struct sc_root_matcher *low, *high, *same;
	struct sc_root_rule *r[4];

	clear();
	len = unhex(UDP4, frame);
	for (i = 0; i < 3; i++)
		to[i] = (struct sc_root_action){ .type = SC_ROOT_DEST, .object = object(SC_TIR, tirs[i]) };
	low = matcher(SC_DOMAIN_RX, 15, 0);
	r[0] = rule(low, &to[0], 1);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, tirs[0]);
	high = matcher(SC_DOMAIN_RX, 3, 0);
	same = matcher(SC_DOMAIN_RX, 3, 0);
	r[1] = rule(same, &to[2], 1);
	r[2] = rule(high, &to[1], 1);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, tirs[1]);
	assert_int_equal(sc_root_matcher_destroy(high), -EBUSY);
	assert_int_equal(sc_root_rule_destroy(r[2]), 0);
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, tirs[2]);
	r[3] = rule(high, &miss, 1); /* on in the next priority number, past its equals */
	receive(frame, len);
	assert_int_equal(bench.out[0].tir, tirs[0]);
	assert_int_equal(sc_root_rule_destroy(r[0]), 0);
	assert_int_equal(sc_root_rule_destroy(r[1]), 0);
	assert_int_equal(sc_root_rule_destroy(r[3]), 0);
	assert_int_equal(sc_root_matcher_destroy(low), 0);
	assert_int_equal(sc_root_matcher_destroy(high), 0);
	assert_int_equal(sc_root_matcher_destroy(same), 0);
	for (i = 0; i < 3; i++)
		free_tir(tirs[i]);
}

/* One field each: where it is in fte_match_param (hws.md 9.1), the frame, the value it shows. */
static const struct {
	uint8_t criteria;
	uint16_t at;
	uint32_t mask, value;
	const char *frame;
} matches[] = {
	{ 1, 0x00, 0xffffffff, 0x02aabbcc, UDP4 }, { 1, 0x04, 0xffffffff, 0xddee0800, UDP4 },
	{ 1, 0x08, 0xffffffff, 0x02112233, UDP4 }, { 1, 0x0c, 0xffff0000, 0x44550000, UDP4 },
	{ 1, 0x0c, 0x0000ffff, 0x0000a064, VLAN_UDP4 }, { 1, 0x10, 0xff000000, 0x11000000, UDP4 },
	{ 1, 0x10, 0x00ff0000, 0x002b0000, UDP4 }, { 1, 0x10, 0x0000c000, 0x00008000, VLAN_UDP4 },
	{ 1, 0x10, 0x0000c000, 0x00004000, QINQ_UDP4 }, { 1, 0x10, 0x00002000, 0x00002000, FRAG_LATER },
	{ 1, 0x10, 0x00001e00, 0x00000800, UDP4 }, { 1, 0x10, 0x00001e00, 0x00000c00, TCP6 },
	{ 1, 0x10, 0x000001ff, 0x00000012, TCP4 }, { 1, 0x14, 0xffffffff, 1111u << 16 | 80, TCP4 },
	{ 1, 0x18, 0x0000f0ff, 0x0000503d, UDP4 }, { 1, 0x18, 0x00000f00, 0x00000f00, TCP4 },
	{ 1, 0x18, 0x00000300, 0x00000100, BAD_IP_SUM }, { 1, 0x18, 0x00000300, 0x00000200, BAD_L4_SUM },
	{ 1, 0x1c, 0xffffffff, 1111u << 16 | 4242, UDP4 }, { 1, 0x2c, 0xffffffff, 0x0a010203, UDP4 },
	{ 1, 0x3c, 0xffffff00, 0xc0a80700, UDP4 }, { 1, 0x20, 0xffffffff, 0x20010db8, TCP6 },
	{ 1, 0x3c, 0xffffffff, 0x00000009, TCP6 },
	{ 2, 0x40, 0x00ffffff, 0x00000077, UDP4 }, { 2, 0x48, 0xffff0000, 0xa0640000, QINQ_UDP4 },
	{ 2, 0x4c, 0xf0000000, 0x80000000, QINQ_UDP4 }, { 2, 0x54, 0xffffff00, 0x12345600, VXLAN },
	{ 2, 0x50, 0xffffffff, 0xdeadbeef, GRE_KEY }, { 2, 0x40, 0xb0000000, 0x20000000, GRE_KEY },
	{ 2, 0x58, 0xffffff00, 0xabcdef00, GENEVE }, { 2, 0x5c, 0x000fffff, 0x00012345, TCP6 },
	{ 2, 0x70, 0xffffffff, 0x01020304, ESP },
	{ 4, 0x80, 0xffffffff, 0x02777777, VXLAN }, { 4, 0xac, 0xffffffff, 0x01010101, VXLAN },
	{ 4, 0x9c, 0xffffffff, 10u << 16 | 20, VXLAN },
	{ 8, 0xcc, 0xffffffff, 0x12345607, MPLS_UDP }, { 8, 0xf0, 0xffffffff, 0x000000aa, UDP4 },
	{ 16, 0x104, 0xffffffff, 0x01020304, TCP4 }, { 16, 0x118, 0xffffffff, 0x00770099, ICMP4 },
	{ 16, 0x120, 0xffff0000, 0x08000000, ICMP4 }, { 16, 0x120, 0x0000ffff, 0x00008000, ICMP6 },
	{ 16, 0x128, 0xffffffff, 0x11223344, GTPU }, { 16, 0x12c, 0xffff0000, 0xff340000, GTPU },
	{ 64, 0x194, 0xffffffff, 0x12345600, VXLAN },
};

static void
fields(void **state)
{
	struct sc_root_action drop = { .type = SC_ROOT_DROP };
	struct sc_root_matcher *m;
	struct sc_root_rule *r;
	uint32_t i;

	bench.sends = 0x77;
	bench.reg_a = 0xaa;
	for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++) {
		clear();
		put32(mask + matches[i].at, matches[i].mask);
		put32(value + matches[i].at, matches[i].value);
		len = unhex(matches[i].frame, frame);
		m = matcher(SC_DOMAIN_TX, 0, matches[i].criteria);
		r = rule(m, &drop, 1);
		transmit(frame, len);
		if (bench.nb_out != 0)
			fail_msg("row %u, 0x%x: missed", i, matches[i].at);
		assert_int_equal(sc_root_rule_destroy(r), 0);
		put32(value + matches[i].at, matches[i].value ^ (matches[i].mask & -matches[i].mask));
		r = rule(m, &drop, 1);
		transmit(frame, len);
		if (bench.nb_out != 1)
			fail_msg("row %u, 0x%x: hit by another value", i, matches[i].at);
		assert_int_equal(sc_root_rule_destroy(r), 0);
		assert_int_equal(sc_root_matcher_destroy(m), 0);
	}
}

static void
actions(void **state)
{
	static const uint8_t commands[16] = {
		0x10, 0x0a, 0, 8, 0, 0, 0, 9, 0x10, 0x51, 0, 0, 0x12, 0x34, 0x56, 0x78};
	uint8_t header[50] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17 };
	uint32_t tir = make_tir(), counters = make_counters(2);
	struct sc_object *modify, *encap, *decap;
	struct sc_root_action list[5];
	struct sc_root_matcher *m;
	struct sc_root_rule *r;

	clear();
	header[36] = 0x12;
	header[37] = 0xb5;
	header[42] = 8;
	assert_int_equal(sc_modify_header_create(bench.dev, 0, SC_DOMAIN_RX, commands, 2, &modify), 0);
	assert_int_equal(sc_reformat_create(bench.dev, 0, SC_DOMAIN_RX, 2, header, sizeof(header), &encap), 0);
	assert_int_equal(sc_reformat_create(bench.dev, 0, SC_DOMAIN_RX, 0, NULL, 0, &decap), 0);
	m = matcher(SC_DOMAIN_RX, 0, 0);
	list[0] = (struct sc_root_action){ .type = SC_ROOT_TAG, .value = 0x29000000 | 0x2a0000 };
	list[1] = (struct sc_root_action){
		.type = SC_ROOT_COUNTER, .object = object(SC_FLOW_COUNTER, counters), .value = 3};
	list[2] = (struct sc_root_action){ .type = SC_ROOT_FLOW_ACTION, .object = modify };
	list[3] = (struct sc_root_action){ .type = SC_ROOT_FLOW_ACTION, .object = encap };
	list[4] = (struct sc_root_action){ .type = SC_ROOT_DEST, .object = object(SC_TIR, tir) };
	r = rule(m, list, 5);
	len = unhex(UDP4, frame);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 1);
	assert_int_equal(bench.out[0].flow_tag, 0x2a0000);
	assert_int_equal(bench.out[0].reg[SC_REG_C_0], 0x12345678);
	assert_int_equal(bench.out[0].len, len + 50);
	assert_int_equal(bench.out[0].data[50 + 22], 9);
	assert_int_equal(bench.out[0].parse.tunnel_type, SC_TUNNEL_VXLAN);
	sc_parse_verify(bench.out[0].data, bench.out[0].len, &bench.out[0].parse);
	assert_true(bench.out[0].parse.outer.l3_checksum_ok && bench.out[0].parse.inner.l4_checksum_ok);
	assert_int_equal(counter_octets(counters + 3), len);
	assert_int_equal(sc_flow_action_destroy(modify), -EBUSY);
	assert_int_equal(sc_root_rule_destroy(r), 0);
	list[3].object = decap;
	r = rule(m, list + 3, 2);
	len = unhex(VXLAN, frame);
	receive(frame, len);
	assert_int_equal(bench.out[0].len, len - 50);
	assert_memory_equal(bench.out[0].data, frame + 50, len - 50);
	assert_int_equal(sc_root_rule_destroy(r), 0);
	assert_int_equal(sc_root_matcher_destroy(m), 0);
	assert_int_equal(sc_flow_action_destroy(modify), 0);
	assert_int_equal(sc_flow_action_destroy(encap), 0);
	assert_int_equal(sc_flow_action_destroy(decap), 0);
	free_counters(counters);
	free_tir(tir);
}

static void
refused_rules(void **state)
{
	uint32_t tir = make_tir(), table = make_table(NIC_TX, true), counters = make_counters(1);
	struct sc_object *modify;
	static const uint8_t command[8] = { 0x10, 0x0a, 0, 8 };
	struct sc_root_action a[2];
	struct sc_root_matcher *m, *tx, *bad;
	struct sc_root_rule *r;

	clear();
	m = matcher(SC_DOMAIN_RX, 0, 0);
	tx = matcher(SC_DOMAIN_TX, 0, 0);
	assert_int_equal(sc_modify_header_create(bench.dev, 0, SC_DOMAIN_TX, command, 1, &modify), 0);
#define REFUSED(which, nb, text) do { \
		assert_int_equal(sc_root_rule_create(which, 0, value, sizeof(value), a, nb, &r), -EINVAL); \
		assert_non_null(strstr(bench.dev->last_error, text)); \
	} while (0)
	REFUSED(m, 0, "one is needed on receive");
	a[0] = (struct sc_root_action){ .type = SC_ROOT_DROP };
	a[1] = (struct sc_root_action){ .type = SC_ROOT_DEST, .object = object(SC_TIR, tir) };
	REFUSED(m, 2, "only one can be");
	REFUSED(tx, 2, "on transmit");
	a[1] = (struct sc_root_action){ .type = SC_ROOT_DEST, .object = object(SC_FLOW_TABLE, table) };
	REFUSED(m, 2, "another table_type");
	a[1] = (struct sc_root_action){ .type = SC_ROOT_DEST, .object = object(SC_FLOW_COUNTER, counters) };
	REFUSED(m, 2, "neither tir nor flow table");
	a[1] = (struct sc_root_action){
		.type = SC_ROOT_COUNTER, .object = object(SC_FLOW_COUNTER, counters), .value = 2};
	REFUSED(m, 2, "counter offset 2");
	a[1] = (struct sc_root_action){ .type = SC_ROOT_FLOW_ACTION, .object = modify };
	REFUSED(m, 2, "table_type 1");
	a[1] = (struct sc_root_action){ .type = SC_ROOT_TAG };
	REFUSED(tx, 2, "flow tag");
	mask[0x10 + 3] = 0xff;
	mask[0x1a] = 0x80;
	assert_int_equal(sc_root_matcher_create(bench.dev, 0, SC_DOMAIN_RX, 0, 1, mask, sizeof(mask), &bad), 0);
	assert_int_equal(sc_root_matcher_destroy(bad), 0);
	mask[0x18] = 0x80; /* reserved */
	assert_int_equal(
		sc_root_matcher_create(bench.dev, 0, SC_DOMAIN_RX, 0, 1, mask, sizeof(mask), &bad), -EINVAL);
	assert_non_null(strstr(bench.dev->last_error, "byte 0x18"));
	assert_int_equal(
		sc_root_matcher_create(bench.dev, 0, SC_DOMAIN_RX, 0, 0x80, mask, sizeof(mask), &bad),
		-EINVAL);
	assert_int_equal(sc_object_find(bench.dev, SC_TIR, tir) == NULL, 0);
	assert_int_equal(sc_flow_action_destroy(modify), 0);
	assert_int_equal(sc_root_matcher_destroy(m), 0);
	assert_int_equal(sc_root_matcher_destroy(tx), 0);
	free_counters(counters);
	free_table(NIC_TX, table);
	free_tir(tir);
}

/* What misses in a user's tables reaches the kernel through an anchor, and only the priorities from its own
 * on. */
static void
anchors(void **state)
{
	static const struct definer by_dst = { .dw = { 0x41 }, .mask = { [32] = 0xff, 0xff, 0xff, 0xff } };
	struct sc_root_action to = { .type = SC_ROOT_DEST };
	struct sc_anchor *anchor;
	struct sc_root_matcher *m;
	struct sc_root_rule *r;
	struct fixture f;
	uint32_t table;

	clear();
	len = unhex(UDP4, frame);
	fixture_open(&f, NIC_RX, &by_dst, false, 2, 2);
	assert_int_equal(sc_anchor_create(bench.dev, 0, SC_DOMAIN_RX, 1, &anchor, &table), 0);
	modify_table(NIC_RX, f.end, 1, table, 0);
	assert_int_equal(sc_anchor_destroy(anchor), -EBUSY);
	receive(frame, len);
	assert_int_equal(bench.nb_out, 0);
	bench.dev->promisc = true;
	receive(frame, len);
	assert_int_equal(bench.out[0].kind, OUT_HOST);
	m = matcher(SC_DOMAIN_RX, 1, 0);
	to.object = object(SC_TIR, f.tir2);
	r = rule(m, &to, 1);
	receive(frame, len);
	assert_int_equal(bench.out[0].kind, OUT_TIR);
	assert_int_equal(bench.out[0].tir, f.tir2);
	assert_int_equal(sc_root_rule_destroy(r), 0);
	assert_int_equal(sc_root_matcher_destroy(m), 0);
	modify_table(NIC_RX, f.end, 1, 0, 0);
	assert_int_equal(sc_anchor_destroy(anchor), 0);
	fixture_close(&f);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, bench_open, bench_close)
	const struct CMUnitTest tests[] = {
		T(kernel_behind), T(priorities), T(fields), T(actions), T(refused_rules), T(anchors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
