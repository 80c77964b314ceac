/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A verbs library made by hand: it gives out numbers, counts what is alive, keeps the last commands byte
 * by byte, and fails the n-th call when told to. It knows nothing of layouts but opcode (first two bytes)
 * and status.
 */
#ifndef FAKE_H
#define FAKE_H

#include "hca/device.h"

#define FAKE_MAX_IN 4096

struct fake_command {
	uint8_t in[FAKE_MAX_IN];
	size_t in_len;
};

struct fake {
	int alive;             /* objects, umems, keys, pages, domains, contexts, flows together */
	int calls;             /* of functions that can fail */
	int fail_at;           /* that call fails; 0: none */
	uint8_t fail_status;   /* and says this status; 0: errno alone */
	uint32_t next_id;
	int events;            /* that many wait in an event channel */
	struct fake_command last_create, last_modify, last_general, last_query;
	uint8_t caps[256][4096]; /* capability page by group */
	uint32_t answer[16];     /* dwords behind the head of the next query's answer, host order */
};

extern struct fake fake;

/* A clean fake with the capabilities of a small device. */
void fake_reset(void);
const struct hca_verbs *fake_verbs(void);
/* An opened device, or the test fails. */
struct hca_device *fake_open(void);

/* Big-endian dword of a command. */
uint32_t fake_dw(const struct fake_command *command, size_t offset);

#endif
