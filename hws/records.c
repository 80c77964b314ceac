/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Records of a matcher's rules: one piece of address space, so that a handle never moves and a rule's index is its distance
 * from the start. Three ways to give them out: by a pool; by index; by a pool that may grow, in address space that was
 * reserved for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hca/device.h"
#include "hws/context.h"
#include "hws/matcher.h"
#include "util/bits.h"

#define HUGE_PAGE_BYTES (2u << 20)
#define HEAP_BYTES 16384 /* records of fewer bytes come from the heap: a mapping is whole pages */
#define POPULATE_BYTES (16u << 20)
#define POPULATE_STEP (2u << 20)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Records out of those of a queue less those given back on it: only the sum over all queues means something. */
struct matcher_count {
	uint32_t nb;
} __attribute__((aligned(64)));

/* Address space that begins on a huge page where it is large enough for one, and is not a byte longer than asked. */
static void *
map_aligned(size_t bytes, int access)
{
	size_t slack = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0, before;
	uint8_t *mapping = mmap(NULL, bytes + slack, access,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mapping == MAP_FAILED)
		return NULL;
	if (slack == 0)
		return mapping;
	before = align_up((uintptr_t)mapping, HUGE_PAGE_BYTES) - (uintptr_t)mapping;
	if (before > 0)
		munmap(mapping, before);
	if (slack > before)
		munmap(mapping + before + bytes, slack - before);
	return mapping + before;
}

/* Memory for records before it is touched. Older kernels do not know the advice; then each page faults by itself. */
static void
populate(struct mlx5dr_matcher *matcher, size_t from, size_t bytes)
{
	if (from < matcher->records_bytes)
		(void)madvise(matcher->records + from,
			      bytes < matcher->records_bytes - from ? bytes : matcher->records_bytes - from,
			      MADV_POPULATE_WRITE);
}

void
matcher_populate(struct mlx5dr_matcher *matcher, uint32_t nb_records)
{
	size_t wanted = (size_t)nb_records * sizeof(struct mlx5dr_rule);
	size_t at = atomic_load_explicit(&matcher->populated, memory_order_relaxed);

	while (at < wanted)
		if (atomic_compare_exchange_weak_explicit(&matcher->populated, &at, at + POPULATE_STEP,
							  memory_order_relaxed, memory_order_relaxed))
			populate(matcher, at, POPULATE_STEP);
}

/* Rules of a resizable matcher at most: what the device's tables can grow to. */
uint32_t
records_max(const struct mlx5dr_matcher *matcher)
{
	uint8_t log = matcher->ctx->dev->caps.wqe.ste_alloc_log_max;

	return 1u << (log < 28 ? log : 28);
}

static size_t
page_aligned(size_t bytes)
{
	return align_up(bytes, sysconf(_SC_PAGESIZE));
}

/* The first POPULATE_BYTES get memory now, the rest of larger tables step by step (matcher_populate), so that the rule path
 * meets no page fault for every 64 rules. Huge pages where the system gives them and they would be full. */
static void
prepare(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	size_t bytes = (size_t)matcher->nb_records * sizeof(struct mlx5dr_rule), now;

	if (bytes >= HUGE_PAGE_BYTES)
		(void)madvise(matcher->records, align_down(bytes, HUGE_PAGE_BYTES), MADV_HUGEPAGE);
	/* Not those that are there for other queues' caches only. */
	now = page_aligned((size_t)nb_rules * sizeof(struct mlx5dr_rule));
	now = now < POPULATE_BYTES ? now : POPULATE_BYTES;
	populate(matcher, 0, now);
	atomic_init(&matcher->populated, now);
}

/* Reserved address space becomes memory up to nb records, and images beside them. */
static int
open_up(struct mlx5dr_matcher *matcher, uint32_t nb)
{
	if (mprotect(matcher->records, page_aligned((size_t)nb * sizeof(struct mlx5dr_rule)), PROT_READ | PROT_WRITE) != 0 ||
	    mprotect(matcher->images, page_aligned((size_t)nb * PRM_WQE_GTA_BYTES), PROT_READ | PROT_WRITE) != 0)
		return -ENOMEM;
	matcher->nb_records = nb;
	return 0;
}

static int
create_pool(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	return pool_init(&matcher->pool, nb_rules, matcher->nb_caches,
			 matcher->records + offsetof(struct mlx5dr_rule, counter), sizeof(struct mlx5dr_rule));
}

static bool
from_heap(const struct mlx5dr_matcher *matcher)
{
	return matcher->records_bytes < HEAP_BYTES;
}

static int
create_few(struct mlx5dr_matcher *matcher)
{
	matcher->records = aligned_alloc(64, matcher->records_bytes);
	if (matcher->records == NULL)
		return -ENOMEM;
	memset(matcher->records, 0, matcher->records_bytes);
	atomic_init(&matcher->populated, matcher->records_bytes);
	return 0;
}

static int
create_many(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	matcher->records_bytes = page_aligned(matcher->records_bytes);
	matcher->records = map_aligned(matcher->records_bytes, PROT_READ | PROT_WRITE);
	if (matcher->records == NULL)
		return -ENOMEM;
	prepare(matcher, nb_rules);
	return 0;
}

static int
create_fixed(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	bool by_index = matcher_by_index(matcher);
	int ret;

	matcher->nb_records = by_index ? nb_rules : nb_rules + pool_slack(nb_rules, matcher->nb_caches);
	matcher->records_bytes = (size_t)matcher->nb_records * sizeof(struct mlx5dr_rule);
	ret = from_heap(matcher) ? create_few(matcher) : create_many(matcher, nb_rules);
	if (ret < 0)
		return ret;
	if (!by_index)
		return create_pool(matcher, nb_rules);
	matcher->taken = aligned_alloc(64, matcher->nb_caches * sizeof(*matcher->taken));
	if (matcher->taken == NULL)
		return -ENOMEM;
	memset(matcher->taken, 0, matcher->nb_caches * sizeof(*matcher->taken));
	return 0;
}

uint32_t
records_slack(const struct mlx5dr_matcher *matcher)
{
	return pool_slack(records_max(matcher), matcher->nb_caches);
}

static int
create_growing(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	uint32_t most = records_max(matcher) + records_slack(matcher);
	int ret;

	matcher->records_bytes = page_aligned((size_t)most * sizeof(struct mlx5dr_rule));
	matcher->records = map_aligned(matcher->records_bytes, PROT_NONE);
	matcher->images = map_aligned(page_aligned((size_t)most * PRM_WQE_GTA_BYTES), PROT_NONE);
	if (matcher->records == NULL || matcher->images == NULL)
		return -ENOMEM;
	ret = open_up(matcher, nb_rules + records_slack(matcher));
	if (ret == 0) {
		prepare(matcher, nb_rules);
		ret = create_pool(matcher, records_max(matcher));
	}
	matcher->pool.size = matcher->nb_records;
	return ret;
}

int
records_create(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	int ret;

	matcher->nb_caches = matcher->ctx->nb_queues + 1u;
	ret = matcher->resizable ? create_growing(matcher, nb_rules) : create_fixed(matcher, nb_rules);

	if (ret < 0)
		records_destroy(matcher);
	return ret;
}

void
records_destroy(struct mlx5dr_matcher *matcher)
{
	if (from_heap(matcher))
		free(matcher->records);
	else if (matcher->records != NULL)
		munmap(matcher->records, matcher->records_bytes);
	if (matcher->images != NULL)
		munmap(matcher->images, page_aligned(matcher->records_bytes / sizeof(struct mlx5dr_rule) * PRM_WQE_GTA_BYTES));
	pool_fini(&matcher->pool);
	free(matcher->taken);
	matcher->records = NULL;
	matcher->images = NULL;
	matcher->taken = NULL;
}

/* Never fewer: records of rules that are there may be any. */
int
records_grow(struct mlx5dr_matcher *matcher, uint32_t nb_rules)
{
	uint32_t nb = nb_rules + records_slack(matcher);

	return nb <= matcher->nb_records ? 0 : open_up(matcher, nb);
}

void
records_grown(struct mlx5dr_matcher *matcher)
{
	/* Queues at work may see it from now on: memory, images and resources are there. */
	__atomic_store_n(&matcher->pool.size, matcher->nb_records, __ATOMIC_RELEASE);
}

uint32_t
records_nb_out(const struct mlx5dr_matcher *matcher)
{
	uint32_t nb = 0;

	if (!matcher_by_index(matcher))
		return pool_nb_out(&matcher->pool);
	for (uint32_t i = 0; i < matcher->nb_caches; i++)
		nb += matcher->taken[i].nb;
	return nb;
}

int
mlx5dr_rule_take(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, uint32_t index, struct mlx5dr_rule **taken)
{
	struct mlx5dr_rule *rule = (struct mlx5dr_rule *)(void *)matcher->records + index;
	uint16_t bits = MLX5DR_RULE_FREE;

	if (!matcher_by_index(matcher) || queue->index >= matcher->nb_caches)
		return -EINVAL;
	if (index >= matcher->nb_records)
		return -ERANGE;
	/* Acquire: what the record's last user wrote to it comes before. */
	if (!__atomic_compare_exchange_n(&rule->bits, &bits, MLX5DR_RULE_TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return -EEXIST;
	matcher->taken[queue->index].nb++;
	*taken = rule;
	return 0;
}

void
mlx5dr_rule_release(struct mlx5dr_matcher *matcher, struct mlx5dr_queue *queue, struct mlx5dr_rule *rule)
{
	matcher->taken[queue->index].nb--;
	__atomic_store_n(&rule->bits, MLX5DR_RULE_FREE, __ATOMIC_RELEASE);
}
