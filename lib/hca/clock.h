/* SPDX-License-Identifier: BSD-3-Clause */

/* The port's clock: how completions show it, and what it says now. nic.md 6.8. */
#ifndef HCA_CLOCK_H
#define HCA_CLOCK_H

#include <stdint.h>

struct hca_device;

/* Find out dev->real_time. A device that does not tell is taken for free-running unless it knows nothing else. */
void hca_clock_open(struct hca_device *dev);

/*
 * As completions show it: nanoseconds since 1970 in real time, else ticks of caps.device_frequency_khz.
 * @return 0; -ENOTSUP the device's library cannot read it; a command's error. May take microseconds.
 */
int hca_clock_read(struct hca_device *dev, uint64_t *clock);

#endif
