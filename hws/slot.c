/* SPDX-License-Identifier: BSD-3-Clause */

/* What each kind of action needs on the device: STC, pattern, argument. */
#include <errno.h>
#include <string.h>

#include "hca/cmd_steering.h"
#include "hca/device.h"
#include "hws/context.h"
#include "hws/matcher.h"
#include "prm/modify.h"
#include "util/bits.h"

static void
attr_single(struct hca_stc_attr *attr, uint8_t action_type, uint8_t reparse)
{
	memset(attr, 0, sizeof(*attr));
	attr->action_type = action_type;
	attr->ste_action_offset = PRM_STC_OFFSET_DW5;
	attr->reparse_mode = reparse;
}

static void
attr_twin(struct hca_stc_attr *attr, uint8_t action_type, uint8_t reparse)
{
	attr_single(attr, action_type, reparse);
	attr->ste_action_offset = PRM_STC_OFFSET_DW6;
}

static void
attr_remove_header(struct hca_stc_attr *attr, bool decap, uint8_t end_anchor)
{
	attr_single(attr, PRM_STC_ACTION_HEADER_REMOVE, decap ? PRM_STC_REPARSE_ALWAYS : PRM_STC_REPARSE_IGNORE);
	prm_set(attr->param, PRM_REMOVE_HEADER_ACTION_TYPE, PRM_MODIFY_REMOVE);
	prm_set(attr->param, PRM_REMOVE_HEADER_DECAP, decap);
	prm_set(attr->param, PRM_REMOVE_HEADER_REMOVE_START_ANCHOR, PRM_ANCHOR_PACKET_START);
	prm_set(attr->param, PRM_REMOVE_HEADER_REMOVE_END_ANCHOR, end_anchor);
}

static void
attr_pop_vlan(struct hca_stc_attr *attr, unsigned int nb_tags)
{
	attr_single(attr, PRM_STC_ACTION_REMOVE_WORDS, PRM_STC_REPARSE_ALWAYS);
	prm_set(attr->param, PRM_REMOVE_WORDS_ACTION_TYPE, PRM_MODIFY_REMOVE_WORDS);
	prm_set(attr->param, PRM_REMOVE_WORDS_REMOVE_START_ANCHOR, PRM_ANCHOR_FIRST_VLAN_START);
	prm_set(attr->param, PRM_REMOVE_WORDS_REMOVE_SIZE, 2 * nb_tags);
}

static void
attr_insert(struct hca_stc_attr *attr, uint32_t offset_bytes, uint32_t size_bytes)
{
	attr_twin(attr, PRM_STC_ACTION_HEADER_INSERT, PRM_STC_REPARSE_ALWAYS);
	prm_set(attr->param, PRM_INSERT_HEADER_ACTION_TYPE, PRM_MODIFY_INSERT);
	prm_set(attr->param, PRM_INSERT_HEADER_INSERT_ANCHOR, PRM_ANCHOR_PACKET_START);
	prm_set(attr->param, PRM_INSERT_HEADER_INSERT_OFFSET, offset_bytes / 2);
	prm_set(attr->param, PRM_INSERT_HEADER_INSERT_SIZE, size_bytes / 2);
}

/* A list of one command lives in the STC itself; its data comes from DW7. */
static void
attr_modify_inline(struct hca_stc_attr *attr, const struct modify_list *list)
{
	static const uint8_t action_of[] = {
		[PRM_MODIFY_SET] = PRM_STC_ACTION_SET,
		[PRM_MODIFY_ADD] = PRM_STC_ACTION_ADD,
		[PRM_MODIFY_COPY] = PRM_STC_ACTION_COPY,
	};
	uint32_t type = prm_get(list->words, PRM_SET_ACTION_ACTION_TYPE);

	attr_twin(attr, action_of[type], list->reparse ? PRM_STC_REPARSE_ALWAYS : PRM_STC_REPARSE_IGNORE);
	memcpy(attr->param, list->words, PRM_MODIFY_ACTION_BYTES);
	if (type != PRM_MODIFY_COPY)
		prm_set(attr->param, PRM_SET_ACTION_DATA, 0);
}

static bool
data_from_rule(const struct mlx5dr_slot *slot)
{
	if (slot->type != MLX5DR_ACTION_MODIFY)
		return slot->header == NULL;
	for (unsigned int i = 0; i < slot->nb_modify; i++)
		if (slot->modify[i].op != MLX5DR_MODIFY_COPY && slot->modify[i].data.from != MLX5DR_FROM_CONSTANT)
			return true;
	return false;
}

/* Reads of counters may have filled the ring: their answers are waited for then, and taken by the next step of the round. */
static uint8_t *
argument_wqe(struct mlx5dr_queue *queue, uint32_t arg_id)
{
	uint8_t *wqe = queue_raw(queue, PRM_WQE_OP_FLOW_TBL_ACCESS, PRM_WQE_GTA_OPMOD_ARG, arg_id);

	if (wqe == NULL && queue_wait(queue) == 0)
		wqe = queue_raw(queue, PRM_WQE_OP_FLOW_TBL_ACCESS, PRM_WQE_GTA_OPMOD_ARG, arg_id);
	return wqe;
}

/* Constant data, once, by the engine's own queue. */
static int
write_argument(struct mlx5dr_context *ctx, uint32_t arg_id, const uint8_t *data, uint32_t bytes)
{
	struct mlx5dr_queue *queue = mlx5dr_own_queue_lock(ctx);
	int ret = 0;

	for (uint32_t done = 0; done < bytes && ret == 0; done += PRM_ARG_UNIT_BYTES) {
		uint32_t n = bytes - done < PRM_ARG_UNIT_BYTES ? bytes - done : PRM_ARG_UNIT_BYTES;
		uint8_t *wqe = argument_wqe(queue, arg_id + done / PRM_ARG_UNIT_BYTES);

		if (wqe == NULL) {
			ret = queue->failed ? -EIO : -EBUSY;
			break;
		}
		memcpy(wqe + PRM_WQE_GTA_DATA, data + done, n);
		queue_raw_post(queue);
	}
	if (ret == 0)
		ret = queue_wait(queue);
	mlx5dr_own_queue_unlock(ctx);
	return ret;
}

/* An argument for one user (constant data) or for every record. */
static int
acquire_argument(struct mlx5dr_matcher *matcher, const uint8_t *data, uint32_t bytes, struct matcher_slot *slot,
		 struct mlx5dr_error *error)
{
	const struct hca_caps *caps = &matcher->ctx->dev->caps;
	uint8_t log_units = ilog2_ceil((bytes + PRM_ARG_UNIT_BYTES - 1) / PRM_ARG_UNIT_BYTES);
	uint8_t log = log_units + (slot->per_rule ? ilog2_ceil(matcher_nb_owned(matcher)) : 0);
	int ret;

	if (log < caps->log_header_modify_argument_granularity)
		log = caps->log_header_modify_argument_granularity;
	if (log > caps->log_header_modify_argument_max_alloc)
		return context_error(error, -1, -E2BIG, "the rules' arguments take 2^%u units, the device gives 2^%u",
				     log, caps->log_header_modify_argument_max_alloc);
	ret = hca_cmd_create_modify_header_arg(matcher->ctx->dev, matcher->ctx->dev->pdn, log, &slot->arg);
	if (ret < 0)
		return context_command_error(error, ret, "argument");
	slot->arg_units = 1u << log_units;
	if (slot->per_rule)
		return 0;
	ret = write_argument(matcher->ctx, slot->arg->id, data, bytes);
	return ret < 0 ? context_error(error, -1, ret, "the constant argument could not be written: %s", strerror(-ret))
		       : 0;
}

static int
acquire_list(struct mlx5dr_matcher *matcher, const struct modify_list *list, struct matcher_slot *slot,
	     struct hca_stc_attr *attr, struct mlx5dr_error *error)
{
	int ret = pattern_get(&matcher->ctx->patterns, matcher->ctx->dev, list, &slot->pattern);

	if (ret < 0)
		return context_command_error(error, ret, "modify-header pattern");
	ret = acquire_argument(matcher, list->words, (uint32_t)list->nb * PRM_MODIFY_ACTION_BYTES, slot, error);
	if (ret < 0)
		return ret;
	attr_twin(attr, PRM_STC_ACTION_ACC_MODIFY_LIST,
		  list->reparse ? PRM_STC_REPARSE_ALWAYS : PRM_STC_REPARSE_IGNORE);
	prm_set(attr->param, PRM_STC_PARAM_MODIFY_LIST_HEADER_MODIFY_PATTERN_ID, slot->pattern->obj->id);
	prm_set(attr->param, PRM_STC_PARAM_MODIFY_LIST_HEADER_MODIFY_ARGUMENT_ID, slot->arg->id);
	return 0;
}

static int
acquire_encap(struct mlx5dr_matcher *matcher, const struct mlx5dr_slot *what, struct matcher_slot *slot,
	      struct hca_stc_attr *attr, struct mlx5dr_error *error)
{
	struct hca_stc_attr remove;
	int ret = acquire_argument(matcher, what->header, what->header_bytes, slot, error);

	if (ret < 0)
		return ret;
	attr_insert(attr, 0, what->header_bytes);
	prm_set(attr->param, PRM_INSERT_HEADER_ENCAP, 1);
	prm_set(attr->param, PRM_INSERT_HEADER_INSERT_ARGUMENT, slot->arg->id);
	if (what->type == MLX5DR_ACTION_L2_TO_TNL_L2)
		return 0;
	attr_remove_header(&remove, false, PRM_ANCHOR_IPV6_IPV4);
	ret = stc_get(&matcher->ctx->stc[matcher->table->type], &remove, &slot->single_stc);
	if (ret < 0)
		return context_command_error(error, ret, "steering context");
	slot->has_single_stc = true;
	return 0;
}

/* The first of two pops stands for both. */
static unsigned int
pops_of(const struct mlx5dr_action_template *at, unsigned int which)
{
	for (unsigned int i = 0; i < at->nb_stes; i++)
		if (at->stes[i].single == (int)which)
			return at->stes[i].nb_pops;
	return 0;
}

/* 1: attr is what the slot's STC shall say; 0: the slot needs none of its own. */
static int
describe(struct mlx5dr_matcher *matcher, const struct mlx5dr_action_template *at, unsigned int which,
	 struct matcher_slot *slot, struct hca_stc_attr *attr, struct mlx5dr_error *error)
{
	const struct mlx5dr_slot *what = &at->slots[which];
	int ret;

	switch (what->type) {
	case MLX5DR_ACTION_DROP:
	case MLX5DR_ACTION_MISS:
		action_stc_attr(what->type, 0, attr);
		return 1;
	case MLX5DR_ACTION_TAG:
		attr_single(attr, PRM_STC_ACTION_TAG, PRM_STC_REPARSE_IGNORE);
		return 1;
	case MLX5DR_ACTION_TNL_L2_TO_L2:
		attr_remove_header(attr, true, PRM_ANCHOR_INNER_MAC);
		return 1;
	case MLX5DR_ACTION_POP_VLAN:
		if (pops_of(at, which) == 0)
			return 0;
		attr_pop_vlan(attr, pops_of(at, which));
		return 1;
	case MLX5DR_ACTION_PUSH_VLAN:
		attr_insert(attr, 12, 4);
		prm_set(attr->param, PRM_INSERT_HEADER_INLINE_DATA, 1);
		return 1;
	case MLX5DR_ACTION_MODIFY:
		if (at->lists[which]->nb == 1) {
			attr_modify_inline(attr, at->lists[which]);
			return 1;
		}
		/* fall through */
	case MLX5DR_ACTION_TNL_L3_TO_L2:
		slot->per_rule = data_from_rule(what);
		ret = acquire_list(matcher, at->lists[which], slot, attr, error);
		return ret < 0 ? ret : 1;
	case MLX5DR_ACTION_L2_TO_TNL_L2:
	case MLX5DR_ACTION_L2_TO_TNL_L3:
		slot->per_rule = data_from_rule(what);
		ret = acquire_encap(matcher, what, slot, attr, error);
		return ret < 0 ? ret : 1;
	default: /* counter and fates bring their own */
		return 0;
	}
}

int
slot_acquire(struct mlx5dr_matcher *matcher, const struct mlx5dr_action_template *at, unsigned int which,
	     struct matcher_slot *slot, struct mlx5dr_error *error)
{
	struct hca_stc_attr attr;
	int ret = describe(matcher, at, which, slot, &attr, error);

	if (ret <= 0)
		return ret;
	ret = stc_get(&matcher->ctx->stc[matcher->table->type], &attr, &slot->stc);
	if (ret < 0)
		return context_command_error(error, ret, "steering context");
	slot->has_stc = true;
	return 0;
}

void
slot_release(struct mlx5dr_matcher *matcher, struct matcher_slot *slot)
{
	struct stc_range *range = &matcher->ctx->stc[matcher->table->type];

	if (slot->has_stc)
		stc_put(range, slot->stc);
	if (slot->has_single_stc)
		stc_put(range, slot->single_stc);
	if (slot->pattern != NULL)
		pattern_put(&matcher->ctx->patterns, slot->pattern);
	hca_obj_destroy(slot->arg);
	memset(slot, 0, sizeof(*slot));
}
