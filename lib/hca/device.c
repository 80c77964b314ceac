/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hca/clock.h"
#include "hca/cmd_queue.h"
#include "hca/log.h"

/* Does the uevent file of the RDMA device's PCI function name this address? */
static bool
sits_at(const struct ibv_device *device, const char *bdf)
{
	char path[sizeof(device->ibdev_path) + 32], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/device/uevent", device->ibdev_path);
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, "PCI_SLOT_NAME=", 14) == 0 && strcasecmp(line + 14, bdf) == 0;
	}
	fclose(file);
	return found;
}

static struct ibv_device *
find_device(struct ibv_device **list, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(list[i]->name, name) == 0 || sits_at(list[i], name))
			return list[i];
	return NULL;
}

/* Also writes down what the device is called and where it lies. */
static int
open_context(struct hca_device *dev, const char *name, struct ibv_context **ctx)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list, *device;
	int count = 0, ret = 0;

	list = dev->verbs->ibv_get_device_list(&count);
	if (list == NULL) {
		ret = errno == 0 ? -ENODEV : -errno;
		HCA_ERR("%s: %s gives no device list: %s", name, dev->verbs->name, strerror(-ret));
		return ret;
	}
	device = find_device(list, count, name);
	if (device == NULL) {
		HCA_ERR("%s: %s knows no such device (%d others)", name, dev->verbs->name, count);
		ret = -ENODEV;
		goto out;
	}
	snprintf(dev->name, sizeof(dev->name), "%s", device->name);
	snprintf(dev->ibdev_path, sizeof(dev->ibdev_path), "%s", device->ibdev_path);
	*ctx = dev->verbs->mlx5dv_open_device(device, &attr);
	if (*ctx == NULL) {
		ret = errno == 0 ? -ENODEV : -errno;
		HCA_ERR("%s: cannot open with DevX: %s", dev->name, strerror(-ret));
	}
out:
	dev->verbs->ibv_free_device_list(list);
	return ret;
}

static int
open_pd(struct hca_device *dev)
{
	struct mlx5dv_pd pd = { 0 };
	struct mlx5dv_obj obj = { 0 };
	int ret;

	dev->pd = dev->verbs->ibv_alloc_pd(dev->ctx);
	if (dev->pd == NULL)
		return errno == 0 ? -ENOMEM : -errno;
	obj.pd.in = dev->pd;
	obj.pd.out = &pd;
	ret = dev->verbs->mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD);
	if (ret != 0)
		return -ret;
	dev->pdn = pd.pdn;
	return 0;
}

static void
read_fw_version(struct hca_device *dev)
{
	struct ibv_device_attr attr;

	memset(&attr, 0, sizeof(attr));
	if (dev->verbs->ibv_query_device(dev->ctx, &attr) == 0)
		snprintf(dev->fw_ver, sizeof(dev->fw_ver), "%s", attr.fw_ver);
}

/* The objects that all queues share. Each failure is logged by the command that failed. */
static int
open_shared(struct hca_device *dev)
{
	int ret;

	ret = dev->verbs->mlx5dv_devx_query_eqn(dev->ctx, 0, &dev->eqn);
	if (ret != 0)
		return ret > 0 ? -ret : ret;
	ret = hca_cmd_alloc_transport_domain(dev, &dev->td);
	if (ret != 0)
		return ret;
	ret = hca_cmd_create_tis(dev, dev->td->id, &dev->tis);
	if (ret != 0)
		return ret;
	return hca_uar_alloc(dev, &dev->uar);
}

int
hca_device_open(const struct hca_verbs *verbs, const char *name, struct hca_device **out)
{
	struct hca_device *dev = calloc(1, sizeof(*dev));
	const char *step = "open";
	int ret;

	if (dev == NULL)
		return -ENOMEM;
	dev->verbs = verbs;
	snprintf(dev->name, sizeof(dev->name), "%s", name);
	ret = open_context(dev, name, &dev->ctx);
	if (ret != 0)
		goto fail;
	step = "protection domain";
	ret = open_pd(dev);
	if (ret != 0)
		goto fail;
	step = "capabilities";
	ret = hca_caps_query(dev, &dev->caps);
	if (ret != 0)
		goto fail;
	read_fw_version(dev);
	hca_clock_open(dev);
	step = "shared objects";
	ret = open_shared(dev);
	if (ret != 0)
		goto fail;
	*out = dev;
	return 0;
fail:
	HCA_ERR("%s: device not opened, step '%s': %s", dev->name, step, strerror(-ret));
	hca_device_close(dev);
	return ret;
}

void
hca_device_close(struct hca_device *dev)
{
	int ret;

	if (dev == NULL)
		return;
	hca_uar_free(dev, &dev->uar);
	hca_obj_destroy(dev->tis);
	hca_obj_destroy(dev->td);
	if (dev->pd != NULL) {
		ret = dev->verbs->ibv_dealloc_pd(dev->pd);
		if (ret != 0)
			HCA_ERR("%s: protection domain not freed: %s", dev->name, strerror(ret));
	}
	hca_device_set_self_loopback(dev, false);
	if (dev->ctx != NULL)
		dev->verbs->ibv_close_device(dev->ctx);
	free(dev);
}

int
hca_device_set_self_loopback(struct hca_device *dev, bool on)
{
	char name[sizeof(dev->name)];

	if (on == (dev->second_ctx != NULL))
		return 0;
	if (!on) {
		dev->verbs->ibv_close_device(dev->second_ctx);
		dev->second_ctx = NULL;
		return 0;
	}
	snprintf(name, sizeof(name), "%s", dev->name);
	return open_context(dev, name, &dev->second_ctx);
}

int
hca_uar_alloc(struct hca_device *dev, struct hca_uar *uar)
{
	const uint32_t kinds[] = { MLX5DV_UAR_ALLOC_TYPE_NC, MLX5DV_UAR_ALLOC_TYPE_BF };

	memset(uar, 0, sizeof(*uar));
	for (int i = 0; i < 2 && uar->devx == NULL; i++) {
		uar->devx = dev->verbs->mlx5dv_devx_alloc_uar(dev->ctx, kinds[i]);
		uar->write_combining = kinds[i] == MLX5DV_UAR_ALLOC_TYPE_BF;
	}
	if (uar->devx == NULL) {
		int ret = errno == 0 ? -ENOMEM : -errno;

		HCA_ERR("%s: no doorbell page: %s", dev->name, strerror(-ret));
		return ret;
	}
	uar->reg = uar->devx->reg_addr;
	uar->base = uar->devx->base_addr;
	uar->page_id = uar->devx->page_id;
	return 0;
}

void
hca_uar_free(struct hca_device *dev, struct hca_uar *uar)
{
	if (uar->devx == NULL)
		return;
	dev->verbs->mlx5dv_devx_free_uar(uar->devx);
	memset(uar, 0, sizeof(*uar));
}
