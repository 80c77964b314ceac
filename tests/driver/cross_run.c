/* SPDX-License-Identifier: BSD-3-Clause */
#include "cross_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#define BURST 32
#define QUEUES_MAX 8
#define PATIENCE_S 60

#define FAIL(...) do { snprintf(run->error, sizeof(run->error), __VA_ARGS__); return -1; } while (0)

struct traffic {
	uint32_t *first;    /* frame of each packet, and one more */
	uint8_t *queue;     /* each packet was sent on */
	bool *came;         /* each frame */
	uint32_t sent, arrived;
	uint64_t bytes;
	/* frame + 1 that came last from one queue to another */
	uint32_t last[QUEUES_MAX][QUEUES_MAX];
};

uint32_t
cross_frames(const struct tx_mix *mix, uint32_t packets)
{
	struct tx_packet p;
	uint32_t sum = 0;

	for (uint32_t n = 0; n < packets; n++) {
		tx_packet_describe(mix, n, &p);
		sum += tx_packet_frames(&p);
	}
	return sum;
}

static int
prepare(struct cross_run *run, struct traffic *t)
{
	struct tx_packet p;

	t->first = calloc(run->packets + 1, sizeof(*t->first));
	t->queue = calloc(run->packets, sizeof(*t->queue));
	if (t->first == NULL || t->queue == NULL)
		FAIL("no memory");
	for (uint32_t n = 0; n < run->packets; n++) {
		tx_packet_describe(&run->mix, n, &p);
		t->first[n + 1] = t->first[n] + tx_packet_frames(&p);
	}
	run->frames = t->first[run->packets];
	t->came = calloc(run->frames, sizeof(*t->came));
	if (t->came == NULL)
		FAIL("no memory");
	return 0;
}

/* What both tell must be the same. */
static bool
same_told(const struct seen *a, const struct seen *b, const struct seen_how *how)
{
	bool both_hash = a->flags & b->flags & RTE_MBUF_F_RX_RSS_HASH && how->hash != SEEN_HASH_OR_ANY;
	uint64_t apart = RTE_MBUF_F_RX_RSS_HASH | (how->checksum && !how->no_types ? 0 : SEEN_CHECKSUMS);

	apart |= how->no_types ? SEEN_TAGS : 0;
	return !((a->flags ^ b->flags) & ~apart) && (how->no_types || (a->types == b->types && a->tci == b->tci)) &&
		(a->hash == b->hash || !both_hash);
}

static int
check_told(struct cross_run *run, const struct rte_mbuf *m, uint16_t queue, const struct tx_packet *p, const uint8_t *bytes,
	   uint32_t offset, uint32_t frame)
{
	struct seen seen, wanted;
	char what[400];

	seen_expect(p, bytes, &run->how, &wanted);
	seen_of(m, &seen);
	if (!seen_agree(&seen, &wanted, &run->how, what, sizeof(what)))
		FAIL("packet %u (kind %u) at %u: %s", p->number, p->kind, offset, what);
	if (wanted.flags & RTE_MBUF_F_RX_RSS_HASH && queue != run->to->reta[wanted.hash % run->to->reta_size])
		FAIL("packet %u (kind %u) on queue %u, not %u", p->number, p->kind, queue,
		     run->to->reta[wanted.hash % run->to->reta_size]);
	if (run->told != NULL)
		run->told[frame] = seen;
	if (run->before != NULL && !same_told(&seen, &run->before[frame], &run->how))
		FAIL("packet %u (kind %u) at %u: told otherwise by the two drivers", p->number, p->kind, offset);
	return 0;
}

static int
check_frame(struct cross_run *run, struct traffic *t, struct rte_mbuf *m, uint16_t queue)
{
	uint32_t offset, frame, *last;
	const uint8_t *bytes;
	const char *reason;
	struct tx_packet p;

	if (rte_mbuf_check(m, 1, &reason) != 0)
		FAIL("an mbuf with fault: %s", reason);
	if (m->port != run->to->id)
		FAIL("an mbuf of port %u", m->port);
	if (tx_mbufs_compare(&run->mix, run->packets, m, run->how.strip, &p, &offset, &bytes, run->error,
			     sizeof(run->error)) < 0)
		return -1;
	frame = t->first[p.number] + (p.mss != 0 ? offset / p.mss : 0);
	if (p.number >= t->sent || t->came[frame])
		FAIL("packet %u at %u %s", p.number, offset, p.number >= t->sent ? "was not sent yet" : "came twice");
	last = &t->last[t->queue[p.number]][queue];
	if (frame < *last)
		FAIL("packet %u at %u came behind a later one of its queue", p.number, offset);
	*last = frame + 1;
	t->came[frame] = true;
	t->bytes += m->pkt_len;
	return check_told(run, m, queue, &p, bytes, offset, frame);
}

static int
receive(struct cross_run *run, struct traffic *t)
{
	struct rte_mbuf *pkts[BURST];
	uint32_t nb = 0;

	for (uint16_t q = 0; q < run->to->rx_queues; q++) {
		uint16_t got = rte_eth_rx_burst(run->to->id, q, pkts, BURST);

		for (uint16_t i = 0; i < got; i++) {
			if (check_frame(run, t, pkts[i], q) != 0)
				return -1;
			rte_pktmbuf_free(pkts[i]);
		}
		nb += got;
	}
	t->arrived += nb;
	return (int)nb;
}

/* Receive until at most so many frames of those that were sent are still to come. */
static int
receive_until(struct cross_run *run, struct traffic *t, uint32_t in_flight)
{
	uint64_t since = rte_get_timer_cycles();

	while (t->first[t->sent] - t->arrived > in_flight) {
		int got = receive(run, t);

		if (got < 0)
			return -1;
		if (got != 0) {
			since = rte_get_timer_cycles();
			continue;
		}
		/* By the clock: the device's thread may have to wait for a CPU. */
		if (rte_get_timer_cycles() - since > PATIENCE_S * rte_get_timer_hz())
			FAIL("%u of %u frames came", t->arrived, t->first[t->sent]);
		usleep(10);
	}
	return 0;
}

static int
send_burst(struct cross_run *run, struct traffic *t, uint32_t nb)
{
	uint16_t queue = (uint16_t)random_below(run->source.random, run->from->tx_queues), at = 0;
	uint64_t since = rte_get_timer_cycles();
	struct rte_mbuf *pkts[BURST];

	for (uint32_t i = 0; i < nb; i++) {
		pkts[i] = tx_mbufs_make(&run->source, &run->mix, t->sent + i);
		if (pkts[i] == NULL)
			FAIL("no buffer: they leak");
		t->queue[t->sent + i] = (uint8_t)queue;
	}
	t->sent += nb;
	while (at < nb) {
		at = (uint16_t)(at + rte_eth_tx_burst(run->from->id, queue, pkts + at, (uint16_t)(nb - at)));
		if (receive(run, t) < 0)
			return -1;
		if (rte_get_timer_cycles() - since > PATIENCE_S * rte_get_timer_hz())
			FAIL("the queue does not take packet %u: %u bytes, %u segments", t->sent - nb + at, pkts[at]->pkt_len, pkts[at]->nb_segs);
	}
	return 0;
}

static int
check_counts(struct cross_run *run, const struct traffic *t)
{
	struct rte_eth_stats in, out;

	for (uint32_t i = 0; i < run->frames; i++)
		if (!t->came[i])
			FAIL("frame %u did not come", i);
	if (rte_eth_stats_get(run->to->id, &in) != 0 || rte_eth_stats_get(run->from->id, &out) != 0)
		FAIL("no statistics");
	if (in.ipackets != run->frames || in.imissed != 0 || in.ierrors != 0 || in.rx_nombuf != 0)
		FAIL("%lu received, %lu missed, %lu errors, %lu without buffer counted of %u", in.ipackets, in.imissed, in.ierrors,
		     in.rx_nombuf, run->frames);
	if (in.ibytes != t->bytes)
		FAIL("%lu bytes received, %lu counted", t->bytes, in.ibytes);
	/* A packet that is cut counts as its pieces. */
	if (out.opackets != run->frames || out.oerrors != 0)
		FAIL("%lu sent, %lu failed counted of %u", out.opackets, out.oerrors, run->frames);
	return 0;
}

static int
carry(struct cross_run *run, struct traffic *t)
{
	while (t->sent < run->packets) {
		uint32_t nb = RTE_MIN(1 + random_below(run->source.random, BURST), run->packets - t->sent), frames;

		/* No more than may be under way at once. */
		while (nb > 1 && t->first[t->sent + nb] - t->first[t->sent] > CROSS_IN_FLIGHT)
			nb--;
		frames = t->first[t->sent + nb] - t->first[t->sent];
		if (receive_until(run, t, CROSS_IN_FLIGHT - RTE_MIN(frames, CROSS_IN_FLIGHT)) != 0 || send_burst(run, t, nb) != 0)
			return -1;
	}
	return receive_until(run, t, 0) != 0 ? -1 : check_counts(run, t);
}

int
cross_run(struct cross_run *run)
{
	struct traffic t = { 0 };
	int rc = prepare(run, &t);

	if (rc == 0)
		rc = carry(run, &t);
	free(t.first);
	free(t.queue);
	free(t.came);
	return rc;
}
