/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd.h"
#include "hca/device.h"
#include "hca/log.h"

struct hca_root_matcher {
	struct hca_device *dev;
	struct mlx5dv_flow_matcher *dv;
};

struct hca_root_rule {
	struct ibv_flow *flow;
};

struct hca_anchor {
	struct hca_device *dev;
	struct mlx5dv_steering_anchor *dv;
};

/* The library's match structure ends in a flexible array; this is one of full length. */
union match_parameters {
	struct mlx5dv_flow_match_parameters dv;
	uint8_t bytes[sizeof(struct mlx5dv_flow_match_parameters) + HCA_ROOT_MATCH_BYTES];
};

static void
fill_match(union match_parameters *match, const uint8_t *bytes)
{
	memset(match, 0, sizeof(*match));
	match->dv.match_sz = HCA_ROOT_MATCH_BYTES;
	memcpy(match->bytes + offsetof(struct mlx5dv_flow_match_parameters, match_buf), bytes, HCA_ROOT_MATCH_BYTES);
}

int
hca_root_matcher_create(struct hca_device *dev, enum hca_root_type type, uint16_t priority, uint8_t criteria,
			const uint8_t *mask, struct hca_root_matcher **out)
{
	struct hca_root_matcher *matcher = calloc(1, sizeof(*matcher));
	union match_parameters match;
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL,
		.priority = priority,
		.match_criteria_enable = criteria,
		.match_mask = &match.dv,
		.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE,
		.ft_type = type == HCA_ROOT_NIC_TX ? MLX5DV_FLOW_TABLE_TYPE_NIC_TX : MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
	};
	int ret;

	if (matcher == NULL)
		return -ENOMEM;
	fill_match(&match, mask);
	errno = 0;
	matcher->dev = dev;
	matcher->dv = dev->verbs->mlx5dv_create_flow_matcher(dev->ctx, &attr);
	if (matcher->dv == NULL) {
		ret = errno == 0 ? -EINVAL : -errno;
		HCA_ERR("%s: root matcher (type %d, priority %u) refused: %s", dev->name, type, priority,
			strerror(-ret));
		free(matcher);
		return ret;
	}
	*out = matcher;
	return 0;
}

void
hca_root_matcher_destroy(struct hca_root_matcher *matcher)
{
	if (matcher == NULL)
		return;
	if (matcher->dev->verbs->mlx5dv_destroy_flow_matcher(matcher->dv) != 0)
		HCA_ERR("%s: root matcher not destroyed: %s", matcher->dev->name, strerror(errno));
	free(matcher);
}

int
hca_root_rule_create(struct hca_root_matcher *matcher, const uint8_t *value, struct hca_obj *dest,
		     struct hca_root_rule **out)
{
	struct mlx5dv_flow_action_attr action = { .type = MLX5DV_FLOW_ACTION_DEST_DEVX, .obj = dest->devx };
	struct hca_device *dev = matcher->dev;
	struct hca_root_rule *rule = calloc(1, sizeof(*rule));
	union match_parameters match;
	int ret;

	if (rule == NULL)
		return -ENOMEM;
	fill_match(&match, value);
	errno = 0;
	rule->flow = dev->verbs->mlx5dv_create_flow(matcher->dv, &match.dv, 1, &action);
	if (rule->flow == NULL) {
		ret = errno == 0 ? -EINVAL : -errno;
		HCA_ERR("%s: root rule to %s 0x%x refused: %s", dev->name, dest->what, dest->id, strerror(-ret));
		free(rule);
		return ret;
	}
	*out = rule;
	return 0;
}

void
hca_root_rule_destroy(struct hca_root_rule *rule)
{
	int ret;

	if (rule == NULL)
		return;
	ret = ibv_destroy_flow(rule->flow);
	if (ret != 0)
		HCA_ERR("root rule not destroyed: %s", strerror(ret < 0 ? -ret : ret));
	free(rule);
}

int
hca_anchor_create(struct hca_device *dev, enum hca_root_type type, uint16_t priority, struct hca_anchor **out)
{
	struct mlx5dv_steering_anchor_attr attr = {
		.ft_type = type == HCA_ROOT_NIC_TX ? MLX5DV_FLOW_TABLE_TYPE_NIC_TX : MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
		.priority = priority,
	};
	struct hca_anchor *anchor;
	int ret;

	if (dev->verbs->mlx5dv_create_steering_anchor == NULL || dev->verbs->mlx5dv_destroy_steering_anchor == NULL)
		return -ENOTSUP;
	anchor = calloc(1, sizeof(*anchor));
	if (anchor == NULL)
		return -ENOMEM;
	errno = 0;
	anchor->dev = dev;
	anchor->dv = dev->verbs->mlx5dv_create_steering_anchor(dev->ctx, &attr);
	if (anchor->dv == NULL) {
		ret = errno == 0 || errno == EOPNOTSUPP ? -ENOTSUP : -errno;
		free(anchor);
		return ret;
	}
	*out = anchor;
	return 0;
}

uint32_t
hca_anchor_table_id(const struct hca_anchor *anchor)
{
	return anchor->dv->id;
}

void
hca_anchor_destroy(struct hca_anchor *anchor)
{
	if (anchor == NULL)
		return;
	if (anchor->dev->verbs->mlx5dv_destroy_steering_anchor(anchor->dv) != 0)
		HCA_ERR("%s: steering anchor not destroyed: %s", anchor->dev->name, strerror(errno));
	free(anchor);
}
