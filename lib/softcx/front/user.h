/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A user of the device: one opened verbs context. The structures that programs see (struct ibv_context and
 * its kin) are rdma-core's public ABI and lie inside ours.
 *
 * Threads: any. What belongs to the device is touched inside sc_engine_call() only.
 */
#ifndef SOFTCX_USER_H
#define SOFTCX_USER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "softcx/core/device.h"

struct sc_event_queue;
struct sc_uar;

struct sc_user {
	struct sc_device *dev;
	struct sc_event_queue *events;
	struct sc_uar *uar; /* where verbs CQs are armed; made with the first of them */
	uint16_t uid;       /* DevX user context */
	uint32_t td;        /* transport domain of its queue pairs; there while nb_qps > 0 */
	uint32_t nb_qps;
	uint32_t nb_lb_qps; /* of them, those that ask to hear their own port */
	bool imported;      /* a second handle, by ibv_import_device */
	struct verbs_context verbs;
};

static inline struct sc_user *
sc_user_of(struct ibv_context *context)
{
	return (struct sc_user *)((char *)context - offsetof(struct sc_user, verbs.context));
}

/*
 * Open the device as mlx5dv_open_device does; cmd_fd: taken over, or -1 to make one. @return NULL with
 * errno.
 */
struct ibv_context *sc_user_open(struct ibv_device *device, int cmd_fd);

/* queue.c: what verbs CQs leave with the user, when it closes */
void sc_user_close_uar(struct sc_user *user);

/* qp.c: what queue pairs that are left leave with it */
void sc_user_close_qps(struct sc_user *user);

/* attributes.c: the entries of struct verbs_context that describe the device */
int sc_query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		       struct ibv_device_attr_ex *attr, size_t size);
int sc_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size);
int sc_query_rt_values(struct ibv_context *context, struct ibv_values_ex *values); /* clock.c */

/* queue.c, qp.c, flow.c: other entries */
struct ibv_cq_ex *sc_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr);
int sc_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int sc_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int sc_req_notify_cq(struct ibv_cq *cq, int solicited_only);
int sc_poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc);
int sc_flow_destroy(struct ibv_flow *flow);
int sc_flow_action_destroy_verbs(struct ibv_flow_action *action);

/* list.c: number of the port behind a listed device; the listed device of a port */
uint32_t sc_listed_index(const struct ibv_device *device);

/*
 * What a destroy function answers, inside the engine. On a dead device the handle goes whatever the object
 * says, because nobody can put its users in order any more; the object itself goes with the user context.
 */
static inline int
sc_destroyed(const struct sc_device *dev, int rc)
{
	return dev->dead ? 0 : rc;
}

/* Return of a verbs function that answers 0 or a positive errno, which it also leaves in errno. */
static inline int
sc_verbs_return(int rc)
{
	if (rc == 0)
		return 0;
	errno = -rc;
	return -rc;
}

#endif
