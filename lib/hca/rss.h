/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Receive contexts that port and flow share: a TIR over an RQT, by reference count. Asking twice for the
 * same queues and hash gives the same object. A queue action is a TIR over a one-entry RQT, never over an
 * RQ, so that queues can be stopped, started and made anew while rules keep pointing at the TIR: each RQT
 * entry names a queue index, and the pool rewrites the RQTs when the RQ behind an index changes. An index
 * without a queue is served by the pool's drop queue.
 *
 * Threads: the pool has a lock; all calls may come from any thread. Control path.
 */
#ifndef HCA_RSS_H
#define HCA_RSS_H

#include "hca/cmd_rx.h"

struct hca_rss_pool;

struct hca_rss_attr {
	const uint16_t *queues; /* indices, in table order; repeated where they are no power of two */
	uint32_t nb_queues;
	struct hca_hash hash;   /* fields 0: no hash, all packets to entry 0 */
};

struct hca_rss {
	struct hca_obj *tir;    /* destination of STCs and root rules */
	/* the rest belongs to rss.c */
	struct hca_rss *next;
	struct hca_rss_pool *pool;
	struct hca_rqt *rqt;
	struct hca_hash hash;
	uint32_t refs;
};

/* Queue indices are 0 .. max_queues - 1; all start as dropping. */
int hca_rss_pool_create(struct hca_device *dev, uint16_t max_queues, struct hca_rss_pool **pool);
/* Every hca_rss must have been put back. */
void hca_rss_pool_destroy(struct hca_rss_pool *pool);

/* Number of the queue that drops, for tests and dumps. */
uint32_t hca_rss_pool_drop_rqn(const struct hca_rss_pool *pool);

/*
 * The RQ of an index from now on; 0: none, packets are dropped. -errno: some RQT still points at the old
 * one.
 */
int hca_rss_pool_set_queue(struct hca_rss_pool *pool, uint16_t queue, uint32_t rqn);

/*
 * May frames that this device sent reach its own TIRs? Applies to all, also those made later. Off at
 * first.
 */
int hca_rss_pool_set_self_loopback(struct hca_rss_pool *pool, bool allow);

/* @return 0; -EINVAL for an empty list, an index out of range or more than the device's largest table. */
int hca_rss_get(struct hca_rss_pool *pool, const struct hca_rss_attr *attr, struct hca_rss **rss);
/* No rule or STC may name the TIR any more when the last reference goes. NULL is allowed. */
void hca_rss_put(struct hca_rss *rss);

#endif
