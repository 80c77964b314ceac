/* SPDX-License-Identifier: BSD-3-Clause */

#include "stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
samples_reserve(struct samples *s, size_t count)
{
	if (count <= s->room)
		return;
	s->value = realloc(s->value, count * sizeof(*s->value));
	if (s->value == NULL) {
		perror("perf: samples");
		abort();
	}
	memset(s->value + s->room, 0, (count - s->room) * sizeof(*s->value));
	s->room = count;
}

void
samples_add(struct samples *s, double value)
{
	if (s->count == s->room)
		samples_reserve(s, s->room != 0 ? s->room * 2 : 256);
	s->value[s->count++] = value;
}

void
samples_add_to_group(struct samples *s, struct samples_group *group, double value)
{
	group->sum += value;
	if (++group->count < group->size)
		return;
	samples_add(s, group->sum / group->size);
	group->sum = 0;
	group->count = 0;
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

double
samples_middle(struct samples *s)
{
	size_t from = s->count / 4, to = s->count - from;
	double sum = 0;

	if (s->count == 0)
		return 0;
	qsort(s->value, s->count, sizeof(*s->value), by_value);
	for (size_t i = from; i < to; i++)
		sum += s->value[i];
	return sum / (double)(to - from);
}

void
samples_free(struct samples *s)
{
	free(s->value);
	*s = (struct samples){0};
}
