/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the device would have moved over PCI Express, in all and for each queue. Counted under uar=trap
 * only; under uar=poll (timing) every function here is one test of a bool.
 *
 * The formula, with O = bus_overhead (24: 16 bytes of 4-dword header, 2 framing, 2 sequence, 4 LCRC),
 * completions having a header one dword shorter (O - 4):
 *	MMIO write of n bytes       1 packet down, n + O
 *	device write of n at a      one packet up for each piece between multiples of bus_mps (and of 4 KiB):
 *	                            n + O * pieces
 *	device read of n at a       one request up for each piece between multiples of bus_mrrs: O * pieces;
 *	                            answered by completions down, each up to bus_mps bytes and ending at a
 *	                            multiple of bus_rcb: n + (O - 4) * completions
 */
#ifndef SOFTCX_ACCOUNT_H
#define SOFTCX_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

enum sc_bus {
	SC_BUS_DOORBELL,   /* MMIO: UAR stores */
	SC_BUS_RECORD,     /* doorbell records read */
	SC_BUS_WQE,        /* work requests read */
	SC_BUS_DATA_READ,  /* packet bytes read, ASO sources */
	SC_BUS_DATA_WRITE, /* packet bytes written, counters written back */
	SC_BUS_CQE,        /* completions written */
	SC_BUS_KINDS
};

struct sc_bus_count {
	uint64_t operations, bytes;       /* as asked for */
	uint64_t packets_down, bytes_down; /* host to device, with overhead */
	uint64_t packets_up, bytes_up;
};

struct sc_account {
	bool on;
	uint32_t mps, mrrs, rcb, overhead;
	struct sc_bus_count kind[SC_BUS_KINDS];
	struct sc_bus_count *queue; /* SC_BUS_KINDS of the queue that is served now, which get the same; or NULL */
};

void sc_account_mmio_write(struct sc_account *a, enum sc_bus kind, uint64_t len);
void sc_account_dma_read(struct sc_account *a, enum sc_bus kind, uint64_t addr, uint64_t len);
void sc_account_dma_write(struct sc_account *a, enum sc_bus kind, uint64_t addr, uint64_t len);
/* A store of which the account has heard already, for the queue that it turned out to be for. */
void sc_account_queue_doorbell(const struct sc_account *a, struct sc_bus_count queue[SC_BUS_KINDS],
	uint64_t len);
const char *sc_bus_name(enum sc_bus kind);

static inline void
sc_account_read(struct sc_account *a, enum sc_bus kind, const void *addr, uint64_t len)
{
	if (__builtin_expect(a->on, 0))
		sc_account_dma_read(a, kind, (uintptr_t)addr, len);
}

static inline void
sc_account_write(struct sc_account *a, enum sc_bus kind, const void *addr, uint64_t len)
{
	if (__builtin_expect(a->on, 0))
		sc_account_dma_write(a, kind, (uintptr_t)addr, len);
}

static inline void
sc_account_doorbell(struct sc_account *a, uint64_t len)
{
	if (__builtin_expect(a->on, 0))
		sc_account_mmio_write(a, SC_BUS_DOORBELL, len);
}

#endif
