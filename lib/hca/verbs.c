/* SPDX-License-Identifier: BSD-3-Clause */
#include "hca/verbs.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hca/log.h"

/*
 * Where each function goes in the table. dlsym gives void *, so the members are filled as bytes of
 * pointer size.
 */
struct verbs_symbol {
	const char *name;
	size_t offset;
};

#define VERBS_ROW(type, name, params) { #name, offsetof(struct hca_verbs, name) },
static const struct verbs_symbol required[] = { HCA_VERBS_REQUIRED(VERBS_ROW) };
static const struct verbs_symbol optional[] = { HCA_VERBS_OPTIONAL(VERBS_ROW) };
#undef VERBS_ROW

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/*
 * mlx5dv_ functions live in the provider library, the rest in libibverbs. rdma-core is looked up as a
 * program linked with it would: a library that was put in front of it (LD_PRELOAD) wins, as it does for
 * DPDK's own mlx5 driver.
 */
static void *
find_symbol(const struct hca_verbs *verbs, const char *name)
{
	void *handle = strncmp(name, "mlx5dv_", 7) == 0 ? verbs->mlx5 : verbs->ibverbs;
	void *symbol = verbs->interposable ? dlsym(RTLD_DEFAULT, name) : NULL;

	return symbol != NULL ? symbol : dlsym(handle, name);
}

static int
fill_table(struct hca_verbs *verbs)
{
	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		void *symbol = find_symbol(verbs, required[i].name);

		if (symbol == NULL) {
			HCA_ERR("%s has no function %s", verbs->name, required[i].name);
			return -ENOSYS;
		}
		memcpy((char *)verbs + required[i].offset, &symbol, sizeof(symbol));
	}
	for (size_t i = 0; i < ARRAY_LEN(optional); i++) {
		void *symbol = find_symbol(verbs, optional[i].name);

		memcpy((char *)verbs + optional[i].offset, &symbol, sizeof(symbol));
	}
	return 0;
}

/* Never unmapped: a library may have threads and handlers of its own that outlive the last device. */
static void *
open_library(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (handle == NULL)
		HCA_ERR("cannot open %s: %s", path, dlerror());
	return handle;
}

static int
open_pair(const char *ibverbs, const char *mlx5, const char *name, bool interposable, struct hca_verbs **out)
{
	struct hca_verbs *verbs = calloc(1, sizeof(*verbs));
	int ret;

	if (verbs == NULL)
		return -ENOMEM;
	verbs->name = name;
	verbs->interposable = interposable;
	verbs->ibverbs = open_library(ibverbs);
	if (verbs->ibverbs != NULL)
		verbs->mlx5 = open_library(mlx5);
	ret = verbs->mlx5 == NULL ? -ENOENT : fill_table(verbs);
	if (ret != 0) {
		hca_verbs_close(verbs);
		return ret;
	}
	*out = verbs;
	return 0;
}

int
hca_verbs_open_rdma_core(struct hca_verbs **verbs)
{
	return open_pair("libibverbs.so.1", "libmlx5.so.1", "rdma-core", true, verbs);
}

int
hca_verbs_open_path(const char *path, const char *name, struct hca_verbs **verbs)
{
	return open_pair(path, path, name, false, verbs);
}

void
hca_verbs_close(struct hca_verbs *verbs)
{
	if (verbs == NULL)
		return;
	if (verbs->mlx5 != NULL)
		dlclose(verbs->mlx5);
	if (verbs->ibverbs != NULL)
		dlclose(verbs->ibverbs);
	free(verbs);
}
