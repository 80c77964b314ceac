/* SPDX-License-Identifier: BSD-3-Clause */

/* Open and close a context; what a context tells a program about itself. */
#include "softcx/front/user.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/mlx5dv.h>

#include "softcx/core/engine.h"
#include "softcx/core/event.h"
#include "softcx/core/settings.h"
#include "softcx/front/channel.h"
#include "softcx/front/inspect.h"

struct user_call {
	struct sc_user *user;
};

static int
open_user(void *arg)
{
	struct sc_user *user = ((struct user_call *)arg)->user;
	int rc = sc_uctx_create(user->dev, &user->uid);

	if (rc != 0)
		return rc;
	rc = sc_events_open(user->dev, &user->events);
	if (rc != 0)
		sc_uctx_destroy(user->dev, user->uid);
	else
		sc_channels_attach(user->dev);
	return rc;
}

static int
close_user(void *arg)
{
	struct sc_user *user = ((struct user_call *)arg)->user;

	sc_user_close_qps(user);
	sc_user_close_uar(user);
	sc_events_close(user->events);
	sc_uctx_destroy(user->dev, user->uid);
	return 0;
}

/*
 * The inline functions of the public headers come through these entries; what is NULL answers EOPNOTSUPP
 * there.
 */
static void
fill_verbs(struct sc_user *user, struct ibv_device *device, int cmd_fd)
{
	struct verbs_context *verbs = &user->verbs;

	verbs->sz = sizeof(*verbs);
	verbs->query_device_ex = sc_query_device_ex;
	verbs->query_port = sc_query_port;
	verbs->query_rt_values = sc_query_rt_values;
	verbs->create_cq_ex = sc_create_cq_ex;
	verbs->ibv_destroy_flow = sc_flow_destroy;
	verbs->destroy_flow_action = sc_flow_action_destroy_verbs;
	verbs->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs->context.device = device;
	verbs->context.cmd_fd = cmd_fd;
	verbs->context.async_fd = sc_events_fd(user->events);
	verbs->context.num_comp_vectors = SC_COMP_VECTORS;
	verbs->context.ops.poll_cq = sc_poll_cq;
	verbs->context.ops.req_notify_cq = sc_req_notify_cq;
	verbs->context.ops.post_send = sc_post_send;
	verbs->context.ops.post_recv = sc_post_recv;
	pthread_mutex_init(&verbs->context.mutex, NULL);
}

/*
 * cmd_fd is a real descriptor, because programs duplicate it, and says whose it is, because
 * ibv_import_device gets nothing else: a small file that holds the device's name.
 */
static int
open_cmd_fd(const struct ibv_device *device)
{
	int fd = memfd_create(device->dev_name, MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (pwrite(fd, device->name, sizeof(device->name), 0) != sizeof(device->name)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

struct ibv_context *
sc_user_open(struct ibv_device *device, int cmd_fd)
{
	struct sc_user *user = calloc(1, sizeof(*user));
	struct user_call call = { .user = user };
	char error[256];
	int rc = -ENOMEM;

	if (user == NULL)
		goto no_user;
	if (cmd_fd < 0)
		cmd_fd = open_cmd_fd(device);
	if (cmd_fd < 0) {
		rc = cmd_fd;
		goto no_fd;
	}
	rc = sc_device_open(sc_listed_index(device), &user->dev, error, sizeof(error));
	if (rc != 0) {
		fprintf(stderr, "softcx: %s: %s\n", device->name, error);
		goto no_device;
	}
	rc = sc_engine_call(open_user, &call);
	if (rc != 0)
		goto no_user_context;
	sc_inspect_to(user->dev->settings->census);
	fill_verbs(user, device, cmd_fd);
	return &user->verbs.context;

no_user_context:
	sc_device_close(user->dev);
no_device:
	close(cmd_fd);
no_fd:
	free(user);
no_user:
	errno = -rc;
	return NULL;
}

struct ibv_context *
ibv_open_device(struct ibv_device *device)
{
	return sc_user_open(device, -1);
}

/*
 * DevX comes with the flag and without: rdma-core asks the kernel for it always, and only where the kernel
 * says no does the flag decide between a failure and a context without.
 */
struct ibv_context *
mlx5dv_open_device(struct ibv_device *device, struct mlx5dv_context_attr *attr)
{
	if (attr != NULL && (attr->comp_mask != 0 || attr->flags & ~MLX5DV_CONTEXT_FLAGS_DEVX)) {
		errno = EINVAL;
		return NULL;
	}
	return sc_user_open(device, -1);
}

/* The new context owns cmd_fd. */
struct ibv_context *
ibv_import_device(int cmd_fd)
{
	struct ibv_device **list;
	struct ibv_context *context = NULL;
	char name[IBV_SYSFS_NAME_MAX];
	ssize_t len = pread(cmd_fd, name, sizeof(name), 0);

	if (len != sizeof(name)) {
		errno = len < 0 ? errno : EINVAL;
		return NULL;
	}
	list = (ibv_get_device_list)(NULL);
	if (list == NULL)
		return NULL;
	errno = ENODEV;
	for (int i = 0; list[i] != NULL; i++)
		if (strncmp(list[i]->name, name, sizeof(name)) == 0)
			context = sc_user_open(list[i], cmd_fd);
	ibv_free_device_list(list);
	if (context != NULL) {
		sc_user_of(context)->imported = true;
		sc_device_imported(sc_user_of(context)->dev);
	}
	return context;
}

int
ibv_close_device(struct ibv_context *context)
{
	struct sc_user *user = sc_user_of(context);
	struct user_call call = { .user = user };

	sc_engine_call(close_user, &call);
	if (user->imported)
		sc_device_not_imported(user->dev);
	sc_device_close(user->dev);
	close(context->cmd_fd);
	pthread_mutex_destroy(&context->mutex);
	free(user);
	return 0;
}

int
mlx5dv_set_context_attr(struct ibv_context *context, enum mlx5dv_set_ctx_attr_type type, void *attr)
{
	/* Buffer allocators: a library may use them for its own rings; ours are the device's. */
	return type == MLX5DV_CTX_ATTR_BUF_ALLOCATORS ? 0 : sc_verbs_return(-EOPNOTSUPP);
}

/*
 * Memory stays where it is after fork: nothing here writes to a page by its physical address. Children
 * cannot use the device.
 */
int
ibv_fork_init(void)
{
	return 0;
}

enum ibv_fork_status
ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

int
ibv_dontfork_range(void *base, size_t size)
{
	return 0;
}

int
ibv_dofork_range(void *base, size_t size)
{
	return 0;
}
