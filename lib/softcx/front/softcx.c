/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/front/softcx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/cmd/resource.h"
#include "softcx/core/device.h"
#include "softcx/core/engine.h"
#include "softcx/core/fault.h"
#include "softcx/core/port.h"
#include "softcx/core/uar.h"
#include "softcx/nic/nic.h"
#include "softcx/steer/memory.h"
#include "softcx/steer/steer.h"
#include "softcx/wire/wire.h"

/* ---- ports and settings -------------------------------------------------------------------------------- */

int
softcx_port_create(const char *settings, char *error, size_t size)
{
	return sc_port_create(settings, error, size);
}

int
softcx_port_destroy(unsigned int index)
{
	return sc_port_destroy(index);
}

bool
softcx_setting_known(const char *key)
{
	return sc_setting_known(key);
}

void
softcx_settings_help(FILE *out)
{
	sc_settings_help(out);
}

int
softcx_port_index(const char *ibdev_name)
{
	struct sc_port_id ids[SC_PORTS_MAX];
	int n = sc_port_list(ids, NULL, 0), i;

	for (i = 0; i < n; i++)
		if (strcmp(ids[i].name, ibdev_name) == 0)
			return (int)ids[i].index;
	return -ENODEV;
}

/* ---- time ---------------------------------------------------------------------------------------------- */

int
softcx_exec(enum softcx_exec_mode mode)
{
	return sc_engine_exec(mode == SOFTCX_STEPPED ? SC_EXEC_STEPPED : SC_EXEC_THREADED);
}

int64_t
softcx_step(unsigned int max_rounds)
{
	return sc_engine_step(max_rounds);
}

uint64_t
softcx_now_ns(void)
{
	return sc_now_ns();
}

/* ---- one call on one port ------------------------------------------------------------------------------ */

/* What a function below wants done with a device, inside the engine. */
struct port_call {
	unsigned int index;
	int (*fn)(struct sc_device *dev, struct port_call *call);
	const void *in;
	void *out;
	size_t size;
	char *error;
	uint32_t value;
};

static int
port_call_run(void *arg)
{
	struct port_call *c = arg;
	struct sc_device *dev = sc_device_at(c->index);

	return dev == NULL ? -ENODEV : c->fn(dev, c);
}

static int
on_port(struct port_call c)
{
	return sc_engine_call(port_call_run, &c);
}

#define ON_PORT(number, function, ...) \
	on_port((struct port_call){ .index = (number), .fn = (function), __VA_ARGS__ })

/* ---- census -------------------------------------------------------------------------------------------- */

struct census_call {
	int index;
	struct sc_census rows[SC_TYPES];
};

static int
census_call(void *arg)
{
	struct census_call *c = arg;
	uint32_t i;

	for (i = 0; i < SC_PORTS_MAX; i++)
		if (sc_device_at(i) != NULL && (c->index < 0 || (uint32_t)c->index == i))
			sc_object_census(sc_device_at(i), c->rows);
	return 0;
}

int
softcx_census(int index, struct softcx_census_row *rows, unsigned int max)
{
	struct census_call c = { .index = index };
	unsigned int type;

	sc_engine_call(census_call, &c);
	for (type = 0; type < SC_TYPES && type < max; type++)
		rows[type] = (struct softcx_census_row){
			.type = sc_type_name(type), .objects = c.rows[type].objects, .ids = c.rows[type].ids,
			.refs = c.rows[type].refs, .bytes = c.rows[type].bytes,
		};
	return SC_TYPES;
}

uint64_t
softcx_left_behind(void)
{
	return sc_uctx_left_behind();
}

void
softcx_census_print(int index, FILE *out)
{
	struct softcx_census_row rows[SC_TYPES], sum = { 0 };
	unsigned int i;

	softcx_census(index, rows, SC_TYPES);
	for (i = 0; i < SC_TYPES; i++) {
		if (rows[i].objects == 0)
			continue;
		fprintf(out,
			"%-14s %8" PRIu64 " objects %10" PRIu64 " ids %8" PRIu64 " references %14" PRIu64 " bytes\n",
			rows[i].type, rows[i].objects, rows[i].ids, rows[i].refs, rows[i].bytes);
		sum.objects += rows[i].objects;
		sum.ids += rows[i].ids;
		sum.refs += rows[i].refs;
		sum.bytes += rows[i].bytes;
	}
	fprintf(out,
		"%-14s %8" PRIu64 " objects %10" PRIu64 " ids %8" PRIu64 " references %14" PRIu64 " bytes\n",
		"sum", sum.objects, sum.ids, sum.refs, sum.bytes);
	if (sc_uctx_left_behind() > 0)
		fprintf(out, "%-14s %8" PRIu64 " objects, by contexts that closed\n", "left behind",
			sc_uctx_left_behind());
}

/* ---- bus ----------------------------------------------------------------------------------------------- */

static int
bus_copy(struct sc_device *dev, struct port_call *c)
{
	memcpy(c->out, &dev->account, sizeof(dev->account));
	return 0;
}

bool
softcx_holds(const void *address)
{
	return sc_memory_holds(address);
}

int
softcx_bus(unsigned int index, struct softcx_bus_row *rows, unsigned int max)
{
	struct sc_account a;
	int ret = ON_PORT(index, bus_copy, .out = &a);
	unsigned int i;

	if (ret < 0)
		return ret;
	for (i = 0; i < SC_BUS_KINDS && i < max; i++)
		rows[i] = (struct softcx_bus_row){
			.kind = sc_bus_name(i), .operations = a.kind[i].operations, .bytes = a.kind[i].bytes,
			.packets_down = a.kind[i].packets_down, .bytes_down = a.kind[i].bytes_down,
			.packets_up = a.kind[i].packets_up, .bytes_up = a.kind[i].bytes_up,
		};
	return SC_BUS_KINDS;
}

static int
bus_reset(struct sc_device *dev, struct port_call *c)
{
	memset(dev->account.kind, 0, sizeof(dev->account.kind));
	return 0;
}

void
softcx_bus_reset(unsigned int index)
{
	ON_PORT(index, bus_reset);
}

void
softcx_bus_formula(unsigned int index, FILE *out)
{
	struct sc_account a;

	if (ON_PORT(index, bus_copy, .out = &a) < 0)
		return;
	fprintf(out,
		"PCI Express packets of 4-dword headers, %u bytes around the payload of each (header 16, framing 2, "
		"sequence 2, LCRC 4 where that is 24); completions 4 fewer.\n"
		"store to the device: 1 packet down. device write: packets up, cut at multiples of %u (maximum payload).\n"
		"device read: requests up without payload, cut at multiples of %u (read request size), each answered by "
		"completions down of at most %u bytes, ending at multiples of %u (read completion boundary).\n%s",
		a.overhead, a.mps, a.mrrs, a.mps, a.rcb, a.on ? "" : "Not counting: uar=poll.\n");
}

/* ---- doorbells ----------------------------------------------------------------------------------------- */

static int
doorbells(struct sc_device *dev, struct port_call *c)
{
	struct sc_nic_stats stats;

	sc_nic_stats_get(dev, &stats);
	*(struct softcx_doorbells *)c->out = (struct softcx_doorbells){
		.rung = stats.doorbells, .idle = stats.idle, .mismatch = stats.mismatch, .stray = stats.stray,
		.arm = dev->doorbells_arm, .forgotten = stats.forgotten, .wqes = stats.wqes,
	};
	return 0;
}

int
softcx_doorbells(unsigned int index, struct softcx_doorbells *counts)
{
	return ON_PORT(index, doorbells, .out = counts);
}

static int
steering(struct sc_device *dev, struct port_call *c)
{
	struct sc_steer_stats stats;

	sc_steer_stats_get(dev, &stats);
	*(struct softcx_steering *)c->out = (struct softcx_steering){
		.entries = stats.entries, .inserted = stats.inserted, .deleted = stats.deleted,
		.failed = stats.failed, .arguments = stats.arguments, .rule_drops = stats.rule_drops,
		.miss_drops = stats.miss_drops, .loop_drops = stats.loop_drops,
		.action_drops = stats.action_drops,
	};
	return 0;
}

int
softcx_steering(unsigned int index, struct softcx_steering *counts)
{
	return ON_PORT(index, steering, .out = counts);
}

static int
last_error(struct sc_device *dev, struct port_call *c)
{
	snprintf(c->out, c->size, "%s", dev->last_error);
	return 0;
}

int
softcx_last_error(unsigned int index, char *text, size_t size)
{
	return ON_PORT(index, last_error, .out = text, .size = size);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

static int
fault(struct sc_device *dev, struct port_call *c)
{
	return sc_fault_order(dev, c->in, c->error, c->size);
}

int
softcx_fault(unsigned int index, const char *order, char *error, size_t size)
{
	int ret = ON_PORT(index, fault, .in = order, .error = error, .size = size);

	/* a queue that was stopped, or whose next WQE shall fail, wants a look */
	sc_engine_kick();
	return ret;
}

/* ---- the host's side ----------------------------------------------------------------------------------- */

static int
mac_get(struct sc_device *dev, struct port_call *c)
{
	memcpy(c->out, dev->mac, 6);
	return 0;
}

int
softcx_port_mac_get(unsigned int index, uint8_t mac[6])
{
	return ON_PORT(index, mac_get, .out = mac);
}

static int
mac_set(struct sc_device *dev, struct port_call *c)
{
	memcpy(dev->mac, c->in, 6);
	return 0;
}

int
softcx_port_mac_set(unsigned int index, const uint8_t mac[6])
{
	static const uint8_t zero[6];

	if (mac[0] & 1 || memcmp(mac, zero, sizeof(zero)) == 0)
		return -EINVAL;
	return ON_PORT(index, mac_set, .in = mac);
}

static int
mtu_get(struct sc_device *dev, struct port_call *c)
{
	*(uint32_t *)c->out = dev->mtu;
	return 0;
}

int
softcx_port_mtu_get(unsigned int index, uint32_t *mtu)
{
	return ON_PORT(index, mtu_get, .out = mtu);
}

static int
mtu_set(struct sc_device *dev, struct port_call *c)
{
	dev->mtu = c->value;
	return 0;
}

int
softcx_port_mtu_set(unsigned int index, uint32_t mtu)
{
	if (mtu < SC_MTU_MIN || mtu > SC_MTU_MAX)
		return -EINVAL;
	return ON_PORT(index, mtu_set, .value = mtu);
}

static int
link_get(struct sc_device *dev, struct port_call *c)
{
	*(struct softcx_link *)c->out = (struct softcx_link){
		.up = dev->link_up, .admin_up = dev->admin_up, .speed_mbps = dev->speed_mbps,
	};
	return 0;
}

int
softcx_port_link(unsigned int index, struct softcx_link *link)
{
	return ON_PORT(index, link_get, .out = link);
}

static int
set_up(struct sc_device *dev, struct port_call *c)
{
	sc_port_admin(dev, c->value != 0);
	return 0;
}

int
softcx_port_set_up(unsigned int index, bool up)
{
	return ON_PORT(index, set_up, .value = up);
}

static int
promisc_set(struct sc_device *dev, struct port_call *c)
{
	dev->promisc = c->value != 0;
	return 0;
}

int
softcx_port_promisc_set(unsigned int index, bool on)
{
	return ON_PORT(index, promisc_set, .value = on);
}

static int
allmulti_set(struct sc_device *dev, struct port_call *c)
{
	dev->allmulti = c->value != 0;
	return 0;
}

int
softcx_port_allmulti_set(unsigned int index, bool on)
{
	return ON_PORT(index, allmulti_set, .value = on);
}

static int
loopback_set(struct sc_device *dev, struct port_call *c)
{
	dev->loopback = c->value != 0;
	return 0;
}

int
softcx_port_loopback_set(unsigned int index, bool on)
{
	return ON_PORT(index, loopback_set, .value = on);
}

static int
stats_get(struct sc_device *dev, struct port_call *c)
{
	const struct sc_port_counters *p = &dev->port;
	struct softcx_stats *s = c->out;
	const struct sc_rq *rq;

	*s = (struct softcx_stats){
		.rx_frames = p->rx_frames, .rx_octets = p->rx_octets,
		.rx_unicast = p->rx_frames_of[SC_UNICAST], .rx_multicast = p->rx_frames_of[SC_MULTICAST],
		.rx_broadcast = p->rx_frames_of[SC_BROADCAST],
		.tx_frames = p->tx_frames, .tx_octets = p->tx_octets,
		.tx_unicast = p->tx_frames_of[SC_UNICAST], .tx_multicast = p->tx_frames_of[SC_MULTICAST],
		.tx_broadcast = p->tx_frames_of[SC_BROADCAST],
		.rx_steering_discard = p->rx_steering_discard, .rx_too_long = p->rx_too_long,
		.rx_link_down = p->rx_link_down, .tx_too_long = p->tx_too_long,
		.tx_link_down = p->tx_link_down, .host_frames = p->host_frames, .host_octets = p->host_octets,
		.host_lost = p->host_lost,
	};
	for (rq = sc_object_next(dev, SC_RQ, UINT32_MAX); rq != NULL;
	    rq = sc_object_next(dev, SC_RQ, rq->obj.id))
		s->rx_out_of_buffer += rq->out_of_buffer;
	return 0;
}

int
softcx_port_stats(unsigned int index, struct softcx_stats *stats)
{
	return ON_PORT(index, stats_get, .out = stats);
}

static int
stats_reset(struct sc_device *dev, struct port_call *c)
{
	memset(&dev->port, 0, sizeof(dev->port));
	return 0;
}

int
softcx_port_stats_reset(unsigned int index)
{
	return ON_PORT(index, stats_reset);
}

static int
wire_done(struct sc_device *dev, struct port_call *c)
{
	return sc_wire_done(dev);
}

int
softcx_wire_done(unsigned int index)
{
	return ON_PORT(index, wire_done);
}
