/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One opened device: verbs context with DevX, capabilities, and what all queues share: protection domain,
 * transport domain, TIS, event queue number, doorbell page.
 *
 * Threads: open and close from one thread. Commands on one device may come from several threads at once;
 * objects are independent of each other unless their header says otherwise.
 */
#ifndef HCA_DEVICE_H
#define HCA_DEVICE_H

#include <stdatomic.h>

#include "hca/caps.h"
#include "hca/verbs.h"

struct hca_obj;

/* A doorbell page. reg is where the 8 bytes of a send doorbell go. */
struct hca_uar {
	struct mlx5dv_devx_uar *devx;
	volatile uint64_t *reg;
	void *base;
	uint32_t page_id;
	bool write_combining; /* a store fence must follow each doorbell */
};

struct hca_device {
	const struct hca_verbs *verbs;
	struct ibv_context *ctx;
	struct ibv_context *second_ctx; /* NULL, or open for the sake of self-loopback */
	struct ibv_pd *pd;
	uint32_t pdn;
	uint32_t eqn;
	struct hca_obj *td;
	struct hca_obj *tis;
	struct hca_uar uar; /* of all Tx and Rx queues; steering queues take their own */
	struct hca_caps caps;
	bool real_time;     /* queues with the port's clock show seconds << 32 | nanoseconds, not ticks */
	char name[64];      /* of the ibv_device, in log lines */
	char ibdev_path[256];
	char fw_ver[64];
	atomic_bool dead;   /* a fatal event or an unanswered command was seen; commands fail with -EIO at once */
};

/**
 * Open the device that is called name (as "mlx5_0", "softcx0") or sits at that PCI address ("0000:51:00.0").
 *
 * @return 0; -ENODEV nothing of that name or without DevX; other -errno of the step that failed, which is
 * logged.
 */
int hca_device_open(const struct hca_verbs *verbs, const char *name, struct hca_device **dev);

/* Everything made on the device must be gone. NULL is allowed. The verbs table stays the caller's. */
void hca_device_close(struct hca_device *dev);

/*
 * Let the port's vport bring frames to its own address and multicast back at all; which TIR hears them is
 * the TIR's own setting. Linux closes this way at start and opens it while two programs have the device
 * open, so a second context is all it takes. nic.md 8.4.
 */
int hca_device_set_self_loopback(struct hca_device *dev, bool on);

/* A non-cached page where the device has them, else a write-combining one. */
int hca_uar_alloc(struct hca_device *dev, struct hca_uar *uar);
void hca_uar_free(struct hca_device *dev, struct hca_uar *uar);

#endif
