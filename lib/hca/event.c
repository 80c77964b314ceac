/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/event.h"

#include <errno.h>
#include <fcntl.h>

#include "hca/device.h"
#include "hca/log.h"

int
hca_event_fd(struct hca_device *dev)
{
	int flags = fcntl(dev->ctx->async_fd, F_GETFL);

	if (flags < 0 || fcntl(dev->ctx->async_fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return dev->ctx->async_fd;
}

static enum hca_event
classify(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
		return HCA_EVENT_LINK;
	case IBV_EVENT_DEVICE_FATAL:
		return HCA_EVENT_FATAL;
	default:
		return HCA_EVENT_OTHER;
	}
}

enum hca_event
hca_event_next(struct hca_device *dev)
{
	struct ibv_async_event event;
	enum hca_event kind;

	if (dev->verbs->ibv_get_async_event(dev->ctx, &event) != 0)
		return HCA_EVENT_NONE;
	kind = classify(event.event_type);
	if (kind == HCA_EVENT_FATAL) {
		HCA_ERR("%s: the device reports a fatal error", dev->name);
		atomic_store_explicit(&dev->dead, true, memory_order_relaxed);
	}
	dev->verbs->ibv_ack_async_event(&event);
	return kind;
}
