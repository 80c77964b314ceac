/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/mr.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "hca/device.h"
#include "hca/log.h"

int
hca_mr_register(struct hca_device *dev, void *addr, size_t len, struct hca_mr *mr)
{
	memset(mr, 0, sizeof(*mr));
	mr->ibv = dev->verbs->ibv_reg_mr_iova2(dev->pd, addr, len, (uintptr_t)addr,
					       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	if (mr->ibv == NULL) {
		int ret = errno == 0 ? -ENOMEM : -errno;

		HCA_ERR("%s: %zu bytes at %p not registered: %s", dev->name, len, addr, strerror(-ret));
		return ret;
	}
	mr->dev = dev;
	mr->start = (uintptr_t)addr;
	mr->end = mr->start + len;
	mr->lkey = mr->ibv->lkey;
	mr->lkey_be = htobe32(mr->lkey);
	return 0;
}

void
hca_mr_unregister(struct hca_mr *mr)
{
	int ret;

	if (mr->ibv == NULL)
		return;
	ret = mr->dev->verbs->ibv_dereg_mr(mr->ibv);
	if (ret != 0)
		HCA_ERR("%s: key 0x%x not freed: %s", mr->dev->name, mr->lkey, strerror(ret));
	memset(mr, 0, sizeof(*mr));
}
