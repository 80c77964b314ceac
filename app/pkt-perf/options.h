/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PKT_PERF_OPTIONS_H
#define PKT_PERF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
	uint16_t port;
	char loop[16];          /* loops.h */
	uint16_t size;          /* of a packet in memory, without FCS */
	uint16_t segments;
	uint16_t burst;
	uint32_t bursts;
	uint16_t rx_desc, tx_desc;
	uint16_t mtu;
	uint16_t tx_queues;     /* only the first is used; drivers choose inlining by their number */
	uint16_t buffer;        /* bytes of packet data that a buffer of the pool holds */
	bool alike;             /* all buffers at the same place between two multiples of 512 bytes */
	bool mark;              /* a rule marks what is received */
	uint16_t tso;           /* MSS; 0: not asked for */
	char rx_offloads[128];  /* names of port.c, joined by commas */
	char tx_offloads[128];
	char ask[64];           /* what each packet asks for: checksum, vlan */
	uint16_t wqe_bytes;     /* floor: written per packet */
	bool copy;              /* floor: the packet is copied into them */
	bool stepped;
	bool json;
	bool serve;
};

/*
 * Parse what stands after EAL's "--". Wrong words are named on stderr.
 * @return 0; 1 when there is nothing more to do (--help); -EINVAL.
 */
int options_parse(struct options *options, int argc, char **argv);

#endif
