/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Where wires and the host side give frames to the device. Engine's thread.
 */
#ifndef SOFTCX_NIC_PORT_H
#define SOFTCX_NIC_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct sc_device;

/*
 * A frame (without FCS) comes in by the port. hold: when its receive queue has no WQE, it waits for
 * one, and sc_nic_holds is true until it has it, instead of being dropped as a wire's frame would be.
 */
void sc_nic_wire_input(struct sc_device *dev, const uint8_t *frame, uint32_t len, uint64_t timestamp_ns,
	bool hold);
bool sc_nic_holds(const struct sc_device *dev);

/*
 * A frame waits in line for the device's next round, as from its wire; for wires whose other end is a
 * device. Lines are not bounded: ask sc_nic_line_full of the receiver before sending.
 */
void sc_nic_line_put(struct sc_device *dev, const uint8_t *frame, uint32_t len, bool hold);
bool sc_nic_line_full(const struct sc_device *dev);

/* Does steering lead to receive queues in RDY that have WQEs? A wire with a beginning waits for that. */
bool sc_nic_listens(const struct sc_device *dev);

/* Device time of the round now running. */
uint64_t sc_nic_now(const struct sc_device *dev);

/* A frame that the host's kernel sends through the port. */
void sc_port_host_output(struct sc_device *dev, const uint8_t *frame, uint32_t len);

#endif
