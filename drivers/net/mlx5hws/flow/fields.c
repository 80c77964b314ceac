/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/fields.h"

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "flow/error.h"
#include "prm/modify.h"

/* ---- the table ------------------------------------------------------------------------------------------------- */

#define REG_A PRM_MODI_META_DATA_REG_A
#define REG_B PRM_MODI_META_DATA_REG_B
#define REG_C(n) ((n) < 8 ? PRM_MODI_META_REG_C_0 + (n) : PRM_MODI_META_REG_C_8 + (n) - 8)

#define BOTH(name) PRM_MODI_OUT_##name, PRM_MODI_IN_##name
#define ONLY(name) PRM_MODI_##name, 0

/* Device field, outer and inner; low, width, at; place of the bits in the image: offset, unit. */
static const struct flow_modify_part mac_dst[] = {
	{ BOTH(DMAC_15_0), 0, 16, 0, 4, 2 },
	{ BOTH(DMAC_47_16), 16, 32, 0, 0, 4 },
};
static const struct flow_modify_part mac_src[] = {
	{ BOTH(SMAC_15_0), 0, 16, 0, 4, 2 },
	{ BOTH(SMAC_47_16), 16, 32, 0, 0, 4 },
};
static const struct flow_modify_part vlan_id[] = { { ONLY(OUT_FIRST_VID), 0, 12, 0, 0, 2 } };
static const struct flow_modify_part mac_type[] = { { BOTH(ETHERTYPE), 0, 16, 0, 0, 2 } };
static const struct flow_modify_part dscp[] = { { BOTH(IP_DSCP), 0, 6, 0, 0, 1 } };
static const struct flow_modify_part ecn[] = { { BOTH(IP_ECN), 0, 2, 0, 0, 1 } };
static const struct flow_modify_part ttl[] = { { BOTH(IPV4_TTL), 0, 8, 0, 0, 1 } };
static const struct flow_modify_part hop[] = { { BOTH(IPV6_HOPLIMIT), 0, 8, 0, 0, 1 } };
static const struct flow_modify_part ipv4_src[] = { { BOTH(SIPV4), 0, 32, 0, 0, 4 } };
static const struct flow_modify_part ipv4_dst[] = { { BOTH(DIPV4), 0, 32, 0, 0, 4 } };
static const struct flow_modify_part ipv6_src[] = {
	{ BOTH(SIPV6_31_0), 0, 32, 0, 12, 4 },
	{ BOTH(SIPV6_63_32), 32, 32, 0, 8, 4 },
	{ BOTH(SIPV6_95_64), 64, 32, 0, 4, 4 },
	{ BOTH(SIPV6_127_96), 96, 32, 0, 0, 4 },
};
static const struct flow_modify_part ipv6_dst[] = {
	{ BOTH(DIPV6_31_0), 0, 32, 0, 12, 4 },
	{ BOTH(DIPV6_63_32), 32, 32, 0, 8, 4 },
	{ BOTH(DIPV6_95_64), 64, 32, 0, 4, 4 },
	{ BOTH(DIPV6_127_96), 96, 32, 0, 0, 4 },
};
static const struct flow_modify_part tcp_src[] = { { BOTH(TCP_SPORT), 0, 16, 0, 0, 2 } };
static const struct flow_modify_part tcp_dst[] = { { BOTH(TCP_DPORT), 0, 16, 0, 0, 2 } };
static const struct flow_modify_part tcp_seq[] = { { BOTH(TCP_SEQ_NUM), 0, 32, 0, 0, 4 } };
static const struct flow_modify_part tcp_ack[] = { { BOTH(TCP_ACK_NUM), 0, 32, 0, 0, 4 } };
static const struct flow_modify_part tcp_flags[] = { { BOTH(TCP_FLAGS), 0, 9, 0, 0, 2 } };
static const struct flow_modify_part udp_src[] = { { BOTH(UDP_SPORT), 0, 16, 0, 0, 2 } };
static const struct flow_modify_part udp_dst[] = { { BOTH(UDP_DPORT), 0, 16, 0, 0, 2 } };
/* The VNI is the upper three bytes of the tunnel header's second word; the image has a spare byte behind them. */
static const struct flow_modify_part vxlan_vni[] = { { ONLY(TUNNEL_HDR_DW_1), 0, 24, 8, 0, 4 } };
static const struct flow_modify_part reg[] = { { REG_C(1), REG_C(1), 0, 32, 0, 0, 4 } };

#define PARTS(name) .parts = name, .nb_parts = RTE_DIM(name)
#define ROW(id, n, w, bytes, p) { .field = RTE_FLOW_FIELD_##id, .name = n, .width = w, .image_bytes = bytes, PARTS(p) }

const struct flow_modify_row flow_modify_fields[] = {
	ROW(MAC_DST, "mac_dst", 48, 6, mac_dst),
	ROW(MAC_SRC, "mac_src", 48, 6, mac_src),
	{ .field = RTE_FLOW_FIELD_VLAN_ID, .name = "vlan_id", .width = 12, .image_bytes = 2, .is_vlan = true,
	  PARTS(vlan_id) },
	ROW(MAC_TYPE, "mac_type", 16, 2, mac_type),
	ROW(IPV4_DSCP, "ipv4_dscp", 6, 1, dscp),
	ROW(IPV4_TTL, "ipv4_ttl", 8, 1, ttl),
	ROW(IPV4_SRC, "ipv4_src", 32, 4, ipv4_src),
	ROW(IPV4_DST, "ipv4_dst", 32, 4, ipv4_dst),
	ROW(IPV6_DSCP, "ipv6_dscp", 6, 1, dscp),
	ROW(IPV6_HOPLIMIT, "ipv6_hoplimit", 8, 1, hop),
	ROW(IPV6_SRC, "ipv6_src", 128, 16, ipv6_src),
	ROW(IPV6_DST, "ipv6_dst", 128, 16, ipv6_dst),
	ROW(TCP_PORT_SRC, "tcp_port_src", 16, 2, tcp_src),
	ROW(TCP_PORT_DST, "tcp_port_dst", 16, 2, tcp_dst),
	ROW(TCP_SEQ_NUM, "tcp_seq_num", 32, 4, tcp_seq),
	ROW(TCP_ACK_NUM, "tcp_ack_num", 32, 4, tcp_ack),
	ROW(TCP_FLAGS, "tcp_flags", 9, 2, tcp_flags),
	ROW(UDP_PORT_SRC, "udp_port_src", 16, 2, udp_src),
	ROW(UDP_PORT_DST, "udp_port_dst", 16, 2, udp_dst),
	ROW(VXLAN_VNI, "vxlan_vni", 24, 3, vxlan_vni),
	{ .field = RTE_FLOW_FIELD_TAG, .name = "tag", .width = 32, .image_bytes = 4, .host_order = true,
	  .special = FLOW_FIELD_REG_TAG, PARTS(reg) },
	{ .field = RTE_FLOW_FIELD_META, .name = "meta", .width = 32, .image_bytes = 4, .host_order = true,
	  .special = FLOW_FIELD_REG_META, PARTS(reg) },
	ROW(IPV4_ECN, "ipv4_ecn", 2, 1, ecn),
	ROW(IPV6_ECN, "ipv6_ecn", 2, 1, ecn),
};
const unsigned int flow_nb_modify_fields = RTE_DIM(flow_modify_fields);

const struct flow_modify_row *
flow_modify_row(enum rte_flow_field_id field)
{
	for (unsigned int i = 0; i < RTE_DIM(flow_modify_fields); i++)
		if (flow_modify_fields[i].field == field)
			return &flow_modify_fields[i];
	return NULL;
}

const char *
flow_field_name(enum rte_flow_field_id field)
{
	static const char *const names[] = {
		[RTE_FLOW_FIELD_START] = "start", [RTE_FLOW_FIELD_VLAN_TYPE] = "vlan_type",
		[RTE_FLOW_FIELD_GENEVE_VNI] = "geneve_vni", [RTE_FLOW_FIELD_GTP_TEID] = "gtp_teid",
		[RTE_FLOW_FIELD_MARK] = "mark", [RTE_FLOW_FIELD_POINTER] = "pointer",
		[RTE_FLOW_FIELD_VALUE] = "value", [RTE_FLOW_FIELD_GTP_PSC_QFI] = "gtp_psc_qfi",
		[RTE_FLOW_FIELD_METER_COLOR] = "meter_color",
	};
	const struct flow_modify_row *row = flow_modify_row(field);

	if (row != NULL)
		return row->name;
	return (unsigned int)field < RTE_DIM(names) && names[field] != NULL ? names[field] : "?";
}

/* ---- one side of an action: which field, which register or level ---------------------------------------------- */

struct side {
	const struct flow_modify_row *row;
	bool inner;
	uint16_t reg;   /* REG_TAG, REG_META: number of the field to write or read */
	uint32_t offset;
};

static int
resolve(const struct flow_modify_request *r, const flow_field_data *data, bool destination,
	struct side *side, struct rte_flow_error *error)
{
	const char *which = destination ? "dst" : "src";

	side->row = flow_modify_row(data->field);
	side->offset = data->offset;
	if (side->row == NULL)
		return flow_error_conf(error, ENOTSUP, r->action, "modify_field: %s field %s is not supported", which,
			flow_field_name(data->field));
	switch (side->row->special) {
	case FLOW_FIELD_REG_TAG:
		if (flow_tag_register(r->regs, flow_tag_index(data)) < 0)
			return flow_error_conf(error, EINVAL, r->action,
				"modify_field: %s tag %u: this device has tags 0 to %d", which, flow_tag_index(data),
				r->regs->nb_tags - 1);
		side->reg = REG_C(flow_tag_register(r->regs, flow_tag_index(data)));
		return 0;
	case FLOW_FIELD_REG_META:
		side->reg = r->type == MLX5DR_NIC_TX ? REG_A : REG_C(1);
		return 0;
	case FLOW_FIELD_PACKET:
		break;
	}
	if (data->level > 2)
		return flow_error_conf(error, ENOTSUP, r->action, "modify_field: %s level %u: 0, 1 (outer) or 2 (inner)",
			which, data->level);
	side->inner = data->level == 2;
	if (side->inner && side->row->parts[0].inner == 0)
		return flow_error_conf(error, ENOTSUP, r->action, "modify_field: %s %s exists in the outer header only",
			which, side->row->name);
	return 0;
}

static uint16_t
number(const struct side *side, const struct flow_modify_part *part)
{
	if (side->row->special != FLOW_FIELD_PACKET)
		return side->reg;
	return side->inner ? part->inner : part->outer;
}

static const struct flow_modify_part *
part_at(const struct side *side, unsigned int bit)
{
	for (unsigned int i = 0; i < side->row->nb_parts; i++)
		if (bit >= side->row->parts[i].low && bit < side->row->parts[i].low + side->row->parts[i].width)
			return &side->row->parts[i];
	return NULL;
}

static int
check_range(const struct flow_modify_request *r, const struct side *side, const char *which, uint32_t width,
	struct rte_flow_error *error)
{
	if (side->offset < side->row->width && width <= side->row->width - side->offset)
		return 0;
	return flow_error_conf(error, EINVAL, r->action, "modify_field: %s %s has %u bits, not %u from bit %u", which,
		side->row->name, side->row->width, width, side->offset);
}

/* ---- commands -------------------------------------------------------------------------------------------------- */

static int
emit(const struct flow_modify_request *r, struct flow_modify_list *list, const struct mlx5dr_modify *command,
	struct rte_flow_error *error)
{
	if (list->nb == FLOW_MAX_MODIFY_PER_ACTION)
		return flow_error_conf(error, E2BIG, r->action, "modify_field: more than %u commands for one action",
			FLOW_MAX_MODIFY_PER_ACTION);
	list->command[list->nb++] = *command;
	return 0;
}

/*
 * META on ingress lives in C_1, where it can be matched, and in B, which alone the receive completion shows: whatever
 * changes one changes both, so no rule has to copy it on the way out.
 */
static int
emit_mirrored(const struct flow_modify_request *r, const struct side *dst, struct flow_modify_list *list,
	const struct mlx5dr_modify *command, struct rte_flow_error *error)
{
	struct mlx5dr_modify mirror = *command;
	int rc = emit(r, list, command, error);

	if (rc != 0 || dst->row->special != FLOW_FIELD_REG_META || r->type != MLX5DR_NIC_RX)
		return rc;
	mirror.field = REG_B;
	return emit(r, list, &mirror, error);
}

static int
emit_copy(const struct flow_modify_request *r, const struct side *dst, const struct side *src, uint32_t width,
	struct flow_modify_list *list, struct rte_flow_error *error)
{
	for (uint32_t done = 0; done < width;) {
		const struct flow_modify_part *to = part_at(dst, dst->offset + done);
		const struct flow_modify_part *from = part_at(src, src->offset + done);
		uint32_t to_bit = dst->offset + done - to->low, from_bit = src->offset + done - from->low;
		uint32_t n = RTE_MIN(width - done, RTE_MIN(to->width - to_bit, from->width - from_bit));
		struct mlx5dr_modify command = {
			.op = MLX5DR_MODIFY_COPY, .length = n,
			.field = number(dst, to), .offset = to->at + to_bit,
			.src_field = number(src, from), .src_offset = from->at + from_bit,
		};
		int rc = emit_mirrored(r, dst, list, &command, error);

		if (rc != 0)
			return rc;
		done += n;
	}
	return 0;
}

static uint32_t
load_image(const struct flow_modify_row *row, const struct flow_modify_part *part, const uint8_t *image)
{
	uint32_t value = 0;

	for (unsigned int i = 0; i < part->value_unit; i++) {
		unsigned int at = row->host_order ? part->value_unit - 1u - i : i;

		/* The VNI's image is three bytes long. */
		value = value << 8 | (part->value_off + at < row->image_bytes ? image[part->value_off + at] : 0);
	}
	return value;
}

/* Bits of the image's unit below the field (the VNI's spare byte). */
static unsigned int
unit_shift(const struct flow_modify_row *row)
{
	return row->field == RTE_FLOW_FIELD_VXLAN_VNI ? 8 : 0;
}

static int
emit_value(const struct flow_modify_request *r, const struct side *dst, uint32_t width, const uint8_t *fixed,
	struct flow_modify_list *list, struct rte_flow_error *error)
{
	const struct rte_flow_action_modify_field *conf = r->action->conf;

	for (uint32_t done = 0; done < width;) {
		const struct flow_modify_part *to = part_at(dst, dst->offset + done);
		uint32_t bit = dst->offset + done - to->low;
		uint32_t n = RTE_MIN(width - done, to->width - bit);
		unsigned int shift = bit + unit_shift(dst->row);
		struct mlx5dr_modify command = {
			.op = conf->operation == RTE_FLOW_MODIFY_ADD ? MLX5DR_MODIFY_ADD : MLX5DR_MODIFY_SET,
			.field = number(dst, to), .offset = to->at + bit, .length = n,
		};
		int rc;

		if (fixed != NULL) {
			command.data.from = MLX5DR_FROM_CONSTANT;
			command.data.value = load_image(dst->row, to, fixed) >> shift;
			if (n < 32)
				command.data.value &= (1u << n) - 1;
		} else {
			bool pointer = conf->src.field == RTE_FLOW_FIELD_POINTER;

			command.data.from = MLX5DR_FROM_SOURCE;
			command.data.source = (struct mlx5dr_source){
				.base = pointer ? MLX5DR_SCRATCH : MLX5DR_ACTIONS,
				.unit = to->value_unit, .host_order = dst->row->host_order, .shift = shift,
				.pointer_at = pointer ? MLX5DR_NO_POINTER :
					r->index * sizeof(struct rte_flow_action) + offsetof(struct rte_flow_action, conf),
				.offset = to->value_off + (pointer ? r->scratch_at :
					offsetof(struct rte_flow_action_modify_field, src.value)),
			};
			list->copies_pointer = pointer;
			list->image_bytes = dst->row->image_bytes;
		}
		rc = emit_mirrored(r, dst, list, &command, error);
		if (rc != 0)
			return rc;
		done += n;
	}
	return 0;
}

/* ---- the action ------------------------------------------------------------------------------------------------ */

/* What must not vary per rule has an all-ones mask. */
static int
check_fixed(const struct flow_modify_request *r, bool immediate, struct rte_flow_error *error)
{
	const struct rte_flow_action_modify_field *mask = r->mask->conf;
	const struct {
		bool fixed;
		bool counts;
		const char *name;
	} rows[] = {
		{ mask->width == UINT32_MAX, true, "width" },
		{ flow_level_is_fixed(&mask->dst), true, "dst level" },
		{ mask->dst.offset == UINT32_MAX, true, "dst offset" },
		{ flow_level_is_fixed(&mask->src), !immediate, "src level" },
		{ mask->src.offset == UINT32_MAX, !immediate, "src offset" },
	};

	for (unsigned int i = 0; !r->rule && i < RTE_DIM(rows); i++)
		if (rows[i].counts && !rows[i].fixed)
			return flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, mask,
				"modify_field: the template's mask must fix %s (all ones)", rows[i].name);
	return 0;
}

/* NULL: the value comes with the rule. */
static const uint8_t *
fixed_image(const struct flow_modify_request *r)
{
	const struct rte_flow_action_modify_field *conf = r->action->conf, *mask = r->mask->conf;
	static const uint8_t zero[sizeof(mask->src.value)];

	if (conf->src.field == RTE_FLOW_FIELD_POINTER)
		return mask->src.pvalue != NULL ? conf->src.pvalue : NULL;
	if (r->rule)
		return conf->src.value;
	return memcmp(mask->src.value, zero, sizeof(zero)) != 0 ? conf->src.value : NULL;
}

static int
compile_value(const struct flow_modify_request *r, const struct side *dst, struct flow_modify_list *list,
	struct rte_flow_error *error)
{
	const struct rte_flow_action_modify_field *conf = r->action->conf, *mask = r->mask->conf;
	const struct flow_modify_part *part;

	if (conf->src.field == RTE_FLOW_FIELD_POINTER && mask->src.pvalue != NULL && conf->src.pvalue == NULL)
		return flow_error_conf(error, EINVAL, r->action, "modify_field: src pointer is fixed and NULL");
	part = part_at(dst, dst->offset);
	if (conf->operation == RTE_FLOW_MODIFY_ADD && dst->offset + conf->width > (uint32_t)part->low + part->width)
		return flow_error_conf(error, ENOTSUP, r->action,
			"modify_field: add carries over at most %u bits of %s", part->width, dst->row->name);
	return emit_value(r, dst, conf->width, fixed_image(r), list, error);
}

int
flow_modify_compile(const struct flow_modify_request *r, struct flow_modify_list *list, struct rte_flow_error *error)
{
	const struct rte_flow_action_modify_field *conf = r->action->conf;
	struct side dst, src = { 0 };
	bool immediate;
	int rc;

	memset(list, 0, sizeof(*list));
	if (conf == NULL || r->mask->conf == NULL)
		return flow_error_conf(error, EINVAL, r->action, "modify_field: template and mask both need a conf");
	if (conf->operation != RTE_FLOW_MODIFY_SET && conf->operation != RTE_FLOW_MODIFY_ADD)
		return flow_error_conf(error, ENOTSUP, r->action, "modify_field: operation %s is not supported",
			conf->operation == RTE_FLOW_MODIFY_SUB ? "sub" : "?");
	immediate = conf->src.field == RTE_FLOW_FIELD_VALUE || conf->src.field == RTE_FLOW_FIELD_POINTER;
	if (!immediate && conf->operation == RTE_FLOW_MODIFY_ADD)
		return flow_error_conf(error, ENOTSUP, r->action, "modify_field: add of field %s is not supported",
			flow_field_name(conf->src.field));
	rc = resolve(r, &conf->dst, true, &dst, error);
	if (rc == 0 && !immediate)
		rc = resolve(r, &conf->src, false, &src, error);
	if (rc == 0)
		rc = check_fixed(r, immediate, error);
	if (rc != 0)
		return rc;
	if (conf->width == 0)
		return flow_error_conf(error, EINVAL, r->action, "modify_field: width is 0");
	rc = check_range(r, &dst, "dst", conf->width, error);
	if (rc == 0 && !immediate)
		rc = check_range(r, &src, "src", conf->width, error);
	if (rc != 0)
		return rc;
	list->touches_packet = dst.row->special == FLOW_FIELD_PACKET ||
		(src.row != NULL && src.row->special == FLOW_FIELD_PACKET);
	list->touches_vlan = dst.row->is_vlan || (src.row != NULL && src.row->is_vlan);
	return immediate ? compile_value(r, &dst, list, error) :
		emit_copy(r, &dst, &src, conf->width, list, error);
}
