/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The clock of the measurements: time-stamp counter, serialised on both sides, so that work of the measured calls
 * neither starts before nor ends after the reading. clock_overhead() is what an empty interval costs; it is
 * subtracted from every interval.
 */
#ifndef PERF_CLOCK_H
#define PERF_CLOCK_H

#include <stdint.h>

#include <rte_cycles.h>

static inline uint64_t
clock_now(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#else
	return rte_rdtsc_precise();
#endif
}

static inline double
clock_ns(double cycles)
{
	return cycles * 1e9 / (double)rte_get_tsc_hz();
}

/* Cycles of an empty interval: the smallest of many. */
static inline uint64_t
clock_overhead(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t begin = clock_now(), spent = clock_now() - begin;

		if (spent < least)
			least = spent;
	}
	return least;
}

#endif
