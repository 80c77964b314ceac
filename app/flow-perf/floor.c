/* SPDX-License-Identifier: BSD-3-Clause */

#include "floor.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

#define RING_WQES 4096

/* Stands for the doorbell record and the doorbell. */
static struct {
	volatile uint32_t record;
	volatile uint64_t doorbell;
} bell;

double
floor_sample(uint32_t burst, uint32_t bursts)
{
	static struct {
		uint8_t bytes[128];
	} ring[RING_WQES] __attribute__((aligned(64))), image;
	uint64_t spent = 0, overhead = clock_overhead();
	uint32_t index = 0;

	for (uint32_t i = 0; i < bursts; i++) {
		uint64_t begin = clock_now();

		for (uint32_t j = 0; j < burst; j++, index++) {
			memcpy(&ring[index % RING_WQES], &image, sizeof(image));
			/* the rule's own part: index in the control segment */
			__asm__ volatile("" : : "r"(&ring[index % RING_WQES]) : "memory");
			ring[index % RING_WQES].bytes[1] = index;
		}
		bell.record = index;
		__asm__ volatile("" : : : "memory");
		bell.doorbell = index;
		spent += clock_now() - begin - overhead;
	}
	return clock_ns((double)spent) / ((double)burst * bursts);
}
