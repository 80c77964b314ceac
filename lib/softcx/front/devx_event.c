/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * DevX event channels and asynchronous DevX queries: both are a descriptor with a queue of answers behind
 * it.
 */
#include "softcx/front/devx.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <infiniband/mlx5_user_ioctl_verbs.h>
#include <infiniband/mlx5dv.h>

#include "softcx/front/channel.h"
#include "softcx/front/refuse.h"

/* One answer that waits: head is the cookie or wr_id, then len bytes. */
struct answer {
	struct answer *next;
	uint64_t head;
	size_t len;
	uint8_t data[];
};

/* Answers in order; fd counts them (an eventfd as semaphore). Under the channels' lock. */
struct answers {
	struct answer *first, **last;
	int fd;
};

static int
answers_open(struct answers *answers)
{
	answers->first = NULL;
	answers->last = &answers->first;
	answers->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	return answers->fd < 0 ? -errno : 0;
}

static void
answers_close(struct answers *answers)
{
	struct answer *next;

	for (struct answer *a = answers->first; a != NULL; a = next) {
		next = a->next;
		free(a);
	}
	close(answers->fd);
}

/* An answer that finds no memory is lost, as an overrun event queue loses it. */
static void
answers_put(struct answers *answers, uint64_t head, const void *data, size_t len)
{
	struct answer *a = malloc(sizeof(*a) + len);

	if (a == NULL)
		return;
	a->next = NULL;
	a->head = head;
	a->len = len;
	memcpy(a->data, data, len);
	*answers->last = a;
	answers->last = &a->next;
	eventfd_write(answers->fd, 1);
}

/*
 * The next answer into buf, which begins with its 64-bit head. Blocks as the descriptor does.
 * @return bytes, or -errno (-EAGAIN, -ENOSPC).
 */
static ssize_t
answers_get(struct answers *answers, void *buf, size_t size)
{
	struct answer *a;
	eventfd_t one;
	ssize_t len;

	if (eventfd_read(answers->fd, &one) != 0)
		return -errno;
	sc_channels_lock();
	a = answers->first;
	len = a == NULL ? -EAGAIN : (ssize_t)(sizeof(a->head) + a->len);
	if (a != NULL && (size_t)len > size) {
		len = -ENOSPC;
		eventfd_write(answers->fd, 1);
		a = NULL;
	}
	if (a != NULL) {
		answers->first = a->next;
		if (a->next == NULL)
			answers->last = &answers->first;
	}
	sc_channels_unlock();
	if (a != NULL) {
		memcpy(buf, &a->head, sizeof(a->head));
		memcpy((uint8_t *)buf + sizeof(a->head), a->data, a->len);
		free(a);
	}
	return len;
}

/* ---- event channels ---- */

struct event_channel {
	struct mlx5dv_devx_event_channel dv;
	struct answers answers;
	bool omit_data;
};

struct event_subscription {
	struct sc_subscription sub;
	struct event_channel *channel;
	int fd;          /* a duplicate of the program's own eventfd, or -1: through the channel */
	uint64_t cookie;
	struct event_subscription *next; /* all of them, so that a channel can take its own along */
};

static struct event_subscription *event_subscriptions;

static bool
already_waiting(const struct event_channel *channel, uint64_t cookie)
{
	for (const struct answer *a = channel->answers.first; a != NULL; a = a->next)
		if (a->head == cookie)
			return true;
	return false;
}

static void
deliver_event(struct sc_subscription *base, const uint8_t *eqe)
{
	struct event_subscription *sub = (struct event_subscription *)base;

	if (sub->fd >= 0)
		eventfd_write(sub->fd, 1);
	else if (!sub->channel->omit_data)
		answers_put(&sub->channel->answers, sub->cookie, eqe, SC_EQE_BYTES);
	else if (!already_waiting(sub->channel, sub->cookie)) /* without data one notice stands for many */
		answers_put(&sub->channel->answers, sub->cookie, eqe, 0);
}

static void
release_event(struct sc_subscription *base)
{
	struct event_subscription **at = &event_subscriptions, *sub;

	while (*at != (struct event_subscription *)base)
		at = &(*at)->next;
	sub = *at;
	*at = sub->next;
	if (sub->fd >= 0)
		close(sub->fd);
	free(sub);
}

struct mlx5dv_devx_event_channel *
mlx5dv_devx_create_event_channel(struct ibv_context *context,
	enum mlx5dv_devx_create_event_channel_flags flags)
{
	struct event_channel *channel = calloc(1, sizeof(*channel));
	int rc;

	if (channel == NULL)
		return NULL;
	rc = answers_open(&channel->answers);
	if (rc != 0) {
		free(channel);
		errno = -rc;
		return NULL;
	}
	channel->omit_data = flags & MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA;
	channel->dv.fd = channel->answers.fd;
	return &channel->dv;
}

/* Its next subscription, or NULL. */
static struct event_subscription *
subscription_of(const struct event_channel *channel)
{
	struct event_subscription *sub;

	sc_channels_lock();
	for (sub = event_subscriptions; sub != NULL && sub->channel != channel; sub = sub->next)
		;
	sc_channels_unlock();
	return sub;
}

void
mlx5dv_devx_destroy_event_channel(struct mlx5dv_devx_event_channel *dv)
{
	struct event_channel *channel = (struct event_channel *)dv;
	struct event_subscription *sub;

	while ((sub = subscription_of(channel)) != NULL) {
		sc_channels_unsubscribe(&sub->sub);
		sc_channels_lock();
		release_event(&sub->sub);
		sc_channels_unlock();
	}
	answers_close(&channel->answers);
	free(channel);
}

/*
 * Events of objects that Linux 6.1 takes from a device without an event bitmap. Of an unaffiliated one
 * (obj NULL: the state of the port) programs hear by verbs here.
 */
static bool
is_object_event(uint16_t event)
{
	static const uint8_t known[] = {
		0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x07, 0x10, 0x11, 0x12, 0x13, 0x14, 0x18, 0x1c, 0x1d,
	};

	return event < 256 && memchr(known, event, sizeof(known)) != NULL;
}

static int
subscribe(struct event_channel *channel, struct mlx5dv_devx_obj *obj, uint16_t event, int fd, uint64_t cookie)
{
	struct event_subscription *sub;

	if (obj == NULL) {
		sc_verbs_refused("a subscription to events of no object");
		return -EOPNOTSUPP;
	}
	if (!is_object_event(event))
		return -EINVAL;
	sub = calloc(1, sizeof(*sub));
	if (sub == NULL)
		return -ENOMEM;
	sub->sub.dev = obj->user->dev;
	sub->sub.type = obj->object.type;
	sub->sub.id = obj->object.id;
	sub->sub.event = event;
	sub->sub.deliver = deliver_event;
	sub->sub.release = release_event;
	sub->channel = channel;
	sub->fd = fd;
	sub->cookie = cookie;
	sc_channels_lock();
	sub->next = event_subscriptions;
	event_subscriptions = sub;
	sc_channels_unlock();
	sc_channels_subscribe(&sub->sub);
	return 0;
}

int
mlx5dv_devx_subscribe_devx_event(struct mlx5dv_devx_event_channel *dv, struct mlx5dv_devx_obj *obj,
				 uint16_t events_sz, uint16_t events_num[], uint64_t cookie)
{
	int rc = 0;

	if (events_sz % sizeof(events_num[0]) != 0)
		return sc_verbs_return(-EINVAL);
	for (unsigned int i = 0; i < events_sz / sizeof(events_num[0]) && rc == 0; i++)
		rc = subscribe((struct event_channel *)dv, obj, events_num[i], -1, cookie);
	return sc_verbs_return(rc);
}

int
mlx5dv_devx_subscribe_devx_event_fd(struct mlx5dv_devx_event_channel *dv, int fd, struct mlx5dv_devx_obj *obj,
				    uint16_t event_num)
{
	/* Like the kernel, we hold the descriptor's other end: the program may close its own. */
	int held = fcntl(fd, F_DUPFD_CLOEXEC, 0), rc;

	if (held < 0)
		return sc_verbs_return(-errno);
	rc = subscribe((struct event_channel *)dv, obj, event_num, held, 0);
	if (rc != 0)
		close(held);
	return sc_verbs_return(rc);
}

ssize_t
mlx5dv_devx_get_event(struct mlx5dv_devx_event_channel *dv, struct mlx5dv_devx_async_event_hdr *event_data,
		      size_t event_resp_len)
{
	ssize_t len = answers_get(&((struct event_channel *)dv)->answers, event_data, event_resp_len);

	if (len >= 0)
		return len;
	errno = -len;
	return -1;
}

/* ---- asynchronous queries ---- */

struct cmd_comp {
	struct mlx5dv_devx_cmd_comp dv;
	struct answers answers;
};

struct mlx5dv_devx_cmd_comp *
mlx5dv_devx_create_cmd_comp(struct ibv_context *context)
{
	struct cmd_comp *comp = calloc(1, sizeof(*comp));
	int rc;

	if (comp == NULL)
		return NULL;
	rc = answers_open(&comp->answers);
	if (rc != 0) {
		free(comp);
		errno = -rc;
		return NULL;
	}
	comp->dv.fd = comp->answers.fd;
	return &comp->dv;
}

void
mlx5dv_devx_destroy_cmd_comp(struct mlx5dv_devx_cmd_comp *dv)
{
	struct cmd_comp *comp = (struct cmd_comp *)dv;

	answers_close(&comp->answers);
	free(comp);
}

/*
 * Run at once; the answer waits behind the descriptor. Firmware's refusal is in the answer, as with the
 * kernel.
 */
int
mlx5dv_devx_obj_query_async(struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, size_t outlen,
			    uint64_t wr_id, struct mlx5dv_devx_cmd_comp *dv)
{
	struct cmd_comp *comp = (struct cmd_comp *)dv;
	void *out = calloc(1, outlen);
	int rc;

	if (out == NULL)
		return sc_verbs_return(-ENOMEM);
	rc = sc_devx(obj->user->dev, obj->user->uid, SC_DEVX_QUERY, &obj->object, in, inlen, out, outlen);
	if (rc == 0 || rc == -EREMOTEIO) {
		sc_channels_lock();
		answers_put(&comp->answers, wr_id, out, outlen);
		sc_channels_unlock();
		rc = 0;
	}
	free(out);
	return sc_verbs_return(rc);
}

int
mlx5dv_devx_get_async_cmd_comp(struct mlx5dv_devx_cmd_comp *dv, struct mlx5dv_devx_async_cmd_hdr *cmd_resp,
			       size_t cmd_resp_len)
{
	ssize_t len = answers_get(&((struct cmd_comp *)dv)->answers, cmd_resp, cmd_resp_len);

	return len >= 0 ? 0 : sc_verbs_return(len);
}
