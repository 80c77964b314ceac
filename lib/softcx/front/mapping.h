/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_MAPPING_H
#define SOFTCX_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is all of addr .. addr + len - 1 mapped, readable and, if wanted, writable? The kernel finds out as it
 * pins pages. It holds what it pinned; here a program that unmaps registered memory takes it from under the
 * device.
 * @return 0 (also where /proc does not say) or -EFAULT.
 */
int sc_mapping_check(const void *addr, uint64_t len, bool write);

#endif
