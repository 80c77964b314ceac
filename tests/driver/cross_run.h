/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One run: packets from one port to another (or back to the same one), each frame compared byte by byte with what must be on
 * the wire, and what the driver tells of it with what it must tell. Each frame comes once, those of a pair of queues in
 * their order, on the queue that its hash leads to. Nothing may be lost, for no ring is ever full.
 */
#ifndef TESTS_DRIVER_CROSS_RUN_H
#define TESTS_DRIVER_CROSS_RUN_H

#include "cross_port.h"
#include "seen.h"
#include "tx_mbufs.h"

#define CROSS_IN_FLIGHT 256u /* frames; as many as the longest cut packet is, and no more than a ring holds */

struct cross_run {
	const struct cross_port *from, *to;
	struct tx_mix mix;
	struct tx_source source;
	struct seen_how how;
	uint32_t packets;
	/*
	 * One for each frame, in order, or NULL. told: what the driver tells of them; before: what another one told, compared.
	 */
	struct seen *told;
	const struct seen *before;

	/* cross_run writes */
	uint32_t frames;
	char error[512];
};

/* The frames of all packets of the run. */
uint32_t cross_frames(const struct tx_mix *mix, uint32_t packets);

/* @return 0, or -1 with a line in error. */
int cross_run(struct cross_run *run);

#endif
