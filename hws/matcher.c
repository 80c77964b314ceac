/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/matcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd_steering.h"
#include "hca/device.h"
#include "hws/context.h"
#include "hws/match_template.h"
#include "prm/cap.h"
#include "prm/object.h"
#include "util/bits.h"

static int
acquire_slots(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	matcher->res.slots = calloc(matcher->nb_at, sizeof(*matcher->res.slots));
	if (matcher->res.slots == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	for (unsigned int a = 0; a < matcher->nb_at; a++) {
		const struct mlx5dr_action_template *at = matcher->at[a];

		for (unsigned int s = 0; s < at->nb_slots; s++) {
			int ret = slot_acquire(matcher, at, s, &matcher->res.slots[a][s], error);

			if (ret < 0)
				return ret;
		}
	}
	return 0;
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

			matcher->res.ste_stride = n > matcher->res.ste_stride ? n : matcher->res.ste_stride;
		}
	if (matcher->res.ste_stride == 0)
		return 0;
	log = parts_ste_log_range(matcher, ilog2_ceil((uint64_t)matcher->res.ste_stride * matcher_nb_owned(matcher)));
	if (log > caps->wqe.ste_alloc_log_max)
		return context_error(error, -1, -E2BIG, "the rules' action entries take 2^%u, the device gives 2^%u",
				     log, caps->wqe.ste_alloc_log_max);
	ret = hca_cmd_create_ste(matcher->ctx->dev, matcher->table->type, log, &matcher->res.action_ste);
	if (ret < 0)
		return context_command_error(error, ret, "action entries");
	parts_init_rtc(matcher, &rtc);
	rtc.update_index_mode = PRM_RTC_UPDATE_BY_OFFSET;
	rtc.log_hash_size = log;
	rtc.match_definer_0 = caps->wqe.trivial_match_definer;
	rtc.ste_table_base_id = matcher->res.action_ste->id;
	ret = hca_cmd_create_rtc(matcher->ctx->dev, &rtc, &matcher->res.action_rtc);
	if (ret < 0)
		return context_command_error(error, ret, "action entry table");
	stc_attr_hit(&jump, PRM_STC_ACTION_JUMP_TO_STE_TABLE);
	prm_set(jump.param, PRM_STC_PARAM_STE_TABLE_STE_OBJ_ID, matcher->res.action_ste->id);
	prm_set(jump.param, PRM_STC_PARAM_STE_TABLE_MATCH_DEFINER_ID, caps->wqe.trivial_match_definer);
	ret = stc_get(&matcher->ctx->stc[matcher->table->type], &jump, &matcher->res.jump_stc);
	if (ret < 0)
		return context_command_error(error, ret, "steering context");
	matcher->res.has_jump_stc = true;
	return 0;
}

int
matcher_acquire_resources(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	int ret = acquire_slots(matcher, error);

	return ret < 0 ? ret : create_action_stes(matcher, error);
}

void
matcher_release_resources(struct mlx5dr_matcher *matcher, struct matcher_resources *res)
{
	if (res->has_jump_stc)
		stc_put(&matcher->ctx->stc[matcher->table->type], res->jump_stc);
	hca_obj_destroy(res->action_rtc);
	hca_obj_destroy(res->action_ste);
	for (unsigned int a = 0; res->slots != NULL && a < matcher->nb_at; a++)
		for (unsigned int s = 0; s < MLX5DR_MAX_SLOTS; s++)
			slot_release(matcher, &res->slots[a][s]);
	free(res->slots);
	memset(res, 0, sizeof(*res));
}

int
matcher_build_pairs(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
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

void
matcher_free_pairs(const struct mlx5dr_matcher *matcher, struct mlx5dr_pair **pairs)
{
	for (unsigned int i = 0; pairs != NULL && i < (unsigned int)matcher->nb_mt * matcher->nb_at; i++)
		free(pairs[i]);
	free(pairs);
}

/* Also of a half-built one. */
static void
tear_down(struct mlx5dr_matcher *matcher)
{
	parts_destroy(matcher, matcher->first_part);
	if (matcher->resizing)
		parts_destroy(matcher, matcher->first_part ^ MATCHER_RESIZABLE_PARTS);
	matcher_free_pairs(matcher, matcher->pairs);
	matcher_free_pairs(matcher, matcher->old_pairs);
	matcher_release_resources(matcher, &matcher->res);
	for (uint32_t i = 0; i < matcher->nb_old_res; i++)
		matcher_release_resources(matcher, &matcher->old_res[i]);
	free(matcher->old_res);
	records_destroy(matcher);
	free(matcher->parts);
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

const char *
mlx5dr_matcher_mode_unsupported(const struct hca_device *dev, enum mlx5dr_matcher_mode mode)
{
	const struct hca_caps *caps = &dev->caps;

	switch (mode) {
	case MLX5DR_MATCHER_BY_HASH:
	case MLX5DR_MATCHER_ISOLATED:
		return NULL;
	case MLX5DR_MATCHER_HASH_SPLIT:
		return caps->wqe.rtc_hash_split_table ? NULL : "the device has no tables by index that packets find by hash "
							       "(rtc_hash_split_table)";
	case MLX5DR_MATCHER_LINEAR:
		return caps->wqe.rtc_linear_lookup_table && (caps->wqe.access_index_mode & PRM_CAP_ACCESS_INDEX_LINEAR) != 0 ?
			       NULL : "the device has no linear tables (rtc_linear_lookup_table, access_index_mode)";
	default:
		return "unknown mode";
	}
}

/* What the mode of a table asks of its other attributes. */
static int
check_mode(const struct mlx5dr_table *table, const struct mlx5dr_matcher_attr *attr, struct mlx5dr_error *error)
{
	const char *reason = mlx5dr_matcher_mode_unsupported(table->ctx->dev, attr->mode);

	if (reason != NULL)
		return context_error(error, -1, -ENOTSUP, "%s", reason);
	if (attr->resizable && attr->mode != MLX5DR_MATCHER_BY_HASH)
		return context_error(error, -1, -ENOTSUP, "a table by index cannot be resized");
	if (attr->resizable && attr->updatable)
		return context_error(error, -1, -ENOTSUP, "rules of a resizable table cannot be updated");
	if (attr->mode != MLX5DR_MATCHER_LINEAR)
		return 0;
	if (attr->nb_rules > MLX5DR_MAX_LINEAR_ROWS)
		return context_error(error, -1, -E2BIG, "%u rows, a linear table has at most %u", attr->nb_rules,
				     MLX5DR_MAX_LINEAR_ROWS);
	for (unsigned int m = 0; m < attr->nb_mt; m++)
		if (attr->mt[m]->nb_fields != 0)
			return context_error(error, (int)m, -EINVAL,
					     "match template %u has fields: the row of a linear table is REG_C_3 alone", m);
	return 0;
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
	return check_mode(table, attr, error);
}

/* Zeroed, with room for the parts that there can be. */
static struct mlx5dr_matcher *
allocate(const struct mlx5dr_matcher_attr *attr)
{
	const struct mlx5dr_matcher shape = { .nb_mt = attr->nb_mt, .nb_at = attr->nb_at, .resizable = attr->resizable };
	unsigned int nb_parts = matcher_max_parts(&shape);
	size_t bytes = sizeof(shape) + 2 * nb_parts * sizeof(shape.deletion[0]);
	struct mlx5dr_matcher *matcher = aligned_alloc(64, bytes);

	if (matcher == NULL)
		return NULL;
	memset(matcher, 0, bytes);
	matcher->nb_mt = attr->nb_mt;
	matcher->nb_at = attr->nb_at;
	matcher->resizable = attr->resizable;
	matcher->parts = calloc(1, nb_parts * sizeof(*matcher->parts) + (attr->nb_mt + attr->nb_at) * sizeof(void *));
	if (matcher->parts == NULL) {
		free(matcher);
		return NULL;
	}
	matcher->mt = (struct mlx5dr_match_template **)(void *)(matcher->parts + nb_parts);
	matcher->at = (struct mlx5dr_action_template **)(void *)(matcher->mt + attr->nb_mt);
	memcpy(matcher->mt, attr->mt, attr->nb_mt * sizeof(*attr->mt));
	memcpy(matcher->at, attr->at, attr->nb_at * sizeof(*attr->at));
	return matcher;
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
	matcher = allocate(attr);
	if (matcher == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	matcher->ctx = ctx;
	matcher->table = table;
	matcher->priority = attr->priority;
	matcher->mode = attr->mode;
	matcher->updatable = attr->updatable;
	pthread_mutex_lock(&ctx->lock);
	ret = parts_choose_size(matcher, attr->nb_rules, error);
	if (ret == 0) {
		ret = records_create(matcher, attr->nb_rules);
		if (ret < 0)
			context_error(error, -1, ret, "no memory for %u rules", attr->nb_rules);
	}
	if (ret == 0)
		ret = matcher_acquire_resources(matcher, error);
	if (ret == 0)
		ret = parts_create(matcher, error);
	if (ret == 0)
		ret = matcher_build_pairs(matcher, error);
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
	if (matcher->refs != 0 || records_nb_out(matcher) != 0) {
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

bool
mlx5dr_matcher_is_updatable(const struct mlx5dr_matcher *matcher)
{
	if (matcher->resizable)
		return false;
	for (unsigned int i = 0; i < (unsigned int)matcher->nb_mt * matcher->nb_at; i++)
		if (matcher->pairs[i]->nb_steps != 0)
			return matcher->updatable;
	return true;
}

uint32_t
mlx5dr_matcher_nb_records(const struct mlx5dr_matcher *matcher)
{
	return matcher->nb_records;
}

size_t
mlx5dr_matcher_bytes(const struct mlx5dr_matcher *matcher)
{
	size_t bytes = sizeof(*matcher) + matcher->nb_at * sizeof(*matcher->res.slots);

	bytes += matcher_max_parts(matcher) * (sizeof(matcher->parts[0]) + 2 * sizeof(matcher->deletion[0]));

	bytes += (size_t)matcher->nb_records * sizeof(struct mlx5dr_rule);
	if (matcher->resizable)
		bytes += (size_t)matcher->nb_records * PRM_WQE_GTA_BYTES;
	if (!matcher_by_index(matcher)) {
		bytes += matcher->pool.nb_caches * sizeof(struct pool_cache);
		bytes += (matcher->pool.size / matcher->pool.bulk + 1) * sizeof(struct pool_bulk);
	}
	for (unsigned int i = 0; i < (unsigned int)matcher->nb_mt * matcher->nb_at; i++)
		bytes += matcher->pairs[i]->bytes + sizeof(matcher->pairs[i]);
	return bytes;
}
