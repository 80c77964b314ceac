/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * All bursts, compiled once for each instruction set: RX_PATH is its name. One row each, all made from rx_burst.h; rx_table.c
 * chooses among them.
 */
#include "rx.h"
#include "rx_burst.h"

#ifndef RX_PATH
#define RX_PATH base
#endif

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define TEXT_OF(a) #a
#define TEXT(a) TEXT_OF(a)

#define OFFLOADS (RX_HASH | RX_CHECKSUM)

/* name, flags */
#define ROWS(ROW) \
	ROW(any, RX_ALL) \
	ROW(plain, 0) \
	ROW(hash, RX_HASH) \
	ROW(offloads, OFFLOADS) \
	ROW(offloads_stamp, OFFLOADS | RX_TIMESTAMP) \
	ROW(comp, RX_COMPRESSED) \
	ROW(comp_offloads, RX_COMPRESSED | OFFLOADS) \
	ROW(scatter, RX_SCATTER) \
	ROW(scatter_offloads, RX_SCATTER | OFFLOADS) \
	ROW(scatter_comp, RX_SCATTER | RX_COMPRESSED) \
	ROW(scatter_comp_offloads, RX_SCATTER | RX_COMPRESSED | OFFLOADS) \
	ROW(stride, RX_STRIDING) \
	ROW(stride_offloads, RX_STRIDING | OFFLOADS) \
	ROW(stride_comp_offloads, RX_STRIDING | RX_COMPRESSED | OFFLOADS) \
	ROW(stride_all_but_stamp, RX_STRIDING | RX_SCATTER | RX_COMPRESSED | OFFLOADS)

/* What a common burst executes is about 2 KB: it lies in one page, or nearly so. */
#ifdef RX_STEP
#define RX_ALIGNED __attribute__((aligned(2048)))
#else
#define RX_ALIGNED
#endif

#define BURST(name, flags) \
	static RX_ALIGNED uint16_t \
	burst_##name(void *rxq, struct rte_mbuf **pkts, uint16_t nb_pkts) \
	{ \
		return rx_burst(rxq, pkts, nb_pkts, flags); \
	}
ROWS(BURST)

static const struct mlx5hws_rx_burst bursts[] = {
#define ROW(name, flags) { burst_##name, flags },
	ROWS(ROW)
#undef ROW
};

const struct mlx5hws_rx_path JOIN(mlx5hws_rx_path_, RX_PATH) = {
	.name = TEXT(RX_PATH), .bursts = bursts, .nb_bursts = RTE_DIM(bursts),
};
