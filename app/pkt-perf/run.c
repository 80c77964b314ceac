/* SPDX-License-Identifier: BSD-3-Clause */

#include "run.h"

#include <errno.h>
#include <stdio.h>

#include <rte_ethdev.h>

#include "clock.h"
#include "collect.h"
#include "device.h"
#include "loops.h"

struct run {
	const struct loop *loop;
	const struct options *options;
	struct loop_state state;
	uint64_t overhead;
	uint64_t packets;
};

static int
one_burst(struct run *run, double *ns)
{
	uint64_t begin, ended;
	uint16_t nb;
	int rc = run->loop->before(&run->state);

	if (rc != 0)
		return port_say(run->state.port, "before the burst", rc);
	count_switch();
	begin = clock_now();
	nb = run->loop->measured(&run->state);
	ended = clock_now();
	count_switch();
	*ns = clock_ns((double)(int64_t)(ended - begin - run->overhead)) / run->state.burst;
	if (nb != run->state.burst) {
		fprintf(stderr, "pkt-perf: port %u (%s): %u of %u packets went through\n", run->state.port->id,
			run->state.port->name, nb, run->state.burst);
		return -EIO;
	}
	run->packets += nb;
	device_step();
	return run->loop->after(&run->state);
}

/* Packets that go round are made once, and are on their way before the clock starts. */
static int
begin(struct run *run)
{
	int rc;

	if (!run->loop->circulates)
		return 0;
	rc = loops_find("rx")->before(&run->state);
	return rc == 0 ? 0 : port_say(run->state.port, "first packets", rc);
}

static void
end(struct run *run)
{
	device_step();
	loops_drain(&run->state, run->options->rx_desc);
}

/* Samples of a few bursts each, so that what interrupts some of them moves nothing. */
static int
bursts(struct run *run, struct run_result *result)
{
	const uint32_t warm = run->options->bursts / 5 + 1;
	struct samples_group group = {.size = RTE_MIN((uint32_t)SAMPLE_BURSTS, run->options->bursts)};
	uint64_t bytes = 0, doorbells = 0;
	int rc = begin(run);

	for (uint32_t i = 0; i < warm + run->options->bursts && rc == 0; i++) {
		double ns = 0;

		if (i == warm) {
			device_bus(&bytes, &doorbells);
			run->packets = 0;
			count_phase("warm");
		}
		rc = one_burst(run, &ns);
		if (rc == 0 && i >= warm)
			samples_add_to_group(&result->ns, &group, ns);
	}
	count_phase("loop");
	device_bus(&result->bus_bytes, &result->doorbells);
	result->bus_bytes -= bytes;
	result->doorbells -= doorbells;
	result->packets = run->packets;
	end(run);
	return rc;
}

int
run_loop(struct perf_port *port, uint16_t id, const struct options *options, struct run_result *result)
{
	struct run run = {.loop = loops_find(options->loop), .options = options, .overhead = clock_overhead(),
		.state = {.port = port, .burst = options->burst}};
	int rc = run.loop == NULL ? -EINVAL : frames_prepare(&run.state.frames, options);

	if (rc == 0)
		rc = port_open(port, id, options);
	if (rc != 0)
		return rc;
	port_mode(port, true, result->rx_mode, sizeof(result->rx_mode));
	port_mode(port, false, result->tx_mode, sizeof(result->tx_mode));
	/* Drivers wait for the device in set-up and tear-down: only here does it stand still between steps. */
	if (options->stepped)
		rc = device_stepped(true);
	if (rc != 0)
		return port_say(port, "stepped device", rc);
	rc = bursts(&run, result);
	if (options->stepped)
		device_stepped(false);
	return rc;
}

void
run_report(const struct perf_port *port, const struct options *options, struct run_result *result)
{
	double packets = result->packets != 0 ? (double)result->packets : 1;

	printf("{\"driver\": \"%s\", \"loop\": \"%s\", \"ns\": %.3f, \"ns_p10\": %.3f, \"ns_p90\": %.3f, \"packets\": %llu, "
		"\"bus_bytes\": %.2f, \"doorbells\": %.5f, \"rx_mode\": \"%s\", \"tx_mode\": \"%s\"}\n", port->name, options->loop,
		samples_middle(&result->ns), samples_quantile(&result->ns, 0.1), samples_quantile(&result->ns, 0.9),
		(unsigned long long)result->packets, (double)result->bus_bytes / packets, (double)result->doorbells / packets,
		result->rx_mode, result->tx_mode);
}
