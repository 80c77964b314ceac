/* SPDX-License-Identifier: BSD-3-Clause */

/* Memory keys: packet buffers and counter memory by (lkey, process address). */
#ifndef HCA_MR_H
#define HCA_MR_H

#include <stddef.h>
#include <stdint.h>

struct hca_device;
struct ibv_mr;

struct hca_mr {
	struct hca_device *dev;
	struct ibv_mr *ibv;
	uintptr_t start, end; /* [start, end) */
	uint32_t lkey;        /* host order */
	uint32_t lkey_be;     /* as data segments hold it */
};

/*
 * Register [addr, addr + len) for local read and write with relaxed ordering. Milliseconds: control path
 * only.
 */
int hca_mr_register(struct hca_device *dev, void *addr, size_t len, struct hca_mr *mr);
/* No queue may use the key any more. A zeroed struct is allowed. */
void hca_mr_unregister(struct hca_mr *mr);

#endif
