/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The command trace: what was asked and answered, readable, in the order it happened; and the log of
 * refusals. One file a process (setting trace=FILE; "-" is stderr), shared by its devices.
 */
#ifndef SOFTCX_TRACE_H
#define SOFTCX_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct sc_device;
struct sc_call;

int sc_trace_open(const char *path);
void sc_trace_close(void);

/* A whole command with its answer, field by field where lib/prm has its layout, else as dwords. */
void sc_trace_command(const struct sc_device *dev, const struct sc_call *call, uint64_t start_ns);

/*
 * One line: events, doorbells that do not fit their record, refused verbs. Nothing happens while no trace
 * is open. Any thread; dev may be NULL.
 */
void sc_trace(const struct sc_device *dev, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * One line to the trace and, with verbose=1, to stderr; also kept as dev->last_error. For what is refused.
 * Engine owned.
 */
void sc_complain(struct sc_device *dev, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
