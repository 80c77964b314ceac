/* SPDX-License-Identifier: BSD-3-Clause */

/* The header bytes of a tunnel that is given as pattern items. */
#ifndef FLOW_ENCAP_H
#define FLOW_ENCAP_H

#include <stdint.h>

#include <rte_flow.h>

#define FLOW_MAX_ENCAP_BYTES 132

/*
 * ETH, [VLAN], IPV4 or IPV6, UDP, VXLAN; specs are the header fields, taken as they are, but for those that an encapsulation
 * cannot leave open: types and protocols that point to the next header, IP version, header length and TTL, the VXLAN
 * port and flag are filled where they are zero. Lengths and checksums are the device's.
 *
 * header: FLOW_MAX_ENCAP_BYTES. @return number of bytes, or -errno with error filled (cause is in `action`).
 */
int flow_encap_build(const struct rte_flow_action *action, const struct rte_flow_item items[], uint8_t *header,
	struct rte_flow_error *error);

#endif
