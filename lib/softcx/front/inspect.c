/* SPDX-License-Identifier: BSD-3-Clause */

#include "softcx/front/inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "softcx/front/softcx.h"

static char file[256];
static int asked_fd = -1; /* SIGUSR2 counts up; the thread reads */
static pid_t inspected;   /* children of fork leave with the same atexit functions */

static void
print_port(unsigned int index, FILE *out)
{
	struct softcx_doorbells bells;
	struct softcx_steering steering;
	struct softcx_bus_row bus[16];
	struct softcx_stats stats;
	int n;

	if (softcx_port_stats(index, &stats) == 0)
		fprintf(out, "softcx%u: rx %" PRIu64 " tx %" PRIu64 " host %" PRIu64 " no rule %" PRIu64
			" no buffer %" PRIu64 " frames\n", index, stats.rx_frames, stats.tx_frames,
			stats.host_frames, stats.rx_steering_discard, stats.rx_out_of_buffer);
	if (softcx_doorbells(index, &bells) == 0)
		fprintf(out,
			"softcx%u: doorbells %" PRIu64 " idle %" PRIu64 " mismatch %" PRIu64 " stray %" PRIu64
			" forgotten %" PRIu64 " arm %" PRIu64 "\n", index, bells.rung, bells.idle,
			bells.mismatch, bells.stray, bells.forgotten, bells.arm);
	if (softcx_steering(index, &steering) == 0)
		fprintf(out,
			"softcx%u: steering entries %" PRIu64 " inserted %" PRIu64 " deleted %" PRIu64 " failed %" PRIu64
			"; frames dropped by rules %" PRIu64 " misses %" PRIu64 " loops %" PRIu64 " actions %" PRIu64 "\n",
			index, steering.entries, steering.inserted, steering.deleted, steering.failed,
			steering.rule_drops, steering.miss_drops, steering.loop_drops, steering.action_drops);
	n = softcx_bus(index, bus, 16);
	for (int i = 0; i < n && i < 16; i++)
		if (bus[i].operations != 0)
			fprintf(out,
				"softcx%u: bus %s: %" PRIu64 " operations, %" PRIu64 " bytes; down %" PRIu64
				" packets %" PRIu64 " bytes, up %" PRIu64 " packets %" PRIu64 " bytes\n",
				index, bus[i].kind, bus[i].operations, bus[i].bytes, bus[i].packets_down,
				bus[i].bytes_down,
				bus[i].packets_up, bus[i].bytes_up);
}

static void
inspect(const char *when)
{
	FILE *out = fopen(file, "ae");

	if (out == NULL) {
		fprintf(stderr, "softcx: census=%s: %s\n", file, strerror(errno));
		return;
	}
	fprintf(out, "--- process %d, %s\n", getpid(), when);
	for (unsigned int i = 0; i < SOFTCX_PORTS_MAX; i++)
		print_port(i, out);
	softcx_census_print(-1, out);
	fclose(out);
}

static void
at_exit(void)
{
	if (getpid() == inspected)
		inspect("exit");
}

static void
on_signal(int sig)
{
	int saved_errno = errno;

	eventfd_write(asked_fd, 1);
	errno = saved_errno;
}

/* A signal handler may not ask the engine: this thread does. */
static void *
wait_for_signals(void *arg)
{
	eventfd_t count;

	for (;;) {
		if (eventfd_read(asked_fd, &count) == 0)
			inspect("SIGUSR2");
		else if (errno != EINTR)
			return NULL;
	}
}

static int
start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	int rc;

	/* The program's signals are its own: this thread takes none. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, NULL, wait_for_signals, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		pthread_detach(thread);
	return rc;
}

void
sc_inspect_to(const char *path)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	pthread_mutex_lock(&lock);
	if (path[0] != '\0' && asked_fd < 0) {
		snprintf(file, sizeof(file), "%s", path);
		inspected = getpid();
		asked_fd = eventfd(0, EFD_CLOEXEC);
		if (asked_fd < 0 || start_thread() != 0 || sigaction(SIGUSR2, &action, NULL) != 0 ||
		    atexit(at_exit) != 0)
			fprintf(stderr, "softcx: census=%s: %s\n", path, strerror(errno));
	}
	pthread_mutex_unlock(&lock);
}
