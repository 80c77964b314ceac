/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "softcx/core/command.h"
#include "softcx/core/engine.h"
#include "softcx/core/parts.h"
#include "softcx/steer/root.h"

struct bench bench;
static uint32_t port;

/* ---- what the device is made of here ---- */

static int
steer_init(struct sc_device *dev, char *error, size_t size)
{
	return sc_steer_init(dev);
}

static const struct sc_part steer = { .name = "steer", .init = steer_init, .fini = sc_steer_fini,
	.release = sc_steer_release };
const struct sc_part *const sc_parts[] = { &steer, NULL };
const struct sc_command *const sc_families[] = {
	sc_commands_resource, sc_commands_table, sc_commands_object, NULL};

static void
keep(enum out_kind kind, struct sc_packet *pkt, uint32_t tir)
{
	struct out *out = &bench.out[bench.nb_out++];

	assert_true(bench.nb_out < OUT_MAX && pkt->len <= FRAME_MAX);
	assert_non_null(pkt->parse);
	out->kind = kind;
	out->tir = tir;
	out->len = pkt->len;
	out->flow_tag = pkt->flow_tag;
	memcpy(out->reg, pkt->reg, sizeof(out->reg));
	out->parse = *pkt->parse;
	memcpy(out->data, pkt->data, pkt->len);
}

void
sc_nic_deliver(struct sc_device *dev, struct sc_packet *pkt, struct sc_tir *tir)
{
	keep(OUT_TIR, pkt, ((struct sc_object *)(void *)tir)->id);
}

void
sc_port_transmit(struct sc_device *dev, struct sc_packet *pkt)
{
	keep(OUT_WIRE, pkt, 0);
}

void
sc_port_to_host(struct sc_device *dev, struct sc_packet *pkt)
{
	keep(OUT_HOST, pkt, 0);
}

/* ---- life ---- */

static int
open_model(const char *settings)
{
	uint8_t in[0x10] = { 0 };
	char error[256];
	int ret;

	memset(&bench, 0, sizeof(bench));
	ret = sc_port_create(settings, error, sizeof(error));
	if (ret < 0)
		fail_msg("%s", error);
	port = (uint32_t)ret;
	assert_int_equal(sc_device_open(port, &bench.dev, error, sizeof(error)), 0);
	bench.pd = bench_command(0x800, in, sizeof(in));
	return 0;
}

int
bench_open(void **state)
{
	return open_model("exec=stepped");
}

int
bench_open_cx6dx(void **state)
{
	return open_model("exec=stepped,model=cx6dx");
}

int
bench_close(void **state)
{
	static const enum sc_type types[] = {
		SC_FLOW_COUNTER,
		SC_FLOW_TABLE,
		SC_FLOW_GROUP,
		SC_STC,
		SC_RTC,
		SC_STE,
		SC_PATTERN,
		SC_ARG,
		SC_REFORMAT,
		SC_MODIFY_HEADER,
		SC_ROOT_MATCHER,
		SC_ROOT_RULE,
		SC_ANCHOR,
		SC_TIR,
	};
	uint8_t in[0x10] = { 0 };
	struct sc_object *definer;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (sc_object_next(bench.dev, types[i], UINT32_MAX) != NULL)
			fail_msg("a %s is left", sc_type_name(types[i]));
	definer = sc_object_next(bench.dev, SC_DEFINER, SC_DEFINER_LINEAR);
	assert_null(definer);
	put32(in + 8, bench.pd);
	bench_command(0x801, in, sizeof(in));
	sc_device_close(bench.dev);
	assert_int_equal(sc_port_destroy(port), 0);
	return 0;
}

/* ---- commands ---- */

void
bench_command_out(uint16_t opcode, uint8_t *in, uint32_t len, uint8_t *out)
{
	put32(in, (uint32_t)opcode << 16 | (get32(in) & 0xffff));
	memset(out, 0, 0x200);
	sc_engine_command(bench.dev, 0, in, len, out, 0x200);
	bench.status = out[0];
}

uint32_t
bench_command(uint16_t opcode, uint8_t *in, uint32_t len)
{
	uint8_t out[0x200];

	bench_command_out(opcode, in, len, out);
	return get32(out + 8);
}

static uint32_t
good(uint16_t opcode, uint8_t *in, uint32_t len)
{
	uint32_t id = bench_command(opcode, in, len);

	if (bench.status != 0)
		fail_msg("command 0x%x: status 0x%x, %s", opcode, bench.status, bench.dev->last_error);
	return id;
}

uint32_t
make_tir(void)
{
	struct sc_object *tir = calloc(1, sizeof(*tir));

	assert_int_equal(sc_object_add(bench.dev, SC_TIR, tir, 1, 0), 0);
	return tir->id;
}

void
free_tir(uint32_t tirn)
{
	struct sc_object *tir = sc_object_find(bench.dev, SC_TIR, tirn);

	assert_int_equal(tir->refs, 0);
	sc_object_remove(tir);
	free(tir);
}

uint32_t
make_table(uint32_t type, bool rtc_valid)
{
	uint8_t in[0x40] = { 0 };

	put32(in + 0x10, type << 24);
	put32(in + 0x18, 63u << 16 | (rtc_valid ? 1u << 15 : 0) | (rtc_valid ? 0 : 4));
	return good(0x930, in, sizeof(in)) & 0xffffff;
}

void
modify_table(uint32_t type, uint32_t table, uint32_t select, uint32_t miss, uint32_t rtc)
{
	uint8_t in[0x40] = { 0 };

	put32(in + 0x0c, select);
	put32(in + 0x10, type << 24);
	put32(in + 0x14, table);
	put32(in + 0x18, miss != 0 ? 1u << 24 : 0);
	put32(in + 0x1c, miss);
	put32(in + 0x18 + 0x18, rtc);
	good(0x93c, in, sizeof(in));
}

void
free_table(uint32_t type, uint32_t table)
{
	uint8_t in[0x40] = { 0 };

	put32(in + 0x10, type << 24);
	put32(in + 0x14, table);
	good(0x931, in, sizeof(in));
}

uint32_t
make_range(uint16_t obj_type, uint32_t type, uint32_t log)
{
	uint8_t in[0x90] = { 0 };

	put32(in + 0x04, obj_type);
	put32(in + 0x0c, log << 24);
	put32(in + 0x10 + 0x10, type << 16);
	return good(0xa00, in, sizeof(in));
}

uint32_t
make_arg(uint32_t log)
{
	uint8_t in[0x70] = { 0 };

	put32(in + 0x04, 0x23);
	put32(in + 0x0c, log << 24);
	put32(in + 0x10 + 0x10, bench.pd);
	return good(0xa00, in, sizeof(in));
}

uint32_t
make_counters(uint32_t log)
{
	uint8_t in[0x10] = { 0 };

	put32(in + 0x08, bench.pd);
	put32(in + 0x0c, log << 8);
	return good(0x939, in, sizeof(in));
}

void
free_counters(uint32_t id)
{
	uint8_t in[0x10] = { 0 };

	put32(in + 8, id);
	good(0x93a, in, sizeof(in));
}

uint32_t
make_pattern(const uint64_t *commands, uint32_t nb)
{
	uint8_t in[0x230] = { 0 };
	uint32_t i;

	put32(in + 0x04, 0x43);
	put32(in + 0x10 + 0x10, nb << 24);
	for (i = 0; i < nb; i++) {
		put32(in + 0x30 + 8 * i, (uint32_t)(commands[i] >> 32));
		put32(in + 0x34 + 8 * i, (uint32_t)commands[i]);
	}
	return good(0xa00, in, sizeof(in));
}

void
free_object(uint16_t obj_type, uint32_t id)
{
	uint8_t in[0x10] = { 0 };

	put32(in + 0x04, obj_type);
	put32(in + 0x08, id);
	good(0xa03, in, sizeof(in));
}

void
set_stc(uint32_t range, uint32_t index, uint8_t offset, uint8_t type, uint8_t reparse, uint32_t p0, uint32_t p1)
{
	uint8_t in[0x90] = { 0 };

	put32(in + 0x04, 0x40);
	put32(in + 0x08, range);
	put32(in + 0x0c, index);
	put32(in + 0x10 + 0x04, 1);
	put32(in + 0x10 + 0x10, (uint32_t)reparse << 24 | (uint32_t)offset << 8 | type);
	put32(in + 0x10 + 0x20, p0);
	put32(in + 0x10 + 0x24, p1);
	good(0xa01, in, sizeof(in));
}

uint32_t
make_definer(const struct definer *definer)
{
	uint8_t in[0x90] = { 0 }, *body = in + 0x10;
	uint32_t i;

	put32(in + 0x04, 0x18);
	put32(body + 0x10, 61);
	for (i = 0; i < 4; i++) {
		body[0x23 - i] = definer->dw[i];
		body[0x27 - i] = definer->dw[4 + i];
		body[0x33 - i] = definer->byte[i];
		body[0x37 - i] = definer->byte[4 + i];
	}
	body[0x2b] = definer->dw[8];
	memcpy(body + 0x54, definer->mask, 44);
	return good(0xa00, in, sizeof(in));
}

void
rtc_body(uint8_t *in, const struct rtc *rtc)
{
	uint8_t *body = in + 0x10;

	put32(in + 0x04, 0x41);
	put32(body + 0x10, rtc->update << 30 | rtc->reparse << 28 | bench.pd);
	put32(body + 0x14, rtc->access << 20 | rtc->nb_hash << 16 | rtc->depth << 8 | rtc->rows);
	put32(body + 0x18, rtc->format << 24 | rtc->type << 16);
	put32(body + 0x1c, rtc->definer);
	put32(body + 0x20, rtc->stc);
	put32(body + 0x24, rtc->ste);
	put32(body + 0x28, rtc->first);
	put32(body + 0x2c, rtc->miss);
}

uint32_t
make_rtc(const struct rtc *rtc)
{
	uint8_t in[0x90] = { 0 };

	rtc_body(in, rtc);
	return good(0xa00, in, sizeof(in));
}

int
gta(uint32_t op, uint32_t rtc, uint32_t direct, uint32_t code, const uint32_t *stc, const uint8_t *data)
{
	uint8_t first[64] = { 0 };
	uint32_t i;

	put32(first + 0x00, 0x2c);
	put32(first + 0x04, 8);
	put32(first + 0x0c, rtc);
	put32(first + 0x10, op << 28 | direct);
	for (i = 0; stc != NULL && i < 5; i++)
		put32(first + 0x14 + 4 * i, stc[i]);
	put32(first + 0x14, get32(first + 0x14) | code << 29);
	return sc_gta_execute(bench.dev, bench.pd, first, data);
}

int
write_arg(uint32_t id, const void *bytes, uint32_t len)
{
	uint8_t first[64] = { 0 }, data[64] = { 0 };

	memcpy(data, bytes, len);
	put32(first + 0x00, 1u << 24 | 0x2c);
	put32(first + 0x04, 8);
	put32(first + 0x0c, id);
	return sc_gta_execute(bench.dev, bench.pd, first, data);
}

static uint64_t
counter(uint32_t id, uint32_t at)
{
	uint8_t in[0x20] = { 0 }, out[0x200];

	put32(in + 0x18, 1);
	put32(in + 0x1c, id);
	bench_command_out(0x93b, in, sizeof(in), out);
	assert_int_equal(bench.status, 0);
	return (uint64_t)get32(out + 0x10 + at) << 32 | get32(out + 0x14 + at);
}

uint64_t
counter_packets(uint32_t id)
{
	return counter(id, 0);
}

uint64_t
counter_octets(uint32_t id)
{
	return counter(id, 8);
}

/* ---- frames ---- */

static struct sc_packet *
packet(const uint8_t *frame, uint32_t len)
{
	struct sc_packet *pkt = malloc(sizeof(*pkt));

	sc_packet_reset(pkt);
	memcpy(pkt->data, frame, len);
	pkt->len = len;
	return pkt;
}

void
receive(const uint8_t *frame, uint32_t len)
{
	struct sc_packet *pkt = packet(frame, len);

	bench.nb_out = 0;
	sc_steer_receive(bench.dev, pkt);
	free(pkt);
}

void
transmit(const uint8_t *frame, uint32_t len)
{
	struct sc_packet *pkt = packet(frame, len);

	bench.nb_out = 0;
	pkt->reg[SC_REG_A] = bench.reg_a;
	pkt->source_sqn = bench.sends;
	sc_steer_transmit(bench.dev, pkt);
	free(pkt);
}

uint32_t
unhex(const char *hex, uint8_t *bytes)
{
	uint32_t n = 0;
	unsigned int byte;

	for (; *hex != '\0'; hex += 2) {
		while (*hex == ' ')
			hex++;
		if (sscanf(hex, "%2x", &byte) != 1)
			break;
		bytes[n++] = (uint8_t)byte;
	}
	return n;
}

/* ---- fixture ---- */

void
fixture_open(struct fixture *f, uint32_t type, const struct definer *definer, bool jumbo, uint32_t rows,
	uint32_t depth)
{
	struct sc_root_action jump = { .type = SC_ROOT_DEST };
	uint8_t none[4] = { 0 };

	memset(f, 0, sizeof(*f));
	f->type = type;
	f->jumbo = jumbo;
	f->tir = make_tir();
	f->tir2 = make_tir();
	f->start = make_table(type, true);
	f->end = make_table(type, true);
	f->stcs = make_range(0x40, type, 5);
	f->stes = make_range(0x42, type, rows + depth);
	f->counters = make_counters(4);
	f->definer = make_definer(definer);
	set_stc(f->stcs, STC_NOP0, 0, 0x00, 0, 0, 0);
	set_stc(f->stcs, STC_NOP5, 5, 0x00, 0, 0, 0);
	set_stc(f->stcs, STC_NOP6, 6, 0x00, 0, 0, 0);
	set_stc(f->stcs, STC_NOP7, 7, 0x00, 0, 0, 0);
	if (type == NIC_RX)
		set_stc(f->stcs, STC_TIR, 3, 0x81, 0, f->tir, 0);
	else
		set_stc(f->stcs, STC_TIR, 3, 0x84, 0, 0, 0);
	set_stc(f->stcs, STC_DROP, 3, 0x83, 0, 0, 0);
	set_stc(f->stcs, STC_COUNTER, 0, 0x14, 0, f->counters, 0);
	set_stc(f->stcs, STC_TAG, 5, 0x0c, 0, 0, 0);
	f->rtc = make_rtc(&(struct rtc){ .type = type, .depth = depth, .rows = rows, .format = jumbo ? 5 : 4,
		.definer = f->definer, .stc = f->stcs, .ste = f->stes, .miss = f->end });
	modify_table(type, f->start, 2, 0, f->rtc);
	jump.object = sc_object_find(bench.dev, SC_FLOW_TABLE, f->start);
	assert_int_equal(
		sc_root_matcher_create(bench.dev, 0, (enum sc_domain)type, 0, 0, none, 0, &f->matcher), 0);
	assert_int_equal(sc_root_rule_create(f->matcher, 0, none, 0, &jump, 1, &f->rule), 0);
}

void
fixture_close(struct fixture *f)
{
	assert_int_equal(sc_root_rule_destroy(f->rule), 0);
	assert_int_equal(sc_root_matcher_destroy(f->matcher), 0);
	modify_table(f->type, f->start, 2, 0, 0);
	free_object(0x41, f->rtc);
	free_table(f->type, f->start);
	free_table(f->type, f->end);
	free_object(0x42, f->stes);
	free_object(0x40, f->stcs);
	free_object(0x18, f->definer);
	free_counters(f->counters);
	free_tir(f->tir);
	free_tir(f->tir2);
}

void
image(uint8_t *data, const uint8_t *t, bool jumbo)
{
	memset(data, 0, 64);
	memcpy(data + (jumbo ? 20 : 32), t + (jumbo ? 0 : 12), jumbo ? 44 : 32);
}
