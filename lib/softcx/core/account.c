/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/account.h"

#define PAGE 4096

static const char *const names[SC_BUS_KINDS] = {
	[SC_BUS_DOORBELL] = "doorbell", [SC_BUS_RECORD] = "record", [SC_BUS_WQE] = "wqe",
	[SC_BUS_DATA_READ] = "data read", [SC_BUS_DATA_WRITE] = "data write", [SC_BUS_CQE] = "cqe",
};

const char *
sc_bus_name(enum sc_bus kind)
{
	return kind < SC_BUS_KINDS ? names[kind] : "unknown";
}

/* Into how many pieces the multiples of unit cut addr .. addr + len - 1. */
static uint64_t
pieces(uint64_t addr, uint64_t len, uint64_t unit)
{
	return len == 0 ? 0 : (addr + len - 1) / unit - addr / unit + 1;
}

void
sc_account_mmio_write(struct sc_account *a, enum sc_bus kind, uint64_t len)
{
	struct sc_bus_count *c = &a->kind[kind];

	c->operations++;
	c->bytes += len;
	c->packets_down++;
	c->bytes_down += len + a->overhead;
}

void
sc_account_dma_write(struct sc_account *a, enum sc_bus kind, uint64_t addr, uint64_t len)
{
	struct sc_bus_count *c = &a->kind[kind];
	/* mps and mrrs are powers of two up to a page, so their multiples include the page's */
	uint64_t packets = pieces(addr, len, a->mps < PAGE ? a->mps : PAGE);

	c->operations++;
	c->bytes += len;
	c->packets_up += packets;
	c->bytes_up += len + packets * a->overhead;
}

/*
 * Completions of one request: each carries up to mps bytes and ends at a multiple of rcb, but for the last.
 */
static uint64_t
completions(const struct sc_account *a, uint64_t addr, uint64_t len)
{
	uint64_t end = addr + len, n = 0, next;

	while (addr < end) {
		next = (addr + a->mps) / a->rcb * a->rcb;
		if (next <= addr)
			next = addr + a->mps;
		addr = next;
		n++;
	}
	return n;
}

void
sc_account_dma_read(struct sc_account *a, enum sc_bus kind, uint64_t addr, uint64_t len)
{
	struct sc_bus_count *c = &a->kind[kind];
	uint64_t unit = a->mrrs < PAGE ? a->mrrs : PAGE, end = addr + len, next;

	c->operations++;
	c->bytes += len;
	while (addr < end) {
		uint64_t n;

		next = (addr / unit + 1) * unit;
		if (next > end)
			next = end;
		n = completions(a, addr, next - addr);
		c->packets_up++;
		c->bytes_up += a->overhead;
		c->packets_down += n;
		c->bytes_down += next - addr + n * (a->overhead - 4);
		addr = next;
	}
}
