/* SPDX-License-Identifier: BSD-3-Clause */

/* Random numbers with a seed that is printed, and may be given as SEED in the environment. */
#ifndef TESTS_HWS_RANDOM_H
#define TESTS_HWS_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t random_state;

static inline void
random_seed(void)
{
	const char *given = getenv("SEED");

	random_state = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) << 1 | 1;
	printf("seed %llu\n", (unsigned long long)random_state);
	if (random_state == 0)
		random_state = 1;
}

static inline uint32_t
random_u32(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state * 0x2545f4914f6cdd1d >> 32);
}

static inline uint32_t
random_below(uint32_t n)
{
	return random_u32() % n;
}

#endif
