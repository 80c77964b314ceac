/* SPDX-License-Identifier: BSD-3-Clause */

/* What the device said it can do: so that a command refuses what its model does not offer. */
#ifndef SOFTCX_CAPABILITY_H
#define SOFTCX_CAPABILITY_H

#include <stdint.h>

struct sc_device;

/*
 * Value of a capability field (enum prm_cap_group, PRM_CAP_...), 0 where it is not offered. A search
 * through the rows: for commands, not for packets.
 */
uint64_t sc_cap_get(const struct sc_device *dev, uint8_t group, int field);

#endif
