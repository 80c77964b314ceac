/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/items.h"

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>


#if RTE_BYTE_ORDER != RTE_LITTLE_ENDIAN
#error "bit fields of rte_flow items are laid out here for little-endian hosts"
#endif

/* ---- the table ----------------------------------------------------------------------------------------------- */

#define OFF(item, member) offsetof(struct rte_flow_item_##item, member)
#define NET(item, member, unit, shift, name, hl) \
	{ name, OFF(item, member), unit, shift, false, FLOW_COPY, MLX5DR_HL_##hl##_O, MLX5DR_HL_##hl##_I }
/* Part of an array member, at byte `at`. */
#define PART(item, member, at, unit, name, hl) \
	{ name, OFF(item, member) + (at), unit, 0, false, FLOW_COPY, MLX5DR_HL_##hl##_O, MLX5DR_HL_##hl##_I }
#define ONCE(item, member, unit, shift, name, hl) \
	{ name, OFF(item, member), unit, shift, false, FLOW_COPY, MLX5DR_HL_##hl, 0 }

/*
 * Where the bit fields of rte_flow's structures lie. That of eth shares a word with the type before it, its reserved bits
 * have the next one.
 */
#define ETH_HAS_VLAN 14
#define ETH_RESERVED 16
#define VLAN_FLAGS 4
#define IPV6_FLAGS 40
static_assert(sizeof(struct rte_flow_item_eth) == ETH_RESERVED + 4, "eth");
static_assert(sizeof(struct rte_flow_item_vlan) == VLAN_FLAGS + 4, "vlan");
static_assert(sizeof(struct rte_flow_item_ipv6) == IPV6_FLAGS + 4, "ipv6");

static const struct flow_item_field eth_fields[] = {
	PART(eth, hdr.dst_addr, 0, 4, "dst", DMAC_47_16),
	PART(eth, hdr.dst_addr, 4, 2, "dst", DMAC_15_0),
	PART(eth, hdr.src_addr, 0, 4, "src", SMAC_47_16),
	PART(eth, hdr.src_addr, 4, 2, "src", SMAC_15_0),
	NET(eth, hdr.ether_type, 2, 0, "type", ETHERTYPE),
	{ "has_vlan", ETH_HAS_VLAN, 1, 0, true, FLOW_HAS_VLAN, MLX5DR_HL_VLAN_QUALIFIER_O, MLX5DR_HL_VLAN_QUALIFIER_I },
};
static const struct flow_item_other eth_others[] = { { "reserved", ETH_RESERVED, 4, 0x7fffffff } };

static const struct flow_item_field vlan_fields[] = {
	NET(vlan, hdr.vlan_tci, 2, 0, "tci", VLAN_TCI),
	NET(vlan, hdr.eth_proto, 2, 0, "inner_type", ETHERTYPE),
	{ "has_more_vlan", VLAN_FLAGS, 4, 0, true, FLOW_HAS_MORE, MLX5DR_HL_VLAN_QUALIFIER_O,
	  MLX5DR_HL_VLAN_QUALIFIER_I },
};
static const struct flow_item_other vlan_others[] = { { "reserved", VLAN_FLAGS, 4, 0xfffffffe } };
static const struct flow_implied vlan_implied[] = {
	{ MLX5DR_HL_VLAN_QUALIFIER_O, MLX5DR_HL_VLAN_QUALIFIER_I, MLX5DR_HL_VLAN_C, true },
};

static const struct flow_item_field ipv4_fields[] = {
	NET(ipv4, hdr.version_ihl, 1, 4, "version", IP_VERSION),
	NET(ipv4, hdr.version_ihl, 1, 0, "ihl", IP_IHL),
	NET(ipv4, hdr.type_of_service, 1, 0, "tos", IP_TOS),
	NET(ipv4, hdr.total_length, 2, 0, "length", IPV4_TOTAL_LENGTH),
	NET(ipv4, hdr.packet_id, 2, 0, "id", IPV4_ID),
	{ "fragment_offset", OFF(ipv4, hdr.fragment_offset), 2, 0, false, FLOW_FRAGMENT, MLX5DR_HL_IPV4_FRAGMENT_O,
	  MLX5DR_HL_IPV4_FRAGMENT_I },
	NET(ipv4, hdr.time_to_live, 1, 0, "ttl", IP_TTL),
	NET(ipv4, hdr.next_proto_id, 1, 0, "proto", IP_PROTOCOL),
	NET(ipv4, hdr.src_addr, 4, 0, "src", IPV4_SRC),
	NET(ipv4, hdr.dst_addr, 4, 0, "dst", IPV4_DST),
};
static const struct flow_item_other ipv4_others[] = { { "hdr_checksum", OFF(ipv4, hdr.hdr_checksum), 2, 0 } };
static const struct flow_implied ipv4_implied[] = {
	{ MLX5DR_HL_L3_TYPE_O, MLX5DR_HL_L3_TYPE_I, MLX5DR_HL_L3_TYPE_IPV4, false },
};

static const struct flow_item_field ipv6_fields[] = {
	NET(ipv6, hdr.vtc_flow, 4, 28, "version", IP_VERSION),
	NET(ipv6, hdr.vtc_flow, 4, 20, "tc", IP_TOS),
	NET(ipv6, hdr.vtc_flow, 4, 0, "flow_label", IPV6_FLOW_LABEL),
	NET(ipv6, hdr.payload_len, 2, 0, "length", IPV6_PAYLOAD_LENGTH),
	NET(ipv6, hdr.proto, 1, 0, "proto", IP_PROTOCOL),
	NET(ipv6, hdr.hop_limits, 1, 0, "hop", IP_TTL),
	PART(ipv6, hdr.src_addr, 0, 4, "src", IPV6_SRC_127_96),
	PART(ipv6, hdr.src_addr, 4, 4, "src", IPV6_SRC_95_64),
	PART(ipv6, hdr.src_addr, 8, 4, "src", IPV6_SRC_63_32),
	PART(ipv6, hdr.src_addr, 12, 4, "src", IPV6_SRC_31_0),
	PART(ipv6, hdr.dst_addr, 0, 4, "dst", IPV6_DST_127_96),
	PART(ipv6, hdr.dst_addr, 4, 4, "dst", IPV6_DST_95_64),
	PART(ipv6, hdr.dst_addr, 8, 4, "dst", IPV6_DST_63_32),
	PART(ipv6, hdr.dst_addr, 12, 4, "dst", IPV6_DST_31_0),
	{ "has_frag_ext", IPV6_FLAGS, 4, 2, true, FLOW_COPY, MLX5DR_HL_L4_IP_FRAGMENTED_O,
	  MLX5DR_HL_L4_IP_FRAGMENTED_I },
};
static const struct flow_item_other ipv6_others[] = {
	{ "has_hop_ext", IPV6_FLAGS, 4, 1 << 0 },
	{ "has_route_ext", IPV6_FLAGS, 4, 1 << 1 },
	{ "has_auth_ext", IPV6_FLAGS, 4, 1 << 3 },
	{ "has_esp_ext", IPV6_FLAGS, 4, 1 << 4 },
	{ "has_dest_ext", IPV6_FLAGS, 4, 1 << 5 },
	{ "has_mobil_ext", IPV6_FLAGS, 4, 1 << 6 },
	{ "has_hip_ext", IPV6_FLAGS, 4, 1 << 7 },
	{ "has_shim6_ext", IPV6_FLAGS, 4, 1 << 8 },
	{ "reserved", IPV6_FLAGS, 4, 0xfffffe00 },
};
static const struct flow_implied ipv6_implied[] = {
	{ MLX5DR_HL_L3_TYPE_O, MLX5DR_HL_L3_TYPE_I, MLX5DR_HL_L3_TYPE_IPV6, false },
};

static const struct flow_item_field udp_fields[] = {
	NET(udp, hdr.src_port, 2, 0, "src", L4_SPORT),
	NET(udp, hdr.dst_port, 2, 0, "dst", L4_DPORT),
};
static const struct flow_item_other udp_others[] = {
	{ "dgram_len", OFF(udp, hdr.dgram_len), 2, 0 },
	{ "dgram_cksum", OFF(udp, hdr.dgram_cksum), 2, 0 },
};
static const struct flow_implied udp_implied[] = {
	{ MLX5DR_HL_L4_TYPE_BWC_O, MLX5DR_HL_L4_TYPE_BWC_I, MLX5DR_HL_L4_BWC_UDP, false },
};

static const struct flow_item_field tcp_fields[] = {
	NET(tcp, hdr.src_port, 2, 0, "src", L4_SPORT),
	NET(tcp, hdr.dst_port, 2, 0, "dst", L4_DPORT),
	NET(tcp, hdr.tcp_flags, 1, 0, "flags", TCP_FLAGS),
};
static const struct flow_item_other tcp_others[] = {
	{ "sent_seq", OFF(tcp, hdr.sent_seq), 4, 0 },
	{ "recv_ack", OFF(tcp, hdr.recv_ack), 4, 0 },
	{ "data_off", OFF(tcp, hdr.data_off), 1, 0 },
	{ "rx_win", OFF(tcp, hdr.rx_win), 2, 0 },
	{ "cksum", OFF(tcp, hdr.cksum), 2, 0 },
	{ "tcp_urp", OFF(tcp, hdr.tcp_urp), 2, 0 },
};
static const struct flow_implied tcp_implied[] = {
	{ MLX5DR_HL_L4_TYPE_BWC_O, MLX5DR_HL_L4_TYPE_BWC_I, MLX5DR_HL_L4_BWC_TCP, false },
};

/* ICMP and ICMPv6 look alike to the parser: the L3 type tells them apart. */
static const struct flow_item_field icmp_fields[] = {
	ONCE(icmp, hdr.icmp_type, 1, 0, "type", ICMP_TYPE),
	ONCE(icmp, hdr.icmp_code, 1, 0, "code", ICMP_CODE),
	ONCE(icmp, hdr.icmp_cksum, 2, 0, "checksum", ICMP_CHECKSUM),
	ONCE(icmp, hdr.icmp_ident, 2, 0, "ident", ICMP_IDENT),
	ONCE(icmp, hdr.icmp_seq_nb, 2, 0, "seq", ICMP_SEQUENCE),
};
static const struct flow_implied icmp_implied[] = {
	{ MLX5DR_HL_L4_TYPE_O, MLX5DR_HL_L4_TYPE_I, MLX5DR_HL_L4_ICMP, false },
	{ MLX5DR_HL_L3_TYPE_O, MLX5DR_HL_L3_TYPE_I, MLX5DR_HL_L3_TYPE_IPV4, false },
};
static const struct flow_item_field icmp6_fields[] = {
	ONCE(icmp6, type, 1, 0, "type", ICMP_TYPE),
	ONCE(icmp6, code, 1, 0, "code", ICMP_CODE),
	ONCE(icmp6, checksum, 2, 0, "checksum", ICMP_CHECKSUM),
};
static const struct flow_implied icmp6_implied[] = {
	{ MLX5DR_HL_L4_TYPE_O, MLX5DR_HL_L4_TYPE_I, MLX5DR_HL_L4_ICMP, false },
	{ MLX5DR_HL_L3_TYPE_O, MLX5DR_HL_L3_TYPE_I, MLX5DR_HL_L3_TYPE_IPV6, false },
};

static const struct flow_item_field vxlan_fields[] = {
	ONCE(vxlan, hdr.vx_flags, 1, 0, "flags", VXLAN_FLAGS), /* the first byte of the word */
	ONCE(vxlan, hdr.vx_vni, 4, 8, "vni", VXLAN_VNI),
};
static const struct flow_item_other vxlan_others[] = {
	{ "rsvd0", 1, 3, 0 },
	{ "rsvd1", 7, 1, 0 },
};
#define VXLAN_PORT 4789
static const struct flow_implied vxlan_implied[] = {
	{ MLX5DR_HL_L4_TYPE_BWC_O, MLX5DR_HL_L4_TYPE_BWC_I, MLX5DR_HL_L4_BWC_UDP, false },
	{ MLX5DR_HL_L4_DPORT_O, MLX5DR_HL_L4_DPORT_I, VXLAN_PORT, true },
};

static const struct flow_item_field tag_fields[] = {
	{ "data", OFF(tag, data), 4, 0, true, FLOW_TAG, MLX5DR_HL_REG_C_0, 0 },
};
static const struct flow_item_field meta_fields[] = {
	{ "data", OFF(meta, data), 4, 0, true, FLOW_META, MLX5DR_HL_REG_C_1, 0 },
};

#define FIELDS(name) .fields = name##_fields, .nb_fields = RTE_DIM(name##_fields)
#define OTHERS(name) .others = name##_others, .nb_others = RTE_DIM(name##_others)
#define IMPLIED(name) .implied = name##_implied, .nb_implied = RTE_DIM(name##_implied)
#define ITEM(upper, lower) \
	.type = RTE_FLOW_ITEM_TYPE_##upper, .name = #lower, .size = sizeof(struct rte_flow_item_##lower), FIELDS(lower)

#define BELOW_L3 (FLOW_START | FLOW_L2 | FLOW_VLAN | FLOW_TUNNEL)
#define BELOW_L4 (BELOW_L3 | FLOW_L3)

const struct flow_item_row flow_items[] = {
	{ ITEM(ETH, eth), .layer = FLOW_L2, .follows = FLOW_START | FLOW_TUNNEL, OTHERS(eth) },
	{ ITEM(VLAN, vlan), .layer = FLOW_VLAN, .follows = FLOW_START | FLOW_L2 | FLOW_TUNNEL, OTHERS(vlan),
	  IMPLIED(vlan) },
	{ ITEM(IPV4, ipv4), .layer = FLOW_L3, .follows = BELOW_L3, OTHERS(ipv4), IMPLIED(ipv4) },
	{ ITEM(IPV6, ipv6), .layer = FLOW_L3, .follows = BELOW_L3, OTHERS(ipv6), IMPLIED(ipv6) },
	{ ITEM(UDP, udp), .layer = FLOW_L4, .follows = BELOW_L4, OTHERS(udp), IMPLIED(udp) },
	{ ITEM(TCP, tcp), .layer = FLOW_L4, .follows = BELOW_L4, OTHERS(tcp), IMPLIED(tcp) },
	{ ITEM(ICMP, icmp), .layer = FLOW_L4, .follows = BELOW_L4, IMPLIED(icmp) },
	{ ITEM(ICMP6, icmp6), .layer = FLOW_L4, .follows = BELOW_L4, IMPLIED(icmp6) },
	{ ITEM(VXLAN, vxlan), .layer = FLOW_TUNNEL, .follows = FLOW_START | FLOW_L2 | FLOW_VLAN | FLOW_L3 | FLOW_L4,
	  OTHERS(vxlan), IMPLIED(vxlan) },
	{ ITEM(TAG, tag), .layer = FLOW_NO_LAYER },
	{ ITEM(META, meta), .layer = FLOW_NO_LAYER },
};
const unsigned int flow_nb_items = RTE_DIM(flow_items);

const struct flow_item_row *
flow_item_row(enum rte_flow_item_type type)
{
	for (unsigned int i = 0; i < RTE_DIM(flow_items); i++)
		if (flow_items[i].type == type)
			return &flow_items[i];
	return NULL;
}

/* ---- units of a structure ------------------------------------------------------------------------------------- */

uint32_t
flow_item_load(const struct flow_item_field *field, const void *structure)
{
	const uint8_t *at = (const uint8_t *)structure + field->off;
	uint32_t word;

	switch (field->unit) {
	case 1:
		return *at;
	case 2:
		return (uint32_t)at[0] << 8 | at[1];
	default:
		memcpy(&word, at, sizeof(word));
		return field->host_order ? word : rte_be_to_cpu_32(word);
	}
}

static void
or_unit(const struct flow_item_field *field, uint8_t *structure, uint32_t bits)
{
	for (unsigned int i = 0; i < field->unit; i++) {
		unsigned int at = field->host_order ? i : field->unit - 1u - i;

		structure[field->off + at] |= bits >> 8 * i & 0xff;
	}
}

/* VLAN flags are one bit in rte_flow and two in the header layout. */
uint32_t
flow_item_width_mask(const struct flow_item_field *field)
{
	return field->kind == FLOW_HAS_VLAN || field->kind == FLOW_HAS_MORE ? 1 : prm_mask(field->hl_outer);
}

void
flow_item_supported(const struct flow_item_row *row, uint8_t *mask)
{
	memset(mask, 0, row->size);
	for (unsigned int i = 0; i < row->nb_fields; i++)
		or_unit(&row->fields[i], mask, flow_item_width_mask(&row->fields[i]) << row->fields[i].shift);
	if (row->type == RTE_FLOW_ITEM_TYPE_TAG)
		mask[OFF(tag, index)] = 0xff; /* chooses the register */
}

/* ---- registers ------------------------------------------------------------------------------------------------ */

/*
 * C_0 holds the vport's metadata, C_1 META on ingress, C_3 the colour of meters and the state of connections (which are
 * to come), and the row of a linear table. The rest are tags, in this order.
 */
static const uint8_t tag_registers[] = { 2, 4, 5, 6, 7, 8, 9, 10, 11 };

void
flow_regs_init(struct flow_regs *regs, uint16_t metadata_reg_c)
{
	regs->nb_tags = 0;
	for (unsigned int i = 0; i < RTE_DIM(tag_registers) && regs->nb_tags < FLOW_MAX_TAGS; i++)
		if (metadata_reg_c & 1u << tag_registers[i])
			regs->tag[regs->nb_tags++] = tag_registers[i];
	regs->has_c3 = (metadata_reg_c & 1u << 3) != 0;
}

int
flow_tag_register(const struct flow_regs *regs, uint32_t index)
{
#ifdef FLOW_HAS_INDEX
	if (index == FLOW_LINEAR_TAG && regs->has_c3)
		return 3;
#endif
	return index < regs->nb_tags ? regs->tag[index] : -1;
}

int
flow_reg_c_hl(uint8_t n)
{
	static const int hl[] = {
		MLX5DR_HL_REG_C_0, MLX5DR_HL_REG_C_1, MLX5DR_HL_REG_C_2, MLX5DR_HL_REG_C_3,
		MLX5DR_HL_REG_C_4, MLX5DR_HL_REG_C_5, MLX5DR_HL_REG_C_6, MLX5DR_HL_REG_C_7,
		MLX5DR_HL_REG_C_8, MLX5DR_HL_REG_C_9, MLX5DR_HL_REG_C_10, MLX5DR_HL_REG_C_11,
	};

	return hl[n];
}

int
flow_meta_hl(enum mlx5dr_table_type type)
{
	return type == MLX5DR_NIC_TX ? MLX5DR_HL_REG_A : MLX5DR_HL_REG_C_1;
}
