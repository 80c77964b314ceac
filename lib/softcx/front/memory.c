/* SPDX-License-Identifier: BSD-3-Clause */

/* Protection domains, memory regions and DevX umems. */
#include "softcx/front/user.h"

#include <stdlib.h>

#include <infiniband/mlx5dv.h>

#include "softcx/cmd/resource.h"
#include "softcx/core/engine.h"
#include "softcx/front/mapping.h"
#include "softcx/front/memory.h"
#include "softcx/front/refuse.h"

#define REMOTE_RIGHTS (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
/* Flags that a device may leave alone are taken whatever they are. */
#define KNOWN_RIGHTS \
	(IBV_ACCESS_LOCAL_WRITE | REMOTE_RIGHTS | IBV_ACCESS_MW_BIND | IBV_ACCESS_HUGETLB | \
	 IBV_ACCESS_OPTIONAL_RANGE)

/* As the kernel checks a registration: the flags, that the range has an end, that its pages are there. */
static int
check_registration(const void *addr, uint64_t len, uint32_t access)
{
	if (access & ~(uint32_t)KNOWN_RIGHTS)
		return -EOPNOTSUPP;
	if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
	    !(access & IBV_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if (len == 0 || (uintptr_t)addr + len < (uintptr_t)addr)
		return -EINVAL;
	return sc_mapping_check(addr, len, access & IBV_ACCESS_LOCAL_WRITE);
}

/* ---- protection domains ---- */

struct pd {
	struct ibv_pd ibv;
	struct sc_pd *pd;
};

struct pd_call {
	struct sc_user *user;
	struct sc_pd *pd;
};

static int
create_pd(void *arg)
{
	struct pd_call *call = arg;

	return sc_pd_create(call->user->dev, call->user->uid, &call->pd);
}

static int
destroy_pd(void *arg)
{
	struct pd_call *call = arg;
	const struct sc_device *dev = call->pd->obj.dev;

	return sc_destroyed(dev, sc_pd_destroy(call->pd));
}

uint32_t
sc_pd_number(const struct ibv_pd *ibv)
{
	return ((const struct pd *)ibv)->pd->obj.id;
}

struct ibv_pd *
ibv_alloc_pd(struct ibv_context *context)
{
	struct pd_call call = { .user = sc_user_of(context) };
	struct pd *pd = calloc(1, sizeof(*pd));
	int rc;

	if (pd == NULL)
		return NULL;
	rc = sc_engine_call(create_pd, &call);
	if (rc != 0) {
		free(pd);
		errno = -rc;
		return NULL;
	}
	pd->pd = call.pd;
	pd->ibv.context = context;
	pd->ibv.handle = call.pd->obj.id;
	return &pd->ibv;
}

int
ibv_dealloc_pd(struct ibv_pd *ibv)
{
	struct pd *pd = (struct pd *)ibv;
	struct pd_call call = { .pd = pd->pd };
	int rc = sc_engine_call(destroy_pd, &call);

	if (rc == 0)
		free(pd);
	return sc_verbs_return(rc);
}

/* Importing needs another process's kernel objects; a device inside one process has none to share. */
struct ibv_pd *
ibv_import_pd(struct ibv_context *context, uint32_t handle)
{
	sc_verbs_refused("ibv_import_pd");
	errno = EOPNOTSUPP;
	return NULL;
}

void
ibv_unimport_pd(struct ibv_pd *pd)
{
	sc_verbs_refused("ibv_unimport_pd");
}

/* ---- memory regions ---- */

struct mr {
	struct ibv_mr ibv;
	struct sc_mkey *mkey;
};

struct mr_call {
	struct sc_user *user;
	uint32_t pd;
	void *addr;
	uint64_t iova, len;
	uint32_t access;
	struct sc_mkey *mkey;
};

static int
create_mkey(void *arg)
{
	struct mr_call *call = arg;

	/* The kernel registers memory in its own name: uid 0. */
	return sc_mkey_create(call->user->dev, 0, call->pd, call->addr, call->iova, call->len, call->access,
			      &call->mkey);
}

static int
destroy_mkey(void *arg)
{
	struct mr_call *call = arg;
	const struct sc_device *dev = call->mkey->obj.dev;

	return sc_destroyed(dev, sc_mkey_destroy(call->mkey));
}

struct ibv_mr *
ibv_reg_mr_iova2(struct ibv_pd *ibv_pd, void *addr, size_t len, uint64_t iova, unsigned int access)
{
	struct mr_call call = {
		.user = sc_user_of(ibv_pd->context),
		.pd = sc_pd_number(ibv_pd),
		.addr = addr, .iova = iova, .len = len, .access = access,
	};
	struct mr *mr = calloc(1, sizeof(*mr));
	int rc;

	if (mr == NULL)
		return NULL;
	rc = check_registration(addr, len, access);
	if (rc == 0)
		rc = sc_engine_call(create_mkey, &call);
	if (rc != 0) {
		free(mr);
		errno = -rc;
		return NULL;
	}
	mr->mkey = call.mkey;
	mr->ibv.context = ibv_pd->context;
	mr->ibv.pd = ibv_pd;
	mr->ibv.addr = addr;
	mr->ibv.length = len;
	mr->ibv.handle = call.mkey->obj.id;
	mr->ibv.lkey = call.mkey->lkey;
	mr->ibv.rkey = call.mkey->lkey;
	return &mr->ibv;
}

/* Both are macros in the public header; programs built from others still import them. */
struct ibv_mr *
(ibv_reg_mr)(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	return ibv_reg_mr_iova2(pd, addr, len, (uintptr_t)addr, access);
}

struct ibv_mr *
(ibv_reg_mr_iova)(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, addr, len, iova, access);
}

int
ibv_dereg_mr(struct ibv_mr *ibv)
{
	struct mr *mr = (struct mr *)ibv;
	struct mr_call call = { .mkey = mr->mkey };
	int rc = sc_engine_call(destroy_mkey, &call);

	if (rc == 0)
		free(mr);
	return sc_verbs_return(rc);
}

/* ---- umems ---- */

struct umem {
	struct mlx5dv_devx_umem dv;
	struct sc_umem *umem;
};

struct umem_call {
	struct sc_user *user;
	void *addr;
	size_t size;
	uint32_t access;
	struct sc_umem *umem;
};

static int
create_umem(void *arg)
{
	struct umem_call *call = arg;

	return sc_umem_create(call->user->dev, call->user->uid, call->addr, call->size, call->access,
		&call->umem);
}

static int
destroy_umem(void *arg)
{
	struct umem_call *call = arg;
	const struct sc_device *dev = call->umem->obj.dev;

	return sc_destroyed(dev, sc_umem_destroy(call->umem));
}

struct mlx5dv_devx_umem *
mlx5dv_devx_umem_reg(struct ibv_context *context, void *addr, size_t size, uint32_t access)
{
	struct umem_call call = { .user = sc_user_of(context), .addr = addr, .size = size, .access = access };
	struct umem *umem = calloc(1, sizeof(*umem));
	int rc;

	if (umem == NULL)
		return NULL;
	rc = check_registration(addr, size, access);
	if (rc == 0)
		rc = sc_engine_call(create_umem, &call);
	if (rc != 0) {
		free(umem);
		errno = -rc;
		return NULL;
	}
	umem->umem = call.umem;
	umem->dv.umem_id = call.umem->obj.id;
	return &umem->dv;
}

/* The page size bitmap only restricts the kernel's choice; one address space has no pages to choose. */
struct mlx5dv_devx_umem *
mlx5dv_devx_umem_reg_ex(struct ibv_context *context, struct mlx5dv_devx_umem_in *in)
{
	if (in->comp_mask != 0) {
		sc_verbs_refused("mlx5dv_devx_umem_reg_ex with a dma-buf");
		errno = EOPNOTSUPP;
		return NULL;
	}
	return mlx5dv_devx_umem_reg(context, in->addr, in->size, in->access);
}

int
mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *dv)
{
	struct umem *umem = (struct umem *)dv;
	struct umem_call call = { .umem = umem->umem };
	int rc = sc_engine_call(destroy_umem, &call);

	if (rc == 0)
		free(umem);
	return sc_verbs_return(rc);
}
