/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The software device, where the measured port stands on one: found in the process by name, not linked, so that the
 * same program measures hardware.
 */
#ifndef PERF_DEVICE_H
#define PERF_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* Look for the device's functions in the process. @return whether a software device is there. */
bool device_find(void);

/*
 * Stepped: queues of the device move in device_step() only; else a thread of the device moves them.
 * @return 0, or -ENOTSUP without a software device.
 */
int device_stepped(bool on);

/* Let the device carry out all that is posted; nothing where there is no software device or it has a thread. */
void device_step(void);

/* Bytes on the bus in both directions, and doorbells, of all ports so far; zeroes where the device does not count them. */
void device_bus(uint64_t *bytes, uint64_t *doorbells);

/* Is this memory of the software device that /proc/self/smaps does not name as such? */
bool device_holds(const void *address);

#endif
