/* SPDX-License-Identifier: BSD-3-Clause */

/* A device of the core alone, for tests: its only other part counts how often it is polled. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "prm/cmd.h"
#include "softcx/core/device.h"

/* What the fake part shall do and has done. */
extern struct test_part {
	uint32_t work;   /* units to report, one a round, until they are used up */
	uint64_t polled; /* rounds */
	uint64_t asked, asked_busy; /* of them: asked the kernel, too; and told that there is work */
	int init_error;  /* fail power-on with it */
	int alive;       /* init minus fini */
} test_part;

struct test_device {
	struct sc_device *dev;
	int port;
	uint16_t uid;
};

/* A stepped port with settings, a context on it and a user context. */
void test_open(struct test_device *t, const char *settings);
/* Close all of it and expect that nothing is left. */
void test_close(struct test_device *t);

/* Objects of a type on all ports. */
uint64_t test_count(struct test_device *t, enum sc_type type);

/* Run a 16-byte command with id (0x08); answer to out (16 bytes). @return what the engine returns. */
int test_command(struct test_device *t, uint16_t opcode, uint32_t id, uint8_t out[16]);
uint32_t test_alloc(struct test_device *t, uint16_t opcode);

#endif
