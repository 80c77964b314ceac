/* SPDX-License-Identifier: BSD-3-Clause */

/* Where a rule sends its packets: drop, queue, rss, jump, one row of a table. One per rule. */

#include "flow/plan.h"

#include <inttypes.h>

#include "flow/api.h"
#include "flow/rss.h"

int
flow_plan_drop(struct flow_planner *p)
{
	return set_fate(p, FLOW_FATE_DROP, true);
}

int
flow_plan_queue(struct flow_planner *p)
{
	const struct rte_flow_action_queue *conf = p->action->conf, *mask = p->mask->conf;
	int fixed = is_fixed(p, mask != NULL && mask->index != 0, "index");

	if (fixed < 0)
		return fixed;
	if (fixed && conf->index >= p->request->nb_queues)
		return REFUSE_CONF(p, EINVAL, "queue: index %u, the port has %u receive queues", conf->index,
			p->request->nb_queues);
	if (fixed)
		p->plan->queue = conf->index;
	return set_fate(p, FLOW_FATE_QUEUE, fixed);
}

int
flow_rss_check(const struct rte_flow_action *action, const struct rte_flow_action_rss *rss, uint16_t nb_queues,
	struct rte_flow_error *error)
{
	if (rss == NULL)
		return flow_error_action(error, EINVAL, action, "rss: conf is NULL");
	if (rss->func != RTE_ETH_HASH_FUNCTION_DEFAULT && rss->func != RTE_ETH_HASH_FUNCTION_TOEPLITZ &&
	    rss->func != RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ)
		return flow_error_conf(error, ENOTSUP, action, "rss: func %d is not supported", rss->func);
	if (rss->level > 2)
		return flow_error_conf(error, ENOTSUP, action, "rss: level %u: 0, 1 (outer) or 2 (inner)", rss->level);
	if (rss->types & ~FLOW_RSS_TYPES)
		return flow_error_conf(error, ENOTSUP, action, "rss: types 0x%" PRIx64 " cannot be hashed",
			rss->types & ~FLOW_RSS_TYPES);
	if (rss->key_len != 0 && rss->key_len != FLOW_RSS_KEY_BYTES)
		return flow_error_conf(error, ENOTSUP, action, "rss: key_len %u, a key has %u bytes", rss->key_len,
			FLOW_RSS_KEY_BYTES);
	if (rss->queue_num == 0 || rss->queue == NULL)
		return flow_error_conf(error, EINVAL, action, "rss: no queues");
	if (rss->queue_num > FLOW_RSS_MAX_QUEUES)
		return flow_error_conf(error, EINVAL, action, "rss: %u queues, at most %u", rss->queue_num,
			FLOW_RSS_MAX_QUEUES);
	for (uint32_t i = 0; i < rss->queue_num; i++)
		if (rss->queue[i] >= nb_queues)
			return flow_error_conf(error, EINVAL, action, "rss: queue %u, the port has %u receive queues",
				rss->queue[i], nb_queues);
	return 0;
}

int
flow_plan_rss(struct flow_planner *p)
{
	const struct rte_flow_action_rss *mask = p->mask->conf;
	struct flow_prepare *step = NULL;
	int fixed = is_fixed(p, mask != NULL && (mask->types != 0 || mask->queue_num != 0 || mask->queue != NULL ||
		mask->level != 0 || mask->key_len != 0 || mask->func != 0), "the conf");
	int rc;

	if (fixed < 0)
		return fixed;
	if (fixed) {
		rc = flow_rss_check(p->action, p->action->conf, p->request->nb_queues, p->error);
		p->plan->rss = p->action->conf;
	} else {
		rc = prepare(p, FLOW_PREPARE_RSS, sizeof(uint32_t), &step);
		if (rc == 0)
			p->plan->fate_scratch = step->scratch_at;
	}
	return rc != 0 ? rc : set_fate(p, FLOW_FATE_RSS, fixed);
}

int
flow_jump_check(const struct rte_flow_action *action, uint32_t group, struct rte_flow_error *error)
{
	if (group == 0)
		return flow_error_conf(error, EINVAL, action, "jump: to group 0, which is where packets come from");
	if (group >= FLOW_MAX_GROUPS)
		return flow_error_conf(error, EINVAL, action, "jump: group %u, groups are below %u", group,
			FLOW_MAX_GROUPS);
	return 0;
}

int
flow_plan_jump(struct flow_planner *p)
{
	const struct rte_flow_action_jump *conf = p->action->conf, *mask = p->mask->conf;
	struct flow_prepare *step = NULL;
	int fixed = is_fixed(p, mask != NULL && mask->group != 0, "group");
	int rc;

	if (fixed < 0)
		return fixed;
	if (fixed) {
		rc = flow_jump_check(p->action, conf->group, p->error);
		p->plan->group = conf->group;
	} else {
		rc = prepare(p, FLOW_PREPARE_JUMP, 0, &step);
	}
	return rc != 0 ? rc : set_fate(p, FLOW_FATE_JUMP, fixed);
}

#ifdef FLOW_HAS_INDEX_PATTERN
/* Table and row are fixed, or not, each for itself. Whether the table has rows to jump to is seen where it is held. */
int
flow_plan_jump_to_row(struct flow_planner *p)
{
	const struct rte_flow_action_jump_to_table_index *conf = p->action->conf, *mask = p->mask->conf;
	int table_fixed = is_fixed(p, mask != NULL && mask->table != NULL, "table");
	int row_fixed = is_fixed(p, mask != NULL && mask->index != 0, "index");
	struct flow_prepare *step = NULL;
	int rc = 0;

	if (table_fixed < 0 || row_fixed < 0)
		return RTE_MIN(table_fixed, row_fixed);
	if (table_fixed && conf->table == NULL)
		return REFUSE_CONF(p, EINVAL, "jump_to_table_index: the template fixes the table, and it is NULL");
	p->plan->row = row_fixed ? constant(conf->index) :
		from(conf_source(p, offsetof(struct rte_flow_action_jump_to_table_index, index), 4, true));
	if (table_fixed)
		p->plan->rows = conf->table;
	if (!table_fixed || !row_fixed) {
		rc = prepare(p, FLOW_PREPARE_ROW, sizeof(uint32_t), &step);
		if (rc == 0)
			p->plan->fate_scratch = step->scratch_at;
	}
	return rc != 0 ? rc : set_fate(p, FLOW_FATE_ROW, table_fixed);
}
#endif
