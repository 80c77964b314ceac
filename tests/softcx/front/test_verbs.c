/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program of rdma-core: linked with libibverbs and libmlx5, knows nothing of softcx. Run with
 * libsoftcx.so preloaded and SOFTCX="ports=2,uar=trap". Only the counts at the end are asked of softcx
 * itself, by dlsym.
 */
#include <dlfcn.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "prm/cap.h"
#include "prm/cmd.h"
#include "prm/queue.h"
#include "softcx/front/softcx.h"

static struct ibv_context *
open_port(int index)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *context;
	struct ibv_device **list;
	int n;

	list = ibv_get_device_list(&n);
	assert_non_null(list);
	assert_int_equal(n, 2);
	assert_true(mlx5dv_is_supported(list[index]));
	context = mlx5dv_open_device(list[index], &attr);
	ibv_free_device_list(list);
	assert_non_null(context);
	return context;
}

static void
test_list(void **state)
{
	struct ibv_device **list;
	char name[24];
	int n;

	list = ibv_get_device_list(&n);
	assert_non_null(list);
	assert_int_equal(n, 2);
	assert_null(list[2]);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "softcx%d", i);
		assert_string_equal(ibv_get_device_name(list[i]), name);
		assert_int_equal(list[i]->node_type, IBV_NODE_CA);
		assert_true(ibv_get_device_guid(list[i]) != 0);
	}
	assert_true(ibv_get_device_guid(list[0]) != ibv_get_device_guid(list[1]));
	ibv_free_device_list(list);
}

static void
test_attributes(void **state)
{
	struct ibv_context *context = open_port(1);
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_SWP | MLX5DV_CONTEXT_MASK_STRIDING_RQ };
	struct ibv_device_attr_ex ex;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	__be16 pkey;

	assert_int_equal(ibv_query_device(context, &attr), 0);
	assert_int_equal(attr.vendor_id, 0x02c9);
	assert_int_equal(attr.phys_port_cnt, 1);
	assert_int_equal(ibv_query_device_ex(context, NULL, &ex), 0);
	assert_string_equal(ex.orig_attr.fw_ver, attr.fw_ver);
	assert_int_equal(ex.rss_caps.max_rwq_indirection_table_size, 512);
	assert_int_equal(ibv_query_port(context, 1, &port), 0);
	assert_int_equal(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	assert_int_equal(ibv_query_port(context, 2, &port), EINVAL);
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	assert_int_equal(gid.raw[0], 0xfe);
	assert_int_equal(ibv_query_gid(context, 1, 1, &gid), -1);
	assert_int_equal(ibv_query_pkey(context, 1, 0, &pkey), 0);
	assert_int_equal(pkey, 0xffff);
	assert_int_equal(mlx5dv_query_device(context, &dv), 0);
	assert_true(dv.flags & MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW);
	assert_true(dv.comp_mask & MLX5DV_CONTEXT_MASK_SWP);
	assert_int_equal(ibv_close_device(context), 0);
}

/* rdma-core asks for DevX whatever the flags; flags it does not know are refused. */
static void
test_devx_flag(void **state)
{
	struct mlx5dv_context_attr attr = { .flags = 0 };
	struct ibv_device **list = ibv_get_device_list(NULL);
	uint8_t in[16] = { 0x01, 0x00, [7] = 1 }, out[0x1010];
	struct ibv_context *contexts[3];

	assert_non_null(list);
	contexts[0] = mlx5dv_open_device(list[0], &attr);
	contexts[1] = mlx5dv_open_device(list[0], NULL);
	contexts[2] = ibv_open_device(list[0]);
	attr.flags = MLX5DV_CONTEXT_FLAGS_DEVX << 1;
	assert_null(mlx5dv_open_device(list[0], &attr));
	assert_int_equal(errno, EINVAL);
	ibv_free_device_list(list);
	for (int i = 0; i < 3; i++) {
		assert_non_null(contexts[i]);
		assert_int_equal(mlx5dv_devx_general_cmd(contexts[i], in, sizeof(in), out, sizeof(out)), 0);
		assert_int_equal(ibv_close_device(contexts[i]), 0);
	}
}

static void
test_contexts(void **state)
{
	struct ibv_context *a = open_port(0), *b = open_port(0), *c = open_port(1), *d;

	d = ibv_import_device(dup(c->cmd_fd));
	assert_non_null(d);
	assert_ptr_equal(d->device, c->device);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(a->device, b->device);
	assert_ptr_not_equal(a->device, c->device);
	assert_int_equal(ibv_close_device(b), 0);
	assert_int_equal(ibv_close_device(d), 0);
	assert_int_equal(ibv_close_device(c), 0);
	assert_int_equal(ibv_close_device(a), 0);
	assert_null(ibv_import_device(-1));
}

static void
test_memory(void **state)
{
	struct ibv_context *context = open_port(0);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct mlx5dv_devx_umem *umem;
	struct ibv_mr *mr;
	struct mlx5dv_pd dv = { 0 };
	struct mlx5dv_obj obj = { .pd = { .in = pd, .out = &dv } };
	static uint8_t memory[8192];

	assert_non_null(pd);
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	assert_int_not_equal(dv.pdn, 0);
	mr = ibv_reg_mr(pd, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	assert_non_null(mr);
	assert_int_not_equal(mr->lkey, 0);
	assert_int_equal(ibv_dealloc_pd(pd), EBUSY);
	umem = mlx5dv_devx_umem_reg(context, memory, sizeof(memory), IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(umem);
	assert_int_not_equal(umem->umem_id, 0);
	assert_null(ibv_reg_dmabuf_mr(pd, 0, 4096, 0, 0, 0));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

static void
test_devx(void **state)
{
	struct ibv_context *context = open_port(0);
	uint8_t in[64] = { 0 }, out[PRM_QUERY_HCA_CAP_OUT_BYTES] = { 0 };
	struct mlx5dv_devx_obj *td;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_HCA_CAP);
	prm_set(in, PRM_CMD_IN_OP_MOD, 1);
	assert_int_equal(mlx5dv_devx_general_cmd(context, in, 16, out, sizeof(out)), 0);
	assert_int_equal(prm_get(out, PRM_CMD_OUT_STATUS), 0);

	/* Opcodes that the kernel keeps for itself, or that belong to another kind of call. */
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_UCTX);
	assert_int_equal(mlx5dv_devx_general_cmd(context, in, 16, out, 16), EINVAL);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_SQ);
	assert_int_equal(mlx5dv_devx_general_cmd(context, in, 64, out, 16), EINVAL);

	memset(in, 0, sizeof(in));
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN);
	td = mlx5dv_devx_obj_create(context, in, 16, out, 16);
	assert_non_null(td);
	assert_int_not_equal(prm_get(out, PRM_ID_OUT_ID), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(td), 0);

	/* Firmware says no: the answer's status is there, the call fails. */
	memset(in, 0, sizeof(in));
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIS);
	memset(out, 0, 16);
	assert_null(mlx5dv_devx_obj_create(context, in, sizeof(in), out, 16));
	assert_int_not_equal(errno, 0);
	assert_int_equal(ibv_close_device(context), 0);
}

/* ---- a send queue that completes to a verbs CQ ---- */

struct sq {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct mlx5dv_cq dv_cq;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *obj;
	uint32_t sqn;
	uint16_t pi;
	uint32_t ci;
	uint8_t *ring;
	uint32_t *record;
};

#define SQ_BYTES (64 << 6)

static void
create_sq_object(struct sq *sq, uint32_t pdn, uint32_t cqn)
{
	uint8_t *ctx, *wq;
	uint8_t cmd[0x20 + PRM_SQC_BYTES] = { 0 }, out[16] = { 0 };

	ctx = cmd + prm_offset(PRM_CREATE_SQ_IN_CTX);
	wq = ctx + prm_offset(PRM_SQC_WQ);
	prm_set(cmd, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_SQ);
	prm_set(ctx, PRM_SQC_NON_WIRE, 1);
	prm_set(ctx, PRM_SQC_CQN, cqn);
	prm_set(wq, PRM_WQ_WQ_TYPE, 1);
	prm_set(wq, PRM_WQ_PD, pdn);
	prm_set(wq, PRM_WQ_UAR_PAGE, sq->uar->page_id);
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, 6);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, 6);
	prm_set(wq, PRM_WQ_WQ_UMEM_ID, sq->umem->umem_id);
	prm_set(wq, PRM_WQ_DBR_UMEM_ID, sq->umem->umem_id);
	prm_set64(wq, PRM_WQ_DBR_ADDR, SQ_BYTES);
	sq->obj = mlx5dv_devx_obj_create(sq->context, cmd, sizeof(cmd), out, sizeof(out));
	assert_non_null(sq->obj);
	sq->sqn = prm_get(out, PRM_ID_OUT_ID);

	memset(cmd, 0, sizeof(cmd));
	prm_set(cmd, PRM_CMD_IN_OPCODE, PRM_CMD_OP_MODIFY_SQ);
	prm_set(cmd, PRM_MODIFY_SQ_IN_SQN, sq->sqn);
	prm_set(ctx, PRM_SQC_STATE, 1);
	assert_int_equal(mlx5dv_devx_obj_modify(sq->obj, cmd, sizeof(cmd), out, sizeof(out)), 0);
}

static void
open_sq(struct sq *sq)
{
	struct mlx5dv_pd dv_pd = { 0 };
	struct mlx5dv_obj obj = { 0 };

	memset(sq, 0, sizeof(*sq));
	sq->context = open_port(0);
	sq->pd = ibv_alloc_pd(sq->context);
	sq->channel = ibv_create_comp_channel(sq->context);
	sq->cq = ibv_create_cq(sq->context, 63, NULL, sq->channel, 0);
	assert_non_null(sq->cq);
	obj.pd.in = sq->pd;
	obj.pd.out = &dv_pd;
	obj.cq.in = sq->cq;
	obj.cq.out = &sq->dv_cq;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD | MLX5DV_OBJ_CQ), 0);
	assert_int_equal(sq->dv_cq.cqe_cnt, 64);
	assert_int_equal(sq->dv_cq.cqe_size, 64);
	sq->uar = mlx5dv_devx_alloc_uar(sq->context, MLX5DV_UAR_ALLOC_TYPE_NC);
	assert_non_null(sq->uar);
	assert_ptr_equal((uint8_t *)sq->uar->base_addr + 0x800, sq->uar->reg_addr);
	assert_int_equal(posix_memalign((void **)&sq->ring, 4096, SQ_BYTES + 64), 0);
	memset(sq->ring, 0, SQ_BYTES + 64);
	sq->record = (uint32_t *)(sq->ring + SQ_BYTES);
	sq->umem = mlx5dv_devx_umem_reg(sq->context, sq->ring, SQ_BYTES + 64, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(sq->umem);
	create_sq_object(sq, dv_pd.pdn, sq->dv_cq.cqn);
}

static void
close_sq(struct sq *sq)
{
	assert_int_equal(mlx5dv_devx_umem_dereg(sq->umem), EBUSY);
	assert_int_equal(ibv_destroy_cq(sq->cq), EBUSY);
	assert_int_equal(mlx5dv_devx_obj_destroy(sq->obj), 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(sq->umem), 0);
	mlx5dv_devx_free_uar(sq->uar);
	assert_int_equal(ibv_destroy_comp_channel(sq->channel), EBUSY);
	assert_int_equal(ibv_destroy_cq(sq->cq), 0);
	assert_int_equal(ibv_destroy_comp_channel(sq->channel), 0);
	assert_int_equal(ibv_dealloc_pd(sq->pd), 0);
	assert_int_equal(ibv_close_device(sq->context), 0);
	free(sq->ring);
}

/* A NOP that asks for a completion. @return the eight bytes to ring with. */
static uint64_t
post_nop(struct sq *sq)
{
	uint8_t *wqe = sq->ring + (sq->pi & 63) * 64;
	uint64_t bell;

	memset(wqe, 0, 64);
	prm_store32(wqe, (uint32_t)sq->pi << 8);
	prm_store32(wqe + 4, sq->sqn << 8 | 1);
	wqe[11] = 8;
	sq->pi++;
	__atomic_store_n(&sq->record[1], htobe32(sq->pi), __ATOMIC_RELEASE);
	memcpy(&bell, wqe, sizeof(bell));
	return bell;
}

/* @return did a good completion of WQE number index come within a second? */
static bool
completed(struct sq *sq, uint16_t index)
{
	uint8_t *cqe = (uint8_t *)sq->dv_cq.buf + (sq->ci & 63) * 64;

	for (int i = 0; i < 1000; i++) {
		uint8_t op_own = __atomic_load_n(&cqe[63], __ATOMIC_ACQUIRE);

		if (op_own >> 4 != 0xf && (op_own & 1) == (sq->ci >> 6 & 1)) {
			sq->ci++;
			sq->dv_cq.dbrec[0] = htobe32(sq->ci & 0xffffff);
			return op_own >> 4 == 0 && (cqe[60] << 8 | cqe[61]) == index;
		}
		usleep(1000);
	}
	return false;
}

static void
ring_release(void *at, uint64_t bell)
{
	__atomic_store_n((uint64_t *)at, bell, __ATOMIC_RELEASE);
}

static void
ring_xchg(void *at, uint64_t bell)
{
	__atomic_store_n((uint64_t *)at, bell, __ATOMIC_SEQ_CST);
}

static void
ring_nontemporal(void *at, uint64_t bell)
{
	asm volatile("movnti %1, (%0)" :: "r"(at), "r"(bell) : "memory");
}

static void
ring_vector(void *at, uint64_t bell)
{
	asm volatile("movq %1, %%xmm0; movq %%xmm0, (%0)" :: "r"(at), "r"(bell) : "xmm0", "memory");
}

static void
ring_halves(void *at, uint64_t bell)
{
	volatile uint32_t *half = at;

	half[0] = (uint32_t)bell;
	half[1] = bell >> 32;
}

static void
test_doorbell_forms(void **state)
{
	void (*const forms[])(void *at, uint64_t bell) = {
		ring_release, ring_xchg, ring_nontemporal, ring_vector, ring_halves,
	};
	int (*doorbells)(unsigned int index, struct softcx_doorbells *counts) = dlsym(RTLD_DEFAULT, "softcx_doorbells");
	struct softcx_doorbells counts;
	struct sq sq;

	open_sq(&sq);
	for (unsigned int i = 0; i < 200; i++) {
		uint64_t bell = post_nop(&sq);

		forms[i % 5](sq.uar->reg_addr, bell);
		assert_true(completed(&sq, i));
	}
	assert_non_null(doorbells);
	assert_int_equal(doorbells(0, &counts), 0);
	assert_int_equal(counts.rung, 200);
	assert_int_equal(counts.mismatch, 0);
	assert_int_equal(counts.idle, 0);
	assert_int_equal(counts.stray, 0);

	/* Rung again without new work, and for nobody. */
	ring_release(sq.uar->reg_addr, *(uint64_t *)(sq.ring + (199 & 63) * 64));
	ring_release(sq.uar->reg_addr, htobe64(0xffffff01));
	assert_int_equal(doorbells(0, &counts), 0);
	assert_int_equal(counts.idle, 1);
	assert_int_equal(counts.stray, 1);

	/* Without a doorbell nothing moves. */
	post_nop(&sq);
	usleep(20000);
	assert_int_equal(((uint8_t *)sq.dv_cq.buf)[(sq.ci & 63) * 64 + 63] & 1, !(sq.ci >> 6 & 1));
	close_sq(&sq);
}

static void
test_comp_channel(void **state)
{
	struct pollfd fd;
	struct ibv_cq *cq;
	void *cq_context;
	struct sq sq;

	open_sq(&sq);
	fd = (struct pollfd){ .fd = sq.channel->fd, .events = POLLIN };
	assert_int_equal(ibv_req_notify_cq(sq.cq, 0), 0);
	assert_int_equal(poll(&fd, 1, 0), 0);
	ring_release(sq.uar->reg_addr, post_nop(&sq));
	assert_int_equal(poll(&fd, 1, 1000), 1);
	assert_int_equal(ibv_get_cq_event(sq.channel, &cq, &cq_context), 0);
	assert_ptr_equal(cq, sq.cq);
	ibv_ack_cq_events(cq, 1);
	assert_true(completed(&sq, 0));
	/* Not armed again: no event. */
	ring_release(sq.uar->reg_addr, post_nop(&sq));
	assert_true(completed(&sq, 1));
	assert_int_equal(poll(&fd, 1, 0), 0);
	close_sq(&sq);
}

/* ---- events ---- */

/* A DevX CQ over fresh memory: 64 entries, the record behind them. */
struct devx_cq {
	uint8_t *memory;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *obj;
	uint32_t cqn;
};

static void
open_devx_cq(struct devx_cq *cq, struct ibv_context *context, uint32_t uar_page)
{
	uint8_t in[PRM_CREATE_CQ_IN_BYTES] = { 0 }, out[16] = { 0 };
	uint8_t *cqc = in + prm_offset(PRM_CREATE_CQ_IN_CQC);
	uint32_t eqn;

	assert_int_equal(mlx5dv_devx_query_eqn(context, 0, &eqn), 0);
	assert_int_equal(mlx5dv_devx_query_eqn(context, 1000, &eqn), EINVAL);
	assert_int_equal(posix_memalign((void **)&cq->memory, 4096, 4096 + 64), 0);
	memset(cq->memory, 0, 4096 + 64);
	for (unsigned int i = 0; i < 64; i++)
		cq->memory[i * 64 + 63] = 0xf1;
	cq->umem = mlx5dv_devx_umem_reg(context, cq->memory, 4096 + 64, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(cq->umem);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_CQ);
	prm_set(in, PRM_CREATE_CQ_IN_CQ_UMEM_ID, cq->umem->umem_id);
	prm_set(cqc, PRM_CQC_DBR_UMEM_ID, cq->umem->umem_id);
	prm_set64(cqc, PRM_CQC_DBR_ADDR, 4096);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, 6);
	prm_set(cqc, PRM_CQC_UAR_PAGE, uar_page);
	prm_set(cqc, PRM_CQC_C_EQN, eqn);
	cq->obj = mlx5dv_devx_obj_create(context, in, sizeof(in), out, sizeof(out));
	assert_non_null(cq->obj);
	cq->cqn = prm_get(out, PRM_ID_OUT_ID);
}

static void
close_devx_cq(struct devx_cq *cq)
{
	assert_int_equal(mlx5dv_devx_obj_destroy(cq->obj), 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(cq->umem), 0);
	free(cq->memory);
}

/* nic.md 3.9: record, then the register. */
static void
arm(struct devx_cq *cq, struct mlx5dv_devx_uar *uar, uint32_t sn, uint32_t ci)
{
	uint32_t dword = sn << 28 | ci;

	((uint32_t *)(cq->memory + 4096))[1] = htobe32(dword);
	ring_release((uint8_t *)uar->base_addr + 0x20, htobe64((uint64_t)dword << 32 | cq->cqn));
}

/* Make the SQ again, over another CQ. */
static void
move_sq(struct sq *sq, uint32_t cqn)
{
	struct mlx5dv_pd dv_pd = { 0 };
	struct mlx5dv_obj obj = { .pd = { .in = sq->pd, .out = &dv_pd } };

	assert_int_equal(mlx5dv_devx_obj_destroy(sq->obj), 0);
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	sq->pi = 0;
	sq->record[1] = 0;
	create_sq_object(sq, dv_pd.pdn, cqn);
}

/*
 * Completions of an SQ wake whoever subscribed to the CQ's event: by cookie, with the EQE, by an own
 * descriptor.
 */
static void
test_event_channel(void **state)
{
	struct mlx5dv_devx_event_channel *plain, *cookies;
	uint16_t completion[1] = { 0 };
	uint64_t room[16] = { 0 };
	struct mlx5dv_devx_async_event_hdr *event = (void *)room;
	struct devx_cq cq;
	struct pollfd fd;
	eventfd_t count;
	struct sq sq;
	int own;

	open_sq(&sq);
	open_devx_cq(&cq, sq.context, sq.uar->page_id);
	move_sq(&sq, cq.cqn);
	plain = mlx5dv_devx_create_event_channel(sq.context, 0);
	cookies = mlx5dv_devx_create_event_channel(sq.context, MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA);
	own = eventfd(0, EFD_NONBLOCK);
	assert_non_null(plain);
	assert_non_null(cookies);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(plain, cq.obj, sizeof(completion), completion, 0x1234), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(cookies, cq.obj, sizeof(completion), completion, 0x5678), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event_fd(plain, own, cq.obj, 0), 0);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(plain, cq.obj, 3, completion, 0), EINVAL);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(plain, cq.obj, 2, (uint16_t[]){ 0x77 }, 0), EINVAL);
	assert_int_equal(mlx5dv_devx_subscribe_devx_event(plain, NULL, 2, (uint16_t[]){ 0x09 }, 0), EOPNOTSUPP);

	arm(&cq, sq.uar, 0, 0);
	ring_release(sq.uar->reg_addr, post_nop(&sq));
	fd = (struct pollfd){ .fd = plain->fd, .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 1000), 1);
	assert_int_equal(mlx5dv_devx_get_event(plain, event, 8), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(mlx5dv_devx_get_event(plain, event, sizeof(room)), 8 + 64);
	assert_int_equal(event->cookie, 0x1234);
	assert_int_equal(event->out_data[1], 0);
	assert_int_equal(prm_load32(event->out_data + 0x38), cq.cqn);
	assert_int_equal(mlx5dv_devx_get_event(cookies, event, sizeof(room)), 8);
	assert_int_equal(event->cookie, 0x5678);
	assert_int_equal(eventfd_read(own, &count), 0);
	assert_int_equal(poll(&fd, 1, 0), 0);

	/* The channel goes before the object: nobody is told any more. */
	mlx5dv_devx_destroy_event_channel(cookies);
	arm(&cq, sq.uar, 1, 1);
	ring_release(sq.uar->reg_addr, post_nop(&sq));
	assert_int_equal(poll(&fd, 1, 1000), 1);
	close(own);
	move_sq(&sq, sq.dv_cq.cqn);
	close_devx_cq(&cq);
	close_sq(&sq);
	mlx5dv_devx_destroy_event_channel(plain);
}

/* A pulled cable is told to every context. */
static void
test_async_event(void **state)
{
	int (*fault)(unsigned int, const char *, char *, size_t) = dlsym(RTLD_DEFAULT, "softcx_fault");
	struct ibv_context *a = open_port(0), *b = open_port(0);
	struct pollfd fd = { .fd = a->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	assert_non_null(fault);
	while (poll(&fd, 1, 0) == 1)
		assert_int_equal(ibv_get_async_event(a, &event), 0);
	assert_int_equal(fault(0, "link:down", NULL, 0), 0);
	assert_int_equal(poll(&fd, 1, 1000), 1);
	assert_int_equal(ibv_get_async_event(a, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ERR);
	assert_int_equal(event.element.port_num, 1);
	assert_string_equal(ibv_event_type_str(event.event_type), "port error");
	ibv_ack_async_event(&event);
	assert_int_equal(fault(0, "link:up", NULL, 0), 0);
	assert_int_equal(ibv_get_async_event(a, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_PORT_ACTIVE);
	fd.fd = b->async_fd;
	assert_int_equal(poll(&fd, 1, 0), 1);
	assert_int_equal(ibv_close_device(b), 0);
	assert_int_equal(ibv_close_device(a), 0);
}

/* A verbs CQ that overruns: nobody consumed what 64 entries hold, and a 65th comes. */
static void
test_cq_overrun(void **state)
{
	struct ibv_async_event event;
	struct pollfd fd;
	struct sq sq;

	open_sq(&sq);
	fd = (struct pollfd){ .fd = sq.context->async_fd, .events = POLLIN };
	while (poll(&fd, 1, 0) == 1)
		assert_int_equal(ibv_get_async_event(sq.context, &event), 0);
	for (int i = 0; i < 65; i++) {
		ring_release(sq.uar->reg_addr, post_nop(&sq));
		usleep(200); /* the ring of the SQ has 64 places too */
	}
	assert_int_equal(poll(&fd, 1, 2000), 1);
	assert_int_equal(ibv_get_async_event(sq.context, &event), 0);
	assert_int_equal(event.event_type, IBV_EVENT_CQ_ERR);
	assert_ptr_equal(event.element.cq, sq.cq);
	ibv_ack_async_event(&event);
	close_sq(&sq);
}

static void
test_query_async(void **state)
{
	struct ibv_context *context = open_port(0);
	struct mlx5dv_devx_cmd_comp *comp = mlx5dv_devx_create_cmd_comp(context);
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(context, MLX5DV_UAR_ALLOC_TYPE_NC);
	uint8_t in[16] = { 0 };
	uint64_t room[64];
	struct mlx5dv_devx_async_cmd_hdr *answer = (void *)room;
	struct pollfd fd = { .fd = comp->fd, .events = POLLIN };
	struct devx_cq cq;

	open_devx_cq(&cq, context, uar->page_id);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_CQ);
	prm_set(in, PRM_ID_IN_ID, cq.cqn);
	assert_int_equal(mlx5dv_devx_obj_query_async(cq.obj, in, sizeof(in), 0x110, 99, comp), 0);
	assert_int_equal(poll(&fd, 1, 1000), 1);
	assert_int_equal(mlx5dv_devx_get_async_cmd_comp(comp, answer, sizeof(room)), 0);
	assert_int_equal(answer->wr_id, 99);
	assert_int_equal(prm_get(answer->out_data, PRM_CMD_OUT_STATUS), 0);
	/* Another object than the one it is called on. */
	prm_set(in, PRM_ID_IN_ID, cq.cqn + 1);
	assert_int_equal(mlx5dv_devx_obj_query_async(cq.obj, in, sizeof(in), 0x110, 100, comp), EINVAL);
	close_devx_cq(&cq);
	mlx5dv_devx_free_uar(uar);
	mlx5dv_devx_destroy_cmd_comp(comp);
	assert_int_equal(ibv_close_device(context), 0);
}

/* A child has no device, and leaves its parent's alone. */
static void
test_fork(void **state)
{
	struct sq sq;
	pid_t child;
	int status;

	open_sq(&sq);
	child = fork();
	if (child == 0)
		_exit(7);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 7);
	ring_release(sq.uar->reg_addr, post_nop(&sq));
	assert_true(completed(&sq, 0));
	close_sq(&sq);
}

/* ---- root steering ---- */

static void
test_flow(void **state)
{
	struct ibv_context *context = open_port(0);
	union {
		struct mlx5dv_flow_match_parameters p;
		uint8_t room[8 + 448];
	} mask = { .p.match_sz = 448 }, value = { .p.match_sz = 448 };
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL, .priority = 3, .match_criteria_enable = 1, .match_mask = &mask.p,
		.comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE, .ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
	};
	struct mlx5dv_flow_action_attr drop = { .type = MLX5DV_FLOW_ACTION_DROP };
	struct mlx5dv_flow_matcher *matcher;
	struct ibv_flow_action *action;
	struct ibv_flow *flow;
	uint64_t set[1] = { htobe64(0x1011000000000007ull) }; /* set OUT_IPV4_TTL.. (PRM 2.8): field 0x011 */

	memset((uint8_t *)mask.p.match_buf + 8, 0xff, 6);
	((uint8_t *)value.p.match_buf)[8] = 0x02;
	matcher = mlx5dv_create_flow_matcher(context, &attr);
	assert_non_null(matcher);
	flow = mlx5dv_create_flow(matcher, &value.p, 1, &drop);
	assert_non_null(flow);
	assert_int_equal(mlx5dv_destroy_flow_matcher(matcher), EBUSY);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	assert_int_equal(mlx5dv_destroy_flow_matcher(matcher), 0);

	attr.ft_type = MLX5DV_FLOW_TABLE_TYPE_FDB;
	assert_null(mlx5dv_create_flow_matcher(context, &attr));
	assert_int_equal(errno, EOPNOTSUPP);

	action = mlx5dv_create_flow_action_modify_header(context, sizeof(set), set, MLX5DV_FLOW_TABLE_TYPE_NIC_TX);
	assert_non_null(action);
	assert_int_equal(ibv_destroy_flow_action(action), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

static void
test_anchor(void **state)
{
	struct ibv_context *context = open_port(0);
	struct mlx5dv_steering_anchor_attr attr = { .ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_RX, .priority = 1 };
	struct mlx5dv_steering_anchor *anchor = mlx5dv_create_steering_anchor(context, &attr);

	assert_non_null(anchor);
	assert_int_not_equal(anchor->id, 0);
	assert_int_equal(mlx5dv_destroy_steering_anchor(anchor), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

static void
test_refused(void **state)
{
	struct ibv_context *context = open_port(0);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };

	errno = 0;
	assert_null(ibv_create_qp(pd, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	errno = 0;
	assert_null(mlx5dv_dr_domain_create(context, MLX5DV_DR_DOMAIN_TYPE_NIC_RX));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(mlx5dv_pp_alloc(context, 0, NULL, 0));
	assert_null(mlx5dv_alloc_var(context, 0));
	/* An entry of struct verbs_context that is empty: the header's inline function refuses. */
	assert_null(ibv_alloc_null_mr(pd));
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

/* Everything above closed what it opened. */
static int
check_census(void **state)
{
	int (*census)(int index, struct softcx_census_row *rows, unsigned int max) = dlsym(RTLD_DEFAULT, "softcx_census");
	struct softcx_census_row rows[64];
	int n;

	if (census == NULL)
		return -1;
	n = census(-1, rows, 64);
	for (int i = 0; i < n && i < 64; i++)
		if (rows[i].objects != 0) {
			print_error("left behind: %llu %s\n", (unsigned long long)rows[i].objects, rows[i].type);
			return -1;
		}
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test_teardown(test_attributes, check_census),
		cmocka_unit_test_teardown(test_contexts, check_census),
		cmocka_unit_test_teardown(test_devx_flag, check_census),
		cmocka_unit_test_teardown(test_memory, check_census),
		cmocka_unit_test_teardown(test_devx, check_census),
		cmocka_unit_test_teardown(test_doorbell_forms, check_census),
		cmocka_unit_test_teardown(test_comp_channel, check_census),
		cmocka_unit_test_teardown(test_event_channel, check_census),
		cmocka_unit_test_teardown(test_async_event, check_census),
		cmocka_unit_test_teardown(test_cq_overrun, check_census),
		cmocka_unit_test_teardown(test_query_async, check_census),
		cmocka_unit_test_teardown(test_fork, check_census),
		cmocka_unit_test_teardown(test_flow, check_census),
		cmocka_unit_test_teardown(test_anchor, check_census),
		cmocka_unit_test_teardown(test_refused, check_census),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
