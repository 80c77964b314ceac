/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The rte_flow edge of one port, as the ethdev driver sees it.
 *
 * The port opens it at probe and closes it last before its device. Everything else that an application asks of it comes
 * through flow_ops(); nothing of rte_flow goes further down than this folder.
 *
 * How the ops find their port: dev->process_private, one load from what rte_flow passes them.
 *
 * Threads: the control calls (all of this header and all ops but the queue ones) are serialised by the flow engine's own
 * lock; an asynchronous queue belongs to the one thread that uses it, as rte_flow says.
 *
 * Errors: 0 or -errno.
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_ether.h>

struct rte_eth_dev;
struct rte_flow_ops;
struct hca_device;
struct hca_rss_pool;
struct flow_port;

/* What does not change while the port is open. The pointers stay valid until flow_port_close. */
struct flow_port_attr {
	struct rte_eth_dev *dev;
	struct hca_device *hca;
	struct hca_rss_pool *rss;	/* receive contexts: TIRs and RQTs over the port's queues */
	uint32_t counter_refresh_ms;	/* devarg svc_cycle_time; 0: 500 ms */
	int service_core;		/* CPU of the thread that reads counters; -1: no thread */
	bool reclaim_memory;		/* what tables leave in the C library's heap goes back to the system */
};

/*
 * Opens the engine: reads capabilities, makes the tables of group 0, their root rules and the steering anchor. No rule
 * takes packets yet. What the device cannot do is logged here once (no anchor: "unmatched traffic will not reach the
 * kernel"); a device without hardware steering opens and refuses tables by name.
 */
int flow_port_open(const struct flow_port_attr *attr, struct flow_port **port);

/* Frees all, whatever the application left behind. Results not pulled are dropped with their queues. */
void flow_port_close(struct flow_port *port);

/*
 * What reaches the port's queues when no rule of the application takes it. Arrays are copied.
 *
 * Unicast: each address of mac (the zero address is skipped); broadcast always; multicast: each of multicast, all of it with
 * allmulticast; everything with promiscuous. With vlan_filter only untagged frames and those of vlan pass. All of it goes
 * to queue[] by RSS: types are RTE_ETH_RSS_* (0: no hashing, all to queue[0]), key_len 40.
 */
struct flow_defaults {
	const struct rte_ether_addr *mac;
	uint32_t nb_mac;
	const struct rte_ether_addr *multicast;
	uint32_t nb_multicast;
	bool promiscuous;
	bool allmulticast;
	bool vlan_filter;
	const uint16_t *vlan;		/* VLAN ids, host order */
	uint32_t nb_vlan;
	const uint16_t *queue;		/* the redirection table */
	uint32_t nb_queue;		/* 0: there are no default rules */
	uint64_t rss_types;
	const uint8_t *rss_key;
	uint32_t rss_key_len;
};

/*
 * Start: the queues exist and receive. Installs the default rules (none in isolated mode).
 * Stop: removes default rules and flushes the application's rules; templates, tables and indirect actions stay. Call it before
 * the receive queues go. Operations in flight are finished first, their results wait for pull.
 */
int flow_port_start(struct flow_port *port, const struct flow_defaults *defaults);
void flow_port_stop(struct flow_port *port);

/* The port has another number of receive queues than before (it is stopped): rules may name those, and no others. */
int flow_queues_changed(struct flow_port *port);

/*
 * A MAC, VLAN, promiscuous or RSS setting changed on a started port: installs what is new, then removes what is gone, so no
 * wanted packet falls between. On failure the old rules stay. Does nothing (0) on a stopped or an isolated port.
 */
int flow_default_update(struct flow_port *port, const struct flow_defaults *defaults);

/* True after rte_flow_isolate(port, 1): the driver leaves promiscuous, MAC filter... of the netdev alone then. */
bool flow_port_is_isolated(const struct flow_port *port);

/* The ops to hand out from eth_dev_ops.flow_ops_get; inline, for 22.11's API asks before every operation. */
extern const struct rte_flow_ops flow_ops_table;

/* Of a new device: its own table of what is called per operation, where the API has one (from 24.03 on). */
void flow_ops_attach(struct rte_eth_dev *dev);

static inline const struct rte_flow_ops *
flow_ops(void)
{
	return &flow_ops_table;
}

/*
 * The flow tag of a receive CQE and the mark of rte_flow. A device keeps 24 bits; the low byte comes first in the CQE (byte
 * 0x39), so that mlx5 drivers can exchange marks. 0: no mark. All ones: flagged, without an id.
 */
#define FLOW_MARK_MAX 0xffffefu
#define FLOW_TAG_FLAG 0xffffffu

/* mark id -> the 24 bits that the tag action carries. */
static inline uint32_t
flow_mark_to_tag(uint32_t id)
{
	return rte_bswap32(id + 1) >> 8;
}

/* Low 24 bits of the CQE's dword 0x38 (host order) -> mark id + 1; 0: none; FLOW_TAG_FLAG: flag only. */
static inline uint32_t
flow_tag_to_mark1(uint32_t tag)
{
	return rte_bswap32(tag) >> 8;
}

#endif
