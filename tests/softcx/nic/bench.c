/* SPDX-License-Identifier: BSD-3-Clause */

#include "bench.h"

#include <stdio.h>

#include "softcx/cmd/resource.h"
#include "softcx/core/command.h"
#include "softcx/core/engine.h"
#include "softcx/core/parts.h"
#include "softcx/core/settings.h"
#include "softcx/steer/steer.h"
#include "softcx/wire/wire.h"

struct bench bench;
static uint32_t port;

/* ---- what the device is made of here ---- */

static int
nic_init(struct sc_device *dev, char *error, size_t size)
{
	int ret = sc_nic_init(dev);

	return ret != 0 ? ret : sc_wire_open(dev, dev->settings->wire, error, size);
}

static void
nic_fini(struct sc_device *dev)
{
	sc_wire_close(dev);
	sc_nic_fini(dev);
}

static const struct sc_part nic = {
	.name = "nic", .init = nic_init, .check = sc_wire_check_peer, .fini = nic_fini, .poll = sc_nic_poll,
	.ask = sc_nic_ask,
	.waits = sc_nic_waits,
};
const struct sc_part *const sc_parts[] = { &nic, NULL };
const struct sc_command *const sc_families[] = { sc_commands_resource, sc_commands_queue, NULL };

/* ---- steering ---- */

void
sc_steer_receive(struct sc_device *dev, struct sc_packet *pkt)
{
	pkt->flow_tag = bench.flow_tag;
	pkt->reg[SC_REG_B] = bench.reg_b;
	if (dev == bench.dev && bench.tir != NULL)
		sc_nic_deliver(dev, pkt, bench.tir);
	else
		dev->port.rx_steering_discard++;
}

void
sc_steer_transmit(struct sc_device *dev, struct sc_packet *pkt)
{
	struct sent *sent = &bench.sent[bench.nb_sent];

	if (bench.nb_sent < SENT_MAX) {
		sent->len = pkt->len;
		sent->reg_a = pkt->reg[SC_REG_A];
		sent->sqn = pkt->source_sqn;
		memcpy(sent->data, pkt->data, pkt->len);
		bench.nb_sent++;
	}
	sc_port_transmit(dev, pkt);
}

int
sc_gta_execute(struct sc_device *dev, uint32_t pd, const uint8_t *first, const uint8_t *second)
{
	bench.nb_gta++;
	bench.gta_first = first;
	bench.gta_second = second;
	return bench.gta_result;
}

void
sc_gta_prefetch(struct sc_device *dev, const uint8_t *first, const uint8_t *second)
{
}

int
sc_aso_execute(struct sc_device *dev, uint32_t pd, const uint8_t *first, const uint8_t *second)
{
	bench.nb_aso++;
	return 0;
}

/* ---- life ---- */

static void
on_event(void *arg, enum sc_event_type type, struct sc_object *obj, uint8_t syndrome)
{
	bench.nb_events++;
	bench.event = type;
	bench.event_obj = obj->id;
}

static uint32_t
answer_id(uint16_t opcode, uint8_t *in, uint32_t len)
{
	uint8_t out[0x200];

	assert_int_equal(bench_command(opcode, in, len, out), 0);
	return get32(out + 8) & 0xffffff;
}

void
bench_open_wire(const char *wire)
{
	char settings[256];

	snprintf(settings, sizeof(settings), "wire=[%s]", wire);
	bench_open_settings(settings);
}

void
bench_open_settings(const char *more)
{
	uint8_t alloc[0x10] = { 0 }, tis[0xc0] = { 0 };
	struct sc_object *uar = calloc(1, sizeof(*uar));
	struct sc_umem *umem;
	struct sc_mkey *mkey;
	char error[256], settings[512];
	int ret;

	memset(&bench, 0, sizeof(bench));
	snprintf(settings, sizeof(settings), "exec=stepped,uar=poll,%s", more);
	ret = sc_port_create(settings, error, sizeof(error));
	if (ret < 0)
		fail_msg("%s", error);
	port = (uint32_t)ret;
	assert_int_equal(sc_device_open(port, &bench.dev, error, sizeof(error)), 0);
	sc_nic_set_event(bench.dev, on_event, NULL);
	bench.sent = calloc(SENT_MAX, sizeof(*bench.sent));
	bench.arena = aligned_alloc(4096, ARENA);
	memset(bench.arena, 0, ARENA);
	bench.pd = answer_id(0x800, alloc, sizeof(alloc));
	bench.td = answer_id(0x816, alloc, sizeof(alloc));
	put32(tis + 0x20 + 0x24, bench.td);
	bench.tis = answer_id(0x912, tis, sizeof(tis));
	assert_int_equal(sc_object_add(bench.dev, SC_UAR, uar, 1, 0), 0);
	bench.uar = uar->id;
	assert_int_equal(sc_umem_create(bench.dev, 0, bench.arena, ARENA, 7, &umem), 0);
	bench.umem = umem->obj.id;
	assert_int_equal(sc_mkey_create(bench.dev, 0, bench.pd, bench.arena, (uintptr_t)bench.arena, ARENA, 7, &mkey), 0);
	bench.lkey = mkey->lkey;
}

int
bench_open(void **state)
{
	bench_open_wire("null");
	return 0;
}

/* Everything that the test made and did not destroy shows as references or objects left. */
int
bench_close(void **state)
{
	static const enum sc_type queues[] = { SC_TIR, SC_RQT, SC_RQ, SC_SQ, SC_CQ };
	struct sc_object *uar = sc_object_find(bench.dev, SC_UAR, bench.uar);

	for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++)
		assert_null(sc_object_next(bench.dev, queues[i], UINT32_MAX));
	assert_int_equal(uar->refs, 0);
	sc_object_remove(uar);
	free(uar);
	assert_int_equal(sc_mkey_destroy(sc_object_find(bench.dev, SC_MKEY, bench.lkey >> 8)), 0);
	assert_int_equal(sc_umem_destroy(sc_object_find(bench.dev, SC_UMEM, bench.umem)), 0);
	bench_destroy(0x914, bench.tis);
	bench_destroy(0x817, bench.td);
	bench_destroy(0x801, bench.pd);
	sc_device_close(bench.dev);
	assert_int_equal(sc_port_destroy(port), 0);
	free(bench.arena);
	free(bench.sent);
	return 0;
}

uint8_t *
bench_alloc(uint32_t len, uint32_t align)
{
	uint32_t at = (bench.used + align - 1) / align * align;

	assert_true(at + len <= ARENA);
	bench.used = at + len;
	return bench.arena + at;
}

uint64_t
bench_offset(const void *at)
{
	return (uint64_t)((const uint8_t *)at - bench.arena);
}

/* ---- commands and bytes ---- */

uint8_t
bench_command(uint16_t opcode, uint8_t *in, uint32_t len, uint8_t *out)
{
	put16(in, opcode);
	memset(out, 0, 0x200);
	sc_engine_command(bench.dev, 0, in, len, out, 0x200);
	return out[0];
}

uint8_t
bench_try_destroy(uint16_t opcode, uint32_t id)
{
	uint8_t in[0x10] = { 0 }, out[0x200];

	put32(in + 8, id);
	return bench_command(opcode, in, sizeof(in), out);
}

void
bench_destroy(uint16_t opcode, uint32_t id)
{
	assert_int_equal(bench_try_destroy(opcode, id), 0);
}

void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

void
put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

void
put64(uint8_t *at, uint64_t value)
{
	put32(at, (uint32_t)(value >> 32));
	put32(at + 4, (uint32_t)value);
}

uint32_t
get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

uint32_t
get32(const uint8_t *at)
{
	return get16(at) << 16 | get16(at + 2);
}

uint32_t
unhex(const char *text, uint8_t *to)
{
	uint32_t n = 0, digits = 0;

	for (; *text; text++) {
		static const char hex[] = "0123456789abcdef";
		const char *digit = strchr(hex, *text);

		if (digit == NULL)
			continue;
		if (digits++ % 2 == 0)
			to[n] = (uint8_t)((digit - hex) << 4);
		else
			to[n++] |= (uint8_t)(digit - hex);
	}
	return n;
}

void
bench_step(void)
{
	sc_engine_step(100000);
}

static int
receive(void *arg)
{
	struct sent *frame = arg;

	bench.dev->nic->now_ns = sc_now_ns();
	sc_nic_wire_input(bench.dev, frame->data, frame->len, 0x123456789aull, false);
	return 0;
}

void
bench_receive(const uint8_t *data, uint32_t len)
{
	static struct sent frame;

	frame.len = len;
	memcpy(frame.data, data, len);
	sc_engine_call(receive, &frame);
}

/* ---- CQ ---- */

void
bench_cq_in(struct bench_cq *cq, uint32_t log_size, uint8_t *in)
{
	memset(cq, 0, sizeof(*cq));
	cq->log_size = log_size;
	cq->stride = 64;
	cq->ring = bench_alloc(128u << log_size, 4096); /* room for 128-byte entries */
	cq->dbr = bench_alloc(64, 64);
	memset(in, 0, 0x110);
	put32(in + 0x10, 1u << 25);                    /* dbr_umem_valid */
	put32(in + 0x14, bench.umem);                  /* dbr_umem_id */
	put32(in + 0x1c, log_size << 24 | bench.uar);  /* log_cq_size, uar_page */
	put32(in + 0x24, 1);                           /* c_eqn */
	put64(in + 0x48, bench_offset(cq->dbr));
	put64(in + 0x50, bench_offset(cq->ring));
	put32(in + 0x58, bench.umem);
	put32(in + 0x5c, 1u << 31);
}

void
bench_cq_init(struct bench_cq *cq)
{
	for (uint32_t i = 0; i < 1u << cq->log_size; i++)
		cq->ring[i * cq->stride + cq->stride - 1] = 0xf1;
}

void
bench_cq(struct bench_cq *cq, uint32_t log_size)
{
	uint8_t in[0x110];

	bench_cq_in(cq, log_size, in);
	cq->id = answer_id(0x400, in, sizeof(in));
	bench_cq_init(cq);
}

const uint8_t *
bench_cqe(struct bench_cq *cq)
{
	const uint8_t *entry = cq->ring + (cq->ci & ((1u << cq->log_size) - 1)) * cq->stride + cq->stride - 64;

	if (entry[63] >> 4 == 0xf || (entry[63] & 1) != (cq->ci >> cq->log_size & 1))
		return NULL;
	cq->ci++;
	return entry;
}

void
bench_cq_ack(struct bench_cq *cq)
{
	put32(cq->dbr, cq->ci & 0xffffff);
}

/* ---- SQ ---- */

void
bench_sq_in(struct bench_sq *sq, const struct bench_cq *cq, uint32_t log_size, uint8_t *in)
{
	uint8_t *ctx = in + 0x20, *wq = ctx + 0x30;

	memset(sq, 0, sizeof(*sq));
	sq->mask = (1u << log_size) - 1;
	sq->ring = bench_alloc(64u << log_size, 4096);
	sq->dbr = bench_alloc(64, 64);
	memset(in, 0, 0x110);
	put32(ctx, 1u << 28 | 1u << 27);               /* flush_in_error_en, allow_multi_pkt_send_wqe */
	put32(ctx + 0x04, 0xabcd);                     /* user_index */
	put32(ctx + 0x08, cq->id);
	put32(ctx + 0x20, 1u << 16);
	put32(ctx + 0x2c, bench.tis);
	put32(wq, 1u << 28);                           /* cyclic */
	put32(wq + 0x08, bench.pd);
	put32(wq + 0x0c, bench.uar);
	put64(wq + 0x10, bench_offset(sq->dbr));
	put32(wq + 0x20, 6u << 16 | log_size);
	put32(wq + 0x24, 3u << 30);
	put32(wq + 0x28, bench.umem);
	put32(wq + 0x2c, bench.umem);
	put64(wq + 0x30, bench_offset(sq->ring));
}

uint8_t
bench_sq_modify(uint32_t sqn, uint32_t from, uint32_t to)
{
	uint8_t in[0x110] = { 0 }, out[0x200];

	put32(in + 8, from << 28 | sqn);
	put32(in + 0x20, to << 20);
	return bench_command(0x905, in, sizeof(in), out);
}

void
bench_sq_make(struct bench_sq *sq, uint8_t *in)
{
	sq->id = answer_id(0x904, in, 0x110);
	assert_int_equal(bench_sq_modify(sq->id, 0, 1), 0);
}

void
bench_sq(struct bench_sq *sq, const struct bench_cq *cq, uint32_t log_size)
{
	uint8_t in[0x110];

	bench_sq_in(sq, cq, log_size, in);
	bench_sq_make(sq, in);
}

void
bench_post(struct bench_sq *sq, const uint8_t *wqe, uint32_t bytes)
{
	uint16_t first = sq->pi;

	for (uint32_t at = 0; at < bytes; at += 64) {
		uint32_t n = bytes - at < 64 ? bytes - at : 64;
		uint8_t *block = sq->ring + (sq->pi & sq->mask) * 64u;

		memset(block, 0, 64);
		memcpy(block, wqe + at, n);
		sq->pi++;
	}
	put16(sq->ring + (first & sq->mask) * 64u + 1, first);
	put16(sq->ring + (first & sq->mask) * 64u + 4, sq->id >> 8);
	sq->ring[(first & sq->mask) * 64u + 6] = (uint8_t)sq->id;
}

void
bench_ring(struct bench_sq *sq)
{
	put32(sq->dbr + 4, sq->pi);
	bench_step();
}

/* ---- RQ, TIR ---- */

void
bench_rq_in(struct bench_rq *rq, const struct bench_cq *cq, uint32_t log_size, uint32_t log_sges, uint8_t *in)
{
	uint8_t *ctx = in + 0x20, *wq = ctx + 0x30;

	memset(rq, 0, sizeof(*rq));
	rq->mask = (1u << log_size) - 1;
	rq->stride = 16u << log_sges;
	rq->ring = bench_alloc(rq->stride << log_size, 4096);
	rq->dbr = bench_alloc(64, 64);
	memset(in, 0, 0x110);
	put32(ctx, 1u << 28 | 1u << 18);               /* vsd, flush_in_error_en */
	put32(ctx + 0x04, 0x00beef);
	put32(ctx + 0x08, cq->id);
	put32(wq, 1u << 28);
	put32(wq + 0x08, bench.pd);
	put64(wq + 0x10, bench_offset(rq->dbr));
	put32(wq + 0x20, (4 + log_sges) << 16 | log_size);
	put32(wq + 0x24, 3u << 30);
	put32(wq + 0x28, bench.umem);
	put32(wq + 0x2c, bench.umem);
	put64(wq + 0x30, bench_offset(rq->ring));
}

uint8_t
bench_rq_modify(uint32_t rqn, uint32_t from, uint32_t to, uint32_t bits, uint32_t dword0)
{
	uint8_t in[0x110] = { 0 }, out[0x200];

	put32(in + 8, from << 28 | rqn);
	put32(in + 0x14, bits);
	put32(in + 0x20, to << 20 | dword0);
	return bench_command(0x909, in, sizeof(in), out);
}

void
bench_rq_make(struct bench_rq *rq, uint8_t *in)
{
	rq->id = answer_id(0x908, in, 0x110);
	assert_int_equal(bench_rq_modify(rq->id, 0, 1, 0, 0), 0);
}

void
bench_rq_post(struct bench_rq *rq, const uint8_t *buf, uint32_t len, uint32_t lkey)
{
	uint8_t *wqe = rq->ring + (rq->pi & rq->mask) * rq->stride;

	memset(wqe, 0, rq->stride);
	put32(wqe, len);
	put32(wqe + 4, lkey);
	put64(wqe + 8, (uintptr_t)buf);
	for (uint32_t at = 16; at < rq->stride; at += 16)
		put32(wqe + at + 4, 0x100);
	rq->pi++;
}

void
bench_rq_ring(struct bench_rq *rq)
{
	put32(rq->dbr, rq->pi);
}

void
bench_no_tir(void)
{
	if (bench.tir != NULL)
		bench.tir->obj.refs--;
	bench.tir = NULL;
}

uint32_t
bench_tir(uint32_t rqn)
{
	uint8_t in[0x110] = { 0 };
	uint32_t id;

	put32(in + 0x20 + 0x1c, rqn);
	put32(in + 0x20 + 0x24, bench.td);
	id = answer_id(0x900, in, sizeof(in));
	bench.tir = sc_object_find(bench.dev, SC_TIR, id);
	bench.tir->obj.refs++; /* the rule's */
	return id;
}
