/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * WAIT on time: the send queue stands still while a condition between the clock, as the queue shows it,
 * and a value holds. The other kinds of WAIT (a completion queue's index, data in memory) are not offered.
 */
#include "prm/cap.h"
#include "prm/cqe.h"
#include "prm/wqe.h"
#include "softcx/cmd/capability.h"
#include "softcx/core/trace.h"
#include "softcx/nic/internal.h"

enum { EQUAL = 1, BIGGER, SMALLER, CYCLIC_BIGGER, CYCLIC_SMALLER };

struct wait {
	uint32_t condition;
	bool invert;
	uint64_t value, mask;
};

static const uint8_t *
segment(const struct sc_wqe *wqe)
{
	return wqe->at + PRM_WQE_CTRL_BYTES;
}

/*
 * Bits of the clock that are compared; cyclic: in which half of their circle the one lies, seen from the
 * other.
 */
static bool
holds(const struct wait *w, uint64_t now)
{
	uint64_t a = now & w->mask, b = w->value & w->mask, ahead = (a - b) & w->mask;

	switch (w->condition) {
	case EQUAL:
		return a == b;
	case BIGGER:
		return a > b;
	case SMALLER:
		return a < b;
	case CYCLIC_BIGGER:
		return ahead != 0 && ahead <= w->mask / 2;
	case CYCLIC_SMALLER:
		return ahead > w->mask / 2;
	}
	return false;
}

static bool
parse(const struct sc_wqe *wqe, struct wait *w)
{
	const uint8_t *at = segment(wqe);

	w->condition = prm_get(at, PRM_WQE_WAIT_CONDITION);
	w->invert = prm_get(at, PRM_WQE_WAIT_INVERT);
	w->value = prm_get64(at, PRM_WQE_WAIT_VALUE);
	w->mask = prm_get64(at, PRM_WQE_WAIT_MASK);
	return wqe->ds == PRM_WQE_WAIT_DS && w->condition >= EQUAL && w->condition <= CYCLIC_SMALLER;
}

bool
sc_wait_holds(const struct sc_device *dev, const struct sc_sq *sq, const struct sc_wqe *wqe)
{
	struct wait w;

	/* What is wrong does not wait: it fails when it is executed. */
	if (wqe->op_mod != PRM_WQE_WAIT_ON_TIME || !parse(wqe, &w))
		return false;
	return holds(&w, sc_nic_timestamp(dev, sq->ts_format, dev->nic->now_ns)) != w.invert;
}

uint8_t
sc_wait(struct sc_device *dev, struct sc_sq *sq, const struct sc_wqe *wqe)
{
	const uint8_t *at = segment(wqe);
	struct wait w;

	if (!sc_cap_get(dev, PRM_CAP_GROUP_GENERAL, PRM_CAP_WAIT_ON_TIME)) {
		sc_complain(dev, "sq %#x WQE %u: wait_on_time is not offered", sq->obj.id, wqe->index);
		return PRM_CQE_SYND_LOCAL_QP_OP;
	}
	if (parse(wqe, &w) && prm_get(at, PRM_WQE_WAIT_LKEY) == 0 && prm_get64(at, PRM_WQE_WAIT_VA) == 0)
		return 0;
	sc_complain(dev, "sq %#x WQE %u: WAIT of ds %u (%u), condition %u (1..5), lkey %#x and address %#llx (0)",
		sq->obj.id, wqe->index, wqe->ds, PRM_WQE_WAIT_DS, w.condition, prm_get(at, PRM_WQE_WAIT_LKEY),
		(unsigned long long)prm_get64(at, PRM_WQE_WAIT_VA));
	return PRM_CQE_SYND_LOCAL_QP_OP;
}
