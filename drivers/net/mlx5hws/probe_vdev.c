/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The virtual device net_softcx<N>: the same driver on a port of softcx. libsoftcx.so lies beside the
 * plugin. Arguments that softcx knows make the port (wire=, model=, host=, uar=...), the others are the
 * driver's.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bus_vdev_driver.h>
#include <dev_driver.h>
#include <ethdev_driver.h>
#include <rte_string_fns.h>

#include "compat.h"
#include "driver.h"
#include "hca/verbs.h"
#include "log.h"
#include "port.h"
#include "softcx_netdev.h"

#define LIBRARY "libsoftcx.so"
#define MAX_SETTINGS 2048

struct softcx_port {
	struct mlx5hws_softcx api;
	char device[32];
};

/*
 * Beside the object that holds this code: the plugin, or the program it is linked into; else where the
 * loader looks.
 */
static int
open_library(struct hca_verbs **verbs)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;

	if (dladdr((void *)(uintptr_t)open_library, &self) != 0 && (slash = strrchr(self.dli_fname, '/')) != NULL) {
		snprintf(path, sizeof(path), "%.*s/" LIBRARY, (int)(slash - self.dli_fname), self.dli_fname);
		if (access(path, R_OK) == 0)
			return hca_verbs_open_path(path, "softcx", verbs);
	}
	return hca_verbs_open_path(LIBRARY, "softcx", verbs);
}

static int
find_functions(const struct hca_verbs *verbs, struct mlx5hws_softcx *api)
{
#define FUNCTION_ROW(name) { #name, offsetof(struct mlx5hws_softcx, name) },
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = { MLX5HWS_SOFTCX_FUNCTIONS(FUNCTION_ROW) };
#undef FUNCTION_ROW

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		void *symbol = dlsym(verbs->mlx5, rows[i].name);

		if (symbol == NULL) {
			MLX5HWS_LOG(ERR, LIBRARY " has no function %s", rows[i].name);
			return -ENOSYS;
		}
		memcpy((char *)api + rows[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

static int
create_port(struct softcx_port *port, const char *name, const char *settings)
{
	char error[256] = "";
	int index = port->api.softcx_port_create(settings, error, sizeof(error));

	if (index < 0) {
		MLX5HWS_LOG(ERR, "%s: %s", name, error[0] == '\0' ? strerror(-index) : error);
		return index;
	}
	port->api.index = (unsigned int)index;
	snprintf(port->device, sizeof(port->device), "softcx%d", index);
	return 0;
}

static int
netdev_open(void *arg, struct hca_netdev **netdev)
{
	return mlx5hws_softcx_netdev_open(&((struct softcx_port *)arg)->api, netdev);
}

static void
release(void *arg)
{
	struct softcx_port *port = arg;
	int ret = port->api.softcx_port_destroy(port->api.index);

	if (ret != 0)
		MLX5HWS_LOG(WARNING, "%s not destroyed: %s", port->device, strerror(-ret));
	free(port);
}

/* Library, arguments, port; on failure nothing is left. */
static int
open_origin(const char *name, const char *args, struct mlx5hws_origin *origin, struct mlx5hws_devargs *devargs)
{
	char settings[MAX_SETTINGS];
	struct mlx5hws_devargs_rest rest = { .text = settings, .size = sizeof(settings) };
	struct softcx_port *port;
	int ret;

	ret = open_library(&origin->verbs);
	if (ret != 0)
		return ret;
	port = calloc(1, sizeof(*port));
	ret = port == NULL ? -ENOMEM : find_functions(origin->verbs, &port->api);
	if (ret == 0) {
		rest.known = port->api.softcx_setting_known;
		ret = mlx5hws_devargs_parse(args, devargs, &rest);
	}
	if (ret == 0)
		ret = create_port(port, name, settings);
	if (ret != 0) {
		free(port);
		hca_verbs_close(origin->verbs);
		return ret;
	}
	origin->device = port->device;
	origin->netdev_open = netdev_open;
	origin->release = release;
	origin->arg = port;
	return 0;
}

static int
vdev_probe(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);
	struct mlx5hws_origin origin = { 0 };
	struct mlx5hws_devargs devargs;
	int ret;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		MLX5HWS_LOG(ERR, "%s: secondary processes are not served yet", name);
		return -ENOTSUP;
	}
	ret = open_origin(name, rte_vdev_device_args(vdev), &origin, &devargs);
	if (ret != 0)
		return ret;
	return mlx5hws_probe_port(&vdev->device, &origin, &devargs, NULL);
}

static int
vdev_remove(struct rte_vdev_device *vdev)
{
	return mlx5hws_remove_port(rte_vdev_device_name(vdev));
}

static struct rte_vdev_driver vdev_driver = {
	.driver = { .name = "net_softcx" },
	.probe = vdev_probe,
	.remove = vdev_remove,
};

/* pci_ids must be there even where there are none. */
static const char pmd_info[] __attribute__((used)) =
	"PMD_INFO_STRING= {\"name\" : \"net_softcx\", "
	"\"params\" : \"wire=<wire> model=<cx7|cx6dx> host=<host> uar=<trap|poll> dv_flow_en=2 svc_cycle_time=<ms>\", "
	"\"pci_ids\" : []}";

RTE_INIT(mlx5hws_vdev_init)
{
	if (mlx5hws_release_matches())
		rte_vdev_register(&vdev_driver);
}

MLX5HWS_PMD_EXPORT_NAME(net_softcx);
