/* SPDX-License-Identifier: BSD-3-Clause */

/* A device's power: all its parts in order, and what is left over when it goes. Engine owned. */
#include "softcx/core/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softcx/core/engine.h"
#include "softcx/core/event.h"
#include "softcx/core/fault.h"
#include "softcx/core/internal.h"
#include "softcx/core/parts.h"
#include "softcx/core/port.h"
#include "softcx/core/trace.h"

void
sc_device_self_loopback(struct sc_device *dev)
{
	bool off = dev->user_tds < 2 && dev->lb_qps == 0;

	dev->disable_uc_local_lb = off;
	dev->disable_mc_local_lb = off;
}

static void
set_up(struct sc_device *dev, uint32_t index, const struct sc_settings *settings)
{
	unsigned int domain, bus, device, function;

	dev->index = index;
	dev->model = settings->model;
	dev->settings = settings;
	snprintf(dev->name, sizeof(dev->name), "softcx%u", index);
	if (sscanf(settings->bdf, "%x:%x:%x.%x", &domain, &bus, &device, &function) == 4)
		snprintf(dev->bdf, sizeof(dev->bdf), "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, device & 0x1f,
			 (function + index) & 7);
	memcpy(dev->mac, settings->mac, sizeof(dev->mac));
	dev->mtu = settings->mtu;
	dev->speed_mbps = settings->speed_mbps;
	dev->admin_up = true;
	dev->carrier = true;
	dev->cable = true;
	dev->link_up = true;
	sc_device_self_loopback(dev);
	dev->account = (struct sc_account){
		.on = settings->uar == SC_UAR_TRAP,
		.mps = settings->bus_mps,
		.mrrs = settings->bus_mrrs,
		.rcb = settings->bus_rcb,
		.overhead = settings->bus_overhead,
	};
}

static int
parts_init(struct sc_device *dev, char *error, size_t size)
{
	const struct sc_part *const *part;
	int ret;

	for (part = sc_parts; *part != NULL; part++) {
		if ((*part)->init == NULL)
			continue;
		ret = (*part)->init(dev, error, size);
		if (ret < 0) {
			if (error != NULL && size > 0 && error[0] == '\0')
				snprintf(error, size, "%s: %s: %s", dev->name, (*part)->name, strerror(-ret));
			while (part-- != sc_parts)
				if ((*part)->fini != NULL)
					(*part)->fini(dev);
			return ret;
		}
	}
	return 0;
}

static void
parts_fini(struct sc_device *dev)
{
	const struct sc_part *const *part = sc_parts;

	while (*part != NULL)
		part++;
	while (part-- != sc_parts)
		if ((*part)->fini != NULL)
			(*part)->fini(dev);
}

int
sc_device_power_on(uint32_t index, const struct sc_settings *settings, struct sc_device **out, char *error,
		   size_t size)
{
	struct sc_device *dev = calloc(1, sizeof(*dev));
	int ret;

	if (error != NULL && size > 0)
		error[0] = '\0';
	if (dev == NULL)
		return -ENOMEM;
	set_up(dev, index, settings);
	ret = sc_objects_init(dev);
	if (ret < 0)
		goto free_dev;
	ret = sc_resource_init(dev);
	if (ret < 0)
		goto free_objects;
	ret = parts_init(dev, error, size);
	if (ret < 0)
		goto free_resources;
	if (settings->fault[0] != '\0') {
		ret = sc_fault_order(dev, settings->fault, error, size);
		if (ret < 0)
			goto fini_parts;
	}
	sc_trace(dev, "power on: %s, %s, mtu %u, %u Mb/s, wire %s, host %s", dev->model->name, dev->bdf, dev->mtu,
		 dev->speed_mbps, settings->wire, settings->host);
	*out = dev;
	return 0;

fini_parts:
	parts_fini(dev);
free_resources:
	sc_fault_clear(dev);
	sc_objects_close(dev, SC_UID_ANY);
free_objects:
	sc_events_free(dev);
	sc_objects_fini(dev);
free_dev:
	free(dev);
	return ret;
}

void
sc_device_power_off(struct sc_device *dev)
{
	size_t left;

	sc_trace(dev, "power off");
	sc_objects_close(dev, SC_UID_ANY);
	parts_fini(dev);
	/* What parts held of the core's resources is free now. */
	left = sc_objects_close(dev, SC_UID_ANY);
	if (left > 0)
		sc_complain(dev, "power off with %zu objects that others still refer to", left);
	sc_fault_clear(dev);
	sc_events_free(dev);
	sc_objects_fini(dev);
	free(dev);
}

uint64_t
sc_device_clock(const struct sc_device *dev)
{
	return sc_now_ns() + dev->clock_offset;
}
