/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/umem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hca/device.h"
#include "hca/log.h"

int
hca_umem_create(struct hca_device *dev, size_t size, struct hca_umem *umem)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int ret;

	memset(umem, 0, sizeof(*umem));
	size = (size + page - 1) / page * page;
	umem->addr = aligned_alloc(page, size);
	if (umem->addr == NULL)
		return -ENOMEM;
	memset(umem->addr, 0, size);
	umem->devx = dev->verbs->mlx5dv_devx_umem_reg(dev->ctx, umem->addr, size, IBV_ACCESS_LOCAL_WRITE);
	if (umem->devx == NULL) {
		ret = errno == 0 ? -ENOMEM : -errno;
		HCA_ERR("%s: umem of %zu bytes not registered: %s", dev->name, size, strerror(-ret));
		free(umem->addr);
		umem->addr = NULL;
		return ret;
	}
	umem->dev = dev;
	umem->size = size;
	umem->id = umem->devx->umem_id;
	return 0;
}

int
hca_umem_create_ring(struct hca_device *dev, size_t ring_bytes, struct hca_umem **umem, size_t *dbr_offset)
{
	int ret;

	*umem = malloc(sizeof(**umem));
	if (*umem == NULL)
		return -ENOMEM;
	*dbr_offset = (ring_bytes + HCA_DBR_ALIGN - 1) / HCA_DBR_ALIGN * HCA_DBR_ALIGN;
	ret = hca_umem_create(dev, *dbr_offset + HCA_DBR_ALIGN, *umem);
	if (ret != 0) {
		free(*umem);
		*umem = NULL;
	}
	return ret;
}

void
hca_umem_destroy_ring(struct hca_umem *umem)
{
	if (umem == NULL)
		return;
	hca_umem_destroy(umem);
	free(umem);
}

void
hca_umem_destroy(struct hca_umem *umem)
{
	int ret;

	if (umem->devx == NULL)
		return;
	ret = umem->dev->verbs->mlx5dv_devx_umem_dereg(umem->devx);
	if (ret != 0)
		HCA_ERR("%s: umem 0x%x not deregistered: %s", umem->dev->name, umem->id, strerror(ret < 0 ? errno : ret));
	free(umem->addr);
	memset(umem, 0, sizeof(*umem));
}
