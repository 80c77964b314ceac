/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a driver tells of a packet beside its bytes, and what it must tell of a frame: computed from the frame's bytes by DPDK's
 * own software (Toeplitz, checksums) and from the kind of packet, not from any driver.
 */
#ifndef TESTS_DRIVER_SEEN_H
#define TESTS_DRIVER_SEEN_H

#include <rte_mbuf.h>

#include "tx_frames.h"

#define SEEN_KEY_BYTES 40

struct seen {
	uint64_t flags; /* of SEEN_FLAGS */
	uint32_t types, hash;
	uint16_t tci;
};

#define SEEN_FLAGS \
	(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_FDIR | \
	 RTE_MBUF_F_RX_FDIR_ID | RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK | RTE_MBUF_F_RX_LRO)

/*
 * Of packets in a compressed session some formats have no hash: ours tells none then. DPDK's mlx5 tells the one of another
 * packet, and 0 for those that the device did not hash.
 */
enum seen_hash { SEEN_HASH, SEEN_HASH_OR_NONE, SEEN_HASH_OR_ANY };

#define SEEN_CHECKSUMS (RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK)
#define SEEN_TAGS (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED)

/* What the receiving port was told to do; RSS is by addresses and ports. */
struct seen_how {
	bool checksum; /* else they may be told, for they cost little, and must be right then */
	bool strip;
	enum seen_hash hash;
	bool zero_hash; /* for packets without one */
	bool no_types;  /* packet types, checksums and whether a tag was there are not looked at */
	uint8_t key[SEEN_KEY_BYTES] __rte_aligned(sizeof(uint32_t)); /* rte_softrss reads it so */
};

/* Of a packet's frame, with its tag unless it is to be stripped. */
void seen_expect(const struct tx_packet *packet, const uint8_t *frame, const struct seen_how *how, struct seen *seen);

void seen_of(const struct rte_mbuf *m, struct seen *seen);

/* @return do they agree? If not, a line in error. */
bool seen_agree(const struct seen *seen, const struct seen *wanted, const struct seen_how *how, char *error, size_t size);

#endif
