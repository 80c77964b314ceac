/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Large arrays of steering (STEs, arguments, counters): mapped whole, touched as used, zero until then, and
 * named, so that /proc/PID/smaps tells the device's memory from the driver's: "[anon:softcx NAME]", or
 * "/memfd:softcx NAME (deleted)" where the kernel cannot name anonymous memory.
 */
#ifndef SOFTCX_MEMORY_H
#define SOFTCX_MEMORY_H

#include <stddef.h>

/* @return zeroed memory of at least bytes, page aligned, or NULL. It shows as "softcx NAME". */
void *sc_map(size_t bytes, const char *name);
void sc_unmap(void *at, size_t bytes);

#endif
