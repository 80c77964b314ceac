/* SPDX-License-Identifier: BSD-3-Clause */

/* Between engine.c (who runs) and ports.c (what there is to run). */
#ifndef SOFTCX_ENGINE_INTERNAL_H
#define SOFTCX_ENGINE_INTERNAL_H

#include "softcx/core/engine.h"

/* Start or join the thread. One caller at a time. */
int sc_engine_run(enum sc_exec exec);
void sc_engine_stop(void);
void sc_engine_clock(enum sc_exec exec);

/* Engine owned. */
void sc_engine_attach(struct sc_device *dev, const struct sc_settings *settings);
void sc_engine_detach(struct sc_device *dev);

/* ---- stepped.c; under the engine's mutex. now_ns: monotonic time of the host ---- */
void sc_stepped_moved(uint64_t now_ns);
/* A call in stepped mode: has nobody stepped for long, while work waits? */
void sc_stepped_look(struct sc_device *const devices[SC_PORTS_MAX], uint64_t now_ns);

#endif
