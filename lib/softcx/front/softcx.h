/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * softcx, the software ConnectX: what a program may ask of it beside the verbs functions that libsoftcx.so
 * exports. The only header of softcx for the vdev probe, apps and tests. All functions are found by dlsym
 * in libsoftcx.so too; they may be called from any thread. Those that return int give 0 or -errno.
 *
 * Ports come from the environment, SOFTCX="key=value,..." (docs: softcx_settings_help), or from
 * softcx_port_create. Each port is one verbs device named "softcx<index>".
 */
#ifndef SOFTCX_H
#define SOFTCX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTCX_PORTS_MAX 8

/* ---- ports and settings -------------------------------------------------------------------------------- */

/*
 * Make a port, from settings text such as "model=cx7,wire=pcap:in=x.pcap,uar=trap"; what the text leaves
 * open comes from SOFTCX, then from the defaults. Its wire is plugged in at once. exec, uar, seed and trace
 * belong to the process: a port may repeat them, not change them.
 * @return its index (>= 0); -errno with one line in error (may be NULL) that names the wrong key and what
 * is allowed.
 */
int softcx_port_create(const char *settings, char *error, size_t size);

/* Unplug and forget it. -EBUSY while a verbs context is open on it. */
int softcx_port_destroy(unsigned int index);

/* Is key ("wire", "wire1") one of the settings? So that a driver can tell its own devargs from softcx's. */
bool softcx_setting_known(const char *key);
void softcx_settings_help(FILE *out);

/* Index of the verbs device of that name ("softcx0"), or -ENODEV. */
int softcx_port_index(const char *ibdev_name);

/* ---- time ---------------------------------------------------------------------------------------------- */

enum softcx_exec_mode { SOFTCX_THREADED, SOFTCX_STEPPED };

/* Switch the engine. Returns when no other thread moves queues any more, or when one does again. */
int softcx_exec(enum softcx_exec_mode mode);

/*
 * Stepped: let the devices work until all are idle, at most max_rounds rounds (0: no limit).
 * @return units of work done (WQEs and frames); -EINVAL while threaded.
 */
int64_t softcx_step(unsigned int max_rounds);

/* Time of the engine, nanoseconds; never goes back. Wires and moderation go by it. */
uint64_t softcx_now_ns(void);

/*
 * The clock of a port, which timestamps show: nanoseconds at 1 GHz, softcx_now_ns() until it is set.
 * Setting it moves free-running timestamps (the number itself) and real-time ones (seconds << 32 |
 * nanoseconds) together, also those of packets that are on their way.
 */
int softcx_clock_get(unsigned int index, uint64_t *ns);
int softcx_clock_set(unsigned int index, uint64_t ns);

/* ---- what is there ------------------------------------------------------------------------------------- */

struct softcx_census_row {
	const char *type;
	uint64_t objects; /* alive; a range is one */
	uint64_t ids;     /* numbers they occupy */
	uint64_t refs;    /* references between them */
	uint64_t bytes;   /* host memory they cover (umem, mkey) or hold (STEs, arguments) */
};

/*
 * Count what lives on port index (-1: all ports together). A port without power has nothing.
 * @return number of rows, of which at most max are written, in a fixed order; types without objects included.
 */
int softcx_census(int index, struct softcx_census_row *rows, unsigned int max);

/*
 * Objects that verbs contexts had not destroyed when they were closed (the device then does), in the whole
 * process so far.
 */
uint64_t softcx_left_behind(void);

/* The census as text, one line a type that has objects; then a sum, and what was left behind, if anything. */
void softcx_census_print(int index, FILE *out);

/*
 * Does address lie in memory that the devices keep for themselves (STEs, arguments, counters) and that
 * /proc/self/smaps does not show by the name "softcx ..."? So that a program can tell it from a driver's.
 */
bool softcx_holds(const void *address);

struct softcx_bus_row {
	const char *kind; /* "doorbell", "record", "wqe", "data read", "data write", "cqe" */
	uint64_t operations, bytes;
	uint64_t packets_down, bytes_down; /* host to device: headers and framing counted */
	uint64_t packets_up, bytes_up;
};

/*
 * What the port moved over PCI Express. Counted under uar=trap only. @return rows, at most max written;
 * -ENODEV.
 */
int softcx_bus(unsigned int index, struct softcx_bus_row *rows, unsigned int max);
void softcx_bus_reset(unsigned int index); /* not the queues' */

/*
 * The same for one queue, by its number: doorbells rung for it (send queues), records, work requests and
 * data read, data and completions written. @return rows, at most max written; -ENODEV; -ENOENT: no such
 * queue.
 */
enum softcx_queue_type { SOFTCX_SQ, SOFTCX_RQ };
int softcx_queue_bus(unsigned int index, enum softcx_queue_type type, uint32_t number,
		     struct softcx_bus_row *rows, unsigned int max);
/* The queue with the next number behind after (UINT32_MAX: the first one). @return 0, -ENOENT: none. */
int softcx_queue_next(unsigned int index, enum softcx_queue_type type, uint32_t after, uint32_t *number);
/* The formula with its settings, in words. */
void softcx_bus_formula(unsigned int index, FILE *out);

/* Doorbells seen under uar=trap. */
struct softcx_doorbells {
	uint64_t rung;     /* stores to send registers */
	uint64_t idle;     /* of them: the record had not moved */
	uint64_t mismatch; /* of them: the WQE rung for does not end at the record */
	uint64_t stray;    /* stores that no register or queue answers to */
	uint64_t arm;      /* stores to the completion register */
	uint64_t forgotten; /* send queues whose record is, or was at their end, ahead of the last doorbell */
	uint64_t wqes;     /* work requests executed */
};
int softcx_doorbells(unsigned int index, struct softcx_doorbells *counts);

struct softcx_steering {
	uint64_t entries;                    /* of rules in hardware tables, now */
	uint64_t inserted, deleted, failed;  /* operations on them; failed: no room, nothing there */
	uint64_t arguments;                  /* written */
	uint64_t rule_drops, miss_drops;     /* frames that a rule dropped; that met no rule, or a dead end */
	uint64_t loop_drops, action_drops;   /* frames that went round; that an action could not be carried out on */
};
int softcx_steering(unsigned int index, struct softcx_steering *counts);

/* Why the device last refused something: copied into text. */
int softcx_last_error(unsigned int index, char *text, size_t size);

/* ---- faults to order ----------------------------------------------------------------------------------- */

/*
 * cmd:OPCODE[:NTH[:STATUS]] | sq:SQN|*[:NTH[:SYNDROME]] | rq:RQN|*[:NTH[:SYNDROME]] |
 * packet:SQN|*[:NTH[:SYNDROME]] | cq:CQN|*[:NTH] | stop:SQN | go:SQN | link:down | link:up | die | clear;
 * several joined by '+'. doc/softcx.md.
 */
int softcx_fault(unsigned int index, const char *order, char *error, size_t size);

/* ---- the host's side of the port: what a netdev would answer ------------------------------------------- */

struct softcx_link {
	bool up;        /* administratively up, carrier, cable */
	bool admin_up;
	uint32_t speed_mbps;
};

struct softcx_stats {
	uint64_t rx_frames, rx_octets, rx_unicast, rx_multicast, rx_broadcast;
	uint64_t tx_frames, tx_octets, tx_unicast, tx_multicast, tx_broadcast;
	uint64_t rx_steering_discard, rx_too_long, rx_link_down, tx_too_long, tx_link_down;
	uint64_t rx_out_of_buffer; /* sum of the queue counters */
	uint64_t host_frames, host_octets; /* passed to the kernel */
	uint64_t host_lost;                /* of them: it did not take them */
};

int softcx_port_mac_get(unsigned int index, uint8_t mac[6]);
int softcx_port_mac_set(unsigned int index, const uint8_t mac[6]); /* -EINVAL: multicast or zero */
int softcx_port_mtu_get(unsigned int index, uint32_t *mtu);
int softcx_port_mtu_set(unsigned int index, uint32_t mtu);         /* 68..9978 */
int softcx_port_link(unsigned int index, struct softcx_link *link);
int softcx_port_set_up(unsigned int index, bool up);
int softcx_port_promisc_set(unsigned int index, bool on);
int softcx_port_allmulti_set(unsigned int index, bool on);
/* Everything transmitted comes back as received (register PPLR). */
int softcx_port_loopback_set(unsigned int index, bool on);
int softcx_port_stats(unsigned int index, struct softcx_stats *stats);
int softcx_port_stats_reset(unsigned int index);

/*
 * A wire with an end (pcap in, gen with a count): 1 when it has said everything and the device took it; 0;
 * -errno.
 */
int softcx_wire_done(unsigned int index);

#ifdef __cplusplus
}
#endif

#endif
