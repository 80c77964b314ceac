/* SPDX-License-Identifier: BSD-3-Clause */

#include "hws/match_template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/device.h"
#include "hws/context.h"
#include "hws/program.h"
#include "prm/object.h"

static void
device_limits(const struct hca_device *dev, struct definer_limits *limits)
{
	limits->jumbo = (dev->caps.wqe.ste_format >> PRM_STE_FORMAT_11DW & 1) != 0;
	limits->any_dw_8_6 = dev->caps.format_select_dw_8_6_ext;
}

static int
too_big(const struct mlx5dr_match_template *mt, struct mlx5dr_error *error)
{
	const struct definer_limits *limits = &mt->limits;
	unsigned int asked = definer_bytes_asked(mt->hl_mask);
	unsigned int available = limits->jumbo ? DEFINER_TAG_BYTES : DEFINER_SHORT_TAG_BYTES;

	if (error != NULL) {
		error->bytes_asked = asked;
		error->bytes_available = available;
	}
	return context_error(error, -1, -E2BIG, "the match asks for %u key bytes, %u are available as %u words and %u bytes",
			     asked, available, limits->jumbo ? DEFINER_DWORDS : DEFINER_SHORT_DWORDS, DEFINER_BYTES);
}

int
mlx5dr_match_template_create(struct mlx5dr_context *ctx, const struct mlx5dr_field *fields, uint16_t nb_fields,
			     struct mlx5dr_match_template **created, struct mlx5dr_error *error)
{
	struct mlx5dr_match_template *mt;
	int8_t follows[DEFINER_DWORDS];
	int bad, ret;

	if (nb_fields > MLX5DR_MAX_FIELDS)
		return context_error(error, -1, -E2BIG, "%u fields, %u are possible", nb_fields, MLX5DR_MAX_FIELDS);
	mt = calloc(1, sizeof(*mt) + nb_fields * sizeof(*fields));
	if (mt == NULL)
		return context_error(error, -1, -ENOMEM, "out of memory");
	mt->ctx = ctx;
	mt->nb_fields = nb_fields;
	if (nb_fields > 0)
		memcpy(mt->fields, fields, nb_fields * sizeof(*fields));
	ret = program_hl_mask(mt->fields, nb_fields, mt->hl_mask, &bad);
	if (ret < 0) {
		context_error(error, bad, ret, "field %d is malformed or compares a bit that another one compares", bad);
		goto fail;
	}
	device_limits(ctx->dev, &mt->limits);
	ret = definer_select(mt->hl_mask, &mt->limits, &mt->definer);
	if (ret < 0) {
		too_big(mt, error);
		goto fail;
	}
	program_follows(mt->fields, nb_fields, &mt->definer, follows);
	definer_arrange(&mt->definer, &mt->limits, follows);
	pthread_mutex_lock(&ctx->lock);
	ctx->nb_objects++;
	pthread_mutex_unlock(&ctx->lock);
	*created = mt;
	return 0;
fail:
	free(mt);
	return ret;
}

int
mlx5dr_match_template_destroy(struct mlx5dr_match_template *mt)
{
	struct mlx5dr_context *ctx;

	if (mt == NULL)
		return 0;
	ctx = mt->ctx;
	pthread_mutex_lock(&ctx->lock);
	if (mt->refs != 0) {
		pthread_mutex_unlock(&ctx->lock);
		return -EBUSY;
	}
	ctx->nb_objects--;
	pthread_mutex_unlock(&ctx->lock);
	free(mt);
	return 0;
}
