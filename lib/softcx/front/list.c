/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The list of devices, as /sys/class/infiniband would give it. Listed devices stay valid for the life of
 * the process.
 */
#include "softcx/front/user.h"

#include <endian.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/core/settings.h"

struct listed {
	struct ibv_device device;
	uint32_t index;
	char bdf[16];
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct listed *listed_ports[SC_PORTS_MAX];

uint32_t
sc_listed_index(const struct ibv_device *device)
{
	return ((const struct listed *)device)->index;
}

/*
 * Where programs look for the device's files: the setting sysfs names a folder that holds one of the
 * device's name, with device/uevent and device/net (softcx-run makes it). Without it the path is the one of
 * a device that the kernel does not know.
 */
static void
set_paths(struct ibv_device *device, const char *root)
{
	if (root[0] == '\0')
		root = "/sys/class/infiniband";
	snprintf(device->ibdev_path, sizeof(device->ibdev_path), "%.180s/%s", root, device->name);
	snprintf(device->dev_path, sizeof(device->dev_path), "%.180s/%s/uverbs", root, device->name);
}

static struct ibv_device *
list_port(const struct sc_port_id *id)
{
	struct listed *port = listed_ports[id->index];
	struct sc_settings settings;

	if (port == NULL) {
		port = calloc(1, sizeof(*port));
		if (port == NULL)
			return NULL;
		listed_ports[id->index] = port;
	}
	port->index = id->index;
	port->device.node_type = IBV_NODE_CA;
	port->device.transport_type = IBV_TRANSPORT_IB;
	snprintf(port->device.name, sizeof(port->device.name), "%s", id->name);
	snprintf(port->device.dev_name, sizeof(port->device.dev_name), "uverbs_%s", id->name);
	snprintf(port->bdf, sizeof(port->bdf), "%s", id->bdf);
	if (sc_port_settings(id->index, &settings) != 0)
		settings.sysfs[0] = '\0';
	set_paths(&port->device, settings.sysfs);
	return &port->device;
}

struct ibv_device **
(ibv_get_device_list)(int *num_devices)
{
	struct sc_port_id ids[SC_PORTS_MAX];
	struct ibv_device **list;
	char error[256];
	int n = sc_port_list(ids, error, sizeof(error));

	if (num_devices != NULL)
		*num_devices = 0;
	if (n < 0) {
		fprintf(stderr, "softcx: %s\n", error);
		errno = -n;
		return NULL;
	}
	list = calloc(n + 1, sizeof(*list));
	if (list == NULL)
		return NULL;
	pthread_mutex_lock(&list_lock);
	for (int i = 0; i < n; i++) {
		list[i] = list_port(&ids[i]);
		if (list[i] == NULL)
			goto no_memory;
	}
	pthread_mutex_unlock(&list_lock);
	if (num_devices != NULL)
		*num_devices = n;
	return list;

no_memory:
	pthread_mutex_unlock(&list_lock);
	free(list);
	errno = ENOMEM;
	return NULL;
}

void
ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

const char *
ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

int
ibv_get_device_index(struct ibv_device *device)
{
	return sc_listed_index(device);
}

/* EUI-64 of the kind that the vendor burns: its OUI, a port number. */
__be64
ibv_get_device_guid(struct ibv_device *device)
{
	return htobe64(0x02c9030000f00000ull + sc_listed_index(device));
}

bool
mlx5dv_is_supported(struct ibv_device *device)
{
	bool known = false;

	pthread_mutex_lock(&list_lock);
	for (unsigned int i = 0; i < SC_PORTS_MAX; i++)
		known |= listed_ports[i] != NULL && &listed_ports[i]->device == device;
	pthread_mutex_unlock(&list_lock);
	return known;
}

int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
const char *ibv_get_sysfs_path(void);

/* Old interface, not in the public header: one sysfs attribute without its newline. */
int
ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
	char path[IBV_SYSFS_PATH_MAX * 2];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	if (f == NULL || size == 0) {
		if (f != NULL)
			fclose(f);
		return -1;
	}
	len = fread(buf, 1, size - 1, f);
	fclose(f);
	if (len > 0 && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return len;
}

const char *
ibv_get_sysfs_path(void)
{
	return "/sys";
}
