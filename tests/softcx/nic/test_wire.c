/* SPDX-License-Identifier: BSD-3-Clause */

/* Wires: specs and their refusals, loop, pcap in and out, the generator, waiting for receive WQEs, pairs. */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"

#include "softcx/core/engine.h"
#include "softcx/wire/wire.h"

static void
test_specs(void **state)
{
	static const struct { const char *spec, *text; } wrong[] = {
		{ "rope", "null, loop, pair, pcap, tap, af_packet, gen" },
		{ "loop:fast", "\"fast\" is no option" },
		{ "null:color=red", "\"color\" is no option of \"null\"; there are: speed=" },
		{ "null:speed", "\"speed\" of \"null\" needs a value" },
		{ "null:speed=0", "not a number in 1..1000000" },
		{ "null:speed=1x", "not a number" },
		{ "pair", "needs DEVICE" },
		{ "pair:left", "device number" },
		{ "pair:8", "softcx0..softcx7" },
		{ "pair:1,hold=2", "takes no value" },
		{ "tap", "needs NAME" },
		{ "tap:a-name-that-is-too-long", "at most 15" },
		{ "pcap", "needs in=FILE" },
		{ "pcap:inn=x", "\"inn\" is no option of \"pcap\"; there are: in= out=" },
		{ "pcap:in=/x,pps=none", "\"pps=none\"" },
		{ "gen:size=10", "not a number in 60..9000" },
		{ "gen:ip=5", "none of: 4 6" },
		{ "gen:proto=sctp", "none of: udp tcp" },
		{ "gen:vary=mac", "none of: src dst sport dport" },
		{ "gen:src=1.2.3", "no IPv4 address" },
		{ "gen:ip=6,proto=tcp,size=60", "does not hold the headers" },
	};
	static const char *const good[] = {
		"", "null", "loop", "loop:hold", "pair:softcx1", "pair:1,speed=100000", "tap:x0", "af_packet:eth0",
		"pcap:in=/a,out=/b", "pcap:[in=/a;out=/b;repeat=0]", "gen", "gen:count=5,size=1500,ip=6,proto=tcp,flows=7",
	};
	char error[256];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error[0] = '\0';
		assert_int_equal(sc_wire_check(wrong[i].spec, error, sizeof(error)), -EINVAL);
		if (strstr(error, wrong[i].text) == NULL)
			fail_msg("%s: \"%s\" does not say \"%s\"", wrong[i].spec, error, wrong[i].text);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (sc_wire_check(good[i], error, sizeof(error)) != 0)
			fail_msg("%s: %s", good[i], error);
	assert_int_equal(sc_host_check("socket", error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "count, tap:NAME, pcap:FILE"));
	assert_int_equal(sc_host_check("tap", error, sizeof(error)), -EINVAL);
	assert_int_equal(sc_host_check("count:x", error, sizeof(error)), -EINVAL);
	assert_int_equal(sc_host_check("tap:x0", error, sizeof(error)), 0);
	assert_int_equal(sc_host_check("pcap:/tmp/x", error, sizeof(error)), 0);
	assert_int_equal(sc_host_check(NULL, error, sizeof(error)), 0);
}

struct queues {
	struct bench_cq cq, tx_cq;
	struct bench_rq rq;
	struct bench_sq sq;
	uint32_t tir, buffer;
	uint8_t *buf;
};

static void
open_queues(struct queues *q)
{
	uint8_t in[0x110];

	bench_cq(&q->cq, 4);
	bench_rq_in(&q->rq, &q->cq, 4, 0, in);
	q->tir = 0;
	q->buf = bench_alloc(16 * 2048, 64);
	bench_rq_make(&q->rq, in);
	q->tir = bench_tir(q->rq.id);
	q->buffer = 0;
	bench_cq(&q->tx_cq, 8);
	bench_sq(&q->sq, &q->tx_cq, 8);
}

static void
close_queues(struct queues *q)
{
	bench_no_tir();
	bench_destroy(0x902, q->tir);
	bench_destroy(0x90a, q->rq.id);
	bench_destroy(0x906, q->sq.id);
	bench_destroy(0x401, q->cq.id);
	bench_destroy(0x401, q->tx_cq.id);
}

static void
post_one(struct queues *q)
{
	bench_rq_post(&q->rq, q->buf + 2048 * (q->rq.pi & 15), 2048, bench.lkey);
	bench_rq_ring(&q->rq);
}

/* Step, take the next frame and give its WQE back. */
static const uint8_t *
take(struct queues *q, uint32_t *len)
{
	const uint8_t *cqe;

	bench_step();
	cqe = bench_cqe(&q->cq);
	if (cqe == NULL)
		return NULL;
	*len = get32(cqe + 0x2c);
	bench_cq_ack(&q->cq);
	return q->buf + 2048 * (get16(cqe + 0x3c) & 15);
}

static void
send_one(struct queues *q, uint8_t *frame, uint32_t len)
{
	uint8_t wqe[64] = { 0, 0, 0, 0x0a, 0, 0, 0, 3, 0, 0, 0, 4 };

	put32(wqe + 0x20, len);
	put32(wqe + 0x24, bench.lkey);
	put64(wqe + 0x28, (uintptr_t)frame);
	bench_post(&q->sq, wqe, 64);
	bench_ring(&q->sq);
}

static void
test_loop(void **state)
{
	uint8_t *frame;
	struct queues q;
	uint32_t len;
	const uint8_t *got;

	bench_open_wire("loop");
	open_queues(&q);
	frame = bench_alloc(2048, 64);
	for (int i = 0; i < 2048; i++)
		frame[i] = (uint8_t)i;
	for (int i = 0; i < 100; i++) {
		post_one(&q);
		send_one(&q, frame, 60 + (uint32_t)i);
		got = take(&q, &len);
		assert_non_null(got);
		assert_int_equal(len, 60 + i);
		assert_memory_equal(got, frame, len);
	}
	send_one(&q, frame, 60); /* no WQE: lost, as on a cable */
	assert_null(take(&q, &len));
	assert_int_equal(sc_wire_counters(bench.dev)->tx_frames, 101);
	close_queues(&q);
	bench_close(NULL);
}

/* More frames than receive WQEs: the line waits, and so does the sender; nothing is lost. */
static void
test_loop_hold(void **state)
{
	struct queues q;
	uint8_t *frame;
	uint32_t len;

	bench_open_wire("loop:hold");
	open_queues(&q);
	frame = bench_alloc(2048, 64);
	post_one(&q); /* a queue that never had a WQE is one for dropping */
	for (uint32_t i = 0; i < 100; i++) {
		memset(frame, (int)i, 64);
		frame[0] = 2;
		send_one(&q, frame, 64);
	}
	for (uint32_t i = 0; i < 100; i++) {
		const uint8_t *got;

		if (i > 0)
			post_one(&q);
		got = take(&q, &len);
		assert_non_null(got);
		assert_int_equal(got[63], i);
	}
	assert_true(sc_wire_done(bench.dev));
	close_queues(&q);
	bench_close(NULL);
}

static void
write_pcap(const char *path, uint32_t nb, bool nano)
{
	pcap_t *handle = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, 65535,
		nano ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
	pcap_dumper_t *out = pcap_dump_open(handle, path);
	uint8_t frame[1500];

	assert_non_null(out);
	for (uint32_t i = 0; i < nb; i++) {
		struct pcap_pkthdr head = { .ts = { (time_t)i, 5 }, .caplen = 40 + i, .len = 40 + i };

		memset(frame, (int)i, sizeof(frame));
		frame[0] = 2;
		pcap_dump((u_char *)out, &head, frame);
	}
	pcap_dump_close(out);
	pcap_close(handle);
}

/*
 * 200 frames into a ring of 16, refilled one by one, twice over; shorter ones padded; replies into another
 * file.
 */
static void
test_pcap(void **state)
{
	char in[] = "/tmp/softcx_nic_in_XXXXXX", out[] = "/tmp/softcx_nic_out_XXXXXX", spec[128], error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *head;
	const u_char *data;
	struct queues q;
	uint32_t len;
	uint8_t *frame;
	pcap_t *handle;

	close(mkstemp(in));
	close(mkstemp(out));
	write_pcap(in, 200, true);
	snprintf(spec, sizeof(spec), "pcap:in=%s;out=%s;repeat=2", in, out);
	bench_open_wire(spec);
	bench_step();
	assert_int_equal(bench.dev->port.rx_frames, 0); /* nobody listens yet */
	open_queues(&q);
	frame = bench_alloc(2048, 64);
	for (uint32_t i = 0; i < 400; i++) {
		uint32_t n = 40 + i % 200;
		const uint8_t *got;

		if (i == 0)
			for (int j = 0; j < 16; j++)
				post_one(&q);
		got = take(&q, &len);
		assert_non_null(got);
		assert_int_equal(len, n < 60 ? 60 : n);
		assert_int_equal(got[39], i % 200);
		memcpy(frame, got, len);
		send_one(&q, frame, len);
		post_one(&q);
	}
	assert_null(take(&q, &len));
	assert_true(sc_wire_done(bench.dev));
	assert_int_equal(sc_wire_counters(bench.dev)->rx_frames, 400);
	close_queues(&q);
	bench_close(NULL);

	handle = pcap_open_offline(out, error);
	assert_non_null(handle);
	for (uint32_t i = 0; i < 400; i++) {
		assert_int_equal(pcap_next_ex(handle, &head, &data), 1);
		assert_int_equal(data[39], i % 200);
	}
	assert_int_equal(pcap_next_ex(handle, &head, &data), PCAP_ERROR_BREAK);
	pcap_close(handle);
	unlink(in);
	unlink(out);
}

static void
test_pcap_drop(void **state)
{
	char in[] = "/tmp/softcx_nic_in_XXXXXX", spec[128];
	struct queues q;

	close(mkstemp(in));
	write_pcap(in, 100, false);
	snprintf(spec, sizeof(spec), "pcap:in=%s;drop", in);
	bench_open_wire(spec);
	open_queues(&q);
	for (int j = 0; j < 16; j++)
		post_one(&q);
	bench_step();
	assert_true(sc_wire_done(bench.dev));
	assert_int_equal(((struct sc_rq *)sc_object_find(bench.dev, SC_RQ, q.rq.id))->out_of_buffer, 84);
	close_queues(&q);
	bench_close(NULL);
	unlink(in);
}

static void
test_pcap_refusals(void **state)
{
	char text[] = "/tmp/softcx_nic_in_XXXXXX", spec[128], error[256];
	int fd = mkstemp(text);

	bench_open_wire("null");
	assert_int_equal(write(fd, "no capture", 10), 10);
	close(fd);
	snprintf(spec, sizeof(spec), "pcap:in=%s", text);
	assert_int_equal(sc_wire_open(bench.dev, spec, error, sizeof(error)), -EINVAL);
	assert_int_equal(sc_wire_open(bench.dev, "pcap:in=/nowhere/x", error, sizeof(error)), -ENOENT);
	assert_non_null(strstr(error, "/nowhere/x"));
	assert_int_equal(sc_wire_open(bench.dev, "pcap:in=/dev/null", error, sizeof(error)), -EINVAL);
	assert_int_equal(sc_wire_open(bench.dev, "pcap:out=/nowhere/x", error, sizeof(error)), -EIO);
	assert_int_equal(sc_host_open(bench.dev, "pcap:/nowhere/x", error, sizeof(error)), -EIO);
	bench_close(NULL);
	unlink(text);
}

/* Every packet once, in order, whole: both checksums verified by the device itself. */
static void
check_gen(const char *spec, uint32_t nb, uint32_t size, uint32_t flow_at, uint32_t flows)
{
	struct queues q;
	uint32_t len;

	bench_open_wire(spec);
	open_queues(&q);
	for (int j = 0; j < 16; j++)
		post_one(&q);
	for (uint32_t i = 0; i < nb; i++) {
		const uint8_t *cqe, *got;

		bench_step();
		cqe = bench_cqe(&q.cq);
		assert_non_null(cqe);
		len = get32(cqe + 0x2c);
		got = q.buf + 2048 * (get16(cqe + 0x3c) & 15);
		assert_int_equal(cqe[0x1c], 7);
		assert_int_equal(len, size);
		assert_memory_equal(got, bench.dev->mac, 6);
		assert_int_equal(get16(got + flow_at) % flows, i % flows);
		bench_cq_ack(&q.cq);
		post_one(&q);
	}
	assert_true(sc_wire_done(bench.dev));
	close_queues(&q);
	bench_close(NULL);
}

static void
test_gen(void **state)
{
	check_gen("gen:count=300,flows=8", 300, 64, 28, 8);
	check_gen("gen:count=100,flows=16,size=1514,proto=tcp,vary=sport,sport=4096", 100, 1514, 34, 16);
	check_gen("gen:count=100,flows=4,size=128,ip=6,vary=dst", 100, 128, 14 + 38, 4);
	check_gen("gen:count=100,flows=4,size=80,ip=6,proto=tcp,vary=dport,dport=0", 100, 80, 56, 4);
}

/* Two devices of the engine, one cable. */
static void
test_pair(void **state)
{
	char error[256], spec[64];
	struct sc_device *other;
	struct queues q;
	uint8_t *frame;
	uint32_t peer;
	int ret;

	bench_open_wire("null");
	peer = bench.dev->index + 1;
	sc_wire_close(bench.dev);
	snprintf(spec, sizeof(spec), "pair:%u", peer);
	assert_int_equal(sc_wire_open(bench.dev, spec, error, sizeof(error)), 0);
	snprintf(spec, sizeof(spec), "exec=stepped,uar=poll,wire=pair:softcx%u", bench.dev->index);
	bench_step();
	assert_false(bench.dev->carrier);
	/* A port that is there and leads elsewhere is no other end; one that is not there may come. */
	ret = sc_port_create("exec=stepped,uar=poll,wire=loop", error, sizeof(error));
	assert_int_equal(ret, peer);
	assert_true(sc_port_create("exec=stepped,uar=poll,wire=pair:softcx1", error, sizeof(error)) < 0);
	assert_non_null(strstr(error, "the wire of softcx1 is loop, it does not name softcx2"));
	assert_int_equal(sc_port_destroy(peer), 0);
	ret = sc_port_create(spec, error, sizeof(error));
	if (ret < 0)
		fail_msg("%s", error);
	assert_int_equal(ret, peer);
	assert_int_equal(sc_device_open(peer, &other, error, sizeof(error)), 0);
	bench_step();
	assert_true(bench.dev->carrier);
	assert_true(other->carrier);
	open_queues(&q);
	frame = bench_alloc(2048, 64);
	frame[0] = 2;
	for (uint32_t i = 0; i < 50; i++)
		send_one(&q, frame, 100);
	assert_int_equal(other->port.rx_frames, 50);
	assert_int_equal(other->port.rx_octets, 5000);
	assert_int_equal(bench.dev->port.rx_frames, 0);
	sc_device_close(other);
	assert_int_equal(sc_port_destroy(peer), 0);
	bench_step();
	assert_false(bench.dev->carrier);
	close_queues(&q);
	bench_close(NULL);
}

/* A wire with a speed takes its time. */
static void
test_speed(void **state)
{
	struct queues q;
	uint64_t start;

	bench_open_wire("gen:count=10,size=1226,speed=1000"); /* 10 us each, with 24 bytes around a frame */
	open_queues(&q);
	for (int j = 0; j < 16; j++)
		post_one(&q);
	start = sc_now_ns();
	for (int i = 0; i < 1000 && !sc_wire_done(bench.dev); i++)
		bench_step();
	assert_true(sc_wire_done(bench.dev));
	assert_true(sc_now_ns() - start >= 90000);
	assert_int_equal(bench.dev->speed_mbps, 1000);
	close_queues(&q);
	bench_close(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_specs), cmocka_unit_test(test_loop), cmocka_unit_test(test_loop_hold),
		cmocka_unit_test(test_pcap), cmocka_unit_test(test_pcap_drop), cmocka_unit_test(test_pcap_refusals),
		cmocka_unit_test(test_gen), cmocka_unit_test(test_pair), cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
