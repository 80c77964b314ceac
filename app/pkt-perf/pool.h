/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PKT_PERF_POOL_H
#define PKT_PERF_POOL_H

#include <stdbool.h>

#include <rte_mempool.h>

/*
 * Buffers that hold so many bytes of packet data, and headroom. They lie as in huge pages, one behind the other. In pages of 4 KB
 * rte_pktmbuf_pool_create begins each buffer of more than half a page in a page of its own: then the first lines of all share one
 * set of the first cache, and nearly every access misses it.
 *
 * alike: all of them lie at the same place between two multiples of 512 bytes, for then it does not matter to the bus which of them a
 * driver happens to have. @return NULL: rte_errno says why.
 */
struct rte_mempool *pool_make(const char *name, uint16_t bytes, bool alike);
void pool_free(struct rte_mempool *pool);

#endif
