/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the kernel refuses between program and device: memory that is not there, objects and handles of
 * another context, a child of fork. A program of rdma-core, run with libsoftcx.so preloaded.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include "prm/cmd.h"
#include "prm/queue.h"
#include "prm/resource.h"
#include "prm/table.h"

static struct ibv_context *
open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	assert_non_null(list);
	context = mlx5dv_open_device(list[0], &(struct mlx5dv_context_attr){ .flags = MLX5DV_CONTEXT_FLAGS_DEVX });
	ibv_free_device_list(list);
	assert_non_null(context);
	return context;
}

static void
registration(void **state)
{
	struct ibv_context *context = open_device();
	struct ibv_pd *pd = ibv_alloc_pd(context);
	uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mlx5dv_devx_umem *umem;
	struct ibv_mr *mr;

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + 4096, 4096, PROT_READ), 0);
	assert_int_equal(munmap(pages + 2 * 4096, 4096), 0);
	mr = ibv_reg_mr(pd, pages, 4096, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	/* read-only in its second half */
	assert_null(ibv_reg_mr(pd, pages, 8192, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EFAULT);
	assert_null(mlx5dv_devx_umem_reg(context, pages, 8192, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EFAULT);
	umem = mlx5dv_devx_umem_reg(context, pages, 8192, 0);
	assert_non_null(umem);
	assert_int_equal(mlx5dv_devx_umem_dereg(umem), 0);
	/* beyond its end */
	assert_null(ibv_reg_mr(pd, pages + 4096, 8192, 0));
	assert_int_equal(errno, EFAULT);
	assert_null(ibv_reg_mr(pd, pages, 4096, IBV_ACCESS_REMOTE_WRITE));
	assert_int_equal(errno, EINVAL);
	assert_null(ibv_reg_mr_iova2(pd, pages, 4096, (uintptr_t)pages, IBV_ACCESS_ON_DEMAND));
	assert_int_equal(errno, EOPNOTSUPP);
	munmap(pages, 2 * 4096);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

/* Make an object of a command without input. */
static struct mlx5dv_devx_obj *
make(struct ibv_context *context, uint16_t opcode, uint32_t *id)
{
	uint8_t in[16] = { 0 }, out[16] = { 0 };
	struct mlx5dv_devx_obj *obj;

	prm_set(in, PRM_CMD_IN_OPCODE, opcode);
	obj = mlx5dv_devx_obj_create(context, in, sizeof(in), out, sizeof(out));
	assert_non_null(obj);
	*id = prm_get(out, PRM_ID_OUT_ID);
	return obj;
}

static struct mlx5dv_devx_obj *
make_tis(struct ibv_context *context, uint32_t td)
{
	uint8_t in[PRM_CREATE_TIS_IN_BYTES] = { 0 }, out[16] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_OP_CREATE_TIS);
	prm_set(prm_area(in, PRM_CREATE_TIS_IN_CTX), PRM_TISC_TRANSPORT_DOMAIN, td);
	return mlx5dv_devx_obj_create(context, in, sizeof(in), out, sizeof(out));
}

/* Firmware knows whose an object is. */
static void
numbers_of_another_context(void **state)
{
	struct ibv_context *mine = open_device(), *other = open_device();
	struct mlx5dv_devx_obj *td, *other_td, *tis;
	uint32_t id, other_id;

	td = make(mine, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, &id);
	other_td = make(other, PRM_CMD_OP_ALLOC_TRANSPORT_DOMAIN, &other_id);
	assert_null(make_tis(mine, other_id));
	assert_int_equal(errno, EREMOTEIO);
	tis = make_tis(mine, id);
	assert_non_null(tis);
	assert_int_equal(mlx5dv_devx_obj_destroy(tis), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(td), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(other_td), 0);
	assert_int_equal(ibv_close_device(other), 0);
	assert_int_equal(ibv_close_device(mine), 0);
}

static void
handles_of_another_context(void **state)
{
	struct ibv_context *mine = open_device(), *other = open_device();
	struct mlx5dv_flow_match_parameters *any = calloc(1, sizeof(*any) + 448);
	struct mlx5dv_flow_matcher_attr attr = {
		.type = IBV_FLOW_ATTR_NORMAL, .match_mask = any, .comp_mask = MLX5DV_FLOW_MATCHER_MASK_FT_TYPE,
		.ft_type = MLX5DV_FLOW_TABLE_TYPE_NIC_RX,
	};
	struct mlx5dv_flow_action_attr actions[2] = {
		{ .type = MLX5DV_FLOW_ACTION_DROP }, { .type = MLX5DV_FLOW_ACTION_COUNTERS_DEVX },
	};
	struct mlx5dv_flow_matcher *matcher;
	struct mlx5dv_devx_obj *counter, *other_counter;
	struct ibv_flow *flow;
	uint32_t id;

	any->match_sz = 448;
	matcher = mlx5dv_create_flow_matcher(mine, &attr);
	assert_non_null(matcher);
	counter = make(mine, PRM_CMD_OP_ALLOC_FLOW_COUNTER, &id);
	other_counter = make(other, PRM_CMD_OP_ALLOC_FLOW_COUNTER, &id);
	actions[1].obj = other_counter;
	assert_null(mlx5dv_create_flow(matcher, any, 2, actions));
	assert_int_equal(errno, EINVAL);
	actions[1].obj = counter;
	flow = mlx5dv_create_flow(matcher, any, 2, actions);
	assert_non_null(flow);
	/* the other context goes first and leaves its counter: nobody here points to it */
	assert_int_equal(ibv_close_device(other), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(counter), EINVAL); /* in use */
	assert_int_equal(ibv_destroy_flow(flow), 0);
	assert_int_equal(mlx5dv_destroy_flow_matcher(matcher), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(counter), 0);
	assert_int_equal(ibv_close_device(mine), 0);
	free(any);
	free(other_counter); /* its context is gone, and with it the object */
}

/* A child has no device: its calls fail and none of them waits. */
static void
child(void **state)
{
	struct ibv_context *context = open_device();
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct ibv_pd *pd = ibv_alloc_pd(context);

		exit(pd == NULL && errno == EIO ? 0 : 1); /* with its atexit functions: the census is the parent's */
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(ibv_close_device(context), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registration), cmocka_unit_test(numbers_of_another_context),
		cmocka_unit_test(handles_of_another_context), cmocka_unit_test(child),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
