/* SPDX-License-Identifier: BSD-3-Clause */

/* Host memory that rings and doorbell records live in, known to the device by an id. */
#ifndef HCA_UMEM_H
#define HCA_UMEM_H

#include <stddef.h>
#include <stdint.h>

struct hca_device;
struct mlx5dv_devx_umem;

/*
 * Doorbell records get a line of their own behind the ring, so that the device's read does not pull ring
 * lines.
 */
#define HCA_DBR_ALIGN 128

struct hca_umem {
	struct hca_device *dev;
	struct mlx5dv_devx_umem *devx;
	uint8_t *addr;
	size_t size;
	uint32_t id;
};

/* Zeroed, page-aligned memory of at least size bytes, registered for local write. */
int hca_umem_create(struct hca_device *dev, size_t size, struct hca_umem *umem);

/*
 * Ring of ring_bytes and one doorbell record behind it; *dbr_offset is where the record is. What describes the memory is apart from what
 * describes the queue, of which the data path reads all.
 */
int hca_umem_create_ring(struct hca_device *dev, size_t ring_bytes, struct hca_umem **umem, size_t *dbr_offset);
/* The same as below, and NULL is allowed. */
void hca_umem_destroy_ring(struct hca_umem *umem);

/* The device object that uses it must be gone. A zeroed struct is allowed. */
void hca_umem_destroy(struct hca_umem *umem);

#endif
