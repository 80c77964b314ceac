/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * gen: a built-in generator of IP packets over a number of flows. Every packet is whole: lengths and
 * checksums are right. The first eight payload bytes carry its number, big-endian, where they fit.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "prm/field.h"
#include "softcx/steer/checksum.h"
#include "softcx/wire/ops.h"

enum vary { VARY_SRC, VARY_DST, VARY_SPORT, VARY_DPORT, VARY_NB };

static const char *const vary_names[VARY_NB] = { "src", "dst", "sport", "dport" };

struct gen {
	struct sc_wire wire;
	uint64_t count, pps, size, flows, sport, dport;
	enum vary vary;
	bool ipv6, tcp;
	uint8_t frame[SC_FRAME_MAX]; /* flow 0, without checksums */
	uint32_t l4;
	uint64_t sent, next_ns;
	bool started;
};

static const struct sc_option gen_options[] = {
	{ "count", false }, { "pps", false }, { "size", false }, { "flows", false }, { "vary", false },
	{ "ip", false }, { "proto", false }, { "src", false }, { "dst", false }, { "sport", false },
	{ "dport", false }, { "drop", true }, { NULL, false },
};

static int
parse_choice(struct sc_options *o, const char *key, const char *const *names, uint32_t nb,
	const char *preset, uint32_t *choice)
{
	const char *text = sc_options_text(o, key, preset);
	char all[64] = "";

	for (*choice = 0; *choice < nb; (*choice)++) {
		if (strcmp(names[*choice], text) == 0)
			return 0;
		strcat(all, " ");
		strcat(all, names[*choice]);
	}
	return sc_options_refuse(o, "\"%s=%s\" of \"gen\" is none of:%s", key, text, all);
}

static int
parse_address(struct sc_options *o, const char *key, bool ipv6, const char *preset, uint8_t *to)
{
	const char *text = sc_options_text(o, key, preset);

	if (inet_pton(ipv6 ? AF_INET6 : AF_INET, text, to) == 1)
		return 0;
	return sc_options_refuse(o, "\"%s=%s\" of \"gen\" is no IPv%d address", key, text, ipv6 ? 6 : 4);
}

static int
build_ip(struct gen *g, struct sc_options *o)
{
	uint8_t *ip = g->frame + 14;
	uint32_t bytes = (uint32_t)g->size - 14;

	sc_store16(g->frame + 12, g->ipv6 ? 0x86dd : 0x0800);
	if (g->ipv6) {
		ip[0] = 0x60;
		sc_store16(ip + 4, (uint16_t)(bytes - 40));
		ip[6] = g->tcp ? 6 : 17;
		ip[7] = 64;
	} else {
		ip[0] = 0x45;
		sc_store16(ip + 2, (uint16_t)bytes);
		ip[8] = 64;
		ip[9] = g->tcp ? 6 : 17;
	}
	if (parse_address(o, "src", g->ipv6, g->ipv6 ? "fd00::1:0" : "10.0.0.0", ip + (g->ipv6 ? 8 : 12)))
		return -EINVAL;
	return parse_address(o, "dst", g->ipv6, g->ipv6 ? "fd00::2:0" : "10.1.0.0", ip + (g->ipv6 ? 24 : 16));
}

static void
build_l4(struct gen *g)
{
	uint8_t *l4 = g->frame + g->l4;

	sc_store16(l4, (uint16_t)g->sport);
	sc_store16(l4 + 2, (uint16_t)g->dport);
	if (g->tcp) {
		l4[12] = 5 << 4;
		l4[13] = 0x10; /* ACK */
		sc_store16(l4 + 14, 0xffff);
	} else {
		sc_store16(l4 + 4, (uint16_t)(g->size - g->l4));
	}
}

static int
gen_parse(struct sc_wire *wire, struct sc_options *o)
{
	static const char *const versions[] = { "4", "6" }, *const protocols[] = { "udp", "tcp" };
	static const uint8_t source[6] = { 0x02, 0, 0, 0, 0, 0x01 };
	struct gen *g = (struct gen *)wire;
	uint32_t vary, version, protocol;

	g->size = 64;
	g->flows = 1;
	g->sport = 1024;
	g->dport = 2048;
	if (parse_choice(o, "ip", versions, 2, "4", &version) != 0 ||
		parse_choice(o, "proto", protocols, 2, "udp", &protocol) != 0 ||
		parse_choice(o, "vary", vary_names, VARY_NB, "src", &vary) != 0)
		return -EINVAL;
	g->ipv6 = version;
	g->tcp = protocol;
	g->vary = (enum vary)vary;
	g->l4 = 14 + (g->ipv6 ? 40 : 20);
	if (sc_options_number(o, "count", 0, UINT64_MAX, &g->count) != 0 ||
		sc_options_number(o, "pps", 1, 1000000000, &g->pps) != 0 ||
		sc_options_number(o, "flows", 1, UINT32_MAX, &g->flows) != 0 ||
		sc_options_number(o, "sport", 0, UINT16_MAX, &g->sport) != 0 ||
		sc_options_number(o, "dport", 0, UINT16_MAX, &g->dport) != 0 ||
		sc_options_number(o, "size", 60, 9000, &g->size) != 0)
		return -EINVAL;
	if (g->size < g->l4 + (g->tcp ? 20 : 8))
		return sc_options_refuse(o, "\"size=%llu\" of \"gen\" does not hold the headers (%u bytes)",
			(unsigned long long)g->size, g->l4 + (g->tcp ? 20 : 8));
	if (wire->dev != NULL)
		memcpy(g->frame, wire->dev->mac, 6);
	memcpy(g->frame + 6, source, 6);
	build_l4(g);
	return build_ip(g, o);
}

/* The field that tells flows apart, for flow number n: the template's value plus n. */
static void
set_flow(const struct gen *g, uint8_t *frame, uint32_t n)
{
	/* The low 32 bits of the source address; the destination follows the whole of it. */
	uint8_t *address = frame + 14 + (g->ipv6 ? 20 : 12), *port = frame + g->l4;

	if (g->vary == VARY_DST)
		address += g->ipv6 ? 16 : 4;
	if (g->vary == VARY_DPORT)
		port += 2;
	if (g->vary == VARY_SRC || g->vary == VARY_DST)
		prm_store32(address, prm_load32(address) + n);
	else
		sc_store16(port, (uint16_t)(sc_load16(port) + n));
}

static void
set_checksums(const struct gen *g, uint8_t *frame)
{
	uint8_t *ip = frame + 14, *l4 = frame + g->l4, *field = l4 + (g->tcp ? 16 : 6);
	uint32_t len = (uint32_t)g->size - g->l4;
	uint16_t sum;

	if (!g->ipv6)
		sc_store16(ip + 10, (uint16_t)~sc_sum_fold(sc_sum_add(0, ip, 20)));
	sum = (uint16_t)~sc_sum_fold(sc_sum_add(sc_sum_pseudo(ip, g->ipv6, g->tcp ? 6 : 17, len), l4, len));
	sc_store16(field, sum == 0 && !g->tcp ? 0xffff : sum);
}

static void
next_packet(struct gen *g, uint8_t *frame)
{
	uint32_t payload = g->l4 + (g->tcp ? 20 : 8);
	uint64_t number = htobe64(g->sent);

	memcpy(frame, g->frame, g->size);
	set_flow(g, frame, (uint32_t)(g->sent % g->flows));
	if (payload + sizeof(number) <= g->size)
		memcpy(frame + payload, &number, sizeof(number));
	set_checksums(g, frame);
	g->sent++;
}

static bool
is_time(struct gen *g)
{
	uint64_t now = sc_nic_now(g->wire.dev);

	if (g->pps == 0)
		return true;
	if (now < g->next_ns)
		return false;
	g->next_ns = (g->next_ns == 0 ? now : g->next_ns) + 1000000000 / g->pps;
	return true;
}

static bool
gen_done(const struct sc_wire *wire)
{
	const struct gen *g = (const struct gen *)wire;

	return g->count != 0 && g->sent == g->count;
}

static uint32_t
gen_poll(struct sc_wire *wire, uint32_t max)
{
	struct gen *g = (struct gen *)wire;
	uint8_t frame[SC_FRAME_MAX];
	uint32_t done = 0;

	if (!g->started)
		g->started = sc_nic_listens(wire->dev);
	while (g->started && done < max && !gen_done(wire) && !sc_nic_holds(wire->dev) &&
		sc_wire_may_receive(wire) && is_time(g)) {
		next_packet(g, frame);
		sc_wire_input(wire, frame, (uint32_t)g->size, sc_nic_now(wire->dev));
		done++;
	}
	return done;
}

static uint32_t
gen_sleep_us(const struct sc_wire *wire)
{
	const struct gen *g = (const struct gen *)wire;

	if (gen_done(wire))
		return UINT32_MAX;
	if (!g->started)
		return 1000;
	return g->pps != 0 ? 50 : 0;
}

const struct sc_wire_ops sc_wire_gen = {
	.kind = "gen",
	.options = gen_options,
	.size = sizeof(struct gen),
	.parse = gen_parse,
	.poll = gen_poll,
	.sleep_us = gen_sleep_us,
	.done = gen_done,
};
