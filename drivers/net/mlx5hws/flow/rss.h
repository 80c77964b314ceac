/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * RSS destinations. A TIR hashes packets of one shape (IPv4 or IPv6, TCP or UDP or neither); what rte_flow calls RSS names several.
 * Where one shape does, the destination is its TIR; otherwise it is a small table of ours that sorts packets by L3 and L4
 * type to one TIR each, and what has no shape to the first queue. A destination is one flow table id or TIR number, so one
 * STC, whatever is behind it.
 *
 * Destinations are shared by reference count, looked up by content. Control path, under the port's lock.
 */
#ifndef FLOW_RSS_H
#define FLOW_RSS_H

#include "hws/mlx5dr.h"

#include <rte_ethdev.h>
#include <rte_flow.h>

struct flow_port;

#define FLOW_RSS_KEY_BYTES 40
#define FLOW_RSS_MAX_QUEUES 1024

#define FLOW_RSS_IPV4 (RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_FRAG_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_OTHER)
#define FLOW_RSS_IPV6 (RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_FRAG_IPV6 | RTE_ETH_RSS_NONFRAG_IPV6_OTHER | RTE_ETH_RSS_IPV6_EX)
#define FLOW_RSS_IPV6_TCP (RTE_ETH_RSS_NONFRAG_IPV6_TCP | RTE_ETH_RSS_IPV6_TCP_EX)
#define FLOW_RSS_IPV6_UDP (RTE_ETH_RSS_NONFRAG_IPV6_UDP | RTE_ETH_RSS_IPV6_UDP_EX)
#define FLOW_RSS_ONLY \
	(RTE_ETH_RSS_L3_SRC_ONLY | RTE_ETH_RSS_L3_DST_ONLY | RTE_ETH_RSS_L4_SRC_ONLY | RTE_ETH_RSS_L4_DST_ONLY)
#define FLOW_RSS_TYPES \
	(FLOW_RSS_IPV4 | FLOW_RSS_IPV6 | RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_NONFRAG_IPV4_UDP | \
	 FLOW_RSS_IPV6_TCP | FLOW_RSS_IPV6_UDP | FLOW_RSS_ONLY)

/* rte_flow has no word for "do not hash at all"; the default rules of a port without RSS need one. */
#define FLOW_RSS_NO_HASH RTE_ETH_HASH_FUNCTION_MAX

/* The key where an action gives none: that of DPDK's mlx5, so hashes can be compared. */
extern const uint8_t flow_rss_default_key[FLOW_RSS_KEY_BYTES];

struct flow_rss {
	enum mlx5dr_action_type type; /* TIR or TABLE */
	uint32_t id;                  /* its number */
	/* the rest belongs to rss.c */
	struct flow_rss *next;
	uint32_t refs;
	struct mlx5dr_action *action;
	struct flow_rss_parts *parts;
	struct rte_flow_action_rss conf; /* queue and key point behind the structure */
};

/* conf has been checked (flow_rss_check); types 0 means all of IP. */
int flow_rss_get(struct flow_port *port, const struct rte_flow_action_rss *conf, struct flow_rss **rss);
void flow_rss_put(struct flow_port *port, struct flow_rss *rss);

/* Is it the destination of this conf? conf->queue is not NULL. */
bool flow_rss_matches(const struct flow_rss *rss, const struct rte_flow_action_rss *conf);

/* The STC shared by the templates and rules of this destination. */
int flow_rss_action(struct flow_port *port, struct flow_rss *rss, const struct mlx5dr_action **action);

#endif
