/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/account.h"

#include <stddef.h>

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

static void
add(struct sc_bus_count *to, const struct sc_bus_count *c)
{
	to->operations += c->operations;
	to->bytes += c->bytes;
	to->packets_down += c->packets_down;
	to->bytes_down += c->bytes_down;
	to->packets_up += c->packets_up;
	to->bytes_up += c->bytes_up;
}

static void
count(struct sc_account *a, enum sc_bus kind, const struct sc_bus_count *c)
{
	add(&a->kind[kind], c);
	if (a->queue != NULL)
		add(&a->queue[kind], c);
}

static struct sc_bus_count
store(const struct sc_account *a, uint64_t len)
{
	return (struct sc_bus_count){
		.operations = 1, .bytes = len, .packets_down = 1, .bytes_down = len + a->overhead,
	};
}

void
sc_account_mmio_write(struct sc_account *a, enum sc_bus kind, uint64_t len)
{
	struct sc_bus_count c = store(a, len);

	count(a, kind, &c);
}

void
sc_account_queue_doorbell(const struct sc_account *a, struct sc_bus_count queue[SC_BUS_KINDS], uint64_t len)
{
	struct sc_bus_count c = store(a, len);

	if (a->on)
		add(&queue[SC_BUS_DOORBELL], &c);
}

void
sc_account_dma_write(struct sc_account *a, enum sc_bus kind, uint64_t addr, uint64_t len)
{
	/* mps and mrrs are powers of two up to a page, so their multiples include the page's */
	uint64_t packets = pieces(addr, len, a->mps < PAGE ? a->mps : PAGE);
	struct sc_bus_count c = {
		.operations = 1, .bytes = len, .packets_up = packets, .bytes_up = len + packets * a->overhead,
	};

	count(a, kind, &c);
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
	struct sc_bus_count c = { .operations = 1, .bytes = len };
	uint64_t unit = a->mrrs < PAGE ? a->mrrs : PAGE, end = addr + len, next;

	while (addr < end) {
		uint64_t n;

		next = (addr / unit + 1) * unit;
		if (next > end)
			next = end;
		n = completions(a, addr, next - addr);
		c.packets_up++;
		c.bytes_up += a->overhead;
		c.packets_down += n;
		c.bytes_down += next - addr + n * (a->overhead - 4);
		addr = next;
	}
	count(a, kind, &c);
}
