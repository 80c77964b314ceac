/* SPDX-License-Identifier: BSD-3-Clause */

#include "stats.h"

#include <stdio.h>
#include <stdlib.h>

void
samples_add(struct samples *s, double value)
{
	if (s->count == s->room) {
		s->room = s->room ? s->room * 2 : 256;
		s->value = realloc(s->value, s->room * sizeof(*s->value));
		if (s->value == NULL) {
			perror("flow-perf: samples");
			abort();
		}
	}
	s->value[s->count++] = value;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
samples_quantile(struct samples *s, double share)
{
	if (s->count == 0)
		return 0;
	qsort(s->value, s->count, sizeof(*s->value), by_value);
	return s->value[(size_t)(share * (double)(s->count - 1) + 0.5)];
}

void
samples_free(struct samples *s)
{
	free(s->value);
	*s = (struct samples){0};
}
