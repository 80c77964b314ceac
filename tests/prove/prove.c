/* SPDX-License-Identifier: BSD-3-Clause */

#include "prove.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#define NAME "net_softcx0"
#define NB_MBUFS 2047
#define NB_DESC 128
#define ROUNDING 128

uint64_t prove_seed;
struct device_calls device;
static bool stepped;

void
fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	fprintf(stderr, "seed=%llu: ", (unsigned long long)prove_seed);
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	abort();
}

uint64_t
chance_next(struct chance *chance)
{
	uint64_t z = chance->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* ---- the device ------------------------------------------------------------------------------------------------- */

static void
load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	CHECK(library != NULL, "%s", dlerror());
	*(void **)&device.exec = dlsym(library, "softcx_exec");
	*(void **)&device.step = dlsym(library, "softcx_step");
	*(void **)&device.census = dlsym(library, "softcx_census");
	*(void **)&device.census_print = dlsym(library, "softcx_census_print");
	*(void **)&device.left_behind = dlsym(library, "softcx_left_behind");
	*(void **)&device.fault = dlsym(library, "softcx_fault");
	CHECK(device.exec && device.step && device.census && device.census_print && device.left_behind && device.fault,
		"%s lacks a function", path);
}

void
device_stepped(bool on)
{
	int rc = device.exec(on ? SOFTCX_STEPPED : SOFTCX_THREADED);

	CHECK(rc == 0, "softcx_exec: %s", strerror(-rc));
	stepped = on;
}

void
device_move(void)
{
	if (stepped)
		CHECK(device.step(0) >= 0, "softcx_step failed");
	else
		sched_yield();
}

void
device_fault(const char *format, ...)
{
	char order[128], error[256] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(order, sizeof(order), format, args);
	va_end(args);
	CHECK(device.fault(0, order, error, sizeof(error)) == 0, "fault %s: %s", order, error);
}

uint64_t
device_objects(void)
{
	struct softcx_census_row rows[128];
	int nb = device.census(-1, rows, 128);
	uint64_t sum = 0;

	CHECK(nb > 0 && nb <= 128, "census: %d rows", nb);
	for (int i = 0; i < nb; i++)
		sum += rows[i].objects;
	return sum;
}

/* ---- the program ------------------------------------------------------------------------------------------------ */

void
prove_open(const char *program, const char *plugin, const char *libsoftcx, unsigned int mem_mb)
{
	char prefix[32], mem[16], self[64], path[4096];
	char *eal[] = { self, "--no-huge", "-m", mem, "--no-pci", "--no-shconf", "--no-telemetry", "-l", "0",
		"--file-prefix", prefix, "-d", path, "--log-level", "pmd.net.mlx5hws:critical",
		"--log-level", "lib.eal:error", "--log-level", "lib.ethdev:critical" };

	snprintf(self, sizeof(self), "%s", program);
	snprintf(prefix, sizeof(prefix), "prove%d", (int)getpid());
	snprintf(mem, sizeof(mem), "%u", mem_mb);
	snprintf(path, sizeof(path), "%s", plugin);
	load(libsoftcx);
	CHECK(rte_eal_init(RTE_DIM(eal), eal) >= 0, "EAL: %s", rte_strerror(rte_errno));
}

void
prove_close(void)
{
	rte_eal_cleanup();
}

uint64_t
option(int argc, char **argv, const char *name, uint64_t fallback)
{
	size_t length = strlen(name);

	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
			return strtoull(argv[i] + length + 1, NULL, 0);
	return fallback;
}

void
option_seed(int argc, char **argv)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	prove_seed = option(argc, argv, "seed", (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* ---- one port --------------------------------------------------------------------------------------------------- */

static void
configure_flow(const struct port *port)
{
	const struct rte_flow_port_attr attr = { .nb_counters = port->counters };
	const struct rte_flow_queue_attr queue = { .size = port->queue_size };
	const struct rte_flow_queue_attr *queues[FLOW_QUEUES_MAX];
	struct rte_flow_error error = { 0 };

	for (uint32_t i = 0; i < port->nb_queues; i++)
		queues[i] = &queue;
	CHECK(rte_flow_configure(port->id, &attr, port->nb_queues, queues, &error) == 0, "rte_flow_configure: %s",
		error.message);
}

void
port_open(struct port *port, const char *settings)
{
	struct rte_eth_conf conf = { .rxmode = { .mq_mode = RTE_ETH_MQ_RX_RSS } };

	conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP;
	if (port->pool == NULL) {
		port->pool = rte_pktmbuf_pool_create_by_ops("frames", NB_MBUFS, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY,
			prove_pool_ops());
		CHECK(port->pool != NULL, "mempool: %s", rte_strerror(rte_errno));
		port->pool_full = rte_mempool_avail_count(port->pool);
	}
	CHECK(rte_vdev_init(NAME, settings) == 0, "vdev %s: %s", settings, rte_strerror(rte_errno));
	CHECK(rte_eth_dev_get_port_by_name(NAME, &port->id) == 0, "no port");
	CHECK(rte_eth_dev_configure(port->id, NB_RX, NB_RX, &conf) == 0, "configure");
	for (uint16_t i = 0; i < NB_RX; i++) {
		CHECK(rte_eth_rx_queue_setup(port->id, i, NB_DESC, SOCKET_ID_ANY, NULL, port->pool) == 0, "rx queue %u", i);
		CHECK(rte_eth_tx_queue_setup(port->id, i, NB_DESC, SOCKET_ID_ANY, NULL) == 0, "tx queue %u", i);
	}
	configure_flow(port);
	CHECK(rte_eth_promiscuous_enable(port->id) == 0, "promiscuous");
	CHECK(rte_eth_dev_start(port->id) == 0, "start");
}

void
port_check_gone(const struct port *port)
{
	uint64_t objects = device_objects();

	if (objects != 0)
		device.census_print(-1, stderr);
	CHECK(objects == 0, "%llu objects of the device are left", (unsigned long long)objects);
	CHECK(rte_mempool_avail_count(port->pool) == port->pool_full, "%u of %u mbufs came home",
		rte_mempool_avail_count(port->pool), port->pool_full);
}

void
port_close(struct port *port)
{
	CHECK(rte_eth_dev_stop(port->id) == 0, "stop");
	CHECK(rte_eth_dev_close(port->id) == 0, "close");
	port_remove(port);
}

void
port_remove(struct port *port)
{
	CHECK(rte_vdev_uninit(NAME) == 0, "removal");
	port_check_gone(port);
}

/* ---- books ------------------------------------------------------------------------------------------------------ */

static uint64_t
rss_kib(void)
{
	unsigned long size, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (file == NULL)
		return 0;
	if (fscanf(file, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

void
books_exact(char **argv)
{
	static const char exact[] = "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0";
	const char *now = getenv("GLIBC_TUNABLES");

	if (now != NULL && strcmp(now, exact) == 0)
		return;
	setenv("GLIBC_TUNABLES", exact, 1);
	execv("/proc/self/exe", argv);
	fail("execv: %s", strerror(errno));
}

void
books_compare(const struct books *first, const struct books *now, uint64_t slack_kib)
{
	CHECK(now->heap <= first->heap + ROUNDING, "heap grew from %zu to %zu bytes", first->heap, now->heap);
	CHECK(now->dpdk <= first->dpdk, "dpdk heap grew from %zu to %zu bytes", first->dpdk, now->dpdk);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	/* They keep what was freed, and shadows of it. */
	slack_kib = UINT32_MAX;
#endif
	CHECK(now->rss_kib <= first->rss_kib + slack_kib, "resident memory grew from %llu to %llu KiB",
		(unsigned long long)first->rss_kib, (unsigned long long)now->rss_kib);
}

void
books_take(struct books *books)
{
	struct rte_malloc_socket_stats stats = { 0 };
	struct mallinfo2 info;

	malloc_trim(0);
	info = mallinfo2();
	rte_malloc_get_socket_stats(0, &stats);
	books->heap = info.uordblks + info.hblkhd;
	books->dpdk = stats.heap_allocsz_bytes;
	books->rss_kib = rss_kib();
	books->left_behind = device.left_behind();
}
