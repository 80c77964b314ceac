/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The CQ of mlx5dv_create_cq and the one kind of queue pair there is, by a program of rdma-core: what they are on
 * the device, what they do to the vport's loopback gates, and what is refused.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "prm/cmd.h"
#include "prm/resource.h"
#include "softcx/front/softcx.h"

struct pair {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static volatile struct pair left;

static struct ibv_context *
open_port(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	assert_non_null(list);
	context = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	assert_non_null(context);
	return context;
}

/* The gates of the NIC vport context: bit 1 unicast does not come back, bit 2 multicast. */
static unsigned int
gates(struct ibv_context *context)
{
	uint8_t in[16] = { 0 }, out[0x10 + PRM_NIC_VPORT_CONTEXT_BYTES];

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_QUERY_NIC_VPORT_CONTEXT);
	assert_int_equal(mlx5dv_devx_general_cmd(context, in, sizeof(in), out, sizeof(out)), 0);
	return out[0x13] & 6;
}

static uint64_t
nb_objects(const char *type)
{
	int (*census)(int index, struct softcx_census_row *rows, unsigned int max) = dlsym(RTLD_DEFAULT, "softcx_census");
	struct softcx_census_row rows[64];
	uint64_t sum = 0;
	int n;

	assert_non_null(census);
	n = census(-1, rows, 64);
	for (int i = 0; i < n && i < 64; i++)
		if (type == NULL || strcmp(rows[i].type, type) == 0)
			sum += rows[i].objects;
	return sum;
}

/* As a driver asks for it: one receive, the smallest CQ. */
static struct ibv_qp *
create_qp(struct pair *p, uint32_t flags)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = p->pd,
		.send_cq = p->cq,
		.recv_cq = p->cq,
		.cap.max_recv_wr = 1,
	};
	struct mlx5dv_qp_init_attr mlx5 = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = flags,
	};

	return mlx5dv_create_qp(p->context, &attr, &mlx5);
}

static void
open_pair(struct pair *p, uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 1 };
	struct mlx5dv_cq_init_attr mlx5 = { .comp_mask = 0 };

	p->context = open_port();
	p->pd = ibv_alloc_pd(p->context);
	assert_non_null(p->pd);
	p->cq = ibv_cq_ex_to_cq(mlx5dv_create_cq(p->context, &attr, &mlx5));
	assert_non_null(p->cq);
	assert_int_equal(p->cq->cqe, 1);
	p->qp = create_qp(p, flags);
	assert_non_null(p->qp);
}

static void
close_pair(struct pair *p)
{
	assert_int_equal(ibv_destroy_qp(p->qp), 0);
	assert_int_equal(ibv_destroy_cq(p->cq), 0);
	assert_int_equal(ibv_dealloc_pd(p->pd), 0);
	assert_int_equal(ibv_close_device(p->context), 0);
	assert_int_equal(nb_objects(NULL), 0);
}

/* An RQ and a TIR in a transport domain, over memory; what it refers to cannot go before it. */
static void
test_objects(void **state)
{
	static const char *const types[] = { "rq", "tir", "td", "umem", "cq", "pd" };
	struct pair p;

	open_pair(&p, 0);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (nb_objects(types[i]) != 1)
			fail_msg("%llu %s", (unsigned long long)nb_objects(types[i]), types[i]);
	assert_int_not_equal(p.qp->qp_num, 0);
	assert_int_equal(p.qp->state, IBV_QPS_RESET);
	assert_int_equal(ibv_destroy_cq(p.cq), EBUSY);
	assert_int_equal(ibv_dealloc_pd(p.pd), EBUSY);
	close_pair(&p);
}

/* The first that asks opens both gates, the last that goes shuts them; one that does not ask counts for nothing. */
static void
test_gates(void **state)
{
	struct ibv_context *context = open_port();
	struct ibv_qp *second;
	struct pair p;

	assert_int_equal(gates(context), 6);
	assert_int_equal(ibv_close_device(context), 0);
	open_pair(&p, 0);
	assert_int_equal(gates(p.context), 6);
	close_pair(&p);
	open_pair(&p, MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC);
	assert_int_equal(gates(p.context), 0);
	second = create_qp(&p, MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_MC);
	assert_non_null(second);
	assert_int_equal(nb_objects("td"), 1);
	assert_int_equal(ibv_destroy_qp(second), 0);
	assert_int_equal(gates(p.context), 0);
	assert_int_equal(ibv_destroy_qp(p.qp), 0);
	assert_int_equal(gates(p.context), 6);
	/* A context that closes takes its queue pairs along; their handles' memory stays the program's, which keeps it here. */
	p.qp = create_qp(&p, MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC);
	left = p;
	context = open_port();
	assert_int_equal(gates(context), 0);
	assert_int_equal(ibv_close_device(p.context), 0);
	assert_int_equal(gates(context), 6);
	assert_int_equal(nb_objects("rq") + nb_objects("tir") + nb_objects("td"), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

/* Nothing completes in a verbs CQ here, however it was made. */
static void
test_poll(void **state)
{
	struct ibv_context *context = open_port();
	struct ibv_cq_init_attr_ex attr = { .cqe = 100, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct mlx5dv_cq_init_attr mlx5 = { .comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = 64 };
	struct ibv_poll_cq_attr poll = { .comp_mask = 0 };
	struct ibv_cq_ex *cq;

	for (int i = 0; i < 2; i++) {
		cq = i == 0 ? ibv_create_cq_ex(context, &attr) : mlx5dv_create_cq(context, &attr, &mlx5);
		assert_non_null(cq);
		assert_int_equal(cq->cqe, 127);
		assert_int_equal(ibv_start_poll(cq, &poll), ENOENT);
		assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	}
	mlx5.cqe_size = 96;
	assert_null(mlx5dv_create_cq(context, &attr, &mlx5));
	assert_int_equal(errno, EINVAL);
	mlx5.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE;
	assert_null(mlx5dv_create_cq(context, &attr, &mlx5));
	assert_int_equal(errno, EINVAL);
	attr.cqe = 0;
	assert_null(ibv_create_cq_ex(context, &attr));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_close_device(context), 0);
}

static void
refused(struct pair *p, struct ibv_qp_init_attr_ex attr, int error)
{
	attr.pd = p->pd;
	attr.send_cq = attr.recv_cq = p->cq;
	errno = 0;
	assert_null(mlx5dv_create_qp(p->context, &attr, NULL));
	assert_int_equal(errno, error);
}

static void
test_refused(void **state)
{
	struct ibv_qp_init_attr_ex good = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.cap.max_recv_wr = 1,
	}, attr;
	struct ibv_recv_wr receive = { .num_sge = 0 }, *bad_receive = NULL;
	struct ibv_send_wr send = { .num_sge = 0 }, *bad_send = NULL;
	struct ibv_qp_attr move = { .qp_state = IBV_QPS_INIT };
	struct pair p;

	open_pair(&p, 0);
	attr = good;
	attr.qp_type = IBV_QPT_RC;
	refused(&p, attr, EOPNOTSUPP);
	attr = good;
	attr.cap.max_send_wr = 1;
	refused(&p, attr, EOPNOTSUPP);
	attr = good;
	attr.cap.max_recv_wr = 0;
	refused(&p, attr, EINVAL);
	attr.cap.max_recv_wr = 65536;
	refused(&p, attr, EINVAL);
	errno = 0;
	assert_null(create_qp(&p, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_post_recv(p.qp, &receive, &bad_receive), EOPNOTSUPP);
	assert_ptr_equal(bad_receive, &receive);
	assert_int_equal(ibv_post_send(p.qp, &send, &bad_send), EINVAL);
	assert_ptr_equal(bad_send, &send);
	assert_int_equal(ibv_modify_qp(p.qp, &move, IBV_QP_STATE), EOPNOTSUPP);
	close_pair(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
