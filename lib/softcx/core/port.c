/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/core/port.h"

#include "softcx/core/device.h"
#include "softcx/core/event.h"
#include "softcx/core/trace.h"

static void
update(struct sc_device *dev)
{
	bool up = dev->admin_up && dev->carrier && dev->cable && !dev->dead;

	if (up == dev->link_up)
		return;
	dev->link_up = up;
	sc_trace(dev, "link is %s", up ? "up" : "down");
	sc_event_raise(dev, up ? SC_ASYNC_PORT_ACTIVE : SC_ASYNC_PORT_ERR, 1);
}

void
sc_port_admin(struct sc_device *dev, bool up)
{
	dev->admin_up = up;
	update(dev);
}

void
sc_port_carrier(struct sc_device *dev, bool up)
{
	dev->carrier = up;
	update(dev);
}

void
sc_port_cable(struct sc_device *dev, bool in)
{
	dev->cable = in;
	update(dev);
}

void
sc_device_die(struct sc_device *dev)
{
	if (dev->dead)
		return;
	dev->dead = true;
	sc_complain(dev, "the device died, as ordered");
	update(dev);
	sc_event_raise(dev, SC_ASYNC_DEVICE_FATAL, 1);
}
