/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the programs of this folder share: EAL without root and huge pages, our driver on a softcx port, a seed, and the
 * books that must balance: objects of the device, heap, DPDK's heap, mbufs.
 *
 * Whatever is wrong ends the program with one line that has the seed in it.
 */
#ifndef TESTS_PROVE_H
#define TESTS_PROVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_mempool.h>

#include "softcx/front/softcx.h"

#define NB_RX 4
#define FLOW_QUEUES_MAX 8

/* ---- complaints ------------------------------------------------------------------------------------------------- */

/* Printed with every complaint. */
extern uint64_t prove_seed;

void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(condition, ...) \
	do { \
		if (!(condition)) \
			fail(__VA_ARGS__); \
	} while (0)

/* ---- numbers by chance ------------------------------------------------------------------------------------------ */

struct chance {
	uint64_t state;
};

uint64_t chance_next(struct chance *chance);
/* 0 .. n - 1 */
static inline uint32_t
chance_below(struct chance *chance, uint32_t n)
{
	return (uint32_t)((chance_next(chance) >> 32) * n >> 32);
}

/* ---- the device ------------------------------------------------------------------------------------------------- */

extern struct device_calls {
	int (*exec)(enum softcx_exec_mode mode);
	int64_t (*step)(unsigned int max_rounds);
	int (*census)(int index, struct softcx_census_row *rows, unsigned int max);
	uint64_t (*left_behind)(void);
	void (*census_print)(int index, FILE *out);
	int (*fault)(unsigned int index, const char *order, char *error, size_t size);
} device;

/* Switch, and remember, so that device_move() knows whether it has to do anything. */
void device_stepped(bool stepped);
/* Stepped: let the device work until it is idle. Threaded: yield. */
void device_move(void);
void device_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Objects of all ports. */
uint64_t device_objects(void);

/* ---- the program ------------------------------------------------------------------------------------------------ */

/* EAL and libraries. mem_mb: for mempools. */
void prove_open(const char *program, const char *plugin, const char *libsoftcx, unsigned int mem_mb);
void prove_close(void);

/* "name=value" among the words, as a number. */
uint64_t option(int argc, char **argv, const char *name, uint64_t fallback);
/* "seed=": given, or from the clock. Goes to prove_seed. */
void option_seed(int argc, char **argv);

/* ---- one port --------------------------------------------------------------------------------------------------- */

struct port {
	uint16_t id;
	uint32_t nb_queues;      /* flow queues */
	uint32_t queue_size;
	uint32_t counters;
	struct rte_mempool *pool;
	unsigned int pool_full;
};

/* Name of the mempool operations that these programs bring (pool.c). */
const char *prove_pool_ops(void);

/* Device net_softcx0 with these settings, flow engine configured, started, promiscuous. */
void port_open(struct port *port, const char *settings);
/* Stop, close, gone. Nothing may be left. */
void port_close(struct port *port);
/* Gone without stop and close. */
void port_remove(struct port *port);
/* All books: objects 0, nothing left behind for the device to clear, every mbuf home. */
void port_check_gone(const struct port *port);

/* ---- books ------------------------------------------------------------------------------------------------------ */

struct books {
	size_t heap;       /* malloc: bytes in use, mapped ones too */
	size_t dpdk;       /* rte_malloc: bytes in use */
	uint64_t rss_kib;
	uint64_t left_behind;
};

/*
 * First call of main: runs the program anew with one malloc arena and no per-thread caches (which count as in use), so that
 * heap is exact.
 */
void books_exact(char **argv);
void books_take(struct books *books);
/*
 * now is no more than first: heap within what malloc rounds (a remainder of 16 bytes stays with its chunk), resident memory
 * within slack_kib.
 */
void books_compare(const struct books *first, const struct books *now, uint64_t slack_kib);

#endif
