/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Settings of one port, read from "key=value,key=value". The keys are rows of one table (settings.c), which
 * also writes the help text and the refusals. A value may stand in brackets, and then holds commas:
 * wire=[pcap:in=a,out=b]. A key followed by a port number ("wire1=loop") speaks to that port alone.
 */
#ifndef SOFTCX_SETTINGS_H
#define SOFTCX_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SC_PORTS_MAX 8     /* devices alive at one time, however made */
#define SC_PORTS_ENV_MAX 4 /* of them by ports=N */

enum sc_exec { SC_EXEC_THREADED, SC_EXEC_STEPPED };
enum sc_uar_mode { SC_UAR_POLL, SC_UAR_TRAP };

struct sc_settings {
	const struct sc_model *model;
	uint32_t ports;
	char bdf[16];           /* of port 0; port n is function n of it */
	char wire[512], host[256], trace[256], fault[512];
	char netdev[16];        /* interface whose address, MTU and flags the port follows; "" the host side's tap */
	char sysfs[256];        /* softcx-run's folder of fake device directories; "" none */
	char census[256];       /* file that the census is appended to at exit and on SIGUSR2; "" none */
	uint32_t exec, uar;     /* one answer for the whole process */
	uint32_t speed_mbps;
	uint32_t mtu;
	uint8_t mac[6];
	uint32_t log_max_wq_sz, log_max_cq_sz; /* ring limits offered: log2 of entries */
	uint32_t ts_format;     /* 0 free running, 1 real time: what the port's queues default to */
	uint32_t cqe_comp_us;   /* a compressed session's patience for a packet; 0: to the round's end */
	uint64_t seed;
	uint32_t step_ns;       /* device time that one softcx_step takes */
	uint32_t bus_mps, bus_mrrs, bus_rcb, bus_overhead; /* account.h */
	uint32_t verbose;       /* 1: refusals to stderr */
};

void sc_settings_default(struct sc_settings *s, uint32_t port);

/*
 * Apply text for the port of that number on top of s. @return 0, or -EINVAL with one line in error that
 * names the key, the value and what is allowed.
 */
int sc_settings_parse(struct sc_settings *s, uint32_t port, const char *text, char *error, size_t size);

/* Is key, with or without a port number behind it, one of the settings? */
bool sc_setting_known(const char *key);

/* Do a and b agree in what belongs to the process? @return the key they differ in, or NULL. */
const char *sc_settings_process_conflict(const struct sc_settings *a, const struct sc_settings *b);

/* Copy what belongs to the process. */
void sc_settings_process_copy(struct sc_settings *to, const struct sc_settings *from);

/* One line per key: name, default, meaning. */
void sc_settings_help(FILE *out);

#endif
