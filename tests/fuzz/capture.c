/* SPDX-License-Identifier: BSD-3-Clause */

/* A capture as the wire: an input is the file. Every frame that it gives is counted, whatever is wrong with the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "softcx/core/engine.h"
#include "softcx/front/softcx.h"

#define ROUNDS 64

static char path[64], spec[128];

void
fuzz_open(void)
{
	snprintf(path, sizeof(path), "/dev/shm/softcx-fuzz-%d.pcap", (int)getpid());
	snprintf(spec, sizeof(spec), "wire=[pcap:in=%s,drop],exec=stepped", path);
}

/* Microseconds, little endian; nanoseconds, big endian. Ethernet, one frame each. */
static const uint8_t micro[] = { 0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
	16, 0, 0, 0, 16, 0, 0, 0, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 1, 2 };
static const uint8_t nano[] = { 0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2,
	0, 0, 0, 16, 0, 0, 0, 16, 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 1, 8, 0, 1, 2 };

const uint8_t *
fuzz_sample(unsigned int index, size_t *size)
{
	*size = index == 0 ? sizeof(micro) : sizeof(nano);
	return index == 0 ? micro : index == 1 ? nano : NULL;
}

void
fuzz_one(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	char error[128];
	int port;

	if (file == NULL)
		abort();
	fwrite(data, 1, size, file);
	fclose(file);
	port = softcx_port_create(spec, error, sizeof(error));
	unlink(path);
	if (port < 0)
		return;
	softcx_port_set_up((unsigned int)port, true);
	softcx_step(ROUNDS);
	if (softcx_port_destroy((unsigned int)port) != 0)
		abort();
}
