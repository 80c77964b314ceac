/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One device = one port: its model, its objects, its counters and what it is plugged into.
 */
#ifndef SOFTCX_DEVICE_H
#define SOFTCX_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "softcx/core/account.h"
#include "softcx/core/object.h"

struct sc_fault_list; /* core/fault.c */
struct sc_event_queue;
struct sc_wire;
struct sc_host;
struct sc_steering; /* steer/: root tables, per-device scratch */
struct sc_nic;      /* nic/: queues in order, per-device scratch */
struct sc_objects;  /* core/object.c */
struct sc_settings;

struct sc_model {
	const char *name;     /* "cx7" */
	uint16_t pci_device;  /* 0x1021 */
	const char *fw_ver;
	uint32_t caps;        /* column of the capability tables (cmd/capability.c) */
};

/* "cx7", "cx6dx"; ends with a name of NULL. */
extern const struct sc_model sc_models[];

enum sc_cast { SC_UNICAST, SC_MULTICAST, SC_BROADCAST, SC_CASTS };

/* Counted by nic/ and steer/, read by the port functions of softcx.h and by counter commands. */
struct sc_port_counters {
	uint64_t rx_frames, rx_octets; /* all, and by what the destination address is */
	uint64_t tx_frames, tx_octets;
	uint64_t rx_frames_of[SC_CASTS], rx_octets_of[SC_CASTS];
	uint64_t tx_frames_of[SC_CASTS], tx_octets_of[SC_CASTS];
	uint64_t rx_steering_discard; /* no rule took it */
	uint64_t rx_too_long, rx_link_down, tx_too_long, tx_link_down;
	uint64_t host_frames, host_octets; /* passed to the kernel's side */
	uint64_t host_lost;                /* of them: it did not take them */
};

struct sc_device {
	uint32_t index;        /* 0.. in the engine's order */
	char name[16];         /* "softcx0": the ibv_device name */
	char bdf[16];          /* "0000:51:00.0" */
	const struct sc_model *model;
	const struct sc_settings *settings;

	/* port: core/port.h moves the link */
	uint8_t mac[6];
	uint32_t mtu;          /* IP MTU; longest frame is mtu + 22 */
	uint32_t speed_mbps;
	bool admin_up, carrier, cable; /* the link is up when all three are */
	bool link_up, promisc, allmulti;
	bool loopback;         /* PPLR: everything sent comes back */
	bool disable_uc_local_lb, disable_mc_local_lb; /* NIC vport context; set at power-on, as by Linux */
	uint32_t user_tds;     /* transport domains of users: the second one clears both bits, as the kernel does */
	uint32_t lb_qps;       /* verbs queue pairs that ask for self-loopback: so does the first of these */
	struct sc_port_counters port;
	struct sc_wire *wire;
	struct sc_host *host;

	uint64_t clock_offset; /* the port's clock is sc_now_ns() plus this, modulo 2^64 */
	bool dead;             /* ordered to die: answers nothing any more */
	struct sc_objects *objects;
	struct sc_steering *steering;
	struct sc_nic *nic;
	struct sc_fault_list *faults; /* NULL: none ordered */
	struct sc_event_queue *event_queues;
	struct sc_account account;
	uint64_t doorbells_arm;
	uint16_t next_uid;
	uint32_t contexts;     /* open on it */
	bool by_function;      /* made by sc_port_create */
	char last_error[256];
};

/* Whether the vport hears itself, after user_tds or lb_qps have changed. */
void sc_device_self_loopback(struct sc_device *dev);

/*
 * The port's clock: a counter of nanoseconds (1 GHz). Free-running timestamps show it as it is, real-time
 * ones as seconds << 32 | nanoseconds. Wires, periods and patience do not follow it when it is set.
 */
uint64_t sc_device_clock(const struct sc_device *dev);

#endif
