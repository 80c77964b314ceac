/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The one kind of queue pair there is: raw packet, receives only, as a program makes it to hear its own
 * port (a driver's loopback mode), or to hold a place. As with rdma-core and the kernel it is made of
 * device objects: memory with ring and record, an RQ in reset, and a TIR in the transport domain of the
 * context. It stays in reset: nothing here moves queue pairs or posts work.
 */
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "prm/cmd.h"
#include "prm/queue.h"
#include "softcx/cmd/resource.h"
#include "softcx/core/command.h"
#include "softcx/core/engine.h"
#include "softcx/front/memory.h"
#include "softcx/front/queue.h"
#include "softcx/front/refuse.h"
#include "softcx/front/user.h"
#include "softcx/nic/nic.h"

#define LOG_SGE      4
#define MAX_LOG_SGES 5
#define LOOPBACK (MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC | MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC)

struct qp {
	struct ibv_qp ibv;
	struct sc_umem *umem; /* ring, then the record in a cache line of its own */
	uint8_t *memory;
	uint32_t tirn;
	bool loopback;
};

struct qp_call {
	struct sc_user *user;
	struct qp *qp;
	uint32_t pdn, cqn;
	uint8_t log_size, log_stride;
	uint8_t self_loopback; /* bits of the TIR: 0 unicast, 1 multicast */
};

/* ---- inside the engine ---- */

static size_t
ring_bytes(const struct qp_call *call)
{
	return (size_t)1 << (call->log_size + call->log_stride);
}

/*
 * A command of a number: destroy, free; or with id 0 alloc. @return 0 or -errno; *id: the number that
 * came.
 */
static int
plain_command(const struct sc_user *user, uint16_t opcode, uint32_t id, uint32_t *new_id)
{
	uint8_t in[16] = { 0 }, out[16];
	int rc;

	prm_set(in, PRM_CMD_IN_OPCODE, opcode);
	prm_set(in, PRM_ID_IN_ID, id);
	rc = sc_command_run(user->dev, user->uid, in, sizeof(in), out, sizeof(out));
	if (rc == 0 && new_id != NULL)
		*new_id = prm_get(out, PRM_ID_OUT_ID);
	return rc;
}

static int
create_rq(const struct qp_call *call)
{
	uint8_t in[PRM_CREATE_RQ_IN_BYTES] = { 0 }, out[16];
	uint8_t *rqc = prm_area(in, PRM_CREATE_RQ_IN_CTX), *wq = prm_area(rqc, PRM_RQC_WQ);
	struct qp *qp = call->qp;
	int rc;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_RQ);
	prm_set(rqc, PRM_RQC_VSD, 1);
	prm_set(rqc, PRM_RQC_CQN, call->cqn);
	prm_set(wq, PRM_WQ_WQ_TYPE, PRM_WQ_TYPE_CYCLIC);
	prm_set(wq, PRM_WQ_PD, call->pdn);
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, call->log_stride);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, call->log_size);
	prm_set(wq, PRM_WQ_DBR_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_DBR_UMEM_ID, qp->umem->obj.id);
	prm_set64(wq, PRM_WQ_DBR_ADDR, ring_bytes(call));
	prm_set(wq, PRM_WQ_WQ_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_WQ_UMEM_ID, qp->umem->obj.id);
	rc = sc_command_run(call->user->dev, call->user->uid, in, sizeof(in), out, sizeof(out));
	qp->ibv.qp_num = prm_get(out, PRM_ID_OUT_ID);
	return rc;
}

static int
create_tir(const struct qp_call *call)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = { 0 }, out[16];
	uint8_t *tirc = prm_area(in, PRM_CREATE_TIR_IN_CTX);
	int rc;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIR);
	prm_set(tirc, PRM_TIRC_DISP_TYPE, PRM_TIRC_DISP_TYPE_DIRECT);
	prm_set(tirc, PRM_TIRC_INLINE_RQN, call->qp->ibv.qp_num);
	prm_set(tirc, PRM_TIRC_TRANSPORT_DOMAIN, call->user->td);
	prm_set(tirc, PRM_TIRC_SELF_LB_BLOCK, call->self_loopback);
	rc = sc_command_run(call->user->dev, call->user->uid, in, sizeof(in), out, sizeof(out));
	call->qp->tirn = prm_get(out, PRM_ID_OUT_ID);
	return rc;
}

static int
get_td(struct sc_user *user)
{
	int rc = 0;

	if (user->nb_qps == 0)
		rc = plain_command(user, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, 0, &user->td);
	if (rc == 0)
		user->nb_qps++;
	return rc;
}

static void
put_td(struct sc_user *user)
{
	if (--user->nb_qps == 0)
		plain_command(user, PRM_CMD_OP_DEALLOC_TRANSPORT_DOMAIN, user->td, NULL);
}

/* While one queue pair asks for it, the kernel lets the vport hear itself. */
static void
count_loopback(struct sc_user *user, int n)
{
	user->nb_lb_qps += n;
	user->dev->lb_qps += n;
	sc_device_self_loopback(user->dev);
}

static int
create_qp(void *arg)
{
	struct qp_call *call = arg;
	struct sc_user *user = call->user;
	struct qp *qp = call->qp;
	int rc = get_td(user);

	if (rc != 0)
		return rc;
	rc = sc_umem_create(user->dev, user->uid, qp->memory, ring_bytes(call) + PRM_DBR_BYTES, 0, &qp->umem);
	if (rc != 0)
		goto no_umem;
	rc = create_rq(call);
	if (rc != 0)
		goto no_rq;
	rc = create_tir(call);
	if (rc != 0)
		goto no_tir;
	qp->loopback = call->self_loopback != 0;
	if (qp->loopback)
		count_loopback(user, 1);
	return 0;

no_tir:
	plain_command(user, PRM_CMD_OP_DESTROY_RQ, qp->ibv.qp_num, NULL);
no_rq:
	sc_umem_destroy(qp->umem);
no_umem:
	put_td(user);
	return rc;
}

/*
 * A TIR that a rule leads to stays, and with it the queue pair. Where it goes but the RQ does not, try
 * again.
 */
static int
destroy_qp(void *arg)
{
	struct qp_call *call = arg;
	struct sc_user *user = call->user;
	struct qp *qp = call->qp;
	int rc = 0;

	if (qp->tirn != 0)
		rc = sc_destroyed(user->dev, plain_command(user, PRM_CMD_OP_DESTROY_TIR, qp->tirn, NULL));
	if (rc != 0)
		return rc;
	qp->tirn = 0;
	rc = sc_destroyed(user->dev, plain_command(user, PRM_CMD_OP_DESTROY_RQ, qp->ibv.qp_num, NULL));
	if (rc != 0)
		return rc;
	sc_umem_destroy(qp->umem);
	if (qp->loopback)
		count_loopback(user, -1);
	put_td(user);
	return 0;
}

void
sc_user_close_qps(struct sc_user *user)
{
	count_loopback(user, -(int)user->nb_lb_qps);
}

/* ---- verbs ---- */

static uint8_t
log2_above(uint32_t n)
{
	uint8_t log = 0;

	while (1u << log < n)
		log++;
	return log;
}

/* Ring of the receives asked for, as rdma-core sizes it: powers of two, 64 bytes at least. */
static int
size_ring(const struct ibv_qp_cap *cap, struct qp_call *call)
{
	uint32_t min;

	if (cap->max_recv_wr == 0 || cap->max_recv_wr > 1 << SC_WQ_LOG_MAX ||
	    cap->max_recv_sge > 1 << MAX_LOG_SGES)
		return -EINVAL;
	call->log_stride = LOG_SGE + log2_above(cap->max_recv_sge);
	call->log_size = log2_above(cap->max_recv_wr);
	min = call->log_stride < 6 ? 6 - call->log_stride : 0;
	if (call->log_size < min)
		call->log_size = (uint8_t)min;
	return 0;
}

/* What the program asks for, held against what there is. */
static int
check_qp(const struct ibv_qp_init_attr_ex *attr, const struct mlx5dv_qp_init_attr *mlx5)
{
	uint32_t flags = 0;

	if (mlx5 != NULL && mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)
		flags = mlx5->create_flags;
	if (attr->qp_type != IBV_QPT_RAW_PACKET || attr->cap.max_send_wr != 0 || attr->srq != NULL ||
	    attr->comp_mask != IBV_QP_INIT_ATTR_PD || flags & ~(uint32_t)LOOPBACK ||
	    (mlx5 != NULL && mlx5->comp_mask & ~(uint64_t)MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)) {
		sc_verbs_refused("mlx5dv_create_qp, but for raw packet receives");
		return -EOPNOTSUPP;
	}
	return attr->pd == NULL || attr->recv_cq == NULL ? -EINVAL : 0;
}

static void
fill_qp(struct ibv_qp *qp, struct ibv_context *context, const struct ibv_qp_init_attr_ex *attr)
{
	qp->context = context;
	qp->qp_context = attr->qp_context;
	qp->pd = attr->pd;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->handle = qp->qp_num;
	qp->state = IBV_QPS_RESET;
	qp->qp_type = attr->qp_type;
	pthread_mutex_init(&qp->mutex, NULL);
	pthread_cond_init(&qp->cond, NULL);
}

struct ibv_qp *
mlx5dv_create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
	struct mlx5dv_qp_init_attr *mlx5)
{
	struct qp_call call = { .user = sc_user_of(context) };
	int rc = check_qp(attr, mlx5);

	if (rc == 0)
		rc = size_ring(&attr->cap, &call);
	if (rc != 0)
		goto refused;
	if (mlx5 != NULL && mlx5->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS)
		call.self_loopback =
			(mlx5->create_flags & LOOPBACK) / MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC;
	call.pdn = sc_pd_number(attr->pd);
	call.cqn = sc_cq_number(attr->recv_cq);
	rc = -ENOMEM;
	call.qp = calloc(1, sizeof(*call.qp));
	if (call.qp == NULL)
		goto refused;
	call.qp->memory = aligned_alloc(4096, (ring_bytes(&call) + PRM_DBR_BYTES + 4095) & ~(size_t)4095);
	if (call.qp->memory == NULL)
		goto no_memory;
	memset(call.qp->memory, 0, ring_bytes(&call) + PRM_DBR_BYTES);
	rc = sc_engine_call(create_qp, &call);
	if (rc != 0)
		goto no_qp;
	attr->cap.max_recv_wr = 1u << call.log_size;
	attr->cap.max_recv_sge = 1u << (call.log_stride - LOG_SGE);
	fill_qp(&call.qp->ibv, context, attr);
	return &call.qp->ibv;

no_qp:
	free(call.qp->memory);
no_memory:
	free(call.qp);
refused:
	errno = -rc;
	return NULL;
}

int
ibv_destroy_qp(struct ibv_qp *ibv)
{
	struct qp *qp = (struct qp *)ibv;
	struct qp_call call = { .user = sc_user_of(ibv->context), .qp = qp };
	int rc = sc_engine_call(destroy_qp, &call);

	if (rc != 0)
		return sc_verbs_return(rc);
	pthread_cond_destroy(&ibv->cond);
	pthread_mutex_destroy(&ibv->mutex);
	free(qp->memory);
	free(qp);
	return 0;
}

/* The first of the list is the bad one. */
int
sc_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	*bad = wr;
	return EINVAL;
}

int
sc_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	*bad = wr;
	return EOPNOTSUPP;
}
