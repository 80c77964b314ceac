/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A device on the bench: the real core and nic, stepped, with steering replaced by what the test says.
 * Memory that the driver would own is one arena, registered as a umem and as a key.
 *
 * Arena: queues get their rings, records and buffers from it one after the other. Byte offsets in commands
 * and rings are typed from nic.md here, not taken from lib/prm.
 */
#ifndef TEST_NIC_BENCH_H
#define TEST_NIC_BENCH_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "softcx/core/device.h"
#include "softcx/nic/internal.h"

#define ARENA (8u << 20)
#define SENT_MAX 512

struct sent {
	uint32_t len, reg_a, sqn;
	uint8_t data[SC_PACKET_MAX + 64];
};

struct bench {
	struct sc_device *dev;
	uint8_t *arena;
	uint32_t used;
	uint32_t umem, pd, uar, td, tis, lkey;
	/* steering */
	struct sc_tir *tir;         /* where received frames go; NULL: discarded */
	uint32_t flow_tag, reg_b;   /* what the rule sets */
	struct sent *sent;          /* frames that came to the transmit tables */
	uint32_t nb_sent;
	int gta_result;             /* what the next GTA WQEs answer */
	uint32_t nb_gta, nb_aso;
	const uint8_t *gta_first, *gta_second;
	uint32_t nb_events;
	enum sc_event_type event;
	uint32_t event_obj;
};

extern struct bench bench;

int bench_open(void **state);  /* cmocka set-up: wire null */
int bench_close(void **state); /* tear-down: checks that nothing is left */
void bench_open_wire(const char *wire);
void bench_open_settings(const char *settings); /* more of them, behind exec=stepped,uar=poll */

/* Zeroed memory of the arena. */
uint8_t *bench_alloc(uint32_t len, uint32_t align);
uint64_t bench_offset(const void *at);

/* Run a command; in's first dword is filled from opcode. @return the status byte. out: 0x200 bytes. */
uint8_t bench_command(uint16_t opcode, uint8_t *in, uint32_t len, uint8_t *out);
void bench_destroy(uint16_t opcode, uint32_t id);
uint8_t bench_try_destroy(uint16_t opcode, uint32_t id);

void put16(uint8_t *at, uint32_t value);
void put32(uint8_t *at, uint32_t value);
void put64(uint8_t *at, uint64_t value);
uint32_t get16(const uint8_t *at);
uint32_t get32(const uint8_t *at);
/* Hex digits, blanks ignored, into bytes. @return how many. */
uint32_t unhex(const char *text, uint8_t *to);

struct bench_cq {
	uint32_t id, log_size, ci, stride;
	uint8_t *ring, *dbr;
};

struct bench_sq {
	uint32_t id, mask;
	uint16_t pi;
	uint8_t *ring, *dbr;
};

struct bench_rq {
	uint32_t id, mask, stride;
	uint16_t pi;
	uint8_t *ring, *dbr;
};

void bench_cq(struct bench_cq *cq, uint32_t log_size);
void bench_cq_in(struct bench_cq *cq, uint32_t log_size, uint8_t *in); /* the command, 0x110 bytes, ready to be changed */
void bench_cq_init(struct bench_cq *cq); /* what a driver does after creation */
/* The next entry when the device has written it (64 bytes), else NULL. Does not give it back. */
const uint8_t *bench_cqe(struct bench_cq *cq);
void bench_cq_ack(struct bench_cq *cq);

void bench_sq_in(struct bench_sq *sq, const struct bench_cq *cq, uint32_t log_size, uint8_t *in);
void bench_sq_make(struct bench_sq *sq, uint8_t *in); /* creates, makes RDY */
void bench_sq(struct bench_sq *sq, const struct bench_cq *cq, uint32_t log_size);
uint8_t bench_sq_modify(uint32_t sqn, uint32_t from, uint32_t to);
/* Copy a WQE of whole WQEBBs into the ring, index and SQN patched; the record is left. */
void bench_post(struct bench_sq *sq, const uint8_t *wqe, uint32_t bytes);
void bench_ring(struct bench_sq *sq); /* record, then one step */

void bench_rq_in(struct bench_rq *rq, const struct bench_cq *cq, uint32_t log_size, uint32_t log_sges, uint8_t *in);
void bench_rq_make(struct bench_rq *rq, uint8_t *in);
uint8_t bench_rq_modify(uint32_t rqn, uint32_t from, uint32_t to, uint32_t bits, uint32_t dword0);
/* Post a WQE of one SGE (the others terminated). */
void bench_rq_post(struct bench_rq *rq, const uint8_t *buf, uint32_t len, uint32_t lkey);
void bench_rq_ring(struct bench_rq *rq);

/* A direct TIR on rqn, installed as where received frames go. @return its number */
uint32_t bench_tir(uint32_t rqn);
void bench_no_tir(void); /* received frames are discarded again */

void bench_step(void);
void bench_receive(const uint8_t *frame, uint32_t len); /* from the wire */

#endif
