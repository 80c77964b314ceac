/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The packets of tx_frames.h as an application holds them: buffers cut at random places, from one pool or two, some of them
 * clones; and what must be known of them when they come back.
 */
#ifndef TX_MBUFS_H
#define TX_MBUFS_H

#include <rte_mbuf.h>

#include "tx_frames.h"

struct tx_source {
	struct rte_mempool *pools[2]; /* [1] NULL: all from one */
	struct rte_mempool *clones;
	uint64_t *random;             /* state of random_below */
	bool clone;                   /* some of them clones, in every other 512 packets */
	bool chain;                   /* some of several segments where the mix has none */
	uint32_t head;                /* least bytes of a first segment */
};

/* A number below limit; state is the seed at first. */
uint32_t random_below(uint64_t *state, uint32_t limit);

/* @return the packet, ready to be sent; NULL: no buffer left. */
struct rte_mbuf *tx_mbufs_make(const struct tx_source *source, const struct tx_mix *mix, uint32_t number);

/*
 * A frame that came, with its tag (stripped: without the one that it had), compared with what must be on the wire.
 * packet, offset: whose it is, and where in its payload it begins. frame (or NULL): what must be there, until the next call.
 * @return its bytes of payload, or -1 with a line in error.
 */
int tx_mbufs_compare(const struct tx_mix *mix, uint32_t packets, const struct rte_mbuf *m, bool stripped, struct tx_packet *packet,
		     uint32_t *offset, const uint8_t **frame, char *error, size_t size);

#endif
