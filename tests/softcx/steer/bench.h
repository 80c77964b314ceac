/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A device of core and steering alone. Frames that come out of steering are kept; commands and WQEs are made
 * here with bytes typed from hws.md, not by lib/prm, so that the device's reading of them is tested too.
 */
#ifndef TEST_STEER_BENCH_H
#define TEST_STEER_BENCH_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "softcx/core/device.h"
#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"
#include "softcx/steer/steer.h"

enum { OUT_MAX = 64, FRAME_MAX = 2048, NIC_RX = 0, NIC_TX = 1 };
enum out_kind { OUT_TIR, OUT_WIRE, OUT_HOST };

struct out {
	enum out_kind kind;
	uint32_t tir;
	uint32_t len, flow_tag;
	uint32_t reg[SC_REGS];
	struct sc_parse parse;
	uint8_t data[FRAME_MAX];
};

struct bench {
	struct sc_device *dev;
	uint32_t pd;
	uint32_t nb_out;
	struct out out[OUT_MAX];
	uint8_t status;       /* of the last command */
	uint16_t sends;       /* SQ the next transmitted frame comes from */
	uint32_t reg_a;
};

extern struct bench bench;

int bench_open(void **state);
int bench_open_cx6dx(void **state);
int bench_close(void **state); /* fails where steering objects are left */

static inline void
put32(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 24);
	at[1] = (uint8_t)(value >> 16);
	at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

static inline uint32_t
get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Run a command; status into bench.status. @return dword 2 of the answer. */
uint32_t bench_command(uint16_t opcode, uint8_t *in, uint32_t len);
/* The same into an answer of 0x200 bytes. */
void bench_command_out(uint16_t opcode, uint8_t *in, uint32_t len, uint8_t *out);

uint32_t make_tir(void);
void free_tir(uint32_t tirn);
uint32_t make_table(uint32_t type, bool rtc_valid);
void modify_table(uint32_t type, uint32_t table, uint32_t select, uint32_t miss, uint32_t rtc);
void free_table(uint32_t type, uint32_t table);
/* obj_type 0x40 STC range, 0x42 STE range of 2^log */
uint32_t make_range(uint16_t obj_type, uint32_t type, uint32_t log);
uint32_t make_arg(uint32_t log);
uint32_t make_counters(uint32_t log);
void free_counters(uint32_t id);
uint32_t make_pattern(const uint64_t *commands, uint32_t nb);
void free_object(uint16_t obj_type, uint32_t id);
void set_stc(uint32_t range, uint32_t index, uint8_t offset, uint8_t type, uint8_t reparse, uint32_t p0,
	uint32_t p1);

struct definer {
	uint8_t dw[9], byte[8];
	uint8_t mask[44];
};

uint32_t make_definer(const struct definer *definer);

struct rtc {
	uint32_t type, update, access, reparse, nb_hash, depth, rows, format, definer, stc, ste, first, miss;
};

uint32_t make_rtc(const struct rtc *rtc);
void rtc_body(uint8_t *in, const struct rtc *rtc); /* in: 0x90 bytes, zeroed */

/* What sc_gta_execute returns. data: 64 bytes. */
int gta(uint32_t op, uint32_t rtc, uint32_t direct, uint32_t code, const uint32_t *stc, const uint8_t *data);
int write_arg(uint32_t id, const void *bytes, uint32_t len);
uint64_t counter_packets(uint32_t id);
uint64_t counter_octets(uint32_t id);

/* A frame into steering. hex: two digits a byte, blanks are skipped. */
void receive(const uint8_t *frame, uint32_t len);
void transmit(const uint8_t *frame, uint32_t len);
uint32_t unhex(const char *hex, uint8_t *bytes);

/* The usual fixture: root match-all to a start table with one 8DW (or jumbo) RTC behind it. STC elements: */
enum {
	STC_NOP0,
	STC_NOP5,
	STC_NOP6,
	STC_NOP7,
	STC_TIR,
	STC_DROP,
	STC_COUNTER,
	STC_TAG,
	STC_A,
	STC_B,
	STC_C,
	STC_D
};

struct fixture {
	uint32_t type, tir, tir2, start, end, stcs, stes, rtc, definer, counters;
	struct sc_root_matcher *matcher;
	struct sc_root_rule *rule;
	bool jumbo;
};

void fixture_open(struct fixture *f, uint32_t type, const struct definer *definer, bool jumbo, uint32_t rows,
	uint32_t depth);
void fixture_close(struct fixture *f);

/* STE image: dwords 0..15 of the data segment, tag (T, 44 bytes) in place. */
void image(uint8_t *data, const uint8_t *t, bool jumbo);

#endif
