/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The kinds of wire, and what all of them share: speed, counters, carrier.
 */
#include "softcx/wire/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/core/port.h"
#include "softcx/wire/ops.h"

#define LINE_OVERHEAD 24 /* FCS, preamble and gap: what a frame takes on the line besides its bytes */

static const struct sc_wire_ops *const kinds[] = {
	&sc_wire_null,
	&sc_wire_loop,
	&sc_wire_pair,
	&sc_wire_pcap,
	&sc_wire_tap,
	&sc_wire_af_packet,
	&sc_wire_gen,
};

#define NB_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct sc_option common_options[] = { { "speed", false }, { NULL, false } };

static int
refuse_kind(struct sc_options *o)
{
	char names[128] = "";

	for (size_t i = 0; i < NB_KINDS; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, kinds[i]->kind);
	}
	return sc_options_refuse(o, "\"%s\" is no kind of wire; there are: %s", o->kind, names);
}

static int
parse(struct sc_wire *wire, struct sc_options *o)
{
	const struct sc_wire_ops *ops = wire->ops;

	if (sc_options_check(o, ops->options, common_options) != 0)
		return -EINVAL;
	if (o->word != NULL && ops->word == NULL)
		return sc_options_refuse(o, "\"%s\" is no option of \"%s\"", o->word, o->kind);
	if (o->word == NULL && ops->word != NULL)
		return sc_options_refuse(
			o, "\"%s\" needs %s: %s:%s", o->kind, ops->word, o->kind, ops->word);
	if (sc_options_number(o, "speed", 1, 1000000, &wire->speed_mbps) != 0)
		return -EINVAL;
	wire->drop = sc_options_has(o, "drop");
	return ops->parse != NULL ? ops->parse(wire, o) : 0;
}

/* @return the wire, parsed and not opened, or NULL with *error set */
static struct sc_wire *
make(struct sc_device *dev, const char *spec, struct sc_options *o, int *ret, char *error, size_t size)
{
	const struct sc_wire_ops *ops = NULL;
	struct sc_wire *wire;

	*ret = sc_options_split(o, spec == NULL || *spec == '\0' ? "null" : spec, error, size);
	if (*ret != 0)
		return NULL;
	for (size_t i = 0; i < NB_KINDS; i++)
		if (strcmp(kinds[i]->kind, o->kind) == 0)
			ops = kinds[i];
	if (ops == NULL) {
		*ret = refuse_kind(o);
		return NULL;
	}
	wire = calloc(1, ops->size);
	if (wire == NULL) {
		*ret = -ENOMEM;
		return NULL;
	}
	wire->ops = ops;
	wire->dev = dev;
	*ret = parse(wire, o);
	if (*ret == 0)
		return wire;
	free(wire);
	return NULL;
}

int
sc_wire_check(const char *spec, char *error, size_t size)
{
	struct sc_options o;
	int ret;

	free(make(NULL, spec, &o, &ret, error, size));
	return ret;
}

int
sc_wire_open(struct sc_device *dev, const char *spec, char *error, size_t size)
{
	struct sc_options o;
	struct sc_wire *wire;
	int ret;

	wire = make(dev, spec, &o, &ret, error, size);
	if (wire == NULL)
		return ret;
	ret = wire->ops->open != NULL ? wire->ops->open(wire, &o) : 0;
	if (ret != 0) {
		free(wire);
		return ret;
	}
	dev->wire = wire;
	if (wire->speed_mbps != 0)
		dev->speed_mbps = (uint32_t)wire->speed_mbps;
	if (wire->ops != &sc_wire_pair) /* a pair has carrier when its other end is there */
		sc_port_carrier(dev, true);
	return 0;
}

int
sc_wire_check_peer(struct sc_device *dev, char *error, size_t size)
{
	struct sc_wire *wire = dev->wire;

	return wire->ops->check_peer != NULL ? wire->ops->check_peer(wire, error, size) : 0;
}

void
sc_wire_close(struct sc_device *dev)
{
	struct sc_wire *wire = dev->wire;

	if (wire == NULL)
		return;
	dev->wire = NULL;
	if (wire->ops->close != NULL)
		wire->ops->close(wire);
	free(wire);
}

/* ---- frames ---- */

/* The nanoseconds that a frame takes on the line, and when the line is free again. */
static void
occupy(const struct sc_wire *wire, uint64_t *free_ns, uint32_t len)
{
	uint64_t now = sc_nic_now(wire->dev);

	if (wire->speed_mbps == 0)
		return;
	if (*free_ns < now)
		*free_ns = now;
	*free_ns += (uint64_t)(len + LINE_OVERHEAD) * 8000 / wire->speed_mbps;
}

bool
sc_wire_may_receive(const struct sc_wire *wire)
{
	return wire->speed_mbps == 0 || wire->rx_free_ns <= sc_nic_now(wire->dev);
}

void
sc_wire_input(struct sc_wire *wire, uint8_t *frame, uint32_t len, uint64_t timestamp_ns)
{
	if (len < SC_FRAME_MIN) {
		memset(frame + len, 0, SC_FRAME_MIN - len);
		len = SC_FRAME_MIN;
	}
	wire->counters.rx_frames++;
	wire->counters.rx_octets += len;
	occupy(wire, &wire->rx_free_ns, len);
	sc_nic_wire_input(wire->dev, frame, len, timestamp_ns, !wire->drop);
}

void
sc_wire_send(struct sc_device *dev, const uint8_t *frame, uint32_t len)
{
	struct sc_wire *wire = dev->wire;

	if (wire == NULL)
		return;
	wire->counters.tx_frames++;
	wire->counters.tx_octets += len;
	occupy(wire, &wire->tx_free_ns, len);
	if (wire->ops->send != NULL)
		wire->ops->send(wire, frame, len);
}

bool
sc_wire_ready(const struct sc_device *dev)
{
	const struct sc_wire *wire = dev->wire;

	if (wire == NULL)
		return true;
	if (wire->speed_mbps != 0 && wire->tx_free_ns > sc_nic_now(dev))
		return false;
	return wire->ops->ready == NULL || wire->ops->ready(wire);
}

uint32_t
sc_wire_poll(struct sc_device *dev, uint32_t max)
{
	return dev->wire != NULL && dev->wire->ops->poll != NULL ? dev->wire->ops->poll(dev->wire, max) : 0;
}

uint32_t
sc_wire_ask(struct sc_device *dev, uint32_t max, bool busy)
{
	struct sc_wire *wire = dev->wire;
	uint32_t nb;

	if (wire == NULL || wire->ops->ask == NULL || !sc_looks_due(&wire->looks, busy))
		return 0;
	nb = wire->ops->ask(wire, max);
	sc_looks_found(&wire->looks, nb);
	return nb;
}

int
sc_wire_fd(const struct sc_device *dev)
{
	return dev->wire != NULL && dev->wire->ops->fd != NULL ? dev->wire->ops->fd(dev->wire) : -1;
}

uint32_t
sc_wire_sleep_us(const struct sc_device *dev)
{
	const struct sc_wire *wire = dev->wire;
	uint32_t us = wire != NULL && wire->ops->sleep_us != NULL ? wire->ops->sleep_us(wire) : UINT32_MAX;

	/* A busy line is free again in less than this. */
	if (wire != NULL && wire->speed_mbps != 0 && us > 100)
		us = 100;
	return us;
}

bool
sc_wire_done(const struct sc_device *dev)
{
	const struct sc_wire *wire = dev->wire;

	return wire == NULL || ((wire->ops->done == NULL || wire->ops->done(wire)) && !sc_nic_holds(dev));
}

const struct sc_wire_counters *
sc_wire_counters(const struct sc_device *dev)
{
	static const struct sc_wire_counters none;

	return dev->wire != NULL ? &dev->wire->counters : &none;
}
