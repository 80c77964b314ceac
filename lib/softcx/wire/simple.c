/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Wires without an outside: null, loop, pair.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/core/engine.h"
#include "softcx/core/port.h"
#include "softcx/core/settings.h"
#include "softcx/core/trace.h"
#include "softcx/wire/ops.h"

/* null: what is sent is gone, nothing comes. */
const struct sc_wire_ops sc_wire_null = { .kind = "null", .size = sizeof(struct sc_wire) };

/* loop: a plug that sends everything back. */
static void
loop_send(struct sc_wire *wire, const uint8_t *frame, uint32_t len)
{
	wire->counters.rx_frames++;
	wire->counters.rx_octets += len;
	sc_nic_line_put(wire->dev, frame, len, !wire->drop);
}

static bool
loop_ready(const struct sc_wire *wire)
{
	return !sc_nic_line_full(wire->dev);
}

static const struct sc_option line_options[] = { { "hold", true }, { NULL, false } };

/* Like a cable: a frame that finds no receive WQE is lost, unless the spec wants it to wait. */
static int
loop_parse(struct sc_wire *wire, struct sc_options *o)
{
	wire->drop = !sc_options_has(o, "hold");
	return 0;
}

const struct sc_wire_ops sc_wire_loop = {
	.kind = "loop",
	.options = line_options,
	.size = sizeof(struct sc_wire),
	.parse = loop_parse,
	.send = loop_send,
	.ready = loop_ready,
};

/*
 * pair: a cable between two devices of the engine. Both name each other; there is carrier while both
 * are plugged.
 */
struct pair {
	struct sc_wire wire;
	uint32_t peer;
};

static struct sc_device *
pair_peer(const struct sc_wire *wire)
{
	struct sc_device *peer = sc_device_at(((const struct pair *)wire)->peer);
	const struct pair *back;

	if (peer == NULL || peer->wire == NULL || peer->wire->ops != &sc_wire_pair || peer->nic == NULL)
		return NULL;
	back = (const struct pair *)peer->wire;
	return back->peer == wire->dev->index ? peer : NULL;
}

static int
pair_parse(struct sc_wire *wire, struct sc_options *o)
{
	const char *text = strncmp(o->word, "softcx", 6) == 0 ? o->word + 6 : o->word;
	unsigned long peer;
	char *end;

	peer = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0' || peer >= SC_PORTS_MAX)
		return sc_options_refuse(o,
			"\"pair:%s\": the other end is a device number or its name (softcx0..softcx%d)",
			o->word, SC_PORTS_MAX - 1);
	if (wire->dev != NULL && wire->dev->index == peer)
		return sc_options_refuse(
			o, "\"pair:%s\" names the device itself; \"loop\" does that", o->word);
	((struct pair *)wire)->peer = (uint32_t)peer;
	wire->drop = !sc_options_has(o, "hold");
	return 0;
}

static void
pair_send(struct sc_wire *wire, const uint8_t *frame, uint32_t len)
{
	struct sc_device *peer = pair_peer(wire);

	if (peer == NULL) {
		wire->counters.lost++;
		return;
	}
	peer->wire->counters.rx_frames++;
	peer->wire->counters.rx_octets += len;
	sc_nic_line_put(peer, frame, len, !peer->wire->drop);
}

static bool
pair_ready(const struct sc_wire *wire)
{
	struct sc_device *peer = pair_peer(wire);

	return peer == NULL || !sc_nic_line_full(peer);
}

/* Devices come and go one after the other, so each end looks for the other when it is polled. */
static uint32_t
pair_poll(struct sc_wire *wire, uint32_t max)
{
	bool both = pair_peer(wire) != NULL;

	if (wire->dev->carrier != both)
		sc_port_carrier(wire->dev, both);
	return 0;
}

static int
pair_check_peer(struct sc_wire *wire, char *error, size_t size)
{
	uint32_t number = ((const struct pair *)wire)->peer;
	const struct sc_device *dev = wire->dev, *peer = sc_device_at(number);

	if (peer != NULL && pair_peer(wire) != NULL)
		return 0;
	if (peer != NULL) {
		snprintf(error, size, "the wire of softcx%u is %s, it does not name %s", number,
			peer->settings->wire, dev->name);
		return -EINVAL;
	}
	if (dev->by_function) {
		sc_trace(dev,
			"wire pair:%u: no softcx%u yet; no carrier before there is one that names this port",
			number, number);
		return 0;
	}
	snprintf(error, size, "there is no softcx%u: SOFTCX describes %u port%s", number,
		dev->settings->ports, dev->settings->ports == 1 ? "" : "s");
	return -EINVAL;
}

static int
pair_open(struct sc_wire *wire, struct sc_options *o)
{
	sc_port_carrier(wire->dev, false);
	return 0;
}

static uint32_t
pair_sleep_us(const struct sc_wire *wire)
{
	return wire->dev->carrier ? 100000 : 10000;
}

const struct sc_wire_ops sc_wire_pair = {
	.kind = "pair",
	.word = "DEVICE",
	.options = line_options,
	.size = sizeof(struct pair),
	.parse = pair_parse,
	.open = pair_open,
	.check_peer = pair_check_peer,
	.send = pair_send,
	.ready = pair_ready,
	.poll = pair_poll,
	.sleep_us = pair_sleep_us,
};
