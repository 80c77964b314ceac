/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the parser of the device sees in a frame: where each header begins and of which kind it is, for the
 * outermost headers and, behind a tunnel header (or a second IP header), for the inner ones.
 *
 * Computed once a frame. Steering makes its header layout from it; nic/ takes types, offsets and verdicts for
 * the CQE, for RSS, checksums and segmentation from it and does not parse again.
 */
#ifndef SOFTCX_PARSE_H
#define SOFTCX_PARSE_H

#include <stdbool.h>
#include <stdint.h>

struct sc_packet;

#define SC_ABSENT 0xffff /* offset of a header that the frame does not have */

enum sc_l3_type { SC_L3_NONE, SC_L3_IPV4, SC_L3_IPV6 };
enum sc_l4_type { SC_L4_NONE, SC_L4_TCP, SC_L4_UDP, SC_L4_ICMP, SC_L4_ESP };
enum sc_tunnel_type {
	SC_TUNNEL_NONE, SC_TUNNEL_VXLAN, SC_TUNNEL_VXLAN_GPE, SC_TUNNEL_GENEVE, SC_TUNNEL_GRE,
	SC_TUNNEL_NVGRE, SC_TUNNEL_MPLS_UDP, SC_TUNNEL_GTPU, SC_TUNNEL_IP
};

/* Offsets are bytes from the first byte of the frame, or SC_ABSENT. */
struct sc_parse_level {
	uint16_t l2;         /* Ethernet header; absent inside where a tunnel carries IP directly */
	uint16_t vlan;       /* TPID of the first VLAN tag */
	uint16_t l3;         /* IPv4 or IPv6 header */
	uint16_t l4; /* what the IP header carries, known (l4_type) or not; absent in fragments but the first
		      */
	uint16_t payload;    /* first byte behind a known L4 header */
	uint16_t extension;  /* first IPv6 extension header */
	uint16_t l3_end;     /* first byte behind the IP packet: what follows is padding */
	uint16_t type_at;    /* where the ethertype behind the VLAN tags stands */
	uint16_t ethertype;  /* behind the VLAN tags */
	uint8_t nb_vlans;    /* 0, 1, 2 (more tags count as 2 and end the parse) */
	uint8_t l3_type;     /* enum sc_l3_type */
	uint8_t l4_type;     /* enum sc_l4_type */
	uint8_t protocol;    /* IPv4 protocol, or the last next-header value */
	bool fragment;       /* offset not zero, or more fragments */
	bool first_fragment; /* fragment with offset 0 */
	bool options;        /* IPv4 options or IPv6 extension headers */
	bool routing;        /* an IPv6 routing header is among them */
	bool l3_ok;          /* header complete, lengths agree with the frame */
	bool l4_ok;          /* the same for TCP and UDP */
	/* Verdicts, false until sc_parse_verify: */
	bool l3_checksum_ok; /* IPv4 header sum is right; IPv6: as l3_ok */
	bool l4_checksum_ok; /* TCP, UDP sum is right, or the UDP sum is 0 over IPv4; false for fragments */
};

struct sc_parse {
	struct sc_parse_level outer, inner; /* inner: all absent without a tunnel */
	uint16_t tunnel;     /* offset of the tunnel header (VXLAN, GRE, ...); absent for IP in IP */
	uint8_t tunnel_type; /* enum sc_tunnel_type */
	uint16_t labels;     /* first MPLS label behind UDP or GRE */
	uint8_t nb_labels;
	bool verified;       /* sc_parse_verify has run */
};

/* Parse len bytes at data. Never reads behind them; what is cut short is absent. Verdicts are left for later.
 */
void sc_parse_frame(const uint8_t *data, uint32_t len, struct sc_parse *parse);

/*
 * Fill the four checksum verdicts, once: they cost a pass over the frame, so they wait until somebody asks.
 */
void sc_parse_verify(const uint8_t *data, uint32_t len, struct sc_parse *parse);

/*
 * The parse of a frame in flight: the one that came with it, or else a fresh one, made in storage and
 * attached to it (detach it, pkt->parse = NULL, before storage goes away).
 */
struct sc_parse *sc_packet_parse(struct sc_packet *pkt, struct sc_parse *storage);

/* The level that receive offloads speak of: inner where there is a tunnel, outer otherwise. */
static inline const struct sc_parse_level *
sc_parse_innermost(const struct sc_parse *parse)
{
	return parse->tunnel_type != SC_TUNNEL_NONE && parse->inner.l3 != SC_ABSENT ? &parse->inner
										    : &parse->outer;
}

#endif
