/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/context.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd.h"
#include "hca/device.h"
#include "prm/object.h"

#define OWN_QUEUE_SIZE 256
#define FORMAT_BIT(format) (1u << (format))

int
context_error(struct mlx5dr_error *error, int index, int ret, const char *format, ...)
{
	va_list args;

	if (error == NULL)
		return ret;
	error->index = index;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return ret;
}

int
context_command_error(struct mlx5dr_error *error, int ret, const char *what)
{
	const struct hca_error *last = hca_cmd_last_error();

	if (last->command != NULL && last->err == -ret)
		return context_error(error, -1, ret, "%s: %s", what, last->text);
	return context_error(error, -1, ret, "%s: %s", what, strerror(-ret));
}

/* The gate, in the order in which it may be asked: without the first bit the others mean nothing. */
const char *
mlx5dr_unsupported(const struct hca_device *dev)
{
	const struct hca_caps *caps = &dev->caps;

	if (!caps->wqe_based_flow_table_update_cap)
		return "the device has no WQE based flow table update";
	if (!caps->nic_rx.reparse)
		return "the device cannot reparse packets in NIC receive tables";
	if ((caps->wqe.rtc_reparse_mode & 1 << PRM_RTC_REPARSE_ALWAYS) == 0)
		return "the device's rule tables cannot always reparse";
	if ((caps->wqe.ste_format & FORMAT_BIT(PRM_STE_FORMAT_8DW)) == 0)
		return "the device has no 8-dword steering entries";
	if ((caps->wqe.rtc_index_mode & 3) != 3)
		return "the device's rule tables lack update by hash or by offset";
	if ((caps->match_definer_format_supported >> PRM_DEFINER_FORMAT_SELECT & 1) == 0)
		return "the device has no select definers";
	return NULL;
}

/* The elements that every WQE names where it has nothing to say. */
static int
create_fixed_stcs(struct stc_range *range)
{
	static const uint8_t nop_offset[] = {
		[STC_NOP_COUNTER] = PRM_STC_OFFSET_COUNTER,
		[STC_NOP_DW5] = PRM_STC_OFFSET_DW5,
		[STC_NOP_DW6] = PRM_STC_OFFSET_DW6,
		[STC_NOP_DW7] = PRM_STC_OFFSET_DW7,
	};

	for (uint32_t i = 0; i < STC_NB_FIXED; i++) {
		struct hca_stc_attr attr;
		uint32_t index;
		int ret;

		if (i == STC_DEFAULT_HIT)
			stc_attr_hit(&attr, PRM_STC_ACTION_ALLOW);
		else
			stc_attr_nop(&attr, nop_offset[i]);
		ret = stc_get(range, &attr, &index);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static void
close_queues(struct mlx5dr_queue **queues, uint32_t nb_queues)
{
	for (uint32_t i = 0; queues != NULL && i < nb_queues; i++)
		if (queues[i] != NULL)
			queue_close(queues[i]);
	free(queues);
}

static int
open_queue(struct mlx5dr_context *ctx, uint32_t index, uint32_t size, uint32_t scratch_bytes,
	   struct mlx5dr_queue **queue, struct mlx5dr_error *error)
{
	uint32_t max = mlx5dr_max_queue_size(ctx->dev);
	int ret;

	if (size == 0 || size > max)
		return context_error(error, (int)index - 1, -EINVAL, "queue size %u is not in 1..%u", size, max);
	ret = queue_open(ctx, index, size, scratch_bytes, queue);
	return ret < 0 ? context_command_error(error, ret, "steering queue") : 0;
}

static int
open_queues(struct mlx5dr_context *ctx, const struct mlx5dr_context_attr *attr, struct mlx5dr_queue ***opened,
	    struct mlx5dr_error *error)
{
	struct mlx5dr_queue **queues = calloc((size_t)attr->nb_queues + 1, sizeof(*queues));
	int ret = 0;

	if (queues == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	for (uint32_t i = 0; ret == 0 && i < attr->nb_queues; i++)
		ret = open_queue(ctx, i + 1, attr->queue_size[i], attr->scratch_bytes, &queues[i], error);
	if (ret < 0) {
		close_queues(queues, attr->nb_queues);
		return ret;
	}
	*opened = queues;
	return 0;
}

/* Whatever exists of a context that may be half built. */
static void
tear_down(struct mlx5dr_context *ctx)
{
	close_queues(ctx->queues, ctx->nb_queues);
	if (ctx->own != NULL)
		queue_close(ctx->own);
	hca_cq_events_close(&ctx->errors);
	for (unsigned int type = 0; type < MLX5DR_NB_TABLE_TYPES; type++)
		stc_range_destroy(&ctx->stc[type]);
	pthread_mutex_destroy(&ctx->lock);
	pthread_mutex_destroy(&ctx->own_lock);
	free(ctx);
}

int
mlx5dr_context_open(struct hca_device *dev, const struct mlx5dr_context_attr *attr, struct mlx5dr_context **opened,
		    struct mlx5dr_error *error)
{
	uint32_t own_size = attr->own_queue_size == 0 ? OWN_QUEUE_SIZE : attr->own_queue_size;
	const char *why = mlx5dr_unsupported(dev);
	struct mlx5dr_context *ctx;
	int ret = 0;

	if (why != NULL)
		return context_error(error, -1, -ENOTSUP, "%s", why);
	ctx = calloc(1, sizeof(*ctx));
	if (ctx == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	ctx->dev = dev;
	pthread_mutex_init(&ctx->lock, NULL);
	pthread_mutex_init(&ctx->own_lock, NULL);
	ret = hca_cq_events_open(dev, &ctx->errors);
	if (ret < 0)
		context_command_error(error, ret, "event channel");
	for (unsigned int type = 0; ret == 0 && type < MLX5DR_NB_TABLE_TYPES; type++) {
		ret = stc_range_create(dev, type, &ctx->stc[type]);
		if (ret == 0)
			ret = create_fixed_stcs(&ctx->stc[type]);
		if (ret < 0)
			context_command_error(error, ret, "steering contexts");
	}
	if (ret == 0)
		ret = open_queue(ctx, 0, own_size, attr->scratch_bytes, &ctx->own, error);
	if (ret == 0)
		ret = open_queues(ctx, attr, &ctx->queues, error);
	if (ret < 0) {
		tear_down(ctx);
		return ret;
	}
	ctx->nb_queues = attr->nb_queues;
	*opened = ctx;
	return 0;
}

int
mlx5dr_context_set_queues(struct mlx5dr_context *ctx, const struct mlx5dr_context_attr *attr,
			  struct mlx5dr_error *error)
{
	struct mlx5dr_queue **queues;
	int ret = 0;

	pthread_mutex_lock(&ctx->lock);
	for (uint32_t i = 0; ret == 0 && i < ctx->nb_queues; i++)
		if (ctx->queues[i]->pending != 0)
			ret = context_error(error, (int)i, -EBUSY, "queue %u has %u operations outstanding", i,
					    ctx->queues[i]->pending);
	if (ret == 0)
		ret = open_queues(ctx, attr, &queues, error);
	if (ret == 0) {
		close_queues(ctx->queues, ctx->nb_queues);
		ctx->queues = queues;
		ctx->nb_queues = attr->nb_queues;
	}
	pthread_mutex_unlock(&ctx->lock);
	return ret;
}

int
mlx5dr_context_close(struct mlx5dr_context *ctx)
{
	if (ctx == NULL)
		return 0;
	if (ctx->nb_objects != 0)
		return -EBUSY;
	tear_down(ctx);
	return 0;
}

struct mlx5dr_queue *
mlx5dr_context_queue(struct mlx5dr_context *ctx, uint16_t index)
{
	return index < ctx->nb_queues ? ctx->queues[index] : NULL;
}

struct mlx5dr_queue *
mlx5dr_own_queue_lock(struct mlx5dr_context *ctx)
{
	pthread_mutex_lock(&ctx->own_lock);
	return ctx->own;
}

void
mlx5dr_own_queue_unlock(struct mlx5dr_context *ctx)
{
	pthread_mutex_unlock(&ctx->own_lock);
}

void
mlx5dr_context_fail(struct mlx5dr_context *ctx)
{
	atomic_store_explicit(&ctx->failed, true, memory_order_relaxed);
}
