/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * State of the port that several rooms move: administrative state (host), carrier (wire), cable (faults).
 * The link is up when all three are; a change raises an event.
 */
#ifndef SOFTCX_PORT_H
#define SOFTCX_PORT_H

#include <stdbool.h>

#define SC_MTU_MIN 68
#define SC_MTU_MAX 9978 /* the longest frame is 10000 bytes */

struct sc_device;

void sc_port_admin(struct sc_device *dev, bool up);
void sc_port_carrier(struct sc_device *dev, bool up); /* wire/ */
void sc_port_cable(struct sc_device *dev, bool in);   /* faults */

/*
 * The device dies: commands but those that destroy are refused, queues stand still, a fatal event is
 * raised.
 */
void sc_device_die(struct sc_device *dev);

#endif
