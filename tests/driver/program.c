/* SPDX-License-Identifier: BSD-3-Clause */

#include "program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>

/* The only function that is probed at once: there is none. */
#define NO_FUNCTION "--allow=ffff:ff:1f.7"

static void
read_options(int argc, char **argv, struct program *program)
{
	program->seed = (uint64_t)getpid();
	for (int i = 3; i < argc; i++) {
		if (sscanf(argv[i], "packets=%u", &program->packets) == 1 || sscanf(argv[i], "seed=%lu", &program->seed) == 1)
			continue;
		if (strncmp(argv[i], "only=", 5) == 0)
			program->only = argv[i] + 5;
	}
}

int
program_begin(int argc, char **argv, const char *name, struct program *program)
{
	char prefix[32], anywhere[32];
	char *eal[] = { argv[0], "--no-huge", "-m", program->memory != NULL ? (char *)(uintptr_t)program->memory : "256",
		program->pci ? NO_FUNCTION : "--no-pci", "--no-shconf", "--lcores", anywhere, "--file-prefix", prefix,
		"-d", argc > 1 ? argv[1] : NULL, "--log-level", "pmd.net.mlx5hws:critical", "--log-level", "lib.eal:error",
		"--no-telemetry" };
	void *library;

	if (argc < 3) {
		fprintf(stderr, "usage: %s PLUGIN LIBSOFTCX [packets=N] [seed=N] [only=ROW]\n", name);
		return 2;
	}
	read_options(argc, argv, program);
	setvbuf(stdout, NULL, _IOLBF, 0); /* what stands there when the program is stopped */
	printf("seed %lu\n", program->seed);
	/* On any CPU: tests run beside each other, and the device's thread needs one too. */
	snprintf(anywhere, sizeof(anywhere), "0@(0-%ld)", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	snprintf(prefix, sizeof(prefix), "%s%d", name, (int)getpid());
	if (rte_eal_init(RTE_DIM(eal), eal) < 0)
		return 2;
	library = dlopen(argv[2], RTLD_NOW);
	if (library == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	*(void **)&program->census = dlsym(library, "softcx_census");
	*(void **)&program->fault = dlsym(library, "softcx_fault");
	return program->census == NULL || program->fault == NULL ? 2 : 0;
}
