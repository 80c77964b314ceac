/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_TRAP_H
#define SOFTCX_TRAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Catch write faults on UAR pages. Installs the SIGSEGV handler, or puts it back in front where the program
 * has since installed its own; faults elsewhere go to the handler that was there before. @return 0 or
 * -errno.
 */
int sc_trap_install(void);

/* uar.c, for the handler: is addr in a UAR page? */
bool sc_uar_holds(const void *addr);

/*
 * Carry out one store of size bytes at addr, with all the device does because of it. @return the old memory
 * (8 bytes).
 */
uint64_t sc_uar_store(void *addr, const uint8_t *value, unsigned int size);

#endif
