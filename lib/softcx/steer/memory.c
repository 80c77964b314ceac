/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/memory.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

void *
sc_map(size_t bytes, const char *name)
{
	char full[64];
	void *at =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	snprintf(full, sizeof(full), "softcx %s", name);
	/* Only a label: kernels without it refuse, and nothing depends on it. */
	(void)prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, bytes, full);
	return at;
}

void
sc_unmap(void *at, size_t bytes)
{
	if (at != NULL)
		munmap(at, bytes);
}
