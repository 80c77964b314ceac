/* SPDX-License-Identifier: BSD-3-Clause */

#include "flow/encap.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_udp.h>
#include <rte_vxlan.h>

#include "flow/error.h"

/* Headers in the order in which they may come: the step of a type must be larger than that of the one before. */
struct encap_row {
	enum rte_flow_item_type type;
	const char *name;
	uint8_t step, bytes;
};

static const struct encap_row rows[] = {
	{ RTE_FLOW_ITEM_TYPE_ETH, "eth", 1, sizeof(struct rte_ether_hdr) },
	{ RTE_FLOW_ITEM_TYPE_VLAN, "vlan", 2, sizeof(struct rte_vlan_hdr) },
	{ RTE_FLOW_ITEM_TYPE_IPV4, "ipv4", 3, sizeof(struct rte_ipv4_hdr) },
	{ RTE_FLOW_ITEM_TYPE_IPV6, "ipv6", 3, sizeof(struct rte_ipv6_hdr) },
	{ RTE_FLOW_ITEM_TYPE_UDP, "udp", 4, sizeof(struct rte_udp_hdr) },
	{ RTE_FLOW_ITEM_TYPE_VXLAN, "vxlan", 5, sizeof(struct rte_vxlan_hdr) },
};

struct builder {
	uint8_t *header;
	unsigned int len;
	uint8_t *ethertype; /* of the last L2 header */
	struct rte_ipv4_hdr *ipv4;
	struct rte_ipv6_hdr *ipv6;
	struct rte_udp_hdr *udp;
};

/* The last L2 header says what follows it, unless the application said so. */
static void
point_to(struct builder *b, uint16_t ethertype)
{
	if (b->ethertype == NULL || b->ethertype[0] != 0 || b->ethertype[1] != 0)
		return;
	b->ethertype[0] = ethertype >> 8;
	b->ethertype[1] = ethertype & 0xff;
}

/* at: the header just copied. */
static void
fill(struct builder *b, enum rte_flow_item_type type, void *at)
{
	struct rte_vxlan_hdr *vxlan = at;

	switch (type) {
	case RTE_FLOW_ITEM_TYPE_ETH:
		b->ethertype = (uint8_t *)at + offsetof(struct rte_ether_hdr, ether_type);
		break;
	case RTE_FLOW_ITEM_TYPE_VLAN:
		point_to(b, RTE_ETHER_TYPE_VLAN);
		b->ethertype = (uint8_t *)at + offsetof(struct rte_vlan_hdr, eth_proto);
		break;
	case RTE_FLOW_ITEM_TYPE_IPV4:
		b->ipv4 = at;
		point_to(b, RTE_ETHER_TYPE_IPV4);
		if (b->ipv4->version_ihl == 0)
			b->ipv4->version_ihl = RTE_IPV4_VHL_DEF;
		if (b->ipv4->time_to_live == 0)
			b->ipv4->time_to_live = 64;
		break;
	case RTE_FLOW_ITEM_TYPE_IPV6:
		b->ipv6 = at;
		point_to(b, RTE_ETHER_TYPE_IPV6);
		if (rte_be_to_cpu_32(b->ipv6->vtc_flow) >> 28 == 0)
			b->ipv6->vtc_flow |= rte_cpu_to_be_32(6u << 28);
		if (b->ipv6->hop_limits == 0)
			b->ipv6->hop_limits = 64;
		break;
	case RTE_FLOW_ITEM_TYPE_UDP:
		b->udp = at;
		if (b->ipv4 != NULL && b->ipv4->next_proto_id == 0)
			b->ipv4->next_proto_id = IPPROTO_UDP;
		if (b->ipv6 != NULL && b->ipv6->proto == 0)
			b->ipv6->proto = IPPROTO_UDP;
		break;
	default:
		if (b->udp->dst_port == 0)
			b->udp->dst_port = rte_cpu_to_be_16(RTE_VXLAN_DEFAULT_PORT);
		if (vxlan->vx_flags == 0)
			vxlan->vx_flags = rte_cpu_to_be_32(0x08000000);
		break;
	}
}

static const struct encap_row *
row_of(enum rte_flow_item_type type)
{
	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

int
flow_encap_build(const struct rte_flow_action *action, const struct rte_flow_item items[], uint8_t *header,
	struct rte_flow_error *error)
{
	struct builder b = { .header = header };
	unsigned int step = 0;

	if (items == NULL)
		return flow_error_conf(error, EINVAL, action, "vxlan_encap: definition is NULL");
	for (; items->type != RTE_FLOW_ITEM_TYPE_END; items++) {
		const struct encap_row *row = row_of(items->type);

		if (items->type == RTE_FLOW_ITEM_TYPE_VOID)
			continue;
		if (row == NULL)
			return flow_error_conf(error, ENOTSUP, action, "vxlan_encap: item %s in the definition",
				flow_item_name(items->type));
		if (row->step <= step || (row->step > step + 1 && !(row->step == 3 && step == 1)))
			return flow_error_conf(error, EINVAL, action, "vxlan_encap: %s is out of place in the definition",
				row->name);
		if (items->spec == NULL)
			return flow_error_conf(error, EINVAL, action, "vxlan_encap: %s has no spec", row->name);
		step = row->step;
		memcpy(b.header + b.len, items->spec, row->bytes);
		fill(&b, row->type, b.header + b.len);
		b.len += row->bytes;
	}
	if (step != 5)
		return flow_error_conf(error, EINVAL, action, "vxlan_encap: the definition does not end with vxlan");
	return b.len;
}
