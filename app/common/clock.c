/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include "stats.h"

#define INTERVALS 2000

uint64_t
clock_overhead(void)
{
	struct samples samples = {0};
	double sum = 0;

	samples_reserve(&samples, INTERVALS);
	for (int i = 0; i < INTERVALS; i++) {
		uint64_t begin = clock_now();

		samples_add(&samples, (double)(clock_now() - begin));
	}
	/* The longest twentieth is not empty. */
	samples_quantile(&samples, 1);
	for (int i = 0; i < INTERVALS - INTERVALS / 20; i++)
		sum += samples.value[i];
	samples_free(&samples);
	return (uint64_t)(sum / (INTERVALS - INTERVALS / 20) + 0.5);
}
