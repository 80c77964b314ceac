/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/cq_event.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "hca/cmd.h"
#include "hca/cq.h"
#include "hca/device.h"
#include "hca/log.h"
#include "util/order.h"

#define UAR_CQ_DOORBELL 0x20
#define ARM_SN_BIT 28
#define ARM_WORD 1 /* of the doorbell record */
#define EVENT_COMPLETION 0x00
#define EVENT_CQ_ERROR 0x04

int
hca_cq_events_open(struct hca_device *dev, struct hca_cq_events *events)
{
	int fd, flags;

	memset(events, 0, sizeof(*events));
	events->dev = dev;
	/* Which CQ it was is known, or told by the cookie; one notice stands for many. */
	events->channel = dev->verbs->mlx5dv_devx_create_event_channel(dev->ctx,
		MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	if (events->channel == NULL) {
		HCA_ERR("%s: no event channel: %s", dev->name, strerror(errno));
		return errno == 0 ? -ENOMEM : -errno;
	}
	fd = events->channel->fd;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
		int ret = -errno;

		HCA_ERR("%s: descriptor %d of an event channel: %s", dev->name, fd, strerror(-ret));
		hca_cq_events_close(events);
		return ret;
	}
	return 0;
}

void
hca_cq_events_close(struct hca_cq_events *events)
{
	if (events->channel != NULL)
		events->dev->verbs->mlx5dv_devx_destroy_event_channel(events->channel);
	events->channel = NULL;
}

int
hca_cq_events_fd(const struct hca_cq_events *events)
{
	return events->channel->fd;
}

static int
subscribe(struct hca_cq_events *events, const struct hca_cq *cq, uint16_t kind, uint64_t cookie)
{
	uint16_t kinds[] = { kind };
	int ret = events->dev->verbs->mlx5dv_devx_subscribe_devx_event(events->channel, cq->obj->devx, sizeof(kinds), kinds, cookie);

	if (ret != 0) {
		ret = ret > 0 ? -ret : -errno;
		HCA_ERR("%s: no events of CQ 0x%x: %s", events->dev->name, cq->cqn, strerror(-ret));
		return ret;
	}
	events->sn = 0;
	return 0;
}

int
hca_cq_events_watch(struct hca_cq_events *events, const struct hca_cq *cq)
{
	return subscribe(events, cq, EVENT_COMPLETION, 0);
}

int
hca_cq_events_watch_error(struct hca_cq_events *events, const struct hca_cq *cq, uint64_t cookie)
{
	return subscribe(events, cq, EVENT_CQ_ERROR, cookie);
}

int
hca_cq_events_next(const struct hca_cq_events *events, uint64_t *cookie)
{
	struct mlx5dv_devx_async_event_hdr event;

	if (events->dev->verbs->mlx5dv_devx_get_event(events->channel, &event, sizeof(event)) < 0)
		return errno == 0 ? -EIO : -errno;
	*cookie = event.cookie;
	return 0;
}

void
hca_cq_events_arm(const struct hca_cq_events *events, const struct hca_cq *cq)
{
	const struct hca_uar *uar = &events->dev->uar;
	uint32_t word = (events->sn & 3u) << ARM_SN_BIT | (cq->ci & 0xffffff);

	/* The record first: the device reads it when the doorbell comes. */
	order_store_release32(cq->dbrec + ARM_WORD, htobe32(word));
	order_doorbell64((volatile uint64_t *)((uint8_t *)uar->base + UAR_CQ_DOORBELL),
			 htobe64((uint64_t)word << 32 | cq->cqn), uar->write_combining);
}

int
hca_cq_events_take(struct hca_cq_events *events)
{
	struct mlx5dv_devx_async_event_hdr event;
	ssize_t len;
	int nb = 0;

	while ((len = events->dev->verbs->mlx5dv_devx_get_event(events->channel, &event, sizeof(event))) >= 0)
		nb++;
	if (nb == 0)
		return errno == 0 ? -EIO : -errno;
	events->sn++;
	return 0;
}
