/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The one engine of the process: owns all devices, their queues and their wires.
 *
 * Threaded: one thread owns the engine as long as it is awake; it polls the devices in number order and
 * sleeps when they are idle. Everybody else hands it calls and waits for them, like commands to firmware.
 * Stepped: there is no owner; a call runs at once on the caller's thread under the engine's mutex, and
 * queues move only in sc_engine_step(). sc_engine_exec() switches.
 *
 * So whatever runs inside sc_engine_call() may touch any device without a lock, and nothing else may.
 */
#ifndef SOFTCX_ENGINE_H
#define SOFTCX_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/settings.h"

struct sc_device;

/*
 * Run fn(arg) with the engine owned by it and return what it returns. Any thread, also one that already
 * owns the engine (the call is then direct), also the handler of a trapped doorbell. In a child of fork,
 * which has no engine: -EIO.
 */
int sc_engine_call(int (*fn)(void *arg), void *arg);

/* Run one firmware command (core/command.h) as user context uid. Any thread. @return as sc_command_run. */
int sc_engine_command(struct sc_device *dev, uint16_t uid, const void *in, uint32_t in_len, void *out,
		      uint32_t out_len);

/* Is the caller inside the engine? For assertions. */
bool sc_engine_owned(void);

/* Wake a sleeping engine: any thread, any signal handler. */
void sc_engine_kick(void);

/* Switch; returns after the switch: nothing runs on the engine's thread any more once it is stepped. */
int sc_engine_exec(enum sc_exec exec);

/*
 * Stepped: rounds over all devices until one round did nothing, or max rounds. @return units of work,
 * -EINVAL threaded.
 */
int64_t sc_engine_step(uint32_t max_rounds);

/*
 * Device time: nanoseconds since the engine's start; real time threaded, step_ns a step stepped; never goes
 * back.
 */
uint64_t sc_now_ns(void);

/* ---- devices ------------------------------------------------------------------------------------------- */

/*
 * Ports exist in two ways. By function (sc_port_create: the vdev probe): from then until sc_port_destroy.
 * By the environment: SOFTCX="ports=N,..." describes N ports (one where it is absent, as long as no port
 * was made by function); they have power while a context is open on any of them.
 */

/* @return index (>= 0), or -errno with a line in error. */
int sc_port_create(const char *settings, char *error, size_t size);
/* -EBUSY while contexts are open on it. */
int sc_port_destroy(uint32_t index);

/*
 * For ibv_get_device_list: the ports as a program may open them. @return how many were written, -EINVAL
 * where the environment is wrong (error says how).
 */
struct sc_port_id {
	uint32_t index;
	const struct sc_model *model;
	char name[16]; /* "softcx0" */
	char bdf[16];
};
int sc_port_list(struct sc_port_id ids[SC_PORTS_MAX], char *error, size_t size);

/* What SOFTCX says on top of the defaults for that port. @return 0, or -EINVAL with a line in error. */
int sc_settings_env(struct sc_settings *s, uint32_t port, char *error, size_t size);

/* Settings of an existing port (made by function or described by SOFTCX), copied. @return 0 or -ENODEV. */
int sc_port_settings(uint32_t index, struct sc_settings *out);

/* A context on port index. The first one may power the ports on (wires are opened). */
int sc_device_open(uint32_t index, struct sc_device **dev, char *error, size_t size);
void sc_device_close(struct sc_device *dev);

/*
 * One of the open contexts is a second handle of another and has that one's transport domain; and no
 * longer.
 */
void sc_device_imported(struct sc_device *dev);
void sc_device_not_imported(struct sc_device *dev);

/*
 * A DevX user context: everything made under uid is destroyed with it, in an order that references allow.
 * Any thread.
 * @return of destroy: how many objects stay because somebody else's refer to them (0 normally).
 */
int sc_uctx_create(struct sc_device *dev, uint16_t *uid);
size_t sc_uctx_destroy(struct sc_device *dev, uint16_t uid);

/* Objects, in the whole process so far, that contexts had not destroyed when they were closed. */
uint64_t sc_uctx_left_behind(void);

/* Device number index, or NULL. Inside sc_engine_call only. */
struct sc_device *sc_device_at(uint32_t index);

#endif
