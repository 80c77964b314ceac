/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * ACCESS_ASO work requests: a host reads four flow counters into its memory (hws.md 2.11). Nothing else is
 * behind ASO here, and a request that would write counters is refused.
 */
#include <string.h>

#include "prm/table.h"
#include "prm/wqe.h"
#include "softcx/core/dma.h"
#include "softcx/core/trace.h"
#include "softcx/steer/objects.h"

enum {
	SYNDROME_LOCAL_OPERATION = 0x02,
	SYNDROME_LOCAL_PROTECTION = 0x04,
	ASO_AT = PRM_WQE_CTRL_BYTES,
	ALWAYS_FALSE = 0,
	ANSWER_BYTES = PRM_COUNTERS_PER_ASO * PRM_TRAFFIC_COUNTER_BYTES,
};

#define WRONG(dev, syndrome, ...) (sc_complain((dev), __VA_ARGS__), -(syndrome))

int
sc_aso_execute(struct sc_device *dev, uint32_t pd, const uint8_t *first, const uint8_t *second)
{
	const uint8_t *aso = first + ASO_AT;
	uint32_t mode = prm_get(first, PRM_WQE_CTRL_OPC_MOD), i, at;
	uint32_t id = prm_get(first, PRM_WQE_CTRL_IMM) * PRM_COUNTERS_PER_ASO;
	uint64_t va = (uint64_t)prm_get(aso, PRM_WQE_ASO_VA_H) << 32 | prm_get(aso, PRM_WQE_ASO_VA_L) << 1;
	uint8_t answer[ANSWER_BYTES] = { 0 };
	struct sc_counters *counters;

	if (mode != SC_ASO_COUNTER_MOD)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION,
			"aso wqe: opc_mod %u, only flow counters (%u) are offered", mode, SC_ASO_COUNTER_MOD);
	if (prm_get(aso, PRM_WQE_ASO_COND_0_OPER) != ALWAYS_FALSE ||
		prm_get(aso, PRM_WQE_ASO_COND_1_OPER) != ALWAYS_FALSE)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION,
			"aso wqe: conditions %u and %u: flow counters are read only",
			prm_get(aso, PRM_WQE_ASO_COND_0_OPER), prm_get(aso, PRM_WQE_ASO_COND_1_OPER));
	counters = sc_object_find(dev, SC_FLOW_COUNTER, id);
	if (counters == NULL)
		return WRONG(dev, SYNDROME_LOCAL_OPERATION, "aso wqe: imm 0x%x: no flow counter 0x%x",
			id / PRM_COUNTERS_PER_ASO, id);
	if (counters->pd == NULL || counters->pd->id != pd)
		return WRONG(dev, SYNDROME_LOCAL_PROTECTION,
			"aso wqe: flow counter 0x%x has pd 0x%x, the sq 0x%x", id, counters->pd == NULL ? 0 :
			counters->pd->id, pd);
	if (!prm_get(aso, PRM_WQE_ASO_READ_ENABLE))
		return 0;
	for (i = 0; i < PRM_COUNTERS_PER_ASO; i++) {
		at = id - counters->obj.id + i;
		if (at >= counters->nb)
			break;
		prm_set64(answer + i * PRM_TRAFFIC_COUNTER_BYTES, PRM_TRAFFIC_COUNTER_PACKETS,
			counters->counts[at].packets);
		prm_set64(answer + i * PRM_TRAFFIC_COUNTER_BYTES, PRM_TRAFFIC_COUNTER_OCTETS,
			counters->counts[at].octets);
	}
	if (sc_dma_write(dev, prm_get(aso, PRM_WQE_ASO_LKEY), pd, va, answer, sizeof(answer)) != 0)
		return WRONG(dev, SYNDROME_LOCAL_PROTECTION,
			"aso wqe: lkey 0x%x does not allow writing %u bytes at 0x%llx",
			prm_get(aso, PRM_WQE_ASO_LKEY), ANSWER_BYTES, (unsigned long long)va);
	return 0;
}
