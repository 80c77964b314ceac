/* SPDX-License-Identifier: BSD-3-Clause */
#include "softcx/steer/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

#define LARGE_PAGE   ((size_t)2 << 20)
#define LARGE_ENOUGH ((size_t)256 << 10) /* worth a large page: 64 small ones and more */
#define KEPT_MAX     ((size_t)256 << 20) /* of all devices; the table of a million rules takes 150 MB */
#define NAME_MAX_LEN 64

/* What lies in large pages: in use, or kept for the next of its kind. */
struct large {
	uint8_t *at;
	size_t asked;  /* by its first owner: who asks for the same has his parts in the same places */
	size_t bytes;  /* whole pages */
	bool kept;
	char name[NAME_MAX_LEN];
	struct large *next;
};

static struct {
	pthread_mutex_t lock; /* sc_memory_holds() is asked by other threads */
	struct large *first;
	size_t kept;
	uint32_t devices;
} memory = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t
whole_large_pages(size_t bytes)
{
	return (bytes + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

static void *
map_anonymous(size_t bytes)
{
	void *at =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

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

static int
name_memory(void *at, size_t bytes, const char *name)
{
	return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, bytes, name);
}

static void *
map_small(size_t bytes, const char *name)
{
	void *at = map_anonymous(bytes), *named;

	if (at == NULL || name_memory(at, bytes, name) == 0)
		return at;
	named = map_memfd(bytes, name);
	if (named == NULL)
		return at; /* the name is for whoever reads smaps; nothing here depends on it */
	munmap(at, bytes);
	return named;
}

/* @return NULL where the kernel has no large pages, too. */
static void *
map_large(size_t bytes, const char *name)
{
	struct large *large;
	size_t before, asked = bytes;
	uint8_t *at;

	bytes = whole_large_pages(bytes);
	large = malloc(sizeof(*large));
	at = large == NULL ? NULL : map_anonymous(bytes + LARGE_PAGE);
	if (at == NULL) {
		free(large);
		return NULL;
	}
	before = -(uintptr_t)at & (LARGE_PAGE - 1);
	if (before != 0)
		munmap(at, before);
	munmap(at + before + bytes, LARGE_PAGE - before);
	at += before;
	if (madvise(at, bytes, MADV_HUGEPAGE) != 0) {
		munmap(at, bytes);
		free(large);
		return NULL;
	}
	(void)name_memory(at, bytes, name);
	*large = (struct large){ .at = at, .asked = asked, .bytes = bytes };
	snprintf(large->name, sizeof(large->name), "%s", name);
	pthread_mutex_lock(&memory.lock);
	large->next = memory.first;
	memory.first = large;
	pthread_mutex_unlock(&memory.lock);
	return at;
}

static void *
take_kept(size_t bytes, const char *name)
{
	struct large *large;

	pthread_mutex_lock(&memory.lock);
	for (large = memory.first; large != NULL; large = large->next)
		if (large->kept && large->asked == bytes && strcmp(large->name, name) == 0)
			break;
	if (large != NULL) {
		large->kept = false;
		memory.kept -= large->bytes;
	}
	pthread_mutex_unlock(&memory.lock);
	return large == NULL ? NULL : large->at;
}

void *
sc_map(size_t bytes, const char *name)
{
	char full[NAME_MAX_LEN];
	void *at = NULL;

	snprintf(full, sizeof(full), "softcx %s", name);
	if (bytes >= LARGE_ENOUGH) {
		at = take_kept(bytes, full);
		if (at == NULL)
			at = map_large(bytes, full);
	}
	return at != NULL ? at : map_small(bytes, full);
}

/* The link to what lies at that address, or to NULL behind the last. Under the lock. */
static struct large **
find_large(const void *at)
{
	struct large **link = &memory.first;

	while (*link != NULL && (*link)->at != at)
		link = &(*link)->next;
	return link;
}

static void
remove_large(struct large **link)
{
	struct large *large = *link;

	*link = large->next;
	munmap(large->at, large->bytes);
	free(large);
}

void
sc_unmap(void *at, size_t bytes)
{
	struct large **link;

	if (at == NULL)
		return;
	pthread_mutex_lock(&memory.lock);
	link = find_large(at);
	if (*link != NULL)
		remove_large(link);
	else
		munmap(at, bytes);
	pthread_mutex_unlock(&memory.lock);
}

void
sc_keep(void *at, size_t bytes)
{
	struct large *large;

	pthread_mutex_lock(&memory.lock);
	large = *find_large(at);
	if (large != NULL && large->bytes <= KEPT_MAX - memory.kept) {
		large->kept = true;
		memory.kept += large->bytes;
		at = NULL;
	}
	pthread_mutex_unlock(&memory.lock);
	sc_unmap(at, bytes);
}

void
sc_memory_open(void)
{
	memory.devices++;
}

void
sc_memory_close(void)
{
	struct large **link;

	if (--memory.devices != 0)
		return;
	pthread_mutex_lock(&memory.lock);
	for (link = &memory.first; *link != NULL;)
		if ((*link)->kept)
			remove_large(link);
		else
			link = &(*link)->next;
	memory.kept = 0;
	pthread_mutex_unlock(&memory.lock);
}

bool
sc_memory_holds(const void *address)
{
	const struct large *large;

	pthread_mutex_lock(&memory.lock);
	for (large = memory.first; large != NULL; large = large->next)
		if ((uintptr_t)address - (uintptr_t)large->at < large->bytes)
			break;
	pthread_mutex_unlock(&memory.lock);
	return large != NULL;
}
