/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Flow counters (hws.md 2.11). Ids of a bulk begin at a multiple of four, because one ASO read covers the
 * four counters from such an id on.
 */
#include <stdlib.h>
#include <string.h>

#include "prm/table.h"
#include "softcx/cmd/steering.h"
#include "softcx/core/dma.h"
#include "softcx/steer/memory.h"
#include "softcx/steer/objects.h"

enum { LEGACY_UNIT = 128 }; /* bit n of the legacy bitmap asks for 128 << n counters */

static int
read_number(struct sc_call *call, uint32_t *nb)
{
	uint32_t log = prm_get(call->in, PRM_ALLOC_FLOW_COUNTER_IN_FLOW_COUNTER_BULK_LOG_SIZE);
	uint32_t legacy = prm_get(call->in, PRM_ALLOC_FLOW_COUNTER_IN_FLOW_COUNTER_BULK);

	if (legacy != 0 && (log != 0 || __builtin_popcount(legacy) != 1))
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"flow_counter_bulk 0x%x with flow_counter_bulk_log_size %u", legacy, log);
	if (log > SC_LOG_COUNTER_MAX)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM, "flow_counter_bulk_log_size %u is above %u", log,
			SC_LOG_COUNTER_MAX);
	*nb = legacy != 0 ? LEGACY_UNIT * legacy : 1u << log;
	return 0;
}

int
sc_alloc_flow_counter(struct sc_call *call)
{
	uint32_t pdn = prm_get(call->in, PRM_ALLOC_FLOW_COUNTER_IN_PD), nb = 0;
	struct sc_object *pd = sc_call_find(call, SC_PD, pdn);
	struct sc_counters *counters;
	struct sc_count *counts;
	int rc = read_number(call, &nb);

	if (rc != 0)
		return rc;
	if (pdn != 0 && pd == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "pd 0x%x does not exist", pdn);
	counters = calloc(1, sizeof(*counters));
	counts = sc_map((size_t)nb * sizeof(*counts), "flow counters");
	if (counters == NULL || counts == NULL) {
		sc_unmap(counts, (size_t)nb * sizeof(*counts));
		free(counters);
		return sc_refuse(call, PRM_STATUS_INT_ERR, "out of memory for %u counters", nb);
	}
	rc = sc_call_add(
		call, SC_FLOW_COUNTER, &counters->obj, nb < PRM_COUNTERS_PER_ASO ? PRM_COUNTERS_PER_ASO : nb);
	if (rc != 0) {
		sc_unmap(counts, (size_t)nb * sizeof(*counts));
		return rc;
	}
	sc_link(&counters->pd, pd);
	counters->nb = nb;
	counters->counts = counts;
	counters->obj.bytes = (uint64_t)nb * sizeof(*counts);
	prm_set(call->out, PRM_ALLOC_FLOW_COUNTER_OUT_FLOW_COUNTER_ID, counters->obj.id);
	return 0;
}

int
sc_dealloc_flow_counter(struct sc_call *call)
{
	uint32_t id = prm_get(call->in, PRM_DEALLOC_FLOW_COUNTER_IN_FLOW_COUNTER_ID);
	struct sc_counters *counters = sc_call_find_own(call, SC_FLOW_COUNTER, id);
	int rc;

	if (counters == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES,
			"flow_counter_id 0x%x is no counter bulk of the caller", id);
	rc = sc_call_check_unused(call, &counters->obj);
	if (rc != 0)
		return rc;
	sc_counters_free(counters);
	return 0;
}

static void
put(uint8_t *to, struct sc_count *count, bool clear)
{
	prm_set64(to, PRM_TRAFFIC_COUNTER_PACKETS, count->packets);
	prm_set64(to, PRM_TRAFFIC_COUNTER_OCTETS, count->octets);
	if (clear)
		memset(count, 0, sizeof(*count));
}

/* Into host memory, through a key. */
static int
dump(struct sc_call *call, struct sc_count *counts, uint32_t nb, bool clear)
{
	uint32_t lkey = prm_get(call->in, PRM_QUERY_FLOW_COUNTER_IN_MKEY), i;
	uint64_t va = prm_get64(call->in, PRM_QUERY_FLOW_COUNTER_IN_ADDRESS);
	struct sc_mkey *mkey = sc_object_find(call->dev, SC_MKEY, lkey >> 8);
	uint8_t *to = mkey == NULL ? NULL : sc_dma_at(call->dev, lkey, mkey->pd, va,
		(uint64_t)nb * PRM_TRAFFIC_COUNTER_BYTES, true);

	if (to == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"mkey 0x%x does not allow writing %u counters at 0x%llx", lkey, nb,
			(unsigned long long)va);
	for (i = 0; i < nb; i++)
		put(to + i * PRM_TRAFFIC_COUNTER_BYTES, counts + i, clear);
	return 0;
}

int
sc_query_flow_counter(struct sc_call *call)
{
	uint32_t id = prm_get(call->in, PRM_QUERY_FLOW_COUNTER_IN_FLOW_COUNTER_ID), i, first;
	uint32_t nb = prm_get(call->in, PRM_QUERY_FLOW_COUNTER_IN_NUM_OF_COUNTERS);
	bool clear = prm_get(call->in, PRM_QUERY_FLOW_COUNTER_IN_CLEAR);
	struct sc_counters *counters = sc_call_find(call, SC_FLOW_COUNTER, id);
	uint8_t *to = prm_area(call->out, PRM_QUERY_FLOW_COUNTER_OUT_FLOW_STATISTICS);

	if (nb == 0)
		nb = 1;
	if (counters == NULL)
		return sc_refuse(call, PRM_STATUS_BAD_RES, "flow_counter_id 0x%x does not exist", id);
	first = id - counters->obj.id;
	if (first >= counters->nb || nb > counters->nb - first)
		return sc_refuse(call, PRM_STATUS_BAD_PARAM,
			"num_of_counters %u from 0x%x: the bulk ends at 0x%x", nb, id,
			counters->obj.id + counters->nb - 1);
	if (prm_get(call->in, PRM_QUERY_FLOW_COUNTER_IN_DUMP_TO_MEMORY))
		return dump(call, counters->counts + first, nb, clear);
	if (call->out_len < 0x10 + (uint64_t)nb * PRM_TRAFFIC_COUNTER_BYTES)
		return sc_refuse(call, PRM_STATUS_BAD_OUTP_LEN,
			"%u counters do not fit an answer of %u bytes", nb, call->out_len);
	for (i = 0; i < nb; i++)
		put(to + i * PRM_TRAFFIC_COUNTER_BYTES, counters->counts + first + i, clear);
	return 0;
}
