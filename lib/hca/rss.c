/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/rss.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hca/cmd_queue.h"
#include "hca/cq.h"
#include "hca/device.h"
#include "hca/rq.h"

/* An RQT and the queue indices its entries stand for. Several TIRs (hash shapes) share one. */
struct hca_rqt {
	struct hca_rqt *next;
	struct hca_obj *obj;
	uint32_t refs;
	uint32_t nb_queues;  /* as asked for */
	uint32_t nb_entries; /* power of two */
	uint16_t queues[];
};

struct hca_rss_pool {
	struct hca_device *dev;
	pthread_mutex_t lock;
	bool allow_self_loopback;
	uint16_t max_queues;
	uint32_t *rqns;       /* by queue index; the drop queue where there is none */
	uint32_t *entries;    /* scratch of one whole table */
	uint32_t max_entries;
	struct hca_cq drop_cq;
	struct hca_rq drop_rq;
	struct hca_rqt *rqts;
	struct hca_rss *list;
};

/* A queue that never gets a buffer: what reaches it is dropped and counted by nobody of ours. */
static int
open_drop_queue(struct hca_rss_pool *pool)
{
	const struct hca_cq_attr cq = { .nb_cqes = 1, .uar = &pool->dev->uar };
	const struct hca_rq_attr rq = { .nb_wqes = 1, .cq = &pool->drop_cq };
	int ret = hca_cq_create(pool->dev, &cq, &pool->drop_cq);

	if (ret == 0)
		ret = hca_rq_create(pool->dev, &rq, &pool->drop_rq);
	if (ret == 0)
		ret = hca_rq_start(&pool->drop_rq);
	return ret;
}

int
hca_rss_pool_create(struct hca_device *dev, uint16_t max_queues, struct hca_rss_pool **out)
{
	struct hca_rss_pool *pool = calloc(1, sizeof(*pool));
	int ret = -ENOMEM;

	if (pool == NULL)
		return -ENOMEM;
	pthread_mutex_init(&pool->lock, NULL);
	pool->dev = dev;
	pool->max_queues = max_queues;
	pool->max_entries = 1u << dev->caps.log_max_rqt_size;
	pool->rqns = calloc(max_queues, sizeof(*pool->rqns));
	pool->entries = calloc(pool->max_entries, sizeof(*pool->entries));
	if (pool->rqns != NULL && pool->entries != NULL)
		ret = open_drop_queue(pool);
	if (ret != 0) {
		hca_rss_pool_destroy(pool);
		return ret;
	}
	for (uint16_t i = 0; i < max_queues; i++)
		pool->rqns[i] = pool->drop_rq.rqn;
	*out = pool;
	return 0;
}

void
hca_rss_pool_destroy(struct hca_rss_pool *pool)
{
	if (pool == NULL)
		return;
	hca_rq_destroy(&pool->drop_rq);
	hca_cq_destroy(&pool->drop_cq);
	pthread_mutex_destroy(&pool->lock);
	free(pool->entries);
	free(pool->rqns);
	free(pool);
}

uint32_t
hca_rss_pool_drop_rqn(const struct hca_rss_pool *pool)
{
	return pool->drop_rq.rqn;
}

static const uint32_t *
table_entries(struct hca_rss_pool *pool, const struct hca_rqt *rqt)
{
	for (uint32_t i = 0; i < rqt->nb_entries; i++)
		pool->entries[i] = pool->rqns[rqt->queues[i % rqt->nb_queues]];
	return pool->entries;
}

static bool
names_queue(const struct hca_rqt *rqt, uint16_t queue)
{
	for (uint32_t i = 0; i < rqt->nb_queues; i++)
		if (rqt->queues[i] == queue)
			return true;
	return false;
}

int
hca_rss_pool_set_queue(struct hca_rss_pool *pool, uint16_t queue, uint32_t rqn)
{
	int ret = 0, err;

	if (queue >= pool->max_queues)
		return -EINVAL;
	pthread_mutex_lock(&pool->lock);
	pool->rqns[queue] = rqn == 0 ? pool->drop_rq.rqn : rqn;
	for (struct hca_rqt *rqt = pool->rqts; rqt != NULL; rqt = rqt->next) {
		if (!names_queue(rqt, queue))
			continue;
		err = hca_cmd_modify_rqt(rqt->obj, table_entries(pool, rqt), rqt->nb_entries);
		if (ret == 0)
			ret = err;
	}
	pthread_mutex_unlock(&pool->lock);
	return ret;
}

int
hca_rss_pool_set_self_loopback(struct hca_rss_pool *pool, bool allow)
{
	int ret = 0, err;

	pthread_mutex_lock(&pool->lock);
	for (struct hca_rss *rss = pool->list; rss != NULL && pool->allow_self_loopback != allow; rss = rss->next) {
		err = hca_cmd_modify_tir_self_loopback(rss->tir, allow);
		if (ret == 0)
			ret = err;
	}
	pool->allow_self_loopback = allow;
	pthread_mutex_unlock(&pool->lock);
	return ret;
}

static int
check_attr(const struct hca_rss_pool *pool, const struct hca_rss_attr *attr)
{
	if (attr->nb_queues == 0 || attr->nb_queues > pool->max_entries)
		return -EINVAL;
	for (uint32_t i = 0; i < attr->nb_queues; i++)
		if (attr->queues[i] >= pool->max_queues)
			return -EINVAL;
	return 0;
}

static int
rqt_create(struct hca_rss_pool *pool, const struct hca_rss_attr *attr, struct hca_rqt **out)
{
	struct hca_rqt *rqt = calloc(1, sizeof(*rqt) + attr->nb_queues * sizeof(rqt->queues[0]));
	int ret;

	if (rqt == NULL)
		return -ENOMEM;
	rqt->nb_queues = attr->nb_queues;
	rqt->nb_entries = 1;
	/*
	 * A list that is no power of two is repeated over the largest table: uneven by at most one part
	 * in its size.
	 */
	while (rqt->nb_entries < attr->nb_queues)
		rqt->nb_entries <<= 1;
	if (rqt->nb_entries != attr->nb_queues)
		rqt->nb_entries = pool->max_entries;
	memcpy(rqt->queues, attr->queues, attr->nb_queues * sizeof(rqt->queues[0]));
	ret = hca_cmd_create_rqt(pool->dev, table_entries(pool, rqt), rqt->nb_entries, rqt->nb_entries, &rqt->obj);
	if (ret != 0) {
		free(rqt);
		return ret;
	}
	rqt->next = pool->rqts;
	pool->rqts = rqt;
	*out = rqt;
	return 0;
}

static int
rqt_get(struct hca_rss_pool *pool, const struct hca_rss_attr *attr, struct hca_rqt **out)
{
	int ret = 0;

	for (*out = pool->rqts; *out != NULL; *out = (*out)->next)
		if ((*out)->nb_queues == attr->nb_queues &&
		    memcmp((*out)->queues, attr->queues, attr->nb_queues * sizeof(attr->queues[0])) == 0)
			break;
	if (*out == NULL)
		ret = rqt_create(pool, attr, out);
	if (ret == 0)
		(*out)->refs++;
	return ret;
}

static void
rqt_put(struct hca_rss_pool *pool, struct hca_rqt *rqt)
{
	struct hca_rqt **at = &pool->rqts;

	if (--rqt->refs != 0)
		return;
	while (*at != rqt)
		at = &(*at)->next;
	*at = rqt->next;
	hca_obj_destroy(rqt->obj);
	free(rqt);
}

static bool
same_hash(const struct hca_hash *a, const struct hca_hash *b)
{
	if (a->fields != b->fields)
		return false;
	return a->fields == 0 || (a->l3 == b->l3 && a->l4 == b->l4 && a->inner == b->inner &&
		a->symmetric == b->symmetric && memcmp(a->key, b->key, sizeof(a->key)) == 0);
}

static int
rss_create(struct hca_rss_pool *pool, const struct hca_hash *hash, struct hca_rqt *rqt, struct hca_rss **out)
{
	const struct hca_tirc tirc = {
		.rqtn = rqt->obj->id,
		.transport_domain = pool->dev->td->id,
		.hash = *hash,
		.allow_self_loopback = pool->allow_self_loopback,
	};
	struct hca_rss *rss = calloc(1, sizeof(*rss));
	int ret;

	if (rss == NULL)
		return -ENOMEM;
	ret = hca_cmd_create_tir(pool->dev, &tirc, &rss->tir);
	if (ret != 0) {
		free(rss);
		return ret;
	}
	rss->pool = pool;
	rss->rqt = rqt;
	rss->hash = *hash;
	rss->next = pool->list;
	pool->list = rss;
	*out = rss;
	return 0;
}

int
hca_rss_get(struct hca_rss_pool *pool, const struct hca_rss_attr *attr, struct hca_rss **out)
{
	struct hca_rss *rss;
	struct hca_rqt *rqt;
	int ret = check_attr(pool, attr);

	if (ret != 0)
		return ret;
	pthread_mutex_lock(&pool->lock);
	ret = rqt_get(pool, attr, &rqt);
	if (ret != 0)
		goto unlock;
	for (rss = pool->list; rss != NULL; rss = rss->next)
		if (rss->rqt == rqt && same_hash(&rss->hash, &attr->hash))
			break;
	if (rss == NULL)
		ret = rss_create(pool, &attr->hash, rqt, &rss);
	else
		rqt_put(pool, rqt); /* the TIR found holds one already */
	if (ret != 0) {
		rqt_put(pool, rqt);
		goto unlock;
	}
	rss->refs++;
	*out = rss;
unlock:
	pthread_mutex_unlock(&pool->lock);
	return ret;
}

void
hca_rss_put(struct hca_rss *rss)
{
	struct hca_rss_pool *pool;
	struct hca_rss **at;

	if (rss == NULL)
		return;
	pool = rss->pool;
	pthread_mutex_lock(&pool->lock);
	if (--rss->refs == 0) {
		for (at = &pool->list; *at != rss; at = &(*at)->next)
			;
		*at = rss->next;
		hca_obj_destroy(rss->tir);
		rqt_put(pool, rss->rqt);
		free(rss);
	}
	pthread_mutex_unlock(&pool->lock);
}
