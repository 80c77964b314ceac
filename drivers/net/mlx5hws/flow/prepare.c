/* SPDX-License-Identifier: BSD-3-Clause */

/* What a rule needs beyond copies: handles, RSS in full, jumps by number, headers behind pointers. */

#include "flow/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/encap.h"
#include "flow/error.h"

struct step {
	struct flow_port *port;
	struct flow_queue *queue;
	struct rte_flow_template_table *table;
	const struct flow_plan *plan;
	const struct flow_prepare *prepare;
	const struct rte_flow_action *action; /* the rule's */
	struct mlx5dr_rule *rule;
	struct rte_flow_error *error;
	uint8_t *scratch; /* at the step's place */
};

/* Before something is made for a rule that will be refused anyway. */
static int
no_room(const struct step *s)
{
	return flow_error(s->error, EAGAIN, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, s->port->dev,
		"flow queue %u is full: %u operations wait for pull", mlx5dr_queue_index(s->queue->hw), s->queue->size);
}

static int
no_conf(const struct step *s)
{
	return flow_error_action(s->error, EINVAL, s->action, "%s: the rule gives no conf, and the template leaves it open",
		flow_action_name(s->action->type));
}

/* ---- handles --------------------------------------------------------------------------------------------------- */

static struct rte_flow_action_handle *
handle_of(const struct step *s, enum rte_flow_action_type type)
{
	struct rte_flow_action_handle *handle = s->prepare->fixed;

	if (handle == NULL)
		handle = (void *)(uintptr_t)s->action->conf;
	if (handle != NULL && handle->port == s->port && handle->type == type)
		return handle;
	flow_error_action(s->error, EINVAL, s->action, "indirect: the rule's handle is not a %s of this port",
		flow_action_name(type));
	return NULL;
}

static int
step_indirect_count(const struct step *s)
{
	struct rte_flow_action_handle *handle = handle_of(s, RTE_FLOW_ACTION_TYPE_COUNT);

	if (handle == NULL)
		return -EINVAL;
	atomic_fetch_add_explicit(&handle->refs, 1, memory_order_relaxed);
	s->rule->counter = FLOW_SHARED_COUNTER | handle->index;
	mlx5dr_counter_place(s->port->counters, s->plan->type, handle->counter, (void *)s->scratch);
	return 0;
}

static int
step_indirect_rss(const struct step *s)
{
	struct rte_flow_action_handle *handle = handle_of(s, RTE_FLOW_ACTION_TYPE_RSS);

	if (handle == NULL)
		return -EINVAL;
	atomic_fetch_add_explicit(&handle->refs, 1, memory_order_relaxed);
	s->rule->fate = handle->index + 1;
	return 0;
}

/* ---- RSS in full: per table a list, per queue a cache in front of it ------------------------------------------- */

static uint32_t
rss_hash(const struct rte_flow_action_rss *conf)
{
	uint64_t h = conf->types * 0x9e3779b97f4a7c15u + conf->queue_num + ((uint64_t)conf->level << 32);

	for (uint32_t i = 0; i < conf->queue_num; i++)
		h = (h ^ conf->queue[i]) * 0x100000001b3u;
	if (conf->key != NULL && conf->key_len == FLOW_RSS_KEY_BYTES) {
		uint64_t word;

		memcpy(&word, conf->key, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
	}
	return (h ^ h >> 32) % FLOW_RSS_CACHE;
}

static int
rss_make(const struct step *s, const struct rte_flow_action_rss *conf, const struct flow_rule_rss **out)
{
	const struct mlx5dr_action *action;
	struct flow_rule_rss *entry;
	int rc;

	rc = flow_rss_check(s->action, conf, s->port->dev->data->nb_rx_queues, s->error);
	if (rc == 0 && !flow_queue_has_room(s->queue))
		rc = no_room(s);
	if (rc != 0)
		return rc;
	pthread_mutex_lock(&s->port->lock);
	for (entry = s->table->rss_list; entry != NULL && !flow_rss_matches(entry->rss, conf); entry = entry->next)
		;
	if (entry == NULL) {
		entry = calloc(1, sizeof(*entry));
		rc = entry != NULL ? flow_rss_get(s->port, conf, &entry->rss) : -ENOMEM;
		if (rc == 0)
			rc = flow_rss_action(s->port, entry->rss, &action);
		if (rc == 0) {
			entry->stc_be = mlx5dr_action_stc(action);
			entry->next = s->table->rss_list;
			s->table->rss_list = entry;
		} else if (entry != NULL) {
			flow_rss_put(s->port, entry->rss);
			free(entry);
		}
	}
	pthread_mutex_unlock(&s->port->lock);
	if (rc != 0)
		return flow_error_action(s->error, -rc, s->action, "rss: %s", flow_reason(NULL, rc));
	*out = entry;
	return 0;
}

static int
step_rss(const struct step *s)
{
	const struct rte_flow_action_rss *conf = s->action->conf;
	struct flow_rss_cache *cache = &s->table->rss_cache[mlx5dr_queue_index(s->queue->hw)];
	const struct flow_rule_rss *entry;
	uint32_t place;

	if (conf == NULL)
		return no_conf(s);
	if (unlikely(conf->queue_num != 0 && conf->queue == NULL))
		return flow_error_conf(s->error, EINVAL, s->action, "rss: no queues");
	place = rss_hash(conf);
	entry = cache->entry[place];
	if (unlikely(entry == NULL || !flow_rss_matches(entry->rss, conf))) {
		int rc = rss_make(s, conf, &entry);

		if (rc != 0)
			return rc;
		cache->entry[place] = entry;
	}
	memcpy(s->scratch, &entry->stc_be, sizeof(entry->stc_be));
	return 0;
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

/* A group that a rule names is made where it is new, and stays while rules may name it. */
static int
step_jump(const struct step *s)
{
	const struct rte_flow_action_jump *conf = s->action->conf;
	int rc;

	if (conf == NULL)
		return no_conf(s);
	rc = flow_jump_check(s->action, conf->group, s->error);
	if (rc != 0)
		return rc;
	if (likely(__atomic_load_n(&s->port->kept[s->plan->type][conf->group], __ATOMIC_ACQUIRE)))
		return 0;
	if (!flow_queue_has_room(s->queue))
		return no_room(s);
	pthread_mutex_lock(&s->port->lock);
	rc = flow_group_keep(s->port, s->plan->type, conf->group);
	pthread_mutex_unlock(&s->port->lock);
	if (rc == 1)
		s->queue->made_group = conf->group;
	if (rc >= 0)
		return 0;
	return flow_error_conf(s->error, -rc, s->action, "jump: group %u: %s", conf->group, flow_reason(NULL, rc));
}

static int
step_raw(const struct step *s)
{
	const struct rte_flow_action_raw_encap *conf = s->action->conf;

	if (conf == NULL)
		return no_conf(s);
	if (conf->size != s->prepare->bytes || conf->data == NULL)
		return flow_error_conf(s->error, EINVAL, s->action, "raw_encap: %zu bytes at %p, the template has %u",
			conf->size, conf->data, s->prepare->bytes);
	memcpy(s->scratch, &conf->data, sizeof(conf->data));
	return 0;
}

static int
step_vxlan(const struct step *s)
{
	const struct rte_flow_action_vxlan_encap *conf = s->action->conf;
	int len;

	if (conf == NULL)
		return no_conf(s);
	len = flow_encap_build(s->action, conf->definition, s->scratch, s->error);
	if (len < 0)
		return len;
	if (len != s->prepare->bytes)
		return flow_error_conf(s->error, EINVAL, s->action, "vxlan_encap: %d bytes of header, the template has %u",
			len, s->prepare->bytes);
	return 0;
}

static int
step_pointer(const struct step *s)
{
	const struct rte_flow_action_modify_field *conf = s->action->conf;

	if (conf == NULL)
		return no_conf(s);
	if (conf->src.pvalue == NULL)
		return flow_error_conf(s->error, EINVAL, s->action, "modify_field: src pointer is NULL");
	memset(s->scratch, 0, sizeof(conf->src.value));
	memcpy(s->scratch, conf->src.pvalue, s->prepare->bytes);
	return 0;
}

static int
step_vid(const struct step *s)
{
	const struct rte_flow_action_of_set_vlan_vid *conf = s->action->conf;

	if (conf == NULL)
		return no_conf(s);
	if (rte_be_to_cpu_16(conf->vlan_vid) > 0xfff)
		return flow_error_conf(s->error, EINVAL, s->action, "of_set_vlan_vid: vlan_vid %u, at most 4095",
			rte_be_to_cpu_16(conf->vlan_vid));
	return 0;
}

static int
step_pcp(const struct step *s)
{
	const struct rte_flow_action_of_set_vlan_pcp *conf = s->action->conf;

	if (conf == NULL)
		return no_conf(s);
	if (conf->vlan_pcp > 7)
		return flow_error_conf(s->error, EINVAL, s->action, "of_set_vlan_pcp: vlan_pcp %u, at most 7",
			conf->vlan_pcp);
	return 0;
}

#ifdef FLOW_HAS_INDEX_PATTERN
static int
step_row(const struct step *s)
{
	const struct rte_flow_action_jump_to_table_index *conf = s->action->conf;
	struct rte_flow_template_table *rows = s->plan->rows;
	uint32_t stc_be, row;
	int rc;

	if (conf == NULL)
		return no_conf(s);
	if (!s->plan->fate_fixed) {
		rows = conf->table;
		rc = flow_rows_reach(s->table, rows, s->plan->type, s->action, s->error);
		if (rc != 0)
			return rc;
		stc_be = mlx5dr_action_stc(rows->row_jump);
		memcpy(s->scratch, &stc_be, sizeof(stc_be));
	}
	row = s->plan->row.from == MLX5DR_FROM_CONSTANT ? s->plan->row.value : conf->index;
	return flow_rows_check_row(rows, row, s->action, s->error);
}
#endif

static inline int
run(const struct step *s)
{
	switch (s->prepare->kind) {
	case FLOW_PREPARE_INDIRECT_COUNT:
		return step_indirect_count(s);
	case FLOW_PREPARE_INDIRECT_RSS:
		return step_indirect_rss(s);
	case FLOW_PREPARE_RSS:
		return step_rss(s);
	case FLOW_PREPARE_JUMP:
		return step_jump(s);
	case FLOW_PREPARE_RAW:
		return step_raw(s);
	case FLOW_PREPARE_VXLAN:
		return step_vxlan(s);
	case FLOW_PREPARE_POINTER:
		return step_pointer(s);
	case FLOW_PREPARE_VID:
		return step_vid(s);
	case FLOW_PREPARE_PCP:
		return step_pcp(s);
	case FLOW_PREPARE_ROW:
#ifdef FLOW_HAS_INDEX_PATTERN
		return step_row(s);
#else
		break;
#endif
	}
	return 0;
}

int
flow_prepare_rule(struct flow_queue *queue, struct rte_flow_template_table *table, const struct flow_plan *plan,
	const struct rte_flow_action actions[], struct mlx5dr_rule *rule, struct rte_flow_error *error)
{
	struct step s = {
		.port = table->port, .queue = queue, .table = table, .plan = plan, .rule = rule, .error = error,
	};

	queue->made_group = 0;
	for (unsigned int i = 0; i < plan->nb_prepare; i++) {
		int rc;

		s.prepare = &plan->prepare[i];
		s.action = &actions[s.prepare->index];
		s.scratch = queue->scratch + s.prepare->scratch_at;
		rc = run(&s);
		if (unlikely(rc != 0)) {
			flow_rule_release(table->port, queue->hw, rule);
			flow_prepare_undo(queue, table, plan);
			return rc;
		}
	}
	return 0;
}

/* With several queues a rule of another may already jump there: the group stays, as long as such tables do. */
void
flow_prepare_undo(struct flow_queue *queue, struct rte_flow_template_table *table, const struct flow_plan *plan)
{
	if (queue->made_group == 0 || table->port->nb_queues > 1)
		return;
	pthread_mutex_lock(&table->port->lock);
	flow_group_unkeep(table->port, plan->type, queue->made_group);
	pthread_mutex_unlock(&table->port->lock);
	queue->made_group = 0;
}
