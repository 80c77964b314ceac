/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Completion queues and channels of verbs. The only kernel-made queues of this device: programs that post
 * work make their SQs and RQs by DevX and may let them complete here (mlx5dv_init_obj gives ring and record
 * away).
 */
#include "softcx/front/queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/core/uar.h"
#include "softcx/front/channel.h"
#include "softcx/front/memory.h"
#include "softcx/nic/nic.h"

/* ---- channels ---- */

struct comp_channel {
	struct ibv_comp_channel ibv;
	struct verbs_cq *first, **last; /* CQs with an event nobody has read; under the channels' lock */
};

struct verbs_cq {
	union {
		struct ibv_cq ibv;
		struct ibv_cq_ex ex; /* begins as ibv does */
	};
	struct sc_subscription sub;
	struct sc_cq *cq;
	struct verbs_cq *next;  /* in its channel's queue */
	uint32_t waiting;       /* events not read yet */
	struct verbs_cq *listed;
};

static struct verbs_cq *verbs_cqs; /* all, by listed; under the channels' lock */

struct ibv_comp_channel *
ibv_create_comp_channel(struct ibv_context *context)
{
	struct comp_channel *channel = calloc(1, sizeof(*channel));

	if (channel == NULL)
		return NULL;
	channel->ibv.fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	if (channel->ibv.fd < 0) {
		free(channel);
		return NULL;
	}
	channel->ibv.context = context;
	channel->last = &channel->first;
	return &channel->ibv;
}

int
ibv_destroy_comp_channel(struct ibv_comp_channel *ibv)
{
	struct comp_channel *channel = (struct comp_channel *)ibv;

	if (ibv->refcnt != 0)
		return sc_verbs_return(-EBUSY);
	close(ibv->fd);
	free(channel);
	return 0;
}

static void
deliver_completion(struct sc_subscription *sub, const uint8_t *eqe)
{
	struct verbs_cq *cq = (struct verbs_cq *)((char *)sub - offsetof(struct verbs_cq, sub));
	struct comp_channel *channel = (struct comp_channel *)cq->ibv.channel;

	if (cq->waiting++ == 0) {
		cq->next = NULL;
		*channel->last = cq;
		channel->last = &cq->next;
	}
	eventfd_write(channel->ibv.fd, 1);
}

/* Take cq out of its channel's queue, with the events nobody read. */
static void
drop_waiting(struct comp_channel *channel, struct verbs_cq *cq)
{
	struct verbs_cq **at = &channel->first;
	eventfd_t one;

	while (*at != NULL && *at != cq)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = cq->next;
	if (channel->last == &cq->next)
		channel->last = at;
	while (cq->waiting-- > 0)
		eventfd_read(channel->ibv.fd, &one);
}

int
ibv_get_cq_event(struct ibv_comp_channel *ibv, struct ibv_cq **cq, void **cq_context)
{
	struct comp_channel *channel = (struct comp_channel *)ibv;
	struct verbs_cq *first;
	eventfd_t one;

	if (eventfd_read(ibv->fd, &one) != 0)
		return -1;
	sc_channels_lock();
	first = channel->first;
	if (first != NULL && --first->waiting == 0) {
		channel->first = first->next;
		if (channel->first == NULL)
			channel->last = &channel->first;
	}
	sc_channels_unlock();
	if (first == NULL) {
		errno = EAGAIN;
		return -1;
	}
	*cq = &first->ibv;
	*cq_context = first->ibv.cq_context;
	return 0;
}

void
ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)
{
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += nevents;
	pthread_cond_signal(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}

/* ---- queues ---- */

struct cq_call {
	struct sc_user *user;
	uint8_t log_size;
	bool solicited;
	struct sc_cq *cq;
};

/* The page on which this context's verbs CQs are armed. */
static int
need_uar(struct sc_user *user)
{
	return user->uar != NULL ? 0 : sc_uar_create(user->dev, user->uid, &user->uar);
}

void
sc_user_close_uar(struct sc_user *user)
{
	if (user->uar != NULL)
		sc_uar_destroy(user->uar);
}

static int
create_cq(void *arg)
{
	struct cq_call *call = arg;
	int rc = need_uar(call->user);

	if (rc != 0)
		return rc;
	return sc_cq_create_owned(call->user->dev, call->log_size, call->user->uar->obj.id, call->user->uid,
		&call->cq);
}

static int
destroy_cq(void *arg)
{
	struct cq_call *call = arg;
	const struct sc_device *dev = call->cq->obj.dev;

	return sc_destroyed(dev, sc_cq_destroy(call->cq));
}

static void
list_cq(struct verbs_cq *cq)
{
	sc_channels_lock();
	cq->listed = verbs_cqs;
	verbs_cqs = cq;
	sc_channels_unlock();
	if (cq->ibv.channel == NULL)
		return;
	cq->ibv.channel->refcnt++;
	cq->sub.dev = cq->cq->obj.dev;
	cq->sub.type = SC_CQ;
	cq->sub.id = cq->cq->obj.id;
	cq->sub.event = SC_EVENT_COMPLETION;
	cq->sub.deliver = deliver_completion;
	sc_channels_subscribe(&cq->sub);
}

static void
unlist_cq(struct verbs_cq *cq)
{
	struct verbs_cq **at = &verbs_cqs;

	if (cq->ibv.channel != NULL)
		sc_channels_unsubscribe(&cq->sub);
	sc_channels_lock();
	while (*at != cq)
		at = &(*at)->listed;
	*at = cq->listed;
	if (cq->ibv.channel != NULL) {
		drop_waiting((struct comp_channel *)cq->ibv.channel, cq);
		cq->ibv.channel->refcnt--;
	}
	sc_channels_unlock();
}

/* Ring size as rdma-core chooses it: the power of two above the entries asked for. */
static uint8_t
ring_log_size(uint32_t entries)
{
	uint8_t log = 0;

	while ((1u << log) <= entries)
		log++;
	return log;
}

static struct verbs_cq *
new_cq(struct ibv_context *context, uint32_t entries, void *cq_context, struct ibv_comp_channel *channel,
	int vector)
{
	struct cq_call call = { .user = sc_user_of(context) };
	struct verbs_cq *cq;
	int rc = -EINVAL;

	if (entries == 0 || entries >= 1 << SC_CQ_LOG_MAX || vector < 0 || vector >= SC_COMP_VECTORS)
		goto refused;
	call.log_size = ring_log_size(entries);
	rc = -ENOMEM;
	cq = calloc(1, sizeof(*cq));
	if (cq == NULL)
		goto refused;
	rc = sc_engine_call(create_cq, &call);
	if (rc != 0)
		goto no_cq;
	cq->cq = call.cq;
	cq->ibv.context = context;
	cq->ibv.channel = channel;
	cq->ibv.cq_context = cq_context;
	cq->ibv.handle = call.cq->obj.id;
	cq->ibv.cqe = (1 << call.log_size) - 1;
	pthread_mutex_init(&cq->ibv.mutex, NULL);
	pthread_cond_init(&cq->ibv.cond, NULL);
	list_cq(cq);
	return cq;

no_cq:
	free(cq);
refused:
	errno = -rc;
	return NULL;
}

struct ibv_cq *
ibv_create_cq(struct ibv_context *context, int entries, void *cq_context, struct ibv_comp_channel *channel,
	int vector)
{
	struct verbs_cq *cq = new_cq(context, entries < 0 ? 0 : entries, cq_context, channel, vector);

	return cq != NULL ? &cq->ibv : NULL;
}

/*
 * Nothing is ever there to poll (see sc_poll_cq), so that none of the functions that read an entry is
 * called.
 */
static int
start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	return attr->comp_mask != 0 ? EINVAL : ENOENT;
}

static int
next_poll(struct ibv_cq_ex *cq)
{
	return ENOENT;
}

static void
end_poll(struct ibv_cq_ex *cq)
{
}

struct ibv_cq_ex *
sc_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct verbs_cq *cq;

	/* One thread or many is the same to us; overruns are noticed whatever the program says. */
	if (attr->comp_mask & ~(uint32_t)IBV_CQ_INIT_ATTR_MASK_FLAGS ||
	    (attr->comp_mask && attr->flags & ~(uint32_t)IBV_CREATE_CQ_ATTR_SINGLE_THREADED)) {
		errno = EINVAL;
		return NULL;
	}
	if (attr->wc_flags & ~(uint64_t)IBV_CREATE_CQ_SUP_WC_FLAGS) {
		errno = ENOTSUP;
		return NULL;
	}
	cq = new_cq(context, attr->cqe, attr->cq_context, attr->channel, attr->comp_vector);
	if (cq == NULL)
		return NULL;
	cq->ex.start_poll = start_poll;
	cq->ex.next_poll = next_poll;
	cq->ex.end_poll = end_poll;
	return &cq->ex;
}

/* The entries of verbs CQs have 64 bytes and are not compressed. */
struct ibv_cq_ex *
mlx5dv_create_cq(
	struct ibv_context *context, struct ibv_cq_init_attr_ex *attr, struct mlx5dv_cq_init_attr *mlx5)
{
	uint64_t asked = mlx5 != NULL ? mlx5->comp_mask : 0;

	if (asked & ~(uint64_t)(MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE | MLX5DV_CQ_INIT_ATTR_MASK_FLAGS) ||
	    (asked & MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE && mlx5->cqe_size != 64) ||
	    (asked & MLX5DV_CQ_INIT_ATTR_MASK_FLAGS && mlx5->flags != 0)) {
		errno = EINVAL;
		return NULL;
	}
	return sc_create_cq_ex(context, attr);
}

int
ibv_destroy_cq(struct ibv_cq *ibv)
{
	struct verbs_cq *cq = (struct verbs_cq *)ibv;
	struct cq_call call = { .cq = cq->cq };
	int rc = sc_engine_call(destroy_cq, &call);

	if (rc != 0)
		return sc_verbs_return(rc);
	unlist_cq(cq);
	pthread_cond_destroy(&ibv->cond);
	pthread_mutex_destroy(&ibv->mutex);
	free(cq);
	return 0;
}

static int
arm_cq(void *arg)
{
	struct cq_call *call = arg;
	uint32_t ci;

	memcpy(&ci, call->cq->dbr, sizeof(ci));
	sc_cq_arm(call->cq, call->solicited, __builtin_bswap32(ci) & 0xffffff);
	return 0;
}

int
sc_req_notify_cq(struct ibv_cq *ibv, int solicited_only)
{
	struct cq_call call = { .cq = ((struct verbs_cq *)ibv)->cq, .solicited = solicited_only };

	return sc_verbs_return(sc_engine_call(arm_cq, &call));
}

/*
 * Work completions are translated for queue pairs, of which there are none: nothing is ever there for
 * ibv_poll_cq.
 */
int
sc_poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	return 0;
}

uint32_t
sc_cq_number(const struct ibv_cq *ibv)
{
	return ((const struct verbs_cq *)ibv)->cq->obj.id;
}

struct ibv_cq *
sc_cq_by_number(const struct sc_device *dev, uint32_t cqn)
{
	struct verbs_cq *cq;

	sc_channels_lock();
	for (cq = verbs_cqs; cq != NULL; cq = cq->listed)
		if (cq->cq->obj.dev == dev && cq->cq->obj.id == cqn)
			break;
	sc_channels_unlock();
	return cq != NULL ? &cq->ibv : NULL;
}

/* ---- what lies behind verbs objects ---- */

static void
init_cq(struct verbs_cq *cq, struct mlx5dv_cq *out)
{
	out->buf = cq->cq->ring;
	out->dbrec = (__be32 *)(uintptr_t)cq->cq->dbr;
	out->cqe_cnt = cq->cq->mask + 1;
	out->cqe_size = 1u << cq->cq->log_stride;
	out->cq_uar = sc_user_of(cq->ibv.context)->uar->page;
	out->cqn = cq->cq->obj.id;
	out->comp_mask = 0;
}

int
mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t obj_type)
{
	if (obj_type == 0 || obj_type & ~(uint64_t)(MLX5DV_OBJ_CQ | MLX5DV_OBJ_PD))
		return sc_verbs_return(-EOPNOTSUPP);
	if (obj_type & MLX5DV_OBJ_CQ)
		init_cq((struct verbs_cq *)obj->cq.in, obj->cq.out);
	if (obj_type & MLX5DV_OBJ_PD) {
		obj->pd.out->pdn = sc_pd_number(obj->pd.in);
		obj->pd.out->comp_mask = 0;
	}
	return 0;
}

/* The device's own commands on a verbs CQ. */
int
mlx5dv_devx_cq_query(struct ibv_cq *ibv, const void *in, size_t inlen, void *out, size_t outlen)
{
	return sc_cq_command(ibv, SC_DEVX_QUERY, in, inlen, out, outlen);
}

int
mlx5dv_devx_cq_modify(struct ibv_cq *ibv, const void *in, size_t inlen, void *out, size_t outlen)
{
	return sc_cq_command(ibv, SC_DEVX_MODIFY, in, inlen, out, outlen);
}

int
sc_cq_command(struct ibv_cq *ibv, enum sc_devx_kind kind, const void *in, size_t inlen, void *out,
	size_t outlen)
{
	struct sc_user *user = sc_user_of(ibv->context);
	struct sc_devx_object object = {
		.family = 0x400, /* CREATE_CQ */
		.id = sc_cq_number(ibv),
		.type = SC_CQ,
	};

	return sc_verbs_return(sc_devx(user->dev, user->uid, kind, &object, in, inlen, out, outlen));
}
