/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A plugin for any DPDK program on softcx (EAL's -d): carries out lines written to the named pipe
 * $SOFTCX_ORDERS, so that a test outside can break the device under a driver. Each line is answered by
 * one line appended to $SOFTCX_ORDERS.out.
 *
 *   bus PORT             softcx_bus, one line; queues PORT rx|tx: softcx_queue_bus of all of them
 *   clock PORT [NS]      softcx_clock_get, softcx_clock_set; ethclock PORT: rte_eth_read_clock
 *   fault PORT ORDER     softcx_fault: "fault 0 die", "fault 0 link:down"
 *   doorbells PORT       the counters of softcx_doorbells as name=value
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "softcx/front/softcx.h"

/* Preloaded, or opened by the driver for itself alone. */
static void *
find(const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name), *library;

	if (symbol != NULL)
		return symbol;
	library = dlopen("libsoftcx.so", RTLD_LAZY | RTLD_NOLOAD);
	return library == NULL ? NULL : dlsym(library, name);
}

static void
order_fault(FILE *answers, unsigned int port, const char *order)
{
	int (*fault)(unsigned int index, const char *order, char *error, size_t size);
	char error[128] = "";

	*(void **)&fault = find("softcx_fault");
	if (fault == NULL || fault(port, order, error, sizeof(error)) != 0)
		fprintf(answers, "failed: %s\n", fault == NULL ? "no softcx here" : error);
	else
		fprintf(answers, "done\n");
}

static void
tell_doorbells(FILE *answers, unsigned int port)
{
	int (*doorbells)(unsigned int index, struct softcx_doorbells *counts);
	struct softcx_doorbells c = { 0 };

	*(void **)&doorbells = find("softcx_doorbells");
	if (doorbells == NULL || doorbells(port, &c) != 0)
		fprintf(answers, "failed: no such port\n");
	else
		fprintf(answers, "rung=%" PRIu64 " idle=%" PRIu64 " mismatch=%" PRIu64 " stray=%" PRIu64
			" forgotten=%" PRIu64 " wqes=%" PRIu64 "\n",
			c.rung, c.idle, c.mismatch, c.stray, c.forgotten, c.wqes);
}

/* "kind=operations/bytes", as asked for */
static void
print_bus(FILE *answers, const struct softcx_bus_row *rows, int n)
{
	for (int i = 0; i < n; i++)
		fprintf(answers, "%s%s=%" PRIu64 "/%" PRIu64, i == 0 ? "" : ",", rows[i].kind, rows[i].operations,
			rows[i].bytes);
}

static void
tell_bus(FILE *answers, unsigned int port)
{
	int (*bus)(unsigned int index, struct softcx_bus_row *rows, unsigned int max);
	struct softcx_bus_row rows[16];
	int n;

	*(void **)&bus = find("softcx_bus");
	n = bus == NULL ? -1 : bus(port, rows, 16);
	print_bus(answers, rows, n);
	fprintf(answers, n < 0 ? "failed: no such port\n" : "\n");
}

/* "number:kind=operations/bytes,...;number:..." for all queues of one way */
static void
tell_queues(FILE *answers, unsigned int port, enum softcx_queue_type type)
{
	int (*next)(unsigned int index, enum softcx_queue_type type, uint32_t after, uint32_t *number);
	int (*bus)(unsigned int index, enum softcx_queue_type type, uint32_t number, struct softcx_bus_row *rows,
		unsigned int max);
	struct softcx_bus_row rows[16];
	uint32_t number = UINT32_MAX;

	*(void **)&next = find("softcx_queue_next");
	*(void **)&bus = find("softcx_queue_bus");
	for (int i = 0; next != NULL && bus != NULL && next(port, type, number, &number) == 0; i++) {
		fprintf(answers, "%s%" PRIu32 ":", i == 0 ? "" : ";", number);
		print_bus(answers, rows, bus(port, type, number, rows, 16));
	}
	fprintf(answers, "\n");
}

/* The port's clock by softcx, and by ethdev ("ethclock"), so that the two can be compared. */
static void
tell_clock(FILE *answers, unsigned int port)
{
	int (*get)(unsigned int index, uint64_t *ns);
	uint64_t ns;

	*(void **)&get = find("softcx_clock_get");
	if (get == NULL || get(port, &ns) != 0)
		fprintf(answers, "failed: no such port\n");
	else
		fprintf(answers, "%" PRIu64 "\n", ns);
}

static void
set_clock(FILE *answers, unsigned int port, uint64_t ns)
{
	int (*set)(unsigned int index, uint64_t ns);

	*(void **)&set = find("softcx_clock_set");
	fprintf(answers, set == NULL || set(port, ns) != 0 ? "failed: no such port\n" : "done\n");
}

static void
tell_ethclock(FILE *answers, unsigned int port)
{
	int (*read_clock)(uint16_t port, uint64_t *clock);
	uint64_t clock;
	int ret;

	*(void **)&read_clock = dlsym(RTLD_DEFAULT, "rte_eth_read_clock");
	ret = read_clock == NULL ? -1 : read_clock((uint16_t)port, &clock);
	if (ret != 0)
		fprintf(answers, "failed: rte_eth_read_clock: %d\n", ret);
	else
		fprintf(answers, "%" PRIu64 "\n", clock);
}

static void *
serve(void *arg)
{
	const char *path = arg;
	char out[4096], line[256], order[128];
	unsigned int port;
	uint64_t ns;
	FILE *orders, *answers;

	snprintf(out, sizeof(out), "%s.out", path);
	answers = fopen(out, "a");
	orders = fopen(path, "r+"); /* also as a writer: no end of file between two writers */
	while (orders != NULL && answers != NULL && fgets(line, sizeof(line), orders) != NULL) {
		if (sscanf(line, "fault %u %127s", &port, order) == 2)
			order_fault(answers, port, order);
		else if (sscanf(line, "doorbells %u", &port) == 1)
			tell_doorbells(answers, port);
		else if (sscanf(line, "clock %u %" SCNu64, &port, &ns) == 2)
			set_clock(answers, port, ns);
		else if (sscanf(line, "clock %u", &port) == 1)
			tell_clock(answers, port);
		else if (sscanf(line, "ethclock %u", &port) == 1)
			tell_ethclock(answers, port);
		else if (sscanf(line, "bus %u", &port) == 1)
			tell_bus(answers, port);
		else if (sscanf(line, "queues %u %7s", &port, order) == 2)
			tell_queues(answers, port, strcmp(order, "rx") == 0 ? SOFTCX_RQ : SOFTCX_SQ);
		else
			fprintf(answers, "failed: not an order\n");
		fflush(answers);
	}
	return NULL;
}

__attribute__((constructor)) static void
begin(void)
{
	static char path[4000];
	const char *given = getenv("SOFTCX_ORDERS");
	pthread_t thread;

	if (given == NULL)
		return;
	snprintf(path, sizeof(path), "%s", given);
	if (pthread_create(&thread, NULL, serve, path) == 0)
		pthread_detach(thread);
}
