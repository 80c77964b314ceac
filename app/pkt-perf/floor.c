/* SPDX-License-Identifier: BSD-3-Clause */

#include "floor.h"

#include <errno.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_memcpy.h>

#include "clock.h"
#include "loops.h"
#include "options.h"
#include "stats.h"

#define RING_BYTES 32768
#define HEAD_BYTES 32    /* control and Ethernet segment of the burst's one descriptor */
#define CQE_BYTES 64
#define STRIDE_BYTES 2048

static uint8_t ring[RING_BYTES + 2048] __attribute__((aligned(64)));
static uint8_t cqes[512 * CQE_BYTES] __attribute__((aligned(64)));
static uint8_t strides[512 * STRIDE_BYTES] __attribute__((aligned(64)));

/* Stands for the doorbell record and the doorbell. */
static struct {
	volatile uint32_t record;
	volatile uint64_t doorbell;
} bell;

/* The burst's WQE bytes, with each packet's pointer or data in them; the buffers of the burst before go back. */
static uint32_t
send_floor(struct rte_mempool *pool, struct rte_mbuf **pkts, struct rte_mbuf **done, const struct options *options, uint32_t at)
{
	static const uint8_t image[1024];

	rte_mempool_put_bulk(pool, (void **)done, options->burst);
	rte_memcpy(&ring[at], image, HEAD_BYTES);
	at += HEAD_BYTES;
	for (uint16_t i = 0; i < options->burst; i++) {
		if (options->copy) {
			rte_memcpy(&ring[at], rte_pktmbuf_mtod(pkts[i], void *), options->wqe_bytes);
		} else {
			if (options->wqe_bytes > 16)
				rte_memcpy(&ring[at], image, options->wqe_bytes - 16);
			*(uint64_t *)&ring[at + options->wqe_bytes - 16] = 60;
			*(uint64_t *)&ring[at + options->wqe_bytes - 8] = (uintptr_t)pkts[i];
		}
		at += options->wqe_bytes;
		if (at >= RING_BYTES)
			at = 0;
	}
	bell.record = at;
	__asm__ volatile("" : : : "memory");
	bell.doorbell = at;
	return at;
}

/* Completions read; addresses of fresh buffers written, or (copy) packets copied into them. */
static uint32_t
receive_floor(struct rte_mempool *pool, struct rte_mbuf **pkts, const struct options *options, uint32_t at)
{
	uint64_t sum = 0;

	if (rte_mempool_get_bulk(pool, (void **)pkts, options->burst) != 0)
		return at;
	for (uint16_t i = 0; i < options->burst; i++, at = (at + 1) % 512) {
		for (int word = 0; word < 8; word++)
			sum += *(volatile uint64_t *)&cqes[at * CQE_BYTES + word * 8];
		if (options->copy) /* out of a stride */
			rte_mov64(rte_pktmbuf_mtod(pkts[i], uint8_t *), &strides[at * STRIDE_BYTES]);
		else
			*(uint64_t *)&ring[at * 16 + 8] = (uintptr_t)pkts[i];
	}
	bell.doorbell = sum;
	bell.record = at;
	return at;
}

/* In turn one of two bursts of buffers is in flight and the other comes or goes. */
int
floor_measure(struct perf_port *port, const struct options *options, double *ns)
{
	const bool sends = strcmp(options->loop, "rx") != 0, receives = strcmp(options->loop, "tx") != 0;
	struct rte_mbuf *pkts[2][BURST_MAX], **now = pkts[0], **done = pkts[1];
	uint64_t overhead = clock_overhead();
	struct samples samples = {0};
	struct samples_group group = {.size = RTE_MIN((uint32_t)SAMPLE_BURSTS, options->bursts)};
	uint32_t sent = 0, received = 0;

	if (sends && rte_mempool_get_bulk(port->pool, (void **)done, options->burst) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < options->bursts; i++) {
		struct rte_mbuf **swap = now;
		uint64_t begin, ended;

		if (!receives && rte_mempool_get_bulk(port->pool, (void **)now, options->burst) != 0)
			return -ENOMEM;
		begin = clock_now();
		if (receives)
			received = receive_floor(port->pool, now, options, received);
		if (sends)
			sent = send_floor(port->pool, now, done, options, sent);
		else
			rte_mempool_put_bulk(port->pool, (void **)now, options->burst);
		ended = clock_now();
		samples_add_to_group(&samples, &group, clock_ns((double)(int64_t)(ended - begin - overhead)) / options->burst);
		now = done;
		done = swap;
	}
	if (sends)
		rte_mempool_put_bulk(port->pool, (void **)done, options->burst);
	*ns = samples_middle(&samples);
	samples_free(&samples);
	return 0;
}
