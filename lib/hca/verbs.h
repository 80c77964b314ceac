/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The one way to a device: a table of the verbs library's functions, filled by dlsym from a handle opened
 * with RTLD_LOCAL. The library is rdma-core (libibverbs.so.1 and libmlx5.so.1, by soname) or
 * libsoftcx.so, which exports both sets. Nothing of it is linked; two libraries can serve two devices of
 * one process.
 *
 * The table is per process and never in shared memory. Of the inline functions of verbs.h only
 * ibv_destroy_flow is used, which goes through the context of the flow object.
 */
#ifndef HCA_VERBS_H
#define HCA_VERBS_H

#include <stdbool.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

/* F(return type, name, parameters): functions that every library must have. */
#define HCA_VERBS_REQUIRED(F) \
	F(struct ibv_device **, ibv_get_device_list, (int *count)) \
	F(void, ibv_free_device_list, (struct ibv_device **list)) \
	F(int, ibv_close_device, (struct ibv_context *context)) \
	F(int, ibv_query_device, (struct ibv_context *context, struct ibv_device_attr *attr)) \
	F(struct ibv_pd *, ibv_alloc_pd, (struct ibv_context *context)) \
	F(int, ibv_dealloc_pd, (struct ibv_pd *pd)) \
	F(struct ibv_mr *, ibv_reg_mr_iova2, (struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, \
		unsigned int access)) \
	F(int, ibv_dereg_mr, (struct ibv_mr *mr)) \
	F(int, ibv_get_async_event, (struct ibv_context *context, struct ibv_async_event *event)) \
	F(void, ibv_ack_async_event, (struct ibv_async_event *event)) \
	F(struct ibv_context *, mlx5dv_open_device, (struct ibv_device *device, struct mlx5dv_context_attr *attr)) \
	F(int, mlx5dv_init_obj, (struct mlx5dv_obj *obj, uint64_t obj_type)) \
	F(int, mlx5dv_devx_general_cmd, (struct ibv_context *context, const void *in, size_t inlen, void *out, \
		size_t outlen)) \
	F(struct mlx5dv_devx_obj *, mlx5dv_devx_obj_create, (struct ibv_context *context, const void *in, \
		size_t inlen, void *out, size_t outlen)) \
	F(int, mlx5dv_devx_obj_query, (struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, \
		size_t outlen)) \
	F(int, mlx5dv_devx_obj_modify, (struct mlx5dv_devx_obj *obj, const void *in, size_t inlen, void *out, \
		size_t outlen)) \
	F(int, mlx5dv_devx_obj_destroy, (struct mlx5dv_devx_obj *obj)) \
	F(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg, (struct ibv_context *context, void *addr, size_t size, \
		uint32_t access)) \
	F(int, mlx5dv_devx_umem_dereg, (struct mlx5dv_devx_umem *umem)) \
	F(struct mlx5dv_devx_uar *, mlx5dv_devx_alloc_uar, (struct ibv_context *context, uint32_t flags)) \
	F(void, mlx5dv_devx_free_uar, (struct mlx5dv_devx_uar *uar)) \
	F(int, mlx5dv_devx_query_eqn, (struct ibv_context *context, uint32_t vector, uint32_t *eqn)) \
	F(struct mlx5dv_devx_event_channel *, mlx5dv_devx_create_event_channel, (struct ibv_context *context, \
		enum mlx5dv_devx_create_event_channel_flags flags)) \
	F(void, mlx5dv_devx_destroy_event_channel, (struct mlx5dv_devx_event_channel *channel)) \
	F(int, mlx5dv_devx_subscribe_devx_event, (struct mlx5dv_devx_event_channel *channel, \
		struct mlx5dv_devx_obj *obj, uint16_t events_sz, uint16_t events_num[], uint64_t cookie)) \
	F(ssize_t, mlx5dv_devx_get_event, (struct mlx5dv_devx_event_channel *channel, \
		struct mlx5dv_devx_async_event_hdr *event, size_t len)) \
	F(struct mlx5dv_flow_matcher *, mlx5dv_create_flow_matcher, (struct ibv_context *context, \
		struct mlx5dv_flow_matcher_attr *attr)) \
	F(int, mlx5dv_destroy_flow_matcher, (struct mlx5dv_flow_matcher *matcher)) \
	F(struct ibv_flow *, mlx5dv_create_flow, (struct mlx5dv_flow_matcher *matcher, \
		struct mlx5dv_flow_match_parameters *value, size_t nb_actions, \
		struct mlx5dv_flow_action_attr actions[]))

/* Missing in older libraries: the member is then NULL and what needs it says so. */
#define HCA_VERBS_OPTIONAL(F) \
	F(struct mlx5dv_steering_anchor *, mlx5dv_create_steering_anchor, (struct ibv_context *context, \
		struct mlx5dv_steering_anchor_attr *attr)) \
	F(int, mlx5dv_destroy_steering_anchor, (struct mlx5dv_steering_anchor *anchor))

struct hca_verbs {
#define HCA_VERBS_MEMBER(type, name, params) type (*name) params;
	HCA_VERBS_REQUIRED(HCA_VERBS_MEMBER)
	HCA_VERBS_OPTIONAL(HCA_VERBS_MEMBER)
#undef HCA_VERBS_MEMBER
	void *ibverbs;    /* handles of dlopen */
	void *mlx5;
	const char *name; /* "rdma-core" or "softcx", for messages */
	bool interposable; /* functions of a preloaded library come first */
};

/**
 * Open rdma-core by soname. Each call gives a table of its own; the libraries themselves are shared by
 * the loader.
 *
 * @return 0; -ENOENT where a library is missing, -ENOSYS where it lacks a required function (both named
 * in the log).
 */
int hca_verbs_open_rdma_core(struct hca_verbs **verbs);

/* The same for one library, given by path, that exports both sets of functions: libsoftcx.so. */
int hca_verbs_open_path(const char *path, const char *name, struct hca_verbs **verbs);

/* No device opened through the table may be left. NULL is allowed. */
void hca_verbs_close(struct hca_verbs *verbs);

#endif
