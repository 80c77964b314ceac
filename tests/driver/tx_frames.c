/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_frames.h"

#include <string.h>

#define ETH 14
#define RUBBISH 0xdeadu
#define NB_ALIKE 200 /* packets that ask for the same */
#define SHORT 268    /* as long as packets that are copied into sessions, unless told otherwise */

static uint64_t
mixed(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The next random number below limit of a packet's own row of them. */
static uint32_t
draw(uint64_t *state, uint32_t limit)
{
	*state += 0x9e3779b97f4a7c15u;
	return (uint32_t)(mixed(*state) >> 33) % limit;
}

static void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static void
put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

static uint32_t
get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static bool
is_tcp(enum tx_kind kind)
{
	return kind == TX_TCP4 || kind == TX_TCP6 || kind == TX_VXLAN_TCP;
}

static bool
is_ipv6(enum tx_kind kind)
{
	return kind == TX_UDP6 || kind == TX_TCP6;
}

static void
place_headers(struct tx_packet *p)
{
	uint32_t at = ETH;

	if (p->kind == TX_RAW) {
		p->payload = ETH + 4;
		return;
	}
	if (p->kind >= TX_VXLAN_UDP) {
		p->outer_l3 = ETH;
		p->outer_l4 = ETH + 20;
		at = ETH + 20 + 8 + 8 + ETH;
	}
	p->l3 = (uint16_t)at;
	p->l4 = (uint16_t)(at + (is_ipv6(p->kind) ? 40 : 20));
	p->payload = (uint16_t)(p->l4 + (is_tcp(p->kind) ? 20 : 8));
}

/* What its neighbours are too: by turns so many packets on end with checksums, and without. */
static void
make_alike(const struct tx_mix *mix, uint64_t *state, struct tx_packet *p)
{
	p->kind = TX_UDP4;
	p->outer_l3 = p->outer_l4 = 0;
	place_headers(p);
	p->checksum = mix->checksum && p->number / NB_ALIKE % 2 != 0;
	p->vlan = p->mss = 0;
	p->segments = 1;
	p->len = 60 + draw(state, SHORT - 60 + 1);
}

/* But for one thing. */
static void
make_nearly_alike(const struct tx_mix *mix, uint64_t *state, struct tx_packet *p)
{
	make_alike(mix, state, p);
	switch (draw(state, 4)) {
	case 0:
		p->vlan = mix->vlan ? (uint16_t)(1 + draw(state, 4094)) : 0;
		break;
	case 1:
		p->checksum = mix->checksum && !p->checksum;
		break;
	case 2:
		p->segments = mix->segments ? (uint8_t)(2 + draw(state, 3)) : 1;
		break;
	default:
		p->len = SHORT + 1 + draw(state, 1000);
	}
}

void
tx_packet_describe(const struct tx_mix *mix, uint32_t number, struct tx_packet *p)
{
	uint64_t state = mixed(mix->seed ^ mixed(number));
	uint32_t least, most;

	memset(p, 0, sizeof(*p));
	p->number = number;
	p->kind = draw(&state, mix->tunnel ? TX_KINDS : TX_VXLAN_UDP);
	place_headers(p);
	p->checksum = p->kind != TX_RAW && mix->checksum && draw(&state, 3) != 0;
	p->vlan = mix->vlan && draw(&state, 4) == 0 ? (uint16_t)(1 + draw(&state, 4094)) : 0;
	p->mss = mix->tso && is_tcp(p->kind) && draw(&state, 3) == 0 ? (uint16_t)(200 + draw(&state, 1200)) : 0;
	p->checksum |= p->mss != 0;
	least = p->kind == TX_RAW ? 18 : p->payload > 60 ? p->payload + 1u : 60;
	if (least < mix->shortest)
		least = mix->shortest;
	most = p->mss != 0 ? 30000 : mix->longest;
	/* Most traffic is short, and what is inlined ends at a few hundred bytes. */
	if (draw(&state, 2) == 0 && most > 400)
		most = 400;
	p->len = least + draw(&state, most - least + 1);
	p->segments = mix->segments && draw(&state, 2) == 0 ? (uint8_t)(1 + draw(&state, TX_SEGMENTS_MAX)) : 1;
	if (mix->alike == 0)
		return;
	if (draw(&state, mix->alike) != 0)
		make_alike(mix, &state, p);
	else if (draw(&state, 3) != 0)
		make_nearly_alike(mix, &state, p);
}

/* One's complement sum of big-endian words. */
static uint32_t
sum(uint32_t start, const uint8_t *at, uint32_t len)
{
	uint64_t total = start;

	for (uint32_t i = 0; i + 1 < len; i += 2)
		total += get16(at + i);
	if (len % 2 != 0)
		total += (uint32_t)at[len - 1] << 8;
	while (total >> 16 != 0)
		total = (total & 0xffff) + (total >> 16);
	return (uint32_t)total;
}

static void
write_ipv4(uint8_t *at, uint32_t bytes, uint32_t id, uint8_t protocol, bool fill, bool good)
{
	static const uint8_t fixed[20] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	memcpy(at, fixed, sizeof(fixed));
	put16(at + 2, bytes);
	put16(at + 4, id);
	at[9] = protocol;
	put16(at + 10, fill ? RUBBISH : 0);
	if (good) {
		put16(at + 10, 0);
		put16(at + 10, ~sum(0, at, 20) & 0xffff);
	}
}

static void
write_ipv6(uint8_t *at, uint32_t payload, uint8_t protocol)
{
	memset(at, 0, 40);
	at[0] = 0x60;
	put16(at + 4, payload);
	at[6] = protocol;
	at[7] = 64;
	at[8] = at[24] = 0xfd;
	at[23] = 1;
	at[39] = 2;
}

/* Sum of the pseudo header of what stands at l3. */
static uint32_t
pseudo(const uint8_t *l3, bool ipv6, uint8_t protocol, uint32_t len)
{
	return sum(protocol + len, l3 + (ipv6 ? 8 : 12), ipv6 ? 32 : 8);
}

/*
 * Headers for payload bytes of this frame at offset. wire: as the device must have made them, else as the application
 * leaves them.
 */
static void
write_headers(const struct tx_packet *p, uint8_t *f, uint32_t payload, uint32_t offset, bool last, bool wire)
{
	const bool tcp = is_tcp(p->kind), v6 = is_ipv6(p->kind), fill = p->checksum && !wire, good = p->checksum && wire;
	const uint32_t l4_bytes = (uint32_t)(p->payload - p->l4) + payload, index = p->mss != 0 ? offset / p->mss : 0;
	const uint8_t protocol = tcp ? 6 : 17;
	uint8_t *l4 = f + p->l4, *check = l4 + (tcp ? 16 : 6);

	memcpy(f, "\2\0\0\0\0\11\2\0\0\0\0\1", 12);
	put16(f + 12, p->kind == TX_RAW ? 0x88b5 : v6 ? 0x86dd : 0x0800);
	if (p->kind == TX_RAW) {
		put32(f + ETH, p->number);
		return;
	}
	if (p->outer_l3 != 0) {
		write_ipv4(f + p->outer_l3, p->payload + payload - p->outer_l3, (p->number + index) & 0xffff, 17, fill, good);
		put16(f + p->outer_l4, 49152);
		put16(f + p->outer_l4 + 2, 4789);
		put16(f + p->outer_l4 + 4, p->payload + payload - p->outer_l4);
		put16(f + p->outer_l4 + 6, 0);
		memcpy(f + p->outer_l4 + 8, "\10\0\0\0\0\0\7\0" "\2\0\0\0\1\1\2\0\0\0\1\2\10\0", 8 + ETH);
	}
	if (v6)
		write_ipv6(f + p->l3, l4_bytes, protocol);
	else
		write_ipv4(f + p->l3, p->payload - p->l3 + payload, (p->number * 3 + index) & 0xffff, protocol, fill, good);
	/* Its lower half as the source port: as the destination it would now and then be that of a tunnel. */
	put16(l4, p->number & 0xffff);
	put16(l4 + 2, p->number >> 16);
	if (tcp) {
		put32(l4 + 4, offset);
		put32(l4 + 8, 0);
		/* CWR on the first, PSH and FIN on the last */
		put16(l4 + 12, 0x5010 | (p->mss != 0 ? (offset == 0 ? 0x80 : 0) | (last ? 0x09 : 0) : 0));
		put32(l4 + 14, 0x2000u << 16);
		put16(l4 + 18, 0);
	} else {
		put16(l4 + 4, l4_bytes);
	}
	put16(check, fill ? RUBBISH : p->checksum ? 0 : 0x1234);
	if (good) {
		uint32_t value = ~sum(pseudo(f + p->l3, v6, protocol, l4_bytes), l4, l4_bytes) & 0xffff;

		put16(check, !tcp && value == 0 ? 0xffff : value);
	}
}

static uint8_t payload_row[512]; /* 0, 7, 14, ..., which goes round after 256 */

__attribute__((constructor)) static void
fill_payload_row(void)
{
	for (uint32_t i = 0; i < sizeof(payload_row); i++)
		payload_row[i] = (uint8_t)(i * 7);
}

/* Byte i is number * 31 + i * 7 + i / 251: up to the next multiple of 251 a piece of that row. 183 * 7 is 1, modulo 256. */
static void
write_payload(const struct tx_packet *p, uint8_t *at, uint32_t offset, uint32_t len)
{
	uint32_t end = offset + len, part;

	for (; offset < end; offset += part, at += part) {
		part = 251 - offset % 251;
		if (part > end - offset)
			part = end - offset;
		memcpy(at, payload_row + (uint8_t)((p->number * 31 + offset * 7 + offset / 251) * 183), part);
	}
}

void
tx_packet_write(const struct tx_packet *p, uint8_t *bytes)
{
	uint32_t payload = p->len - p->payload;

	write_payload(p, bytes + p->payload, 0, payload);
	write_headers(p, bytes, payload, 0, true, false);
}

uint32_t
tx_packet_frame(const struct tx_packet *p, uint32_t offset, uint8_t *bytes)
{
	uint32_t all = p->len - p->payload, payload = all - offset, len;

	if (p->mss != 0 && payload > p->mss)
		payload = p->mss;
	len = p->payload + payload;
	write_payload(p, bytes + p->payload, offset, payload);
	write_headers(p, bytes, payload, offset, offset + payload == all, true);
	if (p->vlan != 0) {
		memmove(bytes + 16, bytes + 12, len - 12);
		put16(bytes + 12, 0x8100);
		put16(bytes + 14, p->vlan);
		len += 4;
	}
	return len;
}

uint32_t
tx_packet_frames(const struct tx_packet *p)
{
	uint32_t payload = p->len - p->payload;

	return p->mss != 0 && payload > p->mss ? (payload + p->mss - 1) / p->mss : 1;
}

bool
tx_frame_find(const uint8_t *bytes, uint32_t len, uint32_t *number, uint32_t *offset)
{
	uint32_t at = 12, l4, protocol;

	*offset = 0;
	if (len < 56) /* the shortest one, without its tag */
		return false;
	if (get16(bytes + at) == 0x8100)
		at += 4;
	if (get16(bytes + at) == 0x88b5) {
		*number = get16(bytes + at + 2) << 16 | get16(bytes + at + 4);
		return true;
	}
	if (get16(bytes + at) == 0x86dd) {
		protocol = bytes[at + 2 + 6];
		l4 = at + 2 + 40;
	} else {
		protocol = bytes[at + 2 + 9];
		l4 = at + 2 + 20;
		if (protocol == 17 && get16(bytes + l4 + 2) == 4789 && get16(bytes + l4) == 49152) {
			protocol = bytes[l4 + 16 + ETH + 9];
			l4 += 16 + ETH + 20;
		}
	}
	*number = get16(bytes + l4 + 2) << 16 | get16(bytes + l4);
	if (protocol == 6)
		*offset = get16(bytes + l4 + 4) << 16 | get16(bytes + l4 + 6);
	return true;
}
