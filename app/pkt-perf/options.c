/* SPDX-License-Identifier: BSD-3-Clause */

#include "options.h"

#include <errno.h>
#include <stdio.h>

#include "args.h"
#include "loops.h"
#include "port.h"

#define AT(member) ARG_AT(struct options, member)

static void usage(void);

static const struct arg rows[] = {
	{"port", ARG_NUMBER, AT(port), 0, 31, "ethdev port to measure (0)"},
	{"loop", ARG_TEXT, AT(loop), 0, 0, "what is measured, see below (tx)"},
	{"size", ARG_NUMBER, AT(size), 60, 65000, "bytes of a packet without FCS (60)"},
	{"segments", ARG_NUMBER, AT(segments), 1, 64, "buffers of a packet that is sent (1)"},
	{"burst", ARG_NUMBER, AT(burst), 1, BURST_MAX, "packets of a burst (32)"},
	{"bursts", ARG_NUMBER, AT(bursts), 1, 1u << 24, "bursts, in samples of 50, of which the middle half counts; a fifth more come first (2000)"},
	{"rx-desc", ARG_NUMBER, AT(rx_desc), 32, 32768, "descriptors of the receive queue (512)"},
	{"tx-desc", ARG_NUMBER, AT(tx_desc), 64, 32768, "descriptors of the transmit queue (512)"},
	{"mtu", ARG_NUMBER, AT(mtu), 68, 9978, "of the port (1500)"},
	{"tx-queues", ARG_NUMBER, AT(tx_queues), 1, 64, "transmit queues, of which one is used (1)"},
	{"buffer", ARG_NUMBER, AT(buffer), 128, 16384, "bytes of packet data that a buffer holds (2048); the first row of a process says it"},
	{"alike", ARG_FLAG, AT(alike), 0, 0, "buffers that lie alike, so that no driver is lucky on the bus; the first row of a process says it"},
	{"mark", ARG_FLAG, AT(mark), 0, 0, "a rule marks what is received"},
	{"tso", ARG_NUMBER, AT(tso), 0, 9000, "TCP packets that ask to be cut into segments of so many bytes"},
	{"rx-offloads", ARG_TEXT, AT(rx_offloads), 0, 0, "of the port, joined by commas, see below"},
	{"tx-offloads", ARG_TEXT, AT(tx_offloads), 0, 0, "of the port, joined by commas, see below"},
	{"ask", ARG_TEXT, AT(ask), 0, 0, "what each packet sent asks for: checksum, vlan, or both"},
	{"wqe-bytes", ARG_NUMBER, AT(wqe_bytes), 1, 1024, "--serve, floor: bytes written for a packet"},
	{"copy", ARG_FLAG, AT(copy), 0, 0, "--serve, floor: the packet is copied into them"},
	{"stepped", ARG_FLAG, AT(stepped), 0, 0, "software device: time the driver alone"},
	{"json", ARG_FLAG, AT(json), 0, 0, "one JSON object"},
	{"serve", ARG_FLAG, AT(serve), 0, 0, "do what lines on stdin ask for (serve.h)"},
	{"help", ARG_WORD, 0, 0, 0, 0, "this", usage},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void
usage(void)
{
	printf("usage: mlx5hws-pkt-perf [EAL options] -- [options]     one loop on a port of the application\n"
	       "       mlx5hws-pkt-perf compare [options]              ours and others on softcx (compare --help)\n\n");
	args_help(rows, ROWS);
	printf("\nloops:\n");
	loops_help();
	printf("\noffloads:\n");
	port_help();
}

int
options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){.loop = "tx", .size = 60, .segments = 1, .burst = 32, .bursts = 2000,
		.rx_desc = 512, .tx_desc = 512, .mtu = 1500, .tx_queues = 1, .buffer = 2048, .wqe_bytes = 16};
	return args_parse("pkt-perf", rows, ROWS, options, argc, argv);
}
