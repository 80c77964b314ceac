/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PERF_STATS_H
#define PERF_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Samples of one figure; grows as needed. Zeroed memory is an empty set. */
struct samples {
	double *value;
	size_t count;
	size_t room;
};

/* Room for count samples, resident: so that they do not count as memory of whom they measure. */
void samples_reserve(struct samples *s, size_t count);

void samples_add(struct samples *s, double value);

/* Values of which size make one sample, their mean. */
struct samples_group {
	uint32_t size, count;
	double sum;
};

void samples_add_to_group(struct samples *s, struct samples_group *group, double value);

/* The value below which share (0..1) of the samples lie; 0 for an empty set. Sorts the set. */
double samples_quantile(struct samples *s, double share);

/* The mean of the middle half: finer than the clock's steps where a median is not, and as little moved by a few that lie far off. */
double samples_middle(struct samples *s);

void samples_free(struct samples *s);

#endif
