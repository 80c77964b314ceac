/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The clock of the measurements: time-stamp counter, serialised on both sides, so that work of the measured calls
 * neither starts before nor ends after the reading. clock_overhead() is what an empty interval costs; it is
 * subtracted from every interval. The counter may go in steps (of 10 ns on some processors): one interval means little, the sum of
 * many is right.
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

/* Cycles of an empty interval on the average, without those that something interrupted. */
uint64_t clock_overhead(void);

#endif
