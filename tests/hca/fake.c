/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hca/log.h"
#include "prm/cap.h"

struct fake fake;

static struct ibv_device fake_device = { .name = "fake0", .ibdev_path = "/nonexistent" };
static struct verbs_context fake_context;
static uint64_t fake_page[512];

static void
quiet(enum hca_log_level level, const char *format, va_list args)
{
}

void
fake_reset(void)
{
	uint8_t *general = fake.caps[PRM_CAP_GROUP_GENERAL];

	memset(&fake, 0, sizeof(fake));
	fake.next_id = 0x100;
	prm_set(general, PRM_CAP_LOG_MAX_CQ_SZ, 20);
	prm_set(general, PRM_CAP_LOG_MAX_WQ_SZ, 15);
	prm_set(general, PRM_CAP_LOG_MAX_RQT_SIZE, 4);
	prm_set(general, PRM_CAP_ETH_NET_OFFLOADS, 1);
	hca_log_set_hook(quiet);
}

uint32_t
fake_dw(const struct fake_command *command, size_t offset)
{
	assert_true(offset + 4 <= command->in_len);
	return prm_load32(command->in + offset);
}

/* True: this call fails, and errno and the answer say so. */
static int
fails(void *out)
{
	if (++fake.calls != fake.fail_at)
		return 0;
	if (out != NULL && fake.fail_status != 0)
		((uint8_t *)out)[0] = fake.fail_status;
	if (out != NULL && fake.fail_status != 0)
		prm_store32((uint8_t *)out + 4, 0x1234);
	errno = EREMOTEIO;
	return 1;
}

static void *
make(size_t size)
{
	void *made = calloc(1, size);

	fake.alive++;
	return made;
}

static void
unmake(void *made)
{
	fake.alive--;
	free(made);
}

static void
keep(struct fake_command *command, const void *in, size_t len)
{
	assert_true(len <= FAKE_MAX_IN);
	memcpy(command->in, in, len);
	command->in_len = len;
}

static struct ibv_device **
get_device_list(int *count)
{
	struct ibv_device **list;

	if (fails(NULL))
		return NULL;
	list = make(2 * sizeof(*list));
	list[0] = &fake_device;
	*count = 1;
	return list;
}

static void
free_device_list(struct ibv_device **list)
{
	unmake(list);
}

static struct ibv_context *
open_device(struct ibv_device *device, struct mlx5dv_context_attr *attr)
{
	assert_int_equal(attr->flags, MLX5DV_CONTEXT_FLAGS_DEVX);
	if (fails(NULL))
		return NULL;
	fake.alive++;
	fake_context.context.device = device;
	fake_context.context.async_fd = -1;
	return &fake_context.context;
}

static int
close_device(struct ibv_context *context)
{
	fake.alive--;
	return 0;
}

static int
query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	strcpy(attr->fw_ver, "1.2.3");
	return 0;
}

static struct ibv_pd *
alloc_pd(struct ibv_context *context)
{
	return fails(NULL) ? NULL : make(sizeof(struct ibv_pd));
}

static int
dealloc_pd(struct ibv_pd *pd)
{
	unmake(pd);
	return 0;
}

static struct ibv_mr *
reg_mr(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	struct ibv_mr *mr;

	if (fails(NULL))
		return NULL;
	mr = make(sizeof(*mr));
	mr->lkey = 0x11223344;
	return mr;
}

static int
dereg_mr(struct ibv_mr *mr)
{
	unmake(mr);
	return 0;
}

static int
get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	return -1;
}

static void
ack_async_event(struct ibv_async_event *event)
{
}

/* A pipe is as good a descriptor as the kernel's. An event waits where fake.events says so. */
static struct mlx5dv_devx_event_channel *
create_event_channel(struct ibv_context *context, enum mlx5dv_devx_create_event_channel_flags flags)
{
	struct mlx5dv_devx_event_channel *channel;
	int ends[2];

	if (fails(NULL))
		return NULL;
	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	channel = make(sizeof(*channel));
	channel->fd = ends[0];
	return channel;
}

static void
destroy_event_channel(struct mlx5dv_devx_event_channel *channel)
{
	close(channel->fd);
	unmake(channel);
}

static int
subscribe_event(struct mlx5dv_devx_event_channel *channel, struct mlx5dv_devx_obj *obj, uint16_t size, uint16_t events[],
		uint64_t cookie)
{
	return fails(NULL) ? EINVAL : 0;
}

static ssize_t
get_event(struct mlx5dv_devx_event_channel *channel, struct mlx5dv_devx_async_event_hdr *event, size_t len)
{
	if (fake.events == 0) {
		errno = EAGAIN;
		return -1;
	}
	fake.events--;
	return sizeof(*event);
}

static int
init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	if (fails(NULL))
		return EINVAL;
	assert_int_equal(type, MLX5DV_OBJ_PD);
	obj->pd.out->pdn = 0xabc;
	return 0;
}

static int
general_cmd(struct ibv_context *context, const void *in, size_t in_len, void *out, size_t out_len)
{
	keep(&fake.last_general, in, in_len);
	if (fails(out))
		return -1;
	/* Only QUERY_HCA_CAP comes here: op_mod holds the group. */
	assert_int_equal(fake_dw(&fake.last_general, 0) >> 16, 0x100);
	assert_int_equal(out_len, 0x1010);
	memcpy((uint8_t *)out + 0x10, fake.caps[(fake_dw(&fake.last_general, 4) & 0xffff) >> 1], 0x1000);
	return 0;
}

static struct mlx5dv_devx_obj *
obj_create(struct ibv_context *context, const void *in, size_t in_len, void *out, size_t out_len)
{
	keep(&fake.last_create, in, in_len);
	if (fails(out))
		return NULL;
	prm_store32((uint8_t *)out + 8, fake.next_id++);
	return make(16);
}

static int
obj_query(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	keep(&fake.last_query, in, in_len);
	if (fails(out))
		return EREMOTEIO;
	for (size_t i = 0; i < 16 && 0x10 + i * 4 + 4 <= out_len; i++)
		prm_store32((uint8_t *)out + 0x10 + i * 4, fake.answer[i]);
	return 0;
}

static int
obj_modify(struct mlx5dv_devx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	keep(&fake.last_modify, in, in_len);
	return fails(out) ? EREMOTEIO : 0;
}

static int
obj_destroy(struct mlx5dv_devx_obj *obj)
{
	unmake(obj);
	return 0;
}

static struct mlx5dv_devx_umem *
umem_reg(struct ibv_context *context, void *addr, size_t size, uint32_t access)
{
	struct mlx5dv_devx_umem *umem;

	if (fails(NULL))
		return NULL;
	umem = make(sizeof(*umem));
	umem->umem_id = fake.next_id++;
	return umem;
}

static int
umem_dereg(struct mlx5dv_devx_umem *umem)
{
	unmake(umem);
	return 0;
}

static struct mlx5dv_devx_uar *
alloc_uar(struct ibv_context *context, uint32_t flags)
{
	struct mlx5dv_devx_uar *uar;

	if (fails(NULL))
		return NULL;
	uar = make(sizeof(*uar));
	uar->reg_addr = &fake_page[256];
	uar->base_addr = fake_page;
	uar->page_id = 7;
	return uar;
}

static void
free_uar(struct mlx5dv_devx_uar *uar)
{
	unmake(uar);
}

static int
query_eqn(struct ibv_context *context, uint32_t vector, uint32_t *eqn)
{
	*eqn = 5;
	return fails(NULL) ? EINVAL : 0;
}

const struct hca_verbs *
fake_verbs(void)
{
	static const struct hca_verbs verbs = {
		.name = "fake",
		.ibv_get_device_list = get_device_list,
		.ibv_free_device_list = free_device_list,
		.ibv_close_device = close_device,
		.ibv_query_device = query_device,
		.ibv_alloc_pd = alloc_pd,
		.ibv_dealloc_pd = dealloc_pd,
		.ibv_reg_mr_iova2 = reg_mr,
		.ibv_dereg_mr = dereg_mr,
		.ibv_get_async_event = get_async_event,
		.ibv_ack_async_event = ack_async_event,
		.mlx5dv_devx_create_event_channel = create_event_channel,
		.mlx5dv_devx_destroy_event_channel = destroy_event_channel,
		.mlx5dv_devx_subscribe_devx_event = subscribe_event,
		.mlx5dv_devx_get_event = get_event,
		.mlx5dv_open_device = open_device,
		.mlx5dv_init_obj = init_obj,
		.mlx5dv_devx_general_cmd = general_cmd,
		.mlx5dv_devx_obj_create = obj_create,
		.mlx5dv_devx_obj_query = obj_query,
		.mlx5dv_devx_obj_modify = obj_modify,
		.mlx5dv_devx_obj_destroy = obj_destroy,
		.mlx5dv_devx_umem_reg = umem_reg,
		.mlx5dv_devx_umem_dereg = umem_dereg,
		.mlx5dv_devx_alloc_uar = alloc_uar,
		.mlx5dv_devx_free_uar = free_uar,
		.mlx5dv_devx_query_eqn = query_eqn,
	};

	return &verbs;
}

struct hca_device *
fake_open(void)
{
	struct hca_device *dev = NULL;

	assert_int_equal(hca_device_open(fake_verbs(), "fake0", &dev), 0);
	return dev;
}
