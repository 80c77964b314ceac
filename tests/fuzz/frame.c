/* SPDX-License-Identifier: BSD-3-Clause */

/* The parser alone, on memory that ends where the frame ends: nothing behind is read, and no offset points out of the frame. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softcx/steer/parse.h"

void
fuzz_open(void)
{
}

/* Tunnels and headers in rows: Ethernet, VLAN, IPv4 with options or IPv6 with extensions, UDP to VXLAN, GRE, IP in IP. */
static const uint8_t vxlan[] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x46, 0, 0, 100, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
	1, 1, 1, 1, 0, 9, 0x12, 0xb5, 0, 76, 0, 0, 8, 0, 0, 0, 0, 0, 5, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 40,
	0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2 };
static const uint8_t gre[] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 5, 0x81, 0, 0, 6, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 60, 0, 64,
	1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8,
	43, 0, 0, 0, 0, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 47, 0, 0, 1, 0, 0, 0, 0, 0x30, 0, 8, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0x45 };
static const uint8_t ipip[] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 48, 0, 0, 0, 0, 64, 4, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
	0x45, 0, 0, 28, 0, 0, 0x20, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 8, 0, 0 };

const uint8_t *
fuzz_sample(unsigned int index, size_t *size)
{
	static const struct {
		const uint8_t *data;
		size_t size;
	} samples[] = { { vxlan, sizeof(vxlan) }, { gre, sizeof(gre) }, { ipip, sizeof(ipip) } };

	if (index >= sizeof(samples) / sizeof(samples[0]))
		return NULL;
	*size = samples[index].size;
	return samples[index].data;
}

static void
check_at(uint16_t at, size_t size, const char *what)
{
	if (at == SC_ABSENT || at <= size)
		return;
	fprintf(stderr, "%s at %u of %zu bytes\n", what, at, size);
	abort();
}

static void
check_level(const struct sc_parse_level *level, size_t size)
{
	check_at(level->l2, size, "l2");
	check_at(level->l3, size, "l3");
	check_at(level->l4, size, "l4");
	check_at(level->extension, size, "extension");
	if (level->l3 != SC_ABSENT)
		check_at(level->l3_end, size, "l3_end");
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	struct sc_parse parse;

	if (size > 9216)
		return;
	sc_parse_frame(data, (uint32_t)size, &parse);
	check_level(&parse.outer, size);
	check_level(&parse.inner, size);
	check_at(parse.tunnel, size, "tunnel");
	sc_parse_verify(data, (uint32_t)size, &parse);
}
