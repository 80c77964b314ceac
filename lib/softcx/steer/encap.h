/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the device completes in a header that was inserted as encapsulation (hws.md 8.6): lengths, the IPv4
 * header checksum, and the UDP source port where the application left it 0 (entropy of the packet
 * inside, 8.13).
 */
#ifndef SOFTCX_ENCAP_H
#define SOFTCX_ENCAP_H

#include <stdint.h>

#include "softcx/core/packet.h"
#include "softcx/steer/parse.h"

/* Destination and source address, protocol, destination and source port: what the entropy is made of. */
struct sc_flow_key {
	uint8_t bytes[37];
};

void sc_flow_key_take(struct sc_flow_key *key, const struct sc_packet *pkt, const struct sc_parse *parse);
uint16_t sc_flow_key_crc(const struct sc_flow_key *key);

/* The first len bytes of pkt are a new header around a frame whose key is given. */
void sc_encap_finish(struct sc_packet *pkt, uint32_t len, const struct sc_flow_key *key);

#endif
