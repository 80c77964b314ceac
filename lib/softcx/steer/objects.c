/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/objects.h"

#include <stdlib.h>
#include <string.h>

#include "softcx/steer/memory.h"
#include "softcx/steer/ordinary.h"

void
sc_fate_release(struct sc_fate *fate)
{
	uint32_t i;

	for (i = 0; i < fate->nb_destinations; i++) {
		sc_link(&fate->destinations[i].object, NULL);
		sc_link(&fate->destinations[i].reformat, NULL);
	}
	free(fate->destinations);
	fate->destinations = NULL;
	fate->nb_destinations = 0;
	sc_link(&fate->counter, NULL);
	sc_link(&fate->modify, NULL);
	sc_link(&fate->reformat, NULL);
}

void
sc_flow_table_free(struct sc_flow_table *table)
{
	sc_groups_free(table);
	sc_link(&table->miss, NULL);
	sc_link(&table->rtc, NULL);
	sc_object_remove(&table->obj);
	free(table);
}

void
sc_stc_clear(struct sc_stc *stc)
{
	sc_link(&stc->target, NULL);
	sc_link(&stc->argument, NULL);
	*stc = (struct sc_stc){ .offset = SC_STC_UNSET };
}

void
sc_stc_range_free(struct sc_stc_range *range)
{
	uint32_t i;

	for (i = 0; i < range->nb; i++)
		sc_stc_clear(&range->stc[i]);
	sc_unmap(range->stc, range->nb * sizeof(*range->stc));
	sc_object_remove(&range->obj);
	free(range);
}

void
sc_ste_range_free(struct sc_ste_range *range)
{
	sc_ste_range_fini(range);
	sc_object_remove(&range->obj);
	free(range);
}

/* An RTC takes the entries in its places with it: another one may be laid over them. */
static void
rtc_empty(struct sc_rtc *rtc)
{
	uint32_t place, end = rtc->first + (1u << (rtc->log_rows + rtc->log_depth));

	if (rtc->stes->used == 0)
		return;
	for (place = rtc->first; place < end; place++)
		if (rtc->stes->slots[place] != 0)
			sc_ste_give(rtc->stes, place);
}

void
sc_rtc_free(struct sc_rtc *rtc)
{
	struct sc_rtc **link = &rtc->stes->rtcs;

	while (*link != rtc)
		link = &(*link)->next_in_range;
	*link = rtc->next_in_range;
	rtc_empty(rtc);
	rtc->obj.dev->steering->last_rtc = NULL;
	memset(rtc->obj.dev->steering->looks, 0, sizeof(rtc->obj.dev->steering->looks));
	sc_link(&rtc->definer, NULL);
	sc_link(&rtc->stcs, NULL);
	sc_link(&rtc->stes, NULL);
	sc_link(&rtc->miss, NULL);
	sc_link(&rtc->pd, NULL);
	sc_object_remove(&rtc->obj);
	free(rtc);
}

void
sc_definer_free(struct sc_definer *definer)
{
	sc_object_remove(&definer->obj);
	free(definer);
}

void
sc_pattern_free(struct sc_pattern *pattern)
{
	sc_object_remove(&pattern->obj);
	free(pattern);
}

void
sc_arg_free(struct sc_arg *arg)
{
	arg->obj.dev->steering->last_arg = NULL;
	sc_link(&arg->pd, NULL);
	memset(arg->bytes, 0, (size_t)arg->written * SC_ARG_UNIT);
	sc_keep(arg->bytes, (size_t)arg->units * SC_ARG_UNIT);
	sc_object_remove(&arg->obj);
	free(arg);
}

void
sc_counters_free(struct sc_counters *counters)
{
	sc_link(&counters->pd, NULL);
	sc_unmap(counters->counts, (size_t)counters->nb * sizeof(*counters->counts));
	sc_object_remove(&counters->obj);
	free(counters);
}

void
sc_flow_action_free(struct sc_object *object)
{
	sc_object_remove(object);
	free(object);
}
