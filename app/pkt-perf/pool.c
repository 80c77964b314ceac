/* SPDX-License-Identifier: BSD-3-Clause */

#include "pool.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_memzone.h>

#define POOL_MBUFS 8191
#define POOL_CACHE 256
#define ALIKE_BYTES 512 /* the largest piece of softcx's bus, a read request */
#define OPS_NAME "pkt-perf dense"
#define OPS_BASE "ring_mp_mc"

/* From object to object; the pool's configuration is what it is a multiple of. */
static size_t
stride_of(const struct rte_mempool *pool)
{
	return RTE_ALIGN_CEIL((size_t)pool->header_size + pool->elt_size + pool->trailer_size, (uintptr_t)pool->pool_config);
}

/* Objects back to back, whatever the size of a page. */
static int
populate(struct rte_mempool *pool, unsigned int most, void *at, rte_iova_t iova, size_t len, rte_mempool_populate_obj_cb_t *add,
	 void *arg)
{
	const size_t stride = stride_of(pool);
	unsigned int n;

	for (n = 0; n < most && (n + 1) * stride <= len; n++) {
		const size_t offset = n * stride + pool->header_size;
		void *object = RTE_PTR_ADD(at, offset);

		add(pool, arg, object, iova + offset);
		rte_mempool_ops_enqueue_bulk(pool, &object, 1);
	}
	return (int)n;
}

/* The ring's operations but for that one. */
static int
register_ops(void)
{
	static struct rte_mempool_ops ops;

	for (uint32_t i = 0; ops.name[0] == '\0' && i < rte_mempool_ops_table.num_ops; i++) {
		const struct rte_mempool_ops *base = rte_mempool_get_ops((int)i);

		if (strcmp(base->name, OPS_BASE) != 0)
			continue;
		ops = *base;
		snprintf(ops.name, sizeof(ops.name), "%s", OPS_NAME);
		ops.populate = populate;
		return rte_mempool_register_ops(&ops) >= 0 ? 0 : -ENOSPC;
	}
	return ops.name[0] != '\0' ? 0 : -ENOENT;
}

static struct rte_mempool *
make_dense(const char *name, uint16_t room, uintptr_t align)
{
	struct rte_pktmbuf_pool_private private = {.mbuf_data_room_size = room};
	struct rte_mempool *pool = rte_mempool_create_empty(name, POOL_MBUFS, (unsigned int)sizeof(struct rte_mbuf) + room, POOL_CACHE,
		sizeof(private), SOCKET_ID_ANY, 0);
	const struct rte_memzone *zone = NULL;
	int rc;

	if (pool == NULL)
		return NULL;
	rc = rte_mempool_set_ops_byname(pool, OPS_NAME, (void *)align);
	if (rc == 0) {
		rte_pktmbuf_pool_init(pool, &private);
		zone = rte_memzone_reserve_aligned(name, POOL_MBUFS * stride_of(pool), SOCKET_ID_ANY, RTE_MEMZONE_IOVA_CONTIG, align);
		rc = zone == NULL ? -rte_errno : rte_mempool_populate_iova(pool, zone->addr, zone->iova, zone->len, NULL, NULL);
	}
	if (rc == POOL_MBUFS) {
		rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
		return pool;
	}
	pool_free(pool);
	rte_errno = rc < 0 ? -rc : ENOMEM;
	return NULL;
}

struct rte_mempool *
pool_make(const char *name, uint16_t bytes, bool alike)
{
	int rc = register_ops();

	if (rc != 0) {
		rte_errno = -rc;
		return NULL;
	}
	return make_dense(name, (uint16_t)(bytes + RTE_PKTMBUF_HEADROOM), alike ? ALIKE_BYTES : RTE_CACHE_LINE_SIZE);
}

void
pool_free(struct rte_mempool *pool)
{
	const struct rte_memzone *zone;

	if (pool == NULL)
		return;
	zone = rte_memzone_lookup(pool->name);
	rte_mempool_free(pool);
	if (zone != NULL)
		rte_memzone_free(zone);
}
