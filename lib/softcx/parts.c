/* SPDX-License-Identifier: BSD-3-Clause */

/* What a device is made of: the list that core/ walks on power-on and in each round (core/parts.h). */
#include "softcx/core/parts.h"

#include <stdio.h>
#include <string.h>

#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/settings.h"
#include "softcx/core/uar.h"
#include "softcx/nic/nic.h"
#include "softcx/steer/steer.h"
#include "softcx/wire/wire.h"

const struct sc_command *const sc_families[] = {
	sc_commands_capability, sc_commands_resource, sc_commands_mkey, sc_commands_vport, sc_commands_queue,
	sc_commands_table, sc_commands_object, NULL,
};

/* ---- nic ----------------------------------------------------------------------------------------------- */

static int
uar_destroy(struct sc_object *obj)
{
	return sc_uar_destroy((struct sc_uar *)obj);
}

static int
nic_init(struct sc_device *dev, char *error, size_t size)
{
	int ret = sc_nic_init(dev);

	if (ret < 0)
		return ret;
	sc_nic_set_poll(dev, dev->settings->uar == SC_UAR_POLL);
	sc_object_on_close(dev, SC_UAR, uar_destroy);
	return 0;
}

static const struct sc_part nic = {
	.name = "nic", .init = nic_init, .fini = sc_nic_fini, .poll = sc_nic_poll, .ask = sc_nic_ask,
	.release = sc_sessions_drop, .sleep_us = sc_nic_sleep_us, .waits = sc_nic_waits, .watches = sc_nic_watches,
	.fds = sc_nic_fds,
};

/* ---- steer --------------------------------------------------------------------------------------------- */

static int
steer_init(struct sc_device *dev, char *error, size_t size)
{
	return sc_steer_init(dev);
}

static const struct sc_part steer = {
	.name = "steer", .init = steer_init, .fini = sc_steer_fini, .release = sc_steer_release,
};

/* ---- wire and host: polled by nic ---------------------------------------------------------------------- */

static int
wire_init(struct sc_device *dev, char *error, size_t size)
{
	char line[256] = "";
	int ret = sc_wire_open(dev, dev->settings->wire, line, sizeof(line));

	if (ret < 0)
		snprintf(error, size, "setting wire=%s: %s", dev->settings->wire,
			 line[0] != '\0' ? line : strerror(-ret));
	return ret;
}

static int
wire_check(struct sc_device *dev, char *error, size_t size)
{
	char line[256] = "";
	int ret = sc_wire_check_peer(dev, line, sizeof(line));

	if (ret < 0)
		snprintf(error, size, "setting wire=%s: %s", dev->settings->wire, line);
	return ret;
}

static const struct sc_part wire = {
	.name = "wire", .init = wire_init, .check = wire_check, .fini = sc_wire_close,
};

static int
host_init(struct sc_device *dev, char *error, size_t size)
{
	char line[256] = "";
	int ret = sc_host_open(dev, dev->settings->host, line, sizeof(line));

	if (ret < 0)
		snprintf(error, size, "setting host=%s: %s", dev->settings->host,
			 line[0] != '\0' ? line : strerror(-ret));
	return ret;
}

static const struct sc_part host = { .name = "host", .init = host_init, .fini = sc_host_close };

/* Steering lets go of the TIRs before nic frees them. */
const struct sc_part *const sc_parts[] = { &nic, &steer, &wire, &host, NULL };
