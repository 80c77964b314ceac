/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Where a dword stands in the tag decides how well the device's hash spreads it. The hash is a CRC, so it is linear: the
 * rows that a counting field reaches are the span of the row bits of its low bits, and where these are dependent, rows
 * fill up in groups while others stay empty (seen: half of 64 K rules with counting IPv4 destinations in the collision
 * table). Selectors may be exchanged freely, so a good order is looked for before the definer is made.
 */
#ifndef MLX5DR_SPREAD_H
#define MLX5DR_SPREAD_H

#include "hws/definer.h"
#include "hws/mlx5dr.h"

/* How many of log_rows row bits the worst counted field cannot reach; 0: every one spreads perfectly. */
unsigned int spread_deficiency(const struct definer *definer, const struct mlx5dr_field *fields, uint16_t nb_fields,
			       unsigned int log_rows);

/* Exchange dword selectors, chains of follows (definer_arrange) staying together, for the least deficiency. */
void spread_arrange(struct definer *definer, const struct definer_limits *limits, const struct mlx5dr_field *fields,
		    uint16_t nb_fields, unsigned int log_rows);

#endif
