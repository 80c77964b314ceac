/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The tables that a matcher has on the device: one per different mask, for large ones with a collision table behind it.
 */
#include <errno.h>
#include <string.h>

#include "hca/cmd_steering.h"
#include "hca/device.h"
#include "hws/context.h"
#include "hws/match_template.h"
#include "hws/matcher.h"
#include "hws/spread.h"
#include "prm/object.h"
#include "util/bits.h"

#define LOG_RULES_WITH_COLLISION 10 /* more rules than 2^10: shallow rows and a collision table */
#define LOG_COLUMNS_SMALL 4
#define LOG_COLUMNS_LARGE 2
#define LOG_COLUMNS_COLLISION 4
#define COLLISION_FEWER_ROWS 5

/* RTCs reparse by themselves only where STCs cannot ask for it. */
void
parts_init_rtc(const struct mlx5dr_matcher *matcher, struct hca_rtc_attr *rtc)
{
	const struct stc_range *range = &matcher->ctx->stc[matcher->table->type];

	memset(rtc, 0, sizeof(*rtc));
	rtc->reparse_mode = range->by_stc_reparse ? PRM_RTC_REPARSE_NEVER : PRM_RTC_REPARSE_ALWAYS;
	rtc->table_type = matcher->table->type;
	rtc->pd = matcher->ctx->dev->pdn;
	rtc->stc_id = range->obj->id;
	rtc->ste_format_0 = PRM_STE_FORMAT_8DW;
}

uint8_t
parts_ste_log_range(const struct mlx5dr_matcher *matcher, uint32_t log)
{
	uint8_t granularity = matcher->ctx->dev->caps.wqe.ste_alloc_log_granularity;

	return log < granularity ? granularity : log;
}

/*
 * By hash: rows for every rule, and a depth that makes a full row unlikely; what still overflows goes to the collision table.
 * By index: a row per index.
 */
int
parts_choose_size(struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct mlx5dr_error *error)
{
	const struct hca_caps *caps = &matcher->ctx->dev->caps;
	uint32_t rows = ilog2_ceil(nb_rules), columns;

	if (matcher_by_index(matcher))
		columns = 0;
	else if (rows > LOG_RULES_WITH_COLLISION)
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

static bool
has_collision(const struct mlx5dr_matcher *matcher)
{
	return !matcher_by_index(matcher) && matcher->log_rows > LOG_RULES_WITH_COLLISION;
}

/* What is different from one kind of matcher to the other: how rules and packets find the row (hws.md 6.4). */
static void
describe_rtc(const struct mlx5dr_matcher *matcher, const struct matcher_part *part, struct hca_rtc_attr *rtc)
{
	parts_init_rtc(matcher, rtc);
	rtc->update_index_mode = matcher_by_index(matcher) ? PRM_RTC_UPDATE_BY_OFFSET : PRM_RTC_UPDATE_BY_HASH;
	rtc->num_hash_definer = matcher_always_hits(matcher);
	if (part->jumbo)
		rtc->ste_format_0 = PRM_STE_FORMAT_11DW;
	if (matcher->mode == MLX5DR_MATCHER_LINEAR) {
		rtc->access_index_mode = PRM_RTC_ACCESS_LINEAR;
		rtc->match_definer_0 = matcher->ctx->dev->caps.wqe.linear_match_definer_reg_c3;
	} else {
		rtc->match_definer_0 = part->definer->obj->id;
	}
}

/* Which = 0: the table itself; 1: the collision table behind it. before: NULL, or the node that it comes right before. */
static int
add_node(struct mlx5dr_matcher *matcher, struct matcher_part *part, unsigned int which, struct table_node *before)
{
	uint8_t rows = which == 0 ? matcher->log_rows : matcher->log_rows - COLLISION_FEWER_ROWS;
	uint8_t columns = which == 0 ? matcher->log_columns : LOG_COLUMNS_COLLISION;
	struct table_node *node = &part->nodes[which];
	struct hca_rtc_attr rtc;
	uint8_t *deletion;
	int ret;

	ret = hca_cmd_create_ste(matcher->ctx->dev, matcher->table->type, parts_ste_log_range(matcher, rows + columns),
				 &part->ste[which]);
	if (ret < 0)
		return ret;
	describe_rtc(matcher, part, &rtc);
	rtc.log_hash_size = rows;
	rtc.log_depth = columns;
	rtc.ste_table_base_id = part->ste[which]->id;
	if (matcher->mode == MLX5DR_MATCHER_ISOLATED)
		ret = table_add_isolated(matcher->table, &rtc, node);
	else if (before != NULL)
		ret = table_add_node_before(matcher->table, before, &rtc, node);
	else
		ret = table_add_node(matcher->table, matcher->priority, &rtc, node);
	if (ret < 0)
		return ret;
	part->nb_nodes++;
	deletion = matcher->deletion[2 * (part - matcher->parts) + which];
	memset(deletion, 0, PRM_WQE_GTA_BYTES);
	prm_set(deletion, PRM_WQE_CTRL_IMM, node->rtc->id);
	prm_set(deletion + PRM_WQE_CTRL_BYTES, PRM_WQE_GTA_CTRL_OP, PRM_WQE_GTA_OP_DEACTIVATE);
	return 0;
}

static int
add_nodes(struct mlx5dr_matcher *matcher, struct matcher_part *part, struct table_node *before, struct mlx5dr_error *error)
{
	for (unsigned int which = 0; which < (has_collision(matcher) ? 2 : 1); which++) {
		int ret = add_node(matcher, part, which, before);

		if (ret < 0)
			return context_command_error(error, ret, "rule table");
	}
	return 0;
}

static int
get_definer(struct mlx5dr_matcher *matcher, const struct mlx5dr_match_template *mt, struct matcher_part *part)
{
	struct definer definer = mt->definer;

	if (matcher->mode == MLX5DR_MATCHER_LINEAR)
		return 0; /* the device's own */
	/* The hash is known to be the CRC only where the device says so. */
	if (matcher->ctx->dev->caps.flow_table_hash_type == 0 && !matcher_by_index(matcher))
		spread_arrange(&definer, &mt->limits, mt->fields, mt->nb_fields, matcher->log_rows);
	return definer_get(&matcher->ctx->definers, matcher->ctx->dev, &definer, &part->definer);
}

/* Templates with the same mask share a part; parts stand in the order of their first template. */
int
parts_create(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	unsigned int max = matcher->resizable ? MATCHER_RESIZABLE_PARTS : matcher_by_index(matcher) ? 1 : MLX5DR_MAX_TEMPLATES;

	for (unsigned int m = 0; m < matcher->nb_mt; m++) {
		const struct mlx5dr_match_template *mt = matcher->mt[m];
		struct matcher_part *part;
		unsigned int p = 0;
		int ret;

		while (p < matcher->nb_parts &&
		       memcmp(matcher->parts[p].first->hl_mask, mt->hl_mask, sizeof(mt->hl_mask)) != 0)
			p++;
		matcher->mt_part[m] = p;
		if (p < matcher->nb_parts)
			continue;
		if (p == max)
			return context_error(error, (int)m, -E2BIG, "match templates of more than %u different mask(s) in a %s table",
					     max, matcher->resizable ? "resizable" : "by-index");
		part = &matcher->parts[p];
		ret = get_definer(matcher, mt, part);
		if (ret < 0)
			return context_command_error(error, ret, "match definer");
		part->first = mt;
		part->jumbo = mt->definer.jumbo;
		matcher->nb_parts++;
		ret = add_nodes(matcher, part, NULL, error);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int
parts_create_again(struct mlx5dr_matcher *matcher, uint8_t old_first, struct mlx5dr_error *error)
{
	for (unsigned int p = 0; p < matcher->nb_parts; p++) {
		struct matcher_part *old = &matcher->parts[old_first + p], *part = &matcher->parts[matcher->first_part + p];
		/* Whatever the size would suggest: rules that move bring their tags. */
		int ret = definer_get(&matcher->ctx->definers, matcher->ctx->dev, &old->definer->definer, &part->definer);

		if (ret < 0)
			return context_command_error(error, ret, "match definer");
		part->first = old->first;
		part->jumbo = old->jumbo;
		ret = add_nodes(matcher, part, &old->nodes[0], error);
		if (ret < 0)
			return ret;
	}
	return 0;
}

void
parts_destroy(struct mlx5dr_matcher *matcher, uint8_t first)
{
	/* Last ones first, so that no packet sees a half of the chain out of order. */
	for (unsigned int p = matcher->nb_parts; p-- > 0;) {
		struct matcher_part *part = &matcher->parts[first + p];

		for (unsigned int which = 2; which-- > 0;) {
			table_remove_node(matcher->table, &part->nodes[which]);
			hca_obj_destroy(part->ste[which]);
		}
		if (part->definer != NULL)
			definer_put(&matcher->ctx->definers, part->definer);
		memset(part, 0, sizeof(*part));
	}
}
