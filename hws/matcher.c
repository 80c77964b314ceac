/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/matcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hca/cmd_steering.h"
#include "hca/device.h"
#include "hws/context.h"
#include "hws/match_template.h"
#include "hws/spread.h"
#include "prm/object.h"
#include "util/bits.h"

#define LOG_RULES_WITH_COLLISION 10 /* more rules than 2^10: shallow rows and a collision table */
#define LOG_COLUMNS_SMALL 4
#define LOG_COLUMNS_LARGE 2
#define LOG_COLUMNS_COLLISION 4
#define COLLISION_FEWER_ROWS 5

#define HUGE_PAGE_BYTES (2u << 20)
#define POPULATE_BYTES (16u << 20)
#define POPULATE_STEP (2u << 20)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* RTCs reparse by themselves only where STCs cannot ask for it. */
static void
init_rtc(const struct mlx5dr_matcher *matcher, struct hca_rtc_attr *rtc)
{
	const struct stc_range *range = &matcher->ctx->stc[matcher->table->type];

	memset(rtc, 0, sizeof(*rtc));
	rtc->reparse_mode = range->by_stc_reparse ? PRM_RTC_REPARSE_NEVER : PRM_RTC_REPARSE_ALWAYS;
	rtc->table_type = matcher->table->type;
	rtc->pd = matcher->ctx->dev->pdn;
	rtc->stc_id = range->obj->id;
	rtc->ste_format_0 = PRM_STE_FORMAT_8DW;
}

static uint8_t
ste_log_range(const struct mlx5dr_matcher *matcher, uint32_t log)
{
	uint8_t granularity = matcher->ctx->dev->caps.wqe.ste_alloc_log_granularity;

	return log < granularity ? granularity : log;
}

/* Rows for every rule, and a depth that makes a full row unlikely; what still overflows goes to the collision table. */
static int
choose_size(struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct mlx5dr_error *error)
{
	const struct hca_caps *caps = &matcher->ctx->dev->caps;
	uint32_t rows = ilog2_ceil(nb_rules), columns;

	if (rows > LOG_RULES_WITH_COLLISION)
		columns = LOG_COLUMNS_LARGE;
	else
		columns = rows < LOG_COLUMNS_SMALL ? rows : LOG_COLUMNS_SMALL;
	if (columns > caps->wqe.rtc_log_depth_max)
		columns = caps->wqe.rtc_log_depth_max;
	while (columns > 0 && rows + columns > caps->wqe.ste_alloc_log_max)
		columns--;
	if (rows + columns > caps->wqe.ste_alloc_log_max)
		return context_error(error, -1, -E2BIG, "%u rules: the device gives tables of 2^%u entries", nb_rules,
				     caps->wqe.ste_alloc_log_max);
	matcher->log_rows = rows;
	matcher->log_columns = columns;
	return 0;
}

/* Which = 0: the hash table itself; 1: the collision table behind it. */
static int
add_node(struct mlx5dr_matcher *matcher, struct matcher_part *part, unsigned int which, uint16_t priority)
{
	uint8_t rows = which == 0 ? matcher->log_rows : matcher->log_rows - COLLISION_FEWER_ROWS;
	uint8_t columns = which == 0 ? matcher->log_columns : LOG_COLUMNS_COLLISION;
	struct hca_rtc_attr rtc;
	uint8_t *deletion;
	int ret;

	ret = hca_cmd_create_ste(matcher->ctx->dev, matcher->table->type, ste_log_range(matcher, rows + columns),
				 &part->ste[which]);
	if (ret < 0)
		return ret;
	init_rtc(matcher, &rtc);
	rtc.update_index_mode = PRM_RTC_UPDATE_BY_HASH;
	rtc.log_hash_size = rows;
	rtc.log_depth = columns;
	rtc.match_definer_0 = part->definer->obj->id;
	rtc.ste_table_base_id = part->ste[which]->id;
	if (part->jumbo)
		rtc.ste_format_0 = PRM_STE_FORMAT_11DW;
	ret = table_add_node(matcher->table, priority, &rtc, &part->nodes[which]);
	if (ret < 0)
		return ret;
	part->nb_nodes++;
	deletion = matcher->deletion[2 * (part - matcher->parts) + which];
	prm_set(deletion, PRM_WQE_CTRL_IMM, part->nodes[which].rtc->id);
	prm_set(deletion + PRM_WQE_CTRL_BYTES, PRM_WQE_GTA_CTRL_OP, PRM_WQE_GTA_OP_DEACTIVATE);
	return 0;
}

/* Templates with the same mask share a part; parts stand in the order of their first template. */
static int
add_parts(struct mlx5dr_matcher *matcher, uint16_t priority, struct mlx5dr_error *error)
{
	bool collision = matcher->log_rows > LOG_RULES_WITH_COLLISION;
	int ret;

	for (unsigned int m = 0; m < matcher->nb_mt; m++) {
		const struct mlx5dr_match_template *mt = matcher->mt[m];
		struct matcher_part *part;
		struct definer definer;
		unsigned int p = 0;

		while (p < matcher->nb_parts &&
		       memcmp(matcher->parts[p].first->hl_mask, mt->hl_mask, sizeof(mt->hl_mask)) != 0)
			p++;
		matcher->mt_part[m] = p;
		if (p < matcher->nb_parts)
			continue;
		part = &matcher->parts[p];
		definer = mt->definer;
		/* The hash is known to be the CRC only where the device says so. */
		if (matcher->ctx->dev->caps.flow_table_hash_type == 0)
			spread_arrange(&definer, &mt->limits, mt->fields, mt->nb_fields, matcher->log_rows);
		ret = definer_get(&matcher->ctx->definers, matcher->ctx->dev, &definer, &part->definer);
		if (ret < 0)
			return context_command_error(error, ret, "match definer");
		part->first = mt;
		part->jumbo = mt->definer.jumbo;
		matcher->nb_parts++;
		for (unsigned int which = 0; which < (collision ? 2 : 1); which++) {
			ret = add_node(matcher, part, which, priority);
			if (ret < 0)
				return context_command_error(error, ret, "rule table");
		}
	}
	return 0;
}

static void
remove_parts(struct mlx5dr_matcher *matcher)
{
	/* Last ones first, so that no packet sees a half of the chain out of order. */
	for (unsigned int p = matcher->nb_parts; p-- > 0;) {
		struct matcher_part *part = &matcher->parts[p];

		for (unsigned int which = 2; which-- > 0;) {
			table_remove_node(matcher->table, &part->nodes[which]);
			hca_obj_destroy(part->ste[which]);
		}
		definer_put(&matcher->ctx->definers, part->definer);
	}
	matcher->nb_parts = 0;
}

static void
destroy_records(struct mlx5dr_matcher *matcher)
{
	if (matcher->records == NULL)
		return;
	munmap(matcher->records, matcher->records_bytes);
	pool_fini(&matcher->pool);
	matcher->records = NULL;
}

/* Address space that begins on a huge page where it is large enough for one, and is not a byte longer than asked. */
static void *
map_aligned(size_t bytes)
{
	size_t slack = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0, before;
	uint8_t *mapping = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mapping == MAP_FAILED)
		return NULL;
	if (slack == 0)
		return mapping;
	before = align_up((uintptr_t)mapping, HUGE_PAGE_BYTES) - (uintptr_t)mapping;
	if (before > 0)
		munmap(mapping, before);
	if (slack > before)
		munmap(mapping + before + bytes, slack - before);
	return mapping + before;
}

/* Memory for records before it is touched. Older kernels do not know the advice; then each page faults by itself. */
static void
populate(struct mlx5dr_matcher *matcher, size_t from, size_t bytes)
{
	if (from < matcher->records_bytes)
		(void)madvise(matcher->records + from,
			      bytes < matcher->records_bytes - from ? bytes : matcher->records_bytes - from,
			      MADV_POPULATE_WRITE);
}

void
matcher_populate(struct mlx5dr_matcher *matcher, uint32_t nb_records)
{
	size_t wanted = (size_t)nb_records * sizeof(struct mlx5dr_rule);
	size_t at = atomic_load_explicit(&matcher->populated, memory_order_relaxed);

	while (at < wanted)
		if (atomic_compare_exchange_weak_explicit(&matcher->populated, &at, at + POPULATE_STEP,
							  memory_order_relaxed, memory_order_relaxed))
			populate(matcher, at, POPULATE_STEP);
}

/*
 * Records of all rules, in one piece of address space: a handle never moves, and a rule's index is its distance from the
 * start. The first POPULATE_BYTES get memory now, the rest of larger tables step by step (matcher_populate), so that the
 * rule path meets no page fault for every 64 rules. Huge pages where the system gives them and they would be full.
 */
static int
create_records(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	uint32_t nb_caches = matcher->ctx->nb_queues + 1u;
	size_t bytes = ((size_t)nb_rules + pool_slack(nb_rules, nb_caches)) * sizeof(struct mlx5dr_rule), now;
	int ret;

	bytes = align_up(bytes, sysconf(_SC_PAGESIZE));
	matcher->records = map_aligned(bytes);
	if (matcher->records == NULL)
		return -ENOMEM;
	matcher->records_bytes = bytes;
	if (bytes >= HUGE_PAGE_BYTES)
		(void)madvise(matcher->records, align_down(bytes, HUGE_PAGE_BYTES), MADV_HUGEPAGE);
	/* Not those that are there for other queues' caches only. */
	now = align_up((size_t)nb_rules * sizeof(struct mlx5dr_rule), sysconf(_SC_PAGESIZE));
	now = now < POPULATE_BYTES ? now : POPULATE_BYTES;
	populate(matcher, 0, now);
	atomic_init(&matcher->populated, now);
	ret = pool_init(&matcher->pool, nb_rules, nb_caches,
			matcher->records + offsetof(struct mlx5dr_rule, counter), sizeof(struct mlx5dr_rule));
	if (ret < 0)
		destroy_records(matcher);
	return ret;
}

static int
acquire_slots(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	matcher->slots = calloc(matcher->nb_at, sizeof(*matcher->slots));
	if (matcher->slots == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	for (unsigned int a = 0; a < matcher->nb_at; a++) {
		const struct mlx5dr_action_template *at = matcher->at[a];

		for (unsigned int s = 0; s < at->nb_slots; s++) {
			int ret = slot_acquire(matcher, at, s, &matcher->slots[a][s], error);

			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

static void
release_slots(struct mlx5dr_matcher *matcher)
{
	for (unsigned int a = 0; matcher->slots != NULL && a < matcher->nb_at; a++)
		for (unsigned int s = 0; s < MLX5DR_MAX_SLOTS; s++)
			slot_release(matcher, &matcher->slots[a][s]);
	free(matcher->slots);
}

/* STEs beside the match STE: as many per rule as the longest pair takes, found by the rule's index. */
static int
create_action_stes(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	const struct hca_caps *caps = &matcher->ctx->dev->caps;
	struct hca_stc_attr jump;
	struct hca_rtc_attr rtc;
	uint32_t log;
	int ret;

	for (unsigned int m = 0; m < matcher->nb_mt; m++)
		for (unsigned int a = 0; a < matcher->nb_at; a++) {
			uint32_t n = action_stes_of(matcher->at[a], matcher->mt[m]->definer.jumbo);

			matcher->ste_stride = n > matcher->ste_stride ? n : matcher->ste_stride;
		}
	if (matcher->ste_stride == 0)
		return 0;
	log = ste_log_range(matcher, ilog2_ceil((uint64_t)matcher->ste_stride * matcher->pool.size));
	if (log > caps->wqe.ste_alloc_log_max)
		return context_error(error, -1, -E2BIG, "the rules' action entries take 2^%u, the device gives 2^%u",
				     log, caps->wqe.ste_alloc_log_max);
	ret = hca_cmd_create_ste(matcher->ctx->dev, matcher->table->type, log, &matcher->action_ste);
	if (ret < 0)
		return context_command_error(error, ret, "action entries");
	init_rtc(matcher, &rtc);
	rtc.update_index_mode = PRM_RTC_UPDATE_BY_OFFSET;
	rtc.log_hash_size = log;
	rtc.match_definer_0 = caps->wqe.trivial_match_definer;
	rtc.ste_table_base_id = matcher->action_ste->id;
	ret = hca_cmd_create_rtc(matcher->ctx->dev, &rtc, &matcher->action_rtc);
	if (ret < 0)
		return context_command_error(error, ret, "action entry table");
	stc_attr_hit(&jump, PRM_STC_ACTION_JUMP_TO_STE_TABLE);
	prm_set(jump.param, PRM_STC_PARAM_STE_TABLE_STE_OBJ_ID, matcher->action_ste->id);
	prm_set(jump.param, PRM_STC_PARAM_STE_TABLE_MATCH_DEFINER_ID, caps->wqe.trivial_match_definer);
	ret = stc_get(&matcher->ctx->stc[matcher->table->type], &jump, &matcher->jump_stc);
	if (ret < 0)
		return context_command_error(error, ret, "steering context");
	matcher->has_jump_stc = true;
	return 0;
}

static void
destroy_action_stes(struct mlx5dr_matcher *matcher)
{
	if (matcher->has_jump_stc)
		stc_put(&matcher->ctx->stc[matcher->table->type], matcher->jump_stc);
	hca_obj_destroy(matcher->action_rtc);
	hca_obj_destroy(matcher->action_ste);
}

static int
build_pairs(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	matcher->pairs = calloc((size_t)matcher->nb_mt * matcher->nb_at, sizeof(*matcher->pairs));
	if (matcher->pairs == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	for (unsigned int m = 0; m < matcher->nb_mt; m++)
		for (unsigned int a = 0; a < matcher->nb_at; a++) {
			int ret = pair_build(matcher, m, a, &matcher->pairs[m * matcher->nb_at + a]);

			if (ret < 0)
				return context_error(error, -1, ret, "out of memory");
		}
	return 0;
}

static void
free_pairs(struct mlx5dr_matcher *matcher)
{
	for (unsigned int i = 0; matcher->pairs != NULL && i < (unsigned int)matcher->nb_mt * matcher->nb_at; i++)
		free(matcher->pairs[i]);
	free(matcher->pairs);
}

/* Also of a half-built one. */
static void
tear_down(struct mlx5dr_matcher *matcher)
{
	remove_parts(matcher);
	free_pairs(matcher);
	destroy_action_stes(matcher);
	release_slots(matcher);
	destroy_records(matcher);
	free(matcher);
}

static void
count_templates(struct mlx5dr_matcher *matcher, int by)
{
	for (unsigned int m = 0; m < matcher->nb_mt; m++)
		matcher->mt[m]->refs += by;
	for (unsigned int a = 0; a < matcher->nb_at; a++)
		matcher->at[a]->refs += by;
	matcher->ctx->nb_objects += by;
}

static int
check_attr(const struct mlx5dr_table *table, const struct mlx5dr_matcher_attr *attr, struct mlx5dr_error *error)
{
	if (attr->nb_rules == 0)
		return context_error(error, -1, -EINVAL, "a table of no rules");
	if (attr->nb_rules > 1u << 28)
		return context_error(error, -1, -E2BIG, "%u rules, 2^28 are possible", attr->nb_rules);
	if (attr->nb_mt < 1 || attr->nb_mt > MLX5DR_MAX_TEMPLATES || attr->nb_at < 1 ||
	    attr->nb_at > MLX5DR_MAX_TEMPLATES)
		return context_error(error, -1, -EINVAL, "%u match and %u action templates, 1..%u are possible",
				     attr->nb_mt, attr->nb_at, MLX5DR_MAX_TEMPLATES);
	for (unsigned int a = 0; a < attr->nb_at; a++)
		if (attr->at[a]->table_type != table->type)
			return context_error(error, (int)a, -EINVAL,
					     "action template %u is of the other direction than the table", a);
	return 0;
}

int
mlx5dr_matcher_create(struct mlx5dr_table *table, const struct mlx5dr_matcher_attr *attr,
		      struct mlx5dr_matcher **created, struct mlx5dr_error *error)
{
	struct mlx5dr_context *ctx = table->ctx;
	struct mlx5dr_matcher *matcher;
	int ret = check_attr(table, attr, error);

	if (ret < 0)
		return ret;
	matcher = aligned_alloc(64, (sizeof(*matcher) + 63) / 64 * 64);
	if (matcher == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	memset(matcher, 0, sizeof(*matcher));
	matcher->ctx = ctx;
	matcher->table = table;
	matcher->nb_mt = attr->nb_mt;
	matcher->nb_at = attr->nb_at;
	memcpy(matcher->mt, attr->mt, attr->nb_mt * sizeof(*attr->mt));
	memcpy(matcher->at, attr->at, attr->nb_at * sizeof(*attr->at));
	pthread_mutex_lock(&ctx->lock);
	ret = choose_size(matcher, attr->nb_rules, error);
	if (ret == 0) {
		ret = create_records(matcher, attr->nb_rules);
		if (ret < 0)
			context_error(error, -1, ret, "no memory for %u rules", attr->nb_rules);
	}
	if (ret == 0)
		ret = acquire_slots(matcher, error);
	if (ret == 0)
		ret = create_action_stes(matcher, error);
	if (ret == 0)
		ret = add_parts(matcher, attr->priority, error);
	if (ret == 0)
		ret = build_pairs(matcher, error);
	if (ret == 0)
		count_templates(matcher, 1);
	else
		tear_down(matcher);
	pthread_mutex_unlock(&ctx->lock);
	if (ret == 0)
		*created = matcher;
	return ret;
}

int
mlx5dr_matcher_destroy(struct mlx5dr_matcher *matcher)
{
	struct mlx5dr_context *ctx;

	if (matcher == NULL)
		return 0;
	ctx = matcher->ctx;
	pthread_mutex_lock(&ctx->lock);
	if (pool_nb_out(&matcher->pool) != 0) {
		pthread_mutex_unlock(&ctx->lock);
		return -EBUSY;
	}
	count_templates(matcher, -1);
	tear_down(matcher);
	pthread_mutex_unlock(&ctx->lock);
	return 0;
}

const struct mlx5dr_pair *
mlx5dr_matcher_pair(const struct mlx5dr_matcher *matcher, uint8_t mt, uint8_t at)
{
	if (mt >= matcher->nb_mt || at >= matcher->nb_at)
		return NULL;
	return matcher->pairs[(unsigned int)mt * matcher->nb_at + at];
}

size_t
mlx5dr_matcher_bytes(const struct mlx5dr_matcher *matcher)
{
	size_t bytes = sizeof(*matcher) + matcher->nb_at * sizeof(*matcher->slots);

	bytes += (size_t)matcher->pool.size * sizeof(struct mlx5dr_rule);
	bytes += matcher->pool.nb_caches * sizeof(struct pool_cache);
	bytes += (matcher->pool.size / matcher->pool.bulk + 1) * sizeof(struct pool_bulk);
	for (unsigned int i = 0; i < (unsigned int)matcher->nb_mt * matcher->nb_at; i++)
		bytes += matcher->pairs[i]->bytes + sizeof(matcher->pairs[i]);
	return bytes;
}
