/* SPDX-License-Identifier: BSD-3-Clause */

/* A match template with the definer chosen for it. */
#ifndef MLX5DR_MATCH_TEMPLATE_H
#define MLX5DR_MATCH_TEMPLATE_H

#include "hws/definer.h"
#include "hws/mlx5dr.h"

struct mlx5dr_match_template {
	struct mlx5dr_context *ctx;
	unsigned int refs; /* matchers */
	uint16_t nb_fields;
	uint8_t hl_mask[MLX5DR_HL_BYTES];
	struct definer_limits limits;
	struct definer definer; /* a matcher may use another template's, where hl_mask is the same */
	struct mlx5dr_field fields[];
};

#endif
