/* SPDX-License-Identifier: BSD-3-Clause */

/* What differs between releases of rte_flow, in one place. The engine is written for 22.11. */
#ifndef FLOW_API_H
#define FLOW_API_H

#include <stdbool.h>

#include <rte_flow.h>
#include <rte_version.h>

#define FLOW_SINCE(year, month) (RTE_VERSION >= RTE_VERSION_NUM(year, month, 0, 0))

/* Calls that came later, each with the release that brought it. */
#if FLOW_SINCE(23, 3)
#define FLOW_HAS_INDEX          /* rules by index; query and update of an indirect action at once */
#endif
/* The tag that holds the row of a linear table, as DPDK's mlx5 has it (RTE_PMD_MLX5_LINEAR_HASH_TAG_INDEX). */
#define FLOW_LINEAR_TAG 255u
#if FLOW_SINCE(23, 7)
#define FLOW_HAS_UPDATE         /* other actions for a rule; lists of indirect actions */
#endif
#if FLOW_SINCE(23, 11)
#define FLOW_HAS_MISS_ACTIONS   /* of a group; hash of a table */
#endif
#if FLOW_SINCE(24, 3)
#define FLOW_HAS_RESIZE         /* of a table; hash of an encapsulation */
/* What is called per operation has a table of its own, rte_eth_dev.flow_fp_ops. */
#define FLOW_HAS_FP_OPS
#endif
#if FLOW_SINCE(24, 11)
#define FLOW_HAS_INDEX_PATTERN  /* rules by index with a pattern */
#endif

/*
 * 24.03: the operand of modify_field has a new name; 23.07: a tag has a place of its own in it, level as before is taken
 * too.
 */
#if FLOW_SINCE(24, 3)
typedef struct rte_flow_field_data flow_field_data;
#else
typedef struct rte_flow_action_modify_data flow_field_data;
#endif

static inline uint32_t
flow_tag_index(const flow_field_data *data)
{
#if FLOW_SINCE(23, 7)
	return data->level != 0 ? data->level : data->tag_index;
#else
	return data->level;
#endif
}

/* Of a template's mask: does it fix the level, or the tag? */
static inline bool
flow_level_is_fixed(const flow_field_data *mask)
{
#if FLOW_SINCE(23, 7)
	return mask->level == UINT8_MAX || mask->tag_index == UINT8_MAX;
#else
	return mask->level == UINT32_MAX;
#endif
}

#endif
