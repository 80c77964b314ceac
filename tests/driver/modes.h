/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The ways in which a port receives and sends, as rows: what to give the device and the port to get them. The arguments are
 * those of DPDK's mlx5, which has the same ways.
 */
#ifndef TESTS_DRIVER_MODES_H
#define TESTS_DRIVER_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rx_mode {
	const char *name, *devargs;
	uint64_t offloads; /* RTE_ETH_RX_OFFLOAD_... */
	uint16_t mtu, nb_desc;
	bool no_hash;      /* packets of a compressed session have none */
	const char *words; /* in our burst mode */
	bool ours;         /* DPDK's mlx5 22.11 has it not */
	bool mlx5_no_types; /* DPDK's mlx5 reads types, checksums and tags from the wrong byte: tests/functional/harness/peer.py */
};

struct tx_mode {
	const char *name, *devargs;
	bool inlined;
	const char *words; /* our burst mode begins with them */
};

extern const struct rx_mode rx_modes[];
extern const size_t nb_rx_modes;
extern const struct tx_mode tx_modes[];
extern const size_t nb_tx_modes;

/* One that is there. */
const struct rx_mode *rx_mode_named(const char *name);

#endif
