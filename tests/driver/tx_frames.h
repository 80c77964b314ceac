/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Packets that follow from a number and a seed: what an application hands over, and what must be on the wire for it, written
 * without a look at any driver. A packet that is to be cut is several frames.
 */
#ifndef TX_FRAMES_H
#define TX_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#define TX_FRAME_MAX 9640
#define TX_SEGMENTS_MAX 30

/* What packets of a run may be and ask for. */
struct tx_mix {
	uint64_t seed;
	uint32_t longest;      /* bytes of a packet that is not cut; 60 to 9600 */
	uint32_t shortest;     /* below 60 only packets of no protocol are, 18 bytes at least */
	bool checksum, vlan, tso, segments;
	bool tunnel;
	uint32_t alike;        /* not 0: all but one in so many are short, of one segment, and ask for the same as their neighbours;
				* most of the others nearly so */
};

enum tx_kind { TX_RAW, TX_UDP4, TX_TCP4, TX_UDP6, TX_TCP6, TX_VXLAN_UDP, TX_VXLAN_TCP, TX_KINDS };

struct tx_packet {
	uint32_t number, len;  /* len: as handed over, without the tag */
	enum tx_kind kind;
	uint16_t vlan;         /* TCI, 0: none */
	uint16_t mss;          /* 0: not cut */
	bool checksum;         /* all that its headers have are asked for */
	uint8_t segments;
	/* where headers begin; l4 is the inner one's in a tunnel */
	uint16_t outer_l3, outer_l4, l3, l4, payload;
};

void tx_packet_describe(const struct tx_mix *mix, uint32_t number, struct tx_packet *packet);

/* Its len bytes as handed over; what the device is to fill in is rubbish. */
void tx_packet_write(const struct tx_packet *packet, uint8_t *bytes);

/* The frame on the wire whose TCP payload begins at offset (0 for all that is not cut). @return its length. */
uint32_t tx_packet_frame(const struct tx_packet *packet, uint32_t offset, uint8_t *bytes);

/* How many frames it is on the wire. */
uint32_t tx_packet_frames(const struct tx_packet *packet);

/* Whose frame is it? @return false: nobody's. */
bool tx_frame_find(const uint8_t *bytes, uint32_t len, uint32_t *number, uint32_t *offset);

#endif
