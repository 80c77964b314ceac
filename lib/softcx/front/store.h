/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One store instruction of x86-64, decoded where it faulted. The UAR trap uses it to carry out, in place of
 * the CPU, what a driver wrote to a doorbell page.
 */
#ifndef SOFTCX_STORE_H
#define SOFTCX_STORE_H

#include <stdint.h>
#include <ucontext.h>

struct sc_store {
	uint8_t length;    /* bytes of the instruction */
	uint8_t size;      /* bytes it stores: 1, 2, 4, 8, 16, 32 or 64 */
	int8_t exchange;   /* xchg: general register (0..15) that receives the old memory; else -1 */
	uint8_t value[64]; /* what it stores, in memory order */
};

/*
 * Decode the instruction at the program counter of uc, which must be a store to memory. Only bytes of that
 * instruction are read. Safe inside a signal handler.
 *
 * @return 0; -EOPNOTSUPP when it is none of the store forms known here (store.c has the table).
 */
int sc_store_decode(const ucontext_t *uc, struct sc_store *store);

/* Step over the decoded instruction as if it had run; old is the memory before it, for xchg. */
void sc_store_retire(ucontext_t *uc, const struct sc_store *store, uint64_t old);

#endif
