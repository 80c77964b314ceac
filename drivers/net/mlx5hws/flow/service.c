/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The counter thread of devarg service_core: reads all counters every svc_cycle_time on a CPU of its own, so that no query
 * finds its copy old and counters that were given back soon return. Without the argument there is no thread; queries and
 * pulls do that work (counter.c).
 *
 * It lives as long as the counters that it reads: begun at the end of configure, ended before anything is taken down.
 */

#include "flow/service.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "flow/engine.h"

struct flow_service {
	struct flow_port *port;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
};

/* @return false: it is time to stop */
static bool
sleep_a_cycle(struct flow_service *service)
{
	uint32_t ms = service->port->attr.counter_refresh_ms;
	struct timespec until;
	bool stop;
	int rc = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&service->lock);
	while (!service->stop && rc == 0)
		rc = pthread_cond_timedwait(&service->wake, &service->lock, &until);
	stop = service->stop;
	pthread_mutex_unlock(&service->lock);
	return !stop;
}

/* A device that is silent or dead has nothing newer: the next cycle tries again, and queries say what they find. */
static void *
serve(void *arg)
{
	struct flow_service *service = arg;

	while (sleep_a_cycle(service))
		flow_counters_read(service->port);
	return NULL;
}

static int
start_on(struct flow_service *service, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t *cpus = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int rc;

	if (cpus == NULL)
		return -ENOMEM;
	CPU_ZERO_S(size, cpus);
	CPU_SET_S(cpu, size, cpus);
	pthread_attr_init(&attr);
	rc = pthread_attr_setaffinity_np(&attr, size, cpus);
	if (rc == 0)
		rc = pthread_create(&service->thread, &attr, serve, service);
	pthread_attr_destroy(&attr);
	CPU_FREE(cpus);
	if (rc == 0)
		pthread_setname_np(service->thread, "mlx5hws-count");
	return -rc;
}

int
flow_service_start(struct flow_port *port)
{
	struct flow_service *service;
	pthread_condattr_t attr;
	int rc;

	if (port->attr.service_core < 0 || port->counters == NULL)
		return 0;
	service = calloc(1, sizeof(*service));
	if (service == NULL)
		return -ENOMEM;
	service->port = port;
	pthread_mutex_init(&service->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&service->wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = start_on(service, port->attr.service_core);
	if (rc == 0) {
		port->service = service;
		return 0;
	}
	pthread_cond_destroy(&service->wake);
	pthread_mutex_destroy(&service->lock);
	free(service);
	return rc;
}

void
flow_service_stop(struct flow_port *port)
{
	struct flow_service *service = port->service;

	if (service == NULL)
		return;
	pthread_mutex_lock(&service->lock);
	service->stop = true;
	pthread_cond_signal(&service->wake);
	pthread_mutex_unlock(&service->lock);
	pthread_join(service->thread, NULL);
	pthread_cond_destroy(&service->wake);
	pthread_mutex_destroy(&service->lock);
	free(service);
	port->service = NULL;
}
