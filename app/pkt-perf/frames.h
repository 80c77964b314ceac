/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef PKT_PERF_FRAMES_H
#define PKT_PERF_FRAMES_H

#include <stdint.h>

#include <rte_mbuf.h>

/* What packets are sent: IPv4 with UDP, or TCP where it is to be cut. */
struct frames {
	uint32_t size, segments;
	uint64_t ask;            /* flags of an mbuf that asks for offloads */
	uint16_t tso;            /* MSS, 0: none */
	uint32_t header_bytes;
	uint8_t header[64];
};

struct options;

/* @return 0; -EINVAL with a line on stderr. */
int frames_prepare(struct frames *frames, const struct options *options);

/* nb packets, every byte of their headers written. @return 0, -ENOMEM: the pool is empty. */
int frames_make(const struct frames *frames, struct rte_mempool *pool, struct rte_mbuf **pkts, unsigned int nb);

#endif
