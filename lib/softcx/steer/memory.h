/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Large arrays of steering (STEs, arguments, counters): mapped whole, touched as used, zero until then, and
 * told from the driver's memory.
 *
 * STEs are first written at the rate of rules, and the first write to a page costs more than all else that
 * its rules cost: 0.3 us for 64 entries on a machine of its own, 14 us where a hypervisor keeps shadows of
 * page tables and takes back what lies free. So
 * - what is large lies in large pages, one of which holds 32,768 entries;
 * - what a destroyed object had is kept for the next one of its size, as a device keeps the memory it was
 *   given
 *   once, until the last device goes.
 * Small arrays would waste large pages and are not worth keeping.
 *
 * Small ones show in /proc/PID/smaps as "[anon:softcx NAME]", or "/memfd:softcx NAME (deleted)" where the
 * kernel cannot name anonymous memory. With that second name there are no large pages, so that large ones
 * go without it, and sc_memory_holds() knows them.
 *
 * Threads: the engine's owner only, but for sc_memory_holds().
 */
#ifndef SOFTCX_MEMORY_H
#define SOFTCX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * @return memory of at least bytes, page aligned, or NULL: zeroed, or what sc_keep() got under this name.
 * Give it back with the same bytes.
 */
void *sc_map(size_t bytes, const char *name);
void sc_unmap(void *at, size_t bytes);

/*
 * Instead of sc_unmap(): the next sc_map() of the same name and bytes may get this memory as it is now, so
 * it has to be zero where whoever maps that name counts on it.
 */
void sc_keep(void *at, size_t bytes);

/* A device comes and goes; with the last one goes what was kept. */
void sc_memory_open(void);
void sc_memory_close(void);

/* Does address lie in memory of sc_map() that smaps shows without its name? Any thread. */
bool sc_memory_holds(const void *address);

#endif
