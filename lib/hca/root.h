/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The root tables, which belong to the kernel: a matcher and a few rules that send traffic to a TIR or to
 * a table of ours, and the way back to the kernel, the steering anchor. Every call is a system call.
 * hws.md 9.
 */
#ifndef HCA_ROOT_H
#define HCA_ROOT_H

#include <stdbool.h>
#include <stdint.h>

struct hca_device;
struct hca_obj;
struct hca_root_matcher;
struct hca_root_rule;
struct hca_anchor;

#define HCA_ROOT_MATCH_BYTES 448 /* fte_match_param up to misc_5 */

enum hca_root_type { HCA_ROOT_NIC_RX = 0, HCA_ROOT_NIC_TX = 1 };

/*
 * criteria: bit 0 outer, 1 misc, 2 inner, 3 misc_2 ...; 0 matches everything. mask is
 * HCA_ROOT_MATCH_BYTES long and copied. Lower priority numbers come first.
 */
int hca_root_matcher_create(struct hca_device *dev, enum hca_root_type type, uint16_t priority, uint8_t criteria,
			    const uint8_t *mask, struct hca_root_matcher **matcher);
void hca_root_matcher_destroy(struct hca_root_matcher *matcher);

/* dest is a TIR or a flow table; it must outlive the rule. */
int hca_root_rule_create(struct hca_root_matcher *matcher, const uint8_t *value, struct hca_obj *dest,
			 struct hca_root_rule **rule);
void hca_root_rule_destroy(struct hca_root_rule *rule);

/**
 * A table id that passes packets on to the kernel's own tables, usable as a jump or miss destination.
 *
 * @return 0; -ENOTSUP where library or kernel have none.
 */
int hca_anchor_create(struct hca_device *dev, enum hca_root_type type, uint16_t priority, struct hca_anchor **anchor);
uint32_t hca_anchor_table_id(const struct hca_anchor *anchor);
void hca_anchor_destroy(struct hca_anchor *anchor);

#endif
