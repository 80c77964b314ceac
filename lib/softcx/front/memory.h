/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef SOFTCX_FRONT_MEMORY_H
#define SOFTCX_FRONT_MEMORY_H

#include <stdint.h>

struct ibv_pd;

/* The device's number of a protection domain. */
uint32_t sc_pd_number(const struct ibv_pd *pd);

#endif
