/* SPDX-License-Identifier: BSD-3-Clause */

/* Packet types: which ones there are, and the table by what a completion tells. */
#include <rte_common.h>
#include <rte_mbuf_ptype.h>

#include "prm/cqe.h"
#include "rx.h"

const uint32_t mlx5hws_rx_ptypes[] = {
	RTE_PTYPE_L2_ETHER,
	RTE_PTYPE_L3_IPV4_EXT_UNKNOWN,
	RTE_PTYPE_L3_IPV6_EXT_UNKNOWN,
	RTE_PTYPE_L4_FRAG,
	RTE_PTYPE_L4_NONFRAG,
	RTE_PTYPE_L4_TCP,
	RTE_PTYPE_L4_UDP,
	RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN,
	RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN,
	RTE_PTYPE_INNER_L4_FRAG,
	RTE_PTYPE_INNER_L4_NONFRAG,
	RTE_PTYPE_INNER_L4_TCP,
	RTE_PTYPE_INNER_L4_UDP,
	RTE_PTYPE_UNKNOWN,
};
const size_t mlx5hws_rx_nb_ptypes = RTE_DIM(mlx5hws_rx_ptypes) - 1;

/*
 * Packet type by pkt_info[1:0] << 6 | hdr_type_etc[7:2]: bits 1:0 L3 type, 4:2 L4 type, 5 fragment, 6
 * tunnelled, 7 outer L3 is IPv6. In a tunnel the L3, L4 and fragment bits are those of the inner headers.
 */
uint32_t mlx5hws_rx_ptype_table[256];

static uint32_t
l4_type(uint8_t index)
{
	static const uint32_t types[8] = {
		[PRM_CQE_L4_NONE] = RTE_PTYPE_L4_NONFRAG,
		[PRM_CQE_L4_TCP_NO_ACK] = RTE_PTYPE_L4_TCP,
		[PRM_CQE_L4_UDP] = RTE_PTYPE_L4_UDP,
		[PRM_CQE_L4_TCP_ACK] = RTE_PTYPE_L4_TCP,
		[PRM_CQE_L4_TCP_ACK_DATA] = RTE_PTYPE_L4_TCP,
	};

	return index & 0x20 ? RTE_PTYPE_L4_FRAG : types[index >> 2 & 7];
}

static uint32_t
l3_l4_type(uint8_t index)
{
	switch (index & 3) {
	case PRM_CQE_L3_IPV4:
		return RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | l4_type(index);
	case PRM_CQE_L3_IPV6:
		return RTE_PTYPE_L3_IPV6_EXT_UNKNOWN | l4_type(index);
	default:
		return 0;
	}
}

/* An inner header's codes are the outer ones moved: RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN and so on. */
static uint32_t
inner_type(uint8_t index)
{
	static const struct {
		uint32_t outer, inner;
	} pairs[] = {
		{ RTE_PTYPE_L3_IPV4_EXT_UNKNOWN, RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN },
		{ RTE_PTYPE_L3_IPV6_EXT_UNKNOWN, RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN },
		{ RTE_PTYPE_L4_FRAG, RTE_PTYPE_INNER_L4_FRAG },
		{ RTE_PTYPE_L4_NONFRAG, RTE_PTYPE_INNER_L4_NONFRAG },
		{ RTE_PTYPE_L4_TCP, RTE_PTYPE_INNER_L4_TCP },
		{ RTE_PTYPE_L4_UDP, RTE_PTYPE_INNER_L4_UDP },
	};
	uint32_t type = l3_l4_type(index), inner = 0;

	for (unsigned int i = 0; i < RTE_DIM(pairs); i++) {
		uint32_t mask = pairs[i].outer & RTE_PTYPE_L3_MASK ? RTE_PTYPE_L3_MASK : RTE_PTYPE_L4_MASK;

		if ((type & mask) == pairs[i].outer)
			inner |= pairs[i].inner;
	}
	return inner;
}

RTE_INIT(mlx5hws_rx_ptype_init)
{
	for (unsigned int i = 0; i < RTE_DIM(mlx5hws_rx_ptype_table); i++) {
		uint32_t outer = i & 0x80 ? RTE_PTYPE_L3_IPV6_EXT_UNKNOWN : RTE_PTYPE_L3_IPV4_EXT_UNKNOWN;

		mlx5hws_rx_ptype_table[i] = RTE_PTYPE_L2_ETHER |
			(i & 0x40 ? outer | inner_type((uint8_t)i) : l3_l4_type((uint8_t)i));
	}
}
