/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Faults to order. Text, the same for softcx_fault() and the setting fault=A+B:
 *	cmd:OPCODE[:NTH[:STATUS]]   the NTH (1) next command OPCODE (name or number) is refused with STATUS (0x1)
 *	sq:SQN|*[:NTH[:SYNDROME]]   the NTH next WQE of the send queue ends in an error CQE (0x02)
 *	rq:RQN|*[:NTH[:SYNDROME]]   the NTH next packet for the receive queue
 *	packet:SQN|*[:NTH[:SYNDROME]]  the NTH next packet that the send queue would send is not sent, and its
 *	                            WQE ends in an error CQE (0x04); packets of the same WQE before it are gone
 *	cq:CQN|*[:NTH]              the NTH next completion overruns the queue
 *	stop:SQN  go:SQN            the send queue stands still; moves on
 *	link:down  link:up          the cable is pulled; plugged
 *	die                         the device answers nothing any more
 *	clear                       forget what was ordered (not: die)
 * Each one but stop happens once; the first five happen TIMES times, every NTH, where :TIMES follows all
 * other words (0: until clear).
 */
#ifndef SOFTCX_FAULT_H
#define SOFTCX_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softcx/core/device.h"

/* @return 0; -EINVAL with a line in error. Engine's thread. */
int sc_fault_order(struct sc_device *dev, const char *text, char *error, size_t size);

void sc_fault_clear(struct sc_device *dev);

/* Status to refuse a command with, or 0. */
uint8_t sc_fault_command(struct sc_device *dev, uint16_t opcode);

/* For nic/, before each WQE or packet: use the inline ones; they cost one test while nothing is ordered. */
uint8_t sc_fault_queue_slow(struct sc_device *dev, enum sc_type type, uint32_t id);
uint8_t sc_fault_packet_slow(struct sc_device *dev, uint32_t sqn);
bool sc_fault_stopped_slow(struct sc_device *dev, uint32_t sqn);

/*
 * Syndrome of the error CQE that this WQE shall end with, or 0. type: SC_SQ or SC_RQ. SC_CQ: shall it
 * overrun?
 */
static inline uint8_t
sc_fault_queue(struct sc_device *dev, enum sc_type type, uint32_t id)
{
	return __builtin_expect(dev->faults != NULL, 0) ? sc_fault_queue_slow(dev, type, id) : 0;
}

/* Syndrome of the error CQE that this packet's WQE shall end with, or 0. */
static inline uint8_t
sc_fault_packet(struct sc_device *dev, uint32_t sqn)
{
	return __builtin_expect(dev->faults != NULL, 0) ? sc_fault_packet_slow(dev, sqn) : 0;
}

static inline bool
sc_fault_stopped(struct sc_device *dev, uint32_t sqn)
{
	return __builtin_expect(dev->faults != NULL, 0) && sc_fault_stopped_slow(dev, sqn);
}

#endif
