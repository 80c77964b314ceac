/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/memory.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

/*
 * Kernels that cannot name anonymous memory still show the name of a file without a place. NULL where there
 * is none.
 */
static void *
map_memfd(size_t bytes, const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	void *at = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, (off_t)bytes) == 0)
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

void *
sc_map(size_t bytes, const char *name)
{
	char full[64];
	void *at =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	void *named;

	if (at == MAP_FAILED)
		return NULL;
	snprintf(full, sizeof(full), "softcx %s", name);
	if (prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, bytes, full) == 0)
		return at;
	named = map_memfd(bytes, full);
	if (named == NULL)
		return at; /* the name is for whoever reads smaps; nothing here depends on it */
	munmap(at, bytes);
	return named;
}

void
sc_unmap(void *at, size_t bytes)
{
	if (at != NULL)
		munmap(at, bytes);
}
