/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A frame in flight inside the device, with what steering knows about it.
 */
#ifndef SOFTCX_PACKET_H
#define SOFTCX_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#define SC_PACKET_HEADROOM 512  /* room in front for encapsulation */
#define SC_PACKET_MAX      10240 /* longest frame, without FCS */

struct sc_device;
struct sc_parse;
struct sc_tir;

/* Registers of steering; REG_C_0 .. REG_C_11 follow C_0. */
enum sc_reg { SC_REG_A, SC_REG_B, SC_REG_C_0, SC_REG_C_11 = SC_REG_C_0 + 11, SC_REGS };

struct sc_packet {
	uint8_t *data;   /* first byte of the Ethernet header */
	uint32_t len;    /* bytes, without FCS */
	uint32_t source_sqn; /* the SQ that sent it; 0 = from the wire */
	uint32_t source_td;  /* transport domain of the sending TIS, for the loopback gate */
	bool transmit;       /* half: 0 receive, 1 transmit */
	bool loopback;       /* comes back from the port's own transmit side */
	uint64_t timestamp_ns; /* arrival or transmission, device clock */
	uint32_t reg[SC_REGS];
	uint32_t flow_tag;   /* low 24 bits, as they go into the CQE */
	/*
	 * What the parser says of the bytes as they are now, or NULL (steer/parse.h: sc_packet_parse).
	 * Set where the walk hands a frame over, and gone when that call returns: whoever keeps or
	 * changes the frame sets it NULL.
	 */
	struct sc_parse *parse;
	/* storage; data points into it */
	uint8_t room[SC_PACKET_HEADROOM + SC_PACKET_MAX + 64];
};

/* Make pkt an empty frame with registers zero and data at the start of the frame area. */
static inline void
sc_packet_reset(struct sc_packet *pkt)
{
	__builtin_memset(pkt, 0, __builtin_offsetof(struct sc_packet, room));
	pkt->data = pkt->room + SC_PACKET_HEADROOM;
}

/*
 * The walk (steer/): send pkt through the receive or transmit tables of dev from the root, run actions, and
 * hand every frame that comes out to one of the three below. pkt is spent afterwards.
 */
void sc_steer_receive(struct sc_device *dev, struct sc_packet *pkt);
void sc_steer_transmit(struct sc_device *dev, struct sc_packet *pkt);

/*
 * Where frames end (nic/): a TIR; the port's transmit side (MTU, loopback decision, wire); the kernel's
 * netdev.
 */
void sc_nic_deliver(struct sc_device *dev, struct sc_packet *pkt, struct sc_tir *tir);
void sc_port_transmit(struct sc_device *dev, struct sc_packet *pkt);
void sc_port_to_host(struct sc_device *dev, struct sc_packet *pkt);

#endif
