/* SPDX-License-Identifier: BSD-3-Clause */

#include "device.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "softcx/front/softcx.h"

static __typeof__(softcx_exec) *device_exec;
static __typeof__(softcx_step) *device_step_all;
static __typeof__(softcx_bus) *device_bus_rows;
static __typeof__(softcx_doorbells) *device_doorbells;
static __typeof__(softcx_holds) *device_holds_address;
static bool stepped;

/* A driver may have loaded the library for itself alone: its symbols are then in no global scope. */
static int
is_softcx(struct dl_phdr_info *info, size_t size, void *path)
{
	const char *base = strrchr(info->dlpi_name, '/');

	if (strncmp(base == NULL ? info->dlpi_name : base + 1, "libsoftcx.so", 12) != 0)
		return 0;
	snprintf(path, 4096, "%s", info->dlpi_name);
	return 1;
}

bool
device_find(void)
{
	char path[4096];
	void *library;

	if (device_step_all != NULL)
		return true;
	if (dl_iterate_phdr(is_softcx, path) == 0)
		return false;
	library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (library == NULL)
		return false;
	device_exec = (__typeof__(softcx_exec) *)dlsym(library, "softcx_exec");
	device_step_all = (__typeof__(softcx_step) *)dlsym(library, "softcx_step");
	device_bus_rows = (__typeof__(softcx_bus) *)dlsym(library, "softcx_bus");
	device_doorbells = (__typeof__(softcx_doorbells) *)dlsym(library, "softcx_doorbells");
	device_holds_address = (__typeof__(softcx_holds) *)dlsym(library, "softcx_holds");
	return device_exec != NULL && device_step_all != NULL;
}

int
device_stepped(bool on)
{
	int rc;

	if (!device_find())
		return -ENOTSUP;
	rc = device_exec(on ? SOFTCX_STEPPED : SOFTCX_THREADED);
	if (rc == 0)
		stepped = on;
	return rc;
}

void
device_step(void)
{
	if (stepped)
		device_step_all(0);
}

void
device_bus(uint64_t *bytes, uint64_t *doorbells)
{
	struct softcx_bus_row rows[16];
	struct softcx_doorbells bells;

	*bytes = *doorbells = 0;
	if (!device_find() || device_bus_rows == NULL || device_doorbells == NULL)
		return;
	for (unsigned int port = 0; port < SOFTCX_PORTS_MAX; port++) {
		int n = device_bus_rows(port, rows, 16);

		for (int i = 0; i < n && i < 16; i++)
			*bytes += rows[i].bytes_down + rows[i].bytes_up;
		if (device_doorbells(port, &bells) == 0)
			*doorbells += bells.rung;
	}
}

bool
device_holds(const void *address)
{
	return device_find() && device_holds_address != NULL && device_holds_address(address);
}
