/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The port: where frames leave for the wire, come in from it, come back to their own device, or go to
 * the host.
 */
#include <stdlib.h>
#include <string.h>

#include "softcx/core/engine.h"
#include "softcx/nic/internal.h"
#include "softcx/wire/wire.h"

#define FRAME_MIN   60       /* without FCS: shorter ones are padded on their way out */
#define PATIENCE_NS 10000000 /* for a driver that is behind with its completions */
#define OVERHEAD    18 /* Ethernet header and one VLAN tag: what a frame without FCS has above the MTU */

static bool
is_broadcast(const uint8_t *mac)
{
	static const uint8_t broadcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	return memcmp(mac, broadcast, sizeof(broadcast)) == 0;
}

static bool
is_multicast(const uint8_t *mac)
{
	return mac[0] & 1;
}

static enum sc_cast
cast_of(const uint8_t *mac)
{
	if (!is_multicast(mac))
		return SC_UNICAST;
	return is_broadcast(mac) ? SC_BROADCAST : SC_MULTICAST;
}

static void
count_receive(struct sc_port_counters *port, const uint8_t *frame, uint32_t len)
{
	port->rx_frames++;
	port->rx_octets += len;
	port->rx_frames_of[cast_of(frame)]++;
	port->rx_octets_of[cast_of(frame)] += len;
}

static void
count_transmit(struct sc_port_counters *port, const uint8_t *frame, uint32_t len)
{
	port->tx_frames++;
	port->tx_octets += len;
	port->tx_frames_of[cast_of(frame)]++;
	port->tx_octets_of[cast_of(frame)] += len;
}

/* ---- receive ---- */

static void
receive(struct sc_device *dev, const struct sc_frame *head, const uint8_t *frame)
{
	struct sc_packet *pkt = dev->nic->rx;

	count_receive(&dev->port, frame, head->len);
	sc_packet_reset(pkt);
	memcpy(pkt->data, frame, head->len);
	pkt->len = head->len;
	pkt->loopback = head->loopback;
	pkt->source_sqn = head->source_sqn;
	pkt->source_td = head->source_td;
	pkt->timestamp_ns = head->timestamp_ns;
	dev->nic->input_hold = head->hold;
	sc_steer_receive(dev, pkt);
	dev->nic->input_hold = false;
}

void
sc_nic_wire_input(
	struct sc_device *dev, const uint8_t *frame, uint32_t len, uint64_t timestamp_ns, bool hold)
{
	struct sc_frame head = { .len = len, .hold = hold, .timestamp_ns = timestamp_ns };

	if (!dev->link_up)
		dev->port.rx_link_down++;
	else if (len > dev->mtu + OVERHEAD)
		dev->port.rx_too_long++;
	else
		receive(dev, &head, frame);
}

uint32_t
sc_port_drain(struct sc_device *dev, uint32_t max)
{
	struct sc_frames *inbound = &dev->nic->inbound;
	const struct sc_frame *frame;
	uint32_t done;

	for (done = 0;
		done < max && dev->nic->held_first == NULL && (frame = sc_frames_peek(inbound)) != NULL;
		done++) {
		/* Own frames meet neither cable nor MTU. */
		if (frame->loopback)
			receive(dev, frame, frame->data);
		else
			sc_nic_wire_input(dev, frame->data, frame->len, dev->nic->now_ns, frame->hold);
		sc_frames_pop(inbound);
	}
	return done;
}

bool
sc_nic_holds(const struct sc_device *dev)
{
	return dev->nic->held_first != NULL;
}

void
sc_nic_line_put(struct sc_device *dev, const uint8_t *frame, uint32_t len, bool hold)
{
	struct sc_frame head = { .len = len, .hold = hold };

	sc_frames_put(&dev->nic->inbound, &head, frame);
}

bool
sc_nic_line_full(const struct sc_device *dev)
{
	return sc_frames_full(&dev->nic->inbound);
}

/*
 * All queues of a table: the frames of a wire that begins would else be lost for those that are a
 * moment later.
 */
static bool
all_listen(const struct sc_tir *tir)
{
	if (!tir->indirect)
		return sc_rq_listens(tir->rq);
	for (uint32_t i = 0; i < tir->rqt->size; i++)
		if (!sc_rq_listens(tir->rqt->rq[i]))
			return false;
	return true;
}

bool
sc_nic_listens(const struct sc_device *dev)
{
	const struct sc_tir *tir;
	uint32_t after = UINT32_MAX;

	if (!dev->link_up) /* what came in now would be lost */
		return false;
	while ((tir = sc_object_next(dev, SC_TIR, after)) != NULL) {
		if (tir->obj.refs != 0 && all_listen(tir))
			return true;
		after = tir->obj.id;
	}
	return false;
}

uint64_t
sc_nic_now(const struct sc_device *dev)
{
	return dev->nic->now_ns;
}

/* ---- waiting for receive WQEs ---- */

bool
sc_port_hold(struct sc_device *dev, const struct sc_packet *pkt, const struct sc_tir *tir)
{
	struct sc_held *held = malloc(sizeof(*held));

	if (held == NULL)
		return false;
	held->next = NULL;
	held->tirn = tir->obj.id;
	held->since_ns = dev->nic->now_ns;
	memcpy(&held->pkt, pkt, offsetof(struct sc_packet, room));
	held->pkt.data = held->pkt.room + (pkt->data - pkt->room);
	held->pkt.parse = NULL;
	memcpy(held->pkt.data, pkt->data, pkt->len);
	*dev->nic->held_last = held;
	dev->nic->held_last = &held->next;
	return true;
}

/*
 * A frame that may wait waits for a WQE as long as it takes, and for a driver that lags behind with its
 * completions for a while: an application that forwards would otherwise be flooded between two of its
 * turns and lose frames on its own way out.
 * @return false: it has to wait on
 */
static bool
deliver(struct sc_device *dev, struct sc_packet *pkt, struct sc_tir *tir, bool may_wait, uint64_t since_ns)
{
	struct sc_parse storage, *parse = sc_packet_parse(pkt, &storage);
	struct sc_rss rss;
	struct sc_rq *rq;

	sc_rss_hash(tir, pkt->data, parse, &rss);
	rq = sc_rss_queue(tir, &rss);
	if (may_wait && (sc_rq_starved(rq, pkt) ||
				(dev->nic->now_ns < since_ns + PATIENCE_NS && sc_rq_lags(rq)))) {
		if (parse == &storage)
			pkt->parse = NULL;
		return false;
	}
	sc_rq_receive(dev, rq, pkt, parse, &rss);
	pkt->parse = NULL;
	return true;
}

uint32_t
sc_port_release(struct sc_device *dev)
{
	struct sc_nic *nic = dev->nic;
	uint32_t done = 0;

	while (nic->held_first != NULL) {
		struct sc_held *held = nic->held_first;
		struct sc_tir *tir = sc_object_find(dev, SC_TIR, held->tirn);

		if (tir == NULL)
			dev->port.rx_steering_discard++;
		else if (!deliver(dev, &held->pkt, tir, true, held->since_ns))
			break;
		nic->held_first = held->next;
		if (nic->held_first == NULL)
			nic->held_last = &nic->held_first;
		free(held);
		done++;
	}
	return done;
}

/* Frames of one's own transport domain come back only to TIRs that ask for them. */
static bool
comes_back(const struct sc_packet *pkt, const struct sc_tir *tir)
{
	if (!pkt->loopback || tir->td == 0 || pkt->source_td != tir->td)
		return true;
	return tir->self_loopback >> is_multicast(pkt->data) & 1;
}

void
sc_nic_deliver(struct sc_device *dev, struct sc_packet *pkt, struct sc_tir *tir)
{
	bool wait = dev->nic->input_hold;

	if (!comes_back(pkt, tir))
		return;
	if (deliver(dev, pkt, tir, wait, dev->nic->now_ns))
		return;
	if (!sc_port_hold(dev, pkt, tir))
		deliver(dev, pkt, tir, false, 0);
}

/* ---- transmit ---- */

static void
pad(struct sc_packet *pkt)
{
	if (pkt->len >= FRAME_MIN)
		return;
	memset(pkt->data + pkt->len, 0, FRAME_MIN - pkt->len);
	pkt->len = FRAME_MIN;
}

static void
bring_back(struct sc_device *dev, const struct sc_packet *pkt, bool own)
{
	struct sc_frame head = {
		.len = pkt->len,
		.loopback = own,
		.source_sqn = pkt->source_sqn,
		.source_td = pkt->source_td,
		.timestamp_ns = pkt->timestamp_ns,
	};

	sc_frames_put(&dev->nic->inbound, &head, pkt->data);
}

static void
to_wire(struct sc_device *dev, struct sc_packet *pkt)
{
	if (pkt->len > dev->mtu + OVERHEAD) {
		dev->port.tx_too_long++;
		return;
	}
	if (!dev->link_up) {
		dev->port.tx_link_down++;
		return;
	}
	count_transmit(&dev->port, pkt->data, pkt->len);
	if (dev->loopback)
		bring_back(dev, pkt, false);
	else
		sc_wire_send(dev, pkt->data, pkt->len);
}

void
sc_port_transmit(struct sc_device *dev, struct sc_packet *pkt)
{
	pad(pkt);
	if (is_multicast(pkt->data)) {
		if (!dev->disable_mc_local_lb)
			bring_back(dev, pkt, true);
	} else if (memcmp(pkt->data, dev->mac, 6) == 0 && !dev->disable_uc_local_lb) {
		bring_back(dev, pkt, true);
		return;
	}
	to_wire(dev, pkt);
}

void
sc_port_to_host(struct sc_device *dev, struct sc_packet *pkt)
{
	dev->port.host_frames++;
	dev->port.host_octets += pkt->len;
	sc_host_send(dev, pkt->data, pkt->len);
}

/* What the host's kernel sends meets the transmit tables like a frame of any other queue. */
void
sc_port_host_output(struct sc_device *dev, const uint8_t *frame, uint32_t len)
{
	struct sc_packet *pkt = dev->nic->tx;

	sc_packet_reset(pkt);
	memcpy(pkt->data, frame, len);
	pkt->len = len;
	pkt->timestamp_ns = dev->nic->now_ns;
	sc_steer_transmit(dev, pkt);
}
