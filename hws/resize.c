/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Resize of a matcher. New tables are put into the chain, each right before the old one of its mask; so packets search both,
 * whatever rule is in which. A rule moves by being written to the new table; that is one WQE, which has failed or succeeded as
 * a whole, and the old entry, behind it, is not met any more. All old entries go at once with their tables at the end.
 *
 * Arguments and action STEs lie by the record's index, so a matcher that gets more records needs larger objects for new
 * rules. Moved rules keep their old ones: a WQE's image says which set it uses, and a set goes when no rule's does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/device.h"
#include "hws/context.h"
#include "hws/matcher.h"

/* Do rules own anything, so that more of them need more of it? */
static bool
rules_own(const struct mlx5dr_matcher *matcher)
{
	if (matcher->res.ste_stride != 0)
		return true;
	for (unsigned int a = 0; a < matcher->nb_at; a++)
		for (unsigned int s = 0; s < matcher->at[a]->nb_slots; s++)
			if (matcher->res.slots[a][s].per_rule)
				return true;
	return false;
}

/* New resources; the old ones are kept aside. */
static int
renew_resources(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	struct matcher_resources *old = realloc(matcher->old_res, (matcher->nb_old_res + 1) * sizeof(*old));
	int ret;

	if (old == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	matcher->old_res = old;
	old[matcher->nb_old_res++] = matcher->res;
	memset(&matcher->res, 0, sizeof(matcher->res));
	matcher->res.number = old[matcher->nb_old_res - 1].number + 1;
	ret = matcher_acquire_resources(matcher, error);
	if (ret < 0) {
		matcher_release_resources(matcher, &matcher->res);
		matcher->res = old[--matcher->nb_old_res];
	}
	return ret;
}

static int
check(const struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct mlx5dr_error *error)
{
	uint32_t nb_out;

	if (!matcher->resizable)
		return context_error(error, -1, -EINVAL, "the table is not resizable");
	if (matcher->resizing)
		return context_error(error, -1, -EBUSY, "the table's last resize was not completed");
	if (nb_rules == 0 || nb_rules > records_max(matcher))
		return context_error(error, -1, -EINVAL, "resize to %u rules, 1..%u are possible", nb_rules,
				     records_max(matcher));
	/* Counted for fewer alone, when queues rest: more is always enough. */
	if (nb_rules + records_slack(matcher) >= matcher->nb_records)
		return 0;
	nb_out = records_nb_out(matcher);
	if (nb_rules < nb_out)
		return context_error(error, -1, -ENOSPC, "resize to %u rules, there are %u", nb_rules, nb_out);
	return 0;
}

/* What a failed attempt leaves. */
struct before {
	uint8_t log_rows, log_columns;
	uint32_t nb_records;
	struct mlx5dr_pair **pairs;
	bool renewed;
};

static int
build(struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct before *before, struct mlx5dr_error *error)
{
	int ret = parts_choose_size(matcher, nb_rules, error);

	if (ret < 0)
		return ret;
	ret = records_grow(matcher, nb_rules);
	if (ret < 0)
		return context_error(error, -1, ret, "no memory for %u rules", nb_rules);
	if (matcher->nb_records != before->nb_records && rules_own(matcher)) {
		ret = renew_resources(matcher, error);
		if (ret < 0)
			return ret;
		before->renewed = true;
	}
	ret = parts_create_again(matcher, matcher->first_part ^ MATCHER_RESIZABLE_PARTS, error);
	return ret < 0 ? ret : matcher_build_pairs(matcher, error);
}

int
mlx5dr_matcher_resize(struct mlx5dr_matcher *matcher, uint32_t nb_rules, struct mlx5dr_error *error)
{
	struct mlx5dr_context *ctx = matcher->ctx;
	struct before before = { matcher->log_rows, matcher->log_columns, matcher->nb_records, matcher->pairs, false };
	int ret;

	pthread_mutex_lock(&ctx->lock);
	ret = check(matcher, nb_rules, error);
	if (ret < 0)
		goto unlock;
	matcher->first_part ^= MATCHER_RESIZABLE_PARTS;
	ret = build(matcher, nb_rules, &before, error);
	if (ret == 0) {
		matcher->old_pairs = before.pairs;
		records_grown(matcher);
		matcher->resizing = true;
		goto unlock;
	}
	if (matcher->pairs != before.pairs)
		matcher_free_pairs(matcher, matcher->pairs);
	matcher->pairs = before.pairs;
	parts_destroy(matcher, matcher->first_part);
	if (before.renewed) {
		matcher_release_resources(matcher, &matcher->res);
		matcher->res = matcher->old_res[--matcher->nb_old_res];
	}
	matcher->first_part ^= MATCHER_RESIZABLE_PARTS;
	matcher->nb_records = before.nb_records;
	matcher->log_rows = before.log_rows;
	matcher->log_columns = before.log_columns;
unlock:
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

/* Has a rule's operation, or the rule itself, anything to do with the old tables? */
static bool
uses_old(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule)
{
	enum mlx5dr_rule_state state = mlx5dr_rule_state(rule);

	if (state == MLX5DR_RULE_FAILED || state == MLX5DR_RULE_DELETED)
		return false;
	if ((rule->bits >> MLX5DR_RULE_PART_SHIFT & MATCHER_RESIZABLE_PARTS) != matcher->first_part)
		return true;
	return state != MLX5DR_RULE_CREATED && (rule->bits & MLX5DR_RULE_MOVED) != 0;
}

/* Sets of resources that no rule uses any more go; those in use are marked. */
static void
release_unused(struct mlx5dr_matcher *matcher, const bool *used)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < matcher->nb_old_res; i++)
		if (used[i])
			matcher->old_res[kept++] = matcher->old_res[i];
		else
			matcher_release_resources(matcher, &matcher->old_res[i]);
	matcher->nb_old_res = kept;
}

static void
mark_used(const struct mlx5dr_matcher *matcher, const struct mlx5dr_rule *rule, bool *used)
{
	uint32_t number;

	memcpy(&number, matcher->images + (size_t)mlx5dr_rule_index(matcher, rule) * PRM_WQE_GTA_BYTES, sizeof(number));
	for (uint32_t i = 0; i < matcher->nb_old_res; i++)
		used[i] |= matcher->old_res[i].number == number;
}

int
mlx5dr_matcher_resize_complete(struct mlx5dr_matcher *matcher, struct mlx5dr_error *error)
{
	struct mlx5dr_context *ctx = matcher->ctx;
	struct mlx5dr_rule *rule;
	bool *used = calloc(matcher->nb_old_res + 1, sizeof(*used));
	int ret = 0;

	pthread_mutex_lock(&ctx->lock);
	if (used == NULL)
		ret = context_error(error, -1, -ENOMEM, "out of memory");
	else if (!matcher->resizing)
		ret = context_error(error, -1, -EINVAL, "no resize has begun");
	for (rule = NULL; ret == 0 && (rule = mlx5dr_rule_next(matcher, rule)) != NULL;) {
		if (uses_old(matcher, rule))
			ret = context_error(error, (int)mlx5dr_rule_index(matcher, rule), -EBUSY,
					    "a rule of before the resize was not moved, or an operation on it not polled");
		else
			mark_used(matcher, rule, used);
	}
	if (ret == 0) {
		matcher->resizing = false;
		parts_destroy(matcher, matcher->first_part ^ MATCHER_RESIZABLE_PARTS);
		matcher_free_pairs(matcher, matcher->old_pairs);
		matcher->old_pairs = NULL;
		release_unused(matcher, used);
	}
	pthread_mutex_unlock(&ctx->lock);
	free(used);
	return ret;
}
