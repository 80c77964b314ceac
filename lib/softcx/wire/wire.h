/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a port is plugged into, and what is on its host side. README.md here has the grammar for users.
 *
 * 	wire:  null | loop | pair:DEVICE | pcap[:in=FILE][,out=FILE][,...] | tap:NAME | gen[:count=N][,...]
 * 	host:  count | tap:NAME | pcap:FILE
 *
 * The options behind the first ':' are separated by ',' or ';' and may stand in brackets:
 * pcap:[in=a,out=b].
 *
 * Threads: the engine's thread.
 */
#ifndef SOFTCX_WIRE_H
#define SOFTCX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_device;
struct sc_wire;
struct sc_host;

struct sc_wire_counters {
	uint64_t rx_frames, rx_octets; /* from the wire into the port */
	uint64_t tx_frames, tx_octets; /* out of the port */
	uint64_t lost;                 /* refused by the other end (a full tap) */
};

/*
 * Plug dev into the wire spec names; dev->wire is set. NULL or "" is "null". A pair's other end may be
 * opened later.
 * @return 0; -EINVAL for a wrong spec, -errno of the file or tap otherwise; error (of size bytes) then
 * holds one line that names the wrong word and the allowed ones.
 */
int sc_wire_open(struct sc_device *dev, const char *spec, char *error, size_t size);
void sc_wire_close(struct sc_device *dev);

/* The same for the host side: dev->host. NULL or "" is "count". */
int sc_host_open(struct sc_device *dev, const char *spec, char *error, size_t size);
void sc_host_close(struct sc_device *dev);

/*
 * Does the wire of dev lead to a port that does not name it back, or, for a port of SOFTCX, to none at
 * all? Those of functions may come later. @return 0; -EINVAL with one line in error.
 */
int sc_wire_check_peer(struct sc_device *dev, char *error, size_t size);

/* Check a spec without opening anything. */
int sc_wire_check(const char *spec, char *error, size_t size);
int sc_host_check(const char *spec, char *error, size_t size);

/*
 * Has a wire with an end (pcap in, gen with a count) said everything and has the device taken all of
 * it?
 */
bool sc_wire_done(const struct sc_device *dev);
const struct sc_wire_counters *sc_wire_counters(const struct sc_device *dev);

/*
 * For nic/: send a frame; room for more (false: the other end's queue is full, stop sending); take at most
 * max frames in and give each to sc_nic_wire_input (nic/port.h); the same where the frames are the
 * kernel's; descriptor that wakes (-1: none); how long it may sleep.
 *
 * Asking the kernel is a call into it, which costs as much as several rules or packets (1 us on some
 * machines). busy: the device has work of its own, and one answer "nothing" does for 16 such rounds.
 */
void sc_wire_send(struct sc_device *dev, const uint8_t *frame, uint32_t len);
bool sc_wire_ready(const struct sc_device *dev);
uint32_t sc_wire_poll(struct sc_device *dev, uint32_t max);
uint32_t sc_wire_ask(struct sc_device *dev, uint32_t max, bool busy);
int sc_wire_fd(const struct sc_device *dev);
uint32_t sc_wire_sleep_us(const struct sc_device *dev);

void sc_host_send(struct sc_device *dev, const uint8_t *frame, uint32_t len);
/* Frames the host's kernel sends go out of the port; busy as above. */
uint32_t sc_host_poll(struct sc_device *dev, uint32_t max, bool busy);
int sc_host_fd(const struct sc_device *dev);
int sc_host_netdev_fd(const struct sc_device *dev); /* news of the port's netdev */
const char *sc_host_netdev_name(const struct sc_device *dev); /* its interface; "": none */
uint32_t sc_host_sleep_us(const struct sc_device *dev);

#endif
