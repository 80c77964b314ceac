/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * CQE compression (nic.md 3.7, 3.8, 8.9): the worked sessions of A.8 and A.9, what closes a session, holes,
 * the ring's end, a ring without room; and random streams, expanded by the rules of the manual.
 */
#include "bench.h"

#include "softcx/core/fault.h"
#include "softcx/core/port.h"

#define HOLE  0xa5 /* what a slot holds that nobody wrote */

struct fixture {
	struct bench_cq cq;
	struct bench_rq rq;
	uint32_t tir;
	uint8_t *buf;
};

/* format as DPDK counts: 4 is the extended one */
static void
make(struct fixture *f, uint32_t log_cq, uint32_t format, bool enhanced)
{
	uint8_t in[0x110], out[0x200];

	bench_cq_in(&f->cq, log_cq, in);
	put32(in + 0x10, get32(in + 0x10) | 1u << 14 | (format & 3) << 12 | enhanced);
	put32(in + 0x18, format == 4 ? 1u << 2 : 0);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 0);
	f->cq.id = get32(out + 8) & 0xffffff;
	memset(f->cq.ring, HOLE, 64u << log_cq);
	bench_cq_init(&f->cq);
	for (uint32_t i = 0; enhanced && i < 1u << log_cq; i++)
		f->cq.ring[i * 64 + 62] = 0xff;
	bench_rq_in(&f->rq, &f->cq, 8, 0, in);
	bench_rq_make(&f->rq, in);
	f->tir = bench_tir(f->rq.id);
	bench.tir->hash_fn = 2;
	bench.tir->outer = 0xf; /* TCP over IPv4 */
	unhex("6d5a56da 255b0ec2 4167253d 43a38fb0 d0ca2bcb ae7b30b4 77cb2da3 8030f20c 6a42b73b beac01fa", bench.tir->key);
	f->buf = bench_alloc(2048, 64);
	for (int i = 0; i < 256; i++)
		bench_rq_post(&f->rq, f->buf, 2048, bench.lkey);
	bench_rq_ring(&f->rq);
}

static void
unmake(struct fixture *f)
{
	bench_no_tir();
	bench_destroy(0x902, f->tir);
	bench_destroy(0x90a, f->rq.id);
	bench_destroy(0x401, f->cq.id);
}

/* TCP over IPv4 of len bytes whose hash is row 1 of A.11 for port 2794 */
static void
receive(uint32_t len, uint16_t sport)
{
	uint8_t frame[1600] = { 0 };

	unhex("020000000002 020000000001 0800  4500 0000 0001 0000 4006 0000 42 09 95 bb a1 8e 64 50"
		"  0aea 06e6 00000001 00000001 5010 ffff 0000 0000", frame);
	put16(frame + 16, len - 14);
	put16(frame + 34, sport);
	bench_receive(frame, len);
}

static uint8_t *
slot(struct fixture *f, uint32_t index)
{
	return f->cq.ring + (index & ((1u << f->cq.log_size) - 1)) * 64;
}

static void
assert_hole(const uint8_t *at)
{
	for (int i = 0; i < 63; i++)
		assert_int_equal(at[i], HOLE);
	assert_int_equal(at[63], 0xf1);
}

static void
assert_entry(const uint8_t *mini, const char *text)
{
	uint8_t expected[8];

	assert_int_equal(unhex(text, expected), 8);
	assert_memory_equal(mini, expected, 8);
}

/* Slots 3 to 12 of a ring of 16: title, eight entries, six holes, two entries, a hole. */
static void
worked_basic(void **state)
{
	struct fixture f;

	make(&f, 4, 0, false);
	for (bench.flow_tag = 1; bench.flow_tag <= 3; bench.flow_tag++)
		receive(60, 2794);
	for (int i = 0; i < 10; i++)
		receive(60 + i / 9 * 40, 2794);
	assert_int_equal(slot(&f, 3)[63], 0xf1); /* nothing is written while it may grow */
	bench_step();
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(slot(&f, i)[63], 0x20);
		assert_int_equal(get32(slot(&f, i) + 0x2c), 60);
	}
	assert_int_equal(slot(&f, 3)[63], 0x2c);
	assert_int_equal(get32(slot(&f, 3) + 0x2c), 10);
	assert_int_equal(get16(slot(&f, 3) + 0x3c), 3);
	assert_int_equal(get32(slot(&f, 3) + 0x38), 4);
	for (uint32_t i = 0; i < 8; i++)
		assert_entry(slot(&f, 4) + i * 8, "51ccc178 0000003c");
	for (uint32_t i = 5; i <= 10; i++)
		assert_hole(slot(&f, i));
	assert_entry(slot(&f, 11), "51ccc178 0000003c");
	for (uint32_t i = 1; i < 8; i++) /* the last one, repeated */
		assert_entry(slot(&f, 11) + i * 8, "51ccc178 00000064");
	assert_hole(slot(&f, 12));
	unmake(&f);
}

/* An entry at slot 3, a block for slots 4 to 6, the next entry at slot 7. */
static void
worked_enhanced(void **state)
{
	struct fixture f;

	make(&f, 4, 0, true);
	for (bench.flow_tag = 1; bench.flow_tag <= 3; bench.flow_tag++)
		receive(60, 2794);
	for (int i = 0; i < 4; i++)
		receive(60, 2794);
	bench.flow_tag = 5;
	receive(60, 2794);
	bench_step();
	assert_int_equal(get16(slot(&f, 3) + 62), 0x0020);
	assert_int_equal(get32(slot(&f, 3) + 0x2c), 60);
	assert_int_equal(get16(slot(&f, 4) + 62), 0x002c);
	for (uint32_t i = 0; i < 3; i++)
		assert_entry(slot(&f, 4) + i * 8, "51ccc178 0000003c");
	for (uint32_t i = 5; i <= 6; i++)
		assert_int_equal(get16(slot(&f, i) + 62), 0xfff1);
	assert_int_equal(get16(slot(&f, 7) + 62), 0x0020);
	assert_int_equal(get32(slot(&f, 7) + 0x38), 5);
	unmake(&f);
}

/* ---- expanding, by the rules of the manual ---- */

struct seen {
	uint32_t len, hash, tag, counter;
};

/* One completion, or a session, at cq.ci. @return packets, 0 when there is nothing. */
static uint32_t
expand(struct fixture *f, uint32_t format, bool enhanced, struct seen *to)
{
	static uint8_t title[64]; /* enhanced: the last ordinary one */
	static uint32_t behind;
	uint32_t ci = f->cq.ci, n;
	uint8_t *cqe = slot(f, ci), arrays[64 * 8], own = cqe[63];

	if (enhanced ? own >> 4 == 0xf && (own & 0xc) != 0xc : own >> 4 == 0xf)
		return 0;
	if (enhanced ? cqe[62] != (uint8_t)(ci >> f->cq.log_size) : (own & 1) != (ci >> f->cq.log_size & 1))
		return 0;
	if ((own & 0x0c) != 0x0c) {
		assert_int_equal(own & 0xfe, 0x20);
		memcpy(title, cqe, 64);
		behind = 1;
		*to = (struct seen){ get32(cqe + 0x2c), get32(cqe + 0x0c), get32(cqe + 0x38) & 0xffffff, get16(cqe + 0x3c) };
		f->cq.ci++;
		return 1;
	}
	if (enhanced) {
		n = (own >> 4) + 1;
		assert_true(n <= 7);
		memcpy(arrays, cqe, 64);
	} else {
		memcpy(title, cqe, 64);
		behind = 0;
		n = get32(cqe + 0x2c);
		assert_true(n >= 2 && n <= 64);
		for (uint32_t i = 0; i < n; i += 8)
			memcpy(arrays + i * 8, slot(f, ci + (i == 0 ? 1 : i)), 64);
	}
	assert_true((ci & ((1u << f->cq.log_size) - 1)) + n <= 1u << f->cq.log_size);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *m = arrays + i * 8;

		to[i] = (struct seen){ get32(m + 4), 0, get32(title + 0x38) & 0xffffff, get16(title + 0x3c) + behind + i };
		if (format == 0)
			to[i].hash = get32(m);
		if (format == 2) {
			to[i].tag = (to[i].len >> 24) << 16 | get16(m);
			to[i].len &= 0xffffff;
		}
	}
	behind += n;
	for (uint32_t i = 1; i < n && !enhanced; i++)
		slot(f, ci + i)[63] = 0xf0;
	f->cq.ci += n;
	return n;
}

/* Bursts of packets that often differ; the driver now and then is late. Nothing is lost, repeated or mixed up. */
static void
random_stream(uint32_t format, bool enhanced)
{
	struct seen sent[512], got[64];
	uint32_t nb_sent = 0, nb_got = 0, compressed = 0, log = format == 1 ? 6 : 8;
	struct fixture f;

	make(&f, log, format, enhanced);
	srand(format + 10 * enhanced);
	bench.flow_tag = 0x10203;
	for (int round = 0; round < 3000; round++) {
		for (int i = rand() % 40; i > 0 && nb_sent - nb_got < 48; i--) {
			uint16_t sport = rand() % 2 ? 2794 : (uint16_t)rand();

			if (rand() % 16 == 0)
				bench.flow_tag = (uint32_t)rand() & 0xffffff;
			sent[nb_sent % 512] = (struct seen){ 60 + (uint32_t)rand() % 1000, sport, bench.flow_tag, nb_sent };
			receive(sent[nb_sent % 512].len, sport);
			nb_sent++;
		}
		if (rand() % 4 != 0)
			bench_step();
		for (uint32_t n; (n = expand(&f, format, enhanced, got)) != 0;) {
			compressed += n > 1;
			for (uint32_t i = 0; i < n; i++, nb_got++) {
				const struct seen *s = &sent[nb_got % 512];

				assert_int_equal(got[i].len, s->len);
				assert_int_equal(got[i].tag, s->tag);
				assert_int_equal(got[i].counter & 0xffff, s->counter & 0xffff);
				if (format == 0 && s->hash == 2794)
					assert_int_equal(got[i].hash, 0x51ccc178);
				bench_rq_post(&f.rq, f.buf, 2048, bench.lkey);
			}
			bench_cq_ack(&f.cq);
			bench_rq_ring(&f.rq);
		}
	}
	bench_step();
	while ((nb_got += expand(&f, format, enhanced, got)) < nb_sent)
		;
	assert_true(nb_sent > 20000);
	assert_true(compressed > 500);
	assert_int_equal(bench.dev->port.rx_steering_discard, 0);
	unmake(&f);
}

static void
streams(void **state)
{
	for (uint32_t format = 0; format <= 4; format++)
		random_stream(format, false);
}

static void
enhanced_streams(void **state)
{
	for (uint32_t format = 0; format <= 4; format++)
		random_stream(format, true);
}

/* 64 at most; what is left goes on as a session of its own. */
static void
longest(void **state)
{
	struct seen got[64];
	struct fixture f;

	make(&f, 8, 0, false);
	for (int i = 0; i < 100; i++)
		receive(60, 2794);
	assert_int_equal(expand(&f, 0, false, got), 64); /* written without waiting for the round's end */
	assert_int_equal(expand(&f, 0, false, got), 0);
	bench_step();
	assert_int_equal(expand(&f, 0, false, got), 36);
	unmake(&f);
}

/* Never over the ring's end. */
static void
ring_end(void **state)
{
	struct seen got[64];
	struct fixture f;

	make(&f, 4, 0, false);
	for (int i = 0; i < 5; i++)
		receive(60, 2794);
	bench_step();
	assert_int_equal(expand(&f, 0, false, got), 5);
	bench_cq_ack(&f.cq);
	for (int i = 0; i < 14; i++)
		receive(60, 2794);
	bench_step();
	assert_int_equal(expand(&f, 0, false, got), 11);
	assert_int_equal(expand(&f, 0, false, got), 3);
	unmake(&f);
}

/* The 17th packet finds no room: what was there stays readable, and it was everything. */
static void
overrun(void **state)
{
	struct seen got[64];
	struct fixture f;

	make(&f, 4, 0, false);
	for (int i = 0; i < 17; i++)
		receive(60, 2794);
	bench_step();
	assert_int_equal(bench.event, SC_EVENT_CQ_ERROR);
	assert_int_equal(bench.event_obj, f.cq.id);
	assert_int_equal(((struct sc_cq *)sc_object_find(bench.dev, SC_CQ, f.cq.id))->status, 9);
	assert_int_equal(expand(&f, 0, false, got), 16);
	assert_int_equal(expand(&f, 0, false, got), 0);
	unmake(&f);
}

/* An error completion closes the session before it. */
static void
error_between(void **state)
{
	char error[128];
	struct seen got[64];
	struct fixture f;

	make(&f, 6, 0, false);
	assert_int_equal(sc_fault_order(bench.dev, "rq:*:4:0x01", error, sizeof(error)), 0);
	for (int i = 0; i < 6; i++)
		receive(60, 2794);
	bench_step();
	assert_int_equal(expand(&f, 0, false, got), 3);
	assert_int_equal(slot(&f, 3)[63], 0xe0);
	assert_int_equal(slot(&f, 3)[0x37], 0x01);
	assert_int_equal(get16(slot(&f, 3) + 0x3c), 3);
	f.cq.ci++;
	assert_int_equal(expand(&f, 0, false, got), 2);
	assert_int_equal(got[0].counter, 4);
	unmake(&f);
}

/* With patience a session goes on into later rounds; one step is a microsecond. */
static void
patience(void **state)
{
	struct seen got[64];
	struct fixture f;

	bench_open_settings("cqe_comp_us=20");
	make(&f, 6, 0, false);
	for (int i = 0; i < 10; i++) {
		receive(60, 2794);
		bench_step();
		assert_int_equal(expand(&f, 0, false, got), 0);
	}
	for (int i = 0; i < 12; i++)
		bench_step();
	assert_int_equal(expand(&f, 0, false, got), 10);
	unmake(&f);
	bench_close(NULL);
}

/* Of a user that goes without destroying its queue, and of a device that died, nothing more is written: the memory may be gone. */
static void
nobody_reads(void **state)
{
	for (int dead = 0; dead < 2; dead++) {
		struct fixture f;

		bench_open_settings("cqe_comp_us=1000");
		make(&f, 6, 0, false);
		for (int i = 0; i < 3; i++)
			receive(60, 2794);
		bench_step();
		if (dead != 0)
			sc_device_die(bench.dev);
		else
			sc_sessions_drop(bench.dev, (uint16_t)((struct sc_object *)sc_object_find(bench.dev, SC_CQ, f.cq.id))->uid);
		unmake(&f);
		for (uint32_t i = 0; i < 3; i++)
			assert_hole(slot(&f, i));
		bench_close(NULL);
	}
}

/* Format 4 tells the header types apart, format 0 does not mix them. */
static void
mixed_types(void **state)
{
	for (uint32_t format = 0; format <= 4; format += 4) {
		uint8_t udp[64] = { 0 };
		struct seen got[64];
		struct fixture f;

		make(&f, 6, format, false);
		unhex("020000000002 020000000001 0800  4500 002e 0001 0000 4011 0000 42 09 95 bb a1 8e 64 50"
			"  0aea 06e6 001a 1234", udp); /* a sum as wrong as the others */
		for (int i = 0; i < 3; i++) {
			receive(60, 2794);
			bench_receive(udp, 60);
		}
		bench_step();
		if (format == 0) {
			for (int i = 0; i < 6; i++)
				assert_int_equal(expand(&f, 0, false, got), 1);
		} else {
			const uint8_t *mini = slot(&f, 1);

			for (uint32_t i = 0; i < 6; i++) { /* no good checksum in any of them */
				assert_int_equal(mini[i * 8], i % 2 ? 0x28 : 0x48);
				assert_int_equal(get16(mini + i * 8 + 2), i);
			}
			assert_int_equal(expand(&f, 4, false, got), 6);
		}
		unmake(&f);
	}
}

/* The enhanced layout on a model that offers it only. */
static void
models(void **state)
{
	uint8_t in[0x110], out[0x200];
	struct bench_cq cq;

	bench_open_settings("model=cx6dx");
	bench_cq_in(&cq, 4, in);
	put32(in + 0x10, get32(in + 0x10) | 1u << 14 | 1);
	assert_int_equal(bench_command(0x400, in, sizeof(in), out), 3);
	assert_non_null(strstr(bench.dev->last_error, "enhanced_cqe_compression is not offered"));
	bench_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(worked_basic, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(worked_enhanced, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(streams, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(enhanced_streams, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(longest, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(ring_end, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(overrun, bench_open, bench_close),
		cmocka_unit_test_setup_teardown(error_between, bench_open, bench_close),
		cmocka_unit_test(patience),
		cmocka_unit_test(nobody_reads),
		cmocka_unit_test_setup_teardown(mixed_types, bench_open, bench_close),
		cmocka_unit_test(models),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
